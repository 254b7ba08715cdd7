(** * A model of floating point that covers what compilers of shaders do, and the lemma of monomials.

    An expression is what a compiler has made of the formula between two fences. It may have
    commuted, associated, distributed, factored, fused: all that is asked of it is that its
    monomials, written out, are no more than N, of degree at most D, with the right sum, and with
    magnitudes that add up to at most S. The value of an expression is any number that it can
    evaluate to if every sum and product is off by a relative error of at most u, or by none
    (fused), and if every number up to 1 that is read or computed may be off by phi. With the least
    normal number as phi, that includes flushes to zero; with the least number of all, gradual
    underflow. *)

Require Import Rbase Rfunctions List Lra Lia.
Import ListNotations.
Open Scope R_scope.

(** Formulas are of degree 1 in the lengths, or 0, so lengths are told from other numbers. *)
Inductive expr :=
  | Num (x : R)
  | Len (x : R)
  | Add (e e' : expr)
  | Mul (e e' : expr)
  | Twice (e : expr).   (* exact, as is a product with any power of two *)

Fixpoint is_number (e : expr) : Prop :=
  match e with
  | Num _ => True
  | Len _ => False
  | Add e e' | Mul e e' => is_number e /\ is_number e'
  | Twice e => is_number e
  end.
Fixpoint is_length (e : expr) : Prop :=
  match e with
  | Num _ => False
  | Len _ => True
  | Add e e' => is_length e /\ is_length e'
  | Mul e e' => is_length e /\ is_number e' \/ is_number e /\ is_length e'
  | Twice e => is_length e
  end.

(** An expression with its sign changed. *)
Fixpoint minus (e : expr) : expr :=
  match e with
  | Num x => Num (- x)
  | Len x => Len (- x)
  | Add e e' => Add (minus e) (minus e')
  | Mul e e' => Mul (minus e) e'
  | Twice e => Twice (minus e)
  end.

(** A monomial has a degree; a cap, which no product of some of its numbers exceeds; and the product
    of its lengths. *)
Record monomial := Monomial { value : R; degree : nat; cap : R; len : R }.
Definition times (m m' : monomial) : monomial :=
  Monomial (value m * value m') (degree m + degree m') (cap m * cap m') (len m * len m').
Definition twice (m : monomial) : monomial := Monomial (2 * value m) (degree m) (2 * cap m) (len m).
Definition product (l l' : list monomial) : list monomial := flat_map (fun m => map (times m) l') l.

(** The monomials of an expression, counted as often as they occur. *)
Fixpoint monomials (e : expr) : list monomial :=
  match e with
  | Num x => [Monomial x 1 (Rmax 1 (Rabs x)) 1]
  | Len x => [Monomial x 1 1 (Rabs x)]
  | Add e e' => monomials e ++ monomials e'
  | Mul e e' => product (monomials e) (monomials e')
  | Twice e => map twice (monomials e)
  end.

(** ** Sums over monomials *)
Definition total (l : list R) : R := fold_right Rplus 0 l.
Definition over (f : monomial -> R) (l : list monomial) : R := total (map f l).

Lemma over_app : forall f l l', over f (l ++ l') = over f l + over f l'.
Proof. intros f l l'. unfold over. induction l; simpl; [clear; lra |]. rewrite IHl. clear; lra. Qed.

Lemma over_twice : forall f l, (forall m, f (twice m) = 2 * f m) -> over f (map twice l) = 2 * over f l.
Proof. intros f l H. unfold over. induction l; simpl; [clear; lra |]. rewrite IHl, H. clear; lra. Qed.

