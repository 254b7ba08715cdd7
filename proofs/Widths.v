(** * The last stage of boxes chooses integers that are wide enough, for all valid boxes.

    [Wide] wraps around, and its sums and products are right modulo 2^(64 N), so only what it takes
    the sign of must fit: the entries, the distance, and the gap. Machine integers are in
    [MachineWidths.v]. *)

Require Import ZArith List Lia.
From Obbligato Require Import Wide Integers MachineWidths.
Import ListNotations.
Open Scope Z_scope.

(** ** Bounds of turns: no entry exceeds s, nor does a component of an axis *)
Lemma below : forall e s, 0 <= s -> e * e <= s * s -> Z.abs e <= s.
Proof. intros e s S H. apply Z.abs_le. split; nia. Qed.

Notation m_ := (matrix Z.add Z.sub Z.mul).
Notation n_ := (norm Z.add Z.mul).
Notation s_ := (scale Z.add Z.sub Z.mul).
Notation c_ := (entry Z.add Z.sub Z.mul).
Notation t_ := (direction Z.add Z.sub Z.mul).

Lemma n_pos : forall q, 0 <= n_ q.
Proof. intros [x y z w]. simpl. nia. Qed.

Lemma row_is : forall q i, m_ q i I0 * m_ q i I0 + m_ q i I1 * m_ q i I1 + m_ q i I2 * m_ q i I2 = n_ q * n_ q.
Proof. intros [x y z w] i. destruct i; simpl; unfold twice; ring. Qed.
Lemma column_is : forall q i, m_ q I0 i * m_ q I0 i + m_ q I1 i * m_ q I1 i + m_ q I2 i * m_ q I2 i = n_ q * n_ q.
Proof. intros [x y z w] i. destruct i; simpl; unfold twice; ring. Qed.

Lemma matrix_below : forall q i j, Z.abs (m_ q i j) <= n_ q.
Proof. intros q i j. apply below; [apply n_pos |]. pose proof (row_is q i). destruct j; nia. Qed.

Lemma scale_is : forall a b, s_ a b = n_ a * n_ b.
Proof. intros [ax ay az aw] [bx by_ bz bw]. unfold scale, norm, relative. ring. Qed.

Lemma entry_below : forall a b i j, Z.abs (c_ a b i j) <= s_ a b.
Proof. intros. apply matrix_below. Qed.

Lemma cross_below : forall u1 u2 u3 v1 v2 v3 s t, 0 <= s -> 0 <= t ->
  u1 * u1 + u2 * u2 + u3 * u3 = s * s -> v1 * v1 + v2 * v2 + v3 * v3 = t * t -> Z.abs (u1 * v2 - u2 * v1) <= s * t.
Proof.
  intros u1 u2 u3 v1 v2 v3 s t S T U V. apply below; [nia |].
  assert (L : (u1 * v2 - u2 * v1) * (u1 * v2 - u2 * v1) <= (u1 * u1 + u2 * u2) * (v1 * v1 + v2 * v2)).
  { pose proof (Z.square_nonneg (u1 * v1 + u2 * v2)). lia. }
  assert (A : 0 <= u1 * u1 + u2 * u2 <= s * s) by nia. assert (C : 0 <= v1 * v1 + v2 * v2 <= t * t) by nia.
  replace (s * t * (s * t)) with ((s * s) * (t * t)) by ring.
  eapply Z.le_trans; [exact L |]. apply Z.mul_le_mono_nonneg; lia.
Qed.

