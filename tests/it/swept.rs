//! Boxes that move straight, against an oracle in integer arithmetic.

use std::cmp::Ordering;
use std::time::{SystemTime, UNIX_EPOCH};

use obbligato::glam::{DMat3, DQuat, DVec3, Quat, Vec3};
use obbligato::{
    Obb,
    motion::{ImpactState, Motion, Step, TimeOfImpact, time_of_impact},
};
use obbligato_verify::adversarial::{COURSES, StraightPair, course, family, straight_pair};
use obbligato_verify::reference::first_contact;

/// The number of pairs with each result.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    apart: u64,
    start: u64,
    /// At time dt exactly.
    end: u64,
    between: u64,
}

/// An impact is never later than the first contact, and earlier by at most this fraction of a step.
const PRECISION: f64 = 1.0 / (1u64 << 20) as f64;

/// The unavoidable rounding of lengths in f64, relative to the sum of all terms.
const ROUNDING: f64 = 1e-13;

fn impact(pair: &StraightPair) -> Option<TimeOfImpact> {
    let [a, b] = &pair.boxes;
    let motions = pair.velocities.map(Motion::linear);
    time_of_impact([a, b], [&motions[0], &motions[1]], &Step::new(pair.dt))
}

/// Compares a pair with the oracle and the contract.
fn check(pair: &StraightPair, tally: &mut Tally) -> Result<(), String> {
    let [a, b] = &pair.boxes;
    let exact = first_contact([a, b], pair.velocities, pair.dt);
    let found = impact(pair);
    let (Some(exact), Some(found)) = (&exact, found) else {
        tally.apart += 1;
        return match (exact.is_some(), found) {
            (false, None) => Ok(()),
            (true, None) => Err("missed".to_owned()),
            (_, Some(found)) => Err(format!("does not meet: {found:?}")),
        };
    };
    let is_start = exact.compare(0.0) == Ordering::Equal;
    match is_start {
        true => tally.start += 1,
        false if exact.compare(pair.dt) == Ordering::Equal => tally.end += 1,
        false => tally.between += 1,
    }
    if is_start != (found.state == ImpactState::Start) || is_start && found.time != 0.0 {
        return Err(format!("start {is_start}: {found:?}"));
    }
    if exact.compare(found.time) == Ordering::Less {
        return Err(format!("late: {found:?}"));
    }
    if exact.compare(found.time + PRECISION * pair.dt + f64::from_bits(1)) == Ordering::Greater {
        return Err(format!("early: {found:?}"));
    }
    held(pair, &found)?;
    let [b, a] = pair.boxes;
    let [v_b, v_a] = pair.velocities;
    let swapped = StraightPair {
        boxes: [a, b],
        velocities: [v_a, v_b],
        ..*pair
    };
    let mirrored = impact(&swapped).map(|impact| TimeOfImpact {
        normal: -impact.normal,
        ..impact
    });
    // Identical boxes have no order.
    if mirrored != Some(found) && (!is_start || pair.boxes[0].half_extents != pair.boxes[1].half_extents) {
        return Err(format!("swapped {mirrored:?}, not {found:?}"));
    }
    Ok(())
}

/// The default distance at which these boxes count as met.
fn tolerance(boxes: &[Obb; 2]) -> f64 {
    let [size_a, size_b] = boxes.map(|obb| f64::from(obb.half_extents.max_element()));
    let least = if size_a.min(size_b) == 0.0 {
        size_a.max(size_b)
    } else {
        size_a.min(size_b)
    };
    1e-4 * least
}

fn axes(obb: &Obb) -> DMat3 {
    DMat3::from_quat(DQuat::from_array(obb.rotation.to_array().map(f64::from)).normalize())
}

