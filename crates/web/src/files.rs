//! Scenes from files.

use std::io::Cursor;
use std::path::Path;

use js_sys::{Array, Float32Array, Float64Array, Uint8Array};
use obbligato::shape::Triangle;
use obbligato::{Capsule, Sphere};
use obbligato_files::{ReadOptions, SceneFile, Value, read_mesh_from, read_scene_from, read_scene_rows};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::answers::Fields;
use crate::arrays::{doubles, singles};
use crate::bodies::row;
use crate::errors::{Result, invalid, other, raise};

/// The bodies in the contents of a CSV or NPY file, which errors call by its name.
#[wasm_bindgen(js_name = readScene)]
pub fn read_scene(name: &str, contents: &Uint8Array) -> Result<JsValue> {
    let contents = Cursor::new(contents.to_vec());
    let scene = read_scene_from(Path::new(name), contents, &ReadOptions::default());
    scene.map(bodies).map_err(failed)
}

/// The bodies in a table, which errors call by its name: for each column its name and its values.
#[wasm_bindgen(js_name = readTable)]
pub fn read_table(name: &str, columns: &Array) -> Result<JsValue> {
    let columns: Vec<(String, Column)> = columns.iter().map(Column::named).collect::<Result<_>>()?;
    let count = columns.first().map_or(0, |(_, column)| column.len());
    if let Some((other, column)) = columns.iter().find(|(_, column)| column.len() != count) {
        return Err(invalid(&format!(
            "column {other} has {} rows, and column {} has {count}: give as many",
            column.len(),
            columns[0].0
        )));
    }
    let (names, columns): (Vec<String>, Vec<Column>) = columns.into_iter().unzip();
    let rows = (0..count).map(|row| columns.iter().map(|column| column.value(row)).collect());
    let scene = read_scene_rows(Path::new(name), names, rows, &ReadOptions::default());
    scene.map(bodies).map_err(failed)
}

/// The values of a column.
enum Column {
    Singles(Vec<f32>),
    Doubles(Vec<f64>),
    /// Values of any type, also `null`.
    Mixed(Array),
}

impl Column {
    fn named(entry: JsValue) -> Result<(String, Self)> {
        let entry = Array::from(&entry);
        let name = entry.get(0).as_string();
        let name = name.ok_or_else(|| invalid("a column has no name: give [name, values] for each"))?;
        let values = entry.get(1);
        let column = if let Some(list) = doubles("a column", &values)? {
            Self::Doubles(list)
        } else if let Some(list) = values.dyn_ref::<Array>() {
            Self::Mixed(list.clone())
        } else {
            Self::Singles(singles("a column", &values)?)
        };
        Ok((name, column))
    }

    fn len(&self) -> u32 {
        match self {
            Self::Singles(list) => list.len() as u32,
            Self::Doubles(list) => list.len() as u32,
            Self::Mixed(list) => list.length(),
        }
    }

    fn value(&self, row: u32) -> Value {
        match self {
            Self::Singles(list) => Value::Single(list[row as usize]),
            Self::Doubles(list) => Value::Double(list[row as usize]),
            Self::Mixed(list) => value_of(list.get(row)),
        }
    }
}

fn value_of(value: JsValue) -> Value {
    if value.is_null() || value.is_undefined() {
        return Value::Nothing;
    }
    let number = value.as_f64().map(Value::Double);
    let flag = || value.as_bool().map(Value::Flag);
    let text = || value.as_string().map(Value::Text);
    let whole = || {
        let signed = i64::try_from(value.clone()).map(i128::from);
        let whole = signed.or_else(|value| u64::try_from(value).map(i128::from));
        whole.ok().map(Value::Whole)
    };
    // Objects are no field of a table.
    let found = number.or_else(flag).or_else(text).or_else(whole);
    found.unwrap_or_else(|| Value::Text("an object".to_owned()))
}

/// The bodies of a scene as arrays.
fn bodies(scene: SceneFile) -> JsValue {
    let fields = Fields::new();
    let boxes: Vec<f32> = scene.boxes.iter().flat_map(row).collect();
    fields.set("boxes", Float32Array::from(&boxes[..]));
    let capsules: Vec<f32> = scene.capsules.iter().flat_map(capsule_row).collect();
    fields.set("capsules", Float32Array::from(&capsules[..]));
    let spheres = bytemuck::cast_slice::<Sphere, f32>(&scene.spheres);
    fields.set("spheres", Float32Array::from(spheres));
    fields.set("inPlane", scene.in_plane);
    fields.into()
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
