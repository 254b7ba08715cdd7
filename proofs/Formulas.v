(** * The formulas F of [separating_axes.rs] are n s f.

    f is the distance of the centers along an axis less the two radii. The stages compute F, a
    polynomial with absolute values in the stored numbers. *)

Require Import Rbase Rfunctions Lra.
From Obbligato Require Import Boxes.
Open Scope R_scope.

Definition apart (a b : box) : vec := fun k => center b k - center a k.
Definition radius (b : box) (l : vec) : R := sum (fun i => half b i * Rabs (dot (edge b i) l)).
Definition f (a b : box) (l : vec) : R := Rabs (dot (apart a b) l) - radius a l - radius b l.

(** The names of [separating_axes.rs]. *)
Definition relative (a b : quat) : quat :=
  let (ax, ay, az, aw) := a in
  let (bx, by_, bz, bw) := b in
  Quat (aw * bx - bw * ax - (ay * bz - az * by_))
       (aw * by_ - bw * ay - (az * bx - ax * bz))
       (aw * bz - bw * az - (ax * by_ - ay * bx))
       (aw * bw + ax * bx + ay * by_ + az * bz).

Section Names.
  Variables a b : box.
  Definition n : R := norm2 (rotation a).
  Definition t : vec := fun i => sum (fun k => M (rotation a) k i * apart a b k).
  Definition gA : vec := fun i => n * half a i.
  Definition gB : vec := fun i => n * half b i.
  Definition r : quat := relative (rotation a) (rotation b).
  Definition C : axis -> axis -> R := M r.
  Definition s : R := norm2 r.

  Definition F_face_a (i : axis) : R :=
    s * (Rabs (t i) - gA i) - sum (fun j => Rabs (C i j) * gB j).
  Definition F_face_b (j : axis) : R :=
    Rabs (sum (fun i => t i * C i j)) - s * gB j - sum (fun i => Rabs (C i j) * gA i).
  Definition F_edges (i j : axis) : R :=
    Rabs (t (after i) * C (next i) j - t (next i) * C (after i) j)
    - (gA (next i) * Rabs (C (after i) j) + gA (after i) * Rabs (C (next i) j)
       + gB (next j) * Rabs (C i (after j)) + gB (after j) * Rabs (C i (next j))).
End Names.

Lemma norm2_pos : forall b, valid b -> 0 < norm2 (rotation b).
Proof. intros b [_ H]; lra. Qed.

(** s = |qA|^2 |qB|^2, and C_ij = s (axis i of A) . (axis j of B). *)
Lemma s_is : forall a b, s a b = norm2 (rotation a) * norm2 (rotation b).
Proof.
  intros [ca ha [x y z w]] [cb hb [x' y' z' w']]; unfold s, r, norm2, relative; simpl; clear; lra.
Qed.

Lemma C_is_product : forall a b i j,
  C a b i j = sum (fun k => M (rotation a) k i * M (rotation b) k j).
Proof.
  intros [ca ha [x y z w]] [cb hb [x' y' z' w']] i j; unfold C, r, relative, sum; simpl.
  destruct i, j; simpl; clear; lra.
Qed.

Lemma C_is : forall a b i j, valid a -> valid b ->
  C a b i j = s a b * dot (edge a i) (edge b j).
Proof.
  intros a b i j Ha Hb. rewrite C_is_product, s_is. unfold dot, edge, sum.
  apply norm2_pos in Ha. apply norm2_pos in Hb. field. lra.
Qed.

Lemma t_is : forall a b i, valid a -> t a b i = n a * dot (apart a b) (edge a i).
Proof.
  intros a b i Ha. unfold t, n, dot, edge, sum. apply norm2_pos in Ha. field. lra.
Qed.

(** The axes of a box are orthonormal, and right-handed. *)
Lemma columns : forall q i j, sum (fun k => M q k i * M q k j) =
  match i, j with X, X | Y, Y | Z, Z => norm2 q * norm2 q | _, _ => 0 end.
Proof. intros [x y z w] i j; unfold norm2, sum; destruct i, j; simpl; clear; lra. Qed.

