//! Gathering: the boxes of a tile, from all parts.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use glam::{Quat, Vec3};

use crate::base::error::Result;
use crate::base::memory;
use crate::files::problem::problem;
use crate::out_of_core::folder::{Folder, part_name, unusable};
use crate::out_of_core::plan::Plan;
use crate::out_of_core::scatter::read_begins;
use crate::shapes::obb::record::Obb;
use crate::tiles::tile::{Tile, widened};

/// What memory is for.
const WHAT: &str = "the boxes of a tile";

/// Bytes that are read at once.
const AT_ONCE: usize = 1 << 20;

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
    margin: f32,
    /// Where the lists of each part begin.
    begins: Vec<Vec<u64>>,
}

impl<'a> Parts<'a> {
    pub fn open(plan: &'a Plan, margin: f32, folder: &'a Folder) -> Result<Self> {
        let lists = plan.tiling.len() + 1;
        let record = 4 * plan.of.record_words() as u64;
        let mut begins = Vec::new();
        for part in 0..plan.parts().len() {
            let path = folder.at(&part_name(part));
            let open = || {
                let mut file = File::open(&path)?;
                let begins = read_begins(&mut file, lists)?;
                Ok((begins, file.metadata()?.len()))
            };
            let (of_part, bytes): (Vec<u64>, u64) = open().map_err(|error| unusable(&path, &error))?;
            let end = of_part[lists];
            let whole = end
                .checked_mul(record)
                .and_then(|there| there.checked_add(8 * (lists as u64 + 1)));
            if whole != Some(bytes) || !of_part.is_sorted() {
                return Err(problem(&path, "is damaged: remove the folder, and start anew"));
            }
            begins.push(of_part);
        }
        Ok(Self {
            plan,
            folder,
            margin,
            begins,
        })
    }

    /// How many boxes a tile has, but for those of very many tiles.
    fn count(&self, list: usize) -> u64 {
        self.begins.iter().map(|begins| begins[list + 1] - begins[list]).sum()
    }

    /// The boxes of the tile of a number.
    pub fn tile(&self, number: usize, tile: &Tile) -> Result<TileBoxes> {
        let mut found = TileBoxes::default();
        let count = self.count(number) as usize;
        memory::reserve(&mut found.keys, count, WHAT)?;
        memory::reserve(&mut found.boxes, count, WHAT)?;
        self.read(number, |key, obb| found.push(key, obb))?;
        // Those of very many tiles, as far as they are of this one.
        self.read(self.plan.tiling.len(), |key, obb| {
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
        let mut buffer = vec![0u32; AT_ONCE / 4 / words * words];
        for (part, begins) in self.begins.iter().enumerate() {
            let mut left = (begins[list + 1] - begins[list]) as usize * words;
            if left == 0 {
                continue;
            }
            let path = self.folder.at(&part_name(part));
            let failed = |error: io::Error| unusable(&path, &error);
            let mut file = File::open(&path).map_err(failed)?;
            file.seek(SeekFrom::Start(begins[list] * 4 * words as u64))
                .map_err(failed)?;
            while left > 0 {
                let now = left.min(buffer.len());
                file.read_exact(bytemuck::cast_slice_mut(&mut buffer[..now]))
                    .map_err(failed)?;
                for record in buffer[..now].chunks_exact(words) {
                    each(record[0], box_of(record))?;
                }
                left -= now;
            }
        }
        Ok(())
    }
}

/// The box of a record.
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
        memory::push(&mut self.boxes, obb, WHAT)
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
