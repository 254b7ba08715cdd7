//! The cost and the size of boxes and spheres around points, compared with parry's.
//!
//! ```text
//! RAYON_NUM_THREADS=1 cargo bench --bench fitting -- [--count N]
//! ```
//!
//! The first table has one cloud of N points per row (default 1M): milliseconds for
//! [`Obb::around`], along principal axes, the smallest sphere, and parry's box (along principal
//! axes) and sphere; then the volumes of the other boxes, and the radius of parry's sphere,
//! relative to those of the first. The second has 200 clouds of 40 points, and 100,000 groups of
//! the corners of a box: microseconds per group.
mod common {
    pub mod arguments;
    pub mod clock;
    pub mod clouds;
    pub mod each;
    pub mod parry;
}

use obbligato::glam::Vec3;
use obbligato::{Obb, Sphere, shape::Aabb};
use obbligato_support::count::parse_count;
use parry3d::bounding_volume::details::point_cloud_bounding_sphere;
use parry3d::math::Vector;
use parry3d::utils::obb;

use common::clouds::{Kind, corners};
use common::{arguments, clock::least, each::each, parry::vector};

const ROUNDS: usize = 5;

fn main() -> Result<(), String> {
    let (count, groups, rounds) = arguments::read(|arguments| {
        let count = arguments.value("--count", parse_count)?;
        Ok(match arguments.timed {
            true => (count.unwrap_or(1_000_000), 100_000, ROUNDS),
            false => (count.unwrap_or(1_000), 100, 1),
        })
    })?;
    large(count, rounds)?;
    small(groups, rounds);
    Ok(())
}

/// The minimum of several times, in milliseconds.
fn time<T>(rounds: usize, work: impl FnMut() -> T) -> f64 {
    1e3 * least(rounds, work).0
}

fn volume(half_extents: Vec3) -> f64 {
    8.0 * half_extents.as_dvec3().element_product()
}

fn vectors(points: &[Vec3]) -> Vec<Vector> {
    points.iter().copied().map(vector).collect()
}

fn large(count: usize, rounds: usize) -> Result<(), String> {
    println!("{count} points, ms");
    println!(
        "{:<10} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}   {:>7} {:>7} {:>7} {:>7}",
        "cloud", "least", "axes", "ball", "bounds", "parry", "ball", "axes", "bounds", "parry", "ball"
    );
    for kind in Kind::ALL {
        let points = kind.cloud(count, 1);
        let theirs = vectors(&points);
        let text = |error: obbligato::Error| error.to_string();
        let least = Obb::around(&points).map_err(text)?;
        let principal = Obb::around_principal_axes(&points).map_err(text)?;
        let bounds = Aabb::around(&points).map_err(text)?;
        let ball = Sphere::around(&points).map_err(text)?;
        let half = obb(&theirs).1.half_extents;
        let times = [
            time(rounds, || Obb::around(&points)),
            time(rounds, || Obb::around_principal_axes(&points)),
            time(rounds, || Sphere::around(&points)),
            time(rounds, || Aabb::around(&points)),
            time(rounds, || obb(&theirs)),
            time(rounds, || point_cloud_bounding_sphere(&theirs)),
        ];
        let sizes = [
            volume(principal.half_extents),
            volume(0.5 * (bounds.max - bounds.min)),
            volume(Vec3::new(half.x, half.y, half.z)),
        ];
        let sizes = sizes.map(|size| size / volume(least.half_extents));
        let radius = point_cloud_bounding_sphere(&theirs).radius / ball.radius;
        let times = times.map(|time| format!("{time:8.2}")).join(" ");
        let sizes = sizes.map(|size| format!("{size:7.3}")).join(" ");
        println!("{:<10} {times}   {sizes} {radius:7.3}", format!("{kind:?}"));
    }
    Ok(())
}

fn small(count: usize, rounds: usize) {
    println!(
        "\n{:<22} {:>9} {:>9} {:>9} {:>9}",
        "groups, us each", "least", "axes", "ball", "parry"
    );
    let clouds = (0..200)
        .map(|k| Kind::ALL[k % Kind::ALL.len()].cloud(40, k as u64))
        .collect();
    let boxes = (0..count).map(|k| corners(k as u64).1).collect();
    let groups: [(&str, Vec<Vec<Vec3>>); 2] = [("clouds of 40", clouds), ("corners of boxes", boxes)];
    for (name, groups) in groups {
        let theirs: Vec<_> = groups.iter().map(|points| vectors(points)).collect();
        let times = [
            time(rounds, || Obb::around_each(&groups)),
            time(rounds, || each(&groups, |points| Obb::around_principal_axes(points))),
            time(rounds, || each(&groups, |points| Sphere::around(points))),
            time(rounds, || each(&theirs, |points| obb(points))),
        ];
        let each = times
            .map(|time| format!("{:9.2}", time * 1e3 / groups.len() as f64))
            .join(" ");
        println!("{name:<22} {each}");
    }
}
