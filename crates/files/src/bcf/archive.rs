//! The archive of an earlier run.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use uuid::Uuid;
use zip::ZipArchive;
use zip::read::ZipFile;

use crate::bcf::markup::{self, MARKUP};
use crate::bcf::{BcfVersion, VERSION_FILE};
use crate::error::Result;
use crate::problem::{problem, unreadable};

/// The most bytes of a file of XML: far more than people write, and little enough to be read.
const MOST_BYTES: u64 = 64 << 20;

/// The most bytes that each byte of an archive may unpack to, of all files that are read: XML packs
/// to a tenth or twentieth, and an archive that unpacks to more is made to fill memory.
const MOST_TIMES: u64 = 200;

/// A topic of an earlier run.
pub struct Earlier {
    /// The name of its folder.
    pub folder: String,
    pub markup: String,
}

/// An archive that is read.
pub struct Archive {
    path: PathBuf,
    pub version: BcfVersion,
    zip: ZipArchive<BufReader<File>>,
    /// The number of bytes that may still be unpacked.
    room: u64,
    /// The topics that are left.
    topics: BTreeMap<Uuid, Earlier>,
    /// The indices of the files in each folder; that of files in none has no name.
    folders: BTreeMap<String, Vec<usize>>,
    /// The folders of topics.
    of_topics: HashSet<String>,
}

impl Archive {
    /// Opens the archive at a path, if there is one.
    pub fn open(path: &Path) -> Result<Option<Self>> {
        let length = std::fs::metadata(path).map_or(0, |found| if found.is_file() { found.len() } else { 0 });
        if length == 0 || crate::output::is_written_through(path) {
            return Ok(None);
        }
        let no_archive = "exists and is not a BCF archive: give another name, or remove it";
        let file = File::open(path).map_err(|error| unreadable(path, &error))?;
        let zip = ZipArchive::new(BufReader::new(file)).map_err(|_| problem(path, no_archive))?;
        let mut archive = Self {
            path: path.to_owned(),
            version: BcfVersion::default(),
            zip,
            room: (MOST_TIMES * length).max(1 << 20),
            topics: BTreeMap::new(),
            folders: BTreeMap::new(),
            of_topics: HashSet::new(),
        };
        let version = archive.text(VERSION_FILE)?.ok_or_else(|| problem(path, no_archive))?;
        archive.version = BcfVersion::of(&version).ok_or_else(|| {
            problem(
                path,
                "is a BCF archive of a version other than 2.0, 2.1 and 3.0: give another name, or convert it",
            )
        })?;
        archive.read_topics()?;
        Ok(Some(archive))
    }

    fn read_topics(&mut self) -> Result<()> {
        for index in 0..self.zip.len() {
            let name = self.name(index)?;
            let (folder, file) = name.rsplit_once('/').unwrap_or(("", &name));
            self.folders.entry(folder.to_owned()).or_default().push(index);
            if file != MARKUP {
                continue;
            }
            let markup = self.text(&name)?.unwrap_or_default();
            let guid = markup::guid(&markup).map_err(|reason| problem(&self.path, format!("{name} {reason}")))?;
            if let Some(guid) = guid {
                let folder = folder.to_owned();
                self.of_topics.insert(folder.clone());
                self.topics.insert(guid, Earlier { folder, markup });
            }
        }
        Ok(())
    }

    /// Returns a file of XML, without a byte order mark, or `None` if there is none of that name.
    pub fn text(&mut self, name: &str) -> Result<Option<String>> {
        let Some(index) = self.zip.index_for_name(name) else {
            return Ok(None);
        };
        let damaged = |reason: String| problem(&self.path, format!("{name} {reason}"));
        let file = self
            .zip
            .by_index(index)
            .map_err(|error| damaged(format!("cannot be read ({error}): repair the archive")))?;
        let most = MOST_BYTES.min(self.room);
        let (mut text, mut file) = (String::new(), file.take(most + 1));
        let read = file.read_to_string(&mut text);
        read.map_err(|error| damaged(format!("cannot be read ({error}): repair the archive")))?;
        if text.len() as u64 > most {
            return Err(damaged(match most {
                MOST_BYTES => format!("is longer than {MOST_BYTES} bytes: remove the topic"),
                _ => format!("makes the archive unpack to more than {MOST_TIMES} times its size: give another name"),
            }));
        }
        self.room -= text.len() as u64;
        if text.starts_with('\u{feff}') {
            text.drain(..'\u{feff}'.len_utf8());
        }
        Ok(Some(text))
    }

    /// Removes a topic and returns it.
    pub fn take(&mut self, guid: Uuid) -> Option<Earlier> {
        self.topics.remove(&guid)
    }

    /// Returns the topics that are left.
    pub fn rest(&mut self) -> Vec<(Uuid, Earlier)> {
        std::mem::take(&mut self.topics).into_iter().collect()
    }

    /// Returns the files in a folder, except those of some names.
    pub fn files_of(&self, folder: &str, except: &[&str]) -> Vec<usize> {
        let is_excepted = |index: usize| {
            let name = self.zip.name_for_index(index).and_then(std::result::Result::ok);
            name.is_some_and(|name| except.contains(&name.rsplit('/').next().unwrap_or_default()))
        };
        let all = self.folders.get(folder).into_iter().flatten().copied();
        all.filter(|&index| !is_excepted(index)).collect()
    }

    /// Returns the folders that are not those of topics.
    pub fn other_folders(&self) -> Vec<String> {
        let folders = self.folders.keys().filter(|folder| !self.of_topics.contains(*folder));
        folders.cloned().collect()
    }

    fn name(&mut self, index: usize) -> Result<String> {
        let name = self.raw(index)?.name().map(std::borrow::Cow::into_owned);
        name.map_err(|error| {
            problem(
                &self.path,
                format!("has a file without a name ({error}): repair the archive"),
            )
        })
    }

    /// Returns a file as it is stored.
    pub fn raw(&mut self, index: usize) -> Result<ZipFile<'_, BufReader<File>>> {
        let damaged = |error| problem(&self.path, format!("cannot be read ({error}): repair the archive"));
        self.zip.by_index_raw(index).map_err(damaged)
    }
}
