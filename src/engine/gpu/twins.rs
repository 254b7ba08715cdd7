//! The twins: constants and records that are defined in both Rust and the shaders, by shader file.
//! They include every record that the host and a device exchange.

use std::mem::offset_of;

use crate::base::config::Precision;
use crate::base::problem::COORDINATE_LIMIT;
use crate::broad_phase::grid::grid_build::PER_INVOCATION;
use crate::broad_phase::grid::grid_pairs::AT_ONCE;
use crate::broad_phase::grid::grid_plan_cpu::{BASE_SLACK, CELLS_ACROSS, ROW_COST, SLACK_PER_CELL, SMALLEST_CELL};
use crate::broad_phase::grid::kept_plan::{FEW_BOXES, ROOM_TO_GROW};
use crate::broad_phase::grid::layout::{self, Plan};
use crate::broad_phase::lbvh::layout as lbvh;
use crate::broad_phase::lbvh::lbvh_pairs::SAMPLES;
#[cfg(test)]
use crate::device::twins::check_records;
use crate::device::twins::{Table, Twin, record};
use crate::engine::gpu::count_bodies::OCTAVES;
use crate::engine::gpu::event_results::RecordedEvents;
use crate::engine::gpu::images::{ImageCounts, ImageParams, ImageRecord};
use crate::frame::counters::{Counters, QUEUES};
use crate::frame::outcome::Outcome;
use crate::frame::params::Params;
use crate::frame::radix_sort::{BLOCKS, DIGITS, Digit, SMALLEST_BLOCK};
use crate::geometry::aabb::Aabb;
use crate::geometry::bounds::{
    ABSOLUTE_ERROR, BINS, Bounds, CENTER_ERROR, COARSENESS, EXTENT_ERROR, MARGIN_ERROR, MARGIN_FLUSH, SIZE_ERROR,
};
use crate::geometry::pair::Pair;
use crate::geometry::scene_stats::{LayerStats, SceneStats};
use crate::narrow_phase::in_plane::plane_manifold;
use crate::narrow_phase::moving_moving::moving_sat_cpu;
use crate::narrow_phase::moving_moving::sweep_times::ImpactRecord;
use crate::narrow_phase::obb_obb::found_pairs::PairParams;
use crate::narrow_phase::obb_obb::narrow_plan::{Dispatches, TESTING};
use crate::narrow_phase::obb_obb::obb_closest::ClosestRecord;
use crate::narrow_phase::obb_obb::obb_manifold::{MOST_POINTS, ManifoldRecord, PointRecord};
use crate::narrow_phase::obb_obb::obb_overlap::{self, OverlapRecord};
use crate::narrow_phase::obb_obb::obb_sat_cpu::LARGEST_SINE;
use crate::narrow_phase::obb_obb::penetration::{PREFERENCE, SLOP};
use crate::narrow_phase::obb_obb::separating_axes::{
    FLUSH_ERROR_F32, KAPPA, SHADER_DISTANCE_ERROR, SHADER_ERROR_F64, SHADER_RADIUS_ERROR,
};
use crate::narrow_phase::obb_obb::{distance_error, obb_distance_cpu};
use crate::narrow_phase::round::manifold::SIDE_BY_SIDE;
use crate::narrow_phase::round::{filter, sort_by_kinds};
use crate::narrow_phase::triangle_triangle::filter as triangles;
use crate::outputs::adjacency::Rows;
use crate::outputs::carried_cpu::NEW;
use crate::outputs::events::{EventCounts, EventRecord, Wanted};
use crate::outputs::nearest_rows::NearestRows;
use crate::regions::enclosure_cpu;
use crate::regions::room::{Enclosure, EnclosureState};
use crate::regions::room_frame::RoomFrame;
use crate::rules::joint::RUNS;
use crate::rules::layers::{LAYER_BITS, MAX_LAYERS};
use crate::rules::list;
use crate::rules::model::NO_OWNER;
use crate::shapes::bodies::set::Kind;
use crate::shapes::moving::motion::Motion;
use crate::shapes::moving::moving_bounds_cpu::{LEAST_BEND, SWEPT_ERROR};
use crate::shapes::moving::moving_records::{EarliestImpact, StepParams};
use crate::shapes::moving::record::Moving;
use crate::shapes::obb::record::Obb;
use crate::shapes::round::capsule::Capsule;
use crate::shapes::round::sphere::Sphere;
use crate::shapes::triangle::record::Triangle;
use crate::shapes::triangle::set::Neighbours;

