//! Sweeps of boxes in motion compared with a check of the same boxes at rest, by stage.
//!
//! ```text
//! RAYON_NUM_THREADS=1 cargo bench --bench sweeps -- [BOXES] [gpu]
//! ```
//!
//! Boxes of the scene `uniform`, half extents of 0.5 to 1, at velocities of up to 1.5 along each
//! axis, for a step of 1 s. Prints the best of five runs: "bounds" include the records that the
//! engine works on, made and validated by the host; "impacts" are the times of the pairs that the
//! engine has not separated. Then a hundredth of that number in motion among all boxes at rest: as
//! two sets, and against a scene that is prepared once. Then 20,000 discs, which are spheres with
//! their centers in a plane, among 200 walls at rest for 3 s, and cubes in the place of the discs.

use std::time::{Duration, Instant};

use obbligato::glam::{Quat, Vec3};
use obbligato::query::Sweep;
use obbligato::{
    Backend, Bodies, Checker, Config, Obb, Result, Sphere,
    motion::{Impacts, Motion, MovingSet, Step},
    report::Stage,
};
use obbligato_support::count::parse_count;
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::scenes::Scene;

const RUNS: usize = 5;

fn vector(random: &mut SplitMix, size: f64) -> Vec3 {
    Vec3::from([0; 3].map(|_| ((2.0 * random.unit() - 1.0) * size) as f32))
}

/// Velocities of up to 1.5 along each axis, and rotations and accelerations of up to the given
/// ones.
fn motions(count: usize, turn: f64, bend: f64) -> Vec<Motion> {
    let mut random = SplitMix(1);
    let motion = |_| {
        Motion::linear(vector(&mut random, 1.5))
            .turning(vector(&mut random, turn))
            .accelerated(vector(&mut random, bend))
    };
    (0..count).map(motion).collect()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let timed = arguments.iter().any(|argument| argument == "--bench");
    let count = arguments.iter().find_map(|argument| parse_count(argument).ok());
    let count = count.unwrap_or(if timed { 1_000_000 } else { 1_000 });
    let backend = match arguments.iter().any(|argument| argument == "gpu") {
        true => Backend::Gpu,
        false => Backend::Cpu,
    };
    let boxes = Scene::Uniform.generate(count, 1);
    let mut checker = Checker::new(Config {
        backend,
        ..Config::default()
    })
    .expect("the backend is there");
    println!("{count} boxes on {:?}, milliseconds", checker.engine());
    let checks = (0..RUNS).map(|_| checker.check(&boxes).expect("valid boxes").timings.total);
    println!("check {:.0}", checks.fold(f64::INFINITY, f64::min));
    for (name, turn, bend) in [("straight", 0.0, 0.0), ("accelerated", 0.0, 1.0), ("turning", 0.3, 0.0)] {
        let motions = motions(count, turn, bend);
        let sweeps = (0..RUNS).map(|_| {
            let set = MovingSet::new(&boxes, &motions);
            checker.check(Sweep::new(set, &Step::new(1.0))).expect("valid motions")
        });
        let best = sweeps
            .min_by(|a, b| a.timings.total.total_cmp(&b.timings.total))
            .expect("some runs");
        // The sweep's own work after the engine comes last.
        let impacts = best.timings.wall.last().map_or(0.0, |(_, time)| *time);
        let own = |stage: Stage| best.timings.step(stage).unwrap_or(0.0);
        println!(
            "{name} {:.0}: bounds {:.0}, broad {:.0}, narrow {:.0}, impacts {impacts:.0}; {} candidates, {} impacts",
            best.timings.total,
            own(Stage::Bounds),
            own(Stage::Broad),
            own(Stage::Narrow),
            best.candidate_pairs,
            best.impacts.len(),
        );
    }
    among_others(&mut checker, &boxes);
    among_walls(&mut checker, if timed { 20_000 } else { 200 });
}

/// Some of the boxes in motion among all at rest.
fn among_others(checker: &mut Checker, boxes: &[Obb]) {
    let few = boxes.len().div_ceil(100);
    let (movers, moving) = (Scene::Uniform.generate(boxes.len(), 2), motions(few, 0.3, 0.0));
    let movers = MovingSet::new(&movers[..few], &moving);
    let (at_rest, step) = (vec![Motion::default(); boxes.len()], Step::new(1.0));
    let start = Instant::now();
    let scene = checker.prepare(boxes).expect("valid boxes");
    let prepared = start.elapsed();
    let mut least = |sweep: &dyn Fn(&mut Checker) -> Result<Impacts>| {
        let sweeps = (0..RUNS).map(|_| {
            let start = Instant::now();
            let found = sweep(checker).expect("valid motions").impacts.len();
            (start.elapsed(), found)
        });
        sweeps.min().expect("some runs")
    };
    let (both, found) = least(&|checker| checker.check(Sweep::between(MovingSet::new(boxes, &at_rest), movers, &step)));
    let (against, same) = least(&|checker| checker.check(Sweep::against(&scene, movers, &step)));
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "{few} turning among all at rest {:.1}, against them prepared {:.2}, prepared in {:.0}; {found} and {same} impacts",
        ms(both),
        ms(against),
        ms(prepared),
    );
}

/// Discs or cubes in a plane among walls a hundredth of their number.
fn among_walls(checker: &mut Checker, count: usize) {
    const RADIUS: f32 = 0.25;
    let edge = 2.0 * (count as f64).sqrt();
    let mut random = SplitMix(3);
    let mut place = |size: f64| vector(&mut random, 0.5 * size) * Vec3::new(1.0, 1.0, 0.0);
    let centers: Vec<Vec3> = (0..count).map(|_| place(edge)).collect();
    let mut motions: Vec<Motion> = (0..count).map(|_| Motion::linear(place(3.0))).collect();
    let walls: Vec<Vec3> = (0..count / 100).map(|_| place(edge)).collect();
    motions.splice(0..0, walls.iter().map(|_| Motion::REST));
    let wall = |center: Vec3| {
        let length = 2.0 + 8.0 * random.unit() as f32;
        let turn = Quat::from_rotation_z(std::f32::consts::TAU * random.unit() as f32);
        Obb::new(center, Vec3::new(length, 0.1, 1.0), turn)
    };
    let walls: Vec<Obb> = walls.into_iter().map(wall).collect();
    let discs: Vec<Sphere> = centers.iter().map(|&center| Sphere::new(center, RADIUS)).collect();
    let cubes = centers
        .iter()
        .map(|&center| Obb::axis_aligned(center, Vec3::splat(RADIUS)));
    let both: Vec<Obb> = walls.iter().copied().chain(cubes).collect();
    let with_discs = Bodies {
        boxes: &walls,
        spheres: &discs,
        ..Bodies::default()
    };
    let step = Step::new(3.0);
    for (name, bodies) in [("discs", with_discs), ("cubes", Bodies::from(&both))] {
        let sweeps = (0..RUNS).map(|_| {
            let set = MovingSet::new(bodies, &motions);
            checker.check(Sweep::new(set, &step)).expect("valid motions")
        });
        let best = sweeps
            .min_by(|a, b| a.timings.total.total_cmp(&b.timings.total))
            .expect("some runs");
        let stages = best.timings.wall.iter();
        let stages: Vec<String> = stages
            .map(|(stage, time)| format!("{} {time:.2}", stage.name()))
            .collect();
        println!(
            "{count} {name} among {} walls {:.2}: {}; {} candidates, {} impacts",
            walls.len(),
            best.timings.total,
            stages.join(", "),
            best.candidate_pairs,
            best.impacts.len(),
        );
    }
}
