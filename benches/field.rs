//! obbligato's CPU backend compared with the crates a user might pick instead: boxes in, colliding pairs out.
//!
//! ```text
//! cargo bench --bench field -- [--count N] [--repeats K] [--threads T] [SCENE]...
//! ```
//!
//! obbligato runs on `T` threads (default 1); the peers' tests run on one.
//!
//! Prints each crate's repeat with the median total, and how many times as long a peer takes. Peers get their input in
//! their own types before the clock starts; their bounds, broad phase and narrow phase are timed. They do not sort
//! their pairs; obbligato does, within its time. The peers' narrow phase is parry's in `f32`, so their pair counts can
//! differ by pairs that nearly touch.

use std::process::ExitCode;
use std::time::Instant;

use obbligato::{Backend, Checker, Config, Obb, Pair, scenes::Scene};
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use parry3d::query::details::intersection_test_cuboid_cuboid;
use parry3d::shape::Cuboid;
use rstar::primitives::{GeomWithData, Rectangle};

const SCENES: [&str; 8] = [
    "uniform", "dense", "mixed", "giants", "clusters", "crowd", "bricks", "sticks",
];
const SEED: u64 = 1;

/// What is measured.
struct Plan {
    scenes: Vec<Scene>,
    count: usize,
    repeats: usize,
    threads: usize,
}

/// One repeat of one crate.
struct Run {
    /// Milliseconds of each step, in order.
    steps: Vec<(&'static str, f64)>,
    total: f64,
    candidates: u64,
    pairs: u64,
}

fn main() -> ExitCode {
    match plan(std::env::args().skip(1)).and_then(measure) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn plan(mut args: impl Iterator<Item = String>) -> Result<Plan, String> {
    let number = |text: Option<String>| {
        let text = text.ok_or("missing number")?;
        text.parse::<usize>().map_err(|problem| format!("{text}: {problem}"))
    };
    let (mut scenes, mut count, mut repeats, mut threads, mut timed) = (Vec::new(), None, None, 1, false);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--count" => count = Some(number(args.next())?),
            "--repeats" => repeats = Some(number(args.next())?.max(1)),
            "--threads" => threads = number(args.next())?.max(1),
            // `cargo bench` passes this; `cargo test --benches`, which only checks that this runs, does not.
            "--bench" => timed = true,
            "--test" => timed = false,
            scene => scenes.push(scene.parse()?),
        }
    }
    if scenes.is_empty() {
        scenes = SCENES.into_iter().map(str::parse).collect::<Result<_, _>>()?;
    }
    Ok(Plan {
        scenes,
        count: count.unwrap_or(if timed { 1_000_000 } else { 1000 }),
        repeats: repeats.unwrap_or(if timed { 3 } else { 1 }),
        threads,
    })
}

fn measure(plan: Plan) -> Result<(), String> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(plan.threads)
        .build_global()
        .map_err(|problem| problem.to_string())?;
    let config = Config {
        backend: Backend::Cpu,
        ..Config::default()
    };
    let mut checker = Checker::new(config).map_err(|problem| problem.to_string())?;
    println!(
        "{} boxes, threads: {}, milliseconds, median of {} repeats",
        plan.count, plan.threads, plan.repeats
    );
    for scene in plan.scenes {
        let boxes = scene.generate(plan.count, SEED);
        let shapes = Shapes::new(&boxes);
        println!("\n{}", scene.name());
        let own = median(plan.repeats, || run_obbligato(&mut checker, &boxes))?;
        print(&own, "obbligato", None);
        print(
            &median(plan.repeats, || Ok(run_parry(&shapes)))?,
            "parry Bvh",
            Some(&own),
        );
        print(&median(plan.repeats, || Ok(run_rstar(&shapes)))?, "rstar", Some(&own));
    }
    Ok(())
}

/// The repeat with the median total.
fn median(repeats: usize, mut run: impl FnMut() -> Result<Run, String>) -> Result<Run, String> {
    let mut runs = (0..repeats).map(|_| run()).collect::<Result<Vec<_>, _>>()?;
    runs.sort_by(|a, b| a.total.total_cmp(&b.total));
    Ok(runs.swap_remove(repeats / 2))
}

fn print(run: &Run, name: &str, own: Option<&Run>) {
    let steps: Vec<String> = run
        .steps
        .iter()
        .map(|(step, time)| format!("{step} {time:.1}"))
        .collect();
    let ratio = own.map_or(String::new(), |own| format!("{:.2}x", run.total / own.total));
    println!(
        "  {name:<10} {:>9.1}  {ratio:<7} {:>10} candidates {:>9} pairs   {}",
        run.total,
        run.candidates,
        run.pairs,
        steps.join(", ")
    );
}

