//! Writes pairs and degrees.

use std::path::{Path, PathBuf};

use crate::csv::results::Names;
use crate::error::Result;
use crate::ids::{Ids, id_of};
use crate::parquet::write::{Field, GROUP_ROWS, Kind, ParquetFile, Values};
use obbligato::Pair;

/// A table of results that is being written: `a` and `b`, or `id` and `degree`, after `frame` if
/// there are several.
pub(crate) struct ParquetResults {
    path: PathBuf,
    file: ParquetFile,
    frames: bool,
    /// `true` if the ids of a side are texts; else they are numbers.
    texts: [bool; 2],
}

impl ParquetResults {
    pub fn begin(path: &Path, degrees: bool, frames: bool, texts: [bool; 2]) -> Result<Self> {
        let kind = |texts| if texts { Kind::Text } else { Kind::Word };
        let [a, b] = texts.map(kind);
        let mut fields = Vec::new();
        if frames {
            fields.push(Field::new("frame", Kind::Whole));
        }
        match degrees {
            true => fields.extend([Field::new("id", a), Field::new("degree", Kind::Word)]),
            false => fields.extend([Field::new("a", a), Field::new("b", b)]),
        }
        Ok(Self {
            path: path.to_owned(),
            file: ParquetFile::begin(path, &fields)?,
            frames,
            texts,
        })
    }

    /// Appends pairs.
    pub fn write_pairs(&mut self, names: Names<'_>, pairs: &[Pair]) -> Result<()> {
        let texts = self.texts;
        for some in pairs.chunks(GROUP_ROWS) {
            self.write(names.frame, some.len(), |column| match column {
                0 => ids(names.ids[0], texts[0], some.iter().map(|pair| pair.a)),
                _ => ids(names.ids[1], texts[1], some.iter().map(|pair| pair.b)),
            })?;
        }
        Ok(())
    }

    /// Appends degrees, in the given order of the bodies, if any.
    pub fn write_degrees(&mut self, names: Names<'_>, order: Option<&[u32]>, degrees: &[u32]) -> Result<()> {
        let texts = self.texts[0];
        let body = |place: usize| order.map_or(place as u32, |order| order[place]);
        for begin in (0..degrees.len()).step_by(GROUP_ROWS) {
            let rows = begin..(begin + GROUP_ROWS).min(degrees.len());
            self.write(names.frame, rows.len(), |column| match column {
                0 => ids(names.ids[0], texts, rows.clone().map(body)),
                _ => Values::Words(rows.clone().map(|place| degrees[body(place) as usize]).collect()),
            })?;
        }
        Ok(())
    }

    /// Appends rows: `values` returns those of a column, numbered without `frame`.
    fn write(&mut self, frame: Option<i64>, rows: usize, values: impl Fn(usize) -> Values) -> Result<()> {
        let frames = self.frames;
        self.file.write_group(&self.path, |column| match column {
            0 if frames => Values::Wholes(vec![frame.unwrap_or_default(); rows]),
            _ => values(column - usize::from(frames)),
        })
    }

    /// Ends the file and gives it its name.
    pub fn finish(self) -> Result<()> {
        self.file.finish(&self.path)
    }
}

/// Returns the ids of some bodies.
fn ids(ids: Option<&Ids>, texts: bool, bodies: impl Iterator<Item = u32>) -> Values {
    match texts {
        true => Values::Texts(bodies.map(|body| id_of(ids, body).to_string()).collect()),
        false => {
            let numbers = ids.and_then(Ids::numbers);
            Values::Words(
                bodies
                    .map(|body| numbers.map_or(body, |numbers| numbers[body as usize]))
                    .collect(),
            )
        }
    }
}
