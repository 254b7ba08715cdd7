(** * Fifteen axes are enough (Gottschalk, Lin and Manocha, "OBBTree", 1996), zero extents included.

    First: if no direction at all separates two boxes, they collide. One segment of A - B at a time
    is taken from the difference of the centers, as Hahn and Banach do. Second: if some direction
    separates them, it can be slid to one of the fifteen. *)

Require Import Rbase Rfunctions List Lra FunctionalExtensionality.
Import ListNotations.
From Obbligato Require Import Boxes Formulas Propagation Slide.
Open Scope R_scope.

Lemma reach_pos : forall l v, Forall (fun g => 0 <= fst g) l -> 0 <= reach l v.
Proof.
  intros l v H. induction H; simpl; [lra |].
  apply Rplus_le_le_0_compat; auto. apply Rmult_le_pos; [auto | apply Rabs_pos].
Qed.

Lemma reach_difference : forall l v w, Forall (fun g => 0 <= fst g) l ->
  reach l (fun k => v k - w k) <= reach l v + reach l w.
Proof.
  intros l v w H. induction H as [| g l P Q IH]; simpl; [lra |].
  replace (dot (snd g) (fun k => v k - w k)) with (dot (snd g) v - dot (snd g) w) by (unfold dot, sum; clear; lra).
  assert (Rabs (dot (snd g) v - dot (snd g) w) <= Rabs (dot (snd g) v) + Rabs (dot (snd g) w)).
  { eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_Ropp. lra. }
  apply (Rmult_le_compat_l (fst g)) in H; auto. lra.
Qed.

(** One segment: some point of it can be subtracted. *)
Lemma one_segment : forall l h g d, 0 <= h -> Forall (fun g => 0 <= fst g) l ->
  (forall v, dot d v <= h * Rabs (dot g v) + reach l v) ->
  exists x, -h <= x <= h /\ forall v, dot (fun k => d k - x * g k) v <= reach l v.
Proof.
  intros l h g d Hh Hl H.
  set (lows := fun x => x = - h \/ exists v, dot g v = 1 /\ x = dot d v - reach l v).
  assert (Opposite : forall v, reach l (fun k => -1 * v k) = reach l v)
    by (intro; rewrite reach_scaled, (Rabs_left (-1)); lra).
  assert (Back : forall v, dot g v = 1 -> - h <= reach l v + dot d v).
  { intros v Hv. pose proof (H (fun k => -1 * v k)) as P. rewrite Opposite, !dot_scaled, Hv in P.
    rewrite (Rabs_left (-1 * 1)) in P; lra. }
  assert (Upper : forall v, dot g v = 1 -> is_upper_bound lows (reach l v + dot d v)).
  { intros v Hv x [-> | [w [Hw ->]]]; [auto |].
    pose proof (H (fun k => w k - v k)) as P. pose proof (reach_difference l w v Hl) as Q.
    replace (dot g (fun k => w k - v k)) with (dot g w - dot g v) in P by (unfold dot, sum; clear; lra).
    replace (dot d (fun k => w k - v k)) with (dot d w - dot d v) in P by (unfold dot, sum; clear; lra).
    rewrite Hw, Hv, Rminus_eq_0, Rabs_R0 in P. lra. }
  assert (Top : is_upper_bound lows h).
  { intros x [-> | [v [Hv ->]]]; [lra |]. pose proof (H v) as P. rewrite Hv, Rabs_R1 in P. lra. }
  destruct (completeness lows) as [x [Ux Lx]]; [exists h; exact Top | exists (- h); left; auto |].
  exists x. split; [split; [apply Ux; left; auto | apply Lx; exact Top] |].
  intro v. replace (dot (fun k => d k - x * g k) v) with (dot d v - x * dot g v) by (unfold dot, sum; clear; lra).
  set (p := dot g v).
  destruct (Req_dec p 0) as [E | E].
  - pose proof (H v) as P. fold p in P. rewrite E, Rabs_R0 in P. rewrite E. lra.
  - set (w := fun k => / p * v k).
    assert (W : dot g w = 1) by (unfold w; rewrite dot_scaled; fold p; field; auto).
    assert (D : dot d v = p * dot d w) by (unfold w; rewrite dot_scaled; field; auto).
    assert (N : reach l v = Rabs p * reach l w).
    { unfold w. rewrite reach_scaled, <- Rmult_assoc, <- Rabs_mult, Rinv_r, Rabs_R1; auto. clear; lra. }
    assert (A : dot d w - reach l w <= x) by (apply Ux; right; exists w; auto).
    assert (B : x <= reach l w + dot d w) by (apply Lx, Upper; auto).
    rewrite D, N. destruct (Rlt_le_dec p 0); [rewrite Rabs_left by auto | rewrite Rabs_pos_eq by auto]; nra.
