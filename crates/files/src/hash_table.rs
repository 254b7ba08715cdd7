//! Hash tables whose memory may be refused.

use hashbrown::HashTable;
use obbligato_support::memory::{self, Result};

/// Reserves capacity in `table` for `more` more items, if the machine has the memory.
pub fn reserve_table<T>(
    table: &mut HashTable<T>,
    more: usize,
    hash: impl Fn(&T) -> u64,
    what: &'static str,
) -> Result<()> {
    if more <= table.capacity() - table.len() {
        return Ok(());
    }
    // A table doubles while it still holds the old items, takes one more byte per item, and leaves
    // an eighth of its slots free.
    let items = table.len().saturating_add(more).max(table.capacity().saturating_mul(2));
    let needed = (items as u64).saturating_mul(size_of::<(T, u8)>() as u64);
    memory::grow(needed, what, || table.try_reserve(more, hash).is_ok())
}
