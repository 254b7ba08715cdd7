(** * The errors of formulas of degree 2 in the lengths, and what all stages for round bodies share.

    Lengths are taken as numbers here: a flush before a length is multiplied in adds phi times the other
    length, which is less than u times a square, or next to nothing. u is that of shaders, which return
    either neighbour, or of the CPU, which rounds to the nearest. *)

Require Import Rbase Rfunctions List Lra Lia.
From Obbligato Require Import Boxes Rounding Flushing Lengths Constants Propagation Shader Margins Round.
Open Scope R_scope.

Section Squares.
  Variable u : R.
  Hypothesis u_range : 1 / 2 ^ 24 <= u <= 1 / 2 ^ 23.

  Lemma u_low : 0 <= u <= 1 / 2 ^ 23.
  Proof. lra. Qed.
  Lemma u_one : 0 <= u < 1.
  Proof. lra. Qed.
  Lemma phi_low : 0 <= phi <= 1.
  Proof. unfold phi. lra. Qed.
  Lemma u_positive : 0 < u.
  Proof. lra. Qed.
  Lemma phi_fourth : 0 <= phi <= u * u * u * u.
  Proof.
    unfold phi. split; [lra |]. assert (A : 1 / 2 ^ 24 * (1 / 2 ^ 24) <= u * u) by (apply Rmult_le_compat; lra).
    assert (B : 1 / 2 ^ 48 * (1 / 2 ^ 48) <= u * u * (u * u)) by (apply Rmult_le_compat; lra). lra.
  Qed.

  (** As [computed], with Q for the sum of the caps. *)
  Definition computed_square (N D : nat) (Q S x v : R) : Prop :=
    exists e, is_number e /\ rewriting e N D Q S x /\ evaluates u phi e v.

  Theorem square_error : forall N D Q S x v p, (N + D - 2 = p)%nat -> (1 <= D)%nat -> INR p * u <= 0.0005 ->
    computed_square N D Q S x v -> Rabs (v - x) <= error u p * S + phi * (2.002 * INR D * Q).
  Proof.
    intros N D Q S x v p <- HD Hp [e [K [H Ev]]].
    destruct (number_flush u phi u_one phi_low e v Ev K) as [Sp _].
    pose proof (by_degree_below _ _ _ _ _ _ H) as B. unfold number_flushes in Sp.
    assert (Y : 0 <= 2 * caps_by_degree (monomials e)) by lra.
    eapply Rle_trans; [exact (split_error u phi u_one phi_low e N D Q S x v _ HD Hp H Sp Y) |].
    apply Rplus_le_compat_l, Rmult_le_compat_l; [apply phi_low |]. lra.
  Qed.

  (** A square whose root has an error. *)
  Lemma square_change : forall x y c, Rabs (y - x) <= c * u * Rabs x + 10 * phi -> 0 <= c <= 50 ->
    Rabs (y * y - x * x) <= (2 * c + 0.002) * u * (x * x) + 0.01 * phi.
  Proof.
    intros x y c H Hc. replace (y * y - x * x) with ((y - x) * (y - x + 2 * x)) by (clear; lra). rewrite Rabs_mult.
    pose proof (Rabs_pos x) as X0. rewrite <- (square_abs x).
    assert (T : Rabs (y - x + 2 * x) <= c * u * Rabs x + 10 * phi + 2 * Rabs x).
    { eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_mult, (Rabs_pos_eq 2) by lra. lra. }
    set (z := Rabs x) in *.
    eapply Rle_trans; [apply Rmult_le_compat; [apply Rabs_pos | apply Rabs_pos | exact H | exact T] |].
    assert (CU : 0 <= c * u <= 0.00002) by (split; [apply Rmult_le_pos | apply Rle_trans with (100 * (1 / 2 ^ 23));
      [apply Rmult_le_compat |]]; lra).
    (* phi z is at most u phi, or u^3 z^2. *)
    assert (P : phi * z <= u * phi + u * (1 / 2 ^ 46) * (z * z)).
    { pose proof phi_fourth as F. pose proof (u_square u u_low) as U2. assert (0 <= z * z) by (apply Rmult_le_pos; auto).
      assert (UU : u * (u * u) <= u * (1 / 2 ^ 46)) by (apply Rmult_le_compat_l; lra).
      assert (U4 : 0 <= u * (u * u)) by (apply Rmult_le_pos; lra).
      destruct (Rle_lt_dec z u) as [L | L].
      - assert (phi * z <= phi * u) by (apply Rmult_le_compat_l; lra).
        assert (0 <= u * (1 / 2 ^ 46) * (z * z)) by (apply Rmult_le_pos; lra). lra.
      - assert (phi * z <= u * (u * u) * u * z) by (apply Rmult_le_compat_r; lra).
        assert (u * (u * u) * (u * z) <= u * (u * u) * (z * z)) by (apply Rmult_le_compat_l; [auto | apply Rmult_le_compat_r; lra]).
        assert (u * (u * u) * (z * z) <= u * (1 / 2 ^ 46) * (z * z)) by (apply Rmult_le_compat_r; auto).
        assert (0 <= u * phi) by (apply Rmult_le_pos; [lra | apply F]). lra. }
    assert (Z2 : 0 <= z * z) by (apply Rmult_le_pos; auto).
    assert (F0 : 0 <= phi * z) by (apply Rmult_le_pos; [apply phi_low | auto]).
    assert (UZ : 0 <= u * (z * z)) by (apply Rmult_le_pos; lra).
    assert (C2 : c * u * (c * u) * (z * z) <= 0.00002 * 50 * (u * (z * z))).
    { replace (c * u * (c * u) * (z * z)) with ((c * u) * c * (u * (z * z))) by (clear; lra).
      apply Rmult_le_compat_r; auto. apply Rmult_le_compat; lra. }
    assert (C1 : c * u * (phi * z) <= 0.00002 * (phi * z)) by (apply Rmult_le_compat_r; lra).
    assert (PP : phi * phi <= phi * 0.0000001) by (apply Rmult_le_compat_l; [apply phi_low | unfold phi; lra]).
    assert (UP : u * phi <= 0.0000002 * phi) by (apply Rmult_le_compat_r; [apply phi_low | lra]).
    replace ((c * u * z + 10 * phi) * (c * u * z + 10 * phi + 2 * z)) with
      (c * u * (c * u) * (z * z) + 2 * c * u * (z * z) + 20 * (c * u * (phi * z)) + 20 * (phi * z) + 100 * (phi * phi)) by (clear; lra).
    lra.
  Qed.

  (** ** The reach: the radii and a margin, which is rounded up from [f64], or is a rounded sum *)
  Definition reach_run (a b : body) (m R' : R) : Prop := exists m', 0 <= m' /\ Rabs (m' - m) <= 2.5 * u * m /\
    computed_length u phi 3 1 3 (round a + round b + m') (round a + round b + m') (round a + round b + m') R'.

  Section Reach.
    Variables (a b : body) (m R' : R).
    Hypothesis Ra : 0 <= round a.
    Hypothesis Rb : 0 <= round b.
    Hypothesis Hm : 0 <= m.
    Hypothesis HR : reach_run a b m R'.

    Lemma reach_error : Rabs (R' - reach a b m) <= 4.51 * u * reach a b m + 7 * phi.
    Proof.
      destruct HR as [m' [M0 [Hm' C]]]. pose proof phi_low as F. pose proof (u_square u u_low) as U2.
      apply (rounded_length u phi u_low phi_fourth 3 1 _ _ _ _ _ 2 eq_refl ltac:(lia) ltac:(simpl; lra)) in C; [| lra].
      simpl INR in C. unfold reach. set (x := round a + round b) in *. assert (X0 : 0 <= x) by (unfold x; lra).
      assert (E : error u 2 <= 2.00001 * u) by (unfold error; simpl; lra).
      assert (M : m' <= 1.00001 * m).
      { pose proof (Rle_abs (m' - m)). assert (2.5 * u * m <= 0.00001 * m) by (apply Rmult_le_compat_r; lra). lra. }
      assert (0 <= u * m) by (apply Rmult_le_pos; lra). assert (0 <= u * x) by (apply Rmult_le_pos; lra).
      assert (u * m' <= 1.00001 * (u * m)) by (rewrite (Rmult_comm u m'), (Rmult_comm u m), <- Rmult_assoc; apply Rmult_le_compat_r; lra).
      assert (error u 2 * (x + m') <= 2.00001 * u * (x + m')) by (apply Rmult_le_compat_r; lra).
      assert (phi * (x + m') <= 0.0001 * u * (x + m')) by (apply Rmult_le_compat_r; unfold phi; lra).
      apply Rle_trans with (Rabs (R' - (x + m')) + Rabs (m' - m)); [| lra].
      replace (R' - (x + m)) with (R' - (x + m') + (m' - m)) by (clear; lra). apply Rabs_triang.
    Qed.

    Lemma reach_pos : 0 <= reach a b m.
    Proof. unfold reach. lra. Qed.

    (** A reach of 0 is found to be 0. *)
    Lemma reach_is_positive : 0 < R' -> 0 < reach a b m.
    Proof.
      intro P. destruct (Rle_lt_dec (reach a b m) 0) as [Z | ]; auto. exfalso.
      destruct HR as [m' [M0 [Hm' C]]]. unfold reach in Z. assert (E : m = 0) by lra. rewrite E, Rmult_0_r in Hm'.
      pose proof (Rle_abs (m' - 0)). apply zero_length_stays in C; lra.
    Qed.
  End Reach.

  (** ** The vector between the centers *)
  Definition centers (a b : body) : vec := less (center (core b)) (center (core a)).
  Definition centers_run (a b : body) (d' : vec) : Prop :=
    forall k, subtracted u phi (center (core b) k) (center (core a) k) (d' k).

  Lemma centers_error : forall a b d' k, centers_run a b d' ->
    Rabs (d' k - centers a b k) <= u * Rabs (centers a b k) + 3.01 * phi.
  Proof. intros a b d' k H. apply (subtracted_error u phi u_low phi_fourth), H. Qed.
End Squares.
