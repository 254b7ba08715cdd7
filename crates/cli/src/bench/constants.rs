//! Constants of the GPU's kernels that an environment variable sets to other values, to compare
//! them on a device.

use std::env;

use super::super::failure::Failure;

/// The name of the variable, which holds assignments `KERNEL.NAME=VALUE`, separated by spaces.
const VARIABLE: &str = "OBBLIGATO_CONSTANTS";

/// Sets the constants for this run.
pub fn set() -> Result<(), Failure> {
    let Some(text) = env::var_os(VARIABLE) else {
        return Ok(());
    };
    tune(&text.to_string_lossy()).map_err(|problem| Failure::Input(format!("{VARIABLE}: {problem}")))
}

/// Fails if some were not used, because the measurement would not be the intended one.
pub fn expect_used() -> Result<(), Failure> {
    match unused().first() {
        None => Ok(()),
        Some(name) => Err(Failure::Input(format!(
            "{VARIABLE}: {name} was never used: no such constant, or its kernel has not run"
        ))),
    }
}

#[cfg(feature = "gpu")]
use obbligato::unstable::gpu::{tune, unused};

#[cfg(not(feature = "gpu"))]
fn tune(_: &str) -> Result<(), String> {
    Err("this program was built without GPU support".to_owned())
}

#[cfg(not(feature = "gpu"))]
fn unused() -> Vec<String> {
    Vec::new()
}
