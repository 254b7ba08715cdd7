(** * A model of floating point that covers what compilers of shaders do, and the lemma of monomials.

    An expression is what a compiler has made of the formula between two fences. It may have
    commuted, associated, distributed, factored, fused: all that is asked of it is that its
    monomials, written out, are no more than N, of degree at most D, with the right sum, and with
    magnitudes that add up to at most S. The value of an expression is any number that it can
    evaluate to if every sum and product is off by a relative error of at most u, or by none
    (fused). Flushed subnormals are not in this model. *)

Require Import Reals List Lra Lia.
Import ListNotations.
Open Scope R_scope.

Inductive expr :=
  | Num (x : R)
  | Add (e e' : expr)
  | Mul (e e' : expr)
  | Twice (e : expr).   (* exact, as is a product with any power of two *)

(** The monomials of an expression, each with its degree, counted as often as they occur. *)
Definition monomial := (R * nat)%type.
Definition times (m m' : monomial) : monomial := (fst m * fst m', (snd m + snd m')%nat).

Fixpoint monomials (e : expr) : list monomial :=
  match e with
  | Num x => [(x, 1%nat)]
  | Add e e' => monomials e ++ monomials e'
  | Mul e e' => flat_map (fun m => map (times m) (monomials e')) (monomials e)
  | Twice e => map (fun m => (2 * fst m, snd m)) (monomials e)
  end.

Section Model.
  Variable u : R.
  Hypothesis u_range : 0 <= u < 1.

  (** [evaluates e v]: the machine may get v. Each operation returns either neighbour of the true
      result, or the nearest, or the true result itself if it is fused with the next. *)
  Inductive evaluates : expr -> R -> Prop :=
    | EvNum : forall x, evaluates (Num x) x
    | EvAdd : forall e e' v v' d, evaluates e v -> evaluates e' v' -> Rabs d <= u ->
        evaluates (Add e e') ((v + v') * (1 + d))
    | EvMul : forall e e' v v' d, evaluates e v -> evaluates e' v' -> Rabs d <= u ->
        evaluates (Mul e e') (v * v' * (1 + d))
    | EvTwice : forall e v, evaluates e v -> evaluates (Twice e) (2 * v).

  (** Factors that k roundings can make. *)
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

  (** A value is the sum of the monomials, each times a factor of its own. *)
  Definition total (l : list R) : R := fold_right Rplus 0 l.
  Inductive weighs (extra : nat) : list monomial -> R -> Prop :=
    | WeighsNone : weighs extra [] 0
    | WeighsOne : forall m l w v,
        factor (extra + (snd m - 1)) w -> weighs extra l v -> weighs extra (m :: l) (fst m * w + v).

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
    - replace ((fst m * w + v) * x) with (fst m * (x * w) + v * x) by ring. constructor; auto.
      rewrite <- Nat.add_assoc. apply factor_mult; auto.
  Qed.

  Lemma weighs_more : forall k k' l v, (k <= k')%nat -> weighs k l v -> weighs k' l v.
  Proof.
    intros k k' l v Hk H. induction H; constructor; auto.
    eapply factor_more; [| eassumption]. lia.
  Qed.

  Lemma degrees : forall e, Forall (fun m => 1 <= snd m)%nat (monomials e).
  Proof.
    induction e; simpl.
    - auto.
    - apply Forall_app; auto.
    - apply Forall_flat_map. eapply Forall_impl; [| eassumption]. intros m Hm. apply Forall_map.
      eapply Forall_impl; [| eassumption]. intros m' Hm'. simpl in *. lia.
    - apply Forall_map. auto.
  Qed.

  Lemma weighs_times : forall k k' m l v w x,
    (1 <= snd m)%nat -> Forall (fun m => 1 <= snd m)%nat l -> factor 1 x ->
    factor (k + (snd m - 1)) w -> weighs k' l v ->
    weighs (k + k') (map (times m) l) (fst m * w * v * x).
  Proof.
    intros k k' m l v w x Hm Hl Hx Hw H. induction H; simpl.
    - replace (fst m * w * 0 * x) with 0 by ring. constructor.
    - inversion_clear Hl.
      replace (fst m * w * (fst m0 * w0 + v) * x)
        with (fst (times m m0) * (w * w0 * x) + fst m * w * v * x) by (simpl; ring).
      constructor; auto. simpl.
      eapply factor_more; [| apply factor_mult; [apply factor_mult |]; eassumption]. lia.
  Qed.

  Lemma weighs_product : forall k k' l l' v v' x,
    Forall (fun m => 1 <= snd m)%nat l -> Forall (fun m => 1 <= snd m)%nat l' -> factor 1 x ->
    weighs k l v -> weighs k' l' v' ->
    weighs (k + k') (flat_map (fun m => map (times m) l') l) (v * v' * x).
  Proof.
    intros k k' l l' v v' x Hl Hl' Hx H H'. induction H; simpl.
    - rewrite !Rmult_0_l. constructor.
    - inversion_clear Hl.
      replace ((fst m * w + v) * v' * x) with (fst m * w * v' * x + v * v' * x) by ring.
      apply weighs_app; auto. apply weighs_times; auto.
  Qed.

  Lemma weighs_twice : forall k l v, weighs k l v ->
    weighs k (map (fun m => (2 * fst m, snd m)) l) (2 * v).
  Proof.
    intros k l v H. induction H; simpl.
    - rewrite Rmult_0_r. constructor.
    - replace (2 * (fst m * w + v)) with (fst (2 * fst m, snd m) * w + 2 * v) by (simpl; ring).
      constructor; auto.
  Qed.

  Lemma some : forall e, (1 <= length (monomials e))%nat.
  Proof.
    induction e; simpl; auto.
    - rewrite app_length. lia.
    - destruct (monomials e1); simpl in *; [lia |]. rewrite app_length, map_length. lia.
    - rewrite map_length. auto.
  Qed.

  Lemma product_length : forall l l' : list monomial,
    length (flat_map (fun m => map (times m) l') l) = (length l * length l')%nat.
  Proof. induction l; intros; simpl; auto. rewrite app_length, map_length, IHl. lia. Qed.

  (** The lemma of monomials: in any evaluation of an expression with N monomials, a monomial of
      degree D is multiplied by at most N - 1 + D - 1 roundings. The second-order terms are in it. *)
  Lemma monomials_lemma : forall e v, evaluates e v ->
    weighs (length (monomials e) - 1) (monomials e) v.
  Proof.
    intros e v H. induction H; simpl.
    - replace x with (x * 1 + 0) at 2 by ring. apply (WeighsOne 0 (x, 1%nat)); simpl; [| constructor].
      unfold factor; simpl; lra.
    - pose proof (some e). pose proof (some e'). rewrite app_length.
      apply (weighs_more (1 + (length (monomials e) + length (monomials e') - 2))); [lia |].
      apply weighs_scaled; [apply factor_one; auto |].
      apply weighs_app; eapply weighs_more; try eassumption; lia.
    - pose proof (some e). pose proof (some e'). rewrite product_length.
      assert (P : (length (monomials e) + length (monomials e') - 1
                   <= length (monomials e) * length (monomials e'))%nat) by nia.
      eapply weighs_more; [| apply weighs_product; try eassumption; try apply degrees;
                             apply factor_one; assumption]. lia.
    - rewrite map_length. apply weighs_twice. auto.
  Qed.

  (** ** The error of an expression *)
  Definition values (e : expr) : R := total (map fst (monomials e)).
  Definition magnitudes (e : expr) : R := total (map (fun m => Rabs (fst m)) (monomials e)).

  (** A compiler may make [e] of a formula with N monomials of degree at most D, whose value is x
      and whose magnitudes add up to S. Terms that cancel or are collected make N and S smaller. *)
  Definition rewriting (e : expr) (N D : nat) (S x : R) : Prop :=
    (length (monomials e) <= N)%nat /\ Forall (fun m => snd m <= D)%nat (monomials e) /\
    values e = x /\ magnitudes e <= S.

  Definition computed (N D : nat) (S x v : R) : Prop :=
    exists e, rewriting e N D S x /\ evaluates e v.

  (** The error of p roundings, with its second-order terms. *)
  Definition error (p : nat) : R := INR p * u + (INR p * u) ^ 2.

  Lemma below : forall p, 1 - INR p * u <= (1 - u) ^ p.
  Proof.
    induction p as [| p IH]; [simpl; lra |]. rewrite S_INR. simpl. pose proof (pos_INR p).
    assert ((1 - u) * (1 - INR p * u) <= (1 - u) * (1 - u) ^ p) by (apply Rmult_le_compat_l; lra).
    assert (0 <= INR p * (u * u)) by (apply Rmult_le_pos; [lra | nra]). lra.
  Qed.

  Lemma above : forall p, INR p * u <= 1 -> (1 + u) ^ p <= 1 + error p.
  Proof.
    unfold error. induction p as [| p IH]; intro H; [simpl; lra |].
    rewrite S_INR in *. simpl pow at 1. pose proof (pos_INR p).
    assert (H' : INR p * u <= 1) by lra. specialize (IH H').
    assert ((1 + u) * (1 + u) ^ p <= (1 + u) * (1 + (INR p * u + (INR p * u) ^ 2)))
      by (apply Rmult_le_compat_l; lra).
    set (k := INR p) in *.
    assert (0 <= k * u) by nra.
    assert ((k * u) * (k * u) * u <= 1 * (k * u) * u) by (apply Rmult_le_compat_r; [lra | nra]).
    assert (0 <= u * u) by nra.
    assert (0 <= k * (u * u)) by nra.
    nra.
  Qed.

  Lemma factor_error : forall p k w, INR p * u <= 1 -> (k <= p)%nat -> factor k w ->
    Rabs (w - 1) <= error p.
  Proof.
    intros p k w H Hk Hw. apply (factor_more k p) in Hw; auto. destruct Hw.
    pose proof (below p). pose proof (above p H). unfold error in *.
    assert (0 <= (INR p * u) ^ 2) by (simpl; nra). apply Rabs_le. lra.
  Qed.

  Lemma weighs_error : forall p k l v, INR p * u <= 1 -> weighs k l v ->
    Forall (fun m => k + (snd m - 1) <= p)%nat l ->
    Rabs (v - total (map fst l)) <= error p * total (map (fun m => Rabs (fst m)) l).
  Proof.
    intros p k l v Hp H. induction H; intro Hl; simpl.
    - rewrite Rminus_0_r, Rabs_R0. lra.
    - inversion_clear Hl. specialize (IHweighs H2).
      pose proof (factor_error p _ w Hp H1 H).
      replace (fst m * w + v - (fst m + total (map fst l)))
        with (fst m * (w - 1) + (v - total (map fst l))) by ring.
      eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_mult.
      pose proof (Rabs_pos (fst m)). nra.
  Qed.

  (** The theorem of part 4: whatever a compiler makes of a formula. *)
  Theorem rewriting_error : forall N D S x v, (1 <= D)%nat -> INR (N + D - 2) * u <= 1 ->
    computed N D S x v -> Rabs (v - x) <= error (N + D - 2) * S.
  Proof.
    intros N D S x v HD Hp [e [[HN [Hd [Hx HS]]] Hv]].
    pose proof (some e). pose proof (monomials_lemma e v Hv) as W.
    eapply weighs_error with (p := (N + D - 2)%nat) in W; auto.
    - unfold values in Hx. rewrite Hx in W. eapply Rle_trans; [exact W |].
      apply Rmult_le_compat_l; [| exact HS].
      unfold error. pose proof (pos_INR (N + D - 2)). simpl. nra.
    - pose proof (degrees e) as G. clear - HN Hd H G HD. induction (monomials e); auto.
      rewrite Forall_forall in *. intros m Hm. specialize (Hd m Hm). specialize (G m Hm). simpl in *. lia.
  Qed.
End Model.
