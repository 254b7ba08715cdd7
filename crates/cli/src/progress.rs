//! A progress bar on stderr, if stderr is a terminal.

use std::{
    io::{self, IsTerminal},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};

use super::quiet::is_quiet;

/// A progress bar. It disappears when dropped.
pub struct Progress(ProgressBar);

impl Progress {
    /// Shows work of unknown length.
    pub fn spinner(stage: &'static str) -> Self {
        let bar = Self::visible(ProgressBar::new_spinner);
        bar.set_message(stage);
        if !bar.is_hidden() && a_thread_starts() {
            bar.enable_steady_tick(Duration::from_millis(100));
        }
        Self(bar)
    }

    /// Shows work of `length` steps. It is drawn only between steps, so that it does not disturb
    /// measurements.
    pub fn bar(length: u64) -> Self {
        let bar = Self::visible(|| ProgressBar::new(length));
        if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:30}] {pos}/{len}") {
            bar.set_style(style.progress_chars("=> "));
        }
        Self(bar)
    }

    fn visible(make: impl FnOnce() -> ProgressBar) -> ProgressBar {
        if io::stderr().is_terminal() && !is_quiet() {
            make()
        } else {
            ProgressBar::hidden()
        }
    }

    /// Names the current stage.
    pub fn stage(&self, stage: impl Into<String>) {
        self.0.set_message(stage.into());
    }

    /// Advances by one step.
    pub fn step(&self) {
        self.steps(1);
    }

    /// Advances by `number` steps.
    pub fn steps(&self, number: u64) {
        self.0.inc(number);
    }
}

/// Returns the name of a stage that all frames go through, for the frame at this index out of
/// `frames`.
pub fn stage(name: &'static str, index: usize, frames: usize) -> String {
    match frames {
        0 | 1 => name.into(),
        _ => format!("{name} frame {} of {frames}", index + 1),
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Returns `true` if the system can start a thread: the bar panics if its own does not start.
fn a_thread_starts() -> bool {
    std::thread::Builder::new().spawn(|| ()).is_ok()
}
