//! Movers against a prepared scene in space that repeats.
//!
//! The scene stays where it is given, and so does its broad phase. A mover has one place, as in
//! [`cells`](super::cells), and is looked up there and in each image by which its bounds reach
//! those of the whole scene: once or twice along an axis if the scene lies within a period. Each
//! pair and image whose bounds overlap is thus found exactly once, and [`images`](super::images)
//! reports a pair for the least image that collides.

use glam::DVec3;

use crate::base::clock::Instant;
use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::broad_phase::hits::BATCH;
use crate::broad_phase::operations::Operations;
use crate::engine::cpu::cells::{Cells, expect_reach};
use crate::engine::cpu::repeated::Repeated;
use crate::engine::cpu::tested::Tested;
use crate::engine::cpu::work::{MOVERS, more_work, work};
use crate::engine::cpu::worker::Shared;
use crate::engine::cpu::{CpuChecker, Walks, finish};
use crate::engine::prepared::{Extent, PreparedScene};
use crate::engine::query::resolved::Wanted;
use crate::geometry::bounds::{BOUNDS, Bounds};
use crate::geometry::pair::Pair;
use crate::geometry::period::{Image, Period};
use crate::outputs::report::Report;
use crate::rules::filter::PairRules;
use crate::shapes::bodies::set::{Bodies, OwnedBodies};

/// Label for out-of-memory errors.
const WHAT: &str = "the images of the movers";

/// The most images along an axis in which a mover is looked up, but for one: as many as a margin of
/// 16 periods needs.
const MOST_IMAGES: f64 = 36.0;

/// Movers, and the images in which they are looked up.
pub(crate) struct PeriodicMovers<'a> {
    scene: &'a PreparedScene,
    movers: Bodies<'a>,
    cells: Cells<'a>,
    /// The images and the moved bounds of movers, whose numbers the bounds have; by image, then by
    /// number.
    looked_up: Vec<(Image, Bounds)>,
    /// Set if some bodies may meet in several images.
    several: bool,
}

impl<'a> PeriodicMovers<'a> {
    /// Finds the images in which movers reach a scene.
    ///
    /// # Errors
    /// As [`Query::periodic`](crate::Query::periodic).
    pub fn new(
        scene: &'a PreparedScene,
        movers: Bodies<'a>,
        period: Period,
        rules: &PairRules<'_>,
        wanted: &Wanted<'_>,
    ) -> Result<Self> {
        let at_rest = scene.bodies().len();
        let of_movers = rules.sets[1];
        let in_both = |error| Period::error_after(at_rest, error);
        let cells = Cells::of_any(movers.into(), period).map_err(in_both)?;
        let extent = scene.expect_near(&period)?;
        // The scene is prepared for any margin, so the movers are widened by all of it.
        let margin = 2.0 * (wanted.margin + f64::from(scene.rules.largest_margin()));
        let widening = |id: u32| (of_movers.widening(margin)(id) + cells.rounding).next_up();
        let mut bounds = memory::zeroed(movers.len(), BOUNDS)?;
        let () = cells.placed().bounds(widening, &mut bounds)?;
        if !wanted.are_candidates {
            scene.expect_narrow(&period)?;
            cells.expect_narrow().map_err(in_both)?;
        }
        let margin = wanted.margin + f64::from(scene.rules.largest_margin()) + f64::from(of_movers.largest_margin());
        expect_reach((margin / period.shortest()) as u64)?;
        let reach = cells.largest_radius + extent.largest_radius + margin;
        Ok(Self {
            scene,
            movers,
            looked_up: looked_up(&bounds, &extent, &period)?,
            cells,
            several: 2.0 * reach >= period.shortest(),
        })
    }

    /// Returns what pairs of a body of the scene and a mover refer to, and the images of these.
    fn tested(&self) -> (Tested<'_>, Repeated<'_>) {
        let repeated = Repeated {
            period: self.cells.period,
            images: [&[], &self.cells.images],
            several: self.several,
        };
        (Tested::movers(self.scene.bodies(), self.movers), repeated)
    }

    /// Returns copies of the movers in each image in which they are looked up, ascending by mover,
    /// and the largest coordinate of their centers.
    pub fn copies(&self) -> Result<Copies> {
        let mut entries: Vec<(u32, Image)> =
            memory::collect(self.looked_up.iter().map(|(image, bounds)| (bounds.id, *image)), WHAT)?;
        entries.sort_unstable();
        let ids: Vec<u32> = memory::collect(entries.iter().map(|entry| entry.0), WHAT)?;
        let ways = entries.iter().map(|entry| way(&self.cells.period, entry.1));
        let (bodies, farthest) = self.cells.moved_copies(&ids, ways)?;
        Ok(Copies {
            bodies,
            ids,
            slack: 2.0 * (2.0 * f64::from(self.cells.rounding) + farthest * f64::from(f32::EPSILON)),
            farthest,
            entries,
        })
    }
}

/// Copies of movers for a search by a device.
pub(crate) struct Copies {
    pub bodies: OwnedBodies,
    /// The mover of each copy.
    pub ids: Vec<u32>,
    /// More than the rounding of centers moves two bodies towards or away from each other.
    pub slack: f64,
    /// No coordinate of a center is larger.
    pub farthest: f64,
    entries: Vec<(u32, Image)>,
}

