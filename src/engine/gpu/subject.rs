//! The subject of a frame on the GPU.

use crate::base::config::Config;
use crate::engine::gpu::images::ListedImages;
use crate::engine::gpu::limits::words_of_candidate;
use crate::engine::gpu::records::{bound, only_kind};
use crate::engine::gpu::scene::SceneAtRest;
use crate::frame::slots::UNIT_BYTES;
use crate::geometry::bounds::half_margin;
use crate::geometry::kinds::KINDS;
use crate::geometry::rounding::above;
use crate::narrow_phase::table::kernels::{NarrowPhase, narrow_phase};
use crate::shapes::bodies::set::Kind;
use crate::shapes::kind::Shape;
use crate::shapes::triangle::set::Neighbours;

/// The subject of a frame: its records and their rules.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct FrameSubject {
    pub shape: Shape,
    /// The number of records of each kind.
    pub counts: [u64; KINDS],
    /// The scene that the boxes are checked against, if they are movers.
    pub at_rest: Option<SceneAtRest>,
    /// The list of rules for the boxes, if there are any for them or for the scene.
    pub rules: Option<wgpu::Buffer>,
    /// Set if the rules divide boxes into several worlds, and into layers.
    pub worlds: bool,
    pub layers: bool,
    /// Set if the rules must be applied to pairs.
    pub asks: bool,
    /// Set if boxes have their own margins.
    pub own_margins: bool,
    /// Set if some of the moving bodies are round.
    pub rounded: bool,
    /// The images that follow the bodies.
    pub images: Option<ListedImages>,
    /// The pairs of triangles with a common corner that count.
    pub neighbours: Neighbours,
}

impl FrameSubject {
    /// Returns the kernels of its narrow phase.
    pub fn narrow_phase(&self, has_margin: bool) -> &'static NarrowPhase {
        narrow_phase(self.shape, self.only_kind(), has_margin)
    }

    /// Returns the kind of all bodies, or `None` if there are several kinds.
    pub fn only_kind(&self) -> Option<Kind> {
        only_kind(self.counts_of_a(), self.counts)
    }

    /// Returns the number of records of each kind that `a` of a pair may refer to.
    pub fn counts_of_a(&self) -> [u64; KINDS] {
        self.at_rest.as_ref().map_or(self.counts, |scene| scene.counts)
    }

    /// Returns `true` if candidate pairs are sorted by the kinds of their bodies.
    pub fn is_queued(&self) -> bool {
        self.narrow_phase(self.own_margins).queued
    }

    /// Returns the number of words of a candidate pair.
    pub fn words_of_candidate(&self) -> u64 {
        words_of_candidate(self.own_margins, self.is_queued())
    }

    /// Returns the number of records.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the size of the records in bytes.
    pub fn bytes(&self) -> u64 {
        self.shape.bytes_of(self.counts)
    }

    /// Returns the number of bytes of a caller's buffer that are bound.
    pub fn bound(&self) -> u64 {
        let bodies = bound(self.shape, self.only_kind(), self.counts);
        let end = |images: &ListedImages| (u64::from(images.unit) + u64::from(images.units)) * UNIT_BYTES;
        bodies.max(self.images.as_ref().map_or(0, end))
    }

    /// Returns the amount by which bounds are widened in addition to their own margins. Movers are
    /// widened by the whole margin, because the scene they are checked against is prepared without
    /// one.
    pub fn half_margin(&self, config: &Config) -> f32 {
        match &self.at_rest {
            None => half_margin(above(config.margin)),
            Some(scene) => half_margin(2.0 * (above(config.margin) + scene.largest_margin)),
        }
    }
}
