//! The arguments of `obbligato check`.

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use obbligato::Period;

use crate::{
    args::choices::{BcfVersionName, FormatName, FrameChoice, PrecisionName, SearchArguments},
    args::values::{parse_depth, parse_frame, parse_memory, parse_period, parse_tile, sink_parser},
    check::{condition::Condition, groups::Grouping},
    output::{Sink, with_ending},
};

/// `obbligato check`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("carriers").args(["bcf", "clashes", "html"]).multiple(true))]
#[command(after_help = "Examples:
  obbligato check boxes.npy --pairs pairs.npy --json report.json
  obbligato generate bricks --count 1k --out wall.csv && obbligato check wall.csv --marks marks.csv
  obbligato check boxes.csv --margin 0.05 --distances near.csv
  obbligato check boxes.csv --contacts contacts.csv
  obbligato check detections.csv --volumes overlaps.csv
  obbligato check - --json - < boxes.csv
  obbligato check map.csv --f64 --clashes clashes.csv
  obbligato check particles.csv --period 10,10,- --contacts contacts.csv
  obbligato check architecture.csv --against installations.csv --pairs clashes.csv
  obbligato check model.csv --id-column guid --keep type,name --clashes clashes.csv --min-depth 0.001
  obbligato check model.csv --where 'a.type=IfcWall b.type=IfcPipe|IfcDuct' --pairs - | head
  obbligato check tracks.csv.gz --frame all --pairs pairs.csv
  obbligato check model.csv --id-column guid --clash-rules rules.toml --clashes clashes.csv
  obbligato check model.csv --ignore accepted.csv --pairs pairs.csv
  obbligato check new.csv --baseline old-pairs.csv --clashes clashes.csv
  obbligato check model.csv --keep type,name --html clashes.html
  obbligato check model.csv --id-column guid --keep type,name --group near --bcf clashes.bcf
  obbligato check city.parquet --memory 4GB --pairs clashes.parquet

A scene is .npy (float32, N x 10, or N x 16 with motions, which are ignored), or .csv or .parquet \
with the columns cx cy cz hx hy hz qx qy qz qw, or for upright cuboids x0 y0 x1 y1 x2 y2 x3 y3 \
z_min z_max (corners in plan, in any order), and optionally id, frame, and the rules memberships, \
filter, owner, world and static. With a column shape, a row is a box (also if the field is empty), \
a sphere (cx cy cz radius) or a capsule (all points within radius of the segment from -hz to hz \
along its own z axis). Fields that a shape does not use are ignored, and columns that no row uses \
may be missing. .csv.gz is .csv compressed with gzip. Semicolons may replace commas, but the \
decimal mark is a point.

Results name a box by its id, or by its row in the file, from 0, if the file has no ids, even if \
only one frame is read. Ids are numbers if all ids in the file are whole numbers from 0 to \
4294967295 without a sign or leading zeros. Otherwise they are texts, which are sorted by their \
bytes, and the checksum uses their ranks.

EXPR is a list of comparisons that must all hold, separated by blanks, commas or `and`. A \
comparison is a.COLUMN or b.COLUMN, then = or !=, and a text or a column of the other box; several \
of these separated by | are alternatives. Texts with blanks or punctuation need quotes. Texts are \
compared exactly, including upper and lower case. Within one file, a pair matches in either order; \
with --against, a is in FILE and b in FILE_B.

RULES has tables [[rule]] with the keys name, where (EXPR), and min_depth, clearance or ignore = \
true. Above them, min_depth or clearance is that of pairs that no rule fits and of rules without \
one, and with only = true pairs that no rule fits are left out. With a clearance, pairs no further \
apart are clashes too: in --clashes they have the kind near and a distance.

