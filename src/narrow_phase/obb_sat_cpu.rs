//! Twin of `shaders/obb_sat.wgsl`: the separating-axis test in f32 with three answers, four pairs at a time. The formulas
//! are in the module above.

use wide::f32x4;

use super::{DISTANCE_ERROR, FLUSH_ERROR_F32, KAPPA, RADIUS_ERROR};
use crate::{Obb, Pair, Precision};

/// `K_T u`, see [`DISTANCE_ERROR`], with the u of rounding to nearest, which Rust guarantees: half of the shader's.
pub(crate) const ERROR_PER_DISTANCE: f32 = DISTANCE_ERROR as f32 / (1u32 << 24) as f32;
/// `K_G u`, see [`RADIUS_ERROR`], likewise.
pub(crate) const ERROR_PER_RADIUS: f32 = RADIUS_ERROR as f32 / (1u32 << 24) as f32;
/// Edges at a larger angle than this sine are not taken as nearly parallel.
pub(crate) const LARGEST_SINE: f32 = 0.5;
/// Pairs tested at a time.
const LANES: usize = 4;

/// What f32 can tell about some pairs, a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdicts {
    /// The boxes share interior points.
    pub overlapping: u32,
    /// Rounding may have changed the answer. Only with [`Precision::Exact`]; the others settle such pairs.
    pub undecided: u32,
}

/// Tests `pairs` of a box of the first set and one of the second, which may be the same, and calls `found` with the verdicts
/// on some at a time. Pairs whose groups do not meet are in neither set of bits, as are those that are separated.
#[inline]
pub(crate) fn obb_sat(
    [boxes_a, boxes_b]: [&[Obb]; 2],
    pairs: &[Pair],
    precision: Precision,
    mut found: impl FnMut(&[Pair], Verdicts),
) {
    for chunk in pairs.chunks(LANES) {
        // A short chunk fills up with copies of its last pair, whose answers are not looked at.
        let pair = |lane: usize| chunk[lane.min(chunk.len() - 1)];
        let a: [&Obb; LANES] = std::array::from_fn(|lane| &boxes_a[pair(lane).a as usize]);
        let b: [&Obb; LANES] = std::array::from_fn(|lane| &boxes_b[pair(lane).b as usize]);
        let (lanes_a, lanes_b) = (BoxLanes::load(a), BoxLanes::load(b));
        let masks = match lanes_a.tilt(&lanes_b).simd_eq(f32x4::ZERO).all() {
            true => test_upright(&lanes_a, &lanes_b, precision),
            false => test(&lanes_a, &lanes_b, precision),
        };
        let meet = |lane: usize| u32::from(lane < chunk.len() && a[lane].groups_meet(b[lane])) << lane;
        let near = (0..LANES).map(meet).sum::<u32>() & !masks.separated;
        let verdicts = Verdicts {
            overlapping: near & masks.overlapping,
            undecided: near & !masks.overlapping,
        };
        found(chunk, verdicts);
    }
}

/// Answers for several pairs, a bit each. A pair in neither is undecided.
struct Masks {
    separated: u32,
    overlapping: u32,
}

/// Boxes, one a lane.
struct BoxLanes {
    rotation: [f32x4; 4],
    center: [f32x4; 3],
    half: [f32x4; 3],
}

