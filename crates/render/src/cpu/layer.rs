//! Things that are drawn together.

use crate::records::{Facet, Solid};

/// The side of a tile in pixels.
pub(super) const TILE: u32 = 64;

/// Things that are compared with one another by depth.
#[derive(Clone, Copy)]
pub(super) struct Layer<'a> {
    pub solids: &'a [Solid],
    pub facets: &'a [Facet],
}
