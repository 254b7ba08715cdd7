//! The report of a check, as text and as JSON.

use obbligato::report::Engine;
use obbligato_files::BcfCounts;
use serde_json::{Map, Value, json};

use super::{
    answer::{Counts, Fitting},
    matrix::Matrix,
    totals::{FrameTotals, Times, Totals},
};
use crate::{
    args::choices::PrecisionName,
    engine,
    json::{self, STEPS},
    table::{counted, facts, grouped},
};

/// Returns the report as text.
pub fn text(totals: &Totals, engine: &Engine) -> String {
    let mut lines = lines(totals, engine);
    let times = &totals.times;
    lines.push((
        "time",
        format!("{:.3} ms, and {:.3} ms to read the file", times.total, totals.load),
    ));
    facts(&lines)
}

/// Returns each fact with its name, except the time.
pub fn lines(totals: &Totals, engine: &Engine) -> Vec<(&'static str, String)> {
    let counts = &totals.counts;
    let against = counts.against.map(|boxes| format!(", against {}", grouped(boxes)));
    let mut lines = vec![("device", engine::describe(engine))];
    if let Some(choice) = totals.broad_phase {
        lines.push(("broad phase", format!("{}: {}", choice.used, choice.why)));
    }
    if let Some(frames) = &totals.frames {
        lines.push(("frames", frames_in_words(frames)));
    }
    lines.extend([
        (
            totals.called,
            format!(
                "{}, {} of them free{}",
                grouped(counts.boxes),
                grouped(counts.free),
                against.unwrap_or_default()
            ),
        ),
        ("candidate pairs", grouped(counts.candidates)),
        ("colliding pairs", colliding(totals, counts)),
    ]);
    if let Some(left_out) = left_out(counts) {
        lines.push(("left out", left_out));
    }
    if let Some(groups) = counts.groups {
        lines.push(("groups", grouped(groups)));
    }
    if let Some(topics) = totals.topics {
        lines.push(("topics", topics_in_words(topics)));
    }
    if let Some(changes) = counts.changes {
        lines.push(("since baseline", changes_in_words(changes)));
    }
    lines.extend([
        ("precision", how_decided(totals, counts)),
        ("checksum", format!("{:016x}", counts.checksum)),
    ]);
    lines
}

fn frames_in_words(frames: &[FrameTotals]) -> String {
    match frames {
        [] => "none".into(),
        [only] => format!("1, {}", only.frame),
        [first, .., last] => format!(
            "{}, from {} to {}",
            grouped(frames.len() as u64),
            first.frame,
            last.frame
        ),
    }
}

fn colliding(totals: &Totals, counts: &Counts) -> String {
    let touching = counts.touching.map(grouped);
    let touching = touching.map(|number| format!(", {number} of them only touch"));
    let near = counts.near.filter(|_| totals.margin > 0.0).map(grouped);
    let near = near.map(|number| format!(", {number} of them only within {}", totals.margin));
    grouped(counts.colliding) + &touching.unwrap_or_default() + &near.unwrap_or_default()
}

