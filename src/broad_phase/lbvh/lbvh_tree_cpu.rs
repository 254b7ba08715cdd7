//! Twin of `shaders/broad_phase/lbvh/lbvh_tree.wgsl`: the tree over sorted records.

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::broad_phase::lbvh::layout::{BLOCK, END, LEAF, POSITION};
use crate::broad_phase::lbvh::lbvh_bounds_cpu::{bounds_of, unite};
use crate::broad_phase::lbvh::lbvh_keys_cpu::{Entry, box_of, sorted_entries, world_of};
use crate::geometry::bounds::Bounds;
use crate::rules::filter::SetRules;

/// What memory is for.
const WHAT: &str = "the tree";

/// A linear tree over bounds.
#[derive(Default)]
pub(crate) struct Lbvh {
    /// The bounds in the order of their keys; tags are escape links.
    pub records: Vec<Bounds>,
    /// The nodes: tags are escape links, ids the first children.
    pub nodes: Vec<Bounds>,
    /// The worlds that there are, ascending, and their first records.
    pub worlds: Vec<(u32, u32)>,
    entries: Vec<Entry>,
    blocks: Vec<Bounds>,
}

/// Sorted keys.
#[derive(Clone, Copy)]
pub(crate) struct Keys<'a>(pub &'a [Entry]);

/// The records below a node, and its first child.
#[derive(Debug, PartialEq)]
pub(crate) struct Below {
    pub first: u32,
    pub last: u32,
    pub left: u32,
}

impl Keys<'_> {
    /// How many leading bits the keys of two records have in common; beyond the ends, less than any two records have.
    fn alike(self, i: u32, place: i64) -> i32 {
        let Some(&other) = usize::try_from(place).ok().and_then(|place| self.0.get(place)) else {
            return -1;
        };
        let differ = (self.0[i as usize] ^ other) >> 32 << 32;
        match differ {
            0 => 96 + (i ^ place as u32).leading_zeros() as i32,
            _ => differ.leading_zeros() as i32,
        }
    }

    /// Whether the records of a node extend from the record of its own number upwards, and not downwards.
    fn extends_up(self, i: u32) -> bool {
        self.alike(i, i64::from(i) + 1) > self.alike(i, i64::from(i) - 1)
    }

    /// What a walk comes to after a record: the largest subtree of the same world that begins with the next record.
    pub fn escape_from(self, last: u32) -> u32 {
        let next = last + 1;
        match self.0.get(next as usize) {
            Some(&entry) if world_of(entry) == world_of(self.0[last as usize]) => {
                if self.extends_up(next) {
                    next
                } else {
                    next | LEAF
                }
            }
            _ => END,
        }
    }

    /// The records of a node, and where it is divided.
    pub fn below(self, i: u32) -> Below {
        let own = i64::from(i);
        let step = if self.extends_up(i) { 1 } else { -1 };
        // No record of the node has less in common with its own.
        let least = self.alike(i, own - step);
        let mut most = 2;
        while self.alike(i, own + most * step) > least {
            most *= 2;
        }
        let (mut length, mut part) = (0, most / 2);
        while part > 0 {
            if self.alike(i, own + (length + part) * step) > least {
                length += part;
            }
            part /= 2;
        }
        let other = own + length * step;
        // What all of its records have in common; the records of one child have more.
        let common = self.alike(i, other);
        let (mut divided, mut part) = (0, length);
        while part > 1 {
            part = (part + 1) / 2;
            if self.alike(i, own + (divided + part) * step) > common {
                divided += part;
            }
        }
        let first = own.min(other);
        let left = own + divided * step + step.min(0);
        Below {
            first: first as u32,
            last: own.max(other) as u32,
            left: left as u32 | if left == first { LEAF } else { 0 },
        }
    }
}

