//! Trees of bounding boxes compared with parry's: building, pairs, refitting, and queries by rays,
//! points and boxes.
//!
//! ```text
//! cargo bench --bench trees -- [--count N] [--questions Q] [--repeats K] [--threads T] [--write DIR] [SCENE]...
//! ```
//!
//! The boxes are the bounds of a scene. Rays start at random points among them in random
//! directions, points are their origins, and the query boxes are some of the tree's, moved by their
//! own size. "check" is only the broad phase of a check of the same boxes (`Query::from`), with the
//! pairs counted. The minimum of `K` repeats counts. `--write` writes the boxes and the rays of the
//! last scene to a folder, for the programs in `benches/peers`.
mod common {
    pub mod arguments;
    pub mod clock;
    pub mod parry;
    pub mod threads;
}

use std::fs;

use obbligato::glam::{Mat3, Vec3};
use obbligato::{
    Backend, Checker, Config, Obb, Output, Query,
    shape::Aabb,
    tree::{Bvh, BvhBuild, Ray},
};
use obbligato_support::count::parse_count;
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::scenes::Scene;
use parry3d::bounding_volume::Aabb as ParryAabb;
use parry3d::partitioning::{Bvh as ParryBvh, BvhBuildStrategy, BvhWorkspace};
use parry3d::query::{PointQuery, Ray as ParryRay, RayCast};

use common::{
    arguments::{self, Arguments},
    clock,
    parry::vector,
    threads::use_threads,
};

const SEED: u64 = 1;

const SCENES: [Scene; 8] = [
    Scene::Uniform,
    Scene::Dense,
    Scene::Mixed,
    Scene::Giants,
    Scene::Crowd,
    Scene::Bricks,
    Scene::Clusters,
    Scene::Sticks,
];

/// Seconds to build, for all pairs and to refit; for a ray, a point and a box. Then the results,
/// for comparison.
#[derive(Clone, Copy)]
struct Row {
    times: [f64; 6],
    found: [u64; 3],
}

impl Row {
    const NONE: Self = Self {
        times: [f64::INFINITY; 6],
        found: [0; 3],
    };

    fn take(&mut self, times: [f64; 6], found: [u64; 3]) {
        for (least, time) in self.times.iter_mut().zip(times) {
            *least = least.min(time);
        }
        self.found = found;
    }

    fn print(&self, name: &str) {
        let [build, pairs, refit, ray, point, overlap] = self.times;
        let [build, pairs, refit] = [build, pairs, refit].map(|time| 1e3 * time);
        let [ray, point, overlap] = [ray, point, overlap].map(|time| 1e9 * time);
        let [found, hits, met] = self.found;
        println!(
            "  {name:<8} build {build:7.1}  pairs {pairs:7.1}  both {:7.1}  refit {refit:6.1} ms   ray {ray:6.0}  point {point:6.0}  box {overlap:6.0} ns   \
             {found} pairs, {hits} hits, {met} met",
            build + pairs
        );
    }
}

/// The queries for the trees.
struct Questions {
    boxes: Vec<Aabb>,
    moved: Vec<Aabb>,
    rays: Vec<Ray>,
    overlapping: Vec<Aabb>,
}

impl Questions {
    fn new(scene: Scene, count: usize, questions: usize) -> Self {
        let boxes: Vec<Aabb> = scene.generate(count, SEED).iter().map(bounds_of).collect();
        let low = boxes.iter().map(|solid| solid.min).fold(Vec3::INFINITY, Vec3::min);
        let high = boxes.iter().map(|solid| solid.max).fold(Vec3::NEG_INFINITY, Vec3::max);
        let mut random = SplitMix(SEED);
        let mut unit = || Vec3::from_array([0; 3].map(|_| random.unit() as f32));
        let rays = (0..questions)
            .map(|_| {
                let origin = low + unit() * (high - low);
                let toward =
                    std::iter::repeat_with(|| 2.0 * unit() - 1.0).find(|v| (0.01..=1.0).contains(&v.length_squared()));
                Ray::new(origin, toward.unwrap_or(Vec3::X).normalize())
            })
            .collect();
        let beside = |solid: &Aabb, by: f32| {
            let by = by * (solid.max - solid.min);
            Aabb::new(solid.min + by, solid.max + by)
        };
        let step = (count / questions.max(1)).max(1);
        Self {
            moved: boxes.iter().map(|solid| beside(solid, 0.01)).collect(),
            overlapping: boxes.iter().step_by(step).map(|solid| beside(solid, 1.0)).collect(),
            boxes,
            rays,
        }
    }