/// Asserts that the normal separates the boxes at that time, and that the point is in both, to
/// within the tolerance.
fn held(pair: &StraightPair, found: &TimeOfImpact) -> Result<(), String> {
    let [a, b] = &pair.boxes;
    let v = pair.velocities[1].as_dvec3() - pair.velocities[0].as_dvec3();
    let d = b.center.as_dvec3() - a.center.as_dvec3() + v * found.time;
    let lengths = (b.center.as_dvec3() - a.center.as_dvec3()).length() + v.length() * found.time;
    let sizes = (a.half_extents.as_dvec3() + b.half_extents.as_dvec3()).element_sum();
    let tolerance = tolerance(&pair.boxes);
    if (found.normal.length() - 1.0).abs() > 1e-9 {
        return Err(format!("length of the normal: {found:?}"));
    }
    let radius = |obb: &Obb| {
        (axes(obb).transpose() * found.normal)
            .abs()
            .dot(obb.half_extents.as_dvec3())
    };
    let gap = found.normal.dot(d) - radius(a) - radius(b);
    let slack = tolerance + ROUNDING * (lengths + sizes);
    if found.state == ImpactState::Impact && gap.abs() > slack {
        return Err(format!(
            "gap {gap:e} along the normal, tolerance {tolerance:e}: {found:?}"
        ));
    }
    if found.state == ImpactState::Start {
        let normal = a.manifold(b).map(|manifold| manifold.penetration().normal);
        if normal.is_none_or(|normal| normal.distance(found.normal) > 1e-9) {
            return Err(format!("least overlap along {normal:?}: {found:?}"));
        }
    }
    for (obb, velocity) in pair.boxes.iter().zip(pair.velocities) {
        let way = velocity.as_dvec3() * found.time;
        let local = axes(obb).transpose() * (found.point - (obb.center.as_dvec3() + way));
        let half = obb.half_extents.as_dvec3();
        let outside = (local.abs() - half).max(DVec3::ZERO).length();
        let world = found.point.length() + way.length() + obb.center.as_dvec3().length();
        if outside > slack + ROUNDING * world {
            return Err(format!("point {outside:e} outside, tolerance {tolerance:e}: {found:?}"));
        }
    }
    Ok(())
}

/// Compares pairs with the oracle, and prints the results for each kind of motion.
fn run(pairs: std::ops::Range<u64>, seed: u64) {
    let mut tallies = [Tally::default(); COURSES.len()];
    let (mut wrong, mut first) = (0, None);
    for index in pairs {
        let pair = straight_pair(index, seed);
        let tally = COURSES
            .iter()
            .position(|&of| of == course(index))
            .expect("all are there");
        if let Err(fault) = check(&pair, &mut tallies[tally]) {
            wrong += 1;
            let (course, family) = (course(index), family(index));
            if wrong <= 20 {
                println!("{index} {course:?} {family:?}: {fault}");
            }
            first.get_or_insert_with(|| format!("{index} {course:?} {family:?}: {fault} {pair:?}"));
        }
    }
    for (course, tally) in COURSES.iter().zip(&tallies) {
        println!("{course:?}: {tally:?}");
    }
    if let Some(first) = first {
        panic!("seed {seed}: {wrong} wrong, the first: {first}");
    }
    let total = |of: fn(&Tally) -> u64| tallies.iter().map(of).sum::<u64>();
    let counts = [
        total(|tally| tally.apart),
        total(|tally| tally.start),
        total(|tally| tally.end),
        total(|tally| tally.between),
    ];
    let all: u64 = counts.iter().sum();
    assert!(
        counts.iter().all(|&count| count > all / 1000),
        "{counts:?} apart, at the start, at the end, between: no test"
    );
}

/// Every run tests other pairs; the seed is printed.
fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let seed = now.map_or(1, |time| time.as_nanos() as u64);
    println!("seed {seed}");
    seed
}

/// `SWEPT_PAIRS=1000000 cargo test --release --test it -- swept` takes a minute.
#[test]
fn pairs_agree_with_the_oracle() {
    let count = std::env::var("SWEPT_PAIRS").map(|count| count.parse().expect("a number of pairs"));
    run(0..count.unwrap_or(100_000), fresh_seed());
}

const UNIT: Obb = Obb::axis_aligned(Vec3::ZERO, Vec3::ONE);
const ABOVE: f32 = 2.0f32.next_up();
const TINY: f32 = f32::from_bits(1);

const fn at(x: f32, y: f32, z: f32) -> Obb {
    Obb {
        center: Vec3::new(x, y, z),
        ..UNIT
    }
}

const fn sized(obb: Obb, x: f32, y: f32, z: f32) -> Obb {
    Obb {
        half_extents: Vec3::new(x, y, z),
        ..obb
    }
}

