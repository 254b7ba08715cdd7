//! Tiles: for any tiling, the pairs of the scene, each once.

use obbligato::glam::{Quat, Vec3};
use obbligato::query::TileQuery;
use obbligato::tiles::{Tile, Tiling};
use obbligato::{Backend, Checker, Config, Error, Obb, Output, Pair, Report};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::scenes::Scene;

fn checker(config: Config) -> Checker {
    Checker::new(Config {
        backend: Backend::Cpu,
        ..config
    })
    .expect("the CPU serves")
}

/// The pairs of a scene, and the numbers of touching and near ones.
#[derive(Debug, PartialEq)]
struct Found {
    pairs: Vec<Pair>,
    touching_list: Vec<Pair>,
    touching: Option<u64>,
    near: Option<u64>,
}

impl Found {
    fn whole(checker: &mut Checker, boxes: &[Obb]) -> Self {
        let report = checker.check(boxes).expect("the scene is sound");
        Self {
            touching: report.touching_pairs,
            near: report.near_pairs,
            touching_list: report.touching().map(<[Pair]>::to_vec).unwrap_or_default(),
            pairs: report.into_pairs().expect("asked for"),
        }
    }

    /// The pairs found in tiles, each with the boxes that the tiling assigns to it, rotated in
    /// order for every other tile.
    fn in_tiles(checker: &mut Checker, boxes: &[Obb], tiling: &Tiling, margin: f64) -> Self {
        let mut of_tile = vec![Vec::new(); tiling.len()];
        for Pair { a, b } in tiling.assign(boxes, margin).expect("memory") {
            of_tile[a as usize].push(b);
        }
        let mut all = Self {
            pairs: Vec::new(),
            touching_list: Vec::new(),
            touching: Some(0),
            near: Some(0),
        };
        for (number, (tile, mut names)) in tiling.tiles().iter().zip(of_tile).enumerate() {
            let turned = names.len() / 2;
            names.rotate_left(if number % 2 == 0 { 0 } else { turned });
            let some: Vec<Obb> = names.iter().map(|&name| boxes[name as usize]).collect();
            let report: Report = checker.check(TileQuery::new(tile, &some)).expect("the tile is sound");
            let named = |pair: &Pair| Pair::new(names[pair.a as usize], names[pair.b as usize]);
            assert_eq!(report.colliding_pairs, report.pairs().expect("asked for").len() as u64);
            all.pairs.extend(report.pairs().expect("asked for").iter().map(named));
            all.touching_list
                .extend(report.touching().unwrap_or_default().iter().map(named));
            all.touching = all.touching.zip(report.touching_pairs).map(|(sum, more)| sum + more);
            all.near = all.near.zip(report.near_pairs).map(|(sum, more)| sum + more);
        }
        all.pairs.sort_unstable();
        all.touching_list.sort_unstable();
        all
    }
}

/// Compares tilings into several numbers of tiles with the whole scene.
fn agree(what: &str, config: &Config, boxes: &[Obb], tiles: &[usize]) -> usize {
    let mut checker = checker(config.clone());
    let expected = Found::whole(&mut checker, boxes);
    for &count in tiles {
        let tiling = Tiling::of_sample(boxes, count).expect("memory");
        let found = Found::in_tiles(&mut checker, boxes, &tiling, config.margin);
        assert!(
            found == expected,
            "{what}, {count} tiles: {} of {} pairs",
            found.pairs.len(),
            expected.pairs.len()
        );
    }
    expected.pairs.len()
}

#[test]
fn tiles_of_all_sizes_find_the_pairs_of_every_scene() {
    for scene in Scene::ALL {
        let boxes = scene.generate(3000, 5);
        let pairs = agree(
            scene.name(),
            &Config {
                list_touching: true,
                ..Config::default()
            },
            &boxes,
            &[1, 2, 3, 17, 300, 3000],
        );
        assert!(pairs > 700, "{scene}: {pairs} pairs show little");
    }
}

