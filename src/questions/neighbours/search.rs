//! The common part of the searches by centers and by surfaces: who searches, who is found, and the
//! rules.

use crate::base::error::{Error, Result};
use crate::base::parallel;
use crate::base::stop::Stop;
use crate::broad_phase::points::classes::Classes;
use crate::broad_phase::points::coordinate::Coordinate;
use crate::broad_phase::points::tree::{Extent, PointTree, Sites, Summary};
use crate::broad_phase::points::walk::Asking;
use crate::broad_phase::points::wrap::{Wrap, in_cell};
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::{MAX_BOXES, Pair};
use crate::geometry::period::Period;
use crate::outputs::neighbours::{Neighbours, Part};
use crate::questions::neighbours::places::Places;
use crate::rules::filter::{PairRules, SetRules};
use crate::rules::model::NO_OWNER;

/// Number of blocks that one task answers.
const GRAIN: usize = 128;

/// The number of neighbours that are found, and their largest distance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    pub count: Option<usize>,
    pub radius: Option<f64>,
}

impl Reach {
    pub fn validate(self) -> Result<()> {
        let invalid = |what, value, wanted| Err(Error::InvalidSearch { what, value, wanted });
        match self {
            Self { count: Some(0), .. } => invalid("number", 0.0, "at least 1"),
            Self {
                radius: Some(radius), ..
            } if radius.is_nan() || radius < 0.0 => invalid("radius", radius, "at least 0"),
            _ => Ok(()),
        }
    }

    /// Returns the number of neighbours that a search must find, one more than wanted if that says
    /// whether the radius holds more.
    pub fn sought(self, bodies: usize) -> Option<usize> {
        let more = usize::from(self.radius.is_some());
        self.count.map(|count| count.saturating_add(more).min(bodies))
    }

    /// Returns the number of neighbours to keep of those found, and whether some are left out.
    pub fn kept(self, found: usize) -> (usize, bool) {
        let kept = self.count.map_or(found, |count| count.min(found));
        (kept, self.radius.is_some() && kept < found)
    }
}

/// A search for neighbours.
pub(super) struct Search<'a> {
    pub found: &'a Places<'a>,
    /// The bodies or points whose neighbours are sought; those of `found` if `None`.
    pub asking: Option<&'a Places<'a>>,
    pub reach: Reach,
    /// The lengths after which space repeats, if it does.
    pub period: Option<Period>,
    rules: PairRules<'a>,
    /// Of the bodies that are found.
    pub summary: Summary,
    /// The numbers by which bodies at the same distance are sorted, if not by their positions.
    ids: Option<&'a [u32]>,
    stop: &'a Stop,
}

impl<'a> Search<'a> {
    pub fn new(
        found: &'a Places<'a>,
        asking: Option<&'a Places<'a>>,
        rules: PairRules<'a>,
        reach: Reach,
        summary: Summary,
        stop: &'a Stop,
    ) -> Result<Self> {
        for boxes in [found.len(), asking.map_or(0, Places::len)] {
            if boxes > MAX_BOXES {
                let limit = MAX_BOXES;
                return Err(Error::TooManyBoxes { boxes, limit });
            }
        }
        Ok(Self {
            found,
            asking,
            reach,
            period: None,
            rules,
            summary,
            ids: None,
            stop,
        })
    }

    /// Lets space repeat.
    pub fn repeat(&mut self, period: Period) -> Result<()> {
        period.validate()?;
        let (found, first) = (self.found, self.found.len());
        Period::expect_none(first + self.asking.map_or(0, Places::len), |index| {
            match (index.checked_sub(first), self.asking) {
                (Some(id), Some(asking)) => asking.period_problem(id, &period),
                _ => found.period_problem(index, &period),
            }
        })?;
        self.period = Some(period);
        Ok(())
    }

    /// Sets the numbers by which bodies at the same distance are sorted.
    pub fn sort_ties_by(&mut self, ids: &'a [u32]) -> Result<()> {
        let (boxes, given) = (self.found.len(), ids.len());
        if boxes != given {
            return Err(Error::MissingIds { boxes, ids: given });
        }
        self.ids = Some(ids);
        Ok(())
    }

    /// Returns what bodies at the same distance are sorted by, given the position of each.
    #[inline]
    pub fn tie(&self, id: u32) -> (u32, u32) {
        (self.ids.map_or(0, |ids| ids[id as usize]), id)
    }

