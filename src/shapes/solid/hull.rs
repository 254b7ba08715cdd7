//! The convex hull of points, without rounding.
//!
//! Quickhull (Barber, Dobkin and Huhdanpaa, "The Quickhull Algorithm for Convex Hulls", 1996): the hull of four points that span space
//! grows by one point after the other, each the farthest from a triangle that it sees. Every point that is still outside is in the list of
//! one triangle that it sees. f64 says which point is the farthest; all that decides is exact ([`above`]).
//!
//! # Why points on one plane, or one line, do no harm
//!
//! A point sees a triangle if it is strictly above its plane; triangles in one plane are seen together or not at all. So what a point sees is
//! what it would see if it moved a little inwards, where it is on no plane: a region bounded by one closed line through different corners.
//! That line's sides span real triangles with the point: one side of it is between a triangle that is seen, whose plane does not have the
//! point, and another. So no triangle of the surface is ever degenerate. A corner that a later point makes superfluous (inside a
//! face, or an edge) stays until the end, when triangles of one plane become one face, and corners between two on one line vanish.
//!
//! Points of a triangle that vanishes see a new one, or are inside: whoever is above an old triangle and outside the new hull looks through
//! a new triangle at it.

use glam::{DVec3, Vec3};

use crate::base::error::Result;
use crate::base::memory;
use crate::shapes::solid::faces::Faces;
use crate::shapes::solid::orientation::{above, are_collinear, area, areas};

/// No triangle, no point.
const NONE: u32 = u32::MAX;

/// The convex hull of points, which it names by their positions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hull {
    /// 0 for a point, 1 for a segment, 2 for a polygon, 3 for a body.
    pub dimension: usize,
    /// The corners, ascending: the points that are no mean of others. Of equal points only one.
    pub vertices: Vec<u32>,
    /// The polygons that bound it, each counter-clockwise seen from outside: no three corners on one line, and no two polygons in one plane.
    /// A flat hull has two, which are one polygon in both directions. Segments and points have none.
    pub faces: Faces,
    /// The average of these four corners lies in its relative interior. Some of them are equal unless the hull is a body.
    pub core: [u32; 4],
}

impl Hull {
    /// The hull of at least one point, all coordinates finite. Expected time O(n log n) for all but contrived points.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), before any work.
    pub fn of(points: &[Vec3]) -> Result<Self> {
        memory::ensure(128 * points.len() as u64, "a convex hull")?;
        let span = Span::of(points, 0..points.len() as u32);
        let (dimension, mut vertices, faces) = match span {
            Span::Point(point) => (0, vec![point], Faces::default()),
            Span::Line(ends) => (1, ends.to_vec(), Faces::default()),
            Span::Plane(three) => {
                let polygon = polygon(points, three);
                let mut faces = Faces::default();
                faces.push(polygon.iter().copied());
                faces.push(polygon.iter().rev().copied());
                (2, polygon, faces)
            }
            Span::Space(four) => {
                let faces = Surface::around(points, four).faces();
                (3, faces.iter().flatten().copied().collect(), faces)
            }
        };
        vertices.sort_unstable();
        vertices.dedup();
        let core = Span::of(points, vertices.iter().copied()).core();
        Ok(Self {
            dimension,
            vertices,
            faces,
            core,
        })
    }
}

/// The corners of the hull of points in the plane of three, in order, by Andrew's monotone chains, seen along the axis that shows them best.
fn polygon(points: &[Vec3], three: [u32; 3]) -> Vec<u32> {
    let at = |k: u32| points[k as usize];
    let seen = areas(at(three[0]), at(three[1]), at(three[2])).map(f64::abs);
    let axis = (0..3).max_by(|&j, &k| seen[j].total_cmp(&seen[k])).unwrap_or(0);
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_unstable_by(|&j, &k| compare(at(j)[u], at(k)[u]).then(compare(at(j)[v], at(k)[v])));
    order.dedup_by(|j, k| at(*j) == at(*k));

    let mut polygon: Vec<u32> = Vec::new();
    let mut chain = |order: &mut dyn Iterator<Item = u32>| {
        let begin = polygon.len();
        for next in order {
            while let [.., a, b] = polygon[begin..]
                && area(axis, at(a), at(b), at(next)) <= 0.0
            {
                polygon.pop();
            }
            polygon.push(next);
        }
        // The last one begins the other chain.
        polygon.pop();
    };
    chain(&mut order.iter().copied());
    chain(&mut order.iter().rev().copied());
    polygon
}

