//! Pairs and contact points found again in the previous frame, compared with hash maps.

use std::collections::HashMap;

use obbligato::contact::{Contacts, Feature, contacts};
use obbligato::glam::{Quat, Vec3};
use obbligato::tracking::{Coherence, NEW, previous_pairs, previous_points};
use obbligato::{Bodies, Error, Obb, Pair, Sphere};
use obbligato_support::split_mix::SplitMix;

use crate::tracking::tracker;

/// A body that may come and go.
#[derive(Clone, Copy)]
struct Grain {
    id: u32,
    center: Vec3,
    turn: Quat,
    is_box: bool,
}

/// Moves the grains a little, teleports some, and lets some come and go.
fn shake(grains: &mut Vec<Grain>, random: &mut SplitMix) {
    let mut unit = || random.unit() as f32;
    let mut somewhere = |size: f32| Vec3::new(unit(), unit(), unit()) * size;
    for grain in grains.iter_mut() {
        let jitter = somewhere(0.08);
        grain.center += jitter - Vec3::splat(0.04);
        if jitter.x < 0.001 {
            grain.center = somewhere(4.0);
        }
        grain.turn *= Quat::from_rotation_x(jitter.y - 0.04);
    }
    let chance = somewhere(1.0);
    if chance.x < 0.3 && grains.len() > 20 {
        grains.remove((chance.y * grains.len() as f32) as usize);
    }
    let id = (chance.z * 200.0) as u32 * 3;
    if chance.y < 0.3 && grains.iter().all(|grain| grain.id != id) {
        let center = somewhere(4.0);
        // The order of bodies differs from that of their ids.
        grains.insert(
            0,
            Grain {
                id,
                center,
                turn: Quat::IDENTITY,
                is_box: id.is_multiple_of(2),
            },
        );
    }
}

/// Returns the boxes and the spheres among the grains, and the ids of both.
fn placed(grains: &[Grain]) -> (Vec<Obb>, Vec<Sphere>, Vec<u32>) {
    let of = |is_box: bool| grains.iter().filter(move |grain| grain.is_box == is_box);
    let half = Vec3::new(0.5, 0.3, 0.4);
    let boxes = of(true).map(|grain| Obb::new(grain.center, half, grain.turn));
    let spheres = of(false).map(|grain| Sphere::new(grain.center, 0.4));
    let ids = of(true).chain(of(false)).map(|grain| grain.id);
    (boxes.collect(), spheres.collect(), ids.collect())
}

/// Returns pairs of ids as pairs of positions.
fn by_position(ids: &[u32], pairs: &[Pair]) -> Vec<Pair> {
    let position = |id: u32| ids.iter().position(|&other| other == id).expect("a body") as u32;
    let placed = |pair: &Pair| Pair {
        a: position(pair.a),
        b: position(pair.b),
    };
    pairs.iter().map(placed).collect()
}

/// The data that a simulation keeps for each contact, by a hash map: here the number of the frame
/// in which it began. Equal features of a pair are told apart by their order.
type Kept = HashMap<(Pair, Feature, Feature, usize), u32>;

fn keys(pairs: &[Pair], found: &Contacts) -> Vec<(Pair, Feature, Feature, usize)> {
    let mut keys = Vec::new();
    for (k, &pair) in pairs.iter().enumerate() {
        for point in found.points_of(k) {
            let key = |order| (pair, point.feature_a, point.feature_b, order);
            let order = (0..).find(|&order| !keys.contains(&key(order))).expect("a free number");
            keys.push(key(order));
        }
    }
    keys
}

