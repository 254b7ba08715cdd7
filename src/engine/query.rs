//! What is asked of a check, once for both backends.

use crate::base::error::{Error, Result};
use crate::base::{memory, parallel};
use crate::engine::exact_stage::Sets;
use crate::engine::prepared::{Memory, PreparedScene};
use crate::geometry::aabb::Aabb;
use crate::geometry::pair::{MAX_BOXES, Pair};
use crate::outputs::report::{Named, Report};
use crate::outputs::sort_pairs_cpu::PairSorter;
use crate::rules::filter::{Joint, PairRules, SetRules};
use crate::rules::model::Rules;
use crate::shapes::bodies::set::{Bodies, OwnedBodies};
use crate::shapes::kind::{Records, Selected, Shape};
use crate::shapes::magnified::Magnification;
use crate::shapes::moving::record::Moving;
use crate::shapes::obb::record::Obb;
use crate::shapes::round::capsule::Capsule;
use crate::shapes::round::sphere::Sphere;
use crate::shapes::triangle::record::Triangle;
use crate::shapes::triangle::set::{OwnedTriangles, Triangles};
use crate::shapes::upright::record::Upright;

/// Boxes, and what is known about each of them.
///
/// Whatever takes a set also takes a slice, an array or a vector of boxes: a set without rules. Sets of [`Upright`] cuboids are for
/// [`Checker::check`](crate::Checker::check); other calls take their boxes, which [`Upright::to_boxes`] makes.
///
/// ```
/// use obbligato::{Backend, BoxSet, Checker, Config, Obb, Pair, Rules, glam::Vec3};
/// # fn main() -> obbligato::Result<()> {
/// // Two arms with two links each, all in one place.
/// let links = [Obb::axis_aligned(Vec3::ZERO, Vec3::ONE); 4];
/// let rules = Rules { owners: Some(&[0, 0, 1, 1]), ..Rules::default() };
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// let report = checker.check(BoxSet::new(&links).with(rules))?;
/// let between_arms = [(0, 2), (0, 3), (1, 2), (1, 3)].map(|(a, b)| Pair::new(a, b));
/// assert_eq!(report.pairs()?, between_arms);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct BoxSet<'a, T = Obb> {
    /// The boxes; a pair names them by their positions.
    pub boxes: &'a [T],
    /// The rules about them.
    pub rules: Rules<'a>,
}

impl<'a, T> BoxSet<'a, T> {
    /// Boxes without rules.
    pub fn new(boxes: &'a [T]) -> Self {
        Self {
            boxes,
            rules: Rules::default(),
        }
    }

    /// The same boxes with these rules.
    #[must_use]
    pub fn with(self, rules: Rules<'a>) -> Self {
        Self { rules, ..self }
    }
}

impl<T> Clone for BoxSet<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for BoxSet<'_, T> {}

