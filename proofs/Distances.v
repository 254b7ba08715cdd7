(** * The squared distances that are compared with a margin: [round/round_box.rs], [round/capsules.rs].

    Nothing is divided: the closest points of two lines are compared in multiples of the square of the
    cross product. *)

Require Import Rbase Rfunctions Lra FunctionalExtensionality.
From Obbligato Require Import Boxes Formulas Separation Propagation Complete Exact LastStage Aligned Margins.
From Obbligato Require Integers.
Open Scope R_scope.

Ltac expand := unfold square, dot, cross, sum, next, after in *; simpl in *.

(** ** A point and a box: [point_to_box] *)
Definition excess (x h : R) : R := if Rlt_dec h (Rabs x) then Rabs x - h else 0.

Lemma excess_is_least : forall x h y, - h <= y <= h -> excess x h * excess x h <= (x - y) * (x - y).
Proof.
  intros x h y H. unfold excess. destruct (Rlt_dec h (Rabs x)) as [L | L]; [| pose proof (Rle_0_sqr (x - y)) as P; unfold Rsqr in P; lra].
  unfold Rabs in *. destruct (Rcase_abs x); nra.
Qed.
Lemma excess_is_met : forall x h, 0 <= h -> exists y, - h <= y <= h /\ excess x h * excess x h = (x - y) * (x - y).
Proof.
  intros x h H. unfold excess. destruct (Rlt_dec h (Rabs x)) as [L | L].
  - unfold Rabs in *. destruct (Rcase_abs x); [exists (- h) | exists h]; (split; [lra | clear; lra]).
  - exists x. unfold Rabs in L. destruct (Rcase_abs x); (split; [lra | clear; lra]).
Qed.

(** The square that the source compares, in the frame of the box: all numbers may be multiplied by one. *)
Definition point_square (b : box) (q : vec) : R :=
  sum (fun i => excess (dot (less q (center b)) (edge b i)) (half b i)
    * excess (dot (less q (center b)) (edge b i)) (half b i)).

Theorem point_to_box : forall b q m, valid b -> 0 <= m ->
  ((exists p, contains b p /\ len (less q p) <= m) <-> point_square b q <= m * m).
Proof.
  intros b q m Vb Hm.
  assert (Sq : forall s, square (less q (place b s)) = sum (fun i =>
    (dot (less q (center b)) (edge b i) - half b i * s i) * (dot (less q (center b)) (edge b i) - half b i * s i))).
  { intro s. unfold square. rewrite (dot_along b _ _ Vb).
    assert (D : forall i, dot (less q (place b s)) (edge b i) = dot (less q (center b)) (edge b i) - half b i * s i).
    { intro i. transitivity (dot (less q (center b)) (edge b i) - sum (fun j => half b j * s j * dot (edge b j) (edge b i))).
      - unfold dot, sum, less, place, sum. clear; lra.
      - f_equal. unfold sum. rewrite !edges_dot by auto. destruct i; clear; lra. }
    unfold sum. rewrite !D. reflexivity. }
  assert (Cmp : forall v, len v <= m <-> square v <= m * m).
  { intro v. rewrite <- len_square. pose proof (len_pos v). split; intro; [nra | apply Rsqr_incr_0_var; auto]. }
  split.
  - intros [p [P L]]. apply contains_is in P. destruct P as [s [Hs ->]]. apply Cmp in L. rewrite Sq in L.
    eapply Rle_trans; [| exact L].
    assert (One : forall i, - half b i <= half b i * s i <= half b i)
      by (intro i; destruct (Hs i); pose proof (proj1 Vb i); nra).
    unfold point_square, sum. pose proof (excess_is_least (dot (less q (center b)) (edge b X)) _ _ (One X)).
    pose proof (excess_is_least (dot (less q (center b)) (edge b Y)) _ _ (One Y)).
    pose proof (excess_is_least (dot (less q (center b)) (edge b Z)) _ _ (One Z)). lra.
  - intro H.
    assert (Met : forall i, exists s, -1 <= s <= 1 /\
      excess (dot (less q (center b)) (edge b i)) (half b i) * excess (dot (less q (center b)) (edge b i)) (half b i)
      = (dot (less q (center b)) (edge b i) - half b i * s) * (dot (less q (center b)) (edge b i) - half b i * s)).
    { intro i. destruct (excess_is_met (dot (less q (center b)) (edge b i)) (half b i) (proj1 Vb i)) as [y [Hy E]].
      apply coefficient in Hy. destruct Hy as [s [Hs ->]]. exists s. auto. }
    destruct (Met X) as [x [Hx EX]], (Met Y) as [y [Hy EY]], (Met Z) as [z [Hz EZ]].
    exists (place b (fun i => match i with X => x | Y => y | Z => z end)). split.
    + apply place_contains. intros []; auto.
    + apply Cmp. rewrite Sq. unfold point_square, sum in H. unfold sum. rewrite EX, EY, EZ in H. exact H.
