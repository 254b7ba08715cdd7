//! glTF.

mod bad_documents;
mod scenes;

use std::fs;

use obbligato::shape::Triangle;
use obbligato_files::{MeshFile, NoteKind, read_mesh, read_mesh_from};
use serde_json::{Value, json};

use super::{Mesh, counts, expect_refusal, read, triangle};
use crate::file;

/// JSON that refers to the bytes by this URI, and the bytes.
pub(super) fn parts(mesh: &Mesh, uri: &str) -> [Vec<u8>; 2] {
    let mut bytes = Vec::new();
    for vertex in &mesh.vertices {
        bytes.extend(vertex.to_array().map(f32::to_le_bytes).as_flattened());
    }
    let positions = bytes.len();
    for face in &mesh.faces {
        bytes.extend(face.map(u32::to_le_bytes).as_flattened());
    }
    let document = json!({
        "asset": {"version": "2.0"},
        "buffers": [{"uri": uri, "byteLength": bytes.len()}],
        "bufferViews": [
            {"buffer": 0, "byteLength": positions},
            {"buffer": 0, "byteOffset": positions, "byteLength": bytes.len() - positions},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": mesh.vertices.len(), "type": "VEC3"},
            {"bufferView": 1, "componentType": 5125, "count": 3 * mesh.faces.len(), "type": "SCALAR"},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "NORMAL": 9}, "indices": 1}]}],
        "nodes": [{"mesh": 0}],
        "scenes": [{"nodes": [0]}],
        "scene": 0,
    });
    [document.to_string().into_bytes(), bytes]
}

pub(super) fn embedded(mesh: &Mesh) -> Vec<u8> {
    let [_, bytes] = parts(mesh, "");
    let uri = format!("data:application/octet-stream;base64,{}", base64(&bytes));
    let [json, _] = parts(mesh, &uri);
    json
}

pub(super) fn glb(mesh: &Mesh) -> Vec<u8> {
    let [json, bytes] = parts(mesh, "");
    // Without a URI.
    let mut document: Value = serde_json::from_slice(&json).expect("it is JSON");
    document["buffers"][0].as_object_mut().expect("an object").remove("uri");
    pack(&document, &bytes)
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let word = (0..3).fold(0, |word, k| word << 8 | u32::from(chunk.get(k).copied().unwrap_or(0)));
        for k in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * k) & 63) as usize];
            text.push(if k <= chunk.len() { letter as char } else { '=' });
        }
    }
    text
}

