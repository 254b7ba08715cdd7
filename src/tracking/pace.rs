//! How long anchors should last, and whether they pay at all.
//!
//! Wide anchors last long but overlap more often. What a frame costs is estimated in nanoseconds of one thread, from how fast boxes move
//! for their size: only the ratios matter. Measured with `cargo bench --bench tracking`.

use glam::Vec3;

use crate::tracking::anchors::Room;

/// A fresh check, and building anchors: a box, and a candidate pair.
const FRESH: [f32; 2] = [75.0, 50.0];
const BUILD: [f32; 2] = [110.0, 65.0];
/// A frame between: a box, a pair that is watched, one that is tested, a box that is looked at in its anchor, and one that gets another.
const FOLLOW: [f32; 5] = [12.0, 3.0, 40.0, 20.0, 2000.0];
/// Coherence has to promise this part of the cost of fresh checks.
const WORTHWHILE: f32 = 0.85;
/// Frames that an anchor leaves on every side, beside the way that its box goes: so often a box is looked at anew. Those of slow boxes
/// leave more, as far as this part of the extent.
const SLACK_FRAMES: [f32; 2] = [3.0, 16.0];
const SLACK: f32 = 0.06;
/// The part of a box's turning, or of its going to and fro, that its anchor leaves on every side.
const ERRATIC: f32 = 0.25;
/// How long anchors may be meant to last.
const FRAMES: [u16; 10] = [4, 6, 8, 12, 16, 24, 32, 48, 64, 96];

/// How fast the boxes of a scene move.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Motions {
    /// The mean displacement in a frame, in the caller's unit.
    pub speed: f32,
    /// The mean of the largest extents of bounds.
    pub extent: f32,
}

/// How much there is to do.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Size {
    pub boxes: usize,
    /// The candidate pairs of a fresh check.
    pub candidates: u64,
}

impl Size {
    /// The cost of a fresh check.
    pub fn fresh(self) -> f32 {
        FRESH[0] * self.boxes as f32 + FRESH[1] * self.candidates as f32
    }

    /// Whether one of the two is larger or smaller by more than this part.
    pub fn differs(self, other: Self, part: f32) -> bool {
        let differ = |a: f32, b: f32| (a - b).abs() > part * a.max(b);
        differ(self.boxes as f32, other.boxes as f32) || differ(self.candidates as f32, other.candidates as f32)
    }
}

/// What there was to do in a frame between.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Work {
    pub boxes: usize,
    /// Pairs.
    pub watched: usize,
    pub tested: usize,
    /// Boxes that were looked at in their anchors, and that got others.
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

/// What frames have cost.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    cost: f32,
    frames: u32,
}

impl Spent {
    /// New anchors for all boxes, with so many pairs.
    pub fn of_build(boxes: usize, pairs: usize) -> Self {
        Self {
            cost: BUILD[0] * boxes as f32 + BUILD[1] * pairs as f32,
            frames: 0,
        }
    }

    /// One more frame.
    pub fn frame(&mut self, work: Work) {
        self.cost += work.cost();
        self.frames += 1;
    }

    /// Whether a frame with this work costs more than those so far did on average, new anchors for all included: then it pays to make them
    /// again.
    pub fn is_exceeded_by(self, work: Work) -> bool {
        work.cost() * self.frames as f32 > self.cost
    }

    /// Whether fresh checks would have cost less.
    pub fn was_in_vain(self, size: Size) -> bool {
        self.cost > size.fresh() * self.frames as f32
    }
}

/// How many frames anchors should last, if they pay.
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

/// [`frames`] while it is unknown where each box goes: anchors then leave as much room on every side, and last a few frames only.
pub(crate) fn frames_at_first(motions: Motions, size: Size) -> Option<u16> {
    const MOST: u16 = 6;
    frames(motions, size).map(|frames| frames.min(MOST))
}

/// Frames of slack for boxes that go so many of their extents in a frame.
fn slack_frames(relative: f32) -> f32 {
    let [least, most] = SLACK_FRAMES;
    (SLACK / relative).max(least).min(most)
}

/// The room for a box of this extent that moves by `velocity` in a frame, its points by `speed` at most, and should stay for so many frames.
pub(crate) fn room(velocity: Vec3, speed: f32, frames: f32, extent: f32) -> Room {
    let erratic = (speed - velocity.length()).max(0.0);
    let slack = slack_frames(0.5 * speed / extent) * speed + ERRATIC * frames * erratic;
    Room {
        slack: slack.min(extent),
        // Whoever goes as far in a frame as it is long is not followed.
        stretch: (velocity * frames).clamp_length_max(2.0 * extent),
    }
}
