(** * Sliding a direction until it is perpendicular to a generator.

    A convex body that is a sum of segments has [gap]: a distance along a direction less the body's
    radius. Between the planes perpendicular to generators the gap is linear. *)

Require Import Rbase Rfunctions List Lra FunctionalExtensionality.
Import ListNotations.
From Obbligato Require Import Boxes Formulas.
Open Scope R_scope.

Definition generators := list (R * vec).   (* half a length, and a direction *)
Definition reach (l : generators) (v : vec) : R :=
  fold_right (fun g rest => fst g * Rabs (dot (snd g) v) + rest) 0 l.
Definition gap (d : vec) (l : generators) (v : vec) : R := dot d v - reach l v.
Definition shifted (v : vec) (x : R) (w : vec) : vec := fun k => v k + x * w k.

Lemma dot_shifted : forall e v x w, dot e (shifted v x w) = dot e v + x * dot e w.
Proof. intros; unfold dot, sum, shifted; clear; lra. Qed.

Lemma dot_scaled : forall e x w, dot e (fun k => x * w k) = x * dot e w.
Proof. intros; unfold dot, sum; clear; lra. Qed.

Lemma reach_scaled : forall l x v, reach l (fun k => x * v k) = Rabs x * reach l v.
Proof.
  intros l x v. induction l as [| g l IH]; simpl; [clear; lra |].
  rewrite IH, dot_scaled, Rabs_mult. clear; lra.
Qed.

