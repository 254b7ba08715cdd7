(** * The bounds of balls, capsules and boxes that meet, or are within a margin, overlap.

    So no pair is lost before the narrow phase: [bounds_around.wgsl] and [round_bounds_cpu.rs], for
    which the half length and the radius are half extents, and the bounds of boxes. *)

Require Import Rbase Rfunctions Lra Lia.
From Obbligato Require Import Boxes Formulas Rounding Flushing Lengths Constants Propagation Shader Margins Round
  Squares Balls Directions Segments Cpu32 Bounds BoundsCpu.
Open Scope R_scope.

(** Along the axis k: all that is no further from the body than w is between the two numbers. *)
Definition bounded (w : R) (b : body) (k : axis) (low high : R) : Prop :=
  forall p y, holds b p -> Rabs (y - p k) <= w -> low <= y <= high.

(** If the widenings of two bodies within a margin add up to it, their bounds overlap. *)
Theorem all_bounds_overlap : forall a b k wa wb lowa higha lowb highb, 0 <= wa -> 0 <= wb ->
  bounded wa a k lowa higha -> bounded wb b k lowb highb -> near (wa + wb) a b -> lowa <= highb /\ lowb <= higha.
Proof.
  intros a b k wa wb lowa higha lowb highb A B HA HB [p [q [P [Q D]]]].
  destruct (between_both (p k) (q k) wa wb A B) as [y [YP YQ]].
  { eapply Rle_trans; [apply (len_component (less q p) k) | exact D]. }
  specialize (HA p y P YP). specialize (HB q y Q YQ). lra.
Qed.

Theorem meeting_bounds_overlap : forall a b k lowa higha lowb highb,
  bounded 0 a k lowa higha -> bounded 0 b k lowb highb -> meet a b -> lowa <= highb /\ lowb <= higha.
Proof.
  intros a b k lowa higha lowb highb HA HB [p [P Q]].
  specialize (HA p (p k) P ltac:(rewrite Rminus_eq_0, Rabs_R0; lra)).
  specialize (HB p (p k) Q ltac:(rewrite Rminus_eq_0, Rabs_R0; lra)). lra.
Qed.

(** Widened less, a body is bounded all the more. *)
Lemma bounded_less : forall w w' b k low high, w <= w' -> bounded w' b k low high -> bounded w b k low high.
Proof. intros w w' b k low high L H p y P Y. apply (H p y P). lra. Qed.

Lemma enough_margin : forall w w' margin, w <= w' -> ABSOLUTE_ERROR + half_margin w' <= margin ->
  ABSOLUTE_ERROR + half_margin w <= margin.
