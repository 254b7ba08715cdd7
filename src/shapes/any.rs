//! Shapes of any kind, as callers pass them.

use std::borrow::Cow;

use glam::{DVec3, Vec3};

use crate::base::error::Result;
use crate::base::parallel;
use crate::geometry::aabb::Aabb;
use crate::geometry::kinds::{KINDS, of_first_kind};
use crate::shapes::bodies::set::{Bodies, BodyRef, OwnedBodies};
use crate::shapes::moving::record::Moving;
use crate::shapes::obb::record::Obb;
use crate::shapes::obb64::record::Obb64;
use crate::shapes::round::capsule::Capsule;
use crate::shapes::round::sphere::Sphere;
use crate::shapes::triangle::record::Triangle;
use crate::shapes::upright::record::Upright;

/// The shapes that a question is about: [`Bodies`], or a list of [`Obb64`]s, [`Upright`] cuboids,
/// [`Aabb`]s or [`Triangle`]s.
///
/// A slice, an array or a vector of any shape converts to this type, as do [`Bodies`]. A pair names
/// shapes by their positions, [`Bodies`] in their numbering.
#[derive(Clone, Copy, Debug)]
pub struct Shapes<'a>(pub(crate) ShapeList<'a>);

/// [`Shapes`] by kind.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ShapeList<'a> {
    Bodies(Bodies<'a>),
    Obb64(&'a [Obb64]),
    Upright(&'a [Upright]),
    Aabb(&'a [Aabb]),
    Triangle(&'a [Triangle]),
    Moving(&'a [Moving]),
}

impl<'a> Shapes<'a> {
    /// Returns the number of shapes.
    pub fn len(&self) -> usize {
        match self.0 {
            ShapeList::Bodies(bodies) => bodies.len(),
            ShapeList::Obb64(boxes) => boxes.len(),
            ShapeList::Upright(cuboids) => cuboids.len(),
            ShapeList::Aabb(bounds) => bounds.len(),
            ShapeList::Triangle(triangles) => triangles.len(),
            ShapeList::Moving(records) => records.len(),
        }
    }

    /// Returns `true` if there are no shapes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bodies; `None` if the shapes are others.
    pub fn bodies(&self) -> Option<Bodies<'a>> {
        match self.0 {
            ShapeList::Bodies(bodies) => Some(bodies),
            _ => None,
        }
    }

    /// Returns the number of shapes of each kind of body; others count as boxes.
    pub(crate) fn counts(&self) -> [usize; KINDS] {
        match self.0 {
            ShapeList::Bodies(bodies) => bodies.counts(),
            _ => of_first_kind(self.len()),
        }
    }
}

/// Bodies, given or made.
#[derive(Debug)]
pub(crate) enum BodyList<'a> {
    Given(Bodies<'a>),
    Made(OwnedBodies),
}

impl BodyList<'_> {
    /// Returns all bodies.
    pub fn all(&self) -> Bodies<'_> {
        match self {
            Self::Given(bodies) => *bodies,
            Self::Made(bodies) => bodies.all(),
        }
    }
}

impl<'a> ShapeList<'a> {
    /// Calls a function with the center of a body and the body, whose own center is 0 if centers
    /// are `f64`. Returns `None` for other shapes.
    pub fn with_body<T>(self, id: usize, work: impl FnOnce(DVec3, BodyRef<'_>) -> T) -> Option<T> {
        match self {
            Self::Bodies(bodies) => {
                let body = bodies.at(id as u32);
                Some(work(body.center().as_dvec3(), body))
            }
            Self::Obb64(boxes) => {
                let own = boxes[id].centered_at(Vec3::ZERO);
                Some(work(boxes[id].center, BodyRef::from(&own)))
            }
            _ => None,
        }
    }

    /// Returns a box with its center in `f64`, if the shape at a position is a box.
    pub fn box64(self, id: usize) -> Option<Obb64> {
        match self {
            Self::Bodies(bodies) => bodies.at(id as u32).as_box().map(|obb| Obb64::from(*obb)),
            Self::Obb64(boxes) => Some(boxes[id]),
            _ => None,
        }
    }

    /// Returns bodies, or the boxes of upright cuboids; `None` for other shapes.
    pub fn to_bodies(self) -> Result<Option<BodyList<'a>>> {
        Ok(match self {
            Self::Bodies(bodies) => Some(BodyList::Given(bodies)),
            Self::Upright(cuboids) => Some(BodyList::Made(OwnedBodies {
                boxes: Upright::to_boxes(cuboids)?,
                ..OwnedBodies::default()
            })),
            _ => None,
        })
    }

    /// Returns boxes of any kind as the same boxes with centers in `f64`; `None` for other shapes.
    pub fn to_boxes64(self) -> Result<Option<Cow<'a, [Obb64]>>> {
        const WHAT: &str = "the boxes with centers in f64";
        Ok(match self {
            Self::Obb64(boxes) => Some(boxes.into()),
            Self::Upright(cuboids) => Some(parallel::collect(cuboids.len(), WHAT, |k| cuboids[k].into())?.into()),
            Self::Bodies(bodies) => match bodies.only_boxes() {
                Some(boxes) => Some(parallel::collect(boxes.len(), WHAT, |k| boxes[k].into())?.into()),
                None => None,
            },
            _ => None,
        })
    }
}

impl<'a> From<Bodies<'a>> for Shapes<'a> {
    fn from(bodies: Bodies<'a>) -> Self {
        Self(ShapeList::Bodies(bodies))
    }
}

/// Converts lists of these records, as slices, vectors and arrays.
macro_rules! lists {
    ($($record:ty: $list:ident => $converted:expr;)+) => {$(
        impl<'a> From<&'a [$record]> for Shapes<'a> {
            fn from($list: &'a [$record]) -> Self {
                Self($converted)
            }
        }

        impl<'a> From<&'a Vec<$record>> for Shapes<'a> {
            fn from(records: &'a Vec<$record>) -> Self {
                records.as_slice().into()
            }
        }

        impl<'a, const N: usize> From<&'a [$record; N]> for Shapes<'a> {
            fn from(records: &'a [$record; N]) -> Self {
                records.as_slice().into()
            }
        }
    )+};
}

lists! {
    Obb: boxes => ShapeList::Bodies(boxes.into());
    Capsule: capsules => ShapeList::Bodies(capsules.into());
    Sphere: spheres => ShapeList::Bodies(spheres.into());
    Obb64: boxes => ShapeList::Obb64(boxes);
    Upright: cuboids => ShapeList::Upright(cuboids);
    Aabb: bounds => ShapeList::Aabb(bounds);
    Triangle: triangles => ShapeList::Triangle(triangles);
}
