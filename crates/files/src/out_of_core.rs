//! Checks scenes larger than memory from disk.
//!
//! The boxes of a file are scattered into [tiles](obbligato::tiles) on disk, which are then checked
//! one by one while the next one is read. This is the plan of MapReduce (Dean and Ghemawat, 2004)
//! on one machine: a *part* holds what some rows of the file contribute to all tiles, and is
//! written at once; a tile gathers its boxes from all parts. A list names the complete parts and
//! tiles, with their counts and checksums. They are on disk before they are listed, and are
//! compared with the list whenever they are read. Interrupted work therefore continues where it
//! stopped, whatever the cause. Damage is an error or is repaired by repeating the work. The
//! results do not depend on interruptions.
//!
//! ```no_run
//! use obbligato_files::out_of_core::{OutOfCore, check};
//! use obbligato::Config;
//! # fn main() -> obbligato_files::Result<()> {
//! let options = OutOfCore { memory: 4 << 30, ..OutOfCore::in_folder("city.work") };
//! let checked = check("city.npy".as_ref(), &Config::default(), &options, &mut |_| {})?;
//! println!("{} pairs", checked.totals.colliding_pairs);
//! checked.remove()?;
//! # Ok(())
//! # }
//! ```

mod check;
mod fault;
mod folder;
mod gather;
mod ids;
mod list;
mod options;
mod part;
mod pieces;
mod plan;
mod runs;
mod scatter;
mod totals;

pub use crate::out_of_core::check::{Checked, check};
pub use crate::out_of_core::options::{OutOfCore, Step};
pub use crate::out_of_core::totals::Totals;
