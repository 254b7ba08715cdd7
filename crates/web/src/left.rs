//! The GPU's buffers with what a check has left, for code in the worker of a checker: no other
//! thread can use them.

use js_sys::{Array, Uint32Array};
use obbligato::Query;
use obbligato::unstable::gpu::{Inside, Left};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answers::Fields;
use crate::arrays;
use crate::checker::{Checker, Last};
use crate::errors::{Result, no_buffers, raise};

#[wasm_bindgen]
impl Checker {
    /// The device. Checks keep from now on what they leave there.
    pub fn device(&mut self) -> Result<JsValue> {
        let mut inside = self.inside()?;
        let device = inside.keep_what_is_left().as_webgpu();
        device.map(JsValue::from).ok_or_else(no_buffers)
    }

    /// Uploads bodies without checking them.
    pub fn place(&mut self, bodies: &JsValue) -> Result<()> {
        self.read(bodies, &JsValue::UNDEFINED)?;
        let Self { checker, sets, .. } = self;
        let mut inside = Inside::of(checker).ok_or_else(no_buffers)?;
        inside.place(sets[0].set()).map_err(raise)
    }

    /// Uploads the triangles of a mesh without checking them.
    #[wasm_bindgen(js_name = placeMesh)]
    pub fn place_mesh(&mut self, triangles: &JsValue) -> Result<()> {
        let triangles = arrays::triangles("triangles", triangles)?;
        self.last = Last::Mesh;
        self.inside()?.place(Query::mesh(&triangles)).map_err(raise)
    }

    /// The object of what the last check has left; undefined if that is not all on the device.
    pub fn left(&mut self) -> Result<JsValue> {
        let last = self.last;
        let inside = self.inside()?;
        let left = inside.left().filter(|_| last != Last::TwoSets);
        let object = left.and_then(|left| left_object(left, last == Last::Mesh));
        Ok(object.unwrap_or_default())
    }

    fn inside(&mut self) -> Result<Inside<'_>> {
        Inside::of(&mut self.checker).ok_or_else(no_buffers)
    }
}

fn left_object(left: &Left, is_mesh: bool) -> Option<JsValue> {
    let fields = Fields::new();
    fields.set("records", left.records.as_webgpu()?.clone());
    let (triangles, bodies) = match is_mesh {
        true => (left.counts[0], [0; 3]),
        false => (0, left.counts),
    };
    let [boxes, capsules, spheres] = bodies.map(|count| JsValue::from(count as f64));
    fields.set("bodies", Array::of3(&boxes, &capsules, &spheres));
    fields.number("triangles", triangles as f64);
    fields.number("scale", left.scale);
    fields.set("pairs", left.pairs.as_webgpu()?.clone());
    fields.number("listed", left.listed.into());
    fields.set("others", Uint32Array::from(bytemuck::cast_slice(&left.others)));
    Some(fields.into())
}
