//! CSV files: RFC 4180, also with lines that end in LF alone.

use std::collections::HashSet;
use std::io::{self, Read, Write};
use std::path::Path;
use std::str::FromStr;

use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder, Terminator};
use glam::{Quat, Vec3};

use crate::base::error::{Error, Result};
use crate::base::excerpt::excerpt;
use crate::base::memory;
use crate::engine::query::BoxSet;
use crate::files::form::{COLUMNS, Form, column, numbers_of};
use crate::files::problem::{BadRows, problem, unreadable};
use crate::files::quotes::Quotes;
use crate::files::scene::{SceneFile, has_groups};
use crate::geometry::pair::Pair;
use crate::narrow_phase::obb_obb::contacts::Contacts;
use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::regions::room::Enclosure;
use crate::rules::model::{NO_OWNER, Rules};
use crate::shapes::obb::record::Obb;
use crate::shapes::upright::record::Upright;

/// Bytes to request at each read from the system.
const BUFFER_BYTES: usize = 1 << 20;

/// The longest row, in bytes, to which a buffer or two are added. What is no table may be a single row without end.
const MOST_ROW_BYTES: usize = 16 << 20;

/// What memory is for.
const WHAT: &str = "the rows of a CSV file";

/// What a column should hold, for error messages.
const A_NUMBER: &str = "a number";
const A_WHOLE_NUMBER: &str = "a whole number";
const A_WORD: &str = "a whole number from 0 to 4294967295";
const AN_OWNER: &str = "a whole number from 0 to 4294967294, or nothing";
const A_FLAG: &str = "0 or 1";

/// Reads a scene, row by row.
pub(super) fn read(input: impl Read, path: &Path, frame: Option<i64>) -> Result<SceneFile> {
    // Rows end in LF only (a CR before it is trimmed from the last field), and the input gets one more LF at its end.
    // So whenever the reader returns, the row's own line is the last that it has counted.
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .terminator(Terminator::Any(b'\n'))
        .buffer_capacity(BUFFER_BYTES)
        .from_reader(Rows {
            input: Quotes::new(input).chain(&b"\n"[..]),
            unfinished: 0,
        });
    let mut record = ByteRecord::new();
    if !next_row(&mut reader, &mut record, path)? {
        return Err(problem(
            path,
            format!("is empty: start with a header row such as {}", COLUMNS.join(",")),
        ));
    }
    let columns = Columns::find(&record, frame).map_err(|words| problem(path, words))?;
    let mut rows = SceneRows::new(columns, frame);
    while next_row(&mut reader, &mut record, path)? {
        match rows.add(&record) {
            Ok(()) => {}
            Err(Unread::Bad(words)) => {
                let line = first_line(&reader, &record);
                rows.bad
                    .add(|| format!("line {line}{} {words}", rows.columns.id_in_words(&record)));
            }
            Err(Unread::Failed(error)) => return Err(error),
        }
    }
    rows.finish(path)
}

/// Reads the next row that is not blank. Returns false at the end.
fn next_row(reader: &mut Reader<Rows<impl Read>>, record: &mut ByteRecord, path: &Path) -> Result<bool> {
    loop {
        reader.get_mut().unfinished = 0;
        let line = reader.position().line();
        let read = reader
            .read_byte_record(record)
            .map_err(|error| match error.into_kind() {
                ErrorKind::Io(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                    problem(path, format!("line {line} begins a row that {error}"))
                }
                ErrorKind::Io(error) if error.kind() == io::ErrorKind::InvalidData => problem(path, error.to_string()),
                ErrorKind::Io(error) => unreadable(path, &error),
                other => unreadable(path, &io::Error::other(format!("{other:?}"))),
            })?;
        if !read || record.len() > 1 || !record[0].trim_ascii().is_empty() {
            return Ok(read);
        }
    }
}

/// Input of which a row has an end.
struct Rows<R> {
    input: R,
    /// Bytes read since the last row.
    unfinished: usize,
}

impl<R: Read> Read for Rows<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.unfinished > MOST_ROW_BYTES {
            let words = format!(
                "is longer than {} MiB: a row is a line, unless a quote goes on",
                MOST_ROW_BYTES >> 20
            );
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, words));
        }
        let read = self.input.read(buffer)?;
        self.unfinished += read;
        Ok(read)
    }
}

