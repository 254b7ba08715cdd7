//! Writes a sequence of boxes: for scenes larger than memory.

use std::io;
use std::path::Path;
#[cfg(feature = "parquet")]
use std::path::PathBuf;

use crate::csv::write_scene as csv;
use crate::error::Result;
use crate::format::{ENDINGS, Format};
use crate::npy;
use crate::output::Unfinished;
#[cfg(feature = "parquet")]
use crate::parquet::scene::BoxGroups;
use crate::problem::problem;
use obbligato::Obb;

/// The number of boxes that are passed on at once: a row group of Parquet.
const AT_ONCE: usize = 1 << 20;

/// Writes `count` boxes, which are in all groups, as [`write_scene`](crate::write_scene)
/// writes a list of them.
///
/// # Errors
/// See [`write_scene`](crate::write_scene); also if the number of boxes is not `count`.
pub fn write_boxes(path: &Path, count: usize, boxes: impl Iterator<Item = Obb>) -> Result<()> {
    let mut file = BoxesFile::begin(path, count)?;
    let mut boxes = boxes.fuse();
    let mut written = 0;
    loop {
        let some: Vec<Obb> = boxes.by_ref().take(AT_ONCE).collect();
        if some.is_empty() {
            break;
        }
        written += some.len();
        file.write(&some)?;
    }
    match written == count {
        true => file.finish(),
        false => Err(problem(
            path,
            format!("was announced with {count} boxes but got {written}: give as many as announced"),
        )),
    }
}

/// A file of boxes that is being written.
struct BoxesFile(Out);

enum Out {
    Csv(Unfinished),
    Npy(Unfinished),
    #[cfg(feature = "parquet")]
    Parquet(Box<(BoxGroups, PathBuf)>),
}

impl BoxesFile {
    fn begin(path: &Path, count: usize) -> Result<Self> {
        let begun = |header: &dyn Fn(&mut dyn io::Write) -> io::Result<()>| -> Result<Unfinished> {
            let mut out = Unfinished::begin(path)?;
            out.write(header)?;
            Ok(out)
        };
        let out = match Format::of_output(path, Format::Csv, ENDINGS)? {
            Format::Csv => Out::Csv(begun(&csv::begin_boxes)?),
            Format::Npy => Out::Npy(begun(&|out| npy::begin_boxes(out, count))?),
            #[cfg(feature = "parquet")]
            Format::Parquet => Out::Parquet(Box::new((BoxGroups::begin(path)?, path.to_owned()))),
        };
        Ok(Self(out))
    }

    fn write(&mut self, boxes: &[Obb]) -> Result<()> {
        match &mut self.0 {
            Out::Csv(out) => out.write(|out| csv::write_more_boxes(out, boxes)),
            Out::Npy(out) => out.write(|out| npy::write_more_boxes(out, boxes)),
            #[cfg(feature = "parquet")]
            Out::Parquet(file) => file.0.write(&file.1, boxes),
        }
    }

    fn finish(self) -> Result<()> {
        match self.0 {
            Out::Csv(out) | Out::Npy(out) => out.finish()?.commit(),
            #[cfg(feature = "parquet")]
            Out::Parquet(file) => file.0.finish(&file.1),
        }
    }
}
