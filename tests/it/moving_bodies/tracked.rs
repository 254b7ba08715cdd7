//! Tracked scenes whose bodies appear, disappear and change their shapes.

use std::collections::BTreeSet;

use obbligato::glam::{Quat, Vec3};
use obbligato::{
    Bodies, Capsule, Config, Error, Obb, Pair, Sphere,
    motion::{Motion, Step, safe_time, time_of_impact},
    shape::BodyRef,
    tracking::{Coherence, EventKind, Tracker, TrackerConfig},
};
use obbligato_support::split_mix::SplitMix;

use crate::bodies::Scene;
use crate::moving_bodies::{motions, vector};
use crate::support::gpu::cpu;

/// A world of bodies by their ids.
struct World {
    bodies: Vec<(u32, Kind)>,
    random: SplitMix,
}

#[derive(Clone, Copy)]
enum Kind {
    Box(Obb),
    Capsule(Capsule),
    Sphere(Sphere),
}

impl World {
    fn body(&mut self) -> Kind {
        let random = &mut self.random;
        let center = vector(random, 6.0);
        let turn = Quat::from_scaled_axis(vector(random, 2.0));
        match random.next() % 3 {
            0 => Kind::Box(Obb::new(center, vector(random, 1.0).abs(), turn)),
            1 => Kind::Capsule(Capsule::new(center, random.unit() as f32, turn, 0.5)),
            _ => Kind::Sphere(Sphere::new(center, random.unit() as f32)),
        }
    }

    /// Some move a little, some appear, some disappear, and some change their shape in place.
    fn next(&mut self) {
        for k in 0..self.bodies.len() {
            let (chance, way) = (self.random.next() % 20, vector(&mut self.random, 0.05));
            if chance == 0 {
                self.bodies[k].1 = self.body();
                continue;
            }
            match &mut self.bodies[k].1 {
                Kind::Box(obb) => obb.center += way,
                Kind::Capsule(capsule) => capsule.center += way,
                Kind::Sphere(sphere) => sphere.center += way,
            }
        }
        for _ in 0..3 {
            let gone = self.random.next() as usize % self.bodies.len();
            self.bodies.swap_remove(gone);
            let id = self.random.next() as u32 % 100_000;
            let body = self.body();
            if self.bodies.iter().all(|(other, _)| *other != id) {
                self.bodies.push((id, body));
            }
        }
    }

    /// The ids and bodies in the order of their kinds.
    fn listed(&self, boxes_only: bool) -> (Vec<u32>, Scene) {
        let (mut ids, mut scene) = ([const { Vec::new() }; 3], Scene::default());
        for (id, body) in &self.bodies {
            match *body {
                Kind::Box(obb) => {
                    ids[0].push(*id);
                    scene.boxes.push(obb);
                }
                _ if boxes_only => {}
                Kind::Capsule(capsule) => {
                    ids[1].push(*id);
                    scene.capsules.push(capsule);
                }
                Kind::Sphere(sphere) => {
                    ids[2].push(*id);
                    scene.spheres.push(sphere);
                }
            }
        }
        (ids.concat(), scene)
    }
}

