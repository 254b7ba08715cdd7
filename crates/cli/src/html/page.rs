//! A page: one file without external resources.

use std::path::Path;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::{date, machine::COMMIT};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("table.js");

/// The content that a browser may load: pictures and styles of the page itself, and the one script
/// with this SHA-256. No text that comes from a file can therefore run or fetch anything.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-0cR+qGJ6nH8R1FwByKkd9oClTGWVCAtRl1lVqnW6ssg='";

/// Returns a whole page. `title` is in the tab and above the rest.
pub fn page(title: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (title) }
                (body)
                footer {
                    "Written by obbligato " (env!("CARGO_PKG_VERSION"))
                    @if let Some(commit) = COMMIT { " (" (commit) ")" }
                    " on " time { (date::today()) } "."
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// Returns a part of a page under a heading.
pub fn section(id: &str, heading: &str, body: &Markup) -> Markup {
    html! {
        section id=(id) {
            h2 { (heading) }
            (body)
        }
    }
}

/// Returns a line for each fact and its name.
pub fn facts(lines: &[(&str, String)]) -> Markup {
    html! {
        dl {
            @for (name, value) in lines {
                dt { (name) }
                dd { (value) }
            }
        }
    }
}

/// Returns the outcome in bold words, and additional text.
pub fn verdict(is_good: bool, words: &str, rest: &str) -> Markup {
    let class = if is_good { "verdict good" } else { "verdict bad" };
    html! { p class=(class) { strong { (words) } (rest) } }
}

/// Returns the name of a file in the title: without its folder.
pub fn title_of(path: &Path) -> String {
    match path.file_name() {
        Some(name) if name != "-" => name.to_string_lossy().into_owned(),
        Some(_) => "standard input".to_owned(),
        None => path.display().to_string(),
    }
}
