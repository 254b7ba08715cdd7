//! The memory that a check needs, compared with its estimate: a counting allocator measures the
//! host, the report the device.
//!
//! This is a separate program because it counts the allocations of all threads of the process,
//! including those of the CPU backend and of drivers, and no other test may run meanwhile.
#![allow(unsafe_code, reason = "an allocator is unsafe by nature")]

#[path = "memory/each.rs"]
mod each;
#[path = "memory/requests.rs"]
mod requests;
#[path = "it/support/gpu.rs"]
#[allow(dead_code, reason = "this uses a part of it")]
mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use obbligato::contact::Contacts;
use obbligato::glam::Vec3;
use obbligato::query::Sweep;
use obbligato::{
    BroadPhase, Checker, Config, GpuConfig, Obb, Output, Pair, Query, Report, gpu,
    motion::{Motion, MovingSet, Step},
    report::MemoryEstimate,
};
use obbligato_support::memory;
use obbligato_verify::scenes::{BodyScene, Scene};
use support::{OUTPUTS, check, cpu, cpu_pairs, gpu_with};

/// The system's allocator, which also counts the bytes in use, and fails a request on demand.
struct Counting;

static IN_USE: AtomicU64 = AtomicU64::new(0);
static MOST: AtomicU64 = AtomicU64::new(0);
/// Bytes requested so far, whether freed or not.
static REQUESTED: AtomicU64 = AtomicU64::new(0);

/// The minimum size of a large request in bytes.
static LARGE: AtomicUsize = AtomicUsize::new(usize::MAX);
/// The number of large requests so far, and the number of the one to refuse, from 1.
static REQUESTS: AtomicUsize = AtomicUsize::new(0);
static REFUSED: AtomicUsize = AtomicUsize::new(0);

/// Set if the requests whose refusal is handled are counted, whatever their size, instead of the
/// large ones.
static HANDLED: AtomicBool = AtomicBool::new(false);
/// The largest other request in bytes, while that is set.
static UNHANDLED: AtomicUsize = AtomicUsize::new(0);

/// Returns `true` if a request is to be refused.
fn refuses(bytes: usize) -> bool {
    let counts = match HANDLED.load(Relaxed) {
        false => bytes >= LARGE.load(Relaxed),
        true if memory::copes_with_refusal() => true,
        true => {
            UNHANDLED.fetch_max(bytes, Relaxed);
            false
        }
    };
    counts && REQUESTS.fetch_add(1, Relaxed) + 1 == REFUSED.load(Relaxed)
}

fn take(bytes: usize) {
    REQUESTED.fetch_add(bytes as u64, Relaxed);
    MOST.fetch_max(IN_USE.fetch_add(bytes as u64, Relaxed) + bytes as u64, Relaxed);
}

fn give(bytes: usize) {
    IN_USE.fetch_sub(bytes as u64, Relaxed);
}

// SAFETY: every call goes to the system's allocator unchanged, unless it is refused.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if refuses(layout.size()) {
            return null_mut();
        }
        take(layout.size());
        // SAFETY: the caller upholds the requirements of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if refuses(layout.size()) {
            return null_mut();
        }
        take(layout.size());
        // SAFETY: the caller upholds the requirements of the system's allocator.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        give(layout.size());
        // SAFETY: the caller upholds the requirements of the system's allocator.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if refuses(size) {
            return null_mut();
        }
        give(layout.size());
        take(size);
        // SAFETY: the caller upholds the requirements of the system's allocator.
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Locks out other tests that count, because they must not count each other's requests.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The peak number of bytes that `work` allocates beyond those in use before.
fn height<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = IN_USE.load(Relaxed);
    MOST.store(before, Relaxed);
    let value = work();
    (value, MOST.load(Relaxed) - before)
}

/// The bytes per box that `work` requests, whether it frees them or not. On the first call the
/// system must supply all of them.
fn requested_a_box<T>(boxes: usize, work: impl FnOnce() -> T) -> (T, f64) {
    let before = REQUESTED.load(Relaxed);
    let value = work();
    (value, (REQUESTED.load(Relaxed) - before) as f64 / boxes as f64)
}

/// Compares an estimate with the bytes used: it must not be less, nor much more. Small scenes may
/// differ by `slack`.
#[track_caller]
fn expect_close(what: &str, estimate: u64, used: u64, slack: u64) {
    assert!(estimate >= used, "{what}: {estimate} estimated, {used} used");
    assert!(
        estimate as f64 <= 1.5 * used as f64 + slack as f64,
        "{what}: {estimate} estimated, only {used} used"
    );
}

