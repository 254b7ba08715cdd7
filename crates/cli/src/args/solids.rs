//! The arguments of `obbligato solids`.

use std::path::PathBuf;

use clap::Args;

use crate::{
    args::choices::{FormatName, SearchArguments},
    args::values::sink_parser,
    output::Sink,
};

/// `obbligato solids`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  obbligato solids points.csv --pairs pairs.csv
  obbligato solids parts.csv.gz --id-column part --margin 0.5 --distances near.csv --json -

FILE is .csv with the columns id, x, y and z, one row per point, in any order. The solid of an id \
is the convex hull of its points, which may span a body, a plane, a line or a point. Pairs are \
solids that share a point, exactly, for the numbers of the file as f32. Results name a solid by \
its id, with a < b, sorted; ids are numbers or texts as in `check`.")]
pub struct SolidsArguments {
    /// The points, .csv or .csv.gz; `-` is CSV from stdin
    pub file: PathBuf,
    #[command(flatten)]
    pub search: SearchArguments,
    /// The column with the ids [default: id]
    #[arg(long, value_name = "NAME")]
    pub id_column: Option<String>,
    /// Find all pairs no further apart than this distance, not only colliding ones
    #[arg(long, value_name = "D", allow_hyphen_values = true, default_value_t = 0.0)]
    pub margin: f64,
    /// Write the colliding pairs, .csv or .npy; `-` is stdout, for this or one of the results below
    #[arg(long, value_name = "OUT")]
    pub pairs: Option<PathBuf>,
    /// Write the distance (0 if they collide) and the closest points of each pair, .csv
    #[arg(long, value_name = "OUT")]
    pub distances: Option<PathBuf>,
    /// The format of results written to stdout, a pipe or a device, which have no .csv or .npy
    /// ending
    #[arg(long, value_enum, default_value = "csv")]
    pub format: FormatName,
    /// Write a report as JSON; `-` is stdout, and nothing else goes there
    #[arg(long, value_name = "FILE", value_parser = sink_parser())]
    pub json: Option<Sink>,
}
