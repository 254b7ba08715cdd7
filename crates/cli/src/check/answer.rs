//! The question about one frame, and the answer.

use std::collections::HashSet;

use obbligato::{
    Checker, Config, Pair, Report,
    report::{BroadPhaseChoice, Engine, GridLevel, Timings},
};
use obbligato_files::Clash;
use obbligato_support::memory;

pub use super::clash_rules::Fitting;
use super::{
    baseline::Baseline,
    clash_rules::ClashRules,
    clashes,
    condition::Condition,
    criteria::Criteria,
    groups::Grouping,
    ignored::{Accepted, Ignored},
    matrix::Matrix,
    scenes::{Orders, Scenes},
    tally::Tally,
};
use crate::failure::Failure;
use crate::{args::check::CheckArguments, args::choices::PrecisionName};

/// The maximum number of pairs whose clashes are found only for a page: it lists just the deepest,
/// and finding them should take at most half a second.
const SHOWN_PAIRS: usize = 200_000;

/// Labels for out-of-memory errors.
const PAIRS: &str = "the pairs of a check";
const DEGREES: &str = "the degrees";

/// The requested results.
pub struct Question<'a> {
    condition: Option<&'a Condition>,
    ignored: Option<&'a Ignored>,
    rules: Option<&'a ClashRules>,
    baseline: Option<&'a Baseline>,
    config: &'a Config,
    min_depth: Option<f64>,
    grouping: Option<&'a Grouping>,
    margin: f64,
    /// Set if clashes are written.
    clashes: bool,
    /// Set if the page shows clashes, unless there are too many.
    shows_clashes: bool,
    /// Set if touching pairs are distinguished.
    exact: bool,
    /// Set if more than all pairs is requested.
    selects: bool,
    /// Set if pairs are left out.
    filters: bool,
    /// Set if pairs are listed, and not only counted.
    lists: bool,
}

/// The pairs of one frame.
pub struct Answer<'a> {
    pub scenes: &'a Scenes,
    /// Positions of boxes, in the order of their ids; empty if they are only counted.
    pub pairs: Vec<Pair>,
    /// The number of pairs of each box of FILE.
    pub degrees: Vec<u32>,
    /// The deepest first; empty unless requested.
    pub clashes: Vec<Clash>,
    /// `true` if the clashes are those of all colliding pairs.
    pub has_clashes: bool,
    /// The pairs that only touch, sorted as in the report, if requested.
    pub touching: Option<Vec<Pair>>,
    pub counts: Counts,
    /// The rows of the baseline whose pairs are gone.
    pub gone: Vec<u32>,
    /// The ignored pairs, in the order of their ids.
    pub accepted: Vec<Accepted>,
    /// The rows of the file of ignored pairs whose pairs collide.
    pub live: HashSet<u32>,
    /// The clashes of each pair of texts, if they are grouped by columns.
    pub matrix: Matrix,
}

/// The engine, the broad phase and the timings of an answer.
pub struct Checked {
    pub engine: Engine,
    pub broad_phase: Option<BroadPhaseChoice>,
    pub grid: Vec<GridLevel>,
    pub timings: Timings,
    pub complete: bool,
}

impl Checked {
    fn of(report: &Report) -> Self {
        Self {
            engine: report.engine.clone(),
            broad_phase: report.broad_phase,
            grid: report.grid.clone(),
            timings: report.timings.clone(),
            complete: report.complete,
        }
    }
}

/// Numbers of pairs and boxes. A number that is not known is `None`.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub boxes: u64,
    /// Boxes without a pair.
    pub free: u64,
    pub against: Option<u64>,
    pub candidates: u64,
    /// The remaining pairs, and the kinds among them.
    pub colliding: u64,
    pub touching: Option<u64>,
    pub near: Option<u64>,
    /// The pairs excluded by --where.
    pub filtered: Option<u64>,
    /// The pairs excluded by --ignore from the rest.
    pub ignored: Option<u64>,
    /// The pairs that each rule of --clash-rules fits, and last those that none does.
    pub fitting: Option<Vec<Fitting>>,
    /// The pairs excluded by --min-depth from the rest.
    pub shallow: Option<u64>,
    pub undecided: u64,
    pub undecided_after_f64: u64,
    /// The pairs that the baseline lacks, those that only it has, and those of both.
    pub changes: Option<[u64; 3]>,
    /// The groups of clashes.
    pub groups: Option<u64>,
    pub checksum: u64,
}

impl Counts {
    /// Returns counts of 0, from which sums start.
    pub fn none(arguments: &CheckArguments) -> Self {
        let exact = arguments.precision == PrecisionName::Exact;
        Self {
            against: arguments.against.as_ref().map(|_| 0),
            touching: exact.then_some(0),
            near: exact.then_some(0),
            filtered: arguments.condition.as_ref().map(|_| 0),
            ignored: arguments.ignore.as_ref().map(|_| 0),
            fitting: arguments.clash_rules.as_ref().map(|_| Vec::new()),
            shallow: arguments.min_depth.map(|_| 0),
            changes: arguments.baseline.as_ref().map(|_| [0; 3]),
            groups: arguments.group.as_ref().map(|_| 0),
            ..Self::default()
        }
    }

