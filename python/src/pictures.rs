//! Pictures, animations and glTF files of scenes.

use obbligato::glam::DVec3;
use obbligato::motion::{Motion, Step};
use obbligato::query::{ContactQuery, Sweep};
use obbligato::shape::{OwnedBodies, Triangle};
use obbligato::{Backend, Bodies, Checker, Config, Error as EngineError, Query};
use obbligato_render::{Arrow, Camera, Error, Legend, Mark, Picture, Renderer, Result, View, arrows, ghosts, marks};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::bodies::{Centers, Listed, Room};
use crate::errors::{about, own_argument, raise};
use crate::motions::{expect_one_each, motions as read_motions, step_of};
use crate::rules::Held;
use crate::settings::read;
use crate::space::Space;
use crate::threads::detached;

/// The size of a picture in pixels, unless the call has another.
const SIZE: [u32; 2] = [1280, 720];
/// The duration of each frame of an animation, unless the call has another.
const MILLISECONDS: u16 = 100;
/// The message for frames that cannot be iterated over.
const NO_FRAMES: &str = "frames is not a list: give a list or an iterator of lists of shapes";
/// The form of a place.
const PLACE: &str = "three numbers x y z, or None";

/// Draws a picture of a scene, on the CPU: free bodies are grey, bodies that only touch others are
/// blue, and bodies that overlap others are vermillion. See `Picture`, which notebooks show.
///
/// `boxes` are shapes of any kind but `Bounds` and `Solids`. `size` is the width and the height in
/// pixels. `camera` is the position of the camera and `target` the point that it looks at, x y z
/// each; without them everything is in the picture, seen from above at an angle, with z up.
/// `period`, `in_plane` and rules are those of `Checker.check`, which finds the pairs;
/// `Checker.check_mesh` finds those of `Triangles`, and colliding ones are vermillion. Every body
/// is drawn at least one pixel in size.
///
/// `contacts=True` draws the 10,000 deepest contacts as arrows from the first body to the second.
/// `motions` and `dt` are those of `Checker.sweep`: bodies are transparent at four times of the
/// step, and vermillion if they meet others in it. Neither is for `Triangles`, and motions need
/// positions in float32.
///
/// >>> import obbligato
/// >>> picture = obbligato.render(obbligato.Spheres([[x, 0, 0, 1] for x in (0, 1.5, 9)]), size=(320, 200))
/// >>> picture
/// <Picture: 320 x 200, 1 free, 0 touching, 2 overlapping>
/// >>> picture.png[:4]
/// b'\x89PNG'
#[pyfunction]
#[pyo3(
    signature = (boxes, *, size=None, camera=None, target=None, contacts=false, motions=None, dt=None, period=None, in_plane=false, **rules),
    text_signature = "(boxes, *, size=(1280, 720), camera=None, target=None, contacts=False, motions=None, dt=None, period=None, in_plane=False, owners=None, worlds=None, statics=None, active=None, margins=None, groups=None, excluded=None)"
)]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn render<'py>(
    py: Python<'py>,
    boxes: &Bound<'py, PyAny>,
    size: Option<&Bound<'py, PyAny>>,
    camera: Option<&Bound<'py, PyAny>>,
    target: Option<&Bound<'py, PyAny>>,
    contacts: bool,
    motions: Option<&Bound<'py, PyAny>>,
    dt: Option<&Bound<'py, PyAny>>,
    period: Option<&Bound<'py, PyAny>>,
    in_plane: bool,
    rules: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let sight = Sight::of(size, camera, target)?;
    let content = Content::of(Space::of(period, in_plane)?, contacts, [motions, dt])?;
    let held = content.hold("boxes", boxes, rules)?;
    let list = ("boxes".to_owned(), held.len());
    let drawn = on_cpu(py, vec![list], move |config| draw(&held, &content, sight, config))?;
    picture(py, &drawn, sight.size)
}

