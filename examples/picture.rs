//! A picture of a clash check: the ground floor of a building, coloured by the results of the
//! check.
//!
//! `cargo run --release --example picture -- building.png`

use std::error::Error;
use std::fs;
use std::path::Path;

use obbligato::glam::{DVec3, Vec3};
use obbligato::{Checker, Config, Obb, Rules, Set};
use obbligato_files::read_scene;
use obbligato_render::{Camera, Mark, Renderer, View, marks};

/// Walls and doors are drawn up to this height, in metres, so that the rooms behind them stay
/// visible.
const CUT: f32 = 1.5;
/// The direction from the building to the camera.
const TOWARDS_CAMERA: DVec3 = DVec3::new(0.45, -1.0, 1.25);
/// Width and height in pixels.
const SIZE: [u32; 2] = [1200, 760];

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).unwrap_or("building.png".to_owned());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/building.csv");
    let elements = read_scene(&path, None)?.boxes.into_iter().zip(kinds(&path)?);
    // Spaces and openings are not solid. Ceilings and the upper floor would hide the rooms.
    let hidden = ["IfcSpace", "IfcOpeningElement", "IfcCovering"];
    let (boxes, kinds): (Vec<Obb>, Vec<String>) = elements
        .filter(|(element, kind)| !hidden.contains(&kind.as_str()) && element.center.z < 3.5)
        .unzip();

    // Doors stand in walls, and walls in one another: built elements are static, and only desks,
    // trees and signs are checked.
    let placed = ["IfcFurnishingElement", "IfcBuildingElementProxy"];
    let built: Vec<bool> = kinds.iter().map(|kind| !placed.contains(&kind.as_str())).collect();
    let rules = Rules {
        statics: Some(&built),
        ..Rules::default()
    };
    let config = Config {
        list_touching: true,
        ..Config::default()
    };
    let report = Checker::new(config.clone())?.check(Set::from(&boxes).with(rules))?;

    // Trees are transparent, since they are boxes as large as rooms.
    let all: Vec<(Obb, Mark)> = boxes.iter().map(cut).zip(marks(&report)?).collect();
    let is_tree = |(obb, _): &(Obb, Mark)| obb.half_extents.min_element() > 1.5;
    let (ghosts, ghost_marks): (Vec<Obb>, Vec<Mark>) = all.iter().copied().filter(is_tree).unzip();
    let (bodies, body_marks): (Vec<Obb>, Vec<Mark>) = all.iter().copied().filter(|one| !is_tree(one)).unzip();
    let view = View {
        bodies: (&bodies).into(),
        marks: &body_marks,
        ghosts: (&ghosts).into(),
        ghost_marks: &ghost_marks,
        caption: "a building's ground floor",
        ..View::default()
    };
    let around = Camera::around(&view, SIZE);
    let distance = around.position.distance(around.target);
    let camera = Camera::new(around.target + distance * TOWARDS_CAMERA.normalize(), around.target);
    let picture = Renderer::new(&config)?.draw(&view, &camera, SIZE)?;
    fs::write(&file, picture.png()?)?;
    println!("{file}: {:?} boxes are free, touch and overlap", view.counts());
    Ok(())
}

/// The type of each row's element.
fn kinds(path: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut rows = csv::Reader::from_path(path)?;
    let column = rows.headers()?.iter().position(|header| header == "type");
    let column = column.ok_or("no column type")?;
    rows.records().map(|row| Ok(row?[column].to_owned())).collect()
}

/// A wall or a door without the part above the cut. Trees and things on the ground are unchanged.
fn cut(obb: &Obb) -> Obb {
    let bottom = obb.center.z - obb.half_extents.z;
    let upright = (obb.rotation * Vec3::Z).z.abs() > 0.999;
    let is_tree = obb.half_extents.min_element() > 1.5;
    match upright && !is_tree && (bottom..bottom + 2.0 * obb.half_extents.z).contains(&CUT) {
        true => {
            let half = 0.5 * (CUT - bottom);
            let center = obb.center.with_z(bottom + half);
            Obb::new(center, obb.half_extents.with_z(half), obb.rotation)
        }
        false => *obb,
    }
}
