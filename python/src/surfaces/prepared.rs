//! Meshes with what questions about their triangles need, in `f64`.

use std::ops::Range;
use std::sync::OnceLock;

use obbligato::glam::{DVec3, Vec3};
use obbligato::region::{ClosedMesh, InsideRule};
use obbligato::shape::Triangle;
use obbligato::{Error, Result};
use rayon::prelude::*;

/// Two ends of an edge, in ascending order, and the side of a triangle that it is.
type Side = ([u32; 2], [u32; 2]);

/// Meshes by position, one after the other: their points, and their triangles.
pub struct Prepared {
    pub points: Vec<DVec3>,
    /// The points in `f32`, of which pairs of triangles are found.
    pub rounded: Vec<Vec3>,
    pub point_starts: Vec<usize>,
    pub faces: Vec<[u32; 3]>,
    pub face_starts: Vec<usize>,
    /// The mesh of each triangle.
    pub owners: Vec<u32>,
    /// The bounds of the rounded points of each mesh.
    pub bounds: Vec<[Vec3; 2]>,
    /// The signed volume that each mesh encloses, from its own middle.
    pub volumes: Vec<f64>,
    /// Of each triangle the corners,
    pub corners: Vec<[DVec3; 3]>,
    /// their bounds,
    pub extents: Vec<[DVec3; 2]>,
    /// the unit normal, outward where the mesh is oriented, 0 without an area,
    pub normals: Vec<DVec3>,
    /// how far its plane is from the origin along the normal,
    pub planes: Vec<f64>,
    /// and for each side the unit vector out of the triangle in its plane, and its place along it.
    pub rims: Vec<[(DVec3, f64); 3]>,
    /// The edges of all meshes, two points in ascending order, sorted.
    pub edges: Vec<[u32; 2]>,
    /// The edge of each side of a triangle.
    pub sides: Vec<[u32; 3]>,
    /// True for meshes in which each edge runs both ways equally often.
    pub oriented: Vec<bool>,
    /// The solid that a mesh bounds, when it is first asked for.
    closed: Vec<OnceLock<Option<ClosedMesh>>>,
}

impl Prepared {
    /// `starts` are those of the points and of the triangles of each mesh, and their ends. No mesh
    /// is empty, and triangles name points of their own mesh.
    pub fn new(points: Vec<DVec3>, faces: Vec<[u32; 3]>, starts: [Vec<usize>; 2]) -> Self {
        let [point_starts, face_starts] = starts;
        let count = face_starts.len() - 1;
        let rounded: Vec<Vec3> = points.par_iter().map(|point| point.as_vec3()).collect();
        let corners: Vec<[DVec3; 3]> = faces.par_iter().map(|face| face.map(|k| points[k as usize])).collect();
        let range = |starts: &[usize], mesh: usize| starts[mesh]..starts[mesh + 1];
        let owner = |mesh: usize| vec![mesh as u32; range(&face_starts, mesh).len()];
        let bounds: Vec<[Vec3; 2]> = (0..count)
            .map(|mesh| bounds_of(&rounded[range(&point_starts, mesh)]))
            .collect();
        let volume = |mesh: usize| volume(&corners[range(&face_starts, mesh)], bounds[mesh]);
        let volumes: Vec<f64> = (0..count).map(volume).collect();
        let owners: Vec<u32> = (0..count).flat_map(owner).collect();
        let signed = corners.par_iter().zip(&owners);
        let normals: Vec<DVec3> = signed
            .map(|(corners, &owner)| normal(corners, volumes[owner as usize] < 0.0))
            .collect();
        let planed = corners.par_iter().zip(&normals);
        let (edges, sides, oriented) = edges_of(&faces, &face_starts);
        Self {
            planes: planed
                .clone()
                .map(|(corners, normal)| corners[0].dot(*normal))
                .collect(),
            rims: planed.map(|(corners, normal)| rims(corners, *normal)).collect(),
            extents: corners.par_iter().map(extent).collect(),
            closed: (0..count).map(|_| OnceLock::new()).collect(),
            points,
            rounded,
            point_starts,
            faces,
            face_starts,
            owners,
            bounds,
            volumes,
            corners,
            normals,
            edges,
            sides,
            oriented,
        }
    }

    /// The positions of the triangles of a mesh.
    pub fn faces_of(&self, mesh: u32) -> Range<usize> {
        self.face_starts[mesh as usize]..self.face_starts[mesh as usize + 1]
    }

    /// The positions of the points of a mesh.
    pub fn points_of(&self, mesh: u32) -> Range<usize> {
        self.point_starts[mesh as usize]..self.point_starts[mesh as usize + 1]
    }

    /// The positions of the edges of a mesh.
    pub fn edges_of(&self, mesh: u32) -> Range<usize> {
        let Range { start, end } = self.points_of(mesh);
        let before = |point: usize| self.edges.partition_point(|edge| (edge[0] as usize) < point);
        before(start)..before(end)
    }

    /// The bounds of a mesh in `f64`.
    pub fn bounds_of(&self, mesh: u32) -> [DVec3; 2] {
        self.bounds[mesh as usize].map(|corner| corner.as_dvec3())
    }

