(** * The answers of the f32 shader for boxes that are rotated about z are true.

    Along the axes in plan, [upright_sat.wgsl] computes what the general shader does for boxes without
    their z, and along z, for boxes without their plan. *)

Require Import Rbase Rfunctions List Lra Lia.
Import ListNotations.
From Obbligato Require Import Boxes Formulas Separation Rounding Flushing Lengths Constants Propagation Axes Shader
  Filter Answers Overlapping Upright.
Open Scope R_scope.

Definition in_plane (v : vec) : vec := fun k => match k with Z => 0 | _ => v k end.
Definition along_z (v : vec) : vec := fun k => match k with Z => v Z | _ => 0 end.
Definition flat (b : box) : box := Box (in_plane (center b)) (in_plane (half b)) (rotation b).
Definition tall (b : box) : box := Box (along_z (center b)) (along_z (half b)) (rotation b).

Lemma flat_valid : forall b, valid b -> valid (flat b).
Proof. intros b [H N]. split; auto. intros []; simpl; auto; lra. Qed.
Lemma tall_valid : forall b, valid b -> valid (tall b).
Proof. intros b [H N]. split; auto. intros []; simpl; auto; lra. Qed.

(** The five F are those of the parts. *)
Lemma F_in_plan : forall a b k, upright a -> upright b -> in_plan k -> F (flat a) (flat b) k = F a b k.
Proof.
  intros a b k Ua Ub Hk. destruct (C_upright a b Ua Ub) as [XZ [YZ [ZX [ZY _]]]].
  change (C a b) with (C (flat a) (flat b)) in *.
  assert (T : forall i, i <> Z -> t (flat a) (flat b) i = t a b i).
  { intros i Hi. destruct Ua as [X0 Y0]. unfold t, apart, sum, flat, in_plane; simpl.
    destruct (rotation a) as [x y z w]. simpl in *. subst. destruct i; try congruence; simpl; clear; lra. }
  destruct Hk as [-> | [-> | [-> | ->]]]; unfold F, F_face_a, F_face_b, sum;
    rewrite ?(T X), ?(T Y) by discriminate;
    change (s (flat a) (flat b)) with (s a b); change (gA (flat a) X) with (gA a X);
    change (gA (flat a) Y) with (gA a Y); change (gB (flat a) (flat b) X) with (gB a b X);
    change (gB (flat a) (flat b) Y) with (gB a b Y); change (C (flat a) (flat b)) with (C a b) in *;
    rewrite ?XZ, ?YZ, ?ZX, ?ZY, Rabs_R0; rewrite ?Rmult_0_r; clear; lra.
Qed.

Lemma F_along_z : forall a b, upright a -> upright b -> F (tall a) (tall b) (FaceA Z) = F a b (FaceA Z).
Proof.
  intros a b Ua Ub. destruct (C_upright a b Ua Ub) as [_ [_ [ZX [ZY _]]]].
  assert (T : t (tall a) (tall b) Z = t a b Z).
  { destruct Ua as [X0 Y0]. unfold t, apart, sum, tall, along_z; simpl.
    destruct (rotation a) as [x y z w]. simpl in *. subst. simpl. clear; lra. }
  unfold F, F_face_a, sum. rewrite T. change (s (tall a) (tall b)) with (s a b).
  change (C (tall a) (tall b)) with (C a b). change (gA (tall a) Z) with (gA a Z).
  change (gB (tall a) (tall b) Z) with (gB a b Z). rewrite ZX, ZY, Rabs_R0. clear; lra.
Qed.

(** conj(qA) qB has x = y = 0 as well. *)
Lemma r_zero : forall a b, upright a -> upright b -> forall p, p = qx \/ p = qy ->
  0 <= p (relative_magnitude (rotation a) (rotation b)) /\ p (r a b) = 0.
Proof.
  intros a b [U1 U2] [U3 U4] p Hp. unfold r.
  destruct (rotation a) as [x y z w], (rotation b) as [x' y' z' w']. simpl in *. subst.
  split; [| destruct Hp as [-> | ->]; simpl; clear; lra].
  destruct Hp as [-> | ->]; simpl; repeat apply Rplus_le_le_0_compat; apply Rmult_le_pos; apply Rabs_pos.
Qed.

