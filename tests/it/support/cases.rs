//! Scenes at the limits of the grid, the bounds and the numbers.

use obbligato::glam::{Quat, Vec3};
use obbligato::{Obb, shape::COORDINATE_LIMIT};
use obbligato_verify::scenes::Scene;

/// A scene with its name.
pub type Case = (String, Vec<Obb>);

/// Deterministic pseudorandom numbers.
pub struct Numbers(u64);

impl Numbers {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number in 0..1 (Steele, Lea and Flood's SplitMix64, 2014).
    pub fn part(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ z >> 31) >> 40) as f32 / (1u32 << 24) as f32
    }

    /// A point in the cube of coordinates -1..1.
    pub fn point(&mut self) -> Vec3 {
        Vec3::new(self.part(), self.part(), self.part()) * 2.0 - 1.0
    }

    /// A random rotation.
    pub fn rotation(&mut self) -> Quat {
        Quat::from_scaled_axis(self.point() * 3.0)
    }
}

/// `count` boxes with centers `center` and half extents `half_extents` times 0.5 to 1, with random
/// rotations.
fn boxes(count: usize, center: impl Fn(usize, &mut Numbers) -> Vec3, half_extents: impl Fn(usize) -> Vec3) -> Vec<Obb> {
    let mut numbers = Numbers::new(count as u64);
    (0..count)
        .map(|i| {
            let size = 0.5 + 0.5 * numbers.part();
            Obb::new(center(i, &mut numbers), half_extents(i) * size, numbers.rotation())
        })
        .collect()
}

/// Scenes of no box, one box or many, around the sizes of workgroups and blocks.
pub fn counts() -> Vec<Case> {
    [0, 1, 2, 63, 64, 65, 255, 256, 257, 1000, 4097, 20_000]
        .into_iter()
        .map(|count| (format!("{count} boxes"), Scene::Dense.generate(count, count as u64)))
        .collect()
}

/// Every named scene.
pub fn scenes(count: usize) -> Vec<Case> {
    Scene::ALL
        .into_iter()
        .map(|scene| (format!("{count} boxes of {scene}"), scene.generate(count, 5)))
        .collect()
}

/// Small degenerate scenes.
pub fn edges() -> Vec<Case> {
    let mut cases = of_many_sizes();
    cases.extend(at_the_limits_of_numbers());
    cases.extend(without_volume_or_touching());
    cases.push(("corners that just meet", corners()));
    cases.extend(long());
    cases
        .into_iter()
        .map(|(name, boxes)| (name.to_owned(), boxes))
        .collect()
}

/// Half extents of 1.
fn one(_: usize) -> Vec3 {
    Vec3::ONE
}

/// Centers in a cube of this size around the origin.
fn spread(scale: f32) -> impl Fn(usize, &mut Numbers) -> Vec3 {
    move |_, numbers| numbers.point() * scale
}

/// Scenes of equal boxes and of boxes of many sizes.
fn of_many_sizes() -> Vec<(&'static str, Vec<Obb>)> {
    let octave = |i: usize| 2f32.powi((i % 40) as i32 - 20);
    let mut giant = boxes(2000, spread(20.0), one);
    giant.push(Obb::new(
        Vec3::ZERO,
        Vec3::new(15.0, 25.0, 10.0),
        Quat::from_rotation_z(0.3),
    ));
    vec![
        (
            "identical boxes",
            vec![Obb::new(Vec3::ONE, Vec3::ONE, Quat::from_rotation_x(1.0)); 300],
        ),
        ("one giant over many", giant),
        (
            "sizes over a factor of 10^7",
            boxes(1500, spread(30.0), |i| {
                Vec3::splat(10f32.powf((i % 80) as f32 / 10.0 - 7.0))
            }),
        ),
        (
            "40 octaves of size",
            boxes(
                1000,
                move |i, numbers| numbers.point() * (4.0 * octave(i)),
                move |i| Vec3::splat(octave(i)),
            ),
        ),
    ]
}

