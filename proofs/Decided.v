(** * What the exact stage decides is true, in integers and in [Near]: [round/bodies.rs] and [obb_obb/within.rs].

    The numbers stand for the stored ones, each kind of them times one factor. Integers know all
    signs; so they decide, and rightly. [Near] may not know a sign; what it does decide is right. *)

Require Import Rbase Rfunctions List Bool Lra FunctionalExtensionality.
Import ListNotations.
From Obbligato Require Import Boxes Formulas Separation Lengths Propagation Complete Exact Aligned LastStage Margins Distances
  Round Squares Directions Balls Segments Orders RoundExact BoxBallExact SegmentBox Numbers.
From Obbligato Require Integers.
Open Scope R_scope.

Section Programs.
  Variable A : arithmetic.
  Notation T := (number A).
  Local Infix "+" := (add A).
  Local Infix "-" := (sub A).
  Local Infix "*" := (mul A).

  Definition entry (q : Integers.quaternion T) (row column : Integers.index) : T := Integers.matrix (add A) (sub A) (mul A) q row column.
  Definition length_of (q : Integers.quaternion T) : T := Integers.norm (add A) (mul A) q.
  Definition times (v : triple A) (n : T) : triple A := fun i => v i * n.
  (** [ends], [in_frame] and [corners] *)
  Definition end_of (center : triple A) (q : Integers.quaternion T) (half : T) (last : bool) : triple A :=
    fun k => if last then center k + entry q k Integers.I2 * half else center k - entry q k Integers.I2 * half.
  Definition framed (q : Integers.quaternion T) (v : triple A) : triple A := fun i => scalar A (fun k => entry q k i) v.
  Definition corner_of (center : triple A) (q : Integers.quaternion T) (half : triple A) (side : Integers.index -> bool) : triple A :=
    fun k =>
      let step := fun x i => if side i then x + entry q k i * half i else x - entry q k i * half i in
      step (step (step (center k) Integers.I0) Integers.I1) Integers.I2.

  Definition decide_balls (apart : triple A) (ra rb margin : T) : option comparison :=
    let reach := ra + rb + margin in compare A (scalar A apart apart) (reach * reach).

  Definition decide_rounds (apart : triple A) (ha hb ra rb margin : T) (qa qb : Integers.quaternion T) (a_point b_point : bool) : option comparison :=
    let p := fun last => times (end_of (fun _ => zero A) qa ha last) (length_of qb) in
    let q := fun last => times (end_of (times apart (length_of qb)) qb hb last) (length_of qa) in
    let reach := (ra + rb + margin) * length_of qa * length_of qb in
    cores A (p false) (p true) (q false) (q true) a_point b_point (reach * reach).

  Definition decide_box (apart half : triple A) (hb rb margin : T) (qa qb : Integers.quaternion T) (point : bool) : option comparison :=
    let apart := times apart (length_of qb) in
    let scale := length_of qa * length_of qb in
    let reach := (rb + margin) * scale in
    if point then point_box A (framed qa apart) (times half scale) (reach * reach)
    else segment_to_box A (framed qa (end_of apart qb hb false)) (framed qa (end_of apart qb hb true)) (times half scale) (reach * reach).

  Definition decide_aligned (apart ha hb : triple A) (margin : T) : option comparison :=
    point_box A apart (plus A ha hb) (margin * margin).

  (** An edge of B, or a corner of A. *)
  Inductive feature := EdgeOfB (e : axis * bool * bool) | CornerOfA (side : axis -> bool).
  Definition decide_feature (apart ha hb : triple A) (margin : T) (qa qb : Integers.quaternion T) (f : feature) : option comparison :=
    let scale := length_of qa * length_of qb in
    let reach := margin * scale in
    match f with
    | EdgeOfB e =>
        let corner := fun last => framed qa (corner_of (times apart (length_of qb)) qb hb (fun i => side_of e (of_index i) last)) in
        segment_to_box A (corner false) (corner true) (times ha scale) (reach * reach)
    | CornerOfA side =>
        point_box A (framed qb (corner_of (times (fun i => neg A (apart i)) (length_of qa)) qa ha (fun i => side (of_index i))))
          (times hb scale) (reach * reach)
    end.
End Programs.

(** ** In real numbers *)

(** The core of a capsule, from end to end. *)
Definition core_end (b : body) (last : bool) : vec :=
  fun k => if last then center (core b) k + half (core b) Z * axis_z b k else center (core b) k - half (core b) Z * axis_z b k.

