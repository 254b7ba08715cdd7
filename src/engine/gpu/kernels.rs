//! The kernels that tie a shape to a broad phase, and the test that holds all kernels against their shaders.

use crate::broad_phase::grid::statistics;
use crate::device::kernel::Kernel;
use crate::frame::params::Params;
use crate::shapes::kind::{Shape, bounds_kernels};

static BOUNDS: [Kernel<Params>; Shape::COUNT] = bounds_kernels(&statistics::HOOK);

/// What makes the bounds of a shape.
pub(crate) fn bounds_of(shape: Shape) -> &'static Kernel<Params> {
    &BOUNDS[shape as usize]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::broad_phase::passes;
    use crate::device::bandwidth::COPY;
    use crate::device::kernel::Code;
    use crate::device::limits::STORAGE_BUFFERS;
    use crate::device::statistics;
    use crate::device::twins::check;
    use crate::engine::gpu::finish::FINISH;
    use crate::engine::gpu::twins::TWINS;
    use crate::narrow_phase::obb_obb::obb_closest::OBB_CLOSEST;
    use crate::narrow_phase::obb_obb::obb_manifold::OBB_MANIFOLD;
    use crate::narrow_phase::table::kernels::narrow_phase;
    use crate::outputs::{adjacency, sort_pairs};
    use crate::regions::enclosure::ENCLOSURE;

    /// The kernels of a frame.
    fn pipeline() -> Vec<&'static Code> {
        let mut all: Vec<&'static Kernel<Params>> = vec![&FINISH];
        for broad_phase in passes::ALL {
            all.extend([broad_phase.pairs, broad_phase.against]);
            all.extend(broad_phase.sort.iter().flat_map(|pass| pass.kernels));
        }
        for &shape in Shape::ALL {
            all.push(bounds_of(shape));
            for has_margin in [false, true] {
                let narrow = narrow_phase(shape, has_margin);
                all.extend(narrow.tests.iter().copied().chain(narrow.f64));
            }
        }
        all.into_iter().map(|kernel| &kernel.code).collect()
    }

    /// All others.
    fn others() -> Vec<&'static Code> {
        vec![
            &COPY.code,
            &ENCLOSURE.code,
            &OBB_CLOSEST.code,
            &OBB_MANIFOLD.code,
            &sort_pairs::COUNT_DIGITS.code,
            &sort_pairs::SCAN_BLOCKS.code,
            &sort_pairs::SCAN_TOTALS.code,
            &sort_pairs::PLACE_BY_SUBGROUPS.code,
            &sort_pairs::PLACE_BY_WORKGROUPS.code,
            &adjacency::FIND_ROWS.code,
            &adjacency::PLACE_NEIGHBOURS.code,
        ]
    }

    /// What a GPU's compiler makes of them: `src/device/statistics.rs`.
    #[test]
    fn statistics_are_within_the_table() {
        let name = concat!(module_path!(), "::statistics_are_within_the_table");
        statistics::hold(&[pipeline(), others()].concat(), name);
    }

    #[test]
    fn kernels_are_as_declared_and_every_shader_belongs_to_one() {
        let mut files = BTreeSet::new();
        // Two of the storage buffers that WebGPU guarantees are free in all kernels of a frame.
        for code in pipeline() {
            files.extend(check(code, TWINS, 6));
        }
        for code in others() {
            files.extend(check(code, TWINS, STORAGE_BUFFERS.least));
        }
        let fewer = || check(&OBB_MANIFOLD.code, TWINS, STORAGE_BUFFERS.least - 1);
        assert!(std::panic::catch_unwind(fewer).is_err(), "no kernel binds so many");

        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders"));
        let (mut folders, mut there) = (vec![root.to_owned()], BTreeSet::new());
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("a directory of shaders") {
                let path = entry.expect("a file").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(root).expect("a file below it");
                    there.insert(name.to_string_lossy().replace('\\', "/"));
                }
            }
        }
        assert_eq!(files.into_iter().map(str::to_owned).collect::<BTreeSet<_>>(), there);
    }
}
