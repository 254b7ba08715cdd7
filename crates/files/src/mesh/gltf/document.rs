//! The JSON of a glTF file, as far as it determines the triangles.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document<'a> {
    #[serde(borrow)]
    pub asset: Asset<'a>,
    #[serde(default)]
    pub extensions_required: Vec<String>,
    #[serde(borrow, default)]
    pub buffers: Vec<Buffer<'a>>,
    #[serde(default)]
    pub buffer_views: Vec<BufferView>,
    #[serde(default)]
    pub accessors: Vec<Accessor>,
    #[serde(default)]
    pub meshes: Vec<Mesh>,
    #[serde(default)]
    pub nodes: Vec<Node>,
    #[serde(default)]
    pub skins: Vec<Skin>,
    #[serde(default)]
    pub scenes: Vec<SceneNodes>,
    /// The scene to show; the first one if absent.
    pub scene: Option<usize>,
    #[serde(default)]
    pub animations: Vec<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asset<'a> {
    #[serde(borrow)]
    pub version: Cow<'a, str>,
    #[serde(borrow, default)]
    pub min_version: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer<'a> {
    /// Empty if absent. Bytes in base64 are not copied.
    #[serde(borrow, default)]
    pub uri: Cow<'a, str>,
    pub byte_length: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub buffer: usize,
    #[serde(default)]
    pub byte_offset: u64,
    pub byte_length: u64,
    pub byte_stride: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub buffer_view: Option<usize>,
    #[serde(default)]
    pub byte_offset: u64,
    pub component_type: u32,
    #[serde(default)]
    pub normalized: bool,
    pub count: u64,
    #[serde(rename = "type")]
    pub kind: String,
    pub sparse: Option<Sparse>,
}

/// Elements that differ from those of the buffer view.
#[derive(Deserialize)]
pub(super) struct Sparse {
    pub count: u64,
    pub indices: SparseIndices,
    pub values: SparseValues,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: u64,
    pub component_type: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: u64,
}

/// Accessors by the name of their content.
pub(super) type Attributes = BTreeMap<String, usize>;

/// Extensions of which only the names matter.
pub(super) type Extensions = BTreeMap<String, IgnoredAny>;

#[derive(Deserialize)]
pub(super) struct Mesh {
    pub primitives: Vec<Primitive>,
    /// The weight of each morph target.
    pub weights: Option<Vec<f64>>,
    #[serde(default)]
    pub extensions: Extensions,
}

#[derive(Deserialize)]
pub(super) struct Primitive {
    pub attributes: Attributes,
    pub indices: Option<usize>,
    #[serde(default = "triangles")]
    pub mode: u32,
    /// The displacements of the attributes by each morph target.
    #[serde(default)]
    pub targets: Vec<Attributes>,
    #[serde(default)]
    pub extensions: Extensions,
}

/// Returns the mode of a primitive that names none.
fn triangles() -> u32 {
    4
}

#[derive(Deserialize)]
pub(super) struct Node {
    pub name: Option<String>,
    #[serde(default)]
    pub children: Vec<usize>,
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
    /// The weights; those of the mesh if absent.
    pub weights: Option<Vec<f64>>,
    /// In column-major order.
    pub matrix: Option<[f64; 16]>,
    pub translation: Option<[f64; 3]>,
    /// x, y, z, w.
    pub rotation: Option<[f64; 4]>,
    pub scale: Option<[f64; 3]>,
    #[serde(default)]
    pub extensions: NodeExtensions,
}

#[derive(Default, Deserialize)]
pub(super) struct NodeExtensions {
    #[serde(rename = "EXT_mesh_gpu_instancing")]
    pub instancing: Option<Instancing>,
    #[serde(rename = "KHR_node_visibility")]
    pub visibility: Option<Visibility>,
    #[serde(rename = "MSFT_lod")]
    pub lod: Option<Lod>,
    #[serde(flatten)]
    pub others: Extensions,
}

/// Copies of a node's mesh.
#[derive(Deserialize)]
pub(super) struct Instancing {
    pub attributes: Attributes,
}

#[derive(Deserialize)]
pub(super) struct Visibility {
    #[serde(default = "visible")]
    pub visible: bool,
}

fn visible() -> bool {
    true
}

/// The coarser copies of a node.
#[derive(Deserialize)]
pub(super) struct Lod {
    pub ids: Vec<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin {
    /// Node indices.
    pub joints: Vec<usize>,
    /// An accessor of the transform from the mesh to each joint; identities if absent.
    pub inverse_bind_matrices: Option<usize>,
}

#[derive(Deserialize)]
pub(super) struct SceneNodes {
    #[serde(default)]
    pub nodes: Vec<usize>,
}

/// Returns an item by its number, or an error for whatever names it.
pub(super) fn get<'a, T>(list: &'a [T], number: usize, what: &str) -> Result<&'a T, String> {
    let there = list.len();
    list.get(number)
        .ok_or_else(|| format!("names {what} {number}, from 0, of {there}"))
}
