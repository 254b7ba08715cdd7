//! Rooms on the caller's device.

use std::sync::atomic::Ordering::Relaxed;

use crate::base::error::{Error, Result};
use crate::device::context::Waiting;
use crate::engine::gpu::GpuChecker;
use crate::engine::gpu::resident::expect_records;
use crate::engine::gpu::shape::Shape;
use crate::regions::enclosure::Enclosures;
use crate::regions::enclosure_cpu::Frame;
use crate::regions::room::{Enclosure, Room};
use crate::shapes::obb::record::Obb;

impl GpuChecker {
    /// How each of `boxes` lies to a room; see [`Checker::enclosures`](crate::Checker::enclosures).
    pub fn enclosures(&mut self, room: &Room, boxes: &[Obb]) -> Result<Vec<Enclosure>> {
        self.context.set_waiting(Waiting::Blocking);
        pollster::block_on(self.look_at_room(room, boxes))
    }

    /// [`GpuChecker::enclosures`] without blocking: a thread waits for the device, and the future for that thread.
    pub async fn enclosures_async(&mut self, room: &Room, boxes: &[Obb]) -> Result<Vec<Enclosure>> {
        self.context.set_waiting(Waiting::Background);
        self.look_at_room(room, boxes).await
    }

    /// Records how each of the first `count` boxes in `boxes` lies to a room into the caller's encoder. Nothing is submitted or
    /// waited for.
    ///
    /// The buffer that is returned has a `u32` for each box, which [`Enclosure::from_bits`] explains. It is what `f32` can tell,
    /// and misses nothing: where it cannot decide, the box has [`Enclosure::UNDECIDED`], the walls that may be reached are
    /// in the mask, and the box is crossing unless it is surely outside. [`Room::enclosure`] has the true answer. Boxes that
    /// may not be valid have [`Enclosure::INVALID`].
    ///
    /// The buffer can be bound as a storage buffer and copied from. It belongs to the checker, and the next room that is
    /// recorded or looked at writes into it again. `boxes` is as with [`GpuChecker::record`].
    ///
    /// # Errors
    /// [`Error::InvalidBuffer`] if the buffer is too short or cannot be bound, [`Error::LimitExceeded`] if the device's
    /// limits are too low for 4 bytes a box in one buffer, [`Error::OutOfDeviceMemory`] if its memory is.
    pub fn record_enclosures(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        room: &Room,
        boxes: &wgpu::Buffer,
        count: u32,
    ) -> Result<wgpu::Buffer> {
        self.context.check_trouble()?;
        expect_records(boxes, count, &Shape::Obb)?;
        self.context.recorded.store(true, Relaxed);
        let recorded = pollster::block_on(async {
            let rooms = match &mut self.rooms {
                Some(rooms) => rooms,
                none => none.insert(Enclosures::new(&self.context).await?),
            };
            rooms
                .record(&self.context, encoder, &Frame::new(room), boxes, count)
                .await
        });
        self.room_settled(recorded)
    }

    async fn look_at_room(&mut self, room: &Room, boxes: &[Obb]) -> Result<Vec<Enclosure>> {
        self.context.check_trouble()?;
        let rooms = match &mut self.rooms {
            Some(rooms) => rooms,
            none => none.insert(Enclosures::new(&self.context).await?),
        };
        let found = rooms.run(&self.context, room, boxes).await;
        self.room_settled(found)
    }

    /// The outcome of work on rooms. Work that failed may have left buffers mapped: they are dropped.
    fn room_settled<T>(&mut self, outcome: Result<T>) -> Result<T> {
        if !matches!(outcome, Ok(_) | Err(Error::InvalidBox { .. })) {
            self.rooms = None;
        }
        outcome
    }
}
