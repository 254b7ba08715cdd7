//! BCF: clashes as coordinators exchange them, a ZIP archive of topics.
//!
//! The format is version 2.1 or 3.0 of the BIM Collaboration Format
//! (<https://github.com/buildingSMART/BCF-XML>, branches `release_2_1` and `release_3_0`).

mod archive;
mod extensions;
mod kept_errors;
mod markup;
mod version;
mod viewpoint;
mod xml;

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use glam::DVec3;
use uuid::Uuid;
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, StreamWriter, ZipWriter};

use crate::bcf::archive::{Archive, Earlier};
use crate::bcf::extensions::{EXTENSIONS, Extensions};
use crate::bcf::kept_errors::{KeptError, Silent};
use crate::bcf::markup::{Change, MARKUP};
pub use crate::bcf::version::BcfVersion;
use crate::clash::Kind;
use crate::error::Result;
use crate::output::{Unfinished, is_written_through, unwritable};
use crate::problem::problem;

/// The namespace of the identifiers of topics.
const NAMESPACE: Uuid = Uuid::from_u128(0x6f62_626c_6967_5a74_8f6f_6263_665f_7631);

/// The author of topics and of their changes.
const AUTHOR: &str = "obbligato";

/// The file that names the version of the format.
const VERSION_FILE: &str = "bcf.version";

/// A perspective camera, in meters, with z up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BcfCamera {
    /// Its position.
    pub position: DVec3,
    /// The unit direction in which it looks.
    pub direction: DVec3,
    /// The unit vector that is up in the picture, perpendicular to the direction.
    pub up: DVec3,
    /// The angle between the upper and lower border of the picture, in degrees: from 45 to 60.
    pub field_of_view: f64,
    /// The width of the picture over its height, which only version 3.0 has.
    pub aspect_ratio: f64,
}

impl BcfCamera {
    /// Returns a camera at a position that looks at a target. The angle is in degrees, and the size
    /// that of the picture in pixels. The direction must not be vertical.
    pub fn looking(position: DVec3, target: DVec3, field_of_view: f64, size: [u32; 2]) -> Self {
        let direction = (target - position).normalize();
        let right = direction.cross(DVec3::Z).normalize();
        Self {
            position,
            direction,
            up: right.cross(direction),
            field_of_view,
            aspect_ratio: f64::from(size[0]) / f64::from(size[1]),
        }
    }
}

/// Returns the priority of a clash of this kind, and of this depth in meters if it is known.
pub fn bcf_priority(kind: Kind, depth: Option<f64>) -> &'static str {
    match (depth, kind) {
        (Some(0.1..), _) => "Critical",
        (Some(0.01..), _) | (None, Kind::Overlap | Kind::Pierce | Kind::Contain | Kind::Duplicate) => "High",
        (Some(0.001..), _) => "Normal",
        _ => "Low",
    }
}

/// A topic of an archive: a clash, or a group of clashes.
#[derive(Clone, Debug, PartialEq)]
pub struct BcfTopic<'a> {
    /// The texts that identify it. The topic's GUID is computed from them, so the same texts always
    /// give the same topic.
    pub key: Vec<&'a str>,
    /// Its title.
    pub title: String,
    /// The kind of the clash, which is a label. That of an earlier run is replaced.
    pub kind: Kind,
    /// The name of the rule that decides about the clash, which is a label after `rule: `. That of
    /// an earlier run is replaced.
    pub rule: Option<&'a str>,
    /// Its priority.
    pub priority: &'static str,
    /// A description.
    pub description: String,
    /// The IFC GUIDs of its components. They are selected, and have the colour.
    pub components: Vec<&'a str>,
    /// The colour of the components, as red, green and blue.
    pub colour: [u8; 3],
    /// The view of its snapshot.
    pub camera: BcfCamera,
}

impl BcfTopic<'_> {
    /// Returns its GUID: a UUID of version 5.
    fn guid(&self) -> Uuid {
        // With their lengths, so that different texts never become the same.
        let key: String = self.key.iter().map(|text| format!("{}:{text}", text.len())).collect();
        Uuid::new_v5(&NAMESPACE, key.as_bytes())
    }
}

/// Returns the GUID of a topic's own viewpoint.
fn viewpoint_of(topic: Uuid) -> Uuid {
    Uuid::new_v5(&topic, b"viewpoint")
}

/// Returns `true` if a text is an IFC GUID: 22 digits to base 64, of which the first is below 4.
pub fn is_ifc_guid(text: &str) -> bool {
    let digit = |letter: u8| letter.is_ascii_alphanumeric() || letter == b'_' || letter == b'$';
    text.len() == 22 && text.bytes().all(digit) && matches!(text.as_bytes()[0], b'0'..=b'3')
}

