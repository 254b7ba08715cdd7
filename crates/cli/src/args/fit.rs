//! The arguments of `obbligato fit`.

use std::path::PathBuf;

use clap::Args;

/// `obbligato fit`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  obbligato fit points.csv --out boxes.csv && obbligato check boxes.csv
  obbligato fit scan.csv.gz --id-column part --out -

POINTS is .csv with the columns id, x, y and z, a row a point, in any order. OUT is a scene of `check` with a row for each id, \
in the order in which they first come. Every point is in its box without rounding, for exactly the numbers of both files as f32, \
and the boxes have nearly the least volume. Around points in one plane, on one line or at one place, half extents are 0 up to \
rounding.")]
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
