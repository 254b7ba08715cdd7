//! Overlaps of boxes: against whole numbers, against one another, in lists, in the plane, in space
//! that repeats, and the errors.

mod lists;
mod oracle;

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::{Obb, Obb64, contact::Contact};
use obbligato_support::split_mix::SplitMix;

use crate::overlap::oracle::volumes;

/// The number of pairs of each kind.
const PAIRS: usize = 300;

/// The kinds of pairs.
pub const KINDS: [Kind; 13] = [
    Kind::General,
    Kind::Grid,
    Kind::Turned,
    Kind::Shared,
    Kind::Equal,
    Kind::Contained,
    Kind::Slivers,
    Kind::Far,
    Kind::Far64,
    Kind::Upright,
    Kind::NearlyAligned,
    Kind::Rods,
    Kind::Extreme,
];

/// A kind of pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Any rotations.
    General,
    /// Whole numbers without rotation: faces, edges and corners coincide.
    Grid,
    /// Whole numbers with rotations of few digits.
    Turned,
    /// Equal cubes in one rotated grid: they share a face, an edge, a corner or all.
    Shared,
    /// One solid, given in two ways.
    Equal,
    /// One in the other, or flush with it.
    Contained,
    /// Extents from 1e-6 to 1.
    Slivers,
    /// Far from the origin in `f32`.
    Far,
    /// Far from the origin in `f64`.
    Far64,
    /// Rotated about one of the world's axes.
    Upright,
    /// Rotations that differ by 1e-8 to 0.01.
    NearlyAligned,
    /// Twenty times as long as wide.
    Rods,
    /// Extents from 1e-30 to 1e10.
    Extreme,
}

/// Random numbers.
pub struct Random(SplitMix);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(SplitMix(seed))
    }

    fn below(&mut self, count: u64) -> u64 {
        self.0.next() % count
    }

    /// Returns a number in [-1, 1).
    pub fn signed(&mut self) -> f32 {
        (self.0.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }

    fn turn(&mut self) -> Quat {
        loop {
            let turn = Quat::from_xyzw(self.signed(), self.signed(), self.signed(), self.signed());
            if (0.1..1.0).contains(&turn.length()) {
                return turn.normalize();
            }
        }
    }

    /// Returns a number whose logarithm is even.
    fn log(&mut self, low: f32, high: f32) -> f32 {
        let share = 0.5 * (1.0 + self.signed());
        (low.ln() + (high.ln() - low.ln()) * share).exp()
    }

    fn logs(&mut self, low: f32, high: f32) -> Vec3 {
        Vec3::new(self.log(low, high), self.log(low, high), self.log(low, high))
    }

    fn half(&mut self) -> Vec3 {
        Vec3::splat(0.75) + 0.25 * self.vector()
    }

    /// Returns whole numbers up to `most`.
    fn whole(&mut self, most: u64) -> Vec3 {
        let mut number = || (self.0.next() % (2 * most + 1)) as f32 - most as f32;
        Vec3::new(number(), number(), number())
    }

    /// Returns a rotation of few digits, of either sign.
    fn short_turn(&mut self) -> Quat {
        const H: f32 = std::f32::consts::FRAC_1_SQRT_2;
        let turns = [
            [0.0, 0.0, 0.0, 1.0],
            [0.0, 0.0, H, H],
            [H, 0.0, 0.0, H],
            [0.5, 0.5, 0.5, 0.5],
            [0.0, 0.625, 0.0, 0.78125],
            [0.0, 0.0, 0.625, 0.78125],
            [0.375, 0.5, 0.625, 0.46875],
        ];
        let turn = Quat::from_array(turns[self.below(turns.len() as u64) as usize]);
        let turn = if (turn.length() - 1.0).abs() > 5e-4 {
            turn.normalize()
        } else {
            turn
        };
        if self.below(2) == 0 { turn } else { -turn }
    }
}

