(** * Rounding to the nearest number: signs of differences, and the rests of sums.

    [Aligned.v] rests on what is proved here. Numbers have p bits, and are multiples of the least
    subnormal number, eta. They have no largest exponent: coordinates have a limit. *)

Require Import Rbase Rfunctions ZArith Lra Lia.
From Obbligato Require Import Aligned.
Open Scope R_scope.

Lemma no_sign : forall x, of_sign x = Eq <-> x = 0.
Proof. intro x. unfold of_sign. destruct (Rlt_dec 0 x), (Rlt_dec x 0); split; intro; try discriminate; try reflexivity; lra. Qed.

Section Nearest.
  Variables (p : nat) (eta : R).
  Hypothesis p_range : (1 <= p)%nat.
  Hypothesis eta_positive : 0 < eta.

  Definition number (x : R) : Prop := exists (m : Z) (e : nat), Rabs (IZR m) < 2 ^ p /\ x = IZR m * 2 ^ e * eta.

  (** No number is nearer than the rounded one, and ties do not depend on the sign, as with ties to even. *)
  Variable round : R -> R.
  Hypothesis round_is_number : forall x, number (round x).
  Hypothesis round_is_nearest : forall x y, number y -> Rabs (round x - x) <= Rabs (y - x).
  Hypothesis round_odd : forall x, round (- x) = - round x.

  Lemma number_odd : forall x, number x -> number (- x).
  Proof. intros x [m [e [B ->]]]. exists (- m)%Z, e. rewrite opp_IZR, Rabs_Ropp. split; [auto | clear; lra]. Qed.

  Lemma number_zero : number 0.
  Proof. exists 0%Z, 0%nat. rewrite Rabs_R0. split; [apply pow_lt; lra | clear; lra]. Qed.

  Lemma number_eta : number eta.
  Proof.
    exists 1%Z, 0%nat. rewrite Rabs_R1. split; [| simpl; clear; lra]. pose proof (pow_le 2 0 ltac:(lra)).
    rewrite <- (pow_O 2) at 1. apply Rlt_pow; [lra | lia].
  Qed.

  Lemma round_number : forall x, number x -> round x = x.
  Proof.
    intros x N. pose proof (round_is_nearest x x N) as H. rewrite (Rminus_eq_0 x), Rabs_R0 in H.
    pose proof (Rabs_pos (round x - x)). destruct (Req_dec (round x - x) 0) as [E | E]; [lra |].
    apply Rabs_pos_lt in E. lra.
  Qed.

  Lemma round_monotone : forall x y, x <= y -> round x <= round y.
  Proof.
    intros x y [L | ->]; [| lra]. apply Rnot_lt_le. intro G.
    pose proof (round_is_nearest x (round y) (round_is_number y)) as A.
    pose proof (round_is_nearest y (round x) (round_is_number x)) as B.
    unfold Rabs in *.
    destruct (Rcase_abs (round x - x)), (Rcase_abs (round y - x)), (Rcase_abs (round y - y)), (Rcase_abs (round x - y)); lra.
  Qed.

  Lemma power : forall k, 2 ^ k = IZR (2 ^ Z.of_nat k).
  Proof. intro k. apply pow_IZR. Qed.

  Lemma number_multiple : forall x, number x -> exists k : Z, x = IZR k * eta.
  Proof. intros x [m [e [_ ->]]]. exists (m * 2 ^ Z.of_nat e)%Z. rewrite mult_IZR, <- power. reflexivity. Qed.

  (** A rounded difference has the sign of the difference: it is 0, or at least eta. *)
  Theorem difference_sign : forall x y, number x -> number y -> of_sign (round (x - y)) = of_sign (x - y).
  Proof.
    intros x y Nx Ny. apply number_multiple in Nx, Ny. destruct Nx as [k ->], Ny as [k' ->].
    replace (IZR k * eta - IZR k' * eta) with (IZR (k - k') * eta) by (rewrite minus_IZR; clear; lra). set (j := (k - k')%Z).
    pose proof (round_number 0 number_zero) as R0. pose proof (round_number eta number_eta) as R1.
    pose proof (round_odd eta) as R2.
    destruct (Z_lt_le_dec 0 j) as [P | P].
    - assert (IZR j >= 1) by (apply Rle_ge, IZR_le; lia). assert (E : eta <= IZR j * eta) by nra.
      apply round_monotone in E. unfold of_sign. destruct (Rlt_dec 0 (round (IZR j * eta))); [| lra].
      destruct (Rlt_dec 0 (IZR j * eta)); [auto | nra].
    - destruct (Z.eq_dec j 0) as [-> | N]; [rewrite Rmult_0_l, R0; reflexivity |].
      assert (IZR j <= -1) by (apply IZR_le; lia). assert (E : IZR j * eta <= - eta) by nra.
      apply round_monotone in E. unfold of_sign. destruct (Rlt_dec 0 (round (IZR j * eta))); [lra |].
      destruct (Rlt_dec 0 (IZR j * eta)); [nra |]. destruct (Rlt_dec (round (IZR j * eta)) 0); [| lra].
      destruct (Rlt_dec (IZR j * eta) 0); [auto | nra].
  Qed.

  Lemma sum_is_zero : forall x y, number x -> number y -> round (x + y) = 0 -> x + y = 0.
  Proof.
    intros x y Nx Ny Z. pose proof (difference_sign x (- y) Nx (number_odd y Ny)) as S.
    replace (x - - y) with (x + y) in S by (clear; lra). rewrite Z in S. apply no_sign. rewrite <- S. apply no_sign. reflexivity.
  Qed.

  (** The rest of a sum: the smaller exponent of the two is that of the rest, or less. *)
  Lemma rest_of_ordered : forall (m m' : Z) (e e' : nat), (e <= e')%nat -> Rabs (IZR m) < 2 ^ p -> Rabs (IZR m') < 2 ^ p ->
    let s := IZR m * 2 ^ e * eta + IZR m' * 2 ^ e' * eta in number (s - round s).
  Proof.
    intros m m' e e' L B B' s. set (g := 2 ^ e * eta).
    assert (G : 0 < g) by (apply Rmult_lt_0_compat; [apply pow_lt; lra | auto]).
    set (k := (m + m' * 2 ^ Z.of_nat (e' - e))%Z).
    assert (Es : s = IZR k * g).
    { unfold s, k, g. rewrite plus_IZR, mult_IZR, <- power. replace (2 ^ e') with (2 ^ (e' - e) * 2 ^ e); [clear; lra |].
      rewrite <- pow_add. f_equal. lia. }
    destruct (Rlt_le_dec (Rabs (IZR k)) (2 ^ p)) as [Small | Large].
    - assert (N : number s) by (exists k, e; split; [auto | rewrite Es; unfold g; clear; lra]).
      rewrite (round_number s N), Rminus_eq_0. apply number_zero.
    - set (b := 2 ^ p * g). assert (PP : 0 < 2 ^ p) by (apply pow_lt; lra). assert (BP : 0 < b) by (apply Rmult_lt_0_compat; auto).
      assert (Nb : number b).
      { exists (2 ^ Z.of_nat (p - 1))%Z, (S e). rewrite <- power. split.
        - rewrite Rabs_pos_eq by (apply pow_le; lra). apply Rlt_pow; [lra | lia].
        - unfold b, g. replace p with (S (p - 1)) at 1 by lia. simpl. clear; lra. }
      assert (Far : b <= Rabs s).
      { rewrite Es, Rabs_mult, (Rabs_pos_eq g) by lra. apply Rmult_le_compat_r; lra. }
      assert (FarR : b <= Rabs (round s)).
      { pose proof (round_number b Nb) as Rb. pose proof (round_odd b) as Ro. unfold Rabs in Far. destruct (Rcase_abs s).
        - assert (Q : s <= - b) by lra. apply round_monotone in Q. rewrite Rabs_left1; lra.
        - apply Rge_le in r. apply round_monotone in Far. rewrite Rabs_pos_eq; lra. }
      destruct (round_is_number s) as [mr [er [Br Er]]].
      assert (Le : (e <= er)%nat).
      { destruct (le_lt_dec e er) as [Q | Q]; auto. exfalso.
        assert (P2 : 2 ^ er <= 2 ^ e) by (apply Rle_pow; [lra | lia]).
        assert (PE : 0 < 2 ^ er) by (apply pow_lt; lra).
        rewrite Er, !Rabs_mult, (Rabs_pos_eq eta), (Rabs_pos_eq (2 ^ er)) in FarR by lra.
        assert (Rabs (IZR mr) * (2 ^ er * eta) < 2 ^ p * (2 ^ er * eta))
          by (apply Rmult_lt_compat_r; [apply Rmult_lt_0_compat |]; auto).
        assert (2 ^ p * (2 ^ er * eta) <= 2 ^ p * (2 ^ e * eta))
          by (apply Rmult_le_compat_l; [lra |]; apply Rmult_le_compat_r; lra). unfold b, g in FarR. lra. }
      set (j := (k - mr * 2 ^ Z.of_nat (er - e))%Z).
      assert (J : s - round s = IZR j * g).
      { rewrite Er, Es. unfold j, g. rewrite minus_IZR, mult_IZR, <- power.
        replace (2 ^ er) with (2 ^ (er - e) * 2 ^ e); [clear; lra |]. rewrite <- pow_add. f_equal. lia. }
      (* The other operand is a number, so the rest is no larger than this one. *)
      assert (Ny : number (IZR m' * 2 ^ e' * eta)) by (exists m', e'; auto).
      pose proof (round_is_nearest s _ Ny) as Near.
      replace (IZR m' * 2 ^ e' * eta - s) with (- (IZR m * g)) in Near by (unfold s, g; clear; lra).
      rewrite Rabs_Ropp, Rabs_mult, (Rabs_pos_eq g) in Near by lra.
      rewrite Rabs_minus_sym, J, Rabs_mult, (Rabs_pos_eq g) in Near by lra. apply Rmult_le_reg_r in Near; auto.
      exists j, e. split; [lra | rewrite J; unfold g; clear; lra].
  Qed.

  Theorem rest_is_number : forall x y, number x -> number y -> number (x + y - round (x + y)).
  Proof.
    intros x y [m [e [B ->]]] [m' [e' [B' ->]]]. destruct (le_lt_dec e e') as [L | L].
    - apply rest_of_ordered; auto.
    - rewrite (Rplus_comm (IZR m * 2 ^ e * eta)). apply rest_of_ordered; auto. lia.
  Qed.

  (** ** The three signs of boxes along the world's axes, of stored numbers *)
  Section Gaps.
    Variables a b h h' side : R.
    Hypothesis Na : number a.
    Hypothesis Nb : number b.
    Hypothesis Nh : number h.
    Hypothesis Nh' : number h'.
    Let D := b - a.
    Let H := h + h'.
    Hypothesis Hside : (0 < round D -> side = 1) /\ (round D < 0 -> side = -1) /\ (side = 1 \/ side = -1).
    Let minus (x y : R) : R := round (x - y).

    Lemma D_numbers : number (round D) /\ number (D - round D).
    Proof. split; [apply round_is_number |]. unfold D, Rminus at 1. apply (rest_is_number b (- a)); auto. apply number_odd, Na. Qed.
    Lemma H_numbers : number (round H) /\ number (H - round H).
    Proof. split; [apply round_is_number | apply rest_is_number; auto]. Qed.
    Lemma D_none : round D = 0 -> D = 0.
    Proof. unfold D, Rminus. intro E. apply sum_is_zero; auto. apply number_odd, Na. Qed.

    Theorem stored_gap_sign : of_sign (gap round minus D H side) = of_sign (Rabs D - H).
    Proof.
      apply (gap_sign number round minus round_monotone round_odd number_odd difference_sign D H);
        auto using D_numbers, H_numbers, D_none.
    Qed.

    Theorem stored_lane_sign : (lane_above round minus D H side <-> of_sign (Rabs D - H) = Gt) /\
      (lane_below round minus D H side <-> of_sign (Rabs D - H) = Lt).
    Proof.
      apply (lane_sign number round minus round_monotone round_odd number_odd difference_sign D H);
        auto using D_numbers, H_numbers, D_none.
    Qed.
  End Gaps.
End Nearest.
