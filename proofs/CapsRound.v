(** * The formulas of the tests of round bodies as written are a run, caps included.

    As in [Caps.v], but of the tests in [shaders/narrow_phase/round] and of those of the CPU, whose
    formulas are the same. Squares of lengths are numbers, so that their caps grow with them. *)

Require Import Rbase Rfunctions R_sqrt List Lra Lia.
From Obbligato Require Import Boxes Formulas Rounding Flushing Lengths Constants Propagation Shader Counts Margins Round Squares
  Balls Witnesses Directions Seen Segments RoundBox Fits.
Open Scope R_scope.

(** ** Formulas *)

Section Formulas.
  Variables (q : quat) (d p w z za zb x : vec) (ha hb : R) (h : vec).
  Variables (s t reciprocal ra rb m r e l aa ab k v : R) (factor : expr).

  Let Dots (x y : vec) : expr := Three (fun i => Mul (Num (x i)) (Num (y i))).
  Let Sizes (x : vec) : expr := Three (fun i => Len (Rabs (x i))).

  (** Two balls: R, E, and F - E or F + E. *)
  Definition Reach : expr := Add (Add (Len ra) (Len rb)) (Len m).
  Definition BallsError : expr := Add (Mul (Num (k * v)) (Add (Dots d d) (Mul (Num r) (Num r)))) (Num FLUSH_SQUARE).
  Definition BallsCompared : expr := Sub (Sub (Dots d d) (Mul (Num r) (Num r))) (Num e).

  (** A direction; p, a point of a segment, and the vector between two. *)
  Definition Direction (i : axis) : expr := Mul (Matrix Doubled q i Z) (Num reciprocal).
  Definition Seen (i : axis) : expr := Mul (Turned (Matrix Doubled q) d i) (Num reciprocal).
  Definition Point (i : axis) : expr := Add (Len (p i)) (Mul (Len t) (Num (z i))).
  Definition Way (i : axis) : expr := Sub (Add (Len (d i)) (Mul (Len t) (Num (zb i)))) (Mul (Len s) (Num (za i))).

  (** The answers about cores; K u may be a product or a number. *)
  Definition Along : expr := Three (fun i => Mul (Len (w i)) (Num (z i))).
  Definition SegmentsError : expr :=
    Add (Mul factor (Add (Add (Add (Sizes d) (Len ha)) (Len hb)) (Len r))) (Len FLUSH_LENGTH).
  Definition BoxError : expr :=
    Add (Mul factor (Add (Add (Add (Sizes p) (Three (fun i => Len (h i)))) (Len hb)) (Len r))) (Len FLUSH_LENGTH).
  Definition Closer : expr := Sub (Add (Len l) (Len e)) (Len r).
  Let Product : expr := Mul (Add (Num r) (Num e)) (Add (Num l) (Num FLUSH_LENGTH)).
  Definition SegmentsApart : expr :=
    Sub (Sub (Sub (Dots w d) (Mul (Num ha) (Num aa))) (Mul (Num hb) (Num ab))) Product.
  Definition BoxApart : expr :=
    Sub (Sub (Sub (Dots w p) (Three (fun i => Mul (Num (h i)) (Num (Rabs (w i)))))) (Mul (Num hb) (Num ab))) Product.
  Definition Inside (i : axis) : expr := Sub (Sub (Len (h i)) (Len (Rabs (x i)))) (Len e).
End Formulas.

Definition is_factor (k v : R) (factor : expr) : Prop := factor = Mul (Num k) (Num v) \/ factor = Num (k * v).

