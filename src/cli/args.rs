//! The arguments of every command.

use std::{ffi::OsString, path::PathBuf};

use clap::{
    ArgGroup, Args, CommandFactory, Parser, Subcommand, ValueEnum,
    builder::{PathBufValueParser, PossibleValue, PossibleValuesParser, TypedValueParser},
    error::{ContextValue, ErrorKind},
};
use obbligato::{
    Backend, Config, GpuConfig, Precision,
    files::Format,
    scenes::Scene,
    unstable::{count::parse_count, excerpt::excerpt},
};

use super::{check::condition::Condition, compare::Extent, failure::Failure, output, output::Sink, quiet::be_quiet};

/// The default seed, so that `verify --scene` sees the same boxes that `bench` timed.
pub const DEFAULT_SEED: u64 = 1;

/// Finds every collision among millions of oriented boxes, on the GPU or the CPU.
///
/// Without a command, it runs the benchmark.
#[derive(Debug, Parser)]
#[command(
    name = "obbligato",
    version,
    args_conflicts_with_subcommands = true,
    max_term_width = 100
)]
#[command(after_help = "Examples:
  obbligato                                     benchmark and verify the best device
  obbligato --scene uniform --count 1M          one row of it
  obbligato check boxes.csv --pairs pairs.csv   the colliding pairs of a file

Exit codes: 0 done; 1 a verification found a difference, or a benchmark slower times; 2 bad usage or bad input; 3 the \
device or the machine's memory failed. RAYON_NUM_THREADS sets the threads of the CPU backend.")]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    bench: BenchOptions,
    /// Print only errors, and what is written to `-`: no notes, no progress, no summary
    #[arg(long, global = true)]
    quiet: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Times named scenes, or a file, and verifies the results
    Bench(BenchArguments),
    /// Lists every GPU adapter of this machine, best first
    #[command(after_help = "Example:
  obbligato devices

Exit code 3 if there is no adapter.")]
    Devices,
    /// Writes a named scene to a file
    Generate(GenerateArguments),
    /// Finds the colliding pairs of a file
    Check(Box<CheckArguments>),
    /// Puts a tight box around each group of points
    Fit(FitArguments),
    /// Finds the walls of a room that boxes touch or cross
    Room(RoomArguments),
    /// Finds the colliding pairs of convex solids that a file gives by their points
    Solids(SolidsArguments),
    /// Finds the pairs that meet while the boxes of a file move, and when
    Sweep(SweepArguments),
    /// Finds the pairs that begin and end from frame to frame of a file
    Track(TrackArguments),
    /// Compares the GPU, the CPU and an independent reference on one scene
    Verify(VerifyArguments),
}

/// Where to run.
#[derive(Debug, Args)]
pub struct BackendArguments {
    /// auto uses a real GPU if there is one, else the CPU, which also does small checks; gpu uses any adapter, or fails
    #[arg(long, value_enum, default_value = "auto")]
    backend: BackendName,
    /// The adapter: part of its name, its number in `obbligato devices`, or vulkan, metal or dx12
    #[arg(long, value_name = "TEXT")]
    adapter: Option<String>,
    /// Cache compiled shaders in this file for the next start; one file per adapter, Vulkan only
    #[arg(long, value_name = "FILE")]
    pipeline_cache: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum BackendName {
    Auto,
    Gpu,
    Cpu,
}

impl BackendArguments {
    /// The library's configuration for this choice.
    pub fn config(&self) -> Result<Config, Failure> {
        if let (BackendName::Cpu, Some(adapter)) = (self.backend, &self.adapter) {
            return Err(Failure::Input(format!(
                "--adapter {} asks for a GPU but --backend cpu rules it out: drop one of them",
                excerpt(adapter)
            )));
        }
        let backend = match self.backend {
            BackendName::Auto => Backend::Auto,
            BackendName::Gpu => Backend::Gpu,
            BackendName::Cpu => Backend::Cpu,
        };
        Ok(Config {
            backend,
            adapter: self.adapter.clone(),
            gpu: GpuConfig {
                pipeline_cache: self.pipeline_cache.clone(),
                ..GpuConfig::default()
            },
            ..Config::default()
        })
    }
}

/// How accurate the answer must be.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub enum PrecisionName {
    /// The true pairs, the same on every device
    Exact,
    /// The pairs that f32 finds
    Fast,
    /// The true pairs, plus pairs that f32 cannot prove apart
    Conservative,
}

