//! The host's memory: what a check will need, what is left, and lists that end in an error when there is no more.
//!
//! Linux hands out more memory than there is, and ends a process that touches it: an allocation that succeeds says nothing.
//! So the system is asked what is left, before a check starts and while its lists of pairs grow.

#[cfg(target_os = "linux")]
mod linux;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bytemuck::Zeroable;

use crate::base::config::Config;
use crate::base::error::{Error, Result};
use crate::device::adapters::AdapterSummary;
use crate::device::limits::DeviceLimits;
use crate::engine::cpu::CpuChecker;
use crate::engine::gpu;
use crate::geometry::pair::MAX_BOXES;

/// What a check will need, beside the caller's boxes.
///
/// From [`Checker::memory_estimate`](crate::Checker::memory_estimate), or, to choose a backend beforehand, from
/// [`MemoryEstimate::on_cpu`] and [`MemoryEstimate::on_gpu`]. It holds for a fresh checker; one that has had larger scenes
/// holds what those needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryEstimate {
    /// Bytes of the machine's memory at the height of the check, the report included.
    pub host_bytes: u64,
    /// Bytes of GPU memory; 0 on the CPU backend. A software adapter takes them from the machine's memory too.
    pub device_bytes: u64,
    /// Bytes of the largest GPU buffer among them.
    pub largest_buffer_bytes: u64,
    /// Parts that the scene will be checked in: 1, or more if it does not fit the device's limits at once.
    pub parts: u64,
}

impl MemoryEstimate {
    /// What a check on the CPU backend will need; see [`Checker::memory_estimate`](crate::Checker::memory_estimate).
    pub fn on_cpu(config: &Config, boxes: usize, pairs: usize) -> Self {
        Self {
            host_bytes: CpuChecker::bytes_for(config, boxes.min(MAX_BOXES), pairs as u64),
            parts: 1,
            ..Self::default()
        }
    }

    /// What a check on an adapter will need; see [`Checker::memory_estimate`](crate::Checker::memory_estimate).
    pub fn on_gpu(adapter: &AdapterSummary, config: &Config, boxes: usize, pairs: usize) -> Self {
        gpu::memory_estimate(
            &DeviceLimits::of_adapter(adapter, &config.gpu),
            config,
            boxes,
            pairs as u64,
        )
    }
}

/// Bytes that are left to others, in this process and outside it.
const MARGIN: u64 = 64 << 20;
/// Bytes that lists may grow by before the system is asked again what is left: that takes some 0.1 ms.
const STRIDE: u64 = 64 << 20;
/// Bytes that all lists of this process have grown by.
static GROWN: AtomicU64 = AtomicU64::new(0);

/// Bytes of memory that this process can still get, or `None` if the system does not tell.
fn available() -> Option<u64> {
    #[cfg(test)]
    if let Some(pretended) = tests::PRETENDED.get() {
        return Some(pretended);
    }
    #[cfg(target_os = "linux")]
    return linux::available();
    #[cfg(not(target_os = "linux"))]
    return None;
}

/// An error if the machine has no `bytes` left. Little is not worth asking.
pub(crate) fn ensure(bytes: u64, what: &'static str) -> Result<()> {
    match available_beyond(bytes) {
        true => Ok(()),
        false => Err(Error::OutOfMemory { what, needed: bytes }),
    }
}

fn available_beyond(bytes: u64) -> bool {
    bytes < STRIDE || available().is_none_or(|left| bytes.saturating_add(MARGIN) <= left)
}

/// Makes room in `list` for so many items `more`, as [`Vec::try_reserve`] does, if the machine has the memory.
pub(crate) fn reserve<T>(list: &mut Vec<T>, more: usize, what: &'static str) -> Result<()> {
    if more <= list.capacity() - list.len() {
        return Ok(());
    }
    let bytes = |items: usize| (items as u64).saturating_mul(size_of::<T>() as u64);
    let needed = list.len().saturating_add(more);
    let doubled = needed.max(list.capacity().saturating_mul(2));
    let grow = |list: &mut Vec<T>, capacity: usize| {
        may_grow(bytes(capacity - list.capacity())) && list.try_reserve_exact(capacity - list.len()).is_ok()
    };
    // Twice the room while there is plenty, then as little as will do.
    if grow(list, doubled) || grow(list, needed) {
        return Ok(());
    }
    Err(Error::OutOfMemory {
        what,
        needed: bytes(needed),
    })
}

