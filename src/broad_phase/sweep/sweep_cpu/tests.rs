//! Sort and sweep, compared with all pairs tested one by one.

use std::borrow::Cow;

use glam::Vec3;

use super::*;
use crate::base::split_mix::SplitMix;

/// A scene: corners and worlds.
struct Scene {
    name: &'static str,
    bounds: Vec<Bounds>,
    worlds: Option<Vec<u32>>,
}

impl Scene {
    fn new(name: &'static str, count: u32, mut corners: impl FnMut(&mut SplitMix, u32) -> [Vec3; 2]) -> Self {
        let mut random = SplitMix(u64::from(count) + name.len() as u64);
        let mut bounds = |id| {
            let [low, high] = corners(&mut random, id);
            // Tags must be ignored.
            Bounds {
                low,
                tag: !id,
                high,
                id,
            }
        };
        Self {
            name,
            bounds: (0..count).map(&mut bounds).collect(),
            worlds: None,
        }
    }

    /// Returns the same boxes in this many worlds, with numbers far apart.
    fn in_worlds(mut self, worlds: u32) -> Self {
        self.worlds = Some(
            (0..self.bounds.len() as u32)
                .map(|id| (id % worlds).wrapping_mul(0x9E37_79B1))
                .collect(),
        );
        self
    }

    fn rules(&self) -> SetRules<'_> {
        SetRules {
            worlds: self.worlds.as_deref().map(Cow::Borrowed),
            ..SetRules::default()
        }
    }

    fn pairs(&self) -> Vec<Pair> {
        let rules = self.rules();
        let mut pairs = Vec::new();
        for (k, a) in self.bounds.iter().enumerate() {
            let others = self.bounds[k + 1..].iter();
            pairs.extend(
                others
                    .filter(|b| rules.world(a.id) == rules.world(b.id) && a.overlaps(b))
                    .map(|b| Pair::new(a.id, b.id)),
            );
        }
        pairs.sort_unstable();
        pairs
    }
}

fn vec(random: &mut SplitMix) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| random.unit() as f32))
}

fn scenes() -> Vec<Scene> {
    let cube = |random: &mut SplitMix, world: f32, size: f32| {
        let low = vec(random) * world;
        [low, low + vec(random) * size]
    };
    let lattice = |id: u32| Vec3::new((id % 13) as f32, (id / 13 % 13) as f32, (id / 169) as f32) - 6.0;
    let tiny = f32::from_bits(1);
    let far = (1u64 << 60) as f32;
    vec![
        Scene::new("none", 0, |_, _| [Vec3::ZERO; 2]),
        Scene::new("one", 1, |_, _| [Vec3::ZERO, Vec3::ONE]),
        Scene::new("two", 2, |_, _| [Vec3::ZERO, Vec3::ONE]),
        Scene::new("uniform", 3001, |random, _| cube(random, 10.0, 1.5)),
        Scene::new("flat", 2999, |random, _| {
            cube(random, 40.0, 2.0).map(|corner| corner.with_y(1.0))
        }),
        Scene::new("line", 3000, |random, _| {
            cube(random, 3000.0, 3.0).map(|corner| corner * Vec3::new(0.0, 0.0, 1.0))
        }),
        Scene::new("touching", 2197, |_, id| [lattice(id), lattice(id) + 1.0]),
        Scene::new("zeros", 1500, |random, _| {
            // Zeros of either sign, and their neighbours.
            let places = [0.0, -0.0, tiny, -tiny];
            let place = |random: &mut SplitMix| {
                Vec3::from_array(std::array::from_fn(|_| places[random.next() as usize % places.len()]))
            };
            let [a, b] = [place(random), place(random)];
            [Vec3::select(a.cmple(b), a, b), Vec3::select(a.cmple(b), b, a)]
        }),
        Scene::new("coincident", 700, |_, _| [Vec3::NEG_ONE, Vec3::ONE]),
        Scene::new("giants", 2000, |random, id| match id % 50 {
            0 => [Vec3::NEG_ONE * random.unit() as f32, Vec3::splat(20.0) * vec(random)],
            _ => cube(random, 20.0, 0.7),
        }),
        Scene::new("sticks", 1500, |random, id| {
            let [low, high] = cube(random, 20.0, 0.3);
            [low, high + Vec3::AXES[id as usize % 3] * 10.0]
        }),
        Scene::new("subnormal", 1500, |random, _| cube(random, 1e-38, 2e-39)),
        Scene::new("far", 1500, |random, id| {
            let [low, high] = cube(random, 2.0 * far, far * if id % 2 == 0 { 0.3 } else { 1e-30 });
            [low - far, high - far]
        }),
        Scene::new("outlier", 1500, |random, id| match id {
            700 => [Vec3::splat(-far), Vec3::splat(-far)],
            701 => [Vec3::splat(-far), Vec3::splat(far)],
            _ => cube(random, 10.0, 1.0),
        }),
        Scene::new("worlds in one place", 3000, |random, _| cube(random, 5.0, 2.0)).in_worlds(7),
        Scene::new("many worlds", 3000, |random, _| cube(random, 2.0, 1.0)).in_worlds(900),
        Scene::new("a world each", 600, |random, _| cube(random, 1.0, 1.0)).in_worlds(600),
        Scene::new("worlds apart", 3000, |random, id| {
            cube(random, 5.0, 1.0).map(|corner| corner + 100.0 * (id % 5) as f32)
        })
        .in_worlds(5),
    ]
}

