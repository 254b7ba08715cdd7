//! glTF 2.0, as JSON and as GLB.
//!
//! The format: "glTF 2.0 Specification", The Khronos Group, 2021 (ISO/IEC 12113:2022).

mod accessor;
mod buffers;
mod document;
mod nodes;

use std::borrow::Cow;

use glam::{DMat4, Vec3};

use crate::base::error::Result;
use crate::base::excerpt::excerpt;
use crate::base::memory;
use crate::files::mesh::MeshFile;
use crate::files::mesh::gltf::accessor::{Values, Width};
use crate::files::mesh::gltf::buffers::{Chunks, load};
use crate::files::mesh::gltf::document::{Document, Primitive, get};
use crate::files::mesh::gltf::nodes::world_transforms;
use crate::files::mesh::input::Input;
use crate::shapes::triangle::record::Triangle;

/// Required extensions, by how their names begin, that do not change where triangles are.
const HARMLESS: [&str; 8] = [
    "KHR_mesh_quantization",
    "KHR_materials_",
    "KHR_texture_",
    "KHR_lights_",
    "KHR_animation_",
    "KHR_xmp",
    "EXT_texture_",
    "EXT_lights_",
];

pub(super) fn read(mut input: Input) -> Result<MeshFile> {
    let mut bytes = Vec::new();
    input.rest(&mut bytes)?;
    let chunks = Chunks::of(&bytes).map_err(|words| input.problem(words))?;
    let document: Document = serde_json::from_slice(chunks.json).map_err(|error| {
        let words = error.to_string();
        input.problem(format!("is no glTF 2.0 file ({}): export it again", excerpt(&words)))
    })?;
    check_understood(&document).map_err(|words| input.problem(words))?;
    let buffers = load(&document.buffers, chunks.binary, &input)?;
    let scene = Scene {
        input: &input,
        document: &document,
        buffers: &buffers,
    };
    scene.read()
}

/// An error if triangles may be other than what is read.
fn check_understood(document: &Document) -> Result<(), String> {
    let version = &document.asset.version;
    if !version.starts_with("2.") {
        return Err(format!(
            "is glTF {}, but only glTF 2 is read: export it again",
            excerpt(version)
        ));
    }
    let is_harmless = |name: &str| HARMLESS.iter().any(|harmless| name.starts_with(harmless));
    match document.extensions_required.iter().find(|name| !is_harmless(name)) {
        Some(name) => Err(format!(
            "requires the extension {}, which is not read: export it without",
            excerpt(name)
        )),
        None => Ok(()),
    }
}

/// A file with all its bytes.
struct Scene<'a> {
    input: &'a Input<'a>,
    document: &'a Document<'a>,
    buffers: &'a [Cow<'a, [u8]>],
}

impl Scene<'_> {
    fn read(&self) -> Result<MeshFile> {
        let Document { nodes, meshes, .. } = self.document;
        let transforms = world_transforms(nodes).map_err(|words| self.input.problem(words))?;
        let mut found = MeshFile::default();
        let mut placed = memory::filled(meshes.len(), false, "the meshes of a glTF file")?;
        for (number, (node, transform)) in nodes.iter().zip(&transforms).enumerate() {
            let Some(mesh) = node.mesh else { continue };
            let named = get(meshes, mesh, "mesh").map_err(|words| self.wrong(number, words))?;
            placed[mesh] = true;
            for primitive in &named.primitives {
                self.add(primitive, transform, &mut found, number)?;
            }
        }
        found.unplaced = placed.iter().filter(|placed| !**placed).count() as u64;
        Ok(found)
    }

    /// An error about a node.
    fn wrong(&self, node: usize, words: impl std::fmt::Display) -> crate::base::error::Error {
        self.input
            .problem(format!("node {node}, from 0, {words}: export it again"))
    }

    /// Adds what a primitive draws.
    fn add(&self, primitive: &Primitive, transform: &DMat4, found: &mut MeshFile, node: usize) -> Result<()> {
        let wrong = |words: String| self.wrong(node, words);
        let Some(positions) = primitive.attributes.position else {
            return Err(wrong("has a primitive without POSITION".to_owned()));
        };
        let values = |accessor, width| Values::of(self.document, self.buffers, accessor, width).map_err(wrong);
        let positions = values(positions, Width::Vec3)?;
        let indices = primitive
            .indices
            .map(|indices| values(indices, Width::Scalar))
            .transpose()?;
        let drawn = indices.as_ref().map_or(positions.count, |indices| indices.count);
        let corner = |number: u64| -> Result<Vec3, String> {
            let vertex = indices.as_ref().map_or(number, |indices| indices.index(number));
            if vertex >= positions.count {
                return Err(format!("names vertex {vertex}, from 0, of {}", positions.count));
            }
            let point = transform.transform_point3(positions.point(vertex)).as_vec3();
            match point.is_finite() {
                true => Ok(point),
                false => Err(format!("has vertex {vertex}, from 0, which is not finite as f32")),
            }
        };
        let triangles = match (primitive.mode, drawn) {
            (0, _) => {
                found.points += drawn;
                return Ok(());
            }
            (1, _) => {
                found.lines += drawn / 2;
                return Ok(());
            }
            (2, _) => {
                found.lines += drawn;
                return Ok(());
            }
            (3, _) => {
                found.lines += drawn.saturating_sub(1);
                return Ok(());
            }
            (4, _) if drawn % 3 == 0 => drawn / 3,
            (5 | 6, 0) => 0,
            (5 | 6, 3..) => drawn - 2,
            (4..=6, _) => {
                return Err(wrong(format!(
                    "has triangles of {drawn} corners, which leaves some over"
                )));
            }
            (mode, _) => {
                return Err(wrong(format!(
                    "has a primitive of mode {mode}, which glTF does not know"
                )));
            }
        };
        for k in 0..triangles {
            let numbers = match primitive.mode {
                4 => [3 * k, 3 * k + 1, 3 * k + 2],
                // Every other triangle of a strip turns the other way round.
                5 => [k, k + 1 + k % 2, k + 2 - k % 2],
                _ => [0, k + 1, k + 2],
            };
            let mut triangle = Triangle::default();
            for (place, number) in triangle.corners.iter_mut().zip(numbers) {
                *place = corner(number).map_err(wrong)?;
            }
            memory::push(&mut found.triangles, triangle, "the triangles of a glTF file")?;
        }
        Ok(())
    }
}
