(** * The formulas of the last stage of boxes, [exact/wide_sat.rs], over any arithmetic.

    The source is generic over the types of its numbers, and so is this: turns (polynomials in the
    quaternions), lengths, and products of one of each. If each operation stands for one of integers,
    so does the result; absolute values alone ask that their argument fits. *)

Require Import ZArith Lia.
Open Scope Z_scope.

Inductive index := I0 | I1 | I2.
Definition after1 (i : index) : index := match i with I0 => I1 | I1 => I2 | I2 => I0 end.
Definition after2 (i : index) : index := match i with I0 => I2 | I1 => I0 | I2 => I1 end.

(** An axis: a face of A, a face of B, or an edge of each. *)
Inductive axis := FaceA (i : index) | FaceB (j : index) | Edges (i j : index).

Record quaternion T := Q { x : T; y : T; z : T; w : T }.
Arguments Q {T}. Arguments x {T}. Arguments y {T}. Arguments z {T}. Arguments w {T}.

Section Turns.
  Context {T : Type} (add sub mul : T -> T -> T).
  Local Infix "+" := add.
  Local Infix "-" := sub.
  Local Infix "*" := mul.

  Definition twice (v : T) : T := v + v.

  (** [matrix] and [relative] of [geometry/rotation.rs]. *)
  Definition matrix (q : quaternion T) (row column : index) : T :=
    let (x, y, z, w) := q in
    match row, column with
    | I0, I0 => w * w + x * x - y * y - z * z
    | I0, I1 => twice (x * y - w * z)
    | I0, I2 => twice (z * x + w * y)
    | I1, I0 => twice (x * y + w * z)
    | I1, I1 => w * w - x * x + y * y - z * z
    | I1, I2 => twice (y * z - w * x)
    | I2, I0 => twice (z * x - w * y)
    | I2, I1 => twice (y * z + w * x)
    | I2, I2 => w * w - x * x - y * y + z * z
    end.
  Definition norm (q : quaternion T) : T := let (x, y, z, w) := q in w * w + x * x + y * y + z * z.
  Definition relative (a b : quaternion T) : quaternion T :=
    let (ax, ay, az, aw) := a in
    let (bx, by_, bz, bw) := b in
    Q (aw * bx - bw * ax - (ay * bz - az * by_)) (aw * by_ - bw * ay - (az * bx - ax * bz))
      (aw * bz - bw * az - (ax * by_ - ay * bx)) (aw * bw + ax * bx + ay * by_ + az * bz).
  Definition cross (u v : index -> T) (k : index) : T := u (after1 k) * v (after2 k) - u (after2 k) * v (after1 k).

  Variables a b : quaternion T.
  Definition entry (i j : index) : T := matrix (relative a b) i j.
  Definition scale : T := norm (relative a b).
  Definition direction (k : axis) (l : index) : T :=
    match k with
    | FaceA i => norm b * matrix a l i
    | FaceB j => norm a * matrix b l j
    | Edges i j => cross (fun r => matrix a r i) (fun r => matrix b r j) l
    end.
End Turns.

Section Products.
  Context {T L P : Type} (times : T -> L -> P) (add sub : P -> P -> P) (abs : P -> P).
  Local Infix "+" := add.

  Definition dot (t : index -> T) (l : index ->
    L) : P := times (t I0) (l I0) + times (t I1) (l I1) + times (t I2) (l I2).

  (** [c] are the absolute values of the entries. *)
  Definition radius (s : T) (c : index -> index -> T) (hA hB : index -> L) (k : axis) : P :=
    match k with
    | FaceA i => times s (hA i) + dot (c i) hB
    | FaceB j => times s (hB j) + dot (fun i => c i j) hA
    | Edges i j => times (c (after2 i) j) (hA (after1 i)) + times (c (after1 i) j) (hA (after2 i))
        + times (c i (after2 j)) (hB (after1 j)) + times (c i (after1 j)) (hB (after2 j))
    end.
  Definition gap (t : index -> T) (s : T) (c : index -> index -> T) (d hA hB : index -> L) (k : axis) : P :=
    sub (abs (dot t d)) (radius s c hA hB k).

  (** Two boxes of one rotation: [parallel]. *)
  Definition parallel_gap (m : index -> T) (n : T) (d : index -> L) (h : L) : P := sub (abs (dot m d)) (times n h).
End Products.

(** In integers, s f: the lengths are whole multiples of a power of two, as are the parts of a
    quaternion. *)
Definition gap_Z (a b : quaternion Z) (d hA hB : index -> Z) (k : axis) : Z :=
  gap Z.mul Z.add Z.sub Z.abs (direction Z.add Z.sub Z.mul a b k) (scale Z.add Z.sub Z.mul a b)
    (fun i j => Z.abs (entry Z.add Z.sub Z.mul a b i j)) d hA hB k.
Definition distance_Z (a b : quaternion Z) (d : index -> Z) (k : axis) : Z :=
  dot Z.mul Z.add (direction Z.add Z.sub Z.mul a b k) d.

