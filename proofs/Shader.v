(** * What the f32 shader computes before it looks at axes, and its errors.

    A run of the shader on a pair gives values, each computed from those before the last fence in
    any way that the model of [Rounding.v] allows. u is the unit of rounding. *)

Require Import Reals Lra Lia.
From Obbligato Require Import Boxes Formulas Rounding Lengths.
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
  Variable u : R.
  Hypothesis u_small : 0 <= u <= 1 / 2 ^ 23.

  (** What the shader computes before it looks at axes: d, then t and n, then r, each behind a
      fence; and the absolute values of C, which no rewriting crosses. *)
  Record run (a b : box) (d' t' : vec) (n' : R) (r' : quat) (c' : axis -> axis -> R) : Prop := {
    run_d : forall k, Rabs (d' k - apart a b k) <= u * Rabs (apart a b k);
    run_t : forall i, computed u 12 3 (sum (fun k => W (rotation a) k i * Rabs (d' k)))
                        (sum (fun k => M (rotation a) k i * d' k)) (t' i);
    run_n : computed u 4 2 (n a) (n a) n';
    run_r : forall p, part p -> computed u 4 2 (p (relative_magnitude (rotation a) (rotation b))) (p (r a b)) (p r');
    run_c : forall i j, exists v, computed u 4 2 (norm2 r') (M r' i j) v /\ c' i j = Rabs v
  }.

  Lemma u_range : 0 <= u < 1.
  Proof. lra. Qed.

  Lemma u_square : 0 <= u * u <= u * (1 / 2 ^ 23).
  Proof. split; [apply Rle_0_sqr | apply Rmult_le_compat_l; lra]. Qed.

  (** A bound on a polynomial in u of degree 2. *)
  Ltac small := pose proof u_square; unfold error in *; simpl in *; lra.

  Lemma error_4 : 0 <= error u 4 <= 4.001 * u.
  Proof. small. Qed.
  Lemma error_13 : 0 <= error u 13 <= 13.001 * u.
  Proof. small. Qed.

  Lemma rounded : forall N D S x v p, (N + D - 2 = p)%nat -> (1 <= D)%nat -> INR p * u <= 1 ->
    computed u N D S x v -> Rabs (v - x) <= error u p * S.
  Proof. intros N D S x v p E HD Hp H. subst p. apply rewriting_error; auto. apply u_range. Qed.

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

  (** What the stages have in common: d, n and r. *)
  Section Parts.
    Hypothesis Hd : forall k, Rabs (d' k - apart a b k) <= u * Rabs (apart a b k).
    Hypothesis Hn : computed u 4 2 (n a) (n a) n'.
    Hypothesis Hr : forall p, part p ->
      computed u 4 2 (p (relative_magnitude (rotation a) (rotation b))) (p (r a b)) (p r').

    Lemma n_error : Rabs (n' - n a) <= 5 * u * n a.
    Proof.
      pose proof (rounded 4 2 _ _ _ 4 eq_refl ltac:(lia) ltac:(small) Hn).
      pose proof (n_pos a Ha). pose proof error_4. pose proof u_range.
      eapply Rle_trans; [exact H |]. apply Rmult_le_compat_r; lra.
    Qed.

    Lemma g_error : forall h, 0 <= h -> Rabs (n' * h - n a * h) <= 5 * u * (n a * h).
    Proof.
      intros h Hh. replace (n' * h - n a * h) with ((n' - n a) * h) by ring.
      rewrite Rabs_mult, (Rabs_pos_eq h) by auto. rewrite <- Rmult_assoc.
      apply Rmult_le_compat_r; auto. apply n_error.
    Qed.

    (** r is off by at most 8.01 u sqrt(s) in length. *)
    Definition e_r : quat := Quat (qx r' - qx (r a b)) (qy r' - qy (r a b)) (qz r' - qz (r a b)) (qw r' - qw (r a b)).

    Lemma r_plus : r' = plus (r a b) e_r.
    Proof. unfold plus, e_r; simpl. destruct r'; simpl. f_equal; ring. Qed.

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
      (p r' - p (r a b)) * (p r' - p (r a b)) <= (4.001 * u) * (4.001 * u) * s0.
    Proof.
      intros p Hp. destruct (magnitude_square p Hp) as [P Q].
      pose proof (rounded 4 2 _ _ _ 4 eq_refl ltac:(lia) ltac:(small) (Hr p Hp)) as E.
      pose proof error_4. pose proof u_range. rewrite <- square_abs.
      set (m := p (relative_magnitude (rotation a) (rotation b))) in *.
      assert (L : Rabs (p r' - p (r a b)) <= 4.001 * u * m)
        by (eapply Rle_trans; [exact E |]; apply Rmult_le_compat_r; [auto | apply error_4]).
      apply Rle_trans with ((4.001 * u * m) * (4.001 * u * m)).
      - apply Rmult_le_compat; auto; apply Rabs_pos.
      - replace (4.001 * u * m * (4.001 * u * m)) with (4.001 * u * (4.001 * u) * (m * m)) by ring.
        apply Rmult_le_compat_l; auto. apply Rmult_le_pos; lra.
    Qed.

    Lemma r_error : norm2 e_r <= (8.002 * u) * (8.002 * u) * norm2 (r a b).
    Proof.
      assert (N : norm2 e_r = (qw r' - qw (r a b)) * (qw r' - qw (r a b))
        + (qx r' - qx (r a b)) * (qx r' - qx (r a b)) + (qy r' - qy (r a b)) * (qy r' - qy (r a b))
        + (qz r' - qz (r a b)) * (qz r' - qz (r a b))) by reflexivity.
      rewrite N. change (norm2 (r a b)) with s0.
      pose proof (part_error qx (or_introl eq_refl)).
      pose proof (part_error qy (or_intror (or_introl eq_refl))).
      pose proof (part_error qz (or_intror (or_intror (or_introl eq_refl)))).
      pose proof (part_error qw (or_intror (or_intror (or_intror eq_refl)))).
      assert (E : 8.002 * u * (8.002 * u) * s0 = 4 * (4.001 * u * (4.001 * u) * s0)) by lra. lra.
    Qed.

    Lemma M_error : forall i j, Rabs (M r' i j - C a b i j) <= 17 * u * s0.
    Proof.
      intros i j. unfold C. rewrite r_plus.
      eapply Rle_trans; [apply (M_change _ _ (8.002 * u)); [small | apply r_error] |].
      change (norm2 (r a b)) with s0. pose proof s_range. apply Rmult_le_compat_r; [lra | small].
    Qed.

    Lemma s_error : Rabs (norm2 r' - s0) <= 17 * u * s0.
    Proof.
      unfold s0, s. rewrite r_plus at 1.
      eapply Rle_trans; [apply (norm2_change _ _ (8.002 * u)); [small | apply r_error] |].
      pose proof s_range as P. unfold s0, s in P. apply Rmult_le_compat_r; [lra | small].
    Qed.

    (** t is off by at most 41 u T in length. *)
    Definition t_of_d : vec := fun i => sum (fun k => M (rotation a) k i * d' k).

    Lemma dot_t : dot (t a b) (t a b) = n a * n a * dot (apart a b) (apart a b).
    Proof.
      unfold n. rewrite (dot_along a (apart a b)) by auto. unfold dot at 1, sum.
      rewrite !t_is by auto. unfold n, sum. ring.
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
    Proof. intros [x y z w] v. unfold dot, norm2, sum; simpl. ring. Qed.

    Lemma part_d : dot (fun i => t_of_d i - t a b i) (fun i => t_of_d i - t a b i) <= (u * T) * (u * T).
    Proof.
      pose proof (transposed (rotation a) (fun k => d' k - apart a b k)) as E.
      replace (dot (fun i => t_of_d i - t a b i) (fun i => t_of_d i - t a b i)) with
        (norm2 (rotation a) * norm2 (rotation a)
         * dot (fun k => d' k - apart a b k) (fun k => d' k - apart a b k))
        by (rewrite <- E; unfold t_of_d, t, dot, sum; ring).
      pose proof t_short as S. rewrite dot_t in S.
      assert (D : dot (fun k => d' k - apart a b k) (fun k => d' k - apart a b k)
        <= (u * u) * dot (apart a b) (apart a b)).
      { assert (B : forall k, (d' k - apart a b k) * (d' k - apart a b k)
          <= u * u * (apart a b k * apart a b k)).
        { intro k. rewrite <- square_abs, <- (square_abs (apart a b k)).
          replace (u * u * (Rabs (apart a b k) * Rabs (apart a b k))) with
            ((u * Rabs (apart a b k)) * (u * Rabs (apart a b k))) by ring.
          pose proof (Hd k).
          apply Rmult_le_compat; auto; apply Rabs_pos. }
        pose proof (B X). pose proof (B Y). pose proof (B Z). unfold dot, sum. lra. }
      apply Rle_trans with (n a * n a * (u * u * dot (apart a b) (apart a b))).
      - unfold n. apply Rmult_le_compat_l; [apply Rle_0_sqr | exact D].
      - replace (n a * n a * (u * u * dot (apart a b) (apart a b))) with
          (u * u * (n a * n a * dot (apart a b) (apart a b))) by ring.
        replace (u * T * (u * T)) with (u * u * (T * T)) by ring.
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
    pose proof (M_error Hr i j) as Q. pose proof (s_error Hr) as P. pose proof s_range. pose proof error_4.
    apply Rle_trans with (Rabs (v - C a b i j)); [apply Rabs_triang_inv2 |].
    replace (v - C a b i j) with ((v - M r' i j) + (M r' i j - C a b i j)) by ring.
    eapply Rle_trans; [apply Rabs_triang |].
    pose proof (Rle_abs (norm2 r' - s0)).
    assert (U : u * s0 <= 0.0000002 * s0) by (apply Rmult_le_compat_r; lra).
    assert (V : 0 <= u * s0) by (apply Rmult_le_pos; lra).
    assert (norm2 r' <= 1.001 * s0) by lra.
    assert (error u 4 * norm2 r' <= 4.001 * u * (1.001 * s0)).
    { apply Rmult_le_compat; [lra | unfold norm2; nra | lra | auto]. }
    lra.
  Qed.

  Lemma part_t : dot (fun i => t' i - t_of_d i) (fun i => t' i - t_of_d i)
    <= (39.9 * u * T) * (39.9 * u * T).
  Proof.
    assert (D : dot d' d' <= 1.001 * dot (apart a b) (apart a b)).
    { assert (B : forall k, d' k * d' k <= 1.001 * (apart a b k * apart a b k)).
      { intro k. rewrite <- square_abs, <- (square_abs (apart a b k)).
        pose proof (run_d _ _ _ _ _ _ _ Hrun k) as P.
        assert (L : Rabs (d' k) <= (1 + u) * Rabs (apart a b k)).
        { replace (d' k) with ((d' k - apart a b k) + apart a b k) by ring.
          eapply Rle_trans; [apply Rabs_triang |]. lra. }
        apply Rle_trans with (((1 + u) * Rabs (apart a b k)) * ((1 + u) * Rabs (apart a b k))).
        - apply Rmult_le_compat; auto; apply Rabs_pos.
        - replace ((1 + u) * Rabs (apart a b k) * ((1 + u) * Rabs (apart a b k))) with
            (((1 + u) * (1 + u)) * (Rabs (apart a b k) * Rabs (apart a b k))) by ring.
          apply Rmult_le_compat_r; [apply Rle_0_sqr | small]. }
      pose proof (B X). pose proof (B Y). pose proof (B Z). unfold dot, sum. lra. }
    pose proof (W_norm (rotation a) d' (fun i => t' i - t_of_d i) (error u 13)) as N.
    assert (G : 0 <= error u 13) by (apply error_13).
    specialize (N G). eapply Rle_trans; [apply N |].
    - intro i. exact (rounded 12 3 _ _ _ 13 eq_refl ltac:(lia) ltac:(small) (run_t _ _ _ _ _ _ _ Hrun i)).
    - pose proof t_short as S. rewrite dot_t in S. pose proof error_13.
      set (g := error u 13) in *. set (dd := dot (apart a b) (apart a b)) in *.
      apply Rle_trans with (3 * g * norm2 (rotation a) * (3 * g * norm2 (rotation a)) * (1.001 * dd)).
      { apply Rmult_le_compat_l; [apply Rle_0_sqr | exact D]. }
      replace (3 * g * norm2 (rotation a) * (3 * g * norm2 (rotation a)) * (1.001 * dd)) with
        (9.009 * (g * g) * (n a * n a * dd)) by (unfold n; lra).
      apply Rle_trans with (9.009 * (g * g) * (T * T)).
      { apply Rmult_le_compat_l; [| exact S]. apply Rmult_le_pos; [lra | apply Rle_0_sqr]. }
      assert (g * g <= (13.001 * u) * (13.001 * u)) by (apply Rmult_le_compat; lra).
      replace (39.9 * u * T * (39.9 * u * T)) with (39.9 * 39.9 * (u * u) * (T * T)) by ring.
      apply Rmult_le_compat_r; [apply Rle_0_sqr |].
      assert (0 <= u * u) by apply Rle_0_sqr. lra.
  Qed.

  Lemma t_error : forall (c : vec) K, 0 <= K -> dot c c <= K * K ->
    Rabs (dot (fun i => t' i - t a b i) c) <= 41 * u * (T * K).
  Proof.
    intros c K HK Hc.
    replace (dot (fun i => t' i - t a b i) c) with
      (dot (fun i => t' i - t_of_d i) c + dot (fun i => t_of_d i - t a b i) c)
      by (unfold dot, sum; ring).
    eapply Rle_trans; [apply Rabs_triang |].
    pose proof T_pos. pose proof u_range.
    assert (0 <= 39.9 * u * T) by (apply Rmult_le_pos; lra).
    assert (0 <= u * T) by (apply Rmult_le_pos; lra).
    pose proof (dot_short _ c _ K H1 HK part_t Hc).
    pose proof (dot_short _ c _ K H2 HK (part_d Hd) Hc).
    assert (0 <= u * T * K) by (apply Rmult_le_pos; auto). lra.
  Qed.

End Shader.
