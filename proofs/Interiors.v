(** * Boxes with volume overlap if and only if their interiors meet, and a point inside a box overlaps it. *)

Require Import Rbase Rfunctions Lra FunctionalExtensionality.
From Obbligato Require Import Boxes Formulas Separation Lengths Propagation Complete Overlap Parallel Overlapping Touching.
Open Scope R_scope.

Definition has_volume (b : box) : Prop := forall i, 0 < half b i.
Definition inside (b : box) (p : vec) : Prop :=
  exists s : vec,
    (forall i, -1 < s i < 1) /\
    (forall k, p k = center b k + sum (fun i => half b i * s i * edge b i k)).

(** A point inside a box is closer than the radius, along any direction. *)
Lemma inside_is_closer : forall b p l, valid b -> has_volume b -> inside b p -> 0 < dot l l ->
  Rabs (dot (fun k => p k - center b k) l) < radius b l.
Proof.
  intros b p l Vb V [c [Hc Hp]] L.
  assert (E : dot (fun k => p k - center b k) l = sum (fun i => half b i * (c i * dot (edge b i) l)))
    by (unfold dot, sum; rewrite !Hp; unfold sum; clear; lra).
  rewrite E. clear E Hp.
  assert (C : forall i, Rabs (c i) < 1) by (intro i; apply Rabs_def1; destruct (Hc i); lra).
  assert (P : forall i, Rabs (half b i * (c i * dot (edge b i) l)) <= half b i * Rabs (dot (edge b i) l)).
  { intro i. rewrite !Rabs_mult, (Rabs_pos_eq (half b i)) by (apply Rlt_le, V).
    apply Rmult_le_compat_l; [apply Rlt_le, V |]. pose proof (C i). pose proof (Rabs_pos (dot (edge b i) l)). nra. }
  assert (S : forall i, dot (edge b i) l <> 0 ->
    Rabs (half b i * (c i * dot (edge b i) l)) < half b i * Rabs (dot (edge b i) l)).
  { intros i N. rewrite !Rabs_mult, (Rabs_pos_eq (half b i)) by (apply Rlt_le, V).
    apply Rmult_lt_compat_l; [apply V |]. pose proof (C i). pose proof (Rabs_pos_lt _ N). nra. }
  assert (N : exists i, dot (edge b i) l <> 0).
  { destruct (Req_dec (dot (edge b X) l) 0) as [EX |]; [| eauto]. destruct (Req_dec (dot (edge b Y) l) 0) as [EY |]; [| eauto].
    destruct (Req_dec (dot (edge b Z) l) 0) as [EZ |]; [| eauto]. exfalso.
    rewrite (dot_along b l l Vb) in L. unfold sum in L. rewrite !(dot_comm l) in L. rewrite EX, EY, EZ in L. lra. }
  pose proof (P X) as PX. pose proof (P Y) as PY. pose proof (P Z) as PZ.
  unfold radius, sum. set (x := half b X * _) in *. set (y := half b Y * _) in *. set (z := half b Z * _) in *.
  pose proof (Rabs_triang (x + y) z). pose proof (Rabs_triang x y).
  destruct N as [i N]. specialize (S i N). destruct i; fold x y z in S; lra.
Qed.

(** One of the boxes may be a point, a rod or a plate. *)
Theorem inner_point_overlaps : forall a b p, valid a -> valid b -> has_volume b ->
  contains a p -> inside b p -> overlapping a b.
Proof.
  intros a b p Va Vb V Pa Pb. apply overlapping_is; auto. intros k N.
  pose proof (length_is a b Va Vb k N) as L. set (l := along a b k) in *.
  pose proof (within_radius a p l (proj1 Va) Pa) as A. pose proof (inside_is_closer b p l Vb V Pb L) as B.
  assert (E : dot (apart a b) l = dot (fun k => p k - center a k) l - dot (fun k => p k - center b k) l)
    by (unfold dot, apart, sum; clear; lra).
  pose proof (Rabs_triang (dot (fun k => p k - center a k) l) (- dot (fun k => p k - center b k) l)) as T.
  rewrite Rabs_Ropp in T. rewrite F_is_n_s_f by auto. fold l.
  assert (Q : f a b l < 0) by (unfold f; rewrite E; unfold Rminus in *; lra).
  pose proof (n_pos a Va) as NA. pose proof (s_pos a b Va Vb) as SP.
  assert (0 < n a * s a b) by (apply Rmult_lt_0_compat; auto). nra.
Qed.

(** A box with all extents smaller by a part of them. *)
Definition shrunk (x : R) (b : box) : box := Box (center b) (fun i => (1 - x) * half b i) (rotation b).

Lemma f_of_shrunk : forall x a b l, f (shrunk x a) (shrunk x b) l = f a b l + x * (radius a l + radius b l).
Proof.
  intros x a b l. unfold f. change (apart (shrunk x a) (shrunk x b)) with (apart a b).
  unfold radius, sum. simpl. change (edge (shrunk x a)) with (edge a). change (edge (shrunk x b)) with (edge b). clear; lra.
Qed.

