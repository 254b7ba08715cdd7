(** * Balls, capsules and boxes as cores with a radius, and what their distance says.

    The definitions are what a reader has to trust, next to [Boxes.v]. The core of a ball is a box of
    no size, that of a capsule a box of no width, and the radius of a box is 0. *)

Require Import Rbase Rfunctions R_sqrt Lra.
From Obbligato Require Import Boxes Formulas Lengths Separation Margins.
Open Scope R_scope.

Record body := Body { core : box; round : R }.

(** The set of points of a body. *)
Definition holds (b : body) (p : vec) : Prop := exists c, contains (core b) c /\ len (less p c) <= round b.

Definition meet (a b : body) : Prop := exists p, holds a p /\ holds b p.
Definition shift (b : body) (v : vec) : body := Body (moved (core b) v) (round b).
Definition meet_barely (a b : body) : Prop :=
  meet a b /\ forall e, 0 < e -> exists v, (forall k, Rabs (v k) < e) /\ ~ meet a (shift b v).
Definition overlap (a b : body) : Prop := meet a b /\ ~ meet_barely a b.

(** All their points are further apart than a margin; some are not. *)
Definition beyond (m : R) (a b : body) : Prop := forall p q, holds a p -> holds b q -> m < len (less q p).
Definition near (m : R) (a b : body) : Prop := exists p q, holds a p /\ holds b q /\ len (less q p) <= m.

(** ** Lengths of vectors *)
Definition added (v w : vec) : vec := fun k => v k + w k.
Definition scaled (x : R) (v : vec) : vec := fun k => x * v k.

Lemma len_is : forall v x, 0 <= x -> square v = x * x -> len v = x.
Proof. intros v x H E. unfold len. rewrite E. apply sqrt_square, H. Qed.
Lemma len_below : forall v x, 0 <= x -> square v <= x * x -> len v <= x.
Proof. intros v x H E. unfold len. rewrite <- (sqrt_square x H). apply sqrt_le_1_alt, E. Qed.
Lemma len_scaled : forall x v, len (scaled x v) = Rabs x * len v.
Proof.
  intros x v. apply len_is; [apply Rmult_le_pos; [apply Rabs_pos | apply len_pos] |].
  replace (Rabs x * len v * (Rabs x * len v)) with ((Rabs x * Rabs x) * (len v * len v)) by (clear; lra).
  rewrite len_square, square_abs. unfold square, dot, sum, scaled. clear; lra.
Qed.
Lemma len_same : forall v w, (forall k, v k = w k) -> len v = len w.
Proof. intros v w E. unfold len, square, dot, sum. rewrite !E. reflexivity. Qed.
Lemma len_added : forall v w, len (added v w) <= len v + len w.
Proof.
  intros v w. pose proof (triangle v (fun _ => 0) (scaled (-1) w)) as T.
  rewrite (len_same (less v (scaled (-1) w)) (added v w)) in T by (intro; unfold less, scaled, added; clear; lra).
  rewrite (len_same (less v (fun _ => 0)) v) in T by (intro; unfold less; clear; lra).
  rewrite (len_same (less (fun _ => 0) (scaled (-1) w)) w) in T by (intro; unfold less, scaled; clear; lra). exact T.
Qed.
(** A vector whose components are at most those of another. *)
Lemma len_bounded : forall v w, (forall k, Rabs (v k) <= w k) -> len v <= len w.
Proof.
  intros v w H. apply sqrt_le_1_alt. unfold square, dot, sum.
  assert (B : forall k, v k * v k <= w k * w k).
  { intro k. rewrite <- square_abs. pose proof (Rabs_pos (v k)). apply Rmult_le_compat; auto. }
  pose proof (B X). pose proof (B Y). pose proof (B Z). lra.
