//! The camera of a picture.

use std::f64::consts::PI;

use glam::DVec3;

use crate::view::View;
use obbligato::{Bodies, shape::BodyRef};

/// The default vertical field of view, in radians: 30 degrees.
const FIELD_OF_VIEW: f64 = 30.0 * PI / 180.0;

/// The fraction of the picture that the scene may fill, so that there is some space around it.
const FILL: f64 = 0.94;

/// The direction from the scene to the camera.
const TOWARDS_CAMERA: DVec3 = DVec3::new(-0.55, -1.0, 0.72);

/// The minimum size of a scene as a fraction of its coordinates, 2^-36: `f64` then still places the
/// camera to a thousandth of a pixel.
const LEAST_SIZE: f64 = 1.0 / (1_u64 << 36) as f64;

/// A perspective camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Its position, in the world.
    pub position: DVec3,
    /// The point that it looks at, in the middle of the picture. Must differ from `position`.
    pub target: DVec3,
    /// The up direction in the picture, as far as the view allows. If it is zero or along the view,
    /// the renderer chooses one.
    pub up: DVec3,
    /// The angle between the picture's upper and lower border, in radians: above 0 and below π.
    pub field_of_view: f64,
}

impl Camera {
    /// Returns a camera at `position` that looks at `target`, with z up.
    pub const fn new(position: DVec3, target: DVec3) -> Self {
        Self {
            position,
            target,
            up: DVec3::Z,
            field_of_view: FIELD_OF_VIEW,
        }
    }

    /// Returns the problem with the camera, if any.
    /// [`Renderer::draw`](crate::Renderer::draw) rejects such a camera.
    pub fn problem(&self) -> Option<CameraProblem> {
        let axis = self.target - self.position;
        let angle = self.field_of_view;
        match () {
            () if !(self.position.is_finite() && axis.is_finite() && self.up.is_finite()) => {
                Some(CameraProblem::NotFinite)
            }
            () if axis == DVec3::ZERO => Some(CameraProblem::NoDirection),
            () if !(angle > 0.0 && angle < PI) => Some(CameraProblem::FieldOfView(angle)),
            () => None,
        }
    }

    /// Returns a camera that sees everything in a picture of `[width, height]` pixels: bodies,
    /// triangles, ghosts and contacts, seen from above at an angle, with z up.
    ///
    /// It is as close as that allows. If there is nothing to see, it looks at the origin from a few
    /// units away. O(n).
    pub fn around(view: &View<'_>, size: [u32; 2]) -> Self {
        Self::around_all(std::slice::from_ref(view), size)
    }

    /// Returns a camera as [`Camera::around`] does, for several views, such as the frames of an
    /// animation.
    pub fn around_all(views: &[View<'_>], size: [u32; 2]) -> Self {
        let forward = -TOWARDS_CAMERA.normalize();
        let right = forward.cross(DVec3::Z).normalize();
        let up = right.cross(forward);

        let half = (0.5 * FIELD_OF_VIEW).tan() * FILL;
        let aspect = f64::from(size[0].max(1)) / f64::from(size[1].max(1));
        // A point p is within the right border of a camera at e if (p - e) · (right - slope *
        // forward) <= 0, and likewise for the other borders. Each border therefore bounds the
        // position by the point that reaches furthest across it. For two opposite borders, the sum
        // bounds how close the camera can be.
        let slopes = [half * aspect, half];
        let axes = [right, up];
        let border = |axis: usize, sign: f64| sign * axes[axis] - slopes[axis] * forward;
        let borders = [border(0, 1.0), border(0, -1.0), border(1, 1.0), border(1, -1.0)];
        let Some(reach) = Reach::of(views, borders, forward) else {
            return Self::new(TOWARDS_CAMERA * 4.0, DVec3::ZERO);
        };

        let size = reach.size.max(LEAST_SIZE * reach.middle.abs().max_element());
        let size = if size > 0.0 { size } else { 1.0 };
        let [plus_x, minus_x, plus_y, minus_y] = reach.furthest;
        let depth = |plus: f64, minus: f64, slope: f64| -(plus + minus) / (2.0 * slope);
        let depth = depth(plus_x, minus_x, slopes[0]).min(depth(plus_y, minus_y, slopes[1]));
        // In front of everything, even if it has no size.
        let depth = depth.min(reach.nearest - 0.25 * size);
        let offset = right * (0.5 * (plus_x - minus_x)) + up * (0.5 * (plus_y - minus_y)) + forward * depth;
        let position = reach.middle + offset;
        // The camera does not look at the middle of the scene if the scene is asymmetric.
        Self::new(position, position - forward * depth)
    }
}

/// The reach of the visible scene along some directions, from a point in its middle.
struct Reach {
    middle: DVec3,
    furthest: [f64; 4],
    nearest: f64,
    /// The diagonal of the bounds around the scene.
    size: f64,
}

impl Reach {
    /// Returns `None` if nothing is visible.
    fn of(views: &[View<'_>], borders: [DVec3; 4], forward: DVec3) -> Option<Self> {
        let mut low = DVec3::INFINITY;
        let mut high = DVec3::NEG_INFINITY;
        for view in views {
            each_part(view, |center, reach| {
                let reach = reach.along_axes();
                (low, high) = (low.min(center - reach), high.max(center + reach));
            });
        }
        if !low.is_finite() || !high.is_finite() {
            return None;
        }
        let middle = 0.5 * (low + high);
        let mut furthest = [f64::NEG_INFINITY; 4];
        let mut nearest = f64::INFINITY;
        for view in views {
            each_part(view, |center, reach| {
                let center = center - middle;
                for (furthest, border) in furthest.iter_mut().zip(borders) {
                    *furthest = furthest.max(center.dot(border) + reach.along(border));
                }
                nearest = nearest.min(center.dot(forward) - reach.along(forward));
            });
        }
        Some(Self {
            middle,
            furthest,
            nearest,
            size: (high - low).length(),
        })
    }
}

/// The extent of a convex solid around its center.
pub(super) struct Extent {
    /// Half of each of its edges.
    edges: [DVec3; 3],
    radius: f64,
}

impl Extent {
    const POINT: Self = Self {
        edges: [DVec3::ZERO; 3],
        radius: 0.0,
    };

