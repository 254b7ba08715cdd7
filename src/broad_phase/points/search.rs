//! The search in a tree of points for candidates, for eight points at a time.
//!
//! # Why nothing is missed
//!
//! The limit of a point is that of the square of its k-th candidate, or of the given radius.
//! [`coordinate`](super::coordinate) shows that the computed square of any point of the answer is
//! within it; so is that of each box around such a point, because the point is no nearer. Lists of
//! candidates have room for one more than k. If that one is within the limit too, there may be
//! others, such as all points of a lattice at one distance: a second walk collects all within the
//! limit.
//!
//! Any k points give a first limit: the farthest of them is no nearer than the k-th nearest point.
//! Those of the block before are near, because blocks are in the order of the tree.

use crate::base::memory::{self, Result};
use crate::broad_phase::points::coordinate::{Coordinate, WIDTH};
use crate::broad_phase::points::walk::{Asking, bits};

/// Label for out-of-memory errors.
pub(crate) const WHAT: &str = "the neighbours of bodies";

/// The points that are sought for each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sought<T> {
    /// The number of points to find, at least 1; all within the limit if `None`.
    pub count: Option<usize>,
    /// A limit of the computed squares.
    pub limit: T,
}

/// Candidates for each point of a block, as positions in the tree with their squares, in no
/// particular order.
#[derive(Debug)]
pub(crate) struct Candidates<T: Coordinate> {
    pub lists: [Vec<T::Key>; WIDTH],
    /// Positions of points that give the next block its first limits. If more than one is sought,
    /// they are enough even if a point of the block is one of them.
    seeds: Vec<u32>,
}

impl<T: Coordinate> Default for Candidates<T> {
    fn default() -> Self {
        Self {
            lists: Default::default(),
            seeds: Vec::new(),
        }
    }
}

impl<T: Coordinate> Candidates<T> {
    /// Finds the candidates of the points of a block, among those that `allow` allows, given the
    /// positions of both. Without it, all are allowed. No point is its own candidate.
    pub fn find(
        &mut self,
        asking: Asking<'_, T>,
        sought: Sought<T>,
        allow: Option<impl Fn(u32, u32) -> bool>,
    ) -> Result<()> {
        self.lists.iter_mut().for_each(Vec::clear);
        let limits = asking.limits(sought.limit);
        let Some(count) = sought.count else {
            return self.collect(asking, limits, allow);
        };
        for list in &mut self.lists {
            memory::reserve(list, count + 1, WHAT)?;
        }
        let all_allowed = allow.is_none();
        let again = match allow {
            None if count == 1 => self.find_nearest(asking, limits),
            None => self.find_some(asking, asking.limits_within(limits, &self.seeds), count, |_, _| true),
            Some(ref allow) => self.find_some(asking, limits, count, allow),
        };
        if again.iter().any(|limit| *limit >= T::ZERO) {
            self.collect(asking, again, allow)?;
        }
        match all_allowed {
            true => self.keep_seeds(asking, count),
            false => Ok(()),
        }
    }

    /// Finds the nearest point of each. Returns the limits within which others may be as near.
    fn find_nearest(&mut self, asking: Asking<'_, T>, limits: [T; WIDTH]) -> [T; WIDTH] {
        let near = asking.nearest(limits, &self.seeds);
        std::array::from_fn(|lane| {
            // Those of missing points are not within any limit.
            if near.squares[lane] > near.limits[lane] || near.squares[lane] == T::INFINITY {
                return T::NEGATIVE_INFINITY;
            }
            let limit = asking.limit(near.squares[lane]);
            if near.next_squares[lane] <= limit {
                return limit;
            }
            self.lists[lane].push(T::key(near.squares[lane], near.positions[lane]));
            T::NEGATIVE_INFINITY
        })
    }

    /// Finds a number of nearest points of each. Returns the limits within which others may be as
    /// near.
    fn find_some(
        &mut self,
        asking: Asking<'_, T>,
        limits: [T; WIDTH],
        count: usize,
        allow: impl Fn(u32, u32) -> bool,
    ) -> [T; WIDTH] {
        let lists = &mut self.lists;
        asking.walk::<false>(limits, |lane, hits, squares, base| {
            let list = &mut lists[lane];
            for hit in bits(hits) {
                let (own, other) = (asking.position(lane), base + hit as u32);
                if asking.are_two(own, other) && allow(own, other) {
                    offer(list, T::key(squares[hit], other), count + 1);
                }
            }
            match list.len() > count {
                true => asking.limit(T::square(list[count - 1])),
                false => limits[lane],
            }
        });
        lists.each_mut().map(|list| {
            if list.len() > count {
                let limit = asking.limit(T::square(list[count - 1]));
                if T::square(list[count]) <= limit {
                    list.clear();
                    return limit;
                }
                list.truncate(count);
            }
            T::NEGATIVE_INFINITY
        })
    }

    /// Keeps the nearest points of all, or the candidates of one of them and itself, if it is in
    /// the tree.
    fn keep_seeds(&mut self, asking: Asking<'_, T>, count: usize) -> Result<()> {
        self.seeds.clear();
        if count == 1 {
            memory::reserve(&mut self.seeds, WIDTH, WHAT)?;
            let nearest = self.lists.iter().filter_map(|list| list.first());
            self.seeds.extend(nearest.map(|&key| T::position(key)));
            return Ok(());
        }
        let Some(lane) = (0..WIDTH).rev().find(|&lane| self.lists[lane].len() >= count) else {
            return Ok(());
        };
        memory::reserve(&mut self.seeds, count + 1, WHAT)?;
        self.seeds
            .extend(self.lists[lane][..count].iter().map(|&key| T::position(key)));
        if asking.is_of_one_tree() {
            self.seeds.push(asking.position(lane));
        }
        Ok(())
    }

    /// Collects all points within the limits.
    fn collect(
        &mut self,
        asking: Asking<'_, T>,
        limits: [T; WIDTH],
        allow: Option<impl Fn(u32, u32) -> bool>,
    ) -> Result<()> {
        let (lists, mut outcome) = (&mut self.lists, Ok(()));
        asking.walk::<false>(limits, |lane, hits, squares, base| {
            for hit in bits(hits) {
                let (own, other) = (asking.position(lane), base + hit as u32);
                let allowed = asking.are_two(own, other) && allow.as_ref().is_none_or(|allow| allow(own, other));
                if outcome.is_ok() && allowed {
                    outcome = memory::push(&mut lists[lane], T::key(squares[hit], other), WHAT);
                }
            }
            limits[lane]
        });
        outcome
    }
}

/// Keeps the smallest keys, in order once there are as many as wanted. The list has room for them.
#[inline(always)]
fn offer<K: Copy + Ord>(list: &mut Vec<K>, key: K, most: usize) {
    if list.len() < most {
        list.push(key);
        if list.len() == most {
            list.sort_unstable();
        }
        return;
    }
    let mut at = most - 1;
    if key >= list[at] {
        return;
    }
    while at > 0 && key < list[at - 1] {
        list[at] = list[at - 1];
        at -= 1;
    }
    list[at] = key;
}
