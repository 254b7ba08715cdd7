//! A device that refuses memory, or is lost, in each call into wgpu in turn: every question returns
//! the documented error, and the next call the answer.

use std::fmt::Debug;

use obbligato::glam::Vec3;
use obbligato::gpu::{
    AdjacencyOf, Capacity, ClosestPointsOf, ContactsOf, EnclosuresOf, EventCounts, EventsOf, FrameQuery, FrameVisitor,
    ImageCounts, ImagesOf, NearestOf, Outcome, OverlapsOf, Recorded, RulesOf, SortPairs, SweepQuery,
};
use obbligato::motion::{Motion, MovingSet, Step};
use obbligato::query::{ContactQuery, Containment, DistanceQuery, SolidQuery, Sweep};
use obbligato::region::Room;
use obbligato::report::Direction;
use obbligato::shape::{BodyCounts, OwnedBodies, Solid, Triangle};
use obbligato::unstable::gpu::{Fault, Inside};
use obbligato::{Checker, Config, Error, GpuChecker, Obb, Obb64, Pair, Period, Query, Result, Rules, Set, wgpu};
use obbligato_verify::scenes::{BodyScene, Scene};

use crate::support::gpu::{cpu_pairs, device, gpu_checker};

/// Bodies, and what is asked about them.
struct Input {
    boxes: Vec<Obb>,
    boxes64: Vec<Obb64>,
    bodies: OwnedBodies,
    triangles: Vec<Triangle>,
    solids: Vec<Solid>,
    motions: Vec<Motion>,
    owners: Vec<u32>,
    pairs: Vec<Pair>,
    room: Room,
}

impl Input {
    fn new() -> Self {
        let boxes = Scene::Dense.generate(300, 1);
        let points = |obb: &Obb| [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|corner| obb.center + corner);
        let triangle = |obb: &Obb| Triangle::new(obb.center, obb.center + Vec3::X, obb.center + Vec3::Y);
        let solids: Result<Vec<Solid>> = boxes.iter().map(|obb| Solid::from_points(&points(obb))).collect();
        Self {
            boxes64: boxes.iter().copied().map(Obb64::from).collect(),
            bodies: BodyScene::MixedKinds.bodies(300, 1),
            triangles: boxes.iter().map(triangle).collect(),
            solids: solids.expect("solids"),
            motions: vec![Motion::linear(Vec3::X); boxes.len()],
            owners: (0..300).map(|k| k / 2).collect(),
            pairs: cpu_pairs(&boxes),
            room: Room::new(Vec3::splat(-3.0), Vec3::splat(3.0)).expect("a room"),
            boxes,
        }
    }

    fn count(&self) -> u32 {
        self.boxes.len() as u32
    }

    fn rules(&self) -> Rules<'_> {
        Rules {
            owners: Some(&self.owners),
            ..Rules::default()
        }
    }
}

/// A call on a checker, and its answer as text.
type Call = fn(&mut GpuChecker, &Input) -> Result<String>;

/// Calls that return to the host.
const CHECKS: [(&str, Call); 9] = [
    ("boxes with rules", |checker, input| {
        pairs(checker, Set::from(&input.boxes).with(input.rules()))
    }),
    ("bodies", |checker, input| pairs(checker, input.bodies.all())),
    ("boxes in f64", |checker, input| pairs(checker, &input.boxes64)),
    ("a mesh", |checker, input| pairs(checker, Query::mesh(&input.triangles))),
    ("given pairs", |checker, input| {
        pairs(checker, Query::pairs(&input.boxes, &input.pairs))
    }),
    ("a prepared scene", |checker, input| {
        let scene = checker.checker().prepare(&input.boxes[..200])?;
        pairs(checker, Query::against(&scene, &input.boxes[200..]))
    }),
    ("a sweep", |checker, input| {
        let (set, step) = (MovingSet::new(&input.boxes, &input.motions), Step::new(1.0));
        Ok(text(checker.checker().check(Sweep::new(set, &step))?.impacts))
    }),
    ("solids", |checker, input| {
        let report = checker.checker().check(SolidQuery::new(&input.solids))?;
        Ok(text(report.into_pairs()?))
    }),
    ("details", |checker, input| {
        let (sets, checker) = ([&input.boxes[..]; 2], checker.checker());
        let contacts = checker.check(ContactQuery::new(sets, &input.pairs))?;
        let distances = checker.check(DistanceQuery::new(sets, &input.pairs))?;
        let inside = checker.check(Containment::new(&input.room, &input.boxes))?;
        Ok(text((contacts, distances, inside)))
    }),
];

