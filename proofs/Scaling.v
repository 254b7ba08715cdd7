(** * How stored numbers become integers: [Grain] of [exact/scale.rs].

    A number is given by the bits of its magnitude, which are ordered like magnitudes: 8 bits of
    exponent and 23 of fraction. *)

Require Import ZArith Lia.
Open Scope Z_scope.

(** [split]: an integer of at most 24 bits and a power of two. The leading bit is implicit, except in
    subnormal numbers. *)
Definition exponent (n : Z) : Z := n / 2 ^ 23.
Definition whole (n : Z) : Z := n mod 2 ^ 23 + (if exponent n =? 0 then 0 else 2 ^ 23).
Definition power (n : Z) : Z := Z.max (exponent n) 1 - 150.

Lemma whole_below : forall n, 0 <= whole n < 2 ^ 24.
Proof.
  intro n. unfold whole. pose proof (Z.mod_pos_bound n (2 ^ 23) ltac:(lia)). destruct (exponent n =? 0); lia.
Qed.

Lemma power_monotone : forall n m, n <= m -> power n <= power m.
Proof.
  intros n m H. unfold power, exponent. pose proof (Z.div_le_mono n m (2 ^ 23) ltac:(lia) H). lia.
Qed.

(** [Grain::of]: the power of the smallest number above 0, and 24 more than that of the largest. *)
Section Grain.
  Variables small large : Z.
  Hypothesis H : 0 < small <= large.
  Definition grain : Z := power small.
  Definition limit : Z := power large + 24.
  Definition bits : Z := limit - grain.

  (** All numbers are integers of this number of bits in units of the grain. *)
  Theorem grain_holds : forall n, small <= n <= large ->
    0 <= power n - grain /\ 0 <= whole n * 2 ^ (power n - grain) < 2 ^ bits.
  Proof.
    intros n Hn. pose proof (power_monotone small n ltac:(lia)) as L.
      pose proof (power_monotone n large ltac:(lia)) as U.
    pose proof (whole_below n) as W. unfold bits, limit, grain in *. split; [lia |].
    assert (P : 0 < 2 ^ (power n - power small)) by (apply Z.pow_pos_nonneg; lia).
    split; [nia |].
    apply Z.lt_le_trans with (2 ^ 24 * 2 ^ (power n - power small)); [nia |].
    rewrite <- Z.pow_add_r by lia. apply Z.pow_le_mono_r; lia.
  Qed.

  (** 0 has no place among these, and stays 0. *)
  Lemma zero_is_whole : whole 0 = 0.
  Proof. reflexivity. Qed.

  (** Lengths end at 2^60, whose exponent is stored as 187. *)
  Theorem length_bits : large <= 187 * 2 ^ 23 -> 0 <= bits <= 61 + 149.
  Proof.
    intro L. pose proof (power_monotone small large ltac:(lia)). pose proof (power_monotone large _ L) as U.
    assert (E : power (187 * 2 ^ 23) = 37) by reflexivity.
    assert (S : -149 <= power small) by (unfold power; lia). unfold bits, limit, grain. lia.
  Qed.

  (** Parts of a valid quaternion are below 2, and some are not 0. *)
  Theorem turn_grain : small < 128 * 2 ^ 23 -> 0 <= - grain <= 149.
  Proof.
    intro L. pose proof (power_monotone small (128 * 2 ^ 23) ltac:(lia)) as U.
    assert (E : power (128 * 2 ^ 23) = -22) by reflexivity.
    assert (S : -149 <= power small) by (unfold power; lia). unfold grain. lia.
  Qed.
End Grain.
