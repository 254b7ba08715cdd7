//! Compares one backend's pairs with another's or with the reference's, as sets.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use crate::reference::{contacts, contacts64, gather, partners, separation_of, separation64};
use obbligato::{Bodies, Obb64, Pair, contact::Contact, report::degrees};
use obbligato_support::{plural::plural, split_mix::SplitMix};

/// The number of entries that a printed verification lists; it only counts the rest.
const NAMED: usize = 10;

/// The difference of two sets of pairs over the same bodies.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// Pairs only in the expected set, sorted.
    pub missing: Vec<Pair>,
    /// Pairs only in the other set, and every repetition of a pair, sorted.
    pub extra: Vec<Pair>,
}

impl Difference {
    /// Returns `true` if the two sets are equal.
    pub fn is_empty(&self) -> bool {
        self.missing.is_empty() && self.extra.is_empty()
    }
}

/// Returns the difference of two lists of pairs.
///
/// O(n) for sorted lists; others are sorted first. If a pair is in `found` more often than in
/// `expected`, each further occurrence is extra.
pub fn difference(expected: &[Pair], found: &[Pair]) -> Difference {
    let (expected, found) = (sorted(expected), sorted(found));
    let (mut expected, mut found) = (expected.iter().peekable(), found.iter().peekable());
    let mut difference = Difference::default();
    loop {
        match (expected.peek(), found.peek()) {
            (None, None) => return difference,
            (Some(wanted), given) if given.is_none_or(|given| wanted < given) => {
                difference.missing.extend(expected.next());
            }
            (wanted, Some(given)) if wanted.is_none_or(|wanted| given < wanted) => {
                difference.extra.extend(found.next());
            }
            _ => {
                expected.next();
                found.next();
            }
        }
    }
}

/// Returns the pairs in order, copied only if unsorted.
fn sorted(pairs: &[Pair]) -> Cow<'_, [Pair]> {
    if pairs.is_sorted() {
        return Cow::Borrowed(pairs);
    }
    let mut pairs = pairs.to_vec();
    pairs.sort_unstable();
    Cow::Owned(pairs)
}

/// Compares `found` with all pairs of the reference: see
/// [`colliding_pairs`](crate::reference::colliding_pairs) for its time.
pub fn verify_all<'a>(bodies: impl Into<Bodies<'a>>, found: &[Pair]) -> Verification {
    verify_contacts(bodies, found, None)
}

/// Compares pairs as [`verify_all`] does, and also the number of pairs that touch without
/// overlapping, if known.
pub fn verify_contacts<'a>(bodies: impl Into<Bodies<'a>>, found: &[Pair], touching: Option<u64>) -> Verification {
    let bodies = bodies.into();
    compare_contacts(Held::Bodies(bodies), contacts(bodies), found, touching)
}

/// Compares the pairs of boxes with centers in `f64`; see [`verify_contacts`].
pub fn verify_contacts64(boxes: &[Obb64], found: &[Pair], touching: Option<u64>) -> Verification {
    compare_contacts(Held::Boxes64(boxes), contacts64(boxes), found, touching)
}

fn compare_contacts(
    held: Held<'_>,
    contacts: Vec<(Pair, Contact)>,
    found: &[Pair],
    touching: Option<u64>,
) -> Verification {
    let touch = contacts.iter().filter(|(_, contact)| *contact == Contact::Touching);
    let expected = touch.count() as u64;
    let pairs: Vec<Pair> = contacts.into_iter().map(|(pair, _)| pair).collect();
    compare_all(held, &pairs, found).with_touching(Some(expected), touching)
}