// The compiler would offer these for records of any kind, where boxes are asked for.
#[diagnostic::do_not_recommend]
impl<'a, T> From<&'a [T]> for BoxSet<'a, T> {
    fn from(boxes: &'a [T]) -> Self {
        Self::new(boxes)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T> From<&'a Vec<T>> for BoxSet<'a, T> {
    fn from(boxes: &'a Vec<T>) -> Self {
        Self::new(boxes)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T, const N: usize> From<&'a [T; N]> for BoxSet<'a, T> {
    fn from(boxes: &'a [T; N]) -> Self {
        Self::new(boxes)
    }
}

/// Bodies, and what is known about each of them: a [`BoxSet`] of several shapes.
///
/// Whatever takes such a set also takes [`Bodies`], a [`BoxSet`] of [`Obb`]s, [`Capsule`]s or [`Sphere`]s, and a slice, an array or a
/// vector of one of these. The rules go by the numbering of [`Bodies`].
#[derive(Clone, Copy, Debug, Default)]
pub struct BodySet<'a> {
    /// The bodies; a pair names them by their positions.
    pub bodies: Bodies<'a>,
    /// The rules about them.
    pub rules: Rules<'a>,
}

impl<'a> BodySet<'a> {
    /// The same bodies with these rules.
    #[must_use]
    pub fn with(self, rules: Rules<'a>) -> Self {
        Self { rules, ..self }
    }
}

impl<'a> From<Bodies<'a>> for BodySet<'a> {
    fn from(bodies: Bodies<'a>) -> Self {
        Self {
            bodies,
            rules: Rules::default(),
        }
    }
}

impl<'a> Bodies<'a> {
    /// The bodies with these rules.
    #[must_use]
    pub fn with(self, rules: Rules<'a>) -> BodySet<'a> {
        BodySet { bodies: self, rules }
    }
}

/// What a list of one kind is as a set, and asks for as a query.
macro_rules! lists {
    ($($record:ty),+) => {$(
        impl<'a> From<BoxSet<'a, $record>> for BodySet<'a> {
            fn from(set: BoxSet<'a, $record>) -> Self {
                Bodies::from(set.boxes).with(set.rules)
            }
        }

        impl<'a> From<BoxSet<'a, $record>> for Query<'a> {
            fn from(set: BoxSet<'a, $record>) -> Self {
                BodySet::from(set).into()
            }
        }

        lists!(of $record, &'a [$record]);
        lists!(of $record, &'a Vec<$record>);
        lists!(of $record, &'a [$record; N], const N: usize);
    )+};
    (of $record:ty, $list:ty $(, const $n:ident: usize)?) => {
        impl<'a $(, const $n: usize)?> From<$list> for BodySet<'a> {
            fn from(records: $list) -> Self {
                BoxSet::<$record>::from(records).into()
            }
        }

        impl<'a $(, const $n: usize)?> From<$list> for Query<'a> {
            fn from(records: $list) -> Self {
                BoxSet::<$record>::from(records).into()
            }
        }
    };
}

lists!(Obb, Capsule, Sphere);

/// What [`Checker::check`](crate::Checker::check) is asked.
///
/// All pairs of one set is what a slice, an array, a vector of boxes or a [`BoxSet`] asks for by itself; the functions here ask
/// for something else. [`Upright`] cuboids ask for it likewise: their boxes are checked, which are rounded as `Obb::from` says and
/// take 48 bytes each. For the other queries, [`Upright::to_boxes`] makes them. Precision, margin and output are those of the checker's [`Config`](crate::Config) in every case.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a>(Asked<'a>);

#[derive(Clone, Copy, Debug)]
enum Asked<'a> {
    Set(Records<'a>, Rules<'a>),
    Uprights(BoxSet<'a, Upright>),
    Between(BodySet<'a>, BodySet<'a>),
    TrianglesBetween(BoxSet<'a, Triangle>, BoxSet<'a, Triangle>),
    /// Two sets in one list, the first of which has so many.
    MovingBetween(&'a [Moving], [Rules<'a>; 2], usize),
    Pairs(BodySet<'a>, &'a [Pair]),
    Against(&'a PreparedScene, BodySet<'a>),
}

impl<'a> Query<'a> {
    /// The pairs of a box in `first` and one in `second` that collide.
    ///
    /// In a [`Pair`], `a` is the position in the first set and `b` that in the second; the pairs are sorted by (a, b). Boxes of
    /// one set are not checked against each other. Both sets may be of any size and lie in any way: the time is at most that of
    /// a check of all boxes, without the pairs within a set. [`Report::boxes`] counts both sets, and [`Report::degrees`] are
    /// those of the first set, then those of the second; positions in [`Error::InvalidBox`] go on from the first set to the
    /// second. The boxes are copied: 48 bytes each.
    ///
    /// To check many lists of boxes against one that stays, see [`Query::against`].
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
    pub fn between(first: impl Into<BodySet<'a>>, second: impl Into<BodySet<'a>>) -> Self {
        Self(Asked::Between(first.into(), second.into()))
    }

    /// Which of `pairs` collide: the narrow phase alone, for callers with a broad phase of their own.
    ///
    /// The report is that of a check of the set, with the same regard for groups and rules, but about these pairs only; those
    /// that a rule forbids are no candidates. They may come in any order; a pair that is given twice counts twice. Every box
    /// must be valid, whether or not a pair names it. [`Error::InvalidPair`] if a pair names a box that is not there. All boxes
    /// must fit the device at once: they are not checked in parts.
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
    pub fn pairs(bodies: impl Into<BodySet<'a>>, pairs: &'a [Pair]) -> Self {
        Self(Asked::Pairs(bodies.into(), pairs))
    }

    /// The pairs of `bounds` that share a point: the broad phase alone, for callers with shapes and a narrow phase of their own.
    ///
    /// The numbers are compared as they are, nothing is widened: callers whose bounds come from rounded arithmetic widen them
    /// themselves. [`Report::pairs`] are the pairs for which [`Aabb::overlaps`] holds, touching included, sorted; each is a
    /// candidate and a colliding pair. A GPU may take numbers below `2^-126` for zero and list pairs that are so little apart.
    ///
    /// With a margin they are the pairs whose bounds have no gap wider than the margin along any axis. This is exact on every
    /// backend: the difference of two stored numbers, not rounded, is compared with the margin, or with the sum in `f32` where
    /// bounds have margins of their own ([`Rules::margins`]).
    ///
    /// Rules, [`Config::output`](crate::Config::output) and [`Config::max_pairs`](crate::Config::max_pairs) apply, the
    /// precision does not, and [`Report::touching_pairs`] is `None`. [`Error::InvalidBox`] names the first bounds with a
    /// [`problem`](Aabb::problem).
    ///
    /// ```
    /// use obbligato::{Aabb, Backend, Checker, Config, Pair, Query, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let bounds = [0.0, 1.0, 9.0].map(|x| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0)));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// assert_eq!(checker.check(Query::bounds(&bounds))?.pairs()?, [Pair::new(0, 1)]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn bounds(bounds: impl Into<BoxSet<'a, Aabb>>) -> Self {
        let set = bounds.into();
        Self(Asked::Set(Records::Aabb(set.boxes), set.rules))
    }

    /// The pairs of triangles that share a point. In a mesh these are, above all, neighbours with a corner in common: [`Query::mesh`] leaves them out.
    ///
    /// Exact for the stored numbers, on every backend. Rules, [`Config::output`](crate::Config::output) and
    /// [`Config::max_pairs`](crate::Config::max_pairs) apply, the precision does not, and [`Report::touching_pairs`] is `None`.
    /// [`Error::InvalidTriangle`] names the first triangle with a [`problem`](Triangle::problem); [`Error::Unavailable`] if there is a margin.
    pub fn triangles(triangles: impl Into<BoxSet<'a, Triangle>>) -> Self {
        Self::of_triangles(triangles.into(), true)
    }

    /// Where a mesh meets itself: the pairs of [`Query::triangles`] but those that have a corner in common.
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config, Pair, Query, Triangle, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let floor = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y);
    /// let beside = Triangle::new(Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.0));
    /// let middle = Vec3::new(0.25, 0.25, 0.0);
    /// let spike = Triangle::new(middle - Vec3::Z, middle + Vec3::Z, middle + Vec3::ONE);
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// assert_eq!(checker.check(Query::mesh(&[floor, beside, spike]))?.pairs()?, [Pair::new(0, 2)]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn mesh(triangles: impl Into<BoxSet<'a, Triangle>>) -> Self {
        Self::of_triangles(triangles.into(), false)
    }

    fn of_triangles(set: BoxSet<'a, Triangle>, neighbours: bool) -> Self {
        let list = set.boxes;
        Self(Asked::Set(
            Records::Triangles(Triangles { list, neighbours }),
            set.rules,
        ))
    }

    /// The pairs of a triangle of the first mesh and one of the second that share a point, corners in common or not. In a [`Pair`], `a` is the
    /// position in the first and `b` that in the second; all else as in [`Query::triangles`] and [`Query::between`]. The triangles are
    /// copied: 36 bytes each.
    pub fn meshes(first: impl Into<BoxSet<'a, Triangle>>, second: impl Into<BoxSet<'a, Triangle>>) -> Self {
        Self(Asked::TrianglesBetween(first.into(), second.into()))
    }

    /// The pairs of boxes in motion that may meet during the step that their records are about. The pairs are to be looked at closer.
    pub(crate) fn moving(records: &'a [Moving], rules: Rules<'a>) -> Self {
        Self(Asked::Set(Records::Moving(records), rules))
    }

    /// The same between the first records, so many of them, and the others, with the rules about each set.
    pub(crate) fn moving_between(records: &'a [Moving], rules: [Rules<'a>; 2], first: usize) -> Self {
        Self(Asked::MovingBetween(records, rules, first))
    }

    /// The pairs of a box in `scene`, which [`Checker::prepare`](crate::Checker::prepare) has sorted, and one of the `movers`
    /// that collide.
    ///
    /// The time grows with the movers and their pairs, not with the boxes at rest; a mover that is far larger than those may
    /// have to look at each of them. In a [`Pair`], `a` is the position in the scene and `b` that among the movers; the pairs
    /// are sorted by (a, b). Boxes of the scene are not checked against each other, nor are movers. [`Report::boxes`] and
    /// [`Report::degrees`] are about the movers, all of which must fit one binding of a GPU (48 bytes a box).
    /// [`Error::ForeignScene`] if the scene was prepared elsewhere, see [`PreparedScene`].
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
    pub fn against(scene: &'a PreparedScene, movers: impl Into<BodySet<'a>>) -> Self {
        Self(Asked::Against(scene, movers.into()))
    }
}

