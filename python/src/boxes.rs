//! Boxes as numpy has them, and the records that the engine reads.

use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread;

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArray, PyUntypedArrayMethods};
use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::{Backend, Checker, Config, Engine, Error, Obb, Obb64, Result};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::arrays::{array_of, contiguous};

/// The numbers of a box in a row: center, half extents, quaternion x y z w.
const COLUMNS: usize = 10;
/// The words of 4 bytes in a record.
const WORDS: usize = size_of::<Obb>() / size_of::<u32>();
/// Rows that a thread takes at a time.
const GRAIN: usize = 1 << 14;

/// An array of boxes, held.
pub enum Boxes<'py> {
    /// Records, as the words that they consist of.
    Records(PyReadonlyArray1<'py, u32>),
    /// Rows of `f32`.
    Floats(PyReadonlyArray2<'py, f32>),
    /// Rows of `f64`.
    Doubles(PyReadonlyArray2<'py, f64>),
}

/// The same without the interpreter.
#[derive(Clone, Copy)]
pub enum Numbers<'a> {
    /// Records, which the engine reads where they are.
    Records(&'a [Obb]),
    /// Records that are not aligned as the engine needs them.
    Words(&'a [[u32; WORDS]]),
    /// Rows of `f32`.
    Floats(&'a [[f32; COLUMNS]]),
    /// Rows of `f64`.
    Doubles(&'a [[f64; COLUMNS]]),
}

/// Memory for the records of rows, kept from call to call: to get it anew takes as long as to write the records.
#[derive(Default)]
pub struct Room {
    boxes: Vec<Obb>,
    boxes64: Vec<Obb64>,
}

impl<'py> Boxes<'py> {
    /// The boxes in `object`, which errors call `what`. Plain lists are of `f32`, as arrays are by default.
    pub fn new(what: &str, object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let array = if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
            let rows = object
                .py()
                .import("numpy")?
                .call_method1("asarray", (object, "float32"))?;
            rows.cast_into::<PyUntypedArray>()?
        } else {
            array_of(what, object)?
        };
        if let Some(words) = words(what, &array)? {
            return Ok(Self::Records(words));
        }
        let is_of_rows = array.ndim() == 2 && array.shape()[1] == COLUMNS;
        // numpy knows no columns of an empty list.
        if !is_of_rows && array.shape() != [0] {
            return Err(PyValueError::new_err(format!(
                "{what} has the shape {}: give (N, {COLUMNS}), a row a box (cx cy cz hx hy hz qx qy qz qw), or records of the \
                 dtype obbligato.BOX",
                array.getattr("shape")?
            )));
        }
        let rows = contiguous(&array.call_method1("reshape", ((array.len() / COLUMNS, COLUMNS),))?)?;
        if let Ok(floats) = rows.extract() {
            return Ok(Self::Floats(floats));
        }
        rows.extract().map(Self::Doubles).map_err(|_| {
            PyTypeError::new_err(format!(
                "{what} has the dtype {}: give float32, float64, or records of the dtype obbligato.BOX",
                array.dtype()
            ))
        })
    }

    /// The numbers, to be read while other threads go on.
    pub fn numbers(&self) -> PyResult<Numbers<'_>> {
        Ok(match self {
            Self::Records(words) => {
                let words = words.as_slice()?;
                bytemuck::try_cast_slice(words).map_or(Numbers::Words(words.as_chunks().0), Numbers::Records)
            }
            Self::Floats(rows) => Numbers::Floats(rows.as_slice()?.as_chunks().0),
            Self::Doubles(rows) => Numbers::Doubles(rows.as_slice()?.as_chunks().0),
        })
    }

    /// The same for calls that know no centers in `f64`.
    pub fn numbers32(&self, what: &str) -> PyResult<Numbers<'_>> {
        match self {
            Self::Doubles(_) => Err(PyTypeError::new_err(format!(
                "{what} has the dtype float64, which `check` alone takes: give {what}.astype(numpy.float32), and if they are \
                 far from the origin, relative to a place nearby"
            ))),
            _ => self.numbers(),
        }
    }
}

/// The words of an array of records; `None` if it is not of records.
fn words<'py>(what: &str, array: &Bound<'py, PyUntypedArray>) -> PyResult<Option<PyReadonlyArray1<'py, u32>>> {
    let record = array.py().import("obbligato._records")?.getattr("BOX")?;
    if !array.dtype().eq(record)? {
        return Ok(None);
    }
    if array.ndim() != 1 {
        return Err(PyValueError::new_err(format!(
            "{what} has {} dimensions: give records in one",
            array.ndim()
        )));
    }
    let words = contiguous(&contiguous(array)?.call_method1("view", ("uint32",))?)?;
    Ok(Some(words.cast::<PyArray1<u32>>()?.try_readonly()?))
}

impl<'a> Numbers<'a> {
    /// Whether centers are `f64`.
    pub fn are_doubles(self) -> bool {
        matches!(self, Self::Doubles(_))
    }

    /// How many boxes there are.
    pub fn len(self) -> usize {
        match self {
            Self::Records(records) => records.len(),
            Self::Words(words) => words.len(),
            Self::Floats(rows) => rows.len(),
            Self::Doubles(rows) => rows.len(),
        }
    }

    /// The records: those of the caller, or made in `room`. Centers in `f64` are rounded.
    pub fn records(self, room: &'a mut Room) -> Result<&'a [Obb]> {
        let room = &mut room.boxes;
        match self {
            Self::Records(records) => Ok(records),
            Self::Words(words) => fill(room, words, obb_of_words),
            Self::Floats(rows) => fill(room, rows, obb),
            Self::Doubles(rows) => fill(room, rows, |row| obb(&row.map(|number| number as f32))),
        }
    }

    /// The records with centers in `f64`, which takes those in `f32` as they are.
    pub fn records64(self, room: &'a mut Room) -> Result<&'a [Obb64]> {
        let room = &mut room.boxes64;
        match self {
            Self::Records(records) => fill(room, records, |record| Obb64::from(*record)),
            Self::Words(words) => fill(room, words, |words| obb_of_words(words).into()),
            Self::Floats(rows) => fill(room, rows, |row| obb(row).into()),
            Self::Doubles(rows) => fill(room, rows, obb64),
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

/// Makes a record of each row, on all cores.
fn fill<'a, R: Sync, T: Copy + Send>(
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
    let others = rows.len().div_ceil(GRAIN).min(*THREADS) - 1;
    thread::scope(|scope| {
        for _ in 0..others {
            // Where no thread starts, those that run do its part.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    Ok(list)
}

/// How many threads the engine uses.
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
