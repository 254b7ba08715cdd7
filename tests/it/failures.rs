//! Invalid boxes, a lost device and a slow one: an error of this library, never a panic, and the
//! same one on both backends.

use std::future::Future;
use std::pin::pin;
use std::task::{self, Poll, Waker};
use std::time::Duration;

use obbligato::glam::{Quat, Vec3};
use obbligato::query::{ContactQuery, Containment, DistanceQuery};
use obbligato::{Checker, Config, Error, GpuConfig, Obb, Output, Rules, error::BoxProblem, region::Room, wgpu};
use obbligato::{
    GpuChecker,
    gpu::{Capacity, RulesOf},
};
use obbligato_verify::scenes::Scene;

use crate::support::gpu::{OUTPUTS, cpu, cpu_pairs, device, expect_pairs, gpu, gpu_alone, gpu_with};
use crate::support::processes::output_of;

/// Invalid boxes.
fn bad_boxes() -> Vec<(BoxProblem, Obb)> {
    use BoxProblem::{NegativeExtent, NotFinite, Rotation, TooLarge};
    let good = Obb::new(Vec3::ONE, Vec3::ONE, Quat::from_rotation_y(0.4));
    let center = |x: f32| Obb {
        center: Vec3::new(1.0, x, 1.0),
        ..good
    };
    let extent = |x: f32| Obb {
        half_extents: Vec3::new(1.0, 1.0, x),
        ..good
    };
    let rotation = |w: f32| Obb {
        rotation: Quat::from_xyzw(0.0, 0.0, 0.0, w),
        ..good
    };
    vec![
        (NotFinite, center(f32::NAN)),
        (NotFinite, center(f32::INFINITY)),
        (NotFinite, extent(f32::NAN)),
        (NotFinite, extent(f32::NEG_INFINITY)),
        (NotFinite, rotation(f32::NAN)),
        (NotFinite, rotation(f32::INFINITY)),
        (NegativeExtent, extent(-1.0)),
        // The largest and the smallest negative number.
        (NegativeExtent, extent(-f32::from_bits(1))),
        (NegativeExtent, extent(-f32::MAX)),
        (Rotation, rotation(0.0)),
        (Rotation, rotation(1e-30)),
        (Rotation, rotation(0.9989)),
        (Rotation, rotation(-1.0011)),
        (Rotation, rotation(f32::MAX)),
        (TooLarge, center(1.2e18)),
        (TooLarge, center(-f32::MAX)),
        (TooLarge, extent(1.2e18)),
        (TooLarge, extent(f32::MAX)),
    ]
}

/// The backends, one of them in parts.
fn backends() -> Vec<(&'static str, Checker)> {
    let parts = GpuConfig {
        max_buffer_bytes: Some(1 << 13),
        ..GpuConfig::default()
    };
    vec![
        ("the CPU", cpu(Config::default())),
        ("the GPU", gpu(Config::default())),
        ("the GPU in parts", gpu_with(parts)),
    ]
}

#[test]
fn a_bad_box_is_named() {
    let good = Scene::Uniform.generate(600, 1);
    for (backend, mut checker) in backends() {
        for (problem, bad) in bad_boxes() {
            for places in [&[0][..], &[299], &[599], &[17, 300, 301, 599]] {
                let mut boxes = good.clone();
                places.iter().for_each(|&place| boxes[place] = bad);
                let what = format!("{bad:?} at {places:?}, {backend}");
                match checker.check(&boxes) {
                    Err(Error::InvalidBox {
                        index,
                        problem: found,
                        count,
                    }) => assert_eq!((index, found, count), (places[0], problem, places.len()), "{what}"),
                    other => panic!("{what}: {other:?}"),
                }
            }
            let only = checker.check(&[bad]).expect_err("a bad box alone");
            assert!(matches!(only, Error::InvalidBox { index: 0, count: 1, .. }), "{only}");
        }
        let report = checker.check(&good).expect("good boxes after bad ones");
        expect_pairs(backend, &cpu_pairs(&good), report.pairs().expect("asked for"));
    }
}

