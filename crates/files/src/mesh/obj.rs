//! Wavefront OBJ: reads `v`, `f` and the names `o` and `g`, and checks all other statements.
//!
//! The format: "Object Files (.obj)", appendix B1 of the Advanced Visualizer manual, Wavefront
//! Technologies.

use glam::DVec3;

use crate::error::{Error, Result};
use crate::mesh::input::{Input, parse, point, shown, without_mark, words};
use crate::mesh::notes::NoteKind;
use crate::mesh::polygons::{Named, Polygons};
use crate::mesh::raw_mesh::RawMesh;

/// Statements that do not affect polygons: other attributes of vertices, smoothing, appearance, and
/// parts of curves and surfaces.
const OTHERS: [&str; 32] = [
    "vt",
    "vn",
    "vp",
    "s",
    "mg",
    "usemtl",
    "mtllib",
    "usemap",
    "maplib",
    "bevel",
    "c_interp",
    "d_interp",
    "lod",
    "shadow_obj",
    "trace_obj",
    "ctech",
    "stech",
    "cstype",
    "deg",
    "bmat",
    "step",
    "curv2",
    "parm",
    "trim",
    "hole",
    "scrv",
    "sp",
    "end",
    "con",
    "res",
    "vc",
    "vcolor",
];

/// Statements with positions: none may be lost at the end of another's line.
const PLACES: [&str; 8] = ["v", "vt", "vn", "vp", "f", "fo", "l", "p"];

/// Statements with geometry beyond polygons: curves, surfaces, and the contents of other files and
/// programs.
const UNREAD: [&str; 8] = ["curv", "surf", "bsp", "bzp", "cdc", "cdp", "call", "csh"];

pub(super) fn read(mut input: Input) -> Result<RawMesh> {
    let mut mesh = RawMesh::default();
    let mut polygons = Polygons::default();
    let (mut objects, mut groups) = (Vec::new(), Vec::new());
    let mut text = Vec::new();
    while let Some(line) = next_statement(&mut input, &mut text)? {
        input.cut_padding(&mut text)?;
        let mut words = words(if line == 1 { without_mark(&text) } else { &text });
        let wrong = |words| input.problem_in(line, words);
        match words.next().unwrap_or_default() {
            b"" => {}
            b"v" => polygons.add_vertex(vertex(words).map_err(wrong)?)?,
            b"f" | b"fo" => add_face(&mut polygons, line, words, wrong)?,
            b"p" => mesh.notes.add(NoteKind::Points, words.count() as u64),
            b"l" => mesh.notes.add(NoteKind::Lines, words.count().saturating_sub(1) as u64),
            b"o" => objects.push((name(words), polygons.triangles())),
            b"g" => groups.push((name(words), polygons.triangles())),
            other => check_harmless(other).map_err(wrong)?,
        }
    }
    mesh.parts = if objects.is_empty() { groups } else { objects };
    let vertices = polygons.vertices();
    mesh.polygons = polygons.finished(|Named { vertex, place }, vertices| {
        let words = out_of_range(&vertex.saturating_add(1).to_string(), vertices);
        input.problem_in(place, words)
    })?;
    if mesh.polygons.is_empty() {
        mesh.notes.add(NoteKind::VerticesWithoutFaces, vertices);
    }
    mesh.notes.add(NoteKind::PaddingBytes, input.padding());
    Ok(mesh)
}

/// Returns the name of an object or of groups, given the words after `o` or `g`.
fn name<'w>(words: impl Iterator<Item = &'w [u8]>) -> String {
    let words: Vec<_> = words.map(String::from_utf8_lossy).collect();
    words.join(" ")
}

