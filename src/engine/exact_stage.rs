//! The exact stage: decides the pairs that rounding left undecided. It is the last stage of both
//! backends.

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::geometry::pair::Pair;
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::obb_obb::exact::{CHUNK, Tally, classify_pairs};
use crate::shapes::bodies::set::{Bodies, BodyRef};
use crate::shapes::triangle::set::Triangles;
#[cfg(feature = "gpu")]
use crate::{
    base::config::Precision,
    narrow_phase::obb_obb::obb64_pairs::{Counts, obb64_pairs},
    shapes::obb64::record::Obb64,
};

/// The bodies that the pairs of the exact stage refer to.
#[derive(Clone, Copy)]
pub(crate) enum Sets<'a> {
    /// A body of the first set and one of the second.
    Bodies([Bodies<'a>; 2]),
    /// Two triangles. The exact stage decides only if they meet.
    Triangles(Triangles<'a>),
}

/// The result of the exact stage for a pair; a closer relation is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

/// Decides pairs of a body of the first set and one of the second, each with its margin, and passes
/// them to `found` in order. `placed` converts a pair to positions in the sets.
pub(crate) fn decide(
    [a, b]: [Bodies<'_>; 2],
    undecided: &[Pair],
    placed: impl Fn(Pair) -> Pair,
    margin: impl Fn(Pair) -> f64,
    mut found: impl FnMut(Pair, Relation),
) -> Tally {
    let bodies = |pair| {
        let Pair { a: i, b: j } = placed(pair);
        [a.at(i), b.at(j)]
    };
    let (Some(a), Some(b)) = (a.only_boxes(), b.only_boxes()) else {
        return decide_each(undecided, bodies, margin, found);
    };
    classify_pairs([a, b], undecided, |pair, contact| {
        let within = || {
            let [a, b] = bodies(pair);
            a.within(b, margin(pair))
        };
        found(pair, relation(contact, within));
    })
}

/// Performs [`decide`] for one pair after the other, given the two bodies of each.
pub(crate) fn decide_each<'a>(
    undecided: &[Pair],
    bodies: impl Fn(Pair) -> [BodyRef<'a>; 2],
    margin: impl Fn(Pair) -> f64,
    mut found: impl FnMut(Pair, Relation),
) -> Tally {
    let mut tally = Tally::default();
    for &pair in undecided {
        let [a, b] = bodies(pair);
        let contact = a.contact_counted(b, &mut tally);
        found(pair, relation(contact, || a.within(b, margin(pair))));
    }
    tally
}

/// Returns the relation of a pair. `within` says whether it is within its margin.
#[inline(always)]
fn relation(contact: Contact, within: impl FnOnce() -> bool) -> Relation {
    match contact {
        Contact::Overlapping => Relation::Overlapping,
        Contact::Touching => Relation::Touching,
        Contact::Separated if within() => Relation::Near,
        Contact::Separated => Relation::Apart,
    }
}

/// Tests pairs of boxes with centers in `f64` on all cores, and decides them as the precision
/// requires. Returns their relations, in order.
#[cfg(feature = "gpu")]
pub(crate) fn decide64(
    boxes: &[Obb64],
    pairs: &[Pair],
    precision: Precision,
    margin: Option<&(dyn Fn(Pair) -> f64 + Sync)>,
) -> Result<(Vec<Relation>, Counts)> {
    let mut relations = memory::filled(pairs.len(), Relation::Apart, "the pairs of boxes with centers in f64")?;
    let counts = parallel::map_chunks_of(CHUNK, &mut relations, |first, relations| {
        let pairs = &pairs[first..first + relations.len()];
        let of_pair = |k: usize| margin.map_or(0.0, |margin| margin(pairs[k]));
        let of_pair: Option<&dyn Fn(usize) -> f64> = margin.is_some().then_some(&of_pair);
        obb64_pairs(boxes, pairs, precision, of_pair, |k, contact| {
            relations[k] = match contact {
                Contact::Separated => Relation::Near,
                Contact::Touching => Relation::Touching,
                Contact::Overlapping => Relation::Overlapping,
            };
        })
    });
    Ok((relations, counts.into_iter().sum()))
}

/// Decides pairs on all cores. Returns their relations, in order. Triangles that meet count as
/// overlapping.
pub(crate) fn decide_in_parallel(
    sets: Sets<'_>,
    undecided: &[Pair],
    margin: impl Fn(Pair) -> f64 + Sync + Send,
) -> Result<(Vec<Relation>, Tally)> {
    let mut relations = memory::filled(undecided.len(), Relation::Apart, "the undecided pairs")?;
    let tallies = parallel::map_chunks_of(CHUNK, &mut relations, |first, relations| {
        let pairs = &undecided[first..first + relations.len()];
        let sets = match sets {
            Sets::Bodies(sets) => sets,
            Sets::Triangles(triangles) => {
                for (relation, pair) in relations.iter_mut().zip(pairs) {
                    if triangles.meet(pair.a as usize, pair.b as usize) {
                        *relation = Relation::Overlapping;
                    }
                }
                return Tally::default();
            }
        };
        let mut places = relations.iter_mut();
        decide(
            sets,
            pairs,
            |pair| pair,
            &margin,
            |_, relation| {
                if let Some(place) = places.next() {
                    *place = relation;
                }
            },
        )
    });
    Ok((relations, tallies.into_iter().sum()))
}
