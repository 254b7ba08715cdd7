//! Work without the interpreter's lock.

use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use pyo3::prelude::*;

use crate::errors::{own, raise};

/// The process that works here; 0 if none has yet.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// Runs `work` while other Python threads go on.
pub fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> obbligato::Result<T> + Send) -> PyResult<T> {
    expect_no_fork(py)?;
    py.detach(work).map_err(raise)
}

/// A fork copies the thread that calls it and no other: a child would wait for ever for threads that are not there.
fn expect_no_fork(py: Python<'_>) -> PyResult<()> {
    let own_id = process::id();
    match OWNER.compare_exchange(0, own_id, Ordering::Relaxed, Ordering::Relaxed) {
        Err(owner) if owner != own_id => Err(own(
            py,
            "Forked",
            "this process was forked from one that had used obbligato, and its threads were not: start processes by \
             'spawn' or 'forkserver' (multiprocessing.set_start_method), or fork before the first call",
        )),
        _ => Ok(()),
    }
}