/// The line, from 1, on which the last row read begins. Quoted fields may span lines.
fn first_line(reader: &Reader<impl Read>, record: &ByteRecord) -> u64 {
    let inside = record.as_slice().iter().filter(|&&byte| byte == b'\n').count();
    reader.position().line().saturating_sub(inside as u64 + 1)
}

/// The positions of the columns in use.
struct Columns {
    /// Columns in the header, and so in every row.
    count: usize,
    form: Form,
    numbers: [usize; 10],
    id: Option<usize>,
    frame: Option<usize>,
    memberships: Option<usize>,
    filter: Option<usize>,
    owner: Option<usize>,
    world: Option<usize>,
    is_static: Option<usize>,
}

impl Columns {
    fn find(header: &ByteRecord, frame: Option<i64>) -> Result<Self, String> {
        if let Some(field) = header.iter().find(|field| std::str::from_utf8(field).is_err()) {
            return Err(format!(
                "is not UTF-8 text ({:?} in its header): save it as UTF-8",
                excerpt(&String::from_utf8_lossy(field))
            ));
        }
        let frame_column = column(header, "frame")?;
        let (form, numbers) = Form::find(header)?;
        if frame.is_some() && frame_column.is_none() {
            return Err("has no column frame: leave --frame out".into());
        }
        Ok(Self {
            count: header.len(),
            form,
            numbers,
            id: column(header, "id")?,
            frame: frame_column,
            memberships: column(header, "memberships")?,
            filter: column(header, "filter")?,
            owner: column(header, "owner")?,
            world: column(header, "world")?,
            is_static: column(header, "static")?,
        })
    }

    fn parse_box(&self, record: &ByteRecord) -> Result<Obb, String> {
        let obb = match self.form {
            Form::Oriented => {
                let [cx, cy, cz, hx, hy, hz, qx, qy, qz, qw] = self.parse_numbers(record)?;
                let rotation = Quat::from_xyzw(qx, qy, qz, qw);
                Obb::new(Vec3::new(cx, cy, cz), Vec3::new(hx, hy, hz), rotation)
            }
            Form::Upright => {
                let [x0, y0, x1, y1, x2, y2, x3, y3, z_min, z_max] = self.parse_numbers(record)?;
                let corners = [[x0, y0], [x1, y1], [x2, y2], [x3, y3]];
                let cuboid = Upright::from_corners(corners, z_min, z_max);
                cuboid.map_err(|problem| problem.to_string())?.into()
            }
        };
        let groups = |column: Option<usize>, name| match column {
            Some(column) => parse(record, column, name, A_WORD),
            None => Ok(u32::MAX),
        };
        Ok(obb.with_groups(groups(self.memberships, "memberships")?, groups(self.filter, "filter")?))
    }

    /// The ten numbers of a row, each rounded once.
    fn parse_numbers<T: FromStr + Default + Copy>(&self, record: &ByteRecord) -> Result<[T; 10], String> {
        let names = self.form.names();
        let mut numbers = [T::default(); 10];
        for (i, number) in numbers.iter_mut().enumerate() {
            *number = parse(record, self.numbers[i], names[i], A_NUMBER)?;
        }
        Ok(numbers)
    }

    /// A row's rules for its box; a missing column means the default.
    fn parse_rules(&self, record: &ByteRecord) -> Result<RowRules, String> {
        let owner = match self.owner {
            Some(column) if record[column].trim_ascii().is_empty() => NO_OWNER,
            Some(column) => match parse(record, column, "owner", AN_OWNER)? {
                NO_OWNER => return Err(format!("has {NO_OWNER} in column owner instead of {AN_OWNER}")),
                owner => owner,
            },
            None => NO_OWNER,
        };
        Ok(RowRules {
            owner,
            world: self
                .world
                .map_or(Ok(0), |column| parse(record, column, "world", A_WORD))?,
            is_static: match self.is_static {
                Some(column) => parse_flag(record, column, "static")?,
                None => false,
            },
        })
    }