Lemma over_product : forall f g h g' h' l l',
  (forall m m', f (times m m') = g m * h m' + g' m * h' m') ->
  over f (product l l') = over g l * over h l' + over g' l * over h' l'.
Proof.
  intros f g h g' h' l l' H. unfold product. induction l as [| m l IH]; simpl.
  - unfold over. simpl. clear; lra.
  - rewrite over_app, IH.
    assert (E : over f (map (times m) l') = g m * over h l' + g' m * over h' l').
    { unfold over. clear IH. induction l'; simpl; [clear; lra |]. rewrite IHl', H. clear; lra. }
    rewrite E. unfold over. simpl. clear; lra.
Qed.

Lemma over_below : forall f g l, Forall (fun m => f m <= g m) l -> over f l <= over g l.
Proof. intros f g l H. unfold over. induction H; simpl; lra. Qed.

Lemma over_scaled : forall k f l, over (fun m => k * f m) l = k * over f l.
Proof. intros k f l. unfold over. induction l; simpl; [clear; lra |]. rewrite IHl. clear; lra. Qed.

Definition caps : list monomial -> R := over cap.
Definition reach : list monomial -> R := over (fun m => cap m * len m).
Definition caps_by_degree : list monomial -> R := over (fun m => INR (degree m) * cap m).
Definition reach_by_degree : list monomial -> R := over (fun m => INR (degree m) * (cap m * len m)).

Lemma caps_product : forall l l', caps (product l l') = caps l * caps l'.
Proof.
  intros. unfold caps. rewrite (over_product _ cap cap (fun _ => 0) (fun _ => 0)); [| intros; simpl; clear; lra].
  replace (over (fun _ => 0) l) with (0 * over (fun _ => 0) l) by (rewrite <- over_scaled; unfold over; f_equal;
    apply map_ext; intros; clear; lra). clear; lra.
Qed.
Lemma reach_product : forall l l', reach (product l l') = reach l * reach l'.
Proof.
  intros. unfold reach. rewrite (over_product _ (fun m => cap m * len m) (fun m => cap m * len m) (fun _ => 0) (fun _ => 0));
    [| intros; simpl; clear; lra].
  replace (over (fun _ => 0) l) with (0 * over (fun _ => 0) l) by (rewrite <- over_scaled; unfold over; f_equal;
    apply map_ext; intros; clear; lra). clear; lra.
Qed.
Lemma caps_by_degree_product : forall l l',
  caps_by_degree (product l l') = caps_by_degree l * caps l' + caps l * caps_by_degree l'.
Proof. intros. apply over_product. intros. simpl. rewrite plus_INR. clear; lra. Qed.
Lemma reach_by_degree_product : forall l l',
  reach_by_degree (product l l') = reach_by_degree l * reach l' + reach l * reach_by_degree l'.
Proof. intros. apply over_product. intros. simpl. rewrite plus_INR. clear; lra. Qed.

(** What holds for each monomial. *)
Definition proper (m : monomial) : Prop :=
  (1 <= degree m)%nat /\ Rabs (value m) <= cap m * len m /\ 1 <= cap m /\ 0 <= len m.

Lemma forall_product : forall (P Q S : monomial -> Prop) l l', (forall m m', P m -> Q m' -> S (times m m')) ->
  Forall P l -> Forall Q l' -> Forall S (product l l').
