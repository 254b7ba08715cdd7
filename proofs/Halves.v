(** * The two halves of a difference: [difference] of [obb_sat_f64.wgsl].

    The first is the difference in f32; the second is what is left of it, computed in f64 in any order and
    rounded to f32. Their sum is off by a rounding of a rounding. Either neighbour of a true result is
    right, but a number is not rounded, and only what is below phi is flushed. *)

Require Import Rbase Rfunctions ZArith Lra Lia.
From Obbligato Require Import Constants Sums.
Open Scope R_scope.

Definition eta32 : R := 1 / 2 ^ 149.
Definition is_f32 : R -> Prop := Sums.number 24 eta32.

Lemma eta32_pos : 0 < eta32.
Proof. unfold eta32. lra. Qed.

(** A sum in f64, of numbers in f32 and what is made of them: it is a multiple of [eta32], and so not flushed. *)
Definition added_f64 (z y : R) : Prop := Rabs (y - z) <= 1 / 2 ^ 52 * Rabs z /\ (Sums.number 53 eta32 z -> y = z).
(** A difference in f32. *)
Definition subtracted_f32 (x high : R) : Prop :=
  Rabs (high - x) <= u * Rabs x /\ (is_f32 x -> high = x) \/ x <> 0 /\ Rabs x <= phi /\ Rabs (high - x) <= phi.

(** Two numbers that are near to each other have a difference that is a number, and are at most 2^24 times it. *)
Lemma close_difference : forall x y, is_f32 x -> is_f32 y -> Rabs (x - y) < Rabs x / 32 ->
  is_f32 (x - y) /\ (x - y <> 0 -> Rabs x <= 2 ^ 25 * Rabs (x - y)).
