//! Records of several kinds in one buffer: their numbers and sizes.

use crate::frame::slots::BOXES;
use crate::geometry::kinds::KINDS;
use crate::shapes::bodies::set::Kind;
use crate::shapes::kind::Shape;

/// Returns the number of records of the buffer of boxes that these counts of each kind take.
pub(super) fn uploaded(shape: Shape, counts: [u64; KINDS]) -> u64 {
    shape.bytes_of(counts).div_ceil(BOXES.record)
}

/// Returns the number of bytes of a caller's buffer that are bound for these counts of each kind.
/// Kernels that access boxes bind whole boxes, so other kinds are padded to a whole number of them.
pub(super) fn bound(shape: Shape, only: Option<Kind>, counts: [u64; KINDS]) -> u64 {
    match (shape, only) {
        (Shape::Bodies, Some(Kind::Ball)) => shape.bytes_of(counts).max(Kind::Ball.record_bytes()),
        (Shape::Bodies, _) => uploaded(shape, counts).max(1) * BOXES.record,
        _ => shape.bytes_of(counts).max(shape.record_bytes()),
    }
}

/// Returns the kind of all bodies that these pairs refer to, given the counts of each kind, or
/// `None` if there are several kinds.
pub(super) fn only_kind(of_a: [u64; KINDS], of_b: [u64; KINDS]) -> Option<Kind> {
    Kind::only(std::array::from_fn(|kind| of_a[kind] + of_b[kind]))
}

/// Returns `true` if there are no bodies of other kinds than boxes.
pub(super) fn are_boxes([_, others @ ..]: [u64; KINDS]) -> bool {
    others.into_iter().all(|count| count == 0)
}

/// Returns the ends of the boxes and of the capsules in a list of bodies, as kernels take them.
pub(super) fn ends([boxes, capsules, ..]: [u64; KINDS]) -> [u32; 2] {
    [boxes as u32, (boxes + capsules) as u32]
}
