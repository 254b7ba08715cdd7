//! `obbligato check`: the colliding pairs of a file.

mod answer;
mod baseline;
pub mod bcf;
mod clash_rules;
mod clashes;
pub mod close_up;
pub mod condition;
mod criteria;
mod from_disk;
pub mod groups;
mod ignored;
mod kinds;
mod matrix;
mod outputs;
mod page;
mod scenes;
pub mod summary;
mod tally;
mod totals;
mod volumes;

use std::time::Instant;

use obbligato::{Checker, Config, report::Engine};

use self::{
    answer::Question, clash_rules::ClashRules, criteria::Criteria, outputs::Outputs, page::Page, totals::Totals,
};
use super::{
    args::check::CheckArguments,
    args::choices::PrecisionName,
    engine,
    failure::{Failure, note},
    output,
    progress::{Progress, stage},
};

pub fn run(mut arguments: CheckArguments) -> Result<(), Failure> {
    let rules = arguments.clash_rules.as_deref().map(ClashRules::read).transpose()?;
    let rules = rules.as_ref();
    if let Some(rules) = rules {
        arguments.margin = rules.margin();
    }
    let arguments = &arguments;
    let mut outputs = Outputs::new(arguments, rules)?;
    let config = Config {
        precision: arguments.precision.precision(),
        margin: arguments.margin,
        list_touching: arguments.precision == PrecisionName::Exact && Question::selects(arguments),
        ..arguments.search.config()?
    };
    if let Some(memory) = arguments.memory {
        return from_disk::run(arguments, config, memory);
    }

    let progress = Progress::spinner("reading");
    let start = Instant::now();
    let frames = scenes::read(arguments, rules)?;
    let criteria = &Criteria::read(arguments, rules)?;
    let load = start.elapsed().as_secs_f64() * 1e3;
    frames.iter().try_for_each(|scenes| outputs.check_scenes(scenes))?;

    let question = Question::new(arguments, criteria, &config);
    let mut checker = Checker::new(config.clone())?;
    let mut totals = Totals::new(arguments, criteria, load);
    let mut page = arguments
        .html
        .is_some()
        .then(|| Page::new(arguments, criteria, &frames));
    for (number, scenes) in frames.iter().enumerate() {
        progress.stage(stage("checking", number, frames.len()));
        let (answer, checked) = question.answer(&mut checker, scenes)?;
        progress.stage("writing");
        outputs.write(&answer)?;
        if let Some(page) = &mut page {
            page.add(number, &answer)?;
        }
        totals.add(answer, checked)?;
    }
    if let Some(baseline) = &criteria.baseline {
        totals.add_gone(baseline.of_other_frames(&frames, arguments.against.is_none())?)?;
    }
    totals.topics = outputs.finish()?;
    let idle = checker.engine_for(0);
    let engine = totals.engine.as_ref().unwrap_or(&idle);
    if let Some(page) = &page {
        progress.stage("writing the page");
        output::write_page(arguments.html.as_ref(), || page.html(&totals, engine))?;
    }
    drop(progress);
    engine::warn(&checker);
    show(arguments, &totals, criteria, engine)
}

/// Shows the results: as JSON, the changes on stderr, and a summary on stdout unless results go
/// there.
fn show(arguments: &CheckArguments, totals: &Totals, criteria: &Criteria<'_>, engine: &Engine) -> Result<(), Failure> {
    let counts = &totals.counts;
    if let Some(ignored) = &criteria.ignored {
        ignored.tell_stale(&totals.live);
    }
    if let (Some(changes), Some(baseline)) = (counts.changes, &criteria.baseline) {
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
