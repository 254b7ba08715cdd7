//! Contacts, closest points and distances of pairs.

use numpy::{IntoPyArray, PyArray1, PyArray2};
use obbligato::contact::{ClosestPoints, ContactPoint, Feature, Penetration, Side};
use obbligato::shape::Image;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PySlice;

use crate::arrays::table;
use crate::settings::read;

/// Contact manifolds, one for each pair, in the order of the pairs.
///
/// Features are numbers that stand for corners, edges and faces: see `feature_name`.
///
/// >>> import obbligato, numpy
/// >>> boxes = numpy.array([[0, 0, z, 1, 1, 1, 0, 0, 0, 1] for z in (0, 1.75)], numpy.float32)
/// >>> found = obbligato.contacts(boxes, [[0, 1]])
/// >>> found.normals[0].tolist(), float(found.depths[0])
/// ([0.0, 0.0, 1.0], 0.25)
/// >>> found.on_a[found.points_of(0)].shape
/// (4, 3)
#[pyclass(frozen, get_all, module = "obbligato")]
pub struct Contacts {
    /// (P + 1,) uint64: the points of pair k are `offsets[k]:offsets[k + 1]`. A pair that does not
    /// collide has none.
    offsets: Py<PyArray1<u64>>,
    /// (P, 3) float64: unit vectors from the first box to the second; NaN if the boxes do not
    /// collide.
    normals: Py<PyArray2<f64>>,
    /// (P,) float64: the distance to move the second box along the normal to separate the boxes;
    /// NaN if they do not collide.
    depths: Py<PyArray1<f64>>,
    /// (P,) int8: the box whose face has the normal: 0 for the first box, 1 for the second, -1 for
    /// neither.
    references: Py<PyArray1<i8>>,
    /// (P, 2) uint8: the features of both boxes that are in contact; 255 if the boxes do not
    /// collide.
    features: Py<PyArray2<u8>>,
    /// (K, 3) float64: contact points on the first box.
    on_a: Py<PyArray2<f64>>,
    /// (K, 3) float64: contact points on the second box.
    on_b: Py<PyArray2<f64>>,
    /// (K,) float64: the penetration depth at each point.
    point_depths: Py<PyArray1<f64>>,
    /// (K, 2) uint8: the features of both boxes that define each point.
    point_features: Py<PyArray2<u8>>,
    /// (P, 3) int64: the whole numbers of periods by which the second body is moved along each
    /// axis, if space repeats; else None.
    images: Option<Py<PyArray2<i64>>>,
}

/// The images of pairs as an array.
pub fn images_array(py: Python<'_>, images: Option<Vec<Image>>) -> PyResult<Option<Py<PyArray2<i64>>>> {
    images.map(|images| table(py, images).map(Bound::unbind)).transpose()
}

impl Contacts {
    pub fn new(py: Python<'_>, found: &obbligato::contact::Contacts, images: Option<Vec<Image>>) -> PyResult<Self> {
        let (pairs, points) = (found.penetrations(), found.points());
        let of_pair = |what: &dyn Fn(&Penetration) -> f64| -> Vec<f64> {
            pairs
                .iter()
                .map(|found| found.as_ref().map_or(f64::NAN, what))
                .collect()
        };
        let normal = |found: &Option<Penetration>| found.map_or([f64::NAN; 3], |found| found.normal.to_array());
        let reference = |found: &Option<Penetration>| match found.and_then(|found| found.reference) {
            Some(Side::A) => 0,
            Some(Side::B) => 1,
            None => -1,
        };
        let parts = |found: &Option<Penetration>| {
            found.map_or([u8::MAX; 2], |found| [found.feature_a, found.feature_b].map(number))
        };
        let of_point = |what: fn(&ContactPoint) -> [f64; 3]| table(py, points.iter().map(what).collect());
        let references: Vec<i8> = pairs.iter().map(reference).collect();
        let offsets: Vec<u64> = found.offsets().iter().map(|&offset| offset as u64).collect();
        let depths: Vec<f64> = points.iter().map(|point| point.depth).collect();
        let point_parts = points
            .iter()
            .map(|point| [point.feature_a, point.feature_b].map(number));
        Ok(Self {
            offsets: offsets.into_pyarray(py).unbind(),
            normals: table(py, pairs.iter().map(normal).collect())?.unbind(),
            depths: of_pair(&|found| found.depth).into_pyarray(py).unbind(),
            references: references.into_pyarray(py).unbind(),
            features: table(py, pairs.iter().map(parts).collect())?.unbind(),
            on_a: of_point(|point| point.on_a.to_array())?.unbind(),
            on_b: of_point(|point| point.on_b.to_array())?.unbind(),
            point_depths: depths.into_pyarray(py).unbind(),
            point_features: table(py, point_parts.collect())?.unbind(),
            images: images_array(py, images)?,
        })
    }
}

