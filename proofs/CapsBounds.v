(** * The formulas of bounds as written are a run, caps included.

    As in [Caps.v], but of [obb_bounds.wgsl], [sphere_bounds.wgsl], [capsule_bounds.wgsl] and
    [bounds_around.wgsl], and of [round_bounds_cpu.rs]. A quotient is a product with a number. *)

Require Import Rbase Rfunctions List Lra Lia.
From Obbligato Require Import Boxes Formulas Rounding Flushing Lengths Constants Propagation Shader Counts Margins Round Squares
  Balls Directions Segments Cpu32 Bounds RoundBounds Fits.
Open Scope R_scope.

(** ** Formulas *)

(** What is added for margins: nothing, half of one for all, and those that bodies have of their own. *)
Inductive widens : (expr -> expr) -> R -> Prop :=
  | NoMargin : widens (fun e => e) 0
  | OfAll : forall m, 0 <= m -> widens (fun e => Add e (Len m)) m
  | OfEach : forall m own, 0 <= m -> 0 <= own ->
      widens (fun e => Add e (Add (Len m) (Add (Mul (Len own) (Add (Num 1) (Num MARGIN_ERROR))) (Len MARGIN_FLUSH))))
        (m + (own * (1 + MARGIN_ERROR) + MARGIN_FLUSH)).

(** How far bounds reach, from an extent, the sum of all lengths and a coordinate of the center. *)
Definition Reached (extent size : expr) (c : R) : expr :=
  Add (Add extent (Add (Mul (Num EXTENT_ERROR) size) (Mul (Num CENTER_ERROR) (Len (Rabs c))))) (Len ABSOLUTE_ERROR).
Definition BoxExtent (m h : vec) (reciprocal : R) : expr := Mul (Three (fun j => Mul (Num (m j)) (Len (h j)))) (Num reciprocal).
Definition BoxSize (h : vec) : expr := Three (fun j => Len (h j)).
Definition CapsuleExtent (m h reciprocal r : R) : expr := Add (Mul (Mul (Num m) (Len h)) (Num reciprocal)) (Len r).
Definition CapsuleSize (h r : R) : expr := Add (Len h) (Len r).

(** ** Their caps and lengths *)
Lemma margin_pos : forall margin more, widens more margin -> 0 <= margin.
Proof. intros margin more [| m Hm | m own Hm Ho]; [lra | exact Hm | unfold MARGIN_ERROR, MARGIN_FLUSH; lra]. Qed.

