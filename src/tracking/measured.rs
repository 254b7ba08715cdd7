//! Measured times of frames, to decide whether coherence pays for the current bodies.
//!
//! The costs in [`pace`](super::pace) are those of boxes on one machine. Capsules and spheres have
//! other costs, and so do other machines. The time of a fresh check is therefore measured, relative
//! to its expected cost, and compared with the mean time of several frames found by coherence,
//! which include new fat AABBs.

use std::time::Duration;

use crate::tracking::lifetime::Size;

/// The number of frames by coherence that are compared with a fresh check.
const FRAMES: u32 = 16;

/// The weight of a fresh check in the running average.
const SHARE: f64 = 0.25;

/// The relative change in size that makes a scene a different one.
const CHANGE: f32 = 0.25;

/// The number of fresh checks after coherence did not pay, initially and at most.
const PAUSES: [u32; 2] = [8, 256];

/// The measured times of frames, and the remaining pause of coherence.
#[derive(Debug, Default)]
pub(crate) struct Measured {
    /// Seconds per unit of the expected cost of a fresh check.
    fresh: Option<f64>,
    /// The seconds of the last frames by coherence, and the number of those frames.
    spent: f64,
    frames: u32,
    /// The number of fresh checks until coherence is tried again, and the length of the last pause.
    pause: u32,
    last_pause: u32,
    /// The size of the scene when the pause began.
    paused_at: Size,
}

impl Measured {
    /// Records a fresh check of a scene.
    pub fn fresh(&mut self, time: Duration, size: Size) {
        let rate = time.as_secs_f64() / f64::from(size.fresh());
        if !rate.is_finite() {
            return;
        }
        self.fresh = Some(match self.fresh {
            // The first check also allocates the memory.
            Some(before) if rate < before => rate,
            Some(before) => before + SHARE * (rate - before),
            None => rate,
        });
    }

    /// Records a frame by coherence. Once there are enough of them, returns whether the recent ones
    /// took longer than fresh checks.
    pub fn followed(&mut self, time: Duration, size: Size) -> Option<bool> {
        self.spent += time.as_secs_f64();
        self.frames += 1;
        if self.frames < FRAMES {
            return None;
        }
        let mean = self.spent / f64::from(self.frames);
        (self.spent, self.frames) = (0.0, 0);
        let loses = self.fresh.map(|rate| mean > rate * f64::from(size.fresh()))?;
        if !loses {
            self.last_pause = 0;
        }
        Some(loses)
    }

    /// Starts a pause because coherence did not pay in this scene.
    pub fn pause(&mut self, size: Size) {
        self.last_pause = (2 * self.last_pause).clamp(PAUSES[0], PAUSES[1]);
        self.pause = self.last_pause;
        self.paused_at = size;
        (self.spent, self.frames) = (0.0, 0);
    }

    /// Returns `true` if coherence is paused for one more fresh check of this scene.
    pub fn is_paused(&mut self, size: Size) -> bool {
        if self.pause > 0 && size.differs(self.paused_at, CHANGE) {
            (self.pause, self.last_pause) = (0, 0);
        }
        let paused = self.pause > 0;
        self.pause -= u32::from(paused);
        paused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(boxes: usize, candidates: u64) -> Size {
        Size { boxes, candidates }
    }

    fn milliseconds(time: f64) -> Duration {
        Duration::from_secs_f64(time * 1e-3)
    }

    /// The times of fresh checks and of frames by coherence, and whether coherence loses.
    #[test]
    fn slower_coherence_is_dropped() {
        let scene = size(20_000, 30_000);
        for (fresh, followed, loses) in [
            (1.6, 2.7, true),
            (1.6, 1.5, false),
            (3.0, 1.0, false),
            (0.2, 0.21, true),
        ] {
            let mut measured = Measured::default();
            // The first check takes longer than the others.
            for time in [10.0 * fresh, fresh, fresh] {
                measured.fresh(milliseconds(time), scene);
            }
            let verdicts: Vec<_> = (0..FRAMES)
                .map(|_| measured.followed(milliseconds(followed), scene))
                .collect();
            let (last, before) = verdicts.split_last().expect("some");
            assert!(before.iter().all(Option::is_none));
            assert_eq!(*last, Some(loses), "{fresh} {followed}");
        }
    }

    /// A scene with half the candidates is expected to take less time.
    #[test]
    fn expected_times_scale_with_the_scene() {
        let mut measured = Measured::default();
        measured.fresh(milliseconds(4.0), size(20_000, 100_000));
        let last = (0..FRAMES).filter_map(|_| measured.followed(milliseconds(3.0), size(10_000, 20_000)));
        assert_eq!(last.collect::<Vec<_>>(), [true]);
    }

    #[test]
    fn pauses_grow_and_end_when_the_scene_changes() {
        let scene = size(20_000, 30_000);
        let mut measured = Measured::default();
        let pauses = |measured: &mut Measured| {
            measured.pause(scene);
            (0..).take_while(|_| measured.is_paused(scene)).count()
        };
        assert_eq!([0; 7].map(|_| pauses(&mut measured)), [8, 16, 32, 64, 128, 256, 256]);
        for other in [size(30_000, 30_000), size(20_000, 60_000), size(10_000, 10_000)] {
            measured.pause(scene);
            assert!(measured.is_paused(size(20_500, 31_000)));
            assert!(!measured.is_paused(other), "{other:?}");
            assert_eq!(pauses(&mut measured), 8, "{other:?}");
        }
        // If coherence pays, the next pause is short again.
        measured.fresh(milliseconds(1.0), scene);
        let verdicts = (0..FRAMES).filter_map(|_| measured.followed(milliseconds(0.5), scene));
        assert_eq!(verdicts.collect::<Vec<_>>(), [false]);
        assert_eq!(pauses(&mut measured), 8);
    }
}
