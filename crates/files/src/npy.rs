//! NPY files: reads versions 1 to 3, writes version 1.
//!
//! The format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

mod header;
mod source;
mod write;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::slice::ChunksMut;
use std::sync::{Mutex, PoisonError};

use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Quat, Vec3};

use crate::box_rows::{BoxRows, EachBatch};
use crate::error::{Error, Result};
use crate::npy::header::Header;
use crate::options::ReadOptions;
use crate::problem::{BadRows, problem, unreadable};
use crate::scene::SceneFile;
use crate::source::open_regular;
use obbligato::{
    Obb, Obb64,
    error::{BoxProblem, MotionProblem},
    motion::Motion,
};
use obbligato_support::{memory, parallel};

pub(crate) use crate::npy::source::Source;
pub(crate) use crate::npy::write::{
    begin_boxes, begin_pairs, write_more_boxes, write_more_pairs, write_numbers, write_pairs, write_scene,
};

const MAGIC: &[u8] = b"\x93NUMPY";

/// Instructions for writing a valid scene, for error messages.
const WANTED: &str = "write it with numpy.save, as float32 of shape (N, 10), or (N, 16) with motions, in C order";

/// The count of numbers in the row of a box, and in that of a box with its motion.
const ROW_NUMBERS: [usize; 2] = [10, 16];

/// Label for out-of-memory errors.
const WHAT: &str = "the boxes of an NPY file";

/// The longest accepted header, in bytes: that of a scene has about 100.
const MOST_HEADER_BYTES: usize = 1 << 20;

/// The number of rows read at once: 320 KiB.
const CHUNK_ROWS: usize = 8192;

/// The shape of a scene.
#[derive(Clone, Copy)]
struct Shape {
    rows: u64,
    /// One of [`ROW_NUMBERS`].
    columns: usize,
    /// `true` if the numbers are `float64`.
    wide: bool,
}

impl Shape {
    fn row_bytes(self) -> usize {
        self.columns * if self.wide { size_of::<f64>() } else { size_of::<f32>() }
    }
}

/// Reads a scene. If requested, motions are read too (boxes are at rest if rows have ten numbers),
/// and centers are read in `f64`.
pub(super) fn read(mut source: Source, path: &Path, options: &ReadOptions) -> Result<SceneFile> {
    let &ReadOptions { motions, f64, .. } = options;
    let shape = read_header(&mut source, path, f64)?;
    let Shape { rows, columns, .. } = shape;
    let moving = motions && columns == ROW_NUMBERS[1];
    // As many at once as the file's length allows, whatever its header claims. Anything but a
    // regular file has no length.
    let mut at_once = (source.length() / shape.row_bytes() as u64).max(CHUNK_ROWS as u64);
    let mut boxes = Vec::new();
    let mut paths = Vec::new();
    let mut centers = Vec::new();
    let mut valid = true;
    while (boxes.len() as u64) < rows {
        let first = boxes.len();
        let wanted = (rows - first as u64).min(at_once) as usize;
        make_room(&mut boxes, wanted)?;
        if moving {
            make_room(&mut paths, wanted)?;
        }
        if f64 {
            make_room(&mut centers, wanted)?;
        }
        let places = Places {
            boxes: boxes[first..].chunks_mut(CHUNK_ROWS),
            motions: paths.get_mut(first..).unwrap_or_default().chunks_mut(CHUNK_ROWS),
            centers: centers.get_mut(first..).unwrap_or_default().chunks_mut(CHUNK_ROWS),
        };
        let (there, all_valid) = read_rows(&mut source, places, shape, path)?;
        if there < wanted {
            return Err(truncated(path, shape, first + there));
        }
        valid &= all_valid;
        at_once = CHUNK_ROWS as u64;
    }
    let mut rest = Vec::new();
    fill(&mut source, &mut rest, 1, path)?;
    if !rest.is_empty() {
        return Err(problem(
            path,
            format!("holds more data than its shape ({rows}, {columns}) allows: {WANTED}"),
        ));
    }
    if !valid {
        name_bad_rows(&boxes, &centers, &paths, path)?;
    }
    if motions && !moving {
        memory::resize(&mut paths, boxes.len(), Motion::REST, WHAT)?;
    }
    Ok(SceneFile {
        boxes,
        centers: f64.then_some(centers),
        motions: motions.then_some(paths),
        ..SceneFile::default()
    })
}

