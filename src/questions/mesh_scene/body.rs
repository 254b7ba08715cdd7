//! Meshes that are prepared once and placed any number of times.

use glam::{DMat3, DVec3, Vec3};

use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::base::problem::{BoxProblem, COORDINATE_LIMIT, ROTATION_LENGTH_TOLERANCE};
use crate::broad_phase::volumes::tree::ObbTree;
use crate::geometry::aabb::Aabb;
use crate::geometry::pose::Pose;
use crate::geometry::rotation::dmat3;
use crate::geometry::rounding::above;
use crate::questions::mesh_scene::shells::shells;
use crate::regions::closed_mesh::{ClosedMesh, bounds_of};
use crate::shapes::triangle::record::Triangle;

/// The part of its coordinates by which the bounds of an instance are enlarged: more than the
/// rounding of corners in the frame of another one, 2^-24 of the coordinates of both.
const SLACK: f64 = 1.0 / (1u64 << 20) as f64;

/// A triangle mesh that is prepared once, for a [`MeshScene`](crate::mesh::MeshScene) of any number
/// of instances.
///
/// A closed mesh, in which every edge belongs to an even number of triangles, bounds a solid: the
/// points from which a ray crosses an odd number of triangles
/// ([`ClosedMesh`](crate::region::ClosedMesh)). An open one is a surface without an inside.
#[derive(Clone, Debug)]
pub struct MeshBody {
    triangles: Vec<Triangle>,
    tree: ObbTree,
    /// The bounds of all triangles, in the body's frame.
    bounds: Aabb,
    closed: Option<ClosedMesh>,
    /// A corner of each shell: of each set of triangles that common corners connect.
    shells: Vec<Vec3>,
}

impl MeshBody {
    /// Prepares a mesh, in O(n log² n).
    ///
    /// # Errors
    /// [`Error::InvalidTriangle`] and [`Error::OutOfMemory`].
    pub fn new(triangles: &[Triangle]) -> Result<Self> {
        let tree = ObbTree::new(triangles)?;
        Ok(Self {
            tree,
            bounds: bounds_of(triangles),
            closed: closed(triangles)?,
            shells: shells(triangles)?,
            triangles: memory::collect(triangles.iter().copied(), "the triangles of a mesh")?,
        })
    }

    /// Returns its triangles.
    pub fn triangles(&self) -> &[Triangle] {
        &self.triangles
    }

    /// Returns `true` if it bounds a solid.
    pub fn is_closed(&self) -> bool {
        self.closed.is_some()
    }

    /// Returns the bounds of its triangles, in its own frame.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Returns an instance of the mesh in a pose.
    pub fn at(&self, pose: Pose) -> MeshInstance<'_> {
        MeshInstance { mesh: self, pose }
    }

    pub(super) fn tree(&self) -> &ObbTree {
        &self.tree
    }

    pub(super) fn closed(&self) -> Option<&ClosedMesh> {
        self.closed.as_ref()
    }

    pub(super) fn shells(&self) -> &[Vec3] {
        &self.shells
    }
}

