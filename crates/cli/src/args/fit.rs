//! The arguments of `obbligato fit`.

use std::path::PathBuf;

use clap::Args;

/// `obbligato fit`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  obbligato fit points.csv --out boxes.csv && obbligato check boxes.csv
  obbligato fit scan.csv.gz --id-column part --out -

POINTS is .csv with the columns id, x, y and z, one row per point, in any order. OUT is a scene \
for `check` with one row per id, in the order in which the ids first appear. Every point lies in \
its box exactly, for the numbers of both files as f32, and the volume of each box is close to the \
minimum. Half extents are 0 up to rounding across points in one plane, on one line or at one \
place.")]
pub struct FitArguments {
    /// The points, .csv or .csv.gz; `-` is CSV from stdin
    #[arg(value_name = "POINTS")]
    pub file: PathBuf,
    /// The column with the ids [default: id]
    #[arg(long, value_name = "NAME")]
    pub id_column: Option<String>,
    /// The boxes to write, .csv; `-` is stdout, and nothing else goes there
    #[arg(long, value_name = "OUT")]
    pub out: PathBuf,
}