Qed.
Lemma excess_scaled : forall k x h, 0 < k -> excess (k * x) (k * h) = k * excess x h.
Proof.
  intros k x h K. unfold excess. rewrite Rabs_mult, (Rabs_pos_eq k) by lra.
  destruct (Rlt_dec (k * h) (k * Rabs x)) as [L | L], (Rlt_dec h (Rabs x)) as [L' | L']; try nra; exfalso; nra.
Qed.
Theorem point_square_scaled : forall b q k, 0 < k ->
  sum (fun i => excess (k * dot (less q (center b)) (edge b i)) (k * half b i)
    * excess (k * dot (less q (center b)) (edge b i)) (k * half b i)) = k * k * point_square b q.
Proof. intros b q k K. unfold point_square, sum. rewrite !excess_scaled by auto. clear; lra. Qed.

(** ** A point x, relative to the start of a segment v *)
Definition rest (x v : vec) (t : R) : vec := fun k => x k - t * v k.
Definition point_near (x v : vec) (reach : R) : Prop := exists t, 0 <= t <= 1 /\ square (rest x v t) <= reach.

(** What [point_to_segment] compares. *)
Definition point_compared (x v : vec) (reach : R) : Prop :=
  if Rle_dec (dot x v) 0 then square x <= reach
  else if Rle_dec (square v) (dot x v) then square (fun k => x k - v k) <= reach
  else square (cross x v) <= reach * square v.

Lemma rest_square : forall x v t, square (rest x v t) = square x - 2 * t * dot x v + t * t * square v.
Proof. intros. unfold rest. expand. clear; lra. Qed.

Theorem point_to_segment : forall x v reach, point_near x v reach <-> point_compared x v reach.
Proof.
  intros x v reach. unfold point_near, point_compared. pose proof (square_pos v) as V.
  assert (One : square (fun k => x k - v k) = square x - 2 * dot x v + square v) by (expand; clear; lra).
  assert (L : square (cross x v) = square x * square v - dot x v * dot x v) by (expand; clear; lra).
  destruct (Rle_dec (dot x v) 0) as [P | P]; [| destruct (Rle_dec (square v) (dot x v)) as [Q | Q]]; split.
  - intros [t [T H]]. rewrite rest_square in H. assert (0 <= t * - dot x v) by (apply Rmult_le_pos; lra).
    assert (0 <= t * t * square v) by (apply Rmult_le_pos; [nra | auto]). lra.
  - intro H. exists 0. split; [lra |]. rewrite rest_square. lra.
  - intros [t [T H]]. rewrite rest_square in H. rewrite One.
    assert (A : 0 <= (1 - t) * (dot x v - square v)) by (apply Rmult_le_pos; lra).
    assert (B : 0 <= (1 - t) * (1 - t) * square v) by (apply Rmult_le_pos; [nra | auto]). lra.
  - intro H. exists 1. split; [lra |]. rewrite rest_square. lra.
  - intros [t [T H]]. rewrite rest_square in H. rewrite L.
    apply (Rmult_le_compat_r (square v)) in H; auto. pose proof (Rle_0_sqr (dot x v - t * square v)) as S. unfold Rsqr in S. lra.
  - intro H. rewrite L in H. exists (dot x v / square v). assert (N : 0 < square v) by lra.
    assert (E : dot x v / square v * square v = dot x v) by (field; lra).
    assert (T : 0 <= dot x v / square v <= 1).
    { split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; auto] |].
      apply (Rmult_le_reg_r (square v)); auto. lra. }
    split; auto. rewrite rest_square. apply (Rmult_le_reg_r (square v)); auto.
    replace ((square x - 2 * (dot x v / square v) * dot x v + dot x v / square v * (dot x v / square v) * square v) * square v)
      with (square x * square v - 2 * (dot x v / square v * square v) * dot x v
        + (dot x v / square v * square v) * (dot x v / square v * square v)) by (clear; lra).
    rewrite E. lra.
