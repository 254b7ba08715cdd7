//! The arguments of `obbligato verify`.

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use obbligato::Period;
use obbligato_support::count::parse_count;
use obbligato_verify::scenes::BodyScene;

use crate::{
    args::choices::SearchArguments,
    args::values::{parse_extent, parse_period, parse_runs, scene_parser, sink_parser},
    compare::Extent,
    output::Sink,
};

/// `obbligato verify`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("boxes").args(["file", "scene", "adversarial", "determinism"]).required(true))]
#[command(after_help = "Examples:
  obbligato verify boxes.csv
  obbligato verify --f64 map.csv
  obbligato verify --scene uniform --count 100k --backend gpu
  obbligato verify --scene dense --count 5M --verify-boxes all
  obbligato verify --adversarial 10M --seed 7
  obbligato verify --determinism --runs 50
  obbligato verify boxes.csv --html verified.html

The reference finds the pairs of all boxes or, in scenes where that takes long, the pairs of a \
sample of boxes with all other boxes; the report states the number of boxes. All pairs of the GPU \
and the CPU are compared. Exit code 1 if any two results differ in a single compared pair, however \
close to touching; the scene is then written to a file for replay.")]
pub struct VerifyArguments {
    /// The scene, .npy, .csv or .csv.gz; `-` is CSV from stdin
    #[arg(conflicts_with_all = ["count", "seed"])]
    pub file: Option<PathBuf>,
    /// The frame to read from a CSV file with several frames; boxes without ids are then named by
    /// their rows in the file, from 0
    #[arg(long, value_name = "K", allow_hyphen_values = true, requires = "file", conflicts_with_all = ["scene", "adversarial"])]
    pub frame: Option<i64>,
    /// The column with the ids [default: id, if there is one]
    #[arg(long, value_name = "NAME", requires = "file", conflicts_with_all = ["scene", "adversarial"])]
    pub id_column: Option<String>,
    /// Read centers as f64: decimal text is rounded once, and .npy may be float64; the file must
    /// contain only boxes, and all are compared
    #[arg(long, requires = "file", conflicts_with_all = ["scene", "adversarial", "verify_boxes"])]
    pub f64: bool,
    /// Repeat space after these lengths along x, y and z; - for an axis that does not repeat. All
    /// bodies are compared, which takes time in proportion to the square of their number
    #[arg(long, value_name = "LX,LY,LZ", allow_hyphen_values = true, value_parser = parse_period, conflicts_with_all = ["adversarial", "verify_boxes"])]
    pub period: Option<Period>,
    /// A named scene instead of a file
    #[arg(long, value_name = "NAME", value_parser = scene_parser(), requires = "count")]
    pub scene: Option<BodyScene>,
    /// The number of boxes of the named scene
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = parse_count, requires = "scene", conflicts_with = "adversarial")]
    pub count: Option<usize>,
    /// Check N hard pairs one by one, comparing every stage with integer arithmetic
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = parse_count, conflicts_with = "inject_fault")]
    pub adversarial: Option<usize>,
    /// Run commands over scenes of every kind of bodies several times on every engine, and compare
    /// their output files byte by byte: on the CPU with 1, 2, 4 and 8 threads and each number of
    /// lanes that the machine has, and on every adapter
    #[arg(long, conflicts_with_all = ["verify_boxes", "period", "html", "broad_phase", "pipeline_cache"])]
    pub determinism: bool,
    /// The number of runs of each command on each engine of --determinism
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = parse_runs, default_value = "5", requires = "determinism", conflicts_with_all = ["file", "scene", "adversarial"])]
    pub runs: usize,
    /// The seed of the named scene, of the pairs or of the scenes [default: 1]
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub search: SearchArguments,
    /// The number of boxes to compare with the reference, or all [default: all, or a sample in
    /// scenes of more than 5M boxes or 20M candidate pairs]
    #[arg(long, value_name = "N|all", allow_hyphen_values = true, value_parser = parse_extent, conflicts_with = "adversarial")]
    pub verify_boxes: Option<Extent>,
    /// Remove a random pair from the backend's result first, and fail even if the comparison does
    /// not notice; compares all boxes unless --verify-boxes is given. With --determinism, change a
    /// byte of a file
    #[arg(long)]
    pub inject_fault: bool,
    /// Write the outcome as JSON; `-` is stdout, and nothing else goes there
    #[arg(long, value_name = "FILE", value_parser = sink_parser())]
    pub json: Option<Sink>,
    /// Write the outcome as a web page: one self-contained file with tables
    #[arg(long, value_name = "FILE", value_parser = sink_parser())]
    pub html: Option<Sink>,
    /// The file for the scene if the verification fails [default: obbligato-failure.npy, or .csv if
    /// the scene has ids, groups or rules; with --determinism, the folder obbligato-failure]
    #[arg(long, value_name = "FILE")]
    pub replay_out: Option<PathBuf>,
}
