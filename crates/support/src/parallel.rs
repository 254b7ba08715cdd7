//! The few kinds of parallel loop that the CPU backend needs: on rayon's threads with the feature
//! `rayon`, otherwise on one thread.
//!
//! Rayon panics if it cannot start its threads. The loops therefore start them first, and use
//! fewer, or the calling thread, if the system does not allow all of them to start.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::memory::{self, Result};
#[cfg(feature = "rayon")]
use crate::{excerpt::excerpt, plural::plural};

/// Items per task: enough to hide the cost of a task, few enough to balance uneven work.
pub const GRAIN: usize = 4096;

/// Rayon's threads, or a smaller pool if they cannot all start.
#[cfg(feature = "rayon")]
mod pool {
    use std::error::Error;
    use std::sync::LazyLock;

    use rayon::{ThreadPool, ThreadPoolBuilder};

    use super::Wanted;
    use crate::memory;

    /// Address space per thread: its stack, and the first arena of glibc's allocator for a thread.
    /// A thread that starts without the memory for its signal stack ends the process.
    const ADDRESSES: u64 = 136 << 20;

    enum Pool {
        /// Rayon's global pool.
        Global,
        /// A separate pool with fewer threads.
        Fewer(ThreadPool),
        /// No thread could be started.
        Caller,
    }

    static POOL: LazyLock<Pool> = LazyLock::new(|| {
        let (cores, wanted) = (cores(), wanted_threads().threads);
        let most = memory::addresses().map_or(usize::MAX, |left| (left / ADDRESSES) as usize);
        if most < wanted {
            return fewer(most.min(cores));
        }
        match ThreadPoolBuilder::new().num_threads(wanted).build_global() {
            // The error without a source means that the application has already built the pool.
            Err(error) if error.source().is_some() => fewer(wanted.min(cores)),
            _ => Pool::Global,
        }
    });

    fn cores() -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }

    /// Returns the number of threads that the user wants.
    pub fn wanted_threads() -> Wanted {
        let setting = std::env::var_os("RAYON_NUM_THREADS").unwrap_or_default();
        Wanted::new(&setting.to_string_lossy(), cores())
    }

    /// Builds a pool of as many threads as start, but at most `most`.
    fn fewer(most: usize) -> Pool {
        std::iter::successors(Some(most), |threads| Some(threads / 2))
            .take_while(|&threads| threads > 0)
            .find_map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().ok())
            .map_or(Pool::Caller, Pool::Fewer)
    }

    /// Returns the number of threads.
    pub fn threads() -> usize {
        // On a thread of a pool, which may be the application's, loops run on that pool.
        if rayon::current_thread_index().is_some() {
            return rayon::current_num_threads();
        }
        match &*POOL {
            Pool::Global => rayon::current_num_threads(),
            Pool::Fewer(pool) => pool.current_num_threads(),
            Pool::Caller => 1,
        }
    }

    /// Calls `work` on a thread of the pool.
    pub fn install<R: Send>(work: impl FnOnce() -> R + Send) -> R {
        if rayon::current_thread_index().is_some() {
            return work();
        }
        match &*POOL {
            Pool::Global if rayon::current_num_threads() > 1 => rayon::scope(|_| work()),
            Pool::Fewer(pool) => pool.install(work),
            Pool::Global | Pool::Caller => work(),
        }
    }

    /// Calls `parallel` if rayon has threads, otherwise `serial`.
    pub fn run<T: Send, R: Send>(input: T, parallel: impl FnOnce(T) -> R + Send, serial: impl FnOnce(T) -> R) -> R {
        if rayon::current_thread_index().is_some() {
            return parallel(input);
        }
        match &*POOL {
            // A single thread is no faster than the caller's, which would wait for it.
            Pool::Global if rayon::current_num_threads() == 1 => serial(input),
            Pool::Global => parallel(input),
            Pool::Fewer(pool) => pool.install(|| parallel(input)),
            Pool::Caller => serial(input),
        }
    }
}

