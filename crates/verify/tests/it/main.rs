//! The reference against formulas of its own and other crates, comparisons with it, and the scenes.

mod compare;
mod meshes;
#[path = "../../../../tests/it/support/random.rs"]
#[allow(dead_code, reason = "these tests use a part of it")]
mod random;
mod reference;
mod scenes;
