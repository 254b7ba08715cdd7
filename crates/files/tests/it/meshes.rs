//! Meshes: the same triangles in every format, and files that are truncated, damaged, or
//! inconsistent.

mod gltf;
mod obj;
mod ply;
mod polygons;
mod stl;

use std::fs;
use std::path::PathBuf;

use obbligato::glam::Vec3;
use obbligato::shape::Triangle;
use obbligato_files::Result;
use obbligato_files::{MeshFile, NoteKind, read_mesh, read_mesh_from};
use obbligato_support::split_mix::SplitMix;
use tempfile::TempDir;

use super::file;

/// Just above the midpoint of 1 and the next `f32`, to which it rounds; by way of `f64` it would
/// become 1.
const ABOVE_THE_MIDDLE: &str = "1.00000005960464477539062500000000001";

/// Reads content as a file of that name. The outcome is the same in memory.
#[track_caller]
fn read(name: &str, content: impl AsRef<[u8]>) -> Result<MeshFile> {
    let (folder, path) = file(name, &content);
    let read = read_mesh(&path);
    match (&read, read_mesh_from(name.as_ref(), content.as_ref())) {
        (Ok(read), Ok(in_memory)) => assert_eq!(*read, in_memory, "{name}"),
        (Err(_), Err(error)) if error.to_string().contains("which is not in this file") => {}
        (Err(refused), Err(error)) => {
            let folder = format!("{}/", folder.path().display());
            assert_eq!(refused.to_string().replace(&folder, ""), error.to_string());
        }
        (_, in_memory) => panic!("{name}: {read:?} and {in_memory:?} in memory"),
    }
    read
}

/// The triangles of a file.
#[track_caller]
fn triangles(name: &str, content: impl AsRef<[u8]>) -> Vec<Triangle> {
    read(name, content).expect("it is sound").triangles
}

/// The notes on a file, by kind.
fn counts(mesh: &MeshFile) -> Vec<(NoteKind, u64)> {
    mesh.notes.iter().map(|note| (note.kind.clone(), note.count)).collect()
}

/// Reads an invalid file, and asserts that the error contains some words.
#[track_caller]
fn expect_refusal(name: &str, content: impl AsRef<[u8]>, words: &str) {
    let error = read(name, &content).expect_err(words).to_string();
    let content = content.as_ref();
    let shown = String::from_utf8_lossy(&content[..content.len().min(1000)]);
    assert!(error.contains(words), "{shown}\n{error}\n{words}");
    assert!(error.contains(&format!("{name}: ")) && error.contains(": "), "{error}");
    assert!(!error.contains('\n') && error.len() < 800, "{error}");
}

/// A triangle with integer coordinates.
fn triangle(corners: [[i32; 3]; 3]) -> Triangle {
    Triangle {
        corners: corners.map(|corner| Vec3::from(corner.map(|number| number as f32))),
    }
}

/// The bits of all coordinates, by which triangles are compared, including signs of zeros.
fn bits(triangles: &[Triangle]) -> Vec<[u32; 9]> {
    let bits_of = |triangle: &Triangle| {
        let corners = triangle.corners.map(|corner| corner.to_array().map(f32::to_bits));
        std::array::from_fn(|k| corners[k / 3][k % 3])
    };
    triangles.iter().map(bits_of).collect()
}

/// A mesh of vertices and faces, as in files.
struct Mesh {
    vertices: Vec<Vec3>,
    /// Triangles.
    faces: Vec<[u32; 3]>,
}

impl Mesh {
    /// Vertices of all sizes that triangles may have, and faces that use them at random, including
    /// degenerate ones.
    fn random(vertices: u32, faces: usize, seed: u64) -> Self {
        let mut random = SplitMix(seed);
        let mut number = || loop {
            let number = f32::from_bits(random.next() as u32);
            if number.abs() < 1e18 {
                return number;
            }
        };
        let vertices: Vec<Vec3> = (0..vertices).map(|_| Vec3::new(number(), number(), number())).collect();
        let mut random = SplitMix(seed + 1);
        let mut vertex = || (random.next() % vertices.len() as u64) as u32;
        let faces = (0..faces).map(|_| [vertex(), vertex(), vertex()]).collect();
        Self { vertices, faces }
    }

