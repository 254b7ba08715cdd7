(** * The answers of the shader in f32, "separated" and "overlapping", are true. *)

Require Import Rbase Rfunctions Lra Lia.
From Obbligato Require Import Boxes Formulas Separation Rounding Flushing Lengths Constants Propagation Parallel Axes
  Shader Filter Rule Overlapping.
Open Scope R_scope.

Section Answers.
  Variables u phi : R.
  Hypothesis u_small : 0 < u <= 1 / 2 ^ 23.
  Hypothesis phi_small : 0 <= phi <= u * u * u * u.
  Let u_weak : 0 <= u <= 1 / 2 ^ 23 := conj (Rlt_le _ _ (proj1 u_small)) (proj2 u_small).
  Variables (A kappa : R) (a b : box) (d' t' : vec) (n' : R) (r' : quat) (c' : axis -> axis -> R).
  Hypothesis HA : 256 * phi <= A.
  Hypothesis Hkappa : Rabs (kappa - KAPPA) <= 0.01.
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Hypothesis Hrun : run u phi a b d' t' n' r' c'.

  (** An axis whose F + E is negative. *)
  Definition negative_axis (k : direction) : Prop :=
    exists w v, distance_run u phi t' r' k w /\ F_plus_E u phi A a b t' n' r' c' k w v /\ v < 0.

  (** What the rule for edges i, j adds to the F of a face: KAPPA Z S, of 18 terms, and 2 E, of 20. *)
  Definition addend (i j : axis) : R := added K_T K_G u t' c' (gA' a n') (gB' b n') A kappa i j.

  (** The rule for a face. Compilers may compare each face (11 terms), or the largest of them, x.
      The caps of KAPPA Z S are above KAPPA. *)
  Definition rule_run (i j : axis) (k : direction) : Prop :=
    exists w v, distance_run u phi t' r' k w /\ v < 0 /\
      let radii := radii' a b n' r' c' k in
      let L := E' u A a b t' n' (Edges i j) / u in
      (computed_length u phi (11 + 18 + 20) 4 (11.1 + 21.3 + 20.1) L
         (w + radii + addend i j) (w - radii + addend i j) v \/
       exists y x, computed_length u phi 11 4 11.1 L (w + radii) (w - radii) y /\ y <= x /\
         computed_length u phi (1 + 18 + 20) 4 (1 + 21.3 + 20.1) L (Rabs x + addend i j) (x + addend i j) v).

  Definition parallel_axis (i j : axis) : Prop :=
    (exists v, computed u phi 2 1 (sine i j c') (sine i j c') v /\ v < 0.5) /\
    forall k, is_face k -> rule_run i j k.

  (** When the shader answers "overlapping". *)
  Definition says_overlapping : Prop :=
    (forall k, is_face k -> negative_axis k) /\
    (forall i j, negative_axis (Edges i j) \/ parallel_axis i j).

  Lemma error_51 : 0 <= error u 51 <= 51.01 * u.
  Proof. pose proof (u_square u u_weak). unfold error. simpl. lra. Qed.

  Lemma absolute_pos : forall i j, 0 <= c' i j.
  Proof. intros i j. destruct (run_c _ _ _ _ _ _ _ _ _ Hrun i j) as [v [_ ->]]. apply Rabs_pos. Qed.

  Lemma sine_small : forall i j v, computed u phi 2 1 (sine i j c') (sine i j c') v -> v < 0.5 ->
    0 <= sine i j c' <= 0.5001.
  Proof.
    intros i j v C V. pose proof (absolute_pos (next i) j). pose proof (absolute_pos (after i) j).
    pose proof (phi_tiny u phi u_weak phi_small) as Fl.
    apply (rounded u phi u_weak phi_small 2 1 _ _ _ 1 eq_refl ltac:(lia) ltac:(simpl; lra)) in C.
    assert (P : 0 <= sine i j c') by (unfold sine; lra).
    pose proof (Rle_abs (- (v - sine i j c'))) as Q. rewrite Rabs_Ropp in Q.
    assert (error u 1 * sine i j c' <= 0.000001 * sine i j c').
    { apply Rmult_le_compat_r; auto. pose proof (u_square u u_weak). unfold error. simpl. lra. }
    lra.
  Qed.

  Lemma rule_is_true : forall i j, parallel_axis i j -> rule a b i j.
  Proof.
    intros i j [[v0 [C0 V0]] HR]. pose proof (sine_small i j v0 C0 V0) as S.
    pose proof (run_near u phi u_small phi_small a b d' t' n' r' c' Ha Hb Hrun) as N.
    pose proof (scale_range a b Ha Hb) as SR.
    destruct (sine_near 41 17 22 5 u a b t' (norm2 r') (M r') c' (gA' a n') (gB' b n') (89.5 * phi) 0 N i j absolute_pos)
      as [_ [_ D]].
    split.
    - assert (22 * u * s a b <= 0.00001 * s a b) by (apply Rmult_le_compat_r; lra). lra.
    - intros k Hk. destruct (HR k Hk) as [w [v [Hw [V H]]]]. cbv zeta in H.
      destruct (positive_parts u phi u_small phi_small A a b d' t' n' r' c' HA Ha Hb Hrun k w Hw) as [P1 [P2 _]].
      pose proof (distance_rounded u phi u_small phi_small a b d' t' n' r' c' Ha Hb Hrun k w Hw) as W.
      assert (ZP : 0 <= sum (fun i => Rabs (t' i)) + (sum (gA' a n') + sum (gB' b n'))).
      { destruct (gs_pos u phi u_small phi_small a b d' t' n' r' c' Ha Hb Hrun) as [GA GB].
        unfold sum. repeat apply Rplus_le_le_0_compat; auto; apply Rabs_pos. }
      assert (KP : 0 <= kappa) by (unfold KAPPA in Hkappa; pose proof (Rle_abs (- (kappa - 1.16))) as Q;
        rewrite Rabs_Ropp in Q; lra).
      assert (KZS : 0 <= kappa * ((sum (fun i => Rabs (t' i)) + (sum (gA' a n') + sum (gB' b n'))) * sine i j c'))
        by (apply Rmult_le_pos; auto; apply Rmult_le_pos; [exact ZP | lra]).
      pose proof (phi_tiny u phi u_weak phi_small) as Fl.
      assert (EP0 : 0 <= E' u A a b t' n' (Edges i j)).
      { destruct (gs_pos u phi u_small phi_small a b d' t' n' r' c' Ha Hb Hrun) as [GA GB]. unfold E', bound, K_T, K_G.
        assert (0 <= sum (fun i => Rabs (t' i))) by (unfold sum; repeat apply Rplus_le_le_0_compat; apply Rabs_pos).
        assert (0 <= extents (gA' a n') (gB' b n') (Edges i j))
          by (unfold extents, sum; repeat apply Rplus_le_le_0_compat; auto).
        apply Rplus_le_le_0_compat; [apply Rmult_le_pos |]; lra. }
      assert (PE : addend i j = kappa * ((sum (fun i => Rabs (t' i)) + (sum (gA' a n') + sum (gB' b n'))) * sine i j c')
        + 2 * E' u A a b t' n' (Edges i j)) by reflexivity.
      apply rule_face with (ct := 41) (cC := 17) (cc := 22) (cg := 5) (co := 13.01) (p := 51.1) (KT := K_T) (KG := K_G)
        (u := u) (t' := t') (s' := norm2 r') (C' := M r') (c' := c') (gA' := gA' a n') (gB' := gB' b n')
        (e_t := 89.5 * phi) (e_g := 0) (e_w := 48.6 * phi) (e_v := 268.2 * phi) (A := A) (kappa := kappa) (w := w);
        auto using absolute_pos; try (unfold K_T, K_G; lra).
      change (radii (norm2 r') c' (gA' a n') (gB' b n') k) with (radii' a b n' r' c' k).
      set (rr := radii' a b n' r' c' k) in *. fold (addend i j). set (P := addend i j) in *.
      set (E := E' u A a b t' n' (Edges i j)) in *.
      assert (U : u * (w + rr) <= 0.0000002 * (w + rr)) by (apply Rmult_le_compat_r; lra).
      assert (UP : 0 <= u * P <= 0.0000002 * P) by (split; [apply Rmult_le_pos | apply Rmult_le_compat_r]; lra).
      assert (UW : 0 <= u * (w + rr)) by (apply Rmult_le_pos; lra).
      assert (LF := fun Q e => last_flushes u phi u_weak phi_small 4 Q e (proj1 u_small) ltac:(lia)). simpl INR in LF.
      assert (LP : 0 <= E / u) by (apply Rmult_le_pos; [lra |]; apply Rlt_le, Rinv_0_lt_compat; lra).
      assert (EP : 2 * E <= P) by lra.
      assert (UE : 0 <= u * E <= 0.0000002 * E) by (split; [apply Rmult_le_pos | apply Rmult_le_compat_r]; lra).
      destruct H as [C | [y [x [Cy [L Cx]]]]].
      + apply (rounded_length u phi u_weak phi_small 49 4 _ _ _ _ _ 51 eq_refl ltac:(lia) ltac:(simpl; lra) LP) in C. simpl INR in C.
        pose proof (LF (11.1 + 21.3 + 20.1) E ltac:(lra) ltac:(lra)) as LF1.
        pose proof (Rle_abs (- (v - (w - rr + P)))) as Q. rewrite Rabs_Ropp in Q. pose proof error_51.
        assert (error u 51 * (w + rr + P) <= 51.01 * u * (w + rr + P)) by (apply Rmult_le_compat_r; lra). lra.
      + apply (rounded_length u phi u_weak phi_small 11 4 _ _ _ _ _ 13 eq_refl ltac:(lia) ltac:(simpl; lra) LP) in Cy. simpl INR in Cy.
        apply (rounded_length u phi u_weak phi_small 39 4 _ _ _ _ _ 41 eq_refl ltac:(lia) ltac:(simpl; lra) LP) in Cx. simpl INR in Cx.
        pose proof (LF 11.1 E ltac:(lra) ltac:(lra)) as LF1.
        pose proof (LF (1 + 21.3 + 20.1) E ltac:(lra) ltac:(lra)) as LF2.
        pose proof (error_13 u u_weak). pose proof error_51.
        assert (E41 : 0 <= error u 41 <= 0.00001) by (pose proof (u_square u u_weak); unfold error; simpl; lra).
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

(** The f32 shader, with the constants of [sat.wgsl]. *)
Lemma u_of_shader : 0 < u <= 1 / 2 ^ 23.
Proof. unfold u. lra. Qed.
Lemma phi_of_shader : 0 <= phi <= u * u * u * u.
Proof. unfold u, phi. lra. Qed.
Lemma A_of_shader : 256 * phi <= A.
Proof. unfold A, phi. lra. Qed.

Theorem f32_shader_separated : forall a b d' t' n' r' c' k w v,
  valid a -> valid b -> run u phi a b d' t' n' r' c' -> distance_run u phi t' r' k w ->
  F_less_E u phi A a b t' n' r' c' k w v -> 0 < v -> separated a b.
Proof.
  intros. eapply (separated_is_true u phi u_of_shader phi_of_shader A); eauto using A_of_shader.
Qed.

(** [kappa] is the f32 that is nearest to KAPPA. *)
Theorem f32_shader_overlapping : forall kappa a b d' t' n' r' c',
  valid a -> valid b -> run u phi a b d' t' n' r' c' -> Rabs (kappa - KAPPA) <= 0.01 ->
  says_overlapping u phi A kappa a b t' n' r' c' -> overlapping a b.
Proof.
  intros. eapply (overlapping_is_true u phi u_of_shader phi_of_shader A kappa); eauto using A_of_shader.
Qed.