Qed.

(** ** Two segments u and v, whose starts differ by w *)
Section Segments.
  Variables u v w : vec.
  Variable reach : R.
  Definition between (s t : R) : vec := fun k => w k + s * u k - t * v k.
  Definition near : Prop := exists s t, 0 <= s <= 1 /\ 0 <= t <= 1 /\ square (between s t) <= reach.

  (** An end of one of them is near the other. *)
  Definition end_near : Prop := exists s t, 0 <= s <= 1 /\ 0 <= t <= 1 /\ square (between s t) <= reach /\
    (s = 0 \/ s = 1 \/ t = 0 \/ t = 1).
  (** The places of the closest points of the lines, times the square, as [segments] computes them. *)
  Let normal := cross u v.
  Let place_u := dot (cross v w) normal.
  Let place_v := dot (cross u w) normal.
  Definition inner_compared : Prop :=
    0 < square normal /\ 0 <= place_u <= square normal /\ 0 <= place_v <= square normal /\
    dot w normal * dot w normal <= reach * square normal.

  Lemma closest_of_lines : forall k, square normal * w k + place_u * u k - place_v * v k = dot w normal * normal k.
  Proof. intros []; unfold place_u, place_v, normal; expand; clear; lra. Qed.

  (** Along the normal, and in the plane of both. *)
  Lemma two_parts : forall s t, square normal * (square normal * square (between s t)) =
    square normal * (dot w normal * dot w normal)
    + square (fun k => (square normal * s - place_u) * u k - (square normal * t - place_v) * v k).
  Proof.
    intros s t. set (g := fun k => (square normal * s - place_u) * u k - (square normal * t - place_v) * v k).
    assert (E : forall k, square normal * between s t k = dot w normal * normal k + g k).
    { intro k. pose proof (closest_of_lines k). unfold between, g. lra. }
    assert (G : dot normal g = 0) by (unfold g, normal at 1; clear; expand; clear; lra).
    assert (Scaled : square (fun k => square normal * between s t k) = square normal * (square normal * square (between s t))).
    { set (m := square normal). unfold square, dot, sum. clear; lra. }
    rewrite <- Scaled. replace (fun k => square normal * between s t k) with (fun k => dot w normal * normal k + g k)
      by (apply functional_extensionality; intro; rewrite E; reflexivity).
    set (m := dot w normal) in *. transitivity (m * m * square normal + 2 * (m * dot normal g) + square g).
    - clear. unfold square, dot, sum. clear; lra.
    - rewrite G. clear; lra.
  Qed.

  Lemma ends_of : forall s t, 0 <= s <= 1 -> 0 <= t <= 1 -> at_side (2 * s - 1) \/ at_side (2 * t - 1) ->
    square (between s t) <= reach -> end_near.
  Proof.
    intros s t S T H L. exists s, t. split; [exact S | split; [exact T | split; [exact L |]]].
    destruct H as [[H | H] | [H | H]]; [right; left; lra | left; lra | right; right; right; lra | right; right; left; lra].
  Qed.

  (** Moved in the direction (a, b), a pair of places leaves the square of all, or ends up within. *)
  Lemma moved_out : forall s t a b, 0 <= s <= 1 -> 0 <= t <= 1 -> exists x, 0 <= x <= 1 /\
    0 <= s + x * a <= 1 /\ 0 <= t + x * b <= 1 /\
    (x = 1 \/ at_side (2 * (s + x * a) - 1) \/ at_side (2 * (t + x * b) - 1)).
  Proof.
    intros s t a b S T.
    destruct (leaves_by (2 * s - 1) (2 * a) 1 ltac:(lra) ltac:(lra)) as [x1 [X1 [W1 E1]]].
    destruct (leaves_by (2 * t - 1) (2 * b) x1 ltac:(lra) ltac:(lra)) as [x [X2 [W2 E2]]].
    exists x. pose proof (W1 x ltac:(lra)). pose proof (W2 x ltac:(lra)).
    split; [lra |]. split; [lra |]. split; [lra |].
    destruct E2 as [-> | E2]; [| right; right; replace (2 * (t + x * b) - 1) with (2 * t - 1 + x * (2 * b)) by (clear; lra); auto].
    destruct E1 as [-> | E1]; [left; reflexivity | right; left].
    replace (2 * (s + x1 * a) - 1) with (2 * s - 1 + x1 * (2 * a)) by (clear; lra). auto.
  Qed.

  Theorem segments_is : near <-> end_near \/ inner_compared.
  Proof.
    split.
    2: { intros [[s [t [S [T [L _]]]]] | [N [[U1 U2] [[V1 V2] L]]]]; [exists s, t; auto |].
      assert (Q : forall p, 0 <= p <= square normal -> 0 <= p / square normal <= 1).
      { intros p P. split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; auto] |].
        apply (Rmult_le_reg_r (square normal)); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
      exists (place_u / square normal), (place_v / square normal). split; [auto |]. split; [auto |].
      pose proof (two_parts (place_u / square normal) (place_v / square normal)) as P.
      replace (square normal * (place_u / square normal)) with place_u in P by (field; lra).
      replace (square normal * (place_v / square normal)) with place_v in P by (field; lra).
      replace (square (fun k => (place_u - place_u) * u k - (place_v - place_v) * v k)) with 0 in P
        by (unfold square, dot, sum; clear; lra).
      apply (Rmult_le_reg_l (square normal)); auto. rewrite Rplus_0_r in P. apply Rmult_eq_reg_l in P; lra. }
    intros [s [t [S [T L]]]]. pose proof (square_pos normal) as NP.
    destruct (Req_dec (square normal) 0) as [N | N].
    - (* Parallel, or a point: both points are moved at once. *)
      left. destruct (Req_dec (square u) 0) as [U | U].
      + apply (ends_of 0 t); [lra | auto | left; right; clear; lra |].
        replace (square (between 0 t)) with (square (between s t)); auto.
        assert (U0 : forall k, u k = 0).
        { intro k. unfold square, dot, sum in U. pose proof (Rle_0_sqr (u X)) as PX. pose proof (Rle_0_sqr (u Y)) as PY.
          pose proof (Rle_0_sqr (u Z)) as PZ. unfold Rsqr in *. apply Rsqr_0_uniq. unfold Rsqr. destruct k; lra. }
        unfold square, dot, sum, between. rewrite !U0. clear; lra.
      + set (c := dot u v / square u).
        assert (C : forall k, v k = c * u k).
        { assert (Z : square (fun k => square u * v k - dot u v * u k) = 0).
          { transitivity (square u * square normal); [unfold normal; expand; clear; lra | rewrite N; clear; lra]. }
          intro k. assert (Zk : square u * v k - dot u v * u k = 0).
          { unfold square at 1, dot at 1, sum in Z.
            pose proof (Rle_0_sqr (square u * v X - dot u v * u X)) as PX.
            pose proof (Rle_0_sqr (square u * v Y - dot u v * u Y)) as PY.
            pose proof (Rle_0_sqr (square u * v Boxes.Z - dot u v * u Boxes.Z)) as PZ.
            unfold Rsqr in *. apply Rsqr_0_uniq. unfold Rsqr. destruct k; lra. }
          unfold c. apply (Rmult_eq_reg_l (square u)); auto. replace (square u * (dot u v / square u * u k)) with
            (dot u v * u k) by (field; auto). lra. }
        destruct (moved_out s t (- (2 * c)) (-2) S T) as [x [Xx [S' [T' E]]]].
        assert (E' : at_side (2 * (s + x * - (2 * c)) - 1) \/ at_side (2 * (t + x * -2) - 1))
          by (destruct E as [-> | E]; [lra | exact E]).
        apply (ends_of (s + x * - (2 * c)) (t + x * -2)); auto.
        replace (square (between (s + x * - (2 * c)) (t + x * -2))) with (square (between s t)); auto.
        unfold square, dot, sum, between. rewrite !C. clear; lra.
    - assert (P : 0 < square normal) by lra. set (s0 := place_u / square normal). set (t0 := place_v / square normal).
      destruct (moved_out s t (s0 - s) (t0 - t) S T) as [x [Xx [S' [T' E]]]].
      assert (Eu : square normal * s0 = place_u) by (unfold s0; field; auto).
      assert (Ev : square normal * t0 = place_v) by (unfold t0; field; auto).
      assert (Low : dot w normal * dot w normal <= reach * square normal).
      { pose proof (two_parts s t) as Q. pose proof (square_pos (fun k => (square normal * s - place_u) * u k
          - (square normal * t - place_v) * v k)).
        assert (dot w normal * dot w normal <= square normal * square (between s t))
          by (apply (Rmult_le_reg_l (square normal)); auto; lra).
        assert (square normal * square (between s t) <= square normal * reach) by (apply Rmult_le_compat_l; auto). lra. }
      destruct E as [-> | E].
      + right. replace (s + 1 * (s0 - s)) with s0 in S' by (clear; lra). replace (t + 1 * (t0 - t)) with t0 in T' by (clear; lra).
        unfold inner_compared. rewrite <- Eu, <- Ev. repeat split; auto; nra.
      + left. apply (ends_of (s + x * (s0 - s)) (t + x * (t0 - t))); auto.
        eapply Rle_trans; [| exact L]. apply (Rmult_le_reg_l (square normal)); auto.
        apply (Rmult_le_reg_l (square normal)); auto. rewrite !two_parts. apply Rplus_le_compat_l.
        replace (fun k => (square normal * (s + x * (s0 - s)) - place_u) * u k - (square normal * (t + x * (t0 - t)) - place_v) * v k)
          with (fun k => (1 - x) * ((square normal * s - place_u) * u k - (square normal * t - place_v) * v k))
          by (apply functional_extensionality; intro; rewrite <- Eu, <- Ev; clear; lra).
        set (g := fun k => (square normal * s - place_u) * u k - (square normal * t - place_v) * v k).
        change (square (fun k => (1 - x) * g k) <= square g).
        assert (Gx : square (fun k => (1 - x) * g k) = (1 - x) * (1 - x) * square g) by (clear; unfold square, dot, sum; clear; lra).
        rewrite Gx.
        pose proof (square_pos g) as G.
        assert (Q : (1 - x) * (1 - x) <= 1) by nra. apply (Rmult_le_compat_r (square g)) in Q; auto. lra.
  Qed.
