//! Balls and capsules against each other and against boxes, at rest and in motion, without error.
//!
//! Each question is asked twice of one piece of code, a function over any [numbers](real::Real): first of `f64`s that know how far they
//! may be off; and, if some sign is not certain, of whole numbers of as many words as it takes.

pub(crate) mod bodies;
mod capsules;
pub(crate) mod clearance;
mod real;
mod round_box;
mod spheres;
pub(crate) mod straight;
mod whole_step;
