//! Which pairs may be found, whatever their boxes do.

pub(crate) mod filter;
#[cfg(feature = "gpu")]
pub(crate) mod list;
pub(crate) mod model;