/// A name, a box at rest, a box in motion, its velocity, the duration, and the time of impact.
type Case = (&'static str, Obb, Obb, [f32; 3], f64, Option<f64>);

/// One pair per line: each case illustrates the contract.
const CASES: [Case; 18] = [
    ("head on", UNIT, at(4.0, 0.0, 0.0), [-1.0, 0.0, 0.0], 4.0, Some(2.0)),
    (
        "just at the end",
        UNIT,
        at(4.0, 0.0, 0.0),
        [-1.0, 0.0, 0.0],
        2.0,
        Some(2.0),
    ),
    (
        "just not",
        UNIT,
        at(4.0, 0.0, 0.0),
        [-1.0, 0.0, 0.0],
        2f64.next_down(),
        None,
    ),
    ("away", UNIT, at(4.0, 0.0, 0.0), [1.0, 0.0, 0.0], 9.0, None),
    (
        "away from contact",
        UNIT,
        at(2.0, 0.0, 0.0),
        [1.0, 0.0, 0.0],
        9.0,
        Some(0.0),
    ),
    (
        "sliding along a face",
        UNIT,
        at(4.0, 2.0, 0.0),
        [-1.0, 0.0, 0.0],
        9.0,
        Some(2.0),
    ),
    (
        "an ulp above the face",
        UNIT,
        at(4.0, ABOVE, 0.0),
        [-1.0, 0.0, 0.0],
        9.0,
        None,
    ),
    (
        "past a corner",
        UNIT,
        at(4.0, -1.0, 0.0),
        [-1.0, 1.5, 0.0],
        9.0,
        Some(2.0),
    ),
    (
        "corner on corner",
        UNIT,
        at(4.0, 4.0, 4.0),
        [-1.0, -1.0, -1.0],
        9.0,
        Some(2.0),
    ),
    (
        "edge past edge",
        UNIT,
        at(4.0, 0.0, 0.0),
        [-1.0, 1.0, 0.0],
        9.0,
        Some(2.0),
    ),
    (
        "an edge missed",
        UNIT,
        at(4.0, 0.0, 0.0),
        [-1.0, 1.0f32.next_up(), 0.0],
        9.0,
        None,
    ),
    ("at rest, touching", UNIT, at(2.0, 0.0, 0.0), [0.0; 3], 9.0, Some(0.0)),
    ("at rest, apart", UNIT, at(ABOVE, 0.0, 0.0), [0.0; 3], 9.0, None),
    ("no time", UNIT, at(ABOVE, 0.0, 0.0), [-1e9, 0.0, 0.0], 0.0, None),
    (
        "as slow as can be",
        UNIT,
        at(ABOVE, 0.0, 0.0),
        [-TINY, 0.0, 0.0],
        1e60,
        Some((1u128 << 127) as f64),
    ),
    (
        "two points",
        sized(UNIT, 0.0, 0.0, 0.0),
        sized(at(3.0, 6.0, 0.0), 0.0, 0.0, 0.0),
        [-1.0, -2.0, 0.0],
        9.0,
        Some(3.0),
    ),
    (
        "two points that miss",
        sized(UNIT, 0.0, 0.0, 0.0),
        sized(at(3.0, 6.0, 0.0), 0.0, 0.0, 0.0),
        [-1.0, -(2f32.next_up()), 0.0],
        9.0,
        None,
    ),
    (
        "a bullet through a plate",
        sized(UNIT, 5e-4, 1.0, 1.0),
        sized(at(1024.0, 0.0, 0.0), 0.0, 0.0, 0.0),
        [-65536.0, 0.0, 0.0],
        1.0 / 60.0,
        Some((1024.0 - 5e-4f32 as f64) / 65536.0),
    ),
];

#[test]
fn impacts_by_hand() {
    for (name, a, b, velocity, dt, expected) in CASES {
        let pair = StraightPair {
            boxes: [a, b],
            velocities: [Vec3::ZERO, Vec3::from(velocity)],
            dt,
        };
        let exact = first_contact([&a, &b], pair.velocities, dt);
        let ordering = expected.map(|time| exact.as_ref().map(|exact| exact.compare(time)));
        assert_eq!(exact.is_some(), expected.is_some(), "the oracle, {name}");
        assert!(
            matches!(ordering, None | Some(Some(Ordering::Equal))),
            "the oracle, {name}"
        );
        if let Err(fault) = check(&pair, &mut Tally::default()) {
            panic!("{name}: {fault}");
        }
    }
}

/// There is an answer for all numbers.
#[test]
fn invalid_pairs_do_no_harm() {
    let numbers = [f32::NAN, f32::INFINITY, f32::MAX, -1.0, 0.0, f32::from_bits(1), 1.0];
    for (i, &x) in numbers.iter().enumerate() {
        for &y in &numbers {
            let z = numbers[(i + 3) % numbers.len()];
            let a = Obb::new(Vec3::new(x, y, z), Vec3::new(z, x, y), Quat::from_xyzw(x, y, z, y));
            let b = Obb::new(Vec3::new(y, z, 1.0), Vec3::new(y, y, x), Quat::from_xyzw(y, x, 1.0, z));
            for dt in [f64::NAN, f64::INFINITY, f64::MAX, -1.0, 1.0, f64::from_bits(1)] {
                for velocity in [Vec3::new(x, z, y), Vec3::new(-1.0, 2.0, z)] {
                    let pair = StraightPair {
                        boxes: [a, b],
                        velocities: [velocity, Vec3::new(z, y, -x)],
                        dt,
                    };
                    let _ = impact(&pair);
                }
            }
        }
    }
}
