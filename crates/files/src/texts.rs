//! Many texts in one piece of memory.

use crate::error::Result;
use obbligato_support::memory;

/// What memory is for.
const WHAT: &str = "the texts of a table";

/// A list of texts, such as a column of a file: one allocation for all of them, and 8 bytes each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    joined: String,
    ends: Vec<usize>,
}

impl Texts {
    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text at a position.
    ///
    /// # Panics
    /// If there is none at `index`.
    pub fn get(&self, index: usize) -> &str {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.joined[start..self.ends[index]]
    }

    /// The texts in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// Appends a text.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory).
    pub fn push(&mut self, text: &str) -> Result<()> {
        memory::reserve_text(&mut self.joined, text.len(), WHAT)?;
        self.joined.push_str(text);
        Ok(memory::push(&mut self.ends, self.joined.len(), WHAT)?)
    }
}
