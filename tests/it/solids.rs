//! Convex solids against linear programs in integer arithmetic, against boxes, and against another
//! library.

mod of_checkers;

use obbligato::glam::{Quat, Vec3};
use obbligato::{Obb, contact::Contact, shape::Solid};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference::solids_contact;

pub(crate) type Points = Vec<Vec3>;

/// A generator of random points.
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

    /// A point inside the unit sphere.
    pub(crate) fn any(&mut self) -> Vec3 {
        loop {
            let point = Vec3::from([0; 3].map(|_| self.unit()));
            if point.length_squared() <= 1.0 {
                return point;
            }
        }
    }

    /// A point with few digits at any power of two, down to subnormal ones.
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

/// A rotation by the angle of a 3-4-5 triangle, enlarged five times: integers stay integers.
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
    /// The minimum share of pairs that are apart, touch and overlap, in percent.
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
fn s2_solids_agree_with_linear_programs() {
    std::thread::scope(|scope| {
        for kinds in KINDS.chunks(3) {
            scope.spawn(|| kinds.iter().for_each(compare));
        }
    });
}

fn solid(points: &[Vec3]) -> Solid {
    Solid::from_points(points).expect("valid points")
}

/// The corners of an axis-aligned box; the bits of the index are the coordinates.
fn corners(center: Vec3, half: Vec3) -> Points {
    let sign = |k: u32, axis: u32| if k >> axis & 1 == 0 { -1.0 } else { 1.0 };
    let corner = |k: u32| center + half * Vec3::new(sign(k, 0), sign(k, 1), sign(k, 2));
    (0..8).map(corner).collect()
}

/// A box, rotated by the angle of a 3-4-5 triangle about z or x, or not at all, and its corners,
/// which are integers: half extents are multiples of 5.
fn turned_box(random: &mut Maker) -> (Obb, Points) {
    let (center, half) = (random.whole(24), 5.0 * random.whole(2));
    // Its length is 1 up to rounding, which does not affect the rotation: w is twice the other
    // component.
    let sine = 0.2f32.sqrt();
    let turn = |x: f32, y: f32| [(3.0 * x - 4.0 * y) / 5.0, (4.0 * x + 3.0 * y) / 5.0];
    let kind = random.below(3);
    let rotation = match kind {
        0 => Quat::IDENTITY,
        1 => Quat::from_xyzw(0.0, 0.0, sine, 2.0 * sine),
        _ => Quat::from_xyzw(sine, 0.0, 0.0, 2.0 * sine),
    };
    let corner = |p: Vec3| {
        let ([x, y], [v, w]) = (turn(p.x, p.y), turn(p.y, p.z));
        center
            + match kind {
                0 => p,
                1 => Vec3::new(x, y, p.z),
                _ => Vec3::new(p.x, v, w),
            }
    };
    let corners = corners(Vec3::ZERO, half).into_iter().map(corner).collect();
    (Obb::new(center, half, rotation), corners)
}

#[test]
fn boxes_given_as_points_are_boxes() {
    let mut random = Maker(SplitMix(7));
    let (mut counts, mut points) = ([0; 3], [0; 3]);
    for _ in 0..6_000 {
        let [(a, corners), (b, others)] = [0; 2].map(|_| turned_box(&mut random));
        let [as_points, other_points] = [&corners, &others].map(|points| solid(points));
        let contact = a.contact(&b);
        assert_eq!(as_points.contact(&other_points), contact, "{a:?} {b:?}");
        let point = others[0];
        let as_box = a.contact(&Obb::axis_aligned(point, Vec3::ZERO));
        assert_eq!(as_points.contact_with_point(point), as_box, "{a:?} {point:?}");
        counts[contact as usize] += 1;
        points[as_box as usize] += 1;
    }
    let all = counts.iter().chain(&points);
    assert!(all.into_iter().all(|&count| count > 20), "{counts:?} {points:?}");
}

#[test]
fn a_tetrahedron_among_others() {
    let v = Vec3::new;
    let tetrahedron = solid(&[Vec3::ZERO, 6.0 * Vec3::X, 6.0 * Vec3::Y, 6.0 * Vec3::Z]);
    let other = |points: &[Vec3]| tetrahedron.contact(&solid(points));
    // A point in the middle of a face, of an edge, at a corner; slightly inside, slightly outside.
    assert_eq!(other(&[v(2.0, 2.0, 2.0)]), Contact::Touching);
    assert_eq!(other(&[v(2.0, 2.0, 2.0f32.next_down())]), Contact::Overlapping);
    assert_eq!(other(&[v(2.0, 2.0, 2.0f32.next_up())]), Contact::Separated);
    assert_eq!(other(&[v(3.0, 3.0, 0.0)]), Contact::Touching);
    assert_eq!(other(&[v(6.0, 0.0, 0.0)]), Contact::Touching);
    // An edge across the slanted edge, and one through it.
    assert_eq!(other(&[v(3.0, 3.0, -1.0), v(3.0, 3.0, 1.0)]), Contact::Touching);
    assert_eq!(other(&[v(2.0, 3.0, -1.0), v(3.0, 2.0, 1.0)]), Contact::Overlapping);
    // A face on the slanted face, upside down, and its reflection in its middle.
    assert_eq!(
        other(&[v(6.0, 0.0, 0.0), v(0.0, 6.0, 0.0), v(0.0, 0.0, 6.0)]),
        Contact::Touching
    );
    assert_eq!(
        other(&[
            v(4.0, 4.0, 4.0),
            v(-2.0, 4.0, 4.0),
            v(4.0, -2.0, 4.0),
            v(4.0, 4.0, -2.0)
        ]),
        Contact::Touching
    );
    let far = 2.0f32.powi(60);
    assert_eq!(other(&[v(far, far, far), v(-far, -far, -far)]), Contact::Overlapping);
    assert_eq!(tetrahedron.contact_with_point(Vec3::NAN), Contact::Separated);
    assert_eq!(tetrahedron.contact_with_point(Vec3::INFINITY), Contact::Separated);
}

