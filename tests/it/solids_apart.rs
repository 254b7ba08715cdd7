//! Distances, depths and witness points of convex solids against rational arithmetic, against
//! certificates, against boxes, and against another library.

mod forms;
mod margins;

use obbligato::glam::{DVec3, Vec3};
use obbligato::{
    contact::{ClosestPoints, Contact, SolidPenetration, WarmStart},
    shape::Solid,
};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference::{solids_depth, solids_distance};
use parry3d::math::{Pose, Vector};
use parry3d::shape::ConvexPolyhedron;

use crate::solids::{KINDS, Maker, Points, moved, turned};

fn solid(points: &[Vec3]) -> Solid {
    Solid::from_points(points).expect("valid points")
}

fn depth_of(a: &Solid, b: &Solid) -> Option<SolidPenetration> {
    a.penetration(b).expect("memory for a few points")
}

/// A bound on the distance of any two vertices: the sum of the largest distances between the solids
/// and within each of them.
fn size(a: &Solid, b: &Solid) -> f64 {
    let [p, q] = [a, b].map(|solid| -> Vec<DVec3> { solid.vertices().iter().map(|p| p.as_dvec3()).collect() });
    let far = |p: &[DVec3], q: &[DVec3]| {
        let from = |p: &DVec3| q.iter().map(|q| p.distance_squared(*q)).fold(0.0, f64::max);
        p.iter().map(from).fold(0.0, f64::max).sqrt()
    };
    far(&p, &q) + far(&p, &p) + far(&q, &q)
}

/// The error relative to the size, and the rounding of coordinates in the world.
fn rounding(a: &Solid, b: &Solid) -> f64 {
    let vertices = a.vertices().iter().chain(b.vertices());
    let largest = vertices.map(|p| p.abs().max_element()).fold(0.0, f32::max);
    1e-14 * size(a, b) + 4.0 * f64::EPSILON * f64::from(largest)
}

/// The reach of the solid along a direction.
fn reach(solid: &Solid, direction: DVec3) -> f64 {
    let all = solid.vertices().iter().map(|vertex| vertex.as_dvec3().dot(direction));
    all.fold(f64::NEG_INFINITY, f64::max)
}

/// A lower bound on the distance of a point from a solid.
fn outside(solid: &Solid, point: DVec3) -> f64 {
    let at = |k: u32| solid.vertices()[k as usize].as_dvec3();
    if solid.dimension() == 3 {
        let beyond = |face: &[u32]| {
            let sides = face.windows(2).skip(1);
            let normal: DVec3 = sides
                .map(|side| (at(side[0]) - at(face[0])).cross(at(side[1]) - at(face[0])))
                .sum();
            (point - at(face[0])).dot(normal.normalize())
        };
        return solid.faces().map(beyond).fold(0.0, f64::max);
    }
    let to_edge = |[a, b]: [DVec3; 2]| {
        let part = (point - a).dot(b - a) / (b - a).length_squared();
        point.distance(a + part.clamp(0.0, 1.0) * (b - a))
    };
    let mut least = point.distance(at(0));
    least = solid.edges().map(|edge| to_edge(edge.map(at))).fold(least, f64::min);
    if let Some(face) = solid.faces().next() {
        let from = at(face[0]);
        let normal = (at(face[1]) - from).cross(at(face[2]) - from).normalize();
        let sides = face.iter().zip(face.iter().cycle().skip(1));
        let is_over = sides
            .into_iter()
            .all(|(&p, &q)| (at(q) - at(p)).cross(point - at(p)).dot(normal) >= 0.0);
        if is_over {
            least = least.min((point - from).dot(normal).abs());
        }
    }
    least
}