Section Reached.
  Variables (v c q_x q_h extent size margin reach low high : R) (e_x e_h : expr) (more : expr -> expr).
  Let x := extent + EXTENT_ERROR * size + CENTER_ERROR * Rabs c + (ABSOLUTE_ERROR + margin).
  Hypothesis extent_pos : 0 <= extent.
  Hypothesis size_pos : 0 <= size.
  Hypothesis extent_fits : lengthy q_x extent (x / u) extent e_x.
  Hypothesis size_fits : lengthy q_h size (x / u) size e_h.
  Hypothesis caps_fit : q_x + q_h <= 6.1.
  Hypothesis Hmore : widens more margin.
  Hypothesis counted : Counts.within (more (Reached e_x e_h c)) 12 3 = true.
  Hypothesis Hreach : evaluates v phi (more (Reached e_x e_h c)) reach.
  Hypothesis Hlow : subtracted v phi c reach low.
  Hypothesis Hhigh : subtracted v phi c (- reach) high.

  Theorem reached_run : widened_run v c size extent (ABSOLUTE_ERROR + margin) reach low high.
  Proof.
    pose proof (margin_pos _ _ Hmore) as MP. pose proof (Rabs_pos c) as CP. split; [lra | | exact Hlow | exact Hhigh]. cbv zeta. fold x.
    assert (XU : x / u = 8388608 * x) by (unfold u; field).
    assert (XP : 0 <= x) by (unfold x, EXTENT_ERROR, CENTER_ERROR, ABSOLUTE_ERROR; lra).
    assert (CL : 0 <= Rabs c <= x / u) by (rewrite XU; split; [exact CP |]; unfold x, EXTENT_ERROR, CENTER_ERROR, ABSOLUTE_ERROR in *; lra).
    assert (AL : 0 <= ABSOLUTE_ERROR <= x / u) by (rewrite XU; split; [unfold ABSOLUTE_ERROR; lra |]; unfold x, EXTENT_ERROR, CENTER_ERROR, ABSOLUTE_ERROR in *; lra).
    assert (EF : numeral 1 EXTENT_ERROR EXTENT_ERROR (Num EXTENT_ERROR)) by (apply k_fits; unfold EXTENT_ERROR; lra).
    assert (CF : numeral 1 CENTER_ERROR CENTER_ERROR (Num CENTER_ERROR)) by (apply k_fits; unfold CENTER_ERROR; lra).
    assert (ME : margin <= x / u) by (rewrite XU; unfold x, EXTENT_ERROR, CENTER_ERROR, ABSOLUTE_ERROR in *; lra).
    assert (B : lengthy 8.1 (x - margin) (x / u) (x - margin) (Reached e_x e_h c)).
    { eapply lengthy_more; [unfold Reached; apply len_add; [apply len_add; [exact extent_fits | apply len_add;
        [eapply times_len; [exact EF | exact size_fits] | eapply times_len; [exact CF | exact (w_fits _ _ CL)]]] | exact (w_fits _ _ AL)] | lra | |];
        unfold x; lra. }
    assert (P : lengthy 12.2 x (x / u) x (more (Reached e_x e_h c))).
    { clear counted Hreach. clearbody x. destruct Hmore as [| m Hm | m own Hm Ho].
      - eapply lengthy_more; [exact B | lra | lra | lra].
      - eapply lengthy_more; [apply len_add; [exact B | apply (w_fits _ m); lra] | lra | lra | lra].
      - assert (F1 : numeral 1 1 1 (Num 1)) by (apply k_fits; lra).
        assert (FM : numeral 1 MARGIN_ERROR MARGIN_ERROR (Num MARGIN_ERROR)) by (apply k_fits; unfold MARGIN_ERROR; lra).
        assert (M0 : 0 <= MARGIN_ERROR /\ 0 <= MARGIN_FLUSH) by (unfold MARGIN_ERROR, MARGIN_FLUSH; lra). destruct M0 as [M0 M1].
        assert (OM : 0 <= own * MARGIN_ERROR) by (apply Rmult_le_pos; assumption).
        eapply lengthy_more; [apply len_add; [exact B | apply len_add; [apply (w_fits _ m); lra | apply len_add;
          [eapply len_times; [apply (w_fits _ own); lra | apply num_add; [exact F1 | exact FM]] | apply (w_fits _ MARGIN_FLUSH); lra]]] | lra | lra | lra]. }
    eapply lengthy_run; [exact P | exact counted | lra | lra | reflexivity | exact Hreach].
  Qed.
End Reached.

(** Numbers of a turn, and a reciprocal. *)
Lemma turn_most : forall v N S x y, 0 < v <= u -> (N <= 4)%nat -> 0 <= S <= 1.0021 -> Rabs x <= 1.0021 -> computed v phi N 2 S x y -> Rabs y <= 1.01.
Proof.
  intros v N S x y Hv HN HS Hx C. apply (computed_more v u phi N 4 2 S S) in C; [| lra | exact HN | lra].
  apply (rounded u phi small_u small_phi 4 2 _ _ _ 4 eq_refl ltac:(lia) ltac:(unfold u; simpl; lra)) in C.
  assert (error u 4 * S <= 0.00001 * S) by (apply Rmult_le_compat_r; [lra | unfold error, u; simpl; lra]).
  destruct enough_for_flushes as [_ Fl]. replace y with ((y - x) + x) by (clear; lra).
  eapply Rle_trans; [apply Rabs_triang |]. simpl INR in C. unfold u in Fl. lra.
Qed.
Lemma unit_is : forall v, rounding_unit v -> 0 < v <= u.
Proof. intros v H. unfold u. destruct H; lra. Qed.

