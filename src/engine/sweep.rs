//! The input of a sweep, and its last stage: the exact test of candidate pairs.

use std::ops::Range;

use glam::{Quat, Vec3};

use crate::base::config::Precision;
use crate::base::error::{Error, Result};
use crate::base::problem::COORDINATE_LIMIT;
use crate::base::stop::Stop;
use crate::base::{memory, parallel};
use crate::engine::prepared::PreparedScene;
use crate::geometry::pair::Pair;
use crate::narrow_phase::moving_moving::closest_approach::{ClosestApproach, approach_within};
use crate::narrow_phase::moving_moving::impact::{straight_spheres, time_of_impact};
use crate::narrow_phase::moving_moving::sphere_lanes::SphereLanes;
use crate::outputs::approaches::Approaching;
use crate::outputs::impacts::Impact;
use crate::rules::model::Rules;
use crate::shapes::bodies::set::{Bodies, BodyRef};
use crate::shapes::moving::body::{self, MovingCore};
use crate::shapes::moving::motion::Motion;
use crate::shapes::moving::record::{Moving, widened};
use crate::shapes::moving::step::Step;
use crate::shapes::obb::record::Obb;

/// Label for out-of-memory errors.
const APPROACHES: &str = "the approaches";

/// Moving bodies with their motions and rules.
#[derive(Clone, Copy, Debug)]
pub struct MovingSet<'a> {
    /// The bodies at their positions at time 0; a pair names them by their positions in the list.
    pub bodies: Bodies<'a>,
    /// A motion for each body, in the order of their numbering. The rotation of a sphere is
    /// ignored.
    pub motions: &'a [Motion],
    /// The rules for the bodies.
    pub rules: Rules<'a>,
    /// The rank of each body, if it is not its position: of a pair within one set, the body of the
    /// lower rank is `a`, and results that are at the same time are sorted by ranks.
    pub ranks: Option<&'a [u32]>,
}

impl<'a> MovingSet<'a> {
    /// Creates a set of moving bodies without rules, from [`Bodies`] or a list of one kind.
    pub fn new(bodies: impl Into<Bodies<'a>>, motions: &'a [Motion]) -> Self {
        Self {
            bodies: bodies.into(),
            motions,
            rules: Rules::default(),
            ranks: None,
        }
    }

    /// Returns the same bodies with these rules.
    #[must_use]
    pub fn with(self, rules: Rules<'a>) -> Self {
        Self { rules, ..self }
    }

    /// Returns the same bodies with these ranks, one for each: the order of a caller's ids. If
    /// there is not one for each, questions about the set answer [`Error::MissingIds`].
    ///
    /// ```
    /// use obbligato::glam::Vec3;
    /// use obbligato::motion::{Motion, MovingSet, Step};
    /// use obbligato::query::Sweep;
    /// use obbligato::{Backend, Checker, Config, Pair, Sphere};
    /// # fn main() -> obbligato::Result<()> {
    /// let balls = [0.0, 4.0].map(|x| Sphere::new(Vec3::new(x, 0.0, 0.0), 1.0));
    /// let motions = [Motion::linear(Vec3::X), Motion::REST];
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// // The second ball is called 3, and the first 8.
    /// let set = MovingSet::new(&balls, &motions).ranked(&[8, 3]);
    /// let found = checker.check(Sweep::new(set, &Step::new(4.0)))?;
    /// let Pair { a, b } = found.impacts[0].pair;
    /// assert_eq!((a, b), (1, 0));
    /// // The normal points from the second ball to the first.
    /// assert_eq!(found.impacts[0].first.normal.x, -1.0);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn ranked(self, ranks: &'a [u32]) -> Self {
        Self {
            ranks: Some(ranks),
            ..self
        }
    }

    /// Returns an error if a body or a motion is invalid during a step of `dt`, or a motion is
    /// missing.
    pub(crate) fn validate(&self, dt: f64) -> Result<()> {
        self.bodies.validate()?;
        let (bodies, ranks) = (self.bodies.len(), self.ranks);
        if let Some(ranks) = ranks.filter(|ranks| ranks.len() != bodies) {
            return Err(Error::MissingIds {
                boxes: bodies,
                ids: ranks.len(),
            });
        }
        body::validate(self.bodies, self.motions, dt)
    }

    /// Returns candidate pairs of this set and another, or within this set if `first_set` is
    /// `None`: then the body of the lower rank comes first.
    pub(crate) fn ordered<'p>(&'p self, first_set: Option<usize>, pairs: &'p [Pair]) -> OrderedPairs<'p> {
        OrderedPairs {
            pairs,
            ranks: self.ranks.filter(|_| first_set.is_none()),
        }
    }

    /// Returns one of the bodies as a moving core.
    pub(crate) fn core(&self, id: u32) -> MovingCore {
        let (body, motion) = self.body(id);
        MovingCore::new(body, motion)
    }
}