End Segments.

(** An end of a segment is a point. *)
Lemma ends_are : forall u v w reach, end_near u v w reach <->
  point_near w v reach \/ point_near (fun k => w k + u k) v reach \/
  point_near (fun k => - w k) u reach \/ point_near (fun k => v k - w k) u reach.
Proof.
  intros u v w reach.
  assert (E0 : forall t, square (between u v w 0 t) = square (rest w v t))
    by (intro; unfold square, dot, sum, between, rest; clear; lra).
  assert (E1 : forall t, square (between u v w 1 t) = square (rest (fun k => w k + u k) v t))
    by (intro; unfold square, dot, sum, between, rest; clear; lra).
  assert (E2 : forall s, square (between u v w s 0) = square (rest (fun k => - w k) u s))
    by (intro; unfold square, dot, sum, between, rest; clear; lra).
  assert (E3 : forall s, square (between u v w s 1) = square (rest (fun k => v k - w k) u s))
    by (intro; unfold square, dot, sum, between, rest; clear; lra).
  unfold point_near. split.
  - intros [s [t [S [T [L [-> | [-> | [-> | ->]]]]]]]];
      [rewrite E0 in L | rewrite E1 in L | rewrite E2 in L | rewrite E3 in L]; eauto 6.
  - intros [[t [T L]] | [[t [T L]] | [[s [S L]] | [s [S L]]]]];
      [exists 0, t; rewrite E0 | exists 1, t; rewrite E1 | exists s, 0; rewrite E2 | exists s, 1; rewrite E3];
      (split; [lra | split; [lra | split; [exact L | auto]]]).