/// Asserts that the points are in their solids and at the reported distance, and that nothing is
/// closer by more than a fraction of the distance.
fn assert_proved(a: &Solid, b: &Solid, closest: &ClosestPoints, told: &str) {
    let ClosestPoints { distance, on_a, on_b } = *closest;
    let rounding = rounding(a, b);
    assert!(
        (on_a.distance(on_b) - distance).abs() <= rounding,
        "{told}: {closest:?}"
    );
    assert!(outside(a, on_a) <= rounding, "{told}: {closest:?} {a:?}");
    assert!(outside(b, on_b) <= rounding, "{told}: {closest:?} {b:?}");
    assert_eq!(distance == 0.0, a.contact(b).collides(), "{told}: {closest:?}");
    if distance > 1e6 * rounding {
        let way = (on_b - on_a).normalize();
        let gap = -reach(b, -way) - reach(a, way);
        // The rounding of the points changes the direction by this much.
        let turned = 4.0 * rounding / distance;
        let least = distance * (1.0 - 1e-9) - turned * size(a, b);
        assert!(gap >= least, "{told}: {closest:?}, {gap}");
    }
}

/// Asserts that the solids overlap along the normal by the reported depth, from point to point.
fn assert_deep(a: &Solid, b: &Solid, found: &SolidPenetration, told: &str) {
    let rounding = rounding(a, b);
    let SolidPenetration {
        normal,
        depth,
        on_a,
        on_b,
    } = *found;
    assert!(
        (normal.length() - 1.0).abs() < 1e-15 && depth >= 0.0,
        "{told}: {found:?}"
    );
    assert!(
        (reach(a, normal) + reach(b, -normal) - depth).abs() <= rounding,
        "{told}: {found:?}"
    );
    assert!((on_a - on_b - depth * normal).length() <= rounding, "{told}: {found:?}");
    assert!(
        outside(a, on_a) <= rounding && outside(b, on_b) <= rounding,
        "{told}: {found:?}"
    );
}

/// Points on an ellipsoid, about some point.
fn ellipsoid(random: &mut Maker, count: u64, at: Vec3) -> Points {
    let size = (0.6 * random.any() + Vec3::ONE) * 0.5;
    random.many(count, count, |random| at + size * random.any().normalize_or(Vec3::X))
}

#[test]
fn s2_lengths_agree_with_fractions() {
    let compare = |kind: &crate::solids::Kind| {
        let mut random = Maker(SplitMix(3));
        let (mut apart, mut deep, mut worst) = (0, 0, [0f64; 2]);
        for case in 0..400 {
            let [a, b] = (kind.make)(&mut random);
            if a.len() * b.len() > 49 || apart > 60 && deep > 40 {
                continue;
            }
            let told = format!("{}, {case}: {a:?} {b:?}", kind.name);
            let (first, second) = (solid(&a), solid(&b));
            let closest = first.closest_points(&second);
            if kind.name != "of any size" {
                assert_proved(&first, &second, &closest, &told);
            }
            let penetration = depth_of(&first, &second);
            let expected = solids_distance(&a, &b);
            let collide = [closest.distance == 0.0, penetration.is_some()];
            assert_eq!(collide, [expected == 0.0; 2], "{told}: {closest:?}, {expected}");
            if let Some(penetration) = penetration {
                let error = (penetration.depth - solids_depth(&a, &b)).abs();
                let size = size(&first, &second);
                assert!(error <= 1e-12 * size, "{told}: {penetration:?}, {error}");
                let touch = first.contact(&second) == Contact::Touching;
                assert!(penetration.depth == 0.0 || !touch, "{told}: {penetration:?}");
                if kind.name != "of any size" {
                    assert!(penetration.depth > 0.0 || touch, "{told}: {penetration:?}");
                    assert_deep(&first, &second, &penetration, &told);
                }
                worst[1] = worst[1].max(error / size.max(f64::MIN_POSITIVE));
                deep += 1;
            } else {
                let error = (closest.distance - expected).abs();
                let most = 1e-9 * expected + 1e-27 * size(&first, &second);
                assert!(error <= most, "{told}: {closest:?}, {expected:e}");
                worst[0] = worst[0].max(error / expected);
                apart += 1;
            }
        }
        assert!(
            worst[0] <= 1e-13 || kind.name == "of any size",
            "{}: {worst:?}",
            kind.name
        );
        println!(
            "{}: {apart} apart, {:e} of it; {deep} deep, {:e} of the size",
            kind.name, worst[0], worst[1]
        );
    };
    std::thread::scope(|scope| {
        for kinds in KINDS.chunks(3) {
            scope.spawn(move || kinds.iter().for_each(compare));
        }
    });
}

