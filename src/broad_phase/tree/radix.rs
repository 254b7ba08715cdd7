//! A sort of records by keys of 64 bits: by their highest digit into buckets, then within each
//! bucket, which soon fits the caches.

use bytemuck::{Pod, Zeroable};

use crate::base::parallel;
use crate::base::parallel::GRAIN;

/// Number of entries above which a list is worth all threads, and many buckets.
pub(crate) const LARGE: usize = 4 * GRAIN;
/// Maximum number of entries that are sorted by comparison.
const FEW: usize = 32;
/// Number of buckets of large lists, and of smaller ones.
const MANY_BUCKETS: usize = 1 << 11;
const BUCKETS: usize = 1 << 6;

/// A record while it is sorted.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Entry {
    pub key: u64,
    /// The position in the caller's list.
    pub at: u32,
    pub unused: u32,
}

/// Sorts entries by the lowest bits of their keys. Entries with equal keys stay in the order of
/// their positions, which must be their initial order.
pub(crate) fn sort(entries: &mut [Entry], scratch: &mut [Entry], bits: u32) {
    if entries.len() <= LARGE {
        return sort_within(entries, scratch, bits);
    }
    let mut ends = [0; MANY_BUCKETS];
    let Some(left) = partition(entries, scratch, bits, &mut ends) else {
        return;
    };
    let all = Buckets {
        first: 0,
        from: scratch,
        to: entries,
    };
    let split = |part, bucket: usize| Buckets::split(part, ends[bucket - 1] as usize);
    parallel::divide(0..MANY_BUCKETS, all, &split, &|_, Buckets { from, to, .. }| {
        sort_across(from, to, left);
    });
}

/// Consecutive buckets.
struct Buckets<'a> {
    /// The number of entries before them.
    first: usize,
    from: &'a mut [Entry],
    to: &'a mut [Entry],
}

impl<'a> Buckets<'a> {
    fn split(self, at: usize) -> (Buckets<'a>, Buckets<'a>) {
        let (from, more) = self.from.split_at_mut(at - self.first);
        let (to, room) = self.to.split_at_mut(at - self.first);
        (
            Buckets {
                first: self.first,
                from,
                to,
            },
            Buckets {
                first: at,
                from: more,
                to: room,
            },
        )
    }
}

fn sort_within(entries: &mut [Entry], scratch: &mut [Entry], bits: u32) {
    if entries.len() <= FEW {
        return compare(entries);
    }
    let mut ends = [0; BUCKETS];
    if let Some(left) = partition(entries, scratch, bits, &mut ends) {
        for_each_bucket(&ends, |bucket| {
            sort_across(&mut scratch[bucket.clone()], &mut entries[bucket], left)
        });
    }
}

/// Sorts entries into another list of the same length.
fn sort_across(from: &mut [Entry], to: &mut [Entry], bits: u32) {
    if from.len() <= FEW {
        to.copy_from_slice(from);
        return compare(to);
    }
    let mut ends = [0; BUCKETS];
    match partition(from, to, bits, &mut ends) {
        Some(left) => for_each_bucket(&ends, |bucket| {
            sort_within(&mut to[bucket.clone()], &mut from[bucket], left)
        }),
        None => to.copy_from_slice(from),
    }
}

fn compare(entries: &mut [Entry]) {
    entries.sort_unstable_by_key(|entry| (entry.key, entry.at));
}

fn for_each_bucket(ends: &[u32], mut work: impl FnMut(std::ops::Range<usize>)) {
    let mut first = 0;
    for &end in ends {
        let end = end as usize;
        if end > first {
            work(first..end);
        }
        first = end;
    }
}

/// Moves entries to buckets by the highest of the given bits that differ, as many bits as there are
/// buckets for. Returns the number of remaining bits, or `None` if none differ.
fn partition<const COUNT: usize>(
    from: &[Entry],
    to: &mut [Entry],
    mut bits: u32,
    ends: &mut [u32; COUNT],
) -> Option<u32> {
    while bits > 0 {
        let digit = bits.min(COUNT.ilog2());
        bits -= digit;
        let mask = (1 << digit) - 1;
        let bucket = |entry: &Entry| (entry.key >> bits) as usize & mask & (COUNT - 1);
        ends.fill(0);
        for entry in from {
            ends[bucket(entry)] += 1;
        }
        if ends[bucket(&from[0])] as usize == from.len() {
            continue;
        }
        let mut sum = 0;
        for end in ends.iter_mut() {
            sum += std::mem::replace(end, sum);
        }
        for entry in from {
            let place = &mut ends[bucket(entry)];
            to[*place as usize] = *entry;
            *place += 1;
        }
        return Some(bits);
    }
    None
}
