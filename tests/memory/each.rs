//! Each request for memory is refused once: every call returns the documented error or its answer,
//! and the same call on the same checker then returns the answer. What a call requests without
//! handling a refusal is small, whatever the scene.

use std::fmt::Debug;
use std::sync::atomic::Ordering::Relaxed;

use obbligato::contact::{closest_points, contacts, overlaps};
use obbligato::glam::{DVec3, Vec3};
use obbligato::motion::{Motion, MovingSet, Step};
use obbligato::query::{
    ApproachQuery, ContactQuery, Containment, DistanceQuery, ExcludedPairs, MeshQuery, NeighbourQuery, OverlapQuery,
    SolidQuery, Sweep, TileQuery,
};
use obbligato::region::{BspTree, ClosedMesh, Room};
use obbligato::report::{Adjacency, Direction, checksum};
use obbligato::shape::{Solid, Triangle, Upright, open_edges};
use obbligato::tiles::Tiling;
use obbligato::tracking::{Tracker, TrackerConfig};
use obbligato::tree::{Bvh, ObbTree};
use obbligato::{
    BroadPhase, Checker, Config, Error, Obb, Obb64, Output, Pair, Period, Query, Report, Result, Rules, Set,
};
use obbligato_verify::scenes::{BodyScene, Scene};

use crate::support::cpu_pairs;
use crate::{HANDLED, REFUSED, REQUESTS, UNHANDLED, alone};

/// The largest request in bytes of which a refusal may end the process: samples of a fixed size and
/// lists of tasks, but none of bodies or pairs.
const SMALL: usize = 132 << 10;

/// The sizes of scenes: a small one, in which each request is refused in turn, and one whose lists
/// of 32-bit numbers are larger than [`SMALL`].
const COUNTS: [usize; 2] = [300, 40_000];

/// Calls `work` and refuses the request of this number, from 1, of those whose refusal is handled.
/// Returns their number.
fn refusing<T>(request: usize, work: impl FnOnce() -> T) -> (T, usize) {
    REQUESTS.store(0, Relaxed);
    REFUSED.store(request, Relaxed);
    HANDLED.store(true, Relaxed);
    let outcome = work();
    HANDLED.store(false, Relaxed);
    (outcome, REQUESTS.load(Relaxed))
}

/// The number of refused requests, and what was found.
struct Tally {
    /// The number of boxes of a scene.
    count: usize,
    refused: usize,
    problems: Vec<String>,
}

impl Tally {
    /// Calls `work` with each size of scenes.
    fn of(what: &str, least: usize, work: impl Fn(&mut Self)) {
        let _alone = alone();
        for count in COUNTS {
            let mut tally = Self {
                count,
                refused: 0,
                problems: Vec::new(),
            };
            work(&mut tally);
            assert!(tally.problems.is_empty(), "{}", tally.problems.join("\n"));
            if tally.is_small() {
                println!("{what}: {} requests refused", tally.refused);
                assert!(tally.refused >= least, "{what}: only {} requests", tally.refused);
            }
        }
    }

    /// Returns `true` if each request is to be refused.
    fn is_small(&self) -> bool {
        self.count == COUNTS[0]
    }

    fn boxes(&self) -> Vec<Obb> {
        Scene::Dense.generate(self.count, 1)
    }

    /// Refuses each request of a call in turn if the scene is small; else asserts that requests
    /// without a handled refusal are small. `new` makes what is called, which stays after a
    /// refusal.
    fn call<C, T: PartialEq + Debug>(&mut self, what: &str, new: impl Fn() -> C, call: impl Fn(&mut C) -> Result<T>) {
        UNHANDLED.store(0, Relaxed);
        let mut called = new();
        let expected = refusing(0, || call(&mut called)).0;
        let expected = expected.unwrap_or_else(|error| panic!("{what}: {error}"));
        let largest = UNHANDLED.load(Relaxed);
        if largest > SMALL {
            self.problems
                .push(format!("{what}: a request of {largest} bytes is not handled"));
        }
        let is_small = self.is_small();
        for request in (1..).take_while(|_| is_small) {
            let mut called = new();
            let (outcome, requests) = refusing(request, || call(&mut called));
            if requests < request {
                return;
            }
            self.refused += 1;
            match outcome {
                Ok(answer) if answer == expected => {}
                Err(Error::OutOfMemory { .. }) => {}
                Ok(_) => self.problems.push(format!("{what}, request {request}: another answer")),
                Err(error) => self.problems.push(format!("{what}, request {request}: {error}")),
            }
            match call(&mut called) {
                Ok(answer) if answer == expected => {}
                Ok(_) => self
                    .problems
                    .push(format!("{what}: another answer after request {request}")),
                Err(error) => self.problems.push(format!("{what}: after request {request}: {error}")),
            }
        }
    }