Qed.

(** What [segments] compares. *)
Definition segments_compared (u v w : vec) (reach : R) : Prop :=
  (point_compared w v reach \/ point_compared (fun k => w k + u k) v reach \/
   point_compared (fun k => - w k) u reach \/ point_compared (fun k => v k - w k) u reach) \/
  inner_compared u v w reach.

Theorem segments_are : forall u v w reach, near u v w reach <-> segments_compared u v w reach.
Proof.
  intros. unfold segments_compared. rewrite segments_is, ends_are, !point_to_segment. tauto.
Qed.

(** ** In the frame of a box, with all lengths multiplied by one number *)
Definition in_frame (c : box) (k : R) (v : vec) : vec := fun i => k * dot v (edge c i).

Lemma square_in_frame : forall c k v, valid c -> square (in_frame c k v) = k * k * square v.
Proof. intros c k v Vc. unfold square at 2. rewrite (dot_along c v v Vc). unfold square, in_frame, dot at 1, sum. clear; lra. Qed.

Theorem near_in_frame : forall c k u v w reach, valid c -> 0 < k ->
  (near u v w reach <-> near (in_frame c k u) (in_frame c k v) (in_frame c k w) (k * k * reach)).
Proof.
  intros c k u v w reach Vc K.
  assert (E : forall s t, square (between (in_frame c k u) (in_frame c k v) (in_frame c k w) s t)
    = k * k * square (between u v w s t)).
  { intros s t. rewrite <- (square_in_frame c k _ Vc). f_equal. apply functional_extensionality. intro i.
    unfold between, in_frame, dot, sum. clear; lra. }
  assert (KK : 0 < k * k) by (apply Rmult_lt_0_compat; auto).
  unfold near. split; intros [s [t [S [T L]]]]; exists s, t; rewrite E in *; repeat split; try lra.
  - apply Rmult_le_compat_l; lra.
  - apply (Rmult_le_reg_l (k * k)); auto.
