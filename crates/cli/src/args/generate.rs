//! The arguments of `obbligato generate`.

use std::path::PathBuf;

use clap::Args;
use obbligato_support::count::parse_count;
use obbligato_verify::scenes::BodyScene;

use crate::{
    args::choices::FormatName,
    args::values::{DEFAULT_SEED, scene_parser},
};

/// `obbligato generate`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  obbligato generate crowd --count 100k --seed 7 --out crowd.npy
  obbligato generate uniform --count 1k --out - | obbligato check - --pairs -

Equal scenes, counts and seeds give equal bytes on every machine.")]
pub struct GenerateArguments {
    /// The name of the scene
    #[arg(value_parser = scene_parser())]
    pub scene: BodyScene,
    /// The number of boxes, such as 10k, 1.5M, 1e5 or 250_000
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = parse_count)]
    pub count: usize,
    /// The seed of the random numbers
    #[arg(long, value_name = "S", allow_hyphen_values = true, default_value_t = DEFAULT_SEED)]
    pub seed: u64,
    /// The file to write, .npy, .csv or .parquet; `-` is stdout, and nothing else goes there
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// The format of output to stdout, a pipe or a device, which has no .csv or .npy ending
    #[arg(long, value_enum, default_value = "csv")]
    pub format: FormatName,
}
