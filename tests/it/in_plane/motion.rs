//! Sweeps in the plane.

use obbligato::contact::Contact;
use obbligato::glam::{DVec2, Vec2, Vec3};
use obbligato::motion::{ImpactState, Motion, MovingSet, Step};
use obbligato::query::{ContactQuery, Sweep};
use obbligato::{BroadPhase, Pair};
use obbligato_support::split_mix::SplitMix;

use super::{Axes, Family, Random, config, scene};
use crate::in_plane::oracle::{Figure, relation};
use crate::support::gpu::{cpu, gpu};

/// Figures that move straight or turn, and their motions in the engine's numbering.
fn moving(seed: u64, turns: bool) -> (Vec<Figure>, Vec<Motion>) {
    let mut random = Random(SplitMix(seed));
    let figures: Vec<Figure> = (0..60)
        .map(|k| {
            let mut figure = random.figure(Family::Any, k % 3);
            figure.center = figure.center.map(|x| 4.0 * x);
            figure
        })
        .collect();
    let motions = (0..60)
        .map(|_| {
            let [x, y, turn] = [0; 3].map(|_| (random.below(8.0) - 4.0) as f32);
            let motion = Motion::linear(Vec3::new(x, y, 0.0));
            if turns { motion.turning(Vec3::Z * turn) } else { motion }
        })
        .collect();
    (figures, motions)
}

/// A figure at a time of its motion, in `f64`.
fn at(figure: &Figure, motion: &Motion, time: f64) -> Axes {
    let own = Axes::of(figure);
    let turn = DVec2::from_angle(f64::from(motion.angular_velocity.z) * time);
    Axes {
        center: own.center + motion.velocity.truncate().as_dvec2() * time,
        x: turn.rotate(own.x),
        ..own
    }
}

/// The largest gap of two bodies in any of many directions.
fn gap([a, b]: [&Axes; 2]) -> f64 {
    let along = |direction: DVec2| -(a.support(direction) + b.support(-direction));
    let angles = (0..2_000).map(|k| DVec2::from_angle(f64::from(k) * 1e-3 * std::f64::consts::PI));
    let axes = [a.x, a.x.perp(), b.x, b.x.perp()].into_iter();
    let both = axes.flat_map(|axis| [axis, -axis]).chain(angles);
    both.map(along).fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn c4_impacts_are_in_the_plane() {
    let step = Step::new(1.0);
    for turns in [false, true] {
        let (figures, motions) = moving(9 + u64::from(turns), turns);
        let (bodies, sorted) = scene(&figures);
        let set = MovingSet::new(bodies.all(), &motions);
        let found = cpu(config(BroadPhase::Auto))
            .check(Sweep::new(set, &step).in_plane())
            .expect("valid");
        let on_gpu = gpu(config(BroadPhase::Auto))
            .check(Sweep::new(set, &step).in_plane())
            .expect("valid");
        assert_eq!(found.impacts, on_gpu.impacts);
        let mut states = [0; 2];
        for impact in &found.impacts {
            let (first, pair) = (&impact.first, impact.pair);
            let [a, b] = [pair.a, pair.b].map(|id| id as usize);
            let placed = [a, b].map(|id| at(&sorted[id], &motions[id], first.time));
            let what = format!("{impact:?} {:?} {:?}", sorted[a], sorted[b]);
            assert!(first.normal.z == 0.0 && first.point.z == 0.0, "{what}");
            assert!((first.normal.length() - 1.0).abs() < 1e-9, "{what}");
            assert!(gap(placed.each_ref()) < 1e-3, "{what}");
            states[usize::from(first.state == ImpactState::Start)] += 1;
            match first.state {
                ImpactState::Start => assert!(relation(&sorted[a], &sorted[b]).collides(), "{what}"),
                ImpactState::Impact => {
                    let normal = first.normal.truncate();
                    let along = placed[0].support(normal) + placed[1].support(-normal);
                    assert!(along.abs() < 2e-3, "{what}: {along}");
                }
            }
        }
        assert!(states[0] > 30 && states[1] > 10, "{states:?}");
        expect_complete(
            &sorted,
            &motions,
            &found.impacts.iter().map(|impact| impact.pair).collect::<Vec<_>>(),
        );
        expect_starts(&bodies, &sorted, &found);
    }
}

/// Pairs that overlap at any of many times are impacts.
fn expect_complete(figures: &[Figure], motions: &[Motion], found: &[Pair]) {
    let count = figures.len();
    for a in 0..count {
        for b in a + 1..count {
            let meets = (0..=64).any(|k| {
                let time = f64::from(k) / 64.0;
                gap([a, b].map(|id| at(&figures[id], &motions[id], time)).each_ref()) < -1e-3
            });
            let pair = Pair::new(a as u32, b as u32);
            assert!(!meets || found.contains(&pair), "{pair:?}");
        }
    }
}

/// Bodies that overlap at the start have the normal of their contact.
fn expect_starts(bodies: &obbligato::shape::OwnedBodies, figures: &[Figure], found: &obbligato::motion::Impacts) {
    let starts: Vec<_> = found
        .impacts
        .iter()
        .filter(|impact| impact.first.state == ImpactState::Start)
        .collect();
    let pairs: Vec<Pair> = starts.iter().map(|impact| impact.pair).collect();
    let contacts = cpu(config(BroadPhase::Auto)).check(ContactQuery::within(bodies.all(), &pairs).in_plane());
    for (impact, contact) in starts.iter().zip(contacts.expect("valid").penetrations()) {
        assert_eq!(impact.first.normal, contact.expect("they collide").normal);
    }
    let of = |id: u32| &figures[id as usize];
    let touching = pairs
        .iter()
        .filter(|pair| relation(of(pair.a), of(pair.b)) == Contact::Touching);
    assert!(touching.count() < pairs.len());
    assert_eq!(Vec2::ZERO, Vec2::default());
}
