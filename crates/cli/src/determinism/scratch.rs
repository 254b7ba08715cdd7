//! A folder for the files of this process, removed when it ends.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use crate::failure::Failure;

/// The folder in use, if any.
static FOLDER: Mutex<Option<PathBuf>> = Mutex::new(None);

/// The folder. It is removed when dropped, and by [`abandon`].
pub struct Scratch(PathBuf);

impl Scratch {
    /// Creates a folder among the temporary files of the system.
    pub fn new() -> Result<Self, Failure> {
        let path = std::env::temp_dir().join(format!("obbligato-determinism-{}", std::process::id()));
        // A process of the same number may have been killed.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).map_err(|error| problem(&path, "cannot be created", &error))?;
        *FOLDER.lock().unwrap_or_else(PoisonError::into_inner) = Some(path.clone());
        Ok(Self(path))
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        abandon();
    }
}

/// Removes the folder of this process, if it has one.
pub fn abandon() {
    if let Some(path) = FOLDER.lock().unwrap_or_else(PoisonError::into_inner).take() {
        // What cannot be removed stays among the temporary files of the system.
        let _ = fs::remove_dir_all(path);
    }
}

/// Returns the failure to use a file or folder.
pub fn problem(path: &Path, what: &str, error: &std::io::Error) -> Failure {
    Failure::Input(format!(
        "{}: {what}: {error}: free some space, or choose another folder",
        path.display()
    ))
}
