//! The kernels that connect a shape to a broad phase, and the test that compares all kernels with
//! their shaders.

use crate::broad_phase::grid::statistics::{COUNTING_HOOK, HOOK};
use crate::device::kernel::Kernel;
use crate::frame::params::Params;
use crate::shapes::aabb::aabb_bounds::aabb_bounds;
use crate::shapes::kind::Shape;
use crate::shapes::moving::moving_bounds::moving_bounds;
use crate::shapes::obb::obb_bounds::obb_bounds;
use crate::shapes::round::round_bounds::{capsule_bounds, sphere_bounds};
use crate::shapes::triangle::triangle_bounds::triangle_bounds;

static OF_BOXES: Kernel<Params> = obb_bounds(&HOOK);
static OF_BOUNDS: Kernel<Params> = aabb_bounds(&HOOK);
static OF_MOVING: Kernel<Params> = moving_bounds(&HOOK);
static OF_CAPSULES: Kernel<Params> = capsule_bounds(&HOOK);
static OF_SPHERES: Kernel<Params> = sphere_bounds(&HOOK);
static OF_TRIANGLES: Kernel<Params> = triangle_bounds(&HOOK);

/// Returns the kernels that compute the bounds of a shape: one for each kind of record.
pub(crate) fn bounds_of(shape: Shape) -> &'static [&'static Kernel<Params>] {
    match shape {
        Shape::Obb | Shape::Obb64 => const { &[&OF_BOXES] },
        Shape::Aabb => const { &[&OF_BOUNDS] },
        Shape::Moving => const { &[&OF_MOVING] },
        Shape::Triangles => const { &[&OF_TRIANGLES] },
        Shape::Bodies => const { &[&OF_BOXES, &OF_CAPSULES, &OF_SPHERES] },
    }
}

static COUNTING_BOXES: Kernel<Params> = obb_bounds(&COUNTING_HOOK);
static COUNTING_BOUNDS: Kernel<Params> = aabb_bounds(&COUNTING_HOOK);
static COUNTING_MOVING: Kernel<Params> = moving_bounds(&COUNTING_HOOK);
static COUNTING_CAPSULES: Kernel<Params> = capsule_bounds(&COUNTING_HOOK);
static COUNTING_SPHERES: Kernel<Params> = sphere_bounds(&COUNTING_HOOK);
static COUNTING_TRIANGLES: Kernel<Params> = triangle_bounds(&COUNTING_HOOK);

