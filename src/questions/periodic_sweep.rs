//! Sweeps in space that repeats.

use std::time::Instant;

use glam::DVec3;

use crate::base::error::{Error, Result};
use crate::base::timings::milliseconds;
use crate::base::waiting::Waiting;
use crate::base::{memory, parallel};
use crate::engine::backends::Backends;
use crate::engine::query::Query;
use crate::engine::query::sets::Set;
use crate::engine::sweep::swept_boxes;
use crate::engine::sweep_images::{Swept, expect_narrow, expect_reach};
use crate::geometry::period::{Image, Period};
use crate::outputs::impacts::Impacts;
use crate::outputs::report::Report;
use crate::questions::in_plane::{InPlane, flattened};
use crate::questions::periodic::{InImages, Periodic};
use crate::questions::question::Question;
use crate::questions::sweep::{Sweep, expect_valid, finished};

impl<'a> Sweep<'a> {
    /// Asks the same in space that repeats, and for the image of each pair's b that meets a first:
    /// of images that meet it at the same time, up to the precision of times, the first in
    /// lexicographic order. The image is at that number of periods from b throughout the step.
    ///
    /// Each pair has one impact, however many images meet. No body meets its own images. Whether
    /// two bodies meet is as certain as in [`Sweep`]: exact for the stored numbers and these
    /// lengths, if neither turns or accelerates.
    ///
    /// A body must be narrower than the period; if it turns, at every time of the step. Bodies may
    /// move over several periods. Candidates are the pairs of which any images of the oriented
    /// boxes around both paths share a point, so a step in which most bodies move over several
    /// periods takes long. On a GPU, these pairs are found there; the host decides by the true
    /// shapes.
    ///
    /// ```
    /// use obbligato::glam::Vec3;
    /// use obbligato::motion::{Motion, MovingSet, Step};
    /// use obbligato::query::Sweep;
    /// use obbligato::{Backend, Checker, Config, Pair, Period, Sphere};
    /// # fn main() -> obbligato::Result<()> {
    /// let balls = [1.0, 7.0].map(|x| Sphere::new(Vec3::new(x, 0.0, 0.0), 1.0));
    /// let motions = [Motion::REST, Motion::linear(Vec3::X)];
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let sweep = Sweep::new(MovingSet::new(&balls, &motions), &Step::new(4.0));
    /// let period = Period::new([Some(10.0), None, None]);
    /// let found = checker.check(sweep.periodic(period))?;
    /// // The second, moved by -10, begins at -3 and touches the first at -1.
    /// assert_eq!((found.found.impacts[0].pair, found.images[0]), (Pair::new(0, 1), [-1, 0, 0]));
    /// assert!((found.found.impacts[0].first.time - 2.0).abs() < 1e-5);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Sweep`] and [`Query::periodic`]. [`Error::Unavailable`] for [`Sweep::against`], and if
    /// a body moves over more than 16 periods.
    pub fn periodic(self, period: Period) -> Periodic<Self> {
        Periodic { question: self, period }
    }
}

impl Periodic<Sweep<'_>> {
    /// Asks the same about bodies that move within the plane z = 0; see [`Sweep::in_plane`].
    ///
    /// # Errors
    /// As [`Sweep::in_plane`].
    pub fn in_plane(self) -> InPlane<Self> {
        InPlane { question: self }
    }
}

impl<'a> Question<'a> for Periodic<Sweep<'a>> {
    type Answer = InImages<Impacts>;

    async fn answer(self, backends: &mut Backends, waiting: Waiting) -> Result<Self::Answer> {
        let start = Instant::now();
        let Self { question, period } = self;
        let (sets, first_set) = question.moving_sets().map_err(|_| Error::Unavailable {
            what: "a sweep against a prepared scene in space that repeats",
            hint: "use `Sweep::between`",
        })?;
        let step = question.step;
        period.validate()?;
        let (count, are_two) = (expect_valid(backends, sets, first_set, &step)?, first_set.is_some());
        expect_narrow(&sets[..if are_two { 2 } else { 1 }], &period, step.dt)?;
        let first = swept_boxes(sets[0], step.dt)?;
        let second = if are_two {
            swept_boxes(sets[1], step.dt)?
        } else {
            Vec::new()
        };
        expect_reach(&first, &period).and_then(|()| expect_reach(&second, &period))?;
        let made = milliseconds(start.elapsed());
        let query = match are_two {
            false => Query::from(Set::from(&first).with(sets[0].rules)),
            true => Query::between(
                Set::from(&first).with(sets[0].rules),
                Set::from(&second).with(sets[1].rules),
            ),
        };
        let query = query.periodic(period).as_candidates();
        let report = backends.answer(&query, Report::default(), waiting).await?;
        let found = Instant::now();
        let swept = Swept {
            sets: [sets[0], sets[1]],
            around: [&first, if are_two { &second } else { &first }],
            period,
            step,
        };
        let all = swept.impacts(report.pairs()?, &backends.config.stop)?;
        let what = "the images of impacts";
        let impacts = memory::collect(all.iter().map(|(impact, _)| *impact), what)?;
        let images: Vec<Image> = memory::collect(all.iter().map(|(_, image)| *image), what)?;
        let first = first_set.unwrap_or(0);
        Ok(InImages {
            found: finished(impacts, [first, count - first], &report, found, (start, made)),
            images,
        })
    }
}

impl<'a> Question<'a> for InPlane<Periodic<Sweep<'a>>> {
    type Answer = InImages<Impacts>;

    async fn answer(self, backends: &mut Backends, waiting: Waiting) -> Result<Self::Answer> {
        let Periodic {
            question: sweep,
            period,
        } = self.question;
        sweep.expect_in_plane()?;
        let mut answer = self.question.answer(backends, waiting).await?;
        let ([a, b], images) = (sweep.bodies(), &answer.images);
        parallel::update(&mut answer.found.impacts, |k, impact| {
            let moved = DVec3::from_array(period.moved(images[k]).map(|(rounded, _)| rounded));
            let bodies = [a.at(impact.pair.a), b.at(impact.pair.b)];
            impact.first = flattened(impact.first, bodies, moved);
        });
        Ok(answer)
    }
}
