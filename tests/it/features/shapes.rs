//! Shapes that are not boxes.

use obbligato::glam::Vec3;
use obbligato::query::{ContactQuery, Containment};
use obbligato::{Bodies, Checker, Query, Sphere, contact::Contact, region::Room};
use obbligato_verify::reference::{colliding_pairs, contacts};
use obbligato_verify::scenes::{BodyScene, Scene};

use super::{on_cpu, on_gpu};

#[test]
fn s1_spheres_and_capsules_collide_with_boxes_and_each_other() {
    for scene in BodyScene::OTHERS {
        let owned = scene.bodies(3000, 7);
        let bodies = owned.all();
        let expected = colliding_pairs(bodies);
        let touching = contacts(bodies)
            .into_iter()
            .filter(|(_, contact)| *contact == Contact::Touching);
        let touching = touching.count() as u64;
        assert!(expected.len() > 300, "{scene}");
        for config in [on_gpu(), on_cpu()] {
            let backend = config.backend;
            let mut checker = Checker::new(config).expect("the backend is there");
            let report = checker.check(bodies).expect("valid bodies");
            assert_eq!(report.pairs().expect("asked for"), expected, "{scene} on {backend:?}");
            assert_eq!(report.touching_pairs, Some(touching), "{scene} on {backend:?}");
            let given = checker.check(Query::pairs(bodies, &expected)).expect("valid bodies");
            assert_eq!(given.pairs().expect("asked for"), expected, "{scene} on {backend:?}");
            let found = checker
                .check(ContactQuery::within(bodies, &expected))
                .expect("they collide");
            assert!(
                found.penetrations().iter().all(Option::is_some),
                "{scene} on {backend:?}"
            );
        }
    }
}

/// A sphere takes a third of a box's memory, and is accepted wherever boxes are.
#[test]
fn s1_balls_are_small_and_accepted_everywhere() {
    assert_eq!(size_of::<Sphere>(), 16);
    let walls = Scene::Uniform.generate(500, 3);
    let balls = BodyScene::Spheres.bodies(500, 4).spheres;
    let mixed = Bodies {
        boxes: &walls,
        spheres: &balls,
        ..Bodies::default()
    };
    let all = colliding_pairs(mixed);
    let across: Vec<(u32, u32)> = all
        .iter()
        .filter(|pair| pair.a < 500 && pair.b >= 500)
        .map(|pair| (pair.a, pair.b - 500))
        .collect();
    assert!(across.len() > 20);
    let room = Room::new(Vec3::splat(-5.0), Vec3::splat(5.0)).expect("a room");
    for config in [on_gpu(), on_cpu()] {
        let mut checker = Checker::new(config).expect("the backend is there");
        let between = checker.check(Query::between(&walls, &balls)).expect("valid bodies");
        let named = |report: &obbligato::Report| -> Vec<(u32, u32)> {
            let pairs = report.pairs().expect("asked for").iter();
            pairs.map(|pair| (pair.a, pair.b)).collect()
        };
        assert_eq!(named(&between), across);
        let at_rest = Bodies {
            boxes: &walls,
            spheres: &[Sphere::new(Vec3::splat(1e6), 1.0)],
            ..Bodies::default()
        };
        let scene = checker.prepare(at_rest).expect("valid bodies");
        let against = checker.check(Query::against(&scene, &balls)).expect("valid bodies");
        assert_eq!(named(&against), across);
        let found = checker.check(Containment::new(&room, &balls)).expect("valid bodies");
        for (ball, enclosure) in balls.iter().zip(found) {
            let [below, above] = [ball.center - ball.radius, ball.center + ball.radius];
            let outermost = below.abs().max(above.abs()).max_element();
            // Sums in f32 decide all but those that nearly touch.
            if (outermost - 5.0).abs() > 1e-3 {
                assert_eq!(enclosure.walls == 0, outermost < 5.0, "{ball:?} {enclosure:?}");
            }
        }
    }
}
