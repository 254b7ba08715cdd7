//! Pairs of oriented boxes in the lanes of `f32` vectors, four pairs at a time.

use wide::f32x4;

use crate::shapes::obb::record::Obb;

/// Pairs tested at a time.
pub(super) const LANES: usize = 4;

/// Answers for several pairs, one bit each. A pair in neither is undecided.
pub(super) struct Masks {
    pub separated: u32,
    pub overlapping: u32,
}

/// Boxes, one per lane.
pub(super) struct BoxLanes {
    pub rotation: [f32x4; 4],
    pub center: [f32x4; 3],
    pub half: [f32x4; 3],
}

impl BoxLanes {
    #[inline(always)]
    pub fn load(boxes: [&Obb; LANES]) -> Self {
        // A record is three vectors: the quaternion; the center and half x; half y, half z and the groups.
        let rows: [[f32x4; 3]; LANES] = boxes.map(|record| bytemuck::cast(*record));
        let column = |k: usize| f32x4::transpose(rows.map(|row| row[k]));
        let [x, y, z, half_x] = column(1);
        let [half_y, half_z, ..] = column(2);
        Self {
            rotation: column(0),
            center: [x, y, z],
            half: [half_x, half_y, half_z],
        }
    }

    /// Zero, of either sign, if both boxes are turned about z only.
    #[inline(always)]
    pub fn tilt(&self, other: &Self) -> f32x4 {
        self.rotation[0] | self.rotation[1] | other.rotation[0] | other.rotation[1]
    }
}

/// Calls `term` for the three axes.
#[inline(always)]
pub(super) fn axes(term: impl FnMut(usize) -> f32x4) -> [f32x4; 3] {
    std::array::from_fn(term)
}
