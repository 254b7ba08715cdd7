//! The separating-axis test in big whole numbers, from the definition: no code, no formula in common with the library.

use num_bigint::{BigInt, Sign};
use obbligato::{Contact, Obb};

type Vector = [BigInt; 3];

/// The true answer.
pub fn contact(a: &Obb, b: &Obb) -> Contact {
    let (a, b) = (Solid::new(a), Solid::new(b));
    let d: Vector = std::array::from_fn(|k| &b.center[k] - &a.center[k]);
    let mut axes: Vec<Vector> = a.axes.iter().chain(&b.axes).cloned().collect();
    for u in &a.axes {
        for v in &b.axes {
            axes.push([
                &u[1] * &v[2] - &u[2] * &v[1],
                &u[2] * &v[0] - &u[0] * &v[2],
                &u[0] * &v[1] - &u[1] * &v[0],
            ]);
        }
    }
    let mut touches = false;
    for axis in axes.iter().filter(|axis| axis.iter().any(|c| c.sign() != Sign::NoSign)) {
        let distance = magnitude(&dot(&d, axis)) * &a.norm * &b.norm;
        let gap = distance - a.radius(axis) * &b.norm - b.radius(axis) * &a.norm;
        match gap.sign() {
            Sign::Plus => return Contact::Separated,
            Sign::NoSign => touches = true,
            Sign::Minus => {}
        }
    }
    if touches {
        Contact::Touching
    } else {
        Contact::Overlapping
    }
}

/// Lengths times 2^149; axes and norm those of the quaternion times 2^149, so `norm` times longer than 1.
struct Solid {
    center: Vector,
    half: Vector,
    axes: [Vector; 3],
    norm: BigInt,
}

impl Solid {
    fn new(obb: &Obb) -> Self {
        let [x, y, z, w] = obb.rotation.to_array().map(whole);
        // Images of the unit vectors under v -> q v conj(q).
        let image = |v: [i32; 3]| -> Vector {
            let pure = [v[0].into(), v[1].into(), v[2].into(), BigInt::ZERO];
            let turned = multiply(&[x.clone(), y.clone(), z.clone(), w.clone()], &pure);
            let [i, j, k, _] = multiply(&turned, &[-&x, -&y, -&z, w.clone()]);
            [i, j, k]
        };
        Self {
            center: obb.center.to_array().map(whole),
            half: obb.half_extents.to_array().map(whole),
            axes: [image([1, 0, 0]), image([0, 1, 0]), image([0, 0, 1])],
            norm: &x * &x + &y * &y + &z * &z + &w * &w,
        }
    }

    fn radius(&self, axis: &Vector) -> BigInt {
        (0..3)
            .map(|k| magnitude(&dot(&self.axes[k], axis)) * &self.half[k])
            .sum()
    }
}

/// `number * 2^149`, which is whole for every f32.
fn whole(number: f32) -> BigInt {
    let bits = number.to_bits();
    let exponent = (bits >> 23) & 255;
    let fraction = bits & ((1 << 23) - 1);
    let value = match exponent {
        0 => BigInt::from(fraction),
        _ => BigInt::from(fraction + (1 << 23)) << (exponent - 1),
    };
    if bits >> 31 == 1 { -value } else { value }
}

fn magnitude(value: &BigInt) -> BigInt {
    BigInt::from(value.magnitude().clone())
}

fn dot(u: &Vector, v: &Vector) -> BigInt {
    (0..3).map(|k| &u[k] * &v[k]).sum()
}

/// Hamilton's product, components x, y, z, w.
fn multiply(p: &[BigInt; 4], q: &[BigInt; 4]) -> [BigInt; 4] {
    [
        &p[3] * &q[0] + &p[0] * &q[3] + &p[1] * &q[2] - &p[2] * &q[1],
        &p[3] * &q[1] - &p[0] * &q[2] + &p[1] * &q[3] + &p[2] * &q[0],
        &p[3] * &q[2] + &p[0] * &q[1] - &p[1] * &q[0] + &p[2] * &q[3],
        &p[3] * &q[3] - &p[0] * &q[0] - &p[1] * &q[1] - &p[2] * &q[2],
    ]
}
