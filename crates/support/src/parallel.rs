//! The few kinds of parallel loop that the CPU backend needs: on rayon's threads with the feature
//! `rayon`, otherwise on one thread.
//!
//! Rayon panics if it cannot start its threads. The loops therefore start them first, and use
//! fewer, or the calling thread, if the system does not allow all of them to start.

#[cfg(test)]
mod loops;
#[cfg(feature = "rayon")]
mod pool;

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytemuck::Pod;

use crate::memory::{self, Result};
use crate::prefetch::prefetch;
#[cfg(feature = "rayon")]
use crate::{excerpt::excerpt, plural::plural};

/// Items per task: enough to hide the cost of a task, few enough to balance uneven work.
pub const GRAIN: usize = 4096;

/// The stand-in without rayon: one thread.
#[cfg(not(feature = "rayon"))]
mod pool {
    pub fn threads() -> usize {
        1
    }

    pub fn has_threads() -> bool {
        false
    }

    pub fn install(work: impl FnOnce()) {
        work();
    }

    pub fn join(a: impl FnOnce(), b: impl FnOnce()) {
        a();
        b();
    }

    pub fn run(count: usize, work: &(dyn Fn() + Sync)) {
        (0..count).for_each(|_| work());
    }

    pub fn wanted_threads() -> super::Wanted {
        super::Wanted { threads: 1, note: None }
    }
}

/// The number of threads that a user wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The number of threads to use.
    pub threads: usize,
    /// A message to the user if that differs from `RAYON_NUM_THREADS`.
    pub note: Option<String>,
}

#[cfg(feature = "rayon")]
impl Wanted {
    /// The limit on the number of threads: this many per core, but at least [`Self::MOST`].
    const MOST_OF_CORE: usize = 16;
    const MOST: usize = 64;

    /// Returns one thread per core, unless the setting is another number. That number is limited
    /// because thousands of threads take longer to start than most checks.
    fn new(setting: &str, cores: usize) -> Self {
        let setting = setting.trim();
        let most = cores.saturating_mul(Self::MOST_OF_CORE).max(Self::MOST);
        let of_cores = |note| Self { threads: cores, note };
        match setting.parse::<usize>() {
            Ok(0) => of_cores(None),
            Ok(threads) if threads <= most => Self { threads, note: None },
            // A string of digits fails to parse only if its number is too large.
            Err(_) if setting.is_empty() => of_cores(None),
            Err(_) if !setting.bytes().all(|byte| byte.is_ascii_digit()) => of_cores(Some(format!(
                "RAYON_NUM_THREADS is {:?} and no number: {cores} {} used, one for each core",
                excerpt(setting),
                plural(cores as u64, "thread is", "threads are"),
            ))),
            Ok(_) | Err(_) => Self {
                threads: most,
                note: Some(format!(
                    "RAYON_NUM_THREADS is {}: {most} threads are used, which is the limit here",
                    excerpt(setting)
                )),
            },
        }
    }
}

/// Calls `work`, on a thread of the pool if its loops run over more than one task's worth of
/// `items`. Each loop that begins on another thread waits for a thread of the pool to wake.
pub fn within<R: Send>(items: usize, work: impl FnOnce() -> R + Send) -> R {
    #[cfg(feature = "rayon")]
    if items > GRAIN {
        #[cfg(any(test, feature = "pretend"))]
        let work = memory::pretend::carrying_pretence(work);
        return pool::install(work);
    }
    let _ = items;
    work()
}

/// Returns the items per task for loops that do much with each of `items`: several tasks for every
/// thread, or a single task if there are few items.
pub fn fine_grain(items: usize) -> usize {
    const LEAST: usize = 512;
    const TASKS_OF_THREAD: usize = 4;
    match items {
        0..=GRAIN => GRAIN,
        _ => (items / (TASKS_OF_THREAD * threads())).clamp(LEAST, GRAIN),
    }
}

/// Returns the number of threads that the loops use.
pub fn threads() -> usize {
    pool::threads()
}

/// Returns the number of threads that a pool built here would have, without starting it.
pub fn wanted_threads() -> Wanted {
    pool::wanted_threads()
}

/// Returns `true` if a loop of `count` tasks runs on several threads. Waking them takes longer than
/// a single task.
fn is_parallel(count: usize) -> bool {
    count > 1 && pool::has_threads()
}

