//! Pictures drawn on the CPU, for pages without WebGPU.

use js_sys::Uint8ClampedArray;
use obbligato::Backend;
use obbligato::Config;
use obbligato::glam::DVec3;
use obbligato_render::{Camera, Error, Legend, Mark, Renderer, View};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answers::Fields;
use crate::arrays;
use crate::bodies::Held;
use crate::errors::{Result, invalid, other, raise};
use crate::options::Options;

/// The picture of bodies, with a mark for each: 0 free, 1 touching, 2 overlapping. Without a
/// camera, all of them are in it. The triangles of a mesh may be in it, too.
#[wasm_bindgen]
pub fn picture(bodies: &JsValue, marks: &JsValue, options: &JsValue) -> Result<JsValue> {
    let known = ["width", "height", "eye", "target", "triangles", "triangleMarks"];
    let options = Options::new(options, &known)?;
    let mut held = Held::default();
    held.read(bodies)?;
    let marks = marks_in("marks", marks)?;
    let triangles = options
        .get("triangles")
        .map(|list| arrays::triangles("triangles", &list));
    let triangles = triangles.transpose()?.unwrap_or_default();
    let triangle_marks = options
        .get("triangleMarks")
        .map(|list| marks_in("triangleMarks", &list));
    let triangle_marks = triangle_marks.transpose()?.unwrap_or_default();
    let view = View {
        bodies: held.bodies(),
        marks: &marks,
        triangles: &triangles,
        triangle_marks: &triangle_marks,
        legend: Legend::Hidden,
        ..View::default()
    };
    let size = [options.count("width")?, options.count("height")?].map(|side| side.unwrap_or(512) as u32);
    let camera = match (options.get("eye"), options.get("target")) {
        (Some(eye), Some(target)) => Camera::new(point("eye", &eye)?, point("target", &target)?),
        _ => Camera::around(&view, size),
    };
    let config = Config {
        backend: Backend::Cpu,
        ..Config::default()
    };
    let drawn = Renderer::new(&config).and_then(|mut renderer| renderer.draw(&view, &camera, size));
    let picture = drawn.map_err(|error| match error {
        Error::Engine(error) => raise(error),
        error => other("Picture", &error),
    })?;
    let fields = Fields::new();
    fields.number("width", picture.width.into());
    fields.number("height", picture.height.into());
    fields.set("pixels", Uint8ClampedArray::from(&picture.pixels[..]));
    Ok(fields.into())
}

fn marks_in(what: &'static str, value: &JsValue) -> Result<Vec<Mark>> {
    let mark = |byte: u8| Mark::ALL.get(usize::from(byte)).copied().unwrap_or(Mark::Overlapping);
    Ok(arrays::bytes(what, value)?.into_iter().map(mark).collect())
}

fn point(what: &'static str, value: &JsValue) -> Result<DVec3> {
    match arrays::doubles(what, value)?.as_deref() {
        Some(&[x, y, z]) => Ok(DVec3::new(x, y, z)),
        _ => Err(invalid(&format!(
            "{what} is not a point: give a Float64Array of 3 numbers"
        ))),
    }
}
