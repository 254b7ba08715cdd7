//! Records of several kinds in one buffer: how many of each, and what they take.

use crate::frame::slots::BOXES;
use crate::shapes::bodies::set::{KINDS, Kind};
use crate::shapes::kind::Shape;

/// Records of the buffer of boxes that so many of each kind take.
pub(super) fn uploaded(shape: Shape, counts: [u64; KINDS]) -> u64 {
    shape.bytes_of(counts).div_ceil(BOXES.record)
}

/// Bytes of a caller's buffer that are bound for so many records of each kind. Kernels that see boxes bind whole ones: other kinds fill
/// their last one up.
pub(super) fn bound(shape: Shape, only: Option<Kind>, counts: [u64; KINDS]) -> u64 {
    match (shape, only) {
        (Shape::Bodies, Some(Kind::Ball)) => shape.bytes_of(counts).max(shape.bytes_of([0, 0, 1])),
        (Shape::Bodies, _) => uploaded(shape, counts).max(1) * BOXES.record,
        _ => shape.bytes_of(counts).max(shape.record_bytes()),
    }
}

/// The kind of all bodies that pairs of these name, so many of each kind, unless they are of several.
pub(super) fn only_kind(of_a: [u64; KINDS], of_b: [u64; KINDS]) -> Option<Kind> {
    Kind::only(std::array::from_fn(|kind| of_a[kind] + of_b[kind]))
}
