//! A check in space that repeats on a device: what the host prepares and decides.
//!
//! The device has two searches, neither of which knows of the period:
//!
//! 1. *The bodies in their places*, as an open scene. If all are where they are given, and none can
//!    meet another in two images, this finds the pairs whose image is 0, to the last one.
//! 2. *Across the border*: the bodies on the surface of the cell, moved by their images, against
//!    the bodies that they reach. The pairs found are candidates, and the host decides each for its
//!    image without rounding, as in a check on the CPU.
//!
//! Otherwise the first search finds candidates too, and the host decides all.
//!
//! # Why no pair is lost
//!
//! [`cells`](super::cells) shows that each pair and image whose bounds overlap is among these. What
//! the device compares is rounded to `f32`: a center that is moved into its place, by at most `r`
//! along each axis, and one that is moved by an image, by at most `m`. So the vector between two
//! bodies is off by at most `sqrt(3) (2 r + m)`. The device looks for pairs within the margin and
//! [`slack`](Crossing::slack), which is more than that, conservatively: its test in `f32`, whose
//! error is bounded as ever, leaves no pair out that is as near.

use crate::base::clock::Instant;
use crate::base::config::{Config, Output};
use crate::base::error::Result;
use crate::base::memory;
use crate::base::problem::COORDINATE_LIMIT;
use crate::broad_phase::bounds_lanes::Sorted;
use crate::broad_phase::hits::BATCH;
use crate::broad_phase::operations::Operations;
use crate::engine::cpu::cells::Cells;
use crate::engine::cpu::repeated::Repeated;
use crate::engine::cpu::surface::Surface;
use crate::engine::cpu::tested::Tested;
use crate::engine::cpu::work::{more_work, work};
use crate::engine::cpu::worker::Shared;
use crate::engine::cpu::{CpuChecker, finish};
use crate::engine::query::Query;
use crate::engine::query::resolved::Wanted;
use crate::engine::query::sets::Set;
use crate::geometry::bounds::{BOUNDS, Bounds};
use crate::geometry::pair::Pair;
use crate::geometry::period::{Image, Period};
use crate::geometry::rounding::above;
use crate::geometry::scene_stats::{Gathered, SceneStats};
use crate::outputs::report::Report;
use crate::rules::filter::{PairRules, SetRules};
use crate::shapes::bodies::set::OwnedBodies;
use crate::shapes::kind::Records;

/// Label for out-of-memory errors.
const WHAT: &str = "the pairs across the border";

/// The most images that bodies near the border are looked for one by one.
const MOST_RUNS: usize = 64;

/// A scene in space that repeats, prepared for the searches of a device.
pub(crate) struct Crossing<'a> {
    cells: Cells<'a>,
    /// The bounds of the bodies in their places, in the caller's order.
    bounds: Vec<Bounds>,
    surface: Surface,
    /// The bodies that are looked up, by their places on the surface, and copies of them, moved.
    movers: (Vec<u32>, Copies),
    /// The bodies that these reach, and copies of them.
    reached: (Vec<u32>, Copies),
    /// Set if some bodies may meet in several images.
    several: bool,
    slack: f64,
    /// No coordinate is larger, of the bodies in their places and moved by images.
    largest: f64,
}

/// Copies of some bodies, and their rules for a search.
struct Copies {
    bodies: OwnedBodies,
    rules: SetRules<'static>,
}

impl Copies {
    fn set(&self) -> Set<'_> {
        Set::from(self.bodies.all()).with(self.rules.of_search())
    }
}

impl<'a> Crossing<'a> {
    /// Prepares a scene.
    ///
    /// # Errors
    /// As [`Query::periodic`].
    pub fn new(set: Records<'a>, period: Period, rules: &PairRules<'_>, wanted: &Wanted<'_>) -> Result<Self> {
        let of_set = rules.sets[0];
        let cells = Cells::new(set, period, wanted)?;
        let mut bounds = memory::zeroed(set.len(), BOUNDS)?;
        let widening = |id: u32| (of_set.widening(wanted.margin)(id) + cells.rounding).next_up();
        let stats: Gathered = cells.placed().bounds(widening, &mut bounds)?;
        let stats = SceneStats::from(&stats);
        let corners = [stats.world_low(), stats.world_high()].map(|corner| f64::from(corner.abs().max_element()));
        let surface = Surface::new(&cells, bounds.len(), |k| bounds[k], &stats)?;
        let largest_margin = wanted.margin + 2.0 * f64::from(of_set.largest_margin());
        let several = 2.0 * (2.0 * cells.largest_radius + largest_margin) >= period.shortest();
        let places = 0..surface.positions.len() as u32;
        let mut places: Vec<u32> = memory::collect(places, WHAT)?;
        places.sort_unstable_by_key(|&place| surface.positions[place as usize]);
        let ids: Vec<u32> = memory::collect(places.iter().map(|&place| surface.positions[place as usize]), WHAT)?;
        let ways = places.iter().map(|&place| surface.way(place, &period));
        let (moved, farthest) = cells.moved_copies(&ids, ways)?;
        let movers = Copies {
            bodies: moved,
            rules: of_set.of_part(&ids)?,
        };
        let ids = reached(&surface, &bounds)?;
        let reached = Copies {
            bodies: cells.copies(&ids)?,
            rules: of_set.of_part(&ids)?,
        };
        // Rounding to nearest is off by half of the spacing.
        let of_movers = farthest * f64::from(f32::EPSILON);
        Ok(Self {
            slack: 2.0 * (2.0 * f64::from(cells.rounding) + of_movers),
            cells,
            bounds,
            surface,
            movers: (places, movers),
            reached: (ids, reached),
            largest: corners.into_iter().fold(farthest, f64::max),
            several,
        })
    }

