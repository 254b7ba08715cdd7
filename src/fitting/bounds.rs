//! Bounds of points, spheres and swept spheres.

use glam::Vec3;

use crate::base::error::Result;
use crate::fitting::cloud::Cloud;
use crate::geometry::aabb::Aabb;
use crate::geometry::rounding::above_difference;
use crate::shapes::round::sphere::Sphere;
use crate::shapes::round::swept_sphere::SweptSphere;

impl Aabb {
    /// Returns the smallest box around points along the axes of the world. O(n) on all cores.
    ///
    /// # Errors
    /// Those of [`Obb::around`](crate::Obb::around).
    ///
    /// ```
    /// use obbligato::{glam::Vec3, shape::Aabb};
    /// let bounds = Aabb::around(&[Vec3::X, Vec3::new(-1.0, 2.0, 3.0)])?;
    /// assert_eq!(bounds, Aabb::new(Vec3::new(-1.0, 0.0, 0.0), Vec3::new(1.0, 2.0, 3.0)));
    /// # Ok::<(), obbligato::Error>(())
    /// ```
    pub fn around(points: &[Vec3]) -> Result<Self> {
        Ok(Cloud::new(points, None)?.bounds)
    }
}

impl Sphere {
    /// Returns the smallest bounds in `f32` that contain the sphere.
    pub fn bounds(&self) -> Aabb {
        SweptSphere::from(*self).bounds()
    }
}

impl SweptSphere {
    /// Returns the smallest bounds in `f32` that contain it, whatever the direction of its segment.
    ///
    /// ```
    /// use obbligato::{glam::Vec3, shape::{Aabb, SweptSphere}};
    /// let swept = SweptSphere::new([Vec3::X, Vec3::Y], 0.5);
    /// assert_eq!(swept.bounds(), Aabb::new(Vec3::splat(-0.5), Vec3::new(1.5, 1.5, 0.5)));
    /// ```
    pub fn bounds(&self) -> Aabb {
        let (low, high) = (self.ends[0].min(self.ends[1]), self.ends[0].max(self.ends[1]));
        let min = low.to_array().map(|x| -above_difference(self.radius, x));
        let max = high.to_array().map(|x| above_difference(x, -self.radius));
        Aabb::new(Vec3::from_array(min), Vec3::from_array(max))
    }
}
