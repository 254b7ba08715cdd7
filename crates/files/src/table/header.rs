//! The names of a table's columns.

use std::cell::Cell;

use obbligato_support::excerpt::excerpt;

/// The columns of a table by their names, and flags for those that have been looked up.
pub(crate) struct Header {
    names: Vec<String>,
    wanted: Vec<Cell<bool>>,
}

impl Header {
    pub fn new(names: Vec<String>) -> Self {
        let wanted = vec![Cell::new(false); names.len()];
        Self { names, wanted }
    }

    /// Returns the number of columns.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns the position of a column, or an error if there are two of that name.
    pub fn column(&self, name: &str) -> Result<Option<usize>, String> {
        let mut columns = (0..self.len()).filter(|&column| self.names[column] == name);
        let first = columns.next();
        if columns.next().is_some() {
            return Err(format!("has two columns {name}: rename or remove one"));
        }
        if let Some(column) = first {
            self.wanted[column].set(true);
        }
        Ok(first)
    }

    /// Returns the position of a required column, or an error that names the existing ones.
    pub fn needed(&self, name: &str) -> Result<usize, String> {
        self.column(name)?.ok_or_else(|| {
            let names = self.names.join(", ");
            format!(
                "has no column {}: it has {}; add it, or rename one",
                excerpt(name),
                excerpt(&names)
            )
        })
    }

    /// Returns the names of the columns that have not been looked up.
    pub fn others(&self) -> impl Iterator<Item = &str> {
        let all = self.names.iter().zip(&self.wanted);
        all.filter(|(_, wanted)| !wanted.get()).map(|(name, _)| name.as_str())
    }

    /// Returns the columns that have been looked up.
    #[cfg(feature = "parquet")]
    pub fn wanted(&self) -> impl Iterator<Item = usize> {
        (0..self.len()).filter(|&column| self.wanted[column].get())
    }

    /// Returns the name of a column.
    #[cfg(feature = "parquet")]
    pub fn name(&self, column: usize) -> &str {
        &self.names[column]
    }
}
