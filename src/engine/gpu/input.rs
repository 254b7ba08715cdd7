//! The input of the pipeline, for all kinds of checks.

use std::sync::Arc;

use crate::base::error::Result;
use crate::base::memory;
use crate::device::context::Context;
use crate::engine::gpu::limits::words_of_candidate;
use crate::engine::gpu::records::{only_kind, uploaded};
use crate::engine::gpu::scene::SceneAtRest;
use crate::engine::prepared::{Memory, PreparedScene};
use crate::engine::query::resolved::Subject;
use crate::frame::slots::BOXES;
use crate::geometry::bounds::{BOUNDS, Bounds};
use crate::geometry::kinds::KINDS;
use crate::narrow_phase::table::kernels::narrow_phase;
use crate::shapes::bodies::set::Kind;

/// Returns the uploaded records in the form that the device gets: parts that follow one another.
pub(super) fn bytes_of<'a>(subject: Subject<'a>) -> [&'a [u8]; KINDS] {
    subject.records().bytes()
}

impl Subject<'_> {
    /// Returns the size of the largest record in bytes.
    pub(super) fn record_bytes(self) -> u64 {
        match Kind::only(self.records().counts()) {
            Some(Kind::Ball) => Kind::Ball.record_bytes(),
            _ => self.shape().record_bytes(),
        }
    }

    /// Returns the number of records of the buffer of boxes that the subject takes, or that any
    /// part of it with `count` records takes.
    pub(super) fn uploaded(self, count: usize) -> u64 {
        let counts = self.records().counts();
        match count < self.count() {
            true => (self.record_bytes() * count as u64).div_ceil(BOXES.record),
            false => uploaded(self.shape(), counts),
        }
    }

    /// Returns the number of bodies of each kind that `a` of a pair may refer to.
    fn counts_of_a(self) -> [u64; KINDS] {
        match self {
            Self::Set(records) => records.counts(),
            Self::Movers { scene, .. } => scene.bodies().counts().map(|count| count as u64),
        }
    }

    /// Returns the number of words of a candidate pair.
    pub(super) fn words_of_candidate(self, own_margins: bool) -> u64 {
        let only = only_kind(self.counts_of_a(), self.records().counts());
        words_of_candidate(own_margins, narrow_phase(self.shape(), only, own_margins).queued)
    }
}

/// Returns an error that names the first invalid record, if there is one.
pub(super) fn validate(subject: Subject<'_>) -> Result<()> {
    subject.records().validate()
}

/// Returns the bounds of the records if they are valid, each widened by its `margin` on every side.
pub(super) fn bounds_of(subject: Subject<'_>, margin: impl Fn(u32) -> f32 + Sync + Send) -> Result<Vec<Bounds>> {
    let mut bounds = memory::zeroed(subject.records().len(), BOUNDS)?;
    let () = subject.records().bounds(margin, &mut bounds)?;
    Ok(bounds)
}

impl PreparedScene {
    /// Returns the scene on the device of this context, or an error if it is elsewhere.
    pub(super) fn on_device(&self, context: &Context) -> Result<&SceneAtRest> {
        match &self.memory {
            Memory::Device(scene) if Arc::ptr_eq(&scene.context, &context.identity) => Ok(scene),
            _ => Err(self.foreign()),
        }
    }
}
