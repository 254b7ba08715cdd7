//! The engine's record of a box in motion: the region that the box sweeps, for the bounds and for
//! the test of pairs.
//!
//! At the fraction s of the step, from 0 to 1, the box is within `around`, moved by
//! `path s + bend s²`. The rotation is accounted for once, when the record is made: the tests see
//! boxes that only translate. The caller's own numbers decide later which of the possible pairs
//! really meet. The record may therefore cover too much, but never too little.

use bytemuck::{Pod, Zeroable};
use glam::{DMat3, DVec3, Vec3};

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::geometry::rounding::above;
use crate::shapes::moving::arc::Arc;
use crate::shapes::moving::body::{Body, MovingCore};
use crate::shapes::moving::swept_bounds::{Sweep, stored};
use crate::shapes::obb::parts::rotation;
use crate::shapes::obb::record::Obb;
use crate::shapes::rescaled::{Rescaled, Rescaling};

/// The angle in radians beyond which a box is stored in the frame of its axis of rotation.
const SPINNING: f64 = 2.0;

/// The region that a box sweeps: `struct Moving` of `shaders/shapes/moving/moving.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Moving {
    /// The box at time 0, enlarged to contain the box at any of its rotations during the step, and
    /// at any position within its uncertainty.
    pub around: Obb,
    /// `v dt`, rounded once.
    pub path: Vec3,
    /// The radius by which the box is rounded off: the body is within this distance of a box that
    /// is smaller by as much on every side. 0 for boxes, and in the host's records, because the
    /// host tests the true shapes of all pairs that the boxes leave.
    pub radius: f32,
    /// `a dt² / 2`, rounded twice on a device.
    pub bend: Vec3,
    /// 1 if the box turns, accelerates or is uncertain.
    pub curved: u32,
    /// The reach of the box from its center along the axes of the world, at any time of the step.
    pub extent: Vec3,
    /// 1 if body or motion may be invalid; 0 in the host's records.
    pub suspect: u32,
}

impl Moving {
    /// Returns the record of a valid body during a step of `dt`, rescaled.
    pub fn new(body: &Body, dt: f64, rescaling: f64) -> Self {
        let sweep = Sweep::new(body, dt);
        let outwards = |lengths: DVec3| {
            // The sum is rounded once.
            let larger = (lengths + sweep.spread) * ((1.0 + f64::EPSILON) * rescaling);
            Vec3::from_array(larger.to_array().map(above))
        };
        let mut around = *body.obb;
        let extent = sweep.arc.reaches(&DMat3::IDENTITY);
        let mut half = body.obb.half_extents.as_dvec3();
        if sweep.arc.angle() > 0.0 {
            around.rotation = stored(match sweep.arc.angle() > SPINNING {
                true => sweep.arc.frame_of_axis(),
                false => Arc::middle(body, dt),
            });
            half = sweep.arc.reaches(&rotation(&around));
        }
        // If nothing is added, nothing is rounded.
        around.half_extents = match sweep.arc.angle() > 0.0 || sweep.spread > 0.0 {
            true => outwards(half),
            false => (half * rescaling).as_vec3(),
        };
        around.center = (body.obb.center.as_dvec3() * rescaling).as_vec3();
        Self {
            around,
            path: (sweep.path * rescaling).as_vec3(),
            radius: 0.0,
            bend: (sweep.bend * rescaling).as_vec3(),
            curved: u32::from(!body.motion.is_straight()),
            extent: outwards(extent),
            suspect: 0,
        }
    }
}

/// [`records`] has already rescaled them.
impl Rescaled for Moving {
    fn rescaled(_: &[Self]) -> Result<Option<(Rescaling, Vec<Self>)>> {
        Ok(None)
    }
}

/// Returns the box around a box and all that is within `margin` of it.
pub(crate) fn widened(obb: Obb, margin: f64) -> Obb {
    if margin == 0.0 {
        return obb;
    }
    // The sum may have been rounded down.
    let wider = |half: f32| above((f64::from(half) + margin).next_up());
    Obb {
        half_extents: Vec3::from_array(obb.half_extents.to_array().map(wider)),
        ..obb
    }
}

/// Makes the records of `count` valid bodies in motion, each for the box around the body and all
/// that is within `margin` of it. A scene of tiny numbers is rescaled before anything is rounded.
pub(crate) fn records(
    count: usize,
    body: impl Fn(usize) -> MovingCore + Sync + Send,
    (dt, margin): (f64, f64),
    records: &mut Vec<Moving>,
) -> Result<()> {
    let rescaling = Rescaling::by_largest(count, |k| {
        let moving = body(k);
        let sweep = Sweep::new(&moving.body(), dt);
        let lengths = [sweep.path, sweep.bend, DVec3::splat(sweep.spread)].map(|length| length.abs().max_element());
        let at_rest = [moving.core.obb.center.abs().max_element(), moving.core.largest()];
        lengths
            .into_iter()
            .fold(f64::from(at_rest[0].max(at_rest[1])).max(margin), f64::max)
    });
    let times = rescaling.map_or(1.0, Rescaling::times);
    memory::make_scratch(records, count, "the boxes in motion")?;
    parallel::fill(records, |k| {
        let MovingCore { core, motion, .. } = body(k);
        let around = widened(core.around(), margin);
        Moving::new(&Body::new(&around, &motion), dt, times)
    });
    Ok(())
}
