//! `--html`: the rows as a page for a browser.

use maud::{Markup, PreEscaped, html};
use obbligato::Bodies;
use serde_json::Value;

use super::row::{COLUMNS, Row};
use crate::{
    failure::Failure,
    html::{
        bars::{Bar, bars},
        page::{page, section, verdict},
        pictures::Artist,
        table::{Cell, table},
    },
    table::{Column, counted, grouped},
};

/// The size of the picture of a scene in pixels.
const SIZE: [u32; 2] = [480, 300];

/// The pictures of scenes, one for each.
#[derive(Default)]
pub struct Pictures {
    artist: Option<Artist>,
    scenes: Vec<String>,
    pub drawn: Vec<(String, Markup)>,
}

impl Pictures {
    /// Draws the scene of a row, unless there is already one of that name.
    pub fn add(&mut self, row: &Row, bodies: Bodies<'_>) -> Result<(), Failure> {
        let scene = row.subject.name();
        if self.scenes.contains(&scene) {
            return Ok(());
        }
        let artist = match &mut self.artist {
            Some(artist) => artist,
            none => none.insert(Artist::new()?),
        };
        let name = format!("{scene} {}", grouped(bodies.len() as u64));
        let picture = artist.colliding(bodies, row.measured.report.pairs()?, SIZE, &name)?;
        self.scenes.push(scene);
        self.drawn.push((name, picture));
        Ok(())
    }
}

/// The content of a page.
pub struct Page<'a> {
    /// The device of the rows, and related facts.
    pub head: &'a str,
    pub rows: &'a [Row],
    /// These rows as JSON.
    pub json: &'a [Value],
    /// Their times over boxes, as SVG.
    pub plot: &'a str,
    /// The first row of each scene, and its picture.
    pub pictures: &'a [(String, Markup)],
}

impl Page<'_> {
    /// Returns the whole page.
    pub fn html(&self) -> String {
        let changes = self.nested("change", |change| vec![change]);
        let peers = self.nested("peers", |peers| peers.as_array().into_iter().flatten().collect());
        let body = html! {
            (self.in_words())
            p { (self.head) }
            (section("rows", "Rows", &self.table()))
            (section("scenes", "Scenes", &self.scenes()))
            (section("scaling", "Time against number of boxes", &html! { figure.paper { (PreEscaped(self.plot)) } }))
            (section("stages", "Where the time goes", &self.stages()))
            @for (number, row) in self.json.iter().enumerate() {
                @if let Some(kernels) = row["kernels"].as_array() {
                    (section(&format!("kernels-{number}"), &format!("Kernels of {}", name(row)), &of_kernels(number, kernels)))
                }
            }
            @if !changes.is_empty() {
                (section("changes", "Since the earlier benchmark", &records("changes-table", &CHANGES, &changes)))
            }
            @if !peers.is_empty() { (section("peers", "Peers", &records("peers-table", &PEERS, &peers))) }
        };
        page("Benchmark", &body)
    }

    /// Reports whether the rows are correct.
    fn in_words(&self) -> Markup {
        let all = self.rows.len() as u64;
        let wrong = |row: &&Row| row.verdict.as_ref().is_some_and(|verdict| verdict.difference.is_some());
        let wrong = self.rows.iter().filter(wrong).count() as u64;
        let verified = self.rows.iter().filter(|row| row.verdict.is_some()).count() as u64;
        match (wrong, verified) {
            (0, 0) => html! { p.verdict { "The results were not verified." } },
            (0, _) => verdict(
                true,
                "Every verified result is correct",
                &format!(": {} of {}.", grouped(verified), counted(all, "row", "rows")),
            ),
            _ => verdict(
                false,
                "WRONG results",
                &format!(" in {} of {}.", grouped(wrong), counted(all, "row", "rows")),
            ),
        }
    }

    /// Returns the table that the program prints, without empty columns, such as times of a GPU if
    /// there is none.
    fn table(&self) -> Markup {
        let cell = |(column, shown): (&Column, String)| match column.0 {
            "scene" | "checksum" | "verified" | "mode" => Cell::Text(shown),
            _ => Cell::shown(shown),
        };
        let cells = |row: &Row| COLUMNS.iter().zip(row.cells()).map(cell).collect();
        let rows: Vec<Vec<Cell>> = self.rows.iter().map(cells).collect();
        let is_filled = |column: usize| rows.iter().any(|row| !row[column].text().is_empty());
        let filled: Vec<usize> = (0..COLUMNS.len()).filter(|&column| is_filled(column)).collect();
        let headings: Vec<String> = filled.iter().map(|&column| COLUMNS[column].0.to_owned()).collect();
        let kept = |row: &Vec<Cell>| filled.iter().map(|&column| row[column].clone()).collect();
        let rows: Vec<Vec<Cell>> = rows.iter().map(kept).collect();
        table("rows-table", &headings, &rows)
    }

    fn scenes(&self) -> Markup {
        html! {
            p { "Bodies that touch or overlap others are orange, free bodies are grey." }
            div.gallery {
                @for (name, picture) in self.pictures {
                    figure { (picture) figcaption { (name) } }
                }
            }
        }
    }

    /// Returns the share of each stage in the time of a row, on the host's clock and on the GPU's.
    fn stages(&self) -> Markup {
        let clocks = [
            (
                "stages_ms",
                "wall_ms",
                "Shares of each stage in the wall time of a check",
            ),
            ("gpu_ms", "gpu_total_ms", "Shares of each stage in the time on the GPU"),
        ];
        html! {
            @for (stages, total, words) in clocks {
                @let (names, all) = shares(self.json, stages, total);
                @if !all.is_empty() { (bars(words, &names, &all)) }
            }
        }
    }

    /// Returns the records in a field of the rows, each with the name of its row.
    fn nested<'v>(&'v self, key: &str, list: impl Fn(&'v Value) -> Vec<&'v Value>) -> Vec<(String, &'v Value)> {
        let of = |row: &'v Value| {
            let records = list(&row[key]).into_iter().filter(|record| record.is_object());
            records.map(|record| (name(row), record)).collect::<Vec<_>>()
        };
        self.json.iter().flat_map(of).collect()
    }
}

