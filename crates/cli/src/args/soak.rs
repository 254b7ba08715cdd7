//! The arguments of `obbligato soak`.

use clap::{ArgGroup, Args};
use obbligato_support::count::parse_count;

use crate::{
    args::choices::BackendArguments,
    args::values::{parse_minutes, sink_parser},
    output::Sink,
};

/// `obbligato soak`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("length").args(["minutes", "frames"]).required(true).multiple(true))]
#[command(after_help = "Examples:
  obbligato soak --minutes 60
  obbligato soak --minutes 10 --backend cpu --large 100k --json soak.json
  obbligato soak --seed 7 --frames 501

Every 500 frames of small moving scenes are followed by one of a large scene. Scenes have bodies of \
every kind, random sizes and random rules; the CPU and every adapter take turns. Every 25th frame, \
and every large one, is compared with the reference. --backend cpu leaves out the adapters, and gpu \
the CPU. The pairs of a frame depend on the seed and its \
number alone, so equal seeds and options repeat a run. Exit code 1 at the first difference. Ctrl-C \
ends a run with its summary (not on Windows).")]
pub struct SoakArguments {
    /// The duration; the run ends with the frame that passes it
    #[arg(long, value_name = "M", allow_hyphen_values = true, value_parser = parse_minutes)]
    pub minutes: Option<f64>,
    /// The number of frames after which the run ends
    #[arg(long, value_name = "K", allow_hyphen_values = true, value_parser = parse_count)]
    pub frames: Option<usize>,
    /// The number of the first frame
    #[arg(long, value_name = "K", allow_hyphen_values = true, value_parser = parse_count, default_value = "0")]
    pub first: usize,
    /// The seed of the scenes [default: from the clock]
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub seed: Option<u64>,
    /// The number of bodies of the largest scene; software adapters get a twentieth
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = parse_count, default_value = "1M")]
    pub large: usize,
    #[command(flatten)]
    pub backend: BackendArguments,
    /// Remove a pair from one result before it is compared
    #[arg(long)]
    pub inject_fault: bool,
    /// Write the outcome as JSON; `-` is stdout, and nothing else goes there
    #[arg(long, value_name = "FILE", value_parser = sink_parser())]
    pub json: Option<Sink>,
}
