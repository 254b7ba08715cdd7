(** * The exact stage of balls and capsules: its integers are those of [Orders.v], and have enough words.

    [balls] and [rounds] of [round/bodies.rs]. All lengths are multiplied by the squared lengths of
    both quaternions. A ball is a capsule of no length, with any rotation. *)

Require Import Rbase Rfunctions ZArith Lra Lia FunctionalExtensionality.
From Obbligato Require Import Boxes Formulas Separation Lengths Propagation Complete Exact LastStage Aligned Margins Distances
  Round Squares Directions Balls Segments Orders MachineWidths Widths MarginWidths.
From Obbligato Require Integers.
Open Scope R_scope.

(** ** Cores as segments *)
Section Cores.
  Variables a b : body.
  Hypothesis Ca : capsule a.
  Hypothesis Cb : capsule b.

  Definition core_of (b : body) : vec := fun k => 2 * half (core b) Z * axis_z b k.
  Definition first_ends : vec := fun k => - (half (core a) Z * axis_z a k) - (centers a b k - half (core b) Z * axis_z b k).

  Lemma cores_near : forall r, Distances.near (core_of a) (core_of b) first_ends r <->
    exists p q, contains (core a) p /\ contains (core b) q /\ square (less q p) <= r.
  Proof.
    intro r. pose proof Ca as [_ [_ [_ [HA _]]]]. pose proof Cb as [_ [_ [_ [HB _]]]].
    set (hA := half (core a) Z) in *. set (hB := half (core b) Z) in *.
    assert (Part : forall h x, 0 <= h -> Rabs x <= h -> exists s, 0 <= s <= 1 /\ x = (2 * s - 1) * h).
    { intros h x H X. apply Rabs_def2_le in X. destruct (Req_dec h 0) as [Z0 | N].
      - exists 0. split; [lra |]. subst h. lra.
      - assert (HP : 0 < h) by (destruct H; [auto | congruence]).
        exists ((x / h + 1) / 2). assert (E : x / h * h = x) by (field; auto). split.
        + split; apply (Rmult_le_reg_r h); lra.
        + replace ((2 * ((x / h + 1) / 2) - 1) * h) with (x / h * h) by (field; auto). lra. }
    assert (Same : forall s t p q, (forall k, p k = center (core a) k + (2 * s - 1) * hA * axis_z a k) ->
      (forall k, q k = center (core b) k + (2 * t - 1) * hB * axis_z b k) ->
      square (less q p) = square (between (core_of a) (core_of b) first_ends s t)).
    { intros s t p q P Q. unfold square, dot, sum, between, core_of, first_ends, centers, less. rewrite !P, !Q.
      fold hA hB. clear; lra. }
    split.
    - intros [s [t [S [T L]]]].
      exists (fun k => center (core a) k + (2 * s - 1) * hA * axis_z a k), (fun k => center (core b) k + (2 * t - 1) * hB * axis_z b k).
      assert (In : forall h x, 0 <= h -> 0 <= x <= 1 -> Rabs ((2 * x - 1) * h) <= h).
      { intros h x H X. rewrite Rabs_mult, (Rabs_pos_eq h) by auto. rewrite <- (Rmult_1_l h) at 2.
        apply Rmult_le_compat_r; auto. apply Rabs_le. lra. }
      split; [apply (on_segment a _ Ca); eexists; split; [apply (In hA s HA S) | reflexivity] |].
      split; [apply (on_segment b _ Cb); eexists; split; [apply (In hB t HB T) | reflexivity] |].
      rewrite (Same s t); auto.
    - intros [p [q [P [Q L]]]]. apply (on_segment a p Ca) in P. apply (on_segment b q Cb) in Q.
      destruct P as [x [X P]], Q as [y [Y Q]]. destruct (Part hA x HA X) as [s [S ->]], (Part hB y HB Y) as [t [T ->]].
      exists s, t. rewrite <- (Same s t p q P Q). auto.
  Qed.
End Cores.

Lemma near_scaled : forall k u v w r, 0 < k ->
  (Distances.near (fun i => k * u i) (fun i => k * v i) (fun i => k * w i) r <-> Distances.near u v w (r / (k * k))).