    /// A row's id for an error message; empty if it has none.
    fn id_in_words(&self, record: &ByteRecord) -> String {
        let field = self.id.and_then(|column| record.get(column));
        let id = field.and_then(|field| std::str::from_utf8(field).ok()?.trim().parse::<u32>().ok());
        id.map_or(String::new(), |id| format!(" (id {id})"))
    }
}

/// Parses a field as a number; `wanted` describes it for the error message.
fn parse<T: FromStr>(record: &ByteRecord, column: usize, name: &str, wanted: &str) -> Result<T, String> {
    let field = record[column].trim_ascii();
    let parsed = std::str::from_utf8(field).ok().and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| {
        let text = String::from_utf8_lossy(field);
        format!("has {:?} in column {name} instead of {wanted}", excerpt(&text))
    })
}

/// Parses a field that is 0 or 1.
fn parse_flag(record: &ByteRecord, column: usize, name: &str) -> Result<bool, String> {
    match parse::<u8>(record, column, name, A_FLAG)? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(format!("has {other} in column {name} instead of {A_FLAG}")),
    }
}

/// A row's rules for its box.
struct RowRules {
    owner: u32,
    world: u32,
    is_static: bool,
}

/// Why a row is not among the boxes.
enum Unread {
    /// It is bad: how.
    Bad(String),
    /// There is no memory for it.
    Failed(Error),
}

impl From<String> for Unread {
    fn from(words: String) -> Self {
        Self::Bad(words)
    }
}

impl From<Error> for Unread {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// The rows read so far.
struct SceneRows {
    columns: Columns,
    /// All rows so far, those of other frames too.
    count: u64,
    boxes: Vec<Obb>,
    owners: Vec<u32>,
    worlds: Vec<u32>,
    statics: Vec<bool>,
    ids: Ids,
    frames: Frames,
    bad: BadRows,
}

impl SceneRows {
    fn new(columns: Columns, frame: Option<i64>) -> Self {
        Self {
            columns,
            count: 0,
            boxes: Vec::new(),
            owners: Vec::new(),
            worlds: Vec::new(),
            statics: Vec::new(),
            ids: Ids::default(),
            frames: Frames {
                wanted: frame,
                found: HashSet::new(),
                last: None,
            },
            bad: BadRows::default(),
        }
    }

    /// Adds a row, or says what is wrong with it.
    fn add(&mut self, record: &ByteRecord) -> Result<(), Unread> {
        let row = self.count;
        self.count += 1;
        if record.len() != self.columns.count {
            let plural = if record.len() == 1 { "" } else { "s" };
            return Err(format!(
                "has {} column{plural} but the header has {}",
                record.len(),
                self.columns.count
            )
            .into());
        }
        if let Some(column) = self.columns.frame
            && !self.frames.admit(parse(record, column, "frame", A_WHOLE_NUMBER)?)?
        {
            return Ok(());
        }
        let obb = self.columns.parse_box(record)?;
        let rules = self.columns.parse_rules(record)?;
        if let Some(problem) = obb.problem() {
            return Err(problem.to_string().into());
        }
        if let Some(id) = self.id(row, record)?
            && !self.ids.add(id)?
        {
            return Err("repeats the id of an earlier row".to_owned().into());
        }
        if self.columns.owner.is_some() {
            memory::push(&mut self.owners, rules.owner, WHAT)?;
        }
        if self.columns.world.is_some() {
            memory::push(&mut self.worlds, rules.world, WHAT)?;
        }
        if self.columns.is_static.is_some() {
            memory::push(&mut self.statics, rules.is_static, WHAT)?;
        }
        Ok(memory::push(&mut self.boxes, obb, WHAT)?)
    }

    /// The id of a row: in a file without ids its number, unless that is the position in the list of boxes.
    fn id(&self, row: u64, record: &ByteRecord) -> Result<Option<u32>, String> {
        match self.columns.id {
            Some(column) => parse(record, column, "id", A_WORD).map(Some),
            None if self.frames.wanted.is_none() => Ok(None),
            None => match u32::try_from(row) {
                Ok(row) => Ok(Some(row)),
                Err(_) => Err(format!("is row {row}, which needs an id of its own: add a column id")),
            },
        }
    }

