//! Polygons that triangles cover, and polygons that become fans.

use super::*;
use obbligato_support::split_mix::SplitMix;

/// Polygons that do not cross themselves.
const SHAPES: &[&[[i64; 2]]] = &[
    // A square, also with straight corners and with duplicated corners.
    &[[0, 0], [4, 0], [4, 4], [0, 4]],
    &[[0, 0], [2, 0], [4, 0], [4, 4], [2, 4], [1, 4], [0, 4], [0, 1]],
    &[[0, 0], [4, 0], [4, 0], [4, 4], [0, 4], [0, 4], [0, 4]],
    // Concave: an arrow, L, U, T, a spiral, a comb.
    &[[0, 0], [4, 2], [0, 4], [1, 2]],
    &[[0, 0], [4, 0], [4, 1], [1, 1], [1, 4], [0, 4]],
    &[[0, 0], [6, 0], [6, 6], [4, 6], [4, 2], [2, 2], [2, 6], [0, 6]],
    &[[0, 4], [2, 4], [2, 0], [4, 0], [4, 4], [6, 4], [6, 6], [0, 6]],
    &[
        [0, 0],
        [9, 0],
        [9, 9],
        [2, 9],
        [2, 4],
        [5, 4],
        [5, 6],
        [4, 6],
        [4, 7],
        [7, 7],
        [7, 2],
        [0, 2],
    ],
    &[
        [0, 0],
        [8, 0],
        [8, 9],
        [7, 1],
        [6, 9],
        [5, 1],
        [4, 9],
        [3, 1],
        [2, 9],
        [1, 1],
        [0, 9],
    ],
    // With one hole that a pair of opposite edges joins to the outline, and with two.
    &[
        [0, 0],
        [9, 0],
        [9, 9],
        [0, 9],
        [0, 0],
        [3, 3],
        [3, 6],
        [6, 6],
        [6, 3],
        [3, 3],
    ],
    &[
        [0, 0],
        [9, 0],
        [9, 9],
        [0, 9],
        [0, 0],
        [2, 2],
        [2, 3],
        [3, 3],
        [3, 2],
        [2, 2],
        [0, 0],
        [6, 2],
        [6, 5],
        [8, 5],
        [8, 2],
        [6, 2],
    ],
    // Two parts that touch in a corner; a corner that touches an edge; a hair.
    &[[0, 0], [4, 4], [8, 0], [8, 8], [4, 4], [0, 8]],
    &[[0, 0], [8, 0], [8, 8], [4, 0], [0, 8]],
    &[[0, 0], [4, 0], [8, 0], [4, 0], [4, 4], [0, 4]],
];

/// Returns twice the signed area of a polygon with integer coordinates in a plane.
fn area(points: &[[i64; 2]]) -> i64 {
    let next = |k: usize| points[(k + 1) % points.len()];
    (0..points.len())
        .map(|k| points[k][0] * next(k)[1] - points[k][1] * next(k)[0])
        .sum()
}

/// Returns `true` if a point without integer coordinates is inside a polygon, by parity.
fn holds(points: &[[i64; 2]], [x, y]: [f64; 2]) -> bool {
    let edges = (0..points.len()).map(|k| [points[k], points[(k + 1) % points.len()]]);
    let crossed = edges.filter(|edge| {
        let [[a, b], [c, d]] = edge.map(|point| point.map(|number| number as f64));
        (b > y) != (d > y) && x < a + (y - b) / (d - b) * (c - a)
    });
    crossed.count() % 2 == 1
}

/// Checks the triangles of a polygon: from each first corner, in both directions, along each
/// axis and in an oblique plane.
fn expect_covered(points: &[[i64; 2]]) {
    let mut random = SplitMix(points.len() as u64);
    let mut triangulator = Triangulator::default();
    let places: [fn(f32, f32) -> Vec3; 5] = [
        |x, y| Vec3::new(x, y, 0.0),
        |x, y| Vec3::new(7.0, x, y),
        |x, y| Vec3::new(y, -3.0, x),
        |x, y| Vec3::new(x, y, 2.0 * x - y),
        |x, y| Vec3::new(0.1 * x + 0.7 * y, 0.3 * x, 0.9 * y - 0.2 * x),
    ];
    for turn in 0..points.len() {
        for is_reversed in [false, true] {
            let mut points = points.to_vec();
            points.rotate_left(turn);
            if is_reversed {
                points.reverse();
            }
            let place = places[(turn + usize::from(is_reversed)) % places.len()];
            let corners: Vec<Vec3> = points.iter().map(|&[x, y]| place(x as f32, y as f32)).collect();
            let cover = triangulator.triangulate(&corners).expect("memory");
            assert_eq!(cover, Cover::Exact, "{corners:?}");
            let triangles = &triangulator.triangles;
            assert_eq!(triangles.len(), points.len() - 2);
            let whole = area(&points);
            let parts: Vec<Vec<[i64; 2]>> = triangles
                .iter()
                .map(|corners| corners.map(|corner| points[corner as usize]).to_vec())
                .collect();
            assert!(
                parts.iter().all(|part| area(part) * whole.signum() >= 0),
                "{points:?} {triangles:?}"
            );
            assert_eq!(parts.iter().map(|part| area(part)).sum::<i64>(), whole, "{points:?}");
            for _ in 0..20 {
                let most = points.iter().flatten().max().map_or(1, |&most| most as u64);
                let point = [(); 2].map(|()| (random.next() % most) as f64 + 0.322 + random.unit() / 1e3);
                let parts = parts.iter().filter(|part| holds(part, point)).count();
                assert_eq!(parts, usize::from(holds(&points, point)), "{points:?} {point:?}");
            }
        }
    }
}

