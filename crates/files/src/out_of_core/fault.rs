//! Errors about the files of the work.

use std::io;
use std::path::Path;

use crate::error::Error;
use crate::problem::problem;
use obbligato_support::excerpt::excerpt;

/// Returns an error for a file or folder of the work that cannot be read or written.
pub(super) fn unusable(path: &Path, error: &io::Error) -> Error {
    problem(
        path,
        format!(
            "cannot be used for work ({}): check the folder, its permissions and the free space",
            excerpt(&error.to_string())
        ),
    )
}

/// Returns an error for a file that no longer holds what was written. The next check examines all
/// files before using them.
pub(super) fn damaged(path: &Path) -> Error {
    problem(
        path,
        "is damaged: run the check again, which replaces damaged files of its work",
    )
}
