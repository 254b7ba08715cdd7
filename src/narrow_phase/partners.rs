//! The two sets that listed pairs refer to.

use std::borrow::Cow;

use glam::Vec3;

use crate::base::error::{Error, Result};
use crate::base::problem::PeriodProblem;
use crate::geometry::pair::{Pair, validate_pairs_of};
use crate::geometry::period::{Image, Period};
use crate::narrow_phase::images::PeriodicPair;
use crate::narrow_phase::in_plane::pair::PlanePair;
use crate::narrow_phase::obb_obb::exact::apart::Apart;
use crate::narrow_phase::obb_obb::overlap::two::{Measure, Two};
use crate::shapes::any::{BodyList, Shapes};
use crate::shapes::bodies::set::{Bodies, BodyRef};
use crate::shapes::bounds::validate;
use crate::shapes::obb64::record::Obb64;

/// The error for pairs with a round body.
pub(crate) const ROUND: Error = Error::Unavailable {
    what: "the overlap volume of capsules and spheres",
    hint: "list pairs of boxes or of upright cuboids alone",
};

/// Space that repeats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repeating<'a> {
    pub period: &'a Period,
    /// See [`PeriodicPair::in_plane`].
    pub in_plane: bool,
}

/// Two sets of bodies, or two of boxes with centers in `f64`.
#[derive(Debug)]
pub(crate) enum Partners<'a> {
    Bodies([BodyList<'a>; 2]),
    Boxes64([Cow<'a, [Obb64]>; 2]),
}

impl<'a> Partners<'a> {
    /// # Errors
    /// If contacts between these shapes are not offered, or if memory runs out.
    pub fn new(sets: [Shapes<'a>; 2]) -> Result<Self> {
        let [a, b] = sets.map(|shapes| shapes.0);
        if let [Some(a), Some(b)] = [a.to_bodies()?, b.to_bodies()?] {
            return Ok(Self::Bodies([a, b]));
        }
        match [a.to_boxes64()?, b.to_boxes64()?] {
            [Some(a), Some(b)] => Ok(Self::Boxes64([a, b])),
            _ => Err(Error::Unavailable {
                what: "contacts or distances of these shapes",
                hint: "pass two sets of boxes, capsules and spheres, or two sets of boxes of which some have centers \
                       in f64",
            }),
        }
    }

    /// Calls a function with the bodies of a pair in space that repeats, or in the plane of it. The
    /// pair must exist.
    pub fn periodic<T>(
        &self,
        pair: Pair,
        Repeating { period, in_plane }: Repeating<'_>,
        work: impl FnOnce(PeriodicPair<'_>) -> T,
    ) -> T {
        match self {
            Self::Bodies([a, b]) => {
                let bodies = [a.all().at(pair.a), b.all().at(pair.b)];
                let centers = bodies.map(|body| body.center().as_dvec3());
                work(PeriodicPair {
                    bodies,
                    centers,
                    period,
                    in_plane,
                })
            }
            Self::Boxes64([a, b]) => {
                let boxes = [&a[pair.a as usize], &b[pair.b as usize]];
                let own = boxes.map(|obb| obb.centered_at(Vec3::ZERO));
                let centers = boxes.map(|obb| obb.center);
                let bodies = own.each_ref().map(BodyRef::from);
                work(PeriodicPair {
                    bodies,
                    centers,
                    period,
                    in_plane,
                })
            }
        }
    }

    /// Returns the image of a pair's b with the deepest contact, or the nearest one if none
    /// collides. The pair must exist.
    pub fn contact_image(&self, pair: Pair, space: Repeating<'_>) -> Image {
        self.periodic(pair, space, |pair| pair.deepest().unwrap_or_else(|| pair.nearest()))
    }

    /// Returns the boxes of a pair, to measure their overlap; `None` if a body is round. The pair
    /// must exist.
    pub fn two(&self, pair: Pair, measure: Measure) -> Option<Two> {
        match self {
            Self::Bodies([a, b]) => {
                let [a, b] = [a.all().at(pair.a).as_box()?, b.all().at(pair.b).as_box()?];
                let apart = Apart::between(a.center.as_dvec3(), b.center.as_dvec3());
                Some(Two::new([a, b], apart, measure))
            }
            Self::Boxes64([a, b]) => {
                let boxes = [&a[pair.a as usize], &b[pair.b as usize]];
                let apart = Apart::between(boxes[0].center, boxes[1].center);
                let own = boxes.map(|obb| obb.centered_at(Vec3::ZERO));
                Some(Two::new(own.each_ref(), apart, measure))
            }
        }
    }

    /// Calls a function with the bodies of a pair in the plane. The pair must exist.
    pub fn in_plane<T>(&self, pair: Pair, work: impl FnOnce(PlanePair<'_>) -> T) -> T {
        match self {
            Self::Bodies([a, b]) => {
                let bodies = [a.all().at(pair.a), b.all().at(pair.b)];
                work(PlanePair {
                    bodies,
                    centers: bodies.map(|body| body.center().truncate().as_dvec2()),
                    collide: &|| bodies[0].contact(bodies[1]).collides(),
                })
            }
            Self::Boxes64([a, b]) => {
                let boxes = [&a[pair.a as usize], &b[pair.b as usize]];
                let own = boxes.map(|obb| obb.centered_at(Vec3::ZERO));
                work(PlanePair {
                    bodies: own.each_ref().map(BodyRef::from),
                    centers: boxes.map(|obb| obb.center.truncate()),
                    collide: &|| boxes[0].contact(boxes[1]).collides(),
                })
            }
        }
    }

    /// Returns the position of the first body that is too far out for a period, the problem, and
    /// the number of such bodies, if there are any. Positions continue from the first set to the
    /// second.
    pub fn out_of_period(&self, period: &Period) -> Option<(usize, PeriodProblem, usize)> {
        let counts = self.counts();
        let center = |index: usize| {
            let (set, id) = match index.checked_sub(counts[0]) {
                None => (0, index),
                Some(id) => (1, id),
            };
            match self {
                Self::Bodies(sets) => sets[set].all().at(id as u32).center().as_dvec3(),
                Self::Boxes64(sets) => sets[set][id].center,
            }
        };
        let problems = (0..counts[0] + counts[1]).map(|index| period.problem(center(index)));
        let mut those = problems
            .enumerate()
            .filter_map(|(index, problem)| Some((index, problem?)));
        let (index, problem) = those.next()?;
        Some((index, problem, 1 + those.count()))
    }

    /// Returns an error if a pair names a shape missing from its set.
    pub fn expect_pairs(&self, pairs: &[Pair]) -> Result<()> {
        validate_pairs_of(self.counts(), pairs)
    }

    /// Returns an error if a body has no overlap volume: if it is round.
    pub fn expect_boxes(&self) -> Result<()> {
        let round = |set: Bodies<'_>| set.only_boxes().is_none();
        match self {
            Self::Bodies([a, b]) if round(a.all()) || round(b.all()) => Err(ROUND),
            _ => Ok(()),
        }
    }

    /// Returns the number of shapes in each set.
    fn counts(&self) -> [usize; 2] {
        match self {
            Self::Bodies([a, b]) => [a.all().len(), b.all().len()],
            Self::Boxes64([a, b]) => [a.len(), b.len()],
        }
    }

    /// Returns an error if a pair names a shape missing from its set, or if a shape is invalid.
    /// Positions continue from the first set to the second.
    pub fn validate(&self, pairs: &[Pair]) -> Result<()> {
        self.expect_pairs(pairs)?;
        match self {
            Self::Bodies([a, b]) => {
                let (a, b) = (a.all(), b.all());
                a.validate()?;
                if is_same(a, b) {
                    return Ok(());
                }
                b.validate().map_err(|error| error.after(a.len()))
            }
            Self::Boxes64([a, b]) => {
                validate(a, Obb64::problem)?;
                if std::ptr::eq(&**a, &**b) {
                    return Ok(());
                }
                validate(b, Obb64::problem).map_err(|error| error.after(a.len()))
            }
        }
    }
}

/// Returns `true` if both are the same lists.
fn is_same(a: Bodies<'_>, b: Bodies<'_>) -> bool {
    std::ptr::eq(a.boxes, b.boxes) && std::ptr::eq(a.capsules, b.capsules) && std::ptr::eq(a.spheres, b.spheres)
}
