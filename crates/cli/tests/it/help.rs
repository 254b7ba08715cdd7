//! The help of every command, word for word. `INSTA_UPDATE=always cargo test help` accepts changes.

use insta::{Settings, assert_snapshot};

use super::program::{COMMANDS, command, text};
use crate::processes::output_of;

/// Returns the help at 100 columns, the most that the program ever uses.
fn help(words: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let arguments = [words, &["--help"]].concat();
    let output = output_of(command(folder.path(), &arguments).env("COLUMNS", "100"));
    assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    assert_eq!(text(&output.stderr), "", "{arguments:?}");
    text(&output.stdout).replace("obbligato.exe", "obbligato")
}

/// Compares the help of a command with the file of that name.
#[track_caller]
fn expect_help(name: &str, words: &[&str]) {
    let mut settings = Settings::clone_current();
    settings.set_snapshot_path("snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| assert_snapshot!(name, help(words)));
}

#[test]
fn help_of_the_program() {
    expect_help("help", &[]);
}

#[test]
fn help_of_every_command() {
    for command in COMMANDS {
        expect_help(&format!("help_{command}"), &[command]);
    }
}

/// The commands that the help lists are [`COMMANDS`].
#[test]
fn the_list_of_commands_is_complete() {
    let help = help(&[]);
    let commands = help
        .split("Commands:\n")
        .nth(1)
        .and_then(|rest| rest.split("\n\n").next());
    let commands: Vec<&str> = commands
        .expect("a list of commands")
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(commands, [&COMMANDS[..], &["help"]].concat());
}
