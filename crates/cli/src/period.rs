//! Errors about scenes in space that repeats.

use obbligato::{Error, error::PeriodProblem};
use obbligato_files::SceneFile;
use obbligato_support::plural::plural;

use crate::failure::Failure;

/// Returns the failure for bodies that do not fit the period, given the id of the first.
pub fn out_of_period(id: &str, problem: &PeriodProblem, count: usize) -> Failure {
    Failure::Input(format!(
        "body {id} {problem} ({count} such {} in all): give a longer --period, or fix or remove {}",
        plural(count as u64, "body", "bodies"),
        plural(count as u64, "it", "them"),
    ))
}

/// Returns an error that, for a body that does not fit the period, has its id.
pub fn named(scene: &SceneFile, error: Error) -> Failure {
    match error {
        Error::OutOfPeriod { index, problem, count } => out_of_period(&scene.id_of(index).to_string(), &problem, count),
        error => error.into(),
    }
}
