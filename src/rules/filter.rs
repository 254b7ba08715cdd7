//! The test of whether the rules allow a pair, which the broad phase performs before it stores one.
//! Twin of `shaders/rules/may_meet.wgsl`.

use std::borrow::Cow;

use crate::base::error::{Error, Result};
use crate::base::problem::COORDINATE_LIMIT;
use crate::base::{memory, parallel};
use crate::geometry::bounds::half_margin;
use crate::geometry::pair::Pair;
use crate::geometry::rounding::above;
use crate::rules::joint::Joint;
use crate::rules::layers::Layers;
use crate::rules::model::{ExcludedPairs, NO_OWNER, Rules};

/// Label for out-of-memory errors.
const WHAT: &str = "the rules of boxes";

/// The rules for one set of boxes, validated: each list is as long as the set.
#[derive(Clone, Debug, Default)]
pub(crate) struct SetRules<'a> {
    pub owners: Option<Cow<'a, [u32]>>,
    pub worlds: Option<Cow<'a, [u32]>>,
    pub statics: Option<Cow<'a, [bool]>>,
    pub active: Option<Cow<'a, [bool]>>,
    pub margins: Option<Cow<'a, [f32]>>,
    pub groups: Option<Cow<'a, [[u32; 2]]>>,
    pub excluded: Option<ExcludedPairs>,
    /// The layers of the broad phase that follow from all these rules.
    pub layers: Layers,
}

/// The groups of bodies that are in all groups and can collide with all.
pub(super) const ALL_GROUPS: [u32; 2] = [u32::MAX; 2];

impl<'a> SetRules<'a> {
    /// Validates the rules for this many boxes. Returns an error if some list has another length.
    pub fn new(rules: &Rules<'a>, boxes: usize) -> Result<Self> {
        expect_length("owners", rules.owners.map(<[_]>::len), boxes)?;
        expect_length("worlds", rules.worlds.map(<[_]>::len), boxes)?;
        expect_length("statics", rules.statics.map(<[_]>::len), boxes)?;
        expect_length("active", rules.active.map(<[_]>::len), boxes)?;
        expect_length("margins", rules.margins.map(<[_]>::len), boxes)?;
        expect_length("groups", rules.groups.map(<[_]>::len), boxes)?;
        expect_distances(rules.margins.unwrap_or_default())?;
        Ok(Self {
            owners: rules.owners.map(Cow::Borrowed),
            worlds: rules.worlds.map(Cow::Borrowed),
            statics: rules.statics.map(Cow::Borrowed),
            active: rules.active.map(Cow::Borrowed),
            margins: rules.margins.map(Cow::Borrowed),
            groups: rules.groups.map(Cow::Borrowed),
            excluded: rules.excluded.filter(|pairs| !pairs.is_empty()).cloned(),
            layers: Layers::default(),
        })
    }

    /// Returns the same rules in owned memory.
    pub fn into_owned(self) -> Result<SetRules<'static>> {
        fn own<T: Copy>(list: Option<Cow<'_, [T]>>) -> Result<Option<Cow<'static, [T]>>> {
            Ok(list
                .map(|list| memory::collect(list.iter().copied(), WHAT).map(Cow::Owned))
                .transpose()?)
        }
        Ok(SetRules {
            owners: own(self.owners)?,
            worlds: own(self.worlds)?,
            statics: own(self.statics)?,
            active: own(self.active)?,
            margins: own(self.margins)?,
            groups: own(self.groups)?,
            excluded: self.excluded,
            layers: self.layers,
        })
    }

