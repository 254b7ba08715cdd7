//! The scenes have their documented properties, and stay the same to the last bit.

use obbligato::glam::{Mat3, Quat};
use obbligato::{
    Obb,
    shape::{Aabb, OwnedBodies},
};
use obbligato_verify::scenes::{BodyScene, Scene};

/// The AABB of a box, good enough to count partners.
fn bounds(obb: &Obb) -> Aabb {
    let axes = Mat3::from_quat(obb.rotation);
    let extent = axes.x_axis.abs() * obb.half_extents.x
        + axes.y_axis.abs() * obb.half_extents.y
        + axes.z_axis.abs() * obb.half_extents.z;
    Aabb {
        min: obb.center - extent,
        max: obb.center + extent,
    }
}

/// The mean number of other boxes whose AABBs overlap that of a box, by a sweep along x.
fn mean_partners(boxes: &[Obb]) -> f64 {
    let mut bounds: Vec<Aabb> = boxes.iter().map(bounds).collect();
    bounds.sort_by(|a, b| a.min.x.total_cmp(&b.min.x));
    let partners = |i: usize| {
        let reached = bounds[i + 1..]
            .iter()
            .take_while(|other| other.min.x <= bounds[i].max.x);
        reached.filter(|other| bounds[i].overlaps(other)).count()
    };
    2.0 * (0..bounds.len()).map(partners).sum::<usize>() as f64 / boxes.len() as f64
}

/// FNV-1a over the bytes of the records.
fn checksum(boxes: &[Obb]) -> u64 {
    let words = boxes.iter().flat_map(|obb| {
        let numbers = [
            obb.rotation.to_array().as_slice(),
            &obb.center.to_array(),
            &obb.half_extents.to_array(),
        ]
        .concat();
        numbers
            .into_iter()
            .map(f32::to_bits)
            .chain([obb.memberships, obb.filter])
    });
    let bytes = words.flat_map(u32::to_le_bytes);
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3)
    })
}

/// Every scene, its documented partners at 20,000 boxes, and the checksum of 1,000 boxes with seed
/// 1.
const EXPECTED: [(Scene, f64, u64); 11] = [
    (Scene::Uniform, 1.95, 0x84E0_EE57_6602_50B9),
    (Scene::Dense, 18.62, 0xF6BF_129B_73A9_E384),
    (Scene::Mixed, 4.74, 0xA605_41CA_0EE9_9465),
    (Scene::Giants, 2.03, 0x6C2C_2CD0_7DBD_67FB),
    (Scene::Crowd, 4.21, 0x1054_426D_AC82_0219),
    (Scene::Bricks, 18.59, 0xB4ED_745D_3594_1212),
    (Scene::Clusters, 9.17, 0x1EDC_1614_FED2_332D),
    (Scene::Sticks, 4.90, 0x9E61_D82B_9F8A_C2C2),
    (Scene::Particles, 5.68, 0x8D46_220C_7A2E_8741),
    (Scene::Far, 1.97, 0x32F4_5682_4727_08B0),
    (Scene::Coincident, 52.11, 0x60BC_1CAE_425B_1719),
];

#[test]
fn bytes_never_change() {
    for (scene, _, expected) in EXPECTED {
        let found = checksum(&scene.generate(1000, 1));
        assert_eq!(found, expected, "{scene}: {found:#018X}");
    }
}

#[test]
fn partners_are_as_documented() {
    for (scene, documented, _) in EXPECTED {
        let found = mean_partners(&scene.generate(20_000, 1));
        assert!((found / documented - 1.0).abs() < 0.2, "{scene}: {found:.2}");
    }
}

#[test]
fn partners_do_not_depend_on_the_count() {
    for scene in Scene::ALL.into_iter().filter(|&scene| scene != Scene::Coincident) {
        let [few, many] = [20_000, 60_000].map(|count| mean_partners(&scene.generate(count, 2)));
        assert!((many / few - 1.0).abs() < 0.1, "{scene}: {few:.2} {many:.2}");
    }
}