Lemma direction_below : forall a b k l, Z.abs (t_ a b k l) <= s_ a b.
Proof.
  intros a b k l. rewrite scale_is. pose proof (n_pos a). pose proof (n_pos b).
  destruct k as [i | j | i j]; simpl.
  - rewrite Z.abs_mul, (Z.abs_eq (n_ b)) by auto. pose proof (matrix_below a l i). nia.
  - rewrite Z.abs_mul, (Z.abs_eq (n_ a)) by auto. pose proof (matrix_below b l j). nia.
  - unfold cross. pose proof (column_is a i) as CA. pose proof (column_is b j) as CB. destruct l; simpl.
    + eapply cross_below with (u3 := m_ a I0 i) (v3 := m_ b I0 j); auto; lia.
    + eapply cross_below with (u3 := m_ a I1 i) (v3 := m_ b I1 j); auto; lia.
    + eapply cross_below with (u3 := m_ a I2 i) (v3 := m_ b I2 j); auto; lia.
Qed.

(** Distances are below 6 times, and gaps below 10 times, the largest turn and length. *)
Section Gap.
  Variables (s l : Z) (t : index -> Z) (n : Z) (c : index -> index -> Z) (d hA hB : index -> Z).
  Hypothesis Ht : forall i, Z.abs (t i) <= s.
  Hypothesis Hn : 0 <= n <= s.
  Hypothesis Hc : forall i j, 0 <= c i j <= s.
  Hypothesis Hd : forall i, Z.abs (d i) <= 2 * l.
  Hypothesis HhA : forall i, 0 <= hA i <= l.
  Hypothesis HhB : forall i, 0 <= hB i <= l.

  Lemma product_below : forall u v r, Z.abs u <= s -> Z.abs v <= r -> Z.abs (u * v) <= s * r.
  Proof. intros. rewrite Z.abs_mul. apply Z.mul_le_mono_nonneg; lia. Qed.
  Lemma part_below : forall u v, 0 <= u <= s -> 0 <= v <= l -> 0 <= u * v <= s * l.
  Proof. intros. split; [nia |]. apply Z.mul_le_mono_nonneg; lia. Qed.

  Lemma distance_below : Z.abs (dot Z.mul Z.add t d) <= 6 * (s * l).
  Proof.
    unfold dot. pose proof (product_below _ _ _ (Ht I0) (Hd I0)). pose proof (product_below _ _ _ (Ht I1) (Hd I1)).
    pose proof (product_below _ _ _ (Ht I2) (Hd I2)). lia.
  Qed.

  Lemma radius_below : forall k, 0 <= radius Z.mul Z.add n c hA hB k <= 4 * (s * l).
  Proof.
    intro k. destruct k as [i | j | i j]; cbn [radius]; unfold dot; cbv beta.
    - pose proof (part_below _ _ Hn (HhA i)). pose proof (part_below _ _ (Hc i I0) (HhB I0)).
      pose proof (part_below _ _ (Hc i I1) (HhB I1)). pose proof (part_below _ _ (Hc i I2) (HhB I2)). lia.
    - pose proof (part_below _ _ Hn (HhB j)). pose proof (part_below _ _ (Hc I0 j) (HhA I0)).
      pose proof (part_below _ _ (Hc I1 j) (HhA I1)). pose proof (part_below _ _ (Hc I2 j) (HhA I2)). lia.
    - pose proof (part_below _ _ (Hc (after2 i) j) (HhA (after1 i))).
      pose proof (part_below _ _ (Hc (after1 i) j) (HhA (after2 i))).
      pose proof (part_below _ _ (Hc i (after2 j)) (HhB (after1 j))).
      pose proof (part_below _ _ (Hc i (after1 j)) (HhB (after2 j))). lia.
  Qed.

  Lemma gap_below : forall k, Z.abs (gap Z.mul Z.add Z.sub Z.abs t n c d hA hB k) <= 10 * (s * l).
  Proof. intro k. unfold gap. pose proof distance_below. pose proof (radius_below k). lia. Qed.

  Lemma parallel_gap_below : forall i, Z.abs (parallel_gap Z.mul Z.add Z.sub Z.abs t n d (hA i + hB i)) <= 8 * (s * l).
  Proof.
    intro i. unfold parallel_gap. pose proof distance_below. pose proof (part_below _ _ Hn (HhA i)).
    pose proof (part_below _ _ Hn (HhB i)). lia.
  Qed.
