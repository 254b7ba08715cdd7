//! `obbligato soak`: frames of moving scenes of every kind of bodies on every engine, compared with
//! the reference, for as long as requested.

mod host;
mod report;
mod rules;
mod scene;

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use obbligato::{
    Backend, Checker, Config, Error, Pair, Stop,
    report::Engine,
    tracking::{Tracker, TrackerConfig},
};
use obbligato_verify::compare::{difference, verify_sample};

use self::{
    report::Outcome,
    scene::{Bodies, Moving, STEPS},
};
use super::{
    args::soak::SoakArguments,
    engine::{self, best_checker},
    failure::{Failure, note},
    output::{self, Sink},
    signals,
    table::counted,
};

/// The small frames of a cycle. One large frame follows, and then the next engine.
const SMALL: u64 = 10 * STEPS;

/// One small frame of this many is compared with the reference.
const EVERY: u64 = 25;

/// The bodies of large scenes on software adapters, as a part of those on others.
const SOFTWARE_PART: usize = 20;

/// The number of tests that compare a large frame with the reference.
const TESTS: usize = 20_000_000;

/// The number of lines printed during a run.
const LINES: f64 = 20.0;

/// The part of a run after which memory stays.
const WARM_UP: f64 = 0.1;

/// An engine, with what it keeps from frame to frame.
struct Runner {
    checker: Checker,
    tracker: Tracker,
    /// The number of bodies of its largest scene.
    large: usize,
}

pub fn run(arguments: &SoakArguments) -> Result<(), Failure> {
    let outputs: Vec<_> = arguments.json.iter().map(Sink::target).collect();
    output::check_paths(&outputs, &[], &arguments.backend.kept())?;
    let stop = Stop::default();
    let mut runners = runners(arguments, &stop)?;
    let engines = runners.iter().map(|runner| engine::describe(runner.checker.engine()));
    let mut soak = Soak {
        outcome: Outcome {
            seed: arguments.seed.unwrap_or_else(of_clock),
            engines: engines.collect(),
            first: arguments.first as u64,
            ..Outcome::default()
        },
        arguments,
        start: Instant::now(),
        scene: None,
        fault: arguments.inject_fault,
        shows: arguments.json != Some(Sink::Stdout),
    };
    signals::stop_instead(&stop);
    let ended = soak.run(&mut runners, &stop);
    let Soak { outcome, fault, .. } = soak;
    let printed = output::show(arguments.json.as_ref(), || outcome.json(), || outcome.summary());
    ended?;
    match &outcome.difference {
        Some(difference) => Err(Failure::Difference(difference.clone())),
        None if arguments.inject_fault => Err(unnoticed(fault)),
        None => printed,
    }
}

/// Returns the failure of a run that should have found a difference; `remains` if it had no fault.
fn unnoticed(remains: bool) -> Failure {
    Failure::Difference(match remains {
        true => "no fault was injected: none of the frames compared has a pair: run more frames".into(),
        false => "the fault was not noticed: the removed pair is in none of the boxes compared: run more frames".into(),
    })
}

/// Returns a seed that differs from run to run.
fn of_clock() -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH);
    time.map_or(1, |time| time.as_micros() as u64)
}

/// Returns every engine that the options allow, that of the CPU first.
fn runners(arguments: &SoakArguments, stop: &Stop) -> Result<Vec<Runner>, Failure> {
    let config = Config {
        stop: stop.clone(),
        ..arguments.backend.config()?
    };
    let mut configs = Vec::new();
    if config.backend != Backend::Gpu && config.adapter.is_none() {
        configs.push(Config {
            backend: Backend::Cpu,
            ..config.clone()
        });
    }
    if config.backend != Backend::Cpu {
        let of_gpu = |adapter| Config {
            backend: Backend::Gpu,
            adapter,
            ..config.clone()
        };
        let adapters = match &config.adapter {
            Some(_) => 1,
            None => adapters(),
        };
        match (adapters, config.backend, &config.adapter) {
            // Asking for one gives the error.
            (0, Backend::Gpu, _) => configs.push(of_gpu(None)),
            (0, ..) => note("there is no adapter: the CPU alone is used"),
            (_, _, Some(adapter)) => configs.push(of_gpu(Some(adapter.clone()))),
            (adapters, ..) => configs.extend((0..adapters).map(|index| of_gpu(Some(index.to_string())))),
        }
    }
    configs
        .into_iter()
        .map(|config| runner(config, arguments.large))
        .collect()
}

#[cfg(feature = "gpu")]
fn adapters() -> usize {
    obbligato::gpu::adapters().len()
}

#[cfg(not(feature = "gpu"))]
fn adapters() -> usize {
    0
}

fn runner(config: Config, large: usize) -> Result<Runner, Failure> {
    let checker = best_checker(config.clone())?;
    let is_software = matches!(checker.engine(), Engine::Gpu { kind, .. } if !kind.is_hardware());
    Ok(Runner {
        checker,
        tracker: Tracker::new(best_checker(config)?, TrackerConfig::default()),
        large: if is_software { large / SOFTWARE_PART } else { large },
    })
}

/// A run.
struct Soak<'a> {
    arguments: &'a SoakArguments,
    outcome: Outcome,
    start: Instant,
    /// The scene in use, and its number.
    scene: Option<(u64, Moving)>,
    /// Set if a fault remains to be injected.
    fault: bool,
    /// Set if lines are printed.
    shows: bool,
}