/// Returns the number of host bytes that a sweep of this many bodies with this many impacts takes
/// in addition to the check of their records: the records, and each impact both in the list of a
/// task, which may be twice as long as needed, and in the list of all.
pub(crate) fn bytes_for(bodies: u64, impacts: u64) -> u64 {
    let records = bodies.saturating_mul(size_of::<Moving>() as u64);
    records.saturating_add(impacts.saturating_mul(3 * size_of::<Impact>() as u64))
}

/// Number of pairs that a task tests: few, because some take a thousand times as long as others.
const GRAIN: usize = 256;

/// Candidate pairs, in the order of the bodies' ranks, if they have any.
#[derive(Clone, Copy)]
pub(crate) struct OrderedPairs<'a> {
    pairs: &'a [Pair],
    ranks: Option<&'a [u32]>,
}

impl<'a> From<&'a [Pair]> for OrderedPairs<'a> {
    fn from(pairs: &'a [Pair]) -> Self {
        Self { pairs, ranks: None }
    }
}

impl OrderedPairs<'_> {
    fn each(&self, range: Range<usize>) -> impl Iterator<Item = Pair> {
        self.pairs[range].iter().map(|&Pair { a, b }| match self.ranks {
            Some(ranks) if ranks[a as usize] > ranks[b as usize] => Pair { a: b, b: a },
            _ => Pair { a, b },
        })
    }
}

/// A list of moving bodies, accessed by position.
pub(crate) trait InMotion: Sync {
    /// Returns the body at a position, with its motion.
    fn body(&self, id: u32) -> (BodyRef<'_>, &Motion);

    /// Returns the rank of the body at a position.
    fn rank(&self, id: u32) -> u32 {
        id
    }
}

/// Sorts results by their times, then by the ranks of their bodies.
pub(crate) fn sort_by_time<T>(found: &mut [T], sets: [&dyn InMotion; 2], of: impl Fn(&T) -> (f64, Pair)) {
    let ranks = |pair: Pair| (sets[0].rank(pair.a), sets[1].rank(pair.b), pair);
    found.sort_unstable_by(|x, y| {
        let ((time, pair), (other_time, other)) = (of(x), of(y));
        time.total_cmp(&other_time).then_with(|| ranks(pair).cmp(&ranks(other)))
    });
}

impl InMotion for MovingSet<'_> {
    fn body(&self, id: u32) -> (BodyRef<'_>, &Motion) {
        (self.bodies.at(id), &self.motions[id as usize])
    }

    fn rank(&self, id: u32) -> u32 {
        self.ranks.map_or(id, |ranks| ranks[id as usize])
    }
}

/// Bodies of a prepared scene are at rest.
impl InMotion for PreparedScene {
    fn body(&self, id: u32) -> (BodyRef<'_>, &Motion) {
        (self.bodies().at(id), &Motion::REST)
    }
}

/// Returns the boxes around the paths of bodies during a step of `dt`, and around all that is
/// within `margin` of them, as the boxes of a check.
pub(crate) fn swept_boxes(set: &MovingSet<'_>, (dt, margin): (f64, f64)) -> Result<Vec<Obb>> {
    let around = |id: usize| swept_box(set.bodies.at(id as u32), &set.motions[id], (dt, margin));
    Ok(parallel::collect(
        set.bodies.len(),
        "the boxes around what moves",
        around,
    )?)
}

/// Returns a box around a body's path during a step of `dt`, and around all that is within `margin`
/// of it. If its numbers would be too large, it is replaced by one that contains the center of any
/// body.
pub(crate) fn swept_box(body: BodyRef<'_>, motion: &Motion, (dt, margin): (f64, f64)) -> Obb {
    let MovingCore { core, motion, .. } = MovingCore::new(body, motion);
    let around = widened(motion.swept_box(&core.around(), dt), margin);
    match around.problem() {
        None => around,
        Some(_) => Obb {
            center: Vec3::ZERO,
            half_extents: Vec3::splat(COORDINATE_LIMIT),
            rotation: Quat::IDENTITY,
            ..around
        },
    }
}

