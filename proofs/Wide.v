(** * Integers of a fixed number of words: what [exact/wide.rs] computes, for any number of words.

    A number is a list of words of 64 bits, the lowest first. Carries, borrows and the parts of a
    product are computed as in the source. Each operation gives the integer result modulo 2^(64 N),
    for all words, and a number that fits has the sign that the source reads off its last word. *)

Require Import ZArith List Lia.
Import ListNotations.
Open Scope Z_scope.

(** One more than the largest word, kept folded: no proof needs its digits. *)
Definition B : Z := 2 ^ 64.
Lemma B_pos : 0 < B. Proof. reflexivity. Qed.
Global Opaque B.

Definition word (w : Z) : Prop := 0 <= w < B.
Definition words (x : list Z) : Prop := Forall word x.
Definition modulus (x : list Z) : Z := B ^ Z.of_nat (length x).

Fixpoint value (x : list Z) : Z := match x with [] => 0 | w :: x => w + B * value x end.

(** The words stand for z: their value is z modulo 2^(64 N). *)
Definition stands (x : list Z) (z : Z) : Prop := words x /\ exists k, value x + modulus x * k = z.

Lemma modulus_cons : forall w x, modulus (w :: x) = B * modulus x.
Proof. intros. unfold modulus. simpl length. rewrite Nat2Z.inj_succ, Z.pow_succ_r; lia. Qed.

Lemma modulus_nil : modulus [] = 1.
Proof. reflexivity. Qed.

Lemma modulus_pos : forall x, 0 < modulus x.
Proof. intro. pose proof B_pos. unfold modulus. apply Z.pow_pos_nonneg; lia. Qed.

Lemma split : forall z, z = z mod B + B * (z / B).
Proof. intro. pose proof B_pos. pose proof (Z.div_mod z B). lia. Qed.

(** An equation of the higher words, times B, and the split of the lowest. *)
Ltac by_words E := apply (f_equal (Z.mul B)) in E; lia.

Lemma word_mod : forall z, word (z mod B).
Proof. intro. apply Z.mod_pos_bound, B_pos. Qed.

Lemma word_div : forall z n, 0 <= z < n * B -> 0 <= z / B < n.
Proof.
  intros z n H. pose proof B_pos. split; [apply Z.div_pos; lia |]. apply Z.div_lt_upper_bound; lia.
Qed.

Lemma value_range : forall x, words x -> 0 <= value x < modulus x.
Proof.
  pose proof B_pos. intros x H0. induction H0; simpl value.
  - rewrite modulus_nil. lia.
  - rewrite modulus_cons. unfold word in *. nia.
Qed.

Theorem stands_is : forall x z, stands x z -> value x = z mod modulus x.
Proof.
  intros x z [W [k H]]. apply (Z.mod_unique _ _ k); [left; apply value_range; auto | lia].
Qed.

(** ** Sums and differences: chains of carries and of borrows *)
Fixpoint add (x y : list Z) (carry : Z) : list Z :=
  match x, y with a :: x, b :: y => (a + b + carry) mod B :: add x y ((a + b + carry) / B) | _, _ => [] end.

(** (a - b - borrow) / B is 0, or -1 if it borrows. *)
Fixpoint sub (x y : list Z) (borrow : Z) : list Z :=
  match x, y with a :: x, b :: y => (a - b - borrow) mod B :: sub x y (- ((a - b - borrow) / B)) | _, _ => [] end.

Ltac reduce := cbn [add sub length value].

Lemma carry_is_a_bit : forall a b c, word a -> word b -> 0 <= c <= 1 -> 0 <= (a + b + c) / B <= 1.
Proof. unfold word. intros a b c Ha Hb Hc. pose proof (word_div (a + b + c) 2). lia. Qed.

Lemma borrow_is_a_bit : forall a b c, word a -> word b -> 0 <= c <= 1 -> 0 <= - ((a - b - c) / B) <= 1.
Proof.
  unfold word. intros a b c Ha Hb Hc. pose proof B_pos. pose proof (Z.div_mod (a - b - c) B ltac:(lia)).
  pose proof (Z.mod_pos_bound (a - b - c) B ltac:(lia)). nia.
