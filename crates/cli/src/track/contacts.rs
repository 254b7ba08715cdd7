//! The contact points of each frame, and their places in the previous frame.

use obbligato::{
    Pair,
    contact::Contacts,
    tracking::{NEW, TrackedFrame, previous_pairs, previous_points},
};
use obbligato_files::{SceneFile, TrackedContacts};
use obbligato_support::memory;

use crate::{contacts, failure::Failure};

/// Label for out-of-memory errors.
const WHAT: &str = "the contacts of a frame";

/// The contact points of a frame.
#[derive(Default)]
pub struct FrameContacts {
    contacts: Contacts,
    /// Memory for those of the previous frame.
    spare: Contacts,
    ages: Vec<u32>,
    previous: Vec<u32>,
}

impl FrameContacts {
    /// Goes on to the next frame, whose boxes are identified by `keys`.
    pub fn update(&mut self, scene: &SceneFile, keys: &[u32], found: &TrackedFrame<'_>) -> Result<(), Failure> {
        std::mem::swap(&mut self.contacts, &mut self.spare);
        let (sets, pairs) = ([scene.bodies().into(); 2], by_position(keys, found.pairs)?);
        contacts::update(&mut self.contacts, scene.in_plane, sets, &pairs)?;
        let pairs = previous_pairs(found.before, found.pairs)?;
        self.previous = previous_points(&self.spare, &self.contacts, &pairs)?;
        let age = |&previous: &u32| match previous {
            NEW => 0,
            previous => self.ages[previous as usize] + 1,
        };
        self.ages = memory::collect(self.previous.iter().map(age), WHAT)?;
        Ok(())
    }

    /// Returns the rows of the frame, which has these pairs.
    pub fn rows<'a>(&'a self, pairs: &'a [Pair]) -> TrackedContacts<'a> {
        TrackedContacts {
            pairs,
            contacts: &self.contacts,
            ages: &self.ages,
            previous: &self.previous,
        }
    }
}

/// Returns pairs of keys as pairs of positions, with the smaller key first.
fn by_position(keys: &[u32], pairs: &[Pair]) -> Result<Vec<Pair>, Failure> {
    let mut sorted = memory::collect(
        keys.iter().enumerate().map(|(position, &key)| (key, position as u32)),
        WHAT,
    )?;
    sorted.sort_unstable();
    let position = |key: u32| sorted[sorted.partition_point(|&(other, _)| other < key)].1;
    let pair = |pair: &Pair| Pair {
        a: position(pair.a),
        b: position(pair.b),
    };
    Ok(memory::collect(pairs.iter().map(pair), WHAT)?)
}
