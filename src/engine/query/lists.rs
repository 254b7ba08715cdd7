//! The lists of a query as the backends take them: the caller's, or new ones that join two sets or
//! hold boxes in place of upright cuboids.

use std::borrow::Cow;

use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::engine::query::Asked;
use crate::geometry::aabb::Aabb;
use crate::shapes::any::{BodyList, ShapeList, Shapes};
use crate::shapes::bodies::set::{Bodies, OwnedBodies};
use crate::shapes::kind::Records;
use crate::shapes::moving::record::Moving;
use crate::shapes::obb64::around::Surrounded;
use crate::shapes::triangle::record::Triangle;
use crate::shapes::triangle::set::{Neighbours, Triangles};

/// Label for out-of-memory errors.
const BOTH: &str = "both sets";

/// The records of a query, in one list.
pub(crate) enum Lists<'a> {
    Bodies(BodyList<'a>),
    Boxes64(Surrounded<'a>),
    Aabb(Cow<'a, [Aabb]>),
    Triangles(Cow<'a, [Triangle]>, Neighbours),
    Moving(&'a [Moving]),
}

impl<'a> Lists<'a> {
    /// Makes the lists of a query.
    ///
    /// # Errors
    /// If the question is not offered for these shapes, or if memory runs out.
    pub(super) fn new(asked: &Asked<'a>, has_margin: bool) -> Result<Self> {
        let lists = match *asked {
            Asked::Set(set, neighbours) => Self::of_one(set.shapes, neighbours, has_margin)?,
            Asked::Between([first, second]) => Self::joined([first.shapes, second.shapes], has_margin)?,
            Asked::MovingBetween(records, ..) => Self::Moving(records),
            Asked::Pairs(set, _) => Self::Bodies(bodies_of(set.shapes, NO_BODIES)?),
            Asked::Against(_, set) => Self::Bodies(bodies_of(set.shapes, NO_BODIES)?),
        };
        match lists {
            Self::Triangles(..) if has_margin => Err(TRIANGLES_WITH_MARGIN),
            lists => Ok(lists),
        }
    }

    fn of_one(shapes: Shapes<'a>, neighbours: Neighbours, has_margin: bool) -> Result<Self> {
        if neighbours != Neighbours::All && !matches!(shapes.0, ShapeList::Triangle(_)) {
            return Err(NO_TRIANGLES);
        }
        Ok(match shapes.0 {
            ShapeList::Bodies(_) | ShapeList::Upright(_) => Self::Bodies(bodies_of(shapes, TWO_KINDS)?),
            ShapeList::Obb64(boxes) => Self::Boxes64(Surrounded::new(boxes.into(), has_margin)?),
            ShapeList::Aabb(bounds) => Self::Aabb(bounds.into()),
            ShapeList::Triangle(triangles) => Self::Triangles(triangles.into(), neighbours),
            ShapeList::Moving(records) => Self::Moving(records),
        })
    }

    /// Joins two sets. One grid holds both, each in its own layer, so the guarantees of the grid
    /// for one set hold for two sets: for all sizes, including giants, each pair is found once, and
    /// in parts if the sets do not fit.
    fn joined(sets: [Shapes<'a>; 2], has_margin: bool) -> Result<Self> {
        Ok(match sets.map(|shapes| shapes.0) {
            [ShapeList::Aabb(a), ShapeList::Aabb(b)] => Self::Aabb(concatenated([a, b])?.into()),
            [ShapeList::Triangle(a), ShapeList::Triangle(b)] => {
                Self::Triangles(concatenated([a, b])?.into(), Neighbours::All)
            }
            lists if lists.iter().any(|list| matches!(list, ShapeList::Obb64(_))) => {
                let [Some(a), Some(b)] = [lists[0].to_boxes64()?, lists[1].to_boxes64()?] else {
                    return Err(TWO_KINDS);
                };
                Self::Boxes64(Surrounded::new(concatenated([&a, &b])?.into(), has_margin)?)
            }
            _ => {
                let [a, b] = [bodies_of(sets[0], TWO_KINDS)?, bodies_of(sets[1], TWO_KINDS)?];
                Self::Bodies(BodyList::Made(OwnedBodies::joined(&[a.all(), b.all()], BOTH)?))
            }
        })
    }

    /// Returns all records.
    pub fn records(&self) -> Records<'_> {
        match self {
            Self::Boxes64(boxes) => Records::Obb64(boxes.all()),
            Self::Aabb(bounds) => Records::Aabb(bounds),
            Self::Triangles(list, neighbours) => Records::Triangles(Triangles {
                list,
                neighbours: *neighbours,
            }),
            Self::Moving(records) => Records::Moving(records),
            Self::Bodies(bodies) => bodies.all().into(),
        }
    }

    /// Returns the bodies; none if the shapes are others.
    pub fn bodies(&self) -> Bodies<'_> {
        match self {
            Self::Bodies(bodies) => bodies.all(),
            _ => Bodies::default(),
        }
    }

    /// Converts a length among the records to the caller's unit.
    pub fn undone(&self, length: f32) -> f32 {
        match self {
            Self::Boxes64(boxes) => boxes.undone(length),
            _ => length,
        }
    }
}

/// Returns the bodies of a question that is offered for no other shapes; otherwise this error.
pub(crate) fn bodies_of(shapes: Shapes<'_>, error: Error) -> Result<BodyList<'_>> {
    shapes.0.to_bodies()?.ok_or(error)
}

fn concatenated<T: Copy>(lists: [&[T]; 2]) -> Result<Vec<T>> {
    let mut all = Vec::new();
    memory::reserve(&mut all, lists[0].len() + lists[1].len(), BOTH)?;
    lists.iter().for_each(|list| all.extend_from_slice(list));
    Ok(all)
}

/// The error for shapes other than bodies, in a question about bodies.
pub(crate) const NO_BODIES: Error = Error::Unavailable {
    what: "the answer for these shapes",
    hint: "pass boxes, capsules, spheres or upright cuboids",
};

/// The error for shapes other than triangles, in a question about a mesh.
const NO_TRIANGLES: Error = Error::Unavailable {
    what: "the self-intersections of these shapes",
    hint: "pass triangles",
};

/// The error for two sets whose shapes are not compared with each other.
const TWO_KINDS: Error = Error::Unavailable {
    what: "a check of two sets of these shapes",
    hint: "pass two sets of bodies, of boxes with centers in f64, of bounds, or of triangles; `MeshQuery` compares \
           triangles with bodies",
};

/// The error for a check of triangles with a margin.
pub(crate) const TRIANGLES_WITH_MARGIN: Error = Error::Unavailable {
    what: "a check of triangles with a margin",
    hint: "set `Config::margin` to 0, and leave `Rules::margins` out",
};
