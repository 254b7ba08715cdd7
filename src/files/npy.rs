//! NPY files: reads versions 1 to 3, writes version 1.
//!
//! The format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::slice::ChunksMut;
use std::sync::{Mutex, PoisonError};

use bytemuck::Zeroable;
use glam::{Quat, Vec3};

use crate::base::error::Result;
use crate::base::excerpt::excerpt;
use crate::base::{memory, parallel};
use crate::files::csv::form::numbers_of;
use crate::files::problem::{BadRows, problem, unreadable};
use crate::files::scene::SceneFile;
use crate::geometry::pair::Pair;
use crate::shapes::obb::record::Obb;

const MAGIC: &[u8] = b"\x93NUMPY";

/// How to write a valid scene, for error messages.
const WANTED: &str = "write it with numpy.save, as float32 of shape (N, 10) in C order";

/// Bytes in a row of ten numbers.
const ROW_BYTES: usize = 40;

/// What memory is for.
const WHAT: &str = "the boxes of an NPY file";

/// The longest header, in bytes: that of a scene has some 100.
const MOST_HEADER_BYTES: usize = 1 << 20;

/// Rows read at once: 320 KiB.
const CHUNK_ROWS: usize = 8192;

/// Reads a scene.
pub(super) fn read(mut file: File, path: &Path) -> Result<SceneFile> {
    let rows = read_header(&mut file, path)?;
    // As many at once as the file's length allows, whatever its header claims. What is no file has no length.
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    let mut at_once = (length / ROW_BYTES as u64).max(CHUNK_ROWS as u64);
    let mut boxes = Vec::new();
    let mut valid = true;
    while (boxes.len() as u64) < rows {
        let first = boxes.len();
        let wanted = (rows - first as u64).min(at_once) as usize;
        match first {
            0 => memory::make_scratch(&mut boxes, wanted, WHAT)?,
            _ => memory::resize(&mut boxes, first + wanted, Obb::zeroed(), WHAT)?,
        }
        let (there, all_valid) = read_rows(&mut file, &mut boxes[first..], path)?;
        if there < wanted {
            let there = first + there;
            return Err(problem(
                path,
                format!(
                    "is truncated: its shape is ({rows}, 10) but only {there} of {rows} rows are complete: {WANTED}"
                ),
            ));
        }
        valid &= all_valid;
        at_once = CHUNK_ROWS as u64;
    }
    let mut rest = Vec::new();
    fill(&mut file, &mut rest, 1, path)?;
    if !rest.is_empty() {
        return Err(problem(
            path,
            format!("holds more data than its shape ({rows}, 10) allows: {WANTED}"),
        ));
    }
    if !valid {
        let mut bad = BadRows::default();
        for (row, problem) in boxes
            .iter()
            .enumerate()
            .filter_map(|(row, obb)| Some((row, obb.problem()?)))
        {
            bad.add(|| format!("row {row} {problem}"));
        }
        bad.check(path)?;
    }
    Ok(SceneFile {
        boxes,
        ..SceneFile::default()
    })
}

/// Reads as many rows as there are places, and returns how many are complete, and whether all of those are valid.
///
/// Each thread in turn reads the rows of some places, and converts them while others read.
fn read_rows(file: &mut File, places: &mut [Obb], path: &Path) -> Result<(usize, bool)> {
    let tasks = match places.len().div_ceil(CHUNK_ROWS) {
        chunks @ 0..=1 => chunks,
        chunks => chunks.min(parallel::threads()),
    };
    let next = Mutex::new((file, places.chunks_mut(CHUNK_ROWS)));
    let read = |()| {
        let mut chunk = Vec::with_capacity(CHUNK_ROWS * ROW_BYTES);
        let (mut complete, mut valid) = (0, true);
        while let Some(places) = next_rows(&next, &mut chunk, path)? {
            let rows = chunk.chunks_exact(ROW_BYTES);
            complete += rows.len();
            for (row, place) in rows.zip(places) {
                *place = parse_row(row);
                valid &= place.problem().is_none();
            }
        }
        Ok((complete, valid))
    };
    let parts: Vec<Result<_>> = parallel::map(vec![(); tasks], read);
    parts.into_iter().try_fold((0, true), |(complete, valid), part| {
        let (more, also_valid) = part?;
        Ok((complete + more, valid && also_valid))
    })
}

