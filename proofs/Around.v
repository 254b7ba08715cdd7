(** * The box in [f32] around a box with its center in [f64] contains it: [around_one] of [obb64/around.rs].

    Rounding moves the center by a vector r, whose length is added to the half extents. So the bounds of boxes
    with centers in [f64], which are those of the boxes around them, contain the boxes. *)

Require Import Rbase Rfunctions R_sqrt ZArith Lra Lia.
From Obbligato Require Import Rounding Flushing Constants Counts Shader Cpu32 Bounds BoundsCpu.
From Obbligato Require Import Boxes Formulas Lengths Propagation Complete Sums Margins Distances Round NearNumbers.
Open Scope R_scope.

(** All numbers are relative to one origin, and times one factor. *)
Theorem around_contains : forall b c h p, valid b -> (forall i, half b i + len (less (center b) c) <= h i) ->
  contains b p -> contains (Box c h (rotation b)) p.
Proof.
  intros b c h p V H [s [S E]]. set (v := less (center b) c) in *.
  assert (C : forall i, exists t, -1 <= t <= 1 /\ half b i * s i + dot v (edge b i) = h i * t).
  { intro i. apply coefficient. specialize (H i). pose proof (proj1 V i) as HP. destruct (S i) as [S1 S2].
    pose proof (dot_len v (edge b i)) as D.
    assert (L : len (edge b i) = 1).
    { apply len_is; [lra |]. pose proof (edges_dot b i i V) as Q. unfold square. rewrite Q. destruct i; simpl; lra. }
    rewrite L, Rmult_1_r in D. apply Rabs_def2_le in D. nra. }
  destruct (C X) as [x [BX EX]], (C Y) as [y [BY EY]], (C Z) as [z [BZ EZ]].
  exists (fun i => match i with X => x | Y => y | Z => z end). split; [intros []; auto |].
  intro k. change (center (Box c h (rotation b))) with c. change (half (Box c h (rotation b))) with h.
  change (edge (Box c h (rotation b))) with (edge b). rewrite E. pose proof (parts b v k V) as P. unfold sum in *.
  rewrite <- EX, <- EY, <- EZ. change (v k) with (center b k - c k) in P. lra.
Qed.

(** So if a shader finds that the boxes around are apart, those in them are. *)
Theorem around_apart : forall a b ca ha cb hb, valid a -> valid b -> (forall i, half a i + len (less (center a) ca) <= ha i) ->
  (forall i, half b i + len (less (center b) cb) <= hb i) -> separated (Box ca ha (rotation a)) (Box cb hb (rotation b)) -> separated a b.
Proof.
  intros a b ca ha cb hb Va Vb Ha Hb S [p [A B]]. apply S. exists p. split; apply around_contains; auto.
Qed.

