(** * Boxes without a positive F on any of the fifteen axes collide. *)

Require Import Rbase Rfunctions Lra.
From Obbligato Require Import Boxes Formulas Propagation Complete.
Open Scope R_scope.

Lemma sign : forall k x, 0 < k -> k * x <= 0 -> x <= 0.
Proof. intros k x Hk H. apply (Rmult_le_reg_l k); auto. rewrite Rmult_0_r. auto. Qed.

Theorem no_positive_F_collides : forall a b, valid a -> valid b ->
  (forall k, F a b k <= 0) -> collide a b.
Proof.
  intros a b Ha Hb H. apply fifteen_axes; auto. intro k. apply (sign (n a * s a b)).
  - apply Rmult_lt_0_compat; [apply n_pos | apply s_pos]; auto.
  - rewrite <- F_is_n_s_f; auto.
Qed.
