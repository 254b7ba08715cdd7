//! Triangulates polygons: n - 2 triangles for n corners.
//!
//! A polygon is projected along the coordinate axis nearest to its normal. All decisions in the
//! projection use signs of areas, which are exact. If all triangles of a polygon have the same
//! orientation, each point is in as many of them as the polygon winds around it, because the
//! borders of the triangles add up to that of the polygon. Such triangles therefore cover a polygon
//! that does not cross itself, and nothing else, each place once.
//!
//! - A fan from the first corner is tried first. It is correct for convex polygons, and for others
//!   that are completely visible from their first corner.
//! - Otherwise ears are cut off: corners whose neighbours see each other inside the polygon
//!   (Meisters, "Polygons Have Ears", 1975). There is one as long as a polygon does not cross
//!   itself. A corner that is straight or duplicated, as when a pair of opposite edges joins a hole
//!   to the outline, is used as an ear without area if there is no other.
//! - Polygons that cross themselves, or are far from flat, cover no well-defined area: they become
//!   fans, and the caller is notified.
//!
//! The search for ears goes through the corners in turn. A list sorted along x finds the corners
//! that may lie inside an ear: those within its width. That takes O(n²) in the worst case, and
//! otherwise O(n) times the number of corners within the width of an ear.

#[cfg(test)]
mod tests;

use glam::{DVec3, Vec3};
use robust::{Coord, orient2d};

use crate::error::Result;
use obbligato_support::memory;

/// Label for out-of-memory errors.
const WHAT: &str = "the corners of a polygon";

/// The largest distance of the corners of a flat polygon from its plane, as a fraction of its
/// extent. Coordinates are rounded, often to few digits, so hardly any polygon is flat to the last
/// bit.
const FLATNESS: f64 = 0.01;

/// A sum of areas below this fraction of the areas is not used as a normal, because they cancel
/// each other.
const CANCELLED: f64 = 1e-3;

/// The way in which the triangles of a polygon cover it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cover {
    /// Covers each place once.
    Exact,
    /// As a fan, because its corners are not in one plane.
    NotFlat,
    /// As a fan, because its edges cross.
    Crossing,
}

/// Buffers for the current polygon.
#[derive(Default)]
pub(super) struct Triangulator {
    /// The triangles, as indices of corners.
    pub triangles: Vec<[u32; 3]>,
    points: Vec<[f64; 2]>,
    /// The indices of the next and previous remaining corner, as rings.
    next: Vec<u32>,
    previous: Vec<u32>,
    /// The indices of all corners, sorted along x.
    along: Vec<u32>,
}

/// The value of `next` for a corner that has been cut off.
const CUT: u32 = u32::MAX;

impl Triangulator {
    /// Triangulates a polygon of at least three corners, which must be finite.
    ///
    /// # Errors
    /// If memory runs out.
    pub fn triangulate(&mut self, corners: &[Vec3]) -> Result<Cover> {
        self.fan(corners.len())?;
        if corners.len() == 3 {
            return Ok(Cover::Exact);
        }
        let Some(normal) = normal(corners) else {
            // All corners, and so the fan, are on one line.
            return Ok(Cover::Exact);
        };
        if !is_flat(corners, normal) {
            return Ok(Cover::NotFlat);
        }
        self.project(corners, normal)?;
        if self.is_seen_from_first(1.0) || self.is_seen_from_first(-1.0) {
            return Ok(Cover::Exact);
        }
        self.sort()?;
        if !self.crosses_itself() && (self.cut_ears(1.0)? || self.cut_ears(-1.0)?) {
            return Ok(Cover::Exact);
        }
        self.fan(corners.len())?;
        Ok(Cover::Crossing)
    }

    /// Makes triangles from the first corner to each edge.
    fn fan(&mut self, corners: usize) -> Result<()> {
        self.triangles.clear();
        memory::reserve(&mut self.triangles, corners - 2, WHAT)?;
        self.triangles
            .extend((1..corners as u32 - 1).map(|corner| [0, corner, corner + 1]));
        Ok(())
    }

