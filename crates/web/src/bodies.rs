//! Bodies with their rules, from the objects that the JavaScript API passes.

use js_sys::{Array, Float32Array, Object};
use obbligato::glam::{Quat, Vec3};
use obbligato::motion::{Motion, MovingSet};
use obbligato::query::ExcludedPairs;
use obbligato::{Bodies, Capsule, Obb, Rules, Set, Sphere};
use wasm_bindgen::{JsCast, JsValue};

use crate::arrays;
use crate::errors::{Result, invalid, raise};

/// The numbers of a box in a row.
pub const BOX: usize = 10;
/// The numbers of a capsule in a row.
const CAPSULE: usize = 9;
/// The numbers of a sphere in a row.
const SPHERE: usize = 4;

/// Bodies and rules, which keep their memory from call to call.
#[derive(Default)]
pub struct Held {
    boxes: Vec<Obb>,
    capsules: Vec<Capsule>,
    spheres: Vec<Sphere>,
    lists: Lists,
}

/// The lists of rules.
#[derive(Default)]
struct Lists {
    owners: Option<Vec<u32>>,
    worlds: Option<Vec<u32>>,
    statics: Option<Vec<bool>>,
    active: Option<Vec<bool>>,
    margins: Option<Vec<f32>>,
    groups: Option<Vec<[u32; 2]>>,
    excluded: Option<ExcludedPairs>,
}

impl Held {
    /// Reads an array of boxes, or an object of arrays.
    pub fn read(&mut self, value: &JsValue) -> Result<()> {
        self.boxes.clear();
        self.capsules.clear();
        self.spheres.clear();
        self.lists = Lists::default();
        if let Some(array) = value.dyn_ref::<Float32Array>() {
            return self.read_boxes(array);
        }
        let Some(object) = value.dyn_ref::<Object>() else {
            return Err(invalid(
                "there are no bodies: give a Float32Array of boxes, or an object of arrays",
            ));
        };
        for entry in Object::entries(object) {
            let entry: Array = entry.unchecked_into();
            let (name, value) = (entry.get(0).as_string().unwrap_or_default(), entry.get(1));
            if !value.is_undefined() && !value.is_null() {
                self.read_list(&name, &value)?;
            }
        }
        Ok(())
    }

    fn read_list(&mut self, name: &str, value: &JsValue) -> Result<()> {
        let lists = &mut self.lists;
        match name {
            "boxes" => self.read_boxes(&arrays::floats("boxes", value)?)?,
            "capsules" => {
                let about = ["capsules", "center x y z, half length, quaternion x y z w, radius"];
                arrays::fill(about, &arrays::floats("capsules", value)?, &mut self.capsules, capsule)?;
            }
            "spheres" => {
                let about = ["spheres", "center x y z, radius"];
                arrays::fill(about, &arrays::floats("spheres", value)?, &mut self.spheres, sphere)?;
            }
            "owners" => lists.owners = Some(arrays::whole("owners", value)?),
            "worlds" => lists.worlds = Some(arrays::whole("worlds", value)?),
            "statics" => lists.statics = Some(arrays::flags("statics", value)?),
            "active" => lists.active = Some(arrays::flags("active", value)?),
            "margins" => lists.margins = Some(arrays::singles("margins", value)?),
            "groups" => lists.groups = Some(arrays::twos("groups", value)?),
            "excluded" => {
                let pairs = arrays::pairs("excluded", value)?;
                lists.excluded = Some(ExcludedPairs::new(&pairs).map_err(raise)?);
            }
            _ => {
                return Err(invalid(&format!(
                    "there are no bodies and no rule named {name}: bodies are boxes, capsules and spheres; rules are owners, \
                     worlds, statics, active, margins, groups and excluded"
                )));
            }
        }
        Ok(())
    }

    fn read_boxes(&mut self, array: &Float32Array) -> Result<()> {
        let about = ["boxes", "center x y z, half extents x y z, quaternion x y z w"];
        arrays::fill(about, array, &mut self.boxes, boxed)
    }

    pub fn bodies(&self) -> Bodies<'_> {
        Bodies {
            boxes: &self.boxes,
            capsules: &self.capsules,
            spheres: &self.spheres,
        }
    }

    fn rules(&self) -> Rules<'_> {
        let lists = &self.lists;
        Rules {
            owners: lists.owners.as_deref(),
            worlds: lists.worlds.as_deref(),
            statics: lists.statics.as_deref(),
            active: lists.active.as_deref(),
            margins: lists.margins.as_deref(),
            groups: lists.groups.as_deref(),
            excluded: lists.excluded.as_ref(),
        }
    }

    /// The bodies with their rules.
    pub fn set(&self) -> Set<'_> {
        Set::from(self.bodies()).with(self.rules())
    }

    /// The bodies with their rules and a motion each.
    pub fn moving<'a>(&'a self, motions: &'a [Motion]) -> MovingSet<'a> {
        MovingSet::new(self.bodies(), motions).with(self.rules())
    }

    /// The motions of these bodies.
    pub fn motions(&self, what: &'static str, value: &JsValue) -> Result<Vec<Motion>> {
        let list = arrays::singles(what, value)?;
        let row = "velocity, angular velocity, acceleration, uncertainty";
        let rows = arrays::rows_of(what, &list, self.bodies().len(), &[3, 6, 9, 10], row)?;
        Ok(rows.map(motion).collect())
    }
}

fn boxed(&[cx, cy, cz, hx, hy, hz, qx, qy, qz, qw]: &[f32; BOX]) -> Obb {
    let rotation = Quat::from_xyzw(qx, qy, qz, qw);
    Obb::new(Vec3::new(cx, cy, cz), Vec3::new(hx, hy, hz), rotation)
}

fn capsule(&[cx, cy, cz, half_length, qx, qy, qz, qw, radius]: &[f32; CAPSULE]) -> Capsule {
    let rotation = Quat::from_xyzw(qx, qy, qz, qw);
    Capsule::new(Vec3::new(cx, cy, cz), half_length, rotation, radius)
}

fn sphere(&[x, y, z, radius]: &[f32; SPHERE]) -> Sphere {
    Sphere::new(Vec3::new(x, y, z), radius)
}

fn motion(row: &[f32]) -> Motion {
    let three = |first| row.get(first..first + 3).map_or(Vec3::ZERO, Vec3::from_slice);
    let uncertainty = row.get(9).copied().unwrap_or(0.0);
    Motion::linear(three(0))
        .turning(three(3))
        .accelerated(three(6))
        .uncertain(uncertainty)
}

/// The numbers of a box as a row.
pub fn row(boxed: &Obb) -> [f32; BOX] {
    let ([cx, cy, cz], [hx, hy, hz]) = (boxed.center.to_array(), boxed.half_extents.to_array());
    let [qx, qy, qz, qw] = boxed.rotation.to_array();
    [cx, cy, cz, hx, hy, hz, qx, qy, qz, qw]
}
