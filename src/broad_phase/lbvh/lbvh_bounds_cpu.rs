//! The bounds of consecutive records, computed from blocks of eight, of eight of these, and so on.
//! Only full blocks exist. Twin of `shaders/broad_phase/lbvh/lbvh_bounds.wgsl`.

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::broad_phase::lbvh::layout::BLOCK;
use crate::geometry::bounds::Bounds;

/// Returns the union of both bounds, with the links of the first.
fn united(a: Bounds, b: &Bounds) -> Bounds {
    Bounds {
        low: a.low.min(b.low),
        high: a.high.max(b.high),
        ..a
    }
}

/// Computes the blocks of records, the smallest first.
pub(crate) fn unite(records: &[Bounds], blocks: &mut Vec<Bounds>) -> Result<()> {
    memory::make_scratch(blocks, records.len() / (BLOCK - 1), "the tree")?;
    let of = |items: &[Bounds], k: usize| {
        let own = &items[k * BLOCK..(k + 1) * BLOCK];
        own[1..].iter().fold(own[0], united)
    };
    let mut count = records.len() / BLOCK;
    parallel::fill(&mut blocks[..count], |k| of(records, k));
    let mut begin = 0;
    while count >= BLOCK {
        let (smaller, larger) = blocks[begin..].split_at_mut(count);
        begin += count;
        count /= BLOCK;
        parallel::fill(&mut larger[..count], |k| of(smaller, k));
    }
    Ok(())
}

/// Returns the bounds of the records `first..end`, of which there must be at least one.
pub(crate) fn bounds_of(records: &[Bounds], blocks: &[Bounds], first: usize, end: usize) -> Bounds {
    let mut all = records[first];
    let (mut low, mut high, mut items) = (first + 1, end, records);
    let (mut rest, mut count) = (blocks, records.len() / BLOCK);
    while low < high {
        while low < high && low % BLOCK > 0 {
            all = united(all, &items[low]);
            low += 1;
        }
        while low < high && high % BLOCK > 0 {
            high -= 1;
            all = united(all, &items[high]);
        }
        low /= BLOCK;
        high /= BLOCK;
        (items, rest) = rest.split_at(count);
        count /= BLOCK;
    }
    all
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn bounds_match_any_number_of_records() {
        for count in [1, 2, 7, 8, 9, 63, 64, 65, 71, 520, 700] {
            let records: Vec<Bounds> = (0..count)
                .map(|k| {
                    let low = Vec3::new((k * 37 % 101) as f32, (k * 61 % 89) as f32, -(k as f32));
                    Bounds {
                        low,
                        tag: 0,
                        high: low + 1.0,
                        id: k,
                    }
                })
                .collect();
            let mut blocks = Vec::new();
            unite(&records, &mut blocks).expect("memory");
            for first in 0..records.len() {
                for end in (first + 1..=records.len()).filter(|end| end - first < 90 || end % 61 == 0) {
                    let all = bounds_of(&records, &blocks, first, end);
                    let own = records[first..end].iter();
                    let low = own.clone().fold(Vec3::INFINITY, |low, b| low.min(b.low));
                    let high = own.fold(Vec3::NEG_INFINITY, |high, b| high.max(b.high));
                    assert_eq!((all.low, all.high), (low, high), "{first}..{end} of {count}");
                }
            }
        }
    }
}
