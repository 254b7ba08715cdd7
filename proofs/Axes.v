(** * From a computed sign to the sign of F: what K_T and K_G have to be.

    F less E, or F plus E, is computed from values whose errors are, in units of u: t ct, C and s cC,
    |C| cc, extents cg, the distance of its own co. Absolute errors, of flushed numbers, are e_t, e_g,
    e_w and e_v, and A has to be larger than all of them together. *)

Require Import Rbase Rfunctions R_sqrt Lra.
From Obbligato Require Import Boxes Formulas Lengths Propagation.
Open Scope R_scope.

(** E, in the units of a stage. *)
Definition bound (KT KG u A tt gg : R) : R := u * (KT * tt + KG * gg) + A.

Lemma scale_ranges : forall a b k, valid a -> valid b ->
  0.9958 <= s a b <= 1.0043 /\ 0 <= sum (fun i => Rabs (t a b i)) /\ 0 <= extents (gA a) (gB a b) k.
Proof.
  intros a b k Ha Hb. repeat split; try (apply scale_range; auto).
  - pose proof (abs_part (t a b) X). lra.
  - destruct (extents_pos a b Ha Hb) as [P Q]. unfold extents, sum.
    destruct k; repeat apply Rplus_le_le_0_compat; auto.
Qed.

(** Values of a stage that are near the true ones. *)
Record near (ct cC cc cg u : R) (a b : box) (t' : vec) (s' : R) (C' c' : axis -> axis -> R) (gA' gB' : vec)
  (e_t e_g : R) : Prop := {
  near_t : forall (c : vec) K, 0 <= K -> dot c c <= K * K ->
    Rabs (dot (fun i => t' i - t a b i) c) <= (ct * u * sum (fun i => Rabs (t a b i)) + e_t) * K;
  near_s : Rabs (s' - s a b) <= cC * u * s a b;
  near_C : forall i j, Rabs (C' i j - C a b i j) <= cC * u * s a b;
  near_c : forall i j, Rabs (c' i j - Rabs (C a b i j)) <= cc * u * s a b;
  near_gA : forall i, Rabs (gA' i - gA a i) <= cg * u * gA a i + e_g;
  near_gB : forall i, Rabs (gB' i - gB a b i) <= cg * u * gB a b i + e_g
}.

Lemma some_of : forall c m x, 0 <= c <= m -> 0 <= x -> 0 <= c * x <= m * x.
Proof. intros c m x Hc Hx. split; [apply Rmult_le_pos | apply Rmult_le_compat_r]; lra. Qed.

Section Axes.
  Variables (ct cC cc cg co KT KG : R).
  Hypothesis Hct : 0 <= ct <= 50.
  Hypothesis HcC : 0 <= cC <= cc.
  Hypothesis Hcc : cc <= 50.
  Hypothesis Hcg : 0 <= cg <= 50.
  Hypothesis Hco : 0 <= co <= 20.
  Hypothesis HKT : 0 <= KT <= 100.
  Hypothesis HKG : 0 <= KG <= 100.

  Variables (u : R) (a b : box) (t' : vec) (s' : R) (C' c' : axis -> axis -> R) (gA' gB' : vec).
  Variables e_t e_g e_w e_v : R.
  Hypothesis u_small : 0 <= u <= 1 / 2 ^ 23.
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Hypothesis He_t : 0 <= e_t.
  Hypothesis He_g : 0 <= e_g.
  Hypothesis He_w : 0 <= e_w.
  Hypothesis He_v : 0 <= e_v.

  Let s0 := s a b.
  Let T := sum (fun i => Rabs (t a b i)).
  Let T' := sum (fun i => Rabs (t' i)).

  Hypothesis Hnear : near ct cC cc cg u a b t' s' C' c' gA' gB' e_t e_g.
  Let Ht : forall (c : vec) K, 0 <= K -> dot c c <= K * K ->
    Rabs (dot (fun i => t' i - t a b i) c) <= (ct * u * T + e_t) * K := near_t _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hnear.
  Let Hs : Rabs (s' - s0) <= cC * u * s0 := near_s _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hnear.
  Let HC : forall i j, Rabs (C' i j - C a b i j) <= cC * u * s0 := near_C _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hnear.
  Let Hc : forall i j, Rabs (c' i j - Rabs (C a b i j)) <= cc * u * s0 := near_c _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hnear.
  Let HgA := near_gA _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hnear.
  Let HgB := near_gB _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hnear.

  Variables (k : direction) (w : R).
  (** The distance behind its absolute value. *)
  Hypothesis Hw : Rabs (w - distance t' s' C' k) <= co * u * (s' * T') + e_w.

  Let G := extents (gA a) (gB a b) k.
  Let G' := extents gA' gB' k.
  Let radii' := radii s' c' gA' gB' k.

  Lemma ranges : 0.9958 <= s0 <= 1.0043 /\ 0 <= T /\ 0 <= G.
  Proof. exact (scale_ranges a b k Ha Hb). Qed.

  Lemma products : 0 <= s0 * T /\ 0 <= s0 * G /\ 0 <= u * T /\ 0 <= u * G /\ 0 <= u * (s0 * T) <= 0.00000012 * (s0 * T)
    /\ 0 <= u * (s0 * G) <= 0.00000012 * (s0 * G).
  Proof.
    destruct ranges as [S [HT HG]].
    assert (0 <= s0 * T) by (apply Rmult_le_pos; lra). assert (0 <= s0 * G) by (apply Rmult_le_pos; lra).
    repeat split; try (apply Rmult_le_pos; lra); auto; apply Rmult_le_compat_r; lra.
  Qed.

  Lemma T_near : Rabs (T' - T) <= 3 * (ct * u * T + e_t).
  Proof. apply (T_change a b t' (ct * u) e_t). exact Ht. Qed.

  Lemma small_errors : 0 <= ct * u <= 0.000007 /\ 0 <= cC * u <= 0.000007 /\ cC * u <= cc * u <= 0.000007 /\
    0 <= cg * u <= 0.000007 /\ 0 <= co * u <= 0.000003.
  Proof.
    pose proof (some_of ct 50 u Hct ltac:(lra)). pose proof (some_of cC 50 u ltac:(lra) ltac:(lra)).
    pose proof (some_of cc 50 u ltac:(lra) ltac:(lra)). pose proof (some_of cg 50 u Hcg ltac:(lra)).
    pose proof (some_of co 20 u Hco ltac:(lra)).
    assert (cC * u <= cc * u) by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  Lemma sT_near : 0 <= T' /\ s' * T' <= 1.0001 * (s0 * T) + 4 * e_t.
  Proof.
    destruct ranges as [S [HT _]]. destruct products as [P [_ [_ [_ [Q _]]]]]. destruct small_errors as [Et [EC _]].
    pose proof T_near as N. pose proof (Rle_abs (T' - T)). pose proof (Rle_abs (s' - s0)).
    assert (TP : 0 <= T') by (unfold T', sum; repeat apply Rplus_le_le_0_compat; apply Rabs_pos). split; auto.
    pose proof (some_of _ _ s0 EC ltac:(lra)). pose proof (some_of _ _ T Et HT).
    apply Rle_trans with (1.00001 * s0 * T'); [apply Rmult_le_compat_r; lra |].
    apply Rle_trans with (1.00001 * s0 * (1.00003 * T + 3 * e_t)); [apply Rmult_le_compat_l; lra |].
    assert (s0 * e_t <= 1.0043 * e_t) by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  (** The own errors of the distance. *)
  Lemma own_near : co * u * (s' * T') <= 1.0001 * (co * (u * (s0 * T))) + 0.0001 * e_t.
  Proof.
    destruct sT_near as [TP N]. destruct small_errors as [_ [_ [_ [_ Eo]]]].
    pose proof (Rmult_le_compat_l (co * u) _ _ ltac:(lra) N). pose proof (some_of _ _ e_t Eo He_t). lra.
  Qed.

  (** The error of F before its last sums. *)
  Lemma F_near : Rabs ((w - radii') - F a b k) <=
    u * (s0 * ((cC + ct + co + 0.02) * T + (cc + cg + 0.01) * G)) + (1.01 * e_w + 1.01 * e_t + 4.1 * e_g).
  Proof.
    destruct ranges as [S [HT HG]]. destruct products as [P1 [P2 [P3 [P4 [P5 P6]]]]].
    destruct small_errors as [Et [EC [Ec [Eg Eo]]]]. pose proof own_near as N.
    assert (D : Rabs (distance t' s' C' k - radii' - F a b k)
      <= 1.0001 * (s0 * ((cC * u + ct * u) * T + (cc * u + cg * u) * G + e_t + 4 * e_g))).
    { apply F_change; auto; lra. }
    replace (w - radii' - F a b k) with ((w - distance t' s' C' k) + (distance t' s' C' k - radii' - F a b k)) by (clear; lra).
    eapply Rle_trans; [apply Rabs_triang |].
    pose proof (some_of cC 50 (u * (s0 * T)) ltac:(lra) ltac:(lra)). pose proof (some_of ct 50 (u * (s0 * T)) Hct
      ltac:(lra)).
    pose proof (some_of co 20 (u * (s0 * T)) Hco ltac:(lra)). pose proof (some_of cc 50 (u * (s0 * G)) ltac:(lra)
      ltac:(lra)).
    pose proof (some_of cg 50 (u * (s0 * G)) Hcg ltac:(lra)).
    assert (s0 * e_t <= 1.0043 * e_t) by (apply Rmult_le_compat_r; lra).
    assert (s0 * e_g <= 1.0043 * e_g) by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  (** The sum of the magnitudes of the terms of F. *)
  Lemma magnitude_near : w + radii' <= 1.001 * (s0 * (T + G)) + (1.01 * e_w + 1.01 * e_t + 4.1 * e_g).
  Proof.
    destruct ranges as [S [HT HG]]. destruct products as [P1 [P2 [P3 [P4 [P5 P6]]]]].
    destruct small_errors as [Et [EC [Ec [Eg Eo]]]]. pose proof own_near as N.
    assert (D : Rabs (distance t' s' C' k - distance (t a b) s0 (C a b) k)
      <= 1.0001 * (s0 * ((cC * u + ct * u) * T + e_t))) by (apply distance_change; auto; lra).
    assert (Q : Rabs (radii' - radii s0 (absolute (C a b)) (gA a) (gB a b) k)
      <= 1.0001 * (s0 * ((cc * u + cg * u) * G + 4 * e_g))) by (apply (radii_change a b s' c' gA' gB' (cC * u)); auto;
        lra).
    pose proof (Rle_abs (w - distance t' s' C' k)).
    pose proof (Rle_abs (distance t' s' C' k - distance (t a b) s0 (C a b) k)).
    pose proof (Rle_abs (radii' - radii s0 (absolute (C a b)) (gA a) (gB a b) k)).
    pose proof (distance_below a b Ha Hb k) as DB. pose proof (radii_below a b Ha Hb k) as E.
    fold s0 T in DB. fold s0 G in E.
    pose proof (some_of cC 50 (u * (s0 * T)) ltac:(lra) ltac:(lra)). pose proof (some_of ct 50 (u * (s0 * T)) Hct
      ltac:(lra)).
    pose proof (some_of co 20 (u * (s0 * T)) Hco ltac:(lra)). pose proof (some_of cc 50 (u * (s0 * G)) ltac:(lra)
      ltac:(lra)).
    pose proof (some_of cg 50 (u * (s0 * G)) Hcg ltac:(lra)).
    assert (s0 * e_t <= 1.0043 * e_t) by (apply Rmult_le_compat_r; lra).
    assert (s0 * e_g <= 1.0043 * e_g) by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  Lemma extents_near : 0.9999 * G - 6 * e_g <= G'.
  Proof.
    clear Hw w. destruct small_errors as [_ [_ [_ [Eg _]]]].
    assert (L : forall x y : R, 0 <= y -> Rabs (x - y) <= cg * u * y + e_g -> 0.9999 * y - e_g <= x).
    { intros x y Hy H. pose proof (Rle_abs (- (x - y))) as Q. rewrite Rabs_Ropp in Q.
      pose proof (some_of _ _ y Eg Hy). lra. }
    destruct (extents_pos a b Ha Hb) as [GA GB].
    assert (LA : forall i, 0.9999 * gA a i - e_g <= gA' i) by (intro i; apply L; auto).
    assert (LB : forall i, 0.9999 * gB a b i - e_g <= gB' i) by (intro i; apply L; auto).
    unfold G, G', extents, sum.
    pose proof (LA X). pose proof (LA Y). pose proof (LA Z). pose proof (LB X). pose proof (LB Y). pose proof (LB Z).
    destruct k; [pose proof (LA i) | pose proof (LB j) |]; lra.
  Qed.

  Lemma distance_sum_near : 0.9999 * T - 1.7321 * e_t <= T'.
  Proof.
    clear Hw w. destruct ranges as [_ [HT _]]. destruct small_errors as [Et _].
    (* T is the product of t and the signs of its components, a vector whose length is sqrt(3). *)
    set (c := fun i => if Rle_dec 0 (t a b i) then 1 else -1).
    assert (S : forall i, c i * t a b i = Rabs (t a b i) /\ c i * t' i <= Rabs (t' i) /\ c i * c i = 1).
    { intro i. unfold c. pose proof (Rle_abs (t' i)). pose proof (Rle_abs (- t' i)) as Q. rewrite Rabs_Ropp in Q.
      destruct (Rle_dec 0 (t a b i)) as [L | L].
      - rewrite (Rabs_pos_eq _ L). lra.
      - rewrite (Rabs_left (t a b i)) by lra. lra. }
    assert (L : dot c c <= 1.7321 * 1.7321).
    { unfold dot, sum. destruct (S X) as [_ [_ EX]]. destruct (S Y) as [_ [_ EY]]. destruct (S Z) as [_ [_ EZ]]. lra. }
    pose proof (Ht c 1.7321 ltac:(lra) L) as N.
    pose proof (Rle_abs (- dot (fun i => t' i - t a b i) c)) as N'. rewrite Rabs_Ropp in N'.
    destruct (S X) as [X1 [X2 _]]. destruct (S Y) as [Y1 [Y2 _]]. destruct (S Z) as [Z1 [Z2 _]].
    assert (DE : dot (fun i => t' i - t a b i) c = (c X * t' X - c X * t a b X) + (c Y * t' Y - c Y * t a b Y)
      + (c Z * t' Z - c Z * t a b Z)) by (unfold dot, sum; clear; lra).
    assert (TE : T = Rabs (t a b X) + Rabs (t a b Y) + Rabs (t a b Z)) by reflexivity.
    assert (TE' : T' = Rabs (t' X) + Rabs (t' Y) + Rabs (t' Z)) by reflexivity.
    rewrite X1, Y1, Z1 in DE. pose proof (some_of _ _ T Et HT) as B. lra.
  Qed.

  Lemma bound_near : forall A, 0.9999 * (u * (KT * T + KG * G)) + A - 0.001 * (e_t + e_g) <= bound KT KG u A T' G'.
  Proof.
    intro A0. pose proof extents_near as EG. pose proof distance_sum_near as ET. clear Hw w.
    pose proof (Rmult_le_compat_l KT _ _ ltac:(lra) ET). pose proof (Rmult_le_compat_l KG _ _ ltac:(lra) EG).
    pose proof (some_of KT 100 e_t HKT He_t). pose proof (some_of KG 100 e_g HKG He_g).
    assert (B : 0.9999 * (KT * T + KG * G) - 300 * e_t - 600 * e_g <= KT * T' + KG * G') by lra.
    apply (Rmult_le_compat_l u) in B; [| lra]. unfold bound.
    assert (u * e_t <= 0.00000012 * e_t) by (apply Rmult_le_compat_r; lra).
    assert (u * e_g <= 0.00000012 * e_g) by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  (** A positive F - E, or a negative F + E, is true. p is the number of roundings in the last sums. *)
  Section Signs.
    Variables A p v : R.
    Hypothesis Hp : 0 <= p <= 60.
    Hypothesis HA : e_v + 1.1 * e_w + 1.1 * e_t + 4.2 * e_g <= 0.999 * A.
    Hypothesis enough_T : 1.0043 * (cC + ct + co + 0.02 + 1.001 * p) <= 0.999 * KT.
    Hypothesis enough_G : 1.0043 * (cc + cg + 0.01 + 1.001 * p) <= 0.999 * KG.

    (** What is left of E when the errors are taken from it. *)
    Lemma enough : forall z, Rabs (v - z) <= p * u * (w + radii' + bound KT KG u A T' G') + e_v ->
      Rabs ((w - radii') - F a b k) + Rabs (v - z) <= bound KT KG u A T' G'.
    Proof.
      intros z Hz. destruct ranges as [S [HT HG]]. destruct products as [P1 [P2 [P3 [P4 [P5 P6]]]]].
      pose proof F_near as N. pose proof (bound_near A) as B. pose proof magnitude_near as M.
      set (E := bound KT KG u A T' G') in *.
      assert (PU : 0 <= p * u <= 0.00001).
      { split; [apply Rmult_le_pos; lra |]. apply Rle_trans with (60 * (1 / 2 ^ 23)); [| lra].
        apply Rmult_le_compat; lra. }
      pose proof (some_of KT 100 (u * T) HKT P3). pose proof (some_of KG 100 (u * G) HKG P4).
      assert (E0 : 0 <= E) by lra.
      assert (p * u * E <= 0.00001 * E) by (apply Rmult_le_compat_r; lra).
      assert (V : p * u * (w + radii') <= p * u * (1.001 * (s0 * (T + G)) + (1.01 * e_w + 1.01 * e_t + 4.1 * e_g)))
        by (apply Rmult_le_compat_l; lra).
      assert (W : p * u * (1.01 * e_w + 1.01 * e_t + 4.1 * e_g) <= 0.00001 * (1.01 * e_w + 1.01 * e_t + 4.1 * e_g))
        by (apply Rmult_le_compat_r; lra).
      assert (ST : (cC + ct + co + 0.02 + 1.001 * p) * (u * (s0 * T)) <= 0.999 * KT * (u * T)).
      { replace (u * (s0 * T)) with (s0 * (u * T)) by (clear; lra). rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [lra |].
        eapply Rle_trans; [| exact enough_T]. rewrite (Rmult_comm 1.0043). apply Rmult_le_compat_l; lra. }
      assert (SG : (cc + cg + 0.01 + 1.001 * p) * (u * (s0 * G)) <= 0.999 * KG * (u * G)).
      { replace (u * (s0 * G)) with (s0 * (u * G)) by (clear; lra). rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [lra |].
        eapply Rle_trans; [| exact enough_G]. rewrite (Rmult_comm 1.0043). apply Rmult_le_compat_l; lra. }
      lra.
    Qed.

    Theorem positive : Rabs (v - (w - radii' - bound KT KG u A T' G')) <= p * u * (w + radii' + bound KT KG u A T' G')
      + e_v ->
      0 < v -> 0 < F a b k.
    Proof.
      intros H V. apply enough in H. pose proof (Rle_abs ((w - radii') - F a b k)).
      pose proof (Rle_abs (v - (w - radii' - bound KT KG u A T' G'))). lra.
    Qed.

    Theorem negative : Rabs (v - (w - radii' + bound KT KG u A T' G')) <= p * u * (w + radii' + bound KT KG u A T' G')
      + e_v ->
      v < 0 -> F a b k < 0.
    Proof.
      intros H V. apply enough in H.
      pose proof (Rle_abs (- ((w - radii') - F a b k))) as P. rewrite Rabs_Ropp in P.
      pose proof (Rle_abs (- (v - (w - radii' + bound KT KG u A T' G')))) as Q. rewrite Rabs_Ropp in Q. lra.
    Qed.
  End Signs.
End Axes.