Qed.
Lemma len_all : forall x, 0 <= x -> len (fun _ => x) <= 1.7321 * x.
Proof. intros x H. apply len_below; [lra |]. unfold square, dot, sum. pose proof (Rmult_le_pos x x H H). lra. Qed.
Definition sizes (v : vec) : vec := fun k => Rabs (v k).
Lemma len_sizes : forall v, len (sizes v) = len v.
Proof. intro v. unfold len, square, dot, sum, sizes. rewrite !square_abs. reflexivity. Qed.
Lemma len_component : forall v k, Rabs (v k) <= len v.
Proof.
  intros v k. apply abs_by_square; [apply len_pos |]. rewrite len_square. unfold square, dot, sum.
  pose proof (Rle_0_sqr (v X)). pose proof (Rle_0_sqr (v Y)). pose proof (Rle_0_sqr (v Z)). unfold Rsqr in *.
  destruct k; lra.
Qed.
Lemma len_below_sum : forall v, len v <= sum (fun k => Rabs (v k)) <= 2 * len v.
Proof.
  intro v. pose proof (Rabs_pos (v X)). pose proof (Rabs_pos (v Y)). pose proof (Rabs_pos (v Z)).
  assert (E : square v = Rabs (v X) * Rabs (v X) + Rabs (v Y) * Rabs (v Y) + Rabs (v Z) * Rabs (v Z))
    by (rewrite !square_abs; reflexivity).
  unfold sum. set (x := Rabs (v X)) in *. set (y := Rabs (v Y)) in *. set (z := Rabs (v Z)) in *. split.
  - apply len_below; [lra |]. rewrite E. pose proof (Rmult_le_pos x y). pose proof (Rmult_le_pos x z).
    pose proof (Rmult_le_pos y z). lra.
  - pose proof (len_pos v) as P. apply Rsqr_incr_0_var; [| lra]. unfold Rsqr.
    replace (2 * len v * (2 * len v)) with (4 * (len v * len v)) by (clear; lra). rewrite len_square, E.
    pose proof (Rle_0_sqr (x - y)) as P1. pose proof (Rle_0_sqr (x - z)) as P2. pose proof (Rle_0_sqr (y - z)) as P3.
    pose proof (Rle_0_sqr x). pose proof (Rle_0_sqr y). pose proof (Rle_0_sqr z). unfold Rsqr in *. lra.
Qed.
Lemma dot_len : forall v w, Rabs (dot v w) <= len v * len w.
Proof.
  intros v w. apply dot_short; try apply len_pos; change (dot v v) with (square v); change (dot w w) with (square w);
    rewrite <- len_square; lra.
Qed.
Lemma len_other_way : forall v w, len (less v w) = len (less w v).
Proof. intros. unfold len. f_equal. unfold square, dot, sum, less. clear; lra. Qed.

(** ** From cores to bodies *)
Definition reach (a b : body) (m : R) : R := round a + round b + m.
Definition cores_apart (x : R) (a b : body) : Prop :=
  forall p q, contains (core a) p -> contains (core b) q -> x < len (less q p).
Definition cores_closer (x : R) (a b : body) : Prop :=
  exists p q, contains (core a) p /\ contains (core b) q /\ len (less q p) < x.