Qed.

(** A point that no direction separates from a sum of segments is in it. *)
Fixpoint spans (l : generators) (d : vec) : Prop :=
  match l with
  | [] => forall k, d k = 0
  | g :: l => exists x, - fst g <= x <= fst g /\ spans l (fun k => d k - x * snd g k)
  end.

Lemma not_separated_spans : forall l d, Forall (fun g => 0 <= fst g) l ->
  (forall v, dot d v <= reach l v) -> spans l d.
Proof.
  induction l as [| g l IH]; intros d Hl H; simpl.
  - intro k. pose proof (H (unit_vector k)) as P. pose proof (H (fun i => - unit_vector k i)) as Q.
    unfold reach, dot, sum, unit_vector in *. destruct k; simpl in *; lra.
  - inversion_clear Hl. destruct (one_segment l (fst g) (snd g) d) as [x [X Y]]; auto.
    exists x. split; auto.
Qed.

(** ** The two boxes *)
Definition segments (b : box) : generators := map (fun i => (half b i, edge b i)) [X; Y; Z].

Section Boxes.
  Variables a b : box.
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Let l := segments a ++ segments b.
  Let d := apart a b.

  Lemma nonnegative : Forall (fun g => 0 <= fst g) l.
  Proof.
    unfold l, segments. simpl.
    repeat apply Forall_cons; try apply Forall_nil; simpl; solve [apply (proj1 Ha) | apply (proj1 Hb)].
  Qed.

  Lemma gap_is_f : forall v, reach l v = radius a v + radius b v.
  Proof. intro v. unfold l, segments, reach, radius, sum. simpl. clear; lra. Qed.

  Lemma coefficient : forall h x, - h <= x <= h -> exists s, -1 <= s <= 1 /\ x = h * s.
  Proof.
    intros h x H. destruct (Req_dec h 0) as [E | E]; [exists 0; lra |].
    assert (0 < h) by lra. exists (x / h). split; [| field; auto].
    split; apply (Rmult_le_reg_r h); auto; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
  Qed.

  Lemma no_gap_collides : (forall v, f a b v <= 0) -> collide a b.
  Proof.
    intro H.
    assert (S : spans l d).
    { apply not_separated_spans; [apply nonnegative |]. intro v. rewrite gap_is_f.
      specialize (H v). unfold f in H. pose proof (Rle_abs (dot (apart a b) v)). fold d in H, H0. lra. }
    unfold l, segments in S. simpl in S.
    destruct S as [x1 [X1 [x2 [X2 [x3 [X3 [y1 [Y1 [y2 [Y2 [y3 [Y3 E]]]]]]]]]]]].
    apply coefficient in X1, X2, X3, Y1, Y2, Y3.
    destruct X1 as [s1 [S1 ->]], X2 as [s2 [S2 ->]], X3 as [s3 [S3 ->]].
    destruct Y1 as [r1 [R1 ->]], Y2 as [r2 [R2 ->]], Y3 as [r3 [R3 ->]].
    exists (fun k => center a k + sum (fun i => half a i * (match i with X => s1 | Y => s2 | Z => s3 end) * edge a i
      k)).
    split.
    - exists (fun i => match i with X => s1 | Y => s2 | Z => s3 end). split; [intros []; auto | reflexivity].
    - exists (fun i => match i with X => - r1 | Y => - r2 | Z => - r3 end).
      split; [intros []; lra |]. intro k. specialize (E k). unfold d, apart in E. unfold sum. lra.
  Qed.

  (** A vector is the sum of its parts along the axes of a box. *)
  Lemma parts : forall c v k, valid c -> v k = sum (fun i => dot v (edge c i) * edge c i k).
  Proof.
    intros c v k Hc. pose proof (dot_along c v (unit_vector k) Hc) as P.
    assert (U : forall u, dot u (unit_vector k) = u k) by (intro; unfold dot, sum, unit_vector; destruct k; clear; lra).
    rewrite U in P. rewrite P. unfold sum.
    rewrite !(dot_comm (unit_vector k)), !U. clear; lra.
  Qed.

  (** Perpendicular to two edges that are not parallel, a vector is along their product. *)
  Lemma along_product : forall c i e v, valid c -> dot v (edge c i) = 0 -> dot e v = 0 ->
    dot e (edge c (next i)) <> 0 -> exists x, v = (fun k => x * cross (edge c i) e k).
  Proof.
    intros c i e v Hc P Q N.
    exists (dot v (edge c (after i)) / dot e (edge c (next i))).
    apply functional_extensionality. intro k.
    assert (D : dot v (edge c (next i)) * dot e (edge c (next i)) + dot v (edge c (after i)) * dot e (edge c (after
      i)) = 0).
    { rewrite (dot_along c e v Hc) in Q. unfold sum in Q. destruct i; simpl in *; rewrite P in Q; lra. }
    assert (CP : forall i k, cross (edge c i) (edge c (after i)) k = - edge c (next i) k).
    { intros i0 k0. pose proof (cross_edge c (next i0) k0 Hc) as Y0. rewrite <- Y0.
      unfold cross. destruct i0; simpl; clear; lra. }
    assert (CX : cross (edge c i) e k = dot e (edge c (next i)) * edge c (after i) k - dot e (edge c (after i)) * edge
      c (next i) k).
    { transitivity (sum (fun j => dot e (edge c j) * cross (edge c i) (edge c j) k)).
      - unfold cross at 1. rewrite (parts c e (next k) Hc), (parts c e (after k) Hc). unfold sum, cross. clear; lra.
      - pose proof (CP i k) as P1. pose proof (cross_edge c (after i) k Hc) as P2.
        assert (P3 : cross (edge c i) (edge c i) k = 0) by (unfold cross; clear; lra).
        unfold sum. destruct i; simpl in *; rewrite P1, P2, P3; clear; lra. }
    rewrite CX, (parts c v k Hc). unfold sum.
    assert (DX : dot v (edge c (next i)) = - (dot v (edge c (after i)) * dot e (edge c (after i))) / dot e (edge c
      (next i)))
      by (apply (Rmult_eq_reg_r (dot e (edge c (next i)))); auto; field_simplify; auto; lra).
    destruct i; simpl in *; rewrite P, DX; field; auto.
  Qed.

  Hypothesis Hf : forall k, f a b (along a b k) <= 0.

  (** Neither a multiple of one of the fifteen has a gap. *)
  Lemma axis_gap : forall k x, gap d l (fun j => x * along a b k j) <= 0.
  Proof.
    intros k x. unfold gap. rewrite reach_scaled, gap_is_f, dot_scaled. specialize (Hf k). unfold f in Hf. fold d in Hf.
    pose proof (Rle_abs (x * dot d (along a b k))) as P. rewrite Rabs_mult in P.
    pose proof (Rabs_pos x).
    assert (Rabs x * (Rabs (dot d (along a b k)) - radius a (along a b k) - radius b (along a b k)) <= 0) by nra. lra.
  Qed.

  Lemma axis_slopes : forall k, dot d (along a b k) <= reach l (along a b k) /\ - dot d (along a b k) <= reach l
    (along a b k).
  Proof.
    intro k. specialize (Hf k). unfold f in Hf. fold d in Hf. rewrite gap_is_f.
    pose proof (Rle_abs (dot d (along a b k))). pose proof (Rle_abs (- dot d (along a b k))).
    rewrite Rabs_Ropp in *. lra.
  Qed.

  Lemma product_of_edges : forall g, In g l -> forall i v, 0 < gap d l v ->
    (dot v (edge a i) = 0 -> dot (snd g) v = 0 -> dot (snd g) (edge a (next i)) <> 0 -> False) /\
    (dot v (edge b i) = 0 -> dot (snd g) v = 0 -> dot (snd g) (edge b (next i)) <> 0 -> False).
  Proof.
    intros g I i v G.
    assert (Own : forall c, valid c -> forall i j, dot (edge c j) (edge c (next i)) <> 0 -> j = next i).
    { intros c Hc i0 j N. rewrite edges_dot in N by auto. destruct i0, j; simpl in *; tauto. }
    assert (E : forall k x, v = (fun j => x * along a b k j) -> False)
      by (intros k x E; pose proof (axis_gap k x) as P; rewrite <- E in P; lra).
    assert (S : (exists j, snd g = edge a j) \/ (exists j, snd g = edge b j)).
    { unfold l, segments in I. simpl in I.
      repeat (destruct I as [<- | I]; [simpl; eauto |]). contradiction. }
    split; intros P Q N; destruct S as [[j S] | [j S]]; rewrite S in *.
    - apply (Own a Ha) in N. subst j.
      destruct (along_product a i (edge a (next i)) v Ha P Q) as [x V].
      + rewrite edges_dot by auto. destruct i; simpl; lra.
      + apply (E (FaceA (after i)) x). rewrite V. apply functional_extensionality. intro k. simpl.
        rewrite <- (cross_edge a (after i) k Ha). destruct i; reflexivity.
    - destruct (along_product a i (edge b j) v Ha P Q N) as [x V]. apply (E (Edges i j) x V).
    - destruct (along_product b i (edge a j) v Hb P Q N) as [x V]. apply (E (Edges j i) (- x)). rewrite V.
      apply functional_extensionality. intro k. simpl. unfold cross. clear; lra.
    - apply (Own b Hb) in N. subst j.
      destruct (along_product b i (edge b (next i)) v Hb P Q) as [x V].
      + rewrite edges_dot by auto. destruct i; simpl; lra.
      + apply (E (FaceB (after i)) x). rewrite V. apply functional_extensionality. intro k. simpl.
        rewrite <- (cross_edge b (after i) k Hb). destruct i; reflexivity.
  Qed.

  Lemma edge_self : forall c i, valid c -> dot (edge c i) (edge c i) = 1.
  Proof. intros c i Hc. rewrite edges_dot by auto. destruct i; reflexivity. Qed.

  Lemma in_a : forall i, In (half a i, edge a i) l.
  Proof. intro i. unfold l, segments. simpl. destruct i; auto. Qed.
  Lemma in_b : forall i, In (half b i, edge b i) l.
  Proof. intro i. unfold l, segments. simpl. destruct i; auto 10. Qed.

  (** From a direction in the plane of an edge's normal, to one of the fifteen. *)
  Lemma second_slide : forall v i, 0 < gap d l v -> dot v (edge a i) = 0 \/ dot v (edge b i) = 0 -> False.
  Proof.
    intros v i G [P | P].
    - destruct (slide d l v (edge a (next i)) G) as [x [G' E]];
        try apply (axis_slopes (FaceA (next i))).
      + apply Exists_exists. exists (half a (next i), edge a (next i)). split; [apply in_a |].
        simpl. rewrite edge_self by auto. lra.
      + apply Exists_exists in E. destruct E as [g [I [N Q]]].
        eapply (proj1 (product_of_edges g I i _ G')); eauto.
        rewrite dot_comm, dot_shifted, (dot_comm _ v), P, edges_dot by auto. destruct i; simpl; lra.
    - destruct (slide d l v (edge b (next i)) G) as [x [G' E]];
        try apply (axis_slopes (FaceB (next i))).
      + apply Exists_exists. exists (half b (next i), edge b (next i)). split; [apply in_b |].
        simpl. rewrite edge_self by auto. lra.
      + apply Exists_exists in E. destruct E as [g [I [N Q]]].
        eapply (proj2 (product_of_edges g I i _ G')); eauto.
        rewrite dot_comm, dot_shifted, (dot_comm _ v), P, edges_dot by auto. destruct i; simpl; lra.
  Qed.

  Lemma no_gap : forall v, gap d l v <= 0.
  Proof.
    intro v. apply Rnot_lt_le. intro G.
    destruct (slide d l v (edge a X) G) as [x [G' E]]; try apply (axis_slopes (FaceA X)).
    - apply Exists_exists. exists (half a X, edge a X). split; [apply (in_a X) |]. simpl. rewrite edge_self by auto.
      lra.
    - apply Exists_exists in E. destruct E as [g [I [_ Q]]].
      assert (S : exists i, dot (shifted v x (edge a X)) (edge a i) = 0 \/ dot (shifted v x (edge a X)) (edge b i) = 0).
      { unfold l, segments in I. simpl in I. rewrite dot_comm in Q.
        repeat (destruct I as [<- | I]; [simpl in Q; eauto |]). contradiction. }
      destruct S as [i S]. apply (second_slide _ i G'); auto.
  Qed.

  Theorem fifteen_axes : collide a b.
  Proof.
    apply no_gap_collides. intro v. unfold f. fold d.
    pose proof (no_gap v) as P. pose proof (no_gap (fun k => -1 * v k)) as Q.
    unfold gap in *. rewrite reach_scaled, dot_scaled, (Rabs_left (-1)) in Q by lra. rewrite gap_is_f in *.
    assert (Rabs (dot d v) <= radius a v + radius b v) by (apply Rabs_le; lra). lra.
  Qed.
End Boxes.