/// Calls `work` on every item, each in its own task; tasks take the items in order.
///
/// The loops below are made of this one and [`each_result`]. What waits for other threads is
/// compiled once, not for each loop: with rayon's own loops the engine has a third more code.
fn each<T>(items: impl ExactSizeIterator<Item = T> + Send, work: impl Fn(T) + Sync) {
    let count = items.len();
    if !is_parallel(count) {
        return items.for_each(work);
    }
    let rest = Mutex::new(items);
    pool::run(count, &|| {
        let item = lock(&rest).next();
        item.into_iter().for_each(&work);
    });
}

/// [`each`] with results, which are returned in order.
fn each_result<T, R: Send>(items: impl ExactSizeIterator<Item = T> + Send, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let count = items.len();
    if !is_parallel(count) {
        return items.map(work).collect();
    }
    let mut results: Vec<Option<R>> = Vec::new();
    results.resize_with(count, || None);
    let rest = Mutex::new(items.zip(&mut results));
    pool::run(count, &|| {
        let item = lock(&rest).next();
        item.into_iter().for_each(|(item, result)| *result = Some(work(item)));
    });
    results.into_iter().flatten().collect()
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `work` on ranges that cover `0..len` and returns the results in order.
pub fn map_ranges<T: Send>(len: usize, work: impl Fn(Range<usize>) -> T + Sync + Send) -> Vec<T> {
    map_ranges_of(GRAIN, len, work)
}

/// Like [`map_ranges`], with ranges of `grain` items.
pub fn map_ranges_of<T: Send>(grain: usize, len: usize, work: impl Fn(Range<usize>) -> T + Sync + Send) -> Vec<T> {
    each_result(0..len.div_ceil(grain), |k| work(k * grain..((k + 1) * grain).min(len)))
}

/// Returns `value(position)` for `0..len` in order, if the machine has the memory.
#[expect(
    unsafe_code,
    reason = "a list of values of any type has no other way to be filled in parts"
)]
pub fn collect<T: Send>(len: usize, what: &'static str, value: impl Fn(usize) -> T + Sync + Send) -> Result<Vec<T>> {
    let mut list = Vec::new();
    memory::reserve(&mut list, len, what)?;
    update(&mut list.spare_capacity_mut()[..len], |i, place| {
        place.write(value(i));
    });
    // SAFETY: the list has room for `len` items, and the loop has written each of them.
    unsafe { list.set_len(len) };
    Ok(list)
}

/// Sets every item of `items` to `value(position)`.
pub fn fill<T: Send>(items: &mut [T], value: impl Fn(usize) -> T + Sync + Send) {
    update(items, |i, item| *item = value(i));
}

/// Sets every item of `items` to a copy of the one at `place(position)` in `source`.
///
/// The places may be anywhere, so a block of items is requested before it is copied.
pub fn gather<T: Pod + Send + Sync>(items: &mut [T], source: &[T], place: impl Fn(usize) -> usize + Sync + Send) {
    const BLOCK: usize = 64;
    each(items.chunks_mut(GRAIN).enumerate(), |(k, chunk)| {
        for (block, items) in chunk.chunks_mut(BLOCK).enumerate() {
            let first = k * GRAIN + block * BLOCK;
            for k in first..first + items.len() {
                let bytes = bytemuck::bytes_of(&source[place(k)]);
                // An item may be in two lines of memory.
                [&bytes[0], &bytes[bytes.len() - 1]].into_iter().for_each(prefetch);
            }
            for (k, item) in items.iter_mut().enumerate() {
                *item = source[place(first + k)];
            }
        }
    });
}

/// Calls `change(position, item)` on every item of `items`.
pub fn update<T: Send>(items: &mut [T], change: impl Fn(usize, &mut T) + Sync + Send) {
    each(items.chunks_mut(GRAIN).enumerate(), |(k, chunk)| {
        for (i, item) in chunk.iter_mut().enumerate() {
            change(k * GRAIN + i, item);
        }
    });
}

