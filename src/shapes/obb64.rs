//! Oriented boxes with centers in `f64`.

pub(crate) mod around;
pub(crate) mod record;
