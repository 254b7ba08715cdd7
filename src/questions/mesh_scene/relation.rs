//! Decides how two meshes lie relative to each other.

use std::ops::ControlFlow;

use crate::base::error::Result;
use crate::base::memory;
use crate::geometry::pair::Pair;
use crate::questions::mesh_scene::body::{MeshInstance, Motion, closed};
use crate::questions::mesh_scene::gap::gap;
use crate::questions::mesh_scene::inside::{beside, has_corner_in, has_middle_in, is_inside};
use crate::regions::closed_mesh::ClosedMesh;
use crate::shapes::triangle::record::Triangle;

/// Label for out-of-memory errors.
const PLACED: &str = "the triangles of a mesh in the frame of another";

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
    /// Their surfaces share a point, but no triangles pass through each other, no corner of one is
    /// inside the other, and no point below the middle of a triangle, just below and in steps
    /// further away, is inside both. Open meshes have no inside: the middles of their triangles are
    /// not inside the other mesh.
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
    let near = if margin > 0.0 { gap(a, b, &motion, margin) } else { None };
    match near {
        Some((distance, triangles)) => found(MeshRelation::Near, Some(triangles), distance),
        None => Ok(None),
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
    /// The second solid, once it is needed and where the motion moves it; `None` if it is open.
    moved: Option<Option<ClosedMesh>>,
}

impl<'a> Solids<'a> {
    fn new(a: &'a MeshInstance<'a>, b: &'a MeshInstance<'a>, motion: &'a Motion) -> Self {
        Self {
            meshes: [a, b],
            motion,
            moved: None,
        }
    }

    fn first(&self) -> Option<&'a ClosedMesh> {
        self.meshes[0].mesh.closed()
    }

    fn second(&mut self) -> Result<Option<&ClosedMesh>> {
        let mesh = self.meshes[1].mesh;
        if self.motion.is_identity || !mesh.is_closed() {
            return Ok(mesh.closed());
        }
        if self.moved.is_none() {
            self.moved = Some(closed(&self.placed()?)?);
        }
        Ok(self.moved.as_ref().and_then(Option::as_ref))
    }

    /// Returns the triangles of the second mesh.
    fn placed(&self) -> Result<Vec<Triangle>> {
        let triangles = self.meshes[1].mesh.triangles().iter();
        Ok(memory::collect(
            triangles.map(|triangle| self.motion.placed(triangle)),
            PLACED,
        )?)
    }

    /// Returns `true` if a corner of one mesh is inside the other, or a point beside the middle of
    /// a triangle is inside both, or the middle of one of an open mesh inside the other mesh.
    fn share_points(&mut self) -> Result<bool> {
        let motion = self.motion;
        let [own, others] = self.meshes.map(|instance| instance.mesh.triangles());
        let placed = || others.iter().map(|triangle| motion.placed(triangle));
        let first = self.first();
        if first.is_some_and(|first| placed().any(|triangle| has_corner_in(&triangle, first))) {
            return Ok(true);
        }
        let second = self.second()?;
        if second.is_some_and(|second| own.iter().any(|triangle| has_corner_in(triangle, second))) {
            return Ok(true);
        }
        Ok(match (first, second) {
            (Some(first), Some(second)) => {
                let mut points = own
                    .iter()
                    .copied()
                    .chain(placed())
                    .flat_map(|triangle| beside(&triangle));
                points.any(|point| is_inside(second, point) && is_inside(first, point))
            }
            (Some(first), None) => placed().any(|triangle| has_middle_in(&triangle, first)),
            (None, Some(second)) => own.iter().any(|triangle| has_middle_in(triangle, second)),
            (None, None) => false,
        })
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
        let [a, b] = self.meshes;
        let back = Motion::between(&b.pose, &a.pose);
        if !own.iter().any(|corner| b.may_have(*corner, &back)) {
            return Ok(None);
        }
        let Some(second) = self.second()? else {
            return Ok(None);
        };
        let inside = own.iter().filter(|corner| is_inside(second, **corner)).count();
        Ok(relation(inside, own.len(), MeshRelation::BContainsA))
    }
}