Qed.

(** ** Two boxes *)
Definition start (c : box) (j : axis) (s : vec) : vec := place c (changed s j (-1)).
Definition whole (c : box) (j : axis) : vec := fun k => 2 * half c j * edge c j k.

Lemma edge_is : forall c p, on_edge c p <-> exists j s t, at_side (s (next j)) /\ at_side (s (after j)) /\ 0 <= t <= 1 /\
  p = (fun k => start c j s k + t * whole c j k).
Proof.
  intros c p. split.
  - intros [s [j [H [-> [N A]]]]]. exists j, s, ((1 + s j) / 2). split; [exact N | split; [exact A | split]].
    + destruct (H j). lra.
    + apply functional_extensionality. intro k. unfold start, whole. rewrite place_changed. field.
  - intros [j [s [t [N [A [T ->]]]]]]. exists (changed s j (2 * t - 1)), j.
    destruct (other_changes s j (2 * t - 1)) as [-> ->]. split; [| split; [| auto]].
    + intro i. assert (I : i = j \/ i = next j \/ i = after j) by (destruct i, j; auto).
      destruct (other_changes s j (2 * t - 1)) as [On Oa]. destruct I as [-> | [-> | ->]];
        [rewrite own_change; lra | rewrite On; destruct N as [-> | ->]; lra | rewrite Oa; destruct A as [-> | ->]; lra].
    + apply functional_extensionality. intro k. unfold start, whole. rewrite !place_changed. clear; lra.
Qed.

(** All that the source compares, for boxes that do not collide. *)
Theorem within_is : forall a b m, valid a -> valid b -> separated a b -> 0 <= m -> (within m a b <->
  (exists q, corner b q /\ point_square a q <= m * m) \/
  (exists i s j r, at_side (s (next i)) /\ at_side (s (after i)) /\ at_side (r (next j)) /\ at_side (r (after j)) /\
    segments_compared (whole a i) (whole b j) (less (start a i s) (start b j r)) (m * m)) \/
  (exists p, corner a p /\ point_square b p <= m * m)).
