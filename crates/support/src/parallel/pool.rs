//! Rayon's threads, or a smaller pool if they cannot all start.

use std::error::Error;
use std::sync::LazyLock;

pub use rayon::join;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::memory;
use crate::parallel::Wanted;

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

/// Calls `work` `count` times on the threads of the pool.
pub fn run(count: usize, work: &(dyn Fn() + Sync)) {
    match &*POOL {
        Pool::Fewer(pool) if rayon::current_thread_index().is_none() => pool.install(|| halves(count, work)),
        _ => halves(count, work),
    }
}

/// Calls `work` `count` times on the threads of the current pool.
fn halves(count: usize, work: &(dyn Fn() + Sync)) {
    match count {
        0 => {}
        1 => work(),
        _ => {
            join(|| halves(count / 2, work), || halves(count - count / 2, work));
        }
    }
}

/// Returns `true` if loops run on more threads than one.
pub fn has_threads() -> bool {
    threads() > 1
}