/// Appends `more` to `list`, if the machine has the memory.
pub(crate) fn extend<T: Copy>(list: &mut Vec<T>, more: &[T], what: &'static str) -> Result<()> {
    reserve(list, more.len(), what)?;
    list.extend_from_slice(more);
    Ok(())
}

/// So many zeros, which the system provides as they are touched.
pub(crate) fn zeroed<T: Zeroable>(len: usize, what: &'static str) -> Result<Vec<T>> {
    let needed = (len as u64).saturating_mul(size_of::<T>() as u64);
    ensure(needed, what)?;
    bytemuck::allocation::try_zeroed_vec(len).map_err(|()| Error::OutOfMemory { what, needed })
}

/// Whether a list may grow by so many bytes. Asks the system when lists have grown by [`STRIDE`] together.
fn may_grow(bytes: u64) -> bool {
    let before = GROWN.fetch_add(bytes, Relaxed);
    let after = before.wrapping_add(bytes);
    before / STRIDE == after / STRIDE || available_beyond(bytes.max(STRIDE))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::scenes::Scene;

    thread_local! {
        /// What [`available`] says on this thread instead of the truth.
        pub static PRETENDED: Cell<Option<u64>> = const { Cell::new(None) };
    }

    /// Does `work` with so many bytes left.
    fn with_only<T>(left: u64, work: impl FnOnce() -> T) -> T {
        PRETENDED.set(Some(left));
        let value = work();
        PRETENDED.set(None);
        value
    }

    #[test]
    fn lists_stop_before_the_memory_does() {
        let ask = |left: u64, more: usize| {
            let mut list = vec![0u8; 1 << 20];
            let outcome = with_only(left, || reserve(&mut list, more, "a test"));
            outcome.map(|()| list.capacity() - list.len() >= more)
        };
        let items = 100 << 20;
        assert!(matches!(ask(1 << 40, items), Ok(true)));
        // What is left is kept for others.
        assert!(matches!(ask(items as u64, items), Err(Error::OutOfMemory { .. })));
        assert!(matches!(ask(items as u64 + MARGIN, items), Ok(true)));
        // A list may not double where it may still grow.
        let mut list: Vec<u8> = Vec::with_capacity(items);
        list.extend(std::iter::repeat_n(1, items));
        let outcome = with_only(STRIDE + MARGIN, || reserve(&mut list, 1, "a test"));
        assert!(
            outcome.is_ok() && list.capacity() < items + items / 2,
            "{}",
            list.capacity()
        );
    }

    #[test]
    fn a_check_that_cannot_fit_does_not_start() {
        let boxes = Scene::Uniform.generate(1_000_000, 1);
        let mut checker = CpuChecker::default();
        let config = Config::default();
        let refused = with_only(100 << 20, || checker.check(&boxes, &config));
        let refused = refused.map(|report| report.colliding_pairs);
        assert!(matches!(refused, Err(Error::OutOfMemory { .. })), "{refused:?}");
        let needed = CpuChecker::bytes_for(&config, boxes.len(), 0);
        let report = with_only(needed + MARGIN, || checker.check(&boxes, &config)).expect("enough");
        // What it holds already is not asked for again.
        let again = with_only(STRIDE + MARGIN, || checker.check(&boxes[..900_000], &config)).expect("enough");
        assert!(report.colliding_pairs > again.colliding_pairs);
    }

    #[test]
    fn lists_grow_by_doubling_until_there_is_no_more() {
        let mut list: Vec<u64> = Vec::new();
        reserve(&mut list, 3, "a test").expect("some bytes");
        list.extend([1, 2, 3]);
        reserve(&mut list, 1, "a test").expect("some bytes");
        assert!(list.capacity() >= 6, "{}", list.capacity());
        for more in [usize::MAX, usize::MAX / 16, 1 << 46] {
            match reserve(&mut list, more, "a test") {
                Err(Error::OutOfMemory { needed, .. }) => assert!(needed > 1 << 48),
                other => panic!("{more}: {other:?}"),
            }
        }
        assert_eq!(list, [1, 2, 3]);
    }

    #[test]
    fn little_is_there_and_too_much_is_not() {
        ensure(1 << 20, "a test").expect("a megabyte");
        if let Some(left) = available() {
            assert!(left > 1 << 20 && left < 1 << 46, "{left} bytes left");
            ensure(left / 2, "a test").expect("half of what is left");
            assert!(ensure(left * 2, "a test").is_err());
        }
    }
}
