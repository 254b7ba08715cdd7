//! A pair of bodies in the plane: its figures, and the exact decision whether they collide.

use glam::DVec2;

use crate::narrow_phase::in_plane::figure::{Figure, Two};
use crate::shapes::bodies::set::BodyRef;

/// Two bodies in the plane.
#[derive(Clone, Copy)]
pub(crate) struct PlanePair<'a> {
    pub bodies: [BodyRef<'a>; 2],
    /// The centers, in place of those in the records.
    pub centers: [DVec2; 2],
    /// Returns `true` if they collide, without rounding.
    pub collide: &'a dyn Fn() -> bool,
}

impl<'a> PlanePair<'a> {
    /// Returns the figures, with the center of the first as origin, in an order that does not
    /// depend on the caller's unless they are equal; and `true` if that is the other order.
    pub(super) fn figures(&self) -> (Two, bool) {
        let [a, b] = [0, 1].map(|k| Figure::new(self.bodies[k], self.centers[k]));
        let key = |figure: &Figure| [figure.half[0], figure.half[1], figure.radius];
        let place = |figure: &Figure| [figure.center.x, figure.center.y];
        let is_after = match key(&a).partial_cmp(&key(&b)) {
            Some(order) if order.is_ne() => order.is_lt(),
            _ => place(&a) > place(&b),
        };
        let mut figures = if is_after { [b, a] } else { [a, b] };
        figures[1].center -= figures[0].center;
        figures[0].center = DVec2::ZERO;
        (Two(figures), is_after)
    }

    /// Returns the origin of the figures, given that they are in the other order.
    pub(super) fn origin(&self, swapped: bool) -> DVec2 {
        self.centers[usize::from(swapped)]
    }
}