Proof.
  unfold half_margin. intros w w' margin L H.
  assert (w * (1 + 14.4 * u) <= w' * (1 + 14.4 * u)) by (apply Rmult_le_compat_r; unfold u; lra). lra.
Qed.

(** Bounds of a body that was moved by a bit, widened for that, are bounds of the body where it was. *)
Theorem moved_bounded : forall w e b b' k low high, (forall p, holds b p -> exists p', holds b' p' /\ Rabs (p k - p' k) <= e) ->
  bounded (w + e) b' k low high -> bounded w b k low high.
Proof.
  intros w e b b' k low high H B p y P Y. destruct (H p P) as [p' [P' D]]. apply (B p' y P').
  replace (y - p' k) with ((y - p k) + (p k - p' k)) by (clear; lra). eapply Rle_trans; [apply Rabs_triang |]. lra.
Qed.

(** In space that repeats, bodies are moved by at most e, of which [Images.v] has that the widening is enough. *)
Theorem enough_for_places : forall w e widening rounding margin, half_margin w <= widening -> 0 <= e -> e * (1 + 1 / 2 ^ 19) <= rounding ->
  widening + rounding <= margin -> half_margin (w + e) <= margin.
Proof.
  unfold half_margin. intros. assert (e * (1 + 14.4 * u) <= e * (1 + 1 / 2 ^ 19)) by (apply Rmult_le_compat_l; [| unfold u]; lra). lra.
Qed.

(** ** Boxes *)
Lemma box_holds : forall b p, round b = 0 -> holds b p -> exists c, contains (core b) c /\ forall k, p k = c k.
Proof.
  intros b p R [c [C D]]. exists c. split; auto. intro k. rewrite R in D. pose proof (len_component (less p c) k) as L.
  unfold less in L at 1. pose proof (Rabs_pos (p k - c k)). assert (E : Rabs (p k - c k) = 0) by lra.
  destruct (Req_dec (p k - c k) 0) as [Z | N]; [lra |]. apply Rabs_pos_lt in N. lra.
Qed.

Theorem box_bounded : forall b k n' m' reciprocal margin reach low high w, valid (core b) -> round b = 0 -> 0 <= w ->
  bounds_run (core b) k n' m' reciprocal margin reach low high -> ABSOLUTE_ERROR + half_margin w <= margin ->
  bounded w b k low high.
Proof.
  intros b k n' m' reciprocal margin reach low high w V R W H M p y P Y.
  destruct (box_holds b p R P) as [c [C E]]. rewrite E in Y.
  exact (bounds_contain_within (core b) k n' m' reciprocal margin reach low high V H w c (fun _ => y) W M C Y).
Qed.

Theorem cpu_box_bounded : forall b k n' m' absolute margin reach low high w, valid (core b) -> round b = 0 -> 0 <= w ->
  bounds_run32 (core b) k n' m' absolute margin reach low high -> half_margin w <= margin -> bounded w b k low high.
Proof.
  intros b k n' m' absolute margin reach low high w V R W H M p y P Y.
  destruct (box_holds b p R P) as [c [C E]]. rewrite E in Y.
  exact (cpu_bounds_contain_within (core b) k n' m' absolute margin reach low high V H w c (fun _ => y) W M C Y).
Qed.

(** ** Balls and capsules *)
Section Round.
  Variables (v : R) (b : body) (k : axis).
  Hypothesis Hv : rounding_unit v.

  Lemma v_below : v <= Constants.u.
  Proof. unfold Constants.u. destruct Hv; lra. Qed.

  (** A ball is no further from its center than its radius, which is exact. *)
  Theorem ball_bounded : forall margin reach low high w, ball b -> 0 <= w ->
    widened_run v (center (core b) k) (round b) (round b) margin reach low high ->
    ABSOLUTE_ERROR + half_margin w <= margin -> bounded w b k low high.
  Proof.
    intros margin reach low high w [R B] W H M p y [c [C D]] Y.
    apply (widened_holds v _ _ (round b) _ _ _ _ _ w y v_below H); [lra | unfold Constants.u; lra | auto | auto |].
    pose proof (len_component (less p c) k) as L. unfold less in L at 1. rewrite (center_only b c B C k) in L.
    replace (y - center (core b) k) with ((y - p k) + (p k - center (core b) k)) by (clear; lra).
    eapply Rle_trans; [apply Rabs_triang |]. lra.
  Qed.

  (** In a grid of balls the margin is part of the radius, a rounded sum. *)
  Theorem ball_in_grid_bounded : forall margin radius reach low high w, ball b -> 0 <= w -> half_margin w <= margin ->
    (exists d, Rabs d <= 1 / 2 ^ 24 /\ radius = (round b + margin) * (1 + d)) ->
    widened_run v (center (core b) k) radius radius ABSOLUTE_ERROR reach low high -> bounded w b k low high.
  Proof.
    intros margin radius reach low high w [R B] W M [d [Hd E]] H p y [c [C D]] Y. unfold half_margin in M.
    assert (G : (round b + w) * (1 - 1 / 2 ^ 24) <= radius).
    { rewrite E. apply Rabs_def2_le in Hd. assert (0 <= w * u) by (apply Rmult_le_pos; unfold u; lra).
      apply Rmult_le_compat; lra. }
    apply (widened_holds v _ _ (round b + w) _ _ _ _ _ 0 y v_below H);
      [lra | unfold Constants.u in *; lra | lra | unfold half_margin; lra |].
    pose proof (len_component (less p c) k) as L. unfold less in L at 1. rewrite (center_only b c B C k) in L.
    replace (y - center (core b) k) with ((y - p k) + (p k - center (core b) k)) by (clear; lra).
    eapply Rle_trans; [apply Rabs_triang |]. lra.
  Qed.

  (** What is computed of a capsule: |q|^2 and an entry of M are numbers, and a quotient is a product
      with a number that is 1 / n within 4 u. *)
  Record capsule_bounds_run (n' m' reciprocal margin reach low high : R) : Prop := {
    capsule_bounds_n : computed v phi 4 2 (norm2 (rotation (core b))) (norm2 (rotation (core b))) n';
    capsule_bounds_m : exists y, computed v phi 4 2 (W (rotation (core b)) k Z) (M (rotation (core b)) k Z) y /\ m' = Rabs y;
    capsule_bounds_quotient : Rabs (reciprocal * n' - 1) <= 4 * v;
    capsule_bounds_widened : widened_run v (center (core b) k) (half (core b) Z + round b)
      (m' * half (core b) Z * reciprocal + round b) margin reach low high
  }.

  Theorem capsule_bounded : forall n' m' reciprocal margin reach low high w, capsule b -> 0 <= w ->
    capsule_bounds_run n' m' reciprocal margin reach low high -> ABSOLUTE_ERROR + half_margin w <= margin ->
    bounded w b k low high.
  Proof.
    intros n' m' reciprocal margin reach low high w Cb Hw H Hmargin p y [c [Hc D]] Y.
    pose proof (capsule_turns b Cb) as T. pose proof Cb as [R [HX [HY [HZ _]]]].
    set (q := rotation (core b)) in *. set (h := half (core b) Z) in *. set (z := Rabs (axis_z b k)).
    pose proof (unit_range v Hv) as VR. pose proof v_below as VU.
    destruct (quotient_error v VR q n' reciprocal T (capsule_bounds_n _ _ _ _ _ _ _ H) (capsule_bounds_quotient _ _ _ _ _ _ _ H))
      as [RN [R0 R2]].
    assert (Z1 : z <= 1).
    { unfold z, axis_z. eapply Rle_trans; [apply len_component |]. unfold turns in T. fold q.
      rewrite direction_is_unit; lra. }
    assert (Zp : 0 <= z) by apply Rabs_pos.
    assert (EM : z - 12.2 * u <= m' * reciprocal).
    { destruct (capsule_bounds_m _ _ _ _ _ _ _ H) as [x [C ->]]. pose proof (W_bounds q k Z) as WB. unfold turns in T.
      apply (rounded v phi (u_low v VR) (phi_fourth v VR) 4 2 _ _ _ 4 eq_refl ltac:(lia) ltac:(simpl; lra)) in C.
      pose proof (error_4 v (u_low v VR)) as E4. fold q in C. set (n := norm2 q) in *.
      assert (E : Rabs (x - M q k Z) <= 4.002 * v * n).
      { assert (error v 4 * W q k Z <= 4.001 * v * n) by (apply Rmult_le_compat; lra).
        assert (v * 0.49 <= v * n) by (apply Rmult_le_compat_l; lra). unfold phi in *. lra. }
      assert (ZN : Rabs (M q k Z) = z * n).
      { unfold z, axis_z, direction_of. fold q n. unfold Rdiv.
        rewrite Rabs_mult, (Rabs_pos_eq (/ n)) by (apply Rlt_le, Rinv_0_lt_compat; lra). field. lra. }
      pose proof (Rabs_triang_inv (M q k Z) x) as V. rewrite Rabs_minus_sym, ZN in V.
      assert (G : (z - 4.002 * v) * n * reciprocal <= Rabs x * reciprocal) by (apply Rmult_le_compat_r; lra).
      replace ((z - 4.002 * v) * n * reciprocal) with (z * (reciprocal * n) - 4.002 * v * (reciprocal * n)) in G by (clear; lra).
      set (rn := reciprocal * n) in *. apply Rabs_def2_le in RN.
      assert (z * (1 - 8.1 * v) <= z * rn) by (apply Rmult_le_compat_l; lra).
      assert (v * z <= v * 1) by (apply Rmult_le_compat_l; lra).
      assert (v * rn <= v * 1.00001) by (apply Rmult_le_compat_l; lra). lra. }
    apply (widened_holds v _ _ (z * h + round b) _ _ _ _ _ w y v_below (capsule_bounds_widened _ _ _ _ _ _ _ H)); auto.
    - fold h. assert (0 <= z * h <= 1 * h) by (split; [apply Rmult_le_pos | apply Rmult_le_compat_r]; auto). lra.
    - fold h. assert ((z - 12.2 * u) * h <= m' * reciprocal * h) by (apply Rmult_le_compat_r; auto).
      assert (0 <= u * round b) by (apply Rmult_le_pos; [unfold u; lra | auto]). lra.
    - apply (on_segment b c Cb) in Hc. destruct Hc as [x [X E]]. fold h in X.
      pose proof (len_component (less p c) k) as L. unfold less in L at 1.
      replace (y - center (core b) k) with ((y - p k) + ((p k - c k) + x * axis_z b k)) by (rewrite E; clear; lra).
      eapply Rle_trans; [apply Rabs_triang |]. eapply Rle_trans; [apply Rplus_le_compat_l, Rabs_triang |].
      rewrite Rabs_mult. fold z.
      assert (Rabs x * z <= h * z) by (apply Rmult_le_compat_r; auto). lra.
  Qed.
End Round.