    /// Projects the corners.
    fn project(&mut self, corners: &[Vec3], normal: DVec3) -> Result<()> {
        let size = normal.abs();
        let axis = (0..3).find(|&axis| size[axis] == size.max_element()).unwrap_or(2);
        let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
        self.points.clear();
        memory::reserve(&mut self.points, corners.len(), WHAT)?;
        self.points
            .extend(corners.iter().map(|corner| [corner[j], corner[k]].map(f64::from)));
        Ok(())
    }

    /// Returns twice the area of three corners, with its exact sign.
    fn turn(&self, a: u32, b: u32, c: u32) -> f64 {
        let at = |corner: u32| {
            let [x, y] = self.points[corner as usize];
            Coord { x, y }
        };
        orient2d(at(a), at(b), at(c))
    }

    /// Returns `true` if all triangles of the fan have the same orientation, within half a turn
    /// around the first corner.
    fn is_seen_from_first(&self, sign: f64) -> bool {
        let turns = |a: u32, b: u32, c: u32| sign * self.turn(a, b, c) >= 0.0;
        self.triangles.iter().all(|&[a, b, c]| turns(a, b, c) && turns(a, 1, c))
    }

    /// Sorts the corners along x.
    fn sort(&mut self) -> Result<()> {
        let Self { along, points, .. } = self;
        along.clear();
        memory::reserve(along, points.len(), WHAT)?;
        along.extend(0..points.len() as u32);
        along.sort_unstable_by(|&a, &b| points[a as usize][0].total_cmp(&points[b as usize][0]));
        Ok(())
    }

    /// Returns `true` if two edges cross, each between its ends.
    fn crosses_itself(&self) -> bool {
        let count = self.points.len() as u32;
        let ends = |edge: u32| [edge, (edge + 1) % count];
        let x = |corner: u32| self.points[corner as usize][0];
        self.along.iter().enumerate().any(|(place, &corner)| {
            // Compares each edge, from its lower end along x, with those that begin within its
            // range.
            [corner, (corner + count - 1) % count].into_iter().any(|edge| {
                let [a, b] = ends(edge);
                let last = x(a).max(x(b));
                x(corner) == x(a).min(x(b))
                    && self.along[place..]
                        .iter()
                        .take_while(|&&other| x(other) <= last)
                        .flat_map(|&other| [other, (other + count - 1) % count])
                        .any(|other| self.edges_cross([a, b], ends(other)))
            })
        })
    }

    fn edges_cross(&self, [a, b]: [u32; 2], [c, d]: [u32; 2]) -> bool {
        let y = |corner: u32| self.points[corner as usize][1];
        let are_beside = y(a).max(y(b)) < y(c).min(y(d)) || y(c).max(y(d)) < y(a).min(y(b));
        let part = |p: f64, q: f64| (p > 0.0 && q < 0.0) || (p < 0.0 && q > 0.0);
        !are_beside && part(self.turn(a, b, c), self.turn(a, b, d)) && part(self.turn(c, d, a), self.turn(c, d, b))
    }

    /// Cuts off ears of one orientation until a triangle is left. Returns `false` if that is
    /// impossible.
    fn cut_ears(&mut self, sign: f64) -> Result<bool> {
        let count = self.points.len() as u32;
        for (list, step) in [(&mut self.next, 1), (&mut self.previous, count - 1)] {
            list.clear();
            memory::reserve(list, count as usize, WHAT)?;
            list.extend((0..count).map(|corner| (corner + step) % count));
        }
        self.triangles.clear();
        let (mut corner, mut left, mut tried) = (0, count, 0);
        while left > 3 {
            let is_ear = self.is_ear(corner, sign) || self.is_hair(corner);
            // If no corner is an ear, a straight one.
            if is_ear || (tried >= left && self.own_turn(corner) == 0.0) {
                let (before, _) = self.neighbours(corner);
                let next = self.cut(corner);
                // Hairs first: otherwise the rest of parts that touch in a corner would look like
                // an ear there. Then the corner after the next, because adjacent ears make slivers.
                let hair = [before, next].into_iter().find(|&corner| self.is_hair(corner));
                corner = hair.unwrap_or(self.next[next as usize]);
                (left, tried) = (left - 1, 0);
            } else {
                corner = self.next[corner as usize];
                tried += 1;
                if tried > 2 * left {
                    return Ok(false);
                }
            }
        }
        let last = sign * self.own_turn(corner) >= 0.0;
        self.cut(corner);
        Ok(last)
    }

