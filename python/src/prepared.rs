//! Scenes at rest.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

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

    /// The backend of the scene: "gpu" or "cpu".
    #[getter]
    fn backend(&self) -> &'static str {
        backend(self.scene.engine())
    }
}
