//! Balls, and what a ball sweeps over.

pub(crate) mod capsule;
pub(crate) mod sphere;
