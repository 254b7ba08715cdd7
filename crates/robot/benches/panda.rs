//! Random configurations of the Panda, as VAMP's spheres, in the scenes of VAMP's 700 problems.
//!
//! ```sh
//! crates/robot/benches/fetch_panda                         # into target/panda; needs PyYAML
//! cargo bench -p obbligato-robot --bench panda             # 1,000,000 configurations, all cores
//! cargo bench -p obbligato-robot --bench panda -- 100000   # fewer
//! ```
//!
//! Prints how many configurations a second are marked free or not, with the preparation of the
//! scenes, and how many collide; then compares one in ten with Parry (`all`: each), and decides the
//! straight motions from the start of each problem to its goal. `RAYON_NUM_THREADS` limits the
//! threads; `OBBLIGATO_PANDA` names another folder.
//!
//! As in VAMP, the cylinders of scenes are the capsules around them, and boxes in the problems
//! `box`.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use obbligato_robot::obbligato::glam::{Quat, Vec3};
use obbligato_robot::obbligato::shape::{BodyRef, OwnedBodies};
use obbligato_robot::obbligato::{Backend, Capsule, Config, Obb};
use obbligato_robot::{MotionState, Robot};
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query;
use parry3d::shape::{Ball, Cuboid, Shape};
use serde_json::Value;

type Failure = Box<dyn std::error::Error>;

/// Pairs nearer than this to contact may be decided otherwise by Parry, in metres.
const TOLERANCE: f32 = 1e-6;
/// The tolerance of motions, in metres.
const MOTION_TOLERANCE: f64 = 1e-4;

struct Problem {
    scene: OwnedBodies,
    ends: [Vec<f64>; 2],
}

fn main() -> Result<(), Failure> {
    let count = std::env::args().find_map(|text| text.parse().ok()).unwrap_or(1_000_000);
    let step = if std::env::args().any(|text| text == "all") {
        1
    } else {
        10
    };
    let folder = std::env::var_os("OBBLIGATO_PANDA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/panda"),
        PathBuf::from,
    );
    if !folder.join("problems.json").exists() {
        println!(
            "no {}: crates/robot/benches/fetch_panda gets it",
            folder.join("problems.json").display()
        );
        return Ok(());
    }
    let problems: Vec<Value> = serde_json::from_slice(&std::fs::read(folder.join("problems.json"))?)?;
    let problems: Vec<Problem> = problems
        .iter()
        .map(problem)
        .collect::<Option<_>>()
        .ok_or("another form of problems")?;
    let config = Config {
        backend: Backend::Cpu,
        ..Config::default()
    };
    let mut robot =
        Robot::from_urdf(folder.join("panda_spherized.urdf"), config)?.with_srdf(folder.join("panda.srdf"))?;
    println!("{robot:?}, {} scenes, {} threads", problems.len(), rayon_threads());

    let configurations = robot.random_configurations(count, 1)?;
    let each = count.div_ceil(problems.len());
    let (mut time, mut of_self, mut colliding, mut outcome) = (Duration::ZERO, Duration::ZERO, 0, Outcome::default());
    for (problem, some) in problems.iter().zip(configurations.chunks(each)) {
        let start = Instant::now();
        let scene = robot.prepare(problem.scene.all())?;
        let free = robot.free(some, Some(&scene))?;
        time += start.elapsed();
        let start = Instant::now();
        robot.free(some, None)?;
        of_self += start.elapsed();
        colliding += free.iter().filter(|free| !**free).count();
        for (configuration, free) in some.iter().zip(&free).step_by(step) {
            outcome.add(&robot, configuration, &problem.scene, *free)?;
        }
    }
    let rate = |time: Duration| count as f64 / time.as_secs_f64();
    println!(
        "{count} configurations, {colliding} collide: {:.2} s, {:.0} a second, {:.2} us each; links alone: {:.0} a second",
        time.as_secs_f64(),
        rate(time),
        1e6 / rate(time),
        rate(of_self)
    );
    println!("{outcome:?}");
    assert_eq!(outcome.different, 0, "Parry decides all others alike");
    motions(&mut robot, &problems)
}

/// Decides the straight motion of each problem.
fn motions(robot: &mut Robot, problems: &[Problem]) -> Result<(), Failure> {
    let (start, mut counts) = (Instant::now(), [0; 3]);
    for problem in problems {
        let scene = robot.prepare(problem.scene.all())?;
        let states = robot.check_motions(std::slice::from_ref(&problem.ends), Some(&scene), MOTION_TOLERANCE)?;
        counts[match states[0] {
            MotionState::Free => 0,
            MotionState::Colliding { .. } => 1,
            MotionState::Undecided { .. } => 2,
        }] += 1;
    }
    let [free, colliding, undecided] = counts;
    println!(
        "{} motions, one at a time: {free} certified, {colliding} collide, {undecided} undecided, {:.0} us each",
        problems.len(),
        1e6 * start.elapsed().as_secs_f64() / problems.len() as f64
    );
    Ok(())
}

