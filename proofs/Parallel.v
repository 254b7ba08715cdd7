(** * The rule for nearly parallel edges: KAPPA.

    Let L = a_i x b_j, with a_i and b_j at an angle whose sine is at most S. Turning A about L, until
    its edge a_i is along b_j, changes no projection on L. After that, L is in the plane
    perpendicular to b_j, where the two boxes are rectangles, so a gap along L can be slid to a
    normal of a face. That of A has moved by at most 1.08 S. *)

Require Import Rbase Rfunctions List Lra FunctionalExtensionality.
Import ListNotations.
From Obbligato Require Import Boxes Formulas Lengths Slide Propagation Complete.
Open Scope R_scope.

Definition turn : R := 1.08.

Section Parallel.
  Variables (a b : box) (i j : axis) (D S : R).
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Let d := apart a b.
  Let q := edge b j.
  Let a0 := edge a i.
  Let a1 := edge a (next i).
  Let a2 := edge a (after i).
  Let q1 := dot q a1.
  Let q2 := dot q a2.
  Hypothesis HD : 0 <= D.
  Hypothesis Hd : dot d d <= D * D.
  Hypothesis HS : 0 <= S /\ q1 * q1 + q2 * q2 <= S * S.
  Hypothesis S_small : S <= 0.51.
  Let H (c : box) := sum (half c).
  Hypothesis faces_a : forall k, f a b (edge a k) <= - (turn * S * (D + H a + H b)).
  Hypothesis faces_b : forall k, f a b (edge b k) <= - (turn * S * (D + H a + H b)).

  Let sign := if Rle_dec 0 (dot q a0) then 1 else -1.
  Let c := sign * dot q a0.

  Lemma sign_square : sign * sign = 1 /\ dot q a0 = sign * c /\ 0 <= c.
  Proof. unfold c, sign. destruct (Rle_dec 0 (dot q a0)); repeat split; lra. Qed.

  Lemma unit_a : dot a0 a0 = 1 /\ dot a1 a1 = 1 /\ dot a2 a2 = 1 /\ dot a0 a1 = 0 /\ dot a0 a2 = 0 /\ dot a1 a2 = 0.
  Proof. unfold a0, a1, a2. rewrite !edges_dot by auto. destruct i; repeat split; reflexivity. Qed.

  Lemma in_frame : forall v w, dot v w = dot v a0 * dot w a0 + dot v a1 * dot w a1 + dot v a2 * dot w a2.
  Proof. intros v w. rewrite (dot_along a v w Ha). unfold sum, a0, a1, a2. destruct i; simpl; clear; lra. Qed.

  Lemma q_square : c * c + q1 * q1 + q2 * q2 = 1.
  Proof.
    pose proof (in_frame q q) as P. unfold q in P at 1 2. rewrite edge_self in P by auto.
    destruct sign_square as [A [B _]]. rewrite B in P. fold q1 q2 in P.
    replace (sign * c * (sign * c)) with (sign * sign * (c * c)) in P by (clear; lra). rewrite A in P. lra.
  Qed.

  Lemma S_pos : 0 <= S /\ Rabs q1 <= S /\ Rabs q2 <= S /\ 1 - c * c <= S * S.
  Proof.
    destruct HS as [P Q]. pose proof q_square as E.
    pose proof (Rle_0_sqr q1) as P1. pose proof (Rle_0_sqr q2) as P2. unfold Rsqr in *.
    repeat split; auto; try (apply abs_by_square; auto); lra.
  Qed.

  Lemma c_range : 0.86 <= c <= 1.
  Proof.
    destruct S_pos as [A [_ [_ B]]]. destruct sign_square as [_ [_ E]]. pose proof q_square as Q.
    pose proof (Rle_0_sqr q1) as P1. pose proof (Rle_0_sqr q2) as P2. unfold Rsqr in *.
    assert (S * S <= 0.2601) by nra. split; apply Rnot_lt_le; intro; nra.
  Qed.

  (** The turned edges of A. *)
  Let m : vec := fun k => sign * a0 k + q k.
  Let turned (e : vec) : vec := fun k => e k - dot q e / (1 + c) * m k.

  Lemma dot_m : forall v, dot m v = sign * dot a0 v + dot q v.
  Proof. intro v. unfold m, dot, sum. clear; lra. Qed.

  Lemma dot_turned : forall v e, dot v (turned e) = dot v e - dot q e / (1 + c) * dot m v.
  Proof. intros. unfold turned, dot, sum. clear; lra. Qed.

  Lemma m_length : dot m m <= 2 * 2.
  Proof.
    rewrite dot_m, !(dot_comm _ m), !dot_m. destruct unit_a as [U _]. destruct sign_square as [A [B _]].
    assert (QQ : dot q q = 1) by (apply edge_self; auto).
    rewrite U, ?(dot_comm a0 q), B, QQ. pose proof c_range.
    replace (sign * (sign * 1 + sign * c) + (sign * (sign * c) + 1)) with ((sign * sign) * (1 + c + c) + 1) by (clear; lra).
    rewrite A. lra.
  Qed.

  Definition coordinates (x y z : R) : vec := fun k => x * a0 k + y * a1 k + z * a2 k.

  Lemma cross_coordinates : forall x y z x' y' z' k,
    cross (coordinates x y z) (coordinates x' y' z') k =
    coordinates (y * z' - z * y') (z * x' - x * z') (x * y' - y * x') k.
  Proof.
    intros. unfold coordinates at 3, a0, a1, a2.
    pose proof (cross_edge a i k Ha) as E0. pose proof (cross_edge a (next i) k Ha) as E1.
    pose proof (cross_edge a (after i) k Ha) as E2. rewrite <- E0, <- E1, <- E2.
    unfold cross, coordinates, a0, a1, a2. destruct i; simpl; clear; lra.
  Qed.

  Lemma q_coordinates : q = coordinates (sign * c) q1 q2.
  Proof.
    apply functional_extensionality. intro k. destruct sign_square as [_ [E _]]. rewrite <- E.
    rewrite (parts a q k Ha). unfold coordinates, q1, q2, a0, a1, a2, sum. destruct i; simpl; clear; lra.
  Qed.

  Lemma turned_1 : turned a1 = coordinates (- (sign * q1)) (1 - q1 * q1 / (1 + c)) (- (q1 * q2 / (1 + c))).
  Proof.
    pose proof c_range. apply functional_extensionality. intro k. unfold turned, m. fold q1. rewrite q_coordinates.
    unfold coordinates. field. lra.
  Qed.

  Lemma turned_2 : turned a2 = coordinates (- (sign * q2)) (- (q1 * q2 / (1 + c))) (1 - q2 * q2 / (1 + c)).
  Proof.
    pose proof c_range. apply functional_extensionality. intro k. unfold turned, m. fold q2. rewrite q_coordinates.
    unfold coordinates. field. lra.
  Qed.

  Lemma one_more : c + (q1 * q1 + q2 * q2) / (1 + c) = 1.
  Proof.
    pose proof c_range. pose proof q_square. replace (q1 * q1 + q2 * q2) with ((1 - c) * (1 + c)) by lra. field. lra.
  Qed.

  Lemma quarter_turn : (forall k, cross q (turned a1) k = sign * turned a2 k) /\
    (forall k, cross q (turned a2) k = - sign * turned a1 k).
  Proof.
    pose proof c_range. destruct sign_square as [A _]. pose proof one_more as O.
    set (e := 1 + c) in *. assert (E : c = e - 1) by (unfold e; clear; lra).
    assert (I : e * / e = 1) by (apply Rinv_r; unfold e; lra).
    unfold Rdiv in *.
    assert (P1 : q1 * q1 * / e = 1 - c - q2 * q2 * / e) by lra.
    assert (CE : c * / e = 1 - / e) by (rewrite E at 1; lra).
    split; intro k; rewrite turned_1, turned_2, q_coordinates, cross_coordinates; fold e; unfold coordinates, Rdiv.
    - replace (q1 * - (q1 * q2 * / e) - q2 * (1 - q1 * q1 * / e)) with (- (sign * sign) * q2) by (rewrite A; clear; lra).
      replace (q2 * - (sign * q1) - sign * c * - (q1 * q2 * / e)) with (sign * (q1 * q2) * (c * / e - 1)) by (clear; lra).
      replace (sign * c * (1 - q1 * q1 * / e) - q1 * - (sign * q1)) with
        (sign * (c + q1 * q1 * (1 - c * / e))) by (clear; lra).
      rewrite CE. replace (c + q1 * q1 * (1 - (1 - / e))) with (c + q1 * q1 * / e) by (clear; lra). rewrite P1. clear; lra.
    - replace (q1 * (1 - q2 * q2 * / e) - q2 * - (q1 * q2 * / e)) with ((sign * sign) * q1) by (rewrite A; clear; lra).
      replace (q2 * - (sign * q2) - sign * c * (1 - q2 * q2 * / e)) with
        (- sign * (c + q2 * q2 * (1 - c * / e))) by (clear; lra).
      replace (sign * c * - (q1 * q2 * / e) - q1 * - (sign * q2)) with (sign * (q1 * q2) * (1 - c * / e)) by (clear; lra).
      rewrite CE. replace (c + q2 * q2 * (1 - (1 - / e))) with (1 - (1 - c - q2 * q2 * / e)) by (clear; lra).
      rewrite <- P1. clear; lra.
  Qed.

  Lemma unit_turned : dot (turned a1) (turned a1) = 1 /\ dot (turned a2) (turned a2) = 1.
  Proof.
    pose proof c_range. destruct sign_square as [A _]. pose proof q_square as Q.
    destruct unit_a as [U0 [U1 [U2 [V1 [V2 V3]]]]].
    assert (N : forall x y z, dot (coordinates x y z) (coordinates x y z) = x * x + y * y + z * z).
    { intros. assert (E : forall w, dot (coordinates x y z) w = x * dot a0 w + y * dot a1 w + z * dot a2 w)
        by (intro; unfold coordinates, dot, sum; clear; lra).
      rewrite E, !(dot_comm _ (coordinates _ _ _)), !E, (dot_comm a1 a0), (dot_comm a2 a0), (dot_comm a2 a1).
      rewrite U0, U1, U2, V1, V2, V3. clear; lra. }
    rewrite turned_1, turned_2, !N.
    replace (- (sign * q1) * - (sign * q1)) with (sign * sign * (q1 * q1)) by (clear; lra).
    replace (- (sign * q2) * - (sign * q2)) with (sign * sign * (q2 * q2)) by (clear; lra).
    rewrite A. assert (Q2 : q2 * q2 = (1 - c) * (1 + c) - q1 * q1) by lra.
    assert (X : q1 * q2 / (1 + c) * (q1 * q2 / (1 + c)) = q1 * q1 * (q2 * q2) / (1 + c) / (1 + c)) by (field; lra).
    rewrite !Rmult_opp_opp, X, Q2. split; field; lra.
  Qed.

  (** How far the turn takes an edge. *)
  Lemma turn_moves : forall v e n, 0 <= n -> dot v v <= n * n -> Rabs (dot q e) <= S ->
    Rabs (dot v (turned e) - dot v e) <= turn * S * n.
  Proof.
    intros v e n Hn Hv He. rewrite dot_turned. pose proof c_range.
    pose proof (dot_short m v 2 n ltac:(lra) Hn m_length Hv) as P.
    replace (dot v e - dot q e / (1 + c) * dot m v - dot v e) with (- (dot q e * dot m v * / (1 + c))) by (field; lra).
    rewrite Rabs_Ropp, !Rabs_mult, (Rabs_pos_eq (/ _)) by (apply Rlt_le, Rinv_0_lt_compat; lra).
    assert (L : / (1 + c) <= / 1.86) by (apply Rinv_le_contravar; lra).
    assert (0 <= / (1 + c)) by (apply Rlt_le, Rinv_0_lt_compat; lra).
    destruct S_pos as [Sp _].
    assert (Rabs (dot q e) * Rabs (dot m v) <= S * (2 * n)) by (apply Rmult_le_compat; auto; apply Rabs_pos).
    apply Rle_trans with (S * (2 * n) * / 1.86).
    - apply Rmult_le_compat; auto. apply Rmult_le_pos; apply Rabs_pos.
    - assert (0 <= S * n) by (apply Rmult_le_pos; lra). unfold turn. lra.
  Qed.

  Let l : generators := [(half a (next i), turned a1); (half a (after i), turned a2);
    (half b (next j), edge b (next j)); (half b (after j), edge b (after j))].

  Lemma abs_step : forall x y e, Rabs (x - y) <= e -> Rabs x <= Rabs y + e /\ Rabs y <= Rabs x + e.
  Proof.
    intros x y e E. pose proof (Rabs_triang_inv x y). pose proof (Rabs_triang_inv y x).
    rewrite (Rabs_minus_sym y x) in *. lra.
  Qed.

  Lemma halves : (forall k, 0 <= half a k) /\ (forall k, 0 <= half b k) /\
    H a = half a i + half a (next i) + half a (after i) /\ H b = half b j + half b (next j) + half b (after j).
  Proof.
    repeat split; try apply (proj1 Ha); try apply (proj1 Hb); unfold H, sum; [destruct i | destruct j]; simpl; clear; lra.
  Qed.

  Lemma radius_around : forall v c k, radius c v = half c k * Rabs (dot (edge c k) v)
    + half c (next k) * Rabs (dot (edge c (next k)) v) + half c (after k) * Rabs (dot (edge c (after k)) v).
  Proof. intros v c0 k. unfold radius, sum. destruct k; simpl; clear; lra. Qed.

  (** A face of B has no gap after the turn either. *)
  Lemma no_gap_b : forall k, k = next j \/ k = after j -> Rabs (dot d (edge b k)) <= reach l (edge b k).
  Proof.
    intros k Hk. pose proof (faces_b k) as F0. unfold f in F0. fold d in F0.
    rewrite (radius_around _ a i), (radius_around _ b j) in F0.
    destruct halves as [GA [GB [EA EB]]]. destruct S_pos as [Sp [S1 [S2 Sc]]].
    assert (Z0 : dot (edge b j) (edge b k) = 0)
      by (rewrite edges_dot by auto; destruct Hk as [-> | ->]; destruct j; reflexivity).
    rewrite Z0, Rabs_R0 in F0.
    assert (N : dot (edge b k) (edge b k) <= 1 * 1) by (rewrite edge_self by auto; lra).
    pose proof (turn_moves (edge b k) a1 1 ltac:(lra) N S1) as M1.
    pose proof (turn_moves (edge b k) a2 1 ltac:(lra) N S2) as M2.
    rewrite !(dot_comm (edge b k)) in M1, M2. apply abs_step in M1, M2.
    (* a_i is nearly perpendicular to it *)
    assert (P : Rabs (dot a0 (edge b k)) <= S).
    { apply abs_by_square; auto. pose proof (dot_along b a0 a0 Hb) as Q. destruct unit_a as [U _]. rewrite U in Q.
      assert (R0 : dot a0 (edge b j) * dot a0 (edge b j) = c * c).
      { destruct sign_square as [A [B _]]. rewrite dot_comm. fold q. rewrite B.
        replace (sign * c * (sign * c)) with ((sign * sign) * (c * c)) by (clear; lra). rewrite A. clear; lra. }
      pose proof (Rle_0_sqr (dot a0 (edge b X))) as Q1. pose proof (Rle_0_sqr (dot a0 (edge b Y))) as Q2.
      pose proof (Rle_0_sqr (dot a0 (edge b Z))) as Q3. unfold Rsqr, sum in *.
      destruct Hk as [-> | ->]; destruct j; simpl in *; lra. }
    fold a0 a1 a2 in F0. unfold reach, l. simpl.
    pose proof (Rmult_le_compat_l _ _ _ (GA i) P).
    pose proof (Rmult_le_compat_l _ _ _ (GA (next i)) (proj2 M1)).
    pose proof (Rmult_le_compat_l _ _ _ (GA (after i)) (proj2 M2)).
    assert (0 <= S * half a i) by (apply Rmult_le_pos; auto).
    assert (0 <= S * D) by (apply Rmult_le_pos; auto).
    assert (0 <= S * H b).
    { apply Rmult_le_pos; auto. rewrite EB. pose proof (GB j). pose proof (GB (next j)). pose proof (GB (after j)).
      lra. }
    rewrite EA in F0. unfold turn in *. lra.
  Qed.

  (** Nor has a face of A. *)
  Lemma no_gap_a : forall k, k = next i \/ k = after i -> Rabs (dot d (turned (edge a k))) <= reach l (turned (edge a
    k)).
  Proof.
    intros k Hk. pose proof (faces_a k) as F0. unfold f in F0. fold d in F0.
    rewrite (radius_around _ a i), (radius_around _ b j) in F0.
    destruct halves as [GA [GB [EA EB]]]. destruct S_pos as [Sp [S1 [S2 _]]].
    assert (SK : Rabs (dot q (edge a k)) <= S) by (destruct Hk as [-> | ->]; auto).
    pose proof (turn_moves d (edge a k) D HD Hd SK) as MD. apply abs_step in MD.
    assert (MB : forall x, Rabs (dot (edge b x) (turned (edge a k)) - dot (edge b x) (edge a k)) <= turn * S * 1)
      by (intro; apply turn_moves; auto; try lra; rewrite edge_self by auto; lra).
    pose proof (abs_step _ _ _ (MB (next j))) as M1. pose proof (abs_step _ _ _ (MB (after j))) as M2.
    fold q in F0.
    pose proof (Rmult_le_compat_l _ _ _ (GB j) SK).
    pose proof (Rmult_le_compat_l _ _ _ (GB (next j)) (proj2 M1)).
    pose proof (Rmult_le_compat_l _ _ _ (GB (after j)) (proj2 M2)).
    assert (0 <= S * half b j) by (apply Rmult_le_pos; auto).
    assert (0 <= S * H a).
    { apply Rmult_le_pos; auto. rewrite EA. pose proof (GA i). pose proof (GA (next i)). pose proof (GA (after i)).
      lra. }
    destruct unit_turned as [T1 T2].
    unfold reach, l. simpl. rewrite EB in F0. unfold turn in *.
    pose proof (Rabs_pos (dot (turned a1) (turned a2))) as X1. pose proof (Rabs_pos (dot (turned a2) (turned a1))) as
      X2.
    unfold a1, a2 in T1, T2, X1, X2 |- *.
    pose proof (Rmult_le_pos _ _ (GA (next i)) X2). pose proof (Rmult_le_pos _ _ (GA (after i)) X1).
    pose proof (Rmult_le_pos _ _ (GA (next i)) X1). pose proof (Rmult_le_pos _ _ (GA (after i)) X2).
    destruct Hk as [-> | ->]; rewrite ?T1, ?T2, ?Rabs_R1;
      rewrite !edges_dot in F0 by auto; destruct i; simpl in F0; rewrite ?Rabs_R0, ?Rabs_R1 in F0; simpl in *; lra.
  Qed.

  (** The rule: the axis of the two edges has no gap. *)
  Theorem parallel_edges : f a b (cross (edge a i) (edge b j)) <= 0.
  Proof.
    apply Rnot_lt_le. intro G.
    set (x := if Rle_dec 0 (dot d (cross a0 q)) then 1 else -1).
    set (v := fun k => x * cross a0 q k).
    assert (X : Rabs x = 1 /\ dot d v = Rabs (dot d (cross a0 q))).
    { unfold v. rewrite dot_scaled. unfold x. destruct (Rle_dec 0 (dot d (cross a0 q))).
      - rewrite Rabs_R1, Rabs_pos_eq by auto. lra.
      - rewrite (Rabs_left (-1)), (Rabs_left (dot d _)) by lra. lra. }
    assert (Perp : dot a0 (cross a0 q) = 0 /\ dot q (cross a0 q) = 0) by (unfold dot, cross, sum; simpl; split; clear; lra).
    assert (Pm : dot m v = 0) by (rewrite dot_m; unfold v; rewrite !dot_scaled; destruct Perp as [-> ->]; clear; lra).
    assert (Pq : dot q v = 0) by (unfold v; rewrite dot_scaled; destruct Perp as [_ ->]; clear; lra).
    assert (Gv : 0 < gap d l v).
    { unfold gap. destruct X as [X1 ->]. unfold f in G. fold d a0 q in G.
      rewrite (radius_around _ a i), (radius_around _ b j) in G. fold a0 a1 a2 q in G.
      destruct Perp as [P1 P2]. rewrite P1, P2, Rabs_R0 in G. unfold reach, l. simpl.
      assert (V : forall e, Rabs (dot e v) = Rabs (dot e (cross a0 q)))
        by (intro; unfold v; rewrite dot_scaled, Rabs_mult, X1; clear; lra).
      rewrite !(dot_comm (turned _)), !dot_turned, Pm, !(dot_comm v), Rmult_0_r, Rmult_0_r, !Rminus_0_r, !V. lra. }
    assert (Self : forall k, dot (edge b k) (edge b k) = 1) by (intro; apply edge_self; auto).
    pose proof (no_gap_b (next j) (or_introl eq_refl)) as NB.
    destruct (slide d l v (edge b (next j)) Gv) as [y [Gy E]].
    - pose proof (Rle_abs (dot d (edge b (next j)))). lra.
    - pose proof (Rle_abs (- dot d (edge b (next j)))) as Q. rewrite Rabs_Ropp in Q. lra.
    - apply Exists_exists. exists (half b (next j), edge b (next j)). split; [unfold l; simpl; auto |].
      simpl. rewrite Self. lra.
    - set (p := shifted v y (edge b (next j))) in *. apply Exists_exists in E. destruct E as [g [I [N Q]]].
      assert (Pp : dot p (edge b j) = 0).
      { unfold p. rewrite dot_comm, dot_shifted. fold q. rewrite Pq. unfold q. rewrite edges_dot by auto.
        destruct j; simpl; clear; lra. }
      destruct (along_product b j (snd g) p Hb Pp Q N) as [z Ez].
      assert (None : forall e s, Rabs (dot d e) <= reach l e -> p = (fun k => s * e k) -> False).
      { intros e s0 He Es. rewrite Es in Gy. unfold gap in Gy. rewrite dot_scaled, reach_scaled in Gy.
        pose proof (Rle_abs (s0 * dot d e)) as B. rewrite Rabs_mult in B.
        pose proof (Rmult_le_compat_l _ _ _ (Rabs_pos s0) He). lra. }
      destruct quarter_turn as [T1 T2].
      unfold l in I. simpl in I. destruct I as [<- | [<- | [<- | [<- | []]]]]; simpl in *.
      + apply (None (turned a2) (z * sign)); [apply (no_gap_a (after i)); auto |].
        rewrite Ez. apply functional_extensionality. intro k. fold q. rewrite T1. clear; lra.
      + apply (None (turned a1) (z * - sign)); [apply (no_gap_a (next i)); auto |].
        rewrite Ez. apply functional_extensionality. intro k. fold q. rewrite T2. clear; lra.
      + apply (None (edge b (after j)) z); [apply no_gap_b; auto |].
        rewrite Ez. apply functional_extensionality. intro k. rewrite <- (cross_edge b (after j) k Hb). destruct j;
          reflexivity.
      + apply N. rewrite edges_dot by auto. destruct j; reflexivity.
  Qed.
End Parallel.
