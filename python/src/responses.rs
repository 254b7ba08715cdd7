//! Responses to impacts: steps from impact to impact, and bodies that go back.

use numpy::{IntoPyArray, PyArray1};
use obbligato::motion::{Impact, Motion};
use obbligato::response::{Advance, Mass, Partner, advance, bounce, roll_back_bodies, stop};
use obbligato::shape::OwnedBodies;
use obbligato::{Error, Obb};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Numbers, read_doubles, shape, table};
use crate::bodies::{Centers, Read};
use crate::boxes::rows;
use crate::checker::Checker;
use crate::errors::{about, own_argument};
use crate::files::row_of_motion;
use crate::motions::{expect_one_each, motions as motions_of};
use crate::questions::result;
use crate::rules::Held;
use crate::settings::read;

/// The number of sweeps of a step, unless the call has another.
const LIMIT: usize = 1000;

/// The response to impacts.
enum Response {
    Stop,
    Bounce { masses: Vec<Option<f64>>, restitution: f64 },
}

impl Response {
    fn new(count: usize, masses: Option<&Bound<'_, PyAny>>, restitution: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let restitution_of = |restitution| -> PyResult<f64> {
            let number: f64 = read("restitution", restitution, "a number from 0 to 1")?;
            match (0.0..=1.0).contains(&number) {
                true => Ok(number),
                false => Err(own_argument(
                    restitution.py(),
                    ("restitution", None),
                    "InvalidRestitution",
                    &format!("{number} is not a restitution: give a number from 0 to 1"),
                )),
            }
        };
        match (masses, restitution) {
            (None, None) => Ok(Self::Stop),
            (None, Some(_)) => Err(PyTypeError::new_err(
                "restitution is given without masses: give both, or leave it out",
            )),
            (Some(masses), restitution) => Ok(Self::Bounce {
                masses: masses_of(masses, count)?,
                restitution: restitution.map_or(Ok(1.0), restitution_of)?,
            }),
        }
    }

    /// The motions of two boxes after an impact. `partners` are the boxes and motions at that time.
    fn answer(&self, impact: &Impact, partners: [(&Obb, &Motion); 2]) -> [Motion; 2] {
        let Self::Bounce { masses, restitution } = self else {
            return stop(partners, &impact.first);
        };
        let mass = |number: u32, body: &Obb| match masses[number as usize] {
            Some(mass) => Mass::of(body, mass),
            None => Mass::FIXED,
        };
        let [(a, of_a), (b, of_b)] = partners;
        let [mass_a, mass_b] = [mass(impact.pair.a, a), mass(impact.pair.b, b)];
        bounce(
            [partner(a, of_a, &mass_a), partner(b, of_b, &mass_b)],
            &impact.first,
            *restitution,
        )
    }
}

fn partner<'a>(body: &'a Obb, motion: &'a Motion, mass: &'a Mass) -> Partner<'a> {
    Partner {
        body: body.into(),
        motion,
        mass,
    }
}

