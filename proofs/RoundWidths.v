(** * The integers of the exact stage of balls and capsules have enough words.

    As in [MarginWidths.v], only what is compared must fit. *)

Require Import ZArith Lia.
From Obbligato Require Import Integers MachineWidths Widths MarginWidths RoundExact.
Open Scope Z_scope.

(** [balls], which chooses 2 (bits + 4) + 4 bits. A component of the way has up to four parts. *)
Theorem balls_fit : forall n l way ra rb m, 0 <= l -> below3 way (4 * 2 ^ l) ->
  Z.abs ra <= 2 ^ l -> Z.abs rb <= 2 ^ l -> Z.abs m <= 2 ^ l -> 2 * (l + 4) + 4 <= 64 * Z.of_nat n ->
  2 * Z.abs (scalar way way - (ra + rb + m) * (ra + rb + m)) < 2 ^ (64 * Z.of_nat n).
Proof.
  intros n l way ra rb m L W A B M H. pose proof (scalar_most _ _ _ _ W W).
  assert (R : Z.abs (ra + rb + m) <= 3 * 2 ^ l) by (clear - A B M; lia). pose proof (product_most _ _ _ _ R R) as RR.
  assert (P : 2 ^ (l + l + 12) <= 2 ^ (64 * Z.of_nat n)) by (apply Z.pow_le_mono_r; clear - H; lia).
  rewrite !Z.pow_add_r in P by (clear - L; lia). change (2 ^ 12) with 4096 in P.
  assert (E : 0 < 2 ^ l) by (apply Z.pow_pos_nonneg; [reflexivity | auto]).
  assert (Q : 0 < 2 ^ l * 2 ^ l) by (apply Z.mul_pos_pos; auto).
  set (s := scalar way way) in *. set (t := (ra + rb + m) * (ra + rb + m)) in *. set (g := 2 ^ (64 * Z.of_nat n)) in *.
  clearbody s t g. clear - H0 RR P Q. lia.
Qed.

