//! `obbligato man`: the manual, a page for each command.

use std::{fs, path::PathBuf};

use clap::Command;
use clap_mangen::Man;
use obbligato_files::output::write_text;

use super::{
    args::{self, man::ManArguments},
    failure::Failure,
    output::{self, shown},
    table::counted,
};

pub fn run(arguments: &ManArguments) -> Result<(), Failure> {
    let folder = &arguments.out;
    let failed = |what: &str| Failure::Input(format!("{}: {what}: name another folder", shown(folder)));
    fs::create_dir_all(folder).map_err(|error| failed(&format!("cannot be made: {error}")))?;
    let pages = pages().map_err(|error| failed(&format!("cannot be written: {error}")))?;
    for (name, text) in &pages {
        write_text(&folder.join(name), text)?;
    }
    let pages = counted(pages.len() as u64, "page", "pages");
    output::print(&format!("wrote {pages} to {}\n", folder.display()))
}

/// Returns each page and its file name, the program's own first.
fn pages() -> std::io::Result<Vec<(PathBuf, String)>> {
    let mut program = args::declaration().disable_help_subcommand(true);
    // This gives commands their full names.
    program.build();
    let commands = program.get_subcommands().cloned();
    [program.clone()].into_iter().chain(commands).map(page).collect()
}

fn page(command: Command) -> std::io::Result<(PathBuf, String)> {
    let man = Man::new(command);
    let mut text = Vec::new();
    man.render(&mut text)?;
    Ok((man.get_filename().into(), String::from_utf8_lossy(&text).into_owned()))
}
