//! The host's memory: what a check needs, what is available, and lists that return an error when
//! memory runs out.
//!
//! Linux overcommits memory and kills a process that touches more than exists, so a successful
//! allocation proves nothing. This module instead asks the system how much is available, before a
//! check starts and while its lists of pairs grow.

#[cfg(target_os = "linux")]
mod linux;

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bytemuck::Zeroable;

/// Memory that the system refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    /// A label that says what the memory was for.
    pub what: &'static str,
    /// Bytes requested.
    pub needed: u64,
}

/// The result of a request for memory.
pub type Result<T> = std::result::Result<T, OutOfMemory>;

/// Bytes to leave to others, inside this process and outside.
pub const MARGIN: u64 = 64 << 20;
/// Bytes by which lists may grow before the system is asked again, which takes about 0.1 ms.
pub const STRIDE: u64 = 64 << 20;
/// Bytes by which all lists of this process have grown.
static GROWN: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Set while this thread requests memory and can handle a refusal.
    static ASKING: Cell<bool> = const { Cell::new(false) };
}

/// Calls `request`, which can handle a refusal.
fn ask<T>(request: impl FnOnce() -> T) -> T {
    ASKING.set(true);
    let answer = request();
    ASKING.set(false);
    answer
}

/// Returns `true` if this thread can handle a refusal of the memory that it requests. If not, an
/// allocator may end the process.
pub fn copes_with_refusal() -> bool {
    ASKING.get()
}

/// Returns the bytes of memory available to this process, or `None` if the system does not say.
fn available() -> Option<u64> {
    #[cfg(any(test, feature = "pretend"))]
    if let Some(pretended) = pretend::LEFT.get() {
        return Some(pretended);
    }
    #[cfg(target_os = "linux")]
    return [linux::available(), under_limit()].into_iter().flatten().min();
    #[cfg(not(target_os = "linux"))]
    return None;
}

/// The limit on the bytes of this process; `u64::MAX` if there is none.
static LIMIT: AtomicU64 = AtomicU64::new(u64::MAX);

/// Limits this process to `bytes` bytes of memory until the guard is dropped. Requests beyond the
/// limit are refused as if memory ran out. Works only on Linux, which reports the memory of a
/// process.
pub fn limit_to(bytes: u64) -> Limited {
    LIMIT.store(bytes, Relaxed);
    Limited
}

/// Lifts the limit when it is dropped.
pub struct Limited;

impl Drop for Limited {
    fn drop(&mut self) {
        LIMIT.store(u64::MAX, Relaxed);
    }
}

/// Returns the bytes that remain below the limit, or `None` if there is no limit.
#[cfg(target_os = "linux")]
fn under_limit() -> Option<u64> {
    match LIMIT.load(Relaxed) {
        u64::MAX => None,
        limit => Some(limit.saturating_sub(linux::resident()?)),
    }
}

/// Returns the bytes of address space left to this process, or `None` if there is no limit.
pub fn addresses() -> Option<u64> {
    #[cfg(target_os = "linux")]
    return linux::addresses();
    #[cfg(not(target_os = "linux"))]
    return None;
}

/// Returns an error if fewer than `bytes` are available. Small amounts are not checked.
pub fn ensure(bytes: u64, what: &'static str) -> Result<()> {
    match available_beyond(bytes) {
        true => Ok(()),
        false => Err(OutOfMemory { what, needed: bytes }),
    }
}

fn available_beyond(bytes: u64) -> bool {
    bytes < STRIDE || available().is_none_or(|left| bytes.saturating_add(MARGIN) <= left)
}

/// Reserves capacity in `list` for `more` more items, like [`Vec::try_reserve`], if the machine has
/// the memory.
pub fn reserve<T>(list: &mut Vec<T>, more: usize, what: &'static str) -> Result<()> {
    if more <= list.capacity() - list.len() {
        return Ok(());
    }
    let needed = list.len().saturating_add(more);
    let grown = capacities(list.capacity(), needed).into_iter().any(|capacity| {
        may_grow(bytes::<T>(capacity - list.capacity()))
            && ask(|| list.try_reserve_exact(capacity - list.len())).is_ok()
    });
    match grown {
        true => Ok(()),
        false => Err(OutOfMemory {
            what,
            needed: bytes::<T>(needed),
        }),
    }
}

/// Returns the capacities to try in turn: double the capacity while memory is plentiful, then
/// slightly more than the current one, and finally very little more. Each exceeds the current
/// capacity by a fraction of it: a list that grew one item at a time would take quadratic time
/// because each growth may move it.
fn capacities(capacity: usize, needed: usize) -> [usize; 3] {
    [1, 16, 256].map(|part| needed.max(capacity.saturating_add(capacity / part)))
}

