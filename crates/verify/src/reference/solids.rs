//! Classifies two convex solids, given by points, with linear programs over the points in integer
//! arithmetic. There is no hull, no face, no axis.

use glam::Vec3;
use num_bigint::BigInt;

use obbligato::contact::Contact;

/// Classifies the contact of the convex hulls of two lists of points exactly. Each list has at
/// least one point, and all coordinates are finite.
///
/// They share a point if some weighted mean of the first list is one of the second. If so, they
/// overlap if the differences of their points, with weights of at least 0, reach every direction:
/// three axes, and one opposite to all of these.
///
/// ```
/// use obbligato::{contact::Contact, glam::Vec3};
/// use obbligato_verify::reference::solids_contact;
/// let triangle = [Vec3::ZERO, Vec3::X, Vec3::Y];
/// let rod = |height: f32| [Vec3::new(0.25, 0.25, height), Vec3::new(0.25, 0.25, 2.0)];
/// let contacts = [-1.0, 0.0, 1.0].map(|height| solids_contact(&triangle, &rod(height)));
/// assert_eq!(contacts, [Contact::Overlapping, Contact::Touching, Contact::Separated]);
/// ```
pub fn solids_contact(a: &[Vec3], b: &[Vec3]) -> Contact {
    // Few inputs have more digits than 64 or 128 bits can hold.
    None.or_else(|| contact::<i64>(a, b))
        .or_else(|| contact::<i128>(a, b))
        .or_else(|| contact::<BigInt>(a, b))
        .unwrap_or_default()
}

/// Returns `true` if the convex hulls of two lists of points share a point, exactly: if some
/// weighted mean of the first is one of the second.
pub(super) fn hulls_meet(a: &[Vec3], b: &[Vec3]) -> bool {
    fn meet<T: Number>(a: &[Vec3], b: &[Vec3]) -> Option<bool> {
        let [a, b] = whole::<T>(a, b)?;
        have_common_mean(&a, &b)
    }
    None.or_else(|| meet::<i64>(a, b))
        .or_else(|| meet::<i128>(a, b))
        .or_else(|| meet::<BigInt>(a, b))
        .unwrap_or_default()
}

/// Converts two lists of points to integers of one unit; `None` if one is too large.
fn whole<T: Number>(a: &[Vec3], b: &[Vec3]) -> Option<[Vec<[T; 3]>; 2]> {
    let power = smallest_power(a.iter().chain(b));
    let whole = |points: &[Vec3]| -> Option<Vec<[T; 3]>> {
        let coordinate = |x: f32| {
            let (digits, of_digits) = digits(x);
            T::shifted(digits, if digits == 0 { 0 } else { (of_digits - power) as u32 })
        };
        let point = |p: &Vec3| Some([coordinate(p.x)?, coordinate(p.y)?, coordinate(p.z)?]);
        points.iter().map(point).collect()
    };
    Some([whole(a)?, whole(b)?])
}

fn minus<T: Number>(point: &[T; 3]) -> Option<[T; 3]> {
    Some([point[0].negated()?, point[1].negated()?, point[2].negated()?])
}

/// Returns `true` if some weighted mean of the first is one of the second, or `None` if a number is
/// too large.
fn have_common_mean<T: Number>(a: &[[T; 3]], b: &[[T; 3]]) -> Option<bool> {
    let number = |n: i32| T::shifted(n, 0);
    let mut means = Vec::new();
    for [x, y, z] in a {
        means.push([x.clone(), y.clone(), z.clone(), number(1)?, number(0)?]);
    }
    for point in b {
        let [x, y, z] = minus(point)?;
        means.push([x, y, z, number(0)?, number(1)?]);
    }
    let zero = || number(0);
    is_feasible(&means, [zero()?, zero()?, zero()?, number(1)?, number(1)?])
}

/// Returns the contact, or `None` if a number is too large.
fn contact<T: Number>(a: &[Vec3], b: &[Vec3]) -> Option<Contact> {
    let [a, b] = whole::<T>(a, b)?;
    if !have_common_mean(&a, &b)? {
        return Some(Contact::Separated);
    }
    let number = |n: i32| T::shifted(n, 0);
    let zero = || number(0);
    let mut differences = Vec::new();
    for [x, y, z] in &a {
        differences.push([x.clone(), y.clone(), z.clone(), number(1)?]);
    }
    for point in &b {
        let [x, y, z] = minus(point)?;
        differences.push([x, y, z, number(-1)?]);
    }
    for direction in [[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, -1, -1]] {
        let [x, y, z] = direction.map(number);
        if !is_feasible(&differences, [x?, y?, z?, zero()?])? {
            return Some(Contact::Touching);
        }
    }
    Some(Contact::Overlapping)
}

