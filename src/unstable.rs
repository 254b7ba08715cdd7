//! What the tests, the benches and the program need of the inside.
//!
//! Nothing in here is covered by semantic versioning: any of it may change or go with any release.

/// Pairs of boxes that are hard to judge.
#[cfg(feature = "verify")]
pub mod adversarial {
    pub use crate::adversarial::moving::{MOVING_FAMILIES, MovingAudit, MovingFamily, MovingPair};
    pub use crate::adversarial::straight::{COURSES, Course, StraightPair, course, straight_pair};
    pub use crate::adversarial::triangles::{TRIANGLE_FAMILIES, TriangleFamily};
    pub use crate::adversarial::{FAMILIES, Family, family, pair};

    /// Every stage of the narrow phase, and the reference, held against the oracle on these pairs.
    pub mod audit {
        pub use crate::adversarial::audit::{Audit, FamilyAudit, STAGES, Score, Stage, Wrong, config};
    }
}

/// Numbers of boxes as people write them.
pub mod count {
    pub use crate::base::count::parse_count;
}

/// Foreign text in error messages.
pub mod excerpt {
    pub use crate::base::excerpt::{excerpt, visible, visible_json};
}

#[cfg(feature = "gpu")]
pub mod gpu;

/// The lanes of the machine's vectors.
pub mod lanes {
    pub use crate::base::lanes::limit::set_most;
}

/// Words after numbers.
pub mod plural {
    pub use crate::base::plural::plural;
}

/// The machine's memory: requests that may be refused.
pub mod memory {
    pub use crate::base::memory::{collect, copes_with_refusal, reserve};
}

/// The threads of the CPU backend.
pub mod threads {
    pub use crate::base::parallel::wanted_threads;
}

/// The exact answer for a pair of boxes.
pub mod exact {
    pub use crate::narrow_phase::obb_obb::exact::apart::{Ways64, classify_each_way64};
    pub use crate::narrow_phase::obb_obb::exact::{
        Tally, Ways, classify, classify_all, classify_each_way, retain_colliding,
    };
}

/// Short texts that the program reads, as files of results.
#[cfg(feature = "files")]
pub mod input {
    pub use crate::files::source::read_text;
}

/// Files that the program writes beside those of [`files`](crate::files), and what becomes of unfinished ones.
#[cfg(feature = "files")]
pub mod output {
    pub use crate::files::output::{abandon, check_place, is_stdout, is_written_through, write_bytes, write_text};
}

/// The generator of all random numbers.
pub mod split_mix {
    pub use crate::base::split_mix::SplitMix;
}

/// The separating-axis test in `f64` on the CPU.
pub mod obb_sat_f64_cpu {
    pub use crate::narrow_phase::obb_obb::obb_sat_f64_cpu::{Axes, Bounds, Decision, classify, classify_within};
}

/// The exact answer from corners in whole numbers.
#[cfg(feature = "verify")]
pub mod oracle {
    pub use crate::reference::oracle::{contact, contact64};
}
