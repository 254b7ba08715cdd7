//! The files that a check writes.

use std::path::{Path, PathBuf};

use obbligato::contact::Contacts;
use obbligato_files as files;
use obbligato_files::{BcfCounts, Layout, ResultFile, Table, output::is_stdout};

use super::{
    answer::Answer,
    bcf::{self, Bcf},
    clash_rules::ClashRules,
    scenes::Scenes,
    volumes::{self, Volumes},
};
use crate::{
    args::check::CheckArguments,
    args::choices::FrameChoice,
    failure::Failure,
    output::{self, Sink},
};

/// The requested results.
pub struct Outputs<'a> {
    pairs: Option<ResultFile>,
    marks: Option<ResultFile>,
    distances: Option<ResultFile>,
    contacts: Option<ResultFile>,
    volumes: Option<ResultFile>,
    /// Set if some pairs may only be near.
    near: bool,
    clashes: Option<ResultFile>,
    rows: Option<&'a Path>,
    bcf: Option<Bcf<'a>>,
}

impl<'a> Outputs<'a> {
    /// Checks, before the work, that all outputs can be written.
    pub fn new(arguments: &'a CheckArguments, rules: Option<&'a ClashRules>) -> Result<Self, Failure> {
        check_paths(arguments)?;
        let layout = Layout {
            unnamed: arguments.format.format(),
            frames: arguments.frame == Some(FrameChoice::All),
            images: arguments.period.is_some(),
            ..Layout::default()
        };
        let file = |path: &Option<PathBuf>, table| {
            let file = path.as_deref().map(|path| ResultFile::new(path, table, layout.clone()));
            file.transpose()
        };
        let of_clashes = Layout {
            kept: arguments.keep.clone(),
            status: arguments.baseline.is_some(),
            groups: arguments.group.is_some(),
            rules: rules.map(ClashRules::names),
            ..layout.clone()
        };
        let clashes = arguments.clashes.as_deref();
        Ok(Self {
            pairs: file(&arguments.pairs, Table::Pairs)?,
            marks: file(&arguments.marks, Table::Degrees)?,
            distances: file(&arguments.distances, Table::Distances)?,
            contacts: file(&arguments.contacts, Table::Contacts)?,
            volumes: file(&arguments.volumes, Table::Volumes)?,
            near: arguments.margin > 0.0,
            clashes: clashes
                .map(|path| ResultFile::new(path, Table::Clashes, of_clashes))
                .transpose()?,
            rows: arguments.rows.as_deref(),
            bcf: Bcf::new(arguments, rules)?,
        })
    }

    /// Checks, still before the work, that the ids of the boxes can be written, and that volumes of
    /// the bodies are offered.
    pub fn check_scenes(&self, scenes: &Scenes) -> Result<(), Failure> {
        if self.volumes.is_some() {
            volumes::expect_boxes(scenes)?;
        }
        if self.bcf.is_some() {
            bcf::expect_guids(scenes)?;
        }
        match &self.pairs {
            Some(pairs) => Ok(pairs.check_ids(scenes.sides())?),
            None => Ok(()),
        }
    }

    /// Writes the requested results of one frame.
    pub fn write(&mut self, answer: &Answer<'_>) -> Result<(), Failure> {
        let Answer { scenes, pairs, .. } = answer;
        let (frame, sides) = (scenes.frame, scenes.sides());
        if let Some(out) = &mut self.pairs {
            out.pairs(frame, sides, pairs)?;
        }
        if let Some(out) = &mut self.distances {
            let (closest, images) = scenes.closest_points(pairs)?;
            out.distances(frame, sides, pairs, &closest, &images)?;
        }
        if let Some(out) = &mut self.contacts {
            let mut contacts = Contacts::default();
            let images = scenes.find_contacts(pairs, &mut contacts)?;
            out.contacts(frame, sides, pairs, &contacts, &images)?;
        }
        if let Some(out) = &mut self.volumes {
            let Volumes {
                pairs,
                overlaps,
                images,
            } = volumes::find(scenes, pairs, self.near)?;
            out.volumes(frame, sides, &pairs, &overlaps, &images)?;
        }
        if let Some(out) = &mut self.clashes {
            out.clashes(frame, sides, &answer.clashes)?;
        }
        if let Some(out) = &mut self.bcf {
            out.write(scenes, &answer.clashes)?;
        }
        if let Some(out) = &mut self.marks {
            out.degrees(frame, &scenes.scene, &answer.degrees)?;
        }
        if let Some(out) = self.rows {
            files::write_rows(out, &scenes.adjacency(pairs)?)?;
        }
        Ok(())
    }

    /// Ends all files, and gives them their names. Returns the numbers of topics if there is an
    /// archive of them.
    pub fn finish(self) -> Result<Option<BcfCounts>, Failure> {
        let files = [
            self.pairs,
            self.distances,
            self.contacts,
            self.volumes,
            self.clashes,
            self.marks,
        ];
        files.into_iter().flatten().try_for_each(ResultFile::finish)?;
        self.bcf.map(Bcf::finish).transpose()
    }
}

/// Returns `true` if an output goes to stdout, so that nothing else may.
pub fn take_stdout(arguments: &CheckArguments) -> bool {
    tables(arguments).chain(reports(arguments)).any(is_stdout)
}

/// Returns the requested tables, except rows, which are two files.
fn tables(arguments: &CheckArguments) -> impl Iterator<Item = &Path> {
    let tables = [
        &arguments.pairs,
        &arguments.marks,
        &arguments.distances,
        &arguments.contacts,
        &arguments.volumes,
        &arguments.clashes,
        &arguments.bcf,
    ];
    tables.into_iter().flatten().map(PathBuf::as_path)
}

fn reports(arguments: &CheckArguments) -> impl Iterator<Item = &Path> {
    [&arguments.json, &arguments.html]
        .into_iter()
        .flatten()
        .map(Sink::target)
}

/// Returns the files that `--rows OUT` writes.
fn row_files(out: &Path) -> [PathBuf; 2] {
    [".offsets.npy", ".neighbours.npy"].map(|ending| output::with_ending(out, ending))
}

fn check_paths(arguments: &CheckArguments) -> Result<(), Failure> {
    if let Some(rows) = &arguments.rows {
        if arguments.frame == Some(FrameChoice::All) {
            return Err(Failure::Input(
                "--rows cannot hold several frames: pick one with --frame".into(),
            ));
        }
        if is_stdout(rows) {
            return Err(Failure::Input(
                "--rows writes two files, which stdout cannot hold: name them".into(),
            ));
        }
    }
    let rows = arguments.rows.as_deref().map(row_files);
    let rows = rows.iter().flatten().map(PathBuf::as_path);
    let outputs: Vec<&Path> = tables(arguments).chain(rows).chain(reports(arguments)).collect();
    let inputs = [
        Some(&arguments.file),
        arguments.against.as_ref(),
        arguments.baseline.as_ref(),
        arguments.ignore.as_ref(),
        arguments.clash_rules.as_ref(),
    ];
    let inputs: Vec<&Path> = inputs.into_iter().flatten().map(PathBuf::as_path).collect();
    let mut kept = arguments.search.kept();
    let work = arguments.work_folder();
    kept.extend(work.as_deref().map(|folder| (folder, "the folder of the work")));
    output::check_paths(&outputs, &inputs, &kept)?;
    let stdin = inputs.iter().filter(|path| **path == Path::new("-"));
    match stdin.count() {
        0 | 1 => Ok(()),
        _ => Err(Failure::Input(
            "stdin can be read only once: name a file for FILE, --against, --baseline or --ignore".into(),
        )),
    }
}