Qed.

Lemma add_value : forall x y c, length x = length y ->
  length (add x y c) = length x /\ words (add x y c) /\
  exists k, value (add x y c) + modulus x * k = value x + value y + c.
Proof.
  induction x as [| a x IH]; intros [| b y] c L; try discriminate; reduce.
  - repeat split; [constructor |]. exists c. rewrite modulus_nil. lia.
  - destruct (IH y ((a + b + c) / B)) as [L' [W [k E]]]; [simpl in L; lia |].
    repeat split; [lia | constructor; auto; apply word_mod |].
    exists k. rewrite modulus_cons. pose proof (split (a + b + c)). by_words E.
Qed.

Lemma sub_value : forall x y c, length x = length y ->
  length (sub x y c) = length x /\ words (sub x y c) /\
  exists k, value (sub x y c) + modulus x * k = value x - value y - c.
Proof.
  induction x as [| a x IH]; intros [| b y] c L; try discriminate; reduce.
  - repeat split; [constructor |]. exists (- c). rewrite modulus_nil. lia.
  - destruct (IH y (- ((a - b - c) / B))) as [L' [W [k E]]]; [simpl in L; lia |].
    repeat split; [lia | constructor; auto; apply word_mod |].
    exists k. rewrite modulus_cons. pose proof (split (a - b - c)). by_words E.
Qed.

Lemma modulus_length : forall x y, length x = length y -> modulus x = modulus y.
Proof. intros x y H. unfold modulus. rewrite H. auto. Qed.

Theorem add_stands : forall x y z z', length x = length y -> stands x z -> stands y z' ->
  stands (add x y 0) (z + z').
Proof.
  intros x y z z' L [Wx [k E]] [Wy [k' E']]. destruct (add_value x y 0 L) as [L' [W [j A]]]. split; auto.
  rewrite (modulus_length _ _ L'). rewrite <- (modulus_length _ _ L) in E'. exists (j + k + k'). lia.
Qed.

Theorem sub_stands : forall x y z z', length x = length y -> stands x z -> stands y z' ->
  stands (sub x y 0) (z - z').
Proof.
  intros x y z z' L [Wx [k E]] [Wy [k' E']]. destruct (sub_value x y 0 L) as [L' [W [j A]]]. split; auto.
  rewrite (modulus_length _ _ L'). rewrite <- (modulus_length _ _ L) in E'. exists (j + k - k'). lia.
Qed.

Definition zero (n : nat) : list Z := repeat 0 n.
Definition neg (x : list Z) : list Z := sub (zero (length x)) x 0.

Lemma zero_value : forall n, value (zero n) = 0.
Proof. induction n; auto. change (0 + B * value (zero n) = 0). rewrite IHn. ring. Qed.

Lemma zero_stands : forall n, stands (zero n) 0.
Proof.
  intro n. pose proof B_pos. split.
  - induction n; simpl; constructor; auto. unfold word. lia.
  - exists 0. rewrite zero_value. ring.
Qed.

Theorem neg_stands : forall x z, stands x z -> stands (neg x) (- z).
Proof.
  intros x z H. replace (- z) with (0 - z) by lia. apply sub_stands; auto using zero_stands.
  apply repeat_length.
Qed.

(** ** Products. [row] adds a x y to p, word by word, and drops what is beyond p. *)
Fixpoint row (a : Z) (y p : list Z) (carry : Z) : list Z :=
  match y, p with
  | b :: y, q :: p => (a * b + q + carry) mod B :: row a y p ((a * b + q + carry) / B)
  | _, _ => []
  end.

(** The lowest word of the product is final after its row. *)
Fixpoint product (x y p : list Z) : list Z :=
  match x with
  | [] => p
  | a :: x => match row a y p 0 with [] => [] | w :: p => w :: product x y p end
  end.
Definition mul (x y : list Z) : list Z := product x y (zero (length x)).

Ltac reduce ::= cbn [row product length value].

(** A sum fits in 128 bits, and its carry in 64. *)
Lemma row_fits : forall a b q c, word a -> word b -> word q -> word c ->
  0 <= a * b + q + c < B * B /\ word ((a * b + q + c) / B).
Proof.
  unfold word. intros a b q c Ha Hb Hq Hc. assert (0 <= a * b + q + c < B * B) by nia.
  split; auto. apply word_div. lia.
Qed.

Lemma row_value : forall a y p c, (length p <= length y)%nat ->
  length (row a y p c) = length p /\ words (row a y p c) /\
  exists k, value (row a y p c) + modulus p * k = a * value y + value p + c.
Proof.
  induction y as [| b y IH]; intros [| q p] c L; simpl in L; try lia; reduce.
  - repeat split; [constructor |]. exists c. rewrite modulus_nil. lia.
  - repeat split; [constructor |]. exists (a * (b + B * value y) + c). rewrite modulus_nil. lia.
  - destruct (IH p ((a * b + q + c) / B)) as [L' [W [k E]]]; [lia |].
    repeat split; [lia | constructor; auto; apply word_mod |].
    exists k. rewrite modulus_cons. pose proof (split (a * b + q + c)). by_words E.
Qed.

Lemma product_value : forall x y p, (length p <= length x)%nat -> (length p <= length y)%nat -> words p ->
  length (product x y p) = length p /\ words (product x y p) /\
  exists k, value (product x y p) + modulus p * k = value x * value y + value p.
Proof.
  induction x as [| a x IH]; intros y p Lx Ly Wp.
  - destruct p; [| simpl in Lx; lia]. repeat split; auto. exists 0. simpl. lia.
  - simpl product. destruct (row_value a y p 0 Ly) as [L [W [k E]]].
    destruct p as [| q p].
    + destruct (row a y [] 0); [| discriminate]. repeat split; auto.
      exists (value (a :: x) * value y). rewrite modulus_nil. lia.
    + destruct (row a y (q :: p) 0) as [| w r]; [discriminate |]. inversion_clear W.
      simpl length in *. destruct (IH y r) as [L' [W' [k' E']]]; auto; try lia.
      repeat split; [simpl; lia | constructor; auto |].
      rewrite modulus_cons in *. rewrite (modulus_length r p) in E' by lia. simpl value in *.
      exists (k + k'). nia.
Qed.

(** In two's complement the truncated product is right for either sign. *)
Theorem mul_stands : forall x y z z', length x = length y -> stands x z -> stands y z' ->
  stands (mul x y) (z * z').
Proof.
  intros x y z z' L [Wx [k E]] [Wy [k' E']]. unfold mul.
  assert (LZ : length (zero (length x)) = length x) by apply repeat_length.
  destruct (product_value x y (zero (length x))) as [L' [W [j P]]]; try lia; [apply zero_stands |].
  split; auto. rewrite (modulus_length _ (zero (length x))) by lia.
  rewrite zero_value in P. rewrite (modulus_length (zero _) x LZ) in *. rewrite <- (modulus_length x y L) in E'.
  exists (j + k * value y + k' * value x + modulus x * k * k'). nia.
Qed.

(** [Wide::times]: the product with a machine integer, by its magnitude. *)
Fixpoint scale (a : Z) (x : list Z) (carry : Z) : list Z :=
  match x with [] => [] | w :: x => (w * a + carry) mod B :: scale a x ((w * a + carry) / B) end.
Definition times (x : list Z) (f : Z) : list Z :=
  if f <? 0 then neg (scale (Z.abs f) x 0) else scale (Z.abs f) x 0.

Ltac reduce ::= cbn [scale length value].

Lemma scale_value : forall a x c, length (scale a x c) = length x /\ words (scale a x c) /\
  exists k, value (scale a x c) + modulus x * k = a * value x + c.
Proof.
  induction x as [| w x IH]; intro c; reduce.
  - repeat split; [constructor |]. exists c. rewrite modulus_nil. lia.
  - destruct (IH ((w * a + c) / B)) as [L [W [k E]]].
    repeat split; [lia | constructor; auto; apply word_mod |].
    exists k. rewrite modulus_cons. pose proof (split (w * a + c)). by_words E.
Qed.

Lemma scale_fits : forall a w c, word a -> word w -> word c -> 0 <= w * a + c < B * B /\ word ((w * a + c) / B).
Proof. intros. pose proof (row_fits w a 0 c). unfold word in *. rewrite Z.add_0_r in *. apply H2; lia. Qed.

Theorem times_stands : forall x z f, stands x z -> stands (times x f) (z * f).
Proof.
  intros x z f [W [k E]]. destruct (scale_value (Z.abs f) x 0) as [L [W' [j S]]].
  assert (P : stands (scale (Z.abs f) x 0) (z * Z.abs f)).
  { split; auto. rewrite (modulus_length _ _ L). exists (j + k * Z.abs f). nia. }
  unfold times. destruct (Z.ltb_spec f 0).
  - replace (z * f) with (- (z * Z.abs f)) by lia. apply neg_stands. auto.
  - rewrite Z.abs_eq in * by lia. auto.
Qed.

(** ** Signs *)
Definition fits (x : list Z) (z : Z) : Prop := - modulus x <= 2 * z < modulus x.
Definition is_negative (x : list Z) : bool := negb (Z.shiftr (last x 0) 63 =? 0).
Definition sign (x : list Z) : comparison :=
  if is_negative x then Lt else if forallb (Z.eqb 0) x then Eq else Gt.

Lemma top_bit : forall w, word w -> negb (Z.shiftr w 63 =? 0) = (B <=? 2 * w).
Proof.
  intros w H. unfold word in H. rewrite Z.shiftr_div_pow2 by lia.
  assert (D : B = 2 ^ 63 * 2) by reflexivity.
  pose proof (Z.div_mod w (2 ^ 63) ltac:(lia)). pose proof (Z.mod_pos_bound w (2 ^ 63) ltac:(lia)).
  destruct (Z.leb_spec B (2 * w)); destruct (Z.eqb_spec (w / 2 ^ 63) 0); simpl; auto; nia.
Qed.

Lemma last_cons : forall (w v : Z) x, last (w :: v :: x) 0 = last (v :: x) 0.
Proof. reflexivity. Qed.

Lemma negative_is : forall x, x <> [] -> words x -> is_negative x = (modulus x <=? 2 * value x).
Proof.
  induction x as [| w x IH]; intros N W; [congruence |]. pose proof B_pos as BP. inversion_clear W.
  destruct x as [| v x].
  - unfold is_negative. simpl last. rewrite top_bit by auto. rewrite modulus_cons, modulus_nil.
    cbn [value]. rewrite Z.mul_0_r, Z.add_0_r, Z.mul_1_r. auto.
  - unfold is_negative in *. rewrite last_cons, IH by (auto; congruence). rewrite (modulus_cons w).
    change (value (w :: v :: x)) with (w + B * value (v :: x)).
    assert (E : exists h, modulus (v :: x) = 2 * h).
    { rewrite modulus_cons. exists (2 ^ 63 * modulus x). change B with (2 * 2 ^ 63). lia. }
    destruct E as [h E]. rewrite E in *. unfold word in *. set (u := value (v :: x)) in *.
    destruct (Z.leb_spec (2 * h) (2 * u)); destruct (Z.leb_spec (B * (2 * h)) (2 * (w + B * u))); auto.
    + assert (B * h <= B * u) by (apply Z.mul_le_mono_nonneg_l; lia). lia.
    + assert (B * (u + 1) <= B * h) by (apply Z.mul_le_mono_nonneg_l; lia). lia.
Qed.

Lemma zeros : forall x, words x -> forallb (Z.eqb 0) x = (value x =? 0).
Proof.
  pose proof B_pos. intros x W. induction W as [| w x Hw Wx IH]; auto.
  cbn [forallb value]. rewrite IH.
  pose proof (value_range x Wx). unfold word in *.
  destruct (Z.eq_dec (value x) 0) as [V | V].
  - rewrite V, Z.mul_0_r, Z.add_0_r. destruct (Z.eqb_spec 0 w), (Z.eqb_spec w 0); reflexivity || (exfalso; lia).
  - assert (B * 1 <= B * value x) by (apply Z.mul_le_mono_nonneg_l; lia).
    rewrite (proj2 (Z.eqb_neq (value x) 0)),
      (proj2 (Z.eqb_neq (w + B * value x) 0)) by lia. apply Bool.andb_false_r.
Qed.

(** A number that fits is what its words say in two's complement. *)
Lemma fits_is : forall x z, stands x z -> fits x z ->
  z = if modulus x <=? 2 * value x then value x - modulus x else value x.
Proof.
  intros x z [W [k E]] F. unfold fits in F. pose proof (value_range x W). pose proof (modulus_pos x).
  destruct (Z.leb_spec (modulus x) (2 * value x)).
  - assert (k = -1) by nia. subst k. lia.
  - assert (k = 0) by nia. subst k. lia.
Qed.

Theorem sign_is : forall x z, x <> [] -> stands x z -> fits x z -> sign x = (z ?= 0).
Proof.
  intros x z N S F. pose proof (fits_is x z S F) as E. destruct S as [W [k K]].
  unfold sign. rewrite negative_is, zeros by auto. pose proof (value_range x W).
  destruct (Z.leb_spec (modulus x) (2 * value x)) as [L | L]; subst z.
  - symmetry. apply Z.compare_lt_iff. lia.
  - destruct (Z.eqb_spec (value x) 0) as [V | V]; symmetry.
    + apply Z.compare_eq_iff. lia.
    + apply Z.compare_gt_iff. lia.
Qed.

Definition abs (x : list Z) : list Z := if is_negative x then neg x else x.

Theorem abs_stands : forall x z, x <> [] -> stands x z -> fits x z -> stands (abs x) (Z.abs z).
Proof.
  intros x z N S F. pose proof (fits_is x z S F) as E. unfold abs. rewrite negative_is by (auto; apply S).
  pose proof (value_range x (proj1 S)).
  destruct (Z.leb_spec (modulus x) (2 * value x)).
  - rewrite Z.abs_neq by lia. apply neg_stands, S.
  - rewrite Z.abs_eq by lia. exact S.
Qed.

(** ** Machine integers as words *)

(** [Wide::shifted]: the words from [place] on hold the magnitude times a power of two below 2^64,
    which has 128 bits; those above it are 0. *)
Fixpoint placed (n place : nat) (low : Z) : list Z :=
  match n, place with
  | O, _ => []
  | S n, S place => 0 :: placed n place low
  | S n, O => low mod B :: placed n O (low / B)
  end.
Definition shifted (n : nat) (z : Z) (place : nat) (bits : Z) : list Z :=
  let magnitude := placed n place (Z.shiftl (Z.abs z) bits) in if z <? 0 then neg magnitude else magnitude.

Lemma placed_words : forall n low, 0 <= low < B * B -> forall i, (i < n)%nat ->
  nth i (placed n 0 low) 0 = match i with O => low mod B | 1%nat => low / B | _ => 0 end.
Proof.
  assert (Z0 : forall n i, nth i (placed n 0 0) 0 = 0).
  { induction n; intros [| i]; simpl; auto. }
  intros [| [| n]] low H [| [| i]] L; simpl; auto; try lia.
  - apply Z.mod_small. apply word_div. lia.
  - rewrite (Z.div_small (low / B)) by (apply word_div; lia). apply Z0.
Qed.

Ltac reduce ::= cbn [placed length value].

Lemma placed_value : forall n place low, length (placed n place low) = n /\ words (placed n place low) /\
  exists k, value (placed n place low) + modulus (placed n place low) * k = low * B ^ Z.of_nat place.
Proof.
  induction n as [| n IH]; intros place low.
  - replace (placed 0 place low) with (@nil Z) by (destruct place; auto). repeat split; [constructor |].
    exists (low * B ^ Z.of_nat place). rewrite modulus_nil. cbn [value]. ring.
  - destruct place as [| place]; cbn [placed].
    + destruct (IH O (low / B)) as [L [W [k E]]].
      repeat split; [simpl; lia | constructor; auto; apply word_mod |].
      exists k. rewrite modulus_cons. cbn [value]. rewrite Z.pow_0_r in *. pose proof (split low). by_words E.
    + destruct (IH place low) as [L [W [k E]]].
      repeat split; [simpl; lia | constructor; auto; unfold word; pose proof B_pos; lia |].
      exists k. rewrite modulus_cons. cbn [value]. rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. by_words E.
Qed.

Theorem shifted_stands : forall n z place bits, 0 <= bits ->
  stands (shifted n z place bits) (z * 2 ^ bits * B ^ Z.of_nat place).
Proof.
  intros n z place bits H. unfold shifted. rewrite Z.shiftl_mul_pow2 by auto.
  destruct (placed_value n place (Z.abs z * 2 ^ bits)) as [L [W K]].
  assert (S : stands (placed n place (Z.abs z * 2 ^ bits)) (Z.abs z * 2 ^ bits * B ^ Z.of_nat place)) by
    (split; auto).
  destruct (Z.ltb_spec z 0).
  - replace (z * 2 ^ bits * B ^ Z.of_nat place) with (- (Z.abs z * 2 ^ bits * B ^ Z.of_nat place))
      by (rewrite Z.abs_neq by lia; ring). apply neg_stands. auto.
  - rewrite Z.abs_eq in * by lia. auto.
Qed.

(** [Wide::product]: of 128 bits and 64, in four words; [x / B] is [x >> 64]. *)
Definition low_part (x y : Z) : Z := (x mod B) * y.
Definition high_part (x y : Z) : Z := (x / B) * y + low_part x y / B.
Definition full (x y : Z) : list Z :=
  let high := high_part x y in
  [low_part x y mod B; high mod B; high / B mod B; high / 2 ^ 127 mod B].

Theorem product_fits : forall x y, - 2 ^ 127 <= x < 2 ^ 127 -> - 2 ^ 63 <= y < 2 ^ 63 ->
  - 2 ^ 127 <= low_part x y < 2 ^ 127 /\ - 2 ^ 127 <= high_part x y < 2 ^ 127.
Proof.
  intros x y Hx Hy. unfold high_part, low_part. pose proof (word_mod x) as [W1 W2].
  assert (D : B = 2 ^ 64) by reflexivity.
  assert (Q : - 2 ^ 63 <= x / B < 2 ^ 63).
  { split; [apply Z.div_le_lower_bound | apply Z.div_lt_upper_bound]; rewrite D; lia. }
  set (m := x mod B) in *. assert (L : - 2 ^ 127 <= m * y < 2 ^ 127) by (rewrite D in W2; nia).
  assert (P : - 2 ^ 63 <= m * y / B < 2 ^ 63).
  { split; [apply Z.div_le_lower_bound | apply Z.div_lt_upper_bound]; rewrite ?D; lia. }
  split; auto. set (q := x / B) in *. set (p := m * y / B) in *. nia.
Qed.

Theorem product_stands : forall x y, - 2 ^ 127 <= x < 2 ^ 127 -> - 2 ^ 63 <= y < 2 ^ 63 ->
  stands (full x y) (x * y).
Proof.
  intros x y Hx Hy. destruct (product_fits x y Hx Hy) as [_ [H1 H2]]. split.
  - repeat constructor; apply word_mod.
  - unfold full. set (high := high_part x y) in *. pose proof B_pos as BP. assert (D : B = 2 ^ 64) by reflexivity.
    assert (E : x * y = low_part x y mod B + B * high).
    { pose proof (split (low_part x y)). pose proof (split x). unfold high, high_part, low_part in *. nia. }
    pose proof (split high) as S1. pose proof (split (high / B)) as S2.
    assert (T : high / 2 ^ 127 = high / B / B).
    { rewrite Z.div_div by lia. rewrite D. pose proof (Z.div_mod high (2 ^ 127) ltac:(lia)).
      pose proof (Z.mod_pos_bound high (2 ^ 127) ltac:(lia)).
      pose proof (Z.div_mod high (2 ^ 64 * 2 ^ 64) ltac:(lia)).
      pose proof (Z.mod_pos_bound high (2 ^ 64 * 2 ^ 64) ltac:(lia)). nia. }
    rewrite T. pose proof (split (high / B / B)) as S3.
    exists (high / B / B / B). unfold modulus. simpl length. change (Z.of_nat 4) with 4.
    change (B ^ 4) with (B * (B * (B * (B * 1)))). simpl value. nia.
Qed.

(** ** [Wide::compare_products]: products of twice as many words, and the first words that differ *)
Fixpoint long_row (a : Z) (y p : list Z) (carry : Z) : list Z :=
  match y, p with
  | b :: y, q :: p => (a * b + q + carry) mod B :: long_row a y p ((a * b + q + carry) / B)
  | _, _ => [carry]
  end.
Fixpoint long_product (x y p : list Z) : list Z :=
  match x with
  | [] => p
  | a :: x => match long_row a y p 0 with [] => [] | w :: p => w :: long_product x y p end
  end.
Fixpoint compare (x y : list Z) : comparison :=
  match x, y with
  | a :: x, b :: y => match compare x y with Eq => a ?= b | order => order end
  | _, _ => Eq
  end.

Ltac reduce ::= cbn [long_row length value].

Lemma long_row_value : forall a y p c, word a -> words y -> words p -> word c -> length p = length y ->
  length (long_row a y p c) = S (length p) /\ words (long_row a y p c) /\
  value (long_row a y p c) = a * value y + value p + c.
Proof.
  intros a y. induction y as [| b y IH]; intros [| q p] c Ha Wy Wp Hc L; try discriminate; reduce.
  - repeat split; [repeat constructor; auto; apply Hc | ring].
  - inversion_clear Wy. inversion_clear Wp.
    destruct (row_fits a b q c) as [_ C]; auto. simpl in L.
    destruct (IH p ((a * b + q + c) / B)) as [L' [W E]]; auto.
    repeat split; [lia | constructor; auto; apply word_mod |]. pose proof (split (a * b + q + c)). by_words E.
Qed.

Lemma long_product_value : forall x y p, words x -> words y -> words p -> length p = length y ->
  length (long_product x y p) = (length x + length p)%nat /\ words (long_product x y p) /\
  value (long_product x y p) = value x * value y + value p.
Proof.
  induction x as [| a x IH]; intros y p Wx Wy Wp L.
  - repeat split; auto.
  - inversion_clear Wx. simpl long_product.
    destruct (long_row_value a y p 0) as [L' [W E]]; auto; [unfold word; pose proof B_pos; lia |].
    destruct (long_row a y p 0) as [| w r]; [discriminate |]. inversion_clear W. simpl in L'.
    destruct (IH y r) as [L2 [W2 E2]]; auto; [lia |].
    repeat split; [simpl; lia | constructor; auto |]. simpl value in *. rewrite E2. nia.
Qed.

Lemma compare_is : forall x y, words x -> words y -> length x = length y -> compare x y = (value x ?= value y).
Proof.
  pose proof B_pos. induction x as [| a x IH]; intros [| b y] Wx Wy L; try discriminate; auto.
  inversion_clear Wx. inversion_clear Wy. simpl in L. simpl. rewrite IH by (auto; lia). unfold word in *.
  destruct (Z.compare_spec (value x) (value y)) as [E | E | E].
  - rewrite E. destruct (Z.compare_spec a b); symmetry;
      [apply Z.compare_eq_iff | apply Z.compare_lt_iff | apply Z.compare_gt_iff]; lia.
  - symmetry. apply Z.compare_lt_iff. nia.
  - symmetry. apply Z.compare_gt_iff. nia.
Qed.

Theorem compare_products_is : forall x y v w, words x -> words y -> words v -> words w ->
  length x = length y -> length v = length y -> length w = length y ->
  compare (long_product x y (zero (length y))) (long_product v w (zero (length w)))
    = (value x * value y ?= value v * value w).
Proof.
  intros x y v w Wx Wy Wv Ww Lx Lv Lw.
  destruct (long_product_value x y (zero (length y))) as [L1 [W1 E1]]; auto;
    [apply zero_stands | apply repeat_length |].
  destruct (long_product_value v w (zero (length w))) as [L2 [W2 E2]]; auto;
    [apply zero_stands | apply repeat_length |].
  rewrite compare_is, E1, E2, !zero_value, !Z.add_0_r; auto. rewrite L1,
    L2. unfold zero. rewrite !repeat_length. lia.
Qed.
