//! Volume trees over two meshes in several poses: the number of pairs of volumes that each tests,
//! the number of pairs of triangles that it leaves, and its time. One thread.
//!
//! ```text
//! cargo bench --bench volumes -- [--count N]
//! ```
//!
//! "turned" trees are built once, and only the motion between them changes: spheres, oriented
//! boxes, and axis-aligned boxes in the body's frame. "refitted" is a tree of boxes along the axes
//! of the first body, whose volumes are recomputed around the current positions of the second
//! body's triangles; "build" is then the time of that. Times are the minimum of several rounds, in
//! milliseconds.
mod common {
    pub mod arguments;
    pub mod clock;
    pub mod threads;
}

use obbligato::glam::{Quat, Vec3};
use obbligato::shape::Triangle;
use obbligato::{
    shape::Pose,
    tree::{AabbTree, AlignedBox, Ball, OrientedBox, Volume, VolumeTree},
};
use obbligato_support::count::parse_count;

use common::{arguments, clock::least, threads::use_threads};

/// A point of a surface, given two parameters from 0 to 1.
type Surface = fn(f32, f32) -> Vec3;

fn sphere(u: f32, v: f32) -> Vec3 {
    let (around, up) = (std::f32::consts::TAU * u, std::f32::consts::PI * v);
    Vec3::new(up.sin() * around.cos(), up.sin() * around.sin(), up.cos())
}

/// A bumpy sphere.
fn bumpy(u: f32, v: f32) -> Vec3 {
    let point = sphere(u, v);
    point * (1.0 + 0.05 * (20.0 * point.x).sin() * (17.0 * point.y).sin() * (23.0 * point.z).sin())
}

/// A slightly smaller sphere.
fn inner(u: f32, v: f32) -> Vec3 {
    0.99 * sphere(u, v)
}

/// A pipe bent to a helix: long, thin and nowhere parallel to an axis.
fn helix(u: f32, v: f32) -> Vec3 {
    let turn = 4.0 * std::f32::consts::TAU * u;
    let (along, ring) = (
        Vec3::new(turn.cos(), turn.sin(), 0.15 * turn),
        std::f32::consts::TAU * v,
    );
    along + 0.05 * (ring.cos() * Vec3::new(turn.cos(), turn.sin(), 0.0) + ring.sin() * Vec3::Z)
}

fn mesh(surface: Surface, count: usize) -> Vec<Triangle> {
    let side = ((count / 2) as f32).sqrt().ceil().max(2.0) as usize;
    let at = |i: usize, j: usize| surface(i as f32 / side as f32, j as f32 / side as f32);
    let mut triangles = Vec::new();
    for (i, j) in (0..side).flat_map(|i| (0..side).map(move |j| (i, j))) {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)];
        triangles.extend([Triangle::new(a, b, c), Triangle::new(b, d, c)]);
    }
    triangles
}

/// Prints a row, given the times in seconds.
fn row(what: &str, build: f64, tests: u64, time: f64, pairs: usize) {
    let [build, time] = [build, time].map(|time| 1e3 * time);
    println!("  {what:<22} {build:>9.2} {tests:>12} {time:>10.3} {pairs:>10}");
}

/// Trees that are built once.
fn turned<V: Volume>(what: &str, meshes: [&[Triangle]; 2], poses: [Pose; 2], rounds: usize) -> obbligato::Result<()> {
    let (build, tree) = least(rounds.min(2), || VolumeTree::<V>::new(meshes[1]));
    let trees = [VolumeTree::<V>::new(meshes[0])?, tree?];
    let [a, b] = [trees[0].at(poses[0]), trees[1].at(poses[1])];
    let (time, pairs) = least(rounds, || a.pairs(&b));
    let tests = a.pairs_within(&b, u64::MAX)?.tests;
    row(what, build, tests, time, pairs?.len());
    Ok(())
}

/// A tree of boxes in the frame of the first body, recomputed around the second one.
fn refitted(meshes: [&[Triangle]; 2], poses: [Pose; 2], rounds: usize) -> obbligato::Result<()> {
    let [a, b] = poses;
    let back = a.rotation.inverse();
    let place = |point: Vec3| back * (b.rotation * point + b.translation - a.translation);
    let moved: Vec<Triangle> = meshes[1]
        .iter()
        .map(|triangle| Triangle {
            corners: triangle.corners.map(place),
        })
        .collect();
    let (first, mut second) = (AabbTree::new(meshes[0])?, AabbTree::new(meshes[1])?);
    let (build, refitted) = least(rounds, || second.refit(&moved));
    refitted?;
    let [here, there] = [first.at(Pose::IDENTITY), second.at(Pose::IDENTITY)];
    let (time, pairs) = least(rounds, || here.pairs(&there));
    let tests = here.pairs_within(&there, u64::MAX)?.tests;
    row("aligned, refitted", build, tests, time, pairs?.len());
    Ok(())
}

fn main() -> Result<(), String> {
    let (count, rounds) = arguments::read(|arguments| {
        let count = arguments.value("--count", parse_count)?;
        Ok(match arguments.timed {
            true => (count.unwrap_or(100_000), 5),
            false => (count.unwrap_or(200), 1),
        })
    })?;
    use_threads(1)?;
    let turn = |angle: f32| Quat::from_axis_angle(Vec3::new(0.3, 0.5, 0.8).normalize(), angle);
    let scenes: [(&str, Surface, Surface, Vec3); 6] = [
        ("bumpy balls, apart", bumpy, bumpy, Vec3::new(2.4, 0.0, 0.0)),
        ("bumpy balls, nearly touching", bumpy, bumpy, Vec3::new(2.05, 0.0, 0.0)),
        (
            "bumpy balls, half in each other",
            bumpy,
            bumpy,
            Vec3::new(1.0, 0.2, 0.1),
        ),
        ("a ball in a shell, 1% apart", sphere, inner, Vec3::ZERO),
        ("helices, apart", helix, helix, Vec3::new(0.0, 0.0, 0.47)),
        ("helices, crossing", helix, helix, Vec3::new(1.0, 0.5, 0.3)),
    ];
    println!("two meshes of about {count} triangles, one thread");
    for (name, first, second, way) in scenes {
        let is_helix = name.starts_with("helices, apart");
        let poses = [
            Pose::new(Vec3::new(5.0, -3.0, 2.0), turn(1.0)),
            Pose::new(
                Vec3::new(5.0, -3.0, 2.0) + turn(1.0) * way,
                turn(if is_helix { 1.0 } else { 2.2 }),
            ),
        ];
        let meshes = [mesh(first, count), mesh(second, count)];
        let meshes = [&meshes[0][..], &meshes[1][..]];
        println!("{name}");
        println!(
            "  {:<22} {:>9} {:>12} {:>10} {:>10}",
            "", "build", "tests", "walk", "pairs"
        );
        let all = turned::<Ball>("balls, turned", meshes, poses, rounds)
            .and_then(|()| turned::<OrientedBox>("oriented, turned", meshes, poses, rounds))
            .and_then(|()| turned::<AlignedBox>("aligned, turned", meshes, poses, rounds))
            .and_then(|()| refitted(meshes, poses, rounds));
        all.map_err(|error| error.to_string())?;
    }
    Ok(())
}
