//! Gathering: the boxes of a tile, from all parts.

use glam::{Quat, Vec3};

use crate::error::Result;
use crate::out_of_core::folder::{Folder, Name};
use crate::out_of_core::part::Index;
use crate::out_of_core::plan::Plan;
use obbligato::{Obb, tiles::Tile, unstable::limits::widened};
use obbligato_support::memory;

/// Label for out-of-memory errors.
const WHAT: &str = "the boxes of a tile";

/// The boxes of a tile, in the order of their keys: ids or rows.
#[derive(Default)]
pub(super) struct TileBoxes {
    pub keys: Vec<u32>,
    pub boxes: Vec<Obb>,
}

/// The parts on disk.
pub(super) struct Parts<'a> {
    plan: &'a Plan,
    folder: &'a Folder,
    margin: f64,
    indexes: Vec<Index>,
}

impl<'a> Parts<'a> {
    /// Opens the parts, given the checksums of their indexes.
    pub fn open(plan: &'a Plan, margin: f64, folder: &'a Folder, checksums: &[u32]) -> Result<Self> {
        let index = |(part, &checksum)| {
            let path = folder.at(Name::Part(part));
            Index::read(&path, plan.lists(), plan.of.record_words(), checksum)
        };
        Ok(Self {
            plan,
            folder,
            margin,
            indexes: checksums.iter().enumerate().map(index).collect::<Result<_>>()?,
        })
    }

    /// Returns the number of boxes of a tile, without those that meet very many tiles.
    fn count(&self, list: usize) -> u64 {
        let counts = self.indexes.iter().map(|index| index.records(list));
        counts.map(|records| records.end - records.start).sum()
    }

    /// Returns the boxes of a tile, given its number.
    pub fn tile(&self, number: usize, tile: &Tile) -> Result<TileBoxes> {
        let mut found = TileBoxes::default();
        let count = self.count(number) as usize;
        memory::reserve(&mut found.keys, count, WHAT)?;
        memory::reserve(&mut found.boxes, count, WHAT)?;
        self.read(number, |key, obb| found.push(key, obb))?;
        // The boxes that meet very many tiles, as far as they meet this one.
        self.read(self.plan.lists() - 1, |key, obb| {
            match tile.meets(&widened(obb.bounds(), self.margin)) {
                true => found.push(key, obb),
                false => Ok(()),
            }
        })?;
        found.sort()?;
        Ok(found)
    }

    /// Calls `each` with the boxes of a list.
    fn read(&self, list: usize, mut each: impl FnMut(u32, Obb) -> Result<()>) -> Result<()> {
        let words = self.plan.of.record_words();
        self.indexes.iter().enumerate().try_for_each(|(part, index)| {
            let path = self.folder.at(Name::Part(part));
            index.read_list(&path, list, words, |record| each(record[0], box_of(record)))
        })
    }
}

/// Decodes the box of a record.
fn box_of(record: &[u32]) -> Obb {
    let number = |k: usize| f32::from_bits(record[k]);
    let triple = |k: usize| Vec3::new(number(k), number(k + 1), number(k + 2));
    let rotation = Quat::from_xyzw(number(7), number(8), number(9), number(10));
    let obb = Obb::new(triple(1), triple(4), rotation);
    match record {
        [.., memberships, filter] if record.len() > 11 => obb.with_groups(*memberships, *filter),
        _ => obb,
    }
}

impl TileBoxes {
    pub fn push(&mut self, key: u32, obb: Obb) -> Result<()> {
        memory::push(&mut self.keys, key, WHAT)?;
        Ok(memory::push(&mut self.boxes, obb, WHAT)?)
    }

    /// Sorts the boxes by their keys.
    fn sort(&mut self) -> Result<()> {
        if self.keys.is_sorted() {
            return Ok(());
        }
        let mut order = memory::collect(0..self.keys.len() as u32, WHAT)?;
        order.sort_unstable_by_key(|&place| self.keys[place as usize]);
        self.boxes = memory::collect(order.iter().map(|&place| self.boxes[place as usize]), WHAT)?;
        self.keys.sort_unstable();
        Ok(())
    }
}
