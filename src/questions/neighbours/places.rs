//! The bodies or points that search for neighbours, or are found.

use std::borrow::Cow;
use std::ops::Range;

use glam::{DVec3, Vec3};

use crate::base::error::{Error, Result};
use crate::base::problem::{BoxProblem, COORDINATE_LIMIT, PeriodProblem};
use crate::base::{memory, parallel};
use crate::broad_phase::points::tree::Summary;
use crate::engine::prepared::PreparedScene;
use crate::geometry::period::Period;
use crate::narrow_phase::width::too_wide;
use crate::shapes::any::{BodyList, ShapeList, Shapes};
use crate::shapes::bodies::set::OwnedBodies;
use crate::shapes::obb64::record::Obb64;
use crate::shapes::round::sphere::Sphere;

/// Label for out-of-memory errors.
const WHAT: &str = "the points that search for neighbours";

/// Points in space, in `f32` or in `f64`.
///
/// A slice, an array or a vector of [`Vec3`]s or [`DVec3`]s converts to this type.
#[derive(Clone, Copy, Debug)]
pub enum Points<'a> {
    /// Points in `f32`.
    Single(&'a [Vec3]),
    /// Points in `f64`.
    Double(&'a [DVec3]),
}

/// Converts lists of these points, as slices, vectors and arrays.
macro_rules! points {
    ($($point:ty: $kind:ident;)+) => {$(
        impl<'a> From<&'a [$point]> for Points<'a> {
            fn from(points: &'a [$point]) -> Self {
                Self::$kind(points)
            }
        }

        impl<'a> From<&'a Vec<$point>> for Points<'a> {
            fn from(points: &'a Vec<$point>) -> Self {
                Self::$kind(points)
            }
        }

        impl<'a, const N: usize> From<&'a [$point; N]> for Points<'a> {
            fn from(points: &'a [$point; N]) -> Self {
                Self::$kind(points)
            }
        }
    )+};
}

points! {
    Vec3: Single;
    DVec3: Double;
}

impl Points<'_> {
    /// Returns the number of points.
    pub fn len(&self) -> usize {
        match self {
            Self::Single(points) => points.len(),
            Self::Double(points) => points.len(),
        }
    }

    /// Returns `true` if there are no points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn at(&self, id: u32) -> DVec3 {
        match self {
            Self::Single(points) => points[id as usize].as_dvec3(),
            Self::Double(points) => points[id as usize],
        }
    }

    /// Returns an error that names the first invalid point, if any.
    fn validate(&self) -> Result<()> {
        let problem = |point: DVec3| {
            let is_far = point.abs().max_element() > f64::from(COORDINATE_LIMIT);
            match point.is_finite() {
                false => Some(BoxProblem::NotFinite),
                true => is_far.then_some(BoxProblem::TooLarge),
            }
        };
        let problems = |range: Range<usize>| {
            let mut bad = range.filter_map(|index| Some((index, problem(self.at(index as u32))?)));
            bad.next().map(|first| (first, 1 + bad.count()))
        };
        let bad: Vec<_> = parallel::map_ranges(self.len(), problems)
            .into_iter()
            .flatten()
            .collect();
        match bad.first() {
            None => Ok(()),
            Some(&((index, problem), _)) => Err(Error::InvalidPoint {
                index,
                group: None,
                problem,
                count: bad.iter().map(|(_, count)| count).sum(),
            }),
        }
    }

    /// Returns bodies without extent in place of the points: spheres, or boxes with centers in
    /// `f64`.
    pub(super) fn to_bodies(self, double: bool) -> Result<Places<'static>> {
        if let (Self::Single(points), false) = (self, double) {
            return Ok(Places::Bodies(BodyList::Made(OwnedBodies {
                spheres: parallel::collect(points.len(), WHAT, |k| Sphere::new(points[k], 0.0))?,
                ..OwnedBodies::default()
            })));
        }
        let boxes = parallel::collect(self.len(), WHAT, |k| Obb64::axis_aligned(self.at(k as u32), Vec3::ZERO))?;
        Ok(Places::Boxes64(boxes.into()))
    }
}

