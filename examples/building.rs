//! A clash check: which elements of a building run into each other, and which only touch.
//!
//! `cargo run --release --example building [FILE.csv]`; the file has the columns `type` and `name` beside those of a box.

use std::error::Error;
use std::path::{Path, PathBuf};

use obbligato::files::read_scene;
use obbligato::{Checker, Config};

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
    let (pairs, touching) = (report.pairs(), report.touching());
    println!(
        "{} elements, {} pairs, of which {} only touch",
        report.boxes,
        pairs.len(),
        touching.len()
    );
    let clashes = pairs.iter().filter(|pair| touching.binary_search(pair).is_err());
    // Rooms hold furniture, and openings are cut for doors: neither is a clash.
    let empty = ["IfcSpace", "IfcOpeningElement"];
    let solid = |&position: &u32| !empty.iter().any(|kind| names[position as usize].starts_with(kind));
    for pair in clashes.filter(|pair| [pair.a, pair.b].iter().all(solid)).take(10) {
        println!("{} runs into {}", names[pair.a as usize], names[pair.b as usize]);
    }
    Ok(())
}

/// What each row's element is: its type and name.
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
