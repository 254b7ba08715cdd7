(** * The CPU's answers in f64 are true.

    Rust evaluates what is written, which is one of the rewritings that the model allows, so
    [Shader.v] holds with u = 2^-53. F and E are numbers here before they are compared, and
    E = 48 * 2^-52 Z is at least 92 u T + 72 u G. What is left of it is for underflow: lengths are
    multiples of the least f32, 2^-149, so that Z is 0 or far above the least normal f64.

    Centers in f64 have no such multiple. There E has the least normal f64 besides, and their
    difference may be off by a little more than 2^-53, as the first of the numbers whose sum it is. *)

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

(** ** What any such stage decides, given that E has room for underflow *)
Section Decide.
  Variables (u phi A kappa : R) (a b : box) (d' t' : vec) (n' : R) (r' : quat) (c' : axis -> axis -> R).

  Let T' := sum (fun i => Rabs (t' i)).
  Let G' := sum (gA' a n') + sum (gB' b n').
  Let E := ERROR_FACTOR * (2 * u64) * (T' + G') + A.

  (** An F, E, and the margin of the rule, as computed. Those of a face have 11 terms. *)
  Definition F_run (k : direction) (w v : R) : Prop := distance_run u phi t' r' k w /\
    computed_length u phi 11 4 11.1 (E / u) (w + radii' a b n' r' c' k) (w - radii' a b n' r' c' k) v.
  Definition E_run (e : R) : Prop := computed_length u phi 10 4 10.1 (E / u) E E e.
  Definition margin_run (i j : axis) (m : R) : Prop :=
    computed_length u phi (18 + 20) 4 (21.3 + 20.2) (E / u)
      (kappa * ((T' + G') * sine i j c') + 2 * E) (kappa * ((T' + G') * sine i j c') + 2 * E) m.

  Definition separates (k : direction) : Prop := exists w v e, F_run k w v /\ E_run e /\ e < v.
  Definition clears (k : direction) : Prop := exists w v e, F_run k w v /\ E_run e /\ v < - e.
  (** x is the largest F of the faces. *)
  Definition parallel_run (i j : axis) : Prop := exists x m,
    (exists v, computed u phi 2 1 (sine i j c') (sine i j c') v /\ v < 0.5) /\ margin_run i j m /\ x < - m /\
    forall k, is_face k -> exists w v, F_run k w v /\ v <= x.
  Definition decides_overlapping : Prop :=
    (forall k, is_face k -> clears k) /\ (forall i j, clears (Edges i j) \/ parallel_run i j).

  (** What E leaves for underflow. *)
  Definition spare : R := 0.001 * (u64 * (T' + G')) + A / 2.

  Hypothesis u_range : u64 <= u <= u64 * (1 + 1 / 2 ^ 51).
  Hypothesis least_phi : 0 <= phi <= 1 / 2 ^ 300.
  Hypothesis A_pos : 0 <= A.
  Hypothesis Hkappa : Rabs (kappa - KAPPA) <= 0.01.
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Hypothesis Hrun : run u phi a b d' t' n' r' c'.

  Lemma unit_small : 0 < u <= 1 / 2 ^ 23.
  Proof. unfold u64 in u_range. lra. Qed.
  Lemma unit_weak : 0 <= u <= 1 / 2 ^ 23.
  Proof. unfold u64 in u_range. lra. Qed.
  Lemma least_small : 0 <= phi <= u * u * u * u.
  Proof.
    unfold u64 in u_range. assert (1 / 2 ^ 53 * (1 / 2 ^ 53) <= u * u) by (apply Rmult_le_compat; lra).
    assert (1 / 2 ^ 53 * (1 / 2 ^ 53) * (1 / 2 ^ 53) <= u * u * u) by (apply Rmult_le_compat; lra).
    assert (1 / 2 ^ 53 * (1 / 2 ^ 53) * (1 / 2 ^ 53) * (1 / 2 ^ 53) <= u * u * u * u) by (apply Rmult_le_compat; lra). lra.
  Qed.
  Lemma u_near : u <= 1.0000001 * u64.
  Proof. unfold u64 in *. lra. Qed.
  Lemma u_tiny : u <= 0.00000000001.
  Proof. unfold u64 in *. lra. Qed.
  Lemma few_errors : 0 <= error u 13 <= 13.01 * u /\ 0 <= error u 12 <= 0.00001 /\ 0 <= error u 40 <= 0.00001.
  Proof. pose proof unit_weak as U. pose proof u_tiny as V. pose proof (u_square u U). unfold error. simpl. lra. Qed.

  Lemma lengths_pos : 0 <= T' /\ 0 <= G' /\ forall k, extents (gA' a n') (gB' b n') k <= G'.
  Proof.
    destruct (gs_pos u phi unit_small least_small a b d' t' n' r' c' Ha Hb Hrun) as [GA GB].
    pose proof (GA X). pose proof (GA Y). pose proof (GA Z). pose proof (GB X). pose proof (GB Y). pose proof (GB Z).
    repeat split.
    - unfold T', sum. repeat apply Rplus_le_le_0_compat; apply Rabs_pos.
    - unfold G', sum. lra.
    - intro k. unfold G', extents, sum. destruct k as [i | j | i j]; [destruct i | destruct j |]; lra.
  Qed.

  Lemma E_pos : 0 <= E /\ 0 <= E / u.
  Proof.
    destruct lengths_pos as [TP [GP _]]. pose proof unit_small.
    assert (0 <= E) by (unfold E, ERROR_FACTOR; apply Rplus_le_le_0_compat; [apply Rmult_le_pos; [unfold u64 |] |]; lra).
    split; auto. apply Rmult_le_pos; auto. apply Rlt_le, Rinv_0_lt_compat. lra.
  Qed.

  Hypothesis underflow_small : 1000 * phi <= spare.

  (** E is enough on each axis. *)
  Lemma E_enough : forall k e, E_run e -> bound K_T K_G u spare T' (extents (gA' a n') (gB' b n') k) <= e.
  Proof.
    intros k e H. destruct lengths_pos as [TP [GP L]]. specialize (L k). destruct few_errors as [_ [E12 _]].
    pose proof unit_small as U. destruct E_pos as [EP LP]. pose proof u_near as UN. pose proof u_tiny as UT.
    apply (rounded_length u phi unit_weak least_small 10 4 _ _ _ _ _ 12 eq_refl ltac:(lia) ltac:(simpl; lra) LP) in H.
    pose proof (last_flushes u phi unit_weak least_small 4 10.1 E (proj1 U) ltac:(lia) ltac:(lra) EP) as LF.
    simpl INR in *.
    assert (error u 12 * E <= 0.00001 * E) by (apply Rmult_le_compat_r; lra).
    assert (u * E <= 0.000001 * E) by (apply Rmult_le_compat_r; lra).
    pose proof (Rle_abs (- (e - E))) as Q. rewrite Rabs_Ropp in Q. unfold bound, K_T, K_G.
    assert (B : u * (92 * T' + 72 * extents (gA' a n') (gB' b n') k) <= 1.0000001 * u64 * (95 * (T' + G'))).
    { apply Rmult_le_compat; try lra. apply Rplus_le_le_0_compat; apply Rmult_le_pos; try lra.
      destruct (gs_pos u phi unit_small least_small a b d' t' n' r' c' Ha Hb Hrun) as [GA GB].
      unfold extents, sum. destruct k; repeat apply Rplus_le_le_0_compat; auto. }
    assert (0 <= u64 * (T' + G')) by (apply Rmult_le_pos; [unfold u64 |]; lra).
    unfold spare in *. fold T' G' in underflow_small |- *. unfold E, ERROR_FACTOR in *. lra.
  Qed.

  Lemma F_rounded : forall k w v, F_run k w v ->
    Rabs (v - (w - radii' a b n' r' c' k)) <= 13.01 * u * (w + radii' a b n' r' c' k) + (55.7 * phi + 0.0001 * u * E)
    /\ 0 <= w + radii' a b n' r' c' k.
  Proof.
    intros k w v [Hw C]. pose proof unit_small as U. destruct few_errors as [E13 _]. destruct E_pos as [EP LP].
    pose proof u_tiny as UT.
    destruct (positive_parts u phi U least_small (256 * phi) a b d' t' n' r' c' ltac:(lra) Ha Hb Hrun k w Hw)
      as [P [Q _]].
    apply (rounded_length u phi unit_weak least_small 11 4 _ _ _ _ _ 13 eq_refl ltac:(lia) ltac:(simpl; lra) LP) in C.
    pose proof (last_flushes u phi unit_weak least_small 4 11.1 E (proj1 U) ltac:(lia) ltac:(lra) EP) as LF.
    simpl INR in *. split; [| lra].
    assert (error u 13 * (w + radii' a b n' r' c' k) <= 13.01 * u * (w + radii' a b n' r' c' k))
      by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  Lemma spare_pos : 0 <= spare.
  Proof.
    destruct lengths_pos as [TP [GP _]]. unfold spare. fold T' G'.
    assert (0 <= u64 * (T' + G')) by (apply Rmult_le_pos; [unfold u64 |]; lra). lra.
  Qed.

  Lemma bound_pos : forall k, 0 <= bound K_T K_G u spare T' (extents (gA' a n') (gB' b n') k).
  Proof.
    intro k. destruct lengths_pos as [TP [GP _]]. pose proof spare_pos.
    destruct (gs_pos u phi unit_small least_small a b d' t' n' r' c' Ha Hb Hrun) as [GA GB].
    assert (0 <= extents (gA' a n') (gB' b n') k)
      by (unfold extents, sum; destruct k; repeat apply Rplus_le_le_0_compat; auto).
    pose proof unit_small. unfold bound, K_T, K_G.
    assert (0 <= u * (92 * T' + 72 * extents (gA' a n') (gB' b n') k)) by (apply Rmult_le_pos; lra). lra.
  Qed.

  (** The absolute error of F. *)
  Lemma F_absolute : 55.7 * phi + 0.0001 * u * E <= 0.2 * spare.
  Proof.
    destruct lengths_pos as [TP [GP _]]. pose proof u_tiny as UT.
    assert (P : 0 <= u64 * (T' + G')) by (apply Rmult_le_pos; [unfold u64 |]; lra).
    assert (u * (u64 * (T' + G')) <= 0.0000001 * (u64 * (T' + G'))) by (apply Rmult_le_compat_r; lra).
    assert (u * A <= 0.0000001 * A) by (apply Rmult_le_compat_r; lra).
    unfold spare in *. fold T' G' in underflow_small |- *. unfold E, ERROR_FACTOR in *. lra.
  Qed.

  Lemma sign_is_true : forall k w v, F_run k w v ->
    (bound K_T K_G u spare T' (extents (gA' a n') (gB' b n') k) < v -> 0 < F a b k) /\
    (v < - bound K_T K_G u spare T' (extents (gA' a n') (gB' b n') k) -> F a b k < 0).
  Proof.
    intros k w v H. pose proof unit_weak as U. destruct (F_rounded k w v H) as [R P]. destruct H as [Hw _].
    pose proof (run_near u phi unit_small least_small a b d' t' n' r' c' Ha Hb Hrun) as N.
    pose proof (distance_rounded u phi unit_small least_small a b d' t' n' r' c' Ha Hb Hrun k w Hw) as W.
    pose proof (bound_pos k) as B. pose proof F_absolute as FA. pose proof spare_pos as SP.
    set (e := bound K_T K_G u spare T' (extents (gA' a n') (gB' b n') k)) in *.
    assert (S : 13.01 * u * (w + radii' a b n' r' c' k) <= 13.01 * u * (w + radii' a b n' r' c' k + e))
      by (apply Rmult_le_compat_l; lra).
    split; intro V.
    - apply positive with (ct := 41) (cC := 17) (cc := 22) (cg := 5) (co := 13.01) (KT := K_T) (KG := K_G) (u := u)
        (t' := t') (s' := norm2 r') (C' := M r') (c' := c') (gA' := gA' a n') (gB' := gB' b n')
        (e_t := 89.5 * phi) (e_g := 0) (e_w := 48.6 * phi) (e_v := 0.2 * spare) (A := spare) (p := 13.01) (w := w)
        (v := v - e); auto; try (unfold K_T, K_G; lra); try lra.
      fold T'. fold e. replace (v - e - _) with (v - (w - radii' a b n' r' c' k)) by (unfold radii'; clear; lra).
      eapply Rle_trans; [exact R |]. change (radii (norm2 r') c' (gA' a n') (gB' b n') k) with (radii' a b n' r' c' k). lra.
    - apply negative with (ct := 41) (cC := 17) (cc := 22) (cg := 5) (co := 13.01) (KT := K_T) (KG := K_G) (u := u)
        (t' := t') (s' := norm2 r') (C' := M r') (c' := c') (gA' := gA' a n') (gB' := gB' b n')
        (e_t := 89.5 * phi) (e_g := 0) (e_w := 48.6 * phi) (e_v := 0.2 * spare) (A := spare) (p := 13.01) (w := w)
        (v := v + e); auto; try (unfold K_T, K_G; lra); try lra.
      fold T'. fold e. replace (v + e - _) with (v - (w - radii' a b n' r' c' k)) by (unfold radii'; clear; lra).
      eapply Rle_trans; [exact R |]. change (radii (norm2 r') c' (gA' a n') (gB' b n') k) with (radii' a b n' r' c' k). lra.
  Qed.

  Lemma separates_is_true : forall k, separates k -> separated a b.
  Proof.
    intros k [w [v [e [HF [HE V]]]]]. pose proof (E_enough k e HE).
    assert (P : 0 < F a b k) by (apply (sign_is_true k w v HF); lra).
    apply positive_F_separates; auto. destruct k; simpl in P; eauto.
  Qed.

  Lemma clears_is_true : forall k, clears k -> F a b k < 0.
  Proof. intros k [w [v [e [HF [HE V]]]]]. pose proof (E_enough k e HE). apply (sign_is_true k w v HF). lra. Qed.

  Lemma parallel_is_true : forall i j, parallel_run i j -> rule a b i j.
  Proof.
    intros i j [x [m [[v0 [C0 V0]] [Hm [X H]]]]]. pose proof unit_weak as U.
    pose proof (run_near u phi unit_small least_small a b d' t' n' r' c' Ha Hb Hrun) as N.
    pose proof (sine_small u phi unit_small least_small a b d' t' n' r' c' Hrun i j v0 C0 V0) as S.
    pose proof (scale_range a b Ha Hb) as SR. destruct lengths_pos as [TP [GP _]].
    pose proof (absolute_pos u phi a b d' t' n' r' c' Hrun) as CP.
    pose proof F_absolute as FA. pose proof u_near as UN. pose proof u_tiny as UT. pose proof spare_pos as SP.
    destruct E_pos as [EP LP].
    destruct (sine_near 41 17 22 5 u a b t' (norm2 r') (M r') c' (gA' a n') (gB' b n') (89.5 * phi) 0 N i j CP)
      as [_ [_ D]].
    split.
    - assert (22 * u * s a b <= 0.00001 * s a b) by (apply Rmult_le_compat_r; lra). lra.
    - intros k Hk. destruct (H k Hk) as [w [v [HF L]]]. destruct (F_rounded k w v HF) as [R P]. destruct HF as [Hw _].
      apply rule_face with (ct := 41) (cC := 17) (cc := 22) (cg := 5) (co := 13.01) (p := 51.1) (KT := K_T) (KG := K_G)
        (u := u) (t' := t') (s' := norm2 r') (C' := M r') (c' := c') (gA' := gA' a n') (gB' := gB' b n')
        (e_t := 89.5 * phi) (e_g := 0) (e_w := 48.6 * phi) (e_v := spare) (A := spare) (kappa := kappa) (w := w);
        auto; try (unfold K_T, K_G; lra); try lra.
      + fold T'. fold G'. lra.
      + apply (distance_rounded u phi unit_small least_small a b d' t' n' r' c' Ha Hb Hrun k w Hw).
      + fold (radii' a b n' r' c' k). set (rr := radii' a b n' r' c' k) in *.
        set (Q := kappa * ((T' + G') * sine i j c')) in *.
        assert (KP : 0 <= kappa) by (unfold KAPPA in Hkappa; pose proof (Rle_abs (- (kappa - 1.16))) as B;
          rewrite Rabs_Ropp in B; lra).
        assert (QP : 0 <= Q) by (unfold Q; apply Rmult_le_pos; auto; apply Rmult_le_pos; lra).
        apply (rounded_length u phi unit_weak least_small (18 + 20) 4 _ _ _ _ _ 40 eq_refl ltac:(lia) ltac:(simpl; lra) LP) in Hm.
        pose proof (last_flushes u phi unit_weak least_small 4 (21.3 + 20.2) E (proj1 unit_small) ltac:(lia) ltac:(lra) EP)
          as LF.
        simpl INR in *. fold Q in Hm. destruct few_errors as [_ [_ E40]].
        assert (error u 40 * (Q + 2 * E) <= 0.00001 * (Q + 2 * E)) by (apply Rmult_le_compat_r; lra).
        pose proof (Rle_abs (- (m - (Q + 2 * E)))) as B1. rewrite Rabs_Ropp in B1.
        pose proof (Rle_abs (- (v - (w - rr)))) as B2. rewrite Rabs_Ropp in B2.
        assert (PU : 0 <= u64 * (T' + G')) by (apply Rmult_le_pos; [unfold u64 |]; lra).
        assert (B3 : bound K_T K_G u spare T' G' <= E - 0.4 * A).
        { unfold bound, K_T, K_G, E, ERROR_FACTOR, spare. fold T' G'.
          assert (u * (92 * T' + 72 * G') <= 1.0000001 * u64 * (95.5 * (T' + G'))) by (apply Rmult_le_compat; lra). lra. }
        assert (UP : 0 <= u * (w + rr)) by (apply Rmult_le_pos; lra).
        unfold added. fold T'. fold G'. fold Q. lra.
  Qed.

  Lemma decides_is_true : decides_overlapping -> overlapping a b.
  Proof.
    intros [HF HE]. apply negative_or_rule_overlaps; auto.
    - intros k Hk. apply clears_is_true; auto.
    - intros i j. destruct (HE i j) as [H | H]; [left; apply clears_is_true; auto | right; apply parallel_is_true; auto].
  Qed.
End Decide.

(** ** Boxes in f32 *)
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

  (** Powers as powers, since 2^1022 written out is slow. *)
  Lemma phi64_least : 0 <= phi64 <= 1 / 2 ^ 300.
  Proof.
    unfold phi64, Rdiv. rewrite !Rmult_1_l. assert (P : forall k, 0 < 2 ^ k) by (intro; apply pow_lt; lra).
    split; [apply Rlt_le, Rinv_0_lt_compat, P |]. apply Rinv_le_contravar; [apply P |]. apply Rle_pow; [lra | lia].
  Qed.
  Lemma u64_range : u64 <= u64 <= u64 * (1 + 1 / 2 ^ 51).
  Proof. unfold u64. lra. Qed.
  Lemma u64_weak : 0 <= u64 <= 1 / 2 ^ 23.
  Proof. unfold u64. lra. Qed.
  Lemma u64_small : 0 < u64 <= 1 / 2 ^ 23.
  Proof. unfold u64. lra. Qed.
  Lemma phi64_small : 0 <= phi64 <= u64 * u64 * u64 * u64.
  Proof. pose proof phi64_least. unfold u64. lra. Qed.

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
    forall k w v e, F_run u64 phi64 0 a b t' n' r' c' k w v -> E_run u64 phi64 0 a b t' n' e -> v = 0 /\ e = 0.
  Proof.
    intros H k w v e [_ HF] HE.
    assert (D : forall i, d' i = 0) by (intro; apply Hequal, H).
    assert (TZ : forall i, t' i = 0).
    { intro i. eapply zero_length_stays; [| exact (run_t _ _ _ _ _ _ _ _ _ Hrun i)].
      unfold sum. rewrite !D, Rabs_R0. lra. }
    assert (LZ : (ERROR_FACTOR * (2 * u64) * (T' + G') + 0) / u64 <= 0).
    { unfold T', G', gA', gB', sum. rewrite !TZ, Rabs_R0. destruct (H X) as [_ [-> ->]].
      destruct (H Y) as [_ [-> ->]]. destruct (H Z) as [_ [-> ->]]. unfold Rdiv. replace (_ + 0) with 0 by (clear; lra). lra. }
    split; eapply zero_length_stays; eassumption.
  Qed.

  Lemma large_enough : 1 / 2 ^ 152 <= T' + G' -> 1000 * phi64 <= spare 0 a b t' n'.
  Proof.
    intro L. unfold spare. fold T' G'. pose proof phi64_least. apply Rle_trans with (0.001 * (u64 * (1 / 2 ^ 152))); [unfold u64; lra |].
    replace (0 / 2) with 0 by (clear; lra). rewrite Rplus_0_r.
    apply Rmult_le_compat_l; [lra |]. apply Rmult_le_compat_l; [unfold u64; lra | exact L].
  Qed.

  Theorem cpu_f64_separated : forall k, separates u64 phi64 0 a b t' n' r' c' k -> separated a b.
  Proof.
    intros k H. destruct none_or_some as [Z | L].
    - destruct H as [w [v [e [HF [HE V]]]]]. destruct (none_says_nothing Z k w v e HF HE). lra.
    - exact (separates_is_true u64 phi64 0 a b d' t' n' r' c' u64_range phi64_least (Rle_refl 0) Ha Hb Hrun (large_enough L) k H).
  Qed.

  Lemma none_clears : (forall k, apart a b k = 0 /\ half a k = 0 /\ half b k = 0) ->
    forall k, ~ clears u64 phi64 0 a b t' n' r' c' k.
  Proof. intros Z k [w [v [e [HF [HE V]]]]]. destruct (none_says_nothing Z k w v e HF HE). lra. Qed.

  Theorem cpu_f64_overlapping : decides_overlapping u64 phi64 0 kappa a b t' n' r' c' -> overlapping a b.
  Proof.
    intro H. destruct none_or_some as [Z | L].
    - exfalso. apply (none_clears Z (FaceA X)), H. intros i j. discriminate.
    - exact (decides_is_true u64 phi64 0 kappa a b d' t' n' r' c' u64_range phi64_least (Rle_refl 0) Hkappa Ha Hb Hrun
        (large_enough L) H).
  Qed.
End Cpu.

(** ** Boxes with centers in f64: [classify_apart] of [obb_sat_f64_cpu.rs], whatever the centers *)
Section Apart.
  (** d may be off by as much, and each operation by no more. *)
  Definition u_apart : R := u64 * (1 + 1 / 2 ^ 51).
  (** The least number: what is below [phi64] is rounded to its multiples. *)
  Definition eta64 : R := 1 / 2 ^ 1074.

  Variables (kappa : R) (a b : box) (d' t' : vec) (n' : R) (r' : quat) (c' : axis -> axis -> R).
  Hypothesis Hkappa : Rabs (kappa - KAPPA) <= 0.01.
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Hypothesis Hrun : run u_apart eta64 a b d' t' n' r' c'.

  (** What rounds the difference of two centers, or is the first of the numbers whose sum it is. *)
  Lemma subtracted_within : forall u phi x y v, 0 <= u -> Rabs (v - (x - y)) <= u * Rabs (x - y) -> subtracted u phi x y v.
  Proof.
    intros u phi x y v u_positive H. unfold subtracted. apply (EvAdd u phi (Len x) (Len (- y)) x (- y)); try (constructor; left; reflexivity).
    left. destruct (Req_dec (x - y) 0) as [Z | N].
    - exists 0. rewrite Z, Rabs_R0, Rmult_0_r, Rminus_0_r in H. replace (x + - y) with (x - y) by (clear; lra). rewrite Z, Rabs_R0.
      pose proof (Rabs_pos v). assert (V : Rabs v = 0) by lra. destruct (Req_dec v 0) as [-> | V0].
      + split; [| clear; lra]. exact u_positive.
      + apply Rabs_pos_lt in V0. lra.
    - exists ((v - (x - y)) / (x - y)). split; [| field; exact N].
      unfold Rdiv. rewrite Rabs_mult, Rabs_inv. apply Rabs_pos_lt in N. apply (Rmult_le_reg_r (Rabs (x - y))); [exact N |].
      rewrite Rmult_assoc, Rinv_l by lra. lra.
  Qed.

  Lemma eta64_least : 0 <= eta64 <= 1 / 2 ^ 300 /\ 0 <= phi64 /\ 2000 * eta64 <= phi64.
  Proof.
    unfold eta64, phi64, Rdiv. rewrite !Rmult_1_l. assert (P : forall k, 0 < 2 ^ k) by (intro; apply pow_lt; lra).
    repeat split; try (apply Rlt_le, Rinv_0_lt_compat, P).
    - apply Rinv_le_contravar; [apply P |]. apply Rle_pow; [lra | lia].
    - change 1074%nat with (52 + 1022)%nat. rewrite pow_add, Rinv_mult.
      apply Rmult_le_reg_r with (2 ^ 1022); [apply P |]. rewrite Rmult_assoc, Rmult_assoc, Rinv_l by (apply Rgt_not_eq, P). lra.
  Qed.
  Lemma u_apart_range : u64 <= u_apart <= u64 * (1 + 1 / 2 ^ 51).
  Proof. unfold u_apart, u64. lra. Qed.

  Lemma normal_enough : 1000 * eta64 <= spare phi64 a b t' n'.
  Proof.
    destruct eta64_least as [L [P E]].
    destruct (lengths_pos u_apart eta64 a b d' t' n' r' c' u_apart_range L Ha Hb Hrun) as [TP [GP _]].
    unfold spare. match goal with |- context [u64 * ?x] => assert (0 <= u64 * x) by (apply Rmult_le_pos; [unfold u64 |]; lra) end. lra.
  Qed.

  Theorem apart_f64_separated : forall k, separates u_apart eta64 phi64 a b t' n' r' c' k -> separated a b.
  Proof.
    destruct eta64_least as [L [P _]].
    exact (separates_is_true u_apart eta64 phi64 a b d' t' n' r' c' u_apart_range L P Ha Hb Hrun normal_enough).
  Qed.

  Theorem apart_f64_overlapping : decides_overlapping u_apart eta64 phi64 kappa a b t' n' r' c' -> overlapping a b.
  Proof.
    destruct eta64_least as [L [P _]].
    exact (decides_is_true u_apart eta64 phi64 kappa a b d' t' n' r' c' u_apart_range L P Hkappa Ha Hb Hrun normal_enough).
  Qed.
End Apart.