Lemma M_zero : forall q, qx q = 0 -> qy q = 0 -> M q X Z = 0 /\ M q Y Z = 0 /\ M q Z X = 0 /\ M q Z Y = 0 /\
  M q Z Z = norm2 q /\ M q Y Y = M q X X /\ M q X Y = - M q Y X /\ W q Z Z = norm2 q.
Proof. intros [x y z w] H H'. simpl in *. subst. unfold norm2; simpl. repeat split; clear; lra. Qed.

(** ** Expressions *)
Section Expressions.
  Variables u phi : R.

  Lemma zero_term : forall N D S x, (1 <= N)%nat -> (1 <= D)%nat -> 0 <= S -> x = 0 -> computed u phi N D S x 0.
  Proof.
    intros N D S x HN HD HS ->. exists (Num 0). split; [exact I |]. split; [| constructor; left; reflexivity].
    unfold rewriting, values, magnitudes, caps, over. simpl. rewrite Rabs_R0, Rmax_left by lra.
    split; [exact HN |]. split; [constructor; [exact HD | constructor] |]. repeat split; lra.
  Qed.

  Lemma zero_length : forall N D Q L S x, (1 <= N)%nat -> (1 <= D)%nat -> 1 <= Q -> 0 <= L -> 0 <= S -> x = 0 ->
    computed_length u phi N D Q L S x 0.
  Proof.
    intros N D Q L S x HN HD HQ HL HS ->. exists (Len 0). split; [exact I |].
    unfold rewriting, values, magnitudes, caps, over. simpl. rewrite Rabs_R0.
    split; [| split; [constructor; [exact HL | constructor] | constructor; left; reflexivity]].
    split; [exact HN |]. split; [constructor; [exact HD | constructor] |]. repeat split; lra.
  Qed.

  Lemma zero_subtracted : 0 <= u -> subtracted u phi 0 0 0.
  Proof.
    intro U. unfold subtracted. rewrite Ropp_0.
    apply (EvAdd u phi (Len 0) (Len 0) 0 0); try (constructor; left; reflexivity).
    left. exists 0. rewrite Rabs_R0. split; [exact U | clear; lra].
  Qed.

  Definition opposite (m : monomial) : monomial := Monomial (- value m) (degree m) (cap m) (len m).

  Lemma minus_monomials : forall e, monomials (minus e) = map opposite (monomials e).
  Proof.
    assert (P : forall l l', product (map opposite l) l' = map opposite (product l l')).
    { intros l l'. unfold product. induction l; simpl; auto. rewrite map_app, IHl. f_equal. rewrite map_map.
      apply map_ext. intros m. unfold times, opposite. simpl. f_equal. clear; lra. }
    induction e; simpl; auto.
    - unfold opposite. simpl. rewrite Rabs_Ropp. auto.
    - unfold opposite. simpl. rewrite Rabs_Ropp. auto.
    - rewrite map_app, IHe1, IHe2. auto.
    - rewrite IHe1. apply P.
    - rewrite IHe, !map_map. apply map_ext. intro m. unfold twice, opposite. simpl. f_equal. clear; lra.
  Qed.

  Lemma minus_number : forall e, is_number e -> is_number (minus e).
  Proof. induction e; simpl; tauto. Qed.

  Lemma minus_flushed : forall x v, flushed phi x v -> flushed phi (- x) (- v).
  Proof.
    intros x v [Z [A [B C]]]. unfold flushed. rewrite !Rabs_Ropp. repeat split; auto.
    - intro H. apply Z. lra.
    - replace (- v - - x) with (- (v - x)) by (clear; lra). rewrite Rabs_Ropp. auto.
  Qed.
  Lemma minus_read : forall x v, read phi x v -> read phi (- x) (- v).
  Proof. intros x v [-> | H]; [left; auto | right; apply minus_flushed; auto]. Qed.
  Lemma minus_rounds : forall x v, rounds u phi x v -> rounds u phi (- x) (- v).
  Proof.
    intros x v [[d [D ->]] | H]; [left; exists d; split; auto; clear; lra | right; apply minus_flushed; auto].
  Qed.

  Lemma minus_evaluates : forall e v, evaluates u phi e v -> evaluates u phi (minus e) (- v).
  Proof.
    intros e v H. induction H; simpl.
    - constructor. apply minus_read. auto.
    - constructor. apply minus_read. auto.
    - apply EvAdd with (- v) (- v'); auto. replace (- v + - v') with (- (v + v')) by (clear; lra). apply minus_rounds. auto.
    - apply EvMul with (- v) v'; auto. replace (- v * v') with (- (v * v')) by (clear; lra). apply minus_rounds. auto.
    - apply EvTwice with (- v); auto. replace (2 * - v) with (- (2 * v)) by (clear; lra). apply minus_read. auto.
  Qed.

  Lemma minus_computed : forall N D S x v, computed u phi N D S x v -> computed u phi N D S (- x) (- v).
  Proof.
    intros N D S x v [e [K [[H [G [V [M C]]]] E]]]. exists (minus e).
    split; [apply minus_number; auto |]. split; [| apply minus_evaluates; auto].
    unfold rewriting, values, magnitudes, caps, over in *. rewrite minus_monomials, !map_map, map_length. repeat split; auto.
    - apply Forall_map. auto.
    - rewrite <- V. clear. induction (monomials e) as [| m l IH]; simpl in *; [clear; lra |]. rewrite IH. clear; lra.
    - eapply Rle_trans; [| exact M]. right. clear. induction (monomials e) as [| m l IH]; simpl in *; auto.
      rewrite IH, Rabs_Ropp. auto.
  Qed.
End Expressions.

(** r' with its x and y, which are 0, is what the general stages compute. *)
Lemma r_parts : forall u phi a b r', upright a -> upright b ->
  (qx r' = 0 /\ qy r' = 0 /\ forall p, p = qz \/ p = qw ->
    computed u phi 2 2 (p (relative_magnitude (rotation a) (rotation b))) (p (r a b)) (p r')) ->
  forall p, part p -> computed u phi 4 2 (p (relative_magnitude (rotation a) (rotation b))) (p (r a b)) (p r').
Proof.
  intros u phi a b r' Ua Ub [X0 [Y0 H]] p [-> | [-> | [-> | ->]]].
  - rewrite X0. apply zero_term; try lia; apply (r_zero a b Ua Ub); auto.
  - rewrite Y0. apply zero_term; try lia; apply (r_zero a b Ua Ub); auto.
  - apply (same_number u phi 2 4 2 _ _ _ _ _ ltac:(lia) eq_refl eq_refl), H. auto.
  - apply (same_number u phi 2 4 2 _ _ _ _ _ ltac:(lia) eq_refl eq_refl), H. auto.
Qed.

(** ** What [upright_sat.wgsl] computes before it looks at axes

    The quaternions have x = y = 0, so that M has two entries, w^2 - z^2 and 2 w z, besides n. t is
    that of all axes, and r' that of (0, 0, z, w); C is two numbers behind their absolute values. *)
Record upright_run (u phi : R) (a b : box) (d' t' : vec) (n' : R) (r' : quat) (cosine sine : R) : Prop := {
  upright_d : forall k, subtracted u phi (center b k) (center a k) (d' k);
  upright_t : forall i, i <> Z -> computed_length u phi 4 3 4.1 (Rabs (d' X) + Rabs (d' Y))
    (W (rotation a) X i * Rabs (d' X) + W (rotation a) Y i * Rabs (d' Y))
    (M (rotation a) X i * d' X + M (rotation a) Y i * d' Y) (t' i);
  upright_t_z : computed_length u phi 2 3 2.1 (Rabs (d' Z)) (n a * Rabs (d' Z)) (n a * d' Z) (t' Z);
  upright_n : computed u phi 2 2 (n a) (n a) n';
  upright_r : qx r' = 0 /\ qy r' = 0 /\ forall p, p = qz \/ p = qw ->
    computed u phi 2 2 (p (relative_magnitude (rotation a) (rotation b))) (p (r a b)) (p r');
  upright_cosine : exists v, computed u phi 2 2 (norm2 r') (M r' X X) v /\ cosine = Rabs v;
  upright_sine : exists v, computed u phi 2 2 (norm2 r') (M r' Y X) v /\ sine = Rabs v
}.

Definition turned (s cosine sine : R) (i j : axis) : R :=
  match i, j with X, X | Y, Y => cosine | X, Y | Y, X => sine | Z, Z => s | _, _ => 0 end.

Section Runs.
  Variables u phi : R.
  Hypothesis u_small : 0 < u <= 1 / 2 ^ 23.
  Hypothesis phi_small : 0 <= phi <= u * u * u * u.
  Let u_weak : 0 <= u <= 1 / 2 ^ 23 := conj (Rlt_le _ _ (proj1 u_small)) (proj2 u_small).
  Variables (a b : box) (d' t' : vec) (n' : R) (r' : quat) (cosine sine : R).
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Hypothesis Ua : upright a.
  Hypothesis Ub : upright b.
  Hypothesis Hrun : upright_run u phi a b d' t' n' r' cosine sine.
  Let c' := turned (norm2 r') cosine sine.

  Lemma n_run : computed u phi 4 2 (n a) (n a) n'.
  Proof. exact (same_number u phi 2 4 2 _ _ _ _ _ ltac:(lia) eq_refl eq_refl (upright_n _ _ _ _ _ _ _ _ _ _ Hrun)). Qed.

  Lemma r_run : forall p, part p ->
    computed u phi 4 2 (p (relative_magnitude (rotation a) (rotation b))) (p (r a b)) (p r').
  Proof. exact (r_parts u phi a b r' Ua Ub (upright_r _ _ _ _ _ _ _ _ _ _ Hrun)). Qed.

  Lemma s_small : norm2 r' <= 2.
  Proof.
    pose proof (s_error u phi u_weak phi_small a b r' Ha Hb r_run) as E.
    pose proof (scale_range a b Ha Hb) as S. pose proof (Rle_abs (norm2 r' - s a b)) as Q.
    assert (17 * u * s a b <= 0.00001 * s a b) by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  Lemma c_run : forall i j, exists v, computed u phi 4 2 (norm2 r') (M r' i j) v /\ c' i j = Rabs v.
  Proof.
    pose proof s_small as Small.
    destruct (upright_r _ _ _ _ _ _ _ _ _ _ Hrun) as [X0 [Y0 _]].
    destruct (M_zero r' X0 Y0) as [XZ [YZ [ZX [ZY [ZZ [YY [XY _]]]]]]].
    destruct (upright_cosine _ _ _ _ _ _ _ _ _ _ Hrun) as [c [Cc ->]].
    destruct (upright_sine _ _ _ _ _ _ _ _ _ _ Hrun) as [s [Cs ->]].
    assert (N : 0 <= norm2 r') by (unfold norm2; nra).
    assert (Exact : computed u phi 4 2 (norm2 r') (norm2 r') (norm2 r')).
    { exists (Num (norm2 r')). split; [exact I |]. split; [| constructor; left; reflexivity].
      unfold rewriting, values, magnitudes, caps, over. simpl. rewrite (Rabs_pos_eq _ N).
      assert (Rmax 1 (norm2 r') <= 2) by (apply Rmax_lub; lra).
      split; [lia |]. split; [constructor; [simpl; lia | constructor] |]. repeat split; lra. }
    assert (Zero : forall x, x = 0 -> exists v, computed u phi 4 2 (norm2 r') x v /\ 0 = Rabs v).
    { intros x ->. exists 0. rewrite Rabs_R0. split; auto. apply zero_term; auto; lia. }
    unfold c'. intros [] []; simpl; try (apply Zero; assumption).
    - exists c. split; auto. exact (same_number u phi 2 4 2 _ _ _ _ _ ltac:(lia) eq_refl eq_refl Cc).
    - exists (- s). rewrite Rabs_Ropp. split; auto. apply minus_computed in Cs. rewrite XY.
      exact (same_number u phi 2 4 2 _ _ _ _ _ ltac:(lia) eq_refl eq_refl Cs).
    - exists s. split; auto. exact (same_number u phi 2 4 2 _ _ _ _ _ ltac:(lia) eq_refl eq_refl Cs).
    - exists c. split; auto. rewrite YY. exact (same_number u phi 2 4 2 _ _ _ _ _ ltac:(lia) eq_refl eq_refl Cc).
    - exists (norm2 r'). rewrite (Rabs_pos_eq _ N), ZZ. auto.
  Qed.

  Lemma flat_run : run u phi (flat a) (flat b) (in_plane d') (in_plane t') n' r' c'.
  Proof.
    destruct Ua as [X0 Y0]. destruct (M_zero _ X0 Y0) as [XZ [YZ [ZX [ZY _]]]].
    split; [| | exact n_run | exact r_run | exact c_run].
    - intros k. pose proof (upright_d _ _ _ _ _ _ _ _ _ _ Hrun k) as D. destruct k; simpl; auto.
      apply zero_subtracted. lra.
    - intro i. simpl. assert (P : forall k j, 0 <= W (rotation a) k j * Rabs (in_plane d' k))
        by (intros; apply Rmult_le_pos; [apply W_bounds | apply Rabs_pos]).
      destruct i; simpl.
      + apply (same_length u phi 4 12 3 4.1 12.1 _ _ _ _ _ _ _ ltac:(lia) ltac:(lra))
          with (4 := upright_t _ _ _ _ _ _ _ _ _ _ Hrun X ltac:(discriminate)); unfold sum; simpl; rewrite ?Rabs_R0; clear; lra.
      + apply (same_length u phi 4 12 3 4.1 12.1 _ _ _ _ _ _ _ ltac:(lia) ltac:(lra))
          with (4 := upright_t _ _ _ _ _ _ _ _ _ _ Hrun Y ltac:(discriminate)); unfold sum; simpl; rewrite ?Rabs_R0; clear; lra.
      + apply zero_length; try lia; try lra; [repeat apply Rplus_le_le_0_compat; apply Rabs_pos |
          unfold sum; repeat apply Rplus_le_le_0_compat; apply P |].
        unfold sum. simpl. rewrite XZ, YZ. clear; lra.
  Qed.

  Lemma tall_run : run u phi (tall a) (tall b) (along_z d') (along_z t') n' r' c'.
  Proof.
    destruct Ua as [X0 Y0]. destruct (M_zero _ X0 Y0) as [XZ [YZ [ZX [ZY [ZZ [_ [_ WZ]]]]]]].
    split; [| | exact n_run | exact r_run | exact c_run].
    - intros k. pose proof (upright_d _ _ _ _ _ _ _ _ _ _ Hrun k) as D. destruct k; simpl; auto;
        apply zero_subtracted; lra.
    - intro i. simpl. assert (P : forall k j, 0 <= W (rotation a) k j * Rabs (along_z d' k))
        by (intros; apply Rmult_le_pos; [apply W_bounds | apply Rabs_pos]).
      destruct i; simpl.
      + apply zero_length; try lia; try lra; [repeat apply Rplus_le_le_0_compat; apply Rabs_pos |
          unfold sum; repeat apply Rplus_le_le_0_compat; apply P |].
        unfold sum. simpl. rewrite ZX. clear; lra.
      + apply zero_length; try lia; try lra; [repeat apply Rplus_le_le_0_compat; apply Rabs_pos |
          unfold sum; repeat apply Rplus_le_le_0_compat; apply P |].
        unfold sum. simpl. rewrite ZY. clear; lra.
      + apply (same_length u phi 2 12 3 2.1 12.1 _ _ _ _ _ _ _ ltac:(lia) ltac:(lra))
          with (4 := upright_t_z _ _ _ _ _ _ _ _ _ _ Hrun); unfold sum; simpl; rewrite ?Rabs_R0, ?WZ, ?ZZ; unfold n; clear; lra.
  Qed.
End Runs.

(** ** Its answers *)
Section Answers.
  Variables u phi : R.
  Hypothesis u_small : 0 < u <= 1 / 2 ^ 23.
  Hypothesis phi_small : 0 <= phi <= u * u * u * u.
  Let u_weak : 0 <= u <= 1 / 2 ^ 23 := conj (Rlt_le _ _ (proj1 u_small)) (proj2 u_small).
  Variables (A : R) (a b : box) (d' t' : vec) (n' : R) (r' : quat) (cosine sine : R).
  Hypothesis HA : 256 * phi <= A.
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Hypothesis Ua : upright a.
  Hypothesis Ub : upright b.
  Hypothesis Hrun : upright_run u phi a b d' t' n' r' cosine sine.
  Let c' := turned (norm2 r') cosine sine.
  Let plan_run := flat_run u phi u_small phi_small a b d' t' n' r' cosine sine Ha Hb Ua Ub Hrun.
  Let z_run := tall_run u phi u_small phi_small a b d' t' n' r' cosine sine Ha Hb Ua Ub Hrun.
  Let Va := flat_valid a Ha.
  Let Vb := flat_valid b Hb.

  (** The error of an axis, from the distance and the extents along it. *)
  Definition error_of (distance extents : R) : R := u * (K_T * distance + K_G * extents) + A.
  Definition error_in_plan : R := error_of (Rabs (t' X) + Rabs (t' Y))
    (n' * half a X + n' * half a Y + (n' * half b X + n' * half b Y)).
  Definition error_along_z : R := error_of (Rabs (t' Z)) (n' * half a Z + n' * half b Z).
  Definition radii_in_plan (k : direction) : R := radii' (flat a) (flat b) n' r' c' k.
  Definition distance_along_z : R := norm2 r' * Rabs (t' Z).
  Definition radii_along_z : R := norm2 r' * (n' * half a Z) + norm2 r' * (n' * half b Z).

  (** F - E of an axis is positive. *)
  Definition separates_in_plan (k : direction) : Prop := in_plan k /\
    exists w v, distance_run u phi (in_plane t') r' k w /\ 0 < v /\
      computed_length u phi (terms k) 4 (terms_caps k) (error_in_plan / u)
        (w + radii_in_plan k + error_in_plan) (w - radii_in_plan k - error_in_plan) v.
  Definition separates_along_z : Prop := exists v, 0 < v /\
    computed_length u phi 19 4 19.2 (error_along_z / u)
      (distance_along_z + radii_along_z + error_along_z)
      (distance_along_z - radii_along_z - error_along_z) v.

  (** All F + E are negative. Compilers may compare each axis in plan, or the largest of them, x. *)
  Definition clears_each : Prop := forall k, in_plan k ->
    exists w v, distance_run u phi (in_plane t') r' k w /\ v < 0 /\
      computed_length u phi (terms k) 4 (terms_caps k) (error_in_plan / u)
        (w + radii_in_plan k + error_in_plan) (w - radii_in_plan k + error_in_plan) v.
  Definition clears_largest : Prop := exists x v, v < 0 /\
    computed_length u phi 9 4 9.1 (error_in_plan / u) (Rabs x + error_in_plan) (x + error_in_plan) v /\
    forall k, in_plan k -> exists w y, distance_run u phi (in_plane t') r' k w /\ y <= x /\
      computed_length u phi 11 4 11.1 (error_in_plan / u) (w + radii_in_plan k) (w - radii_in_plan k) y.
  Definition clears_along_z : Prop := exists v, v < 0 /\
    computed_length u phi 19 4 19.2 (error_along_z / u)
      (distance_along_z + radii_along_z + error_along_z)
      (distance_along_z - radii_along_z + error_along_z) v.

  (** The shader's E is larger than the general one of the flat boxes, by the other extent of one box. *)
  Definition rest (k : direction) : R :=
    match k with
    | FaceA X => n' * half a Y | FaceA Y => n' * half a X
    | FaceB X => n' * half b Y | FaceB Y => n' * half b X
    | _ => 0
    end.
  Definition more (k : direction) : R := A + u * (K_G * rest k).

  Lemma E_in_plan : forall k, in_plan k -> E' u (more k) (flat a) (flat b) (in_plane t') n' k = error_in_plan.
  Proof.
    intros k Hk. unfold E', bound, error_in_plan, error_of, more, extents, sum, gA', gB'.
    destruct Hk as [-> | [-> | [-> | ->]]]; simpl; rewrite Rabs_R0; clear; lra.
  Qed.

  Lemma extents_in_plan : (forall i, 0 <= gA' (flat a) n' i) /\ (forall i, 0 <= gB' (flat b) n' i).
  Proof. exact (gs_pos u phi u_small phi_small (flat a) (flat b) _ _ _ _ _ Va Vb plan_run). Qed.

  Lemma more_enough : forall k, 256 * phi <= more k.
  Proof.
    intro k. destruct extents_in_plan as [GA GB].
    assert (0 <= rest k).
    { unfold rest. destruct k as [[] | [] | ]; try lra; [apply (GA Y) | apply (GA X) | apply (GB Y) | apply (GB X)]. }
    unfold more. assert (0 <= u * (K_G * rest k)); [| lra].
    apply Rmult_le_pos; [lra |]. apply Rmult_le_pos; [unfold K_G; lra | auto].
  Qed.

  Lemma parts_along_z : radii' (tall a) (tall b) n' r' c' (FaceA Z) = radii_along_z /\
    E' u A (tall a) (tall b) (along_z t') n' (FaceA Z) = error_along_z.
  Proof.
    unfold radii', radii, E', bound, error_along_z, error_of, radii_along_z, extents, sum, gA', gB', c'. simpl.
    rewrite Rabs_R0. split; clear; lra.
  Qed.

  Lemma positive_separates : forall k, 0 < F a b k -> separated a b.
  Proof. intros k P. apply positive_F_separates; auto. destruct k; simpl in P; eauto. Qed.

  Theorem plan_is_true : forall k, separates_in_plan k -> separated a b.
  Proof.
    intros k [Hk [w [v [Hw [V C]]]]]. apply (positive_separates k). rewrite <- (F_in_plan a b k Ua Ub Hk).
    apply (positive_is_true u phi u_small phi_small (more k) _ _ _ _ _ _ _ (more_enough k) Va Vb plan_run k w Hw v); auto.
    unfold F_less_E. rewrite E_in_plan by auto. exact C.
  Qed.

  Theorem z_is_true : separates_along_z -> separated a b.
  Proof.
    intros [v [V C]]. apply (positive_separates (FaceA Z)). rewrite <- (F_along_z a b Ua Ub).
    apply (positive_is_true u phi u_small phi_small A _ _ _ _ _ _ _ HA (tall_valid a Ha) (tall_valid b Hb) z_run (FaceA Z)
      distance_along_z eq_refl v); auto.
    unfold F_less_E. fold c'. destruct parts_along_z as [-> ->]. exact C.
  Qed.

  Lemma largest_clears_plan : clears_largest -> forall k, in_plan k -> F a b k < 0.
  Proof.
    intros [x [v [V [Cx H]]]] k Hk. destruct (H k Hk) as [w [y [Hw [L Cy]]]].
    rewrite <- (F_in_plan a b k Ua Ub Hk).
    destruct (positive_parts u phi u_small phi_small (more k) _ _ _ _ _ _ _ (more_enough k) Va Vb plan_run k w Hw) as [P1 [P2 P3]].
    fold c' in P2. fold (radii_in_plan k) in P2. rewrite E_in_plan in P3 by auto.
    pose proof (distance_rounded u phi u_small phi_small _ _ _ _ _ _ _ Va Vb plan_run k w Hw) as Rw.
    assert (LF := fun Q e => last_flushes u phi u_weak phi_small 4 Q e (proj1 u_small) ltac:(lia)). simpl INR in LF. pose proof (phi_tiny u phi u_weak phi_small) as Fl.
    assert (LP : 0 <= error_in_plan / u) by (apply Rmult_le_pos; [lra |]; apply Rlt_le, Rinv_0_lt_compat; lra).
    assert (UE : 0 <= u * error_in_plan <= 0.0000002 * error_in_plan)
      by (split; [apply Rmult_le_pos | apply Rmult_le_compat_r]; lra).
    apply (rounded_length u phi u_weak phi_small 9 4 _ _ _ _ _ 11 eq_refl ltac:(lia) ltac:(simpl; lra) LP) in Cx. simpl INR in Cx.
    apply (rounded_length u phi u_weak phi_small 11 4 _ _ _ _ _ 13 eq_refl ltac:(lia) ltac:(simpl; lra) LP) in Cy. simpl INR in Cy.
    pose proof (LF 9.1 error_in_plan ltac:(lra) P3) as LF1. pose proof (LF 11.1 error_in_plan ltac:(lra) P3) as LF2.
    pose proof (error_13 u u_weak) as E13.
    assert (E11 : 0 <= error u 11 <= 0.00001) by (pose proof (u_square u u_weak); unfold error; simpl; lra).
    pose proof (Rle_abs (- (v - (x + error_in_plan)))) as Q. rewrite Rabs_Ropp in Q.
    assert (B : error u 11 * (Rabs x + error_in_plan) <= 0.00001 * (Rabs x + error_in_plan))
      by (apply Rmult_le_compat_r; [pose proof (Rabs_pos x) |]; lra).
    (* x is less than nearly - E. *)
    assert (X0 : x + 0.9999 * error_in_plan - 45.7 * phi < 0).
    { destruct (Rle_lt_dec 0 x) as [X0 | X0]; [rewrite (Rabs_pos_eq x) in * by auto | rewrite (Rabs_left x) in * by auto];
        lra. }
    assert (EB : bound (0.9999 * K_T) (0.9999 * K_G) u (0.9999 * more k) (sum (fun i => Rabs (in_plane t' i)))
      (extents (gA' (flat a) n') (gB' (flat b) n') k) = 0.9999 * error_in_plan)
      by (rewrite <- (E_in_plan k Hk); unfold E', bound; clear; lra).
    pose proof (more_enough k) as MP.
    apply negative with (ct := 41) (cC := 17) (cc := 22) (cg := 5) (co := 13.01) (KT := 0.9999 * K_T) (KG := 0.9999 * K_G)
      (u := u) (t' := in_plane t') (s' := norm2 r') (C' := M r') (c' := c') (gA' := gA' (flat a) n')
      (gB' := gB' (flat b) n') (e_t := 89.5 * phi) (e_g := 0) (e_w := 48.6 * phi) (e_v := 101.4 * phi)
      (A := 0.9999 * more k) (p := 13.02) (w := w) (v := y + 0.9999 * error_in_plan - 45.7 * phi); auto; try (unfold K_T, K_G; lra); try lra.
    - exact (run_near u phi u_small phi_small _ _ _ _ _ _ _ Va Vb plan_run).
    - rewrite EB. change (radii (norm2 r') c' (gA' (flat a) n') (gB' (flat b) n') k) with (radii_in_plan k).
      replace (y + 0.9999 * error_in_plan - 45.7 * phi - (w - radii_in_plan k + 0.9999 * error_in_plan))
        with (y - (w - radii_in_plan k) + - (45.7 * phi)) by (clear; lra).
      eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_Ropp, (Rabs_pos_eq (45.7 * phi)) by lra.
      assert (error u 13 * (w + radii_in_plan k) <= 13.001 * u * (w + radii_in_plan k)) by (apply Rmult_le_compat_r; lra).
      assert (0 <= u * (w + radii_in_plan k)) by (apply Rmult_le_pos; lra). lra.
  Qed.

  Theorem all_clear_is_true : clears_each \/ clears_largest -> clears_along_z -> overlapping a b.
  Proof.
    intros H [v [V C]]. apply five_negative_overlap; auto. intros k [Hk | ->].
    - destruct H as [H | H]; [| apply largest_clears_plan; auto].
      destruct (H k Hk) as [w [v' [Hw [V' C']]]]. rewrite <- (F_in_plan a b k Ua Ub Hk).
      apply (negative_is_true u phi u_small phi_small (more k) _ _ _ _ _ _ _ (more_enough k) Va Vb plan_run k w Hw v'); auto.
      unfold F_plus_E. rewrite E_in_plan by auto. exact C'.
    - rewrite <- (F_along_z a b Ua Ub).
      apply (negative_is_true u phi u_small phi_small A _ _ _ _ _ _ _ HA (tall_valid a Ha) (tall_valid b Hb) z_run (FaceA Z)
        distance_along_z eq_refl v); auto.
      unfold F_plus_E. fold c'. destruct parts_along_z as [-> ->]. exact C.
  Qed.
End Answers.

(** With the constants of [sat.wgsl]. *)
Theorem f32_upright_separated : forall a b d' t' n' r' cosine sine,
  valid a -> valid b -> upright a -> upright b -> upright_run u phi a b d' t' n' r' cosine sine ->
  (exists k, separates_in_plan u phi A a b t' n' r' cosine sine k) \/ separates_along_z u phi A a b t' n' r' -> separated a b.
Proof.
  intros a b d' t' n' r' cosine sine Ha Hb Ua Ub H [[k P] | P].
  - exact (plan_is_true u phi u_of_shader phi_of_shader A a b d' t' n' r' cosine sine A_of_shader Ha Hb Ua Ub H k P).
  - exact (z_is_true u phi u_of_shader phi_of_shader A a b d' t' n' r' cosine sine A_of_shader Ha Hb Ua Ub H P).
Qed.

Theorem f32_upright_overlapping : forall a b d' t' n' r' cosine sine,
  valid a -> valid b -> upright a -> upright b -> upright_run u phi a b d' t' n' r' cosine sine ->
  clears_each u phi A a b t' n' r' cosine sine \/ clears_largest u phi A a b t' n' r' cosine sine ->
  clears_along_z u phi A a b t' n' r' -> overlapping a b.
Proof.
  intros a b d' t' n' r' cosine sine Ha Hb Ua Ub H.
  exact (all_clear_is_true u phi u_of_shader phi_of_shader A a b d' t' n' r' cosine sine A_of_shader Ha Hb Ua Ub H).
Qed.
