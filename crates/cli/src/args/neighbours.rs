//! The arguments of `obbligato neighbours`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};
use obbligato::Period;
use obbligato_support::count::parse_count;

use crate::args::choices::BackendArguments;
use crate::args::values::parse_period;

/// `obbligato neighbours`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("which").args(["k", "radius"]).required(true).multiple(true))]
#[command(after_help = "Examples:
  obbligato neighbours crowd.csv --k 8 --out near.csv
  obbligato neighbours crowd.csv --radius 2.5 --by surface --out -
  obbligato neighbours crowd.npy --k 8 --radius 2.5 --out near.npy
  obbligato neighbours gas.csv --k 12 --period 10,10,10 --out near.csv

OUT has the columns id, rank, neighbour and distance: for each body, in the order of the ids, its \
neighbours from the nearest, which has rank 0. Neighbours at the same distance are in the order of \
their ids. The order of centers is exact for the stored numbers. near.npy stands for two files, \
near.offsets.npy and near.neighbours.npy: the neighbours of row i are those from offsets[i] to \
offsets[i + 1], as rows. The rules of the file apply: the bodies of a pair that they forbid are \
not neighbours. The host computes the answer, whatever the backend.")]
pub struct NeighboursArguments {
    /// The bodies, .npy, .csv, .csv.gz or .parquet; `-` is CSV from stdin
    pub file: PathBuf,
    /// The number of neighbours of each body; all if there are fewer
    #[arg(long, value_name = "K", allow_hyphen_values = true, value_parser = parse_count)]
    pub k: Option<usize>,
    /// The largest distance of a neighbour; without --k, all within it are found
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    pub radius: Option<f64>,
    /// The distance to measure
    #[arg(long, value_enum, default_value = "center")]
    pub by: By,
    /// Repeat space after these lengths along x, y and z; - for an axis that does not repeat.
    /// Another body counts once, by its nearest image
    #[arg(long, value_name = "LX,LY,LZ", allow_hyphen_values = true, value_parser = parse_period)]
    pub period: Option<Period>,
    /// Read centers as f64. All bodies must be boxes
    #[arg(long)]
    pub f64: bool,
    #[command(flatten)]
    pub backend: BackendArguments,
    /// The frame to read from a CSV file with several frames; bodies without ids are then named by
    /// their rows in the file, from 0
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    pub frame: Option<i64>,
    /// The column with the ids [default: id, if there is one]
    #[arg(long, value_name = "NAME")]
    pub id_column: Option<String>,
    /// The file to write, .csv or .npy; `-` is stdout, and nothing else goes there
    #[arg(long, value_name = "OUT")]
    pub out: PathBuf,
}

/// A distance of two bodies.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub enum By {
    /// The distance of their centers
    Center,
    /// The distance of their surfaces, 0 if they collide
    Surface,
}
