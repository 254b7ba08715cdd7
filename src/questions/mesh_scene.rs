//! Rigid meshes in a scene: which of them overlap, touch, contain one another or are near.

pub(crate) mod body;
mod gap;
mod inside;
pub(crate) mod relation;
mod shells;

use crate::base::error::{Error, Result};
use crate::base::waiting::Waiting;
use crate::base::{memory, parallel};
use crate::engine::backends::Backends;
use crate::engine::query::Query;
use crate::geometry::aabb::Aabb;
use crate::outputs::report::Report;
use crate::questions::mesh_scene::body::MeshInstance;
use crate::questions::mesh_scene::relation::{MeshPair, relation};
use crate::questions::question::Question;

/// Label for out-of-memory errors.
const PAIRS: &str = "the pairs of meshes";

/// All pairs of meshes that share a point or are near, and how they lie relative to each other.
///
/// A [`MeshBody`](crate::mesh::MeshBody) is prepared once, and any number of instances share it,
/// each in a pose of its own. A pair `a < b` is decided in the frame of `a`: the corners of `b` are
/// placed there in `f64` and each coordinate is rounded once to `f32`. For these numbers it is
/// exact which triangles share a point and which points are inside. Instances far from the origin
/// of the world lose nothing, and poses without a rotation by whole multiples of the grid of
/// coordinates leave all numbers as they are.
///
/// With [`Config::margin`](crate::Config::margin) pairs that share no point are also found if their
/// surfaces are no further apart, as [`MeshRelation::Near`](crate::mesh::MeshRelation::Near), by a
/// distance computed in `f64`.
///
/// The broad phase of the checker's backend finds the pairs of instances whose bounds overlap. Each
/// is then decided on one core of the host, all at once on all of them: the trees of both meshes
/// are compared until two triangles pass through each other. Pairs that only touch take longer, as
/// all triangles that may touch are tested, and points are located in both meshes.
///
/// ```
/// use obbligato::glam::{Quat, Vec3};
/// use obbligato::mesh::{MeshBody, MeshRelation, MeshScene};
/// use obbligato::shape::{Pose, Triangle};
/// use obbligato::{Backend, Checker, Config, Pair};
/// # fn main() -> obbligato::Result<()> {
/// let [a, b, c, d] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let faces = [[a, c, b], [a, b, d], [a, d, c], [b, c, d]].map(|corners| Triangle { corners });
/// let wedge = MeshBody::new(&faces)?;
/// let at = |x| wedge.at(Pose::new(Vec3::new(x, 0.0, 0.0), Quat::IDENTITY));
/// let scene = [at(0.0), at(0.5), at(1.5), at(9.0)];
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// let found = checker.check(MeshScene::new(&scene))?;
/// let relations: Vec<_> = found.iter().map(|found| (found.pair, found.relation)).collect();
/// // The tip of the second is on a face of the third.
/// let expected = [
///     (Pair::new(0, 1), MeshRelation::Overlap),
///     (Pair::new(1, 2), MeshRelation::Touch),
/// ];
/// assert_eq!(relations, expected);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`Checker::check`](crate::Checker::check); [`Error::InvalidBox`] for an instance whose pose
/// is not finite, or whose coordinates in the world would be beyond an eighth of
/// [`COORDINATE_LIMIT`](crate::shape::COORDINATE_LIMIT), or whose rotation has a length other than
/// 1; [`Error::Unavailable`] if the checker has a fixed capacity, or does not return pairs.
#[derive(Clone, Copy, Debug)]
pub struct MeshScene<'a> {
    instances: &'a [MeshInstance<'a>],
}

impl<'a> MeshScene<'a> {
    /// The pairs of these instances.
    pub fn new(instances: &'a [MeshInstance<'a>]) -> Self {
        Self { instances }
    }
}

impl<'a> Question<'a> for MeshScene<'a> {
    type Answer = Vec<MeshPair>;

    async fn answer(self, backends: &mut Backends, waiting: Waiting) -> Result<Vec<MeshPair>> {
        backends.expect_all_pairs([
            "a check of a scene of meshes without pairs",
            "a check of a scene of meshes with a fixed capacity",
        ])?;
        let instances = self.instances;
        let bounds = bounds_of(instances)?;
        let margin = backends.config.margin;
        let report = backends
            .answer(&Query::from(&bounds), Report::default(), waiting)
            .await?;
        let answers: Vec<Result<Option<MeshPair>>> = parallel::map(report.into_pairs()?, |pair| {
            let [a, b] = [pair.a, pair.b].map(|instance| &instances[instance as usize]);
            let related = relation(a, b, margin)?;
            Ok(related.map(|related| MeshPair { pair, ..related }))
        });
        let mut found = Vec::new();
        for answer in answers {
            if let Some(pair) = answer? {
                memory::push(&mut found, pair, PAIRS)?;
            }
        }
        Ok(found)
    }
}

/// Returns the bounds of instances in the world, or the first invalid one.
fn bounds_of(instances: &[MeshInstance<'_>]) -> Result<Vec<Aabb>> {
    let mut problems = instances
        .iter()
        .enumerate()
        .filter_map(|(index, instance)| Some((index, instance.problem()?)));
    if let Some((index, problem)) = problems.next() {
        return Err(Error::InvalidBox {
            index,
            problem,
            count: 1 + problems.count(),
        });
    }
    Ok(parallel::collect(instances.len(), PAIRS, |k| instances[k].bounds())?)
}
