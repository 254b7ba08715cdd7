//! Spheres in the lanes of the machine's `f32` vectors.

use bytemuck::cast;
use fearless_simd::prelude::*;

use crate::base::lanes::Simd;
use crate::shapes::obb::lanes::transposed;
use crate::shapes::round::sphere::Sphere;

/// Spheres, one per lane.
pub(crate) struct BallLanes<S: Simd> {
    pub center: [S::f32s; 3],
    pub radius: S::f32s,
}

impl<S: Simd> BallLanes<S> {
    /// Gathers the sphere of each lane.
    #[inline(always)]
    pub fn gather(simd: S, ball: impl Fn(usize) -> Sphere) -> Self {
        let mut fields = [S::f32s::splat(simd, 0.0); 4];
        for first in (0..S::f32s::LEN).step_by(4) {
            let rows: [[f32; 4]; 4] = [
                cast(ball(first)),
                cast(ball(first + 1)),
                cast(ball(first + 2)),
                cast(ball(first + 3)),
            ];
            for (field, values) in fields.iter_mut().zip(transposed(simd, rows)) {
                field.as_mut_slice()[first..first + 4].copy_from_slice(values.as_slice());
            }
        }
        let [x, y, z, radius] = fields;
        Self {
            center: [x, y, z],
            radius,
        }
    }
}
