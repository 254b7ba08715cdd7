//! The independent reference of [`obbligato`], and comparisons with it.
//!
//! - [`reference`](mod@reference): the same questions by other formulas. It sees the engine's public records only and shares no
//!   code with its algorithms.
//! - [`compare`]: compares what was found with the reference, with a description of each difference.
//! - [`scenes`]: seeded scenes that tests and benchmarks share.
//! - [`adversarial`]: seeded pairs that are hard to judge.

pub mod adversarial;
pub mod compare;
pub mod reference;
pub mod scenes;
