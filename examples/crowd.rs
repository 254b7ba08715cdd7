//! A walking crowd: the number of other people that each person bumps into, frame by frame.
//!
//! `cargo run --release --example crowd`

use obbligato::glam::Vec3;
use obbligato::{Checker, Config, Output};
use obbligato_verify::scenes::Scene;

fn main() -> obbligato::Result<()> {
    let mut people = Scene::Crowd.generate(50_000, 1);
    let mut checker = Checker::new(Config {
        output: Output::Degrees,
        ..Config::default()
    })?;
    println!("{}", checker.choice());
    for frame in 0..10 {
        let report = checker.check(&people)?;
        let bumping = report
            .degrees()
            .expect("asked for")
            .iter()
            .filter(|&&degree| degree > 0)
            .count();
        let most = report.degrees().expect("asked for").iter().max().copied().unwrap_or(0);
        println!(
            "frame {frame}: {bumping} of {} people bump into someone, one of them into {most}",
            people.len()
        );
        for person in &mut people {
            // Everyone walks forward, a tenth of a metre per frame.
            person.center += person.rotation * Vec3::new(0.1, 0.0, 0.0);
        }
    }
    Ok(())
}
