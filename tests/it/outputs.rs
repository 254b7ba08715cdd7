//! Results derived from pairs and times: rows, sorted pairs, the times of steps.

use obbligato::glam::Vec3;
use obbligato::{
    Config, Error, Obb, Output, Pair,
    report::{Adjacency, Direction, Stage, Timings, sort_pairs},
};

use crate::support::gpu::cpu;
use crate::support::pairs::{naive_rows, random_pairs};

#[track_caller]
fn expect(rows: usize, pairs: &[Pair], direction: Direction) {
    let adjacency = Adjacency::new(rows, pairs, direction).expect("memory");
    let expected = naive_rows(rows, pairs, direction);
    let what = format!("{} pairs of {rows} boxes, {direction:?}", pairs.len());
    assert_eq!(adjacency.len(), rows, "{what}");
    assert!(adjacency.rows().eq(expected.iter().map(Vec::as_slice)), "{what}");
    for (id, expected) in expected.iter().enumerate().take(100) {
        assert_eq!(adjacency.row(id as u32), expected, "{what}");
    }
}

#[test]
fn rows_match_a_naive_construction() {
    use Direction::{AToB, BToA, Both};
    for (count, boxes) in [
        (0, 0),
        (0, 5),
        (1, 2),
        (300, 3),
        (5000, 700),
        (100_000, 200_000),
        (200_000, 1025),
    ] {
        let mut pairs = random_pairs(count, [boxes; 2], true);
        for _ in 0..2 {
            // First unsorted, then as in a report.
            for direction in [Both, AToB, BToA] {
                expect(boxes as usize, &pairs, direction);
            }
            pairs.sort();
            pairs.dedup();
        }
    }
    // Pairs of two sets, of different sizes, and pairs whose first box is the larger one.
    let mut pairs = random_pairs(20_000, [3000, 70], false);
    pairs.sort();
    expect(3000, &pairs, AToB);
    expect(70, &pairs, BToA);
    expect(3000, &pairs, Both);
    expect(
        9,
        &[Pair { a: 8, b: 1 }, Pair { a: 3, b: 8 }, Pair { a: 8, b: 1 }],
        Both,
    );
    // One box that meets all others, as their first and as their last.
    let first: Vec<Pair> = (1..150_000).map(|b| Pair::new(0, b)).collect();
    let last: Vec<Pair> = (0..149_999).map(|a| Pair::new(a, 149_999)).collect();
    expect(150_000, &first, Both);
    expect(150_000, &last, Both);
}

#[test]
fn missing_rows_are_refused() {
    let pairs = [Pair::new(0, 1), Pair::new(2, 4), Pair::new(3, 4)];
    let refused = |rows, direction| match Adjacency::new(rows, &pairs, direction) {
        Ok(adjacency) => panic!("{adjacency:?}"),
        Err(Error::InvalidPair { index, named, boxes }) => (index, named, boxes),
        Err(other) => panic!("{other}"),
    };
    assert_eq!(refused(4, Direction::Both), (1, 4, 4));
    assert_eq!(refused(3, Direction::AToB), (2, 3, 3));
    assert_eq!(refused(1, Direction::BToA), (0, 1, 1));
    assert!(Adjacency::new(4, &pairs, Direction::AToB).is_ok());
    let none = Adjacency::new(usize::MAX, &[], Direction::Both);
    assert!(matches!(none, Err(Error::OutOfMemory { .. })), "{none:?}");
}

#[test]
fn pairs_are_sorted() {
    // Few pairs, which are sorted by comparison, and many, in chunks; of few and many boxes, some
    // duplicated; with the largest possible numbers.
    let (few, chunk) = (1 << 10, 1 << 15);
    for (count, boxes, offset) in [
        (0, 1, 0),
        (few - 1, 50, 0),
        (few, 1, 0),
        (5 * few, 300, 7),
        (2 * chunk + 77, 100_000, 0),
        (chunk, u32::MAX, 0),
        (chunk, 4, u32::MAX - 4),
    ] {
        let mut pairs = random_pairs(count, [boxes, u32::MAX], false);
        pairs.iter_mut().for_each(|pair| pair.a += offset);
        let mut expected = pairs.clone();
        expected.sort();
        sort_pairs(&mut pairs).expect("memory");
        assert!(pairs == expected, "{count} pairs of {boxes} boxes");
    }
}

#[test]
fn the_time_of_a_step() {
    let mut timings = Timings::default();
    timings.wall = vec![(Stage::Upload, 1.0), (Stage::Upload, 0.5), (Stage::Narrow, 3.0)];
    timings.gpu = [
        Stage::Bounds,
        Stage::Plan,
        Stage::Sort,
        Stage::Pairs,
        Stage::Narrow,
        Stage::F64,
    ]
    .map(|stage| (stage, 0.25))
    .to_vec();
    assert_eq!(timings.step(Stage::Upload), Some(1.5));
    assert_eq!(timings.step(Stage::Bounds), Some(0.25));
    assert_eq!(timings.step(Stage::Sort), Some(0.25));
    assert_eq!(timings.step(Stage::Broad), Some(0.75));
    assert_eq!(timings.step(Stage::Narrow), Some(3.0));
    assert_eq!(timings.step(Stage::Exact), None);
    assert_eq!(timings.wall_of(Stage::Broad), None);
    timings.wall.clear();
    assert_eq!(timings.step(Stage::Narrow), Some(0.5));
}

#[test]
fn results_not_requested_are_an_error_and_not_an_empty_list() {
    let stack = [Obb::axis_aligned(Vec3::ONE, Vec3::ONE); 3];
    let report = |output, max_pairs| {
        let config = Config {
            output,
            max_pairs,
            ..Config::default()
        };
        cpu(config).check(&stack).expect("valid boxes")
    };
    let hint = |error: Error| match error {
        Error::Unavailable { hint, .. } => hint,
        other => panic!("{other:?}"),
    };
    let unavailable = |found: Result<(), Error>| hint(found.expect_err("not asked for"));
    for output in [Output::Degrees, Output::Count] {
        let found = report(output, None);
        assert_eq!(found.colliding_pairs, 3);
        for found in [
            found.pairs().map(drop),
            found.clone().into_pairs().map(drop),
            found.checksum().map(drop),
        ] {
            assert!(unavailable(found).contains("Output::Pairs"));
        }
    }
    assert!(unavailable(report(Output::Count, None).marks().map(drop)).contains("Output::Pairs"));
    for output in [Output::Pairs, Output::Count] {
        assert!(unavailable(report(output, None).degrees().map(drop)).contains("Output::Degrees"));
    }
    assert!(unavailable(report(Output::Pairs, None).touching().map(drop)).contains("list_touching"));
    // Those that fit are available; results that need all of them are not.
    let some = report(Output::Pairs, Some(2));
    assert_eq!(some.pairs().expect("two of three").len(), 2);
    assert!(unavailable(some.checksum().map(drop)).contains("max_pairs"));
}
