//! The `obbligato` program; see `obbligato --help`. One module per command, and modules for common
//! parts.
//!
//! Results go to stdout, progress and notes to stderr. A command that fails prints one line; see
//! [`failure`] for the exit codes.

#[cfg(feature = "gpu")]
mod adapters;
mod adversarial;
mod allocator;
mod args;
mod bench;
mod check;
mod compare;
mod completions;
mod contacts;
mod date;
mod determinism;
mod devices;
mod disk;
mod engine;
mod failure;
mod fit;
mod generate;
mod html;
mod json;
mod lanes;
mod machine;
mod man;
mod measure;
mod mesh;
mod neighbours;
mod output;
mod period;
mod points;
mod progress;
mod quiet;
mod render;
mod replay;
mod room;
mod signals;
mod soak;
mod solids;
mod sweep;
mod table;
mod track;
mod verify;

use std::process::ExitCode;

use obbligato_support::parallel::wanted_threads;

use args::Command;
use failure::{Failure, note};

fn main() -> ExitCode {
    grow_stack();
    quieten_drivers();
    allocator::prepare();
    match args::parse(std::env::args_os()).and_then(|command| {
        signals::watch();
        wanted_threads().note.iter().for_each(|text| note(text));
        lanes::limit()?;
        execute(command)
    }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Makes the stack as large as any command needs. Where memory is limited, a stack that cannot grow
/// ends the program by a signal, which must not happen once it has begun to write.
#[inline(never)]
fn grow_stack() {
    let mut stack = [0u8; 512 << 10];
    std::hint::black_box(&mut stack);
}

fn execute(command: Command) -> Result<(), Failure> {
    match command {
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Devices => devices::run(),
        Command::Generate(arguments) => generate::run(&arguments),
        Command::Check(arguments) => check::run(*arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Fit(arguments) => fit::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
        Command::Mesh(arguments) => mesh::run(&arguments),
        Command::Neighbours(arguments) => neighbours::run(&arguments),
        Command::Render(arguments) => render::run(&arguments),
        Command::Room(arguments) => room::run(&arguments),
        Command::Soak(arguments) => soak::run(&arguments),
        Command::Solids(arguments) => solids::run(&arguments),
        Command::Sweep(arguments) => sweep::run(&arguments),
        Command::Track(arguments) => track::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
    }
}

/// Silences Mesa's Vulkan layer, which looks for a display and complains on stderr, in addition to
/// our one line, if the variable for its socket's folder is not set. With any folder that has no
/// socket, it stays silent.
#[allow(unsafe_code, reason = "it sets a variable of the environment")]
fn quieten_drivers() {
    const FOLDER: &str = "XDG_RUNTIME_DIR";
    if cfg!(target_os = "linux") && std::env::var_os(FOLDER).is_none() {
        // SAFETY: the program does this first, so no other thread reads or writes the environment.
        unsafe { std::env::set_var(FOLDER, std::env::temp_dir()) };
    }
}