    fn finish(self, path: &Path) -> Result<SceneFile> {
        self.frames.check_unique().map_err(|words| problem(path, words))?;
        self.bad.check(path)?;
        self.frames.check_found().map_err(|words| problem(path, words))?;
        let named = self.columns.id.is_some() || self.frames.wanted.is_some();
        Ok(SceneFile {
            boxes: self.boxes,
            ids: named.then_some(self.ids.list),
            owners: self.columns.owner.map(|_| self.owners),
            worlds: self.columns.world.map(|_| self.worlds),
            statics: self.columns.is_static.map(|_| self.statics),
        })
    }
}

/// The ids of the boxes, each once.
#[derive(Default)]
struct Ids {
    list: Vec<u32>,
    /// The same ids; empty as long as they ascend, as they usually do.
    seen: HashSet<u32>,
}

impl Ids {
    /// Appends an id; false if it is a duplicate.
    fn add(&mut self, id: u32) -> Result<bool> {
        let ascending = self.seen.is_empty() && self.list.last().is_none_or(|&last| last < id);
        if !ascending {
            if self.seen.is_empty() {
                memory::reserve_set(&mut self.seen, self.list.len(), WHAT)?;
                self.seen.extend(&self.list);
            }
            memory::reserve_set(&mut self.seen, 1, WHAT)?;
            if !self.seen.insert(id) {
                return Ok(false);
            }
        }
        memory::push(&mut self.list, id, WHAT)?;
        Ok(true)
    }
}

/// The frames of a file.
struct Frames {
    wanted: Option<i64>,
    found: HashSet<i64>,
    /// The previous row's frame, to save look-ups: rows of a frame are usually adjacent.
    last: Option<i64>,
}

impl Frames {
    /// Records the frame of a row, and returns whether to keep the row.
    fn admit(&mut self, frame: i64) -> Result<bool> {
        if self.last.replace(frame) != Some(frame) {
            memory::reserve_set(&mut self.found, 1, WHAT)?;
            self.found.insert(frame);
        }
        Ok(match self.wanted {
            Some(wanted) => frame == wanted,
            // A second frame makes the file an error, so its rows need no memory.
            None => self.found.len() == 1,
        })
    }

    fn check_unique(&self) -> Result<(), String> {
        if self.wanted.is_none() && self.found.len() > 1 {
            return Err(format!("has {}: pick one with --frame", self.in_words()));
        }
        Ok(())
    }

    fn check_found(&self) -> Result<(), String> {
        match self.wanted {
            Some(wanted) if !self.found.contains(&wanted) => Err(format!(
                "has no frame {wanted} (it has {}): pick an existing one",
                self.in_words()
            )),
            _ => Ok(()),
        }
    }

