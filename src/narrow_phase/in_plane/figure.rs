//! Bodies in the plane as rectangles with rounded corners, and the axes and points of two of them.
//!
//! A figure is all points within a radius of its core, a rectangle: a disc has a core without
//! extents, a stadium one without width, and a rectangle no radius. Two cores are separated by the
//! largest of four gaps, those along the axes of either (the separating-axis test in the plane).
//! Cores that overlap leave each other by the shortest way along the axis with the largest gap,
//! which is negative: the volume that one sweeps about the other has no other normals. Cores that
//! are apart are nearest at a corner of one of them.

use glam::{DVec2, DVec3};

use crate::geometry::feature::Feature;
use crate::narrow_phase::round::bodies::{Core, Round};
use crate::narrow_phase::round::closest::ERROR;
use crate::shapes::bodies::set::BodyRef;
use crate::shapes::obb::parts::rotation;

/// A body in the plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figure {
    pub center: DVec2,
    /// The directions of its own x and y axes.
    pub axes: [DVec2; 2],
    /// The half extents of its core.
    pub half: [f64; 2],
    pub radius: f64,
    pub is_box: bool,
}

impl Figure {
    /// Returns the figure of a body around this center.
    pub fn new(body: BodyRef<'_>, center: DVec2) -> Self {
        let (x, half, radius) = match Core::from(body) {
            Core::Box(obb) => (rotation(obb).x_axis, obb.half_extents.truncate().as_dvec2().into(), 0.0),
            Core::Round(round) => (direction(&round), [round.half_length.into(), 0.0], round.radius.into()),
        };
        let x = x.truncate();
        Self {
            center,
            axes: [x, x.perp()],
            half,
            radius,
            is_box: body.as_box().is_some(),
        }
    }

    /// Returns the reach of the core from its center along a direction.
    fn reach(&self, direction: DVec2) -> f64 {
        let along = |k: usize| self.half[k] * self.axes[k].dot(direction).abs();
        along(0) + along(1)
    }

    /// Returns the corner of the core on these sides of its axes, -1 or 1.
    pub fn corner(&self, sides: [f64; 2]) -> DVec2 {
        self.center + self.axes[0] * (sides[0] * self.half[0]) + self.axes[1] * (sides[1] * self.half[1])
    }

    /// Returns the point of the core that is nearest to a point.
    fn nearest(&self, point: DVec2) -> DVec2 {
        let place = |k: usize| {
            (point - self.center)
                .dot(self.axes[k])
                .clamp(-self.half[k], self.half[k])
        };
        self.center + self.axes[0] * place(0) + self.axes[1] * place(1)
    }

    /// Returns the axis, and the side of it, whose outward normal is nearest to a direction.
    pub fn side_towards(&self, direction: DVec2) -> (usize, f64) {
        let along = [0, 1].map(|k| self.axes[k].dot(direction));
        let k = usize::from(along[1].abs() >= along[0].abs());
        (k, 1f64.copysign(along[k]))
    }

    /// Returns the feature at a corner of the core.
    pub fn corner_feature(&self, sides: [f64; 2]) -> Feature {
        let [x, y] = sides.map(|side| u8::from(side > 0.0));
        match (self.is_box, self.half[0] > 0.0) {
            (true, _) => Feature::Corner(x + 2 * y),
            (false, true) => Feature::Round(1 + x),
            (false, false) => Feature::Round(0),
        }
    }

    /// Returns the feature on one side across an axis of the core.
    pub fn side_feature(&self, axis: usize, side: f64) -> Feature {
        match (self.is_box, axis) {
            (true, _) => Feature::face(axis, side > 0.0),
            (false, 0) => self.corner_feature([side, side]),
            (false, _) => Feature::Round(0),
        }
    }

    /// Returns `true` if the core is a point, whose axes mean nothing.
    fn is_point(&self) -> bool {
        self.half == [0.0; 2]
    }
}

fn direction(round: &Round) -> DVec3 {
    match round.half_length > 0.0 {
        true => round.segment().along,
        false => DVec3::X,
    }
}

/// The sides of an axis.
pub(super) const SIDES: [f64; 2] = [-1.0, 1.0];

/// Returns the signs of the four corners.
pub(super) fn corners() -> impl Iterator<Item = [f64; 2]> {
    SIDES.into_iter().flat_map(|y| SIDES.map(|x| [x, y]))
}