/// The stand-in without rayon: one thread.
#[cfg(not(feature = "rayon"))]
mod pool {
    pub fn threads() -> usize {
        1
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

/// Calls `work` on ranges that cover `0..len` and returns the results in order.
pub fn map_ranges<T: Send>(len: usize, work: impl Fn(Range<usize>) -> T + Sync + Send) -> Vec<T> {
    map_ranges_of(GRAIN, len, work)
}

/// Like [`map_ranges`], with ranges of `grain` items.
pub fn map_ranges_of<T: Send>(grain: usize, len: usize, work: impl Fn(Range<usize>) -> T + Sync + Send) -> Vec<T> {
    let count = len.div_ceil(grain);
    let range = |k: usize| k * grain..((k + 1) * grain).min(len);
    let serial = |count| (0..count).map(|k| work(range(k))).collect();
    // Waking other threads takes longer than a small piece of work.
    #[cfg(feature = "rayon")]
    if count > 1 {
        use rayon::prelude::*;
        let parallel = |count| (0..count).into_par_iter().map(|k| work(range(k))).collect();
        return pool::run(count, parallel, serial);
    }
    serial(count)
}

/// Returns `value(position)` for `0..len` in order, if the machine has the memory.
pub fn collect<T: Send>(len: usize, what: &'static str, value: impl Fn(usize) -> T + Sync + Send) -> Result<Vec<T>> {
    let mut list = Vec::new();
    memory::reserve(&mut list, len, what)?;
    let serial = |list: &mut Vec<T>| list.extend((0..len).map(&value));
    #[cfg(feature = "rayon")]
    if len > GRAIN {
        use rayon::prelude::*;
        let values = || (0..len).into_par_iter().with_min_len(GRAIN).map(&value);
        pool::run(&mut list, |list| values().collect_into_vec(list), serial);
        return Ok(list);
    }
    serial(&mut list);
    Ok(list)
}

/// Sets every item of `items` to `value(position)`.
pub fn fill<T: Send>(items: &mut [T], value: impl Fn(usize) -> T + Sync + Send) {
    update(items, |i, item| *item = value(i));
}

/// Calls `change(position, item)` on every item of `items`.
pub fn update<T: Send>(items: &mut [T], change: impl Fn(usize, &mut T) + Sync + Send) {
    let work = |first, chunk: &mut [T]| {
        for (i, item) in chunk.iter_mut().enumerate() {
            change(first + i, item);
        }
    };
    fold_chunks(items, || (), work, |(), ()| ());
}

/// Calls `work(position of the first, items)` on chunks of `items`, and joins the results with
/// `merge` in unspecified order, beginning with `nothing`.
pub fn fold_chunks<T: Send, R: Send>(
    items: &mut [T],
    nothing: impl Fn() -> R + Sync + Send,
    work: impl Fn(usize, &mut [T]) -> R + Sync + Send,
    merge: impl Fn(R, R) -> R + Sync + Send,
) -> R {
    let serial = |items: &mut [T]| match items.len() {
        0..=GRAIN => work(0, items),
        _ => {
            let chunks = items.chunks_mut(GRAIN).enumerate();
            chunks.fold(nothing(), |all, (k, chunk)| merge(all, work(k * GRAIN, chunk)))
        }
    };
    #[cfg(feature = "rayon")]
    if items.len() > GRAIN {
        use rayon::prelude::*;
        let parallel = |items: &mut [T]| {
            let chunks = items.par_chunks_mut(GRAIN).enumerate();
            chunks.map(|(k, chunk)| work(k * GRAIN, chunk)).reduce(&nothing, &merge)
        };
        return pool::run(items, parallel, serial);
    }
    serial(items)
}

/// Calls `work` on ranges that cover `0..len`, and joins the results with `merge` in unspecified
/// order, beginning with `nothing`.
pub fn fold_ranges<R: Send>(
    len: usize,
    nothing: impl Fn() -> R + Sync + Send,
    work: impl Fn(Range<usize>) -> R + Sync + Send,
    merge: impl Fn(R, R) -> R + Sync + Send,
) -> R {
    let range = |k: usize| k * GRAIN..((k + 1) * GRAIN).min(len);
    let serial = |count| (0..count).fold(nothing(), |all, k| merge(all, work(range(k))));
    let count = len.div_ceil(GRAIN);
    #[cfg(feature = "rayon")]
    if count > 1 {
        use rayon::prelude::*;
        let parallel = |count| {
            (0..count)
                .into_par_iter()
                .map(|k| work(range(k)))
                .reduce(&nothing, &merge)
        };
        return pool::run(count, parallel, serial);
    }
    serial(count)
}

/// Calls `work(position, item)` on every item, each in its own task.
pub fn for_each_mut<T: Send>(items: &mut [T], work: impl Fn(usize, &mut T) + Sync + Send) {
    let serial = |items: &mut [T]| items.iter_mut().enumerate().for_each(|(k, item)| work(k, item));
    #[cfg(feature = "rayon")]
    if items.len() > 1 {
        use rayon::prelude::*;
        let parallel = |items: &mut [T]| {
            let items = items.par_iter_mut().enumerate().with_max_len(1);
            items.for_each(|(k, item)| work(k, item));
        };
        return pool::run(items, parallel, serial);
    }
    serial(items);
}

/// Calls `work(position of the first, items, others)` on chunks of both lists, of `grains` items
/// each.
pub fn chunks_of_both<T: Send, C: Send>(
    grains: [usize; 2],
    items: &mut [T],
    others: &mut [C],
    work: impl Fn(usize, &mut [T], &mut [C]) + Sync + Send,
) {
    let serial = |(items, others): (&mut [T], &mut [C])| {
        let chunks = items
            .chunks_mut(grains[0])
            .zip(others.chunks_mut(grains[1]))
            .enumerate();
        chunks.for_each(|(k, (items, others))| work(k * grains[0], items, others));
    };
    #[cfg(feature = "rayon")]
    if items.len() > grains[0] {
        use rayon::prelude::*;
        let parallel = |(items, others): (&mut [T], &mut [C])| {
            let chunks = items.par_chunks_mut(grains[0]).zip(others.par_chunks_mut(grains[1]));
            let chunks = chunks.enumerate().with_max_len(1);
            chunks.for_each(|(k, (items, others))| work(k * grains[0], items, others));
        };
        return pool::run((items, others), parallel, serial);
    }
    serial((items, others));
}

/// Calls `work(k, part of whole)` for every `k` of a range, each in its own task. `split(part, k)`
/// splits a part into what belongs to numbers below `k` and the rest.
pub fn divide<T: Send>(
    range: Range<usize>,
    whole: T,
    split: &(impl Fn(T, usize) -> (T, T) + Sync),
    work: &(impl Fn(usize, T) + Sync),
) {
    if range.is_empty() {
        return;
    }
    #[cfg(feature = "rayon")]
    if range.len() > 1 {
        return pool::run(
            whole,
            |whole| halve(range.clone(), whole, split, work),
            |whole| one_by_one(range.clone(), whole, split, work),
        );
    }
    one_by_one(range, whole, split, work);
}

/// [`divide`] on one thread.
fn one_by_one<T>(range: Range<usize>, whole: T, split: &impl Fn(T, usize) -> (T, T), work: &impl Fn(usize, T)) {
    let last = range.end - 1;
    let rest = (range.start..last).fold(whole, |whole, k| {
        let (own, rest) = split(whole, k + 1);
        work(k, own);
        rest
    });
    work(last, rest);
}

/// [`divide`] on the threads of the current pool.
#[cfg(feature = "rayon")]
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
    rayon::join(
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
    let lock = || idle.lock().unwrap_or_else(PoisonError::into_inner);
    divide(0..len.div_ceil(grain), (), &|(), _| ((), ()), &|k, ()| {
        let taken = lock().pop();
        let mut state = taken.unwrap_or_default();
        work(k * grain..((k + 1) * grain).min(len), &mut state);
        lock().push(state);
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
    map(items.chunks_mut(grain).enumerate().collect(), |(k, chunk)| {
        work(k * grain, chunk)
    })
}

/// Calls `work` on every item, each in its own task.
pub fn for_each<T: Send>(items: Vec<T>, work: impl Fn(T) + Sync + Send) {
    map(items, work);
}

/// Sorts the items.
pub fn sort<T: Ord + Send>(items: &mut [T]) {
    let serial = |items: &mut [T]| items.sort_unstable();
    #[cfg(feature = "rayon")]
    {
        use rayon::prelude::*;
        pool::run(items, |items| items.par_sort_unstable(), serial);
    }
    #[cfg(not(feature = "rayon"))]
    serial(items);
}

/// Calls `work` on every item, each in its own task, and returns the results in order.
pub fn map<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    let serial = |items: Vec<T>| items.into_iter().map(&work).collect();
    #[cfg(feature = "rayon")]
    if items.len() > 1 {
        use rayon::prelude::*;
        return pool::run(items, |items| items.into_par_iter().map(&work).collect(), serial);
    }
    serial(items)
}

#[cfg(test)]
mod loops {
    use super::*;

    /// Counts around the size of a task, and for several tasks.
    const COUNTS: [usize; 7] = [0, 1, 7, GRAIN - 1, GRAIN, GRAIN + 1, 5 * GRAIN + 3];

    fn ascending(count: usize) -> Vec<usize> {
        (0..count).collect()
    }

    #[test]
    fn ranges_cover_everything_once_and_in_order() {
        for count in COUNTS {
            let ranges = map_ranges(count, |range| range);
            assert!(ranges.iter().flat_map(Clone::clone).eq(0..count), "{count}");
            let ranges = map_ranges_of(3, count, |range| range.len());
            assert!(ranges.iter().all(|&len| (1..=3).contains(&len)), "{count}");
            assert_eq!(ranges.iter().sum::<usize>(), count);
            let sum = fold_ranges(count, || 0, |range| range.sum::<usize>(), |a, b| a + b);
            assert_eq!(sum, ascending(count).iter().sum::<usize>(), "{count}");
        }
    }

    #[test]
    fn values_are_in_order() {
        for count in COUNTS {
            let squares: Vec<usize> = ascending(count).iter().map(|k| k * k).collect();
            assert_eq!(collect(count, "a test", |k| k * k).as_ref(), Ok(&squares));
            let mut list = vec![0; count];
            fill(&mut list, |k| k * k);
            assert_eq!(list, squares);
            update(&mut list, |k, value| *value -= k * k);
            assert!(list.iter().all(|&value| value == 0), "{count}");
            assert_eq!(map(ascending(count), |k| k * k), squares);
        }
    }

    #[test]
    fn chunks_know_their_positions() {
        for count in COUNTS {
            let mut list = ascending(count);
            let firsts = map_chunks_of(5, &mut list, |first, chunk| (first, chunk[0]));
            assert!(firsts.iter().all(|(first, item)| first == item), "{count}");
            let sum = fold_chunks(&mut list, || 0, |_, chunk| chunk.iter().sum(), |a: usize, b| a + b);
            assert_eq!(sum, ascending(count).iter().sum::<usize>());
            let mut others = vec![0; count.div_ceil(4)];
            chunks_of_both([4, 1], &mut list, &mut others, |first, chunk, other| {
                assert_eq!(chunk[0], first);
                other[0] = chunk.len();
            });
            assert_eq!(others.iter().sum::<usize>(), count);
            for_each_mut(&mut list, |k, item| *item += k);
            assert!(list.iter().enumerate().all(|(k, &item)| item == 2 * k), "{count}");
        }
    }

    #[test]
    fn states_are_kept_and_each_range_has_one_alone() {
        let mut states: Vec<Vec<usize>> = Vec::new();
        for turn in 1..=2 {
            ranges_with(&mut states, 10, 95, |range, state| state.extend(range));
            assert!(states.len() <= threads(), "{} states", states.len());
            let mut seen: Vec<usize> = states.iter().flatten().copied().collect();
            seen.sort_unstable();
            let expected: Vec<usize> = (0..95).flat_map(|k| vec![k; turn]).collect();
            assert_eq!(seen, expected);
        }
    }

    #[test]
    fn numbers_are_sorted() {
        for count in COUNTS {
            let mut list: Vec<usize> = (0..count).map(|k| k * 7919 % 10_007).collect();
            let mut expected = list.clone();
            expected.sort_unstable();
            sort(&mut list);
            assert_eq!(list, expected);
        }
    }

    #[test]
    fn without_rayon_there_is_one_thread() {
        assert_eq!(threads() > 1, cfg!(feature = "rayon") && wanted_threads().threads > 1);
    }
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
