//! Every shader held against naga, WebGPU's default limits and its twins in Rust, without a device.

use crate::broad_phase::grid::layout;
use crate::narrow_phase::aabb_aabb::accept_all;
use crate::narrow_phase::obb_obb::separating_axes;
use crate::rules::list;
use std::collections::BTreeSet;
use std::mem::{offset_of, size_of};

use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, Module, TypeInner};

use crate::base::config::{Output, Precision};
use crate::broad_phase::grid::grid_build::Place;
use crate::broad_phase::grid::layout::{Level, Plan, SizeGroup, SizeGroups};
use crate::broad_phase::grid::statistics::SceneStats;
use crate::broad_phase::grid::{grid_build, grid_pairs, grid_plan, grid_plan_cpu, grid_probe, grid_query};
use crate::device::bandwidth;
use crate::device::buffers::{Counters, Params};
use crate::device::kernel::{Source, source};
use crate::engine::gpu::finish;
use crate::engine::gpu::pair_forms;
use crate::engine::gpu::pair_forms::PairParams;
use crate::engine::gpu::resident::Outcome;
use crate::geometry::bounds;
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;
use crate::narrow_phase::obb_obb::narrow_plan;
use crate::narrow_phase::obb_obb::narrow_plan::Dispatches;
use crate::narrow_phase::obb_obb::obb_closest::ClosestRecord;
use crate::narrow_phase::obb_obb::obb_manifold::{ManifoldRecord, PointRecord};
use crate::narrow_phase::obb_obb::{
    distance, obb_closest, obb_distance, obb_distance_cpu, obb_manifold, obb_sat, obb_sat_cpu, obb_sat_f64,
    penetration, upright_sat,
};
use crate::outputs::{adjacency, sort_pairs};
use crate::regions::enclosure;
use crate::regions::enclosure::RoomFrame;
use crate::regions::room::{Enclosure, EnclosureState};
use crate::rules::model::NO_OWNER;
use crate::shapes::aabb::aabb_bounds;
use crate::shapes::obb::obb_bounds;
use crate::shapes::obb::record::Obb;

/// A shader of this crate.
struct Shader {
    source: Source,
    /// Invocations of a workgroup, as its dispatcher counts them: of each entry point, or of all.
    workgroups: &'static [u32],
    /// What wgpu lets it use on the devices it is compiled for.
    capabilities: Capabilities,
}

