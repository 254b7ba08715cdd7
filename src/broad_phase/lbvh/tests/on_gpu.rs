//! The trees left by a GPU, compared with the properties of any tree, and with the CPU's tree for
//! the same keys.

use std::slice;

use crate::base::config::{Backend, BroadPhase, Config, GpuConfig};
use crate::broad_phase::lbvh::layout::BITS;
use crate::broad_phase::lbvh::lbvh_keys::{ORDER, SORTED_KEYS};
use crate::broad_phase::lbvh::lbvh_keys_cpu::Entry;
use crate::broad_phase::lbvh::lbvh_tree::{NODES, RECORDS};
use crate::broad_phase::lbvh::lbvh_tree_cpu::{Keys, Lbvh};
use crate::broad_phase::lbvh::tests::{check, scenes, worlds};
use crate::checker::Checker;
use crate::device::buffers::Slot;
use crate::engine::gpu::engine::GpuEngine;
use crate::engine::gpu::frame_rules::{FrameRules, RulesOf};
use crate::engine::gpu::recorded::FrameQuery;
use crate::geometry::aabb::Aabb;
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;
use crate::rules::filter::SetRules;
use crate::rules::model::Rules;

fn checker(gpu: GpuConfig) -> Checker {
    let config = Config {
        backend: Backend::Gpu,
        broad_phase: BroadPhase::Lbvh,
        gpu,
        ..Config::default()
    };
    Checker::new(config).expect("a GPU adapter, a software one will do")
}

fn read<T: bytemuck::Pod>(engine: &mut GpuEngine, slot: &'static Slot, count: usize) -> Vec<T> {
    let pipeline = engine.pipeline.as_ref().expect("it has run");
    let segments: Vec<_> = pipeline.arena.segments(slot).cloned().collect();
    let mut all = Vec::new();
    for segment in segments {
        let here = (segment.size() as usize / size_of::<T>()).min(count - all.len());
        all.extend(pollster::block_on(engine.read::<T>(&segment, here as u32)).expect("the device works"));
    }
    all
}

/// Checks the tree over `n` records, at least one, that the last frame has left.
fn expect_tree(engine: &mut GpuEngine, name: &str, rules: &SetRules, n: usize) -> Lbvh {
    let order: Vec<Pair> = read(engine, &ORDER, n);
    let keys: Vec<[u32; 2]> = read(engine, &SORTED_KEYS, n);
    let records: Vec<Bounds> = read(engine, &RECORDS, n);
    let nodes: Vec<Bounds> = read(engine, &NODES, n - 1);
    let entry = |i: usize| {
        let id = order[i].b;
        let key = u64::from(keys[i][1]) << 32 | u64::from(keys[i][0]);
        assert!(key >> (3 * BITS) == 0, "{name}: {key:x}");
        Entry::from(rules.world(id)) << 96 | Entry::from(key) << 32 | Entry::from(id)
    };
    let entries: Vec<Entry> = (0..n).map(entry).collect();
    assert!(entries.is_sorted(), "{name}: order");
    let twin = Keys(&entries);
    for (i, record) in records.iter().enumerate() {
        let expected = (order[i].b, twin.escape_from(i as u32));
        assert_eq!((record.id, record.tag), expected, "{name}: record {i}");
    }
    for (i, node) in nodes.iter().enumerate() {
        let below = twin.below(i as u32);
        let expected = (below.left, twin.escape_from(below.last));
        assert_eq!((node.id, node.tag), expected, "{name}: node {i}");
    }
    let mut tree = Lbvh::default();
    (tree.records, tree.nodes) = (records, nodes);
    check(&tree, |id| rules.world(id)).unwrap_or_else(|what| panic!("{name}: {what}"));
    tree
}

fn boxes_of(bounds: &[Bounds]) -> Vec<Aabb> {
    bounds.iter().map(|b| Aabb::new(b.low, b.high)).collect()
}

