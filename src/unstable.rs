//! Internals for the tests, the benches and the other crates of this project.
//!
//! Nothing in this module is covered by semantic versioning: any release may change or remove any
//! of it.

#[cfg(feature = "gpu")]
pub mod device;
#[cfg(feature = "gpu")]
pub mod gpu;

/// Vector lanes of the machine.
pub mod lanes {
    pub use crate::base::lanes::limit::set_most;
}

/// Limits and checks of input, and bounds with a margin.
pub mod limits {
    pub use crate::fitting::cloud::problem_of;
    pub use crate::geometry::pair::MAX_BOXES;
    pub use crate::tiles::tile::widened;
}

/// Exact classification of a pair of boxes.
pub mod exact {
    pub use crate::narrow_phase::obb_obb::exact::apart::{Ways64, classify_each_way64};
    pub use crate::narrow_phase::obb_obb::exact::{
        Tally, Ways, classify, classify_all, classify_each_way, retain_colliding,
    };
}

/// The separating-axis tests on the CPU.
pub mod separating_axes {
    pub use crate::narrow_phase::obb_obb::obb_sat_cpu::{Verdicts, obb_sat};
    pub use crate::narrow_phase::obb_obb::obb_sat_f64_cpu::{Axes, Bounds, Decision, classify, classify_within};
}

/// The bounds of boxes on the CPU.
pub mod bounds {
    use crate::shapes::obb::obb_bounds_cpu::bounds_of;
    use crate::shapes::obb::record::Obb;

    /// Returns `true` if the bounds of two boxes overlap, as the broad phase compares them.
    pub fn overlap(a: &Obb, b: &Obb) -> bool {
        bounds_of(a, 0.0, 0).overlaps(&bounds_of(b, 0.0, 1))
    }
}
