//! The cost of contact manifolds compared with parry's, on one thread.
//!
//! ```text
//! RAYON_NUM_THREADS=1 cargo bench --bench contacts -- [--count N]
//! ```
//!
//! Prints nanoseconds per colliding pair, for each kind of pairs: `Obb::manifold` one by one, and
//! reduced to four points; `contacts` of all pairs in a new list, and in a reused list; and parry's
//! manifold of two cuboids. The last columns are parry's time relative to ours, one by one and with
//! the reused list. The rounds alternate between all of them, and the minimum of each counts.
//!
//! Parry's manifold is in `f32` and is cleared before each pair, so that it neither allocates nor
//! reuses contacts of another pair; its time includes the relative pose, as ours does. Ours
//! includes points in the world and the exact decision if the boxes collide at all.
//!
//! The next rows are capsules and spheres, fifty times as many pairs, compared with parry's
//! manifolds of the same kinds; and the last rows those of them that are apart:
//! `BodyRef::distance`, `BodyRef::closest_points`, and parry's closest points.
mod common {
    pub mod arguments;
    pub mod cuboid;
    pub mod each;
    pub mod parry;
    pub mod turns;
}

use std::hint::black_box;

use obbligato::glam::{Quat, Vec3};
use obbligato::{
    Bodies, Capsule, Obb, Pair, Sphere,
    contact::{Contacts, contacts},
    shape::BodyRef,
};
use obbligato_support::count::parse_count;
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::adversarial::{self, Family};
use obbligato_verify::scenes::Scene;
use parry3d::math::{Pose, Rotation};
use parry3d::query::{ContactManifold, closest_points, details, details::contact_manifold_cuboid_cuboid};
use parry3d::shape::{self, Ball, Shape};

use common::{arguments, cuboid::cuboid, each::each, parry::vector, turns::least_in_turn};

const ROUNDS: usize = 30;

fn main() -> Result<(), String> {
    let (count, of_bodies, rounds) = arguments::read(|arguments| {
        let count = arguments.value("--count", parse_count)?.unwrap_or(2_000);
        Ok(match arguments.timed {
            true => (count, 50 * count / 4, ROUNDS),
            false => (50, 50, 1),
        })
    })?;
    println!(
        "{:<16} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>7} {:>8}",
        "ns/pair", "ours", "reduced", "list", "kept", "parry", "ratio", "kept", "points", "M/s"
    );
    for family in [Family::Random, Family::NearContact, Family::Aligned, Family::Contained] {
        let all = (0..).map(|index| (adversarial::family(index), adversarial::pair(index, 1)));
        let pairs = all.filter(|&(of, _)| of == family).map(|(_, pair)| pair);
        row(&format!("{family:?}"), colliding(pairs, count), rounds);
    }
    for scene in [Scene::Crowd, Scene::Bricks] {
        let boxes = scene.generate(2 * count, 1);
        let near = obbligato_verify::reference::colliding_pairs(&boxes);
        let pairs = near.iter().map(|pair| (boxes[pair.a as usize], boxes[pair.b as usize]));
        row(&format!("{scene}"), colliding(pairs, count), rounds);
    }
    let kinds: [(&str, [Kind; 2], Theirs); 5] = [
        ("balls", [Kind::Ball; 2], details::contact_manifold_ball_ball_shapes),
        (
            "capsules",
            [Kind::Capsule; 2],
            details::contact_manifold_capsule_capsule_shapes,
        ),
        ("capsule, ball", [Kind::Capsule, Kind::Ball], convex_and_ball),
        ("box, ball", [Kind::Box, Kind::Ball], convex_and_ball),
        (
            "box, capsule",
            [Kind::Box, Kind::Capsule],
            |pose, a, b, within, manifold| {
                details::contact_manifold_pfm_pfm_shapes(pose, a, b, None, None, within, manifold)
            },
        ),
    ];
    for (name, kinds, theirs) in kinds {
        bodies_row(name, &bodies(kinds, of_bodies, true), theirs, rounds);
    }
    println!(
        "{:<16} {:>8} {:>8} {:>8} {:>8}",
        "ns/pair", "distance", "points", "parry", "ratio"
    );
    for (name, kinds, _) in kinds {
        distances_row(name, &bodies(kinds, of_bodies, false), rounds);
    }
    Ok(())
}

