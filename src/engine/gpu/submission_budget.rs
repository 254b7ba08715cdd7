//! The amount of work in a submission.

use std::time::Duration;

/// Maximum time that a submission should take: graphics drivers kill work that occupies a GPU for
/// some seconds.
const SUBMISSION_TIME: Duration = Duration::from_millis(500);

/// Work of the first submission, before its speed is known: a third of a second on a CPU that runs
/// shaders, some milliseconds on the smallest GPU.
const FIRST_WORK: f64 = (1u64 << 26) as f64;

/// Minimum work of a submission, even if it takes too long.
const LEAST_WORK: f64 = (1u64 << 18) as f64;

/// The amount of work given to a submission, in expected comparisons of bounds by the broad phase.
/// It is not counted in records, because one record may be a thousand times the work of another
/// scene's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    work: f64,
    /// The maximum number of records of a submission. Smaller in tests of divided checks.
    most_records: u32,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            work: FIRST_WORK,
            most_records: u32::MAX,
        }
    }
}

impl Pace {
    /// Creates a pace of this many records per submission, regardless of their work and of the time
    /// that they take.
    #[cfg(feature = "unstable")]
    pub fn of_records(most_records: u32) -> Self {
        Self {
            work: f64::INFINITY,
            most_records,
        }
    }

    /// Creates a pace of this much work per submission, until one takes too long or is short.
    #[cfg(feature = "unstable")]
    pub fn of_work(work: f64) -> Self {
        Self {
            work,
            ..Self::default()
        }
    }

    /// Returns the work of a submission whose plan is known only to the device:
    /// [`Params::most_work`](crate::frame::params::Params).
    pub fn work(&self) -> f32 {
        self.work.min(f64::from(f32::MAX)) as f32
    }

    /// Returns the maximum number of records of a submission, regardless of their work.
    pub fn most_records(&self) -> u32 {
        self.most_records
    }

    /// Returns the number of records of a submission, given the work of each.
    pub fn records(&self, work_of_each: f64) -> u32 {
        (self.work / work_of_each).clamp(1.0, f64::from(self.most_records)) as u32
    }

    /// Adjusts the pace to the time that some work took: less work per submission if it took too
    /// long, and up to four times as much if it was short. Work below half of the current amount
    /// gives no reason for an increase. A pace of records does not change.
    pub fn note(&mut self, work: f64, time: Duration) {
        if self.work.is_infinite() {
            return;
        }
        let in_time = work * SUBMISSION_TIME.as_secs_f64() / time.as_secs_f64().max(1e-9);
        if time > SUBMISSION_TIME {
            self.work = in_time.max(LEAST_WORK);
        } else if work * 2.0 >= self.work {
            self.work = in_time.clamp(self.work, self.work * 4.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use bytemuck::Zeroable;

    use super::*;
    use crate::broad_phase::grid::layout::Plan;
    use crate::broad_phase::passes;
    use crate::frame::counters::Counters;

    /// Returns the sizes of the submissions of a check of `records` records, each with this much
    /// work, at this many nanoseconds per unit of work.
    fn submissions(pace: &mut Pace, records: u32, work: f64, nanoseconds: f64) -> Vec<u32> {
        let (mut left, mut all) = (records, Vec::new());
        while left > 0 {
            let count = pace.records(work).min(left);
            let done = f64::from(count) * work;
            pace.note(done, Duration::from_secs_f64(done * nanoseconds * 1e-9));
            left -= count;
            all.push(count);
        }
        all
    }

    #[test]
    fn submissions_grow_while_they_are_short() {
        // On a fast device, 10M boxes, and then 100M, take a few submissions, and soon one.
        let mut pace = Pace::default();
        let first = submissions(&mut pace, 10_000_000, 23.0, 0.004);
        assert!(first.len() <= 3, "{first:?}");
        assert_eq!(submissions(&mut pace, 10_000_000, 23.0, 0.004).len(), 1);
        assert!(submissions(&mut Pace::default(), 100_000_000, 23.0, 0.004).len() <= 5);
        // A slow device keeps to its time, except in the first submission.
        let submitted = submissions(&mut Pace::default(), 10_000_000, 23.0, 100.0);
        assert!(submitted[1..].iter().all(|&count| count <= 250_000), "{submitted:?}");
    }

    #[test]
    fn a_pace_for_cheap_records_does_not_apply_to_costly_ones() {
        let mut pace = Pace::default();
        for _ in 0..5 {
            submissions(&mut pace, 10_000_000, 20.0, 0.1);
        }
        let cheap = pace.records(20.0);
        assert!(cheap >= 10_000_000, "{cheap}");
        let dear = submissions(&mut pace, 10_000_000, 20_000.0, 0.1);
        let longest = f64::from(dear.iter().copied().max().unwrap_or(0)) * 20_000.0 * 0.1e-9;
        assert!(longest < 0.6, "{longest} s in one submission");
    }

    #[test]
    fn very_small_submissions_do_not_change_the_pace() {
        let noted = |work, time| {
            let mut pace = Pace::default();
            pace.note(work, time);
            pace.work
        };
        assert_eq!(noted(1000.0, Duration::from_micros(1)), FIRST_WORK);
        assert_eq!(noted(FIRST_WORK / 2.0, Duration::from_micros(1)), 4.0 * FIRST_WORK);
        assert_eq!(noted(FIRST_WORK, Duration::from_secs(1)), FIRST_WORK / 2.0);
        assert_eq!(noted(FIRST_WORK, Duration::from_secs(1000)), LEAST_WORK);
    }

    #[test]
    #[cfg(feature = "unstable")]
    fn a_pace_of_records_does_not_change() {
        let mut pace = Pace::of_records(777);
        for (work, time) in [(1.0, Duration::from_secs(1000)), (1e30, Duration::from_micros(1))] {
            pace.note(work, time);
            assert_eq!((pace.records(1e-9), pace.records(1e9)), (777, 777));
        }
    }

    #[test]
    fn every_record_costs_some_work() {
        assert_eq!(Pace::default().records(1e300), 1);
        for broad_phase in passes::ALL {
            let work = (broad_phase.work_of_each)(&Counters::default(), &Plan::zeroed(), 0);
            assert_eq!(work, 1.0);
        }
    }
}
