(** * The answers of the f64 shader of boxes are true: [obb_sat_f64.wgsl].

    Its boxes are in f32, any of whose numbers a GPU may flush when it reads them: a0 and b0 are the boxes
    as read. Only the two halves of d are behind fences; all else may be rewritten from the quaternions on,
    so that the distance along a face of B has 4608 monomials of degree 7. Errors are in units of 2^-38
    here, 2^14 times the unit of rounding, and E = 2^-35 Z + A has 8 of them for each length. *)

Require Import Rbase Rfunctions R_sqrt Bool ZArith Lra Lia.
From Obbligato Require Import Boxes Formulas Separation Rounding Flushing Lengths Constants Propagation Parallel Axes
  Shader Counts Rule Overlapping Cpu64.
Open Scope R_scope.

Definition u52 : R := 1 / 2 ^ 52.
Definition unit38 : R := 1 / 2 ^ 38.
Definition K64 : R := 8.

Lemma error_per_size : ERROR_PER_SIZE = K64 * unit38.
Proof. unfold ERROR_PER_SIZE, K64, unit38. lra. Qed.

(** The monomials of the distance along a face of B: not as 4608 successors of 0, which take seconds. *)
Definition distance_terms : nat := Z.to_nat 4608.
Lemma distance_roundings : INR (distance_terms + 7 - 2) = 4613.
Proof. rewrite INR_IZR_INZ. apply (f_equal IZR). unfold distance_terms. lia. Qed.
Lemma last_roundings : INR (Z.to_nat 450 + 7 - 2) = 455.
Proof. rewrite INR_IZR_INZ. apply (f_equal IZR). lia. Qed.
Opaque distance_terms.

(** A box as read. *)
Definition as_read (b b0 : box) : Prop :=
  (forall i, 0 <= half b0 i /\ Rabs (half b0 i - half b i) <= phi) /\
  forall p, part p -> Rabs (p (rotation b0) - p (rotation b)) <= phi.

