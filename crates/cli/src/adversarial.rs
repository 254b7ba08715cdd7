//! `obbligato verify --adversarial`: checks every stage on hard pairs, one by one, against integer
//! arithmetic.

pub mod audit;
mod families;
mod page;

use crate::adversarial::audit::{Audit, STAGES, Score};
use obbligato::{Config, report::Engine};
use obbligato_files::SceneFile;
use obbligato_verify::adversarial::{self, FAMILIES};
use serde_json::{Map, Value, json};

use self::families::{OF_FAMILIES, counts};
use super::{
    args::verify::VerifyArguments,
    engine,
    failure::Failure,
    output::{self, Sink},
    progress::Progress,
    replay,
    table::{self, Align, Column, counted, grouped},
};

/// Audits the pairs, prints the outcome, and fails if any answer is wrong.
pub fn run(count: u64, seed: u64, arguments: &VerifyArguments) -> Result<(), Failure> {
    let config = Config {
        precision: audit::config().precision,
        list_touching: audit::config().list_touching,
        ..arguments.search.config()?
    };
    let mut checker = engine::best_checker(config)?;
    let progress = Progress::bar(count);
    progress.stage("adversarial pairs");
    let audit = Audit::of(0..count, seed, &mut checker, |pairs| progress.steps(pairs))?;
    drop(progress);

    let device = engine::describe(checker.engine());
    let page = arguments.html.as_ref();
    let written = output::write_page(page, || Ok(page::html(&audit, count, seed, &device)));
    let printed = written.and_then(|()| {
        output::show_beside(
            page.map(Sink::target),
            arguments.json.as_ref(),
            || json(&audit, count, seed, checker.engine()),
            || format!("{device}: {}", report(&audit, count, seed)),
        )
    });
    let Some(wrong) = audit.first_wrong else {
        return printed;
    };
    let (a, b) = adversarial::pair(wrong.index, seed);
    let replay = replay::write(
        arguments.replay_out.as_deref(),
        &SceneFile {
            boxes: vec![a, b],
            ..SceneFile::default()
        },
    );
    Err(Failure::Difference(format!(
        "wrong answers: {}, the first from stage {}: pair {} of seed {seed} is {:?}; {replay}",
        grouped(audit.wrong()),
        wrong.stage.name(),
        wrong.index,
        wrong.truth,
    )))
}

/// Returns the truth about the pairs of each family, and each stage's score, as JSON.
fn json(audit: &Audit, count: u64, seed: u64, engine: &Engine) -> Value {
    let families = FAMILIES.iter().zip(&audit.families).map(|(family, audit)| {
        let [separated, touching, overlapping] = audit.truth;
        let truth = json!({ "separated": separated, "touching": touching, "overlapping": overlapping });
        (format!("{family:?}"), truth)
    });
    let stages = STAGES.into_iter().map(|stage| {
        let Score { right, open, wrong } = audit.score(stage);
        (
            stage.name().to_owned(),
            json!({ "right": right, "open": open, "wrong": wrong }),
        )
    });
    json!({
        "adversarial_pairs": count,
        "seed": seed,
        "backend": engine::backend(engine),
        "adapter": engine::adapter(engine),
        "driver": engine::driver(engine),
        "families": families.collect::<Map<_, _>>(),
        "stages": stages.collect::<Map<_, _>>(),
        "passed": audit.wrong() == 0,
    })
}

/// Returns the truth about the pairs of each family, then each stage's score, as text.
fn report(audit: &Audit, count: u64, seed: u64) -> String {
    let mut columns = vec![Column("family", 14, Align::Left)];
    columns.extend(OF_FAMILIES.map(number));
    let mut text = format!(
        "{} (seed {seed})\n\n",
        counted(count, "adversarial pair", "adversarial pairs")
    );
    text += &table::headings(&columns);
    for (family, audit) in FAMILIES.iter().zip(&audit.families) {
        let mut cells = vec![format!("{family:?}")];
        cells.extend(counts(audit).map(grouped));
        text += &table::row(&columns, &cells);
    }

    let columns = [
        Column("stage", 14, Align::Left),
        number("right"),
        number("open"),
        number("wrong"),
    ];
    text += &format!("\n{}", table::headings(&columns));
    for stage in STAGES {
        let Score { right, open, wrong } = audit.score(stage);
        let [right, open, wrong] = [right, open, wrong].map(grouped);
        text += &table::row(&columns, &[stage.name().into(), right, open, wrong]);
    }
    let verdict = if audit.wrong() == 0 { "passed" } else { "FAILED" };
    let wrong = counted(audit.wrong(), "wrong answer", "wrong answers");
    text + &format!("\n{verdict}: {wrong}\n")
}

fn number(heading: &'static str) -> Column {
    Column(heading, 12, Align::Right)
}
