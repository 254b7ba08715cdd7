//! Rust's errors as exceptions.

use obbligato::Error;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The exception for an error. Its classes are defined in Python (`obbligato/_errors.py`), because
/// each has two bases.
pub fn raise(error: Error) -> PyErr {
    Python::attach(|py| exception(py, &error).unwrap_or_else(|other| other))
}

fn exception(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let fields = PyDict::new(py);
    let class = describe(error, &fields)?;
    named(py, class, &variant(error), &error.to_string(), &fields)
}

/// An exception of one of the package's classes.
fn named(py: Python<'_>, class: &str, kind: &str, message: &str, fields: &Bound<'_, PyDict>) -> PyResult<PyErr> {
    fields.set_item("kind", kind)?;
    let class = py.import("obbligato._errors")?.getattr(class)?;
    Ok(PyErr::from_value(class.call((message,), Some(fields))?))
}

/// An exception without an underlying Rust error.
pub fn own(py: Python<'_>, kind: &str, message: &str) -> PyErr {
    own_class(py, "Error", kind, message)
}

/// An exception of one of the package's classes without an underlying Rust error.
pub fn own_class(py: Python<'_>, class: &str, kind: &str, message: &str) -> PyErr {
    named(py, class, kind, message, &PyDict::new(py)).unwrap_or_else(|other| other)
}

/// An exception about an argument, and the row in it if there is one, without an underlying Rust
/// error.
pub fn own_argument(py: Python<'_>, (argument, index): (&str, Option<usize>), kind: &str, message: &str) -> PyErr {
    let fields = PyDict::new(py);
    let made = fields
        .set_item("argument", argument)
        .and_then(|()| fields.set_item("index", index))
        .and_then(|()| named(py, "InvalidInput", kind, &format!("{argument}: {message}"), &fields));
    made.unwrap_or_else(|other| other)
}

/// Names in an exception the argument that it is about: `lists` has the arguments with shapes and
/// their lengths, as positions continue from one list to the next (`in_lists` in `_errors.py`).
pub fn about<'a, const N: usize>(lists: [(&'a str, usize); N]) -> impl FnOnce(PyErr) -> PyErr + 'a {
    move |error| {
        Python::attach(|py| {
            let named = py
                .import("obbligato._errors")
                .and_then(|errors| errors.call_method1("in_lists", (error.value(py), lists.to_vec())));
            named.map_or_else(|other| other, PyErr::from_value)
        })
    }
}

/// A value as errors show it.
pub fn shown(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let errors = value.py().import("obbligato._errors")?;
    errors.call_method1("shown", (value,))?.extract()
}

/// The name of an error's variant.
fn variant(error: &Error) -> String {
    let text = format!("{error:?}");
    let end = text.find(|letter: char| !letter.is_alphanumeric());
    text[..end.unwrap_or(text.len())].to_owned()
}

/// The class of an error, and the fields it carries.
fn describe(error: &Error, fields: &Bound<'_, PyDict>) -> PyResult<&'static str> {
    Ok(match error {
        Error::OutOfMemory { needed, .. } | Error::OutOfDeviceMemory { needed, .. } => {
            fields.set_item("needed", needed)?;
            "OutOfMemory"
        }
        Error::LimitExceeded { needed, available, .. } => {
            fields.set_item("needed", needed)?;
            fields.set_item("available", available)?;
            "LimitExceeded"
        }
        Error::TooManyBoxes { boxes, limit } => {
            fields.set_item("needed", boxes)?;
            fields.set_item("available", limit)?;
            "LimitExceeded"
        }
        Error::NoAdapter { .. }
        | Error::Device { .. }
        | Error::DeviceLost { .. }
        | Error::Timeout { .. }
        | Error::Gpu { .. } => "DeviceError",
        Error::Unavailable { .. } | Error::ForeignScene { .. } => "Unavailable",
        Error::InvalidBox { index, count, .. }
        | Error::InvalidBody { index, count, .. }
        | Error::InvalidMotion { index, count, .. }
        | Error::InvalidTriangle { index, count, .. }
        | Error::InvalidUpright { index, count, .. } => {
            fields.set_item("index", index)?;
            fields.set_item("count", count)?;
            "InvalidInput"
        }
        Error::InvalidPair { index, .. }
        | Error::InvalidPoint { index, .. }
        | Error::InvalidRay { index, .. }
        | Error::OutOfPeriod { index, .. }
        | Error::NotInPlane { index, .. } => indexed(fields, *index)?,
        Error::InvalidRule { rule, .. } => {
            fields.set_item("rule", rule)?;
            "InvalidInput"
        }
        Error::DuplicateId { id, first, second } => {
            fields.set_item("id", id)?;
            fields.set_item("index", second)?;
            fields.set_item("first", first)?;
            "InvalidInput"
        }
        Error::InvalidRegion { .. }
        | Error::InvalidPeriod { .. }
        | Error::OpenMesh { .. }
        | Error::UnlikeFaces { .. }
        | Error::InvalidSolid { .. }
        | Error::NoPoints { .. }
        | Error::MissingBoxes { .. }
        | Error::InvalidMargin { .. }
        | Error::InvalidSearch { .. }
        | Error::InvalidStep { .. }
        | Error::MissingMotions { .. }
        | Error::MissingIds { .. } => "InvalidInput",
        _ => "Error",
    })
}

/// Sets the position of an invalid entry, and returns the class of its error.
fn indexed(fields: &Bound<'_, PyDict>, index: usize) -> PyResult<&'static str> {
    fields.set_item("index", index)?;
    Ok("InvalidInput")
}
