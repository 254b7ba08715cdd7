//! STL, text and binary.
//!
//! The format: StereoLithography Interface Specification, 3D Systems, 1989. Normals are not read
//! because they follow from a triangle's corners.

mod binary;
mod text;

use crate::error::Result;
use crate::mesh::input::{Input, without_mark, words};
use crate::mesh::raw_mesh::RawMesh;
use crate::mesh::stl::binary::{HEADER_BYTES, announced_bytes};

/// The number of bytes in which to look for the first line that is not a comment.
const HEAD_BYTES: usize = 1 << 14;

pub(super) fn read(mut input: Input) -> Result<RawMesh> {
    match is_text(&mut input)? {
        true => text::read(input),
        false => binary::read(input),
    }
}

/// Returns `true` if a file is text. A text begins with `solid`, but so may a binary file. A binary
/// file is recognized by its length, which follows from its number of triangles; if it is cut
/// short, by bytes in its header that no text has.
fn is_text(input: &mut Input) -> Result<bool> {
    let length = input.length();
    let head = input.peek(HEAD_BYTES)?;
    let header = &head[..head.len().min(HEADER_BYTES)];
    if length.is_some() && length == announced_bytes(header) {
        return Ok(false);
    }
    // A short text may end in NULs; no binary file is this short.
    let is_padded = header.len() < HEADER_BYTES;
    let content = header.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    if header[..if is_padded { content } else { header.len() }].contains(&0) {
        return Ok(false);
    }
    let mut lines = without_mark(head).split(|byte| matches!(byte, b'\n' | b'\r'));
    let first = lines.find_map(|line| words(line).next().filter(|word| !text::is_comment(word)));
    Ok(first.is_some_and(|word| word.eq_ignore_ascii_case(b"solid")))
}