    /// Refuses each request of a function.
    fn function<T: PartialEq + Debug>(&mut self, what: &str, call: impl Fn() -> Result<T>) {
        self.call(what, || (), |()| call());
    }

    /// Refuses each request of a question to a new checker.
    fn question<T: PartialEq + Debug>(&mut self, what: &str, call: impl Fn(&mut Checker) -> Result<T>) {
        self.call(what, checker, call);
    }
}

fn config() -> Config {
    Config {
        backend: obbligato::Backend::Cpu,
        ..Config::default()
    }
}

fn checker() -> Checker {
    Checker::new(config()).expect("the CPU is always there")
}

fn pairs_of(report: Report) -> Result<Vec<Pair>> {
    report.into_pairs()
}

#[test]
fn checks() {
    Tally::of("checks", 200, checks_of);
}

fn checks_of(tally: &mut Tally) {
    let boxes = tally.boxes();
    for broad_phase in BroadPhase::ALL {
        for output in [Output::Pairs, Output::Degrees, Output::Count] {
            let config = Config {
                broad_phase: *broad_phase,
                output,
                list_touching: output == Output::Pairs,
                ..config()
            };
            let new = || Checker::new(config.clone()).expect("the CPU is always there");
            tally.call(&format!("{broad_phase}, {output:?}"), new, |checker| {
                let report = checker.check(&boxes)?;
                let marks = (output == Output::Degrees).then(|| report.marks()).transpose()?;
                Ok((report.colliding_pairs, marks, report.into_pairs().ok()))
            });
        }
    }
    for margin in [0.0, 0.1] {
        let new = || Checker::new(Config { margin, ..config() }).expect("the CPU is always there");
        tally.call(&format!("a margin of {margin}"), new, |checker| {
            checker.check(&boxes).and_then(pairs_of)
        });
    }
    let wide: Vec<Obb64> = boxes.iter().map(|&obb| obb.into()).collect();
    let far: Vec<Obb64> = wide
        .iter()
        .map(|obb| Obb64 {
            center: obb.center + DVec3::splat(1e7),
            ..*obb
        })
        .collect();
    tally.question("centers in f64", |checker| checker.check(&far).and_then(pairs_of));
    for scene in BodyScene::OTHERS {
        let bodies = scene.bodies(tally.count, 1);
        tally.question(scene.name(), |checker| checker.check(bodies.all()).and_then(pairs_of));
    }
}

#[test]
fn sets_and_rules() {
    Tally::of("sets and rules", 50, sets_and_rules_of);
}

fn sets_and_rules_of(tally: &mut Tally) {
    let boxes = tally.boxes();
    let owners: Vec<u32> = (0..boxes.len() as u32).map(|i| i / 2).collect();
    let worlds: Vec<u32> = (0..boxes.len() as u32).map(|i| i % 2).collect();
    let margins: Vec<f32> = (0..boxes.len()).map(|i| (i % 3) as f32 * 0.1).collect();
    let all = cpu_pairs(&boxes);
    tally.function("excluded pairs", || {
        ExcludedPairs::new(&all).map(|excluded| format!("{:?}", excluded).len())
    });
    let excluded = ExcludedPairs::new(&all[..all.len() / 2]).expect("memory");
    let rules = Rules {
        owners: Some(&owners),
        worlds: Some(&worlds),
        margins: Some(&margins),
        excluded: Some(&excluded),
        ..Rules::default()
    };
    let set = Set::from(&boxes).with(rules);
    let (first, second) = boxes.split_at(tally.count / 2);
    tally.question("rules", |checker| checker.check(set).and_then(pairs_of));
    tally.question("two sets", |checker| {
        checker.check(Query::between(first, second)).and_then(pairs_of)
    });
    tally.question("given pairs", |checker| {
        checker.check(Query::pairs(set, &all)).and_then(pairs_of)
    });
    tally.question("a prepared scene", |checker| {
        let scene = checker.prepare(first)?;
        checker.check(Query::against(&scene, second)).and_then(pairs_of)
    });
    let prepared = || {
        let mut checker = checker();
        let scene = checker.prepare(first).expect("valid boxes");
        (checker, scene)
    };
    tally.call("movers", prepared, |(checker, scene)| {
        checker.check(Query::against(scene, second)).and_then(pairs_of)
    });
    let period = Period::new([Some(200.0), None, Some(300.0)]);
    tally.question("space that repeats", |checker| {
        checker
            .check(Query::from(&boxes[..boxes.len().min(500)]).periodic(period))
            .and_then(pairs_of)
    });
    let visit = |pairs: &[Pair]| assert!(!pairs.is_empty());
    tally.question("a visitor", |checker| {
        Ok(checker.check(Query::from(&boxes).visit(&visit))?.colliding_pairs)
    });
    tally.function("an adjacency", || Adjacency::new(boxes.len(), &all, Direction::Both));
}

