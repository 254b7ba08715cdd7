//! Boxes at rest under noise: features and points persist.

use std::collections::BTreeMap;

use obbligato::Obb;
use obbligato::glam::{Quat, Vec3};

use super::{cube, expect_manifold};

/// Noise of up to 1e-6, never repeated.
struct Noise(u32);

impl Noise {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((self.0 >> 8) as f32 / (1 << 23) as f32 - 1.0) * 1e-6
    }

    fn on(&mut self, solid: &Obb) -> Obb {
        let shift = Vec3::new(self.next(), self.next(), self.next());
        let [x, y, z, w] = solid.rotation.to_array();
        let rotation = Quat::from_xyzw(x + self.next(), y + self.next(), z + self.next(), w + self.next());
        Obb::new(solid.center + shift, solid.half_extents, rotation.normalize())
    }
}

#[test]
fn boxes_at_rest_keep_their_features() {
    let turned = Quat::from_rotation_z;
    let at = |x: f32, y: f32, half: [f32; 3], rotation| {
        Obb::new(Vec3::new(x, y, 1.0 + half[2] - 2e-5), half.into(), rotation)
    };
    let mut noise = Noise(1);
    for (name, upper, count) in [
        ("the same cube", at(0.0, 0.0, [1.0; 3], Quat::IDENTITY), 4),
        ("a smaller one", at(0.3, -0.2, [0.5; 3], Quat::IDENTITY), 4),
        ("a larger one", at(0.3, -0.2, [3.0; 3], Quat::IDENTITY), 4),
        ("turned", at(0.3, -0.2, [0.5, 0.4, 0.3], turned(0.4)), 4),
        ("an octagon", at(0.0, 0.0, [1.0; 3], turned(0.8)), 8),
        ("over an edge", at(1.0, 0.2, [0.5, 0.5, 2.0], turned(0.0)), 4),
        ("side by side", at(0.5, 0.0, [0.5, 1.0, 0.5], turned(0.0)), 4),
        // The corner with the second largest x.
        ("a corner on a side", at(0.734_18, 0.0, [0.5, 0.5, 0.3], turned(0.4)), 4),
        ("a plate", at(0.1, 0.1, [0.5, 0.7, 0.0], turned(0.2)), 4),
        ("a rod", at(0.1, 0.1, [3.0, 0.0, 0.0], turned(0.2)), 2),
    ] {
        // At the origin, and rotated as a whole.
        for whole in [Quat::IDENTITY, Quat::from_xyzw(0.2, -0.4, 0.1, 0.8).normalize()] {
            let [lower, upper] = [cube(0.0, 0.0, 0.0), upper]
                .map(|solid| Obb::new(whole * solid.center, solid.half_extents, whole * solid.rotation));
            let mut seen = BTreeMap::new();
            for _ in 0..1_000 {
                let (a, b) = (noise.on(&lower), noise.on(&upper));
                let manifold = expect_manifold(name, &a, &b).unwrap_or_else(|| panic!("{name}: {a:?} {b:?}"));
                let penetration = manifold.penetration();
                let points: Vec<_> = manifold.points().iter().map(|p| (p.feature_a, p.feature_b)).collect();
                let key = (
                    penetration.feature_a,
                    penetration.feature_b,
                    penetration.reference.is_some(),
                    points,
                );
                *seen.entry(key).or_insert(0) += 1;
                let up = (whole * Vec3::Z).as_dvec3();
                assert!(penetration.normal.distance(up) < 1e-5, "{name}: {manifold:?}");
            }
            assert_eq!(seen.len(), 1, "{name}: {seen:#?}");
            assert!(
                seen.into_keys().all(|(_, _, _, points)| points.len() == count),
                "{name}"
            );
        }
    }
}