#[test]
fn the_limits_of_tolerances_are_the_same_everywhere() {
    let turned = Quat::from_xyzw(0.5, -0.1, 0.7, 0.5).normalize();
    let around = |x: f32| (-6..=6).map(move |ulps| f32::from_bits((x.to_bits() as i32 + ulps) as u32));
    let mut boxes = Vec::new();
    for length in [0.999f32, 1.001].into_iter().flat_map(around) {
        boxes.push(Obb::new(Vec3::ONE, Vec3::ONE, Quat::from_xyzw(0.0, 0.0, length, 0.0)));
        boxes.push(Obb::new(Vec3::ONE, Vec3::ONE, turned * length));
    }
    for x in around(obbligato::shape::COORDINATE_LIMIT) {
        boxes.push(Obb::axis_aligned(Vec3::new(0.0, -x, 0.0), Vec3::ONE));
        boxes.push(Obb::axis_aligned(Vec3::ONE, Vec3::new(0.0, x, 0.0)));
    }
    // Negative zero is not a negative extent.
    boxes.push(Obb::axis_aligned(Vec3::ONE, Vec3::new(-0.0, 1.0, -0.0)));
    let bad = boxes.iter().filter(|solid| solid.problem().is_some()).count();
    assert!(
        (20..boxes.len() - 20).contains(&bad),
        "{bad} of {} are bad",
        boxes.len()
    );
    for (backend, mut checker) in backends() {
        for &solid in &boxes {
            let found = match checker.check(&[solid]) {
                Ok(_) => None,
                Err(Error::InvalidBox { problem, .. }) => Some(problem),
                Err(error) => panic!("{solid:?}, {backend}: {error}"),
            };
            assert_eq!(found, solid.problem(), "{solid:?}, {backend}");
        }
    }
}

#[test]
fn a_short_timeout_is_an_error_and_does_no_harm() {
    let boxes = Scene::Dense.generate(20_000, 2);
    for timeout in [Duration::ZERO, Duration::from_nanos(1), Duration::from_micros(200)] {
        let mut checker = gpu_alone(GpuConfig {
            timeout,
            ..GpuConfig::default()
        });
        let mut finished = 0;
        for call in 0..4 {
            let report = if call % 2 == 0 {
                checker.check(&boxes)
            } else {
                pollster::block_on(checker.check_async(&boxes))
            };
            match report {
                Ok(report) => {
                    expect_pairs(
                        "in time after all",
                        &cpu_pairs(&boxes),
                        report.pairs().expect("asked for"),
                    );
                    finished += 1;
                }
                Err(Error::Timeout { seconds }) => assert_eq!(seconds, timeout.as_secs_f64()),
                Err(other) => panic!("{timeout:?}: {other}"),
            }
        }
        assert!(
            finished < 4 || !timeout.is_zero(),
            "no time at all was enough four times"
        );
    }
}

/// A driver that never finishes: each thread of a software adapter gets a stack of the size of the
/// limit, so only one thread fits. Its queue then accepts submissions, and nothing executes them.
#[cfg(target_os = "linux")]
#[test]
fn a_checker_of_a_device_that_hangs_can_be_dropped() {
    const INSIDE: &str = "OBBLIGATO_TEST_INSIDE";
    if std::env::var_os(INSIDE).is_none() {
        let mut shell = std::process::Command::new("sh");
        shell
            .args(["-c", "ulimit -s 700000 && ulimit -v 1400000 && exec \"$0\" \"$@\""])
            .arg(std::env::current_exe().expect("the path of this program"))
            .args(["--exact", "failures::a_checker_of_a_device_that_hangs_can_be_dropped"])
            .env(INSIDE, "1");
        let output = output_of(&mut shell);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut checker = gpu_alone(GpuConfig {
            timeout: Duration::from_secs(2),
            ..GpuConfig::default()
        });
        let outcome = checker.check(&Scene::Uniform.generate(1000, 1));
        drop(checker);
        sender.send(outcome.map(|report| report.colliding_pairs))
    });
    let outcome = receiver.recv_timeout(Duration::from_secs(200));
    // A driver that needs no such threads finishes.
    assert!(
        matches!(outcome, Ok(Ok(_) | Err(Error::Timeout { .. }))),
        "the checker cannot be dropped: {outcome:?}"
    );
}

#[test]
fn a_timeout_too_long_to_wait_for_is_ignored() {
    let mut checker = gpu_alone(GpuConfig {
        timeout: Duration::MAX,
        ..GpuConfig::default()
    });
    checker.check(&Scene::Uniform.generate(500, 1)).expect("a report");
}

#[test]
fn a_lost_device_is_an_error() {
    let boxes = Scene::Dense.generate(2000, 3);
    for asynchronous in [false, true] {
        let (device, queue) = device(wgpu::Features::empty(), wgpu::Limits::default());
        let mut checker = GpuChecker::new(&device, &queue, Config::default()).expect("a checker");
        checker.checker().check(&boxes).expect("a report before the loss");
        device.destroy();
        for call in 0..3 {
            // Growing buffers, too.
            let boxes = &boxes[..if call == 1 { 2000 } else { 100 }];
            let error = if asynchronous {
                pollster::block_on(checker.checker().check_async(boxes))
            } else {
                checker.checker().check(boxes)
            };
            let error = error.expect_err("the device is lost");
            assert!(matches!(error, Error::DeviceLost { .. }), "{error:?}");
        }
        let late =
            GpuChecker::new(&device, &queue, Config::default()).and_then(|mut checker| checker.checker().check(&boxes));
        assert!(matches!(late, Err(Error::DeviceLost { .. })), "{late:?}");
    }
}

