(** * What flushes add to the error of an expression.

    A flush adds at most phi where it happens, and is multiplied by what its place is multiplied by.
    In an expression of numbers, a monomial of degree D has D numbers and D - 1 products. In one of
    lengths, what is flushed after its length was multiplied in counts fully, D + 1 times with the
    sums; what is flushed before, times the length, as a relative error. *)

Require Import Rbase Rfunctions List Lra Lia.
Import ListNotations.
From Obbligato Require Import Rounding.
Open Scope R_scope.

(** Sums and products of positive numbers. *)
Ltac positive := repeat first [apply Rplus_le_le_0_compat | apply Rmult_le_pos]; lra.

Section Flushes.
  Variables u phi : R.
  Hypothesis u_range : 0 <= u < 1.
  Hypothesis phi_range : 0 <= phi <= 1.

  Definition number_flushes (e : expr) : R := 2 * caps_by_degree (monomials e).
  Definition length_flushes (e : expr) : R :=
    caps_by_degree (monomials e) + caps (monomials e) + 2 * reach_by_degree (monomials e).

  Lemma by_degree : forall e, caps (monomials e) <= caps_by_degree (monomials e) /\ 0 <= reach (monomials e)
    /\ 0 <= reach_by_degree (monomials e).
  Proof.
    intro e. pose proof (all_proper e) as P. unfold caps, caps_by_degree, reach, reach_by_degree, over.
    induction P as [| m l [D [_ [C L]]] P [IH [IH' IH'']]]; simpl; [lra |].
    assert (1 <= INR (degree m)) by (apply (le_INR 1); auto). assert (0 <= cap m * len m) by nra. repeat split; nra.
  Qed.

  (** The steps of both inductions. f and f' are what flushes have added to the operands. *)
  Lemma add_step : forall g1 g2 g y1 y2 v v' s s' d e, 1 <= g1 -> 1 <= g2 -> g1 * (1 + u) <= g -> g2 * (1 + u) <= g ->
    0 <= y1 -> 0 <= y2 -> Rabs (v - s) <= phi * (g1 * y1) - phi -> Rabs (v' - s') <= phi * (g2 * y2) - phi ->
    Rabs d <= u -> Rabs e <= phi ->
    Rabs ((v + v') * (1 + d) + e - (s + s') * (1 + d)) <= phi * (g * (y1 + y2)) - phi.
  Proof.
    intros g1 g2 g y1 y2 v v' s s' d e G1 G2 H1 H2 Y1 Y2 E E' D Fl.
    replace (_ - _) with ((v - s + (v' - s')) * (1 + d) + e) by (clear; lra).
    eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_mult.
    assert (A : Rabs (1 + d) <= 1 + u) by (eapply Rle_trans; [apply Rabs_triang |]; rewrite Rabs_R1; lra).
    assert (B : Rabs (v - s + (v' - s')) <= phi * (g1 * y1) - phi + (phi * (g2 * y2) - phi))
      by (eapply Rle_trans; [apply Rabs_triang |]; lra).
    assert (C : Rabs (v - s + (v' - s')) * Rabs (1 + d)
      <= (phi * (g1 * y1) - phi + (phi * (g2 * y2) - phi)) * (1 + u)) by (apply Rmult_le_compat; auto; apply Rabs_pos).
    assert (P1 : phi * (g1 * (1 + u) * y1) <= phi * (g * y1))
      by (apply Rmult_le_compat_l; [lra |]; apply Rmult_le_compat_r; auto).
    assert (P2 : phi * (g2 * (1 + u) * y2) <= phi * (g * y2))
      by (apply Rmult_le_compat_l; [lra |]; apply Rmult_le_compat_r; auto).
    assert (0 <= phi * u) by (apply Rmult_le_pos; lra). lra.
  Qed.

  (** A product with an operand v', s' that is at most b' in size, and s at most b. *)
  Lemma mul_step : forall b b' f f' y v v' s s' d e, 1 <= b' ->
    Rabs s <= b -> Rabs v' <= b' -> Rabs (v - s) <= phi * f - phi -> Rabs (v' - s') <= phi * f' - phi ->
    Rabs d <= u -> Rabs e <= phi -> 0 <= f' -> (f * b' + b * f') * (1 + u) + 2 - b' * (1 + u) - b * (1 + u) <= y ->
    Rabs (v * v' * (1 + d) + e - s * s' * (1 + d)) <= phi * y - phi.
  Proof.
    intros b b' f f' y v v' s s' d e B' S V' E E' D Fl F' Y.
    replace (_ - _) with (((v - s) * v' + s * (v' - s')) * (1 + d) + e) by (clear; lra).
    eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_mult.
    assert (A : Rabs (1 + d) <= 1 + u) by (eapply Rle_trans; [apply Rabs_triang |]; rewrite Rabs_R1; lra).
    assert (P : Rabs ((v - s) * v' + s * (v' - s')) <= (phi * f - phi) * b' + b * (phi * f' - phi)).
    { eapply Rle_trans; [apply Rabs_triang |]. rewrite !Rabs_mult.
      apply Rplus_le_compat; apply Rmult_le_compat; auto; apply Rabs_pos. }
    assert (C : Rabs ((v - s) * v' + s * (v' - s')) * Rabs (1 + d)
      <= ((phi * f - phi) * b' + b * (phi * f' - phi)) * (1 + u)) by (apply Rmult_le_compat; auto; apply Rabs_pos).
    apply (Rmult_le_compat_l phi) in Y; [| lra]. lra.
  Qed.

  Theorem number_flush : forall e v, evaluates u phi e v -> is_number e ->
    splits u phi e v (number_flushes e) /\ Rabs v <= growth u e * caps (monomials e).
  Proof.
    intros e v H. induction H as [x v H | x v H | e e' v v' y H IH H' IH' Ry | e e' v v' y H IH H' IH' Ry | e v y H IH Ry];
      simpl; intro N; try tauto.
    - apply (read_split phi phi_range) in H. destruct H as [f [Hf [-> B]]]. pose proof (Rmax_l 1 (Rabs x)). pose proof (Rmax_r 1 (Rabs x)).
      unfold number_flushes, caps_by_degree, caps, over, splits, growth, roundings. simpl. split.
      + exists (x * 1 + 0). split; [| split].
        * apply (WeighsOne u 0 (Monomial x 1 (Rmax 1 (Rabs x)) 1)); [| constructor]. unfold factor. simpl. lra.
        * unfold reach, over. simpl. rewrite Rmult_1_r, Rplus_0_r. lra.
        * replace (x + f - (x * 1 + 0)) with f by (clear; lra).
          assert (phi * 1 <= phi * Rmax 1 (Rabs x)) by (apply Rmult_le_compat_l; lra). lra.
      + lra.
    - destruct N as [N N']. destruct (IH N) as [[s [W [S E]]] V]. destruct (IH' N') as [[s' [W' [S' E']]] V'].
      pose proof (growth_pos u u_range e). pose proof (growth_pos u u_range e').
      destruct (growth_add u u_range e e') as [G G'].
      pose proof (caps_some e). pose proof (caps_some e').
      destruct (by_degree e) as [P _]. destruct (by_degree e') as [P' _].
      destruct (rounds_split u phi u_range phi_range _ _ Ry) as [d [f [D [Fl [-> B]]]]].
      assert (K : caps (monomials (Add e e')) = caps (monomials e) + caps (monomials e')) by apply over_app.
      split.
      + assert (W2 : weighs u (length (monomials (Add e e')) - 1) (monomials (Add e e')) ((s + s') * (1 + d))).
        { pose proof (some e). pose proof (some e'). simpl. rewrite app_length.
          apply (weighs_more u u_range (1 + (length (monomials e) + length (monomials e') - 2))); [lia |].
          apply weighs_scaled; auto; [apply factor_one; auto |].
          apply weighs_app; eapply weighs_more; try eassumption; lia. }
        exists ((s + s') * (1 + d)). split; [exact W2 |]. split; [apply weighs_within; auto |].
        assert (Y : number_flushes (Add e e') = number_flushes e + number_flushes e').
        { unfold number_flushes, caps_by_degree. simpl monomials. rewrite over_app. clear; lra. }
        rewrite Y. apply (add_step (growth u e) (growth u e')); auto; unfold number_flushes; lra.
      + change (monomials e ++ monomials e') with (monomials (Add e e')). rewrite K.
        assert (GG : 1 <= growth u (Add e e')) by (apply growth_pos; auto).
        set (gg := growth u (Add e e')) in *.
        assert (M1 : 1 * 1 <= gg * caps (monomials e)) by (apply Rmult_le_compat; lra).
        assert (M2 : 1 * 1 <= gg * caps (monomials e')) by (apply Rmult_le_compat; lra).
        assert (growth u e * (1 + u) * caps (monomials e) <= gg * caps (monomials e)) by (apply Rmult_le_compat_r; lra).
        assert (growth u e' * (1 + u) * caps (monomials e') <= gg * caps (monomials e')) by (apply Rmult_le_compat_r; lra).
        pose proof (Rabs_triang v v') as T.
        destruct B as [B | B]; [| lra].
        assert (Rabs (v + v') * (1 + u) <= (growth u e * caps (monomials e) + growth u e' * caps (monomials e')) * (1 + u))
          by (apply Rmult_le_compat_r; lra). lra.
    - destruct N as [N N']. destruct (IH N) as [[s [W [S E]]] V]. destruct (IH' N') as [[s' [W' [S' E']]] V'].
      pose proof (growth_pos u u_range e) as G1. pose proof (growth_pos u u_range e') as G2.
      pose proof (growth_mul u u_range e e') as G.
      pose proof (caps_some e) as C1. pose proof (caps_some e') as C2.
      destruct (by_degree e) as [P _]. destruct (by_degree e') as [P' _].
      destruct (rounds_split u phi u_range phi_range _ _ Ry) as [d [f [D [Fl [-> B]]]]].
      assert (K : caps (monomials (Mul e e')) = caps (monomials e) * caps (monomials e')) by apply caps_product.
      set (k1 := caps (monomials e)) in *. set (k2 := caps (monomials e')) in *.
      set (g1 := growth u e) in *. set (g2 := growth u e') in *. set (gg := growth u (Mul e e')) in *.
      assert (K1 : 1 * 1 <= g1 * k1) by (apply Rmult_le_compat; lra).
      assert (K2 : 1 * 1 <= g2 * k2) by (apply Rmult_le_compat; lra).
      destruct (reach_of_number e N) as [RN _]. rewrite RN in S. fold k1 in S.
      split.
      + assert (W2 : weighs u (length (monomials (Mul e e')) - 1) (monomials (Mul e e')) (s * s' * (1 + d))).
        { pose proof (some e). pose proof (some e'). simpl. rewrite product_length.
          eapply (weighs_more u u_range); [| apply weighs_product; try eassumption; try apply all_proper;
            apply factor_one; assumption]. nia. }
        exists (s * s' * (1 + d)). split; [exact W2 |]. split; [apply weighs_within; auto |].
        assert (Y : number_flushes (Mul e e')
          = 2 * (caps_by_degree (monomials e) * k2 + k1 * caps_by_degree (monomials e'))).
        { unfold number_flushes. simpl monomials. rewrite caps_by_degree_product. reflexivity. }
        rewrite Y. unfold number_flushes in *. fold gg. set (c1 := caps_by_degree (monomials e)) in *. set (c2 := caps_by_degree (monomials e')) in *.
        apply (mul_step (g1 * k1) (g2 * k2) (g1 * (2 * c1)) (g2 * (2 * c2))); auto; [lra | positive |].
        set (z := 2 * (c1 * k2 + k1 * c2)).
        assert (Q : g1 * g2 * (1 + u) * z <= gg * z) by (apply Rmult_le_compat_r; [unfold z; positive | auto]).
        assert (M3 : 1 * 1 <= g1 * k1 * (1 + u)) by (apply Rmult_le_compat; lra).
        assert (M4 : 1 * 1 <= g2 * k2 * (1 + u)) by (apply Rmult_le_compat; lra).
        replace ((g1 * (2 * c1) * (g2 * k2) + g1 * k1 * (g2 * (2 * c2))) * (1 + u))
          with (g1 * g2 * (1 + u) * z) by (unfold z; clear; lra).
        clearbody z. lra.
      + change (product (monomials e) (monomials e')) with (monomials (Mul e e')). rewrite K.
        assert (GG : 1 <= gg) by (apply growth_pos; auto).
        assert (K12 : 1 * 1 <= k1 * k2) by (apply Rmult_le_compat; lra).
        assert (M1 : 1 * 1 <= gg * (k1 * k2)) by (apply Rmult_le_compat; lra).
        assert (Q : g1 * g2 * (1 + u) * (k1 * k2) <= gg * (k1 * k2)) by (apply Rmult_le_compat_r; lra).
        assert (Rabs (v * v') <= g1 * k1 * (g2 * k2))
          by (rewrite Rabs_mult; apply Rmult_le_compat; auto; apply Rabs_pos).
        destruct B as [B | B].
        * assert (Rabs (v * v') * (1 + u) <= g1 * k1 * (g2 * k2) * (1 + u)) by (apply Rmult_le_compat_r; lra). lra.
        * lra.
    - destruct (IH N) as [[s [W [S E]]] V]. pose proof (growth_pos u u_range e). pose proof (caps_some e).
      apply (read_split phi phi_range) in Ry. destruct Ry as [f [Hf [-> B]]].
      assert (K : caps (map twice (monomials e)) = 2 * caps (monomials e)) by (apply over_twice; auto).
      rewrite growth_twice, K. split.
      + assert (W2 : weighs u (length (monomials (Twice e)) - 1) (monomials (Twice e)) (2 * s))
          by (simpl; rewrite map_length; apply weighs_twice; auto).
        exists (2 * s). split; [exact W2 |]. split; [apply weighs_within; auto |].
        assert (Y : number_flushes (Twice e) = 2 * number_flushes e).
        { unfold number_flushes, caps_by_degree. simpl monomials. rewrite over_twice by (intros; simpl; clear; lra). clear; lra. }
        rewrite Y, growth_twice.
        replace (2 * v + f - 2 * s) with (2 * (v - s) + f) by (clear; lra).
        eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_mult, (Rabs_pos_eq 2) by lra. lra.
      + destruct B as [B | B]; [rewrite Rabs_mult, (Rabs_pos_eq 2) in B by lra; lra |].
        assert (1 * 1 <= growth u e * caps (monomials e)) by (apply Rmult_le_compat; lra). lra.
  Qed.

  Theorem length_flush : forall e v, evaluates u phi e v -> is_length e -> splits u phi e v (length_flushes e).
  Proof.
    intros e v H. induction H as [x v H | x v H | e e' v v' y H IH H' IH' Ry | e e' v v' y H IH H' IH' Ry | e v y H IH Ry];
      simpl; intro N; try tauto.
    - apply (read_split phi phi_range) in H. destruct H as [f [Hf [-> B]]]. pose proof (Rabs_pos x).
      unfold length_flushes, caps_by_degree, reach_by_degree, caps, over, splits, growth, roundings. simpl.
      exists (x * 1 + 0). split; [| split].
      + apply (WeighsOne u 0 (Monomial x 1 1 (Rabs x))); [| constructor]. unfold factor. simpl. lra.
      + unfold reach, over. simpl. rewrite Rmult_1_r, Rplus_0_r. lra.
      + replace (x + f - (x * 1 + 0)) with f by (clear; lra).
        assert (0 <= phi * Rabs x) by (apply Rmult_le_pos; lra). lra.
    - destruct N as [N N']. destruct (IH N) as [s [W [S E]]]. destruct (IH' N') as [s' [W' [S' E']]].
      pose proof (growth_pos u u_range e). pose proof (growth_pos u u_range e').
      destruct (growth_add u u_range e e') as [G G'].
      pose proof (caps_some e). pose proof (caps_some e').
      destruct (by_degree e) as [P [_ P2]]. destruct (by_degree e') as [P' [_ P2']].
      destruct (rounds_split u phi u_range phi_range _ _ Ry) as [d [f [D [Fl [-> B]]]]].
      assert (W2 : weighs u (length (monomials (Add e e')) - 1) (monomials (Add e e')) ((s + s') * (1 + d))).
      { pose proof (some e). pose proof (some e'). simpl. rewrite app_length.
        apply (weighs_more u u_range (1 + (length (monomials e) + length (monomials e') - 2))); [lia |].
        apply weighs_scaled; auto; [apply factor_one; auto |].
        apply weighs_app; eapply weighs_more; try eassumption; lia. }
      exists ((s + s') * (1 + d)). split; [exact W2 |]. split; [apply weighs_within; auto |].
      assert (Y : length_flushes (Add e e') = length_flushes e + length_flushes e').
      { unfold length_flushes, caps_by_degree, caps, reach_by_degree. simpl monomials. rewrite !over_app. clear; lra. }
      rewrite Y. apply (add_step (growth u e) (growth u e')); auto; unfold length_flushes; lra.
    - destruct (rounds_split u phi u_range phi_range _ _ Ry) as [d [f [D [Fl [-> B]]]]].
      pose proof (growth_pos u u_range e) as G1. pose proof (growth_pos u u_range e') as G2.
      pose proof (growth_mul u u_range e e') as G.
      pose proof (caps_some e) as C1. pose proof (caps_some e') as C2.
      destruct (by_degree e) as [P [PR PD]]. destruct (by_degree e') as [P' [PR' PD']].
      set (k1 := caps (monomials e)) in *. set (k2 := caps (monomials e')) in *.
      set (g1 := growth u e) in *. set (g2 := growth u e') in *. set (gg := growth u (Mul e e')) in *.
      assert (Both : forall s s', weighs u (length (monomials e) - 1) (monomials e) s ->
        weighs u (length (monomials e') - 1) (monomials e') s' ->
        weighs u (length (monomials (Mul e e')) - 1) (monomials (Mul e e')) (s * s' * (1 + d))).
      { intros s s' W W'. pose proof (some e). pose proof (some e'). simpl. rewrite product_length.
        eapply (weighs_more u u_range); [| apply weighs_product; try eassumption; try apply all_proper;
          apply factor_one; assumption]. nia. }
      assert (Y : length_flushes (Mul e e') = caps_by_degree (monomials e) * k2 + k1 * caps_by_degree (monomials e') + k1 * k2
        + 2 * (reach_by_degree (monomials e) * reach (monomials e') + reach (monomials e) * reach_by_degree (monomials e'))).
      { unfold length_flushes. simpl monomials. rewrite caps_by_degree_product, caps_product, reach_by_degree_product.
        reflexivity. }
      set (c1 := caps_by_degree (monomials e)) in *. set (c2 := caps_by_degree (monomials e')) in *.
      set (q1 := reach (monomials e)) in *. set (q2 := reach (monomials e')) in *.
      set (r1 := reach_by_degree (monomials e)) in *. set (r2 := reach_by_degree (monomials e')) in *.
      assert (K1 : 1 * 1 <= g1 * k1) by (apply Rmult_le_compat; lra).
      assert (K2 : 1 * 1 <= g2 * k2) by (apply Rmult_le_compat; lra).
      assert (K12 : 1 * 1 <= k1 * k2) by (apply Rmult_le_compat; lra). assert (GG : 1 <= gg) by (apply growth_pos; auto).
      destruct N as [[N N'] | [N N']].
      + destruct (IH N) as [s [W [S E]]]. destruct (number_flush _ _ H' N') as [[s' [W' [S' E']]] V'].
        exists (s * s' * (1 + d)). split; [apply Both; auto |]. split; [apply weighs_within; auto |].
        destruct (reach_of_number e' N') as [RN RN']. fold q2 k2 in RN. fold r2 c2 in RN'. rewrite Y, RN, RN'.
        unfold length_flushes in E. fold c1 k1 r1 g1 in E. unfold number_flushes in E'. fold c2 g2 in E'.
        fold g1 q1 in S. fold g2 k2 in V'. fold gg.
        apply (mul_step (g1 * q1) (g2 * k2) (g1 * (c1 + k1 + 2 * r1)) (g2 * (2 * c2))); auto; [lra | positive |].
        set (z := (c1 + k1 + 2 * r1) * k2 + q1 * (2 * c2)).
        assert (Q : g1 * g2 * (1 + u) * z <= gg * z) by (apply Rmult_le_compat_r; [unfold z; positive | auto]).
        assert (M1 : k1 * k2 <= k1 * c2) by (apply Rmult_le_compat_l; lra).
        assert (M2 : gg * 1 <= gg * (k1 * c2)) by (apply Rmult_le_compat_l; lra).
        assert (M3 : 0 <= g1 * q1 * (1 + u)) by (apply Rmult_le_pos; [apply Rmult_le_pos |]; lra).
        assert (M4 : 1 * 1 <= g2 * k2 * (1 + u)) by (apply Rmult_le_compat; lra).
        replace (c1 * k2 + k1 * c2 + k1 * k2 + 2 * (r1 * k2 + q1 * c2)) with (z + k1 * c2) by (unfold z; clear; lra).
        replace ((g1 * (c1 + k1 + 2 * r1) * (g2 * k2) + g1 * q1 * (g2 * (2 * c2))) * (1 + u))
          with (g1 * g2 * (1 + u) * z) by (unfold z; clear; lra).
        clearbody z. lra.
      + destruct (IH' N') as [s' [W' [S' E']]]. destruct (number_flush _ _ H N) as [[s [W [S E]]] V].
        exists (s * s' * (1 + d)). split; [apply Both; auto |]. split; [apply weighs_within; auto |].
        destruct (reach_of_number e N) as [RN RN']. fold q1 k1 in RN. fold r1 c1 in RN'. rewrite Y, RN, RN'.
        unfold length_flushes in E'. fold c2 k2 r2 g2 in E'. unfold number_flushes in E. fold c1 g1 in E.
        fold g2 q2 in S'. fold g1 k1 in V. fold gg.
        replace (v * v' * (1 + d) + f - s * s' * (1 + d)) with (v' * v * (1 + d) + f - s' * s * (1 + d)) by (clear; lra).
        apply (mul_step (g2 * q2) (g1 * k1) (g2 * (c2 + k2 + 2 * r2)) (g1 * (2 * c1))); auto; [lra | positive |].
        set (z := (c2 + k2 + 2 * r2) * k1 + q2 * (2 * c1)).
        assert (Q : g1 * g2 * (1 + u) * z <= gg * z) by (apply Rmult_le_compat_r; [unfold z; positive | auto]).
        assert (M1 : k2 * k1 <= k2 * c1) by (apply Rmult_le_compat_l; lra).
        assert (M2 : gg * 1 <= gg * (k2 * c1)) by (apply Rmult_le_compat_l; lra).
        assert (M3 : 0 <= g2 * q2 * (1 + u)) by (apply Rmult_le_pos; [apply Rmult_le_pos |]; lra).
        assert (M4 : 1 * 1 <= g1 * k1 * (1 + u)) by (apply Rmult_le_compat; lra).
        replace (c1 * k2 + k1 * c2 + k1 * k2 + 2 * (c1 * q2 + k1 * r2)) with (z + k2 * c1) by (unfold z; clear; lra).
        replace ((g2 * (c2 + k2 + 2 * r2) * (g1 * k1) + g2 * q2 * (g1 * (2 * c1))) * (1 + u))
          with (g1 * g2 * (1 + u) * z) by (unfold z; clear; lra).
        clearbody z. lra.
    - destruct (IH N) as [s [W [S E]]].
      apply (read_split phi phi_range) in Ry. destruct Ry as [f [Hf [-> B]]].
      assert (W2 : weighs u (length (monomials (Twice e)) - 1) (monomials (Twice e)) (2 * s))
        by (simpl; rewrite map_length; apply weighs_twice; auto).
      exists (2 * s). split; [exact W2 |]. split; [apply weighs_within; auto |].
      assert (Y : length_flushes (Twice e) = 2 * length_flushes e).
      { unfold length_flushes, caps_by_degree, caps, reach_by_degree. simpl monomials.
        rewrite !over_twice by (intros; simpl; clear; lra). clear; lra. }
      rewrite growth_twice, Y.
      replace (2 * v + f - 2 * s) with (2 * (v - s) + f) by (clear; lra).
      eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_mult, (Rabs_pos_eq 2) by lra. lra.
  Qed.
End Flushes.

(** ** The error of an expression *)
Section Errors.
  Variables u phi : R.
  Hypothesis u_range : 0 <= u < 1.
  Hypothesis phi_range : 0 <= phi <= 1.

  Definition values (e : expr) : R := over value (monomials e).
  Definition magnitudes (e : expr) : R := over (fun m => Rabs (value m)) (monomials e).

  (** A compiler may make [e] of a formula with N monomials of degree at most D, whose value is x,
      whose magnitudes add up to S, and whose caps to Q. Terms that cancel or are collected make N,
      S and Q smaller. *)
  Definition rewriting (e : expr) (N D : nat) (Q S x : R) : Prop :=
    (length (monomials e) <= N)%nat /\ Forall (fun m => degree m <= D)%nat (monomials e) /\
    values e = x /\ magnitudes e <= S /\ caps (monomials e) <= Q.

  (** A number, and a length that is made of lengths of at most L. *)
  Definition computed (N D : nat) (S x v : R) : Prop :=
    exists e, is_number e /\ rewriting e N D 100 S x /\ evaluates u phi e v.
  Definition computed_length (N D : nat) (Q L S x v : R) : Prop :=
    exists e, is_length e /\ rewriting e N D Q S x /\ Forall (fun m => len m <= L) (monomials e) /\
      evaluates u phi e v.

  Lemma more_terms : forall N N' D Q Q' L S x v, (N <= N')%nat -> Q <= Q' ->
    computed_length N D Q L S x v -> computed_length N' D Q' L S x v.
  Proof.
    intros N N' D Q Q' L S x v HN HQ [e [K [[H [G [V [M C]]]] [Le E]]]].
    exists e. repeat split; auto; [lia | lra].
  Qed.

  Lemma same_number : forall N N' D S S' x x' v, (N <= N')%nat -> S = S' -> x = x' ->
    computed N D S x v -> computed N' D S' x' v.
  Proof.
    intros N N' D S S' x x' v HN -> -> [e [K [[H [G [V [M C]]]] E]]]. exists e. repeat split; auto. lia.
  Qed.
  Lemma same_length : forall N N' D Q Q' L L' S S' x x' v, (N <= N')%nat -> Q <= Q' -> L = L' -> S = S' -> x = x' ->
    computed_length N D Q L S x v -> computed_length N' D Q' L' S' x' v.
  Proof. intros N N' D Q Q' L L' S S' x x' v HN HQ -> -> -> H. apply (more_terms N N' D Q Q'); auto. Qed.

  (** The error of p roundings, with its second-order terms. *)
  Definition error (p : nat) : R := INR p * u + (INR p * u) ^ 2.

  Lemma below : forall p, 1 - INR p * u <= (1 - u) ^ p.
  Proof.
    induction p as [| p IH]; [simpl; lra |]. rewrite S_INR. simpl. pose proof (pos_INR p).
    assert ((1 - u) * (1 - INR p * u) <= (1 - u) * (1 - u) ^ p) by (apply Rmult_le_compat_l; lra).
    assert (0 <= INR p * (u * u)) by (apply Rmult_le_pos; [lra | nra]). lra.
  Qed.

  Lemma above : forall p, INR p * u <= 1 -> (1 + u) ^ p <= 1 + error p.
  Proof.
    unfold error. induction p as [| p IH]; intro H; [simpl; lra |].
    rewrite S_INR in *. simpl pow at 1. pose proof (pos_INR p).
    assert (H' : INR p * u <= 1) by lra. specialize (IH H').
    assert ((1 + u) * (1 + u) ^ p <= (1 + u) * (1 + (INR p * u + (INR p * u) ^ 2)))
      by (apply Rmult_le_compat_l; lra).
    set (k := INR p) in *.
    assert (0 <= k * u) by nra.
    assert ((k * u) * (k * u) * u <= 1 * (k * u) * u) by (apply Rmult_le_compat_r; [lra | nra]).
    assert (0 <= u * u) by nra.
    assert (0 <= k * (u * u)) by nra.
    nra.
  Qed.

  Lemma factor_error : forall p k w, INR p * u <= 1 -> (k <= p)%nat -> factor u k w ->
    Rabs (w - 1) <= error p.
  Proof.
    intros p k w H Hk Hw. apply (factor_more u u_range k p) in Hw; auto. destruct Hw.
    pose proof (below p). pose proof (above p H). unfold error in *.
    assert (0 <= (INR p * u) ^ 2) by (simpl; nra). apply Rabs_le. lra.
  Qed.

  Lemma weighs_error : forall p k l v, INR p * u <= 1 -> weighs u k l v ->
    Forall (fun m => k + (degree m - 1) <= p)%nat l ->
    Rabs (v - over value l) <= error p * over (fun m => Rabs (value m)) l.
  Proof.
    intros p k l v Hp H. unfold over. induction H; intro Hl; simpl.
    - rewrite Rminus_0_r, Rabs_R0. lra.
    - inversion_clear Hl. specialize (IHweighs H2).
      pose proof (factor_error p _ w Hp H1 H).
      replace (value m * w + v - (value m + total (map value l)))
        with (value m * (w - 1) + (v - total (map value l))) by (clear; lra).
      eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_mult.
      pose proof (Rabs_pos (value m)). nra.
  Qed.

  (** Both theorems at once: y is what flushes can add. *)
  Lemma split_error : forall e N D Q S x v y, (1 <= D)%nat -> INR (N + D - 2) * u <= 0.0005 ->
    rewriting e N D Q S x -> splits u phi e v y -> 0 <= y ->
    Rabs (v - x) <= error (N + D - 2) * S + phi * (1.001 * y).
  Proof.
    intros e N D Q S x v y HD Hp [HN [Hd [Hx [HS _]]]] [s [W [_ E]]] Y.
    pose proof (some e) as G. pose proof (all_proper e) as P.
    assert (T : (top e <= D)%nat).
    { destruct (top_attained e) as [[m [I <-]] _]. rewrite Forall_forall in Hd. auto. }
    assert (PU : 0 <= INR (N + D - 2) * u) by (apply Rmult_le_pos; [apply pos_INR | lra]).
    assert (EP : 0 <= error (N + D - 2) <= 0.001) by (unfold error; simpl; nra).
    assert (R : Rabs (s - x) <= error (N + D - 2) * S).
    { eapply weighs_error with (p := (N + D - 2)%nat) in W; [| lra |].
      - unfold values in Hx. rewrite Hx in W. eapply Rle_trans; [exact W |].
        apply Rmult_le_compat_l; [lra | exact HS].
      - clear E Hx HS W. revert HN G Hd P. generalize (monomials e) as l. intros l HN G Hd P.
        rewrite Forall_forall in *. intros m Hm. specialize (Hd m Hm). destruct (P m Hm) as [D1 _]. simpl in *. lia. }
    assert (B : growth u e <= 1.001).
    { apply Rle_trans with ((1 + u) ^ (N + D - 2)).
      - apply Rle_pow; [lra |]. unfold roundings. lia.
      - pose proof (above (N + D - 2) ltac:(lra)). lra. }
    assert (growth u e * y <= 1.001 * y) by (apply Rmult_le_compat_r; auto).
    assert (phi * (growth u e * y) <= phi * (1.001 * y)) by (apply Rmult_le_compat_l; lra).
    replace (v - x) with ((v - s) + (s - x)) by (clear; lra). eapply Rle_trans; [apply Rabs_triang |]. lra.
  Qed.

  Lemma by_degree_below : forall e N D Q S x, rewriting e N D Q S x ->
    0 <= caps_by_degree (monomials e) <= INR D * Q.
  Proof.
    intros e N D Q S x [_ [Hd [_ [_ HQ]]]]. destruct (by_degree e) as [C _]. pose proof (caps_some e).
    split; [lra |]. apply Rle_trans with (INR D * caps (monomials e)).
    - unfold caps, caps_by_degree. rewrite <- over_scaled. apply over_below. pose proof (all_proper e) as P.
      rewrite Forall_forall in *. intros m Hm. destruct (P m Hm) as [_ [_ [C1 _]]].
      apply Rmult_le_compat_r; [lra |]. apply le_INR. auto.
    - apply Rmult_le_compat_l; [apply pos_INR | exact HQ].
  Qed.

  (** Whatever a compiler makes of a formula for a number, *)
  Theorem rewriting_error : forall N D S x v, (1 <= D)%nat -> INR (N + D - 2) * u <= 0.0005 ->
    computed N D S x v -> Rabs (v - x) <= error (N + D - 2) * S + phi * (201 * INR D).
  Proof.
    intros N D S x v HD Hp [e [K [H Ev]]]. destruct (number_flush u phi u_range phi_range e v Ev K) as [Sp _].
    pose proof (by_degree_below _ _ _ _ _ _ H) as B. unfold number_flushes in Sp.
    assert (Y : 0 <= 2 * caps_by_degree (monomials e)) by lra.
    eapply Rle_trans; [exact (split_error e N D 100 S x v _ HD Hp H Sp Y) |].
    apply Rplus_le_compat_l, Rmult_le_compat_l; [lra |]. pose proof (pos_INR D). lra.
  Qed.

  (** and for a length: of what flushes add, a part is relative to L. *)
  Theorem length_rewriting_error : forall N D Q L S x v, (1 <= D)%nat -> INR (N + D - 2) * u <= 0.0005 -> 0 <= L ->
    computed_length N D Q L S x v ->
    Rabs (v - x) <= error (N + D - 2) * S + phi * (1.001 * ((INR D + 1) * Q + 2 * (INR D * Q) * L)).
  Proof.
    intros N D Q L S x v HD Hp HL [e [K [H [Le Ev]]]].
    pose proof (length_flush u phi u_range phi_range e v Ev K) as Sp.
    pose proof (by_degree_below _ _ _ _ _ _ H) as B. destruct (by_degree e) as [_ [_ RP]]. pose proof (caps_some e) as C.
    pose proof H as [_ [Hd [_ [_ HQ]]]].
    assert (RB : reach_by_degree (monomials e) <= INR D * Q * L).
    { apply Rle_trans with (L * caps_by_degree (monomials e)).
      - unfold reach_by_degree, caps_by_degree. rewrite <- over_scaled. apply over_below. pose proof (all_proper e) as P.
        rewrite Forall_forall in *. intros m Hm. destruct (P m Hm) as [_ [_ [C1 L1]]]. specialize (Le m Hm). simpl in Le.
        pose proof (pos_INR (degree m)).
        replace (INR (degree m) * (cap m * len m)) with (len m * (INR (degree m) * cap m)) by (clear; lra).
        apply Rmult_le_compat_r; auto. apply Rmult_le_pos; lra.
      - rewrite (Rmult_comm _ L). apply Rmult_le_compat_l; lra. }
    assert (Y : 0 <= length_flushes e) by (unfold length_flushes; lra).
    eapply Rle_trans; [exact (split_error e N D Q S x v _ HD Hp H Sp Y) |]. unfold length_flushes.
    apply Rplus_le_compat_l, Rmult_le_compat_l; lra.
  Qed.

  (** What is made of lengths that are 0 is 0. *)
  Lemma zero_stays : forall e v, evaluates u phi e v -> is_length e -> Forall (fun m => len m <= 0) (monomials e) -> v = 0.
  Proof.
    clear u_range phi_range.
    assert (R : forall x y, x = 0 -> rounds u phi x y -> y = 0).
    { intros x y -> [[d [_ ->]] | [N _]]; [clear; lra | congruence]. }
    assert (Rd : forall x y, x = 0 -> read phi x y -> y = 0) by (intros x y -> [-> | [N _]]; congruence).
    assert (Left : forall l l', l' <> [] -> Forall (fun m => len m = 1) l' ->
      Forall (fun m => len m <= 0) (product l l') -> Forall (fun m => len m <= 0) l).
    { intros l l' N O H. unfold product in H. rewrite Forall_flat_map in H. eapply Forall_impl; [| exact H].
      intros m Hm. destruct l' as [| m' l']; [congruence |]. simpl in Hm. inversion_clear Hm. inversion_clear O.
      simpl in *. rewrite H2, Rmult_1_r in H0. auto. }
    assert (Right : forall l l', l <> [] -> Forall (fun m => len m = 1) l ->
      Forall (fun m => len m <= 0) (product l l') -> Forall (fun m => len m <= 0) l').
    { intros l l' N O H. unfold product in H. rewrite Forall_flat_map in H. destruct l as [| m l]; [congruence |].
      inversion_clear H. inversion_clear O. rewrite Forall_map in H0. eapply Forall_impl; [| exact H0].
      intros m' Hm. simpl in Hm. rewrite H, Rmult_1_l in Hm. auto. }
    assert (NE : forall e, monomials e <> []) by (intros e E; pose proof (some e) as S; rewrite E in S; simpl in S; lia).
    intros e v H. induction H; simpl; intros K Z; try tauto.
    - inversion_clear Z. simpl in *. apply (Rd x); auto. pose proof (Rabs_pos x).
      destruct (Req_dec x 0) as [E | E]; auto. apply Rabs_pos_lt in E. lra.
    - apply Forall_app in Z. destruct K, Z. apply (R (v + v')); auto.
      rewrite IHevaluates1, IHevaluates2 by auto. clear; lra.
    - apply (R (v * v')); auto. destruct K as [[K K'] | [K K']].
      + rewrite IHevaluates1; [clear; lra | auto |]. apply (Left _ (monomials e')); auto. apply no_length. auto.
      + rewrite IHevaluates2; [clear; lra | auto |]. apply (Right (monomials e)); auto. apply no_length. auto.
    - apply (Rd (2 * v)); auto. rewrite IHevaluates; [clear; lra | auto |]. rewrite Forall_map in Z. auto.
  Qed.

  Lemma zero_length_stays : forall N D Q L S x v, L <= 0 -> computed_length N D Q L S x v -> v = 0.
  Proof.
    clear u_range phi_range. intros N D Q L S x v HL [e [K [_ [Le E]]]]. apply (zero_stays e); auto.
    eapply Forall_impl; [| exact Le]. simpl. intros. lra.
  Qed.
End Errors.