/// A comparison with Parry.
#[derive(Debug, Default)]
struct Outcome {
    compared: usize,
    /// Decided otherwise, with a pair within the tolerance.
    as_good_as_touching: usize,
    different: usize,
}

impl Outcome {
    fn add(&mut self, robot: &Robot, configuration: &[f64], scene: &OwnedBodies, free: bool) -> Result<(), Failure> {
        let (bodies, links) = (robot.bodies(configuration)?, robot.links_of_bodies());
        let shapes =
            |all: &OwnedBodies| -> Vec<_> { (0..all.all().len()).map(|id| shape(all.all().at(id as u32))).collect() };
        let (bodies, scene) = (shapes(&bodies), shapes(scene));
        let own = (0..bodies.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let own = own.filter(|&(a, b)| robot.may_collide(links[a], links[b]));
        let own = own.map(|(a, b)| (&bodies[a], &bodies[b]));
        let others = bodies
            .iter()
            .flat_map(|body| scene.iter().map(move |other| (body, other)));
        let mut pairs = own.chain(others);
        let collides = pairs.clone().any(|((here, a), (there, b))| {
            query::intersection_test(here, &**a, there, &**b).is_ok_and(|found| found.intersecting)
        });
        self.compared += 1;
        if collides == free {
            let is_near = pairs.any(|((here, a), (there, b))| {
                let contact = query::contact(here, &**a, there, &**b, TOLERANCE).ok().flatten();
                contact.is_some_and(|contact| contact.dist.abs() <= TOLERANCE)
            });
            *if is_near {
                &mut self.as_good_as_touching
            } else {
                &mut self.different
            } += 1;
        }
        Ok(())
    }
}

fn shape(body: BodyRef<'_>) -> (Pose, Box<dyn Shape>) {
    match body {
        BodyRef::Box(one) => (
            pose(one.center, one.rotation),
            Box::new(Cuboid::new(Vector::from_array(one.half_extents.to_array()))),
        ),
        BodyRef::Capsule(one) => {
            let capsule = parry3d::shape::Capsule::new_z(one.half_length, one.radius);
            (pose(one.center, one.rotation), Box::new(capsule))
        }
        BodyRef::Sphere(one) => (pose(one.center, Quat::IDENTITY), Box::new(Ball::new(one.radius))),
    }
}

/// Reads a problem from what `fetch_panda` writes.
fn problem(problem: &Value) -> Option<Problem> {
    let numbers = |value: &Value| {
        value
            .as_array()?
            .iter()
            .map(Value::as_f64)
            .collect::<Option<Vec<f64>>>()
    };
    let mut scene = OwnedBodies::default();
    for body in problem["bodies"].as_array()? {
        let [x, y, z] = numbers(&body["position"])?.try_into().ok()?;
        let center = Vec3::new(x as f32, y as f32, z as f32);
        let [x, y, z, w]: [f64; 4] = numbers(&body["orientation"])?.try_into().ok()?;
        let rotation = Quat::from_xyzw(x as f32, y as f32, z as f32, w as f32).normalize();
        let sizes: Vec<f32> = numbers(&body["dimensions"])?
            .into_iter()
            .map(|size| size as f32)
            .collect();
        match (body["type"].as_str()?, &sizes[..]) {
            ("box", &[x, y, z]) => scene.boxes.push(Obb::new(center, 0.5 * Vec3::new(x, y, z), rotation)),
            ("cylinder", &[length, radius]) if problem["name"] == "box" => {
                let half_extents = Vec3::new(radius, radius, 0.5 * length);
                scene.boxes.push(Obb::new(center, half_extents, rotation));
            }
            ("cylinder", &[length, radius]) => {
                scene
                    .capsules
                    .push(Capsule::new(center, 0.5 * length, rotation, radius))
            }
            _ => return None,
        }
    }
    let ends = problem["ends"].as_array()?;
    let ends = [numbers(ends.first()?)?, numbers(ends.get(1)?)?];
    Some(Problem { scene, ends })
}

fn rayon_threads() -> usize {
    let given = std::env::var("RAYON_NUM_THREADS")
        .ok()
        .and_then(|text| text.parse().ok());
    given.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, Into::into))
}

fn pose(center: Vec3, rotation: Quat) -> Pose {
    Pose::from_parts(
        Vector::from_array(center.to_array()),
        Rotation::from_array(rotation.to_array()),
    )
}