/// Calls `work(position of the first, items)` on chunks of `items`, and joins the results with
/// `merge` in unspecified order; without any, the result is `nothing`. `merge` runs no loops.
pub fn fold_chunks<T: Send, R: Send>(
    items: &mut [T],
    nothing: impl Fn() -> R + Sync + Send,
    work: impl Fn(usize, &mut [T]) -> R + Sync + Send,
    merge: impl Fn(R, R) -> R + Sync + Send,
) -> R {
    let chunks = items.chunks_mut(GRAIN).enumerate();
    fold(chunks, nothing, |(k, chunk)| work(k * GRAIN, chunk), merge)
}

/// Calls `work` on ranges that cover `0..len`, and joins the results with `merge` in unspecified
/// order; without any, the result is `nothing`. `merge` runs no loops.
pub fn fold_ranges<R: Send>(
    len: usize,
    nothing: impl Fn() -> R + Sync + Send,
    work: impl Fn(Range<usize>) -> R + Sync + Send,
    merge: impl Fn(R, R) -> R + Sync + Send,
) -> R {
    let range = |k: usize| k * GRAIN..((k + 1) * GRAIN).min(len);
    fold(0..len.div_ceil(GRAIN), nothing, |k| work(range(k)), merge)
}

/// Calls `work` on every item, and joins the results, without memory for a list of them.
fn fold<T, R: Send>(
    items: impl ExactSizeIterator<Item = T> + Send,
    nothing: impl Fn() -> R,
    work: impl Fn(T) -> R + Sync,
    merge: impl Fn(R, R) -> R + Sync,
) -> R {
    if !is_parallel(items.len()) {
        return items.map(work).reduce(merge).unwrap_or_else(nothing);
    }
    let total = Mutex::new(None);
    each(items, |item| {
        let result = work(item);
        let mut total = lock(&total);
        *total = Some(match total.take() {
            None => result,
            Some(others) => merge(others, result),
        });
    });
    let total = total.into_inner().unwrap_or_else(PoisonError::into_inner);
    total.unwrap_or_else(nothing)
}

/// Calls `work(position, item)` on every item, each in its own task.
pub fn for_each_mut<T: Send>(items: &mut [T], work: impl Fn(usize, &mut T) + Sync + Send) {
    each(items.iter_mut().enumerate(), |(k, item)| work(k, item));
}

/// Calls `work(position of the first, items, others)` on chunks of both lists, of `grains` items
/// each.
pub fn chunks_of_both<T: Send, C: Send>(
    grains: [usize; 2],
    items: &mut [T],
    others: &mut [C],
    work: impl Fn(usize, &mut [T], &mut [C]) + Sync + Send,
) {
    let chunks = items.chunks_mut(grains[0]).zip(others.chunks_mut(grains[1]));
    each(chunks.enumerate(), |(k, (items, others))| {
        work(k * grains[0], items, others)
    });
}

/// Like [`chunks_of_both`]. Each call has exclusive use of one of the states, of which there are as
/// many as calls in progress at a time. The states are kept from call to call.
pub fn chunks_with<S: Default + Send, T: Send, C: Send>(
    states: &mut Vec<S>,
    grains: [usize; 2],
    items: &mut [T],
    others: &mut [C],
    work: impl Fn(usize, &mut [T], &mut [C], &mut S) + Sync + Send,
) {
    let idle = Mutex::new(std::mem::take(states));
    chunks_of_both(grains, items, others, |first, items, others| {
        with_state(&idle, |state| work(first, items, others, state));
    });
    *states = idle.into_inner().unwrap_or_else(PoisonError::into_inner);
}

/// Calls `work` with a state that is idle.
fn with_state<S: Default>(idle: &Mutex<Vec<S>>, work: impl FnOnce(&mut S)) {
    let taken = lock(idle).pop();
    let mut state = taken.unwrap_or_default();
    work(&mut state);
    lock(idle).push(state);
}

/// Calls `work(k, part of whole)` for every `k` of a range, each in its own task. `split(part, k)`
/// splits a part into what belongs to numbers below `k` and the rest.
pub fn divide<T: Send>(
    range: Range<usize>,
    whole: T,
    split: &(impl Fn(T, usize) -> (T, T) + Sync),
    work: &(impl Fn(usize, T) + Sync),
) {
    match range.len() {
        0 => {}
        1 => work(range.start, whole),
        count if is_parallel(count) => pool::install(|| halve(range, whole, split, work)),
        _ => {
            let last = range.end - 1;
            let rest = (range.start..last).fold(whole, |whole, k| {
                let (own, rest) = split(whole, k + 1);
                work(k, own);
                rest
            });
            work(last, rest);
        }
    }
}