    /// Returns the same rules without margins.
    pub fn without_margins(&self) -> SetRules<'_> {
        SetRules {
            owners: self.owners.as_deref().map(Cow::Borrowed),
            worlds: self.worlds.as_deref().map(Cow::Borrowed),
            statics: self.statics.as_deref().map(Cow::Borrowed),
            active: self.active.as_deref().map(Cow::Borrowed),
            margins: None,
            groups: self.groups.as_deref().map(Cow::Borrowed),
            excluded: self.excluded.clone(),
            layers: self.layers.clone(),
        }
    }

    /// Returns `true` if these are the same rules, list by list.
    pub fn equals(&self, other: &SetRules<'_>) -> bool {
        let excluded = match (&self.excluded, &other.excluded) {
            (None, None) => true,
            (Some(a), Some(b)) => a.equals(b),
            _ => false,
        };
        excluded
            && self.owners == other.owners
            && self.worlds == other.worlds
            && self.statics == other.statics
            && self.active == other.active
            && self.margins == other.margins
            && self.groups == other.groups
    }

    /// Returns `true` if no rule forbids any pair. Margins forbid none.
    pub fn is_empty(&self) -> bool {
        self.owners.is_none()
            && self.worlds.is_none()
            && self.statics.is_none()
            && self.active.is_none()
            && self.groups.is_none()
            && self.excluded.is_none()
    }

    /// Returns the rules for these boxes of the set, without the excluded pairs, which name
    /// positions in the set.
    pub fn of_part(&self, ids: &[u32]) -> Result<SetRules<'static>> {
        fn select<T: Copy>(list: Option<&[T]>, ids: &[u32]) -> Result<Option<Cow<'static, [T]>>> {
            Ok(list
                .map(|list| memory::collect(ids.iter().map(|&id| list[id as usize]), WHAT).map(Cow::Owned))
                .transpose()?)
        }
        Ok(SetRules {
            owners: select(self.owners.as_deref(), ids)?,
            worlds: select(self.worlds.as_deref(), ids)?,
            statics: select(self.statics.as_deref(), ids)?,
            active: select(self.active.as_deref(), ids)?,
            margins: select(self.margins.as_deref(), ids)?,
            groups: select(self.groups.as_deref(), ids)?,
            excluded: None,
            layers: self.layers.of_part(ids)?,
        })
    }

    /// Returns the rules of a search for candidates, of which the others are asked later.
    pub fn of_search(&self) -> Rules<'_> {
        Rules {
            worlds: self.worlds.as_deref(),
            margins: self.margins.as_deref(),
            ..Rules::default()
        }
    }

    /// Returns the margin of one box.
    #[inline]
    pub fn margin(&self, id: u32) -> f32 {
        self.margins.as_ref().map_or(0.0, |margins| margins[id as usize])
    }

    /// Returns the widening of each box's bounds, by id: half of `margin` plus the box's own, both
    /// rounded up.
    pub fn widening(&self, margin: f64) -> impl Fn(u32) -> f32 + Copy + '_ {
        let (of_all, margins) = (half_margin(above(margin)), self.margins.as_deref());
        move |id| match margins {
            Some(margins) => of_all + half_margin(2.0 * margins[id as usize]),
            None => of_all,
        }
    }

    /// Returns the largest margin of any box.
    pub fn largest_margin(&self) -> f32 {
        self.margins
            .iter()
            .flat_map(|margins| margins.iter())
            .fold(0.0, |most, &margin| most.max(margin))
    }

    /// Returns `true` if the rules may forbid all pairs of some bodies, and not only single pairs.
    pub fn forbid_classes(&self) -> bool {
        self.owners.is_some() || self.statics.is_some() || self.active.is_some() || self.groups.is_some()
    }

    /// Returns `true` if each world is a run of boxes, by ascending worlds, and a box has at most
    /// `most` in its world on average.
    pub fn worlds_are_small_runs(&self, most: usize) -> bool {
        let Some(worlds) = self.worlds.as_deref() else {
            return false;
        };
        let (mut squares, mut last) = (0, 0);
        for run in worlds.chunk_by(|a, b| a == b) {
            if run[0] < last {
                return false;
            }
            last = run[0];
            squares += (run.len() as u64).pow(2);
        }
        squares <= (most * worlds.len()) as u64
    }

    /// The world of a box.
    #[inline]
    pub fn world(&self, id: u32) -> u32 {
        self.worlds.as_ref().map_or(0, |worlds| worlds[id as usize])
    }
}

/// Returns the excluded pairs of both sets of rules.
pub(super) fn both([a, b]: [&SetRules; 2]) -> Result<Option<ExcludedPairs>> {
    Ok(match (&a.excluded, &b.excluded) {
        (Some(a), Some(b)) => Some(a.union(b)?),
        (a, b) => a.as_ref().or(b.as_ref()).cloned(),
    })
}

fn expect_length(rule: &'static str, length: Option<usize>, boxes: usize) -> Result<()> {
    match length {
        Some(length) if length != boxes => Err(Error::InvalidRule {
            rule,
            problem: format!("has length {length} but the number of bodies is {boxes}: give one entry for each body"),
        }),
        _ => Ok(()),
    }
}

