//! Visitors of frames that do not compile, or whose buffers do not fit: errors that name the
//! caller's line. Names of the caller are its own.

use obbligato::gpu::{ContactsOf, FrameQuery, FrameVisitor, SortPairs};
use obbligato::{Config, Error, GpuChecker, Obb, Pair, shape::BodyCounts, wgpu};
use obbligato_verify::reference::colliding_pairs;
use obbligato_verify::scenes::{BodyScene, Scene};

use crate::support::application::Application;
use crate::visitors::frames::{COLLECT, collected, collection, expect_visits, run};

/// The error of a frame with this visitor.
fn fault(application: &Application, checker: &mut GpuChecker, visitor: &FrameVisitor) -> (Option<usize>, String) {
    let boxes = application.boxes(&Scene::Uniform.generate(10, 1));
    let query = FrameQuery::boxes(&boxes, 10).visit(visitor);
    match checker.record(&mut application.encoder(), query) {
        Err(Error::InvalidVisitor { line, reason }) => (line, reason),
        other => panic!("{other:?}"),
    }
}

#[test]
fn c6_faults_of_visitors_name_the_line() {
    let application = Application::new();
    let mut checker = application.checker(Config::default());
    let empty = "fn visit(pair: Pair, undecided: bool) {}\n";
    for (wgsl, line, part) in [
        // Syntax, types, names, and what only validation finds.
        (
            "fn visit(pair: Pair, undecided: bool) {\n  let x = 1u\n}",
            3,
            "expected",
        ),
        (
            "\n\nfn visit(pair: Pair, undecided: bool) {\n  forces[pair.a] = 1.0;\n}",
            4,
            "forces",
        ),
        ("fn visit(pair: Pair, undecided: bool) {\n  let x: u32 = 1.5;\n}", 2, ""),
        (
            "fn visit(pair: Pair, undecided: bool) {}\n\nfn other() -> u32 {\n}",
            3,
            "",
        ),
        (
            &format!("{empty}fn visit(pair: Pair, undecided: bool) {{}}"),
            2,
            "visit",
        ),
        (
            &format!("{empty}@group(0) @binding(0) var<uniform> other: u32;"),
            2,
            "group",
        ),
    ] {
        let (found, reason) = fault(&application, &mut checker, &FrameVisitor::new(wgsl));
        assert!(reason.contains(part), "{wgsl}: {reason}");
        assert_eq!(found, Some(line), "{wgsl}: {reason}");
    }
    let twice = format!("struct Pair {{ a: u32 }}\n{empty}");
    for wgsl in [
        "",
        "fn visit(pair: Pair) {}",
        "fn visit(a: u32, b: u32) {}",
        "fn other() {}",
        &twice,
    ] {
        let (line, reason) = fault(&application, &mut checker, &FrameVisitor::new(wgsl));
        assert_eq!(line, None, "{wgsl}: {reason}");
        assert!(
            reason.contains("fn visit(pair: Pair, undecided: bool)"),
            "{wgsl}: {reason}"
        );
    }
}

#[test]
fn buffers_of_visitors_must_be_those_of_the_text() {
    let application = Application::new();
    let mut checker = application.checker(Config::default());
    let buffer = collection(&application);
    let readable = application.buffer(&[0; 64], wgpu::BufferUsages::UNIFORM);
    let visitor = FrameVisitor::new(COLLECT);
    for visitor in [
        visitor.clone(),
        visitor.clone().bind(1, &buffer),
        visitor.clone().bind(0, &buffer).bind(1, &buffer),
        visitor.clone().bind(0, &readable),
        FrameVisitor::new("fn visit(pair: Pair, undecided: bool) {}").bind(0, &buffer),
    ] {
        let (line, reason) = fault(&application, &mut checker, &visitor);
        assert!(line.is_none() && !reason.is_empty(), "{visitor:?}: {line:?}, {reason}");
    }
}

/// After a fault, the checker has kept its room, and the encoder can be used.
#[test]
fn a_fault_of_a_visitor_records_nothing() {
    let application = Application::new();
    let mut checker = application.checker(Config::default());
    let boxes = Scene::Uniform.generate(800, 4);
    let (buffer, pairs) = (application.boxes(&boxes), collection(&application));
    let query = FrameQuery::boxes(&buffer, 800);
    let mut encoder = application.encoder();
    let faulty = FrameVisitor::new("fn visit(");
    assert!(checker.record(&mut encoder, query.visit(&faulty)).is_err());
    let good = FrameVisitor::new(COLLECT).bind(0, &pairs).undecided();
    let recorded = checker.record(&mut encoder, query.visit(&good)).expect("a frame");
    // Forms made of pairs need a list.
    for found in [
        checker.record(&mut encoder, SortPairs(&recorded)).err(),
        checker.record(&mut encoder, ContactsOf::new(&recorded, 1)).err(),
    ] {
        assert!(matches!(found, Some(Error::Unavailable { .. })), "{found:?}");
    }
    application.queue.submit([encoder.finish()]);
    let [found, undecided] = collected(&mut checker, &pairs);
    assert_eq!(found.len() + undecided.len(), colliding_pairs(&boxes).len());
}

/// The caller may use any names, also those of this library's shaders, records and bindings.
#[test]
fn c6_names_of_visitors_are_free() {
    let names = [
        "params",
        "candidates",
        "found",
        "undecided_pairs",
        "sum",
        "largest",
        "matrix",
        "append",
        "WORKGROUP",
        "box_at",
        "Params",
        "Bounds",
        "hand_on",
        "put_found",
        "take_places",
        "appended",
        "PAIRS",
        "queued",
        "kind",
        "corners",
    ];
    let others: String = names
        .iter()
        .map(|name| format!("fn {name}() -> u32 {{ return 1u; }}\n"))
        .collect();
    let text = [Obb::WGSL, &others, COLLECT].concat();
    let application = Application::new();
    let mut checker = application.checker(Config::default());
    let bodies = BodyScene::MixedKinds.bodies(600, 2);
    let all = bodies.all();
    let counts = BodyCounts {
        boxes: all.boxes.len() as u32,
        capsules: all.capsules.len() as u32,
        spheres: all.spheres.len() as u32,
    };
    let buffer = checker.upload_bodies(all).expect("a buffer");
    let query = FrameQuery::bodies(&buffer, counts);
    let pairs = collection(&application);
    let visitor = FrameVisitor::new(text).bind(0, &pairs).undecided();
    let (outcome, _) = run(&application, &mut checker, query.visit(&visitor));
    assert_eq!(outcome.fits, 1);
    let [mut found, undecided] = collected(&mut checker, &pairs);
    let collides = |pair: &Pair| all.at(pair.a).contact(all.at(pair.b)).collides();
    found.extend(undecided.iter().filter(|pair| collides(pair)));
    found.sort_unstable();
    expect_visits(&application, &mut checker, ("plain names", query), &found, collides);
}
