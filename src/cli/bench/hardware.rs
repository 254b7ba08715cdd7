//! `obbligato bench --hardware`: all there is to measure on a GPU, in one call of bounded time. Correctness comes first, then what
//! says most; each result is written as soon as it is there.

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use obbligato::{
    Checker, Config, Error, Obb,
    files::SceneFile,
    gpu::{FrameQuery, TimedBy},
    scenes::Scene,
    unstable::{
        adversarial::audit::{self, Audit},
        gpu::{After, DeviceRates},
    },
};
use serde_json::{Value, json};

use super::{
    kernels::{rates_json, rates_line},
    peers::Peers,
    resident::{self, MOST_TIMED, frames_at_once},
    row::{COLUMNS, Setting},
    subject::Subject,
    timed::{Manner, time},
};
use crate::cli::{
    adapters::described,
    args::bench::BenchOptions,
    args::choices::PrecisionName,
    args::values::DEFAULT_SEED,
    compare, date, engine,
    failure::Failure,
    generate, json, machine, output,
    progress::Progress,
    table::{self, grouped},
};

/// Boxes to begin with.
const COUNT: usize = 1_000_000;
const SOFTWARE_COUNT: usize = 20_000;

/// Within this margin distances are measured.
const MARGIN: f32 = 0.25;

/// Room for points of contact, a pair: nearly all have four at most.
const POINTS: u64 = 5;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    /// Pairs that are hard to judge.
    Adversarial(usize),
    /// The GPU's pairs, the CPU's and the reference's.
    Verify(Scene, usize),
    /// What the device's memory does at best.
    Rates,
    /// Frames that stay on the device, and their kernels.
    Resident(Scene, usize),
    /// Calls that upload and read back.
    Check(Scene, usize),
    /// Contacts of the pairs of frames that stay on the device.
    Contacts(Scene, usize),
    /// Distances, likewise.
    Distances(Scene, usize),
    /// Making a checker, with a pipeline cache and without.
    StartUp,
}

impl Step {
    /// All of them, in order.
    fn all(count: usize) -> Vec<Self> {
        let (more, most) = (count.saturating_mul(10), count.saturating_mul(100));
        let others = [Scene::Mixed, Scene::Clusters, Scene::Crowd, Scene::Bricks];
        let mut all = vec![Self::Adversarial(count)];
        all.extend(Scene::ALL.into_iter().map(|scene| Self::Verify(scene, count)));
        all.push(Self::Rates);
        for (scene, count) in [(Scene::Uniform, count), (Scene::Uniform, more), (Scene::Dense, more)] {
            all.extend([Self::Resident(scene, count), Self::Check(scene, count)]);
        }
        all.extend(others.into_iter().map(|scene| Self::Resident(scene, more)));
        for scene in [Scene::Uniform, Scene::Dense] {
            all.extend([Self::Contacts(scene, count), Self::Distances(scene, count)]);
        }
        all.extend([Self::StartUp, Self::Resident(Scene::Uniform, most)]);
        all
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Adversarial(_) => "adversarial",
            Self::Verify(..) => "verify",
            Self::Rates => "rates",
            Self::Resident(..) => "resident",
            Self::Check(..) => "check",
            Self::Contacts(..) => "contacts",
            Self::Distances(..) => "distances",
            Self::StartUp => "start-up",
        }
    }

    /// What it is about.
    const fn subject(self) -> Option<(Scene, usize)> {
        match self {
            Self::Adversarial(_) | Self::Rates | Self::StartUp => None,
            Self::Verify(scene, count)
            | Self::Resident(scene, count)
            | Self::Check(scene, count)
            | Self::Contacts(scene, count)
            | Self::Distances(scene, count) => Some((scene, count)),
        }
    }

    fn title(self) -> String {
        match (self, self.subject()) {
            (Self::Adversarial(pairs), _) => format!("{} {}", self.name(), grouped(pairs as u64)),
            (_, Some((scene, count))) => format!("{} {scene} {}", self.name(), grouped(count as u64)),
            _ => self.name().to_owned(),
        }
    }

    /// Roughly how long it takes among the steps of its kind: boxes, more of them where they have many partners.
    fn effort(self) -> f64 {
        let Some((scene, count)) = self.subject() else {
            return 1.0;
        };
        let of_box = match scene {
            Scene::Dense | Scene::Bricks => 6.0,
            Scene::Mixed | Scene::Clusters | Scene::Crowd => 2.0,
            _ => 1.0,
        };
        count as f64 * of_box
    }
}

/// What a step has to say.
struct Outcome {
    json: Value,
    text: String,
    /// How two answers differ that should agree.
    difference: Option<String>,
}

