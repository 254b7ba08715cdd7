//! A device that other threads poll.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use obbligato::{Config, GpuChecker, gpu::Capacity, wgpu};

/// wgpu panics if a wait times out while another thread polls the device.
#[test]
fn threads_that_poll_the_same_device_do_no_harm() {
    const CALLS: usize = 20_000;
    let mut checker = GpuChecker::open(Config::default()).expect("a device");
    let (device, queue) = (checker.device().clone(), checker.queue().clone());
    let few = Capacity {
        boxes: 10,
        ..Capacity::default()
    };
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_over.load(Relaxed) {
                    queue.submit([]);
                    device.poll(wgpu::PollType::Poll).expect("a device");
                }
            });
        }
        let calls = std::panic::catch_unwind(AssertUnwindSafe(|| {
            for _ in 0..CALLS {
                checker.reserve(few).expect("little memory");
            }
        }));
        is_over.store(true, Relaxed);
        calls.expect("no panic");
    });
}
