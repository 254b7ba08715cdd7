//! The independent reference: all pairs, by plain formulas, sharing no code with the backends, and exact.
//!
//! Everything here is written for being obviously right: both boxes are taken apart into their eight corners, the corners
//! are projected on an axis, and the two intervals are compared. No radius formula, no relative frame, no broad phase.
//! This is done in f64; where the answer is so close that rounding could have a say in it, the [`oracle`] decides in whole
//! numbers.
//!
//! All functions expect valid boxes (see [`Obb::problem`]); a box with a NaN in it is meaningless here.

mod distance;
#[doc(hidden)]
pub mod oracle;
mod whole;

use glam::{DMat3, DVec3};

use crate::geometry::aabb::Aabb;
use crate::geometry::pair::Pair;
use crate::narrow_phase::contact::Contact;
use crate::rules::model::{NO_OWNER, Rules};
use crate::shapes::obb::record::Obb;

pub use crate::reference::distance::{distance, pairs_within};

/// Edges whose directions have a smaller sine between them count as parallel, and their axis is left out.
///
/// Leaving an axis out can only hide a gap, never invent one; and where such an edge axis shows a gap, some face axis
/// misses showing one by less than 1.2 times the sine times the boxes' size (both centers' distance and all half extents).
/// At this value that is no more than the rounding of the projections. Raised to 1e-6 it would hide gaps of a millionth of
/// the size between nearly parallel sticks; at 0 an exactly zero cross product would be normalised to NaN.
const PARALLEL_SINE: f64 = 1e-15;

/// Gaps within this part of the boxes' size (both centers' distance and all half extents) are left to the oracle.
///
/// It covers, generously, the rounding of a projection: less than 1e-14 of the size. It also covers that the normal of two
/// edges is turned a little by the rounding of their directions, less than 4e-15 in each: by 1e-10 where their sine is at
/// least [`SMALL_SINE`]. Larger, only time is lost, since the oracle is slower.
const DOUBT: f64 = 1e-9;

/// Edges whose directions have a smaller sine between them have a normal that rounding turns too much to be trusted when
/// it shows no gap. Then the faces must show that there is none: see [`PARALLEL_SINE`].
const SMALL_SINE: f64 = 1e-4;

/// How much the squared reach of the bounding spheres is widened, so that no rounding loses a pair before its test.
const SPHERE_MARGIN: f64 = 1.0 + 1e-12;

/// Every colliding pair, sorted, each once; touching counts, and the groups of both boxes must meet.
///
/// O(n^2) pairs, of which only those with overlapping bounding spheres are looked at closely; on all cores with the
/// feature `rayon`.
pub fn colliding_pairs(boxes: &[Obb]) -> Vec<Pair> {
    contacts(boxes).into_iter().map(|(pair, _)| pair).collect()
}

/// [`colliding_pairs`], and with each pair whether it touches or overlaps.
pub fn contacts(boxes: &[Obb]) -> Vec<(Pair, Contact)> {
    let spheres: Vec<Sphere> = boxes.iter().map(Sphere::around).collect();
    gather(boxes.len(), |i| {
        (i + 1..boxes.len())
            .filter(|&j| spheres[i].reaches(&spheres[j]) && boxes[i].groups_meet(&boxes[j]))
            .map(|j| (Pair::new(i as u32, j as u32), contact(&boxes[i], &boxes[j])))
            .filter(|(_, contact)| contact.collides())
            .collect()
    })
}

/// Every pair of a box in `scene` (a) and one of `movers` (b) that collides, sorted, each once; as [`colliding_pairs`].
///
/// O(scene x movers).
pub fn pairs_against(scene: &[Obb], movers: &[Obb]) -> Vec<Pair> {
    let spheres: Vec<Sphere> = movers.iter().map(Sphere::around).collect();
    gather(scene.len(), |i| {
        let sphere = Sphere::around(&scene[i]);
        (0..movers.len())
            .filter(|&j| sphere.reaches(&spheres[j]) && collides(&scene[i], &movers[j]))
            .map(|j| Pair {
                a: i as u32,
                b: j as u32,
            })
            .collect()
    })
}

/// Every pair of `bounds` that share a point, sorted, each once. O(n^2).
pub fn overlapping_bounds(bounds: &[Aabb]) -> Vec<Pair> {
    // Along each axis the later begin is not after the earlier end.
    let meet = |a: &Aabb, b: &Aabb| (0..3).all(|axis| a.min[axis].max(b.min[axis]) <= a.max[axis].min(b.max[axis]));
    gather(bounds.len(), |i| {
        (i + 1..bounds.len())
            .filter(|&j| meet(&bounds[i], &bounds[j]))
            .map(|j| Pair::new(i as u32, j as u32))
            .collect()
    })
}