fn convex_and_ball(pose: &Pose, a: &dyn Shape, b: &dyn Shape, within: f32, manifold: &mut ContactManifold<(), ()>) {
    details::contact_manifold_convex_ball_shapes(pose, a, b, None, None, within, manifold);
}

/// Parry's manifold of two shapes.
type Theirs = fn(&Pose, &dyn Shape, &dyn Shape, f32, &mut ContactManifold<(), ()>);

#[derive(Clone, Copy)]
enum Kind {
    Box,
    Capsule,
    Ball,
}

enum Body {
    Box(Obb),
    Capsule(Capsule),
    Ball(Sphere),
}

impl Body {
    fn random(kind: Kind, random: &mut SplitMix) -> Self {
        let mut number = |low: f64, high: f64| (low + (high - low) * random.unit()) as f32;
        let center = Vec3::from([0; 3].map(|_| number(-1.5, 1.5)));
        let turn = Quat::from_array([0; 4].map(|_| number(-1.0, 1.0))).normalize();
        match kind {
            Kind::Box => Self::Box(Obb::new(center, Vec3::from([0; 3].map(|_| number(0.2, 1.0))), turn)),
            Kind::Capsule => Self::Capsule(Capsule::new(center, number(0.2, 1.0), turn, number(0.2, 0.5))),
            Kind::Ball => Self::Ball(Sphere::new(center, number(0.2, 1.0))),
        }
    }

    fn of(&self) -> BodyRef<'_> {
        match self {
            Self::Box(obb) => obb.into(),
            Self::Capsule(capsule) => capsule.into(),
            Self::Ball(ball) => ball.into(),
        }
    }

    fn peer(&self) -> (Pose, Box<dyn Shape>) {
        match self {
            Self::Box(obb) => {
                let (pose, cuboid) = cuboid(obb);
                (pose, Box::new(cuboid))
            }
            Self::Capsule(capsule) => (
                cuboid(&Obb::new(capsule.center, Vec3::ONE, capsule.rotation)).0,
                Box::new(shape::Capsule::new_z(capsule.half_length, capsule.radius)),
            ),
            Self::Ball(ball) => (
                Pose::from_parts(vector(ball.center), Rotation::IDENTITY),
                Box::new(Ball::new(ball.radius)),
            ),
        }
    }
}

/// `count` pairs of these kinds that collide, or are apart.
fn bodies(kinds: [Kind; 2], count: usize, collide: bool) -> Vec<[Body; 2]> {
    let mut random = SplitMix(1);
    let all = std::iter::repeat_with(|| kinds.map(|kind| Body::random(kind, &mut random)));
    all.filter(|[a, b]| a.of().contact(b.of()).collides() == collide)
        .take(count)
        .collect()
}

/// The bodies of one kind.
#[derive(Default)]
struct Set {
    boxes: Vec<Obb>,
    capsules: Vec<Capsule>,
    spheres: Vec<Sphere>,
}

impl Set {
    fn of<'a>(bodies: impl Iterator<Item = &'a Body>) -> Self {
        let mut set = Self::default();
        for body in bodies {
            match body {
                Body::Box(obb) => set.boxes.push(*obb),
                Body::Capsule(capsule) => set.capsules.push(*capsule),
                Body::Ball(ball) => set.spheres.push(*ball),
            }
        }
        set
    }

    fn bodies(&self) -> Bodies<'_> {
        Bodies {
            boxes: &self.boxes,
            capsules: &self.capsules,
            spheres: &self.spheres,
        }
    }
}

