//! The forms in which a CSV file has its boxes.

use csv::ByteRecord;

use crate::files::csv::column;
use crate::files::{COLUMNS, UPRIGHT_COLUMNS};

/// What the ten numbers of a box are.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Form {
    /// [`COLUMNS`].
    Oriented,
    /// [`UPRIGHT_COLUMNS`].
    Upright,
}

impl Form {
    pub fn names(self) -> [&'static str; 10] {
        match self {
            Self::Oriented => COLUMNS,
            Self::Upright => UPRIGHT_COLUMNS,
        }
    }

    /// The form that a header is about, and where its columns are.
    pub fn find(header: &ByteRecord) -> Result<(Self, [usize; 10]), String> {
        let columns = |form: Self| -> Result<[Option<usize>; 10], String> {
            let mut columns = [None; 10];
            for (place, name) in columns.iter_mut().zip(form.names()) {
                *place = column(header, name)?;
            }
            Ok(columns)
        };
        let [oriented, upright] = [columns(Self::Oriented)?, columns(Self::Upright)?];
        let (form, found) = match upright.iter().flatten().count() > oriented.iter().flatten().count() {
            true => (Self::Upright, upright),
            false => (Self::Oriented, oriented),
        };
        let complete = |columns: [Option<usize>; 10]| columns.iter().all(Option::is_some);
        if complete(oriented) && complete(upright) {
            return Err("has the columns of oriented boxes and of upright cuboids: leave one form out".into());
        }
        let names = form.names().into_iter().zip(found);
        let missing: Vec<&str> = names
            .filter(|(_, column)| column.is_none())
            .map(|(name, _)| name)
            .collect();
        if !missing.is_empty() {
            let names = missing.join(", ");
            return Err(format!(
                "lacks the columns {names}: the first row has to name them, separated by commas"
            ));
        }
        Ok((form, found.map(Option::unwrap_or_default)))
    }
}
