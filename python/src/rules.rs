//! Boxes with the rules about them.

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use obbligato::{ExcludedPairs, Rules};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{list, numbers, rows_of_two};
use crate::boxes::{Boxes, Numbers};
use crate::errors::raise;

/// Boxes, and what is known about each of them.
///
/// Whatever takes boxes takes a set, too; `against` needs one for rules about the second list. The rules are those of `check`.
///
/// >>> import obbligato
/// >>> walls = obbligato.BoxSet([[0, 0, 0, 1, 1, 1, 0, 0, 0, 1.0]], worlds=[7])
/// >>> obbligato.check([[1, 0, 0, 1, 1, 1, 0, 0, 0, 1.0]], against=walls, worlds=[7]).colliding_pairs
/// 1
#[pyclass(frozen, module = "obbligato")]
pub struct BoxSet {
    /// The boxes.
    #[pyo3(get)]
    boxes: Py<PyAny>,
    /// The rules, by name.
    #[pyo3(get)]
    rules: Py<PyDict>,
}

#[pymethods]
impl BoxSet {
    #[new]
    #[pyo3(signature = (boxes, **rules))]
    fn new(boxes: &Bound<'_, PyAny>, rules: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let rules = rules.map_or_else(|| PyDict::new(boxes.py()), Clone::clone);
        RuleLists::new(Some(&rules))?;
        Ok(Self {
            boxes: boxes.clone().unbind(),
            rules: rules.unbind(),
        })
    }
}

/// A set of boxes, held.
pub struct Held<'py> {
    what: &'static str,
    boxes: Boxes<'py>,
    rules: RuleLists<'py>,
}

/// The same without the interpreter.
#[derive(Clone, Copy)]
pub struct Set<'a> {
    pub boxes: Numbers<'a>,
    pub rules: Rules<'a>,
}

impl<'py> Held<'py> {
    /// The boxes in `object`, which errors call `what`, with the rules that a call has for them.
    pub fn new(what: &'static str, object: &Bound<'py, PyAny>, rules: Option<&Bound<'py, PyDict>>) -> PyResult<Self> {
        let Ok(set) = object.cast::<BoxSet>() else {
            return Ok(Self {
                what,
                boxes: Boxes::new(what, object)?,
                rules: RuleLists::new(rules)?,
            });
        };
        if rules.is_some_and(|rules| !rules.is_empty()) {
            return Err(PyTypeError::new_err(format!(
                "{what} is a BoxSet and there are other rules: give all of them to the BoxSet"
            )));
        }
        let set = set.get();
        Ok(Self {
            what,
            boxes: Boxes::new(what, set.boxes.bind(object.py()))?,
            rules: RuleLists::new(Some(set.rules.bind(object.py())))?,
        })
    }

    /// What is read while other threads go on.
    pub fn set(&self) -> PyResult<Set<'_>> {
        Ok(Set {
            boxes: self.boxes.numbers()?,
            rules: self.rules.rules()?,
        })
    }

    /// The same for calls that know no centers in `f64`.
    pub fn set32(&self) -> PyResult<Set<'_>> {
        Ok(Set {
            boxes: self.boxes.numbers32(self.what)?,
            rules: self.rules.rules()?,
        })
    }
}

/// The lists of rules, held.
#[derive(Default)]
struct RuleLists<'py> {
    owners: Option<PyReadonlyArray1<'py, u32>>,
    worlds: Option<PyReadonlyArray1<'py, u32>>,
    statics: Option<PyReadonlyArray1<'py, bool>>,
    active: Option<PyReadonlyArray1<'py, bool>>,
    margins: Option<PyReadonlyArray1<'py, f32>>,
    groups: Option<PyReadonlyArray2<'py, u32>>,
    excluded: Option<ExcludedPairs>,
}

impl<'py> RuleLists<'py> {
    fn new(rules: Option<&Bound<'py, PyDict>>) -> PyResult<Self> {
        let mut lists = Self::default();
        for (name, value) in rules.into_iter().flatten() {
            let name: String = name.extract()?;
            if value.is_none() {
                continue;
            }
            match &name[..] {
                "owners" => lists.owners = Some(numbers("owners", &value)?),
                "worlds" => lists.worlds = Some(numbers("worlds", &value)?),
                "statics" => lists.statics = Some(list("statics", &value, "bool")?),
                "active" => lists.active = Some(list("active", &value, "bool")?),
                "margins" => lists.margins = Some(list("margins", &value, "float32")?),
                "groups" => lists.groups = Some(rows_of_two("groups", &value)?),
                "excluded" => {
                    let pairs = rows_of_two("excluded", &value)?;
                    let table = ExcludedPairs::new(bytemuck::cast_slice(pairs.as_slice()?));
                    lists.excluded = Some(table.map_err(raise)?);
                }
                _ => {
                    return Err(PyTypeError::new_err(format!(
                        "there is no rule or setting {name}: the rules are owners, worlds, statics, active, margins, groups and \
                         excluded; settings, such as margin, go to the Checker"
                    )));
                }
            }
        }
        Ok(lists)
    }

    fn rules(&self) -> PyResult<Rules<'_>> {
        fn slice<'a, T: numpy::Element>(list: &'a Option<PyReadonlyArray1<'_, T>>) -> PyResult<Option<&'a [T]>> {
            list.as_ref().map(|list| Ok(list.as_slice()?)).transpose()
        }
        let groups = self.groups.as_ref().map(|rows| rows.as_slice()).transpose()?;
        Ok(Rules {
            owners: slice(&self.owners)?,
            worlds: slice(&self.worlds)?,
            statics: slice(&self.statics)?,
            active: slice(&self.active)?,
            margins: slice(&self.margins)?,
            groups: groups.map(bytemuck::cast_slice),
            excluded: self.excluded.as_ref(),
        })
    }
}
