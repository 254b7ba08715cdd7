//! Bounds within a margin, which are those with no wider gap along any axis: compared with integer
//! arithmetic, on both backends.

use num_bigint::BigInt;
use obbligato::glam::Vec3;
use obbligato::gpu::{Capacity, FrameQuery, Outcome, RulesOf};
use obbligato::{
    Config, Pair, Query, Rules, Set,
    shape::{Aabb, COORDINATE_LIMIT},
    wgpu,
};

use crate::support::application::Application;
use crate::support::cases::Numbers;
use crate::support::gpu::{backends, cpu, expect_pairs, gpu};

/// The smallest positive number.
const TINY: f32 = f32::from_bits(1);

/// A number in units of the smallest positive `f64`.
fn whole<T: Into<f64>>(x: T) -> BigInt {
    let x = x.into();
    let bits = x.abs().to_bits();
    let exponent = (bits >> 52).max(1);
    let mantissa = if bits >> 52 == 0 {
        bits
    } else {
        bits & ((1 << 52) - 1) | 1 << 52
    };
    let size = BigInt::from(mantissa) << (exponent - 1);
    if x < 0.0 { -size } else { size }
}

/// The pairs with gaps of at most their margin along all axes.
fn pairs_within(bounds: &[Aabb], margin_of: impl Fn(usize, usize) -> f64) -> Vec<Pair> {
    let corners: Vec<[[BigInt; 3]; 2]> = bounds
        .iter()
        .map(|b| [b.min, b.max].map(|corner| corner.to_array().map(whole::<f32>)))
        .collect();
    let mut pairs = Vec::new();
    for (i, [min, max]) in corners.iter().enumerate() {
        for (j, [other_min, other_max]) in corners.iter().enumerate().skip(i + 1) {
            let margin = whole(margin_of(i, j));
            let near = |axis: usize| &other_min[axis] - &max[axis] <= margin && &min[axis] - &other_max[axis] <= margin;
            if (0..3).all(near) {
                pairs.push(Pair::new(i as u32, j as u32));
            }
        }
    }
    pairs
}

/// A number from 2^-149 to 2^60 of either sign, usually close to `scale`.
fn number(numbers: &mut Numbers, scale: f32) -> f32 {
    let exponent = match numbers.part() {
        far if far < 0.1 => 60.0 - 209.0 * numbers.part(),
        _ => scale.max(TINY).log2() + 50.0 * (numbers.part() - 0.5),
    };
    let size = (f64::from(1.0 + numbers.part()) * f64::from(exponent.floor()).exp2()) as f32;
    let size = size.clamp(TINY, COORDINATE_LIMIT);
    if numbers.part() < 0.5 { -size } else { size }
}

/// `x` moved by up to two representable numbers.
fn about(numbers: &mut Numbers, x: f64) -> f32 {
    let limited = |x: f32| x.clamp(-COORDINATE_LIMIT, COORDINATE_LIMIT);
    let steps = (numbers.part() * 5.0) as i32 - 2;
    (0..steps.abs()).fold(limited(x as f32), |x, _| {
        limited(if steps < 0 { x.next_down() } else { x.next_up() })
    })
}

/// Bounds in pairs. The second begins along some axis where the margin of the first ends, or a few
/// representable numbers away; along the other axes many overlap.
fn in_twos(seed: u64, count: usize, margin_of: impl Fn(usize, usize) -> f64) -> Vec<Aabb> {
    let mut numbers = Numbers::new(seed);
    let mut bounds = Vec::new();
    for i in (0..count).step_by(2) {
        let exact = margin_of(i, i + 1);
        let margin = exact as f32;
        let axis = (numbers.part() * 3.0) as usize;
        let end = match numbers.part() {
            zero if zero < 0.1 => 0.0,
            _ => number(&mut numbers, margin),
        };
        let start = about(&mut numbers, f64::from(end) + exact);
        // The sum is rounded, so this is another place where the first could end.
        let end = about(&mut numbers, f64::from(start) - exact);
        let mut two = [Aabb::new(Vec3::splat(-margin), Vec3::splat(margin)); 2];
        for (place, [low, high]) in two
            .iter_mut()
            .zip([[end - margin.max(end.abs()), end], [start, start + margin]])
        {
            let limited = |x: f32| x.clamp(-COORDINATE_LIMIT, COORDINATE_LIMIT);
            (place.min[axis], place.max[axis]) = (limited(low).min(high), limited(high).max(low));
        }
        if numbers.part() < 0.5 {
            two.swap(0, 1);
        }
        bounds.extend(two);
    }
    bounds
}

/// Bounds on a lattice with cells of this size, with corners that are often one margin apart.
fn on_a_lattice(seed: u64, count: usize, cell: f32, origin: f32) -> Vec<Aabb> {
    let mut numbers = Numbers::new(seed);
    let bounds = |_| {
        let low = (numbers.point() * 12.0).round();
        let size = ((numbers.point() + 1.0) * 1.5).floor();
        Aabb::new(
            Vec3::splat(origin) + low * cell,
            Vec3::splat(origin) + (low + size) * cell,
        )
    };
    (0..count).map(bounds).collect()
}

