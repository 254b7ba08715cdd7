//! Scenes that are larger than memory, checked from disk.
//!
//! The boxes of a file are scattered into [tiles](obbligato::tiles) on disk, which are then checked one by one while the next one is read.
//! It is the plan of MapReduce (Dean and Ghemawat, 2004) on one machine: a *part* is what some rows of the file give to all tiles, and
//! is written at once; a tile gathers its boxes from all parts. A list says which parts and tiles are complete, with their
//! counts and checksums: they are on disk before the list says so, and are compared with it whenever they are read. So work
//! that was interrupted, by whatever, goes on where it stopped, what is damaged is an error or is done again, and what is
//! found does not depend on it.
//!
//! ```no_run
//! use obbligato_files::out_of_core::{OutOfCore, check};
//! use obbligato::Config;
//! # fn main() -> obbligato::Result<()> {
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
