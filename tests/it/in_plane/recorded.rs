//! Contacts in the plane that stay on the GPU, against support functions.

use obbligato::contact::{ContactPoint, Penetration};
use obbligato::glam::{DVec3, Quat, Vec2, Vec3};
use obbligato::gpu::{ContactsOf, FrameQuery, ManifoldRecord, Outcome, PointRecord, RulesOf};
use obbligato::shape::yaw;
use obbligato::{Bodies, Config, GpuChecker, Obb, Pair, Rules};

use super::contacts::check_contact;
use super::{Axes, Body, FAMILIES, pairs_of, scene};
use crate::in_plane::oracle::{Figure, relation};
use crate::support::gpu::gpu_checker;

/// The errors that `ContactsOf::in_plane` promises, of the depth along the normal and of other
/// lengths, in units of a pair's size.
const ERROR: f64 = 2e-5;
const SLOP: f64 = 5e-4;

/// The pairs of a frame in which each body meets those of its world, with their manifolds and
/// points.
fn frame(
    checker: &mut GpuChecker,
    bodies: Bodies<'_>,
    worlds: &[u32],
    in_plane: bool,
) -> Vec<(Pair, ManifoldRecord, Vec<PointRecord>)> {
    let rules = Rules {
        worlds: Some(worlds),
        ..Rules::default()
    };
    let rules = RulesOf::boxes(&rules, worlds.len() as u32);
    let rules = checker.upload_rules(rules).expect("rules");
    let buffer = checker.upload_bodies(bodies).expect("memory");
    let mut encoder = checker.device().create_command_encoder(&Default::default());
    let query = FrameQuery::bodies(&buffer, bodies.into()).with(&rules);
    let recorded = checker.record(&mut encoder, query).expect("a frame");
    let contacts = ContactsOf::new(&recorded, 2 * worlds.len() as u32 + 16);
    let contacts = if in_plane { contacts.in_plane() } else { contacts };
    let contacts = checker.record(&mut encoder, contacts).expect("contacts");
    checker.queue().submit([encoder.finish()]);

    let outcome: Outcome = checker.read(&recorded.outcome, 1).expect("an outcome")[0];
    assert_eq!(outcome.fits, 1, "{outcome:?}");
    let needed = checker.read::<u32>(&contacts.counts, 1).expect("counts")[0];
    let pairs: Vec<Pair> = checker.read(&recorded.pairs, outcome.pairs).expect("pairs");
    let manifolds: Vec<ManifoldRecord> = checker.read(&contacts.manifolds, outcome.pairs).expect("manifolds");
    let points: Vec<PointRecord> = checker.read(&contacts.points, needed).expect("points");
    let of = |manifold: &ManifoldRecord| points[manifold.first as usize..][..manifold.len()].to_vec();
    let whole = pairs.into_iter().zip(manifolds);
    whole.map(|(pair, manifold)| (pair, manifold, of(&manifold))).collect()
}

/// The contact of a pair as the CPU would return it.
fn in_f64(a: &Figure, manifold: &ManifoldRecord, points: &[PointRecord]) -> (Penetration, Vec<ContactPoint>) {
    let point = |point: &PointRecord| match Body::of(a) {
        Body::Box(obb) => point.contact_point(&obb, manifold),
        Body::Capsule(capsule) => point.contact_point(&capsule, manifold),
        Body::Sphere(sphere) => point.contact_point(&sphere, manifold),
    };
    (manifold.penetration(), points.iter().map(point).collect())
}

/// The size of a pair, which errors are relative to.
fn size([a, b]: [&Axes; 2]) -> f64 {
    let own = |body: &Axes| body.half[0] + body.half[1] + body.radius;
    (b.center - a.center).abs().element_sum() + own(a) + own(b)
}