/// All of them.
const SHADERS: [Shader; 28] = [
    portable(bandwidth::SOURCE, &[bandwidth::WORKGROUP]),
    portable(obb_bounds::SOURCE, &[obb_bounds::WORKGROUP]),
    portable(aabb_bounds::SOURCE, &[aabb_bounds::WORKGROUP]),
    portable(enclosure::SOURCE, &[enclosure::WORKGROUP]),
    portable(accept_all::SOURCE, &[accept_all::WORKGROUP]),
    portable(grid_plan::SOURCE, &[grid_plan::WORKGROUP]),
    portable(grid_probe::SOURCE, &[grid_probe::WORKGROUP]),
    portable(grid_build::SOURCE, &[grid_build::WORKGROUP]),
    portable(finish::SOURCE, &[finish::WORKGROUP]),
    portable(narrow_plan::SOURCE, &[narrow_plan::WORKGROUP]),
    portable(
        sort_pairs::PORTABLE_SOURCE,
        &[
            sort_pairs::WORKGROUP,
            sort_pairs::WORKGROUP,
            sort_pairs::WORKGROUP,
            sort_pairs::PORTABLE_PLACING,
        ],
    ),
    Shader {
        source: sort_pairs::SUBGROUP_SOURCE,
        workgroups: &[
            sort_pairs::WORKGROUP,
            sort_pairs::WORKGROUP,
            sort_pairs::WORKGROUP,
            sort_pairs::SUBGROUP_PLACING,
        ],
        capabilities: Capabilities::SUBGROUP,
    },
    portable(adjacency::SOURCE, &[adjacency::WORKGROUP]),
    portable(grid_pairs::SOURCE.portable, &[grid_pairs::WORKGROUP]),
    Shader {
        source: grid_pairs::SOURCE.subgroup,
        workgroups: &[grid_pairs::WORKGROUP],
        capabilities: Capabilities::SUBGROUP,
    },
    portable(grid_query::SOURCE.portable, &[grid_query::WORKGROUP]),
    Shader {
        source: grid_query::SOURCE.subgroup,
        workgroups: &[grid_query::WORKGROUP],
        capabilities: Capabilities::SUBGROUP,
    },
    portable(obb_distance::SOURCE.portable, &[obb_distance::WORKGROUP]),
    Shader {
        source: obb_distance::SOURCE.subgroup,
        workgroups: &[obb_distance::WORKGROUP],
        capabilities: Capabilities::SUBGROUP,
    },
    portable(obb_closest::SOURCE, &[obb_closest::WORKGROUP]),
    portable(obb_manifold::SOURCE.portable, &[obb_manifold::WORKGROUP]),
    Shader {
        source: obb_manifold::SOURCE.subgroup,
        workgroups: &[obb_manifold::WORKGROUP],
        capabilities: Capabilities::SUBGROUP,
    },
    portable(obb_sat::SOURCE.portable, &[obb_sat::WORKGROUP]),
    Shader {
        source: obb_sat::SOURCE.subgroup,
        workgroups: &[obb_sat::WORKGROUP],
        capabilities: Capabilities::SUBGROUP,
    },
    portable(upright_sat::SOURCE.portable, &[upright_sat::WORKGROUP]),
    Shader {
        source: upright_sat::SOURCE.subgroup,
        workgroups: &[upright_sat::WORKGROUP],
        capabilities: Capabilities::SUBGROUP,
    },
    Shader {
        source: obb_sat_f64::SOURCE.portable,
        workgroups: &[obb_sat_f64::WORKGROUP],
        capabilities: Capabilities::FLOAT64,
    },
    Shader {
        source: obb_sat_f64::SOURCE.subgroup,
        workgroups: &[obb_sat_f64::WORKGROUP],
        capabilities: Capabilities::FLOAT64.union(Capabilities::SUBGROUP),
    },
];

const fn portable(source: Source, workgroups: &'static [u32]) -> Shader {
    Shader {
        source,
        workgroups,
        capabilities: Capabilities::empty(),
    }
}

impl Shader {
    fn name(&self) -> String {
        self.source
            .0
            .iter()
            .map(|(name, _)| *name)
            .collect::<Vec<_>>()
            .join(" + ")
    }

    fn load(&self) -> (Module, ModuleInfo) {
        load(self.source, self.capabilities).unwrap_or_else(|error| panic!("{error}"))
    }
}

/// Parses and validates a source. An error names the file and the line in it.
fn load(source: Source, capabilities: Capabilities) -> Result<(Module, ModuleInfo), String> {
    let text = source.text();
    let located = |message: String, line: Option<u32>| match line.map(|line| source.locate(line as usize)) {
        Some((file, line)) => format!("shaders/{file}, line {line}: {message}"),
        None => message,
    };
    let line = |location: naga::SourceLocation| location.line_number;
    let module = naga::front::wgsl::parse_str(&text)
        .map_err(|error| located(error.message().to_owned(), error.location(&text).map(line)))?;
    let info = Validator::new(ValidationFlags::all(), capabilities)
        .validate(&module)
        .map_err(|error| located(error.emit_to_string(&text), error.location(&text).map(line)))?;
    Ok((module, info))
}

#[test]
fn every_shader_is_valid() {
    for shader in &SHADERS {
        shader.load();
    }
}

#[test]
fn every_file_is_in_a_shader() {
    let listed: BTreeSet<String> = SHADERS
        .iter()
        .flat_map(|shader| shader.source.0.iter().map(|(name, _)| (*name).to_owned()))
        .collect();
    let mut there = BTreeSet::new();
    let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders"));
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a directory of shaders") {
            let path = entry.expect("a file").path();
            match path.is_dir() {
                true => folders.push(path),
                false => drop(
                    there.insert(
                        path.strip_prefix(root)
                            .expect("below it")
                            .to_string_lossy()
                            .into_owned(),
                    ),
                ),
            }
        }
    }
    assert_eq!(listed, there);
}

