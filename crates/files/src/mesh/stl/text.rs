//! Text STL.
//!
//! It is read word by word because programs break lines in different places: only names and
//! comments end with a line. `end loop` is read as `endloop`, and so on. Colours are skipped.

use glam::DVec3;

use crate::error::Result;
use crate::mesh::input::{Input, coordinate, parse, shown, without_mark, words};
use crate::mesh::notes::NoteKind;
use crate::mesh::raw_mesh::{RawMesh, TRIANGLES};

pub(super) fn read(mut input: Input) -> Result<RawMesh> {
    let mut text = Text::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        if !input.next_line(&mut line)? {
            break;
        }
        input.cut_padding(&mut line)?;
        let mut rest = words(if input.line() == 1 { without_mark(&line) } else { &line });
        while let Some(word) = rest.next().filter(|word| !is_comment(word)) {
            let is_complete = text.follow(word, &mut rest);
            if is_complete.map_err(|words| input.problem_in(input.line(), words))? {
                text.mesh.triangles.push(text.corners, TRIANGLES)?;
            }
        }
    }
    match text.place {
        Place::Outside => {}
        Place::Solid => text.mesh.notes.add(NoteKind::OpenSolids, 1),
        place => {
            return Err(input.problem(format!(
                "is cut short: after line {} it lacks {}: export it again",
                input.line(),
                place.wanted()
            )));
        }
    }
    text.mesh.notes.add(NoteKind::PaddingBytes, input.padding());
    Ok(text.mesh)
}

/// Returns `true` if the rest of a line is a comment.
pub(super) fn is_comment(word: &[u8]) -> bool {
    [&b"#"[..], b"//", b";"].iter().any(|mark| word.starts_with(mark))
}

/// The largest number of words of a name to look through.
const MOST_WORDS: usize = 32;

fn is(word: &[u8], keyword: &str) -> bool {
    word.eq_ignore_ascii_case(keyword.as_bytes())
}

/// The part of a text that has been read.
#[derive(Default)]
struct Text {
    place: Place,
    corners: [DVec3; 3],
    mesh: RawMesh,
}

/// The position of the next word in the grammar.
#[derive(Clone, Copy, Default, PartialEq)]
enum Place {
    #[default]
    Outside,
    Solid,
    Facet,
    /// After this number of corners.
    Loop(usize),
    /// After this number of coordinates of all corners.
    Vertex(usize),
    AfterLoop,
}

impl Place {
    /// Returns the words that may come next.
    fn wanted(self) -> &'static str {
        match self {
            Self::Outside => "solid",
            Self::Solid => "facet or endsolid",
            Self::Facet => "outer loop",
            Self::Loop(0..=2) => "vertex",
            Self::Loop(_) => "endloop",
            Self::Vertex(_) => "a number",
            Self::AfterLoop => "endfacet",
        }
    }
}

/// A word that is not a name, a number or a comment.
#[derive(Clone, Copy, PartialEq)]
enum Keyword {
    Solid,
    EndSolid,
    Facet,
    EndFacet,
    Outer,
    Loop,
    EndLoop,
    Vertex,
    Color,
}

/// The words of a line that are still to be read.
trait Rest<'w>: Iterator<Item = &'w [u8]> + Clone {
    /// Skips words while `wanted` accepts a word and those after it.
    fn pass(&mut self, wanted: impl Fn(&[u8], &mut Self) -> bool) {
        let mut ahead = self.clone();
        while let Some(word) = ahead.next()
            && wanted(word, &mut ahead.clone())
        {
            *self = ahead.clone();
        }
    }
}

impl<'w, I: Iterator<Item = &'w [u8]> + Clone> Rest<'w> for I {}

