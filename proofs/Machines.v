(** * The last stage of boxes in machine integers: [Tiny], [Short] and [Turned] of [digits.rs], all operations together.

    An operation of the machine wraps. Since no intermediate result leaves its type, none does, and so the
    answers are those of [LastStage.v]. *)

Require Import Rbase Rfunctions ZArith List Lia.
Import ListNotations.
From Obbligato Require Import Boxes Formulas Propagation Touching Exact LastStage.
From Obbligato Require Integers Wide MachineWidths Widths.
Open Scope Z_scope.

(** ** Trees of operations that wrap *)
Definition wrap (limit z : BinNums.Z) : BinNums.Z := (z + limit) mod (2 * limit) - limit.
Fixpoint machine (limit : BinNums.Z) (v : nat -> BinNums.Z) (e : MachineWidths.tree) : BinNums.Z :=
  match e with
  | MachineWidths.Var n => v n
  | MachineWidths.Sum e e' => wrap limit (machine limit v e + machine limit v e')
  | MachineWidths.Difference e e' => wrap limit (machine limit v e - machine limit v e')
  | MachineWidths.Product e e' => wrap limit (machine limit v e * machine limit v e')
  | MachineWidths.Absolute e => wrap limit (Z.abs (machine limit v e))
  end.

Lemma wrap_inside : forall limit z, - limit < z < limit -> wrap limit z = z.
Proof. intros limit z H. unfold wrap. rewrite Z.mod_small; lia. Qed.

