//! `obbligato bench --hardware`: all measurements on a GPU, in one call of bounded time.
//! Correctness comes first, then the most informative measurements; each result is written as soon
//! as it is known.

mod log;
mod measurements;
mod step;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use obbligato::{Checker, Config, Error, unstable::gpu::DeviceRates};
use obbligato_files::SceneFile;
use obbligato_verify::scenes::Scene;
use serde_json::json;

use crate::adapters::described;
use crate::args::bench::BenchOptions;
use crate::args::choices::PrecisionName;
use crate::args::values::DEFAULT_SEED;
use crate::bench::hardware::log::Log;
use crate::bench::hardware::step::{Outcome, Step};
use crate::bench::peers::Peers;
use crate::bench::resident;
use crate::bench::row::{COLUMNS, Setting};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::table::{self, grouped};
use crate::{date, engine, generate, json, machine};

/// The number of boxes to begin with.
const COUNT: usize = 1_000_000;
const SOFTWARE_COUNT: usize = 20_000;

pub fn run(folder: &Path, options: &BenchOptions) -> Result<(), Failure> {
    let config = Config {
        precision: options.precision.precision(),
        ..options.search.config()?
    };
    let peers = options
        .peer_file
        .as_deref()
        .map(Peers::read)
        .transpose()?
        .unwrap_or_default();
    let start = Instant::now();
    let mut checker = engine::best_checker(config.clone())?;
    let startup = start.elapsed().as_secs_f64() * 1e3;
    resident::inside(&mut checker)?;
    let hardware = engine::is_hardware(checker.engine()) == Some(true);
    let default = if hardware { COUNT } else { SOFTWARE_COUNT };
    let count = options.counts.first().copied().unwrap_or(default);
    let mut kit = Kit {
        log: Log::new(folder)?,
        config,
        setting: Setting {
            date: date::today(),
            cpu: machine::cpu(),
            startup,
            bandwidth: None,
        },
        checker,
        rates: None,
        peers,
        scene: None,
        seed: options.seed.unwrap_or(DEFAULT_SEED),
        precision: options.precision,
        frames: options.frames,
        cache: folder.join("pipelines.cache"),
    };
    kit.environment(count, options.minutes)?;
    kit.all(count, start, Duration::from_secs_f64(options.minutes * 60.0))
}

/// The state of a run.
struct Kit {
    log: Log,
    config: Config,
    setting: Setting,
    checker: Checker,
    rates: Option<DeviceRates>,
    peers: Peers,
    /// The last scene that was generated.
    scene: Option<((Scene, usize), SceneFile)>,
    seed: u64,
    precision: PrecisionName,
    frames: Option<u32>,
    /// A file for a pipeline cache.
    cache: PathBuf,
}

impl Kit {
    /// Writes a description of the environment.
    fn environment(&mut self, count: usize, minutes: f64) -> Result<(), Failure> {
        let engine = self.checker.engine().clone();
        let inside = resident::inside(&mut self.checker)?;
        let limits = inside.limits();
        let features: Vec<&str> = inside.features().iter_names().map(|(name, _)| name).collect();
        let environment = json!({
            "adapter": engine::adapter(&engine),
            "driver": engine::driver(&engine),
            "hardware": engine::is_hardware(&engine),
            "devices": described(),
            "features": features,
            "limits": {
                "max_buffer_size": limits.max_buffer_size,
                "max_storage_buffer_binding_size": limits.max_storage_buffer_binding_size,
                "max_compute_workgroups_per_dimension": limits.max_compute_workgroups_per_dimension,
                "max_compute_invocations_per_workgroup": limits.max_compute_invocations_per_workgroup,
                "max_compute_workgroup_storage_size": limits.max_compute_workgroup_storage_size,
            },
            "cpu": self.setting.cpu,
            "threads": std::thread::available_parallelism().map_or(1, usize::from),
            "system": format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            "startup_ms": json::milliseconds(self.setting.startup),
            "count": count,
            "minutes": minutes,
            "seed": self.seed,
            "commit": machine::COMMIT,
            "date": self.setting.date,
            "version": env!("CARGO_PKG_VERSION"),
        });
        let path = self.log.folder.join("environment.json");
        obbligato_files::output::write_text(&path, &format!("{environment:#}\n"))?;
        let on_hardware = match engine::is_hardware(&engine) {
            Some(true) => "",
            _ => "; a software adapter, whose times say nothing about hardware",
        };
        self.log.say(&format!(
            "{}{on_hardware}\ncommit {}, {}; start-up {:.1} ms; from {} boxes, {minutes} minutes at most\n\n{}",
            engine::describe(&engine),
            machine::COMMIT.unwrap_or("unknown"),
            self.setting.date,
            self.setting.startup,
            grouped(count as u64),
            table::headings(&COLUMNS).trim_end(),
        ))
    }

