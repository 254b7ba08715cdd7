//! Holds one backend's pairs against another's or against the reference's, as sets.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use crate::reference::{colliding_pairs, gather, partners, separation};
use crate::{Obb, Pair, degrees};

/// How close to touching a pair must be for the backends to be allowed different answers, as a part of the boxes' size
/// (the distance of their centers and all six half extents).
///
/// It has to cover the error of the separating-axis test in `f32`, which is a few 1e-7 of the size. Larger, and real losses
/// pass as rounding; at 0, every difference counts.
pub const TOLERANCE: f64 = 1e-5;

/// Entries of a list that a printed verification names; the rest is counted.
const NAMED: usize = 10;

/// How two sets of pairs over the same boxes differ.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// Pairs the expected set has and the other lacks, sorted.
    pub missing: Vec<Pair>,
    /// Pairs the other set has and the expected one lacks, and every repetition of a pair, sorted.
    pub extra: Vec<Pair>,
}

impl Difference {
    /// Whether the two are the same set.
    pub fn is_empty(&self) -> bool {
        self.missing.is_empty() && self.extra.is_empty()
    }
}

/// The difference of two lists of pairs.
///
/// O(n) for sorted lists; others are sorted first. A pair that `found` holds more often than `expected` is extra each
/// further time.
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

/// The pairs in order, copied only if they are not.
fn sorted(pairs: &[Pair]) -> Cow<'_, [Pair]> {
    if pairs.is_sorted() {
        return Cow::Borrowed(pairs);
    }
    let mut pairs = pairs.to_vec();
    pairs.sort_unstable();
    Cow::Owned(pairs)
}

/// Holds `found` against all pairs of the reference. O(n^2).
pub fn verify_all(boxes: &[Obb], found: &[Pair]) -> Verification {
    compare(&colliding_pairs(boxes), found, boxes)
}

/// Holds `found` against the reference's partners of `sample` boxes, chosen by `seed`. O(n) a chosen box.
///
/// Of the other boxes' pairs only those are looked at that can be no pairs at all, such as (3, 3).
pub fn verify_sample(boxes: &[Obb], found: &[Pair], sample: usize, seed: u64) -> Verification {
    let chosen = choose(boxes.len(), sample, seed);
    let mut expected = gather(chosen.len(), |k| {
        let own = chosen[k];
        let partners = partners(boxes, own as usize).into_iter();
        partners.map(|other| Pair::new(own, other)).collect()
    });
    // A pair of two chosen boxes was found from both sides.
    expected.sort_unstable();
    expected.dedup();

    let mut is_chosen = vec![false; boxes.len()];
    for &index in &chosen {
        is_chosen[index as usize] = true;
    }
    let concerned =
        |pair: &Pair| !is_sound(*pair, boxes.len()) || is_chosen[pair.a as usize] || is_chosen[pair.b as usize];
    let found: Vec<Pair> = found.iter().copied().filter(concerned).collect();
    Verification::new(boxes, &chosen, &expected, &found)
}

/// Holds the pairs of one backend against those of another.
pub fn compare(expected: &[Pair], found: &[Pair], boxes: &[Obb]) -> Verification {
    let all: Vec<u32> = (0..boxes.len() as u32).collect();
    Verification::new(boxes, &all, expected, found)
}

/// The boxes whose degrees differ, ascending.
///
/// Where one list is shorter, the degrees it lacks count as `u32::MAX`, which no box can have.
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

/// A box with another number of partners than it should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DegreeMismatch {
    /// Position of the box.
    pub index: u32,
    /// Partners it has.
    pub expected: u32,
    /// Partners it was given.
    pub found: u32,
}

/// A pair that only one of the two sets has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disagreement {
    /// The pair, as it was given.
    pub pair: Pair,
    /// What is wrong.
    pub kind: DisagreementKind,
    /// The [`separation`] of the two boxes, positive = apart; `None` if the pair names no two boxes.
    pub separation: Option<f64>,
}

/// What is wrong about a pair that only one of two sets has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DisagreementKind {
    /// Expected, and not found.
    Missing,
    /// Found, and not expected.
    Extra,
    /// Found more often than once.
    Repeated,
    /// Found although the groups of the boxes do not meet.
    Forbidden,
    /// Found, but `a < b` does not hold or there is no such box.
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

