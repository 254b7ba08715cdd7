//! Meshes checked against bodies.

use bytemuck::Zeroable;

use crate::base::clock::Instant;
#[cfg(doc)]
use crate::base::config::Config;
use crate::base::error::{Error, Result};
use crate::base::stage::Stage;
use crate::base::timings::milliseconds;
use crate::base::waiting::Waiting;
use crate::base::{memory, parallel};
use crate::engine::backends::Backends;
use crate::engine::found::made_before;
use crate::engine::query::Query;
use crate::engine::query::sets::Set;
use crate::geometry::aabb::Aabb;
use crate::geometry::bounds::{BOUNDS, Bounds};
use crate::geometry::pair::Pair;
use crate::outputs::report::{Named, Report};
use crate::questions::question::Question;
use crate::rules::model::Rules;
use crate::shapes::bodies::set::Bodies;
use crate::shapes::triangle::record::Triangle;
use crate::shapes::triangle::triangle_bounds_cpu;

/// Number of candidate pairs that one task tests.
const GRAIN: usize = 256;

/// All pairs of a triangle of a mesh and a body that share a point, exactly:
/// [`Triangle::meets_body`].
///
/// The bodies are a slice, an array or a vector of boxes, capsules or spheres, or [`Bodies`].
/// Bodies are solid, and the mesh is its surface: a body that encloses a triangle meets it, and
/// a body that floats inside a closed mesh meets none. In a [`Pair`], `a` is the position of
/// the triangle and `b` that of the body.
///
/// The broad phase of the checker's backend finds the pairs whose bounds overlap. The exact
/// test of these pairs runs on all cores of the host. Bodies are not checked against each
/// other, nor are triangles. Groups are ignored, and [`Config::precision`] has no effect.
///
/// ```
/// use obbligato::query::MeshQuery;
/// use obbligato::{glam::Vec3, shape::Triangle, Backend, Checker, Config, Pair, Sphere};
/// # fn main() -> obbligato::Result<()> {
/// let floor = [Vec3::X, -Vec3::X].map(|corner| Triangle::new(Vec3::Y * 9.0, Vec3::Y * -9.0, corner * 9.0));
/// let balls = [1.0, 2.5].map(|height| Sphere::new(Vec3::new(-2.0, 0.0, height), 2.0));
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// // The lower ball dips into the triangle below it; the upper one floats.
/// let report = checker.check(MeshQuery::new(&floor, &balls))?;
/// assert_eq!(report.pairs()?, [Pair { a: 1, b: 0 }]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`Checker::check`](crate::Checker::check), and [`Error::InvalidTriangle`];
/// [`Error::Unavailable`] if the checker has a margin or a fixed capacity, or does not return
/// pairs.
#[derive(Clone, Copy, Debug)]
pub struct MeshQuery<'a> {
    mesh: &'a [Triangle],
    bodies: Bodies<'a>,
}

impl<'a> MeshQuery<'a> {
    /// The pairs of a triangle of this mesh and one of these bodies.
    pub fn new(mesh: &'a [Triangle], bodies: impl Into<Bodies<'a>>) -> Self {
        Self {
            mesh,
            bodies: bodies.into(),
        }
    }
}

impl<'a> Question<'a> for MeshQuery<'a> {
    type Answer = Report;

    async fn answer(self, backends: &mut Backends, waiting: Waiting) -> Result<Report> {
        let Self { mesh, bodies } = self;
        let start = Instant::now();
        if backends.config.margin > 0.0 {
            return Err(Error::Unavailable {
                what: "a check of triangles with a margin",
                hint: "set `Config::margin` to 0",
            });
        }
        backends.expect_all_pairs([
            "a check of a mesh among bodies without pairs",
            "a check of a mesh among bodies with a fixed capacity",
        ])?;
        triangle_bounds_cpu::validate(mesh)?;
        let (bounds, owners) = joined_bounds(mesh, bodies)?;
        let made = milliseconds(start.elapsed());
        let apart = Rules {
            owners: Some(&owners),
            ..Rules::default()
        };
        let query = Query::from(Set::from(&bounds).with(apart));
        let mut report = backends.answer(&query, Report::default(), waiting).await?;
        drop((bounds, owners));
        let found = Instant::now();
        let first = mesh.len() as u32;
        let named = |pair: Pair| Pair {
            b: pair.b - first,
            ..pair
        };
        let meet = |pair: Pair| mesh[pair.a as usize].meets_body(bodies.at(pair.b));
        report.pairs = retained(&report.pairs, named, meet)?;
        report.colliding_pairs = report.pairs.len() as u64;
        report.named = Named::TwoSets([mesh.len(), bodies.len()]);
        let of_pairs = milliseconds(found.elapsed());
        let steps = [(made_before(&report.engine), made), (Stage::Exact, of_pairs)];
        report.timings.wall.extend(steps);
        report.timings.total = milliseconds(start.elapsed());
        Ok(report)
    }
}

/// Returns the bounds of the triangles followed by those of the bodies, and the owner of each: 0
/// for the mesh, 1 for the bodies.
fn joined_bounds(mesh: &[Triangle], bodies: Bodies<'_>) -> Result<(Vec<Aabb>, Vec<u32>)> {
    let mut of_bodies = memory::filled(bodies.len(), Bounds::zeroed(), BOUNDS)?;
    let (first, count) = (mesh.len(), mesh.len() + bodies.len());
    let () = bodies
        .bounds(|_| 0.0, &mut of_bodies)
        .map_err(|error| error.after(first))?;
    let bounds = parallel::collect(count, BOUNDS, |k| match mesh.get(k) {
        Some(triangle) => triangle.bounds(),
        None => {
            let of_body = &of_bodies[k - first];
            Aabb::new(of_body.low, of_body.high)
        }
    })?;
    let mut owners = memory::filled(count, 0, BOUNDS)?;
    owners[first..].fill(1);
    Ok((bounds, owners))
}

/// Returns the renamed pairs that meet, in the same order.
fn retained(
    pairs: &[Pair],
    named: impl Fn(Pair) -> Pair + Sync + Send,
    meet: impl Fn(Pair) -> bool + Sync + Send,
) -> Result<Vec<Pair>> {
    const WHAT: &str = "the pairs of triangles and bodies";
    let parts: Vec<Result<Vec<Pair>>> = parallel::map_ranges_of(GRAIN, pairs.len(), |range| {
        let mut met = Vec::new();
        for &pair in &pairs[range] {
            let pair = named(pair);
            if meet(pair) {
                memory::push(&mut met, pair, WHAT)?;
            }
        }
        Ok(met)
    });
    let mut all = Vec::new();
    for part in parts {
        memory::extend(&mut all, &part?, WHAT)?;
    }
    Ok(all)
}