impl Query<'_> {
    /// Whether it is about triangles.
    fn is_of_triangles(&self) -> bool {
        matches!(
            self.0,
            Asked::Set(Records::Triangles(_), _) | Asked::TrianglesBetween(..)
        )
    }

    /// How large it is, in boxes or given pairs: what tells whether it is worth a GPU. A prepared scene has to be checked
    /// where it is.
    pub(crate) fn size(&self) -> usize {
        match self.0 {
            Asked::Set(records, _) => records.len(),
            Asked::Uprights(set) => set.boxes.len(),
            Asked::MovingBetween(records, ..) => records.len(),
            Asked::Pairs(_, pairs) => pairs.len(),
            Asked::Between(first, second) => first.bodies.len().saturating_add(second.bodies.len()),
            Asked::TrianglesBetween(first, second) => first.boxes.len().saturating_add(second.boxes.len()),
            Asked::Against(scene, _) => match scene.memory {
                Memory::Host(_) => 0,
                Memory::Device(_) => usize::MAX,
            },
        }
    }
}

impl<'a> From<BodySet<'a>> for Query<'a> {
    fn from(set: BodySet<'a>) -> Self {
        Self(Asked::Set(set.bodies.into(), set.rules))
    }
}

impl<'a> From<Bodies<'a>> for Query<'a> {
    fn from(bodies: Bodies<'a>) -> Self {
        BodySet::from(bodies).into()
    }
}

