//! An SVG writer, with the colours of the other figures.

use std::fmt::Write;

use obbligato::glam::DVec2;
use obbligato_render::Mark;

pub const INK: &str = "#1d2733";
pub const FAINT: &str = "#5a6472";
/// The colour of hidden things.
pub const PALE: &str = "#9aa4ae";
pub const LINE: &str = "#4b6785";
pub const PAPER: &str = "#fbfbf9";
pub const TINT: &str = "#eef3f8";

/// The colour of a mark, as in pictures.
pub fn colour(mark: Mark) -> String {
    let [red, green, blue] = mark.colour();
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// A figure, one element per line.
pub struct Svg(String);

/// The style of text.
#[derive(Clone, Copy)]
pub struct Words<'a> {
    pub size: u32,
    pub colour: &'a str,
    /// "start", "middle" or "end".
    pub anchor: &'a str,
    pub bold: bool,
}

/// Text centered at its place.
pub const LABEL: Words<'_> = Words {
    size: 13,
    colour: INK,
    anchor: "middle",
    bold: true,
};

/// An explanation under something.
pub const CAPTION: Words<'_> = Words {
    size: 12,
    colour: FAINT,
    anchor: "middle",
    bold: false,
};

impl Svg {
    pub fn new([width, height]: [u32; 2], title: &str) -> Self {
        let mut text = String::new();
        let font = "system-ui, 'DejaVu Sans', sans-serif";
        writeln!(
            text,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" style="max-width: {width}px" font-family="{font}">"#
        )
        .expect("memory");
        let mut svg = Self(text);
        svg.element(&format!("<title>{title}</title>"));
        svg.element(&format!(
            r#"<rect width="{width}" height="{height}" rx="10" fill="{PAPER}"/>"#
        ));
        svg
    }

    fn element(&mut self, element: &str) {
        writeln!(self.0, "  {element}").expect("memory");
    }

    /// Straight lines from point to point.
    pub fn path(&mut self, points: &[DVec2], closed: bool, style: &str) {
        let places: Vec<String> = points.iter().map(|&point| at(point, " ")).collect();
        let end = if closed { "z" } else { "" };
        self.element(&format!(r#"<path d="M{}{end}" {style}/>"#, places.join("L")));
    }

    pub fn line(&mut self, from: DVec2, to: DVec2, style: &str) {
        self.path(&[from, to], false, style);
    }

    pub fn arrow(&mut self, from: DVec2, to: DVec2, colour: &str) {
        let along = (to - from).normalize();
        let neck = to - 8.0 * along;
        let side = 4.0 * along.perp();
        self.line(from, neck, &format!(r#"stroke="{colour}" stroke-width="2""#));
        self.path(&[to, neck + side, neck - side], true, &format!(r#"fill="{colour}""#));
    }

    pub fn dot(&mut self, place: DVec2, radius: f64, colour: &str) {
        let [x, y] = place.to_array().map(rounded);
        self.element(&format!(r#"<circle cx="{x}" cy="{y}" r="{radius}" fill="{colour}"/>"#));
    }

    /// Text whose line is centered at a height, with a background of paper around it.
    pub fn text(&mut self, place: DVec2, text: &str, words: Words<'_>) {
        let Words {
            size,
            colour,
            anchor,
            bold,
        } = words;
        let [x, y] = [place.x, place.y + 0.36 * f64::from(size)].map(rounded);
        let weight = if bold { r#" font-weight="600""# } else { "" };
        let halo = format!(r#"paint-order="stroke" stroke="{PAPER}" stroke-width="3" stroke-linejoin="round""#);
        self.element(&format!(
            r#"<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" fill="{colour}"{weight} {halo}>{text}</text>"#
        ));
    }

    /// The whole file.
    pub fn finish(mut self) -> String {
        self.0 += "</svg>\n";
        self.0
    }
}

fn at(point: DVec2, between: &str) -> String {
    let [x, y] = point.to_array().map(rounded);
    format!("{x}{between}{y}")
}

/// Rounds to a tenth of a pixel, so that the digits are the same on all platforms.
fn rounded(number: f64) -> f64 {
    // The sum turns a negative zero into a positive one.
    (number * 10.0).round() / 10.0 + 0.0
}

/// The fill and the line of an area.
pub fn area(fill: &str, line: &str) -> String {
    format!(r#"fill="{fill}" stroke="{line}" stroke-width="1.5""#)
}

pub fn dashed(colour: &str) -> String {
    format!(r#"fill="none" stroke="{colour}" stroke-dasharray="4 3""#)
}