fn bodies_row(name: &str, pairs: &[[Body; 2]], parry: Theirs, rounds: usize) {
    let [a, b] = [0, 1].map(|side| Set::of(pairs.iter().map(|pair| &pair[side])));
    let places: Vec<_> = (0..pairs.len() as u32).map(|k| Pair { a: k, b: k }).collect();
    let theirs: Vec<_> = pairs.iter().map(|pair| pair.each_ref().map(Body::peer)).collect();
    let mut manifold = ContactManifold::<(), ()>::new();
    let mut kept = Contacts::default();
    let least = least_in_turn(
        rounds,
        [
            &mut || each(pairs, |[a, b]| a.of().manifold(b.of())),
            &mut || {
                each(pairs, |[a, b]| {
                    a.of().manifold(b.of()).map(|manifold| manifold.reduced())
                })
            },
            &mut || _ = black_box(contacts([a.bodies(), b.bodies()], &places).is_ok()),
            &mut || {
                black_box(kept.update([a.bodies(), b.bodies()], &places).is_ok());
                black_box(&kept);
            },
            &mut || {
                for [(pose_a, a), (pose_b, b)] in &theirs {
                    manifold.clear();
                    parry(&pose_a.inv_mul(pose_b), &**a, &**b, 0.0, &mut manifold);
                    black_box(&manifold);
                }
            },
        ],
    );
    print(name, least, pairs.len(), kept.points().len());
}

fn distances_row(name: &str, pairs: &[[Body; 2]], rounds: usize) {
    let theirs: Vec<_> = pairs.iter().map(|pair| pair.each_ref().map(Body::peer)).collect();
    let ask_parry = |[(pose_a, a), (pose_b, b)]: &[(Pose, Box<dyn Shape>); 2]| {
        closest_points(pose_a, &**a, pose_b, &**b, f32::MAX).is_ok()
    };
    let least = least_in_turn(
        rounds,
        [
            &mut || each(pairs, |[a, b]| a.of().distance(b.of())),
            &mut || each(pairs, |[a, b]| a.of().closest_points(b.of())),
            &mut || each(&theirs, ask_parry),
        ],
    );
    let [distance, points, parry] = least.map(|time| time * 1e9 / pairs.len() as f64);
    println!(
        "{name:<16} {distance:8.1} {points:8.1} {parry:8.1} {:8.2}",
        parry / points
    );
}

/// The first `count` pairs that collide.
fn colliding(pairs: impl Iterator<Item = (Obb, Obb)>, count: usize) -> Vec<(Obb, Obb)> {
    pairs.filter(|(a, b)| a.contact(b).collides()).take(count).collect()
}

fn row(name: &str, pairs: Vec<(Obb, Obb)>, rounds: usize) {
    let (firsts, seconds): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
    let places: Vec<_> = (0..pairs.len() as u32).map(|k| Pair { a: k, b: k }).collect();
    let theirs: Vec<_> = pairs.iter().map(|(a, b)| [cuboid(a), cuboid(b)]).collect();
    let mut manifold = ContactManifold::<(), ()>::new();
    let mut kept = Contacts::default();
    let least = least_in_turn(
        rounds,
        [
            &mut || each(&pairs, |(a, b)| a.manifold(b)),
            &mut || each(&pairs, |(a, b)| a.manifold(b).map(|manifold| manifold.reduced())),
            &mut || _ = black_box(contacts([&firsts, &seconds], &places).is_ok()),
            &mut || {
                black_box(kept.update([&firsts, &seconds], &places).is_ok());
                black_box(&kept);
            },
            &mut || {
                for [(pose_a, a), (pose_b, b)] in &theirs {
                    manifold.clear();
                    contact_manifold_cuboid_cuboid(&pose_a.inv_mul(pose_b), a, b, 0.0, &mut manifold);
                    black_box(&manifold);
                }
            },
        ],
    );
    print(name, least, pairs.len(), kept.points().len());
}

fn print(name: &str, least: [f64; 5], pairs: usize, points: usize) {
    let [ours, reduced, list, in_kept, parry] = least.map(|time| time * 1e9 / pairs as f64);
    let points = points as f64 / pairs as f64;
    println!(
        "{name:<16} {ours:8.1} {reduced:8.1} {list:8.1} {in_kept:8.1} {parry:8.1} {:8.2} {:8.2} {points:7.2} {:8.2}",
        parry / ours,
        parry / in_kept,
        1e3 / in_kept
    );
}
