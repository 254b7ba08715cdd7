//! Points that are inside two meshes if some are.

use glam::Vec3;

use crate::regions::closed_mesh::ClosedMesh;
use crate::regions::closed_mesh::state::PointState;
use crate::shapes::triangle::record::Triangle;

/// The part of coordinates and sizes that the first points beside a triangle are away from it:
/// about a unit in the last place.
const LEAST: f64 = 1.5 / (1u32 << 24) as f64;

/// The factor from one distance to the next, and the number of distances: up to half of the size.
const STEP: f64 = 4.0;
const STEPS: i32 = 12;

/// Returns `true` if a point is inside a mesh, and not on its surface.
pub(super) fn is_inside(mesh: &ClosedMesh, point: Vec3) -> bool {
    mesh.locate(point) == PointState::Inside
}

/// Returns `true` if a corner of a triangle is inside a mesh.
pub(super) fn has_corner_in(triangle: &Triangle, mesh: &ClosedMesh) -> bool {
    triangle.corners.iter().any(|corner| is_inside(mesh, *corner))
}

/// Returns `true` if the middle of a triangle is inside a mesh. As it is rounded, and may be on the
/// surface, points on both sides of it are located, further away than the rounding.
pub(super) fn has_middle_in(triangle: &Triangle, mesh: &ClosedMesh) -> bool {
    let mut points = beside(triangle).skip(2);
    let both = [points.next(), points.next()];
    both.into_iter()
        .all(|point| point.is_some_and(|point| is_inside(mesh, point)))
}

/// Returns points on both sides of the middle of a triangle, the nearest first.
///
/// Where solids overlap whose surfaces do not cross, all of the border of what they share is on
/// both surfaces, or on one of them and inside the other solid.
pub(super) fn beside(triangle: &Triangle) -> impl Iterator<Item = Vec3> + use<> {
    let [a, b, c] = triangle.corners.map(Vec3::as_dvec3);
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let middle = (a + b + c) / 3.0;
    let size = (b - a).length().max((c - a).length());
    let least = LEAST * (middle.abs().max_element() + size);
    let ways = (0..STEPS).map(move |k| least * STEP.powi(k));
    let ways = ways.take_while(move |way| *way < size);
    let points = ways.flat_map(move |way| [middle - normal * way, middle + normal * way]);
    points.map(|point| point.as_vec3())
}
