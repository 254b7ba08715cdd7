//! Exact test of whether a triangle and a box, a capsule or a sphere share a point.
//!
//! As for [round bodies](super::round), each question is decided in `f64` with error bounds, or in
//! integers if these cannot decide.

mod triangle_box;
mod triangle_round;

use crate::narrow_phase::round::bodies::Core;
use crate::shapes::bodies::set::BodyRef;
use crate::shapes::triangle::record::Triangle;

impl Triangle {
    /// Returns `true` if the triangle and a body share a point: the true answer for the stored
    /// numbers; touching counts. The body is a solid, so a triangle inside it meets it. Groups are
    /// ignored.
    ///
    /// ```
    /// use obbligato::{glam::Vec3, shape::{BodyRef, Triangle}, Sphere};
    /// let floor = Triangle::new(Vec3::ZERO, Vec3::X * 9.0, Vec3::Y * 9.0);
    /// let ball = Sphere::new(Vec3::new(2.0, 2.0, 5.0), 5.0);
    /// assert!(floor.meets_body(BodyRef::Sphere(&ball)));
    /// let higher = Sphere::new(ball.center + Vec3::Z, ball.radius);
    /// assert!(!floor.meets_body(BodyRef::Sphere(&higher)));
    /// ```
    pub fn meets_body(&self, body: BodyRef<'_>) -> bool {
        match Core::from(body) {
            Core::Box(obb) => triangle_box::meet(self, obb),
            Core::Round(round) => triangle_round::meet(self, &round),
        }
    }

    /// Returns its coordinates, corner by corner.
    fn numbers(&self) -> [f32; 9] {
        bytemuck::cast(*self)
    }
}
