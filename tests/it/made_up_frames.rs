//! Sorted pairs and rows of frames that stay on the GPU, for lists of pairs that no boxes have: the
//! frames are artificial.

use obbligato::gpu::{AdjacencyOf, SortPairs};
use obbligato::unstable::gpu::{Inside, recorded};
use obbligato::{
    Config, GpuConfig, Pair,
    report::{Adjacency, Direction},
    wgpu,
};
use obbligato::{
    GpuChecker,
    gpu::{Outcome, Recorded},
};

use crate::support::application::Application;
use crate::support::pairs::random_pairs;

/// The indices in the pairs: numbers below these sizes, of one set or of two.
#[derive(Clone, Copy)]
struct Sets {
    sizes: [u32; 2],
    same: bool,
}

/// A frame with these pairs as its result.
fn frame_of(application: &Application, pairs: &[Pair], sets: Sets) -> Recorded {
    let outcome = Outcome {
        pairs: pairs.len() as u32,
        ..Outcome::default()
    };
    // A buffer has more capacity than there are pairs, with invalid pairs in the rest.
    let mut stored = pairs.to_vec();
    stored.extend([Pair { a: 0, b: 0 }; 5]);
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
    let outcome = application.buffer(bytemuck::bytes_of(&outcome), usage | wgpu::BufferUsages::UNIFORM);
    let pairs = application.buffer(bytemuck::cast_slice(&stored), usage);
    recorded(&outcome, &pairs, sets.sizes, sets.same)
}

fn inside(checker: &mut GpuChecker) -> Inside<'_> {
    Inside::of(checker.checker()).expect("a checker on a GPU")
}

/// Runs the recorded commands, and reads the beginning of a buffer.
fn read<T: bytemuck::Pod>(
    application: &Application,
    mut encoder: wgpu::CommandEncoder,
    buffer: &wgpu::Buffer,
    count: usize,
) -> Vec<T> {
    let copy = application.copy(&mut encoder, buffer);
    application.queue.submit([encoder.finish()]);
    let mut all = application.read(&copy);
    all.truncate(count);
    all
}

/// Compares sorted pairs, and the adjacency in every direction, with the CPU's.
#[track_caller]
fn expect_forms((application, checker): (&Application, &mut GpuChecker), what: &str, pairs: &[Pair], sets: Sets) {
    let mut sorted = pairs.to_vec();
    sorted.sort();
    let frame = frame_of(application, pairs, sets);
    let mut commands = application.encoder();
    checker.record(&mut commands, SortPairs(&frame)).expect("a sort");
    let found: Vec<Pair> = read(application, commands, &frame.pairs, pairs.len());
    assert!(found == sorted, "{what}: {} sorted pairs", pairs.len());

    // These tests have no scenes with this many boxes.
    if sets.sizes.into_iter().max() > Some(1 << 22) {
        return;
    }
    for direction in [Direction::Both, Direction::AToB, Direction::BToA] {
        if direction == Direction::Both && !sets.same {
            continue;
        }
        let what = format!("{what}, {} pairs, {direction:?}", pairs.len());
        let frame = frame_of(application, pairs, sets);
        let mut commands = application.encoder();
        let found = checker
            .record(&mut commands, AdjacencyOf::new(&frame, direction))
            .expect("an adjacency");
        let expected = Adjacency::new(found.rows as usize, &sorted, direction).expect("memory");
        let offsets: Vec<u32> = read(application, commands, &found.offsets, expected.len() + 1);
        assert!(
            offsets
                .iter()
                .map(|&offset| u64::from(offset))
                .eq(expected.offsets().iter().copied()),
            "{what}"
        );
        let commands = application.encoder();
        let count = expected.neighbours().len();
        let neighbours: Vec<u32> = read(application, commands, &found.neighbours, count);
        assert!(neighbours == expected.neighbours(), "{what}");
        let commands = application.encoder();
        let left: Vec<Pair> = read(application, commands, &frame.pairs, pairs.len());
        assert!(left == sorted, "{what}: the pairs are sorted too");
    }
}

