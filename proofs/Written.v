(** * The formulas as the shader writes them are a run.

    So the records of [Shader.v] and [Filter.v] ask for no less than the formulas need: their numbers
    of monomials, degrees, magnitudes and caps are those of the expressions in [Counts.v], or more. *)

Require Import Rbase Rfunctions Bool Lra.
From Obbligato Require Import Boxes Formulas Rounding Flushing Lengths Constants Propagation Axes Shader Filter Counts Fits.
Open Scope R_scope.

Section Written.
  Variables u phi : R.
  Variables (a b : box) (d' t' : vec) (n' : R) (r' : quat) (c' : axis -> axis -> R).
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Let one : 1 <= 1.00105.
  Proof. lra. Qed.

  Theorem written_t : forall i, evaluates u phi (Turned (Matrix Doubled (rotation a)) d' i) (t' i) ->
    computed_length u phi 12 3 12.1 (sum (fun k => Rabs (d' k))) (sum (fun k => W (rotation a) k i * Rabs (d' k)))
      (sum (fun k => M (rotation a) k i * d' k)) (t' i).
  Proof.
    intros i E. pose proof (matrix_fits _ _ one (rotation_parts a Ha)) as F.
    pose proof (fun k => len_len _ (d' k) (proj2 (part_of_sum (fun k => Rabs (d' k)) (fun k => Rabs_pos (d' k)) k))) as L.
    eapply (lengthy_run u phi (Turned (Matrix Doubled (rotation a)) d' i));
      [unfold Turned, Three; apply len_add; [apply len_add |]; (eapply times_len; [apply F | apply L]) | | | | | exact E];
      [apply (turned_terms (rotation a) (rotation a) (rotation a)) | lra | right; reflexivity | reflexivity].
  Qed.

  Theorem written_n : forall v, evaluates u phi (Norm2 (rotation a)) v -> computed u phi 4 2 (n a) (n a) v.
  Proof.
    intros v E. eapply numeral_run; [exact (norm2_fits _ _ one (rotation_parts a Ha)) | reflexivity | lra | right; reflexivity | reflexivity | exact E].
  Qed.

  (** r, all four parts. *)
  Theorem written_r :
    evaluates u phi (RelativeX (rotation a) (rotation b)) (qx r') -> evaluates u phi (RelativeY (rotation a) (rotation b)) (qy r') ->
    evaluates u phi (RelativeZ (rotation a) (rotation b)) (qz r') -> evaluates u phi (RelativeW (rotation a) (rotation b)) (qw r') ->
    forall p, part p ->
      computed u phi 4 2 (p (relative_magnitude (rotation a) (rotation b))) (p (Formulas.r a b)) (p r').
  Proof.
    intros EX EY EZ EW p Hp.
    destruct (relative_fits _ _ _ one (rotation_parts a Ha) (rotation_parts b Hb)) as [FX [FY [FZ FW]]].
    destruct Hp as [-> | [-> | [-> | ->]]];
      [eapply numeral_run; [exact FX | | | | | exact EX] | eapply numeral_run; [exact FY | | | | | exact EY]
        | eapply numeral_run; [exact FZ | | | | | exact EZ] | eapply numeral_run; [exact FW | | | | | exact EW]];
      first [reflexivity | lra | right; reflexivity].
  Qed.

  Theorem written_c : norm2 r' <= 4 -> forall i j v, evaluates u phi (Matrix Doubled r' i j) v ->
    computed u phi 4 2 (norm2 r') (M r' i j) v.
  Proof.
    intros N i j v E. pose proof (parts_by_norm r' 4 2 ltac:(lra) N ltac:(lra)) as B.
    eapply numeral_run; [apply (matrix_fits 2 r' ltac:(lra) B i j) | apply (matrix_terms r' r' r') | lra | apply W_bounds | reflexivity | exact E].
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
    intro N. pose proof (parts_by_norm r' 1.0045 1.0023 ltac:(lra) N ltac:(lra)) as B. pose proof (matrix_fits 1.0023 r' ltac:(lra) B) as F.
    pose proof (fun k => len_len _ (t' k) (proj2 (part_of_sum (fun k => Rabs (t' k)) (fun k => Rabs_pos (t' k)) k))) as L.
    split; [intros j v E | intros i j v E]; exists v; (split; [reflexivity |]).
    - eapply (lengthy_run u phi (DistanceB (Matrix Doubled r') t' j));
        [unfold DistanceB, Three; apply len_add; [apply len_add |]; (eapply len_times; [apply L | apply F]) | | | | | exact E];
        [apply (distance_b_terms r' r' r') | lra | right; reflexivity | reflexivity].
    - eapply (lengthy_run u phi (DistanceEdges (Matrix Doubled r') t' i j));
        [unfold DistanceEdges, Sub; apply len_add; [| apply len_minus]; (eapply len_times; [apply L | apply F]) | | | | | exact E];
        [apply (distance_edges_terms r' r' r') | lra | right; reflexivity | lra].
  Qed.
End Written.
