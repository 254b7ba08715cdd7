//! NPY files: reads versions 1 to 3, writes version 1.
//!
//! The format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use glam::{Quat, Vec3};

use crate::base::error::Result;
use crate::base::excerpt::excerpt;
use crate::base::memory;
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
    let mut boxes = Vec::new();
    reserve(&mut boxes, rows, &file)?;
    let mut bad = BadRows::default();
    let mut chunk = Vec::with_capacity(CHUNK_ROWS * ROW_BYTES);
    let mut missing = rows;
    while missing > 0 {
        let wanted = missing.min(CHUNK_ROWS as u64) as usize;
        fill(&mut file, &mut chunk, wanted * ROW_BYTES, path)?;
        memory::reserve(&mut boxes, chunk.len() / ROW_BYTES, WHAT)?;
        for row in chunk.chunks_exact(ROW_BYTES) {
            let obb = parse_row(row);
            if let Some(problem) = obb.problem() {
                bad.add(|| format!("row {} {problem}", boxes.len()));
            }
            boxes.push(obb);
        }
        missing -= (chunk.len() / ROW_BYTES) as u64;
        if chunk.len() < wanted * ROW_BYTES {
            let there = rows - missing;
            return Err(problem(
                path,
                format!(
                    "is truncated: its shape is ({rows}, 10) but only {there} of {rows} rows are complete: {WANTED}"
                ),
            ));
        }
    }
    fill(&mut file, &mut chunk, 1, path)?;
    if !chunk.is_empty() {
        return Err(problem(
            path,
            format!("holds more data than its shape ({rows}, 10) allows: {WANTED}"),
        ));
    }
    bad.check(path)?;
    Ok(SceneFile {
        boxes,
        ..SceneFile::default()
    })
}

/// Reserves room for as many rows as the file's length allows, whatever its header claims.
fn reserve(boxes: &mut Vec<Obb>, rows: u64, file: &File) -> Result<()> {
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    let rows = rows.min(length / ROW_BYTES as u64);
    memory::reserve(boxes, rows as usize, WHAT)
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
