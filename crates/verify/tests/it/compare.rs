//! The comparison of sets of pairs: it passes correct ones and detects every fault.

use obbligato::glam::Vec3;
use obbligato::{Obb, Pair, report::degrees};
use obbligato_verify::compare::{
    DegreeMismatch, Disagreement, DisagreementKind, compare, degree_mismatches, verify_all, verify_contacts,
    verify_sample,
};
use obbligato_verify::reference::colliding_pairs;

/// Unit boxes in a row, each overlapping the next by `overlap`.
fn row(count: usize, overlap: f32) -> Vec<Obb> {
    (0..count)
        .map(|i| Obb::axis_aligned(Vec3::X * (i as f32) * (1.0 - overlap), Vec3::splat(0.5)))
        .collect()
}

/// Every way to verify the pairs of a scene.
fn verdicts(boxes: &[Obb], found: &[Pair]) -> [bool; 3] {
    [
        verify_all(boxes, found).passed(),
        verify_sample(boxes, found, boxes.len(), 1).passed(),
        compare(&colliding_pairs(boxes), found, boxes).passed(),
    ]
}

#[test]
fn equal_sets_pass() {
    let boxes = row(20, 0.25);
    let mut pairs = colliding_pairs(&boxes);
    assert_eq!(pairs.len(), 19);
    assert_eq!(verdicts(&boxes, &pairs), [true; 3]);
    pairs.reverse();
    assert_eq!(verdicts(&boxes, &pairs), [true; 3], "order does not matter");
    assert_eq!(verdicts(&[], &[]), [true; 3]);
}

#[test]
fn planted_faults_fail() {
    let boxes = row(20, 0.25);
    let pairs = colliding_pairs(&boxes);
    let check = |kind, fault: &dyn Fn(&mut Vec<Pair>)| {
        let mut found = pairs.clone();
        fault(&mut found);
        assert_eq!(verdicts(&boxes, &found), [false; 3], "{kind:?}");
        let verification = verify_all(&boxes, &found);
        let mut all = verification.missing.iter().chain(&verification.extra);
        assert!(all.any(|disagreement| disagreement.kind == kind), "{verification}");
        assert!(verification.to_string().contains("FAILED"));
    };
    check(DisagreementKind::Missing, &|found| found.retain(|pair| pair.a != 7));
    check(DisagreementKind::Missing, &|found| found.clear());
    check(DisagreementKind::Extra, &|found| found.push(Pair { a: 2, b: 9 }));
    check(DisagreementKind::Repeated, &|found| found.push(found[3]));
    check(DisagreementKind::Malformed, &|found| found.push(Pair { a: 5, b: 5 }));
    check(DisagreementKind::Malformed, &|found| found[4] = Pair { a: 5, b: 4 });
    check(DisagreementKind::Malformed, &|found| found.push(Pair { a: 5, b: 20 }));
}

#[test]
fn a_verification_names_boxes_by_ids() {
    let boxes = row(4, 0.25);
    let found = [Pair { a: 0, b: 3 }, Pair { a: 1, b: 2 }, Pair { a: 2, b: 9 }];
    let verification = compare(
        &[Pair { a: 0, b: 1 }, Pair { a: 1, b: 2 }, Pair { a: 2, b: 3 }],
        &found,
        &boxes,
    );
    let named = verification.named(&[40, 30, 20, 10]);
    let pairs = |list: &[Disagreement]| list.iter().map(|one| (one.pair.a, one.pair.b)).collect::<Vec<_>>();
    assert_eq!(pairs(&named.missing), [(10, 20), (30, 40)]);
    assert_eq!(pairs(&named.extra), [(10, 40), (20, 9)]);
    let degrees: Vec<_> = named
        .degree_mismatches
        .iter()
        .map(|box_| (box_.index, box_.expected, box_.found))
        .collect();
    assert_eq!(degrees, [(20, 2, 1), (30, 2, 1)]);
}

