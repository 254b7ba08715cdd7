//! Tests of the decisions of `f32` about pairs of all kinds against the exact answers.

use glam::{Quat, Vec3};

use crate::base::config::Precision;
use crate::base::split_mix::SplitMix;
use crate::geometry::pair::Pair;
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::round::answers::{Answers, Question};
use crate::narrow_phase::round::box_round_cpu::box_round;
use crate::narrow_phase::round::round_round_cpu::round_round;
use crate::narrow_phase::round::sphere_sphere_cpu::sphere_sphere;
use crate::shapes::bodies::set::BodyRef;
use crate::shapes::bodies::slot::Slot;
use crate::shapes::obb::record::Obb;
use crate::shapes::round::capsule::Capsule;
use crate::shapes::round::sphere::Sphere;

/// An owned body.
#[derive(Clone, Copy, Debug)]
enum Body {
    Box(Obb),
    Capsule(Capsule),
    Ball(Sphere),
}

impl Body {
    fn of(&self) -> BodyRef<'_> {
        match self {
            Self::Box(obb) => BodyRef::Box(obb),
            Self::Capsule(capsule) => BodyRef::Capsule(capsule),
            Self::Ball(ball) => BodyRef::Sphere(ball),
        }
    }

    fn radius(&mut self) -> Option<&mut f32> {
        match self {
            Self::Box(_) => None,
            Self::Capsule(capsule) => Some(&mut capsule.radius),
            Self::Ball(ball) => Some(&mut ball.radius),
        }
    }
}

/// Generates pairs that are hard in turn: any; of small integers, which touch; long and thin; far
/// from the origin; tiny; huge; without extents; inside each other. In every other round, a radius
/// is chosen so that they almost touch.
struct Hard(SplitMix);

const FAMILIES: u64 = 8;

impl Hard {
    fn number(&mut self, family: u64) -> f32 {
        let unit = (2.0 * self.0.unit() - 1.0) as f32;
        match family {
            1 => (unit * 5.0).round(),
            4 => unit * 2f32.powi(-55),
            5 => unit * 2f32.powi(57),
            _ => unit * 3.0,
        }
    }

    fn length(&mut self, family: u64) -> f32 {
        let length = self.number(family).abs();
        match family {
            2 => length * [30.0, 0.03][self.0.next() as usize % 2],
            6 if self.0.next().is_multiple_of(2) => 0.0,
            7 => length * [4.0, 0.0001][self.0.next() as usize % 2],
            _ => length,
        }
    }

    fn center(&mut self, family: u64) -> Vec3 {
        let center = Vec3::from([0; 3].map(|_| self.number(family)));
        if family == 3 {
            center + Vec3::new(1e5, -3e4, 7e3)
        } else {
            center
        }
    }

    fn rotation(&mut self, family: u64) -> Quat {
        let turn = [0; 4].map(|_| self.0.unit() as f32 - 0.5);
        match (family, self.0.next() % 4) {
            (1, 0) => Quat::from_xyzw(0.5, -0.5, 0.5, 0.5),
            (1, _) | (_, 0) => Quat::IDENTITY,
            _ => Quat::from_array(turn).normalize(),
        }
    }

    fn body(&mut self, family: u64, kind: u64) -> Body {
        let center = self.center(family);
        let [x, y, z] = [0; 3].map(|_| self.length(family));
        let rotation = self.rotation(family);
        match kind {
            0 => Body::Box(Obb::new(center, Vec3::new(x, y, z), rotation)),
            1 => Body::Capsule(Capsule::new(center, x, rotation, y)),
            _ => Body::Ball(Sphere::new(center, x)),
        }
    }

    fn pair(&mut self, case: u64, kinds: [u64; 2]) -> [Body; 2] {
        let family = case % FAMILIES;
        let [mut a, mut b] = kinds.map(|kind| self.body(family, kind));
        if case / FAMILIES % 2 == 1 {
            all_but_touch(&mut a, &mut b, self.0.next());
        }
        [a, b]
    }
}

/// Bisects the radius at which the two begin to collide, until they touch or nearly do.
fn all_but_touch(a: &mut Body, b: &mut Body, steps: u64) {
    let first = [*a, *b];
    let is_second = b.radius().is_some();
    let with = |radius: f32| {
        let [mut a, mut b] = first;
        let place = if is_second { b.radius() } else { a.radius() };
        place.into_iter().for_each(|place| *place = radius);
        [a, b]
    };
    let collides = |radius: f32| {
        let [a, b] = with(radius);
        a.of().contact(b.of()).collides()
    };
    let (mut low, mut high) = (0f32, 2f32.powi(60));
    if collides(low) || !collides(high) {
        return;
    }
    // Bisects by the bits, which are ordered like the numbers.
    for _ in 0..20 + steps % 13 {
        let middle = f32::from_bits((low.to_bits() + high.to_bits()) / 2);
        match collides(middle) {
            true => high = middle,
            false => low = middle,
        }
    }
    [*a, *b] = with(if steps.is_multiple_of(2) { low } else { high });
}

/// The kinds of two bodies, in the order of the tests.
const KINDS: [[u64; 2]; 6] = [[2, 2], [1, 1], [1, 2], [0, 1], [2, 0], [0, 2]];

