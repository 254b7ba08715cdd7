//! Convex solids.

use std::collections::HashMap;

use glam::Vec3;

use crate::base::error::Result;
use crate::base::problem::{COORDINATE_LIMIT, SolidProblem};
use crate::base::{memory, parallel};
use crate::geometry::aabb::Aabb;
use crate::geometry::orientation::{above, are_collinear};
use crate::shapes::solid::faces::{Edge, Faces, edges};
use crate::shapes::solid::hull::Hull;
use crate::shapes::solid::support::Support;

/// The number of groups of points that a task turns into solids.
const GROUPS: usize = 64;

/// A convex solid: all convex combinations of some points, boundary included. Flat solids, segments
/// and single points are solids too.
///
/// The points are the stored `f32` numbers, taken as exact real numbers, in one right-handed world
/// frame and the caller's unit. The hull and the answers hold for them without rounding. A solid
/// given by the eight corners of an [`Obb`](crate::Obb) is therefore that box only if the corners
/// are `f32` numbers, as those of an axis-aligned box at round coordinates are. The rounded corners
/// of a rotated box form another solid, which touches other things and whose faces need not be
/// flat.
///
/// ```
/// use obbligato::{contact::Contact, glam::Vec3, shape::Solid};
/// # fn main() -> obbligato::Result<()> {
/// let corner = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let solid = Solid::from_points(&corner)?;
/// assert_eq!((solid.dimension(), solid.faces().len(), solid.edges().len()), (3, 4, 6));
/// assert_eq!(solid.volume(), 1.0 / 6.0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    vertices: Vec<Vec3>,
    faces: Faces,
    edges: Vec<Edge>,
    dimension: usize,
    /// Four vertices whose average lies in the relative interior.
    core: [Vec3; 4],
    bounds: Aabb,
    support: Support,
}

impl Solid {
    /// Computes the convex hull of points, in any order; duplicates and interior points are
    /// ignored. Takes expected time O(n log n) except for contrived points.
    ///
    /// # Errors
    /// [`Error::InvalidSolid`](crate::Error::InvalidSolid) if there is no point, or one with a NaN,
    /// an infinity or a coordinate beyond [`COORDINATE_LIMIT`];
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn from_points(points: &[Vec3]) -> Result<Self> {
        if let Some(problem) = problem(points) {
            return Err(problem.into());
        }
        let hull = Hull::of(points)?;
        let name = |point: u32| hull.vertices.binary_search(&point).unwrap_or_default() as u32;
        let vertices: Vec<Vec3> = hull.vertices.iter().map(|&point| points[point as usize]).collect();
        let faces = hull.faces.renamed(name);
        let segment = Edge {
            ends: [0, 1],
            faces: [0; 2],
        };
        let edges = match hull.dimension {
            1 => vec![segment],
            _ => edges(faces.iter()).unwrap_or_default(),
        };
        let (min, max) = vertices.iter().fold((vertices[0], vertices[0]), |(min, max), &vertex| {
            (min.min(vertex), max.max(vertex))
        });
        Ok(Self {
            support: Support::new(&vertices)?,
            vertices,
            faces,
            edges,
            dimension: hull.dimension,
            core: hull.core.map(|point| points[point as usize]),
            bounds: Aabb::new(min, max),
        })
    }

    /// Computes the convex hull of each group of points, on all cores.
    ///
    /// # Errors
    /// The error of the first group for which [`Solid::from_points`] fails.
    pub fn from_each(groups: &[impl AsRef<[Vec3]> + Sync]) -> Result<Vec<Self>> {
        let mut solids = Vec::new();
        memory::reserve(&mut solids, groups.len(), "solids")?;
        let parts = parallel::map_ranges_of(GROUPS, groups.len(), |range| {
            let made = range.map(|group| Self::from_points(groups[group].as_ref()));
            made.collect::<Result<Vec<Self>>>()
        });
        for part in parts {
            solids.extend(part?);
        }
        Ok(solids)
    }

