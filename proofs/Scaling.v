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

(** ** Numbers in [f64]: [Grain64], with 11 bits of exponent and 52 of fraction *)
Definition exponent64 (n : Z) : Z := n / 2 ^ 52.
Definition whole64 (n : Z) : Z := n mod 2 ^ 52 + (if exponent64 n =? 0 then 0 else 2 ^ 52).
Definition power64 (n : Z) : Z := Z.max (exponent64 n) 1 - 1075.

(** [split_odd]: the zeros at the end of the integer become part of the power. How many there are does
    not matter here. *)
Record splits_odd (n odd power : Z) : Prop := {
  split_even : 0 <= power - power64 n;
  split_whole : odd * 2 ^ (power - power64 n) = whole64 n
}.
(** [of_one]: the power of two above the number, which has this number of bits. *)
Definition above_odd (odd power : Z) : Z := power + Z.log2 odd + 1.

Lemma whole64_below : forall n, 0 <= whole64 n < 2 ^ 53.
Proof.
  intro n. unfold whole64. pose proof (Z.mod_pos_bound n (2 ^ 52) ltac:(lia)). destruct (exponent64 n =? 0); lia.
Qed.

(** [Grain64::of]: the least of the powers, and the largest of those above. *)
Theorem grain64_holds : forall least most odd power, 0 < odd -> least <= power -> above_odd odd power <= most ->
  0 <= power - least /\ 0 < odd * 2 ^ (power - least) < 2 ^ (most - least).
Proof.
  intros least most odd power O L M. unfold above_odd in M. pose proof (Z.log2_spec odd O) as [_ U].
  pose proof (Z.log2_nonneg odd). assert (P : 0 < 2 ^ (power - least)) by (apply Z.pow_pos_nonneg; lia).
  split; [lia |]. split; [nia |].
  apply Z.lt_le_trans with (2 ^ Z.succ (Z.log2 odd) * 2 ^ (power - least)); [nia |].
  rewrite <- Z.pow_add_r by lia. apply Z.pow_le_mono_r; lia.
Qed.

(** Lengths end at 2^62, whose exponent is stored as 1085. *)
Theorem length_bits64 : forall n odd power, 0 < n < 1085 * 2 ^ 52 -> splits_odd n odd power -> 0 < odd ->
  -1074 <= power /\ above_odd odd power <= 62.
Proof.
  intros n odd power N [E W] O. pose proof (whole64_below n) as [_ B].
  assert (P : -1074 <= power64 n <= 9).
  { unfold power64, exponent64. pose proof (Z.div_lt_upper_bound n (2 ^ 52) 1085 ltac:(lia) ltac:(lia)). lia. }
  split; [lia |]. unfold above_odd. set (even := power - power64 n) in *.
  assert (L : Z.log2 odd + even < 53).
  { apply (Z.pow_lt_mono_r_iff 2); [lia | lia |]. apply Z.le_lt_trans with (whole64 n); [| exact B].
    rewrite <- W, Z.pow_add_r by (try apply Z.log2_nonneg; lia). apply Z.mul_le_mono_nonneg_r; [apply Z.pow_nonneg; lia |].
    apply Z.log2_spec. exact O. }
  lia.
Qed.
