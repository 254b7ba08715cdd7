//! The arguments of every command.

pub mod bench;
pub mod check;
pub mod choices;
pub mod completions;
pub mod fit;
pub mod generate;
pub mod man;
pub mod mesh;
pub mod neighbours;
pub mod render;
pub mod room;
pub mod soak;
pub mod solids;
pub mod sweep;
pub mod track;
pub mod values;
pub mod verify;

use std::ffi::OsString;

use clap::{
    CommandFactory, Parser, Subcommand,
    error::{ContextValue, ErrorKind},
};
use obbligato_support::excerpt::excerpt;

use crate::{
    args::bench::{BenchArguments, BenchOptions},
    args::check::CheckArguments,
    args::completions::CompletionsArguments,
    args::fit::FitArguments,
    args::generate::GenerateArguments,
    args::man::ManArguments,
    args::mesh::MeshArguments,
    args::neighbours::NeighboursArguments,
    args::render::RenderArguments,
    args::room::RoomArguments,
    args::soak::SoakArguments,
    args::solids::SolidsArguments,
    args::sweep::SweepArguments,
    args::track::TrackArguments,
    args::verify::VerifyArguments,
    failure::Failure,
    output,
    quiet::be_quiet,
};

/// Find every collision among millions of oriented boxes, on the GPU or the CPU.
///
/// Without a command, obbligato runs the benchmark.
#[derive(Debug, Parser)]
#[command(
    name = "obbligato",
    version,
    args_conflicts_with_subcommands = true,
    max_term_width = 100
)]
#[command(after_help = "Examples:
  obbligato                                     benchmark and verify the best device
  obbligato --scene uniform --count 1M          one row of the benchmark
  obbligato check boxes.csv --pairs pairs.csv   the colliding pairs of a file

Exit codes: 0 success; 1 a verification found a difference, or --compare found slower times; 2 \
invalid usage or input; 3 the device failed, or memory ran out. RAYON_NUM_THREADS sets the number \
of threads of the CPU backend.")]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    bench: BenchOptions,
    /// Print only errors and the output of `-`: no notes, no progress, no summary
    #[arg(long, global = true)]
    quiet: bool,
}

/// The command to run.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Benchmark named scenes or a file, and verify the results
    Bench(BenchArguments),
    /// List every GPU adapter of this machine, best first
    #[command(after_help = "Example:
  obbligato devices

Exit code 3 if there is no adapter.")]
    Devices,
    /// Write a named scene to a file
    Generate(GenerateArguments),
    /// Find the colliding pairs of a file
    Check(Box<CheckArguments>),
    /// Fit a tight box around each group of points
    Fit(FitArguments),
    /// Find the triangles of one or two meshes that intersect, or the points inside a mesh
    Mesh(MeshArguments),
    /// Find the nearest bodies of each body of a file
    Neighbours(NeighboursArguments),
    /// Draw a picture of a scene or a mesh, with collisions in colour
    Render(RenderArguments),
    /// Find the walls of a room that boxes touch or cross
    Room(RoomArguments),
    /// Find the colliding pairs of convex solids, each given by its points
    Solids(SolidsArguments),
    /// Find the pairs of moving boxes that collide, and when
    Sweep(SweepArguments),
    /// Find the pairs that begin or end from frame to frame of a file
    Track(TrackArguments),
    /// Compare the GPU, the CPU and an independent reference on one scene
    Verify(VerifyArguments),
    /// Check moving scenes of every kind for minutes or days, and watch the memory
    Soak(SoakArguments),
    /// Print a completion script for a shell
    Completions(CompletionsArguments),
    /// Write the manual, one page for each command
    Man(ManArguments),
}

/// Returns the declaration of the whole program.
pub fn declaration() -> clap::Command {
    Arguments::command()
}

/// Parses the arguments. Prints help or version if requested.
pub fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Command, Failure> {
    let mut arguments: Vec<_> = arguments.collect();
    // Options before a command belong to the benchmark, but this one applies to every command.
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

/// Returns the parser's error with excerpts of the arguments that it repeats.
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

/// Returns the parser's error on one line, with the command whose help explains more.
fn condense(error: &clap::Error, arguments: &[OsString]) -> String {
    let text = error.render().to_string();
    let lines = text.lines().map(str::trim);
    let mut complaint = String::new();
    for line in lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information")) {
        match line.strip_prefix("tip: ") {
            // Advice for values that begin with a dash, which none of our arguments has.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declaration_is_valid() {
        Arguments::command().debug_assert();
    }
}
