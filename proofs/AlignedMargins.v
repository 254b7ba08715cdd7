(** * Boxes along the world's axes within a margin, in integers: [decide_aligned] of [within.rs]. *)

Require Import Rbase Rfunctions ZArith Lra Lia.
From Obbligato Require Import Boxes Formulas Separation Lengths Propagation Complete Exact LastStage Aligned Margins Distances
  Orders MarginWidths RoundExact BoxBallExact.
From Obbligato Require Integers.
Open Scope R_scope.

(** The half extents are those along the world's axes: [world_half_extents]. *)
Definition aligned_order (way ha hb : vector) (im : BinNums.Z) : comparison :=
  (let e := excesses way (fun k => ha k + hb k) in scalar e e ?= im * im)%Z.

Theorem aligned_margin_answer : forall a b pa pb qa qb turn_a turn_b m l way ha hb im,
  valid a -> valid b -> 0 < pa -> 0 < pb -> scaled_turn pa (rotation a) qa -> scaled_turn pb (rotation b) qb ->
  of_sides qa -> of_sides qb -> turned qa = Some turn_a -> turned qb = Some turn_b -> 0 <= m -> 0 < l ->
  stands (fun k => l * apart a b k) way -> (forall k, l * half a (of_index (turn_a k)) = IZR (ha k)) ->
  (forall k, l * half b (of_index (turn_b k)) = IZR (hb k)) -> l * m = IZR im ->
  (aligned_order way ha hb im <> Gt <-> within m a b).
Proof.
  intros a b pa pb qa qb turn_a turn_b m l way ha hb im Va Vb Pa Pb Qa Qb Sa Sb Ta Tb M L W Ha Hb Hm.
  pose proof (aligned_within_is a b pa pb qa qb turn_a turn_b m Va Vb Pa Pb Qa Qb Sa Sb Ta Tb M) as T. cbv zeta in T.
  rewrite T. clear T. set (e := excesses way (fun k => ha k + hb k)%Z).
  assert (E : forall k, IZR (e k) = l * excess (apart a b (of_index k)) (half a (of_index (turn_a k)) + half b (of_index (turn_b k)))).
  { intro k. unfold e, excesses. rewrite <- excess_stands, plus_IZR, <- Ha, <- Hb, <- (W k), <- excess_scaled by auto.
    f_equal. clear; lra. }
  assert (S : IZR (scalar e e) = l * l * (
    excess (apart a b (of_index Integers.I0)) (half a (of_index (turn_a Integers.I0)) + half b (of_index (turn_b Integers.I0)))
      * excess (apart a b (of_index Integers.I0)) (half a (of_index (turn_a Integers.I0)) + half b (of_index (turn_b Integers.I0)))
    + excess (apart a b (of_index Integers.I1)) (half a (of_index (turn_a Integers.I1)) + half b (of_index (turn_b Integers.I1)))
      * excess (apart a b (of_index Integers.I1)) (half a (of_index (turn_a Integers.I1)) + half b (of_index (turn_b Integers.I1)))
    + excess (apart a b (of_index Integers.I2)) (half a (of_index (turn_a Integers.I2)) + half b (of_index (turn_b Integers.I2)))
      * excess (apart a b (of_index Integers.I2)) (half a (of_index (turn_a Integers.I2)) + half b (of_index (turn_b Integers.I2))))).
  { unfold scalar. rewrite !plus_IZR, !mult_IZR, !E. clear; lra. }
  unfold aligned_order. cbv zeta. fold e. rewrite <- compared_stands, mult_IZR, <- Hm.
  destruct (decides_plain (IZR (scalar e e)) (l * m * (l * m))) as [D _]. rewrite D, S.
  replace (l * m * (l * m)) with (l * l * (m * m)) by (clear; lra). assert (LL : 0 < l * l) by (apply Rmult_lt_0_compat; auto).
  split; intro H; [apply (Rmult_le_reg_l (l * l)) in H; auto | apply Rmult_le_compat_l; lra].
Qed.