/// Compares finite numbers; 0 and -0 are equal.
fn compare(a: f32, b: f32) -> std::cmp::Ordering {
    a.partial_cmp(&b).unwrap_or(std::cmp::Ordering::Equal)
}

/// What points span, by as many of them as it takes. The first two are corners of the hull.
enum Span {
    Point(u32),
    Line([u32; 2]),
    Plane([u32; 3]),
    /// The last one is below the first three.
    Space([u32; 4]),
}

impl Span {
    /// What some of the points span, at least one.
    fn of(points: &[Vec3], some: impl Iterator<Item = u32> + Clone) -> Self {
        let at = |k: u32| points[k as usize];
        let order = |&j: &u32, &k: &u32| {
            let (p, q) = (at(j), at(k));
            compare(p.x, q.x).then(compare(p.y, q.y)).then(compare(p.z, q.z))
        };
        let first = some.clone().min_by(order).unwrap_or(0);
        let last = some.clone().max_by(order).unwrap_or(0);
        if at(first) == at(last) {
            return Self::Point(first);
        }
        let spread = |k: u32| areas(at(first), at(last), at(k)).map(f64::abs).iter().sum();
        let Some(third) = farthest(some.clone(), spread) else {
            return Self::Line([first, last]);
        };
        let height = |k: u32| above(at(first), at(last), at(third), at(k));
        match farthest(some, |k| height(k).abs()) {
            None => Self::Plane([first, last, third]),
            Some(fourth) if height(fourth) > 0.0 => Self::Space([first, third, last, fourth]),
            Some(fourth) => Self::Space([first, last, third, fourth]),
        }
    }

    /// Four of its points, some of them equal unless it is space, whose average is in the relative interior of their hull.
    fn core(&self) -> [u32; 4] {
        match *self {
            Self::Point(a) => [a; 4],
            Self::Line([a, b]) => [a, a, b, b],
            Self::Plane([a, b, c]) => [a, a, b, c],
            Self::Space(four) => four,
        }
    }
}

/// The item of the largest measure, if that is above 0.
fn farthest(items: impl Iterator<Item = u32>, measure: impl Fn(u32) -> f64) -> Option<u32> {
    let measured = items.map(|item| (item, measure(item)));
    let largest = measured.max_by(|a, b| a.1.total_cmp(&b.1))?;
    (largest.1 > 0.0).then_some(largest.0)
}

/// A triangle of the surface, counter-clockwise seen from outside.
#[derive(Clone, Copy)]
struct Triangle {
    corners: [u32; 3],
    /// The triangles beyond the sides, the first of which goes from the first corner to the second.
    beyond: [u32; 3],
    /// The first point of its list of points outside that see it.
    outside: u32,
    /// The last point that was asked whether it sees it, and the answer.
    asked: (u32, bool),
    is_gone: bool,
}

/// A surface that grows.
struct Surface<'a> {
    points: &'a [Vec3],
    triangles: Vec<Triangle>,
    /// The point after each in its list of points outside.
    next: Vec<u32>,
    /// The new triangle whose first corner is this point, while a point is added.
    starting_at: Vec<u32>,
    /// Triangles that may have points outside.
    pending: Vec<u32>,
    /// Triangles that are gone, and whose place is free.
    free: Vec<u32>,
}