(** Generators that turn their side towards the body, if v moves in the direction w. *)
Definition turns (v w : vec) (g : R * vec) : Prop := dot (snd g) v * dot (snd g) w < 0.
Definition keeps (v v' : vec) (g : R * vec) : Prop := 0 <= dot (snd g) v * dot (snd g) v'.

(** The first generator that turns. *)
Lemma first_turn : forall v w l, Exists (turns v w) l ->
  exists x, 0 < x /\ Exists (fun g => dot (snd g) w <> 0 /\ dot (snd g) (shifted v x w) = 0) l /\
    Forall (keeps v (shifted v x w)) l.
Proof.
  intros v w l. induction l as [| g l IH]; intro H; [inversion H |].
  set (p := dot (snd g) v). set (q := dot (snd g) w).
  assert (Own : turns v w g -> 0 < - p / q /\ p + - p / q * q = 0 /\ q <> 0).
  { unfold turns. fold p q. intro T. assert (Q : q <> 0) by (intro E; rewrite E in T; lra).
    repeat split; auto; [| field; auto].
    destruct (Rtotal_order q 0) as [L | [E | G]]; [| lra |].
    - replace (- p / q) with (p / - q) by (field; auto). apply Rdiv_lt_0_compat; nra.
    - apply Rdiv_lt_0_compat; nra. }
  destruct (Exists_dec (turns v w) l) as [T | N].
  { intro z. unfold turns. destruct (Rlt_dec (dot (snd z) v * dot (snd z) w) 0); auto. }
  - destruct (IH T) as [x [X0 [E K]]].
    destruct (Rle_dec 0 (p * (p + x * q))) as [P | P].
    + exists x. repeat split; auto. constructor; auto. unfold keeps. rewrite dot_shifted. exact P.
    + assert (Tg : turns v w g) by (unfold turns; fold p q; nra).
      destruct (Own Tg) as [A [B D]]. set (y := - p / q) in *. exists y. repeat split; auto.
      * apply Exists_cons_hd. rewrite dot_shifted. auto.
      * constructor; [unfold keeps; rewrite dot_shifted; fold p q; rewrite B; lra |].
        assert (EQ : p * (p + x * q) = (p * q) * (x - y)) by (replace (p + x * q) with ((x - y) * q) by lra; clear; lra).
        assert (YX : y <= x) by (unfold turns in Tg; fold p q in Tg; apply Rnot_lt_le; intro; nra).
        eapply Forall_impl; [| exact K]. unfold keeps. intros z. rewrite !dot_shifted.
        set (pz := dot (snd z) v). set (qz := dot (snd z) w). intro Z0.
        assert (Q2 : 0 <= pz * pz) by apply Rle_0_sqr.
        destruct (Rle_dec 0 (pz * qz)); nra.
  - assert (Tg : turns v w g) by (inversion H; [assumption | contradiction]).
    destruct (Own Tg) as [A [B D]]. set (y := - p / q) in *. exists y. repeat split; auto.
    + apply Exists_cons_hd. rewrite dot_shifted. auto.
    + constructor; [unfold keeps; rewrite dot_shifted; fold p q; rewrite B; lra |].
      apply Forall_Exists_neg in N. eapply Forall_impl; [| exact N]. unfold keeps, turns. intros z Z.
      rewrite dot_shifted. nra.
Qed.

Definition side (x : R) : R := if Rle_dec 0 x then 1 else -1.
Definition slope (v w : vec) (l : generators) : R :=
  fold_right (fun g rest => fst g * (side (dot (snd g) v) * dot (snd g) w) + rest) 0 l.

Lemma reach_linear : forall v x w l,
  Forall (fun g => dot (snd g) v = 0 -> dot (snd g) w = 0) l -> Forall (keeps v (shifted v x w)) l ->
  reach l (shifted v x w) = reach l v + x * slope v w l.
Proof.
  intros v x w l. induction l as [| g l IH]; intros Z K; simpl; [clear; lra |].
  inversion_clear Z. inversion_clear K. rewrite IH by auto.
  unfold keeps in H1. rewrite dot_shifted in *.
  set (p := dot (snd g) v) in *. set (q := dot (snd g) w) in *.
  replace (Rabs (p + x * q)) with (Rabs p + x * (side p * q)); [clear; lra |].
  unfold side. destruct (Rle_dec 0 p) as [P | P].
  - destruct (Req_dec p 0) as [E | E].
    + rewrite (H E), E. replace (0 + x * 0) with 0 by (clear; lra). clear; lra.
    + rewrite !Rabs_pos_eq; nra.
  - rewrite (Rabs_left p), (Rabs_left1 (p + x * q)); nra.
Qed.

Lemma slope_without_turns : forall v w l, Forall (fun g => dot (snd g) v = 0 -> dot (snd g) w = 0) l ->
  ~ Exists (turns v w) l -> slope v w l = reach l w.
Proof.
  intros v w l Z N. apply Forall_Exists_neg in N. induction l as [| g l IH]; simpl; [clear; lra |].
  inversion_clear Z. inversion_clear N. rewrite IH by auto. unfold turns in H1.
  set (p := dot (snd g) v) in *. set (q := dot (snd g) w) in *.
  replace (Rabs q) with (side p * q); [clear; lra |]. unfold side. destruct (Rle_dec 0 p) as [P | P].
  - destruct (Req_dec p 0) as [E | E]; [rewrite (H E), Rabs_R0; clear; lra |]. rewrite Rabs_pos_eq; nra.
  - rewrite Rabs_left1; nra.
Qed.

Lemma slope_opposite : forall v w l, slope v (fun k => -1 * w k) l = - slope v w l.
Proof. intros v w l. induction l as [| g l IH]; simpl; [clear; lra |]. rewrite IH, dot_scaled. clear; lra. Qed.

(** One way: the gap does not fall, and some generator turns. *)
Lemma slide_forward : forall d l v w, 0 < gap d l v ->
  Forall (fun g => dot (snd g) v = 0 -> dot (snd g) w = 0) l ->
  Exists (turns v w) l -> slope v w l <= dot d w ->
  exists x, 0 < gap d l (shifted v x w) /\
    Exists (fun g => dot (snd g) w <> 0 /\ dot (snd g) (shifted v x w) = 0) l.
Proof.
  intros d l v w G Z T S. destruct (first_turn v w l T) as [x [X [E K]]].
  exists x. split; auto. unfold gap in *. rewrite reach_linear, dot_shifted by auto. nra.
Qed.

(** The lemma: if the gap is positive along v but not along w and -w, it is positive along some
    v + x w that is perpendicular to a generator to which w is not. *)
Theorem slide : forall d l v w, 0 < gap d l v -> dot d w <= reach l w -> - dot d w <= reach l w ->
  Exists (fun g => dot (snd g) w <> 0) l ->
  exists x, 0 < gap d l (shifted v x w) /\
    Exists (fun g => dot (snd g) w <> 0 /\ dot (snd g) (shifted v x w) = 0) l.
Proof.
  intros d l v w G W W' N.
  set (w' := fun k => -1 * w k).
  assert (Back : (exists x, 0 < gap d l (shifted v x w') /\
    Exists (fun g => dot (snd g) w' <> 0 /\ dot (snd g) (shifted v x w') = 0) l) ->
    exists x, 0 < gap d l (shifted v x w) /\
    Exists (fun g => dot (snd g) w <> 0 /\ dot (snd g) (shifted v x w) = 0) l).
  { intros [x [P E]]. exists (- x).
    assert (Q : shifted v (- x) w = shifted v x w')
      by (apply functional_extensionality; intro; unfold shifted, w'; clear; lra).
    rewrite Q. split; auto. eapply Exists_impl; [| exact E]. intros g [Hg Hx]. split; auto.
    intro Y. apply Hg. unfold w'. rewrite dot_scaled, Y. clear; lra. }
  destruct (Forall_Exists_dec (fun g : R * vec => dot (snd g) v = 0 -> dot (snd g) w = 0)
    (fun g => match Req_EM_T (dot (snd g) v) 0, Req_EM_T (dot (snd g) w) 0 with
      | _, left q => left (fun _ => q)
      | left p, right q => right (fun h => q (h p))
      | right p, _ => left (fun h => False_ind _ (p h)) end) l) as [Z | Z].
  - assert (Z' : Forall (fun g => dot (snd g) v = 0 -> dot (snd g) w' = 0) l).
    { eapply Forall_impl; [| exact Z]. intros g Hg E. unfold w'. rewrite dot_scaled, Hg by auto. clear; lra. }
    assert (S' : slope v w' l = - slope v w l) by apply slope_opposite.
    assert (D' : dot d w' = - dot d w) by (unfold w'; rewrite dot_scaled; clear; lra).
    assert (R' : reach l w' = reach l w)
      by (unfold w'; rewrite reach_scaled, (Rabs_left (-1)); lra).
    assert (Dec : forall w, {Exists (turns v w) l} + {~ Exists (turns v w) l}).
    { intro z. apply Exists_dec. intro g. unfold turns. destruct (Rlt_dec (dot (snd g) v * dot (snd g) z) 0); auto. }
    destruct (Rlt_le_dec (slope v w l) (dot d w)) as [L | L].
    + apply slide_forward; auto; [| lra]. destruct (Dec w) as [T | T]; auto.
      apply slope_without_turns in T; auto. lra.
    + destruct (Dec w') as [T' | T']; [apply Back, slide_forward; auto; lra |].
      pose proof (slope_without_turns v w' l Z' T').
      destruct (Dec w) as [T | T]; [apply slide_forward; auto; lra |].
      (* Nothing turns either way: no generator has a part along w. *)
      exfalso. apply Forall_Exists_neg in T. apply Forall_Exists_neg in T'.
      rewrite Exists_exists in N. destruct N as [g [I Hg]].
      rewrite Forall_forall in T, T', Z. specialize (T g I). specialize (T' g I). specialize (Z g I).
      unfold turns, w' in *. rewrite dot_scaled in T'.
      assert (P : dot (snd g) v <> 0) by (intro E; auto).
      assert (dot (snd g) v * dot (snd g) w = 0) by lra.
      apply Rmult_integral in H0. tauto.
  - exists 0. assert (Q : shifted v 0 w = v)
      by (apply functional_extensionality; intro; unfold shifted; clear; lra).
    rewrite Q. split; auto. eapply Exists_impl; [| exact Z]. simpl. intros g Hg.
    destruct (Req_EM_T (dot (snd g) v) 0); tauto.
Qed.
