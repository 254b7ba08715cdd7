//! Notes on the contents of a mesh file that are left out, or are read although they deviate from
//! the format.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use obbligato_support::{excerpt::excerpt, plural::plural};

/// A kind of [`Note`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum NoteKind {
    /// Points that are drawn as points. Unused vertices do not count.
    Points,
    /// Lines from point to point.
    Lines,
    /// Vertices of an OBJ or PLY file that has no face.
    VerticesWithoutFaces,
    /// Meshes of a glTF file that no node uses.
    UnplacedMeshes,
    /// Polygons with corners far from one plane: they become fans from their first corners.
    PolygonsNotFlat,
    /// Polygons whose edges cross each other: they become fans from their first corners.
    PolygonsCrossing,
    /// Corners that rounding to `f32` moves by more than a millionth of the extent of the mesh.
    CornersRounded,
    /// Nodes of a glTF file that have meshes but are not in its scene.
    OutsideScene,
    /// Nodes of a glTF file that have meshes but are hidden by the extension `KHR_node_visibility`.
    Hidden,
    /// Nodes of a glTF file that have meshes but are coarser copies of others, by the extension
    /// `MSFT_lod`.
    CoarserCopies,
    /// Animations of a glTF file, which are not applied.
    Animations,
    /// Nodes, meshes and primitives of a glTF file with an extension of this name, which is not
    /// read and may affect triangles.
    Extension(String),
    /// Solids of a text STL without `endsolid`, as in a file that is cut short between two
    /// triangles.
    OpenSolids,
    /// Bytes of attributes after the triangles of a binary STL, as announced by their attribute
    /// byte counts.
    AttributeBytes,
    /// Rows of a text PLY that continue on another line.
    SplitRows,
    /// Lines after the last row of a text PLY.
    TrailingLines,
    /// Bytes after the end that a binary file announces.
    TrailingBytes,
    /// NUL and Ctrl-Z at the end of a text.
    PaddingBytes,
}

impl NoteKind {
    /// Returns the beginning of the sentence for one item, its beginning for several, and the rest.
    fn words(&self) -> [&'static str; 3] {
        match self {
            Self::Points => ["point is", "points are", "left out"],
            Self::Lines => ["line is", "lines are", "left out"],
            Self::VerticesWithoutFaces => ["vertex", "vertices", "and no face: there are no triangles"],
            Self::UnplacedMeshes => ["mesh without a node is", "meshes without nodes are", "left out"],
            Self::PolygonsNotFlat => [
                "polygon is not flat, and is a fan of triangles",
                "polygons are not flat, and are fans of triangles",
                "from the first corner",
            ],
            Self::PolygonsCrossing => [
                "polygon crosses itself, and is a fan of triangles",
                "polygons cross themselves, and are fans of triangles",
                "from the first corner",
            ],
            Self::CornersRounded => [
                "corner is moved",
                "corners are moved",
                "by more than a millionth of the mesh's extent by rounding to f32",
            ],
            Self::OutsideScene => [
                "node with a mesh is",
                "nodes with meshes are",
                "left out: not in the default scene",
            ],
            Self::Hidden => [
                "node with a mesh is",
                "nodes with meshes are",
                "left out: hidden (KHR_node_visibility)",
            ],
            Self::CoarserCopies => [
                "node with a mesh is",
                "nodes with meshes are",
                "left out: coarser than another (MSFT_lod)",
            ],
            Self::Animations => ["animation is", "animations are", "not played"],
            Self::Extension(_) => ["use", "uses", "of an extension that is not read"],
            Self::OpenSolids => ["solid lacks", "solids lack", "endsolid: the file may be cut short"],
            Self::AttributeBytes => ["byte of attributes is", "bytes of attributes are", "left out"],
            Self::SplitRows => ["row goes", "rows go", "on in another line"],
            Self::TrailingLines => ["line after the last row is", "lines after the last row are", "left out"],
            Self::TrailingBytes => ["byte after the end is", "bytes after the end are", "left out"],
            Self::PaddingBytes => [
                "byte of padding (NUL or Ctrl-Z) at the end is",
                "bytes of padding (NUL or Ctrl-Z) at the end are",
                "left out",
            ],
        }
    }
}

/// A fact about a mesh file that its triangles do not show, with a count.
///
/// [`Display`] writes it as a readable line without the name of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Note<'a> {
    /// The kind of fact.
    pub kind: &'a NoteKind,
    /// The number of items, at least one.
    pub count: u64,
}

impl Display for Note<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let [one, many, rest] = self.kind.words();
        write!(formatter, "{} {} {rest}", self.count, plural(self.count, one, many))?;
        match self.kind {
            NoteKind::Extension(name) => write!(formatter, ": {}", excerpt(name)),
            _ => Ok(()),
        }
    }
}

/// The notes about a file, at most one of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    counts: BTreeMap<NoteKind, u64>,
}

impl Notes {
    /// Returns the count of a kind; 0 if there is no such note.
    pub fn count(&self, kind: &NoteKind) -> u64 {
        self.counts.get(kind).copied().unwrap_or(0)
    }

    /// Returns `true` if there are none: the triangles are the whole content.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Returns the notes in the order of their kinds.
    pub fn iter(&self) -> impl Iterator<Item = Note<'_>> {
        self.counts.iter().map(|(kind, &count)| Note { kind, count })
    }

    /// Adds to the count of a kind. A count of 0 makes no note.
    pub(crate) fn add(&mut self, kind: NoteKind, count: u64) {
        if count > 0 {
            *self.counts.entry(kind).or_default() += count;
        }
    }
}
