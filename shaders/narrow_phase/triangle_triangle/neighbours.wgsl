// Tests whether two triangles share more than their common corners, with three answers. Twin:
// src/narrow_phase/triangle_triangle/neighbours_cpu.rs; formulas and error bounds:
// src/narrow_phase/triangle_triangle/filter.rs.
// Uses: narrow_phase/triangle_triangle/triangle_pairs.wgsl, shared/common.wgsl,
// shared/verdicts.wgsl.

const CONE_ERROR: f32 = 16.0;

// The corners in cyclic order, starting with the common corner that follows one that is not common.
fn from_common(p: mat3x3<f32>, is_common: vec3<bool>) -> mat3x3<f32> {
    if is_common.x && !is_common.z { return p; }
    if is_common.y && !is_common.x { return mat3x3(p[1], p[2], p[0]); }
    return mat3x3(p[2], p[0], p[1]);
}

// The sides of the plane of e and f that two vectors are on; 0 if that is not certain.
fn sides(e: vec3<f32>, f: vec3<f32>, x: vec3<f32>, y: vec3<f32>) -> vec2<i32> {
    let normal = cross(e, f);
    let error = VOLUME_ERROR * ULP * size(e) * size(f) * max(size(x), size(y)) + FLUSH;
    let h = vec2(dot(normal, x), dot(normal, y));
    return select(vec2(0i), vec2(1i), h > vec2(error)) - select(vec2(0i), vec2(1i), h < vec2(-error));
}

// 1 if the turn from x to y is counter-clockwise seen along an axis, -1 if it is clockwise, 0 if
// that is not certain.
fn turn(x: vec3<f32>, y: vec3<f32>, along: vec3<f32>) -> i32 {
    let value = area(seen(x, along), seen(y, along));
    let error = CONE_ERROR * ULP * size(x) * size(y) + FLUSH;
    return select(0i, 1i, value > error) - select(0i, 1i, value < -error);
}

// Returns `true` if a vector is not between two others. `own` is the turn between these two,
// `first` and `second` are the turns from them to the vector.
fn is_beyond(own: i32, first: i32, second: i32) -> bool {
    return own * first < 0i || own * second > 0i;
}

// Returns `true` if, in plan, triangles with a common edge are on two sides of it, or the cones of
// u, v and of w, z share no ray.
fn part_in_plan(is_edge: bool, u: vec3<f32>, v: vec3<f32>, w: vec3<f32>, z: vec3<f32>) -> bool {
    let along = fenced_3(abs(cross(u, v)), params.zero);
    let uv = turn(u, v, along);
    let uz = turn(u, z, along);
    if is_edge { return uv * uz < 0i; }
    let wz = turn(w, z, along);
    let uw = turn(u, w, along);
    let vw = turn(v, w, along);
    let vz = turn(v, z, along);
    let outside_a = is_beyond(uv, uw, vw) && is_beyond(uv, uz, vz);
    return outside_a && is_beyond(wz, -uw, -uz) && is_beyond(wz, -vw, -vz);
}

// Tests triangles with common corners, which are the marked ones.
fn neighbours_meet(a: mat3x3<f32>, b: mat3x3<f32>, of_a: vec3<bool>, of_b: vec3<bool>) -> u32 {
    let counts = vec2(
        dot(select(vec3(0u), vec3(1u), of_a), vec3(1u)),
        dot(select(vec3(0u), vec3(1u), of_b), vec3(1u)),
    );
    if counts.x != counts.y || counts.x == 3u { return UNDECIDED; }
    let p = from_common(a, of_a);
    let q = from_common(b, of_b);
    let d = mat4x3(
        difference(p[1], p[0]), difference(p[2], p[0]), difference(q[1], p[0]), difference(q[2], p[0]),
    );
    let scale = scale_for(max(max(size(d[0]), size(d[1])), max(size(d[2]), size(d[3]))));
    let u = fenced_3(scale * d[0], params.zero);
    let v = fenced_3(scale * d[1], params.zero);
    let w = fenced_3(scale * d[2], params.zero);
    let z = fenced_3(scale * d[3], params.zero);
    let is_edge = counts.x == 2u;
    let h = sides(u, v, w, z);
    if is_edge {
        if h.y != 0i { return SEPARATED; }
    } else {
        let g = sides(w, z, u, v);
        if h.x * h.y > 0i || g.x * g.y > 0i { return SEPARATED; }
        if h.x * h.y < 0i && g.x * g.y < 0i { return select(MEETING, SEPARATED, h.x == g.x); }
    }
    return select(UNDECIDED, SEPARATED, part_in_plan(is_edge, u, v, w, z));
}