Lemma shrunk_inside : forall x b p, 0 < x < 1 -> contains (shrunk x b) p -> inside b p.
Proof.
  intros x b p H [c [Hc Hp]]. exists (fun i => (1 - x) * c i). split.
  - intro i. destruct (Hc i). split; nra.
  - intro k. rewrite Hp. unfold sum. simpl. change (edge (shrunk x b)) with (edge b). clear; lra.
Qed.

Lemma radius_pos : forall b l, valid b -> 0 <= radius b l.
Proof.
  intros b l [H _]. unfold radius, sum.
  repeat apply Rplus_le_le_0_compat; apply Rmult_le_pos; auto; apply Rabs_pos.
Qed.

Theorem interiors_meet : forall a b, valid a -> valid b -> has_volume a -> has_volume b ->
  (overlapping a b <-> exists p, inside a p /\ inside b p).
Proof.
  intros a b Va Vb HA HB. split.
  - intro O. pose proof (proj1 (overlapping_is a b Va Vb) O) as N.
    set (closed := fun k => stays (fun v => f (shrunk (Rabs (v X)) a) (shrunk (Rabs (v X)) b) (along a b k) <= 0)).
    assert (One : forall k, closed k).
    { intro k. unfold closed. destruct (parallel_dec a b k) as [P | P].
      - exists 1. split; [lra |]. intros v _. rewrite (no_length a b Va Vb k P), f_of_zero. lra.
      - pose proof (N k P) as Q. rewrite F_is_n_s_f in Q by auto. pose proof (n_pos a Va). pose proof (s_pos a b Va Vb).
        assert (0 < n a * s a b) by (apply Rmult_lt_0_compat; auto).
        set (l := along a b k) in *. assert (G : f a b l < 0) by nra. set (r := radius a l + radius b l).
        assert (R0 : 0 <= r) by (pose proof (radius_pos a l Va); pose proof (radius_pos b l Vb); unfold r; lra).
        exists (- f a b l / (r + 1)). split; [apply Rdiv_lt_0_compat; lra |].
        intros v Hv. specialize (Hv X). rewrite f_of_shrunk. fold r.
        assert (M : Rabs (v X) * (r + 1) <= - f a b l).
        { apply (Rmult_lt_compat_r (r + 1)) in Hv; [| lra].
          replace (- f a b l / (r + 1) * (r + 1)) with (- f a b l) in Hv by (field; lra). lra. }
        pose proof (Rabs_pos (v X)). nra. }
    assert (All : stays (fun v => forall k, f (shrunk (Rabs (v X)) a) (shrunk (Rabs (v X)) b) (along a b k) <= 0)).
    { set (g := fun k v => f (shrunk (Rabs (v X)) a) (shrunk (Rabs (v X)) b) (along a b k) <= 0).
      destruct (axes_stay (fun i => g (FaceA i)) (fun i => One (FaceA i))) as [e1 [E1 P1]].
      destruct (axes_stay (fun j => g (FaceB j)) (fun j => One (FaceB j))) as [e2 [E2 P2]].
      destruct (axes_stay (fun i v => forall j, g (Edges i j) v)
        (fun i => axes_stay (fun j => g (Edges i j)) (fun j => One (Edges i j)))) as [e3 [E3 P3]].
      exists (Rmin e1 (Rmin e2 e3)). split; [repeat apply Rmin_glb_lt; auto |].
      intros v Hv. pose proof (Rmin_l e1 (Rmin e2 e3)). pose proof (Rmin_r e1 (Rmin e2 e3)).
      pose proof (Rmin_l e2 e3). pose proof (Rmin_r e2 e3).
      intros [i | j | i j]; [apply P1 | apply P2 | apply P3]; intro c; specialize (Hv c); lra. }
    destruct All as [e [E P]]. set (x := Rmin (e / 2) (1 / 2)).
    assert (X0 : 0 < x < 1 /\ x < e).
    { unfold x. pose proof (Rmin_l (e / 2) (1 / 2)). pose proof (Rmin_r (e / 2) (1 / 2)).
      assert (0 < Rmin (e / 2) (1 / 2)) by (apply Rmin_glb_lt; lra). lra. }
    assert (Q : forall k, f (shrunk x a) (shrunk x b) (along a b k) <= 0).
    { intro k. specialize (P (fun _ => x)). cbv beta in P. rewrite (Rabs_pos_eq x) in P by lra. apply P. intro. rewrite Rabs_pos_eq; lra. }
    assert (V : forall c, valid c -> valid (shrunk x c)).
    { intros c [C1 C2]. split; [| exact C2]. intro i. simpl. apply Rmult_le_pos; [lra | auto]. }
    destruct (fifteen_axes (shrunk x a) (shrunk x b) (V a Va) (V b Vb)) as [p [PA PB]].
    + intro k. exact (Q k).
    + exists p. split; apply (shrunk_inside x); tauto.
  - intros [p [PA PB]]. apply (inner_point_overlaps a b p); auto.
    destruct PA as [c [Hc Hp]]. exists c. split; auto. intro i. destruct (Hc i). lra.
Qed.