    fn write(&self, folder: &str) -> std::io::Result<()> {
        fs::create_dir_all(folder)?;
        fs::write(
            format!("{folder}/boxes.bin"),
            obbligato::bytemuck::cast_slice(&self.boxes),
        )?;
        let rays: Vec<[Vec3; 2]> = self.rays.iter().map(|ray| [ray.origin, ray.direction]).collect();
        fs::write(format!("{folder}/rays.bin"), obbligato::bytemuck::cast_slice(&rays))
    }
}

fn bounds_of(solid: &Obb) -> Aabb {
    let axes = Mat3::from_quat(solid.rotation);
    let half = solid.half_extents;
    let reach = axes.x_axis.abs() * half.x + axes.y_axis.abs() * half.y + axes.z_axis.abs() * half.z;
    Aabb::new(solid.center - reach, solid.center + reach)
}

/// The measurements to make.
struct Plan {
    scenes: Vec<Scene>,
    count: usize,
    questions: usize,
    repeats: usize,
    threads: usize,
    folder: Option<String>,
}

fn plan(arguments: &mut Arguments) -> Result<Plan, String> {
    let (count, questions, repeats) = match arguments.timed {
        true => (1_000_000, 100_000, 3),
        false => (1000, 100, 1),
    };
    let mut plan = Plan {
        count: arguments.value("--count", parse_count)?.unwrap_or(count),
        questions: arguments.value("--questions", parse_count)?.unwrap_or(questions),
        repeats: arguments.value("--repeats", parse_count)?.unwrap_or(repeats).max(1),
        threads: arguments.value("--threads", parse_count)?.unwrap_or(1).max(1),
        folder: arguments.value("--write", |folder| Ok(folder.to_owned()))?,
        scenes: SCENES.to_vec(),
    };
    if !arguments.words.is_empty() {
        let scenes = arguments.words.drain(..).map(|name| name.parse());
        plan.scenes = scenes.collect::<Result<_, _>>()?;
    }
    Ok(plan)
}

fn main() -> Result<(), String> {
    let Plan {
        scenes,
        count,
        questions,
        repeats,
        threads,
        folder,
    } = arguments::read(plan)?;
    use_threads(threads)?;
    let config = Config {
        backend: Backend::Cpu,
        output: Output::Count,
        ..Config::default()
    };
    let mut checker = Checker::new(config).map_err(|problem| problem.to_string())?;
    for scene in scenes {
        println!("\n{scene}: {count} boxes, {questions} questions, least of {repeats}, threads: {threads}");
        let asked = Questions::new(scene, count, questions);
        if let Some(folder) = &folder {
            asked.write(folder).map_err(|problem| format!("{folder}: {problem}"))?;
        }
        compare(&asked, repeats, &mut checker).map_err(|problem| problem.to_string())?;
    }
    Ok(())
}

/// Asks all trees and parry's the same questions, and prints the best times.
fn compare(asked: &Questions, repeats: usize, checker: &mut Checker) -> obbligato::Result<()> {
    let ways = [
        ("surface", BvhBuild::Surface),
        ("morton", BvhBuild::Morton),
        ("octree", BvhBuild::Octree),
    ];
    let (mut own, mut parry, mut grid) = ([Row::NONE; 3], Row::NONE, f64::INFINITY);
    for _ in 0..repeats {
        for (row, (_, build)) in own.iter_mut().zip(ways) {
            ask(row, asked, build)?;
        }
        ask_parry(&mut parry, asked);
        let (time, report) = clocked(|| checker.check(Query::from(&asked.boxes)));
        report?;
        grid = grid.min(1e3 * time);
    }
    for (row, (name, _)) in own.iter().zip(ways) {
        row.print(name);
    }
    parry.print("parry");
    println!("  {:<8} both {grid:7.1} ms", "check");
    many_at_once(asked, repeats)
}

/// Nanoseconds per query of those about several boxes: one by one, and all at once.
fn many_at_once(asked: &Questions, repeats: usize) -> obbligato::Result<()> {
    let tree = Bvh::new(&asked.boxes)?;
    let points: Vec<Vec3> = asked.rays.iter().map(|ray| ray.origin).collect();
    let Some(far) = points.first() else { return Ok(()) };
    // The distance of the tenth box from one of the points.
    let reach = tree.nearest_few(*far, 10)?.last().map_or(0.0, |last| last.distance);
    let least = |work: &dyn Fn() -> usize| 1e9 * each(clock::least(repeats, work).0, points.len());
    let one_by_one = |answer: &dyn Fn(Vec3) -> usize| least(&|| points.iter().map(|point| answer(*point)).sum());
    println!(
        "  ten nearest {:6.0}, at once {:6.0}; within {:6.0}, at once {:6.0} ns",
        one_by_one(&|point| tree.nearest_few(point, 10).map_or(0, |near| near.len())),
        least(&|| tree.nearest_few_each(&points, 10).map_or(0, |near| near.items().len())),
        one_by_one(&|point| tree.within(point, reach).map_or(0, |near| near.len())),
        least(&|| tree.within_each(&points, reach).map_or(0, |near| near.items().len())),
    );
    Ok(())
}

