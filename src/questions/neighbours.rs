//! The nearest bodies of every body, or of points.

mod centers;
pub(crate) mod places;
mod search;
mod surfaces;

#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::base::waiting::Waiting;
use crate::engine::backends::Backends;
use crate::engine::prepared::PreparedScene;
use crate::engine::query::sets::Set;
use crate::geometry::period::Period;
use crate::outputs::neighbours::Neighbours;
use crate::questions::neighbours::places::{Places, Points};
use crate::questions::neighbours::search::{Reach, Search};
use crate::questions::question::Question;
use crate::rules::filter::{PairRules, SetRules};
#[cfg(doc)]
use crate::{engine::query::Query, rules::model::Rules};

/// The nearest bodies of every body of a set, or of points: a number of them, all within a radius,
/// or both.
///
/// Distances are those of centers, or of surfaces ([`by_surface`](Self::by_surface)). Neighbours
/// are sorted by distance, and at the same distance by position. No body is its own neighbour.
/// Without further settings, the single nearest body is found.
///
/// - **By centers** the answer is exact for the stored numbers: distances are compared as if
///   computed without rounding, with each other and with the radius. The distances in the answer
///   are within two units in the last place.
/// - **By surfaces** the order is that of [`BodyRef::distance`](crate::shape::BodyRef::distance),
///   or [`Obb64::distance`](crate::Obb64::distance), which are 0 exactly if the bodies collide.
///
/// A set is a slice, an array or a vector of boxes, capsules, spheres, upright cuboids or
/// [`Obb64`](crate::Obb64)s, or [`Bodies`](crate::Bodies), with or without rules. Rules and groups
/// hold: bodies that they forbid to make a pair are no neighbours. Margins do not matter, neither
/// in [`Rules`] nor in [`Config`](crate::Config).
///
/// Everything is computed on the host, whatever the backend of the checker, on all cores with the
/// feature `rayon`. For n bodies and k neighbours the time is O(n (k + log n)), unless very many
/// bodies are at the same distance as the last neighbour, or rules forbid most pairs of bodies that
/// lie among each other.
///
/// ```
/// use obbligato::query::NeighbourQuery;
/// use obbligato::{Backend, Checker, Config, Obb, glam::Vec3};
/// # fn main() -> obbligato::Result<()> {
/// let boxes = [0.0, 4.0, 5.0, 9.0].map(|x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::splat(0.25)));
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// let near = checker.check(NeighbourQuery::of(&boxes).nearest(2))?;
/// assert_eq!([near.row(0), near.row(1), near.row(2)], [[1, 2], [2, 0], [1, 3]]);
/// assert_eq!(near.distances_of(1), [1.0, 4.0]);
/// let near = checker.check(NeighbourQuery::of(&boxes).by_surface().within(0.5))?;
/// assert_eq!((near.row(1), near.distances_of(1)), (&[2][..], &[0.5][..]));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::InvalidSearch`] if the number is 0, or the radius is negative or not a number;
/// [`Error::MissingIds`] if there is not one number for each body;
/// [`Error::InvalidBox`], [`Error::InvalidBody`], [`Error::InvalidPoint`] and
/// [`Error::InvalidRule`] for invalid input; [`Error::Unavailable`] for other shapes, and for
/// distances of surfaces between points in `f64` and capsules or spheres; [`Error::TooManyBoxes`],
/// [`Error::OutOfMemory`] and [`Error::Stopped`].
#[derive(Clone, Copy, Debug)]
pub struct NeighbourQuery<'a> {
    points: Option<Points<'a>>,
    among: Among<'a>,
    reach: Reach,
    by_surface: bool,
    ids: Option<&'a [u32]>,
    period: Option<Period>,
}

