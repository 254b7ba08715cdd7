(** * The answers in f32 about two balls are true: [round/filter.rs], "Two spheres".

    The shader and the CPU compute the same formulas, with different u. *)

Require Import Rbase Rfunctions Lra Lia.
From Obbligato Require Import Boxes Rounding Flushing Lengths Constants Propagation Shader Margins Round Squares.
Open Scope R_scope.

(** A core without size is its center. *)
Definition is_ball (b : body) : Prop := forall i, half (core b) i = 0.

Lemma center_only : forall b p, is_ball b -> contains (core b) p -> forall k, p k = center (core b) k.
Proof. intros b p B [s [_ E]] k. rewrite E. unfold sum. rewrite !B. clear; lra. Qed.
Lemma center_in : forall b, contains (core b) (center (core b)).
Proof. intro b. exists (fun _ => 0). split; intros; [lra |]. unfold sum. clear; lra. Qed.

Section Balls.
  Variables (u K : R) (a b : body) (m R' E' : R) (d' : vec).
  Let D' := square d'.

  (** What is behind fences; F - E or F + E follows, as any compiler may have rewritten it. *)
  Record balls_run : Prop := {
    balls_d : centers_run u a b d';
    balls_reach : reach_run u a b m R';
    balls_E : let x := K * u * (D' + R' * R') + FLUSH_SQUARE in
      computed_square u 5 3 (6 + D' + R' * R') x x E'
  }.
  Definition balls_compared (E v : R) : Prop :=
    computed_square u 5 2 (6 + D' + R' * R' + E') (D' + R' * R' + E') (D' - R' * R' + E) v.

  (** The answers. *)
  Definition balls_apart : Prop := exists v, balls_compared (- E') v /\ 0 < v.
  Definition balls_closer : Prop := exists v, balls_compared E' v /\ v < 0.

  Hypothesis u_range : 1 / 2 ^ 24 <= u <= 1 / 2 ^ 23.
  Hypothesis K_large : SPHERES_ERROR <= K <= 20.
  Hypothesis Ra : 0 <= round a.
  Hypothesis Rb : 0 <= round b.
  Hypothesis Hm : 0 <= m.
  Hypothesis A_ball : is_ball a.
  Hypothesis B_ball : is_ball b.
  Hypothesis Hrun : balls_run.

  Let D := square (centers a b).
  Let R2 := reach a b m * reach a b m.

  Lemma squares_change : Rabs (D' - D) <= 2.002 * u * D + 0.03 * phi /\ Rabs (R' * R' - R2) <= 9.022 * u * R2 + 0.01 * phi.
  Proof.
    split.
    - assert (B : forall k, Rabs (d' k * d' k - centers a b k * centers a b k)
        <= 2.002 * u * (centers a b k * centers a b k) + 0.01 * phi).
      { intro k. replace 2.002 with (2 * 1 + 0.002) by lra. apply (square_change u u_range); [| lra].
        pose proof (centers_error u u_range a b d' k (balls_d Hrun)). pose proof phi_low. lra. }
      pose proof (B X). pose proof (B Y). pose proof (B Z). unfold D', D, square, dot, sum.
      replace (_ - _) with ((d' X * d' X - centers a b X * centers a b X) + (d' Y * d' Y - centers a b Y * centers a b Y)
        + (d' Z * d' Z - centers a b Z * centers a b Z)) by (clear; lra).
      eapply Rle_trans; [apply Rabs_triang |]. eapply Rle_trans; [apply Rplus_le_compat_r, Rabs_triang |]. lra.
    - unfold R2. replace 9.022 with (2 * 4.51 + 0.002) by lra. apply (square_change u u_range); [| lra].
      rewrite (Rabs_pos_eq (reach a b m)) by (apply reach_pos; auto).
      pose proof (reach_error u u_range a b m R' Ra Rb Hm (balls_reach Hrun)). pose proof phi_low. lra.
  Qed.

  Lemma D_pos : 0 <= D /\ 0 <= D' /\ 0 <= R2 /\ 0 <= R' * R'.
  Proof. repeat split; try apply square_pos; apply Rle_0_sqr. Qed.

  Lemma E_is : Rabs (E' - (K * u * (D' + R' * R') + FLUSH_SQUARE)) <= 0.001 * u * (D' + R' * R') + 37 * phi.
  Proof.
    pose proof (balls_E Hrun) as C. cbv zeta in C. destruct D_pos as [_ [D0 [_ R0]]].
    replace (6 + D' + R' * R') with (6 + (D' + R' * R')) in C by (clear; lra). set (y := D' + R' * R') in *.
    apply (square_error u u_range 5 3 _ _ _ _ 6 eq_refl ltac:(lia) ltac:(simpl; lra)) in C. simpl INR in C.
    assert (Y0 : 0 <= y) by (unfold y; lra). assert (UY : 0 <= u * y) by (apply Rmult_le_pos; lra).
    assert (E6 : 0 <= error u 6 <= 0.000001) by (pose proof (u_square u (u_low u u_range)); unfold error; simpl; lra).
    assert (KU : 0 <= K * (u * y) <= 20 * (u * y)) by (split; [apply Rmult_le_pos | apply Rmult_le_compat_r]; unfold SPHERES_ERROR in *; lra).
    assert (error u 6 * (K * u * y + FLUSH_SQUARE) <= 0.000001 * (K * u * y + FLUSH_SQUARE))
      by (apply Rmult_le_compat_r; unfold FLUSH_SQUARE; lra).
    assert (phi * y <= 0.0001 * (u * y)) by (rewrite <- Rmult_assoc; apply Rmult_le_compat_r; unfold phi; lra).
    pose proof phi_low. assert (FLUSH_SQUARE = 256 * phi) by (unfold FLUSH_SQUARE, phi; lra). lra.
  Qed.

  Lemma compared_error : forall E v, balls_compared E v ->
    Rabs (v - (D' - R' * R' + E)) <= 5.001 * u * (D' + R' * R' + E') + 25 * phi /\ 0 <= E'.
  Proof.
    intros E v C. destruct D_pos as [_ [D0 [_ R0]]]. pose proof E_is as EI. unfold balls_compared in C.
    set (y := D' + R' * R') in *. assert (Y0 : 0 <= y) by (unfold y; lra). assert (UY : 0 <= u * y) by (apply Rmult_le_pos; lra).
    assert (KU : 15 * (u * y) <= K * (u * y)) by (apply Rmult_le_compat_r; unfold SPHERES_ERROR in *; lra).
    assert (EP : 0 <= E').
    { pose proof (Rle_abs (- (E' - (K * u * y + FLUSH_SQUARE)))) as Q. rewrite Rabs_Ropp in Q. unfold FLUSH_SQUARE, phi in *. lra. }
    split; auto. replace (6 + D' + R' * R' + E') with (6 + (y + E')) in C by (unfold y; clear; lra).
    apply (square_error u u_range 5 2 _ _ _ _ 5 eq_refl ltac:(lia) ltac:(simpl; lra)) in C. simpl INR in C.
    assert (E5 : 0 <= error u 5 <= 5.00001 * u) by (pose proof (u_square u (u_low u u_range)); unfold error; simpl; lra).
    assert (error u 5 * (y + E') <= 5.00001 * u * (y + E')) by (apply Rmult_le_compat_r; lra).
    assert (phi * (y + E') <= 0.0001 * u * (y + E')) by (apply Rmult_le_compat_r; unfold phi; lra).
    assert (0 <= u * (y + E')) by (apply Rmult_le_pos; lra). pose proof phi_low. lra.
  Qed.

  (** What both answers need: E is above all errors. *)
  Lemma E_enough : 2.003 * u * D + 9.023 * u * R2 + 5.001 * u * (D' + R' * R' + E') + 26 * phi < E'.
  Proof.
    destruct D_pos as [D0 [D1 [R0 R1]]]. pose proof E_is as EI. destruct squares_change as [CD CR].
    pose proof (Rle_abs (- (E' - (K * u * (D' + R' * R') + FLUSH_SQUARE)))) as Q. rewrite Rabs_Ropp in Q.
    pose proof (Rle_abs (- (D' - D))) as QD. rewrite Rabs_Ropp in QD.
    pose proof (Rle_abs (- (R' * R' - R2))) as QR. rewrite Rabs_Ropp in QR.
    set (y := R' * R') in *. clearbody y.
    assert (F : FLUSH_SQUARE = 256 * phi /\ 0 < phi) by (unfold FLUSH_SQUARE, phi; lra). destruct F as [FS F].
    assert (S1 : 15 * (u * (D' + y)) <= K * (u * (D' + y)))
      by (apply Rmult_le_compat_r; [apply Rmult_le_pos; lra | unfold SPHERES_ERROR in *; lra]).
    (* E' u (1 - 5.001 u), from below *)
    assert (UY : 0 <= u * (D' + y)) by (apply Rmult_le_pos; lra).
    assert (E0 : 14.99 * (u * (D' + y)) + 218 * phi <= E') by lra.
    assert (UE : (1 - 5.001 * u) * (14.99 * (u * (D' + y)) + 218 * phi) <= (1 - 5.001 * u) * E')
      by (apply Rmult_le_compat_l; lra).
    assert (UU : u * (u * (D' + y)) <= 0.0000002 * (u * (D' + y))) by (apply Rmult_le_compat_r; [apply Rmult_le_pos |]; lra).
    assert (UP : u * phi <= 0.0000002 * phi) by (apply Rmult_le_compat_r; lra).
    assert (L1 : u * ((1 - 2.002 * u) * D - 0.03 * phi) <= u * D') by (apply Rmult_le_compat_l; lra).
    assert (L2 : u * ((1 - 9.022 * u) * R2 - 0.01 * phi) <= u * y) by (apply Rmult_le_compat_l; lra).
    assert (U1 : u * (u * D) <= 0.0000002 * (u * D)) by (apply Rmult_le_compat_r; [apply Rmult_le_pos |]; lra).
    assert (U2 : u * (u * R2) <= 0.0000002 * (u * R2)) by (apply Rmult_le_compat_r; [apply Rmult_le_pos |]; lra).
    assert (0 <= u * D) by (apply Rmult_le_pos; lra). assert (0 <= u * R2) by (apply Rmult_le_pos; lra).
    assert (0 <= u * D') by (apply Rmult_le_pos; lra). assert (0 <= u * y) by (apply Rmult_le_pos; lra). lra.
  Qed.

  Lemma distance_of_balls : forall p q, contains (core a) p -> contains (core b) q -> len (less q p) * len (less q p) = D.
  Proof.
    intros p q P Q. rewrite len_square. unfold D, centers, square, dot, sum, less.
    rewrite !(center_only a p A_ball P), !(center_only b q B_ball Q). reflexivity.
  Qed.

  Theorem balls_apart_is_true : balls_apart -> cores_apart (reach a b m) a b.
  Proof.
    intros [v [C V]] p q P Q. apply compared_error in C. destruct C as [C E0]. pose proof E_enough as EE.
    destruct squares_change as [CD CR]. pose proof (Rle_abs (v - (D' - R' * R' + - E'))).
    pose proof (Rle_abs (D' - D)). pose proof (Rle_abs (- (R' * R' - R2))) as QR. rewrite Rabs_Ropp in QR.
    destruct D_pos as [D0 [D1 [R0 R1]]]. pose proof u_positive u u_range. pose proof phi_low.
    assert (0 <= u * D) by (apply Rmult_le_pos; lra). assert (0 <= u * R2) by (apply Rmult_le_pos; lra).
    assert (L : R2 < D) by lra. rewrite <- (distance_of_balls p q P Q) in L. unfold R2 in L.
    apply Rsqr_incrst_0; [exact L | apply reach_pos; auto | apply len_pos].
  Qed.

  Theorem balls_closer_is_true : balls_closer -> cores_closer (reach a b m) a b.
  Proof.
    intros [v [C V]]. exists (center (core a)), (center (core b)). split; [apply center_in | split; [apply center_in |]].
    apply compared_error in C. destruct C as [C E0]. pose proof E_enough as EE.
    destruct squares_change as [CD CR]. pose proof (Rle_abs (- (v - (D' - R' * R' + E')))) as QV. rewrite Rabs_Ropp in QV.
    pose proof (Rle_abs (- (D' - D))) as QD. rewrite Rabs_Ropp in QD. pose proof (Rle_abs (R' * R' - R2)).
    destruct D_pos as [D0 [D1 [R0 R1]]]. pose proof u_positive u u_range. pose proof phi_low.
    assert (0 <= u * D) by (apply Rmult_le_pos; lra). assert (0 <= u * R2) by (apply Rmult_le_pos; lra).
    assert (L : D < R2) by lra. rewrite <- (distance_of_balls _ _ (center_in a) (center_in b)) in L. unfold R2 in L.
    apply Rsqr_incrst_0; [exact L | apply len_pos | apply reach_pos; auto].
  Qed.
End Balls.

(** The theorems, for shaders and the CPU: the answers for a reach are true of the bodies. *)
Definition rounding_unit (u : R) : Prop := u = 1 / 2 ^ 23 \/ u = 1 / 2 ^ 24.
Lemma unit_range : forall u, rounding_unit u -> 1 / 2 ^ 24 <= u <= 1 / 2 ^ 23.
Proof. intros u [-> | ->]; lra. Qed.

Definition ball (b : body) : Prop := 0 <= round b /\ is_ball b.

Theorem balls_separated : forall u K a b m R' E' d', rounding_unit u -> SPHERES_ERROR <= K <= 20 -> ball a -> ball b -> 0 <= m ->
  balls_run u K a b m R' E' d' -> balls_apart u R' E' d' -> beyond m a b /\ (m = 0 -> ~ meet a b).
Proof.
  intros u K a b m R' E' d' U HK [Ra A] [Rb B] Hm H S. apply unit_range in U.
  assert (P := balls_apart_is_true u K a b m R' E' d' U HK Ra Rb Hm A B H S).
  split; [apply apart_is_beyond; auto |]. intros ->. apply apart_is_separated; auto.
Qed.

Theorem balls_overlapping : forall u K a b m R' E' d', rounding_unit u -> SPHERES_ERROR <= K <= 20 -> ball a -> ball b -> 0 <= m ->
  balls_run u K a b m R' E' d' -> balls_closer u R' E' d' -> near m a b /\ (m = 0 -> overlap a b).
Proof.
  intros u K a b m R' E' d' U HK [Ra A] [Rb B] Hm H S. apply unit_range in U.
  assert (P := balls_closer_is_true u K a b m R' E' d' U HK Ra Rb Hm A B H S).
  split; [apply closer_is_near; auto |]. intros ->. apply closer_is_overlap; auto.
Qed.
