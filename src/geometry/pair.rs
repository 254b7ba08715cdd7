//! Pairs of boxes, named by their positions.

use bytemuck::{Pod, Zeroable};

use crate::base::error::{Error, Result};
use crate::base::shader::shader;

/// The most boxes a check can number.
pub const MAX_BOXES: usize = u32::MAX as usize - 1;

/// Two boxes that collide, as positions in the caller's slices.
///
/// - Within one set, `a < b`.
/// - Of two sets ([`Query::between`](crate::Query::between)), `a` is the position in the first set
///   and `b` that in the second; either may be the larger, and they may be equal.
/// - Of a scene at rest and movers ([`Query::against`](crate::Query::against)), `a` is the position
///   in the scene and `b` that among the movers, likewise.
/// - In a [`TrackedFrame`](crate::tracking::TrackedFrame), both are ids, and `a < b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[repr(C)]
pub struct Pair {
    /// The smaller position, the one in the first set, or that of the box at rest.
    pub a: u32,
    /// The larger position, the one in the second set, or that of the mover.
    pub b: u32,
}

impl Pair {
    /// The record in WGSL, to be prepended to a shader that reads pairs; see
    /// [`gpu`](crate::gpu#records-in-your-shaders).
    pub const WGSL: &'static str = shader!("shared/pair.wgsl");

    /// Creates the pair of two different boxes of one set, given in either order.
    pub const fn new(i: u32, j: u32) -> Self {
        if i < j {
            Self { a: i, b: j }
        } else {
            Self { a: j, b: i }
        }
    }

    /// Packs `a` and `b` into one number that sorts like the pair.
    pub const fn key(self) -> u64 {
        (self.a as u64) << 32 | self.b as u64
    }
}

/// Returns an error if a pair names a box at position `boxes` or above.
pub(crate) fn validate_pairs(boxes: usize, pairs: &[Pair]) -> Result<()> {
    let named = |pair: &Pair| pair.a.max(pair.b);
    match pairs.iter().position(|pair| named(pair) as usize >= boxes) {
        Some(index) => Err(Error::InvalidPair {
            index,
            named: named(&pairs[index]),
            boxes,
        }),
        None => Ok(()),
    }
}

/// Returns an error if a pair names a box missing from its set. The first set has `counts[0]` boxes
/// and the second `counts[1]`.
pub(crate) fn validate_pairs_of(counts: [usize; 2], pairs: &[Pair]) -> Result<()> {
    for (boxes, named) in [
        (counts[0], (|pair| pair.a) as fn(&Pair) -> u32),
        (counts[1], |pair| pair.b),
    ] {
        let missing = |pair: &Pair| named(pair) as usize >= boxes;
        if let Some(index) = pairs.iter().position(missing) {
            return Err(Error::InvalidPair {
                index,
                named: named(&pairs[index]),
                boxes,
            });
        }
    }
    Ok(())
}
