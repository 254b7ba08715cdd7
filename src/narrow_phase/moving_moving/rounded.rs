//! `shaders/narrow_phase/moving_moving/rounded.wgsl`: tests whether two bodies in motion, at least
//! one of them a capsule or a sphere, may meet during a step, and when. It computes in `f32`, by
//! tangents, what the host computes in `f64` by [`advancement`](super::advancement).
//!
//! A record states that at the fraction s of the step a body is within a rounded box: all points
//! within `r` of a box with half extents `h - r`, moved by `p s + g s²`. At a time `t` until which
//! the two have not met, any direction `n` of length 1 has a gap
//!
//! ```text
//! G = n·(d + p t + g t²) - reach_A(n) - reach_B(n),     reach(n) = Σ_i |n·a_i| (h_i - r) + r
//! ```
//!
//! and at `t + s` a gap of at least `G + n·(p + 2 g t) s + n·g s²`, where `s² <= s` because the
//! step ends at 1. So they do not meet before `t + G / C`, with `C = max(-n·g, 0) - n·(p + 2 g t)`,
//! and never if that is beyond the end. The search continues from there, `TANGENTS` times.
//!
//! The direction is that between the closest points of the cores at `t`, which is the best: the
//! distance of two bodies that move straight is a convex function of time, and this is its tangent.
//! So the times grow towards the first contact as Newton's do, and jump over the minimum distance
//! of two bodies that pass each other. A near graze takes the most steps: each halves the error of
//! the time, and so divides the gap by four. 16 of them are beyond the resolution of `f32`. The
//! core of a box that rotates is not a segment: the direction is then that of the segment, and as
//! valid as any.
//!
//! # The error
//!
//! G is reduced and C increased by the E of [`moving_sat_cpu`](super::moving_sat_cpu), with the
//! displacements of both, which is `512 u` of all distances and extents and `64 u` of all
//! displacements, u = 2^-23. The only requirement on `n` is that it is a vector, fenced, of a
//! length that is 1 to within 6 u.
//!
//! In units of u: `d` and its product with `n` take 1 + 3 + 3. The displacement takes 4 for its
//! differences, 3 for the sum and 6 for the product. The reach has a matrix of norm at most 3, of
//! which a component takes 5 and a quotient 13, times 3 for `n`, so below 70. `h - r` has 1 of `h`,
//! as has the sum that `h` comes from. That is below 80 of distances and extents, and below 20 of
//! displacements. A time is a sum of two that may be off by 1: `TIME_ERROR` is twice that.

use crate::device::kernel::{File, files};

/// The files that kernels include for this test.
pub(super) const ROUNDED: &[File] = files![
    "narrow_phase/round/segments.wgsl",
    "narrow_phase/moving_moving/way_errors.wgsl",
    "narrow_phase/moving_moving/rounded.wgsl"
];
