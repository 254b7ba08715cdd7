//! A query in the form that both backends get: its rules are checked, two sets are joined into one,
//! and tiny records are magnified.

use crate::base::config::{Config, Output, Precision};
use crate::base::error::{Error, Result};
use crate::base::{memory, parallel};
use crate::broad_phase::all_pairs_cpu::FEW;
use crate::engine::exact_stage::Sets;
use crate::engine::prepared::PreparedScene;
use crate::engine::query::sets::BodySet;
use crate::engine::query::{Asked, Query, Visitor, check_count};
use crate::geometry::pair::Pair;
use crate::outputs::report::{Named, Report};
use crate::outputs::sort_pairs_cpu::PairSorter;
use crate::rules::filter::{Joint, PairRules, SetRules, Sides};
use crate::rules::kinds::layers_of;
use crate::rules::layers::Layers;
use crate::rules::model::Rules;
use crate::shapes::bodies::set::{Bodies, OwnedBodies};
use crate::shapes::kind::{Records, Selected, Shape};
use crate::shapes::magnified::Magnification;
use crate::shapes::obb64::around::OwnedBoxes64;
use crate::shapes::triangle::set::OwnedTriangles;
use crate::shapes::upright::record::Upright;
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
            Self::Set(Records::Obb(boxes)) => Some(Sets::Bodies([boxes.into(); 2])),
            Self::Set(Records::Bodies(bodies)) => Some(Sets::Bodies([bodies; 2])),
            Self::Set(Records::Triangles(triangles)) => Some(Sets::Triangles(triangles)),
            Self::Movers { scene, movers } => Some(Sets::Bodies([scene.bodies(), movers])),
            Self::Set(Records::Aabb(_) | Records::Moving(_) | Records::Obb64(_)) => None,
        }
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
    /// The only candidate pairs, if they are given.
    pub candidates: Option<&'a [Pair]>,
    /// Set if the pairs found are candidates that the caller tests further.
    are_candidates: bool,
    /// The visitor that receives the pairs, in place of a list.
    visit: Option<Visit<'a>>,
}

/// The configuration of a check of this query, and the visitor of its pairs.
#[derive(Clone, Debug)]
pub(crate) struct Wanted<'a> {
    config: Config,
    pub visit: Option<Visit<'a>>,
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
    /// Returns the configuration for checking the query, and the visitor of its pairs.
    pub fn wanted(&self, config: &Config) -> Wanted<'a> {
        let mut config = config.clone();
        if self.visit.is_some() {
            config.output = Output::Count;
        }
        if self.are_candidates {
            config.precision = Precision::Conservative;
            config.list_touching = false;
        }
        Wanted {
            config,
            visit: self.visit,
        }
    }
}

/// The lists created for a query.
#[derive(Default)]
struct Made {
    bodies: OwnedBodies,
    triangles: OwnedTriangles,
    boxes64: OwnedBoxes64,
}

/// The data that a resolved query borrows from.
pub(crate) struct Holder<'a> {
    asked: Asked<'a>,
    visitor: Option<Visitor<'a>>,
    rules: SetRules<'a>,
    /// Two sets in one list, or the boxes of upright cuboids.
    made: Made,
    /// Magnified copies of tiny records, which are checked in their place.
    magnified: Option<(Magnification, Selected)>,
}

