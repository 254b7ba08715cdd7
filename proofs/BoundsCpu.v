(** * The CPU's bounds contain their boxes, underflow aside: [obb_bounds_cpu.rs].

    The CPU evaluates what is written and rounds to the nearest, with half the unit of shaders. That is
    one of the runs that the shader is allowed, so [Bounds.v] has the rest of the argument. *)

Require Import Reals List Lra Lia.
From Obbligato Require Import Boxes Formulas Rounding Lengths Constants Propagation Shader Cpu32 Bounds.
Import ListNotations.
Open Scope R_scope.

(** A smaller unit of rounding, fewer monomials and smaller magnitudes are allowed. *)
Lemma evaluates_more : forall v v' e x, v <= v' -> evaluates v e x -> evaluates v' e x.
Proof. intros v v' e x H E. induction E; constructor; auto; lra. Qed.

Lemma computed_more : forall v v' N N' D S S' x y, v <= v' -> (N <= N')%nat -> S <= S' ->
  computed v N D S x y -> computed v' N' D S' x y.
Proof.
  intros v v' N N' D S S' x y H HN HS [e [[L [G [V M]]] E]]. exists e. repeat split; auto; try lia; try lra.
  eapply evaluates_more; eauto.
Qed.

(** How far bounds reach, as the source writes it. A division is a product with the reciprocal that
    rounds once. *)
Definition reach_of (m h : vec) (n' c absolute margin : R) : expr :=
  let product j := Mul (Num (m j)) (Num (h j)) in
  let extent := Mul (Add (Add (product X) (product Y)) (product Z)) (Num (/ n')) in
  let error := Add (Mul (Num EXTENT_ERROR) (Add (Add (Num (h X)) (Num (h Y))) (Num (h Z))))
    (Mul (Num CENTER_ERROR) (Num c)) in
  Add (Add (Add extent error) (Num absolute)) (Num margin).

Record bounds_run32 (b : box) (k : axis) (n' : R) (m' : vec) (absolute margin reach low high : R) : Prop := {
  bounds32_n : computed u32 4 2 (n b) (n b) n';
  bounds32_m : forall j, exists v,
    computed u32 (if axis_eq k j then 4 else 2) 2 (W (rotation b) k j) (M (rotation b) k j) v /\ m' j = Rabs v;
  bounds32_absolute : 0 <= absolute;
  bounds32_margin : 0 <= margin;
  bounds32_reach : evaluates u32 (reach_of m' (half b) n' (Rabs (center b k)) absolute margin) reach;
  bounds32_low : Rabs (low - (center b k - reach)) <= u32 * Rabs (center b k - reach);
  bounds32_high : Rabs (high - (center b k + reach)) <= u32 * Rabs (center b k + reach)
}.

Section BoundsCpu.
  Variables (b : box) (k : axis) (n' : R) (m' : vec) (absolute margin reach low high : R).
  Hypothesis Hb : valid b.
  Hypothesis Hrun : bounds_run32 b k n' m' absolute margin reach low high.

  Lemma unit_below : u32 <= u.
  Proof. unfold u32, u. lra. Qed.

  Lemma n_computed : computed u 4 2 (n b) (n b) n'.
  Proof.
    eapply computed_more; [exact unit_below | | | exact (bounds32_n _ _ _ _ _ _ _ _ _ Hrun)]; [lia | lra].
  Qed.

  Lemma n_positive : 0 < n'.
  Proof.
    pose proof n_computed as C. pose proof (n_pos b Hb) as N.
    apply (rounded u small_u 4 2 _ _ _ 4 eq_refl ltac:(lia) ltac:(unfold u; simpl; lra)) in C.
    assert (E : error u 4 <= 4.001 * u) by apply (error_4 u small_u).
    assert (D : Rabs (n' - n b) <= 4.001 * u * n b) by (eapply Rle_trans; [exact C | apply Rmult_le_compat_r; lra]).
    apply Rabs_def2_le in D. unfold u in *. lra.
  Qed.

  Lemma is_a_run : bounds_run b k n' m' (/ n') (absolute + margin) reach low high.
  Proof.
    pose proof n_positive as NP. pose proof unit_below as UB.
    pose proof (bounds32_absolute _ _ _ _ _ _ _ _ _ Hrun) as PA.
    pose proof (bounds32_margin _ _ _ _ _ _ _ _ _ Hrun) as PM.
    split.
    - exact n_computed.
    - intro j. destruct (bounds32_m _ _ _ _ _ _ _ _ _ Hrun j) as [v [C E]]. exists v. split; auto.
      eapply computed_more; [exact UB | | | exact C]; [destruct (axis_eq k j); lia | apply W_bounds].
    - rewrite Rinv_l by lra. rewrite Rminus_eq_0, Rabs_R0. unfold u. lra.
    - lra.
    - cbv zeta. set (c := Rabs (center b k)) in *. assert (CP : 0 <= c) by apply Rabs_pos.
      assert (MP : forall j, 0 <= m' j)
        by (intro j; destruct (bounds32_m _ _ _ _ _ _ _ _ _ Hrun j) as [v [_ ->]]; apply Rabs_pos).
      assert (HP : forall j, 0 <= half b j) by apply (proj1 Hb).
      assert (RP : 0 <= / n') by (apply Rlt_le, Rinv_0_lt_compat; auto).
      exists (reach_of m' (half b) n' c absolute margin). split.
      + split; [simpl; lia |]. split; [repeat constructor; simpl; lia |]. split.
        * unfold values, total, sum. simpl. ring.
        * unfold magnitudes, total, sum. simpl.
          rewrite !(Rabs_pos_eq (m' _ * half b _ * / n')) by (repeat apply Rmult_le_pos; auto).
          rewrite !(Rabs_pos_eq (EXTENT_ERROR * _)) by (apply Rmult_le_pos; auto; unfold EXTENT_ERROR; lra).
          rewrite (Rabs_pos_eq (CENTER_ERROR * c)) by (apply Rmult_le_pos; auto; unfold CENTER_ERROR; lra).
          rewrite (Rabs_pos_eq absolute), (Rabs_pos_eq margin) by auto. lra.
      + exact (evaluates_more _ _ _ _ UB (bounds32_reach _ _ _ _ _ _ _ _ _ Hrun)).
    - eapply Rle_trans; [exact (bounds32_low _ _ _ _ _ _ _ _ _ Hrun) |]. apply Rmult_le_compat_r;
      [apply Rabs_pos | lra].
    - eapply Rle_trans; [exact (bounds32_high _ _ _ _ _ _ _ _ _ Hrun) |]. apply Rmult_le_compat_r;
      [apply Rabs_pos | lra].
  Qed.

  Theorem cpu_bounds_contain : forall p, contains b p -> low <= p k <= high.
  Proof. exact (bounds_contain b k n' m' (/ n') (absolute + margin) reach low high Hb is_a_run). Qed.
End BoundsCpu.
