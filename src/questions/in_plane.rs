//! Questions about scenes in the plane z = 0.

use std::sync::Mutex;

use glam::DVec3;

use crate::base::config::Output;
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::base::waiting::Waiting;
use crate::base::{memory, parallel};
use crate::engine::backends::Backends;
use crate::engine::query::Query;
use crate::geometry::pair::Pair;
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::contacts::Contacts;
use crate::narrow_phase::in_plane::pair::PlanePair;
use crate::narrow_phase::moving_moving::time_of_impact::{ImpactState, TimeOfImpact};
use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::narrow_phase::obb_obb::overlap::Overlap;
use crate::narrow_phase::obb_obb::overlap::two::Measure;
use crate::narrow_phase::overlaps::overlaps_of;
use crate::narrow_phase::partners::Partners;
use crate::outputs::impacts::Impacts;
use crate::outputs::report::Report;
use crate::questions::contacts::ContactQuery;
use crate::questions::distances::DistanceQuery;
use crate::questions::overlaps::OverlapQuery;
use crate::questions::question::Question;
use crate::questions::sweep::Sweep;
use crate::shapes::any::{ShapeList, Shapes};
use crate::shapes::bodies::set::BodyRef;
use crate::shapes::plane::{expect_in_plane, has_no_area, some_have_no_area};

/// Labels for out-of-memory errors.
const TOUCHING: &str = "the touching pairs";
const DISTANCES: &str = "the distances of pairs";

/// A question about bodies in the plane z = 0: [`Query::in_plane`], [`ContactQuery::in_plane`],
/// [`DistanceQuery::in_plane`], [`OverlapQuery::in_plane`] and [`Sweep::in_plane`] return it.
#[derive(Clone, Copy, Debug)]
pub struct InPlane<Q> {
    pub(super) question: Q,
}

impl<'a> Query<'a> {
    /// Asks the same about a scene in the plane z = 0: rectangles
    /// ([`Obb::in_plane`](crate::Obb::in_plane)), stadiums
    /// ([`Capsule::in_plane`](crate::Capsule::in_plane)) and discs (spheres around points of the
    /// plane).
    ///
    /// Pairs are those of the question in space: such bodies share a point in space if and only if
    /// they share one in the plane, exactly, on every backend. But pairs touch if they have no
    /// common area, so those with a segment or a point always do; to count them, the search runs a
    /// second time unless pairs are listed. [`Report::touching_pairs`] is `None` if there are such
    /// bodies and space repeats.
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config, Obb, Pair, Query, glam::Vec2, shape::yaw};
    /// # fn main() -> obbligato::Result<()> {
    /// let table = Obb::in_plane(Vec2::ZERO, Vec2::new(2.0, 1.0), yaw(0.0));
    /// let line = Obb::in_plane(Vec2::new(1.0, 0.0), Vec2::new(3.0, 0.0), yaw(0.5));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let report = checker.check(Query::from(&[table, line]).in_plane())?;
    /// assert_eq!((report.pairs()?, report.touching_pairs), (&[Pair::new(0, 1)][..], Some(1)));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::NotInPlane`] if a body is not in the plane, [`Error::Unavailable`] for other shapes
    /// than bodies and boxes with centers in `f64`.
    pub fn in_plane(self) -> InPlane<Self> {
        InPlane { question: self }
    }
}

impl ContactQuery<'_> {
    /// Asks the same about bodies in the plane z = 0 (see [`Query::in_plane`]): normals and points
    /// have z = 0, and the depth is that of the shortest way out within the plane.
    ///
    /// A contact has one point, or two where sides face each other. The features are those of a
    /// body's part in the plane: faces 0 to 3 and corners 0 to 3 of a box, and the round parts of
    /// others. Everything is computed in `f64` on the host, with errors of about 1e-14 of the
    /// bodies' size; of ways out that are equally long up to that, the first of the larger body's
    /// axes counts.
    ///
    /// ```
    /// use obbligato::glam::{DVec3, Vec2};
    /// use obbligato::query::ContactQuery;
    /// use obbligato::{Backend, Checker, Config, Obb, Pair, shape::yaw};
    /// # fn main() -> obbligato::Result<()> {
    /// let square = |x| Obb::in_plane(Vec2::new(x, 0.0), Vec2::ONE, yaw(0.0));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let contacts =
    ///     checker.check(ContactQuery::within(&[square(0.0), square(1.75)], &[Pair::new(0, 1)]).in_plane())?;
    /// let found = contacts.penetrations()[0].map(|found| (found.normal, found.depth));
    /// assert_eq!(found, Some((DVec3::X, 0.25)));
    /// assert_eq!(contacts.points().len(), 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`ContactQuery`] and [`Query::in_plane`].
    pub fn in_plane(self) -> InPlane<Self> {
        InPlane { question: self }
    }
}

