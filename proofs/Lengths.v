(** * How errors of a vector or a quaternion turn into those of products with it. *)

Require Import Rbase Rfunctions Lra.
From Obbligato Require Import Boxes.
Open Scope R_scope.

Lemma abs_by_square : forall x y, 0 <= y -> x * x <= y * y -> Rabs x <= y.
Proof.
  intros x y Hy H. apply Rabs_le.
  split; apply Rnot_lt_le; intro L; nra.
Qed.

Lemma Rabs_def2_le : forall x y, Rabs x <= y -> - y <= x <= y.
Proof.
  intros x y H. pose proof (Rle_abs x). pose proof (Rle_abs (- x)). rewrite Rabs_Ropp in *. lra.
Qed.

Lemma square_abs : forall x, Rabs x * Rabs x = x * x.
Proof. intro x. rewrite <- Rabs_mult. apply Rabs_pos_eq. nra. Qed.

(** Cauchy and Schwarz, without roots: lengths are given by bounds on their squares. *)
Lemma cauchy3 : forall a b c x y z, (a * x + b * y + c * z) * (a * x + b * y + c * z)
  <= (a * a + b * b + c * c) * (x * x + y * y + z * z).
Proof.
  intros. apply Rminus_le.
  replace (_ - _) with (- (Rsqr (a * y - b * x) + Rsqr (a * z - c * x) + Rsqr (b * z - c * y)))
    by (unfold Rsqr; clear; lra).
  pose proof (Rle_0_sqr (a * y - b * x)). pose proof (Rle_0_sqr (a * z - c * x)).
  pose proof (Rle_0_sqr (b * z - c * y)). lra.
Qed.

Lemma cauchy4 : forall a b c d x y z w,
  (a * x + b * y + c * z + d * w) * (a * x + b * y + c * z + d * w)
  <= (a * a + b * b + c * c + d * d) * (x * x + y * y + z * z + w * w).
Proof.
  intros. apply Rminus_le.
  replace (_ - _) with (- (Rsqr (a * y - b * x) + Rsqr (a * z - c * x) + Rsqr (b * z - c * y)
    + Rsqr (a * w - d * x) + Rsqr (b * w - d * y) + Rsqr (c * w - d * z))) by (unfold Rsqr; clear; lra).
  pose proof (Rle_0_sqr (a * y - b * x)). pose proof (Rle_0_sqr (a * z - c * x)).
  pose proof (Rle_0_sqr (b * z - c * y)). pose proof (Rle_0_sqr (a * w - d * x)).
  pose proof (Rle_0_sqr (b * w - d * y)). pose proof (Rle_0_sqr (c * w - d * z)). lra.
Qed.

Lemma dot_short : forall e c L K, 0 <= L -> 0 <= K -> dot e e <= L * L -> dot c c <= K * K ->
  Rabs (dot e c) <= L * K.
Proof.
  intros e c L K HL HK He Hc. apply abs_by_square; [apply Rmult_le_pos; auto |].
  pose proof (cauchy3 (e X) (e Y) (e Z) (c X) (c Y) (c Z)) as S. unfold dot, sum in *.
  eapply Rle_trans; [exact S |].
  replace (L * K * (L * K)) with ((L * L) * (K * K)) by (clear; lra).
  apply Rmult_le_compat; nra.
Qed.

Lemma dot4_short : forall a b c d x y z w n K, 0 <= n -> 0 <= K ->
  a * a + b * b + c * c + d * d = n -> x * x + y * y + z * z + w * w <= K * K * n ->
  Rabs (a * x + b * y + c * z + d * w) <= K * n.
Proof.
  intros a b c d x y z w n K Hn HK Ha Hx. apply abs_by_square; [apply Rmult_le_pos; auto |].
  eapply Rle_trans; [apply cauchy4 |]. rewrite Ha.
  replace (K * n * (K * n)) with (n * (K * K * n)) by (clear; lra). apply Rmult_le_compat_l; auto.
Qed.

Definition plus (q e : quat) : quat :=
  Quat (qx q + qx e) (qy q + qy e) (qz q + qz e) (qw q + qw e).

Lemma two_sided : forall x b q k, x = 2 * b + q -> Rabs b <= k -> forall m, Rabs q <= m ->
  Rabs x <= 2 * k + m.
Proof.
  intros x b q k E B m Q. subst x. eapply Rle_trans; [apply Rabs_triang |].
  rewrite Rabs_mult, (Rabs_pos_eq 2) by lra. lra.
Qed.

(** Entries of M(q), and |q|^2, are quadratic forms with eigenvalues in [-1, 1]. *)
Lemma norm2_change : forall q e K, 0 <= K -> norm2 e <= K * K * norm2 q ->
  Rabs (norm2 (plus q e) - norm2 q) <= (2 * K + K * K) * norm2 q.
