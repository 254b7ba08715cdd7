//! A query in the form that both backends get: its rules are checked, two sets are joined into one,
//! and tiny records are rescaled.

use std::borrow::Cow;

use crate::base::config::{Config, Output, Precision};
use crate::base::error::{Error, Result};
use crate::base::{memory, parallel};
use crate::broad_phase::all_pairs_cpu::FEW;
use crate::engine::exact_stage::Sets;
use crate::engine::prepared::PreparedScene;
use crate::engine::query::lists::Lists;
use crate::engine::query::sets::Set;
use crate::engine::query::{Asked, Query, Visitor, check_count};
use crate::geometry::pair::Pair;
use crate::geometry::period::Period;
use crate::outputs::report::{Named, Report};
use crate::outputs::sort_pairs_cpu::PairSorter;
use crate::rules::filter::{PairRules, SetRules};
use crate::rules::joint::Joint;
use crate::rules::kinds::layers_of;
use crate::rules::layers::Layers;
use crate::rules::model::Rules;
use crate::shapes::any::ShapeList;
use crate::shapes::bodies::set::Bodies;
use crate::shapes::kind::{Records, Selected, Shape};
use crate::shapes::rescaled::Rescaling;
#[cfg(feature = "gpu")]
use crate::{
    geometry::aabb::Aabb, shapes::obb64::around::Boxes64, shapes::obb64::record::Obb64,
    shapes::triangle::set::Neighbours,
};

/// The sets that positions in a pair refer to, and that a device gets.
#[derive(Clone, Copy)]
pub(crate) enum Subject<'a> {
    /// Two of these records.
    Set(Records<'a>),
    /// A box of the scene and a mover.
    Movers {
        scene: &'a PreparedScene,
        movers: Bodies<'a>,
    },
}

impl<'a> Subject<'a> {
    /// Returns the sets that `a` and `b` of a pair refer to, if the exact stage decides it.
    pub fn sets(self) -> Option<Sets<'a>> {
        match self {
            Self::Set(Records::Triangles(triangles)) => Some(Sets::Triangles(triangles)),
            Self::Set(records) => records.bodies().map(|bodies| Sets::Bodies([bodies; 2])),
            Self::Movers { scene, movers } => Some(Sets::Bodies([scene.bodies(), movers])),
        }
    }

    /// Returns `true` if the test is exact regardless of the requested precision.
    #[cfg(feature = "gpu")]
    pub fn is_always_exact(self) -> bool {
        self.shape() == Shape::Triangles
    }

    /// Returns the bounds if the subject consists of plain bounds.
    #[cfg(feature = "gpu")]
    pub fn bounds(self) -> Option<&'a [Aabb]> {
        match self {
            Self::Set(Records::Aabb(bounds)) => Some(bounds),
            _ => None,
        }
    }

    /// Returns the boxes with centers in `f64` if the subject consists of these.
    #[cfg(feature = "gpu")]
    pub fn boxes64(self) -> Option<&'a [Obb64]> {
        match self {
            Self::Set(Records::Obb64(Boxes64 { boxes, .. })) => Some(boxes),
            _ => None,
        }
    }

    /// Returns the pairs of triangles with a common corner that count.
    #[cfg(feature = "gpu")]
    pub fn neighbours(self) -> Neighbours {
        match self {
            Self::Set(Records::Triangles(triangles)) => triangles.neighbours,
            _ => Neighbours::default(),
        }
    }

    /// Returns the records that are sorted, or the movers that walk a scene.
    pub fn records(self) -> Records<'a> {
        match self {
            Self::Set(records) => records,
            Self::Movers { scene, movers } => match scene.bodies().only_boxes() {
                Some(_) => movers.into(),
                None => Records::Bodies(movers),
            },
        }
    }

    /// Returns the shape of the records.
    pub fn shape(self) -> Shape {
        self.records().shape()
    }

    /// Returns the number of records, each of which has a degree.
    pub fn count(self) -> usize {
        self.records().len()
    }
}

/// A query that both backends can answer: its rules are checked, and two sets are joined into one.
pub(crate) struct Resolved<'a> {
    pub subject: Subject<'a>,
    pub rules: PairRules<'a>,
    /// The lengths after which space repeats, if it does.
    pub period: Option<Period>,
    /// The only candidate pairs, if they are given.
    pub candidates: Option<&'a [Pair]>,
    /// Set if the pairs found are candidates that the caller tests further.
    are_candidates: bool,
    /// The visitor that receives the pairs, in place of a list.
    visit: Option<Visit<'a>>,
    /// Set if all bodies are in the plane z = 0.
    is_flat: bool,
    /// The factor by which lengths of the records are larger than the caller's: a power of two.
    #[cfg(all(feature = "gpu", feature = "unstable"))]
    pub scale: f64,
}

