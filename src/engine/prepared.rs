//! Scenes prepared once for many checks against them.

#[cfg(not(feature = "gpu"))]
use std::convert::Infallible as SceneAtRest;

use std::sync::OnceLock;

use glam::Vec3;

use crate::base::engine::Engine;
use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::broad_phase::choice::BroadPhaseChoice;
use crate::broad_phase::grid::layout::GridLevel;
use crate::broad_phase::points::tree::Centers;
use crate::engine::cpu::phases::AtRest;
#[cfg(feature = "gpu")]
use crate::engine::gpu::scene::SceneAtRest;
use crate::geometry::bounds::{BOUNDS, Bounds};
use crate::geometry::period::Period;
use crate::narrow_phase::images::radius;
use crate::narrow_phase::width::too_wide;
use crate::rules::filter::{PairRules, SetRules};
use crate::shapes::bodies::set::{Bodies, OwnedBodies};
use crate::shapes::kind::Records;
use crate::shapes::obb::record::Obb;

/// Boxes at rest, sorted once, for [`Query::against`](crate::Query::against).
///
/// It holds copies of the boxes and their grid: 80 bytes per box and 8 to 16 for the grid's table.
/// A scene on a GPU takes that much of its memory, and 48 bytes per box on the host. It never
/// changes: if the boxes move, prepare a new one. A scene prepared on the CPU works with every
/// checker on the CPU. A scene prepared on a GPU works only with the checker that prepared it.
pub struct PreparedScene {
    pub(crate) bodies: OwnedBodies,
    pub(crate) rules: SetRules<'static>,
    pub(crate) grid: Vec<GridLevel>,
    pub(crate) broad_phase: BroadPhaseChoice,
    pub(crate) engine: Engine,
    pub(crate) memory: Memory,
    /// The centers, once they have been needed.
    pub(crate) centers: OnceLock<Centers>,
    /// The extent, once it has been needed.
    pub(crate) extent: OnceLock<Extent>,
}

/// The extent of a scene.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// The bounds of all bodies, if there are any.
    pub bounds: Option<Bounds>,
    /// No body has points further from its center.
    pub largest_radius: f64,
}

/// The memory that holds the sorted boxes.
pub(crate) enum Memory {
    Host(Box<AtRest>),
    Device(Box<SceneAtRest>),
}

impl PreparedScene {
    /// Returns the boxes in their given order; a pair's `a` is a position here, or among all
    /// [`bodies`](Self::bodies).
    pub fn boxes(&self) -> &[Obb] {
        &self.bodies.boxes
    }

    /// Returns all bodies in their given order.
    pub fn bodies(&self) -> Bodies<'_> {
        self.bodies.all()
    }

    /// Returns the broad phase that sorted the scene, and the reason for its choice.
    pub fn broad_phase(&self) -> BroadPhaseChoice {
        self.broad_phase
    }

    /// Returns the levels of the grid, the coarsest first. Empty if there is no grid.
    pub fn grid(&self) -> &[GridLevel] {
        &self.grid
    }

    /// Returns the engine that prepared the scene.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the extent of the scene. The first call takes time proportional to the bodies.
    pub(crate) fn extent(&self) -> Result<Extent> {
        if let Some(extent) = self.extent.get() {
            return Ok(*extent);
        }
        let bodies = self.bodies();
        let mut bounds = memory::zeroed(bodies.len(), BOUNDS)?;
        let () = Records::from(bodies).bounds(|_| 0.0, &mut bounds)?;
        let joined = |one: Bounds, other: Bounds| Bounds {
            low: one.low.min(other.low),
            high: one.high.max(other.high),
            ..one
        };
        let radii = (0..bodies.len() as u32).map(|id| radius(bodies.at(id)));
        let extent = Extent {
            bounds: bounds.into_iter().reduce(joined),
            largest_radius: radii.fold(0.0, f64::max),
        };
        Ok(*self.extent.get_or_init(|| extent))
    }

    /// Returns the extent of the scene, or an error if a body is too many periods from the origin.
    pub(crate) fn expect_near(&self, period: &Period) -> Result<Extent> {
        let extent = self.extent()?;
        let is_far = |corner: Vec3| period.problem(corner.as_dvec3()).is_some();
        if extent
            .bounds
            .is_some_and(|bounds| is_far(bounds.low) || is_far(bounds.high))
        {
            let bodies = self.bodies();
            Period::expect_none(bodies.len(), |id| {
                period.problem(bodies.at(id as u32).center().as_dvec3())
            })?;
        }
        Ok(extent)
    }

    /// Returns an error if a body is as wide as the period.
    pub(crate) fn expect_narrow(&self, period: &Period) -> Result<()> {
        if 2.0 * self.extent()?.largest_radius < period.shortest() {
            return Ok(());
        }
        let bodies = self.bodies();
        Period::expect_none(bodies.len(), |id| too_wide(bodies.at(id as u32), period))
    }

    /// Returns the sorted boxes in host memory, or an error if they are elsewhere.
    pub(crate) fn on_host(&self) -> Result<&AtRest> {
        match &self.memory {
            Memory::Host(at_rest) => Ok(at_rest),
            Memory::Device(_) => Err(self.foreign()),
        }
    }

    /// Returns the rules of a check of `movers` movers against the scene.
    pub(crate) fn rules_of<'a>(&'a self, of_movers: &'a SetRules<'a>, movers: usize) -> Result<PairRules<'a>> {
        PairRules::of_movers(&self.rules, of_movers, [self.bodies().len(), movers])
    }

    /// Returns the error for a scene that was prepared elsewhere.
    pub(crate) fn foreign(&self) -> Error {
        Error::ForeignScene {
            prepared: match &self.engine {
                Engine::Cpu { .. } => "the CPU".to_owned(),
                Engine::Gpu { adapter, .. } => format!("a device of {adapter}"),
            },
        }
    }
}

impl std::fmt::Debug for PreparedScene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PreparedScene")
            .field("bodies", &self.bodies().len())
            .field("grid", &self.grid)
            .field("engine", &self.engine)
            .finish()
    }
}
