//! Times a scene on a checker, frame by frame.

use std::time::{Duration, Instant};

use obbligato::{Checker, Obb, Report};

use super::{failure::Failure, progress::Progress};

/// Frames where no number was asked for.
const FRAMES: u32 = 20;

/// No row goes on longer than this if it has [`LEAST_FRAMES`], unless a number of frames was asked for.
const ROW_TIME: Duration = Duration::from_secs(3);

/// Fewer frames make no median.
const LEAST_FRAMES: u32 = 3;

/// Untimed calls before the first frame: they fill caches, raise clocks and let buffers grow. One is enough where it
/// takes longer than [`WARM_UP_TIME`].
const WARM_UP_CALLS: u32 = 3;
const WARM_UP_TIME: Duration = Duration::from_millis(200);

/// A time in milliseconds over the frames of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Time {
    /// The one in the middle, or the mean of the two in the middle.
    pub median: f64,
    /// The shortest.
    pub minimum: f64,
}

impl Time {
    /// The median and minimum; 0 without samples.
    fn of(mut samples: Vec<f64>) -> Self {
        samples.sort_by(f64::total_cmp);
        let middle = samples.len() / 2;
        match samples[..] {
            [] => Self::default(),
            [minimum, ..] if samples.len() % 2 == 1 => Self {
                median: samples[middle],
                minimum,
            },
            [minimum, ..] => Self {
                median: (samples[middle - 1] + samples[middle]) / 2.0,
                minimum,
            },
        }
    }
}

/// The times of all frames and what the last one found.
pub struct Measurement {
    /// Timed frames.
    pub frames: u32,
    /// The whole call.
    pub wall: Time,
    /// Wall time of each step, in order.
    pub stages: Vec<(&'static str, Time)>,
    /// GPU time of each stage, in order; empty where it cannot be measured.
    pub gpu: Vec<(&'static str, Time)>,
    /// GPU time of all stages of a frame.
    pub gpu_total: Option<Time>,
    /// The result of the last frame.
    pub report: Report,
    /// The checksum of its pairs.
    pub checksum: u64,
    /// Whether every frame found as many pairs with the same checksum.
    pub steady: bool,
}

/// The most frames that [`measure`] times.
pub fn most_frames(frames: Option<u32>) -> u32 {
    frames.unwrap_or(FRAMES)
}

/// Checks `boxes` again and again: as often as `frames` says, or as [`ROW_TIME`] allows.
pub fn measure(
    checker: &mut Checker,
    boxes: &[Obb],
    frames: Option<u32>,
    progress: &Progress,
) -> Result<Measurement, Failure> {
    let start = Instant::now();
    let mut report = checker.check(boxes)?;
    for _ in 1..WARM_UP_CALLS {
        if start.elapsed() < WARM_UP_TIME {
            report = checker.check(boxes)?;
        }
    }
    let checksum = report.checksum();
    let colliding = report.colliding_pairs;

    let mut times = Vec::new();
    let mut steady = true;
    let start = Instant::now();
    while (times.len() as u32) < most_frames(frames) {
        if frames.is_none() && times.len() as u32 >= LEAST_FRAMES && start.elapsed() > ROW_TIME {
            break;
        }
        report = checker.check(boxes)?;
        steady &= report.complete && report.colliding_pairs == colliding && report.checksum() == checksum;
        times.push(report.timings.clone());
        progress.step();
    }

    let gpu_totals: Vec<f64> = times
        .iter()
        .map(|time| time.gpu.iter().map(|(_, time)| time).sum())
        .collect();
    let gpu = by_name(times.iter().map(|time| time.gpu.as_slice()));
    Ok(Measurement {
        frames: times.len() as u32,
        wall: Time::of(times.iter().map(|time| time.total).collect()),
        stages: by_name(times.iter().map(|time| time.wall.as_slice())),
        gpu_total: (!gpu.is_empty()).then(|| Time::of(gpu_totals)),
        gpu,
        checksum: report.checksum(),
        report,
        steady,
    })
}

/// The times of each stage, in the order in which stages first appear. A stage that runs more than once in a frame counts
/// with its sum; a frame that lacks it does not count.
fn by_name<'a>(frames: impl Iterator<Item = &'a [(&'static str, f64)]>) -> Vec<(&'static str, Time)> {
    let mut samples: Vec<(&'static str, Vec<f64>, usize)> = Vec::new();
    for (number, frame) in frames.enumerate() {
        for &(name, time) in frame {
            match samples.iter_mut().find(|(known, ..)| *known == name) {
                Some((_, times, last)) if *last == number => {
                    times[..].last_mut().into_iter().for_each(|sum| *sum += time)
                }
                Some((_, times, last)) => {
                    times.push(time);
                    *last = number;
                }
                None => samples.push((name, vec![time], number)),
            }
        }
    }
    samples
        .into_iter()
        .map(|(name, times, _)| (name, Time::of(times)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(median: f64, minimum: f64) -> Time {
        Time { median, minimum }
    }

    #[test]
    fn medians() {
        assert_eq!(Time::of(vec![]), time(0.0, 0.0));
        assert_eq!(Time::of(vec![3.0, 1.0, 9.0]), time(3.0, 1.0));
        assert_eq!(Time::of(vec![4.0, 1.0, 9.0, 2.0]), time(3.0, 1.0));
    }

    #[test]
    fn stages_of_frames_that_differ() {
        let frames: [&[_]; 3] = [
            &[("bounds", 1.0), ("broad", 2.0), ("broad", 3.0)],
            &[("bounds", 3.0), ("broad", 7.0)],
            &[("bounds", 2.0), ("readback", 1.0)],
        ];
        assert_eq!(
            by_name(frames.into_iter()),
            [
                ("bounds", time(2.0, 1.0)),
                ("broad", time(6.0, 5.0)),
                ("readback", time(1.0, 1.0))
            ]
        );
    }
}