/// Returns the error of a file in which only this many rows are complete.
fn truncated(path: &Path, shape: Shape, complete: usize) -> Error {
    let Shape { rows, columns, .. } = shape;
    problem(
        path,
        format!(
            "is truncated: its shape is ({rows}, {columns}) but only {complete} of {rows} rows are complete: {WANTED}"
        ),
    )
}

/// An NPY file of boxes that can be read from any row.
pub(super) struct NpyBoxes {
    path: PathBuf,
    shape: Shape,
    /// The position of the first row.
    begin: u64,
}

impl NpyBoxes {
    pub fn open(path: &Path) -> Result<Self> {
        let mut file = open_regular(path)?;
        let shape = read_header(&mut file, path, false)?;
        let failed = |error: io::Error| unreadable(path, &error);
        let begin = file.stream_position().map_err(failed)?;
        let there = file.metadata().map_err(failed)?.len().saturating_sub(begin);
        if there != shape.rows.saturating_mul(shape.row_bytes() as u64) {
            let Shape { rows, columns, .. } = shape;
            return Err(problem(
                path,
                format!("holds {there} bytes, which its shape ({rows}, {columns}) does not make: {WANTED}"),
            ));
        }
        Ok(Self {
            path: path.to_owned(),
            shape,
            begin,
        })
    }

    pub fn rows(&self) -> u64 {
        self.shape.rows
    }

    /// Calls `each` with the boxes of these rows, in batches.
    pub fn read(&self, rows: Range<u64>, each: EachBatch<'_>) -> Result<()> {
        let row_bytes = self.shape.row_bytes();
        let mut file = open_regular(&self.path)?;
        let start = self.begin + rows.start * row_bytes as u64;
        file.seek(SeekFrom::Start(start))
            .map_err(|error| unreadable(&self.path, &error))?;
        let mut batch = BoxRows::default();
        let mut bytes = Vec::new();
        for first in rows.clone().step_by(CHUNK_ROWS) {
            let count = (rows.end - first).min(CHUNK_ROWS as u64) as usize;
            fill(&mut file, &mut bytes, count * row_bytes, &self.path)?;
            batch.first = first;
            batch.boxes.clear();
            batch
                .boxes
                .extend(bytes.chunks_exact(row_bytes).map(|row| parse_box(row).0));
            if batch.boxes.len() < count {
                return Err(problem(
                    &self.path,
                    "became shorter while it was read: do not change it during the call",
                ));
            }
            each(&batch)?;
        }
        Ok(())
    }
}

/// Appends zeroed elements, to be overwritten by what is read.
fn make_room<T: Zeroable + Clone>(list: &mut Vec<T>, more: usize) -> Result<()> {
    match list.len() {
        0 => memory::make_scratch(list, more, WHAT)?,
        there => memory::resize(list, there + more, T::zeroed(), WHAT)?,
    }
    Ok(())
}

/// Returns an error that names the first bad row. There must be as many centers in `f64` and as
/// many motions as boxes, or none.
fn name_bad_rows(boxes: &[Obb], centers: &[DVec3], motions: &[Motion], path: &Path) -> Result<()> {
    let mut bad = BadRows::default();
    for (row, obb) in boxes.iter().enumerate() {
        let motion = motions.get(row).filter(|motion| !is_finite(motion));
        if let Some(problem) = problem_of(obb, centers.get(row)) {
            bad.add(|| format!("row {row} {problem}"));
        } else if motion.is_some() {
            bad.add(|| format!("row {row} {}, in its motion", MotionProblem::NotFinite));
        }
    }
    bad.check(path)
}

