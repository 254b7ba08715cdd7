// The distance of two disjoint boxes and their closest points, from corners and from pairs of
// edges. Twin: src/narrow_phase/obb_obb/distance.rs, which gives the method and its proof.
// Compilers drop unused parts.
// Uses: narrow_phase/obb_obb/frame.wgsl, shared/common.wgsl, shared/rotation.wgsl.
// The including shader declares: params.

// Edges at an angle of this sine or less count as parallel.
const PARALLEL: f32 = 8.0 * 0x1p-23;

// Two points in the frame of A, and their squared distance.
struct Closest {
    squared: f32,
    on_a: vec3<f32>,
    on_b: vec3<f32>,
}

// The closer one; the first if both are equal.
fn closer(first: Closest, second: Closest) -> Closest {
    if second.squared < first.squared { return second; }
    return first;
}

// The sign given by a bit: 1 is negative.
fn sign_of(bits: u32, bit: u32) -> f32 {
    return select(1.0, -1.0, ((bits >> bit) & 1u) == 1u);
}

// The corner of a box given by bits, in its own frame.
fn corner_of(half: vec3<f32>, bits: u32) -> vec3<f32> {
    return half * vec3(sign_of(bits, 0u), sign_of(bits, 1u), sign_of(bits, 2u));
}

// The corner closest to the other box, and that box's nearest point.
fn corners(f: Frame) -> Closest {
    var least = Closest(INFINITE, vec3(0.0), vec3(0.0));
    for (var corner = 0u; corner < 8u; corner += 1u) {
        let of_b = f.t + f.c * corner_of(f.h_b, corner);
        let from_a = clamp(of_b, -f.h_a, f.h_a);
        let to_b = fenced_3(of_b - from_a, params.zero);
        least = closer(least, Closest(dot(to_b, to_b), from_a, of_b));
        let of_a = corner_of(f.h_a, corner);
        let seen_from_b = (of_a - f.t) * f.c;
        let from_b = clamp(seen_from_b, -f.h_b, f.h_b);
        let to_a = fenced_3(seen_from_b - from_b, params.zero);
        least = closer(least, Closest(dot(to_a, to_a), of_a, f.t + f.c * from_b));
    }
    return least;
}

// The closest points of edges along axis i of A and axis j of B that may face each other.
fn edge_pair(f: Frame, i: u32, j: u32, squared_sine: f32) -> Closest {
    var axes = f.c;
    var t = f.t;
    var h_a = f.h_a;
    var h_b = f.h_b;
    let k = (i + 1u) % 3u;
    let l = (i + 2u) % 3u;
    let m = (j + 1u) % 3u;
    let n = (j + 2u) % 3u;
    var direction = axes[j];
    var axis_m = axes[m];
    var axis_n = axes[n];
    // Products of a_i x b_j with the offset of the centers, and with the other axes of A and B.
    let offset = direction[k] * t[l] - direction[l] * t[k];
    let towards_b = select(0.0, sign(offset), abs(offset) > ERROR * sum(abs(t)));
    let products = vec4(-direction[l], direction[k], -axis_n[i], axis_m[i]) * towards_b;
    var least = Closest(INFINITE, vec3(0.0), vec3(0.0));
    for (var sides = 0u; sides < 16u; sides += 1u) {
        let signs = vec4(sign_of(sides, 0u), sign_of(sides, 1u), sign_of(sides, 2u), sign_of(sides, 3u));
        // A side that is certainly wrong is skipped.
        if any(products * signs < vec4(-ERROR)) { continue; }
        var on_a = vec3(0.0);
        on_a[k] = signs.x * h_a[k];
        on_a[l] = signs.y * h_a[l];
        var middle = fenced_3(t + (signs.z * h_b[m]) * axis_m + (signs.w * h_b[n]) * axis_n, params.zero);
        let along_normal = (on_a[k] - middle[k]) * direction[k] + (on_a[l] - middle[l]) * direction[l];
        let first = clamp(along_normal / squared_sine, -h_b[j], h_b[j]);
        on_a[i] = clamp(middle[i] + first * direction[i], -h_a[i], h_a[i]);
        let last = clamp(dot(direction, on_a - middle), -h_b[j], h_b[j]);
        let on_b = middle + last * direction;
        let apart = fenced_3(on_b - on_a, params.zero);
        least = closer(least, Closest(dot(apart, apart), on_a, on_b));
    }
    return least;
}

// The closest points of two edges whose normal may be the direction of the distance. The distance
// is at least `lower`.
fn edge_pairs(f: Frame, lower: f32, edges: Edges) -> Closest {
    var all_gaps = edges.gaps;
    var all_sines = edges.sines;
    var least = Closest(INFINITE, vec3(0.0), vec3(0.0));
    for (var pair = 0u; pair < 9u; pair += 1u) {
        let i = pair % 3u;
        let j = pair / 3u;
        let sine = all_sines[j][i];
        if sine > PARALLEL && all_gaps[j][i] + 2.0 * f.error >= lower * sine {
            least = closer(least, edge_pair(f, i, j, sine * sine));
        }
    }
    return least;
}
