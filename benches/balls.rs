//! Frames of moving balls compared with a cell list that is written for them.
//!
//! ```text
//! cargo bench --bench balls -- [--count N] [--frames N]
//! ```
//!
//! The radii are as 1 to 5, and the balls fill three tenths of a cube. The cell list is what a
//! program about particles would do by hand: one level of cells as wide as the largest ball, a
//! counting sort of records, a walk over half of the neighbours in rows of cells, and the test in
//! `f32`, without regard to rounding. Its pairs are not sorted; "and sorted" adds a sort, because
//! our results have an order. One thread, then all threads of ours; milliseconds per frame, the
//! mean and the least, where each frame runs all of them. A ball moves by a fraction of the mean
//! diameter in a frame.

mod common {
    pub mod arguments;
}

use std::hint::black_box;
use std::time::Instant;

use common::arguments;
use obbligato::glam::Vec3;
use obbligato::tracking::{Tracker, TrackerConfig};
use obbligato::{Backend, Checker, Config, Pair, Report, Sphere};
use obbligato_support::count::parse_count;
use obbligato_support::split_mix::SplitMix;

/// The distances that balls move in a frame, as fractions of the mean diameter.
const SPEEDS: [f32; 3] = [0.001, 0.01, 0.1];

const DIAMETER: f32 = 1.2;

/// The columns: each is timed in each frame.
const NAMES: [&str; 6] = [
    "cell list",
    "and sorted",
    "check",
    "tracker",
    "check, all",
    "tracker, all",
];

