//! Lists of pairs without any boxes, and their rows.

use obbligato::{Pair, report::Direction};

/// This many pairs with `a` and `b` below these numbers, in any order, some repeated. In pairs of
/// one set, `a` is the smaller.
pub fn random_pairs(count: usize, [a, b]: [u32; 2], same: bool) -> Vec<Pair> {
    let mut state = count as u64 + 1;
    let mut random = |below: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (((state >> 32) * u64::from(below)) >> 32) as u32
    };
    let pairs = (0..count).map(|_| match (random(a), random(b)) {
        (a, b) if same && a == b => Pair::new(a, (b + 1) % 2),
        (a, b) if same => Pair::new(a, b),
        (a, b) => Pair { a, b },
    });
    pairs.collect()
}

/// Every row by a scan of all pairs.
pub fn naive_rows(rows: usize, pairs: &[Pair], direction: Direction) -> Vec<Vec<u32>> {
    let mut lists = vec![Vec::new(); rows];
    for pair in pairs {
        if direction != Direction::BToA {
            lists[pair.a as usize].push(pair.b);
        }
        if direction != Direction::AToB {
            lists[pair.b as usize].push(pair.a);
        }
    }
    lists.iter_mut().for_each(|list| list.sort());
    lists
}
