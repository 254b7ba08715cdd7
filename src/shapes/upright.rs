//! Upright cuboids.

pub(crate) mod corners;
pub(crate) mod record;
#[cfg(feature = "serde")]
mod written;