/// The outcome of holding two sets of pairs against each other; prints as a report of a few lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    /// Boxes in the scene.
    pub boxes: usize,
    /// Boxes whose partners were compared.
    pub compared: usize,
    /// Pairs that are expected of the compared boxes.
    pub expected: usize,
    /// Pairs that were found of them.
    pub found: usize,
    /// Expected pairs that were not found, sorted.
    pub missing: Vec<Disagreement>,
    /// Found pairs that should not be there, sorted.
    pub extra: Vec<Disagreement>,
    /// Pairs in only one of the sets that are within [`TOLERANCE`] of touching. They are in neither of the lists above.
    pub tolerated: Vec<Disagreement>,
    /// Compared boxes with a wrong number of partners, tolerated pairs left aside.
    pub degree_mismatches: Vec<DegreeMismatch>,
}

impl Verification {
    fn new(boxes: &[Obb], compared: &[u32], expected: &[Pair], found: &[Pair]) -> Self {
        let expected = sorted(expected);
        let difference = difference(&expected, found);
        let mut verification = Self {
            boxes: boxes.len(),
            compared: compared.len(),
            expected: expected.len(),
            found: found.len(),
            missing: Vec::new(),
            extra: Vec::new(),
            tolerated: Vec::new(),
            degree_mismatches: Vec::new(),
        };
        for &pair in &difference.missing {
            verification.file(boxes, pair, DisagreementKind::Missing);
        }
        let mut previous = None;
        for &pair in &difference.extra {
            let repeated = previous.replace(pair) == Some(pair) || expected.binary_search(&pair).is_ok();
            verification.file(boxes, pair, kind_of_extra(boxes, pair, repeated));
        }
        verification.count_degrees(compared, &expected, found);
        verification
    }

    /// Puts a pair of only one set into the list where it belongs.
    fn file(&mut self, boxes: &[Obb], pair: Pair, kind: DisagreementKind) {
        let sides = is_sound(pair, boxes.len()).then(|| (&boxes[pair.a as usize], &boxes[pair.b as usize]));
        let separation = sides.map(|(a, b)| separation(a, b));
        let near = sides
            .zip(separation)
            .is_some_and(|((a, b), separation)| separation.abs() <= TOLERANCE * size(a, b));
        let list = match kind {
            DisagreementKind::Missing | DisagreementKind::Extra if near => &mut self.tolerated,
            DisagreementKind::Missing => &mut self.missing,
            _ => &mut self.extra,
        };
        list.push(Disagreement { pair, kind, separation });
    }

    /// Compares the number of partners of each box, as if the tolerated pairs had been found where they were expected.
    fn count_degrees(&mut self, compared: &[u32], expected: &[Pair], found: &[Pair]) {
        let count = |pairs: &[Pair]| {
            let sound: Vec<Pair> = pairs
                .iter()
                .copied()
                .filter(|&pair| is_sound(pair, self.boxes))
                .collect();
            degrees(self.boxes, &sound)
        };
        let (expected, mut found) = (count(expected), count(found));
        for Disagreement { pair, kind, .. } in &self.tolerated {
            for index in [pair.a as usize, pair.b as usize] {
                match kind {
                    DisagreementKind::Missing => found[index] += 1,
                    _ => found[index] -= 1,
                }
            }
        }
        let all = degree_mismatches(&expected, &found).into_iter();
        self.degree_mismatches = all
            .filter(|mismatch| compared.binary_search(&mismatch.index).is_ok())
            .collect();
    }

    /// Whether the sets are the same, tolerated pairs left aside, and at least one box of a scene was compared.
    pub fn passed(&self) -> bool {
        let compared = self.compared > 0 || self.boxes == 0;
        compared && self.missing.is_empty() && self.extra.is_empty() && self.degree_mismatches.is_empty()
    }
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.passed() { "passed" } else { "FAILED" };
        writeln!(
            f,
            "{verdict}: {} of {} boxes compared, {} pairs expected, {} found",
            self.compared, self.boxes, self.expected, self.found
        )?;
        write!(
            f,
            "{} missing, {} extra, {} degrees wrong, {} tolerated (within {TOLERANCE:e} of their size of touching)",
            self.missing.len(),
            self.extra.len(),
            self.degree_mismatches.len(),
            self.tolerated.len()
        )?;
        list(f, "tolerated: ", &self.tolerated)?;
        list(f, "", &self.missing)?;
        list(f, "", &self.extra)?;
        list(f, "", &self.degree_mismatches)
    }
}

