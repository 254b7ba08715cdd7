//! The error messages, word for word. `INSTA_UPDATE=always cargo test messages` accepts new ones.

use insta::{Settings, assert_snapshot};
use obbligato::{
    Error,
    error::{
        BoxProblem, MotionProblem, PeriodProblem, PlaneProblem, RayProblem, RegionProblem, SolidProblem, UprightProblem,
    },
};

/// One error of each kind.
fn errors() -> Vec<Error> {
    let kinds = [of_bodies(), of_requests(), of_machines()];
    kinds.into_iter().flatten().collect()
}

/// Errors of bodies and their motions.
fn of_bodies() -> Vec<Error> {
    vec![
        Error::InvalidBox {
            index: 7,
            problem: BoxProblem::NotFinite,
            count: 3,
        },
        Error::InvalidBody {
            index: 7,
            kind: "sphere",
            problem: BoxProblem::NegativeRadius,
            count: 3,
        },
        Error::InvalidUpright {
            index: 7,
            problem: UprightProblem::Tilted,
            count: 3,
        },
        Error::InvalidTriangle {
            index: 7,
            problem: BoxProblem::NotFinite,
            count: 3,
        },
        Error::InvalidSearch {
            what: "radius",
            value: -1.0,
            wanted: "at least 0",
        },
        Error::InvalidPeriod {
            axis: 'y',
            length: -1.0,
        },
        Error::OutOfPeriod {
            index: 7,
            problem: PeriodProblem::TooWide { axis: 'x' },
            count: 3,
        },
        Error::OpenMesh { edges: 3 },
        Error::UnlikeFaces { edges: 3 },
        Error::InvalidCuboid {
            problem: UprightProblem::Inverted,
        },
        Error::NoPoints { group: Some(4) },
        Error::InvalidPoint {
            index: 7,
            group: None,
            problem: BoxProblem::TooLarge,
            count: 3,
        },
        Error::InvalidSolid(SolidProblem::NoPoints),
        Error::InvalidMargin { margin: -0.5 },
        Error::InvalidMotion {
            index: 7,
            problem: MotionProblem::NotFinite,
            count: 3,
        },
        Error::MissingMotions { boxes: 5, motions: 4 },
    ]
}

/// Errors of what is requested for valid bodies.
fn of_requests() -> Vec<Error> {
    let text = str::to_owned;
    vec![
        Error::NotInPlane {
            index: 7,
            problem: PlaneProblem::NoHeight,
            count: 3,
        },
        Error::InvalidStep {
            what: "dt",
            value: -1.0,
            wanted: "finite and not negative",
        },
        Error::DuplicateId {
            id: 7,
            first: 2,
            second: 5,
        },
        Error::MissingIds { boxes: 5, ids: 4 },
        Error::InvalidPair {
            index: 2,
            named: 9,
            boxes: 5,
        },
        Error::InvalidRegion {
            what: "room",
            problem: RegionProblem::Flat,
        },
        Error::InvalidRule {
            rule: "owners",
            problem: text("has length 3 but the number of bodies is 4: give one entry for each body"),
        },
        Error::InvalidBuffer {
            reason: text("it is too small"),
        },
        Error::InvalidVisitor {
            line: Some(3),
            reason: text("no definition in scope for identifier: `forces`"),
        },
        Error::Unavailable {
            what: "adjacency",
            hint: "ask for pairs",
        },
    ]
}

/// Errors of limits, devices and memory, and the rest.
fn of_machines() -> Vec<Error> {
    let text = str::to_owned;
    vec![
        Error::TooManyBoxes {
            boxes: 3_000_000_000,
            limit: 2_147_483_648,
        },
        Error::ForeignScene {
            prepared: text("the CPU"),
        },
        Error::NoAdapter {
            wanted: text("\"radeon\""),
            found: text("llvmpipe"),
        },
        Error::Device {
            adapter: text("llvmpipe"),
            reason: text("it has no f64"),
        },
        Error::DeviceLost {
            reason: text("the driver was reset"),
        },
        Error::OutOfDeviceMemory {
            what: text("pairs"),
            needed: 4096,
        },
        Error::OutOfMemory {
            what: "the grid",
            needed: 4096,
        },
        Error::LimitExceeded {
            what: text("the grid"),
            needed: 4096,
            available: 1024,
            hint: "raise max_buffer_bytes",
        },
        Error::Timeout { seconds: 2.5 },
        Error::Gpu {
            what: text("a buffer"),
            reason: text("validation error"),
        },
        Error::InvalidRay {
            index: 7,
            problem: RayProblem::NoDirection,
        },
        Error::MissingBoxes { boxes: 3, held: 4 },
        Error::Stopped,
    ]
}

