(** * The answers of the f32 shader by one axis are true, on all fifteen axes.

    v is what the shader compares with zero: F - E or F + E as any compiler may have rewritten it,
    with E moved across the comparison. *)

Require Import Reals Lra Lia.
From Obbligato Require Import Boxes Formulas Separation Rounding Lengths Constants Propagation Axes Shader.
Open Scope R_scope.

(** What follows the fences. The numbers of monomials are counted from the formulas. *)
Section Values.
  Variables (u A : R) (a b : box) (t' : vec) (n' : R) (r' : quat) (c' : axis -> axis -> R).

  Definition gA' : vec := fun i => n' * half a i.
  Definition gB' : vec := fun i => n' * half b i.
  Definition radii' (k : direction) : R := radii (norm2 r') c' gA' gB' k.
  Definition E' (k : direction) : R := bound K_T K_G u A (sum (fun i => Rabs (t' i))) (extents gA' gB' k).

  (** The distance, which an absolute value ends, except that of a face of A: |t| is one already. *)
  Definition distance_run (k : direction) (w : R) : Prop :=
    match k with
    | FaceA i => w = norm2 r' * Rabs (t' i)
    | FaceB j => exists y, w = Rabs y /\ computed u 12 3
        (sum (fun i => Rabs (t' i) * W r' i j)) (sum (fun i => t' i * M r' i j)) y
    | Edges i j => exists y, w = Rabs y /\ computed u 8 3
        (Rabs (t' (after i)) * W r' (next i) j + Rabs (t' (next i)) * W r' (after i) j)
        (t' (after i) * M r' (next i) j - t' (next i) * M r' (after i) j) y
    end.

  (** F and E together: 4 |t|, 4 s g, 3 |C| g, and 8 of E on a face of A. *)
  Definition terms (k : direction) : nat :=
    match k with FaceA _ => 11 + 8 | FaceB _ => 1 + 4 + 3 + 8 | Edges _ _ => 1 + 4 + 10 end.

  Definition F_less_E (k : direction) (w v : R) : Prop :=
    computed u (terms k) 4 (w + radii' k + E' k) (w - radii' k - E' k) v.
  Definition F_plus_E (k : direction) (w v : R) : Prop :=
    computed u (terms k) 4 (w + radii' k + E' k) (w - radii' k + E' k) v.
End Values.

Section Filter.
  Variable u : R.
  Hypothesis u_small : 0 <= u <= 1 / 2 ^ 23.
  Variables (A : R) (a b : box) (d' t' : vec) (n' : R) (r' : quat) (c' : axis -> axis -> R).
  Hypothesis HA : 0 <= A.
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Hypothesis Hrun : run u a b d' t' n' r' c'.
  Variables (k : direction) (w : R).
  Hypothesis Hw : distance_run u t' r' k w.

  Let T' := sum (fun i => Rabs (t' i)).

  Lemma error_18 : 0 <= error u 18 <= 18.01 * u.
  Proof. pose proof (u_square u u_small). unfold error. simpl. lra. Qed.
  Lemma error_21 : 0 <= error u 21 <= 21.01 * u.
  Proof. pose proof (u_square u u_small). unfold error. simpl. lra. Qed.

  Lemma distance_rounded :
    Rabs (w - distance t' (norm2 r') (M r') k) <= 13.01 * u * (norm2 r' * T') + 0.
  Proof.
    pose proof (error_13 u u_small) as E.
    assert (N : 0 <= norm2 r') by (unfold norm2; nra).
    assert (P : forall i, 0 <= Rabs (t' i)) by (intro; apply Rabs_pos).
    assert (TT : 0 <= T') by (unfold T', sum; repeat apply Rplus_le_le_0_compat; auto).
    assert (B : forall i x y, Rabs (t' i) * W r' x y <= norm2 r' * Rabs (t' i)).
    { intros. rewrite Rmult_comm. apply Rmult_le_compat_r; [auto | apply W_bounds]. }
    assert (Q : forall i, 0 <= norm2 r' * Rabs (t' i)) by (intro; apply Rmult_le_pos; auto).
    assert (R : forall S x y, computed u 12 3 S x y -> S <= norm2 r' * T' ->
      Rabs (Rabs y - Rabs x) <= 13.01 * u * (norm2 r' * T') + 0).
    { intros S x y C L. apply abs_change.
      pose proof (rounded u u_small 12 3 _ _ _ 13 eq_refl ltac:(lia) ltac:(simpl; lra) C) as D.
      assert (error u 13 * S <= error u 13 * (norm2 r' * T')) by (apply Rmult_le_compat_l; lra).
      assert (error u 13 * (norm2 r' * T') <= 13.01 * u * (norm2 r' * T'))
        by (apply Rmult_le_compat_r; [apply Rmult_le_pos; auto | lra]). lra. }
    pose proof (B X). pose proof (B Y). pose proof (B Z). pose proof (Q X). pose proof (Q Y). pose proof (Q Z).
    destruct k as [i | j | i j]; simpl in Hw |- *.
    - rewrite Hw, Rminus_eq_0, Rabs_R0, Rplus_0_r. apply Rmult_le_pos; [lra | apply Rmult_le_pos; auto].
    - destruct Hw as [y [-> C]]. eapply R; [exact C |]. unfold T', sum.
      pose proof (H X j). pose proof (H0 Y j). pose proof (H1 Z j). lra.
    - destruct Hw as [y [-> [e [[N8 [D8 [V8 M8]]] Ev]]]].
      eapply R; [exists e; repeat split; try eassumption; lia |].
      pose proof (B (after i) (next i) j). pose proof (B (next i) (after i) j).
      unfold T', sum. destruct i; simpl in *; lra.
  Qed.

  Lemma gs_pos : (forall i, 0 <= gA' a n' i) /\ (forall i, 0 <= gB' b n' i).
  Proof.
    pose proof (n_error u u_small a n' Ha (run_n _ _ _ _ _ _ _ _ Hrun)) as NE.
    pose proof (n_pos a Ha). pose proof (Rle_abs (- (n' - n a))) as Q. rewrite Rabs_Ropp in Q.
    assert (u * n a <= 0.0000002 * n a) by (apply Rmult_le_compat_r; lra).
    split; intro; apply Rmult_le_pos; try lra; [apply (proj1 Ha) | apply (proj1 Hb)].
  Qed.

  Lemma positive_parts : 0 <= w /\ 0 <= radii' a b n' r' c' k /\ 0 <= E' u A a b t' n' k.
  Proof.
    assert (N : 0 <= norm2 r') by (unfold norm2; nra).
    destruct gs_pos as [GA GB].
    assert (CC : forall i j, 0 <= c' i j) by (intros i j; destruct (run_c _ _ _ _ _ _ _ _ Hrun i j) as [v [_ ->]];
      apply Rabs_pos).
    assert (TT : 0 <= T') by (unfold T', sum; repeat apply Rplus_le_le_0_compat; apply Rabs_pos).
    repeat split.
    - destruct k; simpl in Hw.
      + rewrite Hw. apply Rmult_le_pos; [auto | apply Rabs_pos].
      + destruct Hw as [y [-> _]]. apply Rabs_pos.
      + destruct Hw as [y [-> _]]. apply Rabs_pos.
    - unfold radii', radii, sum. destruct k;
        repeat apply Rplus_le_le_0_compat; apply Rmult_le_pos; auto.
    - assert (0 <= extents (gA' a n') (gB' b n') k)
        by (unfold extents, sum; destruct k; repeat apply Rplus_le_le_0_compat; auto).
      unfold E', bound, K_T, K_G. fold T'. apply Rplus_le_le_0_compat; auto. apply Rmult_le_pos; lra.
  Qed.

  Lemma last_sums : forall x v, computed u (terms k) 4 (w + radii' a b n' r' c' k + E' u A a b t' n' k) x v ->
    exists p, 0 <= p <= 21.01 /\ (p <= 18.01 \/ w = distance t' (norm2 r') (M r') k) /\
      Rabs (v - x) <= p * u * (w + radii' a b n' r' c' k + E' u A a b t' n' k) + 0.
  Proof.
    intros x v C. destruct positive_parts as [P [Q R]].
    assert (S : 0 <= w + radii' a b n' r' c' k + E' u A a b t' n' k) by lra.
    destruct C as [e [[L [D [V M]]] Ev]].
    destruct k as [i | j | i j]; simpl in L.
    - exists 21.01. repeat split; try lra; [right; exact Hw |]. pose proof error_21.
      assert (C : computed u 19 4 (w + radii' a b n' r' c' (FaceA i) + E' u A a b t' n' (FaceA i)) x v)
        by (exists e; repeat split; assumption).
      apply (rounded u u_small 19 4 _ _ _ 21 eq_refl ltac:(lia) ltac:(simpl; lra)) in C.
      eapply Rle_trans; [exact C |]. rewrite Rplus_0_r. apply Rmult_le_compat_r; lra.
    - exists 18.01. repeat split; try lra. pose proof error_18.
      assert (C : computed u 16 4 (w + radii' a b n' r' c' (FaceB j) + E' u A a b t' n' (FaceB j)) x v)
        by (exists e; repeat split; assumption).
      apply (rounded u u_small 16 4 _ _ _ 18 eq_refl ltac:(lia) ltac:(simpl; lra)) in C.
      eapply Rle_trans; [exact C |]. rewrite Rplus_0_r. apply Rmult_le_compat_r; lra.
    - exists 18.01. repeat split; try lra. pose proof error_18.
      assert (C : computed u 16 4 (w + radii' a b n' r' c' (Edges i j) + E' u A a b t' n' (Edges i j)) x v)
        by (exists e; repeat split; try assumption; lia).
      apply (rounded u u_small 16 4 _ _ _ 18 eq_refl ltac:(lia) ltac:(simpl; lra)) in C.
      eapply Rle_trans; [exact C |]. rewrite Rplus_0_r. apply Rmult_le_compat_r; lra.
  Qed.

  Lemma run_near : near 41 17 22 5 u a b t' (norm2 r') (M r') c' (gA' a n') (gB' b n') 0 0.
  Proof.
    split.
    - intros c0 K HK Hc. rewrite Rplus_0_r.
      pose proof (t_error u u_small a b d' t' n' r' c' Ha Hrun c0 K HK Hc). lra.
    - apply s_error; auto. exact (run_r _ _ _ _ _ _ _ _ Hrun).
    - apply M_error; auto. exact (run_r _ _ _ _ _ _ _ _ Hrun).
    - intros. eapply c_error; eauto.
    - intro. rewrite Rplus_0_r. apply g_error; auto; [exact (run_n _ _ _ _ _ _ _ _ Hrun) | apply (proj1 Ha)].
    - intro. rewrite Rplus_0_r. apply g_error; auto; [exact (run_n _ _ _ _ _ _ _ _ Hrun) | apply (proj1 Hb)].
  Qed.

  (* Applies a theorem of [Axes.v] to the run, if the distance has an error of its own of [own]. *)
  Ltac values_of_run theorem own p v :=
    apply theorem with (ct := 41) (cC := 17) (cc := 22) (cg := 5) (co := own) (KT := K_T) (KG := K_G) (u := u)
      (t' := t') (s' := norm2 r') (C' := M r') (c' := c') (gA' := gA' a n') (gB' := gB' b n')
      (e_t := 0) (e_g := 0) (e_w := 0) (e_v := 0) (A := A) (p := p) (w := w) (v := v);
    auto; try exact run_near; try (unfold K_T, K_G; lra).

  (** The theorem: a positive F - E, and a negative F + E, are true. *)
  Theorem positive_is_true : forall v, F_less_E u A a b t' n' r' c' k w v -> 0 < v -> 0 < F a b k.
  Proof.
    intros v C V. apply last_sums in C. destruct C as [p [P [K H]]].
    destruct K as [K | K].
    - values_of_run positive 13.01 p v; exact distance_rounded.
    - values_of_run positive 0 p v. rewrite K, Rminus_eq_0, Rabs_R0. lra.
  Qed.

  Theorem negative_is_true : forall v, F_plus_E u A a b t' n' r' c' k w v -> v < 0 -> F a b k < 0.
  Proof.
    intros v C V. apply last_sums in C. destruct C as [p [P [K H]]].
    destruct K as [K | K].
    - values_of_run negative 13.01 p v; exact distance_rounded.
    - values_of_run negative 0 p v. rewrite K, Rminus_eq_0, Rabs_R0. lra.
  Qed.

  Theorem separated_is_true : forall v, F_less_E u A a b t' n' r' c' k w v -> 0 < v -> separated a b.
  Proof.
    intros v C V. apply positive_is_true in C; auto. apply positive_F_separates; auto.
    destruct k as [i | j | i j]; simpl in C; eauto.
  Qed.
End Filter.
