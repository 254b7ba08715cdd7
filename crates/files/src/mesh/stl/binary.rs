//! Binary STL.

use bytemuck::pod_read_unaligned;
use glam::Vec3;

use crate::error::Result;
use crate::mesh::input::Input;
use crate::mesh::notes::NoteKind;
use crate::mesh::raw_mesh::{RawMesh, TRIANGLES};

/// The size of the header: arbitrary text, and the number of triangles.
pub(super) const HEADER_BYTES: usize = 84;

/// The size of a triangle: normal, corners, and the number of bytes of attributes. Most programs
/// use that number for a colour, and no bytes follow.
const TRIANGLE_BYTES: usize = 50;

/// Returns the length of a file without attributes, if its header is complete.
pub(super) fn announced_bytes(header: &[u8]) -> Option<u64> {
    let count = count(header)?;
    Some(HEADER_BYTES as u64 + u64::from(count) * TRIANGLE_BYTES as u64)
}

fn count(header: &[u8]) -> Option<u32> {
    let bytes = header.get(HEADER_BYTES - 4..HEADER_BYTES)?;
    Some(u32::from_le(pod_read_unaligned(bytes)))
}

/// Returns the number of bytes of attributes that a triangle announces.
fn attribute_bytes(triangle: &[u8]) -> u64 {
    u64::from(u16::from_le(pod_read_unaligned(&triangle[TRIANGLE_BYTES - 2..])))
}

pub(super) fn read(mut input: Input) -> Result<RawMesh> {
    let Some(count) = input.take(HEADER_BYTES)?.and_then(count) else {
        return Err(input.problem("is not a complete STL file: export it again"));
    };
    let has_attributes = has_attributes(&input, count)?;
    let mut mesh = RawMesh::default();
    for number in 0..count {
        let begin = input.position();
        let Some(bytes) = input.take(TRIANGLE_BYTES)? else {
            return Err(input.problem(format!(
                "is cut short: it has {number} of the {count} triangles that it announces (at byte 80): export it again"
            )));
        };
        let words: [[u32; 3]; 3] = pod_read_unaligned(&bytes[12..48]);
        let attributes = attribute_bytes(bytes);
        let corners = words.map(|corner| Vec3::from(corner.map(|word| f32::from_bits(u32::from_le(word)))));
        if !corners.iter().all(|corner| corner.is_finite()) {
            return Err(input.problem(format!(
                "triangle {number} (at byte {begin}) has a coordinate that is NaN or infinite: export it again"
            )));
        }
        mesh.triangles.push_single(corners, TRIANGLES)?;
        if has_attributes {
            input.skip(attributes)?;
            mesh.notes.add(NoteKind::AttributeBytes, attributes);
        }
    }
    let rest = input.skip_rest()?;
    if count == 0 && rest >= TRIANGLE_BYTES as u64 {
        return Err(input.problem(format!(
            "announces 0 triangles (at byte 80), but {rest} bytes follow: export it again"
        )));
    }
    mesh.notes.add(NoteKind::TrailingBytes, rest);
    Ok(mesh)
}

/// Returns `true` if attributes follow the triangles: if the length of the file fits with them and
/// not without them.
fn has_attributes(input: &Input, count: u32) -> Result<bool> {
    let plain = HEADER_BYTES as u64 + u64::from(count) * TRIANGLE_BYTES as u64;
    if input.length().is_none_or(|length| length <= plain) {
        return Ok(false);
    }
    let mut ahead = input.again()?;
    ahead.skip(HEADER_BYTES as u64)?;
    for _ in 0..count {
        let Some(triangle) = ahead.take(TRIANGLE_BYTES)? else {
            return Ok(false);
        };
        let attributes = attribute_bytes(triangle);
        if !ahead.skip(attributes)? {
            return Ok(false);
        }
    }
    Ok(ahead.peek(1)?.is_empty())
}
