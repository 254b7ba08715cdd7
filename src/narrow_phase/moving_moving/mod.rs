//! Two boxes in motion: whether they meet during a step, when, and how.

pub(crate) mod advancement;
pub(crate) mod bisection;
pub(crate) mod impact;
pub(crate) mod straight;
pub(crate) mod time_of_impact;
