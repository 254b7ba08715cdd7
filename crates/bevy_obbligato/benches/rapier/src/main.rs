//! A frame of the example `agents`, beside the collision detection of Rapier on the same scene.
//!
//! ```sh
//! cd crates/bevy_obbligato/benches/rapier
//! CARGO_TARGET_DIR=../../../../target cargo run --release --locked            # 200 frames
//! RAYON_NUM_THREADS=1 cargo run --release --locked -- 500                    # more, on one thread
//! ```
//!
//! In each frame all of them run, one after another, so that other load on the machine slows all
//! down: the whole update of the app, with the walk of 20,000 people, transforms, pairs, contacts,
//! messages and pushing apart; the engine alone, which finds pairs, their beginnings and ends, and
//! contacts of the bodies of that frame; and the step of Rapier's `CollisionPipeline`, whose
//! colliders have been moved there before the clock starts. Rapier's pipeline has one thread.
//!
//! Prints the least and the median time of each, the processor time of all threads together, if the
//! system reports it (Linux), and the ratios to Rapier's: on a busy machine, that of the processor
//! time depends the least on what else runs. Pairs that only one of
//! the two finds, those that touch as good as not, are counted.

#[allow(dead_code)]
#[path = "../../../examples/agents.rs"]
mod agents;

use std::collections::BTreeSet;
use std::time::Instant;

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_obbligato::obbligato::contact::Contacts;
use bevy_obbligato::obbligato::tracking::{Tracker, TrackerConfig};
use bevy_obbligato::obbligato::{Backend, Capsule, Checker, Config, Obb, Rules, shape::OwnedBodies};
use bevy_obbligato::prelude::*;
use bevy_transform::components::GlobalTransform;
use rapier3d::math::Pose;
use rapier3d::prelude::{
    ActiveCollisionTypes, BroadPhaseBvh, ColliderBuilder, ColliderHandle, ColliderSet, CollisionPipeline,
    IslandManager, NarrowPhase, RigidBodySet,
};

/// Frames before the first that counts: memory is allocated, and the crowd is no longer evenly
/// spread.
const WARM_UP: usize = 100;

fn main() {
    let frames = std::env::args().find_map(|text| text.parse().ok()).unwrap_or(200);
    let mut app = agents::app();
    // The first update places all of them.
    app.update();
    let entities = entities(&mut app);
    let (mut engine, mut rapier) = (Engine::new(), Rapier::new(&app, &entities));
    let (mut times, mut busy) = ([const { Vec::new() }; 3], [0.0; 3]);
    let (mut pairs, mut only) = (0, [0; 2]);
    for frame in 0..WARM_UP + frames {
        let app_time = timed(|| app.update());
        engine.fill(&app, &entities);
        rapier.fill(&app, &entities);
        let engine_time = timed(|| engine.update());
        let rapier_time = timed(|| rapier.update());
        if frame >= WARM_UP {
            for (k, [time, processor]) in [app_time, engine_time, rapier_time].into_iter().enumerate() {
                times[k].push(time);
                busy[k] += processor / frames as f64;
            }
            let found: BTreeSet<[usize; 2]> = engine.pairs.iter().copied().collect();
            let of_rapier = rapier.pairs();
            pairs += found.len();
            only[0] += found.difference(&of_rapier).count();
            only[1] += of_rapier.difference(&found).count();
        }
    }
    println!(
        "{} people, {} walls, {frames} frames, {} threads; {} pairs a frame; in all, {} only here, {} only in Rapier",
        agents::PEOPLE,
        agents::WALLS,
        rayon::current_num_threads(),
        pairs / frames,
        only[0],
        only[1]
    );
    let [least, median] = [0.0, 0.5].map(|part| times.each_mut().map(|times| quantile(times, part)));
    println!("{:<18} {:^15} {:^15} {:^15}", "", "least", "median", "processor, mean");
    for (k, name) in ["the app's update", "engine, contacts", "Rapier's pipeline"]
        .into_iter()
        .enumerate()
    {
        print!("{name:<18}");
        for times in [least, median, busy] {
            print!(" {:>6.2} ms {:>5.2}", times[k], times[k] / times[2]);
        }
        println!();
    }
}

/// Milliseconds, and those of the processor.
fn timed(work: impl FnOnce()) -> [f64; 2] {
    let (busy, start) = (processor_ms(), Instant::now());
    work();
    let time = 1e3 * start.elapsed().as_secs_f64();
    [time, processor_ms() - busy]
}

/// Milliseconds of processor time of all threads, if the system reports it.
fn processor_ms() -> f64 {
    let of_task = |task: std::io::Result<std::fs::DirEntry>| {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    };
    std::fs::read_dir("/proc/self/task").map_or(f64::NAN, |tasks| 1e-6 * tasks.filter_map(of_task).sum::<f64>())
}

fn quantile(times: &mut [f64], part: f64) -> f64 {
    times.sort_by(f64::total_cmp);
    times[(part * (times.len() - 1) as f64) as usize]
}

/// All colliders: first walls, which are boxes, then people.
fn entities(app: &mut App) -> Vec<Entity> {
    let mut all = app.world_mut().query::<(Entity, &Collider)>();
    let mut all: Vec<_> = all
        .iter(app.world())
        .map(|(entity, collider)| (entity, *collider))
        .collect();
    all.sort_by_key(|(entity, collider)| (!matches!(collider, Collider::Cuboid { .. }), *entity));
    all.into_iter().map(|(entity, _)| entity).collect()
}

