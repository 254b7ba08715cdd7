(** * The formulas of the shader for boxes that are rotated about z as written are a run, caps included.

    As in [Caps.v], but of [upright_sat.wgsl]. [CapsUprightCpu.v] has those of the CPU. *)

Require Import Rbase Rfunctions List Lra Lia.
From Obbligato Require Import Boxes Formulas Rounding Flushing Lengths Constants Propagation Axes Shader Filter Counts Answers
  Upright UprightShader Fits Caps.
Open Scope R_scope.

(** ** Formulas *)

(** The turn of (0, 0, z, w), with a way to write 2 x; and |q|^2. *)
Definition Cosine (q : quat) : expr := Sub (Square (qw q)) (Square (qz q)).
Definition SineOf (double : expr -> expr) (q : quat) : expr := double (Mul (Num (qw q)) (Num (qz q))).
Definition Norm (q : quat) : expr := Add (Square (qz q)) (Square (qw q)).
(** A component along the axes that are turned by (c, s). *)
Definition TurnedX (c s : expr) (v : vec) : expr := Add (Mul (Len (v X)) c) (Mul (Len (v Y)) s).
Definition TurnedY (c s : expr) (v : vec) : expr := Sub (Mul (Len (v Y)) c) (Mul (Len (v X)) s).
Definition RelativeZw (a b : quat) : expr := Sub (Mul (Num (qw a)) (Num (qz b))) (Mul (Num (qw b)) (Num (qz a))).
Definition RelativeWz (a b : quat) : expr := Add (Mul (Num (qz a)) (Num (qz b))) (Mul (Num (qw a)) (Num (qw b))).

