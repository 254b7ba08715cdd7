//! Runs the examples that need no input and assert something, at a small size.

#[allow(dead_code)]
#[path = "../../examples/bouncing.rs"]
mod bouncing;

#[allow(dead_code)]
#[path = "../../examples/door.rs"]
mod door;

#[allow(dead_code)]
#[path = "../../examples/flatland.rs"]
mod flatland;

#[allow(dead_code)]
#[path = "../../examples/granular/main.rs"]
mod granular;

#[allow(dead_code)]
#[path = "../../examples/lockstep.rs"]
mod lockstep;

#[allow(dead_code)]
#[path = "../../examples/nms.rs"]
mod nms;

#[allow(dead_code)]
#[path = "../../examples/robot_cell.rs"]
mod robot_cell;

#[allow(dead_code)]
#[path = "../../examples/steering.rs"]
mod steering;

use std::collections::HashMap;

use obbligato::glam::DVec3;
use obbligato::{Backend, Checker, Config, Pair, Precision};

use crate::support::gpu::gpu_checker;

fn cpu() -> Checker {
    Checker::new(Config {
        backend: Backend::Cpu,
        ..Config::default()
    })
    .expect("the CPU is always there")
}

#[test]
fn cubes_keep_their_energy_and_stay_in_the_room() {
    let outcome = bouncing::run(30, 120, 1000).expect("the CPU is always there");
    assert!(outcome.impacts > 100, "{}", outcome.impacts);
    assert!(outcome.drift < 1e-6, "{}", outcome.drift);
    assert_eq!((outcome.escaped, outcome.overlapping, outcome.left), (0, 0, 0.0));
}

#[test]
fn everyone_gets_through_the_door() {
    let outcome = door::run(16, 3_000, 10_000).expect("the CPU is always there");
    assert_eq!((outcome.through, outcome.overlapping), (16, 0));
    assert!(outcome.stops > 100, "{}", outcome.stops);
}

#[test]
fn discs_get_through_the_door_in_the_plane() {
    let outcome = flatland::run(24, 2_000).expect("the CPU is always there");
    assert_eq!(outcome.through, 24, "{outcome:?}");
    assert!(outcome.contacts > 100 && outcome.deepest < 0.2, "{outcome:?}");
}

/// Springs that follow the normal may give back a little more than they took, so energy is not
/// compared from frame to frame.
#[test]
fn granular_balls_lose_energy_and_keep_their_momentum() {
    let (mut world, mut checker) = (granular::World::new(600), cpu());
    let first = world.advance(&mut checker).expect("valid balls");
    let mut last = first;
    for _ in 0..1500 {
        last = world.advance(&mut checker).expect("valid balls");
        assert!(last.energy < 1.001 * first.energy, "{last:?}");
    }
    assert!(last.energy < 0.8 * first.energy, "{first:?} {last:?}");
    assert!(world.pairs.len() > 600, "{}", world.pairs.len());
    for axis in 0..2 {
        let change = last.momentum[axis] - first.momentum[axis];
        assert!(change.abs() < 1e-8, "{first:?} {last:?}");
    }
}

/// Balls that stay on a GPU move as those of the CPU do, but for the rounding of `f32`: across the
/// border too, where pairs are turned, and with the friction of what their contacts remember.
#[test]
fn granular_balls_on_a_gpu_are_those_of_the_cpu() {
    let (mut world, mut checker) = (granular::World::new(400), cpu());
    // All drift across the border while they touch.
    world.velocities.iter_mut().for_each(|velocity| velocity.x += 5.0);
    let mut twin = world.clone();
    let fast = Config {
        precision: Precision::Fast,
        ..Config::default()
    };
    let mut resident = granular::resident::Resident::new(gpu_checker(fast), &twin).expect("a device");
    let side = world.period.lengths[0].expect("a period");
    let nearest = |x: f64| x - side * (x / side).round();
    for _ in 0..3 {
        let outcome = resident.advance(80).expect("frames").expect("an outcome");
        let (totals, contacts) = resident.read(&mut twin, &outcome).expect("balls");
        let mut last = granular::Totals::default();
        for _ in 0..80 {
            last = world.advance(&mut checker).expect("valid balls");
        }
        assert_eq!(contacts as usize, world.pairs.len());
        assert!((totals.energy / last.energy - 1.0).abs() < 1e-3, "{totals:?} {last:?}");
        for (ball, other) in world.balls.iter().zip(&twin.balls) {
            let way = (ball.center - other.center).as_dvec3();
            let way = DVec3::new(nearest(way.x), nearest(way.y), way.z);
            assert!(way.length() < 1e-3, "{ball:?} {other:?}");
        }
    }
}

/// Slides of contacts that are carried by places are those that a hash map keeps, bit for bit,
/// while balls come, go and jump.
#[test]
fn granular_history_is_that_of_a_hash_map() {
    let (mut world, mut checker) = (granular::World::new(300), cpu());
    let mut kept: HashMap<Pair, DVec3> = HashMap::new();
    let (mut carried, mut new, mut next) = (0, 0, 300);
    for frame in 0..1000 {
        disturb(&mut world, frame, &mut next);
        let mut twin = world.clone();
        world.advance(&mut checker).expect("valid balls");
        let (pairs, contacts) = twin.contacts(&mut checker).expect("valid balls");
        let named = twin.named(&pairs);
        let slide = |pair: &Pair| kept.get(pair).copied();
        let mut slides: Vec<DVec3> = named.iter().map(|pair| slide(pair).unwrap_or_default()).collect();
        carried += named.iter().filter(|pair| slide(pair).is_some()).count();
        new += named.iter().filter(|pair| slide(pair).is_none()).count();
        twin.push(&pairs, &contacts, &mut slides);
        kept = named.iter().copied().zip(slides.iter().copied()).collect();
        (twin.pairs, twin.slides) = (named, slides);
        assert_eq!(world, twin, "frame {frame}");
    }
    assert!(carried > 50_000 && new > 1000, "{carried} carried, {new} new");
}

