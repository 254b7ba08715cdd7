//! A page: one file that needs nothing from anywhere else.

use std::path::Path;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::{date, machine::COMMIT};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("table.js");

/// What a browser may take into account: pictures and styles of the page itself, and the one script whose SHA-256 this is. So
/// no text that comes from a file can run or fetch anything, whatever it holds.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-0cR+qGJ6nH8R1FwByKkd9oClTGWVCAtRl1lVqnW6ssg='";

/// A whole page. `title` stands in the tab and above the rest.
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

/// A part of a page under a heading.
pub fn section(id: &str, heading: &str, body: &Markup) -> Markup {
    html! {
        section id=(id) {
            h2 { (heading) }
            (body)
        }
    }
}

/// A line for each fact and its name.
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

/// What has come out, in strong words, and what belongs to it.
pub fn verdict(is_good: bool, words: &str, rest: &str) -> Markup {
    let class = if is_good { "verdict good" } else { "verdict bad" };
    html! { p class=(class) { strong { (words) } (rest) } }
}

/// A file as the title names it: without its folder.
pub fn title_of(path: &Path) -> String {
    match path.file_name() {
        Some(name) if name != "-" => name.to_string_lossy().into_owned(),
        Some(_) => "standard input".to_owned(),
        None => path.display().to_string(),
    }
}
