//! `obbligato completions`: scripts that complete the program's arguments in a shell.

use super::{
    args::{self, completions::CompletionsArguments},
    failure::Failure,
    output,
};

pub fn run(arguments: &CompletionsArguments) -> Result<(), Failure> {
    let mut program = args::declaration();
    let name = program.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut program, name, &mut script);
    output::write(&String::from_utf8_lossy(&script))
}
