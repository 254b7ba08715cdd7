//! Messages to the logger "obbligato" of Python's `logging`.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use obbligato::report::Engine;
use obbligato::{Checker, Report};
use pyo3::prelude::*;

use crate::checker::{adapter, backend};

/// The facts about a checker that the logger has been told.
#[derive(Default)]
pub struct Told {
    warnings: AtomicUsize,
    /// The CPU and the GPU.
    engines: [AtomicBool; 2],
}

/// The facts about a checker that the logger has not been told.
pub struct News {
    /// The first check on this engine.
    is_first: bool,
    /// The reason for the engine, if the checker has looked for a GPU: a check of fewer boxes than
    /// `least_boxes` does not.
    choice: Option<String>,
    warnings: Vec<String>,
}

impl Told {
    /// The news after a check.
    pub fn news(&self, checker: &Checker, report: &Report, least_boxes: usize) -> News {
        let warnings = checker.warnings();
        let told = self
            .warnings
            .swap(warnings.len(), Ordering::Relaxed)
            .min(warnings.len());
        let engine = usize::from(matches!(report.engine, Engine::Gpu { .. }));
        let is_first = !self.engines[engine].swap(true, Ordering::Relaxed);
        News {
            is_first,
            choice: (is_first && report.boxes >= least_boxes).then(|| checker.choice().to_owned()),
            warnings: warnings[told..].to_vec(),
        }
    }
}

impl News {
    /// Tells the logger of them, and of the check (`obbligato/_log.py`).
    pub fn tell(self, py: Python<'_>, report: &Report) -> PyResult<()> {
        let phase = report.broad_phase.map(|choice| (choice.used.name(), choice.why));
        let engine = (backend(&report.engine), adapter(&report.engine), self.choice);
        let counts = (report.boxes, report.colliding_pairs, report.timings.total);
        let log = py.import("obbligato._log")?;
        log.call_method1("checked", (engine, phase, counts, self.warnings, self.is_first))?;
        Ok(())
    }
}
