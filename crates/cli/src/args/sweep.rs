//! The arguments of `obbligato sweep`.

use std::path::PathBuf;

use clap::Args;

use crate::{
    args::choices::{FormatName, SearchArguments},
    args::values::{parse_duration, parse_tolerance, sink_parser},
    output::Sink,
};

/// `obbligato sweep`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  obbligato sweep boxes.csv --dt 0.016666666666666666 --impacts impacts.csv
  obbligato sweep boxes.npy --dt 0.1 --tolerance 1e-4 --json -

A scene is one of `check` that also says how boxes move: in .csv the columns vx vy vz (velocity), wx wy wz (angular velocity \
about the world's axes, in radians per second) and ax ay az (acceleration), in .npy (float32, N x 16) vx vy vz wx wy wz after the \
ten numbers of a box. A column that is missing and a field that is empty are 0. At time t the center is at c + v t + a t^2 / 2, and \
the box has turned about w by its length times t.

OUT has the columns a, b, time, state, nx, ny, nz, px, py, pz, sorted by time, then a, b. State is start (they share a point at time \
0) or impact. The normal points from a to b, and the point is within the tolerance of both boxes at that time. Nothing that meets \
is missed, and no time is later than the true one. Pairs of which neither box turns or accelerates are listed only if they meet; \
others may be if they come within the tolerance.")]
pub struct SweepArguments {
    /// The boxes and their motions, .npy, .csv or .csv.gz; `-` is CSV from stdin
    pub file: PathBuf,
    /// How long they move, in seconds, from 0
    #[arg(long, value_name = "S", allow_hyphen_values = true, value_parser = parse_duration)]
    pub dt: f64,
    /// The distance at which boxes that turn or accelerate count as met [default: 1e-4 of the lesser of the two boxes' largest half
    /// extents; where that is 0, of the greater]
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = parse_tolerance)]
    pub tolerance: Option<f64>,
    #[command(flatten)]
    pub search: SearchArguments,
    /// The frame to read from a CSV file with several; boxes without ids then go by their rows in the file, from 0
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    pub frame: Option<i64>,
    /// The column with the ids [default: id, if there is one]
    #[arg(long, value_name = "NAME")]
    pub id_column: Option<String>,
    /// Write when and how each pair meets first, .csv; `-` is stdout
    #[arg(long, value_name = "OUT")]
    pub impacts: Option<PathBuf>,
    /// The format of impacts that have no ending .csv: stdout, pipes and devices; npy cannot hold them
    #[arg(long, value_enum, default_value = "csv")]
    pub format: FormatName,
    /// Write a report as JSON; `-` is stdout, and nothing else goes there
    #[arg(long, value_name = "FILE", value_parser = sink_parser())]
    pub json: Option<Sink>,
}
