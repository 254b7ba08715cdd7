//! The vertices of a solid, laid out for its support function, which finds the vertex that is
//! furthest along a direction.
//!
//! Coordinates are stored in `f64` relative to the middle of the solid, so that nothing is lost far
//! from the origin of the world. They are stored in blocks of eight, the number of the widest
//! lanes: the products of a direction with all of a block take a few cycles. All widths of lanes
//! find the same one of several equally distant vertices. There is one short loop because the
//! processor seldom predicts its end.
//!
//! Hill climbing along edges, each time to the furthest neighbour, visits about fifty of four
//! thousand vertices. In measurements it was hardly ever faster up to that size: its vertices are
//! not adjacent in memory, while blocks are read at the speed of memory.

use fearless_simd::prelude::*;
use glam::{DVec3, Vec3};

use crate::base::error::Result;
use crate::base::lanes::Simd;
use crate::base::memory;

/// The number of vertices in a block.
const BLOCK: usize = 8;

/// The maximum number of vectors in a block, which the narrowest lanes need.
const PARTS: usize = BLOCK / 2;

/// From this number on, the lowest bits of an `f64` are those of the integer.
const COUNTED: f64 = (1u64 << 52) as f64;

/// The vertices of a solid, relative to the middle of its bounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Support {
    middle: DVec3,
    radius: f64,
    center: DVec3,
    /// Eight x, y and z at a time; the first vertex pads the last block.
    blocks: Vec<[[f64; BLOCK]; 3]>,
}

impl Support {
    /// Lays out finite vertices, at least one.
    pub fn new(vertices: &[Vec3]) -> Result<Self> {
        let all = vertices.iter().map(|vertex| vertex.as_dvec3());
        let lowest = all.clone().reduce(DVec3::min).unwrap_or_default();
        let highest = all.clone().reduce(DVec3::max).unwrap_or_default();
        let mut support = Self {
            middle: 0.5 * (lowest + highest),
            ..Self::default()
        };
        for axis in 0..3 {
            for bound in [lowest, highest] {
                let vertex = all.clone().find(|vertex| vertex[axis] == bound[axis]);
                support.center += (vertex.unwrap_or(bound) - support.middle) / 6.0;
            }
        }
        memory::reserve(&mut support.blocks, vertices.len().div_ceil(BLOCK), WHAT)?;
        let mut squared: f64 = 0.0;
        for (k, vertex) in all.enumerate() {
            let place = vertex - support.middle;
            squared = squared.max(place.length_squared());
            if k % BLOCK == 0 {
                let first = vertices[0].as_dvec3() - support.middle;
                support
                    .blocks
                    .push(first.to_array().map(|coordinate| [coordinate; BLOCK]));
            }
            for axis in 0..3 {
                support.blocks[k / BLOCK][axis][k % BLOCK] = place[axis];
            }
        }
        support.radius = squared.sqrt() * (1.0 + f64::EPSILON);
        Ok(support)
    }

    /// Returns the middle of the bounds, in the world.
    pub fn middle(&self) -> DVec3 {
        self.middle
    }

    /// Returns an upper bound of the distance of the vertices from the middle.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Returns a point inside, up to rounding, relative to the middle: the mean of vertices that
    /// are furthest along the axes.
    pub fn center(&self) -> DVec3 {
        self.center
    }

    /// Returns a vertex relative to the middle. It is rounded where coordinates differ by more than
    /// 29 powers of two.
    #[inline(always)]
    pub fn place(&self, vertex: u32) -> DVec3 {
        let (block, lane) = (&self.blocks[vertex as usize / BLOCK], vertex as usize % BLOCK);
        DVec3::new(block[0][lane], block[1][lane], block[2][lane])
    }

    /// Returns the vertex that is lowest along a direction; of equal ones an unspecified one, but
    /// always the same.
    #[inline(always)]
    pub fn lowest<S: Simd>(&self, simd: S, direction: DVec3) -> u32 {
        let mut lowest = Lowest::new(simd);
        for block in &self.blocks {
            lowest.look(simd, block, direction);
        }
        lowest.vertex()
    }
}

/// The lowest vertices, one for each of the eight places in a block.
struct Lowest<S: Simd> {
    far: [S::f64s; PARTS],
    /// Their blocks.
    blocks: [S::f64s; PARTS],
    /// The next block.
    next: S::f64s,
}

impl<S: Simd> Lowest<S> {
    #[inline(always)]
    fn new(simd: S) -> Self {
        Self {
            far: [S::f64s::splat(simd, f64::INFINITY); PARTS],
            blocks: [S::f64s::splat(simd, COUNTED); PARTS],
            next: S::f64s::splat(simd, COUNTED),
        }
    }

    #[inline(always)]
    fn look(&mut self, simd: S, block: &[[f64; BLOCK]; 3], direction: DVec3) {
        for part in 0..BLOCK / S::f64s::LEN {
            let of = |axis: usize| S::f64s::from_slice(simd, &block[axis][part * S::f64s::LEN..][..S::f64s::LEN]);
            let far = of(0) * direction.x + of(1) * direction.y + of(2) * direction.z;
            let is_less = far.simd_lt(self.far[part]);
            self.far[part] = self.far[part].min(far);
            self.blocks[part] = is_less.select(self.next, self.blocks[part]);
        }
        self.next += 1.0;
    }

    /// Returns the lowest vertex; of equal ones the first of the first place.
    #[inline(always)]
    fn vertex(self) -> u32 {
        let parts = BLOCK / S::f64s::LEN;
        let mut least = self.far[0];
        for part in 1..parts {
            least = least.min(self.far[part]);
        }
        let least = least.reduce_min();
        let (mut equal, mut blocks) = (0, [0.0; BLOCK]);
        for part in 0..parts {
            equal |= self.far[part].simd_eq(least).to_bitmask() << (part * S::f64s::LEN);
            self.blocks[part].store_slice(&mut blocks[part * S::f64s::LEN..][..S::f64s::LEN]);
        }
        let place = equal.trailing_zeros() as usize % BLOCK;
        blocks[place].to_bits() as u32 * BLOCK as u32 + place as u32
    }
}

const WHAT: &str = "the vertices of a solid";
