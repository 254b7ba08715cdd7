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
  obbligato track tracks.csv --contacts contacts.csv

A scene is a file that `check` reads, .csv with the columns frame and id. The id of a box is the \
same in all frames. Frames are read in ascending order. OUT has the columns frame, event, a, b, \
sorted by frame, a, b. The event is begin (the pair collides in this frame, and did not in the \
previous one), end (it collided in the previous frame and does not in this one, or one of its boxes \
is gone) or, with --persist, persist. The pairs of each frame are those of `check --frame`.

The contacts of each frame are those of `check --frame --contacts`, in the same order, with the \
columns frame, a, b, feature_a, feature_b, age, previous. A contact is the same as in the \
previous frame if the pair touches with the same features. Its age counts the frames since it \
began, from 0; previous is its row in the previous frame, from 0, and empty if it is new.")]
pub struct TrackArguments {
    /// The boxes of all frames, .csv or .csv.gz; `-` is CSV from stdin
    pub file: PathBuf,
    #[command(flatten)]
    pub search: SearchArguments,
    /// The column with the ids
    #[arg(long, value_name = "NAME", default_value = "id")]
    pub id_column: String,
    /// Write the pairs that begin or end in each frame, .csv; `-` is stdout
    #[arg(long, value_name = "OUT")]
    pub events: Option<PathBuf>,
    /// Write the pairs that persist too
    #[arg(long)]
    pub persist: bool,
    /// Write the contact points of each frame, how many frames each has lasted, and its row in the
    /// previous frame, .csv; `-` is stdout
    #[arg(long, value_name = "OUT")]
    pub contacts: Option<PathBuf>,
    /// The format of a table written to stdout, a pipe or a device, which have no .csv ending; npy
    /// cannot store them
    #[arg(long, value_enum, default_value = "csv")]
    pub format: FormatName,
    /// Write a report as JSON; `-` is stdout, and nothing else goes there
    #[arg(long, value_name = "FILE", value_parser = sink_parser())]
    pub json: Option<Sink>,
}