/// A visitor takes no memory for pairs: no more for many than for few of as many boxes.
#[test]
fn visitors_need_no_memory_for_pairs() {
    let _alone = alone();
    let spread = |scale: f32| -> Vec<Obb> {
        let boxes = Scene::Uniform.generate(20_000, 1).into_iter();
        boxes
            .map(|obb| Obb {
                center: scale * obb.center,
                ..obb
            })
            .collect()
    };
    let visit = |pairs: &[Pair]| assert!(pairs.len() <= 1024, "{} pairs at once", pairs.len());
    let visit_contacts = |pairs: &[Pair], contacts: &Contacts| assert_eq!(pairs.len(), contacts.penetrations().len());
    let [few, many] = [1.0, 0.2].map(|scale| {
        let boxes = spread(scale);
        let (report, visited) = height(|| cpu(Config::default()).check(Query::from(&boxes).visit(&visit)));
        let pairs = report.expect("valid boxes").colliding_pairs;
        let (report, with_contacts) =
            height(|| cpu(Config::default()).check(Query::from(&boxes).visit_contacts(&visit_contacts)));
        assert_eq!(report.expect("valid boxes").colliding_pairs, pairs);
        (pairs, visited, with_contacts)
    });
    assert!(many.0 > 50 * few.0 && many.0 > 500_000, "{few:?}, {many:?}");
    // A list of these pairs would take more than ten times as much as is allowed here.
    let slack = many.0 * 8 / 10;
    assert!(many.1 < few.1 + slack && many.2 < few.2 + slack, "{few:?}, {many:?}");
}

#[test]
fn the_cpu_needs_the_estimated_memory() {
    let _alone = alone();
    for scene in [
        Scene::Uniform,
        Scene::Dense,
        Scene::Mixed,
        Scene::Clusters,
        Scene::Crowd,
    ] {
        // Large enough for the boxes to outweigh the probe's tables, which are sized for sixteen
        // size groups.
        let count = if scene == Scene::Uniform { 1_000_000 } else { 100_000 };
        let boxes = scene.generate(count, 1);
        for output in OUTPUTS {
            let estimates = CHOSEN.map(|broad_phase| {
                let what = format!("{scene}, {count} boxes, {output:?}, {broad_phase:?}");
                let mut checker = cpu(Config {
                    output,
                    broad_phase,
                    ..Config::default()
                });
                let (report, used) = height(|| check(&mut checker, &what, &boxes));
                let estimate = estimate_of(&checker, &report);
                expect_close(&what, estimate.host_bytes, used, 16 << 20);
                assert_eq!((estimate.device_bytes, estimate.parts), (0, 1), "{what}");
                (report.boxes, report.colliding_pairs as usize, estimate)
            });
            expect_the_larger(output, estimates);
        }
    }
}

/// The broad phases that a checker may choose for many boxes.
const CHOSEN: [BroadPhase; 2] = [BroadPhase::Grid, BroadPhase::Tree];

/// A checker that has yet to choose estimates the larger requirement of the two.
#[track_caller]
fn expect_the_larger(output: Output, estimates: [(usize, usize, MemoryEstimate); 2]) {
    let most = estimates.iter().map(|(_, _, estimate)| estimate.host_bytes).max();
    let checker = cpu(Config {
        output,
        ..Config::default()
    });
    let [(boxes, pairs, _), _] = estimates;
    assert_eq!(Some(checker.memory_estimate(boxes, pairs).host_bytes), most);
}

/// Motions without rotation, by about half of the boxes' size.
fn slow(boxes: &[Obb]) -> Vec<Motion> {
    let way = |k: usize| Vec3::new((k % 7) as f32 - 3.0, (k % 5) as f32 - 2.0, (k % 3) as f32 - 1.0) * 0.2;
    (0..boxes.len()).map(|k| Motion::linear(way(k))).collect()
}

