//! Triangles in the lanes of the machine's `f32` vectors.

use bytemuck::cast_ref;
use fearless_simd::prelude::*;

use crate::base::lanes::Simd;
use crate::shapes::obb::lanes::transposed;
use crate::shapes::triangle::record::Triangle;

/// Triangles, one per lane: the coordinates of their corners.
pub(crate) struct TriangleLanes<S: Simd> {
    pub corners: [[S::f32s; 3]; 3],
}

impl<S: Simd> TriangleLanes<S> {
    /// Gathers the triangle of each lane.
    #[inline(always)]
    pub fn gather<'a>(simd: S, triangle: impl Fn(usize) -> &'a Triangle) -> Self {
        let mut fields = [S::f32s::splat(simd, 0.0); 9];
        for first in (0..S::f32s::LEN).step_by(4) {
            let numbers: [&[f32; 9]; 4] = [
                cast_ref(triangle(first)),
                cast_ref(triangle(first + 1)),
                cast_ref(triangle(first + 2)),
                cast_ref(triangle(first + 3)),
            ];
            for row in [0, 4] {
                let four = |k: usize| {
                    [
                        numbers[k][row],
                        numbers[k][row + 1],
                        numbers[k][row + 2],
                        numbers[k][row + 3],
                    ]
                };
                let columns = transposed(simd, [four(0), four(1), four(2), four(3)]);
                for (k, values) in columns.iter().enumerate() {
                    fields[row + k].as_mut_slice()[first..first + 4].copy_from_slice(values.as_slice());
                }
            }
            let last = [numbers[0][8], numbers[1][8], numbers[2][8], numbers[3][8]];
            fields[8].as_mut_slice()[first..first + 4].copy_from_slice(&last);
        }
        let [a_x, a_y, a_z, b_x, b_y, b_z, c_x, c_y, c_z] = fields;
        Self {
            corners: [[a_x, a_y, a_z], [b_x, b_y, b_z], [c_x, c_y, c_z]],
        }
    }
}