/// Reserves capacity in `text` for `more` more bytes, if the machine has the memory.
pub fn reserve_text(text: &mut String, more: usize, what: &'static str) -> Result<()> {
    if more <= text.capacity() - text.len() {
        return Ok(());
    }
    let needed = text.len().saturating_add(more);
    let grown = capacities(text.capacity(), needed).into_iter().any(|capacity| {
        may_grow(bytes::<u8>(capacity - text.capacity()))
            && ask(|| text.try_reserve_exact(capacity - text.len())).is_ok()
    });
    match grown {
        true => Ok(()),
        false => Err(OutOfMemory {
            what,
            needed: needed as u64,
        }),
    }
}

/// Returns the size of `items` items in bytes.
fn bytes<T>(items: usize) -> u64 {
    (items as u64).saturating_mul(size_of::<T>() as u64)
}

/// Calls `request` if the machine has the memory. `request` asks for `needed` bytes for a container
/// of another crate and returns `true` if it got them.
pub fn grow(needed: u64, what: &'static str, request: impl FnOnce() -> bool) -> Result<()> {
    match may_grow(needed) && ask(request) {
        true => Ok(()),
        false => Err(OutOfMemory { what, needed }),
    }
}

/// Appends `more` to `list`, if the machine has the memory.
pub fn extend<T: Copy>(list: &mut Vec<T>, more: &[T], what: &'static str) -> Result<()> {
    reserve(list, more.len(), what)?;
    list.extend_from_slice(more);
    Ok(())
}

/// Appends one item to `list`, if the machine has the memory.
#[inline]
pub fn push<T>(list: &mut Vec<T>, item: T, what: &'static str) -> Result<()> {
    if list.len() == list.capacity() {
        reserve(list, 1, what)?;
    }
    list.push(item);
    Ok(())
}

/// Resizes `list` to `len` items, filling it with `value`, if the machine has the memory.
pub fn resize<T: Clone>(list: &mut Vec<T>, len: usize, value: T, what: &'static str) -> Result<()> {
    reserve(list, len.saturating_sub(list.len()), what)?;
    list.resize(len, value);
    Ok(())
}

/// Like [`resize`], but makes each new item with `item`.
pub fn resize_with<T>(list: &mut Vec<T>, len: usize, item: impl FnMut() -> T, what: &'static str) -> Result<()> {
    reserve(list, len.saturating_sub(list.len()), what)?;
    list.resize_with(len, item);
    Ok(())
}

/// Returns `len` copies of `value`, if the machine has the memory.
pub fn filled<T: Clone>(len: usize, value: T, what: &'static str) -> Result<Vec<T>> {
    let mut list = Vec::new();
    resize(&mut list, len, value, what)?;
    Ok(list)
}

/// Collects the items into a list, if the machine has the memory.
pub fn collect<T>(items: impl ExactSizeIterator<Item = T>, what: &'static str) -> Result<Vec<T>> {
    let mut list = Vec::new();
    reserve(&mut list, items.len(), what)?;
    list.extend(items);
    Ok(list)
}

/// Returns `len` zeros. The system provides their memory on first touch.
pub fn zeroed<T: Zeroable>(len: usize, what: &'static str) -> Result<Vec<T>> {
    let needed = bytes::<T>(len);
    ensure(needed, what)?;
    ask(|| bytemuck::allocation::try_zeroed_vec(len)).map_err(|()| OutOfMemory { what, needed })
}

/// Resizes `list` to `len` items, for callers that write every item before they read it. The items
/// are leftovers or zeros. If the list must grow, all are zeros, whose memory the system provides
/// on first touch and therefore on the threads that write them.
pub fn make_scratch<T: Zeroable + Clone>(list: &mut Vec<T>, len: usize, what: &'static str) -> Result<()> {
    if len <= list.capacity() {
        list.resize(len, T::zeroed());
        return Ok(());
    }
    let larger = capacities(list.capacity(), len);
    // Nothing is copied, so the old list is freed first.
    *list = Vec::new();
    let mut tried = larger.into_iter().chain([len]).map(|capacity| zeroed(capacity, what));
    *list = tried.find_map(Result::ok).ok_or(OutOfMemory {
        what,
        needed: bytes::<T>(len),
    })?;
    list.truncate(len);
    Ok(())
}

