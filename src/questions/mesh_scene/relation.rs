//! Decides how two meshes lie relative to each other.

use std::ops::ControlFlow;

use glam::Vec3;

use crate::base::error::Result;
use crate::base::memory;
use crate::geometry::pair::Pair;
use crate::questions::mesh_scene::body::{MeshInstance, Motion, closed};
use crate::questions::mesh_scene::gap::gap;
use crate::regions::closed_mesh::ClosedMesh;
use crate::regions::closed_mesh::state::PointState;
use crate::shapes::triangle::record::Triangle;

/// Label for out-of-memory errors.
const PLACED: &str = "the triangles of a mesh in the frame of another";

/// The number of times that the way below a surface is halved: down to the rounding of `f32`.
const HALVINGS: i32 = 24;

/// The answer about a pair of meshes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshPair {
    /// The positions of the instances.
    pub pair: Pair,
    /// The way in which they meet.
    pub relation: MeshRelation,
    /// A triangle of each that share a point, `a` of the first instance and `b` of the second, or
    /// that are nearest to each other. If the meshes overlap, they pass through each other, unless
    /// no two triangles do. `None` if the surfaces share no point and no distance was computed.
    pub triangles: Option<Pair>,
    /// The distance of the surfaces in the caller's unit, if they are only near; otherwise 0.
    pub distance: f64,
}

/// The position of two meshes relative to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MeshRelation {
    /// Their surfaces share a point, and triangles pass through each other, or a point of one mesh
    /// is inside the other, or only some shells of one are inside the other.
    Overlap,
    /// Their surfaces share a point, but no triangles pass through each other, and no corner or
    /// middle of a triangle of one, and no point just below its surface, is inside the other. Open
    /// meshes have no inside.
    Touch,
    /// The second is inside the first, and their surfaces share no point.
    AContainsB,
    /// The first is inside the second, and their surfaces share no point.
    BContainsA,
    /// They share no point, and are no further apart than the margin.
    Near,
}

/// Returns the answer about two instances, whose pair is not set, or `None` if they are apart by
/// more than a margin.
pub(super) fn relation(a: &MeshInstance<'_>, b: &MeshInstance<'_>, margin: f64) -> Result<Option<MeshPair>> {
    let motion = Motion::between(&a.pose, &b.pose);
    let found = |relation, triangles, distance| {
        Ok(Some(MeshPair {
            pair: Pair { a: 0, b: 0 },
            relation,
            triangles,
            distance,
        }))
    };
    let surfaces = Surfaces::of(a, b, &motion);
    if surfaces.pass {
        return found(MeshRelation::Overlap, surfaces.meeting, 0.0);
    }
    let mut solids = Solids::new(a, b, &motion);
    if surfaces.meeting.is_some() {
        let relation = match solids.share_points()? {
            true => MeshRelation::Overlap,
            false => MeshRelation::Touch,
        };
        return found(relation, surfaces.meeting, 0.0);
    }
    if let Some(relation) = solids.containment()? {
        return found(relation, None, 0.0);
    }
    match gap(a, b, &motion, margin) {
        Some((distance, triangles)) if margin > 0.0 => found(MeshRelation::Near, Some(triangles), distance),
        _ => Ok(None),
    }
}

/// The triangles of two meshes that share points.
struct Surfaces {
    /// The first that are found, or those that pass through each other.
    meeting: Option<Pair>,
    /// Set if they pass through each other.
    pass: bool,
}

