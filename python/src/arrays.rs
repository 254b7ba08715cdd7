//! Arrays of numbers, in and out. `obbligato/_arrays.py` defines which arrays are accepted and how
//! they are converted.

use std::ops::Deref;

use numpy::{Element, IntoPyArray, PyArray2, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use obbligato::Pair;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The expected form of pairs in errors.
const PAIRS: &str = "(P, 2), one row per pair of whole numbers";

/// The numbers of an array, in order, for threads without the interpreter. The array stays alive as
/// long as they do.
pub struct Numbers<T> {
    _array: Py<PyArrayDyn<T>>,
    first: *const T,
    count: usize,
}

// SAFETY: it is a shared slice of numbers. Callers must not write to arrays that are being read, as
// with everything in numpy that works without the interpreter's lock. A reference is released under
// the lock, whichever thread drops it.
unsafe impl<T: Send + Sync> Send for Numbers<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Numbers<T> {}

impl<T: Element> Numbers<T> {
    /// The numbers of an aligned array in C order, as `_arrays.py` returns them.
    pub fn of(array: &Bound<'_, PyAny>) -> PyResult<Self> {
        let array = array.cast::<PyArrayDyn<T>>()?;
        let first = array.data().cast_const();
        if !array.is_c_contiguous() || !first.is_aligned() {
            return Err(PyValueError::new_err(
                "the array is not in C order and aligned: copy it",
            ));
        }
        Ok(Self {
            first,
            count: array.len(),
            _array: array.clone().unbind(),
        })
    }
}

impl<T> Deref for Numbers<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self.count {
            0 => &[],
            // SAFETY: the array holds this many numbers from there on, and is not resized while
            // there is another reference to it.
            count => unsafe { std::slice::from_raw_parts(self.first, count) },
        }
    }
}

/// Calls one of the functions of `_arrays.py` for an object that errors call `what`.
pub fn read<'py>(function: &str, what: &str, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    object
        .py()
        .import("obbligato._arrays")?
        .call_method1(function, (what, object))
}

/// Numbers as float32, or as float64 if they are (`floats` in `_arrays.py`).
pub fn read_doubles<'py>(what: &str, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let arrays = object.py().import("obbligato._arrays")?;
    arrays.call_method1("floats", (what, object, true))
}

/// A list of 32-bit integers, one for each box.
pub fn whole(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Numbers<u32>> {
    in_one_dimension(what, &read("whole", what, object)?)
}

/// A list of booleans, one for each box.
pub fn flags(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Numbers<bool>> {
    in_one_dimension(what, &read("flags", what, object)?)
}

/// A list of `f32`, one for each box.
pub fn floats(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Numbers<f32>> {
    in_one_dimension(what, &read("floats", what, object)?)
}

/// Rows of two 32-bit integers.
pub fn rows_of_two(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Numbers<u32>> {
    let array = read("whole", what, object)?;
    match shape(&array)?[..] {
        [0] | [_, 2] => Numbers::of(&array),
        _ => Err(PyValueError::new_err(format!(
            "{what} has the shape {}: give {PAIRS}",
            array.getattr("shape")?
        ))),
    }
}

/// Rows of bounds, the min and the max corner: an array, a table, or `Bounds`.
pub fn bounds_of(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Numbers<f32>> {
    let tables = object.py().import("obbligato._tables")?;
    let bounds = object.py().import("obbligato._shapes")?.getattr("Bounds")?;
    let rows = match object.is_instance(&bounds)? {
        true => &object.getattr("rows")?,
        false => object,
    };
    let array = tables.call_method1("numbers", (what, rows, tables.getattr("BOUNDS")?))?;
    match shape(&array)?[..] {
        [_, 6] | [0] => Numbers::of(&array),
        _ => Err(PyValueError::new_err(format!(
            "{what} has the shape {}: give (N, 6), one row per pair of corners (min x y z, max x y z)",
            array.getattr("shape")?
        ))),
    }
}

/// Rows of points.
pub fn points_of(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Numbers<f32>> {
    let array = read("floats", what, object)?;
    match shape(&array)?[..] {
        [_, 3] | [0] => Numbers::of(&array),
        _ => Err(PyValueError::new_err(format!(
            "{what} has the shape {}: give (N, 3), one row per point",
            array.getattr("shape")?
        ))),
    }
}

/// The lengths of an array along its axes.
pub fn shape(array: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    array.getattr("shape")?.extract()
}

fn in_one_dimension<T: Element>(what: &str, array: &Bound<'_, PyAny>) -> PyResult<Numbers<T>> {
    match shape(array)?[..] {
        [_] => Numbers::of(array),
        _ => Err(PyValueError::new_err(format!(
            "{what} has the shape {}: give one entry for each box",
            array.getattr("shape")?
        ))),
    }
}

/// Pairs of two lists, or of one.
pub fn pairs_of(rows: &[u32]) -> &[Pair] {
    bytemuck::cast_slice(rows.as_chunks::<2>().0)
}

/// Rows as an array that takes over their memory.
pub fn table<'py, T: Element, const N: usize>(py: Python<'py>, rows: Vec<[T; N]>) -> PyResult<Bound<'py, PyArray2<T>>> {
    let count = rows.len();
    rows.into_flattened().into_pyarray(py).reshape([count, N])
}

/// Pairs as an array that takes over their memory.
pub fn pairs_array(py: Python<'_>, pairs: Vec<Pair>) -> PyResult<Bound<'_, PyArray2<u32>>> {
    table(py, bytemuck::cast_vec::<Pair, [u32; 2]>(pairs))
}
