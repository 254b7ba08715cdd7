(** * A segment and a box around the origin: [segment_to_box] of [round/round_box.rs] compares their distance.

    They share a point if the line's intervals within the three slabs of the box, and the segment,
    share pairs of points: that is what [meets_box] asks. If they share none, an end of the segment is
    nearest, or an edge of the box. *)

Require Import Rbase Rfunctions List Bool Lra FunctionalExtensionality.
Import ListNotations.
From Obbligato Require Import Boxes Lengths Margins Distances Round Balls Directions Segments Orders.
Open Scope R_scope.

Definition in_box (h p : vec) : Prop := forall i, Rabs (p i) <= h i.
Definition on_way (x y : vec) (t : R) : vec := fun k => x k + t * (y k - x k).
Definition box_near (h q : vec) (r : R) : Prop := exists p, in_box h p /\ square (less q p) <= r.
Definition way_near (x y h : vec) (r : R) : Prop := exists t, 0 <= t <= 1 /\ box_near h (on_way x y t) r.

(** ** A point and the box: [point_to_box] *)
Definition box_square (q h : vec) : R := sum (fun i => excess (q i) (h i) * excess (q i) (h i)).
Definition box_order (q h : vec) (reach : R) : comparison := compared (box_square q h) reach.

Section Box.
  Variable h : vec.
  Hypothesis H : forall i, 0 <= h i.

  Lemma box_near_is : forall q r, box_near h q r <-> box_square q h <= r.
  Proof.
    intros q r. split.
    - intros [p [P L]]. eapply Rle_trans; [| exact L]. unfold box_square, square, dot, sum, less.
      assert (E : forall i, excess (q i) (h i) * excess (q i) (h i) <= (q i - p i) * (q i - p i)).
      { intro i. apply excess_is_least. apply Rabs_def2_le, P. }
      pose proof (E X). pose proof (E Y). pose proof (E Z). lra.
    - intro L. destruct (excess_is_met (q X) (h X) (H X)) as [x [BX EX]], (excess_is_met (q Y) (h Y) (H Y)) as [y [BY EY]],
        (excess_is_met (q Z) (h Z) (H Z)) as [z [BZ EZ]].
      exists (fun i => match i with X => x | Y => y | Z => z end). split; [intros []; apply Rabs_le; auto |].
      unfold box_square, sum in L. rewrite EX, EY, EZ in L. exact L.
  Qed.

  Theorem box_order_decides : forall q reach, decides (box_order q h reach) (box_near h q) reach.
  Proof.
    intros q reach. apply (decides_same _ (fun r => box_square q h <= r)); [intro; symmetry; apply box_near_is | apply decides_plain].
  Qed.

  Variables x y : vec.

  (** ** If they share a point: [meets_box] *)

  (** [m] is twice the middle of the segment, [a] twice its half. *)
  Definition axis_parts (m a : vec) (i : axis) : bool :=
    if Rlt_dec (2 * h i + Rabs (a i)) (Rabs (m i)) then true
    else if Rlt_dec (2 * h (next i) * Rabs (a (after i)) + 2 * h (after i) * Rabs (a (next i)))
      (Rabs (m (next i) * a (after i) - m (after i) * a (next i))) then true
    else false.
  Let m : vec := fun k => x k + y k.
  Let a : vec := fun k => y k - x k.
  Definition meets : bool := negb (axis_parts m a X || axis_parts m a Y || axis_parts m a Z).
  Definition share : Prop := exists t, 0 <= t <= 1 /\ in_box h (on_way x y t).

  (** The part of a line within a slab, about a center: all if the line is along the slab. *)
  Lemma slab : forall mi ai hi, 0 <= hi -> Rabs mi <= 2 * hi + Rabs ai -> exists c r,
    (forall t, Rabs (t - c) <= r -> Rabs (mi + t * ai) <= 2 * hi) /\ Rabs c <= 1 + r /\
    (forall mj aj hj, Rabs (mi * aj - mj * ai) <= 2 * hi * Rabs aj + 2 * hj * Rabs ai -> ai <> 0 -> aj <> 0 ->
      Rabs (c - - (mj / aj)) <= r + 2 * hj / Rabs aj) /\
    (ai = 0 -> c = 0 /\ r = 1) /\ (ai <> 0 -> c = - (mi / ai) /\ r = 2 * hi / Rabs ai).
  Proof.
    intros mi ai hi Hi F. destruct (Req_dec ai 0) as [Z0 | N].
    - exists 0, 1. subst ai. rewrite Rabs_R0 in F. split; [| split; [| split; [| split]]].
      + intros t _. rewrite Rmult_0_r, Rplus_0_r. lra.
      + rewrite Rabs_R0. lra.
      + intros. contradiction.
      + auto.
      + intro. contradiction.
    - assert (P : 0 < Rabs ai) by (apply Rabs_pos_lt; auto).
      exists (- (mi / ai)), (2 * hi / Rabs ai). split; [| split; [| split; [| split]]].
      + intros t T. replace (mi + t * ai) with ((t - - (mi / ai)) * ai) by (field; auto). rewrite Rabs_mult.
        apply (Rmult_le_compat_r (Rabs ai)) in T; [| lra].
        replace (2 * hi / Rabs ai * Rabs ai) with (2 * hi) in T by (field; lra). exact T.
      + rewrite Rabs_Ropp. unfold Rdiv at 1. rewrite Rabs_mult, Rabs_inv.
        apply (Rmult_le_reg_r (Rabs ai)); auto. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
        replace ((1 + 2 * hi / Rabs ai) * Rabs ai) with (Rabs ai + 2 * hi) by (field; lra). lra.
      + intros mj aj hj C _ Nj. assert (Pj : 0 < Rabs aj) by (apply Rabs_pos_lt; auto).
        replace (- (mi / ai) - - (mj / aj)) with (- ((mi * aj - mj * ai) * / (ai * aj))) by (field; auto).
        rewrite Rabs_Ropp, Rabs_mult, Rabs_inv, Rabs_mult.
        assert (PP : 0 < Rabs ai * Rabs aj) by (apply Rmult_lt_0_compat; auto).
        apply (Rmult_le_reg_r (Rabs ai * Rabs aj)); auto. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
        replace ((2 * hi / Rabs ai + 2 * hj / Rabs aj) * (Rabs ai * Rabs aj)) with (2 * hi * Rabs aj + 2 * hj * Rabs ai)
          by (field; lra). exact C.
      + intro. contradiction.
      + auto.
  Qed.

  (** Intervals about centers that meet in pairs have a point in common, and one in [-1, 1]. *)
  Lemma common : forall (c r : vec), (forall i, 0 <= r i) -> (forall i, Rabs (c i) <= 1 + r i) ->
    (forall i, Rabs (c (next i) - c (after i)) <= r (next i) + r (after i)) ->
    exists t, -1 <= t <= 1 /\ forall i, Rabs (t - c i) <= r i.
  Proof.
    intros c r R0 One Two.
    assert (D : forall i, c i - r i <= 1 /\ -1 <= c i + r i) by (intro i; specialize (One i); apply Rabs_def2_le in One; lra).
    assert (E : forall i, c (next i) - r (next i) <= c (after i) + r (after i) /\ c (after i) - r (after i) <= c (next i) + r (next i))
      by (intro i; specialize (Two i); apply Rabs_def2_le in Two; lra).
    pose proof (D X). pose proof (D Y). pose proof (D Z). pose proof (E X). pose proof (E Y). pose proof (E Z).
    pose proof (R0 X). pose proof (R0 Y). pose proof (R0 Z). simpl in *.
    set (t := Rmax (Rmax (-1) (c X - r X)) (Rmax (c Y - r Y) (c Z - r Z))).
    assert (L : -1 <= t /\ c X - r X <= t /\ c Y - r Y <= t /\ c Z - r Z <= t).
    { unfold t. pose proof (Rmax_l (Rmax (-1) (c X - r X)) (Rmax (c Y - r Y) (c Z - r Z))).
      pose proof (Rmax_r (Rmax (-1) (c X - r X)) (Rmax (c Y - r Y) (c Z - r Z))).
      pose proof (Rmax_l (-1) (c X - r X)). pose proof (Rmax_r (-1) (c X - r X)).
      pose proof (Rmax_l (c Y - r Y) (c Z - r Z)). pose proof (Rmax_r (c Y - r Y) (c Z - r Z)). lra. }
    assert (U : forall z, -1 <= z -> c X - r X <= z -> c Y - r Y <= z -> c Z - r Z <= z -> t <= z)
      by (intros; unfold t; repeat apply Rmax_lub; auto).
    exists t. split; [split; [lra | apply U; lra] |].
    intros []; apply Rabs_le; (split; [lra |]).
    - assert (t <= c X + r X) by (apply U; lra). lra.
    - assert (t <= c Y + r Y) by (apply U; lra). lra.
    - assert (t <= c Z + r Z) by (apply U; lra). lra.
  Qed.

  Theorem meets_is : meets = true <-> share.
  Proof.
    assert (P : meets = true <-> forall i, Rabs (m i) <= 2 * h i + Rabs (a i) /\
      Rabs (m (next i) * a (after i) - m (after i) * a (next i)) <= 2 * h (next i) * Rabs (a (after i)) + 2 * h (after i) * Rabs (a (next i))).
    { unfold meets. rewrite negb_true_iff, !orb_false_iff.
      assert (One : forall i, axis_parts m a i = false <-> Rabs (m i) <= 2 * h i + Rabs (a i) /\
        Rabs (m (next i) * a (after i) - m (after i) * a (next i)) <= 2 * h (next i) * Rabs (a (after i)) + 2 * h (after i) * Rabs (a (next i))).
      { intro i. unfold axis_parts. destruct (Rlt_dec _ _) as [L | L]; [split; [discriminate | intros [Q _]; lra] |].
        destruct (Rlt_dec _ _) as [L' | L']; [split; [discriminate | intros [_ Q]; lra] |]. split; [intros _ | reflexivity]. lra. }
      rewrite !One. split; [intros [[A B] C] []; auto | intro A; auto]. }
    rewrite P. clear P. split.
    - intro A.
      destruct (slab (m X) (a X) (h X) (H X) (proj1 (A X))) as [cx [rx [SX [OX [TX [ZX NX]]]]]].
      destruct (slab (m Y) (a Y) (h Y) (H Y) (proj1 (A Y))) as [cy [ry [SY [OY [TY [ZY NY]]]]]].
      destruct (slab (m Z) (a Z) (h Z) (H Z) (proj1 (A Z))) as [cz [rz [SZ [OZ [TZ [ZZ NZ]]]]]].
      assert (R0 : forall ai hi r, 0 <= hi -> (ai = 0 -> r = 1) -> (ai <> 0 -> r = 2 * hi / Rabs ai) -> 0 <= r).
      { intros ai hi r Hi Q N. destruct (Req_dec ai 0) as [E | E]; [rewrite Q by auto; lra |]. rewrite N by auto.
        apply Rmult_le_pos; [lra |]. apply Rlt_le, Rinv_0_lt_compat, Rabs_pos_lt, E. }
      assert (RX : 0 <= rx) by (apply (R0 (a X) (h X)); auto; intros E; [apply ZX | apply NX]; auto).
      assert (RY : 0 <= ry) by (apply (R0 (a Y) (h Y)); auto; intros E; [apply ZY | apply NY]; auto).
      assert (RZ : 0 <= rz) by (apply (R0 (a Z) (h Z)); auto; intros E; [apply ZZ | apply NZ]; auto).
      (* Two slabs: if the line is along one of them, the other has a point in [-1, 1]. *)
      assert (Pair : forall ai aj ci cj ri rj mj hj, (ai = 0 -> ci = 0 /\ ri = 1) -> (aj = 0 -> cj = 0 /\ rj = 1) ->
        (aj <> 0 -> cj = - (mj / aj) /\ rj = 2 * hj / Rabs aj) -> Rabs ci <= 1 + ri -> Rabs cj <= 1 + rj ->
        (ai <> 0 -> aj <> 0 -> Rabs (ci - - (mj / aj)) <= ri + 2 * hj / Rabs aj) -> Rabs (ci - cj) <= ri + rj).
      { intros ai aj ci cj ri rj mj hj Zi Zj Nj Oi Oj C. destruct (Req_dec ai 0) as [E | E].
        - destruct (Zi E) as [-> ->]. replace (0 - cj) with (- cj) by (clear; lra). rewrite Rabs_Ropp. lra.
        - destruct (Req_dec aj 0) as [E' | E'].
          + destruct (Zj E') as [-> ->]. rewrite Rminus_0_r. lra.
          + destruct (Nj E') as [-> ->]. auto. }
      destruct (common (fun i => match i with X => cx | Y => cy | Z => cz end) (fun i => match i with X => rx | Y => ry | Z => rz end))
        as [t [T C]]; try (intros []; simpl; auto).
      + apply (Pair (a Y) (a Z) cy cz ry rz (m Z) (h Z)); auto. intros. apply TY; auto. apply (A X).
      + apply (Pair (a Z) (a X) cz cx rz rx (m X) (h X)); auto. intros. apply TZ; auto. apply (A Y).
      + apply (Pair (a X) (a Y) cx cy rx ry (m Y) (h Y)); auto. intros. apply TX; auto. apply (A Z).
      + exists ((1 + t) / 2). split; [lra |].
        assert (Half : forall k, Rabs (m k + t * a k) <= 2 * h k -> Rabs (on_way x y ((1 + t) / 2) k) <= h k).
        { intros k L. replace (m k + t * a k) with (2 * on_way x y ((1 + t) / 2) k) in L by (unfold m, a, on_way; field).
          rewrite Rabs_mult, (Rabs_pos_eq 2) in L by lra. lra. }
        pose proof (C X) as CX. pose proof (C Y) as CY. pose proof (C Z) as CZ. simpl in CX, CY, CZ.
        intros []; apply Half; auto.
    - intros [t [T B]] i. set (s := 2 * t - 1).
      assert (S : Rabs s <= 1) by (apply Rabs_le; unfold s; lra).
      assert (L : forall k, Rabs (m k + s * a k) <= 2 * h k).
      { intro k. specialize (B k). replace (m k + s * a k) with (2 * on_way x y t k) by (unfold m, a, s, on_way; clear; lra).
        rewrite Rabs_mult, (Rabs_pos_eq 2) by lra. lra. }
      split.
      + replace (m i) with ((m i + s * a i) + - (s * a i)) by (clear; lra). eapply Rle_trans; [apply Rabs_triang |].
        rewrite Rabs_Ropp, Rabs_mult. pose proof (L i). pose proof (Rabs_pos (a i)).
        assert (Rabs s * Rabs (a i) <= 1 * Rabs (a i)) by (apply Rmult_le_compat_r; auto). lra.
      + replace (m (next i) * a (after i) - m (after i) * a (next i)) with
          ((m (next i) + s * a (next i)) * a (after i) + - ((m (after i) + s * a (after i)) * a (next i))) by (clear; lra).
        eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_Ropp, !Rabs_mult.
        apply Rplus_le_compat; apply Rmult_le_compat_r; auto; apply Rabs_pos.
  Qed.

  (** ** If they do not: an end, or an edge *)

  (** An edge along axis [i]: the sides of the two others. *)
  Definition side_of (e : axis * bool * bool) (k : axis) (last : bool) : bool :=
    let '(i, sj, sk) := e in
    match i, k with
    | X, X | Y, Y | Z, Z => last
    | X, Y | Y, Z | Z, X => sj
    | _, _ => sk
    end.
  Definition edge_end (e : axis * bool * bool) (last : bool) : vec := fun k => if side_of e k last then h k else - h k.
  Definition twelve : list (axis * bool * bool) :=
    flat_map (fun i => [(i, false, false); (i, true, false); (i, false, true); (i, true, true)]) [X; Y; Z].
  Definition edge_near (e : axis * bool * bool) (r : R) : Prop :=
    Distances.near (less y x) (less (edge_end e true) (edge_end e false)) (less x (edge_end e false)) r.

  Lemma in_twelve : forall e, In e twelve.
  Proof. intros [[[] []] []]; simpl; repeat first [left; reflexivity | right]. Qed.

  Lemma edge_in_box : forall e t, 0 <= t <= 1 -> in_box h (on_way (edge_end e false) (edge_end e true) t).
  Proof.
    intros e t T k. unfold on_way, edge_end. pose proof (H k). apply Rabs_le.
    destruct (side_of e k false), (side_of e k true); split; nra.
  Qed.

  Lemma edge_is_near : forall e r, edge_near e r -> way_near x y h r.
  Proof.
    intros e r [s [t [S [T L]]]]. exists s. split; auto. exists (on_way (edge_end e false) (edge_end e true) t).
    split; [apply edge_in_box; auto |]. eapply Rle_trans; [apply Req_le | exact L].
    unfold square, dot, sum, less, between, on_way. clear; lra.
  Qed.

  (** A point beyond, or at, two slabs is nearest to an edge. *)
  Lemma beyond_two : forall i t r, 0 <= t <= 1 -> h (next i) <= Rabs (on_way x y t (next i)) ->
    h (after i) <= Rabs (on_way x y t (after i)) -> box_square (on_way x y t) h <= r -> exists e, In e twelve /\ edge_near e r.
  Proof.
    intros i t r T J K L. set (q := on_way x y t) in *.
    set (up := fun k : axis => if Rle_dec 0 (q k) then true else false).
    exists (i, up (next i), up (after i)). split; [apply in_twelve |].
    assert (Side : forall k, h k <= Rabs (q k) -> excess (q k) (h k) * excess (q k) (h k)
      = (q k - (if up k then h k else - h k)) * (q k - (if up k then h k else - h k))).
    { intros k A. unfold excess, up. destruct (Rlt_dec (h k) (Rabs (q k))) as [B | B];
        unfold Rabs in *; destruct (Rcase_abs (q k)), (Rle_dec 0 (q k)); try lra; try (clear; lra).
      - replace (q k - - h k) with 0 by lra. clear; lra.
      - replace (q k - h k) with 0 by lra. clear; lra. }
    destruct (excess_is_met (q i) (h i) (H i)) as [c [C E]].
    assert (F : exists v, 0 <= v <= 1 /\ c = - h i + v * (h i - - h i)).
    { destruct (Req_dec (h i) 0) as [Z0 | N]; [exists 0; rewrite Z0 in *; lra |].
      assert (P : 0 < h i) by (pose proof (H i); lra). exists ((c + h i) / (2 * h i)).
      assert (Q : (c + h i) / (2 * h i) * (2 * h i) = c + h i) by (field; auto). split.
      - split; apply (Rmult_le_reg_r (2 * h i)); lra.
      - replace (h i - - h i) with (2 * h i) by (clear; lra). lra. }
    destruct F as [v [V Ec]]. exists t, v. split; auto. split; auto.
    eapply Rle_trans; [apply Req_le | exact L]. symmetry.
    assert (Be : forall k last c', (forall l, side_of (i, up (next i), up (after i)) k l = last) ->
      c' = (if last then h k else - h k) -> between (less y x) (less (edge_end (i, up (next i), up (after i)) true)
      (edge_end (i, up (next i), up (after i)) false)) (less x (edge_end (i, up (next i), up (after i)) false)) t v k = q k - c').
    { intros k last c' Sd ->. unfold between, less, edge_end, q, on_way. rewrite !Sd. clear; lra. }
    assert (Bi : between (less y x) (less (edge_end (i, up (next i), up (after i)) true)
      (edge_end (i, up (next i), up (after i)) false)) (less x (edge_end (i, up (next i), up (after i)) false)) t v i = q i - c).
    { unfold between, less, edge_end, q, on_way. replace (side_of (i, up (next i), up (after i)) i true) with true by (destruct i; reflexivity).
      replace (side_of (i, up (next i), up (after i)) i false) with false by (destruct i; reflexivity). rewrite Ec. clear; lra. }
    assert (Bj := Be (next i) (up (next i)) _ ltac:(intro; destruct i; reflexivity) eq_refl).
    assert (Bk := Be (after i) (up (after i)) _ ltac:(intro; destruct i; reflexivity) eq_refl).
    pose proof (Side (next i) J) as Sj. pose proof (Side (after i) K) as Sk. clear Be Side.
    set (bt := between _ _ _ _ _) in *. unfold box_square, square, dot, sum.
    destruct i; simpl next in *; simpl after in *; rewrite E, Sj, Sk, Bi, Bj, Bk; clear; lra.
  Qed.

  Lemma unit_size : forall g, g = 1 \/ g = -1 -> Rabs g = 1.
  Proof. intros g G. unfold Rabs. destruct (Rcase_abs g); lra. Qed.

  (** How far a coordinate stays within its slab. *)
  Lemma leaves_slab : forall q v hk T, Rabs q <= hk -> 0 <= T -> exists T', 0 <= T' <= T /\
    (forall t, 0 <= t <= T' -> Rabs (q + t * v) <= hk) /\ (T' = T \/ hk <= Rabs (q + T' * v)).
  Proof.
    intros q v hk T Q T0. destruct (Rle_lt_dec (Rabs (q + T * v)) hk) as [A | A].
    - exists T. split; [lra |]. split; [| auto]. intros t Ht. apply Rabs_def2_le in Q, A. apply Rabs_le.
      destruct (Rle_lt_dec 0 v); split; nra.
    - assert (N : v <> 0) by (intros ->; rewrite Rmult_0_r, Rplus_0_r in A; lra).
      set (g := if Rlt_dec 0 v then 1 else -1). assert (G : g * g = 1) by (unfold g; destruct (Rlt_dec 0 v); clear; lra).
      set (T' := (g * hk - q) / v). assert (E : T' * v = g * hk - q) by (unfold T'; field; auto).
      apply Rabs_def2_le in Q.
      assert (In : 0 <= T' <= T).
      { unfold g in *. destruct (Rlt_dec 0 v) as [V | V].
        - unfold Rabs in A. destruct (Rcase_abs (q + T * v)); [nra |]. split; apply (Rmult_le_reg_r v); lra.
        - assert (V' : 0 < - v) by lra. unfold Rabs in A. destruct (Rcase_abs (q + T * v)); [| nra].
          split; apply (Rmult_le_reg_r (- v)); lra. }
      exists T'. split; auto. split.
      + intros t Ht. apply Rabs_le. unfold g in *. destruct (Rlt_dec 0 v) as [V | V]; split; nra.
      + right. rewrite E. replace (q + (g * hk - q)) with (g * hk) by (clear; lra). rewrite Rabs_mult, unit_size by (unfold g; destruct (Rlt_dec 0 v); auto).
        pose proof (Rle_abs hk). lra.
  Qed.

  (** Beyond one slab: moved towards it, an end or an edge is met. *)
  Lemma beyond_one : forall i t r, ~ share -> 0 <= t <= 1 -> h i < Rabs (on_way x y t i) ->
    Rabs (on_way x y t (next i)) <= h (next i) -> Rabs (on_way x y t (after i)) <= h (after i) ->
    box_square (on_way x y t) h <= r -> box_square x h <= r \/ box_square y h <= r \/ exists e, In e twelve /\ edge_near e r.
  Proof.
    intros i t r No T I J K L.
    set (g := if Rle_dec 0 (on_way x y t i) then 1 else -1).
    assert (G : g = 1 \/ g = -1) by (unfold g; destruct (Rle_dec 0 _); auto).
    assert (GA : Rabs (on_way x y t i) = g * on_way x y t i)
      by (unfold g, Rabs; destruct (Rle_dec 0 _), (Rcase_abs _); lra).
    set (d := if Rle_dec (g * (y i - x i)) 0 then 1 else -1).
    assert (D : (d = 1 \/ d = -1) /\ d * (g * (y i - x i)) <= 0) by (unfold d; destruct (Rle_dec _ 0); split; auto; lra).
    destruct D as [D Fall]. set (T0 := if Rle_dec (g * (y i - x i)) 0 then 1 - t else t).
    assert (TT : 0 <= T0 /\ (forall s, 0 <= s <= T0 -> 0 <= t + s * d <= 1) /\ (t + T0 * d = 0 \/ t + T0 * d = 1))
      by (unfold T0, d; destruct (Rle_dec _ 0); repeat split; intros; lra).
    destruct TT as [TP [TW TE]].
    assert (Mv : forall s k, on_way x y (t + s * d) k = on_way x y t k + s * (d * (y k - x k))) by (intros; unfold on_way; clear; lra).
    destruct (leaves_slab (on_way x y t (next i)) (d * (y (next i) - x (next i))) (h (next i)) T0 J TP) as [T1 [P1 [W1 S1]]].
    destruct (leaves_slab (on_way x y t (after i)) (d * (y (after i) - x (after i))) (h (after i)) T1 K (proj1 P1)) as [T2 [P2 [W2 S2]]].
    assert (Above : forall s, 0 <= s <= T2 -> h i < g * on_way x y (t + s * d) i).
    { intros s Hs. apply Rnot_le_lt. intro B. apply No. rewrite Mv in B.
      set (q := on_way x y t i) in *. set (v := d * (y i - x i)) in *.
      rewrite GA in I. fold q in I. assert (V0 : g * v <= 0) by (unfold v; lra).
      assert (V : g * v < 0).
      { destruct (Req_dec (g * v) 0) as [Z0 | N]; [| lra]. assert (s * (g * v) = 0) by (rewrite Z0; clear; lra). lra. }
      (* The place at which the slab is reached. *)
      set (z := (h i - g * q) / (g * v)). assert (E : z * (g * v) = h i - g * q) by (unfold z, Rdiv; rewrite Rmult_assoc, Rinv_l by lra; clear; lra).
      assert (Zs : 0 <= z <= s) by (split; apply (Rmult_le_reg_r (- (g * v))); lra).
      exists (t + z * d). split; [apply TW; lra |].
      assert (Own : Rabs (on_way x y (t + z * d) i) <= h i).
      { rewrite Mv. fold q v. replace (q + z * v) with (g * (g * q + z * (g * v))) by (destruct G as [-> | ->]; clear; lra).
        rewrite E. replace (g * (g * q + (h i - g * q))) with (g * h i) by (clear; lra). rewrite Rabs_mult, (Rabs_pos_eq (h i)), unit_size by auto. lra. }
      assert (N1 : Rabs (on_way x y (t + z * d) (next i)) <= h (next i)) by (rewrite Mv; apply W1; lra).
      assert (N2 : Rabs (on_way x y (t + z * d) (after i)) <= h (after i)) by (rewrite Mv; apply W2; lra).
      intro k. destruct i, k; auto. }
    assert (Less : box_square (on_way x y (t + T2 * d)) h <= r).
    { eapply Rle_trans; [| exact L].
      assert (Q : forall s k, Rabs (on_way x y s k) <= h k -> excess (on_way x y s k) (h k) = 0)
        by (intros s k B; unfold excess; destruct (Rlt_dec _ _); [lra | reflexivity]).
      assert (Q1 : excess (on_way x y (t + T2 * d) (next i)) (h (next i)) = 0) by (apply Q; rewrite Mv; apply W1; lra).
      assert (Q2 : excess (on_way x y (t + T2 * d) (after i)) (h (after i)) = 0) by (apply Q; rewrite Mv; apply W2; lra).
      assert (Q3 : 0 <= excess (on_way x y (t + T2 * d) i) (h i) <= excess (on_way x y t i) (h i)).
      { specialize (Above T2 ltac:(lra)).
        assert (A : Rabs (on_way x y (t + T2 * d) i) = g * on_way x y (t + T2 * d) i).
        { pose proof (H i). set (w := on_way x y (t + T2 * d) i) in *.
          unfold Rabs. destruct G as [-> | ->], (Rcase_abs w); lra. }
        unfold excess. rewrite A, GA. rewrite GA in I. destruct (Rlt_dec (h i) _) as [B | B]; [| contradiction].
        destruct (Rlt_dec (h i) _) as [B' | B']; [| contradiction]. split; [lra |]. rewrite Mv.
        assert (T2 * (d * (g * (y i - x i))) <= 0) by (clear - P2 Fall; nra). destruct G as [-> | ->]; lra. }
      pose proof (Q t (next i) J) as Q4. pose proof (Q t (after i) K) as Q5.
      unfold box_square, sum. destruct i; simpl next in *; simpl after in *; rewrite Q1, Q2, Q4, Q5; clear - Q3; nra. }
    assert (Far : h i <= Rabs (on_way x y (t + T2 * d) i)).
    { specialize (Above T2 ltac:(lra)). pose proof (Rle_abs (on_way x y (t + T2 * d) i)).
      pose proof (Rle_abs (- on_way x y (t + T2 * d) i)) as Q. rewrite Rabs_Ropp in Q. destruct G as [G | G]; rewrite G in Above; lra. }
    assert (In : 0 <= t + T2 * d <= 1) by (apply TW; lra).
    assert (Zero : forall s, s = 0 -> on_way x y s = x) by (intros s ->; apply functional_extensionality; intro; unfold on_way; clear; lra).
    assert (One : forall s, s = 1 -> on_way x y s = y) by (intros s ->; apply functional_extensionality; intro; unfold on_way; clear; lra).
    destruct S2 as [-> | S2].
    - destruct S1 as [-> | S1].
      + destruct TE as [TE | TE]; [rewrite (Zero _ TE) in Less; auto | rewrite (One _ TE) in Less; auto].
      + right. right. rewrite <- Mv in S1. apply (beyond_two (after i) (t + T1 * d)); auto; destruct i; auto.
    - right. right. rewrite <- Mv in S2. apply (beyond_two (next i) (t + T2 * d)); auto; destruct i; auto.
  Qed.

  Theorem apart_features : ~ share -> forall r, way_near x y h r <->
    (box_near h x r \/ box_near h y r) \/ exists e, In e twelve /\ edge_near e r.
  Proof.
    intros No r. split.
    - intros [t [T L]]. apply box_near_is in L. rewrite !box_near_is.
      assert (One : forall i, h i < Rabs (on_way x y t i) -> (box_square x h <= r \/ box_square y h <= r) \/ exists e, In e twelve /\ edge_near e r).
      { intros i I. destruct (Rle_lt_dec (Rabs (on_way x y t (next i))) (h (next i))) as [J | J].
        - destruct (Rle_lt_dec (Rabs (on_way x y t (after i))) (h (after i))) as [K | K].
          + destruct (beyond_one i t r No T I J K L) as [A | [A | A]]; auto.
          + right. apply (beyond_two (next i) t); auto; destruct i; simpl in *; lra.
        - right. apply (beyond_two (after i) t); auto; destruct i; simpl in *; lra. }
      destruct (Rle_lt_dec (Rabs (on_way x y t X)) (h X)) as [A | A]; [| apply (One X); auto].
      destruct (Rle_lt_dec (Rabs (on_way x y t Y)) (h Y)) as [B | B]; [| apply (One Y); auto].
      destruct (Rle_lt_dec (Rabs (on_way x y t Z)) (h Z)) as [C | C]; [| apply (One Z); auto].
      exfalso. apply No. exists t. split; auto. intros []; auto.
    - assert (Z0 : on_way x y 0 = x) by (apply functional_extensionality; intro; unfold on_way; clear; lra).
      assert (Z1 : on_way x y 1 = y) by (apply functional_extensionality; intro; unfold on_way; clear; lra).
      intros [[A | A] | [e [_ A]]]; [exists 0; rewrite Z0 | exists 1; rewrite Z1 | apply (edge_is_near e); auto]; split; auto; lra.
  Qed.

  (** ** All that is compared *)
  Definition edge_order (reach : R) (e : axis * bool * bool) : comparison :=
    segments_order (less y x) (less (edge_end e true) (edge_end e false)) (less x (edge_end e false)) reach.
  Definition segment_box_order (reach : R) : comparison :=
    let least := lesser (box_order x h reach) (box_order y h reach) in
    match least with
    | Lt => Lt
    | _ => if meets then compared 0 reach else fold_left (fun least e => lesser least (edge_order reach e)) twelve least
    end.

  Lemma decides_all : forall {A} (l : list A) (f : A -> comparison) (Q : A -> R -> Prop) reach, (forall e, decides (f e) (Q e) reach) ->
    forall c P, decides c P reach -> decides (fold_left (fun least e => lesser least (f e)) l c) (fun r => P r \/ exists e, In e l /\ Q e r) reach.
  Proof.
    intros A l f Q reach F. induction l as [| e l IH]; intros c P C; simpl.
    - apply (decides_same _ P); auto. intro r. split; [auto | intros [L | [e [[] _]]]; auto].
    - eapply decides_same; [| exact (IH _ _ (decides_lesser _ _ _ _ _ C (F e)))]. intro r. simpl. split.
      + intros [[L | L] | [e' [E L]]]; [auto | right; exists e; auto | right; exists e'; auto].
      + intros [L | [e' [[<- | E] L]]]; [auto | auto | right; exists e'; auto].
  Qed.

  Theorem segment_box_order_decides : forall reach, decides (segment_box_order reach) (way_near x y h) reach.
  Proof.
    intro reach. unfold segment_box_order. cbv zeta. set (least := lesser _ _).
    assert (L : decides least (fun r => box_near h x r \/ box_near h y r) reach) by (apply decides_lesser; apply box_order_decides).
    assert (Z0 : on_way x y 0 = x) by (apply functional_extensionality; intro; unfold on_way; clear; lra).
    assert (Z1 : on_way x y 1 = y) by (apply functional_extensionality; intro; unfold on_way; clear; lra).
    assert (Ends : forall r, box_near h x r \/ box_near h y r -> way_near x y h r)
      by (intros r [A | A]; [exists 0; rewrite Z0 | exists 1; rewrite Z1]; split; auto; lra).
    assert (Rest : decides (if meets then compared 0 reach
      else fold_left (fun least e => lesser least (edge_order reach e)) twelve least) (way_near x y h) reach).
    { destruct meets eqn:M.
      - apply meets_is in M. destruct M as [t [T B]]. apply (decides_same _ (fun r => 0 <= r)); [| apply decides_plain].
        intro r. split.
        + intro R0. exists t. split; auto. exists (on_way x y t). split; auto.
          replace (square (less (on_way x y t) (on_way x y t))) with 0 by (unfold square, dot, sum, less; clear; lra). exact R0.
        + intros [s [_ [p [_ Q]]]]. pose proof (square_pos (less (on_way x y s) p)). lra.
      - assert (No : ~ share) by (rewrite <- meets_is, M; discriminate).
        eapply decides_same; [intro r; symmetry; apply (apart_features No) |].
        apply (decides_all twelve (edge_order reach) edge_near); auto. intro e. apply segments_order_decides. }
    destruct least; [exact Rest | | exact Rest].
    destruct L as [L1 L2]. destruct (proj1 L2 eq_refl) as [r [R1 R2]]. split; split; intro; try discriminate; auto.
    - apply Ends, L1. discriminate.
    - exists r. auto.
  Qed.
End Box.
