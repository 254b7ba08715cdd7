//! The separation of two boxes along the fifteen axes, by the projections of their corners.

use glam::{DVec3, Vec3};

use crate::reference::oracle;
use crate::reference::solid::{columns, corners, frame, normal};
use obbligato::{Obb, Obb64, contact::Contact};

/// Edges count as parallel if the sine of their angle is at most this, and their axis is skipped.
///
/// Skipping an axis can only hide a gap, never invent one. If a skipped edge axis shows a gap, some
/// face axis misses showing one by less than 1.2 times the sine times the boxes' size (the centers'
/// distance plus all half extents). At this value that is no more than the rounding of the
/// projections. At 1e-6 it would hide gaps of a millionth of the size between nearly parallel
/// sticks; at 0 a cross product of exactly zero would be normalised to NaN.
const PARALLEL_SINE: f64 = 1e-15;

/// Gaps within this fraction of the boxes' size (the centers' distance plus all half extents) are
/// left to the oracle.
///
/// It generously covers the rounding of a projection: less than 1e-14 of the size. It also covers
/// the error in the normal of two edges, whose directions are rounded by less than 4e-15 each:
/// 1e-10 if their sine is at least [`SMALL_SINE`]. A larger value only costs time because the
/// oracle is slower.
const DOUBT: f64 = 1e-9;

/// Below this sine of two edges' angle, rounding turns their normal too much to trust it when it
/// shows no gap. Then the faces must show that there is none: see [`PARALLEL_SINE`].
const SMALL_SINE: f64 = 1e-4;

/// Returns `true` if the two boxes share a point and their groups meet.
pub fn collides(a: &Obb, b: &Obb) -> bool {
    a.groups_meet(b) && contact(a, b).collides()
}

/// Classifies the contact of the two boxes exactly. Ignores groups.
pub fn contact(a: &Obb, b: &Obb) -> Contact {
    contact_apart(a, b, apart(a, b), || oracle::contact(a, b))
}

/// Classifies the contact of two boxes with centers in `f64` exactly. Ignores groups.
pub fn contact64(a: &Obb64, b: &Obb64) -> Contact {
    let [own, other] = [a, b].map(|obb| obb.centered_at(Vec3::ZERO));
    contact_apart(&own, &other, b.center - a.center, || oracle::contact64(a, b))
}

/// Classifies the contact of two boxes whose centers differ by `d`, whatever their own centers are.
/// The oracle decides whether rounding, including that of `d`, could change the result.
fn contact_apart(a: &Obb, b: &Obb, d: DVec3, oracle: impl FnOnce() -> Contact) -> Contact {
    let size = size(a, b, d);
    let doubt = DOUBT * size;
    let mut deepest_face = f64::NEG_INFINITY;
    let mut overlap = true;
    for Projection { gap, sine } in projections(a, b, d) {
        match sine {
            // A gap along any axis separates the boxes.
            _ if gap > doubt => return Contact::Separated,
            None => {
                deepest_face = deepest_face.max(gap);
                overlap &= gap < -doubt;
            }
            Some(sine) if sine < SMALL_SINE => overlap &= deepest_face < -(2.0 * sine * size + doubt),
            Some(_) => overlap &= gap < -doubt,
        }
    }
    if overlap { Contact::Overlapping } else { oracle() }
}

fn apart(a: &Obb, b: &Obb) -> DVec3 {
    b.center.as_dvec3() - a.center.as_dvec3()
}

/// Returns `|d| + |hA|_1 + |hB|_1`: no point of either box, nor any projection, is further from the
/// midpoint of the centers.
fn size(a: &Obb, b: &Obb, d: DVec3) -> f64 {
    let extents = a.half_extents.as_dvec3() + b.half_extents.as_dvec3();
    d.length() + extents.element_sum()
}

/// Returns the largest separation of two boxes over the 15 axes, in the caller's unit of length:
/// positive = apart, negative = overlapping, 0 = touching. Ignores groups.
///
/// The axes are the face normals of both boxes and the cross products of their edges, all of length
/// 1 (Gottschalk, Lin and Manocha, "OBBTree", 1996). If the boxes are apart, the value is a lower
/// bound of the distance, and equals it if a face of one box or two crossing edges are closest. If
/// they overlap, it is minus the penetration depth: the shortest shift that separates the boxes.
pub fn separation(a: &Obb, b: &Obb) -> f64 {
    separation_apart(a, b, apart(a, b))
}

/// Returns the [`separation`] of boxes with centers in `f64`.
pub(crate) fn separation64(a: &Obb64, b: &Obb64) -> f64 {
    let [own, other] = [a, b].map(|obb| obb.centered_at(Vec3::ZERO));
    separation_apart(&own, &other, b.center - a.center)
}

fn separation_apart(a: &Obb, b: &Obb, d: DVec3) -> f64 {
    projections(a, b, d).fold(f64::NEG_INFINITY, |most, axis| most.max(axis.gap))
}

/// Two boxes projected onto an axis.
struct Projection {
    /// The separation, in the caller's unit; minus infinity along the axis of parallel edges, which
    /// gives no information.
    gap: f64,
    /// The sine between the two edges that the axis is orthogonal to; `None` for a face normal.
    sine: Option<f64>,
}

/// Projects two boxes onto their axes, face axes first.
fn projections(a: &Obb, b: &Obb, d: DVec3) -> impl Iterator<Item = Projection> {
    // Place both boxes about the midpoint of their centers, so that no digits are lost far from the
    // origin.
    let half_way = d / 2.0;
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

/// Returns the lowest and highest projection of the corners on `axis`.
fn interval(corners: &[DVec3; 8], axis: DVec3) -> (f64, f64) {
    corners
        .iter()
        .map(|corner| corner.dot(axis))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| {
            (low.min(at), high.max(at))
        })
}
