//! Oriented boxes in the lanes of `f32` vectors, four at a time.

use wide::f32x4;

use crate::shapes::obb::record::Obb;

/// Boxes in the lanes of a vector.
pub(crate) const LANES: usize = 4;

/// Boxes, one per lane.
pub(crate) struct BoxLanes {
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
pub(crate) fn axes(term: impl FnMut(usize) -> f32x4) -> [f32x4; 3] {
    std::array::from_fn(term)
}