    fn triangles(&self) -> Vec<Triangle> {
        let of = |face: &[u32; 3]| Triangle {
            corners: face.map(|vertex| self.vertices[vertex as usize]),
        };
        self.faces.iter().map(of).collect()
    }

    /// The file in every format, by name, and those of its parts that are separate files.
    fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        let [json, binary] = gltf::parts(self, "mesh.bin");
        let mut files = vec![
            ("a.obj", obj::encode(self).into_bytes()),
            ("text.stl", stl::encode_text(self).into_bytes()),
            ("binary.stl", stl::encode(self, b"solid by name, binary by nature")),
            ("text.ply", ply::encode(self, "ascii", "float")),
            ("little.ply", ply::encode(self, "binary_little_endian", "float")),
            ("little_double.ply", ply::encode(self, "binary_little_endian", "double")),
            ("big.ply", ply::encode(self, "binary_big_endian", "float32")),
            ("big_double.ply", ply::encode(self, "binary_big_endian", "float64")),
            ("embedded.gltf", gltf::embedded(self)),
            ("a.glb", gltf::glb(self)),
            ("mesh.bin", binary),
            ("beside.gltf", json),
        ];
        files.rotate_right(2);
        files
    }
}

/// A folder with those files.
fn folder_of(files: &[(&str, Vec<u8>)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, content) in files {
        fs::write(folder.path().join(name), content).expect("it can be written");
    }
    folder
}

#[test]
fn all_formats_give_the_same_triangles() {
    let mesh = Mesh::random(300, 1000, 5);
    let files = mesh.files();
    let folder = folder_of(&files);
    let expected = bits(&mesh.triangles());
    for (name, _) in files.iter().filter(|(name, _)| *name != "mesh.bin") {
        let read = read_mesh(&folder.path().join(name)).expect(name);
        assert!(bits(&read.triangles) == expected, "{name}");
        assert_eq!(counts(&read), [], "{name}");
    }
}

