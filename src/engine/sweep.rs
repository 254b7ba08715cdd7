//! What is asked of a sweep, and how it ends: the pairs that may meet are looked at closer.

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::geometry::pair::Pair;
use crate::narrow_phase::moving_moving::impact::time_of_impact;
use crate::outputs::impacts::Impact;
use crate::rules::model::Rules;
use crate::shapes::bodies::set::{Bodies, BodyRef};
use crate::shapes::moving::body::{self, MovingCore};
use crate::shapes::moving::motion::Motion;
use crate::shapes::moving::step::Step;

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

    /// One of them.
    fn body(&self, id: u32) -> (BodyRef<'a>, &'a Motion) {
        (self.bodies.at(id), &self.motions[id as usize])
    }

    /// The same as what is in motion.
    pub(crate) fn core(&self, id: u32) -> MovingCore {
        let (body, motion) = self.body(id);
        MovingCore::new(body, motion)
    }
}

/// Pairs that a task looks at: few, as some take a thousand times as long as others.
const GRAIN: usize = 256;

/// The impacts among pairs that may meet, of a body of the first set and one of the second, by time.
pub(crate) fn impacts(sets: [&MovingSet; 2], pairs: &[Pair], step: &Step) -> Result<Vec<Impact>> {
    const WHAT: &str = "the impacts";
    let found = parallel::map_ranges_of(GRAIN, pairs.len(), |range| {
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
