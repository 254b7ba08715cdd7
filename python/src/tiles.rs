//! Scenes in tiles.

use std::sync::Arc;

use numpy::{PyArray2, PyArray3, PyArrayMethods};
use obbligato::glam::Vec3;
use obbligato::tiles::Tile;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::{Numbers, pairs_array, read, shape, table};
use crate::boxes::{Centers, Read, Room};
use crate::threads::detached;

/// Space, cut into tiles that each have about as many boxes of a sample. `tile` makes it.
///
/// A tile owns the pairs whose bounds' intersection has its low corner there: over all tiles these are the pairs of the scene, each
/// once. See `Checker.check_tile`.
#[pyclass(frozen, module = "obbligato")]
pub struct Tiling(Arc<obbligato::tiles::Tiling>);

#[pymethods]
impl Tiling {
    /// The corners of the tiles, (tiles, 2, 3) float32: those with the smallest coordinates, which belong to the tile, and those with the
    /// largest, which do not. The outermost are infinite.
    #[getter]
    fn tiles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let tiles = self.0.tiles();
        let rows: Vec<[f32; 6]> = tiles.iter().map(corners).collect();
        table(py, rows)?.reshape([tiles.len(), 2, 3])
    }

    /// Which boxes each tile needs, for pairs within `margin`: rows of a tile and a position in `boxes`, in the order of the boxes. A box
    /// that reaches over borders is there once for each of its tiles.
    ///
    /// >>> import obbligato
    /// >>> boxes = obbligato.scene("clusters", 1000)
    /// >>> tiling = obbligato.tile(boxes, 8)
    /// >>> places = tiling.assign(boxes)
    /// >>> len(tiling), len(places) >= 1000
    /// (8, True)
    #[pyo3(signature = (boxes, margin=0.0))]
    fn assign<'py>(
        &self,
        py: Python<'py>,
        boxes: &Bound<'py, PyAny>,
        margin: f64,
    ) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let boxes = Read::new("boxes", boxes, Centers::OnlyF32)?.boxes;
        let tiling = self.0.clone();
        let places = detached(py, boxes.len(), move || {
            tiling.assign(boxes.records(&mut Room::default())?, margin)
        })?;
        pairs_array(py, places)
    }

    /// The tiling as text: what `from_json` reads.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&*self.0).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The tiling that a text describes.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        serde_json::from_str(text)
            .map(|tiling| Self(Arc::new(tiling)))
            .map_err(|error| PyValueError::new_err(format!("is not the text of a tiling: {error}")))
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

/// Cuts space into so many tiles, by a sample of a scene's boxes or all of them; fewer where too many boxes have one place.
///
/// A few thousand boxes a tile make tiles equal within some percent. The answer does not depend on their order.
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
pub fn tile(py: Python<'_>, sample: &Bound<'_, PyAny>, tiles: usize) -> PyResult<Tiling> {
    let boxes = Read::new("sample", sample, Centers::OnlyF32)?.boxes;
    let tiling = detached(py, boxes.len(), move || {
        obbligato::tiles::Tiling::of_sample(boxes.records(&mut Room::default())?, tiles)
    })?;
    Ok(Tiling(Arc::new(tiling)))
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
