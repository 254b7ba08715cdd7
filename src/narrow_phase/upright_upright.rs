//! Two upright cuboids, in `f64`: for callers with a broad phase of their own.

mod distance;
mod plan_edges;
mod plan_sat;