    /// Adds the numbers of another frame.
    pub fn add(&mut self, other: &Self) {
        let add = |sum: &mut Option<u64>, more: Option<u64>| *sum = sum.zip(more).map(|(sum, more)| sum + more);
        self.boxes += other.boxes;
        self.free += other.free;
        add(&mut self.against, other.against);
        self.candidates += other.candidates;
        self.colliding += other.colliding;
        add(&mut self.touching, other.touching);
        add(&mut self.near, other.near);
        add(&mut self.filtered, other.filtered);
        add(&mut self.ignored, other.ignored);
        add(&mut self.shallow, other.shallow);
        if let (Some(sums), Some(more)) = (&mut self.fitting, &other.fitting) {
            sums.resize(more.len(), Fitting::default());
            for (sum, more) in sums.iter_mut().zip(more) {
                sum.clashes += more.clashes;
                sum.left_out += more.left_out;
            }
        }
        add(&mut self.groups, other.groups);
        self.undecided += other.undecided;
        self.undecided_after_f64 += other.undecided_after_f64;
        self.changes = self
            .changes
            .zip(other.changes)
            .map(|(sum, more)| [0, 1, 2].map(|i| sum[i] + more[i]));
        self.checksum = self.checksum.wrapping_add(other.checksum);
    }
}

impl<'a> Question<'a> {
    pub fn new(arguments: &'a CheckArguments, criteria: &'a Criteria<'a>, config: &'a Config) -> Self {
        Self {
            condition: arguments.condition.as_ref(),
            ignored: criteria.ignored.as_ref(),
            rules: criteria.rules,
            baseline: criteria.baseline.as_ref(),
            config,
            min_depth: arguments.min_depth,
            grouping: arguments.group.as_ref(),
            margin: arguments.margin,
            clashes: arguments.clashes.is_some() || arguments.bcf.is_some(),
            shows_clashes: arguments.html.is_some(),
            exact: arguments.precision == PrecisionName::Exact,
            selects: Self::selects(arguments),
            filters: filters(arguments),
            lists: lists(arguments),
        }
    }

    /// Returns `true` if more than all pairs is requested.
    pub fn selects(arguments: &CheckArguments) -> bool {
        let shows = [&arguments.clashes, &arguments.bcf].into_iter().any(Option::is_some);
        shows || arguments.html.is_some() || filters(arguments)
    }

    /// Checks a frame.
    pub fn answer<'s>(&self, checker: &mut Checker, scenes: &'s Scenes) -> Result<(Answer<'s>, Checked), Failure> {
        if !self.lists {
            return count(checker, scenes);
        }
        let report = scenes.check(checker, &scenes.query())?;
        let checked = Checked::of(&report);
        let touching = match self.exact && self.selects {
            true => Some(memory::collect(report.touching()?.iter().copied(), PAIRS)?),
            false => None,
        };
        let mut answer = Answer {
            scenes,
            counts: counts(&report),
            pairs: report.into_pairs()?,
            degrees: Vec::new(),
            clashes: Vec::new(),
            has_clashes: false,
            touching: None,
            gone: Vec::new(),
            accepted: Vec::new(),
            live: HashSet::new(),
            matrix: Matrix::default(),
        };
        let orders = scenes.orders()?;
        self.select(&mut answer, &orders, touching.as_deref())?;
        answer.touching = touching;
        if let Some(baseline) = self.baseline {
            let changes = baseline.compare(scenes, &orders, &answer.pairs)?;
            answer.counts.changes = Some(changes.numbers());
            clashes::mark(&mut answer.clashes, &answer.pairs, &changes.is_new);
            answer.gone = changes.gone;
        }
        clashes::sort(&mut answer.clashes, &orders);
        if let Some(grouping) = self.grouping.filter(|_| answer.has_clashes) {
            answer.counts.groups = Some(grouping.number(scenes, self.margin, &mut answer.clashes)?);
            answer.matrix = Matrix::of(grouping, scenes, &answer.clashes);
        }
        answer.degrees = answer.count_degrees()?;
        answer.counts.checksum = scenes.checksum(&answer.pairs)?;
        answer.count_boxes();
        Ok((answer, checked))
    }

    /// Leaves out what filters do, and sorts the rest by ids.
    fn select(&self, answer: &mut Answer<'_>, orders: &Orders<'_>, touching: Option<&[Pair]>) -> Result<(), Failure> {
        let Answer {
            scenes,
            pairs,
            clashes,
            has_clashes,
            counts,
            accepted,
            live,
            ..
        } = answer;
        if let Some(ignored) = self.ignored {
            orders.sort(pairs)?;
            *accepted = ignored.find(orders, pairs, live)?;
        }
        if let Some(condition) = self.condition {
            let condition = condition.on(scenes.sides(), scenes.against.is_none());
            let all = pairs.len();
            pairs.retain(|&pair| condition.admits(pair));
            counts.filtered = Some((all - pairs.len()) as u64);
            accepted.retain(|accepted| condition.admits(accepted.pair));
        }
        if self.ignored.is_some() {
            // Both are in the order of results.
            let mut left_out = accepted.iter().map(|accepted| accepted.pair).peekable();
            pairs.retain(|pair| left_out.next_if_eq(pair).is_none());
            counts.ignored = Some(accepted.len() as u64);
        } else {
            orders.sort(pairs)?;
        }
        let decided = self.rules.map(|rules| rules.decide(scenes, orders, self.config, pairs));
        let mut decided = decided.transpose()?;
        let needs_clashes = self.min_depth.is_some() || self.rules.is_some();
        *has_clashes = self.clashes || needs_clashes || (self.shows_clashes && pairs.len() <= SHOWN_PAIRS);
        if *has_clashes {
            *clashes = clashes::find(scenes, pairs, touching, self.rules.is_some())?;
        }
        if let (Some(rules), Some(decided)) = (self.rules, &mut decided) {
            decided.apply(rules, clashes);
            pairs.clear();
            pairs.extend(clashes.iter().map(|clash| clash.pair));
        }
        counts.fitting = decided.map(|decided| decided.fitting);
        if let Some(least) = self.min_depth {
            let all = pairs.len();
            clashes.retain(|clash| clash.depth >= least);
            pairs.clear();
            pairs.extend(clashes.iter().map(|clash| clash.pair));
            counts.shallow = Some((all - pairs.len()) as u64);
        }
        if self.filters {
            self.count_kinds(counts, scenes, pairs, touching)?;
        }
        Ok(())
    }

    /// Counts the remaining pairs, and the kinds among them.
    fn count_kinds(
        &self,
        counts: &mut Counts,
        scenes: &Scenes,
        pairs: &[Pair],
        touching: Option<&[Pair]>,
    ) -> Result<(), Failure> {
        counts.colliding = pairs.len() as u64;
        counts.touching = touching.map(|touching| {
            let touches = |pair: &&Pair| touching.binary_search(&scenes.as_reported(**pair)).is_ok();
            pairs.iter().filter(touches).count() as u64
        });
        let near = || {
            if self.margin > 0.0 {
                scenes.count_near(pairs)
            } else {
                Ok(0)
            }
        };
        counts.near = self.exact.then(near).transpose()?;
        Ok(())
    }
}

