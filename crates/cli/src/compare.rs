//! Compares one backend's results with the other backend and with the reference.

use obbligato::{
    Backend, Bodies, Checker, Config, Obb64, Pair, Period, Query, Report, Rules, Set, contact::Contact, report::Engine,
};
use obbligato_files::{Ids, SceneFile};
use obbligato_support::{plural::plural, split_mix::SplitMix};
use obbligato_verify::{
    compare::{self, DisagreementKind, Verification},
    reference::{self, ImageContact},
};
use serde_json::{Value, json};

use super::{failure::Failure, table::grouped};

/// The seed that picks the boxes of a sample.
const SAMPLE_SEED: u64 = 1;

/// The requested part of a scene to compare with the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Every box.
    All,
    /// This number of boxes, or all if there are no more, each with every other.
    Boxes(usize),
}

/// Limits on the comparison with the reference if nothing was requested.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The maximum number of boxes in a scene that is compared as a whole.
    pub boxes: usize,
    /// The maximum number of candidate pairs in it.
    pub candidates: u64,
    /// In other scenes, the number of comparisons of a box of the sample with another.
    pub tests: usize,
}

impl Effort {
    /// The effort of `verify`: about 20 seconds of one core.
    pub const FULL: Self = Self {
        boxes: 5_000_000,
        candidates: 20_000_000,
        tests: 4_000_000_000,
    };

    /// The effort of `bench` for each row: about 3 seconds of one core.
    pub const QUICK: Self = Self {
        boxes: 1_000_000,
        candidates: 2_000_000,
        tests: 1_000_000_000,
    };

    /// Returns the part to compare of a scene with these numbers of boxes and candidate pairs.
    fn extent(self, boxes: usize, candidates: u64) -> Extent {
        match boxes <= self.boxes && candidates <= self.candidates {
            true => Extent::All,
            false => Extent::Boxes((self.tests / boxes.max(1)).clamp(1, 10_000)),
        }
    }
}

/// The subject of a comparison: bodies, or boxes with centers in `f64`.
#[derive(Clone, Copy)]
pub enum Subject<'a> {
    Bodies(Bodies<'a>),
    Boxes64(&'a [Obb64]),
}

impl<'a> From<Bodies<'a>> for Subject<'a> {
    fn from(bodies: Bodies<'a>) -> Self {
        Self::Bodies(bodies)
    }
}

impl Subject<'_> {
    fn len(self) -> usize {
        match self {
            Self::Bodies(bodies) => bodies.len(),
            Self::Boxes64(boxes) => boxes.len(),
        }
    }

    /// Runs a check with these rules, in space that may repeat.
    pub fn check(self, checker: &mut Checker, rules: Rules, period: Option<Period>) -> obbligato::Result<Report> {
        let query: Query = match self {
            Self::Bodies(bodies) => bodies.with(rules).into(),
            Self::Boxes64(boxes) => Set::from(boxes).with(rules).into(),
        };
        match period {
            Some(period) => checker.check(query.periodic(period)),
            None => checker.check(query),
        }
    }

    /// Compares pairs with those expected.
    pub fn compare(self, expected: &[Pair], found: &[Pair]) -> Verification {
        match self {
            Self::Bodies(bodies) => compare::compare(expected, found, bodies),
            Self::Boxes64(boxes) => compare::compare64(expected, found, boxes),
        }
    }
}

/// The independent reference for one scene, or for a sample that is the same in every call of
/// [`Reference::verify`].
pub struct Reference<'a> {
    subject: Subject<'a>,
    /// The size of the sample; `None` = all bodies.
    sample: Option<usize>,
    /// The lengths after which space repeats.
    period: Option<Period>,
}

