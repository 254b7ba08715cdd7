//! Queries of many pairs of solids, on all cores.

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::geometry::pair::{Pair, validate_pairs};
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::narrow_phase::solid_solid::within::within;
use crate::shapes::solid::record::Solid;

/// The number of pairs per task: few, because some take a hundred times as long as others.
const GRAIN: usize = 128;

/// Label for out-of-memory errors.
const WHAT: &str = "the pairs of solids";

impl Solid {
    /// Returns the closest points of each of some pairs of solids, as [`Solid::closest_points`]
    /// does, on all cores.
    ///
    /// # Errors
    /// [`Error::InvalidPair`](crate::Error::InvalidPair) if a pair names a solid that does not
    /// exist;
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn closest_points_of(solids: &[Self], pairs: &[Pair]) -> Result<Vec<ClosestPoints>> {
        validate_pairs(solids.len(), pairs)?;
        Ok(parallel::collect(pairs.len(), "the closest points of pairs", |k| {
            solids[pairs[k].a as usize].closest_points(&solids[pairs[k].b as usize])
        })?)
    }
}

/// The results of candidate pairs, each list in their order.
#[derive(Debug, Default)]
pub(crate) struct Met {
    /// The pairs that share a point or are within the margin.
    pub pairs: Vec<Pair>,
    /// The pairs that only touch.
    pub touching: Vec<Pair>,
    /// The number of pairs that are only within the margin.
    pub near: u64,
}

impl Met {
    fn add(&mut self, solids: &[Solid], pair: Pair, margin: f64) -> Result<()> {
        let [a, b] = [pair.a, pair.b].map(|solid| &solids[solid as usize]);
        match a.contact(b) {
            Contact::Separated if within(a, b, margin) => self.near += 1,
            Contact::Separated => return Ok(()),
            Contact::Touching => memory::push(&mut self.touching, pair, WHAT)?,
            Contact::Overlapping => {}
        }
        Ok(memory::push(&mut self.pairs, pair, WHAT)?)
    }

    fn append(&mut self, other: &Self) -> Result<()> {
        memory::reserve(&mut self.pairs, other.pairs.len(), WHAT)?;
        memory::reserve(&mut self.touching, other.touching.len(), WHAT)?;
        self.pairs.extend_from_slice(&other.pairs);
        self.touching.extend_from_slice(&other.touching);
        self.near += other.near;
        Ok(())
    }
}

/// Tests candidate pairs.
pub(crate) fn meet(solids: &[Solid], pairs: &[Pair], margin: f64) -> Result<Met> {
    let found: Vec<Result<Met>> = parallel::map_ranges_of(GRAIN, pairs.len(), |range| {
        let mut met = Met::default();
        pairs[range]
            .iter()
            .try_for_each(|&pair| met.add(solids, pair, margin))?;
        Ok(met)
    });
    let mut all = Met::default();
    for part in found {
        all.append(&part?)?;
    }
    Ok(all)
}