Record run_f64 (a b a0 b0 : box) (high low : vec) (t' : vec) (c' : axis -> axis -> R) : Prop := {
  f64_a : as_read a a0;
  f64_b : as_read b b0;
  (** The two halves of d. *)
  f64_d : forall k, Rabs (high k + low k - apart a b k) <= 1 / 2 ^ 44 * Rabs (apart a b k) + 5 * phi;
  f64_halves : forall k, Rabs (high k) + Rabs (low k) <= 1.001 * Rabs (apart a b k) + 6 * phi;
  f64_t : forall i, computed_length u52 phi64 24 3 24.3 (sum (fun k => Rabs (high k) + Rabs (low k)))
    (sum (fun k => W (rotation a0) k i * (Rabs (high k) + Rabs (low k))))
    (sum (fun k => M (rotation a0) k i * (high k + low k))) (t' i);
  f64_c : forall i j, exists v, computed u52 phi64 64 4 (norm2 (relative_magnitude (rotation a0) (rotation b0)))
    (M (r a0 b0) i j) v /\ c' i j = Rabs v
}.

Section Shader64.
  Variables (kappa : R) (a b a0 b0 : box) (high low t' : vec) (c' : axis -> axis -> R).
  Hypothesis Hkappa : Rabs (kappa - KAPPA) <= 0.01.
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Hypothesis Hrun : run_f64 a b a0 b0 high low t' c'.

  Let T := sum (fun i => Rabs (t a b i)).
  Let T' := sum (fun i => Rabs (t' i)).
  Let d' : vec := fun k => high k + low k.
  Let D : R := sum (fun k => Rabs (high k) + Rabs (low k)).
  Let s0 := norm2 (r a0 b0).
  Let n0 := norm2 (rotation a0).
  Definition gA0 : vec := fun i => norm2 (rotation a0) * half a0 i.
  Definition gB0 : vec := fun i => norm2 (rotation a0) * half b0 i.
  Let G' := sum gA0 + sum gB0.

  Lemma constants64 : 0 < u52 /\ 0 < phi <= 1 / 2 ^ 126 /\ A = 256 * phi /\ unit38 = 16384 * u52 /\ 0 < unit38 <= 1 / 2 ^ 23 /\
    u52 <= 1 / 2 ^ 52.
  Proof. unfold u52, phi, A, unit38. lra. Qed.
  Lemma phi64_here : 0 <= phi64 <= 1 / 2 ^ 300.
  Proof. exact phi64_least. Qed.

  (** ** The quaternions as read *)
  Definition change (q q0 : quat) : quat := Quat (qx q0 - qx q) (qy q0 - qy q) (qz q0 - qz q) (qw q0 - qw q).
  Lemma plus_change : forall q q0, q0 = plus q (change q q0).
  Proof. intros [x y z w] [x0 y0 z0 w0]. unfold plus, change. simpl. f_equal; clear; lra. Qed.

  Lemma change_short : forall q q0 e, 0 <= e -> (forall p, part p -> Rabs (p q0 - p q) <= e) -> 0.25 <= norm2 q ->
    norm2 (change q q0) <= (4 * e) * (4 * e) * norm2 q.
  Proof.
    intros q q0 e E0 H N.
    assert (B : forall p, part p -> (p q0 - p q) * (p q0 - p q) <= e * e).
    { intros p Hp. rewrite <- square_abs. apply Rmult_le_compat; auto using Rabs_pos. }
    assert (X0 := B qx (or_introl eq_refl)). assert (Y0 := B qy (or_intror (or_introl eq_refl))).
    assert (Z0 := B qz (or_intror (or_intror (or_introl eq_refl)))). assert (W0 := B qw (or_intror (or_intror (or_intror eq_refl)))).
    unfold norm2 at 1, change. simpl qw. simpl qx. simpl qy. simpl qz.
    assert (0 <= e * e) by apply Rle_0_sqr. assert (e * e * 0.25 <= e * e * norm2 q) by (apply Rmult_le_compat_l; auto). lra.
  Qed.

  Let tiny : R := 1 / 2 ^ 100.
  (** M and |q|^2 change by a tiny part of |q|^2. *)
  Lemma quaternion_near : forall q q0 e, 0 <= e <= 1 / 2 ^ 110 -> (forall p, part p -> Rabs (p q0 - p q) <= e) -> 0.25 <= norm2 q ->
    Rabs (norm2 q0 - norm2 q) <= tiny * norm2 q /\ forall i j, Rabs (M q0 i j - M q i j) <= tiny * norm2 q.
  Proof.
    intros q q0 e E0 H N. pose proof (change_short q q0 e (proj1 E0) H N) as S. rewrite (plus_change q q0).
    assert (K : 2 * (4 * e) + 4 * e * (4 * e) <= tiny).
    { assert (e * e <= 1 * e) by (apply Rmult_le_compat_r; lra). unfold tiny. lra. }
    apply (Rmult_le_compat_r (norm2 q)) in K; [| lra].
    split; [eapply Rle_trans; [apply norm2_change; [| exact S]; lra | exact K] |].
    intros i j. eapply Rle_trans; [apply M_change; [| exact S]; lra | exact K].
  Qed.

  Lemma parts_of_valid : forall b, valid b -> forall p, part p -> Rabs (p (rotation b)) <= 1.0011.
  Proof.
    intros b1 [_ N] p Hp. destruct (rotation b1) as [x y z w]. unfold norm2 in N. simpl in N.
    destruct Hp as [-> | [-> | [-> | ->]]]; simpl; apply abs_by_square; nra.
  Qed.

  Lemma turn_a : Rabs (n0 - n a) <= tiny * n a /\ forall i j, Rabs (M (rotation a0) i j - M (rotation a) i j) <= tiny * n a.
  Proof.
    destruct (f64_a _ _ _ _ _ _ _ _ Hrun) as [_ H]. pose proof constants64 as K. destruct Ha as [_ N].
    apply (quaternion_near (rotation a) (rotation a0) phi); auto; lra.
  Qed.

  Lemma product_near : forall x y x0 y0, Rabs x <= 1.0011 -> Rabs y <= 1.0011 -> Rabs (x0 - x) <= phi -> Rabs (y0 - y) <= phi ->
    Rabs (x0 * y0 - x * y) <= 3 * phi.
  Proof.
    intros x y x0 y0 Hx Hy Ex Ey. pose proof constants64 as [_ [F _]].
    replace (x0 * y0 - x * y) with ((x0 - x) * y + (x * (y0 - y) + (x0 - x) * (y0 - y))) by (clear; lra).
    eapply Rle_trans; [apply Rabs_triang |]. eapply Rle_trans; [apply Rplus_le_compat_l, Rabs_triang |]. rewrite !Rabs_mult.
    assert (Rabs (x0 - x) * Rabs y <= phi * 1.0011) by (apply Rmult_le_compat; auto using Rabs_pos).
    assert (Rabs x * Rabs (y0 - y) <= 1.0011 * phi) by (apply Rmult_le_compat; auto using Rabs_pos).
    assert (Rabs (x0 - x) * Rabs (y0 - y) <= phi * phi) by (apply Rmult_le_compat; auto using Rabs_pos).
    assert (phi * phi <= phi * 0.1) by (apply Rmult_le_compat_l; lra). lra.
  Qed.

  Lemma r_near : forall p, part p -> Rabs (p (r a0 b0) - p (r a b)) <= 12 * phi.
  Proof.
    destruct (f64_a _ _ _ _ _ _ _ _ Hrun) as [_ EA]. destruct (f64_b _ _ _ _ _ _ _ _ Hrun) as [_ EB].
    pose proof (parts_of_valid a Ha) as PA. pose proof (parts_of_valid b Hb) as PB. unfold r.
    assert (P : forall p p', part p -> part p' -> Rabs (p (rotation a0) * p' (rotation b0) - p (rotation a) * p' (rotation b)) <= 3 * phi)
      by (intros; apply product_near; auto).
    assert (Px : part qx) by (left; reflexivity). assert (Py : part qy) by (right; left; reflexivity).
    assert (Pz : part qz) by (right; right; left; reflexivity). assert (Pw : part qw) by (right; right; right; reflexivity).
    assert (Four : forall x y z w k, Rabs x <= k -> Rabs y <= k -> Rabs z <= k -> Rabs w <= k -> Rabs (x + y + z + w) <= 4 * k).
    { intros. eapply Rle_trans; [apply Rabs_triang |]. eapply Rle_trans; [apply Rplus_le_compat_r, Rabs_triang |].
      eapply Rle_trans; [apply Rplus_le_compat_r, Rplus_le_compat_r, Rabs_triang |]. lra. }
    pose proof (P qx qx Px Px). pose proof (P qx qy Px Py). pose proof (P qx qz Px Pz). pose proof (P qx qw Px Pw).
    pose proof (P qy qx Py Px). pose proof (P qy qy Py Py). pose proof (P qy qz Py Pz). pose proof (P qy qw Py Pw).
    pose proof (P qz qx Pz Px). pose proof (P qz qy Pz Py). pose proof (P qz qz Pz Pz). pose proof (P qz qw Pz Pw).
    pose proof (P qw qx Pw Px). pose proof (P qw qy Pw Py). pose proof (P qw qz Pw Pz). pose proof (P qw qw Pw Pw).
    clear P EA EB PA PB. destruct (rotation a) as [ax ay az aw], (rotation a0) as [ax0 ay0 az0 aw0], (rotation b) as [bx by_ bz bw],
      (rotation b0) as [bx0 by0 bz0 bw0]. simpl in *.
    assert (Sign : forall x k, Rabs x <= k -> Rabs (- x) <= k) by (intros; rewrite Rabs_Ropp; auto).
    intros p [-> | [-> | [-> | ->]]]; simpl.
    - replace (_ - _) with ((aw0 * bx0 - aw * bx) + - (ax0 * bw0 - ax * bw) + - (ay0 * bz0 - ay * bz) + (az0 * by0 - az * by_)) by (clear; lra).
      replace (12 * phi) with (4 * (3 * phi)) by (clear; lra). apply Four; auto.
    - replace (_ - _) with ((aw0 * by0 - aw * by_) + - (ay0 * bw0 - ay * bw) + - (az0 * bx0 - az * bx) + (ax0 * bz0 - ax * bz)) by (clear; lra).
      replace (12 * phi) with (4 * (3 * phi)) by (clear; lra). apply Four; auto.
    - replace (_ - _) with ((aw0 * bz0 - aw * bz) + - (az0 * bw0 - az * bw) + - (ax0 * by0 - ax * by_) + (ay0 * bx0 - ay * bx)) by (clear; lra).
      replace (12 * phi) with (4 * (3 * phi)) by (clear; lra). apply Four; auto.
    - replace (_ - _) with ((aw0 * bw0 - aw * bw) + (ax0 * bx0 - ax * bx) + (ay0 * by0 - ay * by_) + (az0 * bz0 - az * bz)) by (clear; lra).
      replace (12 * phi) with (4 * (3 * phi)) by (clear; lra). apply Four; auto.
  Qed.

  Lemma turn_r : Rabs (s0 - s a b) <= tiny * s a b /\ forall i j, Rabs (M (r a0 b0) i j - C a b i j) <= tiny * s a b.
  Proof.
    pose proof constants64 as K. pose proof (scale_range a b Ha Hb) as S.
    apply (quaternion_near (r a b) (r a0 b0) (12 * phi)); [lra | exact r_near |]. change (norm2 (r a b)) with (s a b). lra.
  Qed.

  Lemma tiny_is : 0 < tiny <= 0.0000001.
  Proof. unfold tiny. lra. Qed.

  Lemma n0_range : 0.99 <= n0 <= 1.003.
  Proof.
    destruct turn_a as [N _]. pose proof tiny_is. destruct Ha as [_ R]. fold (n a) in R. apply Rabs_def2_le in N.
    assert (tiny * n a <= 0.0000001 * n a) by (apply Rmult_le_compat_r; lra). lra.
  Qed.
  Lemma s0_range : 0.99 <= s0 <= 1.005.
  Proof.
    destruct turn_r as [N _]. pose proof tiny_is. pose proof (scale_range a b Ha Hb) as S. apply Rabs_def2_le in N.
    assert (tiny * s a b <= 0.0000001 * s a b) by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  (** The monomials of s and of C, from the quaternions on, add up to at most 4 s. *)
  Lemma magnitudes_of_r : norm2 (relative_magnitude (rotation a0) (rotation b0)) <= 4 * s0.
  Proof.
    change s0 with (s a0 b0). rewrite s_is.
    assert (P : forall p, part p -> p (relative_magnitude (rotation a0) (rotation b0)) * p (relative_magnitude (rotation a0) (rotation b0))
      <= norm2 (rotation a0) * norm2 (rotation b0)).
    { intros p Hp. destruct (rotation a0) as [x y z w], (rotation b0) as [x2 y2 z2 w2]. unfold norm2; simpl.
      rewrite <- (square_abs x), <- (square_abs y), <- (square_abs z), <- (square_abs w),
        <- (square_abs x2), <- (square_abs y2), <- (square_abs z2), <- (square_abs w2).
      destruct Hp as [-> | [-> | [-> | ->]]]; simpl.
      - pose proof (cauchy4 (Rabs w) (Rabs x) (Rabs y) (Rabs z) (Rabs x2) (Rabs w2) (Rabs z2) (Rabs y2)). lra.
      - pose proof (cauchy4 (Rabs w) (Rabs x) (Rabs y) (Rabs z) (Rabs y2) (Rabs z2) (Rabs w2) (Rabs x2)). lra.
      - pose proof (cauchy4 (Rabs w) (Rabs x) (Rabs y) (Rabs z) (Rabs z2) (Rabs y2) (Rabs x2) (Rabs w2)). lra.
      - pose proof (cauchy4 (Rabs w) (Rabs x) (Rabs y) (Rabs z) (Rabs w2) (Rabs x2) (Rabs y2) (Rabs z2)). lra. }
    pose proof (P qx (or_introl eq_refl)). pose proof (P qy (or_intror (or_introl eq_refl))).
    pose proof (P qz (or_intror (or_intror (or_introl eq_refl)))). pose proof (P qw (or_intror (or_intror (or_intror eq_refl)))).
    unfold norm2 at 1. lra.
  Qed.

  (** ** t *)
  Lemma T_pos64 : 0 <= T.
  Proof. unfold T, sum. repeat apply Rplus_le_le_0_compat; apply Rabs_pos. Qed.

  Lemma apart_sum : sum (fun k => Rabs (apart a b k)) <= 1.74 * T.
  Proof.
    pose proof (t_short a b) as S. rewrite dot_t in S by auto. fold T in S. pose proof T_pos64 as TP.
    assert (N : 0.9979 <= n a) by (unfold n; destruct Ha; lra). set (x := sum (fun k => Rabs (apart a b k))).
    assert (XP : 0 <= x) by (unfold x, sum; repeat apply Rplus_le_le_0_compat; apply Rabs_pos).
    assert (X3 : x * x <= 3 * dot (apart a b) (apart a b)).
    { unfold x, dot, sum. rewrite <- (square_abs (apart a b X)), <- (square_abs (apart a b Y)), <- (square_abs (apart a b Z)).
      pose proof (Rle_0_sqr (Rabs (apart a b X) - Rabs (apart a b Y))). pose proof (Rle_0_sqr (Rabs (apart a b X) - Rabs (apart a b Z))).
      pose proof (Rle_0_sqr (Rabs (apart a b Y) - Rabs (apart a b Z))). unfold Rsqr in *. lra. }
    assert (D0 : 0 <= dot (apart a b) (apart a b)) by (unfold dot, sum; repeat apply Rplus_le_le_0_compat; apply Rle_0_sqr).
    assert (NN : 0.9979 * 0.9979 <= n a * n a) by (apply Rmult_le_compat; lra).
    assert (0.9979 * 0.9979 * dot (apart a b) (apart a b) <= n a * n a * dot (apart a b) (apart a b)) by (apply Rmult_le_compat_r; auto).
    assert (Q : Rabs x <= 1.74 * T) by (apply abs_by_square; lra). rewrite (Rabs_pos_eq x XP) in Q. exact Q.
  Qed.

  Lemma D_below : 0 <= D <= 1.75 * T + 18 * phi.
  Proof.
    pose proof apart_sum as S. unfold D, sum in *. pose proof (f64_halves _ _ _ _ _ _ _ _ Hrun X) as HX.
    pose proof (f64_halves _ _ _ _ _ _ _ _ Hrun Y) as HY. pose proof (f64_halves _ _ _ _ _ _ _ _ Hrun Z) as HZ. pose proof T_pos64.
    split; [repeat apply Rplus_le_le_0_compat; apply Rabs_pos | lra].
  Qed.

  Lemma d_parts : sum (fun k => Rabs (d' k)) <= D.
  Proof. unfold d', D, sum. pose proof (Rabs_triang (high X) (low X)). pose proof (Rabs_triang (high Y) (low Y)).
    pose proof (Rabs_triang (high Z) (low Z)). lra. Qed.

  Lemma three : forall f g : axis -> R, (forall k, Rabs (f k) <= g k) -> Rabs (sum f) <= sum g.
  Proof.
    intros f g H. unfold sum. pose proof (H X). pose proof (H Y). pose proof (H Z).
    eapply Rle_trans; [apply Rabs_triang |]. eapply Rle_trans; [apply Rplus_le_compat_r, Rabs_triang |]. lra.
  Qed.

  (** t of d as computed, from the quaternion as read. *)
  Definition t_read : vec := fun i => sum (fun k => M (rotation a0) k i * d' k).

  Lemma t_own : forall i, Rabs (t' i - t_read i) <= 46 * u52 * T + phi.
  Proof.
    intro i. pose proof constants64 as [U [F [_ [_ [_ U2]]]]]. pose proof phi64_here as P64. pose proof D_below as DB. pose proof T_pos64 as TP.
    pose proof n0_range as N.
    pose proof (length_rewriting_error u52 phi64 ltac:(lra) ltac:(lra) 24 3 _ _ _ _ _ ltac:(lia) ltac:(simpl; lra) (proj1 DB)
      (f64_t _ _ _ _ _ _ _ _ Hrun i)) as E. simpl INR in E. fold (t_read i) in E. change (24 + 3 - 2)%nat with 25%nat in E.
    assert (E25 : 0 <= error u52 25 <= 25.001 * u52) by (unfold error, u52; simpl; lra).
    set (S := sum (fun k => W (rotation a0) k i * (Rabs (high k) + Rabs (low k)))) in *.
    assert (SB : 0 <= S <= 1.003 * D).
    { assert (B : forall k, 0 <= W (rotation a0) k i * (Rabs (high k) + Rabs (low k)) <= 1.003 * (Rabs (high k) + Rabs (low k))).
      { intro k. pose proof (W_bounds (rotation a0) k i) as WB. fold n0 in WB. pose proof (Rabs_pos (high k)). pose proof (Rabs_pos (low k)).
        split; [apply Rmult_le_pos; lra | apply Rmult_le_compat_r; lra]. }
      pose proof (B X). pose proof (B Y). pose proof (B Z). unfold S, D, sum. lra. }
    assert (error u52 25 * S <= 25.001 * u52 * (1.003 * D)) by (apply Rmult_le_compat; lra).
    assert (UD : u52 * D <= u52 * (1.75 * T + 18 * phi)) by (apply Rmult_le_compat_l; lra).
    assert (UP : u52 * phi <= 0.00001 * phi) by (apply Rmult_le_compat_r; lra).
    fold D in E. assert (PD : phi64 * D <= 1 / 2 ^ 300 * (1.75 * T + 18 * phi)) by (apply Rmult_le_compat; lra).
    assert (UT : 0 <= u52 * T) by (apply Rmult_le_pos; lra). assert (UT2 : 1 / 2 ^ 200 * T <= 1 / 2 ^ 100 * (u52 * T)) by (unfold u52; lra).
    assert (P2 : 1 / 2 ^ 300 <= 1 / 2 ^ 100 * phi) by (unfold phi; lra).
    eapply Rle_trans; [exact E |]. lra.
  Qed.

  Lemma t_read_near : forall i, Rabs (t_read i - t a b i) <= 1 / 2 ^ 43 * T + 15.2 * phi.
  Proof.
    intro i. destruct turn_a as [_ EM]. pose proof constants64 as [U [F _]]. pose proof T_pos64 as TP. pose proof tiny_is as TI.
    destruct Ha as [_ NA]. fold (n a) in NA. pose proof apart_sum as AS. pose proof D_below as DB. pose proof d_parts as DP.
    replace (t_read i - t a b i) with (sum (fun k => (M (rotation a0) k i - M (rotation a) k i) * d' k) +
      sum (fun k => M (rotation a) k i * (d' k - apart a b k))) by (unfold t_read, t, sum; clear; lra).
    eapply Rle_trans; [apply Rabs_triang |].
    assert (B1 : Rabs (sum (fun k => (M (rotation a0) k i - M (rotation a) k i) * d' k)) <= sum (fun k => tiny * n a * Rabs (d' k))).
    { apply three. intro k. rewrite Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos | apply EM]. }
    assert (B2 : Rabs (sum (fun k => M (rotation a) k i * (d' k - apart a b k))) <=
      sum (fun k => 1.0021 * (1 / 2 ^ 44 * Rabs (apart a b k) + 5 * phi))).
    { apply three. intro k. rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos; [| apply (f64_d _ _ _ _ _ _ _ _ Hrun)].
      eapply Rle_trans; [apply M_below |]. fold (n a). lra. }
    assert (C1 : sum (fun k => tiny * n a * Rabs (d' k)) <= 1 / 2 ^ 99 * (1.75 * T + 18 * phi)).
    { replace (sum (fun k => tiny * n a * Rabs (d' k))) with (tiny * n a * sum (fun k => Rabs (d' k))) by (unfold sum; clear; lra).
      apply Rmult_le_compat; try lra; [apply Rmult_le_pos; lra | unfold sum; repeat apply Rplus_le_le_0_compat; apply Rabs_pos |].
      unfold tiny. lra. }
    assert (C2 : sum (fun k => 1.0021 * (1 / 2 ^ 44 * Rabs (apart a b k) + 5 * phi)) <= 1.0021 * (1 / 2 ^ 44 * (1.74 * T) + 15 * phi))
      by (unfold sum in *; lra). lra.
  Qed.

  Lemma t_components : forall i, Rabs (t' i - t a b i) <= 0.04 * unit38 * T + 16.3 * phi.
  Proof.
    intro i. pose proof (t_own i) as O. pose proof (t_read_near i) as N. pose proof constants64 as [U [F _]]. pose proof T_pos64 as TP.
    replace (t' i - t a b i) with ((t' i - t_read i) + (t_read i - t a b i)) by (clear; lra).
    eapply Rle_trans; [apply Rabs_triang |]. unfold u52, unit38 in *. lra.
  Qed.

  Lemma c_near : forall i j, 0 <= c' i j /\ Rabs (c' i j - Rabs (C a b i j)) <= 0.1 * unit38 * s a b.
  Proof.
    intros i j. destruct (f64_c _ _ _ _ _ _ _ _ Hrun i j) as [v [Hv ->]]. split; [apply Rabs_pos |].
    destruct turn_r as [_ EC]. specialize (EC i j). pose proof constants64 as [U [F [_ [U16 [U38 U2]]]]]. pose proof phi64_here as P64.
    pose proof (rewriting_error u52 phi64 ltac:(lra) ltac:(lra) 64 4 _ _ _ ltac:(lia) ltac:(simpl; lra) Hv) as E.
    simpl INR in E. change (64 + 4 - 2)%nat with 66%nat in E. pose proof magnitudes_of_r as MR. pose proof s0_range as S0.
    pose proof (scale_range a b Ha Hb) as SR.
    assert (E66 : 0 <= error u52 66 <= 66.001 * u52) by (unfold error, u52; simpl; lra).
    assert (N0 : 0 <= norm2 (relative_magnitude (rotation a0) (rotation b0))).
    { unfold norm2. repeat apply Rplus_le_le_0_compat; apply Rle_0_sqr. }
    assert (error u52 66 * norm2 (relative_magnitude (rotation a0) (rotation b0)) <= 66.001 * u52 * (4 * 1.005)) by (apply Rmult_le_compat; lra).
    apply Rle_trans with (Rabs (v - C a b i j)); [apply Rabs_triang_inv2 |].
    replace (v - C a b i j) with ((v - M (r a0 b0) i j) + (M (r a0 b0) i j - C a b i j)) by (clear; lra).
    eapply Rle_trans; [apply Rabs_triang |].
    assert (unit38 * 0.99 <= unit38 * s a b) by (apply Rmult_le_compat_l; lra).
    assert (tiny * s a b <= 1 / 2 ^ 100 * 1.01) by (unfold tiny; lra). unfold u52, unit38 in *. lra.
  Qed.

  Lemma g_near : forall b b0 i, valid b -> as_read b b0 -> Rabs (norm2 (rotation a0) * half b0 i - n a * half b i) <=
    0.01 * unit38 * (n a * half b i) + 1.01 * phi.
  Proof.
    intros b1 b2 i V [HH _]. destruct (HH i) as [H0 HE]. destruct turn_a as [N _]. pose proof n0_range as NR. pose proof constants64 as [U [F [_ [_ [U38 _]]]]].
    pose proof (proj1 V i) as HP. destruct Ha as [_ NA]. fold (n a) in NA. fold n0.
    replace (n0 * half b2 i - n a * half b1 i) with (n0 * (half b2 i - half b1 i) + (n0 - n a) * half b1 i) by (clear; lra).
    eapply Rle_trans; [apply Rabs_triang |]. rewrite !Rabs_mult, (Rabs_pos_eq n0), (Rabs_pos_eq (half b1 i)) by lra.
    assert (n0 * Rabs (half b2 i - half b1 i) <= 1.003 * phi) by (apply Rmult_le_compat; auto using Rabs_pos; lra).
    assert (Rabs (n0 - n a) * half b1 i <= tiny * n a * half b1 i) by (apply Rmult_le_compat_r; auto).
    assert (NH : 0 <= n a * half b1 i) by (apply Rmult_le_pos; lra).
    assert (tiny * (n a * half b1 i) <= 0.01 * unit38 * (n a * half b1 i)) by (apply Rmult_le_compat_r; [auto | unfold tiny, unit38; lra]). lra.
  Qed.

  Let e_t : R := 28.3 * phi.

  Lemma run64_near : near 0.07 0.01 0.1 0.01 unit38 a b t' s0 (M (r a0 b0)) c' gA0 gB0 e_t (1.01 * phi).
  Proof.
    pose proof constants64 as [U [F [_ [_ [U38 _]]]]]. pose proof T_pos64 as TP. destruct turn_r as [ES EC]. pose proof (scale_range a b Ha Hb) as SR.
    assert (TU : tiny <= 0.01 * unit38) by (unfold tiny, unit38; lra).
    assert (TS : tiny * s a b <= 0.01 * unit38 * s a b) by (apply Rmult_le_compat_r; lra).
    assert (UT : 0 <= unit38 * T) by (apply Rmult_le_pos; lra).
    split.
    - intros v K HK Hv. fold T.
      pose proof (dot_short (fun i => t' i - t a b i) v (1.7321 * (0.04 * unit38 * T + 16.3 * phi)) K ltac:(lra) HK
        (components_short _ (0.04 * unit38 * T + 16.3 * phi) ltac:(lra) t_components) Hv) as P.
      eapply Rle_trans; [exact P |]. apply Rmult_le_compat_r; [exact HK |]. unfold e_t. lra.
    - lra.
    - intros i j. specialize (EC i j). lra.
    - intros i j. apply c_near.
    - intro i. exact (g_near a a0 i Ha (f64_a _ _ _ _ _ _ _ _ Hrun)).
    - intro i. exact (g_near b b0 i Hb (f64_b _ _ _ _ _ _ _ _ Hrun)).
  Qed.

  (** ** The axes *)
  Let Wt (i : axis) : R := sum (fun k => W (rotation a0) k i * (Rabs (high k) + Rabs (low k))).
  Let Wr (i j : axis) : R := W (relative_magnitude (rotation a0) (rotation b0)) i j.

  (** The distance, whose absolute value no rewriting crosses. *)
  Definition distance_f64 (k : direction) (w : R) : Prop :=
    match k with
    | FaceA i => w = norm2 (r a0 b0) * Rabs (t' i)
    | FaceB j => exists y, w = Rabs y /\ computed_length u52 phi64 distance_terms 7 4700 (sum (fun k => Rabs (high k) + Rabs (low k)))
        (sum (fun i => Wt i * Wr i j)) (sum (fun i => t_read i * M (r a0 b0) i j)) y
    | Edges i j => exists y, w = Rabs y /\ computed_length u52 phi64 distance_terms 7 4700 (sum (fun k => Rabs (high k) + Rabs (low k)))
        (Wt (after i) * Wr (next i) j + Wt (next i) * Wr (after i) j)
        (t_read (after i) * M (r a0 b0) (next i) j - t_read (next i) * M (r a0 b0) (after i) j) y
    end.
  Definition radii_f64 (k : direction) : R := radii (norm2 (r a0 b0)) c' gA0 gB0 k.
  Definition E_f64 : R := bound K64 K64 unit38 A (sum (fun i => Rabs (t' i))) (sum gA0 + sum gB0).

  (** Last sums: s |t|, s n h and |C| n h have 332 monomials, E 28. The magnitudes of s are at most 4 s. *)
  Definition F_less_E_f64 (k : direction) (w v : R) : Prop :=
    computed_length u52 phi64 400 7 440 (E_f64 / u52) (5 * (w + radii_f64 k + E_f64)) (w - radii_f64 k - E_f64) v.
  Definition F_plus_E_f64 (k : direction) (w v : R) : Prop :=
    computed_length u52 phi64 400 7 440 (E_f64 / u52) (5 * (w + radii_f64 k + E_f64)) (w - radii_f64 k + E_f64) v.
  Definition addend_f64 (i j : axis) : R := added K64 K64 unit38 t' c' gA0 gB0 A kappa i j.
  (** The rule adds KAPPA Z S, 54, and 2 E, 56; for each face, or for the largest, x. *)
  Definition rule_f64 (i j : axis) (k : direction) : Prop :=
    exists w v, distance_f64 k w /\ v < 0 /\
      (computed_length u52 phi64 450 7 500 (E_f64 / u52) (5 * (w + radii_f64 k + addend_f64 i j))
         (w - radii_f64 k + addend_f64 i j) v \/
       exists y x, computed_length u52 phi64 340 7 360 (E_f64 / u52) (5 * (w + radii_f64 k)) (w - radii_f64 k) y /\ y <= x /\
         computed_length u52 phi64 450 7 500 (E_f64 / u52) (5 * (Rabs x + addend_f64 i j)) (x + addend_f64 i j) v).

  Definition separates_f64 : Prop := exists k w v, distance_f64 k w /\ F_less_E_f64 k w v /\ 0 < v.
  Definition negative_f64 (k : direction) : Prop := exists w v, distance_f64 k w /\ F_plus_E_f64 k w v /\ v < 0.
  Definition parallel_f64 (i j : axis) : Prop :=
    (exists v, computed u52 phi64 2 1 (sine i j c') (sine i j c') v /\ v < 0.5) /\ forall k, is_face k -> rule_f64 i j k.
  Definition says_overlapping_f64 : Prop :=
    (forall k, is_face k -> negative_f64 k) /\ forall i j, negative_f64 (Edges i j) \/ parallel_f64 i j.

  Lemma extents_pos64 : (forall i, 0 <= gA0 i) /\ (forall i, 0 <= gB0 i) /\ 0 <= T' /\ 0 <= G' /\
    forall k, 0 <= extents gA0 gB0 k <= G'.
  Proof.
    pose proof n0_range as N. destruct (f64_a _ _ _ _ _ _ _ _ Hrun) as [HA _]. destruct (f64_b _ _ _ _ _ _ _ _ Hrun) as [HB _].
    assert (PA : forall i, 0 <= gA0 i) by (intro i; unfold gA0; fold n0; apply Rmult_le_pos; [lra | apply (HA i)]).
    assert (PB : forall i, 0 <= gB0 i) by (intro i; unfold gB0; fold n0; apply Rmult_le_pos; [lra | apply (HB i)]).
    pose proof (PA X). pose proof (PA Y). pose proof (PA Z). pose proof (PB X). pose proof (PB Y). pose proof (PB Z).
    repeat split; auto.
    - unfold T', sum. repeat apply Rplus_le_le_0_compat; apply Rabs_pos.
    - unfold G', sum. lra.
    - unfold extents, sum. destruct k as [[] | [] |]; lra.
    - unfold G', extents, sum. destruct k as [[] | [] |]; lra.
  Qed.

  Lemma T_below : T <= 1.00011 * T' + 50 * phi.
  Proof.
    pose proof constants64 as [U [F [_ [_ [U38 _]]]]]. pose proof (distance_sum_near 0.07 0.01 0.1 0.01 6 ltac:(lra) ltac:(lra) ltac:(lra)
      ltac:(lra) ltac:(lra) unit38 a b t' s0 (M (r a0 b0)) c' gA0 gB0 e_t (1.01 * phi) ltac:(lra) Ha Hb run64_near (FaceA X)) as P.
    fold T T' in P. unfold e_t in P. destruct extents_pos64 as [_ [_ [TP _]]]. lra.
  Qed.

  Lemma D_computed : 0 <= D <= 1.7502 * T' + 106 * phi.
  Proof. pose proof D_below. pose proof T_below. destruct extents_pos64 as [_ [_ [TP _]]]. pose proof constants64. lra. Qed.

  Lemma distance_off : forall k w, distance_f64 k w -> 0 <= w /\ Rabs (w - distance t' s0 (M (r a0 b0)) k) <= 6 * unit38 * (s0 * T') + 4 * phi.
  Proof.
    intros k w Hw. pose proof constants64 as [U [F [_ [U16 [U38 U2]]]]]. pose proof phi64_here as P64. pose proof s0_range as SR.
    destruct extents_pos64 as [_ [_ [TP _]]]. pose proof D_computed as DC. pose proof n0_range as NR. pose proof T_below as TB. pose proof T_pos64 as T0.
    assert (ST : 0.99 * T' <= s0 * T' <= 1.005 * T') by (split; apply Rmult_le_compat_r; lra).
    assert (WT : forall i, 0 <= Wt i <= 1.003 * D).
    { intro i. assert (B : forall k, 0 <= W (rotation a0) k i * (Rabs (high k) + Rabs (low k)) <= 1.003 * (Rabs (high k) + Rabs (low k))).
      { intro k0. pose proof (W_bounds (rotation a0) k0 i) as WB. fold n0 in WB. pose proof (Rabs_pos (high k0)). pose proof (Rabs_pos (low k0)).
        split; [apply Rmult_le_pos; lra | apply Rmult_le_compat_r; lra]. }
      pose proof (B X). pose proof (B Y). pose proof (B Z). unfold Wt, D, sum. lra. }
    assert (WR : forall i j, 0 <= Wr i j <= 4 * s0).
    { intros i j. pose proof (W_bounds (relative_magnitude (rotation a0) (rotation b0)) i j). pose proof magnitudes_of_r. unfold Wr. lra. }
    assert (WP : forall i x y, 0 <= Wt i * Wr x y <= 1.003 * D * (4 * s0)).
    { intros i x y. split; [apply Rmult_le_pos; [apply WT | apply WR] |]. apply Rmult_le_compat; try apply WT; apply WR. }
    assert (E13 : 0 <= error u52 (distance_terms + 7 - 2) <= 4613.001 * u52)
      by (unfold error; rewrite distance_roundings; unfold u52; simpl pow; lra).
    assert (DS : D * s0 <= 1.7502 * (s0 * T') + 107 * phi).
    { assert (D * s0 <= (1.7502 * T' + 106 * phi) * s0) by (apply Rmult_le_compat_r; lra).
      assert (phi * s0 <= phi * 1.005) by (apply Rmult_le_compat_l; lra). lra. }
    assert (R : forall S x y z, computed_length u52 phi64 distance_terms 7 4700 D S x y -> 0 <= S <= 12.04 * (D * s0) ->
      Rabs (x - z) <= 3 * ((46 * u52 * T + phi) * s0) -> Rabs (Rabs y - Rabs z) <= 6 * unit38 * (s0 * T') + 4 * phi).
    { intros S x y z C SB XZ. apply abs_change.
      pose proof (length_rewriting_error u52 phi64 ltac:(lra) ltac:(lra) distance_terms 7 _ _ _ _ _ ltac:(lia)
        ltac:(rewrite distance_roundings; unfold u52; lra) (proj1 DC) C) as E.
      change (INR 7) with (1 + 1 + 1 + 1 + 1 + 1 + 1) in E.
      assert (error u52 (distance_terms + 7 - 2) * S <= 4613.001 * u52 * (12.04 * (D * s0))) by (apply Rmult_le_compat; lra).
      assert (UD : u52 * (D * s0) <= u52 * (1.7502 * (s0 * T') + 107 * phi)) by (apply Rmult_le_compat_l; lra).
      assert (UP : u52 * phi <= 1 / 2 ^ 52 * phi) by (apply Rmult_le_compat_r; lra).
      assert (PD : phi64 * D <= 1 / 2 ^ 300 * (1.7502 * T' + 106 * phi)) by (apply Rmult_le_compat; lra).
      assert (X2 : (46 * u52 * T + phi) * s0 <= (46 * u52 * (1.00011 * T' + 50 * phi) + phi) * s0).
      { apply Rmult_le_compat_r; [lra |]. apply Rplus_le_compat_r. apply Rmult_le_compat_l; lra. }
      assert (PS : phi * s0 <= phi * 1.005) by (apply Rmult_le_compat_l; lra).
      assert (UPS : u52 * phi * s0 <= 1 / 2 ^ 52 * phi * 1.005) by (apply Rmult_le_compat; try lra; apply Rmult_le_pos; lra).
      replace (y - z) with ((y - x) + (x - z)) by (clear; lra). eapply Rle_trans; [apply Rabs_triang |].
      assert (UST : 0 <= u52 * (s0 * T')) by (apply Rmult_le_pos; lra).
      assert (US9 : u52 * (0.99 * T') <= u52 * (s0 * T')) by (apply Rmult_le_compat_l; lra).
      assert (P3 : 1 / 2 ^ 300 <= 1 / 2 ^ 100 * phi) by (unfold phi; lra).
      assert (P4 : 1 / 2 ^ 300 * T' <= 1 / 2 ^ 200 * (u52 * T')) by (unfold u52; lra).
      rewrite U16. lra. }
    assert (Off : forall i x y, Rabs ((t_read i - t' i) * M (r a0 b0) x y) <= (46 * u52 * T + phi) * s0).
    { intros i x y. rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos; [| apply M_below].
      rewrite Rabs_minus_sym. apply t_own. }
    assert (OP : 0 <= (46 * u52 * T + phi) * s0) by (eapply Rle_trans; [apply Rabs_pos | apply (Off X X X)]).
    destruct k as [i | j | i j]; simpl in Hw |- *.
    - fold s0 in Hw. rewrite Hw. split; [apply Rmult_le_pos; [lra | apply Rabs_pos] |]. rewrite Rminus_eq_0, Rabs_R0.
      assert (0 <= unit38 * (s0 * T')) by (apply Rmult_le_pos; lra). lra.
    - destruct Hw as [y [-> C]]. split; [apply Rabs_pos |]. eapply R; [exact C | |].
      + pose proof (WP X X j). pose proof (WP Y Y j). pose proof (WP Z Z j). unfold sum. lra.
      + pose proof (Off X X j). pose proof (Off Y Y j). pose proof (Off Z Z j).
        replace (_ - _) with (sum (fun i => (t_read i - t' i) * M (r a0 b0) i j)) by (unfold sum; clear; lra).
        eapply Rle_trans; [apply (three _ (fun _ => (46 * u52 * T + phi) * s0)); intro; apply Off |]. unfold sum. lra.
    - destruct Hw as [y [-> C]]. split; [apply Rabs_pos |]. eapply R; [exact C | |].
      + pose proof (WP (after i) (next i) j). pose proof (WP (next i) (after i) j). lra.
      + pose proof (Off (after i) (next i) j). pose proof (Off (next i) (after i) j).
        replace (_ - _) with ((t_read (after i) - t' (after i)) * M (r a0 b0) (next i) j
          + - ((t_read (next i) - t' (next i)) * M (r a0 b0) (after i) j)) by (clear; lra).
        eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_Ropp. lra.
  Qed.

  (** How far what is compared is from F, and how large it is. *)
  Lemma F_off : forall k w, distance_f64 k w ->
    Rabs ((w - radii_f64 k) - F a b k) <= bound 7 7 unit38 (0.3 * A) T' (extents gA0 gB0 k).
  Proof.
    intros k w Hw. pose proof constants64 as [U [F0 [AE [_ [U38 _]]]]]. destruct (distance_off k w Hw) as [_ W0].
    pose proof (enough 0.07 0.01 0.1 0.01 6 7 7 ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)
      unit38 a b t' s0 (M (r a0 b0)) c' gA0 gB0 e_t (1.01 * phi) (4 * phi) 0 ltac:(lra) Ha Hb ltac:(unfold e_t; lra) ltac:(lra) ltac:(lra)
      ltac:(lra) run64_near k w W0 (0.3 * A) 0 0 ltac:(lra) ltac:(unfold e_t; lra) ltac:(lra) ltac:(lra) 0) as E.
    fold T' in E. rewrite (Rminus_eq_0 0), Rabs_R0 in E. change (radii s0 c' gA0 gB0 k) with (radii_f64 k) in E.
    assert (Z0 : 0 <= 0 * unit38 * (w + radii_f64 k + bound 7 7 unit38 (0.3 * A) T' (extents gA0 gB0 k)) + 0) by (rewrite !Rmult_0_l; lra).
    specialize (E Z0). lra.
  Qed.

  Lemma size_f64 : forall k w, distance_f64 k w -> 0 <= w + radii_f64 k <= 1.02 * (T' + G') + 200 * phi.
  Proof.
    intros k w Hw. pose proof constants64 as [U [F0 [AE [_ [U38 _]]]]]. destruct (distance_off k w Hw) as [WP W0].
    destruct extents_pos64 as [GA [GB [TP [GP XP]]]]. specialize (XP k). pose proof s0_range as SR.
    pose proof (magnitude_near 0.07 0.01 0.1 0.01 6 ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)
      unit38 a b t' s0 (M (r a0 b0)) c' gA0 gB0 e_t (1.01 * phi) (4 * phi) ltac:(lra) Ha Hb ltac:(unfold e_t; lra) ltac:(lra) ltac:(lra)
      run64_near k w W0) as Mg.
    pose proof (extents_near 0.07 0.01 0.1 0.01 6 ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)
      unit38 a b t' s0 (M (r a0 b0)) c' gA0 gB0 e_t (1.01 * phi) ltac:(lra) Ha Hb ltac:(lra) run64_near k) as Ex.
    fold T in Mg. change (radii s0 c' gA0 gB0 k) with (radii_f64 k) in Mg. pose proof T_below as TB. pose proof T_pos64 as T0.
    destruct (scale_ranges a b k Ha Hb) as [SC [_ GK]]. set (g := extents (gA a) (gB a b) k) in *.
    split.
    - apply Rplus_le_le_0_compat; [exact WP |]. unfold radii_f64, radii, sum.
      assert (CP : forall i j, 0 <= c' i j) by (intros; apply c_near).
      fold s0. destruct k; repeat apply Rplus_le_le_0_compat; apply Rmult_le_pos; auto; lra.
    - assert (s a b * (T + g) <= 1.0043 * (T + g)) by (apply Rmult_le_compat_r; lra). unfold e_t in Mg. lra.
  Qed.

  Lemma E_pos64 : A <= E_f64 /\ 0 <= E_f64 / u52.
  Proof.
    destruct extents_pos64 as [_ [_ [TP [GP _]]]]. pose proof constants64 as [U [F0 [AE [_ [U38 _]]]]].
    assert (0 <= unit38 * (K64 * T' + K64 * G')) by (apply Rmult_le_pos; unfold K64; lra).
    assert (E0 : A <= E_f64) by (unfold E_f64, bound; fold T' G'; lra). split; [exact E0 |].
    apply Rmult_le_pos; [lra |]. apply Rlt_le, Rinv_0_lt_compat, U.
  Qed.

  (** The roundings of last sums, of at most 460 monomials. *)
  Lemma last_off : forall N Q S x v, (Z.of_nat N <= 450)%Z -> Q <= 500 -> computed_length u52 phi64 N 7 Q (E_f64 / u52) (5 * S) x v -> 0 <= S ->
    Rabs (v - x) <= 0.15 * unit38 * S + 0.000001 * E_f64 + 0.1 * phi.
  Proof.
    intros N Q S x v HN HQ C SP. destruct E_pos64 as [EP LP]. pose proof constants64 as [U [F0 [AE [U16 [U38 U2]]]]]. pose proof phi64_here as P64.
    apply (more_terms u52 phi64 N (Z.to_nat 450) 7 Q 500) in C; [| lia | exact HQ].
    pose proof (length_rewriting_error u52 phi64 ltac:(lra) ltac:(lra) (Z.to_nat 450) 7 _ _ _ _ _ ltac:(lia)
      ltac:(rewrite last_roundings; unfold u52; lra) LP C) as E.
    set (E455 := error u52 (Z.to_nat 450 + 7 - 2)) in *.
    assert (E455_is : 0 <= E455 <= 455.001 * u52) by (unfold E455, error; rewrite last_roundings; unfold u52; simpl pow; lra).
    change (INR 7) with (1 + 1 + 1 + 1 + 1 + 1 + 1) in E.
    assert (E455 * (5 * S) <= 455.001 * u52 * (5 * S)) by (apply Rmult_le_compat_r; lra).
    assert (PE : phi64 * (E_f64 / u52) <= 1 / 2 ^ 300 * (E_f64 / u52)) by (apply Rmult_le_compat_r; lra).
    assert (EU : 1 / 2 ^ 300 * (E_f64 / u52) <= 1 / 2 ^ 200 * E_f64).
    { unfold Rdiv at 2. replace (/ u52) with (2 ^ 52) by (unfold u52; field). lra. }
    assert (UE : 0 <= u52 * S) by (apply Rmult_le_pos; lra). assert (P3 : 1 / 2 ^ 300 <= 1 / 2 ^ 100 * phi) by (unfold phi; lra).
    rewrite U16. lra.
  Qed.

  (** F - E and F + E have the signs of F. *)
  Lemma sign_f64 : forall k w v, distance_f64 k w ->
    (F_less_E_f64 k w v -> 0 < v -> 0 < F a b k) /\ (F_plus_E_f64 k w v -> v < 0 -> F a b k < 0).
  Proof.
    intros k w v Hw. pose proof (F_off k w Hw) as FO. pose proof (size_f64 k w Hw) as SZ. destruct E_pos64 as [EP _].
    destruct extents_pos64 as [_ [_ [TP [GP XP]]]]. specialize (XP k). pose proof constants64 as [U [F0 [AE [_ [U38 _]]]]].
    set (R := w + radii_f64 k) in *. assert (SP : 0 <= R + E_f64) by lra.
    assert (B7 : bound 7 7 unit38 (0.3 * A) T' (extents gA0 gB0 k) <= 7 * (unit38 * (T' + G')) + 0.3 * A).
    { unfold bound. assert (unit38 * (7 * T' + 7 * extents gA0 gB0 k) <= unit38 * (7 * (T' + G'))) by (apply Rmult_le_compat_l; lra). lra. }
    assert (E8 : E_f64 = 8 * (unit38 * (T' + G')) + A) by (unfold E_f64, bound, K64; fold T' G'; clear; lra).
    assert (UZ : 0 <= unit38 * (T' + G')) by (apply Rmult_le_pos; lra).
    assert (UR : unit38 * R <= unit38 * (1.02 * (T' + G') + 200 * phi)) by (apply Rmult_le_compat_l; lra).
    assert (UE : unit38 * E_f64 <= 0.000001 * E_f64) by (apply Rmult_le_compat_r; [lra | unfold unit38; lra]).
    assert (UP : unit38 * phi <= 0.000001 * phi) by (apply Rmult_le_compat_r; [lra | unfold unit38; lra]).
    apply Rabs_def2_le in FO. split; intros C V; apply (last_off 400 440 _ _ _ ltac:(lia) ltac:(lra)) in C; auto; fold R in C; apply Rabs_def2_le in C; lra.
  Qed.

  Theorem shader_f64_separated : separates_f64 -> separated a b.
  Proof.
    intros [k [w [v [Hw [C V]]]]]. pose proof (proj1 (sign_f64 k w v Hw) C V) as P.
    apply positive_F_separates; auto. destruct k; simpl in P; eauto.
  Qed.

  Lemma negative_f64_is_true : forall k, negative_f64 k -> F a b k < 0.
  Proof. intros k [w [v [Hw [C V]]]]. exact (proj2 (sign_f64 k w v Hw) C V). Qed.

  Lemma parallel_f64_is_true : forall i j, parallel_f64 i j -> rule a b i j.
  Proof.
    intros i j [[v0 [C0 V0]] HR]. pose proof constants64 as [U [F0 [AE [_ [U38 U2]]]]]. pose proof phi64_here as P64.
    destruct extents_pos64 as [_ [_ [TP [GP _]]]]. destruct E_pos64 as [EP _]. pose proof (scale_range a b Ha Hb) as SR.
    assert (CP : forall i j, 0 <= c' i j) by (intros; apply c_near).
    assert (SS : 0 <= sine i j c' <= 0.5001).
    { assert (P : 0 <= sine i j c') by (unfold sine; apply Rplus_le_le_0_compat; auto). split; auto.
      pose proof (rewriting_error u52 phi64 ltac:(lra) ltac:(lra) 2 1 _ _ _ ltac:(lia) ltac:(simpl; lra) C0) as E. simpl INR in E.
      change (2 + 1 - 2)%nat with 1%nat in E.
      assert (error u52 1 * sine i j c' <= 0.000001 * sine i j c') by (apply Rmult_le_compat_r; [auto | unfold error, u52; simpl; lra]).
      apply Rabs_def2_le in E. lra. }
    destruct (sine_near 0.07 0.01 0.1 0.01 unit38 a b t' s0 (M (r a0 b0)) c' gA0 gB0 e_t (1.01 * phi) run64_near i j CP) as [_ [_ DS]].
    split.
    - assert (0.1 * unit38 * s a b <= 0.00001 * s a b) by (apply Rmult_le_compat_r; [| unfold unit38]; lra). lra.
    - intros k Hk. destruct (HR k Hk) as [w [v [Hw [V H]]]]. destruct (distance_off k w Hw) as [_ W0]. pose proof (size_f64 k w Hw) as SZ.
      set (R := w + radii_f64 k) in *. set (P := addend_f64 i j) in *.
      assert (KP : 0 <= kappa) by (unfold KAPPA in Hkappa; apply Rabs_def2_le in Hkappa; lra).
      assert (PE : P = kappa * ((T' + G') * sine i j c') + 2 * E_f64) by reflexivity.
      assert (KZ : 0 <= kappa * ((T' + G') * sine i j c')) by (apply Rmult_le_pos; [auto | apply Rmult_le_pos; lra]).
      assert (UP : unit38 * P <= 0.00001 * P) by (apply Rmult_le_compat_r; [| unfold unit38]; lra).
      assert (UR : 0 <= unit38 * R) by (apply Rmult_le_pos; lra).
      apply rule_face with (ct := 0.07) (cC := 0.01) (cc := 0.1) (cg := 0.01) (co := 6) (p := 2) (KT := K64) (KG := K64)
        (u := unit38) (t' := t') (s' := s0) (C' := M (r a0 b0)) (c' := c') (gA' := gA0) (gB' := gB0)
        (e_t := e_t) (e_g := 1.01 * phi) (e_w := 4 * phi) (e_v := phi) (A := A) (kappa := kappa) (w := w);
        auto; try exact run64_near; try (unfold K64, e_t; lra); try lra; try (fold T' G'; lra).
      change (radii s0 c' gA0 gB0 k) with (radii_f64 k). fold R. change (added _ _ _ _ _ _ _ _ _ _ _) with P.
      destruct H as [C | [y [x [Cy [L C]]]]].
      + apply (last_off 450 500 _ _ _ ltac:(lia) ltac:(lra)) in C; [| lra]. apply Rabs_def2_le in C. lra.
      + apply (last_off 340 360 _ _ _ ltac:(lia) ltac:(lra)) in Cy; [| lra]. apply (last_off 450 500 _ _ _ ltac:(lia) ltac:(lra)) in C;
          [| pose proof (Rabs_pos x); lra]. apply Rabs_def2_le in Cy, C.
        assert (XB : unit38 * Rabs x <= 0.00001 * Rabs x) by (apply Rmult_le_compat_r; [apply Rabs_pos | unfold unit38; lra]).
        assert (XA : Rabs x <= - x \/ 0 <= x /\ Rabs x = x).
        { destruct (Rle_lt_dec 0 x) as [X0 | X0]; [right; rewrite Rabs_pos_eq; auto | left; rewrite Rabs_left by auto; lra]. }
        assert (XR : 0 <= x -> False) by (intro X0; rewrite (Rabs_pos_eq x X0) in *; lra).
        destruct XA as [XA | [X0 _]]; [| exfalso; auto].
        assert (XU : Rabs x <= R + 0.00001 * R + 0.000001 * E_f64 + phi).
        { unfold R in *. apply Rle_trans with (- x); [exact XA |]. assert (unit38 * (w + radii_f64 k) <= 0.00001 * (w + radii_f64 k))
            by (apply Rmult_le_compat_r; [| unfold unit38]; lra).
          pose proof (proj1 (distance_off k w Hw)). lra. }
        assert (UX : unit38 * Rabs x <= unit38 * (R + 0.00001 * R + 0.000001 * E_f64 + phi)) by (apply Rmult_le_compat_l; lra).
        assert (UE : unit38 * E_f64 <= 0.00001 * E_f64) by (apply Rmult_le_compat_r; [| unfold unit38]; lra).
        assert (UF : unit38 * phi <= 0.00001 * phi) by (apply Rmult_le_compat_r; [| unfold unit38]; lra). lra.
  Qed.

  Theorem shader_f64_overlapping : says_overlapping_f64 -> overlapping a b.
  Proof.
    intros [HF HE]. apply negative_or_rule_overlaps; auto.
    - intros k Hk. apply negative_f64_is_true; auto.
    - intros i j. destruct (HE i j) as [H | H]; [left; apply negative_f64_is_true; auto | right; apply parallel_f64_is_true; auto].
  Qed.
End Shader64.

(** ** The numbers of monomials: all formulas from the quaternions and the halves of d on *)
Section Counted.
  Variables (qa qb : quat) (ha hb high low : vec) (c : axis -> axis -> R) (t : vec) (w kappa : R).
  Let RX := RelativeX qa qb.
  Let RY := RelativeY qa qb.
  Let RZ := RelativeZ qa qb.
  Let RW := RelativeW qa qb.
  Let Sq (e : expr) : expr := Mul e e.
  Definition MatrixOf (x y z w : expr) (row column : axis) : expr :=
    let two a b c d := Doubled (Add (Mul a b) (Mul c d)) in
    match row, column with
    | X, X => Sub (Sub (Add (Sq w) (Sq x)) (Sq y)) (Sq z)
    | Y, Y => Sub (Add (Sub (Sq w) (Sq x)) (Sq y)) (Sq z)
    | Z, Z => Add (Sub (Sub (Sq w) (Sq x)) (Sq y)) (Sq z)
    | X, Y => two x y (minus w) z
    | X, Z => two x z w y
    | Y, X => two x y w z
    | Y, Z => two y z (minus w) x
    | Z, X => two x z (minus w) y
    | Z, Y => two y z w x
    end.
  Definition S64 : expr := Add (Add (Add (Sq RW) (Sq RX)) (Sq RY)) (Sq RZ).
  Definition C64 (i j : axis) : expr := MatrixOf RX RY RZ RW i j.
  Definition T64 (i : axis) : expr := Three (fun k => Mul (Matrix Doubled qa k i) (Add (Len (high k)) (Len (low k)))).
  Definition DistanceB64 (j : axis) : expr := Three (fun i => Mul (T64 i) (C64 i j)).
  Definition DistanceEdges64 (i j : axis) : expr := Sub (Mul (T64 (after i)) (C64 (next i) j)) (Mul (T64 (next i)) (C64 (after i) j)).
  Let N := Norm2 qa.
  Let GA (i : axis) : expr := Mul N (Len (ha i)).
  Let GB (i : axis) : expr := Mul N (Len (hb i)).
  Let AbsT (i : axis) : expr := Len (Rabs (t i)).
  Definition Size64 : expr := Add (Add (Three AbsT) (Three GA)) (Three GB).
  Definition E64 : expr := Add (Mul (Num ERROR_PER_SIZE) Size64) (Len A).
  Definition FaceOfA64 (i : axis) : expr := Sub (Mul S64 (Sub (AbsT i) (GA i))) (Three (fun j => Mul (Num (c i j)) (GB j))).
  Definition FaceOfB64 (j : axis) : expr := Sub (Sub (Len w) (Mul S64 (GB j))) (Three (fun i => Mul (Num (c i j)) (GA i))).
  Definition OfEdges64 (i j : axis) : expr :=
    Sub (Len w) (Add (Add (Mul (GA (next i)) (Num (c (after i) j))) (Mul (GA (after i)) (Num (c (next i) j))))
      (Add (Mul (GB (next j)) (Num (c i (after j)))) (Mul (GB (after j)) (Num (c i (next j)))))).
  Definition Addend64 (i j : axis) : expr := Add (Mul (Mul (Num kappa) Size64) (Sine c i j)) (Doubled E64).
  Definition FaceOf64 (k : direction) : expr :=
    match k with FaceA i => FaceOfA64 i | FaceB j => FaceOfB64 j | Edges i j => OfEdges64 i j end.
End Counted.

Ltac counted := intros; repeat match goal with q : quat |- _ => destruct q | i : axis |- _ => destruct i end; vm_compute; reflexivity.

Theorem f64_terms : forall qa qb high low i j,
  within (T64 qa high low i) 24 3 && within (S64 qa qb) 64 4 && within (C64 qa qb i j) 64 4 = true.
Proof. counted. Qed.

(** F of a face, F - E and F + E. *)
Theorem sum_terms_f64 : forall qa qb ha hb c t w k,
  match k with Edges _ _ => true | _ => within (FaceOf64 qa qb ha hb c t w k) 340 7 end &&
  within (Sub (FaceOf64 qa qb ha hb c t w k) (E64 qa ha hb t)) 400 7 && within (Add (FaceOf64 qa qb ha hb c t w k) (E64 qa ha hb t)) 400 7 = true.
Proof. intros. destruct k; vm_compute; reflexivity. Qed.

Theorem rule_terms_f64 : forall qa qb ha hb c t w kappa i j k,
  match k with Edges _ _ => true | _ => within (Add (FaceOf64 qa qb ha hb c t w k) (Addend64 qa ha hb c t kappa i j)) 450 7 end &&
  within (Add (Len w) (Addend64 qa ha hb c t kappa i j)) 450 7 = true.
Proof. intros. destruct k; vm_compute; reflexivity. Qed.

Theorem distance_terms_f64 : forall qa qb high low i j,
  within (DistanceB64 qa qb high low j) distance_terms 7 && within (DistanceEdges64 qa qb high low i j) distance_terms 7 = true.
Proof. counted. Qed.
