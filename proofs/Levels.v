(** * Levels of the grid: those about zero, the walk of half a neighbourhood, and pairs of boxes of
    different levels. One axis at a time where nothing else is said, in units of cells. *)

Require Import Rbase Rfunctions ZArith Lra Lia.
From Obbligato Require Import Constants Grid.
Open Scope R_scope.

(** ** Levels about zero: cells are numbered from the origin of coordinates, and their size is a power
    of two, so a position in cells is exact. *)

(** The numbers that a machine has; a result is rounded to a neighbour, or is exact. *)
Section AboutZero.
  Variable is_float : R -> Prop.
  Definition rounds_to (x y : R) : Prop :=
    (forall g, is_float g -> x <= g -> y <= g) /\ (forall g, is_float g -> g <= x -> g <= y).

  (** Either neighbour qualifies: the greatest number that is not above x, and the least not below. *)
  Lemma down_rounds : forall x y, is_float y -> y <= x -> (forall g, is_float g -> g <= x -> g <= y) ->
    rounds_to x y.
  Proof. intros x y F L G. split; intros g Hg H; [lra | auto]. Qed.
  Lemma up_rounds : forall x y, is_float y -> x <= y -> (forall g, is_float g -> x <= g -> y <= g) -> rounds_to x y.
  Proof. intros x y F L G. split; intros g Hg H; [auto | lra]. Qed.

  (** [below] cells before position 0; the last cell is N. *)
  Definition zero_cell (below N : Z) (x : R) : Z := (Z.max (- below) (Z.min (Int_part x) (N - below)) + below)%Z.

  Lemma zero_cell_monotone : forall below N x y, x <= y -> (zero_cell below N x <= zero_cell below N y)%Z.
  Proof. intros below N x y H. unfold zero_cell. pose proof (floor_monotone x y H). lia. Qed.

  (** The first end may be computed as one difference, or one after the other. *)
  Definition zero_first (low one slack first : R) : Prop :=
    rounds_to (low - (one + slack)) first \/
    exists between, rounds_to (low - one) between /\ rounds_to (between - slack) first.

  Theorem zero_walk_visits : forall below N lowA highA lowB one slack first last,
    is_float lowB -> lowB <= highA -> lowA <= lowB + 1 -> 1 <= one -> 0 <= slack ->
    zero_first lowA one slack first -> rounds_to (highA + slack) last ->
    (zero_cell below N first <= zero_cell below N lowB <= zero_cell below N last)%Z.
  Proof.
    intros below N lowA highA lowB one slack first last F O S O1 SP HF [_ HL].
    split; apply zero_cell_monotone; [| apply HL; auto; lra].
    destruct HF as [[HF _] | [between [[HB _] [HF _]]]]; apply HF; auto; [lra |].
    assert (between <= lowB) by (apply HB; auto; lra). lra.
  Qed.
End AboutZero.

(** ** Walks are short, so that a cell modulo 256 names it ([Folds.v]). *)
Lemma cell_apart : forall N x y w, x <= y + w -> 0 <= w -> IZR (cell N x) < IZR (cell N y) + w + 1.
Proof.
  intros N x y w H W. unfold cell.
  destruct (base_Int_part (Rmax 0 (Rmin x N))) as [A _]. destruct (base_Int_part (Rmax 0 (Rmin y N))) as [_ B].
  assert (Rmax 0 (Rmin x N) <= Rmax 0 (Rmin y N) + w).
  { unfold Rmax, Rmin. repeat destruct Rle_dec; lra. }
  lra.
Qed.

Theorem walk_is_short : forall N low high low' high' first last,
  0 <= N <= 2 ^ 20 -> 0 <= low <= N + 1 -> 0 <= high <= N + 1 -> high <= low + 1 ->
  computed_position low low' -> computed_position high high' ->
  first_position N low' first -> last_position N high' last -> (cell N last - cell N first <= 8)%Z.
