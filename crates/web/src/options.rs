//! Options in objects.

use js_sys::{Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};

use crate::errors::{Result, invalid};

/// An object of options.
pub struct Options {
    object: Option<Object>,
}

impl Options {
    /// The options in an object, which may be undefined. `known` are their names.
    pub fn new(value: &JsValue, known: &[&str]) -> Result<Self> {
        if value.is_undefined() || value.is_null() {
            return Ok(Self { object: None });
        }
        let Some(object) = value.dyn_ref::<Object>() else {
            return Err(invalid("the options are not an object: give one"));
        };
        for key in Object::keys(object) {
            let key = key.as_string().unwrap_or_default();
            if !known.contains(&&*key) {
                return Err(invalid(&format!(
                    "there is no option {key}: the options are {}",
                    known.join(", ")
                )));
            }
        }
        Ok(Self {
            object: Some(object.clone()),
        })
    }

    /// The value of an option, if it is given.
    pub fn get(&self, name: &str) -> Option<JsValue> {
        let value = Reflect::get(self.object.as_ref()?, &name.into()).ok()?;
        (!value.is_undefined() && !value.is_null()).then_some(value)
    }

    pub fn number(&self, name: &str) -> Result<Option<f64>> {
        let number = |value: JsValue| {
            value
                .as_f64()
                .ok_or_else(|| invalid(&format!("{name} is not a number: give one")))
        };
        self.get(name).map(number).transpose()
    }

    /// A whole number that is not negative.
    pub fn count(&self, name: &str) -> Result<Option<usize>> {
        let count = |number: f64| match number >= 0.0 && number.fract() == 0.0 && number <= f64::from(u32::MAX) {
            true => Ok(number as usize),
            false => Err(invalid(&format!("{name} is {number}: give a whole number from 0"))),
        };
        self.number(name)?.map(count).transpose()
    }

    /// `false` if the option is not given.
    pub fn flag(&self, name: &str) -> Result<bool> {
        let flag = |value: JsValue| {
            value
                .as_bool()
                .ok_or_else(|| invalid(&format!("{name} is not a boolean: give true or false")))
        };
        self.get(name).map_or(Ok(false), flag)
    }

    /// The choice that an option names.
    pub fn choice<T: Copy>(&self, name: &str, all: &[(&str, T)]) -> Result<Option<T>> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let text = value.as_string().unwrap_or_default();
        let found = all.iter().find(|(other, _)| *other == text);
        found.map(|(_, choice)| Some(*choice)).ok_or_else(|| {
            let names = all.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            invalid(&format!("no {name} is named {text:?}: choose one of {names}"))
        })
    }
}
