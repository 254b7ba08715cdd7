(** * A box and a capsule, and two boxes within a margin, in integers: their answers are true, and the words enough.

    [box_and_round] of [round/bodies.rs], and [features_within] of [obb_obb/within.rs]. *)

Require Import Rbase Rfunctions ZArith Lra Lia Bool.
From Obbligato Require Import Boxes Formulas Separation Lengths Propagation Complete Exact Aligned LastStage Margins Distances
  Round Squares Directions Balls Segments Orders MachineWidths Widths MarginWidths RoundExact BoxBallExact SegmentBox Numbers Decided.
From Obbligato Require Integers.
Open Scope R_scope.

(** ** Integers know their signs *)
Definition integers : arithmetic := Arithmetic BinNums.Z 0%Z Z.add Z.sub Z.mul Z.opp (fun z => Some (z ?= 0)%Z).
Definition is_integer (z : BinNums.Z) (x : R) : Prop := IZR z = x.

Lemma integers_sound : sound integers is_integer.
Proof.
  split; unfold is_integer; simpl; intros.
  - reflexivity.
  - rewrite plus_IZR. congruence.
  - rewrite minus_IZR. congruence.
  - rewrite mult_IZR. congruence.
  - rewrite opp_IZR. congruence.
  - injection H0 as <-. subst a. unfold of_sign. destruct (Z.compare_spec x 0) as [E | L | G].
    + subst. destruct (Rlt_dec 0 0); [lra |]. destruct (Rlt_dec 0 0); [lra | reflexivity].
    + apply IZR_lt in L. destruct (Rlt_dec 0 (IZR x)); [lra |]. destruct (Rlt_dec (IZR x) 0); [reflexivity | lra].
    + apply IZR_lt in G. destruct (Rlt_dec 0 (IZR x)); [reflexivity | lra].
Qed.
Lemma integers_decide : forall {C : Type} (o : option C) P, decided integers o P -> exists c, o = Some c /\ P c.
Proof. intros C [c |] P H; simpl in H; [eauto |]. destruct H as [x H]. discriminate. Qed.

Lemma turn_is_integer : forall p Q q, scaled_turn p Q q -> turn_stands integers is_integer p Q q.
Proof. intros p Q q [X [Y [Z W]]]. unfold turn_stands, is_integer. auto. Qed.
Lemma stand_is_integer : forall x v, stands v x -> stand integers is_integer x v.
Proof. intros x v H i. unfold is_integer. symmetry. apply H. Qed.

Lemma length_is_integer : forall z x, x = IZR z -> is_integer z x.
Proof. intros z x H. symmetry. exact H. Qed.

Theorem box_capsule_answer : forall a b pa pb l m qa qb way h hb rb im,
  valid (core a) -> round a = 0 -> capsule b -> 0 < pa -> 0 < pb -> 0 < l -> 0 <= m ->
  scaled_turn pa (rotation (core a)) qa -> scaled_turn pb (rotation (core b)) qb ->
  stands (fun k => l * centers a b k) way -> stands (fun k => l * half (core a) k) h ->
  l * half (core b) Z = IZR hb -> l * round b = IZR rb -> l * m = IZR im ->
  exists c, decide_box integers way h hb rb im qa qb (hb =? 0)%Z = Some c /\ says c (reach a b m) a b.
Proof.
  intros a b pa pb l m qa qb way h hb rb im Va Ra Cb Pa Pb Pl Hm Qa Qb W H Hb Rb Im. apply integers_decide.
  apply (box_decided integers is_integer integers_sound a b pa pb l m); auto using turn_is_integer, stand_is_integer, length_is_integer.
  - intro E. apply Z.eqb_eq in E. subst hb. assert (L : l * half (core b) Z = 0) by lra. apply Rmult_integral in L. destruct L; auto. lra.
Qed.

(** Features that are known to be further apart than the margin may be left out. *)
Theorem margin_answer : forall a b pa pb l m qa qb way ha hb im (open : feature -> Prop),
  valid a -> valid b -> separated a b -> 0 < pa -> 0 < pb -> 0 < l -> 0 <= m ->
  scaled_turn pa (rotation a) qa -> scaled_turn pb (rotation b) qb ->
  stands (fun k => l * apart a b k) way -> stands (fun k => l * half a k) ha -> stands (fun k => l * half b k) hb -> l * m = IZR im ->
  (forall f, open f \/ ~ feature_near a b m f) ->
  (within m a b <-> exists f, open f /\ decide_feature integers way ha hb im qa qb f <> Some Gt).
Proof.
  intros a b pa pb l m qa qb way ha hb im open Va Vb Sep Pa Pb Pl Hm Qa Qb W Ha Hb Im Out.
  assert (D : forall f, decide_feature integers way ha hb im qa qb f <> Some Gt <-> feature_near a b m f).
  { intro f. destruct (integers_decide _ _ (feature_decided integers is_integer integers_sound a b pa pb l m qa qb way ha hb im Va Vb Pa Pb Pl Hm
      (turn_is_integer _ _ _ Qa) (turn_is_integer _ _ _ Qb) (stand_is_integer _ _ W) (stand_is_integer _ _ Ha) (stand_is_integer _ _ Hb)
      (eq_sym Im) f)) as [c [-> N]]. rewrite <- N. split; intros H E; apply H; congruence. }
  rewrite (near_features a b m Va Vb Sep). split.
  - intros [f F]. exists f. split; [destruct (Out f); [auto | contradiction] | apply D, F].
  - intros [f [_ F]]. exists f. apply D, F.
