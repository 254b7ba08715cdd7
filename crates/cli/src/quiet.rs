//! The state of `--quiet`: only errors and requested results are shown.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static QUIET: AtomicBool = AtomicBool::new(false);

/// Sets the state: if `quiet`, no notes, progress or summaries are shown afterwards.
pub fn be_quiet(quiet: bool) {
    QUIET.store(quiet, Relaxed);
}

/// Returns `true` if only errors and requested results are shown.
pub fn is_quiet() -> bool {
    QUIET.load(Relaxed)
}
