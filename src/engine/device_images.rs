//! Checks in space that repeats on a device: its two searches, and the host's decisions
//! ([`crossing`](super::cpu::crossing)).

use crate::base::clock::Instant;
use crate::base::config::Config;
use crate::base::error::{Error, Result};
use crate::base::problem::COORDINATE_LIMIT;
use crate::base::timings::milliseconds;
use crate::engine::cpu::CpuChecker;
use crate::engine::cpu::crossing::{Crossing, for_candidates};
use crate::engine::cpu::periodic_movers::PeriodicMovers;
#[cfg(feature = "gpu")]
use crate::engine::gpu::engine::GpuEngine;
#[cfg(not(feature = "gpu"))]
use crate::engine::no_gpu::GpuEngine;
use crate::engine::prepared::PreparedScene;
use crate::engine::query::Query;
use crate::engine::query::resolved::{Holder, Resolved, Subject};
use crate::engine::query::sets::Set;
use crate::geometry::period::Period;
use crate::outputs::report::Report;
use crate::shapes::bodies::set::Bodies;

/// Answers a query in space that repeats.
pub(super) async fn check(
    gpu: &mut GpuEngine,
    cpu: &mut CpuChecker,
    query: &Query<'_>,
    period: Period,
    config: &Config,
    old: Report,
) -> Result<Report> {
    let holder = Holder::new(*query, config.margin)?;
    let resolved = holder.resolve()?;
    let found = match (resolved.subject, resolved.candidates) {
        (Subject::Set(_), None) if resolved.subject.count() > 0 => search(gpu, cpu, &resolved, period, config).await,
        (Subject::Movers { scene, movers }, _) => search_against(gpu, cpu, (scene, movers), &resolved, period, config)
            .await
            .map(Some),
        // Pairs that are given need no device: the host tests them in all images.
        _ => Ok(None),
    };
    match found.map_err(|error| holder.named_error(error))? {
        Some(report) => holder.named(report),
        None => cpu.check(*query, config, old),
    }
}

/// Looks up copies of the movers, each moved by an image, and decides the pairs found.
async fn search_against(
    gpu: &mut GpuEngine,
    cpu: &mut CpuChecker,
    (scene, movers): (&PreparedScene, Bodies<'_>),
    resolved: &Resolved<'_>,
    period: Period,
    config: &Config,
) -> Result<Report> {
    let (start, rules) = (Instant::now(), &resolved.rules);
    let wanted = resolved.wanted(config);
    let asked = PeriodicMovers::new(scene, movers, period, rules, &wanted)?;
    let copies = asked.copies()?;
    if copies.farthest > 0.5 * f64::from(COORDINATE_LIMIT) {
        return Err(Error::Unavailable {
            what: "pairs with a prepared scene this far out, in space that repeats, on a GPU",
            hint: "prepare and check it on the CPU",
        });
    }
    let of_copies = rules.sets[1].of_part(&copies.ids)?;
    let set = Set::from(copies.bodies.all()).with(of_copies.of_search());
    let searched = for_candidates(config, copies.slack);
    let holder = Holder::new(Query::against(scene, set).as_candidates(), searched.margin)?;
    let found = gpu.check_as(&holder.resolve()?, &searched, Report::default()).await?;
    let lists = copies.lists(found.pairs()?)?;
    let decided = cpu.decide_movers(&asked, &lists, rules, &wanted, Report::default())?;
    let mut report = found.replaced(decided);
    report.timings.total = milliseconds(start.elapsed());
    Ok(report)
}

/// Returns `None` if numbers are too large for the device's searches.
async fn search(
    gpu: &mut GpuEngine,
    cpu: &mut CpuChecker,
    resolved: &Resolved<'_>,
    period: Period,
    config: &Config,
) -> Result<Option<Report>> {
    let start = Instant::now();
    let (set, wanted) = (resolved.subject.records(), resolved.wanted(config));
    let crossing = Crossing::new(set, period, &resolved.rules, &wanted)?;
    if !crossing.fits_device() {
        return Ok(None);
    }
    let for_candidates = crossing.config(config);
    let first = match crossing.is_plain() {
        true => gpu.check(resolved, Report::default()).await?,
        false => {
            let query = resolved.candidates_among(crossing.placed());
            gpu.check_as(&query, &for_candidates, Report::default()).await?
        }
    };
    let lists = match crossing.across() {
        None => Vec::new(),
        Some(query) => {
            let holder = Holder::new(query, for_candidates.margin)?;
            let found = gpu
                .check_as(&holder.resolve()?, &for_candidates, Report::default())
                .await?;
            crossing.lists(holder.named(found)?.pairs()?)?
        }
    };
    let plain = if crossing.is_plain() { &[] } else { first.pairs()? };
    let decided = cpu.decide_images(
        &crossing,
        plain,
        &lists,
        (set, &resolved.rules),
        &wanted,
        Report::default(),
    )?;
    let mut report = match crossing.is_plain() {
        true => first.joined(decided, config.max_pairs)?,
        false => first.replaced(decided),
    };
    report.timings.total = milliseconds(start.elapsed());
    Ok(Some(report))
}