/// Draws an animation of scenes, on the CPU: a picture for each, `milliseconds` long, all with the
/// same camera. It repeats. Notebooks and browsers show it; other programs may show the first
/// picture alone.
///
/// `frames` are lists of shapes as `render` takes them: with rules, give each as a `BoxSet`. The
/// other arguments are those of `render`. The counts are those of all pictures together.
///
/// >>> import obbligato
/// >>> frames = [obbligato.Spheres([[0, 0, 0, 1], [x, 0, 0, 1]]) for x in (3, 2, 1)]
/// >>> obbligato.animation(frames, size=(320, 200))
/// <Picture: 320 x 200, 2 free, 2 touching, 2 overlapping>
#[pyfunction]
#[pyo3(
    signature = (frames, *, milliseconds=None, size=None, camera=None, target=None, contacts=false, period=None, in_plane=false),
    text_signature = "(frames, *, milliseconds=100, size=(1280, 720), camera=None, target=None, contacts=False, period=None, in_plane=False)"
)]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn animation<'py>(
    py: Python<'py>,
    frames: &Bound<'py, PyAny>,
    milliseconds: Option<&Bound<'py, PyAny>>,
    size: Option<&Bound<'py, PyAny>>,
    camera: Option<&Bound<'py, PyAny>>,
    target: Option<&Bound<'py, PyAny>>,
    contacts: bool,
    period: Option<&Bound<'py, PyAny>>,
    in_plane: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let milliseconds = milliseconds.map_or(Ok(MILLISECONDS), |milliseconds| {
        read("milliseconds", milliseconds, "a whole number from 0 to 65535")
    })?;
    let sight = Sight::of(size, camera, target)?;
    let content = Content::of(Space::of(period, in_plane)?, contacts, [None, None])?;
    let frames = frames.try_iter().map_err(|_| PyTypeError::new_err(NO_FRAMES))?;
    let (mut scenes, mut lists) = (Vec::new(), Vec::new());
    for (k, boxes) in frames.enumerate() {
        let name = format!("frames[{k}]");
        let held = content.hold(&name, &boxes?, None)?;
        lists.push((name, held.len()));
        scenes.push(held);
    }
    if scenes.is_empty() {
        return Err(PyValueError::new_err(
            "frames is empty: give at least one list of shapes",
        ));
    }
    let drawn = on_cpu(py, lists, move |config| {
        animate(&scenes, &content, sight, (milliseconds, config))
    })?;
    picture(py, &drawn, sight.size)
}

/// Returns a scene as a binary glTF file for other programs, without a camera: bodies as triangles,
/// with a material for each of the colours of `render`, whose arguments these are.
///
/// >>> import obbligato, pathlib, tempfile
/// >>> file = obbligato.glb(obbligato.scene("crowd", 100))
/// >>> pathlib.Path(tempfile.mkdtemp(), "crowd.glb").write_bytes(file) == len(file)
/// True
/// >>> file[:4]
/// b'glTF'
#[pyfunction]
#[pyo3(
    signature = (boxes, *, motions=None, dt=None, period=None, in_plane=false, **rules),
    text_signature = "(boxes, *, motions=None, dt=None, period=None, in_plane=False, owners=None, worlds=None, statics=None, active=None, margins=None, groups=None, excluded=None)"
)]
pub fn glb<'py>(
    py: Python<'py>,
    boxes: &Bound<'py, PyAny>,
    motions: Option<&Bound<'py, PyAny>>,
    dt: Option<&Bound<'py, PyAny>>,
    period: Option<&Bound<'py, PyAny>>,
    in_plane: bool,
    rules: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let content = Content::of(Space::of(period, in_plane)?, false, [motions, dt])?;
    let held = content.hold("boxes", boxes, rules)?;
    let list = ("boxes".to_owned(), held.len());
    let file = on_cpu(py, vec![list], move |config| {
        let mut room = Room::default();
        let shown = Shown::new(&held, &mut room, &content, &mut checker(config)?)?;
        Ok(obbligato_render::glb(&shown.view())?)
    })?;
    Ok(PyBytes::new(py, &file))
}

/// A file, and the numbers of bodies that are free, touching and overlapping.
struct Drawn {
    png: Vec<u8>,
    counts: [usize; 3],
}

/// An error, and the position of the scene that it is about.
struct Failed(usize, Error);

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self(0, error)
    }
}

/// The size of a picture, and the position of the camera and its target as far as given.
#[derive(Clone, Copy)]
struct Sight {
    size: [u32; 2],
    camera: Option<DVec3>,
    target: Option<DVec3>,
}

