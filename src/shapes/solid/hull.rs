//! The convex hull of points, without rounding: a point, a segment, a [polygon](polygon::polygon)
//! or a body with a [surface](surface).

mod polygon;
mod span;
mod surface;

use glam::Vec3;

use crate::base::error::Result;
use crate::base::memory;
use crate::shapes::solid::faces::Faces;
use crate::shapes::solid::hull::polygon::polygon;
use crate::shapes::solid::hull::span::Span;
use crate::shapes::solid::hull::surface::Surface;

/// The convex hull of points, which are identified by their positions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hull {
    /// 0 for a point, 1 for a segment, 2 for a polygon, 3 for a body.
    pub dimension: usize,
    /// The corners, ascending: the points that are not convex combinations of others. Only one of
    /// several equal points.
    pub vertices: Vec<u32>,
    /// The polygons that bound it, each counter-clockwise seen from outside: no three corners on
    /// one line, and no two polygons in one plane. A flat hull has two: one polygon in both
    /// directions. Segments and points have none.
    pub faces: Faces,
    /// Four corners whose average lies in the relative interior. Some of them are equal unless the
    /// hull is a body.
    pub core: [u32; 4],
}

impl Hull {
    /// Computes the hull of at least one point, all coordinates finite. Expected time O(n log n)
    /// except for contrived points.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::split_mix::SplitMix;
    use crate::geometry::orientation::{above, are_collinear};
    use crate::shapes::solid::faces::edges;
    use obbligato_verify::reference::rational::Rational;

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

    /// Verifies in fractions that a hull is that of the points: every point is on or below every
    /// face's plane, every face is convex, every edge belongs to two faces, the counts satisfy
    /// Euler's formula, and no corner is superfluous.
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
        verify_core(points, hull);
    }

    /// Verifies that the core consists of corners that span the hull's dimension.
    fn verify_core(points: &[Vec3], hull: &Hull) {
        let at = |k: u32| points[k as usize];
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

    /// Random points whose coordinates are numbers with this many values, each scaled by a power of
    /// two from a range of this size below 2^60.
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
                // Sheared, so that faces are not aligned with the axes.
                points.push(Vec3::new(x + 3.0 * y, 2.0 * y - z, 5.0 * z + x));
            }
            let hull = checked(&points);
            assert_eq!((hull.vertices.len(), hull.faces.len()), (8, 6));
            assert!(hull.faces.iter().all(|face| face.len() == 4));
        }
    }

    #[test]
    fn hulls_of_random_points_match_exact_fractions() {
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
        // Integer points on a sphere: many points in a plane, and none inside.
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
