//! Tests of points in a closed mesh, without rounding.
//!
//! A ray from a point that is inside meets the mesh an odd number of times. A ray that meets an
//! edge or a corner, or runs along a triangle, is not a special case: all rays are parallel to one
//! axis and moved sideways by an infinitesimal (`crossing.rs`), and so meet only the insides of
//! triangles. Signs of areas and volumes decide everything (`geometry/orientation.rs`).
//!
//! Rays are short: between triangles that are one above the other, the answer is known when the
//! structure is built (`columns.rs`).

mod building;
mod columns;
mod crossing;
pub(crate) mod state;

use glam::Vec3;

use crate::base::error::{Error, Result};
use crate::base::problem::BoxProblem;
use crate::base::{memory, parallel};
use crate::geometry::aabb::Aabb;
use crate::regions::closed_mesh::building::columns_of;
use crate::regions::closed_mesh::columns::Columns;
use crate::regions::closed_mesh::state::{InsideRule, PointState};
use crate::shapes::bounds;
use crate::shapes::triangle::open_edges::{open_edges, unlike_edges};
use crate::shapes::triangle::point::has_point;
use crate::shapes::triangle::record::Triangle;

/// A closed mesh, prepared for tests of which points are in it.
///
/// A point that is on no triangle is inside if a ray from it crosses an odd number of triangles,
/// unless another [`InsideRule`] is chosen ([`ClosedMesh::with_rule`]). So the orientation of
/// triangles does not matter: a shell in a shell is a hole, a shell in that hole is solid again,
/// and the intersection of two solids of one mesh is outside. A triangle that occurs twice bounds
/// nothing, but its points are [`Surface`](PointState::Surface). So are those of triangles whose
/// corners are on one line, which bound nothing either. Every answer is exact for the stored
/// numbers.
///
/// For n triangles the structure is built in O(n log n) expected time, on one core, and takes 36
/// bytes per triangle, plus about 100 for usual meshes. A point takes O(log n) expected time, and
/// most points test no triangle. The slow case is a point among very many triangles that overlap as
/// seen along the ray, with no gap between them: next to a corner that thousands share, or where
/// thousands of large ones pass through each other. All of these are tested; memory stays
/// proportional to n.
///
/// ```
/// use obbligato::{glam::Vec3, region::{ClosedMesh, PointState}, shape::Triangle};
/// # fn main() -> obbligato::Result<()> {
/// let [a, b, c, d] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let faces = [[a, b, c], [a, b, d], [a, c, d], [b, c, d]].map(|corners| Triangle { corners });
/// let mesh = ClosedMesh::new(&faces)?;
/// assert_eq!(mesh.locate(Vec3::splat(0.25)), PointState::Inside);
/// assert_eq!(
///     mesh.locate_all(&[Vec3::splat(0.5), Vec3::new(0.5, 0.25, 0.25)])?,
///     [PointState::Outside, PointState::Surface]
/// );
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ClosedMesh {
    /// The axis of the rays.
    axis: usize,
    /// The triangles, with the coordinates along the ray first.
    triangles: Vec<Triangle>,
    /// The bounds of all triangles.
    bounds: Aabb,
    columns: Columns,
    rule: InsideRule,
}

impl ClosedMesh {
    /// Prepares a mesh whose inside is defined by parity. A mesh without triangles has no inside.
    ///
    /// # Errors
    /// [`Error::OpenMesh`] if [`open_edges`] finds any, and the errors of that.
    pub fn new(triangles: &[Triangle]) -> Result<Self> {
        Self::with_rule(triangles, InsideRule::Parity)
    }

