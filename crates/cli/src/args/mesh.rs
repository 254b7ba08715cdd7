//! The arguments of `obbligato mesh`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use obbligato::InsideRule;

use crate::{
    args::choices::{FormatName, SearchArguments},
    args::values::sink_parser,
    output::Sink,
};

/// Which triangles of one mesh with a corner in common count.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Neighbours {
    /// Those that share more than the corner or edge they have in common
    Crossing,
    /// None of them
    None,
}

/// Which points are inside a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InsideRuleName {
    /// Those from which a ray crosses an odd number of triangles
    Parity,
    /// Those around which the mesh winds; its triangles must be turned alike
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
  obbligato mesh hull.ply --inside points.csv --out states.csv

A mesh is .obj, .stl, .ply, .glb or .gltf, with the units and axes of the file. Triangles are numbered in the order of the file, from 0; \
polygons of .obj and .ply become triangles that cover them; the nodes of .glb and .gltf come in their order, and apply their \
transforms. Pairs are triangles that share a point, exactly, for the numbers of the file as f32, degenerate triangles included. Of one \
mesh they are its triangles a < b that share a point other than the corner or edge they have in common; of two, a is of A and b of B. Both \
are sorted.

POINTS is .csv with the columns x, y and z. OUT has the columns point (the row, from 0) and state: inside, outside or surface, exactly. \
A point that is on no triangle is inside if a ray from it crosses an odd number of triangles, so a shell in a shell is a hole, and what two \
shells share is outside; with --inside-rule winding it is inside if the mesh winds around it, as often as may be. Triangles that are there \
twice, lie on each other or pass through each other are told on stderr. The mesh must be closed: each edge is one of an even number of \
triangles. This takes the CPU, whatever the backend.")]
pub struct MeshArguments {
    /// The mesh, .obj, .stl, .ply, .glb or .gltf
    #[arg(value_name = "A")]
    pub file: PathBuf,
    /// A second mesh: find pairs of a triangle of A and one of B, and none within either
    #[arg(value_name = "B")]
    pub other: Option<PathBuf>,
    /// Find out which points of this file are in A, .csv or .csv.gz; `-` is CSV from stdin
    #[arg(long, value_name = "POINTS", requires = "out", conflicts_with_all = ["other", "pairs"])]
    pub inside: Option<PathBuf>,
    /// Which points are inside
    #[arg(long, value_enum, default_value = "parity", requires = "inside")]
    pub inside_rule: InsideRuleName,
    /// Write where each of the points is, .csv; `-` is stdout here and below, for one result
    #[arg(long, value_name = "OUT", requires = "inside")]
    pub out: Option<PathBuf>,
    /// Which triangles of A with a corner in common count
    #[arg(long, value_enum, default_value = "crossing", conflicts_with_all = ["other", "inside"])]
    pub neighbours: Neighbours,
    #[command(flatten)]
    pub search: SearchArguments,
    /// Write the pairs, .csv or .npy
    #[arg(long, value_name = "OUT")]
    pub pairs: Option<PathBuf>,
    /// The format of results that have no ending .csv or .npy: stdout, pipes and devices
    #[arg(long, value_enum, default_value = "csv")]
    pub format: FormatName,
    /// Write a report as JSON; `-` is stdout, and nothing else goes there
    #[arg(long, value_name = "FILE", value_parser = sink_parser())]
    pub json: Option<Sink>,
}