Proof.
  intros k u v w r K. assert (KK : 0 < k * k) by (apply Rmult_lt_0_compat; auto).
  assert (E : forall s t, square (between (fun i => k * u i) (fun i => k * v i) (fun i => k * w i) s t)
    = k * k * square (between u v w s t)) by (intros; unfold square, dot, sum, between; clear; lra).
  assert (Q : forall x, k * k * x <= r <-> x <= r / (k * k)).
  { intro x. assert (D : r / (k * k) * (k * k) = r) by (field; lra).
    split; intro H; [apply (Rmult_le_reg_r (k * k)); lra | apply (Rmult_le_compat_r (k * k)) in H; lra]. }
  unfold Distances.near. split; intros [s [t [S [T L]]]]; exists s, t; rewrite E in *; rewrite Q in *; auto.
Qed.

Lemma decides_scaled : forall k c (P Q : R -> Prop) x, 0 < k -> (forall r, P r <-> Q (r / (k * k))) ->
  decides c P (k * x * (k * x)) -> decides c Q (x * x).
Proof.
  intros k c P Q x K E [A B]. assert (KK : 0 < k * k) by (apply Rmult_lt_0_compat; auto).
  replace (k * x * (k * x)) with (x * x * (k * k)) in * by (clear; lra).
  split.
  - rewrite A, E. replace (x * x * (k * k) / (k * k)) with (x * x) by (field; lra). tauto.
  - rewrite B. split; intros [r [L H]].
    + exists (r / (k * k)). split; [| apply E; auto]. apply (Rmult_lt_reg_r (k * k)); auto.
      replace (r / (k * k) * (k * k)) with r by (field; lra). exact L.
    + exists (r * (k * k)). split; [apply Rmult_lt_compat_r; auto |]. apply E.
      replace (r * (k * k) / (k * k)) with r by (field; lra). exact H.
Qed.

(** ** In integers *)
Definition stands (x : vec) (x' : vector) : Prop := forall i, x (of_index i) = IZR (x' i).

Lemma dot_stands : forall x y x' y', stands x x' -> stands y y' -> dot x y = IZR (scalar x' y').
Proof.
  intros x y x' y' X Y. unfold dot, sum, scalar. rewrite !plus_IZR, !mult_IZR, <- !X, <- !Y. reflexivity.
Qed.
Lemma square_stands : forall x x', stands x x' -> square x = IZR (scalar x' x').
Proof. intros x x' H. apply dot_stands; auto. Qed.
Lemma cross_stands : forall x y x' y', stands x x' -> stands y y' -> stands (cross x y) (cross_product x' y').
Proof.
  intros x y x' y' X Y i. unfold cross_product, Integers.cross. rewrite minus_IZR, !mult_IZR, <- !X, <- !Y.
  destruct i; reflexivity.
Qed.
Lemma compared_stands : forall x y, compared (IZR x) (IZR y) = (x ?= y)%Z.
Proof.
  intros x y. unfold compared, of_sign. destruct (Z.compare_spec x y) as [E | L | G].
  - subst. destruct (Rlt_dec 0 (IZR y - IZR y)); [lra |]. destruct (Rlt_dec (IZR y - IZR y) 0); [lra | reflexivity].
  - apply IZR_lt in L. destruct (Rlt_dec 0 (IZR x - IZR y)); [lra |]. destruct (Rlt_dec (IZR x - IZR y) 0); [reflexivity | lra].
  - apply IZR_lt in G. destruct (Rlt_dec 0 (IZR x - IZR y)); [reflexivity | lra].
Qed.

Definition point_order_Z (x v : vector) (reach : BinNums.Z) : comparison :=
  (if scalar x v <=? 0 then scalar x x ?= reach
  else if scalar v v <=? scalar x v then scalar (fun i => x i - v i) (fun i => x i - v i) ?= reach
  else scalar (cross_product x v) (cross_product x v) ?= reach * scalar v v)%Z.

Definition outside_Z (place most : BinNums.Z) : bool := if (place <? 0)%Z then true else (most <? place)%Z.