/// Scenes far from the origin, and of very large and very small numbers.
fn at_the_limits_of_numbers() -> Vec<(&'static str, Vec<Obb>)> {
    let around = |offset: Vec3, scale: f32| move |_: usize, numbers: &mut Numbers| offset + numbers.point() * scale;
    let huge = COORDINATE_LIMIT;
    vec![
        (
            "1e6 from the origin",
            boxes(1000, around(Vec3::new(1e6, -1e6, 1e6), 8.0), one),
        ),
        (
            "1e15 from the origin",
            boxes(1000, around(Vec3::new(1e15, 1e15, -1e15), 2e9), |_| Vec3::splat(1e8)),
        ),
        ("near the limit of coordinates", {
            let mut all = boxes(200, spread(huge), |i| Vec3::splat(huge / 2f32.powi(i as i32 % 30)));
            let corner = |sign: Vec3| Obb::axis_aligned(sign * huge, Vec3::splat(huge));
            all.extend([Vec3::ONE, -Vec3::ONE, Vec3::new(1.0, -1.0, 1.0)].map(corner));
            all
        }),
        (
            "subnormal sizes and coordinates",
            boxes(150, spread(2e-39), |_| Vec3::splat(5e-40)),
        ),
        (
            "subnormal sizes at the origin, others around it",
            boxes(
                300,
                |i, numbers| numbers.point() * if i % 2 == 0 { 1e-39 } else { 3.0 },
                |i| Vec3::splat(if i % 2 == 0 { 1e-40 } else { 1.0 }),
            ),
        ),
    ]
}

/// Scenes of boxes without volume, with groups, or in contact.
fn without_volume_or_touching() -> Vec<(&'static str, Vec<Obb>)> {
    vec![
        ("points, rods and plates", {
            let keep = |i: usize, bit: usize| if i >> bit & 1 == 0 { 1.0 } else { 0.0 };
            let mut all = boxes(1000, spread(4.0), |i| Vec3::new(keep(i, 0), keep(i, 1), keep(i, 2)));
            // Coincident points, which touch, and a world without extent.
            all.extend(vec![Obb::axis_aligned(Vec3::ZERO, Vec3::ZERO); 10]);
            all
        }),
        (
            "points at one place",
            vec![Obb::axis_aligned(Vec3::splat(7.0), Vec3::ZERO); 100],
        ),
        ("groups", {
            let mut all = boxes(2000, spread(8.0), one);
            for (i, solid) in all.iter_mut().enumerate() {
                *solid = solid.with_groups(1 << (i % 32), !(3 << (i * 7 % 31)) & (0x5555_5555 << (i % 2)));
            }
            all
        }),
        ("touching cubes", {
            let at = |i: u32| Vec3::new((i % 10) as f32, (i / 10 % 10) as f32, (i / 100) as f32) * 2.0;
            (0..1000).map(|i| Obb::axis_aligned(at(i), Vec3::ONE)).collect()
        }),
    ]
}

/// Boxes around the origin, and for each a copy shifted until their corners meet, up to rounding:
/// bounds that are not widened miss some of these pairs.
fn corners() -> Vec<Obb> {
    boxes(300, |_, _| Vec3::ZERO, |_| Vec3::ONE)
        .into_iter()
        .flat_map(|solid| {
            let corner = solid.rotation.as_dquat() * solid.half_extents.as_dvec3();
            let center = (2.0 * corner).as_vec3();
            [solid, Obb { center, ..solid }]
        })
        .collect()
}

/// Scenes that are far longer than wide, as a grid sees them.
fn long() -> Vec<(&'static str, Vec<Obb>)> {
    let one = |_: usize| Vec3::ONE;
    vec![
        ("a line", boxes(5000, |i, _| Vec3::X * i as f32, one)),
        (
            "a plane",
            boxes(5000, |_, numbers| (numbers.point() * 80.0).with_z(3.0), one),
        ),
        (
            "a diagonal line through a huge world",
            boxes(20_000, |i, _| Vec3::new(1.0, 1.0, -1.0) * (i as f32 * 0.9), one),
        ),
        (
            "two lumps far apart",
            boxes(
                2000,
                |i, numbers| numbers.point() * 6.0 + Vec3::splat(if i % 2 == 0 { 0.0 } else { 1e7 }),
                one,
            ),
        ),
    ]
}
