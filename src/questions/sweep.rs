//! The pairs that share a point at any time of a step, and their first times of contact.

use crate::base::clock::Instant;
use crate::base::error::{Error, Result};
use crate::base::stage::Stage;
use crate::base::timings::milliseconds;
use crate::base::waiting::Waiting;
use crate::engine::backends::Backends;
use crate::engine::found::made_before;
use crate::engine::prepared::PreparedScene;
use crate::engine::query::sets::Set;
use crate::engine::query::{Query, check_count};
use crate::engine::sweep::{MovingSet, impacts, swept_boxes};
#[cfg(doc)]
use crate::geometry::pair::Pair;
use crate::outputs::impacts::{Impact, Impacts};
use crate::outputs::report::Report;
use crate::questions::question::Question;
use crate::shapes::any::ShapeList;
use crate::shapes::bodies::set::Bodies;
use crate::shapes::moving::record;
use crate::shapes::moving::step::Step;
use crate::shapes::plane::{expect_in_plane, expect_moving_in_plane};

/// The pairs that share a point at any time of a step, and the first such time of each.
/// Nothing passes through anything, however fast. On a GPU, pairs are found by the boxes around
/// bodies; the host decides by their true shapes.
///
/// ```
/// use obbligato::query::Sweep;
/// use obbligato::glam::Vec3;
/// use obbligato::motion::{Motion, MovingSet, Step};
/// use obbligato::{Backend, Checker, Config, Obb, Pair};
/// # fn main() -> obbligato::Result<()> {
/// let bullet = Obb::axis_aligned(Vec3::new(-10.0, 0.0, 0.0), Vec3::splat(0.005));
/// let plate = Obb::axis_aligned(Vec3::ZERO, Vec3::new(0.0005, 1.0, 1.0));
/// let motions = [Motion::linear(Vec3::new(1000.0, 0.0, 0.0)), Motion::REST];
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// let found = checker.check(Sweep::new(MovingSet::new(&[bullet, plate], &motions), &Step::new(1.0 / 60.0)))?;
/// assert_eq!(found.impacts[0].pair, Pair::new(0, 1));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`Checker::check`](crate::Checker::check); [`Error::MissingMotions`],
/// [`Error::InvalidMotion`] and [`Error::InvalidStep`]. [`Error::Unavailable`] if the checker has a
/// margin or a fixed capacity, or does not return pairs.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<'a> {
    sets: Sets<'a>,
    pub(super) step: Step,
}

