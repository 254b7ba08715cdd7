//! Times frames that stay on the GPU: the bodies lie in a buffer there, and many frames go into one
//! submission.

use std::time::{Duration, Instant};

use obbligato::{
    Bodies, Checker, Pair, Report,
    gpu::{Capacity, FrameQuery, KernelTiming, Outcome, TimedBy},
    report::{Stage, Timings, checksum, sort_pairs},
    shape::BodyCounts,
    unstable::{
        exact,
        gpu::{After, Inside, TimedFrames},
    },
};

pub use obbligato::unstable::gpu::DeviceRates;

use crate::{
    failure::Failure,
    measure::{Measurement, Time},
    progress::Progress,
};

/// The number of frames of a submission, if they are short.
const FRAMES: u32 = 20;

/// The maximum time of a submission: graphics drivers end work that occupies a GPU for some
/// seconds.
const SUBMISSION_TIME: Duration = Duration::from_millis(500);

/// The time for untimed submissions at the beginning, which raise clocks.
const WARM_UP_TIME: Duration = Duration::from_millis(200);

/// The number of submissions; fewer once they have taken `ROW_TIME`.
const SUBMISSIONS: usize = 5;
const ROW_TIME: Duration = Duration::from_secs(3);

/// The maximum number of frames that a timer takes with all of their kernels.
pub const MOST_TIMED: u32 = 20;

/// The conditions under which resident frames were timed.
#[derive(Clone, Debug)]
pub struct Resident {
    /// The numbers of boxes, capsules and spheres.
    pub kinds: [u64; 3],
    /// The number of frames of each submission.
    pub each: u32,
    /// `true` if they kept the order of the first.
    pub refitted: bool,
    /// The times of each kernel, from a submission of its own; `None` without timestamps.
    pub kernels: Option<Kernels>,
    /// The peak rates of the device's memory.
    pub rates: Option<DeviceRates>,
}

/// The times of the kernels of some frames, in milliseconds per frame.
#[derive(Clone, Debug)]
pub struct Kernels {
    pub frames: u32,
    pub all: Vec<KernelTiming>,
    /// From the first timestamp of a frame to its last.
    pub total: f64,
    /// Fills and gaps.
    pub other: f64,
}

impl Kernels {
    fn of(frames: &TimedFrames) -> Option<Self> {
        let timings = frames.timings.as_ref()?;
        let number = timings.frames.len().max(1) as f64;
        let mut all = timings.kernels.clone();
        all.iter_mut().for_each(|kernel| kernel.time /= number);
        Some(Self {
            frames: timings.frames.len() as u32,
            all,
            total: timings.frames.iter().sum::<f64>() / number,
            other: timings.other() / number,
        })
    }

    /// Returns the time of each stage, as for checks.
    fn stages(&self) -> Vec<(Stage, Time)> {
        let mut stages: Vec<(Stage, f64)> = Vec::new();
        let rest = [(Stage::Other, self.other)];
        let all = self.all.iter().map(|kernel| (kernel.stage, kernel.time)).chain(rest);
        for (stage, time) in all {
            match stages.iter_mut().find(|(known, _)| *known == stage) {
                Some((_, sum)) => *sum += time,
                None => stages.push((stage, time)),
            }
        }
        let time = |time| Time::of(vec![time]);
        stages.into_iter().map(|(stage, sum)| (stage, time(sum))).collect()
    }
}

impl Resident {
    /// Names the mode of the frames.
    pub const fn mode(&self) -> &'static str {
        if self.refitted { "refitted" } else { "resident" }
    }

    /// Returns the number of frames of each submission.
    pub const fn frames(&self) -> u32 {
        self.each
    }
}

/// Returns the peak rates of the device's memory; `None` without timestamps.
pub fn rates(checker: &mut Checker) -> Result<Option<DeviceRates>, Failure> {
    Ok(inside(checker)?.rates()?)
}

/// Measures the bytes per second of a copy on the device; `None` on the CPU, and without
/// timestamps.
pub fn memory_bandwidth(checker: &mut Checker) -> Result<Option<f64>, Failure> {
    // The search for a GPU, unless it has taken place.
    checker.engine();
    match Inside::of(checker) {
        Some(mut inside) => Ok(inside.memory_bandwidth()?),
        None => Ok(None),
    }
}

/// Returns the bytes per second of a copy.
pub const fn bandwidth(rates: &DeviceRates) -> f64 {
    rates.copied_bytes
}

/// Returns the inside of a checker on a GPU.
pub fn inside(checker: &mut Checker) -> Result<Inside<'_>, Failure> {
    Inside::of(checker).ok_or_else(|| {
        Failure::Input("--resident and --hardware need a GPU, but this is the CPU: use --backend gpu".into())
    })
}