/// Seconds, and the result of a piece of work.
fn clocked<T>(work: impl FnMut() -> T) -> (f64, T) {
    clock::least(1, work)
}

/// Seconds for one of this many queries.
fn each(seconds: f64, questions: usize) -> f64 {
    seconds / questions.max(1) as f64
}

fn ask(row: &mut Row, asked: &Questions, way: BvhBuild) -> obbligato::Result<()> {
    let (build, tree) = clocked(|| Bvh::built(&asked.boxes, way));
    let mut tree = tree?;
    let (pairs, found) = clocked(|| {
        let mut found = 0;
        tree.for_each_pair(|_| found += 1);
        found
    });
    let (rays, hits) = clocked(|| {
        asked
            .rays
            .iter()
            .filter(|ray| matches!(tree.first_hit(ray), Ok(Some(_))))
            .count()
    });
    let (points, _) = clocked(|| {
        asked
            .rays
            .iter()
            .filter(|ray| matches!(tree.nearest(ray.origin), Ok(Some(_))))
            .count()
    });
    let (overlaps, met) = clocked(|| {
        asked
            .overlapping
            .iter()
            .map(|solid| tree.overlapping(solid).map_or(0, |met| met.len()))
            .sum::<usize>()
    });
    let (refit, refitted) = clocked(|| tree.refit(&asked.moved));
    refitted?;
    let questions = asked.rays.len();
    let times = [
        build,
        pairs,
        refit,
        each(rays, questions),
        each(points, questions),
        each(overlaps, asked.overlapping.len()),
    ];
    row.take(times, [found, hits as u64, met as u64]);
    Ok(())
}

fn converted(boxes: &[Aabb]) -> Vec<ParryAabb> {
    boxes
        .iter()
        .map(|solid| ParryAabb::new(vector(solid.min), vector(solid.max)))
        .collect()
}

fn ask_parry(row: &mut Row, asked: &Questions) {
    let (boxes, moved, overlapping) = (
        converted(&asked.boxes),
        converted(&asked.moved),
        converted(&asked.overlapping),
    );
    let rays: Vec<ParryRay> = asked
        .rays
        .iter()
        .map(|ray| ParryRay::new(vector(ray.origin), vector(ray.direction)))
        .collect();
    let mut workspace = BvhWorkspace::default();
    let (build, mut tree) = clocked(|| ParryBvh::from_leaves(BvhBuildStrategy::Binned, &boxes));
    let (pairs, found) = clocked(|| {
        let mut found = 0;
        tree.traverse_bvtt_single_tree::<false>(&mut workspace, &mut |_, _| found += 1);
        found
    });
    let (casts, hits) = clocked(|| {
        let hit = |ray: &&ParryRay| {
            tree.cast_ray(ray, f32::MAX, |leaf, best| {
                boxes[leaf as usize].cast_local_ray(ray, best, true)
            })
            .is_some()
        };
        rays.iter().filter(hit).count()
    });
    let (points, _) = clocked(|| {
        let near = |ray: &&ParryRay| {
            tree.project_point(ray.origin, f32::MAX, |leaf, _| {
                Some(boxes[leaf as usize].project_local_point(ray.origin, true))
            })
            .is_some()
        };
        rays.iter().filter(near).count()
    });
    let (overlaps, met) = clocked(|| {
        let met = |solid: &ParryAabb| tree.intersect_aabb(solid).count();
        overlapping.iter().map(met).sum::<usize>()
    });
    let (refit, ()) = clocked(|| {
        for (leaf, bounds) in (0..).zip(&moved) {
            tree.insert_or_update_partially(*bounds, leaf, 0.0);
        }
        tree.refit(&mut workspace);
    });
    let questions = asked.rays.len();
    let times = [
        build,
        pairs,
        refit,
        each(casts, questions),
        each(points, questions),
        each(overlaps, overlapping.len()),
    ];
    row.take(times, [found, hits as u64, met as u64]);
}
