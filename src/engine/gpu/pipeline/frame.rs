//! The frame that the pipeline processes.

use std::ops::Range;

use crate::base::config::Config;
use crate::device::dispatch::DeviceSizes;
use crate::engine::gpu::subject::FrameSubject;
use crate::frame::counters::Counters;
use crate::frame::params::Params;
use crate::frame::visitor::FrameVisitor;

/// A frame: its subject, the location of its boxes and parameters, and its steps.
pub(crate) struct Frame<'a> {
    pub subject: &'a FrameSubject,
    /// The caller's buffer of boxes, unless the boxes are in the pipeline's own buffer.
    pub boxes: Option<&'a wgpu::Buffer>,
    pub params: Params,
    pub params_buffer: &'a wgpu::Buffer,
    pub steps: Steps,
    pub config: &'a Config,
    pub on_device: OnDevice<'a>,
}

/// The parts of a recorded frame that the caller's kernels and buffers decide.
#[derive(Clone, Copy, Default)]
pub(crate) struct OnDevice<'a> {
    /// The caller's function that visits the pairs.
    pub visitor: Option<&'a FrameVisitor>,
    /// The caller's flags of active bodies.
    pub active: Option<&'a wgpu::Buffer>,
    /// The records of images, if some of the bodies may be images.
    pub images: Option<&'a wgpu::Buffer>,
    /// The sizes of dispatches, if the device computes them.
    pub sizes: Option<DeviceSizes<'a>>,
}

/// A frame to record, of the first `count` records in a buffer of the caller.
pub(crate) struct Asked<'a> {
    pub records: &'a wgpu::Buffer,
    pub count: u32,
    pub subject: &'a FrameSubject,
    /// Set to keep the order of the last frame, if it is suitable.
    pub refit: bool,
    pub visitor: Option<&'a FrameVisitor>,
    /// The caller's number of bodies, of which there are at most `count`.
    pub counted: Option<&'a wgpu::Buffer>,
    /// The caller's flags of active bodies.
    pub active: Option<&'a wgpu::Buffer>,
    /// The records of images, if some of the bodies may be images.
    pub images: Option<&'a wgpu::Buffer>,
}

/// The steps of a frame. All frames run to the end of the narrow phase.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Steps {
    /// All steps, starting with the bounds.
    All,
    /// The bounds, then the narrow phase, because the candidate pairs are given.
    GivenPairs,
    /// From the search for candidate pairs of a range of records.
    FromRange,
    /// The narrow phase only.
    NarrowOnly,
}

impl Steps {
    /// Returns the counters that start at zero, as a range of bytes.
    pub fn cleared(self) -> Range<u64> {
        match self {
            Self::All => 0..Counters::END,
            // The other counters are uploaded with the pairs.
            Self::GivenPairs => 0..Counters::OF_RANGE,
            Self::FromRange => Counters::OF_RANGE..Counters::END,
            Self::NarrowOnly => Counters::OF_NARROW..Counters::END,
        }
    }
}
