//! Configurations checked in batches, each a world of its own.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use obbligato::query::DistanceQuery;
use obbligato::shape::OwnedBodies;
use obbligato::{Checker, Pair, PreparedScene, Query, Rules};
use obbligato_support::parallel;

use crate::error::{Error, Result};
use crate::geometry::Extent;
use crate::model::LinkPose;
use crate::robot::Robot;

/// The number of bodies in a batch: enough for all threads, and few enough for their caches.
const BATCH: usize = 1 << 17;
/// Groups are 32 bits: with more links, pairs of links are sorted out after the check.
const MOST_GROUPS: usize = 32;
/// The parts of the greatest distance that are searched before the whole: most configurations are
/// far nearer.
const PARTS: [f64; 5] = [1.0 / 256.0, 1.0 / 64.0, 1.0 / 16.0, 1.0 / 4.0, 1.0];

/// The collisions of configurations of a robot, from [`Robot::check`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RobotReport {
    /// `true` for each configuration in which links collide with each other or with the scene.
    pub colliding: Vec<bool>,
    /// The pairs of links that collide, sorted, each once for each configuration.
    pub self_pairs: Vec<LinkPair>,
    /// The links that collide with the scene, sorted, each pair once for each configuration.
    pub scene_pairs: Vec<ScenePair>,
}

/// Two links that collide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkPair {
    /// Position of the configuration.
    pub configuration: usize,
    /// Positions in [`Robot::links`], the smaller one first.
    pub links: [usize; 2],
}

/// A link that collides with the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScenePair {
    /// Position of the configuration.
    pub configuration: usize,
    /// Position in [`Robot::links`].
    pub link: usize,
    /// Position in the scene.
    pub body: usize,
}

impl Robot {
    /// Checks configurations for collisions of links with each other and with a scene, which
    /// [`Robot::prepare`] has sorted.
    ///
    /// Two bodies that share a single point collide. [`Config::margin`](obbligato::Config::margin)
    /// applies to both kinds of pairs.
    ///
    /// # Errors
    /// [`Error::WrongCount`], [`Error::NotFinite`] and [`Error::Engine`].
    pub fn check<C: AsRef<[f64]> + Sync>(
        &mut self,
        configurations: &[C],
        scene: Option<&PreparedScene>,
    ) -> Result<RobotReport> {
        let found = Mutex::new(RobotReport::default());
        let list = || found.lock().unwrap_or_else(PoisonError::into_inner);
        let on_self = |configuration, links: [usize; 2]| {
            let links = [links[0].min(links[1]), links[0].max(links[1])];
            list().self_pairs.push(LinkPair { configuration, links });
        };
        let on_scene = |configuration, link, body| {
            list().scene_pairs.push(ScenePair {
                configuration,
                link,
                body,
            });
        };
        self.visit(configurations, scene, &on_self, &on_scene)?;
        let mut report = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        report.self_pairs.sort_unstable();
        report.self_pairs.dedup();
        report.scene_pairs.sort_unstable();
        report.scene_pairs.dedup();
        report.colliding = vec![false; configurations.len()];
        let of_self = report.self_pairs.iter().map(|pair| pair.configuration);
        for configuration in of_self.chain(report.scene_pairs.iter().map(|pair| pair.configuration)) {
            report.colliding[configuration] = true;
        }
        Ok(report)
    }

    /// Returns `true` for each configuration without a collision. Keeps no list of pairs.
    ///
    /// # Errors
    /// As [`Robot::check`].
    pub fn free<C: AsRef<[f64]> + Sync>(
        &mut self,
        configurations: &[C],
        scene: Option<&PreparedScene>,
    ) -> Result<Vec<bool>> {
        let free: Vec<AtomicBool> = configurations.iter().map(|_| AtomicBool::new(true)).collect();
        let on_self = |configuration: usize, _| free[configuration].store(false, Relaxed);
        let on_scene = |configuration: usize, _, _| free[configuration].store(false, Relaxed);
        self.visit(configurations, scene, &on_self, &on_scene)?;
        Ok(free.into_iter().map(AtomicBool::into_inner).collect())
    }

