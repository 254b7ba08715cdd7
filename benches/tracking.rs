//! Frames of moving boxes: tracked, and checked from scratch.
//!
//! ```text
//! cargo bench --bench tracking -- [BOXES [FRAMES]]
//! ```
//!
//! Every box of the scene `uniform` moves in its own random direction, by a fraction of its largest
//! extent per frame; every third rotates as fast as its corners move. Each frame's pairs are
//! compared with those of a fresh check. Times are those of the CPU backend, the mean and the
//! minimum over all frames. Then bodies of each kind with every `Coherence`, 20,000 at most.
//! `RAYON_NUM_THREADS` sets the threads. The ratio is that of the processor time of all threads
//! together, if the system reports it (Linux): on a busy machine wall-clock times are unreliable.

use std::time::Instant;

use obbligato::glam::{Quat, Vec3};
use obbligato::{
    Backend, Bodies, Capsule, Checker, Config, Obb, Report, Sphere,
    tracking::{Coherence, FoundBy, FrameWork, Tracker, TrackerConfig},
};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::scenes::Scene;

/// The distance that boxes move in a frame, as a fraction of their largest extents, and the
/// percentage of boxes that do.
const SPEEDS: [(f32, usize); 8] = [
    (0.0, 100),
    (0.01, 1),
    (0.001, 100),
    (0.005, 100),
    (0.01, 100),
    (0.03, 100),
    (0.1, 100),
    (0.5, 100),
];

fn main() {
    // `cargo test --benches` only checks that this runs.
    let timed = std::env::args().any(|argument| argument == "--bench");
    let numbers: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let count = numbers
        .first()
        .copied()
        .unwrap_or(if timed { 1_000_000 } else { 2_000 });
    let frames = numbers.get(1).copied().unwrap_or(if timed { 100 } else { 5 });
    println!("{count} boxes of uniform, {frames} frames; milliseconds per frame, mean (least)");
    println!(
        "moving  a frame       fresh            tracked      ratio  afresh  sorted (least)  watched/box  tested/box  events/frame"
    );
    for (speed, moving) in SPEEDS {
        measure(count, frames, speed, moving, Coherence::Auto);
    }
    let few = count.min(10_000);
    for coherence in [Coherence::Auto, Coherence::Fattened, Coherence::SweepLists] {
        println!("{few} boxes, {coherence:?}");
        measure(few, frames, 0.01, 100, coherence);
    }
    println!(
        "{} bodies, milliseconds per frame (frames checked afresh)",
        count.min(20_000)
    );
    println!("{:<22} a frame         none     fattened         auto", "kind");
    for kind in ["boxes", "capsules", "balls", "capsules among walls"] {
        for speed in [0.002, 0.01, 0.03, 0.1] {
            measure_kind(kind, count.min(20_000), frames, speed);
        }
    }
}

fn checker() -> Checker {
    let config = Config {
        backend: Backend::Cpu,
        ..Config::default()
    };
    Checker::new(config).expect("a valid configuration")
}

fn tracker(coherence: Coherence) -> Tracker {
    let config = TrackerConfig {
        coherence,
        ..TrackerConfig::default()
    };
    Tracker::new(checker(), config)
}

/// This many bodies of a kind, of sizes 1 to 1.6, each of which moves by `speed` in a frame, with
/// each coherence.
fn measure_kind(kind: &str, count: usize, frames: usize, speed: f32) {
    print!("{kind:<22} {speed:>7}");
    for coherence in [Coherence::None, Coherence::Fattened, Coherence::Auto] {
        let mut random = SplitMix(3);
        let side = 0.5 * (8.0 * count as f64).cbrt();
        let mut vector = |size: f64| Vec3::from([0; 3].map(|_| ((2.0 * random.unit() - 1.0) * size) as f32));
        let (boxes, capsules, balls) = match kind {
            "boxes" => (count, 0, 0),
            "capsules" => (0, count, 0),
            "balls" => (0, 0, count),
            _ => (count / 100, count, 0),
        };
        let half = if capsules > 0 {
            Vec3::new(8.0, 0.2, 3.0)
        } else {
            Vec3::splat(0.5)
        };
        let mut boxes: Vec<Obb> = (0..boxes)
            .map(|_| Obb::new(vector(side), half, Quat::from_scaled_axis(vector(3.0))))
            .collect();
        let mut capsules: Vec<Capsule> = (0..capsules)
            .map(|_| Capsule::new(vector(side), 0.5, Quat::from_scaled_axis(vector(3.0)), 0.3))
            .collect();
        let mut balls: Vec<Sphere> = (0..balls).map(|_| Sphere::new(vector(side), 0.5)).collect();
        let steps: Vec<Vec3> = (0..count).map(|_| vector(1.0).normalize_or(Vec3::X) * speed).collect();
        let mut tracker = tracker(coherence);
        let (mut time, mut afresh) = (0.0, 0);
        for frame in 0..frames + 2 {
            // Walls are at rest.
            if capsules.is_empty() {
                boxes.iter_mut().zip(&steps).for_each(|(obb, step)| obb.center += *step);
            }
            for (capsule, step) in capsules.iter_mut().zip(&steps) {
                capsule.center += *step;
                capsule.rotation = (Quat::from_scaled_axis(*step) * capsule.rotation).normalize();
            }
            balls
                .iter_mut()
                .zip(&steps)
                .for_each(|(ball, step)| ball.center += *step);
            let bodies = Bodies {
                boxes: &boxes,
                capsules: &capsules,
                spheres: &balls,
            };
            let start = Instant::now();
            let work = tracker.update_by_position(bodies).expect("valid bodies").work;
            if frame >= 2 {
                time += 1e3 * start.elapsed().as_secs_f64();
                afresh += usize::from(work.found_by == FoundBy::FreshCheck);
            }
        }
        print!("  {:>6.2} ({afresh:>3})", time / frames as f64);
    }
    println!();
}