#[test]
fn every_count_gives_that_many_valid_boxes() {
    for scene in Scene::ALL {
        for count in [0, 1, 2, 7, 8, 9, 27, 999, 1000, 1001, 12_345] {
            let boxes = scene.generate(count, 5);
            assert_eq!(boxes.len(), count, "{scene}");
            for obb in &boxes {
                assert_eq!(obb.problem(), None, "{scene} {obb:?}");
                assert!((obb.rotation.length() - 1.0).abs() < 2e-7, "{scene} {obb:?}");
                assert!(obb.half_extents.min_element() > 0.0, "{scene} {obb:?}");
            }
        }
    }
}

#[test]
fn seeds_make_different_scenes() {
    for scene in Scene::ALL {
        assert_ne!(
            checksum(&scene.generate(100, 1)),
            checksum(&scene.generate(100, 2)),
            "{scene}"
        );
    }
}

#[test]
fn order_is_random_in_space() {
    for scene in Scene::ALL.into_iter().filter(|&scene| scene != Scene::Coincident) {
        let boxes = scene.generate(20_000, 1);
        let steps = |step: usize| {
            let distances = (0..10_000).map(|i| f64::from(boxes[i].center.distance(boxes[i + step].center)));
            distances.sum::<f64>() / 10_000.0
        };
        let (near, far) = (steps(1), steps(9_973));
        assert!(
            (near / far - 1.0).abs() < 0.05,
            "{scene}: neighbours in the list {near:.2}, others {far:.2}"
        );
    }
}

#[test]
fn names_round_trip() {
    for scene in Scene::ALL {
        assert_eq!(scene.name().parse(), Ok(scene));
        assert_eq!(format!("{scene:>12}").trim_start(), scene.name());
        assert!(!scene.describe().is_empty());
    }
    let error = "cubes".parse::<Scene>().unwrap_err();
    assert!(
        error.contains("cubes") && error.contains("uniform, dense") && error.contains("coincident"),
        "{error}"
    );
}

#[test]
fn far_is_the_uniform_scene_shifted() {
    let uniform = Scene::Uniform.generate(500, 3);
    for (near, far) in uniform.iter().zip(Scene::Far.generate(500, 3)) {
        let mut moved = *near;
        moved.center.x += 1e6;
        assert_eq!(moved, far);
    }
}

#[test]
fn coincident_boxes_share_one_center() {
    for (count, expected) in [(10, 10), (1000, 1000), (5000, 1000)] {
        let boxes = Scene::Coincident.generate(count, 1);
        let stacked: Vec<&Obb> = boxes
            .iter()
            .filter(|obb| obb.center == obbligato::glam::Vec3::ZERO)
            .collect();
        assert_eq!(stacked.len(), expected);
        assert!(stacked.windows(2).all(|two| two[0].rotation != two[1].rotation));
    }
}

#[test]
fn giants_span_a_tenth_of_the_world() {
    let boxes = Scene::Giants.generate(20_000, 1);
    let reach = boxes
        .iter()
        .map(|obb| obb.center.abs().max_element())
        .fold(0.0, f32::max);
    let giants: Vec<f32> = boxes
        .iter()
        .map(|obb| obb.half_extents.x)
        .filter(|&half| half > 1.0)
        .collect();
    assert_eq!(giants.len(), 8);
    assert!(
        giants.iter().all(|half| (half / (reach / 10.0) - 1.0).abs() < 0.01),
        "{giants:?} {reach}"
    );
}

#[test]
fn shapes_are_as_documented() {
    let crowd = Scene::Crowd.generate(5000, 1);
    assert!(
        crowd
            .iter()
            .all(|person| person.center.z == 0.9 && person.half_extents.to_array() == [0.3, 0.3, 0.9])
    );
    assert!(
        crowd
            .iter()
            .all(|person| person.rotation.x == 0.0 && person.rotation.y == 0.0)
    );
    let mixed = Scene::Mixed.generate(5000, 1);
    let halves = || mixed.iter().flat_map(|obb| obb.half_extents.to_array());
    let (least, most) = (halves().fold(f32::MAX, f32::min), halves().fold(0.0, f32::max));
    assert!(
        (0.01..0.012).contains(&least) && (9.0..=10.0).contains(&most),
        "{least} {most}"
    );
}

