//! Two boxes in motion: whether they meet during a step, when, and how.

pub(crate) mod advancement;
pub(crate) mod impact;
pub(crate) mod safe_time;
pub(crate) mod straight;
pub(crate) mod time_of_impact;
