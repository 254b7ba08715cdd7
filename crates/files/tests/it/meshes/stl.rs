//! STL.

use std::fmt::Write;
use std::fs;

use obbligato::shape::Triangle;
use obbligato_files::{NoteKind, read_mesh};

use super::{ABOVE_THE_MIDDLE, Mesh, counts, expect_refusal, read, small, triangle, triangles};
use crate::file;

pub(super) fn encode_text(mesh: &Mesh) -> String {
    let mut text = String::from("solid a mesh\n");
    for triangle in mesh.triangles() {
        text += " facet normal nan 0 -1e400\n  outer loop\n";
        for corner in triangle.corners {
            writeln!(text, "   vertex {:e} {} {}", corner.x, corner.y, corner.z).expect("text grows");
        }
        text += "  endloop\n endfacet\n";
    }
    text + "endsolid a mesh\n"
}

pub(super) fn encode(mesh: &Mesh, title: &[u8]) -> Vec<u8> {
    let mut bytes = title.to_vec();
    bytes.resize(80, b' ');
    bytes.extend((mesh.faces.len() as u32).to_le_bytes());
    for triangle in mesh.triangles() {
        bytes.extend([0xff; 12]);
        for corner in triangle.corners {
            bytes.extend(corner.to_array().map(f32::to_le_bytes).as_flattened());
        }
        bytes.extend([1, 2]);
    }
    bytes
}

#[test]
fn texts_of_all_kinds() {
    let text = "\u{feff}  SOLID\r
facet normal
outer loop
vertex 0 0 0
vertex\t1 +0 0.0
  Vertex 0 1. 0
endloop
endfacet

endsolid
solid second one
facet normal 0 0 1
OUTER LOOP
vertex 0 0 0
vertex 0 0 0
vertex 0 0 0
ENDLOOP
EndFacet
endsolid";
    let expected = [
        triangle([[0, 0, 0], [1, 0, 0], [0, 1, 0]]),
        triangle([[0, 0, 0], [0, 0, 0], [0, 0, 0]]),
    ];
    assert_eq!(triangles("a.stl", text), expected);
    assert_eq!(triangles("none.stl", "solid\nendsolid"), []);
    let corner = format!("vertex {ABOVE_THE_MIDDLE} 16777217 1e-45\n");
    let text = format!("solid\nfacet\nouter loop\n{corner}{corner}{corner}endloop\nendfacet\nendsolid");
    let corner = triangles("a.stl", text)[0].corners[2];
    assert_eq!(corner.to_array(), [1.000_000_1, 16_777_216.0, f32::from_bits(1)]);
}

#[test]
fn texts_as_programs_write_them() {
    let sound = encode_text(&small());
    let whole = small().triangles();
    let one_line = sound.replace('\n', " ");
    let variants = [
        ("end solid", sound.replace("endsolid", "end solid")),
        ("end loop", sound.replace("endloop", "END Loop")),
        ("end facet", sound.replace("endfacet", "end facet")),
        ("no name", sound.replace(" a mesh", "")),
        (
            "a name like a keyword",
            sound.replace("a mesh", "facet color vertex 12 outer loop"),
        ),
        ("a name with an end", sound.replace("a mesh", "solid end of it all")),
        ("one line", one_line.clone()),
        ("one line without a name", one_line.replace(" a mesh", " ")),
        (
            "a word a line",
            sound
                .replace(" a mesh", "")
                .split_whitespace()
                .collect::<Vec<_>>()
                .join("\n"),
        ),
        ("outerloop", sound.replace("outer loop", "outerloop")),
        ("outer", sound.replace("outer loop", "outer")),
        ("no normals", sound.replace("normal nan 0 -1e400", "")),
        (
            "comments",
            sound
                .replace('\n', " # facet\n// vertex\n; loop\n")
                .replace("mesh #", "mesh\n#"),
        ),
        (
            "a comment first",
            format!("# {}\n#\n{sound}", "written by hand ".repeat(20)),
        ),
        (
            "a colour of the solid",
            sound.replacen("solid a mesh\n", "solid a mesh\ncolor 0.1 0.2 0.3\n", 1),
        ),
        (
            "colours of facets",
            sound
                .replace("  outer", "  COLOR 1 0 0 outer")
                .replace("endloop", "endloop\nrgb 1 1 1"),
        ),
    ];
    for (what, text) in variants {
        let mesh = read("a.stl", &text).expect(what);
        assert_eq!(mesh.triangles, whole, "{what}: {text}");
        assert_eq!(counts(&mesh), [], "{what}");
    }
    expect_several_solids(&sound, &whole);
}

/// Asserts that several solids are read, and that solids without an end are noted.
fn expect_several_solids(sound: &str, whole: &[Triangle]) {
    // Several solids, on one line and on lines of their own.
    let doubled = [whole, whole].concat();
    for text in [sound.repeat(2), sound.replace('\n', " ").repeat(2)] {
        let mesh = read("a.stl", &text).expect("two solids");
        assert_eq!((&mesh.triangles, counts(&mesh)), (&doubled, Vec::new()), "{text}");
    }
    // A solid without an end may be truncated.
    let open = sound.replace("endsolid a mesh", "");
    for (text, triangles, solids) in [
        ("solid", &[][..], 1),
        (&open, whole, 1),
        (&format!("{open}{sound}"), &doubled, 1),
        (&open.repeat(2), &doubled, 2),
    ] {
        let mesh = read("a.stl", text).expect("a solid without an end");
        assert_eq!(mesh.triangles, triangles, "{text}");
        assert_eq!(counts(&mesh), [(NoteKind::OpenSolids, solids)], "{text}");
    }
}

