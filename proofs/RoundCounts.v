(** * The numbers of monomials and the degrees of the formulas for round bodies, counted by Coq as in [Counts.v]. *)

Require Import Rbase Rfunctions List Arith Bool.
From Obbligato Require Import Boxes Formulas Rounding Flushing Constants Propagation Counts.
Open Scope R_scope.

Section Formulas.
  Variables (q : quat) (d p w z za zb x : vec) (ha hb : R) (h : vec).
  Variables (s t reciprocal ra rb m r e l aa ab k : R).

  Let Dots (v v' : vec) : expr := Three (fun i => Mul (Num (v i)) (Num (v' i))).
  Let Sizes (v : vec) : expr := Three (fun i => Len (Rabs (v i))).

  (** Two balls: R, E, and F - E or F + E. *)
  Definition Reach : expr := Add (Add (Len ra) (Len rb)) (Len m).
  Definition BallsError : expr := Add (Mul (Num (k * u)) (Add (Dots d d) (Mul (Num r) (Num r)))) (Num FLUSH_SQUARE).
  Definition BallsCompared : expr := Sub (Sub (Dots d d) (Mul (Num r) (Num r))) (Num e).

  (** A direction; p, a point of a segment, and the vector between two. *)
  Definition Direction (i : axis) : expr := Mul (Matrix Doubled q i Z) (Num reciprocal).
  Definition Seen (i : axis) : expr := Mul (Turned (Matrix Doubled q) d i) (Num reciprocal).
  Definition Point (i : axis) : expr := Add (Len (p i)) (Mul (Len t) (Num (z i))).
  Definition Way (i : axis) : expr := Sub (Add (Len (d i)) (Mul (Len t) (Num (zb i)))) (Mul (Len s) (Num (za i))).

  (** The answers about cores; K may be a constant times u, or a number of its own. *)
  Definition Along : expr := Three (fun i => Mul (Len (w i)) (Num (z i))).
  Definition SegmentsError : expr :=
    Add (Mul (Mul (Num k) (Num u)) (Add (Add (Add (Sizes d) (Len ha)) (Len hb)) (Len r))) (Len FLUSH_LENGTH).
  Definition BoxError : expr :=
    Add (Mul (Mul (Num k) (Num u)) (Add (Add (Add (Sizes p) (Three (fun i => Len (h i)))) (Len hb)) (Len r))) (Len FLUSH_LENGTH).
  Definition Closer : expr := Sub (Add (Len l) (Len e)) (Len r).
  Let Product : expr := Mul (Add (Num r) (Num e)) (Add (Num l) (Num FLUSH_LENGTH)).
  Definition SegmentsApart : expr :=
    Sub (Sub (Sub (Dots w d) (Mul (Num ha) (Num aa))) (Mul (Num hb) (Num ab))) Product.
  Definition BoxApart : expr :=
    Sub (Sub (Sub (Dots w p) (Three (fun i => Mul (Num (h i)) (Num (Rabs (w i)))))) (Mul (Num hb) (Num ab))) Product.
  Definition Inside (i : axis) : expr := Sub (Sub (Len (h i)) (Len (Rabs (x i)))) (Len e).
End Formulas.

(** The records ask for no fewer. *)
Ltac counted := intros; repeat match goal with q : quat |- _ => destruct q | i : axis |- _ => destruct i end; reflexivity.

Theorem ball_terms : forall d ra rb m r e k, within (Reach ra rb m) 3 1 && within (BallsError d r k) 5 3 &&
  within (BallsCompared d r e) 5 2 = true.
Proof. counted. Qed.

Theorem witness_terms : forall q d p w z za zb x h ha hb s t reciprocal r e l aa ab k i,
  within (Direction q reciprocal i) 4 3 && within (Seen q d reciprocal i) 12 4 && within (Point p z t i) 2 2 &&
  within (Way d za zb s t i) 3 2 && within (Along w z) 3 2 && within (SegmentsError d ha hb r k) 9 3 &&
  within (BoxError p hb h r k) 9 3 && within (Closer r e l) 3 1 && within (SegmentsApart d w ha hb r e l aa ab) 11 2 &&
  within (BoxApart p w hb h r e l ab) 11 2 && within (Inside x h e i) 3 1 = true.
Proof. counted. Qed.
