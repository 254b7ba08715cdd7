//! Times of impact of two boxes that move straight: obbligato compared with parry's `cast_shapes`,
//! on one thread.
//!
//! ```text
//! cargo bench --bench motion_straight -- [--count N] [KIND...]
//! ```
//!
//! Prints nanoseconds per pair of `time_of_impact` and of parry, for each kind of pairs, parry's
//! time relative to ours, and the number of pairs that meet. All pairs have swept bounds that
//! overlap, as in pairs from a broad phase. The rounds alternate between the two, and the minimum
//! of each counts. Both give a time, a normal and a point; parry computes in `f32` and gets its
//! poses beforehand.
//!
//! Then follow the pairs on which they disagree, judged in integer arithmetic: pairs of which parry
//! misses the impact, pairs that never meet but do according to parry, and times of parry that are
//! later than the first contact by more than a thousandth of the step. Missed and extra impacts
//! that remain so if the boxes are a 10,000th smaller or larger are counted separately, as gross.
//! The errors of obbligato are counted in the same way.
mod common {
    pub mod arguments;
    pub mod cuboid;
    pub mod each;
    pub mod parry;
    pub mod random;
    pub mod turns;
}

use std::cmp::Ordering;
use std::hint::black_box;

use obbligato::glam::Vec3;
use obbligato::{
    Obb,
    motion::{Motion, Step, time_of_impact},
};
use obbligato_support::count::parse_count;
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::adversarial::{Course, Family, StraightPair, course, family, straight_pair};
use obbligato_verify::reference::{ExactTime, first_contact};
use parry3d::math::{Pose, Vector};
use parry3d::query::{ShapeCastOptions, cast_shapes};
use parry3d::shape::Cuboid;

use common::{arguments, cuboid::cuboid, each::each, parry::vector, random::Random, turns::least_in_turn};

const ROUNDS: usize = 20;
const DT: f32 = 0.0625;

/// Two boxes and their motions.
struct Pair {
    boxes: [Obb; 2],
    motions: [Motion; 2],
    theirs: [(Pose, Vector, Cuboid); 2],
}

impl Pair {
    fn new(boxes: [Obb; 2], velocities: [Vec3; 2]) -> Self {
        let theirs = [0, 1].map(|k| {
            let (pose, shape) = cuboid(&boxes[k]);
            (pose, vector(velocities[k]), shape)
        });
        Self {
            boxes,
            motions: velocities.map(Motion::linear),
            theirs,
        }
    }

    fn ours(&self) -> Option<f64> {
        let [a, b] = &self.boxes;
        let [of_a, of_b] = &self.motions;
        time_of_impact([a, b], [of_a, of_b], &Step::new(DT.into())).map(|impact| black_box(impact).time)
    }

    fn parry(&self) -> Option<f64> {
        let [(pose_a, v_a, a), (pose_b, v_b, b)] = &self.theirs;
        let options = ShapeCastOptions::with_max_time_of_impact(DT);
        let hit = cast_shapes(pose_a, *v_a, a, pose_b, *v_b, b, options).ok().flatten();
        hit.map(|hit| black_box(hit).time_of_impact.into())
    }

    /// The exact time, for boxes scaled by this factor.
    fn exact(&self, factor: f32) -> Option<ExactTime> {
        let [a, b] = self.boxes.map(|obb| Obb {
            half_extents: obb.half_extents * factor,
            ..obb
        });
        first_contact([&a, &b], self.motions.map(|motion| motion.velocity), DT.into())
    }

    /// Returns `true` if the bounds of both paths overlap.
    fn is_candidate(&self) -> bool {
        let [[low_a, high_a], [low_b, high_b]] = [0, 1].map(|k| {
            let (obb, way) = (&self.boxes[k], self.motions[k].velocity * DT);
            let corners = obb.corners().map(|corner| corner.as_vec3());
            let low = corners.into_iter().reduce(Vec3::min).unwrap_or_default();
            let high = corners.into_iter().reduce(Vec3::max).unwrap_or_default();
            [low.min(low + way), high.max(high + way)]
        });
        low_a.cmple(high_b).all() && low_b.cmple(high_a).all()
    }
}

fn extents(random: &mut Random) -> Vec3 {
    Vec3::from([0; 3].map(|_| random.within(0.1, 0.5)))
}

/// Makes a pair.
type Make = fn(&mut Random) -> Pair;

