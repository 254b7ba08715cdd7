//! Scenes of triangles that are hard in some way.

use obbligato::{glam::Vec3, shape::Triangle};
use obbligato_support::split_mix::SplitMix;

use crate::triangles_gpu::{cloud, made, vector, whole};

/// A surface of `squares` by `squares` squares with integer coordinates, two triangles each.
pub fn surface(squares: usize, height: impl Fn(usize, usize) -> f32) -> Vec<Triangle> {
    let corner = |x: usize, y: usize| Vec3::new(x as f32, y as f32, height(x, y));
    let square = |k: usize| {
        let (x, y) = (k % squares, k / squares);
        let [a, b, c, d] = [corner(x, y), corner(x + 1, y), corner(x, y + 1), corner(x + 1, y + 1)];
        [Triangle::new(a, b, c), Triangle::new(d, c, b)]
    };
    (0..squares * squares).flat_map(square).collect()
}

/// Tips of needles slightly inside other triangles of the same plane; in half of the pairs they do
/// not reach them.
fn needles(random: &mut SplitMix) -> Vec<Triangle> {
    let mut needles = Vec::new();
    for k in 0..500usize {
        let tip = Vec3::new((k % 25) as f32 * 4.0, (k / 25) as f32 * 4.0, 0.0)
            + vector(random, 1.0) * Vec3::new(1.0, 1.0, 0.0);
        let along =
            Vec3::from_array([random.unit() as f32 - 0.5, random.unit() as f32 - 0.5, 0.0]).normalize_or(Vec3::X);
        let across = Vec3::new(-along.y, along.x, 0.0);
        let width = ((-20.0 * random.unit()) as f32).exp2();
        let depth = ((-4.0 - 18.0 * random.unit()) as f32).exp2() * [1.0, -1.0][k % 2];
        needles.push(Triangle::new(
            tip,
            tip + along + across * width,
            tip + along - across * width,
        ));
        let (corner, back) = (tip + along * depth, tip - along * 0.3);
        needles.push(Triangle::new(back + across * 0.3, corner, back - across * 0.3));
    }
    needles
}

/// A corner on the plane or, for coplanar triangles, on the line of an edge, up to rounding. All
/// else is beyond it.
fn grazing(random: &mut SplitMix) -> Vec<Triangle> {
    let mut grazing = Vec::new();
    for k in 0..1200 {
        let is_flat = k % 4 == 0;
        let at = |k: usize| Vec3::new((k % 20) as f32, (k / 20 % 20) as f32, (k / 400) as f32);
        let (middle, extents) = match is_flat {
            true => (Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0)),
            false => (at(k) * 3.0, Vec3::ONE),
        };
        let [a, b, c, d, e] = [(); 5].map(|()| middle + vector(random, 1.0) * extents);
        let (u, v) = (random.unit() as f32, random.unit() as f32);
        let corner = a + (b - a) * u + if is_flat { Vec3::ZERO } else { (c - a) * (v * (1.0 - u)) };
        let side = match is_flat {
            true => Vec3::Z.cross(b - a) * -Vec3::Z.cross(b - a).dot(c - a).signum(),
            false => (b - a).cross(c - a),
        };
        let beyond = |point: Vec3| corner + (point - corner) * (point - corner).dot(side).signum();
        grazing.push(Triangle::new(a, b, c));
        grazing.push(Triangle::new(beyond(d), corner, beyond(e)));
    }
    grazing
}

/// Scenes that are hard in some way.
pub fn scenes() -> Vec<(&'static str, Vec<Triangle>)> {
    let mut random = SplitMix(3);
    let of_grid = |random: &mut SplitMix, sides| {
        made(400, || {
            Triangle::new(whole(random, sides), whole(random, sides), whole(random, sides))
        })
    };
    let times = |triangles: &[Triangle], factor: f32| -> Vec<Triangle> {
        let scaled = |triangle: &Triangle| Triangle {
            corners: triangle.corners.map(|corner| corner * factor),
        };
        triangles.iter().map(scaled).collect()
    };
    let whole_numbers = of_grid(&mut random, [5; 3]);
    let one_plane = of_grid(&mut random, [20, 20, 1]);
    let flat = made(600, || {
        let (p, q) = (whole(&mut random, [8; 3]), whole(&mut random, [8; 3]));
        let part = [0.0, 0.5, 1.0, 2.0][(random.next() % 4) as usize];
        Triangle::new(p, q, p + (q - p) * part)
    });
    let sizes = made(1000, || {
        let size = ((random.unit() * 30.0 - 26.0) as f32).exp2();
        let middle = vector(&mut random, 1.0);
        let mut corner = || middle + vector(&mut random, size);
        Triangle::new(corner(), corner(), corner())
    });
    // On a device that flushes subnormal numbers, some of these are zero.
    let near_zero = made(300, || {
        let mut number = || [0.0, -0.0, 1e-45, -1e-44, 3e-39, -1e-38, 1.0, -1.0][(random.next() % 8) as usize];
        let mut corner = || Vec3::new(number(), number(), number());
        Triangle::new(corner(), corner(), corner())
    });
    let needles = needles(&mut random);
    let grazing = grazing(&mut random);
    let mut folded = surface(20, |x, y| ((x * 7 + y * 5) % 4) as f32);
    folded.extend(surface(20, |x, y| ((x * 3 + y * 11) % 4) as f32 + 0.25));
    folded.extend(surface(20, |_, _| 2.0));
    let cloud = cloud(1500, 1);
    vec![
        ("nothing", Vec::new()),
        ("one", cloud[..1].to_vec()),
        ("tiny", times(&cloud, 1e-33)),
        ("small", times(&cloud, 1e-18)),
        ("huge", times(&cloud, 1e17)),
        (
            "far",
            made(800, || {
                let mut corner = || Vec3::splat(16_777_216.0) + whole(&mut random, [7; 3]) * 4.0;
                Triangle::new(corner(), corner(), corner())
            }),
        ),
        ("a cloud", cloud),
        ("whole numbers", whole_numbers),
        ("one plane", one_plane),
        ("segments and points", flat),
        ("sizes", sizes),
        ("near zero", near_zero),
        ("needles", needles),
        ("grazing", grazing),
        ("folded", folded),
    ]
}
