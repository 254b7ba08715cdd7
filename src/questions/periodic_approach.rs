//! Closest approaches in space that repeats.

use crate::base::clock::Instant;
use crate::base::config::validate_margin;
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::base::memory;
use crate::base::waiting::Waiting;
use crate::engine::backends::Backends;
#[cfg(doc)]
use crate::engine::query::Query;
use crate::engine::sweep_images::Swept;
use crate::geometry::period::{Image, Period};
use crate::outputs::approaches::Approaches;
use crate::questions::approach::{ApproachQuery, finished};
use crate::questions::periodic::{InImages, Periodic};
use crate::questions::periodic_sweep::periodic_candidates;
use crate::questions::question::Question;
#[cfg(doc)]
use crate::questions::sweep::Sweep;

/// The error if a path and the distance reach over too many periods.
const TOO_LONG: [&str; 2] = [
    "closest approaches of bodies whose path and distance reach over more than 16 periods",
    "take a shorter step, a smaller distance, or a longer period",
];

impl<'a> ApproachQuery<'a> {
    /// Asks the same in space that repeats, and for the image of each pair's b that comes nearest
    /// to a: of equally near ones the one that comes that near first, and of several at that time
    /// the first in lexicographic order. If any image meets a, it is the one of
    /// [`Sweep::periodic`]. The image is at that number of periods from b throughout the step.
    ///
    /// Each pair has one answer, however many images come near. No body approaches its own images.
    /// Distances count as equal if they differ by no more than twice their error, which is that of
    /// [`ApproachQuery`], and times if they differ by 2e-9 of the step.
    ///
    /// A body must be narrower than the period; if it turns, at every time of the step. Bodies may
    /// move over several periods, and may be at any distance. As in [`Sweep::periodic`], the time
    /// grows with the number of images that come near.
    ///
    /// ```
    /// use obbligato::glam::Vec3;
    /// use obbligato::motion::{Motion, MovingSet, Step};
    /// use obbligato::query::ApproachQuery;
    /// use obbligato::{Backend, Checker, Config, Pair, Period, Sphere};
    /// # fn main() -> obbligato::Result<()> {
    /// // Two people who walk away from each other, around a track of 20.
    /// let people = [(2.0, 0.0), (8.0, 1.0)].map(|(x, y)| Sphere::new(Vec3::new(x, y, 0.0), 0.25));
    /// let walks = [-1.0, 1.0].map(|x| Motion::linear(Vec3::new(x, 0.0, 0.0)));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let within = ApproachQuery::new(MovingSet::new(&people, &walks), &Step::new(10.0), 1.0);
    /// let period = Period::new([Some(20.0), None, None]);
    /// let found = checker.check(within.periodic(period))?;
    /// // The second, moved by -20, begins at -12: they pass each other at -5, half a meter apart.
    /// let approach = found.found.approaches[0];
    /// assert_eq!((approach.pair, found.images[0]), (Pair::new(0, 1), [-1, 0, 0]));
    /// assert!((approach.nearest.time - 7.0).abs() < 1e-8 && (approach.nearest.distance - 0.5).abs() < 1e-8);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`ApproachQuery`] and [`Query::periodic`]. [`Error::Unavailable`] if the path of a body,
    /// with all that is within half of the distance, reaches over more than 16 periods.
    pub fn periodic(self, period: Period) -> Periodic<Self> {
        Periodic { question: self, period }
    }
}

impl<'a> Question<'a> for Periodic<ApproachQuery<'a>> {
    type Answer = InImages<Approaches>;

    async fn answer(self, backends: &mut Backends, waiting: Waiting) -> Result<Self::Answer> {
        let start = Instant::now();
        let Self { question, period } = self;
        let ApproachQuery {
            sets,
            first_set,
            step,
            within,
        } = question;
        period.validate()?;
        validate_margin(within)?;
        let (space, distance) = ((&step, &period), (within, TOO_LONG));
        let (report, counts, made) =
            periodic_candidates(backends, sets.each_ref(), first_set, space, distance, waiting).await?;
        let found = Instant::now();
        let swept = Swept {
            sets: [&sets[0], &sets[1]],
            period,
            step,
        };
        let pairs = sets[0].ordered(first_set, report.pairs()?);
        let all = swept.approaches(pairs, within, &backends.config.stop)?;
        let what = "the images of approaches";
        let approaches = memory::collect(all.iter().map(|(approaching, _)| *approaching), what)?;
        let images: Vec<Image> = memory::collect(all.iter().map(|(_, image)| *image), what)?;
        Ok(InImages {
            found: finished(approaches, counts, &report, found, (start, made)),
            images,
        })
    }
}
