(** * The exact stage of a box and a ball: [box_and_round] of [round/bodies.rs], if the core is a point. *)

Require Import Rbase Rfunctions R_sqrt ZArith Lra Lia.
From Obbligato Require Import Boxes Formulas Separation Lengths Propagation Complete Exact LastStage Aligned Margins Distances
  Round Squares Directions Balls Segments Orders MachineWidths Widths MarginWidths RoundExact.
From Obbligato Require Integers.
Open Scope R_scope.

(** [point_to_box] *)
Definition excess_Z (x h : BinNums.Z) : BinNums.Z := (if h <? Z.abs x then Z.abs x - h else 0)%Z.
Definition excesses (p h : vector) : vector := fun i => excess_Z (p i) (h i).

Lemma excess_stands : forall x h, excess (IZR x) (IZR h) = IZR (excess_Z x h).
Proof.
  intros x h. unfold excess, excess_Z. rewrite <- abs_IZR.
  destruct (Z.ltb_spec h (Z.abs x)) as [L | L]; [apply IZR_lt in L | apply IZR_le in L];
    destruct (Rlt_dec (IZR h) (IZR (Z.abs x))); try lra. rewrite minus_IZR. reflexivity.
Qed.

Section BoxBall.
  Variables (qa qb : Integers.quaternion BinNums.Z) (way h : vector) (rb im : BinNums.Z).
  Definition scale_Z : BinNums.Z := (round_norm qa * round_norm qb)%Z.
  Definition point_of_ball : vector := framed qa (fun k => way k * round_norm qb)%Z.
  Definition box_ball_excesses : vector := excesses point_of_ball (fun i => h i * scale_Z)%Z.
  Definition box_ball_reach : BinNums.Z := ((rb + im) * scale_Z)%Z.
  Definition box_ball_order : comparison :=
    (scalar box_ball_excesses box_ball_excesses ?= box_ball_reach * box_ball_reach)%Z.
End BoxBall.

Lemma near_of_box : forall b q r, valid b ->
  ((exists p, contains b p /\ square (less q p) <= r) <-> point_square b q <= r).
Proof.
  intros b q r V. assert (P0 : 0 <= point_square b q)
    by (unfold point_square, sum; repeat apply Rplus_le_le_0_compat; apply Rle_0_sqr).
  destruct (Rle_lt_dec 0 r) as [R0 | R0].
  - pose proof (point_to_box b q (sqrt r) V (sqrt_pos r)) as T. rewrite sqrt_sqrt in T by auto. rewrite <- T.
    split; intros [p [P L]]; exists p; (split; [exact P |]).
    + apply sqrt_le_1_alt. exact L.
    + rewrite <- len_square. rewrite <- (sqrt_sqrt r) by auto. pose proof (len_pos (less q p)).
      apply Rmult_le_compat; auto.
  - split; [intros [p [_ L]]; pose proof (square_pos (less q p)); lra | lra].
Qed.

