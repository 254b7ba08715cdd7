//! The cost of contact manifolds compared with parry's, on one thread.
//!
//! ```text
//! RAYON_NUM_THREADS=1 cargo bench --bench contacts -- [--count N]
//! ```
//!
//! Prints nanoseconds per colliding pair, for each kind of pairs: `Obb::manifold` one by one, and reduced to four
//! points; `contacts` of all pairs in a new list, and in a reused list; and parry's manifold of two cuboids. Then how
//! many times as long parry takes as ours, one by one and with the reused list. The rounds alternate between all of
//! them, and the minimum of each counts.
//!
//! Parry's manifold is in `f32` and is cleared before each pair, so that it neither allocates nor reuses contacts of
//! another pair; its time includes the relative pose, as ours does. Ours includes points in the world and the exact
//! decision whether the boxes collide at all.

use std::hint::black_box;
use std::time::Instant;

use obbligato::unstable::adversarial::{self, Family};
use obbligato::{Contacts, Obb, Pair, contacts, scenes::Scene};
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::{ContactManifold, details::contact_manifold_cuboid_cuboid};
use parry3d::shape::Cuboid;

const ROUNDS: usize = 30;

fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let (mut count, mut timed) = (2_000, false);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--count" => {
                let number = arguments.next().and_then(|number| number.parse().ok());
                count = number.ok_or("--count needs a number")?;
            }
            // `cargo bench` passes this; `cargo test --benches`, which only checks that this runs, does not.
            "--bench" => timed = true,
            "--test" => timed = false,
            other => return Err(format!("unknown argument {other}")),
        }
    }
    let (count, rounds) = if timed { (count, ROUNDS) } else { (50, 1) };
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
        let near = obbligato::reference::colliding_pairs(&boxes);
        let pairs = near.iter().map(|pair| (boxes[pair.a as usize], boxes[pair.b as usize]));
        row(&format!("{scene}"), colliding(pairs, count), rounds);
    }
    Ok(())
}

/// The first `count` pairs that collide.
fn colliding(pairs: impl Iterator<Item = (Obb, Obb)>, count: usize) -> Vec<(Obb, Obb)> {
    pairs.filter(|(a, b)| a.contact(b).collides()).take(count).collect()
}

fn row(name: &str, pairs: Vec<(Obb, Obb)>, rounds: usize) {
    let (firsts, seconds): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
    let places: Vec<_> = (0..pairs.len() as u32).map(|k| Pair { a: k, b: k }).collect();
    let theirs: Vec<_> = pairs.iter().map(|(a, b)| [shape(a), shape(b)]).collect();
    let mut manifold = ContactManifold::<(), ()>::new();
    let mut kept = Contacts::default();
    let mut least = [f64::INFINITY; 5];
    for _ in 0..rounds {
        let times = [
            time(|| {
                pairs.iter().for_each(|(a, b)| {
                    black_box(a.manifold(b));
                })
            }),
            time(|| {
                pairs.iter().for_each(|(a, b)| {
                    black_box(a.manifold(b).map(|manifold| manifold.reduced()));
                })
            }),
            time(|| {
                black_box(contacts([&firsts, &seconds], &places).is_ok());
            }),
            time(|| {
                black_box(kept.update([&firsts, &seconds], &places).is_ok());
                black_box(&kept);
            }),
            time(|| {
                for [(pose_a, a), (pose_b, b)] in &theirs {
                    manifold.clear();
                    contact_manifold_cuboid_cuboid(&pose_a.inv_mul(pose_b), a, b, 0.0, &mut manifold);
                    black_box(&manifold);
                }
            }),
        ];
        for (least, time) in least.iter_mut().zip(times) {
            *least = least.min(time * 1e9 / pairs.len() as f64);
        }
    }
    let [ours, reduced, list, in_kept, parry] = least;
    println!(
        "{name:<16} {ours:8.1} {reduced:8.1} {list:8.1} {in_kept:8.1} {parry:8.1} {:8.2} {:8.2} {:7.2} {:8.2}",
        parry / ours,
        parry / in_kept,
        kept.points().len() as f64 / pairs.len() as f64,
        1e3 / in_kept
    );
}

fn time(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn shape(solid: &Obb) -> (Pose, Cuboid) {
    let rotation = Rotation::from_array(solid.rotation.normalize().to_array());
    let center = Vector::from_array(solid.center.to_array());
    let half = Vector::from_array(solid.half_extents.to_array());
    (Pose::from_parts(center, rotation), Cuboid::new(half))
}
