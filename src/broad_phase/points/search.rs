//! The search in a tree of points for candidates, for eight points at a time.
//!
//! A walk takes the nearer of two nodes first, by the distance of their boxes from the box around
//! the asking points. At a block, only those of the eight compare its points whose own limit its
//! box is within. A walk of bodies does the same with bounds in place of points.
//!
//! # Why nothing is missed
//!
//! The limit of a point is that of the square of its k-th candidate, or of the given radius.
//! [`coordinate`](super::coordinate) shows that the computed square of any point of the answer is
//! within it; so is that of each box around such a point, because the point is no nearer. Lists of
//! candidates have room for one more than k. If that one is within the limit too, there may be
//! others, such as all points of a lattice at one distance: a second walk collects all within the
//! limit.

use fearless_simd::prelude::*;

use crate::base::lanes::{self, Simd, dispatch};
use crate::base::memory::{self, Result};
use crate::broad_phase::points::coordinate::{Coordinate, WIDTH};
use crate::broad_phase::points::tree::{Boxes, Extent, PointTree};
use crate::broad_phase::points::wrap::Wrap;

/// Label for out-of-memory errors.
pub(crate) const WHAT: &str = "the neighbours of bodies";

/// Maximum number of nodes on the stack of a walk: one is removed for eight that are added, on each
/// of at most eleven levels.
const STACK: usize = 11 * (WIDTH - 1) + 1;

/// A block of points that search a tree, which may be their own.
#[derive(Debug)]
pub(crate) struct Asking<'a, T> {
    pub tree: &'a PointTree<T>,
    pub points: &'a PointTree<T>,
    /// Set if space repeats.
    pub wrap: Option<&'a Wrap<T>>,
    pub block: usize,
}

impl<T> Clone for Asking<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Asking<'_, T> {}

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
pub(crate) struct Candidates<T: Coordinate>(pub [Vec<T::Key>; WIDTH]);

impl<T: Coordinate> Default for Candidates<T> {
    fn default() -> Self {
        Self(Default::default())
    }
}

impl<T: Coordinate> Candidates<T> {
    /// Finds the candidates of the points of a block, among those that `allow` allows, given the
    /// positions of both.
    pub fn find(
        &mut self,
        asking: Asking<'_, T>,
        sought: Sought<T>,
        allow: impl Fn(u32, u32) -> bool + Copy,
    ) -> Result<()> {
        self.0.iter_mut().for_each(Vec::clear);
        let own = asking.limits(sought.limit);
        let Some(count) = sought.count else {
            return self.collect(asking, own, allow);
        };
        for list in &mut self.0 {
            memory::reserve(list, count + 1, WHAT)?;
        }
        let lists = &mut self.0;
        asking.walk::<false>(own, |lane, hits, squares, base| {
            let list = &mut lists[lane];
            for hit in bits(hits) {
                if allow(asking.position(lane), base + hit as u32) {
                    offer(list, T::key(squares[hit], base + hit as u32), count + 1);
                }
            }
            match list.len() > count {
                true => asking.limit(T::square(list[count - 1])),
                false => sought.limit,
            }
        });
        let mut again = [T::NEGATIVE_INFINITY; WIDTH];
        for (list, again) in self.0.iter_mut().zip(&mut again) {
            if list.len() > count {
                let limit = asking.limit(T::square(list[count - 1]));
                if T::square(list[count]) <= limit {
                    *again = limit;
                    list.clear();
                } else {
                    list.truncate(count);
                }
            }
        }
        match again.iter().any(|limit| *limit >= T::ZERO) {
            true => self.collect(asking, again, allow),
            false => Ok(()),
        }
    }

