//! A clash check: which elements of a building run into each other, and which only touch.
//!
//! `cargo run --release --example building [FILE.csv]`

use std::path::PathBuf;

use obbligato::files::read_scene;
use obbligato::{Checker, Config};

fn main() -> obbligato::Result<()> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/building.csv");
    let path = std::env::args_os().nth(1).map_or(PathBuf::from(default), PathBuf::from);
    let scene = read_scene(&path, None)?;
    let mut checker = Checker::new(Config {
        list_touching: true,
        ..Config::default()
    })?;
    let report = checker.check(&scene.boxes)?;
    let touching = report.touching();
    println!(
        "{} boxes, {} pairs, of which {} only touch",
        report.boxes,
        report.pairs().len(),
        touching.len()
    );
    let clashes = report
        .pairs()
        .iter()
        .filter(|pair| touching.binary_search(pair).is_err());
    for pair in clashes.take(10) {
        println!(
            "row {} clashes with row {}",
            scene.id_of(pair.a as usize),
            scene.id_of(pair.b as usize)
        );
    }
    Ok(())
}