pub fn run(folder: &Path, options: &BenchOptions) -> Result<(), Failure> {
    let config = Config {
        precision: options.precision.precision(),
        ..options.backend.config()?
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

/// The files of a run.
struct Log {
    folder: PathBuf,
    results: File,
    summary: File,
}

impl Log {
    /// Makes the folder and the files, which must not be there.
    fn new(folder: &Path) -> Result<Self, Failure> {
        let wrong = |path: &Path, error: std::io::Error| {
            let path = output::shown(path);
            Failure::Input(format!("{path}: cannot be made: {error}: name a new folder"))
        };
        fs::create_dir_all(folder).map_err(|error| wrong(folder, error))?;
        let file = |name: &str| {
            let path = folder.join(name);
            File::create_new(&path).map_err(|error| wrong(&path, error))
        };
        Ok(Self {
            folder: folder.to_owned(),
            results: file("results.jsonl")?,
            summary: file("summary.txt")?,
        })
    }

    fn failure(&self, error: &std::io::Error) -> Failure {
        let folder = output::shown(&self.folder);
        Failure::Input(format!("{folder}: cannot be written: {error}: free some space"))
    }

    /// Text for people, here and on stdout.
    fn say(&mut self, text: &str) -> Result<(), Failure> {
        let written = writeln!(self.summary, "{text}").and_then(|()| self.summary.flush());
        written.map_err(|error| self.failure(&error))?;
        match output::print(&format!("{text}\n")) {
            // The files are what matters.
            Err(Failure::ClosedPipe) => Ok(()),
            printed => printed,
        }
    }

    /// A line of results.
    fn note(&mut self, line: &Value) -> Result<(), Failure> {
        let written = writeln!(self.results, "{line}").and_then(|()| self.results.flush());
        written.map_err(|error| self.failure(&error))
    }
}

/// What a run goes by.
struct Kit {
    log: Log,
    config: Config,
    setting: Setting,
    checker: Checker,
    rates: Option<DeviceRates>,
    peers: Peers,
    /// The last scene that was made.
    scene: Option<((Scene, usize), SceneFile)>,
    seed: u64,
    precision: PrecisionName,
    frames: Option<u32>,
    /// A file for a pipeline cache.
    cache: PathBuf,
}

impl Kit {
    /// Writes where all this is measured.
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
        obbligato::unstable::output::write_text(&path, &format!("{environment:#}\n"))?;
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

    /// Takes one step after the other while there is time. What differs or fails is told at the end.
    fn all(&mut self, count: usize, start: Instant, most: Duration) -> Result<(), Failure> {
        let (mut paces, mut difference, mut failure) = (Vec::<(&str, f64)>::new(), None, None);
        for step in Step::all(count) {
            let left = most.saturating_sub(start.elapsed()).as_secs_f64();
            let pace = paces.iter().rev().find(|(name, _)| *name == step.name());
            let expected = pace.map_or(0.0, |(_, pace)| pace * step.effort());
            if expected >= left {
                let why = format!("would take {expected:.0} s of the {left:.0} s that are left");
                self.leave_out(step, &why)?;
                continue;
            }
            let began = Instant::now();
            let outcome = self.take(step);
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

    /// The boxes of a step: those of the step before, if they are the same.
    fn scene_of(&mut self, step: Step) -> Result<SceneFile, Failure> {
        let Some(subject) = step.subject() else {
            return Ok(SceneFile::default());
        };
        match self.scene.take() {
            Some((made, scene)) if made == subject => Ok(scene),
            _ => Ok(generate::scene(subject.0.into(), subject.1, self.seed)?),
        }
    }

    fn adversarial(&self, pairs: usize) -> Result<Outcome, Failure> {
        let config = Config {
            precision: audit::config().precision,
            list_touching: audit::config().list_touching,
            ..self.config.clone()
        };
        let mut checker = engine::best_checker(config)?;
        let audit = Audit::of(0..pairs as u64, self.seed, &mut checker, |_| ())?;
        let wrong = grouped(audit.wrong());
        Ok(Outcome {
            json: json!({ "pairs": pairs, "wrong": audit.wrong(), "passed": audit.wrong() == 0 }),
            text: format!("adversarial pairs {}: {wrong} wrong answers", grouped(pairs as u64)),
            difference: (audit.wrong() > 0).then(|| format!("{wrong} wrong answers")),
        })
    }

    fn verify(&mut self, step: Step, boxes: &[Obb]) -> Result<Outcome, Failure> {
        let report = self.checker.check(boxes)?;
        let verdict = compare::quick(boxes.into(), &report, None)?;
        let (checksum, pairs) = (report.checksum()?, report.colliding_pairs);
        Ok(Outcome {
            json: json!({
                "scene": step.subject().map(|(scene, _)| scene.name()),
                "boxes": boxes.len(),
                "colliding_pairs": pairs,
                "checksum": json::checksum(checksum),
                "verified": verdict.json(),
            }),
            text: format!(
                "{}: {} pairs, checksum {checksum:016x}, verified {}",
                step.title(),
                grouped(pairs),
                verdict.words()
            ),
            difference: verdict.difference,
        })
    }

    fn measure_rates(&mut self) -> Result<Outcome, Failure> {
        self.rates = resident::rates(&mut self.checker)?;
        self.setting.bandwidth = self.rates.as_ref().map(resident::bandwidth);
        let text = self
            .rates
            .as_ref()
            .map_or("memory: the device has no timestamps".into(), rates_line);
        Ok(Outcome {
            json: json!({ "device_rates": rates_json(self.rates.as_ref()) }),
            text,
            difference: None,
        })
    }

    /// A row, as `obbligato bench` has it.
    fn row(&mut self, step: Step, scene: &SceneFile) -> Result<Outcome, Failure> {
        let Some((named, count)) = step.subject() else {
            return Err(Failure::Input("this step is about no scene; please report this".into()));
        };
        let manner = Manner {
            resident: matches!(step, Step::Resident(..)),
            rates: self.rates,
            frames: self.frames,
            precision: self.precision,
            verify: true,
            verify_boxes: None,
        };
        let subject = Subject::Named(named.into(), count, self.seed);
        let progress = Progress::bar(0);
        let row = time(&mut self.checker, &self.config, (&subject, scene), manner, &progress)?;
        let mut text = table::row(&COLUMNS, &row.cells());
        if let Some(kernels) = row.kernels() {
            text += &kernels;
        }
        text += &self.peers.table([&row]).unwrap_or_default();
        Ok(Outcome {
            json: row.json(&self.setting, Value::Null, self.peers.json(&row)),
            text,
            difference: row.verdict.and_then(|verdict| verdict.difference),
        })
    }

    /// What comes after the frames: their gaps, as only the frames themselves are timed.
    fn after_frames(&mut self, step: Step, boxes: &[Obb]) -> Result<Outcome, Failure> {
        let config = match step {
            Step::Distances(..) => Config {
                margin: MARGIN,
                ..self.config.clone()
            },
            _ => self.config.clone(),
        };
        let mut checker = engine::best_checker(config)?;
        let report = checker.check(boxes)?;
        let mut inside = resident::inside(&mut checker)?;
        let (buffer, count) = resident::upload(&mut inside, boxes, &report)?;
        let after = match step {
            Step::Distances(..) => After::ClosestPoints,
            _ => After::Contacts(
                u32::try_from(report.colliding_pairs * POINTS)
                    .unwrap_or(u32::MAX)
                    .max(1),
            ),
        };
        let mut run = |frames| inside.time_frames(FrameQuery::boxes(&buffer, count), frames, TimedBy::Frame, after);
        run(2)?;
        // One more than there are gaps.
        let gaps = frames_at_once(self.frames, run(2)?.wall).min(MOST_TIMED);
        let timed = run(gaps + 1)?;
        let time = timed
            .timings
            .as_ref()
            .map(|timings| timings.between() / f64::from(gaps));
        let rate = time
            .filter(|time| *time > 0.0)
            .map(|time| f64::from(timed.outcome.pairs) / time * 1e3);
        let complete = timed.outcome.complete == 1;
        Ok(Outcome {
            json: json!({
                "scene": step.subject().map(|(scene, _)| scene.name()),
                "boxes": boxes.len(),
                "pairs": timed.outcome.pairs,
                "gpu_total_ms": time.map(json::milliseconds),
                "pairs_per_s": rate.map(|rate| rate.round() as u64),
                "frames": gaps,
            }),
            text: format!(
                "{}: {} pairs, {} ms a frame, {} pairs/s",
                step.title(),
                grouped(timed.outcome.pairs.into()),
                time.map_or("-".into(), |time| format!("{time:.3}")),
                rate.map_or("-".into(), table::rate),
            ),
            difference: (!complete).then(|| "a frame lacks some pairs of a check".into()),
        })
    }

    /// Checkers made anew: without a pipeline cache, with a new one, and with that of the last.
    fn start_up(&self) -> Result<Outcome, Failure> {
        let mut times = Vec::new();
        for cache in [None, Some(&self.cache), Some(&self.cache)] {
            let mut config = self.config.clone();
            config.gpu.pipeline_cache = cache.cloned();
            let start = Instant::now();
            engine::best_checker(config)?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        Ok(Outcome {
            json: json!({
                "without_cache_ms": json::milliseconds(times[0]),
                "new_cache_ms": json::milliseconds(times[1]),
                "with_cache_ms": json::milliseconds(times[2]),
            }),
            text: format!(
                "start-up: {:.1} ms without a pipeline cache, {:.1} ms making one, {:.1} ms with it",
                times[0], times[1], times[2]
            ),
            difference: None,
        })
    }
}
