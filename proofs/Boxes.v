(** * The definition: what a box is, and what it means that two collide.

    This file has no proof in it. It is what a reader has to trust, next to the statements of the
    theorems. A box is ten numbers, taken as real numbers without any rounding, and a flag that
    does not matter here. *)

Require Import Rbase Rfunctions.
Open Scope R_scope.

(** Indices of coordinates, cyclic modulo 3. *)
Inductive axis := X | Y | Z.
Definition next (i : axis) : axis := match i with X => Y | Y => Z | Z => X end.
Definition after (i : axis) : axis := match i with X => Z | Y => X | Z => Y end.

Definition vec := axis -> R.
Definition sum (v : vec) : R := v X + v Y + v Z.
Definition dot (u v : vec) : R := sum (fun i => u i * v i).
Definition cross (u v : vec) : vec := fun i => u (next i) * v (after i) - u (after i) * v (next i).

Record quat := Quat { qx : R; qy : R; qz : R; qw : R }.
Definition norm2 (q : quat) : R := qw q * qw q + qx q * qx q + qy q * qy q + qz q * qz q.

(** M(q), the quaternion's matrix with homogeneous diagonal: row, then column. *)
Definition M (q : quat) (row column : axis) : R :=
  let (x, y, z, w) := q in
  match row, column with
  | X, X => w * w + x * x - y * y - z * z
  | X, Y => 2 * (x * y - w * z)
  | X, Z => 2 * (x * z + w * y)
  | Y, X => 2 * (x * y + w * z)
  | Y, Y => w * w - x * x + y * y - z * z
  | Y, Z => 2 * (y * z - w * x)
  | Z, X => 2 * (x * z - w * y)
  | Z, Y => 2 * (y * z + w * x)
  | Z, Z => w * w - x * x - y * y + z * z
  end.

Record box := Box { center : vec; half : vec; rotation : quat }.

(** Axis [i] of a box: a column of M(q) / |q|^2. *)
Definition edge (b : box) (i : axis) : vec := fun k => M (rotation b) k i / norm2 (rotation b).

(** What [Obb::problem] lets pass. The limits of coordinates do not matter to real numbers. *)
Definition valid (b : box) : Prop :=
  (forall i, 0 <= half b i) /\ 0.9979 <= norm2 (rotation b) <= 1.0021.

(** The set of points of a box. *)
Definition contains (b : box) (p : vec) : Prop :=
  exists s : vec,
    (forall i, -1 <= s i <= 1) /\
    (forall k, p k = center b k + sum (fun i => half b i * s i * edge b i k)).

Definition collide (a b : box) : Prop := exists p, contains a p /\ contains b p.
Definition separated (a b : box) : Prop := ~ collide a b.

(** Touching boxes collide, but an arbitrarily small move of one separates them. *)
Definition moved (b : box) (v : vec) : box := Box (fun k => center b k + v k) (half b) (rotation b).
Definition touching (a b : box) : Prop :=
  collide a b /\
  forall e, 0 < e -> exists v, (forall k, Rabs (v k) < e) /\ separated a (moved b v).
Definition overlapping (a b : box) : Prop := collide a b /\ ~ touching a b.
