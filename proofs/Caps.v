(** * The last sums as the sources write them are those of the records, caps included.

    All that a record asks for, with [Fits.v]: of the f32 shader, and of the CPU in f64 and in f32. *)

Require Import Rbase Rfunctions List Lra Lia.
Import ListNotations.
From Obbligato Require Import Boxes Formulas Rounding Flushing Lengths Constants Propagation Axes Shader Filter Counts Fits Rule
  Answers Overlapping Cpu64 Cpu32.
Open Scope R_scope.

(** ** Numbers of a run *)
Section Ranges.
  Variables u phi : R.
  Hypothesis u_small : 0 < u <= 1 / 2 ^ 23.
  Hypothesis phi_small : 0 <= phi <= u * u * u * u.
  Let u_weak : 0 <= u <= 1 / 2 ^ 23 := conj (Rlt_le _ _ (proj1 u_small)) (proj2 u_small).
  Variables (a b : box) (d' t' : vec) (n' : R) (r' : quat) (c' : axis -> axis -> R).
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Hypothesis Hrun : run u phi a b d' t' n' r' c'.

  Lemma s_most : 0.99 <= norm2 r' <= 1.0044.
  Proof.
    pose proof (s_error u phi u_weak phi_small a b r' Ha Hb (run_r _ _ _ _ _ _ _ _ _ Hrun)) as E.
    pose proof (scale_range a b Ha Hb) as S. assert (17 * u * s a b <= 0.00001 * s a b) by (apply Rmult_le_compat_r; lra).
    apply Rabs_def2_le in E. lra.
  Qed.
  Lemma parts_most : forall p, part p -> Rabs (p r') <= 1.0023.
  Proof.
    pose proof s_most as [_ N]. unfold norm2 in N. destruct r' as [x y z w]. simpl in N. intros p Hp.
    destruct Hp as [-> | [-> | [-> | ->]]]; simpl; apply abs_by_square; nra.
  Qed.
  Lemma n_most : 0.99 <= n' <= 1.0022.
  Proof.
    pose proof (n_error u phi u_weak phi_small a n' Ha (run_n _ _ _ _ _ _ _ _ _ Hrun)) as E. destruct Ha as [_ N]. fold (n a) in N.
    assert (5 * u * n a <= 0.00001 * n a) by (apply Rmult_le_compat_r; lra). apply Rabs_def2_le in E. lra.
  Qed.
  Lemma c_most : forall i j, 0 <= c' i j <= 1.0045.
  Proof.
    intros i j. pose proof (c_error u phi u_weak phi_small a b d' t' n' r' c' Ha Hb Hrun i j) as E.
    destruct (run_c _ _ _ _ _ _ _ _ _ Hrun i j) as [v [_ V]]. rewrite V in E |- *. pose proof (Rabs_pos v).
    pose proof (entry_below a b i j) as B. pose proof (scale_range a b Ha Hb) as S.
    assert (22 * u * s a b <= 0.00001 * s a b) by (apply Rmult_le_compat_r; lra). apply Rabs_def2_le in E. lra.
  Qed.

  (** The distance is at most s T, and what its own roundings add. *)
  Lemma w_most : forall k w, distance_run u phi t' r' k w ->
    0 <= w <= 1.01 * sum (fun i => Rabs (t' i)) + 48.6 * phi.
  Proof.
    intros k w Hw. pose proof (distance_rounded u phi u_small phi_small a b d' t' n' r' c' Ha Hb Hrun k w Hw) as D.
    destruct (positive_parts u phi u_small phi_small (256 * phi) a b d' t' n' r' c' ltac:(lra) Ha Hb Hrun k w Hw) as [P _].
    split; [exact P |]. pose proof s_most as N. set (T' := sum (fun i => Rabs (t' i))) in *.
    assert (TP : forall i, 0 <= Rabs (t' i)) by (intro; apply Rabs_pos).
    pose proof (TP X). pose proof (TP Y). pose proof (TP Z). assert (T0 : 0 <= T') by (unfold T', sum; lra).
    assert (M1 : forall x y, Rabs (M r' x y) <= norm2 r') by (intros; apply M_below).
    assert (Q : forall i x y, Rabs (t' i * M r' x y) <= norm2 r' * Rabs (t' i)).
    { intros. rewrite Rabs_mult, Rmult_comm. apply Rmult_le_compat_r; auto. }
    assert (SP : forall i, 0 <= norm2 r' * Rabs (t' i)) by (intro; apply Rmult_le_pos; [lra | auto]).
    assert (B : distance t' (norm2 r') (M r') k <= norm2 r' * T').
    { pose proof (SP X). pose proof (SP Y). pose proof (SP Z). destruct k as [i | j | i j]; simpl.
      - apply Rmult_le_compat_l; [lra |]. unfold T', sum. destruct i; lra.
      - unfold sum. eapply Rle_trans; [apply Rabs_triang |]. eapply Rle_trans; [apply Rplus_le_compat_r, Rabs_triang |].
        pose proof (Q X X j). pose proof (Q Y Y j). pose proof (Q Z Z j). unfold T', sum. lra.
      - unfold Rminus. eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_Ropp.
        pose proof (Q (after i) (next i) j). pose proof (Q (next i) (after i) j). unfold T', sum. destruct i; simpl in *; lra. }
    assert (ST : norm2 r' * T' <= 1.0044 * T') by (apply Rmult_le_compat_r; lra).
    assert (13.01 * u * (norm2 r' * T') <= 0.00001 * (norm2 r' * T')) by (apply Rmult_le_compat_r; [apply Rmult_le_pos |]; lra).
    apply Rabs_def2_le in D. lra.
  Qed.
End Ranges.

(** Half extents are hardly larger than the extents. *)
Lemma extents_above : forall a b n', 0.99 <= n' -> (forall i, 0 <= half a i) -> (forall i, 0 <= half b i) ->
  (forall i, 0 <= gA' a n' i <= sum (gA' a n') /\ half a i <= 1.02 * gA' a n' i) /\
  forall i, 0 <= gB' b n' i <= sum (gB' b n') /\ half b i <= 1.02 * gB' b n' i.
Proof.
  intros a b n' N HA HB. split; intro i; (split; [| apply (half_below n' _ N); auto]); apply part_of_sum; intro j; apply (half_below n' _ N); auto.
Qed.

(** ** F, E and the rule, with any bound L on lengths *)
Section Sums.
  Variables (kappa L : R) (a b : box) (t' : vec) (n' : R) (r' : quat) (c' : axis -> axis -> R).
  Hypothesis Hkappa : Rabs (kappa - KAPPA) <= 0.01.
  Hypothesis Ha : forall i, 0 <= half a i.
  Hypothesis Hb : forall i, 0 <= half b i.
  Hypothesis Hr : forall p, part p -> Rabs (p r') <= 1.0023.
  Hypothesis Hn : 0.99 <= n' <= 1.0022.
  Hypothesis Hc : forall i j, 0 <= c' i j <= 1.0045.
  Hypothesis Ht : forall i, Rabs (t' i) <= L.

  Let T' := sum (fun i => Rabs (t' i)).
  Let G' := sum (gA' a n') + sum (gB' b n').

  Definition Face (w : R) (k : direction) : expr :=
    match k with
    | FaceA i => FaceOfA r' n' (half a) (half b) t' c' i
    | FaceB j => FaceOfB r' n' (half a) (half b) c' w j
    | Edges i j => OfEdges n' (half a) (half b) c' w i j
    end.
  Definition Error_of (k : direction) : expr :=
    match k with
    | FaceA i => ErrorA n' (half a) (half b) t' i
    | FaceB j => ErrorB n' (half a) (half b) t' j
    | Edges _ _ => ErrorEdges n' (half a) (half b) t'
    end.
  (** The extents that occur in them are no larger than L. *)
  Definition extents_below (k : direction) : Prop :=
    match k with
    | FaceA i => half a i <= L /\ forall j, half b j <= L
    | FaceB j => (forall i, half a i <= L) /\ half b j <= L
    | Edges _ _ => (forall i, half a i <= L) /\ forall j, half b j <= L
    end.
  Definition caps_of (k : direction) : R := match k with FaceA _ => 11.07 | FaceB _ => 8.05 | Edges _ _ => 5.03 end.

  Lemma s_fits : numeral 4.01844 (norm2 r') (norm2 r') (Norm2 r').
  Proof. eapply numeral_more; [apply (norm2_fits 1.0023 r' ltac:(lra) Hr) | lra | lra | reflexivity]. Qed.
  Lemma g_fits : forall x, 0 <= x <= L -> lengthy 1.0022 (n' * x) L (n' * x) (Mul (Num n') (Len x)).
  Proof.
    intros x H. eapply lengthy_more; [apply times_len; [apply num_num with (c := 1.0022); [lra |] | apply len_len] | | | reflexivity];
      rewrite ?(Rabs_pos_eq n'), ?(Rabs_pos_eq x); lra.
  Qed.
  Lemma t_fits : forall i, lengthy 1 (Rabs (t' i)) L (Rabs (t' i)) (Len (Rabs (t' i))).
  Proof. intro i. pose proof (len_len L (Rabs (t' i))) as P. rewrite Rabs_Rabsolu in P. apply P, Ht. Qed.
  Lemma c_fits : forall i j, numeral 1.0045 (c' i j) (c' i j) (Num (c' i j)).
  Proof.
    intros i j. destruct (Hc i j). pose proof (num_num 1.0045 (c' i j)) as P. rewrite Rabs_pos_eq in P by lra. apply P; lra.
  Qed.
  Ltac parts := repeat first [apply s_fits | apply len_minus | apply len_add | apply num_add | apply num_minus
    | apply g_fits; split; solve [auto] | apply t_fits | apply c_fits | apply (w_fits L); auto | apply k_fits; auto
    | match goal with |- lengthy _ _ _ _ (Mul _ (Num _)) => eapply len_times end | eapply times_len].

  Lemma face_fits : forall k w, extents_below k -> 0 <= w <= L -> (forall i, k = FaceA i -> w = norm2 r' * Rabs (t' i)) ->
    lengthy (caps_of k) (w + radii' a b n' r' c' k) L (w - radii' a b n' r' c' k) (Face w k).
  Proof.
    intros [i | j | i j] w [XA XB] Hw E; unfold Face, radii', radii, gA', gB', caps_of; cbv beta.
    - rewrite (E i eq_refl). eapply lengthy_more; [unfold FaceOfA, Sub, Three; parts | | |]; unfold sum; lra.
    - eapply lengthy_more; [unfold FaceOfB, Sub, Three; parts | | |]; unfold sum; lra.
    - eapply lengthy_more; [unfold OfEdges, Sub; parts | | |]; lra.
  Qed.

  Ltac known := try (unfold K_T, K_G, u; lra); try (unfold A; lra).
  Lemma A_fits : A <= L -> lengthy 1 A L A (Len A).
  Proof. intro H. apply w_fits. split; [unfold A; lra | exact H]. Qed.
  Ltac with_error HA := repeat first [apply s_fits | apply (A_fits HA) | apply len_minus | apply len_add | apply num_add | apply num_minus
    | apply g_fits; split; solve [auto] | apply t_fits | apply c_fits | apply (w_fits L); auto | apply k_fits; unfold K_T, K_G, u; lra
    | match goal with |- lengthy _ _ _ _ (Mul _ (Num _)) => eapply len_times end | eapply times_len].

  (** E of the shader in f32. *)
  Lemma error_fits : A <= L -> forall k, extents_below k ->
    lengthy (match k with FaceA _ => 8.01 | FaceB _ => 8.01 | Edges _ _ => 10.02 end) (E' u A a b t' n' k) L (E' u A a b t' n' k) (Error_of k).
  Proof.
    intros HA [i | j | i j] [XA XB]; unfold Error_of, E', bound, extents, gA', gB'.
    - eapply lengthy_more; [unfold ErrorA, Error, ErrorT, Three; with_error HA | | |]; unfold sum; lra.
    - eapply lengthy_more; [unfold ErrorB, Error, ErrorT, Three; with_error HA | | |]; unfold sum; lra.
    - eapply lengthy_more; [unfold ErrorEdges, Error, ErrorT, Three; with_error HA | | |]; unfold sum; lra.
  Qed.

  (** Z, and KAPPA Z S. *)
  Lemma kappa_fits : numeral 1.17 kappa kappa (Num kappa).
  Proof.
    unfold KAPPA in Hkappa. apply Rabs_def2_le in Hkappa. pose proof (num_num 1.17 kappa) as P. rewrite Rabs_pos_eq in P by lra.
    apply P; lra.
  Qed.
  Lemma size_fits : (forall i, half a i <= L) -> (forall i, half b i <= L) ->
    lengthy 9.014 (T' + G') L (T' + G') (Size n' (half a) (half b) t').
  Proof.
    intros XA XB. unfold T', G', gA', gB'. eapply lengthy_more; [unfold Size, Three; with_error tt | | |]; unfold sum; lra.
  Qed.
  Lemma sine_fits : forall i j, numeral 2.009 (sine i j c') (sine i j c') (Sine c' i j).
  Proof. intros i j. eapply numeral_more; [unfold Sine; apply num_add; apply c_fits | | |]; unfold sine; lra. Qed.
  Lemma margin_product_fits : (forall i, half a i <= L) -> (forall i, half b i <= L) -> forall i j, lengthy 21.2 (kappa * ((T' + G') * sine i j c')) L (kappa * ((T' + G') * sine i j c'))
    (Mul (Mul (Num kappa) (Size n' (half a) (half b) t')) (Sine c' i j)).
  Proof.
    intros XA XB i j. eapply lengthy_more; [eapply len_times; [eapply times_len; [apply kappa_fits | apply size_fits; auto] | apply sine_fits] | | |]; lra.
  Qed.
End Sums.

(** ** The f32 shader *)
Section Shader.
  Variables (kappa : R) (a b : box) (d' t' : vec) (n' : R) (r' : quat) (c' : axis -> axis -> R).
  Hypothesis Hkappa : Rabs (kappa - KAPPA) <= 0.01.
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Hypothesis Hrun : run u phi a b d' t' n' r' c'.

  Lemma constants : 0 < u <= 1 / 2 ^ 23 /\ 0 <= phi <= u * u * u * u /\ 256 * phi <= A /\ A <= A / u /\ 0 < A.
  Proof. unfold u, phi, A. lra. Qed.

  Let below_L (k : direction) (L : R) : Prop := (forall i, Rabs (t' i) <= L) /\ extents_below L a b k /\ A <= L /\
    forall w, w <= 1.01 * sum (fun i => Rabs (t' i)) + 48.6 * phi -> w <= L.

  Lemma E_over_u : forall k, below_L k (E' u A a b t' n' k / u).
  Proof.
    intro k. pose proof constants as [U [F [AF [AU A0]]]].
    pose proof (n_most u phi U F a b d' t' n' r' c' Ha Hrun) as N.
    pose proof (proj1 Ha) as HA. pose proof (proj1 Hb) as HB.
    assert (E : E' u A a b t' n' k / u = 92 * sum (fun i => Rabs (t' i)) + 72 * extents (gA' a n') (gB' b n') k + A / u).
    { unfold E', bound, K_T, K_G, Rdiv. rewrite Rmult_plus_distr_r, <- (Rmult_comm (/ u)), <- Rmult_assoc, Rinv_l by lra. clear; lra. }
    unfold below_L. rewrite E. set (X := extents (gA' a n') (gB' b n') k).
    destruct (extents_above a b n' (proj1 N) HA HB) as [GA GB]. pose proof (part_of_sum (fun i => Rabs (t' i)) (fun i => Rabs_pos (t' i))) as TI. cbv beta in TI.
    pose proof (TI Boxes.X) as [T1 T2]. pose proof (GA Boxes.X) as [SA _]. pose proof (GB Boxes.X) as [SB _].
    assert (XP : 0 <= X) by (unfold X, extents; destruct k as [i | j | i j]; [pose proof (GA i) | pose proof (GB j) |]; lra).
    set (T := sum (fun i => Rabs (t' i))) in *. split; [| split; [| split]].
    - intro i. pose proof (TI i). lra.
    - unfold extents_below, X, extents in *. destruct k as [i | j | i j]; (split; [try intro i' | try intro j']);
        match goal with |- half a ?i <= _ => pose proof (GA i) | |- half b ?j <= _ => pose proof (GB j) end;
        try pose proof (GA i); try pose proof (GB j); lra.
    - lra.
    - intros w Hw. lra.
  Qed.

  Let U := proj1 constants.
  Let Fl := proj1 (proj2 constants).
  Let Rr := parts_most u phi U Fl a b d' t' n' r' c' Ha Hb Hrun.
  Let Nn := n_most u phi U Fl a b d' t' n' r' c' Ha Hrun.
  Let Cc := c_most u phi U Fl a b d' t' n' r' c' Ha Hb Hrun.

  Lemma w_is : forall k w, distance_run u phi t' r' k w -> forall i, k = FaceA i -> w = norm2 r' * Rabs (t' i).
  Proof. intros k w H i ->. exact H. Qed.

  (** F - E and F + E, whose terms are counted together. *)
  Theorem written_sums : forall k w v, distance_run u phi t' r' k w ->
    (evaluates u phi (Sub (Face a b t' n' r' c' w k) (Error_of a b t' n' k)) v -> F_less_E u phi A a b t' n' r' c' k w v) /\
    (evaluates u phi (Add (Face a b t' n' r' c' w k) (Error_of a b t' n' k)) v -> F_plus_E u phi A a b t' n' r' c' k w v).
  Proof.
    intros k w v Hw. destruct (E_over_u k) as [LT [LX [LA LW]]]. pose proof (w_most u phi U Fl a b d' t' n' r' c' Ha Hb Hrun k w Hw) as W.
    pose proof (face_fits _ a b t' n' r' c' (proj1 Ha) (proj1 Hb) Rr Nn Cc LT k w LX (conj (proj1 W) (LW w (proj2 W))) (w_is k w Hw)) as F0.
    pose proof (error_fits _ a b t' n' (proj1 Ha) (proj1 Hb) Nn LT LA k LX) as E0.
    unfold F_less_E, F_plus_E, Sub. split; intro Ev.
    - eapply lengthy_run; [apply len_add; [exact F0 | apply len_minus, E0] | | | | | exact Ev];
        [destruct k; [apply face_a_terms | apply face_b_terms | apply edges_terms] | destruct k; simpl; lra | lra | lra].
    - eapply lengthy_run; [apply len_add; [exact F0 | exact E0] | | | | | exact Ev];
        [destruct k as [[] | [] | [] []]; reflexivity | destruct k; simpl; lra | lra | lra].
  Qed.

  (** The rule, for each face and for the largest of them. *)
  Theorem written_rule : forall i j k w, is_face k -> distance_run u phi t' r' k w ->
    let L := E' u A a b t' n' (Edges i j) / u in
    let radii := radii' a b n' r' c' k in
    let P := addend u A kappa a b t' n' c' i j in
    (forall v, evaluates u phi (Add (Face a b t' n' r' c' w k) (Addend n' (half a) (half b) t' c' kappa i j)) v ->
      computed_length u phi (11 + 18 + 20) 4 (11.1 + 21.3 + 20.1) L (w + radii + P) (w - radii + P) v) /\
    (forall y, evaluates u phi (Face a b t' n' r' c' w k) y -> computed_length u phi 11 4 11.1 L (w + radii) (w - radii) y) /\
    (forall x v, Rabs x <= L -> evaluates u phi (Add (Len x) (Addend n' (half a) (half b) t' c' kappa i j)) v ->
      computed_length u phi (1 + 18 + 20) 4 (1 + 21.3 + 20.1) L (Rabs x + P) (x + P) v).
  Proof.
    intros i j k w Hk Hw L radii P. destruct (E_over_u (Edges i j)) as [LT [[XA XB] [LA LW]]]. fold L in LT, XA, XB, LA, LW.
    pose proof (w_most u phi U Fl a b d' t' n' r' c' Ha Hb Hrun k w Hw) as W.
    assert (LX : extents_below L a b k) by (destruct k; split; auto).
    pose proof (face_fits L a b t' n' r' c' (proj1 Ha) (proj1 Hb) Rr Nn Cc LT k w LX (conj (proj1 W) (LW w (proj2 W))) (w_is k w Hw)) as F0.
    fold radii in F0.
    pose proof (error_fits L a b t' n' (proj1 Ha) (proj1 Hb) Nn LT LA (Edges i j) (conj XA XB)) as E0.
    pose proof (margin_product_fits kappa L a b t' n' c' Hkappa (proj1 Ha) (proj1 Hb) Nn Cc LT XA XB i j) as K0.
    assert (D0 : lengthy (21.2 + (10.02 + 10.02)) P L P (Addend n' (half a) (half b) t' c' kappa i j)).
    { eapply lengthy_more; [unfold Addend, Doubled; apply len_add; [exact K0 | apply len_add; exact E0] | lra | |];
        unfold P, addend, added, E'; simpl; lra. }
    assert (FC : caps_of k <= 11.1) by (destruct k; simpl; lra).
    split; [| split].
    - intros v Ev. eapply lengthy_run; [apply len_add; [exact F0 | exact D0] | | | | | exact Ev]; [| lra | lra | lra].
      destruct k as [k | k | k l]; [apply rule_terms | apply rule_terms_b | exfalso; eapply Hk; reflexivity].
    - intros y Ev. eapply lengthy_run; [exact F0 | | exact FC | lra | lra | exact Ev].
      destruct k as [[] | [] | k l]; [reflexivity .. | exfalso; eapply Hk; reflexivity].
    - intros x v Hx Ev. eapply lengthy_run; [apply len_add; [apply len_len, Hx | exact D0] | | | | | exact Ev]; [| lra | lra | lra].
      apply rule_of_largest_terms.
  Qed.

  Theorem written_sine : forall i j v, evaluates u phi (Sine c' i j) v -> computed u phi 2 1 (sine i j c') (sine i j c') v.
  Proof.
    intros i j v Ev. eapply numeral_run; [apply (sine_fits c' Cc i j) | | | | | exact Ev]; [destruct i, j; reflexivity | lra | lra | lra].
  Qed.
End Shader.

(** ** The CPU in f64 *)
Section Cpu64.
  Variables (u phi A kappa : R) (a b : box) (d' t' : vec) (n' : R) (r' : quat) (c' : axis -> axis -> R).
  Hypothesis u_range : u64 <= u <= u64 * (1 + 1 / 2 ^ 51).
  Hypothesis phi_least : 0 <= phi <= 1 / 2 ^ 300.
  Hypothesis A_pos : 0 <= A.
  Hypothesis Hkappa : Rabs (kappa - KAPPA) <= 0.01.
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Hypothesis Hrun : run u phi a b d' t' n' r' c'.
  Hypothesis underflow_small : 1000 * phi <= spare A a b t' n'.

  Let U := unit_small u u_range.
  Let Fl := least_small u phi u_range phi_least.
  Let Rr := parts_most u phi U Fl a b d' t' n' r' c' Ha Hb Hrun.
  Let Nn := n_most u phi U Fl a b d' t' n' r' c' Ha Hrun.
  Let Cc := c_most u phi U Fl a b d' t' n' r' c' Ha Hb Hrun.
  Let T' := sum (fun i => Rabs (t' i)).
  Let G' := sum (gA' a n') + sum (gB' b n').
  Let E := ERROR_FACTOR * (2 * u64) * (T' + G') + A.
  Let L := E / u.

  Lemma L_large : 95 * (T' + G') + A <= L /\ 1000 * phi <= L.
  Proof.
    destruct (lengths_pos u phi a b d' t' n' r' c' u_range phi_least Ha Hb Hrun) as [TP [GP _]]. fold T' in TP. fold G' in GP.
    pose proof (u_near u u_range) as V.
    assert (P : 95 * (T' + G') + A <= L).
    { unfold L. apply (Rmult_le_reg_r u); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      assert (u * (95 * (T' + G')) <= 1.0000001 * u64 * (95 * (T' + G'))) by (apply Rmult_le_compat_r; lra).
      assert (u * A <= 1 * A) by (apply Rmult_le_compat_r; lra).
      assert (0 <= u64 * (T' + G')) by (apply Rmult_le_pos; [unfold u64 |]; lra). unfold E, ERROR_FACTOR. lra. }
    split; [exact P |]. unfold spare in underflow_small. fold T' G' in underflow_small.
    assert (u64 * (T' + G') <= 1 * (T' + G')) by (apply Rmult_le_compat_r; [| unfold u64]; lra). lra.
  Qed.

  Lemma below_L : (forall i, Rabs (t' i) <= L) /\ (forall i, half a i <= L) /\ (forall i, half b i <= L) /\ A <= L /\
    forall w, w <= 1.01 * T' + 48.6 * phi -> w <= L.
  Proof.
    destruct L_large as [P Q]. pose proof (proj1 Ha) as HA. pose proof (proj1 Hb) as HB.
    destruct (extents_above a b n' (proj1 Nn) HA HB) as [GA GB]. pose proof (part_of_sum (fun i => Rabs (t' i)) (fun i => Rabs_pos (t' i))) as TI. cbv beta in TI.
    pose proof (TI Boxes.X) as [T1 T2]. pose proof (GA Boxes.X) as [SA _]. pose proof (GB Boxes.X) as [SB _].
    fold T' in TI, T1, T2. unfold G' in P. split; [| split; [| split; [| split]]].
    - intro i. pose proof (TI i). lra.
    - intro i. pose proof (GA i). lra.
    - intro i. pose proof (GB i). lra.
    - lra.
    - intros w Hw. fold T' in Hw. lra.
  Qed.

  Theorem written_f64 :
    (forall k w v, distance_run u phi t' r' k w -> evaluates u phi (Face a b t' n' r' c' w k) v ->
      F_run u phi A a b t' n' r' c' k w v) /\
    (forall e, evaluates u phi (Error64 n' (ERROR_FACTOR * (2 * u64)) A (half a) (half b) t') e -> E_run u phi A a b t' n' e) /\
    (forall i j m, evaluates u phi (Margin64 n' (ERROR_FACTOR * (2 * u64)) kappa A (half a) (half b) t' c' i j) m ->
      margin_run u phi A kappa a b t' n' c' i j m).
  Proof.
    destruct below_L as [LT [LA [LB [LU LW]]]].
    pose proof (size_fits L a b t' n' (proj1 Ha) (proj1 Hb) Nn LT LA LB) as Z0. fold T' G' in Z0.
    assert (E0 : lengthy 10.02 E L E (Error64 n' (ERROR_FACTOR * (2 * u64)) A (half a) (half b) t')).
    { assert (HF : 0 <= ERROR_FACTOR * (2 * u64) <= 1) by (unfold ERROR_FACTOR, u64; lra).
      eapply lengthy_more; [unfold Error64; apply len_add;
        [eapply times_len; [exact (k_fits _ HF) | exact Z0] | exact (w_fits L A (conj A_pos LU))] | | |]; unfold E; lra. }
    split; [| split].
    - intros k w v Hw Ev. split; [exact Hw |].
      pose proof (w_most u phi U Fl a b d' t' n' r' c' Ha Hb Hrun k w Hw) as W.
      assert (LX : extents_below L a b k) by (destruct k; split; auto).
      pose proof (face_fits L a b t' n' r' c' (proj1 Ha) (proj1 Hb) Rr Nn Cc LT k w LX (conj (proj1 W) (LW w (proj2 W))) ltac:(intros i ->; exact Hw)) as F0.
      eapply lengthy_run; [exact F0 | | | apply Rle_refl | reflexivity | exact Ev];
        [destruct k as [[] | [] | [] []]; reflexivity | destruct k; simpl; lra].
    - intros e Ev. eapply lengthy_run; [exact E0 | apply error_terms_64 | lra | apply Rle_refl | reflexivity | exact Ev].
    - intros i j m Ev.
      assert (K0 : lengthy 21.2 (kappa * ((T' + G') * sine i j c')) L (kappa * ((T' + G') * sine i j c'))
        (Mul (Mul (Num kappa) (Sine c' i j)) (Size n' (half a) (half b) t'))).
      { eapply lengthy_more; [eapply times_len; [eapply num_mul; [apply (kappa_fits kappa Hkappa) | apply (sine_fits c' Cc)] | exact Z0] | | |]; lra. }
      eapply lengthy_run; [unfold Margin64, Doubled; apply len_add; [exact K0 | apply len_add; exact E0]
        | apply margin_terms_64 | lra | | | exact Ev]; fold T' G'; unfold E; lra.
  Qed.
End Cpu64.

(** ** The CPU in f32, where extents are numbers, and entries of C, too *)
Section Cpu32.
  Variables (kappa : R) (a b : box) (d' : vec) (m' : axis -> axis -> R) (t' : vec) (n' : R) (r' : quat).
  Variables (C' : axis -> axis -> R) (s' : R) (gA' gB' : vec).
  Hypothesis Hkappa : Rabs (kappa - KAPPA) <= 0.01.
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Hypothesis Hrun : run32 a b d' m' t' n' r' C' s' gA' gB'.
  Let c' := absolute C'.
  Let T' := sum (fun i => Rabs (t' i)).
  Let G' := sum gA' + sum gB'.

  Lemma ranges32 : 0 <= s' <= 1.0045 /\ (forall i j, Rabs (C' i j) <= 1.0045) /\ 0 <= T' /\
    (forall i, 0 <= gA' i) /\ (forall i, 0 <= gB' i) /\ forall k, 0 <= extents gA' gB' k.
  Proof.
    destruct (signs32 a b d' m' t' n' r' C' s' gA' gB' Ha Hb Hrun) as [TP [_ [SP [_ [_ XP]]]]].
    destruct (gs32 a b d' m' t' n' r' C' s' gA' gB' Hrun) as [GA GB].
    pose proof (run32_near a b d' m' t' n' r' C' s' gA' gB' Ha Hb Hrun) as [_ NS NC _ _ _]. pose proof (scale_range a b Ha Hb) as S.
    repeat split; auto.
    - apply Rabs_def2_le in NS. unfold u32 in NS. lra.
    - intros i j. pose proof (NC i j) as N. pose proof (entry_below a b i j) as B.
      replace (C' i j) with ((C' i j - C a b i j) + C a b i j) by (clear; lra). eapply Rle_trans; [apply Rabs_triang |].
      unfold u32 in N. lra.
  Qed.

  (** [Face], [Error_of] and the margin of the CPU. *)
  Definition Face32 (w : R) (k : direction) : expr :=
    match k with
    | FaceA i => FaceOfA32 C' t' gA' gB' s' i
    | FaceB j => FaceOfB32 C' gA' gB' s' w j
    | Edges i j => OfEdges32 C' gA' gB' w i j
    end.
  Definition Extents_of (k : direction) : expr :=
    match k with
    | FaceA i => Add (Len (gA' i)) (Three (fun j => Len (gB' j)))
    | FaceB j => Add (Three (fun i => Len (gA' i))) (Len (gB' j))
    | Edges _ _ => Extents32 gA' gB'
    end.
  Definition Error_of32 (k : direction) : expr := Error32 t' (DISTANCE_ERROR * u32) (RADIUS_ERROR * u32) (Extents_of k).

  Lemma L32_large : forall gg, 0 <= gg -> 44 * T' + 34 * gg + 1000 * A <= E32 t' gg / u32.
  Proof.
    intros gg Hg. destruct ranges32 as [_ [_ [TP _]]]. apply (Rmult_le_reg_r u32); [apply u32_pos |]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r by (apply Rgt_not_eq, u32_pos). unfold E32, bound, DISTANCE_ERROR, RADIUS_ERROR. fold T'.
    assert (0 <= A) by (unfold A; lra). unfold u32. lra.
  Qed.

  Lemma g32_fits : forall L x, 0 <= x <= L -> lengthy 1 x L x (Len x).
  Proof. exact w_fits. Qed.
  Lemma s32_fits : numeral 1.0045 s' s' (Num s').
  Proof. destruct ranges32 as [S _]. pose proof (num_num 1.0045 s') as P. rewrite Rabs_pos_eq in P by lra. apply P; lra. Qed.
  Lemma c32_fits : forall i j, numeral 1.0045 (c' i j) (c' i j) (Num (Rabs (C' i j))).
  Proof.
    intros i j. destruct ranges32 as [_ [S _]]. pose proof (num_num 1.0045 (Rabs (C' i j))) as P. rewrite Rabs_Rabsolu in P.
    unfold c', absolute. apply P; [lra | apply S].
  Qed.
  Lemma C32_fits : forall i j, numeral 1.0045 (Rabs (C' i j)) (C' i j) (Num (C' i j)).
  Proof. intros i j. destruct ranges32 as [_ [S _]]. apply num_num; [lra | apply S]. Qed.

  Ltac parts32 := repeat first [apply len_minus | apply len_add | apply s32_fits | apply c32_fits | apply C32_fits
    | apply num_add | apply num_minus | apply g32_fits; split; solve [auto] | apply t_fits; solve [auto] | apply k_fits; unfold DISTANCE_ERROR, RADIUS_ERROR, u32; lra
    | match goal with |- lengthy _ _ _ _ (Mul _ (Num _)) => eapply len_times end | eapply times_len].

  Lemma below32 : forall k, let L := E32 t' (extents gA' gB' k) / u32 in
    (forall i, Rabs (t' i) <= L) /\ (forall w, w <= 1.02 * T' + 20 * phi -> w <= L) /\ A <= L /\
    match k with
    | FaceA i => gA' i <= L /\ forall j, gB' j <= L
    | FaceB j => (forall i, gA' i <= L) /\ gB' j <= L
    | Edges _ _ => (forall i, gA' i <= L) /\ forall j, gB' j <= L
    end.
  Proof.
    intros k L. destruct ranges32 as [_ [_ [TP [GA [GB XP]]]]]. pose proof (L32_large _ (XP k)) as P. fold L in P. specialize (XP k).
    assert (AP : 0 < A /\ 20 * phi <= A) by (unfold A, phi; lra).
    pose proof (part_of_sum (fun i => Rabs (t' i)) (fun i => Rabs_pos (t' i))) as TI. cbv beta in TI. fold T' in TI.
    pose proof (part_of_sum gA' GA) as SA. pose proof (part_of_sum gB' GB) as SB. pose proof (SA Boxes.X) as [A0 A1]. pose proof (SB Boxes.X) as [B0 B1].
    split; [| split; [| split]].
    - intro i. pose proof (TI i). lra.
    - intros w W. lra.
    - lra.
    - unfold extents in P, XP. destruct k as [i | j | i j]; (split; [try intro i' | try intro j']);
        match goal with |- gA' ?i <= _ => pose proof (SA i) | |- gB' ?j <= _ => pose proof (SB j) end;
        try pose proof (SA i); try pose proof (SB j); lra.
  Qed.

  Lemma distance32_most : forall k w, distance32 t' C' s' k w -> 0 <= w <= 1.02 * T' + 20 * phi.
  Proof.
    intros k w H. destruct (distance_rounded_32 a b d' m' t' n' r' C' s' gA' gB' Ha Hb Hrun k w H) as [W D]. split; [exact W |].
    destruct ranges32 as [S [CC [TP _]]]. fold T' in D.
    assert (Q : forall i x y, Rabs (t' i * C' x y) <= 1.0045 * Rabs (t' i)).
    { intros. rewrite Rabs_mult, Rmult_comm. apply Rmult_le_compat_r; [apply Rabs_pos | auto]. }
    assert (TI : forall i, 0 <= Rabs (t' i)) by (intro; apply Rabs_pos). pose proof (TI Boxes.X). pose proof (TI Y). pose proof (TI Z).
    assert (B : distance t' s' C' k <= 1.0045 * T').
    { destruct k as [i | j | i j]; simpl.
      - apply Rle_trans with (1.0045 * Rabs (t' i)); [apply Rmult_le_compat_r; [auto | lra] |]. unfold T', sum. destruct i; lra.
      - unfold sum. eapply Rle_trans; [apply Rabs_triang |]. eapply Rle_trans; [apply Rplus_le_compat_r, Rabs_triang |].
        pose proof (Q Boxes.X Boxes.X j). pose proof (Q Y Y j). pose proof (Q Z Z j). unfold T', sum. lra.
      - unfold Rminus. eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_Ropp.
        pose proof (Q (after i) (next i) j). pose proof (Q (next i) (after i) j). unfold T', sum. destruct i; simpl in *; lra. }
    assert (ST : s' * T' <= 1.0045 * T') by (apply Rmult_le_compat_r; lra).
    assert (phi_pos : 0 <= phi) by (unfold phi; lra).
    assert (3.02 * u32 * (s' * T') <= 0.000001 * (s' * T')) by (apply Rmult_le_compat_r; [apply Rmult_le_pos | unfold u32]; lra).
    apply Rabs_def2_le in D. lra.
  Qed.

  Theorem written_f32 :
    (forall k w v, distance32 t' C' s' k w -> evaluates u32 phi (Face32 w k) v -> F32 t' C' s' gA' gB' k w v) /\
    (forall k e, evaluates u32 phi (Error_of32 k) e -> E_run32 t' (extents gA' gB' k) e) /\
    (forall i j m, evaluates u32 phi (Margin32 C' t' gA' gB' kappa (DISTANCE_ERROR * u32) (RADIUS_ERROR * u32) i j) m ->
      margin32 kappa t' C' gA' gB' i j m).
  Proof.
    destruct ranges32 as [_ [_ [_ [GA [GB _]]]]].
    assert (E0 : forall k, lengthy 10 (E32 t' (extents gA' gB' k)) (E32 t' (extents gA' gB' k) / u32) (E32 t' (extents gA' gB' k)) (Error_of32 k)).
    { intro k. destruct (below32 k) as [LT [LW [LA LX]]]. set (L := E32 t' (extents gA' gB' k) / u32) in *.
      pose proof (A_fits L LA) as FA. unfold E32, bound, Error_of32, Error32.
      destruct k as [i | j | i j]; destruct LX as [XA XB];
        (eapply lengthy_more; [unfold Extents_of, Extents32, Three; repeat first [exact FA | apply len_add; [apply len_add |]]; parts32 | | |];
          unfold extents, sum; lra). }
    split; [| split].
    - intros k w v Hw Ev. split; [exact Hw |]. destruct (below32 k) as [LT [LW [LA LX]]]. destruct (distance32_most k w Hw) as [W0 W1].
      apply LW in W1. set (L := E32 t' (extents gA' gB' k) / u32) in *.
      eapply lengthy_run with (Q := 5.03); [| | lra | apply Rle_refl | reflexivity | exact Ev].
      + unfold rr, radii. destruct k as [i | j | i j]; destruct LX as [XA XB]; unfold Face32.
        * simpl in Hw. subst w. eapply lengthy_more; [unfold FaceOfA32, Sub, Three; parts32 | | |]; unfold c', sum; lra.
        * eapply lengthy_more; [unfold FaceOfB32, Sub, Three; parts32 | | |]; unfold c', sum; lra.
        * eapply lengthy_more; [unfold OfEdges32, Sub; parts32 | | |]; unfold c'; lra.
      + destruct k as [[] | [] | [] []]; reflexivity.
    - intros k e Ev. eapply lengthy_run; [exact (E0 k) | destruct k as [[] | [] |]; reflexivity | lra | apply Rle_refl | reflexivity | exact Ev].
    - intros i j m Ev. specialize (E0 (Edges i j)). destruct (below32 (Edges i j)) as [LT [LW [LA [XA XB]]]].
      change (extents gA' gB' (Edges i j)) with G' in *. set (L := E32 t' G' / u32) in *.
      assert (K0 : lengthy 21.2 (kappa * ((T' + G') * sine i j c')) L (kappa * ((T' + G') * sine i j c'))
        (Mul (Mul (Add (Three (fun i => Len (Rabs (t' i)))) (Extents32 gA' gB')) (Num kappa)) (Add (Num (Rabs (C' (next i) j))) (Num (Rabs (C' (after i) j)))))).
      { eapply lengthy_more; [eapply len_times; [eapply len_times; [unfold Extents32, Three; parts32 | apply (kappa_fits kappa Hkappa)] | apply num_add; apply c32_fits] | | |];
          unfold sine, T', G', sum; lra. }
      eapply lengthy_run; [unfold Margin32, Doubled; apply len_add; [exact K0 | apply len_add; exact E0] | apply margin_terms_32; exact r' | lra | | | exact Ev];
        fold T' G' c'; lra.
  Qed.

  Lemma m32_fits : forall k i, numeral 1.0045 (Rabs (m' k i)) (m' k i) (Num (m' k i)).
  Proof.
    intros k i. apply num_num; [lra |]. pose proof (column_below a b d' m' t' n' r' C' s' gA' gB' Ha Hrun i) as D.
    destruct Ha as [_ N]. set (nn := norm2 (rotation a)) in *. assert (nn * nn <= 1.0021 * 1.0021) by (apply Rmult_le_compat; lra).
    pose proof (Rle_0_sqr (m' X i)) as P1. pose proof (Rle_0_sqr (m' Y i)) as P2. pose proof (Rle_0_sqr (m' Z i)) as P3.
    unfold Rsqr in *. apply abs_by_square; [lra |]. destruct k; lra.
  Qed.

  (** t, and the distances of faces of B and of edges. *)
  Theorem written_distances32 :
    (forall i v, evaluates u32 phi (Turned (fun k i => Num (m' k i)) d' i) v ->
      computed_length u32 phi 3 2 3.1 (sum (fun k => Rabs (d' k))) (sum (fun k => Rabs (m' k i) * Rabs (d' k)))
        (sum (fun k => m' k i * d' k)) v) /\
    (forall j v, evaluates u32 phi (DistanceB (fun i j => Num (C' i j)) t' j) v -> distance32 t' C' s' (FaceB j) (Rabs v)) /\
    (forall i j v, evaluates u32 phi (DistanceEdges (fun i j => Num (C' i j)) t' i j) v ->
      distance32 t' C' s' (Edges i j) (Rabs v)).
  Proof.
    assert (P : forall (v : vec) k, Rabs (v k) <= sum (fun i => Rabs (v i))) by (intros; apply abs_part).
    assert (Lt : forall (v : vec) k, lengthy 1 (Rabs (v k)) (sum (fun i => Rabs (v i))) (v k) (Len (v k))) by (intros; apply len_len, P).
    split; [| split].
    - intros i v Ev. assert (K : lengthy 3.1 (sum (fun k => Rabs (m' k i) * Rabs (d' k))) (sum (fun k => Rabs (d' k)))
        (sum (fun k => m' k i * d' k)) (Turned (fun k i => Num (m' k i)) d' i)).
      { eapply lengthy_more; [unfold Turned, Three; apply len_add; [apply len_add |]; (eapply times_len; [apply m32_fits | apply Lt]) | | |];
          [lra | right; reflexivity | reflexivity]. }
      eapply lengthy_run; [exact K | destruct i; reflexivity | lra | apply Rle_refl | reflexivity | exact Ev].
    - intros j v Ev. exists v. split; [reflexivity |].
      assert (K : lengthy 3.1 (sum (fun i => Rabs (t' i) * Rabs (C' i j))) T' (sum (fun i => t' i * C' i j)) (DistanceB (fun i j => Num (C' i j)) t' j)).
      { eapply lengthy_more; [unfold DistanceB, Three; apply len_add; [apply len_add |]; (eapply len_times; [apply Lt | apply C32_fits]) | | |];
          [lra | right; reflexivity | reflexivity]. }
      eapply lengthy_run; [exact K | destruct j; reflexivity | lra | apply Rle_refl | reflexivity | exact Ev].
    - intros i j v Ev. exists v. split; [reflexivity |].
      assert (K : lengthy 2.1 (Rabs (t' (after i)) * Rabs (C' (next i) j) + Rabs (t' (next i)) * Rabs (C' (after i) j)) T'
        (t' (after i) * C' (next i) j - t' (next i) * C' (after i) j) (DistanceEdges (fun i j => Num (C' i j)) t' i j)).
      { eapply lengthy_more; [unfold DistanceEdges, Sub; apply len_add; [| apply len_minus]; (eapply len_times; [apply Lt | apply C32_fits]) | | |];
          [lra | right; reflexivity | reflexivity]. }
      eapply lengthy_run; [exact K | destruct i, j; reflexivity | lra | apply Rle_refl | reflexivity | exact Ev].
  Qed.
End Cpu32.