Proof.
  intros x y [m [e [B ->]]] [m' [e' [B' ->]]] H. pose proof eta32_pos as E0.
  set (f := Nat.min e e'). set (g := 2 ^ f * eta32).
  assert (G : 0 < g) by (apply Rmult_lt_0_compat; [apply pow_lt; lra | exact E0]).
  assert (K : forall a j, (f <= j)%nat -> IZR a * 2 ^ j * eta32 = IZR (a * 2 ^ Z.of_nat (j - f)) * g).
  { intros a j L. unfold g. rewrite mult_IZR, <- Sums.power. replace j with ((j - f) + f)%nat at 1 by lia. rewrite pow_add. clear; lra. }
  assert (D : exists k, IZR m * 2 ^ e * eta32 - IZR m' * 2 ^ e' * eta32 = IZR k * g).
  { exists (m * 2 ^ Z.of_nat (e - f) - m' * 2 ^ Z.of_nat (e' - f))%Z. rewrite minus_IZR, Rmult_minus_distr_r.
    rewrite <- !K by (unfold f; lia). reflexivity. }
  destruct D as [k D]. set (x := IZR m * 2 ^ e * eta32) in *. set (y := IZR m' * 2 ^ e' * eta32) in *.
  assert (Size : forall a j, Rabs (IZR a) < 2 ^ 24 -> f = j -> Rabs (IZR a * 2 ^ j * eta32) <= 2 ^ 24 * g).
  { intros a j A0 <-. unfold g. rewrite Rmult_assoc, Rabs_mult, (Rabs_pos_eq (2 ^ f * eta32)) by (apply Rlt_le, G).
    apply Rmult_le_compat_r; [apply Rlt_le, G | lra]. }
  assert (X : Rabs x <= 1.04 * (2 ^ 24 * g)).
  { assert (GP : 0 < 2 ^ 24 * g) by (apply Rmult_lt_0_compat; [apply pow_lt |]; lra).
    destruct (Nat.min_spec e e') as [[_ M] | [_ M]].
    - pose proof (Size m e B M). unfold x. lra.
    - pose proof (Size m' e' B' M) as Y. fold y in Y.
      assert (T : Rabs x <= Rabs y + Rabs (x - y)) by (replace x with (y + (x - y)) at 1 by (clear; lra); apply Rabs_triang). lra. }
  rewrite D in H |- *.
  assert (KA : Rabs (IZR k * g) = Rabs (IZR k) * g) by (rewrite Rabs_mult, (Rabs_pos_eq g) by lra; reflexivity).
  rewrite KA in *. split.
  - exists k, f. split; [| unfold g; clear; lra]. apply (Rmult_lt_reg_r g); [exact G |]. lra.
  - intro N. assert (NK : k <> 0%Z) by (intros ->; apply N; clear; lra).
    assert (1 <= Rabs (IZR k)) by (rewrite <- abs_IZR; apply IZR_le; lia).
    assert (1 * g <= Rabs (IZR k) * g) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Lemma f32_in_f64 : forall x, is_f32 x -> Sums.number 53 eta32 x.
Proof. intros x [m [e [B ->]]]. exists m, e. split; [| reflexivity]. eapply Rlt_trans; [exact B |]. apply Rlt_pow; [lra | lia]. Qed.

Theorem halves_near : forall target source high left low, is_f32 target -> is_f32 source ->
  let x := target - source in subtracted_f32 x high ->
  (exists y, added_f64 (target - source) y /\ added_f64 (y - high) left \/
    added_f64 (source + high) y /\ added_f64 (target - y) left \/ added_f64 (target - high) y /\ added_f64 (y - source) left) ->
  Rabs (low - left) <= u * Rabs left + phi ->
  Rabs (high + low - x) <= 1 / 2 ^ 44 * Rabs x + 1.1 * phi /\ Rabs high + Rabs low <= 1.0001 * Rabs x + 3.2 * phi.
Proof.
  intros target source high left low Ft Fs x Hh Hv Hl.
  assert (PU : 0 < phi /\ u = 1 / 2 ^ 23) by (unfold phi, u; lra). destruct PU as [P UE].
  pose proof (Rabs_pos x) as XP.
  assert (Hx : Rabs (x - high) <= u * Rabs x + phi).
  { rewrite Rabs_minus_sym. destruct Hh as [[H _] | [_ [_ H]]]; [lra |].
    assert (0 <= u * Rabs x) by (apply Rmult_le_pos; [rewrite UE |]; lra). lra. }
  set (h := x - high) in *. pose proof (Rabs_pos h) as HP.
  (* What the sum in the middle loses, if it is about as large as the centers. *)
  assert (Lost : forall z y, added_f64 z y -> Rabs z <= Rabs target + Rabs x + Rabs h -> (high = x -> is_f32 z) ->
    Rabs (y - z) <= 1 / 2 ^ 46 * Rabs x + 0.01 * phi).
  { intros z y [A1 A2] Z0 N. destruct (Rle_lt_dec (Rabs target / 32) (Rabs x)) as [L | L].
    - rewrite UE in Hx. lra.
    - destruct (close_difference target source Ft Fs L) as [C1 C2]. fold x in C1, C2.
      destruct Hh as [[_ H] | [NX [X0 H]]].
      + rewrite (A2 (f32_in_f64 z (N (H C1)))), Rminus_eq_0, Rabs_R0. lra.
      + specialize (C2 NX). rewrite UE in Hx. lra. }
  assert (V : Rabs (left - h) <= 1 / 2 ^ 45 * Rabs x + 0.03 * phi).
  { destruct Hv as [y [[A1 A2] | [[A1 A2] | [A1 A2]]]].
    - destruct A1 as [A1 _], A2 as [A2 _]. fold x in A1.
      assert (Y : Rabs (y - high) <= Rabs (y - x) + Rabs h)
        by (replace (y - high) with ((y - x) + h) by (unfold h; clear; lra); apply Rabs_triang).
      replace (left - h) with ((left - (y - high)) + (y - x)) by (unfold h; clear; lra). eapply Rle_trans; [apply Rabs_triang |].
      rewrite UE in Hx. lra.
    - assert (B : Rabs (y - (source + high)) <= 1 / 2 ^ 46 * Rabs x + 0.01 * phi).
      { apply Lost; [exact A1 | |].
        - replace (source + high) with (target - h) by (unfold h, x; clear; lra). unfold Rminus. eapply Rle_trans; [apply Rabs_triang |].
          rewrite Rabs_Ropp. lra.
        - intros ->. replace (source + x) with target by (unfold x; clear; lra). exact Ft. }
      destruct A2 as [A2 _].
      assert (Y : Rabs (target - y) <= Rabs h + Rabs (y - (source + high))).
      { replace (target - y) with (h - (y - (source + high))) by (unfold h, x; clear; lra). unfold Rminus. eapply Rle_trans; [apply Rabs_triang |].
        rewrite Rabs_Ropp. lra. }
      replace (left - h) with ((left - (target - y)) - (y - (source + high))) by (unfold h, x; clear; lra).
      unfold Rminus at 1. eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_Ropp. rewrite UE in Hx. lra.
    - assert (B : Rabs (y - (target - high)) <= 1 / 2 ^ 46 * Rabs x + 0.01 * phi).
      { apply Lost; [exact A1 | |].
        - replace (target - high) with ((target - x) + h) by (unfold h; clear; lra). eapply Rle_trans; [apply Rabs_triang |].
          assert (Rabs (target - x) <= Rabs target + Rabs x)
            by (unfold Rminus; eapply Rle_trans; [apply Rabs_triang |]; rewrite Rabs_Ropp; lra). lra.
        - intros ->. replace (target - x) with source by (unfold x; clear; lra). exact Fs. }
      destruct A2 as [A2 _].
      assert (Y : Rabs (y - source) <= Rabs h + Rabs (y - (target - high))).
      { replace (y - source) with (h + (y - (target - high))) by (unfold h, x; clear; lra). apply Rabs_triang. }
      replace (left - h) with ((left - (y - source)) + (y - (target - high))) by (unfold h, x; clear; lra).
      eapply Rle_trans; [apply Rabs_triang |]. rewrite UE in Hx. lra. }
  assert (LB : Rabs left <= Rabs h + Rabs (left - h)).
  { replace left with (h + (left - h)) at 1 by (clear; lra). apply Rabs_triang. }
  assert (LL : Rabs (low - h) <= Rabs (low - left) + Rabs (left - h)).
  { replace (low - h) with ((low - left) + (left - h)) by (clear; lra). apply Rabs_triang. }
  rewrite UE in *. split.
  - replace (high + low - x) with (low - h) by (unfold h; clear; lra). lra.
  - assert (Rabs high <= Rabs x + Rabs h).
    { replace high with (x - h) by (unfold h; clear; lra). unfold Rminus. eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_Ropp. lra. }
    assert (Rabs low <= Rabs h + Rabs (low - h)).
    { replace low with (h + (low - h)) at 1 by (clear; lra). apply Rabs_triang. } lra.
Qed.

(** With centers that may have been flushed when they were read, that is what the record of [Shader64.v] asks for. *)
Theorem halves_are : forall target source t s high left low, is_f32 t -> is_f32 s -> Rabs (t - target) <= phi -> Rabs (s - source) <= phi ->
  subtracted_f32 (t - s) high ->
  (exists y, added_f64 (t - s) y /\ added_f64 (y - high) left \/
    added_f64 (s + high) y /\ added_f64 (t - y) left \/ added_f64 (t - high) y /\ added_f64 (y - s) left) ->
  Rabs (low - left) <= u * Rabs left + phi ->
  Rabs (high + low - (target - source)) <= 1 / 2 ^ 44 * Rabs (target - source) + 5 * phi /\
  Rabs high + Rabs low <= 1.001 * Rabs (target - source) + 6 * phi.
Proof.
  intros target source t s high left low Ft Fs Et Es Hh Hv Hl. destruct (halves_near t s high left low Ft Fs Hh Hv Hl) as [A B].
  assert (P : 0 < phi) by (unfold phi; lra). set (x := target - source).
  assert (D : Rabs (t - s - x) <= 2 * phi).
  { replace (t - s - x) with ((t - target) - (s - source)) by (unfold x; clear; lra). unfold Rminus at 1. eapply Rle_trans; [apply Rabs_triang |].
    rewrite Rabs_Ropp. lra. }
  assert (X : Rabs (t - s) <= Rabs x + 2 * phi).
  { replace (t - s) with (x + (t - s - x)) by (clear; lra). eapply Rle_trans; [apply Rabs_triang |]. lra. }
  pose proof (Rabs_pos x). split; [| lra].
  replace (high + low - x) with ((high + low - (t - s)) + (t - s - x)) by (clear; lra). eapply Rle_trans; [apply Rabs_triang |]. lra.
Qed.
