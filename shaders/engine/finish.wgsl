// Writes the outcome of a recorded frame, for kernels of the caller that follow it.
// Uses: shared/common.wgsl, shared/outcome.wgsl, shared/scene_stats.wgsl.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> candidates: CandidateList;
@group(0) @binding(2) var<storage, read_write> outcome: Outcome;
@group(0) @binding(3) var<storage, read> stats: SceneStats;

// Invocations per workgroup of the caller's kernels, for which the indirect dispatch arguments are
// computed.
const CALLERS_WORKGROUP: u32 = 64u;
// The maximum number of workgroups per dimension that WebGPU guarantees.
const MOST_WORKGROUPS: u32 = 65535u;

@compute @workgroup_size(1)
fn finish() {
    let needed = select(atomicLoad(&candidates.counters[CANDIDATES]), 0xffffffffu, atomicLoad(&candidates.counters[TOO_MANY]) > 0u);
    let pairs_needed = atomicLoad(&candidates.counters[PAIRS]);
    let pairs = select(0u, min(pairs_needed, params.pair_capacity), params.output == OUTPUT_PAIRS);
    // The pairs that f32 could not decide; on devices with f64, those of them that f64 could not
    // decide either.
    let all_undecided = atomicLoad(&candidates.counters[UNDECIDED_PAIRS]);
    let is_visited = params.visits_undecided > 0u;
    let all_fit = all_undecided <= params.undecided_capacity;
    var undecided = min(all_undecided, params.undecided_capacity);
    if params.has_f64 > 0u { undecided = atomicLoad(&candidates.counters[LEFT_PAIRS]); }
    let groups = (pairs + CALLERS_WORKGROUP - 1u) / CALLERS_WORKGROUP;
    let rows = (groups + MOST_WORKGROUPS - 1u) / MOST_WORKGROUPS;
    outcome.workgroups = vec3(min(groups, MOST_WORKGROUPS), max(rows, 1u), 1u);
    outcome.pairs = pairs;
    outcome.pairs_needed = pairs_needed;
    outcome.candidates_needed = needed;
    outcome.undecided = select(undecided, 0u, is_visited);
    outcome.undecided_needed = all_undecided;
    outcome.suspects = stats.suspects;
    outcome.stale = select(0u, 1u, atomicLoad(&candidates.counters[TOO_MANY]) == STALE_ORDER);
    let all_pairs = params.output != OUTPUT_PAIRS || pairs_needed <= params.pair_capacity;
    let whole = needed <= params.candidate_capacity && (all_fit || is_visited);
    outcome.bodies = params.box_count;
    outcome.bodies_needed = params.bodies_needed;
    outcome.first_image = select(params.box_count, params.images_first, params.image_error > 0.0);
    let all_bodies = params.bodies_needed <= params.box_count;
    let fits = all_bodies && all_pairs && whole && outcome.suspects == 0u;
    outcome.fits = select(0u, 1u, fits);
    outcome.complete = select(0u, 1u, fits && all_fit && undecided == 0u);
}
