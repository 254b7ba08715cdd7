//! The region that a sphere sweeps on a straight path.

use glam::{DVec3, Vec3};

use crate::shapes::round::sphere::Sphere;

/// All points within `radius` of the segment between two points: the region that a sphere sweeps on
/// its path from one to the other. The two points may be equal.
///
/// The numbers must be finite and at most 2^60 in magnitude, and the radius must not be negative;
/// otherwise answers about it are arbitrary.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SweptSphere {
    /// The ends of the segment, in the world.
    pub ends: [Vec3; 2],
    /// The radius around the segment, in the caller's unit.
    pub radius: f32,
}

impl SweptSphere {
    /// Creates the set of points within a distance of a segment.
    pub const fn new(ends: [Vec3; 2], radius: f32) -> Self {
        Self { ends, radius }
    }

    /// Creates it from the numbers of any library, as
    /// [`Obb::from_arrays`](crate::Obb::from_arrays) does.
    pub fn from_arrays(ends: [impl Into<[f32; 3]>; 2], radius: f32) -> Self {
        Self::new(ends.map(|end| Vec3::from_array(end.into())), radius)
    }

    /// Returns both ends and the radius: the arguments of [`SweptSphere::from_arrays`].
    pub fn to_arrays(&self) -> ([[f32; 3]; 2], f32) {
        (self.ends.map(|end| end.to_array()), self.radius)
    }
}

impl From<Sphere> for SweptSphere {
    fn from(sphere: Sphere) -> Self {
        Self::new([sphere.center; 2], sphere.radius)
    }
}

impl Sphere {
    /// Returns a swept sphere that contains the region that the sphere sweeps while it moves for
    /// `dt` seconds at a constant velocity. It is that region itself if the coordinates of the end
    /// are `f32`s; otherwise its radius is larger by at most the rounding of the end.
    ///
    /// ```
    /// use obbligato::{glam::Vec3, shape::SweptSphere, Sphere};
    /// let ball = Sphere::new(Vec3::ZERO, 0.5);
    /// assert_eq!(ball.swept(Vec3::X, 2.0), SweptSphere::new([Vec3::ZERO, Vec3::X * 2.0], 0.5));
    /// assert!(ball.swept(Vec3::X, 0.1).radius > 0.5);
    /// ```
    pub fn swept(&self, velocity: Vec3, dt: f64) -> SweptSphere {
        let way = velocity.as_dvec3() * dt;
        let exact = self.center.as_dvec3() + way;
        let end = exact.as_vec3();
        // A product is off by half an ulp of `f64`, and so is the sum; if both are exact, so is the
        // end.
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
            // The last factor and the last step exceed the rounding of the length and the sum.
            false => ((f64::from(self.radius) + off.length() * (1.0 + 1e-12)) as f32).next_up(),
        };
        SweptSphere::new([self.center, end], radius)
    }
}
