(** * The machine integers of the last stage of boxes are wide enough: [digits.rs], [wide_sat.rs].

    No intermediate result leaves its type. A formula is a tree, its variables have bounds, and a
    computation bounds every part of it. *)

Require Import ZArith List Lia.
From Obbligato Require Import Integers.
Import ListNotations.
Open Scope Z_scope.

(** ** Bounds of every part of a formula *)
Inductive tree := Var (n : nat) | Sum (e e' : tree) | Difference (e e' : tree) | Product (e e' : tree) |
  Absolute (e : tree).

Fixpoint eval (v : nat -> Z) (e : tree) : Z :=
  match e with
  | Var n => v n
  | Sum e e' => eval v e + eval v e'
  | Difference e e' => eval v e - eval v e'
  | Product e e' => eval v e * eval v e'
  | Absolute e => Z.abs (eval v e)
  end.

(** The most that a formula can be if its variables are at most these. *)
Fixpoint most (v : nat -> Z) (e : tree) : Z :=
  match e with
  | Var n => v n
  | Sum e e' | Difference e e' => most v e + most v e'
  | Product e e' => most v e * most v e'
  | Absolute e => most v e
  end.

(** All intermediate results are in a type that ends at [limit]. *)
Fixpoint inside (limit : Z) (v : nat -> Z) (e : tree) : Prop :=
  - limit < eval v e < limit /\
  match e with
  | Var _ => True
  | Sum e e' | Difference e e' | Product e e' => inside limit v e /\ inside limit v e'
  | Absolute e => inside limit v e
  end.
(** The same as a computation, which gives the most if all is inside. *)
Fixpoint check (limit : Z) (v : nat -> Z) (e : tree) : option Z :=
  let both e e' f := match check limit v e, check limit v e' with
    | Some m, Some m' => if f m m' <? limit then Some (f m m') else None | _, _ => None end in
  match e with
  | Var n => if v n <? limit then Some (v n) else None
  | Sum e e' | Difference e e' => both e e' Z.add
  | Product e e' => both e e' Z.mul
  | Absolute e => match check limit v e with Some m => if m <? limit then Some m else None | None => None end
  end.
Definition are_inside (limit : Z) (v : nat -> Z) (m : Z) (l : list tree) : bool :=
  forallb (fun e => match check limit v e with Some m' => m' <=? m | None => false end) l.

Section Bounded.
  Variables v b : nat -> Z.
  Hypothesis H : forall n, Z.abs (v n) <= b n.

  Lemma most_is : forall e, Z.abs (eval v e) <= most b e.
  Proof. induction e; simpl; auto; try lia. rewrite Z.abs_mul. nia. Qed.

  Lemma inside_is : forall limit e m, check limit b e = Some m -> inside limit v e /\ m = most b e.
  Proof.
    assert (R : forall limit e, most b e < limit -> - limit < eval v e < limit)
      by (intros limit e L; apply Z.abs_lt; eapply Z.le_lt_trans; [apply most_is | exact L]).
    intro limit. induction e as [n | e IH e' IH' | e IH e' IH' | e IH e' IH' | e IH]; cbn [check]; intros m C;
      try (destruct (check limit b e) as [m1 |]; [| discriminate]; destruct (IH m1 eq_refl) as [I ->]);
      try (destruct (check limit b e') as [m2 |]; [| discriminate]; destruct (IH' m2 eq_refl) as [I' ->]);
      match type of C with context [?l <? limit] => destruct (Z.ltb_spec l limit) as [L |]; [| discriminate] end;
      injection C as <-; (split; [split; [apply R; exact L | auto] | auto]).
  Qed.

  Lemma are_inside_is : forall limit m l, are_inside limit b m l = true ->
    Forall (fun e => inside limit v e /\ Z.abs (eval v e) <= m) l.
  Proof.
    intros limit m l A. unfold are_inside in A. rewrite forallb_forall in A. apply Forall_forall. intros e He.
    specialize (A e He). destruct (check limit b e) as [m' |] eqn:C; [| discriminate]. apply Z.leb_le in A.
    destruct (inside_is limit e m' C) as [I ->]. split; auto. pose proof (most_is e). lia.
  Qed.
End Bounded.

Definition indices := [I0; I1; I2].
Definition all_axes := map FaceA indices ++ map FaceB indices
  ++ flat_map (fun i => map (Edges i) indices) indices.
Definition of_two {A} (f : index -> index -> A) : list A := flat_map (fun i => map (f i) indices) indices.
Definition number (i : index) : nat := match i with I0 => 0 | I1 => 1 | I2 => 2 end.

(** The turns of a pair: its matrices, squared lengths, entries and axes. *)
Definition qa := Q (Var 0) (Var 1) (Var 2) (Var 3).
Definition qb := Q (Var 4) (Var 5) (Var 6) (Var 7).
Definition matrix_of := matrix Sum Difference Product.
Definition turns : list tree :=
  of_two (matrix_of qa) ++ of_two (matrix_of qb) ++ [norm Sum Product qa; norm Sum Product qb]
  ++ of_two (entry Sum Difference Product qa qb) ++ [scale Sum Difference Product qa qb]
  ++ flat_map (fun k => map (direction Sum Difference Product qa qb k) indices) all_axes.

(** [short_turns] lets pass parts of at most 1 + 2^-9, in units of 2^-14 or 2^-30. *)
Definition most_part (grain : Z) : Z := 2 ^ grain + 2 ^ (grain - 9).
Definition most_turn (grain : Z) : Z := 4 * (4 * most_part grain ^ 2) ^ 2.

(** [Tiny] and [Turned]: turns in 64 bits. *)
Theorem tiny_turns_fit : forall v, (forall n, Z.abs (v n) <= most_part 14) ->
  Forall (fun e => inside (2 ^ 63) v e /\ Z.abs (eval v e) <= most_turn 14) turns.
Proof. intros v H. apply (are_inside_is _ _ H). vm_compute. reflexivity. Qed.

(** [Short]: turns in 128 bits. *)
Theorem short_turns_fit : forall v, (forall n, Z.abs (v n) <= most_part 30) ->
  Forall (fun e => inside (2 ^ 127) v e /\ Z.abs (eval v e) <= most_turn 30) turns.
Proof. intros v H. apply (are_inside_is _ _ H). vm_compute. reflexivity. Qed.

(** Boxes of one rotation: a matrix of multiples of 2^-60 in 64 bits. *)
Definition parallel_turns : list tree := of_two (matrix_of qa) ++ [norm Sum Product qa].
Definition most_parallel : Z := 4 * most_part 30 ^ 2.
Theorem parallel_turns_fit : forall v, (forall n, Z.abs (v n) <= most_part 30) ->
  Forall (fun e => inside (2 ^ 63) v e /\ Z.abs (eval v e) <= most_parallel) parallel_turns.
Proof. intros v H. apply (are_inside_is _ _ H). vm_compute. reflexivity. Qed.

(** Products: variables 0 to 19 are turns, 20 to 22 the distance, and the others half extents.
    Lengths have [SHORT] bits, and differences one more. *)
Definition SHORT : Z := 61.
Definition most_of (turn : Z) (n : nat) : Z :=
  if (n <? 20)%nat then turn else if (n <? 23)%nat then 2 * 2 ^ SHORT else 2 ^ SHORT.
Definition length_of (first : nat) (i : index) : tree := Var (first + number i).
Definition gap_of (k : axis) : tree :=
  gap Product Sum Difference Absolute (fun l => Var (number l)) (Var 3)
    (fun i j => Var (4 + 3 * number i + number j)) (length_of 20) (length_of 23) (length_of 26) k.

(** [Tiny]: products of 64 bits and 64 in 128. *)
Theorem tiny_products_fit : forall v, (forall n, Z.abs (v n) <= most_of (most_turn 14) n) ->
  Forall (fun e => inside (2 ^ 127) v e /\ Z.abs (eval v e) <= 2 ^ 127) (map gap_of all_axes).
Proof. intros v H. apply (are_inside_is _ _ H). vm_compute. reflexivity. Qed.

(** [Short]: products of 128 bits and 64 in [Wide<4>]. *)
Theorem short_products_fit : forall v, (forall n, Z.abs (v n) <= most_of (most_turn 30) n) ->
  Forall (fun e => inside (2 ^ 255) v e /\ Z.abs (eval v e) <= 2 ^ 255) (map gap_of all_axes).
Proof. intros v H. apply (are_inside_is _ _ H). vm_compute. reflexivity. Qed.

(** Boxes of one rotation: the half extents are added first. *)
Definition parallel_gap_of : tree :=
  parallel_gap Product Sum Difference Absolute (fun l => Var (number l)) (Var 3) (length_of 20)
    (Sum (Var 23) (Var 26)).
Theorem parallel_products_fit : forall v, (forall n, Z.abs (v n) <= most_of most_parallel n) ->
  Forall (fun e => inside (2 ^ 127) v e /\ Z.abs (eval v e) <= 2 ^ 127) [parallel_gap_of].
Proof. intros v H. apply (are_inside_is _ _ H). vm_compute. reflexivity. Qed.
