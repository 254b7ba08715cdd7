//! Threads: workers that have instances of this module in the same memory.
//!
//! WebAssembly cannot start a thread. The JavaScript API starts as many workers as there are to be
//! threads, because only the page, which never waits, can hear of a worker that has failed. One of
//! them calls [`start_threads`] and then answers; each other one gives itself to rayon with
//! [`work`].

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use obbligato_support::parallel;
use rayon::{ThreadBuilder, ThreadPoolBuilder};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::errors::{Result, invalid};

/// Threads of rayon's that wait for a worker.
static WAITING: Mutex<Vec<ThreadBuilder>> = Mutex::new(Vec::new());
static ADDED: Condvar = Condvar::new();

fn waiting() -> MutexGuard<'static, Vec<ThreadBuilder>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes the pool of `count` threads, of which this is one, waits until workers have become the
/// others, and returns the number of threads that checks use from then on.
#[wasm_bindgen(js_name = startThreads)]
pub fn start_threads(count: usize) -> Result<usize> {
    let pool = ThreadPoolBuilder::new().num_threads(count).use_current_thread();
    let pool = pool.spawn_handler(|thread| {
        waiting().push(thread);
        ADDED.notify_one();
        Ok(())
    });
    pool.build_global().map_err(|error| invalid(&error.to_string()))?;
    Ok(parallel::threads())
}

/// Becomes one of the threads, for good.
#[wasm_bindgen]
pub fn work() {
    let mut threads = waiting();
    let thread = loop {
        match threads.pop() {
            Some(thread) => break thread,
            None => threads = ADDED.wait(threads).unwrap_or_else(PoisonError::into_inner),
        }
    };
    drop(threads);
    thread.run();
}
