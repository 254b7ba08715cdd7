//! Bounds and broad phase compared with a plain grid, and with a bound of what they must cost.
//!
//! ```text
//! cargo bench --bench plain_grid -- [SCENE]... [--count N]
//! ```
//!
//! The plain grid is the minimum that a uniform grid needs: records of 32 bytes in one level, a
//! counting sort in two steps, and a walk that compares the bounds of one record with another. It
//! has no levels, margins, rules or worlds, and it counts pairs instead of passing them on. Of
//! several sizes of cells the fastest counts.
//!
//! "limit" is the time of the plain grid's passes over memory, and of its walk in a scene so small
//! that it stays in the cache, for the comparisons of the whole scene. "ratio" is our time relative
//! to the plain grid's, and to the limit. One thread; milliseconds, the minimum of rounds that
//! alternate between the two. Without arguments: 1,000,000 boxes of the scenes with one size.

mod common {
    pub mod arguments;
    pub mod threads;
}

use std::hint::black_box;
use std::time::Instant;

use obbligato::glam::{Mat3, UVec3, Vec3};
use obbligato::report::Stage;
use obbligato::{Backend, Checker, Config, Obb, Report};
use obbligato_support::count::parse_count;
use obbligato_verify::scenes::Scene;
use wide::f32x4;

const SEED: u64 = 1;
const ROUNDS: usize = 8;
/// The sizes of cells, relative to the largest extent of a box.
const CELLS: [f32; 4] = [0.5, 0.7, 1.0, 1.4];
/// The number of boxes that stay in the cache: 16 KiB of records.
const SMALL: usize = 512;
/// The number of slots of a bucket has at least this many bits.
const BUCKET_BITS: u32 = 11;
const MOST_BUCKETS: usize = 1000;

fn main() -> Result<(), String> {
    let (scenes, count, rounds) = common::arguments::read(|arguments| {
        let default = if arguments.timed { 1_000_000 } else { 2_000 };
        let count = arguments.value("--count", parse_count)?.unwrap_or(default);
        let scenes = arguments.words.drain(..).map(|word| word.parse::<Scene>());
        let scenes = scenes
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| error.to_string())?;
        Ok((scenes, count, if arguments.timed { ROUNDS } else { 1 }))
    })?;
    let scenes = match scenes.is_empty() {
        true => vec![
            Scene::Uniform,
            Scene::Dense,
            Scene::Crowd,
            Scene::Sticks,
            Scene::Bricks,
            Scene::Particles,
        ],
        false => scenes,
    };
    common::threads::use_threads(1)?;
    println!(
        "{:<10} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} | {:>7} {:>7} {:>7} | {:>7} {:>7} | {:>12} {:>12}",
        "",
        "bounds",
        "split",
        "sort",
        "walk",
        "plain",
        "limit",
        "bounds",
        "broad",
        "ours",
        "plain",
        "limit",
        "plain pairs",
        "ours"
    );
    for scene in scenes {
        row(scene, count, rounds)?;
    }
    Ok(())
}

fn row(scene: Scene, count: usize, rounds: usize) -> Result<(), String> {
    let boxes = scene.generate(count, SEED);
    let config = Config {
        backend: Backend::Cpu,
        ..Config::default()
    };
    let mut checker = Checker::new(config).map_err(|error| error.to_string())?;
    let mut grid = PlainGrid::default();
    let (mut best, mut ours) = (Times::default(), [f64::INFINITY; 2]);
    let mut candidates = 0;
    for round in 0..rounds {
        for cell in CELLS {
            let times = grid.run(&boxes, cell);
            if round == 0 && cell == CELLS[0] || times.total() < best.total() {
                best = times;
            }
        }
        let report = checker.check(&boxes).map_err(|error| error.to_string())?;
        let of = |stage| report_time(&report, stage);
        let times = [of(Stage::Bounds), of(Stage::Broad)];
        if times[0] + times[1] < ours[0] + ours[1] {
            ours = times;
        }
        candidates = report.candidate_pairs;
    }
    let limit = best.bounds + best.split + best.sort + best.comparisons as f64 * cached(scene, rounds);
    let sum = ours[0] + ours[1];
    println!(
        "{:<10} {:>7.1} {:>7.1} {:>7.1} {:>7.1} {:>7.1} {:>7.1} | {:>7.1} {:>7.1} {:>7.1} | {:>7.2} {:>7.2} | {:>12} {:>12}",
        scene.name(),
        best.bounds,
        best.split,
        best.sort,
        best.walk,
        best.total(),
        limit,
        ours[0],
        ours[1],
        sum,
        sum / best.total(),
        sum / limit,
        best.pairs,
        candidates
    );
    Ok(())
}

