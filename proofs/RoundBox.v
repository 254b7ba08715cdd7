(** * The answers in f32 about a box and a capsule or a ball are true: [round/filter.rs], "A box and a segment".

    All is seen from the box: its center is the origin, and its edges are the axes. *)

Require Import Rbase Rfunctions Lra Lia.
From Obbligato Require Import Boxes Formulas Rounding Flushing Lengths Constants Propagation Shader Margins Round Squares Balls Witnesses
  Directions Seen Segments.
Open Scope R_scope.

Section RoundBox.
  Variables (u K : R) (a b : body) (m R' E' L' : R) (d' p' : vec) (r' : quat) (z' x' y w' : vec) (t' along : R).
  Let h := half (core a).
  Let hB := half (core b) Z.
  Definition lengths_of_box : R := sum (sizes p') + sum (half (core a)) + half (core b) Z.

  (** A ball has no direction. y is the point of the box nearest to x: any point of it would do. *)
  Record round_box_run : Prop := {
    rb_d : centers_run u a b d';
    rb_p : exists n', computed u phi 4 2 (n (core a)) (n (core a)) n' /\ forall i, exists reciprocal,
      Rabs (reciprocal * n' - 1) <= 4 * u /\ computed_length u phi 12 4 12.3 (sum (sizes d'))
        (reciprocal * sum (fun k => W (rotation (core a)) k i * Rabs (d' k)))
        (reciprocal * sum (fun k => M (rotation (core a)) k i * d' k)) (p' i);
    rb_r : forall p, part p -> computed u phi 4 2 (p (relative_magnitude (rotation (core a)) (rotation (core b))))
      (p (r (core a) (core b))) (p r');
    rb_z : direction_run u r' z' \/ half (core b) Z = 0 /\ len z' = 1;
    rb_t : Rabs t' <= half (core b) Z;
    rb_x : forall i, computed_length u phi 2 2 2.1 (Rabs (p' i) + Rabs t') (Rabs (p' i) + Rabs t' * Rabs (z' i))
      (p' i + t' * z' i) (x' i);
    rb_y : forall i, Rabs (y i) <= half (core a) i;
    rb_w : forall i, subtracted u phi (x' i) (y i) (w' i);
    rb_witnesses : witnesses_run u K a b m R' E' L' lengths_of_box w'
  }.

  (** The point is deep inside the box, and the reach is not 0. *)
  Definition inside_box : Prop := 0 < R' /\ forall i, exists v,
    computed_length u phi 3 1 3 (half (core a) i + Rabs (x' i) + E') (half (core a) i + Rabs (x' i) + E')
      (half (core a) i - Rabs (x' i) - E') v /\ 0 < v.

  (** The projections, of 7 monomials. *)
  Definition round_box_apart : Prop := along_run u w' z' along /\
    projections_apart u R' E' L' (dot w' p' - dot (half (core a)) (sizes w') - half (core b) Z * along)
      (sum (fun i => Rabs (w' i) * Rabs (p' i)) + dot (half (core a)) (sizes w') + half (core b) Z * along)
      (2 * sum (sizes w') + sum (sizes p') + sum (half (core a)) + half (core b) Z + along + 2 * (R' + E' + L' + FLUSH_LENGTH)).

  Hypothesis u_range : 1 / 2 ^ 24 <= u <= 1 / 2 ^ 23.
  Hypothesis K_range : BOX_ERROR <= K <= 80.
  Hypothesis Hm : 0 <= m.
  Hypothesis Ha : valid (core a).
  Hypothesis Ra : round a = 0.
  Hypothesis Hb : capsule b.
  Hypothesis Hrun : round_box_run.
  Let l := len w'.
  Let S' := lengths_of_box.
  Let p := seen (core a) (centers a b).
  Let z := seen (core a) (axis_z b).

  Lemma K_of_box : 32 <= K <= 80.
  Proof. unfold BOX_ERROR in K_range. lra. Qed.
  Lemma Ra_pos : 0 <= round a.
  Proof. lra. Qed.

  Lemma h_pos : (forall i, 0 <= h i) /\ 0 <= hB /\ 0 <= sum h /\ len h <= sum h /\ 0 <= Rabs t'.
  Proof.
    assert (A : forall i, 0 <= h i) by apply (proj1 Ha). destruct Hb as [_ [_ [_ [B _]]]].
    split; [exact A |]. split; [exact B |]. pose proof (A X). pose proof (A Y). pose proof (A Z). split; [unfold sum; lra |].
    split; [| apply Rabs_pos]. pose proof (len_below_sum h) as [S _].
    replace (sum (fun k => Rabs (h k))) with (sum h) in S; [exact S |]. unfold sum. rewrite !Rabs_pos_eq by auto. reflexivity.
  Qed.

  Lemma turn_range : 0.495 <= s (core a) (core b) <= 1.00421.
  Proof.
    rewrite s_is. destruct Ha as [_ A]. destruct Hb as [_ [_ [_ [_ [B1 B2]]]]].
    set (x := norm2 (rotation (core a))) in *. set (v := norm2 (rotation (core b))) in *. split; nra.
  Qed.

  (** The direction that z' is near: that of the capsule. *)
  Lemma z_near : exists z1, len z1 = 1 /\ len (less z' z1) <= 60.8 * u /\ ((forall i, z1 i = z i) \/ hB = 0).
  Proof.
    destruct (turn_direction u u_range (core a) (core b) r' (rb_r Hrun) turn_range) as [T D].
    destruct (rb_z Hrun) as [Z | [Z0 Z1]].
    - exists z. assert (Zr : forall i, z i = direction_of (r (core a) (core b)) i).
      { intro i. apply direction_seen; [destruct Ha; lra | destruct Hb as [_ [_ [_ [_ B]]]]; lra]. }
      pose proof (direction_error u u_range r' z' T Z) as E. split; [| split; [| auto]].
      + rewrite (len_same z _ Zr). apply direction_is_unit. pose proof turn_range as TR. unfold s in TR. lra.
      + pose proof (len_added (less z' (direction_of r')) (less (direction_of r') (direction_of (r (core a) (core b))))) as L.
        rewrite (len_same (less z' z) (added (less z' (direction_of r')) (less (direction_of r') (direction_of (r (core a) (core b)))))).
        { lra. } { intro i. unfold less, added. rewrite Zr. clear; lra. }
    - exists z'. split; [exact Z1 |]. split; [| auto].
      rewrite (len_same _ (scaled 0 z')) by (intro; unfold less, scaled; clear; lra). rewrite len_scaled, Rabs_R0. lra.
  Qed.

  Lemma p_error : len (less p' p) <= 51.3 * u * len p' + 130 * phi.
  Proof.
    destruct (rb_p Hrun) as [n' [N H]]. pose proof (centers_len_error u u_range a b d' (rb_d Hrun)) as DE.
    assert (TA : turns (rotation (core a))) by (destruct Ha; unfold turns; lra). pose proof (len_pos d') as DP.
    pose proof phi_low as F. set (q := rotation (core a)) in *. change (n (core a)) with (norm2 q) in N. set (nn := norm2 q) in *.
    assert (NN : 0 < nn) by (unfold turns in TA; fold nn in TA; lra).
    set (g := 14.003 * u / nn). assert (GN : g * nn = 14.003 * u) by (unfold g; field; lra).
    assert (G0 : 0 <= g) by (unfold g; apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]).
    set (ev := (fun i => g * sum (fun k => W q k i * Rabs (d' k))) : vec).
    assert (SD : 0 <= sum (sizes d') <= 2 * len d').
    { destruct (len_below_sum d') as [D1 D2]. change (sum (fun k => Rabs (d' k))) with (sum (sizes d')) in D1, D2. lra. }
    assert (SW : forall i, 0 <= sum (fun k => W q k i * Rabs (d' k))).
    { intro i. unfold sum. repeat apply Rplus_le_le_0_compat; (apply Rmult_le_pos; [apply W_bounds | apply Rabs_pos]). }
    assert (B : forall i, Rabs (less p' p i) <= added (added ev (fun _ => (62 + 99 * sum (sizes d')) * phi))
      (added (scaled (8.1 * u) (sizes (seen (core a) d'))) (sizes (seen (core a) (less d' (centers a b))))) i).
    { intro i. destruct (H i) as [reciprocal [Q C]]. destruct (quotient_error u u_range q n' reciprocal TA N Q) as [RN [R0 R2]]. fold nn in RN.
      apply (rounded_length u phi (u_low u u_range) (phi_fourth u u_range) 12 4 _ _ _ _ _ 14 eq_refl ltac:(lia) ltac:(simpl; lra)) in C; [| lra].
      simpl INR in C. unfold added, scaled. fold q in C.
      assert (E14 : 0 <= error u 14 <= 14.0001 * u) by (pose proof (u_square u (u_low u u_range)); unfold error; simpl; lra).
      assert (Ev : error u 14 * (reciprocal * sum (fun k => W q k i * Rabs (d' k))) <= ev i).
      { unfold ev. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [apply SW |].
        apply (Rmult_le_reg_r nn); auto. rewrite GN. replace (error u 14 * reciprocal * nn) with (error u 14 * (reciprocal * nn)) by (clear; lra).
        apply Rabs_def2_le in RN. apply Rle_trans with (14.0001 * u * 1.00001); [| lra]. apply Rmult_le_compat; lra. }
      assert (Sd : reciprocal * sum (fun k => M q k i * d' k) = reciprocal * nn * seen (core a) d' i).
      { unfold seen, dot, edge. fold q nn. unfold sum. field. lra. }
      replace (less p' p i) with ((p' i - reciprocal * sum (fun k => M q k i * d' k)) +
        ((reciprocal * nn - 1) * seen (core a) d' i + seen (core a) (less d' (centers a b)) i)).
      2: { rewrite Sd. unfold less at 2, p. unfold seen, dot, sum, less. clear; lra. }
      eapply Rle_trans; [apply Rabs_triang |]. apply Rplus_le_compat.
      - eapply Rle_trans; [exact C |]. assert (0 <= phi * sum (sizes d')) by (apply Rmult_le_pos; lra). lra.
      - eapply Rle_trans; [apply Rabs_triang |]. unfold sizes at 1 2. apply Rplus_le_compat_r. rewrite Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos | exact RN]. }
    assert (P1 : len (less p' p) <= 51.2 * u * len d' + 120 * phi).
    { eapply Rle_trans; [exact (len_bounded _ _ B) |]. eapply Rle_trans; [apply len_added |].
      eapply Rle_trans; [apply Rplus_le_compat; apply len_added |].
      rewrite len_scaled, !len_sizes, !len_seen, Rabs_pos_eq by (auto; lra).
      assert (EV : len ev <= 42.01 * u * len d').
      { apply len_below; [apply Rmult_le_pos; lra |].
        assert (W0 : dot ev ev <= 3 * g * nn * (3 * g * nn) * dot d' d').
        { apply W_norm; auto. intro i. unfold ev. rewrite Rabs_pos_eq; [lra | apply Rmult_le_pos; auto]. }
        replace (3 * g * nn) with (3 * 14.003 * u) in W0 by lra. unfold square. eapply Rle_trans; [exact W0 |].
        change (dot d' d') with (square d'). rewrite <- len_square.
        assert (0 <= u * len d' * (u * len d')) by apply Rle_0_sqr. lra. }
      pose proof (len_all ((62 + 99 * sum (sizes d')) * phi) ltac:(apply Rmult_le_pos; lra)) as L4.
      assert (phi * sum (sizes d') <= 0.00001 * u * len d').
      { apply Rle_trans with (phi * (2 * len d')); [apply Rmult_le_compat_l; lra |]. rewrite <- Rmult_assoc.
        apply Rmult_le_compat_r; [auto | unfold phi; lra]. }
      assert (0 <= u * len d') by (apply Rmult_le_pos; lra). lra. }
    (* The length of p is that of d, nearly. *)
    assert (D1 : len d' <= len (centers a b) + (1.001 * u * len d' + 5.3 * phi)).
    { pose proof (len_added (centers a b) (less d' (centers a b))) as T.
      rewrite (len_same (added (centers a b) (less d' (centers a b))) d') in T by (intro; unfold added, less; clear; lra). lra. }
    assert (D2 : len p <= len p' + len (less p' p)).
    { pose proof (len_added p' (less p p')) as T. rewrite (len_same (added p' (less p p')) p) in T by (intro; unfold added, less; clear; lra).
      rewrite (len_other_way p p') in T. exact T. }
    assert (D3 : len p = len (centers a b)) by (unfold p; apply len_seen; auto).
    assert (UD : 0 <= u * len d' <= 0.0000002 * len d') by (split; [apply Rmult_le_pos | apply Rmult_le_compat_r]; lra).
    assert (D4 : (1 - 52.3 * u) * len d' <= len p' + 126 * phi) by lra.
    assert (u * ((1 - 52.3 * u) * len d') <= u * (len p' + 126 * phi)) by (apply Rmult_le_compat_l; lra).
    assert (u * (u * len d') <= 0.0000002 * (u * len d')) by (apply Rmult_le_compat_r; [apply Rmult_le_pos |]; lra).
    assert (u * phi <= 0.0000002 * phi) by (apply Rmult_le_compat_r; lra).
    assert (0 <= u * len p') by (apply Rmult_le_pos; [lra | apply len_pos]). lra.
  Qed.

  Lemma S_of_box : len p' + sum h + hB <= S' /\ 0 <= S' /\ 0 <= len p' /\ Rabs t' <= hB.
  Proof.
    destruct h_pos as [H0 [B0 [SH [_ T0]]]]. pose proof (len_below_sum p') as [P1 _]. pose proof (len_pos p').
    change (sum (fun k => Rabs (p' k))) with (sum (sizes p')) in P1. pose proof (rb_t Hrun). fold hB in H1.
    unfold S', lengths_of_box. fold h hB. lra.
  Qed.

  Lemma z_length : len z' <= 1.00002 /\ Rabs t' * len (less z' z) <= 60.8 * u * Rabs t'.
  Proof.
    destruct z_near as [z1 [Z1 [E Same]]]. split; [apply (direction_near u u_range z' z1 60.8); auto; lra |].
    destruct S_of_box as [_ [_ [_ T]]]. pose proof (Rabs_pos t'). destruct Same as [Same | Same].
    - rewrite (len_same (less z' z) (less z' z1)) by (intro i; unfold less; rewrite Same; reflexivity).
      rewrite (Rmult_comm (Rabs t')). apply Rmult_le_compat_r; auto.
    - assert (T0 : Rabs t' = 0) by lra. rewrite T0. lra.
  Qed.

  (** The true point t of the capsule's core, as seen from the box. *)
  Definition true_point : vec := added (seen (core a) (centers a b)) (scaled t' (seen (core a) (axis_z b))).

  Lemma x_rounded : forall i, Rabs (x' i - (p' i + t' * z' i)) <=
    2.001 * u * (Rabs (p' i) + Rabs t' * Rabs (z' i)) + (6.4 + 8.5 * S') * phi.
  Proof.
    intro i. pose proof (rb_x Hrun i) as C. destruct S_of_box as [S1 [S0 [P0 T]]]. destruct h_pos as [_ [_ [SH [_ T0]]]].
    pose proof (len_component p' i) as PC. pose proof (Rabs_pos (p' i)) as PP. pose proof phi_low as F.
    apply (rounded_length u phi (u_low u u_range) (phi_fourth u u_range) 2 2 _ _ _ _ _ 2 eq_refl ltac:(lia) ltac:(simpl; lra)) in C; [| lra].
    simpl INR in C. set (mag := Rabs (p' i) + Rabs t' * Rabs (z' i)) in *.
    assert (MP : 0 <= mag) by (unfold mag; pose proof (Rmult_le_pos _ _ T0 (Rabs_pos (z' i))); lra).
    assert (E2 : 0 <= error u 2 <= 2.001 * u) by (pose proof (u_square u (u_low u u_range)); unfold error; simpl; lra).
    assert (error u 2 * mag <= 2.001 * u * mag) by (apply Rmult_le_compat_r; lra).
    assert (phi * (Rabs (p' i) + Rabs t') <= phi * S') by (apply Rmult_le_compat_l; lra).
    assert (0 <= phi * S') by (apply Rmult_le_pos; lra). lra.
  Qed.

  Lemma x_error : len (less x' true_point) <= 63 * (u * S') + 150 * phi.
  Proof.
    destruct S_of_box as [S1 [S0 [P0 T]]]. destruct h_pos as [_ [B0 [SH [_ T0]]]]. destruct z_length as [ZL ZT].
    pose proof p_error as PE. pose proof phi_low as F.
    assert (B : forall i, Rabs (less x' true_point i) <= added (added (added (scaled (2.001 * u) (sizes p')) (scaled (2.001 * u * Rabs t') (sizes z')))
      (fun _ => (6.4 + 8.5 * S') * phi)) (added (sizes (less p' p)) (scaled (Rabs t') (sizes (less z' z)))) i).
    { intro i. pose proof (x_rounded i) as X1.
      pose proof (Rabs_triang (x' i - (p' i + t' * z' i)) ((p' i - p i) + t' * (z' i - z i))) as T1.
      pose proof (Rabs_triang (p' i - p i) (t' * (z' i - z i))) as T2. rewrite (Rabs_mult t') in T2.
      unfold true_point, less, added, scaled, sizes. fold p z.
      replace (x' i - (p i + t' * z i)) with (x' i - (p' i + t' * z' i) + (p' i - p i + t' * (z' i - z i))) by (clear; lra). lra. }
    eapply Rle_trans; [exact (len_bounded _ _ B) |]. eapply Rle_trans; [apply len_added |].
    eapply Rle_trans; [apply Rplus_le_compat; apply len_added |].
    pose proof (len_added (scaled (2.001 * u) (sizes p')) (scaled (2.001 * u * Rabs t') (sizes z'))) as A.
    rewrite !len_scaled, !len_sizes, (Rabs_pos_eq (2.001 * u)), (Rabs_pos_eq (2.001 * u * Rabs t')) in A
      by (try apply Rmult_le_pos; auto; lra).
    rewrite !len_scaled, !len_sizes, (Rabs_pos_eq (Rabs t')) by auto.
    pose proof (len_all ((6.4 + 8.5 * S') * phi) ltac:(apply Rmult_le_pos; lra)) as L4.
    assert (UT : 0 <= u * Rabs t') by (apply Rmult_le_pos; lra).
    assert (2.001 * u * Rabs t' * len z' <= 2.001 * u * Rabs t' * 1.00002) by (apply Rmult_le_compat_l; lra).
    assert (u * Rabs t' <= u * hB) by (apply Rmult_le_compat_l; lra).
    assert (US : u * (len p' + sum h + hB) <= u * S') by (apply Rmult_le_compat_l; lra).
    assert (0 <= u * len p') by (apply Rmult_le_pos; lra). assert (0 <= u * sum h) by (apply Rmult_le_pos; lra).
    assert (phi * S' <= 0.0001 * (u * S')) by (rewrite <- Rmult_assoc; apply Rmult_le_compat_r; unfold phi; lra). lra.
  Qed.

  Lemma w_of_box_below : l <= 1.001 * S' + 200 * phi.
  Proof.
    destruct S_of_box as [S1 [S0 [P0 T]]]. destruct h_pos as [H0 [B0 [SH [LH T0]]]]. destruct z_length as [ZL _]. pose proof phi_low as F.
    assert (B : forall i, Rabs (w' i) <= added (added (added (scaled 1.00001 (sizes p')) (scaled (1.00001 * Rabs t') (sizes z'))) (scaled 1.00001 h))
      (fun _ => (10 + 9 * S') * phi) i).
    { intro i. pose proof (x_rounded i) as X1. pose proof (subtracted_error u phi (u_low u u_range) (phi_fourth u u_range) _ _ _ (rb_w Hrun i)) as W1.
      pose proof (rb_y Hrun i) as Y1. fold h in Y1. pose proof (H0 i) as HI. pose proof (Rabs_pos (p' i)) as PP.
      pose proof (Rmult_le_pos _ _ T0 (Rabs_pos (z' i))) as TZ. unfold added, scaled, sizes.
      assert (W2 : Rabs (w' i) <= Rabs (x' i - y i) + (u * Rabs (x' i - y i) + 3.01 * phi)).
      { replace (w' i) with ((x' i - y i) + (w' i - (x' i - y i))) at 1 by (clear; lra). eapply Rle_trans; [apply Rabs_triang |]. lra. }
      assert (X2 : Rabs (x' i - y i) <= Rabs (x' i) + h i).
      { unfold Rminus. eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_Ropp. lra. }
      assert (X3 : Rabs (x' i) <= Rabs (p' i) + Rabs t' * Rabs (z' i) + Rabs (x' i - (p' i + t' * z' i))).
      { replace (x' i) with ((p' i + t' * z' i) + (x' i - (p' i + t' * z' i))) at 1 by (clear; lra). eapply Rle_trans; [apply Rabs_triang |].
        apply Rplus_le_compat_r. eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_mult. lra. }
      set (mag := Rabs (p' i) + Rabs t' * Rabs (z' i)) in *.
      assert (2.001 * u * mag <= 0.000001 * mag) by (apply Rmult_le_compat_r; unfold mag; lra).
      assert (u * Rabs (x' i - y i) <= 0.0000002 * Rabs (x' i - y i)) by (apply Rmult_le_compat_r; [apply Rabs_pos | lra]).
      assert (0 <= S' * phi) by (apply Rmult_le_pos; lra). unfold mag in *. lra. }
    unfold l. eapply Rle_trans; [exact (len_bounded _ _ B) |].
    eapply Rle_trans; [apply len_added |]. eapply Rle_trans; [apply Rplus_le_compat_r, len_added |].
    eapply Rle_trans; [apply Rplus_le_compat_r, Rplus_le_compat_r, len_added |].
    rewrite !len_scaled, !len_sizes, (Rabs_pos_eq 1.00001), (Rabs_pos_eq (1.00001 * Rabs t')) by (first [lra | apply Rmult_le_pos; lra]).
    pose proof (len_all ((10 + 9 * S') * phi) ltac:(apply Rmult_le_pos; lra)) as L4.
    assert (1.00001 * Rabs t' * len z' <= 1.00001 * Rabs t' * 1.00002) by (apply Rmult_le_compat_l; lra).
    assert (S' * phi <= S' * 0.000001) by (apply Rmult_le_compat_l; unfold phi; lra). lra.
  Qed.

  (** w, against the vector to the true point from y, a point of the box. *)
  Lemma w_of_box : len (less w' (less true_point y)) <= 64.1 * (u * S') + 160 * phi.
  Proof.
    pose proof x_error as XE. pose proof w_of_box_below as WB. destruct S_of_box as [S1 [S0 [P0 T]]]. pose proof phi_low as F.
    assert (B : forall i, Rabs (less w' (less x' y) i) <= added (scaled (1.001 * u) (sizes w')) (fun _ => 3.02 * phi) i).
    { intro i. pose proof (subtracted_error u phi (u_low u u_range) (phi_fourth u u_range) _ _ _ (rb_w Hrun i)) as W1.
      unfold less, added, scaled, sizes. set (v := x' i - y i) in *.
      assert (V : Rabs v <= Rabs (w' i) + Rabs (w' i - v)).
      { replace v with (w' i - (w' i - v)) at 1 by (clear; lra). unfold Rminus at 1. eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_Ropp. lra. }
      assert (u * Rabs v <= u * (Rabs (w' i) + Rabs (w' i - v))) by (apply Rmult_le_compat_l; lra).
      pose proof (Rabs_pos (w' i - v)). pose proof (Rabs_pos (w' i)).
      assert (u * Rabs (w' i - v) <= 0.0000002 * Rabs (w' i - v)) by (apply Rmult_le_compat_r; lra).
      assert (0 <= u * Rabs (w' i)) by (apply Rmult_le_pos; lra). lra. }
    pose proof (len_bounded _ _ B) as L1. pose proof (len_added (scaled (1.001 * u) (sizes w')) (fun _ => 3.02 * phi)) as L2.
    rewrite len_scaled, len_sizes, Rabs_pos_eq in L2 by lra. fold l in L2. pose proof (len_all (3.02 * phi) ltac:(lra)) as L3.
    pose proof (len_added (less w' (less x' y)) (less x' true_point)) as A.
    rewrite (len_same (added (less w' (less x' y)) (less x' true_point)) (less w' (less true_point y))) in A
      by (intro; unfold added, less; clear; lra).
    assert (u * l <= u * (1.001 * S' + 200 * phi)) by (apply Rmult_le_compat_l; lra).
    assert (u * phi <= 0.0000002 * phi) by (apply Rmult_le_compat_r; lra).
    assert (0 <= u * S') by (apply Rmult_le_pos; lra). lra.
  Qed.

  (** A point of the capsule's core and one of the box's, as seen from the box. *)
  Lemma point_of_box : forall v : vec, (forall i, Rabs (v i) <= h i) ->
    exists c, contains (core a) c /\ forall i, seen (core a) (less c (center (core a))) i = v i.
  Proof.
    intros v Hv.
    assert (Co : forall i, exists s, -1 <= s <= 1 /\ h i * s = v i).
    { intro i. specialize (Hv i). apply Rabs_def2_le in Hv. destruct (Req_dec (h i) 0) as [Z | N].
      - exists 0. split; lra.
      - assert (P : 0 < h i) by (destruct (proj1 Ha i); [auto | unfold h in *; congruence]).
        exists (v i / h i). assert (Q : v i / h i * h i = v i) by (field; auto). split; [split; apply (Rmult_le_reg_r (h i)); lra | lra]. }
    destruct (Co X) as [sx [X1 X2]], (Co Y) as [sy [Y1 Y2]], (Co Z) as [sz [Z1 Z2]].
    set (s := (fun i => match i with X => sx | Y => sy | Z => sz end) : vec).
    exists (fun k => center (core a) k + sum (fun i => half (core a) i * s i * edge (core a) i k)). split.
    - exists s. split; [intros [ | | ]; auto | reflexivity].
    - intro i. assert (V : half (core a) i * s i = v i) by (destruct i; auto). rewrite <- V.
      transitivity (sum (fun j => half (core a) j * s j * dot (edge (core a) j) (edge (core a) i))).
      + unfold seen, dot, sum, less. clear; lra.
      + unfold sum. rewrite !edges_dot by auto. destruct i; clear; lra.
  Qed.

  Lemma distance_seen : forall c x, contains (core a) c -> Rabs x <= hB ->
    exists q, contains (core b) q /\ len (less q c) =
      len (less (added (seen (core a) (centers a b)) (scaled x (seen (core a) (axis_z b)))) (seen (core a) (less c (center (core a))))).
  Proof.
    intros c x C Hx. exists (fun k => center (core b) k + x * axis_z b k). split; [apply on_segment; auto; exists x; auto |].
    rewrite <- (len_seen (core a)) by auto. apply len_same. intro i. unfold seen, dot, sum, less, added, scaled, centers, less. clear; lra.
  Qed.

  Theorem round_box_closer_is_true : points_closer u R' E' L' -> cores_closer (reach a b m) a b.
  Proof.
    intro H. destruct S_of_box as [S1 [S0 [P0 T]]]. destruct (point_of_box y (rb_y Hrun)) as [c [C V]].
    destruct (distance_seen c t' C T) as [q [Q D]]. exists c, q. split; [auto |]. split; [auto |]. rewrite D.
    rewrite (len_same _ (less true_point y)) by (intro i; unfold less at 1; rewrite V; reflexivity).
    eapply (points_are_closer u K a b m R' E' L' S' w' u_range K_of_box Ra_pos (proj1 Hb) Hm S0 (rb_witnesses Hrun) 64.1);
      [unfold BOX_ERROR in K_range; lra | exact w_of_box_below | | exact H].
    pose proof (len_added w' (less (less true_point y) w')) as A.
    rewrite (len_same (added w' (less (less true_point y) w')) (less true_point y)) in A by (intro; unfold added, less; clear; lra).
    rewrite (len_other_way (less true_point y) w') in A. pose proof w_of_box. pose proof phi_low. fold l in A |- *. lra.
  Qed.

  Theorem inside_is_true : inside_box -> cores_closer (reach a b m) a b.
  Proof.
    intros [RP H]. destruct S_of_box as [S1 [S0 [P0 T]]]. destruct h_pos as [H0 [B0 [SH [LH T0]]]]. pose proof phi_low as F.
    pose proof (reach_is_positive u a b m R' Ra_pos (proj1 Hb) Hm (wit_reach _ _ _ _ _ _ _ _ _ _ (rb_witnesses Hrun)) RP) as R0.
    assert (In : forall i, Rabs (true_point i) <= h i).
    { intro i. destruct (H i) as [v [C V]]. fold h in C.
      pose proof (E_between u K a b m R' E' L' S' w' u_range K_of_box S0 (rb_witnesses Hrun)) as [E1 _].
      pose proof (E_pos u K a b m R' E' L' S' w' u_range K_of_box S0 (rb_witnesses Hrun)) as E0.
      pose proof (Rabs_pos (x' i)) as XP. pose proof (H0 i) as HI.
      apply (rounded_length u phi (u_low u u_range) (phi_fourth u u_range) 3 1 _ _ _ _ _ 2 eq_refl ltac:(lia) ltac:(simpl; lra)) in C; [| lra].
      simpl INR in C. apply Rabs_def2_le in C. set (mag := h i + Rabs (x' i) + E') in *.
      assert (MP : 0 <= mag) by (unfold mag; lra).
      assert (E2 : 0 <= error u 2 <= 2.001 * u) by (pose proof (u_square u (u_low u u_range)); unfold error; simpl; lra).
      assert (error u 2 * mag <= 2.001 * u * mag) by (apply Rmult_le_compat_r; lra).
      assert (phi * mag <= 0.0001 * u * mag) by (apply Rmult_le_compat_r; unfold phi; lra).
      assert (M1 : Rabs (x' i) + E' - h i <= 2.002 * (u * mag) + 7 * phi) by lra.
      assert (HS : h i <= S').
      { assert (h i <= sum h) by (pose proof (H0 X); pose proof (H0 Y); pose proof (H0 Z); unfold sum; destruct i; lra). lra. }
      pose proof (len_component (less x' true_point) i) as XC. pose proof x_error as XE. unfold less at 1 in XC.
      assert (TX : Rabs (true_point i) <= Rabs (x' i) + Rabs (x' i - true_point i)).
      { replace (true_point i) with (x' i - (x' i - true_point i)) at 1 by (clear; lra). unfold Rminus at 1.
        eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_Ropp. lra. }
      assert (US : 0 <= u * S') by (apply Rmult_le_pos; lra). assert (UH : u * h i <= u * S') by (apply Rmult_le_compat_l; lra).
      assert (UX : u * Rabs (x' i) <= 0.0000002 * Rabs (x' i)) by (apply Rmult_le_compat_r; lra).
      assert (UE : u * E' <= 0.0000002 * E') by (apply Rmult_le_compat_r; lra).
      assert (UM : u * mag <= u * (2.1 * S') + 0.0000004 * E' + phi).
      { (* |x'| is at most h, nearly *)
        assert (u * S' <= 0.0000002 * S') by (apply Rmult_le_compat_r; lra).
        assert (X1 : Rabs (x' i) <= 1.000001 * S' + 8 * phi) by (unfold mag in *; lra).
        assert (u * Rabs (x' i) <= u * (1.000001 * S' + 8 * phi)) by (apply Rmult_le_compat_l; lra).
        assert (u * phi <= 0.0000002 * phi) by (apply Rmult_le_compat_r; lra).
        unfold mag. lra. }
      assert (KS : 75.9 * (u * S') <= (K - 0.01) * (u * S')) by (apply Rmult_le_compat_r; unfold BOX_ERROR in K_range; lra).
      assert (KR : 0 <= (K - 0.01) * (u * R')) by (apply Rmult_le_pos; [| apply Rmult_le_pos]; unfold BOX_ERROR in K_range; lra).
      unfold FLUSH_LENGTH, phi in *. lra. }
    destruct (point_of_box true_point In) as [c [C V]]. destruct (distance_seen c t' C T) as [q [Q D]].
    exists c, q. split; [auto |]. split; [auto |]. rewrite D.
    rewrite (len_same _ (scaled 0 true_point)) by (intro i; unfold less at 1; rewrite V; unfold true_point, scaled; clear; lra).
    rewrite len_scaled, Rabs_R0. lra.
  Qed.

  Theorem round_box_apart_is_true : round_box_apart -> cores_apart (reach a b m) a b.
  Proof.
    intros [RA H]. destruct S_of_box as [S1 [S0 [P0 T]]]. destruct h_pos as [H0 [B0 [SH [LH T0]]]]. pose proof phi_low as F.
    fold h hB in H. assert (LP : 0 <= l) by apply len_pos. destruct z_near as [z1 [Z1 [E Same]]].
    pose proof (along_error u u_range w' z' z1 along 60.8 RA Z1 E ltac:(lra)) as QA. fold l in QA. apply Rabs_def2_le in QA.
    assert (PA : 0 <= along) by (destruct RA as [v [-> _]]; apply Rabs_pos).
    assert (DA : Rabs (dot w' z1) <= l) by (pose proof (dot_len w' z1) as D; rewrite Z1, Rmult_1_r in D; exact D).
    assert (UL : 0 <= u * l <= 0.0000002 * l) by (split; [apply Rmult_le_pos | apply Rmult_le_compat_r]; lra).
    assert (TA : along <= 1.00002 * l + 10 * phi) by lra.
    set (own := dot h (sizes w')). set (G := dot w' p - own - hB * Rabs (dot w' z)).
    assert (Proj : forall c q, contains (core a) c -> contains (core b) q -> G <= l * len (less q c)).
    { intros c q [s [Hs Ec]] Q. apply on_segment in Q; auto. destruct Q as [x [Hx Q]]. fold hB in Hx.
      rewrite <- (len_seen (core a)) by auto.
      apply Rle_trans with (dot w' (seen (core a) (less q c))); [| eapply Rle_trans; [apply Rle_abs | apply dot_len]].
      assert (V : forall i, seen (core a) (less q c) i = p i + x * z i - h i * s i).
      { intro i. transitivity (p i + x * z i - sum (fun j => half (core a) j * s j * dot (edge (core a) j) (edge (core a) i))).
        - unfold p, z, seen, dot, sum, less, centers, less. rewrite !Q, !Ec. unfold sum. clear; lra.
        - unfold sum. rewrite !edges_dot by auto. unfold h. destruct i; clear; lra. }
      assert (Eq : dot w' (seen (core a) (less q c)) = dot w' p + x * dot w' z - sum (fun i => h i * s i * w' i))
        by (unfold dot at 1, sum; rewrite !V; unfold dot, sum; clear; lra).
      rewrite Eq. unfold G.
      assert (Ex : - (x * dot w' z) <= hB * Rabs (dot w' z)).
      { eapply Rle_trans; [apply Rle_abs |]. rewrite Rabs_Ropp, Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos | auto]. }
      assert (Eh : forall i, h i * s i * w' i <= h i * Rabs (w' i)).
      { intro i. rewrite Rmult_assoc. apply Rmult_le_compat_l; auto. eapply Rle_trans; [apply Rle_abs |]. rewrite Rabs_mult.
        rewrite <- (Rmult_1_l (Rabs (w' i))) at 2. apply Rmult_le_compat_r; [apply Rabs_pos |]. apply Rabs_le. destruct (Hs i). lra. }
      pose proof (Eh X). pose proof (Eh Y). pose proof (Eh Z). unfold own, dot, sum, sizes in *. lra. }
    assert (Rlt : reach a b m * l < G).
    { assert (OWN : 0 <= own <= l * sum h).
      { assert (O : forall i, 0 <= h i * sizes w' i <= h i * l).
        { intro i. pose proof (len_component w' i). unfold sizes. fold l in H1. pose proof (H0 i).
          split; [apply Rmult_le_pos; auto; apply Rabs_pos | apply Rmult_le_compat_l; auto]. }
        pose proof (O X). pose proof (O Y). pose proof (O Z). unfold own, dot. unfold sum at 1 2. unfold sum. lra. }
      pose proof (sizes_product w' p') as WP. fold l in WP.
      assert (SP : 0 <= sum (fun k => Rabs (w' k) * Rabs (p' k)))
        by (unfold sum; repeat apply Rplus_le_le_0_compat; apply Rmult_le_pos; apply Rabs_pos).
      assert (LS : l * (len p' + sum h + hB) <= l * S') by (apply Rmult_le_compat_l; auto).
      assert (LD : 0 <= l * len p') by (apply Rmult_le_pos; auto). assert (LH' : 0 <= l * sum h) by (apply Rmult_le_pos; auto).
      assert (LB : 0 <= l * hB) by (apply Rmult_le_pos; auto).
      assert (HA1 : 0 <= hB * along <= hB * (1.00002 * l + 10 * phi)) by (split; [apply Rmult_le_pos | apply Rmult_le_compat_l]; auto).
      assert (PS : phi * (len p' + sum h + hB) <= phi * S') by (apply Rmult_le_compat_l; lra).
      assert (PD : 0 <= phi * len p') by (apply Rmult_le_pos; lra). assert (PH : 0 <= phi * sum h) by (apply Rmult_le_pos; lra).
      assert (PB : 0 <= phi * hB) by (apply Rmult_le_pos; lra).
      destruct (root_error u K a b m R' E' L' S' w' u_range (rb_witnesses Hrun)) as [L0 _].
      pose proof (wit_reach_pos _ _ _ _ _ _ _ _ _ _ (rb_witnesses Hrun)) as RP.
      pose proof (E_pos u K a b m R' E' L' S' w' u_range K_of_box S0 (rb_witnesses Hrun)) as EP.
      eapply (projections_are_apart u K a b m R' E' L' S' w' u_range K_of_box Ra_pos (proj1 Hb) Hm S0 (rb_witnesses Hrun) 64);
        [unfold BOX_ERROR in K_range; lra | | | | exact H]; fold own l.
      - split; lra.
      - pose proof (len_below_sum w') as [W1 W2]. fold l in W1, W2. change (sum (fun k => Rabs (w' k))) with (sum (sizes w')) in W1, W2.
        assert (SD : 0 <= sum (sizes p')) by (unfold sum, sizes; repeat apply Rplus_le_le_0_compat; apply Rabs_pos).
        assert (SS : sum (sizes p') + sum h + hB = S') by reflexivity. unfold FLUSH_LENGTH, phi in *. split; lra.
      - unfold G.
        assert (M1 : dot w' p' - dot w' p <= l * (51.3 * u * len p' + 130 * phi)).
        { replace (dot w' p' - dot w' p) with (dot w' (less p' p)) by (unfold dot, sum, less; clear; lra).
          eapply Rle_trans; [apply Rle_abs |]. eapply Rle_trans; [apply dot_len |]. apply Rmult_le_compat_l; [auto | exact p_error]. }
        assert (M2 : hB * (Rabs (dot w' z) - along) <= hB * (63.81 * u * l + 10 * phi)).
        { destruct Same as [Same | Z0]; [| rewrite Z0; lra]. apply Rmult_le_compat_l; auto.
          replace (dot w' z) with (dot w' z1) by (unfold dot, sum; rewrite !Same; reflexivity). lra. }
        assert (ULS : u * (l * (len p' + sum h + hB)) <= u * (l * S')) by (apply Rmult_le_compat_l; lra).
        assert (0 <= u * (l * len p')) by (apply Rmult_le_pos; lra). assert (0 <= u * (l * sum h)) by (apply Rmult_le_pos; lra).
        assert (0 <= u * (l * S')) by (apply Rmult_le_pos; [lra | apply Rmult_le_pos; auto]).
        assert (0 <= phi * l) by (apply Rmult_le_pos; lra). lra. }
    intros c q C Q. specialize (Proj c q C Q). pose proof (reach_pos a b m Ra_pos (proj1 Hb) Hm) as RP0.
    apply Rnot_le_lt. intro N. assert (l * len (less q c) <= l * reach a b m) by (apply Rmult_le_compat_l; auto). lra.
  Qed.
End RoundBox.

(** The theorems, for shaders and the CPU. *)
Definition of_box (a : body) : Prop := valid (core a) /\ round a = 0.

Theorem round_box_separated : forall u K a b m R' E' L' d' p' r' z' x' y w' t' along,
  rounding_unit u -> BOX_ERROR <= K <= 80 -> of_box a -> capsule b -> 0 <= m -> round_box_run u K a b m R' E' L' d' p' r' z' x' y w' t' ->
  round_box_apart u a b R' E' L' p' z' w' along -> beyond m a b /\ (m = 0 -> ~ meet a b).
Proof.
  intros u K a b m R' E' L' d' p' r' z' x' y w' t' along U HK [Va R0] Hb Hm H S. apply unit_range in U.
  assert (P := round_box_apart_is_true u K a b m R' E' L' d' p' r' z' x' y w' t' along U HK Hm Va R0 Hb H S).
  destruct Hb as [Rb _]. assert (Ra : 0 <= round a) by lra.
  split; [apply apart_is_beyond; auto |]. intros ->. apply apart_is_separated; auto.
Qed.

Theorem round_box_overlapping : forall u K a b m R' E' L' d' p' r' z' x' y w' t',
  rounding_unit u -> BOX_ERROR <= K <= 80 -> of_box a -> capsule b -> 0 <= m -> round_box_run u K a b m R' E' L' d' p' r' z' x' y w' t' ->
  points_closer u R' E' L' \/ inside_box u a R' E' x' -> near m a b /\ (m = 0 -> overlap a b).
Proof.
  intros u K a b m R' E' L' d' p' r' z' x' y w' t' U HK [Va R0] Hb Hm H S. apply unit_range in U.
  assert (P : cores_closer (reach a b m) a b).
  { destruct S as [S | S].
    - exact (round_box_closer_is_true u K a b m R' E' L' d' p' r' z' x' y w' t' U HK Hm Va R0 Hb H S).
    - exact (inside_is_true u K a b m R' E' L' d' p' r' z' x' y w' t' U HK Hm Va R0 Hb H S). }
  destruct Hb as [Rb _]. assert (Ra : 0 <= round a) by lra.
  split; [apply closer_is_near; auto |]. intros ->. apply closer_is_overlap; auto.
Qed.
