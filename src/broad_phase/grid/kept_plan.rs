//! Plans that are kept from one check of a scene to the next. Twin of `may_be_kept` in
//! `shaders/broad_phase/grid/grid_plan.wgsl`. `layout.rs` has the argument why all pairs are found:
//! "Plans that are kept".

use glam::Vec3;

use crate::broad_phase::grid::grid_plan_cpu::SMALLEST_CELL;
use crate::broad_phase::grid::layout::{MAX_LEVELS, Plan};
use crate::geometry::scene_stats::SceneStats;

/// Number of checks by the same plan: as bodies move, its levels may cease to be the best.
const MOST_CHECKS: u32 = 64;
/// This many additional boxes do not crowd a level, even if it had few.
pub(crate) const FEW_BOXES: u32 = 8;
/// The factor by which cells are larger than the largest box if the next check may keep the plan:
/// bounds change as boxes turn.
pub(crate) const ROOM_TO_GROW: f32 = 1.0 + 1.0 / 64.0;
/// The binary logarithm of the most checks without an attempt to keep a plan, after many that
/// failed.
const LONGEST_PAUSE: u32 = 6;

/// The scene that a plan was made for. The default is none.
#[derive(Default)]
pub(crate) struct PlannedScene {
    records: usize,
    /// Set if records may belong to worlds other than 0.
    worlds: bool,
    boxes_of_level: [u32; MAX_LEVELS],
    /// Set if the cells of the plan have room to grow.
    has_room: bool,
    /// The number of checks by the plan.
    checks: u32,
    /// The number of attempts in a row to keep a plan that failed.
    failures: u32,
    /// The number of checks to come without an attempt.
    pause: u32,
}

impl PlannedScene {
    /// Returns `true` if plans have been made for this many records.
    fn is_of(&self, records: usize, worlds: bool) -> bool {
        self.records > 0 && (self.records, self.worlds) == (records, worlds)
    }

    /// Returns the factor by which the cells of a new plan for this many records are enlarged: they
    /// have room if the scene is checked repeatedly.
    pub fn room(&self, records: usize, worlds: bool) -> f32 {
        if self.is_of(records, worlds) { ROOM_TO_GROW } else { 1.0 }
    }

    /// Remembers that a plan has just been made for this many records.
    pub fn remember(&mut self, plan: &Plan, records: usize, worlds: bool) {
        self.has_room = self.is_of(records, worlds);
        if !self.has_room {
            *self = Self::default();
        }
        (self.records, self.worlds) = (records, worlds);
        self.boxes_of_level = plan.levels.map(|level| level.boxes);
        self.checks = 1;
    }

    /// Returns `true` if the plan is to be tried for a scene whose statistics are not known yet.
    pub fn may_keep(&mut self, records: usize, worlds: bool) -> bool {
        if !self.is_of(records, worlds) || self.checks >= MOST_CHECKS {
            return false;
        }
        let is_time = self.pause == 0;
        self.pause = self.pause.saturating_sub(1);
        is_time
    }

    /// Returns `true` if the plan suits a scene with these statistics, after
    /// [`may_keep`](Self::may_keep), and counts the boxes of its levels. Attempts with room to grow
    /// that fail are followed by twice as long a pause each.
    pub fn keep(&mut self, plan: &mut Plan, stats: &SceneStats) -> bool {
        let Some(boxes) = self.boxes_if_suited(plan, stats) else {
            if self.has_room {
                self.failures = LONGEST_PAUSE.min(self.failures + 1);
                self.pause = (1 << self.failures) - 1;
            }
            return false;
        };
        for (level, boxes) in plan.levels.iter_mut().zip(boxes) {
            level.boxes = boxes;
        }
        self.checks += 1;
        self.failures = 0;
        true
    }

    /// Returns the number of boxes of each level if the plan suits a scene with these statistics:
    /// no box is larger than the cells of its level, which the pairs depend on, and a new plan
    /// would be little better.
    fn boxes_if_suited(&self, plan: &Plan, stats: &SceneStats) -> Option<[u32; MAX_LEVELS]> {
        let (mut boxes, mut largest) = ([0; MAX_LEVELS], [0.0_f32; MAX_LEVELS]);
        for (bin, level) in plan.level_of_bin.iter().enumerate() {
            let level = *level as usize;
            boxes[level] += stats.boxes_of_bin[bin];
            largest[level] = largest[level].max(f32::from_bits(stats.largest_of_bin[bin]));
        }
        for (l, level) in plan.levels().iter().enumerate() {
            let [before, now] = [self.boxes_of_level[l], boxes[l]].map(u64::from);
            let fits = largest[l] <= level.cell_size;
            let is_coarse = 4.0 * largest[l] < level.cell_size && level.cell_size > SMALLEST_CELL;
            let differs = now > 2 * before + u64::from(FEW_BOXES) || 2 * now < before;
            if !fits || is_coarse || differs {
                return None;
            }
        }
        let (low, high) = (stats.world_low(), stats.world_high());
        let (span, cell) = (plan.high - plan.origin, Vec3::splat(plan.levels[0].cell_size));
        let room = 0.125 * span + cell;
        let is_near = low.cmpge(plan.origin - room) & high.cmple(plan.high + room);
        (is_near & (high - low).cmpge(0.5 * span - cell)).all().then_some(boxes)
    }
}
