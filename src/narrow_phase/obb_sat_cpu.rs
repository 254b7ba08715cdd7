//! Twin of `shaders/obb_sat.wgsl`: the separating-axis test in f32 with three answers. The formulas are in the module above.

use glam::{Mat3, Quat, Vec3, Vec4};

use super::{ERROR_FACTOR, FLUSH_ERROR_F32, KAPPA};
use crate::{Obb, Precision};

/// `K u`, see [`ERROR_FACTOR`].
pub(crate) const ERROR_PER_SIZE: f32 = ERROR_FACTOR as f32 / (1u32 << 24) as f32;
/// Edges at a larger angle than this sine are not taken as nearly parallel.
pub(crate) const LARGEST_SINE: f32 = 0.5;

/// What f32 can tell about a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The boxes share no point.
    Separated,
    /// The boxes share interior points.
    Overlapping,
    /// Rounding may have changed the answer.
    Undecided,
}

/// What the nine edge axes have in common.
struct EdgeTest {
    t: Vec3,
    g_a: Vec3,
    face: f32,
    size: f32,
    error: f32,
}

impl EdgeTest {
    /// The axes of one edge of B with the three of A, from a column of C and the radius that the other edges of B add.
    #[inline(always)]
    fn edge_axes(&self, column: Vec3, radius_b: Vec3) -> Verdict {
        let column_abs = column.abs();
        let edge = (zxy(self.t) * yzx(column) - yzx(self.t) * zxy(column)).abs()
            - (yzx(self.g_a) * zxy(column_abs) + zxy(self.g_a) * yzx(column_abs) + radius_b);
        if edge.max_element() > self.error {
            return Verdict::Separated;
        }
        let sine = yzx(column_abs) + zxy(column_abs);
        let parallel = sine.cmplt(Vec3::splat(LARGEST_SINE))
            & Vec3::splat(self.face).cmplt(-(KAPPA as f32 * self.size * sine + Vec3::splat(2.0 * self.error)));
        if (edge.cmplt(Vec3::splat(-self.error)) | parallel).all() {
            Verdict::Overlapping
        } else {
            Verdict::Undecided
        }
    }
}

/// Tests one pair, whatever its groups. Only [`Precision::Exact`] leaves pairs undecided; the others settle them here.
#[inline]
pub(crate) fn obb_sat(a: &Obb, b: &Obb, precision: Precision) -> Verdict {
    let d = b.center - a.center;
    let (qa, qb) = (Vec4::from(a.rotation), Vec4::from(b.rotation));
    let n = qa.dot(qa);
    let t = matrix(a.rotation).transpose() * d;
    let g_a = n * a.half_extents;
    let g_b = n * b.half_extents;
    let (va, vb) = (qa.truncate(), qb.truncate());
    let r = (qa.w * vb - qb.w * va - va.cross(vb)).extend(qa.dot(qb));
    let c = matrix(Quat::from_vec4(r));
    let (x, y, z) = (c.x_axis.abs(), c.y_axis.abs(), c.z_axis.abs());
    let s = r.dot(r);
    let size = t.abs().element_sum() + g_a.element_sum() + g_b.element_sum();
    let error = ERROR_PER_SIZE * size + FLUSH_ERROR_F32;

    let face_a = s * (t.abs() - g_a) - (x * g_b.x + y * g_b.y + z * g_b.z);
    if face_a.max_element() > error {
        return Verdict::Separated;
    }
    let face_b = (c.transpose() * t).abs() - s * g_b - Vec3::new(x.dot(g_a), y.dot(g_a), z.dot(g_a));
    let face = face_a.max_element().max(face_b.max_element());
    if face > error {
        return Verdict::Separated;
    }

    let test = EdgeTest {
        t,
        g_a,
        face,
        size,
        error,
    };
    let mut overlapping = face < -error;
    for (column, radius_b) in [
        (c.x_axis, g_b.y * z + g_b.z * y),
        (c.y_axis, g_b.z * x + g_b.x * z),
        (c.z_axis, g_b.x * y + g_b.y * x),
    ] {
        match test.edge_axes(column, radius_b) {
            Verdict::Separated => return Verdict::Separated,
            Verdict::Overlapping => {}
            Verdict::Undecided => overlapping = false,
        }
    }
    match precision {
        _ if overlapping => Verdict::Overlapping,
        Precision::Exact => Verdict::Undecided,
        // Faces decide by their sign; edges only where rounding cannot have made their axis separate.
        Precision::Fast if face > 0.0 => Verdict::Separated,
        Precision::Fast | Precision::Conservative => Verdict::Overlapping,
    }
}

fn yzx(v: Vec3) -> Vec3 {
    Vec3::new(v.y, v.z, v.x)
}

fn zxy(v: Vec3) -> Vec3 {
    Vec3::new(v.z, v.x, v.y)
}

/// The quaternion's matrix with homogeneous diagonal: the rotation times `|q|^2`.
fn matrix(q: Quat) -> Mat3 {
    let (xx, yy, zz, ww) = (q.x * q.x, q.y * q.y, q.z * q.z, q.w * q.w);
    Mat3::from_cols(
        Vec3::new(
            ww + xx - yy - zz,
            2.0 * (q.x * q.y + q.w * q.z),
            2.0 * (q.x * q.z - q.w * q.y),
        ),
        Vec3::new(
            2.0 * (q.x * q.y - q.w * q.z),
            ww - xx + yy - zz,
            2.0 * (q.y * q.z + q.w * q.x),
        ),
        Vec3::new(
            2.0 * (q.x * q.z + q.w * q.y),
            2.0 * (q.y * q.z - q.w * q.x),
            ww - xx - yy + zz,
        ),
    )
}
