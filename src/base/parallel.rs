//! The few kinds of parallel loop that the CPU backend needs: on rayon's threads with the feature `rayon`, else on one.

use std::ops::Range;

/// Items per task: enough to hide the cost of a task, few enough to balance uneven work.
pub(crate) const GRAIN: usize = 4096;

/// The number of threads that the loops use.
pub(crate) fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    return 1;
}

/// Calls `work` on ranges that cover `0..len` and returns the results in order.
pub(crate) fn map_ranges<T: Send>(len: usize, work: impl Fn(Range<usize>) -> T + Sync + Send) -> Vec<T> {
    map_ranges_of(GRAIN, len, work)
}

/// Like [`map_ranges`], with ranges of `grain` items.
pub(crate) fn map_ranges_of<T: Send>(
    grain: usize,
    len: usize,
    work: impl Fn(Range<usize>) -> T + Sync + Send,
) -> Vec<T> {
    let count = len.div_ceil(grain);
    let range = |k: usize| k * grain..((k + 1) * grain).min(len);
    // Waking other threads takes longer than a small piece of work.
    #[cfg(feature = "rayon")]
    if count > 1 {
        use rayon::prelude::*;
        return (0..count).into_par_iter().map(|k| work(range(k))).collect();
    }
    (0..count).map(|k| work(range(k))).collect()
}

/// Sets every item of `items` to `value(position)`.
pub(crate) fn fill<T: Send>(items: &mut [T], value: impl Fn(usize) -> T + Sync + Send) {
    update(items, |i, item| *item = value(i));
}

/// Calls `change(position, item)` on every item of `items`.
pub(crate) fn update<T: Send>(items: &mut [T], change: impl Fn(usize, &mut T) + Sync + Send) {
    map_chunks(items, |first, chunk| {
        for (i, item) in chunk.iter_mut().enumerate() {
            change(first + i, item);
        }
    });
}

/// Calls `work(position of the first, items)` on chunks of `items` and returns the results in order.
pub(crate) fn map_chunks<T: Send, R: Send>(
    items: &mut [T],
    work: impl Fn(usize, &mut [T]) -> R + Sync + Send,
) -> Vec<R> {
    map(items.chunks_mut(GRAIN).enumerate().collect(), |(k, chunk)| {
        work(k * GRAIN, chunk)
    })
}

/// Calls `work` on every item, each in its own task.
pub(crate) fn for_each<T: Send>(items: Vec<T>, work: impl Fn(T) + Sync + Send) {
    #[cfg(feature = "rayon")]
    {
        use rayon::prelude::*;
        items.into_par_iter().for_each(work);
    }
    #[cfg(not(feature = "rayon"))]
    items.into_iter().for_each(work);
}

/// Sorts numbers.
pub(crate) fn sort(items: &mut [u64]) {
    #[cfg(feature = "rayon")]
    {
        use rayon::prelude::*;
        items.par_sort_unstable();
    }
    #[cfg(not(feature = "rayon"))]
    items.sort_unstable();
}

/// Calls `work` on every item, each in its own task, and returns the results in order.
pub(crate) fn map<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    #[cfg(feature = "rayon")]
    {
        use rayon::prelude::*;
        items.into_par_iter().map(work).collect()
    }
    #[cfg(not(feature = "rayon"))]
    items.into_iter().map(work).collect()
}
