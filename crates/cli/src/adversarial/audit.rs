//! Compares every stage of the narrow phase, and the reference, with the [`oracle`] on adversarial
//! pairs.

use std::ops::Range;

use obbligato::{
    Checker, Config, Obb, Pair, Precision, Query, Result,
    contact::Contact,
    unstable::{
        bounds,
        exact::{classify, classify_each_way},
        separating_axes::{Decision, obb_sat},
    },
};
use obbligato_support::parallel;
use obbligato_verify::reference;
use obbligato_verify::reference::oracle;

use obbligato_verify::adversarial::{FAMILIES, pair};

/// The number of pairs per call of the checker, which also bounds its memory.
const ROUND: u64 = 1 << 18;

/// The audited stages, in the order of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The bounds that the broad phase compares: bounds of colliding boxes must overlap.
    Bounds,
    /// The narrow phase in f32, on the CPU.
    F32,
    /// The checker's report, on the GPU or the CPU.
    Checker,
    /// The narrow phase in f64.
    F64,
    /// Boxes aligned with the world's axes, as intervals.
    Aligned,
    /// Equal rotations in integers.
    Parallel,
    /// All axes in integers of few digits.
    Short,
    /// All axes in integers of any length.
    General,
    /// The stages together, as a check runs them after f32, and with the boxes swapped.
    Exact,
    /// The reference, whose f64 part decides the clear cases.
    Reference,
}

impl Stage {
    /// Returns the stage's name in a table.
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

/// A stage's answers on some pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// The number of right answers.
    pub right: u64,
    /// The number of pairs left to a later stage, or outside this stage's scope.
    pub open: u64,
    /// The number of wrong answers.
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
    /// The numbers of separated, touching and overlapping pairs, according to the oracle.
    pub truth: [u64; 3],
    scores: [Score; STAGES.len()],
}

impl FamilyAudit {
    /// Returns a stage's score on the family's pairs.
    pub fn score(&self, stage: Stage) -> Score {
        self.scores[stage as usize]
    }

    /// Returns the number of wrong answers of all stages.
    pub fn wrong(&self) -> u64 {
        self.scores.iter().map(|score| score.wrong).sum()
    }
}

/// A wrong answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wrong {
    /// The pair's index in the seed's sequence.
    pub index: u64,
    /// The stage that gave it.
    pub stage: Stage,
    /// The oracle's answer.
    pub truth: Contact,
}

/// The outcome for some pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audit {
    /// One for each of [`FAMILIES`].
    pub families: [FamilyAudit; FAMILIES.len()],
    /// The wrong answer with the smallest index.
    pub first_wrong: Option<Wrong>,
}

impl Audit {
    /// Returns the number of wrong answers of all stages.
    pub fn wrong(&self) -> u64 {
        self.families.iter().map(FamilyAudit::wrong).sum()
    }

    /// Returns a stage's score on the pairs of all families.
    pub fn score(&self, stage: Stage) -> Score {
        let scores = self.families.iter().map(|family| family.score(stage));
        scores.fold(Score::default(), Score::plus)
    }

    /// Combines two audits.
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

    /// Audits the pairs with these indices of the sequence for `seed`, on all cores. Regularly
    /// calls `progress` with the number of pairs audited since the last call.
    ///
    /// # Errors
    /// See [`Query::pairs`]. The checker must have been made with [`config`].
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

/// Returns the configuration of the audited checker, on any backend.
pub fn config() -> Config {
    Config {
        precision: Precision::Exact,
        list_touching: true,
        ..Config::default()
    }
}

/// Some of a seed's pairs: pair k has boxes 2 k and 2 k + 1.
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

    /// Returns the checker's answer for each pair.
    fn ask(&self, checker: &mut Checker) -> Result<Vec<Contact>> {
        let report = checker.check(Query::pairs(&self.boxes, &self.pairs))?;
        let mut contacts = vec![Contact::Separated; self.pairs.len()];
        for pair in report.pairs()? {
            contacts[pair.a as usize / 2] = Contact::Overlapping;
        }
        for pair in report.touching()? {
            let contact = &mut contacts[pair.a as usize / 2];
            // Touching pairs collide: a pair that is only in the touching list counts as missing.
            if contact.collides() {
                *contact = Contact::Touching;
            }
        }
        Ok(contacts)
    }

    /// Returns the f32 answers for some of the pairs.
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

/// A stage's answer about a pair.
#[derive(Clone, Copy)]
enum Answer {
    /// No answer: a later stage decides, or the stage does not handle this pair.
    Open,
    /// The boxes share no point.
    Apart,
    Is(Contact),
    /// The answer depends on the order of the boxes, which is always wrong.
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

/// Returns the answers of all stages, in the order of [`STAGES`].
fn answers(a: &Obb, b: &Obb, in_f32: Answer, checker: Answer) -> [Answer; STAGES.len()] {
    let ways = classify_each_way(a, b);
    STAGES.map(|stage| match stage {
        Stage::Bounds if bounds::overlap(a, b) => Answer::Open,
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

#[cfg(test)]
mod tests {
    use std::time::{SystemTime, UNIX_EPOCH};

    use obbligato::Backend;
    use obbligato_verify::adversarial;

    use super::*;

    /// Pairs compared with the oracle in each run.
    const PAIRS: u64 = 1_000_000;

    /// Every stage, from the bounds to the reference, against the oracle.
    #[test]
    fn every_stage_is_correct() {
        // Every run tries other pairs; a failing one is printed with its seed.
        let seed = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(1, |time| time.as_nanos() as u64);
        let config = Config {
            backend: Backend::Cpu,
            ..config()
        };
        let mut checker = Checker::new(config).expect("the CPU is always there");
        let audit = Audit::of(0..PAIRS, seed, &mut checker, |_| {}).expect("all boxes are valid");
        if let Some(wrong) = audit.first_wrong {
            panic!(
                "{} wrong answers, the first of stage {:?}: pair {} of seed {seed} is {:?}: {:?}",
                audit.wrong(),
                wrong.stage,
                wrong.index,
                wrong.truth,
                adversarial::pair(wrong.index, seed)
            );
        }
        let pairs: u64 = audit.families.iter().flat_map(|family| family.truth).sum();
        assert_eq!(pairs, PAIRS);
        for stage in STAGES {
            let score = audit.score(stage);
            assert!(score.right > PAIRS / 100, "{stage:?}: {score:?} is no test");
        }
    }
}