fn expect_distances(margins: &[f32]) -> Result<()> {
    let is_none = |margin: &f32| !(0.0..=COORDINATE_LIMIT).contains(margin);
    match margins.iter().position(is_none) {
        Some(box_index) => Err(Error::InvalidRule {
            rule: "margins",
            problem: format!(
                "has {} for box {box_index}, which is not a valid distance: give a number from 0 to {COORDINATE_LIMIT:e}",
                margins[box_index]
            ),
        }),
        None => Ok(()),
    }
}

/// The sets that the boxes of a pair belong to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sides {
    /// Two boxes of one set, in either order.
    OneSet,
    /// A box of the first set and one of the second, stored in one list.
    Joined(Joint),
    /// A box at rest and a mover, numbered separately.
    Movers,
}

/// All rules of a check, which decide whether a pair may be found.
#[derive(Debug)]
pub(crate) struct PairRules<'a> {
    /// The rules for a pair's `a`, and for its `b`.
    pub sets: [&'a SetRules<'a>; 2],
    pub sides: Sides,
    /// The excluded pairs of both sets.
    pub excluded: Option<ExcludedPairs>,
}

impl<'a> PairRules<'a> {
    /// Creates the rules of a check of one set of this many boxes.
    pub fn of_one_set(rules: &'a SetRules<'a>, boxes: usize) -> Result<Self> {
        Self::new([rules, rules], Sides::OneSet, [boxes, boxes])
    }

    /// Creates the rules of a check of two sets of these sizes, stored in one list, from rules
    /// already `joined`.
    pub fn of_two_sets(joined: &'a SetRules<'a>, joint: Joint, counts: [usize; 2]) -> Result<Self> {
        Self::new([joined, joined], Sides::Joined(joint), counts)
    }

    /// Creates the rules of a check of movers against boxes at rest.
    pub fn of_movers(at_rest: &'a SetRules<'a>, movers: &'a SetRules<'a>, counts: [usize; 2]) -> Result<Self> {
        Self::new([at_rest, movers], Sides::Movers, counts)
    }

    /// Creates the rules of a search for candidates among copies of movers, to whose positions no
    /// excluded pair refers.
    pub fn of_copies(at_rest: &'a SetRules<'a>, copies: &'a SetRules<'a>) -> Self {
        Self {
            sets: [at_rest, copies],
            sides: Sides::Movers,
            excluded: None,
        }
    }

    /// Creates the rules of a check against boxes at rest, for any number of movers without rules.
    pub fn of_any_movers(at_rest: &'a SetRules<'a>, none: &'a SetRules<'a>) -> Self {
        Self {
            sets: [at_rest, none],
            sides: Sides::Movers,
            excluded: at_rest.excluded.clone(),
        }
    }

    /// Creates the rules needed to sort a set into the grid.
    pub fn for_sorting(rules: &'a SetRules<'a>) -> Self {
        Self {
            sets: [rules, rules],
            sides: Sides::OneSet,
            excluded: None,
        }
    }

    /// Returns the rules for the boxes of a part, without the excluded pairs. Positions in the part
    /// ascend as `ids` do.
    pub fn of_part(&self, part: &'a SetRules<'a>, ids: &[u32]) -> Self {
        Self {
            sets: [part, part],
            sides: match self.sides {
                Sides::Joined(joint) => Sides::Joined(joint.of_part(ids)),
                other => other,
            },
            excluded: None,
        }
    }

    fn new(sets: [&'a SetRules<'a>; 2], sides: Sides, counts: [usize; 2]) -> Result<Self> {
        let excluded = match sides {
            Sides::Movers => both(sets)?,
            Sides::OneSet | Sides::Joined(_) => sets[0].excluded.clone(),
        };
        if let Some(excluded) = &excluded {
            let Pair { a, b } = excluded.largest();
            for (position, count) in [(a, counts[0]), (b, counts[1])] {
                if position as usize >= count {
                    return Err(Error::InvalidRule {
                        rule: "excluded",
                        problem: format!("names body {position} of {count}, counted from 0: remove the pair"),
                    });
                }
            }
        }
        Ok(Self { sets, sides, excluded })
    }

    /// Returns the rules, or `None` if every pair is allowed.
    pub fn any(&self) -> Option<&Self> {
        let none = self.sets.iter().all(|rules| rules.is_empty()) && !matches!(self.sides, Sides::Joined(_));
        (!none).then_some(self)
    }