/// [`divide`] on the threads of the current pool. Splitting is parallel too.
fn halve<T: Send>(
    range: Range<usize>,
    whole: T,
    split: &(impl Fn(T, usize) -> (T, T) + Sync),
    work: &(impl Fn(usize, T) + Sync),
) {
    if range.len() == 1 {
        return work(range.start, whole);
    }
    let middle = range.start + range.len() / 2;
    let (low, high) = split(whole, middle);
    pool::join(
        || halve(range.start..middle, low, split, work),
        || halve(middle..range.end, high, split, work),
    );
}

/// Calls `work(range, state)` on ranges of `grain` items that cover `0..len`. Each call has
/// exclusive use of one of the states, of which there are as many as ranges in progress at a time.
/// The states are kept from call to call.
pub fn ranges_with<T: Default + Send>(
    states: &mut Vec<T>,
    grain: usize,
    len: usize,
    work: impl Fn(Range<usize>, &mut T) + Sync + Send,
) {
    let idle = Mutex::new(std::mem::take(states));
    each(0..len.div_ceil(grain), |k| {
        with_state(&idle, |state| work(k * grain..((k + 1) * grain).min(len), state));
    });
    *states = idle.into_inner().unwrap_or_else(PoisonError::into_inner);
}

/// Calls `work(position of the first, items)` on chunks of `items` and returns the results in
/// order.
pub fn map_chunks<T: Send, R: Send>(items: &mut [T], work: impl Fn(usize, &mut [T]) -> R + Sync + Send) -> Vec<R> {
    map_chunks_of(GRAIN, items, work)
}

/// Like [`map_chunks`], with chunks of `grain` items.
pub fn map_chunks_of<T: Send, R: Send>(
    grain: usize,
    items: &mut [T],
    work: impl Fn(usize, &mut [T]) -> R + Sync + Send,
) -> Vec<R> {
    each_result(items.chunks_mut(grain).enumerate(), |(k, chunk)| work(k * grain, chunk))
}

/// Calls `work` on every item, each in its own task.
pub fn for_each<T: Send>(items: Vec<T>, work: impl Fn(T) + Sync + Send) {
    each(items.into_iter(), work);
}

/// Calls `work` on every item, each in its own task, and returns the results in order.
pub fn map<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    each_result(items.into_iter(), work)
}

/// Sorts the items.
pub fn sort<T: Ord + Send>(items: &mut [T]) {
    #[cfg(feature = "rayon")]
    {
        use rayon::prelude::*;
        if pool::has_threads() {
            return pool::install(|| items.par_sort_unstable());
        }
    }
    items.sort_unstable();
}

#[cfg(all(test, feature = "rayon"))]
mod tests {
    use super::*;

    #[test]
    fn invalid_thread_settings_have_notes() {
        for (setting, cores, threads, words) in [
            ("", 4, 4, None),
            ("0", 4, 4, None),
            ("1", 4, 1, None),
            (" 7\n", 4, 7, None),
            ("64", 1, 64, None),
            ("65", 1, 64, Some("is 65: 64 threads are used")),
            ("2000", 2, 64, Some("is 2000: 64 threads")),
            ("2000", 8, 128, Some("is 2000: 128 threads")),
            ("2000", 128, 2000, None),
            ("99999999999999999999999", 2, 64, Some("64 threads are used")),
            ("abc", 2, 2, Some("is \"abc\" and no number: 2 threads are used")),
            ("-1", 1, 1, Some("is \"-1\" and no number: 1 thread is used")),
            ("1.5", 2, 2, Some("no number")),
            ("4 threads", 2, 2, Some("no number")),
        ] {
            let wanted = Wanted::new(setting, cores);
            assert_eq!(wanted.threads, threads, "{setting:?}");
            let note = wanted.note.as_deref();
            assert_eq!(note.is_some(), words.is_some(), "{setting:?}: {note:?}");
            assert!(
                note.unwrap_or_default().contains(words.unwrap_or_default()),
                "{setting:?}: {note:?}"
            );
        }
    }
}