/// Every box that collides with box `index`, ascending, before and after it in the slice. O(n).
///
/// Empty if there is no such box.
pub fn partners(boxes: &[Obb], index: usize) -> Vec<u32> {
    let Some(own) = boxes.get(index) else {
        return Vec::new();
    };
    let sphere = Sphere::around(own);
    (0..boxes.len())
        .filter(|&other| other != index && sphere.reaches(&Sphere::around(&boxes[other])))
        .filter(|&other| collides(own, &boxes[other]))
        .map(|other| other as u32)
        .collect()
}

/// Whether the two boxes share a point and their groups meet.
pub fn collides(a: &Obb, b: &Obb) -> bool {
    a.groups_meet(b) && contact(a, b).collides()
}

/// Whether the rules about one set of boxes let a pair of them be reported, word by word as [`Rules`] states them; the
/// excluded pairs are left to the caller.
///
/// # Panics
/// If a list has no entry for a box of the pair.
pub fn allowed(rules: &Rules, Pair { a, b }: Pair) -> bool {
    let (a, b) = (a as usize, b as usize);
    let one_owner = |owners: &[u32]| owners[a] == owners[b] && owners[a] != NO_OWNER;
    let two_worlds = |worlds: &[u32]| worlds[a] != worlds[b];
    let both_static = |statics: &[bool]| statics[a] && statics[b];
    let none_active = |active: &[bool]| !active[a] && !active[b];
    !(rules.owners.is_some_and(one_owner)
        || rules.worlds.is_some_and(two_worlds)
        || rules.statics.is_some_and(both_static)
        || rules.active.is_some_and(none_active))
}

/// How the two boxes lie to each other, without an error. Groups play no part.
pub fn contact(a: &Obb, b: &Obb) -> Contact {
    let size = size(a, b);
    let doubt = DOUBT * size;
    let mut deepest_face = f64::NEG_INFINITY;
    let mut overlap = true;
    for Projection { gap, sine } in projections(a, b) {
        match sine {
            // However the axis came about, a gap along it is a gap.
            _ if gap > doubt => return Contact::Separated,
            None => {
                deepest_face = deepest_face.max(gap);
                overlap &= gap < -doubt;
            }
            Some(sine) if sine < SMALL_SINE => overlap &= deepest_face < -(2.0 * sine * size + doubt),
            Some(_) => overlap &= gap < -doubt,
        }
    }
    if overlap {
        Contact::Overlapping
    } else {
        oracle::contact(a, b)
    }
}

/// `|d| + |hA|_1 + |hB|_1`: no point of either box is further from the midpoint of the centers, nor any projection.
fn size(a: &Obb, b: &Obb) -> f64 {
    let extents = a.half_extents.as_dvec3() + b.half_extents.as_dvec3();
    a.center.as_dvec3().distance(b.center.as_dvec3()) + extents.element_sum()
}

/// The largest separation of two boxes over the 15 axes, in the caller's unit of length: positive = apart, negative =
/// overlapping, 0 = touching. Groups play no part.
///
/// The axes are the face normals of both boxes and the cross products of their edges, all of length 1 (Gottschalk, Lin
/// and Manocha, "OBBTree", 1996). Apart, the value is a lower bound of the distance, and equals it where a face of one box
/// or two crossing edges are closest. Overlapping, it is minus the penetration depth: the shortest shift that parts the
/// boxes.
pub fn separation(a: &Obb, b: &Obb) -> f64 {
    projections(a, b).fold(f64::NEG_INFINITY, |most, axis| most.max(axis.gap))
}

/// Two boxes seen along an axis.
struct Projection {
    /// The separation, in the caller's unit; minus infinity along the axis of parallel edges, which says nothing.
    gap: f64,
    /// Of the two edges that the axis is orthogonal to; `None` for a face's normal.
    sine: Option<f64>,
}

/// Two boxes along their axes, those of faces first.
fn projections(a: &Obb, b: &Obb) -> impl Iterator<Item = Projection> {
    // Both boxes are placed about the midpoint of their centers: far from the origin no digit is lost.
    let half_way = (b.center.as_dvec3() - a.center.as_dvec3()) / 2.0;
    let (frame_a, frame_b) = (frame(a), frame(b));
    let (corners_a, corners_b) = (corners(a, &frame_a, -half_way), corners(b, &frame_b, half_way));
    let (axes_a, axes_b) = (columns(&frame_a), columns(&frame_b));

    let gap = move |axis: DVec3| {
        let (low_a, high_a) = interval(&corners_a, axis);
        let (low_b, high_b) = interval(&corners_b, axis);
        (low_b - high_a).max(low_a - high_b)
    };
    let faces = axes_a.into_iter().chain(axes_b).map(|axis| (axis, None));
    let edges = (0..9).map(move |k| {
        let (axis, sine) = normal(axes_a[k / 3], axes_b[k % 3]);
        (axis, Some(sine))
    });
    faces.chain(edges).map(move |(axis, sine)| Projection {
        gap: match sine {
            Some(sine) if sine <= PARALLEL_SINE => f64::NEG_INFINITY,
            _ => gap(axis),
        },
        sine,
    })
}

