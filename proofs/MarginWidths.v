(** * The integers by which [within.rs] compares distances with a margin have enough words.

    Sums and products wrap around, so only what is compared must fit: at most 48 times the sixth power
    of the largest difference of two coordinates. *)

Require Import ZArith Lia.
From Obbligato Require Import Integers MachineWidths Widths.
Open Scope Z_scope.

Lemma product_most : forall u v m m', Z.abs u <= m -> Z.abs v <= m' -> Z.abs (u * v) <= m * m'.
Proof. intros u v m m' H H'. rewrite Z.abs_mul. apply Z.mul_le_mono_nonneg; lia. Qed.

Definition vector := index -> Z.
Definition scalar (u v : vector) : Z := u I0 * v I0 + u I1 * v I1 + u I2 * v I2.
Definition cross_product (u v : vector) : vector := cross Z.sub Z.mul u v.
Definition below3 (v : vector) (m : Z) : Prop := forall i, Z.abs (v i) <= m.

Lemma scalar_most : forall u v m m', below3 u m -> below3 v m' -> Z.abs (scalar u v) <= 3 * (m * m').
Proof.
  intros u v m m' H H'. unfold scalar. pose proof (product_most _ _ _ _ (H I0) (H' I0)).
  pose proof (product_most _ _ _ _ (H I1) (H' I1)). pose proof (product_most _ _ _ _ (H I2) (H' I2)). lia.
Qed.
Lemma cross_most : forall u v m m', below3 u m -> below3 v m' -> below3 (cross_product u v) (2 * (m * m')).
Proof.
  intros u v m m' H H' i. unfold cross_product, cross.
  pose proof (product_most _ _ _ _ (H (after1 i)) (H' (after2 i))).
  pose proof (product_most _ _ _ _ (H (after2 i)) (H' (after1 i))). lia.
Qed.

(** ** Coordinates: corners of a box in the frame of the other *)
Section Corners.
  Variables (ga gb l : Z) (qa qb : quaternion Z) (apart ha hb : vector) (margin : Z).
  Hypothesis Hga : 0 <= ga.
  Hypothesis Hgb : 0 <= gb.
  Hypothesis Hl : 0 <= l.
  Hypothesis Ha : parts_below (2 ^ ga) qa.
  Hypothesis Hb : parts_below (2 ^ gb) qb.
  (** Up to four parts. *)
  Hypothesis Happart : below3 apart (4 * 2 ^ l).
  Hypothesis Hha : below3 ha (2 ^ l).
  Hypothesis Hhb : below3 hb (2 ^ l).
  Hypothesis Hmargin : Z.abs margin <= 2 ^ l.

  (** What all sizes are multiples of. *)
  Definition unit : Z := 16 * 2 ^ (2 * (ga + gb) + l).

  Lemma norm_most : forall g q, 0 <= g -> parts_below (2 ^ g) q -> 0 <= norm Z.add Z.mul q <= 4 * 2 ^ (2 * g).
  Proof.
    intros g q G H. pose proof (n_pos q). pose proof (norm_below _ _ H) as B.
    rewrite <- Z.pow_mul_r, (Z.mul_comm g) in B by lia. lia.
  Qed.

  (** A corner about a center, all times [n]: [corners]. The signs are those of its sides. *)
  Definition corner (c : vector) (n : Z) (q : quaternion Z) (h side : vector) : vector :=
    fun k => c k * n + scalar (fun i => matrix Z.add Z.sub Z.mul q k i) (fun i => side i * h i).

  Lemma corner_most : forall c g q h side, 0 <= g -> parts_below (2 ^ g) q -> below3 c (4 * 2 ^ l) -> below3 h (2 ^ l) ->
    below3 side 1 -> below3 (corner c (norm Z.add Z.mul q) q h side) (7 * (4 * 2 ^ (2 * g) * 2 ^ l)).
  Proof.
    intros c g q h side G Q C H S k. destruct (norm_most g q G Q) as [NP NB].
    assert (M : below3 (fun i => matrix Z.add Z.sub Z.mul q k i) (4 * 2 ^ (2 * g)))
      by (intro i; pose proof (matrix_below q k i); lia).
    assert (SH : below3 (fun i => side i * h i) (1 * 2 ^ l)) by (intro i; apply product_most; auto).
    pose proof (scalar_most _ _ _ _ M SH).
    assert (NA : Z.abs (norm Z.add Z.mul q) <= 4 * 2 ^ (2 * g)) by lia. pose proof (product_most _ _ _ _ (C k) NA).
    unfold corner. lia.
  Qed.

  (** In the frame of the other box: [in_frame]. *)
  Definition framed (q : quaternion Z) (v : vector) : vector :=
    fun i => scalar (fun k => matrix Z.add Z.sub Z.mul q k i) v.

  Lemma powers : 2 ^ (2 * (ga + gb) + l) = 2 ^ (2 * ga) * 2 ^ (2 * gb) * 2 ^ l.
  Proof. rewrite Z.pow_add_r, Z.mul_add_distr_l, Z.pow_add_r by lia. reflexivity. Qed.

  Lemma framed_most : forall q v g m, 0 <= g -> parts_below (2 ^ g) q -> below3 v m ->
    below3 (framed q v) (3 * (4 * 2 ^ (2 * g) * m)).
  Proof.
    intros q v g m G Q V i. apply scalar_most; auto. intro k. destruct (norm_most g q G Q). pose proof (matrix_below q k i). lia.
  Qed.

  Theorem coordinates_most : forall side, below3 side 1 ->
    below3 (framed qa (corner apart (norm Z.add Z.mul qb) qb hb side)) (21 * unit) /\
    below3 (framed qb (corner (fun k => - apart k) (norm Z.add Z.mul qa) qa ha side)) (21 * unit).
  Proof.
    intros side S. unfold unit. rewrite powers. split.
    - intro i. pose proof (framed_most qa _ ga _ Hga Ha (corner_most apart gb qb hb side Hgb Hb Happart Hhb S) i). lia.
    - assert (N : below3 (fun k => - apart k) (4 * 2 ^ l)) by (intro k; pose proof (Happart k); lia).
      intro i. pose proof (framed_most qb _ gb _ Hgb Hb (corner_most _ ga qa ha side Hga Ha N Hha S) i). lia.
  Qed.

  (** Half extents and the margin, times both squared lengths. *)
  Theorem sizes_most : forall x, Z.abs x <= 2 ^ l -> Z.abs (x * (norm Z.add Z.mul qa * norm Z.add Z.mul qb)) <= unit.
  Proof.
    intros x X. destruct (norm_most ga qa Hga Ha) as [PA NA], (norm_most gb qb Hgb Hb) as [PB NB].
    pose proof (product_most _ _ _ _ X (product_most (norm Z.add Z.mul qa) (norm Z.add Z.mul qb) _ _
      ltac:(rewrite Z.abs_eq; [exact NA | lia]) ltac:(rewrite Z.abs_eq; [exact NB | lia]))). unfold unit. rewrite powers. lia.
  Qed.
End Corners.

(** ** What is compared, given differences of coordinates of at most [y] *)
Section Compared.
  Variables (y : Z) (u v w : vector) (reach : Z).
  Hypothesis Hu : below3 u y.
  Hypothesis Hv : below3 v y.
  Hypothesis Hw : below3 w y.
  Hypothesis Hreach : 0 <= reach <= y * y.
  Hypothesis Hy : 1 <= y.

  Lemma higher : y * y <= 1 * (y * y * (y * y) * (y * y)) /\ y * y * (y * y) <= 1 * (y * y * (y * y) * (y * y)).
  Proof.
    assert (Q : 1 <= y * y) by nia. set (q := y * y) in *.
    assert (q <= q * q) by nia. assert (q * q <= q * q * q) by nia. lia.
  Qed.
  Definition largest : Z := 48 * (y * y * (y * y) * (y * y)).

  (** [point_to_box]: three squares. *)
  Theorem squares_fit : Z.abs (scalar w w - reach) <= largest /\ Z.abs (scalar w w) <= largest.
  Proof.
    pose proof (scalar_most w w y y Hw Hw). destruct higher. unfold largest. lia.
  Qed.
  (** [point_to_segment] *)
  Theorem point_fits : Z.abs (scalar w v) <= largest /\ Z.abs (scalar w v - scalar v v) <= largest /\
    Z.abs (scalar (cross_product w v) (cross_product w v) - reach * scalar v v) <= largest.
  Proof.
    pose proof (scalar_most w v y y Hw Hv). pose proof (scalar_most v v y y Hv Hv) as V.
    pose proof (cross_most w v y y Hw Hv) as C. pose proof (scalar_most _ _ _ _ C C).
    pose proof (product_most reach _ (y * y) _ ltac:(lia) V). destruct higher. unfold largest. repeat split; lia.
  Qed.
  (** [segments] *)
  Theorem segments_fit : let n := cross_product u v in
    Z.abs (scalar n n) <= largest /\
    Z.abs (scalar (cross_product v w) n) <= largest /\ Z.abs (scalar (cross_product v w) n - scalar n n) <= largest /\
    Z.abs (scalar (cross_product u w) n) <= largest /\ Z.abs (scalar (cross_product u w) n - scalar n n) <= largest /\
    Z.abs (scalar w n * scalar w n - reach * scalar n n) <= largest.
  Proof.
    intro n. assert (N : below3 n (2 * (y * y))) by (apply cross_most; auto).
    pose proof (scalar_most n n _ _ N N) as NN. pose proof (cross_most v w y y Hv Hw) as VW. pose proof (cross_most u w y y Hu Hw) as UW.
    pose proof (scalar_most _ n _ _ VW N) as VN. pose proof (scalar_most _ n _ _ UW N) as UN.
    pose proof (scalar_most w n _ _ Hw N) as WN. pose proof (product_most _ _ _ _ WN WN) as WW.
    pose proof (product_most reach _ (y * y) _ ltac:(clear - Hreach; lia) NN) as RN. destruct higher as [_ Q]. unfold largest.
    split; [clear - NN Q; lia |]. split; [clear - VN Q; lia |]. split; [clear - NN VN Q; lia |].
    split; [clear - UN Q; lia |]. split; [clear - NN UN Q; lia | clear - WW RN; lia].
  Qed.
  (** [meets_box]: sums along an axis, and products of two differences. *)
  Theorem meets_fit : forall m t a s j k, below3 m y -> below3 t y -> below3 a y -> below3 s y ->
    Z.abs (Z.abs (m j) - (t j + s j)) <= largest /\ Z.abs (m j * a k - m k * a j) <= largest /\
    Z.abs (Z.abs (m j * a k - m k * a j) - (t j * s k + t k * s j)) <= largest.
  Proof using Hreach Hy.
    intros m t a s j k M T A S. pose proof (M j) as MJ. pose proof (T j) as TJ. pose proof (S j) as SJ.
    pose proof (product_most _ _ _ _ (M j) (A k)) as P1. pose proof (product_most _ _ _ _ (M k) (A j)) as P2.
    pose proof (product_most _ _ _ _ (T j) (S k)) as P3. pose proof (product_most _ _ _ _ (T k) (S j)) as P4.
    destruct higher as [Q _]. assert (L : y <= y * y) by (clear - Hy; nia). unfold largest.
    split; [clear - MJ TJ SJ L Q; lia |]. split; [clear - P1 P2 Q; lia | clear - P1 P2 P3 P4 Q; lia].
  Qed.
End Compared.

(** [aligned_within], which chooses 2 (bits + 4) + 4 bits: excesses of at most 6 times the largest length. *)
Theorem aligned_margin_fits : forall n l w reach, 0 <= l -> below3 w (6 * 2 ^ l) -> 0 <= reach <= 2 ^ l * 2 ^ l ->
  2 * (l + 4) + 4 <= 64 * Z.of_nat n -> 2 * Z.abs (scalar w w - reach) < 2 ^ (64 * Z.of_nat n).
Proof.
  intros n l w reach L W Rr H. pose proof (scalar_most _ _ _ _ W W).
  assert (P : 2 ^ (l + l + 8) <= 2 ^ (64 * Z.of_nat n)) by (apply Z.pow_le_mono_r; lia).
  rewrite !Z.pow_add_r in P by lia. change (2 ^ 8) with 256 in P. pose proof (Z.pow_pos_nonneg 2 l ltac:(lia) L).
  assert (0 < 2 ^ l * 2 ^ l) by nia. lia.
Qed.

(** ** The choice: 6 (bits + 4) + 4 bits, with 12 more than those of the unit *)
Definition bits_of (ga gb l : Z) : Z := 6 * (l + 2 * (ga + gb) + 12 + 4) + 4.
Definition chosen (n : nat) (ga gb l : Z) : Prop := bits_of ga gb l <= 64 * Z.of_nat n.

(** Differences of two coordinates are at most 44 units, and what is compared fits, with a sign. *)
Theorem margin_fits : forall n ga gb l, 0 <= ga -> 0 <= gb -> 0 <= l -> chosen n ga gb l ->
  2 * largest (44 * unit ga gb l) < 2 ^ (64 * Z.of_nat n).
Proof.
  intros n ga gb l A B L H. unfold chosen, bits_of in H.
  set (e := 2 * (ga + gb) + l) in *. assert (E : 0 <= e) by (unfold e; lia).
  assert (U : 44 * unit ga gb l <= 2 ^ (e + 10)).
  { unfold unit. fold e. rewrite Z.pow_add_r by lia. pose proof (Z.pow_pos_nonneg 2 e). lia. }
  assert (U0 : 0 <= 44 * unit ga gb l) by (unfold unit; pose proof (Z.pow_pos_nonneg 2 (2 * (ga + gb) + l)); lia).
  set (y := 44 * unit ga gb l) in *.
  assert (S : y * y <= 2 ^ (2 * (e + 10))).
  { replace (2 * (e + 10)) with ((e + 10) + (e + 10)) by lia. rewrite Z.pow_add_r by lia. apply Z.mul_le_mono_nonneg; lia. }
  assert (S3 : y * y * (y * y) * (y * y) <= 2 ^ (6 * (e + 10))).
  { set (p := 2 * (e + 10)) in *. replace (6 * (e + 10)) with (p + p + p) by (unfold p; lia).
    rewrite (Z.pow_add_r 2 (p + p) p), (Z.pow_add_r 2 p p) by (unfold p; lia).
    assert (0 <= y * y) by apply Z.square_nonneg.
    apply Z.mul_le_mono_nonneg; [apply Z.mul_nonneg_nonneg; auto | apply Z.mul_le_mono_nonneg; auto; lia | auto | auto]. }
  assert (P : 2 ^ (6 * (e + 10) + 7) <= 2 ^ (64 * Z.of_nat n)) by (apply Z.pow_le_mono_r; lia).
  rewrite Z.pow_add_r in P by lia. change (2 ^ 7) with 128 in P. unfold largest.
  assert (0 < 2 ^ (6 * (e + 10))) by (apply Z.pow_pos_nonneg; lia). lia.
Qed.

(** The largest choice, 168 words: parts of quaternions are multiples of 2^-149 below 2, and lengths
    and the margin are multiples of 2^-1074 below 2^64. *)
Theorem margin_widest : forall ga gb l, ga <= 150 -> gb <= 150 -> l <= 64 + 1074 -> chosen 168 ga gb l.
Proof. unfold chosen, bits_of. intros. lia. Qed.
