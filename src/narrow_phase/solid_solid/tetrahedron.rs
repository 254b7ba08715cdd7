//! The point of a tetrahedron that is nearest to the origin, in `f64`, with all its parts side by
//! side in lanes.
//!
//! The numbers are those of [`simplex`](super::simplex), but there are hardly any branches: the
//! part that contains the point differs between pairs of solids, and a mispredicted branch costs as
//! much as a third of this whole function. Edges and triangles are left to branches, because the
//! point is usually inside those.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4, mask64x4};

use crate::base::lanes::axes;
use crate::geometry::rotation::cross;
use crate::narrow_phase::solid_solid::simplex::{Nearest, SINE, Simplex, Vector, along, dot, minus};

impl Simplex<f64> {
    /// [`Simplex::nearest`] for a simplex with a last corner.
    #[inline(always)]
    pub fn nearest_in_lanes<S: Simd>(&self, simd: S, last: u8, volume: f64) -> Nearest<f64> {
        match self.places().len() {
            4 => self.tetrahedron_in_lanes(simd, last, volume),
            _ => self.nearest(last, volume),
        }
    }

    /// The last corner, `w`, is an end of three edges to the other corners, which follow it in the
    /// places, and a corner of three triangles with two of those each. The fourth lane repeats the
    /// first edge, and has a triangle that is flat.
    #[inline(always)]
    fn tetrahedron_in_lanes<S: Simd>(&self, simd: S, last: u8, volume: f64) -> Nearest<f64> {
        let w = last.trailing_zeros() as usize;
        let [i, j, k] = [w + 1, w + 2, w + 3];
        let (u, v) = (self.lanes(simd, [i, j, k, i]), self.lanes(simd, [j, k, i, i]));
        let w = axes!(|axis| f64x4::splat(simd, self.at(w)[axis]));
        let (u, v) = (minus(u, w), minus(v, w));
        let normal = cross(u, v);
        let height = dot(normal, w);
        if inside(u, normal, height) > volume {
            return Nearest {
                point: [0.0; 3],
                square: 0.0,
                kept: 0b1111,
            };
        }
        let sine = SINE * f64::EPSILON;
        let zero = f64x4::splat(simd, 0.0);
        let square = dot(normal, normal);
        let turned = cross(normal, w);
        let (of_u, of_v) = (-dot(v, turned), dot(u, turned));
        let of_w = square - of_u - of_v;
        let (uu, vv) = (dot(u, u), dot(v, v));
        let is_plane = square.simd_gt(uu * vv * (sine * sine));
        let is_over = is_plane & of_u.simd_ge(zero) & of_v.simd_ge(zero) & of_w.simd_ge(zero);
        let part = height / square;

        let way = -dot(w, u);
        let (is_at_w, is_at_other) = (way.simd_le(zero), way.simd_ge(uu));
        let on_edge = along(w, is_at_w.select(zero, is_at_other.select(zero + 1.0, way / uu)), u);
        // If the origin is over a triangle, that gives the point with more digits than its sides
        // do.
        let over = is_over.to_bitmask();
        let is_side = mask64x4::from_bitmask(simd, (over | over << 1 | over << 3 | over >> 2) & 15);
        let edge_square = is_side.select(zero + f64::INFINITY, dot(on_edge, on_edge));

        let squares = is_over.select(height * part, edge_square);
        let least = squares.reduce_min();
        let lane = squares.simd_eq(least).to_bitmask().trailing_zeros() as usize & 3;
        let point = axes!(|axis| is_over.select(normal[axis] * part, on_edge[axis]).as_array()[lane]);
        let is = |lanes: u64| lanes >> lane & 1 == 1;
        let place = |lane: usize| 1u8 << ((i + lane % 3) & 3);
        let kept = if is(over) {
            last | place(lane) | place(lane + 1)
        } else if is(is_at_w.to_bitmask()) {
            last
        } else if is(is_at_other.to_bitmask()) {
            place(lane)
        } else {
            last | place(lane)
        };
        Nearest {
            point,
            square: least,
            kept,
        }
    }

    /// Returns the coordinates of corners, by axis.
    #[inline(always)]
    fn lanes<S: Simd>(&self, simd: S, [i, j, k, l]: [usize; 4]) -> Vector<f64x4<S>> {
        let [i, j, k, l] = [self.at(i), self.at(j), self.at(k), self.at(l)];
        axes!(|axis| [i[axis], j[axis], k[axis], l[axis]].simd_into(simd))
    }
}

/// Returns the smallest volume of the tetrahedra of the origin and three of the four corners; if it
/// is above 0, the origin is inside.
#[inline(always)]
fn inside<S: Simd>(u: Vector<f64x4<S>>, normal: Vector<f64x4<S>>, height: f64x4<S>) -> f64 {
    let whole = dot(
        axes!(|axis| u[axis].as_array()[0]),
        axes!(|axis| normal[axis].as_array()[1]),
    );
    let sign = if whole < 0.0 { 1.0 } else { -1.0 };
    let [a, b, c, _] = (height * sign).to_array();
    a.min(b).min(c).min(whole.abs() - a - b - c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::lanes::{self, dispatch};
    use crate::base::split_mix::SplitMix;
    use crate::narrow_phase::solid_solid::simplex::Corner;

    /// Adds corners that are less far along the nearest point, as a search does.
    #[test]
    fn lanes_and_branches_agree() {
        let mut random = SplitMix(1);
        let mut kept = [0; 5];
        for case in 0..100_000 {
            let mut corner = || Corner {
                place: [0; 3].map(|_| 2.0 * random.unit() - 0.8),
                pair: [0; 2],
            };
            let mut simplex = Simplex::new(corner());
            simplex.push(corner());
            simplex.push(corner());
            let nearest = simplex.nearest(0, 0.0);
            let last = (0..20)
                .map(|_| corner())
                .find(|corner| dot(corner.place, nearest.point) < nearest.square);
            let (3, Some(last)) = (nearest.kept.count_ones(), last) else {
                continue;
            };
            let last = simplex.push(last);
            let expected = simplex.nearest(last, 1e-14);
            let found = dispatch!(lanes::level(), simd => simplex.nearest_in_lanes(simd, last, 1e-14));
            let told = format!("{case}: {found:?}, {expected:?}");
            assert!(
                (found.square - expected.square).abs() <= 1e-9 * expected.square,
                "{told}"
            );
            assert_eq!(found.kept, expected.kept, "{told}");
            let apart = minus(found.point, expected.point);
            assert!(dot(apart, apart) <= 1e-18, "{told}");
            kept[found.kept.count_ones() as usize] += 1;
        }
        assert!(kept[1..].iter().all(|&count| count > 50), "{kept:?}");
    }
}