/// A table of twins by files.
macro_rules! twins {
    ($($file:literal: $twins:expr,)+) => { &[$(($file, $twins)),+] };
}

/// Number of units in the last place in 1, as used by the error bounds of shaders in `f32`.
const ULP: f64 = (1u32 << 23) as f64;

/// The twins in a file or a folder of `shaders`.
pub(super) const TWINS: &Table = twins! {
    "shared/obb.wgsl": &[record!("Obb", Obb, [
        rotation, center, half_extents as "half_x" + 0, half_extents as "half_y" + 4, half_extents as "half_z" + 8,
        memberships, filter as "groups_filter" + 0,
    ])],
    "device/random.wgsl": &[Twin::Record("Sector", 32, &[("low", 0), ("high", 16)])],
    "shared/pair.wgsl": &[record!("Pair", Pair, [a, b])],
    "shared/common.wgsl": &[
        record!("Bounds", Bounds, [low, tag, high, id]),
        record!("Params", Params, [
            box_count, range_first, range_count, candidate_capacity, most_candidates, partial, pair_capacity,
            undecided_capacity, output, exactness, again, probe_samples, probe_slots, has_f64, movers, box_segment,
            bounds_segment, worlds, margin, half_margin, own_margins, partners_first, partners_end, most_work,
            zero, box_end, capsule_end, box_end_of_a, capsule_end_of_a, queues_first,
            order, refit, visits_undecided, bodies_needed, image_error, images_unit, images_first, image_box_end,
            image_capsule_end,
        ]),
        Twin::Record("Segment", 16, &[("number", 0), ("unused_a", 4), ("unused_b", 8), ("unused_c", 12)]),
        Twin::Constant("COUNTERS", words(size_of::<Counters>())),
        Twin::Constant("PLACED", words(offset_of!(Counters, placed))),
        Twin::Constant("CANDIDATES", words(offset_of!(Counters, candidates))),
        Twin::Constant("TOO_MANY", words(offset_of!(Counters, too_many))),
        Twin::Constant("ROWS", words(offset_of!(Counters, rows))),
        Twin::Constant("COMPARISONS", words(offset_of!(Counters, comparisons))),
        Twin::Constant("WALKED", words(offset_of!(Counters, walked))),
        Twin::Constant("PAIRS", words(offset_of!(Counters, pairs))),
        Twin::Constant("UNDECIDED_PAIRS", words(offset_of!(Counters, undecided))),
        Twin::Constant("LEFT_PAIRS", words(offset_of!(Counters, left))),
        Twin::Constant("NEAR_PAIRS", words(offset_of!(Counters, near))),
        Twin::Constant("QUEUE_ENDS", words(offset_of!(Counters, queue_ends))),
        Twin::Local(&["STALE_ORDER"]),
        Twin::Record("CandidateList", 88, &[("counters", 0), ("pairs", 80)]),
        Twin::Constant("OUTPUT_PAIRS", Params::PAIRS as f64),
        Twin::Constant("OUTPUT_DEGREES", Params::DEGREES as f64),
        Twin::Constant("OUTPUT_COUNT", Params::COUNT as f64),
        Twin::Constant("PRECISION_EXACT", Params::exactness_of(Precision::Exact) as f64),
        Twin::Constant("PRECISION_FAST", Params::exactness_of(Precision::Fast) as f64),
        Twin::Constant("PRECISION_CONSERVATIVE", Params::exactness_of(Precision::Conservative) as f64),
    ],
    "shared/loops.wgsl": &[Twin::Constant("LOOPS_ENDED", Counters::LOOPS_ENDED as f64)],
    "shared/scene_stats.wgsl": &[
        record!("SceneStats", SceneStats, [below, suspects, above, tilted, boxes_of_bin, largest_of_bin, layers]),
        record!("LayerStats", LayerStats, [below, above, boxes_of_bin]),
    ],
    "shared/outcome.wgsl": &[record!("Outcome", Outcome, [
        workgroups, pairs, pairs_needed, candidates_needed, undecided, undecided_needed, suspects, complete, stale, fits,
        bodies, bodies_needed, first_image, unused,
    ])],
    "shared/found_pairs.wgsl": &[record!(
        "PairParams", PairParams, [
            pair_capacity, point_capacity, box_segment, movers, zero, box_end, capsule_end, box_end_of_a, capsule_end_of_a,
            images_unit, images_first, image_box_end, image_capsule_end,
        ]
    )],
    "engine/count_bodies.wgsl": &[
        Twin::Constant("OCTAVES", OCTAVES as f64), Twin::Constant("IMAGES", words(offset_of!(ImageCounts, images))),
    ],
    "engine/deactivate.wgsl": &[Twin::Local(&["BELOW_ALL"])],
    "engine/image_record.wgsl": &[Twin::Record("ImageRecord", size_of::<ImageRecord>(), &[
        ("body", offset_of!(ImageRecord, body)),
        ("x", offset_of!(ImageRecord, image)),
        ("y", offset_of!(ImageRecord, image) + 4),
        ("z", offset_of!(ImageRecord, image) + 8),
    ])],
    "engine/images.wgsl": &[
        record!("ImageParams", ImageParams, [
            length, widening, kind, first, count, first_unit, units, bodies, most, images_unit, between, zero, masked, own_margins,
        ]),
        record!("ImageCounts", ImageCounts, [bodies, out_of_period, images]),
        Twin::Constant("CAPSULES", Kind::Capsule as u32 as f64),
        Twin::Constant("SPHERES", Kind::Ball as u32 as f64),
        Twin::Constant("NOWHERE", 2.0 * COORDINATE_LIMIT as f64), Twin::Constant("MARGINS", list::MARGINS as f64),
        Twin::Constant("IN_BUFFER", ImageParams::IN_BUFFER as f64),
        Twin::Local(&["SIZE_ERROR", "AROUND", "AFTER_ITSELF"]),
    ],
    "engine/finish.wgsl": &[Twin::Local(&["CALLERS_WORKGROUP", "MOST_WORKGROUPS"])],
    "rules/lists.wgsl": &[
        Twin::Constant("NO_OWNER", NO_OWNER as f64),
        Twin::Constant("OWNERS", list::OWNERS as f64), Twin::Constant("WORLDS", list::WORLDS as f64),
        Twin::Constant("STATICS", list::STATICS as f64), Twin::Constant("ACTIVE", list::ACTIVE as f64),
        Twin::Constant("EXCLUDED", list::EXCLUDED as f64),
        Twin::Constant("EXCLUDED_LAST", list::EXCLUDED_LAST as f64),
        Twin::Constant("EXCLUDED_TURNED", list::EXCLUDED_TURNED as f64),
        Twin::Constant("SECOND_SET", list::SECOND_SET as f64),
        Twin::Constant("MARGINS", list::MARGINS as f64),
        Twin::Constant("GROUPS", list::GROUPS as f64),
        Twin::Constant("LAYERS", list::LAYERS as f64),
        Twin::Constant("LAYER_COUNT", list::LAYER_COUNT as f64),
        Twin::Constant("LAYERS_THAT_MEET", list::LAYERS_THAT_MEET as f64),
        Twin::Constant("IMAGES", list::IMAGES as f64),
        Twin::Constant("WORDS_OF_IMAGE", list::WORDS_OF_IMAGE as f64),
        Twin::Constant("RUN_ENDS", list::RUN_ENDS as f64), Twin::Constant("RUNS", RUNS as f64),
        Twin::Constant("LAYER_BITS", LAYER_BITS as f64),
        Twin::Constant("MAX_LAYERS", MAX_LAYERS as f64),
    ],
    "shared/validity.wgsl": &[
        Twin::Constant("LARGEST_LENGTH", COORDINATE_LIMIT.to_bits() as f64),
        Twin::Local(&["SMALL_COMPONENT", "LARGE_COMPONENT", "MAGNITUDE"]),
    ],
    "rules/widening.wgsl": &[
        Twin::Constant("MARGIN_ERROR", MARGIN_ERROR as f64),
        Twin::Constant("MARGIN_FLUSH", MARGIN_FLUSH as f64),
    ],
    "shapes/aabb/aabb.wgsl": &[record!("Aabb", Aabb, [
        min as "min_x" + 0, min as "min_y" + 4, min as "min_z" + 8,
        max as "max_x" + 0, max as "max_y" + 4, max as "max_z" + 8,
    ])],
    "shapes/round/capsule.wgsl": &[record!("Capsule", Capsule, [
        rotation, center, half_length, radius, unused, memberships, filter as "groups_filter" + 0,
    ])],
    "shapes/round/sphere.wgsl": &[record!("Sphere", Sphere, [center, radius])],
    "shapes/triangle/triangle.wgsl": &[record!("Triangle", Triangle, [
        corners as "a_x" + 0, corners as "a_y" + 4, corners as "a_z" + 8,
        corners as "b_x" + 12, corners as "b_y" + 16, corners as "b_z" + 20,
        corners as "c_x" + 24, corners as "c_y" + 28, corners as "c_z" + 32,
    ])],
    "shapes/triangle/triangle_bounds.wgsl": &[Twin::Local(&["SIGN"])],
    "shapes/moving/moving.wgsl": &[record!("Moving", Moving, [
        around as "rotation" + 0, around as "center" + 16, around as "half_x" + 28, around as "half_y" + 32,
        around as "half_z" + 36, around as "memberships" + 40, around as "groups_filter" + 44,
        path, radius, bend, curved, extent, suspect,
    ])],
    "shapes/moving/moving_boxes.wgsl": &[Twin::Constant("ROWS_OF_RECORD", (size_of::<Moving>() / 16) as f64)],
    "shapes/moving/motion.wgsl": &[record!("Motion", Motion, [
        velocity, uncertainty, angular_velocity, reserved as "reserved_a" + 0, acceleration, reserved_too as "reserved_b" + 0,
    ])],
    "shapes/moving/earliest.wgsl": &[record!("EarliestImpact", EarliestImpact, [time, partner])],
    "shapes/moving/moving_records.wgsl": &[
        record!("StepParams", StepParams, [dt, count, zero, box_end, capsule_end, first, first_given, first_motion]),
        Twin::Constant("NEVER", EarliestImpact::NEVER as f64),
        Twin::Local(&[
            "TURN_ERROR", "FAR_TURNED", "LEAST_SCALE", "NOBODY", "ALL_GROUPS", "INFINITE", "LENGTH_EXPONENT", "ANGLE_EXPONENT",
        ]),
    ],
    "shapes/moving/moving_bounds.wgsl": &[
        Twin::Constant("SWEPT_ERROR", SWEPT_ERROR as f64),
        Twin::Constant("LEAST_BEND", LEAST_BEND as f64),
    ],
    "shapes/": &[
        Twin::Constant("EXTENT_ERROR", EXTENT_ERROR as f64),
        Twin::Constant("CENTER_ERROR", CENTER_ERROR as f64),
        Twin::Constant("ABSOLUTE_ERROR", ABSOLUTE_ERROR as f64),
    ],
    "broad_phase/grid/": layout::TWINS,
    "broad_phase/grid/grid.wgsl": &[Twin::Constant("BINS", BINS as f64)],
    "broad_phase/grid/statistics.wgsl": &[
        Twin::Record("SceneStatsAtomic", offset_of!(SceneStats, layers), &[
            ("below", offset_of!(SceneStats, below)),
            ("suspects", offset_of!(SceneStats, suspects)),
            ("above", offset_of!(SceneStats, above)),
            ("tilted", offset_of!(SceneStats, tilted)),
            ("boxes_of_bin", offset_of!(SceneStats, boxes_of_bin)),
            ("largest_of_bin", offset_of!(SceneStats, largest_of_bin)),
        ]),
        Twin::Constant("COARSENESS", COARSENESS as f64),
        Twin::Constant("SIZE_ERROR", SIZE_ERROR as f64),
    ],
    "broad_phase/grid/grid_layers.wgsl": &[
        record!("LayeredStats", SceneStats, [below, suspects, above, tilted, boxes_of_bin, largest_of_bin, layers]),
        record!("LayerStatsAtomic", LayerStats, [below, above, boxes_of_bin]),
    ],
    "broad_phase/grid/grid_plan.wgsl": &[
        Twin::Constant("SMALLEST_CELL", SMALLEST_CELL as f64),
        Twin::Constant("CELLS_ACROSS", CELLS_ACROSS as f64),
        Twin::Constant("BASE_SLACK", BASE_SLACK as f64),
        Twin::Constant("SLACK_PER_CELL", SLACK_PER_CELL as f64),
        Twin::Constant("ROW_COST", ROW_COST as f64),
        Twin::Constant("WORLDS", Params::WORLDS as f64),
        Twin::Constant("LAYERS", Params::LAYERS as f64),
        Twin::Constant("MAX_LAYERS", MAX_LAYERS as f64),
        Twin::Constant("ROOM_TO_GROW", ROOM_TO_GROW as f64),
        Twin::Constant("FEW_BOXES", FEW_BOXES as f64),
        Twin::Local(&["INFINITE_COST"]),
    ],
    "broad_phase/grid/grid_build.wgsl": &[
        Twin::Constant("PER_INVOCATION", PER_INVOCATION as f64),
        Twin::Local(&["NO_BIN"]),
    ],
    "broad_phase/record.wgsl": &[
        Twin::Record("Record", size_of::<Bounds>(), &[
            ("low_and_tag", offset_of!(Bounds, low)),
            ("high_and_id", offset_of!(Bounds, high)),
        ]),
    ],
    "broad_phase/lbvh/lbvh.wgsl": &[
        Twin::Constant("LEAF", lbvh::LEAF as f64),
        Twin::Constant("POSITION", lbvh::POSITION as f64),
        Twin::Constant("END", lbvh::END as f64),
        Twin::Constant("SAMPLES", SAMPLES as f64),
    ],
    "broad_phase/lbvh/lbvh_keys.wgsl": &[
        Twin::Constant("CELLS_ACROSS", (1u32 << lbvh::BITS) as f64),
        Twin::Constant("LAST_CELL", ((1u32 << lbvh::BITS) - 1) as f64),
        Twin::Constant("SMALLEST_SPAN", lbvh::SMALLEST_SPAN as f64),
    ],
    "broad_phase/lbvh/lbvh_bounds.wgsl": &[Twin::Constant("BLOCK", lbvh::BLOCK as f64)],
    "broad_phase/lbvh/lbvh_probe.wgsl": &[Twin::Local(&["MOST_COUNTED"])],
    "broad_phase/lbvh/lbvh_pairs.wgsl": &[Twin::Local(&["KEPT"])],
    "broad_phase/lbvh/lbvh_query.wgsl": &[Twin::Local(&["KEPT", "MOST_ALONE"])],
    "broad_phase/grid/grid_pairs.wgsl": &[
        Twin::Constant("AT_ONCE", AT_ONCE as f64),
        Twin::Local(&["KEPT", "MOST_RECORDS_EACH"]),
    ],
    "broad_phase/grid/grid_query.wgsl": &[
        Twin::Constant("ROW_COST", ROW_COST as f64),
        Twin::Local(&["KEPT", "MOST_ALONE"]),
        Twin::Record("PlanAtRest", offset_of!(Plan, level_of_bin), &[
            ("origin", offset_of!(Plan, origin)),
            ("level_count", offset_of!(Plan, level_count)),
            ("high", offset_of!(Plan, high)),
            ("slots", offset_of!(Plan, slots)),
            ("levels", offset_of!(Plan, levels)),
        ]),
    ],
    "shared/queues.wgsl": &[
        Twin::Constant("QUEUES", QUEUES as f64),
        Twin::Local(&[
            "BOX_BOX", "BOX_CAPSULE", "BOX_SPHERE", "CAPSULE_CAPSULE", "CAPSULE_SPHERE", "SPHERE_SPHERE",
        ]),
    ],
    "narrow_phase/round/sort_by_kinds.wgsl": &[
        Twin::Constant("PER_INVOCATION", sort_by_kinds::PER_INVOCATION as f64),
    ],
    "narrow_phase/round/answers.wgsl": &[
        Twin::Constant("ULP", 1.0 / ULP),
        Twin::Local(&["APART", "COLLIDING", "NEAR", "UNDECIDED"]),
    ],
    "narrow_phase/round/segments.wgsl": &[
        Twin::Constant("FLUSH_LENGTH", filter::FLUSH_LENGTH as f64),
        Twin::Constant("LEAST_SINE", filter::LEAST_SINE as f64),
        Twin::Constant("LEAST_SLOPE", filter::LEAST_SLOPE as f64),
    ],
    "narrow_phase/round/sphere_sphere.wgsl": &[
        Twin::Constant("SPHERES_ERROR", filter::SPHERES_ERROR as f64),
        Twin::Constant("FLUSH_SQUARE", filter::FLUSH_SQUARE as f64),
    ],
    "narrow_phase/round/round_round.wgsl": &[Twin::Constant("SEGMENTS_ERROR", filter::SEGMENTS_ERROR as f64)],
    "narrow_phase/round/box_round.wgsl": &[Twin::Constant("BOX_ERROR", filter::BOX_ERROR as f64)],
    "narrow_phase/in_plane/figures.wgsl": &[
        Twin::Constant("LENGTH_ERROR", plane_manifold::LENGTH_ERROR / ULP),
        Twin::Constant("FLUSH_LENGTH", filter::FLUSH_LENGTH as f64),
    ],
    "narrow_phase/in_plane/plane_manifold.wgsl": &[Twin::Local(&["DIRECTED"])],
    "narrow_phase/obb_obb/testing.wgsl": &[Twin::Constant("TESTING", TESTING as f64)],
    "narrow_phase/obb_obb/narrow_plan.wgsl": &[
        record!("Dispatches", Dispatches, [
            boxes, all_axes, five_axes, of_box, of_capsule, of_spheres,
        ]),
    ],
    "narrow_phase/obb_obb/sat.wgsl": &[
        Twin::Constant("ERROR_PER_DISTANCE", SHADER_DISTANCE_ERROR / ULP),
        Twin::Constant("ERROR_PER_RADIUS", SHADER_RADIUS_ERROR / ULP),
        Twin::Constant("FLUSH_ERROR", FLUSH_ERROR_F32 as f64),
        Twin::Local(&["SEPARATED", "OVERLAPPING", "UNDECIDED"]),
    ],
    "narrow_phase/obb_obb/obb_sat.wgsl": &[
        Twin::Constant("KAPPA", KAPPA as f32 as f64),
        Twin::Constant("LARGEST_SINE", LARGEST_SINE as f64),
    ],
    "narrow_phase/obb_obb/obb_sat_f64.wgsl": &[
        Twin::Constant("ERROR_PER_SIZE", SHADER_ERROR_F64),
        Twin::Constant("FLUSH_ERROR", FLUSH_ERROR_F32 as f64),
        Twin::Constant("KAPPA", KAPPA),
        Twin::Constant("LARGEST_SINE", LARGEST_SINE as f64),
        Twin::Local(&["SEPARATED", "OVERLAPPING", "UNDECIDED"]),
    ],
    "narrow_phase/aabb_aabb/aabb_within.wgsl": &[Twin::Local(&["SIGN", "LEADING"])],
    "narrow_phase/moving_moving/way_errors.wgsl": &[
        Twin::Constant("SIZE_ERROR", moving_sat_cpu::SIZE_ERROR as f64),
        Twin::Constant("WAY_ERROR", moving_sat_cpu::WAY_ERROR as f64),
        Twin::Constant("FLUSH_ERROR", moving_sat_cpu::FLUSH_ERROR as f64),
        Twin::Constant("LEAST_WAY", moving_sat_cpu::LEAST_WAY as f64),
        Twin::Local(&["QUOTIENT_ERROR"]),
    ],
    "narrow_phase/moving_moving/rounded.wgsl": &[
        Twin::Constant("NEVER", EarliestImpact::NEVER as f64),
        Twin::Local(&["TANGENTS", "TIME_ERROR"]),
    ],
    "narrow_phase/moving_moving/impact_record.wgsl": &[record!("ImpactRecord", ImpactRecord, [a, b, time, flags])],
    "narrow_phase/obb_obb/obb_distance.wgsl": &[Twin::Local(&["BEYOND", "NEAR", "COLLIDING", "UNDECIDED"])],
    "narrow_phase/obb_obb/frame.wgsl": &[
        Twin::Constant("ERROR", distance_error::SHADER_ERROR_FACTOR / ULP),
        Twin::Constant("FLUSH_ERROR", distance_error::FLUSH_ERROR_F32 as f64),
        Twin::Constant("KAPPA", KAPPA as f32 as f64),
        Twin::Constant("LARGEST_SINE", LARGEST_SINE as f64),
        Twin::Local(&["INFINITE"]),
    ],
    "narrow_phase/obb_obb/closest.wgsl": &[
        Twin::Constant("PARALLEL", 2.0 * obb_distance_cpu::PARALLEL as f64),
    ],
    "narrow_phase/obb_obb/closest_record.wgsl": &[record!("ClosestRecord", ClosestRecord, [on_a, distance, on_b, bits])],
    "narrow_phase/obb_obb/closest_list.wgsl": &[Twin::Constant("UNDECIDED", ClosestRecord::UNDECIDED as f64)],
    "narrow_phase/obb_obb/overlap_record.wgsl": &[
        record!("OverlapRecord", OverlapRecord, [volume, error, iou, bits]),
    ],
    "narrow_phase/obb_obb/obb_overlap.wgsl": &[
        Twin::Constant("VOLUME_ERROR", obb_overlap::VOLUME_ERROR_FACTOR / ULP),
        Twin::Constant("UNDECIDED", OverlapRecord::UNDECIDED as f64),
        Twin::Constant("TOO_LARGE", OverlapRecord::TOO_LARGE as f64),
        Twin::Local(&[
            "FLUSHED_SIZE", "FLUSHED_VOLUME", "LEAST_ERROR", "LEAST_LENGTH", "MOST_OCTAVES", "LARGEST_VOLUME",
            "LARGEST_EXPONENT", "EXPONENT_OF_ONE",
        ]),
    ],
    "narrow_phase/round/core_pair.wgsl": &[Twin::Constant("LENGTH_ERROR", filter::BOX_ERROR as f64 / ULP)],
    "narrow_phase/round/round_manifold.wgsl": &[
        Twin::Constant("SIDE_BY_SIDE", SIDE_BY_SIDE),
        Twin::Local(&["SLIGHT", "LEAST_PART", "ENDLESS"]),
    ],
    "narrow_phase/obb_obb/features.wgsl": &[Twin::Local(&["CORNER", "EDGE", "FACE", "ROUND"])],
    "narrow_phase/obb_obb/clip.wgsl": &[
        Twin::Constant("MOST_POINTS", MOST_POINTS as f64),
        Twin::Local(&["SAME", "FACING", "SHORTEST", "BITS", "OUT", "CORNERS"]),
    ],
    "narrow_phase/obb_obb/manifold_record.wgsl": &[record!("ManifoldRecord", ManifoldRecord, [
        normal as "normal_x" + 0, normal as "normal_y" + 4, normal as "normal_z" + 8, depth, first, bits,
    ])],
    "narrow_phase/obb_obb/point_record.wgsl": &[
        record!("PointRecord", PointRecord, [on_a as "x" + 0, on_a as "y" + 4, on_a as "z" + 8, depth, bits]),
    ],
    "narrow_phase/obb_obb/manifold_lists.wgsl": &[
        Twin::Constant("PREFERENCE", PREFERENCE as f32 as f64),
        Twin::Constant("SLOP", SLOP as f32 as f64),
        Twin::Constant("REFERENCE_SHIFT", ManifoldRecord::REFERENCE_SHIFT as f64),
        Twin::Constant("COUNT_SHIFT", ManifoldRecord::COUNT_SHIFT as f64),
        Twin::Constant("UNDECIDED", ManifoldRecord::UNDECIDED as f64),
        Twin::Local(&["ROUNDING", "POINTS", "NEITHER"]),
    ],
    "narrow_phase/obb_obb/obb_manifold.wgsl": &[Twin::Local(&["PARALLEL_EDGES", "FACES_OF_B", "EDGES"])],
    "narrow_phase/triangle_triangle/triangle_pairs.wgsl": &[
        Twin::Constant("ULP", 1.0 / ULP),
        Twin::Constant("VOLUME_ERROR", triangles::VOLUME_ERROR as f64),
        Twin::Constant("AREA_ERROR", triangles::AREA_ERROR as f64),
        Twin::Constant("FLUSH", triangles::FLUSH as f64),
        Twin::Constant("LARGEST_SCALE", triangles::LARGEST_SCALE as f64),
        Twin::Constant("CROSSING_NEIGHBOURS", Neighbours::Crossing as u8 as f64),
        Twin::Constant("ALL_NEIGHBOURS", Neighbours::All as u8 as f64),
        Twin::Local(&["SEPARATED", "MEETING", "UNDECIDED"]),
    ],
    "narrow_phase/triangle_triangle/neighbours.wgsl": &[
        Twin::Constant("CONE_ERROR", triangles::CONE_ERROR as f64),
    ],
    "outputs/adjacency.wgsl": &[record!("Rows", Rows, [count, of_a, of_b, unused])],
    "outputs/carried.wgsl": &[
        Twin::Constant("NEW", NEW as f64), Twin::Constant("TURNED", RecordedEvents::TURNED as f64),
    ],
    "outputs/event_record.wgsl": &[record!("EventRecord", EventRecord, [a, b, kind])],
    "outputs/events.wgsl": &[
        record!("Wanted", Wanted, [persisting, unused_a, unused_b, unused_c]),
        record!("EventCounts", EventCounts, [begin, persist, end, listed]),
        Twin::Constant("BEGIN", EventRecord::BEGIN as f64), Twin::Constant("PERSIST", EventRecord::PERSIST as f64),
        Twin::Constant("END", EventRecord::END as f64),
        Twin::Constant("NEW", NEW as f64), Twin::Local(&["WORKGROUP"]),
    ],
    "outputs/image_pairs.wgsl": &[
        Twin::Constant("NEW", NEW as f64), Twin::Constant("TURNED", RecordedEvents::TURNED as f64),
    ],
    "outputs/nearest_rows.wgsl": &[
        record!("NearestRows", NearestRows, [count, width, infinity, unused]),
        Twin::Constant("NONE", NEW as f64), Twin::Local(&["WORKGROUP"]),
    ],
    "outputs/sort_pairs.wgsl": &[
        record!("Digit", Digit, [shift, mask, of_a, unused]),
        Twin::Constant("DIGITS", DIGITS as f64), Twin::Constant("BLOCKS", BLOCKS as f64),
        Twin::Constant("SMALLEST_BLOCK", SMALLEST_BLOCK as f64), Twin::Local(&["WORKGROUP", "PER_INVOCATION", "GROUP"]),
    ],
    "outputs/place_portable.wgsl": &[Twin::Local(&["PLACING", "MASKS"])],
    "outputs/place_subgroup.wgsl": &[Twin::Local(&["PLACING", "TABLES"])],
    "regions/room_frame.wgsl": &[
        record!("RoomFrame", RoomFrame, [
            axis_x, half_x, axis_y, half_y, axis_z, half_z, center, slack, first, count, zero, skipped,
        ]),
        Twin::Constant("INSIDE", state(EnclosureState::Inside)),
        Twin::Constant("CROSSING", state(EnclosureState::Crossing)),
        Twin::Constant("OUTSIDE", state(EnclosureState::Outside)),
        Twin::Constant("UNDECIDED", Enclosure::UNDECIDED as f64),
        Twin::Constant("INVALID", Enclosure::INVALID as f64),
    ],
    "regions/enclosure.wgsl": &[
        Twin::Constant("ERROR_PER_SIZE", enclosure_cpu::SHADER_ERROR_FACTOR / ULP),
        Twin::Constant("KAPPA", KAPPA as f32 as f64),
        Twin::Constant("LARGEST_SINE", LARGEST_SINE as f64),
    ],
    "regions/round_enclosure.wgsl": &[
        Twin::Constant("ERROR_PER_SIZE", filter::BOX_ERROR as f64 / ULP),
    ],
};

