(** * The CPU's answers in f32 for boxes that are rotated about z are true.

    As in [UprightShader.v], along the axes in plan it computes what the general test does for boxes
    without their z, and along z, for boxes without their plan. *)

Require Import Rbase Rfunctions Lra Lia.
From Obbligato Require Import Boxes Formulas Separation Rounding Flushing Lengths Constants Propagation Axes Shader
  Overlapping Cpu32 Upright UprightShader.
Open Scope R_scope.

(** What [upright_sat_cpu.rs] computes before it looks at axes. m' is the turn of a, C' that of r'. *)
Record upright_run32 (a b : box) (d' : vec) (cosine sine : R) (t' : vec) (n' : R) (r' : quat) (C_c C_s s' : R)
  (gA' gB' : vec) : Prop := {
  upright32_d : forall k, Rabs (d' k - apart a b k) <= u32_apart * Rabs (apart a b k) + phi;
  upright32_cosine : computed u32 phi 2 2 (n a) (M (rotation a) X X) cosine;
  upright32_sine : computed u32 phi 2 2 (W (rotation a) Y X) (M (rotation a) Y X) sine;
  upright32_t_x : computed_length u32 phi 2 2 2.1 (Rabs (d' X) + Rabs (d' Y)) (Rabs cosine * Rabs (d' X) + Rabs sine * Rabs (d' Y))
    (cosine * d' X + sine * d' Y) (t' X);
  upright32_t_y : computed_length u32 phi 2 2 2.1 (Rabs (d' X) + Rabs (d' Y)) (Rabs cosine * Rabs (d' Y) + Rabs sine * Rabs (d' X))
    (cosine * d' Y - sine * d' X) (t' Y);
  upright32_t_z : computed_length u32 phi 1 2 1.1 (Rabs (d' Z)) (Rabs n' * Rabs (d' Z)) (n' * d' Z) (t' Z);
  upright32_n : computed u32 phi 2 2 (n a) (n a) n';
  upright32_r : qx r' = 0 /\ qy r' = 0 /\ forall p, p = qz \/ p = qw ->
    computed u32 phi 2 2 (p (relative_magnitude (rotation a) (rotation b))) (p (r a b)) (p r');
  upright32_C_c : computed u32 phi 2 2 (norm2 r') (M r' X X) C_c;
  upright32_C_s : computed u32 phi 2 2 (norm2 r') (M r' Y X) C_s;
  upright32_s : computed u32 phi 2 2 (norm2 r') (norm2 r') s';
  upright32_gA : forall i, 0 <= gA' i /\ Rabs (gA' i - n' * half a i) <= u32 * (n' * half a i) + phi;
  upright32_gB : forall i, 0 <= gB' i /\ Rabs (gB' i - n' * half b i) <= u32 * (n' * half b i) + phi
}.

(** A rotation about z, as a matrix. *)
Definition about_z (z cosine sine : R) (row column : axis) : R :=
  match row, column with X, X | Y, Y => cosine | Y, X => sine | X, Y => - sine | Z, Z => z | _, _ => 0 end.

Section Runs.
  Variables (a b : box) (d' : vec) (cosine sine : R) (t' : vec) (n' : R) (r' : quat) (C_c C_s s' : R) (gA' gB' : vec).
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Hypothesis Ua : upright a.
  Hypothesis Ub : upright b.
  Hypothesis Hrun : upright_run32 a b d' cosine sine t' n' r' C_c C_s s' gA' gB'.
  Let C' := about_z s' C_c C_s.
  Let m' := about_z n' cosine sine.

  Ltac more lemma := exact (same_number u32 phi 2 4 2 _ _ _ _ _ ltac:(lia) eq_refl eq_refl lemma).

  Lemma n_run32 : computed u32 phi 4 2 (n a) (n a) n'.
  Proof. more (upright32_n _ _ _ _ _ _ _ _ _ _ _ _ _ Hrun). Qed.

  Lemma m_run32 : forall k i, computed u32 phi (if axis_eq k i then 4 else 2) 2 (W (rotation a) k i) (M (rotation a) k i)
    (m' k i).
  Proof.
    destruct Ua as [X0 Y0]. destruct (M_zero _ X0 Y0) as [XZ [YZ [ZX [ZY [ZZ [YY [XY WZ]]]]]]].
    pose proof (upright32_cosine _ _ _ _ _ _ _ _ _ _ _ _ _ Hrun) as Cc.
    pose proof (upright32_sine _ _ _ _ _ _ _ _ _ _ _ _ _ Hrun) as Cs.
    assert (WX : W (rotation a) X X = n a /\ W (rotation a) Y Y = n a)
      by (unfold n, norm2; destruct (rotation a); simpl; split; clear; lra). destruct WX as [WX WY].
    unfold m'. intros [] []; simpl axis_eq; cbv iota; unfold about_z;
      try (apply zero_term; [lia | lia | apply W_bounds | assumption]).
    - rewrite WX. more Cc.
    - rewrite XY, W_symmetric. apply minus_computed. exact Cs.
    - exact Cs.
    - rewrite WY, YY. more Cc.
    - rewrite WZ, ZZ. exact n_run32.
  Qed.

  Lemma r_run32 : forall p, part p ->
    computed u32 phi 4 2 (p (relative_magnitude (rotation a) (rotation b))) (p (r a b)) (p r').
  Proof. exact (r_parts u32 phi a b r' Ua Ub (upright32_r _ _ _ _ _ _ _ _ _ _ _ _ _ Hrun)). Qed.

  Lemma C_run32 : forall i j, computed u32 phi 4 2 (norm2 r') (M r' i j) (C' i j).
  Proof.
    destruct (upright32_r _ _ _ _ _ _ _ _ _ _ _ _ _ Hrun) as [X0 [Y0 _]].
    destruct (M_zero r' X0 Y0) as [XZ [YZ [ZX [ZY [ZZ [YY [XY _]]]]]]].
    pose proof (upright32_C_c _ _ _ _ _ _ _ _ _ _ _ _ _ Hrun) as Cc.
    pose proof (upright32_C_s _ _ _ _ _ _ _ _ _ _ _ _ _ Hrun) as Cs.
    assert (N : 0 <= norm2 r') by (unfold norm2; nra).
    unfold C'. intros [] []; unfold about_z; try (apply zero_term; [lia | lia | exact N | assumption]).
    - more Cc.
    - rewrite XY. apply minus_computed. more Cs.
    - more Cs.
    - rewrite YY. more Cc.
    - rewrite ZZ. more (upright32_s _ _ _ _ _ _ _ _ _ _ _ _ _ Hrun).
  Qed.

  Lemma s_run32 : computed u32 phi 4 2 (norm2 r') (norm2 r') s'.
  Proof. more (upright32_s _ _ _ _ _ _ _ _ _ _ _ _ _ Hrun). Qed.

  Let Hd := upright32_d _ _ _ _ _ _ _ _ _ _ _ _ _ Hrun.
  Let HgA := upright32_gA _ _ _ _ _ _ _ _ _ _ _ _ _ Hrun.
  Let HgB := upright32_gB _ _ _ _ _ _ _ _ _ _ _ _ _ Hrun.

  Lemma zero_near : 0 <= 0 /\ Rabs (0 - n' * 0) <= u32 * (n' * 0) + phi.
  Proof. pose proof phi_least. rewrite !Rmult_0_r, Rminus_0_r, Rabs_R0. lra. Qed.

  Lemma zero_apart : Rabs (0 - (0 - 0)) <= u32_apart * Rabs (0 - 0) + phi.
  Proof. pose proof phi_least. rewrite !Rminus_0_r, Rabs_R0. lra. Qed.

  Lemma flat_run32 : run32 (flat a) (flat b) (in_plane d') m' (in_plane t') n' r' C' s' (in_plane gA') (in_plane gB').
  Proof.
    split; [| exact m_run32 | | exact n_run32 | exact r_run32 | exact C_run32 | exact s_run32 | |].
    - intros k. pose proof (Hd k) as D. unfold apart in *. destruct k; simpl; auto. exact zero_apart.
    - unfold m'. intros []; simpl.
      + apply (same_length u32 phi 2 3 2 2.1 3.1 _ _ _ _ _ _ _ ltac:(lia) ltac:(lra)) with (4 := upright32_t_x _ _ _ _ _ _ _ _ _ _ _ _ _ Hrun);
          unfold sum; simpl; rewrite ?Rabs_R0; clear; lra.
      + apply (same_length u32 phi 2 3 2 2.1 3.1 _ _ _ _ _ _ _ ltac:(lia) ltac:(lra)) with (4 := upright32_t_y _ _ _ _ _ _ _ _ _ _ _ _ _ Hrun);
          unfold sum; simpl; rewrite ?Rabs_R0, ?Rabs_Ropp; clear; lra.
      + apply zero_length; try lia; try lra; unfold sum; simpl; rewrite ?Rabs_R0;
          [repeat apply Rplus_le_le_0_compat; try apply Rabs_pos; lra | right; clear; lra | clear; lra].
    - intros k. pose proof (HgA k). destruct k; simpl; auto. exact zero_near.
    - intros k. pose proof (HgB k). destruct k; simpl; auto. exact zero_near.
  Qed.

  Lemma tall_run32 : run32 (tall a) (tall b) (along_z d') m' (along_z t') n' r' C' s' (along_z gA') (along_z gB').
  Proof.
    split; [| exact m_run32 | | exact n_run32 | exact r_run32 | exact C_run32 | exact s_run32 | |].
    - intros k. pose proof (Hd k) as D. unfold apart in *. destruct k; simpl; auto; exact zero_apart.
    - unfold m'. intros []; simpl.
      + apply zero_length; try lia; try lra; unfold sum; simpl; rewrite ?Rabs_R0;
          [repeat apply Rplus_le_le_0_compat; try apply Rabs_pos; lra | right; clear; lra | clear; lra].
      + apply zero_length; try lia; try lra; unfold sum; simpl; rewrite ?Rabs_R0;
          [repeat apply Rplus_le_le_0_compat; try apply Rabs_pos; lra | right; clear; lra | clear; lra].
      + apply (same_length u32 phi 1 3 2 1.1 3.1 _ _ _ _ _ _ _ ltac:(lia) ltac:(lra)) with (4 := upright32_t_z _ _ _ _ _ _ _ _ _ _ _ _ _ Hrun);
          unfold sum; simpl; rewrite ?Rabs_R0; clear; lra.
    - intros k. pose proof (HgA k). destruct k; simpl; auto; exact zero_near.
    - intros k. pose proof (HgB k). destruct k; simpl; auto; exact zero_near.
  Qed.

  (** F of an axis, E in plan and along z, and the answers. No compiler of Rust rewrites them. *)
  Definition plan_F32 (k : direction) (w v : R) : Prop :=
    F32 (in_plane t') C' s' (in_plane gA') (in_plane gB') k w v.
  Definition plan_E32 (e : R) : Prop := E_run32 (in_plane t') (gA' X + gA' Y + (gB' X + gB' Y)) e.
  Definition z_F32 (v : R) : Prop :=
    F32 (along_z t') C' s' (along_z gA') (along_z gB') (FaceA Z) (s' * Rabs (t' Z)) v.
  Definition z_E32 (e : R) : Prop := E_run32 (along_z t') (gA' Z + gB' Z) e.

  Definition upright_separates32 : Prop :=
    (exists k w v e, in_plan k /\ plan_F32 k w v /\ plan_E32 e /\ e < v) \/ (exists v e, z_F32 v /\ z_E32 e /\ e < v).
  Definition upright_clears32 : Prop :=
    (exists e, plan_E32 e /\ forall k, in_plan k -> exists w v, plan_F32 k w v /\ v < - e) /\
    (exists v e, z_F32 v /\ z_E32 e /\ v < - e).

  Let FR := flat_run32.
  Let TR := tall_run32.

  Lemma plan_error : forall k e, in_plan k -> plan_E32 e ->
    bound 43.98 33.98 u32 (0.8 * A) (sum (fun i => Rabs (in_plane t' i))) (extents (in_plane gA') (in_plane gB') k)
      <= e.
  Proof.
    intros k e Hk He.
    destruct (gs32 _ _ _ _ _ _ _ _ _ _ _ FR) as [GA GB].
    pose proof (GA X) as AX. pose proof (GA Y) as AY. pose proof (GB X) as BX. pose proof (GB Y) as BY. simpl in *.
    pose proof (E32_near _ _ _ _ _ _ _ _ _ _ _ (flat_valid a Ha) (flat_valid b Hb) FR
      (gA' X + gA' Y + (gB' X + gB' Y)) e ltac:(lra) He) as E.
    eapply Rle_trans; [| exact E].
    unfold bound. apply Rplus_le_compat_r, Rmult_le_compat_l; [unfold u32; lra |].
    apply Rplus_le_compat_l, Rmult_le_compat_l; [lra |].
    unfold extents, sum. destruct Hk as [-> | [-> | [-> | ->]]]; simpl; lra.
  Qed.

  Lemma z_error : forall e, z_E32 e ->
    bound 43.98 33.98 u32 (0.8 * A) (sum (fun i => Rabs (along_z t' i)))
      (extents (along_z gA') (along_z gB') (FaceA Z)) <= e.
  Proof.
    intros e He.
    destruct (gs32 _ _ _ _ _ _ _ _ _ _ _ TR) as [GA GB].
    pose proof (GA Z) as AZ. pose proof (GB Z) as BZ. simpl in *.
    replace (sum (along_z gB')) with (gB' Z) by (unfold sum; simpl; clear; lra).
    apply (E32_near _ _ _ _ _ _ _ _ _ _ _ (tall_valid a Ha) (tall_valid b Hb) TR (gA' Z + gB' Z) e); auto. lra.
  Qed.

  Lemma plan_sign : forall k w v e, in_plan k -> plan_F32 k w v -> plan_E32 e ->
    (e < v -> 0 < F a b k) /\ (v < - e -> F a b k < 0).
  Proof.
    intros k w v e Hk HF He. pose proof (plan_error k e Hk He). rewrite <- (F_in_plan a b k Ua Ub Hk).
    destruct (sign_is_true_32 _ _ _ _ _ _ _ _ _ _ _ (flat_valid a Ha) (flat_valid b Hb) FR k w v HF) as [P Q].
    split; intro V; [apply P | apply Q]; lra.
  Qed.

  Lemma z_sign : forall v e, z_F32 v -> z_E32 e -> (e < v -> 0 < F a b (FaceA Z)) /\ (v < - e -> F a b (FaceA Z) < 0).
  Proof.
    intros v e HF He. pose proof (z_error e He). rewrite <- (F_along_z a b Ua Ub).
    destruct (sign_is_true_32 _ _ _ _ _ _ _ _ _ _ _ (tall_valid a Ha) (tall_valid b Hb) TR _ _ v HF) as [P Q].
    split; intro V; [apply P | apply Q]; lra.
  Qed.

  Theorem cpu_f32_upright_separated : upright_separates32 -> separated a b.
  Proof.
    assert (P : forall k, 0 < F a b k -> separated a b)
      by (intros k H; apply positive_F_separates; auto; destruct k; simpl in H; eauto).
    intros [[k [w [v [e [Hk [HF [He V]]]]]]] | [v [e [HF [He V]]]]].
    - apply (P k), (plan_sign k w v e); auto.
    - apply (P (FaceA Z)), (z_sign v e); auto.
  Qed.

  Theorem cpu_f32_upright_overlapping : upright_clears32 -> overlapping a b.
  Proof.
    intros [[e [He H]] [v [ez [HF [Hez V]]]]]. apply five_negative_overlap; auto. intros k [Hk | ->].
    - destruct (H k Hk) as [w [v' [HF' V']]]. apply (plan_sign k w v' e); auto.
    - apply (z_sign v ez); auto.
  Qed.
End Runs.
