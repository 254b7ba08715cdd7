//! `shaders/narrow_phase/moving_moving/rounded.wgsl`: whether two bodies in motion, of which one is a capsule or a ball, may meet during
//! a step, and when. What the host finds out in `f64` by [`advancement`](super::advancement), by tangents, and in `f32`.
//!
//! A record says that at the part s of the step a body is within a rounded box, all that is within `r` of a box with half extents
//! `h - r`, that is moved by `p s + g s²`. At a time `t` until which the two have not met, any direction `n` of length 1 has a gap
//!
//! ```text
//! G = n·(d + p t + g t²) - reach_A(n) - reach_B(n),     reach(n) = Σ_i |n·a_i| (h_i - r) + r
//! ```
//!
//! and at `t + s` one of `G + n·(p + 2 g t) s + n·g s²` at least, where `s² <= s` as the step ends at 1. So they do not meet before
//! `t + G / C`, with `C = max(-n·g, 0) - n·(p + 2 g t)`, and never if that is beyond the end. `TANGENTS` times it goes on from there. The
//! direction is that between the cores where these are closest at `t`, which is the best: the distance of two bodies that move straight is a
//! convex function of time, and this is its tangent, so the times grow towards the first contact as Newton's do, and jump over the least
//! distance of two that pass each other. Where a graze is close that takes the most steps: each divides what it is off by two, and so the
//! gap by four. 16 of them are beyond what `f32` tells apart. Of a box that turned, the core is not a segment: the direction is then
//! that of the segment, and as good as any.
//!
//! # The error
//!
//! G is made smaller and C larger by the E of [`moving_sat_cpu`](super::moving_sat_cpu), with the ways of both, which is `512 u` of all
//! distances and extents and `64 u` of all ways, u = 2^-23. Nothing has to be said of `n` but that it is a vector, fenced, of a length that is
//! 1 but for 6 u. In units of u: `d` and its product with `n` take 1 + 3 + 3, the way 4 for its differences, 3 for the sum and 6 for the
//! product; the reach has a matrix of norm 3 at most, of which a component takes 5 and a quotient 13, times 3 for `n`, so below 70; `h - r`
//! has 1 of `h`, as has the sum of which it comes. That is below 80 of distances and extents, and below 20 of ways. A time is a sum of
//! two that may be off by 1: `TIME_ERROR` is twice that.

use crate::device::kernel::{File, files};

/// What the kernels that ask about them include.
pub(super) const ROUNDED: &[File] = files![
    "narrow_phase/round/segments.wgsl",
    "narrow_phase/moving_moving/way_errors.wgsl",
    "narrow_phase/moving_moving/rounded.wgsl"
];
