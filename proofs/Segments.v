(** * The answers in f32 about two capsules, one of which may be a ball, are true: [round/filter.rs], "Two segments". *)

Require Import Rbase Rfunctions Lra Lia.
From Obbligato Require Import Boxes Formulas Rounding Flushing Lengths Constants Propagation Shader Margins Round Squares Balls Witnesses
  Directions.
Open Scope R_scope.

(** The core of a capsule is a segment along its axis z; that of a ball has no length. *)
Definition capsule (b : body) : Prop := 0 <= round b /\
  half (core b) X = 0 /\ half (core b) Y = 0 /\ 0 <= half (core b) Z /\ 0.4989 <= norm2 (rotation (core b)) <= 1.0021.

Lemma capsule_turns : forall b, capsule b -> turns (rotation (core b)).
Proof. intros b [_ [_ [_ [_ T]]]]. unfold turns. lra. Qed.

Definition axis_z (b : body) : vec := direction_of (rotation (core b)).

Lemma on_segment : forall b p, capsule b -> contains (core b) p <->
  exists x, Rabs x <= half (core b) Z /\ forall k, p k = center (core b) k + x * axis_z b k.
Proof.
  intros b p [_ [HX [HY [HZ T]]]]. split.
  - intros [s [S E]]. exists (half (core b) Z * s Z). split.
    + rewrite Rabs_mult, (Rabs_pos_eq (half (core b) Z)) by auto. rewrite <- (Rmult_1_r (half (core b) Z)) at 2.
      apply Rmult_le_compat_l; auto. apply Rabs_le. destruct (S Z). split; auto.
    + intro k. rewrite E. unfold sum, axis_z, direction_of, edge. rewrite HX, HY. clear; lra.
  - intros [x [B E]]. apply Rabs_def2_le in B. destruct (Req_dec (half (core b) Z) 0) as [Z0 | N].
    + exists (fun _ => 0). split; [intros; lra |]. intro k. rewrite E. assert (x = 0) by lra. subst x. unfold sum. clear; lra.
    + exists (fun i => match i with Z => x / half (core b) Z | _ => 0 end).
      assert (Q : x / half (core b) Z * half (core b) Z = x) by (field; auto). assert (P : 0 < half (core b) Z) by (destruct HZ; [auto | congruence]).
      split.
      * intros [ | | ]; try lra. split; apply (Rmult_le_reg_r (half (core b) Z)); lra.
      * intro k. rewrite E. unfold sum, axis_z, direction_of, edge. field. split; [| exact N].
        lra.
Qed.

