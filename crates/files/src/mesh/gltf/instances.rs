//! Copies of a mesh: the extension `EXT_mesh_gpu_instancing`.

use glam::{DMat4, DVec3, DVec4};

use crate::mesh::gltf::accessor::{Accessors, Values, Width};
use crate::mesh::gltf::document::Instancing;
use crate::mesh::gltf::nodes::transform;

/// The largest deviation from 1 of the length of a rotation in 8-bit numbers.
const QUANTIZED_LENGTH: f64 = 0.02;

/// The copies of a node's mesh.
pub(super) struct Instances<'a> {
    pub count: u64,
    translation: Option<Values<'a>>,
    rotation: Option<Values<'a>>,
    scale: Option<Values<'a>>,
}

impl<'a> Instances<'a> {
    pub fn new(instancing: &Instancing, accessors: Accessors<'a>) -> Result<Self, String> {
        let mut counts = instancing
            .attributes
            .values()
            .map(|&accessor| accessors.count(accessor));
        let Some(count) = counts.next().transpose()? else {
            return Err("has instances without attributes".to_owned());
        };
        for other in counts {
            let other = other?;
            if other != count {
                return Err(format!("has attributes of {count} and of {other} instances"));
            }
        }
        let of = |name: &str, width| {
            let accessor = instancing.attributes.get(name);
            accessor.map(|&accessor| accessors.values(accessor, width)).transpose()
        };
        Ok(Self {
            count,
            translation: of("TRANSLATION", Width::Vec3)?,
            rotation: of("ROTATION", Width::Vec4)?,
            scale: of("SCALE", Width::Vec3)?,
        })
    }

    /// Returns the transform from a copy to the node.
    pub fn transform(&self, number: u64) -> Result<DMat4, String> {
        let vector = |values: &Option<Values>, absent| {
            let numbers = values.as_ref().map(|values| values.numbers(number));
            numbers.map_or(absent, DVec3::from_array)
        };
        let rotation = self.rotation.as_ref().map(|values| values.numbers(number));
        let rotation = rotation.map_or(DVec4::W, DVec4::from_array);
        let rotation = match (rotation.length() - 1.0).abs() < QUANTIZED_LENGTH {
            true => rotation.normalize(),
            false => rotation,
        };
        let (translation, scale) = (vector(&self.translation, DVec3::ZERO), vector(&self.scale, DVec3::ONE));
        transform(translation, rotation.to_array(), scale)
            .map_err(|words| format!("has instance {number}, from 0, which {words}"))
    }
}
