//! A polytope that grows by one corner at a time, and stores the plane of each face.

use std::cell::Cell;
use std::mem::take;

use fearless_simd::prelude::*;
use glam::DVec3;

use crate::base::error::Result;
use crate::base::lanes::Simd;
use crate::base::memory;
use crate::geometry::double::Double;
use crate::geometry::rotation::cross;
use crate::narrow_phase::solid_solid::simplex::{Corner, minus};

/// The width, relative to the size, below which triangles have no plane: they are part of an edge.
pub(super) const NARROW: f64 = 1.0 / (1u64 << 40) as f64;

/// The sine at a corner below which the normal of a triangle is computed in twice the digits.
const SHARP: f64 = 1.0 / 1024.0;

/// The granularity of the list of planes, so that it can be searched in whole vectors.
const BLOCK: usize = 8;

/// The height of a face that does not exist or has no plane.
const NONE: f64 = f64::INFINITY;

#[derive(Clone, Copy, Debug)]
struct Face {
    /// The corners, counter-clockwise as seen from outside.
    corners: [u32; 3],
    /// The neighbouring face across the edge from each corner to the next.
    beside: [u32; 3],
    /// The outward unit normal; 0 if the face has no plane.
    normal: DVec3,
    /// The number of the last look in which the face was seen.
    seen: u32,
}

/// An edge between a face seen from a point and one that is not; its corners run counter-clockwise
/// around the former.
#[derive(Clone, Copy, Debug)]
struct Rim {
    from: u32,
    to: u32,
    /// The neighbouring face, which is not seen.
    beyond: u32,
}

/// The lists of a polytope.
#[derive(Debug, Default)]
struct Lists {
    corners: Vec<Corner<f64>>,
    faces: Vec<Face>,
    /// The distance of each face's plane from the origin, along its normal; in whole blocks.
    heights: Vec<f64>,
    /// The places of removed faces.
    unused: Vec<u32>,
    seen: Vec<u32>,
    rim: Vec<Rim>,
}

thread_local! {
    /// The lists of a thread's last polytope: to allocate them takes a good part of the time of a
    /// small one.
    static LAST: Cell<Option<Lists>> = const { Cell::new(None) };
}

/// The maximum number of faces of a polytope whose lists are kept.
const MOST_KEPT: usize = 1024;

/// A convex polytope of triangles around a point that is not stored.
#[derive(Debug)]
pub(super) struct Polytope {
    lists: Lists,
    looks: u32,
    size: f64,
    error: f64,
}

impl Drop for Polytope {
    fn drop(&mut self) {
        if self.lists.faces.len() <= MOST_KEPT {
            let lists = take(&mut self.lists);
            // A thread that ends keeps nothing.
            let _ = LAST.try_with(|last| last.set(Some(lists)));
        }
    }
}

impl Polytope {
    /// Creates a tetrahedron whose corners are not in one plane. A point counts as beyond a plane
    /// if its height above it exceeds `error`.
    pub fn new(corners: [Corner<f64>; 4], size: f64, error: f64) -> Result<Self> {
        let mut polytope = Self::empty(size, error);
        memory::reserve(&mut polytope.lists.corners, 32, WHAT)?;
        memory::reserve(&mut polytope.lists.faces, 64, WHAT)?;
        memory::reserve(&mut polytope.lists.heights, 64, WHAT)?;
        let [a, b, c, d] = corners.map(|corner| DVec3::from_array(corner.place));
        let inwards = (b - a).cross(c - a).dot(d - a) > 0.0;
        for k in if inwards { [0, 2, 1, 3] } else { [0, 1, 2, 3] } {
            memory::push(&mut polytope.lists.corners, corners[k], WHAT)?;
        }
        // The first three corners are now counter-clockwise, seen from the side opposite to the
        // last one.
        for (corners, beside) in [
            ([0, 1, 2], [1, 2, 3]),
            ([1, 0, 3], [0, 3, 2]),
            ([2, 1, 3], [0, 1, 3]),
            ([0, 2, 3], [0, 2, 1]),
        ] {
            polytope.add(corners, beside)?;
        }
        Ok(polytope)
    }