#[test]
fn boxes_on_borders_and_corners_of_tiles() {
    // A lattice of cubes that touch in faces, edges and corners, and planes of tiles through all of
    // these.
    let mut boxes = Vec::new();
    for (x, y, z) in (0..9).flat_map(|x| (0..9).flat_map(move |y| (0..9).map(move |z| (x, y, z)))) {
        let center = Vec3::new(x as f32, y as f32, z as f32);
        boxes.push(Obb::axis_aligned(center, Vec3::splat(0.5)));
    }
    // Boxes that extend over all of them.
    boxes.push(Obb::axis_aligned(Vec3::splat(4.0), Vec3::splat(100.0)));
    boxes.push(Obb::new(
        Vec3::splat(4.0),
        Vec3::new(50.0, 0.0, 0.0),
        Quat::from_rotation_z(0.7),
    ));
    let config = Config {
        list_touching: true,
        ..Config::default()
    };
    let pairs = agree("lattice", &config, &boxes, &[2, 8, 64, 729, 4000]);
    assert!(pairs > 8000, "{pairs}");

    // Planes exactly where bounds begin and end, and slightly beside.
    let mut checker = checker(config);
    let expected = Found::whole(&mut checker, &boxes).pairs;
    let bounds = boxes[300].bounds();
    for at in [
        bounds.min.x,
        bounds.max.x,
        bounds.min.x.next_up(),
        bounds.max.x.next_up(),
        bounds.max.x.next_down(),
    ] {
        let mut found = Vec::new();
        for tile in Tile::EVERYTHING.split(0, at).iter().flat_map(|tile| tile.split(2, at)) {
            let names: Vec<usize> = (0..boxes.len()).filter(|&k| tile.meets(&boxes[k].bounds())).collect();
            let some: Vec<Obb> = names.iter().map(|&name| boxes[name]).collect();
            let report = checker.check(TileQuery::new(&tile, &some)).expect("sound");
            found.extend(report.pairs().expect("asked for").iter().map(|pair| Pair {
                a: names[pair.a as usize] as u32,
                b: names[pair.b as usize] as u32,
            }));
        }
        found.sort_unstable();
        assert!(found == expected, "{at}: {} of {}", found.len(), expected.len());
    }
}

#[test]
fn margins_and_precisions() {
    for (scene, margin) in [(Scene::Mixed, 0.6), (Scene::Uniform, 2.5)] {
        let config = Config {
            margin,
            ..Config::default()
        };
        let boxes = scene.generate(2000, 8);
        let mut checker = checker(config.clone());
        let near = checker.check(&boxes).expect("sound").near_pairs.expect("exact");
        // Planes pass through the gaps of many of them.
        assert!(near > 30, "{scene}: {near} pairs that are only near show little");
        agree("margin", &config, &boxes, &[5, 90, 2000]);
    }
    for precision in [obbligato::Precision::Fast, obbligato::Precision::Conservative] {
        let boxes = Scene::Dense.generate(2000, 8);
        let mut checker = checker(Config {
            precision,
            ..Config::default()
        });
        let expected = checker.check(&boxes).expect("sound").into_pairs().expect("asked for");
        let tiling = Tiling::of_sample(&boxes, 12).expect("memory");
        let found = Found::in_tiles(&mut checker, &boxes, &tiling, 0.0);
        assert_eq!((found.touching, found.near), (None, None));
        assert!(found.pairs == expected, "{precision:?}");
    }
}

#[test]
fn random_planes_and_random_boxes() {
    let mut random = SplitMix(7);
    let mut number = |scale: f32| ((random.next() >> 40) as f32 / (1 << 23) as f32 - 1.0) * scale;
    for round in 0..20 {
        let boxes: Vec<Obb> = (0..300)
            .map(|k| {
                let center = Vec3::new(number(9.0), number(9.0), number(9.0));
                // Some are exactly on a coarse lattice, and some are large.
                let center = if k % 3 == 0 { center.round() } else { center };
                let size = if k % 40 == 0 { 12.0 } else { 1.0 };
                let half = Vec3::new(number(size), number(size), number(size)).abs();
                Obb::axis_aligned(center, if k % 3 == 0 { half.round() } else { half })
            })
            .collect();
        agree(&format!("round {round}"), &Config::default(), &boxes, &[2, 31, 1000]);
    }
}