/// The mass of each body, or `None` for one that nothing moves.
fn masses_of(masses: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<Option<f64>>> {
    let array = read_doubles("masses", masses)?;
    if shape(&array)? != [count] {
        return Err(PyValueError::new_err(format!(
            "masses has the shape {}: give ({count},), one for each body",
            array.getattr("shape")?
        )));
    }
    let masses: Vec<f64> = match Numbers::<f32>::of(&array) {
        Ok(numbers) => numbers.iter().map(|&mass| mass.into()).collect(),
        Err(_) => Numbers::<f64>::of(&array)?.to_vec(),
    };
    if let Some(row) = masses.iter().position(|mass| mass.is_nan() || *mass <= 0.0) {
        let message = format!(
            "the mass of body {row} is {}: give a number above 0, infinite for a body that nothing moves",
            masses[row]
        );
        return Err(own_argument(array.py(), ("masses", Some(row)), "InvalidMass", &message));
    }
    Ok(masses
        .into_iter()
        .map(|mass| mass.is_finite().then_some(mass))
        .collect())
}

#[pymethods]
impl Checker {
    /// Moves boxes through a step of `dt` seconds, from impact to impact: see `Advanced`. Motions
    /// are those of `sweep`, rules those of `check`.
    ///
    /// At an impact both boxes stop if they move into each other; with `masses`, (N,) in any unit,
    /// infinite for a box that nothing moves, they bounce off each other as solids of uniform
    /// density, without friction. `restitution` is the part of the speed that they keep, from 0 to
    /// 1; 1 unless given. Boxes are kept apart by `skin`, a distance above the rounding of
    /// coordinates and far below the size of a box. No pair collides at the end that did not at the
    /// start. After `limit` sweeps the rest of the step is left out.
    ///
    /// >>> import obbligato
    /// >>> boxes = [[x, 0, 0, 1, 1, 1, 0, 0, 0, 1] for x in (0, 4)]
    /// >>> moved = obbligato.Checker(backend="cpu").advance(boxes, [[2, 0, 0], [0, 0, 0]], 2, 1e-3, masses=[1, 1])
    /// >>> moved.boxes[:, 0].round(2).tolist(), moved.motions[:, 0].tolist()
    /// ([2.0, 6.0], [0.0, 2.0])
    #[pyo3(
        signature = (boxes, motions, dt, skin, *, masses=None, restitution=None, limit=None, **rules),
        text_signature = "($self, boxes, motions, dt, skin, *, masses=None, restitution=None, limit=1000, owners=None, worlds=None, statics=None, active=None, margins=None, groups=None, excluded=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn advance<'py>(
        &self,
        py: Python<'py>,
        boxes: &Bound<'py, PyAny>,
        motions: &Bound<'py, PyAny>,
        dt: &Bound<'py, PyAny>,
        skin: &Bound<'py, PyAny>,
        masses: Option<&Bound<'py, PyAny>>,
        restitution: Option<&Bound<'py, PyAny>>,
        limit: Option<&Bound<'py, PyAny>>,
        rules: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (dt, skin) = (
            read("dt", dt, "a number of seconds")?,
            read("skin", skin, "a distance")?,
        );
        let limit = limit.map_or(Ok(LIMIT), |limit| read("limit", limit, "a number of sweeps"))?;
        let held = Held::new("boxes", boxes, rules, Centers::OnlyF32)?;
        let mut moves = motions_of("motions", motions)?;
        let count = held.len();
        expect_one_each("motions", count, moves.len())?;
        let response = Response::new(count, masses, restitution)?;
        let done = self.with(py, count, move |checker, [room, _]| {
            let bodies = held.shapes.bodies(room)?;
            if bodies.boxes.len() != count {
                return Err(Error::Unavailable {
                    what: "a step of capsules and spheres from impact to impact",
                    hint: "give boxes, or answer the impacts of `sweep` yourself",
                });
            }
            let mut boxes = bodies.boxes.to_vec();
            let step = Advance {
                dt,
                skin,
                limit,
                rules: held.rules(),
            };
            let respond = |impact: &Impact, partners: [(&Obb, &Motion); 2]| response.answer(impact, partners);
            let done = advance(checker, &mut boxes, &mut moves, &step, respond)?;
            Ok((boxes, moves, done))
        });
        let (boxes, moves, done) = done.map_err(about([("boxes", count)]))?;
        let fields = PyDict::new(py);
        fields.set_item("boxes", table(py, rows(&boxes))?)?;
        fields.set_item("motions", table(py, moves.iter().map(row_of_motion).collect())?)?;
        fields.set_item("impacts", done.impacts)?;
        fields.set_item("sweeps", done.sweeps)?;
        fields.set_item("shortened", done.shortened)?;
        fields.set_item("left", done.left)?;
        result(py, "Advanced", &fields)
    }

    /// Finds the bodies that have to go back from `wanted` to where they are in `safe`, so that
    /// bodies collide only if they did so in `safe` and neither has moved. Returns (N,) bool.
    ///
    /// Both bodies of a colliding pair go back, and those that have moved into their places, too.
    /// Both placements have the same bodies in the same order. Rules are those of `check`, and the
    /// checker's margin is kept.
    ///
    /// >>> import obbligato, numpy
    /// >>> safe, wanted = (numpy.float32([[x, 0, 0, 0.5] for x in row]) for row in ((0, 2, 9), (1.5, 2, 5)))
    /// >>> checker = obbligato.Checker(backend="cpu")
    /// >>> back = checker.roll_back(obbligato.Spheres(safe), obbligato.Spheres(wanted))
    /// >>> numpy.where(back[:, None], safe, wanted)[:, 0].tolist()
    /// [0.0, 2.0, 5.0]
    #[pyo3(
        signature = (safe, wanted, **rules),
        text_signature = "($self, safe, wanted, *, owners=None, worlds=None, statics=None, active=None, margins=None, groups=None, excluded=None)"
    )]
    fn roll_back<'py>(
        &self,
        py: Python<'py>,
        safe: &Bound<'py, PyAny>,
        wanted: &Bound<'py, PyAny>,
        rules: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let held = Held::new("safe", safe, rules, Centers::OnlyF32)?;
        let wanted = Read::new("wanted", wanted, Centers::OnlyF32)?.shapes;
        let count = wanted.len();
        let back = self.with(py, count, move |checker, [room, other]| {
            let bodies = wanted.bodies(other)?;
            let mut placed = OwnedBodies {
                boxes: bodies.boxes.to_vec(),
                capsules: bodies.capsules.to_vec(),
                spheres: bodies.spheres.to_vec(),
            };
            roll_back_bodies(checker, held.rules(), held.shapes.bodies(room)?, &mut placed)
        });
        Ok(back.map_err(about([("wanted", count)]))?.into_pyarray(py))
    }
}
