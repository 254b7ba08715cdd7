(** * The bounds of boxes contain the boxes, so no pair is lost before the narrow phase.

    The f32 shader of bounds: [obb_bounds.wgsl]. One world axis k at a time. With a margin, the bounds
    of boxes within it overlap, too. *)

Require Import Rbase Rfunctions Lra Lia.
From Obbligato Require Import Boxes Formulas Rounding Flushing Lengths Constants Propagation Shader.
Open Scope R_scope.

Lemma small_u : 0 <= u <= 1 / 2 ^ 23.
Proof. unfold u. lra. Qed.

Lemma small_phi : 0 <= phi <= u * u * u * u.
Proof. unfold u, phi. lra. Qed.
Lemma enough_for_flushes : 1000 * phi <= ABSOLUTE_ERROR /\ 804 * phi <= 0.0001 * u * 0.99.
Proof. unfold ABSOLUTE_ERROR, phi, u. lra. Qed.

(** A smaller unit of rounding, fewer monomials and smaller magnitudes are allowed. *)
Lemma evaluates_more : forall v v' f e x, v <= v' -> evaluates v f e x -> evaluates v' f e x.
Proof.
  intros v v' f e x H E. assert (R : forall x y, rounds v f x y -> rounds v' f x y).
  { intros y z [[d [B ->]] | F]; [left; exists d; split; [lra | reflexivity] | right; exact F]. }
  induction E; [apply EvNum | apply EvLen | eapply EvAdd | eapply EvMul | eapply EvTwice]; eauto.
Qed.

