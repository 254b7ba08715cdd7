//! Convex solids.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1};
use obbligato::shape::Solid;
use obbligato::{Error, Pair, Result, glam::Vec3};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;

use crate::arrays::{Numbers, pairs_of, read, rows_of_two, shape, table};
use crate::contacts::Distances;
use crate::errors::{about, raise};
use crate::settings::read as of;
use crate::threads::detached;

/// Convex solids: the convex hull of each list of points, (K, 3) float32 in the caller's unit.
///
/// `Checker.check` finds their colliding pairs, exactly.
///
/// >>> import obbligato, numpy
/// >>> corners = numpy.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], numpy.float32)
/// >>> solids = obbligato.Solids([corners, corners + 0.5, corners + 0.25])
/// >>> obbligato.Checker(backend="cpu").check(solids).pairs.tolist()
/// [[0, 2], [1, 2]]
#[pyclass(frozen, module = "obbligato")]
pub struct Solids {
    pub list: Arc<Vec<Solid>>,
    points: Py<PyAny>,
}

#[pymethods]
impl Solids {
    #[new]
    fn new(py: Python<'_>, points: &Bound<'_, PyAny>) -> PyResult<Self> {
        let points: Vec<Bound<'_, PyAny>> = of("points", points, "a list of arrays, the points of each solid")?;
        let mut groups: Vec<Vec<Vec3>> = Vec::with_capacity(points.len());
        let mut kept = Vec::with_capacity(points.len());
        for (row, group) in points.iter().enumerate() {
            let what = format!("points[{row}]");
            let array = read("floats", &what, group)?;
            let [_, 3] = shape(&array)?[..] else {
                return Err(PyValueError::new_err(format!(
                    "{what} has the shape {}: give (K, 3), one row per corner",
                    array.getattr("shape")?
                )));
            };
            let numbers: Numbers<f32> = Numbers::of(&array)?;
            groups.push(bytemuck::cast_slice(&numbers).to_vec());
            kept.push(array);
        }
        let size = groups.iter().map(Vec::len).sum();
        let list = detached(py, size, move || Ok(of_groups(&groups)))?;
        let list = list.map_err(|(row, error)| about([(&format!("points[{row}]"), 0)])(raise(error)))?;
        Ok(Self {
            list: Arc::new(list),
            points: kept.into_pyobject(py)?.into_any().unbind(),
        })
    }

    /// (N,) float64: the volume of each solid, 0 if it is flat.
    #[getter]
    fn volumes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let volumes: Vec<f64> = self.list.iter().map(Solid::volume).collect();
        volumes.into_pyarray(py)
    }

    /// Computes the distances and closest points of pairs, (P, 2) positions: see `Distances`.
    fn distances(&self, py: Python<'_>, pairs: &Bound<'_, PyAny>) -> PyResult<Distances> {
        let (pairs, list) = (rows_of_two("pairs", pairs)?, self.list.clone());
        let found = detached(py, pairs.len(), move || {
            Solid::closest_points_of(&list, pairs_of(&pairs))
        })
        .map_err(about([]))?;
        Distances::new(py, &found, None)
    }

    /// Tests which pairs, (P, 2) positions, share a point, exactly. Returns (P,) bool.
    fn collide<'py>(&self, py: Python<'py>, pairs: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let (pairs, list) = (rows_of_two("pairs", pairs)?, self.list.clone());
        let found = detached(py, pairs.len(), move || {
            of_pairs(&list, pairs_of(&pairs), |a, b| Ok(a.contact(b).collides()))
        })
        .map_err(about([]))?;
        Ok(found.into_pyarray(py))
    }

    /// Computes the shortest translation that separates each of some pairs, (P, 2) positions: see
    /// `Penetrations`.
    fn penetrations<'py>(&self, py: Python<'py>, pairs: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (pairs, list) = (rows_of_two("pairs", pairs)?, self.list.clone());
        let found = detached(py, pairs.len(), move || {
            of_pairs(&list, pairs_of(&pairs), Solid::penetration)
        })
        .map_err(about([]))?;
        let none = [f64::NAN; 3];
        let depths: Vec<f64> = found.iter().map(|one| one.map_or(f64::NAN, |one| one.depth)).collect();
        let fields = PyDict::new(py);
        fields.set_item("depths", depths.into_pyarray(py))?;
        let of = |point: fn(obbligato::contact::SolidPenetration) -> [f64; 3]| {
            table(py, found.iter().map(|one| one.map_or(none, point)).collect())
        };
        fields.set_item("normals", of(|one| one.normal.to_array())?)?;
        fields.set_item("on_a", of(|one| one.on_a.to_array())?)?;
        fields.set_item("on_b", of(|one| one.on_b.to_array())?)?;
        py.import("obbligato._results")?
            .getattr("Penetrations")?
            .call((), Some(&fields))
    }

    fn __len__(&self) -> usize {
        self.list.len()
    }

    fn __repr__(&self) -> String {
        format!("<Solids: {}>", self.list.len())
    }

    /// For pickle.
    fn __getnewargs__(&self, py: Python<'_>) -> (Py<PyAny>,) {
        (self.points.clone_ref(py),)
    }
}

/// The solids of groups of points, or the first group that none can be made of, and why.
fn of_groups(groups: &[Vec<Vec3>]) -> std::result::Result<Vec<Solid>, (usize, Error)> {
    Solid::from_each(groups).map_err(|error| {
        let mut each = groups.iter().map(|group| Solid::from_points(group)).enumerate();
        each.find_map(|(row, made)| Some((row, made.err()?)))
            .unwrap_or((0, error))
    })
}

/// The answer about each pair of solids, on all cores.
fn of_pairs<T: Send>(
    list: &[Solid],
    pairs: &[Pair],
    answer: impl Fn(&Solid, &Solid) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let largest = |pair: &Pair| pair.a.max(pair.b);
    if let Some(index) = pairs.iter().position(|pair| largest(pair) as usize >= list.len()) {
        return Err(Error::InvalidPair {
            index,
            named: largest(&pairs[index]),
            boxes: list.len(),
        });
    }
    let of_pair = |pair: &Pair| answer(&list[pair.a as usize], &list[pair.b as usize]);
    pairs.par_iter().map(of_pair).collect()
}