#[test]
fn c4_recorded_contacts_are_the_shortest_way_out_of_the_plane() {
    let mut checker = gpu_checker(Config::default());
    let (mut points, mut undecided) = ([0; 3], 0);
    for (seed, family) in (600..).zip(FAMILIES) {
        let kinds = [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]];
        let pairs = kinds.map(|kinds| pairs_of(kinds, family, 250, seed + 10 * kinds[0] as u64));
        // In the numbering of the bodies, with the number of the pair.
        let mut figures: Vec<(Figure, u32)> = pairs
            .concat()
            .into_iter()
            .zip(0..)
            .flat_map(|(pair, k)| pair.map(|figure| (figure, k)))
            .collect();
        figures.sort_by_key(|(figure, _)| match Body::of(figure) {
            Body::Box(_) => 0,
            Body::Capsule(_) => 1,
            Body::Sphere(_) => 2,
        });
        let (figures, worlds): (Vec<Figure>, Vec<u32>) = figures.into_iter().unzip();
        let (bodies, _) = scene(&figures);
        let found = frame(&mut checker, bodies.all(), &worlds, true);
        assert!(found.len() > 500, "{family:?}: {}", found.len());
        for (pair, manifold, own) in found {
            let [a, b] = [pair.a, pair.b].map(|id| figures[id as usize]);
            let what = format!("{family:?}: {a:?} {b:?} {manifold:?} {own:?}");
            assert!(relation(&a, &b).collides(), "{what}");
            let axes = [Axes::of(&a), Axes::of(&b)];
            let size = size(axes.each_ref());
            let (penetration, in_world) = in_f64(&a, &manifold, &own);
            // Positions in the world have the digits of an `f64`.
            let error = ERROR * size + 1e-12 * (axes[0].size() + axes[1].size());
            check_contact(
                &axes,
                (&penetration, &in_world),
                [1e-6, error, error + SLOP * size],
                &what,
            );
            undecided += usize::from(manifold.is_undecided());
            let is_deep = penetration.depth > 4.0 * ERROR * size;
            assert!(!is_deep || !manifold.is_undecided(), "{what}");
            points[own.len()] += 1;
        }
    }
    println!("{points:?} {undecided}");
    assert!(points[1] > 2000 && points[2] > 500, "{points:?}");
}

/// In space, the shortest way out of a rectangle is along z.
#[test]
fn c4_recorded_rectangles_leave_in_the_plane() {
    let square = |x| Obb::in_plane(Vec2::new(x, 0.0), Vec2::new(1.0, 4.0), yaw(0.0));
    let boxes = [square(0.0), square(1.75)];
    let mut checker = gpu_checker(Config::default());
    for (in_plane, normal, depth, count) in [(true, DVec3::X, 0.25, 2), (false, DVec3::Z, 0.125, 4)] {
        let found = frame(&mut checker, Bodies::from(&boxes), &[0, 0], in_plane);
        let [(pair, manifold, points)] = &found[..] else {
            panic!("{found:?}");
        };
        let found = manifold.penetration();
        assert_eq!(
            (*pair, found.normal.abs(), found.depth),
            (Pair::new(0, 1), normal, depth)
        );
        assert_eq!(points.len(), count);
        if in_plane {
            let names = points.iter().map(|point| point.contact_point(&boxes[0], manifold));
            let names: Vec<_> = names
                .map(|point| format!("{} {}", point.feature_a, point.feature_b))
                .collect();
            assert_eq!(names, ["f1 c0", "f1 c2"]);
        }
    }
}

/// A body that is not in the plane has no contact in it.
#[test]
fn c4_recorded_bodies_off_the_plane_are_undecided() {
    let square = Obb::in_plane(Vec2::ZERO, Vec2::ONE, yaw(0.5));
    let tilted = Obb {
        rotation: Quat::from_rotation_x(0.1),
        ..square
    };
    let high = Obb {
        center: Vec3::Z * 0.01,
        ..square
    };
    let mut checker = gpu_checker(Config::default());
    for (other, is_undecided) in [(square, false), (tilted, true), (high, true)] {
        let boxes = [square, other];
        let found = frame(&mut checker, Bodies::from(&boxes), &[0, 0], true);
        assert_eq!(found[0].1.is_undecided(), is_undecided, "{other:?}");
    }
}