    /// Collects all points within the limits.
    fn collect(&mut self, asking: Asking<'_, T>, limits: [T; WIDTH], allow: impl Fn(u32, u32) -> bool) -> Result<()> {
        let (lists, mut outcome) = (&mut self.0, Ok(()));
        asking.walk::<false>(limits, |lane, hits, squares, base| {
            for hit in bits(hits) {
                if outcome.is_ok() && allow(asking.position(lane), base + hit as u32) {
                    outcome = memory::push(&mut lists[lane], T::key(squares[hit], base + hit as u32), WHAT);
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

/// Returns the bits of a mask of eight lanes, the lowest first.
#[inline(always)]
pub(crate) fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (bit < u32::BITS).then_some(bit as usize % WIDTH)
    })
}

/// A node on the stack: its level, where 0 is a block, its number, and the square of its distance.
#[derive(Clone, Copy)]
struct Waiting<T> {
    level: u32,
    number: u32,
    square: T,
}

impl<'a, T: Coordinate> Asking<'a, T> {
    /// Returns the position of a point of the block in its own tree.
    #[inline(always)]
    pub fn position(&self, lane: usize) -> u32 {
        (self.block * WIDTH + lane) as u32
    }

    /// Returns the largest computed square of any point that is no farther than one with this
    /// computed square.
    #[inline(always)]
    pub fn limit(&self, square: T) -> T {
        match self.wrap {
            None => T::limit(square),
            Some(wrap) => wrap.limit(square),
        }
    }

    /// Returns this limit for each point, and none for missing points.
    pub fn limits(&self, limit: T) -> [T; WIDTH] {
        let points = self.points.points_of(self.block);
        std::array::from_fn(|lane| if lane < points { limit } else { T::NEGATIVE_INFINITY })
    }

    /// Calls `visit` with the lane of a point, the points of a block within its limit, one bit
    /// each, the squares of their distances, and the position of the first. `visit` returns a new
    /// limit. With `BODIES`, the distances are those of bounds.
    pub fn walk<const BODIES: bool>(self, limits: [T; WIDTH], visit: impl FnMut(usize, u32, &[T; WIDTH], u32) -> T) {
        let level = lanes::level();
        match self.wrap {
            None => dispatch!(level, simd => Walk::<_, _, BODIES, false>::new(simd, self).run(limits, visit)),
            Some(_) => dispatch!(level, simd => Walk::<_, _, BODIES, true>::new(simd, self).run(limits, visit)),
        }
    }
}

/// The points of a block on their walk of a tree. With `WRAPS`, space repeats.
struct Walk<'a, T: Coordinate, S: Simd, const BODIES: bool, const WRAPS: bool> {
    simd: S,
    asking: Asking<'a, T>,
    /// The lower and the upper corner of each body; both are the point if there are no bodies.
    own: [&'a [[T; WIDTH]; 3]; 2],
    /// The box around all.
    low: [T::Lanes<S>; 3],
    high: [T::Lanes<S>; 3],
    /// The lengths of the period, and the error of distances.
    lengths: [T::Lanes<S>; 3],
    slack: T::Lanes<S>,
}

impl<'a, T: Coordinate, S: Simd, const BODIES: bool, const WRAPS: bool> Walk<'a, T, S, BODIES, WRAPS> {
    #[inline(always)]
    fn new(simd: S, asking: Asking<'a, T>) -> Self {
        let own = corners::<_, BODIES>(asking.points, asking.block);
        let corner = |of: &[[T; WIDTH]; 3], lane: usize| of_axes(|axis| of[axis][lane]);
        let lanes = 0..asking.points.points_of(asking.block);
        let Extent { low, high } = Extent::around(lanes.map(|lane| Extent {
            low: corner(own[0], lane),
            high: corner(own[1], lane),
        }));
        Self {
            simd,
            asking,
            own,
            low: of_axes(|axis| T::Lanes::splat(simd, low[axis])),
            high: of_axes(|axis| T::Lanes::splat(simd, high[axis])),
            lengths: of_axes(|axis| T::Lanes::splat(simd, asking.wrap.map_or(T::ZERO, |wrap| wrap.lengths[axis]))),
            slack: T::Lanes::splat(simd, asking.wrap.map_or(T::ZERO, |wrap| wrap.slack)),
        }
    }

    #[inline(always)]
    fn run(&self, mut limits: [T; WIDTH], mut visit: impl FnMut(usize, u32, &[T; WIDTH], u32) -> T) {
        let mut most = greatest(&limits);
        let levels = &self.asking.tree.levels;
        let root = Waiting {
            level: levels.len() as u32,
            number: 0,
            square: T::ZERO,
        };
        let mut stack = [root; STACK];
        let mut waiting = usize::from(!levels.is_empty());
        while waiting > 0 {
            waiting -= 1;
            let node = stack[waiting];
            if node.square > most || !self.may_meet(node) {
                continue;
            }
            if node.level > 0 {
                self.expand(node, most, &mut stack, &mut waiting);
            } else if self.visit_block(node.number as usize, &mut limits, &mut visit) {
                most = greatest(&limits);
            }
        }
    }

    /// Returns `false` if the rules forbid all pairs with points below a node.
    #[inline(always)]
    fn may_meet(&self, node: Waiting<T>) -> bool {
        let Asking {
            tree, points, block, ..
        } = self.asking;
        match (points.classes.first(), tree.classes.get(node.level as usize)) {
            (Some(own), Some(others)) => own[block].may_meet(&others[node.number as usize]),
            _ => true,
        }
    }

    /// Adds the children of a node to the stack, the nearest last.
    #[inline(always)]
    fn expand(&self, node: Waiting<T>, most: T, stack: &mut [Waiting<T>; STACK], waiting: &mut usize) {
        let boxes = &self.asking.tree.levels[node.level as usize - 1][node.number as usize];
        let squares = self.squares([&boxes.low, &boxes.high], [self.low, self.high]);
        let mask = (squares.simd_le(most) & squares.simd_lt(T::INFINITY)).to_bitmask() as u32;
        let squares: [T; WIDTH] = squares.into();
        let first = *waiting;
        for lane in bits(mask) {
            let mut at = *waiting;
            while at > first && stack[at - 1].square < squares[lane] {
                stack[at] = stack[at - 1];
                at -= 1;
            }
            stack[at] = Waiting {
                level: node.level - 1,
                number: node.number * WIDTH as u32 + lane as u32,
                square: squares[lane],
            };
            *waiting += 1;
        }
    }

    /// Compares the points with those of a block, and returns `true` if limits may have changed.
    #[inline(always)]
    fn visit_block(
        &self,
        number: usize,
        limits: &mut [T; WIDTH],
        visit: &mut impl FnMut(usize, u32, &[T; WIDTH], u32) -> T,
    ) -> bool {
        let tree = self.asking.tree;
        let Boxes { low, high } = &tree.levels[0][number / WIDTH];
        let near = self.squares(
            self.own,
            [self.corner(low, number % WIDTH), self.corner(high, number % WIDTH)],
        );
        let mask = near.simd_le(T::Lanes::from_slice(self.simd, limits)).to_bitmask() as u32;
        let others = corners::<_, BODIES>(tree, number);
        for lane in bits(mask) {
            let low = self.corner(self.own[0], lane);
            let squares = match BODIES {
                true => self.squares(others, [low, self.corner(self.own[1], lane)]),
                false => self.squares_of_points(others[0], low),
            };
            let hits = squares.simd_le(limits[lane]) & squares.simd_lt(T::INFINITY);
            let hits = hits.to_bitmask() as u32;
            if hits != 0 {
                limits[lane] = visit(lane, hits, &squares.into(), (number * WIDTH) as u32);
            }
        }
        mask != 0
    }

    /// Returns the corner of one of eight boxes, repeated in all lanes.
    #[inline(always)]
    fn corner(&self, of: &[[T; WIDTH]; 3], lane: usize) -> [T::Lanes<S>; 3] {
        of_axes(|axis| T::Lanes::splat(self.simd, of[axis][lane]))
    }

    /// Returns the squared distances of eight boxes from a box, or of eight from one each.
    #[inline(always)]
    fn squares(&self, [lows, highs]: [&[[T; WIDTH]; 3]; 2], [low, high]: [[T::Lanes<S>; 3]; 2]) -> T::Lanes<S> {
        let zero = T::Lanes::splat(self.simd, T::ZERO);
        sum_of_squares(|axis| {
            let before = T::Lanes::from_slice(self.simd, &lows[axis]) - high[axis];
            let behind = low[axis] - T::Lanes::from_slice(self.simd, &highs[axis]);
            let gap = before.max(behind);
            match WRAPS {
                false => gap.max(zero),
                true => {
                    let around = self.lengths[axis] + before.min(behind);
                    let nearest = (gap.min(around) - self.slack).max(zero);
                    // Missing boxes stay infinitely far away.
                    gap.simd_lt(T::INFINITY).select(nearest, gap)
                }
            }
        })
    }

    /// Returns the squared distances of eight points from a point.
    #[inline(always)]
    fn squares_of_points(&self, points: &[[T; WIDTH]; 3], from: [T::Lanes<S>; 3]) -> T::Lanes<S> {
        sum_of_squares(|axis| {
            let way = T::Lanes::from_slice(self.simd, &points[axis]) - from[axis];
            match WRAPS {
                false => way,
                true => way.abs().min((self.lengths[axis] - way.abs()).abs()),
            }
        })
    }
}

/// Returns the lower and the upper corners of the bodies of a block, or its points twice.
#[inline(always)]
fn corners<T: Coordinate, const BODIES: bool>(tree: &PointTree<T>, block: usize) -> [&[[T; WIDTH]; 3]; 2] {
    match BODIES {
        true => [&tree.bodies[block].low, &tree.bodies[block].high],
        false => [&tree.blocks[block].points; 2],
    }
}

/// Returns a value for each axis. The standard library's loops over arrays are not inlined, and so
/// not compiled for vectors.
#[inline(always)]
fn of_axes<V>(value: impl Fn(usize) -> V) -> [V; 3] {
    [value(0), value(1), value(2)]
}

/// Returns the squared lengths of vectors, given their components.
#[inline(always)]
fn sum_of_squares<S: Simd, L: SimdFloat<S>>(component: impl Fn(usize) -> L) -> L {
    let [x, y, z] = of_axes(component);
    x * x + y * y + z * z
}

/// Returns the greatest limit.
#[inline(always)]
fn greatest<T: Coordinate>(limits: &[T; WIDTH]) -> T {
    let greater = |most, &limit| if limit > most { limit } else { most };
    limits.iter().fold(T::NEGATIVE_INFINITY, greater)
}
