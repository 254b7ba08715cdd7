(** * What the exact stage computes in integers is s f, times powers of two: its sign decides. *)

Require Import Rbase Rfunctions ZArith Lra Lia.
From Obbligato Require Import Boxes Formulas Separation Lengths Propagation Overlap.
From Obbligato Require Integers.
Open Scope R_scope.

Definition of_index (i : Integers.index) : axis := match i with Integers.I0 => X | Integers.I1 => Y |
  Integers.I2 => Z end.
Definition of_axis (k : Integers.axis) : direction :=
  match k with
  | Integers.FaceA i => FaceA (of_index i)
  | Integers.FaceB j => FaceB (of_index j)
  | Integers.Edges i j => Edges (of_index i) (of_index j)
  end.

(** A quaternion and a vector in units of a power of two. *)
Definition scaled_turn (p : R) (q : quat) (q' : Integers.quaternion BinNums.Z) : Prop :=
  p * qx q = IZR (Integers.x q') /\ p * qy q = IZR (Integers.y q') /\ p * qz q = IZR (Integers.z q') /\
  p * qw q = IZR (Integers.w q').
Definition scaled_lengths (l : R) (v : vec) (v' : Integers.index -> BinNums.Z) : Prop :=
  forall i, l * v (of_index i) = IZR (v' i).

Section Exact.
  Variables (a b : box) (pa pb l : R).
  Hypothesis Pa : 0 < pa.
  Hypothesis Pb : 0 < pb.
  Hypothesis Pl : 0 < l.

  Definition real (p : R) (q : quat) : Integers.quaternion R :=
    Integers.Q (p * qx q) (p * qy q) (p * qz q) (p * qw q).
  Definition lengths (v : vec) (i : Integers.index) : R := l * v (of_index i).
  Let qa := real pa (rotation a).
  Let qb := real pb (rotation b).
  Let w := pa * pa * (pb * pb).

  Lemma entry_R : forall i j,
    Integers.entry Rplus Rminus Rmult qa qb i j = w * C a b (of_index i) (of_index j).
  Proof.
    intros i j. unfold qa, qb, w, Integers.entry, Integers.relative, real, C, r, relative.
    destruct (rotation a) as [ax ay az aw], (rotation b) as [bx by_ bz bw].
    destruct i, j; cbn [Integers.matrix of_index M qx qy qz qw]; unfold Integers.twice; clear; lra.
  Qed.

  Lemma scale_R : Integers.scale Rplus Rminus Rmult qa qb = w * s a b.
  Proof.
    unfold qa, qb, w, Integers.scale, Integers.relative, real, s, r, relative.
    destruct (rotation a) as [ax ay az aw], (rotation b) as [bx by_ bz bw].
    cbn [Integers.norm norm2 qx qy qz qw]. unfold norm2. cbn [qx qy qz qw]. clear; lra.
  Qed.

  (** The inside of the absolute value of F. *)
  Definition inner (k : direction) : R :=
    match k with
    | FaceA i => s a b * t a b i
    | FaceB j => sum (fun i => t a b i * C a b i j)
    | Edges i j => t a b (after i) * C a b (next i) j - t a b (next i) * C a b (after i) j
    end.

  Lemma distance_R : forall k,
    n a * Integers.dot Rmult Rplus (Integers.direction Rplus Rminus Rmult qa qb k) (lengths (apart a b))
      = w * l * inner (of_axis k).
  Proof.
    intro k. unfold inner, Integers.dot, lengths, of_axis. rewrite ?s_is.
    assert (HC := C_is_product a b). unfold sum in HC. unfold t, n, sum, qa, qb, w, real. cbv beta in *.
    destruct k as [i | j | i j]; cbn [of_axis]; cbv beta; rewrite ?s_is, ?HC;
      destruct (rotation a) as [ax ay az aw], (rotation b) as [bx by_ bz bw].
    - destruct i; cbn [Integers.direction Integers.norm Integers.matrix of_index M norm2 qx qy qz qw];
        unfold norm2, Integers.twice; cbn [qx qy qz qw]; clear; lra.
    - destruct j; cbn [Integers.direction Integers.norm Integers.matrix of_index M norm2 qx qy qz qw];
        unfold norm2, Integers.twice; cbn [qx qy qz qw]; clear; lra.
    - destruct i, j; cbn [Integers.direction Integers.cross Integers.norm Integers.matrix Integers.after1
        Integers.after2 of_index next after M norm2 qx qy qz qw]; unfold Integers.cross, norm2, Integers.twice;
        cbn [Integers.matrix Integers.after1 Integers.after2 qx qy qz qw]; unfold Integers.twice; clear; lra.
  Qed.
  (** The gap of the source, over the reals. *)
  Lemma gap_R : forall k,
    n a * Integers.gap Rmult Rplus Rminus Rabs (Integers.direction Rplus Rminus Rmult qa qb k)
        (Integers.scale Rplus Rminus Rmult qa qb) (fun i j => Rabs (Integers.entry Rplus Rminus Rmult qa qb i j))
        (lengths (apart a b)) (lengths (half a)) (lengths (half b)) k
      = w * l * F a b (of_axis k).
  Proof.
    intro k. assert (N : 0 <= n a) by (unfold n, norm2; nra).
    assert (S : 0 <= s a b) by (unfold s, norm2; nra).
    assert (W : 0 < w) by (unfold w; repeat apply Rmult_lt_0_compat; auto).
    unfold Integers.gap. rewrite Rmult_minus_distr_l.
    replace (n a * Rabs _) with (w * l * Rabs (inner (of_axis k))).
    2: { rewrite <- (Rabs_pos_eq (n a)) by auto. rewrite <- Rabs_mult, distance_R, !Rabs_mult.
         rewrite (Rabs_pos_eq w), (Rabs_pos_eq l) by lra. reflexivity. }
    assert (E : forall i j, Rabs (Integers.entry Rplus Rminus Rmult qa qb i j)
      = w * Rabs (C a b (of_index i) (of_index j))).
    { intros. rewrite entry_R, Rabs_mult, (Rabs_pos_eq w) by lra. reflexivity. }
    rewrite scale_R. destruct k as [i | j | i j]; cbn [of_axis inner F Integers.radius];
      unfold F_face_a, F_face_b, F_edges, Integers.dot, lengths, gA, gB, sum; cbv beta; rewrite ?E.
    - rewrite Rabs_mult, (Rabs_pos_eq (s a b)) by auto. destruct i; cbn [of_index]; clear; lra.
    - destruct j; cbn [of_index]; clear; lra.
    - destruct i, j; cbn [of_index Integers.after1 Integers.after2 next after]; clear; lra.
  Qed.

  (** The integers. *)
  Variables (ia ib : Integers.quaternion BinNums.Z) (d hA hB : Integers.index -> BinNums.Z).
  Hypothesis Ha : scaled_turn pa (rotation a) ia.
  Hypothesis Hb : scaled_turn pb (rotation b) ib.
  Hypothesis Hd : scaled_lengths l (apart a b) d.
  Hypothesis HhA : scaled_lengths l (half a) hA.
  Hypothesis HhB : scaled_lengths l (half b) hB.

  Lemma gap_is : forall k, n a * IZR (Integers.gap_Z ia ib d hA hB k) = w * l * F a b (of_axis k).
  Proof.
    intro k. rewrite <- gap_R. f_equal. symmetry.
    apply (Integers.gap_stands Rplus Rminus Rmult Rabs Rmult Rplus Rminus Rabs (fun x i => x = IZR i)
      (fun x i => x = IZR i) (fun x i => x = IZR i) (fun _ => True) (fun _ => True));
      try (intros; subst; rewrite ?plus_IZR, ?minus_IZR, ?mult_IZR, ?abs_IZR; reflexivity); auto.
  Qed.

  (** The sign of the integer is that of F. *)
  Theorem exact_sign : valid a -> forall k,
    match (Integers.gap_Z ia ib d hA hB k ?= 0)%Z with
    | Gt => 0 < F a b (of_axis k)
    | Eq => F a b (of_axis k) = 0
    | Lt => F a b (of_axis k) < 0
    end.
  Proof.
    intros V k. pose proof (n_pos a V) as N. pose proof (gap_is k) as E.
    assert (W : 0 < w * l) by (unfold w; repeat apply Rmult_lt_0_compat; auto).
    destruct (Z.compare_spec (Integers.gap_Z ia ib d hA hB k) 0) as [H | H | H].
    - rewrite H, Rmult_0_r in E. symmetry in E. apply Rmult_integral in E. lra.
    - apply IZR_lt in H. assert (w * l * F a b (of_axis k) < 0) by (rewrite <- E; nra). nra.
    - apply IZR_lt in H. assert (0 < w * l * F a b (of_axis k)) by (rewrite <- E; nra). nra.
  Qed.

  (** So a positive integer on any axis is a gap, and without one the boxes share a point. *)
  Theorem exact_separated : valid a -> valid b -> forall k, (0 < Integers.gap_Z ia ib d hA hB k)%Z -> separated a b.
  Proof.
    intros Va Vb k H. pose proof (exact_sign Va k) as E. rewrite (proj2 (Z.compare_gt_iff _ _) H) in E.
    apply positive_F_separates; auto. destruct k; simpl in E; eauto.
  Qed.

  Theorem exact_collide : valid a -> valid b -> (forall k, (Integers.gap_Z ia ib d hA hB k <= 0)%Z) -> collide a b.
  Proof.
    intros Va Vb H. apply no_positive_F_collides; auto. intro k.
    assert (K : exists k', k = of_axis k').
    { assert (I : forall i, exists i', i = of_index i')
        by (intros []; [exists Integers.I0 | exists Integers.I1 | exists Integers.I2]; reflexivity).
      destruct k as [i | j | i j]; destruct (I i) as [i' ->] || destruct (I j) as [i' ->].
      - exists (Integers.FaceA i'). reflexivity.
      - exists (Integers.FaceB i'). reflexivity.
      - destruct (I j) as [j' ->]. exists (Integers.Edges i' j'). reflexivity. }
    destruct K as [k' ->]. pose proof (exact_sign Va k') as E. specialize (H k').
    destruct (Z.compare_spec (Integers.gap_Z ia ib d hA hB k') 0); lra || lia.
  Qed.
End Exact.