impl<'a> Reference<'a> {
    /// Takes the requested number of bodies, or as many as the effort allows for a scene with
    /// `candidates` candidate pairs. Boxes with centers in `f64` are all taken.
    pub fn new(subject: impl Into<Subject<'a>>, requested: Option<Extent>, effort: Effort, candidates: u64) -> Self {
        let subject = subject.into();
        let extent = requested.unwrap_or_else(|| effort.extent(subject.len(), candidates));
        let sample = match (subject, extent) {
            (Subject::Bodies(_), Extent::Boxes(sample)) if sample < subject.len() => Some(sample),
            _ => None,
        };
        Self {
            subject,
            sample,
            period: None,
        }
    }

    /// Takes all bodies, in space that repeats.
    pub fn periodic(subject: Subject<'a>, period: Period) -> Self {
        Self {
            subject,
            sample: None,
            period: Some(period),
        }
    }

    /// Compares pairs with the reference, and also the number of touching pairs if the reference
    /// covers all bodies.
    pub fn verify(&self, found: &[Pair], touching: Option<u64>) -> Verification {
        if let Some(period) = self.period {
            let expected = match self.subject {
                Subject::Bodies(bodies) => reference::periodic_pairs(bodies, period.lengths, 0.0),
                Subject::Boxes64(boxes) => reference::periodic_pairs64(boxes, period.lengths, 0.0),
            };
            let touches = |images: &[ImageContact]| images.iter().all(|image| image.1 == Contact::Touching);
            let number = expected.iter().filter(|(_, images)| touches(images)).count();
            let pairs: Vec<Pair> = expected.iter().map(|(pair, _)| *pair).collect();
            let compared = self.subject.compare(&pairs, found);
            return compared.with_touching(touching.map(|_| number as u64), touching);
        }
        match (self.subject, self.sample) {
            (Subject::Bodies(bodies), Some(sample)) => compare::verify_sample(bodies, found, sample, SAMPLE_SEED),
            (Subject::Bodies(bodies), None) => compare::verify_contacts(bodies, found, touching),
            (Subject::Boxes64(boxes), _) => compare::verify_contacts64(boxes, found, touching),
        }
    }
}

/// Runs a check on the CPU backend.
pub fn on_cpu<'a>(subject: impl Into<Subject<'a>>) -> Result<Report, Failure> {
    let mut checker = Checker::new(Config {
        backend: Backend::Cpu,
        ..Config::default()
    })?;
    Ok(subject.into().check(&mut checker, Rules::default(), None)?)
}

/// The outcome of a verification.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The number of boxes that were compared with the reference.
    pub boxes: usize,
    /// The number of boxes of the scene.
    pub of: usize,
    /// The difference of the results, if any.
    pub difference: Option<String>,
}

impl Verdict {
    /// Returns the outcome of a comparison with the reference.
    pub fn new(against_reference: &Verification, difference: Option<String>) -> Self {
        Self {
            boxes: against_reference.compared,
            of: against_reference.boxes,
            difference,
        }
    }

    /// Returns it as JSON.
    pub fn json(&self) -> Value {
        json!({ "boxes": self.boxes, "of": self.of, "passed": self.difference.is_none() })
    }

    /// Returns it as text: `all`, or `200 of 10_000`, after `NO` if they differ.
    pub fn words(&self) -> String {
        match self.difference {
            None => self.extent(),
            Some(_) => format!("NO ({})", self.extent()),
        }
    }

    /// Returns the number of boxes that were compared: `all`, or `200 of 10_000`.
    pub fn extent(&self) -> String {
        match self.boxes == self.of {
            true => "all".to_owned(),
            false => format!("{} of {}", grouped(self.boxes as u64), grouped(self.of as u64)),
        }
    }
}

/// Compares an exact report with the reference and, if it is a GPU's, with the CPU backend.
pub fn quick(bodies: Bodies<'_>, report: &Report, requested: Option<Extent>) -> Result<Verdict, Failure> {
    let reference = Reference::new(bodies, requested, Effort::QUICK, report.candidate_pairs);
    let against_reference = reference.verify(report.pairs()?, report.touching_pairs);
    let mut difference = differs(&against_reference, against_reference.passed());
    if difference.is_none() && matches!(report.engine, Engine::Gpu { .. }) {
        let cpu = on_cpu(bodies)?;
        let against_cpu = against(&cpu, report.pairs()?, report.touching_pairs, bodies)?;
        difference =
            (!against_cpu.passed()).then(|| format!("the GPU and the CPU backend differ, {}", numbers(&against_cpu)));
    }
    Ok(Verdict::new(&against_reference, difference))
}

