(** * In space that repeats, each pair of images is found once: [cells.rs] and [surface.rs].

    Bodies are in their places, where their bounds are; one of a pair is moved by an image, a whole
    number of periods along each axis. The broad phase finds the pairs whose image is 0. Of the others,
    the body that sticks out of the cell below is looked up, moved by the image, or else the one that
    sticks out above, by the opposite image. *)

Require Import Rbase Rfunctions R_Ifp ZArith Lra Lia.
From Obbligato Require Import Boxes.
Open Scope R_scope.

Definition image := axis -> BinNums.Z.
Definition opposite (s : image) : image := fun k => (- s k)%Z.
Definition is_zero (s : image) : Prop := forall k, s k = 0%Z.

(** The first axis along which an image is not 0. *)
Definition first (s : image) (x : axis) : Prop :=
  s x <> 0%Z /\ match x with X => True | Y => s X = 0%Z | Z => s X = 0%Z /\ s Y = 0%Z end.

Lemma first_exists : forall s, is_zero s \/ exists x, first s x.
Proof.
  intro s. destruct (Z.eq_dec (s X) 0) as [EX | NX]; [| right; exists X; split; auto].
  destruct (Z.eq_dec (s Y) 0) as [EY | NY]; [| right; exists Y; split; auto].
  destruct (Z.eq_dec (s Z) 0) as [EZ | NZ]; [| right; exists Z; repeat split; auto].
  left. intros []; auto.
Qed.
Lemma first_is_one : forall s x y, first s x -> first s y -> x = y.
Proof. intros s [] [] [N P] [M Q]; auto; try tauto; destruct P; destruct Q; tauto. Qed.
Lemma first_opposite : forall s x, first (opposite s) x <-> first s x.
Proof. intros s []; unfold first, opposite; split; intros [N P]; repeat split; try lia; destruct P; lia. Qed.

