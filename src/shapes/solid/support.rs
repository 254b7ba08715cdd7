//! The vertices of a solid, laid out for its support function: which of them is furthest along a direction.
//!
//! Coordinates are kept in `f64` from the middle of the solid, so that nothing is lost far from the origin of the world, and in blocks
//! of eight, as many as the widest lanes have: the products of a direction with all of them take a few cycles a block. Solids of
//! many vertices have their edges, too: a walk along them, each time to the neighbour that is furthest, finds the place
//! in some steps (hill climbing). All widths of lanes find the same vertex, the first of equal ones.

use fearless_simd::prelude::*;
use glam::{DVec3, Vec3};

use crate::base::error::Result;
use crate::base::lanes::Simd;
use crate::base::memory;

/// The vertices of a block.
const BLOCK: usize = 8;

/// Blocks that are looked at together: a bit for each of their vertices.
const CHUNK: usize = 8;

/// Solids with fewer vertices do without hill climbing: looking at all of them is as fast.
const CLIMBING: usize = 512;

/// The vertices of a solid, from the middle of its bounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Support {
    middle: DVec3,
    radius: f64,
    /// Eight x, y and z at a time; the first vertex fills the last block.
    blocks: Vec<[[f64; BLOCK]; 3]>,
    /// The neighbours of each vertex, one after the other; where each vertex's begin, and where the last ends. Empty where all are
    /// looked at.
    neighbours: Vec<u32>,
    begins: Vec<u32>,
}

impl Support {
    /// Lays out finite vertices, one at least, and all edges.
    pub fn new(vertices: &[Vec3], edges: impl ExactSizeIterator<Item = [u32; 2]> + Clone) -> Result<Self> {
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
        if vertices.len() >= CLIMBING {
            support.connect(vertices.len(), edges)?;
        }
        Ok(support)
    }

    fn connect(&mut self, vertices: usize, edges: impl ExactSizeIterator<Item = [u32; 2]> + Clone) -> Result<()> {
        let mut ends: Vec<u32> = memory::filled(vertices + 1, 0, WHAT)?;
        self.neighbours = memory::filled(2 * edges.len(), 0, WHAT)?;
        for end in edges.clone().flatten() {
            ends[end as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        for [a, b] in edges {
            for [own, other] in [[a, b], [b, a]] {
                ends[own as usize] -= 1;
                self.neighbours[ends[own as usize] as usize] = other;
            }
        }
        // Counted down, they are where each begins.
        self.begins = ends;
        Ok(())
    }

    /// The middle of the bounds, in the world.
    pub fn middle(&self) -> DVec3 {
        self.middle
    }

    /// No vertex is further from the middle.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Whether vertices are found along edges.
    #[inline(always)]
    pub fn climbs(&self) -> bool {
        !self.begins.is_empty()
    }

    /// A vertex, from the middle: rounded, where its coordinates differ by more than 29 powers of two.
    #[inline(always)]
    pub fn place(&self, vertex: u32) -> DVec3 {
        let (block, lane) = (&self.blocks[vertex as usize / BLOCK], vertex as usize % BLOCK);
        DVec3::new(block[0][lane], block[1][lane], block[2][lane])
    }

    /// The vertex that is least far along a direction; of equal ones the first. A walk along edges begins at `near`, and may end
    /// somewhat early, where what is to be gained is less than rounding.
    #[inline(always)]
    pub fn lowest<S: Simd>(&self, simd: S, direction: DVec3, near: u32) -> u32 {
        match self.climbs() {
            true => self.climb(direction, near),
            false => self.lowest_of_all(simd, direction),
        }
    }

    /// The vertex that is least far along a direction; of equal ones the first.
    #[inline(always)]
    pub fn lowest_of_all<S: Simd>(&self, simd: S, direction: DVec3) -> u32 {
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

    fn climb(&self, direction: DVec3, near: u32) -> u32 {
        let mut best = near;
        let mut least = self.place(best).dot(direction);
        loop {
            let here = best;
            let own = self.begins[here as usize] as usize..self.begins[here as usize + 1] as usize;
            for &next in &self.neighbours[own] {
                let far = self.place(next).dot(direction);
                if far < least {
                    (best, least) = (next, far);
                }
            }
            if best == here {
                return best;
            }
        }
    }
}

const WHAT: &str = "the vertices of a solid";
