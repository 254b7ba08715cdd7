(** * The three answers of the exact stage about balls and capsules: [round/capsules.rs], [round/bodies.rs].

    The squared distance of two cores, both in multiples of one number, is compared with the square of
    the reach: less, equal or greater. *)

Require Import Rbase Rfunctions ZArith Lra Lia FunctionalExtensionality.
From Obbligato Require Import Boxes Formulas Separation Propagation Complete Exact LastStage Aligned Margins Distances
  Round Directions Balls Segments.
From Obbligato Require Integers.
Open Scope R_scope.

(** ** Comparisons that decide if a condition holds for a reach, and for a smaller one *)
Definition compared (x y : R) : comparison := of_sign (x - y).
Definition lesser (c c' : comparison) : comparison :=
  match c, c' with Lt, _ | _, Lt => Lt | Eq, _ | _, Eq => Eq | Gt, Gt => Gt end.
Definition decides (c : comparison) (P : R -> Prop) (reach : R) : Prop :=
  (c <> Gt <-> P reach) /\ (c = Lt <-> exists r, r < reach /\ P r).

Lemma decides_same : forall c (P Q : R -> Prop) reach, (forall r, P r <-> Q r) -> decides c P reach -> decides c Q reach.
Proof.
  intros c P Q reach E [A B]. split; [rewrite A; apply E |]. rewrite B.
  split; intros [r [L H]]; exists r; split; auto; apply E; auto.
Qed.

Lemma decides_lesser : forall c c' P Q reach, decides c P reach -> decides c' Q reach ->
  decides (lesser c c') (fun r => P r \/ Q r) reach.
Proof.
  intros c c' P Q reach [A B] [A' B']. split.
  - rewrite <- A, <- A'. destruct c, c'; simpl; split; intro H; try congruence; try tauto;
      (left; discriminate) || (right; discriminate) || (destruct H; congruence).
  - assert (E : (exists r, r < reach /\ (P r \/ Q r)) <-> c = Lt \/ c' = Lt).
    { rewrite B, B'. split; [intros [r [L [H | H]]]; [left | right]; eauto | intros [[r [L H]] | [r [L H]]]; eauto]. }
    rewrite E. destruct c, c'; simpl; split; intro H; try discriminate; auto; destruct H; discriminate.
Qed.

Lemma decides_compared : forall x k reach, 0 < k -> decides (compared x (reach * k)) (fun r => x <= r * k) reach.
Proof.
  intros x k reach K. unfold decides, compared, of_sign.
  assert (E : (exists r, r < reach /\ x <= r * k) <-> x < reach * k).
  { split.
    - intros [r [L H]]. assert (r * k < reach * k) by (apply Rmult_lt_compat_r; auto). lra.
    - intro H. exists (x / k). assert (Q : x / k * k = x) by (field; lra). split; [| lra].
      apply (Rmult_lt_reg_r k); auto. lra. }
  rewrite E. destruct (Rlt_dec 0 (x - reach * k)); [| destruct (Rlt_dec (x - reach * k) 0)];
    (split; split; intro H; try discriminate; try congruence; lra).
Qed.
Lemma decides_plain : forall x reach, decides (compared x reach) (fun r => x <= r) reach.
Proof.
  intros x reach. pose proof (decides_compared x 1 reach ltac:(lra)) as D. rewrite Rmult_1_r in D.
  eapply decides_same; [| exact D]. intro r. simpl. rewrite Rmult_1_r. tauto.
Qed.

(** ** A point and a segment: [point_to_segment]; two segments: [segments] *)
Definition point_order (x v : vec) (reach : R) : comparison :=
  if Rle_dec (dot x v) 0 then compared (square x) reach
  else if Rle_dec (square v) (dot x v) then compared (square (fun k => x k - v k)) reach
  else compared (square (cross x v)) (reach * square v).

Theorem point_order_decides : forall x v reach, decides (point_order x v reach) (point_near x v) reach.
Proof.
  intros x v reach. apply (decides_same _ (point_compared x v)); [intro; symmetry; apply point_to_segment |].
  unfold point_order, point_compared. destruct (Rle_dec (dot x v) 0); [apply decides_plain |].
  destruct (Rle_dec (square v) (dot x v)); [apply decides_plain | apply decides_compared; lra].
Qed.

Definition outside (place most : R) : bool :=
  if Rlt_dec place 0 then true else if Rlt_dec most place then true else false.

Definition segments_order (u v w : vec) (reach : R) : comparison :=
  let least := lesser (lesser (lesser (point_order w v reach) (point_order (fun k => w k + u k) v reach))
    (point_order (fun k => - w k) u reach)) (point_order (fun k => v k - w k) u reach) in
  let normal := cross u v in
  match least with
  | Lt => Lt
  | _ =>
    if Rle_dec (square normal) 0 then least
    else if outside (dot (cross v w) normal) (square normal) then least
    else if outside (dot (cross u w) normal) (square normal) then least
    else lesser least (compared (dot w normal * dot w normal) (reach * square normal))
  end.

Theorem segments_order_decides : forall u v w reach, decides (segments_order u v w reach) (Distances.near u v w) reach.
Proof.
  intros u v w reach. unfold segments_order. cbv zeta.
  set (least := lesser (lesser (lesser _ _) _) _). set (normal := cross u v).
  assert (L : decides least (end_near u v w) reach).
  { apply (decides_same _ (fun r => ((point_near w v r \/ point_near (fun k => w k + u k) v r) \/
      point_near (fun k => - w k) u r) \/ point_near (fun k => v k - w k) u r)).
    - intro r. rewrite ends_are. tauto.
    - repeat apply decides_lesser; apply point_order_decides. }
  assert (N : forall r, Distances.near u v w r <-> end_near u v w r \/ inner_compared u v w r) by (intro; apply segments_is).
  assert (Only : (forall r, ~ inner_compared u v w r) -> decides least (Distances.near u v w) reach).
  { intro H. apply (decides_same _ (end_near u v w)); auto. intro r. rewrite N. specialize (H r). tauto. }
  assert (Rest : least <> Lt -> decides (if Rle_dec (square normal) 0 then least
    else if outside (dot (cross v w) normal) (square normal) then least
    else if outside (dot (cross u w) normal) (square normal) then least
    else lesser least (compared (dot w normal * dot w normal) (reach * square normal))) (Distances.near u v w) reach).
  { intros _. destruct (Rle_dec (square normal) 0) as [S | S];
      [apply Only; intros r [I _]; fold normal in I; lra |].
    unfold outside.
    destruct (Rlt_dec (dot (cross v w) normal) 0) as [A | A]; [apply Only; intros r [_ [I _]]; fold normal in I; lra |].
    destruct (Rlt_dec (square normal) (dot (cross v w) normal)) as [B | B];
      [apply Only; intros r [_ [I _]]; fold normal in I; lra |].
    destruct (Rlt_dec (dot (cross u w) normal) 0) as [C | C];
      [apply Only; intros r [_ [_ [I _]]]; fold normal in I; lra |].
    destruct (Rlt_dec (square normal) (dot (cross u w) normal)) as [D | D];
      [apply Only; intros r [_ [_ [I _]]]; fold normal in I; lra |].
    apply (decides_same _ (fun r => end_near u v w r \/ dot w normal * dot w normal <= r * square normal)).
    - intro r. rewrite N. unfold inner_compared. fold normal. split; intros [H | H]; auto; right; lra.
    - apply decides_lesser; auto. apply decides_compared. lra. }
  destruct least eqn:E; [apply Rest; discriminate | | apply Rest; discriminate].
  destruct L as [L1 L2]. destruct (proj1 L2 eq_refl) as [r [R1 R2]]. split; split; intro; try discriminate; auto.
  - apply N. left. apply L1. discriminate.
  - exists r. split; auto. apply N. auto.
Qed.

(** One of them may be known to be a point, or both: [cores]. *)
Definition cores_order (a_point b_point : bool) (u v w : vec) (reach : R) : comparison :=
  match a_point, b_point with
  | true, true => compared (square w) reach
  | true, false => point_order w v reach
  | false, true => point_order (fun k => - w k) u reach
  | false, false => segments_order u v w reach
  end.

Theorem cores_order_decides : forall a_point b_point u v w reach,
  (a_point = true -> forall k, u k = 0) -> (b_point = true -> forall k, v k = 0) ->
  decides (cores_order a_point b_point u v w reach) (Distances.near u v w) reach.
Proof.
  intros a_point b_point u v w reach A B.
  assert (E1 : a_point = true -> forall r, Distances.near u v w r <-> point_near w v r).
  { intros H r. specialize (A H).
    assert (E : forall s t, square (between u v w s t) = square (rest w v t))
      by (intros; unfold square, dot, sum, between, rest; rewrite !A; clear; lra).
    split; [intros [s [t [S [T L]]]]; exists t; rewrite <- (E s t); auto |].
    intros [t [T L]]. exists 0, t. rewrite E. repeat split; auto; lra. }
  assert (E2 : b_point = true -> forall r, Distances.near u v w r <-> point_near (fun k => - w k) u r).
  { intros H r. specialize (B H).
    assert (E : forall s t, square (between u v w s t) = square (rest (fun k => - w k) u s))
      by (intros; unfold square, dot, sum, between, rest; rewrite !B; clear; lra).
    split; [intros [s [t [S [T L]]]]; exists s; rewrite <- (E s t); auto |].
    intros [s [S L]]. exists s, 0. rewrite E. repeat split; auto; lra. }
  destruct a_point, b_point; simpl.
  - apply (decides_same _ (fun r => square w <= r)); [| apply decides_plain]. intro r.
    rewrite (E1 eq_refl). specialize (B eq_refl).
    assert (E : forall t, square (rest w v t) = square w) by (intro; unfold square, dot, sum, rest; rewrite !B; clear; lra).
    split; [intro L; exists 0; rewrite E; split; [lra | auto] | intros [t [_ L]]; rewrite E in L; exact L].
  - apply (decides_same _ (point_near w v)); [intro; symmetry; apply E1; auto | apply point_order_decides].
  - apply (decides_same _ (point_near (fun k => - w k) u)); [intro; symmetry; apply E2; auto | apply point_order_decides].
  - apply segments_order_decides.
Qed.

(** ** What an answer says about two bodies *)
Definition says (c : comparison) (x : R) (a b : body) : Prop :=
  match c with
  | Gt => cores_apart x a b
  | Eq => (exists p q, contains (core a) p /\ contains (core b) q /\ len (less q p) = x) /\
      forall p q, contains (core a) p -> contains (core b) q -> x <= len (less q p)
  | Lt => cores_closer x a b
  end.

(** If it decides whether cores have points that are so near. *)
Lemma says_is : forall c x a b, 0 <= x -> decides c (fun r => exists p q, contains (core a) p /\ contains (core b) q /\
  square (less q p) <= r) (x * x) -> says c x a b.
Proof.
  intros c x a b X [A B].
  assert (Sq : forall v, square v <= x * x <-> len v <= x).
  { intro v. rewrite <- len_square. pose proof (len_pos v). split; intro; [apply Rsqr_incr_0; unfold Rsqr; auto | nra]. }
  assert (C : c <> Lt -> forall p q, contains (core a) p -> contains (core b) q -> x <= len (less q p)).
  { intros N p q P Q. apply Rnot_lt_le. intro L. apply N, B. exists (square (less q p)). split; [| exists p, q; split; [auto | split; [auto | lra]]].
    rewrite <- len_square. pose proof (len_pos (less q p)). nra. }
  destruct c; simpl.
  - split; [| apply C; discriminate]. destruct (proj1 A ltac:(discriminate)) as [p [q [P [Q L]]]].
    exists p, q. split; [auto | split; [auto |]]. apply Sq in L. specialize (C ltac:(discriminate) p q P Q). lra.
  - destruct (proj1 B eq_refl) as [r [L [p [q [P [Q H]]]]]]. exists p, q. split; [auto | split; [auto |]].
    rewrite <- len_square in H. pose proof (len_pos (less q p)). apply Rnot_le_lt. intro G. nra.
  - intros p q P Q. apply Rnot_le_lt. intro L. apply Sq in L. apply (proj2 A); eauto.
Qed.

(** So the bodies are beyond the margin, overlap, or just meet. *)
Theorem says_of_bodies : forall c a b m, 0 <= round a -> 0 <= round b -> 0 <= m -> says c (reach a b m) a b ->
  match c with
  | Gt => beyond m a b /\ (m = 0 -> ~ meet a b)
  | Eq => near m a b /\ (m = 0 -> meet a b)
  | Lt => near m a b /\ (m = 0 -> overlap a b)
  end.
Proof.
  intros c a b m Ra Rb Hm S. destruct c; simpl in S.
  - destruct S as [[p [q [P [Q L]]]] _].
    assert (N : near m a b) by (apply (close_is_near a b Ra Rb m p q); auto; lra).
    split; auto. intros ->. apply near_zero_meets, N.
  - split; [apply closer_is_near; auto |]. intros ->. apply closer_is_overlap; auto.
  - split; [apply apart_is_beyond; auto |]. intros ->. apply apart_is_separated; auto.
Qed.