Proof.
  intros a b m Va Vb Sep Hm. rewrite (three_kinds a b Va Vb Sep m).
  assert (Rev : forall u w, len (less u w) = len (less w u))
    by (intros; unfold len; f_equal; unfold square, dot, sum, less; clear; lra).
  assert (Cmp : forall v, len v <= m <-> square v <= m * m).
  { intro v. rewrite <- len_square. pose proof (len_pos v). split; intro; [nra | apply Rsqr_incr_0_var; auto]. }
  assert (A : (exists p q, contains a p /\ corner b q /\ len (less q p) <= m) <->
    exists q, corner b q /\ point_square a q <= m * m).
  { split.
    - intros [p [q [P [Q L]]]]. exists q. split; auto. apply (point_to_box a q m Va Hm). eauto.
    - intros [q [Q L]]. apply (point_to_box a q m Va Hm) in L. destruct L as [p [P L]]. eauto. }
  assert (B : (exists p q, corner a p /\ contains b q /\ len (less q p) <= m) <->
    exists p, corner a p /\ point_square b p <= m * m).
  { split.
    - intros [p [q [P [Q L]]]]. exists p. split; auto. apply (point_to_box b p m Vb Hm). rewrite Rev in L. eauto.
    - intros [p [P L]]. apply (point_to_box b p m Vb Hm) in L. destruct L as [q [Q L]]. exists p, q. rewrite Rev. auto. }
  assert (E : (exists p q, on_edge a p /\ on_edge b q /\ len (less q p) <= m) <->
    exists i s j r, at_side (s (next i)) /\ at_side (s (after i)) /\ at_side (r (next j)) /\ at_side (r (after j)) /\
    segments_compared (whole a i) (whole b j) (less (start a i s) (start b j r)) (m * m)).
  { assert (W : forall i s j r x y, square (less (fun k => start b j r k + y * whole b j k) (fun k => start a i s k + x * whole a i k))
      = square (between (whole a i) (whole b j) (less (start a i s) (start b j r)) x y))
      by (intros; unfold square, dot, sum, less, between; clear; lra).
    split.
    - intros [p [q [P [Q L]]]]. apply edge_is in P, Q. destruct P as [i [s [x [P1 [P2 [X0 ->]]]]]], Q as [j [r [y [Q1 [Q2 [Y0 ->]]]]]].
      exists i, s, j, r. split; [auto | split; [auto | split; [auto | split; [auto |]]]]. apply segments_are. exists x, y.
      apply Cmp in L. rewrite W in L. auto.
    - intros [i [s [j [r [P1 [P2 [Q1 [Q2 L]]]]]]]]. apply segments_are in L. destruct L as [x [y [X0 [Y0 L]]]].
      exists (fun k => start a i s k + x * whole a i k), (fun k => start b j r k + y * whole b j k).
      split; [apply edge_is; exists i, s, x; auto |]. split; [apply edge_is; exists j, r, y; auto |].
      apply Cmp. rewrite W. exact L. }
  rewrite A, B, E. tauto.
Qed.