Qed.

(** ** The words *)
Open Scope Z_scope.

(** What is compared, of numbers of [e] bits. *)
Lemma largest_fits : forall (y e : BinNums.Z) n, 0 <= y <= 2 ^ e -> 0 <= e -> 6 * e + 7 <= 64 * Z.of_nat n -> 2 * largest y < 2 ^ (64 * Z.of_nat n).
Proof.
  intros y e n U E H. assert (S : y * y <= 2 ^ (2 * e)).
  { replace (2 * e) with (e + e) by lia. rewrite Z.pow_add_r by lia. apply Z.mul_le_mono_nonneg; lia. }
  assert (S3 : y * y * (y * y) * (y * y) <= 2 ^ (6 * e)).
  { replace (6 * e) with (2 * e + 2 * e + 2 * e) by lia.
    rewrite (Z.pow_add_r 2 (2 * e + 2 * e) (2 * e)), (Z.pow_add_r 2 (2 * e) (2 * e)) by lia. assert (0 <= y * y) by nia.
    apply Z.mul_le_mono_nonneg; [nia | apply Z.mul_le_mono_nonneg; auto; lia | auto | auto]. }
  assert (P : 2 ^ (6 * e + 7) <= 2 ^ (64 * Z.of_nat n)) by (apply Z.pow_le_mono_r; lia).
  rewrite Z.pow_add_r in P by lia. change (2 ^ 7) with 128 in P. unfold largest.
  assert (0 < 2 ^ (6 * e)) by (apply Z.pow_pos_nonneg; lia). lia.
Qed.

