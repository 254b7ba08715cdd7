(** * The formulas of the CPU for boxes that are rotated about z as written are a run, caps included: [upright_sat_cpu.rs]. *)

Require Import Rbase Rfunctions List Lra Lia.
From Obbligato Require Import Boxes Formulas Rounding Flushing Lengths Constants Propagation Axes Shader Filter Counts Answers
  Cpu32 Upright UprightShader UprightCpu Fits Caps CapsUpright.
Open Scope R_scope.

Section Cpu.
  Variables (a b : box) (d' : vec) (cosine sine : R) (t' : vec) (n' : R) (r' : quat) (C_c C_s s' : R) (gA' gB' : vec).
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Hypothesis Ua : upright a.
  Hypothesis Ub : upright b.

  (** A number of two monomials is hardly larger than what it stands for. *)
  Lemma two_terms_most : forall S x v, 0 <= S <= 1.0043 -> Rabs x <= S -> computed u32 phi 2 2 S x v -> Rabs v <= 1.0045.
  Proof.
    intros S x v HS Hx C. pose proof u32_small as U. pose proof phi_small32 as Fl.
    apply (rounded u32 phi U Fl 2 2 _ _ _ 2 eq_refl ltac:(lia) ltac:(unfold u32; simpl; lra)) in C.
    assert (error u32 2 * S <= 0.00001 * S) by (apply Rmult_le_compat_r; [lra | unfold error, u32; simpl; lra]).
    assert (804 * phi <= 0.00001) by (unfold phi; lra). replace v with ((v - x) + x) by (clear; lra).
    eapply Rle_trans; [apply Rabs_triang |]. simpl INR in C. lra.
  Qed.

  (** What is before the sums. *)
  Theorem written_upright_run32 : (forall k, Rabs (d' k - apart a b k) <= u32_apart * Rabs (apart a b k) + phi) ->
    evaluates u32 phi (Cosine (rotation a)) cosine -> evaluates u32 phi (SineOf Twice (rotation a)) sine ->
    evaluates u32 phi (TurnedX (Num cosine) (Num sine) d') (t' X) -> evaluates u32 phi (TurnedY (Num cosine) (Num sine) d') (t' Y) ->
    evaluates u32 phi (Mul (Num n') (Len (d' Z))) (t' Z) -> evaluates u32 phi (Norm (rotation a)) n' ->
    qx r' = 0 -> qy r' = 0 ->
    evaluates u32 phi (RelativeZw (rotation a) (rotation b)) (qz r') -> evaluates u32 phi (RelativeWz (rotation a) (rotation b)) (qw r') ->
    evaluates u32 phi (Cosine r') C_c -> evaluates u32 phi (SineOf Twice r') C_s -> evaluates u32 phi (Norm r') s' ->
    (forall i, 0 <= gA' i /\ Rabs (gA' i - n' * half a i) <= u32 * (n' * half a i) + phi) ->
    (forall i, 0 <= gB' i /\ Rabs (gB' i - n' * half b i) <= u32 * (n' * half b i) + phi) ->
    upright_run32 a b d' cosine sine t' n' r' C_c C_s s' gA' gB'.
  Proof.
    intros D Ec Es TX TY TZ N0 X0 Y0 EZ EW Cc Cs S0 GA GB. pose proof (relative_zw u32 phi a b r' Ha Hb Ua Ub EZ EW) as HR.
    pose proof u32_small as U. pose proof phi_small32 as Fl.
    assert (SR : norm2 r' <= 1.0045).
    { pose proof (s_error u32 phi U Fl a b r' Ha Hb (r_parts u32 phi a b r' Ua Ub (conj X0 (conj Y0 HR)))) as E.
      pose proof (scale_range a b Ha Hb) as S. assert (17 * u32 * s a b <= 0.00001 * s a b) by (apply Rmult_le_compat_r; unfold u32; lra).
      apply Rabs_def2_le in E. lra. }
    pose proof (rotation_parts a Ha) as PA. assert (Cr : 1 <= 1.00105 <= 1.01) by lra.
    pose proof (parts_by_norm r' 1.0045 1.0023 ltac:(lra) SR ltac:(lra)) as PR. assert (Cr' : 1 <= 1.0023 <= 1.01) by lra.
    assert (HN : 0 <= n a <= 1.0043) by (destruct Ha as [_ N]; unfold n; lra).
    assert (Rc : computed u32 phi 2 2 (n a) (M (rotation a) X X) cosine)
      by (eapply numeral_run; [apply (cosine_fits _ _ Cr PA Ua) | reflexivity | lra | unfold n; lra | reflexivity | exact Ec]).
    assert (Rs : computed u32 phi 2 2 (W (rotation a) Y X) (M (rotation a) Y X) sine)
      by (eapply numeral_run; [apply (sine_twice_fits _ _ Cr PA Ua) | reflexivity | lra | lra | reflexivity | exact Es]).
    assert (Rn : computed u32 phi 2 2 (n a) (n a) n')
      by (eapply numeral_run; [apply (norm_fits _ _ Cr PA Ua) | reflexivity | lra | unfold n; lra | reflexivity | exact N0]).
    pose proof (W_bounds (rotation a) Y X) as WB. change (norm2 (rotation a)) with (n a) in WB.
    assert (Bc : Rabs cosine <= 1.0045) by (refine (two_terms_most _ _ _ HN _ Rc); apply M_below).
    assert (Bs : Rabs sine <= 1.0045).
    { refine (two_terms_most _ _ _ (conj (proj1 WB) (Rle_trans _ _ _ (proj2 WB) (proj2 HN))) _ Rs). destruct (sine_is _ Ua) as [-> [-> _]].
      right. rewrite !Rabs_mult, (Rabs_pos_eq 2) by lra. reflexivity. }
    assert (Bn : Rabs n' <= 1.0045) by (refine (two_terms_most _ _ _ HN _ Rn); right; apply Rabs_pos_eq; lra).
    pose proof (num_num 1.0045 cosine ltac:(lra) Bc) as FC. pose proof (num_num 1.0045 sine ltac:(lra) Bs) as FS.
    pose proof (Rabs_pos (d' X)). pose proof (Rabs_pos (d' Y)).
    destruct (turned_lengths_fit (Rabs (d' X) + Rabs (d' Y)) _ _ _ _ _ _ _ d' ltac:(lra) ltac:(lra) FC FS) as [FX FY].
    split; auto.
    - eapply lengthy_run; [exact FX | reflexivity | lra | lra | lra | exact TX].
    - eapply lengthy_run; [exact FY | reflexivity | lra | lra | lra | exact TY].
    - eapply lengthy_run; [eapply times_len; [apply (num_num 1.0045 n' ltac:(lra) Bn) | apply (len_len (Rabs (d' Z))), Rle_refl] | reflexivity | lra | lra | reflexivity | exact TZ].
    - eapply numeral_run; [apply (cosine_fits _ _ Cr' PR (conj X0 Y0)) | reflexivity | lra | lra | reflexivity | exact Cc].
    - eapply numeral_run; [apply (sine_twice_fits _ _ Cr' PR (conj X0 Y0)) | reflexivity | lra | apply W_bounds | reflexivity | exact Cs].
    - eapply numeral_run; [apply (norm_fits _ _ Cr' PR (conj X0 Y0)) | reflexivity | lra | lra | reflexivity | exact S0].
  Qed.

  (** The last sums. *)
  Hypothesis Hrun : upright_run32 a b d' cosine sine t' n' r' C_c C_s s' gA' gB'.
  Let FR := flat_run32 a b d' cosine sine t' n' r' C_c C_s s' gA' gB' Ua Ub Hrun.
  Let TR := tall_run32 a b d' cosine sine t' n' r' C_c C_s s' gA' gB' Ua Ub Hrun.
  Let FV := flat_valid a Ha.
  Let FV' := flat_valid b Hb.
  Let TV := tall_valid a Ha.
  Let TV' := tall_valid b Hb.
  Let GA (i : axis) : expr := Len (gA' i).
  Let GB (i : axis) : expr := Len (gB' i).
  Definition PlanFace32 (w : R) (k : direction) : expr := Plan (Num s') GA GB (Rabs C_c) (Rabs C_s) w t' k.
  Definition PlanError32 : expr := UprightError (DISTANCE_ERROR * u32) (RADIUS_ERROR * u32) (PlanDistance t') (PlanExtents GA GB).
  Definition ZFace32 : expr := AlongZ (Num s') GA GB (Rabs (t' Z)).
  Definition ZError32 : expr := UprightError (DISTANCE_ERROR * u32) (RADIUS_ERROR * u32) (Len (Rabs (t' Z))) (Add (GA Z) (GB Z)).

  Lemma entries32 : numeral 1.0045 s' s' (Num s') /\ numeral 1.0045 (Rabs C_c) (Rabs C_c) (Num (Rabs C_c)) /\
    numeral 1.0045 (Rabs C_s) (Rabs C_s) (Num (Rabs C_s)) /\ 0 <= s'.
  Proof.
    destruct (ranges32 _ _ _ _ _ _ _ _ _ _ _ FV FV' FR) as [S [C _]]. pose proof (C X X) as Cc. pose proof (C Y X) as Cs. simpl in Cc, Cs.
    pose proof (num_num 1.0045 (Rabs C_c)) as P. pose proof (num_num 1.0045 (Rabs C_s)) as Q. rewrite Rabs_Rabsolu in P, Q.
    split; [exact (s32_fits _ _ _ _ _ _ _ _ _ _ _ FV FV' FR) |]. split; [apply P; lra |]. split; [apply Q; lra | lra].
  Qed.

  Theorem written_upright_f32 :
    (forall k w v, in_plan k -> distance32 (in_plane t') (about_z s' C_c C_s) s' k w -> evaluates u32 phi (PlanFace32 w k) v ->
      plan_F32 t' C_c C_s s' gA' gB' k w v) /\
    (forall e, evaluates u32 phi PlanError32 e -> plan_E32 t' gA' gB' e) /\
    (forall v, evaluates u32 phi ZFace32 v -> z_F32 t' C_c C_s s' gA' gB' v) /\
    forall e, evaluates u32 phi ZError32 e -> z_E32 t' gA' gB' e.
  Proof.
    destruct entries32 as [FS [FX [FY S0]]].
    destruct (gs32 _ _ _ _ _ _ _ _ _ _ _ FR) as [GA0 GB0]. pose proof (GA0 X) as AX. pose proof (GA0 Y) as AY. pose proof (GB0 X) as BX. pose proof (GB0 Y) as BY.
    destruct (gs32 _ _ _ _ _ _ _ _ _ _ _ TR) as [GA1 GB1]. pose proof (GA1 Z) as AZ. pose proof (GB1 Z) as BZ. simpl in AX, AY, BX, BY, AZ, BZ. clear GA0 GB0 GA1 GB1.
    assert (A0 : 0 < A) by (unfold A; lra).
    assert (Fit : forall L h, 0 <= h <= L -> lengthy 1 h L h (Len h)) by exact w_fits.
    assert (KT : 0 <= DISTANCE_ERROR * u32 <= 1) by (unfold DISTANCE_ERROR, u32; lra).
    assert (KG : 0 <= RADIUS_ERROR * u32 <= 1) by (unfold RADIUS_ERROR, u32; lra).
    split; [| split; [| split]].
    - intros k w v Hk Hw Ev. split; [exact Hw |].
      destruct (below32 _ _ _ _ _ _ _ _ _ _ _ FV FV' FR k) as [LT [LW [LA LX]]].
      destruct (distance32_most _ _ _ _ _ _ _ _ _ _ _ FV FV' FR k w Hw) as [W0 W1]. apply LW in W1. set (L := E32 _ _ / u32) in *.
      pose (on_a := fun i => gA' i <= L). pose (on_b := fun i => gB' i <= L). pose (on_t := fun i => i <> Z).
      assert (P : lengthy (1.0045 * (1 + 1) + 2.014) (w + plan_radii s' (Rabs C_c) (Rabs C_s) gA' gB' k) L
        (w - plan_radii s' (Rabs C_c) (Rabs C_s) gA' gB' k) (PlanFace32 w k)).
      { assert (PA : forall i, i <> Z -> 0 <= gA' i /\ 0 <= gB' i) by (intros [] N; try congruence; auto).
        apply (plan_fits L 1.0045 1 s' (Rabs C_c) (Rabs C_s) w (Num s') GA GB gA' gB' t' (fun i => i <> Z /\ gA' i <= L) (fun i => i <> Z /\ gB' i <= L)
          (fun i => i <> Z) FS); try lra; auto.
        - intros i [N H]. apply Fit. split; [apply PA, N | exact H].
        - intros i [N H]. apply Fit. split; [apply PA, N | exact H].
        - intros i N. specialize (LT i). destruct i; simpl in LT; congruence || exact LT.
        - destruct Hk as [-> | [-> | [-> | ->]]]; destruct LX as [XA XB]; simpl in XA, XB |- *.
          + pose proof (XB X). pose proof (XB Y). repeat split; auto; discriminate.
          + pose proof (XB X). pose proof (XB Y). repeat split; auto; discriminate.
          + pose proof (XA X). pose proof (XA Y). repeat split; auto; discriminate.
          + pose proof (XA X). pose proof (XA Y). repeat split; auto; discriminate.
        - intros i ->. simpl in Hw. destruct Hk as [[= ->] | [[= ->] | [[=] | [=]]]]; exact Hw. }
      assert (RE : rr (about_z s' C_c C_s) s' (in_plane gA') (in_plane gB') k = plan_radii s' (Rabs C_c) (Rabs C_s) gA' gB' k).
      { unfold rr, radii, absolute, sum. destruct Hk as [-> | [-> | [-> | ->]]]; simpl; rewrite ?Rabs_Ropp; clear; lra. }
      rewrite RE. eapply lengthy_run; [exact P | | lra | apply Rle_refl | reflexivity | exact Ev].
      destruct Hk as [-> | [-> | [-> | ->]]]; reflexivity.
    - intros e Ev. unfold plan_E32, E_run32. set (E := E32 _ _). pose proof (Rabs_pos (t' X)) as TX. pose proof (Rabs_pos (t' Y)) as TY.
      assert (SP : sum (fun i => Rabs (in_plane t' i)) = Rabs (t' X) + Rabs (t' Y)) by (unfold sum, in_plane; rewrite Rabs_R0; lra).
      pose proof (L32_large _ _ _ _ _ _ _ _ _ _ _ FV FV' FR (gA' X + gA' Y + (gB' X + gB' Y)) ltac:(lra)) as LL. rewrite SP in LL. fold E in LL.
      assert (EE : E = DISTANCE_ERROR * u32 * (Rabs (t' X) + Rabs (t' Y)) + RADIUS_ERROR * u32 * (gA' X + gA' Y + (gB' X + gB' Y)) + A)
        by (unfold E, E32, bound; rewrite SP; clear; lra).
      eapply (lengthy_run _ _ PlanError32); [| reflexivity | | apply Rle_refl | reflexivity | exact Ev]; [rewrite EE at 1 3 |].
      + apply (upright_error_fits (E / u32) 1 _ _ KT KG ltac:(lra) 2).
        * apply (plan_distance_fits _ t' (fun i => i <> Z)); try discriminate. intros [] N; try congruence; lra.
        * apply (plan_extents_fits _ 1 GA GB gA' gB' (fun i => i <> Z) (fun i => i <> Z)); try discriminate; intros [] N; try congruence; apply Fit; lra.
      + lra.
    - intros v Ev. unfold z_F32. set (w := s' * Rabs (t' Z)). split; [reflexivity |].
      destruct (below32 _ _ _ _ _ _ _ _ _ _ _ TV TV' TR (FaceA Z)) as [LT [LW [LA [XA XB]]]].
      destruct (distance32_most _ _ _ _ _ _ _ _ _ _ _ TV TV' TR (FaceA Z) w eq_refl) as [W0 W1]. apply LW in W1. set (L := E32 _ _ / u32) in *.
      specialize (XB Z). simpl in XA, XB.
      assert (RE : rr (about_z s' C_c C_s) s' (along_z gA') (along_z gB') (FaceA Z) = s' * gA' Z + s' * gB' Z).
      { unfold rr, radii, absolute, sum. simpl. rewrite (Rabs_pos_eq s') by exact S0. clear; lra. }
      rewrite RE. eapply (lengthy_run _ _ ZFace32); [| reflexivity | | apply Rle_refl | reflexivity | exact Ev].
      + apply (along_z_fits L 1.0045 1 s' w (Num s') GA GB gA' gB' t' (fun i => i = Z) (fun i => i = Z) (fun i => i = Z) FS); try lra; try reflexivity.
        * intros i ->. apply Fit. lra.
        * intros i ->. apply Fit. lra.
        * intros i ->. exact (LT Z).
      + lra.
    - intros e Ev. unfold z_E32, E_run32. set (E := E32 _ _). pose proof (Rabs_pos (t' Z)) as TZ.
      assert (SP : sum (fun i => Rabs (along_z t' i)) = Rabs (t' Z)) by (unfold sum, along_z; rewrite Rabs_R0; lra).
      pose proof (L32_large _ _ _ _ _ _ _ _ _ _ _ TV TV' TR (gA' Z + gB' Z) ltac:(lra)) as LL. rewrite SP in LL. fold E in LL.
      assert (EE : E = DISTANCE_ERROR * u32 * Rabs (t' Z) + RADIUS_ERROR * u32 * (gA' Z + gB' Z) + A)
        by (unfold E, E32, bound; rewrite SP; clear; lra).
      eapply (lengthy_run _ _ ZError32); [| reflexivity | | apply Rle_refl | reflexivity | exact Ev]; [rewrite EE at 1 3 |].
      + apply (upright_error_fits (E / u32) 1 _ _ KT KG ltac:(lra) 1).
        * apply (at_fits _ t' (fun i => i = Z)); [intros i ->; lra | reflexivity].
        * apply (z_extents_fits _ 1 GA GB gA' gB' (fun i => i = Z) (fun i => i = Z)); try lra; try reflexivity; intros i ->; apply Fit; lra.
      + lra.
  Qed.

  (** The distances along faces of B. *)
  Theorem written_upright_distances32 :
    (forall v, evaluates u32 phi (TurnedX (Num C_c) (Num C_s) t') v -> distance32 (in_plane t') (about_z s' C_c C_s) s' (FaceB X) (Rabs v)) /\
    (forall v, evaluates u32 phi (TurnedY (Num C_c) (Num C_s) t') v -> distance32 (in_plane t') (about_z s' C_c C_s) s' (FaceB Y) (Rabs v)).
  Proof.
    destruct (ranges32 _ _ _ _ _ _ _ _ _ _ _ FV FV' FR) as [_ [C _]]. pose proof (C X X) as Cc. pose proof (C Y X) as Cs. simpl in Cc, Cs.
    pose proof (Rabs_pos (t' X)). pose proof (Rabs_pos (t' Y)).
    assert (SP : sum (fun i => Rabs (in_plane t' i)) = Rabs (t' X) + Rabs (t' Y)) by (unfold sum, in_plane; rewrite Rabs_R0; lra).
    destruct (turned_lengths_fit (Rabs (t' X) + Rabs (t' Y)) _ _ _ _ _ _ _ t' ltac:(lra) ltac:(lra) (num_num 1.0045 C_c ltac:(lra) Cc) (num_num 1.0045 C_s ltac:(lra) Cs)) as [FX FY].
    split; intros v Ev; exists v; (split; [reflexivity |]); rewrite SP.
    - eapply lengthy_run; [exact FX | reflexivity | lra | | | exact Ev]; unfold sum; simpl; rewrite ?Rabs_R0; lra.
    - eapply lengthy_run; [exact FY | reflexivity | lra | | | exact Ev]; unfold sum; simpl; rewrite ?Rabs_R0, ?Rabs_Ropp; lra.
  Qed.
End Cpu.