/// The box's rotation `M(q) / |q|^2` from the stored numbers, whose products are exact in f64.
fn frame(solid: &Obb) -> DMat3 {
    let [x, y, z, w] = solid.rotation.to_array().map(f64::from);
    let length_squared = x * x + y * y + z * z + w * w;
    let x_axis = DVec3::new(
        w * w + x * x - y * y - z * z,
        2.0 * (x * y + w * z),
        2.0 * (x * z - w * y),
    );
    let y_axis = DVec3::new(
        2.0 * (x * y - w * z),
        w * w - x * x + y * y - z * z,
        2.0 * (y * z + w * x),
    );
    let z_axis = DVec3::new(
        2.0 * (x * z + w * y),
        2.0 * (y * z - w * x),
        w * w - x * x - y * y + z * z,
    );
    DMat3::from_cols(
        x_axis / length_squared,
        y_axis / length_squared,
        z_axis / length_squared,
    )
}

/// The box's own axes in the world, of length 1.
fn columns(frame: &DMat3) -> [DVec3; 3] {
    [frame.x_axis, frame.y_axis, frame.z_axis]
}

/// The eight corners of the box, as if its center were at `center`.
fn corners(solid: &Obb, frame: &DMat3, center: DVec3) -> [DVec3; 8] {
    let half_extents = solid.half_extents.as_dvec3();
    std::array::from_fn(|corner| {
        let sign = |bit: usize| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
        center + *frame * (half_extents * DVec3::new(sign(0), sign(1), sign(2)))
    })
}

/// The lowest and highest projection of the corners on `axis`.
fn interval(corners: &[DVec3; 8], axis: DVec3) -> (f64, f64) {
    corners
        .iter()
        .map(|corner| corner.dot(axis))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| {
            (low.min(at), high.max(at))
        })
}

/// The unit vector orthogonal to two unit vectors, not a number if they are parallel, and the sine of their angle.
fn normal(a: DVec3, b: DVec3) -> (DVec3, f64) {
    let normal = DVec3::new(
        determinant(a.y, a.z, b.y, b.z),
        determinant(a.z, a.x, b.z, b.x),
        determinant(a.x, a.y, b.x, b.y),
    );
    let sine = normal.length();
    (normal / sine, sine)
}

/// `a d - b c`, right to about an ulp of the result however much cancels (Kahan's formula; Jeannerod, Louvet and Muller,
/// "Further analysis of Kahan's algorithm for the accurate computation of 2 x 2 determinants", 2013).
///
/// With the plain formula the direction of the normal of two nearly parallel edges would be noise.
fn determinant(a: f64, b: f64, c: f64, d: f64) -> f64 {
    let product = b * c;
    let error = (-b).mul_add(c, product);
    a.mul_add(d, -product) + error
}

/// A ball that holds a box.
struct Sphere {
    center: DVec3,
    radius: f64,
}

impl Sphere {
    fn around(solid: &Obb) -> Self {
        Self {
            center: solid.center.as_dvec3(),
            radius: solid.half_extents.as_dvec3().length(),
        }
    }

    /// The ball that is larger by so much.
    fn widened(self, by: f64) -> Self {
        let radius = self.radius + by;
        Self { radius, ..self }
    }

    /// False only if the boxes inside are certainly apart.
    fn reaches(&self, other: &Self) -> bool {
        let reach = self.radius + other.radius;
        self.center.distance_squared(other.center) <= reach * reach * SPHERE_MARGIN
    }
}

/// The results of `f` for `0..count`, one after the other, found on all cores.
#[cfg(feature = "rayon")]
pub(crate) fn gather<T: Send>(count: usize, f: impl Fn(usize) -> Vec<T> + Sync + Send) -> Vec<T> {
    use rayon::prelude::*;
    (0..count).into_par_iter().flat_map_iter(f).collect()
}

/// The results of `f` for `0..count`, one after the other.
#[cfg(not(feature = "rayon"))]
pub(crate) fn gather<T>(count: usize, f: impl Fn(usize) -> Vec<T>) -> Vec<T> {
    (0..count).flat_map(f).collect()
}