#[test]
fn c3_contacts_carried_by_a_gather_equal_those_of_hash_maps() {
    let mut random = SplitMix(41);
    let mut grains = Vec::new();
    (0..400).for_each(|_| shake(&mut grains, &mut random));
    let mut tracker = tracker(Coherence::Auto, false);
    let (mut before, mut begun, mut kept) = (Contacts::default(), Vec::<u32>::new(), Kept::new());
    let mut pairs_begun: HashMap<Pair, u32> = HashMap::new();
    let (mut old_pairs, mut of_pairs) = (Vec::new(), Vec::<u32>::new());
    let (mut carried, mut new) = (0, 0);
    for frame in 0..1_000 {
        shake(&mut grains, &mut random);
        let (boxes, spheres, ids) = placed(&grains);
        let bodies = Bodies {
            boxes: &boxes,
            spheres: &spheres,
            ..Bodies::default()
        };
        let found = tracker.update(&ids, bodies).expect("a valid frame");
        assert_eq!(found.before, old_pairs, "frame {frame}");
        let now = contacts([bodies; 2], &by_position(&ids, found.pairs)).expect("valid pairs");

        let places = previous_pairs(found.before, found.pairs).expect("sorted pairs");
        let of_now: Vec<u32> = places
            .iter()
            .map(|&k| *of_pairs.get(k as usize).unwrap_or(&frame))
            .collect();
        pairs_begun = found
            .pairs
            .iter()
            .map(|pair| (*pair, *pairs_begun.get(pair).unwrap_or(&frame)))
            .collect();
        assert!(
            found
                .pairs
                .iter()
                .zip(&of_now)
                .all(|(pair, began)| pairs_begun[pair] == *began)
        );

        let points = previous_points(&before, &now, &places).expect("the places of these pairs");
        let began: Vec<u32> = points
            .iter()
            .map(|&k| *begun.get(k as usize).unwrap_or(&frame))
            .collect();
        let keys = keys(found.pairs, &now);
        kept = keys
            .iter()
            .map(|key| (*key, *kept.get(key).unwrap_or(&frame)))
            .collect();
        let expected: Vec<u32> = keys.iter().map(|key| kept[key]).collect();
        assert_eq!(began, expected, "frame {frame}");
        new += points.iter().filter(|&&place| place == NEW).count();
        carried += points.iter().filter(|&&place| place != NEW).count();
        (before, begun, old_pairs, of_pairs) = (now, began, found.pairs.to_vec(), of_now);
    }
    assert!(carried > 10_000 && new > 1_000, "{carried} carried, {new} new");
}

/// Long lists are divided among threads.
#[test]
fn long_lists_of_pairs_are_found_again() {
    let mut random = SplitMix(5);
    let mut list = |share: u64| -> Vec<Pair> {
        let all = (0..300_000u32).map(|k| Pair::new(k / 7, 1_000_000 + k));
        all.filter(|_| random.next() % 100 < share).collect()
    };
    for (before, now) in [
        (list(60), list(40)),
        (list(100), list(1)),
        (Vec::new(), list(50)),
        (list(50), Vec::new()),
    ] {
        let places: HashMap<Pair, u32> = before.iter().copied().zip(0..).collect();
        let expected: Vec<u32> = now.iter().map(|pair| *places.get(pair).unwrap_or(&NEW)).collect();
        assert_eq!(previous_pairs(&before, &now).expect("sorted pairs"), expected);
    }
}

#[test]
fn unsorted_pairs_and_foreign_places_are_refused() {
    let pairs = [Pair::new(0, 1), Pair::new(0, 2)];
    for wrong in [[pairs[1], pairs[0]], [pairs[0], pairs[0]]] {
        for (before, now) in [(&wrong, &pairs), (&pairs, &wrong)] {
            assert!(matches!(previous_pairs(before, now), Err(Error::Unavailable { .. })));
        }
    }
    let boxes = [0.0, 0.5, 1.0].map(|x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE));
    let found = contacts([&boxes; 2], &pairs).expect("valid pairs");
    for places in [&[0][..], &[0, 1, 2], &[0, 2]] {
        assert!(matches!(
            previous_points(&found, &found, places),
            Err(Error::Unavailable { .. })
        ));
    }
    assert_eq!(
        previous_points(&found, &found, &[1, NEW]).expect("valid places").len(),
        found.points().len()
    );
}