#[test]
fn sweeps_need_the_estimated_memory() {
    let _alone = alone();
    let step = Step::new(1.0);
    for (scene, count) in [
        (Scene::Uniform, 500_000),
        (Scene::Dense, 100_000),
        (Scene::Mixed, 100_000),
    ] {
        let boxes = scene.generate(count, 1);
        let motions = slow(&boxes);
        let set = MovingSet::new(&boxes, &motions);
        let mut checker = cpu(Config::default());
        let (found, used) = height(|| checker.check(Sweep::new(set, &step)).expect("valid motions"));
        let estimate = checker.sweep_memory_estimate(count, found.impacts.len());
        expect_close(scene.name(), estimate.host_bytes, used, 16 << 20);
        assert!(used > 96 * count as u64, "{scene}: {used}");
    }
}

/// On a device, whole and in parts.
#[test]
fn sweeps_on_a_device_need_the_estimated_memory() {
    let _alone = alone();
    let step = Step::new(1.0);
    for (scene, most) in [
        (Scene::Uniform, None),
        (Scene::Dense, None),
        (Scene::Uniform, Some(1 << 18)),
    ] {
        let boxes = scene.generate(50_000, 1);
        let motions = slow(&boxes);
        let set = MovingSet::new(&boxes, &motions);
        let mut checker = gpu_with(GpuConfig {
            max_buffer_bytes: most,
            ..GpuConfig::default()
        });
        let (found, used) = height(|| checker.check(Sweep::new(set, &step)).expect("valid motions"));
        let held = found.device_bytes;
        let estimate = checker.sweep_memory_estimate(boxes.len(), found.impacts.len());
        let what = format!("{scene}, {most:?}");
        expect_close(&what, estimate.device_bytes, held, 1 << 20);
        assert!(
            estimate.host_bytes >= used,
            "{what}: {estimate:?}, {used} used on the host"
        );
        assert_eq!(estimate.parts > 1, most.is_some(), "{what}: {estimate:?}");
        assert!(held > 96 * 2_000, "{what}: {held}");
    }
}

fn estimate_of(checker: &Checker, report: &Report) -> MemoryEstimate {
    checker.memory_estimate(report.boxes, report.colliding_pairs as usize)
}

#[test]
fn a_first_check_requests_little() {
    const BOXES: usize = 1_000_000;
    let _alone = alone();
    let boxes = Scene::Uniform.generate(BOXES, 1);
    let mut checker = cpu(Config {
        output: Output::Count,
        ..Config::default()
    });
    let (_, bytes) = requested_a_box(BOXES, || check(&mut checker, "a first check", &boxes));
    // Boxes in the order of the grid and by bucket (96), the numbers of their bounds (28) and their
    // ids (4), two starts of slots (8), entries (8), and lists of a fixed size for several thousand
    // boxes each.
    assert!(bytes < 150.0, "{bytes} bytes a box");
    // Spheres and their keys in the order of the grid (24), in lanes (20) and in transit (24), and
    // two starts of slots (8).
    let balls = BodyScene::Spheres.bodies(BOXES, 1);
    let mut checker = cpu(Config {
        output: Output::Count,
        ..Config::default()
    });
    let (_, bytes) = requested_a_box(BOXES, || checker.check(balls.all()).expect("valid balls"));
    assert!(bytes < 95.0, "{bytes} bytes a ball");
}

#[test]
fn bodies_of_other_kinds_need_no_more_than_the_estimate() {
    let _alone = alone();
    for scene in BodyScene::OTHERS {
        let owned = scene.bodies(300_000, 1);
        for broad_phase in CHOSEN {
            let mut checker = cpu(Config {
                broad_phase,
                ..Config::default()
            });
            let (report, used) = height(|| checker.check(owned.all()).expect("valid bodies"));
            let estimate = checker.memory_estimate(owned.all(), report.colliding_pairs as usize);
            let what = format!("{}, {broad_phase:?}", scene.name());
            expect_close(&what, estimate.host_bytes, used, 16 << 20);
        }
    }
}

#[test]
fn a_device_needs_the_estimated_memory() {
    let _alone = alone();
    for (scene, output) in [Scene::Uniform, Scene::Dense, Scene::Mixed].into_iter().zip(OUTPUTS) {
        let what = format!("{scene}, {output:?}");
        let boxes = scene.generate(50_000, 1);
        let mut checker = support::gpu(Config {
            output,
            ..Config::default()
        });
        let (report, used) = height(|| check(&mut checker, &what, &boxes));
        let estimate = estimate_of(&checker, &report);
        expect_close(&what, estimate.device_bytes, report.device_bytes, 1 << 20);
        assert!(
            estimate.host_bytes >= used,
            "{what}: {estimate:?}, {used} used on the host"
        );
        assert!(estimate.largest_buffer_bytes >= 48 * 50_000, "{what}: {estimate:?}");
        assert_eq!(estimate.parts, 1, "{what}");
    }
}

