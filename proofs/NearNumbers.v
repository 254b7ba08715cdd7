(** * [Near] of [round/real.rs]: an [f64] and a bound on its distance from the number that it stands for.

    The numbers are those of [TwoSum.v], without a largest. Each operation returns a value with a bound that
    is one of the result; and a bound of 0 says that the value is the number. *)

Require Import Rbase Rfunctions ZArith Lra Lia.
From Obbligato Require Import Aligned Sums TwoSum Numbers.
Open Scope R_scope.

Section Near.
  Variables (p : nat) (eta : R).
  Hypothesis p_range : (6 <= p)%nat.
  Hypothesis eta_positive : 0 < eta.
  Variable round : R -> R.
  Hypothesis round_is_number : forall x, Sums.number p eta (round x).
  Hypothesis round_is_nearest : forall x y, Sums.number p eta y -> Rabs (round x - x) <= Rabs (y - x).
  Hypothesis round_odd : forall x, round (- x) = - round x.
  Notation num := (Sums.number p eta).
  Let P := 2 ^ p.
  Let u := / P.

  Lemma three_bits : (3 <= p)%nat.
  Proof. lia. Qed.
  Lemma u_small : 0 < u <= 1 / 64.
  Proof.
    assert (L : 64 <= P). { unfold P. replace 64 with (2 ^ 6) by (simpl; clear; lra). apply Rle_pow; [lra | lia]. }
    unfold u. split; [apply Rinv_0_lt_compat; lra |]. replace (1 / 64) with (/ 64) by field. apply Rinv_le_contravar; lra.
  Qed.
  Notation exact_num := (round_num p eta round round_is_nearest).
  Notation upwards := (rounds_up p eta round round_is_number round_is_nearest).

  (** Any number is in some range of one spacing. *)
  Lemma range_of : forall x, exists k, Rabs x <= P * spacing eta k /\ (k = 0%nat \/ P * spacing eta k <= 2 * Rabs x).
  Proof.
    intro x. assert (B : exists n, Rabs x <= P * spacing eta n).
    { assert (L : 1 <= P) by (unfold P; apply pow_R1_Rle; lra).
      destruct (archimed (Rabs x / eta)) as [U _]. set (z := up (Rabs x / eta)) in *.
      assert (X0 : 0 <= Rabs x / eta) by (apply Rmult_le_pos; [apply Rabs_pos | apply Rlt_le, Rinv_0_lt_compat; auto]).
      assert (Z0 : (0 <= z)%Z) by (apply le_IZR; lra). exists (Z.to_nat z). unfold spacing.
      pose proof (poly (Z.to_nat z) 1 ltac:(lra)) as Q. rewrite INR_IZR_INZ, Z2Nat.id in Q by auto. replace (1 + 1) with 2 in Q by (clear; lra).
      assert (E : Rabs x = Rabs x / eta * eta) by (field; lra). rewrite E.
      assert (Rabs x / eta * eta <= 2 ^ Z.to_nat z * eta) by (apply Rmult_le_compat_r; lra).
      assert (0 < 2 ^ Z.to_nat z * eta) by (apply Rmult_lt_0_compat; [apply pow_lt; lra | auto]). nra. }
    destruct B as [n B]. induction n as [| n IH]; [exists 0%nat; auto |].
    destruct (Rle_lt_dec (Rabs x) (P * spacing eta n)) as [Q | Q]; [auto |].
    exists (S n). split; auto. right. rewrite (spacing_next eta). lra.
  Qed.
  Lemma rounded_low : forall x, 0 <= x -> (1 - u) * x - eta <= round x.
  Proof.
    intros x X. destruct (range_of x) as [k [B C]].
    pose proof (half_off p eta three_bits eta_positive round round_is_nearest k x B) as H.
    rewrite Rabs_pos_eq in C by auto. pose proof (Rle_abs (- (round x - x))) as L. rewrite Rabs_Ropp in L.
    assert (P0 : 0 < P) by (unfold P; apply pow_lt; lra).
    destruct u_small as [U0 _].
    destruct C as [-> | C].
    - unfold spacing in H. simpl in H. assert (0 <= u * x) by (apply Rmult_le_pos; lra). lra.
    - assert (S : spacing eta k <= 2 * (u * x)).
      { apply (Rmult_le_reg_l P); auto. replace (P * (2 * (u * x))) with (2 * x) by (unfold u; field; lra). exact C. }
      lra.
  Qed.
  Lemma rounded_pos : forall x, 0 <= x -> 0 <= round x.
  Proof. intros x X. apply upwards in X. rewrite (exact_num 0 (number_zero p eta)) in X. exact X. Qed.

  (** A computed number of at least (1 - k u) x - c eta. *)
  Definition low (k c x y : R) : Prop := (1 - k * u) * x - c * eta <= y.
  Lemma low_sum : forall k k' m c c' x x' y y', 0 <= x -> 0 <= x' -> k <= m -> k' <= m -> low k c x y -> low k' c' x' y' ->
    low m (c + c') (x + x') (y + y').
  Proof.
    unfold low. intros k k' m c c' x x' y y' X X' K K' L L'. pose proof u_small as [U0 _].
    assert (0 <= (m - k) * (u * x)) by (apply Rmult_le_pos; [lra | apply Rmult_le_pos; lra]).
    assert (0 <= (m - k') * (u * x')) by (apply Rmult_le_pos; [lra | apply Rmult_le_pos; lra]). lra.
  Qed.
  Lemma low_round : forall k c x y, 0 <= k -> 0 <= c -> 0 <= x -> 0 <= y -> low k c x y -> low (k + 1) (c + 1) x (round y).
  Proof.
    unfold low. intros k c x y K C X Y L. pose proof u_small as [U0 U1]. pose proof (rounded_low y Y) as Q.
    assert ((1 - u) * ((1 - k * u) * x - c * eta) <= (1 - u) * y) by (apply Rmult_le_compat_l; lra).
    assert (0 <= k * (u * u * x)) by (apply Rmult_le_pos; [auto | apply Rmult_le_pos; [nra | auto]]).
    assert (0 <= u * (c * eta)) by (apply Rmult_le_pos; [lra | apply Rmult_le_pos; lra]). lra.
  Qed.

  Record near := Near { value : R; error : R }.
  Definition near_stands (n : near) (x : R) : Prop := num (value n) /\ num (error n) /\ 0 <= error n /\ Rabs (value n - x) <= error n.

  (** The least normal number, far above the least of all; and [1.0 + 8.0 * ROUNDING]. *)
  Variable mu : R.
  Hypothesis mu_range : 16 * eta <= mu.
  Definition inflation : R := 1 + 16 * u.
  Definition inflated (e : R) : R := if Req_EM_T e 0 then 0 else round (round (e * inflation) + mu).

  Lemma inflated_pos : forall e, 0 <= e -> num (inflated e) /\ 0 <= inflated e.
  Proof.
    intros e E. unfold inflated. destruct (Req_EM_T e 0); [split; [apply number_zero | lra] |]. split; [apply round_is_number |].
    apply rounded_pos. pose proof u_small. assert (0 <= e * inflation) by (apply Rmult_le_pos; [auto | unfold inflation; lra]).
    pose proof (rounded_pos _ H0). lra.
  Qed.
  (** It makes up for six roundings of the error, and for eight that are lost to underflow. *)
  Lemma inflated_above : forall e x, 0 <= x -> (1 - 6 * u) * x - 8 * eta <= e -> 0 <= e -> (e = 0 -> x = 0) -> x <= inflated e.
  Proof.
    intros e x X L E0 Z0. unfold inflated. destruct (Req_EM_T e 0) as [Q | Q]; [rewrite Z0; lra |]. pose proof u_small as [U0 U1].
    set (v := / 64) in *. assert (I : 0 <= e * inflation) by (apply Rmult_le_pos; [auto | unfold inflation; lra]).
    pose proof (rounded_low _ I) as R1. pose proof (rounded_pos _ I) as R0.
    assert (M : 0 <= round (e * inflation) + mu) by lra. pose proof (rounded_low _ M) as R2.
    assert (A : (1 + 13 * u) * e <= (1 - u) * ((1 - u) * (e * inflation))).
    { assert (C : 1 + 13 * u <= (1 - u) * (1 - u) * inflation).
      { unfold inflation. assert (0 <= u * (1 / 64 - u)) by (apply Rmult_le_pos; lra). assert (0 <= u * u * u) by (apply Rmult_le_pos; [nra | lra]). nra. }
      apply (Rmult_le_compat_r e) in C; auto. lra. }
    assert (B : x - 9.625 * eta <= (1 + 13 * u) * e).
    { assert (C : (1 + 13 * u) * ((1 - 6 * u) * x - 8 * eta) <= (1 + 13 * u) * e) by (apply Rmult_le_compat_l; lra).
      assert (D : 0 <= u * (1 / 64 - u)) by (apply Rmult_le_pos; lra).
      assert (E : x <= (1 + 13 * u) * (1 - 6 * u) * x).
      { assert (F : 1 <= (1 + 13 * u) * (1 - 6 * u)) by nra. apply (Rmult_le_compat_r x) in F; lra. }
      assert (G : u * eta <= 1 / 64 * eta) by (apply Rmult_le_compat_r; lra). lra. }
    assert (C : (1 - u) * (round (e * inflation) + mu) >= (1 - u) * ((1 - u) * (e * inflation)) + (1 - u) * (mu - eta)).
    { assert (0 <= (1 - u) * (round (e * inflation) - ((1 - u) * (e * inflation) - eta))) by (apply Rmult_le_pos; lra). lra. }
    assert (D : 15 * eta * (1 - u) <= (1 - u) * (mu - eta)) by (rewrite (Rmult_comm (15 * eta)); apply Rmult_le_compat_l; lra).
    assert (G : u * eta <= 1 / 64 * eta) by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  (** ** Sums *)
  Definition near_add (a b : near) : near :=
    Near (round (value a + value b)) (inflated (round (round (error a + error b) + Rabs (rest_of round (value a) (value b))))).
  Definition near_neg (a : near) : near := Near (- value a) (error a).
  Definition near_sub (a b : near) : near := near_add a (near_neg b).

  Lemma number_size : forall x, num x -> num (Rabs x).
  Proof. intros x N. unfold Rabs. destruct (Rcase_abs x); [apply number_odd |]; auto. Qed.

  Lemma near_neg_sound : forall a x, near_stands a x -> near_stands (near_neg a) (- x).
  Proof.
    intros [v e] x [V [E [E0 L]]]. simpl in *. split; [apply number_odd; auto |]. split; [exact E | split; [exact E0 |]]. simpl.
    replace (- v - - x) with (- (v - x)) by (clear; lra). rewrite Rabs_Ropp. exact L.
  Qed.

  Theorem near_add_sound : forall a b x y, near_stands a x -> near_stands b y -> near_stands (near_add a b) (x + y).
  Proof.
    intros [v e] [w f] x y [V [E [E0 L]]] [W [F [F0 M]]]. simpl in *. unfold near_add. simpl.
    pose proof (two_sum p eta three_bits eta_positive round round_is_number round_is_nearest round_odd v w V W) as T. unfold sum_of in T.
    set (lost := rest_of round v w) in *. assert (NL : num lost) by apply round_is_number.
    set (s := round (e + f)). set (t := round (s + Rabs lost)).
    assert (S0 : 0 <= s) by (apply rounded_pos; lra). pose proof (Rabs_pos lost) as L0.
    assert (T0 : 0 <= t) by (apply rounded_pos; lra). destruct (inflated_pos t T0) as [NI I0].
    split; [apply round_is_number |]. split; [exact NI | split; [exact I0 |]]. simpl.
    apply Rle_trans with (e + f + Rabs lost).
    - replace (round (v + w) - (x + y)) with ((v - x) + (w - y) + - lost) by (rewrite T; clear; lra).
      eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_Ropp. apply Rplus_le_compat_r.
      eapply Rle_trans; [apply Rabs_triang |]. lra.
    - pose proof (rounded_low (e + f) ltac:(lra)) as R1. fold s in R1. pose proof (rounded_low (s + Rabs lost) ltac:(lra)) as R2. fold t in R2.
      pose proof u_small as [U0 U1]. apply inflated_above; auto; [lra | |].
      + assert (A : (1 - u) * ((1 - u) * (e + f) - eta) <= (1 - u) * s) by (apply Rmult_le_compat_l; lra).
        assert (B : 0 <= u * u * (e + f)) by (apply Rmult_le_pos; [nra | lra]). assert (0 <= u * (e + f)) by (apply Rmult_le_pos; lra).
        assert (0 <= u * Rabs lost) by (apply Rmult_le_pos; lra). assert (0 <= u * eta) by (apply Rmult_le_pos; lra). lra.
      + intro Z0. assert (SA : num s) by apply round_is_number.
        apply (sum_is_zero p eta ltac:(lia) eta_positive round round_is_number round_is_nearest round_odd s (Rabs lost) SA (number_size _ NL)) in Z0.
        assert (S1 : s = 0) by lra.
        apply (sum_is_zero p eta ltac:(lia) eta_positive round round_is_number round_is_nearest round_odd e f E F) in S1. lra.
  Qed.

  (** ** Products *)

  (** What a product loses to rounding, or more: [lost]. *)
  Variable lost : R -> R -> R.
  Hypothesis lost_number : forall a b, num (lost a b).
  Hypothesis lost_above : forall a b, num a -> num b -> Rabs (a * b - round (a * b)) <= lost a b.

  (** What is added so that the error of a product is not lost to underflow, if a factor has one. *)
  Variable kept : R -> R -> R.
  Definition near_mul (a b : near) : near :=
    let carried := round (round (round (Rabs (value a) * error b) + round (Rabs (value b) * error a)) + round (error a * error b)) in
    Near (round (value a * value b)) (inflated (round (round (carried + lost (value a) (value b)) + kept (error a) (error b)))).

  Hypothesis kept_number : forall e f, num (kept e f).
  Hypothesis kept_pos : forall e f, 0 <= kept e f.
  Hypothesis kept_is : forall e f, kept e f = 0 -> e = 0 /\ f = 0.

  Theorem near_mul_sound : forall a b x y, near_stands a x -> near_stands b y -> near_stands (near_mul a b) (x * y).
  Proof.
    intros [v e] [w f] x y [V [E [E0 L]]] [W [F [F0 M]]]. simpl in *. unfold near_mul. cbv zeta. simpl.
    pose proof (Rabs_pos v) as V0. pose proof (Rabs_pos w) as W0. pose proof (lost_above v w V W) as LA.
    assert (Q1 : 0 <= Rabs v * f) by (apply Rmult_le_pos; auto). assert (Q2 : 0 <= Rabs w * e) by (apply Rmult_le_pos; auto).
    assert (Q3 : 0 <= e * f) by (apply Rmult_le_pos; auto). pose proof (Rabs_pos (v * w - round (v * w))) as Q4.
    pose proof (rounded_pos _ Q1) as A1. pose proof (rounded_pos _ Q2) as A2. pose proof (rounded_pos _ Q3) as A3.
    pose proof (rounded_low _ Q1) as B1. pose proof (rounded_low _ Q2) as B2. pose proof (rounded_low _ Q3) as B3.
    set (r1 := round (Rabs v * f)) in *. set (r2 := round (Rabs w * e)) in *. set (r3 := round (e * f)) in *.
    pose proof (rounded_low (r1 + r2) ltac:(lra)) as B4. pose proof (rounded_pos (r1 + r2) ltac:(lra)) as A4. set (r4 := round (r1 + r2)) in *.
    pose proof (rounded_low (r4 + r3) ltac:(lra)) as B5. pose proof (rounded_pos (r4 + r3) ltac:(lra)) as A5. set (r5 := round (r4 + r3)) in *.
    pose proof (rounded_low (r5 + lost v w) ltac:(lra)) as B6. pose proof (rounded_pos (r5 + lost v w) ltac:(lra)) as A6.
    set (r6 := round (r5 + lost v w)) in *. pose proof (kept_pos e f) as K0.
    pose proof (rounded_low (r6 + kept e f) ltac:(lra)) as B7. pose proof (rounded_pos (r6 + kept e f) ltac:(lra)) as A7.
    set (r7 := round (r6 + kept e f)) in *.
    destruct (inflated_pos r7 A7) as [NI I0].
    split; [apply round_is_number |]. split; [exact NI | split; [exact I0 |]]. simpl.
    set (all := Rabs v * f + Rabs w * e + e * f + Rabs (v * w - round (v * w))).
    apply Rle_trans with all.
    - replace (round (v * w) - x * y) with (- (v * w - round (v * w)) + (v * (w - y) + w * (v - x) + - ((v - x) * (w - y)))) by (clear; lra).
      eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_Ropp. unfold all.
      assert (C : Rabs (v * (w - y) + w * (v - x) + - ((v - x) * (w - y))) <= Rabs v * f + Rabs w * e + e * f).
      { eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_Ropp. apply Rplus_le_compat.
        - eapply Rle_trans; [apply Rabs_triang |]. rewrite !Rabs_mult. apply Rplus_le_compat; apply Rmult_le_compat_l; auto.
        - rewrite Rabs_mult. apply Rmult_le_compat; auto; apply Rabs_pos. }
      lra.
    - pose proof u_small as [U0 U1]. assert (One : 0 <= 1 - u) by lra. apply inflated_above; auto.
      + unfold all. lra.
      + unfold all. apply Rle_trans with ((1 - 5 * u) * (Rabs v * f + Rabs w * e + e * f + Rabs (v * w - round (v * w))) - 7 * eta).
        * fold all. assert (0 <= u * all) by (apply Rmult_le_pos; [lra | unfold all; lra]). lra.
        * assert (L1 : low 1 1 (Rabs v * f) r1) by (unfold low; lra). assert (L2 : low 1 1 (Rabs w * e) r2) by (unfold low; lra).
          assert (L3 : low 1 1 (e * f) r3) by (unfold low; lra).
          assert (L4 : low 2 3 (Rabs v * f + Rabs w * e) r4).
          { replace 2 with (1 + 1) by (clear; lra). replace 3 with (1 + 1 + 1) by (clear; lra). apply low_round; try lra. apply (low_sum 1 1); auto; lra. }
          assert (L5 : low 3 5 (Rabs v * f + Rabs w * e + e * f) r5).
          { replace 3 with (2 + 1) by (clear; lra). replace 5 with (3 + 1 + 1) by (clear; lra). apply low_round; try lra. apply (low_sum 2 1); auto; lra. }
          assert (LL : low 0 0 (Rabs (v * w - round (v * w))) (lost v w)) by (unfold low; lra).
          assert (L6 : low 4 6 (Rabs v * f + Rabs w * e + e * f + Rabs (v * w - round (v * w))) r6).
          { replace 4 with (3 + 1) by (clear; lra). replace 6 with (5 + 0 + 1) by (clear; lra). apply low_round; try lra. apply (low_sum 3 0); auto; lra. }
          assert (LK : low 0 0 0 (kept e f)) by (unfold low; lra).
          assert (L7 : low 5 7 (Rabs v * f + Rabs w * e + e * f + Rabs (v * w - round (v * w)) + 0) r7).
          { replace 5 with (4 + 1) by (clear; lra). replace 7 with (6 + 0 + 1) by (clear; lra). apply low_round; try lra. apply (low_sum 4 0); auto; lra. }
          unfold low in L7. lra.
      + intro Z0. assert (N6 : num r6) by apply round_is_number.
        apply (sum_is_zero p eta ltac:(lia) eta_positive round round_is_number round_is_nearest round_odd r6 (kept e f) N6 (kept_number e f)) in Z0.
        assert (R6 : r6 = 0) by lra. assert (K : kept e f = 0) by lra. apply kept_is in K. destruct K as [-> ->].
        assert (N5 : num r5) by apply round_is_number.
        apply (sum_is_zero p eta ltac:(lia) eta_positive round round_is_number round_is_nearest round_odd r5 (lost v w) N5 (lost_number v w)) in R6.
        unfold all. rewrite !Rmult_0_r. lra.
  Qed.

  (** ** Signs: known where the error is smaller than the value, or there is none *)
  Definition near_sign (a : near) : option comparison :=
    if Rlt_dec (error a) (Rabs (value a)) then Some (of_sign (value a))
    else if Req_EM_T (value a) 0 then if Req_EM_T (error a) 0 then Some Eq else None
    else None.

  Theorem near_sign_sound : forall a x c, near_stands a x -> near_sign a = Some c -> c = of_sign x.
  Proof.
    intros [v e] x c [_ [_ [E0 L]]] H. unfold near_sign in H. simpl in *.
    destruct (Rlt_dec e (Rabs v)) as [Q | Q].
    - injection H as <-. pose proof (Rle_abs (v - x)) as A. pose proof (Rle_abs (- (v - x))) as B. rewrite Rabs_Ropp in B.
      destruct (Rlt_le_dec 0 v) as [V | V].
      + rewrite Rabs_pos_eq in Q by lra. unfold of_sign. destruct (Rlt_dec 0 v), (Rlt_dec 0 x); lra || reflexivity.
      + rewrite Rabs_left1 in Q by auto. unfold of_sign. destruct (Rlt_dec 0 v), (Rlt_dec 0 x); try lra.
        destruct (Rlt_dec v 0), (Rlt_dec x 0); lra || reflexivity.
    - destruct (Req_EM_T v 0) as [-> |]; [| discriminate]. destruct (Req_EM_T e 0) as [-> |]; [| discriminate]. injection H as <-.
      assert (X0 : x = 0).
      { destruct (Req_dec x 0) as [-> | N]; auto. assert (N' : 0 - x <> 0) by lra. apply Rabs_pos_lt in N'. lra. }
      subst x. unfold of_sign. destruct (Rlt_dec 0 0); [lra |]. destruct (Rlt_dec 0 0); [lra | reflexivity].
  Qed.

  Definition near_numbers : arithmetic := Arithmetic near (Near 0 0) near_add near_sub near_mul near_neg near_sign.

  (** So what they decide is what the numbers that they stand for decide: the theorems of [Decided.v]. *)
  Theorem near_sound : sound near_numbers near_stands.
  Proof.
    split; simpl.
    - split; [apply number_zero | split; [apply number_zero | split; [simpl; lra |]]]. simpl. rewrite Rminus_eq_0, Rabs_R0. lra.
    - exact near_add_sound.
    - intros x y a b A B. unfold near_sub. replace (a - b) with (a + - b) by (clear; lra). apply near_add_sound; auto. apply near_neg_sound, B.
    - exact near_mul_sound.
    - exact near_neg_sound.
    - exact near_sign_sound.
  Qed.
  Theorem exact_stands : forall x, Sums.number p eta x -> near_stands (Near x 0) x.
  Proof.
    intros x N. split; [exact N | split; [apply number_zero | split; [simpl; lra |]]]. simpl. rewrite Rminus_eq_0, Rabs_R0. lra.
  Qed.
End Near.

(** ** The error of a product must not be lost to underflow

    Without what [kept] adds, as in a source that adds nothing, a product with a small number loses the error of
    the other: the result is called exact, and is not. The number that stands for [mu] is 0 with an error of [mu]. *)
Theorem error_is_lost : forall p eta round lost v mu, (1 <= p)%nat -> 0 < eta ->
  (forall x, Sums.number p eta (round x)) -> (forall x y, Sums.number p eta y -> Rabs (round x - x) <= Rabs (y - x)) ->
  Sums.number p eta mu -> 0 < mu -> 0 < v -> 2 * (v * mu) < eta -> lost 0 v = 0 ->
  near_stands p eta (Near 0 mu) mu /\
  ~ near_stands p eta (near_mul p round mu lost (fun _ _ => 0) (Near 0 mu) (Near v 0)) (mu * v).
Proof.
  intros p eta round lost v mu P E Num Nearest Nm M V L Z0.
  assert (R0 : round 0 = 0) by (apply (round_number p eta round Nearest), number_zero).
  split.
  - split; [apply number_zero |]. split; [exact Nm |]. split; [simpl; lra |]. simpl. replace (0 - mu) with (- mu) by (clear; lra).
    rewrite Rabs_Ropp, Rabs_pos_eq; lra.
  - assert (Small : round (v * mu) = 0).
    { destruct (number_multiple p eta _ (Num (v * mu))) as [k K]. pose proof (Nearest (v * mu) 0 (number_zero p eta)) as H.
      assert (Q : 0 < v * mu) by (apply Rmult_lt_0_compat; auto). rewrite K in *.
      replace (0 - v * mu) with (- (v * mu)) in H by (clear; lra). rewrite Rabs_Ropp, (Rabs_pos_eq (v * mu)) in H by lra.
      assert (B : -1 < IZR k < 1).
      { assert (A : Rabs (IZR k * eta - v * mu) <= v * mu) by lra. pose proof (Rle_abs (IZR k * eta - v * mu)).
        pose proof (Rle_abs (- (IZR k * eta - v * mu))) as B. rewrite Rabs_Ropp in B. split; apply (Rmult_lt_reg_r eta); lra. }
      destruct B as [B1 B2]. apply lt_IZR in B1, B2. replace k with 0%Z by lia. clear; lra. }
    intros [_ [_ [_ H]]]. unfold near_mul in H. simpl in H. rewrite Z0, Rabs_R0, (Rabs_pos_eq v), !Rmult_0_l, Rmult_0_r in H by lra.
    rewrite Small, !R0, !Rplus_0_r, !R0 in H. unfold inflated in H. destruct (Req_EM_T 0 0) as [_ | N]; [| contradiction].
    replace (0 - mu * v) with (- (v * mu)) in H by (clear; lra). rewrite Rabs_Ropp in H. pose proof (Rmult_lt_0_compat v mu V M).
    rewrite Rabs_pos_eq in H; lra.
Qed.