impl PrecisionName {
    /// The library's name for it.
    pub const fn precision(self) -> Precision {
        match self {
            Self::Exact => Precision::Exact,
            Self::Fast => Precision::Fast,
            Self::Conservative => Precision::Conservative,
        }
    }

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Fast => "fast",
            Self::Conservative => "conservative",
        }
    }
}

/// The format of results that go to what has no ending to tell it.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub enum FormatName {
    /// Text
    Csv,
    /// An array of NumPy's
    Npy,
}

impl FormatName {
    /// The library's name for it.
    pub const fn format(self) -> Format {
        match self {
            Self::Csv => Format::Csv,
            Self::Npy => Format::Npy,
        }
    }
}

/// Which frame to check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FrameChoice {
    /// The one of this number.
    One(i64),
    /// Every one, each by itself.
    All,
}

/// `obbligato bench`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  obbligato bench --scene dense --count 10k,100k --json -
  obbligato bench --backend cpu --frames 5 --csv times.csv
  obbligato bench --scene uniform,mixed --count 10k,100k,1M --plot times.svg
  obbligato bench boxes.csv --samples frames.csv
  obbligato bench --json new.json --compare old.json --threshold 1.2
  obbligato bench boxes.npy --resident --peer-file peer.jsonl
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
time of each kernel, and how near it is to what the device's memory does at best.

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
    pub scenes: Vec<Scene>,
    /// A number of boxes, such as 10k, 1.5M, 1e5 or 250_000; may be repeated or a comma-separated list
    #[arg(long = "count", value_name = "N", allow_hyphen_values = true, value_parser = parse_count, value_delimiter = ',')]
    pub counts: Vec<usize>,
    /// The seed of the named scenes [default: 1]
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub backend: BackendArguments,
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
    /// Show what another program took for the same boxes: an object of JSON a line, with tool, boxes, pairs and gpu_total_ms
    #[arg(long, value_name = "FILE")]
    pub peer_file: Option<PathBuf>,
    /// Measure all there is to measure on a GPU, correctness first, into this new folder
    #[arg(long, value_name = "OUT", conflicts_with_all = ["scenes", "no_verify", "verify_boxes", "json", "csv", "samples", "plot", "compare", "resident"])]
    pub hardware: Option<PathBuf>,
    /// How long --hardware may take, in minutes
    #[arg(long, value_name = "M", requires = "hardware", allow_hyphen_values = true, default_value_t = 9.0, value_parser = parse_ratio)]
    pub minutes: f64,
    /// The largest ratio of a new median to the old one that is not slower
    #[arg(long, value_name = "R", requires = "compare", allow_hyphen_values = true, default_value_t = 1.5, value_parser = parse_ratio)]
    pub threshold: f64,
}

/// `obbligato generate`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  obbligato generate crowd --count 100k --seed 7 --out crowd.npy
  obbligato generate uniform --count 1k --out - | obbligato check - --pairs -

The same scene, count and seed give the same bytes on every machine.")]
pub struct GenerateArguments {
    /// The scene
    #[arg(value_parser = scene_parser())]
    pub scene: Scene,
    /// The number of boxes, such as 10k, 1.5M, 1e5 or 250_000
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = parse_count)]
    pub count: usize,
    /// The seed of the random numbers
    #[arg(long, value_name = "S", allow_hyphen_values = true, default_value_t = DEFAULT_SEED)]
    pub seed: u64,
    /// The file to write, .npy or .csv; `-` is stdout, and nothing else goes there
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// The format of what has no ending .csv or .npy: stdout, pipes and devices
    #[arg(long, value_enum, default_value = "csv")]
    pub format: FormatName,
}

/// `obbligato check`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  obbligato check boxes.npy --pairs pairs.npy --json report.json
  obbligato generate bricks --count 1k --out wall.csv && obbligato check wall.csv --marks marks.csv
  obbligato check boxes.csv --margin 0.05 --distances near.csv
  obbligato check boxes.csv --contacts contacts.csv
  obbligato check - --json - < boxes.csv
  obbligato check architecture.csv --against installations.csv --pairs clashes.csv
  obbligato check model.csv --id-column guid --keep type,name --clashes clashes.csv --min-depth 0.001
  obbligato check model.csv --where 'a.type=IfcWall b.type=IfcPipe|IfcDuct' --pairs - | head
  obbligato check tracks.csv.gz --frame all --pairs pairs.csv
  obbligato check new.csv --baseline old-pairs.csv --clashes clashes.csv

