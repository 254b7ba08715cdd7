//! The places that pairs and contact points had in the previous frame. What a simulation keeps for
//! each of them, such as friction impulses, is then carried from frame to frame by a gather.
//!
//! Twin of `shaders/outputs/carried.wgsl`.

use crate::base::error::{Error, Result};
use crate::base::{memory, parallel};
use crate::geometry::pair::Pair;
use crate::narrow_phase::contacts::Contacts;
use crate::narrow_phase::obb_obb::manifold::ContactPoint;

/// Label for out-of-memory errors.
const WHAT: &str = "the places in the previous frame";

/// The place of a pair or a contact point that was not in the previous frame.
pub const NEW: u32 = u32::MAX;

/// Returns for each pair of `now` its position in `before`, or [`NEW`] if it is not there.
///
/// Both lists are sorted by (a, b) and have each pair once, as those of reports and of
/// [`TrackedFrame`](crate::tracking::TrackedFrame) have. The pairs name bodies by numbers that stay
/// the same from frame to frame. O(pairs), on all cores (feature `rayon`).
///
/// ```
/// use obbligato::Pair;
/// use obbligato::tracking::{NEW, previous_pairs};
/// # fn main() -> obbligato::Result<()> {
/// let before = [Pair::new(0, 1), Pair::new(0, 4), Pair::new(2, 3)];
/// let now = [Pair::new(0, 4), Pair::new(1, 2), Pair::new(2, 3)];
/// let places = previous_pairs(&before, &now)?;
/// assert_eq!(places, [1, NEW, 2]);
///
/// let warmth = [0.5, 0.25, 0.75];
/// let before_of = |&place: &u32| warmth.get(place as usize).copied();
/// let carried: Vec<f32> = places.iter().map(|place| before_of(place).unwrap_or(0.0)).collect();
/// assert_eq!(carried, [0.25, 0.0, 0.75]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::Unavailable`] if a list is not sorted or has a pair twice, [`Error::OutOfMemory`].
pub fn previous_pairs(before: &[Pair], now: &[Pair]) -> Result<Vec<u32>> {
    expect_few(before.len(), "pairs")?;
    let is_sorted = |list: &[Pair]| list.is_sorted_by(|a, b| a < b);
    if !is_sorted(before) || !is_sorted(now) {
        return Err(Error::Unavailable {
            what: "the places of pairs in the previous frame",
            hint: "sort both lists by (a, b) and remove duplicates",
        });
    }
    let parts = parallel::map_ranges(now.len(), |range| {
        let now = &now[range];
        let mut next = now
            .first()
            .map_or(0, |first| before.partition_point(|pair| pair < first));
        let place = |pair: &Pair| {
            while before.get(next).is_some_and(|old| old < pair) {
                next += 1;
            }
            match before.get(next) == Some(pair) {
                true => next as u32,
                false => NEW,
            }
        };
        memory::collect(now.iter().map(place), WHAT)
    });
    joined(now.len(), parts)
}

/// Returns for each contact point of `now` its index among [`Contacts::points`] of `before`, or
/// [`NEW`] if that contact was not there.
///
/// `pairs` has for each pair of `now` its position among those of `before`: the result of
/// [`previous_pairs`]. Points are the same contact if they have the same features of both bodies.
/// If a pair has several of these, they are taken in their order. O(points), on all cores (feature
/// `rayon`).
///
/// ```
/// use obbligato::glam::Vec3;
/// use obbligato::tracking::{NEW, previous_pairs, previous_points};
/// use obbligato::{Obb, Pair, contact::contacts};
/// # fn main() -> obbligato::Result<()> {
/// let floor = Obb::axis_aligned(Vec3::ZERO, Vec3::new(9.0, 9.0, 1.0));
/// let crate_at = |x| Obb::axis_aligned(Vec3::new(x, 0.0, 1.75), Vec3::ONE);
/// let pairs = [Pair::new(0, 1)];
/// let [before, now] = [0.0, 0.5].map(|x| contacts([&[floor, crate_at(x)]; 2], &pairs));
/// let (before, now) = (before?, now?);
/// // It has slid, and rests on the same corners.
/// let places = previous_pairs(&pairs, &pairs)?;
/// assert_eq!(previous_points(&before, &now, &places)?, [0, 1, 2, 3]);
/// assert_eq!(previous_points(&before, &now, &[NEW])?, [NEW; 4]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::Unavailable`] if `pairs` does not have one place for each pair of `now`, or has one
/// that is not in `before`; [`Error::OutOfMemory`].
pub fn previous_points(before: &Contacts, now: &Contacts, pairs: &[u32]) -> Result<Vec<u32>> {
    expect_few(before.points().len(), "contact points")?;
    let old_pairs = before.penetrations().len();
    let is_place = |&place: &u32| place == NEW || (place as usize) < old_pairs;
    if pairs.len() != now.penetrations().len() || !pairs.iter().all(is_place) {
        return Err(Error::Unavailable {
            what: "the places of contact points in the previous frame",
            hint: "give for each pair its place among those of the contacts before, or `NEW`",
        });
    }
    let parts = parallel::map_ranges(pairs.len(), |range| {
        let points = now.offsets()[range.end] - now.offsets()[range.start];
        let mut places = Vec::new();
        memory::reserve(&mut places, points, WHAT)?;
        for pair in range {
            let new = now.points_of(pair);
            match pairs[pair] {
                NEW => places.extend(new.iter().map(|_| NEW)),
                old => {
                    let old = old as usize;
                    add_points(before.points_of(old), before.offsets()[old], new, &mut places);
                }
            }
        }
        Ok(places)
    });
    joined(now.points().len(), parts)
}

/// Adds the place of each point of a pair, given its points in the previous frame and the place of
/// the first of them.
fn add_points(old: &[ContactPoint], first: usize, new: &[ContactPoint], places: &mut Vec<u32>) {
    let features = |point: &ContactPoint| (point.feature_a, point.feature_b);
    for (k, point) in new.iter().enumerate() {
        let equals = new[..k]
            .iter()
            .filter(|other| features(other) == features(point))
            .count();
        let mut same = (0..old.len()).filter(|&place| features(&old[place]) == features(point));
        places.push(same.nth(equals).map_or(NEW, |place| (first + place) as u32));
    }
}

/// Returns an error if 32 bits cannot number these.
fn expect_few(count: usize, what: &str) -> Result<()> {
    match count < NEW as usize {
        true => Ok(()),
        false => Err(Error::LimitExceeded {
            what: format!("the number of {what} in the previous frame"),
            needed: count as u64,
            available: u64::from(NEW) - 1,
            hint: "split the scene",
        }),
    }
}

/// Concatenates lists of `count` places in all.
fn joined(count: usize, parts: Vec<memory::Result<Vec<u32>>>) -> Result<Vec<u32>> {
    let mut all = Vec::new();
    memory::reserve(&mut all, count, WHAT)?;
    for part in parts {
        all.extend_from_slice(&part?);
    }
    Ok(all)
}