(** ** Numbers that may be large *)
Lemma any_num : forall x, numeral (1 + Rabs x) (Rabs x) x (Num x).
Proof. intro x. pose proof (Rabs_pos x). apply num_num; lra. Qed.
Lemma pos_num : forall x, 0 <= x -> numeral (1 + x) x x (Num x).
Proof. intros x H. pose proof (any_num x) as P. rewrite (Rabs_pos_eq x H) in P. exact P. Qed.
Lemma small_num : forall x, 0 <= x <= 1 -> numeral 1 x x (Num x).
Proof. exact k_fits. Qed.
Lemma square_num : forall x, numeral (1 + x * x) (x * x) (x * x) (Mul (Num x) (Num x)).
Proof.
  intro x. pose proof (square_abs x) as E. pose proof (Rle_0_sqr x) as P. unfold Rsqr in P. destruct (Rle_lt_dec (Rabs x) 1) as [L | L].
  - eapply numeral_more; [apply num_mul; apply (num_num 1); lra | lra | lra | reflexivity].
  - eapply numeral_more; [apply num_mul; apply (num_num (Rabs x)); lra | lra | lra | reflexivity].
Qed.
Lemma product_num : forall x y, numeral (1 + Rabs x + Rabs y + Rabs x * Rabs y) (Rabs x * Rabs y) (x * y) (Mul (Num x) (Num y)).
Proof. intros. eapply numeral_more; [apply num_mul; apply any_num | lra | lra | reflexivity]. Qed.

Lemma square_run : forall v e N D c Q S S' x x' y, numeral c S x e -> Counts.within e N D = true -> c <= Q -> S <= S' -> x = x' ->
  evaluates v phi e y -> computed_square v N D Q S' x' y.
Proof.
  intros v e N D c Q S S' x x' y [K C M V] W HQ HS <- E. exists e. apply within_counts in W. unfold rewriting.
  repeat split; try tauto; lra.
Qed.

