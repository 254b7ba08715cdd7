//! The figures of a family of hard pairs.

use crate::adversarial::audit::{FamilyAudit, Stage};

/// The figures of a family: the truth, the pairs that stages leave open, and the wrong answers.
pub const OF_FAMILIES: [&str; 6] = ["separated", "touching", "overlapping", "f32 open", "f64 open", "wrong"];

/// Returns the counts of [`OF_FAMILIES`].
pub fn counts(family: &FamilyAudit) -> [u64; 6] {
    let [separated, touching, overlapping] = family.truth;
    let [f32_open, f64_open] = [Stage::F32, Stage::F64].map(|stage| family.score(stage).open);
    [separated, touching, overlapping, f32_open, f64_open, family.wrong()]
}