A scene is .npy (float32, N x 10, or N x 16 with motions, which are ignored) or .csv with the columns cx cy cz hx hy hz qx qy qz qw, or for upright cuboids \
x0 y0 x1 y1 x2 y2 x3 y3 z_min z_max (corners in plan, in any order), and optionally id, frame, and the rules \
memberships, filter, owner, world and static. .csv.gz is .csv that gzip has compressed; semicolons may stand for commas, \
but the decimal mark is a point. Results name a box by its id, or by its row in the file, from 0, if the file has no ids, \
also if one frame is picked. Ids are numbers if all of the file are whole numbers from 0 to 4294967295, without a sign or \
zeros in front, and else texts, which sort by their bytes; the checksum then takes their ranks.

EXPR is a list of comparisons that must all hold, with blanks, commas or `and` between them. A comparison is a.COLUMN or \
b.COLUMN, then = or !=, and a text or a column of the other box; several of these with | between them are alternatives. \
Texts with blanks or marks stand in quotes. Texts are compared as they stand, upper and lower case apart. Within one file \
a pair is taken either way round; with --against, a is of FILE and b of FILE_B.

Pairs that --where and --min-depth leave out are in no result and no number but those of their own: the numbers of \
colliding, touching and near pairs and the checksum are of the rest, and --baseline compares the rest.")]
pub struct CheckArguments {
    /// The scene, .npy, .csv or .csv.gz; `-` is CSV from stdin
    pub file: PathBuf,
    /// A second scene: find pairs of a box in FILE and a box in FILE_B, and none within either
    #[arg(long, value_name = "FILE_B")]
    pub against: Option<PathBuf>,
    #[command(flatten)]
    pub backend: BackendArguments,
    /// How accurate the answer must be
    #[arg(long, value_enum, default_value = "exact")]
    pub precision: PrecisionName,
    /// The frame to read from a CSV file with several, or `all`: each by itself, with a first column frame in
    /// all results; with --against, from both files
    #[arg(long, value_name = "K", allow_hyphen_values = true, value_parser = parse_frame)]
    pub frame: Option<FrameChoice>,
    /// The column with the ids [default: id, if there is one]
    #[arg(long, value_name = "NAME")]
    pub id_column: Option<String>,
    /// Find pairs no further apart than this, not only colliding ones
    #[arg(long, value_name = "D", allow_hyphen_values = true, default_value_t = 0.0)]
    pub margin: f32,
    /// Find only pairs whose boxes meet a condition on their columns, such as 'a.type=IfcWall b.type!=IfcWall'
    #[arg(long = "where", value_name = "EXPR", allow_hyphen_values = true)]
    pub condition: Option<Condition>,
    /// Leave out pairs that are less deep in each other, and those that are only near
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = parse_depth)]
    pub min_depth: Option<f64>,
    /// Compare with the pairs (a CSV file with columns a and b) of an earlier check: what is new, gone (listed on stderr), kept
    #[arg(long, value_name = "PAIRS.csv")]
    pub baseline: Option<PathBuf>,
    /// Write the colliding pairs, .csv or .npy; `-` is stdout here and below, for one result
    #[arg(long, value_name = "OUT")]
    pub pairs: Option<PathBuf>,
    /// Write how many boxes each box of FILE collides with, .csv or .npy
    #[arg(long, value_name = "OUT")]
    pub marks: Option<PathBuf>,
    /// Write one row about each colliding pair, the deepest first: depth, whether it only touches, normal and a point, .csv
    #[arg(long, value_name = "OUT")]
    pub clashes: Option<PathBuf>,
    /// Columns of the scene to carry into --clashes, as a_COL and b_COL; a comma-separated list
    #[arg(long, value_name = "COLS", value_delimiter = ',', requires = "clashes")]
    pub keep: Vec<String>,
    /// Write each pair's distance (0 if they collide) and closest points, .csv
    #[arg(long, value_name = "OUT", requires = "margin")]
    pub distances: Option<PathBuf>,
    /// Write where and how deep the boxes collide, one row per contact point, .csv
    #[arg(long, value_name = "OUT")]
    pub contacts: Option<PathBuf>,
    /// Write the partners of each box of FILE as OUT.offsets.npy and OUT.neighbours.npy, by positions
    #[arg(long, value_name = "OUT")]
    pub rows: Option<PathBuf>,
    /// The format of results that have no ending .csv or .npy: stdout, pipes and devices
    #[arg(long, value_enum, default_value = "csv")]
    pub format: FormatName,
    /// Write a report as JSON; `-` is stdout, and nothing else goes there
    #[arg(long, value_name = "FILE", value_parser = sink_parser())]
    pub json: Option<Sink>,
}

