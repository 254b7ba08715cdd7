//! Boxes that share a point before they move.

use glam::DVec3;

use crate::narrow_phase::moving_moving::time_of_impact::{ImpactState, TimeOfImpact};
use crate::narrow_phase::obb_obb::exact::classify_unclear;
use crate::narrow_phase::obb_obb::frame::Frame;
use crate::narrow_phase::obb_obb::penetration::{Axis, across, comes_after, least_overlap, slop};
use crate::shapes::obb::record::Obb;

/// Returns the overlap of the boxes at time 0, if they share a point then.
#[inline(never)]
pub(super) fn at_start(a: &Obb, b: &Obb) -> Option<TimeOfImpact> {
    let mirrored = comes_after(a, b, b.center.as_dvec3() - a.center.as_dvec3());
    let (a, b) = if mirrored { (b, a) } else { (a, b) };
    let frame = Frame::new(a, b);
    let least = least_overlap(&frame, slop(&frame), |axes| classify_unclear(a, b, axes).collides())?;
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
        point: a.center.as_dvec3() + frame.axes * frame.shared_point(),
        is_resolved: true,
    })
}