impl Kind {
    pub fn pair(self, random: &mut Random) -> [Obb64; 2] {
        let solid = |center: Vec3, half: Vec3, turn: Quat| Obb64::new(center.as_dvec3(), half, turn);
        let whole_half = |random: &mut Random| (random.whole(1) + Vec3::splat(2.0)) * 0.5;
        let mut each = |of: &dyn Fn(&mut Random) -> Obb64| [of(random), of(random)];
        match self {
            Self::General => each(&|r| solid(r.vector(), r.half(), r.turn())),
            Self::Grid => each(&|r| solid(r.whole(2) * 0.5, whole_half(r), Quat::IDENTITY)),
            Self::Turned => each(&|r| solid(r.whole(2) * 0.5, whole_half(r), r.short_turn())),
            Self::Slivers => each(&|r| solid(r.vector() * 0.1, r.logs(1e-6, 1.0), r.turn())),
            Self::Rods => each(&|r| solid(r.vector() * 0.1, Vec3::new(0.05, 0.05, 1.0), r.turn())),
            Self::Extreme => each(&|r| solid(r.vector() * r.log(1e-30, 1e10), r.logs(1e-30, 1e10), r.turn())),
            Self::Upright => {
                let axis = [Vec3::X, Vec3::Y, Vec3::Z][random.below(3) as usize];
                [(); 2].map(|()| {
                    let turn = Quat::from_axis_angle(axis, 3.0 * random.signed());
                    solid(random.vector(), random.half(), turn)
                })
            }
            Self::Far => {
                let place = random.vector() * 1e6;
                [(); 2].map(|()| solid(place + random.vector(), random.half(), random.turn()))
            }
            Self::Far64 => {
                let place = random.vector().as_dvec3() * 1e7 + random.vector().as_dvec3() * 1e-3;
                [(); 2].map(|()| Obb64::new(place + random.vector().as_dvec3(), random.half(), random.turn()))
            }
            Self::Shared => {
                let turn = random.short_turn();
                let apart = turn.as_dquat().normalize() * (random.whole(1).as_dvec3() * 2.0);
                [DVec3::ZERO, apart].map(|center| Obb64::new(center, Vec3::ONE, turn))
            }
            Self::Equal | Self::Contained | Self::NearlyAligned => self.alike(random),
        }
    }

    /// Returns a pair of which the second is made from the first.
    fn alike(self, random: &mut Random) -> [Obb64; 2] {
        const H: f32 = std::f32::consts::FRAC_1_SQRT_2;
        let first = Obb64::new(random.vector().as_dvec3(), random.half(), random.turn());
        let half = first.half_extents;
        let second = match (self, random.below(3)) {
            (Self::Equal, 0) => first,
            (Self::Equal, 1) => Obb64::new(first.center, half, -first.rotation),
            (Self::Equal, _) => {
                let upright = Obb64::new(first.center, half, Quat::IDENTITY);
                let quarter = Quat::from_xyzw(0.0, 0.0, H, H);
                return [
                    upright,
                    Obb64::new(first.center, Vec3::new(half.y, half.x, half.z), quarter),
                ];
            }
            (Self::Contained, 0) => Obb64::new(first.center, half * 0.25, random.turn()),
            (Self::Contained, 1) => Obb64::new(first.center, half * Vec3::new(1.0, 0.5, 1.0), first.rotation),
            (Self::Contained, _) => {
                let moved = first.center + first.rotation.as_dquat() * DVec3::new(0.25 * f64::from(half.x), 0.0, 0.0);
                Obb64::new(moved, half * 0.5, first.rotation)
            }
            _ => {
                let angle = random.log(1e-8, 1e-2);
                let turn = Quat::from_scaled_axis(random.vector() * angle);
                let center = first.center + random.vector().as_dvec3() * f64::from(random.log(1e-8, 1.0));
                Obb64::new(center, half, (first.rotation * turn).normalize())
            }
        };
        [first, second]
    }
}

/// Asserts all that is promised about the overlap of a pair, and returns the error.
fn expect(kind: Kind, [a, b]: [&Obb64; 2]) -> f64 {
    let (found, back) = (a.overlap(b), b.overlap(a));
    let truth = volumes([a, b], [0.0; 3]);
    let context = || format!("{kind:?}: {found:?}, part {:e}, of\n{a:?}\n{b:?}", truth.part());
    let bits = [found, back].map(|overlap| [overlap.volume.to_bits(), overlap.iou.to_bits()]);
    assert_eq!(bits[0], bits[1], "swapped: {}", context());
    let error = truth.error(found.volume);
    assert!(error.abs() <= 1e-9, "off by {error}: {}", context());
    assert!((0.0..=1.0).contains(&found.iou), "{}", context());
    assert!((found.iou - truth.iou()).abs() <= 2e-9, "{}", context());
    let overlap = a.contact(b) == Contact::Overlapping;
    assert_eq!(overlap, truth.overlap(), "{}", context());
    assert_eq!(overlap, found.volume > 0.0 && found.iou > 0.0, "{}", context());
    if truth.part() == 1.0 {
        let sizes = [a, b].map(|obb| 8.0 * obb.half_extents.as_dvec3().element_product());
        assert_eq!(found.volume, sizes[0].min(sizes[1]), "{}", context());
    }
    if truth.iou() == 1.0 {
        assert_eq!(found.iou, 1.0, "{}", context());
    }
    error.abs()
}

