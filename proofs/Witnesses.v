(** * Two witnesses decide: [round/filter.rs], "The answers about cores".

    However two points of the cores are found, the cores are no further apart than they are, and at
    least as far apart as their projections onto any vector w, which is given by its numbers. Here it
    follows what is computed from w, for two segments and for a box and a segment. *)

Require Import Rbase Rfunctions R_sqrt Lra Lia.
From Obbligato Require Import Boxes Rounding Flushing Lengths Constants Propagation Shader Margins Round Squares.
Open Scope R_scope.

Section Witnesses.
  Variables (u K : R) (a b : body) (m R' E' L' S' : R) (w' : vec).
  Let B := FLUSH_LENGTH.
  Let product : R := (R' + E') * (L' + B).

  (** What is behind fences, or a root: K is in E as a constant, or as a number of its own. *)
  Record witnesses_run : Prop := {
    wit_root : exists q, computed_square u 3 2 (3 + square w') (square w') (square w') q /\
      Rabs (L' - sqrt q) <= 6 * u * sqrt q;
    wit_reach : reach_run u a b m R';
    wit_reach_pos : 0 <= R';
    wit_E : let x := K * u * (S' + R') + B in computed_length u phi 9 3 700 (S' + R' + B) x x E'
  }.

  Definition points_closer : Prop := exists v,
    computed_length u phi 3 1 3 (L' + E' + R') (L' + E' + R') (L' + E' - R') v /\ v < 0.

  (** P is the sum of 7 monomials with these magnitudes; [linear] is for their caps. *)
  Definition projections_apart (P magnitudes linear : R) : Prop := exists v,
    computed_square u 11 2 (12 + linear + magnitudes + product) (magnitudes + product) (P - product) v /\ 0 < v.

  Hypothesis u_range : 1 / 2 ^ 24 <= u <= 1 / 2 ^ 23.
  Hypothesis K_range : 32 <= K <= 80.
  Hypothesis Ra : 0 <= round a.
  Hypothesis Rb : 0 <= round b.
  Hypothesis Hm : 0 <= m.
  Hypothesis S_pos : 0 <= S'.
  Hypothesis Hrun : witnesses_run.
  Let l := len w'.

  Lemma B_square : B * B = 64 * phi /\ 0 < B.
  Proof. unfold B, FLUSH_LENGTH, phi. lra. Qed.
  Lemma l_pos : 0 <= l.
  Proof. apply len_pos. Qed.

  Lemma root_error : 0 <= L' /\ l * (1 - 7.6 * u) - 0.45 * B <= L' <= l * (1 + 7.6 * u) + 0.45 * B.
  Proof.
    destruct (wit_root Hrun) as [q [C H]]. pose proof l_pos as LP. destruct B_square as [BB BP].
    apply (square_error u u_range 3 2 _ _ _ _ 3 eq_refl ltac:(lia) ltac:(simpl; lra)) in C. simpl INR in C.
    rewrite <- len_square in C. fold l in C. pose proof (sqrt_pos q) as QP. set (r := sqrt q) in *.
    assert (E3 : 0 <= error u 3 <= 3.00001 * u) by (pose proof (u_square u (u_low u u_range)); unfold error; simpl; lra).
    assert (LL : 0 <= l * l) by (apply Rmult_le_pos; auto). assert (ULL : 0 <= u * (l * l)) by (apply Rmult_le_pos; lra).
    assert (error u 3 * (l * l) <= 3.00001 * u * (l * l)) by (apply Rmult_le_compat_r; lra).
    assert (phi * (l * l) <= 0.00001 * u * (l * l)) by (apply Rmult_le_compat_r; unfold phi; lra).
    assert (F : 0 < phi) by (unfold phi; lra). apply Rabs_def2_le in C. apply Rabs_def2_le in H.
    assert (UL : 0 <= u * l) by (apply Rmult_le_pos; lra). assert (UU : u * u <= 0.0000002 * u) by (apply Rmult_le_compat_r; lra).
    assert (UUL : 0 <= u * u * (l * l) <= 0.0000002 * u * (l * l))
      by (split; [apply Rmult_le_pos; [apply Rle_0_sqr |] | apply Rmult_le_compat_r]; lra).
    assert (Up : r <= l * (1 + 1.502 * u) + 0.44 * B).
    { unfold r. rewrite <- (sqrt_square (l * (1 + 1.502 * u) + 0.44 * B)) by lra. apply sqrt_le_1_alt.
      assert (0 <= l * B) by (apply Rmult_le_pos; lra). assert (0 <= u * l * B) by (apply Rmult_le_pos; lra). lra. }
    assert (Down : l * (1 - 1.502 * u) - 0.44 * B <= r).
    { destruct (Rle_lt_dec (l * (1 - 1.502 * u)) (0.44 * B)) as [Z | N]; [lra |].
      unfold r. rewrite <- (sqrt_square (l * (1 - 1.502 * u) - 0.44 * B)) by lra. apply sqrt_le_1_alt.
      set (y := l * (1 - 1.502 * u)) in *.
      assert ((y - 0.44 * B) * (y - 0.44 * B) <= y * y - 0.44 * B * (0.44 * B)).
      { assert (0.44 * B * (0.44 * B) <= y * (0.44 * B)) by (apply Rmult_le_compat_r; lra). lra. }
      assert (y * y = l * l - 3.004 * u * (l * l) + 1.502 * 1.502 * (u * u * (l * l))) by (unfold y; lra). lra. }
    assert (UR : 6 * u * r <= 6 * u * (l * (1 + 1.502 * u) + 0.44 * B)) by (apply Rmult_le_compat_l; lra).
    assert (UB : 0 <= u * B <= 0.0000002 * B) by (split; [apply Rmult_le_pos | apply Rmult_le_compat_r]; lra).
    assert (U2L : 0 <= u * (u * l) <= 0.0000002 * (u * l)) by (split; [apply Rmult_le_pos | apply Rmult_le_compat_r]; lra).
    assert (UR1 : 6 * u * r <= 0.000001 * r) by (apply Rmult_le_compat_r; lra).
    assert (UD : (1 - 6 * u) * (l * (1 - 1.502 * u) - 0.44 * B) <= (1 - 6 * u) * r) by (apply Rmult_le_compat_l; lra).
    split; [lra |]. split; lra.
  Qed.

  Lemma E_between : (K - 0.01) * (u * (S' + R')) + 0.99 * B <= E' <= (K + 0.01) * (u * (S' + R')) + 1.01 * B.
  Proof.
    pose proof (wit_E Hrun) as C. cbv zeta in C. pose proof (wit_reach_pos Hrun) as RP. set (y := S' + R') in *.
    assert (Y0 : 0 <= y) by (unfold y; lra). destruct B_square as [BB BP]. assert (UY : 0 <= u * y) by (apply Rmult_le_pos; lra).
    apply (rounded_length u phi (u_low u u_range) (phi_fourth u u_range) 9 3 _ _ _ _ _ 10 eq_refl ltac:(lia) ltac:(simpl; lra)) in C; [| lra].
    simpl INR in C.
    assert (E10 : 0 <= error u 10 <= 0.000002) by (pose proof (u_square u (u_low u u_range)); unfold error; simpl; lra).
    assert (KU : 0 <= K * (u * y) <= 80 * (u * y)) by (split; [apply Rmult_le_pos | apply Rmult_le_compat_r]; lra).
    assert (error u 10 * (K * u * y + B) <= 0.000002 * (K * u * y + B)) by (apply Rmult_le_compat_r; lra).
    assert (phi * y <= 0.0000000001 * u * y) by (apply Rmult_le_compat_r; unfold phi; lra).
    apply Rabs_def2_le in C. unfold B, FLUSH_LENGTH, phi in *. lra.
  Qed.

  Lemma E_pos : 0 <= E'.
  Proof.
    pose proof E_between as E. pose proof (wit_reach_pos Hrun). destruct B_square as [_ BP].
    assert (0 <= (K - 0.01) * (u * (S' + R'))) by (apply Rmult_le_pos; [| apply Rmult_le_pos]; lra). lra.
  Qed.

  (** Overlapping: two points of the cores are at most y apart, and y is not far from l. *)
  Theorem points_are_closer : forall c y, 0 <= c <= K - 10 -> l <= 1.001 * S' + 200 * phi ->
    y <= l + c * (u * S') + 200 * phi -> points_closer -> y < reach a b m.
  Proof.
    intros c y Hc Hl Hy [v [C V]]. destruct root_error as [L0 [_ L1]]. pose proof E_between as [E1 _]. pose proof E_pos as E0.
    pose proof (wit_reach_pos Hrun) as RP. pose proof l_pos as LP. destruct B_square as [BB BP].
    apply (rounded_length u phi (u_low u u_range) (phi_fourth u u_range) 3 1 _ _ _ _ _ 2 eq_refl ltac:(lia) ltac:(simpl; lra)) in C; [| lra].
    simpl INR in C. pose proof (reach_error u u_range a b m R' Ra Rb Hm (wit_reach Hrun)) as RE.
    pose proof (reach_pos a b m Ra Rb Hm) as R0. set (r := reach a b m) in *.
    apply Rabs_def2_le in C. apply Rabs_def2_le in RE. destruct root_error as [_ [L2 _]].
    assert (E2 : 0 <= error u 2 <= 2.00001 * u) by (pose proof (u_square u (u_low u u_range)); unfold error; simpl; lra).
    set (z := L' + E' + R') in *. assert (Z0 : 0 <= z) by (unfold z; lra).
    assert (error u 2 * z <= 2.00001 * u * z) by (apply Rmult_le_compat_r; lra).
    assert (phi * z <= 0.00001 * u * z) by (apply Rmult_le_compat_r; unfold phi; lra).
    assert (UZ : 0 <= u * z) by (apply Rmult_le_pos; lra).
    assert (M1 : L' + E' - R' <= 2.0001 * (u * z) + 7 * phi) by (unfold phi in *; lra).
    assert (US : 0 <= u * S') by (apply Rmult_le_pos; lra). assert (UR : 0 <= u * R') by (apply Rmult_le_pos; lra).
    assert (UE : 0 <= u * E' <= 0.0000002 * E') by (split; [apply Rmult_le_pos | apply Rmult_le_compat_r]; lra).
    assert (UL' : u * L' <= u * (1.01 * S' + B)).
    { apply Rmult_le_compat_l; [lra |]. assert (l * (1 + 7.6 * u) <= l * 1.00001) by (apply Rmult_le_compat_l; lra).
      unfold B, FLUSH_LENGTH, phi in *. lra. }
    assert (ULl : u * l <= u * (1.001 * S' + 200 * phi)) by (apply Rmult_le_compat_l; lra).
    assert (UB : 0 <= u * B <= 0.0000002 * B) by (split; [apply Rmult_le_pos | apply Rmult_le_compat_r]; lra).
    assert (UP : u * phi <= 0.0000002 * phi) by (apply Rmult_le_compat_r; unfold phi; lra).
    assert (CS : (c + 9.99) * (u * S') <= (K - 0.01) * (u * S')) by (apply Rmult_le_compat_r; lra).
    assert (CR : 29.99 * (u * R') <= (K - 0.01) * (u * R')) by (apply Rmult_le_compat_r; lra).
    assert (Ur : u * r <= 1.0001 * (u * R') + phi).
    { assert (u * ((1 - 4.51 * u) * r) <= u * (R' + 7 * phi)) by (apply Rmult_le_compat_l; lra).
      assert (u * (u * r) <= 0.0000002 * (u * r)) by (apply Rmult_le_compat_r; [apply Rmult_le_pos |]; lra).
      assert (0 <= u * r) by (apply Rmult_le_pos; lra). unfold phi in *. lra. }
    assert (CB : c * (u * S') <= 70 * (u * S')) by (apply Rmult_le_compat_r; lra).
    unfold z in *. unfold B, FLUSH_LENGTH, phi in *. lra.
  Qed.

  (** Separated: the projections onto w are more than the reach apart, times the length of w. *)
  Theorem projections_are_apart : forall c P magnitudes linear G, 0 <= c <= K - 11.3 ->
    0 <= magnitudes <= 1.01 * (l * S') + 100 * phi * S' ->
    0 <= linear <= 8 * (l + S' + R' + E' + L' + B) ->
    P <= G + c * (u * (l * S')) + 200 * phi * (S' + l) ->
    projections_apart P magnitudes linear -> reach a b m * l < G.
  Proof.
    intros c P mag lin G Hc Hmag Hlin HG [v [C V]]. destruct root_error as [L0 [L1 L2]]. pose proof E_between as [E1 E2].
    pose proof E_pos as E0. pose proof (wit_reach_pos Hrun) as RP. pose proof l_pos as LP. destruct B_square as [BB BP].
    pose proof (reach_error u u_range a b m R' Ra Rb Hm (wit_reach Hrun)) as RE.
    pose proof (reach_pos a b m Ra Rb Hm) as R0. set (r := reach a b m) in *. apply Rabs_def2_le in RE.
    assert (MP : 0 <= product) by (unfold product; apply Rmult_le_pos; lra).
    replace (12 + lin + mag + product) with (12 + lin + (mag + product)) in C by (clear; lra).
    apply (square_error u u_range 11 2 _ _ _ _ 11 eq_refl ltac:(lia) ltac:(simpl; lra)) in C. simpl INR in C.
    apply Rabs_def2_le in C.
    assert (E11 : 0 <= error u 11 <= 11.0001 * u) by (pose proof (u_square u (u_low u u_range)); unfold error; simpl; lra).
    assert (error u 11 * (mag + product) <= 11.0001 * u * (mag + product)) by (apply Rmult_le_compat_r; lra).
    assert (phi * (mag + product) <= 0.00001 * u * (mag + product)) by (apply Rmult_le_compat_r; unfold phi; lra).
    assert (US : 0 <= u * S') by (apply Rmult_le_pos; lra). assert (UR : 0 <= u * R') by (apply Rmult_le_pos; lra).
    assert (XL : 0 <= u * S' * l) by (apply Rmult_le_pos; auto). assert (YL : 0 <= u * R' * l) by (apply Rmult_le_pos; auto).
    assert (RL : 0 <= R' * l) by (apply Rmult_le_pos; auto).
    (* E, without K *)
    set (Z := c * (u * S')). assert (ZB : 0 <= Z <= 70 * (u * S')).
    { unfold Z. split; [apply Rmult_le_pos | apply Rmult_le_compat_r]; lra. }
    assert (ZL : 0 <= Z * l <= 70 * (u * S' * l)).
    { split; [apply Rmult_le_pos; lra |]. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; lra. }
    set (T := Z + 11.29 * (u * S') + 29.99 * (u * R')).
    assert (TE : T + 0.99 * B <= E').
    { assert ((c + 11.29) * (u * S') <= (K - 0.01) * (u * S')) by (apply Rmult_le_compat_r; lra).
      assert (29.99 * (u * R') <= (K - 0.01) * (u * R')) by (apply Rmult_le_compat_r; lra). unfold T, Z. lra. }
    assert (TP : 0 <= T) by (unfold T; lra).
    (* The product, from below *)
    set (h := l * (1 - 18.7 * u) + 0.54 * B).
    assert (H1 : h <= (1 - 11.01 * u) * (L' + B)).
    { assert (UL : 0 <= u * l) by (apply Rmult_le_pos; lra).
      assert (U2L : 0 <= u * (u * l)) by (apply Rmult_le_pos; lra).
      assert (UB : u * B <= 0.0000002 * B) by (apply Rmult_le_compat_r; lra).
      assert (Q : (1 - 11.01 * u) * (l * (1 - 7.6 * u) + 0.55 * B) <= (1 - 11.01 * u) * (L' + B))
        by (apply Rmult_le_compat_l; lra).
      eapply Rle_trans; [| exact Q]. unfold h. lra. }
    assert (H2 : 0.9 * B * B * 0.99999 <= (1 - 11.01 * u) * (0.9 * B * (L' + B))).
    { assert (0.9 * B * B <= 0.9 * B * (L' + B)) by (apply Rmult_le_compat_l; lra).
      assert (0.99999 * (0.9 * B * (L' + B)) <= (1 - 11.01 * u) * (0.9 * B * (L' + B)))
        by (apply Rmult_le_compat_r; [apply Rmult_le_pos |]; lra). lra. }
    assert (M : (R' + T + 0.09 * B) * h + 0.9 * B * B * 0.99999 <= (1 - 11.01 * u) * product).
    { assert (P1 : (R' + T + 0.09 * B) * h <= (R' + T + 0.09 * B) * ((1 - 11.01 * u) * (L' + B)))
        by (apply Rmult_le_compat_l; lra).
      assert (P2 : (R' + T + 0.99 * B) * ((1 - 11.01 * u) * (L' + B)) <= (R' + E') * ((1 - 11.01 * u) * (L' + B)))
        by (apply Rmult_le_compat_r; [apply Rmult_le_pos |]; lra).
      unfold product. lra. }
    assert (H3 : 0.99999 * l + 0.54 * B <= h).
    { unfold h. assert (l * 0.99999 <= l * (1 - 18.7 * u)) by (apply Rmult_le_compat_l; lra). lra. }
    assert (M1 : (T + 0.09 * B) * (0.99999 * l + 0.54 * B) <= (T + 0.09 * B) * h) by (apply Rmult_le_compat_l; lra).
    assert (M2 : R' * h = R' * l - 18.7 * (u * R' * l) + 0.54 * (R' * B)) by (unfold h; lra).
    (* The reach *)
    assert (RR : r * l <= R' * l + 4.52 * (u * R' * l) + 8 * phi * l).
    { assert (Q : r <= R' + 4.52 * (u * R') + 8 * phi).
      { assert (Ur : u * ((1 - 4.51 * u) * r) <= u * (R' + 7 * phi)) by (apply Rmult_le_compat_l; lra).
        assert (U0 : 0 <= u * r) by (apply Rmult_le_pos; lra).
        assert (u * (u * r) <= 0.0000002 * (u * r)) by (apply Rmult_le_compat_r; lra). unfold phi in *. lra. }
      apply (Rmult_le_compat_r l) in Q; auto. lra. }
    assert (UM : 0 <= u * mag <= u * (1.01 * (l * S') + 100 * phi * S'))
      by (split; [apply Rmult_le_pos | apply Rmult_le_compat_l]; lra).
    assert (L3 : L' <= 1.01 * l + 0.45 * B).
    { assert (l * (1 + 7.6 * u) <= l * 1.01) by (apply Rmult_le_compat_l; lra). lra. }
    assert (E3 : E' <= S' + R' + 1.01 * B).
    { assert ((K + 0.01) * (u * (S' + R')) <= 81 * (u * (S' + R'))) by (apply Rmult_le_compat_r; [apply Rmult_le_pos |]; lra).
      assert (81 * u * (S' + R') <= 1 * (S' + R')) by (apply Rmult_le_compat_r; lra). lra. }
    assert (S1 : 1 / 2 ^ 24 * S' <= u * S') by (apply Rmult_le_compat_r; lra).
    assert (HZ : c * (u * (l * S')) = Z * l) by (unfold Z; clear; lra).
    assert (HX : u * (1.01 * (l * S') + 100 * phi * S') = 1.01 * (u * S' * l) + 100 * phi * (u * S')) by lra.
    assert (M3 : (T + 0.09 * B) * (0.99999 * l + 0.54 * B) = 0.99999 * (Z * l) + 0.99999 * 11.29 * (u * S' * l)
      + 0.99999 * 29.99 * (u * R' * l) + 0.54 * B * (Z + 11.29 * (u * S') + 29.99 * (u * R')) + 0.09 * B * (0.99999 * l + 0.54 * B))
      by (unfold T; lra).
    rewrite HX in UM. rewrite M3 in M1. clear M3. rewrite HZ in HG.
    clearbody Z h. unfold B, FLUSH_LENGTH, phi in *. lra.
  Qed.
End Witnesses.
