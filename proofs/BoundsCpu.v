(** * The CPU's bounds contain their boxes: [obb_bounds_cpu.rs].

    The CPU evaluates what is written and rounds to the nearest, with half the unit of shaders, and
    with gradual underflow. That is one of the runs that the shader is allowed, so [Bounds.v] has the
    rest of the argument. *)

Require Import Rbase Rfunctions List Lra Lia.
From Obbligato Require Import Boxes Formulas Rounding Flushing Lengths Constants Propagation Counts Shader Fits Cpu32 Bounds.
Open Scope R_scope.

(** How far bounds reach, as the source writes it. A division is a product with the reciprocal that
    rounds once. *)
Definition reach_of (m h : vec) (n' c absolute margin : R) : expr :=
  let product j := Mul (Num (m j)) (Len (h j)) in
  let extent := Mul (Add (Add (product X) (product Y)) (product Z)) (Num (/ n')) in
  let error := Add (Mul (Num EXTENT_ERROR) (Add (Add (Len (h X)) (Len (h Y))) (Len (h Z))))
    (Mul (Num CENTER_ERROR) (Len c)) in
  Add (Add (Add extent error) (Len absolute)) (Len margin).

Record bounds_run32 (b : box) (k : axis) (n' : R) (m' : vec) (absolute margin reach low high : R) : Prop := {
  bounds32_n : computed u32 phi 4 2 (n b) (n b) n';
  bounds32_m : forall j, exists v,
    computed u32 phi (if axis_eq k j then 4 else 2) 2 (W (rotation b) k j) (M (rotation b) k j) v /\ m' j = Rabs v;
  bounds32_absolute : ABSOLUTE_ERROR <= absolute;
  bounds32_margin : 0 <= margin;
  bounds32_reach : evaluates u32 phi (reach_of m' (half b) n' (Rabs (center b k)) absolute margin) reach;
  bounds32_low : subtracted u32 phi (center b k) reach low;
  bounds32_high : subtracted u32 phi (center b k) (- reach) high
}.

Section BoundsCpu.
  Variables (b : box) (k : axis) (n' : R) (m' : vec) (absolute margin reach low high : R).
  Hypothesis Hb : valid b.
  Hypothesis Hrun : bounds_run32 b k n' m' absolute margin reach low high.

  Lemma unit_below : u32 <= u.
  Proof. unfold u32, u. lra. Qed.

  Lemma n_computed : computed u phi 4 2 (n b) (n b) n'.
  Proof.
    eapply computed_more; [exact unit_below | | | exact (bounds32_n _ _ _ _ _ _ _ _ _ Hrun)]; [lia | lra].
  Qed.
  Lemma m_computed : forall j, exists v, computed u phi 4 2 (n b) (M (rotation b) k j) v /\ m' j = Rabs v.
  Proof.
    intro j. destruct (bounds32_m _ _ _ _ _ _ _ _ _ Hrun j) as [v [C E]]. exists v. split; auto.
    eapply computed_more; [exact unit_below | | | exact C]; [destruct (axis_eq k j); lia | apply W_bounds].
  Qed.

  (** n and the entries of M are near 1, or below. *)
  Lemma near_one : forall S x v, 0 <= S <= 1.0021 -> computed u phi 4 2 S x v -> Rabs (v - x) <= 0.000001.
  Proof.
    intros S x v HS C. apply (rounded u phi small_u small_phi 4 2 _ _ _ 4 eq_refl ltac:(lia) ltac:(unfold u; simpl; lra)) in C.
    assert (error u 4 * S <= error u 4 * 1.0021) by (apply Rmult_le_compat_l; [unfold error, u; simpl |]; lra).
    unfold error, u, phi in *. simpl in *. lra.
  Qed.
  Lemma n_is : 0.9978 <= n' <= 1.0022.
  Proof.
    destruct Hb as [_ N]. pose proof (near_one (n b) _ _ ltac:(unfold n in *; lra) n_computed) as E. apply Rabs_def2_le in E.
    unfold n in *. lra.
  Qed.
  Lemma m_below : forall j, 0 <= m' j <= 1.0022.
  Proof.
    intro j. destruct (m_computed j) as [v [C ->]]. destruct Hb as [_ N].
    pose proof (near_one (n b) _ _ ltac:(unfold n in *; lra) C) as E. destruct (entry_M b k j Hb) as [E1 E2].
    assert (Rabs (M (rotation b) k j) <= 1.0021).
    { rewrite E1. apply Rle_trans with (n b * 1); [apply Rmult_le_compat_l |]; unfold n in *; lra. }
    split; [apply Rabs_pos |]. replace v with ((v - M (rotation b) k j) + M (rotation b) k j) by (clear; lra).
    eapply Rle_trans; [apply Rabs_triang |]. lra.
  Qed.

  Lemma is_a_run : bounds_run b k n' m' (/ n') (absolute + margin) reach low high.
  Proof.
    pose proof n_is as NI. pose proof unit_below as UB.
    pose proof (bounds32_absolute _ _ _ _ _ _ _ _ _ Hrun) as PA.
    pose proof (bounds32_margin _ _ _ _ _ _ _ _ _ Hrun) as PM.
    assert (RI : 0 < / n' <= 1.0023).
    { split; [apply Rinv_0_lt_compat; lra |]. apply (Rmult_le_reg_l n'); [lra |]. rewrite Rinv_r; lra. }
    split.
    - exact n_computed.
    - exact m_computed.
    - rewrite Rinv_l by lra. rewrite Rminus_eq_0, Rabs_R0. unfold u. lra.
    - split; [lra | | |].
      2: eapply evaluates_more; [exact UB | exact (bounds32_low _ _ _ _ _ _ _ _ _ Hrun)].
      2: eapply evaluates_more; [exact UB | exact (bounds32_high _ _ _ _ _ _ _ _ _ Hrun)].
      cbv zeta. set (c := Rabs (center b k)) in *. assert (CP : 0 <= c) by apply Rabs_pos.
      pose proof (m_below X) as MX. pose proof (m_below Y) as MY. pose proof (m_below Z) as MZ.
      pose proof (proj1 Hb X) as HX. pose proof (proj1 Hb Y) as HY. pose proof (proj1 Hb Z) as HZ.
      pose proof (evaluates_more _ _ _ _ _ UB (bounds32_reach _ _ _ _ _ _ _ _ _ Hrun)) as E. fold c in E.
      set (r := / n') in *. assert (P : forall j, 0 <= m' j <= 1.0022 -> 0 <= half b j -> 0 <= m' j * half b j * r)
        by (intros j Hm Hh; repeat apply Rmult_le_pos; lra).
      pose proof (P X MX HX) as PX. pose proof (P Y MY HY) as PY. pose proof (P Z MZ HZ) as PZ. clear P.
      assert (EE : 0 < EXTENT_ERROR < 1 /\ 0 < CENTER_ERROR < 1 /\ 0 < ABSOLUTE_ERROR)
        by (unfold EXTENT_ERROR, CENTER_ERROR, ABSOLUTE_ERROR; lra).
      set (s := sum (fun j => m' j * half b j * r) + EXTENT_ERROR * sum (half b) + CENTER_ERROR * c + (absolute + margin)).
      assert (L : forall x, 0 <= x -> x * u <= s -> lengthy 1 x (s / u) x (Len x)).
      { intros x X0 XS. apply w_fits. split; [exact X0 |]. apply (Rmult_le_reg_r u); [unfold u; lra |].
        replace (s / u * u) with s; [exact XS |]. field. unfold u. lra. }
      assert (S0 : EXTENT_ERROR * (half b X + half b Y + half b Z) + CENTER_ERROR * c + (absolute + margin) <= s)
        by (unfold s, sum; lra).
      assert (LX : lengthy 1 (half b X) (s / u) (half b X) (Len (half b X)) /\ lengthy 1 (half b Y) (s / u) (half b Y) (Len (half b Y)) /\
        lengthy 1 (half b Z) (s / u) (half b Z) (Len (half b Z)) /\ lengthy 1 c (s / u) c (Len c) /\
        lengthy 1 absolute (s / u) absolute (Len absolute) /\ lengthy 1 margin (s / u) margin (Len margin)).
      { unfold EXTENT_ERROR, CENTER_ERROR, ABSOLUTE_ERROR, u in *. repeat split; apply L; unfold u; lra. }
      destruct LX as [L1 [L2 [L3 [L4 [L5 L6]]]]].
      assert (N : forall x, 0 <= x <= 1.0023 -> numeral 1.0023 x x (Num x)).
      { intros x Hx. pose proof (num_num 1.0023 x) as Q. rewrite Rabs_pos_eq in Q by lra. apply Q; lra. }
      eapply (lengthy_run u phi (reach_of m' (half b) n' c absolute margin)); [| reflexivity | | | | exact E];
        [unfold reach_of; cbv zeta; fold r; apply len_add; [apply len_add; [apply len_add; [eapply len_times; [apply len_add; [apply len_add |];
          (eapply times_len; [apply N | eassumption]) | apply N] | apply len_add; [eapply times_len; [apply N | apply len_add; [apply len_add |]; eassumption]
          | eapply times_len; [apply N | exact L4]]] | exact L5] | exact L6]; lra | lra | |]; unfold s, sum; lra.
  Qed.

  (** Points that are no further from the box than half a margin. *)
  Theorem cpu_bounds_contain_within : forall w p q, 0 <= w -> half_margin w <= margin ->
    contains b p -> Rabs (q k - p k) <= w -> low <= q k <= high.
  Proof.
    intros w p q W HM P Q. pose proof (bounds32_absolute _ _ _ _ _ _ _ _ _ Hrun).
    apply (bounds_contain_within b k n' m' (/ n') (absolute + margin) reach low high Hb is_a_run w p); auto. lra.
  Qed.

  Theorem cpu_bounds_contain : forall p, contains b p -> low <= p k <= high.
  Proof. exact (bounds_contain b k n' m' (/ n') (absolute + margin) reach low high Hb is_a_run). Qed.
End BoundsCpu.

(** ** Margins *)

(** [half_margin] of [bounds.rs]: a product by a half is exact, or below phi. *)
Definition half_margin_run (m h : R) : Prop := m = 0 /\ h = 0 \/
  0 < m /\ evaluates u32 phi (Add (Mul (Len (m / 2)) (Num (1 + MARGIN_ERROR))) (Len MARGIN_FLUSH)) h.

Lemma half_margin_large : forall m h, half_margin_run m h -> m / 2 * (1 + 14.95 * u) <= h /\
  (m = 0 /\ h = 0 \/ m / 2 * (1 + 14.95 * u) + 2 * phi <= h).
Proof.
  intros m h [[-> ->] | [P E]]; [lra |].
  assert (ME : 0 < MARGIN_ERROR < 0.00001 /\ MARGIN_ERROR = 16 * u) by (unfold MARGIN_ERROR, u; lra).
  assert (MF : MARGIN_FLUSH = 64 * phi /\ 0 < phi) by (unfold MARGIN_FLUSH, phi; lra). destruct MF as [MF FP].
  set (x := m / 2 * (1 + MARGIN_ERROR) + MARGIN_FLUSH).
  assert (X0 : 0 <= m / 2 * (1 + MARGIN_ERROR)) by (apply Rmult_le_pos; lra).
  assert (C : computed_length u32 phi 2 2 2.1 (m + 1) x x h).
  { assert (N : numeral 1.0001 (1 + MARGIN_ERROR) (1 + MARGIN_ERROR) (Num (1 + MARGIN_ERROR))).
    { pose proof (num_num 1.0001 (1 + MARGIN_ERROR)) as Q. rewrite Rabs_pos_eq in Q by lra. apply Q; lra. }
    assert (FM : lengthy 1 MARGIN_FLUSH (m + 1) MARGIN_FLUSH (Len MARGIN_FLUSH)) by (apply w_fits; unfold phi in *; lra).
    assert (FH : lengthy 1 (m / 2) (m + 1) (m / 2) (Len (m / 2))) by (apply w_fits; lra).
    eapply lengthy_run; [apply len_add; [eapply len_times; [exact FH | exact N] | exact FM] | reflexivity | lra | unfold x; lra | reflexivity | exact E]. }
  apply (rounded_length u32 phi u32_small phi_small32 2 2 _ _ _ _ _ 2 eq_refl ltac:(lia) ltac:(unfold u32; simpl; lra)) in C; [| lra].
  simpl INR in C. assert (E2 : 0 <= error u32 2 <= 2.0001 * u32) by (unfold error, u32; simpl; lra).
  assert (error u32 2 * x <= 2.0001 * u32 * x) by (apply Rmult_le_compat_r; unfold x; lra).
  assert (phi * m <= 0.0000001 * u32 * m) by (apply Rmult_le_compat_r; unfold phi, u32; lra).
  assert (UP : u32 * phi <= 0.000001 * phi) by (apply Rmult_le_compat_r; unfold u32; lra).
  apply Rabs_def2_le in C. destruct ME as [_ ME]. unfold x in *. rewrite ME, MF in *. unfold u32, u in *. split; [| right]; lra.
Qed.

(** The share of the margin of all, and that of the margin of one, added on the CPU. *)
Theorem half_margins_are_enough : forall m own h h' w, 0 <= m -> 0 <= own ->
  half_margin_run m h -> half_margin_run (2 * own) h' -> rounds u32 phi (h + h') w -> half_margin (m / 2 + own) <= w.
Proof.
  intros m own h h' w Hm Ho H H' R. apply half_margin_large in H, H'. destruct H as [H Z], H' as [H' Z'].
  assert (FP : 0 < phi) by (unfold phi; lra). unfold half_margin. replace (2 * own / 2) with own in * by lra.
  destruct R as [[d [D ->]] | [N [_ [_ D]]]].
  - apply Rabs_def2_le in D. assert (P : 0 <= m / 2 * (1 + 14.95 * u) /\ 0 <= own * (1 + 14.95 * u))
      by (split; apply Rmult_le_pos; unfold u; lra).
    assert ((1 - u32) * (m / 2 * (1 + 14.95 * u) + own * (1 + 14.95 * u)) <= (1 + d) * (h + h'))
      by (apply Rmult_le_compat; unfold u32 in *; lra). unfold u32, u in *. lra.
  - apply Rabs_def2_le in D. unfold u in *. destruct Z as [[M ->] | Z], Z' as [[M' ->] | Z']; lra.
Qed.
