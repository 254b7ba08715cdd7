//! Reads the rows of pairs of ids.

use std::path::Path;

use crate::error::Result;
use crate::named_pairs::NamedPairs;
use crate::problem::{BadRows, problem};
use crate::scene_rows::rows::Unread;
use crate::table::parse::{parse_frame, text};
use crate::table::{Record, Table};
use obbligato_support::memory;

/// Label for out-of-memory errors.
const WHAT: &str = "the pairs of a table";

/// Reads the columns `a`, `b` and, if present, `frame`.
pub(crate) fn read_pairs(mut table: impl Table, path: &Path) -> Result<NamedPairs> {
    let header = table.header();
    let find = || Ok::<_, String>((header.needed("a")?, header.needed("b")?, header.column("frame")?));
    let (a, b, frame) = find().map_err(|words| problem(path, words))?;
    let count = header.len();
    let mut pairs = NamedPairs {
        frames: frame.map(|_| Vec::new()),
        ..NamedPairs::default()
    };
    let mut bad = BadRows::default();
    while table.next_row()? {
        match add(&mut pairs, table.record(), count, [a, b], frame) {
            Ok(()) => {}
            Err(Unread::Bad(words)) => bad.add(|| format!("{} {words}", table.place())),
            Err(Unread::Failed(error)) => return Err(error),
        }
    }
    bad.check(path)?;
    Ok(pairs)
}

/// Adds a row, or returns a description of its problem.
fn add(
    pairs: &mut NamedPairs,
    record: &impl Record,
    count: usize,
    [a, b]: [usize; 2],
    frame: Option<usize>,
) -> Result<(), Unread> {
    if record.len() != count {
        return Err(format!("has {} columns but the header has {count}", record.len()).into());
    }
    let (a, b) = (text(record, a, "a")?, text(record, b, "b")?);
    if let (Some(column), Some(frames)) = (frame, &mut pairs.frames) {
        memory::push(frames, parse_frame(record, column)?, WHAT)?;
    }
    pairs.a.push(&a)?;
    Ok(pairs.b.push(&b)?)
}
