(** * The tree: a walk along its links finds each record that it meets once, and each pair once.

    The walk keeps no stack. A node has a link to its left child and one past its subtree, a record
    one to whatever follows it: [lbvh_pairs.wgsl], [lbvh_pairs_cpu.rs]. That the nodes in memory
    are a tree over the records, in their order, is assumed here. *)

Require Import List PeanoNat Lia.
Import ListNotations.

Section Tree.
  (** A link is a node, a record, or the end. *)
  Variables (link : Type) (last : link).
  Variables (left past : link -> link) (record_at : link -> option nat).

  Inductive tree := Leaf (r : nat) | Node (l r : tree).
  Fixpoint records (t : tree) : list nat := match t with Leaf r => [r] | Node l r => records l ++ records r end.

  (** A tree in memory, at a link; what follows it is at another. *)
  Inductive stored : tree -> link -> link -> Prop :=
    | StoredLeaf : forall r p, record_at p = Some r -> p <> last -> stored (Leaf r) p (past p)
    | StoredNode : forall l r p e, record_at p = None -> p <> last ->
        stored l (left p) e -> stored r e (past p) -> stored (Node l r) p (past p).

  (** Whether bounds at a link meet those of the walk. Those of a node hold those of its records. *)
  Variable meets : link -> bool.
  Variable met : nat -> bool.
  Hypothesis leaf_meets : forall p r, record_at p = Some r -> meets p = met r.
  Definition holds : Prop := forall t p e r, stored t p e -> In r (records t) -> met r = true -> meets p = true.
  Hypothesis bounds_hold : holds.

  (** A walk from a link to another, and the records that it finds. *)
  Inductive walks : link -> list nat -> link -> Prop :=
    | WalksNot : forall p, walks p [] p
    | WalksDown : forall p found q, p <> last -> meets p = true -> record_at p = None ->
        walks (left p) found q -> walks p found q
    | WalksFind : forall p r found q, p <> last -> meets p = true -> record_at p = Some r ->
        walks (past p) found q -> walks p (r :: found) q
    | WalksPast : forall p found q, p <> last -> meets p = false -> walks (past p) found q -> walks p found q.

  Lemma walks_on : forall p found q found' q', walks p found q -> walks q found' q' -> walks p (found ++ found') q'.
  Proof.
    intros p found q found' q' H. revert found' q'. induction H; intros; simpl; auto.
    - apply WalksDown; auto.
    - apply WalksFind; auto.
    - apply WalksPast; auto.
  Qed.

  Lemma nothing_met : forall l, (forall r, In r l -> met r = false) -> filter met l = [].
  Proof. induction l; intro H; simpl; auto. rewrite (H a (or_introl eq_refl)). apply IHl. intros. apply H.
    simpl. auto. Qed.

  Theorem walk_finds : forall t p e, stored t p e -> walks p (filter met (records t)) e.
  Proof.
    intros t p e H. induction H as [r p R L | l r p e R L Hl IHl Hr IHr].
    - simpl. rewrite <- (leaf_meets p r R). destruct (meets p) eqn:M.
      + apply WalksFind; auto. apply WalksNot.
      + apply WalksPast; auto. apply WalksNot.
    - destruct (meets p) eqn:M.
      + apply WalksDown; auto. simpl. rewrite filter_app. eapply walks_on; eauto.
      + rewrite nothing_met; [apply WalksPast; auto; apply WalksNot |].
        intros k Hk. destruct (met k) eqn:K; auto.
        rewrite (bounds_hold (Node l r) p (past p) k) in M; [discriminate | constructor 2 with e;
          auto | auto | auto].
  Qed.

  (** The walk of a record begins past it, and finds those after it. *)
  Theorem walk_of_record : forall t p e before r after, stored t p e -> records t = before ++ r :: after ->
    exists q, record_at q = Some r /\ walks (past q) (filter met after) e.
  Proof.
    intros t p e before r after H. revert before r after.
    induction H as [r' p R L | l r' p e R L Hl IHl Hr IHr]; intros before r after E; simpl in E.
    - destruct before as [| ? [| ? ?]]; try discriminate. injection E as -> <-. exists p. split;
      auto. apply WalksNot.
    - destruct (app_eq_app _ _ _ _ E) as [m [[E1 E2] | [E1 E2]]].
      + destruct m as [| k m].
        * simpl in E2. destruct (IHr [] r after) as [q [Q W]]; [auto | exists q; auto].
        * injection E2 as -> E3. destruct (IHl before k m E1) as [q [Q W]]. exists q. split; auto.
          rewrite E3, filter_app. eapply walks_on; [exact W |]. apply walk_finds. auto.
      + destruct (IHr m r after E2) as [q [Q W]]. exists q. auto.
  Qed.
End Tree.

(** Of two records that meet, the first in the order of the tree finds the second, and once. *)
Theorem tree_finds_once : forall (met : nat -> nat -> bool) order before a between b after,
  (forall i j, met i j = met j i) -> NoDup order -> order = before ++ a :: between ++ b :: after ->
    met a b = true ->
  let finds i l := filter (met i) l in
  count_occ Nat.eq_dec (finds a (between ++ b :: after)) b = 1 /\ ~ In a (finds b after).
Proof.
  intros met order before a between b after S D E M finds. subst order.
  assert (D1 : NoDup (a :: between ++ b :: after)) by (induction before; simpl in D; auto; inversion D; auto).
  inversion_clear D1 as [| ? ? N D']. split.
  - unfold finds. rewrite filter_app. simpl. rewrite M, count_occ_app. simpl. destruct (Nat.eq_dec b b);
    [| congruence].
    apply NoDup_remove_2 in D'. rewrite in_app_iff in D'.
    rewrite !(proj1 (count_occ_not_In Nat.eq_dec _ b)); auto; rewrite filter_In; tauto.
  - unfold finds. rewrite filter_In. rewrite in_app_iff in N. simpl in N. tauto.
Qed.