Section Widths.
  Variables (ga gb l : BinNums.Z) (qa qb : Integers.quaternion BinNums.Z) (way h : vector) (hb rb m : BinNums.Z).
  Hypothesis Hga : 0 <= ga.
  Hypothesis Hgb : 0 <= gb.
  Hypothesis Hl : 0 <= l.
  Hypothesis Ha : parts_below (2 ^ ga) qa.
  Hypothesis Hb : parts_below (2 ^ gb) qb.
  Hypothesis Hway : below3 way (4 * 2 ^ l).
  Hypothesis Hh : forall i, 0 <= h i <= 2 ^ l.
  Hypothesis Hhb : Z.abs hb <= 2 ^ l.
  Hypothesis Hrb : Z.abs rb <= 2 ^ l.
  Hypothesis Hm : Z.abs m <= 2 ^ l.
  Let y := 30 * unit ga gb l.
  Let nb := length_of integers qb.
  Definition end_Z (last : bool) : vector := Decided.framed integers qa (end_of integers (times integers way nb) qb hb last).
  Definition half_Z : vector := times integers h (length_of integers qa * nb).
  Definition box_reach_Z : BinNums.Z := (rb + m) * (length_of integers qa * nb).

  Lemma end_most : forall last, below3 (end_Z last) (15 * unit ga gb l).
  Proof.
    intro last. destruct (norm_most 0 0 0 0 gb qb Hgb Hb) as [PB NB].
    assert (E : below3 (end_of integers (times integers way nb) qb hb last) (5 * (4 * 2 ^ (2 * gb) * 2 ^ l))).
    { intro k. assert (NA : Z.abs nb <= 4 * 2 ^ (2 * gb)) by (change nb with (Integers.norm Z.add Z.mul qb); lia). pose proof (product_most _ _ _ _ (Hway k) NA) as W.
      assert (B : Z.abs (Integers.matrix Z.add Z.sub Z.mul qb k Integers.I2) <= 4 * 2 ^ (2 * gb))
        by (pose proof (matrix_below qb k Integers.I2); lia).
      pose proof (product_most _ _ _ _ B Hhb) as M. set (x := Integers.matrix _ _ _ _ _ _ * hb) in *. set (z := way k * nb) in *.
      change (Z.abs (if last then z + x else z - x) <= 5 * (4 * 2 ^ (2 * gb) * 2 ^ l)). clearbody x z. clear - W M. destruct last; lia. }
    intro i. pose proof (framed_most ga gb l 0 Hga Hgb Hl qa _ ga _ Hga Ha E i) as F.
    unfold unit. rewrite (powers ga gb l 0 Hga Hgb Hl). change (end_Z last i) with (MarginWidths.framed qa (end_of integers (times integers way nb) qb hb last) i). clear - F. lia.
  Qed.

  Lemma scale_most : 0 <= length_of integers qa * nb <= 16 * (2 ^ (2 * ga) * 2 ^ (2 * gb)).
  Proof.
    destruct (norm_most 0 0 0 0 ga qa Hga Ha) as [PA NA]. destruct (norm_most 0 0 0 0 gb qb Hgb Hb) as [PB NB].
    change (length_of integers qa * nb) with (Integers.norm Z.add Z.mul qa * Integers.norm Z.add Z.mul qb).
    split; [apply Z.mul_nonneg_nonneg; auto |]. pose proof (Z.mul_le_mono_nonneg _ _ _ _ PA NA PB NB). lia.
  Qed.

  (** All differences of coordinates that are compared, and their sums. *)
  Theorem box_capsule_most :
    below3 (minus integers (end_Z true) (end_Z false)) y /\ below3 (plus integers (end_Z true) (end_Z false)) y /\
    (forall e last last', below3 (minus integers (end_Z last) (box_corner integers half_Z e last')) y) /\
    (forall e, below3 (minus integers (box_corner integers half_Z e true) (box_corner integers half_Z e false)) y) /\
    below3 (plus integers half_Z half_Z) y /\ 0 <= box_reach_Z * box_reach_Z <= y * y /\ 1 <= y.
  Proof.
    pose proof (powers ga gb l 0 Hga Hgb Hl) as P. pose proof scale_most as S. pose proof end_most as E.
    assert (U : 16 * (2 ^ (2 * ga) * 2 ^ (2 * gb) * 2 ^ l) = unit ga gb l) by (unfold unit; rewrite P; reflexivity).
    assert (U1 : 1 <= unit ga gb l) by (unfold unit; pose proof (Z.pow_pos_nonneg 2 (2 * (ga + gb) + l)); lia).
    assert (SA : Z.abs (length_of integers qa * nb) <= 16 * (2 ^ (2 * ga) * 2 ^ (2 * gb))) by lia.
    assert (H : forall i, 0 <= half_Z i <= unit ga gb l).
    { intro i. unfold half_Z, times. destruct (Hh i) as [H0 H1]. split; [apply Z.mul_nonneg_nonneg; lia |].
      pose proof (Z.mul_le_mono_nonneg _ _ _ _ H0 H1 (proj1 S) (proj2 S)).
      change (h i * (length_of integers qa * nb) <= unit ga gb l). lia. }
    assert (R : Z.abs box_reach_Z <= 2 * unit ga gb l).
    { unfold box_reach_Z. assert (Q : Z.abs (rb + m) <= 2 * 2 ^ l) by (clear - Hrb Hm; lia). pose proof (product_most _ _ _ _ Q SA) as G. clear - G U. lia. }
    assert (C : forall e last i, Z.abs (box_corner integers half_Z e last i) <= unit ga gb l).
    { intros e last i. specialize (H i). unfold box_corner. simpl. clear - H. destruct (side_of e (of_index i) last); lia. }
    unfold y. set (un := unit ga gb l) in *. clearbody un.
    split; [intro i; pose proof (E true i) as A; pose proof (E false i) as B;
      change (Z.abs (end_Z true i - end_Z false i) <= 30 * un); clear - A B; lia |].
    split; [intro i; pose proof (E true i) as A; pose proof (E false i) as B;
      change (Z.abs (end_Z true i + end_Z false i) <= 30 * un); clear - A B; lia |].
    split; [intros e last last' i; pose proof (E last i) as A; pose proof (C e last' i) as B;
      change (Z.abs (end_Z last i - box_corner integers half_Z e last' i) <= 30 * un); clear - A B U1; lia |].
    split; [intros e i; pose proof (C e true i) as A; pose proof (C e false i) as B;
      change (Z.abs (box_corner integers half_Z e true i - box_corner integers half_Z e false i) <= 30 * un); clear - A B U1; lia |].
    split; [intro i; pose proof (H i) as A; change (Z.abs (half_Z i + half_Z i) <= 30 * un); clear - A; lia |]. split; [| clear - U1; lia]. split; [apply Z.square_nonneg |].
    pose proof (product_most _ _ _ _ R R) as Q. rewrite Z.abs_eq in Q by apply Z.square_nonneg.
    pose proof (Z.square_nonneg un). clear - Q H0. lia.
  Qed.

  (** The choice: 6 (bits + 4) + 4 bits, with 10 more than those of the unit. *)
  Theorem box_capsule_fits : forall n, 6 * (l + 2 * (ga + gb) + 10 + 4) + 4 <= 64 * Z.of_nat n -> 2 * largest y < 2 ^ (64 * Z.of_nat n).
  Proof.
    intros n H. apply (largest_fits _ (2 * (ga + gb) + l + 9)); try lia. unfold y, unit. set (e := 2 * (ga + gb) + l).
    rewrite (Z.pow_add_r 2 e 9) by (unfold e; lia). pose proof (Z.pow_pos_nonneg 2 e). unfold e in *. lia.
  Qed.
End Widths.

(** 168 words are enough for all: parts of quaternions are multiples of 2^-149 below 2, and lengths and
    the margin are multiples of 2^-1074 below 2^64. *)
Theorem box_capsule_widest : forall ga gb l, ga <= 150 -> gb <= 150 -> l <= 64 + 1074 ->
  6 * (l + 2 * (ga + gb) + 10 + 4) + 4 <= 64 * 168.
Proof. intros. lia. Qed.
