//! Reading points by their ids.

use std::io::Read;
use std::path::Path;

use csv::ByteRecord;
use glam::Vec3;

use crate::base::error::Result;
use crate::base::excerpt::excerpt;
use crate::base::memory;
use crate::files::csv::columns::{A_NUMBER, ID, parse, text};
use crate::files::csv::form::wanted_column;
use crate::files::csv::rows::Unread;
use crate::files::csv::table::Table;
use crate::files::points::PointGroups;
use crate::files::problem::{BadRows, problem};
use crate::files::unique_ids::UniqueIds;
use crate::fitting::cloud::problem_of;

/// What memory is for.
const WHAT: &str = "the points of a CSV file";

/// The coordinates.
const COLUMNS: [&str; 3] = ["x", "y", "z"];

/// Reads the points of every id; `id_column` is `id` unless it is given.
pub(crate) fn read_points(input: impl Read, path: &Path, id_column: Option<&str>) -> Result<PointGroups> {
    let mut table = Table::open(input, path, "id,x,y,z")?;
    let columns = Columns::find(table.header(), id_column.unwrap_or(ID)).map_err(|words| problem(path, words))?;
    let mut rows = PointRows::default();
    let mut bad = BadRows::default();
    while table.next_row()? {
        match rows.add(&columns, table.record()) {
            Ok(()) => {}
            Err(Unread::Bad(words)) => bad.add(|| format!("line {} {words}", table.line())),
            Err(Unread::Failed(error)) => return Err(error),
        }
    }
    bad.check(path)?;
    rows.finish()
}

/// The positions of the columns.
struct Columns {
    /// Columns in the header, and so in every row.
    count: usize,
    id: usize,
    id_name: String,
    numbers: [usize; 3],
}

impl Columns {
    fn find(header: &ByteRecord, id_name: &str) -> Result<Self, String> {
        let [x, y, z] = COLUMNS.map(|name| wanted_column(header, name));
        Ok(Self {
            count: header.len(),
            id: wanted_column(header, id_name)?,
            id_name: id_name.to_owned(),
            numbers: [x?, y?, z?],
        })
    }
}

/// The points so far, with the number of the group of each.
#[derive(Default)]
struct PointRows {
    points: Vec<Vec3>,
    groups: Vec<u32>,
    ids: UniqueIds,
}

impl PointRows {
    /// Adds a row, or says what is wrong with it.
    fn add(&mut self, columns: &Columns, record: &ByteRecord) -> Result<(), Unread> {
        if record.len() != columns.count {
            return Err(format!("has {} columns but the header has {}", record.len(), columns.count).into());
        }
        let id = text(record, columns.id, &columns.id_name)?;
        if id.is_empty() {
            return Err(format!("has no id in column {}", excerpt(&columns.id_name)).into());
        }
        let mut point = Vec3::ZERO;
        for (axis, name) in COLUMNS.into_iter().enumerate() {
            point[axis] = parse(record, columns.numbers[axis], name, A_NUMBER)?;
        }
        if let Some(problem) = problem_of(&point) {
            return Err(problem.to_string().into());
        }
        let group = self.ids.place(id)?;
        memory::push(&mut self.groups, group, WHAT)?;
        Ok(memory::push(&mut self.points, point, WHAT)?)
    }

    /// The points, group after group.
    fn finish(self) -> Result<PointGroups> {
        let ids = self.ids.into_ids();
        let mut ends = memory::filled(ids.len(), 0, WHAT)?;
        for &group in &self.groups {
            ends[group as usize] += 1;
        }
        // Where each group begins; when all its points are there, that is where it ends.
        let mut begin = 0;
        for end in &mut ends {
            begin += std::mem::replace(end, begin);
        }
        let mut points = memory::filled(self.points.len(), Vec3::ZERO, WHAT)?;
        for (&group, &point) in self.groups.iter().zip(&self.points) {
            let place = &mut ends[group as usize];
            points[*place] = point;
            *place += 1;
        }
        Ok(PointGroups { ids, points, ends })
    }
}
