//! The text in a picture: its caption, and the meaning of its colours.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

use crate::colours::{INK, Rgb};
use crate::mark::Mark;
use crate::picture::Picture;
use crate::view::{Legend, View};

/// The colours of the panel behind the text.
const PAPER: Rgb = [255, 255, 255];
const PAPER_ALPHA: u8 = 225;
const BORDER: Rgb = [205, 209, 215];

/// A line of the legend.
struct Line {
    swatch: Option<Mark>,
    text: String,
}

/// Writes caption and legend into the upper left corner, if they fit.
pub(super) fn write(picture: &mut Picture, view: &View<'_>) {
    let lines = lines(view);
    // The font comes in a few sizes.
    let fonts = [RasterHeight::Size24, RasterHeight::Size20, RasterHeight::Size16];
    let fitting = fonts.into_iter().find_map(|font| {
        let panel = Panel::new(&lines, font);
        let [width, height] = [panel.width, panel.height].map(|side| side + 2 * panel.line / 2);
        let share = if font == RasterHeight::Size16 { 1 } else { 5 };
        (width <= picture.width && height * share <= picture.height).then_some(panel)
    });
    if let Some(panel) = fitting.filter(|_| !lines.is_empty()) {
        panel.write(&lines, picture);
    }
}

fn lines(view: &View<'_>) -> Vec<Line> {
    let caption: String = view.caption.chars().filter(|&character| has(character)).collect();
    let caption = (!caption.is_empty()).then_some(Line {
        swatch: None,
        text: caption,
    });
    let [free, touching, overlapping] = view.counts();
    let named = |mark: Mark, count: usize| (mark, count, mark.name());
    let rows = match view.legend {
        Legend::Marks => vec![
            named(Mark::Free, free),
            named(Mark::Touching, touching),
            named(Mark::Overlapping, overlapping),
        ],
        Legend::Colliding => vec![
            named(Mark::Free, free),
            (Mark::Overlapping, touching + overlapping, "touching or overlapping"),
        ],
        Legend::Hidden => Vec::new(),
    };
    // Equally wide in every frame of an animation with the same number of bodies.
    let widest = grouped(free + touching + overlapping).len();
    let line = |(mark, count, words): (Mark, usize, &str)| Line {
        swatch: Some(mark),
        text: format!("{:>widest$} {words}", grouped(count)),
    };
    caption.into_iter().chain(rows.into_iter().map(line)).collect()
}

/// Formats a number with commas between groups of three digits.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn has(character: char) -> bool {
    get_raster(character, FontWeight::Regular, RasterHeight::Size16).is_some()
}

/// The measures of a legend, in pixels.
struct Panel {
    font: RasterHeight,
    /// The height of a line, the width of a letter, and the space around the text.
    line: u32,
    letter: u32,
    space: u32,
    width: u32,
    height: u32,
}

impl Panel {
    fn new(lines: &[Line], font: RasterHeight) -> Self {
        let line = font.val() as u32;
        let letter = get_raster_width(FontWeight::Regular, font) as u32;
        let space = line / 2;
        let width = |own: &Line| own.text.chars().count() as u32 * letter + own.swatch.map_or(0, |_| line + space / 2);
        let widest = lines.iter().map(width).max().unwrap_or(0);
        Self {
            font,
            line,
            letter,
            space,
            width: widest + 2 * space,
            height: lines.len() as u32 * line + space,
        }
    }

    fn write(&self, lines: &[Line], picture: &mut Picture) {
        let [left, top] = [self.space; 2];
        let [right, bottom] = [left + self.width, top + self.height];
        for y in top..bottom {
            for x in left..right {
                let on_border = x == left || y == top || x + 1 == right || y + 1 == bottom;
                let (colour, alpha) = if on_border {
                    (BORDER, u8::MAX)
                } else {
                    (PAPER, PAPER_ALPHA)
                };
                picture.blend(x, y, colour, alpha);
            }
        }
        for (k, line) in (0..).zip(lines) {
            let mut x = left + self.space;
            let y = top + self.space / 2 + k * self.line;
            if let Some(mark) = line.swatch {
                let inset = self.line / 5;
                fill(picture, [x, y + inset], self.line - 2 * inset, mark.colour());
                x += self.line - 2 * inset + self.space / 2 + inset;
            }
            for character in line.text.chars() {
                self.letter(picture, [x, y], character);
                x += self.letter;
            }
        }
    }

    fn letter(&self, picture: &mut Picture, [left, top]: [u32; 2], character: char) {
        let Some(raster) = get_raster(character, FontWeight::Regular, self.font) else {
            return;
        };
        for (y, row) in (top..).zip(raster.rows()) {
            for (x, &intensity) in (left..).zip(row) {
                picture.blend(x, y, INK, intensity);
            }
        }
    }
}

fn fill(picture: &mut Picture, [left, top]: [u32; 2], side: u32, colour: Rgb) {
    for y in top..top + side {
        for x in left..left + side {
            let on_border = x == left || y == top || x + 1 == left + side || y + 1 == top + side;
            picture.blend(x, y, if on_border { INK } else { colour }, u8::MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use obbligato::Obb;

    /// A legend shows only what a check has determined.
    #[test]
    fn legends_show_only_known_results() {
        let boxes = [0.0_f32; 1200].map(|x| Obb::axis_aligned(Vec3::splat(x), Vec3::ONE));
        let mut marks = [Mark::Free; 1200];
        (marks[3], marks[4], marks[5]) = (Mark::Touching, Mark::Overlapping, Mark::Overlapping);
        let said = |legend: Legend| {
            let view = View {
                bodies: (&boxes).into(),
                marks: &marks,
                legend,
                caption: "a \u{10348} scene",
                ..View::default()
            };
            let lines = lines(&view).into_iter().map(|line| (line.swatch, line.text));
            lines.skip(1).collect::<Vec<_>>()
        };
        let row = |mark: Mark, text: &str| (Some(mark), text.to_owned());
        assert_eq!(
            said(Legend::Marks),
            [
                row(Mark::Free, "1,197 free"),
                row(Mark::Touching, "    1 touching"),
                row(Mark::Overlapping, "    2 overlapping"),
            ]
        );
        assert_eq!(
            said(Legend::Colliding),
            [
                row(Mark::Free, "1,197 free"),
                row(Mark::Overlapping, "    3 touching or overlapping"),
            ]
        );
        assert_eq!(said(Legend::Hidden), []);
    }
}
