//! `--html`: an audit of hard pairs as a page for a browser.

use crate::adversarial::audit::{Audit, STAGES, Score, Stage};
use maud::html;
use obbligato_verify::adversarial::FAMILIES;

use super::families::{OF_FAMILIES, counts};
use crate::{
    html::{
        page::{page, section, verdict},
        table::{Cell, table},
    },
    table::counted,
};

pub fn html(audit: &Audit, count: u64, seed: u64, device: &str) -> String {
    let wrong = audit.wrong();
    let words = match wrong {
        0 => "Passed: no stage gave a wrong answer".to_owned(),
        _ => format!("FAILED: {}", counted(wrong, "wrong answer", "wrong answers")),
    };
    let pairs = counted(count, "adversarial pair", "adversarial pairs");
    let named = |name: String, numbers: &[u64]| -> Vec<Cell> {
        let numbers = numbers.iter().map(|&number| Cell::count(number));
        [Cell::Text(name)].into_iter().chain(numbers).collect()
    };
    let families = FAMILIES.iter().zip(&audit.families);
    let families: Vec<_> = families
        .map(|(family, audit)| named(format!("{family:?}"), &counts(audit)))
        .collect();
    let stage = |stage: Stage| {
        let Score { right, open, wrong } = audit.score(stage);
        named(stage.name().to_owned(), &[right, open, wrong])
    };
    let stages: Vec<_> = STAGES.into_iter().map(stage).collect();
    let headings = |all: &[&str]| -> Vec<String> { all.iter().map(|&heading| heading.to_owned()).collect() };
    let of_families = headings(&[&["family"], &OF_FAMILIES[..]].concat());
    let of_stages = headings(&["stage", "right", "open", "wrong"]);
    let body = html! {
        (verdict(wrong == 0, &words, &format!(". {pairs} of seed {seed}, each through every stage, on {device}.")))
        (section("families", "The true results of each family", &table("families-table", &of_families, &families)))
        (section("stages", "The answers of each stage", &table("stages-table", &of_stages, &stages)))
    };
    page("Verification of adversarial pairs", &body)
}
