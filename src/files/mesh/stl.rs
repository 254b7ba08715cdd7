//! STL, text and binary.
//!
//! The format: StereoLithography Interface Specification, 3D Systems, 1989. Normals are not read: a triangle's corners say all that they do.

use bytemuck::pod_read_unaligned;
use glam::Vec3;

use crate::base::error::Result;
use crate::base::memory;
use crate::files::mesh::MeshFile;
use crate::files::mesh::input::{Input, point, shown, without_mark, words};
use crate::shapes::triangle::record::Triangle;

/// What memory is for.
const WHAT: &str = "the triangles of an STL file";

/// What a binary file begins with: a text of any kind, and the number of triangles.
const HEADER_BYTES: usize = 84;

/// Normal, corners, and two bytes of attributes.
const TRIANGLE_BYTES: usize = 50;

pub(super) fn read(mut input: Input) -> Result<MeshFile> {
    let triangles = match is_text(&mut input)? {
        true => read_text(&mut input)?,
        false => read_binary(&mut input)?,
    };
    Ok(MeshFile {
        triangles,
        ..MeshFile::default()
    })
}

/// Whether a file is text. A text begins with `solid`, and a binary file may; but its length follows from its number of triangles, and if it is cut
/// short, there are bytes in its header that no text has.
fn is_text(input: &mut Input) -> Result<bool> {
    let length = input.length();
    let header = input.peek(HEADER_BYTES)?;
    let header = &header[..header.len().min(HEADER_BYTES)];
    if let Some(count) = header.get(HEADER_BYTES - 4..HEADER_BYTES) {
        let bytes = HEADER_BYTES as u64 + u64::from(u32_of(count)) * TRIANGLE_BYTES as u64;
        if length == Some(bytes) {
            return Ok(false);
        }
    }
    let first = words(without_mark(header)).next().unwrap_or_default();
    Ok(first.eq_ignore_ascii_case(b"solid") && !header.contains(&0))
}

fn u32_of(bytes: &[u8]) -> u32 {
    u32::from_le(pod_read_unaligned(bytes))
}

fn read_binary(input: &mut Input) -> Result<Vec<Triangle>> {
    let Some(header) = input.take(HEADER_BYTES)? else {
        return Err(input.problem("is no complete STL file: export it again"));
    };
    let count = u32_of(&header[HEADER_BYTES - 4..]);
    let mut triangles = Vec::new();
    for number in 0..count {
        let Some(bytes) = input.take(TRIANGLE_BYTES)? else {
            return Err(input.problem(format!(
                "is cut short: it has {number} of the {count} triangles that it announces (at byte 80): export it again"
            )));
        };
        let words: [[u32; 3]; 3] = pod_read_unaligned(&bytes[12..48]);
        let corners = words.map(|corner| Vec3::from(corner.map(|word| f32::from_bits(u32::from_le(word)))));
        if !corners.iter().all(|corner| corner.is_finite()) {
            let byte = input.position() - TRIANGLE_BYTES as u64;
            return Err(input.problem(format!(
                "triangle {number} (at byte {byte}) has a coordinate that is NaN or infinite: export it again"
            )));
        }
        memory::push(&mut triangles, Triangle { corners }, WHAT)?;
    }
    match input.peek(1)?.is_empty() {
        true => Ok(triangles),
        false => Err(input.problem(format!(
            "has more than the {count} triangles that it announces (at byte 80): export it again"
        ))),
    }
}

/// A text, as far as it has been read.
struct Text {
    place: Place,
    corners: [Vec3; 3],
}

/// Where in a text the next line is.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Outside,
    Solid,
    Facet,
    /// After so many corners.
    Loop(usize),
    AfterLoop,
}

impl Place {
    /// What must come next.
    fn wanted(self) -> &'static str {
        match self {
            Self::Outside => "solid",
            Self::Solid => "facet or endsolid",
            Self::Facet => "outer loop",
            Self::Loop(0..=2) => "vertex",
            Self::Loop(_) => "endloop",
            Self::AfterLoop => "endfacet",
        }
    }
}

impl Text {
    /// Takes the words of a line; true if it completes a triangle.
    fn follow<'w>(&mut self, mut words: impl Iterator<Item = &'w [u8]>) -> Result<bool, String> {
        let Some(first) = words.next() else {
            return Ok(false);
        };
        let (place, is_complete) = match (self.place, &first.to_ascii_lowercase()[..]) {
            (Place::Outside, b"solid") => (Place::Solid, false),
            (Place::Solid, b"facet") => (Place::Facet, false),
            (Place::Solid, b"endsolid") => (Place::Outside, false),
            (Place::Facet, b"outer") => (Place::Loop(0), false),
            (Place::Loop(corner @ 0..=2), b"vertex") => {
                self.corners[corner] = point(&mut words)?;
                if let Some(word) = words.next() {
                    return Err(format!("has {} after three coordinates", shown(word)));
                }
                (Place::Loop(corner + 1), false)
            }
            (Place::Loop(3), b"endloop") => (Place::AfterLoop, true),
            (Place::AfterLoop, b"endfacet") => (Place::Solid, false),
            _ => {
                return Err(format!(
                    "begins with {} instead of {}",
                    shown(first),
                    self.place.wanted()
                ));
            }
        };
        self.place = place;
        Ok(is_complete)
    }
}

fn read_text(input: &mut Input) -> Result<Vec<Triangle>> {
    let mut triangles = Vec::new();
    let mut text = Text {
        place: Place::Outside,
        corners: [Vec3::ZERO; 3],
    };
    let mut line = Vec::new();
    while input.next_line(&mut line)? {
        let begin = if input.line() == 1 { without_mark(&line) } else { &line };
        let is_complete = text.follow(words(begin));
        if is_complete.map_err(|words| input.problem_in(input.line(), words))? {
            let corners = text.corners;
            memory::push(&mut triangles, Triangle { corners }, WHAT)?;
        }
        line.clear();
    }
    match text.place {
        Place::Outside => Ok(triangles),
        place => Err(input.problem(format!(
            "is cut short: after line {} it lacks {}: export it again",
            input.line(),
            place.wanted()
        ))),
    }
}