/// The text of each error, on a line after the name of its kind.
fn listed<T: std::fmt::Debug + std::fmt::Display>(all: &[T]) -> String {
    let lines = all.iter().map(|one| {
        let debug = format!("{one:?}");
        let kind = debug.split([' ', '(']).next().unwrap_or_default();
        format!("{kind}: {one}\n")
    });
    lines.collect()
}

fn expect(name: &str, text: &str) {
    let mut settings = Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| assert_snapshot!(name, text));
}

#[test]
fn errors_have_their_messages() {
    let errors = errors();
    let kinds = include_str!("../../src/base/error.rs").matches("#[error(").count();
    assert_eq!(errors.len(), kinds, "one error of each kind");
    expect("errors", &listed(&errors));
}

#[test]
fn single_problems_have_singular_messages() {
    let (index, count) = (0, 1);
    let problem = BoxProblem::NotFinite;
    let error = Error::InvalidBox { index, problem, count }.to_string();
    assert!(error.ends_with("(1 invalid box in all): fix or remove it"), "{error}");
    let (kind, problem) = ("sphere", BoxProblem::NegativeRadius);
    let error = Error::InvalidBody {
        index,
        kind,
        problem,
        count,
    }
    .to_string();
    let expected = "body 0 (a sphere) has a negative radius (1 invalid sphere in all): fix or remove it";
    assert_eq!(error, expected);
    let problem = UprightProblem::Tilted;
    let error = Error::InvalidUpright { index, problem, count }.to_string();
    assert!(
        error.ends_with("(1 invalid cuboid in all): fix or remove it"),
        "{error}"
    );
    let one = obbligato::query::ExcludedPairs::new(&[obbligato::Pair::new(0, 1)]).expect("a pair");
    assert_eq!(format!("{one:?}"), "ExcludedPairs(1 pair)");
}

#[test]
fn problems_of_boxes_have_their_messages() {
    let problems = [
        BoxProblem::NotFinite,
        BoxProblem::NegativeExtent,
        BoxProblem::Inverted,
        BoxProblem::Rotation,
        BoxProblem::TooLarge,
    ];
    expect("problems_of_boxes", &listed(&problems));
}

#[test]
fn problems_of_rays_have_their_messages() {
    let problems = [
        RayProblem::NotFinite,
        RayProblem::TooFar,
        RayProblem::NoDirection,
        RayProblem::Limit(-1.0),
    ];
    expect("problems_of_rays", &listed(&problems));
}

#[test]
fn problems_of_motions_have_their_messages() {
    let problems = [
        MotionProblem::NotFinite,
        MotionProblem::NegativeUncertainty,
        MotionProblem::TooFar,
        MotionProblem::TurnsTooMuch,
    ];
    expect("problems_of_motions", &listed(&problems));
}

#[test]
fn problems_of_upright_cuboids_have_their_messages() {
    let problems = [
        UprightProblem::NotFinite,
        UprightProblem::NegativeExtent,
        UprightProblem::Inverted,
        UprightProblem::Direction,
        UprightProblem::NoRectangle {
            off: 0.125,
            tolerance: 1e-6,
        },
        UprightProblem::TooLarge,
        UprightProblem::Tilted,
    ];
    expect("problems_of_upright_cuboids", &listed(&problems));
}

#[test]
fn problems_of_solids_have_their_messages() {
    let problems = [
        SolidProblem::NoPoints,
        SolidProblem::NotFinite { point: 4 },
        SolidProblem::TooLarge { point: 4 },
        SolidProblem::Flat,
        SolidProblem::NoPolygon { face: 2 },
        SolidProblem::NotConvex { face: 2 },
        SolidProblem::NotClosed,
    ];
    expect("problems_of_solids", &listed(&problems));
}

#[test]
fn problems_of_regions_have_their_messages() {
    let problems = [
        RegionProblem::Solid(BoxProblem::Rotation),
        RegionProblem::Flat,
        RegionProblem::NotFinite(4),
        RegionProblem::Empty(5),
    ];
    expect("problems_of_regions", &listed(&problems));
}
