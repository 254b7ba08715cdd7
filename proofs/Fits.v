(** * What expressions need: their sums of caps and of magnitudes, their lengths and their values.

    [Counts.v] counts monomials and degrees. Here are the other things that a record asks for: the sums
    of the caps, such as 19.2 of 19 monomials, which are above their numbers by the norms of quaternions
    and KAPPA; the sums of magnitudes; the largest length; and the value. They are found from the
    outside in: those of a sum from those of its terms, those of a product from those of its factors. *)

Require Import Rbase Rfunctions List Lra Lia.
Import ListNotations.
From Obbligato Require Import Boxes Formulas Rounding Flushing Lengths Propagation Shader Counts.
Open Scope R_scope.

(** ** Sums over the monomials of sums and products *)
Lemma over_minus : forall f e, (forall m, f (Monomial (- value m) (degree m) (cap m) (len m)) = f m) ->
  (forall m m', f (times m m') = f m * f m') -> (forall m, f (twice m) = 2 * f m) ->
  over f (monomials (minus e)) = over f (monomials e).
Proof.
  intros f e H M2 T2. induction e; simpl.
  - unfold over. simpl. pose proof (H (Monomial x 1 (Rmax 1 (Rabs x)) 1)) as P. simpl in P. rewrite Rabs_Ropp, P. reflexivity.
  - unfold over. simpl. pose proof (H (Monomial x 1 1 (Rabs x))) as P. simpl in P. rewrite Rabs_Ropp, P. reflexivity.
  - rewrite !over_app, IHe1, IHe2. reflexivity.
  - assert (P : forall l l', over f (product l l') = over f l * over f l').
    { intros l l'. rewrite (over_product f f f (fun _ => 0) (fun _ => 0)) by (intros; rewrite M2; clear; lra).
      replace (over (fun _ => 0) l) with 0; [clear; lra |]. unfold over. clear. induction l; simpl; [reflexivity | lra]. }
    rewrite !P, IHe1. reflexivity.
  - rewrite !over_twice by auto. rewrite IHe. reflexivity.
Qed.

Lemma caps_minus : forall e, caps (monomials (minus e)) = caps (monomials e).
Proof. intro e. apply over_minus; intros; reflexivity. Qed.

Lemma magnitudes_minus : forall e, magnitudes (minus e) = magnitudes e.
Proof.
  intro e. apply over_minus; intros; simpl; [apply Rabs_Ropp | apply Rabs_mult |].
  rewrite Rabs_mult, (Rabs_pos_eq 2) by lra. reflexivity.
Qed.

Lemma zeros : forall l, over (fun _ => 0) l = 0.
Proof. unfold over. induction l; simpl; [reflexivity | lra]. Qed.

Lemma magnitudes_product : forall e e', magnitudes (Mul e e') = magnitudes e * magnitudes e'.
Proof.
  intros. unfold magnitudes. simpl. rewrite (over_product _ (fun m => Rabs (value m)) (fun m => Rabs (value m)) (fun _ => 0) (fun _ => 0)).
  - rewrite zeros. clear; lra.
  - intros. simpl. rewrite Rabs_mult. clear; lra.
Qed.
Lemma values_product : forall e e', values (Mul e e') = values e * values e'.
Proof.
  intros. unfold values. simpl. rewrite (over_product _ value value (fun _ => 0) (fun _ => 0)).
  - rewrite zeros. clear; lra.
  - intros. simpl. clear; lra.
Qed.
Lemma values_minus : forall e, values (minus e) = - values e.
Proof.
  induction e.
  - unfold values, over. simpl. clear; lra.
  - unfold values, over. simpl. clear; lra.
  - unfold values in *. simpl. rewrite !over_app, IHe1, IHe2. clear; lra.
  - simpl minus. rewrite !values_product, IHe1. clear; lra.
  - unfold values in *. simpl. rewrite !over_twice by (intros; simpl; clear; lra). rewrite IHe. clear; lra.
Qed.
Lemma magnitudes_pos : forall e, 0 <= magnitudes e.
Proof.
  intro e. unfold magnitudes, over. induction (monomials e); simpl; [lra |]. pose proof (Rabs_pos (value a)). lra.
Qed.

