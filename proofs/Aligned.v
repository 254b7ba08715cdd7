(** * Boxes along the world's axes are intervals: [exact/aligned.rs].

    A quaternion whose parts are 0 or of one size, one, two or four of them, maps the axes to one
    another. Three signs are then enough, of sums of two numbers each. *)

Require Import Rbase Rfunctions ZArith List Lra Lia FunctionalExtensionality.
Import ListNotations.
From Obbligato Require Import Boxes Formulas Separation Propagation Complete Overlap Overlapping Touching Exact LastStage.
From Obbligato Require Integers.
Open Scope bool_scope.
Open Scope R_scope.

(** [world_half_extents]: for each axis of the world, that of the box; the size is taken out. *)
Definition turned (q : Integers.quaternion BinNums.Z) : option (Integers.index -> Integers.index) :=
  let present c := negb (c =? 0)%Z in
  let (x, y, z, w) := q in
  let odd := (xorb (xorb (x <? 0) (y <? 0)) (xorb (z <? 0) (w <? 0)))%Z in
  let swap fixed := Some (fun k => match fixed, k with
    | Integers.I0, Integers.I1 => Integers.I2 | Integers.I0, Integers.I2 => Integers.I1
    | Integers.I1, Integers.I2 => Integers.I0 | Integers.I1, Integers.I0 => Integers.I2
    | Integers.I2, Integers.I0 => Integers.I1 | Integers.I2, Integers.I1 => Integers.I0
    | _, _ => k
    end) in
  match present x, present y, present z, present w with
  | true, false, false, false | false, true, false, false | false, false, true, false | false, false, false, true =>
      Some (fun k => k)
  | true, true, false, false | false, false, true, true => swap Integers.I2
  | false, true, true, false | true, false, false, true => swap Integers.I0
  | true, false, true, false | false, true, false, true => swap Integers.I1
  | true, true, true, true => Some (if odd then Integers.after1 else Integers.after2)
  | _, _, _, _ => None
  end.

Definition sides : list BinNums.Z := [-1; 0; 1]%Z.
Definition indices := [Integers.I0; Integers.I1; Integers.I2].
Definition same (i j : Integers.index) : bool :=
  match i, j with
  | Integers.I0, Integers.I0 | Integers.I1, Integers.I1 | Integers.I2, Integers.I2 => true
  | _, _ => false
  end.

(** Each entry of the matrix is 0, or as large as the squared length. *)
Definition maps (q : Integers.quaternion BinNums.Z) (p : Integers.index -> Integers.index) : bool :=
  (0 <? Integers.norm Z.add Z.mul q)%Z &&
  forallb (fun k => existsb (fun j => same (p j) k) indices && forallb (fun i =>
    (Z.abs (Integers.matrix Z.add Z.sub Z.mul q k i) =?
      if same i (p k) then Integers.norm Z.add Z.mul q else 0)%Z) indices) indices.
Definition all_map : bool :=
  forallb (fun x => forallb (fun y => forallb (fun z => forallb (fun w =>
    let q := Integers.Q x y z w in match turned q with Some p => maps q p | None => true end)
    sides) sides) sides) sides.
Lemma all_map_is : all_map = true.
Proof. vm_compute. reflexivity. Qed.

Definition of_sides (q : Integers.quaternion BinNums.Z) : Prop :=
  In (Integers.x q) sides /\ In (Integers.y q) sides /\ In (Integers.z q) sides /\ In (Integers.w q) sides.

Lemma turned_maps : forall q p, of_sides q -> turned q = Some p -> maps q p = true.
Proof.
  intros [x y z w] p [Hx [Hy [Hz Hw]]] T. simpl in Hx, Hy, Hz, Hw. pose proof all_map_is as A. unfold all_map in A.
  rewrite forallb_forall in A. specialize (A x Hx). rewrite forallb_forall in A. specialize (A y Hy).
  rewrite forallb_forall in A. specialize (A z Hz). rewrite forallb_forall in A. specialize (A w Hw).
  cbv zeta in A. rewrite T in A. exact A.
Qed.

