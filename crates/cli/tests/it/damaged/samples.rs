//! A small sound file of each format.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::{Compression, write::GzEncoder};

use crate::program::{THREE, succeed};

const CORNERS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const FACES: [[u16; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

/// Returns the bytes of all corners.
fn corner_bytes() -> Vec<u8> {
    CORNERS
        .as_flattened()
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

fn obj() -> Vec<u8> {
    let corners = CORNERS.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n"));
    let faces = FACES
        .iter()
        .map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1));
    corners.chain(faces).collect::<String>().into_bytes()
}

fn stl() -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend((FACES.len() as u32).to_le_bytes());
    for face in FACES {
        bytes.extend([0; 12]);
        let corners = face.map(|corner| CORNERS[usize::from(corner)]);
        bytes.extend(corners.as_flattened().iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

fn ply() -> Vec<u8> {
    let mut bytes = b"ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
        property float z\nelement face 4\nproperty list uchar ushort vertex_indices\nend_header\n"
        .to_vec();
    bytes.extend(corner_bytes());
    for face in FACES {
        bytes.push(3);
        bytes.extend(face.iter().flat_map(|corner| corner.to_le_bytes()));
    }
    bytes
}

/// Returns the JSON of a glTF file, and its buffer. `uri` is the name of the buffer's file.
fn gltf(uri: &str) -> (String, Vec<u8>) {
    let mut buffer = corner_bytes();
    buffer.extend(FACES.as_flattened().iter().flat_map(|corner| corner.to_le_bytes()));
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0}}],
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],"buffers":[{{{uri}"byteLength":72}}],
"bufferViews":[{{"buffer":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":24}}],"accessors":[
{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","min":[0,0,0],"max":[1,1,1]}},
{{"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}}]}}"#
    );
    (json, buffer)
}

fn glb() -> Vec<u8> {
    let (mut json, buffer) = gltf("");
    json += &" ".repeat(json.len().next_multiple_of(4) - json.len());
    let chunk = |kind: &[u8; 4], data: &[u8]| [&(data.len() as u32).to_le_bytes()[..], kind, data].concat();
    let chunks = [chunk(b"JSON", json.as_bytes()), chunk(b"BIN\0", &buffer)].concat();
    let length = (chunks.len() as u32 + 12).to_le_bytes();
    [b"glTF\x02\0\0\0", &length[..], &chunks].concat()
}

/// Returns a sound file of each format, and writes what they and the commands need besides.
pub fn samples(here: &Path) -> BTreeMap<&'static str, Vec<u8>> {
    let write = |name: &str, content: &[u8]| fs::write(here.join(name), content).expect("it can be written");
    let generated = |name: &str| {
        succeed(here, &["generate", "uniform", "--count", "3", "--out", name]);
        fs::read(here.join(name)).expect("it is there")
    };
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(THREE.as_bytes()).expect("memory");
    let (json, buffer) = gltf(r#""uri":"buffer.bin","#);
    write("buffer.bin", &buffer);
    write("a.obj", &obj());
    write("list.csv", b"x,y,z\n0.2,0.2,0.2\n5,5,5\n");
    BTreeMap::from([
        ("csv", THREE.as_bytes().to_vec()),
        ("csv.gz", packed.finish().expect("memory")),
        ("npy", generated("three.npy")),
        ("parquet", generated("three.parquet")),
        ("obj", obj()),
        ("stl", stl()),
        ("ply", ply()),
        ("glb", glb()),
        ("gltf", json.into_bytes()),
    ])
}