impl<'a> Holder<'a> {
    /// Creates a holder for a query, given the margin between all boxes.
    ///
    /// # Errors
    /// If there are more boxes than can be numbered, or rules do not match them.
    pub fn new(query: impl Into<Query<'a>>, margin: f64) -> Result<Self> {
        let query = query.into();
        let Query { asked, visitor } = query;
        let counts = match asked {
            Asked::Set(records, _) => [records.len(), 0],
            Asked::Uprights(set) => [set.boxes.len(), 0],
            Asked::Boxes64(set) => [set.boxes.len(), 0],
            Asked::Between64(first, second) => [first.boxes.len(), second.boxes.len()],
            Asked::Pairs(set, _) | Asked::Against(_, set, _) => [set.bodies.len(), 0],
            Asked::Between(first, second) => [first.bodies.len(), second.bodies.len()],
            Asked::TrianglesBetween(first, second) => [first.boxes.len(), second.boxes.len()],
            Asked::MovingBetween(records, _, first) => [first, records.len() - first],
        };
        let count = counts[0].saturating_add(counts[1]);
        check_count(count)?;
        let mut made = Made::default();
        let rules = match asked {
            Asked::Set(_, rules) => SetRules::new(&rules, count)?,
            Asked::Uprights(set) => {
                made.bodies.boxes = Upright::to_boxes(set.boxes)?;
                SetRules::new(&set.rules, count)?
            }
            Asked::Boxes64(set) => {
                made.boxes64 = OwnedBoxes64::around(set.boxes, margin > 0.0 || set.rules.margins.is_some())?;
                SetRules::new(&set.rules, count)?
            }
            Asked::Between64(first, second) => {
                let margins = [&first.rules, &second.rules].map(|rules| rules.margins.is_some());
                let has_margin = margin > 0.0 || margins.contains(&true);
                made.boxes64 = OwnedBoxes64::joined(first.boxes, second.boxes, has_margin)?;
                joined_rules([first.rules, second.rules], counts, &Joint::of_boxes(counts))?
            }
            Asked::Pairs(set, _) | Asked::Against(_, set, _) => SetRules::new(&set.rules, count)?,
            Asked::MovingBetween(_, rules, _) => joined_rules(rules, counts, &Joint::of_boxes(counts))?,
            Asked::Between(first, second) => {
                // One grid holds both, each in its own layer, so the guarantees of the grid for one
                // set hold for two sets: for all sizes, including giants, each pair is found once,
                // and in parts if the sets do not fit.
                made.bodies = OwnedBodies::joined(&[first.bodies, second.bodies], "both sets of bodies")?;
                joined_rules([first.rules, second.rules], counts, &joint(first, second))?
            }
            Asked::TrianglesBetween(first, second) => {
                made.triangles = OwnedTriangles::joined(first.boxes, second.boxes)?;
                joined_rules([first.rules, second.rules], counts, &Joint::of_boxes(counts))?
            }
        };
        let mut holder = Self {
            asked,
            visitor,
            rules,
            made,
            magnified: None,
        };
        if query.is_of_triangles() && (margin > 0.0 || holder.rules.margins.is_some()) {
            return Err(TRIANGLES_WITH_MARGIN);
        }
        // Margins are lengths, too, but a scene with a margin is hardly tiny. Movers meet a scene
        // that is prepared as it is.
        let is_alone = !matches!(holder.asked, Asked::Against(..));
        if is_alone && margin == 0.0 && holder.rules.margins.is_none() {
            holder.magnified = holder.records().magnified()?;
        }
        holder.rules.layers = holder.layers()?;
        Ok(holder)
    }

    /// Returns the layers in which the broad phase keeps the records.
    fn layers(&self) -> Result<Layers> {
        let resolved = self.resolve()?;
        match resolved {
            Resolved {
                subject: Subject::Set(records),
                candidates: None,
                ..
            } if records.len() > FEW => {
                let groups = |id| records.groups(id);
                layers_of(&resolved.rules, records.len(), &groups)
            }
            _ => Ok(Layers::default()),
        }
    }

