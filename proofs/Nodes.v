(** * The bounds of a node of the tree hold those of its records: [lbvh_bounds_cpu.rs], [lbvh_bounds.wgsl].

    The records below a node are consecutive. Their bounds are united from blocks of eight, of eight of
    these, and so on, as far as these lie between the first and the last record. *)

Require Import List PeanoNat Lia.
Import ListNotations.

(** Items of a level are records, or blocks of 8^level records. Only full blocks exist. *)
Definition of_item (level k r : nat) : Prop := k * 8 ^ level <= r < (k + 1) * 8 ^ level.
Fixpoint count (level records : nat) : nat := match level with 0 => records | S l => count l records / 8 end.

(** The items that [bounds_of] unites, given those of a level that are left: from low on, before high. *)
Inductive unites : nat -> nat -> nat -> list (nat * nat) -> Prop :=
  | UnitesNone : forall level low high, high <= low -> unites level low high []
  | UnitesLow : forall level low high l, low < high -> low mod 8 <> 0 ->
      unites level (low + 1) high l -> unites level low high ((level, low) :: l)
  | UnitesHigh : forall level low high l, low < high -> low mod 8 = 0 -> high mod 8 <> 0 ->
      unites level low (high - 1) l -> unites level low high ((level, high - 1) :: l)
  | UnitesUp : forall level low high l, low < high -> low mod 8 = 0 -> high mod 8 = 0 ->
      unites (S level) (low / 8) (high / 8) l -> unites level low high l.

(** The loops end. *)
Theorem unites_ends : forall level low high, exists l, unites level low high l.
Proof.
  assert (P : forall n level low high, high - low <= n -> exists l, unites level low high l).
  { induction n as [| n IH]; intros level low high H.
    - exists []. apply UnitesNone. lia.
    - destruct (Nat.le_gt_cases high low) as [L | L]; [exists []; apply UnitesNone; exact L |].
      destruct (Nat.eq_dec (low mod 8) 0) as [E | E].
      + destruct (Nat.eq_dec (high mod 8) 0) as [E' | E'].
        * pose proof (Nat.div_mod_eq low 8). pose proof (Nat.div_mod_eq high 8).
          destruct (IH (S level) (low / 8) (high / 8) ltac:(lia)) as [l U]. exists l. apply UnitesUp; auto.
        * destruct (IH level low (high - 1) ltac:(lia)) as [l U]. exists ((level, high - 1) :: l). apply UnitesHigh; auto.
      + destruct (IH level (low + 1) high ltac:(lia)) as [l U]. exists ((level, low) :: l). apply UnitesLow; auto. }
  intros level low high. exact (P _ level low high (le_n _)).
Qed.

(** They unite each record once looked for, and no other. *)
Theorem unites_all : forall level low high l, unites level low high l -> forall r,
  low * 8 ^ level <= r < high * 8 ^ level <-> exists l' k, In (l', k) l /\ of_item l' k r.