/// A GLB.
fn pack(document: &Value, bytes: &[u8]) -> Vec<u8> {
    let mut json = document.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut binary = bytes.to_vec();
    binary.resize(binary.len().next_multiple_of(4), 0);
    let length = 12 + 8 + json.len() + 8 + binary.len();
    let mut file = b"glTF\x02\0\0\0".to_vec();
    file.extend((length as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", json), (b"BIN\0", binary)] {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    file
}

/// Six vertices with single-digit coordinates on the axes as floats, 72 bytes, and the numbers 0 to
/// 5 as bytes, shorts and words.
fn sample() -> (Value, Vec<u8>) {
    let corners: [[f32; 3]; 6] = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [2.0, 0.0, 0.0],
        [0.0, 2.0, 0.0],
    ];
    let mut bytes = corners
        .as_flattened()
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect::<Vec<u8>>();
    bytes.extend(0..6u8);
    bytes.extend((0..6u16).flat_map(u16::to_le_bytes));
    bytes.extend((0..6u32).flat_map(u32::to_le_bytes));
    let view = |offset: usize, length: usize| json!({"buffer": 0, "byteOffset": offset, "byteLength": length});
    let accessor = |view: usize, kind: u32, width: &str| json!({"bufferView": view, "componentType": kind, "count": 6, "type": width});
    let document = json!({
        "asset": {"version": "2.0", "generator": "a test"},
        "extensionsUsed": ["KHR_materials_unlit", "EXT_unheard_of"],
        "extensionsRequired": ["KHR_mesh_quantization", "KHR_texture_transform"],
        "buffers": [{"byteLength": bytes.len()}],
        "bufferViews": [view(0, 72), view(72, 6), view(78, 12), view(90, 24)],
        "accessors": [
            accessor(0, 5126, "VEC3"),
            accessor(1, 5121, "SCALAR"),
            accessor(2, 5123, "SCALAR"),
            accessor(3, 5125, "SCALAR"),
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "nodes": [{"mesh": 0}],
    });
    (document, bytes)
}

/// The sample with changes.
fn with(changes: &[(&str, Value)]) -> Vec<u8> {
    let (mut document, bytes) = sample();
    change(&mut document, changes);
    pack(&document, &bytes)
}

fn change(document: &mut Value, changes: &[(&str, Value)]) {
    for (path, value) in changes {
        let (parent, key) = path.rsplit_once('/').expect("a path");
        let parent = document.pointer_mut(parent).expect(path);
        match parent {
            Value::Array(list) => list[key.parse::<usize>().expect("a number")] = value.clone(),
            other => other[key] = value.clone(),
        }
    }
}

fn mesh_with(changes: &[(&str, Value)]) -> MeshFile {
    read("a.glb", with(changes)).expect("it is sound")
}

/// A triangle of the sample's vertices by their numbers.
fn of(corners: [usize; 3]) -> Triangle {
    let vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [2, 0, 0], [0, 2, 0]];
    triangle(corners.map(|corner| vertices[corner]))
}

#[test]
fn triangles_strips_fans_and_other_modes() {
    let drawn = |primitive: Value| mesh_with(&[("/meshes/0/primitives/0", primitive)]);
    for indices in [json!(null), json!(1), json!(2), json!(3)] {
        let of_mode = |mode: Value| {
            let mut primitive = json!({"attributes": {"POSITION": 0}, "indices": indices, "mode": mode});
            if mode.is_null() {
                primitive.as_object_mut().expect("an object").remove("mode");
            }
            drawn(primitive)
        };
        for mode in [json!(null), json!(4)] {
            assert_eq!(of_mode(mode).triangles, [of([0, 1, 2]), of([3, 4, 5])]);
        }
        let strip = [of([0, 1, 2]), of([1, 3, 2]), of([2, 3, 4]), of([3, 5, 4])];
        assert_eq!(of_mode(json!(5)).triangles, strip);
        let fan = [of([0, 1, 2]), of([0, 2, 3]), of([0, 3, 4]), of([0, 4, 5])];
        assert_eq!(of_mode(json!(6)).triangles, fan);
        for (mode, points, lines) in [(0, 6, 0), (1, 0, 3), (2, 0, 6), (3, 0, 5)] {
            let mesh = of_mode(json!(mode));
            assert_eq!(
                (
                    mesh.triangles.len(),
                    mesh.notes.count(&NoteKind::Points),
                    mesh.notes.count(&NoteKind::Lines)
                ),
                (0, points, lines),
                "{mode}"
            );
        }
    }
}

#[test]
fn nodes_come_in_their_order_and_then_primitives() {
    let primitive = |mode: u32| json!({"attributes": {"POSITION": 0}, "mode": mode});
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let single = std::f32::consts::FRAC_1_SQRT_2;
    let mesh = mesh_with(&[
        (
            "/meshes",
            json!([{"primitives": [primitive(4), primitive(1)]}, {"primitives": [primitive(5)]}, {"primitives": []}]),
        ),
        (
            "/nodes",
            json!([
                {"mesh": 1, "translation": [10, 0, 0]},
                {"mesh": 0, "rotation": [0, 0, half, half], "scale": [2, 3, 4]},
                {"children": [1, 3], "matrix": [0,1,0,0, -1,0,0,0, 0,0,1,0, 5,6,7,1]},
                {"children": [0], "translation": [0, 0, 100], "scale": [1, 1, -1]},
                {"mesh": 1, "rotation": [0, 0, single, single]},
            ]),
        ),
        ("/scenes", json!([{"nodes": [2, 4]}])),
    ]);
    let vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [2, 0, 0], [0, 2, 0]];
    // Worked out by hand: a quarter turn about z takes (x, y, z) to (-y, x, z).
    let third = |[x, y, z]: [i32; 3]| [5 - y, 6 + (x + 10), 7 + 100 - z];
    let second = |[x, y, z]: [i32; 3]| [5 - 2 * x, 6 - 3 * y, 7 + 4 * z];
    let last = |[x, y, z]: [i32; 3]| [-y, x, z];
    let strip = [[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]];
    let placed = |numbers: &[[usize; 3]], place: &dyn Fn([i32; 3]) -> [i32; 3]| -> Vec<Triangle> {
        numbers
            .iter()
            .map(|numbers| triangle(numbers.map(|number| place(vertices[number]))))
            .collect()
    };
    let expected = [
        placed(&strip, &third),
        placed(&[[0, 1, 2], [3, 4, 5]], &second),
        placed(&strip, &last),
    ];
    assert_eq!(mesh.triangles, expected.concat());
    assert_eq!(counts(&mesh), [(NoteKind::Lines, 3), (NoteKind::UnplacedMeshes, 1)]);
}