impl Lbvh {
    /// Builds the tree. Takes time in proportion to n log n.
    pub fn sort(&mut self, bounds: &[Bounds], rules: &SetRules) -> Result<()> {
        let Self {
            records,
            nodes,
            worlds,
            entries,
            blocks,
        } = self;
        sorted_entries(entries, bounds, rules)?;
        let keys = Keys(entries);
        memory::make_scratch(records, bounds.len(), WHAT)?;
        parallel::fill(records, |i| Bounds {
            tag: keys.escape_from(i as u32),
            ..bounds[box_of(entries[i]) as usize]
        });
        unite(records, blocks)?;
        memory::make_scratch(nodes, bounds.len().saturating_sub(1), WHAT)?;
        parallel::fill(nodes, |i| {
            let below = keys.below(i as u32);
            Bounds {
                tag: keys.escape_from(below.last),
                id: below.left,
                ..bounds_of(records, blocks, below.first as usize, below.last as usize + 1)
            }
        });
        worlds.clear();
        let mut first = 0;
        while let Some(&entry) = entries.get(first) {
            memory::push(worlds, (world_of(entry), first as u32), WHAT)?;
            first += entries[first..].partition_point(|&other| world_of(other) == world_of(entry));
        }
        Ok(())
    }

    /// What is at a link.
    #[inline(always)]
    pub fn at(&self, link: u32) -> &Bounds {
        match link & LEAF {
            0 => &self.nodes[link as usize],
            _ => &self.records[(link & POSITION) as usize],
        }
    }

    /// The largest subtree that begins with a record.
    pub fn subtree_from(&self, first: u32) -> u32 {
        match self.nodes.get(first as usize) {
            Some(node) if node.id & POSITION >= first => first,
            _ => first | LEAF,
        }
    }

    /// Frees what only another build needs.
    pub fn release(&mut self) {
        (self.entries, self.blocks) = Default::default();
    }

    /// Bytes held.
    pub fn held(&self) -> u64 {
        let bounds = self.records.capacity() + self.nodes.capacity() + self.blocks.capacity();
        let bytes = bounds * size_of::<Bounds>()
            + self.entries.capacity() * size_of::<Entry>()
            + self.worlds.capacity() * size_of::<(u32, u32)>();
        bytes as u64
    }