    /// Returns `true` if moved bodies are within the limits of coordinates.
    pub fn fits_device(&self) -> bool {
        self.largest <= 0.5 * f64::from(COORDINATE_LIMIT)
    }

    /// Returns `true` if the first search decides the pairs whose image is 0.
    pub fn is_plain(&self) -> bool {
        !self.several && self.cells.images.is_empty()
    }

    /// Returns the bodies in their places.
    pub fn placed(&self) -> Records<'_> {
        self.cells.placed()
    }

    /// Returns the configuration of a search for candidates.
    pub fn config(&self, config: &Config) -> Config {
        for_candidates(config, self.slack)
    }

    /// Returns the second search, for pairs of bodies that are reached and movers, if any.
    pub fn across(&self) -> Option<Query<'_>> {
        let [reached, movers] = [&self.reached.1, &self.movers.1].map(Copies::set);
        let is_empty = self.reached.0.is_empty() || self.movers.0.is_empty();
        (!is_empty).then(|| Query::between(reached, movers).as_candidates())
    }

    /// Returns the pairs that the second search has found, with their images.
    pub fn lists(&self, found: &[Pair]) -> Result<Vec<(Image, Vec<Pair>)>> {
        let runs = &self.surface.runs;
        let mut lists: Vec<(Image, Vec<Pair>)> = runs.iter().map(|run| (run.image, Vec::new())).collect();
        for pair in found {
            let place = self.movers.0[pair.b as usize] as usize;
            let (a, b) = (self.reached.0[pair.a as usize], self.surface.positions[place]);
            let run = runs.partition_point(|run| run.range.end <= place);
            let is_passed_over = |axis| self.cells.sticks_out_below(&self.bounds[a as usize], axis);
            if a != b && !runs[run].passes_over.is_some_and(is_passed_over) {
                memory::push(&mut lists[run].1, Pair { a, b }, WHAT)?;
            }
        }
        Ok(lists)
    }
}

/// Returns the configuration of a search for candidates of which centers are off by less than
/// `slack`.
pub(crate) fn for_candidates(config: &Config, slack: f64) -> Config {
    Config {
        margin: f64::from(above(config.margin + slack)),
        output: Output::Pairs,
        max_pairs: None,
        ..config.clone()
    }
}

/// Returns the bodies, ascending, whose bounds overlap those of any run of movers.
fn reached(surface: &Surface, bounds: &[Bounds]) -> Result<Vec<u32>> {
    let around = surface.runs.iter().map(|run| {
        let mut all = surface.bounds[run.range.clone()].iter().copied();
        let first = all.next();
        first.map(|first| {
            all.fold(first, |around, bounds| Bounds {
                low: around.low.min(bounds.low),
                high: around.high.max(bounds.high),
                ..around
            })
        })
    });
    let around: Vec<Bounds> = around.flatten().collect();
    let is_reached = |bounds: &Bounds| around.len() > MOST_RUNS || around.iter().any(|run| run.overlaps(bounds));
    let mut ids = Vec::new();
    for (id, bounds) in (0..).zip(bounds) {
        if is_reached(bounds) {
            memory::push(&mut ids, id, WHAT)?;
        }
    }
    Ok(ids)
}

impl CpuChecker {
    /// Decides candidate pairs of a scene: those whose bodies are in their places, and lists of
    /// those of which `b` is moved by an image.
    pub fn decide_images(
        &mut self,
        crossing: &Crossing<'_>,
        plain: &[Pair],
        lists: &[(Image, Vec<Pair>)],
        (set, rules): (Records<'_>, &PairRules<'_>),
        config: &Wanted<'_>,
        old: Report,
    ) -> Result<Report> {
        let start = Instant::now();
        let cells = &crossing.cells;
        let repeated = Repeated {
            period: cells.period,
            images: [&cells.images; 2],
            several: crossing.several,
        };
        let walks = &mut self.walks;
        let tested = Tested::few(set, Sorted(&crossing.bounds));
        let mut shared = Shared::new(tested, rules, config, &mut walks.degrees)?;
        shared.repeated = repeated.is_special().then_some(&repeated);
        work(&mut walks.workers, &shared, BATCH, plain.len(), |range, batch| {
            batch.test(&plain[range]);
            Operations::default()
        })?;
        for (image, pairs) in lists {
            more_work(&mut walks.workers, &shared, BATCH, pairs.len(), |range, batch| {
                batch.test_images(&repeated, &pairs[range], *image);
                Operations::default()
            });
        }
        finish(&shared, &mut walks.workers, &mut walks.sorter, [start; 3], config, old)
    }
}
