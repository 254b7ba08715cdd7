//! `--html`: a check as a page for a browser.

mod close_ups;
mod criteria;
mod depths;
mod listed;
mod marks;
mod pairs;

use maud::{Markup, html};
use obbligato::report::Engine;

pub use listed::measured;

use self::{depths::Depths, listed::Listed, marks::Marks};
use super::{answer::Answer, baseline::Baseline, criteria::Criteria, scenes::Scenes, summary, totals::Totals};
use crate::failure::Failure;
use crate::{
    args::check::CheckArguments,
    html::{
        bars::{Bar, bars},
        page::{facts, page, section, title_of, verdict},
        pictures::Artist,
        table::{Cell, table},
    },
    json::STEPS,
    table::{counted, grouped},
};

/// The maximum number of pairs in the table: the deepest. A browser sorts this many at once.
const LISTED: usize = 2_000;

/// The maximum number of listed pairs that are gone since the baseline.
const GONE: usize = 200;

/// The size of the picture in pixels.
const SIZE: [u32; 2] = [1120, 700];

/// The content of a page in addition to the numbers of the summary.
pub struct Page<'a> {
    arguments: &'a CheckArguments,
    criteria: &'a Criteria<'a>,
    frames: &'a [Scenes],
    /// The first [`LISTED`] pairs: the deepest first, then those without a depth, each by frames
    /// and ids.
    listed: Vec<Listed>,
    /// The number of pairs to list.
    all: u64,
    /// The number of them whose depth is not known.
    unknown: u64,
    depths: Depths,
    /// The first [`LISTED`] ignored pairs with their reasons.
    ignored: Vec<(Listed, String)>,
    /// The index of the first frame with the most pairs, their number, and the marks of its bodies.
    fullest: Option<(usize, u64, Marks)>,
}

impl<'a> Page<'a> {
    pub fn new(arguments: &'a CheckArguments, criteria: &'a Criteria<'a>, frames: &'a [Scenes]) -> Self {
        Self {
            arguments,
            criteria,
            frames,
            listed: Vec::new(),
            all: 0,
            unknown: 0,
            depths: Depths::default(),
            ignored: Vec::new(),
            fullest: None,
        }
    }

    /// Adds the answer about the frame at an index.
    pub fn add(&mut self, frame: usize, answer: &Answer<'_>) -> Result<(), Failure> {
        let pairs = answer.counts.colliding;
        if self.fullest.as_ref().is_none_or(|(_, most, _)| pairs > *most) {
            self.fullest = Some((frame, pairs, Marks::of(answer, self.arguments.margin)?));
        }
        if answer.has_clashes {
            self.all += answer.clashes.len() as u64;
            answer.clashes.iter().for_each(|clash| self.depths.add(clash));
            let deepest = answer.clashes.iter().take(LISTED);
            self.listed.extend(deepest.map(|clash| Listed::clash(frame, clash)));
        } else {
            let all = answer.pairs.len() as u64;
            self.all += all;
            self.unknown += all;
            let first = answer.pairs.iter().take(LISTED);
            self.listed.extend(first.map(|pair| Listed::pair(frame, *pair)));
        }
        if let Some(ignored) = &self.criteria.ignored {
            let room = LISTED - self.ignored.len();
            let first = answer.accepted.iter().take(room);
            let listed = first.map(|one| (Listed::pair(frame, one.pair), ignored.reason(one).to_owned()));
            self.ignored.extend(listed);
        }
        // The sort is stable, so that equal depths stay in the order of frames and ids.
        self.listed.sort_by(Listed::deepest_first);
        self.listed.truncate(LISTED);
        Ok(())
    }

    /// The whole page.
    pub fn html(&self, totals: &Totals, engine: &Engine) -> Result<String, Failure> {
        let mut artist = Artist::new()?;
        let Criteria {
            rules,
            ignored,
            baseline,
        } = &self.criteria;
        let counts = &totals.counts;
        let body = html! {
            (found(totals))
            (self.picture(&mut artist)?)
            (section("facts", "What was checked", &facts(&self.facts(totals, engine))))
            (section("time", "Time", &time(totals)))
            @if totals.frames.is_some() { (section("frames", "Frames", &frames(totals))) }
            @if let Some(rules) = rules {
                (section("rules", "Rules", &criteria::rules(rules, counts.fitting.as_deref().unwrap_or_default())))
            }
            @if let Some(matrix) = &totals.matrix {
                (section("types", "Types", &criteria::types(matrix, self.arguments.against.is_none())))
            }
            @if !self.depths.is_empty() { (section("depths", "How deep", &self.depths.markup())) }
            @if self.listed.iter().any(|row| row.clash.is_some()) {
                (section("close-ups", "The deepest", &close_ups::markup(&self.listed, self.frames, &mut artist)?))
            }
            (section("pairs", "Pairs", &self.pairs(totals)))
            @if let Some(ignored) = ignored {
                (section("ignored", "Ignored", &criteria::ignored(ignored, &self.ignored, self.frames, counts.ignored.unwrap_or(0))))
            }
            @if let Some(baseline) = baseline { (section("gone", "Gone since the baseline", &gone(totals, baseline))) }
        };
        Ok(page(&self.title(), &body))
    }

    /// The scene, or the frame of it that has the most pairs.
    fn picture(&self, artist: &mut Artist) -> Result<Markup, Failure> {
        let Some((frame, _, marks)) = &self.fullest else {
            return Ok(html! {});
        };
        let scenes = &self.frames[*frame];
        let words = match scenes.frame {
            Some(frame) => format!("Frame {frame}, which has the most pairs"),
            None => "The whole scene".to_owned(),
        };
        let picture = marks.with(scenes, |view| artist.draw(view, view, SIZE, &words))?;
        Ok(html! { figure id="picture" { (picture) figcaption { (words) } } })
    }

