//! Batches of boxes from a file.

use crate::error::Result;
use obbligato::Obb;

/// The boxes of consecutive rows.
#[derive(Default)]
pub(crate) struct BoxRows {
    /// The number of the first row.
    pub first: u64,
    pub boxes: Vec<Obb>,
    /// An id for each box, or empty if the row is the box's id.
    pub ids: Vec<u32>,
}

/// A callback for each batch of rows.
pub(crate) type EachBatch<'f> = &'f mut dyn FnMut(&BoxRows) -> Result<()>;
