//! Contacts and distances with their images, against those of every image moved by itself: on
//! lattices of whole numbers and halves, moved bodies are not rounded.

use obbligato::contact::Contacts;
use obbligato::glam::Vec3;
use obbligato::query::{ContactQuery, DistanceQuery};
use obbligato::shape::{BodyRef, Image, OwnedBodies};
use obbligato::{Bodies, Config, Pair, Period};
use obbligato_support::split_mix::SplitMix;

use super::{Place, Random};
use crate::support::gpu::cpu;

const LENGTH: f64 = 8.0;
const PERIOD: Period = Period::new([Some(LENGTH), None, Some(LENGTH)]);

/// Returns the bodies moved by an image.
pub fn moved(bodies: Bodies<'_>, image: Image) -> OwnedBodies {
    let way = LENGTH as f32 * Vec3::from(image.map(|times| times as f32));
    let mut moved = OwnedBodies {
        boxes: bodies.boxes.to_vec(),
        capsules: bodies.capsules.to_vec(),
        spheres: bodies.spheres.to_vec(),
    };
    moved.boxes.iter_mut().for_each(|obb| obb.center += way);
    moved.capsules.iter_mut().for_each(|capsule| capsule.center += way);
    moved.spheres.iter_mut().for_each(|sphere| sphere.center += way);
    moved
}

/// The first image with the greatest value that is not `None`.
fn best(values: &[(Image, Option<f64>)]) -> Option<(Image, f64)> {
    values
        .iter()
        .fold(None, |best: Option<(Image, f64)>, &(image, value)| match value {
            Some(value) if best.is_none_or(|(_, most)| value > most) => Some((image, value)),
            _ => best,
        })
}

#[test]
fn c1_contacts_and_distances_of_the_best_image() {
    let mut random = Random(SplitMix(37));
    let bodies = random.bodies(Place::Halves, [70, 24, 24]);
    let all = bodies.all();
    let count = all.len() as u32;
    let pairs: Vec<Pair> = (0..count)
        .flat_map(|a| (a + 1..count).map(move |b| Pair::new(a, b)))
        .collect();
    let images: Vec<Image> = (-3..=3).flat_map(|i| (-3..=3).map(move |k| [i, 0, k])).collect();
    let scenes: Vec<OwnedBodies> = images.iter().map(|&image| moved(all, image)).collect();
    let mut checker = cpu(Config::default());
    let contacts = checker
        .check(ContactQuery::within(all, &pairs).periodic(PERIOD))
        .expect("valid bodies");
    let distances = checker
        .check(DistanceQuery::within(all, &pairs).periodic(PERIOD))
        .expect("valid bodies");
    let (mut colliding, mut wrapped) = (0, 0);
    for (k, &pair) in pairs.iter().enumerate() {
        let of_image = |value: &dyn Fn(BodyRef<'_>, BodyRef<'_>) -> Option<f64>| -> Vec<(Image, Option<f64>)> {
            let own = all.at(pair.a);
            let of = |(image, scene): (&Image, &OwnedBodies)| (*image, value(own, scene.all().at(pair.b)));
            images.iter().zip(&scenes).map(of).collect()
        };
        let depths = of_image(&|a, b| a.manifold(b).map(|found| found.penetration().depth));
        let deepest = best(&depths);
        let penetration = contacts.found.penetrations()[k];
        assert_eq!(
            penetration.map(|found| found.depth),
            deepest.map(|(_, depth)| depth),
            "{pair:?}"
        );
        let nearest = best(&of_image(&|a, b| Some(-a.distance(b))));
        let expected = deepest.or(nearest).map(|(image, _)| image).expect("there are images");
        assert_eq!(distances.images[k], expected, "{pair:?}");
        assert_eq!(
            Some(-distances.found[k].distance),
            nearest.map(|(_, value)| value),
            "{pair:?}"
        );
        if deepest.is_some() {
            assert_eq!(contacts.images[k], expected, "{pair:?}");
            colliding += 1;
            wrapped += u32::from(expected != Image::default());
            compare_points(
                &contacts.found,
                k,
                all.at(pair.a),
                moved(all, expected).all().at(pair.b),
            );
        }
    }
    assert!(colliding > 50 && wrapped > 10, "{colliding} {wrapped}");
}

/// Compares the points of a pair with those of the bodies where they are.
fn compare_points(contacts: &Contacts, k: usize, a: BodyRef<'_>, b: BodyRef<'_>) {
    let manifold = a.manifold(b).expect("they collide");
    let found = contacts.points_of(k);
    assert_eq!(found.len(), manifold.points().len());
    for (found, expected) in found.iter().zip(manifold.points()) {
        let apart = found.on_a.distance(expected.on_a) + found.on_b.distance(expected.on_b);
        assert!(
            apart < 1e-9 && (found.depth - expected.depth).abs() < 1e-9,
            "{found:?} {expected:?}"
        );
    }
}
