//! Scenes in tiles.

use std::sync::Arc;

use numpy::{PyArray2, PyArray3, PyArrayMethods};
use obbligato::glam::Vec3;
use obbligato::tiles::Tile;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::{Numbers, pairs_array, read, shape, table};
use crate::bodies::{Centers, Read};
use crate::errors::about;
use crate::settings::read as of;
use crate::threads::detached;

/// A division of space into tiles with about equal numbers of boxes from a sample, made by `tile`.
///
/// A tile owns a pair if it contains the low corner of the intersection of the pair's bounds, so
/// exactly one tile owns each pair of a scene. See `Checker.check_tile`.
#[pyclass(frozen, module = "obbligato")]
pub struct Tiling(Arc<obbligato::tiles::Tiling>);

#[pymethods]
impl Tiling {
    /// The corners of the tiles, (tiles, 2, 3) float32: the corner with the smallest coordinates,
    /// which belongs to the tile, and the corner with the largest, which does not. The outermost
    /// coordinates are infinite.
    #[getter]
    fn tiles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let tiles = self.0.tiles();
        let rows: Vec<[f32; 6]> = tiles.iter().map(corners).collect();
        table(py, rows)?.reshape([tiles.len(), 2, 3])
    }

    /// Finds the boxes that each tile needs for pairs within `margin`. Returns rows of a tile and a
    /// position in `boxes`, in the order of the boxes. A box that crosses borders has one row for
    /// each of its tiles.
    ///
    /// >>> import obbligato
    /// >>> boxes = obbligato.scene("clusters", 1000)
    /// >>> tiling = obbligato.tile(boxes, 8)
    /// >>> places = tiling.assign(boxes)
    /// >>> len(tiling), len(places) >= 1000
    /// (8, True)
    #[pyo3(signature = (boxes, margin=None), text_signature = "($self, boxes, margin=0.0)")]
    fn assign<'py>(
        &self,
        py: Python<'py>,
        boxes: &Bound<'py, PyAny>,
        margin: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let margin = margin.map_or(Ok(0.0), |margin| of("margin", margin, "a distance"))?;
        let boxes = Read::new("boxes", boxes, Centers::OnlyF32)?.boxes("boxes")?;
        let (tiling, size) = (self.0.clone(), boxes.len());
        let places = detached(py, size, move || tiling.assign(boxes.records(&mut Vec::new())?, margin));
        let places = places.map_err(about([("boxes", size)]))?;
        pairs_array(py, places)
    }

    /// Returns the tiling as text for `from_json`.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&*self.0).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Reads a tiling from the text of `to_json`.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        serde_json::from_str(text)
            .map(|tiling| Self(Arc::new(tiling)))
            .map_err(|error| {
                PyValueError::new_err(format!("text is not that of a tiling ({error}): give that of to_json"))
            })
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        format!("<Tiling: {} tiles>", self.0.len())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    /// For pickle.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let made_by = py.get_type::<Self>().getattr("from_json")?;
        (made_by, (self.to_json()?,)).into_pyobject(py)
    }
}

/// Divides space into this number of tiles, based on a sample of a scene's boxes or all of them.
/// There are fewer tiles if too many boxes share one place.
///
/// A sample of a few thousand boxes per tile makes tiles equal to within a few percent. The result
/// does not depend on the order of the boxes.
///
/// >>> import obbligato
/// >>> boxes = obbligato.scene("dense", 1000)
/// >>> tiling, checker = obbligato.tile(boxes, 4), obbligato.Checker(backend="cpu")
/// >>> places = tiling.assign(boxes)
/// >>> needed = [boxes[places[places[:, 0] == number, 1]] for number in range(4)]
/// >>> found = sum(checker.check_tile(tile, some).colliding_pairs for tile, some in zip(tiling.tiles, needed))
/// >>> found == checker.check(boxes).colliding_pairs
/// True
#[pyfunction]
pub fn tile(py: Python<'_>, sample: &Bound<'_, PyAny>, tiles: &Bound<'_, PyAny>) -> PyResult<Tiling> {
    let tiles: usize = of("tiles", tiles, "a number of tiles")?;
    if tiles == 0 {
        return Err(PyValueError::new_err("tiles is 0: give a number of 1 or more"));
    }
    let boxes = Read::new("sample", sample, Centers::OnlyF32)?.boxes("sample")?;
    let size = boxes.len();
    let tiling = detached(py, size, move || {
        obbligato::tiles::Tiling::of_sample(boxes.records(&mut Vec::new())?, tiles)
    });
    Ok(Tiling(Arc::new(tiling.map_err(about([("sample", size)]))?)))
}

fn corners(tile: &Tile) -> [f32; 6] {
    let ([a, b, c], [d, e, f]) = (tile.low.to_array(), tile.high.to_array());
    [a, b, c, d, e, f]
}

/// The tile with these corners.
pub fn tile_of(corners: &Bound<'_, PyAny>) -> PyResult<Tile> {
    let array = read("floats", "tile", corners)?;
    if shape(&array)? != [2, 3] {
        return Err(PyTypeError::new_err(
            "tile is not (2, 3), its two corners: give one of `Tiling.tiles`",
        ));
    }
    let corners: Numbers<f32> = Numbers::of(&array)?;
    Ok(Tile {
        low: Vec3::from_slice(&corners[..3]),
        high: Vec3::from_slice(&corners[3..]),
    })
}