/// The sets of a sweep.
#[derive(Clone, Copy, Debug)]
enum Sets<'a> {
    One(MovingSet<'a>),
    Two([MovingSet<'a>; 2]),
    Against(&'a PreparedScene, MovingSet<'a>),
}

/// Two sets, or one twice, and the number of bodies in the first of two.
type MovingSets<'a> = ([&'a MovingSet<'a>; 2], Option<usize>);

impl<'a> Sweep<'a> {
    /// The pairs within one set.
    pub fn new(set: MovingSet<'a>, step: &Step) -> Self {
        Self {
            sets: Sets::One(set),
            step: *step,
        }
    }

    /// A sweep of two sets: the pairs of a body of the first and one of the second that share a
    /// point at any time of a step.
    ///
    /// In a [`Pair`], `a` is the position in the first set and `b` that in the second. Bodies of
    /// one set are not compared with each other. Bodies at rest have the motion
    /// [`Motion::REST`](crate::motion::Motion::REST).
    ///
    /// # Errors
    /// As [`Sweep`](crate::query::Sweep). An error that names a body or a motion gives its position
    /// in its own set.
    pub fn between(first: MovingSet<'a>, second: MovingSet<'a>, step: &Step) -> Self {
        Self {
            sets: Sets::Two([first, second]),
            step: *step,
        }
    }

    /// A sweep of moving bodies and a scene at rest that
    /// [`Checker::prepare`](crate::Checker::prepare) has sorted. The time grows with the number of
    /// movers and of bodies they meet, not with the scene. The result may differ from that of
    /// [`Sweep::between`](crate::query::Sweep::between) only in pairs that merely come within the
    /// tolerance, which neither looks for.
    ///
    /// In a [`Pair`], `a` is the position in the scene and `b` that among the movers. Movers are
    /// not compared with each other; [`Sweep`](crate::query::Sweep) does that. Pairs are found by
    /// an oriented box around the path of each mover, on the device of the scene.
    ///
    /// ```
    /// use obbligato::query::Sweep;
    /// use obbligato::glam::Vec3;
    /// use obbligato::motion::{Motion, MovingSet, Step};
    /// use obbligato::{Backend, Checker, Config, Obb, Pair};
    /// # fn main() -> obbligato::Result<()> {
    /// let wall = [0.0, 2.0, 4.0].map(|y| Obb::axis_aligned(Vec3::new(0.0, y, 0.0), Vec3::new(0.0005, 1.0, 1.0)));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let scene = checker.prepare(&wall)?;
    /// let bullet = Obb::axis_aligned(Vec3::new(-10.0, 3.5, 0.0), Vec3::splat(0.005));
    /// let motions = [Motion::linear(Vec3::new(1000.0, 0.0, 0.0))];
    /// let found = checker.check(Sweep::against(&scene, MovingSet::new(&[bullet], &motions), &Step::new(1.0 / 60.0)))?;
    /// assert_eq!(found.impacts[0].pair, Pair { a: 2, b: 0 });
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Sweep`](crate::query::Sweep), also if bodies of the scene have margins.
    /// [`Error::ForeignScene`] if the scene was prepared by another checker.
    pub fn against(scene: &'a PreparedScene, movers: MovingSet<'a>, step: &Step) -> Self {
        Self {
            sets: Sets::Against(scene, movers),
            step: *step,
        }
    }
}

impl Sweep<'_> {
    /// Returns an error unless all bodies are in the plane and stay in it.
    pub(super) fn expect_in_plane(&self) -> Result<()> {
        let expect = |set: &MovingSet<'_>, first: usize| expect_moving_in_plane(set.bodies, set.motions, first);
        match &self.sets {
            Sets::One(set) => expect(set, 0),
            Sets::Two([first, second]) => expect(first, 0).and_then(|()| expect(second, first.bodies.len())),
            Sets::Against(scene, movers) => {
                let at_rest = scene.bodies();
                expect_in_plane(ShapeList::Bodies(at_rest), 0).and_then(|()| expect(movers, at_rest.len()))
            }
        }
    }

    /// Returns the sets that a pair's `a` and `b` refer to, and the number of bodies in the first
    /// of two; otherwise the prepared scene and the movers.
    pub(super) fn moving_sets(&self) -> Result<MovingSets<'_>, (&PreparedScene, &MovingSet<'_>)> {
        match &self.sets {
            Sets::One(set) => Ok(([set, set], None)),
            Sets::Two([first, second]) => Ok(([first, second], Some(first.bodies.len()))),
            Sets::Against(scene, movers) => Err((scene, movers)),
        }
    }

    /// Returns the bodies that a pair's `a` and `b` refer to.
    pub(super) fn bodies(&self) -> [Bodies<'_>; 2] {
        match &self.sets {
            Sets::One(set) => [set.bodies; 2],
            Sets::Two(sets) => [sets[0].bodies, sets[1].bodies],
            Sets::Against(scene, movers) => [scene.bodies(), movers.bodies],
        }
    }
}

impl<'a> Question<'a> for Sweep<'a> {
    type Answer = Impacts;

    async fn answer(self, backends: &mut Backends, waiting: Waiting) -> Result<Impacts> {
        match self.moving_sets() {
            Ok((sets, first_set)) => sweep_sets(backends, sets, first_set, &self.step, waiting).await,
            Err((scene, movers)) => sweep_movers(backends, scene, movers, &self.step, waiting).await,
        }
    }
}

async fn sweep_movers(
    backends: &mut Backends,
    scene: &PreparedScene,
    movers: &MovingSet<'_>,
    step: &Step,
    waiting: Waiting,
) -> Result<Impacts> {
    let start = Instant::now();
    expect_valid_movers(backends, scene, movers, step)?;
    let around = swept_boxes(movers, (step.dt, 0.0))?;
    let made = milliseconds(start.elapsed());
    let boxes = Set::from(&around).with(movers.rules);
    let report = backends
        .answer(
            &Query::against(scene, boxes).as_candidates(),
            Report::default(),
            waiting,
        )
        .await?;
    drop(around);
    let (found, counts) = (Instant::now(), [scene.bodies().len(), movers.bodies.len()]);
    let impacts = impacts([scene, movers], report.pairs()?.into(), step, &backends.config.stop)?;
    Ok(finished(impacts, counts, &report, found, (start, made)))
}

/// Sweeps a set, or two sets against each other. `first_set` is the number of bodies of the
/// first of two.
async fn sweep_sets(
    backends: &mut Backends,
    sets: [&MovingSet<'_>; 2],
    first_set: Option<usize>,
    step: &Step,
    waiting: Waiting,
) -> Result<Impacts> {
    let start = Instant::now();
    let (report, counts, made) = candidates(backends, sets, first_set, (step, 0.0), waiting).await?;
    let found = Instant::now();
    let pairs = sets[0].ordered(first_set, report.pairs()?);
    let impacts = impacts([sets[0], sets[1]], pairs, step, &backends.config.stop)?;
    Ok(finished(impacts, counts, &report, found, (start, made)))
}

/// Finds the pairs of a set, or of two, that may come within a distance of each other. Returns the
/// report, the number of bodies in the first set (0 if there is only one) and in the other, and
/// the milliseconds spent on preparing the query.
pub(super) async fn candidates(
    backends: &mut Backends,
    sets: [&MovingSet<'_>; 2],
    first_set: Option<usize>,
    (step, within): (&Step, f64),
    waiting: Waiting,
) -> Result<(Report, [usize; 2], f64)> {
    let start = Instant::now();
    let count = expect_valid(backends, sets, first_set, step)?;
    let first = sets[0].bodies.len();
    let body = |k: usize| match k < first {
        true => sets[0].core(k as u32),
        false => sets[1].core((k - first) as u32),
    };
    let mut moving = std::mem::take(&mut backends.moving);
    record::records(count, body, (step.dt, 0.5 * within), &mut moving)?;
    let made = milliseconds(start.elapsed());
    let query = match first_set {
        None => Query::moving(&moving, sets[0].rules),
        Some(first) => Query::moving_between(&moving, sets.map(|set| set.rules), first),
    };
    let report = backends.answer(&query, Report::default(), waiting).await;
    backends.moving = moving;
    let first = first_set.unwrap_or(0);
    Ok((report?, [first, count - first], made))
}

/// Returns the number of bodies in a set, or in two, or an error if something is invalid.
pub(super) fn expect_valid(
    backends: &Backends,
    sets: [&MovingSet<'_>; 2],
    first_set: Option<usize>,
    step: &Step,
) -> Result<usize> {
    step.validate()?;
    sets[0].validate(step.dt)?;
    if let Some(first) = first_set {
        sets[1].validate(step.dt).map_err(|error| error.after(first))?;
    }
    expect_sweeps(backends, &sets.map(|set| set.rules.margins.is_some()))?;
    let [first, second] = sets.map(|set| set.bodies.len());
    let count = first_set.map_or(first, |first| first.saturating_add(second));
    check_count(count)?;
    Ok(count)
}

/// Returns an error if something about movers and their step is invalid.
pub(super) fn expect_valid_movers(
    backends: &Backends,
    scene: &PreparedScene,
    movers: &MovingSet<'_>,
    step: &Step,
) -> Result<()> {
    step.validate()?;
    movers.validate(step.dt)?;
    expect_sweeps(
        backends,
        &[scene.rules.margins.is_some(), movers.rules.margins.is_some()],
    )?;
    check_count(movers.bodies.len())
}

/// Returns an error if the checker's configuration has a margin, a fixed capacity or no pairs,
/// or if some bodies have margins.
fn expect_sweeps(backends: &Backends, have_margins: &[bool]) -> Result<()> {
    if backends.config.margin != 0.0 || have_margins.contains(&true) {
        return Err(Error::Unavailable {
            what: "a sweep with a margin",
            hint: "boxes in motion have none; leave it out",
        });
    }
    backends.expect_all_pairs(["a sweep without pairs", "a sweep of a fixed capacity"])
}

/// Returns the result, given the impacts among the candidate pairs of a report. `counts` holds the
/// number of bodies in the first set (0 if there is only one) and in the other. The report came at
/// `found`; `start` is the start of the sweep, and `made` the milliseconds spent on preparing the
/// query.
pub(super) fn finished(
    impacts: Vec<Impact>,
    counts: [usize; 2],
    report: &Report,
    found: Instant,
    (start, made): (Instant, f64),
) -> Impacts {
    let of_records = made_before(&report.engine);
    let of_impacts = milliseconds(found.elapsed());
    let mut timings = report.timings.clone();
    timings.wall.extend([(of_records, made), (Stage::Exact, of_impacts)]);
    timings.total = milliseconds(start.elapsed());
    Impacts {
        boxes: counts[0] + counts[1],
        first_set: counts[0],
        candidate_pairs: report.candidate_pairs,
        impacts,
        device_bytes: report.device_bytes,
        engine: report.engine.clone(),
        timings,
    }
}