    /// Takes one step after the other until the time is up. Differences and failures are reported
    /// at the end.
    fn all(&mut self, count: usize, start: Instant, most: Duration) -> Result<(), Failure> {
        let (mut paces, mut difference, mut failure) = (Vec::<(&str, f64)>::new(), None, None);
        let steps = Step::all(count);
        for (number, &step) in steps.iter().enumerate() {
            let left = most.saturating_sub(start.elapsed()).as_secs_f64();
            let pace = paces.iter().rev().find(|(name, _)| *name == step.name());
            let expected = pace.map_or(0.0, |(_, pace)| pace * step.effort());
            if expected >= left {
                let why = format!("would take {expected:.0} s of the {left:.0} s that are left");
                self.leave_out(step, &why)?;
                continue;
            }
            let progress = Progress::bar(steps.len() as u64);
            progress.steps(number as u64);
            progress.stage(step.title());
            let began = Instant::now();
            let outcome = self.take(step);
            drop(progress);
            let seconds = began.elapsed().as_secs_f64();
            match outcome {
                Ok(mut outcome) => {
                    paces.push((step.name(), seconds / step.effort()));
                    outcome.json["step"] = json!(step.name());
                    outcome.json["seconds"] = json::number(seconds);
                    self.log.note(&outcome.json)?;
                    self.log.say(outcome.text.trim_end())?;
                    if let Some(how) = outcome.difference {
                        self.log.say(&format!("WRONG: {}: {how}", step.title()))?;
                        difference.get_or_insert(format!("{}: {how}", step.title()));
                    }
                }
                Err(Failure::Library(
                    error @ (Error::OutOfDeviceMemory { .. } | Error::OutOfMemory { .. } | Error::LimitExceeded { .. }),
                )) => self.leave_out(step, &error.to_string())?,
                Err(Failure::Library(error)) => {
                    self.log
                        .note(&json!({ "step": step.name(), "what": step.title(), "failed": error.to_string() }))?;
                    self.log.say(&format!("FAILED: {}: {error}", step.title()))?;
                    failure.get_or_insert(Failure::Library(error));
                    // The device may be lost.
                    self.checker = engine::best_checker(self.config.clone())?;
                }
                Err(other) => return Err(other),
            }
        }
        let took = start.elapsed().as_secs_f64();
        self.log.say(&format!(
            "\n{took:.0} s in all; results in {}",
            self.log.folder.display()
        ))?;
        match (difference, failure) {
            (Some(how), _) => Err(Failure::Difference(how)),
            (None, Some(failure)) => Err(failure),
            (None, None) => Ok(()),
        }
    }

    fn leave_out(&mut self, step: Step, why: &str) -> Result<(), Failure> {
        self.log
            .note(&json!({ "step": step.name(), "what": step.title(), "left_out": why }))?;
        self.log.say(&format!("left out: {}: {why}", step.title()))
    }

    fn take(&mut self, step: Step) -> Result<Outcome, Failure> {
        let scene = self.scene_of(step)?;
        let outcome = match step {
            Step::Adversarial(pairs) => self.adversarial(pairs),
            Step::Verify(..) => self.verify(step, &scene.boxes),
            Step::Rates => self.measure_rates(),
            Step::Resident(..) | Step::Check(..) => self.row(step, &scene),
            Step::Contacts(..) | Step::Distances(..) => self.after_frames(step, &scene.boxes),
            Step::StartUp => self.start_up(),
        };
        self.scene = step.subject().map(|subject| (subject, scene));
        outcome
    }

    /// Returns the boxes of a step: those of the previous step, if they are the same.
    fn scene_of(&mut self, step: Step) -> Result<SceneFile, Failure> {
        let Some(subject) = step.subject() else {
            return Ok(SceneFile::default());
        };
        match self.scene.take() {
            Some((made, scene)) if made == subject => Ok(scene),
            _ => Ok(generate::scene(subject.0.into(), subject.1, self.seed)?),
        }
    }
}