/// Calls that record frames, submit them, and read their results.
const FRAMES: [(&str, Call); 5] = [
    ("forms", forms),
    ("details of a frame", details),
    ("a recorded sweep", sweep),
    ("images", images),
    ("a visitor", visit),
];

fn text(answer: impl Debug) -> String {
    format!("{answer:?}")
}

fn pairs<'a>(checker: &mut GpuChecker, query: impl Into<Query<'a>>) -> Result<String> {
    Ok(text(checker.checker().check(query.into())?.into_pairs()?))
}

fn encoder(checker: &GpuChecker) -> wgpu::CommandEncoder {
    checker.device().create_command_encoder(&Default::default())
}

/// Submits the commands of a frame. wgpu rejects them if the device has been lost.
fn submit(checker: &GpuChecker, encoder: wgpu::CommandEncoder) {
    let scope = checker.device().push_error_scope(wgpu::ErrorFilter::Validation);
    checker.queue().submit([encoder.finish()]);
    drop(pollster::block_on(scope.pop()));
}

/// Returns the outcome of a frame and its pairs, sorted.
fn found(checker: &mut GpuChecker, recorded: &Recorded) -> Result<(Outcome, Vec<Pair>)> {
    let outcome = checker.read::<Outcome>(&recorded.outcome, 1)?[0];
    let mut pairs: Vec<Pair> = checker.read(&recorded.pairs, outcome.pairs)?;
    pairs.sort_unstable();
    Ok((outcome, pairs))
}

fn forms(checker: &mut GpuChecker, input: &Input) -> Result<String> {
    checker.reserve(Capacity {
        boxes: 300,
        candidates: 9000,
        pairs: 9000,
        undecided: 900,
    })?;
    let boxes = checker.upload(&input.boxes)?;
    let rules = checker.upload_rules(RulesOf::boxes(&input.rules(), input.count()))?;
    let mut encoder = encoder(checker);
    let query = FrameQuery::boxes(&boxes, input.count()).with(&rules);
    let recorded = checker.record(&mut encoder, query)?;
    checker.record(&mut encoder, SortPairs(&recorded))?;
    let rows = checker.record(&mut encoder, AdjacencyOf::new(&recorded, Direction::Both))?;
    let nearest = checker.record(&mut encoder, NearestOf::new(&recorded, Direction::Both, 4))?;
    let events = checker.record(&mut encoder, EventsOf::new(&recorded).persisting())?;
    submit(checker, encoder);
    let (outcome, pairs) = found(checker, &recorded)?;
    let offsets: Vec<u32> = checker.read(&rows.offsets, rows.rows + 1)?;
    let neighbours: Vec<u32> = checker.read(&rows.neighbours, 2 * outcome.pairs)?;
    let nearest: Vec<u32> = checker.read(&nearest.nearest, 4 * nearest.rows)?;
    let counts = checker.read::<EventCounts>(&events.counts, 1)?[0];
    // After a fault behind the submission, the pairs of the same frame persist.
    let listed = counts.begin + counts.persist;
    Ok(text((pairs, offsets, neighbours, nearest, listed, counts.end)))
}

fn details(checker: &mut GpuChecker, input: &Input) -> Result<String> {
    let boxes = checker.upload(&input.boxes)?;
    let bodies = checker.upload_bodies(input.bodies.all())?;
    let mut encoder = encoder(checker);
    let recorded = checker.record(&mut encoder, FrameQuery::boxes(&boxes, input.count()))?;
    checker.record(&mut encoder, SortPairs(&recorded))?;
    let contacts = checker.record(&mut encoder, ContactsOf::new(&recorded, 5000))?;
    let closest = checker.record(&mut encoder, ClosestPointsOf(&recorded))?;
    let overlaps = checker.record(&mut encoder, OverlapsOf(&recorded))?;
    let counts = BodyCounts::from(input.bodies.all());
    let inside = checker.record(&mut encoder, EnclosuresOf::new(&input.room, &bodies, counts))?;
    submit(checker, encoder);
    let (outcome, pairs) = found(checker, &recorded)?;
    let points: Vec<u32> = checker.read(&contacts.counts, 1)?;
    let closest: Vec<[u32; 4]> = checker.read(&closest, outcome.pairs)?;
    let overlaps: Vec<u32> = checker.read(&overlaps, outcome.pairs)?;
    let inside: Vec<u32> = checker.read(&inside, input.bodies.all().len() as u32)?;
    Ok(text((pairs, points, closest, overlaps, inside)))
}