/// Compares `found` with the reference's partners of `sample` bodies, chosen by `seed`. O(n) per
/// chosen body.
///
/// Pairs of other bodies count only if they are malformed, such as (3, 3).
pub fn verify_sample<'a>(bodies: impl Into<Bodies<'a>>, found: &[Pair], sample: usize, seed: u64) -> Verification {
    let bodies = bodies.into();
    let chosen = choose(bodies.len(), sample, seed);
    let mut expected = gather(chosen.len(), |k| {
        let own = chosen[k];
        let partners = partners(bodies, own as usize).into_iter();
        partners.map(|other| Pair::new(own, other)).collect()
    });
    // A pair of two chosen bodies is found from both sides.
    expected.sort_unstable();
    expected.dedup();

    let mut is_chosen = vec![false; bodies.len()];
    for &index in &chosen {
        is_chosen[index as usize] = true;
    }
    let concerned =
        |pair: &Pair| !is_sound(*pair, bodies.len()) || is_chosen[pair.a as usize] || is_chosen[pair.b as usize];
    let found: Vec<Pair> = found.iter().copied().filter(concerned).collect();
    Verification::new(Held::Bodies(bodies), &chosen, &expected, &found)
}

/// Compares the pairs of one backend with another's.
pub fn compare<'a>(expected: &[Pair], found: &[Pair], bodies: impl Into<Bodies<'a>>) -> Verification {
    compare_all(Held::Bodies(bodies.into()), expected, found)
}

/// Compares the pairs of boxes with centers in `f64`; see [`compare`].
pub fn compare64(expected: &[Pair], found: &[Pair], boxes: &[Obb64]) -> Verification {
    compare_all(Held::Boxes64(boxes), expected, found)
}

fn compare_all(held: Held<'_>, expected: &[Pair], found: &[Pair]) -> Verification {
    let all: Vec<u32> = (0..held.len() as u32).collect();
    Verification::new(held, &all, expected, found)
}

/// The bodies that pairs name.
#[derive(Clone, Copy)]
enum Held<'a> {
    Bodies(Bodies<'a>),
    Boxes64(&'a [Obb64]),
}

impl Held<'_> {
    fn len(self) -> usize {
        match self {
            Self::Bodies(bodies) => bodies.len(),
            Self::Boxes64(boxes) => boxes.len(),
        }
    }

    fn groups_meet(self, Pair { a, b }: Pair) -> bool {
        match self {
            Self::Bodies(bodies) => bodies.at(a).groups_meet(bodies.at(b)),
            Self::Boxes64(boxes) => boxes[a as usize].groups_meet(&boxes[b as usize]),
        }
    }

    fn separation(self, Pair { a, b }: Pair) -> f64 {
        match self {
            Self::Bodies(bodies) => separation_of(bodies.at(a), bodies.at(b)),
            Self::Boxes64(boxes) => separation64(&boxes[a as usize], &boxes[b as usize]),
        }
    }
}

/// Returns the boxes whose degrees differ, ascending.
///
/// If one list is shorter, its missing degrees count as `u32::MAX`, which no box can have.
pub fn degree_mismatches(expected: &[u32], found: &[u32]) -> Vec<DegreeMismatch> {
    let at = |degrees: &[u32], index: usize| degrees.get(index).copied().unwrap_or(u32::MAX);
    (0..expected.len().max(found.len()))
        .map(|index| DegreeMismatch {
            index: index as u32,
            expected: at(expected, index),
            found: at(found, index),
        })
        .filter(|mismatch| mismatch.expected != mismatch.found)
        .collect()
}

/// A box with a wrong number of partners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DegreeMismatch {
    /// The position of the box.
    pub index: u32,
    /// The expected number of partners.
    pub expected: u32,
    /// The number of partners found.
    pub found: u32,
}

/// A pair that only one of the two sets has.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Disagreement {
    /// The pair as given.
    pub pair: Pair,
    /// The kind of disagreement.
    pub kind: DisagreementKind,
    /// The distance of the two bodies, negative if they overlap: the
    /// [`separation`](crate::reference::separation) of two boxes, otherwise the distance of the
    /// cores minus the radii. `None` if the pair does not name two bodies.
    pub separation: Option<f64>,
}

