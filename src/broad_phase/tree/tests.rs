//! All trees, compared with all pairs.

use std::ops::Range;

use glam::Vec3;

use crate::base::error::Error;
use crate::base::memory;
use crate::base::split_mix::SplitMix;
use crate::broad_phase::operations::Operations;
use crate::broad_phase::phase::OverBounds;
use crate::broad_phase::tree::node::{DEEPEST, Nodes};
use crate::broad_phase::tree::phase::{Build, Octree, SurfaceTree, Tree, TreePhase};
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;
use crate::geometry::scene_stats::Gathered;
use crate::made_up::{self, Scene};
use crate::rules::filter::SetRules;
use crate::rules::model::Rules;

/// Runs a test for all trees.
macro_rules! of_all {
    ($test:ident($($argument:expr),*)) => {
        $test::<SurfaceTree>($($argument),*);
        $test::<Tree>($($argument),*);
        $test::<Octree>($($argument),*);
    };
}

trait Inspect: OverBounds {
    fn nodes(&self) -> &Nodes;

    fn records(&self) -> &[Bounds];
}

impl<B: Build> Inspect for TreePhase<B> {
    fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    fn records(&self) -> &[Bounds] {
        &self.records
    }
}

fn bounds_of(boxes: impl IntoIterator<Item = (Vec3, Vec3)>) -> Vec<Bounds> {
    let boxes = (0..).zip(boxes);
    boxes
        .map(|(id, (low, high))| Bounds {
            low,
            tag: id % 3,
            high,
            id,
        })
        .collect()
}

/// Returns boxes with centers in a cube and these half extents.
fn random_boxes(count: usize, random: &mut SplitMix, reach: f32, half: impl Fn(&mut SplitMix) -> Vec3) -> Vec<Bounds> {
    let boxes = (0..count).map(|_| {
        let center = vector(random) * reach;
        let half = half(random);
        (center - half, center + half)
    });
    bounds_of(boxes.collect::<Vec<_>>())
}

fn unit(random: &mut SplitMix) -> f32 {
    (random.next() >> 40) as f32 / (1u32 << 24) as f32
}

fn vector(random: &mut SplitMix) -> Vec3 {
    Vec3::from_array([0; 3].map(|_| 2.0 * unit(random) - 1.0))
}

fn scene(scene: Scene, count: usize) -> Vec<Bounds> {
    let boxes = made_up::boxes(scene, count, 3);
    bounds_of(boxes.iter().map(|solid| {
        let axes = glam::Mat3::from_quat(solid.rotation);
        let half = axes.x_axis.abs() * solid.half_extents.x
            + axes.y_axis.abs() * solid.half_extents.y
            + axes.z_axis.abs() * solid.half_extents.z;
        (solid.center - half, solid.center + half)
    }))
}

