// Computes the position of oriented boxes relative to a room: the walls they reach, and inside,
// crossing or outside, with a third answer if rounding may matter. Twin:
// src/regions/enclosure_cpu.rs, which has the formulas and the error bound.
// Uses: regions/room_frame.wgsl, shared/common.wgsl, shared/obb.wgsl, shared/rotation.wgsl,
// shared/validity.wgsl.

const WORKGROUP: u32 = 256u;

const ERROR_PER_SIZE: f32 = 72.0 * 0x1p-23;
const KAPPA: f32 = 1.16;
const LARGEST_SINE: f32 = 0.5;

@group(0) @binding(1) var<storage, read> boxes: array<Obb>;

// A box in the frame of the room.
struct Placed {
    t: vec3<f32>,
    n: f32,
    c_x: vec3<f32>,
    c_y: vec3<f32>,
    c_z: vec3<f32>,
    h: vec3<f32>,
    half: vec3<f32>,
    size: f32,
    error: f32,
}

fn place(box: Obb) -> Placed {
    let q = box.rotation;
    let d = q * q;
    let axes = room_axes();
    let from_center = fenced_3(box.center - params.center, params.zero);
    let t_and_n = fenced(vec4(from_center * axes, d.x + d.y + d.z + d.w), params.zero);
    let t = t_and_n.xyz;
    let m = matrix(q);
    let h = vec3(box.half_x, box.half_y, box.half_z);
    let half = room_half();
    let size = sum(abs(t)) + sum(half) + sum(h);
    return Placed(
        t,
        t_and_n.w,
        fenced_3(m[0] * axes, params.zero),
        fenced_3(m[1] * axes, params.zero),
        fenced_3(m[2] * axes, params.zero),
        h,
        half,
        size,
        fenced(vec4(ERROR_PER_SIZE * size + params.slack), params.zero).x,
    );
}

// The axes of one edge of the box with the three of the room, given a column of C and the radius
// that the other edges of the box add: a state, or UNDECIDED.
fn edge_axes(p: Placed, face: f32, column: vec3<f32>, radius: vec3<f32>) -> u32 {
    let column_abs = abs(column);
    let edge = abs(p.t.zxy * column.yzx - p.t.yzx * column.zxy)
        - (p.half.yzx * column_abs.zxy + p.half.zxy * column_abs.yzx + radius);
    if largest(edge) > p.error { return OUTSIDE; }
    let sine = column_abs.yzx + column_abs.zxy;
    let parallel = (sine < vec3(LARGEST_SINE)) & (vec3(face) < -(KAPPA * p.size * sine + 2.0 * p.error));
    return select(UNDECIDED, CROSSING, all((edge < vec3(-p.error)) | parallel));
}

// Tests by all fifteen axes if box and room share a point: CROSSING if they do, else OUTSIDE or
// UNDECIDED.
fn separate(p: Placed) -> u32 {
    let x = abs(p.c_x);
    let y = abs(p.c_y);
    let z = abs(p.c_z);
    let faces = p.n * (abs(p.t) - p.half) - (x * p.h.x + y * p.h.y + z * p.h.z);
    let box_faces = abs(vec3(dot(p.t, p.c_x), dot(p.t, p.c_y), dot(p.t, p.c_z)))
        - p.n * p.h - vec3(dot(x, p.half), dot(y, p.half), dot(z, p.half));
    let face = fenced(vec4(max(largest(faces), largest(box_faces))), params.zero).x;
    if face > p.error { return OUTSIDE; }
    let edges_x = edge_axes(p, face, p.c_x, p.h.y * z + p.h.z * y);
    if edges_x == OUTSIDE { return OUTSIDE; }
    let edges_y = edge_axes(p, face, p.c_y, p.h.z * x + p.h.x * z);
    if edges_y == OUTSIDE { return OUTSIDE; }
    let edges_z = edge_axes(p, face, p.c_z, p.h.x * y + p.h.y * x);
    if edges_z == OUTSIDE { return OUTSIDE; }
    let shares = face < -p.error && max(edges_x, max(edges_y, edges_z)) == CROSSING;
    return select(UNDECIDED, CROSSING, shares);
}

fn enclosure(box: Obb) -> u32 {
    let p = place(box);
    let extent = abs(p.c_x) * p.h.x + abs(p.c_y) * p.h.y + abs(p.c_z) * p.h.z;
    let above_min = p.n * (p.half + p.t) - extent;
    let below_max = p.n * (p.half - p.t) - extent;
    let walls = walls_reached(above_min, below_max, p.error);
    if walls.possible == 0u { return INSIDE; }

    let has_center = all(p.n * (p.half - abs(p.t)) > vec3(p.error));
    var state = CROSSING;
    if !has_center { state = separate(p); }
    return enclosure_of(walls, state);
}

@compute @workgroup_size(WORKGROUP)
fn enclosures_of_boxes(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var i = workgroup.x * WORKGROUP + local; i < params.count; i += workgroups.x * WORKGROUP) {
        let box = boxes[params.skipped + i];
        enclosures[params.first + i] = enclosure(box) | select(0u, INVALID, suspect_box(box));
    }
}