/// A kind of disagreement about a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DisagreementKind {
    /// Expected but not found.
    Missing,
    /// Found but not expected.
    Extra,
    /// Found more than once.
    Repeated,
    /// Found although the boxes' groups do not meet.
    Forbidden,
    /// Found, but `a < b` does not hold or the box does not exist.
    Malformed,
}

impl fmt::Display for DisagreementKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "missing",
            Self::Extra => "extra",
            Self::Repeated => "repeated",
            Self::Forbidden => "forbidden by groups",
            Self::Malformed => "malformed",
        })
    }
}

/// The outcome of comparing two sets of pairs. It prints as a report of a few lines.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Verification {
    /// The number of boxes in the scene.
    pub boxes: usize,
    /// The number of boxes whose partners were compared.
    pub compared: usize,
    /// The number of pairs expected for the compared boxes.
    pub expected: usize,
    /// The number of pairs found for them.
    pub found: usize,
    /// Expected pairs that were not found, sorted.
    pub missing: Vec<Disagreement>,
    /// Found pairs that are wrong, sorted.
    pub extra: Vec<Disagreement>,
    /// Compared boxes with a wrong number of partners.
    pub degree_mismatches: Vec<DegreeMismatch>,
    /// The number of pairs that touch without overlapping, expected and found, if both are known.
    pub touching: Option<(u64, u64)>,
}

impl Verification {
    fn new(held: Held<'_>, compared: &[u32], expected: &[Pair], found: &[Pair]) -> Self {
        let expected = sorted(expected);
        let difference = difference(&expected, found);
        let mut verification = Self {
            boxes: held.len(),
            compared: compared.len(),
            expected: expected.len(),
            found: found.len(),
            missing: Vec::new(),
            extra: Vec::new(),
            degree_mismatches: Vec::new(),
            touching: None,
        };
        let disagreement = |pair: Pair, kind| Disagreement {
            pair,
            kind,
            separation: is_sound(pair, held.len()).then(|| held.separation(pair)),
        };
        let missing = difference.missing.iter();
        verification.missing = missing
            .map(|&pair| disagreement(pair, DisagreementKind::Missing))
            .collect();
        let mut previous = None;
        for &pair in &difference.extra {
            let repeated = previous.replace(pair) == Some(pair) || expected.binary_search(&pair).is_ok();
            let kind = kind_of_extra(held, pair, repeated);
            verification.extra.push(disagreement(pair, kind));
        }
        verification.count_degrees(compared, &expected, found);
        verification
    }

    /// Also compares numbers of touching pairs, if both are known.
    pub fn with_touching(mut self, expected: Option<u64>, found: Option<u64>) -> Self {
        self.touching = expected.zip(found);
        self
    }

    /// Names each box by its id, `ids[position]`, instead of its position.
    ///
    /// A position without an id, as in malformed pairs, stays.
    pub fn named(mut self, ids: &[u32]) -> Self {
        let id = |position: u32| ids.get(position as usize).copied().unwrap_or(position);
        for list in [&mut self.missing, &mut self.extra] {
            for entry in list.iter_mut() {
                let Pair { a, b } = entry.pair;
                entry.pair = match entry.kind {
                    DisagreementKind::Malformed => Pair { a: id(a), b: id(b) },
                    _ => Pair::new(id(a), id(b)),
                };
            }
            list.sort_by_key(|entry| entry.pair);
        }
        for mismatch in &mut self.degree_mismatches {
            mismatch.index = id(mismatch.index);
        }
        self.degree_mismatches.sort_by_key(|mismatch| mismatch.index);
        self
    }

    /// Compares the number of partners of each box.
    fn count_degrees(&mut self, compared: &[u32], expected: &[Pair], found: &[Pair]) {
        let count = |pairs: &[Pair]| {
            let sound = pairs.iter().copied().filter(|&pair| is_sound(pair, self.boxes));
            degrees(self.boxes, &sound.collect::<Vec<Pair>>())
        };
        let all = degree_mismatches(&count(expected), &count(found)).into_iter();
        self.degree_mismatches = all
            .filter(|mismatch| compared.binary_search(&mismatch.index).is_ok())
            .collect();
    }

