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
use crate::engine::query::sets::Set;
use crate::geometry::aabb::Aabb;
use crate::geometry::pair::{Pair, validate_pairs};
use crate::outputs::report::Report;
use crate::questions::mesh_scene::body::MeshInstance;
use crate::questions::mesh_scene::relation::{MeshPair, relation};
use crate::questions::question::Question;
use crate::rules::filter::{PairRules, SetRules};
use crate::rules::model::Rules;

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
/// distance computed in `f64`. [`Rules`] with a margin for each instance add to it
/// ([`MeshScene::with`]): a mesh of one triangle, whose corners are two points or one, is a capsule
/// or a sphere if its margin is a radius.
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
/// 1; [`Error::InvalidPair`] for a given pair of an instance that does not exist;
/// [`Error::InvalidRule`] for rules that do not match the instances; [`Error::Unavailable`] if the
/// checker has a fixed capacity, or does not return pairs.
#[derive(Clone, Copy, Debug)]
pub struct MeshScene<'a> {
    instances: &'a [MeshInstance<'a>],
    /// The only candidate pairs, if they are given.
    pairs: Option<&'a [Pair]>,
    rules: Rules<'a>,
}

impl<'a> MeshScene<'a> {
    /// The pairs of these instances.
    pub fn new(instances: &'a [MeshInstance<'a>]) -> Self {
        Self {
            instances,
            pairs: None,
            rules: Rules::default(),
        }
    }

    /// Those of `pairs` that share a point or are near, for callers with their own broad phase.
    /// They are answered in the order in which they are given, each in the frame of its first
    /// instance.
    ///
    /// ```
    /// use obbligato::glam::{Quat, Vec3};
    /// use obbligato::mesh::{MeshBody, MeshScene};
    /// use obbligato::shape::{Pose, Triangle};
    /// use obbligato::{Backend, Checker, Config, Pair, Rules};
    /// # fn main() -> obbligato::Result<()> {
    /// let floor = MeshBody::new(&[Triangle::new(-Vec3::X, Vec3::X, Vec3::Y)])?;
    /// let point = MeshBody::new(&[Triangle { corners: [Vec3::ZERO; 3] }])?;
    /// let at = |z| point.at(Pose::new(Vec3::Z * z, Quat::IDENTITY));
    /// let scene = [floor.at(Pose::IDENTITY), at(0.5), at(1.5)];
    /// // Two spheres.
    /// let rules = Rules { margins: Some(&[0.0, 0.75, 0.75]), ..Rules::default() };
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let pairs = [Pair::new(0, 2), Pair::new(0, 1)];
    /// let found = checker.check(MeshScene::pairs(&scene, &pairs).with(rules))?;
    /// assert_eq!((found.len(), found[0].pair, found[0].distance), (1, Pair::new(0, 1), 0.5));
    /// # Ok(())
    /// # }
    /// ```
    pub fn pairs(instances: &'a [MeshInstance<'a>], pairs: &'a [Pair]) -> Self {
        Self {
            pairs: Some(pairs),
            ..Self::new(instances)
        }
    }

    /// Returns the same question with rules: an entry for each instance.
    #[must_use]
    pub fn with(self, rules: Rules<'a>) -> Self {
        Self { rules, ..self }
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
        let of_instances = SetRules::new(&self.rules, instances.len())?;
        let rules = PairRules::of_one_set(&of_instances, instances.len())?;
        let candidates = match self.pairs {
            Some(pairs) => {
                validate_pairs(instances.len(), pairs)?;
                let mut allowed = memory::collect(pairs.iter().copied(), PAIRS)?;
                allowed.retain(|pair| rules.allow(*pair));
                allowed
            }
            None => {
                let query = Query::from(Set::from(&bounds).with(self.rules));
                backends
                    .answer(&query, Report::default(), waiting)
                    .await?
                    .into_pairs()?
            }
        };
        let answers: Vec<Result<Option<MeshPair>>> = parallel::map(candidates, |pair| {
            let [a, b] = [pair.a, pair.b].map(|instance| &instances[instance as usize]);
            let related = relation(a, b, rules.margin(margin, pair))?;
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
