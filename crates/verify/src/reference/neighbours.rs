//! The points nearest to a point, by rational arithmetic.

use obbligato::glam::DVec3;

use crate::reference::rational::Rational;

/// A neighbour with the exact square of its distance.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    /// Its position.
    pub id: u32,
    /// The square of its distance.
    pub square: Rational,
}

impl Neighbour {
    /// Returns `true` if a distance is within two units in the last place of the exact one.
    pub fn has_distance(&self, distance: f64) -> bool {
        let square = |x: f64| Rational::from(x).square();
        let low = distance.next_down().next_down().max(0.0);
        let high = distance.next_up().next_up();
        square(low) <= self.square && self.square <= square(high)
    }
}

/// Returns the points nearest to a point, by the exact square of their distance, then by position:
/// at most `count` of them, and at most `radius` away, if these are given. The points are given
/// with their positions.
pub fn nearest_points(
    from: DVec3,
    points: impl Iterator<Item = (u32, DVec3)>,
    count: Option<usize>,
    radius: Option<f64>,
) -> Vec<Neighbour> {
    let mut points: Vec<(f64, u32, DVec3)> = points.map(|(id, at)| (from.distance(at), id, at)).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Whatever is clearly too far away by rounded numbers needs no others.
    let farthest = count
        .and_then(|count| points.get(count))
        .map_or(f64::INFINITY, |far| far.0);
    let most = farthest.min(radius.unwrap_or(f64::INFINITY)) * (1.0 + 1e-9) + 1e-140;
    let mut near: Vec<Neighbour> = points
        .iter()
        .take_while(|point| point.0 <= most)
        .map(|&(_, id, at)| Neighbour {
            id,
            square: square_of_distance(from, at),
        })
        .collect();
    if let Some(radius) = radius.filter(|radius| radius.is_finite()) {
        near.retain(|near| near.square <= Rational::from(radius).square());
    }
    near.sort_by(|a, b| a.square.cmp(&b.square).then(a.id.cmp(&b.id)));
    near.truncate(count.unwrap_or(usize::MAX));
    near
}

fn square_of_distance(a: DVec3, b: DVec3) -> Rational {
    let way = |axis: usize| (Rational::from(a[axis]) - Rational::from(b[axis])).square();
    way(0) + way(1) + way(2)
}