/// Describes a row.
fn name(row: &Value) -> String {
    let scene = row["scene"].as_str().unwrap_or_default();
    format!("{scene} {}", grouped(row["boxes"].as_u64().unwrap_or(0)))
}

/// Returns the stages of all rows, and for each row a bar of their shares.
fn shares(rows: &[Value], stages: &str, total: &str) -> (Vec<String>, Vec<Bar>) {
    let mut names: Vec<String> = Vec::new();
    let mut all = Vec::new();
    for row in rows {
        let Some(times) = row[stages].as_object() else { continue };
        let times: Vec<(&String, f64)> = times
            .iter()
            .filter_map(|(stage, time)| Some((stage, time.as_f64()?)))
            .collect();
        let sum: f64 = times.iter().map(|(_, time)| time).sum();
        if sum == 0.0 {
            continue;
        }
        let part = |(stage, time): (&String, f64)| {
            let number = names.iter().position(|name| name == stage).unwrap_or_else(|| {
                names.push(stage.clone());
                names.len() - 1
            });
            (number, time / sum)
        };
        all.push(Bar {
            parts: times.into_iter().map(part).collect(),
            name: name(row),
            value: row[total]
                .as_f64()
                .map_or(String::new(), |time| format!("{time:.3} ms")),
        });
    }
    (names, all)
}

/// Returns the kernels of a row: the time of each, and its ratio to the time that the memory
/// allows.
fn of_kernels(number: usize, kernels: &[Value]) -> Markup {
    let reached =
        |kernel: &Value| Some(kernel["at_best_ms"].as_f64()? / kernel["ms"].as_f64().filter(|time| *time > 0.0)?);
    let bar = |kernel: &Value| {
        let part = reached(kernel)?;
        let limit = kernel["limit"].as_str().unwrap_or_default();
        let name = kernel["kernel"].as_str().unwrap_or_default();
        Some(Bar::whole(
            name,
            part,
            format!("{:.0}% of the {limit} limit", part * 100.0),
        ))
    };
    let plot: Vec<Bar> = kernels.iter().filter_map(bar).collect();
    let records_of: Vec<(String, &Value)> = kernels
        .iter()
        .map(|kernel| (kernel["kernel"].as_str().unwrap_or_default().to_owned(), kernel))
        .collect();
    html! {
        (records(&format!("kernels-{number}-table"), &KERNELS, &records_of))
        @if !plot.is_empty() { (bars("The use that each kernel makes of the device's memory, as a share of its limit", &[], &plot)) }
    }
}

/// The columns of records: the heading of the first, then the keys of the others and their
/// headings.
type Columns = (&'static str, &'static [(&'static str, &'static str)]);

const KERNELS: Columns = (
    "kernel",
    &[
        ("stage", "stage"),
        ("calls", "calls"),
        ("ms", "ms"),
        ("share", "share"),
        ("at_best_ms", "at best ms"),
        ("limit", "limit"),
    ],
);
const CHANGES: Columns = (
    "row",
    &[
        ("old_wall_ms", "old ms"),
        ("ratio", "ratio"),
        ("noise", "noise"),
        ("slower", "slower"),
        ("same_pairs", "same pairs"),
    ],
);
const PEERS: Columns = (
    "row",
    &[
        ("tool", "peer"),
        ("gpu_total_ms", "peer ms"),
        ("ratio", "ratio"),
        ("pairs", "pairs"),
        ("same_pairs", "same pairs"),
    ],
);

/// Returns a table of records.
fn records(id: &str, (first, others): &Columns, records: &[(String, &Value)]) -> Markup {
    let headings = others.iter().map(|(_, heading)| (*heading).to_owned());
    let headings: Vec<String> = [(*first).to_owned()].into_iter().chain(headings).collect();
    let row = |(name, record): &(String, &Value)| {
        let fields = others.iter().map(|(key, _)| field(&record[*key]));
        [Cell::Text(name.clone())].into_iter().chain(fields).collect()
    };
    let rows: Vec<Vec<Cell>> = records.iter().map(row).collect();
    table(id, &headings, &rows)
}

fn field(value: &Value) -> Cell {
    match value {
        Value::Null => Cell::none(),
        Value::Bool(is_so) => Cell::Text(if *is_so { "yes" } else { "no" }.to_owned()),
        Value::String(text) => Cell::Text(text.clone()),
        other => other.as_f64().map_or(Cell::none(), Cell::number),
    }
}