Proof.
  intros N low high low' high' first last HN HL HH S PL PH F L.
  unfold computed_position, first_position, last_position in *.
  rewrite (Rabs_pos_eq low) in PL by lra. rewrite (Rabs_pos_eq high) in PH by lra.
  assert (both : forall x y, Rabs x <= y -> - y <= x <= y).
  { intros x y H. pose proof (Rle_abs x). pose proof (Rle_abs (- x)). rewrite Rabs_Ropp in *. lra. }
  apply both in PL, PH, F, L.
  assert (NL : Rabs low' <= N + 2) by (apply Rabs_le; unfold u in *; lra).
  assert (NH : Rabs high' <= N + 2) by (apply Rabs_le; unfold u in *; lra).
  assert (D : last <= first + 7) by (unfold slack, BASE_SLACK, SLACK_PER_CELL, u in *; lra).
  pose proof (cell_apart N last first 7 D ltac:(lra)) as C.
  assert (E : IZR (cell N last) < IZR (cell N first + 8)) by (rewrite plus_IZR; lra). apply lt_IZR in E. lia.
Qed.

(** ** A walk in the level of a box itself: the cells from its own on, in the order z, y, x *)
Open Scope Z_scope.
Record place := Place { px : Z; py : Z; pz : Z }.
Definition within (first last c : place) : Prop :=
  px first <= px c <= px last /\ py first <= py c <= py last /\ pz first <= pz c <= pz last.
Definition before (c c' : place) : Prop :=
  pz c < pz c' \/ (pz c = pz c' /\ (py c < py c' \/ (py c = py c' /\ px c < px c'))).

(** The three loops of the source. *)
Definition half_walk (first home last c : place) : Prop :=
  pz home <= pz c <= pz last /\
  (if pz c =? pz home then py home else py first) <= py c <= py last /\
  (if andb (pz c =? pz home) (py c =? py home) then px home else px first) <= px c <= px last.

Theorem half_walk_is : forall first home last c, within first last home -> within first last c ->
  (half_walk first home last c <-> c = home \/ before home c).
Proof.
  intros [fx fy fz] [hx hy hz] [lx ly lz] [cx cy cz] H C. unfold within, half_walk, before in *. simpl in *.
  destruct (Z.eqb_spec cz hz), (Z.eqb_spec cy hy); simpl; split; intro W;
    try (destruct W as [W | W]; [injection W as -> -> -> |]; lia);
    try (right; lia); destruct (Z.eq_dec cx hx); try (right; lia); left; f_equal; lia.
Qed.

(** ** Each pair once, whatever the levels. Level 0 is the coarsest. A box walks its own level and the
    coarser ones; in its own it skips the cells before its own, and in its own cell the records
    before itself. *)
Section Found.
  Variable record : Type.
  Variable level : record -> nat.
  Variable cell_of : record -> place.
  Variable position : record -> nat.
  (** The walk of a record in the level of another visits that one's cell: [walk_visits]. *)
  Variable visits : record -> record -> Prop.

  Definition later (a b : record) : Prop :=
    before (cell_of a) (cell_of b) \/ (cell_of a = cell_of b /\ (position a < position b)%nat).
  Definition found_by (a b : record) : Prop :=
    visits a b /\ ((level b < level a)%nat \/ (level b = level a /\ later a b)).

  Lemma one_is_later : forall a b, position a <> position b -> (later a b /\ ~ later b a) \/ (later b a /\
    ~ later a b).
  Proof.
    intros a b N. unfold later, before. destruct (cell_of a) as [ax ay az], (cell_of b) as [bx by_ bz]. simpl.
    destruct (Z.lt_trichotomy az bz) as [L | [-> | L]]; [left | | right].
    - split; [lia |]. intros [H | [H _]]; [lia | injection H; lia].
    - destruct (Z.lt_trichotomy ay by_) as [L | [-> | L]]; [left | | right].
      + split; [lia |]. intros [H | [H _]]; [lia | injection H; lia].
      + destruct (Z.lt_trichotomy ax bx) as [L | [-> | L]]; [left | | right].
        * split; [lia |]. intros [H | [H _]]; [lia | injection H; lia].
        * destruct (Nat.lt_trichotomy (position a) (position b)) as [L | [L | L]]; [left | lia | right];
            (split; [right; auto | intros [H | [_ H]]; lia]).
        * split; [lia |]. intros [H | [H _]]; [lia | injection H; lia].
      + split; [lia |]. intros [H | [H _]]; [lia | injection H; lia].
    - split; [lia |]. intros [H | [H _]]; [lia | injection H; lia].
  Qed.

  (** Both walk the other's level if it is the same, and only the finer if it is not. *)
  Theorem levels_find_once : forall a b, position a <> position b ->
    ((level b <= level a)%nat -> visits a b) -> ((level a <= level b)%nat -> visits b a) ->
    (found_by a b /\ ~ found_by b a) \/ (found_by b a /\ ~ found_by a b).
  Proof.
    intros a b N VA VB. unfold found_by.
    destruct (Nat.lt_trichotomy (level a) (level b)) as [L | [L | L]].
    - right. split; [split; [apply VB; lia | auto] |]. intros [_ [H | [H _]]]; lia.
    - destruct (one_is_later a b N) as [[P Q] | [P Q]]; [left | right];
        (split; [split; [apply VA || apply VB; lia | right; auto] | intros [_ [H | [_ H]]]; [lia | auto]]).
    - left. split; [split; [apply VA; lia | auto] |]. intros [_ [H | [H _]]]; lia.
  Qed.
End Found.
