//! The value of the elementary tests: the pairs that each rejects, its cost, and its benefit before
//! the full separating-axis test. One thread.
//!
//! ```text
//! cargo bench --bench elementary -- [--count N] [SCENE]...
//! ```
//!
//! There are two sets of pairs: *candidates*, whose bounds overlap, as from the broad phase; and
//! *neighbours*, whose bounds overlap when doubled in size, as from a coarser broad phase. "apart"
//! is the share that a test rejects; "ns" is its time per pair with precomputed spheres and bounds;
//! "then SAT" is the time per pair of the test followed by all fifteen axes in `f32` for the
//! remaining pairs. The first row is the fifteen axes alone. Times are the minimum of several
//! rounds.
mod common {
    pub mod arguments;
    pub mod clock;
    pub mod threads;
}

use std::hint::black_box;

use obbligato::Query;
use obbligato::glam::{Quat, Vec3};
use obbligato::{
    Backend, Checker, Config, Obb, Output, Pair, Precision,
    region::Room,
    report::Stage,
    shape::{Aabb, BoundingSphere},
};
use obbligato_support::count::parse_count;
use obbligato_verify::scenes::Scene;

use common::{arguments, clock::least, threads::use_threads};

const SEED: u64 = 1;

fn main() -> Result<(), String> {
    let (mut scenes, count, rounds) = arguments::read(|arguments| {
        let count = arguments.value("--count", parse_count)?;
        let scenes = arguments.words.drain(..).map(|name| name.parse());
        let scenes: Vec<Scene> = scenes.collect::<Result<_, _>>()?;
        Ok(match arguments.timed {
            true => (scenes, count.unwrap_or(100_000), 7),
            false => (scenes, count.unwrap_or(300), 1),
        })
    })?;
    if scenes.is_empty() {
        scenes = Scene::ALL.to_vec();
    }
    use_threads(1)?;
    println!("{count} boxes, one thread; times in nanoseconds per pair");
    for scene in scenes {
        let boxes = scene.generate(count, SEED);
        let bounds: Vec<Aabb> = boxes.iter().map(Obb::bounds).collect();
        measure(
            &format!("{scene}, candidates"),
            &boxes,
            &bounds,
            &pairs(&bounds),
            rounds,
        );
        let wide: Vec<Aabb> = bounds.iter().map(twice).collect();
        measure(&format!("{scene}, neighbours"), &boxes, &bounds, &pairs(&wide), rounds);
        rooms(&boxes, &bounds, rounds);
    }
    println!(
        "\nThe full test begins with the six face axes, four pairs at a time, and stops if all four are apart, so the row\n\
         \"six face axes\" as a filter before it pays off only if its \"then SAT\" is less than that of \"no test\". It does\n\
         pay off before a test that takes longer than its \"ns\" divided by its share \"apart\", such as one for contacts or\n\
         for the shapes within the boxes."
    );
    Ok(())
}

/// The bounds doubled in size about the same center.
fn twice(bounds: &Aabb) -> Aabb {
    let half = (bounds.max - bounds.min) / 2.0;
    Aabb::new(bounds.min - half, bounds.max + half)
}

fn checker(output: Output) -> Checker {
    let config = Config {
        backend: Backend::Cpu,
        output,
        precision: Precision::Conservative,
        ..Config::default()
    };
    Checker::new(config).expect("the CPU is always there")
}

/// The pairs of bounds that overlap.
fn pairs(bounds: &[Aabb]) -> Vec<Pair> {
    let report = checker(Output::Pairs)
        .check(Query::from(bounds))
        .expect("the bounds are valid");
    report.into_pairs().expect("asked for")
}

/// A test that returns the pairs of boxes, given by their positions, that may meet.
type Test<'a> = (&'static str, Box<dyn Fn(&[Pair]) -> Vec<Pair> + 'a>);

