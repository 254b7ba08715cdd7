//! Closed meshes.

use obbligato::glam::Vec3;
use obbligato::shape::Triangle;
use obbligato_support::split_mix::SplitMix;

/// The twelve triangles of a box.
pub fn cuboid(min: Vec3, max: Vec3) -> Vec<Triangle> {
    let corner = |k: usize| {
        let pick = |axis: usize| if k >> axis & 1 == 1 { max[axis] } else { min[axis] };
        Vec3::new(pick(0), pick(1), pick(2))
    };
    let quads = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    quads
        .into_iter()
        .flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]])
        .map(|corners| Triangle {
            corners: corners.map(corner),
        })
        .collect()
}

/// A torus about z: `rows` around the tube, `columns` around the hole, with `moved` applied to each
/// corner.
pub fn torus(rows: usize, columns: usize, moved: impl Fn(Vec3) -> Vec3) -> Vec<Triangle> {
    let corner = |i: usize, j: usize| {
        let angle = |k: usize, n: usize| (k % n) as f32 / n as f32 * std::f32::consts::TAU;
        let (u, v) = (angle(i, rows), angle(j, columns));
        let from_axis = 3.0 + u.cos();
        moved(Vec3::new(from_axis * v.cos(), from_axis * v.sin(), u.sin()))
    };
    let mut triangles = Vec::with_capacity(2 * rows * columns);
    for i in 0..rows {
        for j in 0..columns {
            let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
            triangles.extend([Triangle::new(a, c, b), Triangle::new(a, d, c)]);
        }
    }
    triangles
}

/// A torus with one inside it, which is a hole, a third one linked with it, and a box through the
/// tube. Corners are integers up to 50.
pub fn linked_tori() -> Vec<Triangle> {
    let mut mesh = torus(6, 10, |p| 8.0 * p);
    mesh.extend(torus(4, 10, |p| Vec3::new(8.0 * p.x, 8.0 * p.y, 4.0 * p.z)));
    mesh.extend(torus(4, 6, |p| 6.0 * Vec3::new(p.x + 3.0, p.z, p.y)));
    mesh.extend(cuboid(Vec3::new(-40.0, -4.0, -4.0), Vec3::new(-8.0, 4.0, 4.0)));
    for triangle in &mut mesh {
        triangle.corners = triangle.corners.map(Vec3::round);
    }
    mesh
}

/// The surfaces of this many tetrahedra with corners on a grid of integers below `size`, including
/// flat ones and ones that share much.
pub fn tetrahedra(count: usize, size: u64, random: &mut SplitMix) -> Vec<Triangle> {
    let mut triangles = Vec::with_capacity(4 * count);
    for _ in 0..count {
        let [a, b, c, d] = [(); 4].map(|()| Vec3::from([(); 3].map(|()| (random.next() % size) as f32)));
        triangles.extend([[a, b, c], [a, d, b], [a, c, d], [d, c, b]].map(|corners| Triangle { corners }));
    }
    triangles
}

/// Hard points: corners, points on edges and triangles and on their extensions, each of them
/// unchanged and moved by the smallest step, and combinations of coordinates of corners.
pub fn hard_points(triangles: &[Triangle], count: usize, random: &mut SplitMix) -> Vec<Vec3> {
    let pick = |random: &mut SplitMix| triangles[random.next() as usize % triangles.len()].corners;
    let mut points = Vec::with_capacity(count);
    while points.len() < count {
        let [a, b, c] = pick(random);
        let [d, e, _] = pick(random);
        let steps = (random.next() % 9) as f32 / 4.0 - 0.5;
        let point = match random.next() % 6 {
            0 => a,
            1 => a + (b - a) * steps,
            2 => (a + b + c) / 3.0,
            3 => a + (b - a) * 0.25 + (c - a) * 0.5,
            4 => Vec3::new(a.x, d.y, e.z),
            _ => a + (d - a) * steps,
        };
        points.push(match random.next() % 4 {
            0 => Vec3::new(point.x.next_up(), point.y, point.z),
            1 => Vec3::new(point.x, point.y.next_down(), point.z.next_up()),
            _ => point,
        });
    }
    points
}
