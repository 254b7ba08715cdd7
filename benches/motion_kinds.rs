//! Times of impact of two bodies in motion, for every pair of kinds: obbligato compared with parry,
//! on one thread.
//!
//! ```text
//! cargo bench --bench motion_kinds -- [--count N] [--kinds A-B] [--motion NAME]
//! ```
//!
//! Prints nanoseconds per pair of `time_of_impact` and of parry (`cast_shapes` for bodies that move
//! straight, `cast_shapes_nonlinear` for bodies that rotate), parry's time relative to ours, the
//! number of pairs that meet, and the number on which the two disagree. The bounding spheres of all
//! pairs come close along their paths, as in pairs from a broad phase. Rounds alternate between the
//! two, and the minimum of each counts, for small groups of pairs.

use std::hint::black_box;
use std::time::Instant;

use obbligato::glam::{Quat, Vec3};
use obbligato::{
    Capsule, Obb, Sphere,
    motion::{Motion, Step, time_of_impact},
    shape::BodyRef,
};
use obbligato_support::split_mix::SplitMix;
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::{NonlinearRigidMotion, ShapeCastOptions, cast_shapes, cast_shapes_nonlinear};
use parry3d::shape::{Ball, Capsule as TheirCapsule, Cuboid, Shape};

const ROUNDS: usize = 11;
const DT: f32 = 0.0625;
const KINDS: [[Kind; 2]; 8] = [
    [Kind::Box, Kind::Box],
    [Kind::Capsule, Kind::Box],
    [Kind::Ball, Kind::Box],
    [Kind::Capsule, Kind::Capsule],
    [Kind::Ball, Kind::Capsule],
    [Kind::Ball, Kind::Ball],
    [Kind::Capsule, Kind::Wall],
    [Kind::Ball, Kind::Wall],
];
const MOTIONS: [Moves; 6] = [
    Moves::new("slow", 1.5, 10.0, 0.0),
    Moves::new("fast", 4.0, 100.0, 0.0),
    Moves::new("overlapping", 0.3, 10.0, 0.0),
    Moves::new("turning", 1.5, 10.0, 10.0),
    Moves::new("tumbling", 4.0, 100.0, 60.0),
    Moves::new("turning, overlapping", 0.3, 10.0, 10.0),
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Box,
    Capsule,
    Ball,
    /// A box of 8 by 2 by 0.2 at rest.
    Wall,
}

/// The motion of bodies of 0.2 to 1: the maximum initial distance along each axis, and the speed.
#[derive(Clone, Copy)]
struct Moves {
    name: &'static str,
    apart: f32,
    speed: f32,
    turn: f32,
}

impl Moves {
    const fn new(name: &'static str, apart: f32, speed: f32, turn: f32) -> Self {
        Self {
            name,
            apart,
            speed,
            turn,
        }
    }
}

/// A body, and parry's version of it.
struct Body {
    ours: Ours,
    motion: Motion,
    pose: Pose,
    shape: Box<dyn Shape>,
    turning: NonlinearRigidMotion,
    /// The center and the radius of a bounding sphere.
    around: (Vec3, f32),
}

enum Ours {
    Box(Obb),
    Capsule(Capsule),
    Ball(Sphere),
}

impl Body {
    fn body(&self) -> BodyRef<'_> {
        match &self.ours {
            Ours::Box(obb) => obb.into(),
            Ours::Capsule(capsule) => capsule.into(),
            Ours::Ball(ball) => ball.into(),
        }
    }

    fn new(kind: Kind, center: Vec3, motion: Motion, random: &mut Random) -> Self {
        let rotation = random.rotation();
        let half = match kind {
            Kind::Wall => Vec3::new(4.0, 1.0, 0.1),
            _ => Vec3::from([0; 3].map(|_| random.within(0.1, 0.5))),
        };
        let (ours, shape, radius): (_, Box<dyn Shape>, _) = match kind {
            Kind::Box | Kind::Wall => (
                Ours::Box(Obb::new(center, half, rotation)),
                Box::new(Cuboid::new(Vector::from_array(half.to_array()))),
                half.length(),
            ),
            Kind::Capsule => (
                Ours::Capsule(Capsule::new(center, half.z, rotation, half.x)),
                Box::new(TheirCapsule::new_z(half.z, half.x)),
                half.z + half.x,
            ),
            Kind::Ball => (
                Ours::Ball(Sphere::new(center, half.x)),
                Box::new(Ball::new(half.x)),
                half.x,
            ),
        };
        let turn = Rotation::from_array(rotation.to_array());
        let [at, linear, angular] =
            [center, motion.velocity, motion.angular_velocity].map(|vector| Vector::from_array(vector.to_array()));
        let pose = Pose::from_parts(at, turn);
        Self {
            ours,
            motion,
            pose,
            shape,
            turning: NonlinearRigidMotion::new(pose, Vector::ZERO, linear, angular),
            around: (center, radius),
        }
    }
}

struct Pair([Body; 2]);

impl Pair {
    fn new(kinds: [Kind; 2], moves: Moves, random: &mut Random) -> Self {
        let at = random.vector(1.0);
        let apart = match kinds[1] {
            // Anywhere along the wall.
            Kind::Wall => Vec3::from([0; 3].map(|_| random.within(-3.0, 3.0))),
            _ => random.vector(moves.apart),
        };
        let mut body = |kind, center| {
            let motion = match kind {
                Kind::Wall => Motion::REST,
                _ => Motion::linear(random.vector(moves.speed)).turning(random.vector(moves.turn)),
            };
            Body::new(kind, center, motion, random)
        };
        Self([body(kinds[0], at), body(kinds[1], at + apart)])
    }

