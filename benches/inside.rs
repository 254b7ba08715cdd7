//! Points in a closed mesh, compared with parry's test by pseudo-normals.
//!
//! ```text
//! RAYON_NUM_THREADS=1 cargo bench --bench inside -- [--count N]
//! cargo bench --bench inside -- --verify N
//! ```
//!
//! N points (default 1M) and meshes of 125,000 triangles: a torus, one with a rough surface, and
//! 2,500 small ones with a large one around them. "box" are points spread over the bounds of the
//! mesh, "near" those within a 1,000th of its size of a triangle. Prints milliseconds to prepare
//! the mesh, and nanoseconds per point; the minimum of several rounds. parry's answers are not
//! exact and do not distinguish the surface. The last column is the number of them that differ from
//! ours, not counting the surface. In "crowd" the small meshes are holes in the large one, because
//! points with an odd number of crossings are inside: parry decides by the nearest triangle.
//!
//! `--verify` instead compares that many hard points with winding numbers in integer arithmetic.
mod common {
    pub mod arguments;
    pub mod clock;
    pub mod parry;
}

#[path = "common/meshes.rs"]
#[allow(dead_code)]
mod meshes;

use std::collections::HashMap;

use obbligato::glam::Vec3;
use obbligato::{
    region::{ClosedMesh, PointState},
    shape::Triangle,
};
use obbligato_support::count::parse_count;
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference::winding_number;
use parry3d::query::PointQuery;
use parry3d::shape::{TriMesh, TriMeshFlags};

use common::{arguments, clock::least, parry::vector};
use meshes::{hard_points, linked_tori, torus};

const ROUNDS: usize = 5;

fn main() -> Result<(), String> {
    let (count, rounds, fineness, verified) = arguments::read(|arguments| {
        let count = arguments.value("--count", parse_count)?;
        let verified = arguments.value("--verify", parse_count)?;
        Ok(match arguments.timed {
            true => (count.unwrap_or(1_000_000), ROUNDS, 250, verified),
            false => (count.unwrap_or(1_000), 1, 20, verified),
        })
    })?;
    if let Some(count) = verified {
        return verify(count);
    }
    println!("{count} points; milliseconds to prepare, nanoseconds per point");
    println!(
        "{:<8} {:>9} {:>9} {:>9} {:<5} {:>9} {:>9} {:>9}",
        "mesh", "triangles", "prepared", "parry", "", "located", "parry", "differ"
    );
    for (name, mesh) in [
        ("torus", torus(fineness, fineness, |p| p)),
        ("rough", rough(fineness)),
        ("crowd", crowd(fineness)),
    ] {
        measure(name, &mesh, count, rounds).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// A torus with a surface as rough as its triangles are wide.
fn rough(fineness: usize) -> Vec<Triangle> {
    let roughness = 10.0 / fineness as f32;
    torus(fineness, fineness, |p| {
        let hash = SplitMix(u64::from(p.x.to_bits()) << 32 | u64::from(p.y.to_bits() ^ p.z.to_bits())).unit();
        p * (1.0 + roughness * (hash as f32 - 0.5))
    })
}

/// A torus that contains small ones.
fn crowd(fineness: usize) -> Vec<Triangle> {
    let mut mesh = torus(fineness / 5, fineness / 5, |p| p);
    let mut random = SplitMix(3);
    for _ in 0..fineness * 10 {
        let angle = random.unit() as f32 * std::f32::consts::TAU;
        let aside = Vec3::from([(); 3].map(|()| random.unit() as f32 - 0.5));
        let center = Vec3::new(3.0 * angle.cos(), 3.0 * angle.sin(), 0.0) + aside;
        mesh.extend(torus(4, 6, |p| p * 0.002 + center));
    }
    mesh
}

fn measure(name: &str, mesh: &[Triangle], count: usize, rounds: usize) -> obbligato::Result<()> {
    let (prepared, ours) = least(rounds, || ClosedMesh::new(mesh));
    let ours = ours?;
    let (parry_prepared, parry) = least(1, || parry_mesh(mesh));
    let [prepared, parry_prepared] = [prepared, parry_prepared].map(|time| 1e3 * time);
    let mut random = SplitMix(5);
    let (low, high) = mesh
        .iter()
        .flat_map(|t| t.corners)
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| {
            (low.min(p), high.max(p))
        });
    let mut unit = || Vec3::from([(); 3].map(|()| random.unit() as f32));
    let spread: Vec<Vec3> = (0..count).map(|_| low + (high - low) * unit()).collect();
    let near: Vec<Vec3> = (0..count)
        .map(|k| {
            let [a, b, c] = mesh[k * 7919 % mesh.len()].corners;
            let [u, v, _] = unit().to_array();
            a + (b - a) * u * (1.0 - v) + (c - a) * u * v + (unit() - 0.5) * (high - low).max_element() * 2e-3
        })
        .collect();
    for (points, what) in [(&spread, "box"), (&near, "near")] {
        let (located, states) = least(rounds, || ours.locate_all(points));
        let states = states?;
        let (theirs, inside) = least(rounds.min(2), || -> Vec<bool> {
            let contains = |p: &Vec3| parry.contains_local_point(vector(*p));
            points.iter().map(contains).collect()
        });
        let differ = states.iter().zip(&inside).filter(|&(state, &inside)| match state {
            PointState::Surface => false,
            state => (*state == PointState::Inside) != inside,
        });
        let each = 1e9 / count as f64;
        println!(
            "{name:<8} {:>9} {prepared:>9.1} {parry_prepared:>9.1} {what:<5} {:>9.1} {:>9.1} {:>9}",
            mesh.len(),
            located * each,
            theirs * each,
            differ.count()
        );
    }
    Ok(())
}

/// The mesh with indexed corners and pseudo-normals.
fn parry_mesh(mesh: &[Triangle]) -> TriMesh {
    let (mut numbers, mut corners) = (HashMap::new(), Vec::new());
    let mut number = |p: Vec3| {
        *numbers
            .entry(p.to_array().map(|x| (x + 0.0).to_bits()))
            .or_insert_with(|| {
                corners.push(vector(p));
                corners.len() as u32 - 1
            })
    };
    let triangles = mesh.iter().map(|t| t.corners.map(&mut number)).collect();
    TriMesh::with_flags(corners, triangles, TriMeshFlags::ORIENTED).expect("triangles")
}

/// Compares points, many of which are on corners, edges and triangles or in line with them, with
/// the reference.
fn verify(count: usize) -> Result<(), String> {
    let mesh = linked_tori();
    let closed = ClosedMesh::new(&mesh).map_err(|error| error.to_string())?;
    let points = hard_points(&mesh, count, &mut SplitMix(31));
    let states = closed.locate_all(&points).map_err(|error| error.to_string())?;
    let mut counts = HashMap::new();
    for (point, state) in points.iter().zip(states) {
        let expected = match winding_number(*point, &mesh) {
            None => PointState::Surface,
            Some(turns) if turns % 2 == 0 => PointState::Outside,
            Some(_) => PointState::Inside,
        };
        if state != expected {
            return Err(format!(
                "{point:?} is {state:?}, and {expected:?} by its winding number"
            ));
        }
        *counts.entry(format!("{state:?}")).or_insert(0) += 1;
    }
    println!("{count} points, no difference: {counts:?}");
    Ok(())
}