#[test]
fn a_tile_needs_all_pairs() {
    let boxes = Scene::Uniform.generate(10, 1);
    for config in [
        Config {
            output: Output::Count,
            ..Config::default()
        },
        Config {
            max_pairs: Some(3),
            ..Config::default()
        },
    ] {
        let outcome = checker(config).check(TileQuery::new(&Tile::EVERYTHING, &boxes));
        assert!(matches!(outcome, Err(Error::Unavailable { .. })), "{outcome:?}");
    }
}

/// An invalid box is in no tile: it would be omitted from all of them silently.
#[test]
fn invalid_boxes_and_margins_are_errors() {
    let mut boxes = Scene::Dense.generate(100, 1);
    let tiling = Tiling::of_sample(&boxes, 4).expect("the scene is sound");
    for margin in [-1.0, f64::NAN, f64::INFINITY] {
        let problem = tiling.assign(&boxes, margin).expect_err("no distance");
        assert!(matches!(problem, Error::InvalidMargin { .. }), "{problem}");
    }
    boxes[42].center.y = f32::NAN;
    let problems = [
        tiling.assign(&boxes, 0.0).expect_err("no box"),
        Tiling::of_sample(&boxes, 4).expect_err("no box"),
    ];
    for problem in problems {
        assert!(
            matches!(
                problem,
                Error::InvalidBox {
                    index: 42,
                    count: 1,
                    ..
                }
            ),
            "{problem}"
        );
    }
}

#[test]
fn a_tiling_round_trips_and_invalid_ones_are_refused() {
    for tiles in [1, 2, 5, 64] {
        let tiling = Tiling::of_sample(&Scene::Clusters.generate(2000, 1), tiles).expect("the scene is sound");
        let text = serde_json::to_string(&tiling).expect("JSON");
        assert_eq!(serde_json::from_str::<Tiling>(&text).expect("a tiling"), tiling);
    }
    let plane = |axis: u32, at: &str, left: u32, right: u32| {
        format!(r#"{{"Plane":{{"axis":{axis},"at":{at},"left":{left},"right":{right}}}}}"#)
    };
    let tile = |number: u32| format!(r#"{{"Tile":{number}}}"#);
    let read = |nodes: &[String]| serde_json::from_str::<Tiling>(&format!(r#"{{"nodes":[{}]}}"#, nodes.join(",")));
    let three = [plane(0, "1.0", 1, 2), tile(0), plane(1, "2.0", 3, 4), tile(1), tile(2)];
    assert_eq!(read(&three).expect("a tiling").len(), 3);
    let replaced = |place: usize, node: String| {
        let mut nodes = three.to_vec();
        nodes[place] = node;
        nodes
    };
    let wrong = [
        ("nothing", vec![]),
        ("no such axis", replaced(0, plane(3, "1.0", 1, 2))),
        ("infinite", replaced(0, plane(0, "1e99", 1, 2))),
        ("a circle", replaced(2, plane(1, "2.0", 0, 4))),
        ("itself", replaced(2, plane(1, "2.0", 3, 2))),
        ("outside", replaced(2, plane(1, "2.0", 3, 5))),
        ("overlapping", replaced(0, plane(0, "1.0", 1, 3))),
        ("a tile twice", replaced(4, tile(1))),
        ("tiles in disorder", replaced(1, tile(1))),
        ("cut off", three[..4].to_vec()),
        ("too much", [three.to_vec(), vec![tile(3)]].concat()),
    ];
    for (what, nodes) in wrong {
        read(&nodes).expect_err(what);
    }
}