Proof.
  intros P Q S l l' H Hl Hl'. apply Forall_flat_map. eapply Forall_impl; [| exact Hl]. intros m Hm.
  apply Forall_map. eapply Forall_impl; [| exact Hl']. auto.
Qed.

Lemma all_proper : forall e, Forall proper (monomials e).
Proof.
  induction e; simpl.
  - constructor; [| constructor]. unfold proper. simpl. rewrite Rmult_1_r.
    pose proof (Rmax_l 1 (Rabs x)). pose proof (Rmax_r 1 (Rabs x)). repeat split; auto; lra.
  - constructor; [| constructor]. unfold proper. simpl. rewrite Rmult_1_l.
    pose proof (Rabs_pos x). repeat split; auto; lra.
  - apply Forall_app; auto.
  - apply (forall_product proper proper); auto. intros m m' [D [V [C L]]] [D' [V' [C' L']]].
    repeat split; simpl; [lia | | nra | nra].
    rewrite Rabs_mult. replace (cap m * cap m' * (len m * len m')) with ((cap m * len m) * (cap m' * len m')) by (clear; lra).
    apply Rmult_le_compat; auto; apply Rabs_pos.
  - apply Forall_map. eapply Forall_impl; [| exact IHe]. intros m [D [V [C L]]].
    repeat split; simpl; try lia; try lra. rewrite Rabs_mult, (Rabs_pos_eq 2) by lra. nra.
Qed.

Lemma some : forall e, (1 <= length (monomials e))%nat.
Proof.
  induction e; simpl; auto.
  - rewrite app_length. lia.
  - unfold product. destruct (monomials e1); simpl in *; [lia |]. rewrite app_length, map_length. lia.
  - rewrite map_length. auto.
Qed.

Lemma product_length : forall l l', length (product l l') = (length l * length l')%nat.
Proof. unfold product. induction l; intros; simpl; auto. rewrite app_length, map_length, IHl. lia. Qed.

Lemma caps_some : forall e, 1 <= caps (monomials e).
Proof.
  intro e. pose proof (some e) as S. pose proof (all_proper e) as P. destruct P as [| m l [_ [_ [C _]]] P].
  - simpl in S. lia.
  - clear S. unfold caps, over. simpl. assert (0 <= total (map cap l)).
    { induction P as [| m' l' [_ [_ [C' _]]] P IH]; simpl; lra. } lra.
Qed.

Lemma no_length : forall e, is_number e -> Forall (fun m => len m = 1) (monomials e).
Proof.
  induction e; simpl; intro H; try tauto; auto.
  - apply Forall_app. tauto.
  - destruct H. apply (forall_product (fun m => len m = 1) (fun m => len m = 1)); auto.
    intros m m' L L'. simpl. rewrite L, L'. clear; lra.
  - apply Forall_map. auto.
Qed.

Lemma reach_of_number : forall e, is_number e -> reach (monomials e) = caps (monomials e) /\
  reach_by_degree (monomials e) = caps_by_degree (monomials e).
Proof.
  intros e H. apply no_length in H. unfold reach, caps, reach_by_degree, caps_by_degree, over.
  induction H as [| m l L H [IH IH']]; simpl; [lra |]. rewrite IH, IH', L. split; clear; lra.
Qed.

(** The largest degree. *)
Fixpoint top (e : expr) : nat :=
  match e with
  | Num _ | Len _ => 1
  | Add e e' => Nat.max (top e) (top e')
  | Mul e e' => top e + top e'
  | Twice e => top e
  end.

Lemma top_attained : forall e, (exists m, In m (monomials e) /\ degree m = top e) /\
  Forall (fun m => degree m <= top e)%nat (monomials e).
Proof.
  induction e as [x | x | e [[m [I E]] F] e' [[m' [I' E']] F'] | e [[m [I E]] F] e' [[m' [I' E']] F'] | e [[m [I E]] F]];
    simpl; try (split; [eexists; split; [left; reflexivity | reflexivity] | repeat constructor]).
  - split.
    + destruct (Nat.max_spec (top e) (top e')) as [[_ ->] | [_ ->]].
      * exists m'. rewrite in_app_iff. auto.
      * exists m. rewrite in_app_iff. auto.
    + apply Forall_app. split; eapply Forall_impl; try eassumption; simpl; intros; lia.
  - split.
    + exists (times m m'). simpl. rewrite E, E'. split; auto. apply in_flat_map. exists m. split; auto.
      apply in_map. auto.
    + apply (forall_product (fun m => degree m <= top e)%nat (fun m => degree m <= top e')%nat); auto.
      intros. simpl. lia.
  - split.
    + exists (twice m). simpl. split; auto. apply in_map. auto.
    + apply Forall_map. auto.
Qed.

Lemma top_pos : forall e, (1 <= top e)%nat.
Proof. induction e; simpl; lia. Qed.

Section Model.
  Variables u phi : R.
  Hypothesis u_range : 0 <= u < 1.
  Hypothesis phi_range : 0 <= phi <= 1.

  (** A number that is not normal may be flushed, or rounded to a subnormal one. 0 stays 0. *)
  Definition flushed (x v : R) : Prop := x <> 0 /\ Rabs x <= 1 /\ Rabs v <= 1 /\ Rabs (v - x) <= phi.
  Definition read (x v : R) : Prop := v = x \/ flushed x v.
  (** Either neighbour of the true result, or the nearest, or the true result itself if it is fused
      with the next operation. *)
  Definition rounds (x v : R) : Prop := (exists d, Rabs d <= u /\ v = x * (1 + d)) \/ flushed x v.

  (** [evaluates e v]: the machine may get v. *)
  Inductive evaluates : expr -> R -> Prop :=
    | EvNum : forall x v, read x v -> evaluates (Num x) v
    | EvLen : forall x v, read x v -> evaluates (Len x) v
    | EvAdd : forall e e' v v' y, evaluates e v -> evaluates e' v' -> rounds (v + v') y -> evaluates (Add e e') y
    | EvMul : forall e e' v v' y, evaluates e v -> evaluates e' v' -> rounds (v * v') y -> evaluates (Mul e e') y
    | EvTwice : forall e v y, evaluates e v -> read (2 * v) y -> evaluates (Twice e) y.

  (** ** Factors that k roundings can make *)
  Definition factor (k : nat) (w : R) : Prop := (1 - u) ^ k <= w <= (1 + u) ^ k.

  Lemma factor_mult : forall k k' w w', factor k w -> factor k' w' -> factor (k + k') (w * w').
  Proof.
    intros k k' w w' [L H] [L' H']. unfold factor. rewrite !pow_add.
    assert (P : 0 <= (1 - u) ^ k) by (apply pow_le; lra).
    assert (P' : 0 <= (1 - u) ^ k') by (apply pow_le; lra).
    split; apply Rmult_le_compat; auto; eapply Rle_trans; [exact P | exact L | exact P' | exact L'].
  Qed.

  Lemma factor_more : forall k k' w, (k <= k')%nat -> factor k w -> factor k' w.
  Proof.
    intros k k' w Hk Hw. replace k' with (k + (k' - k))%nat by lia. rewrite <- (Rmult_1_r w).
    apply factor_mult; auto. split.
    - eapply Rle_trans; [apply pow_incr with (y := 1); lra | rewrite pow1; lra].
    - apply pow_R1_Rle. lra.
  Qed.

  Lemma factor_one : forall d, Rabs d <= u -> factor 1 (1 + d).
  Proof.
    intros d H. pose proof (Rle_abs d). pose proof (Rle_abs (- d)). rewrite Rabs_Ropp in *.
    unfold factor; simpl; lra.
  Qed.

  (** A value, flushes aside, is the sum of the monomials, each times a factor of its own. *)
  Inductive weighs (extra : nat) : list monomial -> R -> Prop :=
    | WeighsNone : weighs extra [] 0
    | WeighsOne : forall m l w v,
        factor (extra + (degree m - 1)) w -> weighs extra l v -> weighs extra (m :: l) (value m * w + v).

  Lemma weighs_app : forall k l l' v v',
    weighs k l v -> weighs k l' v' -> weighs k (l ++ l') (v + v').
  Proof.
    intros k l l' v v' H H'. induction H; simpl.
    - rewrite Rplus_0_l. auto.
    - rewrite Rplus_assoc. constructor; auto.
  Qed.

  Lemma weighs_scaled : forall k l v x j, factor j x -> weighs k l v -> weighs (j + k) l (v * x).
  Proof.
    intros k l v x j Hx H. induction H.
    - rewrite Rmult_0_l. constructor.
    - replace ((value m * w + v) * x) with (value m * (x * w) + v * x) by (clear; lra). constructor; auto.
      rewrite <- Nat.add_assoc. apply factor_mult; auto.
  Qed.

  Lemma weighs_more : forall k k' l v, (k <= k')%nat -> weighs k l v -> weighs k' l v.
  Proof.
    intros k k' l v Hk H. induction H; constructor; auto.
    eapply factor_more; [| eassumption]. lia.
  Qed.

  Lemma weighs_times : forall k k' m l v w x, proper m -> Forall proper l -> factor 1 x ->
    factor (k + (degree m - 1)) w -> weighs k' l v ->
    weighs (k + k') (map (times m) l) (value m * w * v * x).
  Proof.
    intros k k' m l v w x [Hm _] Hl Hx Hw H. induction H; simpl.
    - replace (value m * w * 0 * x) with 0 by (clear; lra). constructor.
    - inversion_clear Hl. destruct H1 as [Hd _].
      replace (value m * w * (value m0 * w0 + v) * x)
        with (value (times m m0) * (w * w0 * x) + value m * w * v * x) by (simpl; clear; lra).
      constructor; auto. simpl.
      eapply factor_more; [| apply factor_mult; [apply factor_mult |]; eassumption]. lia.
  Qed.

  Lemma weighs_product : forall k k' l l' v v' x, Forall proper l -> Forall proper l' -> factor 1 x ->
    weighs k l v -> weighs k' l' v' -> weighs (k + k') (product l l') (v * v' * x).
  Proof.
    intros k k' l l' v v' x Hl Hl' Hx H H'. unfold product. induction H; simpl.
    - rewrite !Rmult_0_l. constructor.
    - inversion_clear Hl.
      replace ((value m * w + v) * v' * x) with (value m * w * v' * x + v * v' * x) by (clear; lra).
      apply weighs_app; auto. apply weighs_times; auto.
  Qed.

  Lemma weighs_twice : forall k l v, weighs k l v -> weighs k (map twice l) (2 * v).
  Proof.
    intros k l v H. induction H; simpl.
    - rewrite Rmult_0_r. constructor.
    - replace (2 * (value m * w + v)) with (value (twice m) * w + 2 * v) by (simpl; clear; lra).
      constructor; auto.
  Qed.

  (** ** The lemma of monomials: in any evaluation of an expression with N monomials, a monomial of
      degree D is multiplied by at most N - 1 + D - 1 roundings. *)
  Definition roundings (e : expr) : nat := (length (monomials e) - 1 + (top e - 1))%nat.
  Definition growth (e : expr) : R := (1 + u) ^ roundings e.

  Lemma growth_pos : forall e, 1 <= growth e.
  Proof. intro e. apply pow_R1_Rle. lra. Qed.

  Lemma growth_add : forall e e', growth e * (1 + u) <= growth (Add e e') /\ growth e' * (1 + u) <= growth (Add e e').
  Proof.
    intros e e'. pose proof (some e). pose proof (some e'). unfold growth, roundings. simpl. rewrite app_length.
    assert (B : forall j k, (j + 1 <= k)%nat -> (1 + u) ^ j * (1 + u) <= (1 + u) ^ k).
    { intros j k L. rewrite <- (pow_1 (1 + u)) at 2. rewrite <- pow_add. apply Rle_pow; [lra | exact L]. }
    split; apply B; lia.
  Qed.

  Lemma growth_mul : forall e e', growth e * growth e' * (1 + u) <= growth (Mul e e').
  Proof.
    intros e e'. pose proof (some e). pose proof (some e'). pose proof (top_pos e). pose proof (top_pos e').
    unfold growth, roundings. simpl. rewrite product_length, <- pow_add.
    rewrite <- (pow_1 (1 + u)) at 2. rewrite <- pow_add. apply Rle_pow; [lra |]. nia.
  Qed.

  Lemma growth_twice : forall e, growth (Twice e) = growth e.
  Proof. intro e. unfold growth, roundings. simpl. rewrite map_length. reflexivity. Qed.

  (** What an operation does, with the flush as a term of its own. *)
  Lemma rounds_split : forall x v, rounds x v -> exists d e, Rabs d <= u /\ Rabs e <= phi /\ v = x * (1 + d) + e /\
    (Rabs v <= Rabs x * (1 + u) \/ Rabs v <= 1).
  Proof.
    intros x v [[d [D ->]] | [_ [_ [V E]]]].
    - exists d, 0. rewrite Rabs_R0. repeat split; try lra. left. rewrite Rabs_mult. apply Rmult_le_compat_l; [apply Rabs_pos |].
      eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_R1. lra.
    - exists 0, (v - x). rewrite Rabs_R0. repeat split; try lra.
  Qed.
  Lemma read_split : forall x v, read x v -> exists e, Rabs e <= phi /\ v = x + e /\ (Rabs v <= Rabs x \/ Rabs v <= 1).
  Proof.
    intros x v [-> | [_ [_ [V E]]]].
    - exists 0. rewrite Rabs_R0. repeat split; lra.
    - exists (v - x). repeat split; auto. clear; lra.
  Qed.

  (** The value, the sum that it weighs, and the difference, which flushes make. *)
  Definition splits (e : expr) (v y : R) : Prop := exists s, weighs (length (monomials e) - 1) (monomials e) s /\
    Rabs s <= growth e * reach (monomials e) /\ Rabs (v - s) <= phi * (growth e * y) - phi.

  Lemma weighs_below : forall k l s D, (1 <= D)%nat -> weighs k l s -> Forall proper l ->
    Forall (fun m => degree m <= D)%nat l -> Rabs s <= (1 + u) ^ (k + (D - 1)) * reach l.
  Proof.
    intros k l s D HD H. unfold reach, over. induction H; intros P L; simpl.
    - rewrite Rabs_R0. lra.
    - inversion_clear P. inversion_clear L. specialize (IHweighs H2 H4). destruct H1 as [_ [V _]].
      apply (factor_more _ (k + (D - 1))) in H; [| lia]. destruct H as [W W'].
      assert (WP : 0 <= (1 - u) ^ (k + (D - 1))) by (apply pow_le; lra).
      eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_mult, (Rabs_pos_eq w) by lra.
      assert (Rabs (value m) * w <= (cap m * len m) * (1 + u) ^ (k + (D - 1))).
      { apply Rmult_le_compat; auto; [apply Rabs_pos | lra]. } lra.
  Qed.

  Lemma weighs_within : forall e s, weighs (length (monomials e) - 1) (monomials e) s ->
    Rabs s <= growth e * reach (monomials e).
  Proof.
    intros e s W. apply (weighs_below _ _ _ (top e) (top_pos e) W (all_proper e)). apply (top_attained e).
  Qed.
End Model.
