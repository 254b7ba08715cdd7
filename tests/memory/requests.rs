//! Requests for memory: each may be refused, and calls of the same size make none.

use std::fmt::Debug;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use obbligato::glam::Vec3;
use obbligato::query::{ContactQuery, DistanceQuery, OverlapMatrix};
use obbligato::{
    Bodies, Checker, Config, Error, Obb, Output, Pair, Query, Report, Result, Rules, Set,
    contact::{closest_points, contacts},
    query::ExcludedPairs,
    region::Room,
    report::{Adjacency, Direction, sort_pairs},
};
use obbligato_support::memory::pretend::with_only;
use obbligato_support::memory::{MARGIN, STRIDE};
use obbligato_verify::scenes::{BodyScene, Scene};

use crate::support::{OUTPUTS, cpu, cpu_pairs};
use crate::{LARGE, REFUSED, REQUESTS, alone, requested_a_box};

/// Repeats the work and refuses a different large request each time: the work must return the
/// answer or the error.
#[track_caller]
fn expect_answer_or_error<T: PartialEq + Debug, E: Into<obbligato_files::Error>>(
    what: &str,
    large: usize,
    work: impl Fn() -> Result<T, E>,
) {
    let work = || work().map_err(Into::into);
    let expected = work().unwrap_or_else(|error| panic!("{what}: {error}"));
    for refused in 1.. {
        REQUESTS.store(0, Relaxed);
        REFUSED.store(refused, Relaxed);
        LARGE.store(large, Relaxed);
        let outcome = work();
        LARGE.store(usize::MAX, Relaxed);
        match outcome {
            Ok(answer) => assert!(answer == expected, "{what}: another answer"),
            Err(obbligato_files::Error::Engine(Error::OutOfMemory { .. })) if REQUESTS.load(Relaxed) >= refused => {}
            Err(other) => panic!("{what}, request {refused}: {other}"),
        }
        if REQUESTS.load(Relaxed) < refused {
            assert!(refused > 1, "{what}: no large requests");
            return;
        }
    }
}

/// Smaller than every list of the scenes below, and larger than lists outside of the test.
const LARGE_LIST: usize = 60_000;

fn pairs_of(report: Report) -> Vec<Pair> {
    report.into_pairs().expect("asked for")
}

#[test]
fn requests_of_checks_may_be_refused() {
    let _alone = alone();
    // Bricks touch each other, so that there is something to list.
    let boxes = Scene::Bricks.generate(20_000, 1);
    let marks: Vec<bool> = (0..boxes.len()).map(|i| i % 3 == 0).collect();
    let owners: Vec<u32> = (0..boxes.len() as u32).map(|i| i / 2).collect();
    let expected = cpu_pairs(&boxes);
    let forbidden: Vec<Pair> = expected.iter().copied().step_by(3).collect();
    let excluded = ExcludedPairs::new(&forbidden).expect("memory");
    let rules = Rules {
        owners: Some(&owners),
        statics: Some(&marks),
        excluded: Some(&excluded),
        ..Rules::default()
    };
    let set = Set::from(&boxes).with(rules);
    let config = Config {
        backend: obbligato::Backend::Cpu,
        list_touching: true,
        ..Config::default()
    };
    let of_degrees = Config {
        output: Output::Degrees,
        ..config.clone()
    };
    let new = || Checker::new(config.clone());
    expect_answer_or_error("pairs", LARGE_LIST, || {
        let report = new()?.check(&boxes)?;
        Ok::<_, Error>((report.touching().expect("asked for").len(), pairs_of(report)))
    });
    expect_answer_or_error("degrees", LARGE_LIST, || {
        let report = Checker::new(of_degrees.clone())?.check(&boxes)?;
        Ok::<_, Error>((report.marks()?, report.colliding_pairs))
    });
    expect_answer_or_error("between", LARGE_LIST, || {
        new()?.check(Query::between(set, set)).map(pairs_of)
    });
    expect_answer_or_error("given pairs", LARGE_LIST, || {
        new()?.check(Query::pairs(set, &expected)).map(pairs_of)
    });
    expect_answer_or_error("against", LARGE_LIST, || {
        let mut checker = new()?;
        let scene = checker.prepare(set)?;
        checker.check(Query::against(&scene, set)).map(pairs_of)
    });
    // The checker still works after a refusal.
    let checker = std::cell::RefCell::new(cpu(config.clone()));
    let more = Scene::Dense.generate(30_000, 1);
    for refused in 1..40 {
        REQUESTS.store(0, Relaxed);
        REFUSED.store(refused, Relaxed);
        LARGE.store(LARGE_LIST, Relaxed);
        let _ = checker.borrow_mut().check(&more);
        LARGE.store(usize::MAX, Relaxed);
        let report = checker.borrow_mut().check(&boxes).expect("a report");
        assert!(
            report.pairs().expect("asked for") == expected,
            "after request {refused}"
        );
        if refused % 8 == 0 {
            checker.replace(cpu(config.clone()));
        }
    }
}