#[test]
fn polygons_are_covered_from_any_first_corner() {
    for shape in SHAPES {
        expect_covered(shape);
    }
}

#[test]
fn random_polygons_are_covered() {
    let mut random = SplitMix(5);
    for round in 0..400 {
        // Corners in the order of their directions from a point, at random distances: stars,
        // some with teeth as long as they are wide.
        let count = 4 + random.next() as usize % 40;
        let mut points: Vec<[i64; 2]> = (0..count)
            .map(|k| {
                let angle = (k as f64 + 0.4 * random.unit()) / count as f64 * std::f64::consts::TAU;
                let far = [900.0, 60.0, 400.0][round % 3] * random.unit() + 90.0;
                [1000.0 + far * angle.cos(), 1000.0 + far * angle.sin()].map(|number| number.round() as i64)
            })
            .collect();
        points.dedup();
        expect_covered(&points);
    }
}

#[test]
fn polygons_without_certain_area_are_fans() {
    let fan = |corners: &[[f32; 3]]| {
        let corners: Vec<Vec3> = corners.iter().map(|&corner| Vec3::from(corner)).collect();
        let mut triangulator = Triangulator::default();
        let cover = triangulator.triangulate(&corners).expect("memory");
        let fan = (1..corners.len() as u32 - 1).map(|corner| [0, corner, corner + 1]);
        assert!(triangulator.triangles.iter().copied().eq(fan), "{corners:?}");
        cover
    };
    let bow = [[0.0, 0.0, 0.0], [4.0, 4.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    let uneven = [[0.0, 0.0, 0.0], [4.0, 4.0, 0.0], [4.0, 0.0, 0.0], [0.0, 3.0, 0.0]];
    let star = [
        [2.0, 9.0, 0.0],
        [5.0, 0.0, 0.0],
        [-1.0, 6.0, 0.0],
        [5.0, 6.0, 0.0],
        [-1.0, 0.0, 0.0],
    ];
    let warped = [[0.0, 0.0, 0.0], [4.0, 0.0, 1.0], [4.0, 4.0, 0.0], [0.0, 4.0, 1.0]];
    let dart = [[0.0, 0.0, 0.0], [4.0, 2.0, 1.0], [0.0, 4.0, 0.0], [1.0, 2.0, -1.0]];
    assert_eq!([&bow, &uneven].map(|corners| fan(corners)), [Cover::Crossing; 2]);
    assert_eq!(fan(&star), Cover::Crossing);
    assert_eq!([&warped, &dart].map(|corners| fan(corners)), [Cover::NotFlat; 2]);
    // All corners on one line, or in one place.
    let line = [0.0, 3.0, 1.0, 2.0, 7.0].map(|x| [x, 2.0 * x, 0.0]);
    assert_eq!([fan(&line), fan(&[[1.0; 3]; 5])], [Cover::Exact; 2]);
}

#[test]
fn large_polygons_avoid_quadratic_time() {
    // A ring of teeth, of which every second corner is reflex, and a spiral band.
    let count = 100_000;
    let tooth = |k: usize| {
        let angle = k as f64 / count as f64 * std::f64::consts::TAU;
        let far = if k.is_multiple_of(2) { 1.0 } else { 0.9999 };
        Vec3::new((far * angle.cos()) as f32, (far * angle.sin()) as f32, 0.0)
    };
    let corners: Vec<Vec3> = (0..count).map(tooth).collect();
    let mut triangulator = Triangulator::default();
    assert_eq!(triangulator.triangulate(&corners).expect("memory"), Cover::Exact);
    assert_eq!(triangulator.triangles.len(), count - 2);
}
