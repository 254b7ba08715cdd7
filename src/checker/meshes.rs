//! Meshes checked against bodies.

use std::time::Instant;

use bytemuck::Zeroable;

#[cfg(doc)]
use crate::base::config::Config;
use crate::base::error::{Error, Result};
use crate::base::stage::Stage;
use crate::base::timings::milliseconds;
use crate::base::waiting::Waiting;
use crate::base::{memory, parallel};
use crate::checker::Checker;
use crate::checker::found::made_before;
use crate::engine::query::Query;
use crate::engine::query::sets::BoxSet;
use crate::geometry::aabb::Aabb;
use crate::geometry::bounds::{BOUNDS, Bounds};
use crate::geometry::pair::Pair;
use crate::outputs::report::{Named, Report};
use crate::regions::closed_mesh::ClosedMesh;
use crate::regions::closed_mesh::state::PointState;
use crate::regions::room::EnclosureState;
use crate::rules::model::Rules;
use crate::shapes::bodies::set::Bodies;
use crate::shapes::triangle::record::Triangle;
use crate::shapes::triangle::triangle_bounds_cpu;

/// Label for out-of-memory errors.
const STATES: &str = "the states of bodies";
/// Number of candidate pairs that one task tests.
const GRAIN: usize = 256;

impl Checker {
    /// Finds all pairs of a triangle of a mesh and a body that share a point, exactly:
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
    /// use obbligato::{Backend, Checker, Config, Pair, Sphere, Triangle, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let floor = [Vec3::X, -Vec3::X].map(|corner| Triangle::new(Vec3::Y * 9.0, Vec3::Y * -9.0, corner * 9.0));
    /// let balls = [1.0, 2.5].map(|height| Sphere::new(Vec3::new(-2.0, 0.0, height), 2.0));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// // The lower ball dips into the triangle below it; the upper one floats.
    /// let report = checker.check_mesh(&floor, &balls)?;
    /// assert_eq!(report.pairs()?, [Pair { a: 1, b: 0 }]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Checker::check`], and [`Error::InvalidTriangle`]; [`Error::Unavailable`] if the checker
    /// has a margin or a fixed capacity, or does not return pairs.
    pub fn check_mesh<'a>(&mut self, mesh: &[Triangle], bodies: impl Into<Bodies<'a>>) -> Result<Report> {
        pollster::block_on(self.check_against_mesh(mesh, bodies.into(), Waiting::Blocking))
    }

    /// Performs [`Checker::check_mesh`] without blocking the thread while a GPU works. The exact
    /// tests run while it is polled.
    pub async fn check_mesh_async<'a>(&mut self, mesh: &[Triangle], bodies: impl Into<Bodies<'a>>) -> Result<Report> {
        self.check_against_mesh(mesh, bodies.into(), Waiting::Background).await
    }

    /// Finds the location of each body relative to the solid that a closed mesh bounds, exactly:
    /// crossing the surface, inside, or outside, as for a [room](Checker::enclosures). Bodies that
    /// meet the mesh as a solid are those that are not outside. Bodies that meet it as a surface
    /// are those that cross it.
    ///
    /// The surface is checked as by [`Checker::check_mesh`]. A body that does not cross the surface
    /// lies on the same side as its center ([`ClosedMesh::locate`]).
    ///
    /// ```
    /// use obbligato::{Backend, Checker, ClosedMesh, Config, EnclosureState, Sphere, Triangle, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let [a, b, c, d] = [Vec3::ZERO, Vec3::X * 9.0, Vec3::Y * 9.0, Vec3::Z * 9.0];
    /// let faces = [[a, b, c], [a, b, d], [a, c, d], [b, c, d]].map(|corners| Triangle { corners });
    /// let tent = ClosedMesh::new(&faces)?;
    /// let balls = [1.0, 2.0, 9.0].map(|x| Sphere::new(Vec3::new(x, 2.0, 2.0), 1.0));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let found = checker.enclosures_in_mesh(&tent, &balls)?;
    /// assert_eq!(found, [EnclosureState::Crossing, EnclosureState::Inside, EnclosureState::Outside]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Checker::check_mesh`].
    pub fn enclosures_in_mesh<'a>(
        &mut self,
        mesh: &ClosedMesh,
        bodies: impl Into<Bodies<'a>>,
    ) -> Result<Vec<EnclosureState>> {
        pollster::block_on(self.states_in_mesh(mesh, bodies.into(), Waiting::Blocking))
    }

    /// Performs [`Checker::enclosures_in_mesh`] without blocking the thread while a GPU works. The
    /// bodies are located while it is polled.
    pub async fn enclosures_in_mesh_async<'a>(
        &mut self,
        mesh: &ClosedMesh,
        bodies: impl Into<Bodies<'a>>,
    ) -> Result<Vec<EnclosureState>> {
        self.states_in_mesh(mesh, bodies.into(), Waiting::Background).await
    }

    async fn states_in_mesh(
        &mut self,
        mesh: &ClosedMesh,
        bodies: Bodies<'_>,
        waiting: Waiting,
    ) -> Result<Vec<EnclosureState>> {
        let triangles = memory::collect(mesh.triangles(), "the triangles of a mesh")?;
        let report = self.check_against_mesh(&triangles, bodies, waiting).await?;
        let mut crosses = memory::filled(bodies.len(), false, STATES)?;
        for pair in report.pairs()? {
            crosses[pair.b as usize] = true;
        }
        Ok(parallel::collect(bodies.len(), STATES, |k| {
            match (crosses[k], mesh.locate(bodies.at(k as u32).center())) {
                (true, _) | (_, PointState::Surface) => EnclosureState::Crossing,
                (false, PointState::Inside) => EnclosureState::Inside,
                (false, PointState::Outside) => EnclosureState::Outside,
            }
        })?)
    }

    async fn check_against_mesh(&mut self, mesh: &[Triangle], bodies: Bodies<'_>, waiting: Waiting) -> Result<Report> {
        let start = Instant::now();
        self.expect_no_margin()?;
        self.expect_all_pairs([
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
        let query = Query::bounds(BoxSet::new(&bounds).with(apart));
        let mut report = self.answer(&query, Report::default(), waiting).await?;
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

    fn expect_no_margin(&self) -> Result<()> {
        match self.config.margin > 0.0 {
            true => Err(Error::Unavailable {
                what: "a check of triangles with a margin",
                hint: "set `Config::margin` to 0",
            }),
            false => Ok(()),
        }
    }
}

/// Returns the bounds of the triangles followed by those of the bodies, and the owner of each: 0
/// for the mesh, 1 for the bodies.
fn joined_bounds(mesh: &[Triangle], bodies: Bodies<'_>) -> Result<(Vec<Aabb>, Vec<u32>)> {
    let mut of_bodies = memory::filled(bodies.len(), Bounds::zeroed(), BOUNDS)?;
    let () = bodies.bounds(|_| 0.0, &mut of_bodies)?;
    let (first, count) = (mesh.len(), mesh.len() + bodies.len());
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