Section Answer.
  Variables (a b : body) (pa pb l m : R) (qa qb : Integers.quaternion BinNums.Z) (way h : vector) (rb im : BinNums.Z).
  Hypothesis Va : valid (core a).
  Hypothesis Ra : round a = 0.
  Hypothesis Bb : ball b.
  Hypothesis Nb : 0 < norm2 (rotation (core b)).
  Hypothesis Pa : 0 < pa.
  Hypothesis Pb : 0 < pb.
  Hypothesis Pl : 0 < l.
  Hypothesis Hm : 0 <= m.
  Hypothesis Hqa : scaled_turn pa (rotation (core a)) qa.
  Hypothesis Hqb : scaled_turn pb (rotation (core b)) qb.
  Hypothesis Hway : stands (fun k => l * centers a b k) way.
  Hypothesis Hh : stands (fun k => l * half (core a) k) h.
  Hypothesis Hrb : l * round b = IZR rb.
  Hypothesis Him : l * m = IZR im.

  Theorem box_ball_answer : says (box_ball_order qa qb way h rb im) (reach a b m) a b.
  Proof.
    destruct Bb as [Rb B]. assert (NA : 0 < norm2 (rotation (core a))) by (destruct Va; lra).
    set (na := pa * pa * norm2 (rotation (core a))). set (nb := pb * pb * norm2 (rotation (core b))).
    assert (Na : 0 < na) by (unfold na; repeat apply Rmult_lt_0_compat; auto).
    assert (Nb' : 0 < nb) by (unfold nb; repeat apply Rmult_lt_0_compat; auto).
    assert (Ea : IZR (round_norm qa) = na) by (apply norm_is; auto).
    assert (Eb : IZR (round_norm qb) = nb) by (apply norm_is; auto).
    set (k := na * nb * l). assert (K : 0 < k) by (unfold k; repeat apply Rmult_lt_0_compat; auto).
    assert (Pt : forall i, IZR (point_of_ball qa qb way i) = k * dot (less (center (core b)) (center (core a))) (edge (core a) (of_index i))).
    { intro i. unfold point_of_ball, framed, scalar. rewrite !plus_IZR, !mult_IZR, !(matrix_is pa _ _ _ _ Hqa), Eb, <- !Hway.
      unfold centers, dot, sum, edge. fold (norm2 (rotation (core a))). unfold k, na. simpl. field. lra. }
    assert (Ha : forall i, IZR (h i * scale_Z qa qb) = k * half (core a) (of_index i)).
    { intro i. unfold scale_Z. rewrite !mult_IZR, Ea, Eb, <- (Hh i). unfold k. clear; lra. }
    assert (Ex : IZR (scalar (box_ball_excesses qa qb way h) (box_ball_excesses qa qb way h))
      = k * k * point_square (core a) (center (core b))).
    { unfold scalar, box_ball_excesses, excesses. rewrite !plus_IZR, !mult_IZR, <- !excess_stands, !Pt, !Ha.
      rewrite !excess_scaled by auto. unfold point_square, sum. simpl. clear; lra. }
    assert (Re : k * reach a b m = IZR (box_ball_reach qa qb rb im)).
    { unfold box_ball_reach, scale_Z, reach. rewrite !mult_IZR, plus_IZR, Ea, Eb, <- Hrb, <- Him, Ra. unfold k. clear; lra. }
    apply says_is; [apply reach_pos; auto; lra |].
    apply (decides_scaled k _ (fun r => k * k * point_square (core a) (center (core b)) <= r)); auto.
    - intro r. assert (KK : 0 < k * k) by (apply Rmult_lt_0_compat; auto).
      assert (D : r / (k * k) * (k * k) = r) by (field; lra).
      assert (N : (exists p q, contains (core a) p /\ contains (core b) q /\ square (less q p) <= r / (k * k)) <->
        point_square (core a) (center (core b)) <= r / (k * k)).
      { rewrite <- near_of_box by auto. split.
        - intros [p [q [P [Q L]]]]. exists p. split; auto.
          replace (square (less (center (core b)) p)) with (square (less q p)); auto.
          unfold square, dot, sum, less. rewrite !(center_only b q B Q). reflexivity.
        - intros [p [P L]]. exists p, (center (core b)). split; [auto | split; [apply center_in | auto]]. }
      rewrite N. split; intro H.
      + apply (Rmult_le_reg_r (k * k)); auto. lra.
      + apply (Rmult_le_compat_r (k * k)) in H; lra.
    - rewrite Re, <- Ex, <- mult_IZR. unfold box_ball_order. rewrite <- compared_stands. apply decides_plain.
  Qed.
End Answer.

Open Scope Z_scope.

(** [decide_box] chooses 6 (bits + 4) + 4 bits, with 10 more than those of the unit. *)
Theorem box_ball_fits : forall n ga gb l qa qb way h rb m, 0 <= ga -> 0 <= gb -> 0 <= l ->
  parts_below (2 ^ ga) qa -> parts_below (2 ^ gb) qb -> below3 way (4 * 2 ^ l) -> (forall i, 0 <= h i <= 2 ^ l) ->
  Z.abs rb <= 2 ^ l -> Z.abs m <= 2 ^ l -> 6 * (l + 2 * (ga + gb) + 10 + 4) + 4 <= 64 * Z.of_nat n ->
  let e := box_ball_excesses qa qb way h in let reach := box_ball_reach qa qb rb m in
  2 * Z.abs (scalar e e - reach * reach) < 2 ^ (64 * Z.of_nat n).
Proof.
  intros n ga gb l qa qb way h rb m Ga Gb L Ha Hb Hway Hh Hrb Hm H. cbv zeta.
  destruct (norm_most 0 0 0 0 ga qa Ga Ha) as [PA NA]. destruct (norm_most 0 0 0 0 gb qb Gb Hb) as [PB NB].
  fold (round_norm qa) in PA, NA. fold (round_norm qb) in PB, NB.
  pose proof (powers ga gb l 0 Ga Gb L) as P. set (x := 2 ^ (2 * ga)) in *. set (z := 2 ^ (2 * gb)) in *. set (e := 2 ^ l) in *.
  assert (AB : Z.abs (round_norm qb) <= 4 * z) by (clear - PB NB; lia).
  assert (W : below3 (fun k => way k * round_norm qb) (4 * e * (4 * z))) by (intro k; apply product_most; auto).
  pose proof (framed_most ga gb l 0 Ga Gb L qa _ ga _ Ga Ha W) as F. fold x in F.
  assert (Sc : 0 <= scale_Z qa qb <= 16 * (x * z)).
  { unfold scale_Z. split; [apply Z.mul_nonneg_nonneg; auto |].
    pose proof (Z.mul_le_mono_nonneg _ _ _ _ PA NA PB NB). lia. }
  assert (E0 : 0 < e) by (apply Z.pow_pos_nonneg; lia).
  set (q := x * z * e) in *.
  assert (Ex : below3 (box_ball_excesses qa qb way h) (192 * q)).
  { intro i. specialize (F i). fold (point_of_ball qa qb way) in F. unfold box_ball_excesses, excesses, excess_Z.
    set (y := point_of_ball qa qb way i) in *. assert (Y : Z.abs y <= 192 * q) by (unfold q; lia).
    assert (HS : 0 <= h i * scale_Z qa qb) by (apply Z.mul_nonneg_nonneg; [apply Hh | apply Sc]).
    set (t := h i * scale_Z qa qb) in *. clearbody t y q. clear - Y HS. destruct (t <? Z.abs y) eqn:T; lia. }
  assert (R : Z.abs (box_ball_reach qa qb rb m) <= 32 * q).
  { unfold box_ball_reach. assert (S : Z.abs (rb + m) <= 2 * e) by (clear - Hrb Hm; lia).
    assert (A : Z.abs (scale_Z qa qb) <= 16 * (x * z)) by (clear - Sc; lia). pose proof (product_most _ _ _ _ S A) as G. unfold q. clear - G. lia. }
  pose proof (scalar_most _ _ _ _ Ex Ex) as S1. pose proof (product_most _ _ _ _ R R) as S2.
  set (d := 2 * (ga + gb) + l) in *. assert (D : 0 <= d) by (unfold d; clear - Ga Gb L; lia).
  assert (Q : q = 2 ^ d) by (symmetry; exact P).
  assert (B : 2 ^ (2 * d + 20) <= 2 ^ (64 * Z.of_nat n)) by (apply Z.pow_le_mono_r; unfold d; clear - H; lia).
  replace (2 * d + 20) with (d + d + 20) in B by ring. rewrite !Z.pow_add_r in B by (clear - D; lia). rewrite <- Q in B.
  change (2 ^ 20) with 1048576 in B. assert (0 < q) by (rewrite Q; apply Z.pow_pos_nonneg; lia).
  assert (0 < q * q) by (apply Z.mul_pos_pos; auto).
  set (s := scalar _ _) in *. set (t := box_ball_reach qa qb rb m * box_ball_reach qa qb rb m) in *. set (g := 2 ^ (64 * Z.of_nat n)) in *.
  clearbody s t g. clear - S1 S2 B H0 H1. lia.
Qed.
