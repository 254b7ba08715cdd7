//! The differences of the vertices of two solids.

use glam::DVec3;

use crate::base::lanes::Simd;
use crate::geometry::double::Double;
use crate::narrow_phase::solid_solid::simplex::{Corner, Vector, dot, minus};
use crate::shapes::solid::record::Solid;

/// Identifies the difference of the centers, in place of the numbers of two vertices.
pub(super) const CENTERS: [u32; 2] = [u32::MAX; 2];

/// Two solids relative to the middles of their bounds, so that no precision is lost far from the
/// origin of the world.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub a: &'a Solid,
    pub b: &'a Solid,
    /// The vector from the middle of B to that of A.
    pub apart: DVec3,
    /// The translation of B.
    moved: DVec3,
    /// The greatest distance of a vertex of A from one of B.
    pub size: f64,
}

impl<'a> Pair<'a> {
    #[inline(always)]
    pub fn new(a: &'a Solid, b: &'a Solid) -> Self {
        let [of_a, of_b] = [a, b].map(Solid::support);
        let apart = of_a.middle() - of_b.middle();
        Self {
            a,
            b,
            apart,
            moved: DVec3::ZERO,
            size: apart.length() + of_a.radius() + of_b.radius(),
        }
    }

    /// Returns the pair with B moved.
    #[inline(always)]
    pub fn moved(&self, by: DVec3) -> Self {
        Self {
            apart: self.apart - by,
            moved: self.moved + by,
            ..*self
        }
    }

    /// Returns the vector from the middle of B to that of A, or any direction if both coincide.
    #[inline(always)]
    pub fn towards(&self) -> DVec3 {
        match self.apart == DVec3::ZERO {
            true => DVec3::X,
            false => self.apart,
        }
    }

    /// Returns both vertices, or centers, relative to the middles of their solids.
    #[inline(always)]
    pub fn places(&self, pair: [u32; 2]) -> [DVec3; 2] {
        let [a, b] = [self.a, self.b].map(Solid::support);
        match pair == CENTERS {
            true => [a.center(), b.center()],
            false => [a.place(pair[0]), b.place(pair[1])],
        }
    }

    /// Returns a vertex of A less a vertex of B, or the difference of the centers.
    #[inline(always)]
    pub fn corner(&self, pair: [u32; 2]) -> Corner<f64> {
        self.corner_at(pair, self.places(pair))
    }

    #[inline(always)]
    fn corner_at(&self, pair: [u32; 2], [a, b]: [DVec3; 2]) -> Corner<f64> {
        Corner {
            place: (a - b + self.apart).to_array(),
            pair,
        }
    }

    /// Returns a vertex of A less a vertex of B without error.
    pub fn exact_corner(&self, [a, b]: [u32; 2]) -> Corner<Double> {
        let exact = |point: DVec3| point.to_array().map(Double::from);
        let [of_a, of_b] =
            [&self.a.vertices()[a as usize], &self.b.vertices()[b as usize]].map(|v| exact(v.as_dvec3()));
        Corner {
            place: minus(minus(of_a, of_b), exact(self.moved)),
            pair: [a, b],
        }
    }

    /// Returns the difference that is least far along a direction.
    #[inline(always)]
    pub fn lowest<S: Simd>(&self, simd: S, direction: DVec3) -> Corner<f64> {
        let [a, b] = [self.a, self.b].map(Solid::support);
        let pair = [a.lowest(simd, direction), b.lowest(simd, -direction)];
        self.corner_at(pair, [a.place(pair[0]), b.place(pair[1])])
    }

    /// [`lowest`](Self::lowest) in twice the digits. O(vertices), without lanes.
    pub fn lowest_exact(&self, direction: Vector<Double>) -> Corner<Double> {
        let against = direction.map(|part| -part);
        self.exact_corner([lowest_exact(self.a, direction), lowest_exact(self.b, against)])
    }
}

fn lowest_exact(solid: &Solid, direction: Vector<Double>) -> u32 {
    let support = solid.support();
    let rough = DVec3::from_array(direction.map(Double::rounded));
    let far = |vertex: u32| support.place(vertex).dot(rough);
    let all = 0..solid.vertices().len() as u32;
    let least = all.clone().map(far).fold(f64::INFINITY, f64::min);
    // Each product is off by less than half of this.
    let error = 16.0 * f64::EPSILON * support.radius() * rough.abs().element_sum();
    let middle = support.middle().to_array().map(Double::from);
    let mut best: Option<(u32, Double)> = None;
    for vertex in all.filter(|&vertex| far(vertex) <= least + error) {
        let place = solid.vertices()[vertex as usize].as_dvec3().to_array();
        let far = dot(minus(place.map(Double::from), middle), direction);
        if best.is_none_or(|(_, least)| far < least) {
            best = Some((vertex, far));
        }
    }
    best.map_or(0, |(vertex, _)| vertex)
}
