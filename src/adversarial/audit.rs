//! Every stage of the narrow phase, and the reference, held against the [`oracle`] on adversarial pairs.

use std::ops::Range;

use crate::base::config::{Config, Precision};
use crate::base::error::Result;
use crate::base::parallel;
use crate::checker::Checker;
use crate::geometry::pair::Pair;
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::obb_obb::exact::{classify, classify_each_way};
use crate::narrow_phase::obb_obb::obb_sat_cpu::obb_sat;
use crate::narrow_phase::obb_obb::obb_sat_f64_cpu::Decision;
use crate::reference;
use crate::reference::oracle;
use crate::shapes::obb::obb_bounds_cpu::bounds_of;
use crate::shapes::obb::record::Obb;

use crate::adversarial::{FAMILIES, pair};

/// Pairs that the checker gets at a time, which also bounds the memory it takes.
const ROUND: u64 = 1 << 18;

/// What is audited, in the order of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The bounds that the broad phase compares: those of colliding boxes must overlap.
    Bounds,
    /// The narrow phase in f32, on the CPU.
    F32,
    /// What the checker reports, on the GPU or the CPU.
    Checker,
    /// The narrow phase in f64.
    F64,
    /// Boxes aligned with the world's axes, as intervals.
    Aligned,
    /// Equal rotations in whole numbers.
    Parallel,
    /// All axes in whole numbers of few digits.
    Short,
    /// All axes in whole numbers of any length.
    General,
    /// The stages together, as a check runs them after f32, and with the boxes swapped.
    Exact,
    /// The reference, whose f64 part decides what is clear.
    Reference,
}

impl Stage {
    /// As a table's heading.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bounds => "bounds",
            Self::F32 => "f32",
            Self::Checker => "checker",
            Self::F64 => "f64",
            Self::Aligned => "aligned",
            Self::Parallel => "parallel",
            Self::Short => "short",
            Self::General => "general",
            Self::Exact => "exact",
            Self::Reference => "reference",
        }
    }
}

/// All stages, in order.
pub const STAGES: [Stage; 10] = [
    Stage::Bounds,
    Stage::F32,
    Stage::Checker,
    Stage::F64,
    Stage::Aligned,
    Stage::Parallel,
    Stage::Short,
    Stage::General,
    Stage::Exact,
    Stage::Reference,
];

/// What a stage said about some pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Answers that are true.
    pub right: u64,
    /// Pairs left to a later stage, or none of its business.
    pub open: u64,
    /// Answers that are not true.
    pub wrong: u64,
}

impl Score {
    fn plus(self, other: Self) -> Self {
        Self {
            right: self.right + other.right,
            open: self.open + other.open,
            wrong: self.wrong + other.wrong,
        }
    }
}

/// The pairs of one family.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FamilyAudit {
    /// Pairs that are separated, touching and overlapping, by the oracle.
    pub truth: [u64; 3],
    scores: [Score; STAGES.len()],
}

impl FamilyAudit {
    /// What a stage said about the family's pairs.
    pub fn score(&self, stage: Stage) -> Score {
        self.scores[stage as usize]
    }

    /// Wrong answers of all stages.
    pub fn wrong(&self) -> u64 {
        self.scores.iter().map(|score| score.wrong).sum()
    }
}

/// A wrong answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wrong {
    /// Which pair of the seed's sequence.
    pub index: u64,
    /// Who gave it.
    pub stage: Stage,
    /// What the oracle says.
    pub truth: Contact,
}

/// What came of some pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audit {
    /// One for each of [`FAMILIES`].
    pub families: [FamilyAudit; FAMILIES.len()],
    /// The wrong answer with the smallest index.
    pub first_wrong: Option<Wrong>,
}

impl Audit {
    /// Wrong answers of all stages.
    pub fn wrong(&self) -> u64 {
        self.families.iter().map(FamilyAudit::wrong).sum()
    }

    /// What a stage said about the pairs of all families.
    pub fn score(&self, stage: Stage) -> Score {
        let scores = self.families.iter().map(|family| family.score(stage));
        scores.fold(Score::default(), Score::plus)
    }

    /// Both together.
    pub fn merged(mut self, other: Self) -> Self {
        for (own, other) in self.families.iter_mut().zip(other.families) {
            own.truth
                .iter_mut()
                .zip(other.truth)
                .for_each(|(own, other)| *own += other);
            own.scores
                .iter_mut()
                .zip(other.scores)
                .for_each(|(own, other)| *own = own.plus(other));
        }
        self.first_wrong = self.first_wrong.into_iter().chain(other.first_wrong).min();
        self
    }

    /// Audits the pairs with these indices of the sequence that `seed` names, on all cores. Calls `progress` now and then
    /// with the number of pairs that have been audited since.
    ///
    /// # Errors
    /// Those of [`Checker::check_pairs`]. The checker must have been made with [`config`].
    pub fn of(
        indices: Range<u64>,
        seed: u64,
        checker: &mut Checker,
        progress: impl Fn(u64) + Sync + Send,
    ) -> Result<Self> {
        let mut whole = Self::default();
        for first in indices.clone().step_by(ROUND as usize) {
            let pairs = Pairs::new(first..indices.end.min(first + ROUND), seed);
            let contacts = pairs.ask(checker)?;
            let audits = parallel::map_ranges(contacts.len(), |range| {
                let audit = Self::of_part(&pairs, &contacts, range.clone());
                progress(range.len() as u64);
                audit
            });
            whole = audits.into_iter().fold(whole, Self::merged);
        }
        Ok(whole)
    }

