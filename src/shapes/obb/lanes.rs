//! Oriented boxes in the lanes of `f32` vectors: four, or as many as the machine has lanes.

use crate::base::arrays::Mapped;
use fearless_simd::prelude::*;
use wide::f32x4;

use crate::base::lanes::{Simd, axes};
use crate::base::problem::COORDINATE_LIMIT;
use crate::shapes::obb::record::{Obb, rotation_length_squared_range};

/// The lanes of four boxes.
pub(crate) const LANES: usize = 4;

/// Four boxes, one per lane.
pub(crate) struct FourBoxes {
    pub rotation: [f32x4; 4],
    pub center: [f32x4; 3],
    pub half: [f32x4; 3],
}

/// Boxes, one per lane of the machine's vectors.
pub(crate) struct BoxLanes<S: Simd> {
    pub rotation: [S::f32s; 4],
    pub center: [S::f32s; 3],
    pub half: [S::f32s; 3],
}

impl FourBoxes {
    #[inline(always)]
    pub fn load(boxes: [&Obb; LANES]) -> Self {
        // A record is three vectors: the quaternion; the center and half x; half y, half z and the
        // groups.
        Self::of_rows(boxes.mapped(|record| bytemuck::cast(*record)))
    }

    /// Four records with the layout of boxes.
    #[inline(always)]
    pub fn of_rows(rows: [[f32x4; 3]; LANES]) -> Self {
        let column = |k: usize| f32x4::transpose(rows.mapped(|row| row[k]));
        let [x, y, z, half_x] = column(1);
        let [half_y, half_z, ..] = column(2);
        Self {
            rotation: column(0),
            center: [x, y, z],
            half: [half_x, half_y, half_z],
        }
    }
}

impl<S: Simd> BoxLanes<S> {
    /// Gathers the box of each lane, and the groups of all: memberships and filters.
    #[inline(always)]
    pub fn gather<'a>(simd: S, record: impl Fn(usize) -> &'a Obb) -> (Self, [S::u32s; 2]) {
        let mut fields = [S::f32s::splat(simd, 0.0); 12];
        for first in (0..S::f32s::LEN).step_by(4) {
            let records: [&[[f32; 4]; 3]; 4] =
                [0, 1, 2, 3].mapped(|lane| bytemuck::cast_ref::<Obb, _>(record(first + lane)));
            // A record is three rows: the quaternion; the center and half x; half y, half z and the
            // groups.
            for row in 0..3 {
                let rows = transposed(
                    simd,
                    [records[0][row], records[1][row], records[2][row], records[3][row]],
                );
                for (k, values) in rows.iter().enumerate() {
                    fields[4 * row + k].as_mut_slice()[first..first + 4].copy_from_slice(values.as_slice());
                }
            }
        }
        let [x, y, z, w, c_x, c_y, c_z, h_x, h_y, h_z, memberships, filter] = fields;
        let boxes = Self {
            rotation: [x, y, z, w],
            center: [c_x, c_y, c_z],
            half: [h_x, h_y, h_z],
        };
        (boxes, [memberships.bitcast(), filter.bitcast()])
    }

    /// Gathers up to as many boxes as there are lanes. Missing boxes are copies of the last.
    #[inline(always)]
    pub fn load(simd: S, boxes: &[Obb]) -> Self {
        if boxes.len() == S::f32s::LEN {
            return Self::gather(simd, |lane| &boxes[lane]).0;
        }
        let last = boxes.len() - 1;
        Self::gather(simd, |lane| &boxes[lane.min(last)]).0
    }

    /// Returns a mask of the boxes that certainly have no [problem](Obb::problem).
    #[inline(always)]
    pub fn are_valid(&self) -> S::mask32s {
        // The order of roundings of the length differs from that in `problem`.
        const ROUNDING: f32 = 1e-6;
        let (lowest, highest) = rotation_length_squared_range();
        let [x, y, z, w] = self.rotation;
        let length = x * x + y * y + z * z + w * w;
        let within = axes!(|i| {
            self.center[i].abs().simd_le(COORDINATE_LIMIT)
                & self.half[i].simd_le(COORDINATE_LIMIT)
                & self.half[i].simd_ge(0.0)
        });
        // A comparison with NaN is false.
        within[0] & within[1] & within[2] & length.simd_ge(lowest + ROUNDING) & length.simd_le(highest - ROUNDING)
    }

    /// Returns a mask of the boxes that are rotated about z only.
    #[inline(always)]
    pub fn are_upright(&self) -> S::mask32s {
        self.rotation[0].simd_eq(0.0) & self.rotation[1].simd_eq(0.0)
    }
}

/// Transposes four rows of four.
#[inline(always)]
pub(crate) fn transposed<S: Simd>(simd: S, rows: [[f32; 4]; 4]) -> [fearless_simd::f32x4<S>; 4] {
    let row = [
        fearless_simd::f32x4::simd_from(simd, rows[0]),
        fearless_simd::f32x4::simd_from(simd, rows[1]),
        fearless_simd::f32x4::simd_from(simd, rows[2]),
        fearless_simd::f32x4::simd_from(simd, rows[3]),
    ];
    let (ac, bd) = (row[0].zip_low(row[2]), row[1].zip_low(row[3]));
    let (ac_high, bd_high) = (row[0].zip_high(row[2]), row[1].zip_high(row[3]));
    [
        ac.zip_low(bd),
        ac.zip_high(bd),
        ac_high.zip_low(bd_high),
        ac_high.zip_high(bd_high),
    ]
}