#[pymethods]
impl Contacts {
    /// Returns the number of pairs.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.depths.bind(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!(
            "<Contacts: {} pairs, {} points>",
            self.__len__(py)?,
            self.point_depths.bind(py).len()?
        ))
    }

    /// For pickle.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, ContactFields)> {
        let made_by = py.get_type::<Self>().getattr("_restored")?;
        let of_pairs = (
            self.offsets.clone_ref(py),
            self.normals.clone_ref(py),
            self.depths.clone_ref(py),
            self.references.clone_ref(py),
            self.features.clone_ref(py),
        );
        let of_points = (
            self.on_a.clone_ref(py),
            self.on_b.clone_ref(py),
            self.point_depths.clone_ref(py),
            self.point_features.clone_ref(py),
            self.images.as_ref().map(|images| images.clone_ref(py)),
        );
        Ok((made_by, (of_pairs, of_points)))
    }

    #[staticmethod]
    fn _restored(of_pairs: PairFields, of_points: PointFields) -> Self {
        let (offsets, normals, depths, references, features) = of_pairs;
        let (on_a, on_b, point_depths, point_features, images) = of_points;
        Self {
            offsets,
            normals,
            depths,
            references,
            features,
            on_a,
            on_b,
            point_depths,
            point_features,
            images,
        }
    }

    /// Returns the slice of the point arrays with the points of the pair at this position.
    fn points_of<'py>(&self, py: Python<'py>, pair: usize) -> PyResult<Bound<'py, PySlice>> {
        let count = self.__len__(py)?;
        if pair >= count {
            return Err(PyIndexError::new_err(format!(
                "there is no pair {pair} of {count}: give one, counted from 0"
            )));
        }
        let offset = |place: usize| self.offsets.bind(py).get_item(place)?.extract::<isize>();
        Ok(PySlice::new(py, offset(pair)?, offset(pair + 1)?, 1))
    }
}

/// The fields that contacts are restored from.
type ContactFields = (PairFields, PointFields);
type PairFields = (
    Py<PyArray1<u64>>,
    Py<PyArray2<f64>>,
    Py<PyArray1<f64>>,
    Py<PyArray1<i8>>,
    Py<PyArray2<u8>>,
);
type PointFields = (
    Py<PyArray2<f64>>,
    Py<PyArray2<f64>>,
    Py<PyArray1<f64>>,
    Py<PyArray2<u8>>,
    Option<Py<PyArray2<i64>>>,
);

/// The distances and closest points of pairs, in the order of the pairs.
#[pyclass(frozen, get_all, module = "obbligato")]
pub struct Distances {
    /// (P,) float64: the distance between the boxes; 0 if they collide.
    distances: Py<PyArray1<f64>>,
    /// (P, 3) float64: the closest point of the first box.
    on_a: Py<PyArray2<f64>>,
    /// (P, 3) float64: the closest point of the second box.
    on_b: Py<PyArray2<f64>>,
    /// (P, 3) int64: the whole numbers of periods by which the second body is moved along each
    /// axis, if space repeats; else None.
    images: Option<Py<PyArray2<i64>>>,
}

impl Distances {
    pub fn new(py: Python<'_>, found: &[ClosestPoints], images: Option<Vec<Image>>) -> PyResult<Self> {
        let distances: Vec<f64> = found.iter().map(|found| found.distance).collect();
        Ok(Self {
            distances: distances.into_pyarray(py).unbind(),
            on_a: table(py, found.iter().map(|found| found.on_a.to_array()).collect())?.unbind(),
            on_b: table(py, found.iter().map(|found| found.on_b.to_array()).collect())?.unbind(),
            images: images_array(py, images)?,
        })
    }
}

#[pymethods]
impl Distances {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.distances.bind(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<Distances: {} pairs>", self.__len__(py)?))
    }

    /// For pickle.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, DistanceFields)> {
        let made_by = py.get_type::<Self>().getattr("_restored")?;
        let points = [&self.on_a, &self.on_b].map(|points| points.clone_ref(py));
        let images = self.images.as_ref().map(|images| images.clone_ref(py));
        Ok((made_by, (self.distances.clone_ref(py), points, images)))
    }

    #[staticmethod]
    fn _restored(
        distances: Py<PyArray1<f64>>,
        points: [Py<PyArray2<f64>>; 2],
        images: Option<Py<PyArray2<i64>>>,
    ) -> Self {
        let [on_a, on_b] = points;
        Self {
            distances,
            on_a,
            on_b,
            images,
        }
    }
}

/// The fields that distances are restored from.
type DistanceFields = (Py<PyArray1<f64>>, [Py<PyArray2<f64>>; 2], Option<Py<PyArray2<i64>>>);

/// The number of a feature, which `Feature::from_bits` reads.
fn number(feature: Feature) -> u8 {
    match feature {
        Feature::Corner(number) => number,
        Feature::Edge(number) => 1 << 4 | number,
        Feature::Face(number) => 2 << 4 | number,
        Feature::Round(number) => 3 << 4 | number,
    }
}

/// Returns the name of a feature of `Contacts`: "c7" is a corner, "e11" an edge, "f5" a face.
///
/// >>> import obbligato
/// >>> obbligato.feature_name(0x25)
/// 'f5'
#[pyfunction]
pub fn feature_name(number: &Bound<'_, PyAny>) -> PyResult<String> {
    let number: u8 = read("number", number, "a number of Contacts.features, from 0 to 255")?;
    Ok(Feature::from_bits(number.into()).to_string())
}
