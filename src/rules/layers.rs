//! Broad-phase layers: a walk looks for partners only in layers that its own may meet. `kinds.rs` says which bodies make a layer.
//!
//! Layers may have forbidden pairs, so the rules are asked about every pair that is found, unless the layers settle what they say.

use crate::base::error::Result;
use crate::base::parallel;

/// The most layers.
pub(crate) const MAX_LAYERS: usize = 4;
/// Bits of the number of a layer.
pub(crate) const LAYER_BITS: u32 = MAX_LAYERS.ilog2();

/// What memory is for.
pub(super) const LAYERS: &str = "the layers of bodies";

/// The memberships and the filter in the record of a body, if records have these.
pub(crate) type GroupsOf<'a> = dyn Fn(u32) -> Option<[u32; 2]> + Sync + 'a;

/// The layers of bodies. The fewer bodies a layer has, the lower its number: of two layers in one place the lower one walks on the
/// CPU, and the higher one on a GPU.
///
/// There are none by default: all bodies are in one, and meet each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layers {
    /// By position of the body. Empty if all are in layer 0.
    pub(super) of: Vec<u8>,
    /// For each layer those that it meets, a bit each.
    pub(super) meets: [u8; MAX_LAYERS],
    pub(super) count: u32,
    /// Whether the rules about classes allow all pairs of layers that meet.
    pub(super) settle_classes: bool,
}

impl Layers {
    /// Those of some of the bodies.
    pub fn of_part(&self, ids: &[u32]) -> Result<Self> {
        let of = match self.of.len() {
            0 => Vec::new(),
            _ => parallel::collect(ids.len(), LAYERS, |k| self.of[ids[k] as usize])?,
        };
        Ok(Self { of, ..*self })
    }

    /// The layer of each body; empty if all are in one.
    #[cfg(feature = "gpu")]
    pub fn of(&self) -> &[u8] {
        &self.of
    }

    /// Whether there are any: else all bodies may meet.
    pub fn any(&self) -> bool {
        self.count > 0
    }

    /// Whether the rules about classes allow all pairs of layers that meet, so that no pair that is found need be asked about.
    pub fn settle_classes(&self) -> bool {
        self.settle_classes
    }

    /// How many there are; 0 if there are none.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The layer of a body.
    #[inline]
    pub fn layer(&self, id: u32) -> u32 {
        self.of.get(id as usize).map_or(0, |&layer| u32::from(layer))
    }

    /// The layers that a layer meets, a bit each.
    #[inline]
    pub fn met_by(&self, layer: u32) -> u8 {
        match self.any() {
            true => self.meets[layer as usize],
            false => 1,
        }
    }

    /// Whether bodies of two layers may meet.
    #[inline]
    pub fn meet(&self, layer: usize, other: usize) -> bool {
        self.met_by(layer as u32) >> other & 1 > 0
    }

    /// Whether no layer meets itself: then some bodies walk, and others are walked to.
    pub fn part_all(&self) -> bool {
        self.any() && (0..self.count as usize).all(|layer| !self.meet(layer, layer))
    }

    /// The bits of all layers, [`MAX_LAYERS`] for each layer: those that it meets.
    #[cfg(feature = "gpu")]
    pub fn matrix(&self) -> u32 {
        let row = |(layer, &meets): (usize, &u8)| u32::from(meets) << (layer * MAX_LAYERS);
        self.meets.iter().enumerate().map(row).sum()
    }
}