Definition segments_order_Z (u v w : vector) (reach : BinNums.Z) : comparison :=
  (let least := lesser (lesser (lesser (point_order_Z w v reach) (point_order_Z (fun i => w i + u i) v reach))
    (point_order_Z (fun i => - w i) u reach)) (point_order_Z (fun i => v i - w i) u reach) in
  let normal := cross_product u v in
  match least with
  | Lt => Lt
  | _ =>
    if scalar normal normal <=? 0 then least
    else if outside_Z (scalar (cross_product v w) normal) (scalar normal normal) then least
    else if outside_Z (scalar (cross_product u w) normal) (scalar normal normal) then least
    else lesser least (scalar w normal * scalar w normal ?= reach * scalar normal normal)
  end)%Z.

Definition cores_order_Z (a_point b_point : bool) (u v w : vector) (reach : BinNums.Z) : comparison :=
  match a_point, b_point with
  | true, true => (scalar w w ?= reach)%Z
  | true, false => point_order_Z w v reach
  | false, true => point_order_Z (fun i => - w i)%Z u reach
  | false, false => segments_order_Z u v w reach
  end.

Lemma le_stands : forall A x y (p q : A), (if Rle_dec (IZR x) (IZR y) then p else q) = if (x <=? y)%Z then p else q.
Proof.
  intros A x y p q. destruct (Z.leb_spec x y) as [L | L]; [apply IZR_le in L | apply IZR_lt in L];
    destruct (Rle_dec (IZR x) (IZR y)); auto; lra.
Qed.
Lemma outside_stands : forall x y, outside (IZR x) (IZR y) = outside_Z x y.
Proof.
  intros x y. unfold outside, outside_Z.
  destruct (Z.ltb_spec x 0) as [L | L]; [apply IZR_lt in L | apply IZR_le in L]; destruct (Rlt_dec (IZR x) 0); auto; try lra.
  destruct (Z.ltb_spec y x) as [M | M]; [apply IZR_lt in M | apply IZR_le in M]; destruct (Rlt_dec (IZR y) (IZR x)); auto; lra.
Qed.

Lemma point_order_stands : forall x v x' v' reach, stands x x' -> stands v v' ->
  point_order x v (IZR reach) = point_order_Z x' v' reach.
Proof.
  intros x v x' v' reach X V. unfold point_order, point_order_Z.
  assert (D : stands (fun k => x k - v k) (fun i => x' i - v' i)%Z) by (intro i; rewrite minus_IZR, X, V; reflexivity).
  rewrite (dot_stands x v x' v' X V), (square_stands x x' X), (square_stands v v' V), (square_stands _ _ D),
    (square_stands _ _ (cross_stands x v x' v' X V)), <- mult_IZR, !compared_stands.
  change 0 with (IZR 0). rewrite !le_stands. reflexivity.
Qed.

Theorem cores_order_stands : forall a_point b_point u v w u' v' w' reach, stands u u' -> stands v v' -> stands w w' ->
  cores_order a_point b_point u v w (IZR reach) = cores_order_Z a_point b_point u' v' w' reach.