#[test]
fn s2_edges_cross_at_the_known_points() {
    let v = Vec3::new;
    let cube = solid(&corners(Vec3::ZERO, Vec3::ONE));
    let crossing = |ends: [Vec3; 2]| solid(&ends).crossings(&cube).first().copied();
    let through = crossing([v(-2.0, 0.0, 0.0), v(2.0, 0.5, 0.0)]).expect("it passes");
    assert_eq!((through.entry, through.exit), (0.25, 0.75));
    let normal = |face: Option<u32>| {
        let face = cube.faces().nth(face.expect("a face") as usize).expect("it is there");
        let middle = face.iter().map(|&k| cube.vertices()[k as usize]).sum::<Vec3>() / 4.0;
        middle.to_array()
    };
    assert_eq!(
        (normal(through.entry_face), normal(through.exit_face)),
        ([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0])
    );
    let inside = crossing([v(0.0, 0.0, 0.0), v(0.0, 0.0, 4.0)]).expect("it passes");
    assert_eq!((inside.entry, inside.entry_face, inside.exit), (0.0, None, 0.25));
    // Along an edge, along a face, past a corner.
    assert_eq!(crossing([v(-2.0, 1.0, 1.0), v(2.0, 1.0, 1.0)]), None);
    assert_eq!(crossing([v(-2.0, 0.0, 1.0), v(2.0, 0.5, 1.0)]), None);
    assert_eq!(crossing([v(0.0, 2.0, 1.0), v(2.0, 0.0, 1.0)]), None);
    assert_eq!(crossing([v(1.0, 0.0, 0.0), v(2.0, 0.0, 0.0)]), None);
    let plate = solid(&[v(-1.0, -1.0, 0.0), v(1.0, -1.0, 0.0), v(0.0, 2.0, 0.0)]);
    let [pierced] = solid(&[v(0.0, 0.0, -1.0), v(0.0, 0.0, 3.0)]).crossings(&plate)[..] else {
        panic!("one edge")
    };
    assert_eq!((pierced.entry, pierced.exit), (0.25, 0.25));
    assert!(pierced.entry_face.is_some() && pierced.exit_face.is_some());
    assert!(plate.crossings(&plate).is_empty() && cube.crossings(&cube).is_empty());
}

#[test]
fn s2_crossings_and_vertices_agree_with_segments_and_points() {
    let mut random = Maker(SplitMix(9));
    let (mut crossings, mut vertices) = (0, [0; 3]);
    for case in 0..3_000 {
        let whole = case % 2 == 0;
        let point = |random: &mut Maker| match whole {
            true => random.whole(3),
            false => random.any(),
        };
        let [a, b] = [0; 2].map(|_| solid(&random.many(4, 9, point)));
        let found = a.crossings(&b);
        for (edge, ends) in a.edges().enumerate() {
            let ends = ends.map(|end| a.vertices()[end as usize]);
            let passes = solids_contact(&ends, b.vertices()) == Contact::Overlapping;
            let crossing = found.iter().find(|crossing| crossing.edge as usize == edge);
            assert_eq!(crossing.is_some(), passes, "{ends:?} {b:?}");
            let Some(crossing) = crossing else { continue };
            crossings += 1;
            // The middle is inside up to rounding; the entry and the exit are on their faces.
            let at = |place: f64| ends[0].as_dvec3().lerp(ends[1].as_dvec3(), place);
            let heights = |place: f64| -> Vec<f64> {
                let height = |face: &[u32]| {
                    let [p, q, r] = [0, 1, 2].map(|k| b.vertices()[face[k] as usize].as_dvec3());
                    let normal = (q - p).cross(r - p);
                    normal.dot(at(place) - p) / normal.length()
                };
                b.faces().map(height).collect()
            };
            let middle = heights(0.5 * (crossing.entry + crossing.exit));
            assert!(middle.iter().all(|&height| height < 1e-12), "{middle:?}");
            for (place, face) in [
                (crossing.entry, crossing.entry_face),
                (crossing.exit, crossing.exit_face),
            ] {
                let height = face.map(|face| heights(place)[face as usize]);
                assert!(height.is_none_or(|height| height.abs() < 1e-9), "{height:?}");
                assert!(face.is_some() || place == 0.0 || place == 1.0);
            }
        }
        let inside: Vec<(usize, Contact)> = a.vertices_in(&b).collect();
        for (k, &vertex) in a.vertices().iter().enumerate() {
            let expected = solids_contact(&[vertex], b.vertices());
            let found = inside.iter().find(|(vertex, _)| *vertex == k);
            assert_eq!(found.map_or(Contact::Separated, |(_, contact)| *contact), expected);
            vertices[expected as usize] += 1;
        }
    }
    assert!(
        crossings > 2_000 && vertices.iter().all(|&count| count > 500),
        "{crossings} {vertices:?}"
    );
}