(** F of faces, from an expression of s and of extents; and E from an expression of a distance and extents. *)
Section Sums.
  Variables (s : expr) (ga gb : axis -> expr) (c_x c_y w : R) (t : vec).
  Definition other (i : axis) : axis := match i with X => Y | _ => X end.
  Definition PlanOfA (i : axis) : expr :=
    Sub (Mul s (Sub (Len (Rabs (t i))) (ga i))) (Add (Mul (Num c_x) (gb i)) (Mul (Num c_y) (gb (other i)))).
  Definition PlanOfB (j : axis) : expr :=
    Sub (Sub (Len w) (Mul s (gb j))) (Add (Mul (Num c_x) (ga j)) (Mul (Num c_y) (ga (other j)))).
  Definition Plan (k : direction) : expr := match k with FaceA i => PlanOfA i | FaceB j => PlanOfB j | _ => Len w end.
  Definition AlongZ (distance : R) : expr := Sub (Mul s (Sub (Len distance) (ga Z))) (Mul s (gb Z)).
  Definition UprightError (k k' : R) (distance extents : expr) : expr :=
    Add (Add (Mul (Num k) distance) (Mul (Num k') extents)) (Len A).
  Definition PlanDistance : expr := Add (Len (Rabs (t X))) (Len (Rabs (t Y))).
  Definition PlanExtents : expr := Add (Add (ga X) (ga Y)) (Add (gb X) (gb Y)).
End Sums.

(** ** Numbers that they are made of *)
Section Parts.
  Variables (c : R) (q : quat).
  Hypothesis c_range : 1 <= c <= 1.01.
  Hypothesis Hq : forall p, part p -> Rabs (p q) <= c.
  Hypothesis Uq : qx q = 0 /\ qy q = 0.

  Let fits_part := part_fits c q (proj1 c_range) Hq.
  Let Pz : part qz := or_intror (or_intror (or_introl eq_refl)).
  Let Pw : part qw := or_intror (or_intror (or_intror eq_refl)).

  Lemma norm_fits : numeral (2 * (c * c)) (norm2 q) (norm2 q) (Norm q).
  Proof.
    destruct Uq as [X0 Y0]. unfold norm2. rewrite X0, Y0.
    eapply numeral_more; [unfold Norm, Square; apply num_add; apply num_mul; apply fits_part; auto | lra | |]; rewrite ?square_abs; clear; lra.
  Qed.
  Lemma cosine_fits : numeral (2 * (c * c)) (norm2 q) (M q X X) (Cosine q).
  Proof.
    destruct Uq as [X0 Y0]. replace (M q X X) with (qw q * qw q - qz q * qz q) by (destruct q; simpl in *; subst; clear; lra).
    unfold norm2. rewrite X0, Y0.
    eapply numeral_more; [unfold Cosine, Sub, Square; apply num_add; [| apply num_minus]; apply num_mul; apply fits_part; auto | lra | |];
      rewrite ?square_abs; clear; lra.
  Qed.
  Lemma sine_product_fits : numeral (c * c) (Rabs (qw q) * Rabs (qz q)) (qw q * qz q) (Mul (Num (qw q)) (Num (qz q))).
  Proof. apply num_mul; apply fits_part; auto. Qed.
  Lemma sine_is : W q Y X = 2 * (Rabs (qw q) * Rabs (qz q)) /\ M q Y X = 2 * (qw q * qz q) /\
    W q X Y = 2 * (Rabs (qw q) * Rabs (qz q)) /\ M q X Y = - (2 * (qw q * qz q)) /\
    W q X X = norm2 q /\ W q Y Y = norm2 q /\ M q Y Y = M q X X.
  Proof.
    clear - Uq. destruct Uq as [X0 Y0]. destruct q as [x y z w]. unfold norm2. simpl in *. subst. rewrite Rabs_R0. repeat split; clear; lra.
  Qed.
  Lemma sine_of_fits : numeral (2 * (c * c)) (W q Y X) (M q Y X) (SineOf Doubled q).
  Proof.
    destruct sine_is as [-> [-> _]]. unfold SineOf, Doubled.
    eapply numeral_more; [apply num_add; apply sine_product_fits | lra | |]; clear; lra.
  Qed.
  Lemma sine_twice_fits : numeral (2 * (c * c)) (W q Y X) (M q Y X) (SineOf Twice q).
  Proof.
    destruct sine_is as [-> [-> _]]. unfold SineOf. apply num_twice, sine_product_fits.
  Qed.
End Parts.

(** ** Lengths *)
Lemma turned_lengths_fit : forall L k Sc xc c Ss xs s v, Rabs (v X) <= L -> Rabs (v Y) <= L -> numeral k Sc xc c -> numeral k Ss xs s ->
  lengthy (2 * k) (Rabs (v X) * Sc + Rabs (v Y) * Ss) L (v X * xc + v Y * xs) (TurnedX c s v) /\
  lengthy (2 * k) (Rabs (v Y) * Sc + Rabs (v X) * Ss) L (v Y * xc - v X * xs) (TurnedY c s v).
Proof.
  intros L k Sc xc c Ss xs s v HX HY Hc Hs. pose proof (len_len L (v X) HX) as LX. pose proof (len_len L (v Y) HY) as LY. split.
  - eapply lengthy_more; [apply len_add; eapply len_times; [exact LX | exact Hc | exact LY | exact Hs] | | |]; lra.
  - eapply lengthy_more; [apply len_add; [eapply len_times; [exact LY | exact Hc] | apply len_minus; eapply len_times; [exact LX | exact Hs]] | | |]; lra.
Qed.

(** Sums of lengths of at most L, along some axes. *)
Section Fits.
  Variables (L c_s c_g s0 c_x c_y k k' w : R) (s : expr) (ga gb : axis -> expr) (vA vB t : vec) (on_a on_b on_t : axis -> Prop).
  Hypothesis s_fits : numeral c_s s0 s0 s.
  Hypothesis s_caps : c_s <= 2.0093.
  Hypothesis g_caps : 0 <= c_g <= 1.0022.
  Hypothesis a_fits : forall i, on_a i -> lengthy c_g (vA i) L (vA i) (ga i).
  Hypothesis b_fits : forall i, on_b i -> lengthy c_g (vB i) L (vB i) (gb i).
  Hypothesis x_fits : numeral 1.0045 c_x c_x (Num c_x).
  Hypothesis y_fits : numeral 1.0045 c_y c_y (Num c_y).
  Hypothesis t_most : forall i, on_t i -> Rabs (t i) <= L.
  Hypothesis w_range : 0 <= w <= L.
  Hypothesis k_range : 0 <= k <= 1.
  Hypothesis k'_range : 0 <= k' <= 1.
  Hypothesis A_most : 0 <= A <= L.
  (* The products below are bounded factor by factor. *)
  Lemma cap_pos : 1 <= c_s.
  Proof. destruct s_fits as [_ C _ _]. pose proof (caps_some s). lra. Qed.
  Lemma cap_products : c_s * (1 + c_g) <= 4.03 /\ c_s * c_g <= 2.014 /\ 1.0045 * c_g <= 1.0068.
  Proof.
    pose proof cap_pos. assert (c_s * (1 + c_g) <= 2.0093 * 2.0022) by (apply Rmult_le_compat; lra).
    assert (c_s * c_g <= 2.0093 * 1.0022) by (apply Rmult_le_compat; lra). lra.
  Qed.

  Lemma at_fits : forall i, on_t i -> lengthy 1 (Rabs (t i)) L (Rabs (t i)) (Len (Rabs (t i))).
  Proof. intros i Hi. apply w_fits. split; [apply Rabs_pos | apply t_most, Hi]. Qed.

  Definition plan_radii (k : direction) : R :=
    match k with
    | FaceA i => s0 * vA i + (c_x * vB i + c_y * vB (other i))
    | FaceB j => s0 * vB j + (c_x * vA j + c_y * vA (other j))
    | _ => 0
    end.
  Definition on_plan (d : direction) : Prop :=
    match d with
    | FaceA i => on_t i /\ on_a i /\ on_b i /\ on_b (other i)
    | FaceB j => on_b j /\ on_a j /\ on_a (other j)
    | Edges _ _ => False
    end.

  Lemma plan_fits : forall d, on_plan d -> (forall i, d = FaceA i -> w = s0 * Rabs (t i)) ->
    lengthy (c_s * (1 + c_g) + 2.014) (w + plan_radii d) L (w - plan_radii d) (Plan s ga gb c_x c_y w t d).
  Proof.
    pose proof cap_products as P. pose proof cap_pos. intros [i | j | i j] B E; [destruct B as [Ht [Hi [Hj Ho]]] | destruct B as [Hj [Hi Ho]] | destruct B]; unfold Plan, plan_radii.
    - rewrite (E i eq_refl).
      eapply lengthy_more; [unfold PlanOfA, Sub; apply len_add; [eapply times_len; [exact s_fits | apply len_add; [apply at_fits, Ht | apply len_minus, a_fits, Hi]]
        | apply len_minus, len_add; (eapply times_len; [eassumption | apply b_fits; assumption])] | | |]; lra.
    - eapply lengthy_more; [unfold PlanOfB, Sub; apply len_add; [apply len_add; [exact (w_fits L w w_range) | apply len_minus; eapply times_len; [exact s_fits | apply b_fits, Hj]]
        | apply len_minus, len_add; (eapply times_len; [eassumption | apply a_fits; assumption])] | | |]; lra.
  Qed.

  Lemma along_z_fits : on_a Z -> on_b Z -> on_t Z -> w = s0 * Rabs (t Z) ->
    lengthy (c_s * (1 + c_g) + 2.014) (w + (s0 * vA Z + s0 * vB Z)) L (w - (s0 * vA Z + s0 * vB Z)) (AlongZ s ga gb (Rabs (t Z))).
  Proof.
    pose proof cap_products as P. intros Ha Hb Ht ->.
    eapply lengthy_more; [unfold AlongZ, Sub; apply len_add; [eapply times_len; [exact s_fits | apply len_add; [apply at_fits, Ht | apply len_minus, a_fits, Ha]]
      | apply len_minus; eapply times_len; [exact s_fits | apply b_fits, Hb]] | | |]; lra.
  Qed.

  (** E of an axis, from the distance and extents. *)
  Lemma upright_error_fits : forall q T G d x, lengthy q T L T d -> lengthy (4 * c_g) G L G x ->
    lengthy (q + 4 * c_g + 1) (k * T + k' * G + A) L (k * T + k' * G + A) (UprightError k k' d x).
  Proof.
    intros q T G d x Hd Hx. eapply lengthy_more; [unfold UprightError; apply len_add; [apply len_add;
      (eapply times_len; [apply k_fits; assumption | eassumption]) | exact (w_fits L A A_most)] | | |]; lra.
  Qed.
  Lemma plan_distance_fits : on_t X -> on_t Y ->
    lengthy 2 (Rabs (t X) + Rabs (t Y)) L (Rabs (t X) + Rabs (t Y)) (PlanDistance t).
  Proof. intros HX HY. eapply lengthy_more; [apply len_add; apply at_fits; assumption | | |]; lra. Qed.
  Lemma plan_extents_fits : on_a X -> on_a Y -> on_b X -> on_b Y ->
    lengthy (4 * c_g) (vA X + vA Y + (vB X + vB Y)) L (vA X + vA Y + (vB X + vB Y)) (PlanExtents ga gb).
  Proof.
    intros. eapply lengthy_more; [unfold PlanExtents; repeat apply len_add; first [apply a_fits | apply b_fits]; assumption | | |]; lra.
  Qed.
  Lemma z_extents_fits : on_a Z -> on_b Z -> lengthy (4 * c_g) (vA Z + vB Z) L (vA Z + vB Z) (Add (ga Z) (gb Z)).
  Proof. intros. eapply lengthy_more; [apply len_add; [apply a_fits | apply b_fits]; assumption | | |]; lra. Qed.
End Fits.

(** ** The shader in f32 *)
(** The two parts of r that are not 0. *)
Lemma relative_zw : forall u phi a b r', valid a -> valid b -> upright a -> upright b ->
  evaluates u phi (RelativeZw (rotation a) (rotation b)) (qz r') -> evaluates u phi (RelativeWz (rotation a) (rotation b)) (qw r') ->
  forall p, p = qz \/ p = qw -> computed u phi 2 2 (p (relative_magnitude (rotation a) (rotation b))) (p (r a b)) (p r').
Proof.
  intros u phi a b r' Ha Hb [A1 A2] [B1 B2] EZ EW. pose proof (rotation_parts a Ha) as PA. pose proof (rotation_parts b Hb) as PB.
  assert (Cr : 1 <= 1.00105 <= 1.01) by lra. assert (Pz : part qz) by (unfold part; tauto). assert (Pw : part qw) by (unfold part; tauto).
  pose proof (part_fits _ _ (proj1 Cr) PA qz Pz) as AZ. pose proof (part_fits _ _ (proj1 Cr) PA qw Pw) as AW.
  pose proof (part_fits _ _ (proj1 Cr) PB qz Pz) as BZ. pose proof (part_fits _ _ (proj1 Cr) PB qw Pw) as BW.
  intros p [-> | ->].
  - eapply numeral_run; [unfold RelativeZw, Sub; apply num_add; [exact (num_mul _ _ _ _ _ _ _ _ AW BZ) | apply num_minus; exact (num_mul _ _ _ _ _ _ _ _ BW AZ)] | reflexivity | lra | | | exact EZ];
      unfold r; destruct (rotation a), (rotation b); simpl in *; subst; rewrite ?Rabs_R0; clear; lra.
  - eapply numeral_run; [unfold RelativeWz; apply num_add; [exact (num_mul _ _ _ _ _ _ _ _ AZ BZ) | exact (num_mul _ _ _ _ _ _ _ _ AW BW)] | reflexivity | lra | | | exact EW];
      unfold r; destruct (rotation a), (rotation b); simpl in *; subst; rewrite ?Rabs_R0; clear; lra.
Qed.

Section Shader.
  Variables (a b : box) (d' t' : vec) (n' : R) (r' : quat) (cosine sine : R).
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Hypothesis Ua : upright a.
  Hypothesis Ub : upright b.
  Let U : 0 < u <= 1 / 2 ^ 23 := proj1 constants.
  Let Fl : 0 <= phi <= u * u * u * u := proj1 (proj2 constants).

  (** What is before the sums. *)
  Theorem written_upright_run : (forall k, subtracted u phi (center b k) (center a k) (d' k)) ->
    evaluates u phi (TurnedX (Cosine (rotation a)) (SineOf Doubled (rotation a)) d') (t' X) ->
    evaluates u phi (TurnedY (Cosine (rotation a)) (SineOf Doubled (rotation a)) d') (t' Y) ->
    evaluates u phi (Mul (Norm (rotation a)) (Len (d' Z))) (t' Z) -> evaluates u phi (Norm (rotation a)) n' ->
    qx r' = 0 -> qy r' = 0 ->
    evaluates u phi (RelativeZw (rotation a) (rotation b)) (qz r') -> evaluates u phi (RelativeWz (rotation a) (rotation b)) (qw r') ->
    (exists v, evaluates u phi (Cosine r') v /\ cosine = Rabs v) ->
    (exists v, evaluates u phi (SineOf Doubled r') v /\ sine = Rabs v) -> upright_run u phi a b d' t' n' r' cosine sine.
  Proof.
    intros D TX TY TZ N0 X0 Y0 EZ EW [c [Ec ->]] [sn [Es ->]].
    pose proof (rotation_parts a Ha) as PA. assert (Cr : 1 <= 1.00105 <= 1.01) by lra.
    pose proof (norm_fits _ _ Cr PA Ua) as FN. pose proof (cosine_fits _ _ Cr PA Ua) as FC. pose proof (sine_of_fits _ _ Cr PA Ua) as FS.
    destruct (sine_is _ Ua) as [_ [_ [WXY [MXY [WXX [WYY MYY]]]]]]. destruct (sine_is _ Ua) as [WYX [MYX _]].
    assert (HR : qx r' = 0 /\ qy r' = 0 /\ forall p, p = qz \/ p = qw ->
      computed u phi 2 2 (p (relative_magnitude (rotation a) (rotation b))) (p (r a b)) (p r'))
      by exact (conj X0 (conj Y0 (relative_zw u phi a b r' Ha Hb Ua Ub EZ EW))).
    assert (SR : norm2 r' <= 1.0045).
    { pose proof (s_error u phi ltac:(lra) Fl a b r' Ha Hb (r_parts u phi a b r' Ua Ub HR)) as E.
      pose proof (scale_range a b Ha Hb) as S. assert (17 * u * s a b <= 0.00001 * s a b) by (apply Rmult_le_compat_r; unfold u; lra).
      apply Rabs_def2_le in E. lra. }
    pose proof (parts_by_norm r' 1.0045 1.0023 ltac:(lra) SR ltac:(lra)) as PR. assert (Cr' : 1 <= 1.0023 <= 1.01) by lra.
    pose proof (Rabs_pos (d' X)). pose proof (Rabs_pos (d' Y)).
    destruct (turned_lengths_fit (Rabs (d' X) + Rabs (d' Y)) _ _ _ _ _ _ _ d' ltac:(lra) ltac:(lra) FC FS) as [FX FY].
    split; auto.
    - intros [] Hi; [| | congruence].
      + eapply lengthy_run; [exact FX | reflexivity | lra | | | exact TX];
          rewrite ?WXX; lra.
      + eapply lengthy_run; [exact FY | reflexivity | lra | | | exact TY];
          rewrite ?WXY, ?MXY, ?WYY, ?MYY, ?WYX, ?MYX; lra.
    - eapply lengthy_run; [eapply times_len; [exact FN | apply (len_len (Rabs (d' Z))); apply Rle_refl] | reflexivity | lra | | | exact TZ]; unfold n; lra.
    - eapply numeral_run; [exact FN | reflexivity | lra | | | exact N0]; unfold n; lra.
    - exists c. split; [| reflexivity]. eapply numeral_run; [apply (cosine_fits _ _ Cr' PR (conj X0 Y0)) | reflexivity | lra | lra | reflexivity | exact Ec].
    - exists sn. split; [| reflexivity]. eapply numeral_run; [apply (sine_of_fits _ _ Cr' PR (conj X0 Y0)) | reflexivity | lra | apply W_bounds | reflexivity | exact Es].
  Qed.

  (** The distances along faces of B. *)
  Theorem written_upright_distances : qx r' = 0 -> qy r' = 0 -> norm2 r' <= 1.0045 ->
    (forall v, evaluates u phi (TurnedX (Cosine r') (SineOf Doubled r') t') v -> distance_run u phi (in_plane t') r' (FaceB X) (Rabs v)) /\
    (forall v, evaluates u phi (TurnedY (Cosine r') (SineOf Doubled r') t') v -> distance_run u phi (in_plane t') r' (FaceB Y) (Rabs v)).
  Proof.
    intros X0 Y0 N. pose proof (parts_by_norm r' 1.0045 1.0023 ltac:(lra) N ltac:(lra)) as PR. assert (Cr' : 1 <= 1.0023 <= 1.01) by lra.
    pose proof (cosine_fits _ _ Cr' PR (conj X0 Y0)) as FC. pose proof (sine_of_fits _ _ Cr' PR (conj X0 Y0)) as FS.
    destruct (sine_is _ (conj X0 Y0)) as [WYX [MYX [WXY [MXY [WXX [WYY MYY]]]]]].
    pose proof (Rabs_pos (t' X)). pose proof (Rabs_pos (t' Y)).
    assert (SP : sum (fun i => Rabs (in_plane t' i)) = Rabs (t' X) + Rabs (t' Y)) by (unfold sum, in_plane; rewrite Rabs_R0; lra).
    destruct (turned_lengths_fit (Rabs (t' X) + Rabs (t' Y)) _ _ _ _ _ _ _ t' ltac:(lra) ltac:(lra) FC FS) as [FX FY].
    simpl distance_run. rewrite SP.
    split; intros v Ev; exists v; (split; [reflexivity |]).
    - eapply lengthy_run; [exact FX | reflexivity | lra | | | exact Ev];
        unfold sum, in_plane; rewrite ?WXX, ?Rabs_R0; lra.
    - eapply lengthy_run; [exact FY | reflexivity | lra | | | exact Ev];
        unfold sum, in_plane; rewrite ?WXY, ?MXY, ?WYY, ?MYY, ?WYX, ?MYX, ?Rabs_R0; lra.
  Qed.

  (** The last sums. *)
  Hypothesis Hrun : upright_run u phi a b d' t' n' r' cosine sine.
  Let GA (i : axis) : expr := Mul (Num n') (Len (half a i)).
  Let GB (i : axis) : expr := Mul (Num n') (Len (half b i)).
  Let S : expr := Norm r'.
  Definition PlanFace (w : R) (k : direction) : expr := Plan S GA GB cosine sine w t' k.
  Definition PlanError : expr := UprightError (K_T * u) (K_G * u) (PlanDistance t') (PlanExtents GA GB).
  Definition ZFace : expr := AlongZ S GA GB (Rabs (t' Z)).
  Definition ZError : expr := UprightError (K_T * u) (K_G * u) (Len (Rabs (t' Z))) (Add (GA Z) (GB Z)).

  Let plan_run := flat_run u phi U Fl a b d' t' n' r' cosine sine Ha Hb Ua Ub Hrun.
  Let Nn : 0.99 <= n' <= 1.0022 := n_most u phi U Fl (flat a) (flat b) _ _ _ _ _ (flat_valid a Ha) plan_run.
  Let Rr : forall p, part p -> Rabs (p r') <= 1.0023 := parts_most u phi U Fl (flat a) (flat b) _ _ _ _ _ (flat_valid a Ha) (flat_valid b Hb) plan_run.
  Let Cc := c_most u phi U Fl (flat a) (flat b) _ _ _ _ _ (flat_valid a Ha) (flat_valid b Hb) plan_run.

  Lemma s_upright_fits : numeral 2.0093 (norm2 r') (norm2 r') S.
  Proof.
    destruct (upright_r _ _ _ _ _ _ _ _ _ _ Hrun) as [X0 [Y0 _]].
    eapply numeral_more; [apply (norm_fits 1.0023 r' ltac:(lra) Rr (conj X0 Y0)) | lra | lra | reflexivity].
  Qed.
  Lemma entries_fit : numeral 1.0045 cosine cosine (Num cosine) /\ numeral 1.0045 sine sine (Num sine).
  Proof.
    pose proof (Cc X X) as C. pose proof (Cc Y X) as D. simpl in C, D. pose proof (num_num 1.0045 cosine) as P. pose proof (num_num 1.0045 sine) as Q.
    rewrite Rabs_pos_eq in P, Q by lra. split; [apply P | apply Q]; lra.
  Qed.
  Lemma g_upright_fits : forall L h, 0 <= h <= L -> lengthy 1.0022 (n' * h) L (n' * h) (Mul (Num n') (Len h)).
  Proof. intros. apply g_fits; auto. Qed.

  Lemma over_u : forall T G, error_of u A T G / u = 92 * T + 72 * G + A / u.
  Proof. intros. unfold error_of, K_T, K_G. unfold Rdiv. rewrite Rmult_plus_distr_r, <- (Rmult_comm (/ u)), <- Rmult_assoc, Rinv_l by (unfold u; lra). clear; lra. Qed.

  Lemma plan_below : let L := error_in_plan u A a b t' n' / u in
    (forall i, i <> Z -> Rabs (t' i) <= L) /\ (forall i, i <> Z -> 0 <= half a i <= L) /\ (forall i, i <> Z -> 0 <= half b i <= L) /\
    A <= L /\ forall w, w <= 1.01 * sum (fun i => Rabs (in_plane t' i)) + 48.6 * phi -> w <= L.
  Proof.
    intro L. unfold L, error_in_plan. rewrite over_u. pose proof constants as [_ [_ [AF [AU A0]]]].
    pose proof (Rabs_pos (t' X)). pose proof (Rabs_pos (t' Y)). pose proof (proj1 Ha) as HA. pose proof (proj1 Hb) as HB.
    pose proof (half_below n' _ (proj1 Nn) (HA X)). pose proof (half_below n' _ (proj1 Nn) (HA Y)).
    pose proof (half_below n' _ (proj1 Nn) (HB X)). pose proof (half_below n' _ (proj1 Nn) (HB Y)). pose proof (HA X). pose proof (HA Y). pose proof (HB X). pose proof (HB Y).
    split; [| split; [| split; [| split]]].
    - intros [] Hi; try congruence; lra.
    - intros [] Hi; try congruence; lra.
    - intros [] Hi; try congruence; lra.
    - lra.
    - intros w W. unfold sum in W. simpl in W. rewrite Rabs_R0 in W. lra.
  Qed.

  Lemma radii_are : forall k, in_plan k ->
    radii_in_plan a b n' r' cosine sine k = plan_radii (norm2 r') cosine sine (fun i => n' * half a i) (fun i => n' * half b i) k.
  Proof.
    intros k Hk. unfold radii_in_plan, radii', radii, gA', gB', sum. destruct Hk as [-> | [-> | [-> | ->]]]; simpl; clear; lra.
  Qed.

  Lemma written_upright_sums : forall k w, in_plan k -> distance_run u phi (in_plane t') r' k w ->
    let E := error_in_plan u A a b t' n' in let R := radii_in_plan a b n' r' cosine sine k in
    (forall v, evaluates u phi (Sub (PlanFace w k) PlanError) v ->
      computed_length u phi (terms k) 4 (terms_caps k) (E / u) (w + R + E) (w - R - E) v) /\
    (forall v, evaluates u phi (Add (PlanFace w k) PlanError) v ->
      computed_length u phi (terms k) 4 (terms_caps k) (E / u) (w + R + E) (w - R + E) v) /\
    (forall y, evaluates u phi (PlanFace w k) y -> computed_length u phi 11 4 11.1 (E / u) (w + R) (w - R) y) /\
    forall x v, Rabs x <= E / u -> evaluates u phi (Add (Len x) PlanError) v ->
      computed_length u phi 9 4 9.1 (E / u) (Rabs x + E) (x + E) v.
  Proof.
    intros k w Hk Hw E R0. destruct plan_below as [LT [LA [LB [LAA LW]]]]. fold E in LT, LA, LB, LAA, LW. set (L := E / u) in *.
    pose proof (w_most u phi U Fl (flat a) (flat b) _ _ _ _ _ (flat_valid a Ha) (flat_valid b Hb) plan_run k w Hw) as [W0 W1]. apply LW in W1.
    destruct entries_fit as [FX FY]. pose proof s_upright_fits as FS. pose proof constants as [_ [_ [_ [_ A0]]]].
    assert (FA : forall i, i <> Z -> lengthy 1.0022 (n' * half a i) L (n' * half a i) (GA i)) by (intros; apply g_upright_fits; auto).
    assert (FB : forall i, i <> Z -> lengthy 1.0022 (n' * half b i) L (n' * half b i) (GB i)) by (intros; apply g_upright_fits; auto).
    assert (P0 : lengthy 6.05 (w + R0) L (w - R0) (PlanFace w k)).
    { unfold R0. rewrite (radii_are k Hk).
      eapply lengthy_more; [apply (plan_fits L 2.0093 1.0022 (norm2 r') cosine sine w S GA GB _ _ t' (fun i => i <> Z) (fun i => i <> Z) (fun i => i <> Z) FS ltac:(lra) ltac:(lra) FA FB FX FY LT (conj W0 W1) k) | lra | lra | reflexivity].
      - destruct Hk as [-> | [-> | [-> | ->]]]; repeat split; discriminate.
      - intros i ->. simpl in Hw. destruct Hk as [[= ->] | [[= ->] | [[=] | [=]]]]; exact Hw. }
    assert (E0 : lengthy 7.01 E L E PlanError).
    { eapply lengthy_more; [apply (upright_error_fits L 1.0022 (K_T * u) (K_G * u) ltac:(unfold K_T, u; lra) ltac:(unfold K_G, u; lra) ltac:(lra) 2 (Rabs (t' X) + Rabs (t' Y))
        (n' * half a X + n' * half a Y + (n' * half b X + n' * half b Y))) | lra | |].
      - apply (plan_distance_fits L t' (fun i => i <> Z) LT); discriminate.
      - apply (plan_extents_fits L 1.0022 GA GB (fun i => n' * half a i) (fun i => n' * half b i) (fun i => i <> Z) (fun i => i <> Z) FA FB); discriminate.
      - unfold E, error_in_plan, error_of. lra.
      - unfold E, error_in_plan, error_of. clear; lra. }
    assert (TC : 13.06 <= terms_caps k) by (destruct k; simpl; lra).
    split; [| split; [| split]].
    - intros v Ev. eapply lengthy_run; [apply len_add; [exact P0 | apply len_minus, E0] | | | | | exact Ev]; [| lra | lra | lra].
      destruct Hk as [-> | [-> | [-> | ->]]]; reflexivity.
    - intros v Ev. eapply lengthy_run; [apply len_add; [exact P0 | exact E0] | | | | | exact Ev]; [| lra | lra | lra].
      destruct Hk as [-> | [-> | [-> | ->]]]; reflexivity.
    - intros y Ev. eapply lengthy_run; [exact P0 | | lra | lra | lra | exact Ev]. destruct Hk as [-> | [-> | [-> | ->]]]; reflexivity.
    - intros x v Hx Ev. eapply lengthy_run; [apply len_add; [apply len_len, Hx | exact E0] | reflexivity | lra | lra | lra | exact Ev].
  Qed.

  Lemma written_upright_z :
    let E := error_along_z u A a b t' n' in let D := distance_along_z t' r' in let R := radii_along_z a b n' r' in
    (forall v, evaluates u phi (Sub ZFace ZError) v -> computed_length u phi 19 4 19.2 (E / u) (D + R + E) (D - R - E) v) /\
    (forall v, evaluates u phi (Add ZFace ZError) v -> computed_length u phi 19 4 19.2 (E / u) (D + R + E) (D - R + E) v).
  Proof.
    intros E D R0. pose proof constants as [_ [_ [AF [AU A0]]]]. pose proof (Rabs_pos (t' Z)) as TP. pose proof (proj1 Ha Z) as HA. pose proof (proj1 Hb Z) as HB.
    pose proof (half_below n' _ (proj1 Nn) HA). pose proof (half_below n' _ (proj1 Nn) HB). pose proof s_upright_fits as FS.
    assert (LE : E / u = 92 * Rabs (t' Z) + 72 * (n' * half a Z + n' * half b Z) + A / u) by apply over_u. set (L := E / u) in *.
    assert (AL : 0 <= A <= L) by (rewrite LE; lra).
    assert (LT : forall i, i = Z -> Rabs (t' i) <= L) by (intros i ->; lra).
    assert (FA : forall i, i = Z -> lengthy 1.0022 (n' * half a i) L (n' * half a i) (GA i)) by (intros i ->; apply g_upright_fits; lra).
    assert (FB : forall i, i = Z -> lengthy 1.0022 (n' * half b i) L (n' * half b i) (GB i)) by (intros i ->; apply g_upright_fits; lra).
    assert (DL : 0 <= D <= L).
    { pose proof (Cc Z Z) as S0. simpl in S0. unfold D, distance_along_z. split; [apply Rmult_le_pos; lra |].
      assert (norm2 r' * Rabs (t' Z) <= 1.0045 * Rabs (t' Z)) by (apply Rmult_le_compat_r; lra). lra. }
    assert (P0 : lengthy 6.05 (D + R0) L (D - R0) ZFace).
    { eapply lengthy_more; [apply (along_z_fits L 2.0093 1.0022 (norm2 r') D S GA GB _ _ t' (fun i => i = Z) (fun i => i = Z) (fun i => i = Z) FS ltac:(lra) ltac:(lra) FA FB LT DL eq_refl eq_refl eq_refl eq_refl)
        | lra | right; reflexivity | reflexivity]. }
    assert (E0 : lengthy 6.01 E L E ZError).
    { eapply lengthy_more; [apply (upright_error_fits L 1.0022 (K_T * u) (K_G * u) ltac:(unfold K_T, u; lra) ltac:(unfold K_G, u; lra) AL 1 (Rabs (t' Z))
        (n' * half a Z + n' * half b Z)) | lra | |].
      - apply (at_fits L t' (fun i => i = Z) LT Z eq_refl).
      - apply (z_extents_fits L 1.0022 GA GB (fun i => n' * half a i) (fun i => n' * half b i) (fun i => i = Z) (fun i => i = Z) ltac:(lra) FA FB eq_refl eq_refl).
      - unfold E, error_along_z, error_of. lra.
      - unfold E, error_along_z, error_of. clear; lra. }
    split; intros v Ev.
    - eapply lengthy_run; [apply len_add; [exact P0 | apply len_minus, E0] | reflexivity | lra | lra | lra | exact Ev].
    - eapply lengthy_run; [apply len_add; [exact P0 | exact E0] | reflexivity | lra | lra | lra | exact Ev].
  Qed.

  (** The answers. *)
  Theorem written_upright_answers :
    (forall k w v, in_plan k -> distance_run u phi (in_plane t') r' k w -> evaluates u phi (Sub (PlanFace w k) PlanError) v -> 0 < v ->
      separates_in_plan u phi A a b t' n' r' cosine sine k) /\
    (forall v, evaluates u phi (Sub ZFace ZError) v -> 0 < v -> separates_along_z u phi A a b t' n' r') /\
    ((forall k, in_plan k -> exists w v, distance_run u phi (in_plane t') r' k w /\ v < 0 /\ evaluates u phi (Add (PlanFace w k) PlanError) v) ->
      clears_each u phi A a b t' n' r' cosine sine) /\
    (forall x v, Rabs x <= error_in_plan u A a b t' n' / u -> evaluates u phi (Add (Len x) PlanError) v -> v < 0 ->
      (forall k, in_plan k -> exists w y, distance_run u phi (in_plane t') r' k w /\ y <= x /\ evaluates u phi (PlanFace w k) y) ->
      clears_largest u phi A a b t' n' r' cosine sine) /\
    forall v, evaluates u phi (Add ZFace ZError) v -> v < 0 -> clears_along_z u phi A a b t' n' r'.
  Proof.
    destruct written_upright_z as [ZS ZA]. split; [| split; [| split; [| split]]].
    - intros k w v Hk Hw Ev V. split; [exact Hk |]. exists w, v. repeat split; auto. apply (proj1 (written_upright_sums k w Hk Hw)), Ev.
    - intros v Ev V. exists v. split; [exact V | apply ZS, Ev].
    - intros H k Hk. destruct (H k Hk) as [w [v [Hw [V Ev]]]]. exists w, v. repeat split; auto.
      apply (proj1 (proj2 (written_upright_sums k w Hk Hw))), Ev.
    - intros x v Hx Ev V H. exists x, v. split; [exact V |]. split.
      + destruct (H (FaceA X) (or_introl eq_refl)) as [w [y [Hw _]]].
        apply (proj2 (proj2 (proj2 (written_upright_sums (FaceA X) w (or_introl eq_refl) Hw)))); assumption.
      + intros k Hk. destruct (H k Hk) as [w [y [Hw [Y Ey]]]]. exists w, y. repeat split; auto.
        apply (proj1 (proj2 (proj2 (written_upright_sums k w Hk Hw)))), Ey.
    - intros v Ev V. exists v. split; [exact V | apply ZA, Ev].
  Qed.
End Shader.