/// Bodies or points by kind.
#[derive(Debug)]
pub(super) enum Places<'a> {
    Bodies(BodyList<'a>),
    Boxes64(Cow<'a, [Obb64]>),
    Points(Points<'a>),
}

impl<'a> Places<'a> {
    /// Returns the bodies among shapes.
    ///
    /// # Errors
    /// [`Error::Unavailable`] for other shapes, and errors of invalid bodies.
    pub fn new(shapes: Shapes<'a>) -> Result<Self> {
        let places = match shapes.0 {
            ShapeList::Obb64(boxes) => Self::Boxes64(boxes.into()),
            list => Self::Bodies(list.to_bodies()?.ok_or(Error::Unavailable {
                what: "the neighbours of these shapes",
                hint: "pass boxes, capsules, spheres or upright cuboids",
            })?),
        };
        places.validate()?;
        Ok(places)
    }

    /// Returns the bodies of a scene, which are valid.
    pub fn of_scene(scene: &'a PreparedScene) -> Self {
        Self::Bodies(BodyList::Given(scene.bodies()))
    }

    /// Returns an error that names the first invalid body or point, if any.
    pub fn validate(&self) -> Result<()> {
        match self {
            Self::Bodies(bodies) => bodies.all().validate(),
            Self::Boxes64(boxes) => crate::shapes::bounds::validate(boxes, Obb64::problem),
            Self::Points(points) => points.validate(),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Bodies(bodies) => bodies.all().len(),
            Self::Boxes64(boxes) => boxes.len(),
            Self::Points(points) => points.len(),
        }
    }

    /// Returns `true` if the centers are in `f64`.
    pub fn is_double(&self) -> bool {
        matches!(self, Self::Boxes64(_) | Self::Points(Points::Double(_)))
    }

    #[inline]
    pub fn center(&self, id: u32) -> DVec3 {
        match self {
            Self::Bodies(bodies) => bodies.all().at(id).center().as_dvec3(),
            Self::Boxes64(boxes) => boxes[id as usize].center,
            Self::Points(points) => points.at(id),
        }
    }

    /// Returns the problem of a body or point in space that repeats, if there is one.
    pub fn period_problem(&self, id: usize, period: &Period) -> Option<PeriodProblem> {
        let too_wide = || match self {
            Self::Bodies(bodies) => too_wide(bodies.all().at(id as u32), period),
            Self::Boxes64(boxes) => too_wide((&boxes[id].centered_at(Vec3::ZERO)).into(), period),
            Self::Points(_) => None,
        };
        period.problem(self.center(id as u32)).or_else(too_wide)
    }

    /// Returns the groups in a record.
    #[inline]
    pub fn groups(&self, id: u32) -> [u32; 2] {
        match self {
            Self::Bodies(bodies) => bodies.all().at(id).groups(),
            Self::Boxes64(boxes) => [boxes[id as usize].memberships, boxes[id as usize].filter],
            Self::Points(_) => [u32::MAX; 2],
        }
    }

    /// Returns the summary of all.
    pub fn summary(&self) -> Summary {
        let nothing = || Summary {
            has_groups: false,
            largest: 0.0,
        };
        let of_range = |range: Range<usize>| {
            range.fold(nothing(), |all, id| Summary {
                has_groups: all.has_groups || self.groups(id as u32) != [u32::MAX; 2],
                largest: self.center(id as u32).abs().max_element().max(all.largest),
            })
        };
        let joined = |a: Summary, b: Summary| Summary {
            has_groups: a.has_groups || b.has_groups,
            largest: a.largest.max(b.largest),
        };
        parallel::fold_ranges(self.len(), nothing, of_range, joined)
    }

    /// Returns these bodies, or those in place of points, with centers in `f64` if `double`.
    ///
    /// # Errors
    /// [`Error::Unavailable`] for capsules and spheres with centers in `f64`.
    pub fn to_bodies(&self, double: bool) -> Result<Places<'_>> {
        const WHAT: &str = "the boxes with centers in f64";
        Ok(match self {
            Self::Points(points) => points.to_bodies(double)?,
            Self::Boxes64(boxes) => Places::Boxes64(Cow::Borrowed(boxes)),
            Self::Bodies(bodies) if !double => Places::Bodies(BodyList::Given(bodies.all())),
            Self::Bodies(bodies) => match bodies.all().only_boxes() {
                Some(boxes) => Places::Boxes64(memory::collect(boxes.iter().map(|&obb| obb.into()), WHAT)?.into()),
                None => {
                    return Err(Error::Unavailable {
                        what: "distances between the surfaces of capsules or spheres and points in f64",
                        hint: "pass boxes only, or points in f32",
                    });
                }
            },
        })
    }
}