    /// Returns `true` if there is no difference, however small, and at least one box was compared
    /// unless the scene is empty.
    pub fn passed(&self) -> bool {
        let compared = self.compared > 0 || self.boxes == 0;
        let same_pairs = self.missing.is_empty() && self.extra.is_empty() && self.degree_mismatches.is_empty();
        compared && same_pairs && self.touching.is_none_or(|(expected, found)| expected == found)
    }
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.passed() { "passed" } else { "FAILED" };
        writeln!(
            f,
            "{verdict}: {} of {} {} compared, {} {} expected, {} found",
            self.compared,
            self.boxes,
            plural(self.boxes as u64, "box", "boxes"),
            self.expected,
            plural(self.expected as u64, "pair", "pairs"),
            self.found
        )?;
        write!(
            f,
            "{} missing, {} extra, {} {} wrong",
            self.missing.len(),
            self.extra.len(),
            self.degree_mismatches.len(),
            plural(self.degree_mismatches.len() as u64, "degree", "degrees"),
        )?;
        if let Some((expected, found)) = self.touching {
            write!(f, "; touching: {expected} expected, {found} found")?;
        }
        list(f, &self.missing)?;
        list(f, &self.extra)?;
        list(f, &self.degree_mismatches)
    }
}

/// Prints the first entries, one per line, and the number of remaining ones.
fn list(f: &mut fmt::Formatter<'_>, entries: &[impl fmt::Display]) -> fmt::Result {
    for entry in entries.iter().take(NAMED) {
        write!(f, "\n  {entry}")?;
    }
    match entries.len().saturating_sub(NAMED) {
        0 => Ok(()),
        more => write!(f, "\n  and {more} more"),
    }
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pair ({}, {}) {}", self.pair.a, self.pair.b, self.kind)?;
        match self.separation {
            Some(separation) => write!(f, ", separation {separation:+.3e}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for DegreeMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "box {} has {} partners, {} found",
            self.index, self.expected, self.found
        )
    }
}

/// Returns the problem with a pair that was found but not expected.
fn kind_of_extra(held: Held<'_>, pair: Pair, repeated: bool) -> DisagreementKind {
    if !is_sound(pair, held.len()) {
        DisagreementKind::Malformed
    } else if !held.groups_meet(pair) {
        DisagreementKind::Forbidden
    } else if repeated {
        DisagreementKind::Repeated
    } else {
        DisagreementKind::Extra
    }
}

/// Returns `true` if the pair names two different boxes in order.
fn is_sound(pair: Pair, boxes: usize) -> bool {
    pair.a < pair.b && (pair.b as usize) < boxes
}

/// Returns `sample` different numbers below `count`, or all of them, ascending (Floyd's algorithm;
/// Bentley, "Programming Pearls: a sample of brilliance", 1987).
fn choose(count: usize, sample: usize, seed: u64) -> Vec<u32> {
    let mut random = SplitMix(seed);
    let mut chosen = BTreeSet::new();
    for last in count.saturating_sub(sample)..count {
        let candidate = (random.next() % (last as u64 + 1)) as u32;
        if !chosen.insert(candidate) {
            chosen.insert(last as u32);
        }
    }
    chosen.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_distinct_and_seeded() {
        assert_eq!(choose(1000, 100, 5), choose(1000, 100, 5));
        assert_ne!(choose(1000, 100, 5), choose(1000, 100, 6));
        assert_eq!(choose(1000, 100, 5).len(), 100);
        assert_eq!(choose(7, 100, 5), [0, 1, 2, 3, 4, 5, 6]);
        assert!(choose(0, 5, 5).is_empty());
    }
}