#[test]
fn shaders_need_what_they_are_allowed() {
    for shader in &SHADERS {
        for capability in shader.capabilities.iter() {
            let error = load(shader.source, shader.capabilities.difference(capability)).err();
            assert!(error.is_some(), "{} does without {capability:?}", shader.name());
        }
    }
}

#[test]
fn a_line_is_located_in_its_file() {
    const SOURCE: Source = source!("shared/common.wgsl", "broad_phase/grid/grid.wgsl");
    let text = SOURCE.text();
    for (index, line) in text.lines().enumerate() {
        let (file, within) = SOURCE.locate(index + 1);
        let (_, file_text) = SOURCE.0.iter().find(|(name, _)| *name == file).expect("a file");
        assert_eq!(file_text.lines().nth(within - 1), Some(line), "line {}", index + 1);
    }
    assert_eq!(SOURCE.locate(1), ("shared/common.wgsl", 1));
    let common_lines = SOURCE.0[0].1.lines().count();
    assert_eq!(SOURCE.locate(common_lines), ("shared/common.wgsl", common_lines));
    assert_eq!(SOURCE.locate(common_lines + 1), ("broad_phase/grid/grid.wgsl", 1));
    for shader in &SHADERS {
        // Else two files would share a line.
        assert!(
            shader.source.0.iter().all(|(_, text)| text.ends_with('\n')),
            "{}",
            shader.name()
        );
    }
}

#[test]
fn errors_name_file_and_line() {
    let syntax = Source(&[
        ("first.wgsl", "fn f() {}\n"),
        ("second.wgsl", "fn g() {}\nfn h() { let = 1; }\n"),
    ]);
    let error = load(syntax, Capabilities::empty()).expect_err("a syntax error");
    assert!(error.starts_with("shaders/second.wgsl, line 2: "), "{error}");

    let invalid = Source(&[
        ("first.wgsl", "fn f() {}\n"),
        ("second.wgsl", "fn g() -> u32 {\n    return 1.0f;\n}\n"),
    ]);
    let error = load(invalid, Capabilities::empty()).expect_err("a type error");
    assert!(error.starts_with("shaders/second.wgsl, line "), "{error}");
}

#[test]
fn default_limits_are_respected() {
    let limits = wgpu::Limits::default();
    for shader in &SHADERS {
        let (module, info) = shader.load();
        for (index, entry) in module.entry_points.iter().enumerate() {
            let what = format!("{} in {}", entry.name, shader.name());
            let [x, y, z] = entry.workgroup_size;
            assert!(x * y * z <= limits.max_compute_invocations_per_workgroup, "{what}");
            let used = |space: fn(AddressSpace) -> bool| {
                let (module, info) = (&module, &info);
                module.global_variables.iter().filter_map(move |(handle, variable)| {
                    let in_use = space(variable.space) && !info.get_entry_point(index)[handle].is_empty();
                    in_use.then(|| module.types[variable.ty].inner.size(module.to_ctx()))
                })
            };
            let storage = used(|space| matches!(space, AddressSpace::Storage { .. })).count() as u32;
            assert!(
                storage <= limits.max_storage_buffers_per_shader_stage,
                "{what}: {storage} storage buffers"
            );
            let shared: u32 = used(|space| space == AddressSpace::WorkGroup).sum();
            assert!(
                shared <= limits.max_compute_workgroup_storage_size,
                "{what}: {shared} bytes of workgroup memory"
            );
        }
    }
}

#[test]
fn workgroups_are_as_large_as_their_dispatchers_count() {
    for shader in &SHADERS {
        let (module, _) = shader.load();
        assert!(!module.entry_points.is_empty(), "{}", shader.name());
        for (entry, &workgroup) in module.entry_points.iter().zip(shader.workgroups.iter().cycle()) {
            assert_eq!(
                entry.workgroup_size,
                [workgroup, 1, 1],
                "{} in {}",
                entry.name,
                shader.name()
            );
        }
    }
}