Lemma on_core : forall b q, capsule b -> contains (core b) q <-> exists t, 0 <= t <= 1 /\ q = on_way (core_end b false) (core_end b true) t.
Proof.
  intros b q Cb. pose proof Cb as [_ [_ [_ [HB _]]]]. rewrite (on_segment b q Cb). set (h := half (core b) Z) in *. split.
  - intros [x [L E]]. apply Rabs_def2_le in L.
    assert (P : exists t, 0 <= t <= 1 /\ x = (2 * t - 1) * h).
    { destruct (Req_dec h 0) as [Z0 | N]; [exists 0; lra |]. assert (0 < h) by lra.
      exists ((x / h + 1) / 2). assert (Q : x / h * h = x) by (field; auto). split.
      - split; apply (Rmult_le_reg_r h); lra.
      - replace ((2 * ((x / h + 1) / 2) - 1) * h) with (x / h * h) by (field; auto). lra. }
    destruct P as [t [B ->]]. exists t. split; auto. apply functional_extensionality. intro k. rewrite E. unfold on_way, core_end. fold h. clear; lra.
  - intros [t [B ->]]. exists ((2 * t - 1) * h). split; [apply Rabs_le; nra |]. intro k. unfold on_way, core_end. fold h. clear; lra.
Qed.

(** A point in the frame of a box, times k. *)
Definition seen_from (c : box) (k : R) (q : vec) : vec := fun i => k * dot (less q (center c)) (edge c i).
Definition larger (k : R) (v : vec) : vec := fun i => k * v i.

Lemma box_near_seen : forall c k q r, valid c -> 0 < k ->
  (box_near (larger k (half c)) (seen_from c k q) r <-> exists p, contains c p /\ square (less q p) <= r / (k * k)).
Proof.
  intros c k q r V K. assert (KK : 0 < k * k) by (apply Rmult_lt_0_compat; auto).
  rewrite near_of_box by auto. rewrite box_near_is by (intro; apply Rmult_le_pos; [lra | apply V]).
  unfold box_square, seen_from, larger. rewrite (point_square_scaled c q k K).
  assert (D : r / (k * k) * (k * k) = r) by (field; lra).
  split; intro L; [apply (Rmult_le_reg_r (k * k)); lra | apply (Rmult_le_compat_r (k * k)) in L; lra].
Qed.

Lemma way_seen : forall c k x y t, on_way (seen_from c k x) (seen_from c k y) t = seen_from c k (on_way x y t).
Proof. intros. apply functional_extensionality. intro i. unfold on_way, seen_from, dot, sum, less. clear; lra. Qed.

Lemma way_near_seen : forall c k x y r, valid c -> 0 < k ->
  (way_near (seen_from c k x) (seen_from c k y) (larger k (half c)) r <->
    exists p q, contains c p /\ (exists t, 0 <= t <= 1 /\ q = on_way x y t) /\ square (less q p) <= r / (k * k)).
Proof.
  intros c k x y r V K. unfold way_near. split.
  - intros [t [B L]]. rewrite way_seen in L. apply box_near_seen in L; auto. destruct L as [p [P L]]. exists p, (on_way x y t). eauto.
  - intros [p [q [P [[t [B ->]] L]]]]. exists t. split; auto. rewrite way_seen. apply box_near_seen; eauto.
Qed.

(** Corners, and edges from corner to corner. *)
Definition corner_at (c : box) (side : axis -> bool) : vec := place c (fun i => if side i then 1 else -1).
Lemma corner_is : forall c p, corner c p <-> exists side, p = corner_at c side.
Proof.
  intros c p. split.
  - intros [s [H ->]]. exists (fun i => if Rle_dec 0 (s i) then true else false). unfold corner_at. f_equal.
    apply functional_extensionality. intro i. destruct (H i) as [-> | ->]; destruct (Rle_dec 0 _); auto; lra.
  - intros [side ->]. exists (fun i => if side i then 1 else -1). split; auto. intro i. destruct (side i); [left | right]; auto.
Qed.
Definition edge_from (c : box) (e : axis * bool * bool) (last : bool) : vec := corner_at c (fun i => side_of e i last).
Lemma on_edge_is : forall c p, on_edge c p <-> exists e t, 0 <= t <= 1 /\ p = on_way (edge_from c e false) (edge_from c e true) t.
Proof.
  intros c p. rewrite edge_is. split.
  - intros [j [s [t [N [F [B ->]]]]]].
    exists (j, if Rle_dec 0 (s (next j)) then true else false, if Rle_dec 0 (s (after j)) then true else false), t. split; auto.
    apply functional_extensionality. intro k. unfold on_way, edge_from, corner_at, start, whole, place, sum.
    destruct j; simpl in *; destruct N as [-> | ->], F as [-> | ->]; repeat (destruct (Rle_dec 0 _); try lra); clear; lra.
  - intros [[[j sj] sk] [t [B ->]]].
    exists j, (fun i => if side_of (j, sj, sk) i false then 1 else -1), t.
    split; [| split; [| split; auto]].
    + destruct j, sj; simpl; (left; reflexivity) || (right; reflexivity).
    + destruct j, sk; simpl; (left; reflexivity) || (right; reflexivity).
    + apply functional_extensionality. intro k. unfold on_way, edge_from, corner_at, start, whole, place, sum.
      destruct j, sj, sk; simpl; clear; lra.
