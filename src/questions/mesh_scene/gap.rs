//! The distance of two meshes: the trees of both, the nearest nodes first, and the distances of
//! triangles in `f64`.
//!
//! Two triangles that share no point are nearest at a corner of one, or on an edge of both
//! (Ericson, "Real-Time Collision Detection", 2005, section 5.1.10).

use glam::{DVec3, Vec3};

use crate::broad_phase::volumes::boxes::OrientedBox;
use crate::broad_phase::volumes::tree::ObbTree;
use crate::geometry::pair::Pair;
use crate::questions::mesh_scene::body::{MeshInstance, Motion};

/// The part of its numbers by which a lower bound of distances is reduced: more than the rounding
/// of `f64`.
const SLACK: f64 = 1.0 / (1u64 << 40) as f64;

type Corners = [DVec3; 3];

/// Returns the distance of the surfaces of two instances and the nearest triangles, or `None` if it
/// is more than `most`. The surfaces must not meet.
pub(super) fn gap(a: &MeshInstance<'_>, b: &MeshInstance<'_>, motion: &Motion, most: f64) -> Option<(f64, Pair)> {
    let [own, others] = [a, b].map(|instance| instance.mesh.triangles());
    let [first, second] = [a, b].map(|instance| instance.mesh.tree());
    let mut best: Option<(f64, Pair)> = None;
    let mut later = vec![(0.0, [0, 0])];
    if own.is_empty() || others.is_empty() {
        return None;
    }
    while let Some((least, [node_a, node_b])) = later.pop() {
        let limit = best.map_or(most, |(distance, _)| distance);
        if least > limit {
            continue;
        }
        let (Some((volume_a, parts_a)), Some((volume_b, parts_b))) = (first.node(node_a), second.node(node_b)) else {
            continue;
        };
        let children = match (first.children(node_a), second.children(node_b)) {
            (None, None) => {
                let pair = Pair {
                    a: parts_a[0],
                    b: parts_b[0],
                };
                let one = own[pair.a as usize].corners.map(|corner| corner.as_dvec3());
                let other = motion.placed(&others[pair.b as usize]).corners;
                let distance = distance(&one, &other.map(|corner| corner.as_dvec3()));
                if distance < limit || best.is_none() && distance <= most {
                    best = Some((distance, pair));
                }
                continue;
            }
            (Some(nodes), None) => nodes.map(|node| [node, node_b]),
            (None, Some(nodes)) => nodes.map(|node| [node_a, node]),
            (Some(of_a), Some(of_b)) => match radius(volume_a) >= radius(volume_b) {
                true => of_a.map(|node| [node, node_b]),
                false => of_b.map(|node| [node_a, node]),
            },
        };
        let mut both = children.map(|nodes| (least_distance(first, second, nodes, motion), nodes));
        // The nearer one is taken first.
        both.sort_by(|one, other| other.0.total_cmp(&one.0));
        later.extend(both);
    }
    best
}

/// Returns the radius of a sphere around a box.
fn radius(volume: &OrientedBox) -> f64 {
    // The axes are rounded.
    volume.half_extents.as_dvec3().length() * (1.0 + 1e-6)
}

/// Returns a lower bound of the distances of the triangles of two nodes: how far their boxes are
/// apart along an axis of either, or along the line of their centers, whichever is most.
fn least_distance(first: &ObbTree, second: &ObbTree, [a, b]: [u32; 2], motion: &Motion) -> f64 {
    let (Some((a, _)), Some((b, _))) = (first.node(a), second.node(b)) else {
        return 0.0;
    };
    let center = motion.at(b.center.as_dvec3());
    let between = center - a.center.as_dvec3();
    let axes = |volume: &OrientedBox| {
        let axes = volume.axes.as_dmat3();
        [axes.x_axis, axes.y_axis, axes.z_axis]
    };
    let (own, others) = (axes(a), axes(b).map(|axis| motion.turned(axis)));
    let spans = |axes: [DVec3; 3], half: Vec3| {
        [
            axes[0] * f64::from(half.x),
            axes[1] * f64::from(half.y),
            axes[2] * f64::from(half.z),
        ]
    };
    let (own_spans, other_spans) = (spans(own, a.half_extents), spans(others, b.half_extents));
    let apart = |along: DVec3| {
        let reach = |spans: &[DVec3; 3]| -> f64 { spans.iter().map(|span| span.dot(along).abs()).sum() };
        (between.dot(along).abs() - reach(&own_spans) - reach(&other_spans)) / along.length()
    };
    let ways = own.into_iter().chain(others).chain([between]);
    // The line of equal centers is none, and a NaN is no maximum.
    let apart = ways.map(apart).fold(0.0, f64::max);
    // Corners are rounded to f32.
    let rounding = (center.abs().element_sum() + radius(b)) / f64::from(1u32 << 22);
    (apart - SLACK * (between.length() + radius(a) + radius(b)) - rounding).max(0.0)
}

/// Returns the distance of two triangles that share no point.
fn distance(a: &Corners, b: &Corners) -> f64 {
    let edges = |corners: &Corners| [0, 1, 2].map(|k| [corners[k], corners[(k + 1) % 3]]);
    let mut square = f64::INFINITY;
    for one in edges(a) {
        for other in edges(b) {
            square = square.min(between_segments(one, other));
        }
    }
    for (corners, other) in [(a, b), (b, a)] {
        for &corner in corners {
            square = square.min(to_inside(corner, other).unwrap_or(f64::INFINITY));
        }
    }
    square.sqrt()
}

/// Returns the squared distance of two segments.
fn between_segments([p, p_end]: [DVec3; 2], [q, q_end]: [DVec3; 2]) -> f64 {
    let (u, v) = (p_end - p, q_end - q);
    let way = p - q;
    let (uu, vv, uv) = (u.length_squared(), v.length_squared(), u.dot(v));
    let along = |point: DVec3, start: DVec3, step: DVec3, square: f64| match square > 0.0 {
        true => ((point - start).dot(step) / square).clamp(0.0, 1.0),
        false => 0.0,
    };
    let across = uu * vv - uv * uv;
    let inner = match across > 0.0 {
        true => ((uv * v.dot(way) - vv * u.dot(way)) / across).clamp(0.0, 1.0),
        false => 0.0,
    };
    // The nearest points lie inside of both, or at an end of one.
    let mut square = f64::INFINITY;
    for s in [inner, 0.0, 1.0] {
        let point = p + u * s;
        let nearest = q + v * along(point, q, v, vv);
        square = square.min(point.distance_squared(nearest));
    }
    for end in [q, q_end] {
        let nearest = p + u * along(end, p, u, uu);
        square = square.min(end.distance_squared(nearest));
    }
    square
}

/// Returns the squared distance of a point from the plane of a triangle, if the nearest point is in
/// the triangle.
fn to_inside(point: DVec3, [a, b, c]: &Corners) -> Option<f64> {
    let normal = (*b - *a).cross(*c - *a);
    let square = normal.length_squared();
    let is_above = |from: DVec3, to: DVec3| (to - from).cross(point - from).dot(normal) >= 0.0;
    let is_inside = square > 0.0 && is_above(*a, *b) && is_above(*b, *c) && is_above(*c, *a);
    is_inside.then(|| (point - *a).dot(normal).powi(2) / square)
}