    /// The most bytes that a build over so many boxes holds, each perhaps in a world of its own.
    pub fn most_bytes(boxes: u64) -> u64 {
        let bounds = 2 * boxes + boxes / (BLOCK as u64 - 1);
        bounds * size_of::<Bounds>() as u64 + boxes * (size_of::<Entry>() + size_of::<(u32, u32)>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use glam::Vec3;

    use super::*;
    use crate::base::split_mix::SplitMix;
    use crate::broad_phase::phase::PairSearch;
    use crate::geometry::pair::Pair;

    /// Bounds with low corners and extents from these, in turn.
    fn bounds(
        count: u32,
        low: impl Fn(u32, &mut dyn FnMut() -> f32) -> Vec3,
        size: impl Fn(u32) -> f32,
    ) -> Vec<Bounds> {
        let mut random = SplitMix(u64::from(count));
        let mut number = || (random.next() >> 40) as f32 / (1u32 << 24) as f32;
        (0..count)
            .map(|id| {
                let low = low(id, &mut number);
                Bounds {
                    low,
                    tag: 0,
                    high: low + size(id),
                    id,
                }
            })
            .collect()
    }

    fn scenes() -> Vec<(String, Vec<Bounds>)> {
        let mut all = Vec::new();
        for count in [
            0u32, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 63, 64, 65, 255, 256, 257, 511, 512, 513, 4097,
        ] {
            let side = (count.max(1) as f32).cbrt();
            all.push((
                format!("{count} boxes"),
                bounds(count, |_, n| Vec3::new(n(), n(), n()) * side, |_| 0.7),
            ));
        }
        let point = |n: &mut dyn FnMut() -> f32| Vec3::new(n(), n(), n()) * 2.0 - 1.0;
        all.push(("one spot".to_owned(), bounds(300, |_, _| Vec3::ONE, |_| 1.0)));
        all.push((
            "two spots".to_owned(),
            bounds(300, |id, _| Vec3::splat((id % 2) as f32 * 4.0), |_| 1.0),
        ));
        all.push((
            "a row".to_owned(),
            bounds(700, |id, _| Vec3::new(id as f32, 0.0, 0.0), |_| 1.5),
        ));
        all.push((
            "giants".to_owned(),
            bounds(900, |_, n| point(n) * 9.0, |id| if id % 100 == 0 { 12.0 } else { 0.8 }),
        ));
        all.push((
            "far".to_owned(),
            bounds(
                600,
                |id, n| point(n) * 3.0 + if id % 3 == 0 { 1e6 } else { 0.0 },
                |_| 1.0,
            ),
        ));
        let octave = |id: u32| 2f32.powi((id % 120) as i32 - 60);
        all.push((
            "extents to 2^60".to_owned(),
            bounds(960, move |id, n| point(n) * octave(id), move |id| 0.2 * octave(id)),
        ));
        all.push(("subnormal".to_owned(), bounds(200, |_, n| point(n) * 2e-39, |_| 1e-39)));
        all
    }

    fn worlds(count: usize, of: u32) -> SetRules<'static> {
        SetRules {
            worlds: (of > 1).then(|| {
                Cow::Owned(
                    (0..count as u32)
                        .map(|id| (id * 7 % of).wrapping_mul(0x9E37_79B9))
                        .collect(),
                )
            }),
            ..SetRules::default()
        }
    }

    /// What is wrong with a tree, if anything is: each record is below the root once, each node's bounds are those of its children,
    /// and links lead to what follows. Also the longest way down.
    fn check(tree: &Lbvh, world_of: impl Fn(u32) -> u32) -> Result<u32, String> {
        fn descend(
            tree: &Lbvh,
            link: u32,
            (depth, nodes): (u32, &mut u32),
            world_of: &impl Fn(u32) -> u32,
        ) -> Result<(u32, u32, u32), String> {
            let n = tree.records.len() as u32;
            if depth > 128 {
                return Err(format!("a way of {depth} nodes down to {link:#x}"));
            }
            let (own, [first, last, deepest]) = if link >= LEAF {
                let place = link & POSITION;
                (
                    tree.records.get(place as usize).ok_or("no such record")?,
                    [place, place, depth],
                )
            } else {
                *nodes += 1;
                let own = tree.nodes.get(link as usize).ok_or("no such node")?;
                if *nodes >= n {
                    return Err("more nodes than there are".to_owned());
                }
                let left = descend(tree, own.id, (depth + 1, nodes), world_of)?;
                let second = tree.subtree_from(left.1 + 1);
                let right = descend(tree, second, (depth + 1, nodes), world_of)?;
                if left.1 + 1 != right.0 {
                    return Err(format!("records {} and {} under node {link}", left.1, right.0));
                }
                if link != left.0 && link != right.1 {
                    return Err(format!("node {link} is of the records {} to {}", left.0, right.1));
                }
                let [a, b] = [tree.at(own.id), tree.at(second)];
                if (own.low, own.high) != (a.low.min(b.low), a.high.max(b.high)) {
                    return Err(format!("the bounds of node {link}"));
                }
                (own, [left.0, right.1, left.2.max(right.2)])
            };
            let world = |place: u32| world_of(tree.records[place as usize].id);
            let next = last + 1;
            let expected = match next < n && world(next) == world(last) {
                true => tree.subtree_from(next),
                false => END,
            };
            match own.tag == expected {
                true => Ok((first, last, deepest)),
                false => Err(format!("{link:#x} leads to {:#x} and not to {expected:#x}", own.tag)),
            }
        }
        let n = tree.records.len() as u32;
        let mut nodes = 0;
        if n == 0 {
            return Ok(0);
        }
        let (first, last, deepest) = descend(tree, tree.subtree_from(0), (0, &mut nodes), &world_of)?;
        let mut ids: Vec<u32> = tree.records.iter().map(|record| record.id).collect();
        ids.sort_unstable();
        match (first, last, nodes) == (0, n - 1, n - 1) && ids.into_iter().eq(0..n) {
            true => Ok(deepest),
            false => Err(format!("{nodes} nodes over the records {first} to {last} of {n}")),
        }
    }

    fn tree_of(bounds: &[Bounds], rules: &SetRules) -> Lbvh {
        let mut tree = Lbvh::default();
        tree.sort(bounds, rules).expect("memory");
        tree
    }

    #[test]
    fn every_record_is_below_the_root_once() {
        for (name, bounds) in scenes() {
            for of in [1, 3, 100] {
                let rules = worlds(bounds.len(), of);
                let tree = tree_of(&bounds, &rules);
                let deepest = check(&tree, |id| rules.world(id)).unwrap_or_else(|what| panic!("{name}: {what}"));
                assert!(deepest <= 127, "{name}: {deepest}");
            }
        }
    }

    #[test]
    fn wrong_trees_are_noticed() {
        let (_, bounds) = scenes().swap_remove(17);
        let none = SetRules::default();
        let tree = || tree_of(&bounds, &none);
        let wrong = |tree: Lbvh| check(&tree, |_| 0).is_err();
        assert!(!wrong(tree()));
        let mut all = [(); 5].map(|()| tree());
        all[0].nodes[40].tag ^= 1;
        all[1].nodes[77].id ^= 1;
        all[2].nodes[5].low.x -= 1.0;
        all[3].records[9].tag = END;
        all[4].records[9].id = 10;
        assert!(all.into_iter().all(wrong));
    }

    #[test]
    fn pairs_are_found_once_whatever_the_range() {
        for (name, bounds) in scenes() {
            for of in [1, 5] {
                let rules = worlds(bounds.len(), of);
                let tree = tree_of(&bounds, &rules);
                let mut found = Vec::new();
                for range in [0..bounds.len() / 3, bounds.len() / 3..bounds.len()] {
                    tree.pairs::<false>(&rules, range, |pairs, _| {
                        let id = |place: u32| tree.records[place as usize].id;
                        found.extend(pairs.iter().map(|pair| Pair::new(id(pair.a), id(pair.b))));
                    });
                }
                found.sort_unstable();
                let mut expected = Vec::new();
                for a in &bounds {
                    let meets = |b: &&Bounds| a.overlaps(b) && rules.world(a.id) == rules.world(b.id);
                    expected.extend(
                        bounds[a.id as usize + 1..]
                            .iter()
                            .filter(meets)
                            .map(|b| Pair::new(a.id, b.id)),
                    );
                }
                assert!(
                    found == expected,
                    "{name}, {of} worlds: {} of {}",
                    found.len(),
                    expected.len()
                );
            }
        }
    }

    #[test]
    fn movers_find_what_they_meet() {
        use crate::broad_phase::phase::OverBounds;
        for (name, bounds) in scenes() {
            let movers: Vec<Bounds> = bounds
                .iter()
                .rev()
                .map(|b| Bounds {
                    low: b.low - 0.3,
                    high: b.high + 0.1,
                    ..*b
                })
                .collect();
            for of in [1, 5] {
                let rules = worlds(bounds.len(), of);
                let tree = tree_of(&bounds, &rules);
                let mut found = Vec::new();
                tree.meet::<false>(&movers, &rules, |pair| found.push(pair));
                let mut expected = Vec::new();
                for a in &bounds {
                    let meets = |b: &&Bounds| a.overlaps(b) && rules.world(a.id) == rules.world(b.id);
                    expected.extend(movers.iter().filter(meets).map(|b| Pair { a: a.id, b: b.id }));
                }
                found.sort_unstable();
                expected.sort_unstable();
                assert!(
                    found == expected,
                    "{name}, {of} worlds: {} of {}",
                    found.len(),
                    expected.len()
                );
            }
        }
    }

    #[test]
    fn worlds_in_one_place_cost_what_they_cost_apart() {
        let all = bounds(40_000, |_, n| Vec3::new(n(), n(), n()) * 3.0, |_| 0.2);
        let comparisons = |of| {
            let rules = worlds(all.len(), of);
            let tree = tree_of(&all, &rules);
            tree.pairs::<true>(&rules, 0..all.len(), |_, _| {}).comparisons
        };
        assert!(comparisons(4000) < 20 * all.len() as u64, "{}", comparisons(4000));
        assert!(comparisons(1) > 100 * all.len() as u64, "{}", comparisons(1));
    }

    /// What a GPU has left of a tree, and what the twin makes of its keys.
    #[cfg(feature = "gpu")]
    #[test]
    fn a_gpu_makes_the_tree_of_the_twin() {
        use crate::base::config::{Backend, BroadPhase, Config, GpuConfig};
        use crate::broad_phase::lbvh::{lbvh_keys, lbvh_tree};
        use crate::checker::Checker;
        use crate::device::buffers::Slot;
        use crate::engine::query::Query;
        use crate::engine::query::sets::BoxSet;
        use crate::geometry::aabb::Aabb;
        use crate::rules::model::Rules;

        fn read<T: bytemuck::Pod>(checker: &mut Checker, slot: &'static Slot, count: usize) -> Vec<T> {
            let engine = checker.gpu().expect("a checker on a GPU");
            let segments: Vec<_> = engine
                .pipeline
                .as_ref()
                .expect("it has run")
                .arena
                .segments(slot)
                .cloned()
                .collect();
            let mut all = Vec::new();
            for segment in segments {
                let here = (segment.size() as usize / size_of::<T>()).min(count - all.len());
                all.extend(pollster::block_on(engine.read::<T>(&segment, here as u32)).expect("the device works"));
            }
            all
        }

        let split = GpuConfig {
            max_buffer_bytes: Some(1 << 16),
            subgroups: false,
            shader_checks: true,
            ..GpuConfig::default()
        };
        for gpu in [GpuConfig::default(), split] {
            let config = Config {
                backend: Backend::Gpu,
                broad_phase: BroadPhase::Lbvh,
                gpu,
                ..Config::default()
            };
            let mut checker = Checker::new(config).expect("a GPU adapter, a software one will do");
            let mut twins = 0;
            for (name, bounds) in scenes() {
                for of in [1, 3, 100] {
                    let rules = worlds(bounds.len(), of);
                    let boxes: Vec<Aabb> = bounds.iter().map(|b| Aabb::new(b.low, b.high)).collect();
                    let given = Rules {
                        worlds: rules.worlds.as_deref(),
                        ..Rules::default()
                    };
                    checker
                        .check(Query::bounds(BoxSet::new(&boxes).with(given)))
                        .unwrap_or_else(|error| panic!("{name}: {error}"));
                    let n = bounds.len();
                    // What is tiny is magnified on its way; what is large is cut into parts.
                    if n == 0 || n > 4000 || name == "subnormal" {
                        continue;
                    }
                    let order: Vec<Pair> = read(&mut checker, &lbvh_keys::ORDER, n);
                    let keys: Vec<[u32; 2]> = read(&mut checker, &lbvh_keys::SORTED_KEYS, n);
                    let mut records: Vec<Bounds> = read(&mut checker, &lbvh_tree::RECORDS, n);
                    let mut nodes: Vec<Bounds> = read(&mut checker, &lbvh_tree::NODES, n - 1);
                    let entries: Vec<Entry> = (0..n)
                        .map(|i| {
                            let id = order[i].b;
                            let key = u64::from(keys[i][1]) << 32 | u64::from(keys[i][0]);
                            assert!(
                                key >> (3 * crate::broad_phase::lbvh::layout::BITS) == 0,
                                "{name}: {key:x}"
                            );
                            Entry::from(rules.world(id)) << 96 | Entry::from(key) << 32 | Entry::from(id)
                        })
                        .collect();
                    assert!(entries.is_sorted(), "{name}: order");
                    let twin = Keys(&entries);
                    for (i, record) in records.iter().enumerate() {
                        assert_eq!(
                            (record.id, record.tag),
                            (order[i].b, twin.escape_from(i as u32)),
                            "{name}: record {i}"
                        );
                    }
                    for (i, node) in nodes.iter().enumerate() {
                        let below = twin.below(i as u32);
                        assert_eq!(
                            (node.id, node.tag),
                            (below.left, twin.escape_from(below.last)),
                            "{name}: node {i}"
                        );
                    }
                    twins += n;
                    let mut tree = Lbvh::default();
                    (tree.records, tree.nodes) = (std::mem::take(&mut records), std::mem::take(&mut nodes));
                    check(&tree, |id| rules.world(id)).unwrap_or_else(|what| panic!("{name}, {of} worlds: {what}"));
                }
            }
            assert!(twins > 15_000, "{twins}");
        }
    }
}