#[test]
fn a6_overlaps_match_whole_numbers() {
    for kind in KINDS {
        let mut random = Random::new(kind as u64);
        let pairs = (0..PAIRS).map(|_| kind.pair(&mut random));
        let worst = pairs.map(|[a, b]| expect(kind, [&a, &b])).fold(0.0, f64::max);
        // The bound has room: what is promised is far from what is found.
        assert!(worst < 1e-11, "{kind:?}: {worst:e}");
    }
}

/// Each kind shows what it is for.
#[test]
fn kinds_touch_contain_and_are_equal() {
    let count = |kind: Kind, what: &dyn Fn(&[Obb64; 2]) -> bool| {
        let mut random = Random::new(kind as u64);
        (0..PAIRS).filter(|_| what(&kind.pair(&mut random))).count()
    };
    let touch = |pair: &[Obb64; 2]| pair[0].contact(&pair[1]) == Contact::Touching;
    let is_whole = |pair: &[Obb64; 2]| volumes(pair.each_ref(), [0.0; 3]).part() == 1.0;
    assert!(count(Kind::Grid, &touch) > PAIRS / 8);
    assert!(count(Kind::Turned, &touch) > PAIRS / 100);
    assert!(count(Kind::Shared, &touch) > PAIRS / 20);
    assert!(count(Kind::Equal, &is_whole) == PAIRS);
    assert!(count(Kind::Contained, &is_whole) > PAIRS / 2);
}

#[test]
fn boxes_without_volume_have_no_overlap() {
    let cube = Obb::new(Vec3::ZERO, Vec3::ONE, Quat::from_rotation_x(0.3));
    for half in [Vec3::new(1.0, 0.0, 1.0), Vec3::X, Vec3::ZERO] {
        let flat = Obb::new(Vec3::ZERO, half, Quat::from_rotation_y(0.7));
        for (a, b) in [(flat, cube), (cube, flat), (flat, flat)] {
            assert_eq!(a.overlap(&b), Default::default());
        }
    }
    // The smallest numbers that there are.
    let tiny = Obb::axis_aligned(Vec3::ZERO, Vec3::splat(f32::from_bits(1)));
    assert_eq!(tiny.overlap(&cube).volume, 8.0 * f64::from(f32::from_bits(1)).powi(3));
    assert_eq!(tiny.overlap(&tiny).iou, 1.0);
}

/// A box that a point of it moves along a face: the volume is a product of lengths.
#[test]
fn overlaps_of_known_size() {
    let turn = Quat::from_xyzw(0.0, 0.0, 0.625, 0.78125);
    let cube = Obb::axis_aligned(Vec3::ZERO, Vec3::ONE);
    // An octahedron would need another shape; a cube on its corner shares a hexagonal prism.
    let plate = Obb::new(Vec3::ZERO, Vec3::new(9.0, 9.0, 0.25), turn);
    assert_eq!(cube.overlap(&plate).volume, 2.0);
    let deep = Obb::axis_aligned(Vec3::new(0.5, 0.25, 0.0), Vec3::ONE);
    assert_eq!(cube.overlap(&deep).volume, 1.5 * 1.75 * 2.0);
    assert_eq!(cube.overlap(&deep).iou, 5.25 / 10.75);
}

#[test]
fn numbers_that_are_none_do_not_panic() {
    let cube = Obb::axis_aligned(Vec3::ZERO, Vec3::ONE);
    for number in [f32::NAN, f32::INFINITY, -1.0, 0.0] {
        let odd = [
            Obb::axis_aligned(Vec3::splat(number), Vec3::ONE),
            Obb::axis_aligned(Vec3::ZERO, Vec3::new(1.0, number, 1.0)),
            Obb::new(Vec3::ZERO, Vec3::ONE, Quat::from_xyzw(number, 0.5, 0.5, number)),
        ];
        for obb in odd {
            let _ = [cube.overlap(&obb), obb.overlap(&cube), obb.overlap(&obb)];
        }
    }
}
