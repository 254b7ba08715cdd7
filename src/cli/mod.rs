//! The command line: one module a command, and what they share.
//!
//! Results go to stdout, progress and notes to stderr. A command that fails says so in one line; see [`failure`] for
//! the exit codes.

mod args;
mod bench;
mod check;
mod compare;
mod devices;
mod engine;
mod failure;
mod generate;
mod json;
mod measure;
mod output;
mod progress;
mod table;
mod verify;

use std::{ffi::OsString, process::ExitCode};

use args::Command;
use failure::Failure;

/// Runs the program with these arguments, the program's name first.
pub fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    match args::parse(arguments).and_then(execute) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn execute(command: Command) -> Result<(), Failure> {
    match command {
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Devices => devices::run(),
        Command::Generate(arguments) => generate::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
    }
}
