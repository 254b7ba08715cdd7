//! obbligato's CPU backend compared with alternative crates: boxes or spheres in, colliding pairs
//! out.
//!
//! ```text
//! cargo bench --bench field -- [--count N] [--repeats K] [--threads T] [--crowds | SCENE...]
//! ```
//!
//! obbligato runs on `T` threads (default 1); the peers' tests run on one.
//!
//! Each repeat is a frame in which every body has moved by 1.6 cm. obbligato and rstar start from
//! scratch in each frame; parry's tree is rebuilt in one row and refitted in another: a tree of an
//! earlier frame gets the new bounds. Then follow crowds of upright people of several sizes, over
//! many frames.
//!
//! Prints the repeat of each crate with the smallest total, and each peer's time relative to
//! obbligato's. Peers get their input in their own types before the clock starts; their bounds,
//! broad phase and narrow phase are timed. They do not sort their pairs; obbligato does, within its
//! time. The peers' narrow phase is parry's in `f32`, so their pair counts can differ by pairs that
//! nearly touch. obbligato and the peers keep the memory of their lists of pairs from frame to
//! frame.
mod common {
    pub mod arguments;
    pub mod cuboid;
    pub mod parry;
    pub mod threads;
}

use std::time::Instant;

use obbligato::glam::Vec3;
use obbligato::{Backend, Checker, Config, Pair, Report, shape::OwnedBodies};
use obbligato_support::count::parse_count;
use obbligato_verify::scenes::{BodyScene, Scene};
use parry3d::bounding_volume::Aabb;
use parry3d::math::{Pose, Vector};
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use parry3d::query::details::{intersection_test_ball_ball, intersection_test_cuboid_cuboid};
use parry3d::shape::{Ball, Cuboid};
use rstar::primitives::{GeomWithData, Rectangle};

use common::{
    arguments::{self, Arguments},
    cuboid::cuboid,
    parry::vector,
    threads::use_threads,
};

const SCENES: [&str; 10] = [
    "uniform", "dense", "mixed", "giants", "clusters", "crowd", "bricks", "sticks", "spheres", "lattice",
];
const SEED: u64 = 1;

/// Sizes of the crowds, and the number of frames of each.
const CROWDS: [(usize, usize); 5] = [(10, 5_000), (100, 3_000), (1_000, 1_000), (10_000, 100), (100_000, 20)];

/// The distance that a body moves from frame to frame, in metres: a power of two, so that bricks
/// stay in exact contact. After `TURN` frames it turns back, so that a scene stays equally crowded.
const STEP: f32 = 1.0 / 64.0;
const TURN: usize = 25;