fn main() -> Result<(), String> {
    let (count, frames) = arguments::read(|arguments| {
        let (count, frames) = if arguments.timed { (1_000_000, 20) } else { (2_000, 2) };
        Ok((
            arguments.value("--count", parse_count)?.unwrap_or(count),
            arguments.value("--frames", parse_count)?.unwrap_or(frames).max(1),
        ))
    })?;
    println!("{count} balls, {frames} frames; milliseconds per frame, mean (least)");
    print!("{:>6}", "moving");
    for name in NAMES {
        print!(" {name:>16}");
    }
    println!(" {:>11} {:>11}", "its pairs", "ours");
    for speed in SPEEDS {
        measure(count, frames, speed).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn measure(count: usize, frames: usize, speed: f32) -> Result<(), Box<dyn std::error::Error>> {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut random = SplitMix(1);
    let mut balls = balls(count, &mut random);
    let mut direction = |_| Vec3::from([0; 3].map(|_| random.unit() as f32 - 0.5)).normalize_or(Vec3::X);
    let steps: Vec<Vec3> = (0..count).map(|k| direction(k) * speed * DIAMETER).collect();
    let [mut alone, mut all] = [checker()?, checker()?];
    let [mut tracker, mut tracker_of_all] = [tracker()?, tracker()?];
    let [mut report, mut report_of_all] = [Report::default(), Report::default()];
    let mut times = [const { Vec::new() }; NAMES.len()];
    let mut found = [0; 2];
    // Two frames first, to allocate memory and to detect motion.
    for frame in 0..frames + 2 {
        for (ball, step) in balls.iter_mut().zip(&steps) {
            ball.center += *step;
        }
        let start = Instant::now();
        let mut list = cell_list(&balls);
        let mut seconds = [start.elapsed().as_secs_f64(); NAMES.len()];
        list.sort_unstable();
        seconds[1] = start.elapsed().as_secs_f64();
        black_box(&list);
        let start = Instant::now();
        one.install(|| alone.check_into(&balls, &mut report))?;
        seconds[2] = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let tracked = one.install(|| tracker.update_by_position(&balls))?;
        seconds[3] = start.elapsed().as_secs_f64();
        assert_eq!(tracked.pairs, report.pairs()?, "frame {frame}");
        let start = Instant::now();
        all.check_into(&balls, &mut report_of_all)?;
        seconds[4] = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let tracked = tracker_of_all.update_by_position(&balls)?;
        seconds[5] = start.elapsed().as_secs_f64();
        assert_eq!(tracked.pairs, report_of_all.pairs()?, "frame {frame}");
        found = [list.len(), tracked.pairs.len()];
        if frame >= 2 {
            times.iter_mut().zip(seconds).for_each(|(times, time)| times.push(time));
        }
    }
    print!("{speed:>6}");
    for times in times {
        let mean = 1e3 * times.iter().sum::<f64>() / times.len() as f64;
        let least = 1e3 * times.iter().copied().fold(f64::INFINITY, f64::min);
        print!(" {:>16}", format!("{mean:.1} ({least:.1})"));
    }
    println!(" {:>11} {:>11}", found[0], found[1]);
    Ok(())
}

fn checker() -> obbligato::Result<Checker> {
    let config = Config {
        backend: Backend::Cpu,
        ..Config::default()
    };
    Checker::new(config)
}

fn tracker() -> obbligato::Result<Tracker> {
    Ok(Tracker::new(checker()?, TrackerConfig::default()))
}

fn balls(count: usize, random: &mut SplitMix) -> Vec<Sphere> {
    let side = 1.633 * (count as f64).cbrt();
    let mut ball = |_| {
        let center = [0; 3].map(|_| (random.unit() * side) as f32);
        Sphere::new(center.into(), (0.2 + 0.8 * random.unit()) as f32)
    };
    (0..count).map(&mut ball).collect()
}

/// Returns the pairs of balls that meet.
fn cell_list(balls: &[Sphere]) -> Vec<Pair> {
    let (mut low, mut high, mut largest) = (Vec3::INFINITY, Vec3::NEG_INFINITY, 0f32);
    for ball in balls {
        (low, high) = (low.min(ball.center), high.max(ball.center));
        largest = largest.max(ball.radius);
    }
    let inverse = 1.0 / (2.0 * largest);
    let counts = ((high - low) * inverse).as_uvec3() + 1;
    // A cell more at the end of each row and a row more at the end of each layer, which stay empty.
    let width = counts.x as usize + 1;
    let layer = width * (counts.y as usize + 1);
    let cells = layer * (counts.z as usize + 1) + 2;
    let cell_of = |center: Vec3| {
        let cell = ((center - low) * inverse).as_uvec3();
        cell.z as usize * layer + cell.y as usize * width + cell.x as usize
    };
    let mut starts = vec![0u32; cells + 1];
    for ball in balls {
        starts[cell_of(ball.center) + 1] += 1;
    }
    for cell in 0..cells {
        starts[cell + 1] += starts[cell];
    }
    let mut next = starts.clone();
    let mut sorted = vec![(Vec3::ZERO, 0f32, 0u32); balls.len()];
    for (id, ball) in (0..).zip(balls) {
        let place = &mut next[cell_of(ball.center)];
        sorted[*place as usize] = (ball.center, ball.radius, id);
        *place += 1;
    }
    let mut pairs = Vec::new();
    for cell in 0..layer * counts.z as usize {
        if starts[cell] == starts[cell + 1] {
            continue;
        }
        // The next row of the layer, and three rows of the next layer: three cells of each.
        let rows = [width, layer - width, layer, layer + width].map(|way| {
            let middle = cell + way;
            (starts[middle - 1], starts[middle + 2])
        });
        for k in starts[cell]..starts[cell + 1] {
            let (center, radius, id) = sorted[k as usize];
            // The rest of its cell and the next one, too.
            for (from, to) in std::iter::once((k + 1, starts[cell + 2])).chain(rows) {
                for (other, reach, partner) in &sorted[from as usize..to as usize] {
                    let reach = radius + reach;
                    if center.distance_squared(*other) <= reach * reach {
                        pairs.push(Pair::new(id, *partner));
                    }
                }
            }
        }
    }
    pairs
}
