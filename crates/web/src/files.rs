//! Scenes from files.

use std::io::Cursor;
use std::path::Path;

use js_sys::{Array, Float32Array, Float64Array, Uint8Array};
use obbligato::shape::Triangle;
use obbligato::{Capsule, Sphere};
use obbligato_files::{ReadOptions, read_mesh_from, read_scene_from};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answers::Fields;
use crate::bodies::row;
use crate::errors::{Result, other, raise};

/// The bodies in the contents of a CSV or NPY file, which errors call by its name.
#[wasm_bindgen(js_name = readScene)]
pub fn read_scene(name: &str, contents: &Uint8Array) -> Result<JsValue> {
    let contents = Cursor::new(contents.to_vec());
    let scene = read_scene_from(Path::new(name), contents, &ReadOptions::default()).map_err(failed)?;
    let fields = Fields::new();
    let boxes: Vec<f32> = scene.boxes.iter().flat_map(row).collect();
    fields.set("boxes", Float32Array::from(&boxes[..]));
    let capsules: Vec<f32> = scene.capsules.iter().flat_map(capsule_row).collect();
    fields.set("capsules", Float32Array::from(&capsules[..]));
    let spheres = bytemuck::cast_slice::<Sphere, f32>(&scene.spheres);
    fields.set("spheres", Float32Array::from(spheres));
    fields.set("inPlane", scene.in_plane);
    Ok(fields.into())
}

/// The triangles in the contents of a mesh file, which errors call by its name.
#[wasm_bindgen(js_name = readMesh)]
pub fn read_mesh(name: &str, contents: &Uint8Array) -> Result<JsValue> {
    let mesh = read_mesh_from(Path::new(name), &contents.to_vec()).map_err(failed)?;
    let fields = Fields::new();
    let triangles = bytemuck::cast_slice::<Triangle, f32>(&mesh.triangles);
    fields.set("triangles", Float32Array::from(triangles));
    fields.set("origin", Float64Array::from(&mesh.origin.to_array()[..]));
    let notes = mesh.notes.iter().map(|note| JsValue::from(note.to_string()));
    fields.set("notes", notes.collect::<Array>());
    Ok(fields.into())
}

fn failed(error: obbligato_files::Error) -> JsValue {
    match error {
        obbligato_files::Error::Engine(error) => raise(error),
        error => other("File", &error),
    }
}

fn capsule_row(capsule: &Capsule) -> [f32; 9] {
    let ([cx, cy, cz], [qx, qy, qz, qw]) = (capsule.center.to_array(), capsule.rotation.to_array());
    [cx, cy, cz, capsule.half_length, qx, qy, qz, qw, capsule.radius]
}