Theorem machine_is : forall limit v e, MachineWidths.inside limit v e -> machine limit v e = MachineWidths.eval v e.
Proof.
  intros limit v. induction e as [n | e IH e' IH' | e IH e' IH' | e IH e' IH' | e IH]; simpl; auto;
    [intros [L [I I']] | intros [L [I I']] | intros [L [I I']] | intros [L I]]; rewrite IH by auto; try rewrite IH' by auto; apply wrap_inside; auto.
Qed.

Section Pair.
  Variables (ia ib : Integers.quaternion BinNums.Z) (d hA hB : Integers.index -> BinNums.Z).

  (** The parts of both quaternions, and the numbers of a product. *)
  Definition part_of (n : nat) : BinNums.Z :=
    match n with
    | 0 => Integers.x ia | 1 => Integers.y ia | 2 => Integers.z ia | 3 => Integers.w ia
    | 4 => Integers.x ib | 5 => Integers.y ib | 6 => Integers.z ib | 7 => Integers.w ib
    | _ => 0%Z
    end%nat.
  Definition number_at (t : Integers.index -> BinNums.Z) (s : BinNums.Z) (c : Integers.index -> Integers.index -> BinNums.Z) (n : nat) : BinNums.Z :=
    match n with
    | 0 => t Integers.I0 | 1 => t Integers.I1 | 2 => t Integers.I2 | 3 => s
    | 4 => c Integers.I0 Integers.I0 | 5 => c Integers.I0 Integers.I1 | 6 => c Integers.I0 Integers.I2
    | 7 => c Integers.I1 Integers.I0 | 8 => c Integers.I1 Integers.I1 | 9 => c Integers.I1 Integers.I2
    | 10 => c Integers.I2 Integers.I0 | 11 => c Integers.I2 Integers.I1 | 12 => c Integers.I2 Integers.I2
    | 20 => d Integers.I0 | 21 => d Integers.I1 | 22 => d Integers.I2
    | 23 => hA Integers.I0 | 24 => hA Integers.I1 | 25 => hA Integers.I2
    | 26 => hB Integers.I0 | 27 => hB Integers.I1 | 28 => hB Integers.I2
    | _ => 0%Z
    end%nat.

  Lemma number_at_is : forall t s c k, MachineWidths.eval (number_at t s c) (MachineWidths.gap_of k)
    = Integers.gap Z.mul Z.add Z.sub Z.abs t s c d hA hB k.
  Proof. intros t s c [[] | [] | [] []]; reflexivity. Qed.

  (** The turns, in a type that ends at [limit]. *)
  Variables (limit grain : BinNums.Z).
  Hypothesis Turns : forall v, (forall n, Z.abs (v n) <= MachineWidths.most_part grain) ->
    Forall (fun e => MachineWidths.inside limit v e /\ Z.abs (MachineWidths.eval v e) <= MachineWidths.most_turn grain) MachineWidths.turns.
  Hypothesis Ia : Widths.parts_below (MachineWidths.most_part grain) ia.
  Hypothesis Ib : Widths.parts_below (MachineWidths.most_part grain) ib.

  Definition machine_direction (k : Integers.axis) (l : Integers.index) : BinNums.Z := machine limit part_of
    (Integers.direction MachineWidths.Sum MachineWidths.Difference MachineWidths.Product MachineWidths.qa MachineWidths.qb k l).
  Definition machine_entry (i j : Integers.index) : BinNums.Z := machine limit part_of
    (Integers.entry MachineWidths.Sum MachineWidths.Difference MachineWidths.Product MachineWidths.qa MachineWidths.qb i j).
  Definition machine_scale : BinNums.Z := machine limit part_of
    (Integers.scale MachineWidths.Sum MachineWidths.Difference MachineWidths.Product MachineWidths.qa MachineWidths.qb).

  Lemma part_most : forall n, Z.abs (part_of n) <= MachineWidths.most_part grain.
  Proof.
    destruct Ia as [A0 [A1 [A2 A3]]], Ib as [B0 [B1 [B2 B3]]].
    assert (P : 0 <= MachineWidths.most_part grain) by (eapply Z.le_trans; [apply Z.abs_nonneg | exact A0]).
    intros [| [| [| [| [| [| [| [| n]]]]]]]]; auto.
  Qed.
  Lemma turn_is : forall e, In e MachineWidths.turns ->
    machine limit part_of e = MachineWidths.eval part_of e /\ Z.abs (machine limit part_of e) <= MachineWidths.most_turn grain.
  Proof.
    intros e He. pose proof (Turns part_of part_most) as T. rewrite Forall_forall in T. destruct (T e He) as [I M].
    rewrite (machine_is limit part_of e I). auto.
  Qed.
  Lemma every_axis : forall k, In k MachineWidths.all_axes.
  Proof. intros [[] | [] | [] []]; unfold MachineWidths.all_axes; simpl; repeat first [left; reflexivity | right]. Qed.
  Lemma every_index : forall i, In i MachineWidths.indices.
  Proof. intros []; simpl; tauto. Qed.

  Lemma direction_is : forall k l, machine_direction k l = Integers.direction Z.add Z.sub Z.mul ia ib k l /\
    Z.abs (machine_direction k l) <= MachineWidths.most_turn grain.
  Proof.
    intros k l. unfold machine_direction.
    destruct (turn_is (Integers.direction MachineWidths.Sum MachineWidths.Difference MachineWidths.Product MachineWidths.qa MachineWidths.qb k l)) as [E M].
    - unfold MachineWidths.turns. rewrite !in_app_iff. do 4 right. right. rewrite in_flat_map. exists k. split; [apply every_axis |].
      apply in_map, every_index.
    - split; [| exact M]. rewrite E. clear. unfold part_of. destruct ia, ib, k as [[] | [] | [] []], l; reflexivity.
  Qed.
  Lemma machine_entry_is : forall i j, machine_entry i j = Integers.entry Z.add Z.sub Z.mul ia ib i j /\
    Z.abs (machine_entry i j) <= MachineWidths.most_turn grain.
  Proof.
    intros i j. unfold machine_entry.
    destruct (turn_is (Integers.entry MachineWidths.Sum MachineWidths.Difference MachineWidths.Product MachineWidths.qa MachineWidths.qb i j)) as [E M].
    - unfold MachineWidths.turns. rewrite !in_app_iff. do 3 right. left. unfold MachineWidths.of_two. rewrite in_flat_map.
      exists i. split; [apply every_index | apply in_map, every_index].
    - split; [| exact M]. rewrite E. clear. unfold part_of. destruct ia, ib, i, j; reflexivity.
  Qed.
  Lemma machine_scale_is : machine_scale = Integers.scale Z.add Z.sub Z.mul ia ib /\ Z.abs machine_scale <= MachineWidths.most_turn grain.
  Proof.
    unfold machine_scale.
    destruct (turn_is (Integers.scale MachineWidths.Sum MachineWidths.Difference MachineWidths.Product MachineWidths.qa MachineWidths.qb)) as [E M].
    - unfold MachineWidths.turns. rewrite !in_app_iff. do 4 right. left. simpl. auto.
    - split; [| exact M]. rewrite E. clear. unfold part_of. destruct ia, ib; reflexivity.
  Qed.

  Definition machine_no_direction (k : Integers.axis) : bool :=
    match k with
    | Integers.Edges i j => (machine_entry (Integers.after1 i) j =? 0) && (machine_entry (Integers.after2 i) j =? 0)
    | _ => false
    end.
  Lemma machine_no_direction_is : forall k, machine_no_direction k = no_direction ia ib k.
  Proof.
    intros [i | j | i j]; [reflexivity | reflexivity |]. unfold machine_no_direction, no_direction.
    rewrite !(proj1 (machine_entry_is _ _)). reflexivity.
  Qed.

  (** The numbers of a product, from what is computed. *)
  Definition numbers_of (k : Integers.axis) : nat -> BinNums.Z :=
    number_at (machine_direction k) machine_scale (fun i j => Z.abs (machine_entry i j)).
  Lemma numbers_are : forall k, MachineWidths.eval (numbers_of k) (MachineWidths.gap_of k) = Integers.gap_Z ia ib d hA hB k.
  Proof.
    intro k. unfold numbers_of. rewrite number_at_is. unfold Integers.gap_Z.
    destruct k as [[] | [] | [] []]; cbv beta iota delta [Integers.gap Integers.radius Integers.dot Integers.after1 Integers.after2];
      rewrite ?(proj1 (direction_is _ _)), ?(proj1 (machine_entry_is _ _)), ?(proj1 machine_scale_is); reflexivity.
  Qed.

  (** Lengths of [SHORT] bits. *)
  Hypothesis Hd : forall i, Z.abs (d i) <= 2 * 2 ^ MachineWidths.SHORT.
  Hypothesis HhA : forall i, Z.abs (hA i) <= 2 ^ MachineWidths.SHORT.
  Hypothesis HhB : forall i, Z.abs (hB i) <= 2 ^ MachineWidths.SHORT.
  Lemma numbers_most : forall k n, Z.abs (numbers_of k n) <= MachineWidths.most_of (MachineWidths.most_turn grain) n.
  Proof.
    intro k. pose proof machine_scale_is as [_ S]. pose proof (fun l => proj2 (direction_is k l)) as D.
    assert (C : forall i j, Z.abs (Z.abs (machine_entry i j)) <= MachineWidths.most_turn grain)
      by (intros; rewrite Z.abs_involutive; apply machine_entry_is).
    assert (P : 0 <= MachineWidths.most_turn grain) by (pose proof (Z.abs_nonneg machine_scale); lia).
    intro n. unfold numbers_of, number_at, MachineWidths.most_of.
    do 29 (destruct n as [| n]; [simpl Nat.ltb; auto |]). simpl Nat.ltb. simpl. lia.
  Qed.

  (** [Tiny]: products in 128 bits. *)
  Definition machine_sign (width : BinNums.Z) (k : Integers.axis) : comparison :=
    machine width (numbers_of k) (MachineWidths.gap_of k) ?= 0.
  Lemma machine_sign_is : forall width k, MachineWidths.inside width (numbers_of k) (MachineWidths.gap_of k) ->
    machine_sign width k = sign ia ib d hA hB k.
  Proof. intros width k I. unfold machine_sign, sign. rewrite machine_is, numbers_are by auto. reflexivity. Qed.
End Pair.

(** ** Products in words *)
Lemma gap_same : forall {T L P : Type} (times : T -> L -> P) plus minus abs (t t' : Integers.index -> T) s (c c' : Integers.index -> Integers.index -> T)
  (d hA hB : Integers.index -> L) k, (forall i, t i = t' i) -> (forall i j, c i j = c' i j) ->
  Integers.gap times plus minus abs t s c d hA hB k = Integers.gap times plus minus abs t' s c' d hA hB k.
Proof.
  intros T L P times plus minus abs t t' s c c' d hA hB k Ht Hc.
  destruct k as [[] | [] | [] []]; cbv beta iota delta [Integers.gap Integers.radius Integers.dot Integers.after1 Integers.after2];
    rewrite ?Ht, ?Hc; reflexivity.
Qed.

Definition in_128 (t : BinNums.Z) : Prop := - 2 ^ 127 <= t < 2 ^ 127.
Definition in_64 (v : BinNums.Z) : Prop := - 2 ^ 63 <= v < 2 ^ 63.
Notation four := (Widths.number_of 4).
Lemma full_number : forall t v, in_128 t -> in_64 v -> four (Wide.full t v) (t * v).
Proof. intros t v T V. split; [reflexivity | apply Wide.product_stands; auto]. Qed.

Lemma products_stand : forall t s c d hA hB k, (forall i, in_128 (t i)) -> in_128 s -> (forall i j, in_128 (c i j)) ->
  (forall i, in_64 (d i)) -> (forall i, in_64 (hA i)) -> (forall i, in_64 (hB i)) -> Widths.fit 4 (Integers.dot Z.mul Z.add t d) ->
  four (Integers.gap Wide.full Widths.plus Widths.minus Wide.abs t s c d hA hB k) (Integers.gap Z.mul Z.add Z.sub Z.abs t s c d hA hB k).
Proof.
  intros t s c d hA hB k Ht Hs Hc Hd HA HB F. assert (One : (1 <= 4)%nat) by lia. unfold Integers.gap. apply (Widths.minus_number 4 One).
  - apply (Widths.abs_number 4 One); [| exact F]. unfold Integers.dot. repeat apply (Widths.plus_number 4 One); apply full_number; auto.
  - unfold Integers.radius, Integers.dot. destruct k; repeat apply (Widths.plus_number 4 One); apply full_number; auto.
Qed.

(** ** The answers, if all other axes are settled *)
Section Answers.
  Variables (a b : box) (pa pb l : R) (ia ib : Integers.quaternion BinNums.Z) (d hA hB : Integers.index -> BinNums.Z).
  Hypothesis Va : valid a.
  Hypothesis Vb : valid b.
  Hypothesis Pa : (0 < pa)%R.
  Hypothesis Pb : (0 < pb)%R.
  Hypothesis Pl : (0 < l)%R.
  Hypothesis Ha : scaled_turn pa (rotation a) ia.
  Hypothesis Hb : scaled_turn pb (rotation b) ib.
  Hypothesis Hd : scaled_lengths l (apart a b) d.
  Hypothesis HhA : scaled_lengths l (half a) hA.
  Hypothesis HhB : scaled_lengths l (half b) hB.
  Variable axes : list Integers.axis.
  Hypothesis Others : forall k, ~ In k axes -> settled a b (of_axis k).
  Hypothesis Sd : forall i, Z.abs (d i) <= 2 * 2 ^ MachineWidths.SHORT.
  Hypothesis ShA : forall i, Z.abs (hA i) <= 2 ^ MachineWidths.SHORT.
  Hypothesis ShB : forall i, Z.abs (hB i) <= 2 ^ MachineWidths.SHORT.

  Theorem tiny_answer : Widths.parts_below (MachineWidths.most_part 14) ia -> Widths.parts_below (MachineWidths.most_part 14) ib ->
    is_true (largest (machine_no_direction ia ib (2 ^ 63)) (machine_sign ia ib d hA hB (2 ^ 63) (2 ^ 127)) axes Lt) a b.
  Proof.
    intros A B. rewrite (largest_of_equal _ _ (no_direction ia ib) _ (sign ia ib d hA hB)).
    - exact (largest_is_true a b pa pb l Pa Pb Pl Va Vb ia ib d hA hB Ha Hb Hd HhA HhB axes Others).
    - apply (machine_no_direction_is ia ib (2 ^ 63) 14 MachineWidths.tiny_turns_fit A B).
    - intro k. apply (machine_sign_is ia ib d hA hB (2 ^ 63) 14 MachineWidths.tiny_turns_fit A B).
      pose proof (MachineWidths.tiny_products_fit _ (numbers_most ia ib d hA hB (2 ^ 63) 14 MachineWidths.tiny_turns_fit A B Sd ShA ShB k)) as F.
      rewrite Forall_forall in F. apply (F (MachineWidths.gap_of k)). apply in_map, every_axis.
  Qed.

  Theorem short_answer : Widths.parts_below (MachineWidths.most_part 30) ia -> Widths.parts_below (MachineWidths.most_part 30) ib ->
    is_true (largest (machine_no_direction ia ib (2 ^ 127))
      (fun k => Wide.sign (Integers.gap Wide.full Widths.plus Widths.minus Wide.abs (machine_direction ia ib (2 ^ 127) k)
        (machine_scale ia ib (2 ^ 127)) (fun i j => Z.abs (machine_entry ia ib (2 ^ 127) i j)) d hA hB k)) axes Lt) a b.
  Proof.
    intros A B. pose proof MachineWidths.short_turns_fit as Fit.
    rewrite (largest_of_equal _ _ (no_direction ia ib) _ (sign ia ib d hA hB)).
    - exact (largest_is_true a b pa pb l Pa Pb Pl Va Vb ia ib d hA hB Ha Hb Hd HhA HhB axes Others).
    - apply (machine_no_direction_is ia ib (2 ^ 127) 30 Fit A B).
    - intro k. pose proof (MachineWidths.short_products_fit _ (numbers_most ia ib d hA hB (2 ^ 127) 30 Fit A B Sd ShA ShB k)) as F.
      rewrite Forall_forall in F. destruct (F (MachineWidths.gap_of k) ltac:(apply in_map, every_axis)) as [I _]. clear F.
      pose proof (numbers_are ia ib d hA hB (2 ^ 127) 30 Fit A B k) as E.
      assert (Small : forall v, Z.abs v <= MachineWidths.most_turn 30 -> in_128 v).
      { intros v L. assert (MachineWidths.most_turn 30 < 2 ^ 127) by reflexivity. unfold in_128. lia. }
      assert (Few : forall v, Z.abs v <= 2 * 2 ^ MachineWidths.SHORT -> in_64 v).
      { intros v L. assert (2 * 2 ^ MachineWidths.SHORT < 2 ^ 63) by reflexivity. unfold in_64. lia. }
      assert (Two : forall v, Z.abs v <= 2 ^ MachineWidths.SHORT -> in_64 v)
        by (intros v L; apply Few; pose proof (Z.pow_nonneg 2 MachineWidths.SHORT); lia).
      unfold numbers_of in I, E. rewrite number_at_is in E. cbn [MachineWidths.gap_of Integers.gap MachineWidths.inside] in I. destruct I as [G [[D _] _]].
      assert (S := products_stand (machine_direction ia ib (2 ^ 127) k) (machine_scale ia ib (2 ^ 127))
        (fun i j => Z.abs (machine_entry ia ib (2 ^ 127) i j)) d hA hB k
        (fun i => Small _ (proj2 (direction_is ia ib (2 ^ 127) 30 Fit A B k i))) (Small _ (proj2 (machine_scale_is ia ib (2 ^ 127) 30 Fit A B)))
        (fun i j => Small _ ltac:(rewrite Z.abs_involutive; apply (proj2 (machine_entry_is ia ib (2 ^ 127) 30 Fit A B i j))))
        (fun i => Few _ (Sd i)) (fun i => Two _ (ShA i)) (fun i => Two _ (ShB i))).
      assert (Pow : Wide.B ^ Z.of_nat 4 = 2 * 2 ^ 255) by reflexivity.
      assert (FD : Widths.fit 4 (Integers.dot Z.mul Z.add (machine_direction ia ib (2 ^ 127) k) d)).
      { unfold Widths.fit. rewrite Pow. change (- 2 ^ 255 < Z.abs (Integers.dot Z.mul Z.add (machine_direction ia ib (2 ^ 127) k) d) < 2 ^ 255) in D. lia. }
      specialize (S FD). rewrite E in S.
      assert (FG : Widths.fit 4 (Integers.gap_Z ia ib d hA hB k)).
      { unfold Widths.fit. rewrite Pow, <- E, <- number_at_is. unfold MachineWidths.gap_of, Integers.gap in *. cbn [MachineWidths.eval] in *. lia. }
      destruct (Widths.number_fits 4 ltac:(lia) _ _ S FG) as [N [St F]]. unfold sign. apply Wide.sign_is; auto.
  Qed.

  (** [Turned]: lengths and products of any number of words. *)
  Theorem turned_answer : forall words bits wd whA whB, (1 <= words)%nat ->
    Widths.parts_below (MachineWidths.most_part 14) ia -> Widths.parts_below (MachineWidths.most_part 14) ib ->
    Integers.stand3 (Widths.number_of words) wd d -> Integers.stand3 (Widths.number_of words) whA hA -> Integers.stand3 (Widths.number_of words) whB hB ->
    0 <= bits -> Widths.short_lengths bits d hA hB -> Widths.enough words Widths.TURNS bits ->
    is_true (largest (machine_no_direction ia ib (2 ^ 63))
      (fun k => Wide.sign (Integers.gap (fun f v => Wide.times v f) Widths.plus Widths.minus Wide.abs (machine_direction ia ib (2 ^ 63) k)
        (machine_scale ia ib (2 ^ 63)) (fun i j => Z.abs (machine_entry ia ib (2 ^ 63) i j)) wd whA whB k)) axes Lt) a b.
  Proof.
    intros words bits wd whA whB W A B Wd WA WB HL L E. pose proof MachineWidths.tiny_turns_fit as Fit.
    rewrite (largest_of_equal _ _ (no_direction ia ib) _ (sign ia ib d hA hB)).
    - exact (largest_is_true a b pa pb l Pa Pb Pl Va Vb ia ib d hA hB Ha Hb Hd HhA HhB axes Others).
    - apply (machine_no_direction_is ia ib (2 ^ 63) 14 Fit A B).
    - intro k. unfold sign. rewrite <- (Widths.turned_sign words W bits ia ib wd d whA hA whB hB k A B Wd WA WB HL L E).
      f_equal. rewrite (proj1 (machine_scale_is ia ib (2 ^ 63) 14 Fit A B)). apply gap_same.
      + intro i. apply (proj1 (direction_is ia ib (2 ^ 63) 14 Fit A B k i)).
      + intros i j. rewrite (proj1 (machine_entry_is ia ib (2 ^ 63) 14 Fit A B i j)). reflexivity.
  Qed.
End Answers.

(** ** Boxes of one rotation *)
Section Parallel.
  Variables (a b : box) (pa l : R) (ia : Integers.quaternion BinNums.Z) (d hA hB : Integers.index -> BinNums.Z).
  Hypothesis Va : valid a.
  Hypothesis Vb : valid b.
  Hypothesis Same : same_rotation a b.
  Hypothesis Pa : (0 < pa)%R.
  Hypothesis Pl : (0 < l)%R.
  Hypothesis Ha : scaled_turn pa (rotation a) ia.
  Hypothesis Hd : scaled_lengths l (apart a b) d.
  Hypothesis HhA : scaled_lengths l (half a) hA.
  Hypothesis HhB : scaled_lengths l (half b) hB.
  Variable axes : list Integers.index.
  Hypothesis Others : forall i, ~ In i axes -> settled a b (FaceA (of_index i)).
  Hypothesis Ia : Widths.parts_below (MachineWidths.most_part 30) ia.

  Definition machine_matrix (r i : Integers.index) : BinNums.Z := machine (2 ^ 63) (part_of ia ia) (MachineWidths.matrix_of MachineWidths.qa r i).
  Definition machine_norm : BinNums.Z := machine (2 ^ 63) (part_of ia ia) (Integers.norm MachineWidths.Sum MachineWidths.Product MachineWidths.qa).

  Lemma parallel_turn_is : forall e, In e MachineWidths.parallel_turns ->
    machine (2 ^ 63) (part_of ia ia) e = MachineWidths.eval (part_of ia ia) e /\
    Z.abs (machine (2 ^ 63) (part_of ia ia) e) <= MachineWidths.most_parallel.
  Proof.
    intros e He. pose proof (MachineWidths.parallel_turns_fit (part_of ia ia) (part_most ia ia 30 Ia Ia)) as T.
    rewrite Forall_forall in T. destruct (T e He) as [I M]. rewrite (machine_is _ _ e I). auto.
  Qed.
  Lemma machine_matrix_is : forall r i, machine_matrix r i = Integers.matrix Z.add Z.sub Z.mul ia r i /\
    Z.abs (machine_matrix r i) <= MachineWidths.most_parallel.
  Proof.
    intros r i. unfold machine_matrix. destruct (parallel_turn_is (MachineWidths.matrix_of MachineWidths.qa r i)) as [E M].
    - unfold MachineWidths.parallel_turns. rewrite in_app_iff. left. unfold MachineWidths.of_two. rewrite in_flat_map.
      exists r. split; [apply every_index | apply in_map, every_index].
    - split; [| exact M]. rewrite E. clear. unfold part_of. destruct ia, r, i; reflexivity.
  Qed.
  Lemma machine_norm_is : machine_norm = Integers.norm Z.add Z.mul ia /\ Z.abs machine_norm <= MachineWidths.most_parallel.
  Proof.
    unfold machine_norm. destruct (parallel_turn_is (Integers.norm MachineWidths.Sum MachineWidths.Product MachineWidths.qa)) as [E M].
    - unfold MachineWidths.parallel_turns. rewrite in_app_iff. right. simpl. auto.
    - split; [| exact M]. rewrite E. clear. unfold part_of. destruct ia; reflexivity.
  Qed.

  (** [Tiny]: the sums of half extents fit 64 bits, and all products 128. *)
  Definition parallel_numbers (i : Integers.index) : nat -> BinNums.Z :=
    number_at d (fun _ => hA i) (fun _ => hB i) (fun r => machine_matrix r i) machine_norm (fun _ _ => 0).
  Theorem tiny_parallel_answer : (forall i, Z.abs (d i) <= 2 * 2 ^ MachineWidths.SHORT) ->
    (forall i, Z.abs (hA i) <= 2 ^ MachineWidths.SHORT) -> (forall i, Z.abs (hB i) <= 2 ^ MachineWidths.SHORT) ->
    (forall i, wrap (2 ^ 63) (hA i + hB i) = hA i + hB i) /\
    is_true (from_largest (greatest (fun i => machine (2 ^ 127) (parallel_numbers i) MachineWidths.parallel_gap_of ?= 0) axes)) a b.
  Proof.
    intros Sd ShA ShB. split.
    - intro i. specialize (ShA i). specialize (ShB i). apply wrap_inside. assert (2 * 2 ^ MachineWidths.SHORT < 2 ^ 63) by reflexivity. lia.
    - rewrite (greatest_of_equal _ _ (parallel_sign ia d hA hB)); [exact (one_rotation_is_true a b Va Vb Same pa l Pa Pl ia d hA hB Ha Hd HhA HhB axes Others) |].
      intro i. unfold parallel_sign.
      assert (M : forall n, Z.abs (parallel_numbers i n) <= MachineWidths.most_of MachineWidths.most_parallel n).
      { pose proof machine_norm_is as [_ S]. assert (P : 0 <= MachineWidths.most_parallel) by (pose proof (Z.abs_nonneg machine_norm); lia).
        pose proof (fun r => proj2 (machine_matrix_is r i)) as C. intro n. unfold parallel_numbers, number_at, MachineWidths.most_of.
        do 29 (destruct n as [| n]; [simpl Nat.ltb; auto |]). simpl Nat.ltb. simpl. lia. }
      pose proof (MachineWidths.parallel_products_fit _ M) as F. rewrite Forall_forall in F.
      destruct (F MachineWidths.parallel_gap_of (or_introl eq_refl)) as [I _]. rewrite (machine_is _ _ _ I). f_equal.
      change (Integers.parallel_gap Z.mul Z.add Z.sub Z.abs (fun r => machine_matrix r i) machine_norm d (hA i + hB i)
        = Integers.parallel_gap Z.mul Z.add Z.sub Z.abs (fun r => Integers.matrix Z.add Z.sub Z.mul ia r i) (Integers.norm Z.add Z.mul ia) d (hA i + hB i)).
      unfold Integers.parallel_gap, Integers.dot. rewrite !(proj1 (machine_matrix_is _ _)), (proj1 machine_norm_is). reflexivity.
  Qed.

  (** [Turned] *)
  Theorem turned_parallel_answer : forall words bits wd whA whB, (1 <= words)%nat ->
    Integers.stand3 (Widths.number_of words) wd d -> Integers.stand3 (Widths.number_of words) whA hA -> Integers.stand3 (Widths.number_of words) whB hB ->
    0 <= bits -> Widths.short_lengths bits d hA hB -> Widths.enough words 63 bits ->
    is_true (from_largest (greatest (fun i => Wide.sign (Integers.parallel_gap (fun f v => Wide.times v f) Widths.plus Widths.minus Wide.abs
      (fun r => machine_matrix r i) machine_norm wd (Widths.plus (whA i) (whB i)))) axes)) a b.
  Proof.
    intros words bits wd whA whB W Wd WA WB HL L E.
    rewrite (greatest_of_equal _ _ (parallel_sign ia d hA hB)); [exact (one_rotation_is_true a b Va Vb Same pa l Pa Pl ia d hA hB Ha Hd HhA HhB axes Others) |].
    intro i. destruct (Widths.parallel_turned_fits words bits ia d hA hB i Ia HL L E) as [FD FG].
    assert (S : Widths.number_of words (Integers.parallel_gap (fun f v => Wide.times v f) Widths.plus Widths.minus Wide.abs
      (fun r => machine_matrix r i) machine_norm wd (Widths.plus (whA i) (whB i)))
      (Integers.parallel_gap Z.mul Z.add Z.sub Z.abs (fun r => Integers.matrix Z.add Z.sub Z.mul ia r i) (Integers.norm Z.add Z.mul ia) d (hA i + hB i))).
    { unfold Integers.parallel_gap. apply (Widths.minus_number words W).
      - apply (Widths.abs_number words W); [| exact FD]. unfold Integers.dot. rewrite !(proj1 (machine_matrix_is _ _)).
        repeat apply (Widths.plus_number words W); apply (Widths.times_number words W); apply Wd.
      - rewrite (proj1 machine_norm_is). apply (Widths.times_number words W), (Widths.plus_number words W); [apply WA | apply WB]. }
    destruct (Widths.number_fits words W _ _ S FG) as [N [St F]]. unfold parallel_sign. apply Wide.sign_is; auto.
  Qed.
End Parallel.
