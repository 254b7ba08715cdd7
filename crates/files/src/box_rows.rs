//! Boxes of a file, some rows at a time.

use crate::error::Result;
use obbligato::Obb;

/// The boxes of some rows, one after the other.
#[derive(Default)]
pub(crate) struct BoxRows {
    /// The number of the first row.
    pub first: u64,
    pub boxes: Vec<Obb>,
    /// An id for each, or nothing: then the row is a box's id.
    pub ids: Vec<u32>,
}

/// What is done with some rows.
pub(crate) type EachBatch<'f> = &'f mut dyn FnMut(&BoxRows) -> Result<()>;
