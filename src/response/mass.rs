//! The resistance of bodies to being moved and rotated.

use glam::{DMat3, DVec3};

use crate::shapes::bodies::core::Core;
use crate::shapes::bodies::set::BodyRef;
use crate::shapes::moving::motion::Motion;
use crate::shapes::obb::parts::rotation;

/// The resistance of a body to being moved and rotated, as inverses, so that 0 is a body that
/// nothing moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mass {
    /// The reciprocal of its mass.
    pub inverse: f64,
    /// The reciprocals of its moments of inertia about its own axes through its center: mass times
    /// length squared.
    pub inverse_inertia: DVec3,
}

impl Mass {
    /// The mass of a body that nothing moves or turns, such as a wall.
    pub const FIXED: Self = Self {
        inverse: 0.0,
        inverse_inertia: DVec3::ZERO,
    };

    /// Returns the mass of a solid body of uniform density with this mass, above 0. The moment
    /// about x of a box is `m (hy² + hz²) / 3`, that of a sphere `2 m r² / 5`; a capsule is a
    /// cylinder between two hemispheres. Nothing turns a body about an axis without extent around
    /// it, such as that of a rod of no thickness.
    ///
    /// ```
    /// use obbligato::{Obb, glam::Vec3, response::Mass};
    /// let rod = Obb::axis_aligned(Vec3::ZERO, Vec3::new(3.0, 0.0, 0.0));
    /// let mass = Mass::of(&rod, 2.0);
    /// assert_eq!((mass.inverse, mass.inverse_inertia.to_array()), (0.5, [0.0, 1.0 / 6.0, 1.0 / 6.0]));
    /// ```
    pub fn of<'a>(body: impl Into<BodyRef<'a>>, mass: f64) -> Self {
        // Three times the moments of a unit mass.
        let Core { obb, radius } = Core::from(body.into());
        let moments = match radius > 0.0 {
            true => of_capsule(obb.half_extents.z.into(), radius.into()),
            false => {
                let squares = obb.half_extents.as_dvec3().powf(2.0);
                DVec3::splat(squares.element_sum()) - squares
            }
        };
        let inverse = |moment: f64| match moment > 0.0 {
            true => 3.0 / (mass * moment),
            false => 0.0,
        };
        Self {
            inverse: 1.0 / mass,
            inverse_inertia: DVec3::new(inverse(moments.x), inverse(moments.y), inverse(moments.z)),
        }
    }

    /// Returns a mass, above 0, that nothing turns, such as that of people who stay upright.
    pub fn unturned(mass: f64) -> Self {
        Self {
            inverse: 1.0 / mass,
            inverse_inertia: DVec3::ZERO,
        }
    }
}

/// Returns three times the moments of inertia of a solid capsule of mass 1 about its own axes.
///
/// The masses of the cylinder and the two hemispheres are in the ratio of `3 h` to `2 r`. The
/// center of mass of a hemisphere is `h + 3 r / 8` from the middle, and about it the hemisphere has
/// less than half of the moment of the sphere. Together that is `2 r² / 5 + h² + 3 h r / 4`.
fn of_capsule(h: f64, r: f64) -> DVec3 {
    let (cylinder, ball) = (3.0 * h, 2.0 * r);
    let all = cylinder + ball;
    if all <= 0.0 {
        return DVec3::ZERO;
    }
    let mean = |of_cylinder: f64, of_ball: f64| 3.0 * (cylinder * of_cylinder + ball * of_ball) / all;
    let across = mean(r * r / 4.0 + h * h / 3.0, 0.4 * r * r + h * h + 0.75 * h * r);
    DVec3::new(across, across, mean(r * r / 2.0, 0.4 * r * r))
}

/// One of two bodies that meet.
#[derive(Clone, Copy, Debug)]
pub struct Partner<'a> {
    /// Its place at that moment.
    pub body: BodyRef<'a>,
    /// Its motion at that moment.
    pub motion: &'a Motion,
    /// Its mass.
    pub mass: &'a Mass,
}

impl Partner<'_> {
    /// Returns the rotation from its frame to the world.
    pub(crate) fn axes(&self) -> DMat3 {
        rotation(&Core::from(self.body).obb)
    }

    /// Returns the vector from its center to a point.
    pub(crate) fn arm(&self, point: DVec3) -> DVec3 {
        point - self.body.center().as_dvec3()
    }

    /// Returns the velocity of its point at `arm` from the center.
    pub(crate) fn velocity(&self, arm: DVec3) -> DVec3 {
        velocity_of(self.motion, arm)
    }

    /// Returns the change of its angular velocity by a torque for a unit of time, in the world.
    pub(crate) fn turned_by(&self, torque: DVec3) -> DVec3 {
        let axes = self.axes();
        axes * (self.mass.inverse_inertia * (axes.transpose() * torque))
    }
}

/// Returns the velocity of the point at `arm` from the center of a body in motion, at time 0.
pub(crate) fn velocity_of(motion: &Motion, arm: DVec3) -> DVec3 {
    motion.velocity.as_dvec3() + motion.angular_velocity.as_dvec3().cross(arm)
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::shapes::round::capsule::Capsule;
    use crate::shapes::round::sphere::Sphere;

    #[test]
    fn moments_of_round_bodies_match_sums_over_slices() {
        for (half_length, radius) in [(0.0, 0.75), (0.25, 1.0), (2.0, 0.5), (1.0, 1e-3)] {
            let (h, r) = (f64::from(half_length), f64::from(radius));
            // Disks across the axis.
            let slices = 200_000;
            let thickness = 2.0 * (h + r) / f64::from(slices);
            let (mut mass, mut along, mut across) = (0.0, 0.0, 0.0);
            for slice in 0..slices {
                let z = (f64::from(slice) + 0.5) * thickness - (h + r);
                let square = r * r - f64::max(z.abs() - h, 0.0).powi(2);
                mass += square;
                along += square * square / 2.0;
                across += square * (square / 4.0 + z * z);
            }
            let expected = DVec3::new(mass / across, mass / across, mass / along) / 3.0;
            let is_near = |found: Mass| {
                assert_eq!(found.inverse, 1.0 / 3.0);
                let error = (found.inverse_inertia - expected) / expected;
                assert!(error.abs().max_element() < 1e-6, "{found:?} {expected}");
            };
            is_near(Mass::of(
                &Capsule::new(Vec3::ONE, half_length, Quat::IDENTITY, radius),
                3.0,
            ));
            if half_length == 0.0 {
                is_near(Mass::of(&Sphere::new(Vec3::ONE, radius), 3.0));
            }
        }
        let point = Mass::of(&Sphere::new(Vec3::ONE, 0.0), 3.0);
        assert_eq!(point.inverse_inertia, DVec3::ZERO);
        let rod = Mass::of(&Capsule::new(Vec3::ONE, 3.0, Quat::IDENTITY, 0.0), 2.0);
        assert_eq!(rod.inverse_inertia.to_array(), [1.0 / 6.0, 1.0 / 6.0, 0.0]);
    }
}