/// Returns the kernels of [`bounds_of`] in the version that also counts by the plan of an earlier
/// frame.
pub(crate) fn counted_bounds_of(shape: Shape) -> &'static [&'static Kernel<Params>] {
    match shape {
        Shape::Obb | Shape::Obb64 => const { &[&COUNTING_BOXES] },
        Shape::Aabb => const { &[&COUNTING_BOUNDS] },
        Shape::Moving => const { &[&COUNTING_MOVING] },
        Shape::Triangles => const { &[&COUNTING_TRIANGLES] },
        Shape::Bodies => const { &[&COUNTING_BOXES, &COUNTING_CAPSULES, &COUNTING_SPHERES] },
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::broad_phase::passes;
    #[cfg(feature = "unstable")]
    use crate::device::bandwidth::COPY;
    use crate::device::emitted::{self, Assumed};
    use crate::device::kernel::{At, Code, File, Size, Source};
    use crate::device::limits::STORAGE_BUFFERS;
    use crate::device::rates::{ADD_ANYWHERE, ADD_IN_ONE_PLACE, GATHER_SECTORS, SCATTER_SECTORS};
    use crate::device::statistics;
    use crate::device::twins::{asks_for_workgroups, check};
    use crate::engine::gpu::count_bodies::COUNT_BODIES;
    use crate::engine::gpu::deactivate::DEACTIVATE;
    use crate::engine::gpu::finish::FINISH;
    use crate::engine::gpu::images::{FIND_REACH, LIST_IMAGES};
    use crate::engine::gpu::twins::TWINS;
    use crate::frame::visitor::FrameVisitor;
    use crate::narrow_phase::in_plane::plane_manifold::PLANE_MANIFOLD;
    use crate::narrow_phase::moving_moving::sweep_times::{SWEEP_PARTNERS, SWEEP_TIMES};
    use crate::narrow_phase::obb_obb::obb_closest::OBB_CLOSEST;
    use crate::narrow_phase::obb_obb::obb_manifold::OBB_MANIFOLD;
    use crate::narrow_phase::obb_obb::obb_overlap::OBB_OVERLAP;
    use crate::narrow_phase::round::round_closest::ROUND_CLOSEST;
    use crate::narrow_phase::round::round_manifold::ROUND_MANIFOLD;
    use crate::narrow_phase::table::kernels::narrow_phase;
    use crate::outputs::image_degrees::ADD_DEGREES;
    use crate::outputs::{adjacency, carried, events, image_pairs, nearest_rows, sort_pairs};
    use crate::regions::{enclosure, round_enclosure};
    use crate::shapes::moving::moving_records::MOVING_RECORDS;

    /// Returns the kernels of a frame.
    fn pipeline() -> Vec<&'static Kernel<Params>> {
        let mut all: Vec<&'static Kernel<Params>> = vec![
            &FINISH,
            &COUNT_BODIES,
            &DEACTIVATE,
            &ADD_DEGREES,
            &SWEEP_TIMES,
            &SWEEP_PARTNERS,
        ];
        for broad_phase in passes::ALL {
            all.extend([broad_phase.pairs, broad_phase.against]);
            for step in broad_phase.sort.iter().flat_map(|pass| pass.steps) {
                for kernel in step.kernels.iter().chain(step.portable) {
                    if !all.iter().any(|other| std::ptr::eq(*other, *kernel)) {
                        all.push(kernel);
                    }
                }
            }
        }
        for &shape in Shape::ALL {
            all.extend(bounds_of(shape));
            all.extend(counted_bounds_of(shape));
            for has_margin in [false, true] {
                let narrow = narrow_phase(shape, None, has_margin);
                all.extend(narrow.tests.iter().copied().chain(narrow.f64));
            }
        }
        all
    }

    /// Returns all other kernels.
    fn others() -> Vec<&'static Code> {
        vec![
            &COPY.code,
            &GATHER_SECTORS.code,
            &SCATTER_SECTORS.code,
            &ADD_ANYWHERE.code,
            &ADD_IN_ONE_PLACE.code,
            &enclosure::OF_BOXES.code,
            &round_enclosure::OF_CAPSULES.code,
            &round_enclosure::OF_BALLS.code,
            &MOVING_RECORDS.code,
            &OBB_CLOSEST.code,
            &OBB_MANIFOLD.code,
            &OBB_OVERLAP.code,
            &ROUND_CLOSEST.code,
            &ROUND_MANIFOLD.code,
            &PLANE_MANIFOLD.code,
            &sort_pairs::COUNT_DIGITS.code,
            &sort_pairs::SCAN_BLOCKS.code,
            &sort_pairs::SCAN_TOTALS.code,
            &sort_pairs::PLACE_BY_SUBGROUPS.code,
            &sort_pairs::PLACE_BY_WORKGROUPS.code,
            &sort_pairs::COUNT_DIGITS_OF_BODIES.code,
            &sort_pairs::PLACE_BODIES_BY_SUBGROUPS.code,
            &sort_pairs::PLACE_BODIES_BY_WORKGROUPS.code,
            &image_pairs::NAME_BODIES.code,
            &image_pairs::MARK_TURNED.code,
            &adjacency::FIND_ROWS.code,
            &adjacency::PLACE_NEIGHBOURS.code,
            &carried::FIND_CARRIED.code,
            &nearest_rows::FIND_NEAREST.code,
            &FIND_REACH.code,
            &LIST_IMAGES.code,
            &events::FIND_EVENTS.code,
        ]
    }

    /// The caller's part of [`visiting`].
    const VISIT: &str = "fn visit(pair: Pair, undecided: bool) {}\n";

    /// Returns the kernels that test pairs, with the caller's function in place of lists.
    fn visiting() -> Vec<Code> {
        let visitor = FrameVisitor::new(VISIT);
        let guest = visitor.guest();
        let of_guests = pipeline()
            .into_iter()
            .map(|kernel| &kernel.code)
            .filter(|code| guest.is_in(code));
        let visiting = of_guests.map(|code| {
            let own = code.source.files.iter().copied().flatten().copied();
            let own = own.map(|file| if file.0 == guest.replaces { guest.by } else { file });
            let files: Vec<File> = own.chain([("of the caller", VISIT)]).collect();
            let slots = code.slots.iter().copied().flatten().copied();
            let slots: Vec<At> = slots.filter(|at| !std::ptr::eq(at.slot, guest.without)).collect();
            Code {
                source: Source {
                    files: [files.leak(), &[], &[]],
                    forms: code.source.forms,
                },
                slots: [slots.leak(), &[]],
                ..*code
            }
        });
        visiting.collect()
    }

    /// Checks that the caller's text may declare any names, and that its lines come first.
    #[test]
    fn visiting_kernels_leave_names_to_the_caller() {
        let text = [
            VISIT,
            "fn sum() {}\nconst WORKGROUP = 1;\nstruct Obb { found: Params }\nstruct Params { a: u32 }\n",
        ];
        let visitor = FrameVisitor::new(text.concat());
        let kernels = pipeline().into_iter().map(|kernel| &kernel.code);
        let kernels: Vec<_> = kernels.filter(|code| visitor.guest().is_in(code)).collect();
        assert!(kernels.len() > 8, "{} kernels", kernels.len());
        for code in kernels {
            for subgroups in [false, true] {
                let source = visitor.guest().source(code, subgroups);
                assert!(source.starts_with(VISIT), "{}", code.entry);
                let module = naga::front::wgsl::parse_str(&source);
                let module = module.unwrap_or_else(|error| panic!("{}: {}", code.entry, error.emit_to_string(&source)));
                let capabilities = naga::valid::Capabilities::all();
                let valid =
                    naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities).validate(&module);
                assert!(valid.is_ok(), "{}: {valid:?}", code.entry);
            }
        }
    }

    fn all() -> Vec<&'static Code> {
        let frame = pipeline().into_iter().map(|kernel| &kernel.code);
        frame.chain(others()).collect()
    }

    /// Checks that no kernel dispatched indirectly reads the number of workgroups. On DX12, such a
    /// kernel would get 0 unless wgpu validates the dispatch, and loops that step by that number
    /// would not end.
    #[test]
    fn indirectly_dispatched_kernels_do_not_use_the_number_of_workgroups() {
        let asks = |kernel: &&Kernel<Params>| asks_for_workgroups(&kernel.code);
        let (indirect, others): (Vec<_>, Vec<_>) = pipeline()
            .into_iter()
            .partition(|kernel| matches!(kernel.size, Size::Indirect(..)));
        assert!(indirect.len() >= 3 && others.iter().any(asks));
        assert_eq!(
            indirect
                .iter()
                .find(|kernel| asks(kernel))
                .map(|kernel| kernel.code.entry),
            None
        );
    }

    #[test]
    #[cfg(feature = "unstable")]
    fn work_is_counted_only_for_existing_kernels() {
        let scene = crate::engine::gpu::work::SceneCounts::default();
        let counted = pipeline().into_iter().map(|kernel| kernel.code.entry);
        let counted: BTreeSet<_> = counted
            .filter(|kernel| crate::engine::gpu::work::work_of(kernel, &scene).is_some())
            .collect();
        assert_eq!(counted.len(), crate::engine::gpu::work::COUNTED, "{counted:?}");
    }

    /// Checks the assumptions of the error bounds' proofs that compilers might violate. See
    /// `src/base/rewriting.rs`.
    #[test]
    fn deciding_kernels_are_emitted_as_the_error_bounds_assume() {
        let assumed = [
            ("obb_bounds", 3, true),
            ("aabb_bounds", 3, false),
            ("count_slots", 1, false),
            ("place_records", 1, false),
            ("grid_pairs", 1, true),
            ("grid_query", 1, true),
            ("obb_sat_pairs", 3, false),
            ("upright_sat_pairs", 3, false),
            ("obb_sat_f64_pairs", 2, false),
            ("aabb_within", 0, false),
            ("moving_bounds", 5, true),
            ("moving_sat", 8, true),
            ("moving_records", 6, true),
            ("sweep_times", 6, true),
            ("obb_distance_pairs", 11, true),
            ("capsule_bounds", 3, true),
            ("sphere_bounds", 3, false),
            ("sphere_sphere_pairs", 3, false),
            ("round_round_pairs", 6, true),
            ("box_round_pairs", 8, true),
            ("triangle_bounds", 0, false),
            ("triangle_pairs", 8, false),
            ("obb_closest_points", 11, true),
            ("obb_overlaps", 12, true),
            ("round_closest_points", 8, true),
            ("round_manifolds", 8, true),
            ("plane_manifolds", 3, true),
            ("enclosures_of_boxes", 7, false),
            ("enclosures_of_capsules", 8, true),
            ("enclosures_of_balls", 8, true),
        ];
        let kernels = all();
        for (entry, fences, divides) in assumed {
            let own: Vec<_> = kernels.iter().filter(|code| code.entry == entry).collect();
            assert!(!own.is_empty(), "no kernel {entry}");
            own.into_iter()
                .for_each(|code| emitted::check(code, &Assumed { fences, divides }));
        }
    }

    /// Checks the statistics of a GPU's compiler for these kernels. See `src/device/statistics.rs`.
    #[test]
    fn statistics_are_within_the_table() {
        let name = concat!(module_path!(), "::statistics_are_within_the_table");
        statistics::hold(&all(), name);
    }

    #[test]
    fn kernels_match_their_declarations_and_use_every_shader() {
        let mut files = BTreeSet::new();
        // In all kernels of a frame, two of the storage buffers that WebGPU guarantees remain free.
        for Kernel { code, .. } in pipeline() {
            files.extend(check(code, TWINS, 6));
        }
        for code in others() {
            files.extend(check(code, TWINS, STORAGE_BUFFERS.least));
        }
        // Three are the caller's if it visits the pairs.
        for code in visiting() {
            files.extend(check(&code, TWINS, 5));
        }
        files.remove("of the caller");
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