#[test]
fn requests_of_pair_queries_may_be_refused() {
    let _alone = alone();
    let boxes = Scene::Dense.generate(20_000, 1);
    let pairs = cpu_pairs(&boxes);
    let sets: [&[Obb]; 2] = [&boxes, &boxes];
    let config = Config {
        backend: obbligato::Backend::Cpu,
        ..Config::default()
    };
    let new = || Checker::new(config.clone());
    expect_answer_or_error("contacts", LARGE_LIST, || contacts(sets, &pairs));
    expect_answer_or_error("contacts of a checker", LARGE_LIST, || {
        new()?.check(ContactQuery::new(sets, &pairs))
    });
    expect_answer_or_error("distances", LARGE_LIST, || closest_points(sets, &pairs));
    expect_answer_or_error("distances of a checker", LARGE_LIST, || {
        new()?.check(DistanceQuery::new(sets, &pairs))
    });
    expect_answer_or_error("an adjacency", LARGE_LIST, || {
        Adjacency::new(boxes.len(), &pairs, Direction::Both)
    });
    expect_answer_or_error("sorting", LARGE_LIST, || {
        let mut turned: Vec<Pair> = Vec::new();
        let reserved = turned.try_reserve_exact(pairs.len());
        let room = |_| Error::OutOfMemory {
            what: "this test",
            needed: 0,
        };
        reserved.map_err(room)?;
        turned.extend(pairs.iter().rev());
        sort_pairs(&mut turned).map(|()| turned)
    });
    let room = Room::new(Vec3::ZERO, Vec3::splat(20.0)).expect("a room");
    let many = Scene::Uniform.generate(40_000, 1);
    expect_answer_or_error("a room", LARGE_LIST, || room.enclosures(&many));
}

#[test]
fn requests_of_readers_may_be_refused() {
    use obbligato_files::{read_scene, write_rows, write_scene};

    // More than the readers' buffers, which have a fixed size.
    const LARGE_FILE: usize = (1 << 20) + 1;

    let _alone = alone();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let boxes = Scene::Uniform.generate(300_000, 1);
    let npy = folder.path().join("scene.npy");
    write_scene(&npy, &boxes).expect("a file");
    expect_answer_or_error("an NPY file", LARGE_FILE, || read_scene(&npy, None));
    let (_, bytes) = requested_a_box(boxes.len(), || read_scene(&npy, None));
    // The boxes, and a buffer for each thread.
    assert!(bytes < 60.0, "{bytes} bytes a box to read an NPY file");
    let csv = folder.path().join("scene.csv");
    // Ids and frames that are not ascending must be remembered.
    let rows = (0..300_000u32).map(|i| {
        let id = i ^ 1;
        format!("{id},{},{},0,0,0,1,1,1,1,0,0,0,1\n", i % 2, i % 7)
    });
    let header = "id,static,owner,cx,cy,cz,hx,hy,hz,qw,qx,qy,qz,world\n";
    let text: String = std::iter::once(header.to_owned()).chain(rows).collect();
    std::fs::write(&csv, text).expect("a file");
    expect_answer_or_error("a CSV file", LARGE_FILE, || read_scene(&csv, None));
    let scene = read_scene(&csv, None).expect("a scene");
    let pairs: Vec<Pair> = (1..300_000).map(|b| Pair::new(b - 1, b)).collect();
    expect_answer_or_error("pairs of ids", LARGE_FILE, || scene.pairs_of_ids(&pairs));
    let adjacency = Adjacency::new(300_000, &pairs, Direction::Both).expect("memory");
    let out = folder.path().join("rows");
    expect_answer_or_error("rows", LARGE_FILE, || write_rows(&out, &adjacency));
}

