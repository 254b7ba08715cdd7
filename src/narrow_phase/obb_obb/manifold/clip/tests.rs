//! Clipped faces, compared with those of another algorithm.

use glam::DVec3;

use crate::base::split_mix::SplitMix;
use crate::narrow_phase::obb_obb::manifold::clip::{Face, MOST_CORNERS, Reference};

/// Returns the signed area of a polygon.
fn area(corners: &[[f64; 3]]) -> f64 {
    let next = corners.iter().cycle().skip(1);
    corners
        .iter()
        .zip(next)
        .map(|(a, b)| (a[0] * b[1] - a[1] * b[0]) / 2.0)
        .sum()
}

/// Returns the corners of the incident face that clipping at one side of the reference face after
/// the other leaves (Sutherland and Hodgman, "Reentrant Polygon Clipping", Communications of the
/// ACM 17, 1974).
fn cut(reference: &Reference) -> Vec<[f64; 3]> {
    let [m, n] = [
        reference.axes[0] * reference.extents[0],
        reference.axes[1] * reference.extents[1],
    ];
    let mut left: Vec<[f64; 3]> = [m + n, n - m, -m - n, m - n]
        .map(|at| (reference.center + at).to_array())
        .into();
    for (axis, sign) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)] {
        let beyond = |at: &[f64; 3]| sign * at[axis] - reference.half[axis];
        let before = std::mem::take(&mut left);
        for (k, at) in before.iter().enumerate() {
            let next = &before[(k + 1) % before.len()];
            let (here, there) = (beyond(at), beyond(next));
            if here <= 0.0 {
                left.push(*at);
            }
            if (here <= 0.0) != (there <= 0.0) {
                left.push([0, 1, 2].map(|axis| at[axis] + (next[axis] - at[axis]) * here / (here - there)));
            }
        }
    }
    left
}

/// The intersection of random faces has the right area, and its corners go round it.
#[test]
fn clipped_faces_have_the_right_area_and_order() {
    let mut random = SplitMix(3);
    let mut counts = [0; MOST_CORNERS + 1];
    for round in 0..40_000 {
        // In every other round faces end together.
        let mut number = || match random.unit() {
            part if round % 2 == 0 => part,
            part => (part * 4.0).round() / 4.0,
        };
        let (half, center) = (
            [number() + 0.25, number() + 0.25],
            [2.0 * number() - 1.0, 2.0 * number() - 1.0],
        );
        let [a, b, c, d] = [0; 4].map(|_| 2.0 * number() - 1.0);
        let reference = Reference {
            face: Face {
                axis: 1,
                positive: true,
            },
            half,
            height: 1.0,
            center: DVec3::new(center[0], center[1], -9.0),
            axes: [DVec3::new(a, b, 0.0), DVec3::new(c, d, 0.0), DVec3::Z],
            extents: [number() + 0.25, number() + 0.25, 1.0],
            incident: Face {
                axis: 2,
                positive: true,
            },
            slop: 1e-7,
        };
        let mut found = Vec::new();
        let count = reference.points(|at, _| found.push(at));
        let left = cut(&reference);
        let context = || format!("{round}: {found:?} {left:?}");
        assert!((area(&found) - area(&left)).abs() < 1e-5, "{}", context());
        let way = area(&found).signum();
        for k in 0..count {
            let three = [0, 1, 2].map(|step| found[(k + step) % count]);
            assert!(count < 3 || way * area(&three) > -1e-6, "{}", context());
        }
        counts[count] += 1;
    }
    assert!(counts[3..].iter().all(|&count| count > 20), "{counts:?}");
}