impl DistanceQuery<'_> {
    /// Asks the same about bodies in the plane z = 0 (see [`Query::in_plane`]): the points have
    /// z = 0. Everything is computed in `f64` on the host.
    ///
    /// # Errors
    /// As [`DistanceQuery`] and [`Query::in_plane`].
    pub fn in_plane(self) -> InPlane<Self> {
        InPlane { question: self }
    }
}

impl OverlapQuery<'_> {
    /// Asks the same about rectangles in the plane z = 0 (see [`Query::in_plane`]): volumes are
    /// areas.
    ///
    /// ```
    /// use obbligato::glam::Vec2;
    /// use obbligato::query::OverlapQuery;
    /// use obbligato::{Backend, Checker, Config, Obb, Pair, shape::yaw};
    /// # fn main() -> obbligato::Result<()> {
    /// let square = |x| Obb::in_plane(Vec2::new(x, 0.0), Vec2::ONE, yaw(0.0));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let squares = [square(0.0), square(1.5)];
    /// let found = checker.check(OverlapQuery::within(&squares, &[Pair::new(0, 1)]).in_plane())?;
    /// assert_eq!((found[0].volume, found[0].iou), (1.0, 1.0 / 7.0));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`OverlapQuery`] and [`Query::in_plane`].
    pub fn in_plane(self) -> InPlane<Self> {
        InPlane { question: self }
    }
}

impl Sweep<'_> {
    /// Asks the same about bodies that move within the plane z = 0 (see [`Query::in_plane`]):
    /// normals and points have z = 0, and the normal of bodies that collide at the start is that of
    /// the shortest way out within the plane.
    ///
    /// # Errors
    /// As [`Sweep`] and [`Query::in_plane`]; [`Error::NotInPlane`] if a motion leaves the plane.
    pub fn in_plane(self) -> InPlane<Self> {
        InPlane { question: self }
    }
}

impl<'a> Question<'a> for InPlane<Query<'a>> {
    type Answer = Report;

    async fn answer(self, backends: &mut Backends, waiting: Waiting) -> Result<Report> {
        let query = self.question.flat();
        let lists = query.lists();
        expect_lists(lists)?;
        let mut report = backends.answer(&query, Report::default(), waiting).await?;
        let some_are_lines = lists.into_iter().flatten().any(some_have_no_area);
        let Some(touching) = report.touching_pairs.filter(|_| some_are_lines) else {
            return Ok(report);
        };
        if query.is_periodic() {
            report.touching_pairs = None;
            return Ok(report);
        }
        let config = &backends.config;
        let are_listed = config.output == Output::Pairs && config.max_pairs.is_none() && !query.is_visited();
        let pairs = match are_listed {
            true => lines_among(lists, report.pairs()?)?,
            false => lines_of(&query, lists, backends, waiting).await?,
        };
        report.touching_pairs = Some(touching + pairs.len() as u64);
        if report.lists_touching {
            memory::reserve(&mut report.touching, pairs.len(), TOUCHING)?;
            report.touching.extend(pairs);
            report.touching.sort_unstable();
        }
        Ok(report)
    }
}