/// Polls a call until it returns, and destroys the device when the call waits for the `nth` time.
/// Returns the answer, and `true` if the call waited that often.
fn destroyed_at<T>(nth: usize, device: &wgpu::Device, call: impl Future<Output = T>) -> (T, bool) {
    let mut call = pin!(call);
    let mut context = task::Context::from_waker(Waker::noop());
    let mut waited = 0;
    loop {
        match call.as_mut().poll(&mut context) {
            Poll::Ready(answer) => return (answer, waited > nth),
            Poll::Pending => {
                if waited == nth {
                    device.destroy();
                }
                waited += 1;
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

/// Asserts that the answer of a call on a device lost meanwhile is a permitted one.
#[track_caller]
fn expect_lost<T>(what: &str, destroyed: bool, answer: obbligato::Result<T>) {
    match answer {
        Ok(_) => {}
        Err(error @ Error::DeviceLost { .. }) if destroyed => {
            assert!(!error.to_string().contains('\n'), "{what}: {error}");
        }
        Err(error) => panic!("{what}: {error}"),
    }
}

#[test]
fn a_device_that_is_lost_during_a_call_is_an_error() {
    let boxes = Scene::Dense.generate(2000, 3);
    let pairs = cpu_pairs(&boxes);
    let sets = [&boxes[..], &boxes[..]];
    let room = Room::new(Vec3::splat(-3.0), Vec3::splat(3.0)).expect("a room");
    let lists = GpuConfig {
        initial_candidates: 1,
        initial_pairs: 1,
        ..GpuConfig::default()
    };
    let config = Config {
        gpu: lists,
        ..Config::default()
    };
    for nth in 0..6 {
        for call in 0..5 {
            let (device, queue) = device(wgpu::Features::empty(), wgpu::Limits::default());
            let mut checker = GpuChecker::new(&device, &queue, config.clone()).expect("a checker");
            let checker = checker.checker();
            let what = format!("call {call}, the device destroyed at wait {nth}");
            match call {
                0 => {
                    let (answer, destroyed) = destroyed_at(nth, &device, checker.check_async(&boxes));
                    expect_lost(&what, destroyed, answer);
                }
                1 => {
                    let (answer, destroyed) = destroyed_at(nth, &device, checker.prepare_async(&boxes));
                    expect_lost(&what, destroyed, answer);
                }
                2 => {
                    let (answer, destroyed) =
                        destroyed_at(nth, &device, checker.check_async(Containment::new(&room, &boxes)));
                    expect_lost(&what, destroyed, answer);
                }
                3 => {
                    let (answer, destroyed) =
                        destroyed_at(nth, &device, checker.check_async(ContactQuery::new(sets, &pairs)));
                    expect_lost(&what, destroyed, answer);
                }
                _ => {
                    let (answer, destroyed) =
                        destroyed_at(nth, &device, checker.check_async(DistanceQuery::new(sets, &pairs)));
                    expect_lost(&what, destroyed, answer);
                }
            }
        }
    }
}

#[test]
fn a_device_that_another_thread_destroys_is_an_error() {
    let boxes = Scene::Dense.generate(2000, 3);
    let mut lost = 0;
    for step in 0..24 {
        let (device, queue) = device(wgpu::Features::empty(), wgpu::Limits::default());
        let mut checker = GpuChecker::new(&device, &queue, Config::default()).expect("a checker");
        checker.checker().check(&boxes[..100]).expect("a report");
        let delay = Duration::from_micros(400 * step);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(delay);
                device.destroy();
            });
            for _ in 0..3 {
                let answer = checker.checker().check(&boxes);
                lost += usize::from(answer.is_err());
                expect_lost(&format!("{delay:?}"), true, answer);
            }
        });
    }
    assert!(lost > 20, "{lost} calls noticed");
}

#[test]
fn impossible_capacities_are_errors() {
    let (device, queue) = device(wgpu::Features::empty(), wgpu::Limits::default());
    let mut checker = GpuChecker::new(&device, &queue, Config::default()).expect("a checker");
    let none = Capacity::default();
    for count in [u32::MAX, 1 << 31, 1 << 30] {
        let too_much = [
            Capacity { boxes: count, ..none },
            Capacity {
                candidates: count,
                ..none
            },
            Capacity { pairs: count, ..none },
            Capacity {
                undecided: count,
                ..none
            },
        ];
        for capacity in too_much {
            match checker.reserve(capacity) {
                Err(Error::LimitExceeded { needed, .. }) => assert_eq!(needed, u64::from(count), "{capacity:?}"),
                other => panic!("{capacity:?}: {other:?}"),
            }
        }
    }
    let some = Capacity {
        boxes: 1000,
        candidates: 1000,
        pairs: 1000,
        undecided: 1000,
    };
    checker.reserve(some).expect("room");
    device.destroy();
    for capacity in [none, some, Capacity { pairs: 100_000, ..some }] {
        let refused = checker.reserve(capacity);
        assert!(matches!(refused, Err(Error::DeviceLost { .. })), "{refused:?}");
    }
}

