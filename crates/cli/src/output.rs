//! Outputs: stdout, and files that are written completely or not at all.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use obbligato_files::{Layout, ResultFile, Table, output};
use obbligato_support::excerpt::{excerpt, visible, visible_json};
use serde_json::Value;

use super::{failure::Failure, quiet::is_quiet};

/// The path of stdout among outputs.
const STDOUT: &str = "-";

/// The destination of a text result.
#[derive(Clone, Debug, PartialEq)]
pub enum Sink {
    /// Stdout, written `-`.
    Stdout,
    /// A file.
    File(PathBuf),
}

impl Sink {
    /// Returns the sink that an argument names.
    pub fn new(path: PathBuf) -> Self {
        if path.as_os_str() == STDOUT {
            Self::Stdout
        } else {
            Self::File(path)
        }
    }

    /// Returns the file, if it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Stdout => None,
            Self::File(path) => Some(path),
        }
    }

    /// Returns its path among those of outputs.
    pub fn target(&self) -> &Path {
        self.path().unwrap_or(Path::new(STDOUT))
    }

    /// Writes JSON.
    pub fn write_json(&self, json: &Value) -> Result<(), Failure> {
        self.write(&visible_json(&format!("{json:#}\n")))
    }

    /// Writes the whole text.
    fn write(&self, text: &str) -> Result<(), Failure> {
        match self {
            Self::Stdout => write(text),
            Self::File(path) => Ok(output::write_text(path, text)?),
        }
    }
}

/// Writes a result as JSON if requested, and as text to stdout unless the JSON goes there.
pub fn show(sink: Option<&Sink>, json: impl FnOnce() -> Value, text: impl FnOnce() -> String) -> Result<(), Failure> {
    if let Some(sink) = sink {
        sink.write_json(&json())?;
    }
    match sink {
        Some(Sink::Stdout) => Ok(()),
        _ => print(&text()),
    }
}

/// Writes a report as a page for a browser, if requested.
pub fn write_page(sink: Option<&Sink>, page: impl FnOnce() -> Result<String, Failure>) -> Result<(), Failure> {
    sink.map_or(Ok(()), |sink| sink.write(&visible(&page()?)))
}

/// Writes a result as [`show`] does, for a command that may also write a table or a page to stdout,
/// where no summary is then printed.
pub fn show_beside(
    table: Option<&Path>,
    sink: Option<&Sink>,
    json: impl FnOnce() -> Value,
    text: impl FnOnce() -> String,
) -> Result<(), Failure> {
    match (table.is_some_and(output::is_stdout), sink) {
        (false, _) => show(sink, json, text),
        (true, Some(sink)) => sink.write_json(&json()),
        (true, None) => Ok(()),
    }
}

/// Begins the requested tables of a command, with this layout, after checking that they and the
/// JSON can be written.
pub fn begin_tables<const N: usize>(
    tables: [(Option<&Path>, Table); N],
    layout: impl Into<Layout>,
    json: Option<&Sink>,
    (input, kept): (&Path, &[(&Path, &'static str)]),
) -> Result<[Option<ResultFile>; N], Failure> {
    let paths = tables.iter().filter_map(|(path, _)| *path);
    let outputs: Vec<_> = paths.chain(json.map(Sink::target)).collect();
    check_paths(&outputs, &[input], kept)?;
    let (mut begun, layout) = ([const { None }; N], layout.into());
    for (file, (path, table)) in begun.iter_mut().zip(tables) {
        *file = path
            .map(|path| ResultFile::new(path, table, layout.clone()))
            .transpose()?;
    }
    Ok(begun)
}

/// Writes a readable summary to stdout, except with `--quiet`.
pub fn print(text: &str) -> Result<(), Failure> {
    if is_quiet() { Ok(()) } else { write(&visible(text)) }
}

/// Writes to stdout and flushes.
pub fn write(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::ClosedPipe),
        Err(error) => Err(Failure::Input(format!(
            "stdout: {error}: free some space or write elsewhere"
        ))),
    }
}

/// Checks, before the work starts, that the outputs can be written, and that each differs from the
/// others, from the `inputs`, and from the files that the run keeps, each of which comes with a
/// description. A file that is kept must differ from the inputs, too.
pub fn check_paths(outputs: &[&Path], inputs: &[&Path], kept: &[(&Path, &'static str)]) -> Result<(), Failure> {
    let taken = inputs.iter().filter_map(|input| fs::canonicalize(input).ok());
    let mut taken: Vec<_> = taken.map(|path| (path, "is also the input".to_owned())).collect();
    let both = |path: &Path, what: &str| Failure::Input(format!("{}: {what}: give each its own file", shown(path)));
    for (path, what) in kept {
        let Some(place) = place_of(path) else { continue };
        match taken.iter().any(|(other, _)| *other == place) {
            true => return Err(both(path, &format!("is both an input and {what}"))),
            false => taken.push((place, format!("is also {what}"))),
        }
    }
    for path in outputs {
        let problem = |text: &str| Err(Failure::Input(format!("{}: {text}", shown(path))));
        if path.file_name().is_none() {
            return problem("is not a file name: name a file to write");
        }
        let place = output::check_place(path)?;
        if let Some((_, what)) = taken.iter().find(|(other, _)| *other == place) {
            return Err(both(path, what));
        }
        taken.push((place, "is named for two outputs".to_owned()));
    }
    Ok(())
}

/// Returns the canonical name of a file or folder that need not exist, or `None` if its folder does
/// not exist either.
fn place_of(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let beside = || {
        Some(
            fs::canonicalize(folder.unwrap_or(Path::new(".")))
                .ok()?
                .join(path.file_name()?),
        )
    };
    fs::canonicalize(path).ok().or_else(beside)
}

/// Returns a path for an error message.
pub fn shown(path: &Path) -> String {
    excerpt(&path.to_string_lossy()).into_owned()
}

/// Appends to a path: `out` and `.offsets.npy` give `out.offsets.npy`.
pub fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut whole = path.as_os_str().to_owned();
    whole.push(ending);
    PathBuf::from(whole)
}
