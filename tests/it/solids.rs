//! Convex solids against linear programs in whole numbers, against boxes, and against another library.

use obbligato::glam::Vec3;
use obbligato::reference::solids_contact;
use obbligato::unstable::split_mix::SplitMix;
use obbligato::{Contact, Obb, Solid};

pub(crate) type Points = Vec<Vec3>;

/// Made-up points.
pub(crate) struct Maker(pub(crate) SplitMix);

impl Maker {
    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.0.next() % most
    }

    fn unit(&mut self) -> f32 {
        (2.0 * self.0.unit() - 1.0) as f32
    }

    pub(crate) fn many(&mut self, least: u64, most: u64, mut point: impl FnMut(&mut Self) -> Vec3) -> Points {
        let count = least + self.below(most + 1 - least);
        (0..count).map(|_| point(self)).collect()
    }

    pub(crate) fn whole(&mut self, largest: u64) -> Vec3 {
        Vec3::from([0; 3].map(|_| self.below(largest + 1) as f32))
    }

    /// In a ball.
    pub(crate) fn any(&mut self) -> Vec3 {
        loop {
            let point = Vec3::from([0; 3].map(|_| self.unit()));
            if point.length_squared() <= 1.0 {
                return point;
            }
        }
    }

    /// Few digits at any power of two, down to subnormal ones.
    fn wide(&mut self) -> Vec3 {
        Vec3::from([0; 3].map(|_| {
            let digits = self.below(7) as f32 - 3.0;
            let power = 58 - self.below(200) as i32;
            digits * 2f32.powi(power / 2) * 2f32.powi(power - power / 2)
        }))
    }

    /// Some of the points.
    fn some(&mut self, points: &[Vec3], most: u64) -> Points {
        let all = points.len() as u64;
        self.many(1, most, |random| points[random.below(all) as usize])
    }
}

/// A turn by the angle of a 3-4-5 triangle, five times as large: whole numbers stay whole.
pub(crate) fn turned(points: &[Vec3]) -> Points {
    let turn = |p: &Vec3| Vec3::new(3.0 * p.x - 4.0 * p.y, 4.0 * p.x + 3.0 * p.y, 5.0 * p.z);
    points
        .iter()
        .map(turn)
        .map(|p| Vec3::new(p.x, 3.0 * p.y - 4.0 * p.z, 4.0 * p.y + 3.0 * p.z))
        .collect()
}

pub(crate) fn moved(points: &[Vec3], by: Vec3) -> Points {
    points.iter().map(|&point| point + by).collect()
}

/// A kind of pairs.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pairs: u64,
    /// The least share of pairs that are apart, touch and overlap, in percent.
    shares: [usize; 3],
    pub(crate) make: fn(&mut Maker) -> [Points; 2],
}

