//! The rows as an SVG plot: milliseconds over boxes on logarithmic axes, one line per scene.

use std::ops::Range;

use plotters::{
    coord::Shift,
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

use super::row::Row;
use crate::{failure::Failure, table::count};

/// The width and height in pixels.
const SIZE: (u32, u32) = (1080, 640);

/// The width of the legend, which is next to the lines and covers none.
const LEGEND: u32 = 130;

/// Colours on white that people with any colour vision can tell apart (Okabe and Ito, "Color
/// Universal Design", 2008; without yellow, which is too light for a line).
const COLORS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
];

/// One scene's times, by ascending boxes.
struct Line {
    name: String,
    /// Boxes, and milliseconds of the whole call.
    wall: Vec<(f64, f64)>,
    /// Boxes, and milliseconds on the GPU if known.
    gpu: Vec<(f64, f64)>,
}

/// Draws the rows as SVG. `device` says where they were measured.
pub fn svg(rows: &[Row], device: &str) -> Result<String, Failure> {
    let mut text = String::new();
    draw(&lines(rows), device, &mut text)
        .map_err(|problem| Failure::Input(format!("cannot draw the rows: {problem}; use --json or --csv")))?;
    Ok(text)
}

/// Returns one line per scene. A logarithmic axis cannot show an empty scene or a time of 0.
fn lines(rows: &[Row]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for row in rows {
        let name = row.subject.name();
        let at = lines.iter().position(|line| line.name == name).unwrap_or_else(|| {
            lines.push(Line {
                name,
                wall: Vec::new(),
                gpu: Vec::new(),
            });
            lines.len() - 1
        });
        let boxes = row.measured.report.boxes as f64;
        let point = |time: f64| (boxes > 0.0 && time > 0.0).then_some((boxes, time));
        lines[at].wall.extend(point(row.measured.wall.median));
        lines[at]
            .gpu
            .extend(row.measured.gpu_total.and_then(|time| point(time.median)));
    }
    for line in &mut lines {
        for points in [&mut line.wall, &mut line.gpu] {
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
    }
    lines
}

fn draw(lines: &[Line], device: &str, text: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::with_string(text, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let below = title(&area, device, lines.iter().any(|line| !line.gpu.is_empty()))?;
    let (below, legend) = below.split_horizontally(SIZE.0 - LEGEND);
    let points = || lines.iter().flat_map(|line| line.wall.iter().chain(&line.gpu));
    let boxes = decades(points().map(|point| point.0));
    let times = decades(points().map(|point| point.1));
    let mut chart = ChartBuilder::on(&below)
        .margin(16)
        .x_label_area_size(48)
        .y_label_area_size(72)
        .build_cartesian_2d(boxes.log_scale(), times.log_scale())?;
    chart
        .configure_mesh()
        .x_desc("boxes")
        .y_desc("milliseconds per check (median)")
        .x_labels(8)
        .y_labels(8)
        .x_label_formatter(&|&boxes| count(boxes))
        .y_label_formatter(&|&time| milliseconds(time))
        .axis_desc_style(("sans-serif", 17))
        .label_style(("sans-serif", 14))
        .light_line_style(BLACK.mix(0.06))
        .bold_line_style(BLACK.mix(0.2))
        .draw()?;
    for (number, line) in lines.iter().enumerate() {
        let (style, marker) = look(number);
        chart.draw_series(LineSeries::new(line.wall.iter().copied(), style))?;
        chart.draw_series(DashedLineSeries::new(line.gpu.clone(), 6, 4, style))?;
        let points = line.wall.iter().chain(&line.gpu);
        chart.draw_series(points.map(|&point| Circle::new(point, 4, marker)))?;

        let y = 24 + 24 * number as i32;
        legend.draw(&PathElement::new([(0, y), (28, y)], style))?;
        legend.draw(&Circle::new((14, y), 4, marker))?;
        let text = ("sans-serif", 15).into_text_style(&legend);
        legend.draw_text(&line.name, &text.pos(Pos::new(HPos::Left, VPos::Center)), (36, y))?;
    }
    area.present()?;
    Ok(())
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws the title and the device, and returns the area below them.
fn title<'a>(area: &Area<'a>, device: &str, has_gpu: bool) -> Result<Area<'a>, Box<dyn std::error::Error>> {
    let (top, below) = area.split_vertically(64);
    let middle = (SIZE.0 / 2) as i32;
    let centered = Pos::new(HPos::Center, VPos::Top);
    let what = match has_gpu {
        true => "Time per check: whole call (solid) and on the GPU (dashed)",
        false => "Time per check, whole call",
    };
    let large = ("sans-serif", 22).into_text_style(&top).pos(centered);
    let small = ("sans-serif", 15).into_text_style(&top).pos(centered);
    top.draw_text(what, &large, (middle, 14))?;
    top.draw_text(device, &small, (middle, 42))?;
    Ok(below)
}

/// Returns the styles of line `number` and of its points, which are hollow once the colours repeat.
fn look(number: usize) -> (ShapeStyle, ShapeStyle) {
    let color = COLORS[number % COLORS.len()];
    let line = color.stroke_width(2);
    let marker = if number < COLORS.len() { color.filled() } else { line };
    (line, marker)
}

/// Returns powers of ten that enclose all values, and a little more so that no point lies on the
/// frame. If all values are a single power of ten, it lies in the middle.
fn decades(values: impl Iterator<Item = f64>) -> Range<f64> {
    let exponents: Vec<f64> = values.map(f64::log10).collect();
    let lowest = exponents.iter().copied().reduce(f64::min).unwrap_or(0.0).floor();
    let highest = exponents.iter().copied().reduce(f64::max).unwrap_or(1.0).ceil();
    let (lowest, highest) = if lowest < highest {
        (lowest, highest)
    } else {
        (lowest - 1.0, highest + 1.0)
    };
    10f64.powf(lowest - 0.1)..10f64.powf(highest + 0.1)
}

/// Formats a time without superfluous digits: 0.02, 3, 1000.
fn milliseconds(time: f64) -> String {
    let decimals = (-time.log10().floor()).max(0.0) as usize;
    format!("{time:.decimals$}")
}
