//! Locations of bodies relative to a room or a closed mesh.

#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::base::waiting::Waiting;
use crate::base::{memory, parallel};
use crate::engine::backends::Backends;
use crate::questions::mesh::MeshQuery;
use crate::questions::question::Question;
use crate::regions::closed_mesh::ClosedMesh;
use crate::regions::closed_mesh::state::PointState;
use crate::regions::room::{Enclosure, EnclosureState, Room};
use crate::shapes::bodies::set::Bodies;

/// Label for out-of-memory errors.
const STATES: &str = "the states of bodies";

/// The location of each body relative to a region, exactly on every backend: inside, crossing or
/// outside.
///
/// The region is a [`Room`] or a [`ClosedMesh`]. The bodies are a slice, an array or a vector of
/// boxes, capsules or spheres, or [`Bodies`].
///
/// # Rooms
/// Finds the walls that each body reaches, and its state. [`Room`] defines the answer. The time is
/// O(n). Bodies that do not fit on the device at once are processed in pieces. [`Room::enclosures`]
/// does the same on the CPU without a checker.
///
/// ```
/// use obbligato::query::Containment;
/// use obbligato::{glam::Vec3, region::{EnclosureState, Room}, Backend, Checker, Config, Obb};
/// # fn main() -> obbligato::Result<()> {
/// let room = Room::new(Vec3::ZERO, Vec3::splat(10.0))?;
/// let boxes = [5.0, 9.5, 20.0].map(|x| Obb::axis_aligned(Vec3::new(x, 5.0, 5.0), Vec3::ONE));
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// let found = checker.check(Containment::new(&room, &boxes))?;
/// let states = [EnclosureState::Inside, EnclosureState::Crossing, EnclosureState::Outside];
/// assert!(found.iter().map(|enclosure| enclosure.state).eq(states));
/// assert!(found.iter().map(|enclosure| enclosure.walls).eq([0, Room::MAX_X, Room::MAX_X]));
/// # Ok(())
/// # }
/// ```
///
/// # Closed meshes
/// Finds the location of each body relative to the solid that the mesh bounds. Bodies that
/// meet the mesh as a solid are those that are not outside. Bodies that meet it as a surface
/// are those that cross it.
///
/// The surface is checked as by [`MeshQuery`]. A body that does not cross the surface
/// lies on the same side as its center ([`ClosedMesh::locate`]).
///
/// ```
/// use obbligato::query::Containment;
/// use obbligato::glam::Vec3;
/// use obbligato::region::{ClosedMesh, EnclosureState};
/// use obbligato::shape::Triangle;
/// use obbligato::{Backend, Checker, Config, Sphere};
/// # fn main() -> obbligato::Result<()> {
/// let [a, b, c, d] = [Vec3::ZERO, Vec3::X * 9.0, Vec3::Y * 9.0, Vec3::Z * 9.0];
/// let faces = [[a, b, c], [a, b, d], [a, c, d], [b, c, d]].map(|corners| Triangle { corners });
/// let tent = ClosedMesh::new(&faces)?;
/// let balls = [1.0, 2.0, 9.0].map(|x| Sphere::new(Vec3::new(x, 2.0, 2.0), 1.0));
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// let found = checker.check(Containment::new(&tent, &balls))?;
/// assert_eq!(found, [EnclosureState::Crossing, EnclosureState::Inside, EnclosureState::Outside]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::InvalidBox`] with the first invalid body and the number of invalid bodies;
/// [`Error::OutOfDeviceMemory`], [`Error::DeviceLost`], [`Error::Timeout`] and [`Error::Gpu`] if
/// the device fails. For a mesh also those of [`MeshQuery`].
#[derive(Debug)]
pub struct Containment<'a, R> {
    region: &'a R,
    bodies: Bodies<'a>,
}

impl<'a, R> Containment<'a, R> {
    /// The locations of these bodies relative to a region.
    pub fn new(region: &'a R, bodies: impl Into<Bodies<'a>>) -> Self {
        Self {
            region,
            bodies: bodies.into(),
        }
    }
}

impl<'a> Question<'a> for Containment<'a, Room> {
    type Answer = Vec<Enclosure>;

    async fn answer(self, backends: &mut Backends, waiting: Waiting) -> Result<Vec<Enclosure>> {
        let Self { region: room, bodies } = self;
        match backends.gpu_for(bodies.len()).await {
            Some(gpu) => gpu.waiting(waiting).enclosures(room, bodies).await,
            None => room.enclosures(bodies),
        }
    }
}

impl<'a> Question<'a> for Containment<'a, ClosedMesh> {
    type Answer = Vec<EnclosureState>;

    async fn answer(self, backends: &mut Backends, waiting: Waiting) -> Result<Vec<EnclosureState>> {
        let Self { region: mesh, bodies } = self;
        let triangles = memory::collect(mesh.triangles(), "the triangles of a mesh")?;
        let report = MeshQuery::new(&triangles, bodies).answer(backends, waiting).await?;
        let mut crosses = memory::filled(bodies.len(), false, STATES)?;
        for pair in report.pairs()? {
            crosses[pair.b as usize] = true;
        }
        Ok(parallel::collect(bodies.len(), STATES, |k| {
            match (crosses[k], mesh.locate(bodies.at(k as u32).center())) {
                (true, _) | (_, PointState::Surface) => EnclosureState::Crossing,
                (false, PointState::Inside) => EnclosureState::Inside,
                (false, PointState::Outside) => EnclosureState::Outside,
            }
        })?)
    }
}
