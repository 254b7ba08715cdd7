//! The arguments of `obbligato sweep`.

use std::path::PathBuf;

use clap::Args;
use obbligato::Period;

use crate::{
    args::choices::{FormatName, SearchArguments},
    args::values::{parse_distance, parse_duration, parse_period, parse_tolerance, sink_parser},
    output::Sink,
};

/// `obbligato sweep`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  obbligato sweep boxes.csv --dt 0.016666666666666666 --impacts impacts.csv
  obbligato sweep boxes.npy --dt 0.1 --tolerance 1e-4 --json -
  obbligato sweep crowd.csv --dt 4 --margin 0.5 --approach near.csv
  obbligato sweep gas.csv --dt 0.01 --period 10,10,- --impacts impacts.csv

A scene is a file that `check` reads, with the motions of the boxes: in .csv the columns vx vy vz \
(velocity), wx wy wz (angular velocity about the world's axes, in radians per second) and ax ay az \
(acceleration); in .npy (float32, N x 16) vx vy vz wx wy wz after the ten numbers of a box. \
Missing columns and empty fields are 0. At time t, the center is at c + v t + a t^2 / 2, and the \
box has rotated about w by the length of w times t.

OUT has the columns a, b, time, state, nx, ny, nz, px, py, pz, sorted by time, then a, b. State is \
start (the boxes share a point at time 0) or impact. The normal points from a to b, and the point \
is within the tolerance of both boxes at that time. No collision is missed, and no time is later \
than the true one. Pairs in which neither box turns or accelerates are listed only if they \
collide; other pairs may be listed if they come within the tolerance.

With --margin and --approach, OUT has the columns a, b, time, distance, sorted by time, then a, b: \
every pair that comes within D of each other, the first time at which it is nearest, and its \
distance then. A pair that meets has distance 0 and the time of its first contact.

With --period, OUT has the columns ia, ib, ic after the others: the numbers of periods by which b \
is moved to be the image that meets a first. Of several that do so at the same time, it is the \
first in lexicographic order. In --approach it is the image that comes nearest; of several, the one \
that does so first. The normal and the point are those of a where it is, and of b moved like this. \
A body must be narrower than the period; if it turns, at every time of the step.")]
pub struct SweepArguments {
    /// The boxes and their motions, .npy, .csv or .csv.gz; `-` is CSV from stdin
    pub file: PathBuf,
    /// The duration of the motion, in seconds, from time 0
    #[arg(long, value_name = "S", allow_hyphen_values = true, value_parser = parse_duration)]
    pub dt: f64,
    /// The distance at which boxes that turn or accelerate count as colliding [default: 1e-4 of the
    /// smaller of the two boxes' largest half extents, or of the larger if the smaller is 0]
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = parse_tolerance)]
    pub tolerance: Option<f64>,
    #[command(flatten)]
    pub search: SearchArguments,
    /// The frame to read from a CSV file with several frames; boxes without ids are then named by
    /// their rows in the file, from 0
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    pub frame: Option<i64>,
    /// The column with the ids [default: id, if there is one]
    #[arg(long, value_name = "NAME")]
    pub id_column: Option<String>,
    /// Repeat space after these lengths along x, y and z; - for an axis that does not repeat. Every
    /// body is repeated at each whole multiple of the length, with the same motion
    #[arg(long, value_name = "LX,LY,LZ", allow_hyphen_values = true, value_parser = parse_period)]
    pub period: Option<Period>,
    /// Write the first contact of each pair, .csv; `-` is stdout
    #[arg(long, value_name = "OUT")]
    pub impacts: Option<PathBuf>,
    /// The distance up to which pairs count as near in --approach
    #[arg(long, value_name = "D", allow_hyphen_values = true, requires = "approach", value_parser = parse_distance)]
    pub margin: Option<f64>,
    /// Write when each pair that comes within --margin is nearest, and how near, .csv; `-` is
    /// stdout
    #[arg(long, value_name = "OUT", requires = "margin")]
    pub approach: Option<PathBuf>,
    /// The format of a table written to stdout, a pipe or a device, which have no .csv ending; npy
    /// cannot store them
    #[arg(long, value_enum, default_value = "csv")]
    pub format: FormatName,
    /// Write a report as JSON; `-` is stdout, and nothing else goes there
    #[arg(long, value_name = "FILE", value_parser = sink_parser())]
    pub json: Option<Sink>,
}
