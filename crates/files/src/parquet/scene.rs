//! Writes scenes.

use std::path::Path;

use crate::error::Result;
use crate::ids::Ids;
use crate::parquet::write::{Field, GROUP_ROWS, Kind, ParquetFile, Values};
use crate::scene::Content;
use crate::scene_rows::body::shape_of;
use crate::scene_rows::form::{COLUMNS, MOTION_COLUMNS, numbers_of, numbers_of_motion};
use obbligato::{Obb, query::NO_OWNER, shape::BodyRef};

/// The source of a column's values.
#[derive(Clone, Copy)]
enum Source {
    Id,
    Shape,
    /// One of the numbers of a body.
    Number(usize),
    /// One of the coordinates of the center in `f64`.
    Center(usize),
    Radius,
    Memberships,
    Filter,
    Owner,
    World,
    Static,
    Motion(usize),
}

/// Writes a scene with the columns that it needs, named as in CSV.
pub(crate) fn write_scene(path: &Path, content: &Content<'_>) -> Result<()> {
    let columns = columns(content);
    let fields: Vec<Field> = columns
        .iter()
        .map(|(name, kind, optional, _)| Field {
            optional: *optional,
            ..Field::new(name, *kind)
        })
        .collect();
    let mut file = ParquetFile::begin(path, &fields)?;
    let bodies = content.bodies.len();
    for begin in (0..bodies).step_by(GROUP_ROWS) {
        let rows = begin..(begin + GROUP_ROWS).min(bodies);
        let positions: Vec<u32> = rows
            .map(|place| content.by_rows.map_or(place as u32, |bodies| bodies[place]))
            .collect();
        file.write_group(path, |number| {
            let (_, kind, optional, source) = columns[number];
            values(content, &positions, kind, optional, source)
        })?;
    }
    file.finish(path)
}

/// A scene of boxes alone, in all groups, that is written in batches.
pub(crate) struct BoxGroups(ParquetFile);

impl BoxGroups {
    pub fn begin(path: &Path) -> Result<Self> {
        let fields = COLUMNS.map(|name| Field::new(name, Kind::Single));
        ParquetFile::begin(path, &fields).map(Self)
    }

    /// Appends a row group.
    pub fn write(&mut self, path: &Path, boxes: &[Obb]) -> Result<()> {
        let values = |column: usize| Values::Singles(boxes.iter().map(|obb| numbers_of(obb)[column]).collect());
        self.0.write_group(path, values)
    }

    /// Ends the file and gives it its name.
    pub fn finish(self, path: &Path) -> Result<()> {
        self.0.finish(path)
    }
}

/// Returns the name of each column, its kind, `true` if rows may lack a value, and the source of
/// its values.
fn columns(content: &Content<'_>) -> Vec<(&'static str, Kind, bool, Source)> {
    let rules = content.rules;
    let shaped = content.bodies.only_boxes().is_none();
    let mut columns = Vec::new();
    match content.ids {
        Some(Ids::Numbers(_)) => columns.push(("id", Kind::Word, false, Source::Id)),
        Some(Ids::Texts(_)) => columns.push(("id", Kind::Text, false, Source::Id)),
        None => {}
    }
    if shaped {
        columns.push(("shape", Kind::Text, false, Source::Shape));
    }
    let coordinates = if content.in_plane { 2 } else { 3 };
    for (k, &name) in content.columns().iter().enumerate() {
        match content.centers {
            Some(_) if k < coordinates => columns.push((name, Kind::Double, false, Source::Center(k))),
            _ => columns.push((name, Kind::Single, shaped, Source::Number(k))),
        }
    }
    if shaped {
        columns.push(("radius", Kind::Single, true, Source::Radius));
    }
    if content.has_groups() {
        columns.push(("memberships", Kind::Word, false, Source::Memberships));
        columns.push(("filter", Kind::Word, false, Source::Filter));
    }
    if rules.owners.is_some() {
        columns.push(("owner", Kind::Word, true, Source::Owner));
    }
    if rules.worlds.is_some() {
        columns.push(("world", Kind::Word, false, Source::World));
    }
    if rules.statics.is_some() {
        columns.push(("static", Kind::Flag, false, Source::Static));
    }
    for &k in content.motion_columns() {
        columns.push((MOTION_COLUMNS[k], Kind::Single, false, Source::Motion(k)));
    }
    columns
}

/// Returns the values of a column for some bodies.
fn values(content: &Content<'_>, positions: &[u32], kind: Kind, optional: bool, source: Source) -> Values {
    let set = content;
    let words = |word: &dyn Fn(usize) -> u32| Values::Words(positions.iter().map(|&at| word(at as usize)).collect());
    let maybe = |number: &dyn Fn(BodyRef<'_>) -> Option<f32>| {
        let numbers = positions.iter().map(|&at| number(set.bodies.at(at)));
        match optional {
            true => Values::MaybeSingles(numbers.collect()),
            false => Values::Singles(numbers.map(Option::unwrap_or_default).collect()),
        }
    };
    let groups = |at: usize, k: usize| {
        let listed = set.rules.groups.map_or([u32::MAX; 2], |groups| groups[at]);
        set.bodies.at(at as u32).groups()[k] & listed[k]
    };
    match source {
        Source::Id => match content.ids {
            Some(ids) if kind == Kind::Text => {
                Values::Texts(positions.iter().map(|&at| ids.get(at as usize).to_string()).collect())
            }
            ids => words(&|at| ids.and_then(Ids::numbers).map_or(at as u32, |numbers| numbers[at])),
        },
        Source::Shape => {
            let name = |&at: &u32| shape_of(set.bodies.at(at)).name().to_owned();
            Values::Texts(positions.iter().map(name).collect())
        }
        Source::Number(k) => maybe(&|body| content.fields(body).0[k]),
        Source::Radius => maybe(&|body| content.fields(body).1),
        Source::Center(k) => {
            let centers = content.centers.unwrap_or_default();
            Values::Doubles(positions.iter().map(|&at| centers[at as usize][k]).collect())
        }
        Source::Memberships => words(&|at| groups(at, 0)),
        Source::Filter => words(&|at| groups(at, 1)),
        Source::Owner => {
            let owners = set.rules.owners.unwrap_or_default();
            let owner = |&at: &u32| Some(owners[at as usize]).filter(|&owner| owner != NO_OWNER);
            Values::MaybeWords(positions.iter().map(owner).collect())
        }
        Source::World => words(&|at| set.rules.worlds.map_or(0, |worlds| worlds[at])),
        Source::Static => {
            let statics = set.rules.statics.unwrap_or_default();
            Values::Flags(positions.iter().map(|&at| statics[at as usize]).collect())
        }
        Source::Motion(k) => {
            let number = |&at: &u32| numbers_of_motion(&content.motions[at as usize])[k];
            Values::Singles(positions.iter().map(number).collect())
        }
    }
}
