//! Reports as pages for a browser: each is one file, and a browser that shows it fetches nothing.

pub mod bars;
pub mod page;
pub mod pictures;
pub mod table;
