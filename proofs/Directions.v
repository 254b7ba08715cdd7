(** * The direction of a segment as computed: [axis_of] in [segments.wgsl], [direction] on the CPU. *)

Require Import Rbase Rfunctions R_sqrt Lra Lia.
From Obbligato Require Import Boxes Formulas Rounding Flushing Lengths Constants Propagation Shader Margins Round Squares.
Open Scope R_scope.

(** The column z of M(q), and the direction: the same, divided by |q|^2. *)
Definition column_z (q : quat) : vec := fun k => M q k Z.
Definition direction_of (q : quat) : vec := fun k => M q k Z / norm2 q.

(** Rotations of capsules in a plane are of length 1 / sqrt(2). *)
Definition turns (q : quat) : Prop := 0.49 <= norm2 q <= 1.0043.

(** Each component is a quotient: a product with a number that is 1 / n within 4 u, which includes a division
    within 2.5 ulp. *)
Definition direction_run (u : R) (q : quat) (z' : vec) : Prop := exists n', computed u phi 4 2 (norm2 q) (norm2 q) n' /\
  forall k, exists reciprocal, Rabs (reciprocal * n' - 1) <= 4 * u /\
    computed u phi 4 3 (reciprocal * W q k Z) (reciprocal * M q k Z) (z' k).

Lemma direction_is_unit : forall q, 0 < norm2 q -> len (direction_of q) = 1.
Proof.
  intros q H. apply len_is; [lra |]. pose proof (columns q Z Z) as C. simpl in C.
  unfold square, dot, sum, direction_of in *.
  replace (_ + _ + _) with ((M q X Z * M q X Z + M q Y Z * M q Y Z + M q Z Z * M q Z Z) / (norm2 q * norm2 q)) by (field; lra).
  rewrite C. field. lra.
Qed.

Section Direction.
  Variable u : R.
  Hypothesis u_range : 1 / 2 ^ 24 <= u <= 1 / 2 ^ 23.

  (** A quotient by a computed |q|^2. *)
  Lemma quotient_error : forall q n' reciprocal, turns q -> computed u phi 4 2 (norm2 q) (norm2 q) n' ->
    Rabs (reciprocal * n' - 1) <= 4 * u -> Rabs (reciprocal * norm2 q - 1) <= 8.1 * u /\ 0 < reciprocal <= 2.1.
  Proof.
    intros q n' reciprocal T C Q. unfold turns in T. set (n := norm2 q) in *.
    apply (rounded u phi (u_low u u_range) (phi_fourth u u_range) 4 2 _ _ _ 4 eq_refl ltac:(lia) ltac:(simpl; lra)) in C.
    pose proof (error_4 u (u_low u u_range)) as E4.
    assert (D : Rabs (n' - n) <= 4.002 * u * n).
    { assert (error u 4 * n <= 4.001 * u * n) by (apply Rmult_le_compat_r; lra).
      assert (u * 0.49 <= u * n) by (apply Rmult_le_compat_l; lra). unfold phi in *. lra. }
    apply Rabs_def2_le in D. apply Rabs_def2_le in Q.
    assert (UN : 0 <= u * n <= 0.0000002 * n) by (split; [apply Rmult_le_pos | apply Rmult_le_compat_r]; lra).
    assert (NP : 0 < n') by lra. set (p := reciprocal * n') in *. set (x := n / n').
    assert (RN : reciprocal * n = p * x) by (unfold p, x; field; lra).
    assert (XN : x * n' = n) by (unfold x; field; lra).
    assert (B1 : x <= 1 + 4.01 * u).
    { apply (Rmult_le_reg_r n'); auto. rewrite XN.
      assert ((1 + 4.01 * u) * (n - 4.002 * u * n) <= (1 + 4.01 * u) * n') by (apply Rmult_le_compat_l; lra).
      assert (u * (u * n) <= 0.0000002 * (u * n)) by (apply Rmult_le_compat_r; lra). lra. }
    assert (B2 : 1 - 4.01 * u <= x).
    { apply (Rmult_le_reg_r n'); auto. rewrite XN.
      assert ((1 - 4.01 * u) * n' <= (1 - 4.01 * u) * (n + 4.002 * u * n)) by (apply Rmult_le_compat_l; lra).
      assert (0 <= u * (u * n)) by (apply Rmult_le_pos; lra). lra. }
    pose proof (u_square u (u_low u u_range)) as UU.
    assert (B : Rabs (reciprocal * n - 1) <= 8.1 * u).
    { rewrite RN. apply Rabs_le.
      assert ((1 - 4 * u) * (1 - 4.01 * u) <= p * x) by (apply Rmult_le_compat; lra).
      assert (p * x <= (1 + 4 * u) * (1 + 4.01 * u)) by (apply Rmult_le_compat; lra). lra. }
    split; auto. apply Rabs_def2_le in B. split.
    - apply (Rmult_lt_reg_r n); lra.
    - apply (Rmult_le_reg_r n); lra.
  Qed.

  Lemma direction_error : forall q z', turns q -> direction_run u q z' -> len (less z' (direction_of q)) <= 16.9 * u.
  Proof.
    intros q z' T [n' [N H]]. pose proof T as T'. unfold turns in T'. set (n := norm2 q) in *.
    assert (B : forall k, Rabs (less z' (direction_of q) k) <=
      added (fun _ => 5.02 * u) (scaled (8.1 * u) (sizes (direction_of q))) k).
    { intro k. destruct (H k) as [reciprocal [Q C]].
      destruct (quotient_error q n' reciprocal T N Q) as [RN [R0 R2]]. fold n in RN. pose proof (W_bounds q k Z) as WB. fold n in WB.
      apply (rounded u phi (u_low u u_range) (phi_fourth u u_range) 4 3 _ _ _ 5 eq_refl ltac:(lia) ltac:(simpl; lra)) in C.
      unfold less, added, scaled, sizes.
      replace (z' k - direction_of q k) with ((z' k - reciprocal * M q k Z) + (reciprocal * n - 1) * direction_of q k)
        by (unfold direction_of; fold n; field; lra).
      eapply Rle_trans; [apply Rabs_triang |]. apply Rplus_le_compat.
      - assert (E5 : 0 <= error u 5 <= 5.0001 * u) by (pose proof (u_square u (u_low u u_range)); unfold error; simpl; lra).
        assert (RW : 0 <= reciprocal * W q k Z <= 1.00001).
        { apply Rabs_def2_le in RN. split; [apply Rmult_le_pos; lra |].
          assert (reciprocal * W q k Z <= reciprocal * n) by (apply Rmult_le_compat_l; lra). lra. }
        assert (error u 5 * (reciprocal * W q k Z) <= 5.0001 * u * 1.00001) by (apply Rmult_le_compat; lra).
        unfold phi in *. lra.
      - rewrite Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos | exact RN]. }
    eapply Rle_trans; [exact (len_bounded _ _ B) |]. eapply Rle_trans; [apply len_added |].
    rewrite len_scaled, len_sizes, direction_is_unit by (fold n; lra). rewrite (Rabs_pos_eq (8.1 * u)) by lra.
    pose proof (len_all (5.02 * u) ltac:(lra)). lra.
  Qed.

  Lemma direction_near : forall z' z c, len z = 1 -> len (less z' z) <= c * u -> 0 <= c <= 100 -> len z' <= 1.00002.
  Proof.
    intros z' z c Z1 E Hc. pose proof (len_added z (less z' z)) as A.
    rewrite (len_same (added z (less z' z)) z') in A by (intro; unfold added, less; clear; lra).
    assert (c * u <= 100 * (1 / 2 ^ 23)) by (apply Rmult_le_compat; lra). lra.
  Qed.

  (** ** Sums that both tests have *)

  (** |w.z| behind an absolute value. *)
  Definition along_run (w' z' : vec) (y : R) : Prop := exists v, y = Rabs v /\
    computed_length u phi 3 2 3.1 (sum (sizes w')) (sum (fun k => Rabs (w' k) * Rabs (z' k))) (dot w' z') v.

  Lemma sizes_product : forall v w, sum (fun k => Rabs (v k) * Rabs (w k)) <= len v * len w.
  Proof.
    intros v w. eapply Rle_trans; [apply Rle_abs |]. rewrite <- (len_sizes v), <- (len_sizes w).
    apply (dot_len (sizes v) (sizes w)).
  Qed.

  Lemma along_error : forall w' z' z y c, along_run w' z' y -> len z = 1 -> len (less z' z) <= c * u -> 0 <= c <= 100 ->
    Rabs (y - Rabs (dot w' z)) <= (c + 3.01) * u * len w' + 10 * phi.
  Proof.
    intros w' z' z y c [v [-> C]] Z1 E Hc. pose proof (direction_near z' z c Z1 E Hc) as Zn. pose proof (len_pos w') as LP.
    pose proof (sizes_product w' z') as SP. pose proof (len_below_sum w') as [S1 S2]. fold (sizes w') in S1, S2.
    change (sum (fun k => Rabs (w' k))) with (sum (sizes w')) in S1, S2.
    apply (rounded_length u phi (u_low u u_range) (phi_fourth u u_range) 3 2 _ _ _ _ _ 3 eq_refl ltac:(lia) ltac:(simpl; lra)) in C; [| lra].
    simpl INR in C.
    assert (E3 : 0 <= error u 3 <= 3.0001 * u) by (pose proof (u_square u (u_low u u_range)); unfold error; simpl; lra).
    assert (LL : len w' * len z' <= len w' * 1.00002) by (apply Rmult_le_compat_l; auto).
    assert (P0 : 0 <= sum (fun k => Rabs (w' k) * Rabs (z' k)))
      by (unfold sum; repeat apply Rplus_le_le_0_compat; apply Rmult_le_pos; apply Rabs_pos).
    assert (error u 3 * sum (fun k => Rabs (w' k) * Rabs (z' k)) <= 3.0001 * u * (len w' * 1.00002))
      by (apply Rmult_le_compat; lra).
    assert (phi * sum (sizes w') <= 0.00001 * u * len w').
    { apply Rle_trans with (phi * (2 * len w')); [apply Rmult_le_compat_l; [apply phi_low | lra] |].
      rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [auto | unfold phi; lra]. }
    assert (D : Rabs (dot w' z' - dot w' z) <= c * u * len w').
    { replace (dot w' z' - dot w' z) with (dot w' (less z' z)) by (unfold dot, sum, less; clear; lra).
      eapply Rle_trans; [apply dot_len |]. rewrite (Rmult_comm (len w')). apply Rmult_le_compat_r; auto. }
    assert (UL : 0 <= u * len w') by (apply Rmult_le_pos; lra).
    apply abs_change. replace (v - dot w' z) with ((v - dot w' z') + (dot w' z' - dot w' z)) by (clear; lra).
    eapply Rle_trans; [apply Rabs_triang |]. pose proof phi_low. lra.
  Qed.

  (** The vector between the centers. *)
  Lemma centers_len_error : forall a b d', centers_run u a b d' -> len (less d' (centers a b)) <= 1.001 * u * len d' + 5.3 * phi.
  Proof.
    intros a b d' H. pose proof (len_pos d') as DP. pose proof phi_low as F.
    assert (B : forall k, Rabs (less d' (centers a b) k) <= added (scaled (1.001 * u) (sizes d')) (fun _ => 3.02 * phi) k).
    { intro k. pose proof (centers_error u u_range a b d' k H) as E. unfold less, added, scaled, sizes.
      set (c := centers a b k) in *. assert (T : Rabs c <= Rabs (d' k) + Rabs (d' k - c)).
      { replace c with (d' k - (d' k - c)) at 1 by (clear; lra). unfold Rminus at 1. eapply Rle_trans; [apply Rabs_triang |].
        rewrite Rabs_Ropp. lra. }
      assert (u * Rabs c <= u * (Rabs (d' k) + Rabs (d' k - c))) by (apply Rmult_le_compat_l; lra).
      pose proof (Rabs_pos (d' k)). pose proof (Rabs_pos (d' k - c)).
      assert (u * Rabs (d' k - c) <= 0.0000002 * Rabs (d' k - c)) by (apply Rmult_le_compat_r; lra).
      assert (0 <= u * Rabs (d' k)) by (apply Rmult_le_pos; lra). lra. }
    eapply Rle_trans; [exact (len_bounded _ _ B) |]. eapply Rle_trans; [apply len_added |].
    rewrite len_scaled, len_sizes, Rabs_pos_eq by lra. pose proof (len_all (3.02 * phi) ltac:(lra)). lra.
  Qed.

  (** The projections onto w of two cores, and what is computed for them. *)
  Lemma projection_apart : forall a b r w' G, (forall p q, contains (core a) p -> contains (core b) q -> G <= dot w' (less q p)) ->
    0 <= r -> r * len w' < G -> cores_apart r a b.
  Proof.
    intros a b r w' G H R0 L p q P Q. specialize (H p q P Q). pose proof (dot_len w' (less q p)) as D.
    pose proof (Rle_abs (dot w' (less q p))). pose proof (len_pos w') as LP.
    apply Rnot_le_lt. intro N. assert (len w' * len (less q p) <= len w' * r) by (apply Rmult_le_compat_l; auto). lra.
  Qed.
End Direction.
