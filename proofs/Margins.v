(** * Boxes within a margin: [obb_obb/within.rs]. The distance is attained at an edge of B or a corner of A.

    First: there are nearest points, one segment of A - B at a time. Second: if neither is on an edge
    of B or at a corner of A, both can be moved along an edge of A until one is. *)

Require Import Rbase Rfunctions R_sqrt List Lra FunctionalExtensionality.
Import ListNotations.
From Obbligato Require Import Boxes Formulas Lengths Propagation Slide Complete.
Open Scope R_scope.

Definition square (v : vec) : R := dot v v.
Definition less (v w : vec) : vec := fun k => v k - w k.
Definition len (v : vec) : R := sqrt (square v).

Lemma square_pos : forall v, 0 <= square v.
Proof.
  intro v. unfold square, dot, sum. pose proof (Rle_0_sqr (v X)). pose proof (Rle_0_sqr (v Y)).
  pose proof (Rle_0_sqr (v Z)). unfold Rsqr in *. lra.
Qed.
Lemma len_square : forall v, len v * len v = square v.
Proof. intro v. apply sqrt_sqrt, square_pos. Qed.
Lemma len_pos : forall v, 0 <= len v.
Proof. intro v. apply sqrt_pos. Qed.

Lemma triangle : forall u v w, len (less u w) <= len (less u v) + len (less v w).
Proof.
  intros u v w. pose proof (len_pos (less u v)) as P. pose proof (len_pos (less v w)) as Q.
  apply Rsqr_incr_0_var; [| lra]. unfold Rsqr. rewrite len_square.
  pose proof (dot_short (less u v) (less v w) (len (less u v)) (len (less v w)) P Q) as S.
  rewrite !len_square in S. specialize (S (Rle_refl _) (Rle_refl _)).
  pose proof (Rle_abs (dot (less u v) (less v w))) as A.
  assert (E : square (less u w) = square (less u v) + square (less v w) + 2 * dot (less u v) (less v w))
    by (unfold square, dot, sum, less; clear; lra).
  rewrite E, <- !len_square. nra.
Qed.

(** ** Nearest points *)
Definition nearest (l : generators) (y z : vec) : Prop :=
  spans l z /\ forall z', spans l z' -> len (less y z) <= len (less y z').

Lemma distance_is : forall l, (forall y, exists z, nearest l y z) ->
  exists D : vec -> R, forall y, exists z, nearest l y z /\ D y = len (less y z).
Proof.
  intros l H.
  set (S := fun y v => exists z, spans l z /\ v = - len (less y z)).
  assert (B : forall y, bound (S y)) by (intro y; exists 0; intros v [z [_ ->]]; pose proof (len_pos (less y z)); lra).
  assert (N : forall y, exists v, S y v) by (intro y; destruct (H y) as [z [Sz _]]; exists (- len (less y z)), z; auto).
  exists (fun y => - proj1_sig (completeness (S y) (B y) (N y))). intro y. destruct (H y) as [z [Sz M]].
  exists z. split; [split; auto |]. destruct (completeness (S y) (B y) (N y)) as [m [U L]]. simpl.
  assert (m <= - len (less y z)) by (apply L; intros v [z' [Sz' ->]]; specialize (M z' Sz'); lra).
  assert (- len (less y z) <= m) by (apply U; exists z; auto). lra.
Qed.

(** A number at which a function of bounded slope is least, in a range: found as a supremum, because
    that of the library rests on excluded middle. *)
Lemma least_exists : forall (D : R -> R) h c, 0 <= h -> 0 <= c -> (forall x, 0 <= D x) ->
  (forall x y, D x <= D y + c * Rabs (x - y)) -> exists x, - h <= x <= h /\ forall y, - h <= y <= h -> D x <= D y.
Proof.
  intros D h c Hh Hc Pos Lip.
  set (E := fun v => exists x, - h <= x <= h /\ v = - D x).
  destruct (completeness E) as [m [Um Lm]].
  { exists 0. intros v [x [_ ->]]. specialize (Pos x). lra. }
  { exists (- D 0), 0. split; [lra | reflexivity]. }
  assert (Low : forall y, - h <= y <= h -> - m <= D y).
  { intros y Hy. assert (- D y <= m) by (apply Um; exists y; auto). lra. }
  set (S := fun x => - h <= x <= h /\ forall e, 0 < e -> ~ forall y, x <= y <= h -> - m + e <= D y).
  assert (First : S (- h)).
  { split; [lra |]. intros e He H. assert (m <= m - e); [| lra]. apply Lm. intros v [x [Hx ->]]. specialize (H x Hx). lra. }
  destruct (completeness S) as [x [Ux Lx]].
  { exists h. intros y [Hy _]. lra. }
  { exists (- h). exact First. }
  assert (Hx : - h <= x <= h) by (split; [apply Ux, First | apply Lx; intros y [Hy _]; lra]).
  exists x. split; [exact Hx |].
  assert (M : D x <= - m); [| intros y Hy; specialize (Low y Hy); lra].
  apply Rnot_lt_le. intro N. set (d := (D x + m) / 2). assert (Dp : 0 < d) by (unfold d; lra).
  set (r := d / (c + 1)). assert (Rp : 0 < r) by (apply Rdiv_lt_0_compat; lra).
  assert (Near : forall y, Rabs (x - y) <= r -> - m + d <= D y).
  { intros y Hy. specialize (Lip x y).
    assert (c * Rabs (x - y) <= c * r) by (apply Rmult_le_compat_l; auto).
    assert (r * (c + 1) = d) by (unfold r; field; lra). unfold d in *. nra. }
  assert (x <= x - r); [| lra]. apply Lx. intros z [Hz Sz]. apply Rnot_lt_le. intro Zr.
  assert (Zx : z <= x) by (apply Ux; split; auto).
  destruct (Rle_lt_dec (x + r) h) as [In | Out].
  - assert (x + r <= x); [| lra]. apply Ux. split; [lra |]. intros e He H.
    apply (Sz (Rmin e d)); [apply Rmin_glb_lt; auto |]. intros y Hy.
    pose proof (Rmin_l e d). pose proof (Rmin_r e d). destruct (Rle_lt_dec y (x + r)) as [Y | Y].
    + assert (- m + d <= D y) by (apply Near, Rabs_le; lra). lra.
    + specialize (H y ltac:(lra)). lra.
  - apply (Sz d Dp). intros y Hy. apply Near, Rabs_le. lra.