    fn title(&self) -> String {
        let file = title_of(&self.arguments.file);
        match &self.arguments.against {
            Some(against) => format!("Collisions of {file} with {}", title_of(against)),
            None => format!("Collisions in {file}"),
        }
    }

    /// Returns the files, and the facts of the summary about them.
    fn facts(&self, totals: &Totals, engine: &Engine) -> Vec<(&'static str, String)> {
        let against = self.arguments.against.as_ref().map(|file| ("against", file));
        let files = [("file", &self.arguments.file)].into_iter().chain(against);
        let mut lines: Vec<_> = files.map(|(name, file)| (name, file.display().to_string())).collect();
        lines.extend(summary::lines(totals, engine));
        lines
    }

    /// Returns the table of pairs, and a note about omitted ones.
    fn pairs(&self, totals: &Totals) -> Markup {
        let near = totals.counts.near.unwrap_or(0);
        html! {
            p { (self.extent()) }
            @if self.unknown > 0 {
                p {
                    "Depths were not computed for "
                    (counted(self.unknown, "pair", "pairs")) ": "
                    "computing them takes long for that many pairs; with " code { "--clashes FILE" } " they are computed."
                }
            }
            @if near > 0 && self.unknown == 0 && self.criteria.rules.is_none() {
                p {
                    (counted(near, "pair that is", "pairs that are")) " only near "
                    (if near == 1 { "is" } else { "are" }) " not in this table: " code { "--distances FILE" } " writes them all."
                }
            }
            @if !self.listed.is_empty() {
                (pairs::markup(&self.listed, self.frames, self.arguments, self.criteria.rules))
            }
        }
    }

    /// Describes the share of all pairs in the table, and the place of the rest.
    fn extent(&self) -> Markup {
        let listed = self.listed.len() as u64;
        let first = if self.unknown == 0 { "deepest" } else { "first" };
        html! {
            @if self.all == 0 { "There are none." }
            @else if listed == self.all { "All of them: " (counted(listed, "pair", "pairs")) "." }
            @else {
                strong { "The " (first) " " (grouped(listed)) " of " (counted(self.all, "pair", "pairs")) "." } " The whole list is "
                @match (&self.arguments.clashes, &self.arguments.pairs) {
                    (Some(path), _) => { "in " code { (path.display()) } "." },
                    (None, Some(path)) => { "in " code { (path.display()) } ", without depths." },
                    (None, None) => { "what " code { "--clashes FILE" } " or " code { "--pairs FILE" } " writes." },
                }
            }
        }
    }
}

/// Describes the result in a sentence.
fn found(totals: &Totals) -> Markup {
    let counts = &totals.counts;
    let pairs = counted(counts.colliding, "pair", "pairs");
    let is_one = counts.colliding == 1;
    let what = match (counts.colliding, totals.margin > 0.0) {
        (0, false) => "Nothing collides".to_owned(),
        (0, true) => format!("Nothing is within {}", totals.margin),
        (_, false) if is_one => format!("{pairs} collides"),
        (_, false) => format!("{pairs} collide"),
        (_, true) if is_one => format!("{pairs} is within {}", totals.margin),
        (_, true) => format!("{pairs} are within {}", totals.margin),
    };
    let against = counts
        .against
        .map(|others| format!(", compared with {}", grouped(others)));
    let rest = format!(
        " among {} {}{}.",
        grouped(counts.boxes),
        totals.called,
        against.unwrap_or_default()
    );
    verdict(counts.colliding == 0, &what, &rest)
}

/// Returns the time of each step.
fn time(totals: &Totals) -> Markup {
    let steps = STEPS.iter().map(|step| step.name()).zip(totals.times.steps);
    let steps: Vec<Bar> = [("load", totals.load)]
        .into_iter()
        .chain(steps.filter(|(_, time)| *time > 0.0))
        .map(|(name, time)| Bar::whole(name, time, format!("{time:.3} ms")))
        .collect();
    let words = format!(
        "Milliseconds of each step; the check took {:.3} ms, and reading {:.3} ms",
        totals.times.total, totals.load
    );
    bars(&words, &[], &steps)
}

fn frames(totals: &Totals) -> Markup {
    let headings = [
        "frame",
        totals.called,
        "candidate pairs",
        "colliding pairs",
        "touching",
        "checksum",
    ];
    let row = |frame: &super::totals::FrameTotals| {
        let counts = &frame.counts;
        vec![
            Cell::number(frame.frame as f64),
            Cell::count(counts.boxes),
            Cell::count(counts.candidates),
            Cell::count(counts.colliding),
            counts.touching.map_or(Cell::none(), Cell::count),
            Cell::Text(format!("{:016x}", counts.checksum)),
        ]
    };
    let rows: Vec<_> = totals.frames.iter().flatten().map(row).collect();
    table("frames-table", &headings.map(str::to_owned), &rows)
}

/// Returns the pairs that only the baseline has.
fn gone(totals: &Totals, baseline: &Baseline) -> Markup {
    let rows = &totals.gone;
    html! {
        @if rows.len() > GONE {
            p { strong { "The first " (GONE) " of " (grouped(rows.len() as u64)) "." } " The summary on stderr has them all." }
        } @else if rows.is_empty() {
            p { "None." }
        }
        ul {
            @for row in rows.iter().take(GONE) {
                li { (baseline.gone_in_words(*row)) }
            }
        }
    }
}
