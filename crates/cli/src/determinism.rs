//! `obbligato verify --determinism`: compares the output files of commands byte by byte, over
//! several runs on every engine of this machine.
//!
//! Each run is a process of this program, as a user starts it: with the number of threads and lanes
//! of its environment, at other addresses, and with other seeds of hash tables.

mod cases;
mod compare;
mod engines;
mod report;
pub mod scratch;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use obbligato_support::split_mix::SplitMix;
use serde_json::Value;

use self::{
    cases::{CASES, OUT},
    compare::{Difference, Outputs, compare},
    engines::Engine,
    report::Outcome,
    scratch::{Scratch, problem},
};
use super::{
    args::{values::DEFAULT_SEED, verify::VerifyArguments},
    failure::{Failure, MACHINE_FAILED},
    output::{self, Sink},
    progress::Progress,
};

/// The default folder for outputs that differ.
const FAILURE: &str = "obbligato-failure";

/// The keys of a report that every run repeats; others have times, and counts of an engine.
const KEYS: [&str; 13] = [
    "boxes",
    "triangles",
    "colliding_pairs",
    "touching_pairs",
    "impacts",
    "starting",
    "frames",
    "begin",
    "end",
    "persist",
    "pairs",
    "complete",
    "checksum",
];

pub fn run(arguments: &VerifyArguments) -> Result<(), Failure> {
    let outputs: Vec<&Path> = arguments.json.iter().map(Sink::target).collect();
    output::check_paths(&outputs, &[], &[])?;
    let (seed, runs) = (arguments.seed.unwrap_or(DEFAULT_SEED), arguments.runs);
    let engines = engines::all(&arguments.search.config()?)?;
    let scratch = Scratch::new()?;
    cases::write(scratch.path(), seed)?;
    let program = std::env::current_exe()
        .map_err(|error| Failure::Input(format!("the program's own path is unknown: {error}")))?;

    let total = engines.len() * CASES.len() * runs;
    let progress = Progress::bar(total as u64);
    let mut done = 0;
    let (groups, difference) = compare(&engines, CASES.len(), runs, |engine, case, _| {
        progress.stage(engine.words());
        let mut outputs = outputs_of(&program, scratch.path(), engine, CASES[case])?;
        progress.step();
        done += 1;
        if arguments.inject_fault && done == total {
            inject_fault(&mut outputs, seed);
        }
        Ok(outputs)
    })?;
    drop(progress);

    let outcome = Outcome {
        groups,
        difference,
        seed,
        runs,
    };
    let printed = output::show(arguments.json.as_ref(), || outcome.json(), || outcome.text());
    match &outcome.difference {
        Some(difference) => {
            let folder = arguments.replay_out.as_deref().unwrap_or(Path::new(FAILURE));
            let kept = keep(folder, scratch.path(), difference);
            Err(Failure::Difference(format!("{}; {kept}", difference.words())))
        }
        None => printed,
    }
}

/// Runs a command in a folder, and returns its outputs.
fn outputs_of(program: &Path, folder: &Path, engine: &Engine, words: &str) -> Result<Outputs, Failure> {
    let out = folder.join(OUT);
    let _ = fs::remove_dir_all(&out);
    fs::create_dir(&out).map_err(|error| problem(&out, "cannot be created", &error))?;
    let mut command = Command::new(program);
    command
        .args(words.split_whitespace())
        .args(engine.options(words))
        .arg("--quiet")
        .current_dir(folder)
        .stdin(Stdio::null());
    engine.set(&mut command);
    let failed = |code, why: &str| Failure::Part(code, format!("`obbligato {words}` on {}: {why}", engine.words()));
    let ended = command
        .output()
        .map_err(|error| failed(MACHINE_FAILED, &format!("the program does not start: {error}")))?;
    if !ended.status.success() {
        let said = String::from_utf8_lossy(&ended.stderr);
        let why = said.trim().trim_start_matches("obbligato: ");
        return Err(match ended.status.code() {
            Some(code @ 1..=3) => failed(code as u8, why),
            _ => failed(MACHINE_FAILED, &format!("{}: {why}", ended.status)),
        });
    }
    let mut outputs = read(&out)?;
    if let Some(report) = outputs.get_mut("report.json") {
        *report =
            repeated(report).map_err(|error| failed(MACHINE_FAILED, &format!("its report is not JSON: {error}")))?;
    }
    Ok(outputs)
}

/// Reads all files of a folder.
fn read(folder: &Path) -> Result<Outputs, Failure> {
    let unreadable = |error| problem(folder, "cannot be read", &error);
    let mut outputs = Outputs::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        outputs.insert(name, fs::read(entry.path()).map_err(unreadable)?);
    }
    Ok(outputs)
}

/// Returns what every run of a command repeats of its report.
fn repeated(report: &[u8]) -> serde_json::Result<Vec<u8>> {
    let report: Value = serde_json::from_slice(report)?;
    let facts = KEYS
        .iter()
        .filter_map(|&key| Some(format!("{key} {}\n", report.get(key)?)));
    Ok(facts.collect::<String>().into_bytes())
}

/// Changes a byte of an output.
fn inject_fault(outputs: &mut Outputs, seed: u64) {
    if let Some(bytes) = outputs.values_mut().find(|bytes| !bytes.is_empty()) {
        let position = SplitMix(seed).next() % bytes.len() as u64;
        bytes[position as usize] ^= 1;
    }
}

/// Copies the inputs and the outputs that differ into a folder, and returns instructions to repeat
/// the command there.
fn keep(folder: &Path, scratch: &Path, difference: &Difference) -> String {
    let copy = || -> std::io::Result<()> {
        let ran = folder.join(OUT);
        fs::create_dir_all(&ran)?;
        for entry in fs::read_dir(scratch)? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                fs::copy(entry.path(), folder.join(entry.file_name()))?;
            }
        }
        for (name, outputs) in ["first", "other"].iter().zip(&difference.outputs) {
            let place: PathBuf = folder.join(name);
            fs::create_dir_all(&place)?;
            for (file, bytes) in outputs {
                fs::write(place.join(file), bytes)?;
            }
        }
        Ok(())
    };
    let folder = folder.display();
    match copy() {
        Ok(()) => format!(
            "both outputs are in {folder}/first and {folder}/other: repeat the command in {folder} with `{}`",
            difference.command()
        ),
        Err(error) => format!("cannot write {folder}: {error}"),
    }
}
