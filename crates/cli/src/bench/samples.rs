//! The time of every frame, as CSV.

use obbligato::report::Stage;

use super::{columns, row::Row};
use crate::failure::Failure;

const COLUMNS: [&str; 6] = ["scene", "boxes", "frame", "clock", "stage", "ms"];

/// Returns a line for each stage of each frame. `total` is the whole call or, on the clock of a
/// GPU, all of its stages.
pub fn csv(rows: &[Row]) -> Result<String, Failure> {
    columns::text(&COLUMNS, rows.iter().flat_map(lines))
}

fn lines(row: &Row) -> impl Iterator<Item = Vec<String>> {
    let scene = row.subject.name();
    let boxes = row.measured.report.boxes.to_string();
    row.measured.frames.iter().enumerate().flat_map(move |(frame, times)| {
        let gpu: f64 = times.gpu.iter().map(|(_, time)| time).sum();
        let gpu = (!times.gpu.is_empty()).then_some(("gpu", "total", gpu));
        let stages = |clock, stages: &[(Stage, f64)]| {
            let stage = |&(stage, time): &(Stage, f64)| (clock, stage.name(), time);
            stages.iter().map(stage).collect::<Vec<_>>()
        };
        let all = [vec![("wall", "total", times.total)], stages("wall", &times.wall)];
        let all = all.into_iter().flatten().chain(gpu).chain(stages("gpu", &times.gpu));
        let line = |(clock, stage, time): (&str, &str, f64)| {
            let words = [clock, stage].map(str::to_owned);
            let [clock, stage] = words;
            vec![
                scene.clone(),
                boxes.clone(),
                frame.to_string(),
                clock,
                stage,
                format!("{time:.6}"),
            ]
        };
        all.map(line).collect::<Vec<_>>()
    })
}
