//! Waiting for a device.

/// The way a call waits for a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// The calling thread sleeps.
    Blocking,
    /// A background thread sleeps and wakes the future when the device is done.
    Background,
}
