//! The vertices of a solid, laid out for its support function: which of them is furthest along a direction.
//!
//! Coordinates are kept in `f64` from the middle of the solid, so that nothing is lost far from the origin of the world, and in blocks
//! of eight, as many as the widest lanes have: the products of a direction with all of them take a few cycles a block. All widths of
//! lanes find the same vertex, the first of equal ones.
//!
//! A walk along edges, each time to the neighbour that is furthest (hill climbing), looks at some fifty vertices of four thousand. It
//! was tried, and was hardly ever faster up to there: those are not side by side in memory, and blocks are read as fast as memory gives them.

use fearless_simd::prelude::*;
use glam::{DVec3, Vec3};

use crate::base::error::Result;
use crate::base::lanes::Simd;
use crate::base::memory;

/// The vertices of a block.
const BLOCK: usize = 8;

/// Blocks that are looked at together: a bit for each of their vertices.
const CHUNK: usize = 8;

/// The vertices of a solid, from the middle of its bounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Support {
    middle: DVec3,
    radius: f64,
    /// Eight x, y and z at a time; the first vertex fills the last block.
    blocks: Vec<[[f64; BLOCK]; 3]>,
}

impl Support {
    /// Lays out finite vertices, one at least.
    pub fn new(vertices: &[Vec3]) -> Result<Self> {
        let all = vertices.iter().map(|vertex| vertex.as_dvec3());
        let lowest = all.clone().reduce(DVec3::min).unwrap_or_default();
        let highest = all.clone().reduce(DVec3::max).unwrap_or_default();
        let mut support = Self {
            middle: 0.5 * (lowest + highest),
            ..Self::default()
        };
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

    /// The middle of the bounds, in the world.
    pub fn middle(&self) -> DVec3 {
        self.middle
    }

    /// No vertex is further from the middle.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// A vertex, from the middle: rounded, where its coordinates differ by more than 29 powers of two.
    #[inline(always)]
    pub fn place(&self, vertex: u32) -> DVec3 {
        let (block, lane) = (&self.blocks[vertex as usize / BLOCK], vertex as usize % BLOCK);
        DVec3::new(block[0][lane], block[1][lane], block[2][lane])
    }

    /// The vertex that is least far along a direction; of equal ones the first.
    #[inline(always)]
    pub fn lowest<S: Simd>(&self, simd: S, direction: DVec3) -> u32 {
        let (mut best, mut least) = (0, f64::INFINITY);
        for (number, blocks) in self.blocks.chunks(CHUNK).enumerate() {
            let mut far = [[0.0; BLOCK]; CHUNK];
            let mut least_here = S::f64s::splat(simd, f64::INFINITY);
            for (block, far) in blocks.iter().zip(&mut far) {
                for part in (0..BLOCK).step_by(S::f64s::LEN) {
                    let of = |axis: usize| S::f64s::from_slice(simd, &block[axis][part..][..S::f64s::LEN]);
                    let next = of(0) * direction.x + of(1) * direction.y + of(2) * direction.z;
                    next.store_slice(&mut far[part..][..S::f64s::LEN]);
                    least_here = least_here.min(next);
                }
            }
            let least_here = least_here.reduce_min();
            if least_here < least {
                let mut equal = 0;
                for (k, far) in far[..blocks.len()].iter().enumerate() {
                    for part in (0..BLOCK).step_by(S::f64s::LEN) {
                        let far = S::f64s::from_slice(simd, &far[part..][..S::f64s::LEN]);
                        equal |= far.simd_eq(least_here).to_bitmask() << (k * BLOCK + part);
                    }
                }
                least = least_here;
                best = (number * CHUNK * BLOCK) as u32 + equal.trailing_zeros();
            }
        }
        best
    }
}

const WHAT: &str = "the vertices of a solid";
