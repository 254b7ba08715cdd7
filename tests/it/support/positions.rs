//! Boxes with centers in `f64`.

use obbligato::{Obb, Obb64, glam::DVec3};

/// Returns a box, moved by a vector.
pub fn moved(obb: &Obb, by: DVec3) -> Obb64 {
    let own = Obb64::from(*obb);
    Obb64 {
        center: own.center + by,
        ..own
    }
}