Proof.
  intros a_point b_point u v w u' v' w' reach U V W.
  assert (M : stands (fun k => - w k) (fun i => - w' i)%Z) by (intro i; rewrite opp_IZR, W; reflexivity).
  destruct a_point, b_point; simpl.
  - rewrite (square_stands w w' W). apply compared_stands.
  - apply point_order_stands; auto.
  - apply point_order_stands; auto.
  - unfold segments_order, segments_order_Z. cbv zeta.
    rewrite (point_order_stands w v w' v' reach W V),
      (point_order_stands (fun k => w k + u k) v (fun i => w' i + u' i)%Z v' reach) by
        (auto; intro i; rewrite plus_IZR, W, U; reflexivity).
    rewrite (point_order_stands (fun k => - w k) u _ u' reach M U),
      (point_order_stands (fun k => v k - w k) u (fun i => v' i - w' i)%Z u' reach) by
        (auto; intro i; rewrite minus_IZR, W, V; reflexivity).
    pose proof (cross_stands u v u' v' U V) as N.
    rewrite (square_stands _ _ N), (dot_stands _ _ _ _ (cross_stands v w v' w' V W) N),
      (dot_stands _ _ _ _ (cross_stands u w u' w' U W) N), (dot_stands _ _ _ _ W N), <- !mult_IZR, !compared_stands.
    change 0 with (IZR 0). rewrite !le_stands, !outside_stands. reflexivity.
Qed.

(** ** What the source computes of two bodies *)
Definition round_norm (q : Integers.quaternion BinNums.Z) : BinNums.Z := Integers.norm Z.add Z.mul q.
(** Half of a core, times |q|^2. *)
Definition along (q : Integers.quaternion BinNums.Z) (half : BinNums.Z) : vector :=
  fun k => (Integers.matrix Z.add Z.sub Z.mul q k Integers.I2 * half)%Z.

Section Computed.
  Variables (qa qb : Integers.quaternion BinNums.Z) (way : vector) (ha hb ra rb m : BinNums.Z).
  Let p0 : vector := fun k => ((0 - along qa ha k) * round_norm qb)%Z.
  Let p1 : vector := fun k => ((0 + along qa ha k) * round_norm qb)%Z.
  Let q0 : vector := fun k => ((way k * round_norm qb - along qb hb k) * round_norm qa)%Z.
  Let q1 : vector := fun k => ((way k * round_norm qb + along qb hb k) * round_norm qa)%Z.
  Definition u_of : vector := fun k => (p1 k - p0 k)%Z.
  Definition v_of : vector := fun k => (q1 k - q0 k)%Z.
  Definition w_of : vector := fun k => (p0 k - q0 k)%Z.
  Definition reach_Z : BinNums.Z := ((ra + rb + m) * round_norm qa * round_norm qb)%Z.
  Definition rounds_order : comparison := cores_order_Z (ha =? 0)%Z (hb =? 0)%Z u_of v_of w_of (reach_Z * reach_Z).
  Definition balls_order : comparison := (scalar way way ?= (ra + rb + m) * (ra + rb + m))%Z.
End Computed.

Section Answers.
  Variables (a b : body) (pa pb l m : R) (qa qb : Integers.quaternion BinNums.Z) (way : vector) (ha hb ra rb im : BinNums.Z).
  Hypothesis Pl : 0 < l.
  Hypothesis Hm : 0 <= m.
  Hypothesis Hway : stands (fun k => l * centers a b k) way.
  Hypothesis Hra : l * round a = IZR ra.
  Hypothesis Hrb : l * round b = IZR rb.
  Hypothesis Him : l * m = IZR im.

  Lemma reach_of_lengths : l * reach a b m = IZR (ra + rb + im).
  Proof. unfold reach. rewrite !plus_IZR, <- Hra, <- Hrb, <- Him. clear; lra. Qed.

  Theorem balls_answer : ball a -> ball b -> says (balls_order way ra rb im) (reach a b m) a b.
  Proof.
    intros [Ra A] [Rb B]. apply says_is; [apply reach_pos; auto |].
    apply (decides_scaled l _ (fun r => square (fun k => l * centers a b k) <= r)); auto.
    - intro r. assert (LL : 0 < l * l) by (apply Rmult_lt_0_compat; auto).
      replace (square (fun k => l * centers a b k)) with (square (centers a b) * (l * l)) by (unfold square, dot, sum; clear; lra).
      assert (D : r / (l * l) * (l * l) = r) by (field; lra). split.
      + intro H. exists (center (core a)), (center (core b)). split; [apply center_in | split; [apply center_in |]].
        apply (Rmult_le_reg_r (l * l)); auto. rewrite D. exact H.
      + intros [p [q [P [Q H]]]]. apply (Rmult_le_compat_r (l * l)) in H; [| lra]. rewrite D in H.
        replace (square (centers a b)) with (square (less q p)); auto. unfold square, dot, sum, centers, less.
        rewrite !(center_only a p A P), !(center_only b q B Q). reflexivity.
    - rewrite reach_of_lengths, <- mult_IZR. unfold balls_order.
      rewrite <- compared_stands, <- (square_stands _ _ Hway). apply decides_plain.
  Qed.

  Hypothesis Ca : capsule a.
  Hypothesis Cb : capsule b.
  Hypothesis Pa : 0 < pa.
  Hypothesis Pb : 0 < pb.
  Hypothesis Hqa : scaled_turn pa (rotation (core a)) qa.
  Hypothesis Hqb : scaled_turn pb (rotation (core b)) qb.
  Hypothesis Hha : l * half (core a) Z = IZR ha.
  Hypothesis Hhb : l * half (core b) Z = IZR hb.

  Lemma capsule_norm : forall c, capsule c -> 0 < norm2 (rotation (core c)).
  Proof. intros c [_ [_ [_ [_ H]]]]. lra. Qed.

  (** A half core, as an integer. *)
  Lemma along_is : forall c p q h k, capsule c -> 0 < p -> scaled_turn p (rotation (core c)) q -> l * half (core c) Z = IZR h ->
    IZR (along q h k) = p * p * norm2 (rotation (core c)) * l * (half (core c) Z * axis_z c (of_index k)).
  Proof.
    intros c p q h k C P Q H. unfold along. rewrite mult_IZR, <- H. change Z with (of_index Integers.I2).
    rewrite (matrix_is p _ q k Integers.I2 Q). unfold axis_z, direction_of. change Z with (of_index Integers.I2).
    pose proof (capsule_norm c C). field. lra.
  Qed.

  Theorem rounds_answer : says (rounds_order qa qb way ha hb ra rb im) (reach a b m) a b.
  Proof.
    pose proof (capsule_norm a Ca) as NA. pose proof (capsule_norm b Cb) as NB.
    set (na := pa * pa * norm2 (rotation (core a))). set (nb := pb * pb * norm2 (rotation (core b))).
    assert (Na : 0 < na) by (unfold na; repeat apply Rmult_lt_0_compat; auto).
    assert (Nb : 0 < nb) by (unfold nb; repeat apply Rmult_lt_0_compat; auto).
    assert (Ea : IZR (round_norm qa) = na) by (apply norm_is; auto).
    assert (Eb : IZR (round_norm qb) = nb) by (apply norm_is; auto).
    set (k := na * nb * l). assert (K : 0 < k) by (unfold k; repeat apply Rmult_lt_0_compat; auto).
    assert (Aa : forall i, IZR (along qa ha i) = na * l * (half (core a) Z * axis_z a (of_index i))) by (intro; apply along_is; auto).
    assert (Ab : forall i, IZR (along qb hb i) = nb * l * (half (core b) Z * axis_z b (of_index i))) by (intro; apply along_is; auto).
    assert (U : stands (fun i => k * core_of a i) (u_of qa qb ha)).
    { intro i. unfold u_of, core_of. rewrite minus_IZR, !mult_IZR, minus_IZR, plus_IZR, Aa, Eb. unfold k. clear; lra. }
    assert (V : stands (fun i => k * core_of b i) (v_of qa qb way hb)).
    { intro i. unfold v_of, core_of. rewrite minus_IZR, !mult_IZR, minus_IZR, plus_IZR, !mult_IZR, Ab, Ea, Eb. unfold k. clear; lra. }
    assert (W : stands (fun i => k * first_ends a b i) (w_of qa qb way ha hb)).
    { intro i. unfold w_of, first_ends. rewrite minus_IZR, !mult_IZR, !minus_IZR, !mult_IZR, Aa, Ab, Ea, Eb, <- (Hway i).
      unfold k. clear; lra. }
    assert (Re : k * reach a b m = IZR (reach_Z qa qb ra rb im)).
    { unfold reach_Z. rewrite !mult_IZR, Ea, Eb, <- reach_of_lengths. unfold k. clear; lra. }
    assert (Zero : forall c h, l * half (core c) Z = IZR h -> (h =? 0)%Z = true -> forall i, k * core_of c i = 0).
    { intros c h H E i. apply Z.eqb_eq in E. subst h. assert (half (core c) Z = 0) by nra.
      unfold core_of. rewrite H0. clear; lra. }
    apply says_is; [apply reach_pos; [apply Ca | apply Cb | auto] |].
    apply (decides_scaled k _ (Distances.near (fun i => k * core_of a i) (fun i => k * core_of b i) (fun i => k * first_ends a b i))); auto.
    - intro r. rewrite near_scaled by auto. apply cores_near; auto.
    - rewrite Re, <- mult_IZR. unfold rounds_order. rewrite <- (cores_order_stands _ _ _ _ _ _ _ _ _ U V W).
      apply cores_order_decides; intro E; [apply (Zero a ha) | apply (Zero b hb)]; auto.
  Qed.
End Answers.
