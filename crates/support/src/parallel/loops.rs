//! Tests of the loops.

use super::*;

/// Counts around the size of a task, and for several tasks.
const COUNTS: [usize; 7] = [0, 1, 7, GRAIN - 1, GRAIN, GRAIN + 1, 5 * GRAIN + 3];

fn ascending(count: usize) -> Vec<usize> {
    (0..count).collect()
}

#[test]
fn ranges_cover_everything_once_and_in_order() {
    for count in COUNTS {
        let ranges = map_ranges(count, |range| range);
        assert!(ranges.iter().flat_map(Clone::clone).eq(0..count), "{count}");
        let ranges = map_ranges_of(3, count, |range| range.len());
        assert!(ranges.iter().all(|&len| (1..=3).contains(&len)), "{count}");
        assert_eq!(ranges.iter().sum::<usize>(), count);
        let sum = fold_ranges(count, || 0, |range| range.sum::<usize>(), |a, b| a + b);
        assert_eq!(sum, ascending(count).iter().sum::<usize>(), "{count}");
    }
}

#[test]
fn values_are_in_order() {
    for count in COUNTS {
        let squares: Vec<usize> = ascending(count).iter().map(|k| k * k).collect();
        assert_eq!(collect(count, "a test", |k| k * k).as_ref(), Ok(&squares));
        let mut list = vec![0; count];
        fill(&mut list, |k| k * k);
        assert_eq!(list, squares);
        update(&mut list, |k, value| *value -= k * k);
        assert!(list.iter().all(|&value| value == 0), "{count}");
        assert_eq!(map(ascending(count), |k| k * k), squares);
        gather(&mut list, &squares, |k| count - 1 - k);
        assert!(list.iter().rev().eq(&squares), "{count}");
    }
}

#[test]
fn chunks_know_their_positions() {
    for count in COUNTS {
        let mut list = ascending(count);
        let firsts = map_chunks_of(5, &mut list, |first, chunk| (first, chunk[0]));
        assert!(firsts.iter().all(|(first, item)| first == item), "{count}");
        let sum = fold_chunks(&mut list, || 0, |_, chunk| chunk.iter().sum(), |a: usize, b| a + b);
        assert_eq!(sum, ascending(count).iter().sum::<usize>());
        let mut others = vec![0; count.div_ceil(4)];
        chunks_of_both([4, 1], &mut list, &mut others, |first, chunk, other| {
            assert_eq!(chunk[0], first);
            other[0] = chunk.len();
        });
        assert_eq!(others.iter().sum::<usize>(), count);
        for_each_mut(&mut list, |k, item| *item += k);
        assert!(list.iter().enumerate().all(|(k, &item)| item == 2 * k), "{count}");
    }
}

#[test]
fn states_are_kept_and_each_range_has_one_alone() {
    let mut states: Vec<Vec<usize>> = Vec::new();
    for turn in 1..=2 {
        ranges_with(&mut states, 10, 95, |range, state| state.extend(range));
        assert!(states.len() <= threads(), "{} states", states.len());
        let mut seen: Vec<usize> = states.iter().flatten().copied().collect();
        seen.sort_unstable();
        let expected: Vec<usize> = (0..95).flat_map(|k| vec![k; turn]).collect();
        assert_eq!(seen, expected);
    }
}

#[test]
fn each_chunk_has_a_state_alone() {
    let mut states: Vec<Vec<usize>> = Vec::new();
    let (mut list, mut others) = (ascending(95), vec![0; 10]);
    for turn in 1..=2 {
        chunks_with(
            &mut states,
            [10, 1],
            &mut list,
            &mut others,
            |first, chunk, other, state| {
                assert_eq!(chunk[0], first);
                other[0] += chunk.len();
                state.extend_from_slice(chunk);
            },
        );
        assert!(states.len() <= threads(), "{} states", states.len());
        let mut seen: Vec<usize> = states.iter().flatten().copied().collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..95).flat_map(|k| vec![k; turn]).collect::<Vec<_>>());
        assert_eq!(others.iter().sum::<usize>(), 95 * turn);
    }
}

#[test]
fn numbers_are_sorted() {
    for count in COUNTS {
        let mut list: Vec<usize> = (0..count).map(|k| k * 7919 % 10_007).collect();
        let mut expected = list.clone();
        expected.sort_unstable();
        sort(&mut list);
        assert_eq!(list, expected);
    }
}

#[test]
fn without_rayon_there_is_one_thread() {
    assert_eq!(threads() > 1, cfg!(feature = "rayon") && wanted_threads().threads > 1);
}