impl Keyword {
    const ALL: [(&str, Self); 13] = [
        ("vertex", Self::Vertex),
        ("facet", Self::Facet),
        ("outer", Self::Outer),
        ("outerloop", Self::Outer),
        ("loop", Self::Loop),
        ("endloop", Self::EndLoop),
        ("endfacet", Self::EndFacet),
        ("solid", Self::Solid),
        ("endsolid", Self::EndSolid),
        ("color", Self::Color),
        ("colour", Self::Color),
        ("rgb", Self::Color),
        ("rgba", Self::Color),
    ];
    const ENDS: [(&str, Self); 3] = [
        ("loop", Self::EndLoop),
        ("facet", Self::EndFacet),
        ("solid", Self::EndSolid),
    ];

    /// Returns the keyword that a word is, or that it makes with the next one.
    fn of<'w>(word: &[u8], rest: &mut impl Rest<'w>) -> Option<Self> {
        match is(word, "end") {
            true => rest.next().and_then(|what| Self::among(&Self::ENDS, what)),
            false => Self::among(&Self::ALL, word),
        }
    }

    fn among(keywords: &[(&str, Self)], word: &[u8]) -> Option<Self> {
        let found = keywords.iter().find(|(name, _)| is(word, name));
        found.map(|&(_, keyword)| keyword)
    }
}

impl Text {
    /// Reads a word and its arguments on the line. Returns `true` if that completes a triangle.
    fn follow<'w>(&mut self, word: &[u8], rest: &mut impl Rest<'w>) -> Result<bool, String> {
        let keyword = Keyword::of(word, rest);
        self.place = match (self.place, keyword) {
            (place @ (Place::Solid | Place::Facet | Place::Loop(_) | Place::AfterLoop), Some(Keyword::Color)) => {
                rest.pass(|word, _| parse::<f64>(word).is_some());
                place
            }
            (place @ (Place::Outside | Place::Solid), Some(Keyword::Solid)) => {
                self.mesh
                    .notes
                    .add(NoteKind::OpenSolids, u64::from(place == Place::Solid));
                rest.pass(|word, after| !is_content(word, after));
                Place::Solid
            }
            (Place::Solid, Some(Keyword::EndSolid)) => {
                rest.pass(|word, after| !is_another_solid(word, after));
                Place::Outside
            }
            (Place::Solid, Some(Keyword::Facet)) => Place::Facet,
            // The normal, which is ignored.
            (Place::Facet, None) => Place::Facet,
            (Place::Facet, Some(Keyword::Outer)) | (Place::Loop(0), Some(Keyword::Loop)) => Place::Loop(0),
            (Place::Loop(corner @ 0..=2), Some(Keyword::Vertex)) => Place::Vertex(3 * corner),
            (Place::Vertex(number), _) => {
                self.corners[number / 3][number % 3] = coordinate(word)?;
                match (number + 1) % 3 {
                    0 => Place::Loop((number + 1) / 3),
                    _ => Place::Vertex(number + 1),
                }
            }
            (Place::Loop(3), Some(Keyword::EndLoop)) => Place::AfterLoop,
            (Place::AfterLoop, Some(Keyword::EndFacet)) => Place::Solid,
            (place, _) => return Err(format!("has {} instead of {}", shown(word), place.wanted())),
        };
        Ok(keyword == Some(Keyword::EndLoop))
    }
}

/// Returns `true` if a word is not part of a solid's name, because one line may hold a whole solid.
fn is_content<'w>(word: &[u8], after: &mut impl Rest<'w>) -> bool {
    match Keyword::of(word, after) {
        Some(Keyword::EndSolid) => true,
        Some(Keyword::Facet) => after.next().is_some_and(|next| is(next, "normal") || is(next, "outer")),
        _ => false,
    }
}

/// Returns `true` if a word after `endsolid` begins another solid, because content follows it.
fn is_another_solid<'w>(word: &[u8], after: &mut impl Rest<'w>) -> bool {
    let mut name = (0..MOST_WORDS).map_while(|_| Some((after.next()?, after.clone())));
    is(word, "solid") && name.any(|(word, mut after)| is_content(word, &mut after))
}