impl Copies {
    /// Returns pairs with copies as pairs with movers, by image.
    pub fn lists(&self, found: &[Pair]) -> Result<Vec<(Image, Vec<Pair>)>> {
        let of = |pair: &Pair| {
            let (mover, image) = self.entries[pair.b as usize];
            (image, Pair { a: pair.a, b: mover })
        };
        let mut all: Vec<(Image, Pair)> = memory::collect(found.iter().map(of), WHAT)?;
        all.sort_unstable();
        let mut lists: Vec<(Image, Vec<Pair>)> = Vec::new();
        for run in all.chunk_by(|one, next| one.0 == next.0) {
            let pairs = memory::collect(run.iter().map(|(_, pair)| *pair), WHAT)?;
            memory::push(&mut lists, (run[0].0, pairs), WHAT)?;
        }
        Ok(lists)
    }
}

/// Returns about the vector by which an image is moved.
fn way(period: &Period, image: Image) -> DVec3 {
    DVec3::from_array(period.moved(image).map(|(rounded, _)| rounded))
}

/// Returns the images and the moved bounds that reach a scene.
fn looked_up(bounds: &[Bounds], extent: &Extent, period: &Period) -> Result<Vec<(Image, Bounds)>> {
    let mut found = Vec::new();
    let Some(scene) = &extent.bounds else {
        return Ok(found);
    };
    for record in bounds {
        let [low, high] = images_near(record, scene, period)?;
        for i in low[0]..=high[0] {
            for j in low[1]..=high[1] {
                for k in low[2]..=high[2] {
                    let moved = record.moved(way(period, [i, j, k]));
                    if moved.overlaps(scene) {
                        memory::push(&mut found, ([i, j, k], moved), WHAT)?;
                    }
                }
            }
        }
    }
    found.sort_unstable_by_key(|(image, bounds)| (*image, bounds.id));
    Ok(found)
}

/// Returns the first and the last image, along each axis, in which a record may reach a scene.
fn images_near(record: &Bounds, scene: &Bounds, period: &Period) -> Result<[Image; 2]> {
    let mut images = [Image::default(); 2];
    for axis in 0..3 {
        let Some(length) = period.along(axis) else {
            continue;
        };
        let corners = [scene.low, record.high, scene.high, record.low].map(|corner| f64::from(corner[axis]));
        let [first, last] = [corners[0] - corners[1], corners[2] - corners[3]].map(|way| way / length);
        // More than the rounding errors.
        let size = corners
            .into_iter()
            .fold(0.0, |size: f64, corner| size.max(corner.abs()));
        let error = 1e-9 + 8.0 * f64::EPSILON * size / length;
        let (first, last) = ((first - error).ceil(), (last + error).floor());
        if last - first > MOST_IMAGES {
            return Err(Error::Unavailable {
                what: "pairs with a prepared scene that movers reach in more than 36 images along an axis",
                hint: "prepare the scene with its bodies in one period, near the origin",
            });
        }
        (images[0][axis], images[1][axis]) = (first as i64, last as i64);
    }
    Ok(images)
}

impl CpuChecker {
    /// Decides candidate pairs of a scene and the movers in some images.
    pub fn decide_movers(
        &mut self,
        asked: &PeriodicMovers<'_>,
        lists: &[(Image, Vec<Pair>)],
        rules: &PairRules<'_>,
        config: &Wanted<'_>,
        old: Report,
    ) -> Result<Report> {
        let start = Instant::now();
        let walks = &mut self.walks;
        let (tested, repeated) = asked.tested();
        let shared = Shared::new(tested, rules, config, &mut walks.degrees)?;
        work(&mut walks.workers, &shared, BATCH, 0, |_, _| Operations::default())?;
        for (image, pairs) in lists {
            more_work(&mut walks.workers, &shared, BATCH, pairs.len(), |range, batch| {
                batch.test_images(&repeated, &pairs[range], *image);
                Operations::default()
            });
        }
        finish(&shared, &mut walks.workers, &mut walks.sorter, [start; 3], config, old)
    }
}

impl Walks {
    /// Finds the colliding pairs of a body of the scene and a mover in any image.
    pub(super) fn check_periodic_against(
        &mut self,
        (scene, movers): (&PreparedScene, Bodies<'_>),
        period: Period,
        rules: &PairRules,
        config: &Wanted<'_>,
        old: Report,
    ) -> Result<Report> {
        let start = Instant::now();
        let (at_rest, of_movers) = (scene.on_host()?, rules.sets[1]);
        let asked = PeriodicMovers::new(scene, movers, period, rules, config)?;
        let bounds_done = Instant::now();
        let (tested, repeated) = asked.tested();
        let shared = Shared::new(tested, rules, config, &mut self.degrees)?;
        work(&mut self.workers, &shared, MOVERS, 0, |_, _| Operations::default())?;
        for run in asked.looked_up.chunk_by(|one, next| one.0 == next.0) {
            let image = run[0].0;
            let bounds = memory::collect(run.iter().map(|(_, bounds)| *bounds), WHAT)?;
            let bounds = at_rest.sort_movers(bounds, of_movers)?;
            more_work(&mut self.workers, &shared, MOVERS, bounds.len(), |range, batch| {
                let mut found = Vec::with_capacity(BATCH);
                let mut keep = |pair| {
                    found.push(pair);
                    if found.len() == BATCH {
                        batch.test_images(&repeated, &found, image);
                        found.clear();
                    }
                };
                let operations = match shared.count_operations {
                    true => at_rest.meet_ids::<true>(&bounds[range], of_movers, &mut keep),
                    false => at_rest.meet_ids::<false>(&bounds[range], of_movers, &mut keep),
                };
                batch.test_images(&repeated, &found, image);
                operations
            });
        }
        let begun = [start, bounds_done, bounds_done];
        let mut report = finish(&shared, &mut self.workers, &mut self.sorter, begun, config, old)?;
        report.grid.extend_from_slice(&scene.grid);
        report.broad_phase = Some(scene.broad_phase);
        Ok(report)
    }
}
