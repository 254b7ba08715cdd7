//! A room in the form used for computing.

use glam::{DMat3, DVec3, Vec3};

use crate::geometry::rotation::dmat3;
use crate::regions::room::Room;

/// The room in the form used for computing: rounded to f64.
pub(crate) struct Frame {
    /// The room's unit axes in the world, as columns.
    pub axes: DMat3,
    pub center: DVec3,
    pub half_extents: DVec3,
}

impl Frame {
    pub fn new(room: &Room) -> Self {
        // Half an f32 is an f64, and so is the sum of two halves unless one is far larger; see
        // `enclosure_cpu.rs`.
        let half_sum = |[u, v]: [Vec3; 2]| (u.as_dvec3() + v.as_dvec3()) / 2.0;
        let (matrix, length_squared) = dmat3(room.rotation.as_dquat());
        Self {
            axes: DMat3::from_cols(
                matrix.x_axis / length_squared,
                matrix.y_axis / length_squared,
                matrix.z_axis / length_squared,
            ),
            center: half_sum(room.center),
            half_extents: half_sum(room.half_extents),
        }
    }
}
