// Conservative bounds of oriented boxes, and input validation.
// Twin: src/bounds/obb_bounds_cpu.rs. The derivation of the widening is in src/bounds/mod.rs.

const EXTENT_ERROR: f32 = 0x1p-18;
const CENTER_ERROR: f32 = 0x1p-22;
const ABSOLUTE_ERROR: f32 = 0x1p-100;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(6) var<storage, read_write> stats: SceneStatsAtomic;
@group(0) @binding(7) var<storage, read_write> counters: array<atomic<u32>, COUNTERS>;

fn bounds_of(box: Obb, id: u32) -> Bounds {
    let q = box.rotation;
    let h = vec3(box.half_x, box.half_y, box.half_z);
    let d = q * q;
    let row_x = abs(vec3(d.w + d.x - d.y - d.z, 2.0 * (q.x * q.y - q.w * q.z), 2.0 * (q.x * q.z + q.w * q.y)));
    let row_y = abs(vec3(2.0 * (q.x * q.y + q.w * q.z), d.w - d.x + d.y - d.z, 2.0 * (q.y * q.z - q.w * q.x)));
    let row_z = abs(vec3(2.0 * (q.x * q.z - q.w * q.y), 2.0 * (q.y * q.z + q.w * q.x), d.w - d.x - d.y + d.z));
    let extent = vec3(dot(row_x, h), dot(row_y, h), dot(row_z, h)) / (d.x + d.y + d.z + d.w);
    let widened = extent + (EXTENT_ERROR * (h.x + h.y + h.z) + CENTER_ERROR * abs(box.center)) + ABSOLUTE_ERROR
        + params.half_margin;
    return Bounds(box.center - widened, 0u, box.center + widened, id);
}

// Whether the box is turned otherwise than about z, by the bits of its quaternion: zeros have either sign.
fn is_tilted(box: Obb) -> bool {
    return ((bitcast<u32>(box.rotation.x) | bitcast<u32>(box.rotation.y)) << 1u) != 0u;
}

@compute @workgroup_size(WORKGROUP)
fn obb_bounds(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    begin_statistics(local);
    var tilted = false;
    for (var i = workgroup.x * WORKGROUP + local; i < params.box_count; i += workgroups.x * WORKGROUP) {
        let box = box_at(i);
        tilted = tilted || is_tilted(box);
        if suspect_box(box) { atomicAdd(&counters[SUSPECTS], 1u); }
        // A non-finite box must not reach the grid; the host rejects the scene when it reads SUSPECTS.
        var b = Bounds(vec3(0.0), 0u, vec3(0.0), i);
        let candidate = bounds_of(box, i);
        let span = candidate.high - candidate.low;
        if !(not_finite(span.x) || not_finite(span.y) || not_finite(span.z)) { b = candidate; }
        b.tag = add_to_statistics(b);
        put_bounds(i, b);
    }
    // Whether there are any is all that is asked, so few have to write.
    if tilted && atomicLoad(&counters[TILTED]) == 0u { atomicStore(&counters[TILTED], 1u); }
    end_statistics(local);
}
