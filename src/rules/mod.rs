//! Which pairs may be found, whatever their boxes do.

pub(crate) mod filter;
pub(crate) mod kinds;
pub(crate) mod layers;
#[cfg(feature = "gpu")]
pub(crate) mod list;
pub(crate) mod model;