/// `obbligato fit`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  obbligato fit points.csv --out boxes.csv && obbligato check boxes.csv
  obbligato fit scan.csv.gz --id-column part --out -

POINTS is .csv with the columns id, x, y and z, a row a point, in any order. OUT is a scene of `check` with a row for each id, in the order in which they first come. Every point is in its box without rounding, for exactly the numbers of both files as f32, and no box is larger than 1.02 times the least that there is. Around points in one plane, on one line or at one place, half extents are 0 up to rounding.")]
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

/// `obbligato room`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  obbligato room boxes.csv --min 0,0,0 --max 6,4,2.5 --out walls.csv
  obbligato room boxes.npy --min -3,-2,0 --max 3,2,2.5 --rotation 0,0,0.6,0.8 --out walls.csv

OUT has the columns id, state and walls. A box is inside if it reaches no wall, outside if it shares no point with the \
room, and crossing otherwise. walls is the sum of the walls that it touches, crosses or lies beyond: 1 -x, 2 +x, 4 -y, \
8 +y, 16 -z, 32 +z, in the room's own axes. All answers are exact for the room with exactly these corners, turned \
about their midpoint.")]
pub struct RoomArguments {
    /// The boxes, .npy, .csv or .csv.gz; `-` is CSV from stdin
    pub file: PathBuf,
    /// The room's corner with the smallest coordinates
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = parse_numbers::<3>)]
    pub min: [f32; 3],
    /// The corner with the largest
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = parse_numbers::<3>)]
    pub max: [f32; 3],
    /// A rotation of the room about its center, as a unit quaternion
    #[arg(long, value_name = "X,Y,Z,W", allow_hyphen_values = true, value_parser = parse_numbers::<4>)]
    pub rotation: Option<[f32; 4]>,
    #[command(flatten)]
    pub backend: BackendArguments,
    /// The frame to read from a CSV file with several; boxes without ids then go by their rows in the file, from 0
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    pub frame: Option<i64>,
    /// The column with the ids [default: id, if there is one]
    #[arg(long, value_name = "NAME")]
    pub id_column: Option<String>,
    /// The file to write, .csv; `-` is stdout, and nothing else goes there
    #[arg(long, value_name = "OUT")]
    pub out: PathBuf,
}

/// `obbligato solids`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  obbligato solids points.csv --pairs pairs.csv
  obbligato solids parts.csv.gz --id-column part --margin 0.5 --distances near.csv --json -

FILE is .csv with the columns id, x, y and z, a row a point, in any order. The solid of an id is the convex hull of its points, whether \
they span a body, a plane, a line or a point. Pairs are those that share a point, exactly, for the numbers of the file as f32. Results \
name a solid by its id, a < b, sorted; ids are numbers or texts as in `check`.")]
pub struct SolidsArguments {
    /// The points, .csv or .csv.gz; `-` is CSV from stdin
    pub file: PathBuf,
    #[command(flatten)]
    pub backend: BackendArguments,
    /// The column with the ids [default: id]
    #[arg(long, value_name = "NAME")]
    pub id_column: Option<String>,
    /// Find pairs no further apart than this, not only colliding ones
    #[arg(long, value_name = "D", allow_hyphen_values = true, default_value_t = 0.0)]
    pub margin: f32,
    /// Write the colliding pairs, .csv or .npy; `-` is stdout here and below, for one result
    #[arg(long, value_name = "OUT")]
    pub pairs: Option<PathBuf>,
    /// Write each pair's distance (0 if they collide) and closest points, .csv
    #[arg(long, value_name = "OUT", requires = "margin")]
    pub distances: Option<PathBuf>,
    /// The format of results that have no ending .csv or .npy: stdout, pipes and devices
    #[arg(long, value_enum, default_value = "csv")]
    pub format: FormatName,
    /// Write a report as JSON; `-` is stdout, and nothing else goes there
    #[arg(long, value_name = "FILE", value_parser = sink_parser())]
    pub json: Option<Sink>,
}

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
    pub backend: BackendArguments,
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

/// `obbligato track`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  obbligato track tracks.csv --events events.csv
  obbligato track tracks.csv.gz --events - --persist --id-column track