impl Surfaces {
    fn of(a: &MeshInstance<'_>, b: &MeshInstance<'_>, motion: &Motion) -> Self {
        let mut found = Self {
            meeting: None,
            pass: false,
        };
        let [own, others] = [a.mesh.triangles(), b.mesh.triangles()];
        let trees = [a, b].map(|instance| instance.mesh.tree().at(instance.pose));
        let _ = trees[0].visit(&trees[1], |pair| {
            let triangle = &own[pair.a as usize];
            let other = motion.placed(&others[pair.b as usize]);
            if !triangle.meets(&other) {
                return ControlFlow::Continue(());
            }
            found.meeting.get_or_insert(pair);
            if triangle.passes_through(&other) {
                found.meeting = Some(pair);
                found.pass = true;
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        found
    }
}

/// The solids that two meshes bound, in the frame of the first.
struct Solids<'a> {
    meshes: [&'a MeshInstance<'a>; 2],
    motion: &'a Motion,
    /// The second solid, once it is needed; `None` if it is open.
    second: Option<Option<ClosedMesh>>,
}

impl<'a> Solids<'a> {
    fn new(a: &'a MeshInstance<'a>, b: &'a MeshInstance<'a>, motion: &'a Motion) -> Self {
        Self {
            meshes: [a, b],
            motion,
            second: None,
        }
    }

    fn first(&self) -> Option<&'a ClosedMesh> {
        self.meshes[0].mesh.closed()
    }

    fn second(&mut self) -> Result<Option<&ClosedMesh>> {
        let mesh = self.meshes[1].mesh;
        if self.second.is_none() {
            let placed = match mesh.is_closed() {
                true => closed(&self.placed()?)?,
                false => None,
            };
            self.second = Some(placed);
        }
        Ok(self.second.as_ref().and_then(Option::as_ref))
    }

    /// Returns the triangles of the second mesh.
    fn placed(&self) -> Result<Vec<Triangle>> {
        let triangles = self.meshes[1].mesh.triangles().iter();
        Ok(memory::collect(
            triangles.map(|triangle| self.motion.placed(triangle)),
            PLACED,
        )?)
    }

    /// Returns `true` if a corner or middle of a triangle of one mesh, or a point below the surface
    /// of one, is inside the other.
    fn share_points(&mut self) -> Result<bool> {
        let motion = self.motion;
        let [own, others] = self.meshes.map(|instance| instance.mesh.triangles());
        let is_in =
            |first: &ClosedMesh, triangle| samples(&motion.placed(triangle)).any(|point| is_inside(first, point));
        if let Some(first) = self.first()
            && others.iter().any(|triangle| is_in(first, triangle))
        {
            return Ok(true);
        }
        let inner = self.first().and_then(|first| below_surface(first, own));
        let Some(second) = self.second()? else {
            return Ok(false);
        };
        let mut points = own.iter().flat_map(samples).chain(inner);
        if points.any(|point| is_inside(second, point)) {
            return Ok(true);
        }
        let placed = self.placed()?;
        let inner = self.second()?.and_then(|second| below_surface(second, &placed));
        Ok(self
            .first()
            .zip(inner)
            .is_some_and(|(first, point)| is_inside(first, point)))
    }

    /// Returns the relation of meshes whose surfaces share no point, if one has a part in the
    /// other.
    fn containment(&mut self) -> Result<Option<MeshRelation>> {
        let motion = self.motion;
        let [own, others] = self.meshes.map(|instance| instance.mesh.shells());
        let relation = |inside: usize, all: usize, contains| match inside {
            0 => None,
            _ if inside == all => Some(contains),
            _ => Some(MeshRelation::Overlap),
        };
        if let Some(first) = self.first() {
            let inside = others
                .iter()
                .filter(|corner| is_inside(first, motion.rounded(**corner)))
                .count();
            if let Some(found) = relation(inside, others.len(), MeshRelation::AContainsB) {
                return Ok(Some(found));
            }
        }
        let Some(second) = self.second()? else {
            return Ok(None);
        };
        let inside = own.iter().filter(|corner| is_inside(second, **corner)).count();
        Ok(relation(inside, own.len(), MeshRelation::BContainsA))
    }
}

fn is_inside(mesh: &ClosedMesh, point: Vec3) -> bool {
    mesh.locate(point) == PointState::Inside
}

/// Returns the middle and the corners of a triangle.
fn samples(triangle: &Triangle) -> impl Iterator<Item = Vec3> + use<> {
    let [a, b, c] = triangle.corners;
    let middle = ((a.as_dvec3() + b.as_dvec3() + c.as_dvec3()) / 3.0).as_vec3();
    [middle, a, b, c].into_iter()
}

/// Returns a point inside a mesh, just below the middle of one of its triangles, if there is one.
fn below_surface(mesh: &ClosedMesh, triangles: &[Triangle]) -> Option<Vec3> {
    triangles.iter().find_map(|triangle| {
        let [a, b, c] = triangle.corners.map(Vec3::as_dvec3);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let middle = (a + b + c) / 3.0;
        let size = (b - a).length().max((c - a).length());
        let ways = (1..=HALVINGS).map(|k| size * 0.5f64.powi(k));
        let points = ways.flat_map(|way| [middle - normal * way, middle + normal * way]);
        points
            .map(|point| point.as_vec3())
            .find(|point| is_inside(mesh, *point))
    })
}