    /// Returns the rules if they must be applied to pairs that a broad phase finds by their layers.
    pub fn to_ask(&self) -> Option<&Self> {
        let by_layer = self.sets[1].layers.settle_classes();
        let by_pair = self.excluded.is_some() || self.sets.iter().any(|rules| rules.worlds.is_some());
        self.any().filter(|_| by_pair || !by_layer)
    }

    /// Returns the rules if they must be applied to pairs of one set in the same world.
    pub fn to_ask_within_worlds(&self) -> Option<&Self> {
        let [rules, _] = self.sets;
        let is_plain = !rules.forbid_classes() && self.excluded.is_none() && matches!(self.sides, Sides::OneSet);
        (!is_plain).then_some(self)
    }

    /// Returns the rules, or `None` if a device does not need them. Own margins of boxes forbid no
    /// pair, but a device needs them because they widen bounds.
    pub fn for_device(&self) -> Option<&Self> {
        self.any().or(self.have_margins().then_some(self))
    }

    /// Returns `true` if boxes have their own margins.
    pub fn have_margins(&self) -> bool {
        self.sets.iter().any(|rules| rules.margins.is_some())
    }

    /// Returns the margin of a pair: `all`, which applies to all pairs, plus the `f32` sum of the
    /// boxes' own margins, added in `f64`.
    #[inline]
    pub fn margin(&self, all: f64, pair: Pair) -> f64 {
        all + f64::from(self.sets[0].margin(pair.a) + self.sets[1].margin(pair.b))
    }

    /// Returns `true` if the rules allow the pair.
    #[inline]
    pub fn allow(&self, pair: Pair) -> bool {
        let [of_a, of_b] = self.sets;
        let (a, b) = (pair.a as usize, pair.b as usize);
        if let Sides::Joined(joint) = self.sides
            && joint.is_second(pair.a) == joint.is_second(pair.b)
        {
            return false;
        }
        let owner = |rules: &SetRules, i: usize| rules.owners.as_ref().map_or(NO_OWNER, |owners| owners[i]);
        let owner_a = owner(of_a, a);
        if owner_a != NO_OWNER && owner_a == owner(of_b, b) {
            return false;
        }
        if of_a.world(pair.a) != of_b.world(pair.b) {
            return false;
        }
        let is_static = |rules: &SetRules, i: usize| rules.statics.as_ref().is_some_and(|statics| statics[i]);
        if is_static(of_a, a) && is_static(of_b, b) {
            return false;
        }
        let groups = |rules: &SetRules, i: usize| rules.groups.as_ref().map_or(ALL_GROUPS, |groups| groups[i]);
        let ([of_a, a_meets], [of_b, b_meets]) = (groups(self.sets[0], a), groups(self.sets[1], b));
        if of_a & b_meets == 0 || of_b & a_meets == 0 {
            return false;
        }
        let [of_a, of_b] = self.sets;
        let is_active = |rules: &SetRules, i: usize| rules.active.as_ref().is_none_or(|active| active[i]);
        (is_active(of_a, a) || is_active(of_b, b)) && !self.excludes(pair)
    }

    /// Returns `true` if the pair is excluded.
    pub fn excludes(&self, pair: Pair) -> bool {
        let Some(excluded) = &self.excluded else {
            return false;
        };
        match self.sides {
            Sides::Movers => excluded.contains(pair),
            Sides::Joined(joint) => excluded.contains(joint.named(pair)),
            Sides::OneSet => {
                let Pair { a, b } = Pair::new(pair.a, pair.b);
                excluded.contains(Pair { a, b }) || (excluded.unordered() && excluded.contains(Pair { a: b, b: a }))
            }
        }
    }

    /// Removes the excluded pairs.
    pub fn without_excluded(&self, mut pairs: Vec<Pair>) -> Vec<Pair> {
        if self.excluded.is_some() {
            pairs.retain(|pair| !self.excludes(*pair));
        }
        pairs
    }

    /// Returns the pairs that the rules allow, in order.
    pub fn filter(&self, pairs: &[Pair]) -> Result<Vec<Pair>> {
        let allowed = parallel::collect(pairs.len(), "the pairs that the rules allow", |k| self.allow(pairs[k]))?;
        let mut left = Vec::new();
        for (pair, _) in pairs.iter().zip(allowed).filter(|(_, allowed)| *allowed) {
            memory::push(&mut left, *pair, "the pairs that the rules allow")?;
        }
        Ok(left)
    }
}
