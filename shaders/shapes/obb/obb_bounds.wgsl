// Conservative bounds of oriented boxes, and input validation. Twin:
// src/shapes/obb/obb_bounds_cpu.rs. The derivation of the widening is in src/geometry/bounds.rs.
// The broad phase hooks in with begin_bounds, note_bounds, note_suspect, note_tilted and
// end_bounds.
// Uses: broad_phase/grid/counting.wgsl or broad_phase/grid/noted.wgsl,
// broad_phase/grid/statistics.wgsl, rules/widening.wgsl, shared/common.wgsl,
// shared/new_bounds.wgsl, shared/obb.wgsl, shared/runs.wgsl, shared/validity.wgsl.

const WORKGROUP: u32 = 256u;

const EXTENT_ERROR: f32 = 0x1p-18;
const CENTER_ERROR: f32 = 0x1p-22;
const ABSOLUTE_ERROR: f32 = 0x1p-100;

@group(0) @binding(0) var<uniform> params: Params;
// One segment at a time.
@group(0) @binding(1) var<storage, read> boxes: array<Obb>;
@group(0) @binding(2) var<uniform> segment: Segment;

fn bounds_of(box: Obb, id: u32) -> Bounds {
    let q = box.rotation;
    let h = vec3(box.half_x, box.half_y, box.half_z);
    let d = q * q;
    let row_x = abs(vec3(d.w + d.x - d.y - d.z, 2.0 * (q.x * q.y - q.w * q.z), 2.0 * (q.x * q.z + q.w * q.y)));
    let row_y = abs(vec3(2.0 * (q.x * q.y + q.w * q.z), d.w - d.x + d.y - d.z, 2.0 * (q.y * q.z - q.w * q.x)));
    let row_z = abs(vec3(2.0 * (q.x * q.z - q.w * q.y), 2.0 * (q.y * q.z + q.w * q.x), d.w - d.x - d.y + d.z));
    let extent = vec3(dot(row_x, h), dot(row_y, h), dot(row_z, h)) / (d.x + d.y + d.z + d.w);
    let widened = fenced_3(extent + (EXTENT_ERROR * (h.x + h.y + h.z) + CENTER_ERROR * abs(box.center)) + ABSOLUTE_ERROR
        + widening_of(id), params.zero);
    let low = fenced_3(box.center - widened, params.zero);
    return Bounds(low, 0u, fenced_3(box.center + widened, params.zero), id);
}

// The boxes of bodies, and those of images.
fn boxes_of(run: u32) -> Run {
    if run == 0u { return Run(0u, params.box_end, 0u); }
    let first = params.images_unit / 3u;
    return Run(first, first + params.image_box_end, params.images_first);
}

// Returns `true` if the box is rotated about an axis other than z, by the bits of its quaternion:
// zeros have either sign.
fn is_tilted(box: Obb) -> bool {
    return ((bitcast<u32>(box.rotation.x) | bitcast<u32>(box.rotation.y)) << 1u) != 0u;
}

@compute @workgroup_size(WORKGROUP)
fn obb_bounds(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    begin_bounds(local);
    var tilted = false;
    for (var run = 0u; run < run_count(); run++) {
        let own = in_segment(boxes_of(run), params.box_segment, segment.number);
        for (var k = own.first + workgroup.x * WORKGROUP + local; k < own.end; k += workgroups.x * WORKGROUP) {
            let i = own.id + (k - own.first);
            let box = boxes[k];
            tilted = tilted || is_tilted(box);
            if suspect_box(box) { note_suspect(); }
            // NaN bounds must not reach the grid. The host rejects the scene when it reads the
            // number of suspects.
            var b = Bounds(vec3(0.0), 0u, vec3(0.0), i);
            if !hopeless_box(box) { b = bounds_of(box, i); }
            put_bounds(i, note_bounds(b));
        }
    }
    if tilted { note_tilted(); }
    end_bounds(local);
}
