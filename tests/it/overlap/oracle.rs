//! The overlap of two boxes in whole numbers: all faces of both, clipped by all planes of the
//! other.
//!
//! Lengths are multiplied by both `|q|²` and by a power of two, so that all corners are whole.
//! Points have four homogeneous coordinates, of which the last is above 0, so clipping needs no
//! division. The volume is a sum of tetrahedra from the center of the first box. Faces of both
//! boxes that coincide and look the same way count once. Only the last division of a tetrahedron
//! rounds, far below all other digits.

use num_bigint::{BigInt, Sign};
use obbligato::Obb64;

/// The number of binary digits after the point of a volume.
const DIGITS: usize = 256;

/// Binary digits after the point of a ratio.
const RATIO: usize = 90;

/// A point: three coordinates, and the number that they are divided by.
type Point = [BigInt; 4];

/// The volumes of two boxes and of their overlap.
pub struct Volumes {
    /// The overlap, times 2^DIGITS.
    shared: BigInt,
    of: [BigInt; 2],
    /// The number of these cubes in a cube of the caller's unit, times 2^DIGITS.
    unit: BigInt,
}

/// Returns a ratio, rounded.
fn ratio(over: &BigInt, under: &BigInt) -> f64 {
    let scaled: BigInt = (over << RATIO) / under;
    let scaled: f64 = scaled.to_string().parse().expect("a number");
    scaled * (-(RATIO as f64)).exp2()
}

impl Volumes {
    /// Returns `true` if the interiors meet.
    pub fn overlap(&self) -> bool {
        self.shared > BigInt::from(1) << (DIGITS / 4)
    }

    fn smaller(&self) -> BigInt {
        self.of[0].clone().min(self.of[1].clone()) << DIGITS
    }

    /// Returns the error of a volume, in units of the smaller box.
    pub fn error(&self, volume: f64) -> f64 {
        let (whole, power) = split(volume);
        let volume = match power {
            0.. => (&self.unit * whole) << power as usize,
            _ => (&self.unit * whole) >> -power as usize,
        };
        ratio(&(volume - &self.shared), &self.smaller())
    }

    /// Returns the part of the smaller box.
    pub fn part(&self) -> f64 {
        ratio(&self.shared, &self.smaller())
    }

    /// Returns the part of the union.
    pub fn iou(&self) -> f64 {
        let both: BigInt = (&self.of[0] + &self.of[1]) << DIGITS;
        ratio(&self.shared, &(both - &self.shared))
    }
}

/// Splits a number into a whole number and a power of two.
fn split(number: f64) -> (i64, i32) {
    if number == 0.0 {
        return (0, 0);
    }
    let bits = number.to_bits();
    let exponent = (bits >> 52 & 0x7FF) as i32;
    let whole = (bits & ((1 << 52) - 1)) | u64::from(exponent != 0) << 52;
    let even = whole.trailing_zeros();
    let size = (whole >> even) as i64;
    (
        if number < 0.0 { -size } else { size },
        exponent.max(1) - 1075 + even as i32,
    )
}

/// Returns the largest power of two that divides all numbers.
fn grain(numbers: impl Iterator<Item = f64>) -> i32 {
    let powers = numbers.filter(|number| *number != 0.0).map(|number| split(number).1);
    powers.min().unwrap_or(0)
}

fn whole(number: f64, grain: i32) -> BigInt {
    let (whole, power) = split(number);
    match whole {
        0 => BigInt::ZERO,
        _ => BigInt::from(whole) << (power - grain) as usize,
    }
}

