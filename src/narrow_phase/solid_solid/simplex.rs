//! The point of a simplex that is nearest to the origin.
//!
//! A simplex is one to four differences of a point of A and a point of B. Signs of volumes
//! determine which of its parts (corners, edges, triangles) contains the nearest point (Montanari,
//! Petrinic and Barbieri, "Improving the GJK algorithm for faster and more reliable distance
//! queries between convex objects", ACM Transactions on Graphics 36, 2017): a negative coordinate
//! rules out the inside, and leaves the part opposite its corner. Unlike in that paper, every part
//! whose sign is negative or uncertain is tested, and the nearest wins, so that a sign corrupted by
//! rounding does not mislead. A triangle gives the point along its normal, which has all its digits
//! however close to the origin it is.
//!
//! Corners may be equal, on a line or in a plane. They stay in place among four places, and bits
//! mark the places in use, so that a step of a search moves nothing.

use std::ops::{Div, Neg};

use crate::geometry::double::Double;
use crate::geometry::rotation::{Number, cross};

/// The numbers in which distances are computed.
pub(super) trait Real: Number + Div<Output = Self> + Neg<Output = Self> + PartialOrd + From<f64> {
    /// A bound above the relative error of an operation.
    const EPSILON: f64;

    /// Returns the nearest `f64`.
    fn rounded(self) -> f64;
}

impl Real for f64 {
    const EPSILON: f64 = f64::EPSILON;

    #[inline(always)]
    fn rounded(self) -> f64 {
        self
    }
}

impl Real for Double {
    const EPSILON: f64 = 1.0 / (1u128 << 100) as f64;

    #[inline(always)]
    fn rounded(self) -> f64 {
        Self::rounded(self)
    }
}

/// The product of both edges, in epsilons, below which a normal may have no correct digits; its
/// error is only a few epsilons of that product.
pub(super) const SINE: f64 = 1024.0;

pub(super) type Vector<T> = [T; 3];

#[inline(always)]
pub(super) fn dot<T: Number>(u: Vector<T>, v: Vector<T>) -> T {
    u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
}

#[inline(always)]
pub(super) fn minus<T: Number>(u: Vector<T>, v: Vector<T>) -> Vector<T> {
    [u[0] - v[0], u[1] - v[1], u[2] - v[2]]
}

/// Returns `u + s v`.
#[inline(always)]
pub(super) fn along<T: Number>(u: Vector<T>, s: T, v: Vector<T>) -> Vector<T> {
    [u[0] + s * v[0], u[1] + s * v[1], u[2] + s * v[2]]
}

/// A point of A less a point of B, with the numbers of both.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner<T> {
    pub place: Vector<T>,
    pub pair: [u32; 2],
}

/// Up to four corners.
#[derive(Clone, Copy, Debug)]
pub(super) struct Simplex<T> {
    corners: [Corner<T>; 4],
    /// The bits of the places that hold a corner.
    used: u8,
}

/// The point of a simplex that is nearest to the origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest<T> {
    pub point: Vector<T>,
    /// The squared distance of the point from the origin.
    pub square: T,
    /// The bits of the corners that it is a mean of.
    pub kept: u8,
}

impl<T: Real> Nearest<T> {
    /// Returns a point further than any other.
    #[inline(always)]
    fn nowhere() -> Self {
        Self {
            point: [T::from(0.0); 3],
            square: T::from(f64::INFINITY),
            kept: 0,
        }
    }

    /// Returns `true` if the origin is certainly inside the simplex.
    #[inline(always)]
    pub fn is_origin(&self) -> bool {
        self.kept == 0b1111
    }

    #[inline(always)]
    fn take_nearer(&mut self, other: Self) {
        if other.square < self.square {
            *self = other;
        }
    }
}

impl<T: Real> Simplex<T> {
    #[inline(always)]
    pub fn new(corner: Corner<T>) -> Self {
        Self {
            corners: [corner; 4],
            used: 1,
        }
    }

