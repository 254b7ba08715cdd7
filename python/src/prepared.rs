//! Scenes at rest.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::arrays::table;
use crate::bodies::{capsule_rows, sphere_rows};
use crate::boxes::rows;
use crate::checker::backend;
use crate::errors::shown;

/// Boxes at rest, sorted once by `Checker.prepare` for `Checker.check_movers`. A scene holds copies
/// of the boxes and never changes.
#[pyclass(frozen, module = "obbligato")]
pub struct PreparedScene {
    pub scene: Arc<obbligato::PreparedScene>,
    /// The ids of the boxes, if their table has any.
    pub ids: Option<Py<PyAny>>,
}

impl PreparedScene {
    /// The scene that an argument is.
    pub fn of<'a>(scene: &'a Bound<'_, PyAny>) -> PyResult<&'a Self> {
        match scene.cast::<Self>() {
            Ok(scene) => Ok(scene.get()),
            Err(_) => Err(PyTypeError::new_err(format!(
                "scene is {}: give a PreparedScene, as of Checker.prepare",
                shown(scene)?
            ))),
        }
    }
}

#[pymethods]
impl PreparedScene {
    fn __len__(&self) -> usize {
        self.scene.bodies().len()
    }

    fn __repr__(&self) -> String {
        format!("<PreparedScene: {} boxes, {}>", self.__len__(), self.backend())
    }

    /// A copy of the bodies of the scene, as `Bodies`.
    #[getter]
    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let bodies = self.scene.bodies();
        let arrays = (
            table(py, rows(bodies.boxes))?,
            table(py, capsule_rows(bodies.capsules))?,
            table(py, sphere_rows(bodies.spheres))?,
        );
        py.import("obbligato._shapes")?.getattr("Bodies")?.call1(arrays)
    }

    /// The backend of the scene: "gpu" or "cpu".
    #[getter]
    fn backend(&self) -> &'static str {
        backend(self.scene.engine())
    }
}