    /// Creates a polytope without corners, in the lists of the thread's last one.
    fn empty(size: f64, error: f64) -> Self {
        let mut lists = LAST.try_with(Cell::take).ok().flatten().unwrap_or_default();
        lists.corners.clear();
        lists.faces.clear();
        lists.heights.clear();
        lists.unused.clear();
        Self {
            lists,
            looks: 0,
            size,
            error,
        }
    }

    /// Returns `true` if all faces have a plane.
    pub fn is_full(&self) -> bool {
        self.lists.faces.iter().all(|face| face.normal != DVec3::ZERO)
    }

    /// Returns the face whose plane is least far along its normal; `None` if no face has a plane.
    #[inline(always)]
    pub fn lowest<S: Simd>(&self, simd: S) -> Option<u32> {
        let mut least = S::f64s::splat(simd, NONE);
        for heights in self.lists.heights.chunks_exact(S::f64s::LEN) {
            least = least.min(S::f64s::from_slice(simd, heights));
        }
        let least = least.reduce_min();
        if least == NONE {
            return None;
        }
        for (number, heights) in self.lists.heights.chunks_exact(S::f64s::LEN).enumerate() {
            let equal = S::f64s::from_slice(simd, heights).simd_eq(least).to_bitmask();
            if equal != 0 {
                return Some((number * S::f64s::LEN) as u32 + equal.trailing_zeros());
            }
        }
        None
    }

    /// Returns the normal of a face and the height of its plane.
    pub fn plane(&self, face: u32) -> (DVec3, f64) {
        (
            self.lists.faces[face as usize].normal,
            self.lists.heights[face as usize],
        )
    }

    pub fn corners(&self, face: u32) -> [Corner<f64>; 3] {
        self.lists.faces[face as usize]
            .corners
            .map(|corner| self.lists.corners[corner as usize])
    }

    /// Returns `true` if a corner is at this place.
    pub fn has(&self, corner: &Corner<f64>) -> bool {
        self.lists.corners.iter().any(|own| own.place == corner.place)
    }

    /// Excludes a face from [`lowest`](Self::lowest).
    pub fn dismiss(&mut self, face: u32) {
        self.lists.heights[face as usize] = NONE;
    }

    /// Grows the polytope to a corner that is beyond a face.
    pub fn grow(&mut self, face: u32, corner: Corner<f64>) -> Result<()> {
        let place = DVec3::from_array(corner.place);
        // The visible faces form a disk, and their rim a loop, unless rounding interferes. With
        // more tolerance fewer are visible, in the end the one face alone.
        let mut tolerance = self.error;
        while !self.look(face, place, tolerance)? {
            tolerance *= 16.0;
        }
        let tip = self.lists.corners.len() as u32;
        memory::push(&mut self.lists.corners, corner, WHAT)?;
        memory::reserve(&mut self.lists.unused, self.lists.seen.len(), WHAT)?;
        for &gone in &self.lists.seen {
            self.lists.heights[gone as usize] = NONE;
            self.lists.unused.push(gone);
        }
        // New faces take the places of the removed ones first.
        let count = self.lists.rim.len();
        let (free, new) = (self.lists.unused.len(), self.lists.faces.len());
        let place_of = |unused: &[u32], k: usize| match k < free {
            true => unused[free - 1 - k],
            false => (new + k - free) as u32,
        };
        for k in 0..count {
            let Rim { from, to, beyond } = self.lists.rim[k];
            let own = place_of(&self.lists.unused, k);
            let next = place_of(&self.lists.unused, (k + 1) % count);
            let last = place_of(&self.lists.unused, (k + count - 1) % count);
            let outer = &mut self.lists.faces[beyond as usize];
            for side in 0..3 {
                if outer.corners[side] == to && outer.corners[(side + 1) % 3] == from {
                    outer.beside[side] = own;
                }
            }
            let (corners, beside) = ([from, to, tip], [beyond, next, last]);
            match k < free {
                true => self.put(own, corners, beside),
                false => self.add(corners, beside)?,
            }
        }
        self.lists.unused.truncate(free.saturating_sub(count));
        Ok(())
    }