Section Bodies.
  Variables a b : body.
  Hypothesis Ra : 0 <= round a.
  Hypothesis Rb : 0 <= round b.

  Theorem apart_is_beyond : forall m, cores_apart (reach a b m) a b -> beyond m a b.
  Proof.
    intros m H p q [c [C D]] [c' [C' D']]. specialize (H c c' C C'). unfold reach in H.
    pose proof (triangle c' q c) as T. pose proof (triangle q p c) as T'. rewrite (len_other_way c' q) in T. lra.
  Qed.

  Theorem apart_is_separated : cores_apart (reach a b 0) a b -> ~ meet a b.
  Proof.
    intros H [p [P Q]]. pose proof (apart_is_beyond 0 H p p P Q) as L.
    rewrite (len_same _ (scaled 0 p)) in L by (intro; unfold less, scaled; clear; lra). rewrite len_scaled, Rabs_R0 in L. lra.
  Qed.

  (** Of two cores at most a reach apart, each has a point within its radius, and these are within the margin. *)
  Lemma close_is_near : forall m p q, 0 <= m -> contains (core a) p -> contains (core b) q ->
    len (less q p) <= reach a b m -> near m a b.
  Proof.
    intros m p q Hm P Q L. unfold reach in L. pose proof (len_pos (less q p)) as LP.
    set (x := if Rle_dec (len (less q p)) 0 then 0 else Rmin 1 (round a / len (less q p))).
    set (y := if Rle_dec (len (less q p)) 0 then 0 else Rmin (1 - x) (round b / len (less q p))).
    exists (added p (scaled x (less q p))), (added q (scaled (- y) (less q p))).
    assert (B : x * len (less q p) <= round a /\ y * len (less q p) <= round b /\ 0 <= x /\ 0 <= y /\ x + y <= 1 /\
      (1 - x - y) * len (less q p) <= m).
    { unfold y, x. destruct (Rle_dec (len (less q p)) 0) as [Z | N]; [repeat split; nra |]. set (l := len (less q p)) in *.
      assert (QA : round a / l * l = round a) by (field; lra). assert (QB : round b / l * l = round b) by (field; lra).
      assert (PA : 0 <= round a / l) by (apply Rmult_le_pos; [auto | apply Rlt_le, Rinv_0_lt_compat; lra]).
      assert (PB : 0 <= round b / l) by (apply Rmult_le_pos; [auto | apply Rlt_le, Rinv_0_lt_compat; lra]).
      unfold Rmin. destruct (Rle_dec 1 (round a / l)) as [A1 | A1].
      - destruct (Rle_dec (1 - 1) (round b / l)); repeat split; nra.
      - destruct (Rle_dec (1 - round a / l) (round b / l)); repeat split; nra. }
    destruct B as [B1 [B2 [X0 [Y0 [XY B3]]]]]. split; [| split].
    - exists p. split; auto. rewrite (len_same _ (scaled x (less q p))) by (intro; unfold less, added, scaled; clear; lra).
      rewrite len_scaled, Rabs_pos_eq by auto. exact B1.
    - exists q. split; auto. rewrite (len_same _ (scaled (- y) (less q p))) by (intro; unfold less, added, scaled; clear; lra).
      rewrite len_scaled, Rabs_Ropp, Rabs_pos_eq by auto. exact B2.
    - rewrite (len_same _ (scaled (1 - x - y) (less q p))) by (intro; unfold less, added, scaled; clear; lra).
      rewrite len_scaled, Rabs_pos_eq by lra. exact B3.
  Qed.

  Theorem closer_is_near : forall m, 0 <= m -> cores_closer (reach a b m) a b -> near m a b.
  Proof. intros m Hm [p [q [P [Q L]]]]. apply (close_is_near m p q); auto. lra. Qed.
End Bodies.

Lemma near_zero_meets : forall a b, near 0 a b -> meet a b.
Proof.
  intros a b [p [q [P [[c [C L]] D]]]]. exists p. split; auto. exists c. split; auto.
  pose proof (triangle p q c) as T. rewrite (len_other_way p q) in T. pose proof (len_pos (less q p)). lra.
Qed.

Theorem closer_is_overlap : forall a b, 0 <= round a -> 0 <= round b -> cores_closer (reach a b 0) a b -> overlap a b.
Proof.
  intros a b Ra Rb H. split; [apply near_zero_meets, closer_is_near; auto; lra |].
  intros [_ T]. destruct H as [p [q [P [Q L]]]]. set (e := reach a b 0 - len (less q p)) in *.
  destruct (T (e / 2)) as [v [Hv N]]; [unfold e; lra |]. apply N, near_zero_meets.
  apply (close_is_near a (shift b v) Ra Rb 0 p (added q v)); auto; [lra | |].
  - destruct Q as [s [S E]]. exists s. split; auto. intro k. unfold added, shift, moved. simpl. rewrite E. unfold edge. simpl. clear; lra.
  - unfold reach, shift. simpl.
    pose proof (len_added (less q p) v) as A.
    rewrite (len_same (added (less q p) v) (less (added q v) p)) in A by (intro; unfold added, less; clear; lra).
    assert (len v <= 1.7321 * (e / 2)).
    { eapply Rle_trans; [apply (len_bounded v (fun _ => e / 2)) | apply len_all; unfold e; lra]. intro. apply Rlt_le, Hv. }
    unfold e, reach in *. lra.
Qed.
