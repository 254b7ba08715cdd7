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
#[path = "../../examples/lockstep.rs"]
mod lockstep;

#[allow(dead_code)]
#[path = "../../examples/robot_cell.rs"]
mod robot_cell;

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
