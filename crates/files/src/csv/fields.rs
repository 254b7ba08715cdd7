//! Writes the fields of CSV rows.

use std::io::{self, Write};

use crate::ids::Id;

/// Writes rows, each with a single write.
pub(super) struct Fields<'a> {
    out: &'a mut dyn Write,
    row: Vec<u8>,
    /// `true` if the row already has a field.
    begun: bool,
    whole: itoa::Buffer,
    decimal: ryu::Buffer,
}

impl<'a> Fields<'a> {
    pub fn new(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            row: Vec::new(),
            begun: false,
            whole: itoa::Buffer::new(),
            decimal: ryu::Buffer::new(),
        }
    }

    fn separate(&mut self) {
        if std::mem::replace(&mut self.begun, true) {
            self.row.push(b',');
        }
    }

    /// Adds an integer.
    pub fn whole(&mut self, number: impl itoa::Integer) {
        self.separate();
        self.row.extend_from_slice(self.whole.format(number).as_bytes());
    }

    /// Adds a number with the fewest digits that read back exactly.
    pub fn decimal(&mut self, number: impl ryu::Float) {
        self.separate();
        self.row.extend_from_slice(self.decimal.format(number).as_bytes());
    }

    /// Adds numbers with the fewest digits that read back exactly.
    pub fn decimals<F: ryu::Float>(&mut self, numbers: impl IntoIterator<Item = F>) {
        numbers.into_iter().for_each(|number| self.decimal(number));
    }

    /// Adds a text, in quotes if it needs them.
    pub fn text(&mut self, text: &str) {
        self.separate();
        // Blanks around a text are read as part of it only in quotes.
        if !text.contains([',', ';', '"', '\n', '\r']) && text.trim_ascii() == text {
            return self.row.extend_from_slice(text.as_bytes());
        }
        self.row.push(b'"');
        self.row.extend_from_slice(text.replace('"', "\"\"").as_bytes());
        self.row.push(b'"');
    }

    pub fn id(&mut self, id: Id) {
        match id {
            Id::Number(number) => self.whole(number),
            Id::Text(text) => self.text(text),
        }
    }

    /// Adds an empty field.
    pub fn nothing(&mut self) {
        self.separate();
    }

    /// Ends the row and writes it.
    pub fn end(&mut self) -> io::Result<()> {
        self.row.push(b'\n');
        self.out.write_all(&self.row)?;
        self.row.clear();
        self.begun = false;
        Ok(())
    }
}