Lemma in_indices : forall i, In i indices.
Proof. intros []; simpl; auto. Qed.
Lemma same_is : forall i j, same i j = true <-> i = j.
Proof. intros [] []; simpl; split; congruence. Qed.

(** An axis of the box is one of the world, or its opposite. *)
Definition unit_of (i : Integers.index) : vec := unit_vector (of_index i).
Definition signed (v u : vec) : Prop := v = u \/ v = (fun k => - u k).

Section OneBox.
  Variables (b : box) (p : R) (q : Integers.quaternion BinNums.Z) (turn : Integers.index -> Integers.index).
  Hypothesis V : valid b.
  Hypothesis P : 0 < p.
  Hypothesis Hq : scaled_turn p (rotation b) q.
  Hypothesis S : of_sides q.
  Hypothesis T : turned q = Some turn.

  Lemma entry_of : forall k i, Rabs (edge b (of_index i) (of_index k)) = if same i (turn k) then 1 else 0.
  Proof.
    intros k i. pose proof (turned_maps q turn S T) as E. unfold maps in E. apply andb_prop in E. destruct E as [N E].
    rewrite forallb_forall in E. specialize (E k (in_indices k)). apply andb_prop in E. destruct E as [_ E].
    rewrite forallb_forall in E. specialize (E i (in_indices i)). apply Z.eqb_eq in E. apply (f_equal IZR) in E.
    rewrite abs_IZR, (matrix_is p _ _ _ _ Hq), Rabs_mult, (Rabs_pos_eq (p * p)) in E by nra.
    pose proof (norm2_pos b V) as NP. unfold edge, Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ _)) by
      (apply Rlt_le, Rinv_0_lt_compat; exact NP).
    assert (PP : 0 < p * p) by (apply Rmult_lt_0_compat; auto).
    apply (Rmult_eq_reg_l (p * p * norm2 (rotation b))); [| apply Rgt_not_eq, Rmult_lt_0_compat; auto].
    replace (p * p * norm2 (rotation b) * (Rabs (M (rotation b) (of_index k) (of_index i)) * / norm2 (rotation b))) with
      (p * p * Rabs (M (rotation b) (of_index k) (of_index i))) by (field; lra).
    rewrite E. destruct (same i (turn k)); [rewrite (norm_is p _ _ Hq) |]; clear; lra.
  Qed.

  Lemma onto : forall k, exists j, turn j = k.
  Proof.
    intro k. pose proof (turned_maps q turn S T) as E. unfold maps in E. apply andb_prop in E. destruct E as [_ E].
    rewrite forallb_forall in E. specialize (E k (in_indices k)). apply andb_prop in E. destruct E as [E _].
    apply existsb_exists in E. destruct E as [j [_ E]]. apply same_is in E. eauto.
  Qed.

  Lemma edge_of : forall k, signed (edge b (of_index (turn k))) (unit_of k).
  Proof.
    intro k. assert (O : forall j, turn j = turn k -> j = k).
    { destruct (onto Integers.I0) as [j0 E0], (onto Integers.I1) as [j1 E1], (onto Integers.I2) as [j2 E2].
      intros j E. destruct j0, j1, j2, j, k; congruence. }
    assert (A : forall j, Rabs (edge b (of_index (turn k)) (of_index j)) = if same k j then 1 else 0).
    { intro j. rewrite entry_of. destruct (same (turn k) (turn j)) eqn:E; [apply same_is in E; symmetry in E; apply O in E;
        subst; rewrite (proj2 (same_is k k) eq_refl); auto |].
      destruct (same k j) eqn:E'; auto. apply same_is in E'. subst. rewrite (proj2 (same_is _ _) eq_refl) in E. discriminate. }
    set (v := edge b (of_index (turn k))) in *.
    assert (Z0 : forall x, Rabs x = 0 -> x = 0)
      by (intros x E; destruct (Req_dec x 0); auto; apply Rabs_no_R0 in H; contradiction).
    assert (Z1 : forall x, Rabs x = 1 -> x = 1 \/ x = -1)
      by (intros x E; unfold Rabs in E; destruct (Rcase_abs x); lra).
    pose proof (A Integers.I0) as A0. pose proof (A Integers.I1) as A1. pose proof (A Integers.I2) as A2.
    unfold signed, unit_of, unit_vector.
    destruct k; simpl in A0, A1, A2 |- *;
      repeat match goal with
      | H : Rabs _ = 0 |- _ => apply Z0 in H
      | H : Rabs _ = 1 |- _ => apply Z1 in H; destruct H as [H | H]
      end;
      solve [left; apply functional_extensionality; intros []; lra | right; apply functional_extensionality; intros []; lra].
  Qed.

  Lemma radius_of : forall k, radius b (unit_of k) = half b (of_index (turn k)).
  Proof.
    intro k. assert (D : forall v, dot v (unit_of k) = v (of_index k))
      by (intro; unfold dot, sum, unit_of, unit_vector; destruct k; simpl; clear; lra).
    unfold radius, sum. rewrite !D. change X with (of_index Integers.I0). change Y with (of_index Integers.I1).
    change Z with (of_index Integers.I2). rewrite !entry_of. destruct (turn k); simpl; clear; lra.
  Qed.
