(** * What the f32 shader computes before it looks at axes, and its errors.

    A run of the shader on a pair gives values, each computed from those before the last fence in
    any way that the model of [Rounding.v] allows. u is the unit of rounding, and phi the smallest
    normal number. *)

Require Import Rbase Rfunctions R_sqrt Lra Lia.
From Obbligato Require Import Boxes Formulas Rounding Flushing Lengths.
Open Scope R_scope.

(** The magnitudes of the monomials of conj(qA) qB. *)
Definition relative_magnitude (a b : quat) : quat :=
  let (ax, ay, az, aw) := a in
  let (bx, by_, bz, bw) := b in
  Quat (Rabs aw * Rabs bx + Rabs bw * Rabs ax + Rabs ay * Rabs bz + Rabs az * Rabs by_)
       (Rabs aw * Rabs by_ + Rabs bw * Rabs ay + Rabs az * Rabs bx + Rabs ax * Rabs bz)
       (Rabs aw * Rabs bz + Rabs bw * Rabs az + Rabs ax * Rabs by_ + Rabs ay * Rabs bx)
       (Rabs aw * Rabs bw + Rabs ax * Rabs bx + Rabs ay * Rabs by_ + Rabs az * Rabs bz).

(** One of the four components of a quaternion. *)
Definition part (p : quat -> R) : Prop := p = qx \/ p = qy \/ p = qz \/ p = qw.