Qed.

Theorem nearest_exists : forall l, Forall (fun g => 0 <= fst g) l -> forall y, exists z, nearest l y z.
Proof.
  induction l as [| [h g] l IH]; intros P y.
  - exists (fun _ => 0). split; [intro; reflexivity |]. intros z' Hz. replace z' with (fun _ : axis => 0); [lra |].
    apply functional_extensionality. intro k. symmetry. apply Hz.
  - inversion_clear P. simpl in H. destruct (distance_is l (IH H0)) as [D HD].
    assert (Lip : forall u v, D u <= len (less u v) + D v).
    { intros u v. destruct (HD u) as [zu [[_ Mu] ->]], (HD v) as [zv [[Sv _] ->]]. specialize (Mu zv Sv).
      pose proof (triangle u v zv). lra. }
    set (at_x := fun x => (fun k => y k - x * g k) : vec).
    assert (Step : forall x x', len (less (at_x x) (at_x x')) <= Rabs (x - x') * len g).
    { intros x x'. apply Rsqr_incr_0_var; [| apply Rmult_le_pos; [apply Rabs_pos | apply len_pos]]. unfold Rsqr.
      rewrite len_square. replace (Rabs (x - x') * len g * (Rabs (x - x') * len g)) with
        ((Rabs (x - x') * Rabs (x - x')) * (len g * len g)) by (clear; lra).
      rewrite len_square, <- Rabs_mult, Rabs_pos_eq by apply Rle_0_sqr.
      unfold square, dot, sum, less, at_x. apply Req_le. clear; lra. }
    destruct (least_exists (fun x => D (at_x x)) h (len g) H (len_pos g)) as [x [Hx Min]].
    { intro x. destruct (HD (at_x x)) as [z [_ ->]]. apply len_pos. }
    { intros x x'. pose proof (Lip (at_x x) (at_x x')). pose proof (Step x x'). lra. }
    destruct (HD (at_x x)) as [z [[Sz Mz] Ez]]. exists (fun k => z k + x * g k).
    assert (Less : forall x z, less y (fun k => z k + x * g k) = less (at_x x) z)
      by (intros; apply functional_extensionality; intro; unfold less, at_x; clear; lra).
    split.
    + exists x. split; [exact Hx |]. simpl.
      replace (fun k => z k + x * g k - x * g k) with z; [exact Sz | apply functional_extensionality; intro; clear; lra].
    + intros z' [x' [Hx' Sz']]. simpl in Hx', Sz'. rewrite Less, <- Ez.
      replace (less y z') with (less (at_x x') (fun k => z' k - x' * g k))
        by (apply functional_extensionality; intro; unfold less, at_x; clear; lra).
      eapply Rle_trans; [exact (Min x' Hx') |]. destruct (HD (at_x x')) as [w [[_ Mw] ->]]. apply Mw, Sz'.
Qed.

(** ** Two boxes *)
Definition place (b : box) (s : vec) : vec := fun k => center b k + sum (fun i => half b i * s i * edge b i k).
Definition within_sides (s : vec) : Prop := forall i, -1 <= s i <= 1.
Definition at_side (x : R) : Prop := x = 1 \/ x = -1.

Lemma contains_is : forall b p, contains b p <-> exists s, within_sides s /\ p = place b s.
Proof.
  intros b p. split; intros [s [H E]]; exists s; split; auto.
  - apply functional_extensionality. exact E.
  - intro k. rewrite E. reflexivity.
Qed.

(** Points of an edge, and a corner. *)
Definition on_edge (b : box) (p : vec) : Prop :=
  exists s j, within_sides s /\ p = place b s /\ at_side (s (next j)) /\ at_side (s (after j)).
Definition corner (b : box) (p : vec) : Prop := exists s, (forall i, at_side (s i)) /\ p = place b s.

Definition within (m : R) (a b : box) : Prop :=
  exists p q, contains a p /\ contains b q /\ len (less q p) <= m.

Section Nearest.
  Variables a b : box.
  Hypothesis Va : valid a.
  Hypothesis Vb : valid b.

  Lemma nearest_points : exists s r, within_sides s /\ within_sides r /\ forall s' r', within_sides s' -> within_sides r' ->
    len (less (place b r) (place a s)) <= len (less (place b r') (place a s')).
  Proof.
    destruct (nearest_exists (segments a ++ segments b) (nonnegative a b Va Vb) (apart a b)) as [z [Sz M]].
    unfold segments in Sz. simpl in Sz.
    destruct Sz as [x1 [X1 [x2 [X2 [x3 [X3 [y1 [Y1 [y2 [Y2 [y3 [Y3 E]]]]]]]]]]]].
    apply coefficient in X1, X2, X3, Y1, Y2, Y3.
    destruct X1 as [s1 [S1 ->]], X2 as [s2 [S2 ->]], X3 as [s3 [S3 ->]].
    destruct Y1 as [r1 [R1 ->]], Y2 as [r2 [R2 ->]], Y3 as [r3 [R3 ->]].
    exists (fun i => match i with X => s1 | Y => s2 | Z => s3 end), (fun i => match i with X => - r1 | Y => - r2 | Z => - r3 end).
    repeat split; try (destruct i; simpl; lra). intros s' r' Hs Hr.
    assert (S' : spans (segments a ++ segments b)
      (fun k => sum (fun i => half a i * s' i * edge a i k) - sum (fun i => half b i * r' i * edge b i k))).
    { assert (HA := proj1 Va). assert (HB := proj1 Vb).
      assert (I : forall h x, 0 <= h -> -1 <= x <= 1 -> - h <= h * x <= h) by (intros; nra).
      unfold segments. simpl.
      exists (half a X * s' X). split; [apply I; auto |]. exists (half a Y * s' Y). split; [apply I; auto |].
      exists (half a Z * s' Z). split; [apply I; auto |].
      assert (I' : forall h x, 0 <= h -> -1 <= x <= 1 -> - h <= - (h * x) <= h) by (intros; nra).
      exists (- (half b X * r' X)). split; [apply I'; auto |]. exists (- (half b Y * r' Y)). split; [apply I'; auto |].
      exists (- (half b Z * r' Z)). split; [apply I'; auto |]. intro k. unfold sum. clear; lra. }
    specialize (M _ S').
    replace (less (place b r') (place a s')) with (less (apart a b)
      (fun k => sum (fun i => half a i * s' i * edge a i k) - sum (fun i => half b i * r' i * edge b i k)))
      by (apply functional_extensionality; intro; unfold less, apart, place; clear; lra).
    eapply Rle_trans; [| exact M]. apply Req_le. f_equal. apply functional_extensionality. intro k.
    specialize (E k). unfold less, place, apart, sum in *. simpl in *. lra.
  Qed.

  Definition changed (s : vec) (i : axis) (x : R) : vec :=
    fun j => match i, j with X, X | Y, Y | Z, Z => x | _, _ => s j end.

  Lemma place_changed : forall c s i x k, place c (changed s i x) k = place c s k + (x - s i) * half c i * edge c i k.
  Proof. intros c s i x k. unfold place, sum, changed. destruct i; clear; lra. Qed.

  Lemma changed_within : forall s i x, within_sides s -> -1 <= x <= 1 -> within_sides (changed s i x).
  Proof. intros s i x H Hx j. unfold changed. destruct i, j; auto. Qed.

  (** A quadratic that does not fall at 0. *)
  Lemma no_fall : forall p q e, 0 < e -> 0 <= q -> (forall t, 0 <= t <= e -> 0 <= t * (2 * p) + t * t * q) -> 0 <= p.
  Proof.
    intros p q e E Q H. apply Rnot_lt_le. intro N.
    set (t := Rmin e (- p / (q + 1))).
    assert (T : 0 < t) by (apply Rmin_glb_lt; [auto | apply Rdiv_lt_0_compat; lra]).
    assert (T1 : t <= e) by apply Rmin_l. assert (T2 : t <= - p / (q + 1)) by apply Rmin_r.
    specialize (H t ltac:(lra)).
    assert (T3 : t * (q + 1) <= - p).
    { apply (Rmult_le_compat_r (q + 1)) in T2; [| lra].
      replace (- p / (q + 1) * (q + 1)) with (- p) in T2 by (field; lra). exact T2. }
    assert (t * q <= - p) by nra. nra.
  Qed.

  Section Optimal.
    Variables s r : vec.
    Hypothesis Hs : within_sides s.
    Hypothesis Hr : within_sides r.
    Hypothesis Least : forall s' r', within_sides s' -> within_sides r' ->
      len (less (place b r) (place a s)) <= len (less (place b r') (place a s')).
    Let v := less (place b r) (place a s).

    Lemma least_square : forall w, len v <= len (fun k => v k + w k) -> 0 <= 2 * dot v w + square w.
    Proof.
      intros w H. assert (Q : len v * len v <= len (fun k => v k + w k) * len (fun k => v k + w k))
        by (apply Rmult_le_compat; auto; apply len_pos).
      rewrite !len_square in Q. unfold square, dot, sum in *. lra.
    Qed.

    Lemma free_a : forall i, half a i = 0 \/ at_side (s i) \/ dot v (edge a i) = 0.
    Proof.
      intro i. destruct (Req_dec (half a i) 0) as [H0 | H0]; auto. right.
      destruct (Req_dec (s i) 1) as [E1 | E1]; [left; left; auto |]. destruct (Req_dec (s i) (-1)) as [E2 | E2];
        [left; right; auto |]. right. pose proof (proj1 Va i) as HP. pose proof (Hs i) as Si.
      assert (W : forall g t, 0 <= t <= Rmin (1 - s i) (1 + s i) -> g = 1 \/ g = -1 ->
        0 <= t * (2 * (- g * half a i * dot v (edge a i))) + t * t * (half a i * half a i * square (edge a i))).
      { intros g t T G. pose proof (Rmin_l (1 - s i) (1 + s i)). pose proof (Rmin_r (1 - s i) (1 + s i)).
        assert (C : -1 <= s i + g * t <= 1) by (destruct G as [-> | ->]; lra).
        pose proof (Least (changed s i (s i + g * t)) r (changed_within s i _ Hs C) Hr) as L.
        replace (less (place b r) (place a (changed s i (s i + g * t)))) with
          (fun k => v k + - (g * t * half a i) * edge a i k) in L
          by (apply functional_extensionality; intro; unfold v, less; rewrite place_changed; clear; lra).
        apply least_square in L.
        assert (GG : g * g = 1) by (destruct G as [-> | ->]; clear; lra).
        replace (t * t * (half a i * half a i * square (edge a i))) with
          ((g * g) * (t * t * (half a i * half a i * square (edge a i)))) by (rewrite GG; clear; lra).
        unfold square, dot, sum in *. lra. }
      assert (E : 0 < Rmin (1 - s i) (1 + s i)) by (apply Rmin_glb_lt; lra).
      assert (Q : 0 <= half a i * half a i * square (edge a i))
        by (apply Rmult_le_pos; [apply Rle_0_sqr | apply square_pos]).
      pose proof (no_fall _ _ _ E Q (fun t T => W 1 t T (or_introl eq_refl))).
      pose proof (no_fall _ _ _ E Q (fun t T => W (-1) t T (or_intror eq_refl))).
      assert (half a i * dot v (edge a i) = 0) by lra. apply Rmult_integral in H2. tauto.
    Qed.

    Lemma free_b : forall j, half b j = 0 \/ at_side (r j) \/ dot v (edge b j) = 0.
    Proof.
      intro j. destruct (Req_dec (half b j) 0) as [H0 | H0]; auto. right.
      destruct (Req_dec (r j) 1) as [E1 | E1]; [left; left; auto |]. destruct (Req_dec (r j) (-1)) as [E2 | E2];
        [left; right; auto |]. right. pose proof (proj1 Vb j) as HP. pose proof (Hr j) as Rj.
      assert (W : forall g t, 0 <= t <= Rmin (1 - r j) (1 + r j) -> g = 1 \/ g = -1 ->
        0 <= t * (2 * (g * half b j * dot v (edge b j))) + t * t * (half b j * half b j * square (edge b j))).
      { intros g t T G. pose proof (Rmin_l (1 - r j) (1 + r j)). pose proof (Rmin_r (1 - r j) (1 + r j)).
        assert (C : -1 <= r j + g * t <= 1) by (destruct G as [-> | ->]; lra).
        pose proof (Least s (changed r j (r j + g * t)) Hs (changed_within r j _ Hr C)) as L.
        replace (less (place b (changed r j (r j + g * t))) (place a s)) with
          (fun k => v k + (g * t * half b j) * edge b j k) in L
          by (apply functional_extensionality; intro; unfold v, less; rewrite place_changed; clear; lra).
        apply least_square in L.
        assert (GG : g * g = 1) by (destruct G as [-> | ->]; clear; lra).
        replace (t * t * (half b j * half b j * square (edge b j))) with
          ((g * g) * (t * t * (half b j * half b j * square (edge b j)))) by (rewrite GG; clear; lra).
        unfold square, dot, sum in *. lra. }
      assert (E : 0 < Rmin (1 - r j) (1 + r j)) by (apply Rmin_glb_lt; lra).
      assert (Q : 0 <= half b j * half b j * square (edge b j))
        by (apply Rmult_le_pos; [apply Rle_0_sqr | apply square_pos]).
      pose proof (no_fall _ _ _ E Q (fun t T => W 1 t T (or_introl eq_refl))).
      pose proof (no_fall _ _ _ E Q (fun t T => W (-1) t T (or_intror eq_refl))).
      assert (half b j * dot v (edge b j) = 0) by lra. apply Rmult_integral in H2. tauto.
    Qed.
  End Optimal.

  (** A coordinate at an end of its range, or of an extent of 0, which has all coordinates. *)
  Definition fixed (c : box) (s : vec) (i : axis) : Prop := half c i = 0 \/ at_side (s i).
  Definition normal (c : box) (s : vec) : vec := fun i => if Req_EM_T (half c i) 0 then 1 else s i.

  Lemma place_normal : forall c s, place c (normal c s) = place c s.
  Proof.
    intros c s. apply functional_extensionality. intro k. unfold place, sum, normal.
    destruct (Req_EM_T (half c X) 0) as [-> |], (Req_EM_T (half c Y) 0) as [-> |], (Req_EM_T (half c Z) 0) as [-> |]; clear; lra.
  Qed.
  Lemma normal_within : forall c s, within_sides s -> within_sides (normal c s).
  Proof. intros c s H i. unfold normal. destruct (Req_EM_T (half c i) 0); [lra | apply H]. Qed.
  Lemma normal_side : forall c s i, fixed c s i -> at_side (normal c s i).
  Proof.
    intros c s i H. unfold normal. destruct (Req_EM_T (half c i) 0); [left; auto |]. destruct H; [contradiction | auto].
  Qed.

  Lemma on_edge_of : forall c s j, within_sides s -> fixed c s (next j) -> fixed c s (after j) -> on_edge c (place c s).
  Proof.
    intros c s j H N A. exists (normal c s), j. rewrite place_normal.
    repeat split; auto using normal_side; apply (normal_within c s H).
  Qed.
  Lemma corner_of : forall c s, (forall i, fixed c s i) -> corner c (place c s).
  Proof. intros c s H. exists (normal c s). rewrite place_normal. auto using normal_side. Qed.

  (** The first time at which a coordinate leaves its range. *)
  Lemma leaves : forall x c, -1 <= x <= 1 -> c <> 0 ->
    exists T, 0 <= T /\ (forall t, 0 <= t <= T -> -1 <= x + t * c <= 1) /\ at_side (x + T * c).
  Proof.
    intros x c H N. destruct (Rlt_le_dec 0 c) as [C | C].
    - exists ((1 - x) / c). assert (E : (1 - x) / c * c = 1 - x) by (field; auto).
      assert (P : 0 <= (1 - x) / c) by (apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; auto]).
      repeat split; auto; [nra | nra | left; lra].
    - exists ((1 + x) / - c). assert (E : (1 + x) / - c * c = - (1 + x)) by (field; auto).
      assert (P : 0 <= (1 + x) / - c) by (apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]).
      repeat split; auto; [nra | nra | right; lra].
  Qed.
  Lemma leaves_by : forall x c T, -1 <= x <= 1 -> 0 <= T ->
    exists T', 0 <= T' <= T /\ (forall t, 0 <= t <= T' -> -1 <= x + t * c <= 1) /\ (T' = T \/ at_side (x + T' * c)).
  Proof.
    intros x c T H P. destruct (Req_dec c 0) as [-> | N].
    - exists T. repeat split; auto; lra.
    - destruct (leaves x c H N) as [T1 [P1 [W1 S1]]]. destruct (Rle_lt_dec T1 T) as [L | L].
      + exists T1. repeat split; auto; apply W1; auto.
      + exists T. repeat split; auto; try lra; apply W1; lra.
  Qed.

  (** Both points are moved along an edge of A, until it ends or that of B is reached. *)
  Lemma slide_both : forall s r i k, within_sides s -> within_sides r ->
    let v := less (place b r) (place a s) in
    (fixed a s i \/ dot v (edge a i) = 0) ->
    dot v (edge b (next k)) = 0 -> dot v (edge b (after k)) = 0 -> dot v (edge b k) <> 0 ->
    exists s' r', within_sides s' /\ within_sides r' /\ less (place b r') (place a s') = v /\ r' k = r k /\
      (forall m, m <> i -> s' m = s m) /\ (fixed a s' i \/ fixed b r' (next k) \/ fixed b r' (after k)).
  Proof.
    intros s r i k Hs Hr v Hi Hn Ha0 Hk.
    assert (Same : fixed a s i \/ fixed b r (next k) \/ fixed b r (after k) ->
      exists s' r', within_sides s' /\ within_sides r' /\ less (place b r') (place a s') = v /\ r' k = r k /\
      (forall m, m <> i -> s' m = s m) /\ (fixed a s' i \/ fixed b r' (next k) \/ fixed b r' (after k))).
    { intro H. exists s, r. repeat split; auto; first [apply Hs | apply Hr]. }
    destruct Hi as [F | Hi]; [apply Same; auto |].
    destruct (Req_dec (half a i) 0) as [A0 | A0]; [apply Same; left; left; auto |].
    destruct (Req_dec (half b (next k)) 0) as [B1 | B1]; [apply Same; right; left; left; auto |].
    destruct (Req_dec (half b (after k)) 0) as [B2 | B2]; [apply Same; right; right; left; auto |].
    assert (Flat : dot (edge a i) (edge b k) = 0).
    { rewrite (dot_along b v (edge a i) Vb) in Hi. unfold sum in Hi.
      assert (P : dot v (edge b k) * dot (edge a i) (edge b k) = 0)
        by (destruct k; simpl in *; rewrite Hn, Ha0 in Hi; lra).
      apply Rmult_integral in P. destruct P; [contradiction | auto]. }
    set (c1 := dot (edge a i) (edge b (next k)) / half b (next k)).
    set (c2 := dot (edge a i) (edge b (after k)) / half b (after k)).
    destruct (leaves (s i) (/ half a i) (Hs i) (Rinv_neq_0_compat _ A0)) as [T1 [P1 [W1 S1]]].
    destruct (leaves_by (r (next k)) c1 T1 (Hr _) P1) as [T2 [P2 [W2 S2]]].
    destruct (leaves_by (r (after k)) c2 T2 (Hr _) (proj1 P2)) as [T [P3 [W3 S3]]].
    set (s' := changed s i (s i + T * / half a i)).
    set (r' := changed (changed r (next k) (r (next k) + T * c1)) (after k) (r (after k) + T * c2)).
    assert (Hs' : within_sides s') by (apply changed_within; auto; apply W1; lra).
    assert (Hr' : within_sides r') by (apply changed_within; [apply changed_within; auto; apply W2; lra | apply W3; lra]).
    assert (Own : forall u m x, changed u m x m = x) by (intros u m x; destruct m; reflexivity).
    assert (Rn : r' (next k) = r (next k) + T * c1) by (unfold r', changed; destruct k; reflexivity).
    assert (Ra : r' (after k) = r (after k) + T * c2) by (unfold r'; apply Own).
    assert (Si : s' i = s i + T * / half a i) by (unfold s'; apply Own).
    exists s', r'. repeat split; try apply Hs'; try apply Hr'.
    - apply functional_extensionality. intro m. unfold v, less, s', r'. rewrite !place_changed.
      assert (PE : edge a i m = dot (edge a i) (edge b (next k)) * edge b (next k) m
        + dot (edge a i) (edge b (after k)) * edge b (after k) m).
      { rewrite (parts b (edge a i) m Vb). unfold sum. destruct k; simpl in *; rewrite Flat; clear; lra. }
      assert (Other : changed r (next k) (r (next k) + T * c1) (after k) = r (after k)) by (unfold changed; destruct k; reflexivity).
      rewrite Other. unfold c1, c2.
      replace ((s i + T * / half a i - s i) * half a i * edge a i m) with (T * edge a i m) by (field; auto).
      rewrite PE. field. auto.
    - unfold r', changed. destruct k; reflexivity.
    - intros m N. unfold s', changed. destruct i, m; congruence.
    - destruct S3 as [-> | S3]; [| right; right; right; rewrite Ra; auto].
      destruct S2 as [-> | S2]; [| right; left; right; rewrite Rn; auto].
      left. right. rewrite Si. auto.
  Qed.

  (** ** The theorem: these twenty features are enough. *)
  Definition near_edge (m : R) : Prop := exists p q, contains a p /\ on_edge b q /\ len (less q p) <= m.
  Definition near_corner (m : R) : Prop := exists p q, corner a p /\ contains b q /\ len (less q p) <= m.

  Lemma place_contains : forall c s, within_sides s -> contains c (place c s).
  Proof. intros c s H. apply contains_is. exists s. auto. Qed.

  Theorem features_are_enough : separated a b -> forall m, within m a b <-> near_edge m \/ near_corner m.
  Proof.
    intros Sep m. split.
    2: { intros [[p [q [P [[s [j [H [-> _]]]] L]]]] | [p [q [[s [H ->]] [Q L]]]]].
      - exists p, (place b s). auto using place_contains.
      - exists (place a s), q. split; auto. apply place_contains. intro i. destruct (H i) as [-> | ->]; lra. }
    intros [p0 [q0 [P0 [Q0 L0]]]]. apply contains_is in P0, Q0. destruct P0 as [s0 [Hs0 ->]], Q0 as [r0 [Hr0 ->]].
    destruct nearest_points as [s [r [Hs [Hr Least]]]]. specialize (Least) as Least'.
    set (v := less (place b r) (place a s)).
    assert (Lv : len v <= m) by (eapply Rle_trans; [apply (Least s0 r0 Hs0 Hr0) | exact L0]).
    assert (FA : forall i, fixed a s i \/ dot v (edge a i) = 0).
    { intro i. destruct (free_a s r Hs Hr Least i) as [H | [H | H]]; [left; left | left; right | right]; auto. }
    assert (FB : forall j, fixed b r j \/ dot v (edge b j) = 0).
    { intro j. destruct (free_b s r Hs Hr Least j) as [H | [H | H]]; [left; left | left; right | right]; auto. }
    assert (Edge : forall s' r' j, within_sides s' -> within_sides r' -> less (place b r') (place a s') = v ->
      fixed b r' (next j) -> fixed b r' (after j) -> near_edge m).
    { intros s' r' j Hs' Hr' E N A. exists (place a s'), (place b r').
      split; [apply place_contains; auto |]. split; [apply (on_edge_of b r' j); auto | rewrite E; exact Lv]. }
    assert (V0 : exists k, dot v (edge b k) <> 0).
    { destruct (Req_dec (dot v (edge b X)) 0) as [EX |]; [| eauto]. destruct (Req_dec (dot v (edge b Y)) 0) as [EY |]; [| eauto].
      destruct (Req_dec (dot v (edge b Z)) 0) as [EZ |]; [| eauto]. exfalso. apply Sep. exists (place a s).
      split; [apply place_contains; auto |]. replace (place a s) with (place b r); [apply place_contains; auto |].
      apply functional_extensionality. intro k. pose proof (parts b v k Vb) as P. unfold sum in P.
      rewrite EX, EY, EZ in P. unfold v, less in P. lra. }
    destruct V0 as [k K]. assert (Fk : fixed b r k) by (destruct (FB k); [auto | contradiction]).
    assert (Third : forall r' j, j <> k -> r' k = r k -> fixed b r' j ->
      exists j', fixed b r' (next j') /\ fixed b r' (after j')).
    { intros r' j J E F. assert (Fk' : fixed b r' k) by (destruct Fk; [left | right; rewrite E]; auto).
      assert (C : k = next j \/ k = after j) by (destruct j, k; auto; congruence).
      destruct C as [-> | ->]; [exists (after j) | exists (next j)]; destruct j; simpl in *; auto. }
    assert (Found : forall s' r' j, within_sides s' -> within_sides r' -> less (place b r') (place a s') = v -> j <> k ->
      r' k = r k -> fixed b r' j -> near_edge m).
    { intros s' r' j Hs' Hr' E J Ek F. destruct (Third r' j J Ek F) as [j' [F1 F2]]. eauto. }
    assert (NK : next k <> k /\ after k <> k) by (destruct k; split; discriminate). destruct NK as [NK AK].
    destruct (FB (next k)) as [F | Dn]; [left; exact (Found s r (next k) Hs Hr eq_refl NK eq_refl F) |].
    destruct (FB (after k)) as [F | Da]; [left; exact (Found s r (after k) Hs Hr eq_refl AK eq_refl F) |].
    assert (Step : forall i s1 r1, within_sides s1 -> within_sides r1 -> less (place b r1) (place a s1) = v -> r1 k = r k ->
      fixed a s1 i \/ dot v (edge a i) = 0 ->
      near_edge m \/ exists s2 r2, within_sides s2 /\ within_sides r2 /\ less (place b r2) (place a s2) = v /\ r2 k = r k /\
        (forall i', i' <> i -> s2 i' = s1 i') /\ fixed a s2 i).
    { intros i s1 r1 Hs1 Hr1 E1 K1 F1.
      destruct (slide_both s1 r1 i k Hs1 Hr1) as [s2 [r2 [Hs2 [Hr2 [E2 [K2 [O [F | [F | F]]]]]]]]];
        try (rewrite E1; auto).
      - right. exists s2, r2. rewrite E1 in E2. rewrite K1 in K2.
        split; [exact Hs2 | split; [exact Hr2 | split; [exact E2 | split; [exact K2 | split; [exact O | exact F]]]]].
      - left. rewrite E1 in E2. rewrite K1 in K2. exact (Found s2 r2 (next k) Hs2 Hr2 E2 NK K2 F).
      - left. rewrite E1 in E2. rewrite K1 in K2. exact (Found s2 r2 (after k) Hs2 Hr2 E2 AK K2 F). }
    assert (Keep : forall s1 s2 i i', (forall m', m' <> i -> s2 m' = s1 m') -> i' <> i ->
      fixed a s1 i' \/ dot v (edge a i') = 0 -> fixed a s2 i' \/ dot v (edge a i') = 0).
    { intros s1 s2 i i' O N [[H | H] | H]; [left; left | left; right; rewrite O | right]; auto. }
    assert (Keep' : forall s1 s2 i i', (forall m', m' <> i -> s2 m' = s1 m') -> i' <> i -> fixed a s1 i' -> fixed a s2 i').
    { intros s1 s2 i i' O N [H | H]; [left | right; rewrite O]; auto. }
    destruct (Step X s r Hs Hr eq_refl eq_refl (FA X)) as [D | [s1 [r1 [Hs1 [Hr1 [E1 [K1 [O1 F1]]]]]]]]; [left; exact D |].
    destruct (Step Y s1 r1 Hs1 Hr1 E1 K1) as [D | [s2 [r2 [Hs2 [Hr2 [E2 [K2 [O2 F2]]]]]]]];
      [apply (Keep s s1 X Y O1); auto; discriminate | left; exact D |].
    destruct (Step Z s2 r2 Hs2 Hr2 E2 K2) as [D | [s3 [r3 [Hs3 [Hr3 [E3 [K3 [O3 F3]]]]]]]];
      [apply (Keep s1 s2 Y Z O2); [discriminate |]; apply (Keep s s1 X Z O1); auto; discriminate | left; exact D |].
    right. exists (place a s3), (place b r3). split; [| split; [apply place_contains; auto | rewrite E3; exact Lv]].
    apply corner_of. intros []; [| | exact F3].
    - apply (Keep' s2 s3 Z X O3); [discriminate |]. apply (Keep' s1 s2 Y X O2); [discriminate | exact F1].
    - apply (Keep' s2 s3 Z Y O3); [discriminate | exact F2].
  Qed.
End Nearest.

(** ** The same for an edge of B, which is a box without two extents: its ends, and the edges of A. *)
Definition only (j : axis) (x : R) : vec := fun i => match i, j with X, X | Y, Y | Z, Z => x | _, _ => 0 end.
Definition edge_box (b : box) (j : axis) (r : vec) : box :=
  Box (place b (changed r j 0)) (only j (half b j)) (rotation b).

Lemma place_of_edge : forall b j r s, place (edge_box b j r) s = place b (changed r j (s j)).
Proof.
  intros b j r s. apply functional_extensionality. intro k. unfold place, sum, edge_box, changed, only, edge.
  destruct j; simpl; unfold place, sum, edge; simpl; clear; lra.
Qed.

Lemma edge_valid : forall b j r, valid b -> valid (edge_box b j r).
Proof.
  intros b j r [H N]. split; [| exact N]. intro i. simpl. unfold only. destruct i, j; (apply H || lra).
Qed.

Lemma own_change : forall s j x, changed s j x j = x.
Proof. intros s j x. destruct j; reflexivity. Qed.
Lemma other_changes : forall s j x, changed s j x (next j) = s (next j) /\ changed s j x (after j) = s (after j).
Proof. intros s j x. destruct j; split; reflexivity. Qed.
Lemma unchanged : forall s j, changed s j (s j) = s.
Proof. intros s j. apply functional_extensionality. intro i. destruct i, j; reflexivity. Qed.

Lemma within_reversed : forall m a b, within m a b -> within m b a.
Proof.
  intros m a b [p [q [P [Q L]]]]. exists q, p. split; [exact Q | split; [exact P |]].
  replace (len (less p q)) with (len (less q p)); [exact L |].
  unfold len. f_equal. unfold square, dot, sum, less. clear; lra.
Qed.

(** The features of [within.rs] and [segment_to_box]: corners of B and the box A, edges of both, and corners of A and
    the box B. *)
Theorem three_kinds : forall a b, valid a -> valid b -> separated a b -> forall m, within m a b <->
  (exists p q, contains a p /\ corner b q /\ len (less q p) <= m) \/
  (exists p q, on_edge a p /\ on_edge b q /\ len (less q p) <= m) \/
  (exists p q, corner a p /\ contains b q /\ len (less q p) <= m).
Proof.
  intros a b Va Vb Sep m.
  assert (C : forall c p, corner c p -> contains c p).
  { intros c p [s [H ->]]. apply place_contains. intro i. destruct (H i) as [-> | ->]; lra. }
  assert (E : forall c p, on_edge c p -> contains c p) by (intros c p [s [j [H [-> _]]]]; apply place_contains; auto).
  split.
  2: { intros [[p [q [P [Q L]]]] | [[p [q [P [Q L]]]] | [p [q [P [Q L]]]]]]; exists p, q; auto. }
  intro W. apply (features_are_enough a b Va Vb Sep) in W. destruct W as [[p [q [P [[r [j [Hr [-> [N A]]]]] L]]]] | W]; [| auto].
  set (e := edge_box b j r). assert (Ve : valid e) by (apply edge_valid; auto).
  assert (In : forall s, within_sides s -> on_edge b (place e s)).
  { intros s Hs. exists (changed r j (s j)), j. destruct (other_changes r j (s j)) as [-> ->].
    split; [apply changed_within; auto; apply Hs |]. split; [apply place_of_edge | auto]. }
  assert (Sub : forall q, contains e q -> on_edge b q)
    by (intros q Hq; apply contains_is in Hq; destruct Hq as [s [Hs ->]]; auto).
  assert (Sep' : separated e a) by (intros [q [Q Q']]; apply Sep; exists q; split; [exact Q' | apply E, Sub, Q]).
  assert (W : within m e a).
  { apply within_reversed. exists p, (place b r). split; [exact P | split; [| exact L]].
    apply contains_is. exists (only j (r j)). split.
    - intro i. unfold only. destruct i, j; (apply Hr || lra).
    - unfold e. rewrite place_of_edge. unfold only. destruct j; simpl; rewrite unchanged; reflexivity. }
  assert (Rev : forall u w, len (less u w) = len (less w u))
    by (intros; unfold len; f_equal; unfold square, dot, sum, less; clear; lra).
  apply (features_are_enough e a Ve Va Sep') in W.
  destruct W as [[q' [p' [Q [P' L']]]] | [q' [p' [[s [Hs ->]] [P' L']]]]].
  - right. left. exists p', q'. split; [exact P' | split; [apply Sub, Q | rewrite Rev; exact L']].
  - left. exists p', (place e s). split; [exact P' | split; [| rewrite Rev; exact L']].
    exists (changed r j (s j)). split; [| apply place_of_edge].
    intro i. assert (I : i = j \/ i = next j \/ i = after j) by (destruct i, j; auto).
    destruct (other_changes r j (s j)) as [On Oa]. destruct I as [-> | [-> | ->]];
      [rewrite own_change; apply Hs | rewrite On; exact N | rewrite Oa; exact A].
Qed.