/// The shape of an entity, and its place after the update.
fn placed(app: &App, entity: Entity) -> (Collider, bevy_transform::components::Transform) {
    let entity = app.world().entity(entity);
    let place = entity
        .get::<GlobalTransform>()
        .expect("a transform")
        .compute_transform();
    (*entity.get::<Collider>().expect("a collider"), place)
}

struct Engine {
    tracker: Tracker,
    contacts: Contacts,
    bodies: OwnedBodies,
    statics: Vec<bool>,
    pairs: Vec<[usize; 2]>,
}

impl Engine {
    fn new() -> Self {
        let config = Config {
            backend: Backend::Cpu,
            ..Config::default()
        };
        let checker = Checker::new(config).expect("the CPU is always there");
        Self {
            tracker: Tracker::new(checker, TrackerConfig::default()),
            contacts: Contacts::default(),
            bodies: OwnedBodies::default(),
            statics: Vec::new(),
            pairs: Vec::new(),
        }
    }

    fn fill(&mut self, app: &App, entities: &[Entity]) {
        self.bodies = OwnedBodies::default();
        for &entity in entities {
            let (collider, place) = placed(app, entity);
            match collider {
                Collider::Cuboid { half_size } => {
                    self.bodies
                        .boxes
                        .push(Obb::new(place.translation, half_size, place.rotation));
                }
                Collider::Capsule { radius, half_length } => {
                    let capsule = Capsule::along_y(place.translation, half_length, place.rotation, radius);
                    self.bodies.capsules.push(capsule);
                }
                Collider::Sphere { .. } => unreachable!("nobody is a sphere"),
            }
        }
        self.statics = (0..entities.len()).map(|k| k < self.bodies.boxes.len()).collect();
    }

    fn update(&mut self) {
        let rules = Rules {
            statics: Some(&self.statics),
            ..Rules::default()
        };
        let bodies = self.bodies.all();
        let frame = self
            .tracker
            .update_by_position(bodies.with(rules))
            .expect("valid bodies");
        self.contacts.update([bodies; 2], frame.pairs).expect("memory");
        self.pairs.clear();
        self.pairs
            .extend(frame.pairs.iter().map(|pair| [pair.a as usize, pair.b as usize]));
    }
}

/// Colliders without bodies: of all kinds, Rapier takes the least time for them.
struct Rapier {
    pipeline: CollisionPipeline,
    islands: IslandManager,
    broad_phase: BroadPhaseBvh,
    narrow_phase: NarrowPhase,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    handles: Vec<ColliderHandle>,
    is_wall: Vec<bool>,
}

impl Rapier {
    fn new(app: &App, entities: &[Entity]) -> Self {
        let mut rapier = Self {
            pipeline: CollisionPipeline::new(),
            islands: IslandManager::new(),
            broad_phase: BroadPhaseBvh::new(),
            narrow_phase: NarrowPhase::new(),
            bodies: RigidBodySet::new(),
            colliders: ColliderSet::new(),
            handles: Vec::new(),
            is_wall: Vec::new(),
        };
        for (k, &entity) in entities.iter().enumerate() {
            let (collider, place) = placed(app, entity);
            let builder = match collider {
                Collider::Cuboid { half_size } => ColliderBuilder::cuboid(half_size.x, half_size.y, half_size.z),
                Collider::Capsule { radius, half_length } => {
                    ColliderBuilder::capsule_y(half_length, radius).active_collision_types(ActiveCollisionTypes::all())
                }
                Collider::Sphere { .. } => unreachable!("nobody is a sphere"),
            };
            let pose = Pose::from_parts(place.translation, place.rotation);
            let collider = builder.position(pose).user_data(k as u128);
            rapier.handles.push(rapier.colliders.insert(collider));
            rapier
                .is_wall
                .push(matches!(placed(app, entity).0, Collider::Cuboid { .. }));
        }
        rapier
    }

    fn fill(&mut self, app: &App, entities: &[Entity]) {
        for ((&entity, &handle), is_wall) in entities.iter().zip(&self.handles).zip(&self.is_wall) {
            if !is_wall {
                let (_, place) = placed(app, entity);
                let pose = Pose::from_parts(place.translation, place.rotation);
                self.colliders.get_mut(handle).expect("a collider").set_position(pose);
            }
        }
    }

    fn update(&mut self) {
        self.pipeline.step(
            0.0,
            &mut self.islands,
            &mut self.broad_phase,
            &mut self.narrow_phase,
            &mut self.bodies,
            &mut self.colliders,
            &(),
            &(),
        );
    }

    /// The pairs with a point at which they meet.
    fn pairs(&self) -> BTreeSet<[usize; 2]> {
        let meet = |pair: &&rapier3d::geometry::ContactPair| {
            let mut points = pair.manifolds().iter().flat_map(|manifold| &manifold.points);
            points.any(|point| point.dist <= 0.0)
        };
        let place = |handle: ColliderHandle| self.colliders[handle].user_data as usize;
        let found = self.narrow_phase.contact_pairs().filter(meet);
        found
            .map(|pair| {
                let [a, b] = [place(pair.collider1), place(pair.collider2)];
                [a.min(b), a.max(b)]
            })
            .collect()
    }
}