(** ** Numbers that stand for integers *)
Section Standing.
  Context {T L P : Type}.
  Variables (tadd tsub tmul : T -> T -> T) (tabs : T -> T) (times : T -> L -> P) (add sub : P -> P ->
    P) (abs : P -> P).
  Variables (RT : T -> Z -> Prop) (RL : L -> Z -> Prop) (RP : P -> Z -> Prop) (fits_t fits_p : Z -> Prop).
  Hypothesis H_tadd : forall u v i j, RT u i -> RT v j -> RT (tadd u v) (i + j).
  Hypothesis H_tsub : forall u v i j, RT u i -> RT v j -> RT (tsub u v) (i - j).
  Hypothesis H_tmul : forall u v i j, RT u i -> RT v j -> RT (tmul u v) (i * j).
  Hypothesis H_tabs : forall u i, RT u i -> fits_t i -> RT (tabs u) (Z.abs i).
  Hypothesis H_times : forall u v i j, RT u i -> RL v j -> RP (times u v) (i * j).
  Hypothesis H_add : forall u v i j, RP u i -> RP v j -> RP (add u v) (i + j).
  Hypothesis H_sub : forall u v i j, RP u i -> RP v j -> RP (sub u v) (i - j).
  Hypothesis H_abs : forall u i, RP u i -> fits_p i -> RP (abs u) (Z.abs i).

  Definition stand (q : quaternion T) (q' : quaternion Z) : Prop :=
    RT (x q) (x q') /\ RT (y q) (y q') /\ RT (z q) (z q') /\ RT (w q) (w q').
  Definition stand3 (v : index -> L) (v' : index -> Z) : Prop := forall i, RL (v i) (v' i).

  Ltac turns := repeat first [assumption | apply H_tadd | apply H_tsub | apply H_tmul].

  Lemma matrix_stands : forall q q' i j, stand q q' ->
    RT (matrix tadd tsub tmul q i j) (matrix Z.add Z.sub Z.mul q' i j).
  Proof.
    intros [qx qy qz qw] [px py pz pw] i j [H1 [H2 [H3 H4]]]. simpl in *.
    destruct i, j; simpl; unfold twice; turns.
  Qed.

  Lemma norm_stands : forall q q', stand q q' -> RT (norm tadd tmul q) (norm Z.add Z.mul q').
  Proof. intros [qx qy qz qw] [px py pz pw] [H1 [H2 [H3 H4]]]. simpl in *. turns. Qed.

  Lemma relative_stands : forall a a' b b', stand a a' -> stand b b' ->
    stand (relative tadd tsub tmul a b) (relative Z.add Z.sub Z.mul a' b').
  Proof.
    intros [ax ay az aw] [ax' ay' az' aw'] [bx by_ bz bw] [bx' by_' bz' bw'] [H1 [H2 [H3 H4]]] [H5 [H6 [H7 H8]]].
    simpl in *. repeat split; simpl; turns.
  Qed.

  Lemma direction_stands : forall a a' b b' k l, stand a a' -> stand b b' ->
    RT (direction tadd tsub tmul a b k l) (direction Z.add Z.sub Z.mul a' b' k l).
  Proof.
    intros a a' b b' k l HA HB. destruct k; simpl; unfold cross;
      repeat first [apply H_tsub | apply H_tmul | apply norm_stands | apply matrix_stands]; auto.
  Qed.

  Lemma dot_stands : forall t t' l l', (forall i, RT (t i) (t' i)) -> stand3 l l' ->
    RP (dot times add t l) (dot Z.mul Z.add t' l').
  Proof. intros t t' l l' H H'. unfold dot. repeat first [apply H_add | apply H_times]; auto. Qed.

  Theorem gap_stands : forall a a' b b' d d' hA hA' hB hB' k,
    stand a a' -> stand b b' -> stand3 d d' -> stand3 hA hA' -> stand3 hB hB' ->
    (forall i j, fits_t (entry Z.add Z.sub Z.mul a' b' i j)) -> fits_p (distance_Z a' b' d' k) ->
    RP (gap times add sub abs (direction tadd tsub tmul a b k) (scale tadd tsub tmul a b)
          (fun i j => tabs (entry tadd tsub tmul a b i j)) d hA hB k)
       (gap_Z a' b' d' hA' hB' k).
  Proof.
    intros a a' b b' d d' hA hA' hB hB' k HA HB Hd HhA HhB FC FD.
    assert (HC : forall i j, RT (tabs (entry tadd tsub tmul a b i j)) (Z.abs (entry Z.add Z.sub Z.mul a' b' i j)))
      by (intros; apply H_tabs; auto; apply matrix_stands, relative_stands; auto).
    assert (HS : RT (scale tadd tsub tmul a b) (scale Z.add Z.sub Z.mul a' b'))
      by (apply norm_stands, relative_stands; auto).
    unfold gap_Z, gap. apply H_sub.
    - apply H_abs; auto. apply dot_stands; auto. intro. apply direction_stands; auto.
    - destruct k; simpl; repeat first [apply H_add | apply H_times | apply dot_stands]; auto; intro; auto.
  Qed.

  Theorem parallel_gap_stands : forall m m' n n' d d' h h', (forall i, RT (m i) (m' i)) -> RT n n' ->
    stand3 d d' -> RL h h' ->
    fits_p (dot Z.mul Z.add m' d') ->
    RP (parallel_gap times add sub abs m n d h) (parallel_gap Z.mul Z.add Z.sub Z.abs m' n' d' h').
  Proof. intros. unfold parallel_gap. apply H_sub; auto. apply H_abs; auto. apply dot_stands; auto. Qed.
End Standing.