/// A filter that keeps the pairs a test does not reject; the test is compiled into the loop.
fn kept<'a>(name: &'static str, test: impl Fn(usize, usize) -> bool + 'a) -> Test<'a> {
    let keep = move |pairs: &[Pair]| -> Vec<Pair> {
        let meets = |pair: &&Pair| test(pair.a as usize, pair.b as usize);
        pairs.iter().filter(meets).copied().collect()
    };
    (name, Box::new(keep))
}

fn measure(title: &str, boxes: &[Obb], bounds: &[Aabb], pairs: &[Pair], rounds: usize) {
    let balls: Vec<BoundingSphere> = boxes.iter().map(Obb::bounding_sphere).collect();
    let tests = [
        kept("no test", |_, _| true),
        kept("spheres", |a, b| balls[a].overlaps(&balls[b])),
        kept("AABBs", |a, b| bounds[a].overlaps(&bounds[b])),
        kept("AABBs, early exit", |a, b| bounds[a].overlaps_early_exit(&bounds[b])),
        kept("sphere and AABB", |a, b| balls[a].overlaps_aabb(&bounds[b])),
        kept("sphere and OBB", |a, b| balls[a].overlaps_obb(&boxes[b])),
        kept("AABB and OBB", |a, b| bounds[a].overlaps_obb(&boxes[b])),
        kept("six face axes", |a, b| !boxes[a].faces_separate(&boxes[b])),
    ];
    println!("\n{title}: {} pairs", pairs.len());
    println!("{:<20} {:>8} {:>8} {:>9}", "test", "apart", "ns", "then SAT");
    let mut checker = checker(Output::Count);
    for (name, keep) in &tests {
        let (mut alone, mut both, mut left) = (f64::INFINITY, f64::INFINITY, 0);
        for _ in 0..rounds {
            let (time, rest) = least(1, || keep(black_box(pairs)));
            let report = checker.check(Query::pairs(boxes, &rest)).expect("the boxes are valid");
            let narrow = report.timings.wall_of(Stage::Narrow).unwrap_or_default() * 1e-3;
            (alone, both, left) = (alone.min(time), both.min(time + narrow), rest.len());
        }
        let all = pairs.len().max(1) as f64;
        let [alone, both] = [alone, both].map(|time| time * 1e9 / all);
        let apart = 100.0 * (pairs.len() - left) as f64 / all;
        println!("{name:<20} {apart:>7.1}% {alone:>8.1} {both:>9.1}");
    }
}

/// Prints nanoseconds per box for rooms that cut through the scene, and for boxes upright on the
/// floor of one, which all touch it.
fn rooms(boxes: &[Obb], bounds: &[Aabb], rounds: usize) {
    let low = bounds.iter().fold(Vec3::INFINITY, |low, b| low.min(b.min));
    let high = bounds.iter().fold(Vec3::NEG_INFINITY, |high, b| high.max(b.max));
    let (middle, half) = ((low + high) / 2.0, (high - low) / 2.6);
    let aligned = Room::new(middle - half, middle + half).expect("a room");
    let turned = aligned.turned(Quat::from_rotation_z(0.3)).expect("a room");
    let floor = Room::new(low.with_z(0.0), high.with_z(1e6)).expect("a room");
    let stand = |(i, obb): (usize, &Obb)| Obb {
        center: obb.center.with_z(obb.half_extents.z),
        rotation: Quat::from_rotation_z(i as f32),
        ..*obb
    };
    let standing: Vec<Obb> = boxes.iter().enumerate().map(stand).collect();
    for (name, room, boxes) in [
        ("aligned", aligned, boxes),
        ("turned", turned, boxes),
        ("all boxes on its floor", floor, &standing),
    ] {
        let (time, found) = least(rounds, || {
            room.enclosures(black_box(boxes)).expect("the boxes are valid")
        });
        let reached = found.iter().filter(|found| found.walls != 0).count();
        let all = boxes.len().max(1) as f64;
        let share = 100.0 * reached as f64 / all;
        println!(
            "a room, {name}: {:.1} ns per box; {share:.1}% of them reach a wall",
            1e9 * time / all
        );
    }
}