impl<'a> Surface<'a> {
    /// The tetrahedron of four points, the last of which is below the first three.
    fn around(points: &'a [Vec3], [a, b, c, d]: [u32; 4]) -> Self {
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

    /// Whether a point sees a triangle.
    fn sees(&self, point: u32, triangle: u32) -> bool {
        let [a, b, c] = self.corners(triangle);
        above(a, b, c, self.points[point as usize]) > 0.0
    }

    /// [`Surface::sees`], remembered.
    fn asks(&mut self, point: u32, triangle: u32) -> bool {
        let (asked, answer) = self.triangles[triangle as usize].asked;
        if asked == point {
            return answer;
        }
        let answer = self.sees(point, triangle);
        self.triangles[triangle as usize].asked = (point, answer);
        answer
    }

    /// Puts each point into the list of the first of the triangles that it sees. Those that see none are inside.
    fn share_out(&mut self, points: &[u32], triangles: &[u32]) {
        for &point in points {
            if let Some(&seen) = triangles.iter().find(|&&triangle| self.sees(point, triangle)) {
                let list = &mut self.triangles[seen as usize].outside;
                self.next[point as usize] = std::mem::replace(list, point);
            }
        }
    }

    /// The points of a list.
    fn list(&self, first: u32) -> impl Iterator<Item = u32> {
        let follow = |&point: &u32| Some(self.next[point as usize]).filter(|&next| next != NONE);
        std::iter::successors(Some(first).filter(|&point| point != NONE), follow)
    }

    /// Adds the farthest point outside a triangle, if there is any.
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
        // Only now, so that no new triangle takes the place of one that the rim names.
        self.free.extend(seen);
        self.share_out(&left, &new);
        self.pending.extend(new);
    }

    /// The triangles that a point sees, one of which is given, and the sides between them and others: the two corners in the order of
    /// the triangle that is seen, and the triangle beyond.
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

