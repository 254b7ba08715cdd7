//! Boxes in the form of numpy arrays, and the records that the engine reads.

use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread;

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::{Backend, Checker, Config, Error, Obb, Obb64, Result, report::Engine};
use pyo3::prelude::*;

use crate::arrays::Numbers;

/// The numbers of a box in a row: center, half extents, quaternion x y z w.
pub const COLUMNS: usize = 10;
/// The words of 4 bytes in a record.
const WORDS: usize = size_of::<Obb>() / size_of::<u32>();
/// The number of rows that a thread takes at a time.
const GRAIN: usize = 1 << 14;

/// An array of boxes, kept alive.
pub enum Boxes {
    /// Records, as the words that they consist of.
    Records(Numbers<u32>),
    /// Rows of `f32`.
    Floats(Numbers<f32>),
    /// Rows of `f64`.
    Doubles(Numbers<f64>),
}

impl Boxes {
    /// The boxes of an array that `_shapes.py` returns.
    pub fn of(array: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(floats) = Numbers::of(array) {
            return Ok(Self::Floats(floats));
        }
        if let Ok(doubles) = Numbers::of(array) {
            return Ok(Self::Doubles(doubles));
        }
        let arrays = array.py().import("obbligato._arrays")?;
        Ok(Self::Records(Numbers::of(&arrays.call_method1("words", (array,))?)?))
    }

    /// Returns `true` if centers are `f64`.
    pub fn are_doubles(&self) -> bool {
        matches!(self, Self::Doubles(_))
    }

    /// The number of boxes.
    pub fn len(&self) -> usize {
        match self {
            Self::Records(words) => words.len() / WORDS,
            Self::Floats(rows) => rows.len() / COLUMNS,
            Self::Doubles(rows) => rows.len() / COLUMNS,
        }
    }

    /// The records: those of the caller if they are aligned as the engine requires, else copies in
    /// `room`. Centers in `f64` are rounded.
    pub fn records<'a>(&'a self, room: &'a mut Vec<Obb>) -> Result<&'a [Obb]> {
        self.records_from(DVec3::ZERO, room)
    }

    /// The records, but centers in `f64` are relative to `origin` before they are rounded.
    pub fn records_from<'a>(&'a self, origin: DVec3, room: &'a mut Vec<Obb>) -> Result<&'a [Obb]> {
        match self {
            Self::Records(words) => match bytemuck::try_cast_slice(words) {
                Ok(records) => Ok(records),
                Err(_) => fill(room, words.as_chunks().0, obb_of_words),
            },
            Self::Floats(rows) => fill(room, rows.as_chunks().0, obb),
            Self::Doubles(rows) => fill(room, rows.as_chunks().0, |row| {
                let Obb64 {
                    center,
                    half_extents,
                    rotation,
                    ..
                } = obb64(row);
                Obb::new((center - origin).as_vec3(), half_extents, rotation)
            }),
        }
    }

    /// The records with centers in `f64`. Centers in `f32` are converted exactly.
    pub fn records64<'a>(&'a self, room: &'a mut Vec<Obb64>) -> Result<&'a [Obb64]> {
        match self {
            Self::Records(words) => fill(room, words.as_chunks().0, |words| obb_of_words(words).into()),
            Self::Floats(rows) => fill(room, rows.as_chunks().0, |row| obb(row).into()),
            Self::Doubles(rows) => fill(room, rows.as_chunks().0, obb64),
        }
    }
}

fn obb(&[cx, cy, cz, hx, hy, hz, qx, qy, qz, qw]: &[f32; COLUMNS]) -> Obb {
    let rotation = Quat::from_xyzw(qx, qy, qz, qw);
    Obb::new(Vec3::new(cx, cy, cz), Vec3::new(hx, hy, hz), rotation)
}

fn obb64(row: &[f64; COLUMNS]) -> Obb64 {
    let rounded = obb(&row.map(|number| number as f32));
    let center = DVec3::new(row[0], row[1], row[2]);
    Obb64::new(center, rounded.half_extents, rounded.rotation)
}

fn obb_of_words(words: &[u32; WORDS]) -> Obb {
    bytemuck::pod_read_unaligned(bytemuck::bytes_of(words))
}

/// The numbers of boxes as rows.
pub fn rows(boxes: &[Obb]) -> Vec<[f32; COLUMNS]> {
    let row = |boxed: &Obb| {
        let ([cx, cy, cz], [hx, hy, hz]) = (boxed.center.to_array(), boxed.half_extents.to_array());
        let [qx, qy, qz, qw] = boxed.rotation.to_array();
        [cx, cy, cz, hx, hy, hz, qx, qy, qz, qw]
    };
    boxes.iter().map(row).collect()
}

/// The numbers of boxes with centers in `f64` as rows.
pub fn rows64(boxes: &[Obb64]) -> Vec<[f64; COLUMNS]> {
    let row = |boxed: &Obb64| {
        let [cx, cy, cz] = boxed.center.to_array();
        let [hx, hy, hz] = boxed.half_extents.to_array().map(f64::from);
        let [qx, qy, qz, qw] = boxed.rotation.to_array().map(f64::from);
        [cx, cy, cz, hx, hy, hz, qx, qy, qz, qw]
    };
    boxes.iter().map(row).collect()
}

/// Makes a record of each row, on all cores.
pub fn fill<'a, R: Sync, T: Copy + Send>(
    list: &'a mut Vec<T>,
    rows: &[R],
    record: impl Fn(&R) -> T + Sync,
) -> Result<&'a [T]> {
    let Some(first) = rows.first() else { return Ok(&[]) };
    list.truncate(rows.len());
    list.try_reserve_exact(rows.len() - list.len())
        .map_err(|_| Error::OutOfMemory {
            what: "the boxes",
            needed: size_of_val(rows) as u64,
        })?;
    list.resize(rows.len(), record(first));
    let parts = Mutex::new(rows.chunks(GRAIN).zip(list.chunks_mut(GRAIN)));
    let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        while let Some((rows, list)) = next() {
            rows.iter().zip(list).for_each(|(row, place)| *place = record(row));
        }
    };
    let others = rows.len().div_ceil(GRAIN).min(threads()) - 1;
    thread::scope(|scope| {
        for _ in 0..others {
            // If no thread can be started, the running ones do its part.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    Ok(list)
}

/// The number of threads that the engine uses here.
fn threads() -> usize {
    static THREADS: LazyLock<usize> = LazyLock::new(|| {
        let on_cpu = Config {
            backend: Backend::Cpu,
            ..Config::default()
        };
        match Checker::new(on_cpu).map(|checker| checker.engine().clone()) {
            Ok(Engine::Cpu { threads }) => threads.max(1),
            _ => 1,
        }
    });
    match rayon::current_thread_index() {
        // Called on a pool of its own: `threads=`.
        Some(_) => rayon::current_num_threads(),
        None => *THREADS,
    }
}