/// Checks that a conservative report has every pair of the reference.
pub fn quick_superset(bodies: Bodies<'_>, report: &Report, requested: Option<Extent>) -> Result<Verdict, Failure> {
    let reference = Reference::new(bodies, requested, Effort::QUICK, report.candidate_pairs);
    let verification = reference.verify(report.pairs()?, None);
    let mut extra = verification.extra.iter();
    let allowed = extra.all(|extra| extra.kind == DisagreementKind::Extra);
    let difference = differs(&verification, verification.missing.is_empty() && allowed);
    Ok(Verdict::new(&verification, difference))
}

fn differs(against_reference: &Verification, passed: bool) -> Option<String> {
    (!passed).then(|| format!("the result and the reference differ, {}", numbers(against_reference)))
}

/// Compares pairs, and the number of touching ones, with the CPU backend's report.
pub fn against<'a>(
    cpu: &Report,
    found: &[Pair],
    touching: Option<u64>,
    subject: impl Into<Subject<'a>>,
) -> Result<Verification, Failure> {
    Ok(subject
        .into()
        .compare(cpu.pairs()?, found)
        .with_touching(cpu.touching_pairs, touching))
}

/// Returns the pairs that a file's rules allow, or `None` if it has none.
pub fn ruled(scene: &SceneFile, pairs: &[Pair]) -> Option<Vec<Pair>> {
    let rules = scene.rules();
    let has_rules =
        rules.owners.is_some() || rules.worlds.is_some() || rules.statics.is_some() || rules.groups.is_some();
    let allowed = || {
        let allowed = pairs.iter().filter(|pair| reference::allowed(&rules, **pair));
        allowed.copied().collect()
    };
    has_rules.then(allowed)
}

/// Describes the difference.
pub fn numbers(verification: &Verification) -> String {
    let (missing, extra) = (verification.missing.len(), verification.extra.len());
    match verification.touching {
        Some((expected, found)) if missing + extra == 0 && expected != found => {
            format!(
                "{found} touching {} found, {expected} expected",
                plural(found, "pair", "pairs")
            )
        }
        _ => format!(
            "{missing} missing and {extra} extra {}",
            plural(extra as u64, "pair", "pairs")
        ),
    }
}

/// Removes a random pair, or adds an impossible one if there is none. Returns a description of the
/// change.
pub fn inject_fault(pairs: &mut Vec<Pair>, seed: u64, scene: &SceneFile) -> String {
    if pairs.is_empty() {
        let pair = Pair { a: 0, b: 0 };
        pairs.push(pair);
        let Pair { a, b } = named(pair, scene);
        return format!("added pair ({a}, {b})");
    }
    let position = SplitMix(seed).next() % pairs.len() as u64;
    let Pair { a, b } = named(pairs.remove(position as usize), scene);
    format!("removed pair ({a}, {b})")
}

/// Returns a pair by the names of its bodies, as in [`Verification::named`].
pub fn named(pair: Pair, scene: &SceneFile) -> Pair {
    let name = |position: u32| match names(scene) {
        Some(names) => names.get(position as usize).copied().unwrap_or(position),
        None => position,
    };
    Pair::new(name(pair.a), name(pair.b))
}

/// Returns the names of bodies in wrong pairs, unless these are their positions: their ids, if
/// these are numbers, else their rows.
pub fn names(scene: &SceneFile) -> Option<&[u32]> {
    let numbers = scene.ids.as_ref().and_then(Ids::numbers);
    numbers.or(scene.rows.as_deref())
}
