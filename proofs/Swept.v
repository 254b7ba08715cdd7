(** * Capsules given by the ends of their segments, against each other and against boxes: [SweptSphere] of [capsules.rs] and [round_box.rs]. *)

Require Import Rbase Rfunctions ZArith Lra Lia FunctionalExtensionality.
From Obbligato Require Import Boxes Formulas Separation Lengths Propagation Complete Exact Aligned LastStage Margins Distances
  Round Squares Directions Balls Segments Orders MachineWidths Widths MarginWidths RoundExact BoxBallExact SegmentBox Numbers Decided
  BoxCapsuleExact.
From Obbligato Require Integers.
Open Scope R_scope.

Section Programs.
  Variable A : arithmetic.
  Definition decide_swept (p0 p1 q0 q1 : triple A) (ra rb : number A) (a_point b_point : bool) : option comparison :=
    let reach := add A ra rb in cores A p0 p1 q0 q1 a_point b_point (mul A reach reach).
  Definition decide_swept_box (center half p0 p1 : triple A) (radius : number A) (q : Integers.quaternion (number A)) (point : bool) : option comparison :=
    let scale := length_of A q in
    let end_at := fun p => framed A q (minus A p center) in
    let radius := mul A radius scale in
    if point then point_box A (end_at p0) (times A half scale) (mul A radius radius)
    else segment_to_box A (end_at p0) (end_at p1) (times A half scale) (mul A radius radius).
End Programs.

