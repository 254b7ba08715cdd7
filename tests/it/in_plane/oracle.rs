//! The relation of two figures in the plane, in integers of any size: separating axes of their
//! cores, and the distance of corners to sides.

use std::cmp::Ordering;

use num_bigint::BigInt;
use obbligato::contact::Contact;

/// A rectangle with rounded corners, as its numbers are in a file.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    pub center: [f32; 2],
    pub half: [f32; 2],
    /// The quaternion's z and w.
    pub turn: [f32; 2],
    pub radius: f32,
    pub is_box: bool,
}

type Vector = [BigInt; 2];

impl Figure {
    fn has_no_area(&self) -> bool {
        match self.is_box {
            true => self.half.contains(&0.0),
            false => self.radius == 0.0,
        }
    }

    fn lengths(&self) -> [f32; 5] {
        [self.center[0], self.center[1], self.half[0], self.half[1], self.radius]
    }
}

/// Returns a number as an integer times 2^`power`.
fn scaled(x: f32, power: i32) -> BigInt {
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 23 & 255) as i32, bits & 0x7f_ffff);
    let (whole, own) = match exponent {
        0 => (fraction, -149),
        _ => (fraction | 1 << 23, exponent - 150),
    };
    if whole == 0 {
        return BigInt::ZERO;
    }
    let shift = own - power;
    let whole = match shift >= 0 {
        true => BigInt::from(whole) << shift,
        false => BigInt::from(whole >> -shift),
    };
    if x < 0.0 { -whole } else { whole }
}

/// Returns a power of two that divides all of some numbers.
fn grain(numbers: impl IntoIterator<Item = f32>) -> i32 {
    let of = |x: f32| {
        let exponent = (x.to_bits() >> 23 & 255) as i32;
        let fraction = (x.to_bits() & 0x7f_ffff) | if exponent == 0 { 0 } else { 1 << 23 };
        exponent.max(1) - 150 + fraction.trailing_zeros() as i32
    };
    numbers.into_iter().filter(|x| *x != 0.0).map(of).min().unwrap_or(0)
}

fn dot(a: &Vector, b: &Vector) -> BigInt {
    &a[0] * &b[0] + &a[1] * &b[1]
}

fn cross(a: &Vector, b: &Vector) -> BigInt {
    &a[0] * &b[1] - &a[1] * &b[0]
}

fn minus(a: &Vector, b: &Vector) -> Vector {
    [&a[0] - &b[0], &a[1] - &b[1]]
}

/// A figure in integers, all lengths times the squares of both quaternions.
struct Whole {
    /// The corners in order around it.
    corners: [Vector; 4],
    /// Its own axes, not of length 1.
    axes: [Vector; 2],
    /// The unscaled size of its turn.
    radius: BigInt,
}

/// The cosine and the sine of a turn, and the square of the quaternion, by which they are too
/// large.
fn turn(figure: &Figure) -> (BigInt, BigInt, BigInt) {
    let power = grain(figure.turn);
    let [z, w] = figure.turn.map(|x| scaled(x, power));
    (&w * &w - &z * &z, BigInt::from(2) * &z * &w, &w * &w + &z * &z)
}

fn whole(figure: &Figure, power: i32, others: &BigInt) -> Whole {
    let (cosine, sine, square) = turn(figure);
    let [x, y, a, b, radius] = figure.lengths().map(|x| scaled(x, power));
    let center = [x, y].map(|x| x * &square * others);
    let along = [&a * &cosine * others, &a * &sine * others];
    let across = [-(&b * &sine * others), &b * &cosine * others];
    let corner = |s: i32, t: i32| [0, 1].map(|k| &center[k] + s * &along[k] + t * &across[k]);
    Whole {
        corners: [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)],
        axes: [[cosine.clone(), sine.clone()], [-sine, cosine]],
        radius: radius * square * others,
    }
}

/// Returns the sign of the largest gap of the cores along their axes.
fn gap([a, b]: [&Whole; 2]) -> Ordering {
    let range = |body: &Whole, axis: &Vector| {
        let along = body.corners.each_ref().map(|corner| dot(corner, axis));
        let [low, high] = [along.iter().min().cloned(), along.iter().max().cloned()];
        [low.expect("four"), high.expect("four")]
    };
    let axes = a.axes.iter().chain(&b.axes);
    let gaps = axes.map(|axis| {
        let ([low_a, high_a], [low_b, high_b]) = (range(a, axis), range(b, axis));
        (low_b - high_a).max(low_a - high_b).cmp(&BigInt::ZERO)
    });
    gaps.max().expect("four")
}

/// Compares the distance of a point and a side with a length.
fn compare(point: &Vector, [from, to]: [&Vector; 2], length: &BigInt) -> Ordering {
    let (along, way) = (minus(to, from), minus(point, from));
    let (place, square) = (dot(&way, &along), dot(&along, &along));
    let limit = length * length;
    if place <= BigInt::ZERO {
        return dot(&way, &way).cmp(&limit);
    }
    if place >= square {
        let way = minus(point, to);
        return dot(&way, &way).cmp(&limit);
    }
    let across = cross(&way, &along);
    (&across * &across).cmp(&(limit * square))
}

/// Returns the relation of two figures.
pub fn relation(a: &Figure, b: &Figure) -> Contact {
    let power = grain(a.lengths().into_iter().chain(b.lengths()));
    let wholes = [whole(a, power, &turn(b).2), whole(b, power, &turn(a).2)];
    let [first, second] = wholes.each_ref();
    let cores = gap([first, second]);
    let reach = &first.radius + &second.radius;
    let order = match (cores, reach == BigInt::ZERO) {
        (cores, true) => cores,
        (Ordering::Less | Ordering::Equal, false) => Ordering::Less,
        (Ordering::Greater, false) => {
            let pairs = [[first, second], [second, first]].into_iter();
            let each = pairs.flat_map(|[one, other]| {
                let side = |k: usize| [&other.corners[k], &other.corners[(k + 1) % 4]];
                let sides = move |corner| (0..4).map(move |k| (corner, side(k)));
                one.corners.iter().flat_map(sides)
            });
            each.map(|(corner, side)| compare(corner, side, &reach))
                .min()
                .expect("sides")
        }
    };
    match order {
        Ordering::Greater => Contact::Separated,
        Ordering::Equal => Contact::Touching,
        Ordering::Less if a.has_no_area() || b.has_no_area() => Contact::Touching,
        Ordering::Less => Contact::Overlapping,
    }
}