#[test]
fn rules_about_more_boxes_than_can_be_numbered_are_an_error() {
    let (device, queue) = device(wgpu::Features::empty(), wgpu::Limits::default());
    let mut checker = GpuChecker::new(&device, &queue, Config::default()).expect("a checker");
    let none = Rules::default();
    for counts in [[u32::MAX, 2], [2, u32::MAX], [1 << 31, 1 << 31], [0, u32::MAX]] {
        let between = checker.upload_rules(RulesOf::between(counts.map(|count| (&none, count))));
        assert!(
            matches!(between, Err(Error::TooManyBoxes { .. })),
            "{counts:?}: {between:?}"
        );
        let all = checker.upload_rules(RulesOf::boxes(&none, u32::MAX));
        assert!(matches!(all, Err(Error::TooManyBoxes { .. })), "{counts:?}: {all:?}");
    }
}

#[test]
fn estimates_beyond_all_memory_do_not_wrap() {
    for output in OUTPUTS {
        for max_buffer_bytes in [None, Some(1 << 20)] {
            let config = Config {
                output,
                gpu: GpuConfig {
                    max_buffer_bytes,
                    ..GpuConfig::default()
                },
                ..Config::default()
            };
            for checker in [cpu(config.clone()), gpu(config)] {
                for boxes in [1000, 80_000, 200_000, usize::MAX / 2, usize::MAX] {
                    let pairs = [0, 1 << 40, usize::MAX / 24, 1 << 60, usize::MAX / 5 + 1, usize::MAX];
                    let bytes = pairs.map(|pairs| checker.memory_estimate(boxes, pairs).host_bytes);
                    assert!(bytes.is_sorted(), "{boxes} boxes, {output:?}: {bytes:?}");
                    assert!(
                        output != Output::Pairs || bytes[5] == u64::MAX,
                        "{boxes} boxes: {bytes:?}"
                    );
                }
            }
        }
    }
}

/// Starts a call, and drops it when it first waits. Returns `true` if it waited.
fn abandon<T>(call: impl Future<Output = T>) -> bool {
    let mut context = task::Context::from_waker(Waker::noop());
    matches!(pin!(call).poll(&mut context), Poll::Pending)
}

#[test]
fn calls_dropped_midway_leave_the_checker_usable() {
    let boxes = Scene::Dense.generate(2000, 3);
    let sets = [&boxes[..], &boxes[..]];
    let room = Room::new(Vec3::splat(-3.0), Vec3::splat(3.0)).expect("a room");
    let (mut checker, mut twin) = (gpu(Config::default()), cpu(Config::default()));
    let pairs = cpu_pairs(&boxes);
    let contacts = checker.check(ContactQuery::new(sets, &pairs)).expect("contacts");
    let points = checker.check(DistanceQuery::new(sets, &pairs)).expect("points");
    // A fast device may have answered before a call first waits, but not every time.
    let mut waited = [false; 5];
    for round in 0..3 {
        let abandoned = [
            abandon(checker.check_async(&boxes)),
            abandon(checker.prepare_async(&boxes)),
            abandon(checker.check_async(Containment::new(&room, &boxes))),
            abandon(checker.check_async(ContactQuery::new(sets, &pairs))),
            abandon(checker.check_async(DistanceQuery::new(sets, &pairs))),
        ];
        for (waited, abandoned) in waited.iter_mut().zip(abandoned) {
            *waited |= abandoned;
        }
        expect_pairs(
            "after",
            &pairs,
            checker.check(&boxes).expect("a report").pairs().expect("asked for"),
        );
        checker.prepare(&boxes).expect("a scene");
        let expected = twin.check(Containment::new(&room, &boxes)).expect("rooms");
        assert!(
            checker.check(Containment::new(&room, &boxes)).expect("rooms") == expected,
            "round {round}"
        );
        let again = checker.check(ContactQuery::new(sets, &pairs)).expect("contacts");
        assert!(again.penetrations() == contacts.penetrations() && again.points() == contacts.points());
        assert!(checker.check(DistanceQuery::new(sets, &pairs)).expect("points") == points);
    }
    assert_eq!(waited, [true; 5], "a call that never waits shows nothing");
}

#[test]
fn a_missing_adapter_is_a_clear_error() {
    let config = Config {
        adapter: Some("no adapter is called this".to_owned()),
        ..Config::default()
    };
    let error = Checker::new(config).err().expect("an error");
    assert!(matches!(error, Error::NoAdapter { .. }), "{error}");
    assert!(error.to_string().contains("no adapter is called this"), "{error}");
}