#[test]
fn attributes_of_binary_files_are_ignored() {
    let mesh = small();
    let sound = encode(&mesh, b"attributes");
    let (header, rows) = sound.split_at(84);
    let with = |lengths: [u16; 3], more: &[u8]| {
        let mut bytes = header.to_vec();
        for (row, length) in rows.chunks(50).zip(lengths) {
            bytes.extend(&row[..48]);
            bytes.extend(length.to_le_bytes());
            bytes.extend(vec![0xee; usize::from(length)]);
        }
        bytes.extend(more);
        bytes
    };
    for lengths in [[4, 0, 7], [65535, 65535, 1], [0, 0, 5]] {
        let read = read("a.stl", with(lengths, &[])).expect("it is sound");
        assert_eq!(read.triangles, mesh.triangles(), "{lengths:?}");
        let bytes = lengths.iter().map(|&length| u64::from(length)).sum();
        assert_eq!(counts(&read), [(NoteKind::AttributeBytes, bytes)]);
    }
    // Colours do not indicate a length, and the bytes after the last triangle are not an attribute.
    let read = read("a.stl", [&sound[..], &[0xee; 10]].concat()).expect("it is sound");
    assert_eq!(read.triangles, mesh.triangles());
    assert_eq!(counts(&read), [(NoteKind::TrailingBytes, 10)]);
}

#[test]
fn binary_files_are_recognised_by_their_length() {
    let mesh = small();
    for title in [
        &b""[..],
        b"solid",
        b"solid \0",
        b"\xff\xfe",
        b"facet normal 0 0 1\nouter loop",
    ] {
        assert_eq!(triangles("a.stl", encode(&mesh, title)), mesh.triangles(), "{title:?}");
    }
}

#[test]
fn the_length_decides_where_no_byte_does() {
    // A number of triangles none of whose bytes is zero. The first triangle is invalid, so no other
    // is read.
    let count = 0x0101_0101u32;
    let mut header = b"solid".to_vec();
    header.resize(80, b' ');
    header.extend(count.to_le_bytes());
    header.extend([0xff; 50]);
    let (_folder, path) = file("large.stl", header);
    let large = fs::OpenOptions::new().write(true).open(&path).expect("it is there");
    large.set_len(84 + 50 * u64::from(count)).expect("zeros take no room");
    let error = read_mesh(&path).expect_err("its first triangle is bad").to_string();
    assert!(error.contains("triangle 0 (at byte 84)"), "{error}");
}

#[test]
fn bad_texts_are_named() {
    let facet = "solid\nfacet normal 0 0 1\nouter loop\n";
    let cases = [
        ("vertex 0 0\n", "is cut short: after line 4 it lacks a number"),
        (
            "vertex 0 0\nvertex 0 0 0\n",
            "line 5 has \"vertex\" instead of a number",
        ),
        ("vertex 0 0 0 0\n", "line 4 has \"0\" instead of vertex"),
        ("vertex 0 0 inf\n", "line 4 has \"inf\", which is not finite as f32"),
        ("vertex 0 0 1e40\n", "line 4 has \"1e40\", which is not finite as f32"),
        ("vertex 0 0 z\n", "line 4 has \"z\" instead of a number"),
        ("endloop\n", "line 4 has \"endloop\" instead of vertex"),
        (
            "vertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0\n",
            "line 7 has \"vertex\" instead of endloop",
        ),
        ("vertex 0 0 0\n", "is cut short: after line 4 it lacks vertex"),
        (
            "vertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0\nendloop\n",
            "is cut short: after line 7 it lacks endfacet",
        ),
        (
            "vertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0\nendloop\nendfacet\nendsolid\nfacet\n",
            "line 10 has \"facet\" instead of solid",
        ),
    ];
    for (more, words) in cases {
        expect_refusal("bad.stl", format!("{facet}{more}"), words);
    }
}

#[test]
fn bad_binary_files_are_named() {
    let mesh = small();
    for title in [&b"solid"[..], b"binary"] {
        let sound = encode(&mesh, title);
        expect_refusal(
            "bad.stl",
            &sound[..sound.len() - 1],
            "it has 2 of the 3 triangles that it announces (at byte 80)",
        );
        let mut none = sound.clone();
        none[80..84].fill(0);
        expect_refusal(
            "bad.stl",
            &none,
            "announces 0 triangles (at byte 80), but 150 bytes follow",
        );
        let mut many = sound.clone();
        many[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
        many[70] = 0;
        expect_refusal(
            "bad.stl",
            &many,
            "it has 3 of the 4294967295 triangles that it announces",
        );
        let mut infinite = sound.clone();
        infinite[84 + 50 + 12 + 32..][..4].copy_from_slice(&f32::INFINITY.to_le_bytes());
        expect_refusal(
            "bad.stl",
            &infinite,
            "triangle 1 (at byte 134) has a coordinate that is NaN or infinite",
        );
    }
    expect_refusal("bad.stl", "", "is not a complete STL file");
    expect_refusal("bad.stl", [7; 83], "is not a complete STL file");
}
