//! The glTF extensions that move triangles.

use crate::mesh::gltf::document::{Document, Mesh, Node, get};
use crate::mesh::notes::{NoteKind, Notes};

/// Extensions that are read.
const READ: [&str; 4] = [
    "KHR_mesh_quantization",
    "EXT_mesh_gpu_instancing",
    "KHR_node_visibility",
    "MSFT_lod",
];

/// Prefixes of the names of extensions that do not move triangles.
const HARMLESS: [&str; 15] = [
    "KHR_materials_",
    "KHR_texture_",
    "KHR_lights_",
    "KHR_animation_",
    "KHR_xmp",
    "KHR_node_hoverability",
    "KHR_node_selectability",
    "EXT_texture_",
    "EXT_lights_",
    "EXT_mesh_features",
    "EXT_mesh_manifold",
    "EXT_instance_features",
    "EXT_structural_metadata",
    "CESIUM_primitive_outline",
    "FB_geometry_metadata",
];

/// The compression of a primitive, which may have uncompressed positions as well.
const COMPRESSED: &str = "KHR_draco_mesh_compression";

/// Returns `true` if a file that requires an extension is read correctly.
pub(super) fn is_understood(name: &str) -> bool {
    READ.contains(&name) || HARMLESS.iter().any(|harmless| name.starts_with(harmless))
}

/// Notes extensions of a node and its mesh that are not read and may draw something.
pub(super) fn note_unread(node: &Node, mesh: &Mesh, notes: &mut Notes) {
    let of_primitives = mesh.primitives.iter().flat_map(|primitive| primitive.extensions.keys());
    let all = node
        .extensions
        .others
        .keys()
        .chain(mesh.extensions.keys())
        .chain(of_primitives);
    for name in all.filter(|name| !is_understood(name) && *name != COMPRESSED) {
        notes.add(NoteKind::Extension(name.clone()), 1);
    }
}

/// Returns an error if a primitive has its positions only in compressed form.
pub(super) fn check_uncompressed(mesh: &Mesh, document: &Document) -> Result<(), String> {
    for primitive in &mesh.primitives {
        if !primitive.extensions.contains_key(COMPRESSED) {
            continue;
        }
        for &accessor in primitive.attributes.values().chain(&primitive.indices) {
            if get(&document.accessors, accessor, "accessor")?.buffer_view.is_none() {
                return Err(format!("is compressed by {COMPRESSED}, which is not read"));
            }
        }
    }
    Ok(())
}