/// Describes the pairs excluded by filters.
fn left_out(counts: &Counts) -> Option<String> {
    let filtered = counts.filtered.map(|pairs| format!("{} by --where", grouped(pairs)));
    let ignored = counts.ignored.map(|pairs| format!("{} by --ignore", grouped(pairs)));
    let by_rules = counts.fitting.as_ref().map(|fitting| {
        let left_out = fitting.iter().map(|fitting| fitting.left_out).sum();
        format!("{} by --clash-rules", grouped(left_out))
    });
    let shallow = counts.shallow.map(|pairs| format!("{} by --min-depth", grouped(pairs)));
    let all: Vec<String> = [filtered, ignored, by_rules, shallow].into_iter().flatten().collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// Describes the changes since the baseline.
pub fn changes_in_words([new, gone, kept]: [u64; 3]) -> String {
    format!("{} new, {} gone, {} kept", grouped(new), grouped(gone), grouped(kept))
}

/// Describes the topics of an archive.
pub fn topics_in_words(topics: BcfCounts) -> String {
    format!(
        "{} new, {} changed, {} unchanged, {} closed",
        grouped(topics.new),
        grouped(topics.changed),
        grouped(topics.unchanged),
        grouped(topics.closed)
    )
}

/// Describes the precision, and the pairs that each arithmetic left undecided.
fn how_decided(totals: &Totals, counts: &Counts) -> String {
    match totals.precision {
        PrecisionName::Exact => format!(
            "exact: f32 left {} undecided, f64 {}",
            counted(counts.undecided, "pair", "pairs"),
            grouped(counts.undecided_after_f64)
        ),
        other => other.name().into(),
    }
}

/// Returns the report as JSON.
pub fn json(totals: &Totals, engine: &Engine) -> Value {
    let rules = totals.rules.as_deref();
    let mut report = numbers(&totals.counts, rules);
    report.insert(
        "matrix".into(),
        totals.matrix.as_ref().map(Matrix::json).unwrap_or_default(),
    );
    report.insert("topics".into(), totals.topics.map(topics).unwrap_or_default());
    report.insert("margin".into(), json!(totals.margin));
    report.insert("complete".into(), json!(totals.complete));
    report.insert("backend".into(), json!(engine::backend(engine)));
    report.insert("adapter".into(), json!(engine::adapter(engine)));
    report.insert("driver".into(), engine::driver(engine));
    report.insert("precision".into(), json!(totals.precision.name()));
    report.insert("broad_phase".into(), json::broad_phase(totals.broad_phase));
    let grid = totals.frames.is_none().then(|| json::grid(&totals.grid));
    report.insert("grid".into(), grid.unwrap_or_default());
    report.insert("timings_ms".into(), timings(&totals.times, Some(totals.load)));
    if let Some(frames) = &totals.frames {
        report.insert("frames".into(), frames.iter().map(|of| frame(of, rules)).collect());
    }
    Value::Object(report)
}

/// Returns the numbers of topics as JSON.
pub fn topics(topics: BcfCounts) -> Value {
    json!({
        "new": topics.new,
        "changed": topics.changed,
        "unchanged": topics.unchanged,
        "closed": topics.closed,
    })
}

/// Returns one of several frames as JSON.
fn frame(of: &FrameTotals, rules: Option<&[String]>) -> Value {
    let mut report = Map::from_iter([("frame".to_owned(), json!(of.frame))]);
    report.extend(numbers(&of.counts, rules));
    report.insert("broad_phase".into(), json::broad_phase(of.broad_phase));
    report.insert("grid".into(), json::grid(&of.grid));
    report.insert("timings_ms".into(), timings(&of.times, None));
    Value::Object(report)
}

/// Returns the rules as JSON; the last one, without a name, is that no rule fits.
fn rules_json(names: &[String], fitting: &[Fitting]) -> Value {
    let names = names.iter().map(Some).chain([None]);
    let fitting = fitting.iter().copied().chain(std::iter::repeat(Fitting::default()));
    let rule =
        |(name, Fitting { clashes, left_out })| json!({ "name": name, "clashes": clashes, "left_out": left_out });
    names.zip(fitting).map(rule).collect()
}

fn numbers(counts: &Counts, rules: Option<&[String]>) -> Map<String, Value> {
    let fitting = counts.fitting.as_deref().zip(rules);
    let change = |index: usize| counts.changes.map(|changes| changes[index]);
    let numbers = json!({
        "boxes": counts.boxes,
        "against_boxes": counts.against,
        "candidate_pairs": counts.candidates,
        "colliding_pairs": counts.colliding,
        "touching_pairs": counts.touching,
        "near_pairs": counts.near,
        "filtered_pairs": counts.filtered,
        "ignored": counts.ignored,
        "rules": fitting.map(|(fitting, names)| rules_json(names, fitting)),
        "below_min_depth": counts.shallow,
        "new": change(0),
        "gone": change(1),
        "kept": change(2),
        "groups": counts.groups,
        "undecided_pairs": counts.undecided,
        "undecided_after_f64": counts.undecided_after_f64,
        "checksum": json::checksum(counts.checksum),
    });
    match numbers {
        Value::Object(numbers) => numbers,
        _ => Map::new(),
    }
}

/// Returns wall times in milliseconds. The total includes reading the files.
fn timings(times: &Times, load: Option<f64>) -> Value {
    let mut timings = Map::new();
    if let Some(load) = load {
        timings.insert("load".into(), json::milliseconds(load));
    }
    for (step, time) in STEPS.iter().zip(times.steps) {
        timings.insert(step.name().into(), json::milliseconds(time));
    }
    timings.insert("total".into(), json::milliseconds(times.total + load.unwrap_or(0.0)));
    Value::Object(timings)
}