/// A record's name in WGSL, its size, and its fields with their offsets.
type Layout = (&'static str, usize, Vec<(&'static str, usize)>);

/// The layout of a record whose fields are called the same in Rust, but for those with another name in WGSL.
macro_rules! layout {
    ($name:literal, $record:ty, [$($field:ident $(as $wgsl:literal + $plus:literal)?),+ $(,)?]) => {
        ($name, size_of::<$record>(), vec![$(layout!(@ $record, $field $(, $wgsl, $plus)?)),+])
    };
    (@ $record:ty, $field:ident) => { (stringify!($field), offset_of!($record, $field)) };
    (@ $record:ty, $field:ident, $wgsl:literal, $plus:literal) => { ($wgsl, offset_of!($record, $field) + $plus) };
}

fn layouts() -> Vec<Layout> {
    vec![
        layout!("Obb", Obb, [
            rotation,
            center,
            half_extents as "half_x" + 0,
            half_extents as "half_y" + 4,
            half_extents as "half_z" + 8,
            memberships,
            filter as "groups_filter" + 0,
        ]),
        layout!("Bounds", Bounds, [low, tag, high, id]),
        layout!("Pair", Pair, [a, b]),
        layout!(
            "Params",
            Params,
            [
                box_count,
                range_first,
                range_count,
                candidate_capacity,
                most_candidates,
                partial,
                pair_capacity,
                undecided_capacity,
                output,
                exactness,
                again,
                probe_samples,
                probe_slots,
                has_f64,
                movers,
                box_segment,
                bounds_segment,
                worlds,
                margin,
                half_margin,
            ]
        ),
        layout!("Place", Place, [slot, rank, key]),
        layout!(
            "PairParams",
            PairParams,
            [pair_capacity, point_capacity, box_segment, movers]
        ),
        layout!("ClosestRecord", ClosestRecord, [on_a, distance, on_b, bits]),
        layout!("ManifoldRecord", ManifoldRecord, [
            normal as "normal_x" + 0,
            normal as "normal_y" + 4,
            normal as "normal_z" + 8,
            depth,
            first,
            bits,
        ]),
        layout!("PointRecord", PointRecord, [on_a as "x" + 0, on_a as "y" + 4, on_a as "z" + 8, depth, bits]),
        layout!("RoomFrame", RoomFrame, [
            axis_x,
            half_x,
            axis_y,
            half_y,
            axis_z,
            half_z,
            center,
            slack,
            first,
            count,
            unused as "unused_a" + 0,
            unused as "unused_b" + 4,
        ]),
        layout!("Dispatches", Dispatches, [
            all_axes,
            unused as "unused_a" + 0,
            five_axes,
            unused_too as "unused_b" + 0,
        ]),
        layout!("Outcome", Outcome, [
            workgroups,
            pairs,
            pairs_needed,
            candidates_needed,
            undecided,
            undecided_needed,
            suspects,
            complete,
            unused as "unused_a" + 0,
            unused as "unused_b" + 4,
        ]),
        layout!(
            "SceneStats",
            SceneStats,
            [below, unused_a, above, unused_b, boxes_of_bin, largest_of_bin]
        ),
        layout!(
            "SceneStatsAtomic",
            SceneStats,
            [below, unused_a, above, unused_b, boxes_of_bin, largest_of_bin]
        ),
        layout!(
            "Level",
            Level,
            [
                last_cell,
                first_slot,
                fold_bits,
                slots,
                cell_size,
                inverse_cell_size,
                slack,
                boxes,
                crowding,
                cost,
                world_bits,
                unused,
            ]
        ),
        layout!("Plan", Plan, [origin, level_count, high, slots, levels, level_of_bin,]),
        layout!("SizeGroup", SizeGroup, [cell_size, boxes, coincidences, unused]),
        layout!("Digit", sort_pairs::Digit, [shift, mask, of_a, unused]),
        layout!("Rows", adjacency::Rows, [count, of_a, of_b, unused]),
        layout!(
            "SizeGroups",
            SizeGroups,
            [origin, count, high, unused, groups, group_of_bin]
        ),
    ]
}