fn report_time(report: &Report, stage: Stage) -> f64 {
    report.timings.wall_of(stage).unwrap_or_default()
}

/// Returns the milliseconds of the walk for one comparison, in a scene that stays in the cache.
fn cached(scene: Scene, rounds: usize) -> f64 {
    let boxes = scene.generate(SMALL, SEED);
    let mut grid = PlainGrid::default();
    let runs = (0..rounds * 50).flat_map(|_| CELLS).map(|cell| grid.run(&boxes, cell));
    let of_one = runs
        .filter(|times| times.comparisons > 0)
        .map(|times| times.walk / times.comparisons as f64);
    of_one.fold(f64::INFINITY, f64::min)
}

/// Milliseconds of the stages, and the number of comparisons and pairs.
#[derive(Clone, Copy, Default)]
struct Times {
    bounds: f64,
    split: f64,
    sort: f64,
    walk: f64,
    comparisons: u64,
    pairs: u64,
}

impl Times {
    fn total(&self) -> f64 {
        self.bounds + self.split + self.sort + self.walk
    }
}

/// The bounds of a box. The fourth number of `low` is the slot, and that of `high` the index, both
/// as bits.
#[derive(Clone, Copy, Default)]
#[repr(C, align(32))]
struct Record {
    low: [f32; 4],
    high: [f32; 4],
}

impl Record {
    fn slot(&self) -> usize {
        self.low[3].to_bits() as usize
    }

    fn low(&self) -> Vec3 {
        Vec3::from_slice(&self.low)
    }

    fn high(&self) -> Vec3 {
        Vec3::from_slice(&self.high)
    }
}

/// The memory of the plain grid, which is kept from run to run.
#[derive(Default)]
struct PlainGrid {
    records: Vec<Record>,
    split: Vec<Record>,
    sorted: Vec<Record>,
    starts: Vec<u32>,
}

/// The cells: the lowest corner, cells per unit of length, the number of cells along each axis, and
/// the largest extent of a box.
struct Cells {
    low: Vec3,
    inverse: f32,
    counts: UVec3,
    largest: f32,
}

impl Cells {
    fn of(&self, point: Vec3) -> UVec3 {
        ((point - self.low) * self.inverse).max(Vec3::ZERO).as_uvec3()
    }

    fn row(&self, y: u32, z: u32) -> usize {
        (z as usize * self.counts.y as usize + y as usize) * self.counts.x as usize
    }
}

impl PlainGrid {
    /// Counts the pairs of boxes whose bounds meet, with cells of `cell` times the largest extent.
    fn run(&mut self, boxes: &[Obb], cell: f32) -> Times {
        let mut clock = Clock(Instant::now());
        let cells = self.place(boxes, cell);
        let bounds = clock.milliseconds();
        let slots = cells.counts.as_usizevec3().element_product();
        let mut bits = BUCKET_BITS;
        while slots >> bits > MOST_BUCKETS {
            bits += 1;
        }
        let firsts = self.split_by_bucket((slots >> bits) + 1, bits);
        let split = clock.milliseconds();
        self.sort_buckets(&firsts, bits);
        let sort = clock.milliseconds();
        let (comparisons, pairs) = self.walk(&cells);
        Times {
            bounds,
            split,
            sort,
            walk: clock.milliseconds(),
            comparisons,
            pairs: black_box(pairs),
        }
    }