End Gap.

(** The rules by which [wide_sat.rs] and [apart.rs] choose N words: turns are below
    2^turns times 1.0021^2, and lengths below 2^bits. *)
Definition SPARE : Z := 5.
Definition enough (n : nat) (turns bits : Z) : Prop := turns + bits + SPARE <= 64 * Z.of_nat n.

Lemma modulus_is : forall n, B ^ Z.of_nat n = 2 ^ (64 * Z.of_nat n).
Proof. intro n. change B with (2 ^ 64). rewrite <- Z.pow_mul_r; lia. Qed.

(** Ten products fit if turns are at most 1.6 times the power of two. *)
Lemma ten_fit : forall n turns bits s, 0 <= turns -> 0 <= bits -> enough n turns bits ->
  0 <= s -> 10 * s < 16 * 2 ^ turns -> 2 * (10 * (s * 2 ^ bits)) < B ^ Z.of_nat n.
Proof.
  intros n turns bits s T L E S H. rewrite modulus_is. unfold enough, SPARE in E.
  assert (P : 2 ^ (turns + bits + 5) <= 2 ^ (64 * Z.of_nat n)) by (apply Z.pow_le_mono_r; lia).
  rewrite !Z.pow_add_r in P by lia. change (2 ^ 5) with 32 in P. pose proof (Z.pow_pos_nonneg 2 bits). nia.
Qed.

(** A valid quaternion in units of 2^-p. *)
Definition valid_turn (p : Z) (q : quaternion Z) : Prop := 0 <= p /\ 10000 * n_ q <= 10021 * 2 ^ (2 * p).

