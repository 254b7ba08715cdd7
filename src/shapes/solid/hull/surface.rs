//! The surface of the convex hull of points that span space, without rounding.
//!
//! Quickhull (Barber, Dobkin and Huhdanpaa, "The Quickhull Algorithm for Convex Hulls", 1996): the
//! hull of four points that span space grows by one point at a time, each the farthest from a
//! triangle that it sees. Every point that is still outside is in the list of one triangle that it
//! sees. `f64` chooses the farthest point; all decisions are exact ([`above`]).
//!
//! # Coplanar and collinear points
//!
//! A point sees a triangle if it is strictly above its plane; triangles in one plane are seen
//! together or not at all. The point therefore sees the same triangles as it would from slightly
//! further inwards, where it is on no plane: a region bounded by one closed line through different
//! corners. The sides of that line span non-degenerate triangles with the point: each side is
//! between a triangle that is seen, whose plane does not contain the point, and another. No
//! triangle of the surface is therefore ever degenerate. A corner that a later point makes
//! superfluous (inside a face, or an edge) stays until the end, when triangles of one plane are
//! merged into one face, and corners between two others on one line are removed.
//!
//! Points of a removed triangle see a new one, or are inside: a point that is above an old triangle
//! and outside the new hull sees the old one through a new triangle.

use glam::{DVec3, Vec3};

use crate::geometry::orientation::{above, are_collinear};
use crate::shapes::solid::faces::Faces;

/// Marks the absence of a triangle or a point.
const NONE: u32 = u32::MAX;

/// A triangle of the surface, counter-clockwise seen from outside.
#[derive(Clone, Copy)]
struct Triangle {
    corners: [u32; 3],
    /// The triangles beyond the sides; the first side goes from the first corner to the second.
    beyond: [u32; 3],
    /// The first of the list of outside points assigned to this triangle.
    outside: u32,
    /// The last point tested against this triangle, and the result.
    asked: (u32, bool),
    is_gone: bool,
}

/// A growing surface.
pub(super) struct Surface<'a> {
    points: &'a [Vec3],
    triangles: Vec<Triangle>,
    /// The successor of each point in its list of outside points.
    next: Vec<u32>,
    /// The new triangle whose first corner is this point, while a point is added.
    starting_at: Vec<u32>,
    /// Triangles that may have outside points.
    pending: Vec<u32>,
    /// Removed triangles whose places are free.
    free: Vec<u32>,
}

impl<'a> Surface<'a> {
    /// Creates the tetrahedron of four points, the last of which is below the first three.
    pub fn around(points: &'a [Vec3], [a, b, c, d]: [u32; 4]) -> Self {
        let mut surface = Self {
            points,
            triangles: Vec::new(),
            next: vec![NONE; points.len()],
            starting_at: vec![NONE; points.len()],
            pending: Vec::new(),
            free: Vec::new(),
        };
        let sides = [
            ([a, b, c], [1, 2, 3]),
            ([b, a, d], [0, 3, 2]),
            ([c, b, d], [0, 1, 3]),
            ([a, c, d], [0, 2, 1]),
        ];
        for (corners, beyond) in sides {
            surface.add(corners, beyond);
        }
        let all: Vec<u32> = (0..points.len() as u32).collect();
        surface.share_out(&all, &[0, 1, 2, 3]);
        surface.pending = vec![0, 1, 2, 3];
        while let Some(triangle) = surface.pending.pop() {
            surface.grow(triangle);
        }
        surface
    }

    fn add(&mut self, corners: [u32; 3], beyond: [u32; 3]) -> u32 {
        let triangle = Triangle {
            corners,
            beyond,
            outside: NONE,
            asked: (NONE, false),
            is_gone: false,
        };
        match self.free.pop() {
            Some(place) => {
                self.triangles[place as usize] = triangle;
                place
            }
            None => {
                self.triangles.push(triangle);
                self.triangles.len() as u32 - 1
            }
        }
    }

    fn corners(&self, triangle: u32) -> [Vec3; 3] {
        self.triangles[triangle as usize]
            .corners
            .map(|corner| self.points[corner as usize])
    }

    /// Returns `true` if a point sees a triangle.
    fn sees(&self, point: u32, triangle: u32) -> bool {
        let [a, b, c] = self.corners(triangle);
        above(a, b, c, self.points[point as usize]) > 0.0
    }

    /// Returns [`Surface::sees`], and remembers the result.
    fn asks(&mut self, point: u32, triangle: u32) -> bool {
        let (asked, answer) = self.triangles[triangle as usize].asked;
        if asked == point {
            return answer;
        }
        let answer = self.sees(point, triangle);
        self.triangles[triangle as usize].asked = (point, answer);
        answer
    }

    /// Adds each point to the list of the first of the triangles that it sees. Points that see none
    /// are inside.
    fn share_out(&mut self, points: &[u32], triangles: &[u32]) {
        for &point in points {
            if let Some(&seen) = triangles.iter().find(|&&triangle| self.sees(point, triangle)) {
                let list = &mut self.triangles[seen as usize].outside;
                self.next[point as usize] = std::mem::replace(list, point);
            }
        }
    }

    /// Returns the points of a list.
    fn list(&self, first: u32) -> impl Iterator<Item = u32> {
        let follow = |&point: &u32| Some(self.next[point as usize]).filter(|&next| next != NONE);
        std::iter::successors(Some(first).filter(|&point| point != NONE), follow)
    }

