//! Tables that a reader can sort and filter.

use maud::{Markup, html};

use crate::table::grouped;

/// The minimum number of rows of a table with a filter.
const FILTERED: usize = 10;

/// One field of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A number and its displayed form.
    Number(f64, String),
    /// A link to another part of the page: its id, and the text.
    Link(String, String),
}

impl Cell {
    /// Returns a count with grouped digits.
    pub fn count(number: u64) -> Self {
        Self::Number(number as f64, grouped(number))
    }

    /// Returns a number with all of its digits.
    pub fn number(number: f64) -> Self {
        Self::Number(number, number.to_string())
    }

    /// Returns foreign text unchanged: a number if it can be parsed as one.
    pub fn foreign(text: &str) -> Self {
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Self::Number(number, text.to_owned()),
            _ => Self::Text(text.to_owned()),
        }
    }

    /// Returns a number in the form of the text tables: grouped, with a unit of a thousand or more,
    /// or a share; a dash is nothing.
    pub fn shown(text: String) -> Self {
        let (number, unit) = match text.as_bytes().last() {
            Some(b'k') => (&text[..text.len() - 1], 1e3),
            Some(b'M') => (&text[..text.len() - 1], 1e6),
            Some(b'G') => (&text[..text.len() - 1], 1e9),
            Some(b'%') => (&text[..text.len() - 1], 1e-2),
            _ => (&text[..], 1.0),
        };
        match number.replace('_', "").parse::<f64>() {
            Ok(number) => Self::Number(number * unit, text),
            Err(_) if text == "-" => Self::none(),
            Err(_) => Self::Text(text),
        }
    }

    /// Returns an empty cell, which sorts last.
    pub const fn none() -> Self {
        Self::Text(String::new())
    }

    /// Returns the displayed text.
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Number(_, text) | Self::Link(_, text) => text,
        }
    }

    /// Returns `true` if it may be in a column of numbers.
    fn suits_numbers(&self) -> bool {
        match self {
            Self::Number(..) => true,
            Self::Text(text) => text.is_empty(),
            Self::Link(_, text) => text.is_empty() || text.parse::<f64>().is_ok_and(f64::is_finite),
        }
    }

    fn markup(&self, is_number: bool) -> Markup {
        // The script parses the displayed text as a number unless this attribute overrides it.
        let value = match self {
            Self::Number(value, shown) if is_number && shown.parse() != Ok(*value) => Some(value),
            _ => None,
        };
        html! {
            td.number[is_number] data-value=[value] {
                @match self {
                    Self::Link(to, text) => a href={ "#" (to) } { (text) },
                    _ => (self.text()),
                }
            }
        }
    }
}

/// Returns a table, whose id must be unique on the page. A column is numeric if all of its fields
/// are.
pub fn table(id: &str, headings: &[String], rows: &[Vec<Cell>]) -> Markup {
    let filter = (rows.len() >= FILTERED).then(|| format!("{id}-filter"));
    let of_numbers = |column: usize| {
        let mut cells = rows.iter().map(|row| &row[column]);
        cells.clone().any(|cell| !cell.text().is_empty()) && cells.all(Cell::suits_numbers)
    };
    let of_numbers: Vec<bool> = (0..headings.len()).map(of_numbers).collect();
    html! {
        @if let Some(filter) = &filter {
            // The script shows it.
            p.filter id=(filter) hidden="hidden" {
                label { "Show rows with " input type="search"; }
                output aria-live="polite" {}
            }
        }
        div.wide {
            table.sortable id=(id) data-filter=[&filter] {
                thead {
                    tr {
                        @for (heading, is_number) in headings.iter().zip(&of_numbers) {
                            th.number[*is_number] scope="col" aria-sort="none" {
                                button type="button" { (heading) }
                            }
                        }
                    }
                }
                tbody {
                    @for row in rows {
                        tr {
                            @for (cell, is_number) in row.iter().zip(&of_numbers) {
                                (cell.markup(*is_number))
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readable_numbers_are_parsed() {
        for (text, number) in [
            ("1_234", 1234.0),
            ("46.0M", 4.6e7),
            ("2.50%", 0.025),
            ("3.1e-5", 3.1e-5),
            ("0", 0.0),
        ] {
            assert_eq!(Cell::shown(text.to_owned()), Cell::Number(number, text.to_owned()));
        }
        assert_eq!(Cell::shown("-".to_owned()), Cell::none());
        assert_eq!(Cell::shown("k".to_owned()), Cell::Text("k".to_owned()));
    }

    /// The tenth link follows the ninth, not the first.
    #[test]
    fn links_with_numbers_sort_as_numbers() {
        let links = |texts: [&str; 3]| texts.map(|text| vec![Cell::Link(text.to_owned(), text.to_owned())]);
        let is_number = |texts| {
            let mut rows = links(texts).to_vec();
            rows.push(vec![Cell::none()]);
            let page = table("t", &["picture".to_owned()], &rows).into_string();
            page.contains("<th class=\"number\"")
        };
        assert!(is_number(["1", "9", "10"]));
        assert!(!is_number(["1", "9", "pair 10"]));
        assert!(!is_number(["1", "9", "inf"]));
    }

    #[test]
    fn only_finite_foreign_cells_are_numbers() {
        assert_eq!(Cell::foreign("-1.5"), Cell::Number(-1.5, "-1.5".to_owned()));
        for text in ["nan", "inf", "", "1 2", "0x1"] {
            assert_eq!(Cell::foreign(text), Cell::Text(text.to_owned()));
        }
    }
}