Section Segments.
  Variables (u K : R) (a b : body) (m R' E' L' : R) (d' zA' zB' w' : vec) (s' t' alongA alongB : R).
  Let hA := half (core a) Z.
  Let hB := half (core b) Z.
  Definition lengths_of_segments : R := sum (sizes d') + half (core a) Z + half (core b) Z.

  (** How s and t are found does not matter: they are clamped. *)
  Record segments_run : Prop := {
    seg_d : centers_run u a b d';
    seg_zA : direction_run u (rotation (core a)) zA';
    seg_zB : direction_run u (rotation (core b)) zB';
    seg_s : Rabs s' <= half (core a) Z;
    seg_t : Rabs t' <= half (core b) Z;
    seg_w : forall k, computed_length u phi 3 2 3.1 (Rabs (d' k) + Rabs t' + Rabs s')
      (Rabs (d' k) + Rabs t' * Rabs (zB' k) + Rabs s' * Rabs (zA' k)) (d' k + t' * zB' k - s' * zA' k) (w' k);
    seg_witnesses : witnesses_run u K a b m R' E' L' lengths_of_segments w'
  }.

  (** The projections, of 5 monomials, behind the absolute values of w.z. *)
  Record projections_run : Prop := {
    seg_alongA : along_run u w' zA' alongA;
    seg_alongB : along_run u w' zB' alongB
  }.
  Definition segments_apart : Prop := projections_run /\
    projections_apart u R' E' L' (dot w' d' - half (core a) Z * alongA - half (core b) Z * alongB)
      (sum (fun k => Rabs (w' k) * Rabs (d' k)) + half (core a) Z * alongA + half (core b) Z * alongB)
      (sum (sizes w') + sum (sizes d') + half (core a) Z + alongA + half (core b) Z + alongB + 2 * (R' + E' + L' + FLUSH_LENGTH)).

  Hypothesis u_range : 1 / 2 ^ 24 <= u <= 1 / 2 ^ 23.
  Hypothesis K_range : SEGMENTS_ERROR <= K <= 80.
  Hypothesis Hm : 0 <= m.
  Hypothesis Ha : capsule a.
  Hypothesis Hb : capsule b.
  Hypothesis Hrun : segments_run.
  Let l := len w'.
  Let S' := lengths_of_segments.

  Lemma K_enough : 32 <= K <= 80.
  Proof. unfold SEGMENTS_ERROR in K_range. lra. Qed.

  Lemma axes : 0 <= hA /\ 0 <= hB /\ len (axis_z a) = 1 /\ len (axis_z b) = 1 /\
    len (less zA' (axis_z a)) <= 16.9 * u /\ len (less zB' (axis_z b)) <= 16.9 * u /\ len zA' <= 1.00002 /\ len zB' <= 1.00002.
  Proof.
    pose proof (capsule_turns a Ha) as TA. pose proof (capsule_turns b Hb) as TB.
    destruct Ha as [_ [_ [_ [A _]]]], Hb as [_ [_ [_ [B _]]]].
    pose proof (direction_error u u_range _ _ TA (seg_zA Hrun)) as EA. pose proof (direction_error u u_range _ _ TB (seg_zB Hrun)) as EB.
    assert (UA : len (axis_z a) = 1) by (apply direction_is_unit; unfold turns in TA; lra).
    assert (UB : len (axis_z b) = 1) by (apply direction_is_unit; unfold turns in TB; lra).
    repeat split; auto; [apply (direction_near u u_range zA' (axis_z a) 16.9) | apply (direction_near u u_range zB' (axis_z b) 16.9)];
      auto; lra.
  Qed.

  Lemma S_is : len d' + hA + hB <= S' /\ 0 <= S' /\ 0 <= len d'.
  Proof.
    destruct axes as [A [B _]]. pose proof (len_below_sum d') as [D _]. pose proof (len_pos d') as P.
    change (sum (fun k => Rabs (d' k))) with (sum (sizes d')) in D. unfold S', lengths_of_segments. fold hA hB. lra.
  Qed.

  (** The true vector between the points s and t. *)
  Definition true_way : vec := added (centers a b) (added (scaled t' (axis_z b)) (scaled (- s') (axis_z a))).

  Lemma w_error : len (less w' true_way) <= 20.2 * (u * S') + 25 * phi.
  Proof.
    destruct axes as [A0 [B0 [UA [UB [EA [EB [NA NB]]]]]]]. destruct S_is as [S1 [S0 D0]]. pose proof (centers_len_error u u_range a b d' (seg_d Hrun)) as DE.
    pose proof (seg_s Hrun) as Hs. pose proof (seg_t Hrun) as Ht. fold hA in Hs. fold hB in Ht. pose proof phi_low as F.
    pose proof (Rabs_pos s') as SP. pose proof (Rabs_pos t') as TP.
    set (x := 3.001 * u).
    assert (B : forall k, Rabs (less w' true_way k) <= added (added (added (scaled x (sizes d')) (sizes (less d' (centers a b))))
      (added (scaled (x * Rabs t') (sizes zB')) (scaled (Rabs t') (sizes (less zB' (axis_z b))))))
      (added (added (scaled (x * Rabs s') (sizes zA')) (scaled (Rabs s') (sizes (less zA' (axis_z a))))) (fun _ => (9.4 + 12.5 * S') * phi)) k).
    { intro k. pose proof (seg_w Hrun k) as C. pose proof (Rabs_pos (d' k)) as DP. pose proof (len_component d' k) as DC.
      apply (rounded_length u phi (u_low u u_range) (phi_fourth u u_range) 3 2 _ _ _ _ _ 3 eq_refl ltac:(lia) ltac:(simpl; lra)) in C; [| lra].
      simpl INR in C. unfold true_way, less, added, scaled, sizes.
      assert (E3 : 0 <= error u 3 <= x) by (pose proof (u_square u (u_low u u_range)); unfold error, x; simpl; lra).
      set (mag := Rabs (d' k) + Rabs t' * Rabs (zB' k) + Rabs s' * Rabs (zA' k)) in *.
      assert (MP : 0 <= mag) by (unfold mag; pose proof (Rmult_le_pos _ _ TP (Rabs_pos (zB' k))); pose proof (Rmult_le_pos _ _ SP (Rabs_pos (zA' k))); lra).
      assert (M1 : error u 3 * mag <= x * mag) by (apply Rmult_le_compat_r; lra).
      assert (M2 : phi * (Rabs (d' k) + Rabs t' + Rabs s') <= phi * S') by (apply Rmult_le_compat_l; lra).
      pose proof (Rabs_triang (w' k - (d' k + t' * zB' k - s' * zA' k)) ((d' k - centers a b k) + (t' * (zB' k - axis_z b k) + - s' * (zA' k - axis_z a k)))) as T1.
      pose proof (Rabs_triang (d' k - centers a b k) (t' * (zB' k - axis_z b k) + - s' * (zA' k - axis_z a k))) as T2.
      pose proof (Rabs_triang (t' * (zB' k - axis_z b k)) (- s' * (zA' k - axis_z a k))) as T3. rewrite !Rabs_mult, Rabs_Ropp in T3.
      replace (w' k - (centers a b k + (t' * axis_z b k + - s' * axis_z a k))) with
        (w' k - (d' k + t' * zB' k - s' * zA' k) + ((d' k - centers a b k) + (t' * (zB' k - axis_z b k) + - s' * (zA' k - axis_z a k)))) by (clear; lra).
      assert (0 <= phi * S') by (apply Rmult_le_pos; lra). unfold mag in *. lra. }
    eapply Rle_trans; [exact (len_bounded _ _ B) |].
    assert (X0 : 0 <= x) by (unfold x; lra).
    assert (L1 : len (added (scaled x (sizes d')) (sizes (less d' (centers a b)))) <= 4.01 * u * len d' + 5.3 * phi).
    { eapply Rle_trans; [apply len_added |]. rewrite len_scaled, !len_sizes, Rabs_pos_eq by auto.
      assert (0 <= u * len d') by (apply Rmult_le_pos; lra). unfold x. lra. }
    assert (Part : forall y z' z, 0 <= y -> len z' <= 1.00002 -> len (less z' z) <= 16.9 * u ->
      len (added (scaled (x * y) (sizes z')) (scaled y (sizes (less z' z)))) <= 19.91 * u * y).
    { intros y z' z Y N E. eapply Rle_trans; [apply len_added |]. rewrite !len_scaled, !len_sizes, !Rabs_pos_eq by (try apply Rmult_le_pos; auto).
      assert (x * y * len z' <= x * y * 1.00002) by (apply Rmult_le_compat_l; auto; apply Rmult_le_pos; auto).
      assert (y * len (less z' z) <= y * (16.9 * u)) by (apply Rmult_le_compat_l; auto).
      assert (0 <= u * y) by (apply Rmult_le_pos; lra). unfold x in *. lra. }
    pose proof (Part (Rabs t') zB' (axis_z b) TP NB EB) as L2. pose proof (Part (Rabs s') zA' (axis_z a) SP NA EA) as L3.
    pose proof (len_all ((9.4 + 12.5 * S') * phi) ltac:(apply Rmult_le_pos; lra)) as L4.
    eapply Rle_trans; [apply len_added |]. eapply Rle_trans; [apply Rplus_le_compat; apply len_added |].
    assert (u * Rabs t' <= u * hB) by (apply Rmult_le_compat_l; lra). assert (u * Rabs s' <= u * hA) by (apply Rmult_le_compat_l; lra).
    assert (US : u * (len d' + hA + hB) <= u * S') by (apply Rmult_le_compat_l; lra).
    assert (0 <= u * len d') by (apply Rmult_le_pos; lra). assert (0 <= u * S') by (apply Rmult_le_pos; lra).
    assert (phi * S' <= 0.0001 * (u * S')) by (rewrite <- Rmult_assoc; apply Rmult_le_compat_r; unfold phi; lra). lra.
  Qed.

  Lemma w_below : l <= 1.001 * S' + 200 * phi.
  Proof.
    destruct axes as [A0 [B0 [UA [UB _]]]]. destruct S_is as [S1 [S0 D0]]. pose proof w_error as WE. pose proof (centers_len_error u u_range a b d' (seg_d Hrun)) as DE.
    pose proof (seg_s Hrun) as Hs. pose proof (seg_t Hrun) as Ht. fold hA in Hs. fold hB in Ht. pose proof phi_low.
    assert (C : len (centers a b) <= len d' + (1.001 * u * len d' + 5.3 * phi)).
    { pose proof (len_added d' (less (centers a b) d')) as T.
      rewrite (len_same (added d' (less (centers a b) d')) (centers a b)) in T by (intro; unfold added, less; clear; lra).
      rewrite (len_other_way (centers a b) d') in T. lra. }
    assert (T : len true_way <= len (centers a b) + (Rabs t' + Rabs s')).
    { unfold true_way. eapply Rle_trans; [apply len_added |]. apply Rplus_le_compat_l. eapply Rle_trans; [apply len_added |].
      rewrite !len_scaled, UA, UB, Rabs_Ropp. lra. }
    pose proof (len_added true_way (less w' true_way)) as W.
    rewrite (len_same (added true_way (less w' true_way)) w') in W by (intro; unfold added, less; clear; lra). fold l in W.
    assert (u * len d' <= 0.0000002 * len d') by (apply Rmult_le_compat_r; lra).
    assert (u * S' <= 0.0000002 * S') by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  Theorem segments_closer_is_true : points_closer u R' E' L' -> cores_closer (reach a b m) a b.
  Proof.
    intro H. destruct S_is as [S1 [S0 D0]]. pose proof K_enough.
    exists (fun k => center (core a) k + s' * axis_z a k), (fun k => center (core b) k + t' * axis_z b k).
    split; [apply on_segment; auto; exists s'; split; auto; apply (seg_s Hrun) |].
    split; [apply on_segment; auto; exists t'; split; auto; apply (seg_t Hrun) |].
    rewrite (len_same _ true_way) by (intro; unfold less, true_way, added, scaled, centers, less; clear; lra).
    eapply (points_are_closer u K a b m R' E' L' S' w' u_range K_enough (proj1 Ha) (proj1 Hb) Hm S0 (seg_witnesses Hrun) 20.2);
      [lra | exact w_below | | exact H].
    pose proof (len_added w' (less true_way w')) as T.
    rewrite (len_same (added w' (less true_way w')) true_way) in T by (intro; unfold added, less; clear; lra).
    rewrite (len_other_way true_way w') in T. pose proof w_error. pose proof phi_low. lra.
  Qed.

  Theorem segments_apart_is_true : segments_apart -> cores_apart (reach a b m) a b.
  Proof.
    intros [[RA RB] H]. destruct axes as [A0 [B0 [UA [UB [EA [EB [NA NB]]]]]]]. destruct S_is as [S1 [S0 D0]]. fold hA hB in H.
    pose proof (along_error u u_range _ _ _ _ 16.9 RA UA EA ltac:(lra)) as QA.
    pose proof (along_error u u_range _ _ _ _ 16.9 RB UB EB ltac:(lra)) as QB. fold l in QA, QB.
    assert (LP : 0 <= l) by apply len_pos. pose proof phi_low as F. pose proof K_enough as KE.
    assert (PA : 0 <= alongA) by (destruct RA as [v [-> _]]; apply Rabs_pos).
    assert (PB : 0 <= alongB) by (destruct RB as [v [-> _]]; apply Rabs_pos).
    assert (DA : Rabs (dot w' (axis_z a)) <= l) by (pose proof (dot_len w' (axis_z a)) as D; rewrite UA, Rmult_1_r in D; exact D).
    assert (DB : Rabs (dot w' (axis_z b)) <= l) by (pose proof (dot_len w' (axis_z b)) as D; rewrite UB, Rmult_1_r in D; exact D).
    apply Rabs_def2_le in QA. apply Rabs_def2_le in QB.
    assert (UL : 0 <= u * l <= 0.0000002 * l) by (split; [apply Rmult_le_pos | apply Rmult_le_compat_r]; lra).
    assert (TA : alongA <= 1.00001 * l + 10 * phi) by lra. assert (TB : alongB <= 1.00001 * l + 10 * phi) by lra.
    pose proof (sizes_product w' d') as WD. fold l in WD.
    set (G := dot w' (centers a b) - hA * Rabs (dot w' (axis_z a)) - hB * Rabs (dot w' (axis_z b))).
    assert (Proj : forall p q, contains (core a) p -> contains (core b) q -> G <= dot w' (less q p)).
    { intros p q P Q. apply on_segment in P; auto. apply on_segment in Q; auto. destruct P as [x [Hx P]], Q as [y [Hy Q]].
      fold hA in Hx. fold hB in Hy.
      assert (E : dot w' (less q p) = dot w' (centers a b) + y * dot w' (axis_z b) - x * dot w' (axis_z a))
        by (unfold dot, sum, less, centers, less; rewrite !P, !Q; clear; lra).
      rewrite E. unfold G.
      assert (Ex : x * dot w' (axis_z a) <= hA * Rabs (dot w' (axis_z a))).
      { eapply Rle_trans; [apply Rle_abs |]. rewrite Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos | auto]. }
      assert (Ey : - (y * dot w' (axis_z b)) <= hB * Rabs (dot w' (axis_z b))).
      { eapply Rle_trans; [apply Rle_abs |]. rewrite Rabs_Ropp, Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos | auto]. }
      lra. }
    apply (projection_apart a b (reach a b m) w' G Proj (reach_pos a b m (proj1 Ha) (proj1 Hb) Hm)).
    assert (LS : l * (len d' + hA + hB) <= l * S') by (apply Rmult_le_compat_l; auto).
    assert (LD : 0 <= l * len d') by (apply Rmult_le_pos; auto).
    assert (LA : 0 <= l * hA) by (apply Rmult_le_pos; auto). assert (LB : 0 <= l * hB) by (apply Rmult_le_pos; auto).
    assert (HA1 : 0 <= hA * alongA <= hA * (1.00001 * l + 10 * phi)) by (split; [apply Rmult_le_pos | apply Rmult_le_compat_l]; auto).
    assert (HB1 : 0 <= hB * alongB <= hB * (1.00001 * l + 10 * phi)) by (split; [apply Rmult_le_pos | apply Rmult_le_compat_l]; auto).
    assert (SP : 0 <= sum (fun k => Rabs (w' k) * Rabs (d' k)))
      by (unfold sum; repeat apply Rplus_le_le_0_compat; apply Rmult_le_pos; apply Rabs_pos).
    assert (PS : phi * (len d' + hA + hB) <= phi * S') by (apply Rmult_le_compat_l; lra).
    assert (PD : 0 <= phi * len d') by (apply Rmult_le_pos; lra).
    assert (PA0 : 0 <= phi * hA) by (apply Rmult_le_pos; lra). assert (PB0 : 0 <= phi * hB) by (apply Rmult_le_pos; lra).
    destruct (root_error u K a b m R' E' L' S' w' u_range (seg_witnesses Hrun)) as [L0 _].
    pose proof (wit_reach_pos _ _ _ _ _ _ _ _ _ _ (seg_witnesses Hrun)) as RP.
    pose proof (E_pos u K a b m R' E' L' S' w' u_range KE S0 (seg_witnesses Hrun)) as EP.
    eapply (projections_are_apart u K a b m R' E' L' S' w' u_range KE (proj1 Ha) (proj1 Hb) Hm S0 (seg_witnesses Hrun) 20);
      [lra | | | | exact H]; fold l.
    - split; [lra |]. lra.
    - pose proof (len_below_sum w') as [W1 W2]. fold l in W1, W2. change (sum (fun k => Rabs (w' k))) with (sum (sizes w')) in W1, W2.
      assert (SD : 0 <= sum (sizes d')) by (unfold sum, sizes; repeat apply Rplus_le_le_0_compat; apply Rabs_pos).
      assert (SS : sum (sizes d') + hA + hB = S') by reflexivity. unfold FLUSH_LENGTH, phi in *. split; lra.
    - unfold G.
      assert (M1 : dot w' d' - dot w' (centers a b) <= l * (1.001 * u * len d' + 5.3 * phi)).
      { replace (dot w' d' - dot w' (centers a b)) with (dot w' (less d' (centers a b))) by (unfold dot, sum, less; clear; lra).
        eapply Rle_trans; [apply Rle_abs |]. eapply Rle_trans; [apply dot_len |]. apply Rmult_le_compat_l; [auto | exact (centers_len_error u u_range a b d' (seg_d Hrun))]. }
      assert (M2 : hA * (Rabs (dot w' (axis_z a)) - alongA) <= hA * (19.91 * u * l + 10 * phi)) by (apply Rmult_le_compat_l; lra).
      assert (M3 : hB * (Rabs (dot w' (axis_z b)) - alongB) <= hB * (19.91 * u * l + 10 * phi)) by (apply Rmult_le_compat_l; lra).
      assert (ULS : u * (l * (len d' + hA + hB)) <= u * (l * S')) by (apply Rmult_le_compat_l; lra).
      assert (0 <= u * (l * len d')) by (apply Rmult_le_pos; lra). assert (0 <= u * (l * S')) by (apply Rmult_le_pos; [lra | apply Rmult_le_pos; auto]).
      assert (0 <= phi * l) by (apply Rmult_le_pos; lra). lra.
  Qed.
End Segments.

(** The theorems, for shaders and the CPU. *)
Theorem segments_separated : forall u K a b m R' E' L' d' zA' zB' w' s' t' alongA alongB,
  rounding_unit u -> SEGMENTS_ERROR <= K <= 80 -> capsule a -> capsule b -> 0 <= m ->
  segments_run u K a b m R' E' L' d' zA' zB' w' s' t' ->
  segments_apart u a b R' E' L' d' zA' zB' w' alongA alongB -> beyond m a b /\ (m = 0 -> ~ meet a b).
Proof.
  intros u K a b m R' E' L' d' zA' zB' w' s' t' pa pb U HK Ha Hb Hm H S. apply unit_range in U.
  assert (P := segments_apart_is_true u K a b m R' E' L' d' zA' zB' w' s' t' pa pb U HK Hm Ha Hb H S).
  destruct Ha as [Ra _], Hb as [Rb _].
  split; [apply apart_is_beyond; auto |]. intros ->. apply apart_is_separated; auto.
Qed.

Theorem segments_overlapping : forall u K a b m R' E' L' d' zA' zB' w' s' t', rounding_unit u -> SEGMENTS_ERROR <= K <= 80 -> capsule a -> capsule b -> 0 <= m ->
  segments_run u K a b m R' E' L' d' zA' zB' w' s' t' ->
  points_closer u R' E' L' -> near m a b /\ (m = 0 -> overlap a b).
Proof.
  intros u K a b m R' E' L' d' zA' zB' w' s' t' U HK Ha Hb Hm H S. apply unit_range in U.
  assert (P := segments_closer_is_true u K a b m R' E' L' d' zA' zB' w' s' t' U HK Hm Ha Hb H S).
  destruct Ha as [Ra _], Hb as [Rb _].
  split; [apply closer_is_near; auto |]. intros ->. apply closer_is_overlap; auto.
Qed.