fn sweep(checker: &mut GpuChecker, input: &Input) -> Result<String> {
    let boxes = checker.upload(&input.boxes)?;
    let motions = checker.upload(&input.motions)?;
    let mut encoder = encoder(checker);
    let query = SweepQuery::new(&boxes, &motions, input.count(), 1.0);
    let recorded = checker.record(&mut encoder, query)?;
    submit(checker, encoder);
    let outcome = checker.read::<Outcome>(&recorded.outcome, 1)?[0];
    let earliest: Vec<[u32; 2]> = checker.read(&recorded.earliest, input.count())?;
    Ok(text((outcome.pairs, earliest)))
}

fn images(checker: &mut GpuChecker, input: &Input) -> Result<String> {
    let bodies = input.bodies.all();
    let buffer = checker.upload_bodies(bodies)?;
    let mut encoder = encoder(checker);
    let period = Period::new([Some(40.0), Some(40.0), None]);
    let asked = ImagesOf::new(&buffer, BodyCounts::from(bodies), period, 1000);
    let listed = checker.record(&mut encoder, asked)?;
    let recorded = checker.record(&mut encoder, FrameQuery::images(&listed))?;
    checker.record(&mut encoder, SortPairs(&recorded))?;
    let events = checker.record(&mut encoder, EventsOf::new(&recorded).persisting())?;
    submit(checker, encoder);
    let (_, pairs) = found(checker, &recorded)?;
    let counts = checker.read::<ImageCounts>(&listed.counts, 1)?[0];
    let events = checker.read::<EventCounts>(&events.counts, 1)?[0];
    Ok(text((pairs.len(), counts, events.begin + events.persist, events.end)))
}

fn visit(checker: &mut GpuChecker, input: &Input) -> Result<String> {
    const COUNT: &str = "
        @group(1) @binding(0) var<storage, read_write> visited: array<atomic<u32>>;
        fn visit(pair: Pair, undecided: bool) { atomicAdd(&visited[0], pair.a ^ pair.b); }
    ";
    let (boxes, visited) = (checker.upload(&input.boxes)?, checker.upload(&[0u32; 4])?);
    let visitor = FrameVisitor::new(COUNT).bind(0, &visited);
    let mut encoder = encoder(checker);
    let query = FrameQuery::boxes(&boxes, input.count()).visit(&visitor);
    checker.record(&mut encoder, query)?;
    submit(checker, encoder);
    Ok(text(checker.read::<u32>(&visited, 1)?))
}

/// Injects a fault into the next calls.
fn inject(checker: &mut GpuChecker, fault: Fault) {
    inside(checker.checker()).inject(fault);
}

fn inside(checker: &mut Checker) -> Inside<'_> {
    Inside::of(checker).expect("a GPU")
}

/// Refuses memory in each call into wgpu, until there are no more. Returns the number of faults.
fn refuse_each(what: &str, input: &Input, call: Call) -> usize {
    let new = || gpu_checker(Config::default());
    let expected = call(&mut new(), input).unwrap_or_else(|error| panic!("{what}: {error}"));
    for number in 1.. {
        let mut checker = new();
        inject(&mut checker, Fault::Memory(number));
        match call(&mut checker, input) {
            Err(error @ Error::OutOfDeviceMemory { .. }) => {
                assert!(!error.to_string().contains('\n'), "{what}: {error}");
            }
            Err(error) => panic!("{what}, call {number}: {error}"),
            Ok(_) if inside(checker.checker()).calls() < number => return number - 1,
            Ok(_) => panic!("{what}, call {number}: the error is lost"),
        }
        // Twice: the second time with what the first one has kept.
        for round in ["after the fault", "once more"] {
            match call(&mut checker, input) {
                Ok(answer) => assert!(answer == expected, "{what}, call {number}, {round}: another answer"),
                Err(error) => panic!("{what}, call {number}, {round}: {error}"),
            }
        }
    }
    unreachable!("calls end")
}