/// Returns the bytes of memory that this process occupies, with those of drivers.
#[cfg(target_os = "linux")]
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let kibibytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = kibibytes.and_then(|kibibytes| kibibytes.trim().strip_suffix("kB"));
    number
        .and_then(|number| number.trim().parse::<u64>().ok())
        .expect("a number")
        << 10
}

/// A driver may compile kernels again in each check, and keep them all: 300 KiB per check on
/// lavapipe.
#[cfg(target_os = "linux")]
#[test]
fn repeated_checks_on_a_device_keep_no_memory() {
    let _alone = alone();
    let mut checker = gpu_with(GpuConfig::default());
    let mut boxes = Scene::Uniform.generate(3_000, 1);
    let mut checks = |count: usize| {
        for _ in 0..count {
            boxes.rotate_left(1);
            boxes.iter_mut().for_each(|obb| obb.center.x += 0.01);
            check(&mut checker, "a moving scene", &boxes);
        }
        resident()
    };
    let warm = checks(20);
    let grown = checks(100).saturating_sub(warm);
    assert!(grown < 8 << 20, "{grown} bytes");
}

#[test]
fn scenes_in_parts_need_the_estimated_memory() {
    let _alone = alone();
    let boxes = Scene::Uniform.generate(100_000, 1);
    let settings = GpuConfig {
        max_buffer_bytes: Some(1 << 18),
        ..GpuConfig::default()
    };
    let mut checker = gpu_with(settings);
    let (report, used) = height(|| check(&mut checker, "parts", &boxes));
    let estimate = estimate_of(&checker, &report);
    assert!((7..9).contains(&estimate.parts), "{estimate:?}");
    assert!(estimate.largest_buffer_bytes <= 1 << 18, "{estimate:?}");
    expect_close("the device", estimate.device_bytes, report.device_bytes, 1 << 19);
    expect_close("the host", estimate.host_bytes, used, 4 << 20);
}

#[test]
fn an_adapter_is_estimated_beforehand() {
    let _alone = alone();
    let config = Config {
        output: Output::Degrees,
        ..Config::default()
    };
    let checker = support::gpu(config.clone());
    let best = &gpu::adapters()[0];
    for (boxes, pairs) in [(0, 0), (1000, 10), (50_000_000, 100_000_000), (usize::MAX, usize::MAX)] {
        let estimate = MemoryEstimate::on_gpu(best, &config, boxes, pairs);
        assert!(
            estimate.host_bytes >= 48 * boxes.min(1 << 31) as u64,
            "{boxes} boxes: {estimate:?}"
        );
        assert_eq!(estimate, checker.memory_estimate(boxes, pairs), "{boxes} boxes");
        let estimate = MemoryEstimate::on_cpu(&config, boxes, pairs);
        assert_eq!(
            estimate,
            cpu(config.clone()).memory_estimate(boxes, pairs),
            "{boxes} boxes"
        );
    }
}

#[test]
fn fixed_capacities_are_estimated() {
    let _alone = alone();
    let boxes = Scene::Dense.generate(50_000, 1);
    let pairs = cpu_pairs(&boxes);
    for most in [10, 10_000] {
        let config = Config {
            max_pairs: Some(most),
            ..Config::default()
        };
        let mut checker = support::gpu(config);
        let report = check(&mut checker, "fixed", &boxes);
        let estimate = checker.memory_estimate(boxes.len(), pairs.len());
        expect_close(
            &format!("at most {most}"),
            estimate.device_bytes,
            report.device_bytes,
            1 << 20,
        );
    }
}

#[test]
fn movers_need_little_more_memory_than_their_bounds() {
    let _alone = alone();
    let boxes = Scene::Uniform.generate(300_000, 1);
    let mut checker = cpu(Config {
        output: Output::Count,
        ..Config::default()
    });
    let scene = checker.prepare(&boxes).expect("valid boxes");
    let (report, used) = height(|| checker.check(Query::against(&scene, &boxes)).expect("valid boxes"));
    assert!(report.colliding_pairs > 300_000);
    assert!(used < 110 * 300_000, "{used} bytes");
}
