//! What the pipeline takes in, whatever a check is about.

use std::sync::Arc;

use crate::base::error::Result;
use crate::base::memory;
use crate::device::context::Context;
use crate::engine::gpu::scene::SceneAtRest;
use crate::engine::prepared::{Memory, PreparedScene};
use crate::engine::query::Subject;
use crate::frame::slots::BOXES;
use crate::geometry::bounds::{BOUNDS, Bounds};
use crate::shapes::bodies::set::KINDS;
use crate::shapes::kind::Shape;

/// The records that are uploaded, as the device gets them: parts that follow one another.
pub(super) fn bytes_of<'a>(subject: Subject<'a>) -> [&'a [u8]; KINDS] {
    subject.records().bytes()
}

/// Records of the buffer of boxes that so many of a shape take.
pub(super) fn uploaded(shape: Shape, count: usize) -> usize {
    (shape.record_bytes() * count as u64).div_ceil(BOXES.record) as usize
}

/// An error that names the first of them that is not valid, if any is.
pub(super) fn validate(subject: Subject<'_>) -> Result<()> {
    subject.records().validate()
}

/// Their bounds, if they are valid, wider by `margin` of each on every side.
pub(super) fn bounds_of(subject: Subject<'_>, margin: impl Fn(u32) -> f32 + Sync + Send) -> Result<Vec<Bounds>> {
    let mut bounds = memory::zeroed(subject.records().len(), BOUNDS)?;
    let () = subject.records().bounds(margin, &mut bounds)?;
    Ok(bounds)
}

impl PreparedScene {
    /// The scene on the device of this context, or an error if it is elsewhere.
    pub(super) fn on_device(&self, context: &Context) -> Result<&SceneAtRest> {
        match &self.memory {
            Memory::Device(scene) if Arc::ptr_eq(&scene.context, &context.identity) => Ok(scene),
            _ => Err(self.foreign()),
        }
    }
}
