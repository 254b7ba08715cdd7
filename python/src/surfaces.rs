//! Surfaces of meshes in `f64`, for the clashes of building models (`obbligato/ifc`).

mod distances;
mod meetings;
mod prepared;
mod search;

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArray2};
use obbligato::Result;
use obbligato::glam::DVec3;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::prelude::*;

use self::meetings::Meeting;
use self::prepared::Prepared;
use self::search::Inside;
use crate::arrays::{Numbers, table};
use crate::threads::detached;

type Rows<'py, T> = Bound<'py, PyArray2<T>>;
type List<'py, T> = Bound<'py, PyArray1<T>>;
type Places<'py> = List<'py, i64>;
type Lengths<'py> = List<'py, f64>;
type Vectors<'py> = Rows<'py, f64>;

/// Meshes with what tests of their triangles need, in float64: for `obbligato.ifc`, whose `Scene`
/// says what is in them. Arrays are in C order: float64, or int64 for positions.
///
/// `points` are (V, 3), `faces` (F, 3) positions of their corners, and `starts` where the points
/// and the faces of each mesh start, and the last ones end. No mesh is empty.
#[pyclass(frozen, module = "obbligato._native")]
pub struct Surfaces(Arc<Prepared>);

/// Three arrays of meetings: positions of pairs, of first triangles, and of second ones.
type Meetings<'py> = [Bound<'py, PyAny>; 3];

impl Surfaces {
    /// Answers a question about `size` entries, without the interpreter's lock.
    fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        size: usize,
        answer: impl FnOnce(&Prepared) -> T + Send + 'static,
    ) -> PyResult<T> {
        self.try_ask(py, size, |meshes| Ok(answer(meshes)))
    }

    fn try_ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        size: usize,
        answer: impl FnOnce(&Prepared) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let meshes = self.0.clone();
        detached(py, size, move || answer(&meshes))
    }

    fn meshes(&self, what: &str, array: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
        positions(what, array, self.0.bounds.len())
    }

    /// Two meshes of each pair.
    fn mesh_pairs(&self, array: &Bound<'_, PyAny>) -> PyResult<Vec<[u32; 2]>> {
        let flat = self.meshes("pairs", array)?;
        Ok(flat.as_chunks::<2>().0.to_vec())
    }

    /// Meetings of `pairs` pairs.
    fn meetings(&self, arrays: &Meetings<'_>, pairs: usize) -> PyResult<Vec<Meeting>> {
        let [pair, first, second] = arrays;
        let faces = self.0.faces.len();
        let (pair, first) = (positions("pair", pair, pairs)?, positions("first", first, faces)?);
        let second = positions("second", second, faces)?;
        expect_equal([pair.len(), first.len(), second.len()])?;
        let both = first.into_iter().zip(second);
        let meeting = |(pair, (first, second))| Meeting { pair, first, second };
        Ok(pair.into_iter().zip(both).map(meeting).collect())
    }
}

#[pymethods]
impl Surfaces {
    #[new]
    fn new(
        py: Python<'_>,
        points: &Bound<'_, PyAny>,
        faces: &Bound<'_, PyAny>,
        point_starts: &Bound<'_, PyAny>,
        face_starts: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let points = vectors(points)?;
        let faces = positions("faces", faces, points.len())?.as_chunks::<3>().0.to_vec();
        let starts = [
            starts("point_starts", point_starts, points.len())?,
            starts("face_starts", face_starts, faces.len())?,
        ];
        expect_equal([starts[0].len(), starts[1].len(), starts[0].len()])?;
        expect_own(&faces, &starts)?;
        let made = detached(py, points.len() + faces.len(), move || {
            Ok(Prepared::new(points, faces, starts))
        });
        Ok(Self(Arc::new(made?)))
    }

