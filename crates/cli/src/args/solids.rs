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

FILE is .csv with the columns id, x, y and z, a row a point, in any order. The solid of an id is the convex hull of its points, whether \
they span a body, a plane, a line or a point. Pairs are those that share a point, exactly, for the numbers of the file as f32. Results \
name a solid by its id, a < b, sorted; ids are numbers or texts as in `check`.")]
pub struct SolidsArguments {
    /// The points, .csv or .csv.gz; `-` is CSV from stdin
    pub file: PathBuf,
    #[command(flatten)]
    pub search: SearchArguments,
    /// The column with the ids [default: id]
    #[arg(long, value_name = "NAME")]
    pub id_column: Option<String>,
    /// Find pairs no further apart than this, not only colliding ones
    #[arg(long, value_name = "D", allow_hyphen_values = true, default_value_t = 0.0)]
    pub margin: f64,
    /// Write the colliding pairs, .csv or .npy; `-` is stdout here and below, for one result
    #[arg(long, value_name = "OUT")]
    pub pairs: Option<PathBuf>,
    /// Write each pair's distance (0 if they collide) and closest points, .csv
    #[arg(long, value_name = "OUT")]
    pub distances: Option<PathBuf>,
    /// The format of results that have no ending .csv or .npy: stdout, pipes and devices
    #[arg(long, value_enum, default_value = "csv")]
    pub format: FormatName,
    /// Write a report as JSON; `-` is stdout, and nothing else goes there
    #[arg(long, value_name = "FILE", value_parser = sink_parser())]
    pub json: Option<Sink>,
}
