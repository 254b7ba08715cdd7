//! Neighbours by centers compared with kiddo's k-d tree, and with the reference.
//!
//! ```text
//! cargo bench --bench neighbours -- [--count N] [--repeats K] [--threads T] [SCENE]...
//! ```
//!
//! As many points as bodies, each near one of them, ask for the nearest body, for ten, and for all
//! within a radius that usually holds twenty. The bodies are spheres at the centers of a scene.
//! kiddo answers one point after the other, on all threads, and its results are dropped; a question
//! here includes the sorting of points, exact order, and the lists. "scene" is a prepared scene,
//! which keeps its tree; "set" sorts the bodies too. The minimum of `K` repeats counts. Samples of
//! all answers are compared with rational arithmetic.
mod common {
    pub mod arguments;
    pub mod clock;
    pub mod threads;
}

use std::num::NonZero;

use kiddo::{ImmutableKdTree, SquaredEuclidean};
use obbligato::glam::{DVec3, Vec3};
use obbligato::query::NeighbourQuery;
use obbligato::report::Neighbours;
use obbligato::{Backend, Checker, Config, PreparedScene, Sphere};
use obbligato_support::count::parse_count;
use obbligato_support::parallel;
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference::nearest_points;
use obbligato_verify::scenes::Scene;

use common::{
    arguments::{self, Arguments},
    clock,
    threads::use_threads,
};

const SEED: u64 = 1;

/// The number of nearest bodies that are sought, besides one.
const TEN: usize = 10;

/// The number of bodies that the radius usually holds.
const TWENTY: usize = 20;

/// The number of points of each answer that are compared with the reference.
const SAMPLES: usize = 20;

struct Plan {
    scenes: Vec<Scene>,
    count: usize,
    repeats: usize,
    threads: usize,
}

fn plan(arguments: &mut Arguments) -> Result<Plan, String> {
    let (count, repeats) = if arguments.timed { (1_000_000, 3) } else { (2000, 1) };
    let mut plan = Plan {
        count: arguments.value("--count", parse_count)?.unwrap_or(count).max(1),
        repeats: arguments.value("--repeats", parse_count)?.unwrap_or(repeats).max(1),
        threads: arguments.value("--threads", parse_count)?.unwrap_or(1).max(1),
        scenes: Scene::ALL.to_vec(),
    };
    if !arguments.words.is_empty() {
        let scenes = arguments.words.drain(..).map(|name| name.parse());
        plan.scenes = scenes.collect::<Result<_, _>>()?;
    }
    Ok(plan)
}

fn main() -> Result<(), String> {
    let plan = arguments::read(plan)?;
    use_threads(plan.threads)?;
    let Plan {
        count,
        repeats,
        threads,
        ..
    } = plan;
    for scene in plan.scenes {
        println!("\n{scene}: {count} bodies and points, least of {repeats}, threads: {threads}; ns for each point");
        let asked = Asked::new(scene, count);
        asked.compare(repeats).map_err(|problem| problem.to_string())?;
    }
    Ok(())
}

/// The bodies, and the points that ask.
struct Asked {
    bodies: Vec<Sphere>,
    points: Vec<Vec3>,
}

/// A question of each point.
#[derive(Clone, Copy)]
enum Question {
    Nearest(usize),
    Within(f32),
}

impl Question {
    fn of<'a>(self, query: &NeighbourQuery<'a>) -> NeighbourQuery<'a> {
        match self {
            Self::Nearest(count) => query.nearest(count),
            Self::Within(radius) => query.within(radius.into()),
        }
    }
}

impl Asked {
    fn new(scene: Scene, count: usize) -> Self {
        let bodies: Vec<Sphere> = scene
            .generate(count, SEED)
            .iter()
            .map(|obb| Sphere::new(obb.center, 0.0))
            .collect();
        let mut random = SplitMix(SEED);
        let mut unit = || Vec3::from_array([0; 3].map(|_| random.unit() as f32)) - 0.5;
        // Near a body, so that points are where bodies are.
        let points = bodies.iter().map(|body| body.center + 4.0 * unit()).collect();
        Self { bodies, points }
    }

    /// Returns the median distance of the twentieth body from some points.
    fn radius(&self, checker: &mut Checker) -> obbligato::Result<f32> {
        let some: Vec<Vec3> = self
            .points
            .iter()
            .step_by(self.points.len().div_ceil(1000))
            .copied()
            .collect();
        let near = checker.check(NeighbourQuery::around(&some, &self.bodies).nearest(TWENTY))?;
        let last = |row: usize| near.distances_of(row).last().copied();
        let mut last: Vec<f64> = (0..near.len()).filter_map(last).collect();
        last.sort_unstable_by(f64::total_cmp);
        Ok(last[last.len() / 2] as f32)
    }

