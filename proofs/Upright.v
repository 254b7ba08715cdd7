(** * Boxes that are rotated about z only need five axes: four in plan, and z.

    Of the other ten, z of the second box is z of the first, and the products of edges are these axes
    again, times a sine or a cosine. *)

Require Import Rbase Rfunctions Lra.
From Obbligato Require Import Boxes Formulas Separation Propagation Complete Overlap Parallel Overlapping.
Open Scope R_scope.

Definition upright (b : box) : Prop := qx (rotation b) = 0 /\ qy (rotation b) = 0.

(** The axes of [upright_sat.wgsl]. *)
Definition in_plan (k : direction) : Prop := k = FaceA X \/ k = FaceA Y \/ k = FaceB X \/ k = FaceB Y.
Definition of_five (k : direction) : Prop := in_plan k \/ k = FaceA Z.

Section Upright.
  Variables a b : box.
  Hypothesis Ua : upright a.
  Hypothesis Ub : upright b.

  (** C is a rotation in the plane, times s. *)
  Lemma C_upright : C a b X Z = 0 /\ C a b Y Z = 0 /\ C a b Z X = 0 /\ C a b Z Y = 0 /\ C a b Z Z = s a b /\
    C a b Y Y = C a b X X /\ C a b X Y = - C a b Y X.
  Proof.
    clear - Ua Ub. destruct a as [ca ha [x y z w]], b as [cb hb [x' y' z' w']].
    destruct Ua as [U1 U2], Ub as [U3 U4]. simpl in *. subst.
    unfold C, s, r, norm2, relative; simpl. repeat split; clear; lra.
  Qed.

  (** [C] without what is 0. *)
  Ltac in_plane := destruct C_upright as [XZ [YZ [ZX [ZY [ZZ [YY XY]]]]]];
    rewrite ?XZ, ?YZ, ?ZX, ?ZY, ?ZZ, ?YY, ?XY, ?Rabs_Ropp, ?Rabs_R0.

  Lemma s_pos_abs : valid a -> valid b -> Rabs (s a b) = s a b.
  Proof. intros Ha Hb. apply Rabs_pos_eq, Rlt_le, s_pos; auto. Qed.

  Lemma z_of_b : valid a -> valid b -> F a b (FaceB Z) = F a b (FaceA Z).
  Proof.
    intros Ha Hb. unfold F, F_face_a, F_face_b, sum. in_plane. rewrite (s_pos_abs Ha Hb).
    replace (t a b X * 0 + t a b Y * 0 + t a b Z * s a b) with (s a b * t a b Z) by (clear; lra).
    rewrite Rabs_mult, (s_pos_abs Ha Hb). clear; lra.
  Qed.

  (** Of two edges in plan: z, times |C|. *)
  Lemma edges_in_plan : valid a -> valid b -> forall i j, i <> Z -> j <> Z ->
    exists c, 0 <= c /\ F a b (Edges i j) * s a b = c * F a b (FaceA Z).
  Proof.
    intros Ha Hb i j Hi Hj.
    assert (E : forall c, Rabs (t a b Z * c) = Rabs c * Rabs (t a b Z)) by (intro; rewrite Rabs_mult; clear; lra).
    destruct i, j; try congruence; [exists (Rabs (C a b Y X)) | exists (Rabs (C a b X X)) | exists (Rabs (C a b X X)) |
      exists (Rabs (C a b Y X))]; (split; [apply Rabs_pos |]); unfold F, F_face_a, F_edges, sum; simpl; in_plane;
      rewrite (s_pos_abs Ha Hb).
    - replace (t a b Z * C a b Y X - t a b Y * 0) with (t a b Z * C a b Y X) by (clear; lra). rewrite E. clear; lra.
    - replace (t a b Z * C a b X X - t a b Y * 0) with (t a b Z * C a b X X) by (clear; lra). rewrite E. clear; lra.
    - replace (t a b X * 0 - t a b Z * C a b X X) with (- (t a b Z * C a b X X)) by (clear; lra). rewrite Rabs_Ropp, E. clear; lra.
    - replace (t a b X * 0 - t a b Z * - C a b Y X) with (t a b Z * C a b Y X) by (clear; lra). rewrite E. clear; lra.
  Qed.

  (** Of z and an edge in plan: the axis in plan at a right angle to that. *)
  Lemma edges_of_b : forall j, j <> Z -> valid a -> valid b ->
    F a b (Edges Z j) = F a b (FaceB match j with X => Y | _ => X end).
  Proof.
    intros j Hj Ha Hb. destruct j; try congruence; unfold F, F_face_b, F_edges, sum; simpl; in_plane;
      rewrite (s_pos_abs Ha Hb).
    - replace (t a b Y * C a b X X - t a b X * C a b Y X)
        with (t a b X * - C a b Y X + t a b Y * C a b X X + t a b Z * 0) by (clear; lra). clear; lra.
    - replace (t a b Y * - C a b Y X - t a b X * C a b X X)
        with (- (t a b X * C a b X X + t a b Y * C a b Y X + t a b Z * 0)) by (clear; lra). rewrite Rabs_Ropp. clear; lra.
  Qed.
  Lemma edges_of_a : forall i, i <> Z -> valid a -> valid b ->
    F a b (Edges i Z) = F a b (FaceA match i with X => Y | _ => X end).
  Proof.
    intros i Hi Ha Hb. destruct i; try congruence; unfold F, F_face_a, F_edges, sum; simpl; in_plane;
      rewrite (s_pos_abs Ha Hb).
    - replace (t a b Z * 0 - t a b Y * s a b) with (- (s a b * t a b Y)) by (clear; lra).
      rewrite Rabs_Ropp, Rabs_mult, (s_pos_abs Ha Hb). clear; lra.
    - replace (t a b X * s a b - t a b Z * 0) with (s a b * t a b X) by (clear; lra).
      rewrite Rabs_mult, (s_pos_abs Ha Hb). clear; lra.
  Qed.
  Lemma edges_of_z : F a b (Edges Z Z) = 0.
  Proof.
    unfold F, F_edges; simpl. in_plane. replace (t a b Y * 0 - t a b X * 0) with 0 by (clear; lra). rewrite Rabs_R0. clear; lra.
  Qed.

  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.

  Theorem five_axes : (forall k, of_five k -> F a b k <= 0) -> collide a b.
  Proof.
    intro H. apply no_positive_F_collides; auto.
    assert (FA : forall i, F a b (FaceA i) <= 0) by (intro i; apply H; unfold of_five, in_plan; destruct i; auto).
    assert (FB : forall j, F a b (FaceB j) <= 0)
      by (intro j; destruct j; [apply H | apply H | rewrite z_of_b by auto; auto]; unfold of_five, in_plan; auto).
    intros [i | j | i j]; auto.
    destruct i, j;
      try (rewrite edges_of_a by (auto; discriminate); auto);
      try (rewrite edges_of_b by (auto; discriminate); auto);
      try (rewrite edges_of_z; lra);
      match goal with |- F a b (Edges ?i ?j) <= 0 =>
        destruct (edges_in_plan Ha Hb i j ltac:(discriminate) ltac:(discriminate)) as [c [Hc E]] end;
      pose proof (s_pos a b Ha Hb) as S; specialize (FA Z);
      apply (sign (s a b)); auto; rewrite Rmult_comm, E;
      (replace 0 with (c * 0) by (clear; lra)); apply Rmult_le_compat_l; auto.
  Qed.
