//! Scenes in the plane compared with a cell list that is written for one of them.
//!
//! ```text
//! cargo bench --bench plane -- [--count N]
//! ```
//!
//! The cell list is what a program about discs, or about rectangles, would do by hand: one level of
//! square cells as wide as the largest body, a counting sort of records, a walk over half of the
//! neighbours, and the test in `f32`, without regard to rounding. Its pairs are not sorted; "and
//! sorted" adds a sort by the position of the first body, as our results are. One thread, and then
//! all threads of ours; milliseconds, the best of rounds that alternate between all of them.

mod common {
    pub mod arguments;
    pub mod turns;
}

use std::hint::black_box;

use common::turns::least_in_turn;
use obbligato::glam::Vec2;
use obbligato::shape::yaw;
use obbligato::{Backend, Bodies, Checker, Config, Obb, Pair, Query, Sphere};
use obbligato_support::count::parse_count;
use obbligato_support::split_mix::SplitMix;

const ROUNDS: usize = 7;

fn main() -> Result<(), String> {
    let (count, rounds) = common::arguments::read(|arguments| {
        let default = if arguments.timed { 1_000_000 } else { 2_000 };
        let count = arguments.value("--count", parse_count)?.unwrap_or(default);
        Ok((count, if arguments.timed { ROUNDS } else { 1 }))
    })?;
    println!(
        "{:<12} {:>10} {:>10} {:>10} {:>10} {:>7} {:>10} {:>10}",
        "", "cell list", "and sorted", "one thread", "all", "ratio", "its pairs", "ours"
    );
    let discs = discs(count);
    row("discs", Bodies::from(&discs), rounds, || {
        cell_list(&discs.iter().map(Disc::of).collect::<Vec<_>>())
    })?;
    let boxes = rectangles(count);
    row("rectangles", Bodies::from(&boxes), rounds, || {
        cell_list(&boxes.iter().map(Rectangle::of).collect::<Vec<_>>())
    })
}

fn row(name: &str, bodies: Bodies<'_>, rounds: usize, list: impl Fn() -> Vec<Pair>) -> Result<(), String> {
    let config = Config {
        backend: Backend::Cpu,
        ..Config::default()
    };
    let mut checkers = [Checker::new(config.clone()), Checker::new(config)];
    let mut found = [0; 2];
    let [mut its, mut sorted] = [Vec::new(), Vec::new()];
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let one = one.map_err(|error| error.to_string())?;
    let [alone, all] = &mut checkers;
    let check = |checker: &mut obbligato::Result<Checker>| {
        let checker = checker.as_mut().map_err(|error| error.to_string())?;
        let report = checker.check(Query::from(bodies).in_plane());
        report
            .map(|report| report.colliding_pairs)
            .map_err(|error| error.to_string())
    };
    let mut results = [Ok(0), Ok(0)];
    let [first, second] = &mut results;
    let times = least_in_turn(
        rounds,
        [
            &mut || its = list(),
            &mut || {
                sorted = list();
                sorted.sort_unstable();
            },
            &mut || *first = one.install(|| check(alone)),
            &mut || *second = check(all),
        ],
    );
    black_box(&sorted);
    let [alone, all] = results;
    found[0] = its.len() as u64;
    found[1] = alone?;
    all?;
    let [list, with_sort, alone, all] = times.map(|time| time * 1e3);
    println!(
        "{name:<12} {list:>10.1} {with_sort:>10.1} {alone:>10.1} {all:>10.1} {:>7.2} {:>10} {:>10}",
        alone / with_sort,
        found[0],
        found[1]
    );
    Ok(())
}

/// The side of a square in which bodies cover about half of the area.
fn side(count: usize) -> f64 {
    1.4 * (count as f64).sqrt()
}

fn place(random: &mut SplitMix, count: usize) -> Vec2 {
    let size = side(count);
    Vec2::new((random.unit() * size) as f32, (random.unit() * size) as f32)
}

/// Discs whose radii are as 1 to 5.
fn discs(count: usize) -> Vec<Sphere> {
    let mut random = SplitMix(1);
    let disc = |_| {
        let center = place(&mut random, count);
        Sphere::new(center.extend(0.0), (0.2 + 0.8 * random.unit()) as f32)
    };
    (0..count).map(disc).collect()
}

fn rectangles(count: usize) -> Vec<Obb> {
    let mut random = SplitMix(2);
    let rectangle = |_| {
        let center = place(&mut random, count);
        let half = Vec2::new((0.2 + 0.8 * random.unit()) as f32, (0.2 + 0.4 * random.unit()) as f32);
        Obb::in_plane(center, half, yaw(6.0 * random.unit()))
    };
    (0..count).map(rectangle).collect()
}