/// Returns a closed mesh of triangles, or `None` if it is open or has none.
pub(super) fn closed(triangles: &[Triangle]) -> Result<Option<ClosedMesh>> {
    match ClosedMesh::new(triangles) {
        _ if triangles.is_empty() => Ok(None),
        Ok(closed) => Ok(Some(closed)),
        Err(Error::OpenMesh { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A mesh in a pose.
#[derive(Clone, Copy, Debug)]
pub struct MeshInstance<'a> {
    /// The mesh.
    pub mesh: &'a MeshBody,
    /// Its pose in the world.
    pub pose: Pose,
}

impl MeshInstance<'_> {
    /// Returns the problem with the instance, or `None` if it is valid.
    pub fn problem(&self) -> Option<BoxProblem> {
        let Pose { translation, rotation } = self.pose;
        if !translation.is_finite() || !rotation.is_finite() {
            return Some(BoxProblem::NotFinite);
        }
        if (rotation.length() - 1.0).abs() > ROTATION_LENGTH_TOLERANCE {
            return Some(BoxProblem::Rotation);
        }
        let reach = self.reach() + translation.as_dvec3().abs().element_sum();
        (reach > f64::from(COORDINATE_LIMIT) / 8.0).then_some(BoxProblem::TooLarge)
    }

    /// Returns a number that no sum of coordinates of a corner in the body's frame exceeds.
    fn reach(&self) -> f64 {
        let Aabb { min, max } = self.mesh.bounds;
        match self.mesh.triangles.is_empty() {
            true => 0.0,
            false => min.abs().max(max.abs()).as_dvec3().element_sum(),
        }
    }

    /// Returns `true` if a point may be inside the mesh or on it. `motion` takes the point from a
    /// frame in which the corners of the mesh are rounded to that of the mesh.
    pub(super) fn may_have(&self, point: Vec3, motion: &Motion) -> bool {
        let Aabb { min, max } = self.mesh.bounds;
        let point = motion.at(point.as_dvec3());
        let rounding = DVec3::splat(SLACK * (self.reach() + motion.translation.abs().element_sum()));
        point.cmpge(min.as_dvec3() - rounding).all() && point.cmple(max.as_dvec3() + rounding).all()
    }

    /// Returns bounds in the world, enlarged by more than the rounding of corners in the frame of
    /// another instance.
    pub(super) fn bounds(&self) -> Aabb {
        let to_world = Motion::to_world(&self.pose);
        if self.mesh.triangles.is_empty() {
            let origin = self.pose.translation;
            return Aabb::new(origin, origin);
        }
        let Aabb { min, max } = self.mesh.bounds;
        let (low, high) = (min.as_dvec3(), max.as_dvec3());
        let center = to_world.at(low.midpoint(high));
        let half = 0.5 * (high - low);
        let DMat3 { x_axis, y_axis, z_axis } = to_world.rotation;
        let reach = x_axis.abs() * half.x + y_axis.abs() * half.y + z_axis.abs() * half.z;
        let reach = reach + DVec3::splat(SLACK * self.reach() + f64::from(f32::MIN_POSITIVE));
        let outward = |corner: DVec3| Vec3::from_array(corner.to_array().map(above));
        Aabb::new(-outward(reach - center), outward(reach + center))
    }
}

/// The rigid motion from the frame of one instance to that of another.
#[derive(Clone, Copy)]
pub(super) struct Motion {
    rotation: DMat3,
    translation: DVec3,
    /// Set if it moves nothing.
    pub is_identity: bool,
}

impl Motion {
    fn to_world(pose: &Pose) -> Self {
        Self {
            rotation: rotation(pose),
            translation: pose.translation.as_dvec3(),
            is_identity: *pose == Pose::IDENTITY,
        }
    }

    /// Returns the motion from the frame of `b` to that of `a`.
    pub fn between(a: &Pose, b: &Pose) -> Self {
        let back = rotation(a).transpose();
        Self {
            rotation: back * rotation(b),
            translation: back * (b.translation.as_dvec3() - a.translation.as_dvec3()),
            is_identity: a == b,
        }
    }

    /// Returns a point in the other frame.
    pub fn at(&self, point: DVec3) -> DVec3 {
        match self.is_identity {
            true => point,
            false => self.rotation * point + self.translation,
        }
    }

    /// Returns a direction in the other frame.
    pub fn turned(&self, direction: DVec3) -> DVec3 {
        match self.is_identity {
            true => direction,
            false => self.rotation * direction,
        }
    }

    /// Returns a triangle in the other frame, each coordinate rounded once.
    pub fn placed(&self, triangle: &Triangle) -> Triangle {
        Triangle {
            corners: triangle.corners.map(|corner| self.rounded(corner)),
        }
    }

    /// Returns a point in the other frame, each coordinate rounded once.
    pub fn rounded(&self, point: Vec3) -> Vec3 {
        match self.is_identity {
            true => point,
            false => self.at(point.as_dvec3()).as_vec3(),
        }
    }
}

/// Returns the rotation of a pose, whose quaternion may be off unit length.
fn rotation(pose: &Pose) -> DMat3 {
    let (matrix, length_squared) = dmat3(pose.rotation.as_dquat());
    // Quotients, so that quarter turns are exact.
    DMat3::from_cols(
        matrix.x_axis / length_squared,
        matrix.y_axis / length_squared,
        matrix.z_axis / length_squared,
    )
}
