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

Without FILE, --scene and --count, it runs a selection of scenes and counts. Times are in milliseconds for the whole \
call, including upload and read-back: median and minimum over the frames; boxes/s follows from the median. Undecided is \
the share of candidates that f32 could not decide. A separate call counts rows of cells and tests of bounds per box, on \
the CPU backend. Verified says how many boxes the reference was held against: all, or a sample such as 500 of 2_000_000.

--compare matches rows by scene, boxes, backend and adapter. Its noise is how far the medians of both are above their \
minima.

--resident keeps the boxes on the GPU and puts frames into submissions of half a second at most: as many frames as \
--frames says, or 20, in one. GPU time is from the first timestamp of a submission to the last, divided by its frames; wall \
time is that of recording, submitting and waiting. The answer of the last frame is read and verified. A second table has the \
time of each kernel, and how near it is to what the device's memory does at best. With --refit, for --broad-phase lbvh, all frames \
but the first keep its order: their mode is refitted.

--peer-file shows the peers of a row: as many boxes, and as many pairs to within a thousandth. `bench FILE` times the same \
file that a peer reads.

--hardware writes environment.json, results.jsonl and summary.txt, each result as soon as it is there; --count is the number \
of boxes to begin with [default: 1M, 20k on a software adapter], and there are ten and a hundred times as many. Exit code 1 if \
a result is wrong.")]
pub struct BenchArguments {
    /// A scene to time instead of named ones, .npy or .csv; `-` is CSV from stdin
    #[arg(conflicts_with_all = ["scenes", "counts", "seed"])]
    pub file: Option<PathBuf>,
    /// The frame to read from a CSV file with several
    #[arg(long, value_name = "K", allow_hyphen_values = true, requires = "file")]
    pub frame: Option<i64>,
    #[command(flatten)]
    pub options: BenchOptions,
}

/// The options of `obbligato bench`, which the program also takes without a command.
#[derive(Debug, Args)]
pub struct BenchOptions {
    /// A scene to time; may be repeated or a comma-separated list
    #[arg(long = "scene", value_name = "NAME", value_parser = scene_parser(), value_delimiter = ',')]
    pub scenes: Vec<BodyScene>,
    /// A number of boxes, such as 10k, 1.5M, 1e5 or 250_000; may be repeated or a comma-separated list
    #[arg(long = "count", value_name = "N", allow_hyphen_values = true, value_parser = parse_count, value_delimiter = ',')]
    pub counts: Vec<usize>,
    /// The seed of the named scenes [default: 1]
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub search: SearchArguments,
    /// How accurate the answer must be; fast results are not verified
    #[arg(long, value_enum, default_value = "exact")]
    pub precision: PrecisionName,
    /// Timed frames per row [default: 20, fewer if a row would take more than a few seconds]
    #[arg(long, value_name = "K", allow_hyphen_values = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub frames: Option<u32>,
    /// Do not verify the timed results
    #[arg(long, conflicts_with = "verify_boxes")]
    pub no_verify: bool,
    /// How many boxes to hold against the reference, or all [default: all, fewer in scenes of more than 1M boxes or 2M
    /// candidate pairs]
    #[arg(long, value_name = "N|all", allow_hyphen_values = true, value_parser = parse_extent)]
    pub verify_boxes: Option<Extent>,
    /// Write the rows as JSON; `-` is stdout, and nothing else goes there
    #[arg(long, value_name = "FILE", value_parser = sink_parser())]
    pub json: Option<Sink>,
    /// Write the rows as a page for a browser: one file with tables and plots, which fetches nothing
    #[arg(long, value_name = "FILE", value_parser = sink_parser())]
    pub html: Option<Sink>,
    /// Write the rows as CSV, with the same columns on every backend
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write the time of every frame as CSV: scene, boxes, frame, clock, stage, ms
    #[arg(long, value_name = "FILE")]
    pub samples: Option<PathBuf>,
    /// Plot the times over the number of boxes, one line per scene
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Compare the medians with those of an earlier --json; exit code 1 if one is slower by more than the threshold
    #[arg(long, value_name = "OLD.json")]
    pub compare: Option<PathBuf>,
    /// Time frames that stay on the GPU, many in one submission, and each of their kernels
    #[arg(long)]
    pub resident: bool,
    /// Keep the order of the first frame in those after it, whose tree is refitted
    #[arg(long, requires = "resident")]
    pub refit: bool,
    /// Show what another program took for the same boxes: an object of JSON a line, with tool, boxes, pairs and gpu_total_ms
    #[arg(long, value_name = "FILE")]
    pub peer_file: Option<PathBuf>,
    /// Measure all there is to measure on a GPU, correctness first, into this new folder
    #[arg(long, value_name = "OUT", conflicts_with_all = ["scenes", "no_verify", "verify_boxes", "json", "html", "csv", "samples", "plot", "compare", "resident"])]
    pub hardware: Option<PathBuf>,
    /// How long --hardware may take, in minutes
    #[arg(long, value_name = "M", requires = "hardware", allow_hyphen_values = true, default_value_t = 9.0, value_parser = parse_minutes)]
    pub minutes: f64,
    /// The largest ratio of a new median to the old one that is not slower
    #[arg(long, value_name = "R", requires = "compare", allow_hyphen_values = true, default_value_t = 1.5, value_parser = parse_ratio)]
    pub threshold: f64,
}