/// Calls `found` with the answers of the lanes about pairs of these kinds.
fn answers(
    kinds: [u64; 2],
    pairs: &[[Body; 2]],
    margin: Option<f64>,
    precision: Precision,
    mut found: impl FnMut(usize, [bool; 3]),
) {
    let slots = |pair: Pair| pairs[pair.a as usize].each_ref().map(|body| Slot::from(body.of()));
    let numbered: Vec<Pair> = (0..pairs.len() as u32).map(|k| Pair { a: k, b: k }).collect();
    let question = Question {
        precision,
        margin: margin.map(|margin| move |_| margin as f32),
    };
    let each = |chunk: &[Pair], answers: Answers| {
        for (bit, pair) in chunk.iter().enumerate() {
            let own = [answers.colliding, answers.near, answers.undecided].map(|bits| bits >> bit & 1 == 1);
            found(pair.a as usize, own);
        }
    };
    match kinds {
        [2, 2] => sphere_sphere(|pair| slots(pair).map(|slot| slot.ball()), &numbered, question, each),
        [0, _] | [_, 0] => box_round(slots, &numbered, question, each),
        _ => round_round(slots, &numbered, question, each),
    }
}

/// Checks that conservative answers lose no pair, and that fast ones differ from exact ones only
/// where these are undecided.
fn compare_precisions(kinds: [u64; 2], pairs: &[[Body; 2]], margin: Option<f64>, is_apart: impl Fn(usize) -> bool) {
    answers(
        kinds,
        pairs,
        margin,
        Precision::Conservative,
        |k, [colliding, near, undecided]| {
            assert!(
                (colliding || near || is_apart(k)) && !undecided,
                "{k}: lost {:?}",
                pairs[k]
            );
        },
    );
    let mut settled = Vec::new();
    answers(kinds, pairs, margin, Precision::Exact, |k, own| settled.push((k, own)));
    let mut exact = settled.into_iter();
    answers(kinds, pairs, margin, Precision::Fast, |k, own| {
        let (at, exact) = exact.next().expect("as many");
        assert_eq!(at, k);
        assert!(exact[2] || exact == own, "{k}: {exact:?} {own:?} {:?}", pairs[k]);
    });
}

#[test]
fn f32_decisions_are_correct() {
    const CASES: u64 = 2_000;
    for (k, kinds) in KINDS.into_iter().enumerate() {
        let mut hard = Hard(SplitMix(k as u64));
        let pairs: Vec<[Body; 2]> = (0..CASES).map(|case| hard.pair(case, kinds)).collect();
        let contacts: Vec<Contact> = pairs.iter().map(|[a, b]| a.of().contact(b.of())).collect();
        for margin in [None, Some(0.0), Some(0.5), Some(0.3)] {
            let within = |k: usize| {
                let [a, b] = &pairs[k];
                margin.is_some_and(|margin| a.of().within(b.of(), margin))
            };
            let mut counts = [0; 4];
            let mut of_any = [0; 2];
            answers(kinds, &pairs, margin, Precision::Exact, |k, own| {
                let is_near = !contacts[k].collides() && within(k);
                let [colliding, near, undecided] = own;
                assert!(own.iter().filter(|&&bit| bit).count() <= 1, "{k}: {:?}", pairs[k]);
                counts[own.iter().position(|&bit| bit).unwrap_or(3)] += 1;
                if (k as u64).is_multiple_of(2 * FAMILIES) {
                    of_any[usize::from(undecided)] += 1;
                }
                let is_right = match (colliding, near, undecided) {
                    (true, ..) => contacts[k] == Contact::Overlapping,
                    (_, true, _) => is_near,
                    (.., true) => true,
                    _ => contacts[k] == Contact::Separated && !is_near,
                };
                assert!(
                    is_right,
                    "{k}, margin {margin:?}: {own:?} of {:?}, near: {is_near}: {:?}",
                    contacts[k], pairs[k]
                );
            });
            println!("{kinds:?}, {margin:?}: {counts:?}, of any: {of_any:?}");
            assert!(
                [0, 2, 3].iter().all(|&answer| counts[answer] > 30),
                "{kinds:?}: {counts:?}"
            );
            assert!(margin != Some(0.5) || counts[1] > 30, "{kinds:?}: {counts:?}");
            // Few of the ordinary pairs are undecided.
            assert!(of_any[1] * 100 < of_any[0], "{kinds:?}: {of_any:?}");
            compare_precisions(kinds, &pairs, margin, |k| {
                contacts[k] == Contact::Separated && !within(k)
            });
        }
    }
}

#[test]
fn f32_never_decides_pairs_without_a_radius() {
    let rod = Body::Capsule(Capsule::new(Vec3::ZERO, 2.0, Quat::IDENTITY, 0.0));
    let point = Body::Ball(Sphere::new(Vec3::Z, 0.0));
    let cube = Body::Box(Obb::axis_aligned(Vec3::ZERO, Vec3::ONE));
    for (kinds, pair) in [([1, 2], [rod, point]), ([0, 1], [cube, rod]), ([2, 2], [point, point])] {
        answers(kinds, &[pair], None, Precision::Exact, |_, own| {
            assert_eq!(own, [false, false, true], "{pair:?}");
        });
        assert_eq!(pair[0].of().contact(pair[1].of()), Contact::Touching);
    }
}
