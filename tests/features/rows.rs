//! The rows of other chapters that work already, and what reads NPY files for all of them.

use std::path::Path;

use obbligato::adversarial;
use obbligato::glam::Vec3;
use obbligato::reference::{collides, colliding_pairs, distance};
use obbligato::scenes::Scene;
use obbligato::{Checker, Config, Obb, Output};

use super::{assert_found, check, on_cpu, on_gpu};

/// The 32-bit integers of an NPY file, by the format's definition.
pub fn read_npy(path: &Path) -> Vec<u32> {
    let bytes = std::fs::read(path).expect("the file is there");
    assert!(bytes.starts_with(b"\x93NUMPY\x01\x00"));
    let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let values = bytes[header..].chunks_exact(4);
    values
        .map(|value| u32::from_le_bytes(value.try_into().expect("four bytes")))
        .collect()
}

#[test]
fn p2_grid_has_levels_for_sizes() {
    let boxes = Scene::Mixed.generate(10_000, 1);
    assert_found("mixed", &boxes, &colliding_pairs(&boxes));
    for config in [on_gpu(), on_cpu()] {
        let report = check(config, &boxes);
        assert!(report.grid.len() > 1, "{:?}", report.grid);
        assert!(
            report
                .grid
                .is_sorted_by(|coarse, fine| coarse.cell_size > fine.cell_size)
        );
        assert_eq!(report.grid.iter().map(|level| level.boxes).sum::<u32>(), 10_000);
        assert!(report.grid.iter().all(|level| level.slots <= 4 * level.boxes));
    }
}

#[test]
fn r1_a_mover_finds_what_it_hits_among_boxes_at_rest() {
    let boxes = Scene::Crowd.generate(3_000, 2);
    let (mover, at_rest) = boxes.split_first().expect("a box");
    for config in [on_gpu(), on_cpu()] {
        let mut checker = Checker::new(config).expect("the backend is there");
        let scene = checker.prepare(at_rest).expect("the boxes are valid");
        let mut met = 0;
        for (step, other) in at_rest.iter().enumerate().take(100) {
            let center = other.center + Vec3::new(0.2, 0.1, 0.3);
            let moved = Obb { center, ..*mover };
            let report = checker.check_against(&scene, &[moved]).expect("the mover is valid");
            let expected = (0..at_rest.len()).filter(|&i| collides(&at_rest[i], &moved));
            assert!(report.pairs().iter().map(|pair| pair.a as usize).eq(expected), "{step}");
            met += report.colliding_pairs;
        }
        assert!(met > 100, "{met}");
    }
}

#[test]
fn r4_both_boxes_of_a_pair_are_marked() {
    let boxes = Scene::Crowd.generate(2_000, 1);
    let mut partners = vec![0; boxes.len()];
    for pair in colliding_pairs(&boxes) {
        partners[pair.a as usize] += 1;
        partners[pair.b as usize] += 1;
    }
    assert!(partners.contains(&0) && partners.contains(&2));
    for config in [on_gpu(), on_cpu()] {
        let output = Output::Degrees;
        assert!(check(Config { output, ..config }, &boxes).degrees() == partners);
    }
}

#[test]
fn r5_a_check_moves_nothing() {
    let boxes = Scene::Dense.generate(1_000, 1);
    let before = boxes.clone();
    for config in [on_gpu(), on_cpu()] {
        assert!(check(config.clone(), &boxes).colliding_pairs > 0);
        assert!(boxes == before);
        assert_eq!(check(config.clone(), &boxes).pairs(), check(config, &boxes).pairs());
    }
}

#[test]
fn s6_six_axes_lose_no_pair_and_reject_most() {
    // Pairs that are hard to judge: half of them touch but for rounding.
    let mut rejected = 0;
    for index in 0..100_000 {
        let (a, b) = adversarial::pair(index, 6);
        for (a, b) in [(a, b), (b, a)] {
            if a.faces_separate(&b) {
                rejected += 1;
                assert!(!collides(&a, &b), "pair {index}: {a:?} {b:?}");
            }
        }
    }
    assert!(rejected > 20_000, "{rejected} rejections are no test");

    for scene in Scene::ALL {
        let boxes = scene.generate(1_000, 6);
        let colliding = colliding_pairs(&boxes);
        let bounds: Vec<_> = boxes.iter().map(Obb::bounds).collect();
        let (mut apart, mut rejected) = (0, 0);
        for i in 0..boxes.len() {
            for j in (i + 1..boxes.len()).filter(|&j| bounds[i].overlaps(&bounds[j])) {
                let collide = colliding
                    .binary_search(&obbligato::Pair::new(i as u32, j as u32))
                    .is_ok();
                let separated = boxes[i].faces_separate(&boxes[j]);
                assert!(!(collide && separated), "{scene}: {:?} {:?}", boxes[i], boxes[j]);
                apart += u32::from(!collide);
                rejected += u32::from(separated);
            }
        }
        assert!(5 * rejected >= 4 * apart, "{scene}: {rejected} of {apart} rejected");
    }
}

#[test]
fn b8_distance_and_closest_points() {
    let mut apart = 0;
    for index in 0..5_000 {
        let (a, b) = adversarial::pair(index, 6);
        let closest = a.closest_points(&b);
        let extents = (a.half_extents.as_dvec3() + b.half_extents.as_dvec3()).element_sum();
        let size = extents + a.center.as_dvec3().distance(b.center.as_dvec3());
        let coordinates = f64::from(a.center.abs().max(b.center.abs()).max_element());
        let error = 3e-14 * size + 1e-15 * coordinates;
        assert!(
            (closest.distance - distance(&a, &b)).abs() <= 3e-14 * size,
            "{a:?} {b:?}"
        );
        assert!(
            (closest.on_a.distance(closest.on_b) - closest.distance).abs() <= error,
            "{a:?} {b:?}"
        );
        assert!(closest.distance == 0.0 || !collides(&a, &b), "{a:?} {b:?}");
        apart += usize::from(closest.distance > 0.0);
    }
    assert!(apart > 1_000, "{apart}");
}
