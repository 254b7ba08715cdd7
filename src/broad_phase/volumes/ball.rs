//! Spheres: the fewest numbers and the cheapest test, but loose around long or flat parts.

use glam::{DVec3, Vec3, Vec3A};

use crate::broad_phase::volumes::volume::{Between, HOLDS, Volume};
use crate::geometry::rounding::above;

/// Maximum number of points for which the center of a sphere is improved, and the number of steps:
/// around many points the improvement is small.
const FEW: usize = 64;
const STEPS: usize = 8;

/// A sphere around parts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ball {
    /// Its center, in the frame of the body.
    pub center: Vec3,
    /// Its radius, >= 0.
    pub radius: f32,
}

impl Volume for Ball {
    /// Returns an approximation of the smallest sphere: starting from the middle of the points, the
    /// center moves in steps towards the farthest point (Bădoiu and Clarkson, "Smaller Core-Sets
    /// for Balls", 2003).
    fn around(points: &[DVec3]) -> Self {
        let low = points.iter().copied().fold(points[0], DVec3::min);
        let high = points.iter().copied().fold(points[0], DVec3::max);
        let mut center = 0.5 * (low + high);
        let mut best = (farthest(points, center).1, center);
        let steps = if points.len() <= FEW { STEPS } else { 1 };
        for step in 2..2 + steps {
            let (way, _) = farthest(points, center);
            center += way / (step + 2) as f64;
            let (_, reach) = farthest(points, center);
            if reach < best.0 {
                best = (reach, center);
            }
        }
        let center = best.1.as_vec3();
        let (_, reach) = farthest(points, center.as_dvec3());
        Self {
            center,
            radius: above(reach.sqrt() * (1.0 + HOLDS)),
        }
    }

    #[inline(always)]
    fn is_apart(&self, other: &Self, between: &Between) -> bool {
        let centers = [self.center.into(), other.center.into()];
        let way = between.way(centers[0], centers[1]);
        let radii = self.radius + other.radius;
        let reach = radii + between.slack(centers, Vec3A::new(radii, 0.0, 0.0));
        way.length_squared() > reach * reach
    }

    fn size(&self) -> f32 {
        self.radius
    }

    fn holds(&self, point: DVec3) -> bool {
        (point - self.center.as_dvec3()).length() <= f64::from(self.radius)
    }
}

/// Returns the vector to the farthest point, and its squared length.
fn farthest(points: &[DVec3], center: DVec3) -> (DVec3, f64) {
    let ways = points.iter().map(|point| *point - center);
    ways.map(|way| (way, way.length_squared()))
        .fold((DVec3::ZERO, 0.0), |a, b| if b.1 > a.1 { b } else { a })
}
