//! PLY.

use std::fmt::Write;

use obbligato::glam::Vec3;
use obbligato_files::NoteKind;

use super::{ABOVE_THE_MIDDLE, Mesh, bits, counts, expect_refusal, read, triangle, triangles};

/// Encodes a mesh with coordinates of this type.
pub(super) fn encode(mesh: &Mesh, format: &str, kind: &str) -> Vec<u8> {
    let (vertices, faces) = (mesh.vertices.len(), mesh.faces.len());
    let mut bytes = format!(
        "ply\nformat {format} 1.0\ncomment a mesh\nelement vertex {vertices}\nproperty {kind} x\nproperty uchar red\n\
         property {kind} y\nproperty {kind} z\nelement face {faces}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    .into_bytes();
    if format == "ascii" {
        let mut text = String::new();
        for vertex in &mesh.vertices {
            writeln!(text, "{} 7 {:e} {}", vertex.x, vertex.y, vertex.z).expect("text grows");
        }
        for [a, b, c] in &mesh.faces {
            writeln!(text, "3 {a} {b} {c}").expect("text grows");
        }
        bytes.extend(text.into_bytes());
        return bytes;
    }
    let mut put = |little: &[u8]| match format {
        "binary_big_endian" => bytes.extend(little.iter().rev()),
        _ => bytes.extend(little),
    };
    let number = |put: &mut dyn FnMut(&[u8]), number: f32| match kind {
        "double" | "float64" => put(&f64::from(number).to_le_bytes()),
        _ => put(&number.to_le_bytes()),
    };
    for vertex in &mesh.vertices {
        number(&mut put, vertex.x);
        put(&[7]);
        number(&mut put, vertex.y);
        number(&mut put, vertex.z);
    }
    for face in &mesh.faces {
        put(&[3]);
        face.iter().for_each(|vertex| put(&vertex.to_le_bytes()));
    }
    bytes
}

#[test]
fn all_elements_of_a_text_file_are_read() {
    // Faces before vertices, polygons, other elements and lists, blank lines, line endings of other
    // systems.
    let text = "ply\r
format ascii 1.0\r
obj_info by hand\r
element nothing 1000000000000000000\r
element face 3\r
property uchar flags\r
property list uint16 uint8 vertex_index\r
property list uchar float texcoord\r
element edge 2\r
property int vertex1\r
property int vertex2\r
element vertex 4\r
property int8 x\r
property double y\r
property list int short extra\r
property float32 z\r
end_header\r
0 3 0 1 2 0\r
255 4 0 1 2 3 2 0.5 nan\r
\r
1 3 3 3 3 1 1\r
0 1\r
1 2\r
0 0 0 0\r
1 0 3 7 8 9 0\r
1 1 0 0\r
0 1.0 0 0\r
\r
";
    let mesh = read("a.ply", text).expect("it is sound");
    let expected = [
        triangle([[0, 0, 0], [1, 0, 0], [1, 1, 0]]),
        triangle([[0, 0, 0], [1, 0, 0], [1, 1, 0]]),
        triangle([[0, 0, 0], [1, 1, 0], [0, 1, 0]]),
        triangle([[0, 1, 0], [0, 1, 0], [0, 1, 0]]),
    ];
    assert_eq!(mesh.triangles, expected);
    assert_eq!(counts(&mesh), [(NoteKind::Lines, 2)]);
}

/// A header with vertices whose coordinates have this type, and with faces whose lists have these
/// types.
fn header(format: &str, kind: &str, list: &str) -> String {
    format!(
        "ply\nformat {format} 1.0\nelement vertex 1\nproperty {kind} x\nproperty {kind} y\nproperty {kind} z\n\
         element face 1\nproperty list {list} vertex_indices\nend_header\n"
    )
}

#[test]
fn numbers_of_all_types_are_rounded_once() {
    for kind in ["float", "double", "int"] {
        let text = header("ascii", kind, "uchar uint") + &format!("{ABOVE_THE_MIDDLE} 16777217 1e-45\n3 0 0 0\n");
        let corner = triangles("a.ply", text)[0].corners[1];
        assert_eq!(
            corner.to_array(),
            [1.000_000_1, 16_777_216.0, f32::from_bits(1)],
            "{kind}"
        );
    }
    let point = |kind: &str, bytes: &[u8], big: &[u8]| {
        let face = [&[3], &[0; 3][..]].concat();
        let of = |format: &str, bytes: &[u8]| {
            let file = [header(format, kind, "char char").as_bytes(), bytes, &face].concat();
            triangles("a.ply", file)[0].corners[0].to_array()
        };
        let little = of("binary_little_endian", &bytes.repeat(3));
        assert_eq!(little, of("binary_big_endian", &big.repeat(3)), "{kind}");
        little[2]
    };
    assert_eq!(point("char", &[0x80], &[0x80]), -128.0);
    assert_eq!(point("uint8", &[0x80], &[0x80]), 128.0);
    assert_eq!(point("short", &[0, 0x80], &[0x80, 0]), -32768.0);
    assert_eq!(point("uint16", &[1, 0x80], &[0x80, 1]), 32769.0);
    assert_eq!(
        point("int", &16_777_217i32.to_le_bytes(), &16_777_217i32.to_be_bytes()),
        16_777_216.0
    );
    assert_eq!(point("uint32", &[0xff; 4], &[0xff; 4]), 4_294_967_296.0);
    assert_eq!(point("float", &0.1f32.to_le_bytes(), &0.1f32.to_be_bytes()), 0.1);
    let third = 1.0 / 3.0;
    assert_eq!(
        point("double", &f64::to_le_bytes(third), &f64::to_be_bytes(third)),
        third as f32
    );
}

#[test]
fn bad_rows_are_named() {
    let text = |rows: &str| header("ascii", "float", "uchar int") + rows;
    let cases = [
        (
            "0 0 0\n3 0 0 1\n",
            "face 0 names vertex 1, but there are 1, both from 0",
        ),
        (
            "0 0 0\n3 0 0 -1\n",
            "line 11 has \"-1\" instead of a whole number from 0",
        ),
        ("0 0 0\n3 0 0\n", "line 11 has fewer numbers"),
        ("0 0 0\n3\n0\n0\n", "line 13 has fewer numbers"),
        ("0 0 0\n1000000000000000000 0 0\n", "line 11 has fewer numbers"),
        ("0 0 0\n3 0 0 0 0\n", "line 11 has more numbers"),
        ("0 0 0\n2 0 0\n", "line 11 has a face with 2 corners"),
        (
            "0 0 0\n3 0 0 0.0\n",
            "line 11 has \"0.0\" instead of a whole number from 0",
        ),
        ("0 0 0\n", "is cut short: it has 0 of the 1 rows face"),
        ("", "is cut short: it has 0 of the 1 rows vertex"),
        // A row may continue on another line, but the next row starts a new line.
        ("0 0\n3 0 0 0\n", "line 11 has more numbers"),
        ("0 0\n0 3 0 0 0\n", "line 11 has more numbers"),
        ("0 0 0 0\n3 0 0 0\n", "line 10 has more numbers"),
        ("0 0 inf\n3 0 0 0\n", "line 10 has \"inf\", which is not finite as f32"),
        ("0 0 z\n3 0 0 0\n", "line 10 has \"z\" instead of a number"),
    ];
    for (rows, words) in cases {
        expect_refusal("bad.ply", text(rows), words);
    }
    expect_bad_binary_rows();
}

/// Asserts the messages about binary rows.
fn expect_bad_binary_rows() {
    let binary =
        |kind: &str, list: &str, bytes: &[u8]| [header("binary_little_endian", kind, list).as_bytes(), bytes].concat();
    let at = |list: &str| header("binary_little_endian", "float", list).len() + 12;
    let zeros = [0; 12];
    let cases: [(&str, &[u8], &str); 6] = [
        (
            "uchar int",
            &[3, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0],
            "face 0 names vertex 1, but there are 1",
        ),
        (
            "uchar int",
            &[3, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255],
            "has -1 instead of a whole number from 0",
        ),
        ("uchar int", &[3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "is cut short"),
        ("uchar int", &[], "is cut short"),
        ("uint int", &[255, 255, 255, 255, 0, 0, 0, 0], "is cut short"),
        (
            "int int",
            &[255, 255, 255, 255],
            "has -1 instead of a whole number from 0",
        ),
    ];
    for (list, bytes, words) in cases {
        let file = binary("float", list, &[&zeros, bytes].concat());
        expect_refusal("bad.ply", &file, words);
        if words == "is cut short" {
            let place = format!(
                "row 0, from 0, of its elements face (at byte {}) is cut short",
                at(list)
            );
            expect_refusal("bad.ply", &file, &place);
        }
    }
    for number in [f64::INFINITY, f64::NAN, 1e39] {
        let file = binary(
            "double",
            "uchar uchar",
            &[number.to_le_bytes().repeat(3), vec![3, 0, 0, 0]].concat(),
        );
        expect_refusal("bad.ply", file, "row 0, from 0, of its elements vertex");
    }
    // Announced elements need not be there.
    for format in ["ascii", "binary_big_endian"] {
        let huge = header(format, "float", "uchar int").replace("vertex 1", "vertex 1000000000000000000");
        expect_refusal(
            "huge.ply",
            huge + "0 0 0 0 0 0\n",
            if format == "ascii" { "more numbers" } else { "cut short" },
        );
    }
}

#[test]
fn rows_over_several_lines_are_read_and_reported() {
    let header = header("ascii", "float", "uchar int").replace("vertex 1", "vertex 3");
    let whole = "1 2 3\n4 5 6\n7 8 9\n3 0 1 2\n";
    let expected = [triangle([[1, 2, 3], [4, 5, 6], [7, 8, 9]])];
    for (rows, split, trailing) in [
        (whole.to_owned(), 0, 0),
        (whole.replace("4 5", "4\n\n5"), 1, 0),
        (whole.replace(' ', "\r"), 4, 0),
        (whole.replace("3 0 1 2", "3\n0 1\n2"), 1, 0),
        (format!("{whole}3 0 1 2\n\nmade by hand\n"), 0, 2),
    ] {
        let mesh = read("a.ply", format!("{header}{rows}")).expect(&rows);
        assert_eq!(mesh.triangles, expected, "{rows}");
        assert_eq!(mesh.notes.count(&NoteKind::SplitRows), split, "{rows}");
        assert_eq!(mesh.notes.count(&NoteKind::TrailingLines), trailing, "{rows}");
        assert_eq!(mesh.notes.is_empty(), split + trailing == 0, "{rows}");
    }
}

#[test]
fn data_begins_after_a_header_with_any_line_endings() {
    // The first byte of the data is that of LF.
    let first = f32::from_bits(0x4100_000a);
    let mesh = Mesh {
        vertices: vec![Vec3::new(first, 0.0, 0.0)],
        faces: vec![[0, 0, 0]],
    };
    for format in ["binary_little_endian", "binary_big_endian"] {
        let file = encode(&mesh, format, "float");
        let header = file
            .windows(11)
            .position(|bytes| bytes == b"end_header\n")
            .expect("a header")
            + 11;
        let text = str::from_utf8(&file[..header]).expect("a text");
        for end in ["\n", "\r\n", "\r"] {
            let file = [text.replace('\n', end).as_bytes(), &file[header..]].concat();
            assert_eq!(
                bits(&triangles("a.ply", file)),
                bits(&mesh.triangles()),
                "{format}, {end:?}"
            );
        }
    }
}

/// Words of a sound header, others in their place, and words of the message.
const BAD_HEADERS: [(&str, &str, &str); 20] = [
    ("ply\n", "PLY\n", "is not a PLY file, which begins with a line `ply`"),
    ("ply\nformat ascii 1.0\n", "ply\n", "has no line `format`"),
    ("ascii 1.0", "ascii 2.0", "line 2 begins with \"format\""),
    ("ascii", "binary", "line 2 has \"binary\", which is not a PLY format"),
    ("vertex 1", "vertex -1", "line 3 has \"-1\" instead of a count"),
    ("vertex 1", "vertex 99999999999999999999", "instead of a count"),
    ("float x", "half x", "line 4 has \"half\", which is not a PLY type"),
    ("float z", "float y", "line 6 has \"y\" a second time"),
    (
        "float z",
        "float w",
        "has elements vertex that lack properties x, y and z",
    ),
    (
        "property float z",
        "property list uchar float z",
        "line 6 gives \"z\" a type that it cannot have",
    ),
    (
        "vertex_indices",
        "indices",
        "has elements face that lack a property vertex_indices",
    ),
    (
        "list uchar int",
        "list float int",
        "line 8 gives \"vertex_indices\" a type that it cannot have",
    ),
    (
        "list uchar int",
        "list uchar float",
        "line 8 gives \"vertex_indices\" a type that it cannot have",
    ),
    (
        "list uchar int",
        "int",
        "line 8 gives \"vertex_indices\" a type that it cannot have",
    ),
    (
        "element face",
        "element vertex",
        "line 7 has elements vertex a second time",
    ),
    (
        "element face",
        "element tristrips",
        "has elements tristrips that lack faces (strips are not read)",
    ),
    ("element vertex 1\n", "", "line 3 has a property before any element"),
    (
        "property float x",
        "property float",
        "line 4 is not a valid PLY property",
    ),
    (
        "property float x",
        "proper float x",
        "line 4 begins with \"proper\", which is not a keyword of a PLY header",
    ),
    ("end_header\n", "", "is cut short in its header, which lacks end_header"),
];

#[test]
fn bad_headers_are_named() {
    let sound = header("ascii", "float", "uchar int");
    for (from, to, words) in BAD_HEADERS {
        assert!(sound.contains(from), "{from}");
        expect_refusal("bad.ply", sound.replacen(from, to, 1), words);
    }
    expect_refusal("bad.ply", "", "is not a PLY file");
    let whole = sound + "0 0 0\n3 0 0 0\n";
    assert_eq!(bits(&triangles("a.ply", whole)), [[0; 9]]);
}
