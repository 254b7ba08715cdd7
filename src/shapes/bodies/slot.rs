//! A body of any kind in the space of a box.

use bytemuck::{Pod, Zeroable, cast};
use glam::{Quat, Vec3};

use crate::shapes::bodies::set::{BodyRef, Kind};
use crate::shapes::obb::record::Obb;
use crate::shapes::round::sphere::Sphere;

/// A body of any kind in 48 bytes. A box is stored unchanged. A capsule, or a sphere as a capsule
/// of length zero, is stored as a box whose half extents are the half length, the radius, and a
/// negative number that marks the kind.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(transparent)]
pub(crate) struct Slot(Obb);

/// Marks in place of the last half extent, which is never negative in a box.
const CAPSULE: f32 = -1.0;
const BALL: f32 = -2.0;

impl Slot {
    /// Returns the box itself, or for other kinds a core whose first two half extents are the half
    /// length and the radius.
    pub fn record(&self) -> &Obb {
        &self.0
    }

    pub fn is_box(&self) -> bool {
        self.kind() == Kind::Box
    }

    /// Returns the body with its center at this point.
    pub fn centered_at(self, center: Vec3) -> Self {
        Self(Obb { center, ..self.0 })
    }

    /// Returns the sphere, if it is one.
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