    /// Returns the bodies or points whose neighbours are sought.
    pub fn asking(&self) -> &'a Places<'a> {
        self.asking.unwrap_or(self.found)
    }

    /// Returns `true` if centers of either are in `f64`.
    pub fn is_double(&self) -> bool {
        self.found.is_double() || self.asking().is_double()
    }

    fn has_rules(&self) -> bool {
        self.summary.has_groups || self.rules.any().is_some()
    }

    /// Returns the bodies that are found, and those that search, as a tree sees them.
    pub fn sites(&self, scale: f64) -> [Site<'_>; 2] {
        let [of_found, of_asking] = self.rules.sets;
        [(self.found, of_found), (self.asking(), of_asking)].map(|(places, rules)| Site {
            places,
            rules: self.has_rules().then_some(rules),
            period: self.period,
            scale,
            bounds: None,
        })
    }

    /// Returns a test of whether the rules allow a pair, given the positions of the one that
    /// searches and of the one that is found; `None` if all are allowed.
    pub fn allow<T: Coordinate>(
        &self,
        tree: &PointTree<T>,
        points: &PointTree<T>,
    ) -> Option<impl Fn(u32, u32) -> bool + Copy> {
        self.has_rules().then_some(move |asking: u32, found: u32| {
            let pair = Pair {
                a: tree.id(found),
                b: points.id(asking),
            };
            self.rules.allow(pair) && self.groups_meet(pair)
        })
    }

    fn groups_meet(&self, pair: Pair) -> bool {
        let ([in_a, a_meets], [in_b, b_meets]) = (self.found.groups(pair.a), self.asking().groups(pair.b));
        in_a & b_meets != 0 && in_b & a_meets != 0
    }

    /// Answers all blocks of points on all cores. `answer` adds the rows of a block to a part. Each
    /// task has a state of its own.
    pub fn answer<T: Coordinate, S: Default>(
        &self,
        tree: &PointTree<T>,
        points: &PointTree<T>,
        answer: impl Fn(Asking<'_, T>, &mut S, &mut Part) -> Result<()> + Sync + Send,
    ) -> Result<Neighbours> {
        let wrap = self.period.as_ref().map(Wrap::new);
        let wrap = wrap.as_ref();
        let parts = parallel::within(points.points, || {
            parallel::map_ranges_of(GRAIN, points.blocks.len(), |blocks| {
                self.stop.check()?;
                let (mut state, mut part) = (S::default(), Part::default());
                for block in blocks {
                    let asking = Asking {
                        tree,
                        points,
                        wrap,
                        block,
                    };
                    answer(asking, &mut state, &mut part)?;
                }
                Ok(part)
            })
        });
        Neighbours::gather(points.points, &parts.into_iter().collect::<Result<Vec<_>>>()?)
    }
}

/// Bodies or points as a tree sees them.
#[derive(Clone, Copy)]
pub(super) struct Site<'a> {
    places: &'a Places<'a>,
    rules: Option<&'a SetRules<'a>>,
    /// If space repeats, centers are moved into the cell around 0.
    period: Option<Period>,
    /// The factor of all coordinates.
    scale: f64,
    pub bounds: Option<&'a [Bounds]>,
}

impl<T: Coordinate> Sites<T> for Site<'_> {
    fn len(&self) -> usize {
        self.places.len()
    }

    fn center(&self, id: u32) -> [T; 3] {
        let center = self.places.center(id);
        let center = match &self.period {
            None => self.scale * center,
            Some(period) => in_cell(center, period),
        };
        center.to_array().map(T::of)
    }

    fn bounds(&self, id: u32) -> Option<Extent<T>> {
        let Bounds { low, high, .. } = self.bounds?[id as usize];
        let [low, high] = [low, high].map(|corner| corner.to_array().map(|x| T::of(x.into())));
        Some(Extent { low, high })
    }

    fn classes(&self, id: u32) -> Option<Classes> {
        let (rules, k) = (self.rules?, id as usize);
        Some(Classes {
            worlds: [rules.world(id); 2],
            owner: rules.owners.as_ref().map_or(NO_OWNER, |owners| owners[k]),
            statics: rules.statics.as_ref().is_some_and(|statics| statics[k]),
            inactive: rules.active.as_ref().is_some_and(|active| !active[k]),
            groups: rules
                .groups
                .as_ref()
                .map_or_else(|| self.places.groups(id), |groups| groups[k]),
        })
    }
}
