//! The principal axes of points: those along which they spread most and least.

use glam::{DMat3, DVec3};

use crate::fitting::cloud::Cloud;

/// More rounds than Jacobi's method ever takes for three axes: it squares what is left with each.
const ROUNDS: usize = 16;

/// Right-handed unit axes: the eigenvectors of the covariance of the points.
pub(super) fn principal_axes(cloud: &Cloud) -> DMat3 {
    let middle = cloud.middle().as_dvec3();
    let parts = cloud.map_ranges(|range| {
        let (mut sum, mut squares) = (DVec3::ZERO, DMat3::ZERO);
        for point in &cloud.points[range] {
            let from = point.as_dvec3() - middle;
            sum += from;
            squares += outer(from);
        }
        (sum, squares)
    });
    let (sum, squares) = parts
        .into_iter()
        .fold((DVec3::ZERO, DMat3::ZERO), |a, b| (a.0 + b.0, a.1 + b.1));
    let share = 1.0 / cloud.points.len() as f64;
    eigenvectors(squares * share - outer(sum * share))
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

/// The eigenvectors of a symmetric matrix, by Jacobi's rotations (Golub and Van Loan, "Matrix Computations", 8.5).
fn eigenvectors(mut matrix: DMat3) -> DMat3 {
    let mut vectors = DMat3::IDENTITY;
    for _ in 0..ROUNDS {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off = matrix.col(q)[p];
            let difference = matrix.col(q)[q] - matrix.col(p)[p];
            // What is that small changes nothing.
            if off.abs() <= f64::EPSILON * 1e-3 * (matrix.col(p)[p].abs() + matrix.col(q)[q].abs()) {
                continue;
            }
            let ratio = difference / (2.0 * off);
            let tangent = ratio.signum() / (ratio.abs() + (ratio * ratio + 1.0).sqrt());
            let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
            let mut turn = DMat3::IDENTITY;
            (turn.col_mut(p)[p], turn.col_mut(q)[q]) = (cosine, cosine);
            (turn.col_mut(q)[p], turn.col_mut(p)[q]) = (tangent * cosine, -tangent * cosine);
            matrix = turn.transpose() * matrix * turn;
            vectors *= turn;
        }
    }
    vectors
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, EulerRot, Vec3};

    use super::*;

    #[test]
    fn axes_of_an_ellipsoid() {
        let turn = DMat3::from_quat(DQuat::from_euler(EulerRot::XYZ, 0.3, 1.1, -0.7));
        let ends = (0..3).flat_map(|k| {
            let axis = turn.col(k) * [1.0, 5.0, 0.2][k];
            [axis, -axis]
        });
        let points: Vec<Vec3> = ends.map(|end| (end + DVec3::new(7.0, -2.0, 1.0)).as_vec3()).collect();
        let found = principal_axes(&Cloud::new(&points, None).expect("valid points"));
        assert!((found.determinant() - 1.0).abs() < 1e-12);
        for k in 0..3 {
            let same = (0..3).filter(|&j| found.col(j).dot(turn.col(k)).abs() > 1.0 - 1e-6);
            assert_eq!(same.count(), 1, "{found} {turn}");
        }
    }
}
