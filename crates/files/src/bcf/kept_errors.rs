//! A file whose errors are kept apart from its writer. `ZipWriter` writes the end of an archive
//! when it is dropped, after an error too, and prints to stderr what fails then.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use crate::output::Unfinished;

/// The first error of a file that nobody has taken yet.
#[derive(Clone, Default)]
pub struct KeptError(Arc<Mutex<Option<io::Error>>>);

impl KeptError {
    /// Takes the error.
    ///
    /// # Errors
    /// The error of the file, if there is one.
    pub fn take(&self) -> io::Result<()> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
            .map_or(Ok(()), Err)
    }

    fn keep(&self, outcome: io::Result<()>) {
        if let Err(error) = outcome {
            self.0
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get_or_insert(error);
        }
    }
}

/// The file. For its writer, all calls succeed.
pub struct Silent {
    pub file: Unfinished,
    pub error: KeptError,
}

impl Write for Silent {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let outcome = self.file.write_all(bytes);
        self.error.keep(outcome);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let outcome = self.file.flush();
        self.error.keep(outcome);
        Ok(())
    }
}
