//! Scenes cut into tiles, which are checked one by one, or each on a machine of its own.
//!
//! A [`Tiling`] is made of a sample of a scene and says which boxes go to which [`Tile`]; boxes on borders go to several.
//! [`Checker::check_tile`](crate::Checker::check_tile) finds the pairs that a tile owns. Over all tiles these are the pairs of the
//! scene, each once, whatever the tiles are: so tiles can be checked in any order, on any machine, and again where one failed.

pub(crate) mod tile;
pub(crate) mod tiling;

pub use crate::tiles::tile::Tile;
pub use crate::tiles::tiling::Tiling;
