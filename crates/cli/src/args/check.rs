//! The arguments of `obbligato check`.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use crate::{
    args::choices::{FormatName, FrameChoice, PrecisionName, SearchArguments},
    args::values::{parse_depth, parse_frame, parse_memory, parse_tile, sink_parser},
    check::condition::Condition,
    output::{Sink, with_ending},
};

/// `obbligato check`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("carriers").args(["clashes", "html"]).multiple(true))]
#[command(after_help = "Examples:
  obbligato check boxes.npy --pairs pairs.npy --json report.json
  obbligato generate bricks --count 1k --out wall.csv && obbligato check wall.csv --marks marks.csv
  obbligato check boxes.csv --margin 0.05 --distances near.csv
  obbligato check boxes.csv --contacts contacts.csv
  obbligato check - --json - < boxes.csv
  obbligato check map.csv --f64 --clashes clashes.csv
  obbligato check architecture.csv --against installations.csv --pairs clashes.csv
  obbligato check model.csv --id-column guid --keep type,name --clashes clashes.csv --min-depth 0.001
  obbligato check model.csv --where 'a.type=IfcWall b.type=IfcPipe|IfcDuct' --pairs - | head
  obbligato check tracks.csv.gz --frame all --pairs pairs.csv
  obbligato check new.csv --baseline old-pairs.csv --clashes clashes.csv
  obbligato check model.csv --keep type,name --html clashes.html
  obbligato check city.parquet --memory 4GB --pairs clashes.parquet

A scene is .npy (float32, N x 10, or N x 16 with motions, which are ignored), or .csv or .parquet with the columns cx cy cz hx hy hz qx qy qz qw, or for upright cuboids \
x0 y0 x1 y1 x2 y2 x3 y3 z_min z_max (corners in plan, in any order), and optionally id, frame, and the rules \
memberships, filter, owner, world and static. With a column shape a row is a box (also if the field is empty), a sphere (cx cy cz \
radius) or a capsule (all within radius of the segment from -hz to hz along its own z axis); what other fields hold is ignored, and \
columns that no row uses may be missing. .csv.gz is .csv that gzip has compressed; semicolons may stand for commas, \
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
    /// The scene, .npy, .parquet, .csv or .csv.gz; `-` is CSV from stdin
    pub file: PathBuf,
    /// A second scene: find pairs of a box in FILE and a box in FILE_B, and none within either
    #[arg(long, value_name = "FILE_B")]
    pub against: Option<PathBuf>,
    #[command(flatten)]
    pub search: SearchArguments,
    /// How accurate the answer must be
    #[arg(long, value_enum, default_value = "exact")]
    pub precision: PrecisionName,
    /// Take centers as f64: decimal text is rounded once, and .npy may be float64; the scene must hold boxes alone
    #[arg(long)]
    pub f64: bool,
    /// The frame to read from a CSV file with several, or `all`: each by itself, with a first column frame in
    /// all results; with --against, from both files
    #[arg(long, value_name = "K", allow_hyphen_values = true, value_parser = parse_frame)]
    pub frame: Option<FrameChoice>,
    /// The column with the ids [default: id, if there is one]
    #[arg(long, value_name = "NAME")]
    pub id_column: Option<String>,
    /// Find pairs no further apart than this, not only colliding ones
    #[arg(long, value_name = "D", allow_hyphen_values = true, default_value_t = 0.0)]
    pub margin: f64,
    /// Find only pairs whose boxes meet a condition on their columns, such as 'a.type=IfcWall b.type!=IfcWall'
    #[arg(long = "where", value_name = "EXPR", allow_hyphen_values = true)]
    pub condition: Option<Condition>,
    /// Leave out pairs that are less deep in each other, and those that are only near
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = parse_depth)]
    pub min_depth: Option<f64>,
    /// Compare with the pairs (a CSV file with columns a and b) of an earlier check: what is new, gone (listed on stderr), kept
    #[arg(long, value_name = "PAIRS.csv")]
    pub baseline: Option<PathBuf>,
    /// Write the colliding pairs, .csv, .npy or .parquet; `-` is stdout here and below, for one result
    #[arg(long, value_name = "OUT")]
    pub pairs: Option<PathBuf>,
    /// Write how many boxes each box of FILE collides with, .csv, .npy or .parquet
    #[arg(long, value_name = "OUT")]
    pub marks: Option<PathBuf>,
    /// Write one row about each colliding pair, the deepest first: depth, whether it only touches, normal and a point, .csv
    #[arg(long, value_name = "OUT")]
    pub clashes: Option<PathBuf>,
    /// Columns of the scene to carry into --clashes and --html, as a_COL and b_COL; a comma-separated list
    #[arg(long, value_name = "COLS", value_delimiter = ',', requires = "carriers")]
    pub keep: Vec<String>,
    /// Write each pair's distance (0 if they collide) and closest points, .csv
    #[arg(long, value_name = "OUT")]
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
    /// Keep host memory below this, such as 4GB (at least 256MB), and work from disk: for .npy and .parquet, and the results --pairs and --json
    #[arg(long, value_name = "SIZE", value_parser = parse_memory, conflicts_with_all = [
        "against", "f64", "frame", "id_column", "condition", "min_depth", "baseline", "marks", "clashes", "keep", "distances",
        "contacts", "rows", "html",
    ])]
    pub memory: Option<u64>,
    /// Where --memory works, in a folder obbligato-work of its own: what was interrupted there goes on [default: FILE.work]
    #[arg(long, value_name = "DIR", requires = "memory")]
    pub work: Option<PathBuf>,
    /// Boxes of a tile that --memory checks at once [default: as many as the memory allows]
    #[arg(long, value_name = "N", requires = "memory", value_parser = parse_tile)]
    pub tile_boxes: Option<usize>,
    /// Write a report as JSON; `-` is stdout, and nothing else goes there
    #[arg(long, value_name = "FILE", value_parser = sink_parser())]
    pub json: Option<Sink>,
    /// Write a report as a page for a browser: one file with tables and plots, which fetches nothing
    #[arg(long, value_name = "FILE", value_parser = sink_parser())]
    pub html: Option<Sink>,
}

impl CheckArguments {
    /// Returns the work folder of a check from disk: beside the file, unless another one is named.
    pub fn work_folder(&self) -> Option<PathBuf> {
        self.memory?;
        let beside = || with_ending(&self.file, ".work");
        Some(self.work.clone().unwrap_or_else(beside))
    }
}
