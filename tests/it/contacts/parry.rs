//! Contacts against parry's.

use obbligato::Obb;
use obbligato::glam::DVec3;
use obbligato_verify::adversarial;

use super::{PREFERENCE, reach, size, slop};

#[test]
fn parry_agrees() {
    use parry3d::math::{Pose, Rotation, Vector};
    use parry3d::query::{ContactManifold, details::contact_manifold_cuboid_cuboid};
    use parry3d::shape::Cuboid;
    let (mut compared, mut others, mut with_points) = (0, 0, 0);
    for index in 0..20_000 {
        let (a, b) = adversarial::pair(index * 13, 5);
        let Some(ours) = a.manifold(&b) else { continue };
        let pose = |solid: &Obb| {
            let rotation = Rotation::from_array(solid.rotation.normalize().to_array());
            Pose::from_parts(Vector::from_array(solid.center.to_array()), rotation)
        };
        let [cuboid_a, cuboid_b] = [a, b].map(|solid| Cuboid::new(Vector::from_array(solid.half_extents.to_array())));
        let mut theirs = ContactManifold::<(), ()>::new();
        let (pose_a, pose_b) = (pose(&a), pose(&b));
        contact_manifold_cuboid_cuboid(&pose_a.inv_mul(&pose_b), &cuboid_a, &cuboid_b, 0.0, &mut theirs);
        let normal = pose_a.rotation * theirs.local_n1;
        let normal = DVec3::from_array(normal.to_array().map(f64::from));
        let Some(deepest) = theirs
            .points
            .iter()
            .map(|point| f64::from(-point.dist))
            .reduce(f64::max)
        else {
            continue;
        };
        let size = size(&a, &b);
        compared += 1;
        let penetration = ours.penetration();
        if normal.distance(penetration.normal) > 1e-3 {
            // Another axis: no better than ours by more than the preference, or its edges face away
            // from each other, in which case the overlap along it is not valid.
            let along = reach(&a, normal) + reach(&b, normal) - (b.center - a.center).as_dvec3().dot(normal);
            let tie = along + PREFERENCE * penetration.depth + 3.0 * slop(&a, &b) + 1e-5 * size;
            assert!(penetration.depth <= tie, "{index}: {along}, {ours:?} {theirs:?}");
            others += 1;
            continue;
        }
        // Theirs is no deeper than the whole overlap; and if theirs contains a point of that depth,
        // so does ours.
        assert!(
            deepest <= penetration.depth + 1e-4 * size,
            "{index}: {deepest} {ours:?}"
        );
        let ours_deepest = ours.points().iter().map(|point| point.depth).fold(0.0, f64::max);
        assert!(
            ours_deepest >= deepest - PREFERENCE * penetration.depth - 1e-4 * size,
            "{index}: {deepest} {ours:?}"
        );
        with_points += 1;
    }
    assert!(
        compared > 2_000 && with_points > 9 * others,
        "{compared} {with_points} {others}"
    );
}
