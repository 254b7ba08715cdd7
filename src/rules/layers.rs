//! Broad-phase layers: a walk looks for partners only in layers that its own may meet. `kinds.rs`
//! divides bodies into layers.
//!
//! Layers that meet may contain forbidden pairs, so the rules are applied to every pair found,
//! unless the layers settle them.

use crate::base::error::Result;
use crate::base::parallel;
use crate::geometry::scene_stats;

/// The most layers.
pub(crate) const MAX_LAYERS: usize = scene_stats::MAX_LAYERS;
/// Bits of the number of a layer.
pub(crate) const LAYER_BITS: u32 = MAX_LAYERS.ilog2();

/// Label for out-of-memory errors.
pub(super) const LAYERS: &str = "the layers of bodies";

/// Returns the memberships and the filter in the record of a body, if records have these.
pub(crate) type GroupsOf<'a> = dyn Fn(u32) -> Option<[u32; 2]> + Sync + 'a;

/// The layers of bodies. They are numbered by ascending number of bodies: if two layers are in one
/// place, the lower one walks on the CPU, and the higher one on a GPU.
///
/// By default there are none: all bodies are together, and meet each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layers {
    /// The layer of each body, by position. Empty if all are in layer 0.
    pub(super) of: Vec<u8>,
    /// For each layer the layers that it meets, one bit each.
    pub(super) meets: [u8; MAX_LAYERS],
    pub(super) count: u32,
    /// Set if the rules about classes allow all pairs of layers that meet.
    pub(super) settle_classes: bool,
}

impl Layers {
    /// Returns the layers of some of the bodies.
    pub fn of_part(&self, ids: &[u32]) -> Result<Self> {
        let of = match self.of.len() {
            0 => Vec::new(),
            _ => parallel::collect(ids.len(), LAYERS, |k| self.of[ids[k] as usize])?,
        };
        Ok(Self { of, ..*self })
    }

    /// Returns the layer of each body. Empty if all are in one.
    #[cfg(feature = "gpu")]
    pub fn of(&self) -> &[u8] {
        &self.of
    }

    /// Returns `true` if there are any layers. Otherwise all bodies may meet.
    pub fn any(&self) -> bool {
        self.count > 0
    }

    /// Returns `true` if the rules about classes allow all pairs of layers that meet, so that they
    /// need not be applied to the pairs found.
    pub fn settle_classes(&self) -> bool {
        self.settle_classes
    }

    /// Returns the number of layers; 0 if there are none.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Returns the layer of a body.
    #[inline]
    pub fn layer(&self, id: u32) -> u32 {
        self.of.get(id as usize).map_or(0, |&layer| u32::from(layer))
    }

    /// Returns the layers that a layer meets, one bit each.
    #[inline]
    pub fn met_by(&self, layer: u32) -> u8 {
        match self.any() {
            true => self.meets[layer as usize],
            false => 1,
        }
    }

    /// Returns `true` if bodies of the two layers may meet.
    #[inline]
    pub fn meet(&self, layer: usize, other: usize) -> bool {
        self.met_by(layer as u32) >> other & 1 > 0
    }

    /// Returns `true` if no layer meets itself. Some bodies then walk, and the others are only
    /// found.
    pub fn part_all(&self) -> bool {
        self.any() && (0..self.count as usize).all(|layer| !self.meet(layer, layer))
    }

    /// Returns the bits of all layers, [`MAX_LAYERS`] for each layer: those that it meets.
    #[cfg(feature = "gpu")]
    pub fn matrix(&self) -> u32 {
        let row = |(layer, &meets): (usize, &u8)| u32::from(meets) << (layer * MAX_LAYERS);
        self.meets.iter().enumerate().map(row).sum()
    }
}
