//! Space that repeats, against every image of every pair in rational arithmetic.

mod approaches;
mod counted;
mod devices;
mod errors;
mod exact;
mod followed;
mod ghosts;
mod images;
mod neighbours;
mod prepared;
mod recorded;
mod ruled;
mod sweeps;
mod tracked;

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::{
    Bodies, BroadPhase, Capsule, Config, Obb, Obb64, Output, Pair, Period, Query, Report, Rules, Set, Sphere,
    contact::Contact, shape::OwnedBodies,
};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference::{self, ImageContact};

use crate::support::gpu::cpu;
use crate::support::positions::moved;

type Lengths = [Option<f64>; 3];

/// The pairs that the reference finds, with their images.
type Expected = [(Pair, Vec<ImageContact>)];

/// Lattices of one, two and three axes, of lengths that are no `f32` too.
const LATTICES: [Lengths; 5] = [
    [Some(8.0), Some(8.0), Some(8.0)],
    [Some(7.1), Some(6.3), Some(9.7)],
    [None, Some(8.0), Some(6.5)],
    [Some(8.0), None, None],
    [None, None, Some(7.3)],
];

/// The places where the bodies of a scene are given.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// In one cell, on a lattice of halves, so that many touch.
    Halves,
    /// In one cell.
    Cell,
    /// In one cell around the origin, some in the cells next to it.
    Strays,
    /// Thousands of cells away from each other.
    Anywhere,
}

const PLACES: [Place; 4] = [Place::Halves, Place::Cell, Place::Strays, Place::Anywhere];

/// Random bodies.
struct Random(SplitMix);

impl Random {
    fn below(&mut self, size: f64) -> f64 {
        size * self.0.unit()
    }

    fn center(&mut self, place: Place) -> DVec3 {
        DVec3::from([0; 3].map(|_| match place {
            Place::Halves => (self.below(16.0)).floor() * 0.5,
            Place::Cell => self.below(7.0) + 3.0,
            Place::Strays => self.below(8.0) - 4.0 + [0.0, 0.0, 0.0, 8.0, -16.0][self.0.next() as usize % 5],
            Place::Anywhere => self.below(1e5) - 3e4,
        }))
    }

    fn length(&mut self, place: Place, most: f64) -> f32 {
        match place {
            Place::Halves => (0.25 + self.below(4.0 * most - 1.0).floor() * 0.25) as f32,
            _ => self.below(most) as f32,
        }
    }

    fn rotation(&mut self, place: Place) -> Quat {
        let turn = [0; 4].map(|_| self.0.unit() as f32 - 0.5);
        match (place, self.0.next() % 3) {
            (Place::Halves, 0) => Quat::from_xyzw(0.5, -0.5, 0.5, 0.5),
            (Place::Halves, _) | (_, 0) => Quat::IDENTITY,
            _ => Quat::from_array(turn).normalize(),
        }
    }

    /// Bodies of all kinds; some boxes are long enough to meet others in two images.
    fn bodies(&mut self, place: Place, counts: [usize; 3]) -> OwnedBodies {
        let boxes = (0..counts[0]).map(|k| {
            let most = if k % 4 == 0 { 3.0 } else { 0.9 };
            let half = Vec3::new(
                self.length(place, most),
                self.length(place, 0.6),
                self.length(place, 0.6),
            );
            let (center, rotation) = (self.center(place).as_vec3(), self.rotation(place));
            match k % 7 {
                // A plate that is wider than half of any period.
                0 => Obb::axis_aligned(center, Vec3::new(3.0, 2.5 + half.y, half.z)),
                _ => Obb::new(center, half, rotation),
            }
        });
        let boxes = boxes.collect();
        let capsules = (0..counts[1]).map(|k| {
            let half = self.length(place, if k % 3 == 0 { 2.6 } else { 0.7 });
            let radius = self.length(place, 0.4);
            Capsule::new(self.center(place).as_vec3(), half, self.rotation(place), radius)
        });
        let capsules = capsules.collect();
        let spheres = (0..counts[2]).map(|_| {
            let radius = self.length(place, 0.9);
            Sphere::new(self.center(place).as_vec3(), radius)
        });
        let spheres = spheres.collect();
        OwnedBodies {
            boxes,
            capsules,
            spheres,
        }
    }
}

fn config(broad_phase: BroadPhase, margin: f64) -> Config {
    Config {
        broad_phase,
        margin,
        list_touching: true,
        ..Config::default()
    }
}