    /// Puts a corner into a free place, of which there must be one, and returns its bit.
    #[inline(always)]
    pub fn push(&mut self, corner: Corner<T>) -> u8 {
        let place = self.used.trailing_ones() as usize & 3;
        self.corners[place] = corner;
        self.used |= 1 << place;
        1 << place
    }

    /// Drops the corners with these bits.
    #[inline(always)]
    pub fn drop(&mut self, corners: u8) {
        self.used &= !corners;
    }

    /// Keeps the corners that a nearest point is a mean of.
    #[inline(always)]
    pub fn reduce(&mut self, nearest: &Nearest<T>) {
        self.used = nearest.kept;
    }

    /// Returns the places that hold a corner.
    #[inline(always)]
    pub fn places(&self) -> &'static [usize] {
        const PLACES: [&[usize]; 16] = [
            &[],
            &[0],
            &[1],
            &[0, 1],
            &[2],
            &[0, 2],
            &[1, 2],
            &[0, 1, 2],
            &[3],
            &[0, 3],
            &[1, 3],
            &[0, 1, 3],
            &[2, 3],
            &[0, 2, 3],
            &[1, 2, 3],
            &[0, 1, 2, 3],
        ];
        PLACES[usize::from(self.used & 15)]
    }

    #[inline(always)]
    pub fn corners(&self) -> impl Iterator<Item = &Corner<T>> {
        self.places().iter().map(|&place| &self.corners[place & 3])
    }

    #[inline(always)]
    pub fn has(&self, pair: [u32; 2]) -> bool {
        self.corners().any(|corner| corner.pair == pair)
    }

    /// Returns the point nearest to the origin among the means of some corners and the one with the
    /// bit `last`; if `last` is 0, among all points. A volume of at most `volume` has no certain
    /// sign.
    #[inline(always)]
    pub fn nearest(&self, last: u8, volume: T) -> Nearest<T> {
        match *self.places() {
            [i] => self.corner(i),
            [i, j] => self.edge([i, j]),
            [i, j, k] => self.triangle([i, j, k], last),
            _ => self.tetrahedron(last, volume),
        }
    }

    /// Returns the weights, with the sum 1, of the corners whose mean is the nearest point; the
    /// point must need all of them.
    #[inline(always)]
    pub fn weights(&self) -> impl Iterator<Item = (T, &Corner<T>)> {
        let mut weights = [T::from(1.0); 4];
        match *self.places() {
            [i, j] => {
                let edge = minus(self.at(j), self.at(i));
                let part = -dot(self.at(i), edge);
                (weights[i & 3], weights[j & 3]) = (dot(edge, edge) - part, part);
            }
            [i, j, k] => {
                let plane = Plane::new([i, j, k].map(|place| self.at(place)));
                [weights[i & 3], weights[j & 3], weights[k & 3]] = plane.exact_weights();
            }
            [_, _, _, _] => weights = self.volumes(),
            _ => {}
        }
        let places = self.places().iter().map(|place| place & 3);
        let sum = places.clone().fold(T::from(0.0), |sum, place| sum + weights[place]);
        places.map(move |place| (weights[place] / sum, &self.corners[place]))
    }

    #[inline(always)]
    pub fn at(&self, place: usize) -> Vector<T> {
        self.corners[place & 3].place
    }

    #[inline(always)]
    fn corner(&self, i: usize) -> Nearest<T> {
        Nearest {
            point: self.at(i),
            square: dot(self.at(i), self.at(i)),
            kept: 1 << i,
        }
    }

    #[inline(always)]
    fn edge(&self, [i, j]: [usize; 2]) -> Nearest<T> {
        let from = self.at(i);
        let edge = minus(self.at(j), from);
        let (part, whole) = (-dot(from, edge), dot(edge, edge));
        if part <= T::from(0.0) {
            return self.corner(i);
        }
        if part >= whole {
            return self.corner(j);
        }
        let point = along(from, part / whole, edge);
        Nearest {
            point,
            square: dot(point, point),
            kept: 1 << i | 1 << j,
        }
    }

    #[inline(always)]
    fn triangle(&self, [i, j, k]: [usize; 3], last: u8) -> Nearest<T> {
        let zero = T::from(0.0);
        let plane = Plane::new([i, j, k].map(|place| self.at(place)));
        let [of_i, of_j, of_k] = plane.weights;
        if !plane.flat && of_i >= zero && of_j >= zero && of_k >= zero {
            let part = plane.height / plane.square;
            return Nearest {
                point: plane.normal.map(|coordinate| coordinate * part),
                square: plane.height * part,
                kept: 1 << i | 1 << j | 1 << k,
            };
        }
        let mut nearest = Nearest::nowhere();
        for (weight, edge) in [(of_k, [i, j]), (of_j, [i, k]), (of_i, [j, k])] {
            let bits = 1 << edge[0] | 1 << edge[1];
            if (plane.flat || weight < zero) && bits & last == last {
                nearest.take_nearer(self.edge(edge));
            }
        }
        nearest
    }

    /// Returns the volumes of the tetrahedra of the origin and three of four corners, by the corner
    /// that is left out. If all are above 0, the origin is inside.
    #[inline(always)]
    fn volumes(&self) -> [T; 4] {
        let from = self.at(0);
        let [u, v, w] = [1, 2, 3].map(|place| minus(self.at(place), from));
        let across = [cross(v, w), cross(w, u), cross(u, v)];
        let whole = dot(u, across[0]);
        let turned = whole < T::from(0.0);
        let signed = |number: T| if turned { number } else { -number };
        let [a, b, c] = across.map(|across| signed(dot(from, across)));
        [-signed(whole) - a - b - c, a, b, c]
    }

    #[inline(always)]
    fn tetrahedron(&self, last: u8, volume: T) -> Nearest<T> {
        let volumes = self.volumes();
        if volumes.iter().all(|&of| of > volume) {
            return Nearest {
                point: [T::from(0.0); 3],
                square: T::from(0.0),
                kept: 0b1111,
            };
        }
        let flat = volumes[0] + volumes[1] + volumes[2] + volumes[3] <= volume;
        let mut nearest = Nearest::nowhere();
        for (k, triangle) in [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]].into_iter().enumerate() {
            let bits = 0b1111 & !(1 << k);
            if (flat || volumes[k] <= volume) && bits & last == last {
                nearest.take_nearer(self.triangle(triangle, last));
            }
        }
        nearest
    }
}