const KINDS: [(&str, Make); 7] = [
    ("slow", |random| moving(random, 1.5, 10.0, false)),
    ("fast", |random| moving(random, 4.0, 100.0, false)),
    ("equal rotations", |random| moving(random, 4.0, 100.0, true)),
    ("aligned", |random| {
        let Pair { boxes, motions, .. } = moving(random, 4.0, 100.0, false);
        let upright = |obb: Obb| Obb::axis_aligned(obb.center, obb.half_extents);
        Pair::new(boxes.map(upright), motions.map(|motion| motion.velocity))
    }),
    ("bullet and plate", |random| {
        let plate = Obb::new(Vec3::ZERO, Vec3::new(0.0005, 1.0, 1.0), random.rotation());
        let velocity = random.vector(1000.0);
        let at = velocity * -0.5 * DT + random.vector(1.0);
        let bullet = Obb::new(at, Vec3::splat(0.005), random.rotation());
        Pair::new([plate, bullet], [Vec3::ZERO, velocity])
    }),
    ("overlapping", |random| moving(random, 0.3, 10.0, false)),
    ("in exact contact", |random| {
        let made = std::iter::repeat_with(|| random.0.next() >> 8).find_map(|index| {
            let is_sliding = course(index) == Course::Along && family(index) == Family::ExactContact;
            is_sliding.then(|| straight_pair(index, 1))
        });
        let StraightPair { boxes, velocities, dt } = made.expect("there are many");
        Pair::new(boxes, velocities.map(|velocity| velocity * (dt as f32 / DT)))
    }),
];

/// Boxes of 0.2 to 1 m, at most this far from each other along each axis, at this speed.
fn moving(random: &mut Random, apart: f32, speed: f32, equal: bool) -> Pair {
    let q = random.rotation();
    let a = Obb::new(random.vector(1.0), extents(random), q);
    let q = if equal { q } else { random.rotation() };
    let b = Obb::new(a.center + random.vector(apart), extents(random), q);
    Pair::new([a, b], [0; 2].map(|_| random.vector(speed)))
}

fn main() -> Result<(), String> {
    let (count, rounds, kinds) = arguments::read(|arguments| {
        let count = arguments.value("--count", parse_count)?;
        let is_kind = |word: &mut String| KINDS.iter().any(|(name, _)| name == word);
        let kinds: Vec<String> = arguments.words.extract_if(.., is_kind).collect();
        Ok(match arguments.timed {
            true => (count.unwrap_or(20_000), ROUNDS, kinds),
            false => (50, 1, kinds),
        })
    })?;
    println!(
        "{:<17} {:>8} {:>8} {:>8} {:>7}   {:<30} {:<30}",
        "ns/pair", "ours", "parry", "ratio", "meet", "parry: missed extra gross late", "ours: missed extra gross late"
    );
    let is_asked = |name: &str| kinds.is_empty() || kinds.iter().any(|kind| kind == name);
    for (name, make) in KINDS.into_iter().filter(|(name, _)| is_asked(name)) {
        let mut random = Random(SplitMix(1));
        let pairs = std::iter::repeat_with(|| make(&mut random)).filter(Pair::is_candidate);
        row(name, &pairs.take(count).collect::<Vec<_>>(), rounds);
    }
    Ok(())
}

fn row(name: &str, pairs: &[Pair], rounds: usize) {
    let least = least_in_turn(
        rounds,
        [&mut || each(pairs, Pair::ours), &mut || each(pairs, Pair::parry)],
    );
    let [ours, parry] = least.map(|time| time * 1e9 / pairs.len() as f64);
    let meet = pairs.iter().filter(|pair| pair.ours().is_some()).count();
    let judged = [judge(pairs, Pair::parry), judge(pairs, Pair::ours)];
    let [theirs, own] =
        judged.map(|[missed, extra, gross, late]| format!("{missed:>13} {extra:>5} {gross:>5} {late:>4}"));
    println!(
        "{name:<17} {ours:8.1} {parry:8.1} {:8.2} {:6.0}%   {theirs} {own}",
        parry / ours,
        100.0 * meet as f64 / pairs.len() as f64
    );
}

/// The number of missed impacts, of extra impacts, of gross ones among both, and of late ones.
fn judge(pairs: &[Pair], impact: fn(&Pair) -> Option<f64>) -> [usize; 4] {
    let mut wrong = [0; 4];
    for pair in pairs {
        match (pair.exact(1.0), impact(pair)) {
            (Some(_), None) => {
                wrong[0] += 1;
                wrong[2] += usize::from(pair.exact(1.0 - 1e-4).is_some());
            }
            (None, Some(_)) => {
                wrong[1] += 1;
                wrong[2] += usize::from(pair.exact(1.0 + 1e-4).is_none());
            }
            (Some(exact), Some(time)) if exact.compare(time - 1e-3 * f64::from(DT)) == Ordering::Less => wrong[3] += 1,
            _ => {}
        }
    }
    wrong
}