fn relation(images: &[ImageContact]) -> Contact {
    let of = |contact| images.iter().any(|image| image.1 == contact);
    match (of(Contact::Overlapping), of(Contact::Touching)) {
        (true, _) => Contact::Overlapping,
        (_, true) => Contact::Touching,
        _ => Contact::Separated,
    }
}

/// Compares a report with the reference: pairs, touching pairs, and the number of near ones.
#[track_caller]
fn compare(what: &str, report: &Report, expected: &Expected) {
    let those = |contact: Option<Contact>| -> Vec<Pair> {
        let those = expected
            .iter()
            .filter(|(_, images)| contact.is_none_or(|contact| relation(images) == contact));
        those.map(|(pair, _)| *pair).collect()
    };
    assert_eq!(report.pairs().expect("asked for"), those(None), "{what}");
    assert_eq!(
        report.touching().expect("asked for"),
        those(Some(Contact::Touching)),
        "{what}: touching"
    );
    let near = those(Some(Contact::Separated)).len() as u64;
    assert_eq!(report.near_pairs, Some(near), "{what}: near");
}

#[track_caller]
fn check<'a>(config: Config, what: &str, query: impl Into<Query<'a>>, lengths: Lengths) -> Report {
    cpu(config)
        .check(query.into().periodic(Period::new(lengths)))
        .unwrap_or_else(|error| panic!("{what}: {error}"))
}

/// Every broad phase, on every lattice, wherever the bodies are given.
#[test]
fn c1_pairs_are_those_of_all_images() {
    let mut random = Random(SplitMix(31));
    let (mut several, mut touching) = (0, 0);
    for lengths in LATTICES {
        for place in PLACES {
            let bodies = random.bodies(place, [34, 10, 10]);
            let expected = reference::periodic_pairs(bodies.all(), lengths, 0.0);
            several += expected.iter().filter(|(_, images)| images.len() > 1).count();
            touching += expected
                .iter()
                .filter(|(_, images)| relation(images) == Contact::Touching)
                .count();
            for &phase in BroadPhase::ALL {
                let what = format!("{lengths:?} {place:?} {phase}");
                compare(
                    &what,
                    &check(config(phase, 0.0), &what, bodies.all(), lengths),
                    &expected,
                );
            }
        }
    }
    assert!(several > 30 && touching > 30, "{several} {touching}");
}

#[test]
fn c1_margins_may_exceed_the_period() {
    let mut random = Random(SplitMix(32));
    for (lengths, margin) in [
        (LATTICES[0], 0.5),
        (LATTICES[1], 0.3),
        (LATTICES[3], 12.0),
        (LATTICES[4], 40.0),
    ] {
        for place in [Place::Halves, Place::Strays] {
            let bodies = random.bodies(place, [9, 3, 3]);
            let expected = reference::periodic_pairs(bodies.all(), lengths, margin);
            for phase in [BroadPhase::Auto, BroadPhase::Grid, BroadPhase::Tree] {
                let what = format!("{lengths:?} {place:?} {phase} margin {margin}");
                compare(
                    &what,
                    &check(config(phase, margin), &what, bodies.all(), lengths),
                    &expected,
                );
            }
        }
    }
}

/// One body has no partner, however many of its images are in reach.
#[test]
fn c1_no_body_is_its_own_partner() {
    let one = [Sphere::new(Vec3::ONE, 0.4)];
    let report = check(config(BroadPhase::Auto, 3.0), "one", &one, [Some(1.0), Some(1.0), None]);
    assert_eq!(report.pairs().expect("asked for"), []);
    let two = [one[0], Sphere::new(Vec3::new(1.5, 1.25, 1.0), 0.1)];
    let report = check(config(BroadPhase::Auto, 3.0), "two", &two, [Some(1.0), Some(1.0), None]);
    assert_eq!(report.pairs().expect("asked for"), [Pair::new(0, 1)]);
}

#[test]
fn c1_boxes_with_centers_in_f64() {
    let mut random = Random(SplitMix(33));
    for lengths in LATTICES {
        for (place, far) in [(Place::Halves, 0.0), (Place::Strays, 1e9), (Place::Anywhere, 0.1)] {
            let bodies = random.bodies(place, [30, 0, 0]);
            let boxes: Vec<Obb64> = bodies.boxes.iter().map(|obb| moved(obb, DVec3::splat(far))).collect();
            for margin in [0.0, 0.25] {
                let expected = reference::periodic_pairs64(&boxes, lengths, margin);
                for phase in [BroadPhase::Auto, BroadPhase::Grid, BroadPhase::Lbvh] {
                    let what = format!("{lengths:?} {place:?} {far} {phase} margin {margin}");
                    compare(&what, &check(config(phase, margin), &what, &boxes, lengths), &expected);
                }
            }
        }
    }
}