impl<'a> From<BoxSet<'a, Upright>> for Query<'a> {
    fn from(set: BoxSet<'a, Upright>) -> Self {
        Self(Asked::Uprights(set))
    }
}

impl<'a> From<&'a [Upright]> for Query<'a> {
    fn from(cuboids: &'a [Upright]) -> Self {
        BoxSet::new(cuboids).into()
    }
}

impl<'a> From<&'a Vec<Upright>> for Query<'a> {
    fn from(cuboids: &'a Vec<Upright>) -> Self {
        BoxSet::new(cuboids).into()
    }
}

impl<'a, const N: usize> From<&'a [Upright; N]> for Query<'a> {
    fn from(cuboids: &'a [Upright; N]) -> Self {
        BoxSet::new(cuboids).into()
    }
}

/// What the positions in a pair are of, and what a device gets.
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
    /// What a pair's `a` and `b` name, if the exact stage decides it.
    pub fn sets(self) -> Option<Sets<'a>> {
        match self {
            Self::Set(Records::Obb(boxes)) => Some(Sets::Bodies([boxes.into(); 2])),
            Self::Set(Records::Bodies(bodies)) => Some(Sets::Bodies([bodies; 2])),
            Self::Set(Records::Triangles(triangles)) => Some(Sets::Triangles(triangles)),
            Self::Movers { scene, movers } => Some(Sets::Bodies([scene.bodies(), movers])),
            Self::Set(Records::Aabb(_) | Records::Moving(_)) => None,
        }
    }

    /// Whether pairs of triangles with a corner in common count.
    pub fn neighbours(self) -> bool {
        matches!(self, Self::Set(Records::Triangles(Triangles { neighbours: true, .. })))
    }

    /// What is sorted, or walks.
    pub fn records(self) -> Records<'a> {
        match self {
            Self::Set(records) => records,
            Self::Movers { scene, movers } => match scene.bodies().only_boxes() {
                Some(_) => movers.into(),
                None => Records::Bodies(movers),
            },
        }
    }

    /// Their shape.
    pub fn shape(self) -> Shape {
        self.records().shape()
    }

    /// How many of it there are. They have degrees.
    pub fn count(self) -> usize {
        self.records().len()
    }
}

/// A query that both backends can answer: its rules are checked, and two sets are one.
pub(crate) struct Resolved<'a> {
    pub subject: Subject<'a>,
    pub rules: PairRules<'a>,
    /// The only candidate pairs, if they are given.
    pub candidates: Option<&'a [Pair]>,
}

/// What is made of what was asked.
#[derive(Default)]
struct Made {
    bodies: OwnedBodies,
    triangles: OwnedTriangles,
}

/// What a resolved query borrows from.
pub(crate) struct Holder<'a> {
    asked: Asked<'a>,
    rules: SetRules<'a>,
    /// Two sets in one list, or the boxes of upright cuboids.
    made: Made,
    /// What is checked in the place of tiny records.
    magnified: Option<(Magnification, Selected)>,
}

