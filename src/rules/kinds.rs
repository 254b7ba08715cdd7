//! Division of bodies into layers of the broad phase.
//!
//! Many rules forbid whole classes of pairs: those within one of two sets, those of static bodies,
//! of inactive ones, of the parts of one owner, or of groups that ignore each other. A broad phase
//! that holds all bodies together compares them nevertheless, in quadratic time if such bodies
//! crowd one place. To avoid this, bodies are counted by *kind*, which comprises all properties
//! that the rules use, and kinds that may meet the same others form a layer. The broad phase keeps
//! layers apart, as it does worlds.
//!
//! Each further layer is one more place where a walk looks up cells. Layers are therefore merged,
//! starting with those whose merging adds the fewest forbidden pairs, until there are
//! [`MAX_LAYERS`], and then for as long as merging adds no more forbidden pairs than there are
//! bodies. The work is thus proportional to the number of bodies and of allowed pairs with
//! overlapping bounds.

use std::ops::Range;

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::rules::filter::{PairRules, Sides};
use crate::rules::joint::Joint;
use crate::rules::layers::{GroupsOf, LAYERS, Layers, MAX_LAYERS};
use crate::rules::model::NO_OWNER;

/// Maximum number of kinds that are distinguished by all properties. For bodies of further kinds,
/// owners and groups are ignored.
const MAX_KINDS: usize = 32;
/// Number of bodies that are sampled to find the owners with many bodies, and to find whether the
/// groups in records matter.
const SAMPLES: usize = 1024;
/// An owner of more than 1 / `LARGE_OWNER` of the samples has its own kind.
const LARGE_OWNER: usize = 32;

/// Number of bodies in a body's world up to which there are no layers, if worlds are runs of
/// bodies. Bodies of different worlds are kept apart without layers, and so few are quickly
/// compared.
const FEW_IN_WORLD: usize = 64;

/// Computes the layers for these rules, this many bodies, and the groups in their records, if they
/// have any.
pub(crate) fn layers_of(rules: &PairRules, bodies: usize, groups: &GroupsOf) -> Result<Layers> {
    if bodies < 2 || matches!(rules.sides, Sides::Movers) {
        return Ok(Layers::default());
    }
    let has_groups = groups(0).is_some() && sample(bodies).any(|id| groups(id) != Some([u32::MAX; 2]));
    match &rules.sides {
        _ if rules.sets[0].forbid_classes() || has_groups => {}
        Sides::Joined(joint) => return of_two_sets(joint),
        Sides::OneSet | Sides::Movers => return Ok(Layers::default()),
    }
    if matches!(rules.sides, Sides::OneSet) && rules.sets[0].worlds_are_small_runs(FEW_IN_WORLD) {
        return Ok(Layers::default());
    }
    let of = |owners: Option<&[u32]>, id| Kind::of(rules, owners, groups(id).filter(|_| has_groups), id);
    let (kinds, owners) = match Counted::if_few(bodies, |id| of(None, id)) {
        Some(kinds) => (kinds, None),
        None => {
            let large = large_owners(rules);
            (Counted::of(bodies, |id| of(Some(&large), id)), Some(large))
        }
    };
    let kind = |id| of(owners.as_deref(), id);
    let merged = Merged::of(&kinds, bodies as u64);
    let layers = merged.layers.len();
    if layers == 1 && merged.layers[0].meets > 0 {
        return Ok(Layers::default());
    }
    let mut meets = [0; MAX_LAYERS];
    for (meets, layer) in meets.iter_mut().zip(&merged.layers) {
        *meets = layer.meets as u8;
    }
    let of = match layers {
        1 => Vec::new(),
        _ => parallel::collect(bodies, LAYERS, |id| {
            let position = kinds.position(&kind(id as u32));
            merged.layer_of[position.expect("all kinds are counted")]
        })?,
    };
    Ok(Layers {
        of,
        meets,
        count: layers as u32,
        settle_classes: owners.is_none() && merged.settle(&kinds),
    })
}

