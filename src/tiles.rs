//! Scenes cut into tiles, which are checked one by one, or each on its own machine.
//!
//! A [`Tiling`] is made from a sample of a scene and assigns boxes to [`Tile`]s; boxes on borders
//! go to several. [`TileQuery`](crate::query::TileQuery) finds the pairs that a tile
//! owns. Over all tiles these are the pairs of the scene, each once, for any tiling. Tiles can
//! therefore be checked in any order, on any machine, and again after a failure.

pub(crate) mod tile;
pub(crate) mod tiling;

pub use crate::tiles::tile::Tile;
pub use crate::tiles::tiling::Tiling;
