(** * Scenes of tiny numbers are checked as larger copies: [rescaled.rs], and [Surroundings] of [obb64/around.rs].

    All lengths are multiplied by one power of two, which is not below 1. That rounds nothing, and does
    not change which boxes share a point or touch. *)

Require Import Rbase Rfunctions ZArith Lra Lia.
From Obbligato Require Import Boxes Sums.
Open Scope R_scope.

(** ** Products with a power of two *)
Lemma power_is_number : forall p eta x k, Sums.number p eta x -> Sums.number p eta (x * 2 ^ k).
Proof.
  intros p eta x k [m [e [B ->]]]. exists m, (e + k)%nat. split; [exact B |]. rewrite pow_add. clear; lra.
Qed.

(** A number of few bits and of large multiples is one of more bits and of small multiples. *)
Lemma number_of_more : forall p p' eta k x, (p <= p')%nat -> Sums.number p (2 ^ k * eta) x -> Sums.number p' eta x.
Proof.
  intros p p' eta k x L [m [e [B ->]]]. exists m, (e + k)%nat. split; [| rewrite pow_add; clear; lra].
  eapply Rlt_le_trans; [exact B |]. apply Rle_pow; [lra | exact L].
Qed.

Section Rounds.
  Variables (p p' : nat) (eta : R) (k : nat).
  Hypothesis p_more : (p <= p')%nat.
  (** Rounding to the wide format, then to the narrow one. *)
  Variables wide narrow : R -> R.
  Hypothesis wide_is_nearest : forall x y, Sums.number p' eta y -> Rabs (wide x - x) <= Rabs (y - x).
  Hypothesis narrow_is_nearest : forall x y, Sums.number p (2 ^ k * eta) y -> Rabs (narrow x - x) <= Rabs (y - x).

  Lemma wide_keeps : forall x, Sums.number p' eta x -> wide x = x.
  Proof.
    intros x N. pose proof (wide_is_nearest x x N) as H. rewrite (Rminus_eq_0 x), Rabs_R0 in H. pose proof (Rabs_pos (wide x - x)).
    destruct (Req_dec (wide x - x) 0) as [E | E]; [lra |]. apply Rabs_pos_lt in E. lra.
  Qed.
  Lemma narrow_keeps : forall x, Sums.number p (2 ^ k * eta) x -> narrow x = x.
  Proof.
    intros x N. pose proof (narrow_is_nearest x x N) as H. rewrite (Rminus_eq_0 x), Rabs_R0 in H. pose proof (Rabs_pos (narrow x - x)).
    destruct (Req_dec (narrow x - x) 0) as [E | E]; [lra |]. apply Rabs_pos_lt in E. lra.
  Qed.

  (** A number in f32, times a power of two in f64, rounded to f32. *)
  Theorem rescaled_exactly : forall x j, Sums.number p (2 ^ k * eta) x -> narrow (wide (x * 2 ^ j)) = x * 2 ^ j.
  Proof.
    intros x j N. pose proof (power_is_number p (2 ^ k * eta) x j N) as P.
    rewrite (wide_keeps _ (number_of_more p p' eta k _ p_more P)). apply narrow_keeps, P.
  Qed.

  (** A number in f64, times a power of two. *)
  Theorem rescaled_in_f64 : forall x j, Sums.number p' eta x -> wide (x * 2 ^ j) = x * 2 ^ j.
  Proof. intros x j N. apply wide_keeps, power_is_number, N. Qed.
End Rounds.

(** ** Larger copies of boxes *)
Definition larger (k : R) (b : box) : box := Box (fun i => k * center b i) (fun i => k * half b i) (rotation b).

Lemma larger_contains : forall k b p, contains b p -> contains (larger k b) (fun i => k * p i).
Proof.
  intros k b p [s [S E]]. exists s. split; [exact S |]. intro i. rewrite E. unfold larger, edge, sum. simpl. clear; lra.
Qed.

Lemma larger_back : forall k b p, 0 < k -> contains (larger k b) p -> contains b (fun i => p i / k).
Proof.
  intros k b p K [s [S E]]. exists s. split; [exact S |]. intro i. rewrite E. unfold sum.
  change (edge (larger k b)) with (edge b). change (center (larger k b) i) with (k * center b i).
  change (half (larger k b)) with (fun i => k * half b i). cbv beta.
  generalize (edge b X i), (edge b Y i), (edge b Z i). intros x y z. field. lra.
Qed.

Theorem larger_collide : forall k a b, 0 < k -> (collide (larger k a) (larger k b) <-> collide a b).
Proof.
  intros k a b K. split; intros [p [A B]].
  - exists (fun i => p i / k). split; apply larger_back; auto.
  - exists (fun i => k * p i). split; apply larger_contains; auto.
Qed.

Lemma larger_moved : forall k b v, larger k (moved b v) = moved (larger k b) (fun i => k * v i) \/
  (forall a, collide a (larger k (moved b v)) <-> collide a (moved (larger k b) (fun i => k * v i))).
Proof.
  intros k b v. right. intro a. split; intros [p [A [s [S E]]]]; exists p; (split; [exact A |]); exists s; (split; [exact S |]);
    intro i; rewrite E; unfold larger, moved, edge, sum; simpl; clear; lra.
Qed.

Theorem larger_touching : forall k a b, 0 < k -> (touching (larger k a) (larger k b) <-> touching a b).
Proof.
  intros k a b K.
  assert (M : forall a b v, collide (larger k a) (moved (larger k b) (fun i => k * v i)) <-> collide a (moved b v)).
  { intros a0 b0 v. rewrite <- (larger_collide k a0 (moved b0 v) K). destruct (larger_moved k b0 v) as [-> | H]; [tauto |].
    symmetry. apply H. }
  unfold touching. rewrite (larger_collide k a b K). split; intros [C T]; (split; [exact C |]); intros e He.
  - destruct (T (k * e) (Rmult_lt_0_compat k e K He)) as [v [B S]]. exists (fun i => v i / k). split.
    + intro i. unfold Rdiv. rewrite Rabs_mult, Rabs_inv, (Rabs_pos_eq k) by lra. apply (Rmult_lt_reg_r k); [exact K |].
      rewrite Rmult_assoc, Rinv_l by lra. specialize (B i). lra.
    + unfold separated in *. intro H. apply S. apply (M a b (fun i => v i / k)) in H. destruct H as [p [P Q]]. exists p. split; [exact P |].
      destruct Q as [s [S' E]]. exists s. split; [exact S' |]. intro i. rewrite E. unfold sum.
      change (edge (moved (larger k b) (fun i => k * (v i / k)))) with (edge b). change (edge (moved (larger k b) v)) with (edge b).
      simpl. field. lra.
  - destruct (T (e / k) (Rdiv_lt_0_compat e k He K)) as [v [B S]]. exists (fun i => k * v i). split.
    + intro i. rewrite Rabs_mult, (Rabs_pos_eq k) by lra. specialize (B i). apply (Rmult_lt_reg_r (/ k)); [apply Rinv_0_lt_compat, K |].
      replace (k * Rabs (v i) * / k) with (Rabs (v i)) by (field; lra). exact B.
    + unfold separated in *. intro H. apply S, (M a b v), H.
Qed.