impl Sight {
    fn of(
        size: Option<&Bound<'_, PyAny>>,
        camera: Option<&Bound<'_, PyAny>>,
        target: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let size = size.map_or(Ok(SIZE), |size| {
            read("size", size, "two numbers of pixels, (width, height)")
        })?;
        let place = |name: &str, place: Option<&Bound<'_, PyAny>>| {
            let numbers = place.map(|place| read::<[f64; 3]>(name, place, PLACE));
            Ok::<_, PyErr>(numbers.transpose()?.map(DVec3::from_array))
        };
        let (camera, target) = (place("camera", camera)?, place("target", target)?);
        match (camera, target) {
            (None, Some(_)) => Err(PyTypeError::new_err(
                "target is given without camera: give both, or leave it out",
            )),
            _ => Ok(Self { size, camera, target }),
        }
    }

    fn camera(self, views: &[View<'_>]) -> Camera {
        let around = || Camera::around_all(views, self.size);
        match self.camera {
            Some(position) => Camera::new(position, self.target.unwrap_or_else(|| around().target)),
            None => around(),
        }
    }
}

/// The content of a picture besides its bodies.
struct Content {
    space: Space,
    contacts: bool,
    moving: Option<(Vec<Motion>, Step)>,
}

impl Content {
    fn of(space: Space, contacts: bool, moving: [Option<&Bound<'_, PyAny>>; 2]) -> PyResult<Self> {
        let moving = match moving {
            [Some(motions), Some(dt)] => Some((read_motions("motions", motions)?, step_of(dt, None)?)),
            [None, None] => None,
            _ => {
                return Err(PyTypeError::new_err("motions and dt go together: give both or none"));
            }
        };
        Ok(Self {
            space,
            contacts,
            moving,
        })
    }

    /// The shapes in `boxes`, which errors call `what`, if they can have this content.
    fn hold(&self, what: &str, boxes: &Bound<'_, PyAny>, rules: Option<&Bound<'_, PyDict>>) -> PyResult<Held> {
        let centers = match self.moving {
            Some(_) => Centers::OnlyF32,
            None => Centers::F64Too,
        };
        let held = Held::new(what, boxes, rules, centers)?;
        match &held.shapes {
            Listed::Bounds(_) => Err(raise(EngineError::Unavailable {
                what: "a picture of bounds",
                hint: "give them as boxes",
            })),
            Listed::Triangles(_) if self.contacts || self.moving.is_some() => Err(PyTypeError::new_err(format!(
                "{what} is Triangles, which have no contacts and no motions: leave these out"
            ))),
            _ => Ok(()),
        }?;
        if let Some((motions, _)) = &self.moving {
            expect_one_each("motions", held.len(), motions.len())?;
        }
        Ok(held)
    }
}

/// A checked scene as it is drawn.
#[derive(Default)]
struct Shown<'a> {
    bodies: Bodies<'a>,
    marks: Vec<Mark>,
    triangles: &'a [Triangle],
    triangle_marks: Vec<Mark>,
    ghosts: OwnedBodies,
    ghost_marks: Vec<Mark>,
    arrows: Vec<Arrow>,
    origin: DVec3,
    caption: String,
    legend: Legend,
}

impl<'a> Shown<'a> {
    fn new(held: &'a Held, room: &'a mut Room, content: &Content, checker: &mut Checker) -> Result<Self> {
        let space = content.space;
        if let Some(triangles) = held.shapes.triangles() {
            let report = space.check(checker, Query::mesh(held.set(room)?))?;
            let mark = |collides| if collides { Mark::Overlapping } else { Mark::Free };
            return Ok(Self {
                triangles,
                triangle_marks: report.marks()?.into_iter().map(mark).collect(),
                legend: Legend::Colliding,
                ..Self::default()
            });
        }
        let report = space.check(checker, Query::from(held.set(room)?))?;
        let origin = middle(&held.shapes.centers().unwrap_or_default());
        let arrows = match content.contacts {
            true => {
                let query = ContactQuery::within(held.shapes.shapes(room)?, report.pairs()?);
                arrows(&space.contacts(checker, query)?.0, origin)?
            }
            false => Vec::new(),
        };
        let (ghosts, ghost_marks) = match &content.moving {
            Some((motions, step)) => {
                let (found, _) = space.sweep(checker, Sweep::new(held.moving(room, motions)?, step))?;
                ghosts(held.shapes.bodies(room)?, motions, &found.impacts, step.dt)?
            }
            None => Default::default(),
        };
        Ok(Self {
            bodies: held.shapes.bodies_from(origin, room)?,
            marks: marks(&report)?,
            ghosts,
            ghost_marks,
            arrows,
            origin,
            ..Self::default()
        })
    }

    fn view(&self) -> View<'_> {
        View {
            bodies: self.bodies,
            marks: &self.marks,
            triangles: self.triangles,
            triangle_marks: &self.triangle_marks,
            ghosts: self.ghosts.all(),
            ghost_marks: &self.ghost_marks,
            arrows: &self.arrows,
            origin: self.origin,
            caption: &self.caption,
            legend: self.legend,
            ..View::default()
        }
    }
}