/// The configuration of a check of this query, and the visitor of its pairs.
#[derive(Clone, Debug)]
pub(crate) struct Wanted<'a> {
    config: Cow<'a, Config>,
    pub visit: Option<Visit<'a>>,
    /// Set if the pairs found are candidates that the caller tests further.
    pub are_candidates: bool,
    /// Set if all bodies are in the plane z = 0.
    pub is_flat: bool,
}

impl std::ops::Deref for Wanted<'_> {
    type Target = Config;

    fn deref(&self) -> &Config {
        &self.config
    }
}

/// A visitor, and the conversion to the caller's names of pairs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visit<'a> {
    visitor: Visitor<'a>,
    joint: Option<Joint>,
}

impl Visit<'_> {
    /// Passes pairs to the visitor.
    pub fn pairs(&self, pairs: &mut [Pair]) {
        if let Some(joint) = &self.joint {
            pairs.iter_mut().for_each(|pair| *pair = joint.named(*pair));
        }
        if !pairs.is_empty() {
            (self.visitor.0)(pairs);
        }
    }
}

impl<'a> Resolved<'a> {
    /// Returns the query for candidates among these records in place of its own, which the caller
    /// tests further.
    pub fn candidates_among<'b>(&self, records: Records<'b>) -> Resolved<'b>
    where
        'a: 'b,
    {
        Resolved {
            subject: Subject::Set(records),
            rules: PairRules {
                excluded: self.rules.excluded.clone(),
                ..self.rules
            },
            period: None,
            candidates: None,
            are_candidates: true,
            visit: None,
            is_flat: self.is_flat,
            #[cfg(all(feature = "gpu", feature = "unstable"))]
            scale: 1.0,
        }
    }

    /// Returns the configuration for checking the query, and the visitor of its pairs.
    pub fn wanted<'b>(&self, config: &'b Config) -> Wanted<'b>
    where
        'a: 'b,
    {
        let mut config = Cow::Borrowed(config);
        if self.visit.is_some() {
            config.to_mut().output = Output::Count;
        }
        if self.are_candidates {
            config.to_mut().precision = Precision::Conservative;
            config.to_mut().list_touching = false;
        }
        Wanted {
            config,
            visit: self.visit,
            are_candidates: self.are_candidates,
            is_flat: self.is_flat,
        }
    }
}

/// The data that a resolved query borrows from.
pub(crate) struct Holder<'a> {
    asked: Asked<'a>,
    visitor: Option<Visitor<'a>>,
    period: Option<Period>,
    are_candidates: bool,
    is_flat: bool,
    rules: SetRules<'a>,
    lists: Lists<'a>,
    /// Rescaled copies of tiny records, which are checked in their place.
    rescaled: Option<(Rescaling, Selected)>,
}

impl<'a> Holder<'a> {
    /// Creates a holder for a query, given the margin between all boxes.
    ///
    /// # Errors
    /// If there are more boxes than can be numbered, or rules do not match them, or the question is
    /// not offered for these shapes.
    pub fn new(query: impl Into<Query<'a>>, margin: f64) -> Result<Self> {
        let Query {
            asked,
            visitor,
            period,
            are_candidates,
            is_flat,
        } = query.into();
        let (counts, rules) = (asked.counts(), asked.rules());
        check_count(counts[0].saturating_add(counts[1]))?;
        let has_margin = margin > 0.0 || rules.iter().any(|rules| rules.margins.is_some());
        if let Some(period) = &period {
            period.validate()?;
            expect_repeatable(&asked)?;
        }
        // A period is a length, too.
        let has_scale = has_margin || period.is_some();
        let lists = Lists::new(&asked, has_scale)?;
        let rules = match asked.joint() {
            Some(joint) => joined_rules(rules, counts, &joint)?,
            None => SetRules::new(&rules[0], counts[0])?,
        };
        let mut holder = Self {
            asked,
            visitor,
            period,
            are_candidates,
            is_flat,
            rules,
            lists,
            rescaled: None,
        };
        // Margins are lengths, too, but a scene with a margin is hardly tiny. Movers meet a scene
        // that is prepared as it is.
        if !has_scale && !matches!(asked, Asked::Against(..)) {
            holder.rescaled = holder.records().rescaled()?;
        }
        holder.rules.layers = holder.layers()?;
        Ok(holder)
    }

    /// Returns the layers in which the broad phase keeps the records.
    fn layers(&self) -> Result<Layers> {
        let is_set = !matches!(self.asked, Asked::Against(..) | Asked::Pairs(..));
        let records = self.records();
        if !is_set || self.period.is_some() || records.len() <= FEW {
            return Ok(Layers::default());
        }
        layers_of(&self.resolve()?.rules, records.len(), &|id| records.groups(id))
    }