    /// Computes the bounds of the boxes, and their slots.
    fn place(&mut self, boxes: &[Obb], cell: f32) -> Cells {
        self.records.resize(boxes.len(), Record::default());
        self.split.resize(boxes.len(), Record::default());
        self.sorted.resize(boxes.len(), Record::default());
        let (mut low, mut high, mut largest) = (Vec3::INFINITY, Vec3::NEG_INFINITY, Vec3::ZERO);
        for (index, (record, obb)) in self.records.iter_mut().zip(boxes).enumerate() {
            let axes = Mat3::from_quat(obb.rotation);
            let half = obb.half_extents;
            let extent = axes.x_axis.abs() * half.x + axes.y_axis.abs() * half.y + axes.z_axis.abs() * half.z;
            let (from, to) = (obb.center - extent, obb.center + extent);
            record.low = from.extend(0.0).to_array();
            record.high = to.extend(f32::from_bits(index as u32)).to_array();
            (low, high, largest) = (low.min(from), high.max(from), largest.max(2.0 * extent));
        }
        let largest = largest.max_element();
        let inverse = 1.0 / (cell * largest);
        let counts = ((high - low) * inverse).as_uvec3() + 1;
        let cells = Cells {
            low,
            inverse,
            counts,
            largest,
        };
        for record in &mut self.records {
            let place = cells.of(record.low());
            record.low[3] = f32::from_bits(cells.row(place.y, place.z) as u32 + place.x);
        }
        cells
    }

    /// Sorts the records by bucket, and returns the first record of each.
    fn split_by_bucket(&mut self, buckets: usize, bits: u32) -> Vec<u32> {
        let mut firsts = vec![0; buckets + 1];
        for record in &self.records {
            firsts[(record.slot() >> bits) + 1] += 1;
        }
        (0..buckets).for_each(|k| firsts[k + 1] += firsts[k]);
        let mut next = firsts.clone();
        for record in &self.records {
            let next = &mut next[record.slot() >> bits];
            self.split[*next as usize] = *record;
            *next += 1;
        }
        firsts
    }

    /// Sorts the records of each bucket by slot.
    fn sort_buckets(&mut self, firsts: &[u32], bits: u32) {
        let width = 1 << bits;
        self.starts.resize((firsts.len() - 1) * width + 1, 0);
        for (ends, starts) in firsts.windows(2).zip(self.starts.chunks_exact_mut(width)) {
            let records = &self.split[ends[0] as usize..ends[1] as usize];
            starts.fill(0);
            for record in records {
                starts[record.slot() & (width - 1)] += 1;
            }
            // The counts become the ends of the runs, and placing records backwards their starts.
            let mut end = ends[0];
            for start in starts.iter_mut() {
                end += *start;
                *start = end;
            }
            for record in records.iter().rev() {
                let start = &mut starts[record.slot() & (width - 1)];
                *start -= 1;
                self.sorted[*start as usize] = *record;
            }
        }
        let last = self.starts.len() - 1;
        self.starts[last] = self.sorted.len() as u32;
    }

    /// Compares each record with those after it in its cell, and with those of the cells after its
    /// own that its bounds reach. Returns the number of comparisons and of pairs.
    fn walk(&self, cells: &Cells) -> (u64, u64) {
        let (mut comparisons, mut pairs) = (0, 0);
        for (index, record) in self.sorted.iter().enumerate() {
            let (own, to) = (cells.of(record.low()), cells.of(record.high()).min(cells.counts - 1));
            let from = cells.of(record.low() - cells.largest);
            let [low, high] = [record.low, record.high].map(f32x4::from);
            for z in own.z..=to.z {
                let first_row = if z == own.z { own.y } else { from.y };
                for y in first_row..=to.y {
                    let row = cells.row(y, z);
                    let start = match (y, z) == (own.y, own.z) {
                        true => index + 1,
                        false => self.starts[row + from.x as usize] as usize,
                    };
                    let others = &self.sorted[start..self.starts[row + to.x as usize + 1] as usize];
                    comparisons += others.len() as u64;
                    for other in others {
                        let meet = low.simd_le(f32x4::from(other.high)) & f32x4::from(other.low).simd_le(high);
                        pairs += u64::from(meet.to_bitmask() & 7 == 7);
                    }
                }
            }
        }
        (comparisons, pairs)
    }
}

struct Clock(Instant);

impl Clock {
    /// Returns the milliseconds since the last call.
    fn milliseconds(&mut self) -> f64 {
        let now = Instant::now();
        let past = now - self.0;
        self.0 = now;
        past.as_secs_f64() * 1e3
    }
}