    /// (N, 6) float32: the bounds of each mesh, of points that are rounded to float32.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py, f32>> {
        let row = |[low, high]: &[obbligato::glam::Vec3; 2]| -> [f32; 6] {
            let [low, high] = [low.to_array(), high.to_array()];
            [low[0], low[1], low[2], high[0], high[1], high[2]]
        };
        table(py, self.0.bounds.iter().map(row).collect())
    }

    /// (N,) float64: the signed volume that the triangles of each mesh enclose, from its own
    /// middle.
    #[getter]
    fn volumes<'py>(&self, py: Python<'py>) -> List<'py, f64> {
        self.0.volumes.clone().into_pyarray(py)
    }

    /// (N,) bool: True for meshes in which each edge runs both ways equally often, as on a
    /// consistently oriented surface.
    #[getter]
    fn oriented<'py>(&self, py: Python<'py>) -> List<'py, bool> {
        self.0.oriented.clone().into_pyarray(py)
    }

    /// (F, 3) float64: unit normals, outward where the mesh is oriented; 0 for triangles without an
    /// area.
    #[getter]
    fn normals<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py, f64>> {
        table(py, self.0.normals.iter().map(DVec3::to_array).collect())
    }

    /// (F, 6) float64: the bounds of each triangle.
    #[getter]
    fn face_bounds<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py, f64>> {
        let row = |[low, high]: &[DVec3; 2]| [low.x, low.y, low.z, high.x, high.y, high.z];
        table(py, self.0.extents.iter().map(row).collect())
    }

    /// Tests which meshes have no corner further in front of the plane of a triangle than a slack.
    /// Returns (K,) bool.
    fn convex<'py>(&self, py: Python<'py>, meshes: &Bound<'py, PyAny>, slack: f64) -> PyResult<List<'py, bool>> {
        let asked = self.meshes("meshes", meshes)?;
        let found = self.ask(py, self.0.faces.len(), move |meshes| -> Vec<bool> {
            asked.par_iter().map(|&mesh| meshes.is_convex(mesh, slack)).collect()
        });
        Ok(found?.into_pyarray(py))
    }

    /// Tests which meshes are closed. Returns (K,) bool.
    fn closed<'py>(&self, py: Python<'py>, meshes: &Bound<'py, PyAny>) -> PyResult<List<'py, bool>> {
        let asked = self.meshes("meshes", meshes)?;
        let found = self.try_ask(py, self.0.faces.len(), move |meshes| {
            let closed = |&mesh: &u32| Ok(meshes.closed(mesh)?.is_some());
            asked.par_iter().map(closed).collect::<Result<Vec<bool>>>()
        });
        Ok(found?.into_pyarray(py))
    }

    /// Finds the triangles of the first mesh of pairs, (P, 2), that are no further from the bounds
    /// of the second than a margin. Returns their positions, sorted.
    fn faces_in_reach<'py>(&self, py: Python<'py>, pairs: &Bound<'py, PyAny>, margin: f64) -> PyResult<List<'py, i64>> {
        let pairs = self.mesh_pairs(pairs)?;
        let found = self.ask(py, self.0.faces.len(), move |meshes| {
            search::faces_in_reach(meshes, &pairs, margin)
        })?;
        Ok(whole(found).into_pyarray(py))
    }

    /// Finds the points of the first mesh of pairs, (P, 2), that are within the bounds of the
    /// second. Returns (K, 2) int64: places in the list of pairs, and positions of points.
    fn corners_in_reach<'py>(&self, py: Python<'py>, pairs: &Bound<'py, PyAny>) -> PyResult<Rows<'py, i64>> {
        let pairs = self.mesh_pairs(pairs)?;
        let size = self.0.points.len();
        let found = self.ask(py, size, move |meshes| search::corners_in_reach(meshes, &pairs))?;
        table(py, found.into_iter().map(|row| row.map(i64::from)).collect())
    }

    /// Locates points, (K, 3), relative to a mesh each. Returns (K,) int8: 0 inside, 1 on the
    /// surface, 2 outside, 3 if the mesh is not closed.
    fn states<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        meshes: &Bound<'py, PyAny>,
    ) -> PyResult<List<'py, i8>> {
        let (points, of) = (vectors(points)?, self.meshes("meshes", meshes)?);
        expect_equal([points.len(), of.len(), of.len()])?;
        let found = self.try_ask(py, points.len(), move |meshes| search::states(meshes, &points, &of));
        Ok(found?.into_pyarray(py))
    }

    /// Computes the distances of points, (K, 3), to the surfaces of a mesh each: (K,), infinity if
    /// beyond their limits.
    fn to_surfaces<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        meshes: &Bound<'py, PyAny>,
        limits: &Bound<'py, PyAny>,
    ) -> PyResult<List<'py, f64>> {
        let points = self.insides(points, meshes, limits, None)?;
        let found = self.ask(py, points.len(), move |meshes| -> Vec<f64> {
            let distance = |one: &Inside| search::to_surface(meshes, one.point, one.mesh, one.limit).0;
            points.par_iter().map(distance).collect()
        });
        Ok(found?.into_pyarray(py))
    }

    /// Finds the deepest of some points, (K, 3), of each pair, which are inside of a mesh each, and
    /// no deeper than their limits. Returns its place, how deep it is, and the closest point of the
    /// surface.
    fn deepest<'py>(
        &self,
        py: Python<'py>,
        pairs: &Bound<'py, PyAny>,
        points: &Bound<'py, PyAny>,
        meshes: &Bound<'py, PyAny>,
        limits: &Bound<'py, PyAny>,
    ) -> PyResult<(Places<'py>, Lengths<'py>, Vectors<'py>)> {
        let points = self.insides(points, meshes, limits, Some(pairs))?;
        let found = self.ask(py, points.len(), move |meshes| search::deepest(meshes, &points))?;
        let places: Vec<i64> = found.iter().map(|one| one.place as i64).collect();
        let depths: Vec<f64> = found.iter().map(|one| one.depth).collect();
        let on = table(py, found.iter().map(|one| one.on.to_array()).collect())?;
        Ok((places.into_pyarray(py), depths.into_pyarray(py), on))
    }

    /// Returns how far rays from points, (K, 3), run until they meet a surface of a mesh each,
    /// other than where they start: (K,), infinity if they meet none.
    fn hits_along<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        towards: &Bound<'py, PyAny>,
        meshes: &Bound<'py, PyAny>,
        slack: f64,
    ) -> PyResult<List<'py, f64>> {
        let (points, towards) = (vectors(points)?, vectors(towards)?);
        let of = self.meshes("meshes", meshes)?;
        expect_equal([points.len(), towards.len(), of.len()])?;
        let found = self.ask(py, points.len(), move |meshes| -> Vec<f64> {
            let rays = points.par_iter().zip(&towards).zip(&of);
            rays.map(|((&start, &way), &mesh)| meetings::hit_along(meshes, mesh, [start, way], slack))
                .collect()
        });
        Ok(found?.into_pyarray(py))
    }

    /// Finds the meetings among pairs of triangles, (K, 2) uint32 places in two lists of triangles,
    /// whose meshes are one of `pairs`, (P, 2): positions of pairs and of triangles.
    fn matched<'py>(
        &self,
        py: Python<'py>,
        found: &Bound<'py, PyAny>,
        first: &Bound<'py, PyAny>,
        second: &Bound<'py, PyAny>,
        pairs: &Bound<'py, PyAny>,
    ) -> PyResult<(Places<'py>, Places<'py>, Places<'py>)> {
        let (found, pairs): (Numbers<u32>, _) = (Numbers::of(found)?, self.mesh_pairs(pairs)?);
        let faces = self.0.faces.len();
        let lists = [positions("first", first, faces)?, positions("second", second, faces)?];
        let all = self.ask(py, found.len(), move |meshes| {
            let lists = [&*lists[0], &*lists[1]];
            meetings::matched(meshes, found.as_chunks::<2>().0, lists, &pairs)
        })?;
        let all = all.ok_or_else(|| PyValueError::new_err("found has places beyond the lists: give those in them"))?;
        let part = |get: fn(&Meeting) -> u32| -> Places<'py> {
            let numbers: Vec<i64> = all.iter().map(|one| get(one).into()).collect();
            numbers.into_pyarray(py)
        };
        Ok((part(|one| one.pair), part(|one| one.first), part(|one| one.second)))
    }

    /// Returns for each of `count` pairs the middle of where its triangles may meet, (count, 3);
    /// NaN if none do.
    fn middles<'py>(&self, py: Python<'py>, meeting: Meetings<'py>, count: usize) -> PyResult<Rows<'py, f64>> {
        let all = self.meetings(&meeting, count)?;
        let found = self.ask(py, all.len(), move |meshes| meetings::middles(meshes, &all, count))?;
        table(py, found.iter().map(DVec3::to_array).collect())
    }

    /// Tests which meshes, one for each of some pairs, have a connected part whose corners outside
    /// of the other mesh are not connected outside. `outside` is that of all corners of all these
    /// meshes, and `cut` has pairs and edges, as of `crossings`. Returns (K,) bool.
    fn falls_apart<'py>(
        &self,
        py: Python<'py>,
        pairs: &Bound<'py, PyAny>,
        meshes: &Bound<'py, PyAny>,
        outside: &Bound<'py, PyAny>,
        cut: &Bound<'py, PyAny>,
    ) -> PyResult<List<'py, bool>> {
        let (pairs, of) = (positions("pairs", pairs, usize::MAX)?, self.meshes("meshes", meshes)?);
        let outside: Numbers<bool> = Numbers::of(outside)?;
        let cut = positions("cut", cut, usize::MAX)?.as_chunks::<2>().0.to_vec();
        let sizes = of.iter().map(|&mesh| self.0.points_of(mesh).len());
        let ends: Vec<usize> = sizes.scan(0, |sum, size| Some(add(sum, size))).collect();
        expect_equal([pairs.len(), of.len(), of.len()])?;
        expect_equal([outside.len(), ends.last().copied().unwrap_or(0), outside.len()])?;
        let found = self.ask(py, outside.len(), move |meshes| -> Vec<bool> {
            let apart = |(k, &mesh): (usize, &u32)| {
                let own = &outside[ends[k] - meshes.points_of(mesh).len()..ends[k]];
                let first = cut.partition_point(|one| one[0] < pairs[k]);
                let last = cut.partition_point(|one| one[0] <= pairs[k]);
                meetings::falls_apart(meshes, mesh, own, &cut[first..last])
            };
            of.par_iter().enumerate().map(apart).collect()
        });
        Ok(found?.into_pyarray(py))
    }

    /// Tests for which meetings each triangle reaches behind the plane of the other, by more than
    /// the tolerance of the pair; with `through`, which are on both sides of it. Returns (K,) bool.
    fn entering<'py>(
        &self,
        py: Python<'py>,
        meeting: Meetings<'py>,
        tolerances: &Bound<'py, PyAny>,
        through: bool,
    ) -> PyResult<List<'py, bool>> {
        let tolerances: Numbers<f64> = Numbers::of(tolerances)?;
        let all = self.meetings(&meeting, tolerances.len())?;
        let test = if through { meetings::crosses } else { meetings::enters };
        let found = self.ask(py, all.len(), move |meshes| -> Vec<bool> {
            let tested = |one: &Meeting| test(meshes, *one, tolerances[one.pair as usize]);
            all.par_iter().map(tested).collect()
        });
        Ok(found?.into_pyarray(py))
    }

    /// Returns points of the first meshes that may be in the second ones, from some of all
    /// meetings, whose triangles are exchanged if `swapped`: pairs, points, how deep at most, and
    /// triangles.
    ///
    /// From the middle of the line that two triangles have in common, a ray in the first one runs
    /// to where it leaves it or the second mesh. Its middle is such a point.
    fn halfway<'py>(
        &self,
        py: Python<'py>,
        meeting: Meetings<'py>,
        chosen: &Bound<'py, PyAny>,
        swapped: bool,
    ) -> PyResult<(Places<'py>, Vectors<'py>, Lengths<'py>, Places<'py>)> {
        let all = self.meetings(&meeting, usize::MAX)?;
        let chosen = positions("chosen", chosen, all.len())?;
        let found = self.ask(py, all.len(), move |meshes| {
            meetings::halfway(meshes, &all, &chosen, swapped)
        })?;
        let pairs: Vec<i64> = found.iter().map(|one| one.pair.into()).collect();
        let faces: Vec<i64> = found.iter().map(|one| one.face.into()).collect();
        let depths: Vec<f64> = found.iter().map(|one| one.depth).collect();
        let points = table(py, found.iter().map(|one| one.point.to_array()).collect())?;
        let (pairs, faces) = (pairs.into_pyarray(py), faces.into_pyarray(py));
        Ok((pairs, points, depths.into_pyarray(py), faces))
    }

    /// Finds the edges of first meshes that pass through a triangle of the second ones. Returns
    /// (K, 2) int64, sorted: pairs, and positions of edges. Triangles are exchanged if `swapped`.
    fn crossings<'py>(
        &self,
        py: Python<'py>,
        meeting: Meetings<'py>,
        swapped: bool,
        slack: f64,
    ) -> PyResult<Rows<'py, i64>> {
        let all = self.meetings(&meeting, usize::MAX)?;
        let found = self.ask(py, all.len(), move |meshes| {
            meetings::crossings(meshes, &all, swapped, slack)
        })?;
        table(py, found.into_iter().map(|row| row.map(i64::from)).collect())
    }

    /// Finds the shortest distance of each pair that is no further apart than its clearance, from
    /// triangles that may be that near. Returns pairs, sorted, distances, and the closest points of
    /// both meshes.
    fn nearest<'py>(
        &self,
        py: Python<'py>,
        candidates: Meetings<'py>,
        clearances: &Bound<'py, PyAny>,
    ) -> PyResult<(Places<'py>, Lengths<'py>, Vectors<'py>, Vectors<'py>)> {
        let clearances: Numbers<f64> = Numbers::of(clearances)?;
        let all = self.meetings(&candidates, clearances.len())?;
        let found = self.ask(py, all.len(), move |meshes| search::nearest(meshes, &all, &clearances))?;
        let pairs: Vec<i64> = found.iter().map(|one| one.pair.into()).collect();
        let distances: Vec<f64> = found.iter().map(|one| one.distance).collect();
        let on = |k: usize| table(py, found.iter().map(|one| one.on[k].to_array()).collect());
        Ok((pairs.into_pyarray(py), distances.into_pyarray(py), on(0)?, on(1)?))
    }
}