/// Returns the problem with a box, whose center may be in `f64`.
fn problem_of(obb: &Obb, center: Option<&DVec3>) -> Option<BoxProblem> {
    let at = |center: &DVec3| Obb64 {
        center: *center,
        ..Obb64::from(*obb)
    };
    center.map_or_else(|| obb.problem(), |center| at(center).problem())
}

fn is_finite(motion: &Motion) -> bool {
    motion.velocity.is_finite() && motion.angular_velocity.is_finite()
}

/// The destinations of rows, in chunks: boxes, and as many motions and centers in `f64`, or none.
struct Places<'a> {
    boxes: ChunksMut<'a, Obb>,
    motions: ChunksMut<'a, Motion>,
    centers: ChunksMut<'a, DVec3>,
}

/// One chunk of the destinations.
struct SomePlaces<'a> {
    boxes: &'a mut [Obb],
    motions: &'a mut [Motion],
    centers: &'a mut [DVec3],
}

impl<'a> Places<'a> {
    fn next(&mut self) -> Option<SomePlaces<'a>> {
        Some(SomePlaces {
            boxes: self.boxes.next()?,
            motions: self.motions.next().unwrap_or_default(),
            centers: self.centers.next().unwrap_or_default(),
        })
    }
}

/// Reads as many rows as there are places. Returns the number of complete rows, and `true` if all
/// of those are valid.
///
/// Each thread takes one chunk of places after another, reads their rows, and converts them. If the
/// input is not a regular file, only one thread reads at a time.
fn read_rows(source: &mut Source, places: Places, shape: Shape, path: &Path) -> Result<(usize, bool)> {
    let row_bytes = shape.row_bytes();
    let tasks = match places.boxes.len() {
        chunks @ 0..=1 => chunks,
        chunks => chunks.min(parallel::threads()),
    };
    let begin = source.position().map_err(|error| unreadable(path, &error))?;
    let rows = Rows {
        bytes: match (&mut *source, begin) {
            (Source::File(file), Some(begin)) => Bytes::Anywhere(file, begin),
            (source, _) => Bytes::InSequence(Mutex::new(source)),
        },
        row_bytes,
        path,
        next: Mutex::new((0, places)),
    };
    let read = |()| {
        let mut chunk = Vec::with_capacity(CHUNK_ROWS * row_bytes);
        let (mut complete, mut valid) = (0, true);
        while let Some(places) = rows.read_next(&mut chunk)? {
            let SomePlaces {
                boxes,
                motions,
                centers,
            } = places;
            let rows = chunk.chunks_exact(row_bytes);
            complete += rows.len();
            for (k, (row, place)) in rows.clone().zip(boxes).enumerate() {
                let center;
                (*place, center) = match shape.wide {
                    true => parse_wide_box(row),
                    false => parse_box(row),
                };
                if let Some(own) = centers.get_mut(k) {
                    *own = center;
                }
                valid &= problem_of(place, centers.get(k)).is_none();
            }
            for (row, place) in rows.zip(motions) {
                *place = parse_motion(row);
                valid &= is_finite(place);
            }
        }
        Ok((complete, valid))
    };
    let parts: Vec<Result<_>> = parallel::map(vec![(); tasks], read);
    let (mut complete, mut valid) = (0, true);
    for part in parts {
        let (more, also_valid) = part?;
        complete += more;
        valid &= also_valid;
    }
    if let (Some(begin), Source::File(file)) = (begin, source) {
        file.seek(SeekFrom::Start(begin + (complete * row_bytes) as u64))
            .map_err(|error| unreadable(path, &error))?;
    }
    Ok((complete, valid))
}

/// Rows that several threads read.
struct Rows<'a> {
    bytes: Bytes<'a>,
    row_bytes: usize,
    path: &'a Path,
    /// The number of bytes already taken, and the remaining places.
    next: Mutex<(u64, Places<'a>)>,
}

