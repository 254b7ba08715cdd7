//! A polytope that grows by one corner at a time, and keeps the plane of each face.

use fearless_simd::prelude::*;
use glam::DVec3;

use crate::base::error::Result;
use crate::base::lanes::Simd;
use crate::base::memory;
use crate::geometry::rotation::cross;
use crate::narrow_phase::solid_solid::double::Double;
use crate::narrow_phase::solid_solid::simplex::{Corner, minus};

/// Triangles that are narrower than this part of the size have no plane: they are part of an edge.
pub(super) const NARROW: f64 = 1.0 / (1u64 << 40) as f64;

/// The normals of triangles with a smaller sine at a corner are computed in twice the digits.
const SHARP: f64 = 1.0 / 1024.0;

/// Planes are searched this many at a time.
const BLOCK: usize = 8;

/// The end of a list that has no face: the height of what is not there, or has no plane.
const NONE: f64 = f64::INFINITY;

#[derive(Clone, Copy, Debug)]
struct Face {
    /// Counter-clockwise, seen from outside.
    corners: [u32; 3],
    /// The face beyond the edge from each corner to the next.
    beside: [u32; 3],
    /// Of length 1, outwards; 0 if the face has no plane.
    normal: DVec3,
    /// The look from outside that saw it last.
    seen: u32,
}

/// An edge between what is seen from a point and what is not, from corner to corner around the former.
#[derive(Clone, Copy, Debug)]
struct Rim {
    from: u32,
    to: u32,
    /// The face beyond, which is not seen.
    beyond: u32,
}

/// A convex polytope of triangles around a point that is not kept.
#[derive(Debug)]
pub(super) struct Polytope {
    corners: Vec<Corner<f64>>,
    faces: Vec<Face>,
    /// How far the plane of each face is from the origin, along its normal; in whole blocks.
    heights: Vec<f64>,
    /// Faces that are gone.
    unused: Vec<u32>,
    seen: Vec<u32>,
    rim: Vec<Rim>,
    looks: u32,
    size: f64,
    error: f64,
}

