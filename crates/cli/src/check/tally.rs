//! Counts pairs without listing them: the memory does not grow with their number.

use std::{
    borrow::Cow,
    sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
};

use obbligato::{Pair, report::checksum};
use obbligato_support::memory;

use super::scenes::Scenes;
use crate::failure::Failure;

/// The number of partners of each box of FILE, and the checksum of all pairs.
pub struct Tally<'a> {
    degrees: Vec<AtomicU32>,
    checksum: AtomicU64,
    /// The numbers that replace positions in the checksum.
    keys: [Option<Cow<'a, [u32]>>; 2],
    /// `true` if both boxes of a pair are of FILE.
    one_file: bool,
}

impl<'a> Tally<'a> {
    /// Nothing yet.
    pub fn new(scenes: &'a Scenes) -> Result<Self, Failure> {
        let [first, second] = scenes.sides();
        let one_file = scenes.against.is_none();
        let none = (0..scenes.scene.len()).map(|_| AtomicU32::new(0));
        Ok(Self {
            degrees: memory::collect(none, "the degrees")?,
            checksum: AtomicU64::new(0),
            keys: [first.keys()?, if one_file { None } else { second.keys()? }],
            one_file,
        })
    }

    /// Counts pairs, named by positions.
    pub fn add(&self, pairs: &[Pair]) {
        let key = |side: usize, position: u32| match &self.keys[side] {
            Some(keys) => keys[position as usize],
            None => position,
        };
        let keyed = |pair: &Pair| match self.one_file {
            true => Pair::new(key(0, pair.a), key(0, pair.b)),
            false => Pair {
                a: key(0, pair.a),
                b: key(1, pair.b),
            },
        };
        let sum = pairs.iter().map(|pair| checksum(&[keyed(pair)]));
        self.checksum.fetch_add(sum.fold(0, u64::wrapping_add), Relaxed);
        for pair in pairs {
            self.degrees[pair.a as usize].fetch_add(1, Relaxed);
            if self.one_file {
                self.degrees[pair.b as usize].fetch_add(1, Relaxed);
            }
        }
    }

    /// The partners of each box, and the checksum.
    pub fn finish(self) -> Result<(Vec<u32>, u64), Failure> {
        let degrees = self.degrees.into_iter().map(AtomicU32::into_inner);
        Ok((memory::collect(degrees, "the degrees")?, self.checksum.into_inner()))
    }
}