impl Soak<'_> {
    /// Runs until the end, the first difference, or a signal.
    fn run(&mut self, runners: &mut [Runner], stop: &Stop) -> Result<(), Failure> {
        self.outcome.memory.start = host::resident();
        self.show(&self.outcome.heading())?;
        let mut lines = 0.0;
        let mut ended = Ok(());
        while self.done() < 1.0 && self.outcome.difference.is_none() && !self.outcome.interrupted {
            let frame = self.outcome.first + self.outcome.frames;
            let turn = (frame / (SMALL + 1) % runners.len() as u64) as usize;
            let result = self.frame(frame, &mut runners[turn]);
            let place = || self.place(frame, turn);
            match result {
                Ok(None) => self.outcome.frames += 1,
                Ok(Some(how)) => self.outcome.difference = Some(format!("{}: {how}; {}", place(), self.repeat(frame))),
                Err(Error::Stopped) => {}
                Err(error) => {
                    ended = Err(Failure::from(error).at(&place()));
                    break;
                }
            }
            self.outcome.interrupted = stop.is_requested();
            self.outcome.minutes = self.start.elapsed().as_secs_f64() / 60.0;
            if self.done() >= WARM_UP && self.outcome.memory.warm.is_none() {
                self.outcome.memory.warm = self.resident();
            }
            if self.done() * LINES >= lines + 1.0 {
                lines = (self.done() * LINES).floor();
                let resident = self.resident();
                self.show(&self.outcome.line(resident))?;
            }
        }
        self.scene = None;
        self.outcome.memory.note_end();
        ended
    }

    /// Returns the memory of this process without a scene, which the next frame makes again. Scenes
    /// are of any size, so only what is left between them can stay the same.
    fn resident(&mut self) -> Option<u64> {
        self.scene = None;
        host::resident()
    }

    fn show(&self, text: &str) -> Result<(), Failure> {
        match self.shows {
            true => output::print(text),
            false => Ok(()),
        }
    }

    /// Returns the part of the run that is done.
    fn done(&self) -> f64 {
        let of_time = self.arguments.minutes.map(|minutes| self.outcome.minutes / minutes);
        let of_frames = self.arguments.frames.map(|frames| match frames {
            0 => 1.0,
            frames => self.outcome.frames as f64 / frames as f64,
        });
        of_time.unwrap_or(0.0).max(of_frames.unwrap_or(0.0))
    }

    /// Returns a frame and its engine as words.
    fn place(&self, frame: u64, turn: usize) -> String {
        let kind = self.scene.as_ref().map_or("", |(_, scene)| scene.bodies.kind());
        let Outcome { seed, engines, .. } = &self.outcome;
        format!("frame {frame} of seed {seed} ({kind}) on {}", engines[turn])
    }

    /// Returns how to repeat a frame.
    fn repeat(&self, frame: u64) -> String {
        let Outcome { seed, first, .. } = self.outcome;
        let mut options = self.arguments.backend.words();
        options += &format!(" --large {}", self.arguments.large);
        format!(
            "repeat the run with `obbligato soak --seed {seed} --first {first} --frames {}{options}`, or this frame alone \
             with `--first {frame} --frames 1`",
            frame - first + 1
        )
    }

    /// Checks a frame. Returns a description of the difference, if there is one.
    fn frame(&mut self, frame: u64, runner: &mut Runner) -> Result<Option<String>, Error> {
        let (cycle, within) = (frame / (SMALL + 1), frame % (SMALL + 1));
        let is_large = within == SMALL;
        let number = cycle * (SMALL / STEPS + 1) + within / STEPS;
        let seed = self.outcome.seed;
        if self.scene.as_ref().is_none_or(|(known, _)| *known != number) {
            // The memory of the last scene is free before that of the next one is taken.
            self.scene = None;
            let scene = match is_large {
                true => Moving::large(seed, number, runner.large),
                false => Moving::small(seed, number),
            };
            self.scene = Some((number, scene));
        }
        let Some((_, scene)) = &self.scene else {
            return Ok(None);
        };
        let bodies = scene.at(within % STEPS);
        let mut pairs = scene.found(&bodies, &mut runner.checker)?;
        let estimate = runner.checker.memory_estimate(bodies.counts(), pairs.len());
        self.outcome.device_bytes = self.outcome.device_bytes.max(estimate.device_bytes);
        self.outcome.pairs += pairs.len() as u64;
        self.outcome.large += u64::from(is_large);
        if let Bodies::Mixed(owned, rules) = &bodies {
            let tracked = runner.tracker.update_by_position(owned.all().with(rules.get()))?;
            if tracked.pairs != pairs {
                return Ok(Some(format!(
                    "the tracker and the check differ, {}",
                    differs(&pairs, tracked.pairs)
                )));
            }
        }
        if !is_large && !within.is_multiple_of(EVERY) {
            return Ok(None);
        }
        if self.fault && !pairs.is_empty() {
            self.fault = false;
            pairs.pop();
        }
        self.outcome.checks += 1;
        Ok(match &bodies {
            Bodies::Large(owned) => {
                let sample = (TESTS / owned.all().len().max(1)).max(1);
                let verified = verify_sample(owned.all(), &pairs, sample, number);
                (!verified.passed()).then(|| verified.to_string())
            }
            _ => {
                let expected = scene.expected(&bodies);
                (expected != pairs)
                    .then(|| format!("the result and the reference differ, {}", differs(&expected, &pairs)))
            }
        })
    }
}

/// Describes the difference of two lists of pairs.
fn differs(expected: &[Pair], found: &[Pair]) -> String {
    let difference = difference(expected, found);
    let (missing, extra) = (difference.missing.len(), difference.extra.len());
    let first = difference.missing.first().or(difference.extra.first());
    let first = first.map_or(String::new(), |pair| format!(", such as ({}, {})", pair.a, pair.b));
    format!(
        "{missing} missing and {}{first}",
        counted(extra as u64, "extra pair", "extra pairs")
    )
}