#[test]
fn transforms_are_rounded_once() {
    // In f32 the sums would be 16777216 each, and 1 / 3 would be rounded before the multiplication.
    // Nothing is lost far from the origin of coordinates, because the mesh has an origin of its
    // own.
    let mesh = mesh_with(&[(
        "/nodes",
        json!([
            {"children": [1], "translation": [16777216, -16777216, 0]},
            {"mesh": 0, "translation": [0.75, 16777217.0, 0.1], "scale": [0.75, 1.0 / 3.0, 1]},
        ]),
    )]);
    let place = |corner: usize| {
        let corner = mesh.triangles[0].corners[corner];
        let x = f64::from(corner.x) + mesh.origin.x;
        (x, corner.y, corner.z)
    };
    assert_eq!([mesh.origin.y, mesh.origin.z], [0.0; 2]);
    assert_eq!(place(0), (16_777_216.75, 1.0, 0.1));
    assert_eq!(place(1), (16_777_217.5, 1.0, 0.1));
    assert_eq!(place(2), (16_777_216.75, (1.0f64 + 1.0 / 3.0) as f32, 0.1));
}

#[test]
fn sparse_strided_and_quantized_positions() {
    // Vertices 1 and 4 are replaced by 2 and 3, which are consecutive, at byte 24.
    let sparse = |base: Value| {
        let indices = json!({"bufferView": 1, "byteOffset": 1, "componentType": 5121});
        let values = json!({"bufferView": 0, "byteOffset": 24});
        json!({"bufferView": base, "componentType": 5126, "count": 6, "type": "VEC3",
               "sparse": {"count": 2, "indices": indices, "values": values}})
    };
    let mesh = mesh_with(&[("/accessors/0", sparse(json!(0)))]);
    assert_eq!(mesh.triangles, [of([0, 2, 3]), of([3, 4, 5])]);
    let mesh = mesh_with(&[("/accessors/0", sparse(json!(null)))]);
    assert_eq!(mesh.triangles, [of([0, 2, 3]), of([0, 0, 0])]);
    let zeros = json!({"componentType": 5126, "count": 6, "type": "VEC3"});
    assert_eq!(mesh_with(&[("/accessors/0", zeros)]).triangles, [of([0, 0, 0]); 2]);
    // Every other vertex.
    let mesh = mesh_with(&[
        ("/bufferViews/0/byteStride", json!(24)),
        ("/accessors/0/count", json!(3)),
    ]);
    assert_eq!(mesh.triangles, [of([0, 2, 4])]);
    // The numbers 0 to 5 as bytes and shorts, as two vertices, the first of which has three equal
    // coordinates.
    let quantized = |kind: u32, view: usize, normalized: bool| {
        let accessor =
            json!({"bufferView": view, "componentType": kind, "count": 2, "type": "VEC3", "normalized": normalized});
        let mesh = mesh_with(&[
            ("/accessors/0", accessor),
            ("/meshes/0/primitives/0/mode", json!(4)),
            ("/meshes/0/primitives/0/indices", json!(1)),
            ("/accessors/1/count", json!(3)),
            ("/accessors/1/bufferView", json!(4)),
            ("/bufferViews", {
                let (document, _) = sample();
                let mut views = document["bufferViews"].clone();
                // The bytes 0, 0, 1, which begin the shorts.
                let view = json!({"buffer": 0, "byteOffset": 78, "byteLength": 3});
                views.as_array_mut().expect("a list").push(view);
                views
            }),
        ]);
        mesh.triangles[0].corners[2].to_array()
    };
    assert_eq!(quantized(5121, 1, false), [3.0, 4.0, 5.0]);
    assert_eq!(quantized(5120, 1, false), [3.0, 4.0, 5.0]);
    assert_eq!(quantized(5123, 2, false), [3.0, 4.0, 5.0]);
    let parts = |one: f64| [3.0, 4.0, 5.0].map(|number| (number / one) as f32);
    assert_eq!(quantized(5121, 1, true), parts(255.0));
    assert_eq!(quantized(5120, 1, true), parts(127.0));
    assert_eq!(quantized(5123, 2, true), parts(65535.0));
    assert_eq!(quantized(5122, 2, true), parts(32767.0));
}

