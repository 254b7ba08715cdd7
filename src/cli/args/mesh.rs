//! The arguments of `obbligato mesh`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::{
    args::choices::{FormatName, SearchArguments},
    args::values::sink_parser,
    output::Sink,
};

/// `obbligato mesh`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  obbligato mesh hull.stl --pairs crossings.csv
  obbligato mesh hull.obj deck.glb --pairs pairs.npy --json -
  obbligato mesh hull.ply --inside points.csv --out states.csv

A mesh is .obj, .stl, .ply, .glb or .gltf, with the units and axes of the file. Triangles are numbered in the order of the file, from 0; \
polygons of .obj and .ply are fans from their first corner; the nodes of .glb and .gltf come in their order, and apply their \
transforms. Pairs are triangles that share a point, exactly, for the numbers of the file as f32, degenerate triangles included. Of one \
mesh they are its triangles a < b that meet, but those with a corner in common; of two, a is of A and b of B. Both are sorted.

POINTS is .csv with the columns x, y and z. OUT has the columns point (the row, from 0) and state: inside, outside or surface, exactly. \
A point that is on no triangle is inside if a ray from it crosses an odd number of triangles, so a shell in a shell is a hole. The mesh \
must be closed: each edge is one of an even number of triangles. This takes the CPU, whatever the backend.")]
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
    /// Write where each of the points is, .csv; `-` is stdout here and below, for one result
    #[arg(long, value_name = "OUT", requires = "inside")]
    pub out: Option<PathBuf>,
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
