//! Times a scene on a checker, frame by frame.

use std::time::{Duration, Instant};

use obbligato::{
    Checker, Report, Set,
    report::{Stage, Timings},
};

use super::{failure::Failure, progress::Progress};

/// The default number of frames.
const FRAMES: u32 = 20;

/// The time after which a row stops once it has [`LEAST_FRAMES`], unless a number of frames was
/// requested.
const ROW_TIME: Duration = Duration::from_secs(3);

/// The minimum number of frames for a median.
const LEAST_FRAMES: u32 = 3;

/// The number of untimed calls before the first frame: they fill caches, raise clocks and let
/// buffers grow. One is enough if it takes longer than [`WARM_UP_TIME`].
const WARM_UP_CALLS: u32 = 3;
const WARM_UP_TIME: Duration = Duration::from_millis(200);

/// A time over the frames of a row, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Time {
    /// The middle one, or the mean of the two middle ones.
    pub median: f64,
    /// The shortest.
    pub minimum: f64,
}

impl Time {
    /// Returns the median and minimum; 0 without samples.
    pub fn of(mut samples: Vec<f64>) -> Self {
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

/// The times of all frames and the result of the last one.
pub struct Measurement {
    /// The times of each frame.
    pub frames: Vec<Timings>,
    /// The times of the whole call.
    pub wall: Time,
    /// Wall time of each stage, in order.
    pub stages: Vec<(Stage, Time)>,
    /// GPU time of each stage, in order; empty if it cannot be measured.
    pub gpu: Vec<(Stage, Time)>,
    /// GPU time from the first timestamp to the last: all stages together.
    pub gpu_total: Option<Time>,
    /// The result of the last frame.
    pub report: Report,
    /// The checksum of its pairs.
    pub checksum: u64,
    /// `true` if every frame found the same number of pairs with the same checksum.
    pub steady: bool,
}

/// Returns the maximum number of frames that [`measure`] times.
pub fn most_frames(frames: Option<u32>) -> u32 {
    frames.unwrap_or(FRAMES)
}

/// Checks the set repeatedly: `frames` times, or as often as [`ROW_TIME`] allows.
pub fn measure(
    checker: &mut Checker,
    bodies: Set<'_>,
    frames: Option<u32>,
    progress: &Progress,
) -> Result<Measurement, Failure> {
    let start = Instant::now();
    let mut report = checker.check(bodies)?;
    for _ in 1..WARM_UP_CALLS {
        if start.elapsed() < WARM_UP_TIME {
            report = checker.check(bodies)?;
        }
    }
    let checksum = report.checksum()?;
    let colliding = report.colliding_pairs;

    let mut times = Vec::new();
    let mut steady = true;
    let start = Instant::now();
    while (times.len() as u32) < most_frames(frames) {
        if frames.is_none() && times.len() as u32 >= LEAST_FRAMES && start.elapsed() > ROW_TIME {
            break;
        }
        report = checker.check(bodies)?;
        steady &= report.complete && report.colliding_pairs == colliding && report.checksum()? == checksum;
        times.push(report.timings.clone());
        progress.step();
    }

    let gpu_totals: Vec<f64> = times
        .iter()
        .map(|time| time.gpu.iter().map(|(_, time)| time).sum())
        .collect();
    let gpu = by_stage(times.iter().map(|time| time.gpu.as_slice()));
    Ok(Measurement {
        wall: Time::of(times.iter().map(|time| time.total).collect()),
        stages: by_stage(times.iter().map(|time| time.wall.as_slice())),
        gpu_total: (!gpu.is_empty()).then(|| Time::of(gpu_totals)),
        gpu,
        frames: times,
        checksum: report.checksum()?,
        report,
        steady,
    })
}

/// Returns the times of each stage, in order of first appearance. If a stage runs more than once in
/// a frame, its times are summed; frames without the stage do not count.
fn by_stage<'a>(frames: impl Iterator<Item = &'a [(Stage, f64)]>) -> Vec<(Stage, Time)> {
    let mut samples: Vec<(Stage, Vec<f64>, usize)> = Vec::new();
    for (number, frame) in frames.enumerate() {
        for &(stage, time) in frame {
            match samples.iter_mut().find(|(known, ..)| *known == stage) {
                Some((_, times, last)) if *last == number => {
                    times[..].last_mut().into_iter().for_each(|sum| *sum += time)
                }
                Some((_, times, last)) => {
                    times.push(time);
                    *last = number;
                }
                None => samples.push((stage, vec![time], number)),
            }
        }
    }
    samples
        .into_iter()
        .map(|(stage, times, _)| (stage, Time::of(times)))
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
    fn stages_may_differ_between_frames() {
        let frames: [&[_]; 3] = [
            &[(Stage::Bounds, 1.0), (Stage::Broad, 2.0), (Stage::Broad, 3.0)],
            &[(Stage::Bounds, 3.0), (Stage::Broad, 7.0)],
            &[(Stage::Bounds, 2.0), (Stage::Readback, 1.0)],
        ];
        assert_eq!(
            by_stage(frames.into_iter()),
            [
                (Stage::Bounds, time(2.0, 1.0)),
                (Stage::Broad, time(6.0, 5.0)),
                (Stage::Readback, time(1.0, 1.0))
            ]
        );
    }
}