Section Images.
  Variables (body : Type) (low high : body -> vec) (period o face : vec).
  (** The faces of the cell, of which the upper one is rounded down. *)
  Hypothesis faces : forall k, face k <= o k + period k.

  Definition below (b : body) (x : axis) : Prop := low b x <= o x.
  Definition above (b : body) (x : axis) : Prop := face x <= high b x.

  (** The bounds of b, moved by the image, overlap those of a. *)
  Definition meet (a b : body) (s : image) : Prop :=
    forall k, low b k + IZR (s k) * period k <= high a k /\ low a k <= high b k + IZR (s k) * period k.

  Lemma meet_opposite : forall a b s, meet a b s -> meet b a (opposite s).
  Proof. intros a b s H k. destruct (H k). unfold opposite. rewrite opp_IZR. lra. Qed.

  (** A body, moved by an image, is looked up, and finds a partner that is not passed over. *)
  Definition finds (b : body) (s : image) (a : body) : Prop := meet a b s /\ exists x, first s x /\
    ((0 < s x)%Z /\ below b x \/ (s x < 0)%Z /\ above b x /\ ~ below a x).

  Lemma sticks_out : forall a b s x, meet a b s -> (1 <= s x)%Z -> 0 <= period x -> above a x \/ below b x.
  Proof.
    intros a b s x H N P. destruct (H x) as [H1 _]. destruct (Rle_dec (face x) (high a x)) as [L | L]; [left; exact L | right].
    apply IZR_le in N. assert (1 * period x <= IZR (s x) * period x) by (apply Rmult_le_compat_r; auto).
    specialize (faces x). unfold below. lra.
  Qed.

  Theorem image_found : forall a b s, (forall k, 0 <= period k) -> meet a b s -> ~ is_zero s ->
    finds b s a \/ finds a (opposite s) b.
  Proof.
    assert (Half : forall a b s x, (forall k, 0 <= period k) -> meet a b s -> first s x -> (0 < s x)%Z ->
      finds b s a \/ finds a (opposite s) b).
    { intros a b s x P H Fx N. destruct (Rle_dec (low b x) (o x)) as [L | L].
      - left. split; [exact H |]. exists x. split; [exact Fx |]. left. split; [lia | exact L].
      - right. split; [apply meet_opposite, H |]. exists x. split; [apply first_opposite, Fx |]. right.
        destruct (sticks_out a b s x H ltac:(lia) (P x)) as [A0 | B0]; [| contradiction].
        unfold opposite. split; [lia | split; [exact A0 | exact L]]. }
    intros a b s P H N. destruct (first_exists s) as [N0 | [x Fx]]; [contradiction |].
    destruct (Z_lt_le_dec 0 (s x)) as [S | S]; [exact (Half a b s x P H Fx S) |].
    pose proof (meet_opposite a b s H) as H'. assert (S' : (0 < opposite s x)%Z) by (destruct Fx; unfold opposite; lia).
    destruct (Half b a (opposite s) x P H' (proj2 (first_opposite s x) Fx) S') as [R | R]; [right; exact R | left].
    destruct R as [_ [y [Fy R]]]. split; [exact H |]. exists y. rewrite !first_opposite in Fy. split; [exact Fy |].
    unfold opposite in R. rewrite !Z.opp_involutive in R. exact R.
  Qed.

  Theorem image_found_once : forall a b s, ~ (finds b s a /\ finds a (opposite s) b).
  Proof.
    intros a b s [[_ [x [Fx B]]] [_ [y [Fy A0]]]]. apply (proj1 (first_opposite s y)) in Fy. pose proof (first_is_one s x y Fx Fy) as E. subst y.
    unfold opposite in A0. destruct B as [[S B] | [S [_ B]]], A0 as [[S' A0] | [S' [_ A0]]]; try lia; contradiction.
  Qed.

  (** Images that reach over more than all bounds are not tried; the quotient is rounded. *)
  Theorem image_is_tried : forall a b s k least most quotient, meet a b s -> (forall b, least <= low b k /\ high b k <= most) ->
    0 < period k -> (most - least) / period k - 1 / 10 ^ 9 <= quotient ->
    (Z.abs (s k) <= Int_part (quotient + 1 / 10 ^ 9))%Z.
  Proof.
    intros a b s k least most quotient H R P Q. destruct (H k) as [H1 H2], (R a), (R b).
    assert (B : IZR (Z.abs (s k)) * period k <= most - least).
    { rewrite abs_IZR. unfold Rabs. destruct (Rcase_abs (IZR (s k))); lra. }
    assert (D : IZR (Z.abs (s k)) <= quotient + 1 / 10 ^ 9).
    { apply Rle_trans with ((most - least) / period k); [| lra]. apply (Rmult_le_reg_r (period k)); [exact P |].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    destruct (base_Int_part (quotient + 1 / 10 ^ 9)) as [_ I]. apply Z.lt_succ_r, lt_IZR. rewrite succ_IZR. lra.
  Qed.
End Images.

(** A corner, p, moved by w, which is the true W up to a rounding: [Bounds::moved]. s and e are the sum and
    what is added to it, 8 u = 4 * 2^-52 of the sizes, each computed with errors of at most u; m is rounded
    up further. *)
Theorem moved_corner_holds : forall u p w W s sizes e m y, 0 <= u <= 1 / 2 ^ 50 -> Rabs (w - W) <= u * Rabs W ->
  Rabs (s - (p + w)) <= u * Rabs (p + w) -> Rabs (sizes - (Rabs p + Rabs w)) <= u * (Rabs p + Rabs w) ->
  e = 8 * u * sizes -> Rabs (m - (s + e)) <= u * Rabs (s + e) -> y <= p -> y + W <= m.
Proof.
  intros u p w W s sizes e m y U HW HS HZ -> HM Y. set (n := Rabs p + Rabs w) in *.
  pose proof (Rabs_pos p) as PP. pose proof (Rabs_pos w) as PW. assert (N : 0 <= n) by (unfold n; lra).
  pose proof (Rabs_triang p w) as T. fold n in T. assert (UN : 0 <= u * n) by (apply Rmult_le_pos; lra).
  assert (WW : Rabs W <= 1.01 * Rabs w).
  { pose proof (Rabs_triang_inv W w) as I. rewrite Rabs_minus_sym in HW. pose proof (Rabs_pos W).
    assert (u * Rabs W <= 0.001 * Rabs W) by (apply Rmult_le_compat_r; lra). lra. }
  assert (UW : u * Rabs W <= u * (1.01 * n)) by (apply Rmult_le_compat_l; unfold n in *; lra).
  assert (US : u * Rabs (p + w) <= u * n) by (apply Rmult_le_compat_l; lra).
  assert (UUN : u * (u * n) <= 0.001 * (u * n)) by (apply Rmult_le_compat_r; lra).
  assert (A1 : forall x z, Rabs x <= z -> - z <= x <= z).
  { intros x z H. pose proof (Rle_abs x). pose proof (Rle_abs (- x)). rewrite Rabs_Ropp in *. lra. }
  apply A1 in HW, HS, HZ, HM.
  assert (Z1 : 8 * u * sizes <= 8 * u * (1.001 * n)).
  { apply Rmult_le_compat_l; [lra |]. assert (u * n <= 0.001 * n) by (apply Rmult_le_compat_r; lra). lra. }
  assert (Z2 : 8 * u * ((1 - u) * n) <= 8 * u * sizes) by (apply Rmult_le_compat_l; lra).
  assert (SE : Rabs (s + 8 * u * sizes) <= 1.1 * n).
  { apply A1 in T. assert (u * n <= 0.001 * n) by (apply Rmult_le_compat_r; lra). apply Rabs_le. lra. }
  assert (u * Rabs (s + 8 * u * sizes) <= u * (1.1 * n)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** ** Bodies that are put into the cell *)

(** The whole number of periods is that of a quotient, q, which is off by at most 1: the place is hardly
    outside the cell. *)
Theorem place_is_near_cell : forall c f L q k, 0 < L -> Rabs (q - (c - f) / L) <= 1 -> IZR k <= q < IZR k + 1 ->
  Rabs (c - IZR k * L) <= Rabs f + 2 * L.
Proof.
  intros c f L q k HL Q K. pose proof (Rle_abs (q - (c - f) / L)) as Q1. pose proof (Rle_abs (- (q - (c - f) / L))) as Q2. rewrite Rabs_Ropp in Q2.
  set (x := (c - f) / L) in *. assert (E : c - IZR k * L = f + (x - IZR k) * L) by (unfold x; field; lra). rewrite E.
  eapply Rle_trans; [apply Rabs_triang |]. apply Rplus_le_compat_l. rewrite Rabs_mult, (Rabs_pos_eq L) by lra.
  apply Rmult_le_compat_r; [lra |]. apply Rabs_le. lra.
Qed.

(** It is rounded, to p in [f64] and to q in [f32]; the widening is that unit of the largest place, twice what is lost.
    Periods are at least 2^-90, and so is the largest place. *)
Theorem places_are_near : forall x p q largest widening, Rabs x <= largest -> 1 / 2 ^ 90 <= largest ->
  Rabs (p - x) <= 1 / 2 ^ 53 * (1 + 1 / 2 ^ 51) * Rabs x ->
  (q = p /\ 1 / 2 ^ 52 * largest <= widening \/
    Rabs (q - p) <= 1 / 2 ^ 24 * Rabs p + 1 / 2 ^ 150 /\ 1 / 2 ^ 23 * largest <= widening) ->
  Rabs (q - x) * (1 + 1 / 2 ^ 19) <= widening.
Proof.
  intros x p q largest widening HX HL HP [[-> HW] | [HQ HW]]; [lra |].
  pose proof (Rabs_triang (p - x) x) as T. replace (p - x + x) with p in T by lra.
  pose proof (Rabs_triang (q - p) (p - x)) as T'. replace (q - p + (p - x)) with (q - x) in T' by lra. lra.
Qed.
