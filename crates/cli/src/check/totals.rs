//! The totals of all frames.

use std::collections::HashSet;

use obbligato::report::{BroadPhaseChoice, Engine, GridLevel, Timings};
use obbligato_files::BcfCounts;
use obbligato_support::memory;

use super::{
    answer::{Answer, Checked, Counts},
    clash_rules::ClashRules,
    criteria::Criteria,
    groups::Grouping,
    matrix::Matrix,
};
use crate::failure::Failure;
use crate::json::STEPS;
use crate::{
    args::check::CheckArguments,
    args::choices::{FrameChoice, PrecisionName},
};

/// Wall times in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    pub steps: [f64; STEPS.len()],
    /// The time of the whole check.
    pub total: f64,
}

impl Times {
    fn of(timings: &Timings) -> Self {
        Self {
            steps: STEPS.map(|step| timings.step(step).unwrap_or(0.0)),
            total: timings.total,
        }
    }

    fn add(&mut self, other: &Self) {
        self.steps
            .iter_mut()
            .zip(other.steps)
            .for_each(|(sum, more)| *sum += more);
        self.total += other.total;
    }
}

/// The totals of one of several frames.
pub struct FrameTotals {
    pub frame: i64,
    pub counts: Counts,
    pub times: Times,
    pub broad_phase: Option<BroadPhaseChoice>,
    pub grid: Vec<GridLevel>,
}

/// The totals of a check.
pub struct Totals {
    /// The sums over all frames.
    pub counts: Counts,
    pub times: Times,
    /// Milliseconds to read the files.
    pub load: f64,
    pub complete: bool,
    /// The word for the bodies, which may not all be boxes.
    pub called: &'static str,
    /// The engine of the last check.
    pub engine: Option<Engine>,
    /// The broad phase that found the candidate pairs of the last check.
    pub broad_phase: Option<BroadPhaseChoice>,
    /// The grid, if there is only one check.
    pub grid: Vec<GridLevel>,
    pub precision: PrecisionName,
    pub margin: f64,
    /// The frames, if all are checked.
    pub frames: Option<Vec<FrameTotals>>,
    /// The rows of the baseline whose pairs are gone.
    pub gone: Vec<u32>,
    /// The topics of `--bcf`.
    pub topics: Option<BcfCounts>,
    /// The rows of the file of ignored pairs whose pairs collide.
    pub live: HashSet<u32>,
    /// The names of the rules.
    pub rules: Option<Vec<String>>,
    /// The clashes of each pair of texts, if they are grouped by columns.
    pub matrix: Option<Matrix>,
}

impl Totals {
    pub fn new(arguments: &CheckArguments, criteria: &Criteria<'_>, load: f64) -> Self {
        let by_columns = |grouping: &&Grouping| matches!(grouping, Grouping::Columns(_));
        Self {
            counts: Counts::none(arguments),
            times: Times::default(),
            load,
            complete: true,
            called: "boxes",
            engine: None,
            broad_phase: None,
            grid: Vec::new(),
            precision: arguments.precision,
            margin: arguments.margin,
            frames: (arguments.frame == Some(FrameChoice::All)).then(Vec::new),
            gone: Vec::new(),
            topics: None,
            live: HashSet::new(),
            rules: criteria.rules.map(ClashRules::names),
            matrix: arguments.group.as_ref().filter(by_columns).map(|_| Matrix::default()),
        }
    }

    /// Adds the numbers of one frame.
    pub fn add(&mut self, answer: Answer<'_>, checked: Checked) -> Result<(), Failure> {
        let times = Times::of(&checked.timings);
        self.counts.add(&answer.counts);
        self.times.add(&times);
        self.complete &= checked.complete;
        if answer
            .scenes
            .sides()
            .iter()
            .any(|scene| scene.len() > scene.boxes.len())
        {
            self.called = "bodies";
        }
        self.engine = Some(checked.engine);
        self.broad_phase = checked.broad_phase;
        self.add_rows(answer.gone)?;
        self.live.extend(answer.live);
        if let Some(matrix) = &mut self.matrix {
            matrix.merge(answer.matrix);
        }
        match (&mut self.frames, answer.scenes.frame) {
            (Some(frames), Some(frame)) => frames.push(FrameTotals {
                frame,
                counts: answer.counts,
                times,
                broad_phase: checked.broad_phase,
                grid: checked.grid,
            }),
            _ => self.grid = checked.grid,
        }
        Ok(())
    }

    /// Adds pairs of the baseline whose frames no longer exist.
    pub fn add_gone(&mut self, gone: Vec<u32>) -> Result<(), Failure> {
        if let Some([_, number, _]) = &mut self.counts.changes {
            *number += gone.len() as u64;
        }
        self.add_rows(gone)
    }

    fn add_rows(&mut self, gone: Vec<u32>) -> Result<(), Failure> {
        memory::reserve(&mut self.gone, gone.len(), "the pairs that are gone")?;
        self.gone.extend(gone);
        Ok(())
    }
}