impl<'a> Holder<'a> {
    /// A query, and the margin between all boxes.
    ///
    /// # Errors
    /// If there are more boxes than can be numbered, or rules do not fit them.
    pub fn new(query: impl Into<Query<'a>>, margin: f32) -> Result<Self> {
        let query = query.into();
        let Query(asked) = query;
        let counts = match asked {
            Asked::Set(records, _) => [records.len(), 0],
            Asked::Uprights(set) => [set.boxes.len(), 0],
            Asked::Pairs(set, _) | Asked::Against(_, set) => [set.bodies.len(), 0],
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
            Asked::Pairs(set, _) | Asked::Against(_, set) => SetRules::new(&set.rules, count)?,
            Asked::MovingBetween(_, rules, _) => joined_rules(rules, counts, &Joint::of_boxes(counts))?,
            Asked::Between(first, second) => {
                // One grid holds both, so what is promised of the grid holds for two sets as for one: whatever the sizes,
                // giants among them, each pair is found once, and in parts where they do not fit. The rules keep pairs
                // within a set from being stored.
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
            rules,
            made,
            magnified: None,
        };
        if query.is_of_triangles() && (margin > 0.0 || holder.rules.margins.is_some()) {
            return Err(TRIANGLES_WITH_MARGIN);
        }
        // Margins are lengths, too, but with one a scene is hardly tiny. Movers meet a scene that is prepared as it is.
        let is_alone = !matches!(holder.asked, Asked::Against(..));
        if is_alone && margin == 0.0 && holder.rules.margins.is_none() {
            holder.magnified = holder.records().magnified()?;
        }
        Ok(holder)
    }

    /// What is sorted, or walks.
    fn records(&self) -> Records<'_> {
        match (&self.magnified, self.asked) {
            (Some((_, records)), _) => records.records(),
            (None, Asked::Set(records, _)) => records,
            (None, Asked::MovingBetween(records, ..)) => Records::Moving(records),
            (None, Asked::Pairs(set, _) | Asked::Against(_, set)) => set.bodies.into(),
            (None, Asked::Between(..) | Asked::Uprights(_)) => self.made.bodies.all().into(),
            (None, Asked::TrianglesBetween(..)) => Records::Triangles(self.made.triangles.all()),
        }
    }

    /// The query as the backends get it.
    pub fn resolve(&self) -> Result<Resolved<'_>> {
        let (rules, candidates) = match self.asked {
            Asked::Set(records, _) => (PairRules::of_one_set(&self.rules, records.len())?, None),
            Asked::Uprights(set) => (PairRules::of_one_set(&self.rules, set.boxes.len())?, None),
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
            Asked::Against(scene, set) => (scene.rules_of(&self.rules, set.bodies.len())?, None),
        };
        let subject = match self.asked {
            Asked::Against(scene, set) => Subject::Movers {
                scene,
                movers: set.bodies,
            },
            _ => Subject::Set(self.records()),
        };
        Ok(Resolved {
            subject,
            rules,
            candidates,
        })
    }

    /// The report with pairs named as the caller names boxes, and lengths in the caller's unit.
    pub fn named(&self, mut report: Report) -> Result<Report> {
        if let Some((magnification, _)) = self.magnified {
            for level in &mut report.grid {
                level.cell_size = magnification.undone(level.cell_size);
            }
        }
        match self.asked {
            Asked::Set(..) | Asked::Uprights(_) | Asked::Pairs(..) => {}
            Asked::Against(scene, _) => {
                report.named = Named::Movers {
                    at_rest: scene.bodies().len(),
                }
            }
            Asked::Between(first, second) => {
                let counts = [first.bodies.len(), second.bodies.len()];
                name_two_sets(&mut report, &joint(first, second), counts)?;
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

/// Two sets in one list.
fn joint(first: BodySet<'_>, second: BodySet<'_>) -> Joint {
    Joint::new([first.bodies.counts(), second.bodies.counts()])
}

/// The rules about two sets of so many bodies, as about one.
fn joined_rules<'a>(rules: [Rules<'a>; 2], counts: [usize; 2], joint: &Joint) -> Result<SetRules<'a>> {
    let first = SetRules::new(&rules[0], counts[0])?;
    let second = SetRules::new(&rules[1], counts[1])?;
    SetRules::joined([&first, &second], joint)
}

/// Names the bodies of pairs by their positions in their own sets, and puts degrees in the order of the sets.
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

/// Triangles have no margins.
pub(crate) const TRIANGLES_WITH_MARGIN: Error = Error::Unavailable {
    what: "a check of triangles with a margin",
    hint: "set `Config::margin` to 0, and leave `Rules::margins` out",
};

/// An error if there are more boxes than can be numbered.
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