    /// Adds the farthest point outside a triangle, if there is one.
    fn grow(&mut self, triangle: u32) {
        let Triangle { outside, is_gone, .. } = self.triangles[triangle as usize];
        if is_gone || outside == NONE {
            return;
        }
        let [a, b, c] = self.corners(triangle).map(Vec3::as_dvec3);
        let normal: DVec3 = (b - a).cross(c - a);
        let height = |point: u32| normal.dot(self.points[point as usize].as_dvec3() - a);
        let measured = self.list(outside).map(|point| (point, height(point)));
        let farthest = measured.max_by(|a, b| a.1.total_cmp(&b.1));
        let point = farthest.map_or(outside, |(point, _)| point);

        let (seen, rim) = self.seen_from(point, triangle);
        let left: Vec<u32> = seen
            .iter()
            .flat_map(|&gone| self.list(self.triangles[gone as usize].outside))
            .filter(|&other| other != point)
            .collect();
        for &gone in &seen {
            self.triangles[gone as usize].is_gone = true;
        }
        let new = self.cone(point, &rim);
        // Done last, so that no new triangle replaces one that the rim names.
        self.free.extend(seen);
        self.share_out(&left, &new);
        self.pending.extend(new);
    }

    /// Returns the triangles that a point sees, one of which is given, and the sides between them
    /// and others: the two corners in the order of the seen triangle, and the triangle beyond.
    fn seen_from(&mut self, point: u32, triangle: u32) -> (Vec<u32>, Vec<(u32, u32, u32)>) {
        let mut seen = vec![triangle];
        let mut rim = Vec::new();
        self.triangles[triangle as usize].asked = (point, true);
        let mut done = 0;
        while done < seen.len() {
            let Triangle { corners, beyond, .. } = self.triangles[seen[done] as usize];
            done += 1;
            for side in 0..3 {
                let other = beyond[side];
                let is_new = self.triangles[other as usize].asked.0 != point;
                match (self.asks(point, other), is_new) {
                    (true, true) => seen.push(other),
                    (true, false) => {}
                    (false, _) => rim.push((corners[side], corners[(side + 1) % 3], other)),
                }
            }
        }
        (seen, rim)
    }

    /// Adds the triangles between a point and the sides of a closed line.
    fn cone(&mut self, point: u32, rim: &[(u32, u32, u32)]) -> Vec<u32> {
        let new: Vec<u32> = rim
            .iter()
            .map(|&(from, to, beyond)| {
                let triangle = self.add([from, to, point], [beyond, NONE, NONE]);
                self.starting_at[from as usize] = triangle;
                let outer = &mut self.triangles[beyond as usize];
                let side = (0..3).find(|&side| outer.corners[side] == to && outer.corners[(side + 1) % 3] == from);
                outer.beyond[side.unwrap_or(0)] = triangle;
                triangle
            })
            .collect();
        for &triangle in &new {
            let to = self.triangles[triangle as usize].corners[1];
            let after = self.starting_at[to as usize];
            self.triangles[triangle as usize].beyond[1] = after;
            self.triangles[after as usize].beyond[2] = triangle;
        }
        new
    }

    /// Returns the faces: merges the triangles of each plane, and leaves out superfluous corners.
    pub fn faces(self) -> Faces {
        let (planes, plane_of) = self.planes();
        let mut faces = Faces::default();
        let mut after = vec![NONE; self.points.len()];
        let mut line: Vec<u32> = Vec::new();
        for (plane, triangles) in planes.iter().enumerate() {
            // The sides between this plane and others form one closed line.
            let mut begin = NONE;
            for &triangle in triangles {
                let Triangle { corners, beyond, .. } = self.triangles[triangle as usize];
                for side in (0..3).filter(|&side| plane_of[beyond[side] as usize] != plane as u32) {
                    begin = corners[side];
                    after[begin as usize] = corners[(side + 1) % 3];
                }
            }
            line.clear();
            line.push(begin);
            let follow = |&corner: &u32| Some(after[corner as usize]).filter(|&next| next != begin);
            line.extend(std::iter::successors(Some(begin), follow).skip(1));
            let at = |k: usize| self.points[line[k % line.len()] as usize];
            for k in 0..line.len() {
                if !are_collinear(at(k + line.len() - 1), at(k), at(k + 1)) {
                    faces.push_corner(line[k]);
                }
            }
            faces.end();
        }
        faces
    }

    /// Returns the triangles of each plane, and the plane of each triangle.
    fn planes(&self) -> (Faces, Vec<u32>) {
        let mut planes = Faces::default();
        let mut plane_of = vec![NONE; self.triangles.len()];
        let mut found = Vec::new();
        for first in 0..self.triangles.len() as u32 {
            if self.triangles[first as usize].is_gone || plane_of[first as usize] != NONE {
                continue;
            }
            let plane = planes.len() as u32;
            plane_of[first as usize] = plane;
            found.push(first);
            while let Some(triangle) = found.pop() {
                planes.push_corner(triangle);
                for other in self.triangles[triangle as usize].beyond {
                    if plane_of[other as usize] == NONE && self.are_coplanar(triangle, other) {
                        plane_of[other as usize] = plane;
                        found.push(other);
                    }
                }
            }
            planes.end();
        }
        (planes, plane_of)
    }

    /// Returns `true` if two neighbours lie in one plane.
    fn are_coplanar(&self, triangle: u32, other: u32) -> bool {
        let [own, others] = [triangle, other].map(|triangle| self.triangles[triangle as usize].corners);
        let mut opposite = others.iter().filter(|corner| !own.contains(corner));
        opposite.all(|&corner| {
            let [a, b, c] = self.corners(triangle);
            above(a, b, c, self.points[corner as usize]) == 0.0
        })
    }
}