#[test]
fn records_are_laid_out_as_in_rust() {
    let mut seen = BTreeSet::new();
    for shader in &SHADERS {
        let (module, _) = shader.load();
        for (name, size, fields) in layouts() {
            let found = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name));
            let Some((_, ty)) = found else { continue };
            let TypeInner::Struct { members, span } = &ty.inner else {
                panic!("{name} is no struct");
            };
            let members: Vec<(&str, usize)> = members
                .iter()
                .map(|member| (member.name.as_deref().unwrap_or(""), member.offset as usize))
                .collect();
            assert_eq!(members, fields, "{name} in {}", shader.name());
            assert_eq!(*span as usize, size, "size of {name} in {}", shader.name());
            seen.insert(name);
        }
        for (_, variable) in module
            .global_variables
            .iter()
            .filter(|(_, v)| v.name.as_deref() == Some("counters"))
        {
            let size = module.types[variable.ty].inner.size(module.to_ctx());
            assert_eq!(size as usize, size_of::<Counters>(), "counters in {}", shader.name());
            seen.insert("counters");
        }
    }
    let listed = layouts()
        .into_iter()
        .map(|(name, ..)| name)
        .chain(["counters"])
        .collect();
    assert_eq!(seen, listed, "every record is in some shader");
}

/// The constants that exist in a shader and in Rust: the file of the shader, the name there, Rust's value.
fn constants() -> Vec<(&'static str, &'static str, f64)> {
    let float = f64::from;
    let count = |value: usize| value as f64;
    let enclosed = |state: EnclosureState| f64::from((state as u32) << Enclosure::STATE_SHIFT);
    let counter = |offset: usize| (offset / size_of::<u32>()) as f64;
    vec![
        ("common.wgsl", "OUTPUT_PAIRS", Params::output_of(Output::Pairs).into()),
        (
            "common.wgsl",
            "OUTPUT_DEGREES",
            Params::output_of(Output::Degrees).into(),
        ),
        ("common.wgsl", "OUTPUT_COUNT", Params::output_of(Output::Count).into()),
        (
            "common.wgsl",
            "PRECISION_EXACT",
            Params::exactness_of(Precision::Exact).into(),
        ),
        (
            "common.wgsl",
            "PRECISION_FAST",
            Params::exactness_of(Precision::Fast).into(),
        ),
        (
            "common.wgsl",
            "PRECISION_CONSERVATIVE",
            Params::exactness_of(Precision::Conservative).into(),
        ),
        ("common.wgsl", "COUNTERS", counter(size_of::<Counters>())),
        ("common.wgsl", "SUSPECTS", counter(offset_of!(Counters, suspects))),
        ("common.wgsl", "PLACED", counter(offset_of!(Counters, placed))),
        ("common.wgsl", "TILTED", counter(offset_of!(Counters, tilted))),
        ("common.wgsl", "CANDIDATES", counter(offset_of!(Counters, candidates))),
        ("common.wgsl", "TOO_MANY", counter(offset_of!(Counters, too_many))),
        ("common.wgsl", "ROWS", counter(offset_of!(Counters, rows))),
        ("common.wgsl", "COMPARISONS", counter(offset_of!(Counters, comparisons))),
        ("common.wgsl", "PAIRS", counter(offset_of!(Counters, pairs))),
        (
            "common.wgsl",
            "UNDECIDED_PAIRS",
            counter(offset_of!(Counters, undecided)),
        ),
        ("common.wgsl", "UNCLEAR_PAIRS", counter(offset_of!(Counters, unclear))),
        ("common.wgsl", "NEAR_PAIRS", counter(offset_of!(Counters, near))),
        ("grid.wgsl", "BLOCK", layout::BLOCK as f64),
        ("rules.wgsl", "NO_OWNER", NO_OWNER.into()),
        ("rules.wgsl", "OWNERS", count(list::OWNERS)),
        ("rules.wgsl", "WORLDS", count(list::WORLDS)),
        ("rules.wgsl", "STATICS", count(list::STATICS)),
        ("rules.wgsl", "ACTIVE", count(list::ACTIVE)),
        ("rules.wgsl", "EXCLUDED", count(list::EXCLUDED)),
        ("rules.wgsl", "EXCLUDED_LAST", count(list::EXCLUDED_LAST)),
        ("rules.wgsl", "EXCLUDED_TURNED", count(list::EXCLUDED_TURNED)),
        ("rules.wgsl", "SECOND_SET", count(list::SECOND_SET)),
        ("grid_plan.wgsl", "WORKGROUP", grid_plan::WORKGROUP.into()),
        ("grid.wgsl", "BINS", count(bounds::BINS)),
        ("grid.wgsl", "MAX_LEVELS", count(layout::MAX_LEVELS)),
        ("grid.wgsl", "CELL_KEY_BITS", layout::KEY_BITS.into()),
        ("grid.wgsl", "CELL_KEY_MASK", layout::KEY_MASK.into()),
        ("copy.wgsl", "WORKGROUP", bandwidth::WORKGROUP.into()),
        ("statistics.wgsl", "WORKGROUP", obb_bounds::WORKGROUP.into()),
        ("statistics.wgsl", "WORKGROUP", aabb_bounds::WORKGROUP.into()),
        ("accept_all.wgsl", "WORKGROUP", accept_all::WORKGROUP.into()),
        ("obb_bounds.wgsl", "EXTENT_ERROR", float(bounds::EXTENT_ERROR)),
        ("obb_bounds.wgsl", "CENTER_ERROR", float(bounds::CENTER_ERROR)),
        ("aabb_bounds.wgsl", "CENTER_ERROR", float(bounds::CENTER_ERROR)),
        ("obb_bounds.wgsl", "ABSOLUTE_ERROR", float(bounds::ABSOLUTE_ERROR)),
        ("statistics.wgsl", "SIZE_ERROR", float(bounds::SIZE_ERROR)),
        ("grid_plan.wgsl", "SMALLEST_CELL", float(grid_plan_cpu::SMALLEST_CELL)),
        ("grid_plan.wgsl", "CELLS_ACROSS", float(grid_plan_cpu::CELLS_ACROSS)),
        ("grid_plan.wgsl", "BASE_SLACK", float(grid_plan_cpu::BASE_SLACK)),
        ("grid_plan.wgsl", "SLACK_PER_CELL", float(grid_plan_cpu::SLACK_PER_CELL)),
        ("grid_plan.wgsl", "ROW_COST", float(grid_plan_cpu::ROW_COST)),
        ("grid_probe.wgsl", "WORKGROUP", grid_probe::WORKGROUP.into()),
        ("grid_build.wgsl", "WORKGROUP", grid_build::WORKGROUP.into()),
        ("grid_build.wgsl", "PER_INVOCATION", grid_build::PER_INVOCATION.into()),
        ("grid_pairs.wgsl", "WORKGROUP", grid_pairs::WORKGROUP.into()),
        ("grid_query.wgsl", "WORKGROUP", grid_query::WORKGROUP.into()),
        ("grid_query.wgsl", "ROW_COST", float(grid_plan_cpu::ROW_COST)),
        ("sort_pairs.wgsl", "WORKGROUP", sort_pairs::WORKGROUP.into()),
        ("sort_pairs.wgsl", "DIGITS", sort_pairs::DIGITS.into()),
        ("sort_pairs.wgsl", "BLOCKS", sort_pairs::BLOCKS.into()),
        ("place_subgroup.wgsl", "PLACING", sort_pairs::SUBGROUP_PLACING.into()),
        ("place_portable.wgsl", "PLACING", sort_pairs::PORTABLE_PLACING.into()),
        ("sort_pairs.wgsl", "SMALLEST_BLOCK", sort_pairs::SMALLEST_BLOCK.into()),
        ("adjacency.wgsl", "WORKGROUP", adjacency::WORKGROUP.into()),
        ("walk.wgsl", "ONE_CELL", float(layout::ONE_CELL)),
        ("enclosure.wgsl", "WORKGROUP", enclosure::WORKGROUP.into()),
        (
            "enclosure.wgsl",
            "ERROR_PER_SIZE",
            separating_axes::ERROR_FACTOR / (1u64 << 23) as f64,
        ),
        ("enclosure.wgsl", "KAPPA", float(separating_axes::KAPPA as f32)),
        ("enclosure.wgsl", "LARGEST_SINE", float(obb_sat_cpu::LARGEST_SINE)),
        ("enclosure.wgsl", "INSIDE", enclosed(EnclosureState::Inside)),
        ("enclosure.wgsl", "CROSSING", enclosed(EnclosureState::Crossing)),
        ("enclosure.wgsl", "OUTSIDE", enclosed(EnclosureState::Outside)),
        ("enclosure.wgsl", "UNDECIDED", Enclosure::UNDECIDED.into()),
        ("enclosure.wgsl", "INVALID", Enclosure::INVALID.into()),
        ("obb_distance.wgsl", "WORKGROUP", obb_distance::WORKGROUP.into()),
        ("frame.wgsl", "ERROR", float(2.0 * obb_distance_cpu::ERROR)),
        ("frame.wgsl", "FLUSH_ERROR", float(distance::FLUSH_ERROR_F32)),
        ("frame.wgsl", "KAPPA", float(separating_axes::KAPPA as f32)),
        ("frame.wgsl", "LARGEST_SINE", float(obb_sat_cpu::LARGEST_SINE)),
        ("closest.wgsl", "PARALLEL", float(2.0 * obb_distance_cpu::PARALLEL)),
        ("obb_closest.wgsl", "WORKGROUP", obb_closest::WORKGROUP.into()),
        ("obb_closest.wgsl", "UNDECIDED", ClosestRecord::UNDECIDED.into()),
        ("obb_manifold.wgsl", "WORKGROUP", obb_manifold::WORKGROUP.into()),
        ("obb_manifold.wgsl", "PREFERENCE", float(penetration::PREFERENCE as f32)),
        ("obb_manifold.wgsl", "SLOP", float(penetration::SLOP as f32)),
        (
            "obb_manifold.wgsl",
            "REFERENCE_SHIFT",
            ManifoldRecord::REFERENCE_SHIFT.into(),
        ),
        ("obb_manifold.wgsl", "COUNT_SHIFT", ManifoldRecord::COUNT_SHIFT.into()),
        ("obb_manifold.wgsl", "UNDECIDED", ManifoldRecord::UNDECIDED.into()),
        ("clip.wgsl", "MOST_POINTS", count(pair_forms::MOST_POINTS)),
        ("narrow_plan.wgsl", "TESTING", obb_sat::WORKGROUP.into()),
        ("narrow_plan.wgsl", "TESTING", upright_sat::WORKGROUP.into()),
        ("narrow_plan.wgsl", "TESTING", obb_distance::WORKGROUP.into()),
        ("sat.wgsl", "WORKGROUP", obb_sat::WORKGROUP.into()),
        ("sat.wgsl", "WORKGROUP", upright_sat::WORKGROUP.into()),
        (
            "sat.wgsl",
            "ERROR_PER_DISTANCE",
            float(2.0 * obb_sat_cpu::ERROR_PER_DISTANCE),
        ),
        (
            "sat.wgsl",
            "ERROR_PER_RADIUS",
            float(2.0 * obb_sat_cpu::ERROR_PER_RADIUS),
        ),
        ("sat.wgsl", "FLUSH_ERROR", float(separating_axes::FLUSH_ERROR_F32)),
        ("obb_sat.wgsl", "KAPPA", float(separating_axes::KAPPA as f32)),
        ("obb_sat.wgsl", "LARGEST_SINE", float(obb_sat_cpu::LARGEST_SINE)),
        ("obb_sat_f64.wgsl", "WORKGROUP", obb_sat_f64::WORKGROUP.into()),
        (
            "obb_sat_f64.wgsl",
            "ERROR_PER_SIZE",
            separating_axes::ERROR_FACTOR / (1u64 << 52) as f64,
        ),
        (
            "obb_sat_f64.wgsl",
            "FLUSH_ERROR",
            float(separating_axes::FLUSH_ERROR_F32),
        ),
        ("obb_sat_f64.wgsl", "KAPPA", separating_axes::KAPPA),
        ("obb_sat_f64.wgsl", "LARGEST_SINE", float(obb_sat_cpu::LARGEST_SINE)),
    ]
}

