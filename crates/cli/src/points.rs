//! Messages about points, for `obbligato solids` and `obbligato fit`.

use std::path::Path;

use obbligato_files::PointGroups;
use obbligato_support::plural::plural;

use super::{failure::note, output::shown, table::grouped};

/// Reports on stderr if rounding noticeably changes the points of an id.
pub fn tell_rounding(path: &Path, groups: &PointGroups) {
    let count = groups.rough as u64;
    if count > 0 {
        let ids = plural(count, "id has", "ids have");
        note(&format!(
            "{}: {} {ids} points that are moved by more than a millionth of their extent by rounding to f32",
            shown(path),
            grouped(count)
        ));
    }
}