(** ** Boxes, balls and capsules *)
Theorem written_box_bounds : forall b k n' m' reciprocal margin more reach low high, valid b ->
  computed u phi 4 2 (n b) (n b) n' ->
  (forall j, exists y, computed u phi 4 2 (n b) (M (rotation b) k j) y /\ m' j = Rabs y) ->
  Rabs (reciprocal * n' - 1) <= 4 * u -> widens more margin ->
  evaluates u phi (more (Reached (BoxExtent m' (half b) reciprocal) (BoxSize (half b)) (center b k))) reach ->
  subtracted u phi (center b k) reach low -> subtracted u phi (center b k) (- reach) high ->
  bounds_run b k n' m' reciprocal (ABSOLUTE_ERROR + margin) reach low high.
Proof.
  intros b k n' m' reciprocal margin more reach low high Hb Hn Hm Q W E Lo Hi. assert (U : 0 < u <= u) by (unfold u; lra).
  pose proof (proj1 Hb) as HH. pose proof (proj2 Hb) as HN. assert (T : turns (rotation b)) by (unfold turns; lra).
  destruct (quotient_error u (unit_range u (or_introl eq_refl)) _ n' reciprocal T Hn Q) as [RN R0].
  assert (RP : 0 <= reciprocal <= 1.01).
  { split; [lra |]. apply Rnot_lt_le. intro Far. apply Rabs_def2_le in RN.
    assert (1.01 * 0.9979 <= reciprocal * norm2 (rotation b)) by (apply Rmult_le_compat; lra). unfold u in RN. lra. }
  assert (MP : forall j, 0 <= m' j <= 1.01).
  { intro j. destruct (Hm j) as [y [C ->]]. split; [apply Rabs_pos |].
    refine (turn_most u 4 (n b) _ y U ltac:(lia) _ _ C); [destruct Hb as [_ N]; unfold n; lra | eapply Rle_trans; [apply M_below | apply Hb]]. }
  set (extent := sum (fun j => m' j * half b j * reciprocal)). set (size := sum (half b)). pose proof (margin_pos _ _ W) as M0.
  assert (EP : 0 <= extent) by (unfold extent, sum; repeat apply Rplus_le_le_0_compat; repeat apply Rmult_le_pos; try apply MP; try apply HH; lra).
  pose proof (HH X). pose proof (HH Y). pose proof (HH Z).
  set (L := (extent + EXTENT_ERROR * size + CENTER_ERROR * Rabs (center b k) + (ABSOLUTE_ERROR + margin)) / u).
  assert (HL : forall j, 0 <= half b j <= L).
  { intro j. split; [apply HH |]. unfold L, u, Rdiv. pose proof (Rabs_pos (center b k)).
    unfold size, sum, EXTENT_ERROR, CENTER_ERROR, ABSOLUTE_ERROR. destruct j; lra. }
  assert (FM : forall j, numeral 1.01 (m' j) (m' j) (Num (m' j))).
  { intro j. pose proof (num_num 1.01 (m' j)) as P. rewrite Rabs_pos_eq in P by apply MP. apply P; [lra | apply MP]. }
  assert (FR : numeral 1.01 reciprocal reciprocal (Num reciprocal)).
  { pose proof (num_num 1.01 reciprocal) as P. rewrite Rabs_pos_eq in P by lra. apply P; lra. }
  split; [exact Hn | exact Hm | exact Q |].
  apply (reached_run u _ 3.1 3 extent size margin reach low high (BoxExtent m' (half b) reciprocal) (BoxSize (half b)) more EP); auto; try lra.
  - unfold size, sum. lra.
  - eapply lengthy_more; [unfold BoxExtent, Three; eapply len_times; [apply len_add; [apply len_add |]; (eapply times_len; [apply FM | apply (w_fits L), HL]) | exact FR] | lra | |];
      unfold extent, sum; lra.
  - eapply lengthy_more; [unfold BoxSize, Three; apply len_add; [apply len_add |]; apply (w_fits L), HL | lra | |]; unfold size, sum; lra.
  - destruct W; reflexivity.
Qed.

Theorem written_ball_bounds : forall v b k margin more reach low high, rounding_unit v -> ball b -> widens more margin ->
  evaluates v phi (more (Reached (Len (round b)) (Len (round b)) (center (core b) k))) reach ->
  subtracted v phi (center (core b) k) reach low -> subtracted v phi (center (core b) k) (- reach) high ->
  widened_run v (center (core b) k) (round b) (round b) (ABSOLUTE_ERROR + margin) reach low high.
Proof.
  intros v b k margin more reach low high Hv [HR _] W E Lo Hi. pose proof (margin_pos _ _ W) as M0.
  set (L := (round b + EXTENT_ERROR * round b + CENTER_ERROR * Rabs (center (core b) k) + (ABSOLUTE_ERROR + margin)) / u).
  assert (HL : 0 <= round b <= L).
  { split; [exact HR |]. unfold L, u, Rdiv. pose proof (Rabs_pos (center (core b) k)). unfold EXTENT_ERROR, CENTER_ERROR, ABSOLUTE_ERROR. lra. }
  apply (reached_run v _ 1 1 _ _ margin reach low high (Len (round b)) (Len (round b)) more HR HR); auto; try lra.
  - eapply lengthy_more; [exact (w_fits L _ HL) | lra | lra | reflexivity].
  - eapply lengthy_more; [exact (w_fits L _ HL) | lra | lra | reflexivity].
  - destruct W; reflexivity.
Qed.

Theorem written_capsule_bounds : forall v b k n' m' reciprocal margin more reach low high, rounding_unit v -> capsule b ->
  computed v phi 4 2 (norm2 (rotation (core b))) (norm2 (rotation (core b))) n' ->
  (exists y, computed v phi 4 2 (W (rotation (core b)) k Z) (M (rotation (core b)) k Z) y /\ m' = Rabs y) ->
  Rabs (reciprocal * n' - 1) <= 4 * v -> widens more margin ->
  evaluates v phi (more (Reached (CapsuleExtent m' (half (core b) Z) reciprocal (round b)) (CapsuleSize (half (core b) Z) (round b)) (center (core b) k))) reach ->
  subtracted v phi (center (core b) k) reach low -> subtracted v phi (center (core b) k) (- reach) high ->
  capsule_bounds_run v b k n' m' reciprocal (ABSOLUTE_ERROR + margin) reach low high.
Proof.
  intros v b k n' m' reciprocal margin more reach low high Hv Cb Hn Hm Q Wd E Lo Hi. pose proof (unit_is v Hv) as U.
  pose proof (capsule_turns b Cb) as T. pose proof Cb as [HR [HX [HY [HZ _]]]]. pose proof (margin_pos _ _ Wd) as M0.
  destruct (quotient_error v (unit_range v Hv) _ n' reciprocal T Hn Q) as [_ RP].
  assert (MP : 0 <= m' <= 1.01).
  { destruct Hm as [y [C ->]]. split; [apply Rabs_pos |]. pose proof (W_bounds (rotation (core b)) k Z) as WB. unfold capsule in Cb.
    refine (turn_most v 4 _ _ y U ltac:(lia) _ _ C); [lra | eapply Rle_trans; [apply M_below | lra]]. }
  set (h := half (core b) Z) in *. set (extent := m' * h * reciprocal + round b).
  assert (MH : 0 <= m' * h * reciprocal) by (repeat apply Rmult_le_pos; lra).
  set (L := (extent + EXTENT_ERROR * (h + round b) + CENTER_ERROR * Rabs (center (core b) k) + (ABSOLUTE_ERROR + margin)) / u).
  assert (HL : 0 <= h <= L /\ 0 <= round b <= L).
  { unfold L, u, Rdiv. pose proof (Rabs_pos (center (core b) k)). unfold extent, EXTENT_ERROR, CENTER_ERROR, ABSOLUTE_ERROR. lra. }
  assert (FM : numeral 1.01 m' m' (Num m')) by (pose proof (num_num 1.01 m') as P; rewrite Rabs_pos_eq in P by apply MP; apply P; lra).
  assert (FR : numeral 2.1 reciprocal reciprocal (Num reciprocal))
    by (pose proof (num_num 2.1 reciprocal) as P; rewrite Rabs_pos_eq in P by lra; apply P; lra).
  split; [exact Hn | exact Hm | exact Q |].
  apply (reached_run v _ 3.15 2 extent (h + round b) margin reach low high (CapsuleExtent m' h reciprocal (round b)) (CapsuleSize h (round b)) more); auto; try lra.
  - unfold extent. lra.
  - eapply lengthy_more; [unfold CapsuleExtent; apply len_add; [eapply len_times; [eapply times_len; [exact FM | exact (w_fits L _ (proj1 HL))] | exact FR] | exact (w_fits L _ (proj2 HL))] | lra | |];
      unfold extent; lra.
  - eapply lengthy_more; [unfold CapsuleSize; apply len_add; [exact (w_fits L _ (proj1 HL)) | exact (w_fits L _ (proj2 HL))] | lra | |]; lra.
  - destruct Wd; reflexivity.
Qed.