/// The measurements to make.
struct Plan {
    scenes: Vec<BodyScene>,
    crowds: Vec<(usize, usize)>,
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

fn main() -> Result<(), String> {
    measure(arguments::read(plan)?)
}

fn plan(arguments: &mut Arguments) -> Result<Plan, String> {
    let count = arguments.value("--count", parse_count)?;
    let repeats = arguments.value("--repeats", parse_count)?;
    let threads = arguments.value("--threads", parse_count)?.unwrap_or(1);
    let (crowds_only, timed) = (arguments.take("--crowds").is_some(), arguments.timed);
    let scenes = arguments.words.drain(..).map(|name| name.parse());
    let mut scenes: Vec<BodyScene> = scenes.collect::<Result<_, _>>()?;
    let mut crowds = Vec::new();
    if scenes.is_empty() {
        // A count or a number of repeats selects the scenes.
        if crowds_only || (count.is_none() && repeats.is_none()) {
            crowds = CROWDS.to_vec();
        }
        if !crowds_only {
            scenes = SCENES.into_iter().map(str::parse).collect::<Result<_, _>>()?;
        }
    }
    if !timed {
        crowds.retain(|(count, _)| *count <= 1_000);
        crowds.iter_mut().for_each(|(_, frames)| *frames = 2);
    }
    Ok(Plan {
        scenes,
        crowds,
        count: count.unwrap_or(if timed { 1_000_000 } else { 1000 }),
        repeats: repeats.unwrap_or(if timed { 6 } else { 1 }).max(1),
        threads: threads.max(1),
    })
}

fn measure(plan: Plan) -> Result<(), String> {
    use_threads(plan.threads)?;
    let config = Config {
        backend: Backend::Cpu,
        ..Config::default()
    };
    let mut checker = Checker::new(config).map_err(|problem| problem.to_string())?;
    println!("threads: {}, milliseconds", plan.threads);
    for scene in plan.scenes {
        println!("\n{}: {} bodies, least of {}", scene.name(), plan.count, plan.repeats);
        compare(&mut checker, scene.bodies(plan.count, SEED), plan.repeats, true)?;
    }
    for (count, frames) in plan.crowds {
        println!("\ncrowd: {count} boxes, least of {frames} frames");
        let crowd = BodyScene::from(Scene::Crowd).bodies(count, SEED);
        compare(&mut checker, crowd, frames, false)?;
    }
    Ok(())
}

/// Times each crate on the same frames and prints them.
fn compare(checker: &mut Checker, mut moving: OwnedBodies, frames: usize, with_rstar: bool) -> Result<(), String> {
    let start = Shapes::new(&moving);
    let mut tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &start.bounds().collect::<Vec<_>>());
    let mut workspace = BvhWorkspace::default();
    let mut report = Report::default();
    let mut lists = Lists::default();
    let mut best: [Option<Run>; 4] = [const { None }; 4];
    for frame in 0..frames {
        let step = if (frame / TURN).is_multiple_of(2) { STEP } else { -STEP };
        advance(&mut moving, step);
        let shapes = Shapes::new(&moving);
        let runs = [
            Some(run_obbligato(checker, &moving, &mut report)?),
            Some(run_refitted(&mut tree, &mut workspace, &shapes, &mut lists)),
            Some(run_parry(&shapes, &mut lists)),
            with_rstar.then(|| run_rstar(&shapes, &mut lists)),
        ];
        for (best, run) in best.iter_mut().zip(runs) {
            if best
                .as_ref()
                .is_none_or(|best| run.as_ref().is_some_and(|run| run.total < best.total))
            {
                *best = run;
            }
        }
    }
    let names = ["obbligato", "parry, refitted", "parry, rebuilt", "rstar"];
    for (name, run) in names.iter().zip(&best) {
        if let Some(run) = run {
            print(run, name, best[0].as_ref().filter(|_| *name != "obbligato"));
        }
    }
    Ok(())
}

/// Moves every box along its own x axis, and every sphere along an axis of the world.
fn advance(bodies: &mut OwnedBodies, step: f32) {
    for solid in &mut bodies.boxes {
        solid.center += solid.rotation * Vec3::X * step;
    }
    for (ball, axis) in bodies
        .spheres
        .iter_mut()
        .zip([Vec3::X, Vec3::Y, Vec3::Z].into_iter().cycle())
    {
        ball.center += axis * step;
    }
}

