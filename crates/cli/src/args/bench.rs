//! The arguments of `obbligato bench`.

use std::path::PathBuf;

use clap::Args;
use obbligato_support::count::parse_count;
use obbligato_verify::scenes::BodyScene;

use crate::{
    args::choices::{PrecisionName, SearchArguments},
    args::values::{parse_extent, parse_minutes, parse_ratio, scene_parser, sink_parser},
    compare::Extent,
    output::Sink,
};

/// `obbligato bench`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  obbligato bench --scene dense --count 10k,100k --json -
  obbligato bench --backend cpu --frames 5 --csv times.csv
  obbligato bench --scene uniform,mixed --count 10k,100k,1M --plot times.svg
  obbligato bench boxes.csv --samples frames.csv
  obbligato bench --scene uniform --count 10k,100k,1M --html times.html
  obbligato bench --json new.json --compare old.json --threshold 1.2
  obbligato bench boxes.npy --resident --peer-file peer.jsonl
  obbligato bench --scene uniform --count 1M --resident --broad-phase lbvh --refit
  obbligato bench --hardware results

Without FILE, --scene and --count, bench times a selection of scenes and counts. Times are in \
milliseconds for the whole call, including upload and readback: the median and the minimum over \
the frames. boxes/s is computed from the median. Undecided is the share of candidate pairs that \
f32 could not decide. The rows of cells and the tests of bounds per box come from a separate call \
on the CPU backend. Verified is the number of boxes compared with the reference: all, or a sample \
such as 500 of 2_000_000.

--compare matches rows by scene, boxes, backend and adapter. The noise of a row is how far the \
medians of both files are above their minima.

--resident keeps the boxes on the GPU and records many frames in one submission: as many as \
--frames says, or 20, but no more than half a second of work. GPU time is the time from the first \
timestamp of a submission to the last, divided by the number of its frames; wall time covers \
recording, submitting and waiting. The answer of the last frame is read back and verified. A \
second table lists the time of each kernel, and how close it comes to the best that the device's \
memory allows. With --refit, for --broad-phase lbvh, all later frames keep the order of the first; \
their mode is refitted.

--peer-file shows the peers of each row: those with the same number of boxes, and the same number \
of pairs to within a thousandth. `bench FILE` times the file that a peer reads.

--hardware writes environment.json, results.jsonl and summary.txt, each result as soon as it is \
available. --count is the first number of boxes [default: 1M, 20k on a software adapter]; 10 and \
100 times as many follow. Exit code 1 if a result is wrong.")]
pub struct BenchArguments {
    /// A scene file to time instead of named scenes, .npy or .csv; `-` is CSV from stdin
    #[arg(conflicts_with_all = ["scenes", "counts", "seed"])]
    pub file: Option<PathBuf>,
    /// The frame to read from a CSV file with several frames
    #[arg(long, value_name = "K", allow_hyphen_values = true, requires = "file")]
    pub frame: Option<i64>,
    #[command(flatten)]
    pub options: BenchOptions,
}

/// The options of `obbligato bench`, which the program also takes without a command.
#[derive(Debug, Args)]
pub struct BenchOptions {
    /// The scene to time; can be given several times or as a comma-separated list
    #[arg(long = "scene", value_name = "NAME", value_parser = scene_parser(), value_delimiter = ',')]
    pub scenes: Vec<BodyScene>,
    /// The number of boxes, such as 10k, 1.5M, 1e5 or 250_000; can be given several times or as a
    /// comma-separated list
    #[arg(long = "count", value_name = "N", allow_hyphen_values = true, value_parser = parse_count, value_delimiter = ',')]
    pub counts: Vec<usize>,
    /// The seed of the named scenes [default: 1]
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub search: SearchArguments,
    /// The precision of the answer; fast results are not verified
    #[arg(long, value_enum, default_value = "exact")]
    pub precision: PrecisionName,
    /// The number of timed frames per row [default: 20, or fewer if a row would take more than a
    /// few seconds]
    #[arg(long, value_name = "K", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub frames: Option<u32>,
    /// Do not verify the timed results
    #[arg(long, conflicts_with = "verify_boxes")]
    pub no_verify: bool,
    /// The number of boxes to compare with the reference, or all [default: all, or a sample in
    /// scenes of more than 1M boxes or 2M candidate pairs]
    #[arg(long, value_name = "N|all", allow_hyphen_values = true, value_parser = parse_extent)]
    pub verify_boxes: Option<Extent>,
    /// Write the rows as JSON; `-` is stdout, and nothing else goes there
    #[arg(long, value_name = "FILE", value_parser = sink_parser())]
    pub json: Option<Sink>,
    /// Write the rows as a web page: one self-contained file with tables and plots
    #[arg(long, value_name = "FILE", value_parser = sink_parser())]
    pub html: Option<Sink>,
    /// Write the rows as CSV, with the same columns for every backend
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write the time of every frame as CSV: scene, boxes, frame, clock, stage, ms
    #[arg(long, value_name = "FILE")]
    pub samples: Option<PathBuf>,
    /// Plot the times against the number of boxes, one line per scene
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Compare the medians with those of an earlier --json file; exit with code 1 if one is slower
    /// by more than the threshold
    #[arg(long, value_name = "OLD.json")]
    pub compare: Option<PathBuf>,
    /// Time frames that stay on the GPU, many in one submission, and each of their kernels
    #[arg(long)]
    pub resident: bool,
    /// Keep the order of the first frame in later frames, and only refit the tree
    #[arg(long, requires = "resident")]
    pub refit: bool,
    /// Show the times of another program for the same boxes, from a file with one JSON object per
    /// line: tool, boxes, pairs and gpu_total_ms
    #[arg(long, value_name = "FILE")]
    pub peer_file: Option<PathBuf>,
    /// Run every measurement on a GPU, correctness first, and write the results to this new folder
    #[arg(long, value_name = "OUT", conflicts_with_all = ["scenes", "no_verify", "verify_boxes", "json", "html", "csv", "samples", "plot", "compare", "resident"])]
    pub hardware: Option<PathBuf>,
    /// The time limit of --hardware, in minutes
    #[arg(long, value_name = "M", requires = "hardware", allow_hyphen_values = true, default_value_t = 9.0, value_parser = parse_minutes)]
    pub minutes: f64,
    /// The largest ratio of new to old median that does not count as slower
    #[arg(long, value_name = "R", requires = "compare", allow_hyphen_values = true, default_value_t = 1.5, value_parser = parse_ratio)]
    pub threshold: f64,
}
