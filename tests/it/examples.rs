//! The examples that run by themselves and claim something, small.

#[allow(dead_code)]
#[path = "../../examples/bouncing.rs"]
mod bouncing;

#[allow(dead_code)]
#[path = "../../examples/door.rs"]
mod door;

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