    /// Returns the records that are sorted, or the movers that walk a scene.
    fn records(&self) -> Records<'_> {
        match (&self.magnified, self.asked) {
            (Some((_, records)), _) => records.records(),
            (None, Asked::Set(records, _)) => records,
            (None, Asked::MovingBetween(records, ..)) => Records::Moving(records),
            (None, Asked::Pairs(set, _) | Asked::Against(_, set, _)) => set.bodies.into(),
            (None, Asked::Between(..) | Asked::Uprights(_)) => self.made.bodies.all().into(),
            (None, Asked::Boxes64(set)) => Records::Obb64(self.made.boxes64.with(set.boxes)),
            (None, Asked::Between64(..)) => Records::Obb64(self.made.boxes64.all()),
            (None, Asked::TrianglesBetween(..)) => Records::Triangles(self.made.triangles.all()),
        }
    }

    /// Returns the query in the form that the backends get.
    pub fn resolve(&self) -> Result<Resolved<'_>> {
        let (rules, candidates) = match self.asked {
            Asked::Set(records, _) => (PairRules::of_one_set(&self.rules, records.len())?, None),
            Asked::Uprights(set) => (PairRules::of_one_set(&self.rules, set.boxes.len())?, None),
            Asked::Boxes64(set) => (PairRules::of_one_set(&self.rules, set.boxes.len())?, None),
            Asked::Between64(first, second) => {
                let counts = [first.boxes.len(), second.boxes.len()];
                (
                    PairRules::of_two_sets(&self.rules, Joint::of_boxes(counts), counts)?,
                    None,
                )
            }
            Asked::Pairs(set, pairs) => (PairRules::of_one_set(&self.rules, set.bodies.len())?, Some(pairs)),
            Asked::Between(first, second) => {
                let counts = [first.bodies.len(), second.bodies.len()];
                (PairRules::of_two_sets(&self.rules, joint(first, second), counts)?, None)
            }
            Asked::TrianglesBetween(first, second) => {
                let counts = [first.boxes.len(), second.boxes.len()];
                (
                    PairRules::of_two_sets(&self.rules, Joint::of_boxes(counts), counts)?,
                    None,
                )
            }
            Asked::MovingBetween(records, _, first) => {
                let counts = [first, records.len() - first];
                (
                    PairRules::of_two_sets(&self.rules, Joint::of_boxes(counts), counts)?,
                    None,
                )
            }
            Asked::Against(scene, set, _) => (scene.rules_of(&self.rules, set.bodies.len())?, None),
        };
        let subject = match self.asked {
            Asked::Against(scene, set, _) => Subject::Movers {
                scene,
                movers: set.bodies,
            },
            _ => Subject::Set(self.records()),
        };
        let joint = match rules.sides {
            Sides::Joined(joint) => Some(joint),
            Sides::OneSet | Sides::Movers => None,
        };
        Ok(Resolved {
            subject,
            rules,
            candidates,
            are_candidates: matches!(self.asked, Asked::Against(_, _, true)),
            visit: self.visitor.map(|visitor| Visit { visitor, joint }),
        })
    }

    /// Converts the pairs of a report to the caller's names, and lengths to the caller's unit.
    pub fn named(&self, mut report: Report) -> Result<Report> {
        if let Some((magnification, _)) = self.magnified {
            for level in &mut report.grid {
                level.cell_size = magnification.undone(level.cell_size);
            }
        }
        for level in &mut report.grid {
            level.cell_size = self.made.boxes64.undone(level.cell_size);
        }
        match self.asked {
            Asked::Set(..) | Asked::Uprights(_) | Asked::Boxes64(_) | Asked::Pairs(..) => {}
            Asked::Against(scene, ..) => {
                report.named = Named::Movers {
                    at_rest: scene.bodies().len(),
                }
            }
            Asked::Between(first, second) => {
                let counts = [first.bodies.len(), second.bodies.len()];
                name_two_sets(&mut report, &joint(first, second), counts)?;
            }
            Asked::Between64(first, second) => {
                let counts = [first.boxes.len(), second.boxes.len()];
                name_two_sets(&mut report, &Joint::of_boxes(counts), counts)?;
            }
            Asked::TrianglesBetween(first, second) => {
                let counts = [first.boxes.len(), second.boxes.len()];
                name_two_sets(&mut report, &Joint::of_boxes(counts), counts)?;
            }
            Asked::MovingBetween(records, _, first) => {
                let counts = [first, records.len() - first];
                name_two_sets(&mut report, &Joint::of_boxes(counts), counts)?;
            }
        }
        Ok(report)
    }
}

/// Returns the numbering of two sets in one list.
fn joint(first: BodySet<'_>, second: BodySet<'_>) -> Joint {
    Joint::new([first.bodies.counts(), second.bodies.counts()])
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

/// The error for a check of triangles with a margin.
pub(crate) const TRIANGLES_WITH_MARGIN: Error = Error::Unavailable {
    what: "a check of triangles with a margin",
    hint: "set `Config::margin` to 0, and leave `Rules::margins` out",
};