Section Decided.
  Variables (A : arithmetic) (stands : number A -> R -> Prop).
  Hypothesis Sound : sound A stands.
  Variables (l : R) (x0 x1 y0 y1 : vec) (p0 p1 q0 q1 : triple A).
  Hypothesis Pl : 0 < l.
  Hypothesis P0 : stand A stands p0 (larger l x0).
  Hypothesis P1 : stand A stands p1 (larger l x1).
  Hypothesis Q0 : stand A stands q0 (larger l y0).
  Hypothesis Q1 : stand A stands q1 (larger l y1).

  (** Less, equal or greater: the distance of the segments and the sum of the radii. *)
  Theorem swept_decided : forall ra rb ra' rb' a_point b_point, stands ra (l * ra') -> stands rb (l * rb') ->
    (a_point = true -> x1 = x0) -> (b_point = true -> y1 = y0) ->
    decided A (decide_swept A p0 p1 q0 q1 ra rb a_point b_point)
      (fun c => decides c (Distances.near (less x1 x0) (less y1 y0) (less x0 y0)) ((ra' + rb') * (ra' + rb'))).
  Proof.
    intros ra rb ra' rb' a_point b_point HA HB Ap Bp. unfold decide_swept. cbv zeta.
    pose proof (add_sound A stands Sound _ _ _ _ HA HB) as Re.
    pose proof (cores_decided A stands Sound _ _ _ _ a_point b_point _ _ _ _ _ _ P0 P1 Q0 Q1 (mul_sound A stands Sound _ _ _ _ Re Re)) as D.
    eapply Numbers.decided_imp; [exact D |]. intros c <-.
    replace (l * ra' + l * rb') with (l * (ra' + rb')) by (clear; lra).
    apply (decides_scaled l _ (Distances.near (fun i => l * less x1 x0 i) (fun i => l * less y1 y0 i) (fun i => l * less x0 y0 i))); auto.
    - intro r. apply near_scaled, Pl.
    - match goal with |- decides (cores_order _ _ ?u ?v ?w _) _ _ =>
        replace u with (fun i => l * less x1 x0 i) by (apply functional_extensionality; intro; unfold less, larger; clear; lra);
        replace v with (fun i => l * less y1 y0 i) by (apply functional_extensionality; intro; unfold less, larger; clear; lra);
        replace w with (fun i => l * less x0 y0 i) by (apply functional_extensionality; intro; unfold less, larger; clear; lra) end.
      apply cores_order_decides; intros E i; unfold less; [rewrite Ap by auto | rewrite Bp by auto]; clear; lra.
  Qed.

  (** The distance of a segment and a box. *)
  Theorem swept_box_decided : forall b p q center half radius radius' point, valid b -> 0 < p -> turn_stands A stands p (rotation b) q ->
    stand A stands center (larger l (Boxes.center b)) -> stand A stands half (larger l (Boxes.half b)) -> stands radius (l * radius') ->
    (point = true -> x1 = x0) ->
    decided A (decide_swept_box A center half p0 p1 radius q point)
      (fun c => decides c (fun r => exists z t, contains b z /\ 0 <= t <= 1 /\ square (less (on_way x0 x1 t) z) <= r) (radius' * radius')).
  Proof.
    intros b p q center half radius radius' point V P Q C H HR Pt. assert (N : 0 < norm2 (rotation b)) by (destruct V; lra).
    set (n := p * p * norm2 (rotation b)). assert (Np : 0 < n) by (unfold n; repeat apply Rmult_lt_0_compat; auto).
    set (k := n * l). assert (K : 0 < k) by (unfold k; apply Rmult_lt_0_compat; auto).
    pose proof (length_stands A stands Sound _ _ _ Q) as L. fold n in L. unfold decide_swept_box. cbv zeta.
    assert (Hh : stand A stands (times A half (length_of A q)) (larger k (Boxes.half b))).
    { eapply stand_same; [apply (multiples_stand A stands Sound); [exact H | exact L] |]. intro. unfold larger, k. clear; lra. }
    assert (Re : stands (mul A radius (length_of A q)) (k * radius')).
    { replace (k * radius') with (l * radius' * n) by (unfold k; clear; lra). apply (mul_sound A stands Sound); auto. }
    pose proof (mul_sound A stands Sound _ _ _ _ Re Re) as RR.
    assert (E : forall z x, stand A stands z (larger l x) -> stand A stands (framed A q (minus A z center)) (seen_from b k x)).
    { intros z x Zx. assert (M : stand A stands (minus A z center) (fun i => l * less x (Boxes.center b) i)).
      { eapply stand_same; [apply (minus_stands A stands Sound); [exact Zx | exact C] |]. intro. unfold less, larger. clear; lra. }
      pose proof (framed_stands A stands Sound b p q _ _ _ N Q M) as F. eapply stand_same; [exact F |].
      intro i. fold n. unfold seen_from, k, dot, sum. clear; lra. }
    assert (Pos : forall i, 0 <= larger k (Boxes.half b) i) by (intro i; apply Rmult_le_pos; [lra | apply V]).
    destruct point.
    - eapply Numbers.decided_imp; [exact (point_to_box_decided A stands Sound _ _ _ _ _ _ (E _ _ P0) Hh RR) |]. intros c <-.
      apply (decides_scaled k _ (box_near (larger k (Boxes.half b)) (seen_from b k x0))); auto; [| apply box_order_decides, Pos].
      intro r. rewrite box_near_seen by auto. rewrite (Pt eq_refl).
      assert (W : forall t, on_way x0 x0 t = x0) by (intro; apply functional_extensionality; intro; unfold on_way; clear; lra).
      split; [intros [z [Z0 B]]; exists z, 0; rewrite W; split; [auto | split; [lra | auto]] | intros [z [t [Z0 [_ B]]]]; rewrite W in B; eauto].
    - eapply Numbers.decided_imp; [exact (segment_to_box_decided A stands Sound _ _ _ _ _ _ _ _ (E _ _ P0) (E _ _ P1) Hh RR) |]. intros c <-.
      apply (decides_scaled k _ (way_near (seen_from b k x0) (seen_from b k x1) (larger k (Boxes.half b)))); auto;
        [| apply segment_box_order_decides, Pos].
      intro r. rewrite way_near_seen by auto. split.
      + intros [z [w [Z0 [[t [B ->]] L0]]]]. eauto.
      + intros [z [t [Z0 [B L0]]]]. exists z, (on_way x0 x1 t). eauto.
  Qed.
End Decided.

(** ** The words *)
Open Scope Z_scope.

(** Two of them: 6 (bits + 4) + 4 bits. Differences of ends, and the sum of the radii, are at most twice the largest number. *)
Theorem swept_fits : forall n l (p q : vector) ra rb, 0 <= l -> below3 p (2 ^ l) -> below3 q (2 ^ l) -> Z.abs ra <= 2 ^ l -> Z.abs rb <= 2 ^ l ->
  6 * (l + 4) + 4 <= 64 * Z.of_nat n ->
  below3 (fun i => p i - q i) (2 * 2 ^ l) /\ 0 <= (ra + rb) * (ra + rb) <= 2 * 2 ^ l * (2 * 2 ^ l) /\
  2 * largest (2 * 2 ^ l) < 2 ^ (64 * Z.of_nat n).
Proof.
  intros n l p q ra rb L P Q A B H. pose proof (Z.pow_pos_nonneg 2 l ltac:(lia) L). split; [| split].
  - intro i. specialize (P i). specialize (Q i). lia.
  - split; [apply Z.square_nonneg |]. assert (R : Z.abs (ra + rb) <= 2 * 2 ^ l) by lia. pose proof (product_most _ _ _ _ R R) as S.
    rewrite Z.abs_eq in S by apply Z.square_nonneg. exact S.
  - apply (largest_fits _ (l + 1)); try lia. rewrite Z.pow_add_r by lia. lia.
Qed.

(** One and a box: the same, with 5 bits more than those of a length and of two parts of the quaternion. *)
Theorem swept_box_fits : forall n g l q (p c h : vector) radius, 0 <= g -> 0 <= l -> parts_below (2 ^ g) q ->
  below3 p (2 ^ l) -> below3 c (2 ^ l) -> (forall i, 0 <= h i <= 2 ^ l) -> Z.abs radius <= 2 ^ l ->
  6 * (l + 2 * g + 5 + 4) + 4 <= 64 * Z.of_nat n -> let scale := Integers.norm Z.add Z.mul q in let y := 48 * (2 ^ (2 * g) * 2 ^ l) in
  below3 (MarginWidths.framed q (fun i => p i - c i)) (24 * (2 ^ (2 * g) * 2 ^ l)) /\ (forall i, 0 <= h i * scale <= 4 * (2 ^ (2 * g) * 2 ^ l)) /\
  0 <= radius * scale * (radius * scale) <= y * y /\ 2 * largest y < 2 ^ (64 * Z.of_nat n).
Proof.
  intros n g l q p c h radius G L Hq P C Hh R H. cbv zeta. destruct (norm_most 0 0 0 0 g q G Hq) as [N0 N1].
  set (s := Integers.norm Z.add Z.mul q) in *. set (x := 2 ^ (2 * g)) in *. set (e := 2 ^ l) in *.
  assert (X : 0 < x) by (apply Z.pow_pos_nonneg; lia). assert (E : 0 < e) by (apply Z.pow_pos_nonneg; lia).
  assert (XE : 0 < x * e) by (apply Z.mul_pos_pos; auto).
  assert (D : below3 (fun i => p i - c i) (2 * e)) by (intro i; specialize (P i); specialize (C i); lia).
  assert (Wd : below3 (MarginWidths.framed q (fun i => p i - c i)) (3 * (4 * x * (2 * e)))) by (apply (framed_most 0 0 0 0 (Z.le_refl 0) (Z.le_refl 0) (Z.le_refl 0) q _ g _ G Hq D)).
  split; [| split; [| split]].
  - intro i. specialize (Wd i). lia.
  - intro i. destruct (Hh i) as [H0 H1]. split; [apply Z.mul_nonneg_nonneg; auto |].
    pose proof (Z.mul_le_mono_nonneg _ _ _ _ H0 H1 N0 N1). lia.
  - split; [apply Z.square_nonneg |]. assert (NA : Z.abs s <= 4 * x) by lia. pose proof (product_most _ _ _ _ R NA) as S.
    pose proof (product_most _ _ _ _ S S) as T. rewrite Z.abs_eq in T by apply Z.square_nonneg.
    pose proof (Z.square_nonneg (x * e)). lia.
  - apply (largest_fits _ (l + 2 * g + 6)); try lia. rewrite !Z.pow_add_r by lia. fold e. fold x. lia.
Qed.