    fn in_words(&self) -> String {
        match (self.found.iter().min(), self.found.iter().max()) {
            (Some(first), Some(last)) if first < last => {
                format!("{} frames from {first} to {last}", self.found.len())
            }
            (Some(only), _) => format!("only frame {only}"),
            _ => "no rows at all".into(),
        }
    }
}

/// Writes a scene with the columns that it needs. Ryu writes the shortest numbers that read back exactly.
pub(super) fn write_scene(out: &mut impl Write, set: &BoxSet, ids: Option<&[u32]>) -> io::Result<()> {
    let grouped = has_groups(set.boxes);
    let Rules {
        owners,
        worlds,
        statics,
        ..
    } = set.rules;
    let columns = [
        (ids.is_some(), "id,"),
        (true, &COLUMNS.join(",")),
        (grouped, ",memberships,filter"),
        (owners.is_some(), ",owner"),
        (worlds.is_some(), ",world"),
        (statics.is_some(), ",static"),
    ];
    for (_, names) in columns.iter().filter(|(is_there, _)| *is_there) {
        out.write_all(names.as_bytes())?;
    }
    out.write_all(b"\n")?;
    let mut buffer = ryu::Buffer::new();
    for (position, obb) in set.boxes.iter().enumerate() {
        if let Some(ids) = ids {
            write!(out, "{},", ids[position])?;
        }
        for (i, number) in numbers_of(obb).into_iter().enumerate() {
            if i > 0 {
                out.write_all(b",")?;
            }
            out.write_all(buffer.format(number).as_bytes())?;
        }
        if grouped {
            write!(out, ",{},{}", obb.memberships, obb.filter)?;
        }
        match owners.map(|owners| owners[position]) {
            Some(NO_OWNER) => out.write_all(b",")?,
            Some(owner) => write!(out, ",{owner}")?,
            None => {}
        }
        if let Some(worlds) = worlds {
            write!(out, ",{}", worlds[position])?;
        }
        if let Some(statics) = statics {
            write!(out, ",{}", u8::from(statics[position]))?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Writes pairs as `a,b`.
pub(super) fn write_pairs(out: &mut impl Write, pairs: &[Pair]) -> io::Result<()> {
    out.write_all(b"a,b\n")?;
    pairs.iter().try_for_each(|pair| write_row(out, pair.a, pair.b))
}

/// Writes the distances and closest points of pairs.
pub(super) fn write_distances(out: &mut impl Write, rows: &[(Pair, ClosestPoints)]) -> io::Result<()> {
    out.write_all(b"a,b,distance,pax,pay,paz,pbx,pby,pbz\n")?;
    let (mut ids, mut numbers) = (itoa::Buffer::new(), ryu::Buffer::new());
    for (pair, closest) in rows {
        out.write_all(ids.format(pair.a).as_bytes())?;
        out.write_all(b",")?;
        out.write_all(ids.format(pair.b).as_bytes())?;
        let points = [closest.on_a.to_array(), closest.on_b.to_array()];
        for number in [closest.distance].iter().chain(points.as_flattened()) {
            out.write_all(b",")?;
            out.write_all(numbers.format(*number).as_bytes())?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Writes the contacts of pairs, one row per point.
pub(super) fn write_contacts(out: &mut impl Write, pairs: &[Pair], contacts: &Contacts) -> io::Result<()> {
    out.write_all(b"a,b,point,nx,ny,nz,depth,pax,pay,paz,pbx,pby,pbz,feature_a,feature_b\n")?;
    let mut numbers = ryu::Buffer::new();
    for (k, (pair, penetration)) in pairs.iter().zip(contacts.penetrations()).enumerate() {
        let Some(penetration) = penetration else { continue };
        for (number, point) in contacts.points_of(k).iter().enumerate() {
            write!(out, "{},{},{number}", pair.a, pair.b)?;
            let bodies = [point.on_a.to_array(), point.on_b.to_array()];
            let normal = penetration.normal.to_array();
            for value in normal.iter().chain([&point.depth]).chain(bodies.as_flattened()) {
                out.write_all(b",")?;
                out.write_all(numbers.format(*value).as_bytes())?;
            }
            writeln!(out, ",{},{}", point.feature_a, point.feature_b)?;
        }
    }
    Ok(())
}

/// Writes degrees as `id,degree`.
pub(super) fn write_degrees(out: &mut impl Write, ids: Option<&[u32]>, degrees: &[u32]) -> io::Result<()> {
    out.write_all(b"id,degree\n")?;
    match ids {
        Some(ids) => ids
            .iter()
            .zip(degrees)
            .try_for_each(|(&id, &degree)| write_row(out, id, degree)),
        None => (0..)
            .zip(degrees)
            .try_for_each(|(id, &degree)| write_row(out, id, degree)),
    }
}

/// Writes enclosures as `id,state,walls`.
pub(super) fn write_enclosures(out: &mut impl Write, ids: Option<&[u32]>, enclosures: &[Enclosure]) -> io::Result<()> {
    out.write_all(b"id,state,walls\n")?;
    let mut buffer = itoa::Buffer::new();
    for (position, found) in (0u32..).zip(enclosures) {
        let id = ids.map_or(position, |ids| ids[position as usize]);
        out.write_all(buffer.format(id).as_bytes())?;
        write!(out, ",{},", found.state.name())?;
        out.write_all(buffer.format(found.walls).as_bytes())?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn write_row(out: &mut impl Write, first: u32, second: u32) -> io::Result<()> {
    let mut buffer = itoa::Buffer::new();
    out.write_all(buffer.format(first).as_bytes())?;
    out.write_all(b",")?;
    out.write_all(buffer.format(second).as_bytes())?;
    out.write_all(b"\n")
}