fn rules_of<'a>(rules: &'a SetRules<'_>) -> Rules<'a> {
    Rules {
        worlds: rules.worlds.as_deref(),
        ..Rules::default()
    }
}

fn upload(engine: &GpuEngine, rules: &SetRules, count: usize) -> FrameRules {
    FrameRules::upload(&engine.context, RulesOf::boxes(&rules_of(rules), count as u32)).expect("valid rules")
}

/// Runs a frame, which keeps the order of the one before if asked to, and checks its tree.
fn tree_of(
    engine: &mut GpuEngine,
    name: &str,
    bounds: &[Bounds],
    (rules, uploaded): (&SetRules, &FrameRules),
    refit: bool,
) -> Lbvh {
    let n = bounds.len();
    let buffer = engine.upload(&boxes_of(bounds)).expect("memory");
    let query = FrameQuery::bounds(&buffer, n as u32).with(uploaded);
    let query = if refit { query.refit() } else { query };
    let mut encoder = engine.context.device.create_command_encoder(&Default::default());
    let recorded = engine.record(&mut encoder, query).expect("a recorded frame");
    engine.context.queue.submit([encoder.finish()]);
    assert_eq!(recorded.refitted, refit, "{name}");
    expect_tree(engine, name, rules, n)
}

#[test]
fn the_gpu_tree_equals_the_cpu_tree() {
    let split = GpuConfig {
        max_buffer_bytes: Some(1 << 16),
        subgroups: false,
        shader_checks: true,
        ..GpuConfig::default()
    };
    for (gpu, most_at_once) in [(GpuConfig::default(), usize::MAX), (split, 4000)] {
        let mut checker = checker(gpu);
        let engine = checker.gpu().expect("a GPU");
        let mut twins = 0;
        for (name, bounds) in scenes() {
            if bounds.is_empty() || bounds.len() > most_at_once {
                continue;
            }
            for of in [1, 100] {
                let (name, rules) = (format!("{name}, {of} worlds"), worlds(bounds.len(), of));
                let uploaded = upload(engine, &rules, bounds.len());
                tree_of(engine, &name, &bounds, (&rules, &uploaded), false);
                twins += bounds.len();
            }
        }
        let expected = match most_at_once {
            usize::MAX => 20_000,
            _ => 12_600,
        };
        assert!(twins > expected, "{twins}");
    }
}

/// Checks that the tree of a frame that keeps the order of another one is a tree over its own
/// bounds, in that order.
#[test]
fn a_tree_is_refitted_to_moved_boxes() {
    let mut checker = checker(GpuConfig::default());
    let engine = checker.gpu().expect("a GPU");
    for (name, bounds) in scenes() {
        if bounds.is_empty() {
            continue;
        }
        for of in [1, 3] {
            let (name, rules, n) = (format!("{name}, {of} worlds"), worlds(bounds.len(), of), bounds.len());
            let uploaded = upload(engine, &rules, n);
            let both = (&rules, &uploaded);
            let built = tree_of(engine, &name, &bounds, both, false);
            // Each box takes the place of another, which makes the order as bad as possible.
            let mut moved = bounds.clone();
            for (k, b) in moved.iter_mut().enumerate() {
                let other = &bounds[n - 1 - k];
                (b.low, b.high) = (other.low, other.high * 1.5 - 0.5 * other.low);
            }
            let refitted = tree_of(engine, &name, &moved, both, true);
            for (k, (before, after)) in built.records.iter().zip(&refitted.records).enumerate() {
                assert_eq!((before.id, before.tag), (after.id, after.tag), "{name}: record {k}");
                let own = moved[after.id as usize];
                assert_eq!((after.low, after.high), (own.low, own.high), "{name}: record {k}");
            }
            let links = |tree: &Lbvh| -> Vec<_> { tree.nodes.iter().map(|node| (node.id, node.tag)).collect() };
            assert!(links(&built) == links(&refitted), "{name}");
            assert!(
                slice::from_ref(&built.nodes) != slice::from_ref(&refitted.nodes) || n < 2,
                "{name}"
            );
        }
    }
}
