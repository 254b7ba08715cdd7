//! Boxes that share a point before they move.

use glam::DVec3;

use crate::narrow_phase::moving_moving::time_of_impact::{ImpactState, TimeOfImpact};
use crate::narrow_phase::obb_obb::exact::apart::{Apart, classify_apart};
use crate::narrow_phase::obb_obb::exact::{Tally, classify_unclear};
use crate::narrow_phase::obb_obb::frame::Frame;
use crate::narrow_phase::obb_obb::obb_sat_f64_cpu::Axes;
use crate::narrow_phase::obb_obb::penetration::{Axis, PREFERENCE, across, comes_after, least_overlap, slop};
use crate::shapes::moving::body::Body;

/// Returns `true` if boxes, or cores with these radii, are so close that most of them share a
/// point.
pub(super) fn are_close([a, b]: [&Body; 2], [r_a, r_b]: [f64; 2]) -> bool {
    let apart = a.to(b).as_vec3().length_squared();
    let largest = (a.obb.half_extents + r_a as f32).max(b.obb.half_extents + r_b as f32);
    apart < largest.length_squared()
}

/// Returns `true` if the boxes share a point at time 0, given that all axes except these have
/// f < 0.
fn collide([a, b]: [&Body; 2], axes: Axes) -> bool {
    let contact = match (a.moved, b.moved) {
        (None, None) => classify_unclear(a.obb, b.obb, axes),
        _ => {
            let apart = Apart::of_bodies(a, b);
            classify_apart([a.obb, b.obb], &apart, &mut Tally::default())
        }
    };
    contact.collides()
}

/// Returns the overlap of the boxes at time 0, if they share a point then.
#[inline(never)]
pub(super) fn at_start(a: &Body, b: &Body) -> Option<TimeOfImpact> {
    let d = a.to(b);
    let mirrored = comes_after(a.obb, b.obb, d);
    let (a, b, d) = if mirrored { (b, a, -d) } else { (a, b, d) };
    let frame = Frame::apart(a.obb, b.obb, d);
    if frame.h_b == DVec3::ZERO
        && let Some(normal) = around_point(&frame)
    {
        return Some(TimeOfImpact {
            time: 0.0,
            state: ImpactState::Start,
            normal: if mirrored { -normal } else { normal },
            point: a.start() + frame.axes * frame.t,
            is_resolved: true,
        });
    }
    let least = least_overlap(&frame, slop(&frame), |axes| collide([a, b], axes))?;
    let axis = match least.axis {
        Axis::FaceOfA(i) => DVec3::AXES[i],
        Axis::FaceOfB(j) => frame.c.col(j),
        Axis::Edges(i, j) => across(&frame, i, j).normalize(),
    };
    let normal = frame.axes * axis;
    Some(TimeOfImpact {
        time: 0.0,
        state: ImpactState::Start,
        normal: if least.positive == mirrored { -normal } else { normal },
        point: a.start() + frame.axes * frame.shared_point(),
        is_resolved: true,
    })
}

/// Returns the normal of A's nearest face, in the world, if B is a point well inside A.
///
/// [`least_overlap`] would return it too: no axis has less overlap than that face's.
fn around_point(frame: &Frame) -> Option<DVec3> {
    if (frame.h_a - frame.t.abs()).min_element() <= frame.error {
        return None;
    }
    let slop = slop(frame);
    let is_negative = frame.t.cmplt(DVec3::splat(-slop));
    let depths = frame.h_a - DVec3::select(is_negative, -frame.t, frame.t);
    let mut best = 0;
    for axis in 1..3 {
        if depths[axis] < depths[best] * (1.0 - PREFERENCE) - slop {
            best = axis;
        }
    }
    let normal = frame.axes.col(best);
    Some(if is_negative.test(best) { -normal } else { normal })
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::base::split_mix::SplitMix;
    use crate::shapes::moving::motion::Motion;
    use crate::shapes::obb::record::Obb;

    /// Points in boxes of any size, some near the middle plane, a face or an edge.
    #[test]
    fn points_in_boxes_leave_by_the_nearest_face() {
        let mut random = SplitMix(8);
        let mut compared = 0;
        for index in 0..20_000 {
            let mut vector = || DVec3::from_array([0; 3].map(|_| 2.0 * random.unit() - 1.0));
            let scale = (40.0 * vector().x).exp2();
            let turn = match index % 3 {
                0 => Quat::IDENTITY,
                _ => Quat::from_scaled_axis((3.0 * vector()).as_vec3()),
            };
            let half = (vector().abs() * scale).as_vec3();
            let center = (4.0 * vector() * scale).as_vec3();
            let part = match index % 4 {
                0 => DVec3::splat(vector().x),
                1 => vector().with_z(0.0),
                2 => vector() * DVec3::new(1.0, 1.0, 1e-4),
                _ => vector(),
            };
            let solid = Obb::new(center, half, turn);
            let inside = turn.as_dquat() * (part * half.as_dvec3());
            let point = Obb::new((center.as_dvec3() + inside).as_vec3(), Vec3::ZERO, Quat::IDENTITY);
            let frame = Frame::new(&solid, &point);
            let Some(normal) = around_point(&frame) else { continue };
            compared += 1;
            let least = least_overlap(&frame, slop(&frame), |_| true).expect("inside");
            let Axis::FaceOfA(axis) = least.axis else {
                // An axis of the point along the same face.
                let other = match least.axis {
                    Axis::FaceOfB(j) => frame.c.col(j),
                    axis => panic!("{index}: {axis:?}"),
                };
                assert!((frame.axes * other).dot(normal).abs() > 1.0 - 1e-9, "{index}");
                continue;
            };
            let sign = if least.positive { 1.0 } else { -1.0 };
            assert_eq!(normal, frame.axes.col(axis) * sign, "{index}: {solid:?} {point:?}");
            for bodies in [[&solid, &point], [&point, &solid]] {
                let [a, b] = bodies.map(|obb| Body::new(obb, &Motion::REST));
                let found = at_start(&a, &b).expect("inside");
                let towards = if bodies[0] == &solid { normal } else { -normal };
                let offset = (found.point - point.center.as_dvec3()).length();
                assert_eq!(found.normal, towards, "{index}");
                assert!(
                    offset <= 1e-6 * solid.half_extents.as_dvec3().length(),
                    "{index}: {offset}"
                );
            }
        }
        assert!(compared > 15_000, "{compared}");
    }
}
