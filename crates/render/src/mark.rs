//! The result of a check for a body.

use crate::error::Result;
use obbligato::Report;
use obbligato_support::memory;

/// The result of a check for a body; later variants are worse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Mark {
    /// It shares no point with another.
    #[default]
    Free,
    /// It shares boundary points with others, and overlaps none.
    Touching,
    /// It shares inner points with another.
    Overlapping,
}

impl Mark {
    /// All marks, in order.
    pub const ALL: [Self; 3] = [Self::Free, Self::Touching, Self::Overlapping];

    /// Returns the word for it in a legend.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Touching => "touching",
            Self::Overlapping => "overlapping",
        }
    }
}

/// Returns the mark of each body of a check: with movers, of each mover; with two sets, of the
/// first set's bodies and then of the second's. Works for triangles, too. O(bodies + pairs).
///
/// # Errors
/// [`Error::Unavailable`](obbligato::Error::Unavailable) unless the report has all pairs and lists
/// those that touch: [`Config::list_touching`](obbligato::Config::list_touching).
/// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory).
pub fn marks(report: &Report) -> Result<Vec<Mark>> {
    let collide = report.marks()?;
    let mut touching = report.touching()?.iter().peekable();
    let mark = |&collides: &bool| if collides { Mark::Touching } else { Mark::Free };
    let mut marks = memory::collect(collide.iter().map(mark), "marks")?;
    for pair in report.pairs()? {
        // Both lists are sorted.
        if touching.next_if_eq(&pair).is_some() {
            continue;
        }
        for place in report.places(*pair).into_iter().flatten() {
            marks[place] = Mark::Overlapping;
        }
    }
    Ok(marks)
}
