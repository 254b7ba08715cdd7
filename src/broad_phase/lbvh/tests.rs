//! Tests of the tree of the CPU and of the GPU: properties of its links and bounds, and walks that
//! find each pair once.

#[cfg(feature = "gpu")]
mod on_gpu;

use std::borrow::Cow;

use glam::Vec3;

use crate::base::split_mix::SplitMix;
use crate::broad_phase::lbvh::layout::{END, LEAF, POSITION};
use crate::broad_phase::lbvh::lbvh_tree_cpu::Lbvh;
use crate::broad_phase::phase::PairSearch;
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;
use crate::rules::filter::SetRules;

/// Returns bounds with low corners and extents given by these functions.
fn bounds(count: u32, low: impl Fn(u32, &mut dyn FnMut() -> f32) -> Vec3, size: impl Fn(u32) -> f32) -> Vec<Bounds> {
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

/// Checks a tree: each record is below the root once, each node's bounds are those of its children,
/// and links lead to the next record or node. Returns an error, or the maximum depth.
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
fn the_tree_contains_every_record_once() {
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
fn invalid_trees_are_detected() {
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
fn any_range_finds_each_pair_once() {
    for (name, bounds) in scenes() {
        for of in [1, 5] {
            let rules = worlds(bounds.len(), of);
            let tree = tree_of(&bounds, &rules);
            let mut found = Vec::new();
            for range in [0..bounds.len() / 3, bounds.len() / 3..bounds.len()] {
                tree.pairs::<false>(&rules, range, &mut |pairs, _| {
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
fn movers_find_every_overlap() {
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
            tree.meet_ids::<false>(&movers, &rules, |pair| found.push(pair));
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
fn overlapping_worlds_cost_the_same_as_separate_ones() {
    let all = bounds(40_000, |_, n| Vec3::new(n(), n(), n()) * 3.0, |_| 0.2);
    let comparisons = |of| {
        let rules = worlds(all.len(), of);
        let tree = tree_of(&all, &rules);
        tree.pairs::<true>(&rules, 0..all.len(), &mut |_, _| {}).comparisons
    };
    assert!(comparisons(4000) < 20 * all.len() as u64, "{}", comparisons(4000));
    assert!(comparisons(1) > 100 * all.len() as u64, "{}", comparisons(1));
}
