(** * The numbers of monomials and the degrees in the records of runs, counted by Coq.

    Each formula of a record is written out as an expression, as the sources have it, with 2 x as
    x + x in shaders, because compilers may write it so. Its monomials are no more than the record
    says, of no higher degree, and their sum is the value that the record has. *)

Require Import Rbase Rfunctions List Arith Bool Lra.
Import ListNotations.
From Obbligato Require Import Boxes Formulas Rounding Flushing Constants Propagation.
Open Scope R_scope.

(** At most N monomials, of degree at most D. *)
Definition within (e : expr) (N D : nat) : bool :=
  (length (monomials e) <=? N)%nat && forallb (fun m => degree m <=? D)%nat (monomials e).

Lemma within_counts : forall e N D, within e N D = true ->
  (length (monomials e) <= N)%nat /\ Forall (fun m => degree m <= D)%nat (monomials e).
Proof.
  intros e N D H. apply andb_prop in H. destruct H as [H H']. split; [apply Nat.leb_le; auto |].
  rewrite Forall_forall. rewrite forallb_forall in H'. intros m Hm. apply Nat.leb_le. auto.
Qed.

(** ** Formulas *)
Definition Sub (e e' : expr) : expr := Add e (minus e').
Definition Doubled (e : expr) : expr := Add e e.
Definition Three (e : axis -> expr) : expr := Add (Add (e X) (e Y)) (e Z).
Definition Square (x : R) : expr := Mul (Num x) (Num x).

(** |q|^2, and M(q) with a way to write 2 x. *)
Definition Norm2 (q : quat) : expr :=
  Add (Add (Add (Square (qw q)) (Square (qx q))) (Square (qy q))) (Square (qz q)).
Definition Matrix (double : expr -> expr) (q : quat) (row column : axis) : expr :=
  let two x y w z := double (Add (Mul (Num x) (Num y)) (Mul (Num w) (Num z))) in
  let (x, y, z, w) := q in
  match row, column with
  | X, X => Sub (Sub (Add (Square w) (Square x)) (Square y)) (Square z)
  | Y, Y => Sub (Add (Sub (Square w) (Square x)) (Square y)) (Square z)
  | Z, Z => Add (Sub (Sub (Square w) (Square x)) (Square y)) (Square z)
  | X, Y => two x y (- w) z
  | X, Z => two x z w y
  | Y, X => two x y w z
  | Y, Z => two y z (- w) x
  | Z, X => two x z (- w) y
  | Z, Y => two y z w x
  end.
Definition RelativeV (x y z : quat -> R) (a b : quat) : expr :=
  Sub (Sub (Mul (Num (qw a)) (Num (x b))) (Mul (Num (qw b)) (Num (x a))))
    (Sub (Mul (Num (y a)) (Num (z b))) (Mul (Num (z a)) (Num (y b)))).
Definition RelativeX := RelativeV qx qy qz.
Definition RelativeY := RelativeV qy qz qx.
Definition RelativeZ := RelativeV qz qx qy.
Definition RelativeW (a b : quat) : expr :=
  Add (Add (Add (Mul (Num (qx a)) (Num (qx b))) (Mul (Num (qy a)) (Num (qy b)))) (Mul (Num (qz a)) (Num (qz b))))
    (Mul (Num (qw a)) (Num (qw b))).

(** Sums of products with lengths: t, and the distances of faces of B and of edges. *)
Definition Turned (m : axis -> axis -> expr) (d : vec) (i : axis) : expr := Three (fun k => Mul (m k i) (Len (d k))).
Definition DistanceB (m : axis -> axis -> expr) (t : vec) (j : axis) : expr := Three (fun i => Mul (Len (t i)) (m i j)).
Definition DistanceEdges (m : axis -> axis -> expr) (t : vec) (i j : axis) : expr :=
  Sub (Mul (Len (t (after i))) (m (next i) j)) (Mul (Len (t (next i))) (m (after i) j)).

(** What follows the fences of [obb_sat.wgsl]: s from r, the extents from n and h. *)
Section Shader.
  Variables (r : quat) (n : R) (ha hb t : vec) (c : axis -> axis -> R) (w kappa : R).
  Let GA (i : axis) : expr := Mul (Num n) (Len (ha i)).
  Let GB (i : axis) : expr := Mul (Num n) (Len (hb i)).
  Let AbsT (i : axis) : expr := Len (Rabs (t i)).
  Definition ErrorT : expr := Add (Mul (Num (K_T * u)) (Three AbsT)) (Len A).
  Definition Error (extents : expr) : expr := Add ErrorT (Mul (Num (K_G * u)) extents).
  Definition ErrorA (i : axis) : expr := Error (Add (GA i) (Three GB)).
  Definition ErrorB (j : axis) : expr := Error (Add (Three GA) (GB j)).
  Definition ErrorEdges : expr := Error (Add (Three GA) (Three GB)).
  Definition FaceOfA (i : axis) : expr :=
    Sub (Mul (Norm2 r) (Sub (AbsT i) (GA i))) (Three (fun j => Mul (Num (c i j)) (GB j))).
  Definition FaceOfB (j : axis) : expr :=
    Sub (Sub (Len w) (Mul (Norm2 r) (GB j))) (Three (fun i => Mul (Num (c i j)) (GA i))).
  Definition OfEdges (i j : axis) : expr :=
    Sub (Len w) (Add (Add (Mul (GA (next i)) (Num (c (after i) j))) (Mul (GA (after i)) (Num (c (next i) j))))
      (Add (Mul (GB (next j)) (Num (c i (after j)))) (Mul (GB (after j)) (Num (c i (next j)))))).
  Definition Size : expr := Add (Three AbsT) (Add (Three GA) (Three GB)).
  Definition Sine (i j : axis) : expr := Add (Num (c (next i) j)) (Num (c (after i) j)).
  Definition Addend (i j : axis) : expr := Add (Mul (Mul (Num kappa) Size) (Sine i j)) (Doubled ErrorEdges).

  (** F - E, F + E and the rule: [terms], and 11 + 18 + 20. *)
  Ltac counted := intros; repeat match goal with i : axis |- _ => destruct i end; reflexivity.
  Lemma face_a_terms : forall i, within (Sub (FaceOfA i) (ErrorA i)) (11 + 8) 4 = true.
  Proof. counted. Qed.
  Lemma face_b_terms : forall j, within (Sub (FaceOfB j) (ErrorB j)) (1 + 4 + 3 + 8) 4 = true.
  Proof. counted. Qed.
  Lemma edges_terms : forall i j, within (Sub (OfEdges i j) ErrorEdges) (1 + 4 + 10) 4 = true.
  Proof. counted. Qed.
  Lemma rule_terms : forall k i j, within (Add (FaceOfA k) (Addend i j)) (11 + 18 + 20) 4 = true.
  Proof. counted. Qed.
  Lemma rule_terms_b : forall k i j, within (Add (FaceOfB k) (Addend i j)) (11 + 18 + 20) 4 = true.
  Proof. counted. Qed.
  Lemma rule_of_largest_terms : forall x i j, within (Add (Len x) (Addend i j)) (1 + 18 + 20) 4 = true.
  Proof. counted. Qed.
  Lemma sine_terms : forall i j, within (Sine i j) 2 1 = true.
  Proof. counted. Qed.
End Shader.

(** ** What is before them, and its value *)
Section Values.
  Variables a b r : quat.
  Variables d t : vec.
  Variable C : axis -> axis -> R.

  Ltac counted := intros; try destruct a; try destruct b; try destruct r;
    repeat match goal with i : axis |- _ => destruct i end; reflexivity.
  (* Values are sums over lists, so that they compute. *)
  Ltac equal := intros; destruct a, b, r; repeat match goal with i : axis |- _ => destruct i end;
    unfold values, over, norm2, relative, sum; simpl; clear; lra.

  Lemma norm2_terms : within (Norm2 a) 4 2 = true.
  Proof. counted. Qed.
  Lemma norm2_value : values (Norm2 a) = norm2 a.
  Proof. equal. Qed.

  Lemma relative_terms : forall x y z, within (RelativeV x y z a b) 4 2 && within (RelativeW a b) 4 2 = true.
  Proof. counted. Qed.
  Lemma relative_value : values (RelativeX a b) = qx (relative a b) /\ values (RelativeY a b) = qy (relative a b) /\
    values (RelativeZ a b) = qz (relative a b) /\ values (RelativeW a b) = qw (relative a b).
  Proof. repeat split; equal. Qed.

  Lemma matrix_terms : forall i j, within (Matrix Doubled r i j) 4 2 = true.
  Proof. counted. Qed.
  Lemma matrix_value : forall i j, values (Matrix Doubled r i j) = M r i j.
  Proof. equal. Qed.

  Lemma turned_terms : forall i, within (Turned (Matrix Doubled a) d i) 12 3 = true.
  Proof. counted. Qed.
  Lemma turned_value : forall i, values (Turned (Matrix Doubled a) d i) = sum (fun k => M a k i * d k).
  Proof. equal. Qed.

  Lemma distance_b_terms : forall j, within (DistanceB (Matrix Doubled r) t j) 12 3 = true.
  Proof. counted. Qed.
  Lemma distance_b_value : forall j, values (DistanceB (Matrix Doubled r) t j) = sum (fun i => t i * M r i j).
  Proof. equal. Qed.

  Lemma distance_edges_terms : forall i j, within (DistanceEdges (Matrix Doubled r) t i j) 8 3 = true.
  Proof. counted. Qed.
  Lemma distance_edges_value : forall i j, values (DistanceEdges (Matrix Doubled r) t i j)
    = t (after i) * M r (next i) j - t (next i) * M r (after i) j.
  Proof. equal. Qed.
End Values.

(** ** The CPU in f32, where entries of matrices are numbers, 2 x is exact, and extents are lengths *)
Section Cpu.
  Variables (q : quat) (m C : axis -> axis -> R) (d t gA gB : vec) (s w kappa K K' e : R).
  Let c (i j : axis) : R := Rabs (C i j).
  Let Entry (i j : axis) : expr := Num (m i j).
  Let G (g : vec) (i : axis) : expr := Len (g i).
  Let AbsT (i : axis) : expr := Len (Rabs (t i)).
  Definition Error32 (extents : expr) : expr :=
    Add (Add (Mul (Three AbsT) (Num K)) (Mul extents (Num K'))) (Len A).
  Definition FaceOfA32 (i : axis) : expr :=
    Sub (Mul (Num s) (Sub (AbsT i) (G gA i))) (Three (fun j => Mul (Num (c i j)) (G gB j))).
  Definition FaceOfB32 (j : axis) : expr :=
    Sub (Sub (Len w) (Mul (Num s) (G gB j))) (Three (fun i => Mul (Num (c i j)) (G gA i))).
  Definition OfEdges32 (i j : axis) : expr :=
    Sub (Len w) (Add (Add (Mul (G gA (next i)) (Num (c (after i) j))) (Mul (G gA (after i)) (Num (c (next i) j))))
      (Add (Mul (G gB (next j)) (Num (c i (after j)))) (Mul (G gB (after j)) (Num (c i (next j)))))).
  Definition Extents32 : expr := Add (Three (G gA)) (Three (G gB)).
  Definition Margin32 (i j : axis) : expr :=
    Add (Mul (Mul (Add (Three AbsT) Extents32) (Num kappa)) (Add (Num (c (next i) j)) (Num (c (after i) j))))
      (Doubled (Error32 Extents32)).

  Ltac counted := intros; try destruct q; repeat match goal with i : axis |- _ => destruct i end; reflexivity.
  Lemma matrix_terms_32 : forall i, within (Matrix Twice q i i) 4 2 = true /\ within (Matrix Twice q (next i) i) 2 2 = true
    /\ within (Matrix Twice q (after i) i) 2 2 = true.
  Proof. intro i. destruct q, i; repeat split. Qed.
  Lemma turned_terms_32 : forall i, within (Turned Entry d i) 3 2 = true.
  Proof. counted. Qed.
  Lemma distance_b_terms_32 : forall j, within (DistanceB (fun i j => Num (C i j)) t j) 3 2 = true.
  Proof. counted. Qed.
  Lemma distance_edges_terms_32 : forall i j, within (DistanceEdges (fun i j => Num (C i j)) t i j) 2 2 = true.
  Proof. counted. Qed.
  Lemma face_a_terms_32 : forall i, within (FaceOfA32 i) 5 2 = true.
  Proof. counted. Qed.
  Lemma face_b_terms_32 : forall j, within (FaceOfB32 j) 5 2 = true.
  Proof. counted. Qed.
  Lemma edges_terms_32 : forall i j, within (OfEdges32 i j) 5 2 = true.
  Proof. counted. Qed.
  Lemma error_terms_32 : within (Error32 Extents32) 10 2 = true.
  Proof. counted. Qed.
  Lemma margin_terms_32 : forall i j, within (Margin32 i j) (18 + 20) 4 = true.
  Proof. counted. Qed.
End Cpu.

(** ** The CPU in f64: E and the margin, whose factors of Z are one number. *)
Section Cpu64.
  Variables (n factor kappa underflow : R) (ha hb t : vec) (c : axis -> axis -> R).
  Definition Error64 : expr := Add (Mul (Num factor) (Size n ha hb t)) (Len underflow).
  Definition Margin64 (i j : axis) : expr :=
    Add (Mul (Mul (Num kappa) (Sine c i j)) (Size n ha hb t)) (Doubled Error64).
  Lemma error_terms_64 : within Error64 10 4 = true.
  Proof. reflexivity. Qed.
  Lemma margin_terms_64 : forall i j, within (Margin64 i j) (18 + 20) 4 = true.
  Proof. intros [] []; reflexivity. Qed.
End Cpu64.
