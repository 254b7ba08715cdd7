//! Two sets against each other, compared with one of them prepared and the other one moving, and
//! with one list of both.
//!
//! ```sh
//! cargo bench --bench two_sets              # CPU and GPU
//! cargo bench --bench two_sets -- 100000    # 100,000 boxes in the larger set
//! ```
//!
//! Prints the minimum time of several rounds, which alternate: of `Query::between`, of
//! `Checker::prepare` and `Query::against` together, and the comparisons of bounds of both. For one
//! thread, set `RAYON_NUM_THREADS=1`.

use std::time::Instant;

use obbligato::glam::Vec3;
use obbligato::{Backend, Checker, Config, Error, Obb, Query};
use obbligato_verify::scenes::Scene;

/// Rounds of each measurement.
const ROUNDS: usize = 5;

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args();
    let is_timed = std::env::args().any(|text| text == "--bench");
    let count = arguments.find_map(|text| text.parse().ok()).unwrap_or(match is_timed {
        true => 20_000,
        false => 500,
    });
    let cases = cases(count);
    for backend in [Backend::Cpu, Backend::Gpu] {
        let config = Config {
            backend,
            count_operations: true,
            ..Config::default()
        };
        let mut checker = match Checker::new(config) {
            Err(Error::NoAdapter { .. }) => {
                println!("no GPU adapter");
                continue;
            }
            other => other?,
        };
        println!(
            "{:?}\n{:<28} {:>9} {:>7} {:>10} {:>9} {:>11} {:>6} {:>13} {:>13}",
            checker.engine(),
            "",
            "first",
            "second",
            "candidates",
            "ms",
            "prepared ms",
            "ratio",
            "comparisons",
            "of prepared"
        );
        for (name, first, second) in &cases {
            measure(&mut checker, name, first, second)?;
        }
    }
    Ok(())
}

/// Pairs of sets with `count` boxes in the first, each with its name.
fn cases(count: usize) -> [(&'static str, Vec<Obb>, Vec<Obb>); 8] {
    let few = (count / 400).max(2);
    let spot = |count: usize, at: f32| vec![Obb::axis_aligned(Vec3::splat(at), Vec3::ONE); count];
    [
        ("one spot, few far away", spot(count, 0.0), spot(few, 1000.0)),
        (
            "one spot, few spread",
            spot(count, 0.0),
            Scene::Uniform.generate(few, 1),
        ),
        (
            "spread, few on one spot",
            Scene::Uniform.generate(count, 1),
            spot(few, 0.0),
        ),
        (
            "spread, few spread",
            Scene::Uniform.generate(count, 1),
            Scene::Uniform.generate(few, 2),
        ),
        (
            "dense, as many",
            Scene::Dense.generate(count, 1),
            Scene::Dense.generate(count, 2),
        ),
        (
            "clusters, as many",
            Scene::Clusters.generate(count, 1),
            Scene::Clusters.generate(count, 2),
        ),
        (
            "mixed, as many",
            Scene::Mixed.generate(count, 1),
            Scene::Mixed.generate(count, 2),
        ),
        ("lattices, half a cell apart", lattice(count, 0.0), lattice(count, 0.5)),
    ]
}

/// Cubes in a cube, each of which touches its neighbours.
fn lattice(count: usize, shift: f32) -> Vec<Obb> {
    let side = (count as f64).cbrt().round() as usize;
    let place = |k: usize| Vec3::new((k % side) as f32, (k / side % side) as f32, (k / side / side) as f32);
    let cube = |k| Obb::axis_aligned(place(k) + shift, Vec3::splat(0.5));
    (0..side.pow(3)).map(cube).collect()
}

fn measure(checker: &mut Checker, name: &str, first: &[Obb], second: &[Obb]) -> Result<(), Error> {
    let [mut between, mut prepared] = [f64::INFINITY; 2];
    let mut compared = [0; 2];
    let mut candidates = 0;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let report = checker.check(Query::between(first, second))?;
        let middle = Instant::now();
        let scene = checker.prepare(first)?;
        let moved = checker.check(Query::against(&scene, second))?;
        let end = Instant::now();
        assert_eq!(report.pairs()?, moved.pairs()?, "{name}");
        between = between.min((middle - start).as_secs_f64() * 1e3);
        prepared = prepared.min((end - middle).as_secs_f64() * 1e3);
        candidates = report.candidate_pairs;
        compared = [report, moved].map(|report| report.operations.map_or(0, |operations| operations.comparisons));
    }
    println!(
        "{name:<28} {:>9} {:>7} {candidates:>10} {between:>9.2} {prepared:>11.2} {:>6.2} {:>13} {:>13}",
        first.len(),
        second.len(),
        between / prepared,
        compared[0],
        compared[1]
    );
    Ok(())
}
