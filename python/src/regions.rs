//! Rooms and closed meshes, which bodies and points are located in.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1};
use obbligato::glam::{Quat, Vec3};
use obbligato::region::{EnclosureState, InsideRule, PointState};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::points_of;
use crate::bodies::{Centers, Listed, Read};
use crate::errors::{about, raise};
use crate::settings::{chosen, read as of};
use crate::threads::detached;

/// The form of a corner or a size.
const THREE: &str = "three numbers x y z";

/// The number of a state: 0 inside, 1 crossing, 2 outside.
pub fn number(state: EnclosureState) -> i8 {
    match state {
        EnclosureState::Inside => 0,
        EnclosureState::Crossing => 1,
        EnclosureState::Outside => 2,
    }
}

/// The number of a point's state: 0 inside, 1 on the surface, 2 outside.
pub fn number_of_point(state: PointState) -> i8 {
    match state {
        PointState::Inside => 0,
        PointState::Surface => 1,
        PointState::Outside => 2,
    }
}

/// A room with six walls, from the corner `min` to the corner `max`: see `Checker.enclosures`.
///
/// >>> import obbligato
/// >>> obbligato.Room([0, 0, 0], [6, 4, 2.5])
/// Room([0.0, 0.0, 0.0], [6.0, 4.0, 2.5])
#[pyclass(frozen, module = "obbligato")]
pub struct Room {
    pub room: obbligato::region::Room,
    /// The lists of numbers that it was made from: two corners, or center, half extents, rotation.
    made_from: Vec<Vec<f32>>,
}

#[pymethods]
impl Room {
    #[new]
    fn new(min: &Bound<'_, PyAny>, max: &Bound<'_, PyAny>) -> PyResult<Self> {
        let [min, max]: [[f32; 3]; 2] = [of("min", min, THREE)?, of("max", max, THREE)?];
        let room = obbligato::region::Room::new(Vec3::from_array(min), Vec3::from_array(max));
        Ok(Self {
            room: room.map_err(raise)?,
            made_from: vec![min.to_vec(), max.to_vec()],
        })
    }

    /// Returns a room of any orientation, from its center, half of its size along each of its own
    /// axes, and the unit quaternion x y z w that rotates these into the world.
    #[staticmethod]
    fn oriented(
        center: &Bound<'_, PyAny>,
        half_extents: &Bound<'_, PyAny>,
        rotation: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let center: [f32; 3] = of("center", center, THREE)?;
        let half_extents: [f32; 3] = of("half_extents", half_extents, THREE)?;
        let rotation: [f32; 4] = of("rotation", rotation, "a quaternion, four numbers x y z w")?;
        let (middle, half) = (Vec3::from_array(center), Vec3::from_array(half_extents));
        let room = obbligato::region::Room::oriented(middle, half, Quat::from_array(rotation));
        Ok(Self {
            room: room.map_err(raise)?,
            made_from: vec![center.to_vec(), half_extents.to_vec(), rotation.to_vec()],
        })
    }

    fn __repr__(&self) -> String {
        let lists: Vec<String> = self.made_from.iter().map(|list| format!("{list:?}")).collect();
        let name = if lists.len() == 2 { "Room" } else { "Room.oriented" };
        format!("{name}({})", lists.join(", "))
    }

    /// For pickle.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let class = py.get_type::<Self>().into_any();
        let made_by = match self.made_from.len() {
            2 => class,
            _ => class.getattr("oriented")?,
        };
        Ok((made_by, PyTuple::new(py, &self.made_from)?))
    }
}

/// A closed mesh, prepared for tests of which points and bodies are in it.
///
/// `rule` defines the inside: "parity" (a ray crosses an odd number of triangles) or "winding" (the
/// triangles wind around the point). A mesh with open edges is an error.
///
/// >>> import obbligato
/// >>> a, b, c, d = [0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]
/// >>> mesh = obbligato.ClosedMesh(obbligato.Triangles([[a, b, c], [a, b, d], [a, c, d], [b, c, d]]))
/// >>> mesh.locate([[0.25, 0.25, 0.25], [0.5, 0.25, 0.25], [1, 1, 1]]).tolist()
/// [0, 1, 2]
#[pyclass(frozen, module = "obbligato")]
pub struct ClosedMesh {
    pub mesh: Arc<obbligato::region::ClosedMesh>,
    /// The arguments that it was made from.
    made_from: (Py<PyAny>, String),
}

#[pymethods]
impl ClosedMesh {
    #[new]
    #[pyo3(signature = (triangles, rule="parity"))]
    fn new(py: Python<'_>, triangles: &Bound<'_, PyAny>, rule: &str) -> PyResult<Self> {
        let all = [("parity", InsideRule::Parity), ("winding", InsideRule::Winding)];
        let (name, rule) = (rule.to_owned(), chosen("rule", rule, all)?);
        let shapes = Read::new("triangles", triangles, Centers::OnlyF32)?.shapes;
        let Listed::Triangles(_) = &shapes else {
            return Err(PyTypeError::new_err(
                "triangles is another kind of shapes: give Triangles",
            ));
        };
        let size = shapes.len();
        let mesh = detached(py, size, move || {
            obbligato::region::ClosedMesh::with_rule(shapes.triangles().unwrap_or_default(), rule)
        });
        Ok(Self {
            mesh: Arc::new(mesh.map_err(about([("triangles", size)]))?),
            made_from: (triangles.clone().unbind(), name),
        })
    }

    /// Locates points, (N, 3) float32. Returns (N,) int8: 0 inside, 1 on the surface, 2 outside.
    fn locate<'py>(&self, py: Python<'py>, points: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<i8>>> {
        let (points, mesh) = (points_of("points", points)?, self.mesh.clone());
        let size = points.len() / 3;
        let found = detached(py, size, move || mesh.locate_all(bytemuck::cast_slice(&points)));
        let found = found.map_err(about([("points", size)]))?;
        let states: Vec<i8> = found.into_iter().map(number_of_point).collect();
        Ok(states.into_pyarray(py))
    }

    /// Returns the number of triangles.
    fn __len__(&self) -> usize {
        self.mesh.triangles().len()
    }

    fn __repr__(&self) -> String {
        format!("<ClosedMesh: {} triangles>", self.__len__())
    }

    /// For pickle.
    fn __getnewargs__(&self, py: Python<'_>) -> (Py<PyAny>, String) {
        (self.made_from.0.clone_ref(py), self.made_from.1.clone())
    }
}