/// Returns the layers of two sets without other rules.
fn of_two_sets(joint: &Joint) -> Result<Layers> {
    let mut of = memory::filled(joint.len() as usize, 0, LAYERS)?;
    let [first, second] = joint.counts();
    let larger = usize::from(second >= first);
    for (set, range) in joint.places() {
        of[range].fill(u8::from(set == larger));
    }
    Ok(Layers {
        of,
        meets: [0b10, 0b01, 0, 0],
        count: 2,
        settle_classes: true,
    })
}

/// Returns a sample spread evenly over all bodies.
fn sample(bodies: usize) -> impl Iterator<Item = u32> {
    (0..bodies).step_by(bodies.div_ceil(SAMPLES)).map(|id| id as u32)
}

/// Returns the owners that have many bodies.
fn large_owners(rules: &PairRules) -> Vec<u32> {
    let Some(owners) = &rules.sets[0].owners else {
        return Vec::new();
    };
    let mut sampled: Vec<u32> = sample(owners.len())
        .map(|id| owners[id as usize])
        .filter(|&owner| owner != NO_OWNER)
        .collect();
    let least = SAMPLES.min(owners.len()) / LARGE_OWNER;
    sampled.sort_unstable();
    let of_one = sampled.chunk_by(|a, b| a == b);
    of_one
        .filter(|those| those.len() > least)
        .map(|those| those[0])
        .collect()
}

/// The properties of a body that the rules use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind {
    /// `true` if it is in the second of two sets; `None` if there is one set.
    second: Option<bool>,
    is_static: bool,
    active: bool,
    /// Its owner, if bodies of that owner are distinguished.
    owner: u32,
    /// The memberships and the filter from the rules, and those from its record.
    groups: [[u32; 2]; 2],
}

impl Kind {
    /// Returns the kind of a body, distinguished by the given owners, or by all if `None`.
    #[inline]
    fn of(rules: &PairRules, owners: Option<&[u32]>, in_record: Option<[u32; 2]>, id: u32) -> Self {
        let (set, k) = (rules.sets[0], id as usize);
        let owner = set.owners.as_ref().map_or(NO_OWNER, |of| of[k]);
        Self {
            second: match &rules.sides {
                Sides::Joined(joint) => Some(joint.is_second(id)),
                Sides::OneSet | Sides::Movers => None,
            },
            is_static: set.statics.as_ref().is_some_and(|of| of[k]),
            active: set.active.as_ref().is_none_or(|of| of[k]),
            owner: match owners {
                Some(owners) if !owners.contains(&owner) => NO_OWNER,
                _ => owner,
            },
            groups: [
                set.groups.as_ref().map_or([u32::MAX; 2], |of| of[k]),
                in_record.unwrap_or([u32::MAX; 2]),
            ],
        }
    }

    /// Returns the kind without owner and groups, which meets everything that this kind meets.
    /// There are eight such kinds.
    fn coarse(&self) -> Self {
        Self {
            owner: NO_OWNER,
            groups: [[u32::MAX; 2]; 2],
            ..*self
        }
    }

    /// Returns `true` if bodies of the two kinds may meet.
    fn meets(&self, other: &Self) -> bool {
        let of_two_sets = self.second.is_none() || self.second != other.second;
        let moves = !(self.is_static && other.is_static);
        let has_active = self.active || other.active;
        let of_two_owners = self.owner == NO_OWNER || self.owner != other.owner;
        let in_groups = |[[of_a, a_meets], [of_b, b_meets]]: [[u32; 2]; 2]| of_a & b_meets != 0 && of_b & a_meets != 0;
        let groups_meet = [0, 1].map(|k| in_groups([self.groups[k], other.groups[k]]));
        of_two_sets && moves && has_active && of_two_owners && groups_meet == [true; 2]
    }
}