/// The first entries, a line each, and how many more there are.
fn list(f: &mut fmt::Formatter<'_>, prefix: &str, entries: &[impl fmt::Display]) -> fmt::Result {
    for entry in entries.iter().take(NAMED) {
        write!(f, "\n  {prefix}{entry}")?;
    }
    match entries.len().saturating_sub(NAMED) {
        0 => Ok(()),
        more => write!(f, "\n  {prefix}and {more} more"),
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

/// What is wrong about a pair that was found and not expected.
fn kind_of_extra(boxes: &[Obb], pair: Pair, repeated: bool) -> DisagreementKind {
    if !is_sound(pair, boxes.len()) {
        DisagreementKind::Malformed
    } else if !boxes[pair.a as usize].groups_meet(&boxes[pair.b as usize]) {
        DisagreementKind::Forbidden
    } else if repeated {
        DisagreementKind::Repeated
    } else {
        DisagreementKind::Extra
    }
}

/// Whether the pair names two different boxes in order.
fn is_sound(pair: Pair, boxes: usize) -> bool {
    pair.a < pair.b && (pair.b as usize) < boxes
}

/// The length that the tolerance is a part of: `|d| + |hA|_1 + |hB|_1`.
fn size(a: &Obb, b: &Obb) -> f64 {
    let extents = a.half_extents.as_dvec3() + b.half_extents.as_dvec3();
    a.center.as_dvec3().distance(b.center.as_dvec3()) + extents.element_sum()
}

/// `sample` different numbers below `count`, or all of them, ascending (Floyd's algorithm; Bentley, "Programming Pearls:
/// a sample of brilliance", 1987).
fn choose(count: usize, sample: usize, seed: u64) -> Vec<u32> {
    let mut state = seed;
    let mut chosen = BTreeSet::new();
    for last in count.saturating_sub(sample)..count {
        let candidate = (splitmix(&mut state) % (last as u64 + 1)) as u32;
        if !chosen.insert(candidate) {
            chosen.insert(last as u32);
        }
    }
    chosen.into_iter().collect()
}

/// The next number of SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (*state ^ *state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    /// Unit boxes in a row, each overlapping the next by `overlap`.
    fn row(count: usize, overlap: f32) -> Vec<Obb> {
        (0..count)
            .map(|i| Obb::axis_aligned(Vec3::X * (i as f32) * (1.0 - overlap), Vec3::splat(0.5)))
            .collect()
    }

    /// Every way to look at the pairs of a scene.
    fn verdicts(boxes: &[Obb], found: &[Pair]) -> [bool; 3] {
        [
            verify_all(boxes, found).passed(),
            verify_sample(boxes, found, boxes.len(), 1).passed(),
            compare(&colliding_pairs(boxes), found, boxes).passed(),
        ]
    }

    #[test]
    fn equal_sets_pass() {
        let boxes = row(20, 0.25);
        let mut pairs = colliding_pairs(&boxes);
        assert_eq!(pairs.len(), 19);
        assert_eq!(verdicts(&boxes, &pairs), [true; 3]);
        pairs.reverse();
        assert_eq!(verdicts(&boxes, &pairs), [true; 3], "order does not matter");
        assert_eq!(verdicts(&[], &[]), [true; 3]);
    }

    #[test]
    fn planted_faults_fail() {
        let boxes = row(20, 0.25);
        let pairs = colliding_pairs(&boxes);
        let check = |kind, fault: &dyn Fn(&mut Vec<Pair>)| {
            let mut found = pairs.clone();
            fault(&mut found);
            assert_eq!(verdicts(&boxes, &found), [false; 3], "{kind:?}");
            let verification = verify_all(&boxes, &found);
            let mut all = verification.missing.iter().chain(&verification.extra);
            assert!(all.any(|disagreement| disagreement.kind == kind), "{verification}");
            assert!(verification.to_string().contains("FAILED"));
        };
        check(DisagreementKind::Missing, &|found| found.retain(|pair| pair.a != 7));
        check(DisagreementKind::Missing, &|found| found.clear());
        check(DisagreementKind::Extra, &|found| found.push(Pair { a: 2, b: 9 }));
        check(DisagreementKind::Repeated, &|found| found.push(found[3]));
        check(DisagreementKind::Malformed, &|found| found.push(Pair { a: 5, b: 5 }));
        check(DisagreementKind::Malformed, &|found| found[4] = Pair { a: 5, b: 4 });
        check(DisagreementKind::Malformed, &|found| found.push(Pair { a: 5, b: 20 }));
    }

    #[test]
    fn a_pair_whose_groups_do_not_meet_fails_even_where_it_touches() {
        let mut boxes = row(2, 0.0);
        boxes[1] = boxes[1].with_groups(1, 0);
        assert_eq!(verdicts(&boxes, &[]), [true; 3]);
        assert_eq!(verdicts(&boxes, &[Pair { a: 0, b: 1 }]), [false; 3]);
    }

    #[test]
    fn a_sample_sees_the_pairs_of_its_boxes_only() {
        let boxes = row(1000, 0.25);
        let pairs = colliding_pairs(&boxes);
        let verification = verify_sample(&boxes, &pairs, 10, 3);
        assert!(verification.passed());
        assert_eq!(verification.compared, 10);
        assert!(
            verification.expected >= 11 && verification.expected <= 20,
            "{verification}"
        );

        for &index in &choose(1000, 10, 3) {
            let others: Vec<Pair> = pairs
                .iter()
                .copied()
                .filter(|pair| pair.a != index && pair.b != index)
                .collect();
            let verification = verify_sample(&boxes, &others, 10, 3);
            assert!(!verification.passed());
            assert!(
                verification
                    .degree_mismatches
                    .iter()
                    .any(|mismatch| mismatch.index == index)
            );
        }
        assert!(
            !verify_sample(&boxes, &pairs, 0, 3).passed(),
            "comparing nothing proves nothing"
        );
    }

    #[test]
    fn degrees_follow_from_pairs_and_are_compared_alone() {
        let boxes = row(5, 0.25);
        let pairs = colliding_pairs(&boxes);
        let mismatches = verify_all(&boxes, &pairs[1..]).degree_mismatches;
        let at = |index, expected, found| DegreeMismatch { index, expected, found };
        assert_eq!(mismatches, [at(0, 1, 0), at(1, 2, 1)]);

        let right = degrees(5, &pairs);
        assert_eq!(degree_mismatches(&right, &right), []);
        assert_eq!(degree_mismatches(&right, &[1, 2, 3, 2, 1]), [at(2, 2, 3)]);
        assert_eq!(degree_mismatches(&right, &right[..4]), [at(4, 1, u32::MAX)]);
    }

    #[test]
    fn only_pairs_near_touching_are_tolerated() {
        // Center distance about 1 and six half extents of 0.5: the size is 4, a tolerated separation 4e-5.
        for (gap, tolerated) in [(3e-5, true), (5e-5, false), (-3e-5, true), (-5e-5, false)] {
            let boxes = row(2, -gap);
            let pair = Pair { a: 0, b: 1 };
            let (expected, found): (&[Pair], &[Pair]) = if gap > 0.0 { (&[], &[pair]) } else { (&[pair], &[]) };
            let verification = compare(expected, found, &boxes);
            assert_eq!(verification.passed(), tolerated, "{verification}");
            assert_eq!(verification.tolerated.len(), usize::from(tolerated));
            assert_eq!(verdicts(&boxes, found), [tolerated; 3], "{verification}");
            let repeated = compare(expected, &[pair, pair], &boxes);
            assert!(!repeated.passed(), "a repetition is no rounding: {repeated}");
        }
    }

    #[test]
    fn the_first_differences_are_named() {
        let boxes = row(100, 0.25);
        let text = verify_all(&boxes, &[]).to_string();
        assert!(text.contains("pair (0, 1) missing, separation -2.500e-1"), "{text}");
        assert!(
            text.contains("and 89 more") && text.contains("box 9 has 2 partners, 0 found"),
            "{text}"
        );
        assert_eq!(text.lines().count(), 2 + 11 + 11);
    }

    #[test]
    fn a_sample_is_distinct_and_seeded() {
        assert_eq!(choose(1000, 100, 5), choose(1000, 100, 5));
        assert_ne!(choose(1000, 100, 5), choose(1000, 100, 6));
        assert_eq!(choose(1000, 100, 5).len(), 100);
        assert_eq!(choose(7, 100, 5), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(choose(0, 5, 5), []);
    }
}
