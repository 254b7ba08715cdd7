//! The points of a convex solid, laid out for its support function: which of them is furthest along a direction.
//!
//! Coordinates are kept in `f64` from a point in the middle of the solid, so that nothing is lost far from the origin of the world,
//! and in blocks of eight, which are as many as the widest lanes have. The products of a direction with all of them take a few
//! cycles a block. Hulls of many points may have their edges: then a walk along them, each time to the neighbour that is
//! furthest, finds the place in some steps (hill climbing). All widths of lanes give the same point, the first of equal ones.

use fearless_simd::prelude::*;
use glam::{DVec3, Vec3};

use crate::base::error::Result;
use crate::base::lanes::Simd;
use crate::base::memory;
use crate::narrow_phase::solid_solid::double::Double;
use crate::narrow_phase::solid_solid::simplex::{Corner, Vector, dot, minus};

/// The points of a block.
const BLOCK: usize = 8;

/// Blocks that are looked at together: a bit for each of their points.
const CHUNK: usize = 8;

/// Solids with fewer points do without hill climbing: looking at all of them is as fast.
const CLIMBING: usize = 512;

/// The points of a convex solid, ready for the search for distances and depths. They may include points within the solid, several
/// at one place, or all in a plane, on a line or at one place.
#[derive(Clone, Debug, Default)]
pub struct Vertices {
    points: Vec<Vec3>,
    /// The middle of the bounds.
    origin: DVec3,
    /// No point is further from the origin.
    radius: f64,
    /// The coordinates of the points from the origin, eight x, y and z at a time; the first point fills the last block.
    blocks: Vec<[[f64; BLOCK]; 3]>,
    /// The neighbours of each point, one after the other; where each point's begin, and where the last ends. Empty without edges.
    neighbours: Vec<u32>,
    begins: Vec<u32>,
}

