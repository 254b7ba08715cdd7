(** * How the errors of t, s, C and the extents turn into those of F, on all fifteen axes.

    Any stage computes t', s', C', c' for |C|, gA' and gB', each with a bound on its error: relative
    to its scale, and for lengths an absolute one as well. *)

Require Import Rbase Rfunctions Lra.
From Obbligato Require Import Boxes Formulas Lengths.
Open Scope R_scope.

Inductive direction := FaceA (i : axis) | FaceB (j : axis) | Edges (i j : axis).

(** F is a distance less radii. [s] times the extents of the boxes that occur in it is its scale. *)
Definition distance (t : vec) (s : R) (C : axis -> axis -> R) (k : direction) : R :=
  match k with
  | FaceA i => s * Rabs (t i)
  | FaceB j => Rabs (sum (fun i => t i * C i j))
  | Edges i j => Rabs (t (after i) * C (next i) j - t (next i) * C (after i) j)
  end.
Definition radii (s : R) (c : axis -> axis -> R) (gA gB : vec) (k : direction) : R :=
  match k with
  | FaceA i => s * gA i + sum (fun j => c i j * gB j)
  | FaceB j => s * gB j + sum (fun i => c i j * gA i)
  | Edges i j => c (after i) j * gA (next i) + c (next i) j * gA (after i)
      + c i (after j) * gB (next j) + c i (next j) * gB (after j)
  end.
Definition extents (gA gB : vec) (k : direction) : R :=
  match k with
  | FaceA i => gA i + sum gB
  | FaceB j => sum gA + gB j
  | Edges _ _ => sum gA + sum gB
  end.
Definition absolute (C : axis -> axis -> R) (i j : axis) : R := Rabs (C i j).

Definition F (a b : box) (k : direction) : R :=
  match k with
  | FaceA i => F_face_a a b i
  | FaceB j => F_face_b a b j
  | Edges i j => F_edges a b i j
  end.
Definition along (a b : box) (k : direction) : vec :=
  match k with
  | FaceA i => edge a i
  | FaceB j => edge b j
  | Edges i j => cross (edge a i) (edge b j)
  end.

Lemma F_is : forall a b k,
  F a b k = distance (t a b) (s a b) (C a b) k - radii (s a b) (absolute (C a b)) (gA a) (gB a b) k.
Proof.
  intros a b [i | j | i j]; unfold F, F_face_a, F_face_b, F_edges, distance, radii, absolute, sum; clear; lra.
Qed.

Lemma F_is_n_s_f : forall a b k, valid a -> valid b -> F a b k = n a * s a b * f a b (along a b k).
Proof.
  intros a b [i | j | i j] Ha Hb;
    [apply face_a_is_n_s_f | apply face_b_is_n_s_f | apply edges_are_n_s_f]; auto.
Qed.

(** Products of a number of scale X with a length of scale Y, which has an absolute error as well. *)
Lemma scaled_product : forall x x' y y' X Y p q e, 0 <= p <= 0.00002 -> 0 <= q -> 0 <= e -> 0 <= X -> 0 <= Y ->
  Rabs x <= X -> Rabs y <= Y -> Rabs (x' - x) <= p * X -> Rabs (y' - y) <= q * Y + e ->
  Rabs (x' * y' - x * y) <= 1.0001 * (X * ((p + q) * Y + e)).
