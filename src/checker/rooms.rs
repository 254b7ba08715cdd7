//! Locations of bodies relative to a room.

#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::base::waiting::Waiting;
use crate::checker::Checker;
use crate::regions::room::{Enclosure, Room};
use crate::shapes::bodies::set::Bodies;

impl Checker {
    /// Finds the location of each body relative to a room: the walls it reaches, and its state as
    /// inside, crossing or outside.
    ///
    /// The bodies are a slice, an array or a vector of boxes, capsules or spheres, or [`Bodies`].
    /// The answer is exact on every backend; [`Room`] defines it. The time is O(n). Bodies that do
    /// not fit on the device at once are processed in pieces. [`Room::enclosures`] does the same on
    /// the CPU without a checker.
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config, EnclosureState, Obb, Room, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let room = Room::new(Vec3::ZERO, Vec3::splat(10.0))?;
    /// let boxes = [5.0, 9.5, 20.0].map(|x| Obb::axis_aligned(Vec3::new(x, 5.0, 5.0), Vec3::ONE));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let found = checker.enclosures(&room, &boxes)?;
    /// let states = [EnclosureState::Inside, EnclosureState::Crossing, EnclosureState::Outside];
    /// assert!(found.iter().map(|enclosure| enclosure.state).eq(states));
    /// assert!(found.iter().map(|enclosure| enclosure.walls).eq([0, Room::MAX_X, Room::MAX_X]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidBox`] with the first invalid body and the number of invalid bodies;
    /// [`Error::OutOfDeviceMemory`], [`Error::DeviceLost`], [`Error::Timeout`] and [`Error::Gpu`]
    /// if the device fails.
    pub fn enclosures<'a>(&mut self, room: &Room, bodies: impl Into<Bodies<'a>>) -> Result<Vec<Enclosure>> {
        pollster::block_on(self.enclosures_of(room, bodies.into(), Waiting::Blocking))
    }

    /// Performs [`Checker::enclosures`] without blocking the thread while a GPU works. The CPU
    /// backend computes while it is polled.
    pub async fn enclosures_async<'a>(&mut self, room: &Room, bodies: impl Into<Bodies<'a>>) -> Result<Vec<Enclosure>> {
        self.enclosures_of(room, bodies.into(), Waiting::Background).await
    }

    async fn enclosures_of(&mut self, room: &Room, bodies: Bodies<'_>, waiting: Waiting) -> Result<Vec<Enclosure>> {
        match self.gpu_for(bodies.len()).await {
            Some(gpu) => gpu.waiting(waiting).enclosures(room, bodies).await,
            None => room.enclosures(bodies),
        }
    }
}