/// Returns an error unless the shapes are in the plane.
pub(super) fn expect_lists([first, second]: [Option<ShapeList<'_>>; 2]) -> Result<()> {
    let count = first.map_or(0, |list| Shapes(list).len());
    first.map_or(Ok(()), |list| expect_in_plane(list, 0))?;
    second.map_or(Ok(()), |list| expect_in_plane(list, count))
}

/// Finds the pairs of a query that overlap in space and have no common area, by a search of its
/// own.
async fn lines_of(
    query: &Query<'_>,
    lists: [Option<ShapeList<'_>>; 2],
    backends: &mut Backends,
    waiting: Waiting,
) -> Result<Vec<Pair>> {
    let found = Mutex::new(Ok(Vec::new()));
    let visit = |pairs: &[Pair]| {
        let some = lines_among(lists, pairs);
        let mut found = found.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let joined = std::mem::replace(&mut *found, Ok(Vec::new())).and_then(|mut all: Vec<Pair>| {
            let some = some?;
            memory::reserve(&mut all, some.len(), TOUCHING)?;
            all.extend(some);
            Ok(all)
        });
        *found = joined;
    };
    backends
        .answer(&query.visit(&visit), Report::default(), waiting)
        .await?;
    found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Returns those of the pairs that overlap in space and have no common area, because one of the
/// bodies has none.
fn lines_among([first, second]: [Option<ShapeList<'_>>; 2], pairs: &[Pair]) -> Result<Vec<Pair>> {
    let mut found = Vec::new();
    let (Some(first), Some(second)) = (first, second.or(first)) else {
        return Ok(found);
    };
    for pair in pairs {
        let [a, b] = [pair.a as usize, pair.b as usize];
        if (has_no_area(first, a) || has_no_area(second, b)) && overlap([first, second], *pair) {
            memory::push(&mut found, *pair, TOUCHING)?;
        }
    }
    Ok(found)
}

/// Returns `true` if two shapes overlap in space.
fn overlap([first, second]: [ShapeList<'_>; 2], Pair { a, b }: Pair) -> bool {
    let contact = match [first, second].map(|list| Shapes(list).bodies()) {
        [Some(first), Some(second)] => Some(first.at(a).contact(second.at(b))),
        _ => match [first.box64(a as usize), second.box64(b as usize)] {
            [Some(a), Some(b)] => Some(a.contact(&b)),
            _ => None,
        },
    };
    contact == Some(Contact::Overlapping)
}

impl<'a> Question<'a> for InPlane<ContactQuery<'a>> {
    type Answer = Contacts;

    async fn answer(self, _: &mut Backends, _: Waiting) -> Result<Contacts> {
        let ContactQuery { sets, pairs } = self.question;
        let partners = partners(sets, pairs)?;
        let mut contacts = Contacts::default();
        contacts.update_in_plane(&partners, pairs)?;
        Ok(contacts)
    }
}

impl<'a> Question<'a> for InPlane<DistanceQuery<'a>> {
    type Answer = Vec<ClosestPoints>;

    async fn answer(self, _: &mut Backends, _: Waiting) -> Result<Vec<ClosestPoints>> {
        let DistanceQuery { sets, pairs } = self.question;
        let partners = partners(sets, pairs)?;
        Ok(parallel::collect(pairs.len(), DISTANCES, |k| {
            partners.in_plane(pairs[k], |pair| pair.closest_points())
        })?)
    }
}

impl<'a> Question<'a> for InPlane<OverlapQuery<'a>> {
    type Answer = Vec<Overlap>;

    async fn answer(self, _: &mut Backends, _: Waiting) -> Result<Vec<Overlap>> {
        let OverlapQuery { sets, pairs } = self.question;
        overlaps_of(&partners(sets, pairs)?, pairs, Measure::Area)
    }
}

/// Returns the two sets of listed pairs, which are valid and in the plane.
fn partners<'a>(sets: [Shapes<'a>; 2], pairs: &[Pair]) -> Result<Partners<'a>> {
    let partners = Partners::new(sets)?;
    partners.validate(pairs)?;
    expect_lists(sets.map(|shapes| Some(shapes.0)))?;
    Ok(partners)
}

impl<'a> Question<'a> for InPlane<Sweep<'a>> {
    type Answer = Impacts;

    async fn answer(self, backends: &mut Backends, waiting: Waiting) -> Result<Impacts> {
        let sweep = self.question;
        sweep.expect_in_plane()?;
        let mut found = sweep.answer(backends, waiting).await?;
        let [a, b] = sweep.bodies();
        parallel::update(&mut found.impacts, |_, impact| {
            let bodies = [a.at(impact.pair.a), b.at(impact.pair.b)];
            impact.first = flattened(impact.first, bodies, DVec3::ZERO);
        });
        Ok(found)
    }
}

/// Returns an impact of bodies in the plane, the second moved by a vector, with a normal and a
/// point in it.
pub(super) fn flattened(first: TimeOfImpact, bodies: [BodyRef<'_>; 2], moved: DVec3) -> TimeOfImpact {
    let is_start = first.state == ImpactState::Start;
    let [from, to] = bodies.map(|body| body.center().truncate().as_dvec2());
    let at_start = PlanePair {
        bodies,
        centers: [from, to + moved.truncate()],
        collide: &|| is_start,
    };
    let flat = TimeOfImpact {
        normal: first.normal.with_z(0.0).normalize_or(DVec3::X),
        point: first.point.with_z(0.0),
        ..first
    };
    match is_start.then(|| at_start.touch(|_| {})).flatten() {
        Some(penetration) => TimeOfImpact {
            normal: penetration.normal,
            point: at_start.closest_points().on_a,
            ..flat
        },
        None => flat,
    }
}
