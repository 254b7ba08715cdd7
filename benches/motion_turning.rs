//! Times of impact of boxes that rotate, compared with parry's `cast_shapes_nonlinear`, on one
//! thread; and answers compared with sub-steps.
//!
//! ```text
//! cargo bench --bench motion_turning -- [--pairs N] [--family NAME] [--audit N [--from K] [--samples N]]
//! ```
//!
//! The table has nanoseconds per pair, the minimum of several rounds, for each family of moving
//! pairs that parry can express (it supports neither acceleration nor uncertainty), and the number
//! of disagreements. Disagreements are judged by sub-steps of the reference: "only ours" is split
//! into pairs that meet and pairs that come within the tolerance, "only parry's" into pairs that
//! meet, which ours would have missed, and others. `--audit` instead compares that many pairs of
//! all families with sub-steps.
mod common {
    pub mod arguments;
    pub mod clock;
    pub mod cuboid;
    pub mod each;
    pub mod parry;
}

use std::hint::black_box;

use obbligato_support::count::parse_count;
use obbligato_verify::adversarial::{MOVING_FAMILIES, MovingFamily, MovingPair};
use obbligato_verify::reference::substeps;
use parry3d::math::Vector;
use parry3d::query::{NonlinearRigidMotion, cast_shapes_nonlinear};
use parry3d::shape::Cuboid;

use common::{arguments, clock::least, cuboid::cuboid, each::each, parry::vector};

const ROUNDS: usize = 7;

fn main() -> Result<(), String> {
    let mut families = MOVING_FAMILIES.to_vec();
    let (count, rounds, audit) = arguments::read(|arguments| {
        let pairs = arguments.value("--pairs", parse_count)?;
        let audit = arguments.value("--audit", parse_count)?;
        let from = arguments.value("--from", parse_count)?.unwrap_or(0);
        let samples = arguments.value("--samples", parse_count)?.unwrap_or(64);
        if let Some(name) = arguments.value("--family", |name| Ok(name.to_lowercase()))? {
            families.retain(|family| format!("{family:?}").to_lowercase() == name);
            if families.is_empty() {
                return Err(format!("no family is called {name}: they are {MOVING_FAMILIES:?}"));
            }
        }
        let audit = audit.map(|count| (from as u64..(from + count) as u64, samples as u32));
        Ok(match arguments.timed {
            true => (pairs.unwrap_or(2_000), ROUNDS, audit),
            false => (pairs.unwrap_or(10), 1, audit),
        })
    })?;
    if let Some((range, samples)) = audit {
        return hold(range, samples);
    }
    compare(&families, count, rounds);
    Ok(())
}

/// A pair, for both libraries.
struct Case {
    pair: MovingPair,
    shapes: [Cuboid; 2],
    motions: [NonlinearRigidMotion; 2],
}

impl Case {
    fn new(pair: MovingPair) -> Self {
        let parts = |k: usize| {
            let (obb, motion) = (pair.boxes[k], pair.motions[k]);
            let ((start, shape), [v, w]) = (cuboid(&obb), [motion.velocity, motion.angular_velocity].map(vector));
            (shape, NonlinearRigidMotion::new(start, Vector::ZERO, v, w))
        };
        let [a, b] = [parts(0), parts(1)];
        Self {
            pair,
            shapes: [a.0, b.0],
            motions: [a.1, b.1],
        }
    }

    /// Returns `true` if parry finds an impact.
    fn cast(&self) -> bool {
        let ([a, b], [m, n]) = (&self.shapes, &self.motions);
        cast_shapes_nonlinear(m, a, n, b, 0.0, self.pair.dt as f32, true).is_ok_and(|hit| hit.is_some())
    }
}

fn compare(families: &[MovingFamily], count: usize, rounds: usize) {
    println!(
        "{:<12} {:>8} {:>8} {:>6} {:>6} {:>6} {:>11} {:>7} {:>13} {:>6}",
        "family", "ours", "parry", "ratio", "met", "parry", "only ours:", "within", "only parry's:", "not"
    );
    for &family in families {
        // Neither acceleration nor uncertainty.
        let is_plain = |pair: &MovingPair| {
            pair.motions
                .iter()
                .all(|motion| motion.acceleration.length() == 0.0 && motion.uncertainty == 0.0)
        };
        let in_order = (0..).filter(|&index| MovingPair::family(index) == family);
        let cases: Vec<Case> = in_order
            .map(|index| MovingPair::new(index, 3))
            .filter(|pair| matches!(family, MovingFamily::Thrown | MovingFamily::Uncertain) || is_plain(pair))
            .take(count)
            .map(Case::new)
            .collect();
        // The minimum of several rounds for every few pairs, so that other load on the machine is
        // excluded.
        let time = |asked: &dyn Fn(&Case) -> bool| {
            let least = |some: &[Case]| least(rounds, || each(some, asked)).0;
            cases.chunks(16).map(least).sum::<f64>() * 1e9 / cases.len() as f64
        };
        let ours = time(&|case| black_box(case.pair.impact()).is_some());
        if matches!(family, MovingFamily::Thrown | MovingFamily::Uncertain) {
            println!("{:<12} {ours:8.0}", format!("{family:?}"));
            continue;
        }
        let theirs = time(&Case::cast);
        let (mut met, mut cast) = (0, 0);
        let mut only = [[0; 2]; 2];
        for case in &cases {
            let (by_us, by_them) = (case.pair.impact().is_some(), case.cast());
            met += usize::from(by_us);
            cast += usize::from(by_them);
            if by_us != by_them {
                let (boxes, motions) = (case.pair.boxes.each_ref(), case.pair.motions.each_ref());
                let meets = substeps::first_contact(boxes, motions, case.pair.dt, 20_000).is_some();
                only[usize::from(by_them)][usize::from(!meets)] += 1;
            }
        }
        let [[true_ours, within], [missed, not]] = only;
        println!(
            "{:<12} {ours:8.0} {theirs:8.0} {:6.1} {met:6} {cast:6} {true_ours:11} {within:7} {missed:13} {not:6}",
            format!("{family:?}"),
            theirs / ours,
        );
    }
}

fn hold(range: std::ops::Range<u64>, samples: u32) -> Result<(), String> {
    let mut met = vec![[0usize; 4]; MOVING_FAMILIES.len()];
    let mut wrong = 0;
    for index in range {
        let pair = MovingPair::new(index, 7);
        let impact = pair.impact();
        let row = &mut met[(index % MOVING_FAMILIES.len() as u64) as usize];
        row[0] += 1;
        match pair.audit(impact, samples) {
            Ok(audit) => {
                row[1] += usize::from(audit.impact.is_some());
                row[2] += usize::from(audit.found.is_some());
                row[3] += usize::from(audit.impact.is_some_and(|impact| !impact.is_resolved));
            }
            Err(what) => {
                wrong += 1;
                if wrong <= 20 {
                    println!("{index} {:?}: {what}", MovingPair::family(index));
                }
            }
        }
    }
    println!(
        "{:<12} {:>9} {:>9} {:>9} {:>10}",
        "family", "pairs", "met", "found", "unresolved"
    );
    for (family, [pairs, met, found, unresolved]) in MOVING_FAMILIES.iter().zip(&met) {
        println!(
            "{:<12} {pairs:9} {met:9} {found:9} {unresolved:10}",
            format!("{family:?}")
        );
    }
    match wrong {
        0 => Ok(()),
        _ => Err(format!("{wrong} answers are wrong")),
    }
}
