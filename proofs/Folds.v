(** * The table of the grid: folds, slots and keys.

    A world with more cells than slots is folded into the table. A row of cells is one run of slots, and
    a record counts in the row of its own cell alone, which its key names. *)

Require Import ZArith Lia.
Open Scope Z_scope.

(** ** Slots: [Table::slot], [slot_of]. A fold is 2^bx cells wide, and a table has 2^bits slots, at least
    as many. [rows] is what the fold's number, the world, y and z add to the row, in 32 bits. *)
Section Slots.
  Variables (bx bits : Z).
  Hypothesis Hb : 0 <= bx <= bits.
  Hypothesis H32 : bits <= 32.

  Definition wrap (v : Z) : Z := v mod 2 ^ 32.
  (** The place of a cell with this coordinate within the fold. *)
  Definition slot (first_slot inner_x rows : Z) : Z :=
    first_slot + Z.land (wrap (inner_x + wrap (rows * 2 ^ bx))) (2 ^ bits - 1).

  Lemma powers : 2 ^ bits = 2 ^ bx * 2 ^ (bits - bx) /\ 2 ^ 32 = 2 ^ bits * 2 ^ (32 - bits).
  Proof. rewrite <- !Z.pow_add_r by lia. split; f_equal; lia. Qed.

  Lemma mod_of_mod : forall v a c, 0 < a -> 0 < c -> (v mod (a * c)) mod a = v mod a.
  Proof.
    intros v a c A C. rewrite (Z.div_mod v (a * c)) at 2 by nia.
    replace (a * c * (v / (a * c)) + v mod (a * c)) with (v mod (a * c) + (c * (v / (a * c))) * a) by ring.
    rewrite Z.mod_add by lia. reflexivity.
  Qed.

  (** The rows of a fold stay apart: the coordinate fills the low bits, and no carry leaves them. *)
  Theorem slot_is : forall first_slot inner_x rows, 0 <= inner_x < 2 ^ bx ->
    slot first_slot inner_x rows = first_slot + 2 ^ bx * (rows mod 2 ^ (bits - bx)) + inner_x.
  Proof.
    intros first_slot inner_x rows H. destruct powers as [P1 P2]. unfold slot, wrap.
    pose proof (Z.pow_pos_nonneg 2 bx ltac:(lia) ltac:(lia)) as A1.
    pose proof (Z.pow_pos_nonneg 2 (bits - bx) ltac:(lia) ltac:(lia)) as A2.
    pose proof (Z.pow_pos_nonneg 2 (32 - bits) ltac:(lia) ltac:(lia)) as A3.
    pose proof (Z.pow_pos_nonneg 2 bits ltac:(lia) ltac:(lia)) as A4.
    replace (2 ^ bits - 1) with (Z.ones bits) by (rewrite Z.ones_equiv; lia).
    rewrite Z.land_ones by lia. rewrite P2, mod_of_mod by auto.
    rewrite Z.add_mod, mod_of_mod, <- Z.add_mod by lia.
    rewrite (Z.mul_comm rows), Z.add_mod, P1, Z.mul_mod_distr_l, <- P1 by lia.
    pose proof (Z.mod_pos_bound rows (2 ^ (bits - bx)) A2) as R. set (r := rows mod 2 ^ (bits - bx)) in *.
    assert (2 ^ bx * (r + 1) <= 2 ^ bits) by (rewrite P1; apply Z.mul_le_mono_nonneg_l; lia).
    rewrite (Z.mod_small inner_x) by nia. rewrite Z.mod_small by nia. lia.
  Qed.

  (** So the cells of a row, up to the end of a fold, are a run of slots. *)
  Theorem row_is_a_run : forall first_slot x rows k, 0 <= x -> 0 <= k -> x + k < 2 ^ bx ->
    slot first_slot (x + k) rows = slot first_slot x rows + k.
  Proof. intros. rewrite !slot_is by lia. lia. Qed.

  Theorem slot_in_table : forall first_slot x rows, 0 <= x < 2 ^ bx ->
    first_slot <= slot first_slot x rows < first_slot + 2 ^ bits.
  Proof.
    intros first_slot x rows H. rewrite slot_is by auto. destruct powers as [P1 _].
    pose proof (Z.pow_pos_nonneg 2 (bits - bx) ltac:(lia) ltac:(lia)) as A2.
    pose proof (Z.mod_pos_bound rows (2 ^ (bits - bx)) A2) as R. set (r := rows mod 2 ^ (bits - bx)) in *.
    assert (2 ^ bx * (r + 1) <= 2 ^ bits) by (rewrite P1; apply Z.mul_le_mono_nonneg_l; lia). nia.
  Qed.
End Slots.

(** A plain table has a slot for each cell of a world that is [w] cells wide and [h] high: no record there
    is of another cell, and keys are not read. A row of cells is a run of slots by definition. *)
Definition plain_slot (first_slot w h x y z : Z) : Z := first_slot + x + (y + z * h) * w.

Theorem plain_slots_differ : forall first_slot w h x y z x' y' z',
  0 <= x < w -> 0 <= x' < w -> 0 <= y < h -> 0 <= y' < h ->
  plain_slot first_slot w h x y z = plain_slot first_slot w h x' y' z' -> x = x' /\ y = y' /\ z = z'.
Proof.
  intros first_slot w h x y z x' y' z' X X' Y Y'. unfold plain_slot. intro E.
  destruct (Z.div_mod_unique w (y + h * z) (y' + h * z') x x') as [E1 ->]; try lia.
  destruct (Z.div_mod_unique h z z' y y') as [-> ->]; lia.
Qed.

(** [Table::row_end]: the last cell of a row that is in the fold of x. *)
Theorem row_end_is : forall bx x, 0 <= bx -> 0 <= x ->
  Z.lor x (2 ^ bx - 1) = x - x mod 2 ^ bx + (2 ^ bx - 1) /\ Z.land x (2 ^ bx - 1) = x mod 2 ^ bx.
Proof.
  intros bx x B X. replace (2 ^ bx - 1) with (Z.ones bx) by (rewrite Z.ones_equiv; lia).
  rewrite Z.land_ones by auto. split; auto.
  assert (O : Z.lor x (Z.ones bx) = Z.lor (Z.ldiff x (Z.ones bx)) (Z.ones bx)).
  { apply Z.bits_inj. intro k. rewrite !Z.lor_spec, Z.ldiff_spec. destruct (Z.testbit x k),
    (Z.testbit (Z.ones bx) k); auto. }
  assert (N : Z.land (Z.ldiff x (Z.ones bx)) (Z.ones bx) = 0).
  { apply Z.bits_inj. intro k. rewrite Z.land_spec, Z.ldiff_spec, Z.bits_0.
    destruct (Z.testbit x k), (Z.testbit (Z.ones bx) k); auto. }
  rewrite O, <- Z.lxor_lor, <- Z.add_nocarry_lxor, Z.ldiff_ones_r, Z.shiftr_div_pow2, Z.shiftl_mul_pow2 by auto.
  pose proof (Z.div_mod x (2 ^ bx)) as E. pose proof (Z.pow_pos_nonneg 2 bx). lia.
Qed.

(** ** Keys: [cell_key], and the test of [in_row]. *)
Definition key (place x y z : Z) : Z := x mod 256 + 256 * (y mod 256) + 65536 * (z mod 256) + 16777216 * place.
Definition in_row (k start len : Z) : Prop :=
  Z.shiftr (Z.lxor k start) 8 = 0 /\ Z.land (k - start) 255 < len.

Lemma key_parts : forall p x y z, key p x y z = x mod 256 + 256 * (y mod 256 + 256 * (z mod 256 + 256 * p)).
Proof. intros. unfold key. ring. Qed.

Lemma low_is : forall r q, 0 <= r < 256 -> (r + 256 * q) / 256 = q /\ (r + 256 * q) mod 256 = r.
Proof.
  intros r q H. rewrite (Z.mul_comm 256), Z.div_add, Z.mod_add by lia.
  rewrite Z.div_small, Z.mod_small by lia. lia.
Qed.

(** Within 256 cells, a number modulo 256 names one. *)
Lemma same_cell : forall a b, - 256 < a - b < 256 -> a mod 256 = b mod 256 -> a = b.
Proof.
  intros a b H E. pose proof (Z.div_mod a 256 ltac:(lia)). pose proof (Z.div_mod b 256 ltac:(lia)). lia.
Qed.

(** A record of a cell within 256 cells of a row counts in the row if and only if its cell is in it.
    Two levels, or layers, never share a key. *)
Theorem key_names_row : forall p p' x y z x0 y0 z0 len,
  0 < len <= 256 -> - 256 < x - x0 < 256 -> - 256 < x - (x0 + len - 1) < 256 -> - 256 < y - y0 < 256 ->
    - 256 < z - z0 < 256 ->
  (in_row (key p x y z) (key p' x0 y0 z0) len <-> p = p' /\ x0 <= x < x0 + len /\ y = y0 /\ z = z0).
Proof.
  intros p p' x y z x0 y0 z0 len L X1 X2 Y Z0. unfold in_row.
  assert (M : forall v, 0 <= v mod 256 < 256) by (intro; apply Z.mod_pos_bound; lia).
  rewrite !key_parts, Z.shiftr_lxor, Z.lxor_eq_0_iff, !Z.shiftr_div_pow2 by lia. change (2 ^ 8) with 256.
  rewrite !(proj1 (low_is _ _ (M _))). change 255 with (Z.ones 8). rewrite Z.land_ones by lia. change (2 ^ 8)
    with 256.
  assert (D : forall q q', (x mod 256 + 256 * q - (x0 mod 256 + 256 * q')) mod 256 = (x - x0) mod 256).
  { intros. replace (x mod 256 + 256 * q - (x0 mod 256 + 256 * q')) with (x mod 256 - x0 mod 256 + (q - q') *
    256) by ring.
    rewrite Z.mod_add by lia. rewrite <- Zdiv.Zminus_mod. reflexivity. }
  rewrite D. split.
  - intros [E R].
    assert (EY : y mod 256 = y0 mod 256).
    { apply (f_equal (fun v => v mod 256)) in E. rewrite !(proj2 (low_is _ _ (M _))) in E. auto. }
    assert (EZ : z mod 256 + 256 * p = z0 mod 256 + 256 * p') by lia.
    assert (EZ' : z mod 256 = z0 mod 256).
    { apply (f_equal (fun v => v mod 256)) in EZ. rewrite !(proj2 (low_is _ _ (M _))) in EZ. auto. }
    apply same_cell in EY, EZ'; auto. subst y z. repeat split; auto; try lia.
    + pose proof (Z.div_mod (x - x0) 256 ltac:(lia)). pose proof (M (x - x0)). lia.
    + pose proof (Z.div_mod (x - x0) 256 ltac:(lia)). pose proof (M (x - x0)). lia.
  - intros [-> [R [-> ->]]]. split; auto. rewrite Z.mod_small; lia.
Qed.

(** [home_cell]: the cell with a record's key that is nearest to where it is computed to be. *)
Definition signed_byte (v : Z) : Z := (v + 128) mod 256 - 128.
Definition home_cell (k near : Z) : Z := near + signed_byte (k mod 256 - near).

Theorem home_cell_is : forall cell near, - 128 <= cell - near < 128 -> home_cell cell near = cell.
Proof.
  intros cell near H. unfold home_cell, signed_byte.
  replace (cell mod 256 - near + 128) with (cell - near + 128 + (- (cell / 256)) * 256)
    by (pose proof (Z.div_mod cell 256 ltac:(lia)); lia).
  rewrite Z.mod_add, Z.mod_small by lia. lia.
Qed.