Section Reach.
  Variables (p : nat) (eta : R).
  Hypothesis p_range : (6 <= p)%nat.
  Hypothesis eta_positive : 0 < eta.
  Variable round : R -> R.
  Hypothesis round_is_number : forall x, Sums.number p eta (round x).
  Hypothesis round_is_nearest : forall x y, Sums.number p eta y -> Rabs (round x - x) <= Rabs (y - x).
  Hypothesis round_odd : forall x, round (- x) = - round x.
  Let u := / 2 ^ p.
  (** [LEAST]: what squares lose to underflow is below its square. *)
  Variable least : R.
  Hypothesis least_pos : 0 < least.
  Hypothesis least_square : 320 * eta <= least * least.
  Hypothesis least_large : 100 * eta <= least.

  Notation below := (low p eta).
  Notation from_below := (rounded_low p eta p_range eta_positive round round_is_nearest).
  Notation still_pos := (rounded_pos p eta round round_is_number round_is_nearest).
  Notation once_more := (low_round p eta p_range eta_positive round round_is_nearest).
  Notation of_both := (low_sum p eta p_range).

  (** How far a coordinate is moved, given the difference of centers as a sum and its rest. *)
  Definition moved_by (high rest c : R) : R := round (Rabs (round (high - c)) + Rabs rest).
  Definition length_by (x y z : R) : R := round (sqrt (round (round (round (x * x) + round (y * y)) + round (z * z)))).
  Definition reach_by (half length : R) : R := round (round (round (half + length) + least) * inflation p).

  Lemma u_is : 0 < u <= 1 / 64.
  Proof. exact (u_small p p_range). Qed.

  Lemma moved_enough : forall high rest c, 0 <= moved_by high rest c /\ (1 - 2 * u) * Rabs (high + rest - c) <= moved_by high rest c + 2 * eta.
  Proof.
    intros high rest c. unfold moved_by. pose proof (Rabs_pos (round (high - c))) as P1. pose proof (Rabs_pos rest) as P2. split; [apply still_pos; lra |].
    assert (A : Rabs (round (high - c)) = round (Rabs (high - c))).
    { unfold Rabs at 2. destruct (Rcase_abs (high - c)) as [N | N].
      - rewrite round_odd. apply Rabs_left1. pose proof (still_pos (- (high - c)) ltac:(lra)) as Q. rewrite round_odd in Q. lra.
      - apply Rabs_pos_eq, still_pos. lra. }
    pose proof (Rabs_pos (high - c)) as P3. pose proof (from_below _ P3) as L. rewrite <- A in L.
    assert (L1 : below 1 1 (Rabs (high - c)) (Rabs (round (high - c)))) by (unfold low; lra).
    assert (L2 : below 1 0 (Rabs rest) (Rabs rest)).
    { unfold low. pose proof u_is as U. fold u. assert (0 <= u * Rabs rest) by (apply Rmult_le_pos; lra). lra. }
    assert (Q : below 2 2 (Rabs (high - c) + Rabs rest) (round (Rabs (round (high - c)) + Rabs rest))).
    { replace 2 with (1 + 1) at 1 by (clear; lra). replace 2 with (1 + 0 + 1) by (clear; lra). apply once_more; try lra. apply (of_both 1 1); auto; lra. }
    unfold low in Q. fold u in Q.
    assert (T : Rabs (high + rest - c) <= Rabs (high - c) + Rabs rest).
    { replace (high + rest - c) with ((high - c) + rest) by (clear; lra). apply Rabs_triang. }
    pose proof u_is as U. apply (Rmult_le_compat_l (1 - 2 * u)) in T; lra.
  Qed.

  Lemma length_enough : forall v : vec, (forall k, 0 <= v k) ->
    0 <= length_by (v X) (v Y) (v Z) /\ (1 - 4 * u) * len v - least / 8 - eta <= length_by (v X) (v Y) (v Z).
  Proof.
    intros v V. unfold length_by. pose proof u_is as U.
    assert (Sq : forall x, 0 <= x * x) by (intro; apply Rle_0_sqr).
    assert (One : forall x, below 1 1 (x * x) (round (x * x)) /\ 0 <= round (x * x)).
    { intro x. split; [pose proof (from_below _ (Sq x)); unfold low; lra | apply still_pos, Sq]. }
    destruct (One (v X)) as [LX PX], (One (v Y)) as [LY PY], (One (v Z)) as [LZ PZ].
    pose proof (Sq (v X)) as SX. pose proof (Sq (v Y)) as SY. pose proof (Sq (v Z)) as SZ.
    set (x := round (v X * v X)) in *. set (y := round (v Y * v Y)) in *. set (z := round (v Z * v Z)) in *.
    pose proof (once_more 1 2 (v X * v X + v Y * v Y) (x + y) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)) as L1.
    assert (B1 : below 1 2 (v X * v X + v Y * v Y) (x + y)).
    { replace 2 with (1 + 1) by (clear; lra). apply (of_both 1 1); auto; lra. }
    specialize (L1 B1). pose proof (still_pos (x + y) ltac:(lra)) as P1. set (s := round (x + y)) in *.
    pose proof (once_more 2 4 (v X * v X + v Y * v Y + v Z * v Z) (s + z) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)) as L2.
    assert (B2 : below 2 4 (v X * v X + v Y * v Y + v Z * v Z) (s + z)).
    { replace 4 with (2 + 1 + 1) by (clear; lra). apply (of_both (1 + 1) 1); auto; lra. }
    specialize (L2 B2). pose proof (still_pos (s + z) ltac:(lra)) as P2. set (w := round (s + z)) in *.
    unfold low in L2. fold u in L2. replace (v X * v X + v Y * v Y + v Z * v Z) with (len v * len v) in L2
      by (rewrite len_square; unfold square, dot, sum; clear; lra).
    pose proof (len_pos v) as L0. pose proof (sqrt_pos w) as R0.
    assert (Root : (1 - 3 * u) * len v - least / 8 <= sqrt w).
    { apply Rnot_lt_le. intro N. assert (Q : sqrt w * sqrt w = w) by (apply sqrt_sqrt, P2).
      set (a := (1 - 3 * u) * len v) in *. set (e := least / 8) in *. assert (E0 : 0 < e) by (unfold e; lra).
      assert (E5 : 5 * eta <= e * e) by (unfold e; lra).
      assert (W : w < (a - e) * (a - e)) by (rewrite <- Q; apply Rmult_le_0_lt_compat; auto).
      assert (AE : e <= a) by lra.
      assert (A2 : (a - e) * (a - e) <= a * a - e * e) by (clear - AE E0; nra).
      assert (A3 : a * a <= (1 - 3 * u) * (len v * len v)).
      { unfold a. replace ((1 - 3 * u) * len v * ((1 - 3 * u) * len v)) with ((1 - 3 * u) * ((1 - 3 * u) * (len v * len v))) by (clear; lra).
        rewrite <- (Rmult_1_l ((1 - 3 * u) * (len v * len v))) at 2. apply Rmult_le_compat_r; [apply Rmult_le_pos; [lra | apply Sq] | lra]. }
      lra. }
    split; [apply still_pos, R0 |]. pose proof (from_below _ R0) as F. fold u in F.
    assert (G : (1 - u) * ((1 - 3 * u) * len v - least / 8) <= (1 - u) * sqrt w) by (apply Rmult_le_compat_l; lra).
    assert (0 <= 3 * (u * u * len v)) by (apply Rmult_le_pos; [lra | apply Rmult_le_pos; [clear - U; nra | auto]]).
    assert (0 <= u * least) by (apply Rmult_le_pos; lra). lra.
  Qed.

  Theorem around_reach : forall (r high rest c : vec) half, 0 <= half -> (forall k, r k = high k + rest k - c k) ->
    half + len r <= reach_by half (length_by (moved_by (high X) (rest X) (c X)) (moved_by (high Y) (rest Y) (c Y)) (moved_by (high Z) (rest Z) (c Z))).
  Proof.
    intros r high rest c half H E. pose proof u_is as U. set (v := fun k => moved_by (high k) (rest k) (c k)).
    destruct (length_enough v ltac:(intro; apply moved_enough)) as [T0 T]. change (length_by _ _ _) with (length_by (v X) (v Y) (v Z)).
    set (root := length_by (v X) (v Y) (v Z)) in *. pose proof (len_pos r) as R0.
    assert (L : (1 - 2 * u) * len r <= len v + 4 * eta).
    { assert (A : len (scaled (1 - 2 * u) r) <= len (added v (fun _ => 2 * eta))).
      { apply len_bounded. intro k. unfold scaled, added, v. rewrite Rabs_mult, (Rabs_pos_eq (1 - 2 * u)) by lra. rewrite E. apply moved_enough. }
      rewrite len_scaled, (Rabs_pos_eq (1 - 2 * u)) in A by lra. pose proof (len_added v (fun _ => 2 * eta)).
      pose proof (len_all (2 * eta) ltac:(lra)). lra. }
    assert (Root : (1 - 6 * u) * len r - least / 8 - 5 * eta <= root).
    { apply (Rmult_le_compat_l (1 - 4 * u)) in L; [| lra]. assert (0 <= 8 * (u * u * len r)) by (apply Rmult_le_pos; [lra | apply Rmult_le_pos; [clear - U; nra | auto]]).
      assert (0 <= u * eta) by (apply Rmult_le_pos; lra). lra. }
    unfold reach_by. pose proof (from_below (half + root) ltac:(lra)) as B1. pose proof (still_pos (half + root) ltac:(lra)) as P1. set (t1 := round (half + root)) in *.
    pose proof (from_below (t1 + least) ltac:(lra)) as B2. pose proof (still_pos (t1 + least) ltac:(lra)) as P2. set (t2 := round (t1 + least)) in *.
    assert (I : inflation p = 1 + 16 * u) by reflexivity. rewrite I.
    pose proof (from_below (t2 * (1 + 16 * u)) ltac:(apply Rmult_le_pos; lra)) as B3. fold u in B1, B2, B3.
    set (x := half + len r). assert (X0 : 0 <= x) by (unfold x; lra).
    assert (C2 : (1 - 8 * u) * x + least / 2 <= t2).
    { assert (D1 : (1 - u) * ((1 - u) * (half + root) - eta) <= (1 - u) * t1) by (apply Rmult_le_compat_l; lra).
      assert (D2 : (1 - u) * (1 - u) * ((1 - 6 * u) * len r - least / 8 - 5 * eta) <= (1 - u) * (1 - u) * root) by (apply Rmult_le_compat_l; [clear - U; nra | exact Root]).
      assert (D3 : (1 - 8 * u) * len r <= (1 - u) * (1 - u) * (1 - 6 * u) * len r) by (apply Rmult_le_compat_r; [auto |]; clear - U; assert (0 <= u * u * (13 - 6 * u)) by (apply Rmult_le_pos; nra); lra).
      assert (D4 : (1 - 8 * u) * half <= (1 - u) * (1 - u) * half) by (apply Rmult_le_compat_r; [auto | clear - U; nra]).
      assert (D5 : (1 - u) * (1 - u) * (least / 8 + 5 * eta) <= least / 8 + 5 * eta).
      { rewrite <- (Rmult_1_l (least / 8 + 5 * eta)) at 2. apply Rmult_le_compat_r; [lra | clear - U; nra]. }
      assert (D6 : u * least <= 1 / 64 * least) by (apply Rmult_le_compat_r; lra).
      assert (D7 : 0 <= u * eta) by (apply Rmult_le_pos; lra). unfold x. lra. }
    assert (C3 : (1 - u) * (1 + 16 * u) * ((1 - 8 * u) * x + least / 2) <= (1 - u) * (1 + 16 * u) * t2)
      by (apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | exact C2]).
    assert (C4 : x <= (1 - u) * (1 + 16 * u) * (1 - 8 * u) * x).
    { rewrite <- (Rmult_1_l x) at 1. apply Rmult_le_compat_r; [auto |]. clear - U. assert (0 <= u * (7 - 136 * u + 128 * (u * u))) by (apply Rmult_le_pos; nra). lra. }
    assert (C5 : least / 2 <= (1 - u) * (1 + 16 * u) * (least / 2)).
    { rewrite <- (Rmult_1_l (least / 2)) at 1. apply Rmult_le_compat_r; [lra | clear - U; nra]. }
    lra.
  Qed.