Proof.
  intros [x y z w] [a b c d] K HK He. unfold norm2, plus in *; simpl in *.
  set (n := w * w + x * x + y * y + z * z) in *.
  replace ((2 * K + K * K) * n) with (2 * (K * n) + K * K * n) by (clear; lra).
  apply (two_sided _ (x * a + y * b + z * c + w * d) (a * a + b * b + c * c + d * d)).
  - unfold n. clear; lra.
  - apply dot4_short; [unfold n; nra | auto | unfold n; clear; lra | lra].
  - rewrite Rabs_pos_eq by nra. lra.
Qed.

Ltac entry B Q := apply (two_sided _ B Q);
  [clear; lra | apply dot4_short; [auto | auto | clear; lra | lra] | apply Rabs_le; split; lra].

Lemma M_change : forall q e K i j, 0 <= K -> norm2 e <= K * K * norm2 q ->
  Rabs (M (plus q e) i j - M q i j) <= (2 * K + K * K) * norm2 q.
Proof.
  intros [x y z w] [a b c d] K i j HK He. unfold norm2, plus, M in *; simpl in *.
  assert (N : 0 <= w * w + x * x + y * y + z * z) by nra.
  pose proof (Rle_0_sqr (a + b)).
  pose proof (Rle_0_sqr (a - b)).
  pose proof (Rle_0_sqr (a + c)).
  pose proof (Rle_0_sqr (a - c)).
  pose proof (Rle_0_sqr (a + d)).
  pose proof (Rle_0_sqr (a - d)).
  pose proof (Rle_0_sqr (b + c)).
  pose proof (Rle_0_sqr (b - c)).
  pose proof (Rle_0_sqr (b + d)).
  pose proof (Rle_0_sqr (b - d)).
  pose proof (Rle_0_sqr (c + d)).
  pose proof (Rle_0_sqr (c - d)).
  pose proof (Rle_0_sqr a).
  pose proof (Rle_0_sqr b).
  pose proof (Rle_0_sqr c).
  pose proof (Rle_0_sqr d).
  unfold Rsqr in *.
  replace ((2 * K + K * K) * (w * w + x * x + y * y + z * z)) with
    (2 * (K * (w * w + x * x + y * y + z * z)) + K * K * (w * w + x * x + y * y + z * z)) by (clear; lra).
  destruct i, j; simpl.
  - entry (x * a + y * - b + z * - c + w * d) (d * d + a * a - b * b - c * c).
  - entry (x * b + y * a + z * - d + w * - c) (2 * (a * b - d * c)).
  - entry (x * c + y * d + z * a + w * b) (2 * (a * c + d * b)).
  - entry (x * b + y * a + z * d + w * c) (2 * (a * b + d * c)).
  - entry (x * - a + y * b + z * - c + w * d) (d * d - a * a + b * b - c * c).
  - entry (x * - d + y * c + z * b + w * - a) (2 * (b * c - d * a)).
  - entry (x * c + y * - d + z * a + w * - b) (2 * (a * c - d * b)).
  - entry (x * d + y * c + z * b + w * a) (2 * (b * c + d * a)).
  - entry (x * - a + y * - b + z * c + w * d) (d * d - a * a - b * b + c * c).
Qed.

(** The magnitudes of the monomials of M(q). *)
Definition W (q : quat) (row column : axis) : R :=
  let (x, y, z, w) := q in
  match row, column with
  | X, Y => 2 * (Rabs x * Rabs y + Rabs w * Rabs z)
  | X, Z => 2 * (Rabs x * Rabs z + Rabs w * Rabs y)
  | Y, X => 2 * (Rabs x * Rabs y + Rabs w * Rabs z)
  | Y, Z => 2 * (Rabs y * Rabs z + Rabs w * Rabs x)
  | Z, X => 2 * (Rabs x * Rabs z + Rabs w * Rabs y)
  | Z, Y => 2 * (Rabs y * Rabs z + Rabs w * Rabs x)
  | _, _ => w * w + x * x + y * y + z * z
  end.

Lemma W_bounds : forall q i j, 0 <= W q i j <= norm2 q.
Proof.
  intros [x y z w] i j. unfold norm2; simpl.
  rewrite <- (square_abs x), <- (square_abs y), <- (square_abs z), <- (square_abs w).
  pose proof (Rabs_pos x). pose proof (Rabs_pos y). pose proof (Rabs_pos z). pose proof (Rabs_pos w).
  generalize dependent (Rabs x); intros a Ha. generalize dependent (Rabs y); intros b Hb.
  generalize dependent (Rabs z); intros c Hc. generalize dependent (Rabs w); intros d Hd.
  assert (0 <= (a - b) * (a - b)) by apply Rle_0_sqr. assert (0 <= (a - c) * (a - c)) by apply Rle_0_sqr.
  assert (0 <= (b - c) * (b - c)) by apply Rle_0_sqr. assert (0 <= (d - a) * (d - a)) by apply Rle_0_sqr.
  assert (0 <= (d - b) * (d - b)) by apply Rle_0_sqr. assert (0 <= (d - c) * (d - c)) by apply Rle_0_sqr.
  assert (0 <= a * b) by (apply Rmult_le_pos; assumption). assert (0 <= a * c) by (apply Rmult_le_pos; assumption).
  assert (0 <= b * c) by (apply Rmult_le_pos; assumption). assert (0 <= d * a) by (apply Rmult_le_pos; assumption).
  assert (0 <= d * b) by (apply Rmult_le_pos; assumption). assert (0 <= d * c) by (apply Rmult_le_pos; assumption).
  assert (0 <= a * a) by (apply Rmult_le_pos; assumption). assert (0 <= b * b) by (apply Rmult_le_pos; assumption).
  assert (0 <= c * c) by (apply Rmult_le_pos; assumption). assert (0 <= d * d) by (apply Rmult_le_pos; assumption).
  destruct i, j; simpl; split; lra.
