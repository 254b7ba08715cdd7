//! Figures of the documentation whose numbers come from the library: each is redrawn and compared
//! with its file in `docs/src/images`. `FIGURES_RECORD=1 cargo test figures` writes them; look at
//! them when they change.

mod contact;
mod contact_points;
mod features;
mod grid;
mod projection;
mod room;
mod svg;

use std::fs;

use crate::words::project;

#[track_caller]
fn expect_figure(name: &str, drawn: &str) {
    let path = project().join("docs/src/images").join(name);
    if std::env::var_os("FIGURES_RECORD").is_some() {
        fs::write(&path, drawn).expect("it can be written");
    }
    let stored = fs::read_to_string(&path).expect("the figure is stored");
    for (number, (drawn, stored)) in drawn.lines().zip(stored.lines()).enumerate() {
        assert_eq!(drawn, stored, "{name}, line {}", number + 1);
    }
    assert_eq!(drawn, stored, "{name}");
    // In the API documentation it is part of Markdown, in which an empty line would end it.
    assert!(!drawn.contains("\n\n"), "{name}");
    roxmltree::Document::parse(drawn).expect("XML");
}
