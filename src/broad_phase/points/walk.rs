//! The walk of a tree of points, for the eight points of a block together.
//!
//! A walk takes the nearer of two nodes first, by the distance of their boxes from the box around
//! the asking points. At a block, only those of the eight compare its points whose own limit its
//! box is within. A walk of bodies does the same with bounds in place of points.

use fearless_simd::prelude::*;

use crate::base::lanes::{self, Simd, dispatch};
use crate::broad_phase::points::coordinate::{Coordinate, WIDTH};
use crate::broad_phase::points::tree::{Block, Boxes, PointTree};
use crate::broad_phase::points::wrap::Wrap;

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

    /// Returns `true` if the points search their own tree.
    #[inline(always)]
    pub fn is_of_one_tree(&self) -> bool {
        std::ptr::eq(self.tree, self.points)
    }

    /// Returns `false` for a point and itself, given the positions of the one that searches and of
    /// the one that is found.
    #[inline(always)]
    pub fn are_two(&self, own: u32, other: u32) -> bool {
        own != other || !self.is_of_one_tree()
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

    /// Returns limits no wider than the farthest of some points, which must be as many as are
    /// sought.
    pub fn limits_within(self, limits: [T; WIDTH], points: &[u32]) -> [T; WIDTH] {
        if points.is_empty() {
            return limits;
        }
        let level = lanes::level();
        let squares = match self.wrap {
            None => dispatch!(level, simd => Walk::<_, _, false, false>::new(simd, self).farthest(points)),
            Some(_) => dispatch!(level, simd => Walk::<_, _, false, true>::new(simd, self).farthest(points)),
        };
        std::array::from_fn(|lane| lesser(limits[lane], self.limit(squares[lane])))
    }

    /// Calls `visit` with the lane of a point, the points of a block within its limit, one bit
    /// each, the squares of their distances, and the position of the first. `visit` returns a new
    /// limit. With `BODIES`, the distances are those of bounds.
    pub fn walk<const BODIES: bool>(self, limits: [T; WIDTH], visit: impl FnMut(usize, u32, &[T; WIDTH], u32) -> T) {
        let level = lanes::level();
        match self.wrap {
            None => dispatch!(level, simd => Walk::<_, _, BODIES, false>::new(simd, self).list(limits, visit)),
            Some(_) => dispatch!(level, simd => Walk::<_, _, BODIES, true>::new(simd, self).list(limits, visit)),
        }
    }
}

/// The walk of points that search. With `BODIES`, they are bodies; with `WRAPS`, space repeats.
pub(super) struct Walk<'a, T: Coordinate, S: Simd, const BODIES: bool, const WRAPS: bool> {
    pub(super) simd: S,
    pub(super) asking: Asking<'a, T>,
    /// The box around the points.
    low: [T::Lanes<S>; 3],
    high: [T::Lanes<S>; 3],
    /// The lengths of the period, and the error of distances.
    lengths: [T::Lanes<S>; 3],
    slack: T::Lanes<S>,
}

impl<'a, T: Coordinate, S: Simd, const BODIES: bool, const WRAPS: bool> Walk<'a, T, S, BODIES, WRAPS> {
    /// Returns the walk of the points of a block.
    #[inline(always)]
    pub(super) fn new(simd: S, asking: Asking<'a, T>) -> Self {
        let own = &asking.points.levels[0][asking.block / WIDTH];
        let corner = |of: &[[T; WIDTH]; 3]| of_axes(|axis| of[axis][asking.block % WIDTH]);
        let (low, high) = (corner(&own.low), corner(&own.high));
        Self {
            simd,
            asking,
            low: of_axes(|axis| T::Lanes::splat(simd, low[axis])),
            high: of_axes(|axis| T::Lanes::splat(simd, high[axis])),
            lengths: of_axes(|axis| T::Lanes::splat(simd, asking.wrap.map_or(T::ZERO, |wrap| wrap.lengths[axis]))),
            slack: T::Lanes::splat(simd, asking.wrap.map_or(T::ZERO, |wrap| wrap.slack)),
        }
    }

    /// Calls `visit` for blocks within the greatest limit. It returns a new one.
    #[inline(always)]
    pub(super) fn run(&self, mut most: T, mut visit: impl FnMut(usize) -> T) {
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
            match node.level {
                0 => most = visit(node.number as usize),
                _ => self.expand(node, most, &mut stack, &mut waiting),
            }
        }
    }

    /// Calls `visit` as [`Asking::walk`] does.
    #[inline(always)]
    fn list(&self, mut limits: [T; WIDTH], mut visit: impl FnMut(usize, u32, &[T; WIDTH], u32) -> T) {
        let own = corners::<_, BODIES>(self.asking.points, self.asking.block);
        let mut most = greatest(&limits);
        self.run(most, |number| {
            if self.visit_block(own, number, &mut limits, &mut visit) {
                most = greatest(&limits);
            }
            most
        });
    }

    /// Returns the squares of the distances of the farthest of some points.
    #[inline(always)]
    fn farthest(&self, points: &[u32]) -> [T; WIDTH] {
        let own = &self.asking.points.blocks[self.asking.block].points;
        let mut most = T::Lanes::splat(self.simd, T::ZERO);
        for &position in points {
            let Block { points, .. } = &self.asking.tree.blocks[position as usize / WIDTH];
            let other = self.corner(points, position as usize % WIDTH);
            most = most.max(self.squares_of_points(own, other));
        }
        most.into()
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
        own: [&[[T; WIDTH]; 3]; 2],
        number: usize,
        limits: &mut [T; WIDTH],
        visit: &mut impl FnMut(usize, u32, &[T; WIDTH], u32) -> T,
    ) -> bool {
        let mask = self.near(own, number, limits);
        let others = corners::<_, BODIES>(self.asking.tree, number);
        for lane in bits(mask) {
            let low = self.corner(own[0], lane);
            let squares = match BODIES {
                true => self.squares(others, [low, self.corner(own[1], lane)]),
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

    /// Returns those of eight boxes whose limits the box of a block is within, one bit each.
    #[inline(always)]
    pub(super) fn near(&self, own: [&[[T; WIDTH]; 3]; 2], number: usize, limits: &[T; WIDTH]) -> u32 {
        let Boxes { low, high } = &self.asking.tree.levels[0][number / WIDTH];
        let corners = [self.corner(low, number % WIDTH), self.corner(high, number % WIDTH)];
        let squares = self.squares(own, corners);
        squares.simd_le(T::Lanes::from_slice(self.simd, limits)).to_bitmask() as u32
    }

    /// Returns the corner of one of eight boxes, repeated in all lanes.
    #[inline(always)]
    pub(super) fn corner(&self, of: &[[T; WIDTH]; 3], lane: usize) -> [T::Lanes<S>; 3] {
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
    pub(super) fn squares_of_points(&self, points: &[[T; WIDTH]; 3], from: [T::Lanes<S>; 3]) -> T::Lanes<S> {
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
pub(super) fn greatest<T: Coordinate>(limits: &[T; WIDTH]) -> T {
    let greater = |most, &limit| if limit > most { limit } else { most };
    limits.iter().fold(T::NEGATIVE_INFINITY, greater)
}

/// Returns the lesser of two limits.
#[inline(always)]
pub(super) fn lesser<T: Coordinate>(a: T, b: T) -> T {
    if b < a { b } else { a }
}