    /// Creates the solid that these faces bound: polygons given by the positions of their corners,
    /// counter-clockwise seen from outside. Faces in one plane, such as triangles of a square, are
    /// merged.
    ///
    /// # Errors
    /// As [`Solid::from_points`], and [`Error::InvalidSolid`](crate::Error::InvalidSolid) unless
    /// the faces close around a convex solid with volume, exactly once. If a corner of a square is
    /// off its plane by a rounding error, the square is not a valid face.
    ///
    /// ```
    /// use obbligato::{glam::Vec3, shape::Solid};
    /// # fn main() -> obbligato::Result<()> {
    /// let points = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    /// assert!(Solid::from_faces(&points, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).is_ok());
    /// assert!(Solid::from_faces(&points, &[[0, 2, 1], [0, 1, 3], [0, 3, 2]]).is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_faces<F: AsRef<[u32]>>(points: &[Vec3], faces: &[F]) -> Result<Self> {
        let solid = Self::from_points(points)?;
        match solid.problem_of_faces(points, faces) {
            Some(problem) => Err(problem.into()),
            None => Ok(solid),
        }
    }

    /// Returns the corners: the points that are not convex combinations of others, each once, in
    /// the order of the points.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Returns the polygons that bound a solid with volume, each by the positions of its corners in
    /// [`Solid::vertices`], counter-clockwise seen from outside: no two in one plane, no three
    /// corners on one line. A flat solid has two: one polygon in both directions. Segments and
    /// points have none.
    pub fn faces(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.faces.iter()
    }

    /// Returns the edges, each once, by the positions of their ends in [`Solid::vertices`], the
    /// smaller first. A segment is its own edge.
    pub fn edges(&self) -> impl ExactSizeIterator<Item = [u32; 2]> {
        self.edges.iter().map(|edge| edge.ends)
    }

    /// Returns 3 for a solid with volume, 2 for a flat one, 1 for a segment, 0 for a point.
    /// Computed without rounding: points that are off a plane by a rounding error make a thin solid
    /// with volume.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Returns the exact smallest axis-aligned box around it.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Returns the volume, in the caller's unit cubed, subject to rounding in `f64`.
    pub fn volume(&self) -> f64 {
        let at = |vertex: u32| self.vertices[vertex as usize];
        let of_face = |face: &[u32]| -> f64 {
            let fan = face[1..].windows(2);
            fan.map(|side| -above(at(face[0]), at(side[0]), at(side[1]), self.vertices[0]))
                .sum()
        };
        self.faces().map(of_face).sum::<f64>() / 6.0
    }

    /// Returns the vertices in the layout for support searches.
    pub(crate) fn support(&self) -> &Support {
        &self.support
    }

    /// Returns four vertices whose average lies in the relative interior.
    pub(crate) fn core(&self) -> &[Vec3; 4] {
        &self.core
    }

    /// Returns the problem with faces that should bound this solid, or `None` if there is none.
    ///
    /// If no point is beyond any of the triangles that the faces are made of, these lie on the
    /// surface, all facing outwards. If each side has its opposite, they cover the surface equally
    /// often everywhere: the number of sides that leave a corner along one edge.
    fn problem_of_faces<F: AsRef<[u32]>>(&self, points: &[Vec3], faces: &[F]) -> Option<SolidProblem> {
        if self.dimension < 3 {
            return Some(SolidProblem::Flat);
        }
        let mut balance: HashMap<[[u32; 3]; 2], i64> = HashMap::new();
        let edge = [0, 1].map(|k| self.vertices[self.faces.get(0)[k] as usize]);
        let mut along_edge = 0;
        for (face, corners) in faces.iter().enumerate() {
            let corners = corners.as_ref();
            if corners.len() < 3 || corners.iter().any(|&corner| corner as usize >= points.len()) {
                return Some(SolidProblem::NoPolygon { face });
            }
            let at = |k: usize| points[corners[k % corners.len()] as usize];
            let triangles = (1..corners.len() - 1).map(|k| [at(0), at(k), at(k + 1)]);
            let real: Vec<_> = triangles.filter(|&[a, b, c]| !are_collinear(a, b, c)).collect();
            let is_flat = real.first().is_some_and(|&[a, b, c]| {
                let mut corners = (0..corners.len()).map(at);
                corners.all(|corner| above(a, b, c, corner) == 0.0)
            });
            if !is_flat {
                return Some(SolidProblem::NoPolygon { face });
            }
            let beyond = |[a, b, c]: [Vec3; 3]| self.vertices.iter().any(|&vertex| above(a, b, c, vertex) > 0.0);
            if real.into_iter().any(beyond) {
                return Some(SolidProblem::NotConvex { face });
            }
            for side in (0..corners.len()).map(|k| [at(k), at(k + 1)]) {
                // 0 and -0 are equal.
                let [from, to] = side.map(|p| (p + Vec3::ZERO).to_array().map(f32::to_bits));
                *balance.entry([from, to]).or_default() += 1;
                *balance.entry([to, from]).or_default() -= 1;
                let is_along = side[0] == edge[0] && side[1] != edge[0] && are_collinear(edge[0], edge[1], side[1]);
                along_edge += usize::from(is_along);
            }
        }
        let is_closed = along_edge == 1 && balance.values().all(|&difference| difference == 0);
        (!is_closed).then_some(SolidProblem::NotClosed)
    }
}

