//! A frame on its way through the pipeline.

use std::ops::Range;

use crate::base::config::Config;
use crate::engine::gpu::subject::FrameSubject;
use crate::frame::counters::Counters;
use crate::frame::params::Params;

/// A frame: what it checks, where its boxes and parameters are, and how it is worked through.
pub(crate) struct Frame<'a> {
    pub subject: &'a FrameSubject,
    /// The caller's buffer of boxes, unless they are in our own.
    pub boxes: Option<&'a wgpu::Buffer>,
    pub params: Params,
    pub params_buffer: &'a wgpu::Buffer,
    pub steps: Steps,
    pub config: &'a Config,
}

/// Where a frame begins; it always runs to the end of the narrow phase.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Steps {
    /// At the bounds.
    All,
    /// At the bounds, and goes on at the narrow phase: the candidate pairs are given.
    GivenPairs,
    /// At the candidate pairs of a range of records.
    FromRange,
    /// At the narrow phase.
    NarrowOnly,
}

impl Steps {
    /// The counters that start at zero, in bytes.
    pub fn cleared(self) -> Range<u64> {
        match self {
            Self::All => 0..Counters::END,
            // The others come with the pairs.
            Self::GivenPairs => 0..Counters::OF_RANGE,
            Self::FromRange => Counters::OF_RANGE..Counters::END,
            Self::NarrowOnly => Counters::OF_NARROW..Counters::END,
        }
    }
}