impl Vertices {
    /// Lays out finite points, one at least. O(points).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn new(points: &[Vec3]) -> Result<Self> {
        let all = points.iter().map(|point| point.as_dvec3());
        let lowest = all.clone().reduce(DVec3::min).unwrap_or_default();
        let highest = all.clone().reduce(DVec3::max).unwrap_or_default();
        let origin = 0.5 * (lowest + highest);
        let places = all.map(|point| point - origin);
        let squared = places.clone().map(DVec3::length_squared).fold(0.0, f64::max);
        let mut blocks = Vec::new();
        memory::reserve(&mut blocks, points.len().div_ceil(BLOCK), WHAT)?;
        for (k, place) in places.enumerate() {
            if k % BLOCK == 0 {
                let first = points[0].as_dvec3() - origin;
                blocks.push(first.to_array().map(|coordinate| [coordinate; BLOCK]));
            }
            for axis in 0..3 {
                blocks[k / BLOCK][axis][k % BLOCK] = place[axis];
            }
        }
        Ok(Self {
            points: memory::collect(points.iter().copied(), WHAT)?,
            origin,
            radius: squared.sqrt() * (1.0 + f64::EPSILON),
            blocks,
            ..Self::default()
        })
    }

    /// The same with the edges of the hull: pairs of points, each once. They must be all edges, and connect all points; then solids of
    /// many points take less time.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn with_edges(points: &[Vec3], edges: &[[u32; 2]]) -> Result<Self> {
        let mut vertices = Self::new(points)?;
        if points.len() < CLIMBING {
            return Ok(vertices);
        }
        let mut ends: Vec<u32> = memory::filled(points.len() + 1, 0, WHAT)?;
        for &end in edges.as_flattened() {
            ends[end as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        let mut neighbours = memory::filled(2 * edges.len(), 0, WHAT)?;
        for &[a, b] in edges {
            for [own, other] in [[a, b], [b, a]] {
                ends[own as usize] -= 1;
                neighbours[ends[own as usize] as usize] = other;
            }
        }
        vertices.neighbours = neighbours;
        // Counted down, they are where each begins.
        vertices.begins = ends;
        Ok(vertices)
    }

    /// The points.
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// The middle of the bounds, in the world: places are relative to it.
    pub(super) fn origin(&self) -> DVec3 {
        self.origin
    }

    pub(super) fn radius(&self) -> f64 {
        self.radius
    }

    /// A point from the origin.
    #[inline(always)]
    pub(super) fn place(&self, k: u32) -> Vector<f64> {
        let (block, lane) = (&self.blocks[k as usize / BLOCK], k as usize % BLOCK);
        [block[0][lane], block[1][lane], block[2][lane]]
    }

    /// A point from the origin, without error.
    pub(super) fn exact_place(&self, k: u32) -> Vector<Double> {
        let (point, origin) = (self.points[k as usize].as_dvec3().to_array(), self.origin.to_array());
        std::array::from_fn(|axis| Double::from(point[axis]) - Double::from(origin[axis]))
    }

    /// The point that is least far along the direction; of equal ones the first. A search along edges begins at `near`, and may end at
    /// one that rounding alone makes no better.
    #[inline(always)]
    pub(super) fn lowest<S: Simd>(&self, simd: S, direction: Vector<f64>, near: u32) -> u32 {
        match self.begins.is_empty() {
            true => self.lowest_of_all(simd, direction),
            false => self.climb(direction, near),
        }
    }

    /// The point that is least far along the direction; of equal ones the first.
    #[inline(always)]
    pub(super) fn lowest_of_all<S: Simd>(&self, simd: S, direction: Vector<f64>) -> u32 {
        let [x, y, z] = direction;
        let (mut best, mut least) = (0, f64::INFINITY);
        for (number, blocks) in self.blocks.chunks(CHUNK).enumerate() {
            let mut far = [[0.0; BLOCK]; CHUNK];
            let mut least_here = S::f64s::splat(simd, f64::INFINITY);
            for (block, far) in blocks.iter().zip(&mut far) {
                for part in (0..BLOCK).step_by(S::f64s::LEN) {
                    let of = |axis: usize| S::f64s::from_slice(simd, &block[axis][part..][..S::f64s::LEN]);
                    let next = of(0) * x + of(1) * y + of(2) * z;
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

    fn climb(&self, direction: Vector<f64>, near: u32) -> u32 {
        let mut best = near;
        let mut least = dot(self.place(best), direction);
        loop {
            let here = best;
            let own = self.begins[here as usize] as usize..self.begins[here as usize + 1] as usize;
            for &next in &self.neighbours[own] {
                let far = dot(self.place(next), direction);
                if far < least {
                    (best, least) = (next, far);
                }
            }
            if best == here {
                return best;
            }
        }
    }

    /// The point that is least far along a direction in twice the digits. O(points), without lanes.
    pub(super) fn lowest_exact(&self, direction: Vector<Double>) -> u32 {
        let rough = direction.map(Double::rounded);
        let far = |k: u32| dot(self.place(k), rough);
        let all = 0..self.points.len() as u32;
        let least = all.clone().map(far).fold(f64::INFINITY, f64::min);
        // Each errs by less than half of it.
        let error = 16.0 * f64::EPSILON * self.radius * rough.iter().map(|part| part.abs()).sum::<f64>();
        let mut best: Option<(u32, Double)> = None;
        for k in all.filter(|&k| far(k) <= least + error) {
            let far = dot(self.exact_place(k), direction);
            if best.is_none_or(|(_, least)| far < least) {
                best = Some((k, far));
            }
        }
        best.map_or(0, |(k, _)| k)
    }
}

/// Two solids about a common origin.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub a: &'a Vertices,
    pub b: &'a Vertices,
    /// From the origin of B to that of A.
    pub apart: Vector<f64>,
    /// No point of A is further from a point of B.
    pub size: f64,
}

impl<'a> Pair<'a> {
    #[inline(always)]
    pub fn new(a: &'a Vertices, b: &'a Vertices) -> Self {
        let apart = a.origin - b.origin;
        Self {
            a,
            b,
            apart: apart.to_array(),
            size: apart.length() + a.radius + b.radius,
        }
    }

    /// The same with B moved.
    #[inline(always)]
    pub fn moved(&self, by: DVec3) -> Self {
        Self {
            apart: (DVec3::from_array(self.apart) - by).to_array(),
            ..*self
        }
    }

    /// From the middle of B to that of A, or any way where both are at one place.
    #[inline(always)]
    pub fn towards(&self) -> Vector<f64> {
        match self.apart == [0.0; 3] {
            true => [1.0, 0.0, 0.0],
            false => self.apart,
        }
    }

    /// Whether points are searched along edges.
    #[inline(always)]
    pub fn climbs(&self) -> bool {
        !(self.a.begins.is_empty() && self.b.begins.is_empty())
    }

    /// A point of A less a point of B.
    #[inline(always)]
    pub fn difference(&self, [a, b]: [u32; 2]) -> Vector<f64> {
        let between = minus(self.a.place(a), self.b.place(b));
        [
            between[0] + self.apart[0],
            between[1] + self.apart[1],
            between[2] + self.apart[2],
        ]
    }

    #[inline(always)]
    pub fn corner(&self, pair: [u32; 2]) -> Corner<f64> {
        Corner {
            place: self.difference(pair),
            pair,
        }
    }

    /// A point of A less a point of B, without error.
    pub fn exact_difference(&self, [a, b]: [u32; 2]) -> Vector<Double> {
        let [a, b] = [self.a.points[a as usize], self.b.points[b as usize]]
            .map(|point| point.as_dvec3().to_array().map(Double::from));
        minus(a, b)
    }

    /// The points whose difference is least far along the direction.
    #[inline(always)]
    pub fn lowest<S: Simd>(&self, simd: S, direction: Vector<f64>, near: [u32; 2]) -> [u32; 2] {
        let against = direction.map(|part| -part);
        [
            self.a.lowest(simd, direction, near[0]),
            self.b.lowest(simd, against, near[1]),
        ]
    }

    /// The same without hill climbing.
    #[inline(always)]
    pub fn lowest_of_all<S: Simd>(&self, simd: S, direction: Vector<f64>) -> [u32; 2] {
        let against = direction.map(|part| -part);
        [
            self.a.lowest_of_all(simd, direction),
            self.b.lowest_of_all(simd, against),
        ]
    }

    /// The same in twice the digits.
    pub fn lowest_exact(&self, direction: Vector<Double>) -> [u32; 2] {
        [
            self.a.lowest_exact(direction),
            self.b.lowest_exact(direction.map(|part| -part)),
        ]
    }
}

const WHAT: &str = "the points of a solid";
