//! A body of any kind in the room of a box.

use bytemuck::{Pod, Zeroable, cast};
use glam::{Quat, Vec3};

use crate::shapes::bodies::set::{BodyRef, Kind};
use crate::shapes::obb::record::Obb;
use crate::shapes::round::sphere::Sphere;

/// A body of any kind, in 48 bytes: a box as it is; a capsule or a ball, which is a capsule of no length, as a box whose half extents are the
/// half length, the radius, and a negative number in the place of the last, which says so.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(transparent)]
pub(crate) struct Slot(Obb);

/// In the place of a half extent, which is not negative.
const CAPSULE: f32 = -1.0;
const BALL: f32 = -2.0;

impl Slot {
    /// Itself, if it is a box; otherwise a core, whose first two half extents are the half length and the radius.
    pub fn record(&self) -> &Obb {
        &self.0
    }

    pub fn is_box(&self) -> bool {
        self.kind() == Kind::Box
    }

    /// The ball that it is.
    pub fn ball(&self) -> Sphere {
        Sphere::new(self.0.center, self.0.half_extents.y)
    }

    pub fn kind(&self) -> Kind {
        match self.0.half_extents.z {
            CAPSULE => Kind::Capsule,
            BALL => Kind::Ball,
            _ => Kind::Box,
        }
    }
}

impl From<BodyRef<'_>> for Slot {
    fn from(body: BodyRef<'_>) -> Self {
        match body {
            BodyRef::Box(obb) => Self(*obb),
            BodyRef::Capsule(capsule) => {
                let mut record: Obb = cast(*capsule);
                record.half_extents.z = CAPSULE;
                Self(record)
            }
            BodyRef::Sphere(sphere) => {
                let half = Vec3::new(0.0, sphere.radius, BALL);
                Self(Obb::new(sphere.center, half, Quat::IDENTITY))
            }
        }
    }
}
