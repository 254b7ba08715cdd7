//! Rust's errors as objects, which the JavaScript API throws as exceptions of its classes.

use std::cell::RefCell;

use obbligato::Error;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answers::Fields;

/// A result for JavaScript.
pub type Result<T, E = JsValue> = std::result::Result<T, E>;

thread_local! {
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps the message of a panic.
pub fn keep_panic(message: String) {
    PANIC.set(message);
}

/// The message of the panic that has ended this module; empty if there was none, as when memory ran
/// out.
#[wasm_bindgen(js_name = lastPanic)]
pub fn last_panic() -> String {
    PANIC.take()
}

/// The object for an error: the exception's class, the name of the error, its text, and the numbers
/// that it has.
pub fn raise(error: Error) -> JsValue {
    let (class, numbers) = describe(&error);
    let thrown = thrown(class, &variant(&error), &error.to_string());
    for &(name, number) in &numbers {
        thrown.number(name, number);
    }
    thrown.into()
}

/// The object for an argument that no question takes.
pub fn invalid(message: &str) -> JsValue {
    thrown("InvalidInputError", "InvalidArgument", message).into()
}

/// The object for a call about buffers on the GPU, which the checker does not have.
pub fn no_buffers() -> JsValue {
    raise(Error::Unavailable {
        what: "buffers on the GPU",
        hint: "create the checker with the backend \"gpu\", in a browser with WebGPU",
    })
}

/// The object for an error of another crate, whose texts say everything.
#[cfg(any(feature = "files", feature = "pictures"))]
pub fn other(kind: &str, error: &dyn std::fmt::Display) -> JsValue {
    thrown("InvalidInputError", kind, &error.to_string()).into()
}

fn thrown(class: &str, kind: &str, message: &str) -> Fields {
    let fields = Fields::new();
    fields.text("class", class);
    fields.text("kind", kind);
    fields.text("message", message);
    fields
}

/// The name of an error's variant.
fn variant(error: &Error) -> String {
    let text = format!("{error:?}");
    text.chars().take_while(|letter| letter.is_alphanumeric()).collect()
}

/// The class of an error's exception, and the numbers in the error.
fn describe(error: &Error) -> (&'static str, Vec<(&'static str, f64)>) {
    let limit =
        |needed: f64, available: f64| ("LimitExceededError", vec![("needed", needed), ("available", available)]);
    let input = |numbers| ("InvalidInputError", numbers);
    match *error {
        Error::OutOfMemory { needed, .. } | Error::OutOfDeviceMemory { needed, .. } => {
            ("OutOfMemoryError", vec![("needed", needed as f64)])
        }
        Error::LimitExceeded { needed, available, .. } => limit(needed as f64, available as f64),
        Error::TooManyBoxes { boxes, limit: most } => limit(boxes as f64, most as f64),
        Error::NoAdapter { .. }
        | Error::Device { .. }
        | Error::DeviceLost { .. }
        | Error::Timeout { .. }
        | Error::Gpu { .. } => ("DeviceError", Vec::new()),
        Error::Unavailable { .. } => ("UnavailableError", Vec::new()),
        Error::InvalidBox { index, count, .. }
        | Error::InvalidBody { index, count, .. }
        | Error::InvalidMotion { index, count, .. }
        | Error::InvalidPoint { index, count, .. } => input(vec![("index", index as f64), ("count", count as f64)]),
        Error::InvalidPair { index, .. } => input(vec![("index", index as f64)]),
        Error::InvalidRule { .. }
        | Error::InvalidMargin { .. }
        | Error::InvalidSearch { .. }
        | Error::InvalidStep { .. }
        | Error::MissingMotions { .. } => input(Vec::new()),
        _ => ("ObbligatoError", Vec::new()),
    }
}