Lemma rows : forall q k l, sum (fun i => M q k i * M q l i) =
  match k, l with X, X | Y, Y | Z, Z => norm2 q * norm2 q | _, _ => 0 end.
Proof. intros [x y z w] k l; unfold norm2, sum; destruct k, l; simpl; clear; lra. Qed.

Lemma handed : forall q i k,
  cross (fun k => M q k (next i)) (fun k => M q k (after i)) k = norm2 q * M q k i.
Proof. intros [x y z w] i k; unfold norm2, cross; destruct i, k; simpl; clear; lra. Qed.

Lemma edges_dot : forall a i j, valid a -> dot (edge a i) (edge a j) =
  match i, j with X, X | Y, Y | Z, Z => 1 | _, _ => 0 end.
Proof.
  intros a i j Ha. apply norm2_pos in Ha.
  replace (dot (edge a i) (edge a j)) with
    (sum (fun k => M (rotation a) k i * M (rotation a) k j)
     / (norm2 (rotation a) * norm2 (rotation a)))
    by (unfold dot, edge, sum; field; lra).
  rewrite columns. destruct i, j; field; lra.
Qed.

(** A product of vectors is that of their components along the axes of a box. *)
Lemma dot_along : forall a u v, valid a ->
  dot u v = sum (fun i => dot u (edge a i) * dot v (edge a i)).
Proof.
  intros a u v Ha. apply norm2_pos in Ha. symmetry.
  set (q := rotation a) in *.
  assert (R := rows q).
  assert (E : sum (fun i => dot u (edge a i) * dot v (edge a i)) =
    sum (fun k => sum (fun l => u k * v l * sum (fun i => M q k i * M q l i)))
    / (norm2 q * norm2 q))
    by (unfold dot, edge, sum; fold q; field; lra).
  rewrite E. unfold sum in R |- *. cbv beta in R |- *. rewrite !R. unfold dot, sum. field. lra.
Qed.

Lemma cross_edge : forall a i k, valid a ->
  cross (edge a (next i)) (edge a (after i)) k = edge a i k.
Proof.
  intros a i k Ha. apply norm2_pos in Ha. unfold edge.
  replace (cross _ _ k) with
    (cross (fun k => M (rotation a) k (next i)) (fun k => M (rotation a) k (after i)) k
     / (norm2 (rotation a) * norm2 (rotation a))).
  - rewrite handed. field. lra.
  - unfold cross. field. lra.
Qed.

(** The axis a_i x b_j, times another vector, in the frame of A. *)
Lemma triple : forall u v w, dot u (cross v w) = dot v (cross w u).
Proof. intros; unfold dot, cross, sum, after; simpl; clear; lra. Qed.

Lemma triple_along : forall a u i w, valid a ->
  dot u (cross (edge a i) w) =
  dot u (edge a (after i)) * dot w (edge a (next i)) - dot u (edge a (next i)) * dot w (edge a (after i)).
Proof.
  intros a u i w Ha.
  assert (E : forall k, edge a i k = cross (edge a (next i)) (edge a (after i)) k)
    by (intro k; rewrite cross_edge; auto).
  assert (D : dot u (cross (edge a i) w) =
    dot u (cross (cross (edge a (next i)) (edge a (after i))) w))
    by (unfold dot at 1, sum, cross at 1 2 3; rewrite !E; reflexivity).
  rewrite D. unfold dot, sum, cross, after. simpl. clear; lra.
Qed.

(** ** The theorem: F = n s f on all fifteen axes. *)
Lemma abs_times : forall k x, 0 <= k -> Rabs (k * x) = k * Rabs x.
Proof. intros k x H. rewrite Rabs_mult, (Rabs_pos_eq k); auto. Qed.

Lemma dot_comm : forall u v, dot u v = dot v u.
Proof. intros; unfold dot, sum; clear; lra. Qed.

