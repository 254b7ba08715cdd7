//! Defects that leave the inside of a closed mesh ambiguous: triangles that are duplicated, lie on
//! each other or pass through each other.

use std::path::Path;

use obbligato::{Backend, Checker, Config, Pair, Query, shape::Triangle};
use obbligato_support::{memory, plural::plural};

use crate::{
    failure::{Failure, note},
    output::shown,
    table::grouped,
};

/// The maximum number of pairs to examine; if a mesh meets itself more often, the counts are lower
/// bounds.
const MOST_PAIRS: usize = 1 << 22;

/// The numbers of defects.
pub struct Overlaps {
    /// The number of triangles with the corners of an earlier one.
    pub doubled: u64,
    /// The number of pairs of others that share an area.
    pub coinciding: u64,
    /// The number of pairs that pass through each other.
    pub crossing: u64,
    /// `true` if all pairs have been examined.
    is_complete: bool,
}

impl Overlaps {
    pub fn of(triangles: &[Triangle]) -> Result<Self, Failure> {
        let mut checker = Checker::new(Config {
            backend: Backend::Cpu,
            max_pairs: Some(MOST_PAIRS),
            ..Config::default()
        })?;
        let report = checker.check(Query::mesh(triangles))?;
        let mut overlaps = Self {
            doubled: 0,
            coinciding: 0,
            crossing: 0,
            is_complete: report.complete,
        };
        let mut doubled = memory::collect(triangles.iter().map(|_| false), "the marks of triangles")?;
        for &Pair { a, b } in report.pairs()? {
            let [first, second] = [a, b].map(|id| &triangles[id as usize]);
            let has = |triangle: &Triangle, corners: &Triangle| {
                corners.corners.iter().all(|corner| triangle.corners.contains(corner))
            };
            if has(first, second) && has(second, first) {
                doubled[b as usize] = true;
            } else if first.passes_through(second) {
                overlaps.crossing += 1;
            } else if first
                .intersection(second)
                .is_some_and(|shared| shared.points().len() > 2)
            {
                overlaps.coinciding += 1;
            }
        }
        overlaps.doubled = doubled.iter().filter(|is_doubled| **is_doubled).count() as u64;
        Ok(overlaps)
    }

    /// Reports them on stderr, if there are any.
    pub fn tell(&self, path: &Path) {
        let found: Vec<String> = [
            (self.doubled, "triangle occurs twice", "triangles occur twice"),
            (
                self.coinciding,
                "pair of others lies on each other in part",
                "pairs of others lie on each other in part",
            ),
            (
                self.crossing,
                "pair of triangles passes through each other",
                "pairs of triangles pass through each other",
            ),
        ]
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| format!("{} {}", grouped(count), plural(count, one, many)))
        .collect();
        if found.is_empty() && self.is_complete {
            return;
        }
        let least = if self.is_complete { "" } else { "at least " };
        note(&format!(
            "{}: {least}{}: by parity, points inside two shells or behind a duplicate triangle are outside",
            shown(path),
            found.join(", ")
        ));
    }
}
