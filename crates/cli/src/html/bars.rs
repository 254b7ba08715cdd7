//! Horizontal bars, whole or in parts.

use maud::{Markup, html};

/// The number of colours in the style: `s0` and so on.
const COLORS: usize = 8;

/// The measures of the plot in pixels: the names, the longest bar, the values after it; the height
/// of a bar and of its line.
const NAME: f64 = 190.0;
const LONGEST: f64 = 480.0;
const VALUE: f64 = 210.0;
const BAR: f64 = 16.0;
const LINE: f64 = 22.0;

/// A bar.
pub struct Bar {
    pub name: String,
    /// The numbers of the series and the lengths of their parts, in any unit.
    pub parts: Vec<(usize, f64)>,
    /// The text after it.
    pub value: String,
}

impl Bar {
    /// Returns a bar of one part.
    pub fn whole(name: impl Into<String>, length: f64, value: String) -> Self {
        Self {
            name: name.into(),
            parts: vec![(0, length)],
            value,
        }
    }

    fn length(&self) -> f64 {
        self.parts.iter().map(|(_, length)| length).sum()
    }
}

/// Returns bars in proportion to the longest. `words` is a description; `series` are the names of
/// parts, if there are several.
pub fn bars(words: &str, series: &[String], bars: &[Bar]) -> Markup {
    let longest = bars.iter().map(Bar::length).fold(f64::MIN_POSITIVE, f64::max);
    let [width, height] = [NAME + LONGEST + VALUE, LINE * bars.len() as f64];
    html! {
        figure {
            @if series.len() > 1 { (legend(series)) }
            svg.plot role="img" aria-label=(words) width=(width) height=(height) viewBox=(format!("0 0 {width} {height}")) {
                @for (line, bar) in bars.iter().enumerate() {
                    (one(bar, LINE * line as f64, LONGEST / longest, series))
                }
            }
            figcaption { (words) }
        }
    }
}

/// Returns one bar, `top` pixels from the top.
fn one(bar: &Bar, top: f64, scale: f64, series: &[String]) -> Markup {
    let mut start = NAME;
    let parts = bar.parts.iter().map(|&(number, length)| {
        let x = start;
        start += length * scale;
        (number, x, length * scale)
    });
    let parts: Vec<_> = parts.collect();
    let baseline = top + BAR - 3.0;
    html! {
        g {
            title { (bar.name) ": " (bar.value) }
            text x=(NAME - 8.0) y=(baseline) text-anchor="end" { (bar.name) }
            rect.ground x=(NAME) y=(top) width=(LONGEST) height=(BAR) {}
            @for (number, x, width) in parts {
                rect class=(color(number)) x=(pixels(x)) y=(top) width=(pixels(width)) height=(BAR) {
                    @if let Some(name) = series.get(number) { title { (name) } }
                }
            }
            text x=(pixels(start + 6.0)) y=(baseline) { (bar.value) }
        }
    }
}

fn legend(series: &[String]) -> Markup {
    html! {
        p {
            @for (number, name) in series.iter().enumerate() {
                svg.plot width="14" height="14" aria-hidden="true" { rect class=(color(number)) width="14" height="14" {} }
                " " (name) " \u{2003}"
            }
        }
    }
}

fn color(number: usize) -> String {
    format!("s{}", number % COLORS)
}

/// Rounds to a hundredth.
fn pixels(length: f64) -> f64 {
    (length * 100.0).round() / 100.0
}
