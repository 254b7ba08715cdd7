// The nearest partners of every body, in rows of the same width: of its partners in an adjacency,
// those at the least distances. Of equally near ones the first come first.
// Uses: narrow_phase/obb_obb/closest_record.wgsl.

const WORKGROUP: u32 = 256u;

// In a place without a partner.
const NONE: u32 = 0xffffffffu;

// src/outputs/nearest_rows.rs, NearestRows
struct NearestRows {
    count: u32,
    width: u32,
    // The distance in a place without a partner: a constant may not be infinite.
    infinity: f32,
    unused: u32,
}

@group(0) @binding(0) var<uniform> rows: NearestRows;
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
@group(0) @binding(2) var<storage, read> neighbours: array<u32>;
@group(0) @binding(3) var<storage, read> numbers: array<u32>;
@group(0) @binding(4) var<storage, read> closest: array<ClosestRecord>;
@group(0) @binding(5) var<storage, read_write> nearest: array<u32>;
@group(0) @binding(6) var<storage, read_write> distances: array<f32>;
@group(0) @binding(7) var<storage, read_write> counts: array<u32>;

// Puts a partner among the `kept` first places of a row, and drops the last one of a full row.
// Returns the number of places that are taken.
fn put(first: u32, kept: u32, partner: u32, distance: f32) -> u32 {
    var place = kept;
    if kept == rows.width {
        place -= 1u;
        if distance >= distances[first + place] { return kept; }
    }
    while place > 0u && distance < distances[first + place - 1u] {
        nearest[first + place] = nearest[first + place - 1u];
        distances[first + place] = distances[first + place - 1u];
        place -= 1u;
    }
    nearest[first + place] = partner;
    distances[first + place] = distance;
    return min(kept + 1u, rows.width);
}

@compute @workgroup_size(WORKGROUP)
fn find_nearest(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var row = workgroup.x * WORKGROUP + local; row < rows.count; row += workgroups.x * WORKGROUP) {
        let first = row * rows.width;
        let begin = offsets[row];
        let end = offsets[row + 1u];
        var kept = 0u;
        for (var k = begin; k < end; k++) {
            kept = put(first, kept, neighbours[k], closest[numbers[k]].distance);
        }
        counts[row] = end - begin;
        for (var place = kept; place < rows.width; place++) {
            nearest[first + place] = NONE;
            distances[first + place] = rows.infinity;
        }
    }
}
