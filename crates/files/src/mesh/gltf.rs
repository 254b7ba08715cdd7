//! glTF 2.0, as JSON and as GLB.
//!
//! The format: "glTF 2.0 Specification", The Khronos Group, 2021 (ISO/IEC 12113:2022).

mod accessor;
mod buffers;
mod document;
mod drawn;
mod extensions;
mod instances;
mod nodes;
mod primitive;
mod skin;
mod vertices;

use std::fmt::Display;

use glam::{DMat4, DVec3};

use crate::error::{Error, Result};
use crate::mesh::gltf::accessor::Accessors;
use crate::mesh::gltf::buffers::{Chunks, load};
use crate::mesh::gltf::document::{Document, Mesh, Node, get};
use crate::mesh::gltf::instances::Instances;
use crate::mesh::gltf::nodes::Tree;
use crate::mesh::gltf::primitive::Drawn;
use crate::mesh::gltf::vertices::Vertices;
use crate::mesh::input::Input;
use crate::mesh::notes::NoteKind;
use crate::mesh::raw_mesh::{RawMesh, TRIANGLES};
use obbligato_support::{excerpt::excerpt, memory};

/// The version of glTF that is read: major and minor.
const VERSION: (u32, u32) = (2, 0);

pub(super) fn read(mut input: Input) -> Result<RawMesh> {
    let mut bytes = Vec::new();
    input.rest(&mut bytes)?;
    let chunks = Chunks::of(&bytes).map_err(|words| input.problem(words))?;
    let document: Document = serde_json::from_slice(chunks.json).map_err(|error| {
        let words = error.to_string();
        input.problem(format!("is not a glTF 2.0 file ({}): export it again", excerpt(&words)))
    })?;
    check_understood(&document).map_err(|words| input.problem(words))?;
    let buffers = load(&document.buffers, chunks.binary, &input)?;
    let scene = Scene {
        input: &input,
        accessors: Accessors {
            document: &document,
            buffers: &buffers,
        },
        tree: Tree::new(&document.nodes).map_err(|words| input.problem(words))?,
        found: RawMesh::default(),
    };
    let mut mesh = scene.read()?;
    mesh.notes.add(NoteKind::TrailingBytes, chunks.trailing);
    Ok(mesh)
}

/// Returns an error if the triangles may differ from those that are read.
fn check_understood(document: &Document) -> Result<(), String> {
    let version = &*document.asset.version;
    if parse_version(version).is_none_or(|(major, _)| major != VERSION.0) {
        let version = excerpt(version);
        return Err(format!("is glTF {version}, but only glTF 2 is read: export it again"));
    }
    let needed = document.asset.min_version.as_deref();
    if let Some(needed) = needed
        && parse_version(needed).is_none_or(|needed| needed > VERSION)
    {
        let (needed, (major, minor)) = (excerpt(needed), VERSION);
        return Err(format!(
            "needs a reader of glTF {needed}, but {major}.{minor} is read: export it again"
        ));
    }
    match document
        .extensions_required
        .iter()
        .find(|name| !extensions::is_understood(name))
    {
        Some(name) => Err(format!(
            "requires the extension {}, which is not read: export it without",
            excerpt(name)
        )),
        None => Ok(()),
    }
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// A file with all its bytes, and the triangles so far.
struct Scene<'a> {
    input: &'a Input<'a>,
    accessors: Accessors<'a>,
    tree: Tree,
    found: RawMesh,
}