/// The numbers of topics of an archive that was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BcfCounts {
    /// Topics that an earlier archive does not have.
    pub new: u64,
    /// Topics that differ from those of the earlier archive.
    pub changed: u64,
    /// Topics that are copied from the earlier archive as they are.
    pub unchanged: u64,
    /// Topics of the earlier archive whose clash is gone, so that they are closed now.
    pub closed: u64,
}

/// A BCF archive that is being written.
///
/// If the path has an archive already, it is updated: topics are found by their GUIDs, and what
/// people added to them stays (comments, assignments, other viewpoints, their own topics). A topic
/// that is the same as before is copied byte by byte. Topics of an earlier run that are not written
/// again get the status `Closed`, and `Open` if they come back.
pub struct BcfFile {
    path: PathBuf,
    out: ZipWriter<StreamWriter<Silent>>,
    error: KeptError,
    earlier: Option<Archive>,
    version: BcfVersion,
    extensions: Extensions,
    date: String,
    written: HashSet<Uuid>,
    counts: BcfCounts,
}

impl std::fmt::Debug for BcfFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BcfFile")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl BcfFile {
    /// Begins an archive. `date` is that of changes, such as `2026-01-31T12:00:00Z`. Without a
    /// version it is that of the existing archive, else 2.1.
    ///
    /// # Errors [`Error::File`](crate::Error::File) if the extension is neither `.bcf` nor
    /// `.bcfzip`, if a file exists that is not a BCF archive of version 2 or 3, or has a version
    /// other than the one given, or if the path cannot be written.
    pub fn begin(path: &Path, date: String, version: Option<BcfVersion>) -> Result<Self> {
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        let is_named = ["bcf", "bcfzip"].iter().any(|name| extension == *name);
        if !is_named && !is_written_through(path) {
            return Err(problem(path, "has an unknown extension: name it .bcf or .bcfzip"));
        }
        let earlier = Archive::open(path)?;
        let there = earlier.as_ref().map(|archive| archive.version);
        if let (Some(there), Some(wanted)) = (there, version)
            && there != wanted
        {
            let (there, wanted) = (there.name(), wanted.name());
            let other = format!("is a BCF archive of version {there}, not {wanted}: give another name, or no version");
            return Err(problem(path, other));
        }
        let version = there.or(version).unwrap_or_default();
        let error = KeptError::default();
        let silent = Silent {
            file: Unfinished::begin(path)?,
            error: error.clone(),
        };
        let mut file = Self {
            path: path.to_owned(),
            out: ZipWriter::new_stream(silent),
            error,
            earlier,
            version,
            extensions: Extensions::new(),
            date,
            written: HashSet::new(),
            counts: BcfCounts::default(),
        };
        if file.earlier.is_none() {
            file.add(VERSION_FILE, CompressionMethod::Deflated, version.file().as_bytes())?;
        }
        Ok(file)
    }

    /// Writes a topic. `snapshot` draws it as PNG, and is called only if the topic is new or
    /// changed.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File) if the archive cannot be written, if that of an earlier
    /// run is damaged, or if a topic of the same key was written; that of `snapshot`.
    pub fn topic<E: From<crate::Error>>(
        &mut self,
        topic: &BcfTopic<'_>,
        snapshot: impl FnOnce() -> std::result::Result<Vec<u8>, E>,
    ) -> std::result::Result<(), E> {
        let guid = topic.guid();
        if !self.written.insert(guid) {
            let twice = format!("would have the topic {guid} twice: write the clashes of one key as one topic");
            return Err(problem(&self.path, twice).into());
        }
        self.extensions.add(topic);
        let viewpoint = viewpoint::text(viewpoint_of(guid), topic, self.version);
        match self.earlier.as_mut().and_then(|archive| archive.take(guid)) {
            Some(earlier) => self.update(topic, &earlier, &viewpoint, snapshot),
            None => {
                self.counts.new += 1;
                let markup = markup::text(guid, topic, self.version, &self.date);
                self.write(
                    &guid.to_string(),
                    &markup,
                    [viewpoint::FILE, viewpoint::SNAPSHOT],
                    (&viewpoint, &snapshot()?),
                )?;
                Ok(())
            }
        }
    }

    fn update<E: From<crate::Error>>(
        &mut self,
        topic: &BcfTopic<'_>,
        earlier: &Earlier,
        viewpoint: &str,
        snapshot: impl FnOnce() -> std::result::Result<Vec<u8>, E>,
    ) -> std::result::Result<(), E> {
        let damaged = |reason: String| problem(&self.path, format!("{}/{MARKUP} {reason}", earlier.folder));
        let names = markup::files(&earlier.markup, viewpoint_of(topic.guid())).map_err(damaged)?;
        let looks_the_same = match (&names, &mut self.earlier) {
            (Some([view, _]), Some(archive)) => {
                archive.text(&format!("{}/{view}", earlier.folder))?.as_deref() == Some(viewpoint)
            }
            _ => false,
        };
        let change = Change::Found(topic, !looks_the_same);
        let changed =
            markup::update(&earlier.markup, topic.guid(), change, self.version, &self.date).map_err(damaged)?;
        let Some(markup) = changed else {
            self.counts.unchanged += 1;
            return Ok(self.copy(&earlier.folder, &[])?);
        };
        self.counts.changed += 1;
        let names = names.unwrap_or([viewpoint::FILE, viewpoint::SNAPSHOT].map(str::to_owned));
        let [view, picture] = names.each_ref().map(String::as_str);
        self.write(&earlier.folder, &markup, [view, picture], (viewpoint, &snapshot()?))?;
        Ok(self.copy(&earlier.folder, &[MARKUP, view, picture])?)
    }

    /// Writes the files of a topic.
    fn write(
        &mut self,
        folder: &str,
        markup: &str,
        [view, picture]: [&str; 2],
        (viewpoint, png): (&str, &[u8]),
    ) -> Result<()> {
        self.add(
            &format!("{folder}/{MARKUP}"),
            CompressionMethod::Deflated,
            markup.as_bytes(),
        )?;
        self.add(
            &format!("{folder}/{view}"),
            CompressionMethod::Deflated,
            viewpoint.as_bytes(),
        )?;
        self.add(&format!("{folder}/{picture}"), CompressionMethod::Stored, png)
    }

    fn add(&mut self, name: &str, method: CompressionMethod, bytes: &[u8]) -> Result<()> {
        // Entries without a time, so that the same topics give the same archive.
        let options = SimpleFileOptions::DEFAULT.compression_method(method);
        let begun = self.out.start_file(name, options).map_err(io::Error::from);
        let written = begun.and_then(|()| self.out.write_all(bytes));
        let written = written.and_then(|()| self.error.take());
        written.map_err(|error| unwritable(&self.path, &error))
    }

    /// Copies the files of a folder of the earlier archive as they are, except some.
    fn copy(&mut self, folder: &str, except: &[&str]) -> Result<()> {
        let Some(archive) = &mut self.earlier else {
            return Ok(());
        };
        for index in archive.files_of(folder, except) {
            let file = archive.raw(index)?;
            let copied = self.out.raw_copy_file(file).map_err(io::Error::from);
            let copied = copied.and_then(|()| self.error.take());
            copied.map_err(|error| unwritable(&self.path, &error))?;
        }
        Ok(())
    }

    /// Writes the rest of the earlier archive, and gives the file its name.
    ///
    /// # Errors
    /// As [`BcfFile::topic`].
    pub fn finish(mut self) -> Result<BcfCounts> {
        let rest = self.earlier.as_mut().map(Archive::rest).unwrap_or_default();
        for (guid, earlier) in rest {
            let damaged = |reason: String| problem(&self.path, format!("{}/{MARKUP} {reason}", earlier.folder));
            match markup::update(&earlier.markup, guid, Change::Gone, self.version, &self.date).map_err(damaged)? {
                None => self.copy(&earlier.folder, &[])?,
                Some(markup) => {
                    self.counts.closed += 1;
                    self.add(
                        &format!("{}/{MARKUP}", earlier.folder),
                        CompressionMethod::Deflated,
                        markup.as_bytes(),
                    )?;
                    self.copy(&earlier.folder, &[MARKUP])?;
                }
            }
        }
        self.copy_others()?;
        let finished = self.out.finish().map_err(io::Error::from);
        let finished = finished.and_then(|out| self.error.take().map(|()| out));
        let out = finished.map_err(|error| unwritable(&self.path, &error))?;
        out.into_inner().file.finish()?.commit()?;
        Ok(self.counts)
    }

    /// Writes the files that belong to no topic: those of the earlier archive, and the extensions.
    fn copy_others(&mut self) -> Result<()> {
        let mut except: &[&str] = &[];
        if self.version == BcfVersion::V3_0 {
            let earlier = self
                .earlier
                .as_mut()
                .map(|archive| archive.text(EXTENSIONS))
                .transpose()?;
            let updated = self.extensions.update(earlier.flatten().as_deref());
            let damaged = |reason: String| problem(&self.path, format!("{EXTENSIONS} {reason}"));
            if let Some(text) = updated.map_err(damaged)? {
                self.add(EXTENSIONS, CompressionMethod::Deflated, text.as_bytes())?;
                except = &[EXTENSIONS];
            }
        }
        let folders = self.earlier.as_ref().map(Archive::other_folders).unwrap_or_default();
        folders.iter().try_for_each(|folder| match &**folder {
            "" => self.copy(folder, except),
            _ => self.copy(folder, &[]),
        })
    }
}