Lemma computed_more : forall v v' f N N' D S S' x y, v <= v' -> (N <= N')%nat -> S <= S' ->
  computed v f N D S x y -> computed v' f N' D S' x y.
Proof.
  intros v v' f N N' D S S' x y H HN HS [e [K [[L [G [V [M C]]]] E]]]. exists e. repeat split; auto; try lia; try lra.
  eapply evaluates_more; eauto.
Qed.
Lemma length_more : forall v v' f N D Q L S x y, v <= v' -> computed_length v f N D Q L S x y ->
  computed_length v' f N D Q L S x y.
Proof.
  intros v v' f N D Q L S x y H [e [K [R [F E]]]]. exists e. split; [auto | split; [auto | split; [auto |]]].
  eapply evaluates_more; eauto.
Qed.

(** ** Of bodies of any shape, what is computed from how far they reach *)

(** The unit of rounding, v, that of shaders or of the CPU; the coordinate of a center, c; the sum
    of all lengths, H; how far a body reaches, as computed. The sum has 12 positive terms at most, a margin included, which is at least ABSOLUTE_ERROR, and
    is behind a fence, as are the corners. It has 2^-22 of each length at least, so none is above
    sum / u. *)
Record widened_run (v c H extent' margin reach low high : R) : Prop := {
  widened_margin : ABSOLUTE_ERROR <= margin;
  widened_reach : let x := extent' + EXTENT_ERROR * H + CENTER_ERROR * Rabs c + margin in
    computed_length v phi 12 3 12.2 (x / u) x x reach;
  widened_low : subtracted v phi c reach low;
  widened_high : subtracted v phi c (- reach) high
}.

(** Half of a margin, w, with room for what rounds. *)
Definition half_margin (w : R) : R := w * (1 + 14.4 * u).

Theorem widened_holds : forall v c H extent extent' margin reach low high w y, v <= u ->
  widened_run v c H extent' margin reach low high -> 0 <= extent <= 1.01 * H -> extent - 12.2 * u * H <= extent' ->
  0 <= w -> ABSOLUTE_ERROR + half_margin w <= margin -> Rabs (y - c) <= extent + w -> low <= y <= high.
Proof.
  intros v c H extent extent' margin reach low high w y Hv Hrun EH EE W HM D. destruct Hrun as [_ C L U]. cbv zeta in C.
  apply (length_more v u) in C; auto. apply (evaluates_more v u) in L, U; auto. fold (subtracted u phi c reach low) in L.
  fold (subtracted u phi c (- reach) high) in U.
  unfold half_margin in HM. set (s := extent' + EXTENT_ERROR * H + CENTER_ERROR * Rabs c + margin) in *.
  pose proof (Rabs_pos c) as CP. destruct enough_for_flushes as [FA _]. assert (FP : 0 <= phi) by apply small_phi.
  assert (S : extent + 19.8 * u * H + 2 * u * Rabs c + w * (1 + 14.4 * u) + 1000 * phi <= s).
  { unfold s, EXTENT_ERROR, CENTER_ERROR, u in *. lra. }
  assert (SP : 0 <= s) by (unfold u in *; lra).
  assert (LP : 0 <= s / u) by (apply Rmult_le_pos; [auto |]; apply Rlt_le, Rinv_0_lt_compat; unfold u; lra).
  apply (rounded_length u phi small_u small_phi 12 3 _ _ _ _ _ 13 eq_refl ltac:(lia) ltac:(unfold u; simpl; lra) LP) in C.
  pose proof (last_flushes u phi small_u small_phi 3 12.2 s ltac:(unfold u; lra) ltac:(lia) ltac:(lra) SP) as LF.
  simpl INR in *. assert (E : 0 <= error u 13 <= 13.001 * u) by apply (error_13 u small_u).
  assert (E13 : error u 13 * s <= 13.001 * u * s) by (apply Rmult_le_compat_r; lra).
  pose proof (Rle_abs (- (reach - s))) as Q. rewrite Rabs_Ropp in Q.
  assert (G : (1 - 13.002 * u) * (extent + 19.8 * u * H + 2 * u * Rabs c + w * (1 + 14.4 * u) + 1000 * phi)
    <= (1 - 13.002 * u) * s) by (apply Rmult_le_compat_l; [unfold u; lra | exact S]).
  assert (RE : extent + 6.6 * u * H + 1.99 * u * Rabs c + w * (1 + 1.38 * u) + 4 * phi <= reach) by (unfold u in *; lra).
  clear E13 G S Q LF C E LP SP.
  pose proof (subtracted_error u phi small_u small_phi _ _ _ L) as L'.
  pose proof (subtracted_error u phi small_u small_phi _ _ _ U) as U'.
  replace (c - - reach) with (c + reach) in U' by (clear; lra).
  assert (UH : 0 <= u * H) by (apply Rmult_le_pos; [unfold u |]; lra).
  assert (UC : 0 <= u * Rabs c) by (apply Rmult_le_pos; [unfold u |]; lra).
  assert (UW : 0 <= u * w) by (apply Rmult_le_pos; [unfold u |]; lra).
  assert (RP : 0 <= reach) by lra.
  assert (A1 : Rabs (c - reach) <= Rabs c + reach).
  { unfold Rminus. eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_Ropp, (Rabs_pos_eq reach) by auto. lra. }
  assert (A2 : Rabs (c + reach) <= Rabs c + reach).
  { eapply Rle_trans; [apply Rabs_triang |]. rewrite (Rabs_pos_eq reach) by auto. lra. }
  apply (Rmult_le_compat_l u) in A1; [| unfold u; lra]. apply (Rmult_le_compat_l u) in A2; [| unfold u; lra].
  pose proof (Rle_abs (low - (c - reach))). pose proof (Rle_abs (- (high - (c + reach)))) as Q. rewrite Rabs_Ropp in Q.
  pose proof (Rle_abs (y - c)). pose proof (Rle_abs (- (y - c))) as Q'. rewrite Rabs_Ropp in Q'.
  assert (R0 : (1 - u) * (extent + 6.6 * u * H + 1.99 * u * Rabs c + w * (1 + 1.38 * u) + 4 * phi) <= (1 - u) * reach)
    by (apply Rmult_le_compat_l; [unfold u; lra | exact RE]).
  unfold u in *. lra.
Qed.

(** Between numbers that are no further apart than two widenings is one that is within both. *)
Lemma between_both : forall x y wa wb, 0 <= wa -> 0 <= wb -> Rabs (y - x) <= wa + wb ->
  exists z, Rabs (z - x) <= wa /\ Rabs (z - y) <= wb.
Proof.
  intros x y wa wb A B D. apply Rabs_def2_le in D.
  destruct (Rle_lt_dec (y - x) wa); [destruct (Rle_lt_dec (- wa) (y - x)) |].
  - exists y. split; apply Rabs_le; lra.
  - exists (x - wa). split; apply Rabs_le; lra.
  - exists (x + wa). split; apply Rabs_le; lra.
Qed.

(** ** Of boxes *)

(** How the shader computes bounds: n and the absolute values of M's row are numbers; [reciprocal] is 1 / n
    within 4 u, which includes division within 2.5 ulp. *)
Record bounds_run (b : box) (k : axis) (n' : R) (m' : vec) (reciprocal margin reach low high : R) : Prop := {
  bounds_n : computed u phi 4 2 (n b) (n b) n';
  bounds_m : forall j, exists v, computed u phi 4 2 (n b) (M (rotation b) k j) v /\ m' j = Rabs v;
  bounds_quotient : Rabs (reciprocal * n' - 1) <= 4 * u;
  bounds_widened : widened_run u (center b k) (sum (half b)) (sum (fun j => m' j * half b j * reciprocal)) margin reach
    low high
}.

Lemma entry_M : forall b k j, valid b ->
  Rabs (M (rotation b) k j) = n b * Rabs (edge b j k) /\ Rabs (edge b j k) <= 1.
Proof.
  intros b k j Hb. pose proof (n_pos b Hb) as N. unfold edge. change (norm2 (rotation b)) with (n b).
  assert (E : Rabs (M (rotation b) k j) = n b * Rabs (M (rotation b) k j / n b)).
  { rewrite <- (Rabs_pos_eq (n b)) at 1 by lra. rewrite <- Rabs_mult. f_equal. field. lra. }
  split; auto. apply (Rmult_le_reg_l (n b)); auto. rewrite <- E, Rmult_1_r.
  apply abs_by_square; [lra |]. pose proof (rows (rotation b) k k) as S. unfold sum in S. change (norm2 (rotation
    b)) with (n b) in S.
  pose proof (Rle_0_sqr (M (rotation b) k X)) as P1. pose proof (Rle_0_sqr (M (rotation b) k Y)) as P2.
  pose proof (Rle_0_sqr (M (rotation b) k Z)) as P3. unfold Rsqr in *. destruct k, j; lra.
Qed.

Section Bounds.
  Variables (b : box) (k : axis) (n' : R) (m' : vec) (reciprocal margin reach low high : R).
  Hypothesis Hb : valid b.
  Hypothesis Hrun : bounds_run b k n' m' reciprocal margin reach low high.

  Let H := sum (half b).
  (** The true extent along the axis. *)
  Definition extent : R := sum (fun j => half b j * Rabs (edge b j k)).

  Lemma H_pos : 0 <= H.
  Proof. unfold H, sum. repeat apply Rplus_le_le_0_compat; apply (proj1 Hb). Qed.

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

  Lemma extent_error : extent - 12.2 * u * H <= sum (fun j => m' j * half b j * reciprocal).
  Proof.
    pose proof (n_pos b Hb) as N. pose proof H_pos as HP. destruct reciprocal_near as [R1 R2].
    assert (T : forall j, half b j * Rabs (edge b j k) - 12.2 * u * half b j <= m' j * half b j * reciprocal).
    { intro j. destruct (bounds_m _ _ _ _ _ _ _ _ _ Hrun j) as [v [C ->]].
      apply (rounded u phi small_u small_phi 4 2 _ _ _ 4 eq_refl ltac:(lia) ltac:(unfold u; simpl; lra)) in C.
      assert (E : error u 4 * n b + 804 * phi <= 4.001 * u * n b).
      { assert (error u 4 * n b <= 4.0001 * u * n b) by (apply Rmult_le_compat_r; [lra | unfold error, u; simpl; lra]).
        destruct enough_for_flushes as [_ Fl]. pose proof small_u. assert (N99 : 0.99 <= n b) by (destruct Hb; unfold n; lra).
        assert (u * 0.99 <= u * n b) by (apply Rmult_le_compat_l; [unfold u |]; lra). lra. }
      pose proof (Rabs_triang_inv (M (rotation b) k j) v) as V. rewrite Rabs_minus_sym in V.
      destruct (entry_M b k j Hb) as [EM EE]. set (x := Rabs (edge b j k)) in *. pose proof (Rabs_pos (edge b j k)) as XP.
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
    unfold extent, H, sum in *. lra.
  Qed.

  Lemma extent_below : 0 <= extent <= H.
  Proof.
    assert (B : forall j, 0 <= half b j * Rabs (edge b j k) <= half b j).
    { intro j. pose proof (proj1 Hb j). destruct (entry_M b k j Hb) as [_ E]. pose proof (Rabs_pos (edge b j k)).
      split; [apply Rmult_le_pos; auto |]. rewrite <- (Rmult_1_r (half b j)) at 2. apply Rmult_le_compat_l; auto. }
    pose proof (B X). pose proof (B Y). pose proof (B Z). unfold extent, H, sum. lra.
  Qed.

  Lemma reaches : forall p, contains b p -> Rabs (p k - center b k) <= extent.
  Proof.
    intros p [s [Hs Hp]]. rewrite Hp.
    replace (center b k + _ - center b k) with (sum (fun i => half b i * s i * edge b i k)) by (clear; lra).
    assert (B : forall i, Rabs (half b i * s i * edge b i k) <= half b i * Rabs (edge b i k)).
    { intro i. rewrite !Rabs_mult, (Rabs_pos_eq (half b i)) by apply (proj1 Hb). pose proof (proj1 Hb i).
      assert (Rabs (s i) <= 1) by (apply Rabs_le; destruct (Hs i); lra). pose proof (Rabs_pos (edge b i k)).
      rewrite Rmult_assoc. apply Rmult_le_compat_l; auto. rewrite <- (Rmult_1_l (Rabs (edge b i k))) at 2.
      apply Rmult_le_compat_r; auto. }
    pose proof (B X). pose proof (B Y). pose proof (B Z). unfold extent, sum.
    eapply Rle_trans; [apply Rabs_triang |]. eapply Rle_trans; [apply Rplus_le_compat_r, Rabs_triang |]. lra.
  Qed.

  (** Points that are no further from the box than half a margin. *)
  Theorem bounds_contain_within : forall w p q, 0 <= w -> ABSOLUTE_ERROR + half_margin w <= margin ->
    contains b p -> Rabs (q k - p k) <= w -> low <= q k <= high.
  Proof.
    intros w p q W HM P Q. pose proof (reaches p P) as D.
    pose proof extent_below as EB.
    apply (widened_holds u _ _ extent _ _ _ _ _ w _ ltac:(lra) (bounds_widened _ _ _ _ _ _ _ _ _ Hrun));
      [fold H; lra | exact extent_error | exact W | exact HM |].
    replace (q k - center b k) with ((p k - center b k) + (q k - p k)) by (clear; lra).
    eapply Rle_trans; [apply Rabs_triang |]. lra.
  Qed.

  Theorem bounds_contain : forall p, contains b p -> low <= p k <= high.
  Proof.
    intros p P. pose proof (widened_margin _ _ _ _ _ _ _ _ (bounds_widened _ _ _ _ _ _ _ _ _ Hrun)).
    apply (bounds_contain_within 0 p); auto; [lra | unfold half_margin; lra | rewrite Rminus_eq_0, Rabs_R0; lra].
  Qed.
End Bounds.