End OneBox.

Section TwoBoxes.
  Variables (a b : box) (pa pb : R) (qa qb : Integers.quaternion BinNums.Z) (turn_a turn_b : Integers.index -> Integers.index).
  Hypothesis Va : valid a.
  Hypothesis Vb : valid b.
  Hypothesis Pa : 0 < pa.
  Hypothesis Pb : 0 < pb.
  Hypothesis Ha : scaled_turn pa (rotation a) qa.
  Hypothesis Hb : scaled_turn pb (rotation b) qb.
  Hypothesis Sa : of_sides qa.
  Hypothesis Sb : of_sides qb.
  Hypothesis Ta : turned qa = Some turn_a.
  Hypothesis Tb : turned qb = Some turn_b.

  (** The gap along an axis of the world. *)
  Definition world_gap (k : Integers.index) : R :=
    Rabs (apart a b (of_index k)) - (half a (of_index (turn_a k)) + half b (of_index (turn_b k))).

  Lemma f_is_gap : forall k, f a b (unit_of k) = world_gap k.
  Proof.
    intro k. unfold f, world_gap. rewrite (radius_of a pa qa turn_a), (radius_of b pb qb turn_b) by auto.
    replace (dot (apart a b) (unit_of k)) with (apart a b (of_index k)); [clear; lra |].
    unfold dot, sum, unit_of, unit_vector; destruct k; simpl; clear; lra.
  Qed.

  Lemma f_signed : forall v u, signed v u -> f a b v = f a b u.
  Proof. intros v u [-> | ->]; [reflexivity | apply f_of_opposite]. Qed.

  Lemma onto_axes : forall turn : Integers.index -> Integers.index, (forall k, exists j, turn j = k) ->
    forall i, exists k, i = of_index (turn k).
  Proof.
    intros turn O i.
    assert (I : exists i', i = of_index i')
      by (destruct i; [exists Integers.I0 | exists Integers.I1 | exists Integers.I2]; reflexivity).
    destruct I as [i' ->]. destruct (O i') as [k <-]. eauto.
  Qed.

  (** All axes are those of the world, or of no length. *)
  Lemma world_axes : forall k, parallel a b k \/ exists j, f a b (along a b k) = world_gap j.
  Proof.
    pose proof (onto_axes turn_a (onto qa turn_a Sa Ta)) as Oa. pose proof (onto_axes turn_b (onto qb turn_b Sb Tb)) as Ob.
    pose proof (edge_of a pa qa turn_a Va Pa Ha Sa Ta) as Ea. pose proof (edge_of b pb qb turn_b Vb Pb Hb Sb Tb) as Eb.
    intros [i | j | i j].
    - right. destruct (Oa i) as [k ->]. exists k. simpl. rewrite (f_signed _ _ (Ea k)). apply f_is_gap.
    - right. destruct (Ob j) as [k ->]. exists k. simpl. rewrite (f_signed _ _ (Eb k)). apply f_is_gap.
    - destruct (Oa i) as [k ->], (Ob j) as [k' ->].
      destruct (parallel_dec a b (Edges (of_index (turn_a k)) (of_index (turn_b k')))) as [D | D]; [left; auto | right].
      pose proof (length_is a b Va Vb _ D) as L. simpl in L |- *.
      assert (C : (forall c, cross (unit_of k) (unit_of k') c = 0) \/ exists j, signed (cross (unit_of k) (unit_of k')) (unit_of j)).
      { unfold signed, unit_of, unit_vector, cross.
        destruct k, k'; simpl; solve [left; intros []; simpl; clear; lra
          | right; exists Integers.I0; (left + right); apply functional_extensionality; intros []; simpl; clear; lra
          | right; exists Integers.I1; (left + right); apply functional_extensionality; intros []; simpl; clear; lra
          | right; exists Integers.I2; (left + right); apply functional_extensionality; intros []; simpl; clear; lra]. }
      assert (N : signed (cross (edge a (of_index (turn_a k))) (edge b (of_index (turn_b k')))) (cross (unit_of k) (unit_of k'))).
      { destruct (Ea k) as [-> | ->], (Eb k') as [-> | ->]; unfold signed, cross;
          [left | right | right | left]; apply functional_extensionality; intro; clear; lra. }
      destruct C as [C | [j C]].
      + exfalso. destruct N as [N | N]; rewrite N in L; unfold dot, sum in L; rewrite !C in L; lra.
      + exists j. rewrite (f_signed _ _ N), (f_signed _ _ C). apply f_is_gap.
  Qed.

  (** The signs of the three gaps decide. *)
  Theorem aligned_is_true : forall sign : Integers.index -> comparison,
    (forall k, match sign k with Gt => 0 < world_gap k | Eq => world_gap k = 0 | Lt => world_gap k < 0 end) ->
    is_true (from_largest (greatest sign indices)) a b.
  Proof.
    intros sign H.
    assert (W : 0 < n a * s a b) by (apply Rmult_lt_0_compat; [apply n_pos | apply s_pos]; auto).
    assert (FA : forall k, F a b (FaceA (of_index (turn_a k))) = n a * s a b * world_gap k).
    { intro k. rewrite F_is_n_s_f by auto. simpl.
      rewrite (f_signed _ _ (edge_of a pa qa turn_a Va Pa Ha Sa Ta k)), f_is_gap. reflexivity. }
    assert (FK : forall k, parallel a b k \/ exists j, F a b k = n a * s a b * world_gap j).
    { intro k. destruct (world_axes k) as [P | [j E]]; [auto | right]. exists j. rewrite F_is_n_s_f, E by auto. reflexivity. }
    pose proof (greatest_says sign indices) as G. destruct (greatest sign indices); simpl.
    - destruct G as [P [k [_ E]]]. apply touching_is; auto. split.
      + intro k'. destruct (FK k') as [K | [j ->]]; [rewrite (parallel_F a b Va Vb _ K); lra |].
        pose proof (H j) as Q. specialize (P j (in_indices j)). destruct (sign j); [| | congruence]; nra.
      + exists (FaceA (of_index (turn_a k))). split; [simpl; tauto |]. rewrite FA. pose proof (H k) as Q. rewrite E in Q.
        rewrite Q. clear; lra.
    - apply overlapping_is; auto. intros k' N. destruct (FK k') as [K | [j ->]]; [contradiction |].
      pose proof (H j) as Q. rewrite (G j (in_indices j)) in Q. nra.
    - destruct G as [k [_ E]]. apply separated_is; auto. exists (FaceA (of_index (turn_a k))). rewrite FA.
      pose proof (H k) as Q. rewrite E in Q. nra.
  Qed.
End TwoBoxes.

(** ** The signs, in numbers that are rounded

    A distance is the difference D of two coordinates, a radius the sum H of two extents. Each is
    stored as its rounded value and the exact rest ([exact_sum]). What is assumed of rounding here is
    proved in [Sums.v]. *)
Definition of_sign (x : R) : comparison := if Rlt_dec 0 x then Gt else if Rlt_dec x 0 then Lt else Eq.

Section Rounded.
  Variables (number : R -> Prop) (round : R -> R) (minus : R -> R -> R).
  Hypothesis round_monotone : forall x y, x <= y -> round x <= round y.
  Hypothesis round_odd : forall x, round (- x) = - round x.
  Hypothesis number_odd : forall x, number x -> number (- x).
  (** A rounded difference has the sign of the difference, as subnormal numbers see to. *)
  Hypothesis minus_sign : forall x y, number x -> number y -> of_sign (minus x y) = of_sign (x - y).

  Variables D H : R.
  Hypothesis H_positive : 0 <= H.
  Hypothesis Dn : number (round D) /\ number (D - round D).
  Hypothesis Hn : number (round H) /\ number (H - round H).
  (** Sums do not underflow. *)
  Hypothesis D_none : round D = 0 -> D = 0.

  (** [gap] of [aligned.rs]. The sign of a distance of 0 may be either. *)
  Variable side : R.
  Hypothesis Hside : (0 < round D -> side = 1) /\ (round D < 0 -> side = -1) /\ (side = 1 \/ side = -1).
  Definition leading : R := minus (round D * side) (round H).
  Definition gap : R := if Req_EM_T leading 0 then minus ((D - round D) * side) (H - round H) else leading.

  Lemma of_sign_zero : forall x, of_sign x = Eq <-> x = 0.
  Proof.
    intro x. unfold of_sign.
    destruct (Rlt_dec 0 x), (Rlt_dec x 0); (split; [intro; try discriminate; lra | intro; try reflexivity; lra]).
  Qed.

  Lemma distance_is : Rabs D = D * side /\ round D * side = round (Rabs D).
  Proof.
    assert (Z : round 0 = 0) by (pose proof (round_odd 0) as Q; rewrite Ropp_0 in Q; lra).
    assert (O : round (- D) = - round D) by apply round_odd.
    destruct Hside as [P [N S]]. destruct (Rtotal_order 0 (round D)) as [L | [E | G]].
    - rewrite (P L). assert (0 < D) by (apply Rnot_le_lt; intro Q; apply round_monotone in Q; lra).
      rewrite Rabs_pos_eq by lra. lra.
    - symmetry in E. pose proof (D_none E) as D0. rewrite D0, Rabs_R0, Z. lra.
    - rewrite (N G). assert (D < 0) by (apply Rnot_le_lt; intro Q; apply round_monotone in Q; lra).
      rewrite Rabs_left by auto. rewrite O. lra.
  Qed.

  Theorem gap_sign : of_sign gap = of_sign (Rabs D - H).
  Proof.
    destruct distance_is as [ED ER].
    assert (NS : forall x, number x -> number (x * side)).
    { intros x Nx. destruct Hside as [_ [_ [-> | ->]]]; [rewrite Rmult_1_r; auto |].
      replace (x * -1) with (- x) by (clear; lra). auto. }
    pose proof (minus_sign _ _ (NS _ (proj1 Dn)) (proj1 Hn)) as L. fold leading in L.
    pose proof (minus_sign _ _ (NS _ (proj2 Dn)) (proj2 Hn)) as Q. unfold gap.
    destruct (Req_EM_T leading 0) as [E | E].
    - apply of_sign_zero in E. rewrite L in E. apply of_sign_zero in E. rewrite Q. f_equal.
      rewrite ED. rewrite ED in ER. lra.
    - rewrite L. rewrite ER in *. unfold of_sign.
      assert (N : round (Rabs D) - round H <> 0) by (intro N; apply of_sign_zero in N; rewrite <- L in N; apply of_sign_zero in N; auto).
      destruct (Rtotal_order (Rabs D) H) as [C | [C | C]].
      + pose proof (round_monotone _ _ (Rlt_le _ _ C)). destruct (Rlt_dec 0 (round (Rabs D) - round H)); [lra |].
        destruct (Rlt_dec (round (Rabs D) - round H) 0); [| lra]. destruct (Rlt_dec 0 (Rabs D - H)); [lra |].
        destruct (Rlt_dec (Rabs D - H) 0); [auto | lra].
      + exfalso. apply N. rewrite C. clear; lra.
      + pose proof (round_monotone _ _ (Rlt_le _ _ C)). destruct (Rlt_dec 0 (round (Rabs D) - round H)); [| lra].
        destruct (Rlt_dec 0 (Rabs D - H)); [auto | lra].
  Qed.

  (** In lanes: [classify_unturned]. *)
  Definition lane_above : Prop :=
    round D * side > round H \/ round D * side = round H /\ minus ((D - round D) * side) (H - round H) > 0.
  Definition lane_below : Prop :=
    round D * side < round H \/ round D * side = round H /\ minus ((D - round D) * side) (H - round H) < 0.

  Theorem lane_sign : (lane_above <-> of_sign (Rabs D - H) = Gt) /\ (lane_below <-> of_sign (Rabs D - H) = Lt).
  Proof.
    destruct distance_is as [ED ER].
    assert (NS : forall x, number x -> number (x * side)).
    { intros x Nx. destruct Hside as [_ [_ [-> | ->]]]; [rewrite Rmult_1_r; auto |].
      replace (x * -1) with (- x) by (clear; lra). auto. }
    pose proof (minus_sign _ _ (NS _ (proj2 Dn)) (proj2 Hn)) as Q.
    assert (SG : forall x, of_sign x = Gt <-> 0 < x)
      by (intro x; unfold of_sign; destruct (Rlt_dec 0 x), (Rlt_dec x 0); split; intro; try discriminate; try lra; auto).
    assert (SL : forall x, of_sign x = Lt <-> x < 0)
      by (intro x; unfold of_sign; destruct (Rlt_dec 0 x), (Rlt_dec x 0); split; intro; try discriminate; try lra; auto).
    assert (QG : 0 < minus ((D - round D) * side) (H - round H) <-> 0 < (D - round D) * side - (H - round H))
      by (rewrite <- !SG, Q; tauto).
    assert (QL : minus ((D - round D) * side) (H - round H) < 0 <-> (D - round D) * side - (H - round H) < 0)
      by (rewrite <- !SL, Q; tauto).
    assert (M1 : Rabs D <= H -> round (Rabs D) <= round H) by apply round_monotone.
    assert (M2 : H <= Rabs D -> round H <= round (Rabs D)) by apply round_monotone.
    rewrite SG, SL. unfold lane_above, lane_below, Rgt. rewrite QG, QL, ER. clear QG QL Q SG SL NS.
    assert (EQ : (D - round D) * side - (H - round H) = Rabs D - H - (round (Rabs D) - round H))
      by (rewrite <- ER, ED; clear; lra).
    rewrite EQ. clear EQ ED ER. destruct (Rtotal_order (Rabs D) H) as [C | [C | C]];
      [specialize (M1 (Rlt_le _ _ C)) | rewrite C in *; clear M1 M2 | specialize (M2 (Rlt_le _ _ C))];
      (split; split; intro K; destruct (Rtotal_order (round (Rabs D)) (round H)) as [? | [? | ?]];
        try (destruct K as [K | [K K']]); first [lra | left; lra | right; lra]).
  Qed.
End Rounded.

(** The sign of the largest of three is the greatest of their signs. *)
Theorem largest_of_three : forall g : Integers.index -> R,
  of_sign (Rmax (Rmax (g Integers.I0) (g Integers.I1)) (g Integers.I2)) = greatest (fun k => of_sign (g k)) indices.
Proof.
  intro g. unfold greatest, indices. simpl.
  assert (M : forall x y, of_sign (Rmax x y) = greater (of_sign x) (of_sign y)).
  { intros x y. apply Rmax_case_strong; intro L; unfold of_sign; destruct (Rlt_dec 0 x), (Rlt_dec 0 y);
      destruct (Rlt_dec x 0), (Rlt_dec y 0); simpl; auto; lra. }
  rewrite !M. destruct (of_sign (g Integers.I0)), (of_sign (g Integers.I1)), (of_sign (g Integers.I2)); reflexivity.
Qed.