    /// Returns `true` if the bounding spheres come near each other.
    fn is_candidate(&self) -> bool {
        let [a, b] = &self.0;
        let (d, v) = (b.around.0 - a.around.0, b.motion.velocity - a.motion.velocity);
        let time = match v.length_squared() {
            0.0 => 0.0,
            square => (-d.dot(v) / square).clamp(0.0, DT),
        };
        (d + v * time).length() <= a.around.1 + b.around.1
    }

    fn ours(&self) -> Option<f64> {
        let [a, b] = &self.0;
        let found = time_of_impact([a.body(), b.body()], [&a.motion, &b.motion], &Step::new(DT.into()));
        black_box(&found).as_ref().map(|impact| impact.time)
    }

    fn parry(&self) -> Option<f64> {
        let [a, b] = &self.0;
        let turns = [a, b].iter().any(|body| body.motion.angular_velocity != Vec3::ZERO);
        let hit = match turns {
            true => cast_shapes_nonlinear(&a.turning, &*a.shape, &b.turning, &*b.shape, 0.0, DT, true),
            false => {
                let options = ShapeCastOptions::with_max_time_of_impact(DT);
                let [v, w] = [a, b].map(|body| Vector::from_array(body.motion.velocity.to_array()));
                cast_shapes(&a.pose, v, &*a.shape, &b.pose, w, &*b.shape, options)
            }
        };
        let hit = black_box(&hit).as_ref().ok()?.as_ref();
        hit.map(|hit| hit.time_of_impact.into())
    }
}

struct Random(SplitMix);

impl Random {
    fn within(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.0.unit() as f32
    }

    fn vector(&mut self, size: f32) -> Vec3 {
        Vec3::from([0; 3].map(|_| self.within(-size, size)))
    }

    fn rotation(&mut self) -> Quat {
        loop {
            let q = Quat::from_array([0; 4].map(|_| self.within(-1.0, 1.0)));
            if (0.01..=1.0).contains(&q.length_squared()) {
                return q.normalize();
            }
        }
    }
}

fn main() -> Result<(), String> {
    let (mut count, mut timed) = (None, false);
    let (mut kinds, mut motions) = (KINDS.to_vec(), MOTIONS.to_vec());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().unwrap_or_default();
        match argument.as_str() {
            "--count" => count = Some(value().parse().map_err(|_| "--count needs a number")?),
            "--kinds" => {
                let asked = value();
                kinds.retain(|kinds| name_of(*kinds) == asked);
            }
            "--motion" => {
                let asked = value();
                motions.retain(|moves| moves.name == asked);
            }
            // `cargo bench` passes this; `cargo test --benches`, which only checks that this runs,
            // does not.
            "--bench" => timed = true,
            "--test" => timed = false,
            other => return Err(format!("unknown argument {other}")),
        }
    }
    if kinds.is_empty() || motions.is_empty() {
        return Err("no such kinds or motion".into());
    }
    let (count, rounds) = if timed {
        (count.unwrap_or(4_000), ROUNDS)
    } else {
        (20, 1)
    };
    println!(
        "{:<16} {:<21} {:>8} {:>8} {:>6} {:>6}   only ours, only parry's",
        "kinds", "motion, ns/pair", "ours", "parry", "ratio", "meet"
    );
    for kinds in kinds {
        for &moves in &motions {
            let mut random = Random(SplitMix(1));
            let pairs = std::iter::repeat_with(|| Pair::new(kinds, moves, &mut random));
            let pairs: Vec<Pair> = pairs.filter(Pair::is_candidate).take(count).collect();
            row(&name_of(kinds), moves.name, &pairs, rounds);
        }
    }
    Ok(())
}

fn name_of([a, b]: [Kind; 2]) -> String {
    format!("{a:?}-{b:?}").to_lowercase()
}

fn row(kinds: &str, moves: &str, pairs: &[Pair], rounds: usize) {
    let mut least = [0.0; 2];
    for some in pairs.chunks(1000) {
        let mut of_some = [f64::INFINITY; 2];
        for _ in 0..rounds {
            for (least, asked) in of_some.iter_mut().zip([Pair::ours, Pair::parry]) {
                *least = least.min(time(some, asked));
            }
        }
        least[0] += of_some[0];
        least[1] += of_some[1];
    }
    let [ours, parry] = least.map(|time| time * 1e9 / pairs.len() as f64);
    let met = |pair: &Pair| (pair.ours().is_some(), pair.parry().is_some());
    let met: Vec<(bool, bool)> = pairs.iter().map(met).collect();
    let count = |wanted: &dyn Fn(&(bool, bool)) -> bool| met.iter().filter(|met| wanted(met)).count();
    println!(
        "{kinds:<16} {moves:<21} {ours:8.1} {parry:8.1} {:6.1} {:5.0}%   {} {}",
        parry / ours,
        100.0 * count(&|met| met.0) as f64 / pairs.len() as f64,
        count(&|met| met.0 && !met.1),
        count(&|met| !met.0 && met.1),
    );
}

fn time(pairs: &[Pair], impact: fn(&Pair) -> Option<f64>) -> f64 {
    let start = Instant::now();
    for pair in pairs {
        black_box(impact(pair));
    }
    start.elapsed().as_secs_f64()
}