impl Polytope {
    /// A tetrahedron whose corners are not in one plane. A point is beyond a plane if it is by more than `error`.
    pub fn new(corners: [Corner<f64>; 4], size: f64, error: f64) -> Result<Self> {
        let mut polytope = Self {
            corners: Vec::new(),
            faces: Vec::new(),
            heights: Vec::new(),
            unused: Vec::new(),
            seen: Vec::new(),
            rim: Vec::new(),
            looks: 0,
            size,
            error,
        };
        memory::reserve(&mut polytope.corners, 32, WHAT)?;
        memory::reserve(&mut polytope.faces, 64, WHAT)?;
        memory::reserve(&mut polytope.heights, 64, WHAT)?;
        let [a, b, c, d] = corners.map(|corner| DVec3::from_array(corner.place));
        let inwards = (b - a).cross(c - a).dot(d - a) > 0.0;
        for k in if inwards { [0, 2, 1, 3] } else { [0, 1, 2, 3] } {
            memory::push(&mut polytope.corners, corners[k], WHAT)?;
        }
        // Now the first three are counter-clockwise, seen from the side where the last one is not.
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

    /// Whether all faces have a plane.
    pub fn is_full(&self) -> bool {
        self.faces.iter().all(|face| face.normal != DVec3::ZERO)
    }

    /// The face whose plane is least far along its normal; `None` if there is none with a plane.
    #[inline(always)]
    pub fn lowest<S: Simd>(&self, simd: S) -> Option<u32> {
        let mut least = S::f64s::splat(simd, NONE);
        for heights in self.heights.chunks_exact(S::f64s::LEN) {
            least = least.min(S::f64s::from_slice(simd, heights));
        }
        let least = least.reduce_min();
        if least == NONE {
            return None;
        }
        for (number, heights) in self.heights.chunks_exact(S::f64s::LEN).enumerate() {
            let equal = S::f64s::from_slice(simd, heights).simd_eq(least).to_bitmask();
            if equal != 0 {
                return Some((number * S::f64s::LEN) as u32 + equal.trailing_zeros());
            }
        }
        None
    }

    /// The normal of a face and the height of its plane.
    pub fn plane(&self, face: u32) -> (DVec3, f64) {
        (self.faces[face as usize].normal, self.heights[face as usize])
    }

    pub fn corners(&self, face: u32) -> [Corner<f64>; 3] {
        self.faces[face as usize]
            .corners
            .map(|corner| self.corners[corner as usize])
    }

    /// Whether a corner is at this place.
    pub fn has(&self, corner: &Corner<f64>) -> bool {
        self.corners.iter().any(|own| own.place == corner.place)
    }

    /// A face is the lowest no more.
    pub fn dismiss(&mut self, face: u32) {
        self.heights[face as usize] = NONE;
    }

    /// Grows to a corner that is beyond a face.
    pub fn grow(&mut self, face: u32, corner: Corner<f64>) -> Result<()> {
        let place = DVec3::from_array(corner.place);
        // What is seen is a disk, and its rim a loop, unless rounding says otherwise: with more tolerance less is seen, in the end the
        // one face alone.
        let mut tolerance = self.error;
        while !self.look(face, place, tolerance)? {
            tolerance *= 16.0;
        }
        let tip = self.corners.len() as u32;
        memory::push(&mut self.corners, corner, WHAT)?;
        memory::reserve(&mut self.unused, self.seen.len(), WHAT)?;
        for &gone in &self.seen {
            self.heights[gone as usize] = NONE;
            self.unused.push(gone);
        }
        // The new faces have the places of those that are gone, and then new ones.
        let count = self.rim.len();
        let (free, new) = (self.unused.len(), self.faces.len());
        let place_of = |unused: &[u32], k: usize| match k < free {
            true => unused[free - 1 - k],
            false => (new + k - free) as u32,
        };
        for k in 0..count {
            let Rim { from, to, beyond } = self.rim[k];
            let own = place_of(&self.unused, k);
            let next = place_of(&self.unused, (k + 1) % count);
            let last = place_of(&self.unused, (k + count - 1) % count);
            let outer = &mut self.faces[beyond as usize];
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
        self.unused.truncate(free.saturating_sub(count));
        Ok(())
    }

    /// Finds the faces that are seen from a point beyond one of them, and the rim around them. False if that is no loop.
    fn look(&mut self, from: u32, point: DVec3, tolerance: f64) -> Result<bool> {
        self.looks += 1;
        self.seen.clear();
        self.rim.clear();
        memory::push(&mut self.seen, from, WHAT)?;
        self.faces[from as usize].seen = self.looks;
        let mut next = 0;
        while next < self.seen.len() {
            let Face { corners, beside, .. } = self.faces[self.seen[next] as usize];
            next += 1;
            for side in 0..3 {
                let other = beside[side] as usize;
                let face = &self.faces[other];
                if face.seen == self.looks {
                    continue;
                }
                // A face without a plane goes with those around it.
                let is_seen = match face.normal == DVec3::ZERO {
                    true => tolerance < self.size,
                    false => face.normal.dot(point - self.place(face.corners[0])) > tolerance,
                };
                if is_seen {
                    self.faces[other].seen = self.looks;
                    memory::push(&mut self.seen, other as u32, WHAT)?;
                } else {
                    let rim = Rim {
                        from: corners[side],
                        to: corners[(side + 1) % 3],
                        beyond: other as u32,
                    };
                    memory::push(&mut self.rim, rim, WHAT)?;
                }
            }
        }
        Ok(self.order_rim())
    }

    /// Puts the edges of the rim one behind the other. False if they are no loop.
    fn order_rim(&mut self) -> bool {
        let rim = &mut self.rim;
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
        DVec3::from_array(self.corners[corner as usize].place)
    }

    /// Adds a face behind all others.
    fn add(&mut self, corners: [u32; 3], beside: [u32; 3]) -> Result<()> {
        let place = self.faces.len();
        let none = Face {
            corners,
            beside,
            normal: DVec3::ZERO,
            seen: 0,
        };
        memory::push(&mut self.faces, none, WHAT)?;
        if place == self.heights.len() {
            memory::resize(&mut self.heights, place + BLOCK, NONE, WHAT)?;
        }
        self.put(place as u32, corners, beside);
        Ok(())
    }

    fn put(&mut self, place: u32, corners: [u32; 3], beside: [u32; 3]) {
        let [a, b, c] = corners.map(|corner| self.corners[corner as usize].place);
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
        self.faces[place as usize] = Face {
            corners,
            beside,
            normal,
            seen: 0,
        };
        self.heights[place as usize] = match is_narrow {
            true => NONE,
            false => normal.dot(DVec3::from_array(a)),
        };
    }
}

const WHAT: &str = "the polytope of two overlapping solids";
