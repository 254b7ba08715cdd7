//! Lower bounds of the gap along an axis that stays perpendicular to an edge of each box.
//!
//! Boxes meet at two edges along an axis that turns with both. Along any other axis the far ends of
//! the edges soon swing over the gap, and only a fraction of it remains after a step: long rods
//! would need dozens of steps to come within the tolerance. So the third kind of axis is
//! `m(t) = a(t) × b(t)`, of an edge of each box. Its length is the sine of the
//! edges' angle, never above 1, so a gap that is wider than the error along it is also wider along
//! the unit axis. In the frame of A, in which a is fixed, the angular velocity of B is Ω, with
//! `Ω' = W_B × W_A`. Then
//!
//! ```text
//! b' = Ω × b                      b" = Ω' × b + Ω × b'
//! D' = V - W_A × D                D" = G - W_A × (V + D')
//! gap · |m| = |a · (b × D)| - Σ |a_k · b| h_l - Σ |a · b_k| h_l
//! ```
//!
//! where V and G are the velocity and the acceleration in the world, and k and l the two other axes
//! of each box. The first term is a product of three vectors, whose third derivative is the same in
//! any frame: at most `T₃ |D| + 3 T₂ |V| + 3 T₁ |G|` with those in the world, where
//! `α = |W_A × a|`, `β = |W_B × b|`, and
//!
//! ```text
//! T₁ = α + β,   T₂ = α |W_A| + 2 α β + β |W_B|,   T₃ = α |W_A| (|W_A| + 3 β) + β |W_B| (|W_B| + 3 α)
//! ```
//!
//! A product of axes of the boxes has a third derivative of at most `|Ω'| (|W_A| + 3 |Ω|) + |Ω|³`.
//! So when edges meet, the part of the gap that a step leaves is proportional to the third power of
//! time.

use glam::DVec3;

use crate::geometry::rotation::others;
use crate::narrow_phase::moving_moving::advancement::clearance::Clearance;
use crate::narrow_phase::moving_moving::advancement::clearance::reach::{Jet, Reach};
use crate::narrow_phase::moving_moving::advancement::course::Moment;

impl Clearance {
    /// Returns the bound along the axis `m`, which stays perpendicular to edge i of A and edge j of
    /// B.
    #[inline(always)]
    pub(super) fn across(moment: &Moment, [i, j]: [usize; 2]) -> Self {
        let Moment {
            offset: d,
            velocity,
            acceleration,
            turns: [w, w_b],
            ..
        } = *moment;
        let [a, b] = &moment.course.spins;
        let [j_next, j_last] = others(j);
        // The edge of B and the offset, as they move in the axes of A, and B's axes as seen from
        // the edge of A.
        let (relative, bent) = (w_b - w, w_b.cross(w));
        let edge = moment.c.col(j);
        let edge_1 = relative.cross(edge);
        let edge_2 = relative.cross(edge_1) + bent.cross(edge);
        let turned = w.cross(d);
        let d_1 = velocity - turned;
        let d_2 = acceleration - w.cross(velocity + d_1);
        let seen_1 = DVec3::AXES[i].cross(relative);
        let seen_2 = seen_1.cross(relative) + DVec3::AXES[i].cross(bent);
        let [k, l] = others(i);
        let across = |x: DVec3, y: DVec3| x[k] * y[l] - x[l] * y[k];
        let mut offset = [
            across(edge, d),
            across(edge_1, d) + across(edge, d_1),
            across(edge_2, d) + 2.0 * across(edge_1, d_1) + across(edge, d_2),
        ];
        if offset[0] < 0.0 {
            offset = offset.map(|part| -part);
        }
        let e = moment.course.drift.e;
        let margin = [moment.margin, e * moment.time, e];
        let offset = [0, 1, 2].map(|order: usize| offset[order] - margin[order]);
        let third = third_of_offset(moment, i, edge);
        let speed = relative.length();
        let of_angles = bent.length() * (a.speed + 3.0 * speed) + speed * speed * speed;
        let of_a = |axis: usize, half: f64| [edge[axis], edge_1[axis], edge_2[axis]].map(|part| part * half);
        let of_b = |axis: usize, half: f64| {
            let axis = moment.c.col(axis);
            [axis[i], axis.dot(seen_1), axis.dot(seen_2)].map(|part| part * half)
        };
        let reach = |edges: [Jet; 2], half: f64| Reach {
            edges: [edges[0], edges[1], [0.0; 3]],
            third: of_angles * half,
            span: f64::INFINITY,
            most: 0.0,
        };
        let reaches = [
            reach([of_a(l, a.half[k]), of_a(k, a.half[l])], a.half[k] + a.half[l]),
            reach(
                [of_b(j_last, b.half[j_next]), of_b(j_next, b.half[j_last])],
                b.half[j_next] + b.half[j_last],
            ),
        ];
        let size = (edge[k] * edge[k] + edge[l] * edge[l]).sqrt();
        Self {
            size,
            ..Self::of(offset, third, reaches, 1.0 / (a.speed + b.speed))
        }
    }
}

/// Returns the bound of the third derivative of the offset along `m`, as a polynomial in time.
#[inline(always)]
fn third_of_offset(moment: &Moment, i: usize, edge: DVec3) -> Jet {
    let [w_a, w_b] = moment.turns;
    let [a, b] = &moment.course.spins;
    // The speeds of the edges due to rotation, and bounds of the derivatives of their product.
    let [alpha, beta] = [w_a.cross(DVec3::AXES[i]).length(), w_b.cross(edge).length()];
    let first = alpha + beta;
    let second = alpha * a.speed + 2.0 * alpha * beta + beta * b.speed;
    let third = alpha * a.speed * (a.speed + 3.0 * beta) + beta * b.speed * (b.speed + 3.0 * alpha);
    let [d, v, g] = [moment.offset, moment.velocity, moment.acceleration].map(DVec3::length);
    [
        third * d + 3.0 * (second * v + first * g),
        third * v + 3.0 * second * g,
        0.5 * third * g,
    ]
}
