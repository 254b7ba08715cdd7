//! The shapes represented by tracked boxes: capsules and spheres are tracked as the boxes around
//! them, and tested by their true shapes.

use crate::base::error::Result;
use crate::base::problem::COORDINATE_LIMIT;
use crate::base::{memory, parallel};
use crate::geometry::pair::Pair;
use crate::narrow_phase::round::clearance::{clearance, round_clearances};
use crate::shapes::bodies::core::Core;
use crate::shapes::bodies::set::{Bodies, BodyRef};
use crate::shapes::obb::record::Obb;
use crate::tracking::id_map::IdMap;

/// Label for out-of-memory errors.
const WHAT: &str = "the boxes around bodies";

/// The bodies of a frame by their slots.
#[derive(Clone, Copy)]
pub(crate) struct Shapes<'a> {
    bodies: Bodies<'a>,
    names: &'a IdMap,
}

/// The shape of a body, without its position. For a box, the tracked box itself has the shape.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Form {
    is_round: bool,
    half_length: f32,
    radius: f32,
}

impl<'a> Shapes<'a> {
    pub fn new(bodies: Bodies<'a>, names: &'a IdMap) -> Self {
        Self { bodies, names }
    }

    fn at(&self, slot: u32) -> BodyRef<'a> {
        self.bodies.at(self.names.position(slot))
    }

    /// Returns the two bodies of a pair, if at least one of them is not a box.
    fn round_pair(&self, pair: Pair) -> Option<[BodyRef<'a>; 2]> {
        if !self.any_round() {
            return None;
        }
        let bodies = [self.at(pair.a), self.at(pair.b)];
        bodies.iter().any(|body| body.as_box().is_none()).then_some(bodies)
    }

    /// Returns `true` if not all bodies are boxes.
    pub fn any_round(&self) -> bool {
        self.bodies.only_boxes().is_none()
    }

    /// Returns `true` if neither body of a pair of slots is a box.
    pub fn are_round(&self, pair: Pair) -> bool {
        let is_round = |slot| self.at(slot).as_box().is_none();
        is_round(pair.a) && is_round(pair.b)
    }

    /// Calls `found` with batches of pairs of slots, each of two round bodies, and their clearances
    /// as far as `f32` decides: infinite if the groups forbid a pair.
    pub fn round_clearances(&self, pairs: &[Pair], found: impl FnMut(&[Pair], &[f32])) {
        let slots = |pair: Pair| [self.at(pair.a).into(), self.at(pair.b).into()];
        round_clearances(slots, pairs, found);
    }

    /// Returns the clearance of a pair of slots, given that of the boxes around: infinite if the
    /// groups forbid the pair.
    pub fn clearance(&self, pair: Pair, around: f32) -> f32 {
        match self.round_pair(pair) {
            Some(bodies) if around < f32::INFINITY => clearance(bodies),
            _ => around,
        }
    }

    /// Returns `true` if a pair of slots collides, given the result for the boxes around.
    pub fn collide(&self, pair: Pair, around: bool) -> bool {
        match self.round_pair(pair) {
            Some([a, b]) => a.contact(b).collides(),
            None => around,
        }
    }

    /// Returns the forms by slots; none at all if all bodies are boxes.
    pub fn forms(&self) -> Result<Vec<Form>> {
        let count = match self.bodies.only_boxes() {
            Some(_) => 0,
            None => self.bodies.len(),
        };
        Ok(parallel::collect(count, "the shapes of bodies", |slot| {
            let body = self.at(slot as u32);
            match body.as_box() {
                Some(_) => Form::default(),
                None => {
                    let core = Core::from(body);
                    Form {
                        is_round: true,
                        half_length: core.obb.half_extents.z,
                        radius: core.radius,
                    }
                }
            }
        })?)
    }
}

/// Makes the boxes around bodies that are not all boxes, in `room`; `None` if some would be too
/// large.
pub(crate) fn around<'a>(bodies: Bodies<'_>, room: &'a mut Vec<Obb>) -> Result<Option<&'a [Obb]>> {
    let is_too_long = |length: f32, radius: f32| length + radius > COORDINATE_LIMIT;
    let mut capsules = bodies.capsules.iter();
    if capsules.any(|capsule| is_too_long(capsule.half_length, capsule.radius)) {
        return Ok(None);
    }
    memory::make_scratch(room, bodies.len(), WHAT)?;
    parallel::fill(room, |id| Core::from(bodies.at(id as u32)).around());
    Ok(Some(room))
}
