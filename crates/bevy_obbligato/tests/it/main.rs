//! The plugin in apps without a window, compared with Parry, with exact arithmetic and with what
//! Bevy's conventions lead to expect.

mod colliders;
#[cfg(feature = "gpu")]
mod device;
mod lifetimes;
mod messages;
mod queries;
mod support;
mod sweeps;
