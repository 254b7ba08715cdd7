//! Scenes in the plane, against integers of any size and against support functions.

mod contacts;
mod errors;
mod images;
mod motion;
mod oracle;
mod recorded;
mod scenes;

use obbligato::contact::Contact;
use obbligato::glam::{DVec2, Quat, Vec2};
use obbligato::shape::{OwnedBodies, yaw};
use obbligato::{BroadPhase, Capsule, Config, Obb, Pair, Query, Report, Sphere};
use obbligato_support::split_mix::SplitMix;

use crate::support::gpu::{cpu, gpu};
use oracle::{Figure, relation};

/// A body of the engine.
#[derive(Clone, Copy, Debug)]
enum Body {
    Box(Obb),
    Capsule(Capsule),
    Sphere(Sphere),
}

impl Body {
    fn of(figure: &Figure) -> Self {
        let center = Vec2::from(figure.center);
        let turn = Quat::from_xyzw(0.0, 0.0, figure.turn[0], figure.turn[1]);
        match (figure.is_box, figure.half[0]) {
            (true, _) => Self::Box(Obb::in_plane(center, Vec2::from(figure.half), turn)),
            (false, 0.0) => Self::Sphere(Sphere::new(center.extend(0.0), figure.radius)),
            (false, half) => Self::Capsule(Capsule::in_plane(center, half, turn, figure.radius)),
        }
    }
}

/// The families of random figures.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Family {
    /// Of any numbers.
    Any,
    /// On a lattice of quarters, with turns by multiples of 45 degrees and of 3-4-5 triangles.
    Lattice,
    /// Without width or length, on the lattice or off it.
    Lines,
    /// Of very different sizes.
    Sizes,
}

const FAMILIES: [Family; 4] = [Family::Any, Family::Lattice, Family::Lines, Family::Sizes];

struct Random(SplitMix);

impl Random {
    fn below(&mut self, size: f64) -> f64 {
        size * self.0.unit()
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.0.next() as usize % list.len()]
    }

    fn turn(&mut self, family: Family) -> [f32; 2] {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        match family {
            Family::Lattice => self.pick(&[
                [0.0, 1.0],
                [half, half],
                [1.0, 0.0],
                [0.0, 1.0],
                [0.6, 0.8],
                [-0.28, 0.96],
            ]),
            _ => {
                let angle = self.below(6.0);
                let turn = yaw(angle);
                [turn.z, turn.w]
            }
        }
    }

    fn length(&mut self, family: Family) -> f32 {
        match family {
            Family::Lattice => (0.25 * self.below(9.0).floor()) as f32,
            Family::Lines if self.below(1.0) < 0.5 => 0.0,
            Family::Sizes => (self.below(40.0) - 30.0).exp2() as f32,
            _ => self.below(1.5) as f32,
        }
    }

    fn center(&mut self, family: Family) -> [f32; 2] {
        [0; 2].map(|_| match family {
            Family::Lattice => (0.25 * (self.below(17.0).floor() - 8.0)) as f32,
            Family::Sizes => {
                let size = (self.below(40.0) - 30.0).exp2();
                (self.below(2.0 * size) - size) as f32
            }
            _ => (self.below(4.0) - 2.0) as f32,
        })
    }

    /// A figure of a kind: a rectangle, a stadium or a disc.
    fn figure(&mut self, family: Family, kind: usize) -> Figure {
        let half = [self.length(family), self.length(family)];
        let mut figure = Figure {
            center: self.center(family),
            half,
            turn: self.turn(family),
            radius: 0.0,
            is_box: kind == 0,
        };
        if kind > 0 {
            figure.half[1] = 0.0;
            figure.radius = self.length(family);
        }
        if kind == 2 {
            figure.half[0] = 0.0;
        }
        // A capsule of no length is a disc.
        if figure.half[0] == 0.0 && kind > 0 {
            figure.turn = [0.0, 1.0];
        }
        figure
    }

    /// A partner of a figure: some are the same, or inside, or have a corner on a side or a corner
    /// of it, up to rounding.
    fn partner(&mut self, figure: &Figure, family: Family, kind: usize) -> Figure {
        let mut other = self.figure(family, kind);
        let axes = Axes::of(figure);
        match self.0.next() % 6 {
            0 if kind == 0 && figure.is_box => other = *figure,
            1 => {
                other.turn = figure.turn;
                other.center = figure.center;
                other.half = figure.half.map(|half| 0.5 * half);
                other.radius *= 0.5;
                if kind > 0 {
                    other.half[1] = 0.0;
                }
                if kind == 2 {
                    other.half[0] = 0.0;
                }
            }
            2 | 3 => {
                let place = self.pick(&[1.0, -1.0, 0.5]);
                let out = Axes::of(&other).corner([-1.0, -1.0]) - Vec2::from(other.center).as_dvec2();
                let target = axes.corner([1.0, place]) - out;
                other.center = target.as_vec2().into();
            }
            _ => {}
        }
        if other.half[0] == 0.0 && kind > 0 {
            other.turn = [0.0, 1.0];
        }
        other
    }
}

