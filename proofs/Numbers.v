(** * The comparisons of the exact stage over any numbers that stand for real ones: the trait [Real] of [round/real.rs].

    The source is generic over its numbers, integers or [Near], and so is this, line by line. A sign may be
    unknown, which ends the comparison. If each operation stands for one of real numbers, and each sign that
    is known is that of the number, then the result is that of [Orders.v] and [SegmentBox.v]. *)

Require Import Rbase Rfunctions List Bool Lra FunctionalExtensionality.
Import ListNotations.
From Obbligato Require Import Boxes Formulas Lengths Exact Aligned LastStage Margins Distances Round Balls Directions Segments Orders SegmentBox.
From Obbligato Require Integers.
Open Scope R_scope.

Record arithmetic := Arithmetic {
  number : Type;
  zero : number;
  add : number -> number -> number;
  sub : number -> number -> number;
  mul : number -> number -> number;
  neg : number -> number;
  sign : number -> option comparison
}.

Notation "x <- e ; f" := (match e with Some x => f | None => None end) (at level 61, e at next level, right associativity).

Section Programs.
  Variable A : arithmetic.
  Notation T := (number A).
  Definition triple := Integers.index -> T.
  Local Infix "+" := (add A).
  Local Infix "-" := (sub A).
  Local Infix "*" := (mul A).

  Definition size (x : T) : option T := s <- sign A x; Some match s with Lt => neg A x | _ => x end.
  Definition compare (x y : T) : option comparison := sign A (x - y).
  Definition scalar (u v : triple) : T :=
    u Integers.I0 * v Integers.I0 + u Integers.I1 * v Integers.I1 + u Integers.I2 * v Integers.I2.
  Definition crossed : triple -> triple -> triple := Integers.cross (sub A) (mul A).
  Definition plus (u v : triple) : triple := fun i => u i + v i.
  Definition minus (u v : triple) : triple := fun i => u i - v i.

  (** ** [round_box.rs]: [point_to_box] *)
  Definition add_excess (square p h : T) : option T :=
    length <- size p;
    s <- sign A (length - h);
    Some match s with Gt => square + (length - h) * (length - h) | _ => square end.
  Definition point_box (point half : triple) (reach : T) : option comparison :=
    x <- add_excess (zero A) (point Integers.I0) (half Integers.I0);
    y <- add_excess x (point Integers.I1) (half Integers.I1);
    z <- add_excess y (point Integers.I2) (half Integers.I2);
    compare z reach.

  (** ** [capsules.rs]: [point_to_segment], [segments] and [cores] *)
  Definition point_segment (point along : triple) (reach : T) : option comparison :=
    s <- sign A (scalar point along);
    match s with
    | Gt =>
        c <- compare (scalar point along) (scalar along along);
        match c with
        | Lt => compare (scalar (crossed point along) (crossed point along)) (reach * scalar along along)
        | _ => compare (scalar (minus point along) (minus point along)) reach
        end
    | _ => compare (scalar point point) reach
    end.
  (** If a place is within the segment, what follows decides. *)
  Definition placed (place square : T) (least : comparison) (rest : option comparison) : option comparison :=
    s <- sign A place;
    match s with
    | Lt => Some least
    | _ => c <- compare place square; match c with Gt => Some least | _ => rest end
    end.
  Definition segments (p0 p1 q0 q1 : triple) (reach : T) : option comparison :=
    let u := minus p1 p0 in
    let v := minus q1 q0 in
    let w := minus p0 q0 in
    first <- point_segment w v reach;
    second <- point_segment (minus p1 q0) v reach;
    third <- point_segment (minus q0 p0) u reach;
    fourth <- point_segment (minus q1 p0) u reach;
    let least := lesser (lesser (lesser first second) third) fourth in
    let normal := crossed u v in
    let square := scalar normal normal in
    match least with
    | Lt => Some Lt
    | _ =>
        s <- sign A square;
        match s with
        | Gt =>
            placed (scalar (crossed v w) normal) square least (placed (scalar (crossed u w) normal) square least (
              c <- compare (scalar w normal * scalar w normal) (reach * square); Some (lesser least c)))
        | _ => Some least
        end
    end.
  Definition cores (p0 p1 q0 q1 : triple) (a_point b_point : bool) (reach : T) : option comparison :=
    match a_point, b_point with
    | true, true => compare (scalar (minus p0 q0) (minus p0 q0)) reach
    | true, false => point_segment (minus p0 q0) (minus q1 q0) reach
    | false, true => point_segment (minus q0 p0) (minus p1 p0) reach
    | false, false => segments p0 p1 q0 q1 reach
    end.

  (** ** [round_box.rs]: [meets_box] and [segment_to_box] *)
  Definition parted_by (middle along length twice : triple) (i : Integers.index) : option bool :=
    let j := Integers.after1 i in
    let k := Integers.after2 i in
    m <- size (middle i);
    apart <- compare m (twice i + length i);
    across <- size (middle j * along k - middle k * along j);
    match apart with
    | Gt => Some true
    | _ => c <- compare across (twice j * length k + twice k * length j); Some match c with Gt => true | _ => false end
    end.
  Definition meets_box (p0 p1 half : triple) : option bool :=
    let middle := plus p0 p1 in
    let along := minus p1 p0 in
    x <- size (along Integers.I0);
    y <- size (along Integers.I1);
    z <- size (along Integers.I2);
    let length := fun i => match i with Integers.I0 => x | Integers.I1 => y | Integers.I2 => z end in
    let twice := plus half half in
    a <- parted_by middle along length twice Integers.I0;
    if a : bool then Some false else
    b <- parted_by middle along length twice Integers.I1;
    if b : bool then Some false else
    c <- parted_by middle along length twice Integers.I2;
    Some (negb c).
  (** An edge is named by an axis and two sides, an end of it by a third. *)
  Definition box_corner (half : triple) (e : axis * bool * bool) (last : bool) : triple :=
    fun i => if side_of e (of_index i) last then half i else neg A (half i).
  Fixpoint least_of (edges : list (axis * bool * bool)) (p0 p1 half : triple) (reach : T) (least : comparison) : option comparison :=
    match edges with
    | [] => Some least
    | e :: edges => c <- segments p0 p1 (box_corner half e false) (box_corner half e true) reach; least_of edges p0 p1 half reach (lesser least c)
    end.
  Definition segment_to_box (p0 p1 half : triple) (reach : T) : option comparison :=
    first <- point_box p0 half reach;
    second <- point_box p1 half reach;
    match lesser first second with
    | Lt => Some Lt
    | least => meet <- meets_box p0 p1 half; if meet : bool then compare (zero A) reach else least_of twelve p0 p1 half reach least
    end.

  (** ** What they decide *)
  Variable stands : T -> R -> Prop.
  Record sound : Prop := {
    zero_sound : stands (zero A) 0;
    add_sound : forall x y a b, stands x a -> stands y b -> stands (x + y) (a + b)%R;
    sub_sound : forall x y a b, stands x a -> stands y b -> stands (x - y) (a - b)%R;
    mul_sound : forall x y a b, stands x a -> stands y b -> stands (x * y) (a * b)%R;
    neg_sound : forall x a, stands x a -> stands (neg A x) (- a)%R;
    sign_sound : forall x a c, stands x a -> sign A x = Some c -> c = of_sign a
  }.
  Definition unknown : Prop := exists x, sign A x = None.
  Definition decided {C : Type} (o : option C) (P : C -> Prop) : Prop := match o with Some c => P c | None => unknown end.

  Hypothesis Sound : sound.
  Definition stand (x : triple) (v : vec) : Prop := forall i, stands (x i) (v (of_index i)).

  Lemma decided_bind : forall {C D : Type} (o : option C) (f : C -> option D) P Q, decided o P ->
    (forall c, P c -> decided (f c) Q) -> decided (c <- o; f c) Q.
  Proof. intros C D [c |] f P Q H F; simpl in *; auto. Qed.

  Lemma decided_imp : forall {C : Type} (o : option C) (P Q : C -> Prop), decided o P -> (forall c, P c -> Q c) -> decided o Q.
  Proof. intros C [c |] P Q H F; simpl in *; auto. Qed.

  Lemma sign_decided : forall x a, stands x a -> decided (sign A x) (eq (of_sign a)).
  Proof.
    intros x a H. unfold decided. destruct (sign A x) as [c |] eqn:E; [| exists x; auto].
    symmetry. exact (sign_sound Sound x a c H E).
  Qed.
  Lemma compare_decided : forall x y a b, stands x a -> stands y b -> decided (compare x y) (eq (compared a b)).
  Proof. intros. apply sign_decided, sub_sound; auto. Qed.

  Lemma of_sign_gt : forall r, of_sign r = Gt <-> 0 < r.
  Proof. intro r. unfold of_sign. destruct (Rlt_dec 0 r); [tauto |]. destruct (Rlt_dec r 0); split; (discriminate || lra). Qed.
  Lemma of_sign_lt : forall r, of_sign r = Lt <-> r < 0.
  Proof.
    intro r. unfold of_sign. destruct (Rlt_dec 0 r); [split; (discriminate || lra) |].
    destruct (Rlt_dec r 0); [tauto | split; (discriminate || lra)].
  Qed.

  Lemma size_decided : forall x a, stands x a -> decided (size x) (fun y => stands y (Rabs a)).
  Proof.
    intros x a H. unfold size. eapply decided_bind; [apply (sign_decided x a H) |]. intros c <-. simpl.
    destruct (of_sign a) eqn:E.
    - rewrite Rabs_pos_eq; auto. apply Rnot_lt_le. rewrite <- of_sign_lt, E. discriminate.
    - apply of_sign_lt in E. rewrite Rabs_left by auto. apply neg_sound; auto.
    - apply of_sign_gt in E. rewrite Rabs_pos_eq by lra. auto.
  Qed.

  Lemma scalar_stands : forall x y u v, stand x u -> stand y v -> stands (scalar x y) (dot u v).
  Proof.
    intros x y u v HX HY. unfold scalar, dot, sum.
    apply add_sound; auto; [apply add_sound; auto |]; apply mul_sound; auto; first [apply (HX Integers.I0) | apply (HX Integers.I1) |
      apply (HX Integers.I2) | apply (HY Integers.I0) | apply (HY Integers.I1) | apply (HY Integers.I2)].
  Qed.
  Lemma crossed_stands : forall x y u v, stand x u -> stand y v -> stand (crossed x y) (cross u v).
  Proof.
    intros x y u v HX HY i. unfold crossed, Integers.cross, cross.
    replace (next (of_index i)) with (of_index (Integers.after1 i)) by (destruct i; reflexivity).
    replace (after (of_index i)) with (of_index (Integers.after2 i)) by (destruct i; reflexivity).
    apply sub_sound; auto; apply mul_sound; auto.
  Qed.
  Lemma plus_stands : forall x y u v, stand x u -> stand y v -> stand (plus x y) (fun k => u k + v k)%R.
  Proof. intros x y u v HX HY i. apply add_sound; auto. Qed.
  Lemma minus_stands : forall x y u v, stand x u -> stand y v -> stand (minus x y) (less u v).
  Proof. intros x y u v HX HY i. apply sub_sound; auto. Qed.

  (** The vector between two centers is a sum of parts. *)
  Lemma parts_stand : forall parts vs, Forall2 stand parts vs -> forall x v, stand x v ->
    stand (fold_left plus parts x) (fold_left (fun v w k => v k + w k)%R vs v).
  Proof.
    intros parts vs H. induction H as [| y w parts vs Y _ IH]; intros x v X; simpl; [exact X |]. apply IH, plus_stands; auto.
  Qed.

  Lemma add_excess_decided : forall square p h s a b, stands square s -> stands p a -> stands h b ->
    decided (add_excess square p h) (fun y => stands y (s + excess a b * excess a b)%R).
  Proof.
    intros square p h s a b S P H. unfold add_excess. eapply decided_bind; [apply (size_decided p a P) |]. intros x X. cbv beta in X.
    pose proof (sub_sound Sound _ _ _ _ X H) as D. eapply decided_bind; [apply (sign_decided _ _ D) |].
    intros c <-. simpl. unfold excess. destruct (Rlt_dec b (Rabs a)) as [L | L].
    - rewrite (proj2 (of_sign_gt (Rabs a - b))) by lra. apply add_sound; auto. apply mul_sound; auto.
    - rewrite Rmult_0_r, Rplus_0_r. destruct (of_sign (Rabs a - b)) eqn:E; auto. apply of_sign_gt in E. lra.
  Qed.

  Theorem point_to_box_decided : forall point half reach q h r, stand point q -> stand half h -> stands reach r ->
    decided (point_box point half reach) (eq (box_order q h r)).
  Proof.
    intros point half reach q h r Q H HR. unfold point_box.
    eapply decided_bind; [apply (add_excess_decided _ _ _ _ _ _ (zero_sound Sound) (Q _) (H _)) |]. intros x HX.
    eapply decided_bind; [apply (add_excess_decided _ _ _ _ _ _ HX (Q _) (H _)) |]. intros y HY.
    eapply decided_bind; [apply (add_excess_decided _ _ _ _ _ _ HY (Q _) (H _)) |]. intros z HZ. cbv beta in HZ.
    unfold box_order, box_square, sum. rewrite Rplus_0_l in HZ. apply compare_decided; auto.
  Qed.

  Theorem point_to_segment_decided : forall point along reach x v r, stand point x -> stand along v -> stands reach r ->
    decided (point_segment point along reach) (eq (point_order x v r)).
  Proof.
    intros point along reach x v r HX HV HR. unfold point_segment, point_order.
    pose proof (scalar_stands _ _ _ _ HX HV) as P. pose proof (scalar_stands _ _ _ _ HV HV) as S.
    pose proof (scalar_stands _ _ _ _ HX HX) as XX. pose proof (crossed_stands _ _ _ _ HX HV) as C.
    pose proof (minus_stands _ _ _ _ HX HV) as D. fold (square v) in *.
    eapply decided_bind; [apply (sign_decided _ _ P) |]. intros c <-.
    destruct (Rle_dec (dot x v) 0) as [L | L].
    - assert (N : of_sign (dot x v) <> Gt) by (rewrite of_sign_gt; lra).
      destruct (of_sign (dot x v)); [| | contradiction]; apply compare_decided; auto.
    - rewrite (proj2 (of_sign_gt (dot x v))) by lra.
      eapply decided_bind; [apply (compare_decided _ _ _ _ P S) |]. intros c <-. unfold compared at 1.
      destruct (Rle_dec (square v) (dot x v)) as [M | M].
      + assert (N : of_sign (dot x v - square v) <> Lt) by (rewrite of_sign_lt; lra).
        destruct (of_sign (dot x v - square v)); [| contradiction |]; apply compare_decided; auto; apply scalar_stands; auto.
      + rewrite (proj2 (of_sign_lt (dot x v - square v))) by lra.
        apply compare_decided; [apply scalar_stands; auto | apply mul_sound; auto].
  Qed.

  Lemma placed_decided : forall place square least rest p s l r, stands place p -> stands square s -> least = l ->
    decided rest (eq r) -> decided (placed place square least rest) (eq (if outside p s then l else r)).
  Proof.
    intros place square least rest p s l r P S <- HR. unfold placed, outside.
    eapply decided_bind; [apply (sign_decided _ _ P) |]. intros c <-.
    destruct (Rlt_dec p 0) as [L | L]; [rewrite (proj2 (of_sign_lt p)) by auto; reflexivity |].
    assert (N : of_sign p <> Lt) by (rewrite of_sign_lt; lra).
    assert (Rest : decided (c <- compare place square; match c with Gt => Some least | _ => rest end)
      (eq (if if Rlt_dec s p then true else false then least else r))).
    { eapply decided_bind; [apply (compare_decided _ _ _ _ P S) |]. intros c <-. unfold compared.
      destruct (Rlt_dec s p) as [M | M]; [rewrite (proj2 (of_sign_gt (p - s))) by lra; reflexivity |].
      assert (N' : of_sign (p - s) <> Gt) by (rewrite of_sign_gt; lra).
      destruct (of_sign (p - s)); auto. contradiction. }
    destruct (of_sign p); [exact Rest | contradiction | exact Rest].
  Qed.

  Theorem segments_decided : forall p0 p1 q0 q1 reach x0 x1 y0 y1 r, stand p0 x0 -> stand p1 x1 -> stand q0 y0 -> stand q1 y1 ->
    stands reach r -> decided (segments p0 p1 q0 q1 reach) (eq (segments_order (less x1 x0) (less y1 y0) (less x0 y0) r)).
  Proof.
    intros p0 p1 q0 q1 reach x0 x1 y0 y1 r P0 P1 Q0 Q1 HR. unfold segments, segments_order. cbv zeta.
    pose proof (minus_stands _ _ _ _ P1 P0) as U. pose proof (minus_stands _ _ _ _ Q1 Q0) as V.
    pose proof (minus_stands _ _ _ _ P0 Q0) as W. pose proof (minus_stands _ _ _ _ P1 Q0) as W1.
    pose proof (minus_stands _ _ _ _ Q0 P0) as W2. pose proof (minus_stands _ _ _ _ Q1 P0) as W3.
    replace (fun k => less x0 y0 k + less x1 x0 k)%R with (less x1 y0) by (apply functional_extensionality; intro; unfold less; clear; lra).
    replace (fun k => - less x0 y0 k)%R with (less y0 x0) by (apply functional_extensionality; intro; unfold less; clear; lra).
    replace (fun k => less y1 y0 k - less x0 y0 k)%R with (less y1 x0) by (apply functional_extensionality; intro; unfold less; clear; lra).
    eapply decided_bind; [apply (point_to_segment_decided _ _ _ _ _ _ W V HR) |]. intros c1 <-.
    eapply decided_bind; [apply (point_to_segment_decided _ _ _ _ _ _ W1 V HR) |]. intros c2 <-.
    eapply decided_bind; [apply (point_to_segment_decided _ _ _ _ _ _ W2 U HR) |]. intros c3 <-.
    eapply decided_bind; [apply (point_to_segment_decided _ _ _ _ _ _ W3 U HR) |]. intros c4 <-.
    set (least := lesser (lesser (lesser _ _) _) _).
    pose proof (crossed_stands _ _ _ _ U V) as N. pose proof (scalar_stands _ _ _ _ N N) as S.
    pose proof (scalar_stands _ _ _ _ (crossed_stands _ _ _ _ V W) N) as PU. pose proof (scalar_stands _ _ _ _ (crossed_stands _ _ _ _ U W) N) as PV.
    pose proof (scalar_stands _ _ _ _ W N) as L. set (u := less x1 x0) in *. set (v := less y1 y0) in *. set (w := less x0 y0) in *.
    fold (square (cross u v)) in S. clearbody least.
    match goal with |- decided (match least with Eq => ?e | Lt => _ | Gt => _ end) (eq (match least with Eq => ?f | Lt => _ | Gt => _ end)) =>
      assert (Rest : decided e (eq f)); [| destruct least; [exact Rest | reflexivity | exact Rest]] end.
    eapply decided_bind; [apply (sign_decided _ _ S) |]. intros c <-.
    destruct (Rle_dec (square (cross u v)) 0) as [Z0 | Z0].
    - assert (G : of_sign (square (cross u v)) <> Gt) by (rewrite of_sign_gt; lra).
      destruct (of_sign (square (cross u v))); [reflexivity | reflexivity | contradiction].
    - rewrite (proj2 (of_sign_gt (square (cross u v)))) by lra.
      apply placed_decided; auto. apply placed_decided; auto.
      eapply decided_bind; [apply compare_decided; [exact (mul_sound Sound _ _ _ _ L L) | exact (mul_sound Sound _ _ _ _ HR S)] |].
      intros c <-. reflexivity.
  Qed.

  Theorem cores_decided : forall p0 p1 q0 q1 a_point b_point reach x0 x1 y0 y1 r, stand p0 x0 -> stand p1 x1 -> stand q0 y0 -> stand q1 y1 ->
    stands reach r -> decided (cores p0 p1 q0 q1 a_point b_point reach)
      (eq (cores_order a_point b_point (less x1 x0) (less y1 y0) (less x0 y0) r)).
  Proof.
    intros p0 p1 q0 q1 a_point b_point reach x0 x1 y0 y1 r P0 P1 Q0 Q1 HR. unfold cores, cores_order.
    replace (fun k => - less x0 y0 k)%R with (less y0 x0) by (apply functional_extensionality; intro; unfold less; clear; lra).
    pose proof (minus_stands _ _ _ _ P0 Q0) as W. destruct a_point, b_point.
    - apply compare_decided; auto. apply scalar_stands; auto.
    - apply point_to_segment_decided; auto. apply minus_stands; auto.
    - apply point_to_segment_decided; auto; apply minus_stands; auto.
    - apply segments_decided; auto.
  Qed.

  Lemma parted_by_decided : forall middle along length twice i m a h, stand middle m -> stand along a ->
    stand length (fun k => Rabs (a k)) -> stand twice (fun k => 2 * h k)%R ->
    decided (parted_by middle along length twice i) (eq (axis_parts h m a (of_index i))).
  Proof.
    intros middle along length twice i m a h HM HA HL HT. unfold parted_by, axis_parts. cbv zeta.
    replace (next (of_index i)) with (of_index (Integers.after1 i)) by (destruct i; reflexivity).
    replace (after (of_index i)) with (of_index (Integers.after2 i)) by (destruct i; reflexivity).
    set (j := Integers.after1 i). set (k := Integers.after2 i).
    eapply decided_bind; [apply (size_decided _ _ (HM i)) |]. intros x HX. cbv beta in HX.
    eapply decided_bind; [apply (compare_decided _ _ _ _ HX (add_sound Sound _ _ _ _ (HT i) (HL i))) |]. intros c <-.
    pose proof (sub_sound Sound _ _ _ _ (mul_sound Sound _ _ _ _ (HM j) (HA k)) (mul_sound Sound _ _ _ _ (HM k) (HA j))) as C.
    eapply decided_bind; [apply (size_decided _ _ C) |]. intros y HY. cbv beta in HY. unfold compared at 1.
    destruct (Rlt_dec _ (Rabs (m (of_index i)))) as [L | L]; [rewrite (proj2 (of_sign_gt _)) by lra; reflexivity |].
    match goal with |- decided (match ?c with Eq => ?e | Lt => _ | Gt => _ end) ?P => assert (Rest : decided e P) end.
    { eapply decided_bind; [apply (compare_decided _ _ _ _ HY (add_sound Sound _ _ _ _ (mul_sound Sound _ _ _ _ (HT j) (HL k))
        (mul_sound Sound _ _ _ _ (HT k) (HL j)))) |]. intros c <-. unfold compared.
      destruct (Rlt_dec _ (Rabs (m (of_index j) * a (of_index k) - m (of_index k) * a (of_index j)))) as [G | G];
        [rewrite (proj2 (of_sign_gt _)) by lra; reflexivity |].
      match goal with |- decided (Some match of_sign ?e with Eq => _ | Lt => _ | Gt => _ end) _ =>
        assert (N : of_sign e <> Gt) by (rewrite of_sign_gt; lra); destruct (of_sign e); [reflexivity | reflexivity | contradiction] end. }
    match goal with |- decided (match of_sign ?e with Eq => _ | Lt => _ | Gt => _ end) _ =>
      assert (N : of_sign e <> Gt) by (rewrite of_sign_gt; lra); destruct (of_sign e); [exact Rest | exact Rest | contradiction] end.
  Qed.

  Theorem meets_box_decided : forall p0 p1 half x y h, stand p0 x -> stand p1 y -> stand half h ->
    decided (meets_box p0 p1 half) (eq (meets h x y)).
  Proof.
    intros p0 p1 half x y h P0 P1 H. unfold meets_box. cbv zeta.
    pose proof (plus_stands _ _ _ _ P0 P1) as HM. pose proof (minus_stands _ _ _ _ P1 P0) as HA.
    eapply decided_bind; [apply (size_decided _ _ (HA Integers.I0)) |]. intros lx LX.
    eapply decided_bind; [apply (size_decided _ _ (HA Integers.I1)) |]. intros ly LY.
    eapply decided_bind; [apply (size_decided _ _ (HA Integers.I2)) |]. intros lz LZ. cbv beta in *.
    set (length := fun i => match i with Integers.I0 => lx | Integers.I1 => ly | Integers.I2 => lz end).
    assert (HL : stand length (fun k => Rabs (less y x k))) by (intros []; auto).
    assert (HT : stand (plus half half) (fun k => 2 * h k)%R)
      by (intro i; replace (2 * h (of_index i))%R with (h (of_index i) + h (of_index i))%R by (clear; lra); apply add_sound; auto).
    assert (Part : forall i, decided (parted_by (plus p0 p1) (minus p1 p0) length (plus half half) i)
      (eq (axis_parts h (fun k => x k + y k)%R (less y x) (of_index i)))) by (intro; apply parted_by_decided; auto).
    unfold meets. change (fun k => y k - x k)%R with (less y x).
    eapply decided_bind; [apply (Part Integers.I0) |]. intros a <-. simpl of_index.
    destruct (axis_parts h _ _ X); [reflexivity |].
    eapply decided_bind; [apply (Part Integers.I1) |]. intros b <-. simpl of_index.
    destruct (axis_parts h _ _ Y); [reflexivity |].
    eapply decided_bind; [apply (Part Integers.I2) |]. intros c <-. reflexivity.
  Qed.

  Lemma box_corner_stands : forall half h e last, stand half h -> stand (box_corner half e last) (edge_end h e last).
  Proof.
    intros half h e last H i. unfold box_corner, edge_end. destruct (side_of e (of_index i) last); [apply H | apply neg_sound; auto].
  Qed.

  Lemma least_of_decided : forall edges p0 p1 half reach x y h r, stand p0 x -> stand p1 y -> stand half h -> stands reach r ->
    forall least, decided (least_of edges p0 p1 half reach least)
      (eq (fold_left (fun least e => lesser least (edge_order h x y r e)) edges least)).
  Proof.
    intros edges p0 p1 half reach x y h r P0 P1 H HR. induction edges as [| e edges IH]; intro least; simpl; [reflexivity |].
    eapply decided_bind; [apply (segments_decided _ _ _ _ _ _ _ _ _ _ P0 P1 (box_corner_stands half h e false H)
      (box_corner_stands half h e true H) HR) |]. intros c <-. apply IH.
  Qed.

  Theorem segment_to_box_decided : forall p0 p1 half reach x y h r, stand p0 x -> stand p1 y -> stand half h -> stands reach r ->
    decided (segment_to_box p0 p1 half reach) (eq (segment_box_order h x y r)).
  Proof.
    intros p0 p1 half reach x y h r P0 P1 H HR. unfold segment_to_box, segment_box_order. cbv zeta.
    eapply decided_bind; [apply (point_to_box_decided _ _ _ _ _ _ P0 H HR) |]. intros c1 <-.
    eapply decided_bind; [apply (point_to_box_decided _ _ _ _ _ _ P1 H HR) |]. intros c2 <-.
    set (least := lesser _ _). clearbody least.
    assert (Rest : decided (meet <- meets_box p0 p1 half; if meet : bool then compare (zero A) reach else least_of twelve p0 p1 half reach least)
      (eq (if meets h x y then compared 0 r else fold_left (fun least e => lesser least (edge_order h x y r e)) twelve least))).
    { eapply decided_bind; [apply (meets_box_decided _ _ _ _ _ _ P0 P1 H) |]. intros c <-.
      destruct (meets h x y); [apply compare_decided; auto; apply zero_sound; auto | apply least_of_decided; auto]. }
    destruct least; [exact Rest | reflexivity | exact Rest].
  Qed.
End Programs.
