//! A clash check: lists the elements of a building that intersect, and those that only touch.
//!
//! `cargo run --release --example building [FILE.csv]`; the file has the columns `type` and `name`
//! in addition to those of a box.

use std::error::Error;
use std::path::{Path, PathBuf};

use obbligato::{Checker, Config};
use obbligato_files::read_scene;

fn main() -> Result<(), Box<dyn Error>> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/building.csv");
    let path = std::env::args_os().nth(1).map_or(PathBuf::from(default), PathBuf::from);
    let names = names(&path)?;
    let scene = read_scene(&path, None)?;
    let mut checker = Checker::new(Config {
        list_touching: true,
        ..Config::default()
    })?;
    let report = checker.check(&scene.boxes)?;
    let (pairs, touching) = (
        report.pairs().expect("asked for"),
        report.touching().expect("asked for"),
    );
    println!(
        "{} elements, {} pairs, {} of them only touch",
        report.boxes,
        pairs.len(),
        touching.len()
    );
    let clashes = pairs.iter().filter(|pair| touching.binary_search(pair).is_err());
    // Furniture in rooms and doors in openings are not clashes.
    let empty = ["IfcSpace", "IfcOpeningElement"];
    let solid = |&position: &u32| !empty.iter().any(|kind| names[position as usize].starts_with(kind));
    for pair in clashes.filter(|pair| [pair.a, pair.b].iter().all(solid)).take(10) {
        println!("{} intersects {}", names[pair.a as usize], names[pair.b as usize]);
    }
    Ok(())
}

/// The type and name of each row's element.
fn names(path: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut rows = csv::Reader::from_path(path)?;
    let headers = rows.headers()?;
    let column = |name: &str| {
        headers
            .iter()
            .position(|header| header == name)
            .ok_or(format!("no column {name}"))
    };
    let (kind, name) = (column("type")?, column("name")?);
    rows.records()
        .map(|row| {
            row.map(|row| format!("{} {}", &row[kind], &row[name]))
                .map_err(Into::into)
        })
        .collect()
}