    /// Returns the records that are sorted, or the movers that walk a scene.
    fn records(&self) -> Records<'_> {
        match &self.rescaled {
            Some((_, records)) => records.records(),
            None => self.lists.records(),
        }
    }

    /// Returns the query in the form that the backends get.
    pub fn resolve(&self) -> Result<Resolved<'_>> {
        let (counts, joint) = (self.asked.counts(), self.asked.joint());
        let rules = match (self.asked, joint) {
            (Asked::Against(scene, ..), _) if self.are_candidates => PairRules::of_copies(&scene.rules, &self.rules),
            (Asked::Against(scene, ..), _) => scene.rules_of(&self.rules, counts[0])?,
            (_, Some(joint)) => PairRules::of_two_sets(&self.rules, joint, counts)?,
            (_, None) => PairRules::of_one_set(&self.rules, counts[0])?,
        };
        let mut candidates = None;
        let subject = match self.asked {
            Asked::Against(scene, _) => {
                let movers = self.lists.bodies();
                Subject::Movers { scene, movers }
            }
            Asked::Pairs(_, pairs) => {
                candidates = Some(pairs);
                Subject::Set(self.records())
            }
            _ => Subject::Set(self.records()),
        };
        Ok(Resolved {
            subject,
            rules,
            period: self.period,
            candidates,
            are_candidates: self.are_candidates,
            visit: self.visitor.map(|visitor| Visit { visitor, joint }),
            is_flat: self.is_flat,
            #[cfg(all(feature = "gpu", feature = "unstable"))]
            scale: self.rescaled.as_ref().map_or(1.0, |(by, _)| by.times()),
        })
    }

    /// Converts the position in an error about a body to that in the caller's lists.
    pub fn named_error(&self, error: Error) -> Error {
        match (error, self.asked.joint()) {
            (Error::OutOfPeriod { index, problem, count }, Some(joint)) => {
                let (id, [first, _]) = (index as u32, self.asked.counts());
                let before = if joint.is_second(id) { first } else { 0 };
                Error::OutOfPeriod {
                    index: before + joint.own(id) as usize,
                    problem,
                    count,
                }
            }
            (error, _) => error,
        }
    }

    /// Converts the pairs of a report to the caller's names, and lengths to the caller's unit.
    pub fn named(&self, mut report: Report) -> Result<Report> {
        for level in &mut report.grid {
            if let Some((rescaling, _)) = self.rescaled {
                level.cell_size = rescaling.undone(level.cell_size);
            }
            level.cell_size = self.lists.undone(level.cell_size);
        }
        if let Asked::Against(scene, ..) = self.asked {
            report.named = Named::Movers {
                at_rest: scene.bodies().len(),
            };
        }
        if let Some(joint) = self.asked.joint() {
            name_two_sets(&mut report, &joint, self.asked.counts())?;
        }
        Ok(report)
    }
}

/// Returns an error if periodic boundaries are not offered for this question.
fn expect_repeatable(asked: &Asked<'_>) -> Result<()> {
    let is_offered = |set: &Set<'_>| {
        let list = set.shapes.0;
        matches!(list, ShapeList::Bodies(_) | ShapeList::Upright(_) | ShapeList::Obb64(_))
    };
    let offered = match asked {
        Asked::Set(set, _) | Asked::Pairs(set, _) => is_offered(set),
        Asked::Between(sets) => sets.iter().all(is_offered),
        Asked::Against(_, movers) => is_offered(movers),
        Asked::MovingBetween(..) => false,
    };
    offered.then_some(()).ok_or(Error::Unavailable {
        what: "the answer for these shapes in space that repeats",
        hint: "pass boxes, capsules, spheres, upright cuboids or boxes with centers in f64",
    })
}

/// Joins the rules of two sets of these sizes into those of one set.
fn joined_rules<'a>(rules: [Rules<'a>; 2], counts: [usize; 2], joint: &Joint) -> Result<SetRules<'a>> {
    let first = SetRules::new(&rules[0], counts[0])?;
    let second = SetRules::new(&rules[1], counts[1])?;
    SetRules::joined([&first, &second], joint)
}

/// Names the bodies of pairs by their positions in their own sets, and reorders degrees by set.
fn name_two_sets(report: &mut Report, joint: &Joint, counts: [usize; 2]) -> Result<()> {
    let rename = |_, pair: &mut Pair| *pair = joint.named(*pair);
    parallel::update(&mut report.pairs, rename);
    parallel::update(&mut report.touching, rename);
    if !joint.is_of_one_kind() {
        let mut sorter = PairSorter::default();
        sorter.sort(&mut report.pairs)?;
        sorter.sort(&mut report.touching)?;
        if !report.degrees.is_empty() {
            let before = |id: u32| if joint.is_second(id) { counts[0] as u32 } else { 0 };
            let mut degrees = memory::filled(report.degrees.len(), 0, "the degrees")?;
            for (id, degree) in (0..).zip(&report.degrees) {
                degrees[(before(id) + joint.own(id)) as usize] = *degree;
            }
            report.degrees = degrees;
        }
    }
    report.named = Named::TwoSets(counts);
    Ok(())
}
