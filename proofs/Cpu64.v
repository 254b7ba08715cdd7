(** * The CPU's answers in f64 are true.

    Rust evaluates what is written, which is one of the rewritings that the model allows, so
    [Shader.v] holds with u = 2^-53. F and E are numbers here before they are compared, and
    E = 48 * 2^-52 Z is at least 92 u T + 72 u G. What is left of it is for underflow: lengths are
    multiples of the least f32, 2^-149, so that Z is 0 or far above the least normal f64. *)

Require Import Rbase Rfunctions Lra Lia.
From Obbligato Require Import Boxes Formulas Separation Rounding Flushing Lengths Constants Propagation Parallel Axes
  Shader Filter Rule Overlapping Answers.
Open Scope R_scope.

Definition u64 : R := 1 / 2 ^ 53.
(** The smallest normal number. Underflow changes what is below it by at most itself. *)
Definition phi64 : R := 1 / 2 ^ 1022.

(** A number that f32 can hold. *)
Definition of_f32 (x : R) : Prop := exists m : BinNums.Z, x = IZR m * (1 / 2 ^ 149).
Definition stored (b : box) : Prop := forall k, of_f32 (center b k) /\ of_f32 (half b k).

Section Cpu.
  Variables (kappa : R) (a b : box) (d' t' : vec) (n' : R) (r' : quat) (c' : axis -> axis -> R).
  Hypothesis Hkappa : Rabs (kappa - KAPPA) <= 0.01.
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Hypothesis Hrun : run u64 phi64 a b d' t' n' r' c'.
  Hypothesis Sa : stored a.
  Hypothesis Sb : stored b.
  (** Rust flushes nothing that it reads. *)
  Hypothesis Hequal : forall k, apart a b k = 0 -> d' k = 0.

  Let T' := sum (fun i => Rabs (t' i)).
  Let G' := sum (gA' a n') + sum (gB' b n').
  Let E := ERROR_FACTOR * (2 * u64) * (T' + G').

  (** An F, E, and the margin of the rule, as computed. Those of a face have 11 terms. *)
  Definition F_run (k : direction) (w v : R) : Prop := distance_run u64 phi64 t' r' k w /\
    computed_length u64 phi64 11 4 11.1 (E / u64) (w + radii' a b n' r' c' k) (w - radii' a b n' r' c' k) v.
  Definition E_run (e : R) : Prop := computed_length u64 phi64 9 4 9.1 (E / u64) E E e.
  Definition margin_run (i j : axis) (m : R) : Prop :=
    computed_length u64 phi64 (18 + 18) 4 (21.3 + 18.2) (E / u64)
      (kappa * ((T' + G') * sine i j c') + 2 * E) (kappa * ((T' + G') * sine i j c') + 2 * E) m.

  Definition separates (k : direction) : Prop := exists w v e, F_run k w v /\ E_run e /\ e < v.
  Definition clears (k : direction) : Prop := exists w v e, F_run k w v /\ E_run e /\ v < - e.
  (** x is the largest F of the faces. *)
  Definition parallel_run (i j : axis) : Prop := exists x m,
    (exists v, computed u64 phi64 2 1 (sine i j c') (sine i j c') v /\ v < 0.5) /\ margin_run i j m /\ x < - m /\
    forall k, is_face k -> exists w v, F_run k w v /\ v <= x.
  Definition decides_overlapping : Prop :=
    (forall k, is_face k -> clears k) /\ (forall i j, clears (Edges i j) \/ parallel_run i j).

  Lemma u64_small : 0 < u64 <= 1 / 2 ^ 23.
  Proof. unfold u64. lra. Qed.
  Lemma u64_weak : 0 <= u64 <= 1 / 2 ^ 23.
  Proof. unfold u64. lra. Qed.
  (** Powers as powers, since 2^1022 written out is slow. *)
  Lemma phi64_least : 0 <= phi64 <= 1 / 2 ^ 300.
  Proof.
    unfold phi64, Rdiv. rewrite !Rmult_1_l. assert (P : forall k, 0 < 2 ^ k) by (intro; apply pow_lt; lra).
    split; [apply Rlt_le, Rinv_0_lt_compat, P |]. apply Rinv_le_contravar; [apply P |]. apply Rle_pow; [lra | lia].
  Qed.
  Lemma phi64_small : 0 <= phi64 <= u64 * u64 * u64 * u64.
  Proof. pose proof phi64_least. unfold u64. lra. Qed.
  Lemma error_64 : 0 <= error u64 13 <= 13.01 * u64 /\ 0 <= error u64 11 <= 0.00001 /\ 0 <= error u64 38 <= 0.00001.
  Proof. unfold error, u64. simpl. lra. Qed.

  Lemma lengths_pos : 0 <= T' /\ 0 <= G' /\ forall k, extents (gA' a n') (gB' b n') k <= G'.
  Proof.
    destruct (gs_pos u64 phi64 u64_small phi64_small a b d' t' n' r' c' Ha Hb Hrun) as [GA GB].
    pose proof (GA X). pose proof (GA Y). pose proof (GA Z). pose proof (GB X). pose proof (GB Y). pose proof (GB Z).
    repeat split.
    - unfold T', sum. repeat apply Rplus_le_le_0_compat; apply Rabs_pos.
    - unfold G', sum. lra.
    - intro k. unfold G', extents, sum. destruct k as [i | j | i j]; [destruct i | destruct j |]; lra.
  Qed.

  (** Either all lengths are 0, or the sum of them is not small. *)
  Lemma none_or_some : (forall k, apart a b k = 0 /\ half a k = 0 /\ half b k = 0) \/ 1 / 2 ^ 152 <= T' + G'.
  Proof.
    assert (Least : forall x, of_f32 x -> x = 0 \/ 1 / 2 ^ 149 <= Rabs x).
    { intros x [m ->]. destruct (Z.eq_dec m 0) as [-> | N]; [left; clear; lra | right].
      rewrite Rabs_mult, (Rabs_pos_eq (1 / 2 ^ 149)) by lra. rewrite <- (Rmult_1_l (1 / 2 ^ 149)) at 1.
      apply Rmult_le_compat_r; [lra |]. rewrite <- abs_IZR. apply IZR_le. lia. }
    assert (D : forall k, of_f32 (apart a b k)).
    { intro k. destruct (Sa k) as [[m Em] _]. destruct (Sb k) as [[m' Em'] _]. exists (m' - m)%Z. unfold apart.
      rewrite Em, Em', minus_IZR. clear; lra. }
    pose proof (size_near 41 17 22 5 13.01 ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) u64 a b t' (norm2 r')
      (M r') c' (gA' a n') (gB' b n') (89.5 * phi64) 0 u64_weak Ha Hb) as SN.
    pose proof phi64_least as Fl.
    specialize (SN ltac:(lra) (run_near u64 phi64 u64_small phi64_small a b d' t' n' r' c' Ha Hb Hrun) X X). fold T' G' in SN.
    destruct (extents_pos a b Ha Hb) as [GA GB].
    assert (N : 0.9979 <= n a) by (unfold n; destruct Ha; lra).
    pose proof (GA X). pose proof (GA Y). pose proof (GA Z). pose proof (GB X). pose proof (GB Y). pose proof (GB Z).
    assert (TP : forall k, 0.9 * Rabs (apart a b k) <= sum (fun i => Rabs (t a b i))).
    { intro k. pose proof (t_short a b) as S. rewrite dot_t in S by auto. set (TT := sum (fun i => Rabs (t a b i))) in *.
      assert (P : 0 <= TT) by (unfold TT, sum; repeat apply Rplus_le_le_0_compat; apply Rabs_pos).
      replace (0.9 * Rabs (apart a b k)) with (Rabs (0.9 * apart a b k)) by (rewrite Rabs_mult, (Rabs_pos_eq 0.9); lra).
      apply abs_by_square; auto.
      assert (K : 0 <= apart a b k * apart a b k <= dot (apart a b) (apart a b)).
      { pose proof (Rle_0_sqr (apart a b X)) as P1. pose proof (Rle_0_sqr (apart a b Y)) as P2.
        pose proof (Rle_0_sqr (apart a b Z)) as P3. unfold Rsqr, dot, sum in *. destruct k; lra. }
      assert (NN : 0.9 * 0.9 <= n a * n a) by (apply Rmult_le_compat; lra).
      assert (0.9 * 0.9 * dot (apart a b) (apart a b) <= n a * n a * dot (apart a b) (apart a b))
        by (apply Rmult_le_compat_r; lra). lra. }
    assert (TZ : 0 <= sum (fun i => Rabs (t a b i))) by (unfold sum; repeat apply Rplus_le_le_0_compat; apply Rabs_pos).
    assert (Big : forall x, (x <> 0 -> 1 / 2 ^ 149 <= Rabs x ->
      0.9 * (1 / 2 ^ 149) <= sum (fun i => Rabs (t a b i)) + (sum (gA a) + sum (gB a b))) -> of_f32 x ->
      x = 0 \/ 1 / 2 ^ 152 <= T' + G').
    { intros x Hx Fx. destruct (Least x Fx) as [Ex | Ex]; [auto | right].
      assert (x <> 0) by (intro Z; rewrite Z, Rabs_R0 in Ex; lra). specialize (Hx H5 Ex). lra. }
    assert (BD : forall k, apart a b k = 0 \/ 1 / 2 ^ 152 <= T' + G').
    { intro k. apply Big; auto. intros _ Ex. pose proof (TP k). unfold sum in *. lra. }
    assert (BA : forall k, half a k = 0 \/ 1 / 2 ^ 152 <= T' + G').
    { intro k. apply Big; [| apply (Sa k)]. intros _ Ex. pose proof (proj1 Ha k) as P. rewrite (Rabs_pos_eq _ P) in Ex.
      assert (0.9 * half a k <= gA a k) by (apply Rmult_le_compat_r; auto; lra). unfold sum in *. destruct k; lra. }
    assert (BB : forall k, half b k = 0 \/ 1 / 2 ^ 152 <= T' + G').
    { intro k. apply Big; [| apply (Sb k)]. intros _ Ex. pose proof (proj1 Hb k) as P. rewrite (Rabs_pos_eq _ P) in Ex.
      assert (0.9 * half b k <= gB a b k) by (apply Rmult_le_compat_r; auto; lra). unfold sum in *. destruct k; lra. }
    destruct (Rle_lt_dec (1 / 2 ^ 152) (T' + G')) as [L | L]; [auto | left].
    intro k. destruct (BD k); [| lra]. destruct (BA k); [| lra]. destruct (BB k); [auto | lra].
  Qed.

  (** In the first case nothing is said. *)
  Lemma none_says_nothing : (forall k, apart a b k = 0 /\ half a k = 0 /\ half b k = 0) ->
    forall k w v e, F_run k w v -> E_run e -> v = 0 /\ e = 0.
  Proof.
    intros H k w v e [_ HF] HE.
    assert (D : forall i, d' i = 0) by (intro; apply Hequal, H).
    assert (TZ : forall i, t' i = 0).
    { intro i. eapply zero_length_stays; [| exact (run_t _ _ _ _ _ _ _ _ _ Hrun i)].
      unfold sum. rewrite !D, Rabs_R0. lra. }
    assert (EZ : E = 0).
    { unfold E, T', G', gA', gB', sum. rewrite !TZ, Rabs_R0. destruct (H X) as [_ [-> ->]].
      destruct (H Y) as [_ [-> ->]]. destruct (H Z) as [_ [-> ->]]. clear; lra. }
    assert (LZ : E / u64 <= 0) by (rewrite EZ; unfold Rdiv; rewrite Rmult_0_l; lra).
    split; eapply zero_length_stays; eassumption.
  Qed.

  Let large : Prop := 1 / 2 ^ 152 <= T' + G'.
  (** What E leaves for underflow. *)
  Definition A64 : R := 0.001 * (u64 * (T' + G')).

  Lemma E_pos : 0 <= E /\ 0 <= E / u64.
  Proof.
    destruct lengths_pos as [TP [GP _]]. pose proof u64_small.
    assert (0 <= E) by (unfold E, ERROR_FACTOR; apply Rmult_le_pos; lra).
    split; auto. apply Rmult_le_pos; auto. apply Rlt_le, Rinv_0_lt_compat. lra.
  Qed.

  Lemma underflow_small : large -> 1000 * phi64 <= A64.
  Proof.
    intro L. unfold A64. pose proof phi64_least. apply Rle_trans with (0.001 * (u64 * (1 / 2 ^ 152))); [unfold u64; lra |].
    apply Rmult_le_compat_l; [lra |]. apply Rmult_le_compat_l; [unfold u64; lra | exact L].
  Qed.

  (** E is enough on each axis. *)
  Lemma E_enough : large -> forall k e, E_run e -> bound K_T K_G u64 A64 T' (extents (gA' a n') (gB' b n') k) <= e.
  Proof.
    intros Lg k e H. destruct lengths_pos as [TP [GP L]]. specialize (L k). destruct error_64 as [_ [E11 _]].
    pose proof u64_small as U. destruct E_pos as [EP LP]. pose proof (underflow_small Lg) as UF. pose proof phi64_least as Fl.
    apply (rounded_length u64 phi64 u64_weak phi64_small 9 4 _ _ _ _ _ 11 eq_refl ltac:(lia) ltac:(unfold u64; simpl; lra) LP) in H.
    pose proof (last_flushes u64 phi64 u64_weak phi64_small 4 9.1 E (proj1 U) ltac:(lia) ltac:(lra) EP) as LF.
    simpl INR in *.
    assert (error u64 11 * E <= 0.00001 * E) by (apply Rmult_le_compat_r; lra).
    assert (u64 * E <= 0.000001 * E) by (apply Rmult_le_compat_r; unfold u64; lra).
    pose proof (Rle_abs (- (e - E))) as Q. rewrite Rabs_Ropp in Q. unfold bound, K_T, K_G, A64.
    assert (B : u64 * (92 * T' + 72 * extents (gA' a n') (gB' b n') k) <= u64 * (95 * (T' + G'))) by (apply
      Rmult_le_compat_l; lra).
    assert (0 <= u64 * (T' + G')) by (apply Rmult_le_pos; lra).
    unfold A64 in UF. unfold E, ERROR_FACTOR in *. lra.
  Qed.

  Lemma F_rounded : forall k w v, F_run k w v ->
    Rabs (v - (w - radii' a b n' r' c' k)) <= 13.01 * u64 * (w + radii' a b n' r' c' k) + (55.7 * phi64 + 0.0001 * u64 * E)
    /\ 0 <= w + radii' a b n' r' c' k.
  Proof.
    intros k w v [Hw C]. pose proof u64_small as U. destruct error_64 as [E13 _]. destruct E_pos as [EP LP].
    pose proof phi64_least as Fl.
    destruct (positive_parts u64 phi64 U phi64_small (256 * phi64) a b d' t' n' r' c' ltac:(lra) Ha Hb Hrun k w Hw)
      as [P [Q _]].
    apply (rounded_length u64 phi64 u64_weak phi64_small 11 4 _ _ _ _ _ 13 eq_refl ltac:(lia) ltac:(unfold u64; simpl; lra) LP) in C.
    pose proof (last_flushes u64 phi64 u64_weak phi64_small 4 11.1 E (proj1 U) ltac:(lia) ltac:(lra) EP) as LF.
    simpl INR in *. split; [| lra].
    assert (error u64 13 * (w + radii' a b n' r' c' k) <= 13.01 * u64 * (w + radii' a b n' r' c' k))
      by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  Lemma bound_pos : forall k, 0 <= bound K_T K_G u64 A64 T' (extents (gA' a n') (gB' b n') k).
  Proof.
    intro k. destruct lengths_pos as [TP [GP _]].
    destruct (gs_pos u64 phi64 u64_small phi64_small a b d' t' n' r' c' Ha Hb Hrun) as [GA GB].
    assert (0 <= extents (gA' a n') (gB' b n') k)
      by (unfold extents, sum; destruct k; repeat apply Rplus_le_le_0_compat; auto).
    pose proof u64_small. unfold bound, K_T, K_G, A64. assert (0 <= u64 * (T' + G')) by (apply Rmult_le_pos; lra).
    assert (0 <= u64 * (92 * T' + 72 * extents (gA' a n') (gB' b n') k)) by (apply Rmult_le_pos; lra). lra.
  Qed.

  (** The absolute error of F. *)
  Lemma F_absolute : large -> 55.7 * phi64 + 0.0001 * u64 * E <= 0.2 * A64.
  Proof.
    intro L. pose proof (underflow_small L). destruct lengths_pos as [TP [GP _]].
    assert (P : 0 <= u64 * (T' + G')) by (apply Rmult_le_pos; [unfold u64 |]; lra).
    assert (u64 * (u64 * (T' + G')) <= 0.0000001 * (u64 * (T' + G'))) by (apply Rmult_le_compat_r; [| unfold u64]; lra).
    unfold A64, E, ERROR_FACTOR in *. lra.
  Qed.

  Lemma sign_is_true : large -> forall k w v, F_run k w v ->
    (bound K_T K_G u64 A64 T' (extents (gA' a n') (gB' b n') k) < v -> 0 < F a b k) /\
    (v < - bound K_T K_G u64 A64 T' (extents (gA' a n') (gB' b n') k) -> F a b k < 0).
  Proof.
    intros L k w v H. pose proof u64_weak as U. destruct (F_rounded k w v H) as [R P]. destruct H as [Hw _].
    pose proof (run_near u64 phi64 u64_small phi64_small a b d' t' n' r' c' Ha Hb Hrun) as N.
    pose proof (distance_rounded u64 phi64 u64_small phi64_small a b d' t' n' r' c' Ha Hb Hrun k w Hw) as W.
    pose proof (bound_pos k) as B. pose proof (underflow_small L) as UF. pose proof (F_absolute L) as FA.
    pose proof phi64_least as Fl.
    set (e := bound K_T K_G u64 A64 T' (extents (gA' a n') (gB' b n') k)) in *.
    assert (S : 13.01 * u64 * (w + radii' a b n' r' c' k) <= 13.01 * u64 * (w + radii' a b n' r' c' k + e))
      by (apply Rmult_le_compat_l; lra).
    split; intro V.
    - apply positive with (ct := 41) (cC := 17) (cc := 22) (cg := 5) (co := 13.01) (KT := K_T) (KG := K_G) (u := u64)
        (t' := t') (s' := norm2 r') (C' := M r') (c' := c') (gA' := gA' a n') (gB' := gB' b n')
        (e_t := 89.5 * phi64) (e_g := 0) (e_w := 48.6 * phi64) (e_v := 0.2 * A64) (A := A64) (p := 13.01) (w := w)
        (v := v - e); auto; try (unfold K_T, K_G; lra); try lra.
      fold T'. fold e. replace (v - e - _) with (v - (w - radii' a b n' r' c' k)) by (unfold radii'; clear; lra).
      eapply Rle_trans; [exact R |]. change (radii (norm2 r') c' (gA' a n') (gB' b n') k) with (radii' a b n' r' c' k). lra.
    - apply negative with (ct := 41) (cC := 17) (cc := 22) (cg := 5) (co := 13.01) (KT := K_T) (KG := K_G) (u := u64)
        (t' := t') (s' := norm2 r') (C' := M r') (c' := c') (gA' := gA' a n') (gB' := gB' b n')
        (e_t := 89.5 * phi64) (e_g := 0) (e_w := 48.6 * phi64) (e_v := 0.2 * A64) (A := A64) (p := 13.01) (w := w)
        (v := v + e); auto; try (unfold K_T, K_G; lra); try lra.
      fold T'. fold e. replace (v + e - _) with (v - (w - radii' a b n' r' c' k)) by (unfold radii'; clear; lra).
      eapply Rle_trans; [exact R |]. change (radii (norm2 r') c' (gA' a n') (gB' b n') k) with (radii' a b n' r' c' k). lra.
  Qed.

  Theorem cpu_f64_separated : forall k, separates k -> separated a b.
  Proof.
    intros k [w [v [e [HF [HE V]]]]]. destruct none_or_some as [Z | L].
    - destruct (none_says_nothing Z k w v e HF HE). lra.
    - pose proof (E_enough L k e HE).
      assert (P : 0 < F a b k) by (apply (sign_is_true L k w v HF); lra).
      apply positive_F_separates; auto. destruct k; simpl in P; eauto.
  Qed.

  Lemma clears_is_true : forall k, clears k -> F a b k < 0.
  Proof.
    intros k [w [v [e [HF [HE V]]]]]. destruct none_or_some as [Z | L].
    - destruct (none_says_nothing Z k w v e HF HE). lra.
    - pose proof (E_enough L k e HE). apply (sign_is_true L k w v HF). lra.
  Qed.

  Lemma parallel_is_true : large -> forall i j, parallel_run i j -> rule a b i j.
  Proof.
    intros Lg i j [x [m [[v0 [C0 V0]] [Hm [X H]]]]]. pose proof u64_weak as U.
    pose proof (run_near u64 phi64 u64_small phi64_small a b d' t' n' r' c' Ha Hb Hrun) as N.
    pose proof (sine_small u64 phi64 u64_small phi64_small a b d' t' n' r' c' Hrun i j v0 C0 V0) as S.
    pose proof (scale_range a b Ha Hb) as SR. destruct lengths_pos as [TP [GP _]].
    pose proof (absolute_pos u64 phi64 a b d' t' n' r' c' Hrun) as CP.
    pose proof (underflow_small Lg) as UF. pose proof (F_absolute Lg) as FA. pose proof phi64_least as Fl.
    destruct E_pos as [EP LP].
    destruct (sine_near 41 17 22 5 u64 a b t' (norm2 r') (M r') c' (gA' a n') (gB' b n') (89.5 * phi64) 0 N i j CP)
      as [_ [_ D]].
    split.
    - assert (22 * u64 * s a b <= 0.00001 * s a b) by (apply Rmult_le_compat_r; lra). lra.
    - intros k Hk. destruct (H k Hk) as [w [v [HF L]]]. destruct (F_rounded k w v HF) as [R P]. destruct HF as [Hw _].
      apply rule_face with (ct := 41) (cC := 17) (cc := 22) (cg := 5) (co := 13.01) (p := 51.1) (KT := K_T) (KG := K_G)
        (u := u64) (t' := t') (s' := norm2 r') (C' := M r') (c' := c') (gA' := gA' a n') (gB' := gB' b n')
        (e_t := 89.5 * phi64) (e_g := 0) (e_w := 48.6 * phi64) (e_v := A64) (A := A64) (kappa := kappa) (w := w);
        auto; try (unfold K_T, K_G; lra); try lra.
      + fold T'. fold G'. lra.
      + apply (distance_rounded u64 phi64 u64_small phi64_small a b d' t' n' r' c' Ha Hb Hrun k w Hw).
      + fold (radii' a b n' r' c' k). set (rr := radii' a b n' r' c' k) in *.
        set (Q := kappa * ((T' + G') * sine i j c')) in *.
        assert (KP : 0 <= kappa) by (unfold KAPPA in Hkappa; pose proof (Rle_abs (- (kappa - 1.16))) as B;
          rewrite Rabs_Ropp in B; lra).
        assert (QP : 0 <= Q) by (unfold Q; apply Rmult_le_pos; auto; apply Rmult_le_pos; lra).
        apply (rounded_length u64 phi64 u64_weak phi64_small (18 + 18) 4 _ _ _ _ _ 38 eq_refl ltac:(lia)
          ltac:(unfold u64; simpl; lra) LP) in Hm.
        pose proof (last_flushes u64 phi64 u64_weak phi64_small 4 (21.3 + 18.2) E (proj1 u64_small) ltac:(lia) ltac:(lra) EP)
          as LF.
        simpl INR in *. fold Q in Hm. destruct error_64 as [_ [_ E38]].
        assert (error u64 38 * (Q + 2 * E) <= 0.00001 * (Q + 2 * E)) by (apply Rmult_le_compat_r; lra).
        pose proof (Rle_abs (- (m - (Q + 2 * E)))) as B1. rewrite Rabs_Ropp in B1.
        pose proof (Rle_abs (- (v - (w - rr)))) as B2. rewrite Rabs_Ropp in B2.
        assert (B3 : bound K_T K_G u64 A64 T' G' <= E).
        { unfold bound, K_T, K_G, E, ERROR_FACTOR, A64.
          assert (u64 * (92 * T' + 72 * G') <= u64 * (95.99 * (T' + G'))) by (apply Rmult_le_compat_l; lra).
          assert (0 <= u64 * (T' + G')) by (apply Rmult_le_pos; lra). lra. }
        assert (UP : 0 <= u64 * (w + rr)) by (apply Rmult_le_pos; lra).
        unfold added. fold T'. fold G'. fold Q. lra.
  Qed.

  Theorem cpu_f64_overlapping : decides_overlapping -> overlapping a b.
  Proof.
    intros [HF HE]. apply negative_or_rule_overlaps; auto.
    - intros k Hk. apply clears_is_true; auto.
    - intros i j. destruct (HE i j) as [H | H]; [left; apply clears_is_true; auto | right].
      destruct none_or_some as [Z | L]; [| apply parallel_is_true; auto].
      destruct (HF (FaceA X) ltac:(intros i' j'; discriminate)) as [w [v [e [HF' [HE' V]]]]].
      destruct (none_says_nothing Z _ w v e HF' HE'). lra.
  Qed.
End Cpu.
