//! Two sets of boxes in one list, to check one against the other.
//!
//! One grid holds both, so its guarantees cover two sets as they cover one: whatever the sizes, giants included, each
//! pair is found once, in parts if necessary. The rules keep pairs within a set from being stored.

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::geometry::pair::Pair;
use crate::outputs::report::Named;
use crate::outputs::report::Report;
use crate::rules::filter::{PairRules, SetRules};
use crate::rules::model::BoxSet;
use crate::shapes::obb::record::Obb;

pub(crate) struct TwoSets {
    /// The boxes of the first set, then those of the second.
    pub boxes: Vec<Obb>,
    rules: SetRules<'static>,
    counts: [usize; 2],
}

impl TwoSets {
    pub fn new(first: BoxSet, second: BoxSet) -> Result<Self> {
        let counts = [first.boxes.len(), second.boxes.len()];
        let of_first = SetRules::new(&first.rules, counts[0])?;
        let of_second = SetRules::new(&second.rules, counts[1])?;
        let mut boxes = Vec::new();
        memory::reserve(&mut boxes, counts[0] + counts[1], "both sets of boxes")?;
        boxes.extend_from_slice(first.boxes);
        boxes.extend_from_slice(second.boxes);
        Ok(Self {
            boxes,
            rules: SetRules::joined([(&of_first, counts[0]), (&of_second, counts[1])])?,
            counts,
        })
    }

    /// The rules of the check.
    pub fn rules(&self) -> Result<PairRules<'_>> {
        PairRules::of_two_sets(&self.rules, self.counts)
    }

    /// The report, with the second box of each pair named by its position in the second set.
    pub fn named(&self, mut report: Report) -> Report {
        let second = self.counts[0] as u32;
        let rename = |_, pair: &mut Pair| pair.b -= second;
        parallel::update(&mut report.pairs, rename);
        parallel::update(&mut report.touching, rename);
        report.named = Named::TwoSets(self.counts);
        report
    }
}