#[test]
fn pairs_in_detail() {
    Tally::of("pairs in detail", 10, pairs_in_detail_of);
}

fn pairs_in_detail_of(tally: &mut Tally) {
    let boxes = tally.boxes();
    let all = cpu_pairs(&boxes);
    let pairs = &all[..all.len().min(20_000) / 2];
    let sets = || [&boxes[..]; 2];
    tally.question("contacts", |checker| checker.check(ContactQuery::new(sets(), pairs)));
    tally.question("distances", |checker| checker.check(DistanceQuery::new(sets(), pairs)));
    tally.question("overlaps", |checker| checker.check(OverlapQuery::new(sets(), pairs)));
    tally.function("contacts without a checker", || contacts(sets(), pairs));
    tally.function("distances without a checker", || closest_points(sets(), pairs));
    tally.function("overlaps without a checker", || overlaps(sets(), pairs));
    let bodies = BodyScene::MixedKinds.bodies(tally.count, 1);
    let found = checker().check(bodies.all()).and_then(pairs_of).expect("valid bodies");
    tally.question("contacts of bodies", |checker| {
        checker.check(ContactQuery::within(bodies.all(), &found))
    });
    tally.question("distances of bodies", |checker| {
        checker.check(DistanceQuery::within(bodies.all(), &found))
    });
    let period = Period::new([Some(500.0); 3]);
    tally.question("contacts in images", |checker| {
        Ok(checker
            .check(ContactQuery::within(&boxes, pairs).periodic(period))?
            .found)
    });
    tally.question("distances in images", |checker| {
        Ok(checker
            .check(DistanceQuery::within(&boxes, pairs).periodic(period))?
            .images)
    });
    tally.question("a visitor of contacts", |checker| {
        let visit = |_: &[Pair], _: &obbligato::contact::Contacts| {};
        Ok(checker
            .check(Query::from(&boxes).visit_contacts(&visit))?
            .colliding_pairs)
    });
}

#[test]
fn motion() {
    Tally::of("motion", 50, motion_of);
}

fn motion_of(tally: &mut Tally) {
    let boxes = Scene::Uniform.generate(tally.count, 1);
    let way = |k: usize| Vec3::new((k % 7) as f32 - 3.0, (k % 5) as f32 - 2.0, (k % 3) as f32 - 1.0) * 0.2;
    let straight: Vec<Motion> = (0..boxes.len()).map(|k| Motion::linear(way(k))).collect();
    let turning: Vec<Motion> = (0..boxes.len())
        .map(|k| {
            let mut motion = Motion::linear(way(k));
            motion.angular_velocity = way(k);
            motion
        })
        .collect();
    let step = Step::new(1.0);
    let (first, second) = boxes.split_at(tally.count / 2);
    for (what, motions) in [("straight", &straight), ("turning", &turning)] {
        let set = MovingSet::new(&boxes, motions);
        tally.question(what, |checker| Ok(checker.check(Sweep::new(set, &step))?.impacts));
        let movers = MovingSet::new(second, &motions[tally.count / 2..]);
        tally.question(what, |checker| {
            let scene = checker.prepare(first)?;
            Ok(checker.check(Sweep::against(&scene, movers, &step))?.impacts)
        });
    }
    let set = MovingSet::new(&boxes, &straight);
    tally.question("approaches", |checker| {
        Ok(checker.check(ApproachQuery::new(set, &step, 0.5))?.approaches)
    });
    let period = Period::new([Some(500.0); 3]);
    tally.question("sweeps in images", |checker| {
        let moving = checker.check(Sweep::new(set, &step).periodic(period))?;
        Ok((moving.found.impacts, moving.images))
    });
    tally.question("approaches in images", |checker| {
        let near = checker.check(ApproachQuery::new(set, &step, 0.5).periodic(period))?;
        Ok((near.found.approaches, near.images))
    });
    let later: Vec<Obb> = boxes
        .iter()
        .zip(&straight)
        .map(|(obb, motion)| Obb {
            center: obb.center + motion.velocity * 0.1,
            ..*obb
        })
        .collect();
    let ids: Vec<u32> = (0..boxes.len() as u32).rev().collect();
    let tracker = || Tracker::new(checker(), TrackerConfig::default());
    tally.call("a tracker", tracker, |tracker| {
        tracker.update(&ids, &boxes)?;
        tracker.update(&ids, &later)?;
        let frame = tracker.update(&ids[..boxes.len() / 2], first)?;
        Ok((frame.pairs.len(), checksum(frame.pairs)))
    });
}

