//! The error type of files.

use obbligato_support::{excerpt::excerpt, memory::OutOfMemory};

/// Every way that reading and writing files can fail.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read, parsed or written.
    #[error("{}: {problem}", excerpt(.path))]
    File {
        /// The file, or "stdin" or "stdout".
        path: String,
        /// The problem, its place in the file, the number of bad rows, and what to do.
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
        let closed = Error::ClosedPipe { path: text("stdout") };
        assert_eq!(closed.to_string(), "stdout: its reader has closed it: write to a file");
        let engine = Error::from(obbligato::Error::Stopped);
        assert_eq!(engine.to_string(), obbligato::Error::Stopped.to_string());
    }
}
