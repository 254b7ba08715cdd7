//! Scenes in tiles.

use numpy::{PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray2};
use obbligato::glam::Vec3;
use obbligato::tiles::Tile;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::{converted, pairs_array, table};
use crate::boxes::{Boxes, Room};
use crate::threads::detached;

/// Space, cut into tiles that each have about as many boxes of a sample. `tile` makes it.
///
/// A tile owns the pairs whose bounds' intersection has its low corner there: over all tiles these are the pairs of the scene, each
/// once. See `Checker.check_tile`.
#[pyclass(frozen, module = "obbligato")]
pub struct Tiling(obbligato::tiles::Tiling);

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
        margin: f32,
    ) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let held = Boxes::new("boxes", boxes)?;
        let numbers = held.numbers32("boxes")?;
        let mut room = Room::default();
        let places = detached(py, || self.0.assign(numbers.records(&mut room)?, margin))?;
        pairs_array(py, places)
    }

    /// The tiling as text: what `from_json` reads.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.0).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The tiling that a text describes.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        serde_json::from_str(text)
            .map(Self)
            .map_err(|error| PyValueError::new_err(format!("is not the text of a tiling: {error}")))
    }

    fn __len__(&self) -> usize {
        self.0.len()
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
    let held = Boxes::new("sample", sample)?;
    let numbers = held.numbers32("sample")?;
    let mut room = Room::default();
    let tiling = detached(py, || {
        obbligato::tiles::Tiling::of_sample(numbers.records(&mut room)?, tiles)
    })?;
    Ok(Tiling(tiling))
}

fn corners(tile: &Tile) -> [f32; 6] {
    let ([a, b, c], [d, e, f]) = (tile.low.to_array(), tile.high.to_array());
    [a, b, c, d, e, f]
}

/// The tile with these corners.
pub fn tile_of(corners: &Bound<'_, PyAny>) -> PyResult<Tile> {
    let array = converted("tile", corners, "float32")?;
    let wrong = || PyTypeError::new_err("tile is not (2, 3), its two corners: give one of `Tiling.tiles`");
    let corners: PyReadonlyArray2<'_, f32> = array.extract().map_err(|_| wrong())?;
    match corners.as_slice()? {
        &[a, b, c, d, e, f] if corners.as_array().ncols() == 3 => Ok(Tile {
            low: Vec3::new(a, b, c),
            high: Vec3::new(d, e, f),
        }),
        _ => Err(wrong()),
    }
}
