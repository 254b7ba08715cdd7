//! The arguments of `obbligato track`.

use std::path::PathBuf;

use clap::Args;

use crate::{
    args::choices::{FormatName, SearchArguments},
    args::values::sink_parser,
    output::Sink,
};

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
    pub search: SearchArguments,
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
