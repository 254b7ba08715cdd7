//! Bodies of scenes in the plane z = 0: turns, and the test that a body is in it.
//!
//! A scene in the plane has no shapes of its own. A rectangle is a box that is rotated about z
//! alone and whose center is in the plane, a disc a sphere around a point of it, and a stadium a
//! capsule whose segment lies in it. Two such bodies share a point in space if and only if they
//! share one in the plane, because moving a point of either to the plane along z leaves it in the
//! body.

use glam::{DVec3, Quat, Vec3};

use crate::base::error::{Error, Result};
use crate::base::parallel;
use crate::base::problem::PlaneProblem;
use crate::geometry::sine_cosine::sine_cosine;
use crate::shapes::any::{ShapeList, Shapes};
use crate::shapes::bodies::set::{Bodies, BodyRef};
use crate::shapes::moving::motion::Motion;
use crate::shapes::round::capsule::Capsule;

/// The largest angle whose sine and cosine are computed the same on every machine.
const LARGEST: f64 = (1u64 << 20) as f64;

/// Returns the rotation about z by an angle in radians, counter-clockwise seen from above: the sine
/// and the cosine of its half, rounded to `f32`. The result is the same on every machine, for
/// angles up to 2^21. An angle that is not finite makes a rotation that bodies report as a problem.
///
/// ```
/// use obbligato::shape::yaw;
/// assert_eq!(yaw(0.0).to_array(), [0.0, 0.0, 0.0, 1.0]);
/// assert_eq!(yaw(-2.0).z, -yaw(2.0).z);
/// ```
pub fn yaw(angle: f64) -> Quat {
    let half = 0.5 * angle.abs();
    let [sine, cosine] = match half <= LARGEST {
        true => sine_cosine(half),
        false => <[f64; 2]>::from(half.sin_cos()),
    };
    Quat::from_xyzw(0.0, 0.0, (sine * angle.signum()) as f32, cosine as f32)
}

impl BodyRef<'_> {
    /// Returns the reason why the body is not in the plane z = 0, or `None` if it is.
    fn plane_problem(self) -> Option<PlaneProblem> {
        match self {
            _ if self.center().z != 0.0 => Some(PlaneProblem::OffPlane),
            Self::Box(obb) => problem_of_box(obb.rotation, obb.half_extents),
            Self::Capsule(capsule) => is_tilted(capsule).then_some(PlaneProblem::Tilted),
            Self::Sphere(_) => None,
        }
    }

    /// Returns `true` if a body in the plane has no area: a point, or a segment without width.
    fn has_no_area(self) -> bool {
        match self {
            Self::Box(obb) => obb.half_extents.x == 0.0 || obb.half_extents.y == 0.0,
            Self::Capsule(capsule) => capsule.radius == 0.0,
            Self::Sphere(sphere) => sphere.radius == 0.0,
        }
    }
}

fn problem_of_box(rotation: Quat, half: Vec3) -> Option<PlaneProblem> {
    if rotation.x != 0.0 || rotation.y != 0.0 {
        return Some(PlaneProblem::Tilted);
    }
    (half.z == 0.0 && half != Vec3::ZERO).then_some(PlaneProblem::NoHeight)
}

/// Returns `true` unless the segment certainly lies in a plane across z: the third component of its
/// direction is `w² - x² - y² + z²`.
fn is_tilted(capsule: &Capsule) -> bool {
    let [x, y, z, w] = capsule.rotation.to_array().map(f32::abs);
    let is_level = (x == z && y == w) || (x == w && y == z);
    capsule.half_length > 0.0 && !is_level
}

impl Motion {
    /// Returns the reason why a motion leaves the plane, or `None` if it does not. `is_round` means
    /// that the body is a sphere, whose rotation makes no difference.
    fn plane_problem(&self, is_round: bool) -> Option<PlaneProblem> {
        let turn = self.angular_velocity;
        let is_level = self.velocity.z == 0.0 && self.acceleration.z == 0.0;
        let is_upright = is_round || turn.x == 0.0 && turn.y == 0.0;
        (!is_level || !is_upright).then_some(PlaneProblem::LeavesPlane)
    }
}

/// Returns an error that names the first shape that is not in the plane, if any. Positions begin
/// with `first`.
pub(crate) fn expect_in_plane(shapes: ShapeList<'_>, first: usize) -> Result<()> {
    let count = Shapes(shapes).len();
    if count > 0 && shapes.with_body(0, |_, _| ()).is_none() {
        return Err(Error::Unavailable {
            what: "the answer for these shapes in the plane",
            hint: "pass boxes, capsules, spheres or boxes with centers in f64",
        });
    }
    expect_none(first, count, |k| {
        let problem = |center: DVec3, body: BodyRef<'_>| match center.z != 0.0 {
            true => Some(PlaneProblem::OffPlane),
            false => body.plane_problem(),
        };
        shapes.with_body(k, problem).flatten()
    })
}

/// Returns an error that names the first body that moves out of the plane or is not in it, if any.
/// There must be a motion for each.
pub(crate) fn expect_moving_in_plane(bodies: Bodies<'_>, motions: &[Motion], first: usize) -> Result<()> {
    expect_none(first, bodies.len().min(motions.len()), |k| {
        let body = bodies.at(k as u32);
        let of_motion = || motions[k].plane_problem(body.as_sphere().is_some());
        body.plane_problem().or_else(of_motion)
    })
}

/// Returns `true` if some of the shapes, which are in the plane, have no area.
pub(crate) fn some_have_no_area(shapes: ShapeList<'_>) -> bool {
    (0..Shapes(shapes).len()).any(|k| has_no_area(shapes, k))
}

/// Returns `true` if one of the shapes, which are in the plane, has no area.
pub(crate) fn has_no_area(shapes: ShapeList<'_>, id: usize) -> bool {
    shapes.with_body(id, |_, body| body.has_no_area()).unwrap_or(false)
}

fn expect_none(
    first: usize,
    count: usize,
    problem: impl Fn(usize) -> Option<PlaneProblem> + Sync + Send,
) -> Result<()> {
    let found = parallel::map_ranges(count, |range| {
        let mut found = range.filter_map(|index| Some((index, problem(index)?)));
        (found.next(), found.count())
    });
    let Some((index, problem)) = found.iter().find_map(|&(found, _)| found) else {
        return Ok(());
    };
    Err(Error::NotInPlane {
        index: first + index,
        problem,
        count: found
            .iter()
            .map(|&(found, more)| usize::from(found.is_some()) + more)
            .sum(),
    })
}
