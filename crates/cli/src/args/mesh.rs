//! The arguments of `obbligato mesh`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use obbligato::region::InsideRule;

use crate::{
    args::choices::{BcfVersionName, FormatName, SearchArguments},
    args::values::{parse_distance, sink_parser},
    output::Sink,
};

/// The rule for triangles of one mesh that have a corner in common.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Neighbours {
    /// Report pairs that share more than the corner or edge they have in common
    Crossing,
    /// Report none of these pairs
    None,
}

/// The rule for points inside a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InsideRuleName {
    /// Points from which a ray crosses an odd number of triangles
    Parity,
    /// Points around which the mesh winds; its triangles must be oriented consistently
    Winding,
}

impl InsideRuleName {
    /// Returns the library's rule.
    pub fn rule(self) -> InsideRule {
        match self {
            Self::Parity => InsideRule::Parity,
            Self::Winding => InsideRule::Winding,
        }
    }
}

/// `obbligato mesh`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  obbligato mesh hull.stl --pairs crossings.csv
  obbligato mesh hull.stl --neighbours none
  obbligato mesh hull.obj deck.glb --pairs pairs.npy --json -
  obbligato mesh --scene architecture.glb services.glb --clearance 0.05 --clashes clashes.csv
  obbligato mesh --scene model.glb --bcf clashes.bcf --bcf-version 3.0
  obbligato mesh hull.ply --inside points.csv --out states.csv

A mesh is .obj, .stl, .ply, .glb or .gltf, with the units and axes of the file. Triangles are \
numbered in the order of the file, from 0. Polygons of .obj and .ply are split into triangles that \
cover them. The nodes of .glb and .gltf are read in order, with their transforms applied. Pairs \
are triangles that share a point, exactly, for the numbers of the file as f32, including \
degenerate triangles. With one mesh, they are its triangles a < b that share a point other than \
the corner or edge they have in common; with two, a is in A and b in B. Both are sorted.

With --scene, OUT has the columns a, b (names of elements, FILE:NAME if there are several files, a \
< b), kind (overlap, touch, contain or near), inner (a or b, the one that is inside the other), \
distance, and triangle_a and triangle_b (in their files), which share a point or are the nearest. \
Elements touch if they share a point, but no triangles pass through each other, and no point of \
one is inside the other; an element with open edges has no inside. With --bcf, the names of \
elements are IFC GUIDs, as IfcConvert --use-element-guids writes them; in .glb and .gltf y is up, \
in other files z.

POINTS is .csv with the columns x, y and z. OUT has the columns point (the row, from 0) and state: \
inside, outside or surface, exactly. A point that is on no triangle is inside if a ray from it \
crosses an odd number of triangles, so a shell within a shell is a hole, and the overlap of two \
shells is outside. With --inside-rule winding, it is inside if the mesh winds around it, however \
often. Triangles that appear twice, lie on each other or pass through each other are reported on \
stderr. The mesh must be closed: every edge belongs to an even number of triangles. This runs on \
the CPU with every backend.")]
pub struct MeshArguments {
    /// The mesh, .obj, .stl, .ply, .glb or .gltf
    #[arg(value_name = "A")]
    pub file: PathBuf,
    /// A second mesh: find pairs of a triangle of A and a triangle of B, and no pairs within either
    /// mesh
    #[arg(value_name = "B")]
    pub other: Option<PathBuf>,
    /// More meshes, with --scene
    #[arg(value_name = "MORE", requires = "scene")]
    pub more: Vec<PathBuf>,
    /// Check the elements of all files against each other: each node of .glb and .gltf, each object
    /// of .obj (or group, without objects), each .stl and .ply. A folder stands for the meshes in
    /// it
    #[arg(long, conflicts_with_all = ["inside", "pairs", "neighbours"])]
    pub scene: bool,
    /// Write the elements that overlap, touch, contain one another or, with --clearance, are near,
    /// .csv
    #[arg(long, value_name = "OUT", requires = "scene")]
    pub clashes: Option<PathBuf>,
    /// Write the elements of --clashes as a BCF archive, .bcf or .bcfzip: a topic for each pair,
    /// with a camera and a picture. An existing archive is updated: topics keep their comments, and
    /// those whose clash is gone are closed. Names of elements must be IFC GUIDs, and lengths are
    /// in meters
    #[arg(long, value_name = "OUT", requires = "scene")]
    pub bcf: Option<PathBuf>,
    /// The version of the archive of --bcf; by default that of the existing one, else 2.1
    #[arg(long, value_name = "VERSION", value_enum, requires = "bcf")]
    pub bcf_version: Option<BcfVersionName>,
    /// Also find elements that share no point and are no further apart than this distance
    #[arg(long, value_name = "D", requires = "scene", allow_hyphen_values = true, default_value_t = 0.0, value_parser = parse_distance)]
    pub clearance: f64,
    /// Find the points of this file that are inside A, .csv or .csv.gz; `-` is CSV from stdin
    #[arg(long, value_name = "POINTS", requires = "out", conflicts_with_all = ["other", "pairs"])]
    pub inside: Option<PathBuf>,
    /// The rule that decides which points are inside
    #[arg(long, value_enum, default_value = "parity", requires = "inside")]
    pub inside_rule: InsideRuleName,
    /// Write the state of each point, .csv; `-` is stdout, for this or one of the results below
    #[arg(long, value_name = "OUT", requires = "inside")]
    pub out: Option<PathBuf>,
    /// The rule for triangles of A that have a corner in common
    #[arg(long, value_enum, default_value = "crossing", conflicts_with_all = ["other", "inside"])]
    pub neighbours: Neighbours,
    #[command(flatten)]
    pub search: SearchArguments,
    /// Write the pairs, .csv or .npy
    #[arg(long, value_name = "OUT")]
    pub pairs: Option<PathBuf>,
    /// The format of results written to stdout, a pipe or a device, which have no .csv or .npy
    /// ending
    #[arg(long, value_enum, default_value = "csv")]
    pub format: FormatName,
    /// Write a report as JSON; `-` is stdout, and nothing else goes there
    #[arg(long, value_name = "FILE", value_parser = sink_parser())]
    pub json: Option<Sink>,
}