Section Shader.
  Variables u phi : R.
  Hypothesis u_small : 0 <= u <= 1 / 2 ^ 23.
  Hypothesis phi_small : 0 <= phi <= u * u * u * u.

  (** The difference of two numbers, with one operation. *)
  Definition subtracted (x y v : R) : Prop := evaluates u phi (Add (Len x) (Len (- y))) v.

  (** What the shader computes before it looks at axes: d, then t and n, then r, each behind a
      fence; and the absolute values of C, which no rewriting crosses. *)
  Record run (a b : box) (d' t' : vec) (n' : R) (r' : quat) (c' : axis -> axis -> R) : Prop := {
    run_d : forall k, subtracted (center b k) (center a k) (d' k);
    run_t : forall i, computed_length u phi 12 3 12.1 (sum (fun k => Rabs (d' k)))
      (sum (fun k => W (rotation a) k i * Rabs (d' k))) (sum (fun k => M (rotation a) k i * d' k)) (t' i);
    run_n : computed u phi 4 2 (n a) (n a) n';
    run_r : forall p, part p ->
      computed u phi 4 2 (p (relative_magnitude (rotation a) (rotation b))) (p (r a b)) (p r');
    run_c : forall i j, exists v, computed u phi 4 2 (norm2 r') (M r' i j) v /\ c' i j = Rabs v
  }.

  Lemma u_range : 0 <= u < 1.
  Proof. lra. Qed.

  Lemma u_square : 0 <= u * u <= u * (1 / 2 ^ 23).
  Proof. split; [apply Rle_0_sqr | apply Rmult_le_compat_l; lra]. Qed.

  Lemma phi_tiny : 0 <= phi <= u * (1 / 2 ^ 69) /\ phi <= u * u * (1 / 2 ^ 46) /\ phi <= 1 / 2 ^ 92 /\ phi <= 1.
  Proof.
    pose proof u_square as [P Q]. assert (Q2 : u * u <= 1 / 2 ^ 46) by lra.
    assert (P4 : u * u * (u * u) <= u * u * (1 / 2 ^ 46)) by (apply Rmult_le_compat_l; lra).
    assert (P3 : u * (u * u) <= u * (1 / 2 ^ 46)) by (apply Rmult_le_compat_l; lra).
    assert (P5 : u * u * (1 / 2 ^ 46) <= u * (1 / 2 ^ 23) * (1 / 2 ^ 46)) by (apply Rmult_le_compat_r; lra).
    lra.
  Qed.

  (** A bound on a polynomial in u of degree 2. *)
  Ltac small := pose proof u_square; unfold error in *; simpl in *; lra.

  Lemma error_4 : 0 <= error u 4 <= 4.001 * u.
  Proof. small. Qed.
  Lemma error_13 : 0 <= error u 13 <= 13.001 * u.
  Proof. small. Qed.

  Lemma rounded : forall N D S x v p, (N + D - 2 = p)%nat -> (1 <= D <= 4)%nat -> INR p * u <= 0.0005 ->
    computed u phi N D S x v -> Rabs (v - x) <= error u p * S + 804 * phi.
  Proof.
    intros N D S x v p E HD Hp H. subst p. pose proof phi_tiny as [P [_ [_ P1]]].
    eapply Rle_trans; [apply (rewriting_error u phi u_range ltac:(lra) N D); try eassumption; lia |].
    assert (DR : INR D <= INR 4) by (apply le_INR; lia). replace (INR 4) with 4 in DR by (simpl; clear; lra).
    assert (phi * (201 * INR D) <= phi * (201 * 4)) by (apply Rmult_le_compat_l; lra). lra.
  Qed.

  Lemma rounded_length : forall N D Q L S x v p, (N + D - 2 = p)%nat -> (1 <= D)%nat -> INR p * u <= 0.0005 -> 0 <= L ->
    computed_length u phi N D Q L S x v ->
    Rabs (v - x) <= error u p * S + phi * (1.001 * ((INR D + 1) * Q + 2 * (INR D * Q) * L)).
  Proof.
    intros N D Q L S x v p E HD Hp HL H. subst p. pose proof phi_tiny as [P [_ [_ P1]]].
    apply (length_rewriting_error u phi u_range ltac:(lra)); assumption.
  Qed.

  (** The flushes of last sums, whose L is E / u: their relative part is at most 0.0001 u E. *)
  Lemma last_flushes : forall D Q E, 0 < u -> (D <= 4)%nat -> 0 <= Q <= 100 -> 0 <= E ->
    phi * (1.001 * ((INR D + 1) * Q + 2 * (INR D * Q) * (E / u))) <= 1.002 * (INR D + 1) * Q * phi + 0.0001 * u * E.
  Proof.
    intros D Q E U HD HQ HE. pose proof phi_tiny as F.
    assert (DR : INR D <= INR 4) by (apply le_INR; lia). replace (INR 4) with 4 in DR by (simpl; clear; lra).
    pose proof (pos_INR D) as DP. set (k := INR D) in *.
    assert (G : phi * (E / u) <= u * (1 / 2 ^ 46) * E).
    { replace (u * (1 / 2 ^ 46) * E) with (u * u * (1 / 2 ^ 46) * (E / u)) by (field; lra).
      apply Rmult_le_compat_r; [| lra]. apply Rmult_le_pos; [lra |]. apply Rlt_le, Rinv_0_lt_compat. lra. }
    assert (P : 0 <= phi * (E / u)).
    { apply Rmult_le_pos; [lra |]. apply Rmult_le_pos; [lra |]. apply Rlt_le, Rinv_0_lt_compat. lra. }
    assert (KQ : 0 <= k * Q <= 4 * 100) by (split; [apply Rmult_le_pos | apply Rmult_le_compat]; lra).
    assert (GQ : k * Q * (phi * (E / u)) <= 4 * 100 * (phi * (E / u))) by (apply Rmult_le_compat_r; lra).
    assert (0 <= u * E) by (apply Rmult_le_pos; lra). assert (0 <= Q * phi) by (apply Rmult_le_pos; lra).
    assert (0 <= k * Q * phi) by (apply Rmult_le_pos; lra). lra.
  Qed.

  Lemma subtracted_error : forall x y v, subtracted x y v -> Rabs (v - (x - y)) <= u * Rabs (x - y) + 3.01 * phi.
  Proof.
    intros x y v H. pose proof phi_tiny as [P [_ [_ P1]]]. pose proof u_range as U.
    inversion_clear H as [| | e e' v1 v2 z H1 H2 R | |]. inversion_clear H1 as [| x' v' X0 | | |].
    inversion_clear H2 as [| y' v' Y0 | | |].
    apply (read_split phi ltac:(lra)) in X0, Y0. destruct X0 as [f [Hf [-> _]]]. destruct Y0 as [f' [Hf' [-> _]]].
    apply (rounds_split u phi u_range ltac:(lra)) in R. destruct R as [d [e [Hd [He [-> _]]]]].
    replace ((x + f + (- y + f')) * (1 + d) + e - (x - y)) with ((x - y) * d + ((f + f') * (1 + d) + e)) by (clear; lra).
    eapply Rle_trans; [apply Rabs_triang |].
    eapply Rle_trans; [apply Rplus_le_compat_l, Rabs_triang |]. rewrite !Rabs_mult.
    assert (A : Rabs (1 + d) <= 1 + u) by (eapply Rle_trans; [apply Rabs_triang |]; rewrite Rabs_R1; lra).
    assert (B : Rabs (f + f') <= 2 * phi) by (eapply Rle_trans; [apply Rabs_triang |]; lra).
    assert (Rabs (f + f') * Rabs (1 + d) <= 2 * phi * (1 + u)) by (apply Rmult_le_compat; auto; apply Rabs_pos).
    assert (Rabs (x - y) * Rabs d <= Rabs (x - y) * u) by (apply Rmult_le_compat_l; [apply Rabs_pos | auto]).
    assert (phi * u <= phi * 0.001) by (apply Rmult_le_compat_l; lra). lra.
  Qed.

  Variables (a b : box) (d' t' : vec) (n' : R) (r' : quat) (c' : axis -> axis -> R).
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Let s0 := s a b.
  Let T := sum (fun i => Rabs (t a b i)).

  Lemma s_range : 0 < s0 <= 1.0043.
  Proof.
    split; [apply s_pos; auto |]. unfold s0. rewrite s_is.
    destruct Ha as [_ P]. destruct Hb as [_ Q]. nra.
  Qed.

  (** What the stages have in common: n, r and d. *)
  Section Parts.
    Hypothesis Hn : computed u phi 4 2 (n a) (n a) n'.
    Hypothesis Hr : forall p, part p ->
      computed u phi 4 2 (p (relative_magnitude (rotation a) (rotation b))) (p (r a b)) (p r').

    Lemma n_error : Rabs (n' - n a) <= 5 * u * n a.
    Proof.
      pose proof (rounded 4 2 _ _ _ 4 eq_refl ltac:(lia) ltac:(small) Hn).
      pose proof (n_pos a Ha). pose proof error_4. pose proof u_range. pose proof phi_tiny.
      assert (0.99 <= n a) by (unfold n; destruct Ha; lra).
      assert (error u 4 * n a <= 4.001 * u * n a) by (apply Rmult_le_compat_r; lra).
      assert (u * 0.99 <= u * n a) by (apply Rmult_le_compat_l; lra). lra.
    Qed.

    Lemma g_error : forall h, 0 <= h -> Rabs (n' * h - n a * h) <= 5 * u * (n a * h).
    Proof.
      intros h Hh. replace (n' * h - n a * h) with ((n' - n a) * h) by (clear; lra).
      rewrite Rabs_mult, (Rabs_pos_eq h) by auto. rewrite <- Rmult_assoc.
      apply Rmult_le_compat_r; auto. apply n_error.
    Qed.

    (** r is off by at most 8.004 u sqrt(s) in length. *)
    Definition e_r : quat := Quat (qx r' - qx (r a b)) (qy r' - qy (r a b)) (qz r' - qz (r a b)) (qw r' - qw (r a b)).

    Lemma r_plus : r' = plus (r a b) e_r.
    Proof. unfold plus, e_r; simpl. destruct r'; simpl. f_equal; clear; lra. Qed.

    Lemma magnitude_square : forall p, part p ->
      0 <= p (relative_magnitude (rotation a) (rotation b)) /\
      p (relative_magnitude (rotation a) (rotation b)) * p (relative_magnitude (rotation a) (rotation b)) <= s0.
    Proof.
      intros p Hp. unfold s0. rewrite s_is.
      destruct (rotation a) as [x y z w], (rotation b) as [x2 y2 z2 w2].
      unfold norm2; simpl.
      rewrite <- (square_abs x), <- (square_abs y), <- (square_abs z), <- (square_abs w),
        <- (square_abs x2), <- (square_abs y2), <- (square_abs z2), <- (square_abs w2).
      pose proof (Rabs_pos x). pose proof (Rabs_pos y). pose proof (Rabs_pos z). pose proof (Rabs_pos w).
      pose proof (Rabs_pos x2). pose proof (Rabs_pos y2). pose proof (Rabs_pos z2). pose proof (Rabs_pos w2).
      destruct Hp as [-> | [-> | [-> | ->]]]; simpl;
        (split; [repeat apply Rplus_le_le_0_compat; apply Rmult_le_pos; auto |]).
      - pose proof (cauchy4 (Rabs w) (Rabs x) (Rabs y) (Rabs z) (Rabs x2) (Rabs w2) (Rabs z2) (Rabs y2)). lra.
      - pose proof (cauchy4 (Rabs w) (Rabs x) (Rabs y) (Rabs z) (Rabs y2) (Rabs z2) (Rabs w2) (Rabs x2)). lra.
      - pose proof (cauchy4 (Rabs w) (Rabs x) (Rabs y) (Rabs z) (Rabs z2) (Rabs y2) (Rabs x2) (Rabs w2)). lra.
      - pose proof (cauchy4 (Rabs w) (Rabs x) (Rabs y) (Rabs z) (Rabs w2) (Rabs x2) (Rabs y2) (Rabs z2)). lra.
    Qed.

    Lemma part_error : forall p, part p ->
      (p r' - p (r a b)) * (p r' - p (r a b)) <= (4.002 * u) * (4.002 * u) * s0.
    Proof.
      intros p Hp. destruct (magnitude_square p Hp) as [P Q].
      pose proof (rounded 4 2 _ _ _ 4 eq_refl ltac:(lia) ltac:(small) (Hr p Hp)) as E.
      pose proof error_4. pose proof u_range. pose proof phi_tiny as F. pose proof s_range as SR. rewrite <- square_abs.
      assert (S99 : 0.99 <= s0) by (unfold s0; rewrite s_is; destruct Ha as [_ B]; destruct Hb as [_ B']; clear - B B'; nra).
      set (m := p (relative_magnitude (rotation a) (rotation b))) in *.
      assert (M1 : m <= 1.01) by (apply Rnot_lt_le; intro Lt; nra).
      assert (L : Rabs (p r' - p (r a b)) <= 4.001 * u * m + 0.00001 * u).
      { assert (error u 4 * m <= 4.001 * u * m) by (apply Rmult_le_compat_r; lra). lra. }
      apply Rle_trans with ((4.001 * u * m + 0.00001 * u) * (4.001 * u * m + 0.00001 * u)).
      - apply Rmult_le_compat; auto; apply Rabs_pos.
      - replace ((4.001 * u * m + 0.00001 * u) * (4.001 * u * m + 0.00001 * u))
          with (u * u * (4.001 * 4.001 * (m * m) + 2 * 4.001 * 0.00001 * m + 0.00001 * 0.00001)) by lra.
        replace (4.002 * u * (4.002 * u) * s0) with (u * u * (4.002 * 4.002 * s0)) by (clear; lra).
        apply Rmult_le_compat_l; [apply Rle_0_sqr | lra].
    Qed.

    Lemma r_error : norm2 e_r <= (8.004 * u) * (8.004 * u) * norm2 (r a b).
    Proof.
      assert (N : norm2 e_r = (qw r' - qw (r a b)) * (qw r' - qw (r a b))
        + (qx r' - qx (r a b)) * (qx r' - qx (r a b)) + (qy r' - qy (r a b)) * (qy r' - qy (r a b))
        + (qz r' - qz (r a b)) * (qz r' - qz (r a b))) by reflexivity.
      rewrite N. change (norm2 (r a b)) with s0.
      pose proof (part_error qx (or_introl eq_refl)).
      pose proof (part_error qy (or_intror (or_introl eq_refl))).
      pose proof (part_error qz (or_intror (or_intror (or_introl eq_refl)))).
      pose proof (part_error qw (or_intror (or_intror (or_intror eq_refl)))).
      assert (E : 8.004 * u * (8.004 * u) * s0 = 4 * (4.002 * u * (4.002 * u) * s0)) by lra. lra.
    Qed.

    Lemma M_error : forall i j, Rabs (M r' i j - C a b i j) <= 17 * u * s0.
    Proof.
      intros i j. unfold C. rewrite r_plus.
      eapply Rle_trans; [apply (M_change _ _ (8.004 * u)); [small | apply r_error] |].
      change (norm2 (r a b)) with s0. pose proof s_range. apply Rmult_le_compat_r; [lra | small].
    Qed.

    Lemma s_error : Rabs (norm2 r' - s0) <= 17 * u * s0.
    Proof.
      unfold s0, s. rewrite r_plus at 1.
      eapply Rle_trans; [apply (norm2_change _ _ (8.004 * u)); [small | apply r_error] |].
      pose proof s_range as P. unfold s0, s in P. apply Rmult_le_compat_r; [lra | small].
    Qed.

    (** t is off by at most 41 u T in length. *)
    Definition t_of_d (d0 : vec) : vec := fun i => sum (fun k => M (rotation a) k i * d0 k).

    Lemma dot_t : dot (t a b) (t a b) = n a * n a * dot (apart a b) (apart a b).
    Proof.
      unfold n. rewrite (dot_along a (apart a b)) by auto. unfold dot at 1, sum.
      rewrite !t_is by auto. unfold n, sum. clear; lra.
    Qed.

    Lemma t_short : dot (t a b) (t a b) <= T * T.
    Proof.
      unfold dot, T, sum. rewrite <- (square_abs (t a b X)), <- (square_abs (t a b Y)), <- (square_abs (t a b Z)).
      pose proof (Rabs_pos (t a b X)) as P. pose proof (Rabs_pos (t a b Y)) as Q.
      pose proof (Rabs_pos (t a b Z)) as V. pose proof (Rmult_le_pos _ _ P Q).
      pose proof (Rmult_le_pos _ _ P V). pose proof (Rmult_le_pos _ _ Q V). lra.
    Qed.

    Lemma T_pos : 0 <= T.
    Proof. unfold T, sum. repeat apply Rplus_le_le_0_compat; apply Rabs_pos. Qed.

    Lemma transposed : forall q (v : vec),
      dot (fun i => sum (fun k => M q k i * v k)) (fun i => sum (fun k => M q k i * v k))
      = norm2 q * norm2 q * dot v v.
    Proof. intros [x y z w] v. unfold dot, norm2, sum; simpl. clear; lra. Qed.

    Lemma part_d : forall d0 : vec, (forall k, Rabs (d0 k - apart a b k) <= u * Rabs (apart a b k)) ->
      dot (fun i => t_of_d d0 i - t a b i) (fun i => t_of_d d0 i - t a b i) <= (u * T) * (u * T).
    Proof.
      intros d0 Hd.
      pose proof (transposed (rotation a) (fun k => d0 k - apart a b k)) as E.
      replace (dot (fun i => t_of_d d0 i - t a b i) (fun i => t_of_d d0 i - t a b i)) with
        (norm2 (rotation a) * norm2 (rotation a)
         * dot (fun k => d0 k - apart a b k) (fun k => d0 k - apart a b k))
        by (rewrite <- E; unfold t_of_d, t, dot, sum; clear; lra).
      pose proof t_short as S. rewrite dot_t in S.
      assert (D : dot (fun k => d0 k - apart a b k) (fun k => d0 k - apart a b k)
        <= (u * u) * dot (apart a b) (apart a b)).
      { assert (B : forall k, (d0 k - apart a b k) * (d0 k - apart a b k)
          <= u * u * (apart a b k * apart a b k)).
        { intro k. rewrite <- square_abs, <- (square_abs (apart a b k)).
          replace (u * u * (Rabs (apart a b k) * Rabs (apart a b k))) with
            ((u * Rabs (apart a b k)) * (u * Rabs (apart a b k))) by (clear; lra).
          pose proof (Hd k).
          apply Rmult_le_compat; auto; apply Rabs_pos. }
        pose proof (B X). pose proof (B Y). pose proof (B Z). unfold dot, sum. lra. }
      apply Rle_trans with (n a * n a * (u * u * dot (apart a b) (apart a b))).
      - unfold n. apply Rmult_le_compat_l; [apply Rle_0_sqr | exact D].
      - replace (n a * n a * (u * u * dot (apart a b) (apart a b))) with
          (u * u * (n a * n a * dot (apart a b) (apart a b))) by (clear; lra).
        replace (u * T * (u * T)) with (u * u * (T * T)) by (clear; lra).
        apply Rmult_le_compat_l; [apply Rle_0_sqr | exact S].
    Qed.
  End Parts.

  Hypothesis Hrun : run a b d' t' n' r' c'.
  Let Hd := run_d _ _ _ _ _ _ _ Hrun.
  Let Hn := run_n _ _ _ _ _ _ _ Hrun.
  Let Hr := run_r _ _ _ _ _ _ _ Hrun.

  (** An absolute value of C, as computed. *)
  Lemma c_error : forall i j, Rabs (c' i j - Rabs (C a b i j)) <= 22 * u * s0.
  Proof.
    intros i j. destruct (run_c _ _ _ _ _ _ _ Hrun i j) as [v [Hv ->]].
    pose proof (rounded 4 2 _ _ _ 4 eq_refl ltac:(lia) ltac:(small) Hv) as E.
    pose proof (M_error Hr i j) as Q. pose proof (s_error Hr) as P. pose proof s_range. pose proof error_4. pose proof phi_tiny.
    assert (S99 : 0.99 <= s0) by (unfold s0; rewrite s_is; destruct Ha as [_ B]; destruct Hb as [_ B']; clear - B B'; nra).
    assert (u * 0.99 <= u * s0) by (apply Rmult_le_compat_l; lra).
    apply Rle_trans with (Rabs (v - C a b i j)); [apply Rabs_triang_inv2 |].
    replace (v - C a b i j) with ((v - M r' i j) + (M r' i j - C a b i j)) by (clear; lra).
    eapply Rle_trans; [apply Rabs_triang |].
    pose proof (Rle_abs (norm2 r' - s0)).
    assert (U : u * s0 <= 0.0000002 * s0) by (apply Rmult_le_compat_r; lra).
    assert (V : 0 <= u * s0) by (apply Rmult_le_pos; lra).
    assert (norm2 r' <= 1.001 * s0) by lra.
    assert (error u 4 * norm2 r' <= 4.001 * u * (1.001 * s0)).
    { apply Rmult_le_compat; [lra | unfold norm2; clear; nra | lra | auto]. }
    lra.
  Qed.

  (** A number that is small for two reasons is the sum of two that are small for one. *)
  Lemma in_two : forall x p q, 0 <= p -> 0 <= q -> Rabs x <= p + q -> exists y, Rabs y <= p /\ Rabs (x - y) <= q.
  Proof.
    intros x p q P Q H. apply Rabs_def2_le in H.
    destruct (Rle_lt_dec x p) as [L | L]; [destruct (Rle_lt_dec (- p) x) as [L' | L'] |].
    - exists x. rewrite Rminus_eq_0, Rabs_R0. split; [apply Rabs_le |]; lra.
    - exists (- p). split; apply Rabs_le; lra.
    - exists p. split; apply Rabs_le; lra.
  Qed.

  Lemma vectors_in_two : forall (x p : vec) q, (forall k, 0 <= p k) -> 0 <= q -> (forall k, Rabs (x k) <= p k + q) ->
    exists y : vec, (forall k, Rabs (y k) <= p k) /\ forall k, Rabs (x k - y k) <= q.
  Proof.
    intros x p q P Q H. destruct (in_two (x X) (p X) q (P X) Q (H X)) as [yx [A A']].
    destruct (in_two (x Y) (p Y) q (P Y) Q (H Y)) as [yy [B B']].
    destruct (in_two (x Z) (p Z) q (P Z) Q (H Z)) as [yz [C C']].
    exists (fun k => match k with X => yx | Y => yy | Z => yz end). split; intros []; auto.
  Qed.

  (** Components of at most e make a length of at most sqrt(3) e. *)
  Lemma components_short : forall (x : vec) e, 0 <= e -> (forall k, Rabs (x k) <= e) -> dot x x <= (1.7321 * e) * (1.7321 * e).
  Proof.
    intros x e He H.
    assert (B : forall k, x k * x k <= e * e)
      by (intro k; rewrite <- square_abs; apply Rmult_le_compat; auto; apply Rabs_pos).
    pose proof (B X). pose proof (B Y). pose proof (B Z). assert (0 <= e * e) by apply Rle_0_sqr. unfold dot, sum. lra.
  Qed.

  (** d without its flushes: it is off by a relative error only. *)
  Lemma unflushed_d : exists d0 : vec, (forall k, Rabs (d0 k - apart a b k) <= u * Rabs (apart a b k)) /\
    forall k, Rabs (d' k - d0 k) <= 3.01 * phi.
  Proof.
    pose proof phi_tiny as F. pose proof u_range as U.
    destruct (vectors_in_two (fun k => d' k - apart a b k) (fun k => u * Rabs (apart a b k)) (3.01 * phi))
      as [y [A B]]; [intro; apply Rmult_le_pos; [lra | apply Rabs_pos] | lra | |].
    - intro k. apply subtracted_error. exact (run_d _ _ _ _ _ _ _ Hrun k).
    - exists (fun k => apart a b k + y k). split; intro k.
      + replace (apart a b k + y k - apart a b k) with (y k) by (clear; lra). auto.
      + specialize (B k). simpl in B. replace (d' k - (apart a b k + y k)) with (d' k - apart a b k - y k) by (clear; lra). auto.
  Qed.

  Section Unflushed.
    Variable d0 : vec.
    Hypothesis Hd0 : forall k, Rabs (d0 k - apart a b k) <= u * Rabs (apart a b k).
    Hypothesis Hflush : forall k, Rabs (d' k - d0 k) <= 3.01 * phi.

    Lemma d0_square : dot d0 d0 <= 1.001 * dot (apart a b) (apart a b).
    Proof.
      assert (B : forall k, d0 k * d0 k <= 1.001 * (apart a b k * apart a b k)).
      { intro k. rewrite <- square_abs, <- (square_abs (apart a b k)). pose proof (Hd0 k) as P.
        assert (L : Rabs (d0 k) <= (1 + u) * Rabs (apart a b k)).
        { replace (d0 k) with ((d0 k - apart a b k) + apart a b k) by (clear; lra).
          eapply Rle_trans; [apply Rabs_triang |]. lra. }
        apply Rle_trans with (((1 + u) * Rabs (apart a b k)) * ((1 + u) * Rabs (apart a b k))).
        - apply Rmult_le_compat; auto; apply Rabs_pos.
        - replace ((1 + u) * Rabs (apart a b k) * ((1 + u) * Rabs (apart a b k))) with
            (((1 + u) * (1 + u)) * (Rabs (apart a b k) * Rabs (apart a b k))) by (clear; lra).
          apply Rmult_le_compat_r; [apply Rle_0_sqr | small]. }
      pose proof (B X). pose proof (B Y). pose proof (B Z). unfold dot, sum. lra.
    Qed.

    Lemma d_below : forall k, Rabs (d' k) <= 1.01 * T + 3.01 * phi.
    Proof.
      intro k. pose proof d0_square as D. pose proof t_short as S. rewrite dot_t in S. pose proof T_pos as TP.
      assert (N : 0.9979 <= n a) by (unfold n; destruct Ha; lra).
      assert (K : d0 k * d0 k <= dot d0 d0).
      { pose proof (Rle_0_sqr (d0 X)) as P1. pose proof (Rle_0_sqr (d0 Y)) as P2. pose proof (Rle_0_sqr (d0 Z)) as P3.
        unfold Rsqr, dot, sum in *. destruct k; lra. }
      assert (A0 : 0 <= dot (apart a b) (apart a b)).
      { pose proof (Rle_0_sqr (apart a b X)) as P1. pose proof (Rle_0_sqr (apart a b Y)) as P2.
        pose proof (Rle_0_sqr (apart a b Z)) as P3. unfold Rsqr, dot, sum in *. lra. }
      assert (NN : 0.9979 * 0.9979 <= n a * n a) by (apply Rmult_le_compat; lra).
      assert (Q : 0.9979 * 0.9979 * dot (apart a b) (apart a b) <= n a * n a * dot (apart a b) (apart a b))
        by (apply Rmult_le_compat_r; auto).
      assert (B : Rabs (d0 k) <= 1.01 * T) by (apply abs_by_square; lra).
      replace (d' k) with ((d' k - d0 k) + d0 k) by (clear; lra). eapply Rle_trans; [apply Rabs_triang |].
      pose proof (Hflush k). lra.
    Qed.

    (** What the roundings of t add, less its flushes: at most 39.9 u T. *)
    Lemma part_t : forall y : vec,
      (forall i, Rabs (y i) <= error u 13 * sum (fun k => W (rotation a) k i * Rabs (d0 k))) ->
      dot y y <= (39.9 * u * T) * (39.9 * u * T).
    Proof.
      intros y H. pose proof d0_square as D.
      assert (G : 0 <= error u 13) by (apply error_13).
      eapply Rle_trans; [apply (W_norm (rotation a) d0 y (error u 13) G H) |].
      pose proof t_short as S. rewrite dot_t in S. pose proof error_13.
      set (g := error u 13) in *. set (dd := dot (apart a b) (apart a b)) in *.
      apply Rle_trans with (3 * g * norm2 (rotation a) * (3 * g * norm2 (rotation a)) * (1.001 * dd)).
      { apply Rmult_le_compat_l; [apply Rle_0_sqr | exact D]. }
      replace (3 * g * norm2 (rotation a) * (3 * g * norm2 (rotation a)) * (1.001 * dd)) with
        (9.009 * (g * g) * (n a * n a * dd)) by (unfold n; lra).
      apply Rle_trans with (9.009 * (g * g) * (T * T)).
      { apply Rmult_le_compat_l; [| exact S]. apply Rmult_le_pos; [lra | apply Rle_0_sqr]. }
      assert (g * g <= (13.001 * u) * (13.001 * u)) by (apply Rmult_le_compat; lra).
      replace (39.9 * u * T * (39.9 * u * T)) with (39.9 * 39.9 * (u * u) * (T * T)) by (clear; lra).
      apply Rmult_le_compat_r; [apply Rle_0_sqr |].
      assert (0 <= u * u) by apply Rle_0_sqr. lra.
    Qed.

    (** The flushes of d, turned. *)
    Definition turned_flush : vec := fun i => sum (fun k => M (rotation a) k i * (d' k - d0 k)).

    Lemma turned_flush_short : dot turned_flush turned_flush <= (5.23 * phi) * (5.23 * phi).
    Proof.
      unfold turned_flush. rewrite (transposed (rotation a) (fun k => d' k - d0 k)).
      pose proof phi_tiny as F. pose proof (components_short (fun k => d' k - d0 k) (3.01 * phi) ltac:(lra) Hflush) as S.
      assert (N : norm2 (rotation a) * norm2 (rotation a) <= 1.0021 * 1.0021)
        by (destruct Ha; apply Rmult_le_compat; lra).
      assert (P : 0 <= norm2 (rotation a) * norm2 (rotation a)) by apply Rle_0_sqr.
      apply Rle_trans with (1.0021 * 1.0021 * (1.7321 * (3.01 * phi) * (1.7321 * (3.01 * phi)))).
      - apply Rmult_le_compat; auto. unfold dot, sum. repeat apply Rplus_le_le_0_compat; apply Rle_0_sqr.
      - assert (0 <= phi * phi) by apply Rle_0_sqr. lra.
    Qed.

    Lemma own_of_t : forall i, Rabs (t' i - t_of_d d0 i - turned_flush i) <=
      error u 13 * sum (fun k => W (rotation a) k i * Rabs (d0 k)) + (0.0001 * (u * T) + 48.6 * phi).
    Proof.
      intro i. pose proof phi_tiny as F. pose proof error_13 as G. pose proof T_pos as TP. pose proof u_range as U.
      pose proof (d_below X) as DX. pose proof (d_below Y) as DY. pose proof (d_below Z) as DZ.
      assert (LP : 0 <= sum (fun k => Rabs (d' k))) by (unfold sum; repeat apply Rplus_le_le_0_compat; apply Rabs_pos).
      pose proof (rounded_length 12 3 _ _ _ _ _ 13 eq_refl ltac:(lia) ltac:(small) LP (run_t _ _ _ _ _ _ _ Hrun i)) as E.
      set (L := sum (fun k => Rabs (d' k))) in *.
      assert (LB : L <= 3.03 * T + 9.03 * phi) by (unfold L, sum; lra).
      replace (t' i - t_of_d d0 i - turned_flush i) with (t' i - sum (fun k => M (rotation a) k i * d' k))
        by (unfold t_of_d, turned_flush, sum; clear; lra).
      assert (WB : sum (fun k => W (rotation a) k i * Rabs (d' k))
        <= sum (fun k => W (rotation a) k i * Rabs (d0 k)) + 9.06 * phi).
      { assert (B : forall k, W (rotation a) k i * Rabs (d' k) <= W (rotation a) k i * Rabs (d0 k) + 3.02 * phi).
        { intro k. pose proof (W_bounds (rotation a) k i) as WW. destruct Ha as [_ NB]. pose proof (Hflush k).
          assert (Rabs (d' k) <= Rabs (d0 k) + 3.01 * phi).
          { replace (d' k) with ((d' k - d0 k) + d0 k) at 1 by (clear; lra). eapply Rle_trans; [apply Rabs_triang |]. lra. }
          assert (W (rotation a) k i * Rabs (d' k) <= W (rotation a) k i * (Rabs (d0 k) + 3.01 * phi))
            by (apply Rmult_le_compat_l; lra).
          assert (W (rotation a) k i * (3.01 * phi) <= 1.0021 * (3.01 * phi)) by (apply Rmult_le_compat_r; lra). lra. }
        pose proof (B X). pose proof (B Y). pose proof (B Z). unfold sum. lra. }
      assert (E1 : error u 13 * sum (fun k => W (rotation a) k i * Rabs (d' k))
        <= error u 13 * (sum (fun k => W (rotation a) k i * Rabs (d0 k)) + 9.06 * phi)) by (apply Rmult_le_compat_l; lra).
      assert (E2 : error u 13 * (9.06 * phi) <= 0.001 * (9.06 * phi)) by (apply Rmult_le_compat_r; lra).
      assert (E3 : phi * L <= phi * (3.03 * T + 9.03 * phi)) by (apply Rmult_le_compat_l; lra).
      assert (E4 : phi * T <= u * (1 / 2 ^ 69) * T) by (apply Rmult_le_compat_r; lra).
      assert (E5 : phi * phi <= phi * (1 / 2 ^ 92)) by (apply Rmult_le_compat_l; lra).
      assert (E6 : 0 <= u * T) by (apply Rmult_le_pos; lra).
      eapply Rle_trans; [exact E |]. simpl INR. lra.
    Qed.
  End Unflushed.

  Lemma t_error : forall (c : vec) K, 0 <= K -> dot c c <= K * K ->
    Rabs (dot (fun i => t' i - t a b i) c) <= (41 * u * T + 89.5 * phi) * K.
  Proof.
    intros c K HK Hc. destruct unflushed_d as [d0 [Hd0 Hflush]].
    pose proof phi_tiny as F. pose proof T_pos as TP. pose proof u_range as U.
    assert (UT : 0 <= u * T) by (apply Rmult_le_pos; lra).
    destruct (vectors_in_two (fun i => t' i - t_of_d d0 i - turned_flush d0 i)
      (fun i => error u 13 * sum (fun k => W (rotation a) k i * Rabs (d0 k))) (0.0001 * (u * T) + 48.6 * phi))
      as [y [Y1 Y2]]; [| lra | exact (own_of_t d0 Hd0 Hflush) |].
    { intro i. apply Rmult_le_pos; [apply error_13 |]. unfold sum.
      repeat apply Rplus_le_le_0_compat; apply Rmult_le_pos; try apply W_bounds; apply Rabs_pos. }
    set (z := fun i => t' i - t_of_d d0 i - turned_flush d0 i - y i) in *.
    replace (dot (fun i => t' i - t a b i) c) with
      (dot y c + (dot z c + (dot (turned_flush d0) c + dot (fun i => t_of_d d0 i - t a b i) c)))
      by (unfold z, dot, sum; clear; lra).
    pose proof (dot_short y c (39.9 * u * T) K ltac:(lra) HK (part_t d0 Hd0 y Y1) Hc) as B1.
    pose proof (dot_short z c (1.7321 * (0.0001 * (u * T) + 48.6 * phi)) K ltac:(lra) HK (components_short z (0.0001 * (u * T) + 48.6 * phi) ltac:(lra) Y2) Hc) as B2.
    pose proof (dot_short (turned_flush d0) c (5.23 * phi) K ltac:(lra) HK (turned_flush_short d0 Hflush) Hc) as B3.
    pose proof (dot_short _ c (u * T) K UT HK (part_d d0 Hd0) Hc) as B4.
    eapply Rle_trans; [apply Rabs_triang |]. eapply Rle_trans; [apply Rplus_le_compat_l, Rabs_triang |].
    eapply Rle_trans; [apply Rplus_le_compat_l, Rplus_le_compat_l, Rabs_triang |].
    assert (0 <= u * T * K) by (apply Rmult_le_pos; auto). assert (0 <= phi * K) by (apply Rmult_le_pos; lra). lra.
  Qed.
End Shader.
