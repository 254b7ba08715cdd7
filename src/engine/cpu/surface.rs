//! The surface of a cell: the bodies that stick out of it, moved by every image by which they may
//! meet others. [`cells`](super::cells) has the reason why these suffice.

use std::ops::Range;

use glam::DVec3;

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::engine::cpu::cells::{Cells, expect_reach};
use crate::geometry::bounds::Bounds;
use crate::geometry::period::{Image, Period};
use crate::geometry::scene_stats::SceneStats;

/// Label for out-of-memory errors.
const WHAT: &str = "the bodies on the surface of the cell";

/// Bodies that are looked up among those in their places.
#[derive(Default)]
pub(super) struct Surface {
    /// The moved bounds.
    pub bounds: Vec<Bounds>,
    /// The position of each in the records.
    pub positions: Vec<u32>,
    pub runs: Vec<Run>,
}

/// Bodies moved by the same image.
pub(super) struct Run {
    pub range: Range<usize>,
    pub image: Image,
    /// Partners that stick out below along this axis are passed over.
    pub passes_over: Option<usize>,
}

impl Surface {
    /// Collects the surface of a cell, given the number of records in their places, the bounds at a
    /// position, and their statistics.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if too many images are in reach, or if memory runs out.
    pub fn new(
        cells: &Cells<'_>,
        count: usize,
        record: impl Fn(usize) -> Bounds + Sync + Send,
        stats: &SceneStats,
    ) -> Result<Self> {
        let scene = [stats.world_low(), stats.world_high()].map(|corner| corner.as_dvec3());
        let (mut surface, those) = (Self::default(), sticking_out(cells, count, &record)?);
        for axis in (0..3).filter(|&axis| cells.period.along(axis).is_some()) {
            let [below, above] = &those[axis];
            for image in images(cells, axis, scene)? {
                surface.add(cells, (&record, below), image, scene, None)?;
                surface.add(cells, (&record, above), image.map(|times| -times), scene, Some(axis))?;
            }
        }
        Ok(surface)
    }

    /// Returns about the vector by which the body at a place is moved.
    pub fn way(&self, place: u32, period: &Period) -> DVec3 {
        let run = self.runs.partition_point(|run| run.range.end <= place as usize);
        DVec3::from_array(period.moved(self.runs[run].image).map(|(rounded, _)| rounded))
    }

    /// Returns the runs of a range of these bodies.
    pub fn runs_in(&self, range: Range<usize>) -> impl Iterator<Item = Run> {
        let first = self.runs.partition_point(|run| run.range.end <= range.start);
        let runs = self.runs[first..].iter();
        let within = range.clone();
        runs.take_while(move |run| run.range.start < within.end)
            .map(move |run| Run {
                range: run.range.start.max(range.start)..run.range.end.min(range.end),
                ..*run
            })
    }

    /// Adds those of some records that, moved by an image, reach the scene.
    fn add(
        &mut self,
        cells: &Cells<'_>,
        (record, positions): (&impl Fn(usize) -> Bounds, &[u32]),
        image: Image,
        [low, high]: [DVec3; 2],
        passes_over: Option<usize>,
    ) -> Result<()> {
        let start = self.bounds.len();
        let way = DVec3::from_array(cells.period.moved(image).map(|(rounded, _)| rounded));
        for &position in positions {
            let bounds = record(position as usize).moved(way);
            let reaches = bounds.low.as_dvec3().cmple(high) & low.cmple(bounds.high.as_dvec3());
            if reaches.all() {
                memory::push(&mut self.bounds, bounds, WHAT)?;
                memory::push(&mut self.positions, position, WHAT)?;
            }
        }
        let range = start..self.bounds.len();
        if !range.is_empty() {
            memory::push(
                &mut self.runs,
                Run {
                    range,
                    image,
                    passes_over,
                },
                WHAT,
            )?;
        }
        Ok(())
    }
}

/// Returns the positions of the records that stick out along each axis, below and above.
fn sticking_out(
    cells: &Cells<'_>,
    count: usize,
    record: &(impl Fn(usize) -> Bounds + Sync + Send),
) -> Result<[[Vec<u32>; 2]; 3]> {
    let parts = parallel::map_ranges(count, |range| {
        let mut those: [[Vec<u32>; 2]; 3] = Default::default();
        for position in range {
            let (record, position) = (record(position), position as u32);
            if !cells.sticks_out(&record) {
                continue;
            }
            for (axis, [below, above]) in those.iter_mut().enumerate() {
                if cells.sticks_out_below(&record, axis) {
                    below.push(position);
                }
                if cells.sticks_out_above(&record, axis) {
                    above.push(position);
                }
            }
        }
        those
    });
    let mut all: [[Vec<u32>; 2]; 3] = Default::default();
    for part in parts {
        for (list, more) in all.as_flattened_mut().iter_mut().zip(part.as_flattened()) {
            memory::extend(list, more, WHAT)?;
        }
    }
    Ok(all)
}

/// Returns the images whose first number that is not 0 is along this axis and above 0, as far as
/// the scene reaches.
fn images(cells: &Cells<'_>, axis: usize, [low, high]: [DVec3; 2]) -> Result<Vec<Image>> {
    let reached = |axis: usize| match cells.period.along(axis) {
        Some(length) => ((high[axis] - low[axis]) / length + 1e-9).floor().max(0.0) as u64,
        None => 0,
    };
    let reached = [reached(0), reached(1), reached(2)];
    let most = reached.into_iter().fold(0, u64::max);
    expect_reach(most)?;
    let range = |k: usize| {
        let reached = reached[k] as i64;
        match k.cmp(&axis) {
            std::cmp::Ordering::Less => 0..=0,
            std::cmp::Ordering::Equal => 1..=reached,
            std::cmp::Ordering::Greater => -reached..=reached,
        }
    };
    let along_x = range(0).flat_map(|i| range(1).map(move |j| [i, j]));
    Ok(along_x.flat_map(|[i, j]| range(2).map(move |k| [i, j, k])).collect())
}
