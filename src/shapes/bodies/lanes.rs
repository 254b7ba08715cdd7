//! Bodies of any kind in the lanes of the machine's `f32` vectors.

use bytemuck::Zeroable;
use fearless_simd::prelude::*;

use crate::base::lanes::Simd;
use crate::shapes::bodies::slot::Slot;
use crate::shapes::obb::lanes::BoxLanes;

/// The maximum number of lanes of any machine.
const MOST_LANES: usize = 16;

/// Gathers the two bodies of each lane, and a mask of the lanes whose groups allow the pair.
#[inline(always)]
pub(crate) fn gather_slots<S: Simd>(
    simd: S,
    bodies: impl Fn(usize) -> [Slot; 2],
) -> (BoxLanes<S>, BoxLanes<S>, S::mask32s) {
    let mut slots = [[Slot::zeroed(); 2]; MOST_LANES];
    for (lane, place) in slots[..S::f32s::LEN].iter_mut().enumerate() {
        *place = bodies(lane);
    }
    let (a, groups_a) = BoxLanes::gather(simd, |lane| slots[lane][0].record());
    let (b, groups_b) = BoxLanes::gather(simd, |lane| slots[lane][1].record());
    let miss = (groups_a[0] & groups_b[1]).simd_eq(0) | (groups_b[0] & groups_a[1]).simd_eq(0);
    (a, b, !miss)
}