    /// Prepares a mesh whose inside is defined by a rule.
    ///
    /// ```
    /// use obbligato::{glam::Vec3, region::{ClosedMesh, InsideRule, PointState}, shape::Triangle};
    /// # fn main() -> obbligato::Result<()> {
    /// let [a, b, c, d] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    /// let faces = [[b, a, c], [a, b, d], [c, a, d], [b, c, d]].map(|corners| Triangle { corners });
    /// // The same shell twice, as of two parts in one place.
    /// let twice = [faces, faces].concat();
    /// let state = |rule| Ok::<_, obbligato::Error>(ClosedMesh::with_rule(&twice, rule)?.locate(Vec3::splat(0.25)));
    /// assert_eq!(state(InsideRule::Parity)?, PointState::Outside);
    /// assert_eq!(state(InsideRule::Winding)?, PointState::Inside);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`ClosedMesh::new`]. [`Error::UnlikeFaces`] if the rule is [`InsideRule::Winding`]
    /// and neighbouring triangles have opposite orientations: the winding number of a point then
    /// depends on the direction of the ray.
    pub fn with_rule(triangles: &[Triangle], rule: InsideRule) -> Result<Self> {
        match open_edges(triangles)? {
            0 => {}
            edges => return Err(Error::OpenMesh { edges }),
        }
        if rule == InsideRule::Winding {
            match unlike_edges(triangles)? {
                0 => {}
                edges => return Err(Error::UnlikeFaces { edges }),
            }
        }
        let bounds = bounds_of(triangles);
        let axis = axis_of_least_depth(triangles, &bounds);
        let mut turned = memory::collect(triangles.iter().copied(), "the triangles of a mesh")?;
        parallel::update(&mut turned, |_, triangle| {
            triangle.corners = triangle.corners.map(|corner| turn(axis, corner));
        });
        let bounds = Aabb::new(turn(axis, bounds.min), turn(axis, bounds.max));
        Ok(Self {
            axis,
            columns: columns_of(&turned, &bounds)?,
            triangles: turned,
            bounds,
            rule,
        })
    }

    /// Returns its triangles, in the order in which they were given.
    pub fn triangles(&self) -> impl ExactSizeIterator<Item = Triangle> {
        self.triangles.iter().map(|triangle| Triangle {
            corners: triangle.corners.map(|corner| turn((3 - self.axis) % 3, corner)),
        })
    }

    /// Returns the position of a point. A point with a NaN coordinate is outside.
    pub fn locate(&self, point: Vec3) -> PointState {
        let point = turn(self.axis, point);
        match has_point(&self.bounds, point) {
            true => self.columns.locate(&self.triangles, point, self.rule),
            false => PointState::Outside,
        }
    }

    /// Returns the position of each of these points, in their order; on all cores with the feature
    /// `rayon`.
    ///
    /// # Errors
    /// [`Error::InvalidPoint`] for a number that is NaN or infinite, and [`Error::OutOfMemory`].
    pub fn locate_all(&self, points: &[Vec3]) -> Result<Vec<PointState>> {
        let problem = |point: &Vec3| (!point.is_finite()).then_some(BoxProblem::NotFinite);
        bounds::validate(points, problem).map_err(of_points)?;
        Ok(parallel::collect(points.len(), "the places of points", |k| {
            self.locate(points[k])
        })?)
    }
}

/// Converts an error about boxes to one about points.
fn of_points(error: Error) -> Error {
    match error {
        Error::InvalidBox { index, problem, count } => Error::InvalidPoint {
            index,
            group: None,
            problem,
            count,
        },
        error => error,
    }
}

/// Returns the point with the coordinate along `axis` first. Orientations are preserved, because
/// the axes are permuted cyclically.
fn turn(axis: usize, point: Vec3) -> Vec3 {
    match axis {
        0 => point,
        1 => Vec3::new(point.y, point.z, point.x),
        _ => Vec3::new(point.z, point.x, point.y),
    }
}

/// Returns the box around all triangles; for none, a box without a point.
pub(crate) fn bounds_of(triangles: &[Triangle]) -> Aabb {
    let none = || Aabb::new(Vec3::INFINITY, Vec3::NEG_INFINITY);
    let join = |a: Aabb, b: Aabb| Aabb::new(a.min.min(b.min), a.max.max(b.max));
    let of_range = |range: std::ops::Range<usize>| triangles[range].iter().map(Triangle::bounds).fold(none(), join);
    parallel::fold_ranges(triangles.len(), none, of_range, join)
}

/// Returns the axis along which the fewest triangles are one above the other: seen along it, the
/// bounds of all triangles cover those of the mesh the fewest times.
fn axis_of_least_depth(triangles: &[Triangle], bounds: &Aabb) -> usize {
    let areas = |size: Vec3| {
        let size = size.as_dvec3();
        [size.y * size.z, size.z * size.x, size.x * size.y]
    };
    let all = areas(bounds.max - bounds.min);
    let mut depths = [0.0; 3];
    for triangle in triangles {
        let own = triangle.bounds();
        let own = areas(own.max - own.min);
        for axis in 0..3 {
            depths[axis] += own[axis];
        }
    }
    let depth = |axis: usize| match all[axis] > 0.0 {
        true => depths[axis] / all[axis],
        false => f64::INFINITY,
    };
    (0..3).min_by(|&a, &b| depth(a).total_cmp(&depth(b))).unwrap_or(0)
}