/// Returns `true` if some sum of the columns, each with a weight of at least 0, equals the goal.
/// This is the first phase of the simplex method, with Bland's rule, which guarantees termination;
/// without fractions (Edmonds, "Systems of Distinct Representatives and Linear Algebra", 1967): all
/// entries have one denominator, the last pivot.
fn is_feasible<T: Number, const ROWS: usize>(columns: &[[T; ROWS]], goal: [T; ROWS]) -> Option<bool> {
    let count = columns.len();
    let zero = T::shifted(0, 0)?;
    let mut rows: Vec<Vec<T>> = Vec::new();
    for (k, goal) in goal.iter().enumerate() {
        let mut row: Vec<T> = columns.iter().map(|column| column[k].clone()).collect();
        row.push(goal.clone());
        if *goal < zero {
            row = row.iter().map(T::negated).collect::<Option<_>>()?;
        }
        rows.push(row);
    }
    // The objective that must become 0: minus the sum of all rows.
    let sum = |j: usize| rows.iter().try_fold(zero.clone(), |sum, row| sum.less(&row[j]));
    let costs: Vec<T> = (0..=count).map(sum).collect::<Option<_>>()?;
    rows.push(costs);
    // At first each row has an artificial variable, numbered after the columns, which never returns
    // to the basis.
    let mut basis: Vec<usize> = (count..count + ROWS).collect();
    let mut under = T::shifted(1, 0)?;
    loop {
        let Some(entering) = (0..count).find(|&j| rows[ROWS][j] < zero) else {
            return Some(rows[ROWS][count] == zero);
        };
        let mut leaving: Option<usize> = None;
        for i in (0..ROWS).filter(|&i| rows[i][entering] > zero) {
            let is_less = match leaving {
                None => true,
                Some(k) => {
                    let own = rows[i][count].product(&rows[k][entering])?;
                    let other = rows[k][count].product(&rows[i][entering])?;
                    own < other || own == other && basis[i] < basis[k]
                }
            };
            leaving = if is_less { Some(i) } else { leaving };
        }
        // The costs are bounded by 0, so there is one.
        let leaving = leaving?;
        basis[leaving] = entering;
        let pivot_row = rows[leaving].clone();
        let pivot = pivot_row[entering].clone();
        for i in (0..=ROWS).filter(|&i| i != leaving) {
            let factor = rows[i][entering].clone();
            for (entry, own) in rows[i].iter_mut().zip(&pivot_row) {
                let over = entry.product(&pivot)?.less(&factor.product(own)?)?;
                *entry = over.divided(&under);
            }
        }
        under = pivot;
    }
}

/// Returns the odd integer and the power of two whose product is x; 0 is 0 times any power.
fn digits(x: f32) -> (i32, i32) {
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 23 & 0xFF) as i32, (bits & 0x7F_FFFF) as i32);
    let digits = if exponent == 0 { fraction } else { fraction | 0x80_0000 };
    let zeros = if digits == 0 { 0 } else { digits.trailing_zeros() as i32 };
    let digits = digits >> zeros;
    (if x < 0.0 { -digits } else { digits }, exponent.max(1) - 150 + zeros)
}

fn smallest_power<'a>(points: impl Iterator<Item = &'a Vec3>) -> i32 {
    let numbers = points.flat_map(|point| point.to_array()).filter(|&x| x != 0.0);
    numbers.map(|x| digits(x).1).min().unwrap_or(0)
}

/// Integers. Operations return `None` if the result has too many digits.
trait Number: Clone + PartialOrd {
    fn shifted(digits: i32, power: u32) -> Option<Self>;
    fn negated(&self) -> Option<Self>;
    fn less(&self, other: &Self) -> Option<Self>;
    fn product(&self, other: &Self) -> Option<Self>;
    /// Divides by a number that is known to leave no remainder.
    fn divided(&self, by: &Self) -> Self;
}

macro_rules! machine_numbers {
    ($($number:ty)*) => {$(
        impl Number for $number {
            fn shifted(digits: i32, power: u32) -> Option<Self> {
                let number = Self::from(digits);
                (power + 33 <= Self::BITS).then(|| number << power)
            }

            fn negated(&self) -> Option<Self> {
                self.checked_neg()
            }

            fn less(&self, other: &Self) -> Option<Self> {
                self.checked_sub(*other)
            }

            fn product(&self, other: &Self) -> Option<Self> {
                self.checked_mul(*other)
            }

            fn divided(&self, by: &Self) -> Self {
                self / by
            }
        }
    )*};
}

machine_numbers!(i64 i128);

impl Number for BigInt {
    fn shifted(digits: i32, power: u32) -> Option<Self> {
        Some(Self::from(digits) << power)
    }

    fn negated(&self) -> Option<Self> {
        Some(-self)
    }

    fn less(&self, other: &Self) -> Option<Self> {
        Some(self - other)
    }

    fn product(&self, other: &Self) -> Option<Self> {
        Some(self * other)
    }

    fn divided(&self, by: &Self) -> Self {
        self / by
    }
}