End Reach.

(** The bounds of the box around contain the box, and all within the widening for a margin. *)

Theorem around_bounded : forall b c h k n' m' absolute margin reach low high w p q, valid b ->
  (forall i, half b i + len (less (center b) c) <= h i) -> 0 <= w -> half_margin w <= margin ->
  bounds_run32 (Box c h (rotation b)) k n' m' absolute margin reach low high ->
  contains b p -> Rabs (q k - p k) <= w -> low <= q k <= high.
Proof.
  intros b c h k n' m' absolute margin reach low high w p q V H W M Run P Q.
  assert (Va : valid (Box c h (rotation b))).
  { split; [| apply V]. intro i. simpl. specialize (H i). pose proof (proj1 V i). pose proof (len_pos (less (center b) c)). lra. }
  apply (cpu_bounds_contain_within _ k n' m' absolute margin reach low high Va Run w p q W M); auto.
  apply around_contains; auto.
Qed.

(** The source has [1e-150], rounded, in [f64]. *)
Theorem least_is_enough : forall eta least, eta * 2 ^ 1074 = 1 -> 9 <= least * 10 ^ 151 -> 320 * eta <= least * least /\ 100 * eta <= least.
Proof.
  intros eta least E L. set (t := 10 ^ 151) in *. set (w := 2 ^ 1074) in *.
  assert (T : 0 < t) by (apply pow_lt; lra). assert (W : 0 < w) by (apply pow_lt; lra).
  assert (Q : 320 * (t * t) <= w).
  { unfold t, w. rewrite !pow_IZR, <- !mult_IZR. apply IZR_le, Z.leb_le. vm_compute. reflexivity. }
  assert (T1 : 1 <= t) by (apply pow_R1_Rle; lra).
  assert (S : 9 * 9 <= least * t * (least * t)) by (apply Rmult_le_compat; lra).
  split.
  - apply (Rmult_le_reg_r w); auto. apply (Rmult_le_reg_r (t * t)); [apply Rmult_lt_0_compat; auto |].
    replace (320 * eta * w * (t * t)) with (320 * (t * t) * (eta * w)) by (clear; lra). rewrite E.
    replace (least * least * w * (t * t)) with (least * t * (least * t) * w) by (clear; lra).
    assert (81 * w <= least * t * (least * t) * w) by (apply Rmult_le_compat_r; lra). lra.
  - apply (Rmult_le_reg_r w); auto. apply (Rmult_le_reg_r t); auto.
    replace (100 * eta * w * t) with (100 * t * (eta * w)) by (clear; lra). rewrite E.
    replace (least * w * t) with (least * t * w) by (clear; lra).
    assert (9 * w <= least * t * w) by (apply Rmult_le_compat_r; lra). assert (t <= t * t) by nra. lra.
Qed.
