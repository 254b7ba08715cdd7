(** * An axis along which there is a gap separates two boxes. *)

Require Import Rbase Rfunctions Lra.
From Obbligato Require Import Boxes Formulas.
Open Scope R_scope.

(** The projection of a point of a box is within its radius of that of its center. *)
Lemma within_radius : forall b p l, (forall i, 0 <= half b i) -> contains b p ->
  Rabs (dot (fun k => p k - center b k) l) <= radius b l.
Proof.
  intros b p l Hh [c [Hc Hp]].
  assert (E : dot (fun k => p k - center b k) l = sum (fun i => half b i * (c i * dot (edge b i) l)))
    by (unfold dot, sum; rewrite !Hp; unfold sum; clear; lra).
  rewrite E. unfold radius, sum.
  assert (B : forall i, Rabs (half b i * (c i * dot (edge b i) l)) <= half b i * Rabs (dot (edge b i) l)).
  { intro i. rewrite !Rabs_mult, (Rabs_pos_eq (half b i)) by auto.
    apply Rmult_le_compat_l; auto. rewrite <- (Rmult_1_l (Rabs (dot _ _))) at 2.
    apply Rmult_le_compat_r; [apply Rabs_pos |]. apply Rabs_le. destruct (Hc i). split; auto. }
  eapply Rle_trans; [apply Rabs_triang |]. apply Rplus_le_compat; auto.
  eapply Rle_trans; [apply Rabs_triang |]. apply Rplus_le_compat; auto.
Qed.

Theorem gap_separates : forall a b l, valid a -> valid b -> 0 < f a b l -> separated a b.
Proof.
  intros a b l [Ha _] [Hb _] Hf [p [Pa Pb]].
  pose proof (within_radius a p l Ha Pa) as A. pose proof (within_radius b p l Hb Pb) as B.
  unfold f in Hf.
  assert (E : dot (apart a b) l =
    dot (fun k => p k - center a k) l - dot (fun k => p k - center b k) l)
    by (unfold dot, apart, sum; clear; lra).
  rewrite E in Hf.
  pose proof (Rabs_triang (dot (fun k => p k - center a k) l) (- dot (fun k => p k - center b k) l)) as T.
  rewrite Rabs_Ropp in T.
  match type of T with Rabs (?x + - ?y) <= _ => change (x + - y) with (x - y) in T end. lra.
Qed.

(** Hence one positive F is enough. *)
Theorem positive_F_separates : forall a b, valid a -> valid b ->
  (exists i, 0 < F_face_a a b i) \/ (exists j, 0 < F_face_b a b j) \/
  (exists i j, 0 < F_edges a b i j) -> separated a b.
Proof.
  intros a b Ha Hb H.
  assert (P : 0 < n a * s a b) by (apply Rmult_lt_0_compat; [apply n_pos | apply s_pos]; auto).
  assert (Q : forall l, 0 < n a * s a b * f a b l -> separated a b).
  { intros l Hl. apply (gap_separates a b l); auto.
    apply (Rmult_lt_reg_l (n a * s a b)); auto. rewrite Rmult_0_r. auto. }
  destruct H as [[i H] | [[j H] | [i [j H]]]].
  - rewrite face_a_is_n_s_f in H by auto. eauto.
  - rewrite face_b_is_n_s_f in H by auto. eauto.
  - rewrite edges_are_n_s_f in H by auto. eauto.
Qed.