impl BoxLanes {
    #[inline(always)]
    fn load(boxes: [&Obb; LANES]) -> Self {
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

    /// Zero, of either sign, where both boxes are turned about z only.
    #[inline(always)]
    fn tilt(&self, other: &Self) -> f32x4 {
        self.rotation[0] | self.rotation[1] | other.rotation[0] | other.rotation[1]
    }
}

/// The quaternion's matrix with homogeneous diagonal, the rotation times `|q|^2`, by rows; and `|q|^2`.
#[inline(always)]
fn matrix([x, y, z, w]: [f32x4; 4]) -> ([[f32x4; 3]; 3], f32x4) {
    let (xx, yy, zz, ww) = (x * x, y * y, z * z, w * w);
    let twice = |p: f32x4| p + p;
    let rows = [
        [ww + xx - yy - zz, twice(x * y - w * z), twice(x * z + w * y)],
        [twice(x * y + w * z), ww - xx + yy - zz, twice(y * z - w * x)],
        [twice(x * z - w * y), twice(y * z + w * x), ww - xx - yy + zz],
    ];
    (rows, ww + xx + yy + zz)
}

#[inline(always)]
fn largest(v: [f32x4; 3]) -> f32x4 {
    v[0].fast_max(v[1]).fast_max(v[2])
}

#[inline(always)]
fn sum(v: [f32x4; 3]) -> f32x4 {
    v[0] + v[1] + v[2]
}

/// Calls `term` for the three axes.
#[inline(always)]
fn axes(term: impl FnMut(usize) -> f32x4) -> [f32x4; 3] {
    std::array::from_fn(term)
}

/// The test of four pairs, whatever their groups.
#[inline(always)]
fn test(a: &BoxLanes, b: &BoxLanes, precision: Precision) -> Masks {
    let (rows_a, n) = matrix(a.rotation);
    let d = axes(|i| b.center[i] - a.center[i]);
    let t = axes(|i| rows_a[0][i] * d[0] + rows_a[1][i] * d[1] + rows_a[2][i] * d[2]);
    let g_a = axes(|i| n * a.half[i]);
    let g_b = axes(|i| n * b.half[i]);
    let (c, s) = matrix(relative_rotation(a.rotation, b.rotation));
    let c_abs = c.map(|row| row.map(f32x4::abs));
    let (distance, sum_a, sum_b) = (sum(t.map(f32x4::abs)), sum(g_a), sum(g_b));
    let size = distance + sum_a + sum_b;
    // The error of an axis whose radii have these extents in them.
    let error_of = |extents: f32x4| {
        distance * f32x4::splat(ERROR_PER_DISTANCE)
            + extents * f32x4::splat(ERROR_PER_RADIUS)
            + f32x4::splat(FLUSH_ERROR_F32)
    };

    let face_a = axes(|i| s * (t[i].abs() - g_a[i]) - sum(axes(|j| c_abs[i][j] * g_b[j])));
    let face_b = axes(|j| sum(axes(|i| t[i] * c[i][j])).abs() - s * g_b[j] - sum(axes(|i| c_abs[i][j] * g_a[i])));
    let face = largest(face_a).fast_max(largest(face_b));
    let error_a = axes(|i| error_of(g_a[i] + sum_b));
    let error_b = axes(|j| error_of(sum_a + g_b[j]));
    let any = |test: [f32x4; 3]| test[0] | test[1] | test[2];
    let mut separated = any(axes(|i| face_a[i].simd_gt(error_a[i]) | face_b[i].simd_gt(error_b[i])));
    if separated.all() {
        return Masks {
            separated: separated.to_bitmask(),
            overlapping: 0,
        };
    }

    let not_inside = any(axes(|i| {
        face_a[i].simd_ge(-error_a[i]) | face_b[i].simd_ge(-error_b[i])
    }));
    let mut overlapping = !not_inside;
    let error = error_of(sum_a + sum_b);
    for j in 0..3 {
        let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
        for i in 0..3 {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            let radius_a = g_a[i1] * c_abs[i2][j] + g_a[i2] * c_abs[i1][j];
            let radius_b = g_b[j1] * c_abs[i][j2] + g_b[j2] * c_abs[i][j1];
            let edge = (t[i2] * c[i1][j] - t[i1] * c[i2][j]).abs() - (radius_a + radius_b);
            separated |= edge.simd_gt(error);
            let sine = c_abs[i1][j] + c_abs[i2][j];
            let margin = f32x4::splat(KAPPA as f32) * size * sine + (error + error);
            let parallel = sine.simd_lt(f32x4::splat(LARGEST_SINE)) & face.simd_lt(-margin);
            overlapping &= edge.simd_lt(-error) | parallel;
        }
    }
    match precision {
        Precision::Exact => {}
        // Faces decide by their sign; edges only where rounding cannot have made their axis separate.
        Precision::Fast => {
            let separated = (separated | face.simd_gt(f32x4::ZERO)).to_bitmask() & !overlapping.to_bitmask();
            return Masks {
                separated,
                overlapping: !separated,
            };
        }
        Precision::Conservative => overlapping = !separated,
    }
    Masks {
        separated: separated.to_bitmask(),
        overlapping: overlapping.to_bitmask(),
    }
}

/// The test of four pairs of boxes that are turned about z only, over the five axes that they need.
// Apart, so that the loop over other pairs stays as small as it is without.
#[inline(never)]
fn test_upright(a: &BoxLanes, b: &BoxLanes, precision: Precision) -> Masks {
    let ([_, _, z_a, w_a], [_, _, z_b, w_b]) = (a.rotation, b.rotation);
    let twice = |p: f32x4| p + p;
    let (ww, zz) = (w_a * w_a, z_a * z_a);
    let (n, cosine, sine) = (ww + zz, ww - zz, twice(w_a * z_a));
    let d = axes(|i| b.center[i] - a.center[i]);
    let t = [cosine * d[0] + sine * d[1], cosine * d[1] - sine * d[0], n * d[2]];
    let g_a = axes(|i| n * a.half[i]);
    let g_b = axes(|i| n * b.half[i]);
    let (r_w, r_z) = (w_a * w_b + z_a * z_b, w_a * z_b - w_b * z_a);
    let (ww, zz) = (r_w * r_w, r_z * r_z);
    let (s, cosine, sine) = (ww + zz, ww - zz, twice(r_w * r_z));
    let (x, y) = (cosine.abs(), sine.abs());

    let of_a = [
        s * (t[0].abs() - g_a[0]) - (x * g_b[0] + y * g_b[1]),
        s * (t[1].abs() - g_a[1]) - (y * g_b[0] + x * g_b[1]),
    ];
    let of_b = [
        (t[0] * cosine + t[1] * sine).abs() - s * g_b[0] - (x * g_a[0] + y * g_a[1]),
        (t[1] * cosine - t[0] * sine).abs() - s * g_b[1] - (y * g_a[0] + x * g_a[1]),
    ];
    let plan = of_a[0].fast_max(of_a[1]).fast_max(of_b[0].fast_max(of_b[1]));
    let along_z = s * (t[2].abs() - g_a[2]) - s * g_b[2];
    let error_of = |distance: f32x4, extents: f32x4| {
        distance * f32x4::splat(ERROR_PER_DISTANCE)
            + extents * f32x4::splat(ERROR_PER_RADIUS)
            + f32x4::splat(FLUSH_ERROR_F32)
    };
    let error = error_of(t[0].abs() + t[1].abs(), (g_a[0] + g_a[1]) + (g_b[0] + g_b[1]));
    let error_z = error_of(t[2].abs(), g_a[2] + g_b[2]);
    let (separated, overlapping) = match precision {
        Precision::Fast => {
            let separated = plan.simd_gt(f32x4::ZERO) | along_z.simd_gt(f32x4::ZERO);
            (separated, !separated)
        }
        Precision::Conservative => {
            let separated = plan.simd_gt(error) | along_z.simd_gt(error_z);
            (separated, !separated)
        }
        Precision::Exact => (
            plan.simd_gt(error) | along_z.simd_gt(error_z),
            plan.simd_lt(-error) & along_z.simd_lt(-error_z),
        ),
    };
    Masks {
        separated: separated.to_bitmask(),
        overlapping: overlapping.to_bitmask(),
    }
}

/// `conj(qA) qB`.
#[inline(always)]
fn relative_rotation([ax, ay, az, aw]: [f32x4; 4], [bx, by, bz, bw]: [f32x4; 4]) -> [f32x4; 4] {
    [
        aw * bx - bw * ax - (ay * bz - az * by),
        aw * by - bw * ay - (az * bx - ax * bz),
        aw * bz - bw * az - (ax * by - ay * bx),
        ax * bx + ay * by + az * bz + aw * bw,
    ]
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::Contact;
    use crate::scenes::Scene;

    /// Pairs of upright boxes: near one another, a hair apart or into one another, with flat ones and equal turns among them.
    fn upright_pairs() -> Vec<[Obb; 2]> {
        let boxes = Scene::Crowd.generate(40_000, 5);
        let pairs = boxes.chunks_exact(2).enumerate();
        let pair = |(k, pair): (usize, &[Obb])| {
            let [mut a, mut b] = [pair[0], pair[1]];
            let stretched = 1.0 + 9e-4 * (k as f32 % 3.0 - 1.0);
            if k % 4 == 0 {
                b.rotation = a.rotation;
            }
            if k % 5 == 0 {
                (a.half_extents.x, b.half_extents.z) = (0.0, 0.0);
            }
            let axis = [a, b][k % 2].rotation * Vec3::X;
            let reach = |solid: &Obb| {
                let along = solid.rotation.inverse() * axis;
                along.abs().dot(solid.half_extents)
            };
            let gap = [0.0, 1e-7, -1e-7, 1e-6, -1e-6, 1e-2, -1e-2, -0.3][k % 8];
            let aside = Vec3::new(-axis.y, axis.x, 0.0) * (0.1 * (k % 7) as f32 - 0.3);
            b.center = a.center + axis * (reach(&a) + reach(&b) + gap) + aside;
            if k % 3 == 0 {
                let reach = a.half_extents.z + b.half_extents.z;
                b.center = a.center + aside + Vec3::Z * (reach + gap);
            }
            a.rotation *= stretched;
            [a, b]
        };
        pairs.map(pair).collect()
    }

    #[test]
    fn five_axes_decide_upright_boxes_truly() {
        let mut decided = [0; 3];
        for (k, [a, b]) in upright_pairs().into_iter().enumerate() {
            let verdicts = |boxes: [&[Obb]; 2], precision| {
                let mut verdicts = None;
                obb_sat(boxes, &[Pair { a: 0, b: 0 }], precision, |_, found| {
                    verdicts = Some(found)
                });
                verdicts.expect("there is a pair")
            };
            let contact = a.contact(&b);
            let exact = verdicts([&[a], &[b]], Precision::Exact);
            assert_eq!(a.rotation.x, 0.0);
            let context = || format!("{k}: {contact:?} {exact:?} {a:?} {b:?}");
            match (exact.overlapping, exact.undecided) {
                (1, 0) => assert_eq!(contact, Contact::Overlapping, "{}", context()),
                (0, 0) => assert_eq!(contact, Contact::Separated, "{}", context()),
                found => assert_eq!(found, (0, 1), "{}", context()),
            }
            decided[(exact.overlapping + 2 * exact.undecided) as usize] += 1;
            let careful = verdicts([&[a], &[b]], Precision::Conservative);
            assert!(careful.overlapping == 1 || !contact.collides(), "{}", context());
            let fast = verdicts([&[a], &[b]], Precision::Fast);
            assert_eq!(careful.undecided + fast.undecided, 0);
            if exact.undecided == 0 {
                assert_eq!([careful, fast], [exact; 2], "{}", context());
            }
            // Beside a box that is not upright the same pair goes over fifteen axes.
            let turned = Obb::new(Vec3::ZERO, Vec3::ONE, Quat::from_rotation_x(0.5));
            let pairs = [Pair { a: 0, b: 0 }, Pair { a: 1, b: 1 }];
            obb_sat([&[a, turned], &[b, turned]], &pairs, Precision::Exact, |_, found| {
                assert_eq!(found.overlapping & 2, 2);
                let apart = |verdicts: Verdicts| (verdicts.overlapping | verdicts.undecided) & 1 == 0;
                assert!(!(found.overlapping & 1 == 1 && apart(exact)), "{}", context());
                assert!(!(exact.overlapping == 1 && apart(found)), "{}", context());
            });
        }
        assert!(decided.iter().all(|&count| count > 2_000), "{decided:?}");
    }
}