#[test]
fn a_pair_whose_groups_do_not_meet_fails_even_if_it_touches() {
    let mut boxes = row(2, 0.0);
    boxes[1] = boxes[1].with_groups(1, 0);
    assert_eq!(verdicts(&boxes, &[]), [true; 3]);
    assert_eq!(verdicts(&boxes, &[Pair { a: 0, b: 1 }]), [false; 3]);
}

#[test]
fn a_sample_sees_the_pairs_of_its_boxes_only() {
    let boxes = row(1000, 0.25);
    let pairs = colliding_pairs(&boxes);
    let verification = verify_sample(&boxes, &pairs, 10, 3);
    assert!(verification.passed());
    assert_eq!(verification.compared, 10);
    assert!(
        verification.expected >= 11 && verification.expected <= 20,
        "{verification}"
    );

    // A box is in the sample if a loss of its pairs is detected there.
    let mut chosen = 0;
    for index in 0..1000 {
        let others: Vec<Pair> = pairs
            .iter()
            .copied()
            .filter(|pair| pair.a != index && pair.b != index)
            .collect();
        let verification = verify_sample(&boxes, &others, 10, 3);
        let noticed = |mismatch: &DegreeMismatch| mismatch.index == index && mismatch.found == 0;
        chosen += usize::from(verification.degree_mismatches.iter().any(noticed));
    }
    assert_eq!(chosen, 10);
    assert!(
        !verify_sample(&boxes, &pairs, 0, 3).passed(),
        "comparing nothing proves nothing"
    );
}

#[test]
fn degrees_follow_from_pairs_and_can_be_compared_alone() {
    let boxes = row(5, 0.25);
    let pairs = colliding_pairs(&boxes);
    let mismatches = verify_all(&boxes, &pairs[1..]).degree_mismatches;
    let at = |index, expected, found| DegreeMismatch { index, expected, found };
    assert_eq!(mismatches, [at(0, 1, 0), at(1, 2, 1)]);

    let right = degrees(5, &pairs);
    assert_eq!(degree_mismatches(&right, &right), []);
    assert_eq!(degree_mismatches(&right, &[1, 2, 3, 2, 1]), [at(2, 2, 3)]);
    assert_eq!(degree_mismatches(&right, &right[..4]), [at(4, 1, u32::MAX)]);
}

/// However close to touching a pair is, its boxes share a point or they do not.
#[test]
fn no_difference_is_tolerated() {
    let pair = Pair { a: 0, b: 1 };
    let touching = row(2, 0.0);
    for (name, center, collides) in [
        ("touching", 1.0f32, true),
        ("an ulp apart", 1.0f32.next_up(), false),
        ("an ulp deep", 1.0f32.next_down(), true),
    ] {
        let mut boxes = touching.clone();
        boxes[1].center.x = center;
        assert_eq!(verdicts(&boxes, &[pair]), [collides; 3], "{name}");
        assert_eq!(verdicts(&boxes, &[]), [!collides; 3], "{name}");
        assert_eq!(verdicts(&boxes, &[pair, pair]), [false; 3], "{name}");
    }
}

#[test]
fn touching_pairs_are_counted() {
    let mut boxes = row(5, 0.0);
    boxes[4].center.x -= 0.25;
    let pairs = colliding_pairs(&boxes);
    assert_eq!(pairs.len(), 4);
    let verification = verify_contacts(&boxes, &pairs, Some(3));
    assert!(verification.passed(), "{verification}");
    for wrong in [0, 2, 4] {
        let verification = verify_contacts(&boxes, &pairs, Some(wrong));
        assert!(!verification.passed(), "{verification}");
        assert!(
            verification
                .to_string()
                .contains(&format!("touching: 3 expected, {wrong} found")),
            "{verification}"
        );
    }
    assert!(
        verify_contacts(&boxes, &pairs, None).passed(),
        "a count that nobody took is not wrong"
    );
}

#[test]
fn the_first_differences_are_named() {
    let boxes = row(100, 0.25);
    let text = verify_all(&boxes, &[]).to_string();
    assert!(text.contains("pair (0, 1) missing, separation -2.500e-1"), "{text}");
    assert!(
        text.contains("and 89 more") && text.contains("box 9 has 2 partners, 0 found"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 2 + 11 + 11);
}
