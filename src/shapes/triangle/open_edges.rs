//! Closedness of meshes: the number of edges with an odd number of triangles.

use glam::Vec3;

use crate::base::error::{Error, Result};
use crate::base::split_mix::mix;
use crate::base::{memory, parallel};
use crate::shapes::triangle::point::edges;
use crate::shapes::triangle::record::Triangle;
use crate::shapes::triangle::triangle_bounds_cpu::validate;

const WHAT: &str = "the edges of the mesh";

/// An edge by its ends: their bits, the smaller first, so that equal edges are equal.
type Ends = [[u32; 3]; 2];

/// Counts the edges of a mesh that have an odd number of triangles. If there are none, the mesh is
/// closed: it has an inside ([`ClosedMesh`](crate::region::ClosedMesh)).
///
/// An edge is identified by its two ends in either order. Ends are equal if their coordinates are
/// equal as numbers (0 equals -0). There is no edge from a corner to itself. A triangle with two
/// equal corners therefore has one edge twice, which changes nothing. A triangle with three corners
/// on one line counts like any other, and can close a gap where a corner of one triangle lies on
/// the edge of another.
///
/// Takes 24 bytes per triangle and, with n triangles, O(n log n) time.
///
/// # Errors
/// [`Error::InvalidTriangle`], [`Error::OutOfMemory`], or [`Error::LimitExceeded`] if there are
/// 2^32 edges or more.
///
/// ```
/// use obbligato::{glam::Vec3, shape::{open_edges, Triangle}};
/// # fn main() -> obbligato::Result<()> {
/// let [a, b, c, d] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let faces = [[a, b, c], [a, b, d], [a, c, d], [b, c, d]].map(|corners| Triangle { corners });
/// assert_eq!((open_edges(&faces)?, open_edges(&faces[1..])?), (0, 3));
/// # Ok(())
/// # }
/// ```
pub fn open_edges(triangles: &[Triangle]) -> Result<u64> {
    count_edges(triangles, |same| same.len() % 2 == 1)
}

/// Counts the edges of a mesh that triangles, in the order of their corners, do not traverse
/// equally often in both directions: edges between inconsistently oriented triangles, and open
/// ones. Otherwise like [`open_edges`].
pub(crate) fn unlike_edges(triangles: &[Triangle]) -> Result<u64> {
    count_edges(triangles, |same| {
        let forward = same.iter().filter(|(_, is_forward)| *is_forward).count();
        2 * forward != same.len()
    })
}

/// An edge, and `true` if a triangle traverses it from its first end to the second.
type Passed = (Ends, bool);

/// Counts the edges for which `is_counted` accepts all traversals.
fn count_edges(triangles: &[Triangle], is_counted: impl Fn(&[Passed]) -> bool) -> Result<u64> {
    validate(triangles)?;
    let count = triangles.len().saturating_mul(3);
    if u32::try_from(count).is_err() {
        return Err(Error::LimitExceeded {
            what: "the list of edges".to_owned(),
            needed: count as u64,
            available: u32::MAX.into(),
            hint: "divide the mesh into closed parts",
        });
    }
    let ends_of = |edge: u32| ends(edges(&triangles[edge as usize / 3])[edge as usize % 3]);
    // Half a hash brings equal edges together; other edges with the same half are separated below.
    let mut keys = parallel::collect(count, WHAT, |edge| {
        u64::from(hash(&ends_of(edge as u32).0)) << 32 | edge as u64
    })?;
    parallel::sort(&mut keys);
    let (mut counted, mut alike) = (0, Vec::new());
    for group in keys.chunk_by(|a, b| a >> 32 == b >> 32) {
        alike.clear();
        memory::reserve(&mut alike, group.len(), WHAT)?;
        alike.extend(group.iter().map(|&key| ends_of(key as u32)));
        alike.retain(|(ends, _): &Passed| ends[0] != ends[1]);
        alike.sort_unstable();
        let groups = alike.chunk_by(|(a, _), (b, _)| a == b);
        counted += groups.filter(|same| is_counted(same)).count() as u64;
    }
    Ok(counted)
}

fn ends([from, to]: [Vec3; 2]) -> Passed {
    // Adding 0 turns -0 into 0.
    let ends = [from, to].map(|end| (end + Vec3::ZERO).to_array().map(f32::to_bits));
    match ends {
        [from, to] if to < from => ([to, from], false),
        ends => (ends, true),
    }
}

fn hash(ends: &Ends) -> u32 {
    let words = ends.as_flattened().chunks(2);
    let mixed = words.fold(0, |hash, pair| {
        mix(hash ^ (u64::from(pair[0]) << 32 | u64::from(pair[1]))).wrapping_add(0x9E37_79B9_7F4A_7C15)
    });
    (mixed >> 32) as u32
}