    /// Returns its reach along a direction, in units of the direction's length.
    pub fn along(&self, direction: DVec3) -> f64 {
        let edges = self.edges.iter().map(|edge| edge.dot(direction).abs());
        edges.sum::<f64>() + self.radius * direction.length()
    }

    fn along_axes(&self) -> DVec3 {
        let edges = self.edges.iter().map(|edge| edge.abs());
        edges.sum::<DVec3>() + self.radius
    }

    /// Returns the extent of a body.
    pub fn of(body: BodyRef<'_>) -> Self {
        match body {
            BodyRef::Box(obb) => {
                let rotation = obb.rotation.as_dquat().normalize();
                let half = obb.half_extents.as_dvec3();
                let edges = [DVec3::X * half.x, DVec3::Y * half.y, DVec3::Z * half.z];
                Self {
                    edges: edges.map(|edge| rotation * edge),
                    radius: 0.0,
                }
            }
            BodyRef::Capsule(capsule) => {
                let axis = capsule.rotation.as_dquat().normalize() * DVec3::Z;
                Self {
                    edges: [axis * f64::from(capsule.half_length), DVec3::ZERO, DVec3::ZERO],
                    radius: capsule.radius.into(),
                }
            }
            BodyRef::Sphere(sphere) => Self {
                radius: sphere.radius.into(),
                ..Self::POINT
            },
        }
    }
}

/// Calls `work` with each solid of a view: its center in the world and its extent.
pub(super) fn each_part(view: &View<'_>, mut work: impl FnMut(DVec3, Extent)) {
    let mut bodies = |bodies: Bodies<'_>| {
        for id in 0..bodies.len() as u32 {
            let body = bodies.at(id);
            work(view.origin + body.center().as_dvec3(), Extent::of(body));
        }
    };
    bodies(view.bodies);
    bodies(view.ghosts);
    let triangles = view.triangles.iter().chain(view.ghost_triangles);
    for corner in triangles.flat_map(|triangle| triangle.corners) {
        work(view.origin + corner.as_dvec3(), Extent::POINT);
    }
    for arrow in view.arrows {
        work(view.origin + arrow.point.as_dvec3(), Extent::POINT);
    }
}

/// The problem with a camera, and what to do about it.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CameraProblem {
    /// A NaN or infinity, or a position and a target so far apart that the distance is infinite.
    #[error("has a number that is NaN, infinite or too large: give finite ones")]
    NotFinite,
    /// The target is the position.
    #[error("has its target at its own position: move it, or give it another target")]
    NoDirection,
    /// The angle of view is not above 0 and below π.
    #[error("has a field of view of {0}: give radians above 0 and below pi")]
    FieldOfView(f64),
}