Pairs that --where, --ignore, --clash-rules and --min-depth leave out are in no result. Reports count them separately: the \
numbers of colliding, touching and near pairs and the checksum are those of the remaining pairs, \
and --baseline compares the remaining pairs.")]
pub struct CheckArguments {
    /// The scene, .npy, .parquet, .csv or .csv.gz; `-` is CSV from stdin
    pub file: PathBuf,
    /// A second scene: find pairs of one box in FILE and one box in FILE_B, and no pairs within
    /// either file
    #[arg(long, value_name = "FILE_B")]
    pub against: Option<PathBuf>,
    #[command(flatten)]
    pub search: SearchArguments,
    /// The precision of the answer
    #[arg(long, value_enum, default_value = "exact")]
    pub precision: PrecisionName,
    /// Read centers as f64: decimal text is rounded once, and .npy may be float64; the scene must
    /// contain only boxes
    #[arg(long)]
    pub f64: bool,
    /// The frame to read from a CSV file with several frames, or `all`: check each frame
    /// separately, and start all results with a column frame; with --against, applies to both files
    #[arg(long, value_name = "K", allow_hyphen_values = true, value_parser = parse_frame)]
    pub frame: Option<FrameChoice>,
    /// The column with the ids [default: id, if there is one]
    #[arg(long, value_name = "NAME")]
    pub id_column: Option<String>,
    /// Find all pairs no further apart than this distance, not only colliding ones
    #[arg(long, value_name = "D", allow_hyphen_values = true, default_value_t = 0.0)]
    pub margin: f64,
    /// Repeat space after these lengths along x, y and z; - for an axis that does not repeat. Every
    /// body is repeated at each whole multiple of the length, and tables have the columns ia, ib
    /// and ic: by how many periods b is moved
    #[arg(long, value_name = "LX,LY,LZ", allow_hyphen_values = true, value_parser = parse_period, conflicts_with = "html")]
    pub period: Option<Period>,
    /// Find only pairs whose boxes meet a condition on their columns, such as 'a.type=IfcWall
    /// b.type!=IfcWall'
    #[arg(long = "where", value_name = "EXPR", allow_hyphen_values = true)]
    pub condition: Option<Condition>,
    /// Leave out pairs with less penetration depth than this, and pairs that are only within the
    /// margin
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = parse_depth)]
    pub min_depth: Option<f64>,
    /// Decide by rules which pairs are clashes: a TOML file of rules with a name, a condition as of
    /// --where, and a minimum depth or a clearance; the first rule that fits a pair decides
    #[arg(long, value_name = "RULES.toml", conflicts_with_all = ["margin", "min_depth"])]
    pub clash_rules: Option<PathBuf>,
    /// Leave out the pairs of a CSV file with columns a, b and optionally reason, and count on
    /// stderr those that do not clash any more
    #[arg(long, value_name = "PAIRS.csv")]
    pub ignore: Option<PathBuf>,
    /// Compare with the pairs of an earlier check, a CSV file with columns a and b: count new, gone
    /// and kept pairs, and list the gone ones on stderr
    #[arg(long, value_name = "PAIRS.csv")]
    pub baseline: Option<PathBuf>,
    /// Write the colliding pairs, .csv, .npy or .parquet; `-` is stdout, for this or one of the
    /// results below
    #[arg(long, value_name = "OUT")]
    pub pairs: Option<PathBuf>,
    /// Write the number of boxes that each box of FILE collides with, .csv, .npy or .parquet
    #[arg(long, value_name = "OUT")]
    pub marks: Option<PathBuf>,
    /// Write one row per colliding pair, the deepest first: depth, whether it only touches, normal,
    /// a point and the kind (touch, overlap, pierce, contain or duplicate), .csv
    #[arg(long, value_name = "OUT")]
    pub clashes: Option<PathBuf>,
    /// Columns of the scene to copy to --clashes and --html, as a_COL and b_COL, and to the titles
    /// of --bcf; a comma-separated list
    #[arg(long, value_name = "COLS", value_delimiter = ',', requires = "carriers")]
    pub keep: Vec<String>,
    /// Write clashes as a BCF archive, .bcf or .bcfzip: a topic for each clash or, with --group,
    /// each group, with a camera and a picture. An existing archive is updated: topics keep their
    /// comments, and those whose clash is gone are closed. Ids must be IFC GUIDs, lengths are in
    /// meters, and --keep gives the titles
    #[arg(long, value_name = "OUT", conflicts_with = "period")]
    pub bcf: Option<PathBuf>,
    /// The version of the archive of --bcf; by default that of the existing one, else 2.1
    #[arg(long, value_name = "VERSION", value_enum, requires = "bcf")]
    pub bcf_version: Option<BcfVersionName>,
    /// Number groups of clashes in a column group of --clashes: those with the same texts in these
    /// columns, a comma-separated list; or `near`, those whose places are within the margin of one
    /// another, or connected by others that are. The place of a clash is where the bounds of both
    /// bodies overlap
    #[arg(long, value_name = "COLS|near", requires = "carriers")]
    pub group: Option<Grouping>,
    /// Write the distance (0 if they collide) and the closest points of each pair, .csv
    #[arg(long, value_name = "OUT")]
    pub distances: Option<PathBuf>,
    /// Write the contact points of colliding boxes and their depths, one row per point, .csv
    #[arg(long, value_name = "OUT")]
    pub contacts: Option<PathBuf>,
    /// Write the volume that the boxes of each colliding pair share, and its part of the volume of
    /// both together (iou), one row per pair, .csv; areas for a scene in the plane
    #[arg(long, value_name = "OUT")]
    pub volumes: Option<PathBuf>,
    /// Write the partners of each box of FILE, by position, as OUT.offsets.npy and
    /// OUT.neighbours.npy
    #[arg(long, value_name = "OUT")]
    pub rows: Option<PathBuf>,
    /// The format of results written to stdout, a pipe or a device, which have no .csv or .npy
    /// ending
    #[arg(long, value_enum, default_value = "csv")]
    pub format: FormatName,
    /// Keep host memory below this size, such as 4GB (at least 256MB), by working from disk; only
    /// for .npy and .parquet, with the results --pairs and --json
    #[arg(long, value_name = "SIZE", value_parser = parse_memory, conflicts_with_all = [
        "against", "f64", "frame", "id_column", "period", "condition", "min_depth", "clash_rules", "ignore", "baseline", "bcf", "marks", "clashes", "keep", "group", "distances",
        "contacts", "volumes", "rows", "html",
    ])]
    pub memory: Option<u64>,
    /// The folder in which --memory creates its own folder obbligato-work; an interrupted check
    /// resumes from it [default: FILE.work]
    #[arg(long, value_name = "DIR", requires = "memory")]
    pub work: Option<PathBuf>,
    /// The number of boxes in each tile that --memory checks at once [default: as many as the
    /// memory allows]
    #[arg(long, value_name = "N", requires = "memory", value_parser = parse_tile)]
    pub tile_boxes: Option<usize>,
    /// Write a report as JSON; `-` is stdout, and nothing else goes there
    #[arg(long, value_name = "FILE", value_parser = sink_parser())]
    pub json: Option<Sink>,
    /// Write a report as a web page: one self-contained file with tables and plots
    #[arg(long, value_name = "FILE", value_parser = sink_parser())]
    pub html: Option<Sink>,
}

impl CheckArguments {
    /// Returns the work folder of a check from disk: next to the file, unless another one is given.
    pub fn work_folder(&self) -> Option<PathBuf> {
        self.memory?;
        let beside = || with_ending(&self.file, ".work");
        Some(self.work.clone().unwrap_or_else(beside))
    }
}
