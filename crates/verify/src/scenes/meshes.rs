//! Meshes of rings.

use glam::{DVec3, Vec3};

use crate::scenes::random::{Random, cube_root};
use obbligato::shape::Triangle;

/// The segments of a ring along its circle and around its tube; it has twice as many triangles as
/// their product.
const ALONG: usize = 64;
const AROUND: usize = 32;

/// The radius of a ring and of its tube, which bumps make narrower and wider, in metres.
const RADIUS: f64 = 1.0;
const TUBE: f64 = 0.35;
const BUMP: f64 = 0.08;

/// The edge of a cube that holds one ring on average.
const PITCH: f64 = 1.9;

/// Returns a mesh that meets itself in many places: a heap of bumpy rings, each closed, of 4096
/// triangles that share their corners, anywhere in a cube around the origin and arbitrarily
/// rotated. It has `count` triangles; the last ring may be open.
///
/// The same count and seed give the same mesh on every machine. Triangles follow one another along
/// the rings.
///
/// ```
/// use obbligato::{Backend, Checker, Config, Query};
/// use obbligato_verify::scenes;
/// # fn main() -> obbligato::Result<()> {
/// let mesh = scenes::rings(50_000, 1);
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// assert!(checker.check(Query::mesh(&mesh))?.colliding_pairs > 500);
/// # Ok(())
/// # }
/// ```
pub fn rings(count: usize, seed: u64) -> Vec<Triangle> {
    let mut random = Random::new(seed);
    let edge = PITCH * cube_root(count.div_ceil(2 * ALONG * AROUND) as f64);
    let mut triangles = Vec::new();
    while triangles.len() < count {
        let rotation = random.rotation().as_dquat();
        let center = DVec3::from(random.point(edge));
        let bump = random.between(0.0, BUMP);
        let corner = |i: usize, j: usize| {
            let ([x, y], [u, v]) = (circle(i % ALONG, ALONG), circle(j % AROUND, AROUND));
            let tube = TUBE + 2.0 * BUMP * x * y + bump * u * x;
            let out = RADIUS + tube * u;
            (center + rotation * DVec3::new(x * out, y * out, tube * v)).as_vec3()
        };
        let mut push = |a: Vec3, b: Vec3, c: Vec3| triangles.push(Triangle::new(a, b, c));
        for i in 0..ALONG {
            for j in 0..AROUND {
                let [a, b, c, d] = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| corner(i, j));
                push(a, b, c);
                push(a, c, d);
            }
        }
    }
    triangles.truncate(count);
    triangles
}

/// Returns a point of the unit circle, one of `steps` around it: rational, so that no sine is
/// needed, and not quite evenly spaced.
fn circle(step: usize, steps: usize) -> [f64; 2] {
    let quarter = steps / 4;
    let t = (step % quarter) as f64 / quarter as f64;
    let [x, y] = [(1.0 - t * t) / (1.0 + t * t), 2.0 * t / (1.0 + t * t)];
    match step / quarter {
        0 => [x, y],
        1 => [-y, x],
        2 => [-x, -y],
        _ => [y, -x],
    }
}
