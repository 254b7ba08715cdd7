//! Skins: vertices that follow joints, which are nodes, instead of the node that has the mesh.

use glam::{DMat4, DVec3};

use crate::mesh::gltf::accessor::{Accessors, Values, Width};
use crate::mesh::gltf::document::{Attributes, Skin, get};

/// Returns the transforms of a skin's joints from the mesh to the world, given those of all nodes.
pub(super) fn joints(skin: &Skin, transforms: &[DMat4], accessors: Accessors<'_>) -> Result<Vec<DMat4>, String> {
    let inverse = skin.inverse_bind_matrices;
    let inverse = inverse
        .map(|accessor| accessors.values(accessor, Width::Mat4))
        .transpose()?;
    let needed = skin.joints.len() as u64;
    if inverse.as_ref().is_some_and(|inverse| inverse.count < needed) {
        return Err(format!("has a skin of {needed} joints and fewer inverse bind matrices"));
    }
    let joint = |(number, &node): (u64, &usize)| -> Result<DMat4, String> {
        let world = *get(transforms, node, "node")?;
        let inverse = inverse.as_ref().map(|all| DMat4::from_cols_array(&all.numbers(number)));
        Ok(world * inverse.unwrap_or(DMat4::IDENTITY))
    };
    (0..).zip(&skin.joints).map(joint).collect()
}

/// The assignment of the vertices of a primitive to joints.
pub(super) struct Followed<'a> {
    joints: &'a [DMat4],
    /// Joint indices and weights, four for each vertex.
    sets: Vec<[Values<'a>; 2]>,
}

impl<'a> Followed<'a> {
    /// Reads the attributes `JOINTS_n` and `WEIGHTS_n` of a primitive, which must have this number
    /// of vertices.
    pub fn new(
        joints: &'a [DMat4],
        attributes: &Attributes,
        vertices: u64,
        accessors: Accessors<'a>,
    ) -> Result<Self, String> {
        let mut sets = Vec::new();
        let accessor = |name: &str, set: usize| attributes.get(&format!("{name}_{set}"));
        while let (Some(&numbers), Some(&weights)) = (accessor("JOINTS", sets.len()), accessor("WEIGHTS", sets.len())) {
            let set = [
                accessors.values(numbers, Width::Vec4)?,
                accessors.values(weights, Width::Vec4)?,
            ];
            if !set[0].are_whole() || set.iter().any(|values| values.count != vertices) {
                return Err("has joints that are not whole numbers, or not of each vertex".to_owned());
            }
            sets.push(set);
        }
        match sets.is_empty() {
            true => Err("has a skin, but a primitive without JOINTS_0 and WEIGHTS_0".to_owned()),
            false => Ok(Self { joints, sets }),
        }
    }

    /// Returns the position of a vertex in the world: the weighted mean of its positions under its
    /// joints.
    pub fn place(&self, vertex: u64, point: DVec3) -> Result<DVec3, String> {
        let (mut sum, mut total) = (DVec3::ZERO, 0.0);
        for [numbers, weights] in &self.sets {
            let (numbers, weights): ([f64; 4], [f64; 4]) = (numbers.numbers(vertex), weights.numbers(vertex));
            for (number, weight) in numbers.into_iter().zip(weights).filter(|(_, weight)| *weight != 0.0) {
                let joint = get(self.joints, number as usize, "joint")?;
                sum += weight * joint.transform_point3(point);
                total += weight;
            }
        }
        match total > 0.0 {
            true => Ok(sum / total),
            false => Err(format!("has vertex {vertex}, from 0, whose weights add up to {total}")),
        }
    }
}
