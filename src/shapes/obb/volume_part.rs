//! Oriented boxes as parts of a body that a tree of volumes is built over.

use crate::base::problem::BoxProblem;
use crate::broad_phase::volumes::part::{CORNERS, Corners, Part};
use crate::geometry::feature::on_sides;
use crate::shapes::obb::parts::rotation;
use crate::shapes::obb::record::Obb;

/// An upper bound of the rounding error of a corner in `f64`, per unit of its numbers: 2^-46.
const ROUNDING: f64 = 1.0 / (1u64 << 46) as f64;

/// The box, enlarged to cover rounding.
impl Part for Obb {
    fn corners(&self) -> Corners {
        let (center, half) = (self.center.as_dvec3(), self.half_extents.as_dvec3());
        let grown = half + ROUNDING * (center.abs().element_sum() + half.element_sum());
        let axes = rotation(self);
        let corner = |corner: usize| center + axes * on_sides(grown, corner as u8);
        Corners::new(&std::array::from_fn::<_, CORNERS, _>(corner))
    }

    fn problem(&self) -> Option<BoxProblem> {
        self.problem()
    }
}