/// Parses a vertex, given the words after `v`.
///
/// It has three coordinates, and then nothing, a weight, a colour, or both; the colour may have an
/// opacity. Whatever follows the coordinates is ignored, so a colour may be anything. A possible
/// weight must be a number, so that no statement is lost there.
fn vertex<'w>(mut words: impl Iterator<Item = &'w [u8]> + Clone) -> Result<DVec3, String> {
    let place = point(&mut words)?;
    let count = words.clone().count();
    if !matches!(count, 0 | 1 | 3..=5) {
        return Err(format!(
            "has {} fields after v, instead of a position (3 or 4), perhaps with a colour (6 to 8)",
            count + 3
        ));
    }
    if let Some(weight) = words.clone().next().filter(|_| count != 3)
        && parse::<f64>(weight).is_none()
    {
        return Err(format!("has {} instead of a number", shown(weight)));
    }
    let is_statement = |word: &&[u8]| PLACES.iter().any(|keyword| keyword.as_bytes() == *word);
    match words.find(is_statement) {
        Some(word) => Err(format!("has {}, which begins a statement, after a vertex", shown(word))),
        None => Ok(place),
    }
}

/// Reads the next statement, without comments, and returns the line on which it begins. A line that
/// ends in a backslash continues on the next one.
fn next_statement(input: &mut Input, text: &mut Vec<u8>) -> Result<Option<u64>> {
    text.clear();
    let mut begun = None;
    loop {
        let already = text.len();
        if !input.next_line(text)? {
            return Ok(begun);
        }
        begun = begun.or(Some(input.line()));
        if let Some(comment) = text[already..].iter().position(|&byte| byte == b'#') {
            text.truncate(already + comment);
            return Ok(begun);
        }
        let goes_on = text.trim_ascii_end().strip_suffix(b"\\").map(<[u8]>::len);
        let Some(length) = goes_on else {
            return Ok(begun);
        };
        text.truncate(length);
        text.push(b' ');
    }
}

fn add_face<'w>(
    polygons: &mut Polygons,
    line: u64,
    words: impl Iterator<Item = &'w [u8]>,
    wrong: impl Fn(String) -> Error,
) -> Result<()> {
    let mut corners = 0;
    for word in words {
        let vertex = vertex_of(word, polygons.vertices()).map_err(&wrong)?;
        polygons.add_corner(Named { vertex, place: line })?;
        corners += 1;
    }
    match corners {
        3.. => polygons.end(corners),
        few => Err(wrong(format!("has a face with {few} corners, fewer than three"))),
    }
}

/// Returns the vertex, from 0, of a corner. The word is its number from 1, or from -1 backwards,
/// possibly followed by texture and normal numbers after slashes.
fn vertex_of(word: &[u8], vertices: u64) -> Result<u64, String> {
    let slash = word.iter().position(|&byte| byte == b'/').unwrap_or(word.len());
    let (number, others) = word.split_at(slash);
    let is_sound = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'/' | b'-');
    match parse::<i64>(number).filter(|_| others.iter().all(is_sound)) {
        Some(number @ 1..) => Ok(number.unsigned_abs() - 1),
        Some(number @ ..0) => {
            let vertex = vertices.checked_sub(number.unsigned_abs());
            vertex.ok_or_else(|| out_of_range(&number.to_string(), vertices))
        }
        Some(0) => Err("names vertex 0: the first one is 1".to_owned()),
        None if !number.is_empty() && number.iter().all(u8::is_ascii_digit) && others.iter().all(is_sound) => Err(
            out_of_range(&String::from_utf8_lossy(&number[..number.len().min(40)]), vertices),
        ),
        None => Err(format!("has {} instead of the number of a vertex", shown(word))),
    }
}

fn out_of_range(vertex: &str, vertices: u64) -> String {
    format!("names vertex {vertex}, but there are {vertices}")
}

/// Returns an error if a statement is unknown or has geometry that cannot be read.
fn check_harmless(keyword: &[u8]) -> Result<(), String> {
    let is_among = |keywords: &[&str]| keywords.iter().any(|known| known.as_bytes() == keyword);
    if is_among(&OTHERS) {
        Ok(())
    } else if is_among(&UNREAD) {
        let keyword = shown(keyword);
        Err(format!(
            "begins with {keyword}, but only polygons are read, of this file alone"
        ))
    } else {
        Err(format!("begins with {}, which is not an OBJ keyword", shown(keyword)))
    }
}