Proof.
  intros level low high l H. unfold of_item. induction H as [level low high L | level low high l L E H IH | level low high l L E E' H IH
    | level low high l L E E' H IH]; intro r.
  - split.
    + intros [A B]. assert (high * 8 ^ level <= low * 8 ^ level) by (apply Nat.mul_le_mono_r; exact L). lia.
    + intros [l' [k [[] _]]].
  - split.
    + intros [A B]. destruct (Nat.le_gt_cases ((low + 1) * 8 ^ level) r) as [C | C].
      * destruct (proj1 (IH r) (conj C B)) as [l' [k [I Q]]]. exists l', k. split; [right; exact I | exact Q].
      * exists level, low. split; [left; reflexivity | split; [exact A | exact C]].
    + intros [l' [k [[Q | I] [A B]]]].
      * injection Q as <- <-. assert ((low + 1) * 8 ^ level <= high * 8 ^ level) by (apply Nat.mul_le_mono_r; lia). lia.
      * destruct (proj2 (IH r) (ex_intro _ l' (ex_intro _ k (conj I (conj A B))))) as [C D].
        assert (low * 8 ^ level <= (low + 1) * 8 ^ level) by (apply Nat.mul_le_mono_r; lia). lia.
  - split.
    + intros [A B]. destruct (Nat.le_gt_cases ((high - 1) * 8 ^ level) r) as [C | C].
      * exists level, (high - 1). split; [left; reflexivity |]. replace (high - 1 + 1) with high by lia. split; [exact C | exact B].
      * destruct (proj1 (IH r) (conj A C)) as [l' [k [I Q]]]. exists l', k. split; [right; exact I | exact Q].
    + intros [l' [k [[Q | I] [A B]]]].
      * injection Q as <- <-. replace (high - 1 + 1) with high in B by lia.
        assert (low * 8 ^ level <= (high - 1) * 8 ^ level) by (apply Nat.mul_le_mono_r; lia). lia.
      * destruct (proj2 (IH r) (ex_intro _ l' (ex_intro _ k (conj I (conj A B))))) as [C D].
        assert ((high - 1) * 8 ^ level <= high * 8 ^ level) by (apply Nat.mul_le_mono_r; lia). lia.
  - pose proof (Nat.div_mod_eq low 8) as DL. pose proof (Nat.div_mod_eq high 8) as DH.
    assert (PL : low / 8 * 8 ^ S level = low * 8 ^ level) by (rewrite Nat.pow_succ_r', Nat.mul_assoc; f_equal; lia).
    assert (PH : high / 8 * 8 ^ S level = high * 8 ^ level) by (rewrite Nat.pow_succ_r', Nat.mul_assoc; f_equal; lia).
    rewrite <- PL, <- PH. apply IH.
Qed.

Lemma count_is : forall level records, count level records = records / 8 ^ level.
Proof.
  induction level; intro records.
  - rewrite Nat.pow_0_r, Nat.div_1_r. reflexivity.
  - change (count (S level) records) with (count level records / 8). rewrite IHlevel, Nat.pow_succ_r', Nat.mul_comm, Nat.div_div; auto. apply Nat.pow_nonzero. discriminate.
Qed.

(** Each item that is read exists. *)
Theorem unites_existing : forall low high records l l' k, unites 0 low high l -> high <= records -> In (l', k) l ->
  k < count l' records.
Proof.
  intros low high records l l' k H L I. rewrite count_is. assert (P : 8 ^ l' <> 0) by (apply Nat.pow_nonzero; discriminate).
  assert (Q : of_item l' k ((k + 1) * 8 ^ l' - 1)).
  { unfold of_item. rewrite Nat.mul_add_distr_r, Nat.mul_1_l. lia. }
  pose proof (proj2 (unites_all 0 low high l H _) (ex_intro _ l' (ex_intro _ k (conj I Q)))) as [_ B]. simpl in B. rewrite Nat.mul_1_r in B.
  assert (E : k + 1 <= records / 8 ^ l') by (apply Nat.div_le_lower_bound; [exact P | rewrite Nat.mul_comm; lia]). lia.
Qed.

Section Nodes.
  (** Bounds, of which some are inside others: minimum and maximum coordinates are not rounded. *)
  Variables (bounds : Type) (inside : bounds -> bounds -> Prop) (united : bounds -> bounds -> bounds).
  Hypothesis inside_self : forall a, inside a a.
  Hypothesis inside_both : forall a b c, inside a b -> inside b c -> inside a c.
  Hypothesis united_left : forall a b, inside a (united a b).
  Hypothesis united_right : forall a b, inside b (united a b).

  Variable item : nat -> nat -> bounds.
  (** A block unites eight items of the level below: [unite]. *)
  Hypothesis block_unites : forall level k, item (S level) k =
    fold_left united (map (fun j => item level (k * 8 + j)) [1; 2; 3; 4; 5; 6; 7]) (item level (k * 8)).

  Lemma fold_holds : forall l a b, inside b a \/ In b l -> inside b (fold_left united l a).
  Proof.
    induction l as [| c l IH]; intros a b H; simpl.
    - destruct H as [H | []]. exact H.
    - apply IH. destruct H as [H | [-> | H]]; [left; eapply inside_both; [exact H | apply united_left] | left; apply united_right | right; exact H].
  Qed.

  Lemma block_holds : forall level k r, of_item level k r -> inside (item 0 r) (item level k).
  Proof.
    induction level; intros k r [A B].
    - simpl in *. rewrite Nat.mul_1_r in A, B. replace k with r by lia. apply inside_self.
    - rewrite Nat.pow_succ_r' in A, B. set (w := 8 ^ level) in *. assert (W : w <> 0) by (apply Nat.pow_nonzero; discriminate).
      set (j := r / w - k * 8). pose proof (Nat.div_mod_eq r w) as D. pose proof (Nat.mod_upper_bound r w W) as M.
      assert (J : k * 8 <= r / w < (k + 1) * 8) by (split; [apply Nat.div_le_lower_bound; lia | apply Nat.div_lt_upper_bound; lia]).
      assert (O : of_item level (k * 8 + j) r) by (unfold of_item; fold w; replace (k * 8 + j) with (r / w) by (unfold j; lia); lia).
      rewrite block_unites. eapply inside_both; [apply (IHlevel _ _ O) |]. apply fold_holds.
      destruct (Nat.eq_dec j 0) as [-> | N]; [left; rewrite Nat.add_0_r; apply inside_self | right].
      apply (in_map (fun j => item level (k * 8 + j))). assert (1 <= j <= 7) by (unfold j in *; lia). simpl. lia.
  Qed.

  (** [bounds_of]: the first record, and what is united with it. *)
  Theorem node_holds : forall first last l, unites 0 (first + 1) (last + 1) l -> forall r, first <= r <= last ->
    inside (item 0 r) (fold_left united (map (fun p => item (fst p) (snd p)) l) (item 0 first)).
  Proof.
    intros first last l H r [A B]. destruct (Nat.eq_dec r first) as [-> | N]; [apply fold_holds; left; apply inside_self |].
    destruct (proj1 (unites_all 0 (first + 1) (last + 1) l H r) ltac:(simpl; lia)) as [l' [k [I Q]]].
    eapply inside_both; [apply (block_holds l' k r Q) |]. apply fold_holds. right.
    apply (in_map (fun p => item (fst p) (snd p)) l (l', k) I).
  Qed.
End Nodes.
