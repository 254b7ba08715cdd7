//! Constants that a benchmark overrides, to find the best values for a device.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A constant of a kernel, or of the pipeline, and its value.
#[derive(Debug)]
struct Tuned {
    /// The kernel's entry point, or [`PIPELINE`].
    of: String,
    name: String,
    value: String,
    used: AtomicBool,
}

/// The owner of constants that do not belong to a kernel.
pub(crate) const PIPELINE: &str = "pipeline";

static TUNED: OnceLock<Vec<Tuned>> = OnceLock::new();

/// Sets constants for all devices opened and kernels compiled from now on: `KERNEL.NAME=VALUE`,
/// with spaces between them, as in
/// `grid_pairs.KEPT=8 grid_pairs.WORKGROUP=128 pipeline.looping_workgroups=4096
/// pipeline.appends_by_subgroups=0`.
///
/// A kernel is named by its entry point, and has the constants that its shader declares as `const`.
/// This can be called once per process.
///
/// # Errors
/// If the text has another form, or this was called before.
#[cfg(feature = "unstable")]
pub fn tune(text: &str) -> Result<(), String> {
    let tuned = text.split_whitespace().map(parse).collect::<Result<_, _>>()?;
    TUNED.set(tuned).map_err(|_| "constants are set already".to_owned())
}

#[cfg(any(test, feature = "unstable"))]
fn parse(text: &str) -> Result<Tuned, String> {
    let parts = text
        .split_once('=')
        .and_then(|(name, value)| Some((name.split_once('.')?, value)));
    let value_of = |value: &str| value.chars().all(|c| c.is_ascii_alphanumeric() || "+-._".contains(c));
    match parts {
        Some(((of, name), value)) if !value.is_empty() && value_of(value) => Ok(Tuned {
            of: of.to_owned(),
            name: name.to_owned(),
            value: value.to_owned(),
            used: AtomicBool::new(false),
        }),
        _ => Err(format!("{text:?} is not KERNEL.NAME=VALUE")),
    }
}

/// Returns the constants that have not been used so far: their names are wrong, or their kernels
/// have not run.
#[cfg(feature = "unstable")]
pub fn unused() -> Vec<String> {
    let all = TUNED.get().into_iter().flatten();
    all.filter(|tuned| !tuned.used.load(Relaxed))
        .map(|tuned| format!("{}.{}", tuned.of, tuned.name))
        .collect()
}

/// Returns the number that a constant of the pipeline is set to, or the size of a kernel's
/// workgroups.
pub(crate) fn number(of: &str, name: &str) -> Option<u32> {
    let mut all = TUNED.get()?.iter();
    let tuned = all.find(|tuned| tuned.of == of && tuned.name == name)?;
    tuned.used.store(true, Relaxed);
    tuned.value.trim_end_matches('u').parse().ok()
}

/// Returns a kernel's shader with the values of its constants applied.
pub(crate) fn apply<'a>(of: &str, shader: Cow<'a, str>) -> Cow<'a, str> {
    let own = TUNED.get().into_iter().flatten().filter(|tuned| tuned.of == of);
    own.fold(shader, |shader, tuned| {
        match with_constant(&shader, &tuned.name, &tuned.value) {
            Some(changed) => {
                tuned.used.store(true, Relaxed);
                Cow::Owned(changed)
            }
            None => shader,
        }
    })
}

/// Returns the shader with another value of a constant, if it declares that constant.
fn with_constant(shader: &str, name: &str, value: &str) -> Option<String> {
    let line = shader
        .lines()
        .find(|line| line.starts_with(&format!("const {name}: ")))?;
    let (declared, _) = line.split_once('=')?;
    Some(shader.replacen(line, &format!("{declared}= {value};"), 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_replaced_where_they_are_declared() {
        let shader = "// KEPT\nconst KEPT: u32 = 12u;\nconst KEPT_TOO: u32 = KEPT;\n";
        let changed = with_constant(shader, "KEPT", "8u");
        assert_eq!(
            changed.as_deref(),
            Some("// KEPT\nconst KEPT: u32 = 8u;\nconst KEPT_TOO: u32 = KEPT;\n")
        );
        assert_eq!(with_constant(shader, "KEP", "8u"), None);
        assert_eq!(with_constant(shader, "TOO", "8u"), None);
    }

    #[test]
    fn malformed_constants_are_refused() {
        let tuned = parse("grid_pairs.KEPT=8u").expect("a constant");
        assert_eq!(
            (tuned.of.as_str(), tuned.name.as_str(), tuned.value.as_str()),
            ("grid_pairs", "KEPT", "8u")
        );
        for text in ["KEPT=8", "grid_pairs.KEPT", "grid_pairs.KEPT=", "grid_pairs.KEPT=8;}"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