/// Tetrahedra at these places.
fn tetrahedra(places: impl Iterator<Item = Vec3>) -> Vec<Triangle> {
    let faces = |at: Vec3| {
        let [a, b, c, d] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|corner| at + corner);
        [[a, c, b], [a, b, d], [b, c, d], [a, d, c]].map(|corners| Triangle { corners })
    };
    places.flat_map(faces).collect()
}

#[test]
fn other_questions() {
    Tally::of("other questions", 50, other_questions_of);
}

fn other_questions_of(tally: &mut Tally) {
    let boxes = Scene::Uniform.generate(tally.count, 1);
    tally.question("nearest centers", |checker| {
        checker.check(NeighbourQuery::of(&boxes).nearest(3))
    });
    tally.question("centers within a radius", |checker| {
        checker.check(NeighbourQuery::of(&boxes).within(2.0))
    });
    tally.question("nearest surfaces", |checker| {
        checker.check(NeighbourQuery::of(&boxes).nearest(3).by_surface())
    });
    let corners: Vec<Vec<Vec3>> = boxes
        .iter()
        .take(40)
        .map(|obb| obb.corners().map(|corner| corner.as_vec3()).to_vec())
        .collect();
    tally.function("making solids", || {
        Solid::from_each(&corners).map(|solids| solids.len())
    });
    let solids = Solid::from_each(&corners).expect("valid points");
    tally.question("solids", |checker| {
        checker.check(SolidQuery::new(&solids)).and_then(pairs_of)
    });
    // A hull asks once, for all that it needs.
    let cloud: Vec<Vec3> = boxes.iter().take(100).map(|obb| obb.center.normalize()).collect();
    tally.function("a solid", || {
        Solid::from_points(&cloud).map(|solid| solid.vertices().len())
    });
    let mesh = tetrahedra(boxes.iter().take(3000).map(|obb| obb.center));
    let (first, second) = mesh.split_at(mesh.len() / 2);
    tally.question("a mesh", |checker| checker.check(Query::mesh(&mesh)).and_then(pairs_of));
    tally.question("two meshes", |checker| {
        checker.check(Query::between(first, second)).and_then(pairs_of)
    });
    tally.question("a mesh and bodies", |checker| {
        checker
            .check(MeshQuery::new(&mesh, &boxes[..boxes.len().min(3000)]))
            .and_then(pairs_of)
    });
    let room = Room::new(Vec3::ZERO, Vec3::splat(10.0)).expect("a room");
    tally.question("a room", |checker| checker.check(Containment::new(&room, &boxes)));
    tally.function("open edges", || open_edges(&mesh));
    let centers: Vec<Vec3> = boxes.iter().map(|obb| obb.center).collect();
    tally.function("a closed mesh", || ClosedMesh::new(&mesh)?.locate_all(&centers));
    let closed = ClosedMesh::new(&mesh).expect("a closed mesh");
    tally.question("bodies in a mesh", |checker| {
        checker.check(Containment::new(&closed, &boxes[..boxes.len().min(3000)]))
    });
}

#[test]
fn structures() {
    Tally::of("structures", 10, structures_of);
}

fn structures_of(tally: &mut Tally) {
    let boxes = tally.boxes();
    let bounds: Vec<_> = boxes.iter().map(Obb::bounds).collect();
    tally.function("a tree", || Bvh::new(&bounds)?.pairs());
    let tree = Bvh::new(&bounds).expect("valid boxes");
    tally.function("boxes of a tree", || {
        Ok(tree.overlapping_each(&bounds[..100])?.items().len())
    });
    let mesh = tetrahedra(boxes.iter().take(300).map(|obb| obb.center * 3.0));
    tally.function("a tree of volumes", || ObbTree::new(&mesh).map(|tree| tree.nodes()));
    tally.function("a tree of planes", || {
        BspTree::of_solid(&mesh[..40])?.locate(Vec3::splat(0.1))
    });
    tally.function("tiles", || {
        let tiling = Tiling::of_sample(&boxes, 4)?;
        Ok((tiling.tiles().len(), tiling.assign(&boxes, 0.0)?))
    });
    let square = [0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0];
    let rows = vec![square; tally.count];
    tally.function("upright cuboids", || Upright::from_rows(&rows));
    let tile = Tiling::whole().tiles()[0];
    tally.question("the pairs of a tile", |checker| {
        checker.check(TileQuery::new(&tile, &boxes)).and_then(pairs_of)
    });
}
