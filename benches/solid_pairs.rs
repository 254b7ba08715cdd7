//! The cost of convex hulls, and of deciding if two share a point: ours without rounding, parry's
//! in `f32`.
//!
//! ```text
//! RAYON_NUM_THREADS=1 cargo bench --bench solid_pairs -- [--count N]
//! ```
//!
//! The first table has nanoseconds per point for making solids; the second nanoseconds per pair,
//! the minimum of several rounds, and the share of pairs that collide. Both libraries use the same
//! points without moving them.
mod common {
    pub mod arguments;
    pub mod clock;
    pub mod each;
    pub mod parry;
}

use obbligato::glam::Vec3;
use obbligato::shape::Solid;
use obbligato_support::count::parse_count;
use obbligato_support::split_mix::SplitMix;
use parry3d::math::{Pose, Vector};
use parry3d::query::intersection_test;
use parry3d::shape::ConvexPolyhedron;

use common::{arguments, clock::least, each::each, parry::vector};

fn main() -> Result<(), String> {
    let (pairs, rounds, timed) = arguments::read(|arguments| {
        let count = arguments.value("--count", parse_count)?;
        Ok(match arguments.timed {
            true => (count.unwrap_or(5_000), 10, true),
            false => (50, 1, false),
        })
    })?;
    println!("{:<22} {:>10} {:>10}", "ns/point", "obbligato", "parry");
    for points in [8, 64, 1_000, 20_000] {
        hulls(points, rounds, timed);
    }
    println!(
        "\n{:<22} {:>10} {:>10} {:>10} {:>9}",
        "ns/pair", "obbligato", "parry", "differ", "collide"
    );
    for points in [8, 16, 32, 64, 256] {
        row(&format!("{points} points"), &clouds(pairs, points), rounds);
    }
    row("cubes that touch", &cubes(pairs), rounds);
    Ok(())
}

/// Points in a sphere of radius 1 about a center.
fn cloud(random: &mut SplitMix, points: usize, center: Vec3) -> Vec<Vec3> {
    let mut unit = || (2.0 * random.unit() - 1.0) as f32;
    let all = std::iter::repeat_with(|| Vec3::new(unit(), unit(), unit()));
    let inside = all.filter(|point| point.length_squared() <= 1.0);
    inside.take(points).map(|point| point + center).collect()
}

fn hulls(points: usize, rounds: usize, timed: bool) {
    let points = if timed { points } else { points.min(100) };
    let mut random = SplitMix(1);
    let lists: Vec<Vec<Vec3>> = (0..(40_000 / points).max(1))
        .map(|_| cloud(&mut random, points, Vec3::ZERO))
        .collect();
    let others: Vec<Vec<Vector>> = lists
        .iter()
        .map(|list| list.iter().copied().map(vector).collect())
        .collect();
    let all = (lists.len() * points) as f64;
    let rounds = rounds.min(3);
    let (ours, ()) = least(rounds, || each(&lists, |list| Solid::from_points(list)));
    let (parry, ()) = least(rounds, || {
        each(&others, |list| ConvexPolyhedron::from_convex_hull(list))
    });
    let [ours, parry] = [ours, parry].map(|time| 1e9 * time / all);
    println!("{points:<22} {ours:>10.1} {parry:>10.1}");
}

/// Pairs whose bounds overlap; about half of them collide.
fn clouds(pairs: usize, points: usize) -> Vec<[Vec<Vec3>; 2]> {
    let mut random = SplitMix(points as u64);
    let all = std::iter::repeat_with(|| {
        let way = cloud(&mut random, 1, Vec3::ZERO)[0].normalize();
        let far = 1.0 + random.unit() as f32;
        [Vec3::ZERO, way * far].map(|center| cloud(&mut random, points, center))
    });
    let near = all.filter(|two| {
        let [a, b] = two
            .each_ref()
            .map(|points| Solid::from_points(points).map(|solid| solid.bounds()));
        matches!((a, b), (Ok(a), Ok(b)) if a.overlaps(&b))
    });
    near.take(pairs).collect()
}

/// Cubes with integer corners that share a face, an edge or a corner.
fn cubes(pairs: usize) -> Vec<[Vec<Vec3>; 2]> {
    let at = |center: Vec3| -> Vec<Vec3> {
        let corner = |k: u32| center + Vec3::from([0, 1, 2].map(|axis| (k >> axis & 1) as f32));
        (0..8).map(corner).collect()
    };
    let ways = [Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::ONE, Vec3::new(1.0, 0.5, 0.25)];
    let pair = |k: usize| [at(Vec3::splat(k as f32)), at(Vec3::splat(k as f32) + ways[k % 4])];
    (0..pairs).map(pair).collect()
}

fn row(name: &str, pairs: &[[Vec<Vec3>; 2]], rounds: usize) {
    let ours: Vec<[Solid; 2]> = pairs
        .iter()
        .map(|pair| {
            pair.each_ref()
                .map(|points| Solid::from_points(points).expect("valid points"))
        })
        .collect();
    let parry: Vec<[ConvexPolyhedron; 2]> = pairs
        .iter()
        .map(|pair| {
            pair.each_ref().map(|points| {
                let points: Vec<Vector> = points.iter().copied().map(vector).collect();
                ConvexPolyhedron::from_convex_hull(&points).expect("points that span space")
            })
        })
        .collect();
    let at = Pose::IDENTITY;
    let asked =
        |[a, b]: &[ConvexPolyhedron; 2]| intersection_test(&at, a, &at, b).expect("shapes it knows").intersecting;
    let collide = ours.iter().filter(|[a, b]| a.contact(b).collides()).count();
    let differ = ours.iter().zip(&parry);
    let differ = differ
        .filter(|([a, b], other)| a.contact(b).collides() != asked(other))
        .count();
    let count = pairs.len() as f64;
    let (own, ()) = least(rounds, || each(&ours, |[a, b]| a.contact(b)));
    let (other, ()) = least(rounds, || each(&parry, asked));
    let [own, other] = [own, other].map(|time| 1e9 * time / count);
    println!(
        "{name:<22} {own:>10.0} {other:>10.0} {differ:>10} {:>8.0}%",
        100.0 * collide as f64 / count
    );
}