/// The plane of a triangle.
struct Plane<T> {
    /// A corner, and the edges to the others.
    from: Vector<T>,
    edges: [Vector<T>; 2],
    normal: Vector<T>,
    /// The squared length of the normal.
    square: T,
    /// The product of the normal with any corner.
    height: T,
    /// The weights of the corners for the point of the plane that is nearest to the origin; their
    /// sum is `square`.
    weights: [T; 3],
    /// Set if the normal has no correct digits: the edges represent the triangle as well.
    flat: bool,
}

impl<T: Real> Plane<T> {
    #[inline(always)]
    fn new([from, second, third]: [Vector<T>; 3]) -> Self {
        let (u, v) = (minus(second, from), minus(third, from));
        let normal = cross(u, v);
        let square = dot(normal, normal);
        let turned = cross(normal, from);
        let (of_second, of_third) = (-dot(v, turned), dot(u, turned));
        let sine = SINE * T::EPSILON;
        Self {
            from,
            edges: [u, v],
            normal,
            square,
            height: dot(normal, from),
            weights: [square - of_second - of_third, of_second, of_third],
            flat: square <= dot(u, u) * dot(v, v) * T::from(sine * sine),
        }
    }
    /// Returns the weights, corrected by the error of their mean: in a thin triangle far from the
    /// origin their errors are large.
    #[inline(always)]
    fn exact_weights(&self) -> [T; 3] {
        let [_, of_second, of_third] = self.weights;
        let [u, v] = self.edges;
        let mean = along(along(self.from, of_second / self.square, u), of_third / self.square, v);
        let turned = cross(self.normal, mean);
        let (of_second, of_third) = (of_second - dot(v, turned), of_third + dot(u, turned));
        [self.square - of_second - of_third, of_second, of_third]
    }
}