/// The bodies that are found.
#[derive(Clone, Copy, Debug)]
enum Among<'a> {
    Set(Set<'a>),
    Scene(&'a PreparedScene),
}

impl<'a> NeighbourQuery<'a> {
    /// The neighbours of every body of a set, in the same set.
    pub fn of(set: impl Into<Set<'a>>) -> Self {
        Self::among(None, Among::Set(set.into()))
    }

    /// The bodies of a set that are nearest to each of these points, which have no rules and are in
    /// world 0.
    ///
    /// ```
    /// use obbligato::query::NeighbourQuery;
    /// use obbligato::{Backend, Checker, Config, Sphere, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let balls = [0.0, 4.0, 5.0].map(|x| Sphere::new(Vec3::new(x, 0.0, 0.0), 1.0));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let near = checker.check(NeighbourQuery::around(&[Vec3::X * 4.5, Vec3::X * 9.0], &balls))?;
    /// assert_eq!((near.neighbours(), near.distances()), (&[1, 2][..], &[0.5, 4.0][..]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn around(points: impl Into<Points<'a>>, set: impl Into<Set<'a>>) -> Self {
        Self::among(Some(points.into()), Among::Set(set.into()))
    }

    /// The bodies of a prepared scene that are nearest to each of these points. The scene may have
    /// been prepared anywhere. It keeps what the first such question sorts, about 20 bytes for each
    /// body, unless the points are in `f64`, distances are those of surfaces, or space repeats.
    ///
    /// ```
    /// use obbligato::query::NeighbourQuery;
    /// use obbligato::{Backend, Checker, Config, Obb, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let walls = [0.0, 4.0, 5.0].map(|x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let scene = checker.prepare(&walls)?;
    /// for x in [0.25, 4.75] {
    ///     let near = checker.check(NeighbourQuery::against(&[Vec3::X * x], &scene))?;
    ///     assert_eq!(near.distances(), [0.25]);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn against(points: impl Into<Points<'a>>, scene: &'a PreparedScene) -> Self {
        Self::among(Some(points.into()), Among::Scene(scene))
    }

    fn among(points: Option<Points<'a>>, among: Among<'a>) -> Self {
        Self {
            points,
            among,
            reach: Reach {
                count: Some(1),
                radius: None,
            },
            by_surface: false,
            ids: None,
            period: None,
        }
    }

    /// Finds this many neighbours of each, or all if there are fewer.
    #[must_use]
    pub fn nearest(mut self, count: usize) -> Self {
        (self.reach.count, self.reach.radius) = (Some(count), None);
        self
    }

    /// Finds all neighbours within a radius, in the caller's unit. A neighbour at exactly this
    /// distance is within it.
    #[must_use]
    pub fn within(mut self, radius: f64) -> Self {
        (self.reach.count, self.reach.radius) = (None, Some(radius));
        self
    }

    /// Finds at most this many neighbours of each, within a radius. [`Neighbours::cut`] says where
    /// the radius holds more.
    #[must_use]
    pub fn nearest_within(mut self, count: usize, radius: f64) -> Self {
        (self.reach.count, self.reach.radius) = (Some(count), Some(radius));
        self
    }

    /// Measures distances between surfaces instead of centers: 0 where bodies collide, or where a
    /// body contains a point.
    #[must_use]
    pub fn by_surface(mut self) -> Self {
        self.by_surface = true;
        self
    }

    /// Sorts neighbours at the same distance by these numbers, one for each body of the set,
    /// instead of by position. If only some of them are wanted, those with the smallest numbers are
    /// kept.
    #[must_use]
    pub fn ties_by(mut self, ids: &'a [u32]) -> Self {
        self.ids = Some(ids);
        self
    }

    /// Asks the same in space that repeats: another body counts once, by its nearest image. No body
    /// is its own neighbour. Distances are as exact as in open space, for these lengths as given.
    ///
    /// ```
    /// use obbligato::query::NeighbourQuery;
    /// use obbligato::{Backend, Checker, Config, Period, Sphere, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let balls = [1.0, 4.0, 9.0].map(|x| Sphere::new(Vec3::new(x, 0.0, 0.0), 0.5));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let period = Period::new([Some(10.0), None, None]);
    /// let near = checker.check(NeighbourQuery::of(&balls).nearest(2).periodic(period))?;
    /// assert_eq!((near.row(0), near.distances_of(0)), (&[2, 1][..], &[2.0, 3.0][..]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidPeriod`]; [`Error::OutOfPeriod`] if a body is as wide as the period along an
    /// axis, or a body or point is too many periods from the origin, where points continue from the
    /// bodies. [`Error::Unavailable`] if more than a million images of a body may be the nearest by
    /// its surface, because it is far away along an axis that does not repeat.
    #[must_use]
    pub fn periodic(mut self, period: Period) -> Self {
        self.period = Some(period);
        self
    }
}

impl<'a> Question<'a> for NeighbourQuery<'a> {
    type Answer = Neighbours;

    async fn answer(self, backends: &mut Backends, _: Waiting) -> Result<Neighbours> {
        self.reach.validate()?;
        let found = match self.among {
            Among::Set(set) => Places::new(set.shapes)?,
            Among::Scene(scene) => Places::of_scene(scene),
        };
        let summary = match self.among {
            Among::Scene(scene) => scene.centers.get().map(|centers| centers.summary),
            Among::Set(_) => None,
        };
        let asking = self.points.map(Places::Points);
        if let Some(points) = &asking {
            points.validate()?;
        }
        let of_set = match self.among {
            Among::Set(set) => &SetRules::new(&set.rules, found.len())?,
            Among::Scene(scene) => &scene.rules,
        };
        let none = SetRules::default();
        let rules = match &asking {
            None => PairRules::of_one_set(of_set, found.len())?,
            Some(points) => PairRules::of_movers(of_set, &none, [found.len(), points.len()])?,
        };
        let summary = summary.unwrap_or_else(|| found.summary());
        let stop = &backends.config.stop;
        let mut search = Search::new(&found, asking.as_ref(), rules, self.reach, summary, stop)?;
        if let Some(period) = self.period {
            search.repeat(period)?;
        }
        if let Some(ids) = self.ids {
            search.sort_ties_by(ids)?;
        }
        match (self.by_surface, self.among) {
            (true, _) => surfaces::neighbours(&search),
            (false, _) if search.is_double() => centers::neighbours::<f64>(&search),
            (false, Among::Scene(scene)) if self.period.is_none() => centers::neighbours_in_scene(&search, scene),
            (false, _) => centers::neighbours::<f32>(&search),
        }
    }
}