/// The bytes of rows.
enum Bytes<'a> {
    /// In a file from this position on.
    Anywhere(&'a File, u64),
    /// Only one thread reads at a time.
    InSequence(Mutex<&'a mut Source>),
}

impl<'a> Rows<'a> {
    /// Returns the next places, and puts the bytes of their rows in `chunk`, fewer at the end of
    /// the file.
    fn read_next(&self, chunk: &mut Vec<u8>) -> Result<Option<SomePlaces<'a>>> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let (taken, places) = &mut *next;
        let Some(places) = places.next() else {
            return Ok(None);
        };
        let bytes = places.boxes.len() * self.row_bytes;
        let first = *taken;
        *taken += bytes as u64;
        match &self.bytes {
            Bytes::InSequence(source) => {
                let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
                fill(&mut **source, chunk, bytes, self.path)?;
            }
            Bytes::Anywhere(file, begin) => {
                // Other threads may read meanwhile.
                drop(next);
                fill_from(file, begin + first, chunk, bytes).map_err(|error| unreadable(self.path, &error))?;
            }
        }
        Ok(Some(places))
    }
}

/// Replaces the buffer's content with `bytes` bytes at a position of the file, or fewer at its end.
fn fill_from(file: &File, place: u64, buffer: &mut Vec<u8>, bytes: usize) -> io::Result<()> {
    buffer.resize(bytes, 0);
    let mut there = 0;
    while there < bytes {
        match read_at(file, &mut buffer[there..], place + there as u64) {
            Ok(0) => break,
            Ok(more) => there += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    buffer.truncate(there);
    Ok(())
}

/// Reads at a position of a file, independently of other reads.
fn read_at(file: &File, buffer: &mut [u8], place: u64) -> io::Result<usize> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_at(file, buffer, place);
    #[cfg(windows)]
    return std::os::windows::fs::FileExt::seek_read(file, buffer, place);
    #[cfg(not(any(unix, windows)))]
    {
        let _ = (file, buffer, place);
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Replaces the buffer's content with the next `bytes` bytes of the file, or fewer at its end.
fn fill(input: &mut impl Read, buffer: &mut Vec<u8>, bytes: usize, path: &Path) -> Result<()> {
    buffer.clear();
    let read = input.take(bytes as u64).read_to_end(buffer);
    read.map(drop).map_err(|error| unreadable(path, &error))
}

/// Parses `N` numbers from their bytes.
fn parse_numbers<const N: usize>(bytes: &[u8]) -> [f32; N]
where
    [u32; N]: Pod,
{
    let words: [u32; N] = bytemuck::pod_read_unaligned(bytes);
    words.map(|word| f32::from_bits(u32::from_le(word)))
}

/// Parses the first ten numbers of a row: the box, and its center in `f64`.
fn parse_box(row: &[u8]) -> (Obb, DVec3) {
    let [cx, cy, cz, hx, hy, hz, qx, qy, qz, qw] = parse_numbers(&row[..40]);
    let center = Vec3::new(cx, cy, cz);
    let rotation = Quat::from_xyzw(qx, qy, qz, qw);
    (Obb::new(center, Vec3::new(hx, hy, hz), rotation), center.as_dvec3())
}

/// Parses the first ten numbers of a `float64` row: half extents and rotation are rounded.
fn parse_wide_box(row: &[u8]) -> (Obb, DVec3) {
    let words: [u64; 10] = bytemuck::pod_read_unaligned(&row[..80]);
    let [cx, cy, cz, others @ ..] = words.map(|word| f64::from_bits(u64::from_le(word)));
    let [hx, hy, hz, qx, qy, qz, qw] = others.map(|number| number as f32);
    let center = DVec3::new(cx, cy, cz);
    let rotation = Quat::from_xyzw(qx, qy, qz, qw);
    (Obb::new(center.as_vec3(), Vec3::new(hx, hy, hz), rotation), center)
}

/// Parses the other six numbers.
fn parse_motion(row: &[u8]) -> Motion {
    let [vx, vy, vz, wx, wy, wz] = parse_numbers(&row[40..]);
    Motion::linear(Vec3::new(vx, vy, vz)).turning(Vec3::new(wx, wy, wz))
}

/// Reads the header.
fn read_header(file: &mut impl Read, path: &Path, f64: bool) -> Result<Shape> {
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
    header.scene(f64).map_err(|words| problem(path, words))
}
