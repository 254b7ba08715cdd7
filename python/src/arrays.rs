//! Arrays of numbers, in and out.

use numpy::{
    Element, IntoPyArray, PyArray1, PyArray2, PyArrayDescrMethods, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyUntypedArray, PyUntypedArrayMethods,
};
use obbligato::Pair;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// What errors about pairs say is wanted.
const PAIRS: &str = "(P, 2), a row a pair of whole numbers";

/// An object as an array, which errors call `what`. What is on a GPU stays there.
pub fn array_of<'py>(what: &str, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyUntypedArray>> {
    if let Ok(array) = object.cast::<PyUntypedArray>() {
        return Ok(array.clone());
    }
    if object.hasattr("__cuda_array_interface__")? {
        return Err(PyTypeError::new_err(format!(
            "{what} is an array on a GPU, which is not taken: copy it to the host first, as by .cpu().numpy() or .get()"
        )));
    }
    let array = object.py().import("numpy")?.call_method1("asarray", (object,))?;
    let array = array.cast_into::<PyUntypedArray>()?;
    if array.dtype().kind() == b'O' {
        return Err(PyTypeError::new_err(format!(
            "{what} is a {}: give a numpy array of numbers",
            object.get_type().name()?
        )));
    }
    Ok(array)
}

/// An array in C order and aligned: itself, or else a copy.
pub fn contiguous<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let numpy = array.py().import("numpy")?;
    numpy.call_method1("require", (array, array.py().None(), ["C", "A"]))
}

/// Whole numbers of 32 bits, copied if they are of another type.
pub fn whole<'py>(what: &str, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let array = array_of(what, object)?;
    match array.dtype().kind() {
        _ if array.is_empty() => {}
        b'u' | b'i' => {
            let ends = [array.call_method0("min")?, array.call_method0("max")?];
            let is_wrong = |end: &&Bound<'_, PyAny>| end.extract::<i128>().is_ok_and(|end| u32::try_from(end).is_err());
            if let Some(end) = ends.iter().find(is_wrong) {
                return Err(PyValueError::new_err(format!(
                    "{what} has the number {end}: give numbers from 0 to {}",
                    u32::MAX
                )));
            }
        }
        _ => {
            return Err(PyTypeError::new_err(format!(
                "{what} has the dtype {}: give whole numbers, as of the dtype uint32",
                array.dtype()
            )));
        }
    }
    contiguous(&array.call_method1("astype", ("uint32", "K", "unsafe", true, false))?)
}

/// A list of whole numbers of 32 bits.
pub fn numbers<'py>(what: &str, object: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray1<'py, u32>> {
    in_one_dimension(what, &whole(what, object)?)
}

/// Rows of two whole numbers of 32 bits.
pub fn rows_of_two<'py>(what: &str, object: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray2<'py, u32>> {
    let array = whole(what, object)?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let array = match shape[..] {
        [0] => array.call_method1("reshape", ((0, 2),))?,
        [_, 2] => array,
        _ => {
            return Err(PyValueError::new_err(format!(
                "{what} has the shape {}: give {PAIRS}",
                array.getattr("shape")?
            )));
        }
    };
    Ok(array.cast::<PyArray2<u32>>()?.try_readonly()?)
}

/// A list of numbers of the type `T`, which numpy calls `dtype`; those of other types are converted where that loses nothing but
/// digits.
pub fn list<'py, T: Element>(
    what: &str,
    object: &Bound<'py, PyAny>,
    dtype: &str,
) -> PyResult<PyReadonlyArray1<'py, T>> {
    in_one_dimension(what, &converted(what, object, dtype)?)
}

/// An array as one of a dtype.
pub fn converted<'py>(what: &str, object: &Bound<'py, PyAny>, dtype: &str) -> PyResult<Bound<'py, PyAny>> {
    let array = array_of(what, object)?;
    let numpy = object.py().import("numpy")?;
    let is_kin: bool = numpy
        .call_method1("can_cast", (array.dtype(), dtype, "same_kind"))?
        .extract()?;
    if !is_kin && !array.is_empty() {
        return Err(PyTypeError::new_err(format!(
            "{what} has the dtype {}: give {dtype}",
            array.dtype()
        )));
    }
    contiguous(&array.call_method1("astype", (dtype, "K", "unsafe", true, false))?)
}

fn in_one_dimension<'py, T: Element>(what: &str, array: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray1<'py, T>> {
    let array = array.cast::<PyArray1<T>>().map_err(|_| {
        let shape = array.getattr("shape").map_or(String::new(), |shape| shape.to_string());
        PyValueError::new_err(format!("{what} has the shape {shape}: give one number for each box"))
    })?;
    Ok(array.try_readonly()?)
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
