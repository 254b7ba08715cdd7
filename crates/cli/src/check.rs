//! `obbligato check`: the colliding pairs of a file.

mod answer;
mod baseline;
mod bcf;
mod clashes;
mod close_up;
pub mod condition;
mod from_disk;
pub mod groups;
mod kinds;
mod outputs;
mod page;
mod scenes;
mod summary;
mod tally;
mod totals;
mod volumes;

use std::time::Instant;

use obbligato::{Checker, Config, report::Engine};

use self::{answer::Question, baseline::Baseline, outputs::Outputs, page::Page, totals::Totals};
use super::{
    args::check::CheckArguments,
    args::choices::PrecisionName,
    engine,
    failure::{Failure, note},
    output,
    progress::{Progress, stage},
};

pub fn run(arguments: &CheckArguments) -> Result<(), Failure> {
    let question = Question::new(arguments);
    let config = Config {
        precision: arguments.precision.precision(),
        margin: arguments.margin,
        list_touching: arguments.precision == PrecisionName::Exact && question.selects(),
        ..arguments.search.config()?
    };
    let mut outputs = Outputs::new(arguments)?;
    if let Some(memory) = arguments.memory {
        return from_disk::run(arguments, config, memory);
    }

    let progress = Progress::spinner("reading");
    let start = Instant::now();
    let frames = scenes::read(arguments)?;
    let baseline = arguments
        .baseline
        .as_deref()
        .map(|path| Baseline::read(path, arguments.frame));
    let baseline = baseline.transpose()?;
    let load = start.elapsed().as_secs_f64() * 1e3;
    frames.iter().try_for_each(|scenes| outputs.check_scenes(scenes))?;

    let mut checker = Checker::new(config)?;
    let mut totals = Totals::new(arguments, load);
    let mut page = arguments.html.is_some().then(|| Page::new(arguments, &frames));
    for (number, scenes) in frames.iter().enumerate() {
        progress.stage(stage("checking", number, frames.len()));
        let (answer, checked) = question.answer(&mut checker, scenes, baseline.as_ref())?;
        progress.stage("writing");
        outputs.write(&answer)?;
        if let Some(page) = &mut page {
            page.add(number, &answer)?;
        }
        totals.add(answer, checked)?;
    }
    if let Some(baseline) = &baseline {
        totals.add_gone(baseline.of_other_frames(&frames, arguments.against.is_none())?)?;
    }
    totals.topics = outputs.finish()?;
    let idle = checker.engine_for(0);
    let engine = totals.engine.as_ref().unwrap_or(&idle);
    if let Some(page) = &page {
        progress.stage("writing the page");
        output::write_page(arguments.html.as_ref(), || {
            page.html(&totals, baseline.as_ref(), engine)
        })?;
    }
    drop(progress);
    engine::warn(&checker);
    show(arguments, &totals, baseline.as_ref(), engine)
}

/// Shows the results: as JSON, the changes on stderr, and a summary on stdout unless results go
/// there.
fn show(
    arguments: &CheckArguments,
    totals: &Totals,
    baseline: Option<&Baseline>,
    engine: &Engine,
) -> Result<(), Failure> {
    let counts = &totals.counts;
    if let (Some(changes), Some(baseline)) = (counts.changes, baseline) {
        note(&format!("since the baseline: {}", summary::changes_in_words(changes)));
        totals.gone.iter().for_each(|&row| note(&baseline.gone_in_words(row)));
    }
    if let Some(sink) = &arguments.json {
        sink.write_json(&summary::json(totals, engine))?;
    }
    match outputs::take_stdout(arguments) {
        true => Ok(()),
        false => output::print(&summary::text(totals, engine)),
    }
}