/// Returns `true` if pairs are left out.
fn filters(arguments: &CheckArguments) -> bool {
    let files = [&arguments.ignore, &arguments.clash_rules]
        .into_iter()
        .any(Option::is_some);
    files || arguments.condition.is_some() || arguments.min_depth.is_some()
}

/// Returns `true` if any result needs a list of pairs.
fn lists(arguments: &CheckArguments) -> bool {
    let tables = [
        &arguments.pairs,
        &arguments.distances,
        &arguments.contacts,
        &arguments.volumes,
        &arguments.clashes,
        &arguments.bcf,
        &arguments.rows,
        &arguments.baseline,
    ];
    filters(arguments) || arguments.html.is_some() || tables.into_iter().any(Option::is_some)
}

/// Checks a frame whose pairs nothing lists.
fn count<'s>(checker: &mut Checker, scenes: &'s Scenes) -> Result<(Answer<'s>, Checked), Failure> {
    let tally = Tally::new(scenes)?;
    let report = scenes.check(checker, &scenes.query().visit(&|pairs| tally.add(pairs)))?;
    let (degrees, checksum) = tally.finish()?;
    let mut answer = Answer {
        scenes,
        counts: Counts {
            checksum,
            ..counts(&report)
        },
        pairs: Vec::new(),
        degrees,
        clashes: Vec::new(),
        has_clashes: false,
        touching: None,
        gone: Vec::new(),
        accepted: Vec::new(),
        live: HashSet::new(),
        matrix: Matrix::default(),
    };
    answer.count_boxes();
    Ok((answer, Checked::of(&report)))
}

/// Returns the numbers of all pairs.
fn counts(report: &Report) -> Counts {
    Counts {
        candidates: report.candidate_pairs,
        colliding: report.colliding_pairs,
        touching: report.touching_pairs,
        near: report.near_pairs,
        undecided: report.undecided_pairs,
        undecided_after_f64: report.undecided_after_f64,
        ..Counts::default()
    }
}

impl Answer<'_> {
    /// Counts the pairs of each box of FILE among the pairs that are left.
    fn count_degrees(&self) -> Result<Vec<u32>, Failure> {
        let mut degrees = memory::collect((0..self.scenes.scene.len()).map(|_| 0), DEGREES)?;
        let both = self.scenes.against.is_none();
        for pair in &self.pairs {
            degrees[pair.a as usize] += 1;
            if both {
                degrees[pair.b as usize] += 1;
            }
        }
        Ok(degrees)
    }

    /// Counts the boxes, and those without a pair.
    fn count_boxes(&mut self) {
        self.counts.boxes = self.degrees.len() as u64;
        self.counts.free = self.degrees.iter().filter(|&&degree| degree == 0).count() as u64;
        self.counts.against = self.scenes.against.as_ref().map(|against| against.len() as u64);
    }
}
