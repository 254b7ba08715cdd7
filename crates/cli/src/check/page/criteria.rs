//! Tables of rules, of ignored pairs, and of the clashes of each pair of types.

use maud::{Markup, html};

use super::listed::{Listed, measured};
use crate::{
    check::{answer::Fitting, clash_rules::ClashRules, ignored::Ignored, matrix::Matrix, scenes::Scenes},
    html::table::{Cell, table},
    table::{counted, grouped},
};

/// The maximum number of rows and of columns of the table of types: those with the most clashes.
const TYPES: usize = 12;

/// Returns the table of rules.
pub fn rules(rules: &ClashRules, fitting: &[Fitting]) -> Markup {
    let headings = ["rule", "clashes are pairs that", "clashes", "left out"];
    let row = |((name, limit), fitting): ((Option<&str>, String), &Fitting)| {
        vec![
            Cell::Text(name.unwrap_or("(none fits)").to_owned()),
            Cell::Text(limit),
            Cell::count(fitting.clashes),
            Cell::count(fitting.left_out),
        ]
    };
    let none = vec![Fitting::default(); rules.in_words().count()];
    let fitting = if fitting.is_empty() { &none } else { fitting };
    let rows: Vec<_> = rules.in_words().zip(fitting).map(row).collect();
    html! {
        p { "The first rule that fits a pair decides." }
        (table("rules-table", &headings.map(str::to_owned), &rows))
    }
}

/// Returns the table of ignored pairs: the first ones, of `all` in total.
pub fn ignored(ignored: &Ignored, listed: &[(Listed, String)], frames: &[Scenes], all: u64) -> Markup {
    let has_frames = frames.iter().any(|scenes| scenes.frame.is_some());
    let frame = has_frames.then_some("frame");
    let reason = ignored.has_reasons().then_some("reason");
    let headings: Vec<String> = frame
        .into_iter()
        .chain(["a", "b"])
        .chain(reason)
        .map(str::to_owned)
        .collect();
    let row = |(listed, text): &(Listed, String)| {
        let scenes = &frames[listed.frame];
        let number = |frame: i64| Cell::number(frame as f64);
        let mut cells: Vec<Cell> = scenes.frame.filter(|_| has_frames).map(number).into_iter().collect();
        cells.extend(listed.ids(scenes).map(|id| Cell::foreign(&id)));
        cells.extend(reason.map(|_| Cell::Text(text.clone())));
        cells
    };
    let rows: Vec<_> = listed.iter().map(row).collect();
    html! {
        @if (rows.len() as u64) < all {
            p { strong { "The first " (grouped(rows.len() as u64)) " of " (counted(all, "pair", "pairs")) "." } }
        }
        @if rows.is_empty() { p { "None." } } @else { (table("ignored-table", &headings, &rows)) }
    }
}

/// Returns the table of the clashes of each pair of types, a of the rows and b of the columns; in
/// one file every type has a row and a column.
pub fn types(matrix: &Matrix, one_file: bool) -> Markup {
    let sides: [&[usize]; 2] = if one_file { [&[0, 1]; 2] } else { [&[0], &[1]] };
    let [rows, columns] = sides.map(|sides| matrix.texts(sides));
    let left_out = rows.len().max(columns.len()).saturating_sub(TYPES);
    let (rows, columns) = (&rows[..rows.len().min(TYPES)], &columns[..columns.len().min(TYPES)]);
    let cell = |row: &str, column: &str| {
        let (a, b) = if one_file && column < row {
            (column, row)
        } else {
            (row, column)
        };
        matrix.get(a, b)
    };
    let shown = |text: &str| {
        if text.is_empty() {
            "(empty)".to_owned()
        } else {
            text.to_owned()
        }
    };
    let headings: Vec<String> = [String::new()]
        .into_iter()
        .chain(columns.iter().map(|text| shown(text)))
        .collect();
    let row = |row: &&str| {
        let counts = columns.iter().map(|column| cell(row, column));
        let counts = counts.map(|found| found.map_or(Cell::none(), |found| Cell::count(found.clashes)));
        [Cell::Text(shown(row))].into_iter().chain(counts).collect()
    };
    let cells: Vec<Vec<Cell>> = rows.iter().map(row).collect();
    let most = matrix.cells();
    html! {
        @if let Some((texts, between)) = most.first() {
            p {
                "Most are between " strong { (shown(&texts[0])) } " and " strong { (shown(&texts[1])) } ": "
                (counted(between.clashes, "clash", "clashes")) ", the deepest " (measured(between.deepest).text()) "."
                @if left_out > 0 { " The table has the " (TYPES) " with most clashes; the JSON has all." }
            }
        }
        (table("types-table", &headings, &cells))
    }
}