    /// The faces: triangles of one plane joined, superfluous corners left out.
    fn faces(self) -> Faces {
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

    /// The triangles of each plane, and the plane of each triangle.
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

    /// Whether two neighbours lie in one plane.
    fn are_coplanar(&self, triangle: u32, other: u32) -> bool {
        let [own, others] = [triangle, other].map(|triangle| self.triangles[triangle as usize].corners);
        let mut opposite = others.iter().filter(|corner| !own.contains(corner));
        opposite.all(|&corner| {
            let [a, b, c] = self.corners(triangle);
            above(a, b, c, self.points[corner as usize]) == 0.0
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::split_mix::SplitMix;
    use crate::reference::rational::Rational;
    use crate::shapes::solid::faces::edges;

    type Exact = [Rational; 3];

    fn minus(p: Vec3, q: Vec3) -> Exact {
        [0, 1, 2].map(|k| Rational::from(p[k]) - Rational::from(q[k]))
    }

    fn dot(u: &Exact, v: &Exact) -> Rational {
        let [x, y, z] = [0, 1, 2].map(|k| u[k].clone() * v[k].clone());
        x + y + z
    }

    fn cross(u: &Exact, v: &Exact) -> Exact {
        [(1, 2), (2, 0), (0, 1)].map(|(j, k)| u[j].clone() * v[k].clone() - u[k].clone() * v[j].clone())
    }

    /// Whether a hull is that of the points, in fractions: every point on or below every face's plane, every face convex, every edge
    /// in two faces, as many as Euler says, and no corner superfluous.
    fn verify(points: &[Vec3], hull: &Hull) {
        let at = |k: u32| points[k as usize];
        let faces: Vec<&[u32]> = hull.faces.iter().collect();
        for face in &faces {
            let normal = cross(&minus(at(face[1]), at(face[0])), &minus(at(face[2]), at(face[0])));
            for &point in points {
                let height = dot(&normal, &minus(point, at(face[0])));
                assert!(height.is_negative() || height.is_zero(), "{face:?} {point}");
                assert!(hull.dimension == 3 || height.is_zero(), "{face:?} {point}");
            }
            for k in 0..face.len() {
                let [a, b, c] = [0, 1, 2].map(|next| at(face[(k + next) % face.len()]));
                assert!(dot(&normal, &minus(a, at(face[0]))).is_zero());
                let turn = dot(&normal, &cross(&minus(b, a), &minus(c, b)));
                assert!(!turn.is_negative() && !turn.is_zero(), "{face:?}");
                // All points of the plane are on the inner side of the edge.
                let inwards = cross(&normal, &minus(b, a));
                for &point in points {
                    let in_plane = dot(&normal, &minus(point, a)).is_zero();
                    assert!(!in_plane || !dot(&inwards, &minus(point, a)).is_negative());
                }
            }
        }
        let mut corners: Vec<u32> = faces.iter().flat_map(|face| face.iter().copied()).collect();
        corners.sort_unstable();
        corners.dedup();
        match hull.dimension {
            0 => assert!(points.iter().all(|&p| p == at(hull.vertices[0])) && hull.vertices.len() == 1),
            1 => {
                let [a, b] = [0, 1].map(|k| at(hull.vertices[k]));
                let way = minus(b, a);
                for &point in points {
                    assert!(cross(&way, &minus(point, a)).iter().all(Rational::is_zero));
                    let place = dot(&way, &minus(point, a));
                    assert!(!place.is_negative() && place <= dot(&way, &way));
                }
                assert!(hull.vertices.len() == 2 && faces.is_empty());
            }
            2 => assert!(faces.len() == 2 && corners == hull.vertices),
            _ => {
                assert_eq!(corners, hull.vertices);
                let edges = edges(hull.faces.iter()).expect("each side has one opposite");
                assert_eq!(corners.len() + faces.len(), edges.len() + 2, "Euler");
                for edge in edges {
                    let [left, right] = edge.faces.map(|face| hull.faces.get(face as usize));
                    let normal = cross(&minus(at(left[1]), at(left[0])), &minus(at(left[2]), at(left[0])));
                    let beyond = right.iter().map(|&k| dot(&normal, &minus(at(k), at(left[0]))));
                    assert!(
                        beyond.into_iter().any(|height| !height.is_zero()),
                        "two faces in one plane"
                    );
                }
            }
        }
        let [a, b, c, d] = hull.core.map(at);
        assert!(hull.core.iter().all(|corner| hull.vertices.contains(corner)));
        let spans = match hull.dimension {
            0 => true,
            1 => a == b && c == d && a != c,
            2 => a == b && !are_collinear(a, c, d),
            _ => above(a, b, c, d) != 0.0,
        };
        assert!(spans);
    }

    fn checked(points: &[Vec3]) -> Hull {
        let hull = Hull::of(points).expect("some memory");
        verify(points, &hull);
        hull
    }

    /// Points whose coordinates are made of numbers of this many values, each at a power of two in this range below 2^60.
    fn random(seed: u64, count: usize, values: u64, powers: u64) -> Vec<Vec3> {
        let mut random = SplitMix(seed);
        let mut number = || {
            let digits = (random.next() % values) as f32 - (values / 2) as f32;
            let power = 30 - (random.next() % powers) as i32;
            digits * 2f32.powi(power / 2) * 2f32.powi(power - power / 2)
        };
        (0..count).map(|_| Vec3::new(number(), number(), number())).collect()
    }

    #[test]
    fn hulls_of_few_and_degenerate_points() {
        let v = |x: f32, y: f32, z: f32| Vec3::new(x, y, z);
        assert_eq!(checked(&[v(1.0, 2.0, 3.0)]).dimension, 0);
        assert_eq!(checked(&[v(0.0, 2.0, 3.0), v(-0.0, 2.0, 3.0)]).dimension, 0);
        assert_eq!(
            checked(&[Vec3::ZERO, v(1.0, 2.0, 3.0), v(0.5, 1.0, 1.5)]).vertices,
            [0, 1]
        );
        let tiny = f32::from_bits(1);
        let specks = [
            Vec3::ZERO,
            v(tiny, 0.0, 0.0),
            v(0.0, tiny, 0.0),
            v(0.0, 0.0, tiny),
            v(tiny, tiny, tiny),
        ];
        let hull = checked(&specks);
        assert_eq!((hull.dimension, hull.vertices.len(), hull.faces.len()), (3, 5, 6));
        let far = (1u64 << 60) as f32;
        let hull = checked(&[
            v(far, far, far),
            v(-far, tiny, 0.0),
            v(0.0, -far, tiny),
            v(tiny, 0.0, -far),
        ]);
        assert_eq!((hull.dimension, hull.faces.len()), (3, 4));
        let square = [
            v(0.0, 0.0, 5.0),
            v(1.0, 0.0, 5.0),
            v(1.0, 1.0, 5.0),
            v(0.0, 1.0, 5.0),
            v(0.5, 0.0, 5.0),
            v(0.5, 0.5, 5.0),
        ];
        let hull = checked(&square);
        assert_eq!((hull.dimension, &hull.vertices[..]), (2, &[0, 1, 2, 3][..]));
        // Almost on one line, and almost in one plane.
        assert_eq!(
            checked(&[Vec3::ZERO, v(1.0, 1.0, 1.0), v(0.5, 0.5, 0.5f32.next_up())]).dimension,
            2
        );
        let bent = [
            Vec3::ZERO,
            v(1.0, 0.0, 1.0),
            v(0.0, 1.0, 1.0),
            v(1.0, 1.0, 2.0f32.next_up()),
        ];
        assert_eq!(checked(&bent).dimension, 3);
    }

    #[test]
    fn hulls_of_lattices_have_the_faces_of_boxes() {
        for [nx, ny, nz] in [[2, 2, 2], [3, 3, 3], [5, 4, 7], [2, 9, 2]] {
            let mut points = Vec::new();
            for k in 0..nx * ny * nz {
                let [x, y, z] = [k % nx, k / nx % ny, k / nx / ny].map(|n| n as f32);
                // Sheared, so that faces are not along axes.
                points.push(Vec3::new(x + 3.0 * y, 2.0 * y - z, 5.0 * z + x));
            }
            let hull = checked(&points);
            assert_eq!((hull.vertices.len(), hull.faces.len()), (8, 6));
            assert!(hull.faces.iter().all(|face| face.len() == 4));
        }
    }

    #[test]
    fn hulls_of_random_points_are_right_in_fractions() {
        let mut dimensions = [0; 4];
        for seed in 0..3000 {
            let count = 1 + seed as usize % 13;
            let values = [2, 3, 4, 7, 1 << 20][seed as usize % 5];
            let powers = [1, 2, 40, 170][seed as usize / 5 % 4];
            dimensions[checked(&random(seed, count, values, powers)).dimension] += 1;
        }
        assert!(dimensions.iter().all(|&number| number > 50), "{dimensions:?}");
    }

    #[test]
    fn hulls_of_many_points() {
        // On a sphere of whole numbers: many points in a plane, and none inside.
        let on_sphere = |radius: i32| {
            let all = -radius..=radius;
            let square = |x: i32, y: i32| all.clone().map(move |z| [x, y, z]);
            let points = all.clone().flat_map(|x| all.clone().flat_map(move |y| square(x, y)));
            let on = points.filter(|p| p.iter().map(|c| c * c).sum::<i32>() == radius * radius);
            on.map(|p| Vec3::from(p.map(|c| c as f32))).collect::<Vec<_>>()
        };
        let points = on_sphere(15);
        assert_eq!(checked(&points).vertices.len(), points.len());
        checked(&random(5, 300, 1 << 22, 1));
        checked(&random(6, 300, 9, 1));
    }
}
