//! Boxes and spheres around groups of points.

use obbligato::error::BoxProblem;
use obbligato::glam::{DVec3, Vec3};
use obbligato::shape::COORDINATE_LIMIT;
use obbligato::{Error, Obb, Obb64, Result, Sphere};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::arrays::{Numbers, table};
use crate::boxes::{rows, rows64};
use crate::errors::{about, raise};
use crate::settings::{chosen, read};
use crate::threads::detached;

/// The groups that points belong to: the start of each, and the end of the last one.
pub struct Groups(Vec<usize>);

impl Groups {
    /// Points in `f32`, and their groups, as `groups` of `_fits.py` reads them.
    pub fn of_points(points: &Bound<'_, PyAny>, offsets: Option<&Bound<'_, PyAny>>) -> PyResult<(Numbers<f32>, Self)> {
        let (points, groups) = Self::of_any(points, offsets, [false; 2])?;
        Ok((Numbers::of(&points)?, groups))
    }

    /// Points, given by x and y alone if they are in the plane, in `f64` if that is accepted, and
    /// their groups.
    fn of_any<'py>(
        points: &Bound<'py, PyAny>,
        offsets: Option<&Bound<'py, PyAny>>,
        [in_plane, double]: [bool; 2],
    ) -> PyResult<(Bound<'py, PyAny>, Self)> {
        let fits = points.py().import("obbligato._fits")?;
        let read = fits.call_method1("groups", (points, offsets, in_plane, double))?;
        let (points, offsets) = read.extract()?;
        Ok((points, Self(offsets)))
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.0.last().copied().unwrap_or(0)
    }

    /// The points of each group.
    pub fn split<'a, T>(&self, points: &'a [T]) -> Vec<&'a [T]> {
        self.0.windows(2).map(|ends| &points[ends[0]..ends[1]]).collect()
    }
}

/// The method of fitting a box.
#[derive(Clone, Copy, PartialEq)]
enum Method {
    Smallest,
    Principal,
    InPlane,
}

/// Coordinates in either precision, kept alive.
enum Coordinates {
    Single(Numbers<f32>),
    Double(Numbers<f64>),
}

/// Boxes in the precision of their points.
enum Fitted {
    Single(Vec<Obb>),
    Double(Vec<Obb64>),
}

/// Fits a box around each of many groups of points: (G, 10) rows, in the order of the groups.
///
/// `points` is a list of (K, 3) arrays, one for each group, or an array (G, K, 3), or (K, 3) with
/// all points one group after the other; then group k is `points[offsets[k]:offsets[k + 1]]`, with
/// `offsets` (G + 1,) whole numbers, and without them all are one group. Points are in the caller's
/// unit, float32 or float64, and the result has their dtype.
///
/// `method` is "smallest", a box of nearly the least volume, or "principal", the box along the
/// principal axes of the points, which is faster and larger. A box contains each of its points,
/// without rounding. With `in_plane=True`, points have two coordinates, float32, and boxes are the
/// rectangles of least area, for questions with `in_plane=True`.
///
/// >>> import obbligato, numpy
/// >>> corners = numpy.array([[x, y, z] for x in (0, 4) for y in (0, 2) for z in (0, 1)], numpy.float32)
/// >>> obbligato.fit_boxes([corners, corners[:1]])[:, :6].tolist()
/// [[2.0, 1.0, 0.5, 2.0, 1.0, 0.5], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
#[pyfunction]
#[pyo3(
    signature = (points, offsets=None, *, method=None, in_plane=None),
    text_signature = "(points, offsets=None, *, method='smallest', in_plane=False)"
)]
pub fn fit_boxes<'py>(
    py: Python<'py>,
    points: &Bound<'py, PyAny>,
    offsets: Option<&Bound<'py, PyAny>>,
    method: Option<&Bound<'py, PyAny>>,
    in_plane: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let method = method_of(method, in_plane)?;
    let in_plane = method == Method::InPlane;
    let (points, groups) = Groups::of_any(points, offsets, [in_plane, !in_plane])?;
    let numbers = match Numbers::of(&points) {
        Ok(single) => Coordinates::Single(single),
        Err(_) => Coordinates::Double(Numbers::of(&points)?),
    };
    let fitted = detached(py, groups.len(), move || match &numbers {
        Coordinates::Single(numbers) => {
            let points = groups.split(bytemuck::cast_slice(numbers));
            Ok(Fitted::Single(boxes(&points, method)?))
        }
        Coordinates::Double(numbers) => {
            let points = groups.split(bytemuck::cast_slice(numbers));
            Ok(Fitted::Double(far_boxes(&points, method)?))
        }
    });
    match fitted.map_err(about([("points", 0)]))? {
        Fitted::Single(boxes) => Ok(table(py, rows(&boxes))?.into_any()),
        Fitted::Double(boxes) => Ok(table(py, rows64(&boxes))?.into_any()),
    }
}

fn method_of(method: Option<&Bound<'_, PyAny>>, in_plane: Option<&Bound<'_, PyAny>>) -> PyResult<Method> {
    let name = method.map(|method| read::<String>("method", method, "a text"));
    let all = [("smallest", Method::Smallest), ("principal", Method::Principal)];
    let method = chosen("method", name.transpose()?.as_deref().unwrap_or("smallest"), all)?;
    let in_plane = in_plane.map_or(Ok(false), |in_plane| read("in_plane", in_plane, "True or False"))?;
    match (method, in_plane) {
        (Method::Principal, true) => Err(raise(Error::Unavailable {
            what: "rectangles along principal axes",
            hint: "leave out method, or in_plane",
        })),
        (_, true) => Ok(Method::InPlane),
        (method, false) => Ok(method),
    }
}