A scene is one of `check`, .csv with the columns frame and id: a box is the same in two frames if its id is. Frames are taken in \
ascending order. OUT has the columns frame, event, a, b, sorted by frame, a, b. The event is begin (the pair collides in this \
frame, and did not in the one before), end (it did and does not now, or one of its boxes is gone) or, with --persist, persist. \
The pairs of each frame are those of `check --frame`.")]
pub struct TrackArguments {
    /// The boxes of all frames, .csv or .csv.gz; `-` is CSV from stdin
    pub file: PathBuf,
    #[command(flatten)]
    pub backend: BackendArguments,
    /// The column with the ids
    #[arg(long, value_name = "NAME", default_value = "id")]
    pub id_column: String,
    /// Write what becomes of pairs from frame to frame, .csv; `-` is stdout
    #[arg(long, value_name = "OUT")]
    pub events: Option<PathBuf>,
    /// Write the pairs that persist, too
    #[arg(long)]
    pub persist: bool,
    /// The format of events that have no ending .csv: stdout, pipes and devices; npy cannot hold them
    #[arg(long, value_enum, default_value = "csv")]
    pub format: FormatName,
    /// Write a report as JSON; `-` is stdout, and nothing else goes there
    #[arg(long, value_name = "FILE", value_parser = sink_parser())]
    pub json: Option<Sink>,
}

/// `obbligato verify`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("boxes").args(["file", "scene", "adversarial"]).required(true))]
#[command(after_help = "Examples:
  obbligato verify boxes.csv
  obbligato verify --scene uniform --count 100k --backend gpu
  obbligato verify --scene dense --count 5M --verify-boxes all
  obbligato verify --adversarial 10M --seed 7

The reference finds the pairs of all boxes, or in scenes for which that takes long, those of a sample of boxes with \
every other; the report says of how many. The GPU and the CPU are compared in all pairs. \
Exit code 1 if any two differ in a single pair that was compared, however close to touching; the scene is then written \
to a file for replay.")]
pub struct VerifyArguments {
    /// The scene, .npy, .csv or .csv.gz; `-` is CSV from stdin
    #[arg(conflicts_with_all = ["count", "seed"])]
    pub file: Option<PathBuf>,
    /// The frame to read from a CSV file with several; boxes without ids then go by their rows in the file, from 0
    #[arg(long, value_name = "K", allow_hyphen_values = true, requires = "file", conflicts_with_all = ["scene", "adversarial"])]
    pub frame: Option<i64>,
    /// The column with the ids [default: id, if there is one]
    #[arg(long, value_name = "NAME", requires = "file", conflicts_with_all = ["scene", "adversarial"])]
    pub id_column: Option<String>,
    /// A named scene instead of a file
    #[arg(long, value_name = "NAME", value_parser = scene_parser(), requires = "count")]
    pub scene: Option<Scene>,
    /// The number of boxes of the named scene
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = parse_count, requires = "scene", conflicts_with = "adversarial")]
    pub count: Option<usize>,
    /// Check N hard pairs one by one: every stage against integer arithmetic
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = parse_count, conflicts_with = "inject_fault")]
    pub adversarial: Option<usize>,
    /// The seed of the named scene or of the pairs [default: 1]
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub backend: BackendArguments,
    /// How many boxes to hold against the reference, or all [default: all, fewer in scenes of more than 5M boxes or 20M
    /// candidate pairs]
    #[arg(long, value_name = "N|all", allow_hyphen_values = true, value_parser = parse_extent, conflicts_with = "adversarial")]
    pub verify_boxes: Option<Extent>,
    /// Remove a pair from the backend's result first, any of them by chance, and fail whether or not it is noticed;
    /// compares all boxes unless told otherwise
    #[arg(long)]
    pub inject_fault: bool,
    /// Write the outcome as JSON; `-` is stdout, and nothing else goes there
    #[arg(long, value_name = "FILE", value_parser = sink_parser())]
    pub json: Option<Sink>,
    /// Where to write the scene if the verification fails [default: obbligato-failure.npy, or .csv if it has ids, groups or rules]
    #[arg(long, value_name = "FILE")]
    pub replay_out: Option<PathBuf>,
}

/// Parses the arguments. Prints help or version if requested.
pub fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Command, Failure> {
    let mut arguments: Vec<_> = arguments.collect();
    // Options before a command are the benchmark's, but this one is everyone's.
    if let [_, quiet, command, ..] = &mut arguments[..]
        && quiet == "--quiet"
        && Arguments::command().find_subcommand(&*command).is_some()
    {
        std::mem::swap(quiet, command);
    }
    match Arguments::try_parse_from(&arguments) {
        Ok(parsed) => {
            be_quiet(parsed.quiet);
            Ok(parsed.command.unwrap_or(Command::Bench(BenchArguments {
                file: None,
                frame: None,
                options: parsed.bench,
            })))
        }
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            output::write(&error.render().to_string())?;
            Err(Failure::Shown)
        }
        Err(error) => Err(Failure::Input(condense(&shortened(error), &arguments))),
    }
}

