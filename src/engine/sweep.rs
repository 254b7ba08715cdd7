//! What is asked of a sweep, and how it ends: the pairs that may meet are looked at closer.

use glam::{Quat, Vec3};

use crate::base::error::Result;
use crate::base::problem::COORDINATE_LIMIT;
use crate::base::stop::Stop;
use crate::base::{memory, parallel};
use crate::engine::prepared::PreparedScene;
use crate::geometry::pair::Pair;
use crate::narrow_phase::moving_moving::impact::time_of_impact;
use crate::outputs::impacts::Impact;
use crate::rules::model::Rules;
use crate::shapes::bodies::set::{Bodies, BodyRef};
use crate::shapes::moving::body::{self, MovingCore};
use crate::shapes::moving::motion::Motion;
use crate::shapes::moving::record::Moving;
use crate::shapes::moving::step::Step;
use crate::shapes::obb::record::Obb;

/// Bodies in motion, and what is known about each of them.
#[derive(Clone, Copy, Debug)]
pub struct MovingSet<'a> {
    /// The bodies, where they are at time 0; a pair names them by their positions.
    pub bodies: Bodies<'a>,
    /// A motion for each body, in the order of their numbering. How a ball turns is of no account.
    pub motions: &'a [Motion],
    /// The rules about them.
    pub rules: Rules<'a>,
}

impl<'a> MovingSet<'a> {
    /// Bodies in motion, without rules: [`Bodies`], or a list of one kind.
    pub fn new(bodies: impl Into<Bodies<'a>>, motions: &'a [Motion]) -> Self {
        Self {
            bodies: bodies.into(),
            motions,
            rules: Rules::default(),
        }
    }

    /// The same bodies with these rules.
    #[must_use]
    pub fn with(self, rules: Rules<'a>) -> Self {
        Self { rules, ..self }
    }

    /// An error if something about them is not valid during a step of `dt`.
    pub(crate) fn validate(&self, dt: f64) -> Result<()> {
        self.bodies.validate()?;
        body::validate(self.bodies, self.motions, dt)
    }

    /// One of them as what is in motion.
    pub(crate) fn core(&self, id: u32) -> MovingCore {
        let (body, motion) = self.body(id);
        MovingCore::new(body, motion)
    }
}

/// Bytes of the host's that a sweep of so many bodies takes beside the check of their records, with so many impacts: the records, and each
/// impact in the list of a task, which may be twice as long as it need be, and in that of all.
pub(crate) fn bytes_for(bodies: u64, impacts: u64) -> u64 {
    let records = bodies.saturating_mul(size_of::<Moving>() as u64);
    records.saturating_add(impacts.saturating_mul(3 * size_of::<Impact>() as u64))
}

/// Pairs that a task looks at: few, as some take a thousand times as long as others.
const GRAIN: usize = 256;

/// Something that bodies in motion are found in by their positions.
pub(crate) trait InMotion: Sync {
    /// One of them.
    fn body(&self, id: u32) -> (BodyRef<'_>, &Motion);
}

impl InMotion for MovingSet<'_> {
    fn body(&self, id: u32) -> (BodyRef<'_>, &Motion) {
        (self.bodies.at(id), &self.motions[id as usize])
    }
}

/// They rest.
impl InMotion for PreparedScene {
    fn body(&self, id: u32) -> (BodyRef<'_>, &Motion) {
        (self.bodies().at(id), &Motion::REST)
    }
}

/// A box around each of them during a step of `dt`, as one of a check. Where its numbers would be too large it is one that holds the
/// center of any body.
pub(crate) fn swept_boxes(set: &MovingSet<'_>, dt: f64) -> Result<Vec<Obb>> {
    Ok(parallel::collect(
        set.bodies.len(),
        "the boxes around what moves",
        |id| {
            let MovingCore { core, motion } = set.core(id as u32);
            let around = motion.swept_box(&core.around(), dt);
            match around.problem() {
                None => around,
                Some(_) => Obb {
                    center: Vec3::ZERO,
                    half_extents: Vec3::splat(COORDINATE_LIMIT),
                    rotation: Quat::IDENTITY,
                    ..around
                },
            }
        },
    )?)
}

/// The impacts among pairs that may meet, of one of the first and one of the second, by time.
pub(crate) fn impacts(sets: [&dyn InMotion; 2], pairs: &[Pair], step: &Step, stop: &Stop) -> Result<Vec<Impact>> {
    const WHAT: &str = "the impacts";
    let found = parallel::map_ranges_of(GRAIN, pairs.len(), |range| {
        stop.check()?;
        let mut found = Vec::new();
        for pair in &pairs[range] {
            let ((a, of_a), (b, of_b)) = (sets[0].body(pair.a), sets[1].body(pair.b));
            let first = time_of_impact([a, b], [of_a, of_b], step);
            if let Some(first) = first {
                memory::push(&mut found, Impact { pair: *pair, first }, WHAT)?;
            }
        }
        Ok(found)
    });
    let found = found.into_iter().collect::<Result<Vec<_>>>()?;
    let mut impacts = Vec::new();
    memory::reserve(&mut impacts, found.iter().map(Vec::len).sum(), WHAT)?;
    found.iter().for_each(|part| impacts.extend_from_slice(part));
    impacts.sort_unstable_by(|a, b| a.first.time.total_cmp(&b.first.time).then(a.pair.cmp(&b.pair)));
    Ok(impacts)
}
