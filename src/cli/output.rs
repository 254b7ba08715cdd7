//! Where results go: stdout, and files that are written whole or not at all.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    process,
};

use super::failure::Failure;

/// Where a text result goes.
#[derive(Clone, Debug, PartialEq)]
pub enum Sink {
    /// Stdout, written `-`.
    Stdout,
    /// A file.
    File(PathBuf),
}

impl Sink {
    /// The sink that an argument names.
    pub fn new(path: PathBuf) -> Self {
        if path.as_os_str() == "-" {
            Self::Stdout
        } else {
            Self::File(path)
        }
    }

    /// The file, if it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Stdout => None,
            Self::File(path) => Some(path),
        }
    }

    /// Writes the whole text.
    pub fn write(&self, text: &str) -> Result<(), Failure> {
        match self {
            Self::Stdout => print(text),
            Self::File(path) => write_whole(path, text),
        }
    }
}

/// Writes to stdout and flushes.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::ClosedPipe),
        Err(error) => Err(Failure::Input(format!(
            "stdout: {error}: free some space or write elsewhere"
        ))),
    }
}

/// Writes a file whole or leaves it unchanged: the text goes to a neighbouring file that is then renamed.
pub fn write_whole(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::Input(format!("{}: cannot be written: {error}", path.display()));
    // Links are followed, not replaced. A device or a pipe is written to directly.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&target).is_ok_and(|found| !found.is_file()) {
        return File::create(&target)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(failed);
    }
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.partial", process::id()));
    let partial = target.with_file_name(name);
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&partial)
        .and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&partial, &target));
    if written.is_err() {
        // Remove what was written so far; the file may not exist.
        let _ = fs::remove_file(&partial);
    }
    written.map_err(failed)
}

/// Checks, before the work starts, that the outputs can be written.
///
/// Each must be in an existing folder, must not be a folder itself, and must differ from the other outputs and
/// `inputs`.
pub fn check_paths(outputs: &[&Path], inputs: &[&Path]) -> Result<(), Failure> {
    let taken = inputs.iter().filter_map(|input| fs::canonicalize(input).ok());
    let mut taken: Vec<_> = taken.map(|path| (path, "is also the input")).collect();
    for output in outputs {
        let problem = |text: &str| Err(Failure::Input(format!("{}: {text}", output.display())));
        let Some(name) = output.file_name() else {
            return problem("is not a file name: name a file to write");
        };
        if output.is_dir() {
            return problem("is a folder: name a file to write");
        }
        let folder = match output.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let Ok(folder) = fs::canonicalize(folder) else {
            return problem("is in a folder that does not exist: create it first, or write elsewhere");
        };
        let place = fs::canonicalize(output).unwrap_or_else(|_| folder.join(name));
        if let Some((_, what)) = taken.iter().find(|(other, _)| *other == place) {
            return problem(&format!("{what}: give each its own file"));
        }
        taken.push((place, "is named for two outputs"));
    }
    Ok(())
}

/// Appends to a path: `out` and `.offsets.npy` give `out.offsets.npy`.
pub fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut whole = path.as_os_str().to_owned();
    whole.push(ending);
    PathBuf::from(whole)
}