#[test]
fn lengths_of_large_solids_are_proved() {
    let mut random = Maker(SplitMix(5));
    for case in 0..600 {
        let counts = [0, 1].map(|_| [4, 8, 30, 64, 700, 1500][random.below(6) as usize]);
        let by = (0.2 + 1.3 * random.0.unit() as f32) * random.any().normalize_or(Vec3::X);
        let a = solid(&ellipsoid(&mut random, counts[0], Vec3::ZERO));
        let b = solid(&ellipsoid(&mut random, counts[1], by));
        let told = format!("{case}: {counts:?}");
        let closest = a.closest_points(&b);
        assert_proved(&a, &b, &closest, &told);
        let back = b.closest_points(&a);
        assert!(
            (back.distance - closest.distance).abs() <= 1e-12 * closest.distance,
            "{told}"
        );
        let penetration = depth_of(&a, &b);
        assert_eq!(penetration.is_some(), closest.distance == 0.0, "{told}");
        let Some(penetration) = penetration else { continue };
        assert_deep(&a, &b, &penetration, &told);
        let back = depth_of(&b, &a).expect("they collide").swapped();
        assert!(
            (back.depth - penetration.depth).abs() <= 1e-13,
            "{told}: {penetration:?} {back:?}"
        );
        // No other direction is shorter: neither a random one, nor one nearly the same.
        for k in 0..200 {
            let way = random.any().as_dvec3() * if k % 2 == 0 { 1.0 } else { 1e-3 };
            let way = (way + if k % 2 == 0 { DVec3::ZERO } else { penetration.normal }).normalize_or(DVec3::X);
            assert!(reach(&a, way) + reach(&b, -way) >= penetration.depth - 1e-14, "{told}");
        }
    }
}

#[test]
fn parry_is_never_better() {
    let mut random = Maker(SplitMix(6));
    let mut differences = [0f64; 2];
    for case in 0..2_000 {
        let counts = [0, 1].map(|_| 8 + random.below(57));
        let by = (0.2 + 1.3 * random.0.unit() as f32) * random.any().normalize_or(Vec3::X);
        let points = [
            ellipsoid(&mut random, counts[0], Vec3::ZERO),
            ellipsoid(&mut random, counts[1], by),
        ];
        let [a, b] = [0, 1].map(|k| solid(&points[k]));
        let [of_a, of_b] = [0, 1].map(|k| {
            let points: Vec<_> = points[k].iter().map(|p| Vector::from_array(p.to_array())).collect();
            ConvexPolyhedron::from_convex_hull(&points).expect("a hull")
        });
        let here = Pose::IDENTITY;
        let (ours, depth) = (a.distance(&b), depth_of(&a, &b));
        let theirs = parry3d::query::distance(&here, &of_a, &here, &of_b).expect("two polyhedra");
        let theirs = f64::from(theirs.distance);
        // Its search ends with bounds a thousandth apart, and its numbers are f32.
        assert!((ours - theirs).abs() <= 2e-3 * ours + 1e-5, "{case}: {ours} {theirs}");
        assert!(ours <= theirs + 1e-5, "{case}: {ours} {theirs}");
        differences[0] = differences[0].max((ours - theirs).abs());
        let contact = parry3d::query::contact(&here, &of_a, &here, &of_b, 0.0).expect("two polyhedra");
        if let (Some(ours), Some(theirs)) = (depth, contact) {
            // Its depth may be too small to separate them; along its normal the depth is never less
            // than ours.
            let way = DVec3::from_array(theirs.normal1.to_array().map(f64::from)).normalize();
            let needed = reach(&a, way) + reach(&b, -way);
            assert!(ours.depth <= needed + 1e-14, "{case}: {ours:?} {needed}");
            differences[1] = differences[1].max((needed - ours.depth).abs());
        }
    }
    println!(
        "distances differ by {:e}, depths by {:e}",
        differences[0], differences[1]
    );
}