/// A figure in `f64`.
struct Axes {
    center: DVec2,
    x: DVec2,
    half: [f64; 2],
    radius: f64,
}

impl Axes {
    fn of(figure: &Figure) -> Self {
        let [z, w] = figure.turn.map(f64::from);
        let square = z * z + w * w;
        Self {
            center: Vec2::from(figure.center).as_dvec2(),
            x: DVec2::new(w * w - z * z, 2.0 * z * w) / square,
            half: figure.half.map(f64::from),
            radius: figure.radius.into(),
        }
    }

    fn corner(&self, sides: [f64; 2]) -> DVec2 {
        self.center + self.x * (sides[0] * self.half[0]) + self.x.perp() * (sides[1] * self.half[1])
    }

    /// The largest coordinate of any point along a direction of length 1.
    fn support(&self, direction: DVec2) -> f64 {
        let along = self.half[0] * self.x.dot(direction).abs() + self.half[1] * self.x.perp().dot(direction).abs();
        self.center.dot(direction) + along + self.radius
    }

    fn size(&self) -> f64 {
        self.center.abs().element_sum() + self.half[0] + self.half[1] + self.radius
    }
}

fn config(broad_phase: BroadPhase) -> Config {
    Config {
        broad_phase,
        list_touching: true,
        ..Config::default()
    }
}

/// Bodies by their kinds, and the figures in their numbering.
fn scene(figures: &[Figure]) -> (OwnedBodies, Vec<Figure>) {
    let mut bodies = OwnedBodies::default();
    let mut sorted = figures.to_vec();
    let kind = |figure: &Figure| match Body::of(figure) {
        Body::Box(_) => 0,
        Body::Capsule(_) => 1,
        Body::Sphere(_) => 2,
    };
    sorted.sort_by_key(kind);
    for figure in &sorted {
        match Body::of(figure) {
            Body::Box(obb) => bodies.boxes.push(obb),
            Body::Capsule(capsule) => bodies.capsules.push(capsule),
            Body::Sphere(sphere) => bodies.spheres.push(sphere),
        }
    }
    (bodies, sorted)
}

/// Compares pairs and touching pairs with the oracle's.
#[track_caller]
fn compare(what: &str, report: &Report, expected: &[(Pair, Contact)]) {
    let those = |touching: bool| -> Vec<Pair> {
        let those = expected
            .iter()
            .filter(|(_, contact)| !touching || *contact == Contact::Touching);
        those.map(|(pair, _)| *pair).collect()
    };
    assert_eq!(report.pairs().expect("asked for"), those(false), "{what}");
    assert_eq!(report.touching().expect("asked for"), those(true), "{what}: touching");
    assert_eq!(report.touching_pairs, Some(those(true).len() as u64), "{what}");
}

