(** * Boxes whose F are negative on all axes, or by the rule for edges, overlap and do not just touch. *)

Require Import Rbase Rfunctions R_sqrt Lra.
From Obbligato Require Import Boxes Formulas Lengths Propagation Complete Parallel Overlap.
Open Scope R_scope.

Definition is_face (k : direction) : Prop := forall i j, k <> Edges i j.
Definition small (v : vec) (e : R) : Prop := forall k, Rabs (v k) < e.

(** s times the sine of the angle of two edges. *)
Definition angle (a b : box) (i j : axis) : R :=
  sqrt (C a b (next i) j * C a b (next i) j + C a b (after i) j * C a b (after i) j).

Lemma angle_square : forall a b i j,
  angle a b i j * angle a b i j = C a b (next i) j * C a b (next i) j + C a b (after i) j * C a b (after i) j.
Proof. intros. apply sqrt_sqrt. apply Rplus_le_le_0_compat; apply Rle_0_sqr. Qed.

(** What stays true if a box is moved a little. *)
Definition stays (P : vec -> Prop) : Prop := exists e, 0 < e /\ forall v, small v e -> P v.

Lemma both_stay : forall P Q, stays P -> stays Q -> stays (fun v => P v /\ Q v).
Proof.
  intros P Q [e [E HP]] [e' [E' HQ]]. exists (Rmin e e'). split; [apply Rmin_glb_lt; auto |].
  intros v Hv. split; [apply HP | apply HQ]; intro k; eapply Rlt_le_trans; [apply Hv | apply Rmin_l | apply Hv | apply
    Rmin_r].
Qed.

Lemma axes_stay : forall P : axis -> vec -> Prop, (forall i, stays (P i)) -> stays (fun v => forall i, P i v).
Proof.
  intros P H. destruct (both_stay _ _ (H X) (both_stay _ _ (H Y) (H Z))) as [e [E Q]].
  exists e. split; auto. intros v Hv i. destruct (Q v Hv) as [A [B D]]. destruct i; auto.
Qed.

Lemma short : forall v e, 0 <= e -> small v e -> dot v v <= (2 * e) * (2 * e).
Proof.
  intros v e He H.
  assert (B : forall k, v k * v k <= e * e).
  { intro k. rewrite <- square_abs. apply Rmult_le_compat; try apply Rabs_pos; apply Rlt_le, H. }
  pose proof (B X). pose proof (B Y). pose proof (B Z). pose proof (Rle_0_sqr e) as Q. unfold Rsqr in Q. unfold dot,
    sum. lra.
Qed.

Lemma f_moved : forall a b v l e, 0 <= e -> small v e -> dot l l <= 1 -> f a (moved b v) l <= f a b l + 2 * e.
Proof.
  intros a b v l e He Hv Hl. unfold f.
  assert (E : dot (apart a (moved b v)) l = dot (apart a b) l + dot v l) by (unfold dot, apart, moved, sum; simpl;
    clear; lra).
  rewrite E. change (radius (moved b v) l) with (radius b l).
  pose proof (Rabs_triang (dot (apart a b) l) (dot v l)).
  pose proof (dot_short v l (2 * e) 1 ltac:(lra) ltac:(lra) (short v e He Hv) ltac:(lra)). lra.
Qed.

Section Overlapping.
  Variables a b : box.
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.

  Lemma along_length : forall k, dot (along a b k) (along a b k) <= 1.
  Proof.
    intros [i | j | i j]; simpl; try (rewrite edge_self by auto; lra).
    assert (E : forall v w, dot (cross v w) (cross v w) = dot v v * dot w w - dot v w * dot v w)
      by (intros; unfold dot, cross, sum; simpl; clear; lra).
    rewrite E, !edge_self by auto. pose proof (Rle_0_sqr (dot (edge a i) (edge b j))) as Q. unfold Rsqr in Q. lra.
  Qed.

  Lemma negative_stays : forall k x, f a b (along a b k) < x -> stays (fun v => f a (moved b v) (along a b k) < x).
  Proof.
    intros k x H. exists ((x - f a b (along a b k)) / 4). split; [lra |].
    intros v Hv. pose proof (f_moved a b v _ ((x - f a b (along a b k)) / 4) ltac:(lra) Hv (along_length k)). lra.
  Qed.

  Let Q := n a * s a b.
  Lemma Q_pos : 0 < Q.
  Proof. apply Rmult_lt_0_compat; [apply n_pos | apply s_pos]; auto. Qed.

  Lemma f_below : forall k x, F a b k < Q * x -> f a b (along a b k) < x.
  Proof. intros k x H. rewrite F_is_n_s_f in H by auto. apply (Rmult_lt_reg_l Q); [apply Q_pos | exact H]. Qed.

  Let T := sum (fun i => Rabs (t a b i)).
  Let G := sum (gA a) + sum (gB a b).

  (** The rule for the edges i and j, in true numbers. *)
  Definition rule (i j : axis) : Prop :=
    angle a b i j <= 0.5006 /\
    forall k, is_face k -> F a b k < - (turn * (angle a b i j * (T + G))).

  Lemma distance_bound : 0 <= T / n a /\ dot (apart a b) (apart a b) <= T / n a * (T / n a).
  Proof.
    pose proof (n_pos a Ha) as N.
    assert (TP : 0 <= T) by (pose proof (abs_part (t a b) X); unfold T; lra).
    split; [apply Rmult_le_pos; [auto | apply Rlt_le, Rinv_0_lt_compat; auto] |].
    assert (E : dot (t a b) (t a b) = n a * n a * dot (apart a b) (apart a b)).
    { rewrite (dot_along a (apart a b)) by auto. unfold dot at 1, sum. rewrite !t_is by auto. unfold sum. clear; lra. }
    assert (S : dot (t a b) (t a b) <= T * T).
    { unfold dot, T, sum. rewrite <- (square_abs (t a b X)), <- (square_abs (t a b Y)), <- (square_abs (t a b Z)).
      pose proof (Rabs_pos (t a b X)) as P. pose proof (Rabs_pos (t a b Y)) as R0. pose proof (Rabs_pos (t a b Z)) as V.
      pose proof (Rmult_le_pos _ _ P R0). pose proof (Rmult_le_pos _ _ P V). pose proof (Rmult_le_pos _ _ R0 V). lra. }
    apply (Rmult_le_reg_l (n a * n a)); [apply Rmult_lt_0_compat; auto |].
    replace (n a * n a * (T / n a * (T / n a))) with (T * T) by (field; lra). lra.
  Qed.

  Lemma rule_stays : forall i j, rule i j -> stays (fun v => f a (moved b v) (along a b (Edges i j)) <= 0).
  Proof.
    intros i j [HS HF]. pose proof (n_pos a Ha) as N. pose proof (s_pos a b Ha Hb) as SP.
    pose proof (scale_range a b Ha Hb) as SR. destruct distance_bound as [D0 DD].
    set (D := T / n a) in *. set (S0 := angle a b i j) in *. set (S := S0 / s a b).
    assert (S0P : 0 <= S0) by (apply sqrt_pos).
    assert (SE : S0 = s a b * S) by (unfold S; field; lra).
    assert (SP0 : 0 <= S) by (apply (Rmult_le_reg_l (s a b)); auto; rewrite <- SE; lra).
    assert (Q12 : dot (edge b j) (edge a (next i)) * dot (edge b j) (edge a (next i))
      + dot (edge b j) (edge a (after i)) * dot (edge b j) (edge a (after i)) <= S * S).
    { apply (Rmult_le_reg_l (s a b * s a b)); [apply Rmult_lt_0_compat; auto |].
      replace (s a b * s a b * (S * S)) with (S0 * S0) by (rewrite SE; clear; lra).
      unfold S0. rewrite angle_square, !C_is, !(dot_comm (edge b j)) by auto. lra. }
    assert (SS : 0 <= S <= 0.51).
    { split; apply (Rmult_le_reg_l (s a b)); auto; rewrite <- SE; lra. }
    set (H := sum (half a) + sum (half b)).
    assert (FF : forall k, is_face k -> f a b (along a b k) < - (turn * S * (D + H))).
    { intros k Hk. apply f_below. specialize (HF k Hk).
      replace (Q * - (turn * S * (D + H))) with (- (turn * (S0 * (T + G)))); auto.
      rewrite SE. unfold Q, D, G, H, gA, gB, sum. field. lra. }
    assert (K : forall k, is_face k -> exists e0, 0 < e0 /\ forall e v, 0 < e <= e0 -> small v e ->
      f a (moved b v) (along a b k) <= - (turn * S * (D + 2 * e + H))).
    { intros k Hk. exists ((- (turn * S * (D + H)) - f a b (along a b k)) / 4). specialize (FF k Hk). split; [lra |].
      intros e v He Hv. pose proof (f_moved a b v _ e ltac:(lra) Hv (along_length k)).
      assert (turn * S * (2 * e) <= 2 * e) by (unfold turn; nra). lra. }
    assert (faces : forall g : axis -> direction, (forall x, is_face (g x)) -> exists e0, 0 < e0 /\ forall x e v, 0 <
      e <= e0 -> small v e ->
      f a (moved b v) (along a b (g x)) <= - (turn * S * (D + 2 * e + H))).
    { intros g Hg. destruct (K _ (Hg X)) as [x [X1 X2]], (K _ (Hg Y)) as [y [Y1 Y2]], (K _ (Hg Z)) as [z [Z1 Z2]].
      exists (Rmin x (Rmin y z)). split; [repeat apply Rmin_glb_lt; auto |].
      pose proof (Rmin_l x (Rmin y z)). pose proof (Rmin_r x (Rmin y z)). pose proof (Rmin_l y z). pose proof (Rmin_r
        y z).
      intros k e v He Hv. destruct k; [apply X2 | apply Y2 | apply Z2]; auto; lra. }
    destruct (faces FaceA) as [x [X1 X2]]; [intros ? ? ?; discriminate |].
    destruct (faces FaceB) as [y [Y1 Y2]]; [intros ? ? ?; discriminate |].
    exists (Rmin x y). pose proof (Rmin_l x y). pose proof (Rmin_r x y).
    assert (E0 : 0 < Rmin x y) by (apply Rmin_glb_lt; auto). split; auto.
    intros v Hv. set (e := Rmin x y) in *.
    assert (HH : D + 2 * e + H = D + 2 * e + sum (half a) + sum (half (moved b v))) by (unfold H; simpl; clear; lra).
    apply (parallel_edges a (moved b v) i j (D + 2 * e) S); auto; try lra.
    - (* the distance of the moved box *)
      assert (E : forall w, dot (apart a (moved b v)) w = dot (apart a b) w + dot v w)
        by (intro; unfold dot, apart, moved, sum; simpl; clear; lra).
      rewrite E, (dot_comm (apart a b)), (dot_comm v), !E.
      pose proof (short v e ltac:(lra) Hv) as V.
      pose proof (dot_short (apart a b) v D (2 * e) D0 ltac:(lra) DD V) as W. pose proof (Rle_abs (dot (apart a b) v)).
      rewrite (dot_comm v (apart a b)). lra.
    - intro k. rewrite <- HH. apply (X2 k); [lra | auto].
    - intro k. rewrite <- HH. apply (Y2 k); [lra | auto].
  Qed.

  Hypothesis faces : forall k, is_face k -> F a b k < 0.
  Hypothesis edges : forall i j, F a b (Edges i j) < 0 \/ rule i j.

  Theorem negative_or_rule_overlaps : overlapping a b.
  Proof.
    assert (N : forall k, F a b k < 0 -> stays (fun v => f a (moved b v) (along a b k) <= 0)).
    { intros k H. destruct (negative_stays k 0) as [e [E P]].
      - apply f_below. rewrite Rmult_0_r. auto.
      - exists e. split; auto. intros v Hv. apply Rlt_le, P, Hv. }
    assert (A1 : stays (fun v => forall i, f a (moved b v) (along a b (FaceA i)) <= 0))
      by (apply (axes_stay (fun i v => f a (moved b v) (along a b (FaceA i)) <= 0)); intro; apply N, faces; intros ? ?
        ?; discriminate).
    assert (B1 : stays (fun v => forall i, f a (moved b v) (along a b (FaceB i)) <= 0))
      by (apply (axes_stay (fun i v => f a (moved b v) (along a b (FaceB i)) <= 0)); intro; apply N, faces; intros ? ?
        ?; discriminate).
    assert (E1 : stays (fun v => forall i j, f a (moved b v) (along a b (Edges i j)) <= 0)).
    { apply (axes_stay (fun i v => forall j, f a (moved b v) (along a b (Edges i j)) <= 0)). intro i.
      apply (axes_stay (fun j v => f a (moved b v) (along a b (Edges i j)) <= 0)). intro j.
      destruct (edges i j) as [H | H]; [apply N; auto | apply rule_stays; auto]. }
    destruct (both_stay _ _ A1 (both_stay _ _ B1 E1)) as [e [E P]].
    assert (M : forall v, small v e -> collide a (moved b v)).
    { intros v Hv. destruct (P v Hv) as [PA [PB PE]]. apply fifteen_axes; auto.
      intros [i | j | i j]; [apply (PA i) | apply (PB j) | apply (PE i j)]. }
    assert (Self : collide a b).
    { destruct (M (fun _ => 0)) as [p [Pa [c [Hc Pp]]]]; [intro k; rewrite Rabs_R0; auto |].
      exists p. split; auto. exists c. split; auto. intro k. rewrite (Pp k). simpl. unfold moved. simpl. change (edge
        (Box _ _ _)) with (edge b). clear; lra. }
    split; auto. intros [_ T0]. destruct (T0 e E) as [v [Hv Sv]]. apply Sv, M. exact Hv.
  Qed.
End Overlapping.
