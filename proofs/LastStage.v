(** * What the last stage of boxes answers is true: [largest] and [parallel] of [exact/wide_sat.rs].

    It computes the axes alone that f64 has not settled, stops at the first gap, and takes three axes
    if the rotations are equal or opposite. *)

Require Import Rbase Rfunctions ZArith List Lra Lia FunctionalExtensionality.
Import ListNotations.
From Obbligato Require Import Boxes Formulas Separation Lengths Propagation Complete Overlap Parallel Overlapping
  Touching Exact.
From Obbligato Require Integers.
Open Scope R_scope.

(** [Contact], and what it says. *)
Inductive contact := Separated | Touching | Overlapping.
Definition is_true (c : contact) (a b : box) : Prop :=
  match c with Separated => separated a b | Touching => touching a b | Overlapping => overlapping a b end.
Definition from_largest (c : comparison) : contact :=
  match c with Gt => Separated | Eq => Touching | Lt => Overlapping end.
Definition greater (c c' : comparison) : comparison :=
  match c, c' with Gt, _ | _, Gt => Gt | Eq, _ | _, Eq => Eq | Lt, Lt => Lt end.

(** [largest]: the axes in turn, given which have no direction, and the signs of the others. *)
Fixpoint largest {axis} (no_direction : axis -> bool) (sign : axis -> comparison) (axes : list axis)
    (so_far : comparison) : contact :=
  match axes with
  | [] => from_largest so_far
  | k :: axes =>
    if no_direction k then largest no_direction sign axes so_far
    else match sign k with
      | Gt => Separated
      | c => largest no_direction sign axes (greater so_far c)
      end
  end.
(** [parallel]: the greatest of the signs. *)
Definition greatest {axis} (sign : axis -> comparison) (axes : list axis) : comparison :=
  fold_right (fun k so_far => greater (sign k) so_far) Lt axes.

Section Signs.
  Context {axis : Type} (no_direction : axis -> bool) (sign : axis -> comparison).

  Lemma largest_says : forall axes so_far, so_far <> Gt ->
    match largest no_direction sign axes so_far with
    | Separated => exists k, In k axes /\ no_direction k = false /\ sign k = Gt
    | Touching => (forall k, In k axes -> no_direction k = true \/ sign k <> Gt) /\
        (so_far = Eq \/ exists k, In k axes /\ no_direction k = false /\ sign k = Eq)
    | Overlapping => so_far = Lt /\ forall k, In k axes -> no_direction k = true \/ sign k = Lt
    end.
  Proof.
    induction axes as [| k axes IH]; intros so_far S; simpl.
    - destruct so_far; simpl; [| | contradiction]; (split; [| auto]); simpl; tauto.
    - destruct (no_direction k) eqn:N.
      + specialize (IH so_far S). destruct (largest no_direction sign axes so_far).
        * destruct IH as [k' [I P]]. eauto.
        * destruct IH as [P Q]. split; [intros k' [<- | I]; auto |].
          destruct Q as [Q | [k' [I Q]]]; [auto | right; eauto].
        * destruct IH as [P Q]. split; auto. intros k' [<- | I]; auto.
      + destruct (sign k) eqn:E; [| | exists k; auto].
        * assert (G : greater so_far Eq <> Gt) by (destruct so_far; simpl; congruence).
          specialize (IH _ G). destruct (largest no_direction sign axes (greater so_far Eq)).
          -- destruct IH as [k' [I P]]. eauto.
          -- destruct IH as [P Q]. split; [| right; exists k; auto].
             intros k' [<- | I]; [right; congruence | auto].
          -- destruct IH as [P _]. destruct so_far; discriminate.
        * assert (G : greater so_far Lt = so_far) by (destruct so_far; auto). rewrite G.
          specialize (IH so_far S). destruct (largest no_direction sign axes so_far).
          -- destruct IH as [k' [I P]]. eauto.
          -- destruct IH as [P Q]. split; [intros k' [<- | I]; [right; congruence | auto] |].
             destruct Q as [Q | [k' [I Q]]]; [auto | right; eauto].
          -- destruct IH as [P Q]. split; auto. intros k' [<- | I]; auto.
  Qed.

  Lemma greatest_says : forall axes,
    match greatest sign axes with
    | Gt => exists k, In k axes /\ sign k = Gt
    | Eq => (forall k, In k axes -> sign k <> Gt) /\ exists k, In k axes /\ sign k = Eq
    | Lt => forall k, In k axes -> sign k = Lt
    end.
  Proof.
    induction axes as [| k axes IH]; simpl; [contradiction |].
    destruct (sign k) eqn:E, (greatest sign axes); simpl;
      repeat match goal with H : _ /\ _ |- _ => destruct H | H : exists _, _ |- _ => destruct H end;
      try (split; [intros k' [<- | I]; [congruence | try (rewrite IH by auto; congruence); auto] |]); eauto;
      intros k' [<- | I]; auto.
  Qed.
End Signs.

(** Equal signs, equal answers. *)
Lemma largest_of_equal : forall axis (no no' : axis -> bool) sign sign', (forall k, no k = no' k) ->
  (forall k, sign k = sign' k) -> forall axes so_far, largest no sign axes so_far = largest no' sign' axes so_far.
Proof.
  intros axis no no' sign sign' N S. induction axes as [| k axes IH]; intro so_far; simpl; auto.
  rewrite N, S. destruct (no' k); auto. destruct (sign' k); auto.
Qed.
Lemma greatest_of_equal : forall axis (sign sign' : axis -> comparison), (forall k, sign k = sign' k) ->
  forall axes, greatest sign axes = greatest sign' axes.
Proof. intros axis sign sign' S. induction axes as [| k axes IH]; simpl; auto. rewrite S, IH. reflexivity. Qed.

(** What f64 has settled about an axis: F is negative, or the rule for parallel edges holds. *)
Definition settled (a b : box) (k : direction) : Prop :=
  F a b k < 0 \/ exists i j, k = Edges i j /\ rule a b i j.

Section Settled.
  Variables a b : box.
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.

  Lemma settled_keeps : forall k, settled a b k -> keeps_closed a b k.
  Proof.
    intros k [H | [i [j [-> H]]]]; [apply negative_keeps; auto | apply rule_stays; auto].
  Qed.

  Lemma keeps_is_closed : forall k, keeps_closed a b k -> F a b k <= 0.
  Proof.
    intros k [e [E P]]. specialize (P (fun _ => 0)).
    assert (Z : small (fun _ => 0) e) by (intro; rewrite Rabs_R0; auto). specialize (P Z).
    assert (Q : f a (moved b (fun _ => 0)) (along a b k) = f a b (along a b k)).
    { unfold f. change (radius (moved b (fun _ => 0)) (along a b k)) with (radius b (along a b k)).
      replace (dot (apart a (moved b (fun _ => 0))) (along a b k)) with (dot (apart a b) (along a b k)); auto.
      unfold dot, apart, moved, sum. simpl. clear; lra. }
    rewrite Q in P. rewrite F_is_n_s_f by auto. pose proof (n_pos a Ha). pose proof (s_pos a b Ha Hb).
    rewrite <- (Rmult_0_r (n a * s a b)). apply Rmult_le_compat_l; auto. apply Rmult_le_pos; lra.
  Qed.

  (** The answer from some axes, if all others are settled. *)
  Lemma answer_is_true : forall (axes : list direction) c,
    (forall k, ~ In k axes -> settled a b k) ->
    match c with
    | Separated => exists k, In k axes /\ 0 < F a b k
    | Touching => (forall k, In k axes -> F a b k <= 0) /\ exists k, In k axes /\ ~ parallel a b k /\ F a b k = 0
    | Overlapping => forall k, In k axes -> parallel a b k \/ F a b k < 0
    end -> is_true c a b.
  Proof.
    intros axes c O H.
    assert (D : forall k, {In k axes} + {~ In k axes})
      by (intro k; apply in_dec; intros [[] | [] | [] []] [[] | [] | [] []]; (left; reflexivity) || (right; discriminate)).
    destruct c; simpl.
    - destruct H as [k [_ P]]. apply separated_is; eauto.
    - destruct H as [P [k [_ [N E]]]]. apply touching_is; auto. split; [| eauto].
      intro k'. destruct (D k'); [auto | apply keeps_is_closed, settled_keeps; auto].
    - apply closed_overlaps; auto. intro k. destruct (D k) as [I | N]; [| apply settled_keeps; auto].
      destruct (H k I); [apply parallel_keeps | apply negative_keeps]; auto.
  Qed.
End Settled.

Section Answers.
  Variables (a b : box) (pa pb l : R).
  Hypothesis Pa : 0 < pa.
  Hypothesis Pb : 0 < pb.
  Hypothesis Pl : 0 < l.
  Hypothesis Va : valid a.
  Hypothesis Vb : valid b.
  Variables (ia ib : Integers.quaternion BinNums.Z) (d hA hB : Integers.index -> BinNums.Z).
  Hypothesis Ha : scaled_turn pa (rotation a) ia.
  Hypothesis Hb : scaled_turn pb (rotation b) ib.
  Hypothesis Hd : scaled_lengths l (apart a b) d.
  Hypothesis HhA : scaled_lengths l (half a) hA.
  Hypothesis HhB : scaled_lengths l (half b) hB.

  (** [direction] returns nothing if both entries are 0. *)
  Definition no_direction (k : Integers.axis) : bool :=
    match k with
    | Integers.Edges i j =>
        let entry := Integers.entry Z.add Z.sub Z.mul ia ib in
        (entry (Integers.after1 i) j =? 0)%Z && (entry (Integers.after2 i) j =? 0)%Z
    | _ => false
    end.
  Definition sign (k : Integers.axis) : comparison := (Integers.gap_Z ia ib d hA hB k ?= 0)%Z.

  Lemma entry_is : forall i j,
    IZR (Integers.entry Z.add Z.sub Z.mul ia ib i j) = pa * pa * (pb * pb) * C a b (of_index i) (of_index j).
  Proof.
    intros i j. rewrite <- entry_R. symmetry.
    apply (Integers.matrix_stands Rplus Rminus Rmult (fun x i => x = IZR i));
      [intros u v m n -> ->; rewrite plus_IZR; reflexivity | intros u v m n -> ->; rewrite minus_IZR; reflexivity
      | intros u v m n -> ->; rewrite mult_IZR; reflexivity |].
    apply (Integers.relative_stands Rplus Rminus Rmult (fun x i => x = IZR i));
      [intros u v m n -> ->; rewrite plus_IZR; reflexivity | intros u v m n -> ->; rewrite minus_IZR; reflexivity
      | intros u v m n -> ->; rewrite mult_IZR; reflexivity | exact Ha | exact Hb].
  Qed.

  Lemma no_direction_is : forall k, no_direction k = true <-> parallel a b (of_axis k).
  Proof.
    assert (W : 0 < pa * pa * (pb * pb)) by (repeat apply Rmult_lt_0_compat; auto).
    assert (E : forall i j, (Integers.entry Z.add Z.sub Z.mul ia ib i j =? 0)%Z = true <->
      C a b (of_index i) (of_index j) = 0).
    { intros i j. rewrite Z.eqb_eq. pose proof (entry_is i j) as P. split; intro H.
      - rewrite H in P. symmetry in P. apply Rmult_integral in P. destruct P; auto; lra.
      - rewrite H, Rmult_0_r in P. apply eq_IZR. exact P. }
    intros [i | j | i j]; simpl; try (split; [discriminate | contradiction]).
    rewrite Bool.andb_true_iff, !E. destruct i; simpl; tauto.
  Qed.

  Lemma sign_of : forall k,
    match sign k with Gt => 0 < F a b (of_axis k) | Eq => F a b (of_axis k) = 0 | Lt => F a b (of_axis k) < 0 end.
  Proof. intro k. apply (exact_sign a b pa pb l Pa Pb Pl ia ib d hA hB Ha Hb Hd HhA HhB Va k). Qed.

  (** The answer from these axes, if all others are settled. *)
  Theorem largest_is_true : forall axes, (forall k, ~ In k axes -> settled a b (of_axis k)) ->
    is_true (largest no_direction sign axes Lt) a b.
  Proof.
    intros axes O. apply (answer_is_true a b Va Vb (map of_axis axes)).
    - intros k N.
      assert (I : forall i, exists i', i = of_index i')
        by (intros []; [exists Integers.I0 | exists Integers.I1 | exists Integers.I2]; reflexivity).
      assert (K : exists k', k = of_axis k').
      { destruct k as [i | j | i j].
        - destruct (I i) as [i' ->]. exists (Integers.FaceA i'). reflexivity.
        - destruct (I j) as [j' ->]. exists (Integers.FaceB j'). reflexivity.
        - destruct (I i) as [i' ->], (I j) as [j' ->]. exists (Integers.Edges i' j'). reflexivity. }
      destruct K as [k' ->]. apply O. intro J. apply N, in_map, J.
    - pose proof (largest_says no_direction sign axes Lt ltac:(discriminate)) as S.
      destruct (largest no_direction sign axes Lt).
      + destruct S as [k [I [_ E]]]. exists (of_axis k). split; [apply in_map; auto |].
        pose proof (sign_of k) as Q. rewrite E in Q. exact Q.
      + destruct S as [P [Q | [k [I [N E]]]]]; [discriminate |]. split.
        * intros k' J. apply in_map_iff in J. destruct J as [k0 [<- J]]. pose proof (sign_of k0) as S0.
          destruct (P k0 J) as [D | D].
          -- apply no_direction_is in D. rewrite (parallel_F a b Va Vb _ D). lra.
          -- destruct (sign k0); [lra | lra | congruence].
        * exists (of_axis k). split; [apply in_map; auto |]. pose proof (sign_of k) as S0. rewrite E in S0.
          split; auto. intro D. apply no_direction_is in D. congruence.
      + destruct S as [_ P]. intros k' J. apply in_map_iff in J. destruct J as [k [<- J]].
        destruct (P k J) as [D | D]; [left; apply no_direction_is, D | right].
        pose proof (sign_of k) as S0. rewrite D in S0. exact S0.
  Qed.
End Answers.

(** A matrix in integers is that of the quaternion, times the square of the scale. *)
Lemma matrix_is : forall p q q' r i, scaled_turn p q q' ->
  IZR (Integers.matrix Z.add Z.sub Z.mul q' r i) = p * p * M q (of_index r) (of_index i).
Proof.
  intros p [x' y' z' w'] [x y z w] r i [Qx [Qy [Qz Qw]]]. simpl in *.
  destruct r, i; simpl; unfold Integers.twice; repeat rewrite ?plus_IZR, ?minus_IZR, ?mult_IZR;
    rewrite <- ?Qx, <- ?Qy, <- ?Qz, <- ?Qw; clear; lra.
Qed.
Lemma norm_is : forall p q q', scaled_turn p q q' -> IZR (Integers.norm Z.add Z.mul q') = p * p * norm2 q.
Proof.
  intros p [x' y' z' w'] [x y z w] [Qx [Qy [Qz Qw]]]. unfold norm2. simpl in *.
  repeat rewrite ?plus_IZR, ?mult_IZR. rewrite <- Qx, <- Qy, <- Qz, <- Qw. clear; lra.
Qed.

(** ** Boxes of one rotation *)
Definition opposite (q : quat) : quat := Quat (- qx q) (- qy q) (- qz q) (- qw q).
(** [same_rotation] *)
Definition same_rotation (a b : box) : Prop :=
  rotation b = rotation a \/ rotation b = opposite (rotation a).

Section SameRotation.
  Variables a b : box.
  Hypothesis Va : valid a.
  Hypothesis Vb : valid b.
  Hypothesis Same : same_rotation a b.

  Lemma same_edges : forall i, edge b i = edge a i.
  Proof.
    assert (MO : forall q k i, M (opposite q) k i = M q k i)
      by (intros [x y z w] k i; unfold opposite; destruct k, i; simpl; clear; lra).
    assert (NO : forall q, norm2 (opposite q) = norm2 q) by (intros [x y z w]; unfold norm2; simpl; clear; lra).
    intro i. apply functional_extensionality. intro k. unfold edge. destruct Same as [-> | ->]; auto.
    rewrite MO, NO. reflexivity.
  Qed.

  Lemma f_of_edge : forall i, f a b (edge a i) = Rabs (dot (apart a b) (edge a i)) - (half a i + half b i).
  Proof.
    intro i. unfold f, radius, sum. rewrite !same_edges, !edges_dot by auto.
    destruct i; cbv iota; rewrite !Rabs_R0, !Rabs_R1; clear; lra.
  Qed.

  Lemma f_of_opposite : forall v, f a b (fun k => - v k) = f a b v.
  Proof.
    intro v. assert (N : forall u, dot u (fun k => - v k) = - dot u v) by (intro; unfold dot, sum; clear; lra).
    unfold f, radius, sum. rewrite !N, !Rabs_Ropp. reflexivity.
  Qed.

  (** All axes are those of A, or of no length. *)
  Lemma three_axes : forall k, parallel a b k \/ exists i, F a b k = F a b (FaceA i).
  Proof.
    assert (E : forall i i', edge b i' = edge a i -> forall k', f a b (along a b k') = f a b (edge a i) ->
      F a b k' = F a b (FaceA i)).
    { intros i i' _ k' Hk. rewrite !F_is_n_s_f by auto. rewrite Hk. reflexivity. }
    intros [i | j | i j].
    - right. exists i. reflexivity.
    - right. exists j. apply (E j j (same_edges j)). simpl. rewrite same_edges. reflexivity.
    - assert (P : forall i, cross (edge a i) (edge a i) = (fun _ => 0))
        by (intro; apply functional_extensionality; intro; unfold cross; clear; lra).
      assert (N : forall i, cross (edge a i) (edge a (next i)) = edge a (after i)).
      { intro i0. apply functional_extensionality. intro k. rewrite <- (cross_edge a (after i0) k Va). destruct i0; reflexivity. }
      assert (R : forall i, cross (edge a i) (edge a (after i)) = (fun k => - edge a (next i) k)).
      { intro i0. apply functional_extensionality. intro k. rewrite <- (cross_edge a (next i0) k Va). unfold cross.
        destruct i0; simpl; clear; lra. }
      destruct (parallel_dec a b (Edges i j)) as [D | D]; [left; auto | right].
      pose proof (length_is a b Va Vb _ D) as L. simpl in L. rewrite same_edges in L.
      assert (C : j = i \/ j = next i \/ j = after i) by (destruct i, j; auto).
      destruct C as [-> | [-> | ->]].
      + rewrite P in L. unfold dot, sum in L. lra.
      + exists (after i). apply (E _ _ (same_edges _)). simpl. rewrite same_edges, N. reflexivity.
      + exists (next i). apply (E _ _ (same_edges _)). simpl. rewrite same_edges, R. apply f_of_opposite.
  Qed.

  Variables pa l : R.
  Hypothesis Pa : 0 < pa.
  Hypothesis Pl : 0 < l.
  Variables (ia : Integers.quaternion BinNums.Z) (d hA hB : Integers.index -> BinNums.Z).
  Hypothesis Ha : scaled_turn pa (rotation a) ia.
  Hypothesis Hd : scaled_lengths l (apart a b) d.
  Hypothesis HhA : scaled_lengths l (half a) hA.
  Hypothesis HhB : scaled_lengths l (half b) hB.

  Definition parallel_sign (i : Integers.index) : comparison :=
    (Integers.parallel_gap Z.mul Z.add Z.sub Z.abs (fun r => Integers.matrix Z.add Z.sub Z.mul ia r i)
       (Integers.norm Z.add Z.mul ia) d (hA i + hB i) ?= 0)%Z.

  Lemma parallel_gap_is : forall i,
    IZR (Integers.parallel_gap Z.mul Z.add Z.sub Z.abs (fun r => Integers.matrix Z.add Z.sub Z.mul ia r i)
       (Integers.norm Z.add Z.mul ia) d (hA i + hB i)%Z)
      = pa * pa * l * n a * f a b (edge a (of_index i)).
  Proof.
    intro i. assert (MI := fun r => matrix_is pa (rotation a) ia r i Ha). pose proof (norm_is pa (rotation a) ia Ha) as NI.
    change (norm2 (rotation a)) with (n a) in NI.
    rewrite f_of_edge. unfold Integers.parallel_gap, Integers.dot. rewrite minus_IZR, abs_IZR, mult_IZR.
    repeat rewrite ?plus_IZR, ?mult_IZR. rewrite !MI, NI, <- !Hd, <- HhA, <- HhB.
    pose proof (t_is a b (of_index i) Va) as T. pose proof (n_pos a Va) as N. unfold t, sum in T.
    replace (pa * pa * M (rotation a) (of_index Integers.I0) (of_index i) * (l * apart a b (of_index Integers.I0)) +
      pa * pa * M (rotation a) (of_index Integers.I1) (of_index i) * (l * apart a b (of_index Integers.I1)) +
      pa * pa * M (rotation a) (of_index Integers.I2) (of_index i) * (l * apart a b (of_index Integers.I2)))
      with (pa * pa * l * n a * dot (apart a b) (edge a (of_index i)));
      [| simpl; transitivity (pa * pa * l * (n a * dot (apart a b) (edge a (of_index i)))); [clear; lra | rewrite <- T; clear; lra]].
    assert (W : 0 <= pa * pa * l * n a) by (apply Rlt_le; repeat apply Rmult_lt_0_compat; auto).
    rewrite Rabs_mult, (Rabs_pos_eq _ W). clear; lra.
  Qed.

  Lemma parallel_sign_of : forall i, match parallel_sign i with
    Gt => 0 < F a b (FaceA (of_index i)) | Eq => F a b (FaceA (of_index i)) = 0 | Lt => F a b (FaceA (of_index i)) < 0 end.
  Proof.
    intro i. rewrite F_is_n_s_f by auto. simpl. pose proof (parallel_gap_is i) as E. unfold parallel_sign.
    set (g := Integers.parallel_gap _ _ _ _ _ _ _ _) in *.
    assert (W : 0 < pa * pa * l * n a) by (pose proof (n_pos a Va); repeat apply Rmult_lt_0_compat; auto).
    assert (S : 0 < n a * s a b) by (apply Rmult_lt_0_compat; [apply n_pos | apply s_pos]; auto).
    destruct (Z.compare_spec g 0) as [H | H | H].
    - rewrite H in E. symmetry in E. apply Rmult_integral in E. destruct E as [E | ->]; [lra | clear; lra].
    - apply IZR_lt in H. rewrite E in H. assert (f a b (edge a (of_index i)) < 0) by nra. nra.
    - apply IZR_lt in H. rewrite E in H. assert (0 < f a b (edge a (of_index i))) by nra. nra.
  Qed.

  (** Three axes decide, of which those that are settled may be left out. *)
  Theorem one_rotation_is_true : forall axes, (forall i, ~ In i axes -> settled a b (FaceA (of_index i))) ->
    is_true (from_largest (greatest parallel_sign axes)) a b.
  Proof.
    intros axes O.
    assert (D : forall i, {In i axes} + {~ In i axes}) by (intro; apply in_dec; decide equality).
    assert (Out : forall i, ~ In i axes -> F a b (FaceA (of_index i)) < 0)
      by (intros i N; destruct (O i N) as [H | [i' [j' [H _]]]]; [exact H | discriminate]).
    assert (I : forall i, exists i', i = of_index i')
      by (intros []; [exists Integers.I0 | exists Integers.I1 | exists Integers.I2]; reflexivity).
    pose proof (greatest_says parallel_sign axes) as S. destruct (greatest parallel_sign axes); simpl.
    - destruct S as [P [i [J E]]].
      assert (C : forall i, F a b (FaceA (of_index i)) <= 0).
      { intro i'. destruct (D i') as [I' | N]; [| apply Rlt_le, Out, N].
        pose proof (parallel_sign_of i') as Q. specialize (P i' I'). destruct (parallel_sign i'); [lra | lra | congruence]. }
      apply touching_is; auto. split.
      + intro k. destruct (three_axes k) as [K | [i' ->]]; [rewrite (parallel_F a b Va Vb _ K); lra |].
        destruct (I i') as [i'' ->]. apply C.
      + exists (FaceA (of_index i)). split; [simpl; tauto |]. pose proof (parallel_sign_of i) as Q. rewrite E in Q. exact Q.
    - apply overlapping_is; auto. intros k N. destruct (three_axes k) as [K | [i' ->]]; [contradiction |].
      destruct (I i') as [i'' ->]. destruct (D i'') as [I' | N']; [| apply Out, N'].
      pose proof (parallel_sign_of i'') as Q. rewrite (S i'' I') in Q. exact Q.
    - destruct S as [i [J E]]. apply separated_is; auto. exists (FaceA (of_index i)).
      pose proof (parallel_sign_of i) as Q. rewrite E in Q. exact Q.
  Qed.
End SameRotation.