/// Returns the impacts among candidate pairs of a body of the first set and one of the second, by
/// time.
pub(crate) fn impacts(
    sets: [&dyn InMotion; 2],
    pairs: OrderedPairs<'_>,
    step: &Step,
    stop: &Stop,
) -> Result<Vec<Impact>> {
    let mut impacts = found_among(sets, pairs, stop, "the impacts", |pair, bodies, motions| {
        let first = time_of_impact(bodies, motions, step)?;
        Some(Impact { pair, first })
    })?;
    sort_by_time(&mut impacts, sets, |impact| (impact.first.time, impact.pair));
    Ok(impacts)
}

/// Returns those of the candidate pairs that come within a distance of each other, by time. With
/// [`Precision::Fast`], spheres that move straight are compared in `f32`.
pub(crate) fn approaches(
    sets: [&dyn InMotion; 2],
    pairs: OrderedPairs<'_>,
    (step, within): (&Step, f64),
    precision: Precision,
    stop: &Stop,
) -> Result<Vec<Approaching>> {
    let mut found = match precision {
        Precision::Fast => found_in_ranges(pairs, stop, |pairs, found| {
            approaches_in_f32(sets, pairs, (step, within), found)
        })?,
        Precision::Exact | Precision::Conservative => {
            found_among(sets, pairs, stop, APPROACHES, |pair, bodies, motions| {
                let nearest = approach_within(bodies, motions, step, within)?;
                Some(Approaching { pair, nearest })
            })?
        }
    };
    sort_by_time(&mut found, sets, |near| (near.nearest.time, near.pair));
    Ok(found)
}

/// Adds those of the candidate pairs that come within a distance of each other. Spheres that move
/// straight are compared in `f32`.
fn approaches_in_f32(
    sets: [&dyn InMotion; 2],
    pairs: &mut dyn Iterator<Item = Pair>,
    (step, within): (&Step, f64),
    found: &mut Vec<Approaching>,
) -> Result<()> {
    let mut lanes = SphereLanes::new(step.dt);
    let take = |lanes: &mut SphereLanes, found: &mut Vec<Approaching>| {
        let those = lanes.take().filter(|(_, _, distance)| f64::from(*distance) <= within);
        those.into_iter().try_for_each(|(pair, part, distance)| {
            let nearest = ClosestApproach {
                time: f64::from(part) * step.dt,
                distance: distance.into(),
                is_resolved: true,
            };
            memory::push(found, Approaching { pair, nearest }, APPROACHES)
        })
    };
    for pair in pairs {
        let ((a, of_a), (b, of_b)) = (sets[0].body(pair.a), sets[1].body(pair.b));
        let spheres = straight_spheres([a, b], [of_a, of_b]);
        if spheres.is_some_and(|balls| lanes.add(pair, balls, [of_a.velocity, of_b.velocity])) {
            if lanes.is_full() {
                take(&mut lanes, found)?;
            }
        } else if let Some(nearest) = approach_within([a, b], [of_a, of_b], step, within) {
            memory::push(found, Approaching { pair, nearest }, APPROACHES)?;
        }
    }
    Ok(take(&mut lanes, found)?)
}

/// Returns what `find` finds for the pairs, on all cores.
pub(crate) fn found_among<T: Copy + Send>(
    sets: [&dyn InMotion; 2],
    pairs: OrderedPairs<'_>,
    stop: &Stop,
    what: &'static str,
    find: impl Fn(Pair, [BodyRef<'_>; 2], [&Motion; 2]) -> Option<T> + Sync + Send,
) -> Result<Vec<T>> {
    found_in_ranges(pairs, stop, |pairs, found| {
        for pair in pairs {
            let ((a, of_a), (b, of_b)) = (sets[0].body(pair.a), sets[1].body(pair.b));
            if let Some(one) = find(pair, [a, b], [of_a, of_b]) {
                memory::push(found, one, what)?;
            }
        }
        Ok(())
    })
}

/// Returns what `find` adds for ranges of the pairs, on all cores.
fn found_in_ranges<T: Copy + Send>(
    pairs: OrderedPairs<'_>,
    stop: &Stop,
    find: impl Fn(&mut dyn Iterator<Item = Pair>, &mut Vec<T>) -> Result<()> + Sync + Send,
) -> Result<Vec<T>> {
    let found = parallel::map_ranges_of(GRAIN, pairs.pairs.len(), |range| {
        stop.check()?;
        let mut found = Vec::new();
        find(&mut pairs.each(range), &mut found)?;
        Ok(found)
    });
    let found = found.into_iter().collect::<Result<Vec<_>>>()?;
    let mut all = Vec::new();
    memory::reserve(&mut all, found.iter().map(Vec::len).sum(), "the pairs in motion")?;
    found.iter().for_each(|part| all.extend_from_slice(part));
    Ok(all)
}
