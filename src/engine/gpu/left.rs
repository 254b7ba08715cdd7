//! The buffers and pairs that a check leaves, for code that draws them on the device.

use crate::base::config::Output;
use crate::base::error::Result;
use crate::base::memory;
use crate::engine::findings::Findings;
use crate::engine::gpu::input::bytes_of;
use crate::engine::gpu::pipeline::Pipeline;
use crate::engine::query::resolved::{Resolved, Subject};
use crate::frame::slots::{BOXES, PAIRS};
use crate::geometry::kinds::KINDS;
use crate::geometry::pair::Pair;

/// The records and the pairs of the last check of one set, and the pairs that are not on the
/// device.
///
/// The next check overwrites the buffers, or replaces them by larger ones; these stay valid.
#[derive(Clone, Debug)]
pub struct Left {
    /// The records that were checked, in the layout of a recorded frame's.
    pub records: wgpu::Buffer,
    /// The number of bodies of each kind; other records are counted as the first.
    pub counts: [u64; KINDS],
    /// The factor by which the lengths of the records are larger than those of the caller: 1, or a
    /// power of two if these are tiny.
    pub scale: f64,
    /// Pairs that overlap, as two `u32` each, in any order.
    pub pairs: wgpu::Buffer,
    /// The number of those pairs.
    pub listed: u32,
    /// The pairs that overlap and are not among those: the host has decided them, or another
    /// submission has overwritten the list. Pairs that only touch are not here if the report lists
    /// them.
    pub others: Vec<Pair>,
}

/// The buffers and pairs of the last check, if these are kept.
#[derive(Default)]
pub(super) struct Leavings {
    pub are_kept: bool,
    pub left: Option<Left>,
}

impl Left {
    /// Returns what a check of bodies or triangles with these findings, which are not sorted yet,
    /// has left. `None` if that is not all there.
    pub(super) fn of(pipeline: &Pipeline, query: &Resolved<'_>, results: &Findings<'_>) -> Result<Option<Self>> {
        let is_listed = results.output == Output::Pairs && results.visit.is_none();
        let is_whole = is_listed && results.pairs.len() as u64 == results.colliding_pairs;
        let records = pipeline.arena.buffer(&BOXES)?;
        let bytes: usize = bytes_of(query.subject).iter().map(|part| part.len()).sum();
        let is_one_set = matches!(query.subject, Subject::Set(_)) && query.subject.sets().is_some();
        let (Some(listed), true) = (results.listed, is_whole && is_one_set && bytes as u64 <= records.size()) else {
            return Ok(None);
        };
        // Both lists have the touching pairs in the order in which they were decided.
        let mut touching = results.touching.iter().peekable();
        let mut others = Vec::new();
        for pair in &results.pairs[listed as usize..] {
            if touching.next_if_eq(&pair).is_none() {
                memory::push(&mut others, *pair, "the pairs that are not on the device")?;
            }
        }
        Ok(Some(Self {
            records: records.clone(),
            counts: query.subject.records().counts(),
            scale: query.scale,
            pairs: pipeline.arena.buffer(&PAIRS)?.clone(),
            listed,
            others,
        }))
    }
}