impl Surfaces {
    /// Points in a mesh each.
    fn insides(
        &self,
        points: &Bound<'_, PyAny>,
        meshes: &Bound<'_, PyAny>,
        limits: &Bound<'_, PyAny>,
        pairs: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Inside>> {
        let (points, of) = (vectors(points)?, self.meshes("meshes", meshes)?);
        let limits: Numbers<f64> = Numbers::of(limits)?;
        expect_equal([points.len(), of.len(), limits.len()])?;
        let pairs = match pairs {
            Some(pairs) => positions("pairs", pairs, usize::MAX)?,
            None => vec![0; points.len()],
        };
        expect_equal([points.len(), pairs.len(), pairs.len()])?;
        let numbered = points.into_iter().zip(of).zip(limits.iter().zip(pairs));
        let inside = |((point, mesh), (&limit, pair))| Inside {
            pair,
            point,
            mesh,
            limit,
        };
        Ok(numbered.map(inside).collect())
    }
}

/// Adds to a sum, and returns it.
fn add(sum: &mut usize, size: usize) -> usize {
    *sum += size;
    *sum
}

fn whole(positions: Vec<u32>) -> Vec<i64> {
    positions.into_iter().map(i64::from).collect()
}

fn vectors(array: &Bound<'_, PyAny>) -> PyResult<Vec<DVec3>> {
    let numbers: Numbers<f64> = Numbers::of(array)?;
    Ok(numbers
        .as_chunks::<3>()
        .0
        .iter()
        .map(|row| DVec3::from_array(*row))
        .collect())
}

/// Positions in a list of `below` entries.
fn positions(what: &str, array: &Bound<'_, PyAny>, below: usize) -> PyResult<Vec<u32>> {
    let numbers: Numbers<i64> = Numbers::of(array)?;
    let position = |&number: &i64| {
        let position = u32::try_from(number).ok().filter(|&one| (one as usize) < below);
        position.ok_or_else(|| PyValueError::new_err(format!("{what} has {number}: give positions below {below}")))
    };
    numbers.iter().map(position).collect()
}

/// The start of each list, and the end of the last one.
fn starts(what: &str, array: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<usize>> {
    let starts = positions(what, array, count + 1)?;
    let ascends = starts.windows(2).all(|two| two[0] < two[1]);
    if starts.first() != Some(&0) || starts.last() != Some(&(count as u32)) || !ascends {
        return Err(PyValueError::new_err(format!(
            "{what} does not ascend from 0 to {count}"
        )));
    }
    Ok(starts.into_iter().map(|start| start as usize).collect())
}

/// Triangles have the points of their own mesh.
fn expect_own(faces: &[[u32; 3]], [point_starts, face_starts]: &[Vec<usize>; 2]) -> PyResult<()> {
    let meshes = face_starts.windows(2).zip(point_starts.windows(2));
    let foreign = |(faces_of, points_of): (&[usize], &[usize])| {
        let is_foreign = |point: &u32| !(points_of[0]..points_of[1]).contains(&(*point as usize));
        faces[faces_of[0]..faces_of[1]].as_flattened().iter().any(is_foreign)
    };
    match meshes.map(foreign).position(|is_foreign| is_foreign) {
        Some(mesh) => Err(PyValueError::new_err(format!(
            "faces of mesh {mesh} have points of another one: give its own"
        ))),
        None => Ok(()),
    }
}

fn expect_equal([a, b, c]: [usize; 3]) -> PyResult<()> {
    match a == b && b == c {
        true => Ok(()),
        false => Err(PyValueError::new_err(format!(
            "lists of {a}, {b} and {c} entries: give equal numbers"
        ))),
    }
}
