//! The points nearest to points, and those within a distance of them.
//!
//! [`tree`] sorts points into a tree of blocks of eight. [`search`] answers the points of a block
//! together: a [`walk`] of the tree serves eight points, and [`nearest`] compares eight at once.
//! [`coordinate`] has the two types of coordinates, and the errors of their squares. [`classes`]
//! sums up the rules, so that whole parts of the tree that no pair may come from are skipped.
//!
//! The search works with rounded squares. What it finds for a point is therefore a list of
//! candidates, which has all that the exact answer has, and seldom more.

pub(crate) mod classes;
pub(crate) mod coordinate;
mod nearest;
pub(crate) mod search;
pub(crate) mod tree;
pub(crate) mod walk;
pub(crate) mod wrap;