/// A record of a cell list.
trait Figure: Copy + Default {
    fn center(&self) -> Vec2;
    /// The half extents of its bounds.
    fn reach(&self) -> Vec2;
    fn meets(&self, other: &Self) -> bool;
}

#[derive(Clone, Copy, Default)]
struct Disc {
    center: Vec2,
    radius: f32,
}

impl Disc {
    fn of(sphere: &Sphere) -> Self {
        Self {
            center: sphere.center.truncate(),
            radius: sphere.radius,
        }
    }
}

impl Figure for Disc {
    fn center(&self) -> Vec2 {
        self.center
    }

    fn reach(&self) -> Vec2 {
        Vec2::splat(self.radius)
    }

    #[inline(always)]
    fn meets(&self, other: &Self) -> bool {
        let reach = self.radius + other.radius;
        self.center.distance_squared(other.center) <= reach * reach
    }
}

#[derive(Clone, Copy, Default)]
struct Rectangle {
    center: Vec2,
    axis: Vec2,
    half: Vec2,
    reach: Vec2,
}

impl Rectangle {
    fn of(obb: &Obb) -> Self {
        let [.., z, w] = obb.rotation.to_array();
        let axis = Vec2::new(w * w - z * z, 2.0 * z * w);
        let half = obb.half_extents.truncate();
        Self {
            center: obb.center.truncate(),
            axis,
            half,
            reach: axis.abs() * half.x + axis.perp().abs() * half.y,
        }
    }

    #[inline(always)]
    fn is_apart(&self, other: &Self, apart: Vec2) -> bool {
        let [cosine, sine] = [self.axis.dot(other.axis).abs(), self.axis.perp_dot(other.axis).abs()];
        let along = [apart.dot(self.axis).abs(), self.axis.perp_dot(apart).abs()];
        along[0] > self.half.x + other.half.x * cosine + other.half.y * sine
            || along[1] > self.half.y + other.half.x * sine + other.half.y * cosine
    }
}

impl Figure for Rectangle {
    fn center(&self) -> Vec2 {
        self.center
    }

    fn reach(&self) -> Vec2 {
        self.reach
    }

    #[inline(always)]
    fn meets(&self, other: &Self) -> bool {
        let apart = other.center - self.center;
        let reach = self.reach + other.reach;
        apart.x.abs() <= reach.x
            && apart.y.abs() <= reach.y
            && !self.is_apart(other, apart)
            && !other.is_apart(self, apart)
    }
}

/// Returns the pairs of figures that meet.
fn cell_list<F: Figure>(figures: &[F]) -> Vec<Pair> {
    let (mut low, mut high, mut largest) = (Vec2::INFINITY, Vec2::NEG_INFINITY, 0f32);
    for figure in figures {
        (low, high) = (low.min(figure.center()), high.max(figure.center()));
        largest = largest.max(figure.reach().max_element());
    }
    let inverse = 1.0 / (2.0 * largest);
    let counts = ((high - low) * inverse).as_uvec2() + 1;
    // One cell more at the end of each row, which stays empty.
    let (width, cells) = (
        counts.x as usize + 1,
        (counts.x as usize + 1) * (counts.y as usize + 1) + 1,
    );
    let cell_of = |center: Vec2| {
        let cell = ((center - low) * inverse).as_uvec2();
        cell.y as usize * width + cell.x as usize
    };
    let mut starts = vec![0u32; cells + 1];
    for figure in figures {
        starts[cell_of(figure.center()) + 1] += 1;
    }
    for cell in 0..cells {
        starts[cell + 1] += starts[cell];
    }
    let mut next = starts.clone();
    let mut sorted = vec![(F::default(), 0u32); figures.len()];
    for (id, figure) in (0..).zip(figures) {
        let place = &mut next[cell_of(figure.center())];
        sorted[*place as usize] = (*figure, id);
        *place += 1;
    }
    let mut pairs = Vec::new();
    for cell in 0..width * counts.y as usize {
        for k in starts[cell]..starts[cell + 1] {
            let (figure, id) = sorted[k as usize];
            let below = cell + width;
            // The rest of its cell and the next one; three cells of the next row.
            let runs = [
                (k + 1, starts[cell + 2]),
                (
                    starts[below - usize::from(cell % width > 0)],
                    starts[(below + 2).min(cells)],
                ),
            ];
            for (from, to) in runs {
                for (other, partner) in &sorted[from as usize..to as usize] {
                    if figure.meets(other) {
                        pairs.push(Pair::new(id, *partner));
                    }
                }
            }
        }
    }
    pairs
}
