(** * What a product loses to rounding (Veltkamp, Dekker): [lost] of [round/real.rs], and [Near] as a whole.

    Each factor is split into halves of at most 27 bits, whose products are numbers; the rest follows from
    them without rounding. The numbers are those of [TwoSum.v], with 53 bits, as [f64], without a largest. *)

Require Import Rbase Rfunctions ZArith Lra Lia.
From Obbligato Require Import Sums TwoSum Numbers NearNumbers.
Open Scope R_scope.

Section Products.
  Variable eta : R.
  Hypothesis eta_is : eta * 2 ^ 1074 = 1.
  Variable round : R -> R.
  Notation num := (Sums.number 53 eta).
  Hypothesis round_is_number : forall x, num (round x).
  Hypothesis round_is_nearest : forall x y, num y -> Rabs (round x - x) <= Rabs (y - x).
  Hypothesis round_odd : forall x, round (- x) = - round x.
  Notation spacing := (spacing eta).
  Notation multiple := (multiple eta).

  Lemma eta_positive : 0 < eta.
  Proof. assert (P : 0 < 2 ^ 1074) by (apply pow_lt; lra). apply (Rmult_lt_reg_r (2 ^ 1074)); auto. rewrite eta_is. lra. Qed.
  Lemma bits : (3 <= 53)%nat.
  Proof. lia. Qed.
  Lemma power_53 : 2 ^ 53 = 9007199254740992.
  Proof. simpl. lra. Qed.

  Notation fits := (fits 53 eta bits eta_positive).
  Notation exact := (round_num 53 eta round round_is_nearest).
  Notation half := (half_off 53 eta bits eta_positive round round_is_nearest).
  Notation upwards := (rounds_up 53 eta round round_is_number round_is_nearest).
  Notation coarse := (coarse 53 eta bits eta_positive).

  Lemma spacing_up : forall k n, spacing (k + n) = 2 ^ n * spacing k.
  Proof. intros. unfold TwoSum.spacing. rewrite pow_add. clear; lra. Qed.
  Lemma spacing_above : forall k, eta <= spacing k.
  Proof.
    intro k. unfold TwoSum.spacing. pose proof eta_positive. assert (1 <= 2 ^ k) by (apply pow_R1_Rle; lra). nra.
  Qed.
  (** ** Halves *)
  Definition splitter : R := 134217729.
  Definition high (x : R) : R := round (round (x * splitter) - round (round (x * splitter) - x)).
  Definition low_half (x : R) : R := round (x - high x).

  Lemma high_odd : forall x, high (- x) = - high x.
  Proof.
    intro x. unfold high. rewrite Ropp_mult_distr_l_reverse, round_odd.
    replace (- round (x * splitter) - - x) with (- (round (x * splitter) - x)) by (clear; lra). rewrite round_odd.
    replace (- round (x * splitter) - - round (round (x * splitter) - x)) with (- (round (x * splitter) - round (round (x * splitter) - x))) by (clear; lra).
    apply round_odd.
  Qed.
  Lemma low_odd : forall x, low_half (- x) = - low_half x.
  Proof. intro x. unfold low_half. rewrite high_odd. replace (- x - - high x) with (- (x - high x)) by (clear; lra). apply round_odd. Qed.

  (** [g] is such that the number has 53 bits, so below the least number for those that have fewer. *)
  Definition mult (g v : R) : Prop := exists j : Z, v = IZR j * g.
  Definition halves (x g : R) : Prop := mult (134217728 * g) (high x) /\ mult g (low_half x) /\ high x + low_half x = x /\
    Rabs (low_half x) <= 67108864 * g.

  Lemma mult_odd : forall g v, mult g v -> mult g (- v).
  Proof. intros g v [j ->]. exists (- j)%Z. rewrite opp_IZR. clear; lra. Qed.
  Lemma mult_sum : forall g v w, mult g v -> mult g w -> mult g (v + w).
  Proof. intros g v w [i ->] [j ->]. exists (i + j)%Z. rewrite plus_IZR. clear; lra. Qed.

  Lemma halves_of_positive : forall x g k, num x -> mult g x -> spacing k = 134217728 * g -> (exists k', g = spacing k') \/ g <= eta ->
    4503599627370496 * g <= x < 9007199254740992 * g -> halves x g.
  Proof.
    intros x g k N Mx S27 Fine [L U]. pose proof (spacing_pos eta eta_positive k) as SP. assert (G : 0 < g) by lra.
    assert (S28 : spacing (S k) = 268435456 * g) by (rewrite spacing_next, S27; clear; lra).
    (* A multiple of g. *)
    assert (X : x = 4503599627370496 * g \/ 4503599627370497 * g <= x <= 9007199254740991 * g).
    { destruct Mx as [j E]. rewrite E in *.
      assert (J : 4503599627370496 <= IZR j < 9007199254740992) by (split; [apply (Rmult_le_reg_r g) | apply (Rmult_lt_reg_r g)]; lra).
      destruct J as [J1 J2]. apply le_IZR in J1. apply lt_IZR in J2. destruct (Z.eq_dec j 4503599627370496) as [-> | Nj]; [left; reflexivity |].
      right. assert (K1 : (4503599627370497 <= j)%Z) by lia. assert (K2 : (j <= 9007199254740991)%Z) by lia. apply IZR_le in K1, K2.
      split; apply Rmult_le_compat_r; lra. }
    unfold halves, high, low_half, high, splitter. set (y := x * 134217729). set (c := round y).
    assert (Q79 : num (604462909807314587353088 * g)).
    { apply (fits k); [exists 4503599627370496%Z; rewrite S27; lra |]. rewrite S27, power_53, Rabs_pos_eq by lra. lra. }
    assert (C0 : 604462909807314587353088 * g <= c) by (rewrite <- (exact _ Q79); apply upwards; unfold y; lra).
    assert (C1 : Rabs (c - y) <= 134217728 * g).
    { pose proof (half (S k) y) as H. rewrite S28, power_53 in H. fold c in H.
      assert (Rabs y <= 9007199254740992 * (268435456 * g)) by (unfold y; rewrite Rabs_pos_eq; lra). specialize (H H0). lra. }
    assert (Cm : multiple k c) by (apply coarse; [apply round_is_number | rewrite S27, power_53, Rabs_pos_eq; lra]).
    assert (D0 : 604462909807314587353088 * g <= c - x).
    { destruct X as [E | [E _]].
      - assert (Q : num y).
        { apply (fits (S k)); [| rewrite S28, power_53; unfold y; rewrite Rabs_pos_eq; lra].
          exists 2251799830462464%Z. rewrite S28. unfold y. rewrite E. lra. }
        unfold c. rewrite (exact _ Q). unfold y. lra.
      - pose proof (Rle_abs (- (c - y))) as A. rewrite Rabs_Ropp in A. unfold y in *. lra. }
    assert (D1 : c - x <= 1208925819614629174706176 * g).
    { pose proof (Rle_abs (c - y)). destruct X as [E | [_ E]]; unfold y in *; lra. }
    set (d := round (c - x)).
    assert (D2 : 604462909807314587353088 * g <= d) by (rewrite <- (exact _ Q79); apply upwards; exact D0).
    assert (Dm : multiple k d) by (apply coarse; [apply round_is_number | rewrite S27, power_53, Rabs_pos_eq; lra]).
    assert (D3 : Rabs (d - (c - x)) <= 67108864 * g).
    { pose proof (half k (c - x)) as H. rewrite S27, power_53 in H. fold d in H.
      assert (Rabs (c - x) <= 9007199254740992 * (134217728 * g)) by (rewrite Rabs_pos_eq; lra). specialize (H H0). lra. }
    assert (Hm : multiple k (c - d)) by (apply multiple_sum; [exact Cm | apply multiple_odd, Dm]).
    pose proof (Rle_abs (d - (c - x))) as A. pose proof (Rle_abs (- (d - (c - x)))) as B. rewrite Rabs_Ropp in B.
    assert (Hn : num (c - d)) by (apply (fits k); [exact Hm | rewrite S27, power_53; apply Rabs_le; lra]).
    rewrite (exact _ Hn).
    assert (Hg : mult (134217728 * g) (c - d)) by (destruct Hm as [j E]; exists j; rewrite E, S27; reflexivity).
    assert (Lm : mult g (x - (c - d))).
    { apply mult_sum; [exact Mx | apply mult_odd]. destruct Hg as [j E]. exists (j * 134217728)%Z. rewrite E, mult_IZR. clear; lra. }
    assert (Ll : Rabs (x - (c - d)) <= 67108864 * g) by (apply Rabs_le; lra).
    assert (Ln : num (x - (c - d))).
    { destruct Fine as [[k' Ek] | Small].
      - apply (fits k'); [| rewrite <- Ek, power_53; lra]. destruct Lm as [j E]. exists j. rewrite <- Ek. exact E.
      - apply (fits 0%nat); [apply multiple_sum; [apply (all_multiples 53 eta), N | apply multiple_odd, (all_multiples 53 eta), Hn] |].
        rewrite power_53. unfold TwoSum.spacing. simpl. lra. }
    rewrite (exact _ Ln). split; [exact Hg | split; [exact Lm | split; [clear; lra | exact Ll]]].
  Qed.

  Lemma halves_other_way : forall x g, halves x g -> halves (- x) g.
  Proof.
    intros x g [H [L [E A]]]. unfold halves. rewrite high_odd, low_odd, Rabs_Ropp.
    split; [apply mult_odd, H | split; [apply mult_odd, L | split; [lra | exact A]]].
  Qed.

  (** Numbers of few bits are not split. *)
  Lemma halves_of_short : forall x, num x -> Rabs x <= 33554432 * eta -> high x = x /\ low_half x = 0.
  Proof.
    intros x N L. pose proof (all_multiples 53 eta x N) as M. pose proof eta_positive as E.
    assert (Whole : forall z, (0 <= z <= 134217729)%Z -> num (x * IZR z)).
    { intros z Z0. apply (fits 0%nat).
      - destruct M as [j ->]. exists (j * z)%Z. rewrite mult_IZR. clear; lra.
      - rewrite power_53. unfold TwoSum.spacing. simpl. destruct Z0 as [Z1 Z2]. apply IZR_le in Z1, Z2. rewrite Rabs_mult, (Rabs_pos_eq (IZR z)) by auto.
        assert (Rabs x * IZR z <= 33554432 * eta * 134217729) by (apply Rmult_le_compat; auto; apply Rabs_pos). lra. }
    assert (H : high x = x).
    { unfold high, splitter. rewrite (exact _ (Whole 134217729%Z ltac:(lia))). replace (x * 134217729 - x) with (x * 134217728) by (clear; lra).
      rewrite (exact _ (Whole 134217728%Z ltac:(lia))). replace (x * 134217729 - x * 134217728) with x by (clear; lra). apply exact, N. }
    split; [exact H |]. unfold low_half. rewrite H, Rminus_eq_0. apply exact, number_zero.
  Qed.

  (** The place of the first bit. *)
  Lemma first_bit : forall x, num x -> x <> 0 -> exists i, spacing i <= Rabs x < 2 * spacing i.
  Proof.
    intros x N X. pose proof eta_positive as E.
    assert (Low : spacing 0 <= Rabs x).
    { destruct (number_multiple 53 eta x N) as [j J]. unfold TwoSum.spacing. simpl. rewrite J, Rabs_mult, (Rabs_pos_eq eta) by lra.
      apply Rmult_le_compat_r; [lra |]. rewrite <- abs_IZR. apply IZR_le. assert (j <> 0%Z) by (intros ->; rewrite J in X; lra). lia. }
    destruct (range_of 53 eta E x) as [k [B _]]. rewrite power_53 in B.
    assert (Up : exists m, Rabs x < 2 * spacing m).
    { exists (k + 53)%nat. rewrite spacing_up, power_53. pose proof (spacing_pos eta E k). lra. }
    destruct Up as [m Up]. induction m as [| m IH]; [exists 0%nat; auto |].
    destruct (Rlt_le_dec (Rabs x) (2 * spacing m)) as [Q | Q]; [auto |]. exists (S m). rewrite spacing_next in *. lra.
  Qed.

  Lemma halves_exist : forall x, num x -> x <> 0 -> exists i g, 4503599627370496 * g = spacing i /\
    4503599627370496 * g <= Rabs x < 9007199254740992 * g /\ halves x g.
  Proof.
    intros x N X. destruct (first_bit x N X) as [i [L U]]. exists i, (spacing i / 4503599627370496).
    set (g := spacing i / 4503599627370496). assert (G : 4503599627370496 * g = spacing i) by (unfold g; field).
    pose proof eta_positive as E. pose proof (spacing_pos eta E i) as SP. assert (G0 : 0 < g) by lra.
    assert (P : forall m, (m <= i)%nat -> spacing (i - m) * 2 ^ m = spacing i).
    { intros m Hm. rewrite Rmult_comm, <- spacing_up. f_equal. lia. }
    split; [exact G |]. split; [lra |].
    destruct (le_lt_dec 25 i) as [I | I].
    - assert (S27 : spacing (i - 25) = 134217728 * g).
      { specialize (P 25%nat I). replace (2 ^ 25) with 33554432 in P by (simpl; lra). lra. }
      assert (MF : mult g x /\ ((exists k', g = spacing k') \/ g <= eta)).
      { destruct (le_lt_dec 52 i) as [J | J].
        - assert (Ek : g = spacing (i - 52)).
          { specialize (P 52%nat J). replace (2 ^ 52) with 4503599627370496 in P by (simpl; lra). lra. }
          split; [| left; eauto]. rewrite Ek. apply coarse; [exact N |]. rewrite power_53, <- Ek. lra.
        - assert (T : eta = 2 ^ (52 - i) * g).
          { replace 4503599627370496 with (2 ^ (52 - i) * 2 ^ i) in G by (rewrite <- pow_add; replace (52 - i + i)%nat with 52%nat by lia; simpl; lra).
            unfold TwoSum.spacing in G. assert (0 < 2 ^ i) by (apply pow_lt; lra). apply (Rmult_eq_reg_l (2 ^ i)); lra. }
          split.
          + destruct (number_multiple 53 eta x N) as [j J']. exists (j * 2 ^ Z.of_nat (52 - i))%Z. rewrite mult_IZR, <- power, Rmult_assoc, <- T. exact J'.
          + right. rewrite T. assert (1 <= 2 ^ (52 - i)) by (apply pow_R1_Rle; lra). nra. }
      destruct MF as [M F]. unfold Rabs in L, U. destruct (Rcase_abs x) as [C | C].
      + rewrite <- (Ropp_involutive x). apply halves_other_way. apply (halves_of_positive (- x) g (i - 25)); auto; [apply number_odd, N | apply mult_odd, M | lra].
      + apply (halves_of_positive x g (i - 25)); auto; lra.
    - assert (B : spacing i <= 16777216 * eta).
      { unfold TwoSum.spacing. apply Rmult_le_compat_r; [lra |]. replace 16777216 with (2 ^ 24) by (simpl; lra). apply Rle_pow; [lra | lia]. }
      destruct (halves_of_short x N ltac:(lra)) as [H H']. unfold halves. rewrite H, H'. split; [| split; [| split; [clear; lra |]]].
      + assert (T : eta = 2 ^ (25 - i) * (134217728 * g)).
        { replace 4503599627370496 with (2 ^ (25 - i) * 134217728 * 2 ^ i) in G.
          - unfold TwoSum.spacing in G. assert (0 < 2 ^ i) by (apply pow_lt; lra). apply (Rmult_eq_reg_l (2 ^ i)); lra.
          - replace (2 ^ (25 - i) * 134217728 * 2 ^ i) with (134217728 * (2 ^ (25 - i) * 2 ^ i)) by (clear; lra).
            rewrite <- pow_add. replace (25 - i + i)%nat with 25%nat by lia. simpl. lra. }
        destruct (number_multiple 53 eta x N) as [j J']. exists (j * 2 ^ Z.of_nat (25 - i))%Z. rewrite mult_IZR, <- power, Rmult_assoc, <- T. exact J'.
      + exists 0%Z. clear; lra.
      + rewrite Rabs_R0. lra.
  Qed.

  (** ** The rest of a product *)
  Definition rest_of_product (a b : R) : R :=
    round (round (round (round (round (high a * high b) - round (a * b)) + round (high a * low_half b)) + round (low_half a * high b))
      + round (low_half a * low_half b)).

  (** [spacing n] is the product of those of both factors. *)
  Theorem dekker : forall a b ga gb n, 0 < ga -> 0 < gb -> 4503599627370496 * ga <= Rabs a < 9007199254740992 * ga ->
    4503599627370496 * gb <= Rabs b < 9007199254740992 * gb -> halves a ga -> halves b gb -> ga * gb = spacing n ->
    rest_of_product a b = a * b - round (a * b).
  Proof.
    intros a b ga gb n Ga Gb Ba Bb [HA [LA [EA AA]]] [HB [LB [EB AB]]] E. set (h := spacing n) in *.
    assert (H0 : 0 < h) by (rewrite <- E; apply Rmult_lt_0_compat; auto).
    set (ah := high a) in *. set (al := low_half a) in *. set (bh := high b) in *. set (bl := low_half b) in *.
    assert (SU : forall m, spacing (n + m) = 2 ^ m * h) by (intro; apply spacing_up).
    (* Sizes. *)
    assert (HAl : Rabs ah <= 9007199321849856 * ga).
    { replace ah with (a + - al) by lra. eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_Ropp. lra. }
    assert (HBl : Rabs bh <= 9007199321849856 * gb).
    { replace bh with (b + - bl) by lra. eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_Ropp. lra. }
    assert (Pr : forall z w m k, Rabs z <= m * ga -> Rabs w <= k * gb -> Rabs (z * w) <= m * k * h).
    { intros z w m k Z W. rewrite Rabs_mult, <- E. replace (m * k * (ga * gb)) with ((m * ga) * (k * gb)) by (clear; lra).
      apply Rmult_le_compat; auto; apply Rabs_pos. }
    pose proof (Pr _ _ _ _ HAl HBl) as S1. pose proof (Pr _ _ _ _ HAl AB) as S2. pose proof (Pr _ _ _ _ AA HBl) as S3.
    pose proof (Pr _ _ _ _ AA AB) as S4.
    assert (S5 : Rabs (a * b) <= 9007199254740992 * 9007199254740992 * h) by (apply Pr; lra).
    assert (S6 : 4503599627370496 * 4503599627370496 * h <= Rabs (a * b)).
    { rewrite Rabs_mult, <- E. replace (4503599627370496 * 4503599627370496 * (ga * gb)) with ((4503599627370496 * ga) * (4503599627370496 * gb)) by (clear; lra).
      apply Rmult_le_compat; lra. }
    clear Pr.
    assert (Finer : forall m k v, multiple (n + (m + k)) v -> multiple (n + m) v).
    { intros m k v [q ->]. exists (q * 2 ^ Z.of_nat k)%Z. rewrite Nat.add_assoc, spacing_up, mult_IZR, <- power. clear; lra. }
    assert (V27 : spacing (n + 27) = 134217728 * h) by (rewrite SU; f_equal; simpl; lra).
    assert (V51 : spacing (n + 51) = 2251799813685248 * h) by (rewrite SU; f_equal; simpl; lra).
    assert (V52 : spacing (n + 52) = 4503599627370496 * h) by (rewrite SU; f_equal; simpl; lra).
    assert (V53 : spacing (n + 53) = 9007199254740992 * h) by (rewrite SU; f_equal; simpl; lra).
    assert (V54 : spacing (n + 54) = 18014398509481984 * h) by (rewrite SU; f_equal; simpl; lra).
    assert (M1 : multiple (n + 54) (ah * bh))
      by (destruct HA as [x ->], HB as [y ->]; exists (x * y)%Z; rewrite V54, <- E, mult_IZR; clear; lra).
    assert (M2 : multiple (n + 27) (ah * bl)) by (destruct HA as [x ->], LB as [y ->]; exists (x * y)%Z; rewrite V27, <- E, mult_IZR; clear; lra).
    assert (M3 : multiple (n + 27) (al * bh)) by (destruct LA as [x ->], HB as [y ->]; exists (x * y)%Z; rewrite V27, <- E, mult_IZR; clear; lra).
    assert (M4 : multiple n (al * bl)) by (destruct LA as [x ->], LB as [y ->]; exists (x * y)%Z; fold h; rewrite <- E, mult_IZR; clear; lra).
    set (r := round (a * b)).
    assert (R1 : Rabs (r - a * b) <= 4503599627370496 * h).
    { pose proof (half (n + 53)%nat (a * b)) as H. rewrite V53, power_53 in H. fold r in H. specialize (H ltac:(lra)). lra. }
    assert (R2 : multiple (n + 52) r).
    { apply coarse; [apply round_is_number |]. rewrite V52, power_53.
      pose proof (stays_large 53 eta bits eta_positive round round_is_number round_is_nearest round_odd (n + 51) (a * b)) as Q.
      rewrite V51, power_53 in Q. fold r in Q. specialize (Q ltac:(lra)). lra. }
    assert (X : a * b = ah * bh + ah * bl + al * bh + al * bl) by (rewrite <- EA, <- EB; clear; lra).
    assert (N1 : num (ah * bh)) by (apply (fits (n + 54)); [exact M1 | rewrite V54, power_53; lra]).
    assert (N2 : num (ah * bl)) by (apply (fits (n + 27)); [exact M2 | rewrite V27, power_53; lra]).
    assert (N3 : num (al * bh)) by (apply (fits (n + 27)); [exact M3 | rewrite V27, power_53; lra]).
    assert (N4 : num (al * bl)) by (apply (fits n); [exact M4 | fold h; rewrite power_53; lra]).
    assert (Size : forall v, Rabs v <= 4503599627370496 * h -> - (4503599627370496 * h) <= v <= 4503599627370496 * h)
      by (intros v L; pose proof (Rle_abs v); pose proof (Rle_abs (- v)) as Q; rewrite Rabs_Ropp in Q; lra).
    assert (B2 : - (604462914310914214723584 * h) <= ah * bl <= 604462914310914214723584 * h)
      by (pose proof (Rle_abs (ah * bl)); pose proof (Rle_abs (- (ah * bl))) as Q; rewrite Rabs_Ropp in Q; lra).
    assert (B3 : - (604462914310914214723584 * h) <= al * bh <= 604462914310914214723584 * h)
      by (pose proof (Rle_abs (al * bh)); pose proof (Rle_abs (- (al * bh))) as Q; rewrite Rabs_Ropp in Q; lra).
    assert (B4 := Size (al * bl) ltac:(lra)). assert (BR := Size _ R1). clear Size.
    assert (N5 : num (ah * bh - r)).
    { apply (fits (n + 52)); [apply multiple_sum; [apply (Finer 52%nat 2%nat), M1 | apply multiple_odd, R2] |].
      rewrite V52, power_53. apply Rabs_le. lra. }
    assert (N6 : num (ah * bh - r + ah * bl)).
    { apply (fits (n + 27)).
      - apply multiple_sum; [apply multiple_sum; [apply (Finer 27%nat 27%nat), M1 | apply multiple_odd, (Finer 27%nat 25%nat), R2] | exact M2].
      - rewrite V27, power_53. apply Rabs_le. lra. }
    assert (N7 : num (ah * bh - r + ah * bl + al * bh)).
    { apply (fits (n + 27)).
      - apply multiple_sum; [apply multiple_sum; [apply multiple_sum; [apply (Finer 27%nat 27%nat), M1 | apply multiple_odd, (Finer 27%nat 25%nat), R2] | exact M2] | exact M3].
      - rewrite V27, power_53. apply Rabs_le. lra. }
    assert (F0 : forall m v, multiple (n + m) v -> multiple n v) by (intros m v Q; rewrite <- (Nat.add_0_r n); apply (Finer 0%nat m), Q).
    assert (N8 : num (ah * bh - r + ah * bl + al * bh + al * bl)).
    { apply (fits n).
      - repeat apply multiple_sum; [apply (F0 54%nat), M1 | apply multiple_odd, (F0 52%nat), R2 | apply (F0 27%nat), M2 | apply (F0 27%nat), M3 | exact M4].
      - fold h. rewrite power_53. apply Rabs_le. lra. }
    unfold rest_of_product. fold ah al bh bl r.
    rewrite (exact _ N1), (exact _ N2), (exact _ N3), (exact _ N4), (exact _ N5), (exact _ N6), (exact _ N7), (exact _ N8). lra.
  Qed.

  (** ** [lost] *)
  Definition SMALL : R := spacing 174.
  Definition MIN_POSITIVE : R := spacing 52.
  Definition ROUNDING : R := 2 / 2 ^ 53.
  Definition lost (a b : R) : R :=
    if Req_EM_T a 0 then 0 else if Req_EM_T b 0 then 0
    else if Rlt_dec (Rabs (round (a * b))) SMALL then round (round (Rabs (round (a * b)) * ROUNDING) + MIN_POSITIVE)
    else Rabs (rest_of_product a b).

  Lemma lost_number : forall a b, num (lost a b).
  Proof.
    clear eta_is. intros a b. unfold lost. destruct (Req_EM_T a 0), (Req_EM_T b 0); try apply number_zero.
    destruct (Rlt_dec _ _); [apply round_is_number |]. apply number_size, round_is_number.
  Qed.

  (** What it loses if it is not tiny, and more if it is. *)
  Theorem product_loses : forall a b, num a -> num b -> a <> 0 -> b <> 0 -> SMALL <= Rabs (round (a * b)) ->
    rest_of_product a b = a * b - round (a * b).
  Proof.
    intros a b Na Nb A B S. pose proof eta_positive as Ep.
    destruct (halves_exist a Na A) as [i [ga [Ga [Ba Ha]]]]. destruct (halves_exist b Nb B) as [j [gb [Gb [Bb Hb]]]].
    pose proof (spacing_pos eta Ep i) as Si. pose proof (spacing_pos eta Ep j) as Sj.
    assert (Big : spacing 173 < Rabs (a * b)).
    { apply Rnot_le_lt. intro L. assert (N : num (spacing 173)).
      { apply (fits 173%nat); [exists 1%Z; clear; lra |]. rewrite power_53, Rabs_pos_eq; pose proof (spacing_pos eta Ep 173); lra. }
      assert (Q : Rabs (round (a * b)) <= spacing 173).
      { pose proof (Rle_abs (a * b)). pose proof (Rle_abs (- (a * b))) as R. rewrite Rabs_Ropp in R.
        assert (U : round (a * b) <= spacing 173) by (rewrite <- (exact _ N); apply upwards; lra).
        assert (D : - spacing 173 <= round (a * b)) by (rewrite <- (exact _ N), <- round_odd; apply upwards; lra).
        apply Rabs_le; lra. }
      unfold SMALL in S. rewrite (spacing_next eta 173) in S. pose proof (spacing_pos eta Ep 173). lra. }
    assert (Up : Rabs (a * b) < 4 * (spacing i * spacing j)).
    { rewrite Rabs_mult. replace (4 * (spacing i * spacing j)) with ((2 * spacing i) * (2 * spacing j)) by (clear; lra).
      apply Rmult_le_0_lt_compat; try apply Rabs_pos; lra. }
    assert (IJ : (1178 <= i + j)%nat).
    { apply Nat.nlt_ge. intro L.
      assert (Q : 4 * (spacing i * spacing j) <= spacing 173); [| lra].
      unfold TwoSum.spacing. replace (4 * (2 ^ i * eta * (2 ^ j * eta))) with (2 ^ (i + j) * 4 * eta * eta) by (rewrite pow_add; clear; lra).
      apply Rmult_le_compat_r; [lra |].
      apply Rle_trans with (2 ^ 1178 * 4 * eta).
      - apply Rmult_le_compat_r; [lra |]. apply Rmult_le_compat_r; [lra |]. apply Rle_pow; [lra | lia].
      - replace (2 ^ 1178) with (2 ^ 104 * 2 ^ 1074) by (rewrite <- pow_add; reflexivity).
        replace (2 ^ 104 * 2 ^ 1074 * 4 * eta) with (2 ^ 104 * 4 * (eta * 2 ^ 1074)) by (clear; lra). rewrite eta_is, Rmult_1_r.
        replace (2 ^ 104 * 4) with (2 ^ 106) by (replace 4 with (2 ^ 2) by (simpl; clear; lra); rewrite <- pow_add; reflexivity).
        apply Rle_pow; [lra | lia]. }
    apply (dekker a b ga gb (i + j - 1178)); auto; try lra.
    assert (E : spacing (i + j - 1178) * 2 ^ 1178 = 2 ^ (i + j) * eta).
    { rewrite Rmult_comm, <- spacing_up. unfold TwoSum.spacing. f_equal. f_equal. lia. }
    assert (F : spacing i * spacing j * 2 ^ 1074 = 2 ^ (i + j) * eta).
    { unfold TwoSum.spacing. rewrite pow_add. replace (2 ^ i * eta * (2 ^ j * eta) * 2 ^ 1074) with (2 ^ i * 2 ^ j * eta * (eta * 2 ^ 1074)) by (clear; lra).
      rewrite eta_is. clear; lra. }
    replace (2 ^ 1178) with (4503599627370496 * 4503599627370496 * 2 ^ 1074) in E.
    - rewrite <- Ga, <- Gb, <- E in F. assert (0 < 2 ^ 1074) by (apply pow_lt; lra). apply (Rmult_eq_reg_r (2 ^ 1074)); [| lra].
      apply (Rmult_eq_reg_l (4503599627370496 * 4503599627370496)); lra.
    - replace (2 ^ 1178) with (2 ^ 52 * 2 ^ 52 * 2 ^ 1074) by (rewrite <- !pow_add; reflexivity). f_equal. f_equal; simpl; lra.
  Qed.

  Theorem lost_above : forall a b, num a -> num b -> Rabs (a * b - round (a * b)) <= lost a b.
  Proof.
    intros a b Na Nb. pose proof eta_positive as Ep. pose proof (exact 0 (number_zero 53 eta)) as Z0. unfold lost.
    destruct (Req_EM_T a 0) as [-> | A]; [rewrite Rmult_0_l, Z0, Rminus_eq_0, Rabs_R0; lra |].
    destruct (Req_EM_T b 0) as [-> | B]; [rewrite Rmult_0_r, Z0, Rminus_eq_0, Rabs_R0; lra |].
    destruct (Rlt_dec (Rabs (round (a * b))) SMALL) as [S | S]; [| rewrite product_loses; auto; lra].
    set (v := a * b). set (w := round v) in *. pose proof (Rabs_pos w) as W.
    assert (Err : 9007199254740992 * Rabs (v - w) <= Rabs v + 4503599627370496 * eta).
    { destruct (range_of 53 eta Ep v) as [k [B' C]]. pose proof (half k v B') as H. fold w in H.
      replace (v - w) with (- (w - v)) by (clear; lra). rewrite Rabs_Ropp. rewrite power_53 in C. pose proof (Rabs_pos v).
      destruct C as [-> | C]; [unfold TwoSum.spacing in H; simpl in H; lra | lra]. }
    assert (T : Rabs v <= Rabs w + Rabs (v - w)) by (replace v with (w + (v - w)) at 1 by (clear; lra); apply Rabs_triang).
    assert (Rd : ROUNDING = 2 / 9007199254740992) by (unfold ROUNDING; rewrite power_53; reflexivity).
    assert (X0 : 0 <= Rabs w * ROUNDING) by (rewrite Rd; lra).
    assert (Mp : MIN_POSITIVE = 4503599627370496 * eta) by (unfold MIN_POSITIVE, TwoSum.spacing; f_equal; simpl; lra).
    pose proof (rounded_low 53 eta ltac:(lia) Ep round round_is_nearest _ X0) as L1. pose proof (rounded_pos 53 eta round round_is_number round_is_nearest _ X0) as P1.
    set (y := round (Rabs w * ROUNDING)) in *.
    pose proof (rounded_low 53 eta ltac:(lia) Ep round round_is_nearest (y + MIN_POSITIVE) ltac:(lra)) as L2.
    set (z := round (y + MIN_POSITIVE)) in *. rewrite power_53 in L1, L2. rewrite Rd in L1. rewrite Mp in L2. lra.
  Qed.

  (** ** [Near], with a bound on products that underflow does not lose *)
  Definition kept (e f : R) : R := if Req_EM_T e 0 then if Req_EM_T f 0 then 0 else MIN_POSITIVE else MIN_POSITIVE.
  Definition near_f64 : arithmetic := near_numbers 53 round MIN_POSITIVE lost kept.

  Theorem near_f64_sound : sound near_f64 (near_stands 53 eta).
  Proof.
    pose proof eta_positive as Ep.
    assert (Mp : MIN_POSITIVE = 4503599627370496 * eta) by (unfold MIN_POSITIVE, TwoSum.spacing; f_equal; simpl; lra).
    assert (Nm : num MIN_POSITIVE).
    { apply (fits 52%nat); [exists 1%Z; unfold MIN_POSITIVE; clear; lra |]. fold MIN_POSITIVE. rewrite power_53, Rabs_pos_eq; lra. }
    apply (near_sound 53 eta ltac:(lia) Ep round round_is_number round_is_nearest round_odd MIN_POSITIVE ltac:(lra) lost lost_number lost_above).
    - clear eta_is. intros e f. unfold kept. destruct (Req_EM_T e 0), (Req_EM_T f 0); auto; first [apply number_zero | exact Nm].
    - clear eta_is. intros e f. unfold kept. destruct (Req_EM_T e 0), (Req_EM_T f 0); lra.
    - clear eta_is. intros e f. unfold kept. destruct (Req_EM_T e 0), (Req_EM_T f 0); intro; auto; lra.
  Qed.
End Products.
