//! From the narrow phase's findings to what the caller asked for.

use crate::bounds::{Bounds, aabb_bounds_cpu, obb_bounds_cpu};
use crate::narrow_phase::exact;
use crate::{
    Aabb, Config, Contact, Error, Obb, Operations, Output, Pair, Precision, PreparedScene, Report, Result, parallel,
};

/// What the positions in a pair name.
#[derive(Clone, Copy)]
pub(crate) enum Subject<'a> {
    /// Two of these boxes.
    Boxes(&'a [Obb]),
    /// A box of the scene and a mover.
    Movers {
        scene: &'a PreparedScene,
        movers: &'a [Obb],
    },
    /// Two of these bounds, of which no more is known.
    Bounds(&'a [Aabb]),
}

impl<'a> Subject<'a> {
    /// The boxes that a pair's `a` and `b` name.
    pub fn sets(self) -> Option<[&'a [Obb]; 2]> {
        match self {
            Self::Boxes(boxes) => Some([boxes, boxes]),
            Self::Movers { scene, movers } => Some([&scene.boxes, movers]),
            Self::Bounds(_) => None,
        }
    }

    /// How many boxes the check is about: those that have degrees.
    pub fn count(self) -> usize {
        match self {
            Self::Boxes(boxes) | Self::Movers { movers: boxes, .. } => boxes.len(),
            Self::Bounds(bounds) => bounds.len(),
        }
    }

    /// An error that names the first of them that is not valid, if any is.
    pub fn validate(self) -> Result<()> {
        match self {
            Self::Boxes(boxes) | Self::Movers { movers: boxes, .. } => obb_bounds_cpu::validate(boxes),
            Self::Bounds(bounds) => aabb_bounds_cpu::validate(bounds),
        }
    }

    /// Their bounds.
    pub fn bounds(self) -> Vec<Bounds> {
        let mut bounds = Vec::new();
        match self {
            Self::Boxes(boxes) | Self::Movers { movers: boxes, .. } => obb_bounds_cpu::obb_bounds(boxes, &mut bounds),
            Self::Bounds(boxes) => aabb_bounds_cpu::aabb_bounds(boxes, &mut bounds),
        };
        bounds
    }

    /// Them as a GPU gets them.
    pub fn bytes(self) -> &'a [u8] {
        match self {
            Self::Boxes(boxes) | Self::Movers { movers: boxes, .. } => bytemuck::cast_slice(boxes),
            Self::Bounds(bounds) => bytemuck::cast_slice(bounds),
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
    let needed = (size_of::<Pair>() * (list.len() + more.len())) as u64;
    list.try_reserve(more.len())
        .map_err(|_| Error::OutOfMemory { what, needed })?;
    list.extend_from_slice(more);
    Ok(())
}
