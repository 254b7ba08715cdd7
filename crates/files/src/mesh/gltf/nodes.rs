//! The transforms of the nodes of a glTF file to the world.

use glam::{DMat4, DVec3, DVec4};

use crate::mesh::gltf::document::{Node, get};
use obbligato::shape::ROTATION_LENGTH_TOLERANCE;

/// The nodes as trees.
pub(super) struct Tree {
    /// The transform of each node to the world.
    pub transforms: Vec<DMat4>,
    parents: Vec<Option<usize>>,
    /// The nodes, each after its parent.
    order: Vec<usize>,
}

impl Tree {
    pub fn new(nodes: &[Node]) -> Result<Self, String> {
        let mut transforms = Vec::with_capacity(nodes.len());
        let mut parents = vec![None; nodes.len()];
        for (number, node) in nodes.iter().enumerate() {
            let about = |words: String| format!("node {number}, from 0, {words}: export it again");
            transforms.push(local_transform(node).map_err(about)?);
            for &child in &node.children {
                get(nodes, child, "node").map_err(about)?;
                if parents[child].replace(number).is_some() {
                    return Err(format!("node {child}, from 0, has two parents: export it again"));
                }
            }
        }
        let mut order: Vec<usize> = (0..nodes.len()).filter(|&node| parents[node].is_none()).collect();
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            if let Some(parent) = parents[node] {
                transforms[node] = transforms[parent] * transforms[node];
            }
            order.extend(&nodes[node].children);
            next += 1;
        }
        // Each node has one parent, so those that cannot be reached from a root are in cycles or
        // below them.
        match order.len() == nodes.len() {
            true => Ok(Self {
                transforms,
                parents,
                order,
            }),
            false => Err("has nodes that are children of themselves: export it again".to_owned()),
        }
    }

    /// Marks all nodes below marked ones.
    pub fn inherit(&self, marks: &mut [bool]) {
        for &node in &self.order {
            if let Some(parent) = self.parents[node] {
                marks[node] |= marks[parent];
            }
        }
    }
}

/// Returns the transform from a node to its parent.
fn local_transform(node: &Node) -> Result<DMat4, String> {
    let Some(matrix) = &node.matrix else {
        return transform(
            node.translation.unwrap_or_default().into(),
            node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]),
            node.scale.unwrap_or([1.0; 3]).into(),
        );
    };
    let matrix = DMat4::from_cols_array(matrix);
    if node.translation.is_some() || node.rotation.is_some() || node.scale.is_some() {
        Err("has a matrix and other transforms beside it".to_owned())
    } else if matrix.row(3) != DVec4::W {
        Err("has a matrix whose last row is not 0, 0, 0, 1".to_owned())
    } else {
        Ok(matrix)
    }
}

/// Returns the transform that scales, then rotates, then translates.
pub(super) fn transform(translation: DVec3, rotation: [f64; 4], scale: DVec3) -> Result<DMat4, String> {
    let [x, y, z] = rotation_axes(rotation)?;
    Ok(DMat4::from_cols(
        (x * scale.x).extend(0.0),
        (y * scale.y).extend(0.0),
        (z * scale.z).extend(0.0),
        translation.extend(1.0),
    ))
}

/// Returns the axes of a rotation, divided by the square of the quaternion's length: for a quarter
/// turn they are exact, however its numbers are rounded.
fn rotation_axes([x, y, z, w]: [f64; 4]) -> Result<[DVec3; 3], String> {
    let square = x * x + y * y + z * z + w * w;
    if (square.sqrt() - 1.0).abs() > f64::from(ROTATION_LENGTH_TOLERANCE) {
        return Err(format!(
            "has a rotation whose length is not 1 (within {ROTATION_LENGTH_TOLERANCE})"
        ));
    }
    let (xx, yy, zz, ww) = (x * x, y * y, z * z, w * w);
    Ok([
        DVec3::new(ww + xx - yy - zz, 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)) / square,
        DVec3::new(2.0 * (x * y - w * z), ww - xx + yy - zz, 2.0 * (y * z + w * x)) / square,
        DVec3::new(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), ww - xx - yy + zz) / square,
    ])
}
