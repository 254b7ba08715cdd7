//! How a check of convex solids begins and ends: with their bounds, which any backend takes, and with the candidate pairs, which the host
//! looks at.

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::geometry::aabb::Aabb;
use crate::geometry::pair::Pair;
use crate::narrow_phase::contact::Contact;
use crate::shapes::solid::record::Solid;

/// Pairs that a task looks at: few, as some take a hundred times as long as others.
const GRAIN: usize = 128;

/// What memory is for.
const WHAT: &str = "the pairs of solids";

/// The bounds of solids.
pub(crate) fn bounds(solids: &[Solid]) -> Result<Vec<Aabb>> {
    memory::collect(solids.iter().map(Solid::bounds), "the bounds of solids")
}

/// What became of candidate pairs, each list in their order.
#[derive(Debug, Default)]
pub(crate) struct Met {
    /// Those that share a point.
    pub pairs: Vec<Pair>,
    /// Those that only touch.
    pub touching: Vec<Pair>,
}

impl Met {
    fn add(&mut self, pair: Pair, contact: Contact) -> Result<()> {
        if contact == Contact::Touching {
            memory::push(&mut self.touching, pair, WHAT)?;
        }
        match contact.collides() {
            true => memory::push(&mut self.pairs, pair, WHAT),
            false => Ok(()),
        }
    }

    fn append(&mut self, other: &Self) -> Result<()> {
        memory::reserve(&mut self.pairs, other.pairs.len(), WHAT)?;
        memory::reserve(&mut self.touching, other.touching.len(), WHAT)?;
        self.pairs.extend_from_slice(&other.pairs);
        self.touching.extend_from_slice(&other.touching);
        Ok(())
    }
}

/// Looks at candidate pairs, on all cores.
pub(crate) fn meet(solids: &[Solid], pairs: &[Pair]) -> Result<Met> {
    let found: Vec<Result<Met>> = parallel::map_ranges_of(GRAIN, pairs.len(), |range| {
        let mut met = Met::default();
        for &pair in &pairs[range] {
            met.add(pair, solids[pair.a as usize].contact(&solids[pair.b as usize]))?;
        }
        Ok(met)
    });
    let mut all = Met::default();
    for part in found {
        all.append(&part?)?;
    }
    Ok(all)
}
