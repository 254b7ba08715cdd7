//! A list of texts in one allocation.

use crate::error::Result;
use obbligato_support::memory;

/// Label for out-of-memory errors.
const WHAT: &str = "the texts of a table";

/// A list of texts, such as a column of a file: one allocation for all of them, and 8 bytes each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    joined: String,
    ends: Vec<usize>,
}

impl Texts {
    /// Returns the number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns `true` if there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the text at a position.
    ///
    /// # Panics
    /// If there is none at `index`.
    pub fn get(&self, index: usize) -> &str {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.joined[start..self.ends[index]]
    }

    /// Returns the texts in order.
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