End Upright.

(** Boxes whose five F are negative overlap, and do not just touch. *)
Theorem five_negative_overlap : forall a b, upright a -> upright b -> valid a -> valid b ->
  (forall k, of_five k -> F a b k < 0) -> overlapping a b.
Proof.
  intros a b Ua Ub Ha Hb H.
  assert (M : forall v, valid (moved b v)) by (intro; exact Hb).
  assert (S : forall k, of_five k -> stays (fun v => F a (moved b v) k <= 0)).
  { intros k Hk. destruct (negative_stays a b Ha Hb k 0) as [e [E P]].
    - apply f_below; auto. rewrite Rmult_0_r. auto.
    - exists e. split; auto. intros v Hv. rewrite F_is_n_s_f by auto. specialize (P v Hv).
      rewrite <- (Rmult_0_r (n a * s a (moved b v))). apply Rmult_le_compat_l; [| exact (Rlt_le _ _ P)].
      apply Rmult_le_pos; apply Rlt_le; [apply n_pos | apply s_pos]; auto. }
  assert (ALL : stays (fun v => forall k, of_five k -> F a (moved b v) k <= 0)).
  { destruct (both_stay _ _ (S (FaceA X) ltac:(unfold of_five, in_plan; auto)) (both_stay _ _
      (S (FaceA Y) ltac:(unfold of_five, in_plan; auto)) (both_stay _ _
      (S (FaceB X) ltac:(unfold of_five, in_plan; auto)) (both_stay _ _
      (S (FaceB Y) ltac:(unfold of_five, in_plan; auto)) (S (FaceA Z) ltac:(unfold of_five; auto)))))) as [e [E P]].
    exists e. split; auto. intros v Hv. destruct (P v Hv) as [P1 [P2 [P3 [P4 P5]]]].
    intros k [[-> | [-> | [-> | ->]]] | ->]; auto. }
  destruct ALL as [e [E P]].
  assert (N : forall v, small v e -> collide a (moved b v)) by (intros v Hv; apply five_axes; auto).
  split.
  - apply five_axes; auto. intros k Hk. apply Rlt_le. auto.
  - intros [_ T0]. destruct (T0 e E) as [v [Hv Sv]]. apply Sv, N. exact Hv.
Qed.