Section Theorem3.
  Variables a b : box.
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.

  Lemma n_pos : 0 < n a.
  Proof. apply norm2_pos; auto. Qed.
  Lemma s_pos : 0 < s a b.
  Proof. rewrite s_is. apply Rmult_lt_0_compat; apply norm2_pos; auto. Qed.

  Lemma abs_C : forall i j, Rabs (C a b i j) = s a b * Rabs (dot (edge a i) (edge b j)).
  Proof. intros. rewrite C_is by auto. apply abs_times, Rlt_le, s_pos. Qed.
  Lemma abs_t : forall i, Rabs (t a b i) = n a * Rabs (dot (apart a b) (edge a i)).
  Proof. intros. rewrite t_is by auto. apply abs_times, Rlt_le, n_pos. Qed.

  Theorem face_a_is_n_s_f : forall i, F_face_a a b i = n a * s a b * f a b (edge a i).
  Proof.
    intro i. unfold F_face_a, f, radius, gA, gB, sum. rewrite !abs_C, abs_t.
    rewrite !(dot_comm (edge b _)), !edges_dot by auto.
    destruct i; cbv iota; rewrite ?Rabs_R0, ?Rabs_R1; clear; lra.
  Qed.

  Theorem face_b_is_n_s_f : forall j, F_face_b a b j = n a * s a b * f a b (edge b j).
  Proof.
    intro j. unfold F_face_b, f, radius, gA, gB.
    replace (sum (fun i => t a b i * C a b i j)) with
      (n a * s a b * dot (apart a b) (edge b j)).
    - unfold sum. rewrite !abs_C. rewrite !edges_dot by auto.
      rewrite abs_times by (apply Rlt_le, Rmult_lt_0_compat; [apply n_pos | apply s_pos]).
      destruct j; cbv iota; rewrite ?Rabs_R0, ?Rabs_R1; clear; lra.
    - rewrite (dot_along a) by auto. unfold sum.
      rewrite !t_is, !C_is by auto. rewrite !(dot_comm (edge b j)). clear; lra.
  Qed.

  Lemma edges_self : forall i j k, dot (edge a i) (cross (edge a j) (edge b k)) =
    dot (edge a i) (edge a (after j)) * dot (edge a (next j)) (edge b k)
    - dot (edge a i) (edge a (next j)) * dot (edge a (after j)) (edge b k).
  Proof. intros. rewrite triple_along by auto. rewrite !(dot_comm (edge b k)). clear; lra. Qed.

  Lemma other_edges : forall i j k, dot (edge b i) (cross (edge a j) (edge b k)) =
    - (dot (edge b i) (edge b (after k)) * dot (edge b (next k)) (edge a j)
       - dot (edge b i) (edge b (next k)) * dot (edge b (after k)) (edge a j)).
  Proof.
    intros.
    replace (dot (edge b i) (cross (edge a j) (edge b k))) with
      (- dot (edge b i) (cross (edge b k) (edge a j))) by (unfold dot, cross, sum, after; simpl; clear; lra).
    rewrite triple_along by auto. rewrite !(dot_comm (edge a j)). clear; lra.
  Qed.

  Theorem edges_are_n_s_f : forall i j,
    F_edges a b i j = n a * s a b * f a b (cross (edge a i) (edge b j)).
  Proof.
    intros i j. unfold F_edges, f, radius, gA, gB.
    replace (t a b (after i) * C a b (next i) j - t a b (next i) * C a b (after i) j) with
      (n a * s a b * dot (apart a b) (cross (edge a i) (edge b j))).
    - rewrite abs_times by (apply Rlt_le, Rmult_lt_0_compat; [apply n_pos | apply s_pos]).
      unfold sum. rewrite !abs_C, !edges_self, !other_edges, !edges_dot by auto.
      rewrite !(dot_comm (edge b _) (edge a i)).
      destruct i, j; simpl;
        rewrite ?Rmult_0_l, ?Rmult_1_l, ?Rminus_0_r, ?Rminus_0_l, ?Ropp_0, ?Rminus_eq_0,
          ?Rabs_Ropp, ?Rabs_R0; clear; lra.
    - rewrite triple_along, !t_is, !C_is by auto. rewrite !(dot_comm (edge b j)). clear; lra.
  Qed.
End Theorem3.
