//! Compiled shaders stored in a file, so that the next start of a program need not compile them
//! again.
//!
//! wgpu's data has a header that identifies its adapter and driver, but nothing that reveals
//! damage, and drivers trust their input. The file therefore begins with a signature and a checksum
//! of this crate, over the adapter and the data. A file without the signature is not a cache, and
//! is left alone: its name may be a mistake. A cache that is damaged, or belongs to another
//! adapter, is unusable and is replaced.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use crate::base::engine::Engine;

/// The signature at the beginning of a cache file. The digit is the version of the format.
const SIGNATURE: [u8; 8] = *b"obbpipe1";

/// A pipeline cache and its file.
pub(crate) struct PipelineCache {
    pub inner: wgpu::PipelineCache,
    path: PathBuf,
    /// The checksum of the file's contents, if they are usable.
    stored: Option<u64>,
}

impl PipelineCache {
    /// Opens the cache in the file at `path`, or an empty one if there is nothing usable. An error
    /// is a sentence for the user.
    pub fn open(device: &wgpu::Device, engine: &Engine, path: &Path) -> Result<Self, String> {
        if !device.features().contains(wgpu::Features::PIPELINE_CACHE) {
            return Err(Self::problem(path, &"the device supports none"));
        }
        let data = read(path, engine).map_err(|error| Self::problem(path, &error))?;
        Ok(Self {
            inner: create(device, data.as_deref()),
            path: path.to_owned(),
            stored: data.map(|data| checksum(engine, &data)),
        })
    }

    /// Formats the reason for the lack of a cache, as a sentence for the user.
    pub fn problem(path: &Path, why: &dyn std::fmt::Display) -> String {
        format!("cannot open the pipeline cache {}: {why}", path.display())
    }

    /// Writes the file if there is something new. An error is a sentence for the user.
    pub fn save(&mut self, engine: &Engine) -> Result<(), String> {
        let Some(data) = self.inner.get_data() else {
            return Ok(());
        };
        let checksum = checksum(engine, &data);
        if self.stored != Some(checksum) {
            write(&self.path, checksum, &data)
                .map_err(|error| format!("cannot write the pipeline cache {}: {error}", self.path.display()))?;
            self.stored = Some(checksum);
        }
        Ok(())
    }
}

#[allow(unsafe_code)]
fn create(device: &wgpu::Device, data: Option<&[u8]>) -> wgpu::PipelineCache {
    let descriptor = wgpu::PipelineCacheDescriptor {
        label: Some("obbligato"),
        data,
        fallback: true,
    };
    // SAFETY: the data must have been returned by `get_data` before. Only `save` writes files with
    // this signature, and the checksum shows that this one has not changed since. No program can
    // protect itself against a forged file, as the documentation of `GpuConfig::pipeline_cache`
    // warns.
    unsafe { device.create_pipeline_cache(&descriptor) }
}

/// Reads the data of a cache file; `None` if there is no file or none usable on this adapter.
fn read(path: &Path, engine: &Engine) -> io::Result<Option<Vec<u8>>> {
    // Opening a pipe may block forever.
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::other("it is not a file on disk: choose another"));
    }
    let mut file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let mut signature = Vec::new();
    (&mut file).take(SIGNATURE.len() as u64).read_to_end(&mut signature)?;
    if signature.is_empty() {
        return Ok(None);
    }
    if signature != SIGNATURE {
        return Err(io::Error::other("the file is not a pipeline cache: choose another"));
    }
    let mut content = Vec::new();
    file.read_to_end(&mut content)?;
    Ok(content
        .split_first_chunk()
        .filter(|(sum, data)| u64::from_le_bytes(**sum) == checksum(engine, data))
        .map(|(_, data)| data.to_vec()))
}

/// Writes a cache file under another name first, so that no reader sees a partial file.
fn write(path: &Path, checksum: u64, data: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}.tmp", std::process::id()));
    let written = File::create(&temporary)
        .and_then(|mut file| {
            file.write_all(&SIGNATURE)?;
            file.write_all(&checksum.to_le_bytes())?;
            file.write_all(data)?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // Only the first error is reported.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Returns a checksum of the data and of its adapter.
fn checksum(engine: &Engine, data: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{engine:?}").hash(&mut hasher);
    data.hash(&mut hasher);
    hasher.finish()
}
