(** * The grid: a walk visits the cell of every box whose bounds overlap, and of two boxes of a level
    exactly one finds the other. One axis at a time, in units of cells from the world's low corner.

    [N] is the last cell; bounds are no longer than a cell. Flushed numbers are not treated. Folds of the
    table are in [Folds.v], and levels about zero, and pairs of different levels, in [Levels.v]. *)

Require Import Rbase Rfunctions ZArith Lra Lia.
From Obbligato Require Import Constants.
Open Scope R_scope.

(** A position's cell: clamped, then truncated. *)
Definition cell (N x : R) : Z := Int_part (Rmax 0 (Rmin x N)).

Lemma floor_monotone : forall x y, x <= y -> (Int_part x <= Int_part y)%Z.
Proof.
  intros x y H. destruct (base_Int_part x) as [A B]. destruct (base_Int_part y) as [C D].
  assert (L : IZR (Int_part x) < IZR (Int_part y + 1)) by (rewrite plus_IZR; lra).
  apply lt_IZR in L. lia.
Qed.

Lemma cell_monotone : forall N x y, x <= y -> (cell N x <= cell N y)%Z.
Proof.
  intros N x y H. apply floor_monotone. apply Rle_max_compat_l. apply Rle_min_compat_r. exact H.
Qed.

(** The slack of a level. *)
Definition slack (N : R) : R := BASE_SLACK + SLACK_PER_CELL * N.

(** A position is off by a subtraction and a product; the ends of a walk by two more roundings. *)
Definition computed_position (x x' : R) : Prop := Rabs (x' - x) <= 2.01 * u * Rabs x.
Definition first_position (N x' first : R) : Prop :=
  Rabs (first - (x' - (1 + slack N))) <= 2.01 * u * (Rabs x' + 1 + slack N).
Definition last_position (N x' last : R) : Prop :=
  Rabs (last - (x' + slack N)) <= 2.01 * u * (Rabs x' + slack N).

Theorem walk_visits : forall N lowA highA lowB lowA' highA' lowB' first last,
  0 <= N <= 2 ^ 20 -> 0 <= lowA <= N + 1 -> 0 <= highA <= N + 1 -> 0 <= lowB <= N + 1 ->
  lowB <= highA -> lowA <= lowB + 1 ->
  computed_position lowA lowA' -> computed_position highA highA' -> computed_position lowB lowB' ->
  first_position N lowA' first -> last_position N highA' last ->
  (cell N first <= cell N lowB' <= cell N last)%Z.
Proof.
  intros N lowA highA lowB lowA' highA' lowB' first last HN HA HH HB O S PA PH PB F L.
  unfold computed_position, first_position, last_position in *.
  rewrite (Rabs_pos_eq lowA) in PA by lra. rewrite (Rabs_pos_eq highA) in PH by lra. rewrite (Rabs_pos_eq lowB) in PB
    by lra.
  assert (both : forall x y, Rabs x <= y -> - y <= x <= y).
  { intros x y H. pose proof (Rle_abs x). pose proof (Rle_abs (- x)). rewrite Rabs_Ropp in *. lra. }
  apply both in PA, PH, PB, F, L.
  assert (NA : Rabs lowA' <= N + 2) by (apply Rabs_le; unfold u in *; lra).
  assert (NH : Rabs highA' <= N + 2) by (apply Rabs_le; unfold u in *; lra).
  unfold slack, BASE_SLACK, SLACK_PER_CELL, u in *.
  split; apply cell_monotone; lra.
Qed.

(** Boxes of a level have places: the cells in order, and the records of a cell in order. Each box
    skips the records up to its own. *)
Section Once.
  Variable record : Type.
  Variable place : record -> nat.
  Variable visits : record -> record -> Prop.
  Definition finds (a b : record) : Prop := visits a b /\ (place a < place b)%nat.

  Theorem found_once : forall a b, visits a b -> visits b a -> place a <> place b ->
    (finds a b /\ ~ finds b a) \/ (finds b a /\ ~ finds a b).
  Proof. intros a b HA HB N. unfold finds. destruct (Nat.lt_trichotomy (place a) (place b)) as [L | [L | L]]; [left |
    lia | right]; split; auto; lia. Qed.
End Once.
