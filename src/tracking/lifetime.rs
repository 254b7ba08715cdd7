//! The lifetime of fat AABBs, and whether they pay at all.
//!
//! Wide fat AABBs last long but overlap more often. The cost of a frame is estimated in nanoseconds
//! of one thread, from the speed of boxes relative to their size; only the ratios matter. Measured
//! with `cargo bench --bench tracking`.

use glam::Vec3;

use crate::tracking::fat_aabbs::Room;

/// The costs of a fresh check and of building fat AABBs: per box, and per candidate pair.
const FRESH: [f32; 2] = [75.0, 50.0];
const BUILD: [f32; 2] = [110.0, 65.0];
/// The costs of a frame in between: per box, watched pair, tested pair, box checked against its
/// fat AABB, and box that gets another fat AABB.
const FOLLOW: [f32; 5] = [12.0, 3.0, 40.0, 20.0, 2000.0];
/// The largest fraction of the cost of fresh checks that coherence may be expected to cost.
const WORTHWHILE: f32 = 0.85;
/// The smallest and the largest slack of a fat AABB on every side, in frames of motion, in addition
/// to the stretch along the box's path. It determines how often a box is checked. Slow boxes get
/// more, up to the fraction `SLACK` of the extent.
const SLACK_FRAMES: [f32; 2] = [3.0, 16.0];
const SLACK: f32 = 0.06;
/// The fraction of a box's rotation, or of its back-and-forth motion, that its fat AABB leaves on
/// every side.
const ERRATIC: f32 = 0.25;
/// The possible lifetimes of fat AABBs, in frames.
const FRAMES: [u16; 10] = [4, 6, 8, 12, 16, 24, 32, 48, 64, 96];

/// The speed and size of the boxes of a scene.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Motions {
    /// The mean displacement per frame, in the caller's unit.
    pub speed: f32,
    /// The mean of the largest extents of bounds.
    pub extent: f32,
}

/// The size of a scene.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Size {
    pub boxes: usize,
    /// The number of candidate pairs of a fresh check.
    pub candidates: u64,
}

impl Size {
    /// Returns the cost of a fresh check.
    pub fn fresh(self) -> f32 {
        FRESH[0] * self.boxes as f32 + FRESH[1] * self.candidates as f32
    }

    /// Returns `true` if one of the two numbers is larger or smaller by more than this fraction.
    pub fn differs(self, other: Self, part: f32) -> bool {
        let differ = |a: f32, b: f32| (a - b).abs() > part * a.max(b);
        differ(self.boxes as f32, other.boxes as f32) || differ(self.candidates as f32, other.candidates as f32)
    }
}

/// The work of a frame in between.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Work {
    pub boxes: usize,
    /// The numbers of watched pairs and of tested pairs.
    pub watched: usize,
    pub tested: usize,
    /// The numbers of boxes checked against their fat AABBs, and of boxes that got another fat
    /// AABB.
    pub looked_at: usize,
    pub renewed: usize,
}

impl Work {
    fn cost(self) -> f32 {
        let counts = [self.boxes, self.watched, self.tested, self.looked_at, self.renewed];
        let costs = FOLLOW.iter().zip(counts);
        costs.map(|(cost, count)| cost * count as f32).sum()
    }
}

/// The cost of frames so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    cost: f32,
    frames: u32,
}

impl Spent {
    /// Starts with the cost of new fat AABBs for all boxes, with this number of pairs.
    pub fn of_build(boxes: usize, pairs: usize) -> Self {
        Self {
            cost: BUILD[0] * boxes as f32 + BUILD[1] * pairs as f32,
            frames: 0,
        }
    }

    /// Adds a frame.
    pub fn frame(&mut self, work: Work) {
        self.cost += work.cost();
        self.frames += 1;
    }

    /// Returns `true` if a frame with this work costs more than the average so far, including new
    /// fat AABBs for all: then rebuilding all fat AABBs pays.
    pub fn is_exceeded_by(self, work: Work) -> bool {
        work.cost() * self.frames as f32 > self.cost
    }

    /// Returns `true` if fresh checks would have cost less.
    pub fn was_in_vain(self, size: Size) -> bool {
        self.cost > size.fresh() * self.frames as f32
    }
}

/// Returns the number of frames that fat AABBs should last, or `None` if they do not pay.
pub(crate) fn frames(motions: Motions, size: Size) -> Option<u16> {
    let cost = |frames: u16| {
        let relative = motions.speed / motions.extent;
        let growth = 1.0 + (2.0 * slack_frames(relative) + 0.5 * f32::from(frames)) * relative;
        let pairs = size.candidates as f32 * growth.powi(3);
        let boxes = size.boxes as f32;
        let build = BUILD[0] * boxes + BUILD[1] * pairs;
        let tested = pairs * (12.0 * relative).min(1.0);
        let looked_at = boxes / slack_frames(relative);
        build / f32::from(frames) + FOLLOW[0] * boxes + FOLLOW[1] * pairs + FOLLOW[2] * tested + FOLLOW[3] * looked_at
    };
    let best = FRAMES
        .into_iter()
        .map(|frames| (cost(frames), frames))
        .min_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 < WORTHWHILE * size.fresh()).then_some(best.1)
}

/// Like [`frames`], while the direction of each box is unknown: fat AABBs then leave equal room on
/// every side, and last only a few frames.
pub(crate) fn frames_at_first(motions: Motions, size: Size) -> Option<u16> {
    const MOST: u16 = 6;
    frames(motions, size).map(|frames| frames.min(MOST))
}

/// Returns the frames of slack for boxes that move this fraction of their extent per frame.
fn slack_frames(relative: f32) -> f32 {
    let [least, most] = SLACK_FRAMES;
    (SLACK / relative).max(least).min(most)
}

/// Returns the room for a box of this extent that moves by `velocity` per frame, its points by at
/// most `speed`, and should stay for this number of frames.
pub(crate) fn room(velocity: Vec3, speed: f32, frames: f32, extent: f32) -> Room {
    let erratic = (speed - velocity.length()).max(0.0);
    let slack = slack_frames(0.5 * speed / extent) * speed + ERRATIC * frames * erratic;
    Room {
        slack: slack.min(extent),
        // Boxes that move by their own length per frame are not followed.
        stretch: (velocity * frames).clamp_length_max(2.0 * extent),
    }
}
