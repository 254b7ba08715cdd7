//! The error type of files.

use obbligato_support::excerpt::{excerpt, visible};
use obbligato_support::memory::OutOfMemory;

/// Every way that reading and writing files can fail.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read, parsed or written.
    #[error("{}: {}", one_line(&excerpt(.path)), one_line(.problem))]
    File {
        /// The file, or "stdin" or "stdout".
        path: String,
        /// The problem, its place in the file, the number of bad rows, and what to do.
        problem: String,
    },
    /// A table lacks a column that [`ReadOptions::columns`](crate::ReadOptions::columns) names.
    #[error("{}: {}", one_line(&excerpt(.path)), one_line(.problem))]
    NoColumn {
        /// The file, or "stdin".
        path: String,
        /// The name of the column.
        name: String,
        /// The problem, and the names of the columns that the table has.
        problem: String,
    },
    /// The reader of stdout closed it, as with `... | head`. The output is incomplete.
    #[error("{path}: its reader has closed it: write to a file")]
    ClosedPipe {
        /// "stdout".
        path: String,
    },
    /// The engine rejected the contents of the file, or memory ran out.
    #[error(transparent)]
    Engine(#[from] obbligato::Error),
}

/// Returns a text in one line, whatever a file and its name contain.
fn one_line(text: &str) -> String {
    visible(text).replace('\n', "\\n")
}

impl From<OutOfMemory> for Error {
    fn from(refused: OutOfMemory) -> Self {
        Self::Engine(refused.into())
    }
}

/// The result of reading or writing files.
pub type Result<T, E = Error> = std::result::Result<T, E>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_their_messages() {
        let text = str::to_owned;
        let file = Error::File {
            path: text("boxes.csv"),
            problem: text("line 2 has no number in column cx"),
        };
        assert_eq!(file.to_string(), "boxes.csv: line 2 has no number in column cx");
        let foreign = Error::File {
            path: text("a\n.npy"),
            problem: text("has \u{1b}[2J\nfor fortran_order"),
        };
        assert_eq!(foreign.to_string(), "a\\n.npy: has \\u{1b}[2J\\nfor fortran_order");
        let closed = Error::ClosedPipe { path: text("stdout") };
        assert_eq!(closed.to_string(), "stdout: its reader has closed it: write to a file");
        let engine = Error::from(obbligato::Error::Stopped);
        assert_eq!(engine.to_string(), obbligato::Error::Stopped.to_string());
    }
}
