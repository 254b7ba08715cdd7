(** * The formulas as the shader writes them are a run.

    So the records of [Shader.v] and [Filter.v] ask for no less than the formulas need: their numbers
    of monomials, degrees, magnitudes and caps are those of the expressions in [Counts.v], or more. *)

Require Import Rbase Rfunctions List Lra Lia.
Import ListNotations.
From Obbligato Require Import Boxes Formulas Rounding Flushing Lengths Constants Propagation Axes Shader Filter Counts.
Open Scope R_scope.

(** An expression whose numbers are at most c. *)
Fixpoint numbers_below (c : R) (e : expr) : Prop :=
  match e with
  | Num x => Rabs x <= c
  | Len _ => True
  | Add e e' | Mul e e' => numbers_below c e /\ numbers_below c e'
  | Twice _ => False
  end.

Lemma caps_below : forall c e N D, 1 <= c -> numbers_below c e -> within e N D = true ->
  caps (monomials e) <= INR N * c ^ D.
Proof.
  intros c e N D Hc H W. apply within_counts in W. destruct W as [HN HD].
  assert (P : Forall (fun m => cap m <= c ^ degree m) (monomials e)).
  { clear HN HD. induction e; simpl in *; try tauto.
    - constructor; [| constructor]. simpl. rewrite Rmult_1_r. apply Rmax_lub; auto.
    - constructor; [| constructor]. simpl. lra.
    - apply Forall_app. tauto.
    - destruct H as [H1 H2]. pose proof (all_proper e1) as P1. pose proof (all_proper e2) as P2.
      assert (B : forall e, Forall proper (monomials e) -> Forall (fun m => cap m <= c ^ degree m) (monomials e) ->
        Forall (fun m => 0 <= cap m <= c ^ degree m) (monomials e)).
      { intros e Pe Fe. rewrite Forall_forall in *. intros m Hm. destruct (Pe m Hm) as [_ [_ [C _]]]. split; [lra | auto]. }
      apply (forall_product (fun m => 0 <= cap m <= c ^ degree m) (fun m => 0 <= cap m <= c ^ degree m)); auto.
      intros m m' [A1 A2] [A3 A4]. simpl. rewrite pow_add. apply Rmult_le_compat; auto. }
  assert (Q : caps (monomials e) <= INR (length (monomials e)) * c ^ D).
  { clear HN. unfold caps, over. induction (monomials e) as [| m l IH]; [simpl; lra |].
    inversion_clear P. inversion_clear HD. specialize (IH H3 H1). change (length (m :: l)) with (S (length l)).
    rewrite S_INR. simpl total. assert (c ^ degree m <= c ^ D) by (apply Rle_pow; auto). lra. }
  assert (0 <= c ^ D) by (apply pow_le; lra). apply le_INR in HN.
  assert (INR (length (monomials e)) * c ^ D <= INR N * c ^ D) by (apply Rmult_le_compat_r; auto). lra.
Qed.

Section Written.
  Variables u phi : R.

  (** What is written, as the record has it. *)
  Lemma written_number : forall c e N D S x v, 1 <= c -> INR N * c ^ D <= 100 -> numbers_below c e -> is_number e ->
    within e N D = true -> values e = x -> magnitudes e <= S -> evaluates u phi e v -> computed u phi N D S x v.
  Proof.
    intros c e N D S x v Hc HQ B K W V M E. exists e. pose proof (caps_below c e N D Hc B W). apply within_counts in W.
    unfold rewriting. repeat split; try tauto. lra.
  Qed.
  Lemma written_length : forall c e N D Q L S x v, 1 <= c -> INR N * c ^ D <= Q -> numbers_below c e -> is_length e ->
    within e N D = true -> values e = x -> magnitudes e <= S -> Forall (fun m => len m <= L) (monomials e) ->
    evaluates u phi e v -> computed_length u phi N D Q L S x v.
  Proof.
    intros c e N D Q L S x v Hc HQ B K W V M F E. exists e. pose proof (caps_below c e N D Hc B W). apply within_counts in W.
    unfold rewriting. repeat split; try tauto. lra.
  Qed.

  Variables (a b : box) (d' t' : vec) (n' : R) (r' : quat) (c' : axis -> axis -> R).
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.

  Lemma parts_below : forall q, 0.9979 <= norm2 q <= 1.0021 -> forall p, part p -> Rabs (p q) <= 1.00105.
  Proof.
    intros [x y z w] N p Hp. unfold norm2 in N. simpl in N.
    destruct Hp as [-> | [-> | [-> | ->]]]; simpl; apply abs_by_square; nra.
  Qed.

  Ltac magnitude := unfold magnitudes, over; simpl; rewrite ?Rabs_mult, ?Rabs_Ropp, ?square_abs, ?Rabs_Rabsolu.

  Theorem written_t : forall i, evaluates u phi (Turned (Matrix Doubled (rotation a)) d' i) (t' i) ->
    computed_length u phi 12 3 12.1 (sum (fun k => Rabs (d' k))) (sum (fun k => W (rotation a) k i * Rabs (d' k)))
      (sum (fun k => M (rotation a) k i * d' k)) (t' i).
  Proof.
    intros i E. pose proof (parts_below _ (proj2 Ha)) as B.
    pose proof (B qx (or_introl eq_refl)) as BX. pose proof (B qy (or_intror (or_introl eq_refl))) as BY.
    pose proof (B qz (or_intror (or_intror (or_introl eq_refl)))) as BZ.
    pose proof (B qw (or_intror (or_intror (or_intror eq_refl)))) as BW. clear B.
    pose proof (Rabs_pos (d' X)). pose proof (Rabs_pos (d' Y)). pose proof (Rabs_pos (d' Z)).
    apply (written_length 1.00105) with (e := Turned (Matrix Doubled (rotation a)) d' i); auto.
    - lra.
    - simpl. lra.
    - generalize dependent 1.00105. intros c BX BY BZ BW. destruct (rotation a), i; simpl in *; rewrite ?Rabs_Ropp; repeat split; auto.
    - destruct (rotation a), i; simpl; tauto.
    - apply (turned_terms (rotation a) (rotation a) (rotation a)).
    - apply (turned_value (rotation a) (rotation a) (rotation a)); auto.
    - right. destruct (rotation a) as [x y z w], i; magnitude; unfold sum; simpl;
        rewrite <- ?(square_abs x), <- ?(square_abs y), <- ?(square_abs z), <- ?(square_abs w); clear; lra.
    - unfold sum. destruct (rotation a), i; simpl; repeat (apply Forall_cons; [simpl; rewrite ?Rmult_1_l; lra |]); apply Forall_nil.
  Qed.

  Theorem written_n : forall v, evaluates u phi (Norm2 (rotation a)) v -> computed u phi 4 2 (n a) (n a) v.
  Proof.
    intros v E. pose proof (parts_below _ (proj2 Ha)) as B.
    pose proof (B qx (or_introl eq_refl)) as BX. pose proof (B qy (or_intror (or_introl eq_refl))) as BY.
    pose proof (B qz (or_intror (or_intror (or_introl eq_refl)))) as BZ.
    pose proof (B qw (or_intror (or_intror (or_intror eq_refl)))) as BW. clear B.
    apply (written_number 1.00105) with (e := Norm2 (rotation a)); auto.
    - lra.
    - simpl. lra.
    - generalize dependent 1.00105. intros c BX BY BZ BW. destruct (rotation a). simpl in *. tauto.
    - destruct (rotation a). simpl. tauto.
    - apply (norm2_value (rotation a) (rotation a) (rotation a)).
    - right. unfold n. destruct (rotation a) as [x y z w]. magnitude. unfold norm2. simpl. clear; lra.
  Qed.

  Lemma written_relative : forall p e, part p -> is_number e -> within e 4 2 = true ->
    (forall c, (forall q p, q = rotation a \/ q = rotation b -> part p -> Rabs (p q) <= c) -> numbers_below c e) ->
    values e = p (relative (rotation a) (rotation b)) ->
    magnitudes e = p (relative_magnitude (rotation a) (rotation b)) -> evaluates u phi e (p r') ->
    computed u phi 4 2 (p (relative_magnitude (rotation a) (rotation b))) (p (Formulas.r a b)) (p r').
  Proof.
    intros p e Hp K W B V Mg E. apply (written_number 1.00105) with (e := e); auto.
    - lra.
    - simpl. lra.
    - apply B. intros q p' [-> | ->] P'; [apply (parts_below _ (proj2 Ha)) | apply (parts_below _ (proj2 Hb))]; auto.
    - lra.
  Qed.

  (** r, all four parts. *)
  Theorem written_r :
    evaluates u phi (RelativeX (rotation a) (rotation b)) (qx r') -> evaluates u phi (RelativeY (rotation a) (rotation b)) (qy r') ->
    evaluates u phi (RelativeZ (rotation a) (rotation b)) (qz r') -> evaluates u phi (RelativeW (rotation a) (rotation b)) (qw r') ->
    forall p, part p ->
      computed u phi 4 2 (p (relative_magnitude (rotation a) (rotation b))) (p (Formulas.r a b)) (p r').
  Proof.
    intros EX EY EZ EW p Hp.
    destruct (relative_value (rotation a) (rotation b) (rotation a)) as [VX [VY [VZ VW]]].
    assert (Px : part qx) by (left; reflexivity). assert (Py : part qy) by (right; left; reflexivity).
    assert (Pz : part qz) by (right; right; left; reflexivity). assert (Pw : part qw) by (right; right; right; reflexivity).
    destruct Hp as [-> | [-> | [-> | ->]]].
    - apply (written_relative qx (RelativeX (rotation a) (rotation b))); auto; try reflexivity.
      + simpl. tauto.
      + intros c B. simpl. rewrite ?Rabs_Ropp. repeat split; apply B; auto.
      + destruct (rotation a), (rotation b). magnitude. clear; lra.
    - apply (written_relative qy (RelativeY (rotation a) (rotation b))); auto; try reflexivity.
      + simpl. tauto.
      + intros c B. simpl. rewrite ?Rabs_Ropp. repeat split; apply B; auto.
      + destruct (rotation a), (rotation b). magnitude. clear; lra.
    - apply (written_relative qz (RelativeZ (rotation a) (rotation b))); auto; try reflexivity.
      + simpl. tauto.
      + intros c B. simpl. rewrite ?Rabs_Ropp. repeat split; apply B; auto.
      + destruct (rotation a), (rotation b). magnitude. clear; lra.
    - apply (written_relative qw (RelativeW (rotation a) (rotation b))); auto; try reflexivity.
      + simpl. tauto.
      + intros c B. simpl. rewrite ?Rabs_Ropp. repeat split; apply B; auto.
      + destruct (rotation a), (rotation b). magnitude. clear; lra.
  Qed.

  Theorem written_c : norm2 r' <= 4 -> forall i j v, evaluates u phi (Matrix Doubled r' i j) v ->
    computed u phi 4 2 (norm2 r') (M r' i j) v.
  Proof.
    intros N i j v E.
    assert (B : forall p, part p -> Rabs (p r') <= 2).
    { unfold norm2 in N. destruct r' as [x y z w]. simpl in N. intros p Hp.
      destruct Hp as [-> | [-> | [-> | ->]]]; simpl; apply abs_by_square; nra. }
    pose proof (B qx (or_introl eq_refl)) as BX. pose proof (B qy (or_intror (or_introl eq_refl))) as BY.
    pose proof (B qz (or_intror (or_intror (or_introl eq_refl)))) as BZ.
    pose proof (B qw (or_intror (or_intror (or_intror eq_refl)))) as BW. clear B.
    apply (written_number 2) with (e := Matrix Doubled r' i j); auto.
    - lra.
    - simpl. lra.
    - generalize dependent 2. intros c BX BY BZ BW. destruct r', i, j; simpl in *; rewrite ?Rabs_Ropp; repeat split; auto.
    - destruct r', i, j; simpl; tauto.
    - apply (matrix_terms r' r' r').
    - apply (matrix_value r' r' r').
    - apply Rle_trans with (W r' i j); [right | apply W_bounds].
      destruct r' as [x y z w], i, j; magnitude; clear; lra.
  Qed.

  (** What is written is a run. *)
  Theorem written_run : (forall k, subtracted u phi (center b k) (center a k) (d' k)) ->
    (forall i, evaluates u phi (Turned (Matrix Doubled (rotation a)) d' i) (t' i)) ->
    evaluates u phi (Norm2 (rotation a)) n' ->
    evaluates u phi (RelativeX (rotation a) (rotation b)) (qx r') -> evaluates u phi (RelativeY (rotation a) (rotation b)) (qy r') ->
    evaluates u phi (RelativeZ (rotation a) (rotation b)) (qz r') -> evaluates u phi (RelativeW (rotation a) (rotation b)) (qw r') ->
    norm2 r' <= 4 ->
    (forall i j, exists v, evaluates u phi (Matrix Doubled r' i j) v /\ c' i j = Rabs v) ->
    run u phi a b d' t' n' r' c'.
  Proof.
    intros D T0 N0 EX EY EZ EW N C0. split; auto.
    - intro i. apply written_t; auto.
    - apply written_n; auto.
    - apply written_r; auto.
    - intros i j. destruct (C0 i j) as [v [E Hv]]. exists v. split; auto. apply written_c; auto.
  Qed.

  (** The distance along a face of B, and along the product of two edges. *)
  Theorem written_distances : norm2 r' <= 1.0045 ->
    (forall j v, evaluates u phi (DistanceB (Matrix Doubled r') t' j) v ->
      distance_run u phi t' r' (FaceB j) (Rabs v)) /\
    (forall i j v, evaluates u phi (DistanceEdges (Matrix Doubled r') t' i j) v ->
      distance_run u phi t' r' (Edges i j) (Rabs v)).
  Proof.
    intro N.
    assert (B : forall p, part p -> Rabs (p r') <= 1.0023).
    { unfold norm2 in N. destruct r' as [x y z w]. simpl in N. intros p Hp.
      destruct Hp as [-> | [-> | [-> | ->]]]; simpl; apply abs_by_square; nra. }
    pose proof (B qx (or_introl eq_refl)) as BX. pose proof (B qy (or_intror (or_introl eq_refl))) as BY.
    pose proof (B qz (or_intror (or_intror (or_introl eq_refl)))) as BZ.
    pose proof (B qw (or_intror (or_intror (or_intror eq_refl)))) as BW. clear B.
    pose proof (Rabs_pos (t' X)). pose proof (Rabs_pos (t' Y)). pose proof (Rabs_pos (t' Z)).
    split; [intros j v E | intros i j v E]; exists v; (split; [reflexivity |]).
    - apply (written_length 1.0023) with (e := DistanceB (Matrix Doubled r') t' j); auto.
      + lra.
      + simpl. lra.
      + generalize dependent 1.0023. intros c BX BY BZ BW. destruct r', j; simpl in *; rewrite ?Rabs_Ropp; repeat split; auto.
      + destruct r', j; simpl; tauto.
      + apply (distance_b_terms r' r' r').
      + apply (distance_b_value r' r' r').
      + right. destruct r' as [x y z w], j; magnitude; unfold sum; simpl;
          rewrite <- ?(square_abs x), <- ?(square_abs y), <- ?(square_abs z), <- ?(square_abs w); clear; lra.
      + unfold sum. destruct r', j; simpl; repeat (apply Forall_cons; [simpl; rewrite ?Rmult_1_r; lra |]); apply Forall_nil.
    - apply (written_length 1.0023) with (e := DistanceEdges (Matrix Doubled r') t' i j); auto.
      + lra.
      + simpl. lra.
      + generalize dependent 1.0023. intros c BX BY BZ BW. destruct r', i, j; simpl in *; rewrite ?Rabs_Ropp; repeat split; auto.
      + destruct r', i, j; simpl; tauto.
      + apply (distance_edges_terms r' r' r').
      + apply (distance_edges_value r' r' r').
      + right. destruct r' as [x y z w], i, j; magnitude; simpl;
          rewrite <- ?(square_abs x), <- ?(square_abs y), <- ?(square_abs z), <- ?(square_abs w); clear; lra.
      + unfold sum. destruct r', i, j; simpl;
          repeat (apply Forall_cons; [simpl; rewrite ?Rabs_Ropp, ?Rmult_1_r; lra |]); apply Forall_nil.
  Qed.
End Written.
