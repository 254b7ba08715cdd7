//! Reads points, with or without ids.

use std::path::Path;

use glam::{DVec3, Vec3};

use crate::coordinates::{Coordinate, Extent, Places, moved, relative};
use crate::error::Result;
use crate::points::{Origins, PointGroups};
use crate::problem::{BadRows, problem};
use crate::scene_rows::columns::ID;
use crate::scene_rows::rows::Unread;
use crate::table::header::Header;
use crate::table::parse::{A_NUMBER, parse, text};
use crate::table::{Record, Table};
use crate::unique_ids::UniqueIds;
use obbligato::unstable::limits::problem_of;
use obbligato_support::{excerpt::excerpt, memory};

/// Label for out-of-memory errors.
const WHAT: &str = "the points of a table";

/// The columns of the coordinates.
const COLUMNS: [&str; 3] = ["x", "y", "z"];

/// Reads the points of every id, relative to `origins`. Without `id_column`, the ids are in the
/// column `id`.
pub(crate) fn read_points(
    mut table: impl Table,
    path: &Path,
    id_column: Option<&str>,
    origins: Origins,
) -> Result<PointGroups> {
    let columns = Columns::find(table.header(), id_column.unwrap_or(ID)).map_err(|words| problem(path, words))?;
    let mut rows = PointRows::default();
    let mut bad = BadRows::default();
    while table.next_row()? {
        match rows.add(&columns, table.record()) {
            Ok(()) => {}
            Err(Unread::Bad(words)) => bad.add(|| format!("{} {words}", table.place())),
            Err(Unread::Failed(error)) => return Err(error),
        }
    }
    bad.check(path)?;
    let in_plane = columns.numbers[2].is_none();
    rows.finish(origins, in_plane)
}

/// Reads points without ids.
pub(crate) fn read_places(mut table: impl Table, path: &Path) -> Result<Places<1>> {
    let numbers = number_columns(table.header())
        .and_then(|numbers| with_z(table.header(), numbers))
        .map_err(|words| problem(path, words))?;
    let mut points = Places::default();
    let mut bad = BadRows::default();
    while table.next_row()? {
        let record = table.record();
        match check_width(record, table.header().len()).and_then(|()| parse_point(record, numbers)) {
            Ok(point) => points.push([point], WHAT)?,
            Err(words) => bad.add(|| format!("{} {words}", table.place())),
        }
    }
    bad.check(path)?;
    Ok(points)
}

/// Returns the positions of the columns of coordinates; points in the plane have no z.
fn number_columns(header: &Header) -> Result<[Option<usize>; 3], String> {
    let [x, y, z] = COLUMNS;
    Ok([Some(header.needed(x)?), Some(header.needed(y)?), header.column(z)?])
}

/// Returns an error if there is no column for z.
fn with_z(header: &Header, numbers: [Option<usize>; 3]) -> Result<[Option<usize>; 3], String> {
    header.needed(COLUMNS[2]).map(|_| numbers)
}

/// Returns an error if a row does not have as many fields as the header.
fn check_width(record: &impl Record, columns: usize) -> Result<(), String> {
    match record.len() == columns {
        true => Ok(()),
        false => Err(format!("has {} columns but the header has {columns}", record.len())),
    }
}

/// Returns the point of a row.
fn parse_point(record: &impl Record, columns: [Option<usize>; 3]) -> Result<DVec3, String> {
    let mut point = DVec3::ZERO;
    for (axis, name) in COLUMNS.into_iter().enumerate() {
        let Some(column) = columns[axis] else { continue };
        let Coordinate(number) = parse(record, column, name, A_NUMBER)?;
        point[axis] = number;
    }
    match problem_of(&point.as_vec3()) {
        Some(problem) => Err(problem.to_string()),
        None => Ok(point),
    }
}

/// The positions of the columns.
struct Columns {
    /// The number of columns in the header, and so in every row.
    count: usize,
    id: usize,
    id_name: String,
    numbers: [Option<usize>; 3],
}

impl Columns {
    fn find(header: &Header, id_name: &str) -> Result<Self, String> {
        Ok(Self {
            count: header.len(),
            id: header.needed(id_name)?,
            id_name: id_name.to_owned(),
            numbers: number_columns(header)?,
        })
    }
}

/// The points so far, with the number of the group of each.
#[derive(Default)]
struct PointRows {
    points: Places<1>,
    groups: Vec<u32>,
    ids: UniqueIds,
}

impl PointRows {
    /// Adds a row, or returns a description of its problem.
    fn add(&mut self, columns: &Columns, record: &impl Record) -> Result<(), Unread> {
        check_width(record, columns.count)?;
        let id = text(record, columns.id, &columns.id_name)?;
        if id.is_empty() {
            return Err(format!("has no id in column {}", excerpt(&columns.id_name)).into());
        }
        let point = parse_point(record, columns.numbers)?;
        let group = self.ids.place(&id)?;
        memory::push(&mut self.groups, group, WHAT)?;
        Ok(self.points.push([point], WHAT)?)
    }

    /// Returns the points, group by group.
    fn finish(self, origins: Origins, in_plane: bool) -> Result<PointGroups> {
        let ids = self.ids.into_ids();
        let mut ends = memory::filled(ids.len(), 0, WHAT)?;
        for &group in &self.groups {
            ends[group as usize] += 1;
        }
        // Initially the beginning of each group; once all its points are added, its end.
        let mut begin = 0;
        for end in &mut ends {
            begin += std::mem::replace(end, begin);
        }
        let mut points = memory::filled(self.points.len(), Vec3::ZERO, WHAT)?;
        let mut extents = memory::filled(ids.len(), Extent::NONE, WHAT)?;
        let places = || {
            self.groups
                .iter()
                .enumerate()
                .map(|(row, &group)| (group as usize, self.points.get(row)))
        };
        for (group, place) in places() {
            extents[group] = extents[group].with(Extent::of(place));
        }
        let common = extents.iter().copied().fold(Extent::NONE, Extent::with).origin();
        let origin_of = |extent: &Extent| match origins {
            Origins::Each if common != DVec3::ZERO && extent.size() > 0.0 => extent.origin(),
            _ => common,
        };
        let origins = memory::collect(extents.iter().map(origin_of), WHAT)?;
        let mut moves = memory::filled(ids.len(), 0f64, WHAT)?;
        for (group, [place]) in places() {
            let end = &mut ends[group];
            points[*end] = relative(place, origins[group]);
            *end += 1;
            moves[group] = moves[group].max(moved(place, origins[group]));
        }
        let rough = extents
            .iter()
            .zip(&moves)
            .filter(|(extent, moved)| extent.is_rough(**moved));
        let rough = rough.count();
        Ok(PointGroups {
            in_plane,
            ids,
            points,
            ends,
            origins,
            moves,
            rough,
        })
    }
}
