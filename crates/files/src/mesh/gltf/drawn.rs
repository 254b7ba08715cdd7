//! The nodes of a glTF file that are drawn.

use crate::mesh::gltf::document::{Document, get};
use crate::mesh::gltf::nodes::Tree;
use crate::mesh::notes::NoteKind;

/// Returns for each node the reason why it is not drawn, if any: another one is drawn in its place,
/// it is not in the scene, or it is hidden.
pub(super) fn reasons(document: &Document, tree: &Tree) -> Result<Vec<Option<NoteKind>>, String> {
    let nodes = &document.nodes;
    let mut coarser = vec![false; nodes.len()];
    let mut hidden = vec![false; nodes.len()];
    for (number, node) in nodes.iter().enumerate() {
        let visibility = node.extensions.visibility.as_ref();
        hidden[number] = visibility.is_some_and(|visibility| !visibility.visible);
        for &copy in node.extensions.lod.iter().flat_map(|lod| &lod.ids) {
            get(nodes, copy, "node").map_err(|words| format!("node {number}, from 0, {words}: export it again"))?;
            coarser[copy] = true;
        }
    }
    let mut inside = in_scene(document)?;
    for marks in [&mut coarser, &mut hidden, &mut inside] {
        tree.inherit(marks);
    }
    let reason = |node: usize| match (coarser[node], inside[node], hidden[node]) {
        (true, ..) => Some(NoteKind::CoarserCopies),
        (_, false, _) => Some(NoteKind::OutsideScene),
        (.., true) => Some(NoteKind::Hidden),
        _ => None,
    };
    Ok((0..nodes.len()).map(reason).collect())
}

/// Returns for each node `true` if the scene names it. The scene is the default one, or the first;
/// all nodes are named if there are no scenes.
fn in_scene(document: &Document) -> Result<Vec<bool>, String> {
    let mut named = vec![document.scenes.is_empty(); document.nodes.len()];
    if document.scenes.is_empty() && document.scene.is_none() {
        return Ok(named);
    }
    let number = document.scene.unwrap_or(0);
    let scene = get(&document.scenes, number, "scene").map_err(|words| format!("{words}: export it again"))?;
    for &node in &scene.nodes {
        get(&document.nodes, node, "node")
            .map_err(|words| format!("scene {number}, from 0, {words}: export it again"))?;
        named[node] = true;
    }
    Ok(named)
}