/// Returns the expected pairs, in order.
fn all_pairs(bounds: &[Bounds], world: impl Fn(u32) -> u32) -> Vec<Pair> {
    let mut sorted: Vec<&Bounds> = bounds.iter().collect();
    sorted.sort_by(|a, b| a.low.x.total_cmp(&b.low.x));
    let mut pairs = Vec::new();
    for (k, a) in sorted.iter().enumerate() {
        for b in sorted[k + 1..].iter().take_while(|b| b.low.x <= a.high.x) {
            if a.overlaps(b) && world(a.id) == world(b.id) {
                pairs.push(Pair::new(a.id, b.id));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Returns the pairs that records in these ranges find.
fn found_in<T: OverBounds>(
    tree: &T,
    rules: &SetRules,
    ranges: impl IntoIterator<Item = Range<usize>>,
) -> (Vec<Pair>, Operations) {
    let mut pairs = Vec::new();
    let mut operations = Operations::default();
    let records = tree.sorted();
    for range in ranges {
        operations += tree.pairs::<true>(rules, range.clone(), &mut |found, _| {
            let named = |pair: &Pair| [pair.a, pair.b].map(|position| records.id(position as usize));
            let named = found.iter().map(named).map(|[a, b]| Pair::new(a, b));
            pairs.extend(named.filter(|pair| rules.world(pair.a) == rules.world(pair.b)));
        });
    }
    pairs.sort_unstable();
    (pairs, operations)
}

fn built<T: OverBounds>(bounds: &[Bounds], rules: &SetRules) -> T {
    let mut tree = T::default();
    // Memory left by another scene must have no effect.
    let mut bounds = bounds.to_vec();
    let some = bounds.len() / 3;
    tree.build(&mut bounds[..some], &Gathered::default(), &SetRules::default())
        .expect("memory");
    tree.build(&mut bounds, &Gathered::default(), rules).expect("memory");
    tree
}

fn finds_all<T: Inspect>(bounds: &[Bounds], rules: &SetRules, expected: &[Pair]) {
    let tree = built::<T>(bounds, rules);
    assert_eq!(tree.len(), bounds.len());
    assert_eq!(faults(tree.nodes(), tree.records()), None);
    let whole = std::iter::once(0..bounds.len());
    let (pairs, _) = found_in(&tree, rules, whole);
    assert!(pairs == expected, "{} pairs instead of {}", pairs.len(), expected.len());
    // With ranges cut at random.
    let mut random = SplitMix(bounds.len() as u64);
    let mut cuts: Vec<usize> = (0..20)
        .map(|_| (random.next() % (bounds.len() as u64 + 1)) as usize)
        .collect();
    cuts.extend([0, bounds.len()]);
    cuts.sort_unstable();
    let (pairs, _) = found_in(&tree, rules, cuts.windows(2).map(|cut| cut[0]..cut[1]));
    assert!(
        pairs == expected,
        "{} pairs of ranges instead of {}",
        pairs.len(),
        expected.len()
    );
    // Lists double their capacity while memory is plentiful.
    assert!(
        tree.bytes() <= 2 * T::bytes_for(bounds.len() as u64),
        "{}",
        tree.bytes()
    );
    // All boxes as movers, slightly shifted.
    let movers: Vec<Bounds> = bounds
        .iter()
        .step_by(7)
        .map(|bounds| {
            let beside = (bounds.high - bounds.low) * 0.25;
            Bounds {
                low: bounds.low + beside,
                high: bounds.high + beside,
                ..*bounds
            }
        })
        .collect();
    let mut met = Vec::new();
    tree.meet_ids::<true>(&movers, rules, |pair| met.push(pair));
    met.retain(|pair| rules.world(pair.a) == rules.world(pair.b));
    met.sort_unstable();
    let mut expected: Vec<Pair> = movers
        .iter()
        .flat_map(|mover| {
            let at_rest = bounds
                .iter()
                .filter(|other| other.overlaps(mover) && rules.world(other.id) == rules.world(mover.id));
            at_rest.map(|other| Pair {
                a: other.id,
                b: mover.id,
            })
        })
        .collect();
    expected.sort_unstable();
    assert!(met == expected, "{} met instead of {}", met.len(), expected.len());
}

fn check(bounds: &[Bounds]) {
    let expected = all_pairs(bounds, |_| 0);
    of_all!(finds_all(bounds, &SetRules::default(), &expected));
}

#[test]
fn scenes() {
    for name in Scene::ALL {
        check(&scene(name, 3001));
    }
}

#[test]
fn random_sets() {
    let mut random = SplitMix(1);
    for count in (0..40).chain([63, 64, 65, 100, 500, 777, 5000]) {
        let size = (count as f32).cbrt().recip().min(1.0);
        check(&random_boxes(count, &mut random, 1.0, |random| {
            vector(random).abs() * size
        }));
    }
}

#[test]
fn sizes_over_many_octaves() {
    let mut random = SplitMix(2);
    let sizes = |random: &mut SplitMix| vector(random).abs() * (20.0 * unit(random) - 20.0).exp2();
    check(&random_boxes(4000, &mut random, 1.0, sizes));
    // Nested ever closer around a point, and as far out as coordinates go.
    check(&bounds_of((0..700).map(|k| {
        let scale = 2f32.powi(60 - k % 200);
        (Vec3::splat(-scale), Vec3::splat(scale * 0.5))
    })));
    check(&bounds_of((0..2000).map(|k| {
        let scale = 2f32.powi(60 - k % 209);
        (Vec3::splat(scale), Vec3::splat(scale * 1.25))
    })));
}

#[test]
fn degenerate_sets() {
    let one = (Vec3::NEG_ONE, Vec3::ONE);
    check(&bounds_of([one; 300]));
    check(&bounds_of([(Vec3::ZERO, Vec3::ZERO); 300]));
    check(&bounds_of([(Vec3::splat(-0.0), Vec3::ZERO); 20]));
    // Points on a line, two at each.
    check(&bounds_of(
        (0..1000).map(|k| <[Vec3; 2]>::into([Vec3::new(0.0, (k / 2) as f32, 0.0); 2])),
    ));
    // Boxes that touch along a line, and in a plane.
    check(&bounds_of(
        (0..1000).map(|k| (Vec3::X * k as f32, Vec3::X * (k + 1) as f32)),
    ));
    let cell = |k: i32| Vec3::new((k % 40) as f32, (k / 40) as f32, 0.0);
    check(&bounds_of((0..1600).map(|k| (cell(k), cell(k) + Vec3::ONE))));
    // The smallest numbers.
    let tiny = f32::from_bits(1);
    check(&bounds_of((0..1000).map(|k| {
        let low = Vec3::new((k % 10) as f32, (k / 10 % 10) as f32, (k / 100) as f32) * tiny;
        (low, low + Vec3::splat(tiny))
    })));
    // Giants of equal size, and needles.
    let mut random = SplitMix(5);
    let mut giants = random_boxes(2000, &mut random, 1.0, |_| Vec3::splat(0.02));
    for (k, giant) in giants.iter_mut().step_by(50).enumerate() {
        (giant.low[k % 3], giant.high[k % 3]) = (-1.0, 1.0);
        (giant.low[(k + 1) % 3], giant.high[(k + 1) % 3]) = (-1.0, 1.0);
    }
    check(&giants);
}

#[test]
fn worlds() {
    let mut random = SplitMix(7);
    let bounds = random_boxes(3000, &mut random, 1.0, |random| vector(random).abs() * 0.2);
    for worlds in [1, 2, 7, 300, 2900] {
        let of: Vec<u32> = bounds.iter().map(|_| (random.next() % worlds) as u32 * 1000).collect();
        let rules = Rules {
            worlds: Some(&of),
            ..Rules::default()
        };
        let rules = SetRules::new(&rules, bounds.len()).expect("rules");
        let expected = all_pairs(&bounds, |id| of[id as usize]);
        of_all!(finds_all(&bounds, &rules, &expected));
    }
}

fn work_of<T: OverBounds>(bounds: &[Bounds], worlds: Option<&[u32]>) -> f64 {
    let rules = Rules {
        worlds,
        ..Rules::default()
    };
    let rules = SetRules::new(&rules, bounds.len()).expect("rules");
    let tree = built::<T>(bounds, &rules);
    let (_, operations) = found_in(&tree, &rules, std::iter::once(0..bounds.len()));
    operations.comparisons as f64 / bounds.len() as f64
}

fn worlds_cost_no_more_in_one_place<T: OverBounds>() {
    let boxes = |apart: f32| {
        let mut random = SplitMix(11);
        let mut bounds = random_boxes(40_000, &mut random, 1.0, |random| vector(random).abs() * 0.3);
        for bounds in &mut bounds {
            let offset = Vec3::X * apart * (bounds.id % 2000) as f32;
            (bounds.low, bounds.high) = (bounds.low + offset, bounds.high + offset);
        }
        bounds
    };
    let worlds: Vec<u32> = (0..40_000).map(|id| id % 2000).collect();
    let together = work_of::<T>(&boxes(0.0), Some(&worlds));
    let apart = work_of::<T>(&boxes(4.0), Some(&worlds));
    assert!(together < 1.5 * apart, "{together} instead of {apart}");
}

#[test]
fn thousands_of_worlds_in_one_place() {
    of_all!(worlds_cost_no_more_in_one_place());
}

fn costs_little<T: OverBounds>(bounds: &[Bounds], most: f64) {
    let work = work_of::<T>(bounds, None);
    assert!(work < most, "{work} comparisons a box");
}

#[test]
fn small_boxes_are_separated_in_a_world_of_any_size() {
    let mut random = SplitMix(13);
    let mut bounds = random_boxes(20_000, &mut random, 1.0, |_| Vec3::splat(0.02));
    of_all!(costs_little(&bounds, 100.0));
    (bounds[100].low, bounds[100].high) = (Vec3::splat(1e18), Vec3::splat(1.1e18));
    of_all!(costs_little(&bounds, 100.0));
    // Giants that would enlarge the leaves of small boxes.
    for giant in bounds.iter_mut().step_by(500) {
        (giant.low, giant.high) = (giant.low - 0.3, giant.high + 0.3);
    }
    of_all!(costs_little(&bounds, 400.0));
}

fn pairs_of<T: OverBounds>(bounds: &[Bounds], rules: &SetRules) -> Vec<Pair> {
    found_in(&built::<T>(bounds, rules), rules, std::iter::once(0..bounds.len())).0
}

#[test]
fn large_sets_are_built_by_several_threads() {
    for name in [Scene::Uniform, Scene::Mixed, Scene::Clusters] {
        let bounds = scene(name, 60_000);
        let expected = all_pairs(&bounds, |_| 0);
        let mut random = SplitMix(17);
        let of: Vec<u32> = bounds.iter().map(|_| (random.next() % 3) as u32).collect();
        let rules = Rules {
            worlds: Some(&of),
            ..Rules::default()
        };
        let rules = SetRules::new(&rules, bounds.len()).expect("rules");
        let of_worlds = all_pairs(&bounds, |id| of[id as usize]);
        let finds = |tree: &dyn Fn(&SetRules) -> Vec<Pair>| {
            assert!(tree(&SetRules::default()) == expected, "{name}");
            assert!(tree(&rules) == of_worlds, "{name} in worlds");
        };
        finds(&|rules| pairs_of::<SurfaceTree>(&bounds, rules));
        finds(&|rules| pairs_of::<Tree>(&bounds, rules));
        finds(&|rules| pairs_of::<Octree>(&bounds, rules));
    }
}

fn is_refused<T: OverBounds>(bounds: &[Bounds]) {
    let (mut tree, mut bounds) = (T::default(), bounds.to_vec());
    let outcome = memory::pretend::with_only(1 << 20, || {
        tree.build(&mut bounds, &Gathered::default(), &SetRules::default())
    });
    assert!(matches!(outcome, Err(Error::OutOfMemory { .. })));
}

#[test]
fn refused_memory_is_an_error() {
    let bounds = bounds_of((0..3 << 20).map(|k| (Vec3::splat(k as f32), Vec3::splat(k as f32))));
    of_all!(is_refused(&bounds));
}

/// Returns the fault of an invalid tree.
pub(crate) fn faults(nodes: &Nodes, records: &[Bounds]) -> Option<String> {
    let mut leaves = 0;
    let mut depths = vec![0; nodes.inner.len()];
    for (k, node) in nodes.inner.iter().enumerate() {
        if depths[k] >= DEEPEST || (k > 0) != (depths[k] > 0) {
            return Some(format!("node {k} is {} deep", depths[k]));
        }
        for lane in node.children() {
            let own = node.bounds.get(lane);
            let below = match node.leaf(lane) {
                Some(leaf) => {
                    leaves += 1;
                    nodes.leaves[leaf].extent()
                }
                None => {
                    let child = node.child[lane] as usize;
                    depths[child] = depths[k] + 1;
                    if child <= k || nodes.inner[child].end[7] != node.end[lane] {
                        return Some(format!("node {child} is below {k}"));
                    }
                    nodes.inner[child].bounds.extent()
                }
            };
            if own != below {
                return Some(format!("child {lane} of node {k} has {own:?} around {below:?}"));
            }
        }
    }
    if leaves != nodes.leaves.len() || nodes.starts.last().map_or(0, |&end| end as usize) != records.len() {
        return Some(format!("{leaves} of {} leaves", nodes.leaves.len()));
    }
    let wrong = (0..leaves).find(|&leaf| {
        let own = nodes.records_of(leaf);
        own.is_empty()
            || own.len() > 8
            || (own.clone().zip(0..)).any(|(record, lane)| {
                let extent = nodes.leaves[leaf].get(lane);
                extent.low != records[record].low || extent.high != records[record].high
            })
    });
    wrong.map(|leaf| format!("leaf {leaf}"))
}