/// Drops a ball and lets another go in every third frame, and lets one jump in each.
fn disturb(world: &mut granular::World, frame: usize, next: &mut u32) {
    let jumping = frame * 7919 % world.balls.len();
    world.balls[jumping].center.y += 0.02;
    if !frame.is_multiple_of(3) {
        return;
    }
    let (far, going) = (frame * 31 % world.balls.len(), frame * 104_729 % world.balls.len());
    world.balls[far].center.x += 1.1;
    world.ids.remove(going);
    let ball = world.balls.remove(going);
    let velocity = world.velocities.remove(going);
    let spin = world.spins.remove(going);
    world.ids.push(*next);
    *next += 1;
    // The newcomer takes the place of the one that goes, so it touches the same balls.
    world.balls.push(ball);
    world.velocities.push(velocity);
    world.spins.push(spin);
}

#[test]
fn agents_steer_around_each_other() {
    let (_, outcome) = steering::run(&mut cpu(), 400, 60).expect("valid bodies");
    assert_eq!(outcome.overlapping, 0, "{outcome:?}");
    assert!(outcome.progress > 0.6, "{outcome:?}");
    assert!(outcome.approaches > 1000, "{outcome:?}");
}

#[test]
fn peers_in_lockstep_have_the_same_world() {
    let mut peers = lockstep::peers(300).expect("the CPU is always there");
    let outcome = lockstep::run(&mut peers, 250).expect("valid boxes");
    assert_eq!(outcome.desync, None);
    assert!(outcome.collisions > 500, "{outcome:?}");
    peers[1].disturb();
    let outcome = lockstep::run(&mut peers, 250).expect("valid boxes");
    assert_eq!(outcome.desync, Some(0));
}

/// The tests of the npm package play the same game.
#[test]
fn a3_the_game_in_browsers_is_that_of_the_example() {
    let mut peers = lockstep::peers(1_000).expect("the CPU is always there");
    peers.truncate(1);
    let outcome = lockstep::run(&mut peers, 300).expect("valid boxes");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/web/tests/lockstep.mjs");
    let text = std::fs::read_to_string(path).expect("a source");
    let expected = format!(
        "tanks: 1000, ticks: 300, collisions: {}, checksum: \"{:016x}\"",
        outcome.collisions, outcome.checksum
    );
    assert!(text.contains(&expected), "{expected}");
}

/// Compares with the plain method, which looks at all pairs in the order of the scores.
#[test]
fn a6_suppression_keeps_what_the_plain_method_keeps() {
    use obbligato::{Backend, Checker, Config};
    let mut checker = Checker::new(Config {
        backend: Backend::Cpu,
        ..Config::default()
    })
    .expect("the CPU is always there");
    for seed in 1..4 {
        let proposals = nms::made_up(1_000, seed);
        let nms::Proposals { boxes, scores, groups } = &proposals;
        let mut order: Vec<usize> = (0..boxes.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
        let mut expected: Vec<u32> = Vec::new();
        for id in order {
            let suppresses = |&kept: &u32| {
                let kept = kept as usize;
                groups[kept] == groups[id] && boxes[kept].overlap(&boxes[id]).iou > 0.25
            };
            if !expected.iter().any(suppresses) {
                expected.push(id as u32);
            }
        }
        let kept = nms::suppress(&mut checker, &proposals, 0.25).expect("valid boxes");
        assert_eq!(kept, expected);
        assert!((100..200).contains(&kept.len()), "{}", kept.len());
    }
}

/// The robot's path keeps clear of everything at ten times as many postures as the search tested.
#[test]
fn the_robot_keeps_clear_of_its_cell() {
    use obbligato::{Backend, Checker, Config};
    let outcome = robot_cell::run(3000).expect("the CPU is always there");
    assert!((100..2900).contains(&outcome.free), "{}", outcome.free);
    // The direct path is blocked.
    assert_eq!(outcome.way.len(), 3);
    let mut checker = Checker::new(Config {
        backend: Backend::Cpu,
        margin: 0.02 - 1e-4,
        ..Config::default()
    })
    .expect("the CPU is always there");
    let cell = checker.prepare(&robot_cell::cell()).expect("valid boxes");
    for ends in outcome.way.windows(2) {
        let samples = robot_cell::leg(&ends[0], &ends[1]);
        for ends in samples.windows(2) {
            let at = |t: f32| std::array::from_fn(|k| ends[0][k] + t * (ends[1][k] - ends[0][k]));
            let between: Vec<robot_cell::Posture> = (0..=10).map(|k| at(k as f32 / 10.0)).collect();
            let links: Vec<_> = between.iter().flat_map(robot_cell::links).collect();
            let near = checker
                .check(obbligato::Query::against(&cell, &links))
                .expect("valid links");
            assert_eq!(near.pairs().expect("asked for"), []);
        }
    }
}