/// Returns the problem with the points of a solid, if any.
fn problem(points: &[Vec3]) -> Option<SolidProblem> {
    let too_large = |point: &Vec3| point.abs().max_element() > COORDINATE_LIMIT;
    if points.is_empty() {
        Some(SolidProblem::NoPoints)
    } else if let Some(point) = points.iter().position(|point| !point.is_finite()) {
        Some(SolidProblem::NotFinite { point })
    } else {
        let point = points.iter().position(too_large)?;
        Some(SolidProblem::TooLarge { point })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::error::Error;

    const CUBE: [[u32; 4]; 6] = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];

    /// Returns the corners of a cube; the bits of a position are the coordinates.
    fn corners() -> Vec<Vec3> {
        let at = |k: u32| Vec3::from([0, 1, 2].map(|axis| (k >> axis & 1) as f32 * 2.0 - 1.0));
        (0..8).map(at).collect()
    }

    fn problem_of<F: AsRef<[u32]>>(points: &[Vec3], faces: &[F]) -> Option<SolidProblem> {
        match Solid::from_faces(points, faces) {
            Ok(_) => None,
            Err(Error::InvalidSolid(problem)) => Some(problem),
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn a_cube_has_the_right_vertices_edges_and_faces() {
        let mut points = corners();
        points.extend([Vec3::ZERO, Vec3::X, Vec3::ONE, Vec3::new(1.0, 1.0, 0.5)]);
        let cube = Solid::from_points(&points).expect("a cube");
        assert_eq!(cube.vertices(), corners());
        assert_eq!((cube.faces().len(), cube.edges().len(), cube.dimension()), (6, 12, 3));
        assert_eq!(cube.volume(), 8.0);
        assert_eq!(cube.bounds(), Aabb::new(-Vec3::ONE, Vec3::ONE));
        assert_eq!(Solid::from_faces(&points, &CUBE).ok(), Some(cube));
    }

    #[test]
    fn invalid_points_are_refused() {
        let problem = |points: &[Vec3]| Solid::from_points(points).err().map(|error| error.to_string());
        let far = COORDINATE_LIMIT;
        assert_eq!(problem(&[]).as_deref(), Some("the solid has no points: fix its points"));
        let cases = [
            (f32::NAN, "has a number that is NaN or infinite in point 1"),
            (f32::NEG_INFINITY, "has a number that is NaN or infinite in point 1"),
            (far.next_up(), "has a coordinate beyond 1.1529215e18 in point 1"),
            (-far.next_up(), "has a coordinate beyond 1.1529215e18 in point 1"),
        ];
        for (number, told) in cases {
            let found = problem(&[Vec3::ZERO, Vec3::new(0.0, number, 0.0)]);
            assert_eq!(found, Some(format!("the solid {told}: fix its points")));
        }
        assert_eq!(problem(&[Vec3::new(far, -far, far)]), None);
    }

    #[test]
    fn faces_must_form_one_closed_convex_surface() {
        let points = corners();
        let with = |change: &dyn Fn(&mut Vec<Vec<u32>>)| {
            let mut faces: Vec<Vec<u32>> = CUBE.iter().map(|face| face.to_vec()).collect();
            change(&mut faces);
            problem_of(&points, &faces)
        };
        assert_eq!(with(&|_| ()), None);
        // A square in two triangles.
        let halves = [vec![1, 3, 7], vec![1, 7, 5]];
        assert_eq!(with(&|faces| drop(faces.splice(5.., halves.clone()))), None);
        assert_eq!(with(&|faces| drop(faces.pop())), Some(SolidProblem::NotClosed));
        assert_eq!(
            with(&|faces| faces.extend(faces.clone())),
            Some(SolidProblem::NotClosed)
        );
        assert_eq!(
            with(&|faces| faces[3].reverse()),
            Some(SolidProblem::NotConvex { face: 3 })
        );
        assert_eq!(
            with(&|faces| faces[2][1] = 8),
            Some(SolidProblem::NoPolygon { face: 2 })
        );
        assert_eq!(
            with(&|faces| faces[2].truncate(2)),
            Some(SolidProblem::NoPolygon { face: 2 })
        );
        assert_eq!(
            with(&|faces| faces[2] = vec![0, 1, 0]),
            Some(SolidProblem::NoPolygon { face: 2 })
        );
        assert_eq!(
            with(&|faces| faces[0] = vec![0, 2, 7]),
            Some(SolidProblem::NotConvex { face: 0 })
        );
        // A dent: one corner is moved inwards.
        let mut dented = points.clone();
        dented[7] = Vec3::splat(-0.5);
        let triangles: Vec<[u32; 3]> = CUBE.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        let found = problem_of(&dented, &triangles);
        assert!(matches!(found, Some(SolidProblem::NotConvex { .. })), "{found:?}");
        // A corner off the plane of a square: its two halves are faces if they do not bend inwards.
        dented[7] = Vec3::new(1.0f32.next_up(), 1.0, 1.0);
        assert_eq!(problem_of(&dented, &CUBE), Some(SolidProblem::NoPolygon { face: 5 }));
        assert_eq!(problem_of(&dented, &triangles), None);
        let mut others = triangles;
        others.splice(10.., [[3, 7, 5], [3, 5, 1]]);
        assert_eq!(problem_of(&points, &others), None);
        assert_eq!(problem_of(&dented, &others), Some(SolidProblem::NotConvex { face: 10 }));
        let flat = [Vec3::ZERO, Vec3::X, Vec3::Y];
        assert_eq!(problem_of(&flat, &[[0, 1, 2], [0, 2, 1]]), Some(SolidProblem::Flat));
    }

    #[test]
    fn thin_solids() {
        let v = Vec3::new;
        let plate = Solid::from_points(&[Vec3::ZERO, Vec3::X, Vec3::Y, v(0.25, 0.25, 0.0)]).expect("a plate");
        assert_eq!((plate.faces().len(), plate.edges().len(), plate.volume()), (2, 3, 0.0));
        let rod = Solid::from_points(&[Vec3::ZERO, Vec3::ONE, Vec3::ONE * 0.5]).expect("a rod");
        assert_eq!((rod.faces().len(), rod.edges().collect::<Vec<_>>()), (0, vec![[0, 1]]));
        let point = Solid::from_points(&[Vec3::ONE; 3]).expect("a point");
        assert_eq!(
            (point.vertices(), point.edges().len(), point.dimension()),
            (&[Vec3::ONE][..], 0, 0)
        );
    }
}
