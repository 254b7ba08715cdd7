//! The cost of distances and depths of convex solids compared with parry's, on one thread.
//!
//! ```text
//! cargo bench --bench solids -- [--pairs N]
//! ```
//!
//! Prints nanoseconds per pair, for solids with equal numbers of vertices, which are apart, near
//! each other, or overlap. Distances first: from a cold start, from the end of the last search,
//! parry's `distance` and its `closest_points`, and parry's times relative to ours. Ours include
//! both points. Then depths of those that overlap, in the same way, compared with parry's
//! `contact`. The rounds alternate between all of them, and the minimum of each counts.
//!
//! Parry computes in `f32`, and ends its search when its bounds are within a thousandth of each
//! other. The last column has the largest difference from ours: of distances, as a fraction of the
//! solids' size, and the amount by which parry's depth is too small to separate them. The distances
//! of solids that overlap, which are 0, are also compared.
mod common {
    pub mod arguments;
    pub mod each;
    pub mod parry;
    pub mod turns;
}

use obbligato::glam::{DVec3, Vec3};
use obbligato::{contact::WarmStart, shape::Solid};
use obbligato_support::count::parse_count;
use obbligato_support::split_mix::SplitMix;
use parry3d::math::Pose;
use parry3d::query;
use parry3d::shape::ConvexPolyhedron;

use common::{arguments, each::each, parry::vector, turns::least_in_turn};

const ROUNDS: usize = 7;

/// The number of solids on each side of the pairs.
const SOLIDS: usize = 500;

fn main() -> Result<(), String> {
    let (count, solids, rounds) = arguments::read(|arguments| {
        let count = arguments.value("--pairs", parse_count)?;
        Ok(match arguments.timed {
            true => (count.unwrap_or(100_000), SOLIDS, ROUNDS),
            false => (50, 10, 1),
        })
    })?;
    println!(
        "{:<9} {:<12} {:>8} {:>8} {:>8} {:>8} {:>7} {:>7} {:>9}",
        "vertices", "ns/pair", "ours", "warm", "parry", "points", "ratio", "warm", "differ"
    );
    for vertices in [[8, 64], [8, 8], [16, 16], [64, 64]] {
        for (name, range) in [("apart", [2.0, 3.0]), ("near", [1.0, 1.3]), ("overlapping", [0.2, 0.5])] {
            let scene = Scene::new(vertices, range, solids, count)?;
            scene.distances(name, rounds);
            if name == "overlapping" {
                scene.depths(rounds);
            }
        }
    }
    Ok(())
}

struct Scene {
    name: String,
    ours: [Vec<Solid>; 2],
    theirs: [Vec<(Pose, ConvexPolyhedron)>; 2],
    pairs: Vec<[usize; 2]>,
}

impl Scene {
    /// Solids with numbers of vertices in this range, on ellipsoids. Those of B are at a distance
    /// in the given range, in any direction.
    fn new([least, most]: [u64; 2], [near, far]: [f64; 2], solids: usize, count: usize) -> Result<Self, String> {
        let mut random = SplitMix(7);
        let mut scene = Self {
            name: if least == most {
                format!("{least}")
            } else {
                format!("{least} to {most}")
            },
            ours: Default::default(),
            theirs: Default::default(),
            pairs: Vec::new(),
        };
        for side in 0..2 {
            for _ in 0..solids {
                let at = match side {
                    0 => Vec3::ZERO,
                    _ => (direction(&mut random) * (near + (far - near) * random.unit())).as_vec3(),
                };
                let size = DVec3::from([0; 3].map(|_| 0.25 + 0.5 * random.unit()));
                let vertices = least + random.next() % (most + 1 - least);
                let points: Vec<Vec3> = (0..vertices)
                    .map(|_| (direction(&mut random) * size).as_vec3())
                    .collect();
                let moved: Vec<Vec3> = points.iter().map(|&point| point + at).collect();
                scene.ours[side].push(Solid::from_points(&moved).map_err(|error| error.to_string())?);
                let points: Vec<_> = points.iter().map(|point| vector(*point)).collect();
                let hull = ConvexPolyhedron::from_convex_hull(&points).ok_or("parry found no hull")?;
                scene.theirs[side].push((Pose::from_translation(vector(at)), hull));
            }
        }
        let mut any = || (random.next() % solids as u64) as usize;
        scene.pairs = (0..count).map(|_| [any(), any()]).collect();
        Ok(scene)
    }

