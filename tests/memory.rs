//! What a check needs, held against what it estimates: an allocator that counts tells for the host, the report for the
//! device.
//!
//! This is a program of its own because it counts what all threads of the process take, those of the CPU backend and of
//! drivers too, and no other test may run meanwhile.
#![allow(unsafe_code, reason = "an allocator is unsafe by nature")]

#[path = "it/support/gpu.rs"]
#[allow(dead_code, reason = "this uses a part of it")]
mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use obbligato::scenes::Scene;
use obbligato::{Checker, Config, GpuConfig, MemoryEstimate, Output, Report, gpu};
use support::{OUTPUTS, check, cpu, cpu_pairs, gpu_with};

/// The system's allocator, which also keeps count of the bytes that are in use.
struct Counting;

static IN_USE: AtomicU64 = AtomicU64::new(0);
static MOST: AtomicU64 = AtomicU64::new(0);

fn take(bytes: usize) {
    MOST.fetch_max(IN_USE.fetch_add(bytes as u64, Relaxed) + bytes as u64, Relaxed);
}

fn give(bytes: usize) {
    IN_USE.fetch_sub(bytes as u64, Relaxed);
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller promises what the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller promises what the system's allocator asks for.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        give(layout.size());
        // SAFETY: the caller promises what the system's allocator asks for.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        give(layout.size());
        take(size);
        // SAFETY: the caller promises what the system's allocator asks for.
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Tests that count must not count each other.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bytes that `work` takes at its height beyond what is in use before.
fn height<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = IN_USE.load(Relaxed);
    MOST.store(before, Relaxed);
    let value = work();
    (value, MOST.load(Relaxed) - before)
}

/// Holds an estimate against what was used: never less, nor much more. Small scenes may differ by `slack`.
#[track_caller]
fn expect_close(what: &str, estimate: u64, used: u64, slack: u64) {
    assert!(estimate >= used, "{what}: {estimate} estimated, {used} used");
    assert!(
        estimate as f64 <= 1.6 * used as f64 + slack as f64,
        "{what}: {estimate} estimated, only {used} used"
    );
}

#[test]
fn the_cpu_needs_what_it_estimates() {
    let _alone = alone();
    for scene in [
        Scene::Uniform,
        Scene::Dense,
        Scene::Mixed,
        Scene::Clusters,
        Scene::Crowd,
    ] {
        // Large enough for the boxes to outweigh the probe's tables, which have room for sixteen sizes.
        let count = if scene == Scene::Uniform { 1_000_000 } else { 100_000 };
        let boxes = scene.generate(count, 1);
        for output in OUTPUTS {
            let what = format!("{scene}, {count} boxes, {output:?}");
            let mut checker = cpu(Config {
                output,
                ..Config::default()
            });
            let (report, used) = height(|| check(&mut checker, &what, &boxes));
            let estimate = estimate_of(&checker, &report);
            expect_close(&what, estimate.host_bytes, used, 16 << 20);
            assert_eq!((estimate.device_bytes, estimate.parts), (0, 1), "{what}");
        }
    }
}

fn estimate_of(checker: &Checker, report: &Report) -> MemoryEstimate {
    checker.memory_estimate(report.boxes, report.colliding_pairs as usize)
}

#[test]
fn a_device_needs_what_is_estimated() {
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

#[test]
fn scenes_in_parts_need_what_is_estimated() {
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