/// Times frames of these bodies: `frames` per submission, or as many as take half a second. With
/// `refit` they keep the order of the first. The result of the last is compared with that of a
/// check.
pub fn measure(
    checker: &mut Checker,
    bodies: Bodies<'_>,
    frames: Option<u32>,
    refit: bool,
    rates: Option<DeviceRates>,
    progress: &Progress,
) -> Result<(Measurement, Resident), Failure> {
    let report = checker.check(bodies)?;
    let mut inside = inside(checker)?;
    let (buffer, counts) = upload(&mut inside, bodies, &report)?;
    let query = FrameQuery::bodies(&buffer, counts);
    let query = if refit { query.refit() } else { query };
    let mut run = |frames, by| inside.time_frames(query, frames, by, After::Nothing);

    let start = Instant::now();
    run(1, TimedBy::Frame)?;
    let second = run(1, TimedBy::Frame)?;
    if refit && !second.recorded.refitted {
        return Err(Failure::Input(
            "--refit does not work with the grid: add --broad-phase lbvh, or drop --refit".into(),
        ));
    }
    let frames = frames_at_once(frames, second.wall);
    while start.elapsed() < WARM_UP_TIME {
        run(frames, TimedBy::Frame)?;
    }
    let (mut submissions, start) = (Vec::new(), Instant::now());
    while submissions.len() < SUBMISSIONS && (submissions.is_empty() || start.elapsed() < ROW_TIME) {
        submissions.push(run(frames, TimedBy::Frame)?);
        progress.steps(frames.into());
    }
    let of_kernels = run(frames.min(MOST_TIMED), TimedBy::Kernel)?;
    submissions.push(of_kernels);
    let (pairs, steady) = answer(&mut inside, bodies, &submissions, &report)?;
    let kernels = submissions.pop().as_ref().and_then(Kernels::of);

    let times: Vec<Timings> = submissions
        .iter()
        .map(|submission| timings(submission, frames))
        .collect();
    let totals = times.iter().flat_map(|times| &times.gpu).map(|(_, time)| *time);
    let totals: Vec<f64> = totals.collect();
    let measured = Measurement {
        wall: Time::of(times.iter().map(|times| times.total).collect()),
        stages: Vec::new(),
        gpu: kernels.as_ref().map_or_else(Vec::new, Kernels::stages),
        gpu_total: (!totals.is_empty()).then(|| Time::of(totals)),
        frames: times,
        checksum: checksum(&pairs),
        report,
        steady,
    };
    let resident = Resident {
        kinds: [bodies.boxes.len(), bodies.capsules.len(), bodies.spheres.len()].map(|count| count as u64),
        each: frames,
        refitted: refit,
        kernels,
        rates,
    };
    Ok((measured, resident))
}

/// Uploads the bodies to a buffer, and reserves room for everything that a check of them has found.
pub fn upload(
    inside: &mut Inside<'_>,
    bodies: Bodies<'_>,
    report: &Report,
) -> Result<(obbligato::wgpu::Buffer, BodyCounts), Failure> {
    let short = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let buffer = inside.upload_bodies(bodies)?;
    inside.reserve(Capacity {
        boxes: short(bodies.len() as u64),
        candidates: short(report.candidate_pairs),
        pairs: short(report.colliding_pairs),
        undecided: short(report.undecided_pairs),
    })?;
    Ok((buffer, bodies.into()))
}

/// Returns the requested number of frames, or as many as fit into the time of a submission.
pub fn frames_at_once(asked_for: Option<u32>, wall: f64) -> u32 {
    let in_time = SUBMISSION_TIME.as_secs_f64() * 1e3 / wall.max(1e-6);
    asked_for.unwrap_or_else(|| (in_time as u32).clamp(1, FRAMES))
}

/// Returns the times of a submission per frame.
fn timings(submission: &TimedFrames, frames: u32) -> Timings {
    let number = f64::from(frames);
    let mut times = Timings::default();
    times.total = submission.wall / number;
    times.gpu = (submission.timings.iter())
        .map(|timings| (Stage::Gpu, timings.total / number))
        .collect();
    times
}

/// Returns the pairs of the last frame, and `true` if all submissions agree with it and it agrees
/// with a check.
fn answer(
    inside: &mut Inside<'_>,
    bodies: Bodies<'_>,
    submissions: &[TimedFrames],
    report: &Report,
) -> Result<(Vec<Pair>, bool), Failure> {
    let Some(TimedFrames { recorded, outcome, .. }) = submissions.last() else {
        return Ok((Vec::new(), false));
    };
    let mut pairs: Vec<Pair> = inside.read(&recorded.pairs, outcome.pairs)?;
    let mut undecided: Vec<Pair> = inside.read(&recorded.undecided, outcome.undecided)?;
    match (bodies.capsules, bodies.spheres) {
        ([], []) => drop(exact::retain_colliding(bodies.boxes, &mut undecided)),
        _ => undecided.retain(|pair| bodies.at(pair.a).contact(bodies.at(pair.b)).collides()),
    }
    pairs.extend(undecided);
    sort_pairs(&mut pairs)?;
    let found = |outcome: &Outcome| (outcome.fits, outcome.pairs, outcome.undecided);
    let agree = submissions
        .iter()
        .all(|submission| found(&submission.outcome) == (1, outcome.pairs, outcome.undecided));
    let steady = agree && pairs == report.pairs()?;
    Ok((pairs, steady))
}