/// The axis along which two cores have the largest gap.
#[derive(Clone, Copy, Debug)]
pub(super) struct BestAxis {
    /// The figure whose axis it is, and its number.
    pub owner: usize,
    pub axis: usize,
    /// The direction of the axis, from the first figure to the second.
    pub normal: DVec2,
    /// The gap, below 0 if the cores overlap.
    pub gap: f64,
}

/// The nearest points of two cores that are apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    pub points: [DVec2; 2],
    /// The figure that has the point in a corner, and the corner.
    pub owner: usize,
    pub sides: [f64; 2],
}

impl Nearest {
    pub fn way(&self) -> DVec2 {
        self.points[1] - self.points[0]
    }
}

/// Two figures, relative to the center of the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Two(pub [Figure; 2]);

impl Two {
    /// Returns the sum of the radii.
    pub fn reach(&self) -> f64 {
        self.0[0].radius + self.0[1].radius
    }

    /// Returns the error of a distance.
    pub fn error(&self) -> f64 {
        let size = |figure: &Figure| figure.half[0] + figure.half[1] + figure.radius;
        let apart = self.0[1].center - self.0[0].center;
        ERROR * (apart.abs().element_sum() + size(&self.0[0]) + size(&self.0[1]))
    }

    /// Returns the axis with the largest gap. Of equal ones, up to rounding, it is the first, and
    /// those of the first figure come first.
    pub fn best_axis(&self) -> BestAxis {
        let apart = self.0[1].center - self.0[0].center;
        let slop = 4.0 * self.error();
        let gap_along = |owner: usize, axis: usize| {
            let direction = self.0[owner].axes[axis];
            let along = apart.dot(direction);
            BestAxis {
                owner,
                axis,
                normal: if along < 0.0 { -direction } else { direction },
                gap: along.abs() - self.0[0].reach(direction) - self.0[1].reach(direction),
            }
        };
        let first = usize::from(self.0[0].is_point() && !self.0[1].is_point());
        let mut best = gap_along(first, 0);
        for (owner, axis) in [(0, 1), (1, 0), (1, 1)] {
            let found = gap_along(owner, axis);
            if found.gap > best.gap + slop && !(self.0[owner].is_point() && owner != first) {
                best = found;
            }
        }
        best
    }

    /// Returns the nearest points of cores that are apart.
    pub fn nearest(&self) -> Nearest {
        let mut best: Option<(f64, Nearest)> = None;
        for owner in [0, 1] {
            for sides in corners() {
                let corner = self.0[owner].corner(sides);
                let mut points = [corner; 2];
                points[1 - owner] = self.0[1 - owner].nearest(corner);
                let square = points[0].distance_squared(points[1]);
                if best.is_none_or(|(least, _)| square < least) {
                    best = Some((square, Nearest { points, owner, sides }));
                }
            }
        }
        let nothing = Nearest {
            points: [DVec2::ZERO; 2],
            owner: 0,
            sides: [0.0; 2],
        };
        best.map_or(nothing, |(_, nearest)| nearest)
    }

    /// Returns a point of both cores, which overlap: the middle of the corners of their
    /// intersection (Sutherland and Hodgman's clipping).
    pub fn common_point(&self) -> DVec2 {
        let [a, b] = &self.0;
        let mut polygon: Vec<DVec2> = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
            .map(|sides| a.corner(sides))
            .to_vec();
        let error = self.error();
        for (axis, side) in [(0, -1.0), (0, 1.0), (1, -1.0), (1, 1.0)] {
            let beyond = |point: DVec2| (point - b.center).dot(b.axes[axis]) * side - b.half[axis] - error;
            polygon = clipped(&polygon, beyond);
        }
        match polygon.len() {
            0 => self.nearest().points[0],
            count => polygon.iter().sum::<DVec2>() / count as f64,
        }
    }
}

/// Returns the part of a convex polygon where a linear function is at most 0.
fn clipped(polygon: &[DVec2], beyond: impl Fn(DVec2) -> f64) -> Vec<DVec2> {
    let mut kept = Vec::with_capacity(8);
    for (k, &to) in polygon.iter().enumerate() {
        let from = polygon[(k + polygon.len() - 1) % polygon.len()];
        let [before, here] = [from, to].map(&beyond);
        if (before > 0.0) != (here > 0.0) {
            kept.push(from + (to - from) * (before / (before - here)));
        }
        if here <= 0.0 {
            kept.push(to);
        }
    }
    kept
}