fn dot(a: &[BigInt], b: &[BigInt]) -> BigInt {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

/// A box in whole numbers.
struct Body {
    center: [BigInt; 3],
    /// The axes, of length `|q|²`.
    axes: [[BigInt; 3]; 3],
    /// From the center to the middles of faces, and the products of these with the axes.
    edges: [[BigInt; 3]; 3],
    reach: [BigInt; 3],
}

/// Returns the axes of a rotation times `|q|²`, and that.
fn axes([x, y, z, w]: &[BigInt; 4]) -> ([[BigInt; 3]; 3], BigInt) {
    let twice = |number: BigInt| number * 2;
    let axes = [
        [
            w * w + x * x - y * y - z * z,
            twice(x * y + w * z),
            twice(x * z - w * y),
        ],
        [
            twice(x * y - w * z),
            w * w - x * x + y * y - z * z,
            twice(y * z + w * x),
        ],
        [
            twice(x * z + w * y),
            twice(y * z - w * x),
            w * w - x * x - y * y + z * z,
        ],
    ];
    (axes, w * w + x * x + y * y + z * z)
}

impl Body {
    /// Returns how far a point is beyond a face, times its last coordinate.
    fn beyond(&self, axis: usize, far: bool, point: &Point) -> BigInt {
        let normal = &self.axes[axis];
        let along = dot(normal, &point[..3]) - dot(normal, &self.center) * &point[3];
        (if far { along } else { -along }) - &self.reach[axis] * &point[3]
    }

    /// Returns the corners of a face, counter-clockwise seen from outside.
    fn face(&self, axis: usize, far: bool) -> Vec<Point> {
        let [e, u, v] = [0, 1, 2].map(|k| &self.edges[(axis + k) % 3]);
        let signed = |positive: bool, number: &BigInt| if positive { number.clone() } else { -number };
        let corner = |(a, b): (bool, bool)| {
            let along = |k: usize| &self.center[k] + signed(far, &e[k]) + signed(a, &u[k]) + signed(b, &v[k]);
            [along(0), along(1), along(2), BigInt::from(1)]
        };
        let order = match far {
            true => [(false, false), (true, false), (true, true), (false, true)],
            false => [(false, true), (true, true), (true, false), (false, false)],
        };
        order.into_iter().map(corner).collect()
    }

    /// Returns the part of a polygon that is not beyond a face.
    fn clip(&self, polygon: &[Point], axis: usize, far: bool) -> Vec<Point> {
        let beyond: Vec<BigInt> = polygon.iter().map(|point| self.beyond(axis, far, point)).collect();
        let mut part = Vec::new();
        for (i, from) in polygon.iter().enumerate() {
            let j = (i + 1) % polygon.len();
            let signs = [beyond[i].sign(), beyond[j].sign()];
            if signs[0] != Sign::Plus {
                part.push(from.clone());
            }
            if signs == [Sign::Plus, Sign::Minus] || signs == [Sign::Minus, Sign::Plus] {
                let cut: Point = std::array::from_fn(|k| &polygon[j][k] * &beyond[i] - &from[k] * &beyond[j]);
                let is_negative = cut[3].sign() == Sign::Minus;
                part.push(cut.map(|number| if is_negative { -number } else { number }));
            }
        }
        part
    }

    /// Returns `true` if a polygon lies in a face that looks the same way as this normal.
    fn has(&self, polygon: &[Point], axis: usize, far: bool, normal: &[BigInt; 3]) -> bool {
        let along = dot(&self.axes[axis], normal).sign();
        let same = if far { Sign::Plus } else { Sign::Minus };
        along == same
            && polygon
                .iter()
                .all(|point| self.beyond(axis, far, point).sign() == Sign::NoSign)
    }
}

/// Returns six times the volume between the origin and the part of a face that is in another box,
/// times 2^DIGITS.
fn below(own: &Body, other: &Body, axis: usize, far: bool, is_first: bool) -> BigInt {
    let mut polygon = own.face(axis, far);
    let normal = own.axes[axis].clone().map(|number| if far { number } else { -number });
    for k in 0..3 {
        for side in [false, true] {
            if polygon.is_empty() || (!is_first && other.has(&polygon, k, side, &normal)) {
                return BigInt::ZERO;
            }
            polygon = other.clip(&polygon, k, side);
        }
    }
    let mut sum = BigInt::ZERO;
    for k in 1..polygon.len().max(2) - 1 {
        let [a, b, c] = [&polygon[0], &polygon[k], &polygon[k + 1]];
        let cross = [
            &b[1] * &c[2] - &c[1] * &b[2],
            &b[2] * &c[0] - &c[2] * &b[0],
            &b[0] * &c[1] - &c[0] * &b[1],
        ];
        sum += (dot(&a[..3], &cross) << DIGITS) / (&a[3] * &b[3] * &c[3]);
    }
    sum
}

/// Returns the volumes of two boxes, the second moved by another vector, and of their overlap.
pub fn volumes([a, b]: [&Obb64; 2], moved: [f64; 3]) -> Volumes {
    let apart = [b.center.to_array(), (-a.center).to_array(), moved];
    let halves = [a, b].map(|obb| obb.half_extents.to_array().map(f64::from));
    let lengths = grain(apart.into_iter().chain(halves).flatten());
    let turns = [a, b].map(|obb| {
        let turn = obb.rotation.to_array().map(f64::from);
        let grain = grain(turn.into_iter());
        axes(&turn.map(|number| whole(number, grain)))
    });
    let scale = &turns[0].1 * &turns[1].1;
    let along = |k: usize| apart.iter().map(|part| whole(part[k], lengths)).sum::<BigInt>() * &scale;
    let centers = [[0; 3].map(BigInt::from), [along(0), along(1), along(2)]];
    let body = |k: usize| {
        let ((axes, own), (_, other)) = (&turns[k], &turns[1 - k]);
        let half = halves[k].map(|h| whole(h, lengths));
        Body {
            center: centers[k].clone(),
            axes: axes.clone(),
            edges: std::array::from_fn(|i| std::array::from_fn(|j| &axes[i][j] * other * &half[i])),
            reach: half.map(|h| own * own * other * h),
        }
    };
    let bodies = [body(0), body(1)];
    let mut shared = BigInt::ZERO;
    for axis in 0..3 {
        for far in [false, true] {
            shared += below(&bodies[0], &bodies[1], axis, far, true);
            shared += below(&bodies[1], &bodies[0], axis, far, false);
        }
    }
    let cube = &scale * &scale * &scale;
    let size = |half: [f64; 3]| -> BigInt {
        let product: BigInt = half.iter().map(|&h| whole(h, lengths)).product();
        product * 8 * &cube
    };
    let of = halves.map(size);
    let has_volume = of.iter().all(|volume| volume.sign() == Sign::Plus);
    let digits = DIGITS as i32 - 3 * lengths;
    Volumes {
        shared: if has_volume { shared / 6 } else { BigInt::ZERO },
        of,
        unit: match digits {
            0.. => cube << digits as usize,
            _ => cube >> -digits as usize,
        },
    }
}
