//! Queries: the input of a check, common to both backends.

pub(crate) mod lists;
pub(crate) mod resolved;
pub(crate) mod sets;

use crate::base::error::{Error, Result};
use crate::engine::prepared::{Memory, PreparedScene};
use crate::engine::query::sets::Set;
#[cfg(doc)]
use crate::geometry::aabb::Aabb;
use crate::geometry::pair::{MAX_BOXES, Pair};
use crate::geometry::period::Period;
#[cfg(doc)]
use crate::outputs::report::Report;
use crate::rules::joint::Joint;
use crate::rules::model::Rules;
use crate::shapes::any::{ShapeList, Shapes};
use crate::shapes::bodies::set::Bodies;
use crate::shapes::moving::record::Moving;
#[cfg(doc)]
use crate::shapes::obb64::record::Obb64;
#[cfg(doc)]
use crate::shapes::triangle::record::Triangle;
use crate::shapes::triangle::set::Neighbours;
#[cfg(doc)]
use crate::shapes::upright::record::Upright;

/// A query for [`Checker::check`](crate::Checker::check).
///
/// A [`Set`], and everything that converts to one, such as a slice of boxes, converts to a query
/// for all pairs of that set. The functions here create other queries.
///
/// Precision, margin and output are those of the checker's [`Config`](crate::Config), but some
/// shapes have rules of their own:
///
/// - [`Upright`] cuboids: the check uses their boxes, rounded as in `Obb::from`, which take 48
///   bytes each.
/// - [`Obb64`]s: the check creates an [`Obb`](crate::Obb) around each, and decides in `f64` what
///   these leave open.
/// - [`Aabb`]s: the check runs the broad phase alone, for callers with their own shapes and narrow
///   phase. The numbers are compared as they are, and nothing is widened: callers whose bounds come
///   from rounded arithmetic must widen them. [`Report::pairs`] are the pairs for which
///   [`Aabb::overlaps`] returns `true`, touching included, sorted; each is a candidate and a
///   colliding pair. A GPU may treat numbers below `2^-126` as zero and list pairs whose gap is
///   that small. With a margin, the pairs are those whose bounds have no gap wider than the margin
///   along any axis. This is exact on every backend: the unrounded difference of two stored numbers
///   is compared with the margin, or with the sum if bounds have their own margins
///   ([`Rules::margins`]). The precision does not apply, and [`Report::touching_pairs`] is `None`.
///   [`Error::InvalidBox`] names the first bounds with a [`problem`](Aabb::problem).
/// - [`Triangle`]s: the pairs that share a point, exact for the stored numbers on every backend. In
///   a mesh these are mostly neighbours with a common corner; [`Query::mesh`] keeps only the
///   neighbours that share more than that. The precision does not apply, and
///   [`Report::touching_pairs`] is `None`. [`Error::InvalidTriangle`] names the first triangle with
///   a [`problem`](Triangle::problem); [`Error::Unavailable`] if there is a margin.
///
/// ```
/// use obbligato::{Backend, Checker, Config, Pair, glam::Vec3, shape::Aabb};
/// # fn main() -> obbligato::Result<()> {
/// let bounds = [0.0, 1.0, 9.0].map(|x| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0)));
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// assert_eq!(checker.check(&bounds)?.pairs()?, [Pair::new(0, 1)]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    asked: Asked<'a>,
    visitor: Option<Visitor<'a>>,
    period: Option<Period>,
    /// Set if the pairs are tested further by the caller.
    are_candidates: bool,
    /// Set if all bodies are in the plane z = 0.
    is_flat: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Asked<'a> {
    Set(Set<'a>, Neighbours),
    Between([Set<'a>; 2]),
    /// Two sets in one list, and the length of the first.
    MovingBetween(&'a [Moving], [Rules<'a>; 2], usize),
    Pairs(Set<'a>, &'a [Pair]),
    /// Movers against a scene.
    Against(&'a PreparedScene, Set<'a>),
}

impl<'a> Asked<'a> {
    /// Returns the sizes of two sets, or the size of one and 0.
    fn counts(&self) -> [usize; 2] {
        match self {
            Self::Set(set, _) | Self::Pairs(set, _) | Self::Against(_, set) => [set.shapes.len(), 0],
            Self::Between(sets) => sets.map(|set| set.shapes.len()),
            Self::MovingBetween(records, _, first) => [*first, records.len() - first],
        }
    }

    /// Returns the numbering of two sets in one list.
    fn joint(&self) -> Option<Joint> {
        match self {
            Self::Set(..) | Self::Pairs(..) | Self::Against(..) => None,
            Self::Between(sets) => Some(Joint::new(sets.map(|set| set.shapes.counts()))),
            Self::MovingBetween(..) => Some(Joint::of_boxes(self.counts())),
        }
    }

    /// Returns the rules of each set; those of one set twice.
    fn rules(&self) -> [Rules<'a>; 2] {
        match self {
            Self::Set(set, _) | Self::Pairs(set, _) | Self::Against(_, set) => [set.rules; 2],
            Self::Between(sets) => sets.map(|set| set.rules),
            Self::MovingBetween(_, rules, _) => *rules,
        }
    }
}

impl<'a> Query<'a> {
    /// Creates a query for the colliding pairs of a shape in `first` and one in `second`.
    ///
    /// In a [`Pair`], `a` is the position in the first set and `b` that in the second; the pairs
    /// are sorted by (a, b). Boxes of one set are not compared with each other. Both sets may have
    /// any size and any placement: the time grows with the boxes of both and with the pairs of one
    /// box each whose bounds overlap, not with the pairs within a set. [`Report::boxes`] counts
    /// both sets. [`Report::degrees`] are those of the first set, then those of the second.
    /// Positions in [`Error::InvalidBox`] continue from the first set to the second. The shapes are
    /// copied: 48 bytes for each box.
    ///
    /// Both sets are bodies or upright cuboids; or boxes of which some have centers in `f64`; or
    /// bounds; or triangles, of which all pairs count, even those with common corners.
    /// [`Error::Unavailable`] for others; [`MeshQuery`](crate::query::MeshQuery) compares triangles
    /// with bodies.
    ///
    /// To check many lists of boxes against one that stays in place, see [`Query::against`].
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config, Obb, Pair, Query, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let box_at = |x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE);
    /// let (walls, pipes) = ([box_at(0.0), box_at(1.0)], [box_at(9.0), box_at(2.5)]);
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// assert_eq!(checker.check(Query::between(&walls, &pipes))?.pairs()?, [Pair { a: 1, b: 1 }]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn between(first: impl Into<Set<'a>>, second: impl Into<Set<'a>>) -> Self {
        Self::asking(Asked::Between([first.into(), second.into()]))
    }

    /// Creates a query for those of `pairs` that collide. It runs the narrow phase alone, for
    /// callers with their own broad phase.
    ///
    /// The report is that of a check of the set, with the same groups and rules, restricted to
    /// these pairs; those that a rule forbids are not candidates. The pairs may come in any order;
    /// a pair that is given twice counts twice. Every box must be valid, even if no pair names it.
    /// [`Error::InvalidPair`] if a pair names a box that does not exist. All boxes must fit the
    /// device at once, because they are not checked in parts. [`Error::Unavailable`] for other
    /// shapes than bodies and upright cuboids.
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config, Obb, Pair, Query, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let boxes = [0.0, 1.5, 9.0].map(|x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let report = checker.check(Query::pairs(&boxes, &[Pair::new(1, 2), Pair::new(0, 1)]))?;
    /// assert_eq!(report.pairs()?, [Pair::new(0, 1)]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn pairs(bodies: impl Into<Set<'a>>, pairs: &'a [Pair]) -> Self {
        Self::asking(Asked::Pairs(bodies.into(), pairs))
    }

    /// Creates a query for the self-intersections of a mesh: the pairs of triangles that share a
    /// point other than their common corner or edge ([`Triangle::meets_in_mesh`]).
    /// Neighbours therefore count if they pass through each other, lie folded flat onto each other,
    /// or are the same triangle twice. [`Error::Unavailable`] for other shapes.
    ///
    /// ```
    /// use obbligato::{glam::Vec3, shape::Triangle, Backend, Checker, Config, Pair, Query};
    /// # fn main() -> obbligato::Result<()> {
    /// let floor = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y);
    /// let beside = Triangle::new(Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.0));
    /// let middle = Vec3::new(0.25, 0.25, 0.0);
    /// let spike = Triangle::new(middle - Vec3::Z, middle + Vec3::Z, middle + Vec3::new(0.1, 0.0, 1.0));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// assert_eq!(checker.check(Query::mesh(&[floor, beside, spike]))?.pairs()?, [Pair::new(0, 2)]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn mesh(triangles: impl Into<Set<'a>>) -> Self {
        Self::asking(Asked::Set(triangles.into(), Neighbours::Crossing))
    }

    /// Creates a query for the self-intersections of a mesh, without neighbours: the pairs of
    /// triangles that share a point and have no corner in common.
    pub fn mesh_without_neighbours(triangles: impl Into<Set<'a>>) -> Self {
        Self::asking(Asked::Set(triangles.into(), Neighbours::None))
    }

    /// Creates a query for the pairs of moving boxes that may meet during the step of their
    /// records. The caller tests the pairs further.
    pub(crate) fn moving(records: &'a [Moving], rules: Rules<'a>) -> Self {
        let shapes = Shapes(ShapeList::Moving(records));
        Self::asking(Asked::Set(Set { shapes, rules }, Neighbours::All))
    }

    /// Like [`Query::moving`], for pairs between the first `first` records and the others, with the
    /// rules of each set.
    pub(crate) fn moving_between(records: &'a [Moving], rules: [Rules<'a>; 2], first: usize) -> Self {
        Self::asking(Asked::MovingBetween(records, rules, first))
    }

    /// Creates a query for the colliding pairs of a box in `scene`, which
    /// [`Checker::prepare`](crate::Checker::prepare) has sorted, and one of the `movers`.
    ///
    /// The time grows with the movers and their pairs, not with the boxes at rest. However, a mover
    /// that is far larger than those may be tested against each of them. In a [`Pair`], `a` is the
    /// position in the scene and `b` that among the movers; the pairs are sorted by (a, b). Boxes
    /// of the scene are not checked against each other, nor are movers. [`Report::boxes`] and
    /// [`Report::degrees`] describe the movers, all of which must fit one binding of a GPU (48
    /// bytes per box). [`Error::ForeignScene`] if the scene was prepared elsewhere; see
    /// [`PreparedScene`]. [`Error::Unavailable`] for other movers than bodies and upright cuboids.
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config, Obb, Pair, Query, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let wall = [0.0, 2.0, 4.0].map(|x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let scene = checker.prepare(&wall)?;
    /// let ball_at = |y| [Obb::axis_aligned(Vec3::new(4.5, y, 0.0), Vec3::splat(0.4))];
    /// assert_eq!(checker.check(Query::against(&scene, &ball_at(3.0)))?.pairs()?, []);
    /// assert_eq!(checker.check(Query::against(&scene, &ball_at(1.0)))?.pairs()?, [Pair { a: 2, b: 0 }]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn against(scene: &'a PreparedScene, movers: impl Into<Set<'a>>) -> Self {
        Self::asking(Asked::Against(scene, movers.into()))
    }

    /// Asks for candidates, which the caller tests further: false positives are allowed, whatever
    /// the precision, and bodies may be wider than the period.
    pub(crate) fn as_candidates(self) -> Self {
        Self {
            are_candidates: true,
            ..self
        }
    }
}