/// Measures consecutive steps.
struct Clock {
    start: Instant,
    last: Instant,
    steps: Vec<(&'static str, f64)>,
}

impl Clock {
    fn start() -> Self {
        let now = Instant::now();
        Self {
            start: now,
            last: now,
            steps: Vec::new(),
        }
    }

    fn step(&mut self, name: &'static str) {
        let last = std::mem::replace(&mut self.last, Instant::now());
        self.steps.push((name, (self.last - last).as_secs_f64() * 1e3));
    }

    fn stop(self, candidates: usize, pairs: &[Pair]) -> Run {
        Run {
            total: (self.last - self.start).as_secs_f64() * 1e3,
            steps: self.steps,
            candidates: candidates as u64,
            pairs: pairs.len() as u64,
        }
    }
}

fn run_obbligato(checker: &mut Checker, boxes: &[Obb]) -> Result<Run, String> {
    let start = Instant::now();
    let report = checker.check(boxes).map_err(|problem| problem.to_string())?;
    Ok(Run {
        total: start.elapsed().as_secs_f64() * 1e3,
        steps: report
            .timings
            .wall
            .iter()
            .map(|&(stage, time)| (stage.name(), time))
            .collect(),
        candidates: report.candidate_pairs,
        pairs: report.colliding_pairs,
    })
}

/// The boxes in parry's types.
struct Shapes {
    poses: Vec<Pose>,
    cuboids: Vec<Cuboid>,
}

impl Shapes {
    fn new(boxes: &[Obb]) -> Self {
        let pose = |solid: &Obb| {
            let rotation = Rotation::from_array(solid.rotation.normalize().to_array());
            Pose::from_parts(Vector::from_array(solid.center.to_array()), rotation)
        };
        let cuboid = |solid: &Obb| Cuboid::new(Vector::from_array(solid.half_extents.to_array()));
        Self {
            poses: boxes.iter().map(pose).collect(),
            cuboids: boxes.iter().map(cuboid).collect(),
        }
    }

    /// The bounds of every box.
    fn bounds(&self) -> impl Iterator<Item = parry3d::bounding_volume::Aabb> {
        self.poses
            .iter()
            .zip(&self.cuboids)
            .map(|(pose, cuboid)| cuboid.aabb(pose))
    }

    /// The candidates that collide.
    fn narrow(&self, candidates: &[Pair]) -> Vec<Pair> {
        let collide = |pair: &Pair| {
            let (a, b) = (pair.a as usize, pair.b as usize);
            let relative = self.poses[a].inv_mul(&self.poses[b]);
            intersection_test_cuboid_cuboid(&relative, &self.cuboids[a], &self.cuboids[b])
        };
        candidates.iter().copied().filter(collide).collect()
    }
}

fn run_parry(shapes: &Shapes) -> Run {
    let mut clock = Clock::start();
    let bounds: Vec<_> = shapes.bounds().collect();
    clock.step("bounds");
    let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &bounds);
    clock.step("build");
    let mut candidates = Vec::new();
    tree.traverse_bvtt_single_tree::<false>(&mut BvhWorkspace::default(), &mut |a, b| {
        candidates.push(Pair::new(a, b))
    });
    clock.step("query");
    let pairs = shapes.narrow(&candidates);
    clock.step("narrow");
    clock.stop(candidates.len(), &pairs)
}

fn run_rstar(shapes: &Shapes) -> Run {
    let mut clock = Clock::start();
    let leaf = |(index, bounds): (usize, parry3d::bounding_volume::Aabb)| {
        let corners = (bounds.mins.to_array(), bounds.maxs.to_array());
        GeomWithData::new(Rectangle::from_corners(corners.0, corners.1), index as u32)
    };
    let leaves: Vec<_> = shapes.bounds().enumerate().map(leaf).collect();
    clock.step("bounds");
    let tree = rstar::RTree::bulk_load(leaves);
    clock.step("build");
    // The join of the tree with itself yields each pair in both orders, and every box with itself.
    let join = tree.intersection_candidates_with_other_tree(&tree);
    let once = join.filter(|(a, b)| a.data < b.data);
    let candidates: Vec<Pair> = once.map(|(a, b)| Pair::new(a.data, b.data)).collect();
    clock.step("query");
    let pairs = shapes.narrow(&candidates);
    clock.step("narrow");
    clock.stop(candidates.len(), &pairs)
}
