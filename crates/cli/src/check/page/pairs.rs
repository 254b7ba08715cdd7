//! The table of pairs.

use maud::Markup;
use obbligato::glam::DVec3;
use obbligato_files::SceneFile;

use super::{
    close_ups,
    listed::{Listed, measured},
};
use crate::{
    args::check::CheckArguments,
    check::{clash_rules::ClashRules, scenes::Scenes},
    html::table::{Cell, table},
};

/// Returns the table.
pub fn markup(listed: &[Listed], frames: &[Scenes], arguments: &CheckArguments, rules: Option<&ClashRules>) -> Markup {
    let columns = Columns::of(listed, frames, arguments, rules);
    let cells = |(index, row): (usize, &Listed)| {
        let mut cells = columns.cells(row, frames);
        if columns.clash {
            let number = (index + 1).to_string();
            cells.push(close_ups::id(index, row).map_or(Cell::none(), |id| Cell::Link(id, number)));
        }
        cells
    };
    let rows: Vec<Vec<Cell>> = listed.iter().enumerate().map(cells).collect();
    table("pairs-table", &columns.headings(), &rows)
}

/// The columns in addition to the ids.
struct Columns<'a> {
    frame: bool,
    /// Depth, kind and place.
    clash: bool,
    group: bool,
    /// The kinds of bodies.
    kinds: bool,
    /// Set to show if the baseline has the pair.
    status: bool,
    kept: &'a [String],
    rules: Option<&'a ClashRules>,
}

impl<'a> Columns<'a> {
    fn of(listed: &[Listed], frames: &[Scenes], arguments: &'a CheckArguments, rules: Option<&'a ClashRules>) -> Self {
        let mixed = |scenes: &Scenes| scenes.sides().iter().any(|side| side.len() > side.boxes.len());
        let clash = listed.iter().any(|row| row.clash.is_some());
        Self {
            frame: frames.iter().any(|scenes| scenes.frame.is_some()),
            clash,
            group: clash && arguments.group.is_some(),
            kinds: frames.iter().any(mixed),
            status: clash && arguments.baseline.is_some(),
            kept: &arguments.keep,
            rules: rules.filter(|_| clash),
        }
    }

    fn headings(&self) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        let mut add = |headings: &[&str]| all.extend(headings.iter().map(|&heading| heading.to_owned()));
        if self.frame {
            add(&["frame"]);
        }
        add(&["a", "b"]);
        if self.clash {
            add(&["depth", "kind"]);
        }
        if self.group {
            add(&["group"]);
        }
        if self.rules.is_some() {
            add(&["distance", "rule"]);
        }
        if self.kinds {
            add(&["a is", "b is"]);
        }
        if self.status {
            add(&["status"]);
        }
        for name in self.kept {
            add(&[&format!("a_{name}"), &format!("b_{name}")]);
        }
        if self.clash {
            add(&["x", "y", "z", "picture"]);
        }
        all
    }

    fn cells(&self, row: &Listed, frames: &[Scenes]) -> Vec<Cell> {
        let scenes = &frames[row.frame];
        let sides = [(scenes.sides()[0], row.pair.a), (scenes.sides()[1], row.pair.b)];
        let mut cells = Vec::new();
        if self.frame {
            cells.push(scenes.frame.map_or(Cell::none(), |frame| Cell::number(frame as f64)));
        }
        cells.extend(row.ids(scenes).map(|id| Cell::foreign(&id)));
        if self.clash {
            cells.extend([
                row.depth().map_or(Cell::none(), measured),
                Cell::Text(row.clash.map_or("", |clash| clash.kind.name()).into()),
            ]);
        }
        if self.group {
            let group = row.clash.and_then(|clash| clash.group);
            cells.push(group.map_or(Cell::none(), |group| Cell::number(group.into())));
        }
        if let Some(rules) = self.rules {
            let rule = row.clash.and_then(|clash| rules.name(clash.rule));
            cells.push(row.clash.map_or(Cell::none(), |clash| measured(clash.distance)));
            cells.push(Cell::Text(rule.unwrap_or_default().to_owned()));
        }
        if self.kinds {
            cells.extend(sides.map(|(scene, body)| Cell::Text(kind(scene, body).into())));
        }
        if self.status {
            cells.push(Cell::Text(status(row).into()));
        }
        for name in self.kept {
            let kept = |(scene, body): (&SceneFile, u32)| {
                let column = scene.column(name);
                column.map_or(Cell::none(), |texts| Cell::foreign(texts.get(body as usize)))
            };
            cells.extend(sides.map(kept));
        }
        if self.clash {
            let point = row.clash.map(|clash| clash.point);
            let place = |part: fn(DVec3) -> f64| point.map_or(Cell::none(), |point| measured(part(point)));
            cells.extend([place(|point| point.x), place(|point| point.y), place(|point| point.z)]);
        }
        cells
    }
}

fn status(row: &Listed) -> &'static str {
    match row.clash.and_then(|clash| clash.is_new) {
        Some(true) => "new",
        Some(false) => "kept",
        None => "",
    }
}

/// Returns the kind of a body: boxes come first, then capsules, then spheres.
fn kind(scene: &SceneFile, body: u32) -> &'static str {
    let (boxes, capsules) = (scene.boxes.len(), scene.capsules.len());
    match body as usize {
        body if body < boxes => "box",
        body if body < boxes + capsules => "capsule",
        _ => "sphere",
    }
}