/// Fits the smallest sphere around each of many groups of points, which are given as for
/// `fit_boxes`, as float32. A sphere contains each of its points, without rounding.
///
/// >>> import obbligato, numpy
/// >>> points = numpy.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [5, 5, 5]], numpy.float32)
/// >>> obbligato.fit_spheres(points, offsets=[0, 3, 4]).rows.tolist()
/// [[0.0, 0.0, 0.0, 1.0], [5.0, 5.0, 5.0, 0.0]]
#[pyfunction]
#[pyo3(signature = (points, offsets=None))]
pub fn fit_spheres<'py>(
    py: Python<'py>,
    points: &Bound<'py, PyAny>,
    offsets: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (points, groups) = Groups::of_points(points, offsets)?;
    let spheres = detached(py, groups.len(), move || {
        each(&groups.split(bytemuck::cast_slice(&points)), Sphere::around)
    });
    let spheres: Vec<Sphere> = spheres.map_err(about([("points", 0)]))?;
    let rows = table(py, bytemuck::cast_vec::<Sphere, [f32; 4]>(spheres))?;
    py.import("obbligato._shapes")?.getattr("Spheres")?.call1((rows,))
}

fn boxes(groups: &[&[Vec3]], method: Method) -> Result<Vec<Obb>> {
    match method {
        Method::Smallest => Obb::around_each(groups),
        Method::InPlane => Obb::around_each_in_plane(groups),
        Method::Principal => each(groups, Obb::around_principal_axes),
    }
}

/// The answer about each group of points, on all cores, or the first error and its group.
pub fn each<P: Sync, T: Send>(groups: &[&[P]], answer: impl Fn(&[P]) -> Result<T> + Sync) -> Result<Vec<T>> {
    let answers: Vec<Result<T>> = groups.par_iter().map(|points| answer(points)).collect();
    let named = |(group, answer): (usize, Result<T>)| answer.map_err(|error| in_group(error, group));
    answers.into_iter().enumerate().map(named).collect()
}

fn in_group(error: Error, group: usize) -> Error {
    let group = Some(group);
    match error {
        Error::NoPoints { .. } => Error::NoPoints { group },
        Error::InvalidPoint {
            index, problem, count, ..
        } => Error::InvalidPoint {
            index,
            group,
            problem,
            count,
        },
        other => other,
    }
}

/// Points relative to an origin near them.
struct Near {
    points: Vec<Vec3>,
    origin: DVec3,
    /// The largest distance along an axis by which rounding has moved a point.
    moved: f64,
}

impl Near {
    fn new(points: &[DVec3]) -> Result<Self> {
        validate_points(points)?;
        let is_exact = points.iter().all(|point| point.as_vec3().as_dvec3() == *point);
        let origin = match is_exact {
            true => DVec3::ZERO,
            false => 0.5 * (least(points, DVec3::min) + least(points, DVec3::max)),
        };
        let mut moved = 0.0f64;
        let place = |point: &DVec3| {
            let (from_origin, lost) = sum(*point, -origin);
            let rounded = from_origin.as_vec3();
            let here = (from_origin - rounded.as_dvec3()).abs() + lost.abs();
            moved = moved.max(here.max_element());
            rounded
        };
        Ok(Self {
            points: points.iter().map(place).collect(),
            origin,
            moved,
        })
    }

    /// Moves a box around the points to their place. It is enlarged by as much as rounding has
    /// moved the points and moves the center, along three axes and for any rotation of the box.
    fn placed(&self, obb: &Obb) -> Obb64 {
        let (center, lost) = sum(self.origin, obb.center.as_dvec3());
        let reach = 2.0 * (self.moved + lost.abs().max_element());
        let enlarged = |half: f32| match reach > 0.0 {
            true => ((f64::from(half) + reach) as f32).next_up(),
            false => half,
        };
        let half_extents = Vec3::from_array(obb.half_extents.to_array().map(enlarged));
        Obb64::new(center, half_extents, obb.rotation)
    }
}

fn far_boxes(groups: &[&[DVec3]], method: Method) -> Result<Vec<Obb64>> {
    let near = each(groups, Near::new)?;
    let points: Vec<&[Vec3]> = near.iter().map(|near| &near.points[..]).collect();
    let boxes = boxes(&points, method)?;
    Ok(near.iter().zip(&boxes).map(|(near, obb)| near.placed(obb)).collect())
}

/// Returns an error if one of the points is invalid.
pub fn validate_points<P: Copy + Into<DVec3>>(points: &[P]) -> Result<()> {
    let problems = || {
        let each = points.iter().enumerate();
        each.filter_map(|(index, &point)| Some((index, problem_of(point.into())?)))
    };
    match problems().next() {
        Some((index, problem)) => Err(Error::InvalidPoint {
            index,
            group: None,
            problem,
            count: problems().count(),
        }),
        None => Ok(()),
    }
}

fn problem_of(point: DVec3) -> Option<BoxProblem> {
    if !point.is_finite() {
        return Some(BoxProblem::NotFinite);
    }
    let is_far = point.abs().max_element() > f64::from(COORDINATE_LIMIT);
    is_far.then_some(BoxProblem::TooLarge)
}

fn least(points: &[DVec3], of: fn(DVec3, DVec3) -> DVec3) -> DVec3 {
    points.iter().copied().reduce(of).unwrap_or_default()
}

/// A sum, and what rounding has taken from it (Knuth's two-sum).
fn sum(a: DVec3, b: DVec3) -> (DVec3, DVec3) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}
