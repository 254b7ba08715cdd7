//! What a ball sweeps over on a straight way.

use glam::{DVec3, Vec3};

use crate::shapes::round::sphere::Sphere;

/// All points within `radius` of the segment between two points: what a ball sweeps over on its way from one to the other. Both may
/// be the same point.
///
/// Its numbers are finite, of 2^60 at most in magnitude, and the radius is not negative; else answers about it are arbitrary.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SweptSphere {
    /// The ends of the segment, in the world.
    pub ends: [Vec3; 2],
    /// How far it reaches around the segment, in the caller's unit.
    pub radius: f32,
}

impl SweptSphere {
    /// What is within a distance of a segment.
    pub const fn new(ends: [Vec3; 2], radius: f32) -> Self {
        Self { ends, radius }
    }
}

impl From<Sphere> for SweptSphere {
    fn from(sphere: Sphere) -> Self {
        Self::new([sphere.center; 2], sphere.radius)
    }
}

impl Sphere {
    /// A capsule that contains all that the ball sweeps over while it moves for `dt` seconds at a constant velocity: the swept solid
    /// itself if the numbers of its end are `f32`s, else one whose radius is larger by no more than the end had to be rounded by.
    ///
    /// ```
    /// use obbligato::{SweptSphere, Sphere, glam::Vec3};
    /// let ball = Sphere::new(Vec3::ZERO, 0.5);
    /// assert_eq!(ball.swept(Vec3::X, 2.0), SweptSphere::new([Vec3::ZERO, Vec3::X * 2.0], 0.5));
    /// assert!(ball.swept(Vec3::X, 0.1).radius > 0.5);
    /// ```
    pub fn swept(&self, velocity: Vec3, dt: f64) -> SweptSphere {
        let way = velocity.as_dvec3() * dt;
        let exact = self.center.as_dvec3() + way;
        let end = exact.as_vec3();
        // A product is off by half an ulp of f64, and so is the sum; where both are exact, so is the end.
        let lost = |x: f64, v: f32, c: f32| {
            let product_is_exact = f64::mul_add(f64::from(v), dt, -(f64::from(v) * dt)) == 0.0;
            let (sum, part) = (f64::from(c) + x, f64::from(c));
            let sum_is_exact = sum - part == x && sum - x == part;
            match product_is_exact && sum_is_exact {
                true => 0.0,
                false => (x.abs() + sum.abs()) * f64::EPSILON,
            }
        };
        let lost: DVec3 = DVec3::from_array(std::array::from_fn(|k| lost(way[k], velocity[k], self.center[k])));
        let off = (exact - end.as_dvec3()).abs() + lost;
        let radius = match off == DVec3::ZERO {
            true => self.radius,
            // Rounding the length and the sum takes less than the last factor and step.
            false => ((f64::from(self.radius) + off.length() * (1.0 + 1e-12)) as f32).next_up(),
        };
        SweptSphere::new([self.center, end], radius)
    }
}