/// The number of memory requests in ten calls, after a few calls that let lists grow: of the first
/// attempt with at most `most`, because the test harness may request memory meanwhile, or the
/// minimum of twenty.
fn requests_of_ten_calls(checker: &mut Checker, bodies: Bodies<'_>, most: usize) -> usize {
    let mut report = Report::default();
    for _ in 0..3 {
        checker.check_into(bodies, &mut report).expect("valid bodies");
    }
    let expected = report.clone();
    // The harness may start the thread of the next test at any time, and calls with few bodies take
    // less time than that.
    let mut least = usize::MAX;
    for attempt in 0..20 {
        LARGE.store(0, Relaxed);
        REFUSED.store(0, Relaxed);
        REQUESTS.store(0, Relaxed);
        for _ in 0..10 {
            checker.check_into(bodies, &mut report).expect("valid bodies");
        }
        LARGE.store(usize::MAX, Relaxed);
        least = least.min(REQUESTS.load(Relaxed));
        if least <= most {
            break;
        }
        std::thread::sleep(Duration::from_millis(attempt));
    }
    assert_eq!(report.pairs().ok(), expected.pairs().ok());
    assert_eq!(report.degrees().ok(), expected.degrees().ok());
    least
}

#[test]
fn calls_of_the_same_size_allocate_nothing() {
    let _alone = alone();
    for output in OUTPUTS {
        let of_boxes = [Scene::Uniform, Scene::Mixed, Scene::Bricks].map(BodyScene::from);
        let others = [BodyScene::Spheres, BodyScene::MixedKinds];
        for scene in of_boxes.into_iter().chain(others) {
            for count in [0, 1, 10, 128, 129, 1000, 5000, 100_000] {
                if count > 10_000 && scene == Scene::Bricks.into() {
                    // Too many pairs to hold twice.
                    continue;
                }
                let owned = scene.bodies(count, 1);
                let mut checker = cpu(Config {
                    output,
                    list_touching: count < 100_000,
                    ..Config::default()
                });
                let what = format!("{scene}, {count} bodies, {output:?}");
                // Rayon's queues occasionally allocate a block if work comes from a thread outside
                // the pool.
                let most = if count > 4096 { 10 } else { 0 };
                let requests = requests_of_ten_calls(&mut checker, owned.all(), most);
                assert!(requests <= most, "{what}: {requests} requests");
            }
        }
    }
}

#[test]
fn calls_from_a_thread_of_a_pool_allocate_nothing() {
    let _alone = alone();
    let boxes = Scene::Uniform.generate(100_000, 1);
    for threads in [1, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let requests = pool.expect("threads").install(|| {
            let mut checker = cpu(Config::default());
            requests_of_ten_calls(&mut checker, boxes[..].into(), 0)
        });
        assert_eq!(requests, 0, "{threads} threads");
    }
}

// Threads of the pool that help with another test would have as little memory left.
#[test]
fn a_check_that_cannot_fit_does_not_start() {
    let _alone = alone();
    let boxes = Scene::Uniform.generate(1_000_000, 1);
    let mut checker = cpu(Config::default());
    let refused = with_only(100 << 20, || checker.check(&boxes)).map(|report| report.colliding_pairs);
    assert!(matches!(refused, Err(Error::OutOfMemory { .. })), "{refused:?}");
    let needed = checker.memory_estimate(boxes.len(), 0).host_bytes;
    let report = with_only(needed + MARGIN, || checker.check(&boxes)).expect("enough");
    // Memory that the checker already holds is not requested again.
    let again = with_only(STRIDE + MARGIN, || checker.check(&boxes[..900_000])).expect("enough");
    assert!(report.colliding_pairs > again.colliding_pairs);
}

#[test]
fn a_matrix_that_cannot_fit_is_an_error() {
    let _alone = alone();
    let [many, apart] = [0.0, 5.0].map(|x| vec![Obb::axis_aligned(Vec3::X * x, Vec3::ONE); 3_000]);
    let mut checker = cpu(Config::default());
    let refused = with_only(32 << 20, || checker.check(OverlapMatrix::between(&many, &apart)));
    assert!(matches!(refused, Err(Error::OutOfMemory { .. })));
}
