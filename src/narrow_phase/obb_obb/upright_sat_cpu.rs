//! Twin of `shaders/narrow_phase/obb_obb/upright_sat.wgsl`: the separating-axis test of boxes turned about z only, four
//! pairs at a time. [`separating_axes`](super::separating_axes) gives the formulas.

use wide::f32x4;

use crate::base::config::Precision;
use crate::narrow_phase::obb_obb::obb_lanes::{BoxLanes, Masks, axes};
use crate::narrow_phase::obb_obb::separating_axes::{ERROR_PER_DISTANCE, ERROR_PER_RADIUS, FLUSH_ERROR_F32};

/// The test of four pairs of boxes turned about z only, over the five axes that they need.
// A separate function, so that the loop over other pairs stays as small as without it.
#[inline(never)]
pub(super) fn upright_sat(a: &BoxLanes, b: &BoxLanes, precision: Precision) -> Masks {
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

#[cfg(test)]
pub(crate) mod tests {
    use glam::{Quat, Vec3};

    use crate::base::config::Precision;
    use crate::geometry::pair::Pair;
    use crate::narrow_phase::contact::Contact;
    use crate::narrow_phase::obb_obb::obb_sat_cpu::{Verdicts, obb_sat};
    use crate::scenes::Scene;
    use crate::shapes::obb::record::Obb;

    /// Pairs of upright boxes: near one another, a hair apart or inside one another, including flat ones and equal
    /// turns.
    pub(crate) fn upright_pairs() -> Vec<[Obb; 2]> {
        let boxes = Scene::Crowd.generate(40_000, 5);
        let pairs = boxes.chunks_exact(2).enumerate();
        let pair = |(k, pair): (usize, &[Obb])| {
            let [mut a, mut b] = [pair[0], pair[1]];
            // Heights whose sums are rounded.
            a.half_extents.z += 0.03 * (k % 17) as f32;
            b.half_extents.z += 0.07 * (k % 13) as f32;
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
            // Paired with a box that is not upright, the same boxes go through fifteen axes.
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