const fn words(bytes: usize) -> f64 {
    (bytes / size_of::<u32>()) as f64
}

const fn state(state: EnclosureState) -> f64 {
    ((state as u32) << Enclosure::STATE_SHIFT) as f64
}

/// Checks that the WGSL texts given to callers' shaders match the records, and that the texts can
/// be combined.
#[test]
fn published_wgsl_matches_the_records() {
    let texts = [
        ("shared/obb.wgsl", Obb::WGSL),
        ("shared/pair.wgsl", Pair::WGSL),
        ("shared/outcome.wgsl", Outcome::WGSL),
        ("shapes/aabb/aabb.wgsl", Aabb::WGSL),
        ("narrow_phase/obb_obb/manifold_record.wgsl", ManifoldRecord::WGSL),
        ("narrow_phase/obb_obb/point_record.wgsl", PointRecord::WGSL),
        ("narrow_phase/obb_obb/closest_record.wgsl", ClosestRecord::WGSL),
        ("narrow_phase/obb_obb/overlap_record.wgsl", OverlapRecord::WGSL),
        ("engine/image_record.wgsl", ImageRecord::WGSL),
        ("shapes/round/capsule.wgsl", Capsule::WGSL),
        ("shapes/round/sphere.wgsl", Sphere::WGSL),
        ("shapes/triangle/triangle.wgsl", Triangle::WGSL),
        ("shapes/moving/motion.wgsl", Motion::WGSL),
        ("shapes/moving/earliest.wgsl", EarliestImpact::WGSL),
        ("narrow_phase/moving_moving/impact_record.wgsl", ImpactRecord::WGSL),
    ];
    for text in texts {
        assert_eq!(check_records(&[text], TWINS), 1, "{}", text.0);
    }
    assert_eq!(check_records(&texts, TWINS), texts.len());
}
