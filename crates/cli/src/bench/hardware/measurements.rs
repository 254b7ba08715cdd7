//! The measurement of each step.

use std::time::Instant;

use crate::adversarial::audit::{self, Audit};
use obbligato::{
    Config, Obb,
    gpu::{FrameQuery, TimedBy},
    unstable::gpu::After,
};
use obbligato_files::SceneFile;
use serde_json::{Value, json};

use crate::bench::hardware::Kit;
use crate::bench::hardware::step::{Outcome, Step};
use crate::bench::kernels::{rates_json, rates_line};
use crate::bench::resident::{self, MOST_TIMED, frames_at_once};
use crate::bench::row::COLUMNS;
use crate::bench::subject::Subject;
use crate::bench::timed::{Manner, time};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::table::{self, grouped};
use crate::{compare, engine, json};

/// The margin within which distances are measured.
const MARGIN: f64 = 0.25;

/// The number of contact points per pair to reserve: nearly all pairs have four at most.
const POINTS: u64 = 5;

impl Kit {
    pub(super) fn adversarial(&self, pairs: usize) -> Result<Outcome, Failure> {
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

    pub(super) fn verify(&mut self, step: Step, boxes: &[Obb]) -> Result<Outcome, Failure> {
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

    pub(super) fn measure_rates(&mut self) -> Result<Outcome, Failure> {
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

    /// Measures a row, as `obbligato bench` does.
    pub(super) fn row(&mut self, step: Step, scene: &SceneFile) -> Result<Outcome, Failure> {
        let Some((named, count)) = step.subject() else {
            return Err(Failure::Input("this step has no scene; please report this".into()));
        };
        let manner = Manner {
            resident: matches!(step, Step::Resident(..)),
            refit: false,
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

    /// Measures the commands after the frames by the gaps between frames, because only the frames
    /// themselves are timed.
    pub(super) fn after_frames(&mut self, step: Step, boxes: &[Obb]) -> Result<Outcome, Failure> {
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
        let (buffer, counts) = resident::upload(&mut inside, boxes.into(), &report)?;
        let after = match step {
            Step::Distances(..) => After::ClosestPoints,
            _ => After::Contacts(
                u32::try_from(report.colliding_pairs * POINTS)
                    .unwrap_or(u32::MAX)
                    .max(1),
            ),
        };
        let mut run = |frames| inside.time_frames(FrameQuery::bodies(&buffer, counts), frames, TimedBy::Frame, after);
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
        let fits = timed.outcome.fits == 1;
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
                "{}: {} pairs, {} ms per frame, {} pairs/s",
                step.title(),
                grouped(timed.outcome.pairs.into()),
                time.map_or("-".into(), |time| format!("{time:.3}")),
                rate.map_or("-".into(), table::rate),
            ),
            difference: (!fits).then(|| "a frame lacks some pairs of a check".into()),
        })
    }

    /// Times the creation of checkers: without a pipeline cache, with an empty one, and with that
    /// of the last.
    pub(super) fn start_up(&self) -> Result<Outcome, Failure> {
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