fn one_set(boxes: u32) -> Sets {
    Sets {
        sizes: [boxes; 2],
        same: true,
    }
}

fn two_sets(a: u32, b: u32) -> Sets {
    Sets {
        sizes: [a, b],
        same: false,
    }
}

#[test]
fn any_number_of_pairs_is_sorted() {
    let few = GpuConfig {
        max_workgroups_per_dimension: Some(3),
        ..GpuConfig::default()
    };
    let checked = GpuConfig {
        shader_checks: true,
        subgroups: false,
        ..GpuConfig::default()
    };
    let application = Application::new();
    for (what, gpu) in [("default", GpuConfig::default()), ("few", few), ("checked", checked)] {
        let mut checker = application.checker(Config {
            gpu,
            ..Config::default()
        });
        for (count, boxes) in [
            (0, 0),
            (0, 10),
            (1, 2),
            (2, 300),
            (255, 20),
            (256, 256),
            (257, 257),
            (1024, 40),
            (1025, 100_000),
            (30_000, 3000),
            (300_000, 3000),
            (3000, u32::MAX),
        ] {
            expect_forms(
                (&application, &mut checker),
                what,
                &random_pairs(count, [boxes; 2], true),
                one_set(boxes),
            );
        }
        for (count, a, b) in [(1, 1, 1), (5000, 70_000, 3), (5000, 3, 70_000), (2000, 1, 1000)] {
            expect_forms(
                (&application, &mut checker),
                what,
                &random_pairs(count, [a, b], false),
                two_sets(a, b),
            );
        }
    }
}

#[test]
fn long_rows_are_handled_like_others() {
    let application = Application::new();
    let mut checker = application.checker(Config::default());
    // More pairs of one box than the minimum size of blocks, and more than the iterations that
    // llvmpipe allows a loop.
    let last = 150_000;
    let fan = |hub: u32| {
        (0..=last)
            .filter(move |&other| other != hub)
            .map(move |other| Pair::new(hub, other))
    };
    for hubs in [&[0][..], &[last], &[0, 77_777, last]] {
        let pairs: Vec<Pair> = hubs.iter().flat_map(|&hub| fan(hub)).rev().collect();
        expect_forms(
            (&application, &mut checker),
            &format!("hubs {hubs:?}"),
            &pairs,
            one_set(last + 1),
        );
    }
    // All pairs of boxes at one place, and boxes without any pair before and after two that have
    // one.
    let crowd: Vec<Pair> = (0..500u32).flat_map(|b| (0..b).map(move |a| Pair { a, b })).collect();
    expect_forms((&application, &mut checker), "one spot", &crowd, one_set(500));
    expect_forms(
        (&application, &mut checker),
        "lonely",
        &[Pair::new(100_000, 100_001)],
        one_set(last),
    );
}

#[test]
fn forms_allocate_only_once() {
    let application = Application::new();
    let mut checker = application.checker(Config::default());
    let frames = [3000, 2000].map(|count| frame_of(&application, &random_pairs(count, [900; 2], true), one_set(900)));
    let mut made = None;
    for round in 0..5 {
        let mut commands = application.encoder();
        for frame in &frames {
            checker.record(&mut commands, SortPairs(frame)).expect("a sort");
            checker
                .record(&mut commands, AdjacencyOf::new(frame, Direction::Both))
                .expect("an adjacency");
        }
        application.queue.submit([commands.finish()]);
        let now = inside(&mut checker).buffers_made();
        if round > 0 {
            assert_eq!(*made.get_or_insert(now), now, "round {round}");
        }
    }
    let held = inside(&mut checker).form_bytes();
    let expected = 4 * (256 * 2048 + 256) + 3 * 8 * 3005 + 2 * 4 * 901;
    assert!(
        (expected..expected + 200).contains(&held),
        "{held} bytes, not {expected}"
    );
}
