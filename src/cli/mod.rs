//! The command line: one module a command, and what they share.
//!
//! Results go to stdout, progress and notes to stderr. A command that fails says so in one line; see [`failure`] for
//! the exit codes.

mod adversarial;
mod args;
mod bench;
mod check;
mod compare;
mod date;
mod devices;
mod engine;
mod failure;
mod generate;
mod json;
mod measure;
mod output;
mod progress;
mod replay;
mod room;
mod table;
mod verify;

use std::{ffi::OsString, process::ExitCode};

use args::Command;
use failure::Failure;

/// Runs the program with these arguments, the program's name first.
pub fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    quieten_drivers();
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
        Command::Room(arguments) => room::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
    }
}

/// Mesa's Vulkan layer looks for a display and complains on stderr, beside our one line, if no folder for its socket is
/// named. Any folder without one makes it look in vain in silence.
fn quieten_drivers() {
    const FOLDER: &str = "XDG_RUNTIME_DIR";
    if cfg!(target_os = "linux") && std::env::var_os(FOLDER).is_none() {
        // SAFETY: this is the first thing that the program does, so no other thread reads or writes the environment.
        unsafe { std::env::set_var(FOLDER, std::env::temp_dir()) };
    }
}
