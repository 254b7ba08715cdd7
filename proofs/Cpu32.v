(** * The CPU's answers in f32 are true.

    Rust evaluates what is written and rounds to the nearest, so K_T and K_G are smaller than in
    shaders: each entry of a matrix is a number before it is used. Underflow is gradual, so a number
    below phi changes by less than phi.

    Centers may be numbers in f64, too: their difference is rounded once to f64 and once to f32. That
    of two numbers in f32 is rounded once, or exact. *)

Require Import Rbase Rfunctions R_sqrt Lra Lia.
From Obbligato Require Import Boxes Formulas Separation Rounding Flushing Lengths Constants Propagation Parallel Axes
  Shader Rule Overlapping.
Open Scope R_scope.

Definition u32 : R := 1 / 2 ^ 24.

Lemma u32_small : 0 <= u32 <= 1 / 2 ^ 23.
Proof. unfold u32. lra. Qed.
Lemma u32_pos : 0 < u32.
Proof. unfold u32. lra. Qed.
Lemma phi_small32 : 0 <= phi <= u32 * u32 * u32 * u32.
Proof. unfold u32, phi. lra. Qed.
Lemma phi_least : 0 <= phi <= 0.000000001 * u32 /\ A = 256 * phi.
Proof. unfold u32, phi, A. lra. Qed.
Ltac bound_error := unfold error, u32; simpl; lra.

(** What a difference of centers may be off by: relative to it, besides phi. *)
Definition u32_apart : R := u32 * (1 + 1 / 2 ^ 28).

Definition axis_eq (i j : axis) : bool := match i, j with X, X | Y, Y | Z, Z => true | _, _ => false end.

