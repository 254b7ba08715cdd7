(** * The answers of the shader in f32, "separated" and "overlapping", are true. *)

Require Import Reals Lra Lia.
From Obbligato Require Import Boxes Formulas Separation Rounding Lengths Constants Propagation Parallel Axes
  Shader Filter Rule Overlapping.
Open Scope R_scope.

Section Answers.
  Variable u : R.
  Hypothesis u_small : 0 <= u <= 1 / 2 ^ 23.
  Variables (A kappa : R) (a b : box) (d' t' : vec) (n' : R) (r' : quat) (c' : axis -> axis -> R).
  Hypothesis HA : 0 <= A.
  Hypothesis Hkappa : Rabs (kappa - KAPPA) <= 0.01.
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Hypothesis Hrun : run u a b d' t' n' r' c'.

  (** An axis whose F + E is negative. *)
  Definition negative_axis (k : direction) : Prop :=
    exists w v, distance_run u t' r' k w /\ F_plus_E u A a b t' n' r' c' k w v /\ v < 0.

  (** What the rule for edges i, j adds to the F of a face: KAPPA Z S, of 18 terms, and 2 E, of 20. *)
  Definition addend (i j : axis) : R := added K_T K_G u t' c' (gA' a n') (gB' b n') A kappa i j.

  (** The rule for a face. Compilers may compare each face (11 terms), or the largest of them, x. *)
  Definition rule_run (i j : axis) (k : direction) : Prop :=
    exists w v, distance_run u t' r' k w /\ v < 0 /\
      let radii := radii' a b n' r' c' k in
      (computed u (11 + 18 + 20) 4 (w + radii + addend i j) (w - radii + addend i j) v \/
       exists y x, computed u 11 4 (w + radii) (w - radii) y /\ y <= x /\
         computed u (1 + 18 + 20) 4 (Rabs x + addend i j) (x + addend i j) v).

  Definition parallel_axis (i j : axis) : Prop :=
    (exists v, computed u 2 1 (sine i j c') (sine i j c') v /\ v < 0.5) /\
    forall k, is_face k -> rule_run i j k.

  (** When the shader answers "overlapping". *)
  Definition says_overlapping : Prop :=
    (forall k, is_face k -> negative_axis k) /\
    (forall i j, negative_axis (Edges i j) \/ parallel_axis i j).

  Lemma error_51 : 0 <= error u 51 <= 51.01 * u.
  Proof. pose proof (u_square u u_small). unfold error. simpl. lra. Qed.

  Lemma absolute_pos : forall i j, 0 <= c' i j.
  Proof. intros i j. destruct (run_c _ _ _ _ _ _ _ _ Hrun i j) as [v [_ ->]]. apply Rabs_pos. Qed.

  Lemma sine_small : forall i j v, computed u 2 1 (sine i j c') (sine i j c') v -> v < 0.5 ->
    0 <= sine i j c' <= 0.5001.
  Proof.
    intros i j v C V. pose proof (absolute_pos (next i) j). pose proof (absolute_pos (after i) j).
    apply (rounded u u_small 2 1 _ _ _ 1 eq_refl ltac:(lia) ltac:(simpl; lra)) in C.
    assert (P : 0 <= sine i j c') by (unfold sine; lra).
    pose proof (Rle_abs (- (v - sine i j c'))) as Q. rewrite Rabs_Ropp in Q.
    assert (error u 1 * sine i j c' <= 0.000001 * sine i j c').
    { apply Rmult_le_compat_r; auto. pose proof (u_square u u_small). unfold error. simpl. lra. }
    lra.
  Qed.

  Lemma rule_is_true : forall i j, parallel_axis i j -> rule a b i j.
  Proof.
    intros i j [[v0 [C0 V0]] HR]. pose proof (sine_small i j v0 C0 V0) as S.
    pose proof (run_near u u_small a b d' t' n' r' c' Ha Hb Hrun) as N.
    pose proof (scale_range a b Ha Hb) as SR.
    destruct (sine_near 41 17 22 5 u a b t' (norm2 r') (M r') c' (gA' a n') (gB' b n') 0 0 N i j absolute_pos)
      as [_ [_ D]].
    split.
    - assert (22 * u * s a b <= 0.00001 * s a b) by (apply Rmult_le_compat_r; lra). lra.
    - intros k Hk. destruct (HR k Hk) as [w [v [Hw [V H]]]]. cbv zeta in H.
      destruct (positive_parts u u_small A a b d' t' n' r' c' HA Ha Hb Hrun k w Hw) as [P1 [P2 _]].
      pose proof (distance_rounded u u_small t' r' k w Hw) as W.
      assert (ZP : 0 <= sum (fun i => Rabs (t' i)) + (sum (gA' a n') + sum (gB' b n'))).
      { destruct (gs_pos u u_small a b d' t' n' r' c' Ha Hb Hrun) as [GA GB].
        unfold sum. repeat apply Rplus_le_le_0_compat; auto; apply Rabs_pos. }
      assert (KP : 0 <= kappa) by (unfold KAPPA in Hkappa; pose proof (Rle_abs (- (kappa - 1.16))) as Q;
        rewrite Rabs_Ropp in Q; lra).
      assert (AP : 0 <= addend i j).
      { unfold addend, added, bound, K_T, K_G. apply Rplus_le_le_0_compat.
        - apply Rmult_le_pos; auto. apply Rmult_le_pos; [exact ZP | lra].
        - destruct (gs_pos u u_small a b d' t' n' r' c' Ha Hb Hrun) as [GA GB].
          assert (0 <= sum (fun i => Rabs (t' i))) by (unfold sum; repeat apply Rplus_le_le_0_compat; apply Rabs_pos).
          assert (0 <= sum (gA' a n') + sum (gB' b n')) by (unfold sum; repeat apply Rplus_le_le_0_compat; auto).
          assert (0 <= u * (92 * sum (fun i => Rabs (t' i)) + 72 * (sum (gA' a n') + sum (gB' b n')))) by (apply
            Rmult_le_pos; lra). lra. }
      apply rule_face with (ct := 41) (cC := 17) (cc := 22) (cg := 5) (co := 13.01) (p := 51.1) (KT := K_T) (KG := K_G)
        (u := u) (t' := t') (s' := norm2 r') (C' := M r') (c' := c') (gA' := gA' a n') (gB' := gB' b n')
        (e_t := 0) (e_g := 0) (e_w := 0) (e_v := 0) (A := A) (kappa := kappa) (w := w);
        auto using absolute_pos; try (unfold K_T, K_G; lra).
      change (radii (norm2 r') c' (gA' a n') (gB' b n') k) with (radii' a b n' r' c' k).
      set (rr := radii' a b n' r' c' k) in *. fold (addend i j). set (P := addend i j) in *.
      assert (U : u * (w + rr) <= 0.0000002 * (w + rr)) by (apply Rmult_le_compat_r; lra).
      assert (UP : 0 <= u * P <= 0.0000002 * P) by (split; [apply Rmult_le_pos | apply Rmult_le_compat_r]; lra).
      assert (UW : 0 <= u * (w + rr)) by (apply Rmult_le_pos; lra).
      destruct H as [C | [y [x [Cy [L Cx]]]]].
      + apply (rounded u u_small 49 4 _ _ _ 51 eq_refl ltac:(lia) ltac:(simpl; lra)) in C.
        pose proof (Rle_abs (- (v - (w - rr + P)))) as Q. rewrite Rabs_Ropp in Q. pose proof error_51.
        assert (error u 51 * (w + rr + P) <= 51.01 * u * (w + rr + P)) by (apply Rmult_le_compat_r; lra). lra.
      + apply (rounded u u_small 11 4 _ _ _ 13 eq_refl ltac:(lia) ltac:(simpl; lra)) in Cy.
        apply (rounded u u_small 39 4 _ _ _ 41 eq_refl ltac:(lia) ltac:(simpl; lra)) in Cx.
        pose proof (error_13 u u_small). pose proof error_51.
        assert (E41 : 0 <= error u 41 <= 0.00001) by (pose proof (u_square u u_small); unfold error; simpl; lra).
        pose proof (Rle_abs (- (v - (x + P)))) as Q. rewrite Rabs_Ropp in Q.
        pose proof (Rle_abs (- (y - (w - rr)))) as Q'. rewrite Rabs_Ropp in Q'.
        assert (error u 13 * (w + rr) <= 13.001 * u * (w + rr)) by (apply Rmult_le_compat_r; lra).
        assert (B : error u 41 * (Rabs x + P) <= 0.00001 * (Rabs x + P))
          by (apply Rmult_le_compat_r; [pose proof (Rabs_pos x) |]; lra).
        destruct (Rle_lt_dec 0 x) as [X | X]; [rewrite (Rabs_pos_eq x) in * by auto; lra |].
        rewrite (Rabs_left x) in * by auto. lra.
  Qed.

  Lemma negative_axis_is_true : forall k, negative_axis k -> F a b k < 0.
  Proof. intros k [w [v [W [C V]]]]. eapply negative_is_true; eauto. Qed.

  Theorem overlapping_is_true : says_overlapping -> overlapping a b.
  Proof.
    intros [HF HE]. apply negative_or_rule_overlaps; auto.
    - intros k Hk. apply negative_axis_is_true; auto.
    - intros i j. destruct (HE i j) as [H | H]; [left; apply negative_axis_is_true; auto | right; apply rule_is_true;
      auto].
  Qed.
End Answers.

Lemma u_of_shader : 0 <= u <= 1 / 2 ^ 23.
Proof. unfold u. lra. Qed.
Lemma A_pos : 0 <= A.
Proof. unfold A. apply Rlt_le, Rdiv_lt_0_compat; [lra | apply pow_lt; lra]. Qed.

(** The f32 shader, with the constants of [sat.wgsl]. *)
Theorem f32_shader_separated : forall a b d' t' n' r' c' k w v,
  valid a -> valid b -> run u a b d' t' n' r' c' -> distance_run u t' r' k w ->
  F_less_E u A a b t' n' r' c' k w v -> 0 < v -> separated a b.
Proof.
  intros. eapply (separated_is_true u u_of_shader A); eauto using A_pos.
Qed.

(** [kappa] is the f32 that is nearest to KAPPA. *)
Theorem f32_shader_overlapping : forall kappa a b d' t' n' r' c',
  valid a -> valid b -> run u a b d' t' n' r' c' -> Rabs (kappa - KAPPA) <= 0.01 ->
  says_overlapping u A kappa a b t' n' r' c' -> overlapping a b.
Proof. intros. eapply (overlapping_is_true u u_of_shader A kappa); eauto using A_pos. Qed.