/// The middle of points; the origin if there are none.
fn middle(points: &[DVec3]) -> DVec3 {
    let end = |fold: fn(DVec3, DVec3) -> DVec3| points.iter().copied().reduce(fold).unwrap_or_default();
    0.5 * end(DVec3::min) + 0.5 * end(DVec3::max)
}

fn checker(config: &Config) -> Result<Checker> {
    Ok(Checker::new(config.clone())?)
}

fn draw(held: &Held, content: &Content, sight: Sight, config: &Config) -> Result<Drawn, Failed> {
    let mut room = Room::default();
    let shown = Shown::new(held, &mut room, content, &mut checker(config)?)?;
    let view = shown.view();
    let picture = Renderer::new(config)?.draw(&view, &sight.camera(&[view]), sight.size)?;
    Ok(Drawn {
        png: picture.png()?,
        counts: view.counts(),
    })
}

fn animate(
    scenes: &[Held],
    content: &Content,
    sight: Sight,
    (milliseconds, config): (u16, &Config),
) -> Result<Drawn, Failed> {
    let mut checker = checker(config)?;
    let mut rooms: Vec<Room> = scenes.iter().map(|_| Room::default()).collect();
    let digits = (scenes.len() - 1).to_string().len();
    let frames = scenes.iter().zip(&mut rooms).enumerate();
    let shown = frames.map(|(k, (held, room))| -> Result<Shown<'_>, Failed> {
        let shown = Shown::new(held, room, content, &mut checker).map_err(|error| Failed(k, error))?;
        Ok(Shown {
            caption: format!("frame {k:>digits$}"),
            ..shown
        })
    });
    let shown = shown.collect::<Result<Vec<Shown<'_>>, Failed>>()?;
    let views: Vec<View<'_>> = shown.iter().map(Shown::view).collect();
    let camera = sight.camera(&views);
    let mut renderer = Renderer::new(config)?;
    let pictures = views.iter().map(|view| renderer.draw(view, &camera, sight.size));
    let png = Picture::animation(pictures, milliseconds)?;
    let mut counts = [0; 3];
    for (mark, more) in views.iter().flat_map(|view| view.counts().into_iter().enumerate()) {
        counts[mark] += more;
    }
    Ok(Drawn { png, counts })
}

/// Runs `work` on the CPU, without the interpreter's lock. `lists` has the names and lengths of the
/// scenes.
fn on_cpu<T: Send + 'static>(
    py: Python<'_>,
    lists: Vec<(String, usize)>,
    work: impl FnOnce(&Config) -> Result<T, Failed> + Send + 'static,
) -> PyResult<T> {
    let config = Config {
        backend: Backend::Cpu,
        list_touching: true,
        ..Config::default()
    };
    // A picture takes longer than the smallest scenes, which the caller's thread works on.
    let done = detached(py, usize::MAX, move || Ok::<_, EngineError>(work(&config)))?;
    done.map_err(|Failed(scene, error)| {
        let (name, length) = &lists[scene];
        about([(name, *length)])(raise_picture(error, name))
    })
}

fn raise_picture(error: Error, boxes: &str) -> PyErr {
    let message = error.to_string();
    let own = |argument, kind| Python::attach(|py| own_argument(py, (argument, None), kind, &message));
    match error {
        Error::Engine(error) => raise(error),
        Error::InvalidCamera { .. } => own("camera", "InvalidCamera"),
        Error::InvalidPicture { .. } => own("size", "InvalidPicture"),
        _ => own(boxes, "MissingMarks"),
    }
}

/// The picture in the form of Python.
fn picture<'py>(py: Python<'py>, drawn: &Drawn, size: [u32; 2]) -> PyResult<Bound<'py, PyAny>> {
    let fields = PyDict::new(py);
    fields.set_item("png", PyBytes::new(py, &drawn.png))?;
    let [free, touching, overlapping] = drawn.counts;
    let numbers = [("free", free), ("touching", touching), ("overlapping", overlapping)];
    let [width, height] = size.map(|side| side as usize);
    for (name, number) in [("width", width), ("height", height)].into_iter().chain(numbers) {
        fields.set_item(name, number)?;
    }
    py.import("obbligato._pictures")?
        .getattr("Picture")?
        .call((), Some(&fields))
}
