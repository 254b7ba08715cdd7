// Computes the distance and the closest points of every pair of two boxes. Twin:
// src/narrow_phase/obb_obb/distance.rs, in f64.
// Uses: narrow_phase/obb_obb/closest.wgsl, narrow_phase/obb_obb/closest_list.wgsl,
// narrow_phase/obb_obb/closest_record.wgsl, narrow_phase/obb_obb/frame.wgsl, shared/boxes.wgsl,
// shared/found_pairs.wgsl, shared/obb.wgsl, shared/rotation.wgsl.

const WORKGROUP: u32 = 128u;

// The part of a line inside a box, as an interval of fractions of its length; empty if the first is
// larger.
fn part_inside(start: vec3<f32>, along: vec3<f32>, half: vec3<f32>) -> vec2<f32> {
    // If the line is nearly parallel to a pair of sides, they do not cut it.
    let crosses = abs(along) > vec3(0x1p-20) * half;
    let inverse = 1.0 / select(vec3(1.0), along, crosses);
    let one = (-half - start) * inverse;
    let other = (half - start) * inverse;
    let enters = select(vec3(0.0), min(one, other), crosses);
    let leaves = select(vec3(1.0), max(one, other), crosses);
    return vec2(max(largest(enters), 0.0), min(min(leaves.x, min(leaves.y, leaves.z)), 1.0));
}

// The middle of the part of a line inside a box, or a point near the inside if there is none.
fn middle_inside(start: vec3<f32>, along: vec3<f32>, half: vec3<f32>) -> vec3<f32> {
    let ends = part_inside(start, along, half);
    return start + along * clamp(0.5 * (ends.x + ends.y), 0.0, 1.0);
}

// A point in both of two colliding boxes. Their intersection has corners, where an edge of one box
// is inside the other. The middle of the part that is inside is least affected by rounding.
fn common_point(f: Frame) -> vec3<f32> {
    var least = Closest(INFINITE, vec3(0.0), vec3(0.0));
    // Enlarged by the error, so that rounding does not cut edges that lie in touching faces.
    let h_a = f.h_a + f.error;
    let h_b = f.h_b + f.error;
    for (var corner = 0u; corner < 8u; corner += 1u) {
        let of_a = corner_of(f.h_a, corner);
        let of_b = corner_of(f.h_b, corner);
        for (var axis = 0u; axis < 3u; axis += 1u) {
            let along = vec3(axis == 0u, axis == 1u, axis == 2u);
            let edge_b = select(vec3(0.0), -2.0 * of_b, along);
            let on_b = middle_inside(f.t + f.c * of_b, f.c * edge_b, h_a);
            let in_a = clamp(on_b, -f.h_a, f.h_a);
            let to_b = on_b - in_a;
            least = closer(least, Closest(dot(to_b, to_b), in_a, on_b));
            let edge_a = select(vec3(0.0), -2.0 * of_a, along);
            let on_a = middle_inside((of_a - f.t) * f.c, edge_a * f.c, h_b);
            let in_b = clamp(on_a, -f.h_b, f.h_b);
            let to_a = on_a - in_b;
            least = closer(least, Closest(dot(to_a, to_a), f.t + f.c * in_b, f.t + f.c * in_b));
        }
    }
    return least.on_a;
}

fn closest_points(a: Obb, b: Obb) -> ClosestRecord {
    let f = frame_of(a, b);
    let face = face_gap(faces_of(f));
    let edges = edges_of(f);
    let lower = lower_bound(f, face, edges);
    let rotation = rotation_of(a);
    if lower <= 0.0 {
        let shared_point = rotation * common_point(f);
        return ClosestRecord(shared_point, 0.0, shared_point, select(UNDECIDED, 0u, overlapping(f, face, edges)));
    }
    var found = corners(f);
    // The boxes are not closer than the gap along a face's axis.
    let surely = max(face, 0.0);
    if found.squared > surely * surely { found = closer(found, edge_pairs(f, lower, edges)); }
    return ClosestRecord(rotation * found.on_a, sqrt(found.squared), rotation * found.on_b, 0u);
}

@compute @workgroup_size(WORKGROUP)
fn obb_closest_points(
    @builtin(global_invocation_id) invocation: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let count = found_pairs();
    for (var k = invocation.x; k < count; k += workgroups.x * WORKGROUP) {
        let pair = pairs[k];
        if are_boxes(pair) { closest[k] = closest_points(box_at(pair.a), box_of_b(pair.b)); }
    }
}