#[test]
fn refused_device_memory_is_an_error_at_any_call() {
    let input = Input::new();
    for (what, call) in CHECKS.into_iter().chain(FRAMES) {
        let refused = refuse_each(what, &input, call);
        println!("{what}: {refused} calls refused");
        assert!(refused > 3, "{what}: {refused}");
    }
}

/// Records a frame of images with its events. With a fault in the form that `fails`, it is recorded
/// again into the same encoder. Returns the sorted pairs and their events, and `false` if the fault
/// came too late.
fn recorded_again(input: &Input, fails: usize, fault: Fault) -> (Vec<Pair>, EventCounts, bool) {
    let mut checker = gpu_checker(Config::default());
    let bodies = input.bodies.all();
    let buffer = checker.upload_bodies(bodies).expect("memory");
    let mut encoder = encoder(&checker);
    let period = Period::new([Some(40.0), Some(40.0), None]);
    let asked = ImagesOf::new(&buffer, BodyCounts::from(bodies), period, 1000);
    let listed = checker.record(&mut encoder, asked).expect("images");
    let query = FrameQuery::images(&listed);
    let recorded = checker.record(&mut encoder, query).expect("a frame");
    let mut events = None;
    let mut failed = false;
    for form in 0..3 {
        inject(&mut checker, if form == fails { fault } else { Fault::None });
        let mut record = || match form {
            0 => checker.record(&mut encoder, SortPairs(&recorded)),
            1 => checker
                .record(&mut encoder, AdjacencyOf::new(&recorded, Direction::Both))
                .map(drop),
            _ => checker
                .record(&mut encoder, EventsOf::new(&recorded))
                .map(|found| events = Some(found)),
        };
        if record().is_err() {
            failed = true;
            record().expect("without a fault");
        }
    }
    // A fault that no form has met would meet what follows.
    inject(&mut checker, Fault::None);
    submit(&checker, encoder);
    let events = events.expect("it has been recorded");
    let counts = checker.read::<EventCounts>(&events.counts, 1).expect("memory")[0];
    let outcome = checker.read::<Outcome>(&recorded.outcome, 1).expect("memory")[0];
    let pairs = checker.read(&recorded.pairs, outcome.pairs).expect("memory");
    (pairs, counts, failed)
}

#[test]
fn forms_that_failed_can_be_recorded_again() {
    let input = Input::new();
    let (pairs, counts, _) = recorded_again(&input, 0, Fault::None);
    assert!(pairs.is_sorted() && counts.begin > 10, "{counts:?}");
    for form in 0..3 {
        let mut refused = 0;
        for number in 1.. {
            let (again, counted, failed) = recorded_again(&input, form, Fault::Memory(number));
            assert!(again == pairs, "form {form}, call {number}: other pairs");
            assert_eq!(counted, counts, "form {form}, call {number}");
            if !failed {
                break;
            }
            refused += 1;
        }
        println!("form {form}: {refused} calls refused");
        assert!(refused > 2, "form {form}: {refused}");
    }
}

/// Loses the device in a call into wgpu, and asserts that every later question reports it.
fn lose(what: &str, input: &Input, number: usize, call: Call) -> bool {
    let (device, queue) = device(wgpu::Features::empty(), wgpu::Limits::default());
    let mut checker = GpuChecker::new(&device, &queue, Config::default()).expect("a checker");
    inject(&mut checker, Fault::Loss(number));
    for round in 0..2 {
        match call(&mut checker, input) {
            Err(error @ Error::DeviceLost { .. }) => assert!(!error.to_string().contains('\n'), "{what}: {error}"),
            Err(error) => panic!("{what}, the device lost in call {number}, round {round}: {error}"),
            Ok(_) if inside(checker.checker()).calls() < number => return false,
            Ok(_) => panic!("{what}, the device lost in call {number}, round {round}: the error is lost"),
        }
    }
    true
}

/// Every device compiles all kernels, so each question loses it in every eighth call only, and
/// together they do in all.
#[test]
fn a_device_lost_at_any_call_is_an_error() {
    const STEP: usize = 8;
    let input = Input::new();
    for (first, (what, call)) in CHECKS.into_iter().chain(FRAMES).enumerate() {
        let numbers = (1 + first % STEP..).step_by(STEP);
        let lost = numbers.take_while(|&number| lose(what, &input, number, call)).count();
        println!("{what}: {lost} times lost");
        assert!(lost > 0, "{what}");
    }
}