    fn compare(&self, repeats: usize) -> obbligato::Result<()> {
        let config = Config {
            backend: Backend::Cpu,
            ..Config::default()
        };
        let mut checker = Checker::new(config)?;
        let centers: Vec<[f32; 3]> = self.bodies.iter().map(|body| body.center.to_array()).collect();
        let build = || ImmutableKdTree::<f32, 3>::new_from_slice(&centers).expect("a tree");
        let (time, tree) = clock::least(repeats, build);
        let radius = self.radius(&mut checker)?;
        println!("  kiddo builds its tree in {:.0} ms", 1e3 * time);
        for (name, question) in [
            ("nearest", Question::Nearest(1)),
            ("ten", Question::Nearest(TEN)),
            ("within", Question::Within(radius)),
        ] {
            let (kiddo, theirs) = clock::least(repeats, || self.ask_kiddo(&tree, question));
            let scene = checker.prepare(&self.bodies)?;
            let (in_set, found) = clock::least(repeats, || self.ask(&mut checker, None, question));
            let found = found?;
            self.verify(&found, question);
            let sorted = self.ask(&mut checker, Some(&scene), question)?;
            assert!(sorted == found, "a scene and a set differ");
            drop(sorted);
            let (in_scene, _) = clock::least(repeats, || self.ask(&mut checker, Some(&scene), question));
            let [kiddo, in_set, in_scene] = [kiddo, in_set, in_scene].map(|time| 1e9 * time / self.points.len() as f64);
            let total = found.neighbours().len();
            println!(
                "  {name:<8} kiddo {kiddo:6.0}  scene {in_scene:6.0}  set {in_set:6.0}   {:.1} times as fast; {total} found, \
                 kiddo {theirs}",
                kiddo / in_scene,
            );
        }
        Ok(())
    }

    fn ask(
        &self,
        checker: &mut Checker,
        scene: Option<&PreparedScene>,
        question: Question,
    ) -> obbligato::Result<Neighbours> {
        let query = match scene {
            Some(scene) => NeighbourQuery::against(&self.points, scene),
            None => NeighbourQuery::around(&self.points, &self.bodies),
        };
        checker.check(question.of(&query))
    }

    /// Returns the number of neighbours that kiddo finds.
    fn ask_kiddo(&self, tree: &ImmutableKdTree<f32, 3>, question: Question) -> usize {
        let one = |point: &Vec3| {
            let query = point.to_array();
            let query = tree.query(&query);
            match question {
                Question::Nearest(1) => {
                    usize::from(query.nearest_one::<SquaredEuclidean<f32>>().execute().distance >= 0.0)
                }
                Question::Nearest(count) => {
                    let count = NonZero::new(count).unwrap_or(NonZero::<usize>::MIN);
                    query.nearest_n::<SquaredEuclidean<f32>>(count).execute().len()
                }
                Question::Within(radius) => query.within::<SquaredEuclidean<f32>>(radius * radius).execute().len(),
            }
        };
        let sums = parallel::map_ranges(self.points.len(), |range| {
            self.points[range].iter().map(one).sum::<usize>()
        });
        sums.into_iter().sum()
    }

    /// Compares some rows with the reference.
    fn verify(&self, found: &Neighbours, question: Question) {
        let (count, radius) = match question {
            Question::Nearest(count) => (Some(count), None),
            Question::Within(radius) => (None, Some(radius.into())),
        };
        let step = (self.points.len() / SAMPLES).max(1);
        let bodies: Vec<(u32, DVec3)> = (0..)
            .zip(self.bodies.iter().map(|body| body.center.as_dvec3()))
            .collect();
        let rows: Vec<usize> = (0..self.points.len()).step_by(step).collect();
        parallel::for_each(rows, |row| {
            let from = self.points[row].as_dvec3();
            let expected = nearest_points(from, bodies.iter().copied(), count, radius);
            let ids: Vec<u32> = expected.iter().map(|near| near.id).collect();
            assert!(found.row(row) == ids, "row {row} differs from the reference");
            let mut distances = expected.iter().zip(found.distances_of(row));
            assert!(
                distances.all(|(near, distance)| near.has_distance(*distance)),
                "a distance of row {row}"
            );
        });
    }
}
