(** * The CPU's answers in f64 are true, underflow aside.

    Rust evaluates what is written, which is one of the rewritings that the model allows, so
    [Shader.v] holds with u = 2^-53. F and E are numbers here before they are compared, and
    E = 48 * 2^-52 Z is at least 92 u T + 72 u G. *)

Require Import Reals Lra Lia.
From Obbligato Require Import Boxes Formulas Separation Rounding Lengths Constants Propagation Parallel Axes
  Shader Filter Rule Overlapping Answers.
Open Scope R_scope.

Definition u64 : R := 1 / 2 ^ 53.

Section Cpu.
  Variables (kappa : R) (a b : box) (d' t' : vec) (n' : R) (r' : quat) (c' : axis -> axis -> R).
  Hypothesis Hkappa : Rabs (kappa - KAPPA) <= 0.01.
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Hypothesis Hrun : run u64 a b d' t' n' r' c'.

  Let T' := sum (fun i => Rabs (t' i)).
  Let G' := sum (gA' a n') + sum (gB' b n').
  Let E := ERROR_FACTOR * (2 * u64) * (T' + G').

  (** An F, E, and the margin of the rule, as computed. Those of a face have 11 terms. *)
  Definition F_run (k : direction) (w v : R) : Prop := distance_run u64 t' r' k w /\
    computed u64 11 4 (w + radii' a b n' r' c' k) (w - radii' a b n' r' c' k) v.
  Definition E_run (e : R) : Prop := computed u64 9 4 E E e.
  Definition margin_run (i j : axis) (m : R) : Prop :=
    computed u64 (18 + 18) 4 (kappa * ((T' + G') * sine i j c') + 2 * E) (kappa * ((T' + G') * sine i j c') + 2 * E) m.

  Definition separates (k : direction) : Prop := exists w v e, F_run k w v /\ E_run e /\ e < v.
  Definition clears (k : direction) : Prop := exists w v e, F_run k w v /\ E_run e /\ v < - e.
  (** x is the largest F of the faces. *)
  Definition parallel_run (i j : axis) : Prop := exists x m,
    (exists v, computed u64 2 1 (sine i j c') (sine i j c') v /\ v < 0.5) /\ margin_run i j m /\ x < - m /\
    forall k, is_face k -> exists w v, F_run k w v /\ v <= x.
  Definition decides_overlapping : Prop :=
    (forall k, is_face k -> clears k) /\ (forall i j, clears (Edges i j) \/ parallel_run i j).

  Lemma u64_small : 0 <= u64 <= 1 / 2 ^ 23.
  Proof. unfold u64. lra. Qed.
  Lemma error_64 : 0 <= error u64 13 <= 13.01 * u64 /\ 0 <= error u64 11 <= 0.00001 /\ 0 <= error u64 38 <= 0.00001.
  Proof. unfold error, u64. simpl. lra. Qed.

  Lemma lengths_pos : 0 <= T' /\ 0 <= G' /\ forall k, extents (gA' a n') (gB' b n') k <= G'.
  Proof.
    destruct (gs_pos u64 u64_small a b d' t' n' r' c' Ha Hb Hrun) as [GA GB].
    pose proof (GA X). pose proof (GA Y). pose proof (GA Z). pose proof (GB X). pose proof (GB Y). pose proof (GB Z).
    repeat split.
    - unfold T', sum. repeat apply Rplus_le_le_0_compat; apply Rabs_pos.
    - unfold G', sum. lra.
    - intro k. unfold G', extents, sum. destruct k as [i | j | i j]; [destruct i | destruct j |]; lra.
  Qed.

  (** E is enough on each axis. *)
  Lemma E_enough : forall k e, E_run e -> bound K_T K_G u64 0 T' (extents (gA' a n') (gB' b n') k) <= e.
  Proof.
    intros k e H. destruct lengths_pos as [TP [GP L]]. specialize (L k). destruct error_64 as [_ [E11 _]].
    pose proof u64_small as U.
    apply (rounded u64 U 9 4 _ _ _ 11 eq_refl ltac:(lia) ltac:(unfold u64; simpl; lra)) in H.
    assert (EP : 0 <= E) by (unfold E, ERROR_FACTOR; apply Rmult_le_pos; lra).
    assert (error u64 11 * E <= 0.00001 * E) by (apply Rmult_le_compat_r; lra).
    pose proof (Rle_abs (- (e - E))) as Q. rewrite Rabs_Ropp in Q. unfold bound, K_T, K_G.
    assert (B : u64 * (92 * T' + 72 * extents (gA' a n') (gB' b n') k) <= u64 * (95 * (T' + G'))) by (apply
      Rmult_le_compat_l; lra).
    assert (0 <= u64 * (T' + G')) by (apply Rmult_le_pos; lra).
    unfold E, ERROR_FACTOR in *. lra.
  Qed.

  Lemma F_rounded : forall k w v, F_run k w v -> Rabs (v - (w - radii' a b n' r' c' k)) <= 13.01 * u64 * (w + radii' a
    b n' r' c' k)
    /\ 0 <= w + radii' a b n' r' c' k.
  Proof.
    intros k w v [Hw C]. pose proof u64_small as U. destruct error_64 as [E13 _].
    destruct (positive_parts u64 U 0 a b d' t' n' r' c' ltac:(lra) Ha Hb Hrun k w Hw) as [P [Q _]].
    apply (rounded u64 U 11 4 _ _ _ 13 eq_refl ltac:(lia) ltac:(unfold u64; simpl; lra)) in C.
    split; [| lra]. eapply Rle_trans; [exact C |]. apply Rmult_le_compat_r; lra.
  Qed.

  Lemma bound_pos : forall k, 0 <= bound K_T K_G u64 0 T' (extents (gA' a n') (gB' b n') k).
  Proof.
    intro k. destruct lengths_pos as [TP _]. destruct (gs_pos u64 u64_small a b d' t' n' r' c' Ha Hb Hrun) as [GA GB].
    assert (0 <= extents (gA' a n') (gB' b n') k)
      by (unfold extents, sum; destruct k; repeat apply Rplus_le_le_0_compat; auto).
    pose proof u64_small. unfold bound, K_T, K_G. rewrite Rplus_0_r. apply Rmult_le_pos; lra.
  Qed.

  Lemma sign_is_true : forall k w v, F_run k w v ->
    (bound K_T K_G u64 0 T' (extents (gA' a n') (gB' b n') k) < v -> 0 < F a b k) /\
    (v < - bound K_T K_G u64 0 T' (extents (gA' a n') (gB' b n') k) -> F a b k < 0).
  Proof.
    intros k w v H. pose proof u64_small as U. destruct (F_rounded k w v H) as [R P]. destruct H as [Hw _].
    pose proof (run_near u64 U a b d' t' n' r' c' Ha Hb Hrun) as N.
    pose proof (distance_rounded u64 U t' r' k w Hw) as W. pose proof (bound_pos k) as B.
    set (e := bound K_T K_G u64 0 T' (extents (gA' a n') (gB' b n') k)) in *.
    assert (S : 13.01 * u64 * (w + radii' a b n' r' c' k) <= 13.01 * u64 * (w + radii' a b n' r' c' k + e) + 0)
      by (rewrite Rplus_0_r; apply Rmult_le_compat_l; lra).
    split; intro V.
    - apply positive with (ct := 41) (cC := 17) (cc := 22) (cg := 5) (co := 13.01) (KT := K_T) (KG := K_G) (u := u64)
        (t' := t') (s' := norm2 r') (C' := M r') (c' := c') (gA' := gA' a n') (gB' := gB' b n')
        (e_t := 0) (e_g := 0) (e_w := 0) (e_v := 0) (A := 0) (p := 13.01) (w := w) (v := v - e);
        auto; try (unfold K_T, K_G; lra); try lra.
      fold T'. fold e. replace (v - e - _) with (v - (w - radii' a b n' r' c' k)) by (unfold radii'; ring).
      eapply Rle_trans; [exact R | exact S].
    - apply negative with (ct := 41) (cC := 17) (cc := 22) (cg := 5) (co := 13.01) (KT := K_T) (KG := K_G) (u := u64)
        (t' := t') (s' := norm2 r') (C' := M r') (c' := c') (gA' := gA' a n') (gB' := gB' b n')
        (e_t := 0) (e_g := 0) (e_w := 0) (e_v := 0) (A := 0) (p := 13.01) (w := w) (v := v + e);
        auto; try (unfold K_T, K_G; lra); try lra.
      fold T'. fold e. replace (v + e - _) with (v - (w - radii' a b n' r' c' k)) by (unfold radii'; ring).
      eapply Rle_trans; [exact R | exact S].
  Qed.

  Theorem cpu_f64_separated : forall k, separates k -> separated a b.
  Proof.
    intros k [w [v [e [HF [HE V]]]]]. pose proof (E_enough k e HE).
    assert (P : 0 < F a b k) by (apply (sign_is_true k w v HF); lra).
    apply positive_F_separates; auto. destruct k; simpl in P; eauto.
  Qed.

  Lemma clears_is_true : forall k, clears k -> F a b k < 0.
  Proof. intros k [w [v [e [HF [HE V]]]]]. pose proof (E_enough k e HE). apply (sign_is_true k w v HF). lra. Qed.

  Lemma parallel_is_true : forall i j, parallel_run i j -> rule a b i j.
  Proof.
    intros i j [x [m [[v0 [C0 V0]] [Hm [X H]]]]]. pose proof u64_small as U.
    pose proof (run_near u64 U a b d' t' n' r' c' Ha Hb Hrun) as N.
    pose proof (sine_small u64 U a b d' t' n' r' c' Hrun i j v0 C0 V0) as S. pose proof (scale_range a b Ha Hb) as SR.
    destruct lengths_pos as [TP [GP _]].
    pose proof (absolute_pos u64 a b d' t' n' r' c' Hrun) as CP.
    destruct (sine_near 41 17 22 5 u64 a b t' (norm2 r') (M r') c' (gA' a n') (gB' b n') 0 0 N i j CP) as [_ [_ D]].
    split.
    - assert (22 * u64 * s a b <= 0.00001 * s a b) by (apply Rmult_le_compat_r; lra). lra.
    - intros k Hk. destruct (H k Hk) as [w [v [HF L]]]. destruct (F_rounded k w v HF) as [R P]. destruct HF as [Hw _].
      apply rule_face with (ct := 41) (cC := 17) (cc := 22) (cg := 5) (co := 13.01) (p := 51.1) (KT := K_T) (KG := K_G)
        (u := u64) (t' := t') (s' := norm2 r') (C' := M r') (c' := c') (gA' := gA' a n') (gB' := gB' b n')
        (e_t := 0) (e_g := 0) (e_w := 0) (e_v := 0) (A := 0) (kappa := kappa) (w := w);
        auto; try (unfold K_T, K_G; lra); try lra.
      + fold T'. fold G'. lra.
      + apply (distance_rounded u64 U t' r' k w Hw).
      + fold (radii' a b n' r' c' k). set (rr := radii' a b n' r' c' k) in *.
        set (Q := kappa * ((T' + G') * sine i j c')) in *.
        assert (KP : 0 <= kappa) by (unfold KAPPA in Hkappa; pose proof (Rle_abs (- (kappa - 1.16))) as B;
          rewrite Rabs_Ropp in B; lra).
        assert (QP : 0 <= Q) by (unfold Q; apply Rmult_le_pos; auto; apply Rmult_le_pos; lra).
        assert (EP : 0 <= E) by (unfold E, ERROR_FACTOR; apply Rmult_le_pos; lra).
        apply (rounded u64 U (18 + 18) 4 _ _ _ 38 eq_refl ltac:(lia) ltac:(unfold u64; simpl; lra)) in Hm.
        fold Q in Hm. destruct error_64 as [_ [_ E38]].
        assert (error u64 38 * (Q + 2 * E) <= 0.00001 * (Q + 2 * E)) by (apply Rmult_le_compat_r; lra).
        pose proof (Rle_abs (- (m - (Q + 2 * E)))) as B1. rewrite Rabs_Ropp in B1.
        pose proof (Rle_abs (- (v - (w - rr)))) as B2. rewrite Rabs_Ropp in B2.
        assert (B3 : bound K_T K_G u64 0 T' G' <= E).
        { unfold bound, K_T, K_G, E, ERROR_FACTOR. rewrite Rplus_0_r.
          replace (48 * (2 * u64) * (T' + G')) with (u64 * (96 * (T' + G'))) by ring. apply Rmult_le_compat_l; lra. }
        assert (UP : 0 <= u64 * (w + rr)) by (apply Rmult_le_pos; lra).
        unfold added. fold T'. fold G'. fold Q. lra.
  Qed.

  Theorem cpu_f64_overlapping : decides_overlapping -> overlapping a b.
  Proof.
    intros [HF HE]. apply negative_or_rule_overlaps; auto.
    - intros k Hk. apply clears_is_true; auto.
    - intros i j. destruct (HE i j) as [H | H]; [left; apply clears_is_true; auto | right; apply parallel_is_true;
      auto].
  Qed.
End Cpu.