/// The cubes of a grid over the world that contain nine boxes in ten are about a hundredth of it.
#[test]
fn clusters_fill_a_hundredth() {
    let boxes = Scene::Clusters.generate(100_000, 1);
    let reach = boxes
        .iter()
        .map(|obb| obb.center.abs().max_element())
        .fold(0.0, f32::max);
    let mut cells = vec![0u32; 40 * 40 * 40];
    for obb in &boxes {
        let [x, y, z] = ((obb.center / reach + 1.0) * 20.0)
            .to_array()
            .map(|x| (x as usize).min(39));
        cells[x + 40 * (y + 40 * z)] += 1;
    }
    cells.sort_unstable_by(|a, b| b.cmp(a));
    let densest: u32 = cells[..cells.len() / 50].iter().sum();
    assert!((85_000..95_000).contains(&densest), "{densest}");
}

#[test]
fn bricks_touch_and_never_overlap() {
    let boxes = Scene::Bricks.generate(500, 1);
    assert!(boxes.iter().all(|brick| brick.rotation == Quat::IDENTITY));
    let gap = |a: &Obb, b: &Obb| ((a.center - b.center).abs() - (a.half_extents + b.half_extents)).max_element();
    let gaps = |a: usize| boxes[a + 1..].iter().map(move |b| (a, b));
    let mut touching = 0;
    for (a, b) in (0..boxes.len()).flat_map(gaps) {
        assert!(gap(&boxes[a], b) >= 0.0);
        touching += u32::from(gap(&boxes[a], b) == 0.0);
    }
    assert!(touching > 7 * 500, "{touching}");
}

/// FNV-1a over the numbers of capsules and spheres.
fn round_checksum(bodies: &OwnedBodies) -> u64 {
    let capsules = bodies.capsules.iter().flat_map(|capsule| {
        let lengths = [capsule.half_length, capsule.radius];
        [
            capsule.rotation.to_array().as_slice(),
            &capsule.center.to_array(),
            &lengths,
        ]
        .concat()
    });
    let spheres = bodies
        .spheres
        .iter()
        .flat_map(|ball| [ball.center.to_array().as_slice(), &[ball.radius]].concat());
    let bytes = capsules
        .chain(spheres)
        .flat_map(|number| number.to_bits().to_le_bytes());
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3)
    })
}

#[test]
fn scenes_of_other_kinds_have_valid_bodies_and_never_change() {
    let expected = [
        (BodyScene::Spheres, [0, 0, 1000], 0xC338_7A57_90CC_74C4),
        (BodyScene::Lattice, [0, 0, 1000], 0xB3F6_1CC4_251A_0FC5),
        (BodyScene::Capsules, [0, 1000, 0], 0xFFDE_730D_0509_EDB0),
        (BodyScene::MixedKinds, [334, 333, 333], 0xF7A2_67E7_FDB2_7A81),
    ];
    let all: Vec<BodyScene> = expected.map(|(scene, ..)| scene).to_vec();
    assert_eq!(BodyScene::OTHERS.to_vec(), all);
    for (scene, counts, expected) in expected {
        let owned = scene.bodies(1000, 1);
        assert_eq!(
            [owned.boxes.len(), owned.capsules.len(), owned.spheres.len()],
            counts,
            "{scene}"
        );
        let found = round_checksum(&owned);
        assert_eq!(found, expected, "{scene}: {found:#018X}");
        assert_ne!(scene.bodies(1000, 2), owned, "{scene}");
        for count in [0, 1, 2, 5, 1001] {
            let owned = scene.bodies(count, 3);
            assert_eq!(owned.all().len(), count, "{scene}");
            assert!(owned.boxes.iter().all(|obb| obb.problem().is_none()), "{scene}");
            assert!(
                owned.capsules.iter().all(|capsule| capsule.problem().is_none()),
                "{scene}"
            );
            assert!(owned.spheres.iter().all(|ball| ball.problem().is_none()), "{scene}");
        }
        assert_eq!(scene.name().parse(), Ok(scene));
    }
    assert_eq!("dense".parse(), Ok(BodyScene::Boxes(Scene::Dense)));
    assert!(
        "cubes"
            .parse::<BodyScene>()
            .unwrap_err()
            .contains("coincident, spheres")
    );
}
