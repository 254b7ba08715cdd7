(** * Vectors and directions as seen from a box, and the error that the product of two quaternions makes. *)

Require Import Rbase Rfunctions Lra Lia.
From Obbligato Require Import Boxes Formulas Rounding Flushing Lengths Constants Propagation Shader Margins Round Squares Directions.
Open Scope R_scope.

(** A vector as seen from a box. *)
Definition seen (a : box) (v : vec) : vec := fun i => dot v (edge a i).

Lemma dot_seen : forall a v w, valid a -> dot (seen a v) (seen a w) = dot v w.
Proof. intros a v w H. rewrite (dot_along a v w H). reflexivity. Qed.
Lemma len_seen : forall a v, valid a -> len (seen a v) = len v.
Proof. intros a v H. unfold len, square. rewrite dot_seen by auto. reflexivity. Qed.

(** The direction of another's axis, as seen from a box, is that of the product of the quaternions. *)
Lemma direction_seen : forall a b i, 0 < norm2 (rotation a) -> 0 < norm2 (rotation b) ->
  seen a (direction_of (rotation b)) i = direction_of (r a b) i.
Proof.
  intros a b i A B. unfold seen, direction_of. change (M (r a b) i Z) with (C a b i Z). rewrite C_is_product.
  change (norm2 (r a b)) with (s a b). rewrite s_is. unfold dot, sum, edge. field. lra.
Qed.

Section Turn.
  Variable u : R.
  Hypothesis u_range : 1 / 2 ^ 24 <= u <= 1 / 2 ^ 23.
  Variables (a b : box) (r' : quat).
  Hypothesis Hr : forall p, part p ->
    computed u phi 4 2 (p (relative_magnitude (rotation a) (rotation b))) (p (r a b)) (p r').
  Hypothesis Hs : 0.495 <= s a b <= 1.00421.

  Lemma component_error : forall p, part p -> (p r' - p (r a b)) * (p r' - p (r a b)) <= (4.002 * u) * (4.002 * u) * s a b.
  Proof.
    intros p Hp. destruct (magnitude_square u phi a b r' Hr p Hp) as [P Q].
    pose proof (rounded u phi (u_low u u_range) (phi_fourth u u_range) 4 2 _ _ _ 4 eq_refl ltac:(lia) ltac:(simpl; lra) (Hr p Hp)) as E.
    pose proof (error_4 u (u_low u u_range)) as E4. rewrite <- square_abs.
    set (m := p (relative_magnitude (rotation a) (rotation b))) in *.
    assert (M1 : m <= 1.01) by (apply Rnot_lt_le; intro Lt; nra).
    assert (L : Rabs (p r' - p (r a b)) <= 4.001 * u * m + 0.00001 * u).
    { assert (error u 4 * m <= 4.001 * u * m) by (apply Rmult_le_compat_r; lra). unfold phi in *. lra. }
    apply Rle_trans with ((4.001 * u * m + 0.00001 * u) * (4.001 * u * m + 0.00001 * u)).
    - apply Rmult_le_compat; auto; apply Rabs_pos.
    - replace ((4.001 * u * m + 0.00001 * u) * (4.001 * u * m + 0.00001 * u))
        with (u * u * (4.001 * 4.001 * (m * m) + 2 * 4.001 * 0.00001 * m + 0.00001 * 0.00001)) by lra.
      replace (4.002 * u * (4.002 * u) * s a b) with (u * u * (4.002 * 4.002 * s a b)) by lra.
      apply Rmult_le_compat_l; [apply Rle_0_sqr | lra].
  Qed.

  Lemma turn_error : norm2 (e_r a b r') <= (8.004 * u) * (8.004 * u) * norm2 (r a b).
  Proof.
    unfold e_r, norm2 at 1; simpl. change (norm2 (r a b)) with (s a b).
    pose proof (component_error qx ltac:(unfold part; auto)). pose proof (component_error qy ltac:(unfold part; auto)).
    pose proof (component_error qz ltac:(unfold part; auto)). pose proof (component_error qw ltac:(unfold part; auto)). lra.
  Qed.

  Lemma turn_direction : turns r' /\ len (less (direction_of r') (direction_of (r a b))) <= 43.8 * u.
  Proof.
    assert (K0 : 0 <= 8.004 * u) by lra. pose proof turn_error as T. pose proof (u_square u (u_low u u_range)) as UU.
    assert (KK : 2 * (8.004 * u) + 8.004 * u * (8.004 * u) <= 16.009 * u) by lra.
    pose proof (norm2_change (r a b) (e_r a b r') _ K0 T) as N. rewrite <- (r_plus u phi a b r' Hr) in N.
    change (norm2 (r a b)) with (s a b) in N. set (s0 := s a b) in *. set (n' := norm2 r') in *.
    assert (N' : Rabs (n' - s0) <= 16.009 * u * s0) by (eapply Rle_trans; [exact N |]; apply Rmult_le_compat_r; lra).
    assert (US : u * s0 <= 0.0000002 * s0) by (apply Rmult_le_compat_r; lra).
    assert (NB : 0.99999 * s0 <= n' <= 1.00001 * s0) by (apply Rabs_def2_le in N'; lra).
    split; [unfold turns; fold n'; lra |].
    assert (SN : s0 / n' <= 1.0001).
    { apply (Rmult_le_reg_r n'); [lra |]. replace (s0 / n' * n') with s0 by (field; lra). lra. }
    assert (SP : 0 <= s0 / n') by (apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]).
    assert (B : forall i, Rabs (less (direction_of r') (direction_of (r a b)) i) <=
      added (fun _ => 16.011 * u) (scaled (16.011 * u) (sizes (direction_of (r a b)))) i).
    { intro i. unfold less, added, scaled, sizes, direction_of. fold n'. change (norm2 (r a b)) with s0.
      set (x := M (r a b) i Z). set (x' := M r' i Z).
      assert (E : Rabs (x' - x) <= 16.009 * u * s0).
      { pose proof (M_change (r a b) (e_r a b r') _ i Z K0 T) as MC. rewrite <- (r_plus u phi a b r' Hr) in MC.
        eapply Rle_trans; [exact MC |]. apply Rmult_le_compat_r; [unfold s0 in *; change (norm2 (r a b)) with (s a b); lra | lra]. }
      replace (x' / n' - x / s0) with ((x' - x) / n' + - ((n' - s0) / n' * (x / s0))) by (field; lra).
      assert (Q : forall y, Rabs y <= 16.009 * u * s0 -> Rabs (y / n') <= 16.011 * u).
      { intros y Hy. unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ n')) by (apply Rlt_le, Rinv_0_lt_compat; lra).
        apply Rle_trans with (16.009 * u * s0 * / n').
        - apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra | exact Hy].
        - replace (16.009 * u * s0 * / n') with (16.009 * u * (s0 / n')) by (unfold Rdiv; clear; lra).
          apply Rle_trans with (16.009 * u * 1.0001); [apply Rmult_le_compat_l; lra | lra]. }
      eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_Ropp, Rabs_mult.
      apply Rplus_le_compat; [apply Q, E | apply Rmult_le_compat_r; [apply Rabs_pos | apply Q, N']]. }
    eapply Rle_trans; [exact (len_bounded _ _ B) |]. eapply Rle_trans; [apply len_added |].
    rewrite len_scaled, len_sizes, direction_is_unit by (change (norm2 (r a b)) with s0; lra).
    rewrite Rabs_pos_eq by lra. pose proof (len_all (16.011 * u) ltac:(lra)). lra.
  Qed.
End Turn.
