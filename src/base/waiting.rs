//! How a call waits.

/// How a call waits for a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// The calling thread sleeps.
    Blocking,
    /// A thread of its own sleeps, and the future wakes up when it is done.
    Background,
}