/// The kinds that occur, with their numbers of bodies: the first [`MAX_KINDS`], and coarse kinds
/// for all others.
#[derive(Default)]
struct Counted {
    kinds: Vec<(Kind, u64)>,
    /// Set if there are coarse kinds.
    coarse: bool,
}

impl Counted {
    /// Counts the kinds. Returns `None` if there are more than can be distinguished.
    fn if_few(bodies: usize, kind: impl Fn(u32) -> Kind + Sync + Send) -> Option<Self> {
        let counted = Self::default().count(bodies, true, kind);
        (!counted.coarse).then_some(counted)
    }

    fn of(bodies: usize, kind: impl Fn(u32) -> Kind + Sync + Send) -> Self {
        let mut known = Self::default().count(bodies, false, &kind);
        if !known.coarse {
            return known;
        }
        // Some threads counted bodies as coarse although another thread knows their kind, so all
        // are counted again.
        known.kinds.iter_mut().for_each(|(_, count)| *count = 0);
        known.count(bodies, false, kind)
    }

    /// Counts the bodies of all kinds, starting with the kinds that are already known. Stops at the
    /// first coarse kind if `until_coarse` is set.
    fn count(self, bodies: usize, until_coarse: bool, kind: impl Fn(u32) -> Kind + Sync + Send) -> Self {
        let known = self;
        let of_range = |range: Range<usize>| {
            let mut counted = known.without_bodies();
            let mut last = 0;
            for id in range {
                let kind = kind(id as u32);
                match counted.kinds.get_mut(last) {
                    Some((same, count)) if *same == kind => *count += 1,
                    _ => last = counted.add(kind, 1),
                }
                if until_coarse && counted.coarse {
                    break;
                }
            }
            counted
        };
        // In order, so that the same bodies have the same layers for any number of threads.
        let ranges = parallel::map_ranges(bodies, of_range).into_iter();
        ranges.fold(known.without_bodies(), |mut all, counted| {
            all.coarse |= counted.coarse;
            for (kind, count) in counted.kinds {
                all.add(kind, count);
            }
            all
        })
    }

    fn without_bodies(&self) -> Self {
        Self {
            kinds: self.kinds.iter().map(|&(kind, _)| (kind, 0)).collect(),
            coarse: self.coarse,
        }
    }

    /// Adds bodies of a kind, and returns its position.
    fn add(&mut self, kind: Kind, bodies: u64) -> usize {
        self.coarse |= self.kinds.len() >= MAX_KINDS && self.position(&kind).is_none();
        let position = self.position(&kind).unwrap_or_else(|| {
            self.kinds.push((if self.coarse { kind.coarse() } else { kind }, 0));
            self.kinds.len() - 1
        });
        self.kinds[position].1 += bodies;
        position
    }

    /// Returns the position of a kind, or else that of its coarse kind.
    #[inline]
    fn position(&self, kind: &Kind) -> Option<usize> {
        let of = |kind: &Kind| self.kinds.iter().position(|(other, _)| other == kind);
        of(kind).or_else(|| self.coarse.then(|| of(&kind.coarse())).flatten())
    }
}

/// Kinds merged into layers.
struct Merged {
    layers: Vec<Layer>,
    /// The layer of each kind, by position of the kind.
    layer_of: Vec<u8>,
}

/// A layer while layers are being merged.
#[derive(Clone, Debug)]
struct Layer {
    bodies: u64,
    /// The layers that it meets, one bit each.
    meets: u64,
    kinds: Vec<usize>,
}