Section Rounds.
  Variables (ga gb l : Z) (qa qb : quaternion Z) (way : vector) (ha hb ra rb m : Z).
  Hypothesis Hga : 0 <= ga.
  Hypothesis Hgb : 0 <= gb.
  Hypothesis Hl : 0 <= l.
  Hypothesis Ha : parts_below (2 ^ ga) qa.
  Hypothesis Hb : parts_below (2 ^ gb) qb.
  Hypothesis Hway : below3 way (4 * 2 ^ l).
  Hypothesis Hha : Z.abs ha <= 2 ^ l.
  Hypothesis Hhb : Z.abs hb <= 2 ^ l.
  Hypothesis Hra : Z.abs ra <= 2 ^ l.
  Hypothesis Hrb : Z.abs rb <= 2 ^ l.
  Hypothesis Hm : Z.abs m <= 2 ^ l.
  Let y := 6 * unit ga gb l.

  Lemma round_norm_most : Z.abs (round_norm qa) <= 4 * 2 ^ (2 * ga) /\ Z.abs (round_norm qb) <= 4 * 2 ^ (2 * gb).
  Proof using Hga Hgb Hl Ha Hb ha hb ra rb m.
    destruct (norm_most 0 0 0 0 ga qa Hga Ha) as [A B], (norm_most 0 0 0 0 gb qb Hgb Hb) as [C D]. unfold round_norm.
    rewrite !Z.abs_eq by auto. auto.
  Qed.
  Lemma along_most : forall k, Z.abs (along qa ha k) <= 4 * 2 ^ (2 * ga) * 2 ^ l /\ Z.abs (along qb hb k) <= 4 * 2 ^ (2 * gb) * 2 ^ l.
  Proof using Hga Hgb Hl Ha Hb Hha Hhb ra rb m.
    intro k. destruct (norm_most 0 0 0 0 ga qa Hga Ha) as [_ A], (norm_most 0 0 0 0 gb qb Hgb Hb) as [_ B].
    split; apply product_most; auto; (eapply Z.le_trans; [apply matrix_below | eassumption]).
  Qed.

  (** The differences of ends. *)
  Theorem rounds_most :
    below3 (u_of qa qb ha) y /\ below3 (v_of qa qb way hb) y /\ below3 (w_of qa qb way ha hb) y /\
    below3 (fun k => w_of qa qb way ha hb k + u_of qa qb ha k) y /\
    below3 (fun k => v_of qa qb way hb k - w_of qa qb way ha hb k) y /\
    0 <= reach_Z qa qb ra rb m * reach_Z qa qb ra rb m <= y * y /\ 1 <= y.
  Proof.
    destruct round_norm_most as [NA NB]. pose proof (powers ga gb l 0 Hga Hgb Hl) as P. unfold y, unit. rewrite P.
    set (x := 2 ^ (2 * ga)) in *. set (z := 2 ^ (2 * gb)) in *. set (e := 2 ^ l) in *.
    assert (X : 0 < x) by (apply Z.pow_pos_nonneg; [reflexivity | clear - Hga; lia]).
    assert (Z0 : 0 < z) by (apply Z.pow_pos_nonneg; [reflexivity | clear - Hgb; lia]).
    assert (E : 0 < e) by (apply Z.pow_pos_nonneg; [reflexivity | auto]).
    assert (A : forall k, Z.abs (along qa ha k * round_norm qb) <= 16 * (x * z * e)).
    { intro k. destruct (along_most k) as [L _]. pose proof (product_most _ _ _ _ L NB) as G. clear - G. lia. }
    assert (B : forall k, Z.abs (along qb hb k * round_norm qa) <= 16 * (x * z * e)).
    { intro k. destruct (along_most k) as [_ L]. pose proof (product_most _ _ _ _ L NA) as G. clear - G. lia. }
    assert (C : forall k, Z.abs (way k * round_norm qb * round_norm qa) <= 64 * (x * z * e)).
    { intro k. pose proof (product_most _ _ _ _ (product_most _ _ _ _ (Hway k) NB) NA) as G. fold e in G. clear - G. lia. }
    assert (R : Z.abs (reach_Z qa qb ra rb m) <= 48 * (x * z * e)).
    { unfold reach_Z. assert (S : Z.abs (ra + rb + m) <= 3 * e) by (clear - Hra Hrb Hm; lia).
      pose proof (product_most _ _ _ _ (product_most _ _ _ _ S NA) NB) as G. clear - G. lia. }
    assert (Q : 0 < x * z * e) by (apply Z.mul_pos_pos; [apply Z.mul_pos_pos |]; auto).
    set (q := x * z * e) in *. clearbody q.
    assert (D : forall k, u_of qa qb ha k = 2 * (along qa ha k * round_norm qb) /\
      v_of qa qb way hb k = 2 * (along qb hb k * round_norm qa) /\
      w_of qa qb way ha hb k = along qb hb k * round_norm qa - along qa ha k * round_norm qb - way k * round_norm qb * round_norm qa)
      by (intro k; unfold u_of, v_of, w_of; repeat split; ring).
    assert (G : forall k, Z.abs (u_of qa qb ha k) <= 6 * (16 * q) /\ Z.abs (v_of qa qb way hb k) <= 6 * (16 * q) /\
      Z.abs (w_of qa qb way ha hb k) <= 6 * (16 * q) /\
      Z.abs (w_of qa qb way ha hb k + u_of qa qb ha k) <= 6 * (16 * q) /\
      Z.abs (v_of qa qb way hb k - w_of qa qb way ha hb k) <= 6 * (16 * q)).
    { intro k. destruct (D k) as [-> [-> ->]]. specialize (A k). specialize (B k). specialize (C k).
      set (ak := along qa ha k * round_norm qb) in *. set (bk := along qb hb k * round_norm qa) in *.
      set (wk := way k * round_norm qb * round_norm qa) in *. clearbody ak bk wk. clear - A B C Q. apply Z.abs_le in A, B, C. rewrite !Z.abs_le. lia. }
    split; [intro k; apply G |]. split; [intro k; apply G |]. split; [intro k; apply G |].
    split; [intro k; apply G |]. split; [intro k; apply G |]. split; [split |].
    - apply Z.square_nonneg.
    - pose proof (product_most _ _ _ _ R R) as S. rewrite Z.abs_eq in S by apply Z.square_nonneg.
      pose proof (Z.square_nonneg q). clear - S H. lia.
    - clear - Q. lia.
  Qed.

  (** The choice: 6 (bits + 4) + 4 bits, with 8 more than those of the unit. *)
  Theorem rounds_fit : forall n, 6 * (l + 2 * (ga + gb) + 8 + 4) + 4 <= 64 * Z.of_nat n -> 2 * largest y < 2 ^ (64 * Z.of_nat n).
  Proof.
    intros n H. set (e := 2 * (ga + gb) + l) in *. assert (E : 0 <= e) by (unfold e; lia).
    assert (U : y <= 2 ^ (e + 7)).
    { unfold y, unit. fold e. rewrite Z.pow_add_r by lia. pose proof (Z.pow_pos_nonneg 2 e). lia. }
    assert (U0 : 0 <= y) by (unfold y, unit; pose proof (Z.pow_pos_nonneg 2 (2 * (ga + gb) + l)); lia).
    clearbody y. assert (S : y * y <= 2 ^ (2 * (e + 7))).
    { replace (2 * (e + 7)) with ((e + 7) + (e + 7)) by lia. rewrite Z.pow_add_r by lia. apply Z.mul_le_mono_nonneg; lia. }
    assert (S3 : y * y * (y * y) * (y * y) <= 2 ^ (6 * (e + 7))).
    { set (p := 2 * (e + 7)) in *. replace (6 * (e + 7)) with (p + p + p) by (unfold p; lia).
      rewrite (Z.pow_add_r 2 (p + p) p), (Z.pow_add_r 2 p p) by (unfold p; clear - E; lia). assert (0 <= y * y) by apply Z.square_nonneg.
      apply Z.mul_le_mono_nonneg; [apply Z.mul_nonneg_nonneg; auto | apply Z.mul_le_mono_nonneg; auto | auto | auto]. }
    assert (P : 2 ^ (6 * (e + 7) + 7) <= 2 ^ (64 * Z.of_nat n)) by (apply Z.pow_le_mono_r; unfold e; clear - H; lia).
    rewrite Z.pow_add_r in P by (clear - E; lia). change (2 ^ 7) with 128 in P. unfold largest.
    clear - P S3. pose proof (Z.pow_nonneg 2 (6 * (e + 7))). lia.
  Qed.
End Rounds.
