(** * The answers of the f32 shader by one axis are true, on all fifteen axes.

    v is what the shader compares with zero: F - E or F + E as any compiler may have rewritten it,
    with E moved across the comparison. *)

Require Import Rbase Rfunctions Lra Lia.
From Obbligato Require Import Boxes Formulas Separation Rounding Flushing Lengths Constants Propagation Axes Shader.
Open Scope R_scope.

(** What follows the fences. The numbers of monomials are counted from the formulas. *)
Section Values.
  Variables (u phi A : R) (a b : box) (t' : vec) (n' : R) (r' : quat) (c' : axis -> axis -> R).

  Definition gA' : vec := fun i => n' * half a i.
  Definition gB' : vec := fun i => n' * half b i.
  Definition radii' (k : direction) : R := radii (norm2 r') c' gA' gB' k.
  Definition E' (k : direction) : R := bound K_T K_G u A (sum (fun i => Rabs (t' i))) (extents gA' gB' k).

  (** The distance, which an absolute value ends, except that of a face of A: |t| is one already. *)
  Definition distance_run (k : direction) (w : R) : Prop :=
    match k with
    | FaceA i => w = norm2 r' * Rabs (t' i)
    | FaceB j => exists y, w = Rabs y /\ computed_length u phi 12 3 12.1 (sum (fun i => Rabs (t' i)))
        (sum (fun i => Rabs (t' i) * W r' i j)) (sum (fun i => t' i * M r' i j)) y
    | Edges i j => exists y, w = Rabs y /\ computed_length u phi 8 3 12.1 (sum (fun i => Rabs (t' i)))
        (Rabs (t' (after i)) * W r' (next i) j + Rabs (t' (next i)) * W r' (after i) j)
        (t' (after i) * M r' (next i) j - t' (next i) * M r' (after i) j) y
    end.

  (** F and E together: 4 |t|, 4 s g, 3 |C| g, and 8 of E on a face of A. *)
  Definition terms (k : direction) : nat :=
    match k with FaceA _ => 11 + 8 | FaceB _ => 1 + 4 + 3 + 8 | Edges _ _ => 1 + 4 + 10 end.

  (** The caps are above 1 by the lengths of quaternions. E has u K of each length, so that none of
      them is above E / u. *)
  Definition terms_caps (k : direction) : R := match k with FaceA _ => 19.2 | _ => 16.2 end.

  Definition F_less_E (k : direction) (w v : R) : Prop :=
    computed_length u phi (terms k) 4 (terms_caps k) (E' k / u) (w + radii' k + E' k) (w - radii' k - E' k) v.
  Definition F_plus_E (k : direction) (w v : R) : Prop :=
    computed_length u phi (terms k) 4 (terms_caps k) (E' k / u) (w + radii' k + E' k) (w - radii' k + E' k) v.
End Values.

Section Filter.
  Variables u phi : R.
  Hypothesis u_small : 0 < u <= 1 / 2 ^ 23.
  Hypothesis phi_small : 0 <= phi <= u * u * u * u.
  Let u_weak : 0 <= u <= 1 / 2 ^ 23 := conj (Rlt_le _ _ (proj1 u_small)) (proj2 u_small).
  Variables (A : R) (a b : box) (d' t' : vec) (n' : R) (r' : quat) (c' : axis -> axis -> R).
  Hypothesis HA : 256 * phi <= A.
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Hypothesis Hrun : run u phi a b d' t' n' r' c'.
  Variables (k : direction) (w : R).
  Hypothesis Hw : distance_run u phi t' r' k w.

  Let T' := sum (fun i => Rabs (t' i)).

  Lemma error_18 : 0 <= error u 18 <= 18.01 * u.
  Proof. pose proof (u_square u u_weak). unfold error. simpl. lra. Qed.
  Lemma error_21 : 0 <= error u 21 <= 21.01 * u.
  Proof. pose proof (u_square u u_weak). unfold error. simpl. lra. Qed.

  Lemma s_above : 0.99 <= norm2 r'.
  Proof.
    pose proof (s_error u phi u_weak phi_small a b r' Ha Hb (run_r _ _ _ _ _ _ _ _ _ Hrun)) as E.
    pose proof (scale_range a b Ha Hb) as S. pose proof (Rle_abs (- (norm2 r' - s a b))) as Q. rewrite Rabs_Ropp in Q.
    assert (17 * u * s a b <= 0.00001 * s a b) by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  Lemma distance_rounded :
    Rabs (w - distance t' (norm2 r') (M r') k) <= 13.01 * u * (norm2 r' * T') + 48.6 * phi.
  Proof.
    pose proof (error_13 u u_weak) as E. pose proof s_above as N. pose proof (phi_tiny u phi u_weak phi_small) as F.
    assert (P : forall i, 0 <= Rabs (t' i)) by (intro; apply Rabs_pos).
    assert (TT : 0 <= T') by (unfold T', sum; repeat apply Rplus_le_le_0_compat; auto).
    assert (B : forall i x y, Rabs (t' i) * W r' x y <= norm2 r' * Rabs (t' i)).
    { intros. rewrite Rmult_comm. apply Rmult_le_compat_r; [auto | apply W_bounds]. }
    assert (Q : forall i, 0 <= norm2 r' * Rabs (t' i)) by (intro; apply Rmult_le_pos; [lra | auto]).
    assert (R : forall S x y, computed_length u phi 12 3 12.1 T' S x y -> S <= norm2 r' * T' ->
      Rabs (Rabs y - Rabs x) <= 13.01 * u * (norm2 r' * T') + 48.6 * phi).
    { intros S x y C L. apply abs_change.
      pose proof (rounded_length u phi u_weak phi_small 12 3 _ _ _ _ _ 13 eq_refl ltac:(lia) ltac:(simpl; lra) TT C) as D.
      simpl INR in D.
      assert (error u 13 * S <= error u 13 * (norm2 r' * T')) by (apply Rmult_le_compat_l; lra).
      assert (error u 13 * (norm2 r' * T') <= 13.001 * u * (norm2 r' * T'))
        by (apply Rmult_le_compat_r; [apply Rmult_le_pos |]; lra).
      assert (phi * T' <= u * (1 / 2 ^ 69) * T') by (apply Rmult_le_compat_r; lra).
      assert (u * (0.99 * T') <= u * (norm2 r' * T'))
        by (apply Rmult_le_compat_l; [lra | apply Rmult_le_compat_r; lra]).
      assert (0 <= u * T') by (apply Rmult_le_pos; lra). lra. }
    pose proof (B X). pose proof (B Y). pose proof (B Z). pose proof (Q X). pose proof (Q Y). pose proof (Q Z).
    destruct k as [i | j | i j]; simpl in Hw |- *.
    - rewrite Hw, Rminus_eq_0, Rabs_R0. apply Rplus_le_le_0_compat; [| lra]. apply Rmult_le_pos; [lra |].
      apply Rmult_le_pos; lra.
    - destruct Hw as [y [-> C]]. eapply R; [exact C |]. unfold T', sum.
      pose proof (H X j). pose proof (H0 Y j). pose proof (H1 Z j). lra.
    - destruct Hw as [y [-> C]].
      eapply R; [eapply more_terms; [| | exact C]; [lia | lra] |].
      pose proof (B (after i) (next i) j). pose proof (B (next i) (after i) j).
      unfold T', sum. destruct i; simpl in *; lra.
  Qed.

  Lemma gs_pos : (forall i, 0 <= gA' a n' i) /\ (forall i, 0 <= gB' b n' i).
  Proof.
    pose proof (n_error u phi u_weak phi_small a n' Ha (run_n _ _ _ _ _ _ _ _ _ Hrun)) as NE.
    pose proof (n_pos a Ha). pose proof (Rle_abs (- (n' - n a))) as Q. rewrite Rabs_Ropp in Q.
    assert (u * n a <= 0.0000002 * n a) by (apply Rmult_le_compat_r; lra).
    split; intro; apply Rmult_le_pos; try lra; [apply (proj1 Ha) | apply (proj1 Hb)].
  Qed.

  Lemma positive_parts : 0 <= w /\ 0 <= radii' a b n' r' c' k /\ 0 <= E' u A a b t' n' k.
  Proof.
    assert (N : 0 <= norm2 r') by (unfold norm2; nra).
    destruct gs_pos as [GA GB].
    assert (CC : forall i j, 0 <= c' i j) by (intros i j; destruct (run_c _ _ _ _ _ _ _ _ _ Hrun i j) as [v [_ ->]];
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
      unfold E', bound, K_T, K_G. fold T'. apply Rplus_le_le_0_compat; [| lra]. apply Rmult_le_pos; lra.
  Qed.

  (** Their number of roundings, p, and what flushes add; and the error that the distance has before. *)
  Lemma last_sums : forall x v,
    computed_length u phi (terms k) 4 (terms_caps k) (E' u A a b t' n' k / u)
      (w + radii' a b n' r' c' k + E' u A a b t' n' k) x v ->
    exists p e_v co e_w, 0 <= p <= 21.02 /\ Rabs (v - x) <= p * u * (w + radii' a b n' r' c' k + E' u A a b t' n' k) + e_v /\
      Rabs (w - distance t' (norm2 r') (M r') k) <= co * u * (norm2 r' * T') + e_w /\
      (p <= 18.02 /\ co = 13.01 /\ e_w = 48.6 * phi /\ e_v = 81.2 * phi \/ co = 0 /\ e_w = 0 /\ e_v = 96.2 * phi).
  Proof.
    intros x v C. destruct positive_parts as [P [Q R]]. pose proof (phi_tiny u phi u_weak phi_small) as F.
    pose proof distance_rounded as DR.
    set (S := w + radii' a b n' r' c' k + E' u A a b t' n' k) in *. set (E := E' u A a b t' n' k) in *.
    assert (SE : E <= S) by (unfold S; lra). assert (US : 0 <= u * S) by (apply Rmult_le_pos; lra).
    assert (UE : u * E <= u * S) by (apply Rmult_le_compat_l; lra).
    assert (LP : 0 <= E / u) by (apply Rmult_le_pos; [lra |]; apply Rlt_le, Rinv_0_lt_compat; lra).
    assert (K : (exists i, k = FaceA i) \/ (terms k <= 16)%nat /\ terms_caps k = 16.2)
      by (destruct k; simpl; [left; eauto | right; split; auto; lia | right; split; auto; lia]).
    destruct K as [[i ->] | [K1 K2]].
    - exists 21.02, (96.2 * phi), 0, 0. split; [lra |]. split; [| split; [| right; auto]].
      + pose proof error_21 as E21. simpl terms in C. simpl terms_caps in C.
        apply (rounded_length u phi u_weak phi_small 19 4 _ _ _ _ _ 21 eq_refl ltac:(lia) ltac:(simpl; lra) LP) in C.
        pose proof (last_flushes u phi u_weak phi_small 4 19.2 E (proj1 u_small) ltac:(lia) ltac:(lra) R) as LF. simpl INR in *.
        assert (error u 21 * S <= 21.01 * u * S) by (apply Rmult_le_compat_r; lra). lra.
      + simpl in Hw |- *. rewrite Hw, Rminus_eq_0, Rabs_R0. lra.
    - exists 18.02, (81.2 * phi), 13.01, (48.6 * phi). split; [lra |]. split; [| split; [exact DR | left; repeat split; lra]].
      rewrite K2 in C. apply (more_terms u phi (terms k) 16 4 16.2 16.2) in C; [| exact K1 | lra]. pose proof error_18 as E18.
      apply (rounded_length u phi u_weak phi_small 16 4 _ _ _ _ _ 18 eq_refl ltac:(lia) ltac:(simpl; lra) LP) in C.
      pose proof (last_flushes u phi u_weak phi_small 4 16.2 E (proj1 u_small) ltac:(lia) ltac:(lra) R) as LF. simpl INR in *.
      assert (error u 18 * S <= 18.01 * u * S) by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  Lemma run_near : near 41 17 22 5 u a b t' (norm2 r') (M r') c' (gA' a n') (gB' b n') (89.5 * phi) 0.
  Proof.
    split.
    - intros c0 K HK Hc. exact (t_error u phi u_weak phi_small a b d' t' n' r' c' Ha Hrun c0 K HK Hc).
    - apply (s_error u phi); auto. exact (run_r _ _ _ _ _ _ _ _ _ Hrun).
    - apply (M_error u phi); auto. exact (run_r _ _ _ _ _ _ _ _ _ Hrun).
    - intros. eapply (c_error u phi); eauto.
    - intro. rewrite Rplus_0_r. apply (g_error u phi); auto; [exact (run_n _ _ _ _ _ _ _ _ _ Hrun) | apply (proj1 Ha)].
    - intro. rewrite Rplus_0_r. apply (g_error u phi); auto; [exact (run_n _ _ _ _ _ _ _ _ _ Hrun) | apply (proj1 Hb)].
  Qed.

  (* Applies a theorem of [Axes.v] to the run. *)
  Ltac values_of_run theorem own ew ev p v :=
    apply theorem with (ct := 41) (cC := 17) (cc := 22) (cg := 5) (co := own) (KT := K_T) (KG := K_G) (u := u)
      (t' := t') (s' := norm2 r') (C' := M r') (c' := c') (gA' := gA' a n') (gB' := gB' b n')
      (e_t := 89.5 * phi) (e_g := 0) (e_w := ew) (e_v := ev) (A := A) (p := p) (w := w) (v := v);
    auto; try exact run_near; try (unfold K_T, K_G; lra); lra.

  (** The theorem: a positive F - E, and a negative F + E, are true. *)
  Theorem positive_is_true : forall v, F_less_E u phi A a b t' n' r' c' k w v -> 0 < v -> 0 < F a b k.
  Proof.
    intros v C V. pose proof (phi_tiny u phi u_weak phi_small) as P. apply last_sums in C.
    destruct C as [p [ev [co [ew [Hp [H [D K]]]]]]].
    destruct K as [[K [-> [-> ->]]] | [-> [-> ->]]].
    - values_of_run positive 13.01 (48.6 * phi) (81.2 * phi) p v.
    - values_of_run positive 0 0 (96.2 * phi) p v.
  Qed.

  Theorem negative_is_true : forall v, F_plus_E u phi A a b t' n' r' c' k w v -> v < 0 -> F a b k < 0.
  Proof.
    intros v C V. pose proof (phi_tiny u phi u_weak phi_small) as P. apply last_sums in C.
    destruct C as [p [ev [co [ew [Hp [H [D K]]]]]]].
    destruct K as [[K [-> [-> ->]]] | [-> [-> ->]]].
    - values_of_run negative 13.01 (48.6 * phi) (81.2 * phi) p v.
    - values_of_run negative 0 0 (96.2 * phi) p v.
  Qed.

  Theorem separated_is_true : forall v, F_less_E u phi A a b t' n' r' c' k w v -> 0 < v -> separated a b.
  Proof.
    intros v C V. apply positive_is_true in C; auto. apply positive_F_separates; auto.
    destruct k as [i | j | i j]; simpl in C; eauto.
  Qed.
End Filter.
