//! `--html`: a verification as a page for a browser.

use maud::{Markup, html};
use obbligato_files::SceneFile;
use obbligato_verify::compare::{DegreeMismatch, Disagreement, Verification};

use super::{Found, Outcome, grounds::Ground, seed};
use crate::failure::Failure;
use crate::{
    args::verify::VerifyArguments,
    engine,
    html::{
        page::{facts, page, section, verdict},
        pictures::Artist,
        table::{Cell, table},
    },
    table::{bodies, counted, grouped},
};

/// The maximum number of listed differences of each kind.
const LISTED: usize = 500;

/// The size of the picture in pixels.
const SIZE: [u32; 2] = [840, 525];

impl Outcome<'_> {
    /// The whole page.
    pub fn page(&self, name: &str, scene: &SceneFile, arguments: &VerifyArguments) -> Result<String, Failure> {
        let words = "The scene: bodies that touch or overlap others in orange, free bodies in grey";
        let picture = Artist::new()?.colliding(scene.bodies(), &self.own.pairs, SIZE, words)?;
        let body = html! {
            (self.in_words(scene))
            figure id="picture" { (picture) figcaption { (words) } }
            (section("facts", "What was compared", &self.facts(name, scene, arguments)))
            (section("answers", "The answers", &self.answers()))
            (section("comparisons", "The comparisons", &self.compared()))
            (section("grounds", "What this rests on", &self.rests_on(scene, arguments)))
            @for (number, (what, verification)) in self.comparisons.iter().enumerate() {
                @if !verification.passed() {
                    (section(&format!("differences-{number}"), &format!("Where they differ: {what}"), &differences(number, verification)))
                }
            }
        };
        Ok(page(&format!("Verification of {name}"), &body))
    }

    /// Describes the outcome.
    fn in_words(&self, scene: &SceneFile) -> Markup {
        let [_, many] = bodies(scene);
        match (self.failed(), &self.fault) {
            (Some(failed), None) => verdict(false, "FAILED: the answers differ", &format!(". {failed}.")),
            (Some(failed), Some(fault)) => verdict(
                false,
                "FAILED, as it should: the injected fault was noticed",
                &format!(" ({fault}). {failed}."),
            ),
            (None, Some(fault)) => verdict(
                false,
                "FAILED: the injected fault was not noticed",
                &format!(" ({fault}). None of its boxes were compared."),
            ),
            (None, None) => verdict(
                true,
                "Passed: no pair is missing, and there are no extra pairs",
                &format!(
                    ". {} agrees; compared with the reference: {} {many}.",
                    match self.comparisons.len() {
                        1 => "The one comparison".to_owned(),
                        number => format!("Each of {number} comparisons"),
                    },
                    self.verdict().extent(),
                ),
            ),
        }
    }

    fn facts(&self, name: &str, scene: &SceneFile, arguments: &VerifyArguments) -> Markup {
        let [one, many] = bodies(scene);
        let mut lines = vec![("scene", name.to_owned())];
        if arguments.scene.is_some() {
            lines.push(("seed", seed(arguments).to_string()));
        }
        lines.push(("size", counted(scene.len() as u64, one, many)));
        lines.push((
            "compared with the reference",
            format!("{} {many}", self.verdict().extent()),
        ));
        if let Some(fault) = &self.fault {
            lines.push(("fault injected", fault.clone()));
        }
        facts(&lines)
    }

    /// Returns the results of each backend.
    fn answers(&self) -> Markup {
        let headings = ["device", "pairs", "touching", "checksum"].map(str::to_owned);
        let row = |found: &Found| {
            vec![
                Cell::Text(engine::describe(&found.engine)),
                Cell::count(found.pairs.len() as u64),
                found.touching.map_or(Cell::none(), Cell::count),
                Cell::Text(format!("{:016x}", found.checksum(self.keys.as_deref()))),
            ]
        };
        let rows: Vec<_> = [&self.own].into_iter().chain(&self.twin).map(row).collect();
        table("answers-table", &headings, &rows)
    }

    /// Returns the comparisons and their outcomes.
    fn compared(&self) -> Markup {
        let headings = [
            "what",
            "passed",
            "boxes",
            "of",
            "pairs expected",
            "pairs found",
            "missing",
            "extra",
            "wrong degrees",
            "touching expected",
            "touching found",
        ];
        let row = |(what, compared): &(&'static str, Verification)| {
            let count = |number: usize| Cell::count(number as u64);
            let touching = |number: fn((u64, u64)) -> u64| {
                let touching = compared.touching.map(number);
                touching.map_or(Cell::none(), Cell::count)
            };
            vec![
                Cell::Text((*what).to_owned()),
                Cell::Text(if compared.passed() { "yes" } else { "NO" }.to_owned()),
                count(compared.compared),
                count(compared.boxes),
                count(compared.expected),
                count(compared.found),
                count(compared.missing.len()),
                count(compared.extra.len()),
                count(compared.degree_mismatches.len()),
                touching(|(expected, _)| expected),
                touching(|(_, found)| found),
            ]
        };
        let rows: Vec<_> = self.comparisons.iter().map(row).collect();
        table("comparisons-table", &headings.map(str::to_owned), &rows)
    }

    /// Returns what holds by proof, and what by comparison.
    fn rests_on(&self, scene: &SceneFile, arguments: &VerifyArguments) -> Markup {
        let headings = ["statement", "holds by", "assuming what, or compared with what"].map(str::to_owned);
        let row = |ground: Ground| {
            let [why, detail] = ground.why();
            vec![
                Cell::Text(ground.statement.to_owned()),
                Cell::Text(why),
                Cell::Text(detail),
            ]
        };
        let rows: Vec<_> = self.grounds(scene, arguments).into_iter().map(row).collect();
        table("grounds-table", &headings, &rows)
    }
}

/// Returns the pairs and the boxes that differ.
fn differences(number: usize, verification: &Verification) -> Markup {
    let [missing, extra, degrees] = [
        verification.missing.len(),
        verification.extra.len(),
        verification.degree_mismatches.len(),
    ];
    let pairs = verification.missing.iter().take(LISTED);
    let pairs: Vec<_> = pairs.chain(verification.extra.iter().take(LISTED)).map(pair).collect();
    let boxes = verification.degree_mismatches.iter().take(LISTED);
    let boxes: Vec<_> = boxes.map(partners).collect();
    html! {
        @for (what, all) in [("missing pairs", missing), ("extra pairs", extra), ("boxes with a wrong number of partners", degrees)] {
            @if all > LISTED {
                p { strong { "The first " (LISTED) " of " (grouped(all as u64)) " " (what) " are listed." } }
            }
        }
        @if !pairs.is_empty() {
            (table(&format!("pairs-{number}"), &["a", "b", "what", "separation"].map(str::to_owned), &pairs))
        }
        @if !boxes.is_empty() {
            (table(&format!("boxes-{number}"), &["box", "partners expected", "partners found"].map(str::to_owned), &boxes))
        }
    }
}

fn pair(differs: &Disagreement) -> Vec<Cell> {
    let separation = |distance: f64| Cell::Number(distance, format!("{distance:+.3e}"));
    vec![
        Cell::number(differs.pair.a.into()),
        Cell::number(differs.pair.b.into()),
        Cell::Text(differs.kind.to_string()),
        differs.separation.map_or(Cell::none(), separation),
    ]
}

fn partners(differs: &DegreeMismatch) -> Vec<Cell> {
    [differs.index, differs.expected, differs.found]
        .map(|number| Cell::number(number.into()))
        .into()
}