impl<'a> Query<'a> {
    #[allow(
        clippy::large_types_passed_by_value,
        reason = "it becomes a part of the query; large on 64-bit targets only"
    )]
    fn asking(asked: Asked<'a>) -> Self {
        Self {
            asked,
            visitor: None,
            period: None,
            are_candidates: false,
            is_flat: false,
        }
    }

    /// Asks the same in space that repeats after these lengths: every body is repeated at each
    /// whole multiple of the length along each axis.
    ///
    /// Two bodies collide if one and any image of the other share a point, exactly for the stored
    /// numbers and these lengths. Each pair is reported once, however many images collide, and it
    /// touches if no two images overlap. No body is its own partner, whatever the margin.
    /// [`ContactQuery::periodic`](crate::query::ContactQuery::periodic) returns the images.
    ///
    /// The time is that of an open scene, and that of looking up the bodies which stick out of a
    /// cell once more. Nothing is copied but the bounds of those; and, if the centers do not fit a
    /// cell, the bodies, moved into it. Pairs across the border take longer than others, as
    /// they are tested in `f64`. Bodies of half a period or more may meet in several images, all of
    /// which are tested. A GPU finds the pairs; the host decides those across the border, and all
    /// if bodies must be moved or may meet in several images.
    ///
    /// A prepared scene stays where it is given, and movers are looked up in each image in which
    /// they reach it. Prepare one whose bodies lie within a period: then these are one or two along
    /// each axis, but for those by margins.
    ///
    /// [`Error::InvalidPeriod`] for a length that is not finite or shorter than 2^-90;
    /// [`Error::OutOfPeriod`] if a body is as wide as the period along an axis, or too many periods
    /// from the origin. [`Error::Unavailable`] if the margin reaches over more than 16 periods, for
    /// a prepared scene of more than about 36, and for other shapes than bodies, upright cuboids
    /// and boxes with centers in `f64`.
    #[must_use]
    pub fn periodic(self, period: Period) -> Self {
        Self {
            period: Some(period),
            ..self
        }
    }

    /// Passes the pairs to a function as they are found, instead of listing them. Memory does not
    /// grow with the number of pairs.
    ///
    /// `visit` is called with batches of pairs, in any order, on the threads that find them, and
    /// thus from several threads at once. It gets each pair once, named as in [`Report::pairs`],
    /// after undecided ones have been decided exactly. Batches are large enough for a lock to cost
    /// little: a function that sums into a state of its own may take that from a list behind a
    /// `Mutex` and return it there. The report is that of [`Output::Count`](crate::Output::Count),
    /// regardless of [`Config::output`](crate::Config::output);
    /// [`Config::max_pairs`](crate::Config::max_pairs) does not apply. If the check fails, `visit`
    /// may already have received some pairs.
    ///
    /// A GPU passes its pairs to the host, which calls `visit`; memory then grows with the pairs of
    /// one part of the work. To process pairs in the kernel that finds them, see
    /// [`FrameVisitor`](crate::gpu::FrameVisitor). [`Query::visit_contacts`] also passes contacts.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    /// use obbligato::{Backend, Checker, Config, Obb, Pair, Query, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let row: Vec<Obb> = (0..1000).map(|k| Obb::axis_aligned(Vec3::new(1.5 * k as f32, 0.0, 0.0), Vec3::ONE)).collect();
    /// let partners: Vec<AtomicU32> = row.iter().map(|_| AtomicU32::new(0)).collect();
    /// let count = |pairs: &[Pair]| {
    ///     for id in pairs.iter().flat_map(|pair| [pair.a, pair.b]) {
    ///         partners[id as usize].fetch_add(1, Relaxed);
    ///     }
    /// };
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// assert_eq!(checker.check(Query::from(&row).visit(&count))?.colliding_pairs, 999);
    /// assert_eq!(partners[500].load(Relaxed), 2);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn visit(self, visit: &'a (dyn Fn(&[Pair]) + Sync)) -> Self {
        Self {
            visitor: Some(Visitor(visit)),
            ..self
        }
    }
}

