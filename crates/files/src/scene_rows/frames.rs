//! The frames of a scene file.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

use crate::error::Result;
use crate::hash_table::reserve_table;
use obbligato_support::memory;

/// Label for out-of-memory errors.
const WHAT: &str = "the frames of a table";

/// The frames of a file that are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Wanted {
    /// The only frame.
    Only,
    One(i64),
    All,
}

/// The frames found so far.
pub(super) struct Frames {
    wanted: Wanted,
    /// In the order of their first rows.
    found: Vec<i64>,
    /// Indices into `found`.
    places: HashTable<u32>,
    hasher: RandomState,
    /// The previous row's frame and its index, to save look-ups: rows of a frame are usually
    /// adjacent.
    last: Option<(i64, usize)>,
}

impl Frames {
    pub fn new(wanted: Wanted) -> Self {
        Self {
            wanted,
            found: Vec::new(),
            places: HashTable::new(),
            hasher: RandomState::new(),
            last: None,
        }
    }

    /// Records the frame of a row. Returns the index of the scene to which the row belongs, if it
    /// is wanted.
    pub fn admit(&mut self, frame: i64) -> Result<Option<usize>> {
        let place = match self.last {
            Some((last, place)) if last == frame => place,
            _ => self.place(frame)?,
        };
        self.last = Some((frame, place));
        Ok(match self.wanted {
            Wanted::All => Some(place),
            Wanted::One(wanted) => (frame == wanted).then_some(0),
            // A second frame makes the file an error, so its rows need no memory.
            Wanted::Only => (place == 0).then_some(0),
        })
    }

    /// Returns the index of a frame, which may be new.
    fn place(&mut self, frame: i64) -> Result<usize> {
        let hash = self.hasher.hash_one(frame);
        let found = &self.found;
        if let Some(&place) = self.places.find(hash, |&place| found[place as usize] == frame) {
            return Ok(place as usize);
        }
        let place = found.len();
        let hash_of = |&place: &u32| self.hasher.hash_one(found[place as usize]);
        reserve_table(&mut self.places, 1, hash_of, WHAT)?;
        self.places.insert_unique(hash, place as u32, hash_of);
        memory::push(&mut self.found, frame, WHAT)?;
        Ok(place)
    }

    /// Returns the number of the frame at an index.
    pub fn number(&self, place: usize) -> Option<i64> {
        self.found.get(place).copied()
    }

    /// Checks that a file with only one wanted frame has no others.
    pub fn check_unique(&self) -> Result<(), String> {
        match self.wanted == Wanted::Only && self.found.len() > 1 {
            true => Err(format!(
                "has {}: pick one with --frame (check takes all with --frame all)",
                self.in_words()
            )),
            false => Ok(()),
        }
    }

    /// Checks that the wanted frame exists.
    pub fn check_found(&self) -> Result<(), String> {
        match self.wanted {
            Wanted::One(wanted) if !self.found.contains(&wanted) => Err(format!(
                "has no frame {wanted} (it has {}): pick an existing one",
                self.in_words()
            )),
            _ => Ok(()),
        }
    }

    fn in_words(&self) -> String {
        match (self.found.iter().min(), self.found.iter().max()) {
            (Some(first), Some(last)) if first < last => {
                format!("{} frames from {first} to {last}", self.found.len())
            }
            (Some(only), _) => format!("only frame {only}"),
            _ => "no rows at all".into(),
        }
    }
}