#[test]
fn referenced_files_may_have_any_name() {
    let (mut document, bytes) = sample();
    document["buffers"][0]["uri"] = json!("the%20parts/a%2Bb.bin");
    let (folder, path) = file("a.gltf", document.to_string());
    let missing = read_mesh(&path).expect_err("it is not there").to_string();
    assert!(missing.contains("a+b.bin: cannot be read"), "{missing}");
    let alone = read_mesh_from("a.gltf".as_ref(), document.to_string().as_bytes());
    assert_eq!(
        alone.expect_err("nothing is beside it").to_string(),
        "a.gltf: buffer 0, from 0, is at the%20parts/a%2Bb.bin, which is not in this file: export it as .glb"
    );
    fs::create_dir(folder.path().join("the parts")).expect("a folder");
    fs::write(folder.path().join("the parts/a+b.bin"), bytes).expect("it can be written");
    assert_eq!(read_mesh(&path).expect("it is sound").triangles.len(), 2);
    for uri in [
        "http://example.org/a.bin",
        "/etc/passwd",
        "file:///a.bin",
        "C:/a.bin",
        "%ff",
        "../a.bin",
        "%2e%2e/a.bin",
        "%2E%2E%2Fa.bin",
        ".%2e/a.bin",
        "./../a.bin",
        "the%20parts/../../a.bin",
        "the%20parts/..",
        "..",
        ".",
        "%2Fetc/passwd",
    ] {
        document["buffers"][0]["uri"] = json!(uri);
        let words = format!("buffer 0, from 0, is at {uri}, not in a file beside this one");
        expect_refusal("a.gltf", document.to_string(), &words);
    }
    for uri in ["the%20parts/./a%2Bb.bin", "not_there/../the%20parts/a%2Bb.bin"] {
        document["buffers"][0]["uri"] = json!(uri);
        fs::write(&path, document.to_string()).expect("it can be written");
        assert_eq!(read_mesh(&path).expect(uri).triangles.len(), 2);
    }
    for (uri, words) in [
        ("data:text/plain,abc", "has data that is not base64"),
        ("data:;base64,a b", "has data that is not base64"),
        ("data:;base64,AAAA", "is cut short: it announces 114 bytes, and has 3"),
    ] {
        document["buffers"][0]["uri"] = json!(uri);
        expect_refusal("a.gltf", document.to_string(), words);
    }
}

#[test]
fn bad_chunks_are_named() {
    let sound = with(&[]);
    let changed = |at: usize, bytes: &[u8]| {
        let mut file = sound.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        file
    };
    expect_refusal(
        "bad.glb",
        changed(4, &[1]),
        "is GLB of version 1, but only version 2 is read",
    );
    expect_refusal(
        "bad.glb",
        changed(8, &[0xff; 4]),
        "announces 4294967295 bytes (at byte 8)",
    );
    expect_refusal("bad.glb", &sound[..sound.len() - 1], "announces");
    expect_refusal(
        "bad.glb",
        changed(12, &[0xff; 4]),
        "has a chunk at byte 12 that is cut short",
    );
    expect_refusal("bad.glb", changed(16, b"BIN\0"), "has no JSON chunk at byte 12");
    expect_refusal("bad.glb", b"glTF\x02\0\0", "is cut short in its header");
    expect_refusal("bad.glb", b"glTF\x02\0\0\0\x0c\0\0\0", "has no JSON chunk at byte 12");
    expect_refusal(
        "bad.gltf",
        "",
        "is not a glTF 2.0 file (EOF while parsing a value at line 1 column 0)",
    );
    expect_refusal("bad.gltf", "[".repeat(100_000), "is not a glTF 2.0 file (");
    expect_refusal(
        "bad.gltf",
        format!("\"{}\"", "x".repeat(100_000)),
        "is not a glTF 2.0 file (invalid type: string",
    );
    let deep = format!(
        r#"{{"asset": {{"version": "2.0"}}, "extras": {}}}"#,
        "[".repeat(100_000)
    );
    expect_refusal("bad.gltf", deep, "is not a glTF 2.0 file (");
    // A GLB with another extension, and JSON with the extension of a GLB.
    assert_eq!(read("a.gltf", &sound).expect("it is sound").triangles.len(), 2);
    let (mut document, bytes) = sample();
    document["buffers"][0]["uri"] = json!(format!("data:;base64,{}", base64(&bytes)));
    assert_eq!(
        read("a.glb", format!("\u{feff}{document}"))
            .expect("it is sound")
            .triangles
            .len(),
        2
    );
}
