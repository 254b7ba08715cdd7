//! Rules that restrict the pairs that may be found, independent of geometry.

pub(crate) mod filter;
mod joined;
pub(crate) mod joint;
pub(crate) mod kinds;
pub(crate) mod layers;
#[cfg(feature = "gpu")]
pub(crate) mod list;
pub(crate) mod model;