(** ** Boxes along the world's axes: [aligned_within] *)
Section AlignedBox.
  Variables (b : box) (p : R) (q : Integers.quaternion BinNums.Z) (turn : Integers.index -> Integers.index).
  Hypothesis V : valid b.
  Hypothesis P : 0 < p.
  Hypothesis Hq : scaled_turn p (rotation b) q.
  Hypothesis S : of_sides q.
  Hypothesis T : turned q = Some turn.

  Lemma aligned_contains : forall x, contains b x <->
    forall k, Rabs (x (of_index k) - center b (of_index k)) <= half b (of_index (turn k)).
  Proof.
    intro x.
    assert (U : forall v k, dot v (unit_of k) = v (of_index k))
      by (intros v k; unfold dot, sum, unit_of, unit_vector; destruct k; simpl; clear; lra).
    split.
    - intros C k. pose proof (within_radius b x (unit_of k) (proj1 V) C) as Q.
      rewrite (radius_of b p q turn V P Hq S T), U in Q. exact Q.
    - intro H.
      assert (C : forall i, exists s, -1 <= s <= 1 /\ dot (less x (center b)) (edge b i) = half b i * s).
      { intro i. destruct (onto_axes turn (onto q turn S T) i) as [k ->].
        apply coefficient. specialize (H k).
        assert (E : Rabs (dot (less x (center b)) (edge b (of_index (turn k)))) = Rabs (x (of_index k) - center b (of_index k))).
        { destruct (edge_of b p q turn V P Hq S T k) as [-> | ->]; [rewrite U; reflexivity |].
          replace (dot (less x (center b)) (fun k0 => - unit_of k k0)) with (- dot (less x (center b)) (unit_of k))
            by (unfold dot, sum; clear; lra). rewrite U, Rabs_Ropp. reflexivity. }
        rewrite <- E in H. set (y := dot _ _) in *. pose proof (Rle_abs y). pose proof (Rle_abs (- y)) as Q.
        rewrite Rabs_Ropp in Q. lra. }
      destruct (C X) as [s1 [S1 E1]], (C Y) as [s2 [S2 E2]], (C Z) as [s3 [S3 E3]].
      apply contains_is. exists (fun i => match i with X => s1 | Y => s2 | Z => s3 end). split; [intros []; auto |].
      apply functional_extensionality. intro k. pose proof (parts b (less x (center b)) k V) as Q.
      unfold sum in Q. rewrite E1, E2, E3 in Q. unfold place, sum. unfold less in Q. lra.
  Qed.
End AlignedBox.

(** A difference of at most h + h' is one of at most h and one of at most h'. *)
Lemma split_between : forall y h h', 0 <= h -> 0 <= h' -> - (h + h') <= y <= h + h' ->
  exists z z', Rabs z <= h /\ Rabs z' <= h' /\ y = z - z'.
Proof.
  intros y h h' H H' Y.
  destruct (Rlt_le_dec h y) as [L | L]; [exists h, (h - y) | destruct (Rlt_le_dec y (- h)) as [M | M];
    [exists (- h), (- h - y) | exists y, 0]]; repeat split; try (clear; lra); apply Rabs_le; lra.
Qed.

Theorem aligned_within_is : forall a b pa pb qa qb turn_a turn_b m, valid a -> valid b -> 0 < pa -> 0 < pb ->
  scaled_turn pa (rotation a) qa -> scaled_turn pb (rotation b) qb -> of_sides qa -> of_sides qb ->
  turned qa = Some turn_a -> turned qb = Some turn_b -> 0 <= m ->
  let square_of k := excess (apart a b (of_index k)) (half a (of_index (turn_a k)) + half b (of_index (turn_b k)))
    * excess (apart a b (of_index k)) (half a (of_index (turn_a k)) + half b (of_index (turn_b k))) in
  (within m a b <-> square_of Integers.I0 + square_of Integers.I1 + square_of Integers.I2 <= m * m).
Proof.
  intros a b pa pb qa qb turn_a turn_b m Va Vb Pa Pb Ha Hb Sa Sb Ta Tb Hm square_of.
  assert (CA := aligned_contains a pa qa turn_a Va Pa Ha Sa Ta). assert (CB := aligned_contains b pb qb turn_b Vb Pb Hb Sb Tb).
  assert (Cmp : forall v, len v <= m <-> square v <= m * m).
  { intro v. rewrite <- len_square. pose proof (len_pos v). split; intro; [nra | apply Rsqr_incr_0_var; auto]. }
  split.
  - intros [x [y [Hx [Hy L]]]]. apply Cmp in L. rewrite CA in Hx. rewrite CB in Hy.
    assert (One : forall k, square_of k <= less y x (of_index k) * less y x (of_index k)).
    { intro k. specialize (Hx k). specialize (Hy k). unfold square_of.
      replace (less y x (of_index k)) with (apart a b (of_index k) - ((x (of_index k) - center a (of_index k))
        - (y (of_index k) - center b (of_index k)))) by (unfold less, apart; clear; lra).
      apply excess_is_least. set (u := x _ - _) in *. set (w := y _ - _) in *.
      pose proof (Rle_abs u). pose proof (Rle_abs (- u)). pose proof (Rle_abs w). pose proof (Rle_abs (- w)).
      rewrite !Rabs_Ropp in *. lra. }
    pose proof (One Integers.I0). pose proof (One Integers.I1). pose proof (One Integers.I2).
    unfold square, dot, sum in L. simpl in *. lra.
  - intro H.
    assert (C : forall k, exists z z', Rabs z <= half a (of_index (turn_a k)) /\ Rabs z' <= half b (of_index (turn_b k)) /\
      square_of k = (apart a b (of_index k) - (z - z')) * (apart a b (of_index k) - (z - z'))).
    { intro k. pose proof (proj1 Va (of_index (turn_a k))) as HA. pose proof (proj1 Vb (of_index (turn_b k))) as HB.
      destruct (excess_is_met (apart a b (of_index k)) (half a (of_index (turn_a k)) + half b (of_index (turn_b k)))) as [y [Hy E]];
        [lra |].
      destruct (split_between y _ _ HA HB Hy) as [z [z' [Z1 [Z2 ->]]]]. exists z, z'. auto. }
    destruct (C Integers.I0) as [x1 [y1 [X1 [Y1 E1]]]], (C Integers.I1) as [x2 [y2 [X2 [Y2 E2]]]],
      (C Integers.I2) as [x3 [y3 [X3 [Y3 E3]]]].
    exists (fun k => center a k + match k with X => x1 | Y => x2 | Z => x3 end),
      (fun k => center b k + match k with X => y1 | Y => y2 | Z => y3 end).
    split; [| split].
    + apply CA. intros []; simpl; match goal with |- Rabs ?e <= _ => ring_simplify e end; auto.
    + apply CB. intros []; simpl; match goal with |- Rabs ?e <= _ => ring_simplify e end; auto.
    + apply Cmp. rewrite E1, E2, E3 in H. unfold square, dot, sum, less, apart in *. simpl in *. lra.
Qed.