    /// Returns the distance of the robot and the scene in each configuration: 0 if they collide,
    /// and infinity if nothing is `within` this distance, in the unit of the file.
    ///
    /// # Errors
    /// [`Error::OutOfRange`], and as [`Robot::check`].
    pub fn distances<C: AsRef<[f64]> + Sync>(
        &mut self,
        configurations: &[C],
        scene: &PreparedScene,
        within: f64,
    ) -> Result<Vec<f64>> {
        if !(within.is_finite() && within >= 0.0) {
            return Err(Error::OutOfRange {
                name: "within",
                value: within,
                range: "from 0",
            });
        }
        self.expect_valid(configurations)?;
        let layout = self.layout();
        let mut nearest = vec![f64::INFINITY; configurations.len()];
        let mut left: Vec<usize> = (0..configurations.len()).collect();
        for part in PARTS {
            for chosen in left.chunks(layout.batch()) {
                let rows: Vec<&[f64]> = chosen.iter().map(|&k| configurations[k].as_ref()).collect();
                let bodies = self.placed(&rows);
                let margins = vec![((part * within) as f32).next_up(); bodies.all().len()];
                let rules = Rules {
                    margins: Some(&margins),
                    ..Rules::default()
                };
                let near = all_pairs(&mut self.checker, &Query::against(scene, bodies.all().with(rules)))?;
                let found = self
                    .checker
                    .check(DistanceQuery::new([scene.bodies(), bodies.all()], &near))?;
                for (pair, closest) in near.iter().zip(found) {
                    let distance = &mut nearest[chosen[layout.place(pair.b, rows.len()).0]];
                    *distance = distance.min(closest.distance);
                }
            }
            left.retain(|&k| nearest[k].is_infinite());
        }
        Ok(nearest)
    }

    /// Calls a function for each collision of two bodies: with the configuration and the links, and
    /// with the configuration, the link and the position in the scene.
    fn visit<C: AsRef<[f64]> + Sync>(
        &mut self,
        configurations: &[C],
        scene: Option<&PreparedScene>,
        on_self: &(dyn Fn(usize, [usize; 2]) + Sync),
        on_scene: &(dyn Fn(usize, usize, usize) + Sync),
    ) -> Result<()> {
        self.expect_valid(configurations)?;
        let layout = self.layout();
        let mut labels = Labels::default();
        for (number, rows) in configurations.chunks(layout.batch()).enumerate() {
            let first = number * layout.batch();
            let bodies = self.placed(rows);
            labels.fill(&layout, self, rows.len());
            let pairs = &self.pairs;
            let visit = |found: &[Pair]| {
                for pair in found {
                    let [(configuration, a), (_, b)] = [pair.a, pair.b].map(|id| layout.place(id, rows.len()));
                    let links = [layout.extents[a].link, layout.extents[b].link];
                    if pairs.may_collide(links[0], links[1]) {
                        on_self(first + configuration, links);
                    }
                }
            };
            self.checker
                .check(Query::from(bodies.all().with(labels.rules())).visit(&visit))?;
            if let Some(scene) = scene {
                let visit = |found: &[Pair]| {
                    for pair in found {
                        let (configuration, body) = layout.place(pair.b, rows.len());
                        on_scene(first + configuration, layout.extents[body].link, pair.a as usize);
                    }
                };
                self.checker.check(Query::against(scene, bodies.all()).visit(&visit))?;
            }
        }
        Ok(())
    }