(** ** What an expression needs *)
Record numeral (c S x : R) (e : expr) : Prop := {
  num_is : is_number e; num_caps : caps (monomials e) <= c; num_size : magnitudes e <= S; num_value : values e = x }.
Record lengthy (Q S L x : R) (e : expr) : Prop := {
  len_is : is_length e; len_caps : caps (monomials e) <= Q; len_size : magnitudes e <= S;
  len_most : Forall (fun m => len m <= L) (monomials e); len_value : values e = x }.

Lemma numbers_minus : forall e, is_number e -> is_number (minus e).
Proof. induction e; simpl; tauto. Qed.
Lemma lengths_minus : forall e, is_length e -> is_length (minus e).
Proof.
  induction e; simpl; try tauto. intros [[H H'] | [H H']]; [left | right]; split; auto. apply numbers_minus. auto.
Qed.
Lemma lens_minus : forall L e, Forall (fun m => len m <= L) (monomials e) -> Forall (fun m => len m <= L) (monomials (minus e)).
Proof.
  intros L e. assert (P : map len (monomials (minus e)) = map len (monomials e)).
  { induction e; simpl; rewrite ?Rabs_Ropp; auto.
    - rewrite !map_app, IHe1, IHe2. reflexivity.
    - unfold product. revert IHe1. generalize (monomials (minus e1)) as l, (monomials e1) as l', (monomials e2) as k.
      induction l as [| m l IH]; intros [| m' l'] k E; simpl in *; try discriminate; auto.
      injection E as E1 E2. rewrite !map_app, (IH l' k E2). f_equal. rewrite !map_map. simpl. rewrite E1. reflexivity.
    - rewrite !map_map. simpl. exact IHe. }
  intro H. apply (Forall_map len (fun x => x <= L)). rewrite P. apply Forall_map. exact H.
Qed.

Lemma num_num : forall c x, 1 <= c -> Rabs x <= c -> numeral c (Rabs x) x (Num x).
Proof.
  intros. split; simpl; auto.
  - unfold caps, over. simpl. rewrite Rplus_0_r. apply Rmax_lub; auto.
  - unfold magnitudes, over. simpl. lra.
  - unfold values, over. simpl. clear; lra.
Qed.
Lemma num_add : forall c S x e c' S' x' e', numeral c S x e -> numeral c' S' x' e' -> numeral (c + c') (S + S') (x + x') (Add e e').
Proof.
  intros c S x e c' S' x' e' [H C M V] [H' C' M' V']. split; simpl; auto.
  - unfold caps in *. rewrite over_app. lra.
  - unfold magnitudes in *. simpl. rewrite over_app. lra.
  - unfold values in *. simpl. rewrite over_app. lra.
Qed.
Lemma num_mul : forall c S x e c' S' x' e', numeral c S x e -> numeral c' S' x' e' -> numeral (c * c') (S * S') (x * x') (Mul e e').
Proof.
  intros c S x e c' S' x' e' [H C M V] [H' C' M' V']. pose proof (caps_some e). pose proof (caps_some e').
  split; simpl; auto.
  - rewrite caps_product. apply Rmult_le_compat; lra.
  - rewrite magnitudes_product. apply Rmult_le_compat; auto; apply magnitudes_pos.
  - rewrite values_product, V, V'. reflexivity.
Qed.
Lemma num_minus : forall c S x e, numeral c S x e -> numeral c S (- x) (minus e).
Proof.
  intros c S x e [H C M V]. split; [apply numbers_minus; auto | rewrite caps_minus; auto | rewrite magnitudes_minus; auto |].
  rewrite values_minus, V. reflexivity.
Qed.
Lemma len_len : forall L x, Rabs x <= L -> lengthy 1 (Rabs x) L x (Len x).
Proof.
  intros. split; simpl; auto.
  - unfold caps, over. simpl. lra.
  - unfold magnitudes, over. simpl. lra.
  - unfold values, over. simpl. clear; lra.
Qed.
Lemma len_add : forall Q S L x e Q' S' x' e', lengthy Q S L x e -> lengthy Q' S' L x' e' -> lengthy (Q + Q') (S + S') L (x + x') (Add e e').
Proof.
  intros Q S L x e Q' S' x' e' [H C M K V] [H' C' M' K' V']. split; simpl; auto.
  - unfold caps in *. rewrite over_app. lra.
  - unfold magnitudes in *. simpl. rewrite over_app. lra.
  - apply Forall_app. auto.
  - unfold values in *. simpl. rewrite over_app. lra.
Qed.
Lemma len_minus : forall Q S L x e, lengthy Q S L x e -> lengthy Q S L (- x) (minus e).
Proof.
  intros Q S L x e [H C M K V]. split; [apply lengths_minus; auto | rewrite caps_minus; auto | rewrite magnitudes_minus; auto
    | apply lens_minus; auto |]. rewrite values_minus, V. reflexivity.
Qed.
Lemma len_times : forall Q S L x e c S' x' e', lengthy Q S L x e -> numeral c S' x' e' -> lengthy (Q * c) (S * S') L (x * x') (Mul e e').
Proof.
  intros Q S L x e c S' x' e' [H C M K V] [H' C' M' V']. pose proof (caps_some e). pose proof (caps_some e').
  split; simpl; auto.
  - rewrite caps_product. apply Rmult_le_compat; lra.
  - rewrite magnitudes_product. apply Rmult_le_compat; auto; apply magnitudes_pos.
  - apply (forall_product (fun m => len m <= L) (fun m => len m = 1)); auto using no_length.
    intros m m' A1 A2. simpl. rewrite A2. lra.
  - rewrite values_product, V, V'. reflexivity.
Qed.
Lemma times_len : forall Q S L x e c S' x' e', numeral c S' x' e' -> lengthy Q S L x e -> lengthy (c * Q) (S' * S) L (x' * x) (Mul e' e).
Proof.
  intros Q S L x e c S' x' e' [H' C' M' V'] [H C M K V]. pose proof (caps_some e). pose proof (caps_some e').
  split; simpl; auto.
  - rewrite caps_product. apply Rmult_le_compat; lra.
  - rewrite magnitudes_product. apply Rmult_le_compat; auto; apply magnitudes_pos.
  - apply (forall_product (fun m => len m = 1) (fun m => len m <= L)); auto using no_length.
    intros m m' A1 A2. simpl. rewrite A1. lra.
  - rewrite values_product, V, V'. reflexivity.
Qed.
Lemma len_twice : forall Q S L x e, lengthy Q S L x e -> lengthy (2 * Q) (2 * S) L (2 * x) (Twice e).
Proof.
  intros Q S L x e [H C M K V]. split; simpl; auto.
  - unfold caps in *. rewrite over_twice by auto. lra.
  - unfold magnitudes in *. simpl. rewrite over_twice; [lra |]. intro. simpl. rewrite Rabs_mult, (Rabs_pos_eq 2) by lra. reflexivity.
  - apply Forall_map. exact K.
  - unfold values in *. simpl. rewrite over_twice by auto. lra.
Qed.

Lemma lengthy_run : forall u phi e N D Q Q' S S' L x x' v, lengthy Q S L x e -> within e N D = true -> Q <= Q' -> S <= S' ->
  x = x' -> evaluates u phi e v -> computed_length u phi N D Q' L S' x' v.
Proof.
  intros u phi e N D Q Q' S S' L x x' v [K C M F V] W HQ HS <- E. exists e. apply within_counts in W. unfold rewriting.
  repeat split; try tauto; lra.
Qed.
Lemma numeral_run : forall u phi e N D c S S' x x' v, numeral c S x e -> within e N D = true -> c <= 100 -> S <= S' ->
  x = x' -> evaluates u phi e v -> computed u phi N D S' x' v.
Proof.
  intros u phi e N D c S S' x x' v [K C M V] W HQ HS <- E. exists e. apply within_counts in W. unfold rewriting.
  repeat split; try tauto; lra.
Qed.

(** With larger numbers. *)
Lemma lengthy_more : forall L Q Q' S S' x x' e, lengthy Q S L x e -> Q <= Q' -> S <= S' -> x = x' -> lengthy Q' S' L x' e.
Proof. intros L Q Q' S S' x x' e [K C M F V] HQ HS <-. split; auto; lra. Qed.
Lemma numeral_more : forall c c' S S' x x' e, numeral c S x e -> c <= c' -> S <= S' -> x = x' -> numeral c' S' x' e.
Proof. intros k k' S S' x x' e [K C M V] HQ HS <-. split; auto; lra. Qed.
Lemma num_twice : forall c S x e, numeral c S x e -> numeral (2 * c) (2 * S) (2 * x) (Twice e).
Proof.
  intros c S x e [H C M V]. split; simpl; auto.
  - unfold caps in *. rewrite over_twice by auto. lra.
  - unfold magnitudes in *. simpl. rewrite over_twice; [lra |]. intro. simpl. rewrite Rabs_mult, (Rabs_pos_eq 2) by lra. reflexivity.
  - unfold values in *. simpl. rewrite over_twice by auto. lra.
Qed.

(** Lengths and constants. *)
Lemma w_fits : forall L w, 0 <= w <= L -> lengthy 1 w L w (Len w).
Proof. intros L w H. pose proof (len_len L w) as P. rewrite Rabs_pos_eq in P by lra. apply P; lra. Qed.
Lemma k_fits : forall k, 0 <= k <= 1 -> numeral 1 k k (Num k).
Proof. intros k H. pose proof (num_num 1 k) as P. rewrite Rabs_pos_eq in P by lra. apply P; lra. Qed.

(** Half extents are hardly larger than the extents that they are in, and no part of a sum is larger than the sum. *)
Lemma half_below : forall n' h, 0.99 <= n' -> 0 <= h -> 0 <= n' * h /\ h <= 1.02 * (n' * h).
Proof. intros n' h N H. assert (0.99 * h <= n' * h) by (apply Rmult_le_compat_r; lra). lra. Qed.
Lemma part_of_sum : forall f : vec, (forall i, 0 <= f i) -> forall i, 0 <= f i <= sum f.
Proof. intros f H i. pose proof (H X). pose proof (H Y). pose proof (H Z). unfold sum. destruct i; lra. Qed.

(** ** Quaternions whose parts are at most c *)
Lemma parts_by_norm : forall q N c, 0 <= c -> norm2 q <= N -> N <= c * c -> forall p, part p -> Rabs (p q) <= c.
Proof.
  intros [x y z w] N c Hc Hq HN p Hp. unfold norm2 in Hq. simpl in Hq.
  pose proof (Rle_0_sqr x). pose proof (Rle_0_sqr y). pose proof (Rle_0_sqr z). pose proof (Rle_0_sqr w). unfold Rsqr in *.
  destruct Hp as [-> | [-> | [-> | ->]]]; simpl; apply abs_by_square; lra.
Qed.
Lemma rotation_parts : forall c, valid c -> forall p, part p -> Rabs (p (rotation c)) <= 1.00105.
Proof. intros c [_ N]. apply (parts_by_norm _ 1.0021); lra. Qed.

Section Quaternions.
  Variables (c : R) (q q' : quat).
  Hypothesis Hc : 1 <= c.
  Hypothesis Hq : forall p, part p -> Rabs (p q) <= c.
  Hypothesis Hq' : forall p, part p -> Rabs (p q') <= c.
  Let Px : part qx := or_introl eq_refl.
  Let Py : part qy := or_intror (or_introl eq_refl).
  Let Pz : part qz := or_intror (or_intror (or_introl eq_refl)).
  Let Pw : part qw := or_intror (or_intror (or_intror eq_refl)).

  Lemma part_fits : forall p, part p -> numeral c (Rabs (p q)) (p q) (Num (p q)).
  Proof. intros p Hp. apply num_num; auto. Qed.

  Lemma norm2_fits : numeral (4 * (c * c)) (norm2 q) (norm2 q) (Norm2 q).
  Proof.
    eapply numeral_more; [unfold Norm2, Square; apply num_add; [apply num_add; [apply num_add |] |]; apply num_mul; apply part_fits; auto | lra | |];
      rewrite ?square_abs; unfold norm2; clear; lra.
  Qed.

  Lemma matrix_fits : forall i j, numeral (4 * (c * c)) (W q i j) (M q i j) (Matrix Doubled q i j).
  Proof.
    assert (P : forall p p', part p -> part p' -> numeral (c * c) (Rabs (p q) * Rabs (p' q)) (p q * p' q) (Mul (Num (p q)) (Num (p' q))))
      by (intros; apply num_mul; apply part_fits; auto).
    assert (N : forall p p', part p -> part p' -> numeral (c * c) (Rabs (p q) * Rabs (p' q)) (- (p q) * p' q) (Mul (Num (- (p q))) (Num (p' q)))).
    { intros p p' A B. rewrite <- (Rabs_Ropp (p q)). apply num_mul; [apply num_num; [auto | rewrite Rabs_Ropp; auto] | apply part_fits; auto]. }
    assert (P11 := P qx qx Px Px). assert (P12 := P qx qy Px Py). assert (P13 := P qx qz Px Pz). assert (P22 := P qy qy Py Py).
    assert (P23 := P qy qz Py Pz). assert (P33 := P qz qz Pz Pz). assert (P44 := P qw qw Pw Pw). assert (P43 := P qw qz Pw Pz).
    assert (P42 := P qw qy Pw Py). assert (P41 := P qw qx Pw Px). assert (N43 := N qw qz Pw Pz). assert (N42 := N qw qy Pw Py).
    assert (N41 := N qw qx Pw Px). clear P N Hq'. clear Px Py Pz Pw. destruct q as [x y z w]. simpl in *. rewrite ?square_abs in P11, P22, P33, P44.
    intros [] []; unfold Matrix, Doubled, Sub, Square; simpl W; simpl M;
      (eapply numeral_more; [repeat first [eassumption | apply num_add | apply num_minus] | | |]; clear; lra).
  Qed.

  Lemma times_fits : forall p p', part p -> part p' ->
    numeral (c * c) (Rabs (p q) * Rabs (p' q')) (p q * p' q') (Mul (Num (p q)) (Num (p' q'))) /\
    numeral (c * c) (Rabs (p q) * Rabs (p' q')) (p q * p' q') (Mul (Num (p' q')) (Num (p q))).
  Proof.
    intros p p' H H'. assert (A : numeral c (Rabs (p q)) (p q) (Num (p q))) by (apply num_num; auto).
    assert (B : numeral c (Rabs (p' q')) (p' q') (Num (p' q'))) by (apply num_num; auto).
    split; [apply num_mul; assumption | eapply numeral_more; [apply num_mul; [exact B | exact A] | | |]; clear; lra].
  Qed.

  (** conj(q) q' *)
  Lemma relative_fits : let m := relative_magnitude q q' in let r := relative q q' in
    numeral (4 * (c * c)) (qx m) (qx r) (RelativeX q q') /\ numeral (4 * (c * c)) (qy m) (qy r) (RelativeY q q') /\
    numeral (4 * (c * c)) (qz m) (qz r) (RelativeZ q q') /\ numeral (4 * (c * c)) (qw m) (qw r) (RelativeW q q').
  Proof.
    cbv zeta. pose proof times_fits as P.
    assert (V : forall x y z, part x -> part y -> part z ->
      numeral (4 * (c * c)) (Rabs (qw q) * Rabs (x q') + Rabs (qw q') * Rabs (x q) + (Rabs (y q) * Rabs (z q') + Rabs (z q) * Rabs (y q')))
        (qw q * x q' - qw q' * x q - (y q * z q' - z q * y q')) (RelativeV x y z q q')).
    { intros x y z Hx Hy Hz. unfold RelativeV, Sub.
      eapply numeral_more; [apply num_add; [apply num_add; [exact (proj1 (P qw x Pw Hx)) | apply num_minus; exact (proj2 (P x qw Hx Pw))] |
        apply num_minus, num_add; [exact (proj1 (P y z Hy Hz)) | apply num_minus; exact (proj1 (P z y Hz Hy))]] | | |]; clear; lra. }
    split; [| split; [| split]].
    - eapply numeral_more; [exact (V qx qy qz Px Py Pz) | | |]; destruct q, q'; simpl; clear; lra.
    - eapply numeral_more; [exact (V qy qz qx Py Pz Px) | | |]; destruct q, q'; simpl; clear; lra.
    - eapply numeral_more; [exact (V qz qx qy Pz Px Py) | | |]; destruct q, q'; simpl; clear; lra.
    - eapply numeral_more; [unfold RelativeW; apply num_add; [apply num_add; [apply num_add |] |];
        [exact (proj1 (P qx qx Px Px)) | exact (proj1 (P qy qy Py Py)) | exact (proj1 (P qz qz Pz Pz)) | exact (proj1 (P qw qw Pw Pw))] | | |];
        destruct q, q'; simpl; clear; lra.
  Qed.
End Quaternions.