    fn each<A>(&self, mut ask: impl FnMut(usize, &Solid, &Solid) -> A) {
        let [first, second] = &self.ours;
        each(self.pairs.iter().enumerate(), |(k, &[a, b])| {
            ask(k, &first[a], &second[b])
        });
    }

    fn each_of_parry<A>(&self, mut ask: impl FnMut(usize, [&Pose; 2], [&ConvexPolyhedron; 2]) -> A) {
        let [first, second] = &self.theirs;
        each(self.pairs.iter().enumerate(), |(k, &[a, b])| {
            let ((pose_a, a), (pose_b, b)) = (&first[a], &second[b]);
            ask(k, [pose_a, pose_b], [a, b])
        });
    }

    /// Nanoseconds per pair.
    fn least<const N: usize>(&self, rounds: usize, works: [&mut dyn FnMut(); N]) -> [f64; N] {
        least_in_turn(rounds, works).map(|time| time * 1e9 / self.pairs.len() as f64)
    }

    fn distances(&self, name: &str, rounds: usize) {
        let mut warm = vec![WarmStart::default(); self.pairs.len()];
        let mut ours = vec![0.0; self.pairs.len()];
        self.each(|k, a, b| ours[k] = a.closest_points_from(b, &mut warm[k]).distance);
        let mut differ: f64 = 0.0;
        self.each_of_parry(|k, [pose_a, pose_b], [a, b]| {
            let theirs = query::distance(pose_a, a, pose_b, b).map_or(f64::NAN, |found| found.distance.into());
            differ = differ.max((ours[k] - theirs).abs());
        });
        let [cold, warm, parry, points] = self.least(
            rounds,
            [
                &mut || self.each(|_, a, b| a.closest_points(b)),
                &mut || self.each(|k, a, b| a.closest_points_from(b, &mut warm[k])),
                &mut || self.each_of_parry(|_, [pose_a, pose_b], [a, b]| query::distance(pose_a, a, pose_b, b)),
                &mut || {
                    self.each_of_parry(|_, [pose_a, pose_b], [a, b]| {
                        query::closest_points(pose_a, a, pose_b, b, f32::MAX)
                    })
                },
            ],
        );
        println!(
            "{:<9} {name:<12} {cold:>8.1} {warm:>8.1} {parry:>8.1} {points:>8.1} {:>7.2} {:>7.2} {differ:>9.1e}",
            self.name,
            parry / cold,
            parry / warm,
        );
    }

    fn depths(&self, rounds: usize) {
        let mut warm = vec![WarmStart::default(); self.pairs.len()];
        self.each(|k, a, b| a.penetration_from(b, &mut warm[k]));
        let mut differ: f64 = 0.0;
        self.each_of_parry(|k, [pose_a, pose_b], [a, b]| {
            let [of_a, of_b] = self.pairs[k];
            let ours = self.ours[0][of_a].penetration(&self.ours[1][of_b]);
            let theirs = query::contact(pose_a, a, pose_b, b, 0.0);
            if let (Ok(Some(ours)), Ok(Some(theirs))) = (ours, theirs) {
                differ = differ.max(ours.depth + f64::from(theirs.dist));
            }
        });
        let [cold, warm, parry] = self.least(
            rounds,
            [
                &mut || self.each(|_, a, b| a.penetration(b)),
                &mut || self.each(|k, a, b| a.penetration_from(b, &mut warm[k])),
                &mut || self.each_of_parry(|_, [pose_a, pose_b], [a, b]| query::contact(pose_a, a, pose_b, b, 0.0)),
            ],
        );
        println!(
            "{:<9} {:<12} {cold:>8.1} {warm:>8.1} {parry:>8.1} {:>8} {:>7.2} {:>7.2} {differ:>9.1e}",
            self.name,
            "depth",
            "",
            parry / cold,
            parry / warm,
        );
    }
}

/// A random direction.
fn direction(random: &mut SplitMix) -> DVec3 {
    loop {
        let point = 2.0 * DVec3::from([0; 3].map(|_| random.unit())) - 1.0;
        if (0.01..=1.0).contains(&point.length_squared()) {
            return point.normalize();
        }
    }
}