impl Merged {
    fn of(counted: &Counted, bodies: u64) -> Self {
        let kinds = &counted.kinds;
        let met_by = |kind: &Kind| {
            let bits = (0..)
                .zip(kinds)
                .map(|(k, (other, _))| u64::from(kind.meets(other)) << k);
            bits.sum()
        };
        let mut layers: Vec<Layer> = (0..)
            .zip(kinds)
            .map(|(k, (kind, bodies))| Layer {
                bodies: *bodies,
                meets: met_by(kind),
                kinds: vec![k],
            })
            .collect();
        while layers.len() > 1 {
            let pairs = (0..layers.len()).flat_map(|a| (0..a).map(move |b| (b, a)));
            let added = |&(a, b): &(usize, usize)| forbidden_pairs_of_merged(&layers, a, b);
            let Some((a, b)) = pairs.min_by_key(added) else { break };
            if layers.len() <= MAX_LAYERS && added(&(a, b)) > bodies {
                break;
            }
            merge(&mut layers, a, b);
        }
        // Layers with few bodies come first.
        let mut order: Vec<usize> = (0..layers.len()).collect();
        order.sort_by_key(|&layer| layers[layer].bodies);
        let reordered = |bits: u64| {
            (0..)
                .zip(&order)
                .fold(0, |all, (new, &old)| all | (bits >> old & 1) << new)
        };
        let layers: Vec<Layer> = order
            .iter()
            .map(|&old| Layer {
                meets: reordered(layers[old].meets),
                ..layers[old].clone()
            })
            .collect();
        let mut layer_of = vec![0; kinds.len()];
        for (number, layer) in layers.iter().enumerate() {
            for &kind in &layer.kinds {
                layer_of[kind] = number as u8;
            }
        }
        Self { layers, layer_of }
    }

    /// Returns `true` if all kinds of layers that meet may meet.
    fn settle(&self, counted: &Counted) -> bool {
        let layers_meet = |a: usize, b: usize| {
            let [a, b] = [a, b].map(|kind| self.layer_of[kind] as usize);
            self.layers[a].meets >> b & 1 > 0
        };
        let all = (0..).zip(&counted.kinds);
        let settled = |a: usize, kind: &Kind| {
            let mut others = (0..).zip(&counted.kinds);
            others.all(|(b, (other, _))| !layers_meet(a, b) || kind.meets(other))
        };
        !counted.coarse && all.into_iter().all(|(a, (kind, _))| settled(a, kind))
    }
}

/// Returns the number of forbidden pairs that are examined only if the two layers are merged.
fn forbidden_pairs_of_merged(layers: &[Layer], a: usize, b: usize) -> u64 {
    let bodies = |layer: usize| layers[layer].bodies;
    let within = |layer: usize| bodies(layer).saturating_mul(bodies(layer).saturating_sub(1)) / 2;
    let meet = |layer: usize, other: usize| layers[layer].meets >> other & 1 > 0;
    let own = [
        (a, a, within(a)),
        (a, b, bodies(a).saturating_mul(bodies(b))),
        (b, b, within(b)),
    ];
    let some = own.iter().any(|&(layer, other, _)| meet(layer, other));
    let own = own
        .iter()
        .filter(|&&(layer, other, _)| some && !meet(layer, other))
        .fold(0u64, |sum, &(_, _, pairs)| sum.saturating_add(pairs));
    let others = (0..layers.len()).filter(|&other| other != a && other != b && meet(a, other) != meet(b, other));
    others.fold(own, |sum, other| {
        let forbidden = if meet(a, other) { b } else { a };
        sum.saturating_add(bodies(forbidden).saturating_mul(bodies(other)))
    })
}

/// Merges two layers into the first.
fn merge(layers: &mut Vec<Layer>, a: usize, b: usize) {
    let removed = layers.remove(b);
    let layer = &mut layers[a];
    layer.bodies += removed.bodies;
    layer.meets |= removed.meets;
    layer.kinds.extend(removed.kinds);
    for layer in layers {
        // The layers after the second move up.
        let met = layer.meets >> a & 1 | layer.meets >> b & 1;
        let below = layer.meets & ((1 << b) - 1);
        let above = layer.meets >> b >> 1 << b;
        layer.meets = (below | above) & !(1 << a) | met << a;
    }
}

#[cfg(test)]
mod tests;