    fn of_part(pairs: &Pairs, contacts: &[Contact], part: Range<usize>) -> Self {
        let mut audit = Self::default();
        let in_f32 = pairs.in_f32(part.clone());
        for (k, in_f32) in part.zip(in_f32) {
            let index = pairs.first + k as u64;
            let (a, b) = (&pairs.boxes[2 * k], &pairs.boxes[2 * k + 1]);
            let answers = answers(a, b, in_f32, Answer::Is(contacts[k]));
            audit.add(index, oracle::contact(a, b), answers);
        }
        audit
    }

    fn add(&mut self, index: u64, truth: Contact, answers: [Answer; STAGES.len()]) {
        let family = &mut self.families[(index % FAMILIES.len() as u64) as usize];
        family.truth[truth as usize] += 1;
        for (stage, answer) in STAGES.into_iter().zip(answers) {
            let score = &mut family.scores[stage as usize];
            match answer.is_true(truth) {
                None => score.open += 1,
                Some(true) => score.right += 1,
                Some(false) => {
                    score.wrong += 1;
                    let wrong = Wrong { index, stage, truth };
                    self.first_wrong = Some(self.first_wrong.map_or(wrong, |first| first.min(wrong)));
                }
            }
        }
    }
}

/// How the checker that is audited must be configured, on whatever backend.
pub fn config() -> Config {
    Config {
        precision: Precision::Exact,
        list_touching: true,
        ..Config::default()
    }
}

/// Some of a seed's pairs: the k-th are boxes 2 k and 2 k + 1.
struct Pairs {
    first: u64,
    boxes: Vec<Obb>,
    pairs: Vec<Pair>,
}

impl Pairs {
    fn new(indices: Range<u64>, seed: u64) -> Self {
        let first = indices.start;
        let boxes: Vec<Obb> = indices.flat_map(|index| <[Obb; 2]>::from(pair(index, seed))).collect();
        let pairs = (0..boxes.len() as u32 / 2)
            .map(|k| Pair::new(2 * k, 2 * k + 1))
            .collect();
        Self { first, boxes, pairs }
    }

    /// What the checker says about each.
    fn ask(&self, checker: &mut Checker) -> Result<Vec<Contact>> {
        let report = checker.check_pairs(&self.boxes, &self.pairs)?;
        let mut contacts = vec![Contact::Separated; self.pairs.len()];
        for pair in report.pairs() {
            contacts[pair.a as usize / 2] = Contact::Overlapping;
        }
        for pair in report.touching() {
            let contact = &mut contacts[pair.a as usize / 2];
            // What touches collides: a pair that is only in the list of touching ones is missing.
            if contact.collides() {
                *contact = Contact::Touching;
            }
        }
        Ok(contacts)
    }

    /// What f32 says about a part of them.
    fn in_f32(&self, part: Range<usize>) -> Vec<Answer> {
        let mut answers = vec![Answer::Apart; part.len()];
        obb_sat(
            [&self.boxes; 2],
            &self.pairs[part.clone()],
            Precision::Exact,
            |pairs, verdicts| {
                for (bit, pair) in pairs.iter().enumerate() {
                    let answer = &mut answers[pair.a as usize / 2 - part.start];
                    if verdicts.overlapping >> bit & 1 == 1 {
                        *answer = Answer::Is(Contact::Overlapping);
                    } else if verdicts.undecided >> bit & 1 == 1 {
                        *answer = Answer::Open;
                    }
                }
            },
        );
        answers
    }
}

/// What a stage says about a pair.
#[derive(Clone, Copy)]
enum Answer {
    /// Nothing: a later stage decides, or it is not made for such a pair.
    Open,
    /// No shared point; of anything else it says nothing.
    Apart,
    Is(Contact),
    /// Not even the order of the boxes should matter.
    Contradiction,
}

impl Answer {
    fn is_true(self, truth: Contact) -> Option<bool> {
        match self {
            Self::Open => None,
            Self::Apart => Some(!truth.collides()),
            Self::Is(contact) => Some(contact == truth),
            Self::Contradiction => Some(false),
        }
    }

    fn of(contact: Option<Contact>) -> Self {
        contact.map_or(Self::Open, Self::Is)
    }
}

/// The answers of all stages, in the order of [`STAGES`].
fn answers(a: &Obb, b: &Obb, in_f32: Answer, checker: Answer) -> [Answer; STAGES.len()] {
    let ways = classify_each_way(a, b);
    STAGES.map(|stage| match stage {
        Stage::Bounds if bounds_of(a, 0.0, 0).overlaps(&bounds_of(b, 0.0, 1)) => Answer::Open,
        Stage::Bounds => Answer::Apart,
        Stage::F32 => in_f32,
        Stage::Checker => checker,
        Stage::F64 => match ways.f64 {
            Decision::Decided(contact) => Answer::Is(contact),
            Decision::Unclear(_) => Answer::Open,
        },
        Stage::Aligned => Answer::of(ways.aligned),
        Stage::Parallel => Answer::of(ways.parallel),
        Stage::Short => Answer::of(ways.short),
        Stage::General => Answer::Is(ways.general),
        Stage::Exact => {
            let contact = classify(a, b);
            if contact == classify(b, a) {
                Answer::Is(contact)
            } else {
                Answer::Contradiction
            }
        }
        Stage::Reference => Answer::Is(reference::contact(a, b)),
    })
}
