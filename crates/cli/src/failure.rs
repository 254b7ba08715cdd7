//! The failure of a command: one line on stderr and an exit code.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use obbligato::Error;
use obbligato_files as files;
use obbligato_render as render;
use obbligato_support::{excerpt::visible, memory::OutOfMemory};

use super::quiet::is_quiet;

/// The exit code if the machine failed: its GPU, driver or memory.
pub const MACHINE_FAILED: u8 = 3;

/// The reason why a command stopped.
#[derive(Debug)]
pub enum Failure {
    /// The library rejected the input, or the machine failed.
    Library(Error),
    /// Bad arguments, or a file that the program itself reads or writes.
    Input(String),
    /// Two results differ that should agree.
    Difference(String),
    /// A part of the work failed with this exit code.
    Part(u8, String),
    /// The reader of stdout closed it, as with `obbligato ... | head`. Not an error.
    ClosedPipe,
    /// Help or version was requested and has been printed.
    Shown,
}

impl Failure {
    /// Prints the message, if any, and returns the exit code.
    pub fn report(self) -> ExitCode {
        let code = self.code();
        if let Some(message) = self.message() {
            say(&message);
        }
        ExitCode::from(code)
    }

    /// Returns 1 for a difference, 2 for bad usage or input, 3 for the machine: its GPU, driver or
    /// memory.
    fn code(&self) -> u8 {
        match self {
            Self::Shown | Self::ClosedPipe => 0,
            Self::Difference(_) => 1,
            Self::Input(_) => 2,
            Self::Part(code, _) => *code,
            Self::Library(error) => match error {
                Error::NoAdapter { .. }
                | Error::Device { .. }
                | Error::DeviceLost { .. }
                | Error::OutOfDeviceMemory { .. }
                | Error::OutOfMemory { .. }
                | Error::LimitExceeded { .. }
                | Error::Timeout { .. }
                | Error::Gpu { .. } => MACHINE_FAILED,
                _ => 2,
            },
        }
    }

    /// Returns the failure with the place where it happened before its message.
    pub fn at(self, place: &str) -> Self {
        let code = self.code();
        match self.message() {
            Some(message) => Self::Part(code, format!("{place}: {message}")),
            None => Self::Shown,
        }
    }

    fn message(self) -> Option<String> {
        match self {
            Self::Library(error) => Some(error.to_string()),
            Self::Input(message) | Self::Difference(message) | Self::Part(_, message) => Some(message),
            Self::ClosedPipe | Self::Shown => None,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

impl From<files::Error> for Failure {
    fn from(error: files::Error) -> Self {
        match error {
            files::Error::ClosedPipe { .. } => Self::ClosedPipe,
            files::Error::Engine(error) => Self::Library(error),
            error => Self::Input(error.to_string()),
        }
    }
}

impl From<render::Error> for Failure {
    fn from(error: render::Error) -> Self {
        match error {
            render::Error::Engine(error) => Self::Library(error),
            error => Self::Input(error.to_string()),
        }
    }
}

impl From<OutOfMemory> for Failure {
    fn from(refused: OutOfMemory) -> Self {
        Self::Library(refused.into())
    }
}

/// Prints a note on stderr that is not an error, unless asked to be quiet.
pub fn note(text: &str) {
    if !is_quiet() {
        say(&format!("note: {text}"));
    }
}

/// Prints one line on stderr, whatever characters a name in it contains. Ignores a closed stderr.
fn say(text: &str) {
    let line = visible(text.trim_end()).replace('\n', "\\n");
    let _ = writeln!(io::stderr().lock(), "obbligato: {line}");
}
