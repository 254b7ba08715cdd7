//! What a frame on the GPU is about.

use crate::base::config::Config;
use crate::engine::gpu::limits::words_of_candidate;
use crate::engine::gpu::records::only_kind;
use crate::engine::gpu::scene::SceneAtRest;
use crate::geometry::bounds::half_margin;
use crate::geometry::rounding::above;
use crate::narrow_phase::table::kernels::{NarrowPhase, narrow_phase};
use crate::shapes::bodies::set::{KINDS, Kind};
use crate::shapes::kind::Shape;
use crate::shapes::triangle::set::Neighbours;

/// What a frame is about.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct FrameSubject {
    pub shape: Shape,
    /// How many records there are of each kind.
    pub counts: [u64; KINDS],
    /// What the boxes are checked against, if they are movers.
    pub at_rest: Option<SceneAtRest>,
    /// The list of rules about the boxes, if there are any about them or about what they are checked against.
    pub rules: Option<wgpu::Buffer>,
    /// Whether the rules put boxes into several worlds or layers.
    pub worlds: bool,
    /// Whether the rules are to be asked about pairs.
    pub asks: bool,
    /// Whether boxes have margins of their own.
    pub own_margins: bool,
    /// Whether some of the bodies in motion are round.
    pub rounded: bool,
    /// Which pairs of triangles with a corner in common count.
    pub neighbours: Neighbours,
}

impl FrameSubject {
    /// The kernels of its narrow phase.
    pub fn narrow_phase(&self, has_margin: bool) -> &'static NarrowPhase {
        narrow_phase(self.shape, self.only_kind(), has_margin)
    }

    /// The kind of all its bodies, unless they are of several.
    pub fn only_kind(&self) -> Option<Kind> {
        only_kind(self.counts_of_a(), self.counts)
    }

    /// How many records there are of each kind of what a pair's `a` names.
    pub fn counts_of_a(&self) -> [u64; KINDS] {
        self.at_rest.as_ref().map_or(self.counts, |scene| scene.counts)
    }

    /// Whether candidate pairs are sorted by the kinds of their bodies.
    pub fn is_queued(&self) -> bool {
        self.narrow_phase(self.own_margins).queued
    }

    /// Words of a candidate pair.
    pub fn words_of_candidate(&self) -> u64 {
        words_of_candidate(self.own_margins, self.is_queued())
    }

    /// How many records there are.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Bytes of the records.
    pub fn bytes(&self) -> u64 {
        self.shape.bytes_of(self.counts)
    }

    /// What bounds are widened by, beside the margins of their own. Movers take all of the margin: the scene they are
    /// checked against is prepared without one.
    pub fn half_margin(&self, config: &Config) -> f32 {
        match &self.at_rest {
            None => half_margin(above(config.margin)),
            Some(scene) => half_margin(2.0 * (above(config.margin) + scene.largest_margin)),
        }
    }
}
