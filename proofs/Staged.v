(** * The stages of the CPU from f64 on: [classify_staged] of [exact.rs], for boxes that are rotated.

    f64 answers "separated" itself. Otherwise it names the axes that it could not judge, and the last
    stage takes those alone; if there are none, the boxes overlap. *)

Require Import Rbase Rfunctions ZArith List Lra.
Import ListNotations.
From Obbligato Require Import Boxes Formulas Rounding Flushing Constants Propagation Overlapping Shader Filter
  Answers Cpu64 Touching Exact LastStage.
From Obbligato Require Integers Wide Widths.
Open Scope R_scope.

(** ** What [decide] of [obb_sat_f64_cpu.rs] does not insert is settled: an axis below -E, or parallel edges. *)

Definition left_out (u phi A kappa : R) (a b : box) (t' : vec) (n' : R) (r' : quat) (c' : axis -> axis -> R)
  (k : direction) : Prop :=
  clears u phi A a b t' n' r' c' k \/ exists i j, k = Edges i j /\ parallel_run u phi A kappa a b t' n' r' c' i j.

Section Boxes32.
  Variables (kappa : R) (a b : box) (d' t' : vec) (n' : R) (r' : quat) (c' : axis -> axis -> R).
  Hypothesis Hkappa : Rabs (kappa - KAPPA) <= 0.01.
  Hypothesis Va : valid a.
  Hypothesis Vb : valid b.
  Hypothesis Hrun : run u64 phi64 a b d' t' n' r' c'.
  Hypothesis Sa : stored a.
  Hypothesis Sb : stored b.
  Hypothesis Hequal : forall k, apart a b k = 0 -> d' k = 0.

  (** If all lengths are 0, so is each F and the margin of the rule, and no axis is left out. *)
  Lemma rule_needs_lengths : forall i j, parallel_run u64 phi64 0 kappa a b t' n' r' c' i j ->
    ~ forall k, apart a b k = 0 /\ half a k = 0 /\ half b k = 0.
  Proof.
    intros i j [x [m [_ [Hm [X H]]]]] Z.
    assert (D : forall i, d' i = 0) by (intro; apply Hequal, Z).
    assert (TZ : forall i, t' i = 0).
    { intro i0. eapply zero_length_stays; [| exact (run_t _ _ _ _ _ _ _ _ _ Hrun i0)].
      unfold sum. rewrite !D, Rabs_R0. lra. }
    assert (LZ : (ERROR_FACTOR * (2 * u64) * (sum (fun i => Rabs (t' i)) + (sum (gA' a n') + sum (gB' b n'))) + 0) / u64 <= 0).
    { unfold gA', gB', sum. rewrite !TZ, Rabs_R0. destruct (Z Boxes.X) as [_ [-> ->]]. destruct (Z Boxes.Y) as [_ [-> ->]].
      destruct (Z Boxes.Z) as [_ [-> ->]].
      replace (ERROR_FACTOR * (2 * u64) * _ + 0) with 0 by (clear; lra). unfold Rdiv. rewrite Rmult_0_l. lra. }
    assert (m = 0) by (eapply zero_length_stays; [exact LZ | exact Hm]).
    destruct (H (FaceA Boxes.X) ltac:(intros i' j'; discriminate)) as [w [v [[_ HF] V]]].
    assert (v = 0) by (eapply zero_length_stays; [exact LZ | exact HF]). lra.
  Qed.

  Lemma left_out_is_settled : forall k, left_out u64 phi64 0 kappa a b t' n' r' c' k -> settled a b k.
  Proof.
    intros k H. destruct (none_or_some a b d' t' n' r' c' Va Vb Hrun Sa Sb) as [N | L].
    - exfalso. destruct H as [H | [i [j [-> H]]]]; [| apply (rule_needs_lengths i j H), N].
      exact (none_clears a b d' t' n' r' c' Hrun Hequal N k H).
    - pose proof (large_enough a b t' n' L) as S. destruct H as [H | [i [j [-> H]]]].
      + left. exact (clears_is_true u64 phi64 0 a b d' t' n' r' c' u64_range phi64_least (Rle_refl 0) Va Vb Hrun S k H).
      + right. exists i, j. split; auto.
        exact (Cpu64.parallel_is_true u64 phi64 0 kappa a b d' t' n' r' c' u64_range phi64_least (Rle_refl 0) Hkappa Va Vb
          Hrun S i j H).
  Qed.
End Boxes32.

Lemma left_out_apart_is_settled : forall kappa a b d' t' n' r' c', Rabs (kappa - KAPPA) <= 0.01 -> valid a -> valid b ->
  run u_apart eta64 a b d' t' n' r' c' -> forall k, left_out u_apart eta64 phi64 kappa a b t' n' r' c' k -> settled a b k.
Proof.
  intros kappa a b d' t' n' r' c' Hk Va Vb Hrun k H. destruct eta64_least as [L [P _]].
  pose proof (normal_enough a b d' t' n' r' c' Va Vb Hrun) as S. destruct H as [H | [i [j [-> H]]]].
  - left. exact (clears_is_true u_apart eta64 phi64 a b d' t' n' r' c' u_apart_range L P Va Vb Hrun S k H).
  - right. exists i, j. split; auto.
    exact (Cpu64.parallel_is_true u_apart eta64 phi64 kappa a b d' t' n' r' c' u_apart_range L P Hk Va Vb Hrun S i j H).
Qed.

(** ** The axes that are left *)
Section Staged.
  Variables (a b : box) (left_out : direction -> Prop).
  Hypothesis Va : valid a.
  Hypothesis Vb : valid b.
  Hypothesis left_out_settled : forall k, left_out k -> settled a b k.

  Variables (pa pb l : R) (ia ib : Integers.quaternion BinNums.Z) (d hA hB : Integers.index -> BinNums.Z).
  Hypothesis Pa : 0 < pa.
  Hypothesis Pb : 0 < pb.
  Hypothesis Pl : 0 < l.
  Hypothesis Ha : scaled_turn pa (rotation a) ia.
  Hypothesis Hb : scaled_turn pb (rotation b) ib.
  Hypothesis Hd : scaled_lengths l (apart a b) d.
  Hypothesis HhA : scaled_lengths l (half a) hA.
  Hypothesis HhB : scaled_lengths l (half b) hB.

  (** The axes that f64 names are enough. *)
  Theorem staged_answer : forall axes, (forall k, ~ In k axes -> left_out (of_axis k)) ->
    is_true (largest (no_direction ia ib) (sign ia ib d hA hB) axes Lt) a b.
  Proof.
    intros axes H. apply (largest_is_true a b pa pb l Pa Pb Pl Va Vb ia ib d hA hB Ha Hb Hd HhA HhB). intros k N. apply left_out_settled, H, N.
  Qed.

  (** Of boxes of one rotation, those of them that are faces of A. *)
  Theorem staged_parallel_answer : same_rotation a b -> forall axes,
    (forall i, ~ In i axes -> left_out (FaceA (of_index i))) ->
    is_true (from_largest (greatest (parallel_sign ia d hA hB) axes)) a b.
  Proof.
    intros S axes H. apply (one_rotation_is_true a b Va Vb S pa l Pa Pl ia d hA hB Ha Hd HhA HhB). intros i N. apply left_out_settled, H, N.
  Qed.

  (** The same answers in words of 64 bits, of which there are enough: [Long]. *)
  Variables (words : nat) (p p' bits : BinNums.Z) (wa wb : Integers.quaternion (list BinNums.Z)).
  Variables (wd whA whB : Integers.index -> list BinNums.Z).
  Hypothesis Hwords : (1 <= words)%nat.
  Hypothesis Wa : Integers.stand (Widths.number_of words) wa ia.
  Hypothesis Wb : Integers.stand (Widths.number_of words) wb ib.
  Hypothesis Wd : Integers.stand3 (Widths.number_of words) wd d.
  Hypothesis WhA : Integers.stand3 (Widths.number_of words) whA hA.
  Hypothesis WhB : Integers.stand3 (Widths.number_of words) whB hB.
  Hypothesis Ta : Widths.valid_turn p ia.
  Hypothesis Tb : Widths.valid_turn p' ib.
  Hypothesis Hbits : (0 <= bits)%Z.
  Hypothesis Hl : Widths.short_lengths bits d hA hB.

  Definition wide_entry : Integers.index -> Integers.index -> list BinNums.Z :=
    Integers.entry Widths.plus Widths.minus Wide.mul wa wb.
  Definition wide_sign_of (k : Integers.axis) : comparison :=
    Wide.sign (Integers.gap Wide.mul Widths.plus Widths.minus Wide.abs
      (Integers.direction Widths.plus Widths.minus Wide.mul wa wb k)
      (Integers.scale Widths.plus Widths.minus Wide.mul wa wb) (fun i j => Wide.abs (wide_entry i j)) wd whA whB k).
  Definition is_zero (v : list BinNums.Z) : bool := match Wide.sign v with Eq => true | _ => false end.
  Definition wide_no_direction (k : Integers.axis) : bool :=
    match k with
    | Integers.Edges i j => is_zero (wide_entry (Integers.after1 i) j) && is_zero (wide_entry (Integers.after2 i) j)
    | _ => false
    end.
  Definition wide_parallel_sign_of (i : Integers.index) : comparison :=
    Wide.sign (Integers.parallel_gap Wide.mul Widths.plus Widths.minus Wide.abs
      (fun r => Integers.matrix Widths.plus Widths.minus Wide.mul wa r i) (Integers.norm Widths.plus Wide.mul wa) wd
      (Widths.plus (whA i) (whB i))).

  Theorem wide_answer : Widths.enough words (2 * (p + p')) bits -> forall axes,
    (forall k, ~ In k axes -> left_out (of_axis k)) ->
    is_true (largest wide_no_direction wide_sign_of axes Lt) a b.
  Proof.
    intros E axes H. rewrite (largest_of_equal _ _ (no_direction ia ib) _ (sign ia ib d hA hB)).
    - exact (staged_answer axes H).
    - intros [i | j | i j]; [reflexivity | reflexivity |]. unfold wide_no_direction, no_direction, is_zero, wide_entry.
      rewrite !Z.eqb_compare.
      rewrite (Widths.entry_sign words Hwords p p' bits wa ia wb ib d hA hB (Integers.after1 i) j Wa Wb Ta Tb Hbits Hl E).
      rewrite (Widths.entry_sign words Hwords p p' bits wa ia wb ib d hA hB (Integers.after2 i) j Wa Wb Ta Tb Hbits Hl E).
      reflexivity.
    - intro k. exact (Widths.wide_sign words Hwords p p' bits wa ia wb ib wd d whA hA whB hB k Wa Wb Wd WhA WhB Ta Tb
        Hbits Hl E).
  Qed.

  Theorem wide_parallel_answer : same_rotation a b -> Widths.enough words (2 * p) bits -> forall axes,
    (forall i, ~ In i axes -> left_out (FaceA (of_index i))) ->
    is_true (from_largest (greatest wide_parallel_sign_of axes)) a b.
  Proof.
    intros S E axes H. rewrite (greatest_of_equal _ _ (parallel_sign ia d hA hB)).
    - exact (staged_parallel_answer S axes H).
    - intro i. unfold wide_parallel_sign_of, parallel_sign.
      exact (Widths.wide_parallel_sign words Hwords p bits wa ia wd d whA hA whB hB i Wa Wd WhA WhB Ta Hbits Hl E).
  Qed.
End Staged.
