//! Pictures of scenes.

use obbligato::glam::DVec3;
use obbligato::{Backend, Checker, Config, Error as EngineError, Query};
use obbligato_render::{Camera, Error, Legend, Mark, Picture, Renderer, Result, View, marks};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::bodies::{Centers, Listed, Room};
use crate::errors::{about, own_argument, raise};
use crate::rules::Held;
use crate::settings::read;
use crate::space::Space;
use crate::threads::detached;

/// The size of a picture in pixels, unless the call has another.
const SIZE: [u32; 2] = [1280, 720];
/// The form of a place.
const PLACE: &str = "three numbers x y z, or None";

/// A drawn scene: the file, and the numbers of bodies that are free, touching and overlapping.
struct Drawn {
    png: Vec<u8>,
    size: [u32; 2],
    counts: [usize; 3],
}

/// The position of the camera and its target, as far as given.
#[derive(Clone, Copy)]
struct Sight {
    camera: Option<DVec3>,
    target: Option<DVec3>,
}

/// Draws a picture of a scene, on the CPU: free bodies are grey, bodies that only touch others are
/// blue, and bodies that overlap others are vermillion. See `Picture`, which notebooks show.
///
/// `boxes` are shapes of any kind but `Bounds` and `Solids`, with positions in float32. `size` is
/// the width and the height in pixels. `camera` is the position of the camera and `target` the
/// point that it looks at, x y z each; without them everything is in the picture, seen from above
/// at an angle, with z up. `period`, `in_plane` and rules are those of `Checker.check`, which finds
/// the pairs; `Checker.check_mesh` finds those of `Triangles`, and colliding ones are vermillion.
/// Every body is drawn at least one pixel in size.
///
/// >>> import obbligato
/// >>> picture = obbligato.render(obbligato.Spheres([[x, 0, 0, 1] for x in (0, 1.5, 9)]), size=(320, 200))
/// >>> picture
/// <Picture: 320 x 200, 1 free, 0 touching, 2 overlapping>
/// >>> picture.png[:4]
/// b'\x89PNG'
#[pyfunction]
#[pyo3(
    signature = (boxes, *, size=None, camera=None, target=None, period=None, in_plane=false, **rules),
    text_signature = "(boxes, *, size=(1280, 720), camera=None, target=None, period=None, in_plane=False, owners=None, worlds=None, statics=None, active=None, margins=None, groups=None, excluded=None)"
)]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn render<'py>(
    py: Python<'py>,
    boxes: &Bound<'py, PyAny>,
    size: Option<&Bound<'py, PyAny>>,
    camera: Option<&Bound<'py, PyAny>>,
    target: Option<&Bound<'py, PyAny>>,
    period: Option<&Bound<'py, PyAny>>,
    in_plane: bool,
    rules: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let size = size.map_or(Ok(SIZE), |size| {
        read("size", size, "two numbers of pixels, (width, height)")
    })?;
    let sight = sight_of(camera, target)?;
    let space = Space::of(period, in_plane)?;
    let held = Held::new("boxes", boxes, rules, Centers::OnlyF32)?;
    let count = held.len();
    // A picture takes longer than the smallest scenes, which the caller's thread works on.
    let drawn = detached(py, usize::MAX, move || {
        Ok::<_, EngineError>(draw(&held, space, sight, size))
    })?;
    let drawn = drawn.map_err(|error| about([("boxes", count)])(raise_picture(error)))?;
    let fields = PyDict::new(py);
    fields.set_item("png", PyBytes::new(py, &drawn.png))?;
    let [free, touching, overlapping] = drawn.counts;
    let numbers = [("free", free), ("touching", touching), ("overlapping", overlapping)];
    let [width, height] = drawn.size.map(|side| side as usize);
    for (name, number) in [("width", width), ("height", height)].into_iter().chain(numbers) {
        fields.set_item(name, number)?;
    }
    py.import("obbligato._pictures")?
        .getattr("Picture")?
        .call((), Some(&fields))
}

fn sight_of(camera: Option<&Bound<'_, PyAny>>, target: Option<&Bound<'_, PyAny>>) -> PyResult<Sight> {
    let place = |name: &str, place: Option<&Bound<'_, PyAny>>| {
        let numbers = place.map(|place| read::<[f64; 3]>(name, place, PLACE));
        Ok::<_, PyErr>(numbers.transpose()?.map(DVec3::from_array))
    };
    let (camera, target) = (place("camera", camera)?, place("target", target)?);
    match (camera, target) {
        (None, Some(_)) => Err(PyTypeError::new_err(
            "target is given without camera: give both, or leave it out",
        )),
        _ => Ok(Sight { camera, target }),
    }
}

fn raise_picture(error: Error) -> PyErr {
    let message = error.to_string();
    let own = |argument, kind| Python::attach(|py| own_argument(py, (argument, None), kind, &message));
    match error {
        Error::Engine(error) => raise(error),
        Error::InvalidCamera { .. } => own("camera", "InvalidCamera"),
        Error::InvalidPicture { .. } => own("size", "InvalidPicture"),
        _ => own("boxes", "MissingMarks"),
    }
}

fn draw(held: &Held, space: Space, sight: Sight, size: [u32; 2]) -> Result<Drawn> {
    let config = Config {
        backend: Backend::Cpu,
        list_touching: true,
        ..Config::default()
    };
    let mut checker = Checker::new(config.clone())?;
    let mut room = Room::default();
    if let Listed::Bounds(_) = &held.shapes {
        return Err(Error::Engine(EngineError::Unavailable {
            what: "a picture of bounds",
            hint: "give them as boxes",
        }));
    }
    if let Some(triangles) = held.shapes.triangles() {
        let report = space.check(&mut checker, Query::mesh(held.set(&mut room)?))?;
        let mark = |collides| if collides { Mark::Overlapping } else { Mark::Free };
        let marks: Vec<Mark> = report.marks()?.into_iter().map(mark).collect();
        let view = View {
            triangles,
            triangle_marks: &marks,
            legend: Legend::Colliding,
            ..View::default()
        };
        return drawn(&view, &config, sight, size);
    }
    let report = space.check(&mut checker, Query::from(held.set(&mut room)?))?;
    let marks = marks(&report)?;
    let view = View {
        bodies: held.shapes.bodies(&mut room)?,
        marks: &marks,
        ..View::default()
    };
    drawn(&view, &config, sight, size)
}

fn drawn(view: &View<'_>, config: &Config, sight: Sight, size: [u32; 2]) -> Result<Drawn> {
    let around = || Camera::around(view, size);
    let camera = match sight.camera {
        Some(position) => Camera::new(position, sight.target.unwrap_or_else(|| around().target)),
        None => around(),
    };
    let picture: Picture = Renderer::new(config)?.draw(view, &camera, size)?;
    Ok(Drawn {
        png: picture.png()?,
        size,
        counts: view.counts(),
    })
}
