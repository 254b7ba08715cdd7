//! The forms of reports.

use obbligato::{Config, Output, Query, Report, report::Direction};
use obbligato_verify::reference::colliding_pairs;
use obbligato_verify::scenes::Scene;

use crate::resident_forms::{DIRECTIONS, expect_unavailable, scenes};
use crate::support::gpu::{cpu, gpu};
use crate::support::pairs::naive_rows;

#[test]
fn e6_r4_reports_have_rows_and_marks() {
    for (what, boxes) in scenes() {
        let all = colliding_pairs(&boxes);
        for (mut pairs, mut degrees) in [cpu as fn(Config) -> _, gpu].map(|checker| {
            let output = Output::Degrees;
            (
                checker(Config::default()),
                checker(Config {
                    output,
                    ..Config::default()
                }),
            )
        }) {
            let report = pairs.check(&boxes).expect("a report");
            assert!(report.pairs().expect("asked for") == all, "{what}");
            for direction in DIRECTIONS {
                let adjacency = report.adjacency(direction).expect("rows");
                let expected = naive_rows(boxes.len(), &all, direction);
                assert_eq!(adjacency.len(), boxes.len(), "{what}");
                assert!(
                    adjacency.rows().eq(expected.iter().map(Vec::as_slice)),
                    "{what}, {direction:?}"
                );
            }
            let rows = report.adjacency(Direction::Both).expect("rows");
            let marks: Vec<bool> = rows.rows().map(|row| !row.is_empty()).collect();
            assert_eq!(report.marks().expect("marks"), marks, "{what}");
            let degrees = degrees.check(&boxes).expect("a report");
            assert_eq!(degrees.marks().expect("marks"), marks, "{what}");
            let partners = rows.rows().map(|row| row.len() as u32);
            assert!(
                partners.eq(degrees.degrees().expect("asked for").iter().copied()),
                "{what}"
            );
        }
    }
}

#[test]
fn reports_of_movers_have_rows_for_each_set() {
    let boxes = Scene::Mixed.generate(2000, 2);
    let (resting, movers) = boxes.split_at(1700);
    for mut checker in [cpu(Config::default()), gpu(Config::default())] {
        let scene = checker.prepare(resting).expect("a scene");
        let report = checker.check(Query::against(&scene, movers)).expect("a report");
        assert!(report.pairs().expect("asked for").len() > 50);
        for (direction, rows) in [(Direction::AToB, resting.len()), (Direction::BToA, movers.len())] {
            let adjacency = report.adjacency(direction).expect("rows");
            let expected = naive_rows(rows, report.pairs().expect("asked for"), direction);
            assert!(adjacency.rows().eq(expected.iter().map(Vec::as_slice)), "{direction:?}");
            if direction == Direction::BToA {
                let marks: Vec<bool> = expected.iter().map(|row| !row.is_empty()).collect();
                assert_eq!(report.marks().expect("marks"), marks);
            }
        }
        expect_unavailable("two sets", "two sets", report.adjacency(Direction::Both));
    }
}

#[test]
fn reports_of_two_sets_have_rows_for_each() {
    let boxes = Scene::Dense.generate(1500, 8);
    let (first, second) = boxes.split_at(400);
    for config in [
        Config::default(),
        Config {
            output: Output::Degrees,
            ..Config::default()
        },
    ] {
        let report = cpu(config.clone())
            .check(Query::between(first, second))
            .expect("a report");
        let pairs = cpu(Config::default())
            .check(Query::between(first, second))
            .expect("a report")
            .into_pairs()
            .expect("asked for");
        assert!(pairs.len() > 50);
        let mut marks = vec![false; boxes.len()];
        for pair in &pairs {
            marks[pair.a as usize] = true;
            marks[400 + pair.b as usize] = true;
        }
        assert_eq!(report.marks().expect("marks"), marks, "{:?}", config.output);
        if config.output == Output::Degrees {
            continue;
        }
        for (direction, rows) in [(Direction::AToB, first.len()), (Direction::BToA, second.len())] {
            let adjacency = report.adjacency(direction).expect("rows");
            let expected = naive_rows(rows, &pairs, direction);
            assert!(adjacency.rows().eq(expected.iter().map(Vec::as_slice)), "{direction:?}");
        }
        expect_unavailable("two sets", "two sets", report.adjacency(Direction::Both));
    }
}

#[test]
fn unavailable_forms_are_refused() {
    let boxes = Scene::Dense.generate(300, 3);
    let report = |config| -> Report { cpu(config).check(&boxes).expect("a report") };
    for output in [Output::Degrees, Output::Count] {
        let report = report(Config {
            output,
            ..Config::default()
        });
        expect_unavailable("no pairs", "Output::Pairs", report.adjacency(Direction::Both));
        assert_eq!(report.marks().is_ok(), output == Output::Degrees);
    }
    let report = report(Config {
        max_pairs: Some(7),
        ..Config::default()
    });
    expect_unavailable("some pairs", "max_pairs", report.adjacency(Direction::Both));
    expect_unavailable("some pairs", "max_pairs", report.marks());
}
