(** * Separated, touching or overlapping: the signs of F on fifteen axes decide, zero extents included.

    The axis of parallel edges has no length, and says nothing. Without it, boxes overlap if and only
    if all F are negative, and touch if and only if the largest is 0. *)

Require Import Rbase Rfunctions Lra FunctionalExtensionality.
From Obbligato Require Import Boxes Formulas Separation Lengths Propagation Complete Overlap Parallel Overlapping.
Open Scope R_scope.

(** How the sources find out that edges are parallel. *)
Definition parallel (a b : box) (k : direction) : Prop :=
  match k with
  | Edges i j => C a b (next i) j = 0 /\ C a b (after i) j = 0
  | _ => False
  end.

Lemma parallel_dec : forall a b k, {parallel a b k} + {~ parallel a b k}.
Proof.
  intros a b [i | j | i j]; simpl; auto.
  destruct (Req_EM_T (C a b (next i) j) 0); [| right; tauto].
  destruct (Req_EM_T (C a b (after i) j) 0); [left | right]; tauto.
Qed.

Section Signs.
  Variables a b : box.
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.

  Lemma square_of_product : forall i j, dot (cross (edge a i) (edge b j)) (cross (edge a i) (edge b j)) =
    dot (edge b j) (edge a (next i)) * dot (edge b j) (edge a (next i))
    + dot (edge b j) (edge a (after i)) * dot (edge b j) (edge a (after i)).
  Proof.
    intros i j.
    assert (L : forall v w, dot (cross v w) (cross v w) = dot v v * dot w w - dot v w * dot v w)
      by (intros; unfold dot, cross, sum; simpl; clear; lra).
    rewrite L, edge_self, (dot_along a (edge b j) (edge b j)) by auto. rewrite (dot_comm (edge a i)).
    unfold sum. destruct i; simpl; clear; lra.
  Qed.

  (** An axis has no length if and only if it is of parallel edges. *)
  Lemma length_is : forall k, ~ parallel a b k -> 0 < dot (along a b k) (along a b k).
  Proof.
    intros [i | j | i j] N; simpl; try (rewrite edge_self by auto; lra).
    rewrite square_of_product. pose proof (s_pos a b Ha Hb) as S.
    set (x := dot (edge b j) (edge a (next i))). set (y := dot (edge b j) (edge a (after i))).
    destruct (Req_dec x 0) as [X0 | X0]; [| nra]. destruct (Req_dec y 0) as [Y0 | Y0]; [| nra].
    exfalso. apply N. simpl. rewrite !C_is, !(dot_comm (edge a _)) by auto. fold x y. rewrite X0, Y0. lra.
  Qed.

  Lemma squares_vanish : forall v, dot v v = 0 -> v = (fun _ => 0).
  Proof.
    intros v H. apply functional_extensionality. intro k. unfold dot, sum in H.
    pose proof (Rle_0_sqr (v X)) as PX. pose proof (Rle_0_sqr (v Y)) as PY. pose proof (Rle_0_sqr (v Z)) as PZ.
    unfold Rsqr in *. apply Rsqr_0_uniq. unfold Rsqr. destruct k; lra.
  Qed.

  Lemma no_length : forall k, parallel a b k -> along a b k = (fun _ => 0).
  Proof.
    intros [i | j | i j] P; simpl in P; try contradiction. destruct P as [P Q]. simpl. apply squares_vanish.
    rewrite square_of_product. rewrite C_is, dot_comm in P, Q by auto. pose proof (s_pos a b Ha Hb) as S.
    apply Rmult_integral in P, Q. destruct P as [P | ->]; [lra |]. destruct Q as [Q | ->]; [lra |]. clear; lra.
  Qed.

  Lemma f_of_zero : forall c, f a c (fun _ => 0) = 0.
  Proof.
    intro c. unfold f, radius, dot, sum. rewrite !Rmult_0_r, !Rplus_0_r, !Rabs_R0. clear; lra.
  Qed.

  (** An axis that separates nothing stays one if a box is moved a little. *)
  Definition keeps_closed (k : direction) : Prop := stays (fun v => f a (moved b v) (along a b k) <= 0).

  Lemma negative_keeps : forall k, F a b k < 0 -> keeps_closed k.
  Proof.
    intros k H. destruct (negative_stays a b Ha Hb k 0) as [e [E P]].
    - apply f_below; auto. rewrite Rmult_0_r. auto.
    - exists e. split; auto. intros v Hv. apply Rlt_le, P, Hv.
  Qed.

  Lemma parallel_keeps : forall k, parallel a b k -> keeps_closed k.
  Proof.
    intros k P. exists 1. split; [lra |]. intros v _. rewrite (no_length k P), f_of_zero. lra.
  Qed.

  Lemma closed_overlaps : (forall k, keeps_closed k) -> overlapping a b.
  Proof.
    intro H.
    assert (A1 : stays (fun v => forall i, f a (moved b v) (along a b (FaceA i)) <= 0))
      by (apply (axes_stay (fun i v => f a (moved b v) (along a b (FaceA i)) <= 0)); intro; apply H).
    assert (B1 : stays (fun v => forall i, f a (moved b v) (along a b (FaceB i)) <= 0))
      by (apply (axes_stay (fun i v => f a (moved b v) (along a b (FaceB i)) <= 0)); intro; apply H).
    assert (E1 : stays (fun v => forall i j, f a (moved b v) (along a b (Edges i j)) <= 0)).
    { apply (axes_stay (fun i v => forall j, f a (moved b v) (along a b (Edges i j)) <= 0)). intro i.
      apply (axes_stay (fun j v => f a (moved b v) (along a b (Edges i j)) <= 0)). intro j. apply H. }
    destruct (both_stay _ _ A1 (both_stay _ _ B1 E1)) as [e [E P]].
    assert (N : forall v, small v e -> collide a (moved b v)).
    { intros v Hv. destruct (P v Hv) as [PA [PB PE]]. apply fifteen_axes; auto.
      intros [i | j | i j]; [apply (PA i) | apply (PB j) | apply (PE i j)]. }
    assert (Self : collide a b).
    { destruct (N (fun _ => 0)) as [p [Pa [c [Hc Pp]]]]; [intro k; rewrite Rabs_R0; auto |].
      exists p. split; auto. exists c. split; auto. intro k. rewrite (Pp k). simpl. unfold moved. simpl.
      change (edge (Box _ _ _)) with (edge b). clear; lra. }
    split; auto. intros [_ T]. destruct (T e E) as [v [Hv Sv]]. exact (Sv (N v Hv)).
  Qed.

  (** Along an axis that has a length and on which f is 0, any move away separates. *)
  Lemma moves_away : forall l, 0 < dot l l -> f a b l = 0 ->
    forall e, 0 < e -> exists v, small v e /\ separated a (moved b v).
  Proof.
    intros l L H e He.
    set (g := if Rle_dec 0 (dot (apart a b) l) then 1 else -1).
    assert (G : Rabs g = 1) by (unfold g; destruct (Rle_dec _ _); [apply Rabs_R1 | rewrite Rabs_left; lra]).
    assert (GD : g * dot (apart a b) l = Rabs (dot (apart a b) l)).
    { unfold g. destruct (Rle_dec _ _); [rewrite Rabs_pos_eq by auto | rewrite Rabs_left by lra]; lra. }
    set (m := sum (fun k => Rabs (l k)) + 1).
    assert (M : forall k, Rabs (l k) < m) by (intro k; pose proof (abs_part l k); unfold m; lra).
    assert (MP : 0 < m) by (pose proof (Rabs_pos (l X)); specialize (M X); lra).
    set (h := e / m). assert (HP : 0 < h) by (apply Rdiv_lt_0_compat; auto).
    exists (fun k => h * g * l k). split.
    - intro k. rewrite !Rabs_mult, G, (Rabs_pos_eq h) by lra. replace e with (h * 1 * m) by (unfold h; field; lra).
      apply Rmult_lt_compat_l; [lra | auto].
    - apply (gap_separates a _ l); auto. unfold f in *.
      change (radius (moved b (fun k => h * g * l k)) l) with (radius b l).
      assert (E : dot (apart a (moved b (fun k => h * g * l k))) l = dot (apart a b) l + h * g * dot l l)
        by (unfold dot, apart, moved, sum; simpl; clear; lra).
      rewrite E. pose proof (Rle_abs (g * (dot (apart a b) l + h * g * dot l l))) as Q.
      rewrite Rabs_mult, G in Q.
      assert (GG : g * g = 1) by (unfold g; destruct (Rle_dec _ _); lra).
      replace (g * (dot (apart a b) l + h * g * dot l l)) with
        (g * dot (apart a b) l + (g * g) * (h * dot l l)) in Q by (clear; lra).
      rewrite GG, GD in Q. assert (0 < h * dot l l) by (apply Rmult_lt_0_compat; auto). lra.
  Qed.

  Lemma zero_touches : (forall k, F a b k <= 0) -> (exists k, ~ parallel a b k /\ F a b k = 0) -> touching a b.
  Proof.
    intros H [k [N E]]. split; [apply no_positive_F_collides; auto |]. apply (moves_away (along a b k)).
    - apply length_is, N.
    - rewrite F_is_n_s_f in E by auto. pose proof (n_pos a Ha). pose proof (s_pos a b Ha Hb).
      apply Rmult_integral in E. destruct E as [E | E]; auto. apply Rmult_integral in E. lra.
  Qed.

  Lemma parallel_F : forall k, parallel a b k -> F a b k = 0.
  Proof. intros k P. rewrite F_is_n_s_f, no_length, f_of_zero by auto. clear; lra. Qed.

  Lemma negative_overlaps : (forall k, ~ parallel a b k -> F a b k < 0) -> overlapping a b.
  Proof.
    intro H. apply closed_overlaps. intro k.
    destruct (parallel_dec a b k); [apply parallel_keeps | apply negative_keeps]; auto.
  Qed.

  Lemma axes_dec : forall P : direction -> Prop, (forall k, {P k} + {~ P k}) -> (exists k, P k) \/ forall k, ~ P k.
  Proof.
    intros P D.
    assert (One : forall Q : axis -> Prop, (forall i, {Q i} + {~ Q i}) -> {exists i, Q i} + {forall i, ~ Q i}).
    { intros Q E. destruct (E X); [left; eauto |]. destruct (E Y); [left; eauto |]. destruct (E Z); [left; eauto |].
      right. intros []; auto. }
    destruct (One (fun i => P (FaceA i))) as [[i H] | HA]; [auto | eauto |].
    destruct (One (fun j => P (FaceB j))) as [[j H] | HB]; [auto | eauto |].
    assert (DE : forall i, {exists j, P (Edges i j)} + {~ exists j, P (Edges i j)}).
    { intro i. destruct (One (fun j => P (Edges i j))) as [E | E]; [auto | auto |]. right. intros [j Hj]. exact (E j Hj). }
    destruct (One _ DE) as [[i [j H]] | HE]; [eauto |].
    right. intros [i | j | i j] H; [exact (HA i H) | exact (HB j H) | apply (HE i); eauto].
  Qed.

  (** ** The theorem *)
  Theorem separated_is : separated a b <-> exists k, 0 < F a b k.
  Proof.
    split.
    - intro S. destruct (axes_dec (fun k => 0 < F a b k)) as [E | N]; [intro; apply Rlt_dec | exact E |].
      exfalso. apply S, no_positive_F_collides; auto. intro k. apply Rnot_lt_le, N.
    - intros [k H]. apply positive_F_separates; auto. destruct k; simpl in H; eauto.
  Qed.

  Theorem touching_is :
    touching a b <-> (forall k, F a b k <= 0) /\ exists k, ~ parallel a b k /\ F a b k = 0.
  Proof.
    split; [| intros [H E]; apply zero_touches; auto].
    intros [Hc Hm].
    assert (H : forall k, F a b k <= 0).
    { intro k. apply Rnot_lt_le. intro P. apply (proj2 separated_is); eauto. }
    split; auto.
    destruct (axes_dec (fun k => ~ parallel a b k /\ F a b k = 0)) as [E | N].
    - intro k. destruct (parallel_dec a b k), (Req_EM_T (F a b k) 0); auto; right; tauto.
    - exact E.
    - exfalso. apply (negative_overlaps); [| split; auto]. intros k P. specialize (H k). specialize (N k).
      destruct (Rle_lt_or_eq_dec _ _ H); tauto.
  Qed.

  Theorem overlapping_is : overlapping a b <-> forall k, ~ parallel a b k -> F a b k < 0.
  Proof.
    split; [| apply negative_overlaps].
    intros [Hc Ht] k N. apply Rnot_le_lt. intro P. apply Ht, zero_touches.
    - intro k'. apply Rnot_lt_le. intro P'. apply (proj2 separated_is); eauto.
    - exists k. split; auto. apply Rle_antisym; auto.
      apply Rnot_lt_le. intro P'. apply (proj2 separated_is); eauto.
  Qed.
End Signs.