/// Constants that mean something within their shader only.
const SHADER_ONLY: [(&str, &str); 35] = [
    ("sort_pairs.wgsl", "PER_INVOCATION"),
    ("sort_pairs.wgsl", "GROUP"),
    ("place_portable.wgsl", "MASKS"),
    ("place_subgroup.wgsl", "TABLES"),
    ("obb_distance.wgsl", "BEYOND"),
    ("obb_distance.wgsl", "NEAR"),
    ("obb_distance.wgsl", "COLLIDING"),
    ("obb_distance.wgsl", "UNDECIDED"),
    ("frame.wgsl", "INFINITE"),
    ("clip.wgsl", "SAME"),
    ("clip.wgsl", "FACING"),
    ("clip.wgsl", "SIDES"),
    ("clip.wgsl", "CROSSINGS"),
    ("clip.wgsl", "CORNER"),
    ("clip.wgsl", "EDGE"),
    ("clip.wgsl", "FACE"),
    ("obb_manifold.wgsl", "ROUNDING"),
    ("obb_manifold.wgsl", "PARALLEL_EDGES"),
    ("obb_manifold.wgsl", "FACES_OF_B"),
    ("obb_manifold.wgsl", "EDGES"),
    ("obb_manifold.wgsl", "POINTS"),
    ("obb_manifold.wgsl", "NEITHER"),
    ("loops.wgsl", "LOOPS_ENDED"),
    ("grid_query.wgsl", "KEPT"),
    ("grid_query.wgsl", "MOST_ALONE"),
    ("grid_pairs.wgsl", "KEPT"),
    ("finish.wgsl", "CALLERS_WORKGROUP"),
    ("finish.wgsl", "MOST_WORKGROUPS"),
    ("grid_plan.wgsl", "INFINITE_COST"),
    ("obb_sat_f64.wgsl", "SEPARATED"),
    ("obb_sat_f64.wgsl", "OVERLAPPING"),
    ("obb_sat_f64.wgsl", "UNCLEAR"),
    ("sat.wgsl", "SEPARATED"),
    ("sat.wgsl", "OVERLAPPING"),
    ("sat.wgsl", "UNDECIDED"),
];

