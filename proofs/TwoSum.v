(** * Six operations return a sum and its rest (Knuth): [exact_sum] of [src/geometry/rounding.rs].

    The numbers are those of [Sums.v], of at least three bits. Four numbers with the sum of any four
    follow: [exact_sum_of_four]. *)

Require Import Rbase Rfunctions ZArith List Lra Lia.
Import ListNotations.
From Obbligato Require Import Sums.
Open Scope R_scope.

Section TwoSum.
  Variables (p : nat) (eta : R).
  Hypothesis p_range : (3 <= p)%nat.
  Hypothesis eta_positive : 0 < eta.
  Variable round : R -> R.
  Hypothesis round_is_number : forall x, number p eta (round x).
  Hypothesis round_is_nearest : forall x y, number p eta y -> Rabs (round x - x) <= Rabs (y - x).
  Hypothesis round_odd : forall x, round (- x) = - round x.

  Let num := number p eta.
  Let P := 2 ^ p.

  Lemma one_or_more : (1 <= p)%nat.
  Proof. lia. Qed.
  Lemma num_odd : forall x, num x -> num (- x).
  Proof. exact (number_odd p eta). Qed.
  Lemma round_num : forall x, num x -> round x = x.
  Proof. exact (round_number p eta round round_is_nearest). Qed.
  Lemma rest_num : forall x y, num x -> num y -> num (x + y - round (x + y)).
  Proof. exact (rest_is_number p eta one_or_more eta_positive round round_is_number round_is_nearest round_odd). Qed.
  Lemma rounds_up : forall x y, x <= y -> round x <= round y.
  Proof. exact (round_monotone p eta round round_is_number round_is_nearest). Qed.

  (** The spacing of numbers, and its multiples. *)
  Definition spacing (k : nat) : R := 2 ^ k * eta.
  Definition multiple (k : nat) (v : R) : Prop := exists j : Z, v = IZR j * spacing k.

  Lemma spacing_pos : forall k, 0 < spacing k.
  Proof. intro k. apply Rmult_lt_0_compat; [apply pow_lt; lra | auto]. Qed.
  Lemma spacing_next : forall k, spacing (S k) = 2 * spacing k.
  Proof. intro k. unfold spacing. simpl. clear; lra. Qed.
  Lemma P_large : 8 <= P.
  Proof. unfold P. replace 8 with (2 ^ 3) by (simpl; clear; lra). apply Rle_pow; [lra | auto]. Qed.

  Lemma multiple_sum : forall k v w, multiple k v -> multiple k w -> multiple k (v + w).
  Proof. intros k v w [i ->] [j ->]. exists (i + j)%Z. rewrite plus_IZR. clear; lra. Qed.
  Lemma multiple_odd : forall k v, multiple k v -> multiple k (- v).
  Proof. intros k v [j ->]. exists (- j)%Z. rewrite opp_IZR. clear; lra. Qed.
  Lemma multiple_finer : forall k v, multiple (S k) v -> multiple k v.
  Proof. intros k v [j ->]. exists (2 * j)%Z. rewrite mult_IZR, spacing_next. clear; lra. Qed.

  (** A number is a multiple of the spacing where it is, and of any finer one. *)
  Lemma coarse : forall k z, num z -> P * spacing k <= 2 * Rabs z -> multiple k z.
  Proof.
    intros k z [m [e [B ->]]] L. destruct (le_lt_dec k e) as [H | H].
    - exists (m * 2 ^ Z.of_nat (e - k))%Z. rewrite mult_IZR, <- power. unfold spacing.
      replace (2 ^ e) with (2 ^ (e - k) * 2 ^ k) by (rewrite <- pow_add; f_equal; lia). clear; lra.
    - exfalso. rewrite Rmult_assoc, Rabs_mult in L. fold (spacing e) in L.
      pose proof (spacing_pos e) as G. rewrite (Rabs_pos_eq (spacing e)) in L by lra.
      assert (Q : 2 * spacing e <= spacing k).
      { rewrite <- spacing_next. apply Rmult_le_compat_r; [lra |]. apply Rle_pow; [lra | lia]. }
      assert (Rabs (IZR m) * spacing e < P * spacing e) by (apply Rmult_lt_compat_r; auto).
      assert (P * (2 * spacing e) <= P * spacing k) by (apply Rmult_le_compat_l; [pose proof P_large |]; lra). lra.
  Qed.
  Lemma all_multiples : forall z, num z -> multiple 0 z.
  Proof.
    intros z N. destruct (number_multiple p eta z N) as [j ->]. exists j. unfold spacing. simpl. clear; lra.
  Qed.

  (** Small multiples are numbers. *)
  Lemma fits : forall k v, multiple k v -> Rabs v <= P * spacing k -> num v.
  Proof.
    intros k v [j ->] L. pose proof (spacing_pos k) as G. rewrite Rabs_mult, (Rabs_pos_eq (spacing k)) in L by lra.
    apply Rmult_le_reg_r in L; auto. destruct (Rle_lt_or_eq_dec _ _ L) as [Lt | E].
    - exists j, k. split; [exact Lt | unfold spacing; clear; lra].
    - assert (T : num (P * spacing k)).
      { exists (2 ^ Z.of_nat (p - 1))%Z, (S k). rewrite <- power. split.
        - rewrite Rabs_pos_eq by (apply pow_le; lra). apply Rlt_pow; [lra | lia].
        - unfold P, spacing. replace p with (S (p - 1)) at 1 by lia. simpl. clear; lra. }
      unfold Rabs in E. destruct (Rcase_abs (IZR j)).
      + replace (IZR j) with (- P) by lra. rewrite Ropp_mult_distr_l_reverse. apply num_odd, T.
      + rewrite E. exact T.
  Qed.

  Lemma magnitude : forall z, num z -> exists k, Rabs z < P * spacing k /\ multiple k z /\
    (k = 0%nat \/ P * spacing k <= 2 * Rabs z).
  Proof.
    intros z N. assert (H : exists k, Rabs z < P * spacing k /\ (k = 0%nat \/ P * spacing k <= 2 * Rabs z)).
    { destruct N as [m [e [B E]]]. assert (L : Rabs z < P * spacing e).
      { rewrite E, Rmult_assoc, Rabs_mult. fold (spacing e). pose proof (spacing_pos e).
        rewrite (Rabs_pos_eq (spacing e)) by lra. apply Rmult_lt_compat_r; auto. }
      clear B E m. induction e as [| e IH]; [exists 0%nat; auto |].
      destruct (Rlt_le_dec (Rabs z) (P * spacing e)) as [Q | Q]; [auto |].
      exists (S e). split; auto. right. rewrite spacing_next. lra. }
    destruct H as [k [L C]]. exists k. split; auto. split; auto.
    destruct C as [-> | C]; [apply all_multiples | apply coarse]; auto.
  Qed.

  Lemma coarser : forall k y x, num x -> (k = 0%nat \/ P * spacing k <= 2 * Rabs y) -> Rabs y <= Rabs x -> multiple k x.
  Proof. intros k y x N [-> | C] L; [apply all_multiples; auto | apply coarse; auto; lra]. Qed.

  (** What is rounded is off by half of the spacing. *)
  Lemma half_off : forall k v, Rabs v <= P * spacing k -> 2 * Rabs (round v - v) <= spacing k.
  Proof.
    intros k v L. pose proof (spacing_pos k) as G. set (g := spacing k) in *. set (x := v / g).
    assert (V : v = x * g) by (unfold x; field; lra).
    assert (X : Rabs x <= P).
    { apply (Rmult_le_reg_r g); auto. rewrite <- (Rabs_pos_eq g) at 1 by lra. rewrite <- Rabs_mult, <- V. exact L. }
    destruct (archimed (x - 1 / 2)) as [U1 U2]. set (j := up (x - 1 / 2)) in *.
    assert (J : Rabs (IZR j) <= P).
    { assert (Q : - P - 1 < IZR j < P + 1) by (unfold Rabs in X; destruct (Rcase_abs x); lra).
      unfold P in *. rewrite power in *. destruct Q as [Q1 Q2]. rewrite <- opp_IZR, <- minus_IZR in Q1.
      rewrite <- plus_IZR in Q2. apply lt_IZR in Q1, Q2.
      apply Rabs_le. rewrite <- opp_IZR. split; apply IZR_le; lia. }
    assert (N : num (IZR j * g)).
    { apply (fits k); [exists j; reflexivity |]. fold g. rewrite Rabs_mult, (Rabs_pos_eq g) by lra.
      apply Rmult_le_compat_r; [lra | exact J]. }
    pose proof (round_is_nearest v _ N) as H. rewrite V in H at 3.
    replace (IZR j * g - x * g) with ((IZR j - x) * g) in H by (clear; lra).
    rewrite Rabs_mult, (Rabs_pos_eq g) in H by lra.
    assert (Rabs (IZR j - x) * g <= 1 / 2 * g) by (apply Rmult_le_compat_r; [lra | apply Rabs_le; lra]). lra.
  Qed.

  Lemma stays_large : forall k v, P * spacing k <= Rabs v -> P * spacing k <= Rabs (round v).
  Proof.
    intros k v L. pose proof (spacing_pos k) as G. pose proof P_large.
    assert (PG : 0 < P * spacing k) by (apply Rmult_lt_0_compat; lra).
    assert (N : num (P * spacing k)).
    { apply (fits k); [| rewrite Rabs_pos_eq; lra]. exists (2 ^ Z.of_nat p)%Z. rewrite <- power. reflexivity. }
    pose proof (round_num _ N) as R. pose proof (round_odd (P * spacing k)) as O.
    unfold Rabs in L. destruct (Rcase_abs v) as [V | V].
    - assert (Q : v <= - (P * spacing k)) by lra. apply rounds_up in Q. rewrite Rabs_left1; lra.
    - apply rounds_up in L. rewrite Rabs_pos_eq; lra.
  Qed.

  (** What is left of a sum without the larger operand is a number (Dekker). *)
  Lemma without_larger : forall x y, num x -> num y -> Rabs y <= Rabs x -> num (round (x + y) - x).
  Proof.
    intros x y Nx Ny L. destruct (magnitude y Ny) as [k [B [My C]]]. pose proof (coarser k y x Nx C L) as Mx.
    pose proof (spacing_pos k) as G. pose proof (spacing_next k) as GN. pose proof P_large as PL.
    destruct (Rle_lt_dec (Rabs (x + y)) (P * spacing k)) as [Q | Q].
    - rewrite round_num by (apply (fits k); [apply multiple_sum; auto | auto]).
      replace (x + y - x) with y by (clear; lra). exact Ny.
    - pose proof (stays_large k (x + y) ltac:(lra)) as SL. set (s := round (x + y)) in *.
      assert (Ms : multiple (S k) s) by (apply coarse; [apply round_is_number | rewrite GN; lra]).
      destruct (Rle_lt_dec (P * spacing (S k)) (2 * Rabs x)) as [W | W].
      + apply (fits (S k)); [apply multiple_sum; [exact Ms | apply multiple_odd, coarse; auto] |].
        pose proof (round_is_nearest (x + y) x Nx) as H. fold s in H.
        replace (x - (x + y)) with (- y) in H by (clear; lra). rewrite Rabs_Ropp in H.
        replace (s - x) with ((s - (x + y)) + y) by (clear; lra). eapply Rle_trans; [apply Rabs_triang |]. rewrite GN. lra.
      + rewrite GN in W. assert (Z : Rabs (x + y) <= P * spacing (S k)).
        { rewrite GN. eapply Rle_trans; [apply Rabs_triang |]. lra. }
        apply half_off in Z. fold s in Z. rewrite GN in Z.
        apply (fits k); [apply multiple_sum; [apply multiple_finer, Ms | apply multiple_odd, Mx] |].
        assert (Y : Rabs y <= (P - 1) * spacing k).
        { destruct My as [j Ej]. rewrite Ej, Rabs_mult, (Rabs_pos_eq (spacing k)) in B |- * by lra.
          apply Rmult_lt_reg_r in B; auto. apply Rmult_le_compat_r; [lra |]. revert B. unfold P. rewrite power, <- abs_IZR.
          intro B. apply lt_IZR in B. rewrite <- minus_IZR. apply IZR_le. lia. }
        replace (s - x) with ((s - (x + y)) + y) by (clear; lra). eapply Rle_trans; [apply Rabs_triang |]. lra.
  Qed.

  (** The part of the larger operand in the sum is near enough to it. *)
  Lemma part_of_larger : forall x y, num x -> num y -> Rabs x <= Rabs y ->
    num (y - round (round (x + y) - x)).
  Proof.
    intros x y Nx Ny L. destruct (magnitude y Ny) as [k [B [My C]]].
    pose proof (spacing_pos k) as G. pose proof (spacing_next k) as GN. pose proof P_large as PL.
    assert (Z : Rabs (x + y) <= P * spacing (S k)).
    { rewrite GN. eapply Rle_trans; [apply Rabs_triang |]. lra. }
    apply half_off in Z. rewrite GN in Z. set (s := round (x + y)) in *.
    pose proof (round_is_nearest (s - x) y Ny) as H. set (t := round (s - x)) in *.
    replace (y - (s - x)) with (- (s - (x + y))) in H by (clear; lra). rewrite Rabs_Ropp in H.
    assert (D : Rabs (y - t) <= 2 * spacing k).
    { replace (y - t) with (- (s - (x + y)) + - (t - (s - x))) by (clear; lra).
      eapply Rle_trans; [apply Rabs_triang |]. rewrite !Rabs_Ropp. lra. }
    assert (Nt : num t) by apply round_is_number.
    destruct k as [| k].
    - apply (fits 0); [apply multiple_sum; [exact My | apply multiple_odd, all_multiples, Nt] |].
      assert (2 * spacing 0 <= P * spacing 0) by (apply Rmult_le_compat_r; lra). lra.
    - destruct C as [C | C]; [discriminate |]. pose proof (spacing_next k) as G1. pose proof (spacing_pos k) as G0.
      assert (P8 : 8 * spacing k <= P * spacing k) by (apply Rmult_le_compat_r; lra).
      assert (T : P * spacing k <= 2 * Rabs t).
      { assert (Rabs y <= Rabs (y - t) + Rabs t).
        { replace y with ((y - t) + t) at 1 by (clear; lra). apply Rabs_triang. }
        rewrite G1 in *. lra. }
      apply (fits k); [apply multiple_sum; [apply multiple_finer, My | apply multiple_odd, coarse; auto] |]. lra.
  Qed.

  (** The six operations. *)
  Definition sum_of (x y : R) : R := round (x + y).
  Definition rest_of (x y : R) : R :=
    let sum := round (x + y) in
    let y_part := round (sum - x) in
    let x_part := round (sum - y_part) in
    round (round (x - x_part) + round (y - y_part)).

  Theorem two_sum : forall x y, num x -> num y -> rest_of x y = x + y - sum_of x y.
  Proof.
    intros x y Nx Ny. unfold rest_of, sum_of. cbv zeta. pose proof (rest_num x y Nx Ny) as D.
    assert (R0 : round 0 = 0) by (apply round_num, number_zero).
    destruct (Rle_lt_dec (Rabs y) (Rabs x)) as [L | L].
    - pose proof (without_larger x y Nx Ny L) as W. set (s := round (x + y)) in *. rewrite (round_num _ W).
      replace (s - (s - x)) with x by (clear; lra). rewrite (round_num x Nx), Rminus_eq_0, R0, Rplus_0_l.
      replace (y - (s - x)) with (x + y - s) by (clear; lra). rewrite (round_num _ D). apply round_num, D.
    - destruct (Rle_lt_dec (Rabs x) (Rabs (round (x + y)))) as [M | M].
      + pose proof (part_of_larger x y Nx Ny ltac:(lra)) as Q. set (s := round (x + y)) in *.
        assert (Ns : num s) by apply round_is_number.
        pose proof (without_larger s (- x) Ns (num_odd x Nx) ltac:(rewrite Rabs_Ropp; auto)) as W.
        pose proof (rest_num s (- x) Ns (num_odd x Nx)) as E. fold (s - x) in W, E. set (t := round (s - x)) in *.
        apply num_odd in W. replace (- (t - s)) with (s - t) in W by (clear; lra). rewrite (round_num _ W).
        apply num_odd in E. replace (- (s - x - t)) with (x - (s - t)) in E by (clear; lra). rewrite (round_num _ E), (round_num _ Q).
        replace (x - (s - t) + (y - t)) with (x + y - s) by (clear; lra). apply round_num, D.
      + destruct (magnitude x Nx) as [k [B [Mx C]]]. pose proof (coarser k x y Ny C ltac:(lra)) as My.
        assert (N : num (x + y)).
        { apply (fits k); [apply multiple_sum; auto |]. apply Rnot_lt_le. intro F.
          pose proof (stays_large k (x + y) ltac:(lra)). lra. }
        rewrite (round_num _ N). replace (x + y - x) with y by (clear; lra). rewrite (round_num y Ny).
        replace (x + y - y) with x by (clear; lra). rewrite (round_num x Nx), !Rminus_eq_0, R0, Rplus_0_l. exact R0.
  Qed.

  Lemma rest_of_num : forall x y, num (rest_of x y).
  Proof. intros x y. apply round_is_number. Qed.
  Lemma sum_of_num : forall x y, num (sum_of x y).
  Proof. intros x y. apply round_is_number. Qed.

  (** ** Four numbers with the sum of any four, as [exact_sum_of_four] finds them *)

  (** A term is added to the numbers so far, which are from the smallest to the largest. *)
  Fixpoint grown (so_far : list R) (rest : R) : list R :=
    match so_far with
    | [] => [rest]
    | place :: more => rest_of rest place :: grown more (sum_of rest place)
    end.

  (** Down from the largest, without rests of 0; then up. *)
  Fixpoint down (found : list R) (sum : R) (parts : list R) : R * list R :=
    match parts with
    | [] => (sum, found)
    | part :: more =>
        if Req_EM_T (rest_of sum part) 0 then down found (sum_of sum part) more
        else down (sum_of sum part :: found) (rest_of sum part) more
    end.
  Fixpoint up_from (found : list R) (sum : R) (parts : list R) : list R :=
    match parts with
    | [] => sum :: found
    | part :: more =>
        up_from (if Req_EM_T (rest_of part sum) 0 then found else rest_of part sum :: found) (sum_of part sum) more
    end.
  Definition last_step (parts : list R) : list R :=
    match parts with
    | [] => []
    | [x] => [sum_of x 0; rest_of x 0]
    | x :: y :: more => sum_of x y :: rest_of x y :: more
    end.
  Definition sum_of_parts (terms : list R) : list R :=
    match rev (fold_left grown terms []) with
    | [] => []
    | largest :: more => let (sum, parts) := down [] largest more in last_step (up_from [] sum parts)
    end.

  Definition total : list R -> R := fold_right Rplus 0.
  Definition numbers : list R -> Prop := Forall num.

  Lemma total_app : forall l l', total (l ++ l') = total l + total l'.
  Proof. unfold total. induction l; intros; simpl; [clear; lra |]. rewrite IHl. clear; lra. Qed.
  Lemma total_rev : forall l, total (rev l) = total l.
  Proof. induction l; simpl; auto. rewrite total_app, IHl. simpl. clear; lra. Qed.

  Lemma grown_total : forall l x, numbers l -> num x ->
    total (grown l x) = x + total l /\ numbers (grown l x) /\ length (grown l x) = S (length l).
  Proof.
    induction l as [| y l IH]; intros x Nl Nx; simpl.
    - split; [clear; lra | split; [repeat constructor; auto | reflexivity]].
    - inversion_clear Nl as [| ? ? Ny Nl']. destruct (IH (sum_of x y) Nl' (sum_of_num x y)) as [E [N Le]].
      pose proof (two_sum x y Nx Ny) as T. rewrite E, Le. split; [lra | split; auto].
      constructor; [apply rest_of_num | auto].
  Qed.

  Lemma all_grown : forall terms so_far, numbers so_far -> numbers terms ->
    let l := fold_left grown terms so_far in
    total l = total so_far + total terms /\ numbers l /\ length l = (length so_far + length terms)%nat.
  Proof.
    induction terms as [| x terms IH]; intros so_far Ns Nt; simpl.
    - split; [clear; lra | split; [auto | lia]].
    - inversion_clear Nt as [| ? ? Nx Nt']. destruct (grown_total so_far x Ns Nx) as [E [N Le]].
      destruct (IH _ N Nt') as [E' [N' Le']]. rewrite E', Le', E, Le. split; [clear; lra | split; [auto | lia]].
  Qed.

  Lemma down_total : forall parts found sum, numbers parts -> numbers found -> num sum ->
    let (s, l) := down found sum parts in
    s + total l = sum + total parts + total found /\ num s /\ numbers l /\
      (length l <= length found + length parts)%nat.
  Proof.
    induction parts as [| x parts IH]; intros found sum Np Nf Ns; simpl.
    - split; [clear; lra | split; [auto | split; [auto | lia]]].
    - inversion_clear Np as [| ? ? Nx Np']. pose proof (two_sum sum x Ns Nx) as T.
      destruct (Req_EM_T (rest_of sum x) 0) as [Z | Z].
      + pose proof (IH found _ Np' Nf (sum_of_num sum x)) as H. destruct (down found (sum_of sum x) parts) as [s l].
        destruct H as [E [N [Nl Le]]]. split; [lra | split; [auto | split; [auto | lia]]].
      + pose proof (IH (sum_of sum x :: found) _ Np' ltac:(constructor; [apply sum_of_num | auto]) (rest_of_num sum x)) as H.
        destruct (down (sum_of sum x :: found) (rest_of sum x) parts) as [s l].
        destruct H as [E [N [Nl Le]]]. simpl in E, Le. split; [lra | split; [auto | split; [auto | lia]]].
  Qed.

  Lemma up_total : forall parts found sum, numbers parts -> numbers found -> num sum ->
    total (up_from found sum parts) = sum + total parts + total found /\ numbers (up_from found sum parts) /\
      (length (up_from found sum parts) <= S (length found + length parts))%nat.
  Proof.
    induction parts as [| x parts IH]; intros found sum Np Nf Ns; simpl.
    - split; [clear; lra | split; [constructor; auto | lia]].
    - inversion_clear Np as [| ? ? Nx Np']. pose proof (two_sum x sum Nx Ns) as T.
      set (f := if Req_EM_T (rest_of x sum) 0 then found else rest_of x sum :: found).
      assert (F : total f = rest_of x sum + total found /\ numbers f /\ (length f <= S (length found))%nat).
      { unfold f. destruct (Req_EM_T (rest_of x sum) 0) as [Z | Z]; simpl.
        - rewrite Z. split; [clear; lra | split; [auto | lia]].
        - split; [clear; lra | split; [constructor; [apply rest_of_num | auto] | lia]]. }
      destruct F as [F1 [F2 F3]]. destruct (IH f _ Np' F2 (sum_of_num x sum)) as [E [N Le]].
      rewrite E, F1. split; [lra | split; [auto | lia]].
  Qed.

  (** No more numbers than terms, or two, and exactly their sum. *)
  Theorem parts_have_the_sum : forall terms, numbers terms ->
    total (sum_of_parts terms) = total terms /\ numbers (sum_of_parts terms) /\
      (length (sum_of_parts terms) <= Nat.max 2 (length terms))%nat.
  Proof.
    intros terms Nt. destruct (all_grown terms [] (Forall_nil _) Nt) as [E [N Le]]. unfold sum_of_parts.
    assert (M : (2 <= Nat.max 2 (length terms) /\ length terms <= Nat.max 2 (length terms))%nat) by lia.
    set (most := Nat.max 2 (length terms)) in *. clearbody most.
    set (l := fold_left grown terms []) in *. simpl in E, Le. rewrite <- (total_rev l) in E. rewrite <- (rev_length l) in Le.
    apply Forall_rev in N. destruct (rev l) as [| largest more]; simpl in *.
    - split; [lra | split; [constructor | lia]].
    - inversion_clear N as [| ? ? N1 N2]. pose proof (down_total more [] largest N2 (Forall_nil _) N1) as D.
      destruct (down [] largest more) as [s parts]. destruct D as [D1 [D2 [D3 D4]]]. simpl in D1, D4.
      destruct (up_total parts [] s D3 (Forall_nil _) D2) as [U1 [U2 U3]]. simpl in U1, U3.
      set (up := up_from [] s parts) in *. assert (T : total up = total terms) by lra.
      destruct up as [| x [| y more']]; simpl in T, U3 |- *.
      + split; [lra | split; [constructor | lia]].
      + inversion_clear U2 as [| ? ? Nx _]. pose proof (two_sum x 0 Nx (number_zero p eta)) as T2.
        split; [lra |]. split; [| lia]. repeat constructor; apply sum_of_num || apply rest_of_num.
      + inversion_clear U2 as [| ? ? Nx Ny']. inversion_clear Ny' as [| ? ? Ny Nm]. pose proof (two_sum x y Nx Ny) as T2.
        split; [lra |]. split; [| lia]. constructor; [apply sum_of_num |]. constructor; [apply rest_of_num | auto].
  Qed.
End TwoSum.