Qed.

Lemma M_below : forall q i j, Rabs (M q i j) <= norm2 q.
Proof.
  intros [x y z w] i j. pose proof (Rle_0_sqr x). pose proof (Rle_0_sqr y). pose proof (Rle_0_sqr z). pose proof (Rle_0_sqr w).
  pose proof (Rle_0_sqr (x - y)). pose proof (Rle_0_sqr (x + y)). pose proof (Rle_0_sqr (x - z)). pose proof (Rle_0_sqr (x + z)).
  pose proof (Rle_0_sqr (y - z)). pose proof (Rle_0_sqr (y + z)). pose proof (Rle_0_sqr (w - x)). pose proof (Rle_0_sqr (w + x)).
  pose proof (Rle_0_sqr (w - y)). pose proof (Rle_0_sqr (w + y)). pose proof (Rle_0_sqr (w - z)). pose proof (Rle_0_sqr (w + z)).
  unfold Rsqr, norm2 in *. apply Rabs_le. destruct i, j; simpl; split; lra.
Qed.

Lemma W_symmetric : forall q i j, W q i j = W q j i.
Proof. intros [x y z w] i j. destruct i, j; reflexivity. Qed.

(** Its rows and columns add up to at most 3 |q|^2, and with them its norm. *)
Lemma W_norm : forall q (v : vec) (e : vec) g, 0 <= g ->
  (forall i, Rabs (e i) <= g * sum (fun k => W q k i * Rabs (v k))) ->
  dot e e <= (3 * g * norm2 q) * (3 * g * norm2 q) * dot v v.
Proof.
  intros q v e g Hg H.
  assert (N : 0 <= norm2 q) by (unfold norm2; nra).
  assert (S : dot (fun k => Rabs (v k)) (fun k => Rabs (v k)) = dot v v)
    by (unfold dot, sum; rewrite !square_abs; clear; lra).
  (* Entries are at most |q|^2, so a component is at most g |q|^2 (|v_X| + |v_Y| + |v_Z|). *)
  set (a := Rabs (v X)) in *. set (b := Rabs (v Y)) in *. set (c := Rabs (v Z)) in *.
  pose proof (Rabs_pos (v X)). pose proof (Rabs_pos (v Y)). pose proof (Rabs_pos (v Z)).
  fold a b c in H0, H1, H2.
  assert (B : forall i, e i * e i <= (g * norm2 q) * (g * norm2 q) * (3 * dot v v)).
  { intro i. rewrite <- (square_abs (e i)). specialize (H i). unfold sum in H. fold a b c in H.
    pose proof (W_bounds q X i). pose proof (W_bounds q Y i). pose proof (W_bounds q Z i).
    assert (L : Rabs (e i) <= g * norm2 q * (a + b + c)).
    { eapply Rle_trans; [exact H |]. rewrite Rmult_assoc. apply Rmult_le_compat_l; auto.
      assert (W q X i * a <= norm2 q * a) by (apply Rmult_le_compat_r; tauto).
      assert (W q Y i * b <= norm2 q * b) by (apply Rmult_le_compat_r; tauto).
      assert (W q Z i * c <= norm2 q * c) by (apply Rmult_le_compat_r; tauto). lra. }
    apply Rle_trans with ((g * norm2 q * (a + b + c)) * (g * norm2 q * (a + b + c))).
    - pose proof (Rabs_pos (e i)). apply Rmult_le_compat; auto.
    - replace (g * norm2 q * (a + b + c) * (g * norm2 q * (a + b + c))) with
        (g * norm2 q * (g * norm2 q) * ((a + b + c) * (a + b + c))) by (clear; lra).
      apply Rmult_le_compat_l; [nra |]. rewrite <- S. unfold dot, sum. fold a b c.
      assert (0 <= (a - b) * (a - b)) by apply Rle_0_sqr. assert (0 <= (a - c) * (a - c)) by apply Rle_0_sqr.
      assert (0 <= (b - c) * (b - c)) by apply Rle_0_sqr. lra. }
  pose proof (B X). pose proof (B Y). pose proof (B Z). unfold dot at 1. unfold sum.
  replace (3 * g * norm2 q * (3 * g * norm2 q) * dot v v) with
    (3 * ((g * norm2 q) * (g * norm2 q) * (3 * dot v v))) by (clear; lra). lra.
Qed.