/// The next places, and in `chunk` the bytes of their rows, fewer where the file ends.
fn next_rows<'a>(
    next: &Mutex<(&mut File, ChunksMut<'a, Obb>)>,
    chunk: &mut Vec<u8>,
    path: &Path,
) -> Result<Option<&'a mut [Obb]>> {
    let (file, places) = &mut *next.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(places) = places.next() else {
        return Ok(None);
    };
    fill(file, chunk, places.len() * ROW_BYTES, path)?;
    Ok(Some(places))
}

/// Replaces the buffer's content with the next `bytes` bytes of the file, or fewer at its end.
fn fill(file: &mut File, buffer: &mut Vec<u8>, bytes: usize, path: &Path) -> Result<()> {
    buffer.clear();
    let read = file.take(bytes as u64).read_to_end(buffer);
    read.map(drop).map_err(|error| unreadable(path, &error))
}

fn parse_row(row: &[u8]) -> Obb {
    let words: [u32; 10] = bytemuck::pod_read_unaligned(row);
    let [cx, cy, cz, hx, hy, hz, qx, qy, qz, qw] = words.map(|word| f32::from_bits(u32::from_le(word)));
    Obb::new(
        Vec3::new(cx, cy, cz),
        Vec3::new(hx, hy, hz),
        Quat::from_xyzw(qx, qy, qz, qw),
    )
}

/// Reads the header and returns the number of rows.
fn read_header(file: &mut File, path: &Path) -> Result<u64> {
    let no_npy = || problem(path, format!("is not an NPY file: {WANTED}"));
    let mut bytes = Vec::new();
    fill(file, &mut bytes, 8, path)?;
    let length_bytes = match bytes.strip_prefix(MAGIC) {
        Some([1, _]) => 2,
        Some([2 | 3, _]) => 4,
        Some([version, _]) => {
            return Err(problem(
                path,
                format!("is NPY version {version}, which is not supported: {WANTED}"),
            ));
        }
        _ => return Err(no_npy()),
    };
    fill(file, &mut bytes, length_bytes, path)?;
    let length = bytes
        .iter()
        .rev()
        .fold(0, |length, &byte| length << 8 | usize::from(byte));
    let complete = bytes.len() == length_bytes && length <= MOST_HEADER_BYTES;
    fill(file, &mut bytes, length.min(MOST_HEADER_BYTES), path)?;
    if !complete || bytes.len() != length {
        return Err(no_npy());
    }
    let header = String::from_utf8_lossy(&bytes);
    let header = Header::parse(&header).ok_or_else(no_npy)?;
    header.rows().map_err(|words| problem(path, words))
}

/// The header's Python dictionary.
struct Header<'a> {
    /// The numbers' type as Python writes it, with quotes if it is a plain type.
    descr: &'a str,
    /// What stands for it; True or False in a valid file.
    fortran_order: &'a str,
    shape: Vec<u64>,
}

