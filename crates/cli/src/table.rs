//! Aligned text.

use obbligato_files::SceneFile;
use obbligato_support::plural::plural;

/// The alignment of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Align {
    /// For words.
    Left,
    /// For numbers.
    Right,
}

/// A column: its heading, width in characters, and alignment. A longer cell shifts the rest of its
/// row.
#[derive(Clone, Copy, Debug)]
pub struct Column(pub &'static str, pub usize, pub Align);

/// Returns the line of headings.
pub fn headings(columns: &[Column]) -> String {
    let cells: Vec<_> = columns.iter().map(|column| column.0.to_owned()).collect();
    row(columns, &cells)
}

/// Returns one line of cells.
pub fn row(columns: &[Column], cells: &[String]) -> String {
    let mut line = String::new();
    for (&Column(_, width, align), cell) in columns.iter().zip(cells) {
        match align {
            Align::Left => line += &format!("{cell:<width$}  "),
            Align::Right => line += &format!("{cell:>width$}  "),
        }
    }
    line.truncate(line.trim_end().len());
    line.push('\n');
    line
}

/// Returns a line for each fact and its name.
pub fn facts(lines: &[(&str, String)]) -> String {
    lines
        .iter()
        .map(|(name, value)| format!("{name:<16} {value}\n"))
        .collect()
}

/// Formats a count with grouped thousands: 1_234_567, which the command line accepts too.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('_');
        }
        text.push(digit);
    }
    text
}

/// Formats a number and its unit: "1 box", "2_000 boxes".
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), plural(number, one, many))
}

/// Returns the singular and the plural name of a scene's bodies in a text report.
pub fn bodies(scene: &SceneFile) -> [&'static str; 2] {
    match scene.len() == scene.boxes.len() {
        true => ["box", "boxes"],
        false => ["body", "bodies"],
    }
}

/// Formats a rate with three or four digits: 0.5, 950, 12.3k, 46.0M, 1.2G.
pub fn rate(per_second: f64) -> String {
    let (scaled, unit) = in_unit(per_second);
    let decimals = if scaled >= 100.0 { 0 } else { 1 };
    format!("{scaled:.decimals$}{unit}")
}

/// Formats a round count briefly: 500, 10k, 2.5M.
pub fn count(number: f64) -> String {
    let (scaled, unit) = in_unit(number);
    format!("{}{unit}", (scaled * 100.0).round() / 100.0)
}

/// Scales a number to the largest unit that gives at least 1.
fn in_unit(number: f64) -> (f64, &'static str) {
    match number {
        number if number >= 1e9 => (number / 1e9, "G"),
        number if number >= 1e6 => (number / 1e6, "M"),
        number if number >= 1e3 => (number / 1e3, "k"),
        number => (number, ""),
    }
}

/// Formats a share of the whole, with an exponent if small: 0, 3.1e-5, 2.50%, 100%.
pub fn share(part: f64) -> String {
    match part {
        0.0 => "0".into(),
        1.0 => "100%".into(),
        part if part < 1e-3 => format!("{part:.1e}"),
        part => format!("{:.2}%", part * 100.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(
            ["0", "999", "1_000", "12_345_678"].map(String::from),
            [0, 999, 1_000, 12_345_678].map(grouped)
        );
        assert_eq!(
            ["0.5", "950", "12.3k", "46.0M", "1.2G"].map(String::from),
            [0.5, 950.0, 12_345.0, 4.6e7, 1.23e9].map(rate)
        );
        assert_eq!(
            ["500", "10k", "2.5M", "1G"].map(String::from),
            [500.0, 1e4, 2.5e6, 1e9].map(count)
        );
        assert_eq!(
            ["0", "3.1e-5", "2.50%", "100%"].map(String::from),
            [0.0, 3.14e-5, 0.025, 1.0].map(share)
        );
    }

    #[test]
    fn cells_align() {
        let columns = [Column("name", 6, Align::Left), Column("n", 3, Align::Right)];
        assert_eq!(headings(&columns), "name      n\n");
        assert_eq!(row(&columns, &["ab".into(), "12".into()]), "ab       12\n");
    }
}