/// A function that receives pairs.
#[derive(Clone, Copy)]
struct Visitor<'a>(&'a (dyn Fn(&[Pair]) + Sync));

impl std::fmt::Debug for Visitor<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Visitor")
    }
}

impl<'a, S: Into<Set<'a>>> From<S> for Query<'a> {
    fn from(set: S) -> Self {
        Self::asking(Asked::Set(set.into(), Neighbours::All))
    }
}

impl<'a> Query<'a> {
    /// Returns the sets that `a` and `b` of a pair refer to, as the caller names them.
    pub(crate) fn sets(&self) -> [Shapes<'a>; 2] {
        match self.asked {
            Asked::Set(set, _) | Asked::Pairs(set, _) => [set.shapes; 2],
            Asked::Between(sets) => sets.map(|set| set.shapes),
            Asked::MovingBetween(records, ..) => [Shapes(ShapeList::Moving(records)); 2],
            Asked::Against(scene, movers) => [scene.bodies().into(), movers.shapes],
        }
    }

    /// Returns the lengths after which space repeats, if it does.
    pub(crate) fn period(&self) -> Option<Period> {
        self.period
    }

    /// Returns the bodies if the query is for all colliding pairs of one set of them without rules.
    pub(crate) fn plain_bodies(&self) -> Option<Bodies<'a>> {
        match &self.asked {
            Asked::Set(set, Neighbours::All)
                if set.rules.are_none() && self.visitor.is_none() && self.period.is_none() && !self.are_candidates =>
            {
                set.shapes.bodies()
            }
            _ => None,
        }
    }

    /// Returns `true` if space repeats.
    pub(crate) fn is_periodic(&self) -> bool {
        self.period.is_some()
    }

    /// Returns the shapes that a pair's `a` refers to, and those of its `b` if they are others.
    pub(crate) fn lists(&self) -> [Option<ShapeList<'a>>; 2] {
        let [first, second] = self.sets();
        let are_two = matches!(self.asked, Asked::Between(_) | Asked::Against(..));
        [Some(first.0), are_two.then_some(second.0)]
    }

    /// Asks the same about bodies that are all in the plane z = 0.
    pub(crate) fn flat(self) -> Self {
        Self { is_flat: true, ..self }
    }

    /// Returns `true` if pairs go to a visitor.
    pub(crate) fn is_visited(&self) -> bool {
        self.visitor.is_some()
    }

    /// Returns the size of the query in shapes or given pairs, which determines whether a GPU is
    /// worthwhile. A query against a prepared scene must run where the scene was prepared.
    pub(crate) fn size(&self) -> usize {
        match self.asked {
            Asked::Pairs(_, pairs) => pairs.len(),
            Asked::Against(scene, ..) => match scene.memory {
                Memory::Host(_) => 0,
                Memory::Device(_) => usize::MAX,
            },
            _ => {
                let [first, second] = self.asked.counts();
                first.saturating_add(second)
            }
        }
    }
}

/// Returns an error if there are more boxes than can be numbered.
pub(crate) fn check_count(boxes: usize) -> Result<()> {
    match boxes {
        0..=MAX_BOXES => Ok(()),
        _ => Err(Error::TooManyBoxes {
            boxes,
            limit: MAX_BOXES,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_numbered_in_32_bits() {
        assert!(check_count(0).is_ok() && check_count(MAX_BOXES).is_ok());
        match check_count(MAX_BOXES + 1) {
            Err(error @ Error::TooManyBoxes { .. }) => assert!(error.to_string().contains("4294967294"), "{error}"),
            other => panic!("{other:?}"),
        }
    }
}
