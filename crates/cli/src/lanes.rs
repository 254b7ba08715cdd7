//! The number of vector lanes of the CPU backend, which an environment variable limits, to compare
//! widths.

use std::{collections::BTreeSet, env};

use obbligato::unstable::lanes::set_most;
use obbligato_support::excerpt::excerpt;

use super::failure::Failure;

/// The name of the variable: the maximum number of lanes of `f32`.
pub const VARIABLE: &str = "OBBLIGATO_LANES";

/// The numbers of lanes that some machine has.
const WIDTHS: [usize; 3] = [4, 8, 16];

/// Limits the lanes of this run, if the variable is set.
pub fn limit() -> Result<(), Failure> {
    if let Some(most) = most()? {
        set_most(most);
    }
    Ok(())
}

/// Returns the limit, if there is one.
fn most() -> Result<Option<usize>, Failure> {
    let Some(text) = env::var_os(VARIABLE) else {
        return Ok(None);
    };
    let text = text.to_string_lossy();
    let most = text.trim().parse().ok().filter(|most| WIDTHS.contains(most));
    most.map(Some).ok_or_else(|| {
        Failure::Input(format!(
            "{VARIABLE} is {:?}: set it to 4, 8 or 16 lanes, or unset it",
            excerpt(&text)
        ))
    })
}

/// Returns every number of lanes that this machine has, within the limit.
pub fn widths() -> Result<Vec<usize>, Failure> {
    let limit = most()?.unwrap_or(usize::MAX);
    // Each request gives the widest lanes that exist and are no wider.
    let widths: BTreeSet<usize> = WIDTHS.iter().map(|&most| set_most(most.min(limit))).collect();
    set_most(limit);
    Ok(widths.into_iter().collect())
}