/// Milliseconds of processor time of all threads of this process, if the system reports it.
fn processor_ms() -> Option<f64> {
    let tasks = std::fs::read_dir("/proc/self/task").ok()?;
    let of_task = |task: std::io::Result<std::fs::DirEntry>| {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    };
    Some(tasks.filter_map(of_task).sum::<f64>() * 1e-6)
}

/// The motion of a box in a frame.
struct Way {
    step: Vec3,
    turn: Quat,
}

fn ways(boxes: &[Obb], speed: f32, moving: usize) -> Vec<Way> {
    let mut random = SplitMix(7);
    let mut number = || random.unit() as f32 - 0.5;
    let mut direction = || Vec3::new(number(), number(), number()).normalize_or(Vec3::X);
    let way = |(k, obb): (usize, &Obb)| {
        let (along, about) = (direction(), direction());
        let step = match k % 100 < moving {
            true => 2.0 * obb.half_extents.max_element() * speed,
            false => 0.0,
        };
        let turn = if k % 3 == 0 {
            step / obb.half_extents.length()
        } else {
            0.0
        };
        Way {
            step: along * step,
            turn: Quat::from_axis_angle(about, turn),
        }
    };
    boxes.iter().enumerate().map(way).collect()
}

fn measure(count: usize, frames: usize, speed: f32, moving: usize, coherence: Coherence) {
    let mut boxes = Scene::Uniform.generate(count, 1);
    let ways = ways(&boxes, speed, moving);
    let (mut fresh, mut tracker) = (checker(), tracker(coherence));
    let mut report = Report::default();
    let (mut times, mut works, mut events) = ([Vec::new(), Vec::new()], Vec::new(), 0);
    let mut processor = [0.0; 2];
    // Two frames first, to allocate memory and to detect motion.
    for frame in 0..frames + 2 {
        for (obb, way) in boxes.iter_mut().zip(&ways) {
            obb.center += way.step;
            if way.turn != Quat::IDENTITY {
                obb.rotation = (way.turn * obb.rotation).normalize();
            }
        }
        let busy = processor_ms();
        let start = Instant::now();
        fresh.check_into(&boxes, &mut report).expect("valid boxes");
        let checked = Instant::now();
        let busy_checked = processor_ms();
        let begun = Instant::now();
        let tracked = tracker.update_by_position(&boxes).expect("valid boxes");
        let done = Instant::now();
        let busy_done = processor_ms();
        assert_eq!(tracked.pairs, report.pairs().expect("asked for"), "frame {frame}");
        if frame >= 2 {
            times[0].push(1e3 * (checked - start).as_secs_f64());
            times[1].push(1e3 * (done - begun).as_secs_f64());
            if let (Some(first), Some(middle), Some(last)) = (busy, busy_checked, busy_done) {
                processor = [processor[0] + middle - first, processor[1] + last - middle];
            }
            works.push(tracked.work);
            events += tracked.events.len();
        }
    }
    let measured = Measured {
        times,
        processor,
        works,
        events,
    };
    measured.print(count, frames, speed, moving);
}

/// The measurements of all frames.
struct Measured {
    /// Milliseconds of each fresh check, and of each tracked frame.
    times: [Vec<f64>; 2],
    /// Milliseconds of processor time of all of them.
    processor: [f64; 2],
    works: Vec<FrameWork>,
    events: usize,
}

impl Measured {
    fn print(&self, count: usize, frames: usize, speed: f32, moving: usize) {
        let Self {
            times,
            processor,
            works,
            events,
        } = self;
        let mean = |times: &Vec<f64>| times.iter().sum::<f64>() / times.len() as f64;
        let sorted: Vec<f64> = works
            .iter()
            .zip(&times[1])
            .filter(|(work, _)| work.rebuilt)
            .map(|(_, time)| *time)
            .collect();
        let least = |times: &Vec<f64>| times.iter().copied().fold(f64::INFINITY, f64::min);
        let total = |of: fn(&FrameWork) -> usize| works.iter().map(of).sum::<usize>();
        let a_box = |of| total(of) as f64 / (count * frames) as f64;
        println!(
            "{moving:>4} %  {:>6.1} %  {:>7.2} ({:>7.2})  {:>7.2} ({:>7.2})  {:>5.2}  {:>6}  {:>3} ({:>6.1})  {:>11.3}  {:>10.4}  {:>12}",
            100.0 * speed,
            mean(&times[0]),
            least(&times[0]),
            mean(&times[1]),
            least(&times[1]),
            match processor[1] > 0.0 {
                true => processor[0] / processor[1],
                false => mean(&times[0]) / mean(&times[1]),
            },
            total(|work| usize::from(work.found_by == FoundBy::FreshCheck)),
            sorted.len(),
            least(&sorted),
            a_box(|work| work.watched),
            a_box(|work| work.tested),
            events / frames,
        );
    }
}