Proof.
  intros x x' y y' X Y p q e Hp Hq He HX HY Hx Hy Ex Ey.
  replace (x' * y' - x * y) with ((x' - x) * y + (x * (y' - y) + (x' - x) * (y' - y))) by (clear; lra).
  eapply Rle_trans; [apply Rabs_triang |].
  eapply Rle_trans; [apply Rplus_le_compat_l, Rabs_triang |]. rewrite !Rabs_mult.
  pose proof (Rabs_pos x). pose proof (Rabs_pos y).
  pose proof (Rabs_pos (x' - x)). pose proof (Rabs_pos (y' - y)).
  assert (Q : 0 <= q * Y) by (apply Rmult_le_pos; auto).
  assert (Rabs (x' - x) * Rabs y <= p * X * Y) by (apply Rmult_le_compat; auto).
  assert (Rabs x * Rabs (y' - y) <= X * (q * Y + e)) by (apply Rmult_le_compat; auto).
  assert (Rabs (x' - x) * Rabs (y' - y) <= p * X * (q * Y + e)) by (apply Rmult_le_compat; auto).
  assert (P : p * (X * (q * Y + e)) <= 0.00002 * (X * (q * Y + e)))
    by (apply Rmult_le_compat_r; [apply Rmult_le_pos |]; lra).
  assert (0 <= p * X * Y) by (repeat apply Rmult_le_pos; lra).
  assert (0 <= X * (q * Y + e)) by (apply Rmult_le_pos; lra).
  nra.
Qed.

Lemma abs_change : forall x y e, Rabs (x - y) <= e -> Rabs (Rabs x - Rabs y) <= e.
Proof. intros x y e H. eapply Rle_trans; [apply Rabs_triang_inv2 | exact H]. Qed.

Lemma abs_part : forall (v : vec) i, 0 <= Rabs (v i) <= sum (fun i => Rabs (v i)).
Proof.
  intros v i. pose proof (Rabs_pos (v X)). pose proof (Rabs_pos (v Y)). pose proof (Rabs_pos (v Z)).
  unfold sum. destruct i; lra.
Qed.

Definition unit_vector (i : axis) : vec :=
  fun k => match i, k with X, X | Y, Y | Z, Z => 1 | _, _ => 0 end.

(** The magnitudes of F. *)
Section Scale.
  Variables (a b : box).
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Let s0 := s a b.

  Lemma scale_range : 0.9958 <= s0 <= 1.0043.
  Proof.
    unfold s0. rewrite s_is. destruct Ha as [_ P]. destruct Hb as [_ Q]. split; nra.
  Qed.

  Lemma extents_pos : (forall i, 0 <= gA a i) /\ (forall i, 0 <= gB a b i).
  Proof.
    pose proof (n_pos a Ha). split; intro i; apply Rmult_le_pos; try lra;
      [apply (proj1 Ha) | apply (proj1 Hb)].
  Qed.

  Lemma entry_below : forall i j, Rabs (C a b i j) <= s0.
  Proof.
    intros i j. unfold C, s0, s. apply Rabs_le. destruct (r a b) as [x y z w]. unfold norm2; simpl.
    pose proof (Rle_0_sqr x). pose proof (Rle_0_sqr y). pose proof (Rle_0_sqr z). pose proof (Rle_0_sqr w).
    pose proof (Rle_0_sqr (x + y)). pose proof (Rle_0_sqr (x - y)). pose proof (Rle_0_sqr (x + z)).
    pose proof (Rle_0_sqr (x - z)). pose proof (Rle_0_sqr (y + z)). pose proof (Rle_0_sqr (y - z)).
    pose proof (Rle_0_sqr (w + x)). pose proof (Rle_0_sqr (w - x)). pose proof (Rle_0_sqr (w + y)).
    pose proof (Rle_0_sqr (w - y)). pose proof (Rle_0_sqr (w + z)). pose proof (Rle_0_sqr (w - z)).
    unfold Rsqr in *. destruct i, j; simpl; split; lra.
  Qed.

  Lemma column_length : forall j, dot (fun i => C a b i j) (fun i => C a b i j) = s0 * s0.
  Proof. intro j. unfold dot. unfold C. rewrite columns. unfold s0, s. destruct j; reflexivity. Qed.

  Lemma distance_below : forall k,
    distance (t a b) s0 (C a b) k <= s0 * sum (fun i => Rabs (t a b i)).
  Proof.
    pose proof scale_range as S.
    assert (P : forall x y z, Rabs (x * C a b y z) <= s0 * Rabs x).
    { intros. rewrite Rabs_mult, Rmult_comm. apply Rmult_le_compat_r; [apply Rabs_pos | apply entry_below]. }
    intros [i | j | i j]; simpl.
    - apply Rmult_le_compat_l; [lra | apply abs_part].
    - unfold sum. eapply Rle_trans; [apply Rabs_triang |].
      eapply Rle_trans; [apply Rplus_le_compat_r, Rabs_triang |].
      pose proof (P (t a b X) X j). pose proof (P (t a b Y) Y j). pose proof (P (t a b Z) Z j). lra.
    - unfold Rminus. eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_Ropp.
      eapply Rle_trans; [apply Rplus_le_compat; apply P |].
      assert (Q : forall i, 0 <= s0 * Rabs (t a b i)) by (intro; apply Rmult_le_pos; [lra | apply Rabs_pos]).
      pose proof (Q X). pose proof (Q Y). pose proof (Q Z). unfold sum. destruct i; simpl; lra.
  Qed.

  Lemma radii_below : forall k, radii s0 (absolute (C a b)) (gA a) (gB a b) k <= s0 * extents (gA a) (gB a b) k.
  Proof.
    destruct extents_pos as [GA GB]. pose proof scale_range as S.
    assert (P : forall i j g, 0 <= g -> absolute (C a b) i j * g <= s0 * g)
      by (intros; apply Rmult_le_compat_r; [auto | apply entry_below]).
    assert (QA : forall i, 0 <= s0 * gA a i) by (intro; apply Rmult_le_pos; [lra | auto]).
    assert (QB : forall i, 0 <= s0 * gB a b i) by (intro; apply Rmult_le_pos; [lra | auto]).
    pose proof (QA X). pose proof (QA Y). pose proof (QA Z). pose proof (QB X). pose proof (QB Y). pose proof (QB Z).
    intros [i | j | i j]; unfold radii, extents, sum.
    - pose proof (P i X _ (GB X)). pose proof (P i Y _ (GB Y)). pose proof (P i Z _ (GB Z)). lra.
    - pose proof (P X j _ (GA X)). pose proof (P Y j _ (GA Y)). pose proof (P Z j _ (GA Z)). lra.
    - pose proof (P (after i) j _ (GA (next i))). pose proof (P (next i) j _ (GA (after i))).
      pose proof (P i (after j) _ (GB (next j))). pose proof (P i (next j) _ (GB (after j))).
      destruct i, j; simpl in *; lra.
  Qed.
End Scale.

Section Propagation.
  Variables (a b : box) (t' : vec) (s' : R) (C' c' : axis -> axis -> R) (gA' gB' : vec).
  (** The relative errors of t, of C and s, of |C|, of extents; the absolute ones of t and extents. *)
  Variables (pt pC pc pg et eg : R).
  Hypothesis Ha : valid a.
  Hypothesis Hb : valid b.
  Hypothesis Hpt : 0 <= pt <= 0.00002.
  Hypothesis HpC : 0 <= pC <= 0.00002.
  Hypothesis Hpc : pC <= pc <= 0.00002.
  Hypothesis Hpg : 0 <= pg <= 0.00002.
  Hypothesis Het : 0 <= et.
  Hypothesis Heg : 0 <= eg.

  Let s0 := s a b.
  Let T := sum (fun i => Rabs (t a b i)).
  Let T' := sum (fun i => Rabs (t' i)).

  Hypothesis Ht : forall (c : vec) K, 0 <= K -> dot c c <= K * K ->
    Rabs (dot (fun i => t' i - t a b i) c) <= (pt * T + et) * K.
  Hypothesis Hs : Rabs (s' - s0) <= pC * s0.
  Hypothesis HC : forall i j, Rabs (C' i j - C a b i j) <= pC * s0.
  Hypothesis Hc : forall i j, Rabs (c' i j - Rabs (C a b i j)) <= pc * s0.
  Hypothesis HgA : forall i, Rabs (gA' i - gA a i) <= pg * gA a i + eg.
  Hypothesis HgB : forall i, Rabs (gB' i - gB a b i) <= pg * gB a b i + eg.

  Let scale_range : 0.9958 <= s0 <= 1.0043 := scale_range a b Ha Hb.
  Let extents_pos := extents_pos a b Ha Hb.
  Let column_length : forall j, dot (fun i => C a b i j) (fun i => C a b i j) = s0 * s0 := column_length a b.
  Let entry_below : forall i j, Rabs (C a b i j) <= s0 := entry_below a b.

  Lemma t_component : forall i, Rabs (t' i - t a b i) <= pt * T + et.
  Proof.
    intro i. rewrite <- (Rmult_1_r (pt * T + et)).
    replace (t' i - t a b i) with (dot (fun i => t' i - t a b i) (unit_vector i))
      by (unfold dot, sum, unit_vector; destruct i; simpl; clear; lra).
    apply Ht; [lra |]. unfold dot, sum, unit_vector. destruct i; simpl; lra.
  Qed.

  Lemma T_change : Rabs (T' - T) <= 3 * (pt * T + et).
  Proof.
    unfold T', sum. pose proof (abs_change _ _ _ (t_component X)) as P.
    pose proof (abs_change _ _ _ (t_component Y)) as Q. pose proof (abs_change _ _ _ (t_component Z)) as V.
    unfold T at 1, sum. fold T.
    replace (_ - _) with ((Rabs (t' X) - Rabs (t a b X)) + ((Rabs (t' Y) - Rabs (t a b Y))
      + (Rabs (t' Z) - Rabs (t a b Z)))) by (clear; lra).
    eapply Rle_trans; [apply Rabs_triang |]. eapply Rle_trans; [apply Rplus_le_compat_l, Rabs_triang |]. lra.
  Qed.

  (** The distance without its own roundings. *)
  Lemma dot_change : forall v v' : vec, dot v v <= s0 * s0 -> (forall i, Rabs (v' i - v i) <= pC * s0) ->
    Rabs (dot t' v' - dot (t a b) v) <= 1.0001 * (s0 * ((pC + pt) * T + et)).
  Proof.
    intros v v' Hl Hv. set (e := pC) in *. pose proof scale_range as S.
    pose proof (abs_part (t a b) X) as TX. pose proof T_change as TC. pose proof (Rle_abs (T' - T)).
    fold T in TX.
    replace (dot t' v' - dot (t a b) v) with
      (dot (fun i => t' i - t a b i) v + sum (fun i => t' i * (v' i - v i))) by (unfold dot, sum; clear; lra).
    eapply Rle_trans; [apply Rabs_triang |].
    assert (P := Ht v s0 ltac:(lra) Hl).
    assert (Q : Rabs (sum (fun i => t' i * (v' i - v i))) <= T' * (e * s0)).
    { assert (B : forall i, Rabs (t' i * (v' i - v i)) <= Rabs (t' i) * (e * s0))
        by (intro i; rewrite Rabs_mult; apply Rmult_le_compat_l; [apply Rabs_pos | apply Hv]).
      unfold T', sum. pose proof (B X). pose proof (B Y). pose proof (B Z).
      eapply Rle_trans; [apply Rabs_triang |]. eapply Rle_trans; [apply Rplus_le_compat_r, Rabs_triang |]. lra. }
    assert (0 <= T) by lra.
    assert (E : 0 <= e * s0) by (apply Rmult_le_pos; lra).
    assert (V : T' * (e * s0) <= (1.00006 * T + 3 * et) * (e * s0)).
    { apply Rmult_le_compat_r; auto. assert (pt * T <= 0.00002 * T) by (apply Rmult_le_compat_r; lra). lra. }
    assert (0 <= s0 * et) by (apply Rmult_le_pos; lra).
    assert (e * (s0 * et) <= 0.00002 * (s0 * et)) by (apply Rmult_le_compat_r; lra).
    assert (0 <= s0 * T) by (apply Rmult_le_pos; lra).
    assert (0 <= e * (s0 * T)) by (apply Rmult_le_pos; lra).
    assert (0 <= pt * (s0 * T)) by (apply Rmult_le_pos; lra). lra.
  Qed.

  Lemma distance_change : forall k,
    Rabs (distance t' s' C' k - distance (t a b) s0 (C a b) k) <= 1.0001 * (s0 * ((pC + pt) * T + et)).
  Proof.
    pose proof scale_range as S.
    assert (Z0 : Rabs 0 <= pC * s0) by (rewrite Rabs_R0; apply Rmult_le_pos; lra).
    intros [i | j | i j]; simpl.
    - pose proof (abs_part (t a b) i) as P. pose proof (abs_change _ _ _ (t_component i)).
      fold T in P. apply scaled_product; auto; try lra; rewrite Rabs_pos_eq; lra.
    - apply abs_change.
      apply (dot_change (fun i => C a b i j) (fun i => C' i j)); auto. rewrite column_length. lra.
    - apply abs_change.
      set (w := fun (C : axis -> axis -> R) (k : axis) => match i, k with
        | X, X | Y, Y | Z, Z => 0
        | X, Y | Y, Z | Z, X => - C (after i) j
        | _, _ => C (next i) j end).
      assert (E : forall (v : vec) (D : axis -> axis -> R),
        v (after i) * D (next i) j - v (next i) * D (after i) j = dot v (w D))
        by (intros; unfold dot, sum, w; destruct i; simpl; clear; lra).
      rewrite !E. apply dot_change.
      + rewrite <- (column_length j). unfold dot, sum, w.
        pose proof (Rle_0_sqr (C a b i j)) as Q. unfold Rsqr in Q. destruct i; simpl in *; lra.
      + intro k. pose proof (HC (after i) j) as P. rewrite Rabs_minus_sym in P. pose proof (HC (next i) j).
        unfold w. destruct i, k; simpl in *; unfold Rminus in *; rewrite ?Ropp_involutive, ?Rplus_opp_r;
          try assumption; rewrite Rplus_comm; assumption.
  Qed.

  Lemma radius_change : forall x x' y y' p, Rabs x <= s0 -> 0 <= y -> pC <= p <= pc ->
    Rabs (x' - x) <= p * s0 -> Rabs (y' - y) <= pg * y + eg ->
    Rabs (x' * y' - x * y) <= 1.0001 * (s0 * ((pc + pg) * y + eg)).
  Proof.
    intros x x' y y' p Hx Hy Hp Ex Ey. pose proof scale_range as S.
    apply scaled_product; try lra; [rewrite Rabs_pos_eq; lra |].
    eapply Rle_trans; [exact Ex |]. apply Rmult_le_compat_r; lra.
  Qed.

  Lemma radii_change : forall k,
    Rabs (radii s' c' gA' gB' k - radii s0 (absolute (C a b)) (gA a) (gB a b) k)
    <= 1.0001 * (s0 * ((pc + pg) * extents (gA a) (gB a b) k + 4 * eg)).
  Proof.
    pose proof scale_range as S. destruct extents_pos as [GA GB].
    assert (OA : forall i, Rabs (s' * gA' i - s0 * gA a i) <= 1.0001 * (s0 * ((pc + pg) * gA a i + eg)))
      by (intro i; apply (radius_change _ _ _ _ pC); auto; try lra; rewrite Rabs_pos_eq; lra).
    assert (OB : forall i, Rabs (s' * gB' i - s0 * gB a b i) <= 1.0001 * (s0 * ((pc + pg) * gB a b i + eg)))
      by (intro i; apply (radius_change _ _ _ _ pC); auto; try lra; rewrite Rabs_pos_eq; lra).
    assert (E : forall i j, Rabs (Rabs (C a b i j)) <= s0) by (intros; rewrite Rabs_Rabsolu; apply entry_below).
    assert (CA : forall i j k, Rabs (c' i j * gA' k - Rabs (C a b i j) * gA a k)
      <= 1.0001 * (s0 * ((pc + pg) * gA a k + eg)))
      by (intros; apply (radius_change _ _ _ _ pc); auto; lra).
    assert (CB : forall i j k, Rabs (c' i j * gB' k - Rabs (C a b i j) * gB a b k)
      <= 1.0001 * (s0 * ((pc + pg) * gB a b k + eg)))
      by (intros; apply (radius_change _ _ _ _ pc); auto; lra).
    assert (four : forall x y z w x' y' z' w' p q r v, Rabs (x' - x) <= p -> Rabs (y' - y) <= q ->
      Rabs (z' - z) <= r -> Rabs (w' - w) <= v ->
      Rabs ((x' + y' + z' + w') - (x + y + z + w)) <= p + q + r + v).
    { intros. replace (_ - _) with ((x' - x) + (y' - y) + (z' - z) + (w' - w)) by (clear; lra).
      eapply Rle_trans; [apply Rabs_triang |]. apply Rplus_le_compat; auto.
      eapply Rle_trans; [apply Rabs_triang |]. apply Rplus_le_compat; auto.
      eapply Rle_trans; [apply Rabs_triang |]. apply Rplus_le_compat; auto. }
    intros [i | j | i j]; unfold radii, extents, absolute, sum.
    - rewrite <- !Rplus_assoc.
      eapply Rle_trans; [apply four; [apply OA | apply CB | apply CB | apply CB] |]. lra.
    - rewrite <- !Rplus_assoc.
      eapply Rle_trans; [apply four; [apply OB | apply CA | apply CA | apply CA] |]. lra.
    - eapply Rle_trans; [apply four; [apply CA | apply CA | apply CB | apply CB] |].
      assert (W : forall g : vec, forall i, (forall i, 0 <= g i) ->
        g (next i) + g (after i) <= g X + g Y + g Z)
        by (intros g k Hg; pose proof (Hg X); pose proof (Hg Y); pose proof (Hg Z); destruct k; simpl; lra).
      pose proof (W _ i GA) as WA. pose proof (W _ j GB) as WB.
      assert (P : (pc + pg) * (gA a (next i) + gA a (after i) + (gB a b (next j) + gB a b (after j))) <=
        (pc + pg) * (gA a X + gA a Y + gA a Z + (gB a b X + gB a b Y + gB a b Z)))
        by (apply Rmult_le_compat_l; lra).
      apply (Rmult_le_compat_l s0) in P; lra.
  Qed.

  (** The error of F, if its last sums and the distance had no roundings of their own. *)
  Theorem F_change : forall k,
    Rabs (distance t' s' C' k - radii s' c' gA' gB' k - F a b k)
    <= 1.0001 * (s0 * ((pC + pt) * T + (pc + pg) * extents (gA a) (gB a b) k + et + 4 * eg)).
  Proof.
    intro k. rewrite F_is. pose proof (distance_change k) as P. pose proof (radii_change k) as Q. fold s0.
    replace (_ - _) with ((distance t' s' C' k - distance (t a b) s0 (C a b) k)
      + - (radii s' c' gA' gB' k - radii s0 (absolute (C a b)) (gA a) (gB a b) k)) by (clear; lra).
    eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_Ropp. lra.
  Qed.
End Propagation.