Qed.

Definition feature_near (a b : box) (m : R) (f : feature) : Prop :=
  match f with
  | EdgeOfB e => exists p q, contains a p /\ (exists t, 0 <= t <= 1 /\ q = on_way (edge_from b e false) (edge_from b e true) t) /\ len (less q p) <= m
  | CornerOfA side => exists q, contains b q /\ len (less (corner_at a side) q) <= m
  end.

(** Boxes that do not collide are within the margin if a feature is: so those that are not may be left out. *)
Theorem near_features : forall a b m, valid a -> valid b -> separated a b -> (within m a b <-> exists f, feature_near a b m f).
Proof.
  intros a b m Va Vb Sep. rewrite (features_are_enough a b Va Vb Sep m). unfold near_edge, near_corner. split.
  - intros [[p [q [P [E L]]]] | [p [q [P [Q L]]]]].
    + apply on_edge_is in E. destruct E as [e [t [B E]]]. exists (EdgeOfB e), p, q. eauto.
    + apply corner_is in P. destruct P as [side ->]. exists (CornerOfA side), q. split; auto.
      change (len (less (corner_at a side) q)) with (len (less (corner_at a side) q)).
      replace (len (less (corner_at a side) q)) with (len (less q (corner_at a side))); auto.
      unfold len. f_equal. unfold square, dot, sum, less. clear; lra.
  - intros [[e | side] H]; simpl in H.
    + destruct H as [p [q [P [[t [B E]] L]]]]. left. exists p, q. split; auto. split; auto. apply on_edge_is. eauto.
    + destruct H as [q [Q L]]. right. exists (corner_at a side), q. split; [apply corner_is; eauto |]. split; auto.
      replace (len (less q (corner_at a side))) with (len (less (corner_at a side) q)); auto.
      unfold len. f_equal. unfold square, dot, sum, less. clear; lra.
Qed.