Section Round.
  Variables (v : R).
  Hypothesis Hv : rounding_unit v.

  Lemma v_range : 0 < v <= 1 / 2 ^ 23.
  Proof. destruct Hv; lra. Qed.

  (** ** Turns *)
  Lemma parts_of_turns : forall q, turns q -> forall p, part p -> Rabs (p q) <= 1.0022.
  Proof. intros q T. unfold turns in T. apply (parts_by_norm q 1.0043); lra. Qed.

  (** ** Two balls *)
  Theorem written_reach : forall a b m m' R', 0 <= round a -> 0 <= round b -> 0 <= m' -> Rabs (m' - m) <= 2.5 * v * m ->
    evaluates v phi (Reach (round a) (round b) m') R' -> reach_run v a b m R'.
  Proof.
    intros a b m m' R' HA HB Hm Em Ev. exists m'. split; [exact Hm |]. split; [exact Em |].
    set (L := round a + round b + m').
    eapply (lengthy_run v phi (Reach (round a) (round b) m')); [unfold Reach; apply len_add; [apply len_add |]; apply (w_fits L); unfold L; lra | | lra | | | exact Ev]; unfold L; try lra.
    reflexivity.
  Qed.

  Theorem written_balls : forall K a b m d' R' E', 0 <= K <= 20 -> centers_run v a b d' -> reach_run v a b m R' ->
    evaluates v phi (BallsError d' R' K v) E' -> balls_run v K a b m R' E' d' /\
    (0 <= E' -> forall y, (evaluates v phi (BallsCompared d' R' E') y -> balls_compared v R' E' d' (- E') y) /\
      (evaluates v phi (BallsCompared d' R' (- E')) y -> balls_compared v R' E' d' E' y)).
  Proof.
    intros K a b m d' R' E' HK Hd HR Ev. pose proof v_range as V.
    assert (KV : 0 <= K * v <= 1) by (split; [apply Rmult_le_pos; lra | apply Rle_trans with (20 * (1 / 2 ^ 23)); [apply Rmult_le_compat; lra | lra]]).
    assert (D0 : numeral (3 + square d') (square d') (square d') (Three (fun i => Mul (Num (d' i)) (Num (d' i))))).
    { eapply numeral_more; [unfold Three; apply num_add; [apply num_add |]; apply square_num | | |]; unfold square, dot, sum; lra. }
    assert (B0 : numeral (4 + square d' + R' * R') (square d' + R' * R') (square d' - R' * R')
      (Sub (Three (fun i => Mul (Num (d' i)) (Num (d' i)))) (Mul (Num R') (Num R')))).
    { eapply numeral_more; [unfold Sub; apply num_add; [exact D0 | apply num_minus, square_num] | | |]; lra. }
    split; [split; [exact Hd | exact HR |] |].
    - cbv zeta. eapply (square_run v (BallsError d' R' K v)); [unfold BallsError; cbv zeta; apply num_add; [apply num_mul; [apply (small_num (K * v) KV) | apply num_add; [exact D0 | apply square_num]]
        | apply (small_num FLUSH_SQUARE); unfold FLUSH_SQUARE; lra] | | | | | exact Ev]; try lra.
      reflexivity.
    - intros E0 y. split; intro Ey.
      + eapply (square_run v (BallsCompared d' R' E')); [unfold BallsCompared; cbv zeta; apply num_add; [exact B0 | apply num_minus, (pos_num E' E0)] | | | | | exact Ey]; try lra.
        reflexivity.
      + eapply (square_run v (BallsCompared d' R' (- E'))); [unfold BallsCompared; cbv zeta; apply num_add; [exact B0 | apply num_minus, any_num] | | | | | exact Ey];
          rewrite ?Rabs_Ropp, ?(Rabs_pos_eq E' E0); try lra. reflexivity.
  Qed.

  (** ** What cores have in common *)
  Theorem written_direction : forall q n' z', turns q -> computed v phi 4 2 (norm2 q) (norm2 q) n' ->
    (forall k, exists reciprocal, Rabs (reciprocal * n' - 1) <= 4 * v /\ evaluates v phi (Direction q reciprocal k) (z' k)) ->
    direction_run v q z'.
  Proof.
    intros q n' z' T N H. exists n'. split; [exact N |]. intro k. destruct (H k) as [reciprocal [Q E]]. exists reciprocal. split; [exact Q |].
    destruct (quotient_error v (unit_range v Hv) q n' reciprocal T N Q) as [_ R0].
    pose proof (matrix_fits 1.0022 q ltac:(lra) (parts_of_turns q T) k Z) as C. pose proof (num_num 2.1 reciprocal) as P. rewrite Rabs_pos_eq in P by lra.
    specialize (P ltac:(lra) ltac:(lra)).
    eapply (numeral_run v phi (Direction q reciprocal k)); [unfold Direction; apply num_mul; [exact C | exact P] | | lra | lra | lra | exact E].
    destruct q, k; reflexivity.
  Qed.

  (** A root, E and the answers about witnesses. *)
  Lemma written_witnesses : forall K factor a b m R' E' L' S' w' q x, is_factor K v factor -> 0 <= K <= 80 -> 0 <= S' -> 0 <= R' -> reach_run v a b m R' ->
    evaluates v phi (Three (fun i => Square (w' i))) q -> Rabs (L' - sqrt q) <= 6 * v * sqrt q ->
    lengthy 7 S' (S' + R' + FLUSH_LENGTH) S' x ->
    Counts.within (Add (Mul factor (Add x (Len R'))) (Len FLUSH_LENGTH)) 9 3 = true ->
    evaluates v phi (Add (Mul factor (Add x (Len R'))) (Len FLUSH_LENGTH)) E' -> witnesses_run v K a b m R' E' L' S' w'.
  Proof.
    intros K factor a b m R' E' L' S' w' q x HF HK HS HR Reach Eq Hq Hx Count Ev. pose proof v_range as V.
    assert (BP : 0 <= FLUSH_LENGTH) by (unfold FLUSH_LENGTH; lra).
    split; [| exact Reach | exact HR |].
    - exists q. split; [| exact Hq].
      assert (F : numeral (3 + square w') (square w') (square w') (Three (fun i => Square (w' i)))).
      { eapply numeral_more; [unfold Three, Square; apply num_add; [apply num_add |]; apply square_num | | |]; unfold square, dot, sum; lra. }
      eapply square_run; [exact F | reflexivity | lra | lra | reflexivity | exact Eq].
    - cbv zeta. assert (FK : numeral 80 (K * v) (K * v) factor).
      { assert (KV : 0 <= K * v <= 1) by (split; [apply Rmult_le_pos; lra | apply Rle_trans with (80 * (1 / 2 ^ 23)); [apply Rmult_le_compat; lra | lra]]).
        destruct HF as [-> | ->]; [| eapply numeral_more; [exact (small_num _ KV) | lra | lra | reflexivity]].
        pose proof (num_num 80 K) as P. rewrite Rabs_pos_eq in P by lra.
        eapply numeral_more; [apply num_mul; [apply P; lra | apply (small_num v); lra] | lra | lra | reflexivity]. }
      pose proof (w_fits (S' + R' + FLUSH_LENGTH) R' ltac:(lra)) as FR. pose proof (w_fits (S' + R' + FLUSH_LENGTH) FLUSH_LENGTH ltac:(lra)) as FB.
      eapply lengthy_run; [apply len_add; [eapply times_len; [exact FK | apply len_add; [exact Hx | exact FR]]
        | exact FB] | exact Count | lra | lra | lra | exact Ev].
  Qed.
  Theorem written_closer : forall R' E' L' y, 0 <= R' -> 0 <= E' -> 0 <= L' -> evaluates v phi (Closer R' E' L') y -> y < 0 ->
    points_closer v R' E' L'.
  Proof.
    intros R' E' L' y HR HE HL Ev Y. exists y. split; [| exact Y]. set (L := L' + E' + R').
    eapply (lengthy_run v phi (Closer R' E' L')); [unfold Closer, Sub; apply len_add; [apply len_add; apply (w_fits L); unfold L; lra | apply len_minus, (w_fits L); unfold L; lra]
      | reflexivity | lra | unfold L; lra | lra | exact Ev].
  Qed.
  Theorem written_along : forall w' z' y, (forall i, Rabs (z' i) <= 1.01) -> evaluates v phi (Along w' z') y -> along_run v w' z' (Rabs y).
  Proof.
    intros w' z' y Hz Ev. exists y. split; [reflexivity |].
    assert (F : forall i, lengthy 1.01 (Rabs (w' i) * Rabs (z' i)) (sum (sizes w')) (w' i * z' i) (Mul (Len (w' i)) (Num (z' i)))).
    { intro i. eapply lengthy_more; [eapply len_times; [apply len_len | apply (num_num 1.01); [lra | apply Hz]] | lra | apply Rle_refl | reflexivity].
      unfold sum, sizes. pose proof (Rabs_pos (w' X)). pose proof (Rabs_pos (w' Y)). pose proof (Rabs_pos (w' Z)). destruct i; lra. }
    eapply (lengthy_run v phi (Along w' z')); [unfold Along, Three; apply len_add; [apply len_add |]; apply F | reflexivity | lra | apply Rle_refl | reflexivity | exact Ev].
  Qed.

  (** (R + E) (L + B), and sums of products. *)
  Lemma reach_product_fits : forall R' E' L', 0 <= R' -> 0 <= E' -> 0 <= L' ->
    numeral (4 + 2 * (R' + E' + L' + FLUSH_LENGTH) + (R' + E') * (L' + FLUSH_LENGTH)) ((R' + E') * (L' + FLUSH_LENGTH)) ((R' + E') * (L' + FLUSH_LENGTH))
      (Mul (Add (Num R') (Num E')) (Add (Num L') (Num FLUSH_LENGTH))).
  Proof.
    intros. assert (BP : 0 <= FLUSH_LENGTH) by (unfold FLUSH_LENGTH; lra).
    eapply numeral_more; [apply num_mul; apply num_add; apply pos_num; assumption | lra | lra | reflexivity].
  Qed.
  Lemma dots_fit : forall x y, numeral (3 + sum (sizes x) + sum (sizes y) + sum (fun k => Rabs (x k) * Rabs (y k))) (sum (fun k => Rabs (x k) * Rabs (y k)))
    (dot x y) (Three (fun i => Mul (Num (x i)) (Num (y i)))).
  Proof.
    intros. eapply numeral_more; [unfold Three; apply num_add; [apply num_add |]; apply product_num | | |]; unfold sum, sizes, dot, sum; lra.
  Qed.
  Lemma pair_fits : forall x y, 0 <= x -> 0 <= y -> numeral (1 + x + y + x * y) (x * y) (x * y) (Mul (Num x) (Num y)).
  Proof. intros x y HX HY. pose proof (product_num x y) as P. rewrite (Rabs_pos_eq x HX), (Rabs_pos_eq y HY) in P. exact P. Qed.

  (** ** Two segments *)
  Lemma written_way : forall d' zA' zB' s' t' k y, Rabs (zA' k) <= 1.01 -> Rabs (zB' k) <= 1.01 ->
    evaluates v phi (Way d' zA' zB' s' t' k) y ->
    computed_length v phi 3 2 3.1 (Rabs (d' k) + Rabs t' + Rabs s') (Rabs (d' k) + Rabs t' * Rabs (zB' k) + Rabs s' * Rabs (zA' k))
      (d' k + t' * zB' k - s' * zA' k) y.
  Proof.
    intros d' zA' zB' s' t' k y HA HB Ev. pose proof (Rabs_pos (d' k)). pose proof (Rabs_pos t'). pose proof (Rabs_pos s').
    set (L := Rabs (d' k) + Rabs t' + Rabs s').
    assert (FD : lengthy 1 (Rabs (d' k)) L (d' k) (Len (d' k))) by (apply len_len; unfold L; lra).
    assert (FT : lengthy 1 (Rabs t') L t' (Len t')) by (apply len_len; unfold L; lra).
    assert (FS : lengthy 1 (Rabs s') L s' (Len s')) by (apply len_len; unfold L; lra).
    eapply (lengthy_run v phi (Way d' zA' zB' s' t' k)); [unfold Way, Sub; apply len_add; [apply len_add; [exact FD | eapply len_times; [exact FT | apply (num_num 1.01); [lra | exact HB]]]
      | apply len_minus; eapply len_times; [exact FS | apply (num_num 1.01); [lra | exact HA]]] | reflexivity | lra | lra | lra | exact Ev].
  Qed.

  Theorem written_segments_error : forall K factor a b m R' E' L' w' d' q, is_factor K v factor -> 0 <= K <= 80 -> 0 <= half (core a) Z -> 0 <= half (core b) Z -> 0 <= R' ->
    reach_run v a b m R' -> evaluates v phi (Three (fun i => Square (w' i))) q -> Rabs (L' - sqrt q) <= 6 * v * sqrt q ->
    evaluates v phi (SegmentsError d' (half (core a) Z) (half (core b) Z) R' factor) E' ->
    witnesses_run v K a b m R' E' L' (lengths_of_segments a b d') w'.
  Proof.
    intros K factor a b m R' E' L' w' d' q HF HK HA HB HR Reach Eq Hq Ev. assert (BP : 0 <= FLUSH_LENGTH) by (unfold FLUSH_LENGTH; lra).
    pose proof (Rabs_pos (d' X)). pose proof (Rabs_pos (d' Y)). pose proof (Rabs_pos (d' Z)).
    assert (SP : 0 <= lengths_of_segments a b d') by (unfold lengths_of_segments, sum, sizes; lra).
    refine (written_witnesses K factor a b m R' E' L' _ w' q _ HF HK SP HR Reach Eq Hq _ _ Ev); [| destruct HF as [-> | ->]; reflexivity].
    set (L := lengths_of_segments a b d' + R' + FLUSH_LENGTH).
    eapply lengthy_more; [unfold Three; apply len_add; [apply len_add; [apply len_add; [apply len_add |] |] |]; apply (w_fits L); split; auto using Rabs_pos;
      unfold L, lengths_of_segments, sum, sizes; lra | lra | |]; unfold lengths_of_segments, sum, sizes; lra.
  Qed.

  Theorem written_segments : forall K a b m R' E' L' d' zA' zB' w' s' t', centers_run v a b d' ->
    direction_run v (rotation (core a)) zA' -> direction_run v (rotation (core b)) zB' ->
    Rabs s' <= half (core a) Z -> Rabs t' <= half (core b) Z -> (forall k, Rabs (zA' k) <= 1.01) -> (forall k, Rabs (zB' k) <= 1.01) ->
    (forall k, evaluates v phi (Way d' zA' zB' s' t' k) (w' k)) ->
    witnesses_run v K a b m R' E' L' (lengths_of_segments a b d') w' -> segments_run v K a b m R' E' L' d' zA' zB' w' s' t'.
  Proof. intros. split; auto. intro k. apply written_way; auto. Qed.

  Theorem written_segments_apart : forall a b R' E' L' d' zA' zB' w' alongA alongB y, 0 <= half (core a) Z -> 0 <= half (core b) Z ->
    0 <= R' -> 0 <= E' -> 0 <= L' -> projections_run v zA' zB' w' alongA alongB ->
    evaluates v phi (SegmentsApart d' w' (half (core a) Z) (half (core b) Z) R' E' L' alongA alongB) y -> 0 < y ->
    segments_apart v a b R' E' L' d' zA' zB' w' alongA alongB.
  Proof.
    intros a b R' E' L' d' zA' zB' w' alongA alongB y HA HB HR HE HL P Ev Y. split; [exact P |]. exists y. split; [| exact Y].
    destruct P as [[vA [-> _]] [vB [-> _]]]. pose proof (Rabs_pos vA). pose proof (Rabs_pos vB).
    eapply (square_run v (SegmentsApart d' w' (half (core a) Z) (half (core b) Z) R' E' L' (Rabs vA) (Rabs vB)));
      [unfold SegmentsApart; cbv zeta; unfold Sub; apply num_add; [apply num_add; [apply num_add; [apply dots_fit | apply num_minus, pair_fits; assumption] | apply num_minus, pair_fits; assumption]
        | apply num_minus, reach_product_fits; assumption] | reflexivity | | | | exact Ev]; lra.
  Qed.

  (** ** A box and a segment *)
  Lemma written_seen : forall a d' n' p', valid a -> computed v phi 4 2 (n a) (n a) n' ->
    (forall i, exists reciprocal, Rabs (reciprocal * n' - 1) <= 4 * v /\ evaluates v phi (Seen (rotation a) d' reciprocal i) (p' i)) ->
    forall i, exists reciprocal, Rabs (reciprocal * n' - 1) <= 4 * v /\ computed_length v phi 12 4 12.3 (sum (sizes d'))
      (reciprocal * sum (fun k => W (rotation a) k i * Rabs (d' k))) (reciprocal * sum (fun k => M (rotation a) k i * d' k)) (p' i).
  Proof.
    intros a d' n' p' Ha N H i. destruct (H i) as [reciprocal [Q Ev]]. exists reciprocal. split; [exact Q |].
    assert (T : turns (rotation a)) by (destruct Ha; unfold turns; lra).
    destruct (quotient_error v (unit_range v Hv) _ n' reciprocal T N Q) as [RN R0]. pose proof v_range as V.
    assert (R1 : reciprocal <= 1.01).
    { apply Rnot_lt_le. intro Far. apply Rabs_def2_le in RN. destruct Ha as [_ HN].
      assert (1.01 * 0.9979 <= reciprocal * norm2 (rotation a)) by (apply Rmult_le_compat; lra). lra. }
    pose proof (num_num 1.01 reciprocal) as P. rewrite Rabs_pos_eq in P by lra. specialize (P ltac:(lra) R1).
    pose proof (Rabs_pos (d' X)). pose proof (Rabs_pos (d' Y)). pose proof (Rabs_pos (d' Z)).
    assert (FD : forall k, lengthy 1 (Rabs (d' k)) (sum (sizes d')) (d' k) (Len (d' k))).
    { intro k. apply len_len. unfold sum, sizes. destruct k; lra. }
    eapply (lengthy_run v phi (Seen (rotation a) d' reciprocal i)); [unfold Seen, Turned, Three; eapply len_times; [apply len_add; [apply len_add |];
      (eapply times_len; [apply (matrix_fits 1.00105 _ ltac:(lra) (rotation_parts a Ha)) | apply FD]) | exact P] | | lra | | | exact Ev]; unfold sum; try lra.
    destruct (rotation a), i; reflexivity.
  Qed.

  Lemma written_point : forall p' z' t' i y, Rabs (z' i) <= 1.01 -> evaluates v phi (Point p' z' t' i) y ->
    computed_length v phi 2 2 2.1 (Rabs (p' i) + Rabs t') (Rabs (p' i) + Rabs t' * Rabs (z' i)) (p' i + t' * z' i) y.
  Proof.
    intros p' z' t' i y Hz Ev. pose proof (Rabs_pos (p' i)). pose proof (Rabs_pos t'). set (L := Rabs (p' i) + Rabs t').
    assert (FP : lengthy 1 (Rabs (p' i)) L (p' i) (Len (p' i))) by (apply len_len; unfold L; lra).
    assert (FT : lengthy 1 (Rabs t') L t' (Len t')) by (apply len_len; unfold L; lra).
    eapply (lengthy_run v phi (Point p' z' t' i)); [unfold Point; apply len_add; [exact FP | eapply len_times; [exact FT | apply (num_num 1.01); [lra | exact Hz]]]
      | reflexivity | lra | lra | lra | exact Ev].
  Qed.

  Theorem written_box_error : forall K factor a b m R' E' L' w' p' q, is_factor K v factor -> 0 <= K <= 80 -> (forall i, 0 <= half (core a) i) -> 0 <= half (core b) Z -> 0 <= R' ->
    reach_run v a b m R' -> evaluates v phi (Three (fun i => Square (w' i))) q -> Rabs (L' - sqrt q) <= 6 * v * sqrt q ->
    evaluates v phi (BoxError p' (half (core b) Z) (half (core a)) R' factor) E' ->
    witnesses_run v K a b m R' E' L' (lengths_of_box a b p') w'.
  Proof.
    intros K factor a b m R' E' L' w' p' q HF HK HA HB HR Reach Eq Hq Ev. assert (BP : 0 <= FLUSH_LENGTH) by (unfold FLUSH_LENGTH; lra).
    pose proof (Rabs_pos (p' X)). pose proof (Rabs_pos (p' Y)). pose proof (Rabs_pos (p' Z)).
    pose proof (HA X). pose proof (HA Y). pose proof (HA Z).
    assert (SP : 0 <= lengths_of_box a b p') by (unfold lengths_of_box, sum, sizes; lra).
    refine (written_witnesses K factor a b m R' E' L' _ w' q _ HF HK SP HR Reach Eq Hq _ _ Ev); [| destruct HF as [-> | ->]; reflexivity].
    set (L := lengths_of_box a b p' + R' + FLUSH_LENGTH).
    eapply lengthy_more; [unfold Three; repeat apply len_add; apply (w_fits L); split; auto using Rabs_pos;
      unfold L, lengths_of_box, sum, sizes; lra | lra | |]; unfold lengths_of_box, sum, sizes; lra.
  Qed.

  Theorem written_round_box : forall K a b m R' E' L' d' p' r' z' x' y w' t' n', valid (core a) -> centers_run v a b d' ->
    computed v phi 4 2 (n (core a)) (n (core a)) n' ->
    (forall i, exists reciprocal, Rabs (reciprocal * n' - 1) <= 4 * v /\ evaluates v phi (Seen (rotation (core a)) d' reciprocal i) (p' i)) ->
    (forall p, part p -> computed v phi 4 2 (p (relative_magnitude (rotation (core a)) (rotation (core b)))) (p (r (core a) (core b))) (p r')) ->
    direction_run v r' z' \/ half (core b) Z = 0 /\ len z' = 1 -> Rabs t' <= half (core b) Z -> (forall i, Rabs (z' i) <= 1.01) ->
    (forall i, evaluates v phi (Point p' z' t' i) (x' i)) -> (forall i, Rabs (y i) <= half (core a) i) ->
    (forall i, subtracted v phi (x' i) (y i) (w' i)) -> witnesses_run v K a b m R' E' L' (lengths_of_box a b p') w' ->
    round_box_run v K a b m R' E' L' d' p' r' z' x' y w' t'.
  Proof.
    intros. split; auto.
    - exists n'. split; [assumption |]. apply written_seen; assumption.
    - intro i. apply written_point; auto.
  Qed.

  Theorem written_inside : forall a x' R' E', (forall i, 0 <= half (core a) i) -> 0 <= E' -> 0 < R' ->
    (forall i, exists y, evaluates v phi (Inside x' (half (core a)) E' i) y /\ 0 < y) -> inside_box v a R' E' x'.
  Proof.
    intros a x' R' E' HA HE HR H. split; [exact HR |]. intro i. destruct (H i) as [y [Ev Y]]. exists y. split; [| exact Y].
    pose proof (Rabs_pos (x' i)). specialize (HA i). set (L := half (core a) i + Rabs (x' i) + E').
    eapply (lengthy_run v phi (Inside x' (half (core a)) E' i)); [unfold Inside, Sub; apply len_add; [apply len_add; [apply (w_fits L) | apply len_minus, (w_fits L)] | apply len_minus, (w_fits L)];
      unfold L; lra | reflexivity | lra | unfold L; lra | lra | exact Ev].
  Qed.

  Theorem written_box_apart : forall a b R' E' L' p' z' w' along y, (forall i, 0 <= half (core a) i) -> 0 <= half (core b) Z ->
    0 <= R' -> 0 <= E' -> 0 <= L' -> along_run v w' z' along ->
    evaluates v phi (BoxApart p' w' (half (core b) Z) (half (core a)) R' E' L' along) y -> 0 < y ->
    round_box_apart v a b R' E' L' p' z' w' along.
  Proof.
    intros a b R' E' L' p' z' w' along y HA HB HR HE HL P Ev Y. split; [exact P |]. exists y. split; [| exact Y].
    destruct P as [v0 [-> _]]. pose proof (Rabs_pos v0).
    assert (FH : numeral (3 + sum (half (core a)) + sum (sizes w') + dot (half (core a)) (sizes w')) (dot (half (core a)) (sizes w')) (dot (half (core a)) (sizes w'))
      (Three (fun i => Mul (Num (half (core a) i)) (Num (Rabs (w' i)))))).
    { eapply numeral_more; [unfold Three; apply num_add; [apply num_add |]; apply pair_fits; auto using Rabs_pos | | |]; unfold dot, sum, sizes; lra. }
    eapply (square_run v (BoxApart p' w' (half (core b) Z) (half (core a)) R' E' L' (Rabs v0)));
      [unfold BoxApart; cbv zeta; unfold Sub; apply num_add; [apply num_add; [apply num_add; [apply dots_fit | apply num_minus, FH] | apply num_minus, pair_fits; assumption]
        | apply num_minus, reach_product_fits; assumption] | reflexivity | | | | exact Ev]; lra.
  Qed.
End Round.
