//! The principal axes of points: those along which they spread most and least.

use glam::DMat3;

use crate::fitting::cloud::Cloud;
use crate::geometry::eigenvectors::{Spread, eigenvectors};

/// Returns right-handed unit axes: the eigenvectors of the covariance of the points.
pub(super) fn principal_axes(cloud: &Cloud) -> DMat3 {
    let middle = cloud.middle().as_dvec3();
    let parts = cloud.map_ranges(|range| {
        let mut spread = Spread::default();
        for point in &cloud.points[range] {
            spread.add(point.as_dvec3() - middle);
        }
        spread
    });
    let spread = parts.into_iter().fold(Spread::default(), Spread::merge);
    eigenvectors(spread.covariance())
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3, EulerRot, Vec3};

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
