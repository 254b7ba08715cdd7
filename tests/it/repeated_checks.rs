//! Checkers that are asked again and again keep the plan of their grid: they must find what a new
//! checker finds, whatever happens between the checks.

use obbligato::glam::{Quat, Vec3};
use obbligato::{Backend, BroadPhase, Checker, Config, Obb, Query, Report, Rules, Set, Sphere};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference::colliding_pairs;
use obbligato_verify::scenes::Scene;

const COUNT: usize = 2000;

fn checker(count_operations: bool) -> Checker {
    let config = Config {
        backend: Backend::Cpu,
        broad_phase: BroadPhase::Grid,
        count_operations,
        ..Config::default()
    };
    Checker::new(config).expect("the CPU serves")
}

/// The largest cell of a report.
fn cell(report: &Report) -> f32 {
    report.grid[0].cell_size
}

/// Moves and turns boxes, and enlarges all or some now and then.
fn change(frame: usize, boxes: &mut [Obb], random: &mut SplitMix) {
    let mut number = || random.unit() as f32;
    for (k, b) in boxes.iter_mut().enumerate() {
        b.center += 0.2 * Vec3::new(number() - 0.5, number() - 0.5, number() - 0.5);
        b.rotation = (b.rotation * Quat::from_rotation_z(0.1 * number())).normalize();
        match frame {
            5 => b.half_extents *= 1.01,
            9 => b.half_extents *= 1.5,
            13 if k == 77 => b.half_extents *= 8.0,
            16 => b.half_extents *= 0.2,
            19 if k < 100 => b.center += Vec3::splat(500.0),
            22 => b.center *= 0.5,
            _ => {}
        }
    }
}

#[test]
fn boxes_and_spheres_find_what_a_new_checker_finds() {
    let mut random = SplitMix(5);
    let mut boxes = Scene::Uniform.generate(COUNT, 1);
    let worlds: Vec<u32> = (0..COUNT as u32).map(|k| k * 7 % 3).collect();
    let margins = vec![0.125; COUNT];
    let mut kept = checker(false);
    let mut cells = Vec::new();
    for frame in 0..30 {
        change(frame, &mut boxes, &mut random);
        let spheres: Vec<Sphere> = boxes.iter().map(|b| Sphere::new(b.center, b.half_extents.x)).collect();
        let rules = Rules {
            worlds: (frame % 10 > 6).then_some(&worlds[..]),
            margins: (frame % 10 == 4).then_some(&margins[..]),
            ..Rules::default()
        };
        if frame % 8 == 3 {
            let mut invalid = boxes.clone();
            invalid[1234].center.x = f32::NAN;
            let problem = kept.check(&invalid).expect_err("not a number").to_string();
            assert!(problem.contains("1234"), "{problem}");
        }
        let report = |checker: &mut Checker, is_boxes: bool| {
            let set = if is_boxes {
                Set::from(&boxes)
            } else {
                Set::from(&spheres)
            };
            checker.check(Query::from(set.with(rules))).expect("valid bodies")
        };
        for is_boxes in [true, false] {
            let [found, expected] = [report(&mut kept, is_boxes), report(&mut checker(false), is_boxes)];
            let pairs = found.pairs().expect("asked for");
            assert!(
                pairs == expected.pairs().expect("asked for"),
                "frame {frame}, boxes {is_boxes}"
            );
            if rules.margins.is_none() && rules.worlds.is_none() {
                let reference = match is_boxes {
                    true => colliding_pairs(&boxes),
                    false => colliding_pairs(&spheres),
                };
                assert!(pairs == reference, "frame {frame}, boxes {is_boxes}");
            }
            cells.push(cell(&found) == cell(&expected));
        }
    }
    // New plans have cells as large as the largest body, and kept ones of another body.
    let kept = cells.iter().filter(|same| !**same).count();
    assert!((20..50).contains(&kept), "{kept} of {}", cells.len());
}

#[test]
fn counts_of_operations_do_not_depend_on_earlier_checks() {
    let boxes = Scene::Uniform.generate(COUNT, 1);
    let mut larger = boxes.clone();
    larger.iter_mut().for_each(|b| b.half_extents *= 1.01);
    let after = |count_operations: bool| {
        let mut checker = checker(count_operations);
        for _ in 0..3 {
            checker.check(&larger).expect("valid boxes");
        }
        checker.check(&boxes).expect("valid boxes")
    };
    let alone = checker(true).check(&boxes).expect("valid boxes");
    assert_eq!(after(true).operations, alone.operations);
    assert_eq!(cell(&after(true)), cell(&alone));
    // Otherwise the plan is kept.
    assert!(cell(&after(false)) > cell(&alone));
}