/// Rules, own margins, worlds, two sets and given pairs.
#[test]
fn c1_rules_and_sets() {
    let mut random = Random(SplitMix(34));
    for (lengths, place) in [(LATTICES[0], Place::Halves), (LATTICES[1], Place::Strays)] {
        let bodies = random.bodies(place, [50, 12, 12]);
        let all = bodies.all();
        let count = all.len();
        let expected = reference::periodic_pairs(all, lengths, 0.0);
        let worlds: Vec<u32> = (0..count as u32).map(|id| id % 2).collect();
        let owners: Vec<u32> = (0..count as u32).map(|id| id / 3).collect();
        let statics: Vec<bool> = (0..count).map(|id| id % 4 == 0).collect();
        let rules = Rules {
            worlds: Some(&worlds),
            owners: Some(&owners),
            statics: Some(&statics),
            ..Rules::default()
        };
        let is_allowed = |Pair { a, b }: Pair| {
            let [a, b] = [a as usize, b as usize];
            worlds[a] == worlds[b] && owners[a] != owners[b] && !(statics[a] && statics[b])
        };
        let allowed: Vec<_> = expected.iter().filter(|(pair, _)| is_allowed(*pair)).cloned().collect();
        assert!(
            allowed.len() > 3 && allowed.len() < expected.len(),
            "{} of {}",
            allowed.len(),
            expected.len()
        );
        for &phase in BroadPhase::ALL {
            let report = check(config(phase, 0.0), "rules", Set::from(all).with(rules), lengths);
            compare(&format!("rules {phase}"), &report, &allowed);
        }
        // Given pairs, in any order.
        let given: Vec<Pair> = (0..count as u32)
            .flat_map(|a| (0..a).map(move |b| Pair::new(b, a)))
            .collect();
        let report = check(
            config(BroadPhase::Auto, 0.0),
            "given",
            Query::pairs(all, &given),
            lengths,
        );
        compare("given", &report, &expected);
        // The boxes against all others.
        let (first, second) = (Bodies::from(&bodies.boxes), Bodies { boxes: &[], ..all });
        let between: Vec<Pair> = expected
            .iter()
            .map(|(pair, _)| *pair)
            .filter(|pair| pair.a < 50 && pair.b >= 50)
            .map(|pair| Pair {
                a: pair.a,
                b: pair.b - 50,
            })
            .collect();
        assert!(between.len() > 2);
        for phase in [BroadPhase::Auto, BroadPhase::Grid, BroadPhase::Sweep] {
            let report = check(config(phase, 0.0), "sets", Query::between(first, second), lengths);
            assert_eq!(report.pairs().expect("asked for"), between, "{phase}");
        }
    }
}

/// Degrees, totals and visitors count each pair once, and so do several threads.
#[test]
fn c1_outputs_and_threads() {
    let mut random = Random(SplitMix(35));
    let lengths = LATTICES[1];
    let bodies = random.bodies(Place::Strays, [60, 10, 10]);
    let expected: Vec<Pair> = reference::periodic_pairs(bodies.all(), lengths, 0.0)
        .into_iter()
        .map(|(pair, _)| pair)
        .collect();
    let mut degrees = vec![0; 80];
    for pair in &expected {
        degrees[pair.a as usize] += 1;
        degrees[pair.b as usize] += 1;
    }
    let of = |output| Config {
        output,
        ..config(BroadPhase::Grid, 0.0)
    };
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads");
        pool.install(|| {
            let report = check(of(Output::Pairs), "pairs", bodies.all(), lengths);
            assert_eq!(report.pairs().expect("asked for"), expected);
            let report = check(of(Output::Degrees), "degrees", bodies.all(), lengths);
            assert_eq!(report.degrees().expect("asked for"), degrees);
            let visited = std::sync::Mutex::new(Vec::new());
            let visit = |pairs: &[Pair]| visited.lock().expect("no panic").extend_from_slice(pairs);
            let report = check(
                of(Output::Count),
                "visit",
                Query::from(bodies.all()).visit(&visit),
                lengths,
            );
            assert_eq!(report.colliding_pairs, expected.len() as u64);
            let mut visited = visited.into_inner().expect("no panic");
            visited.sort_unstable();
            assert_eq!(visited, expected);
        });
    }
}