Lemma scale_below : forall a b p p', valid_turn p a -> valid_turn p' b -> 10 * s_ a b < 16 * 2 ^ (2 * (p + p')).
Proof.
  intros a b p p' [P HA] [P' HB]. rewrite scale_is, Z.mul_add_distr_l, Z.pow_add_r by lia.
  pose proof (n_pos a). pose proof (n_pos b). pose proof (Z.pow_pos_nonneg 2 (2 * p)). pose proof
    (Z.pow_pos_nonneg 2 (2 * p')).
  assert ((10000 * n_ a) * (10000 * n_ b) <= (10021 * 2 ^ (2 * p)) * (10021 * 2 ^ (2 * p')))
    by (apply Z.mul_le_mono_nonneg; lia).
  assert (0 < 2 ^ (2 * p) * 2 ^ (2 * p')) by (apply Z.mul_pos_pos; apply Z.pow_pos_nonneg; lia). lia.
Qed.

(** Lengths: differences are below twice the power. *)
Definition short_lengths (bits : Z) (d hA hB : index -> Z) : Prop :=
  (forall i, Z.abs (d i) <= 2 * 2 ^ bits) /\ (forall i, 0 <= hA i <= 2 ^ bits) /\ (forall i, 0 <= hB i <= 2 ^ bits).

Section Wide.
  Variables (n : nat) (turns bits : Z) (d hA hB : index -> Z).
  Hypothesis Ht : 0 <= turns.
  Hypothesis Hb : 0 <= bits.
  Hypothesis Hl : short_lengths bits d hA hB.
  Hypothesis He : enough n turns bits.

  Lemma pair_fits : forall a b k, 10 * s_ a b < 16 * 2 ^ turns ->
    (forall i j, 2 * Z.abs (c_ a b i j) < B ^ Z.of_nat n) /\
    2 * Z.abs (distance_Z a b d k) < B ^ Z.of_nat n /\ 2 * Z.abs (gap_Z a b d hA hB k) < B ^ Z.of_nat n.
  Proof.
    intros a b k H. destruct Hl as [Hd [HhA HhB]].
    assert (S : 0 <= s_ a b) by (rewrite scale_is; pose proof (n_pos a); pose proof (n_pos b); nia).
    pose proof (ten_fit n turns bits (s_ a b) Ht Hb He S H) as T.
    pose proof (Z.pow_pos_nonneg 2 bits ltac:(lia) Hb) as L.
    assert (s_ a b <= s_ a b * 2 ^ bits) by nia.
    assert (C : forall i j, 0 <= Z.abs (c_ a b i j) <= s_ a b) by (intros i j;
      pose proof (entry_below a b i j); lia).
    split; [| split].
    - intros i j. pose proof (C i j). lia.
    - pose proof (distance_below _ _ _ _ (direction_below a b k) Hd). unfold distance_Z. lia.
    - pose proof (gap_below _ _ _ (s_ a b) _ d hA hB (direction_below a b k) ltac:(lia) C Hd HhA HhB k) as G.
      unfold gap_Z. lia.
  Qed.

  (** Boxes of one rotation, along axis i. *)
  Lemma parallel_fits : forall q i, 10 * n_ q < 16 * 2 ^ turns ->
    let m := fun r => m_ q r i in
    2 * Z.abs (dot Z.mul Z.add m d) < B ^ Z.of_nat n /\
    2 * Z.abs (parallel_gap Z.mul Z.add Z.sub Z.abs m (n_ q) d (hA i + hB i)) < B ^ Z.of_nat n.
  Proof.
    intros q i H m. destruct Hl as [Hd [HhA HhB]]. pose proof (n_pos q) as S.
    pose proof (ten_fit n turns bits (n_ q) Ht Hb He S H) as T.
    pose proof (Z.pow_pos_nonneg 2 bits ltac:(lia) Hb) as L.
    assert (0 <= n_ q * 2 ^ bits) by nia.
    assert (M : forall r, Z.abs (m r) <= n_ q) by (intro; apply matrix_below).
    split.
    - pose proof (distance_below _ _ _ _ M Hd). lia.
    - pose proof (parallel_gap_below _ _ _ (n_ q) d hA hB M ltac:(lia) Hd HhA HhB i). lia.
  Qed.
End Wide.

(** [Long]: quaternions in units of 2^-p. *)
Theorem long_fits : forall n p p' bits a b d hA hB k, valid_turn p a -> valid_turn p' b -> 0 <= bits ->
  short_lengths bits d hA hB -> enough n (2 * (p + p')) bits ->
  (forall i j, 2 * Z.abs (c_ a b i j) < B ^ Z.of_nat n) /\
  2 * Z.abs (distance_Z a b d k) < B ^ Z.of_nat n /\ 2 * Z.abs (gap_Z a b d hA hB k) < B ^ Z.of_nat n.
Proof.
  intros n p p' bits a b d hA hB k HA HB HL L E. apply (pair_fits n (2 * (p + p')) bits); auto using scale_below.
  destruct HA, HB. lia.
Qed.

Theorem parallel_long_fits : forall n p bits q d hA hB i, valid_turn p q -> 0 <= bits ->
  short_lengths bits d hA hB -> enough n (2 * p) bits -> let m := fun r => m_ q r i in
  2 * Z.abs (dot Z.mul Z.add m d) < B ^ Z.of_nat n /\
  2 * Z.abs (parallel_gap Z.mul Z.add Z.sub Z.abs m (n_ q) d (hA i + hB i)) < B ^ Z.of_nat n.
Proof.
  intros n p bits q d hA hB i [P H] HL L E. apply (parallel_fits n (2 * p) bits d hA hB); auto; lia.
Qed.

(** [Turned]: quaternions of [Tiny], valid or not, and lengths of any width. *)
Definition parts_below (m : Z) (q : quaternion Z) : Prop :=
  Z.abs (x q) <= m /\ Z.abs (y q) <= m /\ Z.abs (z q) <= m /\ Z.abs (w q) <= m.

Lemma norm_below : forall m q, parts_below m q -> n_ q <= 4 * m ^ 2.
Proof.
  intros m [x y z w] [Hx [Hy [Hz Hw]]]. cbn [Integers.x Integers.y Integers.z Integers.w norm] in *. rewrite
    Z.pow_2_r.
  assert (P : forall v, Z.abs v <= m -> v * v <= m * m) by (intros; nia).
  pose proof (P x Hx). pose proof (P y Hy). pose proof (P z Hz). pose proof (P w Hw). lia.
Qed.

Definition TURNS : Z := 61.
Theorem turned_fits : forall n bits a b d hA hB k, parts_below (most_part 14) a -> parts_below (most_part 14) b ->
  0 <= bits -> short_lengths bits d hA hB -> enough n TURNS bits ->
  2 * Z.abs (distance_Z a b d k) < B ^ Z.of_nat n /\ 2 * Z.abs (gap_Z a b d hA hB k) < B ^ Z.of_nat n.
Proof.
  intros n bits a b d hA hB k HA HB HL L E. apply norm_below in HA. apply norm_below in HB.
  apply (pair_fits n TURNS bits); auto; [unfold TURNS; lia |]. rewrite scale_is.
  pose proof (n_pos a). pose proof (n_pos b).
  assert (n_ a * n_ b <= (4 * most_part 14 ^ 2) * (4 * most_part 14 ^ 2)) by (apply Z.mul_le_mono_nonneg; lia).
  assert (10 * ((4 * most_part 14 ^ 2) * (4 * most_part 14 ^ 2)) < 16 * 2 ^ TURNS) by reflexivity. lia.
Qed.

Theorem parallel_turned_fits : forall n bits q d hA hB i, parts_below (most_part 30) q ->
  0 <= bits -> short_lengths bits d hA hB -> enough n 63 bits -> let m := fun r => m_ q r i in
  2 * Z.abs (dot Z.mul Z.add m d) < B ^ Z.of_nat n /\
  2 * Z.abs (parallel_gap Z.mul Z.add Z.sub Z.abs m (n_ q) d (hA i + hB i)) < B ^ Z.of_nat n.
Proof.
  intros n bits q d hA hB i H HL L E. apply norm_below in H.
  apply (parallel_fits n 63 bits d hA hB); auto; try lia.
  assert (10 * (4 * most_part 30 ^ 2) < 16 * 2 ^ 63) by reflexivity. lia.
Qed.

(** The other branches: what they are guarded by is what is needed. *)
Theorem guards : forall turns bits, (turns + bits + SPARE <= 128 -> enough 2 turns bits) /\
  (turns + bits + SPARE <= 192 -> enough 3 turns bits) /\ (turns + bits + SPARE <= 256 -> enough 4 turns bits) /\
  (turns + bits + SPARE <= 384 -> enough 6 turns bits).
Proof. unfold enough. intros. repeat split; lia. Qed.

(** The last branch of each choice: any quaternions, whose parts are multiples of 2^-149, and any
    lengths: below 2^61 and multiples of 2^-149, or below 2^62 and multiples of 2^-1074. *)
Theorem widest : forall p p' bits bits64, p <= 149 -> p' <= 149 -> bits <= 61 + 149 -> bits64 <= 62 + 1074 ->
  enough 13 (2 * (p + p')) bits /\ enough 13 (2 * p) bits /\ enough 5 TURNS bits /\ enough 5 63 bits /\
  enough 28 (2 * (p + p')) bits64 /\ enough 28 (2 * p) bits64.
Proof. unfold enough, TURNS, SPARE. intros. repeat split; lia. Qed.

(** ** What [Wide] answers: the sign of s f, in integers *)
Definition number_of (n : nat) (v : list Z) (i : Z) : Prop := length v = n /\ stands v i.

Section Answer.
  Variable n : nat.
  Hypothesis Hn : (1 <= n)%nat.
  Definition plus (u v : list Z) : list Z := add u v 0.
  Definition minus (u v : list Z) : list Z := sub u v 0.
  Definition fit (i : Z) : Prop := 2 * Z.abs i < B ^ Z.of_nat n.
  Notation number := (number_of n).

  Lemma plus_number : forall u v i j, number u i -> number v j -> number (plus u v) (i + j).
  Proof.
    intros u v i j [L S] [L' S']. split; [| apply add_stands; auto; lia].
    destruct (add_value u v 0) as [K _]; unfold plus; lia.
  Qed.
  Lemma minus_number : forall u v i j, number u i -> number v j -> number (minus u v) (i - j).
  Proof.
    intros u v i j [L S] [L' S']. split; [| apply sub_stands; auto; lia].
    destruct (sub_value u v 0) as [K _]; unfold minus; lia.
  Qed.
  Lemma mul_number : forall u v i j, number u i -> number v j -> number (mul u v) (i * j).
  Proof.
    intros u v i j [L S] [L' S']. split; [| apply mul_stands; auto; lia]. unfold mul.
    destruct (product_value u v (zero (length u))) as [K _]; unfold zero in *; rewrite ?repeat_length in *;
      try lia. apply zero_stands.
  Qed.
  Lemma number_fits : forall v i, number v i -> fit i -> v <> [] /\ stands v i /\ fits v i.
  Proof.
    intros v i [L S] F. unfold fit in F. split; [destruct v; [simpl in L; lia | discriminate] |]. split; auto.
    unfold fits, modulus. rewrite L. lia.
  Qed.
  Lemma abs_number : forall v i, number v i -> fit i -> number (abs v) (Z.abs i).
  Proof.
    intros v i H F. destruct (number_fits v i H F) as [N [S T]]. split; [| apply abs_stands; auto].
    destruct H as [L _]. unfold abs, neg. destruct (is_negative v); auto.
    destruct (sub_value (zero (length v)) v 0) as [K _]; unfold zero in *; rewrite ?repeat_length in *; lia.
  Qed.

  (** All operations wrap, and the sign is that of the integers. *)
  Theorem wide_sign : forall p p' bits a a' b b' d d' hA hA' hB hB' k,
    stand number a a' -> stand number b b' -> stand3 number d d' -> stand3 number hA hA' -> stand3 number hB hB' ->
    valid_turn p a' -> valid_turn p' b' -> 0 <= bits -> short_lengths bits d' hA' hB' ->
      enough n (2 * (p + p')) bits ->
    sign (gap mul plus minus abs (direction plus minus mul a b k) (scale plus minus mul a b)
            (fun i j => abs (entry plus minus mul a b i j)) d hA hB k)
      = (gap_Z a' b' d' hA' hB' k ?= 0).
  Proof.
    intros p p' bits a a' b b' d d' hA hA' hB hB' k SA SB Sd ShA ShB VA VB HL L E.
    destruct (long_fits n p p' bits a' b' d' hA' hB' k VA VB HL L E) as [FC [FD FG]].
    assert (S : number (gap mul plus minus abs (direction plus minus mul a b k) (scale plus minus mul a b)
            (fun i j => abs (entry plus minus mul a b i j)) d hA hB k) (gap_Z a' b' d' hA' hB' k)).
    { apply (gap_stands plus minus mul abs mul plus minus abs number number number fit fit);
        auto using plus_number, minus_number, mul_number, abs_number. }
    destruct (number_fits _ _ S FG) as [N [T F]]. apply sign_is; auto.
  Qed.

  (** So is that of an entry, by which parallel edges are found. *)
  Theorem entry_sign : forall p p' bits a a' b b' d' hA' hB' i j,
    stand number a a' -> stand number b b' -> valid_turn p a' -> valid_turn p' b' -> 0 <= bits ->
    short_lengths bits d' hA' hB' -> enough n (2 * (p + p')) bits ->
    sign (entry plus minus mul a b i j) = (c_ a' b' i j ?= 0).
  Proof.
    intros p p' bits a a' b b' d' hA' hB' i j SA SB VA VB HL L E.
    destruct (long_fits n p p' bits a' b' d' hA' hB' (FaceA I0) VA VB HL L E) as [FC _].
    assert (S : number (entry plus minus mul a b i j) (c_ a' b' i j)).
    { apply (matrix_stands plus minus mul number); auto using plus_number, minus_number, mul_number.
      apply (relative_stands plus minus mul number); auto using plus_number, minus_number, mul_number. }
    destruct (number_fits _ _ S (FC i j)) as [N [T F]]. apply sign_is; auto.
  Qed.

  Lemma times_number : forall v i f, number v i -> number (times v f) (f * i).
  Proof.
    intros v i f [L S]. rewrite Z.mul_comm. split; [| apply times_stands; auto]. unfold times, neg.
    destruct (scale_value (Z.abs f) v 0) as [K _]. destruct (f <? 0); [| lia].
    destruct (sub_value (zero (length (Wide.scale (Z.abs f) v 0))) (Wide.scale (Z.abs f) v 0) 0) as [K' _];
      unfold zero in *; rewrite ?repeat_length in *; lia.
  Qed.

  (** [Turned]: turns are machine integers. *)
  Theorem turned_sign : forall bits a b d d' hA hA' hB hB' k,
    parts_below (most_part 14) a -> parts_below (most_part 14) b ->
    stand3 number d d' -> stand3 number hA hA' -> stand3 number hB hB' ->
    0 <= bits -> short_lengths bits d' hA' hB' -> enough n TURNS bits ->
    sign (gap (fun f v => times v f) plus minus abs (t_ a b k) (s_ a b) (fun i j => Z.abs (c_ a b i j)) d hA hB k)
      = (gap_Z a b d' hA' hB' k ?= 0).
  Proof.
    intros bits a b d d' hA hA' hB hB' k PA PB Sd ShA ShB HL L E.
    destruct (turned_fits n bits a b d' hA' hB' k PA PB HL L E) as [FD FG].
    match goal with |- sign ?g = _ => assert (S : number g (gap_Z a b d' hA' hB' k)) end.
    { apply (gap_stands Z.add Z.sub Z.mul Z.abs (fun f v => times v f) plus minus abs eq number number
        (fun _ => True) fit); auto using plus_number, minus_number, abs_number; try (intros; subst; auto; fail).
      - intros u v i j -> H. apply times_number. auto.
      - repeat split.
      - repeat split. }
    destruct (number_fits _ _ S FG) as [N [T F]]. apply sign_is; auto.
  Qed.

  (** Boxes of one rotation, along axis i. *)
  Theorem wide_parallel_sign : forall p bits q q' d d' hA hA' hB hB' i,
    stand number q q' -> stand3 number d d' -> stand3 number hA hA' -> stand3 number hB hB' ->
    valid_turn p q' -> 0 <= bits -> short_lengths bits d' hA' hB' -> enough n (2 * p) bits ->
    sign (parallel_gap mul plus minus abs (fun r => matrix plus minus mul q r i) (norm plus mul q) d
            (plus (hA i) (hB i)))
      = (parallel_gap Z.mul Z.add Z.sub Z.abs (fun r => m_ q' r i) (n_ q') d' (hA' i + hB' i) ?= 0).
  Proof.
    intros p bits q q' d d' hA hA' hB hB' i SQ Sd ShA ShB V HL L E.
    destruct (parallel_long_fits n p bits q' d' hA' hB' i V HL L E) as [FD FG].
    match goal with |- sign ?g = (?z ?= 0) => assert (S : number g z) end.
    { apply (parallel_gap_stands mul plus minus abs number number number fit);
        auto using plus_number, minus_number, mul_number, abs_number.
      - intro r. apply (matrix_stands plus minus mul number); auto using plus_number, minus_number, mul_number.
      - apply (norm_stands plus mul number); auto using plus_number, mul_number. }
    destruct (number_fits _ _ S FG) as [N [T F]]. apply sign_is; auto.
  Qed.
End Answer.
