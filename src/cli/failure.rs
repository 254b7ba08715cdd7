//! How a command ends when it does not end well: one line on stderr and an exit code.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use obbligato::Error;

/// Why a command stopped.
#[derive(Debug)]
pub enum Failure {
    /// The library refused the input, or the machine failed it.
    Library(Error),
    /// The arguments, or a file that the program itself reads or writes.
    Input(String),
    /// Two answers that should be the same differ.
    Difference(String),
    /// Nobody reads stdout any more, as with `obbligato ... | head`. Not a fault of anyone.
    ClosedPipe,
    /// Help or version was asked for, and has been printed.
    Shown,
}

impl Failure {
    /// Prints the one line, if there is something to say, and gives the exit code.
    pub fn report(self) -> ExitCode {
        let code = self.code();
        if let Some(message) = self.message() {
            say(&message);
        }
        ExitCode::from(code)
    }

    /// 1 a difference, 2 bad usage or input, 3 the machine: its GPU, its driver or its memory.
    fn code(&self) -> u8 {
        match self {
            Self::Shown | Self::ClosedPipe => 0,
            Self::Difference(_) => 1,
            Self::Input(_) => 2,
            Self::Library(error) => match error {
                Error::NoAdapter { .. }
                | Error::Device { .. }
                | Error::DeviceLost { .. }
                | Error::OutOfDeviceMemory { .. }
                | Error::OutOfMemory { .. }
                | Error::LimitExceeded { .. }
                | Error::Timeout { .. }
                | Error::Gpu { .. } => 3,
                _ => 2,
            },
        }
    }

    fn message(self) -> Option<String> {
        match self {
            Self::Library(error) => Some(error.to_string()),
            Self::Input(message) | Self::Difference(message) => Some(message),
            Self::ClosedPipe | Self::Shown => None,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

/// A remark on stderr that is not an error.
pub fn note(text: &str) {
    say(&format!("note: {text}"));
}

/// One line on stderr. Control characters, which a file name may contain, are escaped. A closed stderr is ignored.
fn say(text: &str) {
    let mut line = String::from("obbligato: ");
    for character in text.trim_end().chars() {
        if character.is_control() {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    let _ = writeln!(io::stderr().lock(), "{line}");
}