    /// Finds the faces that are visible from a point beyond one of them, and the rim around them.
    /// Returns `false` if the rim is not a loop.
    fn look(&mut self, from: u32, point: DVec3, tolerance: f64) -> Result<bool> {
        self.looks += 1;
        self.lists.seen.clear();
        self.lists.rim.clear();
        memory::push(&mut self.lists.seen, from, WHAT)?;
        self.lists.faces[from as usize].seen = self.looks;
        let mut next = 0;
        while next < self.lists.seen.len() {
            let Face { corners, beside, .. } = self.lists.faces[self.lists.seen[next] as usize];
            next += 1;
            for side in 0..3 {
                let other = beside[side] as usize;
                let face = &self.lists.faces[other];
                if face.seen == self.looks {
                    continue;
                }
                // A face without a plane is treated like those around it.
                let is_seen = match face.normal == DVec3::ZERO {
                    true => tolerance < self.size,
                    false => face.normal.dot(point - self.place(face.corners[0])) > tolerance,
                };
                if is_seen {
                    self.lists.faces[other].seen = self.looks;
                    memory::push(&mut self.lists.seen, other as u32, WHAT)?;
                } else {
                    let rim = Rim {
                        from: corners[side],
                        to: corners[(side + 1) % 3],
                        beyond: other as u32,
                    };
                    memory::push(&mut self.lists.rim, rim, WHAT)?;
                }
            }
        }
        Ok(self.order_rim())
    }

    /// Sorts the edges of the rim so that each begins where the last one ends. Returns `false` if
    /// they do not form a loop.
    fn order_rim(&mut self) -> bool {
        let rim = &mut self.lists.rim;
        for k in 1..rim.len() {
            let end = rim[k - 1].to;
            match rim[k..].iter().position(|edge| edge.from == end) {
                Some(next) => rim.swap(k, k + next),
                None => return false,
            }
        }
        rim.len() > 2 && rim[rim.len() - 1].to == rim[0].from
    }

    fn place(&self, corner: u32) -> DVec3 {
        DVec3::from_array(self.lists.corners[corner as usize].place)
    }

    /// Appends a face.
    fn add(&mut self, corners: [u32; 3], beside: [u32; 3]) -> Result<()> {
        let place = self.lists.faces.len();
        let none = Face {
            corners,
            beside,
            normal: DVec3::ZERO,
            seen: 0,
        };
        memory::push(&mut self.lists.faces, none, WHAT)?;
        if place == self.lists.heights.len() {
            memory::resize(&mut self.lists.heights, place + BLOCK, NONE, WHAT)?;
        }
        self.put(place as u32, corners, beside);
        Ok(())
    }

    fn put(&mut self, place: u32, corners: [u32; 3], beside: [u32; 3]) {
        let [a, b, c] = corners.map(|corner| self.lists.corners[corner as usize].place);
        let (u, v, w) = (minus(b, a), minus(c, a), minus(c, b));
        let mut normal = DVec3::from_array(cross(u, v));
        let [u, v, w] = [u, v, w].map(|edge| DVec3::from_array(edge).length_squared());
        if normal.length_squared() <= u * v * (SHARP * SHARP) {
            let exact = |from: [f64; 3], to: [f64; 3]| minus(to.map(Double::from), from.map(Double::from));
            normal = DVec3::from_array(cross(exact(a, b), exact(a, c)).map(Double::rounded));
        }
        let length = normal.length();
        let narrow = NARROW * self.size;
        let is_narrow = length * length <= u.max(v).max(w) * (narrow * narrow);
        let normal = if is_narrow { DVec3::ZERO } else { normal / length };
        self.lists.faces[place as usize] = Face {
            corners,
            beside,
            normal,
            seen: 0,
        };
        self.lists.heights[place as usize] = match is_narrow {
            true => NONE,
            false => normal.dot(DVec3::from_array(a)),
        };
    }
}

const WHAT: &str = "the polytope of two overlapping solids";
