//! A body with its motion, and the validation of the two.

use glam::DVec3;

use crate::base::error::{Error, Result};
use crate::base::parallel;
use crate::base::problem::{COORDINATE_LIMIT, MotionProblem, TURN_LIMIT};
use crate::geometry::period::Moved;
use crate::geometry::rounding::exact_sum_of_four;
use crate::shapes::bodies::core::Core;
use crate::shapes::bodies::set::{Bodies, BodyRef};
use crate::shapes::moving::motion::Motion;
use crate::shapes::obb::record::Obb;

/// A box in motion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body<'a> {
    pub obb: &'a Obb,
    pub motion: &'a Motion,
    /// The vector by which the box is moved, if it is an image in space that repeats. Of the two
    /// bodies of a pair, at most one is an image.
    pub moved: Option<&'a Moved>,
}

impl<'a> Body<'a> {
    /// Returns a box where it is stored.
    pub const fn new(obb: &'a Obb, motion: &'a Motion) -> Self {
        Self {
            obb,
            motion,
            moved: None,
        }
    }

    /// Returns the center at time 0.
    pub fn start(&self) -> DVec3 {
        let stored = self.obb.center.as_dvec3();
        match self.moved {
            None => stored,
            Some(moved) => stored + DVec3::from_array(moved.map(|(rounded, _)| rounded)),
        }
    }

    /// Returns the center at time `t`.
    pub fn center(&self, t: f64) -> DVec3 {
        let Motion {
            velocity, acceleration, ..
        } = self.motion;
        self.start() + velocity.as_dvec3() * t + acceleration.as_dvec3() * 0.5 * t * t
    }

    /// Returns the vector from this body's center at time 0 to another's, each component off by
    /// little more than half a unit in its last place.
    #[inline(always)]
    pub fn to(&self, other: &Body<'_>) -> DVec3 {
        match (self.moved, other.moved) {
            (None, None) => other.obb.center.as_dvec3() - self.obb.center.as_dvec3(),
            _ => self.across_images(other),
        }
    }

    #[cold]
    fn across_images(&self, other: &Body<'_>) -> DVec3 {
        DVec3::from_array(self.terms_to(other).map(|terms| exact_sum_of_four(terms)[0]))
    }

    /// Returns the vector from this body's center at time 0 to another's: each component is the sum
    /// of four numbers.
    pub fn terms_to(&self, other: &Body<'_>) -> [[f64; 4]; 3] {
        let [from, to] = [self, other].map(|body| body.obb.center.as_dvec3());
        [0, 1, 2].map(|k| {
            let (rounded, rest) = match (self.moved, other.moved) {
                (_, Some(moved)) => moved[k],
                (Some(moved), None) => (-moved[k].0, -moved[k].1),
                (None, None) => (0.0, 0.0),
            };
            [to[k], -from[k], rounded, rest]
        })
    }
}

/// A body of any shape in motion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MovingCore {
    pub core: Core,
    /// The motion, without rotation for spheres, which rotation does not change.
    pub motion: Motion,
    /// As in [`Body`].
    pub moved: Option<Moved>,
}

impl MovingCore {
    #[inline(always)]
    pub fn new(body: BodyRef<'_>, motion: &Motion) -> Self {
        let core = Core::from(body);
        let is_ball = body.as_box().is_none() && core.is_point();
        Self {
            core,
            motion: match is_ball {
                true => motion.turning(glam::Vec3::ZERO),
                false => *motion,
            },
            moved: None,
        }
    }

    /// Returns two bodies, of which the second is moved by this vector if it is an image.
    pub fn of_image(bodies: [BodyRef<'_>; 2], motions: [&Motion; 2], moved: Option<Moved>) -> [Self; 2] {
        let [a, mut b] = [0, 1].map(|k| Self::new(bodies[k], motions[k]));
        b.moved = moved;
        [a, b]
    }

    /// Returns the box or core alone.
    #[inline(always)]
    pub fn body(&self) -> Body<'_> {
        Body {
            obb: &self.core.obb,
            motion: &self.motion,
            moved: self.moved.as_ref(),
        }
    }
}

impl Motion {
    /// Returns the problem with this motion of a box during a step of `dt` seconds, or `None` if it
    /// is valid.
    pub fn problem(&self, obb: &Obb, dt: f64) -> Option<MotionProblem> {
        problem(obb, obb.half_extents.max_element(), self, dt)
    }
}

/// Returns the problem with a motion during a step of `dt`, or `None` if it is valid. The body is
/// at the position of `obb`, and its lengths are at most `largest`.
pub(crate) fn problem(obb: &Obb, largest: f32, motion: &Motion, dt: f64) -> Option<MotionProblem> {
    let Motion {
        velocity,
        uncertainty,
        angular_velocity,
        acceleration,
        ..
    } = *motion;
    let are_finite = velocity.is_finite() && angular_velocity.is_finite() && acceleration.is_finite();
    if !are_finite || !uncertainty.is_finite() {
        return Some(MotionProblem::NotFinite);
    }
    if uncertainty < 0.0 {
        return Some(MotionProblem::NegativeUncertainty);
    }
    // The largest coordinate of any point of the box during the step is less than this sum.
    let [v, a] = [velocity, acceleration].map(|vector| vector.as_dvec3().abs().max_element());
    let at_rest = obb.center.abs().max_element().max(largest);
    let path = v * dt + 0.5 * (a + f64::from(uncertainty)) * dt * dt;
    // A step without motion may have any length.
    if path > f64::from(COORDINATE_LIMIT) - f64::from(at_rest) && path > 0.0 || path.is_nan() {
        return Some(MotionProblem::TooFar);
    }
    if angular_velocity.as_dvec3().length() * dt > TURN_LIMIT {
        return Some(MotionProblem::TurnsTooMuch);
    }
    None
}

/// Returns an error that names the first invalid motion, if any.
pub(crate) fn validate(bodies: Bodies<'_>, motions: &[Motion], dt: f64) -> Result<()> {
    if bodies.len() != motions.len() {
        return Err(Error::MissingMotions {
            boxes: bodies.len(),
            motions: motions.len(),
        });
    }
    let problem = |index: usize| {
        let core = Core::from(bodies.at(index as u32));
        problem(&core.obb, core.largest(), &motions[index], dt).map(|problem| (index, problem))
    };
    let bad = parallel::map_ranges(bodies.len(), |range| {
        let mut bad = range.filter_map(problem);
        (bad.next(), bad.count())
    });
    let Some((index, problem)) = bad.iter().find_map(|&(first, _)| first) else {
        return Ok(());
    };
    let count = bad
        .iter()
        .map(|&(first, more)| usize::from(first.is_some()) + more)
        .sum();
    Err(Error::InvalidMotion { index, problem, count })
}
