//! The reach of a box that turns about its center, in a given direction.
//!
//! A point `P` of the box, relative to the center, moves on a circle about the unit vector `n`.
//! Along a unit vector `L` its coordinate is `C + A cos φ + B sin φ` with `C = (P·n)(n·L)`,
//! `A = P·L - C`, `B = P·(L × n)`. The maximum is at an end of the arc, or where `(cos φ, sin φ)`
//! has the direction `(A, B)`, if the arc contains that angle: there it is `C + √(A² + B²)`. The
//! farthest point of a box is a corner.

use std::f64::consts::{PI, TAU};

use glam::{DMat3, DQuat, DVec3};

use crate::shapes::moving::body::Body;
use crate::shapes::obb::parts::rotation;

/// Bound on the rounding error of a reach, per unit of the box's size: about twenty operations on
/// the numbers of an arc.
const ROUNDING: f64 = 1e-14;

/// A box that turns about its center from time 0 to the end of a step.
pub(crate) struct Arc {
    /// The vectors from the center to the faces at time 0: the box's axes times its half extents.
    edges: [DVec3; 3],
    /// The axis of the rotation.
    n: DVec3,
    /// The angle of the rotation, and its cosine and sine; at most a full turn.
    angle: f64,
    cosine: f64,
    sine: f64,
}

impl Arc {
    /// Returns the arc of a body during a step of `dt`.
    pub fn new(body: &Body, dt: f64) -> Self {
        let axes = rotation(body.obb);
        let half = body.obb.half_extents.as_dvec3();
        let turn = body.motion.angular_velocity.as_dvec3() * dt;
        let angle = turn.length();
        let (sine, cosine) = match angle == 0.0 {
            true => (0.0, 1.0),
            false => angle.sin_cos(),
        };
        Self {
            edges: [axes.x_axis * half.x, axes.y_axis * half.y, axes.z_axis * half.z],
            n: turn.try_normalize().unwrap_or(DVec3::Z),
            angle: angle.min(TAU),
            cosine,
            sine,
        }
    }

    /// Returns the rotation at the middle of the step, which is equally far from those at its start
    /// and its end.
    pub fn middle(body: &Body, dt: f64) -> DQuat {
        let turn = DQuat::from_scaled_axis(body.motion.angular_velocity.as_dvec3() * (0.5 * dt));
        (turn * body.obb.rotation.as_dquat()).normalize()
    }

    /// Returns a frame that contains the axis of rotation, in which the region swept by full turns
    /// is narrowest.
    pub fn frame_of_axis(&self) -> DQuat {
        DQuat::from_rotation_arc(DVec3::X, self.n)
    }

    /// Returns the angle of the rotation in radians, at most a full turn.
    pub fn angle(&self) -> f64 {
        self.angle
    }

    /// Returns the greatest distance of any point of the box from the center along each column, in
    /// either direction, at any time.
    pub fn reaches(&self, frame: &DMat3) -> DVec3 {
        let error = self.error();
        DVec3::from_array([frame.x_axis, frame.y_axis, frame.z_axis].map(|axis| self.computed_reach(axis) + error))
    }

    /// Returns an upper bound of the greatest distance along a unit vector.
    pub fn reach(&self, direction: DVec3) -> f64 {
        self.computed_reach(direction) + self.error()
    }

    /// Returns a bound on the rounding error of a reach.
    fn error(&self) -> f64 {
        let size: f64 = self.edges.iter().map(|edge| edge.abs().element_sum()).sum();
        ROUNDING * size
    }

    fn computed_reach(&self, direction: DVec3) -> f64 {
        if self.angle == 0.0 {
            return self.edges.iter().map(|edge| edge.dot(direction).abs()).sum();
        }
        let (along, across) = (self.n.dot(direction), direction.cross(self.n));
        let terms = self.edges.map(|edge| {
            let c = edge.dot(self.n) * along;
            [c, edge.dot(direction) - c, edge.dot(across)]
        });
        let mut most = 0.0;
        // The other four corners are opposite to these.
        for [y, z] in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] {
            let [c, a, b] = std::array::from_fn(|k| terms[0][k] + y * terms[1][k] + z * terms[2][k]);
            let ends = f64::max((c + a).abs(), (c + a * self.cosine + b * self.sine).abs());
            let peak = (a * a + b * b).sqrt();
            let peak = f64::max(
                if self.passes(a, b) { c + peak } else { 0.0 },
                if self.passes(-a, -b) { peak - c } else { 0.0 },
            );
            most = f64::max(most, ends.max(peak));
        }
        most
    }

    /// Returns `true` if the arc contains the direction `(a, b)`.
    fn passes(&self, a: f64, b: f64) -> bool {
        let before_end = a * self.sine - b * self.cosine;
        match self.angle {
            angle if angle >= TAU => true,
            angle if angle > PI => b >= 0.0 || before_end >= 0.0,
            _ => b >= 0.0 && before_end >= 0.0,
        }
    }
}