#[test]
fn constants_are_the_same_as_in_rust() {
    let mut seen = BTreeSet::new();
    for shader in &SHADERS {
        let (module, _) = shader.load();
        let text = shader.source.text();
        for (handle, constant) in module.constants.iter() {
            let (Some(name), Some(value)) = (constant.name.as_deref(), value(&module, constant)) else {
                continue;
            };
            let line = module.constants.get_span(handle).location(&text).line_number;
            let (file, _) = shader.source.locate(line as usize);
            let file = file.rsplit('/').next().unwrap_or(file);
            if SHADER_ONLY.contains(&(file, name)) {
                continue;
            }
            let twin = constants().into_iter().find(|row| (row.0, row.1) == (file, name));
            let Some((.., expected)) = twin else {
                panic!("{name} of shaders/{file} is in no table of this test");
            };
            assert_eq!(value, expected, "{name} of shaders/{file}");
            seen.insert((file, name.to_owned()));
        }
    }
    let listed = constants()
        .into_iter()
        .map(|(file, name, _)| (file, name.to_owned()))
        .collect();
    assert_eq!(seen, listed, "every constant of the table is in some shader");
}

/// The value of a constant that is a number.
fn value(module: &Module, constant: &naga::Constant) -> Option<f64> {
    match module.global_expressions[constant.init] {
        naga::Expression::Literal(naga::Literal::U32(value)) => Some(value.into()),
        naga::Expression::Literal(naga::Literal::F32(value)) => Some(value.into()),
        naga::Expression::Literal(naga::Literal::F64(value)) => Some(value),
        _ => None,
    }
}