#[test]
fn meshes_may_be_empty() {
    let mesh = Mesh {
        vertices: Vec::new(),
        faces: Vec::new(),
    };
    let folder = folder_of(&mesh.files());
    for (name, _) in mesh.files().iter().filter(|(name, _)| *name != "mesh.bin") {
        let read = read_mesh(&folder.path().join(name)).expect(name);
        assert_eq!(read.triangles, [], "{name}");
    }
    assert_eq!(triangles("empty.obj", ""), []);
    assert_eq!(triangles("empty.gltf", r#"{"asset": {"version": "2.0"}}"#), []);
}

/// A small mesh whose numbers have one digit.
fn small() -> Mesh {
    let corner = |k: u32| Vec3::new((k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2) as f32);
    Mesh {
        vertices: (0..5).map(corner).collect(),
        faces: vec![[0, 1, 2], [2, 3, 1], [4, 0, 4]],
    }
}

#[test]
fn truncated_files_are_refused_or_read_correctly() {
    let mesh = small();
    let files = mesh.files();
    let folder = folder_of(&files);
    let expected = bits(&mesh.triangles());
    for (name, content) in &files {
        let read_as = if *name == "mesh.bin" { "beside.gltf" } else { name };
        let mut refused = 0;
        for length in 0..content.len() {
            fs::write(folder.path().join(name), &content[..length]).expect("it can be written");
            match read_mesh(&folder.path().join(read_as)) {
                Ok(read) => {
                    // A truncated text may be a valid file: OBJ has no end, and all formats allow
                    // blanks and names there. An STL without an end is noted.
                    let same = bits(&read.triangles) == expected;
                    let told = read.notes.count(&NoteKind::OpenSolids) == 1;
                    assert!(same || told || *name == "a.obj", "{name} of {length} bytes");
                }
                Err(error) => {
                    refused += 1;
                    assert!(!error.to_string().contains('\n'), "{name}: {error}");
                }
            }
        }
        fs::write(folder.path().join(name), content).expect("it can be written");
        assert!(refused * 3 > content.len() || *name == "a.obj", "{name}: {refused}");
    }
}

#[test]
fn damaged_files_never_panic() {
    let files = small().files();
    let folder = folder_of(&files);
    let mut random = SplitMix(3);
    let mut sound = 0;
    for _ in 0..4_000 {
        let (name, content) = &files[(random.next() % files.len() as u64) as usize];
        let mut damaged = content.clone();
        for _ in 0..=random.next() % 3 {
            let at = (random.next() % damaged.len() as u64) as usize;
            match random.next() % 5 {
                0 => damaged[at] = random.next() as u8,
                1 => damaged[at] ^= 1 << (random.next() % 8),
                2 => _ = damaged.remove(at),
                3 => damaged.insert(at, b"0123456789-/.e \n\"{[\xff"[(random.next() % 20) as usize]),
                _ => {
                    let to = (random.next() % content.len() as u64) as usize;
                    damaged.splice(at..at, content[to..(to + 8).min(content.len())].iter().copied());
                }
            }
            if damaged.is_empty() {
                damaged.push(b'9');
            }
        }
        let path: PathBuf = folder.path().join(name);
        fs::write(&path, &damaged).expect("it can be written");
        let read_as = if *name == "mesh.bin" { "beside.gltf" } else { name };
        match read_mesh(&folder.path().join(read_as)) {
            Ok(_) => sound += 1,
            Err(error) => assert!(!error.to_string().contains('\n'), "{name}: {error}"),
        }
        fs::write(&path, content).expect("it can be written");
    }
    assert!((100..3_500).contains(&sound), "{sound}");
}

#[test]
fn extensions_are_recognised_in_any_case_or_refused() {
    assert_eq!(triangles("A.OBJ", "v 0 0 0\nf 1 1 1\n").len(), 1);
    for name in ["mesh", "mesh.off", "mesh.obj.gz"] {
        expect_refusal(
            name,
            "v 0 0 0\n",
            "has an unknown extension: name it .obj, .stl, .ply, .glb or .gltf",
        );
    }
    let missing = read_mesh("none.stl".as_ref()).expect_err("it is not there").to_string();
    assert!(missing.contains("none.stl: cannot be read"), "{missing}");
}

#[test]
fn files_may_have_any_line_endings() {
    let mesh = small();
    let expected = bits(&mesh.triangles());
    let texts = ["a.obj", "text.stl", "text.ply", "beside.gltf"];
    let files = mesh.files();
    let folder = folder_of(&files);
    for (name, content) in files.iter().filter(|(name, _)| texts.contains(name)) {
        let text = str::from_utf8(content).expect("a text");
        for end in ["\n", "\r\n", "\r", "\n\n", "\r\r\n"] {
            let text = text.replace('\n', end);
            fs::write(folder.path().join(name), text).expect("it can be written");
            let read = read_mesh(&folder.path().join(name)).expect(name);
            assert!(bits(&read.triangles) == expected, "{name}, {end:?}");
            assert_eq!(counts(&read), [], "{name}, {end:?}");
        }
    }
    // A line is counted once, whatever its line ending.
    for end in ["\n", "\r\n", "\r"] {
        expect_refusal(
            "bad.obj",
            ["v 0 0 0", "", "v 0 0", ""].join(end),
            "line 3 has 2 coordinates",
        );
        expect_refusal(
            "bad.stl",
            ["solid", "facet", "outer loop", "x"].join(end),
            "line 4 has \"x\"",
        );
        expect_refusal(
            "bad.ply",
            ["ply", "format ascii 1.0", "x"].join(end),
            "line 3 begins with \"x\"",
        );
    }
    // Backslashes join lines with any line ending.
    for end in ["\n", "\r\n", "\r"] {
        let text = ["v 0 0 0", "v 1 0 \\", "0", "v 0 1 0", "f 1 2 \\", "3"].join(end);
        assert_eq!(triangles("a.obj", text), [triangle([[0, 0, 0], [1, 0, 0], [0, 1, 0]])]);
    }
}

#[test]
fn texts_may_end_in_padding() {
    let mesh = small();
    let files = mesh.files();
    let texts = ["a.obj", "text.stl", "text.ply"];
    for (name, content) in files.iter().filter(|(name, _)| texts.contains(name)) {
        for (padding, bytes) in [
            ("\0", 1),
            ("\x1a", 1),
            ("\x1a\r\n", 1),
            ("\r\n\0\0 \0\n\n", 3),
            ("\x1a\0\x1a", 3),
            (&"\0".repeat(3 << 20), 3 << 20),
        ] {
            for text in [&content[..], content.trim_ascii_end()] {
                let read = read(name, [text, padding.as_bytes()].concat()).expect(name);
                assert!(
                    bits(&read.triangles) == bits(&mesh.triangles()),
                    "{name}, {:?}",
                    &padding[..1]
                );
                assert_eq!(counts(&read), [(NoteKind::PaddingBytes, bytes)], "{name}");
            }
        }
        // In the middle it is damage.
        for padding in [&b"\0\n"[..], b"\x1a\n"] {
            let (first, last) = content.split_at(
                content
                    .trim_ascii_end()
                    .iter()
                    .rposition(|&byte| byte == b'\n')
                    .expect("a line"),
            );
            let damaged = [first, padding, last].concat();
            expect_refusal(
                name,
                damaged,
                "ends in NUL or Ctrl-Z, which ends a text, but more lines follow",
            );
        }
    }
    let read = read("short.stl", "solid\nendsolid\0\0").expect("it is sound");
    assert_eq!(counts(&read), [(NoteKind::PaddingBytes, 2)]);
}

#[test]
fn trailing_bytes_are_reported() {
    let mesh = small();
    let files = mesh.files();
    let binary = ["binary.stl", "little.ply", "big_double.ply", "a.glb"];
    for (name, content) in files.iter().filter(|(name, _)| binary.contains(name)) {
        for more in [&b"\0"[..], b"\n", b"made by hand", &[7; 100]] {
            let read = read(name, [content, more].concat()).expect(name);
            assert!(bits(&read.triangles) == bits(&mesh.triangles()), "{name}, {more:?}");
            let bytes = more.len() as u64;
            assert_eq!(counts(&read), [(NoteKind::TrailingBytes, bytes)], "{name}");
        }
    }
}

#[test]
fn vertices_without_faces_are_reported() {
    let none = Mesh {
        faces: Vec::new(),
        ..small()
    };
    let files = none.files();
    for (name, content) in &files {
        if name.ends_with("obj") || name.ends_with("ply") {
            let read = read(name, content).expect(name);
            assert_eq!(counts(&read), [(NoteKind::VerticesWithoutFaces, 5)], "{name}");
        }
    }
    let read = read("a.obj", "v 0 0 0\n").expect("it is sound");
    let said: Vec<String> = read.notes.iter().map(|note| note.to_string()).collect();
    assert_eq!(said, ["1 vertex and no face: there are no triangles"]);
}

#[test]
fn coordinates_beyond_the_limit_name_their_triangle() {
    expect_refusal(
        "far.obj",
        "v 0 0 0\nv 2e18 0 0\nv 2e18 0 0\nf 1 1 1\nf 1 2 3\n",
        "triangle 1, from 0, has a coordinate beyond",
    );
}
