//! Reads the rows of pairs of ids.

use std::path::Path;

use crate::error::Result;
use crate::named_pairs::NamedPairs;
use crate::problem::{BadRows, problem};
use crate::scene_rows::rows::Unread;
use crate::table::header::Header;
use crate::table::parse::{parse_frame, text};
use crate::table::{Record, Table};
use crate::texts::Texts;
use obbligato_support::memory;

/// Label for out-of-memory errors.
const WHAT: &str = "the pairs of a table";

/// The positions of the columns in use.
struct Columns {
    /// The number of columns in the header, and so in every row.
    count: usize,
    a: usize,
    b: usize,
    frame: Option<usize>,
    reason: Option<usize>,
}

impl Columns {
    fn find(header: &Header) -> Result<Self, String> {
        Ok(Self {
            count: header.len(),
            a: header.needed("a")?,
            b: header.needed("b")?,
            frame: header.column("frame")?,
            reason: header.column("reason")?,
        })
    }
}

/// Reads the columns `a`, `b` and, if present, `frame` and `reason`.
pub(crate) fn read_pairs(mut table: impl Table, path: &Path) -> Result<NamedPairs> {
    let header = table.header();
    let columns = Columns::find(header).map_err(|words| problem(path, words))?;
    let mut pairs = NamedPairs {
        frames: columns.frame.map(|_| Vec::new()),
        reasons: columns.reason.map(|_| Texts::default()),
        others: header.others().map(str::to_owned).collect(),
        ..NamedPairs::default()
    };
    let mut bad = BadRows::default();
    while table.next_row()? {
        match add(&mut pairs, table.record(), &columns) {
            Ok(()) => {}
            Err(Unread::Bad(words)) => bad.add(|| format!("{} {words}", table.place())),
            Err(Unread::Failed(error)) => return Err(error),
        }
    }
    bad.check(path)?;
    Ok(pairs)
}

/// Adds a row, or returns a description of its problem.
fn add(pairs: &mut NamedPairs, record: &impl Record, columns: &Columns) -> Result<(), Unread> {
    if record.len() != columns.count {
        return Err(format!("has {} columns but the header has {}", record.len(), columns.count).into());
    }
    let (a, b) = (text(record, columns.a, "a")?, text(record, columns.b, "b")?);
    let reason = columns
        .reason
        .map(|column| text(record, column, "reason"))
        .transpose()?;
    if let (Some(column), Some(frames)) = (columns.frame, &mut pairs.frames) {
        memory::push(frames, parse_frame(record, column)?, WHAT)?;
    }
    if let (Some(reason), Some(reasons)) = (reason, &mut pairs.reasons) {
        reasons.push(&reason)?;
    }
    pairs.a.push(&a)?;
    Ok(pairs.b.push(&b)?)
}
