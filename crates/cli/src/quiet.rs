//! Whether the program shows errors and requested results only.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static QUIET: AtomicBool = AtomicBool::new(false);

/// Shows no notes, progress or summaries from now on, if `quiet`.
pub fn be_quiet(quiet: bool) {
    QUIET.store(quiet, Relaxed);
}

/// Whether to show errors and requested results only.
pub fn is_quiet() -> bool {
    QUIET.load(Relaxed)
}