fn print(run: &Run, name: &str, own: Option<&Run>) {
    let steps: Vec<String> = run
        .steps
        .iter()
        .map(|(step, time)| format!("{step} {time:.4}"))
        .collect();
    let ratio = own.map_or(String::new(), |own| format!("{:.2}x", run.total / own.total));
    println!(
        "  {name:<15} {:>9.4}  {ratio:<7} {:>10} candidates {:>9} pairs   {}",
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

    fn stop(self, lists: &Lists) -> Run {
        Run {
            total: (self.last - self.start).as_secs_f64() * 1e3,
            steps: self.steps,
            candidates: lists.candidates.len() as u64,
            pairs: lists.pairs.len() as u64,
        }
    }
}

/// The pairs that the peers find.
#[derive(Default)]
struct Lists {
    candidates: Vec<Pair>,
    pairs: Vec<Pair>,
}

fn run_obbligato(checker: &mut Checker, bodies: &OwnedBodies, report: &mut Report) -> Result<Run, String> {
    let start = Instant::now();
    let checked = checker.check_into(bodies.all(), report);
    checked.map_err(|problem| problem.to_string())?;
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

/// Boxes or spheres in parry's types.
enum Shapes {
    Boxes(Vec<(Pose, Cuboid)>),
    Balls(Vec<(Vector, Ball)>),
}

impl Shapes {
    fn new(bodies: &OwnedBodies) -> Self {
        if bodies.boxes.is_empty() {
            let ball = |ball: &obbligato::Sphere| (vector(ball.center), Ball::new(ball.radius));
            return Self::Balls(bodies.spheres.iter().map(ball).collect());
        }
        Self::Boxes(bodies.boxes.iter().map(cuboid).collect())
    }

    /// The bounds of every body.
    fn bounds(&self) -> impl Iterator<Item = Aabb> {
        let count = match self {
            Self::Boxes(boxes) => boxes.len(),
            Self::Balls(balls) => balls.len(),
        };
        (0..count).map(|k| match self {
            Self::Boxes(boxes) => boxes[k].1.aabb(&boxes[k].0),
            Self::Balls(balls) => {
                let (center, reach) = (balls[k].0, Vector::splat(balls[k].1.radius));
                Aabb::new(center - reach, center + reach)
            }
        })
    }

    /// Lists the candidates that collide.
    fn narrow(&self, lists: &mut Lists) {
        let Lists { candidates, pairs } = lists;
        let candidates = candidates.iter().copied();
        pairs.clear();
        match self {
            Self::Boxes(boxes) => {
                let collide = |pair: &Pair| {
                    let [(pose, a), (other, b)] = [pair.a, pair.b].map(|id| &boxes[id as usize]);
                    intersection_test_cuboid_cuboid(&pose.inv_mul(other), a, b)
                };
                pairs.extend(candidates.filter(collide));
            }
            Self::Balls(balls) => {
                let collide = |pair: &Pair| {
                    let [(center, a), (other, b)] = [pair.a, pair.b].map(|id| &balls[id as usize]);
                    intersection_test_ball_ball(*other - *center, a, b)
                };
                pairs.extend(candidates.filter(collide));
            }
        }
    }
}

fn run_parry(shapes: &Shapes, lists: &mut Lists) -> Run {
    let mut clock = Clock::start();
    let bounds: Vec<_> = shapes.bounds().collect();
    clock.step("bounds");
    let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &bounds);
    clock.step("build");
    lists.candidates.clear();
    tree.traverse_bvtt_single_tree::<false>(&mut BvhWorkspace::default(), &mut |a, b| {
        lists.candidates.push(Pair::new(a, b))
    });
    clock.step("query");
    shapes.narrow(lists);
    clock.step("narrow");
    clock.stop(lists)
}

/// Refits a tree of an earlier frame with the bounds of this one.
fn run_refitted(tree: &mut Bvh, workspace: &mut BvhWorkspace, shapes: &Shapes, lists: &mut Lists) -> Run {
    let mut clock = Clock::start();
    for (leaf, bounds) in (0..).zip(shapes.bounds()) {
        tree.insert_or_update_partially(bounds, leaf, 0.0);
    }
    clock.step("bounds");
    tree.refit(workspace);
    clock.step("refit");
    lists.candidates.clear();
    tree.traverse_bvtt_single_tree::<false>(workspace, &mut |a, b| lists.candidates.push(Pair::new(a, b)));
    clock.step("query");
    shapes.narrow(lists);
    clock.step("narrow");
    clock.stop(lists)
}

fn run_rstar(shapes: &Shapes, lists: &mut Lists) -> Run {
    let mut clock = Clock::start();
    let leaf = |(index, bounds): (usize, Aabb)| {
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
    lists.candidates.clear();
    lists.candidates.extend(once.map(|(a, b)| Pair::new(a.data, b.data)));
    clock.step("query");
    shapes.narrow(lists);
    clock.step("narrow");
    clock.stop(lists)
}