Record run32 (a b : box) (d' : vec) (m' : axis -> axis -> R) (t' : vec) (n' : R) (r' : quat)
  (C' : axis -> axis -> R) (s' : R) (gA' gB' : vec) : Prop := {
  run32_d : forall k, Rabs (d' k - apart a b k) <= u32_apart * Rabs (apart a b k) + phi;
  (* 2 (x y - w z) has two monomials: a product by 2 is exact. *)
  run32_m : forall k i, computed u32 phi (if axis_eq k i then 4 else 2) 2 (W (rotation a) k i) (M (rotation a) k i) (m' k
    i);
  run32_t : forall i, computed_length u32 phi 3 2 3.1 (sum (fun k => Rabs (d' k))) (sum (fun k => Rabs (m' k i) * Rabs (d' k))) (sum (fun k => m' k i * d' k)) (t'
    i);
  run32_n : computed u32 phi 4 2 (n a) (n a) n';
  run32_r : forall p, part p -> computed u32 phi 4 2 (p (relative_magnitude (rotation a) (rotation b))) (p (r a b)) (p r');
  run32_C : forall i j, computed u32 phi 4 2 (norm2 r') (M r' i j) (C' i j);
  run32_s : computed u32 phi 4 2 (norm2 r') (norm2 r') s';
  run32_gA : forall i, 0 <= gA' i /\ Rabs (gA' i - n' * half a i) <= u32 * (n' * half a i) + phi;
  run32_gB : forall i, 0 <= gB' i /\ Rabs (gB' i - n' * half b i) <= u32 * (n' * half b i) + phi
}.

Section Cpu.
  Variables (kappa : R) (a b : box) (d' : vec) (m' : axis -> axis -> R) (t' : vec) (n' : R) (r' : quat).
  Variables (C' : axis -> axis -> R) (s' : R) (gA' gB' : vec).
  Hypothesis Hkappa : Rabs (kappa - KAPPA) <= 0.01.
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Hypothesis Hrun : run32 a b d' m' t' n' r' C' s' gA' gB'.
  Let U := u32_small.
  Let Hn := run32_n _ _ _ _ _ _ _ _ _ _ _ Hrun.
  Let Hr := run32_r _ _ _ _ _ _ _ _ _ _ _ Hrun.

  Let c' := absolute C'.
  Let s0 := s a b.
  Let T := sum (fun i => Rabs (t a b i)).
  Let T' := sum (fun i => Rabs (t' i)).
  Let q := rotation a.
  Let nn := norm2 q.

  Lemma nn_pos : 0 < nn.
  Proof. apply (n_pos a Ha). Qed.
  Lemma nn_large : 0.99 <= nn.
  Proof. unfold nn. destruct Ha. unfold q. lra. Qed.

  (** ** The error of t: 8 of the matrix, 3 sqrt(3) of the sums, 1 of d. *)
  Lemma m_error : forall k i, Rabs (m' k i - M q k i) <= (if axis_eq k i then 4.001 else 2.001) * u32 * nn.
  Proof.
    intros k i. pose proof (run32_m _ _ _ _ _ _ _ _ _ _ _ Hrun k i) as C. fold q in C.
    pose proof (W_bounds q k i) as B. fold nn in B.
    pose proof phi_least as Fl. pose proof nn_large as NL.
    assert (UN : u32 * 0.99 <= u32 * nn) by (apply Rmult_le_compat_l; lra).
    destruct (axis_eq k i).
    - apply (rounded u32 phi U phi_small32 4 2 _ _ _ 4 eq_refl ltac:(lia) ltac:(unfold u32; simpl; lra)) in C.
      assert (error u32 4 * W q k i <= 4.0001 * u32 * nn) by (apply Rmult_le_compat; [bound_error | lra | bound_error | lra]).
      lra.
    - apply (rounded u32 phi U phi_small32 2 2 _ _ _ 2 eq_refl ltac:(lia) ltac:(unfold u32; simpl; lra)) in C.
      assert (error u32 2 * W q k i <= 2.0001 * u32 * nn) by (apply Rmult_le_compat; [bound_error | lra | bound_error | lra]).
      lra.
  Qed.

  Lemma column_below : forall i, m' X i * m' X i + m' Y i * m' Y i + m' Z i * m' Z i <= 1.0001 * (nn * nn).
  Proof.
    intro i. pose proof (columns q i i) as C. unfold sum in C. fold nn in C. pose proof nn_pos as NP.
    assert (L : forall k, m' k i * m' k i <= M q k i * M q k i + 0.00003 * (nn * nn)).
    { intro k. pose proof (m_error k i) as E. set (x := M q k i) in *. set (y := m' k i) in *.
      assert (X0 : Rabs x <= nn).
      { unfold x. apply abs_by_square; [lra |]. pose proof (Rle_0_sqr (M q X i)) as P1. pose proof (Rle_0_sqr (M q Y
        i)) as P2.
        pose proof (Rle_0_sqr (M q Z i)) as P3. unfold Rsqr in *. destruct i, k; lra. }
      assert (E' : Rabs (y - x) <= 0.0000003 * nn).
      { eapply Rle_trans; [exact E |]. apply Rmult_le_compat_r; [lra |]. unfold u32. destruct (axis_eq k i); lra. }
      replace (y * y) with (x * x + (y - x) * (y - x + 2 * x)) by (clear; lra). apply Rplus_le_compat_l.
      eapply Rle_trans; [apply Rle_abs |]. rewrite Rabs_mult.
      assert (Rabs (y - x + 2 * x) <= 3 * nn).
      { eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_mult, (Rabs_pos_eq 2) by lra. lra. }
      apply Rle_trans with (0.0000003 * nn * (3 * nn)); [apply Rmult_le_compat; auto; apply Rabs_pos |].
      assert (0 <= nn * nn) by apply Rle_0_sqr. lra. }
    pose proof (L X). pose proof (L Y). pose proof (L Z). assert (0 <= nn * nn) by apply Rle_0_sqr. destruct i; lra.
  Qed.

  Lemma T_pos32 : 0 <= T.
  Proof. unfold T, sum. repeat apply Rplus_le_le_0_compat; apply Rabs_pos. Qed.

  (** d without what is absolute in its error. *)
  Lemma unflushed_d32 : exists d0 : vec, (forall k, Rabs (d0 k - apart a b k) <= u32_apart * Rabs (apart a b k)) /\
    forall k, Rabs (d' k - d0 k) <= phi.
  Proof.
    pose proof phi_least as [F _].
    destruct (vectors_in_two (fun k => d' k - apart a b k) (fun k => u32_apart * Rabs (apart a b k)) phi) as [y [A0 B]];
      [intro; apply Rmult_le_pos; [unfold u32_apart, u32; lra | apply Rabs_pos] | lra
        | intro k; exact (run32_d _ _ _ _ _ _ _ _ _ _ _ Hrun k) |].
    exists (fun k => apart a b k + y k). split; intro k.
    - replace (apart a b k + y k - apart a b k) with (y k) by (clear; lra). auto.
    - specialize (B k). simpl in B. replace (d' k - (apart a b k + y k)) with (d' k - apart a b k - y k) by (clear; lra). auto.
  Qed.

  Section Unflushed.
  Variable d0 : vec.
  Hypothesis Hd0 : forall k, Rabs (d0 k - apart a b k) <= u32_apart * Rabs (apart a b k).
  Hypothesis Hflush : forall k, Rabs (d' k - d0 k) <= phi.

  Lemma d_short : dot d0 d0 <= 1.0001 * dot (apart a b) (apart a b).
  Proof.
    assert (B : forall k, d0 k * d0 k <= 1.0001 * (apart a b k * apart a b k)).
    { intro k. rewrite <- square_abs, <- (square_abs (apart a b k)).
      pose proof (Hd0 k) as P. pose proof (Rabs_pos (apart a b k)).
      assert (L : Rabs (d0 k) <= 1.00001 * Rabs (apart a b k)).
      { replace (d0 k) with ((d0 k - apart a b k) + apart a b k) by (clear; lra).
        eapply Rle_trans; [apply Rabs_triang |]. unfold u32_apart, u32 in P. lra. }
      apply Rle_trans with ((1.00001 * Rabs (apart a b k)) * (1.00001 * Rabs (apart a b k))).
      - apply Rmult_le_compat; auto; apply Rabs_pos.
      - pose proof (Rle_0_sqr (Rabs (apart a b k))) as Q. unfold Rsqr in Q. lra. }
    pose proof (B X). pose proof (B Y). pose proof (B Z). unfold dot, sum. lra.
  Qed.

  (** nn |d0| in terms of T. *)
  Lemma d_below_T : nn * nn * dot d0 d0 <= 1.0001 * (T * T).
  Proof.
    pose proof d_short as D. pose proof (t_short a b) as S. rewrite (dot_t a b Ha) in S. fold T in S.
    change (n a) with nn in S. assert (0 <= nn * nn) by apply Rle_0_sqr.
    apply Rle_trans with (nn * nn * (1.0001 * dot (apart a b) (apart a b))); [apply Rmult_le_compat_l |]; lra.
  Qed.

  Definition t_of_M : vec := fun i => sum (fun k => M q k i * d0 k).
  Definition t_of_m : vec := fun i => sum (fun k => m' k i * d0 k).

  Lemma matrix_part : dot (fun i => t_of_m i - t_of_M i) (fun i => t_of_m i - t_of_M i) <= (8.01 * u32 * T) * (8.01 *
    u32 * T).
  Proof.
    set (S1 := Rabs (d0 X) + Rabs (d0 Y) + Rabs (d0 Z)).
    pose proof nn_pos as NP.
    assert (E : forall i, Rabs (t_of_m i - t_of_M i) <= 2.001 * u32 * nn * (S1 + Rabs (d0 i))).
    { intro i. replace (t_of_m i - t_of_M i) with (sum (fun k => (m' k i - M q k i) * d0 k)) by (unfold t_of_m,
      t_of_M, sum; clear; lra).
      assert (B : forall k, Rabs ((m' k i - M q k i) * d0 k) <= (if axis_eq k i then 4.001 else 2.001) * u32 * nn *
        Rabs (d0 k))
        by (intro k; rewrite Rabs_mult; apply Rmult_le_compat_r; [apply Rabs_pos | apply m_error]).
      pose proof (B X). pose proof (B Y). pose proof (B Z). unfold sum.
      eapply Rle_trans; [apply Rabs_triang |]. eapply Rle_trans; [apply Rplus_le_compat_r, Rabs_triang |].
      assert (0 <= u32 * nn * Rabs (d0 i)) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra | apply Rabs_pos]).
      unfold S1. destruct i; simpl in *; lra. }
    assert (B : forall i, (t_of_m i - t_of_M i) * (t_of_m i - t_of_M i) <=
      (2.001 * u32 * nn) * (2.001 * u32 * nn) * ((S1 + Rabs (d0 i)) * (S1 + Rabs (d0 i)))).
    { intro i. rewrite <- square_abs.
      replace (2.001 * u32 * nn * (2.001 * u32 * nn) * ((S1 + Rabs (d0 i)) * (S1 + Rabs (d0 i)))) with
        ((2.001 * u32 * nn * (S1 + Rabs (d0 i))) * (2.001 * u32 * nn * (S1 + Rabs (d0 i)))) by (clear; lra).
      apply Rmult_le_compat; auto; apply Rabs_pos. }
    set (K := 2.001 * u32 * nn * (2.001 * u32 * nn)) in *.
    assert (KP : 0 <= K) by apply Rle_0_sqr.
    assert (S : (S1 + Rabs (d0 X)) * (S1 + Rabs (d0 X)) + (S1 + Rabs (d0 Y)) * (S1 + Rabs (d0 Y))
      + (S1 + Rabs (d0 Z)) * (S1 + Rabs (d0 Z)) <= 16 * dot d0 d0).
    { unfold dot, sum. rewrite <- (square_abs (d0 X)), <- (square_abs (d0 Y)), <- (square_abs (d0 Z)).
      unfold S1. set (x := Rabs (d0 X)). set (y := Rabs (d0 Y)). set (z := Rabs (d0 Z)).
      pose proof (Rle_0_sqr (x - y)) as P1. pose proof (Rle_0_sqr (x - z)) as P2. pose proof (Rle_0_sqr (y - z)) as P3.
      unfold Rsqr in *. lra. }
    apply (Rmult_le_compat_l K) in S; auto.
    pose proof (B X). pose proof (B Y). pose proof (B Z). pose proof d_below_T as D.
    apply Rle_trans with (K * (16 * dot d0 d0)); [unfold dot at 1, sum; lra |].
    replace (K * (16 * dot d0 d0)) with ((16 * 2.001 * 2.001) * (u32 * u32) * (nn * nn * dot d0 d0)) by (unfold K;
      clear; lra).
    assert (UU : 0 <= u32 * u32) by apply Rle_0_sqr.
    apply Rle_trans with ((16 * 2.001 * 2.001) * (u32 * u32) * (1.0001 * (T * T))); [apply Rmult_le_compat_l; lra |].
    assert (0 <= u32 * u32 * (T * T)) by (apply Rmult_le_pos; [auto | apply Rle_0_sqr]). lra.
  Qed.

  (** The sums, flushes aside. *)
  Lemma sum_part : forall y : vec,
    (forall i, Rabs (y i) <= 3.001 * u32 * sum (fun k => Rabs (m' k i) * Rabs (d0 k))) ->
    dot y y <= (5.21 * u32 * T) * (5.21 * u32 * T).
  Proof.
    intros y Hy.
    assert (B : forall i, y i * y i <= (3.001 * u32) * (3.001 * u32) * (1.0001 * (nn * nn) * dot d0 d0)).
    { intro i. rewrite <- square_abs. pose proof (Hy i) as E'.
      set (g := sum (fun k => Rabs (m' k i) * Rabs (d0 k))) in *.
      assert (GP : 0 <= g) by (unfold g, sum; repeat apply Rplus_le_le_0_compat; apply Rmult_le_pos; apply Rabs_pos).
      apply Rle_trans with ((3.001 * u32 * g) * (3.001 * u32 * g)); [apply Rmult_le_compat; auto; apply Rabs_pos |].
      replace (3.001 * u32 * g * (3.001 * u32 * g)) with (3.001 * u32 * (3.001 * u32) * (g * g)) by (clear; lra).
      apply Rmult_le_compat_l; [apply Rle_0_sqr |].
      pose proof (cauchy3 (Rabs (m' X i)) (Rabs (m' Y i)) (Rabs (m' Z i)) (Rabs (d0 X)) (Rabs (d0 Y)) (Rabs (d0 Z)))
        as Q.
      rewrite !square_abs in Q. pose proof (column_below i) as D.
      apply Rle_trans with ((m' X i * m' X i + m' Y i * m' Y i + m' Z i * m' Z i) * dot d0 d0); [exact Q |].
      apply Rmult_le_compat_r; auto. pose proof (Rle_0_sqr (d0 X)) as P1. pose proof (Rle_0_sqr (d0 Y)) as P2.
      pose proof (Rle_0_sqr (d0 Z)) as P3. unfold Rsqr, dot, sum in *. lra. }
    pose proof (B X). pose proof (B Y). pose proof (B Z). pose proof d_below_T as D.
    assert (UU : 0 <= u32 * u32) by apply Rle_0_sqr.
    apply (Rmult_le_compat_l (u32 * u32)) in D; auto.
    assert (0 <= u32 * u32 * (T * T)) by (apply Rmult_le_pos; [auto | apply Rle_0_sqr]).
    unfold dot at 1, sum. lra.
  Qed.

  (** What flushes of d become in t. *)
  Definition flush_of_m : vec := fun i => sum (fun k => m' k i * (d' k - d0 k)).

  Lemma rows_flushed : forall i, sum (fun k => Rabs (m' k i) * Rabs (d' k - d0 k)) <= 1.75 * phi.
  Proof.
    intro i. pose proof (column_below i) as D. pose proof phi_least as [Fl _]. destruct Ha as [_ N]. fold q in N. fold nn in N.
    assert (NN : nn * nn <= 1.0021 * 1.0021) by (apply Rmult_le_compat; lra).
    assert (B : forall k, Rabs (m' k i) * Rabs (d' k - d0 k) <= Rabs (m' k i) * phi)
      by (intro k; apply Rmult_le_compat_l; [apply Rabs_pos | apply Hflush]).
    pose proof (B X). pose proof (B Y). pose proof (B Z).
    assert (R : Rabs (m' X i) + Rabs (m' Y i) + Rabs (m' Z i) <= 1.75).
    { rewrite <- (square_abs (m' X i)), <- (square_abs (m' Y i)), <- (square_abs (m' Z i)) in D.
      pose proof (Rabs_pos (m' X i)). pose proof (Rabs_pos (m' Y i)). pose proof (Rabs_pos (m' Z i)).
      set (x := Rabs (m' X i)) in *. set (y := Rabs (m' Y i)) in *. set (z := Rabs (m' Z i)) in *.
      assert (S : (x + y + z) * (x + y + z) <= 1.75 * 1.75).
      { pose proof (Rle_0_sqr (x - y)) as P1. pose proof (Rle_0_sqr (x - z)) as P2. pose proof (Rle_0_sqr (y - z)) as P3.
        unfold Rsqr in *. lra. }
      apply Rnot_lt_le. intro L. assert (1.75 * 1.75 < (x + y + z) * (x + y + z)) by (apply Rmult_le_0_lt_compat; lra). lra. }
    apply (Rmult_le_compat_r phi) in R; [| lra]. unfold sum. lra.
  Qed.

  Lemma flush_of_m_below : forall i, Rabs (flush_of_m i) <= 1.75 * phi.
  Proof.
    intro i. eapply Rle_trans; [| apply (rows_flushed i)]. unfold flush_of_m, sum. rewrite <- !Rabs_mult.
    eapply Rle_trans; [apply Rabs_triang |]. apply Rplus_le_compat_r, Rabs_triang.
  Qed.

  Lemma own_of_t32 : forall i, Rabs (t' i - t_of_m i - flush_of_m i) <=
    3.001 * u32 * sum (fun k => Rabs (m' k i) * Rabs (d0 k)) + (0.0001 * (u32 * T) + 9.5 * phi).
  Proof.
    intro i. pose proof phi_least as Fl. pose proof T_pos32 as TP. pose proof nn_large as NL.
    assert (D0 : forall k, Rabs (d0 k) <= 1.02 * T).
    { intro k. apply abs_by_square; [lra |]. pose proof d_below_T as D.
      assert (K : d0 k * d0 k <= dot d0 d0 /\ 0 <= dot d0 d0).
      { pose proof (Rle_0_sqr (d0 X)) as P1. pose proof (Rle_0_sqr (d0 Y)) as P2.
        pose proof (Rle_0_sqr (d0 Z)) as P3. unfold Rsqr, dot, sum in *. destruct k; lra. }
      assert (NN : 0.99 * 0.99 <= nn * nn) by (apply Rmult_le_compat; lra).
      assert (0.99 * 0.99 * dot d0 d0 <= nn * nn * dot d0 d0) by (apply Rmult_le_compat_r; tauto).
      assert (0 <= T * T) by apply Rle_0_sqr. lra. }
    assert (F1 : forall k, Rabs (d' k) <= Rabs (d0 k) + Rabs (d' k - d0 k)).
    { intro k. replace (d' k) with (d0 k + (d' k - d0 k)) at 1 by (clear; lra). apply Rabs_triang. }
    assert (LP : 0 <= sum (fun k => Rabs (d' k)) <= 3.06 * T + 3 * phi).
    { pose proof (D0 X). pose proof (D0 Y). pose proof (D0 Z). pose proof (F1 X). pose proof (F1 Y). pose proof (F1 Z).
      pose proof (Hflush X). pose proof (Hflush Y). pose proof (Hflush Z).
      split; [unfold sum; repeat apply Rplus_le_le_0_compat; apply Rabs_pos | unfold sum; lra]. }
    pose proof (rounded_length u32 phi U phi_small32 3 2 _ _ _ _ _ 3 eq_refl ltac:(lia) ltac:(unfold u32; simpl; lra)
      (proj1 LP) (run32_t _ _ _ _ _ _ _ _ _ _ _ Hrun i)) as E.
    simpl INR in E.
    replace (t' i - t_of_m i - flush_of_m i) with (t' i - sum (fun k => m' k i * d' k)) by (unfold t_of_m, flush_of_m, sum; clear; lra).
    assert (G : sum (fun k => Rabs (m' k i) * Rabs (d' k)) <= sum (fun k => Rabs (m' k i) * Rabs (d0 k)) + 1.75 * phi).
    { pose proof (rows_flushed i) as R. assert (B : forall k, Rabs (m' k i) * Rabs (d' k)
        <= Rabs (m' k i) * Rabs (d0 k) + Rabs (m' k i) * Rabs (d' k - d0 k)).
      { intro k. rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; [apply Rabs_pos | apply F1]. }
      pose proof (B X). pose proof (B Y). pose proof (B Z). unfold sum in *. lra. }
    set (g := sum (fun k => Rabs (m' k i) * Rabs (d' k))) in *. set (g0 := sum (fun k => Rabs (m' k i) * Rabs (d0 k))) in *.
    set (L := sum (fun k => Rabs (d' k))) in *.
    assert (GP : 0 <= g) by (unfold g, sum; repeat apply Rplus_le_le_0_compat; apply Rmult_le_pos; apply Rabs_pos).
    assert (error u32 3 * g <= 3.001 * u32 * g) by (apply Rmult_le_compat_r; [auto | bound_error]).
    assert (3.001 * u32 * g <= 3.001 * u32 * (g0 + 1.75 * phi)) by (apply Rmult_le_compat_l; [unfold u32; lra | auto]).
    assert (u32 * phi <= 0.000001 * phi) by (apply Rmult_le_compat_r; [lra | unfold u32; lra]).
    assert (phi * L <= phi * (3.06 * T + 3 * phi)) by (apply Rmult_le_compat_l; lra).
    assert (phi * T <= 0.000000001 * u32 * T) by (apply Rmult_le_compat_r; lra).
    assert (phi * phi <= 0.000001 * phi) by (apply Rmult_le_compat_r; [lra | unfold u32 in Fl; lra]).
    assert (0 <= u32 * T) by (apply Rmult_le_pos; [unfold u32 |]; lra). lra.
  Qed.
  End Unflushed.

  Lemma t_error_32 : forall (c : vec) K, 0 <= K -> dot c c <= K * K ->
    Rabs (dot (fun i => t' i - t a b i) c) <= (14.23 * u32 * T + 19.6 * phi) * K.
  Proof.
    intros c K HK Hc. destruct unflushed_d32 as [d0 [Hd0 Hflush]]. pose proof phi_least as Fl. pose proof T_pos32 as TP.
    assert (UT : 0 <= u32 * T) by (apply Rmult_le_pos; [unfold u32 |]; lra).
    destruct (vectors_in_two (fun i => t' i - t_of_m d0 i - flush_of_m d0 i)
      (fun i => 3.001 * u32 * sum (fun k => Rabs (m' k i) * Rabs (d0 k)))
      (0.0001 * (u32 * T) + 9.5 * phi)) as [y [Y1 Y2]]; [| lra | exact (own_of_t32 d0 Hd0 Hflush) |].
    { intro i. apply Rmult_le_pos; [unfold u32; lra |]. unfold sum.
      repeat apply Rplus_le_le_0_compat; apply Rmult_le_pos; apply Rabs_pos. }
    set (z := fun i => t' i - t_of_m d0 i - flush_of_m d0 i - y i) in *.
    replace (dot (fun i => t' i - t a b i) c) with (dot y c + (dot z c + (dot (flush_of_m d0) c
      + (dot (fun i => t_of_m d0 i - t_of_M d0 i) c + dot (fun i => t_of_M d0 i - t a b i) c))))
      by (unfold z, dot, sum; clear; lra).
    eapply Rle_trans; [apply Rabs_triang |]. eapply Rle_trans; [apply Rplus_le_compat_l, Rabs_triang |].
    eapply Rle_trans; [apply Rplus_le_compat_l, Rplus_le_compat_l, Rabs_triang |].
    eapply Rle_trans; [apply Rplus_le_compat_l, Rplus_le_compat_l, Rplus_le_compat_l, Rabs_triang |].
    pose proof (dot_short y c (5.21 * u32 * T) K ltac:(lra) HK (sum_part d0 Hd0 y Y1) Hc).
    pose proof (dot_short z c (1.7321 * (0.0001 * (u32 * T) + 9.5 * phi)) K ltac:(lra) HK
      (components_short z (0.0001 * (u32 * T) + 9.5 * phi) ltac:(lra) Y2) Hc).
    pose proof (dot_short (flush_of_m d0) c (1.7321 * (1.75 * phi)) K ltac:(lra) HK
      (components_short (flush_of_m d0) (1.75 * phi) ltac:(lra) (flush_of_m_below d0 Hflush)) Hc).
    pose proof (dot_short _ c (8.01 * u32 * T) K ltac:(lra) HK (matrix_part d0 Hd0) Hc).
    assert (UA : u32_apart = 1.00000000372529029846191406250 * u32) by (unfold u32_apart; lra).
    assert (UAT : 0 <= u32_apart * T) by (rewrite UA; lra).
    pose proof (dot_short _ c (u32_apart * T) K UAT HK (part_d u32_apart a b Ha d0 Hd0) Hc) as P.
    change (fun i => t_of_M d0 i - t a b i) with (fun i => t_of_d a d0 i - t a b i). rewrite UA in P.
    assert (0 <= u32 * T * K) by (apply Rmult_le_pos; auto). assert (0 <= phi * K) by (apply Rmult_le_pos; lra). lra.
  Qed.

  Lemma run32_near : near 14.23 21.1 21.1 6.1 u32 a b t' s' C' c' gA' gB' (19.6 * phi) phi.
  Proof.
    pose proof (s_error u32 phi U phi_small32 a b r' Ha Hb Hr) as SE. pose proof (scale_range a b Ha Hb) as SR.
    pose proof (Rle_abs (norm2 r' - s a b)) as SA.
    assert (US : 0 <= u32 * s a b <= 0.0000001 * s a b) by (unfold u32; split; lra).
    assert (NR : 0 <= norm2 r' <= 1.0001 * s a b) by (split; [unfold norm2; nra | lra]).
    assert (E4 : error u32 4 * norm2 r' <= 4.01 * (u32 * s a b)).
    { apply Rle_trans with (4.001 * u32 * (1.0001 * s a b)); [| lra].
      apply Rmult_le_compat; [bound_error | lra | bound_error | lra]. }
    assert (UF : 0 <= 804 * phi <= 0.00001 * (u32 * s a b)) by (unfold u32, phi; lra).
    assert (CE : forall i j, Rabs (C' i j - C a b i j) <= 21.1 * u32 * s a b).
    { intros i j. pose proof (M_error u32 phi U phi_small32 a b r' Ha Hb Hr i j) as ME.
      pose proof (run32_C _ _ _ _ _ _ _ _ _ _ _ Hrun i j) as C0.
      apply (rounded u32 phi U phi_small32 4 2 _ _ _ 4 eq_refl ltac:(lia) ltac:(unfold u32; simpl; lra)) in C0.
      replace (C' i j - C a b i j) with ((C' i j - M r' i j) + (M r' i j - C a b i j)) by (clear; lra).
      eapply Rle_trans; [apply Rabs_triang |]. lra. }
    assert (GE : forall h g, 0 <= h -> Rabs (g - n' * h) <= u32 * (n' * h) + phi -> Rabs (g - n a * h)
      <= 6.1 * u32 * (n a * h) + phi).
    { intros h g Hh Hg. pose proof (g_error u32 phi U phi_small32 a n' Ha Hn h Hh) as GG. pose proof (n_pos a Ha).
      assert (P : 0 <= n a * h) by (apply Rmult_le_pos; lra). pose proof (Rle_abs (n' * h - n a * h)).
      assert (UP : 0 <= u32 * (n a * h) <= 0.0000001 * (n a * h)) by (unfold u32; split; lra).
      assert (u32 * (n' * h) <= u32 * (1.0001 * (n a * h))) by (apply Rmult_le_compat_l; lra).
      replace (g - n a * h) with ((g - n' * h) + (n' * h - n a * h)) by (clear; lra).
      eapply Rle_trans; [apply Rabs_triang |]. lra. }
    split; auto.
    - exact t_error_32.
    - pose proof (run32_s _ _ _ _ _ _ _ _ _ _ _ Hrun) as C0.
      apply (rounded u32 phi U phi_small32 4 2 _ _ _ 4 eq_refl ltac:(lia) ltac:(unfold u32; simpl; lra)) in C0.
      replace (s' - s a b) with ((s' - norm2 r') + (norm2 r' - s a b)) by (clear; lra).
      eapply Rle_trans; [apply Rabs_triang |]. lra.
    - intros i j. apply abs_change. apply CE.
    - intro i. apply GE; [apply (proj1 Ha) | apply (run32_gA _ _ _ _ _ _ _ _ _ _ _ Hrun)].
    - intro i. apply GE; [apply (proj1 Hb) | apply (run32_gB _ _ _ _ _ _ _ _ _ _ _ Hrun)].
  Qed.

  (** ** The answers: F and E are numbers before they are compared. *)
  Let G' := sum gA' + sum gB'.
  Definition rr (k : direction) : R := radii s' c' gA' gB' k.
  Definition E32 (gg : R) : R := bound DISTANCE_ERROR RADIUS_ERROR u32 A T' gg.

  Definition distance32 (k : direction) (w : R) : Prop := match k with
    | FaceA i => w = s' * Rabs (t' i)
    | FaceB j => exists y, w = Rabs y /\ computed_length u32 phi 3 2 3.1 T'
        (sum (fun i => Rabs (t' i) * Rabs (C' i j))) (sum (fun i => t' i * C' i j)) y
    | Edges i j => exists y, w = Rabs y /\ computed_length u32 phi 2 2 2.1 T'
        (Rabs (t' (after i)) * Rabs (C' (next i) j) + Rabs (t' (next i)) * Rabs (C' (after i) j))
        (t' (after i) * C' (next i) j - t' (next i) * C' (after i) j) y end.
  Definition F32 (k : direction) (w v : R) : Prop :=
    distance32 k w /\ computed_length u32 phi 5 2 5.2 (E32 (extents gA' gB' k) / u32) (w + rr k) (w - rr k) v.
  (* 3 |t|, at most 6 extents, and A *)
  Definition E_run32 (gg e : R) : Prop := computed_length u32 phi 10 2 10.1 (E32 gg / u32) (E32 gg) (E32 gg) e.
  Definition margin32 (i j : axis) (m : R) : Prop :=
    computed_length u32 phi (18 + 20) 4 (21.3 + 20.1) (E32 G' / u32)
      (kappa * ((T' + G') * sine i j c') + 2 * E32 G') (kappa * ((T' + G') * sine i j c') + 2 * E32 G') m.

  Definition separates32 (k : direction) : Prop :=
    exists w v e, F32 k w v /\ E_run32 (extents gA' gB' k) e /\ e < v.
  Definition clears32 (k : direction) : Prop :=
    exists w v e, F32 k w v /\ E_run32 (extents gA' gB' k) e /\ v < - e.
  (** x is the largest F of the faces. *)
  Definition parallel32 (i j : axis) : Prop := exists x m,
    (exists v, computed u32 phi 2 1 (sine i j c') (sine i j c') v /\ v < 0.5) /\ margin32 i j m /\ x < - m /\
    forall k, is_face k -> exists w v, F32 k w v /\ v <= x.
  Definition overlapping32 : Prop :=
    (forall k, is_face k -> clears32 k) /\ (forall i j, clears32 (Edges i j) \/ parallel32 i j).

  Lemma A_positive : 0 <= A.
  Proof. unfold A. apply Rlt_le, Rdiv_lt_0_compat; [lra | apply pow_lt; lra]. Qed.

  Lemma gs32 : (forall i, 0 <= gA' i) /\ (forall i, 0 <= gB' i).
  Proof.
    split; intro i; [apply (run32_gA _ _ _ _ _ _ _ _ _ _ _ Hrun) | apply (run32_gB _ _ _ _ _ _ _ _ _ _ _ Hrun)].
  Qed.

  Lemma signs32 : 0 <= T' /\ 0 <= G' /\ 0 <= s' /\ (forall i j, 0 <= c' i j) /\
    (forall k, 0 <= rr k) /\ (forall k, 0 <= extents gA' gB' k).
  Proof.
    destruct run32_near as [_ NS _ _ _ _]. destruct gs32 as [PA PB].
    pose proof (scale_range a b Ha Hb) as SR.
    assert (SP : 0 <= s') by (pose proof (Rle_abs (- (s' - s a b))) as Q; rewrite Rabs_Ropp in Q; unfold u32 in NS;
      lra).
    assert (PC : forall i j, 0 <= c' i j) by (intros; apply Rabs_pos).
    repeat split; auto.
    - unfold T', sum. repeat apply Rplus_le_le_0_compat; apply Rabs_pos.
    - unfold G', sum. repeat apply Rplus_le_le_0_compat; auto.
    - intro k. unfold rr, radii, sum. destruct k; repeat apply Rplus_le_le_0_compat; apply Rmult_le_pos; auto.
    - intro k. unfold extents, sum. destruct k; repeat apply Rplus_le_le_0_compat; auto.
  Qed.

  Lemma distance_rounded_32 : forall k w, distance32 k w ->
    0 <= w /\ Rabs (w - distance t' s' C' k) <= 3.02 * u32 * (s' * T') + 9.4 * phi.
  Proof.
    intros k w H. destruct signs32 as [TP [_ [SP _]]].
    pose proof run32_near as [_ NS NC _ _ _]. pose proof (scale_range a b Ha Hb) as SR.
    assert (CS : forall i j, Rabs (C' i j) <= 1.001 * s').
    { intros i j. pose proof (NC i j) as E. pose proof (entry_below a b i j).
      pose proof (Rle_abs (- (s' - s a b))) as Q. rewrite Rabs_Ropp in Q.
      replace (C' i j) with ((C' i j - C a b i j) + C a b i j) by (clear; lra).
      eapply Rle_trans; [apply Rabs_triang |]. unfold u32 in *. lra. }
    assert (B : forall i x y, Rabs (t' i) * Rabs (C' x y) <= 1.001 * s' * Rabs (t' i))
      by (intros; rewrite Rmult_comm; apply Rmult_le_compat_r; [apply Rabs_pos | apply CS]).
    assert (P : forall N Q S x y, (N <= 3)%nat -> Q <= 3.1 -> computed_length u32 phi N 2 Q T' S x y -> S <= 1.001 * (s' * T') ->
      Rabs (Rabs y - Rabs x) <= 3.02 * u32 * (s' * T') + 9.4 * phi).
    { intros N Q0 S x y L L2 C L1. apply abs_change. pose proof phi_least as Fl.
      apply (more_terms u32 phi N 3 2 Q0 3.1) in C; auto.
      apply (rounded_length u32 phi U phi_small32 3 2 _ _ _ _ _ 3 eq_refl ltac:(lia) ltac:(unfold u32; simpl; lra) TP) in C.
      simpl INR in C.
      assert (E3 : 0 <= error u32 3 <= 3.001 * u32) by bound_error.
      assert (Q : 0 <= s' * T') by (apply Rmult_le_pos; auto).
      assert (error u32 3 * S <= error u32 3 * (1.001 * (s' * T'))) by (apply Rmult_le_compat_l; lra).
      assert (error u32 3 * (1.001 * (s' * T')) <= 3.001 * u32 * (1.001 * (s' * T'))) by (apply Rmult_le_compat_r; lra).
      assert (0 <= u32 * (s' * T')) by (apply Rmult_le_pos; [unfold u32 |]; lra).
      assert (SL : 0.9 * T' <= s' * T').
      { apply Rmult_le_compat_r; auto. pose proof (Rle_abs (- (s' - s a b))) as B0. rewrite Rabs_Ropp in B0.
        unfold u32 in NS. lra. }
      assert (phi * T' <= 0.000000001 * u32 * T') by (apply Rmult_le_compat_r; lra).
      assert (u32 * (0.9 * T') <= u32 * (s' * T')) by (apply Rmult_le_compat_l; [unfold u32; lra | auto]). lra. }
    assert (Z0 : forall i, 0 <= s' * Rabs (t' i)) by (intro; apply Rmult_le_pos; [auto | apply Rabs_pos]).
    pose proof (Z0 X). pose proof (Z0 Y). pose proof (Z0 Z).
    destruct k as [i | j | i j]; simpl in H |- *.
    - rewrite H. split; [apply Z0 |]. rewrite Rminus_eq_0, Rabs_R0. pose proof phi_least.
      apply Rplus_le_le_0_compat; [| lra]. apply Rmult_le_pos; [unfold u32; lra | apply Rmult_le_pos; auto].
    - destruct H as [y [-> C]]. split; [apply Rabs_pos |]. eapply (P 3%nat 3.1); [lia | lra | exact C |].
      pose proof (B X X j). pose proof (B Y Y j). pose proof (B Z Z j). unfold T', sum. lra.
    - destruct H as [y [-> C]]. split; [apply Rabs_pos |]. eapply (P 2%nat 2.1); [lia | lra | exact C |].
      pose proof (B (after i) (next i) j). pose proof (B (next i) (after i) j). unfold T', sum. destruct i; simpl in
        *; lra.
  Qed.

  Lemma E32_pos : forall gg, 0 <= gg -> 0 <= E32 gg /\ 0 <= E32 gg / u32.
  Proof.
    intros gg Hg. destruct signs32 as [TP _]. pose proof A_positive as AP. pose proof u32_pos as UP.
    assert (0 <= u32 * (44 * T' + 34 * gg)) by (apply Rmult_le_pos; lra).
    assert (0 <= E32 gg) by (unfold E32, bound, DISTANCE_ERROR, RADIUS_ERROR; lra).
    split; auto. apply Rmult_le_pos; auto. apply Rlt_le, Rinv_0_lt_compat. lra.
  Qed.

  (** The computed E is at least that with smaller constants, which are still enough. *)
  Lemma E32_near : forall gg e, 0 <= gg -> E_run32 gg e -> bound 43.98 33.98 u32 (0.8 * A) T' gg <= e.
  Proof.
    intros gg e Hg H. destruct signs32 as [TP _]. destruct (E32_pos gg Hg) as [EP LP]. pose proof phi_least as [Fl ->].
    assert (UT : 0 <= u32 * T') by (apply Rmult_le_pos; [unfold u32 |]; lra).
    assert (UG : 0 <= u32 * gg) by (apply Rmult_le_pos; [unfold u32 |]; lra).
    apply (rounded_length u32 phi U phi_small32 10 2 _ _ _ _ _ 10 eq_refl ltac:(lia) ltac:(unfold u32; simpl; lra) LP) in H.
    pose proof (last_flushes u32 phi U phi_small32 2 10.1 (E32 gg) u32_pos ltac:(lia) ltac:(lra) EP) as LF. simpl INR in *.
    assert (error u32 10 * E32 gg <= 0.00001 * E32 gg) by (apply Rmult_le_compat_r; [auto | bound_error]).
    assert (u32 * E32 gg <= 0.000001 * E32 gg) by (apply Rmult_le_compat_r; [auto | unfold u32; lra]).
    pose proof (Rle_abs (- (e - E32 gg))) as Q. rewrite Rabs_Ropp in Q. destruct phi_least as [_ AE].
    unfold E32, bound, DISTANCE_ERROR, RADIUS_ERROR in *. rewrite AE in *. lra.
  Qed.

  Lemma F32_rounded : forall k w v, F32 k w v -> 0 <= w + rr k /\
    Rabs (v - (w - rr k)) <= 5.01 * u32 * (w + rr k) + (15.7 * phi + 0.0001 * u32 * E32 (extents gA' gB' k)).
  Proof.
    intros k w v [H C]. destruct signs32 as [_ [_ [_ [_ [RP XP]]]]]. specialize (RP k). specialize (XP k).
    destruct (distance_rounded_32 k w H) as [W _]. split; [lra |]. destruct (E32_pos _ XP) as [EP LP].
    pose proof phi_least as [Fl _].
    apply (rounded_length u32 phi U phi_small32 5 2 _ _ _ _ _ 5 eq_refl ltac:(lia) ltac:(unfold u32; simpl; lra) LP) in C.
    pose proof (last_flushes u32 phi U phi_small32 2 5.2 _ u32_pos ltac:(lia) ltac:(lra) EP) as LF. simpl INR in *.
    assert (error u32 5 * (w + rr k) <= 5.01 * u32 * (w + rr k)) by (apply Rmult_le_compat_r; [lra | bound_error]). lra.
  Qed.

  Lemma sign_is_true_32 : forall k w v, F32 k w v ->
    let e := bound 43.98 33.98 u32 (0.8 * A) T' (extents gA' gB' k) in
    (e < v -> 0 < F a b k) /\ (v < - e -> F a b k < 0).
  Proof.
    intros k w v H e. destruct (F32_rounded k w v H) as [P Rd]. destruct H as [Hw _].
    destruct (distance_rounded_32 k w Hw) as [_ W]. destruct signs32 as [TP [_ [_ [_ [_ XP]]]]]. specialize (XP k).
    pose proof A_positive as AP. pose proof phi_least as [Fl AE].
    assert (UX : 0 <= u32 * extents gA' gB' k) by (apply Rmult_le_pos; [unfold u32 |]; lra).
    assert (UT : 0 <= u32 * T') by (apply Rmult_le_pos; [unfold u32 |]; lra).
    assert (EP : 0 <= E32 (extents gA' gB' k) <= 1.26 * e)
      by (unfold e, E32, bound, DISTANCE_ERROR, RADIUS_ERROR; lra).
    assert (UE : u32 * E32 (extents gA' gB' k) <= u32 * (1.26 * e)) by (apply Rmult_le_compat_l; [unfold u32 |]; lra).
    assert (S : 0 <= u32 * (w + rr k) /\ 0 <= u32 * e) by (split; apply Rmult_le_pos; try lra; unfold u32; lra).
    split; intro V.
    - apply positive with (ct := 14.23) (cC := 21.1) (cc := 21.1) (cg := 6.1) (co := 3.02) (KT := 43.98) (KG := 33.98)
      (u := u32)
        (t' := t') (s' := s') (C' := C') (c' := c') (gA' := gA') (gB' := gB')
        (e_t := 19.6 * phi) (e_g := phi) (e_w := 9.4 * phi) (e_v := 15.7 * phi) (A := 0.8 * A) (p := 5.02) (w := w)
        (v := v - e); auto; try exact run32_near; try lra.
      fold T'. fold e. replace (v - e - _) with (v - (w - rr k)) by (unfold rr; clear; lra).
      eapply Rle_trans; [exact Rd |]. change (radii s' c' gA' gB' k) with (rr k). lra.
    - apply negative with (ct := 14.23) (cC := 21.1) (cc := 21.1) (cg := 6.1) (co := 3.02) (KT := 43.98) (KG := 33.98)
      (u := u32)
        (t' := t') (s' := s') (C' := C') (c' := c') (gA' := gA') (gB' := gB')
        (e_t := 19.6 * phi) (e_g := phi) (e_w := 9.4 * phi) (e_v := 15.7 * phi) (A := 0.8 * A) (p := 5.02) (w := w)
        (v := v + e); auto; try exact run32_near; try lra.
      fold T'. fold e. replace (v + e - _) with (v - (w - rr k)) by (unfold rr; clear; lra).
      eapply Rle_trans; [exact Rd |]. change (radii s' c' gA' gB' k) with (rr k). lra.
  Qed.

  Theorem cpu_f32_separated : forall k, separates32 k -> separated a b.
  Proof.
    intros k [w [v [e [HF [HE V]]]]]. destruct signs32 as [_ [_ [_ [_ [_ XP]]]]].
    pose proof (E32_near _ e (XP k) HE).
    assert (P : 0 < F a b k) by (apply (sign_is_true_32 k w v HF); lra).
    apply positive_F_separates; auto. destruct k; simpl in P; eauto.
  Qed.

  Lemma clears32_is_true : forall k, clears32 k -> F a b k < 0.
  Proof.
    intros k [w [v [e [HF [HE V]]]]]. destruct signs32 as [_ [_ [_ [_ [_ XP]]]]].
    pose proof (E32_near _ e (XP k) HE). apply (sign_is_true_32 k w v HF). lra.
  Qed.

  Lemma parallel32_is_true : forall i j, parallel32 i j -> rule a b i j.
  Proof.
    intros i j [x [m [[v0 [C0 V0]] [Hm [X H]]]]].
    destruct signs32 as [TP [GP [_ [CP [RP _]]]]]. pose proof (scale_range a b Ha Hb) as SR. pose proof A_positive as
      AP. pose proof phi_least as [Fl AE].
    assert (SS : 0 <= sine i j c' <= 0.5001).
    { assert (P : 0 <= sine i j c') by (unfold sine; apply Rplus_le_le_0_compat; auto). split; auto.
      apply (rounded u32 phi U phi_small32 2 1 _ _ _ 1 eq_refl ltac:(lia) ltac:(unfold u32; simpl; lra)) in C0.
      assert (error u32 1 * sine i j c' <= 0.000001 * sine i j c') by (apply Rmult_le_compat_r; [auto | bound_error]).
      pose proof (Rle_abs (- (v0 - sine i j c'))) as Q. rewrite Rabs_Ropp in Q. lra. }
    destruct (sine_near 14.23 21.1 21.1 6.1 u32 a b t' s' C' c' gA' gB' (19.6 * phi) phi run32_near i j CP) as [_ [_ D]].
    split.
    - assert (21.1 * u32 * s a b <= 0.00001 * s a b) by (apply Rmult_le_compat_r; [| unfold u32]; lra). lra.
    - intros k Hk. destruct (H k Hk) as [w [v [HF L]]]. destruct (F32_rounded k w v HF) as [P Rd]. destruct HF as [Hw
      _].
      destruct (distance_rounded_32 k w Hw) as [_ W].
      apply rule_face with (ct := 14.23) (cC := 21.1) (cc := 21.1) (cg := 6.1) (co := 3.02) (p := 5.01) (KT :=
        DISTANCE_ERROR) (KG := RADIUS_ERROR)
        (u := u32) (t' := t') (s' := s') (C' := C') (c' := c') (gA' := gA') (gB' := gB')
        (e_t := 19.6 * phi) (e_g := phi) (e_w := 9.4 * phi) (e_v := 223.3 * phi) (A := A) (kappa := kappa) (w := w);
        auto; try exact run32_near; try (unfold DISTANCE_ERROR, RADIUS_ERROR; lra); try lra.
      + fold T'. fold G'. lra.
      + change (radii s' c' gA' gB' k) with (rr k).
        set (Q := kappa * ((T' + G') * sine i j c')) in *.
        assert (KP : 0 <= kappa) by (unfold KAPPA in Hkappa; pose proof (Rle_abs (- (kappa - 1.16))) as B;
          rewrite Rabs_Ropp in B; lra).
        assert (QP : 0 <= Q) by (unfold Q; apply Rmult_le_pos; auto; apply Rmult_le_pos; lra).
        destruct (E32_pos G' GP) as [EP LP].
        apply (rounded_length u32 phi U phi_small32 (18 + 20) 4 _ _ _ _ _ 40 eq_refl ltac:(lia)
          ltac:(unfold u32; simpl; lra) LP) in Hm.
        pose proof (last_flushes u32 phi U phi_small32 4 (21.3 + 20.1) _ u32_pos ltac:(lia) ltac:(lra) EP) as LF.
        simpl INR in *. fold Q in Hm.
        assert (XG : E32 (extents gA' gB' k) <= E32 G').
        { destruct gs32 as [GA GB]. pose proof (GA Boxes.X). pose proof (GA Y). pose proof (GA Z).
          pose proof (GB Boxes.X). pose proof (GB Y). pose proof (GB Z). unfold E32, bound. apply Rplus_le_compat_r, Rmult_le_compat_l; [lra |].
          apply Rplus_le_compat_l, Rmult_le_compat_l; [unfold RADIUS_ERROR; lra |].
          unfold G', extents, sum. destruct k as [[] | [] |]; lra. }
        assert (UX : u32 * E32 (extents gA' gB' k) <= 0.000001 * E32 G').
        { apply Rle_trans with (u32 * E32 G'); [apply Rmult_le_compat_l; [unfold u32 |]; lra |].
          apply Rmult_le_compat_r; [lra | unfold u32; lra]. }
        assert (UG : u32 * E32 G' <= 0.000001 * E32 G') by (apply Rmult_le_compat_r; [lra | unfold u32; lra]).
        assert (UW : 0 <= u32 * (w + rr k)) by (apply Rmult_le_pos; [unfold u32 |]; lra).
        assert (error u32 40 * (Q + 2 * E32 G') <= 0.00001 * (Q + 2 * E32 G')) by (apply Rmult_le_compat_r; [lra |
          bound_error]).
        pose proof (Rle_abs (- (m - (Q + 2 * E32 G')))) as B1. rewrite Rabs_Ropp in B1.
        pose proof (Rle_abs (- (v - (w - rr k)))) as B2. rewrite Rabs_Ropp in B2.
        unfold added. fold T'. fold G'. fold Q. fold (E32 G'). lra.
  Qed.

  Theorem cpu_f32_overlapping : overlapping32 -> overlapping a b.
  Proof.
    intros [HF HE]. apply negative_or_rule_overlaps; auto.
    - intros k Hk. apply clears32_is_true; auto.
    - intros i j. destruct (HE i j) as [H | H]; [left; apply clears32_is_true; auto | right; apply parallel32_is_true;
      auto].
  Qed.
End Cpu.