#[test]
fn a_margin_of_all_bounds_is_exact() {
    let tiny = f64::from(TINY);
    let singles = [
        0.0,
        TINY,
        5.0 * TINY,
        f32::MIN_POSITIVE,
        1.5e-30,
        0.1,
        0.5,
        1.0f32.next_up(),
        3e7,
    ];
    let doubles = [
        1e-60,
        1.5 * tiny,
        tiny.next_up(),
        1e-30,
        0.1,
        0.7,
        0.5f64.next_down(),
        0.5f64.next_up(),
        1e7 + 1e-9,
    ];
    let limit = f64::from(COORDINATE_LIMIT);
    for margin in singles.map(f64::from).into_iter().chain(doubles).chain([limit]) {
        let config = Config {
            margin,
            ..Config::default()
        };
        let cell = match margin {
            0.0 => 4.0 * TINY,
            _ => (margin as f32).clamp(TINY, COORDINATE_LIMIT / 64.0),
        };
        let mut scenes: Vec<Vec<Aabb>> = (0..6).map(|seed| in_twos(seed, 200, |_, _| margin)).collect();
        scenes.push(on_a_lattice(1, 500, cell, 0.0));
        scenes.push(on_a_lattice(2, 500, cell / 2.0, 30.0 * cell));
        let mut checkers = [("the CPU", cpu(config.clone())), ("the GPU", gpu(config))];
        let mut within = 0;
        for (scene, bounds) in scenes.iter().enumerate() {
            let expected = pairs_within(bounds, |_, _| margin);
            within += expected.len();
            for (backend, checker) in &mut checkers {
                let report = checker.check(Query::from(bounds)).expect("valid bounds");
                expect_pairs(
                    &format!("{margin:e}, scene {scene}, {backend}"),
                    &expected,
                    report.pairs().expect("asked for"),
                );
                assert_eq!((report.undecided_pairs, report.near_pairs), (0, None));
            }
        }
        assert!(within > 1000, "{margin:e}: {within} pairs");
    }
}

/// Margins of all sizes, some of them 0 or -0.
fn some_margins(seed: u64, count: usize) -> Vec<f32> {
    let mut numbers = Numbers::new(seed);
    let margin = |_| match (numbers.part() * 8.0) as u32 {
        0 => 0.0,
        1 => -0.0,
        2 => TINY * (numbers.part() * 10.0).floor(),
        _ => number(&mut numbers, 1e-3).abs(),
    };
    (0..count).map(margin).collect()
}

#[test]
fn own_margins_are_exact() {
    for margin in [-0.0, 0.3, f64::from(0.3f32)] {
        let config = Config {
            margin,
            ..Config::default()
        };
        let mut backends = backends(&config);
        for seed in 0..12 {
            let margins = some_margins(seed, 240);
            let own = |i: usize, j: usize| margin + f64::from(margins[i] + margins[j]);
            let bounds = in_twos(seed, 240, own);
            let expected = pairs_within(&bounds, own);
            assert!(expected.len() > 100, "{} pairs", expected.len());
            let rules = Rules {
                margins: Some(&margins),
                ..Rules::default()
            };
            for (backend, checker) in &mut backends {
                let report = checker.check(Query::from(Set::from(&bounds).with(rules)));
                let pairs = report.expect("valid bounds").into_pairs().expect("asked for");
                expect_pairs(&format!("{margin}, seed {seed}, {backend}"), &expected, &pairs);
            }
        }
    }
}

#[test]
fn recorded_frames_leave_nothing_undecided() {
    let application = Application::new();
    // Recorded frames hold the margin in `f32`, and add own margins in `f32`, too.
    for single in [0.0, TINY, 0.3] {
        let margin = f64::from(single);
        let margins = some_margins(9, 240);
        let own = |i: usize, j: usize| f64::from(single + (margins[i] + margins[j]));
        let bounds = [in_twos(1, 240, |_, _| margin), in_twos(2, 240, own)];
        let mut checker = application.checker(Config {
            margin,
            ..Config::default()
        });
        let room = Capacity {
            boxes: 240,
            candidates: 40_000,
            pairs: 40_000,
            undecided: 1,
        };
        checker.reserve(room).expect("room");
        let rules = Rules {
            margins: Some(&margins),
            ..Rules::default()
        };
        let rules = checker.upload_rules(RulesOf::boxes(&rules, 240)).expect("rules");
        for (bounds, has_own) in [(&bounds[0], false), (&bounds[1], true)] {
            let expected = pairs_within(bounds, |i, j| if has_own { own(i, j) } else { margin });
            let buffer = application.buffer(bytemuck::cast_slice(bounds), wgpu::BufferUsages::STORAGE);
            let frame = FrameQuery::bounds(&buffer, 240);
            let frame = if has_own { frame.with(&rules) } else { frame };
            let mut encoder = application.encoder();
            let recorded = checker.record(&mut encoder, frame).expect("a recorded frame");
            let outcome = application.copy(&mut encoder, &recorded.outcome);
            let pairs = application.copy(&mut encoder, &recorded.pairs);
            application.queue.submit([encoder.finish()]);
            let outcome: Outcome = application.read(&outcome)[0];
            assert_eq!((outcome.fits, outcome.undecided), (1, 0), "{outcome:?}");
            let mut pairs: Vec<Pair> = application.read(&pairs);
            pairs.truncate(outcome.pairs as usize);
            pairs.sort();
            expect_pairs(
                &format!("{margin:e}, margins of their own: {has_own}"),
                &expected,
                &pairs,
            );
        }
    }
}