/// Returns the pairs found by ranges of this many records, by ids, and the work.
fn found(sweep: &Sweep, rules: &SetRules, grain: usize) -> (Vec<Pair>, Operations) {
    let (mut pairs, mut work) = (Vec::new(), Operations::default());
    for start in (0..sweep.len()).step_by(grain) {
        let range = start..(start + grain).min(sweep.len());
        work += sweep.pairs::<true>(rules, range, &mut |batch, kind| {
            assert!(batch.is_empty() || kind == Found::Candidates);
            pairs.extend_from_slice(batch);
        });
    }
    let id = |position: u32| sweep.records[position as usize].id;
    let mut pairs: Vec<Pair> = pairs.iter().map(|pair| Pair::new(id(pair.a), id(pair.b))).collect();
    pairs.sort_unstable();
    (pairs, work)
}

/// Checks that every pair is found once, for any division of records into ranges, any axes and any
/// number of strips.
#[test]
fn every_pair_is_found_once() {
    let mut sweep = Sweep::default();
    let mut all = 0;
    for scene in scenes() {
        let (rules, expected) = (scene.rules(), scene.pairs());
        all += expected.len();
        let chosen = plan(&scene.bounds, &rules);
        let forced = [([0, 1, 2], 1), ([2, 0, 1], 3), ([1, 2, 0], 40), ([0, 2, 1], 1000)];
        let plans = forced.map(|(axes, strips)| Plan { axes, strips });
        for plan in plans.into_iter().chain([chosen]) {
            sweep.build_by(plan, &scene.bounds, &rules).expect("enough memory");
            assert_eq!(sweep.len(), scene.bounds.len());
            for grain in [1, 7, 64, 1000, usize::MAX / 2] {
                let (pairs, _) = found(&sweep, &rules, grain);
                assert!(
                    pairs == expected,
                    "{}: {plan:?}, ranges of {grain}: {} pairs instead of {}",
                    scene.name,
                    pairs.len(),
                    expected.len()
                );
            }
            assert!(sweep.bytes() < 3 * Sweep::bytes_for(70_000), "{}", scene.name);
        }
    }
    assert!(all > 100_000, "{all}");
}

/// Checks that movers, including those in their own worlds, meet the boxes at rest that they
/// overlap.
#[test]
fn movers_find_every_overlap() {
    let mut sweep = Sweep::default();
    for scene in scenes() {
        sweep.sort(&scene.bounds, &scene.rules()).expect("enough memory");
        sweep.release_scratch();
        // Copies of the boxes, slightly moved and in the next world, then one box that holds all.
        let mut movers = scene.bounds.clone();
        for mover in &mut movers {
            let size = (mover.high - mover.low) * 0.6;
            (mover.low, mover.high) = (mover.low + size, mover.high + size);
        }
        let far = Vec3::splat((1u64 << 61) as f32);
        movers.push(Bounds {
            low: -far,
            tag: 0,
            high: far,
            id: movers.len() as u32,
        });
        let at_rest = scene.rules();
        let worlds = scene.worlds.as_ref().map(|worlds| {
            let moved = worlds.iter().cycle().skip(1);
            moved.take(movers.len()).copied().collect::<Vec<u32>>()
        });
        let rules = SetRules {
            worlds: worlds.map(Cow::Owned),
            ..SetRules::default()
        };
        let mut pairs = Vec::new();
        sweep.meet_ids::<false>(&movers, &rules, |pair| pairs.push(pair));
        pairs.sort_unstable();
        let mut expected = Vec::new();
        for a in &scene.bounds {
            let met = |b: &&Bounds| at_rest.world(a.id) == rules.world(b.id) && a.overlaps(b);
            expected.extend(movers.iter().filter(met).map(|b| Pair { a: a.id, b: b.id }));
        }
        assert!(
            pairs == expected,
            "{}: {} instead of {}",
            scene.name,
            pairs.len(),
            expected.len()
        );
    }
}

fn comparisons_of(scene: &Scene) -> f64 {
    let (mut sweep, rules) = (Sweep::default(), scene.rules());
    sweep.sort(&scene.bounds, &rules).expect("enough memory");
    let (_, work) = found(&sweep, &rules, 4096);
    work.comparisons as f64 / scene.bounds.len() as f64
}

/// Checks that, of a hundred times as many boxes, each is compared with about five times as many
/// others, not with twenty or a hundred times as many.
#[test]
fn strips_avoid_quadratic_work() {
    let uniform = |count: u32| {
        let side = (f64::from(count)).cbrt() as f32;
        Scene::new("uniform", count, move |random, _| {
            let low = vec(random) * side;
            [low, low + 1.0]
        })
    };
    let [few, many] = [2_000, 200_000].map(|count| comparisons_of(&uniform(count)));
    assert!(many < 6.0 * few && many < 500.0, "{few} {many}");
    // A few giants cost one comparison per box.
    let giants = |count: u32| {
        let mut scene = uniform(count);
        for bounds in scene.bounds.iter_mut().step_by(1000) {
            (bounds.low, bounds.high) = (Vec3::ZERO, Vec3::splat((f64::from(count)).cbrt() as f32));
        }
        scene
    };
    let with_giants = comparisons_of(&giants(200_000));
    assert!(with_giants < 3.0 * many + 400.0, "{many} {with_giants}");
}

/// Checks that worlds in one place cost about the same as if they were apart.
#[test]
fn overlapping_worlds_cost_no_more() {
    let worlds = 2000;
    let scene = |apart: f32| {
        Scene::new("worlds", 60_000, move |random, id| {
            let low = vec(random) * 3.0 + Vec3::X * apart * (id % worlds) as f32;
            [low, low + 1.0]
        })
        .in_worlds(worlds)
    };
    let [apart, together] = [100.0, 0.0].map(|apart| comparisons_of(&scene(apart)));
    assert!(together < 1.5 * apart + 10.0 && together < 60.0, "{apart} {together}");
}
