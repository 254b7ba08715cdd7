(** * The formulas of the f64 shader as written are a run of [Shader64.v], caps included. *)

Require Import Rbase Rfunctions Bool Lra Lia.
From Obbligato Require Import Boxes Formulas Rounding Flushing Lengths Constants Propagation Axes Shader Filter Counts Fits Rule
  Overlapping Cpu64 Caps Shader64.
Open Scope R_scope.

Section Written64.
  Variables (kappa : R) (a b a0 b0 : box) (high low t' : vec) (c' : axis -> axis -> R).
  Hypothesis Hkappa : Rabs (kappa - KAPPA) <= 0.01.
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Hypothesis Ra : as_read a a0.
  Hypothesis Rb : as_read b b0.
  Let qa := rotation a0.
  Let qb := rotation b0.
  Let m := relative_magnitude qa qb.
  Let D := sum (fun k => Rabs (high k) + Rabs (low k)).

  Lemma part_read : forall b b0, valid b -> as_read b b0 -> forall p, part p -> Rabs (p (rotation b0)) <= 1.0012.
  Proof.
    intros b1 b2 V [_ H] p Hp. specialize (H p Hp). pose proof (parts_of_valid b1 V p Hp) as P.
    assert (F : 0 < phi <= 0.00001) by (unfold phi; lra).
    replace (p (rotation b2)) with ((p (rotation b2) - p (rotation b1)) + p (rotation b1)) by (clear; lra).
    eapply Rle_trans; [apply Rabs_triang |]. lra.
  Qed.

  Lemma pa : forall p, part p -> Rabs (p qa) <= 1.0012.
  Proof. exact (part_read a a0 Ha Ra). Qed.
  Lemma pb : forall p, part p -> Rabs (p qb) <= 1.0012.
  Proof. exact (part_read b b0 Hb Rb). Qed.

  (** r *)
  Lemma r_fits : numeral 4.01 (qx m) (qx (r a0 b0)) (RelativeX qa qb) /\ numeral 4.01 (qy m) (qy (r a0 b0)) (RelativeY qa qb) /\
    numeral 4.01 (qz m) (qz (r a0 b0)) (RelativeZ qa qb) /\ numeral 4.01 (qw m) (qw (r a0 b0)) (RelativeW qa qb).
  Proof.
    destruct (relative_fits 1.0012 qa qb ltac:(lra) pa pb) as [X0 [Y0 [Z0 W0]]]. unfold m, r. fold qa qb.
    split; [| split; [| split]]; (eapply numeral_more; [eassumption | lra | right; reflexivity | reflexivity]).
  Qed.

  Lemma m_pos : forall p, part p -> 0 <= p m.
  Proof.
    intros p Hp. unfold m. destruct qa as [x y z w], qb as [x2 y2 z2 w2].
    destruct Hp as [-> | [-> | [-> | ->]]]; simpl; repeat apply Rplus_le_le_0_compat; apply Rmult_le_pos; apply Rabs_pos.
  Qed.

  (** A quadratic form of r. *)
  Lemma form_fits : forall x y z w q s, numeral 4.01 (qx s) (qx q) x -> numeral 4.01 (qy s) (qy q) y -> numeral 4.01 (qz s) (qz q) z ->
    numeral 4.01 (qw s) (qw q) w -> 0 <= qx s -> 0 <= qy s -> 0 <= qz s -> 0 <= qw s ->
    forall i j, numeral 64.4 (W s i j) (M q i j) (MatrixOf x y z w i j).
  Proof.
    intros x y z w q s Hx Hy Hz Hw X0 Y0 Z0 W0. destruct q as [q1 q2 q3 q4], s as [s1 s2 s3 s4]. simpl in *.
    assert (Sq : forall k v e, numeral 4.01 k v e -> numeral 16.0801 (k * k) (v * v) (Mul e e))
      by (intros k v e H; eapply numeral_more; [apply num_mul; exact H | lra | lra | reflexivity]).
    assert (Pr : forall k v e k' v' e', numeral 4.01 k v e -> numeral 4.01 k' v' e' -> numeral 16.0801 (k * k') (v * v') (Mul e e'))
      by (intros k v e k' v' e' H H'; eapply numeral_more; [apply num_mul; [exact H | exact H'] | lra | lra | reflexivity]).
    intros [] []; unfold MatrixOf, Doubled, Sub; simpl W; rewrite ?(Rabs_pos_eq s1), ?(Rabs_pos_eq s2), ?(Rabs_pos_eq s3), ?(Rabs_pos_eq s4) by assumption;
      simpl M; (eapply numeral_more;
        [repeat first [apply num_add | apply num_minus | apply Sq; eassumption | apply Pr; [first [eassumption | apply num_minus; eassumption] | first [eassumption | apply num_minus; eassumption]]]
        | lra | |]; clear; lra).
  Qed.

  Lemma C64_fits : forall i j, numeral 64.4 (W m i j) (M (r a0 b0) i j) (C64 qa qb i j).
  Proof.
    destruct r_fits as [X0 [Y0 [Z0 W0]]]. intros i j. unfold C64. apply form_fits; auto; apply m_pos; unfold part; tauto.
  Qed.
  Lemma S64_fits : numeral 64.4 (norm2 m) (norm2 (r a0 b0)) (S64 qa qb).
  Proof.
    destruct r_fits as [X0 [Y0 [Z0 W0]]].
    eapply numeral_more; [unfold S64; apply num_add; [apply num_add; [apply num_add |] |]; apply num_mul; eassumption | lra | |];
      unfold norm2; clear; lra.
  Qed.

  Theorem written_c_f64 : forall i j v, evaluates u52 phi64 (C64 qa qb i j) v -> computed u52 phi64 64 4 (norm2 m) (M (r a0 b0) i j) v.
  Proof.
    intros i j v Ev. eapply numeral_run; [exact (C64_fits i j) | | lra | apply W_bounds | reflexivity | exact Ev].
    pose proof (f64_terms qa qb high low i j) as N. apply andb_prop in N. exact (proj2 N).
  Qed.

  (** t *)
  Lemma Matrix_fits : forall i j, numeral 4.01 (W qa i j) (M qa i j) (Matrix Doubled qa i j).
  Proof. intros i j. eapply numeral_more; [apply (matrix_fits 1.0012 qa ltac:(lra) pa i j) | lra | lra | reflexivity]. Qed.

  Lemma D_most : forall k, Rabs (high k) <= D /\ Rabs (low k) <= D.
  Proof.
    intro k. assert (P : forall j, 0 <= Rabs (high j) /\ 0 <= Rabs (low j)) by (intro; split; apply Rabs_pos).
    pose proof (P X). pose proof (P Y). pose proof (P Z). unfold D, sum. destruct k; lra.
  Qed.

  Let Wt (i : axis) : R := sum (fun k => W qa k i * (Rabs (high k) + Rabs (low k))).

  Lemma T64_fits : forall i, lengthy 24.1 (Wt i) D (t_read a0 high low i) (T64 qa high low i).
  Proof.
    intro i. assert (B : forall k, lengthy 2 (Rabs (high k) + Rabs (low k)) D (high k + low k) (Add (Len (high k)) (Len (low k)))).
    { intro k. eapply lengthy_more; [apply len_add; apply len_len; apply D_most | lra | lra | reflexivity]. }
    eapply lengthy_more; [unfold T64, Three; apply len_add; [apply len_add |]; (eapply times_len; [apply Matrix_fits | apply B]) | lra | |];
      unfold Wt, t_read, sum; fold qa; clear; lra.
  Qed.

  Theorem written_t_f64 : forall i v, evaluates u52 phi64 (T64 qa high low i) v ->
    computed_length u52 phi64 24 3 24.3 D (Wt i) (t_read a0 high low i) v.
  Proof.
    intros i v Ev. eapply lengthy_run; [exact (T64_fits i) | | lra | apply Rle_refl | reflexivity | exact Ev].
    pose proof (f64_terms qa qb high low i i) as N. apply andb_prop in N. exact (proj1 (andb_prop _ _ (proj1 N))).
  Qed.

  (** The distances along a face of B and two edges. *)
  Theorem written_distances_f64 :
    (forall j v, evaluates u52 phi64 (DistanceB64 qa qb high low j) v -> distance_f64 a0 b0 high low t' (FaceB j) (Rabs v)) /\
    (forall i j v, evaluates u52 phi64 (DistanceEdges64 qa qb high low i j) v -> distance_f64 a0 b0 high low t' (Edges i j) (Rabs v)).
  Proof.
    split; [intros j v Ev | intros i j v Ev]; exists v; (split; [reflexivity |]).
    - pose proof (distance_terms_f64 qa qb high low X j) as N. apply andb_prop in N. destruct N as [NB NE].
      assert (K : lengthy 4700 (sum (fun i => Wt i * W m i j)) D (sum (fun i => t_read a0 high low i * M (r a0 b0) i j)) (DistanceB64 qa qb high low j)).
      { eapply lengthy_more; [unfold DistanceB64, Three; apply len_add; [apply len_add |]; (eapply len_times; [apply T64_fits | apply C64_fits]) | lra | |];
          [right; reflexivity | reflexivity]. }
      eapply lengthy_run; [exact K | first [exact NB | exact NE] | lra | apply Rle_refl | reflexivity | exact Ev].
    - pose proof (distance_terms_f64 qa qb high low i j) as N. apply andb_prop in N. destruct N as [NB NE].
      assert (K : lengthy 4700 (Wt (after i) * W m (next i) j + Wt (next i) * W m (after i) j) D
        (t_read a0 high low (after i) * M (r a0 b0) (next i) j - t_read a0 high low (next i) * M (r a0 b0) (after i) j) (DistanceEdges64 qa qb high low i j)).
      { eapply lengthy_more; [unfold DistanceEdges64, Sub; apply len_add; [| apply len_minus]; (eapply len_times; [apply T64_fits | apply C64_fits]) | lra | |];
          [right; reflexivity | reflexivity]. }
      eapply lengthy_run; [exact K | first [exact NB | exact NE] | lra | apply Rle_refl | reflexivity | exact Ev].
  Qed.

  (** ** The last sums *)
  Hypothesis Hrun : run_f64 a b a0 b0 high low t' c'.
  Let s0 := norm2 (r a0 b0).
  Let n0 := norm2 qa.
  Let T' := sum (fun i => Rabs (t' i)).
  Let G' := sum (gA0 a0) + sum (gB0 a0 b0).
  Let L := E_f64 a0 b0 t' / u52.

  Definition Face64 : R -> direction -> expr := FaceOf64 qa qb (half a0) (half b0) c' t'.

  Lemma c_most64 : forall i j, numeral 1.005 (c' i j) (c' i j) (Num (c' i j)).
  Proof.
    intros i j. destruct (c_near a b a0 b0 high low t' c' Ha Hb Hrun i j) as [C0 C1]. pose proof (entry_below a b i j) as B.
    pose proof (scale_range a b Ha Hb) as S.
    assert (0.1 * unit38 * s a b <= 0.00001 * s a b) by (apply Rmult_le_compat_r; [| unfold unit38]; lra). apply Rabs_def2_le in C1.
    pose proof (num_num 1.005 (c' i j)) as P. rewrite Rabs_pos_eq in P by exact C0. apply P; lra.
  Qed.

  Lemma n0_fits : numeral 4.01 n0 n0 (Norm2 qa).
  Proof. eapply numeral_more; [apply (norm2_fits 1.0012 qa ltac:(lra) pa) | lra | right; reflexivity | reflexivity]. Qed.

  Lemma lengths_most : 2 ^ 17 * (T' + G') + 1000 * phi <= L /\ A <= L.
  Proof.
    destruct (extents_pos64 a b a0 b0 high low t' c' Ha Hrun) as [_ [_ [TP [GP _]]]]. fold T' in TP. fold G' in GP.
    assert (E : L = 2 ^ 52 * (unit38 * (K64 * T' + K64 * G') + A)).
    { unfold L, E_f64, bound. fold T' G'. unfold Rdiv. replace (/ u52) with (2 ^ 52) by (unfold u52; field). clear; lra. }
    rewrite E. unfold unit38, K64, A, phi. lra.
  Qed.

  Lemma small_lengths : (forall i, Rabs (t' i) <= L) /\ (forall i, 0 <= half a0 i <= L) /\ forall i, 0 <= half b0 i <= L.
  Proof.
    destruct lengths_most as [LM _]. destruct (extents_pos64 a b a0 b0 high low t' c' Ha Hrun) as [GA [GB [TP [GP _]]]]. fold T' in TP. fold G' in GP.
    pose proof (n0_range a b a0 b0 high low t' c' Ha Hrun) as N. fold qa n0 in N. assert (F : 0 < phi) by (unfold phi; lra).
    assert (HA : forall i, 0 <= half a0 i) by apply Ra. assert (HB : forall i, 0 <= half b0 i) by apply Rb.
    pose proof (part_of_sum (gA0 a0) GA) as SA. pose proof (part_of_sum (gB0 a0 b0) GB) as SB.
    pose proof (part_of_sum (fun i => Rabs (t' i)) (fun i => Rabs_pos (t' i))) as ST. cbv beta in ST. fold T' in ST.
    pose proof (SA X) as [A0 A1]. pose proof (SB X) as [B0 B1]. unfold G' in LM.
    split; [| split]; intro i.
    - pose proof (ST i). lra.
    - split; [apply HA |]. pose proof (SA i). destruct (half_below n0 _ (proj1 N) (HA i)) as [_ P]. change (n0 * half a0 i) with (gA0 a0 i) in P. lra.
    - split; [apply HB |]. pose proof (SB i). destruct (half_below n0 _ (proj1 N) (HB i)) as [_ P]. change (n0 * half b0 i) with (gB0 a0 b0 i) in P. lra.
  Qed.

  Lemma g64_fits : forall x, 0 <= x <= L -> lengthy 4.01 (n0 * x) L (n0 * x) (Mul (Norm2 qa) (Len x)).
  Proof.
    intros x H. eapply lengthy_more; [eapply times_len; [apply n0_fits | apply (w_fits L x H)] | lra | lra | reflexivity].
  Qed.

  Ltac parts64 := repeat first [exact S64_fits | apply len_minus | apply len_add | apply c_most64
    | apply g64_fits; solve [auto] | apply t_fits; solve [auto] | apply w_fits; solve [auto]
    | match goal with |- lengthy _ _ _ _ (Mul _ (Num _)) => eapply len_times end | eapply times_len].

  Lemma face64_fits : forall k w, 0 <= w <= L -> (forall i, k = FaceA i -> w = s0 * Rabs (t' i)) ->
    lengthy 336 (4 * (w + radii_f64 a0 b0 c' k)) L (w - radii_f64 a0 b0 c' k) (Face64 w k).
  Proof.
    destruct small_lengths as [LT [LA LB]]. pose proof (magnitudes_of_r a0 b0) as MR. fold qa qb m s0 in MR.
    pose proof (n0_range a b a0 b0 high low t' c' Ha Hrun) as N. fold qa n0 in N.
    pose proof (s0_range a b a0 b0 high low t' c' Ha Hb Hrun) as S. fold s0 in S.
    assert (Gp : forall x, 0 <= x <= L -> 0 <= n0 * x) by (intros; apply Rmult_le_pos; lra).
    assert (Cp : forall i j, 0 <= c' i j) by (intros; apply (c_near a b a0 b0 high low t' c' Ha Hb Hrun)).
    assert (Cg : forall i j x, 0 <= x <= L -> 0 <= c' i j * (n0 * x)) by (intros; apply Rmult_le_pos; auto).
    assert (Mg : forall x, 0 <= x -> norm2 m * x <= 4 * s0 * x) by (intros; apply Rmult_le_compat_r; auto).
    intros [i | j | i j] w Hw E; unfold Face64, FaceOf64, radii_f64, radii, gA0, gB0; cbv beta; fold qa n0 s0.
    - rewrite (E i eq_refl). pose proof (Cg i X _ (LB X)). pose proof (Cg i Y _ (LB Y)). pose proof (Cg i Z _ (LB Z)).
      pose proof (Mg (Rabs (t' i) + n0 * half a0 i) ltac:(pose proof (Rabs_pos (t' i)); pose proof (Gp _ (LA i)); lra)).
      eapply lengthy_more; [unfold FaceOfA64, Sub, Three; parts64 | lra | |]; unfold sum; fold s0; lra.
    - pose proof (Cg X j _ (LA X)). pose proof (Cg Y j _ (LA Y)). pose proof (Cg Z j _ (LA Z)).
      pose proof (Mg (n0 * half b0 j) (Gp _ (LB j))).
      eapply lengthy_more; [unfold FaceOfB64, Sub, Three; parts64 | lra | |]; unfold sum; fold s0; lra.
    - pose proof (Cg (after i) j _ (LA (next i))). pose proof (Cg (next i) j _ (LA (after i))).
      pose proof (Cg i (after j) _ (LB (next j))). pose proof (Cg i (next j) _ (LB (after j))).
      eapply lengthy_more; [unfold OfEdges64, Sub; parts64 | lra | |]; lra.
  Qed.

  Lemma size64_fits : lengthy 27.1 (T' + G') L (T' + G') (Size64 qa (half a0) (half b0) t').
  Proof.
    destruct small_lengths as [LT [LA LB]].
    eapply lengthy_more; [unfold Size64, Three; parts64 | lra | |]; unfold T', G', gA0, gB0, sum; fold qa n0; lra.
  Qed.
  Lemma E64_fits : lengthy 28.1 (E_f64 a0 b0 t') L (E_f64 a0 b0 t') (E64 qa (half a0) (half b0) t').
  Proof.
    destruct lengths_most as [_ LA]. assert (AP : 0 <= A <= L) by (split; [unfold A; lra | exact LA]).
    assert (EP : 0 <= ERROR_PER_SIZE <= 1) by (unfold ERROR_PER_SIZE; lra).
    eapply lengthy_more; [unfold E64; apply len_add; [eapply times_len; [exact (k_fits _ EP) | apply size64_fits] | exact (w_fits L A AP)] | lra | |];
      unfold E_f64, bound; fold T' G'; rewrite error_per_size; lra.
  Qed.

  Theorem written_sums_f64 : forall k w v, distance_f64 a0 b0 high low t' k w ->
    (evaluates u52 phi64 (Sub (Face64 w k) (E64 qa (half a0) (half b0) t')) v -> F_less_E_f64 a0 b0 t' c' k w v) /\
    (evaluates u52 phi64 (Add (Face64 w k) (E64 qa (half a0) (half b0) t')) v -> F_plus_E_f64 a0 b0 t' c' k w v).
  Proof.
    intros k w v Hw. pose proof (size_f64 a b a0 b0 high low t' c' Ha Hb Hrun k w Hw) as Sz. fold T' G' in Sz.
    destruct (distance_off a b a0 b0 high low t' c' Ha Hb Hrun k w Hw) as [WP _]. destruct lengths_most as [LM _].
    destruct (extents_pos64 a b a0 b0 high low t' c' Ha Hrun) as [GA [GB [TP [GP _]]]]. fold T' in TP. fold G' in GP.
    destruct (E_pos64 a b a0 b0 high low t' c' Ha Hrun) as [EP _]. assert (F : 0 < phi <= A) by (unfold phi, A; lra).
    assert (R0 : 0 <= radii_f64 a0 b0 c' k).
    { pose proof (s0_range a b a0 b0 high low t' c' Ha Hb Hrun) as S.
      assert (Cp : forall i j, 0 <= c' i j) by (intros; apply (c_near a b a0 b0 high low t' c' Ha Hb Hrun)).
      unfold radii_f64, radii, sum. destruct k; repeat apply Rplus_le_le_0_compat; apply Rmult_le_pos; auto; lra. }
    assert (WL : 0 <= w <= L) by lra.
    pose proof (face64_fits k w WL ltac:(intros i ->; exact Hw)) as F0. pose proof E64_fits as E0.
    pose proof (sum_terms_f64 qa qb (half a0) (half b0) c' t' w k) as N. apply andb_prop in N. destruct N as [N N2]. apply andb_prop in N. destruct N as [_ N1].
    unfold F_less_E_f64, F_plus_E_f64, Sub. split; intro Ev.
    - eapply lengthy_run; [apply len_add; [exact F0 | apply len_minus, E0] | exact N1 | lra | lra | lra | exact Ev].
    - eapply lengthy_run; [apply len_add; [exact F0 | exact E0] | exact N2 | lra | lra | lra | exact Ev].
  Qed.

  (** The rule, for each face and for the largest of them. *)
  Theorem written_rule_f64 : forall i j k w, is_face k -> distance_f64 a0 b0 high low t' k w ->
    let P := addend_f64 kappa a0 b0 t' c' i j in
    (forall v, evaluates u52 phi64 (Add (Face64 w k) (Addend64 qa (half a0) (half b0) c' t' kappa i j)) v ->
      computed_length u52 phi64 450 7 500 L (5 * (w + radii_f64 a0 b0 c' k + P)) (w - radii_f64 a0 b0 c' k + P) v) /\
    (forall y, evaluates u52 phi64 (Face64 w k) y ->
      computed_length u52 phi64 340 7 360 L (5 * (w + radii_f64 a0 b0 c' k)) (w - radii_f64 a0 b0 c' k) y) /\
    (forall x v, Rabs x <= L -> evaluates u52 phi64 (Add (Len x) (Addend64 qa (half a0) (half b0) c' t' kappa i j)) v ->
      computed_length u52 phi64 450 7 500 L (5 * (Rabs x + P)) (x + P) v).
  Proof.
    intros i j k w Hk Hw P. pose proof (size_f64 a b a0 b0 high low t' c' Ha Hb Hrun k w Hw) as Sz. fold T' G' in Sz.
    destruct (distance_off a b a0 b0 high low t' c' Ha Hb Hrun k w Hw) as [WP _]. destruct lengths_most as [LM _].
    destruct (extents_pos64 a b a0 b0 high low t' c' Ha Hrun) as [GA [GB [TP [GP _]]]]. fold T' in TP. fold G' in GP.
    destruct (E_pos64 a b a0 b0 high low t' c' Ha Hrun) as [EP _]. assert (F : 0 < phi <= A) by (unfold phi, A; lra).
    assert (Cp : forall i j, 0 <= c' i j) by (intros; apply (c_near a b a0 b0 high low t' c' Ha Hb Hrun)).
    assert (R0 : 0 <= radii_f64 a0 b0 c' k).
    { pose proof (s0_range a b a0 b0 high low t' c' Ha Hb Hrun) as S.
      unfold radii_f64, radii, sum. destruct k; repeat apply Rplus_le_le_0_compat; apply Rmult_le_pos; auto; lra. }
    assert (WL : 0 <= w <= L) by lra. assert (K0 : 0 <= kappa) by (unfold KAPPA in Hkappa; apply Rabs_def2_le in Hkappa; lra).
    pose proof (face64_fits k w WL ltac:(intros i' ->; exact Hw)) as F0.
    assert (S0 : numeral 2.01 (sine i j c') (sine i j c') (Sine c' i j))
      by (eapply numeral_more; [unfold Sine; apply num_add; apply c_most64 | lra | |]; unfold sine; lra).
    assert (A0 : lengthy 120 P L P (Addend64 qa (half a0) (half b0) c' t' kappa i j)).
    { eapply lengthy_more; [unfold Addend64, Doubled; apply len_add; [eapply len_times; [eapply times_len; [exact (kappa_fits kappa Hkappa) | exact size64_fits] | exact S0]
        | apply len_add; exact E64_fits] | lra | |]; unfold P, addend_f64, added; fold T' G'; unfold E_f64; fold T' G'; lra. }
    assert (P0 : 0 <= P).
    { unfold P, addend_f64, added. fold T' G'. unfold E_f64 in EP. fold T' G' in EP.
      assert (0 <= kappa * ((T' + G') * sine i j c')) by (apply Rmult_le_pos; [exact K0 |]; apply Rmult_le_pos; [lra | unfold sine; apply Rplus_le_le_0_compat; auto]). lra. }
    pose proof (sum_terms_f64 qa qb (half a0) (half b0) c' t' w k) as N. apply andb_prop in N. destruct N as [N _]. apply andb_prop in N. destruct N as [N _].
    pose proof (fun x => rule_terms_f64 qa qb (half a0) (half b0) c' t' x kappa i j k) as NR.
    pose proof (proj1 (andb_prop _ _ (NR w))) as N1. pose proof (fun x => proj2 (andb_prop _ _ (NR x))) as N2. clear NR.
    assert (Face : exists x, k = FaceA x \/ k = FaceB x) by (destruct k as [x | x | x y]; [eauto | eauto | exfalso; eapply Hk; reflexivity]).
    split; [| split].
    - intros v Ev. eapply lengthy_run; [apply len_add; [exact F0 | exact A0] | | lra | lra | lra | exact Ev].
      destruct Face as [x [-> | ->]]; exact N1.
    - intros y Ev. eapply lengthy_run; [exact F0 | | lra | lra | reflexivity | exact Ev].
      destruct Face as [x [-> | ->]]; exact N.
    - intros x v Hx Ev. pose proof (Rabs_pos x). eapply lengthy_run; [apply len_add; [apply len_len, Hx | exact A0] | | lra | lra | lra | exact Ev].
      exact (N2 x).
  Qed.
End Written64.
