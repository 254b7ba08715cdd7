//! The independent reference of [`obbligato`], and comparisons with it.
//!
//! - [`reference`](mod@reference): answers the same questions by other formulas. It uses only the
//!   engine's public records and shares no code with its algorithms.
//! - [`compare`]: compares results with the reference and describes each difference.
//! - [`scenes`]: seeded scenes that tests and benchmarks share.
//! - [`adversarial`]: seeded pairs that are hard to judge.

pub mod adversarial;
pub mod compare;
pub mod reference;
pub mod scenes;
