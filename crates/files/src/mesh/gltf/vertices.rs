//! The vertices of a glTF primitive: morphed, then taken to the world by the joints of a skin or by
//! the node.

use glam::{DMat4, DVec3};

use crate::mesh::gltf::accessor::{Accessors, Values, Width};
use crate::mesh::gltf::document::{Attributes, Primitive};
use crate::mesh::gltf::skin::Followed;

/// The vertices of a primitive.
pub(super) struct Vertices<'a> {
    positions: Values<'a>,
    /// The morph targets, with the weights by which they are added.
    targets: Vec<(f64, Values<'a>)>,
    indices: Option<Values<'a>>,
    followed: Option<Followed<'a>>,
}

impl<'a> Vertices<'a> {
    /// Reads the vertices of a primitive that is morphed with these weights and follows these
    /// joints, if any.
    pub fn new(
        primitive: &Primitive,
        weights: &[f64],
        joints: Option<&'a [DMat4]>,
        accessors: Accessors<'a>,
    ) -> Result<Self, String> {
        let Some(&position) = primitive.attributes.get(POSITION) else {
            return Err("has a primitive without POSITION".to_owned());
        };
        let positions = accessors.values(position, Width::Vec3)?;
        let count = positions.count;
        let followed = joints.map(|joints| Followed::new(joints, &primitive.attributes, count, accessors));
        let indices = primitive
            .indices
            .map(|indices| accessors.values(indices, Width::Scalar));
        Ok(Self {
            targets: morphs(&primitive.targets, weights, count, accessors)?,
            indices: indices.transpose()?,
            followed: followed.transpose()?,
            positions,
        })
    }

    /// Returns the number of corners of the primitive.
    pub fn corners(&self) -> u64 {
        self.indices
            .as_ref()
            .map_or(self.positions.count, |indices| indices.count)
    }

    /// Returns a corner by its number, in the world. `transform` is that of the node, which joints
    /// override.
    pub fn corner(&self, number: u64, transform: &DMat4) -> Result<DVec3, String> {
        let vertex = self.indices.as_ref().map_or(number, |indices| indices.index(number));
        if vertex >= self.positions.count {
            return Err(format!("names vertex {vertex}, from 0, of {}", self.positions.count));
        }
        let place = |values: &Values| DVec3::from_array(values.numbers(vertex));
        let morphed = self
            .targets
            .iter()
            .fold(place(&self.positions), |point, (weight, target)| {
                point + *weight * place(target)
            });
        let point = match &self.followed {
            Some(followed) => followed.place(vertex, morphed)?,
            None => transform.transform_point3(morphed),
        };
        match point.as_vec3().is_finite() {
            true => Ok(point),
            false => Err(format!("has vertex {vertex}, from 0, which is not finite as f32")),
        }
    }
}

/// The attribute that holds positions.
const POSITION: &str = "POSITION";

/// Returns the morph targets of `count` positions with their weights, except those with weight 0.
fn morphs<'a>(
    targets: &[Attributes],
    weights: &[f64],
    count: u64,
    accessors: Accessors<'a>,
) -> Result<Vec<(f64, Values<'a>)>, String> {
    if !weights.is_empty() && weights.len() != targets.len() {
        let (weights, there) = (weights.len(), targets.len());
        return Err(format!("has {weights} weights for {there} morph targets"));
    }
    let added = |(&weight, target): (&f64, &Attributes)| {
        let accessor = *target.get(POSITION).filter(|_| weight != 0.0)?;
        Some(accessors.values(accessor, Width::Vec3).map(|values| (weight, values)))
    };
    let added: Vec<_> = weights
        .iter()
        .zip(targets)
        .filter_map(added)
        .collect::<Result<_, _>>()?;
    match added.iter().all(|(_, values)| values.count == count) {
        true => Ok(added),
        false => Err("has a morph target that is not of each vertex".to_owned()),
    }
}