(** ** Over any numbers *)
Section Decided.
  Variables (A : arithmetic) (stands : number A -> R -> Prop).
  Hypothesis Sound : sound A stands.
  Notation T := (number A).
  Notation stand := (stand A stands).
  Notation decided := (decided A).

  Definition turn_stands (p : R) (Q : quat) (q : Integers.quaternion T) : Prop :=
    stands (Integers.x q) (p * qx Q) /\ stands (Integers.y q) (p * qy Q) /\ stands (Integers.z q) (p * qz Q) /\ stands (Integers.w q) (p * qw Q).

  Lemma stands_same : forall x a b, stands x a -> a = b -> stands x b.
  Proof. intros x a b H ->. exact H. Qed.
  Lemma stand_same : forall x u v, stand x u -> (forall i, u i = v i) -> stand x v.
  Proof. intros x u v H E i. rewrite <- E. apply H. Qed.
  Ltac built := repeat first [eassumption | apply (add_sound A stands Sound) | apply (sub_sound A stands Sound) |
    apply (mul_sound A stands Sound) | apply (neg_sound A stands Sound)].

  Lemma entry_stands : forall p Q q i j, turn_stands p Q q -> stands (entry A q i j) (p * p * M Q (of_index i) (of_index j)).
  Proof.
    intros p [x y z w] [x' y' z' w'] i j [X [Y [Z W]]]. simpl in *. unfold entry.
    destruct i, j; simpl; unfold Integers.twice; (eapply stands_same; [built | clear; lra]).
  Qed.
  Lemma length_stands : forall p Q q, turn_stands p Q q -> stands (length_of A q) (p * p * norm2 Q).
  Proof.
    intros p [x y z w] [x' y' z' w'] [X [Y [Z W]]]. simpl in *. unfold length_of. simpl. unfold norm2. simpl.
    eapply stands_same; [built | clear; lra].
  Qed.
  Lemma multiples_stand : forall v n u k, stand v u -> stands n k -> stand (times A v n) (larger k u).
  Proof. intros v n u k V N i. eapply stands_same; [apply (mul_sound A stands Sound); [apply V | exact N] | unfold larger; clear; lra]. Qed.

  (** The columns of the matrix are the edges of a box, times p² n. *)
  Lemma framed_stands : forall (c : box) p q v w k, 0 < norm2 (rotation c) -> turn_stands p (rotation c) q ->
    stand v (fun i => k * w i) -> stand (framed A q v) (fun i => p * p * norm2 (rotation c) * k * dot w (edge c i)).
  Proof.
    intros c p q v w k N Q V i. unfold framed. eapply stands_same.
    - apply (scalar_stands A stands Sound _ _ (fun r => p * p * M (rotation c) r (of_index i)) (fun i => k * w i)); [| exact V].
      intro r. apply entry_stands, Q.
    - unfold dot, sum, edge. field. lra.
  Qed.
  Lemma end_stands : forall (b : body) p q l h c u last, 0 < norm2 (rotation (core b)) -> turn_stands p (rotation (core b)) q ->
    stands h (l * half (core b) Z) -> stand c (fun i => p * p * norm2 (rotation (core b)) * l * u i) ->
    stand (end_of A c q h last) (fun i => p * p * norm2 (rotation (core b)) * l *
      (if last then u i + half (core b) Z * axis_z b i else u i - half (core b) Z * axis_z b i)).
  Proof.
    intros b p q l h c u last N Q H C i. unfold end_of.
    pose proof (mul_sound A stands Sound _ _ _ _ (entry_stands p _ q i Integers.I2 Q) H) as E.
    specialize (C i). cbv beta in C. destruct last; (eapply stands_same; [built | unfold axis_z, direction_of; simpl; field; lra]).
  Qed.
  Lemma corner_stands : forall (c : box) p q l h v u side, 0 < norm2 (rotation c) -> turn_stands p (rotation c) q ->
    stand h (fun i => l * half c i) -> stand v (fun i => p * p * norm2 (rotation c) * l * u i) ->
    stand (corner_of A v q h (fun i => side (of_index i))) (fun k => p * p * norm2 (rotation c) * l *
      (u k + sum (fun i => half c i * (if side i then 1 else -1) * edge c i k))).
  Proof.
    intros c p q l h v u side N Q H V k. unfold corner_of. cbv zeta. simpl of_index.
    assert (E : forall i, stands (mul A (entry A q k i) (h i)) (p * p * M (rotation c) (of_index k) (of_index i) * (l * half c (of_index i))))
      by (intro i; apply (mul_sound A stands Sound); [apply entry_stands, Q | apply H]).
    pose proof (E Integers.I0) as E0. pose proof (E Integers.I1) as E1. pose proof (E Integers.I2) as E2. specialize (V k). simpl in *.
    unfold sum. destruct (side X), (side Y), (side Z); (eapply stands_same; [built | unfold edge; field; lra]).
  Qed.

  Section Bodies.
    Variables (a b : body) (pa pb l m : R) (qa qb : Integers.quaternion T) (way half_a : triple A) (ha hb ra rb im : T).
    Hypothesis Pl : 0 < l.
    Hypothesis Hm : 0 <= m.
    Hypothesis Hway : stand way (fun k => l * centers a b k).
    Hypothesis Hra : stands ra (l * round a).
    Hypothesis Hrb : stands rb (l * round b).
    Hypothesis Him : stands im (l * m).

    Theorem balls_decided : ball a -> ball b -> decided (decide_balls A way ra rb im) (fun c => says c (reach a b m) a b).
    Proof.
      intros [Ra Ba] [Rb Bb]. unfold decide_balls.
      assert (Re : stands (add A (add A ra rb) im) (l * reach a b m)) by (eapply stands_same; [built | unfold reach; clear; lra]).
      pose proof (compare_decided A stands Sound _ _ _ _ (scalar_stands A stands Sound _ _ _ _ Hway Hway)
        (mul_sound A stands Sound _ _ _ _ Re Re)) as D.
      eapply Numbers.decided_imp; [exact D |]. intros c <-. apply says_is; [apply reach_pos; auto |].
      apply (decides_scaled l _ (fun r => square (fun k => l * centers a b k) <= r)); auto; [| apply decides_plain].
      intro r. assert (LL : 0 < l * l) by (apply Rmult_lt_0_compat; auto).
      replace (square (fun k => l * centers a b k)) with (square (centers a b) * (l * l)) by (unfold square, dot, sum; clear; lra).
      assert (Q : r / (l * l) * (l * l) = r) by (field; lra). split.
      - intro H. exists (center (core a)), (center (core b)). split; [apply center_in | split; [apply center_in |]].
        apply (Rmult_le_reg_r (l * l)); auto. rewrite Q. exact H.
      - intros [p [q [P [P' H]]]]. apply (Rmult_le_compat_r (l * l)) in H; [| lra]. rewrite Q in H.
        replace (square (centers a b)) with (square (less q p)); auto. unfold square, dot, sum, centers, less.
        rewrite !(center_only a p Ba P), !(center_only b q Bb P'). reflexivity.
    Qed.

    Hypothesis Pa : 0 < pa.
    Hypothesis Pb : 0 < pb.
    Hypothesis Hqa : turn_stands pa (rotation (core a)) qa.
    Hypothesis Hqb : turn_stands pb (rotation (core b)) qb.
    Hypothesis Hhb : stands hb (l * half (core b) Z).
    Hypothesis Cb : capsule b.

    Theorem rounds_decided : forall a_point b_point, capsule a -> stands ha (l * half (core a) Z) ->
      (a_point = true -> half (core a) Z = 0) -> (b_point = true -> half (core b) Z = 0) ->
      decided (decide_rounds A way ha hb ra rb im qa qb a_point b_point) (fun c => says c (reach a b m) a b).
    Proof.
      intros a_point b_point Ca Hha Ap Bp. pose proof (capsule_norm a Ca) as NA. pose proof (capsule_norm b Cb) as NB.
      set (na := pa * pa * norm2 (rotation (core a))). set (nb := pb * pb * norm2 (rotation (core b))).
      assert (Na : 0 < na) by (unfold na; repeat apply Rmult_lt_0_compat; auto).
      assert (Nb : 0 < nb) by (unfold nb; repeat apply Rmult_lt_0_compat; auto).
      set (k := na * nb * l). assert (K : 0 < k) by (unfold k; repeat apply Rmult_lt_0_compat; auto).
      pose proof (length_stands _ _ _ Hqa) as La. pose proof (length_stands _ _ _ Hqb) as Lb. fold na in La. fold nb in Lb.
      unfold decide_rounds. cbv zeta.
      assert (P : forall last, stand (times A (end_of A (fun _ => zero A) qa ha last) (length_of A qb))
        (fun i => k * (if last then half (core a) Z * axis_z a i else - (half (core a) Z * axis_z a i)))).
      { intro last. eapply stand_same.
        - apply multiples_stand; [| exact Lb]. apply (end_stands a pa qa l ha _ (fun _ => 0) last NA Hqa Hha).
          intro i. eapply stands_same; [apply (zero_sound A stands Sound) | clear; lra].
        - intro i. fold na. unfold larger, k. destruct last; clear; lra. }
      assert (Q : forall last, stand (times A (end_of A (times A way (length_of A qb)) qb hb last) (length_of A qa))
        (fun i => k * (if last then centers a b i + half (core b) Z * axis_z b i else centers a b i - half (core b) Z * axis_z b i))).
      { intro last. eapply stand_same.
        - apply multiples_stand; [| exact La]. apply (end_stands b pb qb l hb _ (centers a b) last NB Hqb Hhb).
          eapply stand_same; [apply multiples_stand; [exact Hway | exact Lb] |]. intro i. fold nb. unfold larger. clear; lra.
        - intro i. fold nb. unfold larger, k. destruct last; clear; lra. }
      assert (Re : stands (mul A (mul A (add A (add A ra rb) im) (length_of A qa)) (length_of A qb)) (k * reach a b m)).
      { eapply stands_same; [built | unfold reach, k; clear; lra]. }
      pose proof (cores_decided A stands Sound _ _ _ _ a_point b_point _ _ _ _ _ _ (P false) (P true) (Q false) (Q true)
        (mul_sound A stands Sound _ _ _ _ Re Re)) as D. clear P Q. cbv iota beta in D.
      eapply Numbers.decided_imp; [exact D |]. intros c <-. apply says_is; [apply reach_pos; auto; [apply Ca | apply Cb] |].
      apply (decides_scaled k _ (Distances.near (fun i => k * core_of a i) (fun i => k * core_of b i) (fun i => k * first_ends a b i))); auto.
      - intro r. rewrite near_scaled by auto. apply cores_near; auto.
      - match goal with |- decides (cores_order _ _ ?u ?v ?w _) _ _ =>
          replace u with (fun i => k * core_of a i) by (apply functional_extensionality; intro; unfold less, core_of; clear; lra);
          replace v with (fun i => k * core_of b i) by (apply functional_extensionality; intro; unfold less, core_of; clear; lra);
          replace w with (fun i => k * first_ends a b i) by (apply functional_extensionality; intro; unfold less, first_ends; clear; lra) end.
        apply cores_order_decides; intros E i; unfold core_of; [rewrite Ap by auto | rewrite Bp by auto]; clear; lra.
    Qed.

    Theorem box_decided : forall point, valid (core a) -> round a = 0 -> stand half_a (fun i => l * half (core a) i) ->
      (point = true -> half (core b) Z = 0) ->
      decided (decide_box A way half_a hb rb im qa qb point) (fun c => says c (reach a b m) a b).
    Proof.
      intros point Va Ra Hha Bp. assert (NA : 0 < norm2 (rotation (core a))) by (destruct Va; lra). pose proof (capsule_norm b Cb) as NB.
      set (na := pa * pa * norm2 (rotation (core a))). set (nb := pb * pb * norm2 (rotation (core b))).
      assert (Na : 0 < na) by (unfold na; repeat apply Rmult_lt_0_compat; auto).
      assert (Nb : 0 < nb) by (unfold nb; repeat apply Rmult_lt_0_compat; auto).
      set (k := na * nb * l). assert (K : 0 < k) by (unfold k; repeat apply Rmult_lt_0_compat; auto).
      pose proof (length_stands _ _ _ Hqa) as La. pose proof (length_stands _ _ _ Hqb) as Lb. fold na in La. fold nb in Lb.
      pose proof (mul_sound A stands Sound _ _ _ _ La Lb) as Sc.
      unfold decide_box. cbv zeta.
      assert (W : stand (times A way (length_of A qb)) (fun i => nb * l * centers a b i))
        by (eapply stand_same; [apply multiples_stand; [exact Hway | exact Lb] |]; intro; unfold larger; clear; lra).
      assert (Hh : stand (times A half_a (mul A (length_of A qa) (length_of A qb))) (larger k (half (core a))))
        by (eapply stand_same; [apply multiples_stand; [exact Hha | exact Sc] |]; intro; unfold larger, k; clear; lra).
      assert (Re : stands (mul A (add A rb im) (mul A (length_of A qa) (length_of A qb))) (k * reach a b m)).
      { eapply stands_same; [apply (mul_sound A stands Sound); [built | exact Sc] | unfold reach, k; rewrite Ra; clear; lra]. }
      pose proof (mul_sound A stands Sound _ _ _ _ Re Re) as RR.
      assert (E : forall last, stand (framed A qa (end_of A (times A way (length_of A qb)) qb hb last)) (seen_from (core a) k (core_end b last))).
      { intro last. pose proof (framed_stands (core a) pa qa _ _ _ NA Hqa (end_stands b pb qb l hb _ (centers a b) last NB Hqb Hhb W)) as F.
        eapply stand_same; [exact F |]. intro i. fold na nb. unfold seen_from, k, core_end, centers, dot, sum, less. destruct last; clear; lra. }
      assert (Pos : 0 <= reach a b m) by (apply reach_pos; auto; [lra | apply Cb]).
      destruct point.
      - assert (C : stand (framed A qa (times A way (length_of A qb))) (seen_from (core a) k (center (core b)))).
        { pose proof (framed_stands (core a) pa qa _ _ _ NA Hqa W) as F. eapply stand_same; [exact F |].
          intro i. fold na. unfold seen_from, k, centers, dot, sum, less. clear; lra. }
        pose proof (point_to_box_decided A stands Sound _ _ _ _ _ _ C Hh RR) as D.
        eapply Numbers.decided_imp; [exact D |]. intros c <-. apply says_is; auto.
        apply (decides_scaled k _ (box_near (larger k (half (core a))) (seen_from (core a) k (center (core b))))); auto.
        + intro r. rewrite box_near_seen by auto. split.
          * intros [p [P L]]. exists p, (center (core b)). split; [auto | split; [apply center_in | auto]].
          * intros [p [q [P [Q L]]]]. exists p. split; auto. apply (on_core b q Cb) in Q. destruct Q as [t [_ ->]].
            replace (less (center (core b)) p) with (less (on_way (core_end b false) (core_end b true) t) p); auto.
            apply functional_extensionality. intro i. unfold less, on_way, core_end. rewrite (Bp eq_refl). clear; lra.
        + apply box_order_decides. intro i. apply Rmult_le_pos; [lra | apply Va].
      - pose proof (segment_to_box_decided A stands Sound _ _ _ _ _ _ _ _ (E false) (E true) Hh RR) as D.
        eapply Numbers.decided_imp; [exact D |]. intros c <-. apply says_is; auto.
        apply (decides_scaled k _ (way_near (seen_from (core a) k (core_end b false)) (seen_from (core a) k (core_end b true)) (larger k (half (core a))))); auto.
        + intro r. rewrite way_near_seen by auto. split; intros [p [q [P [Q L]]]]; exists p, q; (split; [auto | split; [| auto]]);
            apply (on_core b q Cb); auto.
        + apply segment_box_order_decides. intro i. apply Rmult_le_pos; [lra | apply Va].
    Qed.
  End Bodies.

  Section Margins.
    Variables (a b : box) (pa pb l m : R) (qa qb : Integers.quaternion T) (way ha hb : triple A) (im : T).
    Hypothesis Va : valid a.
    Hypothesis Vb : valid b.
    Hypothesis Pa : 0 < pa.
    Hypothesis Pb : 0 < pb.
    Hypothesis Pl : 0 < l.
    Hypothesis Hm : 0 <= m.
    Hypothesis Hqa : turn_stands pa (rotation a) qa.
    Hypothesis Hqb : turn_stands pb (rotation b) qb.
    Hypothesis Hway : stand way (fun k => l * apart a b k).
    Hypothesis Hha : stand ha (fun i => l * half a i).
    Hypothesis Hhb : stand hb (fun i => l * half b i).
    Hypothesis Him : stands im (l * m).

    Lemma below_margin : forall v, len v <= m <-> square v <= m * m.
    Proof.
      intro v. rewrite <- len_square. pose proof (len_pos v). split; intro; [nra | apply Rsqr_incr_0_var; auto].
    Qed.

    Theorem feature_decided : forall f, decided (decide_feature A way ha hb im qa qb f) (fun c => c <> Gt <-> feature_near a b m f).
    Proof.
      assert (NA : 0 < norm2 (rotation a)) by (destruct Va; lra). assert (NB : 0 < norm2 (rotation b)) by (destruct Vb; lra).
      set (na := pa * pa * norm2 (rotation a)). set (nb := pb * pb * norm2 (rotation b)).
      assert (Na : 0 < na) by (unfold na; repeat apply Rmult_lt_0_compat; auto).
      assert (Nb : 0 < nb) by (unfold nb; repeat apply Rmult_lt_0_compat; auto).
      set (k := na * nb * l). assert (K : 0 < k) by (unfold k; repeat apply Rmult_lt_0_compat; auto).
      pose proof (length_stands _ _ _ Hqa) as La. pose proof (length_stands _ _ _ Hqb) as Lb. fold na in La. fold nb in Lb.
      pose proof (mul_sound A stands Sound _ _ _ _ La Lb) as Sc.
      assert (Re : stands (mul A im (mul A (length_of A qa) (length_of A qb))) (k * m))
        by (eapply stands_same; [apply (mul_sound A stands Sound); [exact Him | exact Sc] | unfold k; clear; lra]).
      pose proof (mul_sound A stands Sound _ _ _ _ Re Re) as RR.
      assert (Mk : k * m * (k * m) / (k * k) = m * m) by (field; lra).
      intros [e | side]; unfold decide_feature; cbv zeta.
      - assert (W : stand (times A way (length_of A qb)) (fun i => nb * l * apart a b i))
          by (eapply stand_same; [apply multiples_stand; [exact Hway | exact Lb] |]; intro; unfold larger; clear; lra).
        assert (E : forall last, stand (framed A qa (corner_of A (times A way (length_of A qb)) qb hb (fun i => side_of e (of_index i) last)))
          (seen_from a k (edge_from b e last))).
        { intro last. pose proof (framed_stands a pa qa _ _ _ NA Hqa
            (corner_stands b pb qb l hb _ (apart a b) (fun i => side_of e i last) NB Hqb Hhb W)) as F.
          eapply stand_same; [exact F |]. intro i. fold na nb. unfold seen_from, edge_from, corner_at, place, k, dot, less, apart. unfold sum. clear; lra. }
        assert (Hh : stand (times A ha (mul A (length_of A qa) (length_of A qb))) (larger k (half a)))
          by (eapply stand_same; [apply multiples_stand; [exact Hha | exact Sc] |]; intro; unfold larger, k; clear; lra).
        eapply Numbers.decided_imp; [exact (segment_to_box_decided A stands Sound _ _ _ _ _ _ _ _ (E false) (E true) Hh RR) |].
        intros c <-. pose proof (segment_box_order_decides (larger k (half a)) ltac:(intro i; apply Rmult_le_pos; [lra | apply Va])
          (seen_from a k (edge_from b e false)) (seen_from a k (edge_from b e true)) (k * m * (k * m))) as [D _].
        rewrite D, way_near_seen, Mk by auto. simpl.
        split; intros [p [q [P [Q L]]]]; exists p, q; (split; [auto | split; [auto | apply below_margin; auto]]).
      - assert (W : stand (times A (fun i => neg A (way i)) (length_of A qa)) (fun i => na * l * - apart a b i)).
        { assert (V : stand (fun i => neg A (way i)) (fun i => - (l * apart a b i))) by (intro i; apply (neg_sound A stands Sound), Hway).
          eapply stand_same; [apply multiples_stand; [exact V | exact La] |]. intro i. unfold larger. clear; lra. }
        assert (E : stand (framed A qb (corner_of A (times A (fun i => neg A (way i)) (length_of A qa)) qa ha (fun i => side (of_index i))))
          (seen_from b k (corner_at a side))).
        { pose proof (framed_stands b pb qb _ _ _ NB Hqb (corner_stands a pa qa l ha _ (fun i => - apart a b i) side NA Hqa Hha W)) as F.
          eapply stand_same; [exact F |]. intro i. fold na nb. unfold seen_from, corner_at, place, k, dot, less, apart. unfold sum. clear; lra. }
        assert (Hh : stand (times A hb (mul A (length_of A qa) (length_of A qb))) (larger k (half b)))
          by (eapply stand_same; [apply multiples_stand; [exact Hhb | exact Sc] |]; intro; unfold larger, k; clear; lra).
        eapply Numbers.decided_imp; [exact (point_to_box_decided A stands Sound _ _ _ _ _ _ E Hh RR) |].
        intros c <-. pose proof (box_order_decides (larger k (half b)) ltac:(intro i; apply Rmult_le_pos; [lra | apply Vb])
          (seen_from b k (corner_at a side)) (k * m * (k * m))) as [D _].
        rewrite D, box_near_seen, Mk by auto. simpl.
        split; intros [q [Q L]]; exists q; (split; [auto | apply below_margin; auto]).
    Qed.
  End Margins.

  (** Boxes along the world's axes; the half extents are those along these axes. *)
  Theorem aligned_decided : forall a b pa pb qa qb turn_a turn_b m l way ha hb im,
    valid a -> valid b -> 0 < pa -> 0 < pb -> scaled_turn pa (rotation a) qa -> scaled_turn pb (rotation b) qb ->
    of_sides qa -> of_sides qb -> turned qa = Some turn_a -> turned qb = Some turn_b -> 0 <= m -> 0 < l ->
    stand way (fun k => l * apart a b k) -> (forall k, stands (ha k) (l * half a (of_index (turn_a k)))) ->
    (forall k, stands (hb k) (l * half b (of_index (turn_b k)))) -> stands im (l * m) ->
    decided (decide_aligned A way ha hb im) (fun c => c <> Gt <-> within m a b).
  Proof.
    intros a b pa pb qa qb turn_a turn_b m l way ha hb im Va Vb Pa Pb Qa Qb Sa Sb Ta Tb Hm Pl W Ha Hb Him. unfold decide_aligned.
    set (index_of := fun i => match i with X => Integers.I0 | Y => Integers.I1 | Z => Integers.I2 end).
    set (h := fun i => half a (of_index (turn_a (index_of i))) + half b (of_index (turn_b (index_of i)))).
    assert (Hh : stand (plus A ha hb) (fun i => l * h i)).
    { intro i. eapply stands_same; [apply (add_sound A stands Sound); [apply Ha | apply Hb] |]. unfold h. destruct i; simpl; clear; lra. }
    eapply Numbers.decided_imp; [exact (point_to_box_decided A stands Sound _ _ _ _ _ _ W Hh (mul_sound A stands Sound _ _ _ _ Him Him)) |].
    intros c <-. pose proof (aligned_within_is a b pa pb qa qb turn_a turn_b m Va Vb Pa Pb Qa Qb Sa Sb Ta Tb Hm) as B. cbv zeta in B. rewrite B.
    unfold box_order. destruct (decides_plain (box_square (fun k => l * apart a b k) (fun i => l * h i)) (l * m * (l * m))) as [D _]. rewrite D.
    unfold box_square, sum. rewrite !excess_scaled by auto. unfold h, index_of. simpl of_index.
    assert (LL : 0 < l * l) by (apply Rmult_lt_0_compat; auto). split; intro L.
    - apply (Rmult_le_reg_l (l * l)); auto. lra.
    - apply (Rmult_le_compat_l (l * l)) in L; [| lra]. lra.
  Qed.
End Decided.
