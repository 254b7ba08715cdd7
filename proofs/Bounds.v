(** * The bounds of boxes contain the boxes, so no pair is lost before the narrow phase.

    The f32 shader of bounds: [obb_bounds.wgsl]. One world axis k at a time. *)

Require Import Reals Lra Lia.
From Obbligato Require Import Boxes Formulas Rounding Flushing Lengths Constants Propagation Shader.
Open Scope R_scope.

(** How the shader computes bounds: n and the absolute values of M's row are numbers; [reciprocal] is 1 / n
    within 4 u, which includes division within 2.5 ulp; the sum has 12 positive terms at most, a
    margin included, which is at least ABSOLUTE_ERROR, and is behind a fence, as are the corners. It
    has 2^-22 of each length at least, so none is above sum / u. *)
Record bounds_run (b : box) (k : axis) (n' : R) (m' : vec) (reciprocal margin reach low high : R) : Prop := {
  bounds_n : computed u phi 4 2 (n b) (n b) n';
  bounds_m : forall j, exists v, computed u phi 4 2 (n b) (M (rotation b) k j) v /\ m' j = Rabs v;
  bounds_quotient : Rabs (reciprocal * n' - 1) <= 4 * u;
  bounds_margin : ABSOLUTE_ERROR <= margin;
  bounds_reach : let x := sum (fun j => m' j * half b j * reciprocal) + EXTENT_ERROR * sum (half b)
      + CENTER_ERROR * Rabs (center b k) + margin in computed_length u phi 12 3 12.2 (x / u) x x reach;
  bounds_low : subtracted u phi (center b k) reach low;
  bounds_high : subtracted u phi (center b k) (- reach) high
}.

Lemma small_u : 0 <= u <= 1 / 2 ^ 23.
Proof. unfold u. lra. Qed.

Lemma small_phi : 0 <= phi <= u * u * u * u.
Proof. unfold u, phi. lra. Qed.
Lemma enough_for_flushes : 1000 * phi <= ABSOLUTE_ERROR /\ 804 * phi <= 0.0001 * u * 0.99.
Proof. unfold ABSOLUTE_ERROR, phi, u. lra. Qed.

Section Bounds.
  Variables (b : box) (k : axis) (n' : R) (m' : vec) (reciprocal margin reach low high : R).
  Hypothesis Hb : valid b.
  Hypothesis Hrun : bounds_run b k n' m' reciprocal margin reach low high.

  Let H := sum (half b).
  Let c := Rabs (center b k).
  (** The true extent along the axis. *)
  Definition extent : R := sum (fun j => half b j * Rabs (edge b j k)).

  Lemma H_pos : 0 <= H.
  Proof. unfold H, sum. repeat apply Rplus_le_le_0_compat; apply (proj1 Hb). Qed.

  Lemma entry_M : forall j, Rabs (M (rotation b) k j) = n b * Rabs (edge b j k) /\ Rabs (edge b j k) <= 1.
  Proof.
    intro j. pose proof (n_pos b Hb) as N. unfold edge. change (norm2 (rotation b)) with (n b).
    assert (E : Rabs (M (rotation b) k j) = n b * Rabs (M (rotation b) k j / n b)).
    { rewrite <- (Rabs_pos_eq (n b)) at 1 by lra. rewrite <- Rabs_mult. f_equal. field. lra. }
    split; auto. apply (Rmult_le_reg_l (n b)); auto. rewrite <- E, Rmult_1_r.
    apply abs_by_square; [lra |]. pose proof (rows (rotation b) k k) as S. unfold sum in S. change (norm2 (rotation
      b)) with (n b) in S.
    pose proof (Rle_0_sqr (M (rotation b) k X)) as P1. pose proof (Rle_0_sqr (M (rotation b) k Y)) as P2.
    pose proof (Rle_0_sqr (M (rotation b) k Z)) as P3. unfold Rsqr in *. destruct k, j; lra.
  Qed.

  Lemma reciprocal_near : (1 - 8.1 * u) <= reciprocal * n b <= 1.0001.
  Proof.
    pose proof (bounds_n _ _ _ _ _ _ _ _ _ Hrun) as C. pose proof (n_pos b Hb) as N.
    apply (rounded u phi small_u small_phi 4 2 _ _ _ 4 eq_refl ltac:(lia) ltac:(unfold u; simpl; lra)) in C.
    assert (E : error u 4 <= 4.0001 * u) by (unfold error, u; simpl; lra). destruct enough_for_flushes as [_ Fl]. pose proof small_u.
    assert (N99 : 0.99 <= n b) by (destruct Hb; unfold n; lra).
    assert (D : Rabs (n' - n b) <= 4.001 * u * n b).
    { assert (error u 4 * n b <= 4.0001 * u * n b) by (apply Rmult_le_compat_r; lra).
      assert (u * 0.99 <= u * n b) by (apply Rmult_le_compat_l; [unfold u |]; lra). lra. }
    pose proof (bounds_quotient _ _ _ _ _ _ _ _ _ Hrun) as Q.
    apply Rabs_def2_le in D. apply Rabs_def2_le in Q. destruct D as [D1 D2], Q as [Q1 Q2].
    assert (NP : 0 < n') by (unfold u in *; lra).
    set (p := reciprocal * n') in *.
    assert (RN : reciprocal * n b = p * (n b / n')) by (unfold p; field; lra).
    assert (B1 : n b / n' <= 1 + 4.01 * u).
    { apply (Rmult_le_reg_r n'); auto. replace (n b / n' * n') with (n b) by (field; lra). unfold u in *. nra. }
    assert (B2 : 1 - 4.01 * u <= n b / n').
    { apply (Rmult_le_reg_r n'); auto. replace (n b / n' * n') with (n b) by (field; lra). unfold u in *. nra. }
    rewrite RN. unfold u in *. split; nra.
  Qed.

  Lemma reach_enough : extent + 6.7 * u * H + 1.99 * u * c + 4 * phi <= reach.
  Proof.
    pose proof (n_pos b Hb) as N. pose proof H_pos as HP. destruct reciprocal_near as [R1 R2].
    assert (CP : 0 <= c) by apply Rabs_pos.
    assert (T : forall j, half b j * Rabs (edge b j k) - 12.2 * u * half b j <= m' j * half b j * reciprocal).
    { intro j. destruct (bounds_m _ _ _ _ _ _ _ _ _ Hrun j) as [v [C ->]].
      apply (rounded u phi small_u small_phi 4 2 _ _ _ 4 eq_refl ltac:(lia) ltac:(unfold u; simpl; lra)) in C.
      assert (E : error u 4 * n b + 804 * phi <= 4.001 * u * n b).
      { assert (error u 4 * n b <= 4.0001 * u * n b) by (apply Rmult_le_compat_r; [lra | unfold error, u; simpl; lra]).
        destruct enough_for_flushes as [_ Fl]. pose proof small_u. assert (N99 : 0.99 <= n b) by (destruct Hb; unfold n; lra).
        assert (u * 0.99 <= u * n b) by (apply Rmult_le_compat_l; [unfold u |]; lra). lra. }
      pose proof (Rabs_triang_inv (M (rotation b) k j) v) as V. rewrite Rabs_minus_sym in V.
      destruct (entry_M j) as [EM EE]. set (x := Rabs (edge b j k)) in *. pose proof (Rabs_pos (edge b j k)) as XP.
        fold x in XP.
      set (h := half b j). assert (HH : 0 <= h) by apply (proj1 Hb).
      assert (L : n b * (x - 4.001 * u) <= Rabs v) by lra.
      assert (RP : 0 <= reciprocal) by (apply (Rmult_le_reg_r (n b)); auto; unfold u in *; lra).
      assert (L2 : (reciprocal * n b) * (x - 4.001 * u) <= Rabs v * reciprocal).
      { apply (Rmult_le_compat_r reciprocal) in L; lra. }
      assert (L3 : x - 12.2 * u <= (reciprocal * n b) * (x - 4.001 * u)).
      { assert ((1 - 8.1 * u) * x <= (reciprocal * n b) * x) by (apply Rmult_le_compat_r; lra).
        assert ((reciprocal * n b) * (4.001 * u) <= 1.0001 * (4.001 * u)) by (apply Rmult_le_compat_r; unfold u; lra).
        assert (u * x <= u * 1) by (apply Rmult_le_compat_l; unfold u; lra). unfold u in *. lra. }
      apply (Rmult_le_compat_l h) in L3; auto. apply (Rmult_le_compat_l h) in L2; auto. lra. }
    pose proof (T X). pose proof (T Y). pose proof (T Z).
    pose proof (bounds_reach _ _ _ _ _ _ _ _ _ Hrun) as C. cbv zeta in C. pose proof (bounds_margin _ _ _ _ _ _ _ _ _
      Hrun) as MP.
    fold H c in C. set (s := sum (fun j => m' j * half b j * reciprocal) + EXTENT_ERROR * H + CENTER_ERROR * c +
      margin) in *.
    destruct enough_for_flushes as [FA _]. assert (FP : 0 <= phi) by apply small_phi.
    assert (S : extent + 19.8 * u * H + 2 * u * c + 1000 * phi <= s).
    { unfold s, extent, H, sum, EXTENT_ERROR, CENTER_ERROR, u in *. lra. }
    assert (EH : 0 <= extent <= H).
    { assert (B : forall j, 0 <= half b j * Rabs (edge b j k) <= half b j).
      { intro j. pose proof (proj1 Hb j). destruct (entry_M j) as [_ E]. pose proof (Rabs_pos (edge b j k)).
        split; [apply Rmult_le_pos; auto |]. rewrite <- (Rmult_1_r (half b j)) at 2. apply Rmult_le_compat_l; auto. }
      pose proof (B X). pose proof (B Y). pose proof (B Z). unfold extent, H, sum. lra. }
    assert (E : 0 <= error u 13 <= 13.001 * u) by apply (error_13 u small_u).
    assert (SP : 0 <= s) by (unfold u in *; lra).
    assert (LP : 0 <= s / u) by (apply Rmult_le_pos; [auto |]; apply Rlt_le, Rinv_0_lt_compat; unfold u; lra).
    apply (rounded_length u phi small_u small_phi 12 3 _ _ _ _ _ 13 eq_refl ltac:(lia) ltac:(unfold u; simpl; lra) LP) in C.
    pose proof (last_flushes u phi small_u small_phi 3 12.2 s ltac:(unfold u; lra) ltac:(lia) ltac:(lra) SP) as LF.
    simpl INR in *.
    assert (E13 : error u 13 * s <= 13.001 * u * s) by (apply Rmult_le_compat_r; lra).
    pose proof (Rle_abs (- (reach - s))) as Q. rewrite Rabs_Ropp in Q.
    assert (G : (1 - 13.002 * u) * (extent + 19.8 * u * H + 2 * u * c + 1000 * phi) <= (1 - 13.002 * u) * s)
      by (apply Rmult_le_compat_l; [unfold u; lra | exact S]).
    unfold u in *. lra.
  Qed.

  Theorem bounds_contain : forall p, contains b p -> low <= p k <= high.
  Proof.
    intros p [s [Hs Hp]]. pose proof reach_enough as E. pose proof H_pos as HP. assert (CP : 0 <= c) by apply Rabs_pos.
    assert (D : Rabs (p k - center b k) <= extent).
    { rewrite Hp. replace (center b k + _ - center b k) with (sum (fun i => half b i * s i * edge b i k)) by ring.
      assert (B : forall i, Rabs (half b i * s i * edge b i k) <= half b i * Rabs (edge b i k)).
      { intro i. rewrite !Rabs_mult, (Rabs_pos_eq (half b i)) by apply (proj1 Hb). pose proof (proj1 Hb i).
        assert (Rabs (s i) <= 1) by (apply Rabs_le; destruct (Hs i); lra). pose proof (Rabs_pos (edge b i k)).
        rewrite Rmult_assoc. apply Rmult_le_compat_l; auto. rewrite <- (Rmult_1_l (Rabs (edge b i k))) at 2.
        apply Rmult_le_compat_r; auto. }
      pose proof (B X). pose proof (B Y). pose proof (B Z). unfold extent, sum.
      eapply Rle_trans; [apply Rabs_triang |]. eapply Rle_trans; [apply Rplus_le_compat_r, Rabs_triang |]. lra. }
    pose proof (subtracted_error u phi small_u small_phi _ _ _ (bounds_low _ _ _ _ _ _ _ _ _ Hrun)) as L.
    pose proof (subtracted_error u phi small_u small_phi _ _ _ (bounds_high _ _ _ _ _ _ _ _ _ Hrun)) as U.
    replace (center b k - - reach) with (center b k + reach) in U by ring. assert (FP : 0 <= phi) by apply small_phi.
    pose proof (Rabs_pos (p k - center b k)) as DP.
    assert (UH : 0 <= u * H) by (apply Rmult_le_pos; [unfold u |]; lra).
    assert (UC : 0 <= u * c) by (apply Rmult_le_pos; [unfold u |]; lra).
    assert (RP : 0 <= reach) by lra.
    assert (A1 : Rabs (center b k - reach) <= c + reach).
    { unfold Rminus. eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_Ropp, (Rabs_pos_eq reach) by auto. unfold
      c. lra. }
    assert (A2 : Rabs (center b k + reach) <= c + reach).
    { eapply Rle_trans; [apply Rabs_triang |]. rewrite (Rabs_pos_eq reach) by auto. unfold c. lra. }
    apply (Rmult_le_compat_l u) in A1; [| unfold u; lra]. apply (Rmult_le_compat_l u) in A2; [| unfold u; lra].
    pose proof (Rle_abs (low - (center b k - reach))). pose proof (Rle_abs (- (high - (center b k + reach)))) as Q.
      rewrite Rabs_Ropp in Q.
    pose proof (Rle_abs (p k - center b k)). pose proof (Rle_abs (- (p k - center b k))) as Q'. rewrite Rabs_Ropp in Q'.
    assert (UE : extent <= H).
    { assert (B : forall j, half b j * Rabs (edge b j k) <= half b j).
      { intro j. pose proof (proj1 Hb j). destruct (entry_M j) as [_ E1].
        rewrite <- (Rmult_1_r (half b j)) at 2. apply Rmult_le_compat_l; auto. }
      pose proof (B X). pose proof (B Y). pose proof (B Z). unfold extent, H, sum. lra. }
    assert (R0 : (1 - u) * (extent + 6.7 * u * H + 1.99 * u * c + 4 * phi) <= (1 - u) * reach)
      by (apply Rmult_le_compat_l; [unfold u; lra | exact E]).
    unfold u in *. lra.
  Qed.
End Bounds.

(** The bounds of boxes that collide share a point. *)
Theorem bounds_overlap : forall a b k na ma ra xa wa lowa higha nb mb rb xb wb lowb highb,
  valid a -> valid b -> bounds_run a k na ma ra xa wa lowa higha -> bounds_run b k nb mb rb xb wb lowb highb ->
  collide a b -> lowa <= highb /\ lowb <= higha.
Proof.
  intros a b k na ma ra xa wa lowa higha nb mb rb xb wb lowb highb Ha Hb HA HB [p [PA PB]].
  pose proof (bounds_contain a k na ma ra xa wa lowa higha Ha HA p PA).
  pose proof (bounds_contain b k nb mb rb xb wb lowb highb Hb HB p PB). lra.
Qed.
