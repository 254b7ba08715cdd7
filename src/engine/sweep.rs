//! What is asked of a sweep, and how it ends: the pairs that may meet are looked at closer.

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::geometry::pair::Pair;
use crate::narrow_phase::moving_moving::impact::impact_of;
use crate::outputs::impacts::Impact;
use crate::rules::model::Rules;
use crate::shapes::moving::body::{self, Body};
use crate::shapes::moving::motion::Motion;
use crate::shapes::moving::step::Step;
use crate::shapes::obb::obb_bounds_cpu;
use crate::shapes::obb::record::Obb;

/// Boxes in motion, and what is known about each of them.
#[derive(Clone, Copy, Debug)]
pub struct MovingSet<'a> {
    /// The boxes, where they are at time 0; a pair names them by their positions.
    pub boxes: &'a [Obb],
    /// A motion for each box.
    pub motions: &'a [Motion],
    /// The rules about them.
    pub rules: Rules<'a>,
}

impl<'a> MovingSet<'a> {
    /// Boxes in motion, without rules.
    pub fn new(boxes: &'a [Obb], motions: &'a [Motion]) -> Self {
        Self {
            boxes,
            motions,
            rules: Rules::default(),
        }
    }

    /// The same boxes with these rules.
    #[must_use]
    pub fn with(self, rules: Rules<'a>) -> Self {
        Self { rules, ..self }
    }

    /// An error if something about them is not valid during a step of `dt`.
    pub(crate) fn validate(&self, dt: f64) -> Result<()> {
        obb_bounds_cpu::validate(self.boxes)?;
        body::validate(self.boxes, self.motions, dt)
    }

    /// One of them.
    pub(crate) fn body(&self, id: u32) -> Body<'a> {
        Body {
            obb: &self.boxes[id as usize],
            motion: &self.motions[id as usize],
        }
    }
}

/// Pairs that a task looks at: few, as some take a thousand times as long as others.
const GRAIN: usize = 256;

/// The impacts among pairs that may meet, of a box of the first set and one of the second, by time.
pub(crate) fn impacts(sets: [&MovingSet; 2], pairs: &[Pair], step: &Step) -> Result<Vec<Impact>> {
    const WHAT: &str = "the impacts";
    let found = parallel::map_ranges_of(GRAIN, pairs.len(), |range| {
        let mut found = Vec::new();
        for pair in &pairs[range] {
            let first = impact_of(&sets[0].body(pair.a), &sets[1].body(pair.b), step);
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
