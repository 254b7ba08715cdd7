//! How boxes resist being moved and turned.

use glam::DVec3;

use crate::shapes::moving::motion::Motion;
use crate::shapes::obb::parts::rotation;
use crate::shapes::obb::record::Obb;

/// How a box resists being moved and turned, as inverses, so that 0 is a box that nothing moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mass {
    /// One over its mass.
    pub inverse: f64,
    /// One over its moments of inertia about its own axes through its center: mass times length squared.
    pub inverse_inertia: DVec3,
}

impl Mass {
    /// Nothing moves or turns it, as a wall.
    pub const FIXED: Self = Self {
        inverse: 0.0,
        inverse_inertia: DVec3::ZERO,
    };

    /// A solid box of even density with this mass, above 0: the moment about x is `m (hy² + hz²) / 3`. About an axis without extent
    /// around it, as that of a rod of no thickness, nothing turns it.
    ///
    /// ```
    /// use obbligato::{Obb, glam::Vec3, response::Mass};
    /// let rod = Obb::axis_aligned(Vec3::ZERO, Vec3::new(3.0, 0.0, 0.0));
    /// let mass = Mass::of(&rod, 2.0);
    /// assert_eq!((mass.inverse, mass.inverse_inertia.to_array()), (0.5, [0.0, 1.0 / 6.0, 1.0 / 6.0]));
    /// ```
    pub fn of(obb: &Obb, mass: f64) -> Self {
        let squares = obb.half_extents.as_dvec3().powf(2.0);
        let moments = DVec3::splat(squares.element_sum()) - squares;
        let inverse = |moment: f64| match moment > 0.0 {
            true => 3.0 / (mass * moment),
            false => 0.0,
        };
        Self {
            inverse: 1.0 / mass,
            inverse_inertia: DVec3::new(inverse(moments.x), inverse(moments.y), inverse(moments.z)),
        }
    }

    /// A mass, above 0, that nothing turns: as of people who stay upright.
    pub fn unturned(mass: f64) -> Self {
        Self {
            inverse: 1.0 / mass,
            inverse_inertia: DVec3::ZERO,
        }
    }
}

/// One of two boxes that meet.
#[derive(Clone, Copy, Debug)]
pub struct Partner<'a> {
    /// Where it is then.
    pub obb: &'a Obb,
    /// How it moves then.
    pub motion: &'a Motion,
    /// What it weighs.
    pub mass: &'a Mass,
}

impl Partner<'_> {
    /// The velocity of its point at `arm` from the center.
    pub(crate) fn velocity(&self, arm: DVec3) -> DVec3 {
        velocity_of(self.motion, arm)
    }

    /// By how much a torque for a unit of time changes its angular velocity, in the world.
    pub(crate) fn turned_by(&self, torque: DVec3) -> DVec3 {
        let axes = rotation(self.obb);
        axes * (self.mass.inverse_inertia * (axes.transpose() * torque))
    }
}

/// The velocity of the point at `arm` from the center of a box in motion, at time 0.
pub(crate) fn velocity_of(motion: &Motion, arm: DVec3) -> DVec3 {
    motion.velocity.as_dvec3() + motion.angular_velocity.as_dvec3().cross(arm)
}