/// Random pairs of these kinds.
fn pairs_of(kinds: [usize; 2], family: Family, count: usize, seed: u64) -> Vec<[Figure; 2]> {
    let mut random = Random(SplitMix(seed));
    let pair = |_| {
        let figure = random.figure(family, kinds[0]);
        [figure, random.partner(&figure, family, kinds[1])]
    };
    (0..count).map(pair).collect()
}

/// Checks listed pairs of figures on a checker, and returns the number of touching and overlapping
/// ones.
fn check_pairs(pairs: &[[Figure; 2]], checker: &mut obbligato::Checker, what: &str) -> [usize; 2] {
    let figures: Vec<Figure> = pairs.iter().flatten().copied().collect();
    let (bodies, sorted) = scene(&figures);
    // Figures are found again by the order of their kinds, which is stable.
    let mut order: Vec<usize> = (0..figures.len()).collect();
    let kind = |k: &usize| match Body::of(&figures[*k]) {
        Body::Box(_) => 0,
        Body::Capsule(_) => 1,
        Body::Sphere(_) => 2,
    };
    order.sort_by_key(kind);
    let mut position = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, &k)| position[k] = at as u32);
    let listed: Vec<Pair> = (0..pairs.len())
        .map(|k| Pair::new(position[2 * k], position[2 * k + 1]))
        .collect();
    let report = checker
        .check(Query::pairs(bodies.all(), &listed).in_plane())
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    let relation = |pair: &Pair| (*pair, relation(&sorted[pair.a as usize], &sorted[pair.b as usize]));
    let mut expected: Vec<(Pair, Contact)> = listed.iter().map(relation).collect();
    expected.retain(|(_, contact)| contact.collides());
    expected.sort_unstable_by_key(|(pair, _)| *pair);
    compare(what, &report, &expected);
    let touching = expected
        .iter()
        .filter(|(_, contact)| *contact == Contact::Touching)
        .count();
    [touching, expected.len() - touching]
}

/// A million pairs of rectangles, by every stage of the CPU.
#[test]
fn c4_rectangles_are_those_of_integers() {
    let mut checker = cpu(config(BroadPhase::Auto));
    for (seed, family) in (0..).zip(FAMILIES) {
        let mut found = [0; 2];
        for part in 0..5 {
            let pairs = pairs_of([0, 0], family, 50_000, 10 * seed + part);
            let some = check_pairs(&pairs, &mut checker, &format!("{family:?} {part}"));
            found = [found[0] + some[0], found[1] + some[1]];
        }
        // Figures of any numbers touch only if they are lines.
        let least = match family {
            Family::Any | Family::Sizes => [0, 10_000],
            Family::Lattice => [2_000, 10_000],
            Family::Lines => [10_000, 1_000],
        };
        assert!(found[0] >= least[0] && found[1] >= least[1], "{family:?}: {found:?}");
    }
}

/// Discs, stadiums and rectangles, and their mixtures.
#[test]
fn c4_all_kinds_are_those_of_integers() {
    let mut checker = cpu(config(BroadPhase::Auto));
    for (seed, family) in (100..).zip(FAMILIES) {
        for kinds in [[0, 1], [0, 2], [1, 1], [1, 2], [2, 2], [2, 0], [1, 0]] {
            let pairs = pairs_of(kinds, family, 12_000, 17 * seed + kinds[0] as u64);
            let found = check_pairs(&pairs, &mut checker, &format!("{family:?} {kinds:?}"));
            assert!(found[0] + found[1] > 500, "{family:?} {kinds:?}: {found:?}");
        }
    }
}

/// Devices find the pairs of the oracle.
#[test]
fn c4_devices_find_the_same_pairs() {
    let mut checker = gpu(config(BroadPhase::Auto));
    for (seed, family) in (200..).zip(FAMILIES) {
        for kinds in [[0, 0], [0, 1], [1, 1], [2, 0]] {
            let pairs = pairs_of(kinds, family, 3_000, seed);
            check_pairs(&pairs, &mut checker, &format!("{family:?} {kinds:?}"));
        }
    }
}
