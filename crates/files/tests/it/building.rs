//! Boxes that touch exactly, as in real designs: a building model, bricks and voxels.

use std::path::Path;

use obbligato::Query;
use obbligato::glam::{Quat, Vec3};
use obbligato::{Backend, Checker, Config, Obb, Pair, Report, contact::Contact};
use obbligato_files as files;
use obbligato_verify::compare as verify;
use obbligato_verify::reference;
use obbligato_verify::reference::oracle;
use obbligato_verify::scenes::Scene;

fn check(boxes: &[Obb]) -> Report {
    let config = Config {
        backend: Backend::Cpu,
        list_touching: true,
        ..Config::default()
    };
    let mut checker = Checker::new(config).expect("the CPU is always there");
    checker.check(boxes).expect("the boxes are valid")
}

/// The pairs for which the oracle finds the `wanted` contact, among all.
fn pairs_by_oracle(boxes: &[Obb], wanted: Contact) -> Vec<Pair> {
    let all = (0..boxes.len()).flat_map(|a| (a + 1..boxes.len()).map(move |b| (a, b)));
    all.filter(|&(a, b)| oracle::contact(&boxes[a], &boxes[b]) == wanted)
        .map(|(a, b)| Pair::new(a as u32, b as u32))
        .collect()
}

#[test]
fn walls_of_a_building_touch() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/building.csv");
    let boxes = files::read_scene(&file, None).expect("the file is sound").boxes;
    let report = check(&boxes);
    assert_eq!(report.colliding_pairs, 481);
    assert_eq!(report.touching_pairs, Some(78));
    assert_eq!(
        report.touching().expect("asked for"),
        pairs_by_oracle(&boxes, Contact::Touching)
    );
    let overlapping = report
        .pairs()
        .expect("asked for")
        .iter()
        .filter(|&pair| !report.touching().expect("asked for").contains(pair));
    assert_eq!(
        overlapping.copied().collect::<Vec<Pair>>(),
        pairs_by_oracle(&boxes, Contact::Overlapping)
    );
}

#[test]
fn voxels_touch_all_their_neighbours() {
    const SIDE: u32 = 6;
    // The number of pairs of neighbours, diagonal ones included, in a cube of voxels: along each
    // edge there are 3 n - 2 ordered pairs of places at most 1 apart, so (3 n - 2)^3 pairs of
    // voxels, less each with itself.
    let neighbours = ((3 * SIDE - 2).pow(3) - SIDE.pow(3)) / 2;
    for (name, rotation) in [
        ("axis-aligned", Quat::IDENTITY),
        ("a third of a turn", Quat::from_xyzw(0.5, 0.5, 0.5, 0.5)),
        ("half a turn, not of length 1", Quat::from_xyzw(0.0, 1.0009, 0.0, 0.0)),
    ] {
        let places = (0..SIDE.pow(3)).map(|k| [k % SIDE, k / SIDE % SIDE, k / SIDE / SIDE]);
        let boxes: Vec<Obb> = places
            .map(|place| Obb::new(Vec3::from(place.map(|k| k as f32)) * 0.75, Vec3::splat(0.375), rotation))
            .collect();
        let report = check(&boxes);
        assert_eq!(report.colliding_pairs, u64::from(neighbours), "{name}");
        assert_eq!(
            report.touching().expect("asked for"),
            report.pairs().expect("asked for"),
            "{name}"
        );
    }
}

#[test]
fn bricks_touch() {
    let boxes = Scene::Bricks.generate(3_000, 1);
    let report = check(&boxes);
    assert!(report.colliding_pairs > 3 * 3_000);
    assert_eq!(report.touching_pairs, Some(report.colliding_pairs));
    let verification = verify::verify_contacts(&boxes, report.pairs().expect("asked for"), report.touching_pairs);
    assert!(verification.passed(), "{verification}");
}

#[test]
fn furniture_within_five_centimetres_of_a_wall() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/building.csv");
    let boxes = files::read_scene(&file, None).expect("the file is sound").boxes;
    let text = std::fs::read_to_string(file).expect("the file is there");
    let types = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(1).unwrap_or_default());
    let of_type = |names: &[&str]| -> Vec<Obb> {
        let those = types.clone().zip(&boxes);
        let those = those.filter(|(own, _)| names.iter().any(|name| own.contains(name)));
        those.map(|(_, solid)| *solid).collect()
    };
    let (walls, furniture) = (of_type(&["Wall"]), of_type(&["Furnishing", "Proxy"]));
    assert_eq!((walls.len(), furniture.len()), (18, 27));

    let config = Config {
        backend: Backend::Cpu,
        margin: 0.05,
        ..Config::default()
    };
    let report = Checker::new(config).and_then(|mut checker| checker.check(Query::between(&walls, &furniture)));
    let report = report.expect("the boxes are valid");
    let expected = (0..18).flat_map(|a| (0..27).map(move |b| Pair { a, b }));
    let distance = |pair: &Pair| reference::distance(&walls[pair.a as usize], &furniture[pair.b as usize]);
    let expected: Vec<Pair> = expected.filter(|pair| distance(pair) <= 0.05).collect();
    assert_eq!(report.pairs().expect("asked for"), expected);
    // The numbers in the guide.
    assert_eq!((report.colliding_pairs, report.near_pairs), (23, Some(2)));
}
