//! The exact stage: decides the pairs that rounding left undecided. It ends the checks of both backends.

use crate::base::parallel;
use crate::geometry::pair::Pair;
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::obb_obb::distance::within;
use crate::narrow_phase::obb_obb::exact::{CHUNK, Tally, classify_counted};
use crate::shapes::obb::record::Obb;

/// What the exact stage says of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// The boxes share no point and are further apart than the margin.
    Apart,
    /// The boxes share no point, but are within the margin.
    Near,
    /// The boxes share boundary points only.
    Touching,
    /// The boxes overlap.
    Overlapping,
}

impl Relation {
    /// Whether the boxes share a point.
    pub const fn collides(self) -> bool {
        matches!(self, Self::Touching | Self::Overlapping)
    }
}

/// Decides pairs of a box of the first set and one of the second, each with its margin, and hands them to `found` in order.
pub(crate) fn decide(
    [a, b]: [&[Obb]; 2],
    undecided: &[Pair],
    margin: impl Fn(Pair) -> f32,
    mut found: impl FnMut(Pair, Relation),
) -> Tally {
    let mut tally = Tally::default();
    for &pair in undecided {
        let (a, b) = (&a[pair.a as usize], &b[pair.b as usize]);
        let relation = match classify_counted(a, b, &mut tally) {
            Contact::Overlapping => Relation::Overlapping,
            Contact::Touching => Relation::Touching,
            Contact::Separated if within(a, b, margin(pair)) => Relation::Near,
            Contact::Separated => Relation::Apart,
        };
        found(pair, relation);
    }
    tally
}

/// [`decide`] on all cores: the relations of the pairs, in order.
pub(crate) fn decide_in_parallel(
    sets: [&[Obb]; 2],
    undecided: &[Pair],
    margin: impl Fn(Pair) -> f32 + Sync + Send,
) -> (Vec<Relation>, Tally) {
    let chunks = parallel::map_ranges_of(CHUNK, undecided.len(), |range| {
        let mut relations = Vec::with_capacity(range.len());
        let tally = decide(sets, &undecided[range], &margin, |_, relation| relations.push(relation));
        (relations, tally)
    });
    let (relations, tallies): (Vec<_>, Vec<_>) = chunks.into_iter().unzip();
    (relations.concat(), tallies.into_iter().sum())
}
