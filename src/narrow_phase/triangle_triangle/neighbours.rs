//! Exact test of whether two triangles of one mesh share more than their common corners.
//!
//! Two triangles that have one corner in common, or two, share at least that corner, or the edge
//! between the two. Their intersection is the hull of its extreme points
//! ([`intersection`](super::intersection)), so they share more if and only if an extreme point is
//! not a common corner. With three corners in common they are the same triangle.

use std::ops::ControlFlow::{Break, Continue};

use glam::Vec3;

use crate::narrow_phase::triangle_triangle::intersection::{Extreme, visit_extremes};
use crate::shapes::triangle::record::Triangle;

impl Triangle {
    /// Returns `true` if the two, as triangles of one mesh, share a point other than the corner or
    /// edge they have in common, exactly. [`Query::mesh`](crate::Query::mesh) uses this test.
    ///
    /// Triangles without a common corner count if they [`meet`](Self::meets). Equal triangles
    /// count, whatever the order of their corners. Triangles whose corners are on one line are the
    /// segments they cover.
    ///
    /// ```
    /// use obbligato::{glam::Vec3, shape::Triangle};
    /// let floor = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y);
    /// let beside = Triangle::new(Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.0));
    /// let folded = Triangle::new(Vec3::X, Vec3::Y, Vec3::new(0.25, 0.25, 0.0));
    /// assert!(floor.meets(&beside) && !floor.meets_in_mesh(&beside));
    /// assert!(floor.meets_in_mesh(&folded) && floor.meets_in_mesh(&floor));
    /// ```
    pub fn meets_in_mesh(&self, other: &Self) -> bool {
        let corners = &self.corners;
        let is_common = |&k: &usize| other.corners.contains(&corners[k]) && !corners[..k].contains(&corners[k]);
        match (0..3).filter(is_common).count() {
            0 => self.meets(other),
            3 => true,
            _ => self.shares_more(other),
        }
    }

    /// Returns `true` if the two share an extreme point that is not a common corner.
    fn shares_more(&self, other: &Self) -> bool {
        let is_common = |corner: Vec3| self.corners.contains(&corner) && other.corners.contains(&corner);
        let found = visit_extremes(self, other, |extreme| match extreme {
            Extreme::Corner(corner) if is_common(corner) => Continue(()),
            _ => Break(()),
        });
        found.is_break()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::split_mix::SplitMix;
    use crate::narrow_phase::triangle_triangle::exact::are_apart;
    use crate::narrow_phase::triangle_triangle::measures::{SIGN, area, volume};

    fn is_flat(triangle: &Triangle) -> bool {
        triangle.is_degenerate()
    }

    /// Computes the answer by signs of volumes and areas, for triangles that have one or two
    /// corners in common and a plane.
    fn by_signs(a: [Vec3; 3], b: [Vec3; 3], common: usize) -> bool {
        let [c, p, q] = a;
        let [_, r, s] = b;
        let height = |[d, e, f]: [Vec3; 3], g| volume([d, e, f, g], SIGN);
        let [of_p, of_q] = [p, q].map(|point| height(b, point));
        let [of_r, of_s] = [r, s].map(|point| height(a, point));
        if (of_p, of_q) == (0.0, 0.0) {
            let seen = (0..3).find(|&axis| area(axis, a, SIGN) != 0.0).expect("it has a plane");
            let turn = |x, y| area(seen, [c, x, y], SIGN);
            if common == 2 {
                return are_apart(turn(p, q), turn(p, s));
            }
            let inside =
                |x, [u, v]: [Vec3; 2]| !are_apart(turn(u, x), -turn(u, v)) && !are_apart(turn(x, v), -turn(u, v));
            return inside(r, [p, q]) || inside(s, [p, q]) || inside(p, [r, s]) || inside(q, [r, s]);
        }
        let crosses = !are_apart(of_p, of_q) && !are_apart(of_r, of_s);
        common == 1 && crosses && (of_p > 0.0 || of_q < 0.0) != (of_r > 0.0 || of_s < 0.0)
    }

    #[test]
    fn neighbour_tests_match_exact_signs() {
        let mut random = SplitMix(11);
        let mut counts = [[0; 2]; 2];
        for round in 0..60_000 {
            let size = [2, 3, 5, 40][round % 4];
            let flat = round / 4 % 3 == 0;
            let mut at = || (random.next() % size) as f32;
            let mut corner = || Vec3::new(at(), at(), if flat { 0.0 } else { at() });
            let [c, d, p, q, r, s] = [(); 6].map(|()| corner());
            let common = 1 + round / 12 % 2;
            let (a, b) = match common {
                1 => ([c, p, q], [c, r, s]),
                _ => ([c, d, q], [c, d, s]),
            };
            let [first, second] = [a, b].map(|corners| Triangle { corners });
            let distinct = a.iter().filter(|corner| b.contains(corner)).count();
            if distinct != common || is_flat(&first) || is_flat(&second) {
                continue;
            }
            let expected = by_signs(a, b, common);
            for turn in 0..3 {
                let mut turned = second;
                turned.corners.rotate_left(turn);
                assert_eq!(
                    [first.meets_in_mesh(&turned), turned.meets_in_mesh(&first)],
                    [expected; 2],
                    "{a:?} {b:?}"
                );
            }
            counts[common - 1][usize::from(expected)] += 1;
        }
        assert!(counts.as_flattened().iter().all(|&count| count > 500), "{counts:?}");
    }

    #[test]
    fn degenerate_triangles_share_the_part_they_cover() {
        let at = |x: i32| Vec3::new(x as f32, x as f32, 0.0);
        let line = |a, b, c| Triangle::new(at(a), at(b), at(c));
        let face = Triangle::new(at(0), at(4), Vec3::new(0.0, 4.0, 0.0));
        // Two segments, or a segment and a triangle, and `true` if they share more than the
        // corners.
        for (a, b, expected) in [
            (line(0, 4, 4), face, false),
            (line(0, 2, 2), face, true),
            (line(0, 9, 9), face, true),
            (line(0, 0, -3), face, false),
            (line(0, 4, 4), line(0, 0, 4), false),
            (line(0, 4, 4), line(4, 0, 4), false),
            (line(0, 2, 4), line(2, 4, 0), true),
            (line(0, 2, 4), line(0, 0, 4), false),
            (line(0, 2, 4), line(0, 0, 2), false),
            (line(0, 0, 3), line(0, 5, 5), true),
            (line(0, 0, 0), line(0, 5, 5), false),
            (line(0, 0, 0), line(0, 0, 0), false),
            (line(-1, 0, 1), face, true),
        ] {
            assert_eq!([a.meets_in_mesh(&b), b.meets_in_mesh(&a)], [expected; 2], "{a:?} {b:?}");
        }
    }
}