#[test]
fn frames_of_bodies_match_fresh_checks() {
    for coherence in [
        Coherence::None,
        Coherence::Auto,
        Coherence::Fattened,
        Coherence::SweepLists,
    ] {
        let config = TrackerConfig {
            coherence,
            persisting: true,
            ..TrackerConfig::default()
        };
        let mut tracker = Tracker::new(cpu(Config::default()), config);
        let mut world = World {
            bodies: Vec::new(),
            random: SplitMix(5),
        };
        for id in 0..200 {
            let body = world.body();
            world.bodies.push((17 * id % 1009, body));
        }
        let (mut before, mut changes) = (BTreeSet::new(), 0);
        for frame in 0..24 {
            // Occasionally there are only boxes, for some frames.
            let (ids, scene) = world.listed(frame / 6 % 3 == 2);
            let fresh = cpu(Config::default()).check(scene.bodies()).expect("valid bodies");
            let named = |pair: &Pair| Pair::new(ids[pair.a as usize], ids[pair.b as usize]);
            let now: BTreeSet<Pair> = fresh.pairs().expect("pairs").iter().map(named).collect();
            let tracked = tracker.update(&ids, scene.bodies()).expect("valid bodies");
            assert!(tracked.pairs.iter().eq(&now), "{coherence:?}, frame {frame}");
            let of = |kind| {
                let events = tracked.events.iter().filter(move |event| event.kind == kind);
                events.map(|event| &event.pair)
            };
            assert!(
                of(EventKind::Begin).eq(now.difference(&before)),
                "{coherence:?}, frame {frame}"
            );
            assert!(
                of(EventKind::Persist).eq(now.intersection(&before)),
                "{coherence:?}, frame {frame}"
            );
            assert!(
                of(EventKind::End).eq(before.difference(&now)),
                "{coherence:?}, frame {frame}"
            );
            changes += tracked.begin + tracked.end;
            before = now;
            world.next();
        }
        assert!(changes > 150, "{changes}");
        let invalid = [Sphere::new(Vec3::ZERO, -1.0)];
        assert!(matches!(
            tracker.update_by_position(&invalid),
            Err(Error::InvalidBody { index: 0, .. })
        ));
    }
}

#[test]
fn bodies_do_not_collide_before_their_safe_time() {
    let scene = Scene::random(9, [20, 20, 20], 16.0, false);
    let (bodies, motions) = (scene.bodies(), motions(60, 9, false));
    let mut some = 0;
    for b in 0..60u32 {
        for a in 0..b {
            let [(body_a, of_a), (body_b, of_b)] = [a, b].map(|k| (bodies.at(k), &motions[k as usize]));
            let time = safe_time(body_a, of_a, body_b, of_b);
            let apart = !body_a.contact(body_b).collides();
            assert_eq!(time > 0.0, apart, "{a} {b}");
            if !apart {
                continue;
            }
            let first = time_of_impact([body_a, body_b], [of_a, of_b], &Step::new(1.0).with_tolerance(1e-9));
            if let Some(first) = first {
                assert!(first.time >= time * (1.0 - 1e-6), "{a} {b}: {time} {first:?}");
                some += 1;
            }
        }
    }
    assert!(some > 30, "{some}");
    // It is at least the time of the boxes around them.
    let balls = [Sphere::new(Vec3::ZERO, 1.0), Sphere::new(Vec3::new(3.0, 4.0, 0.0), 1.0)];
    let towards = Motion::linear(Vec3::new(3.0, 4.0, 0.0)).turning(Vec3::X);
    let time = safe_time(&balls[0], &towards, BodyRef::Sphere(&balls[1]), &Motion::REST);
    assert!(time <= 0.6 && time > 0.5999, "{time}");
}

/// The box around both is the same, and nothing has moved.
#[test]
fn a_ball_that_becomes_a_cube_is_tested_again() {
    let config = TrackerConfig {
        coherence: Coherence::Fattened,
        ..TrackerConfig::default()
    };
    let mut tracker = Tracker::new(cpu(Config::default()), config);
    let cube = [Obb::axis_aligned(Vec3::ZERO, Vec3::ONE)];
    let balls = [Sphere::new(Vec3::ZERO, 1.0), Sphere::new(Vec3::splat(1.5), 1.0)];
    let apart = Bodies::from(&balls);
    let together = Bodies {
        boxes: &cube,
        spheres: &balls[1..],
        ..Bodies::default()
    };
    for (frame, bodies) in [apart, apart, apart, together, together, apart, apart]
        .into_iter()
        .enumerate()
    {
        let tracked = tracker.update(&[4, 9], bodies).expect("valid bodies");
        let expected: &[Pair] = if bodies.boxes.is_empty() {
            &[]
        } else {
            &[Pair { a: 4, b: 9 }]
        };
        assert_eq!(tracked.pairs, expected, "frame {frame}");
    }
}
