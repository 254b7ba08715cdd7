//! The nearest point of each point of a block. The points are compared with one point after the
//! other of another block, so no branch depends on which is near.

use fearless_simd::prelude::*;

use crate::base::lanes::{self, Simd, dispatch};
use crate::broad_phase::points::coordinate::{Coordinate, WIDTH};
use crate::broad_phase::points::walk::{Asking, Walk, bits, greatest, lesser};

/// The nearest point of each point of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest<T> {
    /// The computed squares of their distances; infinite if there is no such point.
    pub squares: [T; WIDTH],
    /// The next larger squares, or equal ones.
    pub next_squares: [T; WIDTH],
    pub positions: [u32; WIDTH],
    /// The limits of the squares: points that are farther may be missing.
    pub limits: [T; WIDTH],
}

impl<T: Coordinate> Asking<'_, T> {
    /// Finds the nearest points within limits, and within the distance of the nearest of some
    /// points.
    pub(super) fn nearest(self, limits: [T; WIDTH], seeds: &[u32]) -> Nearest<T> {
        let level = lanes::level();
        match self.wrap {
            None => dispatch!(level, simd => Walk::<_, _, false, false>::new(simd, self).nearest(limits, seeds)),
            Some(_) => dispatch!(level, simd => Walk::<_, _, false, true>::new(simd, self).nearest(limits, seeds)),
        }
    }
}

impl<T: Coordinate, S: Simd, const WRAPS: bool> Walk<'_, T, S, false, WRAPS> {
    #[inline(always)]
    fn nearest(&self, limits: [T; WIDTH], seeds: &[u32]) -> Nearest<T> {
        let asking = self.asking;
        let own = &asking.points.blocks[asking.block].points;
        let mut near = Nearest {
            squares: [T::INFINITY; WIDTH],
            next_squares: [T::INFINITY; WIDTH],
            positions: [0; WIDTH],
            limits,
        };
        self.limit_by(own, seeds, &mut near.limits);
        let mut most = greatest(&near.limits);
        self.run(most, |number| {
            if self.near([own, own], number, &near.limits) != 0 && self.compare(own, number, &mut near) {
                most = greatest(&near.limits);
            }
            most
        });
        near
    }

    /// Reduces limits to those of the nearest of some points.
    #[inline(always)]
    fn limit_by(&self, own: &[[T; WIDTH]; 3], seeds: &[u32], limits: &mut [T; WIDTH]) {
        let asking = self.asking;
        let infinite = T::Lanes::splat(self.simd, T::INFINITY);
        let mut nearest = infinite;
        for &position in seeds {
            let squares = self.squares_of_point(own, position);
            nearest = squares.simd_lt(nearest).select(squares, nearest);
        }
        let squares: [T; WIDTH] = nearest.into();
        for (limit, square) in limits.iter_mut().zip(squares) {
            *limit = lesser(*limit, asking.limit(square));
        }
    }

    /// Compares the points of the block with those of another, or with the others of the same.
    /// Returns `true` if limits may have changed.
    #[inline(always)]
    fn compare(&self, own: &[[T; WIDTH]; 3], number: usize, near: &mut Nearest<T>) -> bool {
        let none = T::Lanes::splat(self.simd, T::NEGATIVE_INFINITY);
        let mut nearest = T::Lanes::from_slice(self.simd, &near.squares);
        let mut next = T::Lanes::from_slice(self.simd, &near.next_squares);
        let mut nearest_at = none;
        for at in 0..WIDTH {
            let squares = self.squares_of_point(own, (number * WIDTH + at) as u32);
            // Squares of missing points, which are not numbers, are never less.
            let is_nearer = squares.simd_lt(nearest);
            let farther = is_nearer.select(nearest, squares);
            next = farther.simd_lt(next).select(farther, next);
            nearest = is_nearer.select(squares, nearest);
            nearest_at = is_nearer.select(T::Lanes::splat(self.simd, T::of(at as f64)), nearest_at);
        }
        near.next_squares = next.into();
        let found = nearest_at.simd_gt(none).to_bitmask() as u32;
        let places: [T; WIDTH] = nearest_at.into();
        near.squares = nearest.into();
        for lane in bits(found) {
            near.positions[lane] = (number * WIDTH) as u32 + places[lane].to_f64() as u32;
            near.limits[lane] = lesser(near.limits[lane], self.asking.limit(near.squares[lane]));
        }
        found != 0
    }

    /// Returns the squared distances of the points from another; that of a point from itself is
    /// infinite.
    #[inline(always)]
    fn squares_of_point(&self, own: &[[T; WIDTH]; 3], position: u32) -> T::Lanes<S> {
        let asking = self.asking;
        let (block, at) = (position as usize / WIDTH, position as usize % WIDTH);
        let squares = self.squares_of_points(own, self.corner(&asking.tree.blocks[block].points, at));
        match block == asking.block && asking.is_of_one_tree() {
            true => {
                let mut squares: [T; WIDTH] = squares.into();
                squares[at] = T::INFINITY;
                T::Lanes::from_slice(self.simd, &squares)
            }
            false => squares,
        }
    }
}