    /// A mesh as a solid for tests of points, or `None` if it is not closed.
    pub fn closed(&self, mesh: u32) -> Result<Option<&ClosedMesh>> {
        let slot = &self.closed[mesh as usize];
        if slot.get().is_none() {
            // Another thread may have been faster, with the same.
            let _ = slot.set(self.solid(mesh)?);
        }
        Ok(slot.get().and_then(Option::as_ref))
    }

    fn solid(&self, mesh: u32) -> Result<Option<ClosedMesh>> {
        let triangle = |face: &[u32; 3]| {
            let [a, b, c] = face.map(|k| self.rounded[k as usize]);
            Triangle::new(a, b, c)
        };
        let triangles: Vec<Triangle> = self.faces[self.faces_of(mesh)].iter().map(triangle).collect();
        // The winding number holds also for shells in one another; parity for faces in any order.
        let solid = match ClosedMesh::with_rule(&triangles, InsideRule::Winding) {
            Err(Error::UnlikeFaces { .. }) => ClosedMesh::with_rule(&triangles, InsideRule::Parity),
            made => made,
        };
        match solid {
            Err(Error::OpenMesh { .. } | Error::InvalidTriangle { .. }) => Ok(None),
            made => made.map(Some),
        }
    }

    /// Tests whether no corner of a mesh is further in front of the plane of any of its triangles
    /// than `slack`.
    pub fn is_convex(&self, mesh: u32, slack: f64) -> bool {
        let points = &self.points[self.points_of(mesh)];
        self.faces_of(mesh).all(|face| {
            let (normal, plane) = (self.normals[face], self.planes[face]);
            points.iter().all(|point| point.dot(normal) - plane <= slack)
        })
    }
}

fn bounds_of(points: &[Vec3]) -> [Vec3; 2] {
    let bound = |[low, high]: [Vec3; 2], point: &Vec3| [low.min(*point), high.max(*point)];
    points.iter().fold([Vec3::INFINITY, Vec3::NEG_INFINITY], bound)
}

fn extent([a, b, c]: &[DVec3; 3]) -> [DVec3; 2] {
    [a.min(*b).min(*c), a.max(*b).max(*c)]
}

fn volume(corners: &[[DVec3; 3]], [low, high]: [Vec3; 2]) -> f64 {
    let middle = (low / 2.0 + high / 2.0).as_dvec3();
    let part = |corners: &[DVec3; 3]| {
        let [a, b, c] = corners.map(|corner| corner - middle);
        a.dot(b.cross(c)) / 6.0
    };
    // From 0, one after the other: results depend on it.
    corners.iter().map(part).fold(0.0, |sum, part| sum + part)
}

fn normal([a, b, c]: &[DVec3; 3], is_inward: bool) -> DVec3 {
    let unit = unit((b - a).cross(c - a));
    if is_inward { -unit } else { unit }
}

/// A vector divided by its length; 0 has none.
fn unit(vector: DVec3) -> DVec3 {
    let length = vector.length();
    if length > 0.0 { vector / length } else { DVec3::ZERO }
}

fn rims(corners: &[DVec3; 3], normal: DVec3) -> [(DVec3, f64); 3] {
    [0, 1, 2].map(|k| {
        let [start, end, third] = [0, 1, 2].map(|m| corners[(k + m) % 3]);
        let side = unit((end - start).cross(normal));
        let out = if (third - start).dot(side) > 0.0 { -side } else { side };
        (out, start.dot(out))
    })
}

/// The edges of all meshes, the edge of each side of the triangles, and which meshes are oriented.
fn edges_of(faces: &[[u32; 3]], face_starts: &[usize]) -> (Vec<[u32; 2]>, Vec<[u32; 3]>, Vec<bool>) {
    let sorted = |range: &[usize]| {
        let numbered = (range[0]..range[1]).flat_map(|face| [0, 1, 2].map(|k| (face, k)));
        let side = |(face, k): (usize, usize)| {
            let [a, b] = [faces[face][k], faces[face][(k + 1) % 3]];
            ([a.min(b), a.max(b)], [face as u32, k as u32])
        };
        let mut sides: Vec<Side> = numbered.map(side).collect();
        sides.sort_unstable();
        sides
    };
    let each: Vec<Vec<Side>> = face_starts.par_windows(2).map(sorted).collect();
    let (mut edges, mut of_sides) = (Vec::new(), vec![[0; 3]; faces.len()]);
    let mut oriented = Vec::with_capacity(each.len());
    for sides in each {
        let mut is_oriented = true;
        for group in sides.chunk_by(|a, b| a.0 == b.0) {
            let mut balance = 0_i64;
            for &(_, [face, k]) in group {
                let (face, k) = (face as usize, k as usize);
                of_sides[face][k] = edges.len() as u32;
                let [a, b] = [faces[face][k], faces[face][(k + 1) % 3]];
                balance += i64::from(a < b) - i64::from(a > b);
            }
            is_oriented &= balance == 0;
            edges.push(group[0].0);
        }
        oriented.push(is_oriented);
    }
    (edges, of_sides, oriented)
}
