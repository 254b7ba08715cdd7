//! The arguments of `obbligato room`.

use std::path::PathBuf;

use clap::Args;

use crate::{
    args::choices::BackendArguments,
    args::values::{Corner, parse_corner, parse_numbers},
};

/// `obbligato room`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  obbligato room boxes.csv --min 0,0,0 --max 6,4,2.5 --out walls.csv
  obbligato room boxes.npy --min -3,-2,0 --max 3,2,2.5 --rotation 0,0,0.6,0.8 --out walls.csv

OUT has the columns id, state and walls. A box is inside if it reaches no wall, outside if it \
shares no point with the room, and crossing otherwise. walls is the sum of the walls that the box \
touches, crosses or lies beyond: 1 -x, 2 +x, 4 -y, 8 +y, 16 -z, 32 +z, in the room's own axes. All \
answers are exact for the room with exactly these corners, rotated about their midpoint. In a scene \
in the plane, corners may be X,Y, and a z is ignored: there are no walls 16 and 32.")]
pub struct RoomArguments {
    /// The boxes, .npy, .csv or .csv.gz; `-` is CSV from stdin
    pub file: PathBuf,
    /// The room's corner with the smallest coordinates
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = parse_corner)]
    pub min: Corner,
    /// The room's corner with the largest coordinates
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = parse_corner)]
    pub max: Corner,
    /// The rotation of the room about its center, as a unit quaternion
    #[arg(long, value_name = "X,Y,Z,W", allow_hyphen_values = true, value_parser = parse_numbers::<4>)]
    pub rotation: Option<[f32; 4]>,
    #[command(flatten)]
    pub backend: BackendArguments,
    /// The frame to read from a CSV file with several frames; boxes without ids are then named by
    /// their rows in the file, from 0
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    pub frame: Option<i64>,
    /// The column with the ids [default: id, if there is one]
    #[arg(long, value_name = "NAME")]
    pub id_column: Option<String>,
    /// The file to write, .csv; `-` is stdout, and nothing else goes there
    #[arg(long, value_name = "OUT")]
    pub out: PathBuf,
}
