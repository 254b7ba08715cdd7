//! Sweeps in space that repeats.

use glam::DVec3;

use crate::base::clock::Instant;
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::base::timings::milliseconds;
use crate::base::waiting::Waiting;
use crate::base::{memory, parallel};
use crate::engine::backends::Backends;
use crate::engine::prepared::PreparedScene;
use crate::engine::query::Query;
use crate::engine::query::sets::Set;
use crate::engine::sweep::{MovingSet, OrderedPairs, swept_boxes};
use crate::engine::sweep_images::{Swept, expect_narrow, expect_reach};
use crate::geometry::period::{Image, Period};
use crate::outputs::impacts::Impacts;
use crate::outputs::report::Report;
use crate::questions::in_plane::{InPlane, flattened};
use crate::questions::periodic::{InImages, Periodic};
use crate::questions::question::Question;
use crate::questions::sweep::{Sweep, expect_valid, expect_valid_movers, finished};
use crate::shapes::moving::step::Step;

/// The error if a body moves over too many periods.
const TOO_LONG: [&str; 2] = [
    "a sweep in which a body moves over more than 16 periods",
    "take a shorter step, or a longer period",
];

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
    /// move over several periods. Candidates are the pairs in which any images of the oriented
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
    /// As [`Sweep`] and [`Query::periodic`]. [`Error::Unavailable`] if a body moves over more than
    /// 16 periods.
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
        let Self { question, period } = self;
        period.validate()?;
        let step = (&question.step, &period);
        match question.moving_sets() {
            Ok((sets, first_set)) => sweep_sets(backends, sets, first_set, step, waiting).await,
            Err((scene, movers)) => sweep_movers(backends, scene, movers, step, waiting).await,
        }
    }
}

async fn sweep_sets(
    backends: &mut Backends,
    sets: [&MovingSet<'_>; 2],
    first_set: Option<usize>,
    (step, period): (&Step, &Period),
    waiting: Waiting,
) -> Result<InImages<Impacts>> {
    let start = Instant::now();
    let (report, counts, made) =
        periodic_candidates(backends, sets, first_set, (step, period), (0.0, TOO_LONG), waiting).await?;
    let swept = Swept {
        sets: [sets[0], sets[1]],
        period: *period,
        step: *step,
    };
    let pairs = sets[0].ordered(first_set, report.pairs()?);
    impacts(backends, &swept, pairs, (&report, counts), (start, made))
}

/// Finds the pairs of a set, or of two, any images of which may come within a distance of each
/// other, as [`candidates`](crate::questions::sweep::candidates) does. `too_long` is the error if a
/// path and this distance reach over too many periods.
pub(super) async fn periodic_candidates(
    backends: &mut Backends,
    sets: [&MovingSet<'_>; 2],
    first_set: Option<usize>,
    (step, period): (&Step, &Period),
    (within, too_long): (f64, [&'static str; 2]),
    waiting: Waiting,
) -> Result<(Report, [usize; 2], f64)> {
    let start = Instant::now();
    let count = expect_valid(backends, sets, first_set, step)?;
    expect_narrow(&sets[..1 + usize::from(first_set.is_some())], period, step.dt)?;
    let first = swept_boxes(sets[0], (step.dt, 0.5 * within))?;
    let second = match first_set {
        Some(_) => swept_boxes(sets[1], (step.dt, 0.5 * within))?,
        None => Vec::new(),
    };
    expect_reach(&first, period, too_long).and_then(|()| expect_reach(&second, period, too_long))?;
    let made = milliseconds(start.elapsed());
    let [of_first, of_second] = [
        Set::from(&first).with(sets[0].rules),
        Set::from(&second).with(sets[1].rules),
    ];
    let query = match first_set {
        None => Query::from(of_first),
        Some(_) => Query::between(of_first, of_second),
    };
    let query = query.periodic(*period).as_candidates();
    let report = backends.answer(&query, Report::default(), waiting).await?;
    let first = first_set.unwrap_or(0);
    Ok((report, [first, count - first], made))
}

async fn sweep_movers(
    backends: &mut Backends,
    scene: &PreparedScene,
    movers: &MovingSet<'_>,
    (step, period): (&Step, &Period),
    waiting: Waiting,
) -> Result<InImages<Impacts>> {
    let start = Instant::now();
    expect_valid_movers(backends, scene, movers, step)?;
    scene.expect_near(period)?;
    scene.expect_narrow(period)?;
    let at_rest = scene.bodies().len();
    expect_narrow(&[movers], period, step.dt).map_err(|error| Period::error_after(at_rest, error))?;
    let around = swept_boxes(movers, (step.dt, 0.0))?;
    expect_reach(&around, period, TOO_LONG)?;
    let made = milliseconds(start.elapsed());
    let query = Query::against(scene, Set::from(&around).with(movers.rules));
    let query = query.periodic(*period).as_candidates();
    let report = backends.answer(&query, Report::default(), waiting).await?;
    let swept = Swept {
        sets: [scene, movers],
        period: *period,
        step: *step,
    };
    let counts = [at_rest, movers.bodies.len()];
    impacts(
        backends,
        &swept,
        report.pairs()?.into(),
        (&report, counts),
        (start, made),
    )
}

/// Returns the impacts among the candidate pairs, which are those of a report. `counts` holds the
/// number of bodies in the first set (0 if there is only one) and in the other.
fn impacts(
    backends: &Backends,
    swept: &Swept<'_>,
    pairs: OrderedPairs<'_>,
    (report, counts): (&Report, [usize; 2]),
    times: (Instant, f64),
) -> Result<InImages<Impacts>> {
    let found = Instant::now();
    let all = swept.impacts(pairs, &backends.config.stop)?;
    let what = "the images of impacts";
    let impacts = memory::collect(all.iter().map(|(impact, _)| *impact), what)?;
    let images: Vec<Image> = memory::collect(all.iter().map(|(_, image)| *image), what)?;
    Ok(InImages {
        found: finished(impacts, counts, report, found, times),
        images,
    })
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
