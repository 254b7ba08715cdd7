//! Boxes with their rules.

use obbligato::motion::{Motion, MovingSet};
use obbligato::{Result, Rules, Set as EngineSet, query::ExcludedPairs};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Numbers, flags, floats, pairs_of, rows_of_two, whole};
use crate::bodies::{Centers, Listed, Read, Room};
use crate::errors::raise;

/// Boxes with rules for each of them.
///
/// Every argument for boxes also accepts a set; `against` needs one for rules about the second
/// list. The rules are those of `check`.
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
    #[pyo3(
        signature = (boxes, **rules),
        text_signature = "(boxes, *, owners=None, worlds=None, statics=None, active=None, margins=None, groups=None, excluded=None)"
    )]
    fn new(boxes: &Bound<'_, PyAny>, rules: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let rules = rules.map_or_else(|| PyDict::new(boxes.py()), Clone::clone);
        RuleLists::new(Some(&rules))?;
        Ok(Self {
            boxes: boxes.clone().unbind(),
            rules: rules.unbind(),
        })
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let boxes = self.boxes.bind(py).len()?;
        let names: Vec<String> = self.rules.bind(py).keys().extract()?;
        let rules = if names.is_empty() {
            "no rules".into()
        } else {
            names.join(", ")
        };
        Ok(format!("<BoxSet: {boxes} boxes, {rules}>"))
    }

    /// For pickle.
    fn __getnewargs_ex__(&self, py: Python<'_>) -> ((Py<PyAny>,), Py<PyDict>) {
        ((self.boxes.clone_ref(py),), self.rules.clone_ref(py))
    }
}

/// A set of boxes, kept alive for threads without the interpreter.
pub struct Held {
    pub shapes: Listed,
    /// The ids of the boxes, if their table has any.
    pub ids: Option<Py<PyAny>>,
    lists: RuleLists,
}

impl Held {
    /// The boxes in `object`, which errors call `what`, with the rules of a call.
    pub fn new(
        what: &str,
        object: &Bound<'_, PyAny>,
        rules: Option<&Bound<'_, PyDict>>,
        centers: Centers,
    ) -> PyResult<Self> {
        let py = object.py();
        let (object, rules) = match object.cast::<BoxSet>() {
            Ok(_) if rules.is_some_and(|rules| !rules.is_empty()) => {
                return Err(PyTypeError::new_err(format!(
                    "{what} is a BoxSet and there are other rules: give all of them to the BoxSet"
                )));
            }
            Ok(set) => (set.get().boxes.bind(py), Some(set.get().rules.bind(py))),
            Err(_) => (object, rules),
        };
        let Read {
            shapes,
            ids,
            rules: all,
        } = Read::new(what, object, centers)?;
        // The rules of the call override those of the table.
        for (name, value) in rules.into_iter().flatten() {
            all.set_item(name, value)?;
        }
        Ok(Self {
            shapes,
            ids,
            lists: RuleLists::new(Some(&all))?,
        })
    }

    /// The number of boxes.
    pub fn len(&self) -> usize {
        self.shapes.len()
    }

    /// The set in the form that a check takes.
    pub fn set<'a>(&'a self, room: &'a mut Room) -> Result<EngineSet<'a>> {
        Ok(EngineSet::from(self.shapes.shapes(room)?).with(self.lists.rules()))
    }

    /// Only the rules.
    pub fn rules(&self) -> Rules<'_> {
        self.lists.rules()
    }

    /// The set with a motion for each body.
    pub fn moving<'a>(&'a self, room: &'a mut Room, motions: &'a [Motion]) -> Result<MovingSet<'a>> {
        Ok(MovingSet::new(self.shapes.bodies(room)?, motions).with(self.lists.rules()))
    }
}

/// The lists of rules, kept alive.
#[derive(Default)]
pub struct RuleLists {
    owners: Option<Numbers<u32>>,
    worlds: Option<Numbers<u32>>,
    statics: Option<Numbers<bool>>,
    active: Option<Numbers<bool>>,
    margins: Option<Numbers<f32>>,
    groups: Option<Numbers<u32>>,
    excluded: Option<ExcludedPairs>,
}

impl RuleLists {
    /// The rules of a call.
    pub fn new(rules: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut lists = Self::default();
        for (name, value) in rules.into_iter().flatten() {
            let name: String = name.extract()?;
            if value.is_none() {
                continue;
            }
            match &name[..] {
                "owners" => lists.owners = Some(whole("owners", &value)?),
                "worlds" => lists.worlds = Some(whole("worlds", &value)?),
                "statics" => lists.statics = Some(flags("statics", &value)?),
                "active" => lists.active = Some(flags("active", &value)?),
                "margins" => lists.margins = Some(floats("margins", &value)?),
                "groups" => lists.groups = Some(rows_of_two("groups", &value)?),
                "excluded" => {
                    let pairs = rows_of_two("excluded", &value)?;
                    lists.excluded = Some(ExcludedPairs::new(pairs_of(&pairs)).map_err(raise)?);
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

    /// The rules in the form that a check takes.
    pub fn rules(&self) -> Rules<'_> {
        Rules {
            owners: self.owners.as_deref(),
            worlds: self.worlds.as_deref(),
            statics: self.statics.as_deref(),
            active: self.active.as_deref(),
            margins: self.margins.as_deref(),
            groups: self.groups.as_deref().map(bytemuck::cast_slice),
            excluded: self.excluded.as_ref(),
        }
    }
}
