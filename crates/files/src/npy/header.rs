//! The header of NPY files.

use crate::npy::{ROW_NUMBERS, Shape, WANTED};
use obbligato_support::excerpt::excerpt;

/// The header's Python dictionary.
pub(super) struct Header<'a> {
    /// The numbers' type as Python writes it, in quotes if it is a plain type.
    descr: &'a str,
    /// The text of the value: True or False in a valid file.
    fortran_order: &'a str,
    shape: Vec<u64>,
}

impl<'a> Header<'a> {
    pub fn parse(text: &'a str) -> Option<Self> {
        let descr = value(text, "descr")?;
        let quote = descr.chars().next().filter(|first| "'\"".contains(*first));
        let descr = match quote {
            Some(quote) => &descr[..descr[1..].find(quote)? + 2],
            None => "a structure",
        };
        let fortran_order = value(text, "fortran_order")?;
        let shape = value(text, "shape")?.strip_prefix('(')?;
        let sizes = shape[..shape.find(')')?]
            .split(',')
            .map(str::trim)
            .filter(|size| !size.is_empty());
        Some(Self {
            descr,
            fortran_order: fortran_order.split([',', '}']).next()?.trim(),
            shape: sizes.map(|size| size.parse().ok()).collect::<Option<_>>()?,
        })
    }

    /// Returns the shape if this is a scene, of `float64` only if `f64` is set; otherwise a
    /// description of the problem.
    pub fn scene(&self, f64: bool) -> Result<Shape, String> {
        let descr = self.descr.trim_matches(['\'', '"']);
        let wide = descr == "<f8";
        if wide && !f64 {
            return Err(format!(
                "holds numbers of type <f8, not <f4 (little-endian float32): check and verify take it with --f64; or {WANTED}"
            ));
        }
        if descr != "<f4" && !wide {
            let order = if descr.starts_with('>') { " (big-endian)" } else { "" };
            return Err(format!(
                "holds numbers of type {}{order}, not <f4 (little-endian float32): {WANTED}",
                excerpt(descr)
            ));
        }
        let shape = match self.shape[..] {
            [rows, columns] => ROW_NUMBERS
                .into_iter()
                .find(|&known| known as u64 == columns)
                .filter(|columns| !wide || *columns == ROW_NUMBERS[0])
                .map(|columns| Shape { rows, columns, wide }),
            _ => None,
        };
        let Some(shape) = shape else {
            let sizes: Vec<String> = self.shape.iter().map(u64::to_string).collect();
            let shape = sizes.join(", ");
            let wanted = if wide { "(N, 10)" } else { "(N, 10) or (N, 16)" };
            return Err(format!("has shape ({}), not {wanted}: {WANTED}", excerpt(&shape)));
        };
        match self.fortran_order {
            "False" => Ok(shape),
            "True" => Err(format!("is in Fortran order, not C order: {WANTED}")),
            other => Err(format!(
                "has {} for fortran_order instead of True or False: {WANTED}",
                excerpt(other)
            )),
        }
    }
}

/// Returns the text after a key of the dictionary.
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = text
        .split_once(&format!("'{key}'"))
        .or_else(|| text.split_once(&format!("\"{key}\"")))?;
    rest.trim_start().strip_prefix(':').map(str::trim_start)
}