    /// Returns the bodies in all of these configurations, kind by kind.
    pub(crate) fn placed<C: AsRef<[f64]> + Sync>(&self, configurations: &[C]) -> OwnedBodies {
        let place = |range: Range<usize>| {
            let mut poses = vec![LinkPose::IDENTITY; self.model.links.len()];
            let mut bodies = OwnedBodies::default();
            for configuration in &configurations[range] {
                self.model.poses(configuration.as_ref(), &mut poses);
                self.parts.place(&poses, &mut bodies);
            }
            bodies
        };
        let mut all = OwnedBodies::default();
        for some in parallel::map_ranges_of(256, configurations.len(), place) {
            all.boxes.extend(some.boxes);
            all.capsules.extend(some.capsules);
            all.spheres.extend(some.spheres);
        }
        all
    }

    pub(crate) fn layout(&self) -> Layout {
        Layout {
            counts: self.parts.counts(),
            extents: self.parts.extents(),
        }
    }
}

/// Returns all pairs of a query, in any order, whatever the limit of the checker.
pub(crate) fn all_pairs(checker: &mut Checker, query: &Query<'_>) -> Result<Vec<Pair>> {
    let found = Mutex::new(Vec::new());
    let visit = |pairs: &[Pair]| {
        found
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(pairs)
    };
    checker.check(query.visit(&visit))?;
    Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// The order of the bodies of several configurations: kind by kind, and within a kind configuration
/// by configuration.
pub(crate) struct Layout {
    counts: [usize; 3],
    pub extents: Vec<Extent>,
}

impl Layout {
    /// The number of configurations in a batch.
    pub fn batch(&self) -> usize {
        (BATCH / self.extents.len().max(1)).max(1)
    }

    /// Returns the configuration of a body and its position among the bodies of one.
    pub fn place(&self, id: u32, configurations: usize) -> (usize, usize) {
        let (mut id, mut before) = (id as usize, 0);
        for count in self.counts {
            if id < count * configurations {
                return (id / count, before + id % count);
            }
            id -= count * configurations;
            before += count;
        }
        unreachable!("pairs name bodies of the set")
    }

    /// Returns `value` of each body, by its configuration and its position among those of one.
    pub fn each<T>(&self, configurations: usize, value: impl Fn(usize, usize) -> T) -> Vec<T> {
        let mut values = Vec::with_capacity(configurations * self.extents.len());
        let mut before = 0;
        for count in self.counts {
            for configuration in 0..configurations {
                values.extend((before..before + count).map(|body| value(configuration, body)));
            }
            before += count;
        }
        values
    }
}

/// The world and the groups of each body, for a number of configurations.
#[derive(Default)]
pub(crate) struct Labels {
    configurations: usize,
    worlds: Vec<u32>,
    groups: Option<Vec<[u32; 2]>>,
}

impl Labels {
    /// Replaces the labels if their number differs.
    pub fn fill(&mut self, layout: &Layout, robot: &Robot, configurations: usize) {
        if self.configurations == configurations {
            return;
        }
        self.configurations = configurations;
        self.worlds = layout.each(configurations, |configuration, _| configuration as u32);
        // Links without bodies need no group.
        let mut links: Vec<usize> = layout.extents.iter().map(|extent| extent.link).collect();
        links.sort_unstable();
        links.dedup();
        self.groups = (links.len() <= MOST_GROUPS).then(|| {
            let group = |link| links.binary_search(&link).map_or(0, |k| 1 << k);
            let filter = |link| {
                let partners = links.iter().filter(|&&other| robot.pairs.may_collide(link, other));
                partners.fold(0, |filter, &other| filter | group(other))
            };
            let of_body: Vec<[u32; 2]> = layout
                .extents
                .iter()
                .map(|extent| [group(extent.link), filter(extent.link)])
                .collect();
            layout.each(configurations, |_, body| of_body[body])
        });
    }

    pub fn rules(&self) -> Rules<'_> {
        Rules {
            worlds: Some(&self.worlds),
            groups: self.groups.as_deref(),
            ..Rules::default()
        }
    }
}