/// Returns `true` if a list may grow by `bytes`. Asks the system whenever all lists together have
/// grown by [`STRIDE`].
fn may_grow(bytes: u64) -> bool {
    let before = GROWN.fetch_add(bytes, Relaxed);
    let after = before.wrapping_add(bytes);
    before / STRIDE == after / STRIDE || available_beyond(bytes.max(STRIDE))
}

/// Lets tests set the amount of memory left.
#[cfg(any(test, feature = "pretend"))]
pub mod pretend {
    use std::cell::Cell;

    thread_local! {
        /// The bytes that [`available`] returns on this thread, if set.
        pub(super) static LEFT: Cell<Option<u64>> = const { Cell::new(None) };
    }

    /// Runs `work` with `left` bytes available.
    pub fn with_only<T>(left: u64, work: impl FnOnce() -> T) -> T {
        LEFT.set(Some(left));
        let value = work();
        LEFT.set(None);
        value
    }

    /// Wraps `work` for another thread, so that the same number of bytes is available there.
    #[cfg(feature = "rayon")]
    pub fn carrying_pretence<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
        let pretended = LEFT.get();
        move || {
            let before = LEFT.replace(pretended);
            let value = work();
            LEFT.set(before);
            value
        }
    }
}

#[cfg(test)]
mod tests {
    use super::pretend::with_only;
    use super::*;

    #[test]
    fn lists_stop_growing_before_memory_runs_out() {
        let ask = |left: u64, more: usize| {
            let mut list = vec![0u8; 1 << 20];
            let outcome = with_only(left, || reserve(&mut list, more, "a test"));
            outcome.map(|()| list.capacity() - list.len() >= more)
        };
        let items = 100 << 20;
        assert!(matches!(ask(1 << 40, items), Ok(true)));
        // The margin is kept for others.
        assert!(matches!(ask(items as u64, items), Err(OutOfMemory { .. })));
        assert!(matches!(ask(items as u64 + MARGIN, items), Ok(true)));
        // A list that cannot double can still grow.
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
    fn lists_short_of_memory_do_not_grow_item_by_item() {
        // Long enough that the system, which has no memory left, is also asked about a sixteenth of
        // it.
        let mut list = vec![0u8; 16 * STRIDE as usize];
        let mut rooms = 0;
        with_only(MARGIN, || {
            for _ in 0..1 << 16 {
                rooms += u32::from(list.len() == list.capacity());
                if push(&mut list, 0, "a test").is_err() {
                    break;
                }
            }
        });
        assert!(rooms <= 2, "{rooms} times");
    }

    #[test]
    fn lists_double_until_memory_runs_out() {
        let mut list: Vec<u64> = Vec::new();
        reserve(&mut list, 3, "a test").expect("some bytes");
        list.extend([1, 2, 3]);
        reserve(&mut list, 1, "a test").expect("some bytes");
        assert!(list.capacity() >= 6, "{}", list.capacity());
        for more in [usize::MAX, usize::MAX / 16, 1 << 46] {
            match reserve(&mut list, more, "a test") {
                Err(OutOfMemory { needed, .. }) => assert!(needed > 1 << 48),
                other => panic!("{more}: {other:?}"),
            }
        }
        assert_eq!(list, [1, 2, 3]);
    }

    #[test]
    fn scratch_has_the_requested_length() {
        let mut list: Vec<u64> = Vec::new();
        for len in [3, 0, 2, 1000, 5] {
            make_scratch(&mut list, len, "a test").expect("some bytes");
            assert_eq!(list.len(), len);
        }
        // It doubles while memory is plentiful, and otherwise takes only what is needed.
        make_scratch(&mut list, 1001, "a test").expect("some bytes");
        assert!(list.capacity() >= 2000, "{}", list.capacity());
        let mut list = vec![1u8; 100 << 20];
        let needed = (100 << 20) + 1;
        let outcome = with_only(needed as u64 + MARGIN, || make_scratch(&mut list, needed, "a test"));
        assert!(outcome.is_ok() && list.capacity() < 110 << 20, "{}", list.capacity());
        let outcome = with_only(needed as u64, || make_scratch(&mut list, 2 * needed, "a test"));
        assert!(matches!(outcome, Err(OutOfMemory { needed: told, .. }) if told == 2 * needed as u64));
    }

    #[test]
    fn small_requests_succeed_and_huge_ones_fail() {
        ensure(1 << 20, "a test").expect("a megabyte");
        if let Some(left) = available() {
            assert!(left > 1 << 20 && left < 1 << 46, "{left} bytes left");
            ensure(left / 2, "a test").expect("half of what is left");
            assert!(ensure(left * 2, "a test").is_err());
        }
    }
}
