//! BSP trees.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1};
use obbligato::{Obb, Result, glam::Vec3};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::arrays::points_of;
use crate::bodies::{Centers, Listed, Read};
use crate::errors::about;
use crate::fits::{Groups, each, validate_points};
use crate::regions::number_of_point;
use crate::settings::read;
use crate::threads::detached;
use crate::trees::validate_boxes;

/// A tree of planes that divide space into convex parts (binary space partitioning), for tests of
/// what meets some triangles. With `solid=True`, the triangles are a closed mesh, and the tree also
/// locates points.
///
/// >>> import obbligato
/// >>> a, b, c, d = [0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]
/// >>> tree = obbligato.BspTree(obbligato.Triangles([[a, c, b], [a, b, d], [a, d, c], [b, c, d]]), solid=True)
/// >>> tree.locate([[0.25, 0.25, 0.25], [0.5, 0.25, 0.25], [1, 1, 1]]).tolist()
/// [0, 1, 2]
/// >>> tree.meets([[[1, 1, 1], [0, 0, 0]], [[1, 1, 1], [2, 0, 0]]]).tolist()
/// [True, False]
#[pyclass(frozen, module = "obbligato")]
pub struct BspTree {
    tree: Arc<obbligato::region::BspTree>,
    /// The arguments that it was made from.
    made_from: (Py<PyAny>, bool),
    size: usize,
}

#[pymethods]
impl BspTree {
    #[new]
    #[pyo3(signature = (triangles, solid=None), text_signature = "(triangles, solid=False)")]
    fn new(py: Python<'_>, triangles: &Bound<'_, PyAny>, solid: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let solid = solid.map_or(Ok(false), |solid| read("solid", solid, "True or False"))?;
        let shapes = Read::new("triangles", triangles, Centers::OnlyF32)?.shapes;
        let Listed::Triangles(_) = &shapes else {
            return Err(PyTypeError::new_err(
                "triangles is another kind of shapes: give Triangles",
            ));
        };
        let size = shapes.len();
        let tree = detached(py, size, move || {
            let triangles = shapes.triangles().unwrap_or_default();
            match solid {
                true => obbligato::region::BspTree::of_solid(triangles),
                false => obbligato::region::BspTree::new(triangles),
            }
        });
        Ok(Self {
            tree: Arc::new(tree.map_err(about([("triangles", size)]))?),
            made_from: (triangles.clone().unbind(), solid),
            size,
        })
    }

    /// Locates points, (N, 3) float32, exactly. Returns (N,) int8: 0 inside, 1 on the surface, 2
    /// outside. Requires `solid=True`.
    fn locate<'py>(&self, py: Python<'py>, points: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<i8>>> {
        let (points, tree) = (points_of("points", points)?, self.tree.clone());
        let size = points.len() / 3;
        let states = detached(py, size, move || {
            let points: &[Vec3] = bytemuck::cast_slice(&points);
            validate_points(points)?;
            let state = |point: &Vec3| Ok(number_of_point(tree.locate(*point)?));
            points.par_iter().map(state).collect::<Result<Vec<i8>>>()
        });
        Ok(states.map_err(about([("points", size)]))?.into_pyarray(py))
    }

    /// Tests which points, segments and polygons share a point with a triangle, exactly. Returns
    /// (G,) bool.
    ///
    /// `points` are the corners of each, (K, 3) float32, and `offsets` say which belong together:
    /// both as for `fit_boxes`. A polygon stands for all triangles of its first corner and two
    /// consecutive ones; if it is flat and convex, these are the polygon.
    #[pyo3(signature = (points, offsets=None))]
    fn meets<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        offsets: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let ((points, groups), tree) = (Groups::of_points(points, offsets)?, self.tree.clone());
        let found = detached(py, groups.len(), move || {
            each(&groups.split(bytemuck::cast_slice(&points)), |points| {
                validate_points(points)?;
                Ok(tree.meets(points))
            })
        });
        Ok(found.map_err(about([("points", 0)]))?.into_pyarray(py))
    }

    /// Tests which boxes may share a point with a triangle. Returns (N,) bool. False is always
    /// right; True is possible for a box that is apart from a triangle by less than about 1e-12 of
    /// the sizes and distances involved.
    fn meets_boxes<'py>(&self, py: Python<'py>, boxes: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let boxes = Read::new("boxes", boxes, Centers::OnlyF32)?.boxes("boxes")?;
        let (size, tree) = (boxes.len(), self.tree.clone());
        let found = detached(py, size, move || {
            let mut room = Vec::new();
            let boxes: &[Obb] = boxes.records(&mut room)?;
            validate_boxes(boxes)?;
            Ok(boxes.par_iter().map(|one| tree.meets_box(one)).collect::<Vec<bool>>())
        });
        Ok(found.map_err(about([("boxes", size)]))?.into_pyarray(py))
    }

    /// Returns the number of triangles.
    fn __len__(&self) -> usize {
        self.size
    }

    fn __repr__(&self) -> String {
        format!("<BspTree: {} triangles>", self.size)
    }

    /// For pickle.
    fn __getnewargs__(&self, py: Python<'_>) -> (Py<PyAny>, bool) {
        (self.made_from.0.clone_ref(py), self.made_from.1)
    }
}
