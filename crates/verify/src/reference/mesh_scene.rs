//! Two meshes: all pairs of their triangles, and all pairs of the convex pieces of their solids, as
//! linear programs in integer arithmetic. There is no tree, no plane of a triangle, no sample point
//! but the corners.

use glam::Vec3;

use crate::reference::mesh::point_in_mesh;
use crate::reference::solid_lengths::solids_distance;
use crate::reference::solids::solids_contact;
use crate::reference::triangles::triangles_meet;
use obbligato::{contact::Contact, mesh::MeshRelation, region::PointState, shape::Triangle};

/// A solid that is known in two ways: by its surface, and by convex pieces that fill it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PieceSolid {
    /// Its surface, a closed mesh.
    pub triangles: Vec<Triangle>,
    /// The corners of convex pieces without common inner points, whose union it is.
    pub pieces: Vec<Vec<Vec3>>,
}

/// Returns the position of two solids relative to each other, exactly; `None` if they share no
/// point. O(n m) for triangles and pieces.
///
/// Solids whose surfaces share a point overlap if two pieces share an inner point, and touch
/// otherwise. If the surfaces share none, all corners are located in the other surface.
///
/// ```
/// use obbligato::glam::Vec3;
/// use obbligato::mesh::MeshRelation;
/// use obbligato::shape::Triangle;
/// use obbligato_verify::reference::{PieceSolid, mesh_relation};
/// let wedge = |x: f32| {
///     let [a, b, c, d] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|corner| corner + x * Vec3::X);
///     let triangles = [[a, c, b], [a, b, d], [a, d, c], [b, c, d]].map(|corners| Triangle { corners });
///     PieceSolid { triangles: triangles.to_vec(), pieces: vec![vec![a, b, c, d]] }
/// };
/// let relation = |x| mesh_relation(&wedge(0.0), &wedge(x));
/// assert_eq!([0.5, 1.0, 1.5].map(relation), [Some(MeshRelation::Overlap), Some(MeshRelation::Touch), None]);
/// ```
pub fn mesh_relation(a: &PieceSolid, b: &PieceSolid) -> Option<MeshRelation> {
    if surfaces_meet(&a.triangles, &b.triangles) {
        return Some(match pieces_overlap(a, b) {
            true => MeshRelation::Overlap,
            false => MeshRelation::Touch,
        });
    }
    for (outer, inner, contains) in [(a, b, MeshRelation::AContainsB), (b, a, MeshRelation::BContainsA)] {
        match (corners_inside(inner, outer), 3 * inner.triangles.len()) {
            (0, _) => {}
            (inside, all) if inside == all => return Some(contains),
            _ => return Some(MeshRelation::Overlap),
        }
    }
    None
}

/// Returns the distance of two surfaces, 0 if they share a point, or infinity if one has no
/// triangles. It is rounded once. O(n m).
pub fn mesh_distance(a: &[Triangle], b: &[Triangle]) -> f64 {
    let mut least = f64::INFINITY;
    for one in a {
        for other in b {
            if gap(one, other) < least {
                least = least.min(solids_distance(&one.corners, &other.corners));
            }
        }
    }
    least
}

fn surfaces_meet(a: &[Triangle], b: &[Triangle]) -> bool {
    let meets = |one: &Triangle, other: &Triangle| gap(one, other) == 0.0 && triangles_meet(one, other);
    a.iter().any(|one| b.iter().any(|other| meets(one, other)))
}

fn pieces_overlap(a: &PieceSolid, b: &PieceSolid) -> bool {
    let overlaps = |one: &[Vec3], other: &[Vec3]| solids_contact(one, other) == Contact::Overlapping;
    a.pieces
        .iter()
        .any(|one| b.pieces.iter().any(|other| overlaps(one, other)))
}

/// Returns the number of corners of triangles of one solid that are inside another.
fn corners_inside(inner: &PieceSolid, outer: &PieceSolid) -> usize {
    let corners = inner.triangles.iter().flat_map(|triangle| triangle.corners);
    let states = corners.map(|corner| point_in_mesh(corner, &outer.triangles));
    states.filter(|state| *state == PointState::Inside).count()
}

/// Returns a lower bound of the distance of two triangles: that of their bounds along one axis,
/// which is 0 only if these share a point along all.
fn gap(a: &Triangle, b: &Triangle) -> f64 {
    let bounds = |triangle: &Triangle| {
        let [a, b, c] = triangle.corners.map(Vec3::as_dvec3);
        [a.min(b).min(c), a.max(b).max(c)]
    };
    let ([low, high], [other_low, other_high]) = (bounds(a), bounds(b));
    // Differences of numbers of f32 in f64 are off by less than this factor.
    let apart = (other_low - high).max(low - other_high).max_element() * (1.0 - f64::EPSILON);
    apart.max(0.0)
}