    /// Makes a triangle of a corner and its neighbours, and joins these. Returns the next corner.
    fn cut(&mut self, corner: u32) -> u32 {
        let (before, after) = self.neighbours(corner);
        self.triangles.push([before, corner, after]);
        self.next[before as usize] = after;
        self.previous[after as usize] = before;
        self.next[corner as usize] = CUT;
        after
    }

    fn neighbours(&self, corner: u32) -> (u32, u32) {
        (self.previous[corner as usize], self.next[corner as usize])
    }

    /// Returns `true` if both neighbours of a corner are in the same place.
    fn is_hair(&self, corner: u32) -> bool {
        let (before, after) = self.neighbours(corner);
        self.points[before as usize] == self.points[after as usize]
    }

    fn own_turn(&self, corner: u32) -> f64 {
        let (before, after) = self.neighbours(corner);
        self.turn(before, corner, after)
    }

    /// Returns `true` if a corner has this orientation and its triangle contains no other corner,
    /// except those in the same places as its own.
    fn is_ear(&self, corner: u32, sign: f64) -> bool {
        let (before, after) = self.neighbours(corner);
        if sign * self.turn(before, corner, after) <= 0.0 {
            return false;
        }
        let ear = [before, corner, after];
        let places = ear.map(|corner| self.points[corner as usize]);
        let least = |k: usize| places[0][k].min(places[1][k]).min(places[2][k]);
        let most = |k: usize| places[0][k].max(places[1][k]).max(places[2][k]);
        let (low, high) = ([least(0), least(1)], [most(0), most(1)]);
        let first = self
            .along
            .partition_point(|&other| self.points[other as usize][0] < low[0]);
        let within = self.along[first..]
            .iter()
            .take_while(|&&other| self.points[other as usize][0] <= high[0]);
        !within.into_iter().any(|&other| {
            let point = self.points[other as usize];
            self.next[other as usize] != CUT
                && (low[1]..=high[1]).contains(&point[1])
                && !places.contains(&point)
                && (0..3).all(|k| sign * self.turn(ear[k], ear[(k + 1) % 3], other) >= 0.0)
        })
    }
}

/// Returns the normal of a polygon, whose length is twice the area: the sum of those of a fan
/// (Newell). If they cancel each other, returns the longest of them; `None` if all are 0.
fn normal(corners: &[Vec3]) -> Option<DVec3> {
    let first = corners[0].as_dvec3();
    let (mut sum, mut all, mut longest) = (DVec3::ZERO, 0.0, DVec3::ZERO);
    for edge in corners[1..].windows(2) {
        let [p, q] = [edge[0], edge[1]].map(|corner| corner.as_dvec3() - first);
        let own = p.cross(q);
        let size = own.abs().max_element();
        sum += own;
        all += size;
        if size > longest.abs().max_element() {
            longest = own;
        }
    }
    let is_clear = sum.abs().max_element() > CANCELLED * all;
    let normal = if is_clear { sum } else { longest };
    (normal != DVec3::ZERO).then_some(normal)
}

fn is_flat(corners: &[Vec3], normal: DVec3) -> bool {
    let (mut low, mut high) = (corners[0], corners[0]);
    let (mut least, mut most) = (0f64, 0f64);
    // Scaled to about 1 because squares of small numbers underflow to 0.
    let normal = (normal / normal.abs().max_element()).normalize_or_zero();
    for &corner in corners {
        (low, high) = (low.min(corner), high.max(corner));
        let height = normal.dot(corner.as_dvec3() - corners[0].as_dvec3());
        (least, most) = (least.min(height), most.max(height));
    }
    let extent = (high.as_dvec3() - low.as_dvec3()).max_element();
    most - least <= FLATNESS * extent
}
