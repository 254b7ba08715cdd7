//! A point that two colliding boxes share.

use fearless_simd::f64x4;
use fearless_simd::prelude::*;
use glam::DVec3;

use crate::base::lanes::{self, Simd, dispatch};
use crate::geometry::rotation::others;
use crate::narrow_phase::obb_obb::frame::Frame;

impl Frame {
    /// Returns a point in or on both of two colliding boxes. Their intersection has corners where
    /// an edge of one box enters the other. The middle of the part inside is safe from rounding.
    pub fn shared_point(&self) -> DVec3 {
        // Usually the point nearest to the other center is in the other box. If they touch, it is
        // up to a few roundings.
        let slack = 0.125 * self.error;
        let next_to_b = self.t.clamp(-self.h_a, self.h_a);
        if self.to_b(next_to_b).abs().cmple(self.h_b + slack).all() {
            return next_to_b;
        }
        let next_to_a = self.to_a(self.to_b(DVec3::ZERO).clamp(-self.h_b, self.h_b));
        if next_to_a.abs().cmple(self.h_a + slack).all() {
            return next_to_a.clamp(-self.h_a, self.h_a);
        }
        dispatch!(lanes::level(), simd => self.shared_by_edges(simd))
    }

    #[inline(always)]
    fn shared_by_edges<S: Simd>(&self, simd: S) -> DVec3 {
        let mut closest = Closest::NONE;
        let seen_from_b = self.swapped();
        for axis in 0..3 {
            closest.of_edges(simd, self, axis);
            if closest.squared == 0.0 {
                break;
            }
            let before = closest.squared;
            closest.of_edges(simd, &seen_from_b, axis);
            if closest.squared < before {
                closest = Closest {
                    inside: self.to_a(closest.on_edge),
                    ..closest
                };
            }
        }
        closest.inside
    }
}

/// The place on an edge of one box that is nearest to the other, in the frame of the latter.
struct Closest {
    squared: f64,
    on_edge: DVec3,
    inside: DVec3,
}

impl Closest {
    const NONE: Self = Self {
        squared: f64::INFINITY,
        on_edge: DVec3::ZERO,
        inside: DVec3::ZERO,
    };

    /// Considers the edges of B along this axis. Keeps the middle of the part of an edge inside A,
    /// or a nearby point if no part is inside, if it is nearer to A than the place so far.
    #[inline(always)]
    fn of_edges<S: Simd>(&mut self, simd: S, frame: &Frame, axis: usize) {
        let [k, l] = others(axis);
        // Larger by the error, so that rounding does not decide where edges in touching faces are
        // cut.
        let cut = frame.h_a + frame.error;
        // The four edges are lanes. They begin at the face of B along the axis, and end at the
        // opposite one.
        let side_k: f64x4<S> = [1.0, -1.0, 1.0, -1.0].simd_into(simd);
        let side_l: f64x4<S> = [1.0, 1.0, -1.0, -1.0].simd_into(simd);
        let begin = frame.t + frame.c.col(axis) * frame.h_b[axis];
        let along = frame.c.col(axis) * (-2.0 * frame.h_b[axis]);
        let (to_k, to_l) = (frame.c.col(k) * frame.h_b[k], frame.c.col(l) * frame.h_b[l]);
        let nothing = f64x4::splat(simd, 0.0);
        let (mut from, mut first, mut last) = ([nothing; 3], nothing, f64x4::splat(simd, 1.0));
        for i in 0..3 {
            from[i] = side_k * to_k[i] + side_l * to_l[i] + begin[i];
            let pace = 1.0 / along[i];
            // Sides that are parallel to an edge do not limit it inside the box.
            if pace.is_finite() {
                let (middle, half) = (-from[i] * pace, cut[i] * pace.abs());
                first = first.max(middle - half);
                last = last.min(middle + half);
            }
        }
        let place = ((first + last) * 0.5).max(0.0).min(1.0);
        let (mut on_edge, mut inside, mut squared) = ([[0.0; 4]; 3], [[0.0; 4]; 3], nothing);
        for i in 0..3 {
            let point = from[i] + place * along[i];
            let within = point.max(-frame.h_a[i]).min(frame.h_a[i]);
            squared += (point - within) * (point - within);
            (on_edge[i], inside[i]) = (point.into(), within.into());
        }
        for (lane, squared) in <[f64; 4]>::from(squared).into_iter().enumerate() {
            if squared < self.squared {
                *self = Self {
                    squared,
                    on_edge: DVec3::from_array(on_edge.map(|part| part[lane])),
                    inside: DVec3::from_array(inside.map(|part| part[lane])),
                };
            }
        }
    }
}
