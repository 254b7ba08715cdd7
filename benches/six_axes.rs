//! The value of the six face axes alone: `Obb::faces_separate` compared with the full test, on one
//! thread.
//!
//! ```text
//! cargo bench --bench six_axes -- [--count N] [SCENE]...
//! ```
//!
//! Candidates are the pairs whose bounds overlap. "of 15" is the share that all axes prove apart in
//! `f32`; "6 + 15" applies the filter first and the full test to the remaining pairs. Times are the
//! minimum of several rounds.

use std::hint::black_box;
use std::time::Instant;

use obbligato::Query;
use obbligato::{Backend, Checker, Config, Obb, Output, Pair, Precision, report::Stage};
use obbligato_verify::scenes::Scene;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};

const SEED: u64 = 1;

fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let (mut scenes, mut count, mut timed) = (Vec::new(), None, false);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--count" => {
                let number = arguments.next().and_then(|number| number.parse().ok());
                count = Some(number.ok_or("--count needs a number")?);
            }
            // `cargo bench` passes this; `cargo test --benches`, which only checks that this runs,
            // does not.
            "--bench" => timed = true,
            "--test" => timed = false,
            name => scenes.push(name.parse::<Scene>()?),
        }
    }
    if scenes.is_empty() {
        scenes = Scene::ALL.to_vec();
    }
    let (count, rounds) = match timed {
        true => (count.unwrap_or(100_000), 7),
        false => (count.unwrap_or(500), 1),
    };
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build_global()
        .expect("no thread pool exists yet");
    println!("{count} boxes, one thread; times in nanoseconds per candidate pair");
    println!(
        "{:<11} {:>11} {:>8} {:>8} {:>7} {:>7} {:>8}",
        "scene", "candidates", "6 axes", "of 15", "6", "15", "6 + 15"
    );
    for scene in scenes {
        measure(scene, count, rounds);
    }
    println!(
        "\nThe full test begins with the same six axes, four pairs at a time, and stops if all four are apart, so a filter\n\
         before it pays off only if \"6 + 15\" is less than \"15\". It does pay off before a test that takes longer than the\n\
         column \"6\" divided by the share \"6 axes\", such as one for contacts or for the shapes within the boxes."
    );
    Ok(())
}

fn measure(scene: Scene, count: usize, rounds: u32) {
    let boxes = scene.generate(count, SEED);
    let candidates = candidates(&boxes);
    let mut checker = Checker::new(Config {
        backend: Backend::Cpu,
        output: Output::Count,
        precision: Precision::Conservative,
        ..Config::default()
    })
    .expect("the CPU is always there");
    let apart = |pair: &Pair| boxes[pair.a as usize].faces_separate(&boxes[pair.b as usize]);
    let mut whole = |pairs: &[Pair]| {
        let report = checker.check(Query::pairs(&boxes, pairs)).expect("the boxes are valid");
        let narrow = report.timings.wall_of(Stage::Narrow).unwrap_or_default();
        (report.colliding_pairs, narrow * 1e6)
    };
    let mut least = [f64::INFINITY; 3];
    let mut rejected = [0; 2];
    for _ in 0..rounds {
        let start = Instant::now();
        rejected[0] = black_box(&candidates).iter().filter(|pair| apart(pair)).count();
        least[0] = least[0].min(start.elapsed().as_secs_f64() * 1e9);
        let (left, time) = whole(&candidates);
        rejected[1] = candidates.len() - left as usize;
        least[1] = least[1].min(time);
        let start = Instant::now();
        let rest: Vec<Pair> = candidates.iter().copied().filter(|pair| !apart(pair)).collect();
        let filter = start.elapsed().as_secs_f64() * 1e9;
        least[2] = least[2].min(filter + whole(&rest).1);
    }
    let pairs = candidates.len().max(1) as f64;
    let [six, fifteen] = rejected.map(|rejected| 100.0 * rejected as f64 / pairs);
    let [six_time, whole_time, both_time] = least.map(|time| time / pairs);
    println!(
        "{:<11} {:>11} {six:>7.1}% {fifteen:>7.1}% {six_time:>7.1} {whole_time:>7.1} {both_time:>8.1}",
        scene.name(),
        candidates.len()
    );
}

/// The pairs whose bounds overlap, found with a tree.
fn candidates(boxes: &[Obb]) -> Vec<Pair> {
    let corner = |corner: obbligato::glam::Vec3| Vector::from_array(corner.to_array());
    let bounds: Vec<_> = boxes.iter().map(Obb::bounds).collect();
    let leaves: Vec<_> = bounds
        .iter()
        .map(|bounds| parry3d::bounding_volume::Aabb::new(corner(bounds.min), corner(bounds.max)))
        .collect();
    let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves);
    let mut pairs = Vec::new();
    tree.traverse_bvtt_single_tree::<false>(&mut BvhWorkspace::default(), &mut |a, b| {
        if bounds[a as usize].overlaps(&bounds[b as usize]) {
            pairs.push(Pair::new(a, b));
        }
    });
    pairs
}
