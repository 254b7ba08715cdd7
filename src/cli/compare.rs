//! Compares one backend's results with the other backend and with the reference.

use std::time::{Duration, Instant};

use obbligato::{
    Backend, Checker, Config, Engine, Obb, Pair, Report,
    files::{Ids, SceneFile},
    reference,
    verify::{self, DisagreementKind, Verification},
};

use super::failure::Failure;

/// The seed that picks the boxes of a sample.
const SAMPLE_SEED: u64 = 1;

/// How much of a scene to compare with the reference.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The most boxes in a scene that is compared as a whole, every box with every other.
    pub whole: usize,
    /// In larger scenes, the most boxes to compare, each with every other.
    pub sample: usize,
    /// The most time for them on one core.
    pub time: Duration,
}

impl Effort {
    /// What `verify` spends.
    pub const FULL: Self = Self {
        whole: 20_000,
        sample: 2_000,
        time: Duration::from_secs(20),
    };

    /// What `bench` spends on each row.
    pub const QUICK: Self = Self {
        whole: 4_000,
        sample: 200,
        time: Duration::from_millis(500),
    };
}

/// The independent reference for one scene, or for a sample that is the same in every call of [`Reference::verify`].
pub struct Reference<'a> {
    boxes: &'a [Obb],
    /// `None` = all boxes.
    sample: Option<usize>,
}

impl<'a> Reference<'a> {
    /// Picks how many boxes the effort allows. If not all of them, it times one box first.
    pub fn new(boxes: &'a [Obb], effort: Effort) -> Self {
        if boxes.len() <= effort.whole {
            return Self { boxes, sample: None };
        }
        let start = Instant::now();
        reference::partners(boxes, boxes.len() / 2);
        let one = start.elapsed().as_secs_f64().max(1e-9);
        let fit = (effort.time.as_secs_f64() / one) as usize;
        Self {
            boxes,
            sample: Some(fit.clamp(1, effort.sample)),
        }
    }

    /// Compares pairs with the reference, and also how many only touch if the reference covers all boxes.
    pub fn verify(&self, found: &[Pair], touching: Option<u64>) -> Verification {
        match self.sample {
            None => verify::verify_contacts(self.boxes, found, touching),
            Some(sample) => verify::verify_sample(self.boxes, found, sample, SAMPLE_SEED),
        }
    }
}

/// Runs a check on the CPU backend.
pub fn on_cpu(boxes: &[Obb]) -> Result<Report, Failure> {
    let mut checker = Checker::new(Config {
        backend: Backend::Cpu,
        ..Config::default()
    })?;
    Ok(checker.check(boxes)?)
}

/// The outcome of a quick comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// No difference.
    Agrees,
    /// How the results differ.
    Differs(String),
}

/// Quickly compares an exact report with the reference and, if it is a GPU's, with the CPU backend.
pub fn quick(boxes: &[Obb], report: &Report) -> Result<Verdict, Failure> {
    if matches!(report.engine, Engine::Gpu { .. }) {
        let cpu = on_cpu(boxes)?;
        if cpu.checksum() != report.checksum() || cpu.touching_pairs != report.touching_pairs {
            let against_cpu = against(&cpu, report.pairs(), report.touching_pairs, boxes);
            if !against_cpu.passed() {
                return Ok(Verdict::Differs(format!(
                    "the GPU and the CPU backend differ, {}",
                    numbers(&against_cpu)
                )));
            }
        }
    }
    let against_reference = Reference::new(boxes, Effort::QUICK).verify(report.pairs(), report.touching_pairs);
    Ok(judge(&against_reference, against_reference.passed()))
}

/// Quickly checks that a conservative report has every pair of the reference.
pub fn quick_superset(boxes: &[Obb], report: &Report) -> Verdict {
    let verification = Reference::new(boxes, Effort::QUICK).verify(report.pairs(), None);
    let mut extra = verification.extra.iter();
    let allowed = extra.all(|extra| extra.kind == DisagreementKind::Extra);
    judge(&verification, verification.missing.is_empty() && allowed)
}

fn judge(against_reference: &Verification, passed: bool) -> Verdict {
    match passed {
        true => Verdict::Agrees,
        false => Verdict::Differs(format!(
            "the result and the reference differ, {}",
            numbers(against_reference)
        )),
    }
}

/// Compares pairs, and how many only touch, with the CPU backend's report.
pub fn against(cpu: &Report, found: &[Pair], touching: Option<u64>, boxes: &[Obb]) -> Verification {
    verify::compare(cpu.pairs(), found, boxes).with_touching(cpu.touching_pairs, touching)
}

/// What differs.
pub fn numbers(verification: &Verification) -> String {
    let (missing, extra) = (verification.missing.len(), verification.extra.len());
    match verification.touching {
        Some((expected, found)) if missing + extra == 0 && expected != found => {
            format!("{found} touching pairs found, {expected} expected")
        }
        _ => format!("{missing} missing and {extra} extra pairs"),
    }
}

/// Removes the pair that the reference is surest of, so that any useful comparison must notice. If the reference knows
/// no pair, it adds an impossible one.
pub fn inject_fault(pairs: &mut Vec<Pair>, reference: &Reference, scene: &SceneFile) -> String {
    let known = reference.verify(&[], None).missing.into_iter();
    let depth = |separation: Option<f64>| separation.unwrap_or(f64::INFINITY);
    let surest = known.min_by(|a, b| depth(a.separation).total_cmp(&depth(b.separation)));
    match surest.and_then(|known| pairs.iter().position(|pair| *pair == known.pair)) {
        Some(position) => {
            let Pair { a, b } = named(pairs.remove(position), scene);
            format!("removed pair ({a}, {b})")
        }
        None => {
            let pair = Pair { a: 0, b: 0 };
            pairs.push(pair);
            let Pair { a, b } = named(pair, scene);
            format!("added pair ({a}, {b})")
        }
    }
}

/// A pair by the ids of its boxes, as [`Verification::named`] has them.
pub fn named(pair: Pair, scene: &SceneFile) -> Pair {
    let id = |position: u32| match scene.ids.as_ref().and_then(Ids::numbers) {
        Some(ids) => ids.get(position as usize).copied().unwrap_or(position),
        None => position,
    };
    Pair::new(id(pair.a), id(pair.b))
}
