//! From the narrow phase's findings to what the caller asked for.

use crate::narrow_phase::exact;
use crate::{Config, Contact, Obb, Operations, Output, Pair, Precision, Report, Result, memory, parallel};

/// What the positions in a pair name.
#[derive(Clone, Copy)]
pub(crate) enum Subject<'a> {
    /// Two of these boxes.
    Boxes(&'a [Obb]),
    /// A box of the scene and a mover.
    Movers { scene: &'a [Obb], movers: &'a [Obb] },
    /// Two of so many bounds, of which no more is known.
    Bounds(usize),
}

impl<'a> Subject<'a> {
    /// The boxes that a pair's `a` and `b` name.
    pub fn sets(self) -> Option<[&'a [Obb]; 2]> {
        match self {
            Self::Boxes(boxes) => Some([boxes, boxes]),
            Self::Movers { scene, movers } => Some([scene, movers]),
            Self::Bounds(_) => None,
        }
    }

    /// How many boxes the check is about: those that have degrees.
    pub fn count(self) -> usize {
        match self {
            Self::Boxes(boxes) | Self::Movers { movers: boxes, .. } => boxes.len(),
            Self::Bounds(count) => count,
        }
    }

    /// Which of them are in a pair.
    pub fn counted(self, Pair { a, b }: Pair) -> impl Iterator<Item = usize> {
        let in_scene = matches!(self, Self::Movers { .. });
        [a, b].into_iter().skip(usize::from(in_scene)).map(|id| id as usize)
    }
}

/// Findings, gathered from all parts of a check.
#[derive(Default)]
pub(crate) struct Results {
    pub output: Output,
    pub precision: Precision,
    pub list_touching: bool,
    /// Most pairs to keep; all of them if `None`.
    pub max_pairs: Option<usize>,
    /// Pairs the narrow phase tested.
    pub candidate_pairs: u64,
    /// Pairs found to overlap, stored or not.
    pub colliding_pairs: u64,
    /// Overlapping pairs, if they are asked for.
    pub pairs: Vec<Pair>,
    /// Pairs that f32 could not decide.
    pub undecided_pairs: u64,
    /// Of these, the pairs that are still to be decided.
    pub undecided: Vec<Pair>,
    /// Overlapping pairs each box is in, if that is asked for.
    pub degrees: Vec<u32>,
    /// The broad phase's work, if it was counted.
    pub operations: Option<Operations>,
}

impl Results {
    /// Bytes of the results of so many boxes and colliding pairs, few of which need the exact stage. A list that grows has
    /// room for up to twice what is in it, and so have the lists that it is gathered from.
    pub fn bytes_for(config: &Config, boxes: u64, pairs: u64) -> u64 {
        match config.output {
            Output::Pairs => {
                let kept = config.max_pairs.map_or(pairs, |most| pairs.min(most as u64));
                kept.saturating_mul(2 * size_of::<Pair>() as u64)
            }
            Output::Degrees => boxes * size_of::<u32>() as u64,
            Output::Count => 0,
        }
    }

    /// No findings yet.
    pub fn new(config: &Config) -> Self {
        Self {
            output: config.output,
            precision: config.precision,
            list_touching: config.list_touching,
            max_pairs: config.max_pairs,
            ..Self::default()
        }
    }

    /// Adds overlapping pairs to the list.
    pub fn extend_pairs(&mut self, pairs: &[Pair]) -> Result<()> {
        let room = self
            .max_pairs
            .map_or(usize::MAX, |most| most - self.pairs.len().min(most));
        extend(&mut self.pairs, &pairs[..pairs.len().min(room)], "the colliding pairs")
    }

    /// Adds undecided pairs to the list.
    pub fn extend_undecided(&mut self, pairs: &[Pair]) -> Result<()> {
        extend(&mut self.undecided, pairs, "the undecided pairs")
    }

    /// Counts overlapping pairs in, and keeps of them what was asked for.
    pub fn add_colliding(&mut self, subject: Subject, pairs: &[Pair]) -> Result<()> {
        self.colliding_pairs += pairs.len() as u64;
        match self.output {
            Output::Pairs => self.extend_pairs(pairs)?,
            Output::Degrees => pairs.iter().flat_map(|&pair| subject.counted(pair)).for_each(|id| {
                self.degrees[id] += 1;
            }),
            Output::Count => {}
        }
        Ok(())
    }

    /// Decides what is undecided, and puts pairs in order.
    pub fn finish(mut self, subject: Subject) -> Result<Report> {
        let mut report = Report {
            boxes: subject.count(),
            candidate_pairs: self.candidate_pairs,
            undecided_pairs: self.undecided_pairs,
            operations: self.operations,
            ..Report::default()
        };
        if self.output == Output::Degrees {
            self.degrees.resize(subject.count(), 0);
        }
        if let (Precision::Exact, Some(sets)) = (self.precision, subject.sets()) {
            self.decide(subject, sets, &mut report)?;
        }
        parallel::sort_pairs(&mut self.pairs);
        report.colliding_pairs = self.colliding_pairs;
        report.complete = self.output != Output::Pairs || self.pairs.len() as u64 == self.colliding_pairs;
        report.pairs = self.pairs;
        report.degrees = self.degrees;
        Ok(report)
    }

    /// The exact stage.
    fn decide(&mut self, subject: Subject, sets: [&[Obb]; 2], report: &mut Report) -> Result<()> {
        let mut undecided = std::mem::take(&mut self.undecided);
        let (contacts, tally) = exact::classify_between(sets, &undecided);
        report.undecided_after_f64 = tally.aligned + tally.wide;
        report.touching_pairs = Some(contacts.iter().filter(|&&contact| contact == Contact::Touching).count() as u64);
        if self.list_touching {
            let touching = undecided
                .iter()
                .zip(&contacts)
                .filter(|&(_, contact)| *contact == Contact::Touching);
            report.touching = touching.map(|(pair, _)| *pair).collect();
            parallel::sort_pairs(&mut report.touching);
        }
        let mut contacts = contacts.into_iter();
        undecided.retain(|_| contacts.next().is_some_and(Contact::collides));

        self.add_colliding(subject, &undecided)
    }
}

/// Appends `more` to `list`, or says that memory is short.
pub(crate) fn extend(list: &mut Vec<Pair>, more: &[Pair], what: &'static str) -> Result<()> {
    memory::reserve(list, more.len(), what)?;
    list.extend_from_slice(more);
    Ok(())
}
