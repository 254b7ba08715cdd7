(** * The rule for nearly parallel edges, as computed.

    If each face of both boxes has F + KAPPA S Z + 2 E < 0 as computed, the true F of all faces are
    so far below 0 that [parallel_edges] holds. *)

Require Import Rbase Rfunctions R_sqrt Lra.
From Obbligato Require Import Boxes Formulas Lengths Constants Propagation Parallel Axes Overlapping.
Open Scope R_scope.

Section Rule.
  Variables (ct cC cc cg co p KT KG : R).
  Hypothesis Hct : 0 <= ct <= 50.
  Hypothesis HcC : 0 <= cC <= cc.
  Hypothesis Hcc : cc <= 50.
  Hypothesis Hcg : 0 <= cg <= 50.
  Hypothesis Hco : 0 <= co <= 20.
  Hypothesis HKT : 0 <= KT <= 100.
  Hypothesis HKG : 0 <= KG <= 100.
  Hypothesis Hp : 0 <= p <= 60.
  (* 1.65 is KAPPA times the root of 2. *)
  Hypothesis enough_T : 1.0043 * (cC + ct + co + 0.02 + 1.001 * p + 1.65 * cc) <= 1.999 * KT.
  Hypothesis enough_G : 1.0043 * (cc + cg + 0.01 + 1.001 * p + 1.65 * cc) <= 1.999 * KG.
  Variables (u : R) (a b : box) (t' : vec) (s' : R) (C' c' : axis -> axis -> R) (gA' gB' : vec).
  Variables e_t e_g e_w e_v A kappa : R.
  Hypothesis u_small : 0 <= u <= 1 / 2 ^ 23.
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Hypothesis He_t : 0 <= e_t.
  Hypothesis He_g : 0 <= e_g.
  Hypothesis He_w : 0 <= e_w.
  Hypothesis He_v : 0 <= e_v.
  Hypothesis Hnear : near ct cC cc cg u a b t' s' C' c' gA' gB' e_t e_g.
  Hypothesis Hkappa : Rabs (kappa - KAPPA) <= 0.01.
  Hypothesis HA : e_v + 1.1 * e_w + 2.05 * e_t + 7.8 * e_g <= 2 * (0.999 * A).

  Let s0 := s a b.
  Let T := sum (fun i => Rabs (t a b i)).
  Let T' := sum (fun i => Rabs (t' i)).
  Let G := sum (gA a) + sum (gB a b).
  Let G' := sum gA' + sum gB'.
  Hypothesis HZ : 0 <= T' + G'.

  Variables i j : axis.
  (** S: the sum of two |C|, as computed; and the true sine, times s. *)
  Definition sine (c : axis -> axis -> R) : R := c (next i) j + c (after i) j.
  Let S := sine c'.
  Let S0 := angle a b i j.
  Hypothesis HS : S <= 0.5001.
  Hypothesis Hpos : forall k l, 0 <= c' k l.

  Lemma sine_near : 0 <= S /\ 0 <= S0 <= S + 1.4143 * (cc * u * s0).
  Proof.
    pose proof (near_c _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hnear) as N. fold s0 in N.
    pose proof (Hpos (next i) j) as P1. pose proof (Hpos (after i) j) as P2.
    pose proof (N (next i) j) as N1. pose proof (N (after i) j) as N2. unfold S, sine.
    set (e := cc * u * s0) in *. set (x := c' (next i) j) in *. set (y := c' (after i) j) in *.
    pose proof (Rabs_pos (x - Rabs (C a b (next i) j))).
    split; [lra |]. split; [apply sqrt_pos |]. apply Rsqr_incr_0; [| apply sqrt_pos | lra].
    unfold Rsqr, S0. rewrite angle_square, <- (square_abs (C a b (next i) j)), <- (square_abs (C a b (after i) j)).
    pose proof (Rabs_pos (C a b (next i) j)). pose proof (Rabs_pos (C a b (after i) j)).
    pose proof (Rle_abs (- (x - Rabs (C a b (next i) j)))) as Q1. pose proof (Rle_abs (- (y - Rabs (C a b (after i)
      j)))) as Q2.
    rewrite Rabs_Ropp in Q1, Q2.
    assert (X : Rabs (C a b (next i) j) * Rabs (C a b (next i) j) <= (x + e) * (x + e)) by (apply Rmult_le_compat; lra).
    assert (Y : Rabs (C a b (after i) j) * Rabs (C a b (after i) j) <= (y + e) * (y + e)) by (apply Rmult_le_compat;
      lra).
    assert (0 <= x * y) by (apply Rmult_le_pos; auto). assert (0 <= x * e) by (apply Rmult_le_pos; lra).
    assert (0 <= y * e) by (apply Rmult_le_pos; lra). assert (0 <= e * e) by (apply Rmult_le_pos; lra). lra.
  Qed.

  (** What is added to F. *)
  Definition added : R := kappa * ((T' + G') * S) + 2 * bound KT KG u A T' G'.

  Lemma size_near : 0.9999 * (T + G) - 1.7321 * e_t - 6 * e_g <= T' + G'.
  Proof.
    pose proof (extents_near ct cC cc cg co Hct HcC Hcc Hcg Hco u a b t' s' C' c' gA' gB' e_t e_g u_small Ha Hb He_g
      Hnear (Edges i j)) as EG.
    pose proof (distance_sum_near ct cC cc cg co Hct HcC Hcc Hcg Hco u a b t' s' C' c' gA' gB' e_t e_g u_small Ha Hb
      Hnear (Edges i j)) as ET.
    simpl in EG. fold G G' in EG. fold T T' in ET. lra.
  Qed.

  Lemma added_near : 1.1 * (S0 * (T + G)) - 1.64 * (cc * (u * (s0 * (T + G)))) + 2 * (0.9999 * (u * (KT * T + KG * G)))
    + 2 * A - 1.0 * e_t - 3.6 * e_g <= added.
  Proof.
    destruct (scale_ranges a b (Edges i j) Ha Hb) as [SR [HT HG]]. fold s0 in SR. fold T in HT. simpl in HG. fold G in
      HG.
    pose proof (bound_near ct cC cc cg co KT KG Hct HcC Hcc Hcg Hco HKT HKG u a b t' s' C' c' gA' gB' e_t e_g u_small
      Ha Hb
      He_t He_g Hnear (Edges i j) A) as B.
    simpl in B. fold T G T' G' in B.
    pose proof size_near as Zn. destruct sine_near as [SP [SP0 Sn]].
    assert (X1 : (0.9999 * (T + G) - 1.7321 * e_t - 6 * e_g) * S <= (T' + G') * S) by (apply Rmult_le_compat_r; lra).
    assert (X2 : (0.9999 * (T + G)) * (S0 - 1.4143 * (cc * u * s0)) <= (0.9999 * (T + G)) * S) by (apply
      Rmult_le_compat_l; lra).
    assert (X3 : (1.7321 * e_t + 6 * e_g) * S <= (1.7321 * e_t + 6 * e_g) * 0.5001) by (apply Rmult_le_compat_l; lra).
    assert (X4 : 0 <= (T' + G') * S) by (apply Rmult_le_pos; lra).
    assert (X5 : 1.15 <= kappa <= 1.17).
    { unfold KAPPA in Hkappa. pose proof (Rle_abs (kappa - 1.16)). pose proof (Rle_abs (- (kappa - 1.16))).
      rewrite Rabs_Ropp in *. lra. }
    assert (X6 : 1.15 * ((T' + G') * S) <= kappa * ((T' + G') * S)) by (apply Rmult_le_compat_r; lra).
    assert (X7 : 0 <= S0 * (T + G)) by (apply Rmult_le_pos; lra).
    assert (X8 : 0 <= u * (s0 * (T + G))) by (apply Rmult_le_pos; [lra | apply Rmult_le_pos; lra]).
    assert (X9 : 0 <= cc * (u * (s0 * (T + G)))) by (apply Rmult_le_pos; lra).
    unfold added. lra.
  Qed.

  (** The lemma for one face. p is the number of roundings of F that are not in 0.9999. *)
  Theorem rule_face : forall k w, is_face k ->
    Rabs (w - distance t' s' C' k) <= co * u * (s' * T') + e_w ->
    w - radii s' c' gA' gB' k < - (0.9999 * added) + p * u * (w + radii s' c' gA' gB' k) + e_v ->
    F a b k < - (turn * (S0 * (T + G))).
  Proof.
    intros k w Hk Hw V.
    destruct (scale_ranges a b (Edges i j) Ha Hb) as [SR [HT HG]]. fold s0 in SR. fold T in HT. simpl in HG. fold G in
      HG.
    destruct (scale_ranges a b k Ha Hb) as [_ [_ Hg]].
    pose proof (F_near ct cC cc cg co Hct HcC Hcc Hcg Hco u a b t' s' C' c' gA' gB' e_t e_g e_w u_small Ha Hb He_t
      He_g He_w Hnear k w Hw) as N.
    pose proof (magnitude_near ct cC cc cg co Hct HcC Hcc Hcg Hco u a b t' s' C' c' gA' gB' e_t e_g e_w u_small Ha Hb
      He_t He_g He_w Hnear k w Hw) as M.
    fold s0 T in N, M. set (g := extents (gA a) (gB a b) k) in *. set (rr := radii s' c' gA' gB' k) in *.
    pose proof (Rle_abs (- (w - rr - F a b k))) as Q. rewrite Rabs_Ropp in Q.
    assert (gG : g <= G).
    { destruct (extents_pos a b Ha Hb) as [GA GB]. unfold g, G, extents, sum.
      pose proof (GA X). pose proof (GA Y). pose proof (GA Z). pose proof (GB X). pose proof (GB Y). pose proof (GB Z).
      destruct k as [k | k | k l]; [destruct k | destruct k | exfalso; eapply Hk; eauto]; lra. }
    pose proof added_near as D. destruct sine_near as [_ [SP0 _]].
    assert (X7 : 0 <= S0 * (T + G)) by (apply Rmult_le_pos; lra).
    assert (PU : 0 <= p * u <= 0.00001).
    { split; [apply Rmult_le_pos; lra |]. apply Rle_trans with (60 * (1 / 2 ^ 23)); [| lra]. apply Rmult_le_compat;
      lra. }
    assert (Y1 : p * u * (w + rr) <= p * u * (1.001 * (s0 * (T + g)) + (1.01 * e_w + 1.01 * e_t + 4.1 * e_g)))
      by (apply Rmult_le_compat_l; lra).
    assert (Y2 : p * u * (1.01 * e_w + 1.01 * e_t + 4.1 * e_g) <= 0.00001 * (1.01 * e_w + 1.01 * e_t + 4.1 * e_g))
      by (apply Rmult_le_compat_r; lra).
    assert (UT : 0 <= u * T) by (apply Rmult_le_pos; lra). assert (UG : 0 <= u * G) by (apply Rmult_le_pos; lra).
    assert (ST : (cC + ct + co + 0.02 + 1.001 * p + 1.65 * cc) * (u * (s0 * T)) <= 1.999 * KT * (u * T)).
    { replace (u * (s0 * T)) with (s0 * (u * T)) by (clear; lra). rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [lra |].
      eapply Rle_trans; [| exact enough_T]. rewrite (Rmult_comm 1.0043). apply Rmult_le_compat_l; lra. }
    assert (SG : (cc + cg + 0.01 + 1.001 * p + 1.65 * cc) * (u * (s0 * G)) <= 1.999 * KG * (u * G)).
    { replace (u * (s0 * G)) with (s0 * (u * G)) by (clear; lra). rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [lra |].
      eapply Rle_trans; [| exact enough_G]. rewrite (Rmult_comm 1.0043). apply Rmult_le_compat_l; lra. }
    assert (Sg : (cc + cg + 0.01 + 1.001 * p) * (u * (s0 * g)) <= (cc + cg + 0.01 + 1.001 * p) * (u * (s0 * G)))
      by (apply Rmult_le_compat_l; [lra | apply Rmult_le_compat_l; [lra | apply Rmult_le_compat_l; lra]]).
    assert (CT : 0 <= cc * (u * (s0 * T)))
      by (apply Rmult_le_pos; [lra | apply Rmult_le_pos; [lra | apply Rmult_le_pos; lra]]).
    assert (CG : 0 <= cc * (u * (s0 * G)))
      by (apply Rmult_le_pos; [lra | apply Rmult_le_pos; [lra | apply Rmult_le_pos; lra]]).
    pose proof (some_of KT 100 (u * T) HKT UT). pose proof (some_of KG 100 (u * G) HKG UG).
    unfold turn. lra.
  Qed.
End Rule.