#[test]
fn gaps_of_any_size_are_measured() {
    // A corner over a large face, and edges that cross, as close as f32 numbers allow.
    let square = [(-1.0, -1.0), (-1.0, 3.0), (3.0, 1.0)].map(|(x, y)| Vec3::new(x, y, 0.0));
    let mut gap = 1.0f32;
    while gap > 0.0 {
        let tip = [
            Vec3::new(0.1, 0.2, gap),
            Vec3::new(0.0, 1.0, 1.5),
            Vec3::new(1.0, 0.0, 1.5),
            Vec3::ONE * 1.5,
        ];
        let (a, b) = (solid(&square), solid(&tip));
        for (a, b) in [(&a, &b), (&b, &a)] {
            let closest = a.closest_points(b);
            let error = (closest.distance / f64::from(gap) - 1.0).abs();
            assert!(error <= 1e-12, "{gap:e}: {closest:?}");
            assert_proved(a, b, &closest, "a tip");
        }
        gap *= 0.3;
    }
    // A plane that contains no axis, and points off it by less than the resolution of an f32
    // coordinate.
    let plane = turned(&[Vec3::ZERO, Vec3::new(999.0, 1.0, 0.0), Vec3::new(-3.0, 1007.0, 0.0)]);
    let mut random = Maker(SplitMix(11));
    let mut least = f64::INFINITY;
    for _ in 0..200 {
        let [u, v] = [0, 1].map(|_| 0.5 * random.0.unit() as f32);
        let over = plane[0] + u * (plane[1] - plane[0]) + v * (plane[2] - plane[0]);
        let point = [over];
        let expected = solids_distance(&plane, &point);
        let found = solid(&plane).distance(&solid(&point));
        assert!(
            (found - expected).abs() <= 1e-9 * expected,
            "{over}: {found:e} {expected:e}"
        );
        least = if expected > 0.0 { least.min(expected) } else { least };
    }
    assert!(least < 1e-3, "{least:e}");
}

#[test]
fn searches_that_begin_where_the_last_one_ended() {
    let mut random = Maker(SplitMix(12));
    for case in 0..200 {
        let counts = [0, 1].map(|_| 4 + random.below(40));
        let points = [
            ellipsoid(&mut random, counts[0], Vec3::ZERO),
            ellipsoid(&mut random, counts[1], Vec3::ZERO),
        ];
        let a = solid(&points[0]);
        let (way, speed) = (random.any().normalize_or(Vec3::X), 0.06 * random.any());
        let (mut warm, mut warm_depth) = (WarmStart::default(), WarmStart::default());
        for step in 0..30 {
            let b = solid(&moved(&points[1], way + step as f32 * speed));
            let told = format!("{case}, {step}");
            let (cold, found) = (a.closest_points(&b), a.closest_points_from(&b, &mut warm));
            assert!(
                (cold.distance - found.distance).abs() <= 1e-12 * cold.distance,
                "{told}: {cold:?} {found:?}"
            );
            assert_proved(&a, &b, &found, &told);
            let cold = depth_of(&a, &b);
            let found = a
                .penetration_from(&b, &mut warm_depth)
                .expect("memory for a few points");
            assert_eq!(cold.is_some(), found.is_some(), "{told}");
            if let (Some(cold), Some(found)) = (cold, found) {
                assert!((cold.depth - found.depth).abs() <= 1e-14, "{told}: {cold:?} {found:?}");
                assert_deep(&a, &b, &found, &told);
            }
        }
    }
    // The state left by other solids does no harm.
    let far = ellipsoid(&mut random, 100, Vec3::splat(9.0));
    let mut warm = WarmStart::default();
    solid(&far).closest_points_from(&solid(&moved(&far, Vec3::splat(4.0))), &mut warm);
    let points = [Vec3::ZERO, Vec3::X];
    let closest = solid(&points).closest_points_from(&solid(&[Vec3::Z]), &mut warm);
    assert_eq!(closest.distance, 1.0);
}