impl Scene<'_> {
    fn read(mut self) -> Result<RawMesh> {
        let document = self.accessors.document;
        let reasons = drawn::reasons(document, &self.tree).map_err(|words| self.input.problem(words))?;
        let mut placed = memory::filled(document.meshes.len(), false, "the meshes of a glTF file")?;
        for (number, (node, reason)) in document.nodes.iter().zip(reasons).enumerate() {
            let Some(mesh) = node.mesh else { continue };
            let named = get(&document.meshes, mesh, "mesh").map_err(|words| self.wrong(number, words))?;
            placed[mesh] = true;
            match reason {
                Some(kind) => self.found.notes.add(kind, 1),
                None => self.add(number, node, named)?,
            }
        }
        let unplaced = placed.iter().filter(|placed| !**placed).count();
        let notes = &mut self.found.notes;
        notes.add(NoteKind::UnplacedMeshes, unplaced as u64);
        notes.add(NoteKind::Animations, document.animations.len() as u64);
        Ok(self.found)
    }

    /// Returns an error about a node.
    fn wrong(&self, node: usize, words: impl Display) -> Error {
        self.input
            .problem(format!("node {node}, from 0, {words}: export it again"))
    }

    /// Adds the mesh of a node: each primitive, once for each instance.
    fn add(&mut self, number: usize, node: &Node, mesh: &Mesh) -> Result<()> {
        let Accessors { document, .. } = self.accessors;
        extensions::note_unread(node, mesh, &mut self.found.notes);
        extensions::check_uncompressed(mesh, document).map_err(|words| self.wrong(number, words))?;
        let joints = node.skin.map(|skin| {
            let skin = get(&document.skins, skin, "skin")?;
            skin::joints(skin, &self.tree.transforms, self.accessors)
        });
        let joints = joints.transpose().map_err(|words| self.wrong(number, words))?;
        let instancing = node.extensions.instancing.as_ref();
        let instances = instancing.map(|instancing| Instances::new(instancing, self.accessors));
        let instances = instances.transpose().map_err(|words| self.wrong(number, words))?;
        if joints.is_some() && instances.is_some() {
            return Err(self.wrong(number, "has a skin and instances, of which only one is read at a time"));
        }
        let weights = node.weights.as_ref().or(mesh.weights.as_ref());
        let weights = weights.map_or(&[][..], Vec::as_slice);
        let mut primitives = Vec::new();
        for primitive in &mesh.primitives {
            let vertices = Vertices::new(primitive, weights, joints.as_deref(), self.accessors);
            let vertices = vertices.map_err(|words| self.wrong(number, words))?;
            let drawn = Drawn::new(primitive.mode, vertices.corners());
            primitives.push((vertices, drawn.map_err(|words| self.wrong(number, words))?));
        }
        let name = node.name.clone().unwrap_or_else(|| format!("node {number}"));
        let first = self.found.triangles.len();
        memory::push(&mut self.found.parts, (name, first), TRIANGLES)?;
        for copy in 0..instances.as_ref().map_or(1, |instances| instances.count) {
            let own = instances.as_ref().map(|instances| instances.transform(copy));
            let own = own.transpose().map_err(|words| self.wrong(number, words))?;
            let world = self.tree.transforms[number];
            let transform = own.map_or(world, |own| world * own);
            for (vertices, drawn) in &primitives {
                self.draw(number, vertices, *drawn, &transform)?;
            }
        }
        Ok(())
    }

    /// Adds the triangles of a primitive, or counts its points or lines.
    fn draw(&mut self, node: usize, vertices: &Vertices, drawn: Drawn, transform: &DMat4) -> Result<()> {
        let (pattern, count) = match drawn {
            Drawn::Triangles(pattern, count) => (pattern, count),
            Drawn::Points(count) => {
                self.found.notes.add(NoteKind::Points, count);
                return Ok(());
            }
            Drawn::Lines(count) => {
                self.found.notes.add(NoteKind::Lines, count);
                return Ok(());
            }
        };
        for k in 0..count {
            let mut corners = [DVec3::ZERO; 3];
            for (place, number) in corners.iter_mut().zip(pattern.corners(k)) {
                *place = vertices
                    .corner(number, transform)
                    .map_err(|words| self.wrong(node, words))?;
            }
            self.found.triangles.push(corners, TRIANGLES)?;
        }
        Ok(())
    }
}