pub(crate) const KINDS: [Kind; 10] = [
    Kind {
        name: "any",
        pairs: 4_000,
        shares: [30, 0, 30],
        make: |random| {
            let by = 1.4 * random.any();
            let second = random.many(1, 16, Maker::any);
            [random.many(4, 16, Maker::any), moved(&second, by)]
        },
    },
    Kind {
        name: "small whole numbers",
        pairs: 40_000,
        shares: [10, 10, 10],
        make: |random| {
            let largest = 1 + random.below(3);
            let by = random.below(2) as f32 * random.whole(2);
            let second = random.many(2, 8, |random| random.whole(largest));
            [random.many(2, 8, |random| random.whole(largest)), moved(&second, by)]
        },
    },
    Kind {
        name: "turned by 3-4-5",
        pairs: 30_000,
        shares: [10, 10, 10],
        make: |random| {
            let largest = 1 + random.below(3);
            let by = random.below(2) as f32 * random.whole(2);
            let second = random.many(2, 8, |random| random.whole(largest));
            let first = random.many(2, 8, |random| random.whole(largest));
            [turned(&first), turned(&moved(&second, by))]
        },
    },
    Kind {
        name: "in parallel planes",
        pairs: 20_000,
        shares: [20, 20, 0],
        make: |random| {
            let flat = |random: &mut Maker| {
                let p = random.whole(3);
                Vec3::new(p.x, p.y, p.x + 2.0 * p.y)
            };
            let by = Vec3::Z * random.below(2) as f32;
            let second = random.many(1, 5, flat);
            let first = random.many(1, 5, flat);
            [turned(&first), turned(&moved(&second, by))]
        },
    },
    Kind {
        name: "reflected at a corner",
        pairs: 3_000,
        shares: [0, 10, 0],
        make: |random| {
            let first = random.many(4, 12, |random| (1024.0 * random.any()).round());
            let at = 2.0 * first[0];
            let second = first.iter().map(|&point| at - point).collect();
            [first, second]
        },
    },
    Kind {
        name: "nearly touching",
        pairs: 3_000,
        shares: [10, 0, 10],
        make: |random| {
            let first = random.many(4, 10, |random| (1024.0 * random.any()).round());
            let at = 2.0 * first[0];
            let mut second: Points = first.iter().map(|&point| at - point).collect();
            let other = random.below(second.len() as u64) as usize;
            for k in [0, other] {
                let axis = random.below(3) as usize;
                let ulps = random.below(5) as i32 - 2;
                second[k][axis] = f32::from_bits(second[k][axis].to_bits().wrapping_add_signed(ulps));
            }
            [first, second]
        },
    },
    Kind {
        name: "with corners in common",
        pairs: 8_000,
        shares: [0, 20, 20],
        make: |random| {
            let first = random.many(4, 9, |random| random.whole(4));
            let mut second = random.some(&first, 3);
            let others = random.many(0, 4, |random| random.whole(4) + Vec3::new(3.0, 1.0, -1.0));
            second.extend(others);
            [first, second]
        },
    },
    Kind {
        name: "the same",
        pairs: 2_000,
        shares: [0, 10, 50],
        make: |random| {
            let first = random.many(1, 12, |random| random.whole(5));
            let mut second = first.clone();
            second.reverse();
            [first, second]
        },
    },
    Kind {
        name: "of any size",
        pairs: 1_500,
        shares: [10, 5, 2],
        make: |random| {
            let first = random.many(1, 7, Maker::wide);
            let mut second = random.many(1, 7, Maker::wide);
            if random.below(3) == 0 {
                second.push(first[0]);
            }
            [first, second]
        },
    },
    Kind {
        name: "points of a surface",
        pairs: 5_000,
        shares: [0, 50, 10],
        make: |random| {
            let first = random.many(3, 8, |random| 4.0 * random.whole(3));
            let some = random.some(&first, 4);
            // The mean of one, two or four of its points.
            let mean = some.iter().cycle().take(4).sum::<Vec3>() / 4.0;
            let mean = if some.len() == 3 { some[0] } else { mean };
            [first, vec![mean]]
        },
    },
];

/// Compares pairs of one kind with the reference, in both orders.
fn compare(kind: &Kind) {
    let mut counts = [0; 3];
    let mut random = Maker(SplitMix(kind.name.len() as u64));
    for case in 0..kind.pairs {
        let [a, b] = (kind.make)(&mut random);
        let expected = solids_contact(&a, &b);
        let [first, second] = [&a, &b].map(|points| Solid::from_points(points).expect("valid points"));
        assert_eq!(first.contact(&second), expected, "{}, {case}: {a:?} {b:?}", kind.name);
        assert_eq!(second.contact(&first), expected, "{}, {case}: {b:?} {a:?}", kind.name);
        if let [point] = b[..] {
            assert_eq!(
                first.contact_with_point(point),
                expected,
                "{}, {case}: {a:?} {point}",
                kind.name
            );
        }
        counts[expected as usize] += 1;
    }
    let shares = counts.map(|count| 100 * count / kind.pairs as usize);
    println!("{}: {counts:?}", kind.name);
    assert!(
        shares.iter().zip(kind.shares).all(|(&share, least)| share >= least),
        "{}: {counts:?}",
        kind.name
    );
}

#[test]
fn solids_agree_with_linear_programs() {
    std::thread::scope(|scope| {
        for kinds in KINDS.chunks(3) {
            scope.spawn(|| kinds.iter().for_each(compare));
        }
    });
}