/// The parser's error with excerpts of what it repeats of the arguments.
fn shortened(mut error: clap::Error) -> clap::Error {
    let excerpts = error.context().filter_map(|(kind, value)| match value {
        ContextValue::String(text) => Some((kind, ContextValue::String(excerpt(text).into_owned()))),
        _ => None,
    });
    for (kind, text) in excerpts.collect::<Vec<_>>() {
        error.insert(kind, text);
    }
    error
}

/// The parser's error on one line, with the command whose help explains more.
fn condense(error: &clap::Error, arguments: &[OsString]) -> String {
    let text = error.render().to_string();
    let lines = text.lines().map(str::trim);
    let mut complaint = String::new();
    for line in lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information")) {
        match line.strip_prefix("tip: ") {
            // Advice for values that begin with a dash, which no argument of ours does.
            Some(tip) if tip.starts_with("to pass") => {}
            Some(tip) => complaint += &format!("; {tip}"),
            None if line.is_empty() || complaint.is_empty() => complaint += line.trim_start_matches("error: "),
            None => complaint += &format!(" {line}"),
        }
    }
    let program = Arguments::command();
    let command = arguments.iter().skip(1).find_map(|word| program.find_subcommand(word));
    let command = command.map_or(String::new(), |command| format!("{} ", command.get_name()));
    format!("{complaint}; see `obbligato {command}--help`")
}

fn scene_parser() -> impl TypedValueParser<Value = Scene> {
    let names = Scene::ALL.map(|scene| PossibleValue::new(scene.name()).help(scene.describe()));
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Scene>())
}

fn sink_parser() -> impl TypedValueParser<Value = Sink> {
    PathBufValueParser::new().map(Sink::new)
}

/// Parses `N` comma-separated numbers.
fn parse_numbers<const N: usize>(text: &str) -> Result<[f32; N], String> {
    let wrong = || format!("expected {N} numbers separated by commas");
    let numbers: Result<Vec<f32>, _> = text.split(',').map(|number| number.trim().parse()).collect();
    numbers.map_err(|_| wrong())?.try_into().map_err(|_| wrong())
}

/// Parses the number of a frame, or `all`.
fn parse_frame(text: &str) -> Result<FrameChoice, String> {
    match text {
        "all" => Ok(FrameChoice::All),
        number => match number.parse() {
            Ok(frame) => Ok(FrameChoice::One(frame)),
            Err(_) => Err("expected a whole number, or all".into()),
        },
    }
}

/// Parses a depth.
fn parse_depth(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(depth) if (0.0..f64::INFINITY).contains(&depth) => Ok(depth),
        _ => Err("expected a depth: a number from 0".into()),
    }
}

/// Parses the length of a step.
fn parse_duration(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(duration) if (0.0..f64::INFINITY).contains(&duration) => Ok(duration),
        _ => Err("expected seconds: a finite number from 0".into()),
    }
}

/// Parses the distance at which boxes count as met.
fn parse_tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(tolerance) if tolerance.is_finite() && tolerance > 0.0 => Ok(tolerance),
        _ => Err("expected a distance: a finite number above 0".into()),
    }
}

/// Parses a threshold for ratios.
fn parse_ratio(text: &str) -> Result<f64, String> {
    let ratio = text
        .parse()
        .ok()
        .filter(|ratio: &f64| ratio.is_finite() && *ratio > 0.0);
    ratio.ok_or_else(|| "expected a ratio above 0, such as 1.2".into())
}

/// Parses how many boxes to compare with the reference.
fn parse_extent(text: &str) -> Result<Extent, String> {
    match text {
        "all" => Ok(Extent::All),
        _ => match parse_count(text) {
            Ok(0) => Err("comparing nothing proves nothing: expected a number above 0, or all".into()),
            Ok(count) => Ok(Extent::Boxes(count)),
            Err(problem) => Err(format!("{problem}, or all")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declaration_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn numbers() {
        assert_eq!(parse_numbers("1,-2.5, 3e2"), Ok([1.0, -2.5, 300.0]));
        for text in ["", "1,2", "1,2,3,4", "1,2,x", "1,2,", "1;2;3"] {
            assert!(parse_numbers::<3>(text).is_err(), "{text}");
        }
    }
}