impl<'a> Header<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let descr = value(text, "descr")?;
        let quote = descr.chars().next().filter(|first| "'\"".contains(*first));
        let descr = match quote {
            Some(quote) => &descr[..descr[1..].find(quote)? + 2],
            None => "a structure",
        };
        let fortran_order = value(text, "fortran_order")?;
        let shape = value(text, "shape")?.strip_prefix('(')?;
        let sizes = shape[..shape.find(')')?]
            .split(',')
            .map(str::trim)
            .filter(|size| !size.is_empty());
        Some(Self {
            descr,
            fortran_order: fortran_order.split([',', '}']).next()?.trim(),
            shape: sizes.map(|size| size.parse().ok()).collect::<Option<_>>()?,
        })
    }

    /// The number of rows if this is a scene; otherwise what is wrong.
    fn rows(&self) -> Result<u64, String> {
        let descr = self.descr.trim_matches(['\'', '"']);
        if descr != "<f4" {
            let order = if descr.starts_with('>') { " (big-endian)" } else { "" };
            return Err(format!(
                "holds numbers of type {}{order}, not <f4 (little-endian float32): {WANTED}",
                excerpt(descr)
            ));
        }
        let &[rows, 10] = self.shape.as_slice() else {
            let sizes: Vec<String> = self.shape.iter().map(u64::to_string).collect();
            let shape = sizes.join(", ");
            return Err(format!("has shape ({}), not (N, 10): {WANTED}", excerpt(&shape)));
        };
        match self.fortran_order {
            "False" => Ok(rows),
            "True" => Err(format!("is in Fortran order, not C order: {WANTED}")),
            other => Err(format!(
                "has {} for fortran_order instead of True or False: {WANTED}",
                excerpt(other)
            )),
        }
    }
}

/// The text after a key of the dictionary.
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = text
        .split_once(&format!("'{key}'"))
        .or_else(|| text.split_once(&format!("\"{key}\"")))?;
    rest.trim_start().strip_prefix(':').map(str::trim_start)
}

/// A number type that can be written.
pub(super) trait Number: Copy {
    /// Its name in NPY, little-endian.
    const DESCR: &'static str;

    fn write(self, out: &mut dyn Write) -> io::Result<()>;
}

macro_rules! number {
    ($type:ty, $descr:literal) => {
        impl Number for $type {
            const DESCR: &'static str = $descr;

            fn write(self, out: &mut dyn Write) -> io::Result<()> {
                out.write_all(&self.to_le_bytes())
            }
        }
    };
}

number!(f32, "<f4");
number!(u32, "<u4");
number!(u64, "<u8");

/// Writes a scene, without groups.
pub(super) fn write_scene(out: &mut dyn Write, boxes: &[Obb]) -> io::Result<()> {
    write_header(out, f32::DESCR, &format!("({}, 10)", boxes.len()))?;
    boxes
        .iter()
        .flat_map(numbers_of)
        .try_for_each(|number| number.write(out))
}

/// Writes pairs, each box by its number if there are numbers, as an array of shape (P, 2).
pub(super) fn write_pairs(out: &mut dyn Write, numbers: [Option<&[u32]>; 2], pairs: &[Pair]) -> io::Result<()> {
    write_header(out, u32::DESCR, &format!("({}, 2)", pairs.len()))?;
    let number =
        |numbers: Option<&[u32]>, position: u32| numbers.map_or(position, |numbers| numbers[position as usize]);
    pairs.iter().try_for_each(|pair| {
        number(numbers[0], pair.a).write(out)?;
        number(numbers[1], pair.b).write(out)
    })
}

/// Writes an array of one dimension.
pub(super) fn write_numbers<T: Number>(out: &mut dyn Write, numbers: &[T]) -> io::Result<()> {
    write_header(out, T::DESCR, &format!("({},)", numbers.len()))?;
    numbers.iter().try_for_each(|number| number.write(out))
}

/// Writes a version 1 header, padded so that the data begins at a multiple of 64 bytes.
fn write_header(out: &mut dyn Write, descr: &str, shape: &str) -> io::Result<()> {
    const BEFORE_TEXT: usize = 10;
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let end = (BEFORE_TEXT + text.len() + 1).next_multiple_of(64);
    let length = end - BEFORE_TEXT;
    out.write_all(MAGIC)?;
    out.write_all(&[1, 0])?;
    out.write_all(&(length as u16).to_le_bytes())?;
    writeln!(out, "{text:<0$}", length - 1)
}
